/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the core remembers of each port: P_Key table, LMC, state, subnet prefix (here) and GIDs
 * (cache_gid.c). Filled at registration, refreshed before an event about it is handed out.
 */
#include <rdma/ib_cache.h>

#include <linux/slab.h>
#include <string.h>

#include "base/cause.h"
#include "core/cache_priv.h"
#include "core/device_priv.h"

#define PKEY_MEMBER 0x8000u
#define PKEY_BITS 0x7fffu

struct ib_pkey_cache {
	int count;
	u16 pkeys[];
};

/* Filling */

static int read_pkeys(struct ib_device *device, u32 port, int count, struct ib_pkey_cache **out)
{
	struct ib_pkey_cache *cache;
	int ret;

	if (!device->ops.query_pkey)
		count = 0;
	cache = kzalloc(sizeof(*cache) + (size_t)count * sizeof(cache->pkeys[0]), GFP_KERNEL);
	if (!cache)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*cache));
	cache->count = count;
	for (int i = 0; i < count; i++) {
		ret = device->ops.query_pkey(device, port, (u16)i, &cache->pkeys[i]);
		if (ret) {
			kfree(cache);
			return ret;
		}
	}
	*out = cache;
	return 0;
}

static void report_gid(struct ib_device *device, u32 port, void (*changed)(struct ib_event *event))
{
	struct ib_event event = {
		.device = device,
		.element.port_num = port,
		.event = IB_EVENT_GID_CHANGE,
	};

	if (changed)
		changed(&event);
}

static int read_gids(struct ib_device *device, u32 port, void (*changed)(struct ib_event *event))
{
	struct ib_port_data *data = &device->port_data[port];
	union ib_gid gid;
	bool other;
	int ret;

	if (!device->ops.query_gid || rdma_protocol_roce(device, port))
		return 0;
	for (int i = 0; i < data->immutable.gid_tbl_len; i++) {
		ret = device->ops.query_gid(device, port, i, &gid);
		if (!ret)
			ret = core_gid_table_set(data->cache.gid, i, &gid, &other);
		if (ret)
			return ret;
		if (other)
			report_gid(device, port, changed);
	}
	return 0;
}

/* A provider that does not name the prefix shows it in its first GID. */
static u64 prefix_of(struct ib_device *device, u32 port, const struct ib_port_attr *attr)
{
	union ib_gid gid;

	if (attr->subnet_prefix)
		return attr->subnet_prefix;
	if (rdma_query_gid(device, port, 0, &gid))
		return 0;
	return be64_to_cpu(gid.global.subnet_prefix);
}

int core_cache_update(struct ib_device *device, u32 port, void (*changed)(struct ib_event *event))
{
	struct ib_port_attr attr = {0};
	struct ib_pkey_cache *pkeys = NULL, *old;
	struct ib_port_cache *cache;
	u64 prefix;
	int ret = core_port_check(device, port);

	if (ret || !device->res->cache_ready)
		return ret;
	cache = &device->port_data[port].cache;
	if (device->ops.query_port)
		ret = device->ops.query_port(device, port, &attr);
	if (!ret)
		ret = read_pkeys(device, port, attr.pkey_tbl_len, &pkeys);
	if (ret)
		return ret;
	ret = read_gids(device, port, changed);
	if (ret) {
		kfree(pkeys);
		return ret;
	}
	prefix = prefix_of(device, port, &attr);

	write_lock_irq(&device->cache_lock);
	old = cache->pkey;
	cache->pkey = pkeys;
	cache->lmc = attr.lmc;
	cache->port_state = attr.state;
	cache->subnet_prefix = prefix;
	write_unlock_irq(&device->cache_lock);
	kfree(old);
	return 0;
}

int ib_cache_setup_one(struct ib_device *device)
{
	struct ib_port_data *data;
	u32 port;
	int ret;

	rdma_for_each_port(device, port) {
		data = &device->port_data[port];
		data->cache.gid = core_gid_table_new(device, port, data->immutable.gid_tbl_len);
		if (!data->cache.gid)
			return base_refuse(-ENOMEM, NO_MEMORY,
					   (uint64_t)data->immutable.gid_tbl_len);
	}
	device->res->cache_ready = true;
	rdma_for_each_port(device, port) {
		ret = core_cache_update(device, port, NULL);
		if (ret)
			return ret;
	}
	return 0;
}

/* References that somebody still has keep their entries, which no look-up finds any more. */
void ib_cache_cleanup_one(struct ib_device *device)
{
	u32 port;

	device->res->cache_ready = false;
	rdma_for_each_port(device, port)
		core_gid_table_clear(device->port_data[port].cache.gid);
}

void ib_cache_release_one(struct ib_device *device)
{
	struct ib_port_cache *cache;
	u32 port;

	device->res->cache_ready = false;
	rdma_for_each_port(device, port) {
		cache = &device->port_data[port].cache;
		core_gid_table_free(cache->gid);
		kfree(cache->pkey);
		memset(cache, 0, sizeof(*cache));
	}
}

/* Asking. After its removal a device has the P_Keys and the state that it had last. */

u64 core_cached_subnet_prefix(struct ib_device *device, u32 port_num)
{
	u64 prefix;

	read_lock_irq(&device->cache_lock);
	prefix = device->port_data[port_num].cache.subnet_prefix;
	read_unlock_irq(&device->cache_lock);
	return prefix;
}

int ib_get_cached_pkey(struct ib_device *device_handle, u32 port_num, int index, u16 *pkey)
{
	const struct ib_pkey_cache *cache;
	int ret = core_port_check(device_handle, port_num), count;

	if (ret)
		return ret;
	read_lock_irq(&device_handle->cache_lock);
	cache = device_handle->port_data[port_num].cache.pkey;
	count = cache ? cache->count : 0;
	if (index < 0 || index >= count)
		ret = -EINVAL;
	else
		*pkey = cache->pkeys[index];
	read_unlock_irq(&device_handle->cache_lock);
	return ret ? base_refuse(ret, PKEY_INDEX, (uint64_t)index, port_num, (uint64_t)count) : 0;
}

/* The first index of a full member, else the last of a limited one; -1 if there is neither. */
static int find_pkey(const struct ib_pkey_cache *cache, u16 pkey)
{
	int limited = -1;

	for (int i = 0; cache && i < cache->count; i++) {
		if ((cache->pkeys[i] & PKEY_BITS) != (pkey & PKEY_BITS))
			continue;
		if (cache->pkeys[i] & PKEY_MEMBER)
			return i;
		limited = i;
	}
	return limited;
}

static int find_exact_pkey(const struct ib_pkey_cache *cache, u16 pkey)
{
	for (int i = 0; cache && i < cache->count; i++)
		if (cache->pkeys[i] == pkey)
			return i;
	return -1;
}

static int find_cached(struct ib_device *device, u32 port_num, u16 pkey, u16 *index,
		       int (*find)(const struct ib_pkey_cache *cache, u16 pkey))
{
	int ret = core_port_check(device, port_num), found;

	if (ret)
		return ret;
	read_lock_irq(&device->cache_lock);
	found = find(device->port_data[port_num].cache.pkey, pkey);
	read_unlock_irq(&device->cache_lock);
	if (found < 0)
		return base_refuse(-ENOENT, PKEY_NOT_FOUND, pkey, port_num);
	*index = (u16)found;
	return 0;
}

int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	return find_cached(device, port_num, pkey, index, find_pkey);
}

int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	return find_cached(device, port_num, pkey, index, find_exact_pkey);
}

int ib_get_cached_lmc(struct ib_device *device, u32 port_num, u8 *lmc)
{
	const int ret = core_port_check(device, port_num);

	if (ret)
		return ret;
	read_lock_irq(&device->cache_lock);
	*lmc = device->port_data[port_num].cache.lmc;
	read_unlock_irq(&device->cache_lock);
	return 0;
}

int ib_get_cached_port_state(struct ib_device *device, u32 port_num,
			     enum ib_port_state *port_active)
{
	const int ret = core_port_check(device, port_num);

	if (ret)
		return ret;
	read_lock_irq(&device->cache_lock);
	*port_active = device->port_data[port_num].cache.port_state;
	read_unlock_irq(&device->cache_lock);
	return 0;
}
