/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Network interfaces that stand on an RDMA port, and the speed of those that a port stands on. */
#include <linux/kernel.h>
#include <rdma/ib_verbs.h>
#include <verbena/netdev.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

/* The first row that is fast enough; a speed that nobody knows (0) counts as the slowest. */
static const struct eth_speed {
	unsigned int up_to_mbps;
	u16 speed;
	u8 width;
} eth_speeds[] = {
	{1000, IB_SPEED_SDR, IB_WIDTH_1X},    {10000, IB_SPEED_FDR10, IB_WIDTH_1X},
	{20000, IB_SPEED_DDR, IB_WIDTH_4X},   {25000, IB_SPEED_EDR, IB_WIDTH_1X},
	{40000, IB_SPEED_FDR10, IB_WIDTH_4X}, {UINT_MAX, IB_SPEED_EDR, IB_WIDTH_4X},
};

static int get_params(struct ib_device *device, u32 port_num, enum rdma_netdev_t type,
		      struct rdma_netdev_alloc_params *params)
{
	if (!device->ops.rdma_netdev_get_params)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return device->ops.rdma_netdev_get_params(device, port_num, type, params);
}

struct net_device *rdma_alloc_netdev(struct ib_device *device, u32 port_num,
				     enum rdma_netdev_t type, const char *name,
				     unsigned char name_assign_type,
				     void (*setup)(struct net_device *))
{
	struct rdma_netdev_alloc_params params = {0};
	struct net_device *netdev;
	int ret = get_params(device, port_num, type, &params);

	(void)name_assign_type;
	if (ret)
		return ERR_PTR(ret);
	netdev = verbena_netdev_alloc(name, params.sizeof_priv);
	if (!netdev)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, params.sizeof_priv));
	if (setup)
		setup(netdev);
	return netdev;
}

int rdma_init_netdev(struct ib_device *device, u32 port_num, enum rdma_netdev_t type,
		     const char *name, unsigned char name_assign_type,
		     void (*setup)(struct net_device *), struct net_device *netdev)
{
	struct rdma_netdev_alloc_params params = {0};
	int ret = get_params(device, port_num, type, &params);

	(void)name;
	(void)name_assign_type;
	(void)setup;
	if (ret)
		return ret;
	if (!params.initialize_rdma_netdev)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return params.initialize_rdma_netdev(device, port_num, netdev, params.param);
}

int ib_get_eth_speed(struct ib_device *dev, u32 port_num, u16 *speed, u8 *width)
{
	const struct eth_speed *row = eth_speeds;
	struct net_device *netdev;
	unsigned int mbps;

	if (!rdma_is_port_valid(dev, port_num) ||
	    rdma_port_get_link_layer(dev, port_num) != IB_LINK_LAYER_ETHERNET)
		return base_refuse(-EINVAL, ETH_SPEED_PORT, port_num);
	netdev = ib_device_get_netdev(dev, port_num);
	if (!netdev)
		return base_refuse(-ENODEV, NO_NETDEV, port_num);
	mbps = verbena_netdev_speed(netdev);
	verbena_netdev_put(netdev);
	while (mbps > row->up_to_mbps)
		row++;
	*speed = row->speed;
	*width = row->width;
	return 0;
}
