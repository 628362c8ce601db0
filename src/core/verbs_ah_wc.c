/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The way back: an address for the sender of a datagram, from its completion and its header. */
#include <rdma/ib_verbs.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

#define IPV4_OFFSET 20 /* an IPv4 header lies at the end of the 40 bytes */
#define IPV4_BYTES 20
#define IPV4_SOURCE 12 /* offsets in it */
#define IPV4_DESTINATION 16
#define REPLY_HOP_LIMIT 255
#define NO_VLAN 0xffff
#define NEXT_HEADER_UDP 17

static const u8 *ipv4_header(const union rdma_network_hdr *hdr)
{
	return (const u8 *)hdr + IPV4_OFFSET;
}

/* RFC 1071: the ones' complement sum of an intact header, its checksum included, is 0xffff. */
static bool ipv4_checksum_ok(const u8 *ip)
{
	u32 sum = 0;

	for (unsigned int i = 0; i < IPV4_BYTES; i += 2)
		sum += (u32)ip[i] << 8 | ip[i + 1];
	return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

int ib_get_rdma_header_version(const union rdma_network_hdr *hdr)
{
	const u8 *ip = ipv4_header(hdr);
	const bool looks_like_6 = *(const u8 *)hdr >> 4 == 6;

	if (!looks_like_6)
		return ip[0] >> 4 == 4 ? 4 : 0;
	/* What precedes an IPv4 header is anything, a 6 included: the checksum decides. */
	return ip[0] == 0x45 && ipv4_checksum_ok(ip) ? 4 : 6;
}

static void gid_from_ipv4(union ib_gid *gid, const u8 *address)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw[10] = 0xff;
	gid->raw[11] = 0xff;
	memcpy(gid->raw + 12, address, 4);
}

int ib_get_gids_from_rdma_hdr(const union rdma_network_hdr *hdr, enum rdma_network_type net_type,
			      union ib_gid *sgid, union ib_gid *dgid)
{
	if (!sgid || !dgid)
		return base_refuse(-EINVAL, WC_NO_GID_ROOM);
	switch (net_type) {
	case RDMA_NETWORK_IPV4:
		gid_from_ipv4(sgid, ipv4_header(hdr) + IPV4_SOURCE);
		gid_from_ipv4(dgid, ipv4_header(hdr) + IPV4_DESTINATION);
		return 0;
	case RDMA_NETWORK_IB:
	case RDMA_NETWORK_ROCE_V1:
	case RDMA_NETWORK_IPV6:
		*sgid = hdr->ibgrh.sgid;
		*dgid = hdr->ibgrh.dgid;
		return 0;
	}
	return base_refuse(-EINVAL, WC_NETWORK_TYPE, net_type);
}

static enum rdma_network_type network_type_of(const struct ib_wc *wc, const struct ib_grh *grh)
{
	if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
		return wc->network_hdr_type;
	if (ib_get_rdma_header_version((const union rdma_network_hdr *)grh) == 4)
		return RDMA_NETWORK_IPV4;
	return grh->next_hdr == NEXT_HEADER_UDP ? RDMA_NETWORK_IPV6 : RDMA_NETWORK_ROCE_V1;
}

/* The GID that was written to, as the source of the answer. Takes over @sgid_attr's reference. */
static void set_grh(struct rdma_ah_attr *ah_attr, const struct ib_grh *grh, union ib_gid *dgid,
		    const struct ib_gid_attr *sgid_attr)
{
	const u32 word = be32_to_cpu(grh->version_tclass_flow);

	rdma_move_grh_sgid_attr(ah_attr, dgid, word & 0xfffff, REPLY_HOP_LIMIT,
				(u8)(word >> 20 & 0xff), sgid_attr);
}

struct roce_wish {
	enum ib_gid_type gid_type;
	u16 vlan_id;
};

static bool is_wished(const union ib_gid *gid, const struct ib_gid_attr *attr, void *context)
{
	const struct roce_wish *wish = context;
	u16 vlan_id = NO_VLAN;

	(void)gid;
	if (attr->gid_type != wish->gid_type)
		return false;
	/* Without a network interface there are no VLANs either. */
	(void)rdma_read_gid_l2_fields(attr, &vlan_id, NULL);
	return vlan_id == wish->vlan_id;
}

static int init_roce(struct ib_device *device, u32 port_num, const struct ib_wc *wc,
		     const struct ib_grh *grh, struct rdma_ah_attr *ah_attr)
{
	struct roce_wish wish = {.vlan_id = NO_VLAN};
	const struct ib_gid_attr *sgid_attr;
	enum rdma_network_type type;
	union ib_gid sgid, dgid;
	int ret;

	if (!(wc->wc_flags & IB_WC_GRH))
		return base_refuse(-EPROTOTYPE, WC_NO_GRH, port_num);
	type = network_type_of(wc, grh);
	ret = ib_get_gids_from_rdma_hdr((const union rdma_network_hdr *)grh, type, &sgid, &dgid);
	if (ret)
		return ret;
	if (wc->wc_flags & IB_WC_WITH_VLAN)
		wish.vlan_id = wc->vlan_id;
	wish.gid_type = ib_network_to_gid_type(type);
	sgid_attr = rdma_find_gid_by_filter(device, &dgid, port_num, is_wished, &wish);
	if (IS_ERR(sgid_attr))
		return (int)PTR_ERR(sgid_attr);
	set_grh(ah_attr, grh, &sgid, sgid_attr);
	ret = core_ah_attr_resolve_dmac(device, ah_attr);
	if (ret)
		rdma_destroy_ah_attr(ah_attr);
	return ret;
}

static int init_ib(struct ib_device *device, u32 port_num, const struct ib_wc *wc,
		   const struct ib_grh *grh, struct rdma_ah_attr *ah_attr)
{
	const struct ib_gid_attr *sgid_attr;
	union ib_gid sgid, dgid;

	rdma_ah_set_dlid(ah_attr, wc->slid);
	rdma_ah_set_path_bits(ah_attr, wc->dlid_path_bits);
	if (!(wc->wc_flags & IB_WC_GRH))
		return 0;
	sgid = grh->sgid;
	dgid = grh->dgid;
	if (dgid.global.interface_id == cpu_to_be64(IB_SA_WELL_KNOWN_GUID))
		sgid_attr = rdma_get_gid_attr(device, port_num, 0);
	else
		sgid_attr = rdma_find_gid_by_port(device, &dgid, IB_GID_TYPE_IB, port_num, NULL);
	if (IS_ERR(sgid_attr))
		return (int)PTR_ERR(sgid_attr);
	set_grh(ah_attr, grh, &sgid, sgid_attr);
	return 0;
}

int ib_init_ah_attr_from_wc(struct ib_device *device, u32 port_num, const struct ib_wc *wc,
			    const struct ib_grh *grh, struct rdma_ah_attr *ah_attr)
{
	memset(ah_attr, 0, sizeof(*ah_attr));
	if (!rdma_is_port_valid(device, port_num))
		return base_refuse(-EINVAL, AH_PORT, port_num, rdma_start_port(device),
				   rdma_end_port(device));
	ah_attr->type = rdma_ah_find_type(device, port_num);
	rdma_ah_set_sl(ah_attr, wc->sl);
	rdma_ah_set_port_num(ah_attr, port_num);
	if (rdma_protocol_roce(device, port_num))
		return init_roce(device, port_num, wc, grh, ah_attr);
	return init_ib(device, port_num, wc, grh, ah_attr);
}

struct ib_ah *ib_create_ah_from_wc(struct ib_pd *pd, const struct ib_wc *wc,
				   const struct ib_grh *grh, u32 port_num)
{
	struct rdma_ah_attr ah_attr;
	struct ib_ah *ah;
	int ret = ib_init_ah_attr_from_wc(pd->device, port_num, wc, grh, &ah_attr);

	if (ret)
		return ERR_PTR(ret);
	ah = rdma_create_ah(pd, &ah_attr, RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&ah_attr);
	return ah;
}
