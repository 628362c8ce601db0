/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The headers of a UD packet as one unpacked structure, for those who build QP 0 and QP 1 traffic
 * by hand. The tables follow docs of the wire format: IBA's LRH, GRH, BTH and DETH, and the
 * Ethernet, IPv4 and UDP headers of RoCE.
 */
#include <rdma/ib_pack.h>
#include <stddef.h>
#include <string.h>

#include "base/cause.h"

#define ETHERTYPE_8021Q 0x8100
#define IPPROTO_OF_UDP 17
#define GRH_NEXT_HEADER_IBA 0x1b
/* The LRH counts its packet in words, in 11 bits; all headers take less than 192 bytes. */
#define PAYLOAD_MAX_BYTES (0x7ff * 4 - 192)
#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* clang-format off */
#define FIELD(header, member, word, bit, bits)                          \
	{ offsetof(struct ib_unpacked_##header, member),                \
	  sizeof(((struct ib_unpacked_##header *)0)->member),           \
	  (word), (bit), (bits), #header "." #member }
#define RESERVED(word, bit, bits) { 0, 0, (word), (bit), (bits), "reserved" }

static const struct ib_field lrh_table[] = {
	FIELD(lrh, virtual_lane,      0,  0,  4),
	FIELD(lrh, link_version,      0,  4,  4),
	FIELD(lrh, service_level,     0,  8,  4),
	RESERVED(                     0, 12,  2),
	FIELD(lrh, link_next_header,  0, 14,  2),
	FIELD(lrh, destination_lid,   0, 16, 16),
	RESERVED(                     1,  0,  5),
	FIELD(lrh, packet_length,     1,  5, 11),
	FIELD(lrh, source_lid,        1, 16, 16),
};

static const struct ib_field eth_table[] = {
	FIELD(eth, dmac_h,            0,  0, 32),
	FIELD(eth, dmac_l,            1,  0, 16),
	FIELD(eth, smac_h,            1, 16, 16),
	FIELD(eth, smac_l,            2,  0, 32),
	FIELD(eth, type,              3,  0, 16),
};

static const struct ib_field vlan_table[] = {
	FIELD(vlan, tag,              0,  0, 16),
	FIELD(vlan, type,             0, 16, 16),
};

static const struct ib_field grh_table[] = {
	FIELD(grh, ip_version,        0,  0,  4),
	FIELD(grh, traffic_class,     0,  4,  8),
	FIELD(grh, flow_label,        0, 12, 20),
	FIELD(grh, payload_length,    1,  0, 16),
	FIELD(grh, next_header,       1, 16,  8),
	FIELD(grh, hop_limit,         1, 24,  8),
	FIELD(grh, source_gid,        2,  0, 128),
	FIELD(grh, destination_gid,   6,  0, 128),
};

static const struct ib_field ip4_table[] = {
	FIELD(ip4, ver,               0,  0,  4),
	FIELD(ip4, hdr_len,           0,  4,  4),
	FIELD(ip4, tos,               0,  8,  8),
	FIELD(ip4, tot_len,           0, 16, 16),
	FIELD(ip4, id,                1,  0, 16),
	FIELD(ip4, frag_off,          1, 16, 16),
	FIELD(ip4, ttl,               2,  0,  8),
	FIELD(ip4, protocol,          2,  8,  8),
	FIELD(ip4, check,             2, 16, 16),
	FIELD(ip4, saddr,             3,  0, 32),
	FIELD(ip4, daddr,             4,  0, 32),
};

static const struct ib_field udp_table[] = {
	FIELD(udp, sport,             0,  0, 16),
	FIELD(udp, dport,             0, 16, 16),
	FIELD(udp, length,            1,  0, 16),
	FIELD(udp, csum,              1, 16, 16),
};

static const struct ib_field bth_table[] = {
	FIELD(bth, opcode,            0,  0,  8),
	FIELD(bth, solicited_event,   0,  8,  1),
	FIELD(bth, mig_req,           0,  9,  1),
	FIELD(bth, pad_count,         0, 10,  2),
	FIELD(bth, transport_header_version, 0, 12, 4),
	FIELD(bth, pkey,              0, 16, 16),
	RESERVED(                     1,  0,  8),
	FIELD(bth, destination_qpn,   1,  8, 24),
	FIELD(bth, ack_req,           2,  0,  1),
	RESERVED(                     2,  1,  7),
	FIELD(bth, psn,               2,  8, 24),
};

static const struct ib_field deth_table[] = {
	FIELD(deth, qkey,             0,  0, 32),
	RESERVED(                     1,  0,  8),
	FIELD(deth, source_qpn,       1,  8, 24),
};
/* clang-format on */

static uint16_t ip4_word(unsigned int high, unsigned int low)
{
	return (uint16_t)(high << 8 | low);
}

__sum16 ib_ud_ip4_csum(struct ib_ud_header *header)
{
	const struct ib_unpacked_ip4 *ip = &header->ip4;
	const uint32_t saddr = be32_to_cpu(ip->saddr), daddr = be32_to_cpu(ip->daddr);
	uint32_t sum = ip4_word((unsigned int)ip->ver << 4 | ip->hdr_len, ip->tos);

	sum += be16_to_cpu(ip->tot_len);
	sum += be16_to_cpu(ip->id);
	sum += be16_to_cpu(ip->frag_off);
	sum += ip4_word(ip->ttl, ip->protocol);
	sum += (saddr >> 16) + (saddr & 0xffff) + (daddr >> 16) + (daddr & 0xffff);
	while (sum >> 16)
		sum = (sum >> 16) + (sum & 0xffff);
	return (__sum16)cpu_to_be16((uint16_t)~sum);
}

/* @packet: bytes from the BTH to the ICRC. */
static void init_lengths(struct ib_ud_header *header, size_t packet)
{
	const size_t grh = header->grh_present ? IB_GRH_BYTES : 0;
	const size_t behind_ip = packet + (header->udp_present ? IB_UDP_BYTES : 0);

	if (header->lrh_present)
		header->lrh.packet_length =
			cpu_to_be16((uint16_t)((IB_LRH_BYTES + grh + packet) / 4));
	if (header->grh_present)
		header->grh.payload_length = cpu_to_be16((uint16_t)behind_ip);
	if (header->ipv4_present)
		header->ip4.tot_len = cpu_to_be16((uint16_t)(IB_IP4_BYTES + behind_ip));
	if (header->udp_present)
		header->udp.length = cpu_to_be16((uint16_t)behind_ip);
}

/* What stands in each header, and what it says comes next. */
static void init_kinds(struct ib_ud_header *header)
{
	if (header->lrh_present)
		header->lrh.link_next_header = header->grh_present ? IB_LNH_IBA_GLOBAL
								   : IB_LNH_IBA_LOCAL;
	if (header->vlan_present)
		header->eth.type = cpu_to_be16(ETHERTYPE_8021Q);
	if (header->grh_present) {
		header->grh.ip_version = 6;
		header->grh.next_header = header->udp_present ? IPPROTO_OF_UDP
							      : GRH_NEXT_HEADER_IBA;
	}
	if (header->ipv4_present) {
		header->ip4.ver = 4;
		header->ip4.hdr_len = 5;
		header->ip4.protocol = IPPROTO_OF_UDP;
	}
	header->bth.opcode = header->immediate_present ? IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE
						       : IB_OPCODE_UD_SEND_ONLY;
}

int ib_ud_header_init(int payload_bytes, int lrh_present, int eth_present, int vlan_present,
		      int grh_present, int ip_version, int udp_present, int immediate_present,
		      struct ib_ud_header *header)
{
	const size_t payload = (size_t)payload_bytes, pad = -payload & 3;
	const size_t immediate = immediate_present ? sizeof(header->immediate_data) : 0;

	memset(header, 0, sizeof(*header));
	if (udp_present && ip_version != 4 && ip_version != 6)
		return base_refuse(-EINVAL, UD_HEADER_IP_VERSION, (uint64_t)ip_version);
	if (payload_bytes < 0 || payload_bytes > PAYLOAD_MAX_BYTES)
		return base_refuse(-EINVAL, UD_HEADER_PAYLOAD, (uint64_t)payload_bytes,
				   PAYLOAD_MAX_BYTES);

	header->lrh_present = lrh_present;
	header->eth_present = eth_present;
	header->vlan_present = vlan_present;
	header->grh_present = ip_version == 6 || (grh_present && !ip_version);
	header->ipv4_present = ip_version == 4;
	header->udp_present = udp_present;
	header->immediate_present = immediate_present;
	header->bth.pad_count = (uint8_t)pad;
	init_kinds(header);
	init_lengths(header,
		     IB_BTH_BYTES + IB_DETH_BYTES + immediate + payload + pad + IB_ICRC_BYTES);
	return 0;
}

int ib_ud_header_pack(struct ib_ud_header *header, void *buf)
{
	uint8_t *at = buf;

	if (header->lrh_present) {
		ib_pack(lrh_table, COUNT(lrh_table), &header->lrh, at);
		at += IB_LRH_BYTES;
	}
	if (header->eth_present) {
		ib_pack(eth_table, COUNT(eth_table), &header->eth, at);
		at += IB_ETH_BYTES;
	}
	if (header->vlan_present) {
		ib_pack(vlan_table, COUNT(vlan_table), &header->vlan, at);
		at += IB_VLAN_BYTES;
	}
	if (header->grh_present) {
		ib_pack(grh_table, COUNT(grh_table), &header->grh, at);
		at += IB_GRH_BYTES;
	}
	if (header->ipv4_present) {
		ib_pack(ip4_table, COUNT(ip4_table), &header->ip4, at);
		at += IB_IP4_BYTES;
	}
	if (header->udp_present) {
		ib_pack(udp_table, COUNT(udp_table), &header->udp, at);
		at += IB_UDP_BYTES;
	}
	ib_pack(bth_table, COUNT(bth_table), &header->bth, at);
	at += IB_BTH_BYTES;
	ib_pack(deth_table, COUNT(deth_table), &header->deth, at);
	at += IB_DETH_BYTES;
	if (header->immediate_present) {
		memcpy(at, &header->immediate_data, sizeof(header->immediate_data));
		at += sizeof(header->immediate_data);
	}
	return (int)(at - (uint8_t *)buf);
}

int ib_ud_header_unpack(void *buf, struct ib_ud_header *header)
{
	uint8_t *at = buf;

	memset(header, 0, sizeof(*header));
	ib_unpack(lrh_table, COUNT(lrh_table), at, &header->lrh);
	at += IB_LRH_BYTES;
	header->lrh_present = 1;
	if (header->lrh.link_version != 0)
		return base_refuse(-EINVAL, UD_LINK_VERSION, header->lrh.link_version);
	if (header->lrh.link_next_header != IB_LNH_IBA_LOCAL &&
	    header->lrh.link_next_header != IB_LNH_IBA_GLOBAL)
		return base_refuse(-EINVAL, UD_LNH, header->lrh.link_next_header);

	if (header->lrh.link_next_header == IB_LNH_IBA_GLOBAL) {
		ib_unpack(grh_table, COUNT(grh_table), at, &header->grh);
		at += IB_GRH_BYTES;
		header->grh_present = 1;
		if (header->grh.ip_version != 6 || header->grh.next_header != GRH_NEXT_HEADER_IBA)
			return base_refuse(-EINVAL, UD_GRH, header->grh.ip_version,
					   header->grh.next_header);
	}

	ib_unpack(bth_table, COUNT(bth_table), at, &header->bth);
	at += IB_BTH_BYTES;
	if (header->bth.opcode != IB_OPCODE_UD_SEND_ONLY &&
	    header->bth.opcode != IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE)
		return base_refuse(-EINVAL, UD_OPCODE, header->bth.opcode);
	if (header->bth.transport_header_version != 0)
		return base_refuse(-EINVAL, UD_TRANSPORT_VERSION,
				   header->bth.transport_header_version);

	ib_unpack(deth_table, COUNT(deth_table), at, &header->deth);
	at += IB_DETH_BYTES;
	if (header->bth.opcode == IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE) {
		header->immediate_present = 1;
		memcpy(&header->immediate_data, at, sizeof(header->immediate_data));
	}
	return 0;
}
