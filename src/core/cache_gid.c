/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The GID table of a port. An entry never changes: another GID at the same index is another entry,
 * and whoever holds a reference to the old one keeps it. On IB ports the entries follow the
 * provider's table; on RoCE ports the core makes them from the addresses of network interfaces
 * (roce_gid_mgmt.c), the first indices being reserved for the GIDs that follow from the MAC.
 *
 * A slot that is being filled or emptied by the provider's op is taken, but found by nobody; so
 * the op runs without the table's lock.
 */
#include <rdma/ib_cache.h>

#include <linux/bug.h>
#include <linux/slab.h>
#include <string.h>

#include "base/cause.h"
#include "base/check.h"
#include "core/cache_priv.h"
#include "core/device_priv.h"
#include <verbena/netdev.h>

enum gid_state { GID_COMING, GID_VALID, GID_GOING };

/* @refs: the table's own while the entry is not GOING, and those of users. */
struct gid_entry {
	struct ib_gid_attr attr;
	struct ib_gid_table *table;
	enum gid_state state;
	unsigned int refs;
	void *context;
};

/* @holders: the port, and each entry. @default_count: slots for GIDs that follow from the MAC. */
struct ib_gid_table {
	spinlock_t lock;
	struct ib_device *device;
	u32 port;
	unsigned int holders;
	int default_count;
	int size;
	struct gid_entry *slots[];
};

struct ib_gid_table *core_gid_table_new(struct ib_device *device, u32 port, int size)
{
	struct ib_gid_table *table =
		kzalloc(sizeof(*table) + (size_t)size * sizeof(struct gid_entry *), GFP_KERNEL);

	if (!table)
		return NULL;
	spin_lock_init(&table->lock);
	table->device = device;
	table->port = port;
	table->holders = 1;
	table->size = size;
	if (rdma_protocol_roce(device, port))
		table->default_count =
			__builtin_popcountl(roce_gid_type_mask_support(device, port));
	return table;
}

static void drop_table(struct ib_gid_table *table) RELEASE(table->lock)
{
	const bool last = --table->holders == 0;

	spin_unlock(&table->lock);
	if (last)
		kfree(table);
}

static struct gid_entry *new_entry(struct ib_gid_table *table, int index, const union ib_gid *gid,
				   enum ib_gid_type type, struct net_device *ndev)
{
	struct gid_entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return NULL;
	entry->attr.device = table->device;
	entry->attr.port_num = table->port;
	entry->attr.index = (u16)index;
	entry->attr.gid = *gid;
	entry->attr.gid_type = type;
	entry->attr.ndev = ndev;
	if (ndev)
		verbena_netdev_hold(ndev);
	entry->table = table;
	entry->refs = 1;
	return entry;
}

static void put_entry(struct ib_gid_table *table, struct gid_entry *entry) RELEASE(table->lock)
{
	struct net_device *ndev = entry->attr.ndev;

	if (--entry->refs) {
		spin_unlock(&table->lock);
		return;
	}
	if (entry->attr.index < table->size && table->slots[entry->attr.index] == entry)
		table->slots[entry->attr.index] = NULL;
	kfree(entry);
	drop_table(table);
	if (ndev)
		verbena_netdev_put(ndev);
}

static bool core_fills(const struct ib_gid_table *table)
{
	return rdma_cap_roce_gid_table(table->device, table->port);
}

/*
 * Take a valid entry out. A RoCE slot is free again with the last reference, since the provider
 * may still use the index; an IB slot at once, since the provider has said what is there now.
 */
static void remove_entry(struct ib_gid_table *table, struct gid_entry *entry)
{
	if (core_fills(table))
		(void)table->device->ops.del_gid(&entry->attr, &entry->context);
	spin_lock(&table->lock);
	if (!rdma_protocol_roce(table->device, table->port))
		table->slots[entry->attr.index] = NULL;
	put_entry(table, entry);
}

/* The valid entry of a slot, no longer to be found; NULL if there is none. */
static struct gid_entry *detach(struct ib_gid_table *table, int index)
{
	struct gid_entry *entry;

	spin_lock(&table->lock);
	entry = table->slots[index];
	if (entry && entry->state == GID_VALID)
		entry->state = GID_GOING;
	else
		entry = NULL;
	spin_unlock(&table->lock);
	return entry;
}

void core_gid_table_clear(struct ib_gid_table *table)
{
	struct gid_entry *entry;

	for (int i = 0; table && i < table->size; i++) {
		entry = detach(table, i);
		if (entry)
			remove_entry(table, entry);
	}
}

void core_gid_table_free(struct ib_gid_table *table)
{
	if (!table)
		return;
	core_gid_table_clear(table);
	spin_lock(&table->lock);
	drop_table(table);
}

int core_gid_table_set(struct ib_gid_table *table, int index, const union ib_gid *gid,
		       bool *changed)
{
	struct gid_entry *entry = NULL, *old;
	bool same;

	spin_lock(&table->lock);
	old = table->slots[index];
	same = old ? !memcmp(&old->attr.gid, gid, sizeof(*gid)) : rdma_is_zero_gid(gid);
	spin_unlock(&table->lock);
	*changed = !same;
	if (same)
		return 0;

	old = detach(table, index);
	if (old)
		remove_entry(table, old);
	if (rdma_is_zero_gid(gid))
		return 0;
	entry = new_entry(table, index, gid, IB_GID_TYPE_IB, NULL);
	if (!entry)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*entry));
	entry->state = GID_VALID;
	spin_lock(&table->lock);
	table->holders++;
	table->slots[index] = entry;
	spin_unlock(&table->lock);
	return 0;
}

/* RoCE */

static bool is_default(const struct ib_gid_table *table, int index)
{
	return index < table->default_count;
}

/* What entries have in common that are looked for; a NULL @gid or @ndev is any. */
struct gid_key {
	const union ib_gid *gid;
	const struct net_device *ndev;
	enum ib_gid_type type;
	bool any_type;
};

static bool matches(const struct gid_entry *entry, const struct gid_key *key)
{
	return (!key->gid || !memcmp(&entry->attr.gid, key->gid, sizeof(*key->gid))) &&
	       (!key->ndev || entry->attr.ndev == key->ndev) &&
	       (key->any_type || entry->attr.gid_type == key->type);
}

/* With the table's lock: the first match at @from or above, -1 if there is none. */
static int find_entry(const struct ib_gid_table *table, const struct gid_key *key, int from)
{
	for (int i = from; i < table->size; i++) {
		const struct gid_entry *entry = table->slots[i];

		if (entry && entry->state != GID_GOING && matches(entry, key))
			return i;
	}
	return -1;
}

static int find_free(const struct ib_gid_table *table, bool as_default)
{
	for (int i = 0; i < table->size; i++)
		if (!table->slots[i] && is_default(table, i) == as_default)
			return i;
	return -1;
}

static void dispatch_gid_change_event(struct ib_device *device, u32 port)
{
	const struct ib_event event = {
		.device = device,
		.element.port_num = port,
		.event = IB_EVENT_GID_CHANGE,
	};

	core_event_queue(&event);
}

static int check_table(struct ib_device *ib_dev, u32 port, struct ib_gid_table **table)
{
	const int ret = core_port_check(ib_dev, port);

	if (ret)
		return ret;
	*table = ib_dev->port_data[port].cache.gid;
	if (!*table || !ib_dev->res->cache_ready)
		return base_refuse(-EINVAL, GID_NO_TABLE, port);
	return 0;
}

/* The entry is in its slot; ask the provider to take it, too. */
static int offer_entry(struct ib_gid_table *table, struct gid_entry *entry)
{
	int ret = 0;

	if (core_fills(table))
		ret = table->device->ops.add_gid(&entry->attr, &entry->context);
	spin_lock(&table->lock);
	if (ret) {
		put_entry(table, entry);
		return ret;
	}
	entry->state = GID_VALID;
	spin_unlock(&table->lock);
	dispatch_gid_change_event(table->device, table->port);
	return 0;
}

static int add_gid(struct ib_device *ib_dev, u32 port, const union ib_gid *gid,
		   const struct ib_gid_attr *attr, bool as_default)
{
	const struct gid_key key = {
		.gid = as_default ? NULL : gid,
		.ndev = as_default ? NULL : attr->ndev,
		.type = attr->gid_type,
	};
	struct ib_gid_table *table;
	struct gid_entry *entry;
	int ret = check_table(ib_dev, port, &table), found, slot;

	if (ret)
		return ret;
	if (rdma_is_zero_gid(gid))
		return base_refuse(-EINVAL, GID_ZERO, port);
	entry = new_entry(table, 0, gid, attr->gid_type, attr->ndev);
	if (!entry)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*entry));
	spin_lock(&table->lock);
	table->holders++;
	found = find_entry(table, &key, 0);
	if (as_default && found >= table->default_count)
		found = -1;
	slot = find_free(table, as_default);
	if (found < 0 && slot >= 0) {
		entry->attr.index = (u16)slot;
		table->slots[slot] = entry;
		spin_unlock(&table->lock);
		return offer_entry(table, entry);
	}
	put_entry(table, entry);
	if (found >= 0)
		return 0;
	return base_refuse(-ENOSPC, GID_TABLE_FULL, port, (uint64_t)table->size);
}

int ib_cache_gid_add(struct ib_device *ib_dev, u32 port, union ib_gid *gid,
		     struct ib_gid_attr *attr)
{
	return add_gid(ib_dev, port, gid, attr, false);
}

/* Take out what matches from index @from on; returns the index, -1 if nothing did. */
static int del_next(struct ib_gid_table *table, const struct gid_key *key, int from)
{
	struct gid_entry *entry = NULL;
	int found;

	spin_lock(&table->lock);
	found = find_entry(table, key, from);
	if (found >= 0 && table->slots[found]->state == GID_VALID) {
		entry = table->slots[found];
		entry->state = GID_GOING;
	}
	spin_unlock(&table->lock);
	if (entry) {
		remove_entry(table, entry);
		dispatch_gid_change_event(table->device, table->port);
	}
	return found;
}

int ib_cache_gid_del(struct ib_device *ib_dev, u32 port, union ib_gid *gid,
		     struct ib_gid_attr *attr)
{
	const struct gid_key key = {.gid = gid, .ndev = attr->ndev, .type = attr->gid_type};
	struct ib_gid_table *table;
	const int ret = check_table(ib_dev, port, &table);

	if (ret)
		return ret;
	if (del_next(table, &key, table->default_count) < 0)
		return base_refuse(-EINVAL, GID_NOT_FOUND, be64_to_cpu(gid->global.subnet_prefix),
				   be64_to_cpu(gid->global.interface_id));
	return 0;
}

int ib_cache_gid_del_all_netdev_gids(struct ib_device *ib_dev, u32 port, struct net_device *ndev)
{
	const struct gid_key key = {.ndev = ndev, .any_type = true};
	struct ib_gid_table *table;
	const int ret = check_table(ib_dev, port, &table);

	if (ret)
		return ret;
	for (int i = 0; i >= 0 && i < table->size;)
		i = del_next(table, &key, i) < 0 ? table->size : i + 1;
	return 0;
}

void ib_cache_gid_set_default_gid(struct ib_device *ib_dev, u32 port, struct net_device *ndev,
				  unsigned long gid_type_mask, enum ib_cache_gid_default_mode mode)
{
	struct ib_gid_table *table;
	union ib_gid gid;

	if (check_table(ib_dev, port, &table))
		return;
	verbena_netdev_default_gid(ndev, &gid);
	for (int type = 0; type < IB_GID_TYPE_SIZE; type++) {
		struct ib_gid_attr attr = {.ndev = ndev, .gid_type = (enum ib_gid_type)type};
		const struct gid_key key = {.gid = &gid, .ndev = ndev, .type = attr.gid_type};

		if (!(gid_type_mask & 1ul << type))
			continue;
		if (mode == IB_CACHE_GID_DEFAULT_MODE_SET)
			(void)add_gid(ib_dev, port, &gid, &attr, true);
		else
			(void)del_next(table, &key, 0);
	}
}

/* Asking */

static struct gid_entry *entry_of(const struct ib_gid_attr *attr)
{
	return container_of(attr, struct gid_entry, attr);
}

bool rdma_is_zero_gid(const union ib_gid *gid)
{
	static const union ib_gid zero;

	return !memcmp(gid, &zero, sizeof(zero));
}

/* With the table's lock. */
static struct gid_entry *valid_at(const struct ib_gid_table *table, int index)
{
	struct gid_entry *entry = table->slots[index];

	return entry && entry->state == GID_VALID ? entry : NULL;
}

static int find_table(struct ib_device *device, u32 port_num, int index,
		      struct ib_gid_table **table)
{
	const int ret = core_port_check(device, port_num);

	if (ret)
		return ret;
	*table = device->port_data[port_num].cache.gid;
	if (!*table || index < 0 || index >= (*table)->size)
		return base_refuse(-EINVAL, GID_INDEX, (uint64_t)index, port_num,
				   *table ? (uint64_t)(*table)->size : 0);
	return 0;
}

int rdma_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid)
{
	struct ib_gid_table *table;
	const struct gid_entry *entry;
	int ret = find_table(device, port_num, index, &table);

	if (ret)
		return ret;
	spin_lock(&table->lock);
	entry = valid_at(table, index);
	if (entry)
		*gid = entry->attr.gid;
	spin_unlock(&table->lock);
	return entry ? 0 : base_refuse(-ENOENT, GID_EMPTY, (uint64_t)index, port_num);
}

const struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *device, u32 port_num, int index)
{
	struct ib_gid_table *table;
	struct gid_entry *entry;
	int ret = find_table(device, port_num, index, &table);

	if (ret)
		return ERR_PTR(ret);
	spin_lock(&table->lock);
	entry = valid_at(table, index);
	if (entry)
		entry->refs++;
	spin_unlock(&table->lock);
	if (!entry)
		return ERR_PTR(base_refuse(-ENODATA, GID_EMPTY, (uint64_t)index, port_num));
	return &entry->attr;
}

void rdma_hold_gid_attr(const struct ib_gid_attr *attr)
{
	struct gid_entry *entry = entry_of(attr);

	spin_lock(&entry->table->lock);
	INVARIANT(entry->refs > 0);
	entry->refs++;
	spin_unlock(&entry->table->lock);
}

void rdma_put_gid_attr(const struct ib_gid_attr *attr)
{
	struct gid_entry *entry = entry_of(attr);
	struct ib_gid_table *table = entry->table;

	spin_lock(&table->lock);
	INVARIANT(entry->refs > 0);
	put_entry(table, entry);
}

static int refuse_not_found(const union ib_gid *gid)
{
	return base_refuse(-ENOENT, GID_NOT_FOUND, be64_to_cpu(gid->global.subnet_prefix),
			   be64_to_cpu(gid->global.interface_id));
}

/* The first valid match of a port with a reference, or NULL. */
static const struct ib_gid_attr *get_match(
	struct ib_device *device, u32 port, const struct gid_key *key,
	bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *, void *), void *context)
{
	struct ib_gid_table *table = device->port_data[port].cache.gid;
	const struct ib_gid_attr *attr = NULL;

	if (!table)
		return NULL;
	spin_lock(&table->lock);
	for (int i = 0; i < table->size && !attr; i++) {
		struct gid_entry *entry = valid_at(table, i);

		if (!entry || !matches(entry, key) ||
		    (filter && !filter(key->gid, &entry->attr, context)))
			continue;
		entry->refs++;
		attr = &entry->attr;
	}
	spin_unlock(&table->lock);
	return attr;
}

const struct ib_gid_attr *rdma_find_gid(struct ib_device *device, const union ib_gid *gid,
					enum ib_gid_type gid_type, struct net_device *ndev)
{
	const struct gid_key key = {.gid = gid, .ndev = ndev, .type = gid_type};
	const struct ib_gid_attr *attr;
	u32 port;

	if (!device->port_data)
		return ERR_PTR(refuse_not_found(gid));
	rdma_for_each_port(device, port) {
		attr = get_match(device, port, &key, NULL, NULL);
		if (attr)
			return attr;
	}
	return ERR_PTR(refuse_not_found(gid));
}

const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *ib_dev, const union ib_gid *gid,
						enum ib_gid_type gid_type, u32 port,
						struct net_device *ndev)
{
	const struct gid_key key = {.gid = gid, .ndev = ndev, .type = gid_type};
	const struct ib_gid_attr *attr;

	if (core_port_check(ib_dev, port))
		return ERR_PTR(-ENOENT);
	attr = get_match(ib_dev, port, &key, NULL, NULL);
	return attr ? attr : ERR_PTR(refuse_not_found(gid));
}

const struct ib_gid_attr *rdma_find_gid_by_filter(
	struct ib_device *device, const union ib_gid *gid, u32 port_num,
	bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *, void *), void *context)
{
	const struct gid_key key = {.gid = gid, .any_type = true};
	const struct ib_gid_attr *attr;
	const int ret = core_port_check(device, port_num);

	if (ret)
		return ERR_PTR(ret);
	attr = get_match(device, port_num, &key, filter, context);
	return attr ? attr : ERR_PTR(refuse_not_found(gid));
}

int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr, u16 *vlan_id, u8 *smac)
{
	if (!attr->ndev)
		return base_refuse(-ENODEV, GID_NO_NETDEV, attr->index, attr->port_num);
	verbena_netdev_l2(attr->ndev, vlan_id, smac);
	return 0;
}
