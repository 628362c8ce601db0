/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * GIDs of RoCE ports follow from their network interface: one default GID from its MAC, and one
 * from each of its IP addresses, each in every GID type that the port supports.
 */
#include "core/roce_gid_mgmt.h"

#include <rdma/ib_cache.h>

#include "base/cause.h"
#include "core/cache_priv.h"
#include "core/device_priv.h"
#include <verbena/netdev.h>

#define BIT_OF(type) (1ul << (type))

unsigned long roce_gid_type_mask_support(struct ib_device *ib_dev, u32 port)
{
	unsigned long mask = 0;

	if (!rdma_protocol_roce(ib_dev, port))
		return BIT_OF(IB_GID_TYPE_IB);
	if (rdma_protocol_roce_eth_encap(ib_dev, port))
		mask |= BIT_OF(IB_GID_TYPE_ROCE);
	if (rdma_protocol_roce_udp_encap(ib_dev, port))
		mask |= BIT_OF(IB_GID_TYPE_ROCE_UDP_ENCAP);
	return mask;
}

static void update_gid(struct ib_device *device, u32 port, struct net_device *ndev,
		       const union ib_gid *ip, bool added)
{
	const unsigned long mask = roce_gid_type_mask_support(device, port);
	union ib_gid gid = *ip;

	for (int type = 0; type < IB_GID_TYPE_SIZE; type++) {
		struct ib_gid_attr attr = {.ndev = ndev, .gid_type = (enum ib_gid_type)type};

		if (!(mask & BIT_OF(type)))
			continue;
		if (added)
			(void)ib_cache_gid_add(device, port, &gid, &attr);
		else
			(void)ib_cache_gid_del(device, port, &gid, &attr);
	}
}

static void scan_port(struct ib_device *device, u32 port, struct net_device *ndev)
{
	union ib_gid ip;

	ib_cache_gid_set_default_gid(device, port, ndev, roce_gid_type_mask_support(device, port),
				     IB_CACHE_GID_DEFAULT_MODE_SET);
	for (u64 number = 0; verbena_netdev_next_addr(ndev, &number, &ip);)
		update_gid(device, port, ndev, &ip, true);
}

void rdma_roce_rescan_device(struct ib_device *ibdev)
{
	struct net_device *ndev;
	u32 port;

	rdma_for_each_port(ibdev, port) {
		if (!rdma_protocol_roce(ibdev, port))
			continue;
		ndev = ib_device_get_netdev(ibdev, port);
		if (!ndev)
			continue;
		scan_port(ibdev, port, ndev);
		verbena_netdev_put(ndev);
	}
}

/* Call @fn for each RoCE port of a registered device that is on @ndev. */
static void for_each_roce_port(struct net_device *ndev,
			       void (*fn)(struct ib_device *device, u32 port,
					  struct net_device *ndev, const union ib_gid *ip),
			       const union ib_gid *ip)
{
	struct ib_device *device;
	struct net_device *on;
	u32 port;

	for (uint64_t number = 0; (device = core_device_next(number)); core_device_drop(device)) {
		number = device->res->number;
		if (!ib_device_try_get(device))
			continue;
		rdma_for_each_port(device, port) {
			on = rdma_protocol_roce(device, port) ? ib_device_get_netdev(device, port)
							      : NULL;
			if (on == ndev)
				fn(device, port, ndev, ip);
			if (on)
				verbena_netdev_put(on);
		}
		ib_device_put(device);
	}
}

static void addr_came(struct ib_device *device, u32 port, struct net_device *ndev,
		      const union ib_gid *ip)
{
	update_gid(device, port, ndev, ip, true);
}

static void addr_gone(struct ib_device *device, u32 port, struct net_device *ndev,
		      const union ib_gid *ip)
{
	update_gid(device, port, ndev, ip, false);
}

void core_roce_addr_changed(struct net_device *ndev, const union ib_gid *ip, bool added)
{
	for_each_roce_port(ndev, added ? addr_came : addr_gone, ip);
}

static void netdev_came(struct ib_device *device, u32 port, struct net_device *ndev,
			const union ib_gid *ip)
{
	(void)ip;
	scan_port(device, port, ndev);
}

static void netdev_gone(struct ib_device *device, u32 port, struct net_device *ndev,
			const union ib_gid *ip)
{
	(void)ip;
	(void)ib_cache_gid_del_all_netdev_gids(device, port, ndev);
}

void core_roce_netdev_came(struct net_device *ndev)
{
	for_each_roce_port(ndev, netdev_came, NULL);
}

void core_roce_netdev_gone(struct net_device *ndev)
{
	for_each_roce_port(ndev, netdev_gone, NULL);
}

/* Which interface a port is on */

int ib_device_set_netdev(struct ib_device *ib_dev, struct net_device *ndev, u32 port)
{
	struct ib_port_data *data;
	struct net_device *old;
	int ret;

	if (!ib_dev->port_data)
		return base_refuse(-ENODEV, DEVICE_STATE, core_device_state(ib_dev));
	ret = core_port_check(ib_dev, port);
	if (ret)
		return ret;
	data = &ib_dev->port_data[port];
	if (ndev)
		verbena_netdev_hold(ndev);
	spin_lock(&data->netdev_lock);
	old = data->netdev;
	data->netdev = ndev;
	spin_unlock(&data->netdev_lock);
	if (old && old != ndev)
		(void)ib_cache_gid_del_all_netdev_gids(ib_dev, port, old);
	if (old)
		verbena_netdev_put(old);
	if (ndev && old != ndev && rdma_protocol_roce(ib_dev, port))
		scan_port(ib_dev, port, ndev);
	return 0;
}

struct net_device *ib_device_get_netdev(struct ib_device *ib_dev, u32 port)
{
	struct ib_port_data *data;
	struct net_device *ndev;

	if (core_port_check(ib_dev, port))
		return NULL;
	if (ib_dev->ops.get_netdev)
		return ib_dev->ops.get_netdev(ib_dev, port);
	data = &ib_dev->port_data[port];
	spin_lock(&data->netdev_lock);
	ndev = data->netdev;
	if (ndev)
		verbena_netdev_hold(ndev);
	spin_unlock(&data->netdev_lock);
	return ndev;
}

void core_netdevs_release(struct ib_device *device)
{
	u32 port;

	rdma_for_each_port(device, port) {
		if (device->port_data[port].netdev)
			verbena_netdev_put(device->port_data[port].netdev);
		device->port_data[port].netdev = NULL;
	}
}
