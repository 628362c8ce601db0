/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Addresses of peers: address handles and the attributes they are made from. */
#ifndef VERBENA_RDMA_IB_VERBS_AH_H
#define VERBENA_RDMA_IB_VERBS_AH_H

#include <string.h>
#include <rdma/ib_verbs_port.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ib_ah *rdma_create_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr, u32 flags);

struct ib_ah *rdma_create_user_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr,
				  struct ib_udata *udata);

int rdma_modify_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);

int rdma_query_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);

int rdma_destroy_ah_user(struct ib_ah *ah, u32 flags, struct ib_udata *udata);

static inline void rdma_destroy_ah(struct ib_ah *ah, u32 flags)
{
	const int ret = rdma_destroy_ah_user(ah, flags, NULL);

	(void)WARN_ONCE(ret, "a kernel user's address handle was not destroyed");
}

int ib_init_ah_attr_from_wc(struct ib_device *device, u32 port_num, const struct ib_wc *wc,
			    const struct ib_grh *grh, struct rdma_ah_attr *ah_attr);

struct ib_ah *ib_create_ah_from_wc(struct ib_pd *pd, const struct ib_wc *wc,
				   const struct ib_grh *grh, u32 port_num);

int ib_get_gids_from_rdma_hdr(const union rdma_network_hdr *hdr, enum rdma_network_type net_type,
			      union ib_gid *sgid, union ib_gid *dgid);

int ib_get_rdma_header_version(const union rdma_network_hdr *hdr);

void rdma_copy_ah_attr(struct rdma_ah_attr *dest, const struct rdma_ah_attr *src);

void rdma_replace_ah_attr(struct rdma_ah_attr *old, const struct rdma_ah_attr *replacement);

void rdma_move_ah_attr(struct rdma_ah_attr *dest, struct rdma_ah_attr *src);

void rdma_destroy_ah_attr(struct rdma_ah_attr *ah_attr);

void rdma_move_grh_sgid_attr(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
			     u8 hop_limit, u8 traffic_class, const struct ib_gid_attr *sgid_attr);

static inline enum rdma_ah_attr_type rdma_ah_find_type(struct ib_device *dev, u32 port_num)
{
	if (rdma_protocol_roce(dev, port_num))
		return RDMA_AH_ATTR_TYPE_ROCE;
	if (!rdma_protocol_ib(dev, port_num))
		return RDMA_AH_ATTR_TYPE_UNDEFINED;
	return rdma_cap_opa_ah(dev, port_num) ? RDMA_AH_ATTR_TYPE_OPA : RDMA_AH_ATTR_TYPE_IB;
}

static inline u8 *rdma_ah_retrieve_dmac(struct rdma_ah_attr *attr)
{
	return attr->type == RDMA_AH_ATTR_TYPE_ROCE ? attr->roce.dmac : NULL;
}

static inline void rdma_ah_set_dlid(struct rdma_ah_attr *attr, u32 dlid)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		attr->ib.dlid = (u16)dlid;
	else if (attr->type == RDMA_AH_ATTR_TYPE_OPA)
		attr->opa.dlid = dlid;
}

static inline u32 rdma_ah_get_dlid(const struct rdma_ah_attr *attr)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		return attr->ib.dlid;
	return attr->type == RDMA_AH_ATTR_TYPE_OPA ? attr->opa.dlid : 0;
}

static inline void rdma_ah_set_sl(struct rdma_ah_attr *attr, u8 sl)
{
	attr->sl = sl;
}

static inline u8 rdma_ah_get_sl(const struct rdma_ah_attr *attr)
{
	return attr->sl;
}

static inline void rdma_ah_set_path_bits(struct rdma_ah_attr *attr, u8 src_path_bits)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		attr->ib.src_path_bits = src_path_bits;
	else if (attr->type == RDMA_AH_ATTR_TYPE_OPA)
		attr->opa.src_path_bits = src_path_bits;
}

static inline u8 rdma_ah_get_path_bits(const struct rdma_ah_attr *attr)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_IB)
		return attr->ib.src_path_bits;
	return attr->type == RDMA_AH_ATTR_TYPE_OPA ? attr->opa.src_path_bits : 0;
}

static inline void rdma_ah_set_make_grd(struct rdma_ah_attr *attr, bool make_grd)
{
	if (attr->type == RDMA_AH_ATTR_TYPE_OPA)
		attr->opa.make_grd = make_grd;
}

static inline bool rdma_ah_get_make_grd(const struct rdma_ah_attr *attr)
{
	return attr->type == RDMA_AH_ATTR_TYPE_OPA && attr->opa.make_grd;
}

static inline void rdma_ah_set_port_num(struct rdma_ah_attr *attr, u32 port_num)
{
	attr->port_num = port_num;
}

static inline u32 rdma_ah_get_port_num(const struct rdma_ah_attr *attr)
{
	return attr->port_num;
}

static inline void rdma_ah_set_static_rate(struct rdma_ah_attr *attr, u8 static_rate)
{
	attr->static_rate = static_rate;
}

static inline u8 rdma_ah_get_static_rate(const struct rdma_ah_attr *attr)
{
	return attr->static_rate;
}

static inline void rdma_ah_set_ah_flags(struct rdma_ah_attr *attr, enum ib_ah_flags flag)
{
	attr->ah_flags = (u8)flag;
}

static inline enum ib_ah_flags rdma_ah_get_ah_flags(const struct rdma_ah_attr *attr)
{
	return (enum ib_ah_flags)attr->ah_flags;
}

static inline const struct ib_global_route *rdma_ah_read_grh(const struct rdma_ah_attr *attr)
{
	return &attr->grh;
}

static inline struct ib_global_route *rdma_ah_retrieve_grh(struct rdma_ah_attr *attr)
{
	return &attr->grh;
}

static inline void rdma_ah_set_dgid_raw(struct rdma_ah_attr *attr, void *dgid)
{
	memcpy(attr->grh.dgid.raw, dgid, sizeof(attr->grh.dgid));
}

static inline void rdma_ah_set_subnet_prefix(struct rdma_ah_attr *attr, __be64 prefix)
{
	attr->grh.dgid.global.subnet_prefix = prefix;
}

static inline void rdma_ah_set_interface_id(struct rdma_ah_attr *attr, __be64 if_id)
{
	attr->grh.dgid.global.interface_id = if_id;
}

static inline void rdma_ah_set_grh(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
				   u8 sgid_index, u8 hop_limit, u8 traffic_class)
{
	struct ib_global_route *grh = &attr->grh;

	attr->ah_flags = IB_AH_GRH;
	if (dgid)
		grh->dgid = *dgid;
	grh->flow_label = flow_label;
	grh->sgid_index = sgid_index;
	grh->hop_limit = hop_limit;
	grh->traffic_class = traffic_class;
	grh->sgid_attr = NULL;
}

static inline u16 ib_lid_cpu16(u32 lid)
{
	(void)WARN_ON_ONCE(lid & 0xffff0000);
	return (u16)lid;
}

static inline __be16 ib_lid_be16(u32 lid)
{
	return cpu_to_be16(ib_lid_cpu16(lid));
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_AH_H */
