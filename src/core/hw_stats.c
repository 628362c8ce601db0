/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Counters of a provider. It is asked again only when what was read last is too old. */
#include "core/hw_stats.h"

#include <linux/jiffies.h>
#include <linux/slab.h>

#include "base/cause.h"
#include "core/cache_priv.h"
#include "core/device_priv.h"

/* @set: the device's at 0, and each port's at its number. */
struct hw_stats_device_data {
	u32 count;
	struct rdma_hw_stats *set[];
};

static struct rdma_hw_stats *ask_for_set(struct ib_device *device, u32 port)
{
	const struct ib_device_ops *ops = &device->ops;
	const bool whole = port == 0 && !device->is_switch;

	if (whole)
		return ops->alloc_hw_device_stats ? ops->alloc_hw_device_stats(device) : NULL;
	return ops->alloc_hw_port_stats ? ops->alloc_hw_port_stats(device, port) : NULL;
}

static bool has_set(const struct ib_device *device, u32 port)
{
	if (port == 0 && !device->is_switch)
		return device->ops.alloc_hw_device_stats != NULL;
	return device->ops.alloc_hw_port_stats != NULL;
}

int core_hw_stats_setup(struct ib_device *device)
{
	const u32 count = rdma_end_port(device) + 1;
	struct hw_stats_device_data *data;

	if (!device->ops.get_hw_stats)
		return 0;
	data = kzalloc(sizeof(*data) + count * sizeof(struct rdma_hw_stats *), GFP_KERNEL);
	if (!data)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*data));
	data->count = count;
	device->hw_stats_data = data;
	for (u32 port = 0; port < count; port++) {
		if (!has_set(device, port))
			continue;
		data->set[port] = ask_for_set(device, port);
		if (!data->set[port])
			return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*data->set[port]));
		if (!data->set[port]->lifespan)
			data->set[port]->lifespan =
				msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN);
	}
	return 0;
}

void core_hw_stats_release(struct ib_device *device)
{
	struct hw_stats_device_data *data = device->hw_stats_data;

	for (u32 port = 0; data && port < data->count; port++)
		rdma_free_hw_stats_struct(data->set[port]);
	kfree(data);
	device->hw_stats_data = NULL;
}

struct rdma_hw_stats *ib_get_hw_stats_port(struct ib_device *ibdev, u32 port_num)
{
	const struct hw_stats_device_data *data = ibdev->hw_stats_data;

	return data && port_num < data->count ? data->set[port_num] : NULL;
}

static int find_counter(struct ib_device *device, u32 port, u32 index, struct rdma_hw_stats **stats)
{
	*stats = ib_get_hw_stats_port(device, port);
	if (!*stats)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	if (index >= (u32)(*stats)->num_counters)
		return base_refuse(-EINVAL, STAT_INDEX, index, (uint64_t)(*stats)->num_counters);
	return 0;
}

static bool is_disabled(const struct rdma_hw_stats *stats, u32 index)
{
	return stats->is_disabled[index / BITS_PER_LONG] >> index % BITS_PER_LONG & 1;
}

/* With the set's lock. */
static int refresh(struct ib_device *device, struct rdma_hw_stats *stats, u32 port, int index)
{
	int ret;

	if (stats->timestamp && time_before(jiffies, stats->timestamp + stats->lifespan))
		return 0;
	ret = device->ops.get_hw_stats(device, stats, port, index);
	if (ret < 0)
		return ret;
	if (ret == stats->num_counters)
		stats->timestamp = jiffies;
	return 0;
}

int core_hw_stats_read(struct ib_device *ibdev, u32 port_num, int index, u64 *value)
{
	struct rdma_hw_stats *stats;
	int ret = find_counter(ibdev, port_num, (u32)index, &stats);

	if (ret)
		return ret;
	mutex_lock(&stats->lock);
	if (is_disabled(stats, (u32)index))
		ret = base_refuse(-ENODATA, STAT_DISABLED, (uint64_t)index);
	else
		ret = refresh(ibdev, stats, port_num, index);
	if (!ret)
		*value = stats->value[index];
	mutex_unlock(&stats->lock);
	return ret;
}

int rdma_counter_modify(struct ib_device *dev, u32 port, unsigned int index, bool enable)
{
	const unsigned long bit = 1ul << index % BITS_PER_LONG;
	struct rdma_hw_stats *stats;
	int ret;

	if (!dev->ops.modify_hw_stat)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	ret = find_counter(dev, port, index, &stats);
	if (ret)
		return ret;
	if (!(stats->descs[index].flags & IB_STAT_FLAG_OPTIONAL))
		return base_refuse(-EINVAL, STAT_FIXED, index);
	mutex_lock(&stats->lock);
	if (enable == is_disabled(stats, index))
		ret = dev->ops.modify_hw_stat(dev, port, index, enable);
	if (!ret && enable)
		stats->is_disabled[index / BITS_PER_LONG] &= ~bit;
	else if (!ret)
		stats->is_disabled[index / BITS_PER_LONG] |= bit;
	mutex_unlock(&stats->lock);
	return ret;
}
