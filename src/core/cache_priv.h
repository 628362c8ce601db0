/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files cache*.c, device*.c and roce_gid_mgmt.c share. */
#ifndef CORE_CACHE_PRIV_H
#define CORE_CACHE_PRIV_H

#include <rdma/ib_verbs.h>

/** core_port_check() - 0 if the device has this port; else -EINVAL, with a cause. */
int core_port_check(const struct ib_device *device, u32 port_num);

/** core_cached_subnet_prefix() - Of a valid port; 0 while there is no cache. */
u64 core_cached_subnet_prefix(struct ib_device *device, u32 port_num);

/** core_gid_table_new() - An empty table of @size GIDs for a port; NULL if there is no memory. */
struct ib_gid_table *core_gid_table_new(struct ib_device *device, u32 port, int size);

/** core_gid_table_clear() - Take out all entries; those that are referenced live on by themselves. */
void core_gid_table_clear(struct ib_gid_table *table);

/** core_gid_table_free() - Clear it and let go of it. */
void core_gid_table_free(struct ib_gid_table *table);

/**
 * core_gid_table_set() - What the provider has at one index of an IB port's table.
 * @table: Of the port.
 * @index: Below the table's size.
 * @gid: All zero: nothing.
 * @changed: Out, on success: the entry is another one than before.
 *
 * Return: 0 or -ENOMEM, and the index is empty then.
 */
int core_gid_table_set(struct ib_gid_table *table, int index, const union ib_gid *gid,
		       bool *changed);

/* RoCE: the core fills the table, from the addresses of network interfaces. */

/** roce_gid_type_mask_support() - BIT(enum ib_gid_type) for each type of GID that a port has. */
unsigned long roce_gid_type_mask_support(struct ib_device *ib_dev, u32 port);

/**
 * ib_cache_gid_add() - Enter a GID at the lowest free index, unless it is there.
 * @ib_dev: The device.
 * @port: A RoCE port.
 * @gid: The value.
 * @attr: Type and interface.
 *
 * The key is GID, type and interface. Handlers hear of it by IB_EVENT_GID_CHANGE.
 *
 * Context: May sleep (ops.add_gid).
 * Return: 0; -EINVAL for a zero GID; -ENOSPC if the table is full; -ENOMEM; what ops.add_gid()
 *	returned.
 */
int ib_cache_gid_add(struct ib_device *ib_dev, u32 port, union ib_gid *gid,
		     struct ib_gid_attr *attr);

/** ib_cache_gid_del() - Take a GID out: 0, or -EINVAL if it is not there. */
int ib_cache_gid_del(struct ib_device *ib_dev, u32 port, union ib_gid *gid,
		     struct ib_gid_attr *attr);

/** ib_cache_gid_del_all_netdev_gids() - Take out all GIDs of an interface. 0 or -EINVAL. */
int ib_cache_gid_del_all_netdev_gids(struct ib_device *ib_dev, u32 port, struct net_device *ndev);

enum ib_cache_gid_default_mode {
	IB_CACHE_GID_DEFAULT_MODE_SET,
	IB_CACHE_GID_DEFAULT_MODE_DELETE,
};

/**
 * ib_cache_gid_set_default_gid() - Enter or take out the GIDs that follow from an interface's MAC.
 * @ib_dev: The device.
 * @port: A RoCE port.
 * @ndev: Its interface.
 * @gid_type_mask: BIT(enum ib_gid_type); each type has an index of its own, from 0 on.
 * @mode: Which of the two.
 */
void ib_cache_gid_set_default_gid(struct ib_device *ib_dev, u32 port, struct net_device *ndev,
				  unsigned long gid_type_mask, enum ib_cache_gid_default_mode mode);

#endif
