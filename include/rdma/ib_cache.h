/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the core keeps of each port: GIDs, P_Keys, LMC, state. */
#ifndef VERBENA_RDMA_IB_CACHE_H
#define VERBENA_RDMA_IB_CACHE_H

#include <rdma/ib_verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * rdma_query_gid() - Read a port's GID from the cache.
 * @device: Which device.
 * @port_num: Which port.
 * @index: Which entry.
 * @gid: Out.
 *
 * Context: Any, does not sleep.
 * Return: 0; -EINVAL if there is no such port or index; -ENOENT if the entry is empty.
 */
int rdma_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid);

/**
 * rdma_get_gid_attr() - Take a reference to an entry of a port's GID table.
 * @device: Which device.
 * @port_num: Which port.
 * @index: Which entry.
 *
 * Context: Any, does not sleep.
 * Return: The entry, which does not change, for rdma_put_gid_attr(); ERR_PTR(-EINVAL) if there is
 *	no such port or index; ERR_PTR(-ENODATA) if it is empty.
 */
const struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *device, u32 port_num, int index);

/**
 * rdma_put_gid_attr() - Give back a reference to a GID entry.
 * @attr: The entry; one that was deleted meanwhile vanishes with the last reference.
 *
 * Context: Any, does not sleep.
 */
void rdma_put_gid_attr(const struct ib_gid_attr *attr);

/**
 * rdma_hold_gid_attr() - Take one more reference to a GID entry.
 * @attr: To which the caller has a reference.
 *
 * Context: Any, does not sleep.
 */
void rdma_hold_gid_attr(const struct ib_gid_attr *attr);

/**
 * rdma_find_gid() - Find a GID on any port.
 * @device: Which device.
 * @gid: GID.
 * @gid_type: Its kind.
 * @ndev: Its network interface, or NULL for any.
 *
 * Context: Any, does not sleep.
 * Return: The entry, for rdma_put_gid_attr(); ERR_PTR(-ENOENT) if there is none.
 */
const struct ib_gid_attr *rdma_find_gid(struct ib_device *device, const union ib_gid *gid,
					enum ib_gid_type gid_type, struct net_device *ndev);

/**
 * rdma_find_gid_by_port() - Find a GID on a port.
 * @ib_dev: Which device.
 * @gid: GID.
 * @gid_type: Its kind.
 * @port: Which port.
 * @ndev: Its network interface, or NULL for any.
 *
 * Context: Any, does not sleep.
 * Return: The entry, for rdma_put_gid_attr(); ERR_PTR(-ENOENT) if there is none, or no such port.
 */
const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *ib_dev, const union ib_gid *gid,
						enum ib_gid_type gid_type, u32 port,
						struct net_device *ndev);

/**
 * rdma_find_gid_by_filter() - Find the entry with a GID that a function accepts.
 * @device: Which device.
 * @gid: GID.
 * @port_num: Which port.
 * @filter: Called with a lock held for each entry with that GID, until it returns true.
 * @context: Handed to @filter.
 *
 * Context: Any, does not sleep.
 * Return: The entry, for rdma_put_gid_attr(); ERR_PTR(-EINVAL) if there is no such port;
 *	ERR_PTR(-ENOENT) if none was accepted.
 */
const struct ib_gid_attr *rdma_find_gid_by_filter(
	struct ib_device *device, const union ib_gid *gid, u32 port_num,
	bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *, void *), void *context);

/**
 * rdma_is_zero_gid() - Whether a GID is all zero.
 * @gid: GID.
 *
 * Return: true if it is.
 */
bool rdma_is_zero_gid(const union ib_gid *gid);

/**
 * rdma_read_gid_l2_fields() - VLAN and MAC address of a RoCE GID.
 * @attr: Entry, to which the caller has a reference.
 * @vlan_id: Out, may be NULL: VLAN, 0xffff for none.
 * @smac: Out, may be NULL: 6 bytes.
 *
 * Return: 0; -ENODEV if it has no network interface.
 */
int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr, u16 *vlan_id, u8 *smac);

/**
 * ib_get_cached_pkey() - Read an entry of a port's P_Key table from the cache.
 * @device_handle: Which device.
 * @port_num: Which port.
 * @index: Which entry.
 * @pkey: Out, host order.
 *
 * Context: Any, does not sleep.
 * Return: 0; -EINVAL if there is no such port or entry.
 */
int ib_get_cached_pkey(struct ib_device *device_handle, u32 port_num, int index, u16 *pkey);

/**
 * ib_find_cached_pkey() - Find a P_Key in the cache.
 * @device: Which device.
 * @port_num: Which port.
 * @pkey: The low 15 bits must match; a full member's entry is preferred to a limited one's.
 * @index: Out, on success.
 *
 * Context: Any, does not sleep.
 * Return: 0; -ENOENT if it is not there; -EINVAL if there is no such port.
 */
int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

/**
 * ib_find_exact_cached_pkey() - Find a P_Key in the cache, membership bit included.
 * @device: Which device.
 * @port_num: Which port.
 * @pkey: All 16 bits must match.
 * @index: Out, on success.
 *
 * Context: Any, does not sleep.
 * Return: 0; -ENOENT if it is not there; -EINVAL if there is no such port.
 */
int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

/**
 * ib_get_cached_lmc() - LMC of a port, from the cache.
 * @device: Which device.
 * @port_num: Which port.
 * @lmc: Out.
 *
 * Context: Any, does not sleep.
 * Return: 0; -EINVAL if there is no such port.
 */
int ib_get_cached_lmc(struct ib_device *device, u32 port_num, u8 *lmc);

/**
 * ib_get_cached_port_state() - State of a port, from the cache.
 * @device: Which device.
 * @port_num: Which port.
 * @port_active: Out.
 *
 * Context: Any, does not sleep.
 * Return: 0; -EINVAL if there is no such port.
 */
int ib_get_cached_port_state(struct ib_device *device, u32 port_num,
			     enum ib_port_state *port_active);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_CACHE_H */
