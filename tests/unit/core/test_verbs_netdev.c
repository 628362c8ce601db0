/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <verbena/netdev.h>

#include "common/core_fixture.h"

static int initialized;

static int initialize(struct ib_device *device, u32 port_num, struct net_device *netdev,
		      void *param)
{
	struct core_fixture *f = param;

	assert_ptr_equal(device, f->device);
	assert_int_equal(port_num, 2);
	assert_non_null(netdev);
	initialized++;
	return initialized == 2 ? -EIO : 0;
}

static struct core_fixture *fixture;

static int get_params(struct ib_device *device, u32 port_num, enum rdma_netdev_t type,
		      struct rdma_netdev_alloc_params *params)
{
	(void)device;
	if (port_num == 1)
		return -ENXIO;
	assert_int_equal(type, RDMA_NETDEV_IPOIB);
	params->sizeof_priv = 1000;
	params->param = fixture;
	params->initialize_rdma_netdev = initialized < 0 ? NULL : initialize;
	return 0;
}

static void set_up_netdev(struct net_device *netdev)
{
	verbena_netdev_set_speed(netdev, 77);
}

static void rdma_alloc_netdev__has_room_for_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct net_device *netdev;
	u8 *priv;

	f->device->ops.rdma_netdev_get_params = get_params;
	netdev = rdma_alloc_netdev(f->device, 2, RDMA_NETDEV_IPOIB, "ib0", 0, set_up_netdev);
	assert_ok_ptr(netdev);
	assert_string_equal(verbena_netdev_name(netdev), "ib0");
	assert_int_equal(verbena_netdev_speed(netdev), 77);
	priv = verbena_netdev_priv(netdev);
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(priv[i]++, 0);
	verbena_netdev_put(netdev);
	assert_ptr_err(rdma_alloc_netdev(f->device, 1, RDMA_NETDEV_IPOIB, "ib0", 0, NULL), -ENXIO);
	f->device->ops.rdma_netdev_get_params = NULL;
	assert_ptr_err(rdma_alloc_netdev(f->device, 2, RDMA_NETDEV_IPOIB, "ib0", 0, NULL),
		       -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void rdma_init_netdev__calls_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct net_device *netdev = verbena_netdev_alloc("ib0", 0);
	struct ib_device *device = f->device;

	assert_non_null(netdev);
	fixture = f;
	initialized = 0;
	assert_int_equal(rdma_init_netdev(device, 2, RDMA_NETDEV_IPOIB, "ib0", 0, NULL, netdev),
			 -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	device->ops.rdma_netdev_get_params = get_params;
	assert_int_equal(rdma_init_netdev(device, 2, RDMA_NETDEV_IPOIB, "ib0", 0, NULL, netdev), 0);
	assert_int_equal(initialized, 1);
	assert_int_equal(rdma_init_netdev(device, 2, RDMA_NETDEV_IPOIB, "ib0", 0, NULL, netdev),
			 -EIO);
	assert_int_equal(rdma_init_netdev(device, 1, RDMA_NETDEV_IPOIB, "ib0", 0, NULL, netdev),
			 -ENXIO);
	initialized = -1; /* the provider has no such function */
	assert_int_equal(rdma_init_netdev(device, 2, RDMA_NETDEV_IPOIB, "ib0", 0, NULL, netdev),
			 -EOPNOTSUPP);
	verbena_netdev_put(netdev);
}

static void ib_get_eth_speed__follows_the_interface(void **state)
{
	static const struct {
		unsigned int mbps;
		u16 speed;
		u8 width;
	} cases[] = {
		{0, IB_SPEED_SDR, IB_WIDTH_1X},	      {100, IB_SPEED_SDR, IB_WIDTH_1X},
		{1000, IB_SPEED_SDR, IB_WIDTH_1X},    {1001, IB_SPEED_FDR10, IB_WIDTH_1X},
		{10000, IB_SPEED_FDR10, IB_WIDTH_1X}, {20000, IB_SPEED_DDR, IB_WIDTH_4X},
		{25000, IB_SPEED_EDR, IB_WIDTH_1X},   {40000, IB_SPEED_FDR10, IB_WIDTH_4X},
		{40001, IB_SPEED_EDR, IB_WIDTH_4X},   {400000, IB_SPEED_EDR, IB_WIDTH_4X},
	};
	struct core_fixture *f = *state;
	u16 speed;
	u8 width;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		verbena_netdev_set_speed(f->ndev, cases[i].mbps);
		assert_int_equal(ib_get_eth_speed(f->device, 1, &speed, &width), 0);
		assert_int_equal(speed, cases[i].speed);
		assert_int_equal(width, cases[i].width);
	}
}

static void ib_get_eth_speed__wants_an_ethernet_port_with_an_interface(void **state)
{
	struct core_fixture *f = *state;
	u16 speed;
	u8 width;

	assert_int_equal(ib_device_set_netdev(f->device, NULL, 2), 0);
	assert_int_equal(ib_get_eth_speed(f->device, 2, &speed, &width), -ENODEV);
	assert_cause(NO_NETDEV);
	assert_int_equal(ib_get_eth_speed(f->device, 3, &speed, &width), -EINVAL);
	f->fake->options.roce = false;
	assert_int_equal(ib_get_eth_speed(f->device, 1, &speed, &width), -EINVAL);
	f->fake->options.roce = true;
	assert_cause_text("port 1 is not Ethernet. Ask ib_query_port() for its speed.");
}

#define ON_IB(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)
#define ON_ROCE(test) cmocka_unit_test_setup_teardown(test, core_setup_roce, core_teardown)

static const struct CMUnitTest tests[] = {
	ON_IB(rdma_alloc_netdev__has_room_for_the_provider),
	ON_IB(rdma_init_netdev__calls_the_provider),
	ON_ROCE(ib_get_eth_speed__follows_the_interface),
	ON_ROCE(ib_get_eth_speed__wants_an_ethernet_port_with_an_interface),
};

int main(void)
{
	return verbena_test_main(tests);
}
