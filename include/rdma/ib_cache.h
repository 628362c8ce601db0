/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the core keeps of each port: GIDs, P_Keys, LMC, state. */
#ifndef VERBENA_RDMA_IB_CACHE_H
#define VERBENA_RDMA_IB_CACHE_H

#include <rdma/ib_verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

int rdma_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid);

const struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *device, u32 port_num, int index);

void rdma_put_gid_attr(const struct ib_gid_attr *attr);

void rdma_hold_gid_attr(const struct ib_gid_attr *attr);

const struct ib_gid_attr *rdma_find_gid(struct ib_device *device, const union ib_gid *gid,
					enum ib_gid_type gid_type, struct net_device *ndev);

const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *ib_dev, const union ib_gid *gid,
						enum ib_gid_type gid_type, u32 port,
						struct net_device *ndev);

const struct ib_gid_attr *rdma_find_gid_by_filter(
	struct ib_device *device, const union ib_gid *gid, u32 port_num,
	bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *, void *), void *context);

bool rdma_is_zero_gid(const union ib_gid *gid);

int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr, u16 *vlan_id, u8 *smac);

int ib_get_cached_pkey(struct ib_device *device_handle, u32 port_num, int index, u16 *pkey);

int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

int ib_get_cached_lmc(struct ib_device *device, u32 port_num, u8 *lmc);

int ib_get_cached_port_state(struct ib_device *device, u32 port_num,
			     enum ib_port_state *port_active);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_CACHE_H */
