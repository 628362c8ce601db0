// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Life of a device: allocation, names, registration and its failures, removal. */
#include <linux/workqueue.h>
#include <pthread.h>
#include <rdma/ib_cache.h>
#include <stdio.h>
#include <string.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/fake_provider.h"
#include "common/test.h"
#include "core/core_priv.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

static int driver_deallocs;

static void count_dealloc(struct ib_device *device)
{
	(void)device;
	driver_deallocs++;
}

static int setup(void **state)
{
	driver_deallocs = 0;
	*state = fake_provider_alloc(NULL);
	return *state ? 0 : -1;
}

/* The device, unless the test has taken care of it. */
static int teardown(void **state)
{
	if (*state)
		fake_provider_free(*state);
	return base_host_idle() ? 0 : -1;
}

/* _ib_alloc_device() */

static void _ib_alloc_device__too_small_is_refused(void **state)
{
	(void)state;
	assert_null(_ib_alloc_device(sizeof(struct ib_device) - 1));
	assert_cause(DEVICE_SIZE);
}

static void _ib_alloc_device__gives_a_zeroed_driver_structure(void **state)
{
	struct {
		struct ib_device ib;
		char tail[1000];
	} *driver = NULL;
	static const char zeroes[sizeof(driver->tail)];

	(void)state;
	driver = (void *)_ib_alloc_device(sizeof(*driver));
	assert_non_null(driver);
	assert_memory_equal(driver->tail, zeroes, sizeof(zeroes));
	assert_true(driver->ib.uverbs_cmd_mask != 0);
	assert_false(ib_device_try_get(&driver->ib));
	ib_dealloc_device(&driver->ib);
}

static void ib_alloc_device__is_the_driver_structure(void **state)
{
	struct fake_provider *fake = ib_alloc_device(fake_provider, ib);

	(void)state;
	assert_non_null(fake);
	assert_ptr_equal(to_fake(&fake->ib), fake);
	assert_ptr_equal(rdma_device_to_ibdev(&fake->ib.dev), &fake->ib);
	ib_dealloc_device(&fake->ib);
}

/* ib_dealloc_device() */

static void ib_dealloc_device__calls_the_driver(void **state)
{
	struct fake_provider *fake = *state;

	fake->ib.ops.dealloc_driver = count_dealloc;
	ib_dealloc_device(&fake->ib);
	assert_int_equal(driver_deallocs, 1);
	*state = NULL;
}

static void ib_dealloc_device__waits_for_the_last_object(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_device *device = &fake->ib;
	const size_t blocks = base_alloc_live();

	device->ops.dealloc_driver = count_dealloc;
	assert_int_equal(core_object_get(device), 0);
	assert_int_equal(core_object_get(device), 0);
	assert_int_equal(core_object_count(device), 2);
	ib_dealloc_device(device);
	*state = NULL;
	core_object_put(device);
	assert_int_equal(driver_deallocs, 0);
	assert_int_equal(base_alloc_live(), blocks);
	core_object_put(device);
	assert_int_equal(driver_deallocs, 1);
	assert_true(base_alloc_live() < blocks);
}

static void ib_dealloc_device__registered_is_left_alone(void **state)
{
	struct fake_provider *fake = *state;
	struct ib_device *found;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	ib_dealloc_device(&fake->ib);
	found = ib_device_get_by_name("fake0", RDMA_DRIVER_UNKNOWN);
	assert_ptr_equal(found, &fake->ib);
	ib_device_put(found);
}

/* ib_register_device(): names */

static void ib_register_device__numbers_fill_gaps(void **state)
{
	struct fake_provider *a = fake_provider_new(NULL), *b, *c;

	(void)state;
	assert_non_null(a);
	b = fake_provider_new(NULL);
	if (!b)
		fake_provider_free(a);
	assert_non_null(b);
	assert_string_equal(a->ib.name, "fake0");
	assert_string_equal(b->ib.name, "fake1");
	assert_string_equal(dev_name(&b->ib.dev), "fake1");
	assert_int_not_equal(a->ib.index, b->ib.index);
	fake_provider_free(a);
	c = fake_provider_new(NULL);
	fake_provider_free(b);
	assert_non_null(c);
	assert_string_equal(c->ib.name, "fake0");
	fake_provider_free(c);
}

static void ib_register_device__number_inside_a_name(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_device(&fake->ib, "a%dz", NULL), 0);
	assert_string_equal(fake->ib.name, "a0z");
}

static void ib_register_device__name_is_taken(void **state)
{
	struct fake_provider *fake = *state, *other;

	assert_int_equal(ib_register_device(&fake->ib, "hca", NULL), 0);
	other = fake_provider_alloc(NULL);
	assert_non_null(other);
	assert_int_equal(ib_register_device(&other->ib, "hca", NULL), -ENFILE);
	assert_cause(DEVICE_NAME_TAKEN);
	assert_int_equal(ib_register_device(&other->ib, "hca2", NULL), 0);
	fake_provider_free(other);
}

static void ib_register_device__bad_names(void **state)
{
	static const char *const bad[] = {
		"",
		"a/b",
		"%d%d",
		"%s",
		"100%",
		NULL,
		"a234567890123456789012345678901234567890123456789012345678901234",
		"a23456789012345678901234567890123456789012345678901234567890%dzz",
	};
	struct fake_provider *fake = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(ib_register_device(&fake->ib, bad[i], NULL), -EINVAL);
		assert_cause(DEVICE_NAME_BAD);
	}
}

/* ib_register_device(): what it reads, and what stops it */

static void ib_register_device__reads_ports_attributes_and_caches(void **state)
{
	struct fake_provider *fake = *state;
	union ib_gid gid;
	u16 pkey;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	assert_int_equal(fake->called[FAKE_QUERY_DEVICE], 1);
	assert_int_equal(fake->called[FAKE_ENABLE_DRIVER], 1);
	assert_true(fake->ib.attrs.max_qp > 0);
	assert_int_equal(fake->ib.port_data[1].immutable.gid_tbl_len, FAKE_GIDS);
	assert_true(fake->ib.kverbs_provider);
	assert_true(ib_uses_virt_dma(&fake->ib));
	assert_int_equal(rdma_query_gid(&fake->ib, 1, 1, &gid), 0);
	assert_memory_equal(&gid, &fake->gids[0][1], sizeof(gid));
	assert_int_equal(ib_get_cached_pkey(&fake->ib, 1, 1, &pkey), 0);
	assert_int_equal(pkey, 0x1234);
}

static void ib_register_device__no_ports(void **state)
{
	struct fake_provider *fake = *state;

	fake->ib.phys_port_cnt = 0;
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), -EINVAL);
	assert_cause(DEVICE_NO_PORTS);
	fake->ib.phys_port_cnt = 1;
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
}

static void ib_register_device__no_port_data(void **state)
{
	struct fake_provider *fake = *state;

	fake->ib.ops.get_port_immutable = NULL;
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), -EINVAL);
	assert_cause(DEVICE_NO_PORT_DATA);
}

static int mads_without_mad(struct ib_device *device, u32 port, struct ib_port_immutable *immutable)
{
	(void)device;
	(void)port;
	immutable->max_mad_size = 256;
	return 0;
}

static void ib_register_device__mad_size_without_mads(void **state)
{
	struct fake_provider *fake = *state;

	fake->ib.ops.get_port_immutable = mads_without_mad;
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), -EINVAL);
	assert_cause(PORT_MAD_SIZE);
}

static void ib_register_device__errors_of_the_provider(void **state)
{
	static const enum fake_op ops[] = {
		FAKE_GET_PORT_IMMUTABLE, FAKE_QUERY_DEVICE, FAKE_QUERY_PORT,
		FAKE_QUERY_GID,		 FAKE_QUERY_PKEY,   FAKE_ENABLE_DRIVER,
	};
	struct fake_provider *fake = *state;

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		fake->fail[ops[i]] = -EIO;
		assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), -EIO);
		fake->fail[ops[i]] = 0;
		assert_null(ib_device_get_by_name("fake0", RDMA_DRIVER_UNKNOWN));
		assert_false(ib_device_try_get(&fake->ib));
	}
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	assert_string_equal(fake->ib.name, "fake0");
}

static void ib_register_device__twice_is_refused(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	assert_int_equal(ib_register_device(&fake->ib, "other", NULL), -EINVAL);
	assert_cause(DEVICE_STATE);
	ib_unregister_device(&fake->ib);
	assert_int_equal(ib_register_device(&fake->ib, "other", NULL), -EINVAL);
	assert_cause(DEVICE_STATE);
}

static void ib_register_device__keeps_the_dma_device(void **state)
{
	struct device dma_device = {.numa_node = 3};
	struct fake_provider *fake = *state;

	assert_int_equal(ibdev_to_node(&fake->ib), NUMA_NO_NODE);
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", &dma_device), 0);
	assert_ptr_equal(fake->ib.dma_device, &dma_device);
	assert_int_equal(ibdev_to_node(&fake->ib), 3);
	ib_unregister_device(&fake->ib);
}

/* References */

static void ib_device_get_by_name__finds_and_holds(void **state)
{
	struct fake_provider *fake = *state;

	fake->ib.ops.driver_id = RDMA_DRIVER_QIB;
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	assert_null(ib_device_get_by_name("fake1", RDMA_DRIVER_UNKNOWN));
	assert_null(ib_device_get_by_name("fake0", RDMA_DRIVER_RXE));
	assert_ptr_equal(ib_device_get_by_name("fake0", RDMA_DRIVER_QIB), &fake->ib);
	assert_ptr_equal(ib_device_get_by_name("fake0", RDMA_DRIVER_UNKNOWN), &fake->ib);
	assert_int_equal(refcount_read(&fake->ib.refcount), 3);
	ib_device_put(&fake->ib);
	ib_device_put(&fake->ib);
}

static void ib_device_try_get__only_while_registered(void **state)
{
	struct fake_provider *fake = *state;

	assert_false(ib_device_try_get(&fake->ib));
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	assert_true(ib_device_try_get(&fake->ib));
	ib_device_put(&fake->ib);
	ib_unregister_device(&fake->ib);
	assert_false(ib_device_try_get(&fake->ib));
}

/* Removal */

static struct work_struct put_work;
static struct ib_device *put_device;
static bool put_done;

static void put_later(struct work_struct *work)
{
	(void)work;
	put_done = true;
	ib_device_put(put_device);
}

static void ib_device_put__the_last_lets_unregister_go_on(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	assert_true(ib_device_try_get(&fake->ib));
	put_device = &fake->ib;
	put_done = false;
	INIT_WORK(&put_work, put_later);
	schedule_work(&put_work);
	ib_unregister_device(&fake->ib);
	assert_true(put_done);
}

static void ib_unregister_device__is_removed_then(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	assert_false(core_device_removed(&fake->ib));
	ib_unregister_device(&fake->ib);
	assert_true(core_device_removed(&fake->ib));
	assert_null(ib_device_get_by_name("fake0", RDMA_DRIVER_UNKNOWN));
	ib_unregister_device(&fake->ib);
}

static void ib_unregister_device__never_registered_does_nothing(void **state)
{
	struct fake_provider *fake = *state;

	ib_unregister_device(&fake->ib);
	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
}

static void ib_unregister_device__deallocates_with_dealloc_driver(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	fake->ib.ops.dealloc_driver = count_dealloc;
	ib_unregister_device(&fake->ib);
	*state = NULL;
	assert_int_equal(driver_deallocs, 1);
}

static void *unregister_in_thread(void *device)
{
	ib_unregister_device(device);
	return NULL;
}

static void ib_unregister_device__two_threads_at_once(void **state)
{
	struct fake_provider *fake = *state;
	pthread_t thread;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, unregister_in_thread, &fake->ib), 0);
	ib_unregister_device(&fake->ib);
	assert_true(core_device_removed(&fake->ib));
	pthread_join(thread, NULL);
}

static void ib_unregister_device_and_put__drops_the_callers_reference(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	fake->ib.ops.dealloc_driver = count_dealloc;
	assert_true(ib_device_try_get(&fake->ib));
	ib_unregister_device_and_put(&fake->ib);
	*state = NULL;
	assert_int_equal(driver_deallocs, 1);
}

static void ib_unregister_device_queued__later(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_device(&fake->ib, "fake%d", NULL), 0);
	fake->ib.ops.dealloc_driver = count_dealloc;
	ib_unregister_device_queued(&fake->ib);
	ib_unregister_device_queued(&fake->ib);
	assert_int_equal(driver_deallocs, 0);
	*state = NULL;
	while (base_host_turn(base_now_ns(), 1))
		;
	assert_int_equal(driver_deallocs, 1);
}

static void ib_unregister_driver__removes_its_devices_only(void **state)
{
	struct fake_provider *other = *state, *mine[2];

	other->ib.ops.driver_id = RDMA_DRIVER_RXE;
	assert_int_equal(ib_register_device(&other->ib, "rxe%d", NULL), 0);
	for (int i = 0; i < 2; i++) {
		mine[i] = fake_provider_new(NULL);
		if (!mine[i])
			ib_unregister_driver(RDMA_DRIVER_SIW);
		assert_non_null(mine[i]);
		mine[i]->ib.ops.driver_id = RDMA_DRIVER_SIW;
		mine[i]->ib.ops.dealloc_driver = count_dealloc;
	}
	ib_unregister_driver(RDMA_DRIVER_SIW);
	assert_int_equal(driver_deallocs, 2);
	assert_false(core_device_removed(&other->ib));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(_ib_alloc_device__too_small_is_refused),
	cmocka_unit_test(_ib_alloc_device__gives_a_zeroed_driver_structure),
	cmocka_unit_test(ib_alloc_device__is_the_driver_structure),
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(ib_dealloc_device__calls_the_driver),
	T(ib_dealloc_device__waits_for_the_last_object),
	T(ib_dealloc_device__registered_is_left_alone),
	cmocka_unit_test(ib_register_device__numbers_fill_gaps),
	T(ib_register_device__number_inside_a_name),
	T(ib_register_device__name_is_taken),
	T(ib_register_device__bad_names),
	T(ib_register_device__reads_ports_attributes_and_caches),
	T(ib_register_device__no_ports),
	T(ib_register_device__no_port_data),
	T(ib_register_device__mad_size_without_mads),
	T(ib_register_device__errors_of_the_provider),
	T(ib_register_device__twice_is_refused),
	T(ib_register_device__keeps_the_dma_device),
	T(ib_device_get_by_name__finds_and_holds),
	T(ib_device_try_get__only_while_registered),
	T(ib_device_put__the_last_lets_unregister_go_on),
	T(ib_unregister_device__is_removed_then),
	T(ib_unregister_device__never_registered_does_nothing),
	T(ib_unregister_device__deallocates_with_dealloc_driver),
	T(ib_unregister_device__two_threads_at_once),
	T(ib_unregister_device_and_put__drops_the_callers_reference),
	T(ib_unregister_device_queued__later),
	T(ib_unregister_driver__removes_its_devices_only),
};

int main(void)
{
	return verbena_test_main(tests);
}
