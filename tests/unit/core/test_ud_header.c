// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Headers of UD packets: lengths, wire format, hostile input. */
#include <rdma/ib_pack.h>
#include <string.h>

#include "base/cause.h"
#include "common/test.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

/* clang-format off */
/* A MAD to QP 1 with GRH, as on the wire: LRH, GRH, BTH, DETH. */
static const u8 mad_wire[68] = {
	/* LRH: VL 1, SL 2, GRH follows, DLID 0x15, 82 words, SLID 0x12 */
	0x10, 0x23, 0x00, 0x15, 0x00, 0x52, 0x00, 0x12,
	/* GRH: version 6, TClass 0x34, flow label 0x56789, 280 bytes, IBA, hop limit 0x40 */
	0x63, 0x45, 0x67, 0x89, 0x01, 0x18, 0x1b, 0x40,
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
	0xfe, 0x80, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1,
	/* BTH: UD SEND only, SE, MigReq, P_Key, QP 1, AckReq, PSN */
	0x64, 0xc0, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01, 0x80, 0x12, 0x34, 0x56,
	/* DETH: Q_Key, source QP */
	0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03,
};

static const u8 roce_wire[] = {
	/* Ethernet, VLAN */
	0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x81, 0x00, 0x00, 0x2a, 0x08, 0x00,
	/* IPv4 */
	0x45, 0x02, 0x00, 0x3c, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x26, 0xad,
	0x0a, 0, 0, 1, 0x0a, 0, 0, 2,
	/* UDP */
	0xc0, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,
	/* BTH, DETH, immediate */
	0x65, 0x30, 0xff, 0xff, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x09,
	0x11, 0x11, 0x11, 0x11, 0x00, 0x00, 0x00, 0x08, 0xde, 0xad, 0xbe, 0xef,
};
/* clang-format on */

static void fill_mad(struct ib_ud_header *header)
{
	header->lrh.virtual_lane = 1;
	header->lrh.service_level = 2;
	header->lrh.destination_lid = cpu_to_be16(0x15);
	header->lrh.source_lid = cpu_to_be16(0x12);
	header->grh.traffic_class = 0x34;
	header->grh.flow_label = cpu_to_be32(0x56789);
	header->grh.hop_limit = 0x40;
	memcpy(header->grh.source_gid.raw, mad_wire + 16, 16);
	memcpy(header->grh.destination_gid.raw, mad_wire + 32, 16);
	header->bth.solicited_event = 1;
	header->bth.mig_req = 1;
	header->bth.pkey = cpu_to_be16(0xffff);
	header->bth.destination_qpn = cpu_to_be32(1);
	header->bth.ack_req = 1;
	header->bth.psn = cpu_to_be32(0x123456);
	header->deth.qkey = cpu_to_be32(0x80010000);
	header->deth.source_qpn = cpu_to_be32(3);
}

/* ib_ud_header_init() */

static void ib_ud_header_init__infiniband_lengths(void **state)
{
	struct ib_ud_header header;

	(void)state;
	assert_int_equal(ib_ud_header_init(256, 1, 0, 0, 1, 0, 0, 0, &header), 0);
	assert_int_equal(header.lrh.link_next_header, IB_LNH_IBA_GLOBAL);
	assert_int_equal(be16_to_cpu(header.lrh.packet_length), (8 + 40 + 12 + 8 + 256 + 4) / 4);
	assert_int_equal(be16_to_cpu(header.grh.payload_length), 12 + 8 + 256 + 4);
	assert_int_equal(header.grh.ip_version, 6);
	assert_int_equal(header.grh.next_header, 0x1b);
	assert_int_equal(header.bth.opcode, IB_OPCODE_UD_SEND_ONLY);
	assert_int_equal(header.bth.pad_count, 0);
	assert_int_equal(header.udp_present, 0);

	assert_int_equal(ib_ud_header_init(5, 1, 0, 0, 0, 0, 0, 1, &header), 0);
	assert_int_equal(header.lrh.link_next_header, IB_LNH_IBA_LOCAL);
	assert_int_equal(be16_to_cpu(header.lrh.packet_length), (8 + 12 + 8 + 4 + 8 + 4) / 4);
	assert_int_equal(header.bth.opcode, IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE);
	assert_int_equal(header.bth.pad_count, 3);
	assert_int_equal(header.immediate_present, 1);
}

static void ib_ud_header_init__roce_lengths(void **state)
{
	struct ib_ud_header header;

	(void)state;
	assert_int_equal(ib_ud_header_init(256, 0, 1, 1, 1, 4, 1, 0, &header), 0);
	assert_int_equal(header.grh_present, 0);
	assert_int_equal(header.ipv4_present, 1);
	assert_int_equal(header.ip4.ver, 4);
	assert_int_equal(header.ip4.hdr_len, 5);
	assert_int_equal(header.ip4.protocol, 17);
	assert_int_equal(be16_to_cpu(header.ip4.tot_len), 20 + 8 + 12 + 8 + 256 + 4);
	assert_int_equal(be16_to_cpu(header.udp.length), 8 + 12 + 8 + 256 + 4);
	assert_int_equal(be16_to_cpu(header.eth.type), 0x8100);

	assert_int_equal(ib_ud_header_init(256, 0, 1, 0, 0, 6, 1, 0, &header), 0);
	assert_int_equal(header.grh_present, 1);
	assert_int_equal(header.ipv4_present, 0);
	assert_int_equal(header.grh.next_header, 17);
	assert_int_equal(be16_to_cpu(header.grh.payload_length), 8 + 12 + 8 + 256 + 4);
	assert_int_equal(header.eth.type, 0);
}

static void ib_ud_header_init__refused(void **state)
{
	struct ib_ud_header header;

	(void)state;
	assert_int_equal(ib_ud_header_init(256, 0, 1, 0, 1, 0, 1, 0, &header), -EINVAL);
	assert_cause(UD_HEADER_IP_VERSION);
	assert_int_equal(ib_ud_header_init(256, 0, 1, 0, 0, 5, 1, 0, &header), -EINVAL);
	assert_int_equal(ib_ud_header_init(-1, 1, 0, 0, 0, 0, 0, 0, &header), -EINVAL);
	assert_cause(UD_HEADER_PAYLOAD);
	assert_int_equal(ib_ud_header_init(8000, 1, 0, 0, 0, 0, 0, 0, &header), -EINVAL);
}

/* ib_ud_header_pack() */

static void ib_ud_header_pack__infiniband(void **state)
{
	struct ib_ud_header header;
	u8 buf[128] = {0};

	(void)state;
	assert_int_equal(ib_ud_header_init(256, 1, 0, 0, 1, 0, 0, 0, &header), 0);
	fill_mad(&header);
	assert_int_equal(ib_ud_header_pack(&header, buf), 68);
	assert_memory_equal(buf, mad_wire, sizeof(mad_wire));
}

static void ib_ud_header_pack__roce_v2_over_ipv4_in_a_vlan(void **state)
{
	static const u8 dmac[] = {0x02, 0, 0, 0, 0, 1}, smac[] = {0x02, 0, 0, 0, 0, 2};
	struct ib_ud_header header;
	u8 buf[128] = {0};

	(void)state;
	assert_int_equal(ib_ud_header_init(1, 0, 1, 1, 0, 4, 1, 1, &header), 0);
	memcpy(header.eth.dmac_h, dmac, 4);
	memcpy(header.eth.dmac_l, dmac + 4, 2);
	memcpy(header.eth.smac_h, smac, 2);
	memcpy(header.eth.smac_l, smac + 2, 4);
	header.vlan.tag = cpu_to_be16(42);
	header.vlan.type = cpu_to_be16(0x0800);
	header.ip4.tos = 2;
	header.ip4.frag_off = cpu_to_be16(0x4000);
	header.ip4.ttl = 64;
	header.ip4.saddr = cpu_to_be32(0x0a000001);
	header.ip4.daddr = cpu_to_be32(0x0a000002);
	header.ip4.check = ib_ud_ip4_csum(&header);
	header.udp.sport = cpu_to_be16(0xc000);
	header.udp.dport = cpu_to_be16(ROCE_V2_UDP_DPORT);
	header.bth.pkey = cpu_to_be16(0xffff);
	header.bth.destination_qpn = cpu_to_be32(7);
	header.bth.psn = cpu_to_be32(9);
	header.deth.qkey = cpu_to_be32(0x11111111);
	header.deth.source_qpn = cpu_to_be32(8);
	header.immediate_data = cpu_to_be32(0xdeadbeef);
	assert_int_equal(ib_ud_header_pack(&header, buf), sizeof(roce_wire));
	assert_memory_equal(buf, roce_wire, sizeof(roce_wire));
}

/* ib_ud_ip4_csum(): the header of a CNP that a ConnectX-4 sent */

static void ib_ud_ip4_csum__of_a_captured_header(void **state)
{
	struct ib_ud_header header;

	(void)state;
	memset(&header, 0, sizeof(header));
	header.ip4.ver = 4;
	header.ip4.hdr_len = 5;
	header.ip4.tos = 0xc2;
	header.ip4.tot_len = cpu_to_be16(0x003c);
	header.ip4.id = cpu_to_be16(0x718c);
	header.ip4.frag_off = cpu_to_be16(0x4000);
	header.ip4.ttl = 0x40;
	header.ip4.protocol = 17;
	header.ip4.saddr = cpu_to_be32(0x0a001101);
	header.ip4.daddr = cpu_to_be32(0x0a001201);
	header.ip4.check = cpu_to_be16(0xffff); /* does not count */
	assert_int_equal(be16_to_cpu((__force __be16)ib_ud_ip4_csum(&header)), 0x9161);
}

/* ib_ud_header_unpack() */

static void ib_ud_header_unpack__is_the_inverse(void **state)
{
	struct ib_ud_header header;
	u8 buf[68], again[68] = {0};

	(void)state;
	memcpy(buf, mad_wire, sizeof(buf));
	assert_int_equal(ib_ud_header_unpack(buf, &header), 0);
	assert_int_equal(header.lrh_present, 1);
	assert_int_equal(header.grh_present, 1);
	assert_int_equal(header.immediate_present, 0);
	assert_int_equal(header.lrh.virtual_lane, 1);
	assert_int_equal(header.bth.psn, cpu_to_be32(0x123456));
	assert_int_equal(header.deth.source_qpn, cpu_to_be32(3));
	assert_int_equal(ib_ud_header_pack(&header, again), 68);
	assert_memory_equal(again, mad_wire, sizeof(mad_wire));
}

static void ib_ud_header_unpack__local_with_immediate(void **state)
{
	struct ib_ud_header in, out;
	u8 buf[64] = {0};

	(void)state;
	assert_int_equal(ib_ud_header_init(16, 1, 0, 0, 0, 0, 0, 1, &in), 0);
	in.immediate_data = cpu_to_be32(0x01020304);
	in.deth.qkey = cpu_to_be32(0x55);
	assert_int_equal(ib_ud_header_pack(&in, buf), 32);
	assert_int_equal(ib_ud_header_unpack(buf, &out), 0);
	assert_int_equal(out.grh_present, 0);
	assert_int_equal(out.immediate_present, 1);
	assert_int_equal(out.immediate_data, cpu_to_be32(0x01020304));
	assert_int_equal(out.deth.qkey, cpu_to_be32(0x55));
}

static void ib_ud_header_unpack__refused(void **state)
{
	static const struct {
		size_t at;
		u8 value;
		const char *cause;
	} bad[] = {
		{0, 0x11, "UD_LINK_VERSION"},
		{1, 0x20, "UD_LNH"},
		{1, 0x21, "UD_LNH"},
		{8, 0x43, "UD_GRH"},
		{14, 17, "UD_GRH"},
		{48, 0x04, "UD_OPCODE"},
		{49, 0xc1, "UD_TRANSPORT_VERSION"},
	};
	struct ib_ud_header header;
	u8 buf[72];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(buf, mad_wire, sizeof(mad_wire));
		buf[bad[i].at] = bad[i].value;
		assert_int_equal(ib_ud_header_unpack(buf, &header), -EINVAL);
		assert_string_equal(base_cause_name(base_cause_last()->id), bad[i].cause);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_ud_header_init__infiniband_lengths),
	cmocka_unit_test(ib_ud_header_init__roce_lengths),
	cmocka_unit_test(ib_ud_header_init__refused),
	cmocka_unit_test(ib_ud_header_pack__infiniband),
	cmocka_unit_test(ib_ud_header_pack__roce_v2_over_ipv4_in_a_vlan),
	cmocka_unit_test(ib_ud_ip4_csum__of_a_captured_header),
	cmocka_unit_test(ib_ud_header_unpack__is_the_inverse),
	cmocka_unit_test(ib_ud_header_unpack__local_with_immediate),
	cmocka_unit_test(ib_ud_header_unpack__refused),
};

int main(void)
{
	return verbena_test_main(tests);
}
