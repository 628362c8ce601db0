/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Devices, and what clients find at them. */
#include <rdma/ib_device.h>

#include "common/test.h"

#define MASK ((const struct cpumask *)0x1000)

struct provider {
	struct ib_device base;
	u64 more[10];
};

static size_t asked;
static bool refuse;

static int setup(void **state)
{
	(void)state;
	asked = 0;
	refuse = false;
	return 0;
}

/* What stands behind ib_alloc_device(). */
struct ib_device *_ib_alloc_device(size_t size)
{
	asked = size;
	return refuse ? NULL : base_zalloc(size);
}

static void on_event(struct ib_event_handler *handler, struct ib_event *event)
{
	(void)handler;
	(void)event;
}

static const struct cpumask *affinity(struct ib_device *device, int comp_vector)
{
	(void)device;
	(void)comp_vector;
	return MASK;
}

static void ib_alloc_device__asks_for_the_whole_structure(void **state)
{
	(void)state;
	struct provider *p = ib_alloc_device(provider, base);

	assert_non_null(p);
	assert_int_equal(asked, sizeof(struct provider));
	base_free(p);
}

static void ib_alloc_device__no_memory_is_null(void **state)
{
	(void)state;
	refuse = true;
	assert_null(ib_alloc_device(provider, base));
}

static void ib_device_try_get__refuses_a_device_that_is_gone(void **state)
{
	(void)state;
	struct ib_device device = {.refcount = REFCOUNT_INIT(1)};

	assert_true(ib_device_try_get(&device));
	assert_int_equal(refcount_read(&device.refcount), 2);
	refcount_set(&device.refcount, 0);
	assert_false(ib_device_try_get(&device));
	assert_int_equal(refcount_read(&device.refcount), 0);
}

static void INIT_IB_EVENT_HANDLER__fills_all_in(void **state)
{
	(void)state;
	struct ib_device device;
	struct ib_event_handler handler = {0};

	INIT_IB_EVENT_HANDLER(&handler, &device, on_event);
	assert_ptr_equal(handler.device, &device);
	assert_ptr_equal(handler.handler, on_event);
	assert_true(list_empty(&handler.list));
}

static void rdma_device_to_ibdev__is_the_owner(void **state)
{
	(void)state;
	struct ib_device device = {0};

	device.coredev.owner = &device;
	assert_ptr_equal(rdma_device_to_ibdev(&device.dev), &device);
}

static void rdma_device_to_drv_device__is_the_providers_structure(void **state)
{
	(void)state;
	static struct provider p;

	p.base.coredev.owner = &p.base;
	assert_ptr_equal(rdma_device_to_drv_device(&p.base.dev, struct provider, base), &p);
}

static void ibdev_to_node__is_the_parents(void **state)
{
	(void)state;
	struct device parent = {.numa_node = 3};
	struct ib_device device = {0};

	assert_int_equal(ibdev_to_node(&device), NUMA_NO_NODE);
	device.dev.parent = &parent;
	assert_int_equal(ibdev_to_node(&device), 3);
}

static void ib_get_vector_affinity__needs_a_vector_and_the_op(void **state)
{
	(void)state;
	struct ib_device device = {.num_comp_vectors = 2};

	assert_null(ib_get_vector_affinity(&device, 1));
	device.ops.get_vector_affinity = affinity;
	assert_ptr_equal(ib_get_vector_affinity(&device, 1), MASK);
	assert_null(ib_get_vector_affinity(&device, 2));
	assert_null(ib_get_vector_affinity(&device, -1));
}

static int send_one(struct net_device *dev, struct sk_buff *skb, struct ib_ah *address, u32 dqpn)
{
	(void)dev;
	(void)skb;
	(void)address;
	return (int)dqpn;
}

static void rdma_netdev__holds_what_a_provider_fills_in(void **state)
{
	struct ib_device *hca = base_zalloc(sizeof(*hca));
	struct rdma_netdev netdev = {.hca = hca, .port_num = 2, .mtu = 2044, .send = send_one};

	(void)state;
	assert_non_null(hca);
	assert_ptr_equal(netdev.hca, hca);
	assert_int_equal(netdev.send(NULL, NULL, NULL, IB_MULTICAST_QPN), 0xffffff);
	assert_null(netdev.attach_mcast);
	base_free(hca);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ib_alloc_device__asks_for_the_whole_structure,
						setup, NULL),
		cmocka_unit_test_setup_teardown(ib_alloc_device__no_memory_is_null, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_device_try_get__refuses_a_device_that_is_gone,
						setup, NULL),
		cmocka_unit_test_setup_teardown(INIT_IB_EVENT_HANDLER__fills_all_in, setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_device_to_ibdev__is_the_owner, setup, NULL),
		cmocka_unit_test_setup_teardown(
			rdma_device_to_drv_device__is_the_providers_structure, setup, NULL),
		cmocka_unit_test_setup_teardown(ibdev_to_node__is_the_parents, setup, NULL),
		cmocka_unit_test_setup_teardown(ib_get_vector_affinity__needs_a_vector_and_the_op,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rdma_netdev__holds_what_a_provider_fills_in, setup,
						NULL),
	};

	return verbena_test_main(tests);
}
