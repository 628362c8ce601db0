/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Conversions and parameters of rdmavt. */
#include <stdio.h>
#include <string.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_cq.h>

#include "common/test.h"

static struct rvt_dev_info rdi;

static int setup(void **state)
{
	(void)state;
	memset(&rdi, 0, sizeof(rdi));
	return 0;
}

static void ibpd_to_rvtpd__is_the_structure_around_it(void **state)
{
	(void)state;
	static struct rvt_pd pd;

	assert_ptr_equal(ibpd_to_rvtpd(&pd.ibpd), &pd);
}

static void ibah_to_rvtah__is_the_structure_around_it(void **state)
{
	(void)state;
	static struct rvt_ah ah;

	assert_ptr_equal(ibah_to_rvtah(&ah.ibah), &ah);
}

static void ib_to_rvt__is_the_structure_around_it(void **state)
{
	(void)state;
	assert_ptr_equal(ib_to_rvt(&rdi.ibdev), &rdi);
	assert_int_equal(offsetof(struct rvt_dev_info, ibdev), 0);
}

static void ibcq_to_rvtcq__is_the_structure_around_it(void **state)
{
	(void)state;
	static struct rvt_cq cq;

	assert_ptr_equal(ibcq_to_rvtcq(&cq.ibcq), &cq);
}

static void rvt_set_ibdev_name__formats_name_and_unit(void **state)
{
	(void)state;
	rvt_set_ibdev_name(&rdi, "%s_%d", "verbena", 7);
	assert_string_equal(rdi.ibdev.name, "verbena_7");
}

static void rvt_get_ibdev_name__is_the_devices(void **state)
{
	(void)state;
	snprintf(rdi.ibdev.name, sizeof(rdi.ibdev.name), "verbena_7");
	assert_string_equal(rvt_get_ibdev_name(&rdi), "verbena_7");
}

static void rvt_get_npkeys__is_the_drivers(void **state)
{
	(void)state;
	rdi.dparms.npkeys = 16;
	assert_int_equal(rvt_get_npkeys(&rdi), 16);
}

static void rvt_max_atomic__has_one_more_than_can_be_used(void **state)
{
	(void)state;
	rdi.dparms.max_rdma_atomic = 200;
	rdi.dparms.extra_rdma_atomic = 100;
	assert_int_equal(rvt_max_atomic(&rdi), 301);
}

static void rvt_size_atomic__is_the_last_index(void **state)
{
	(void)state;
	rdi.dparms.max_rdma_atomic = 200;
	rdi.dparms.extra_rdma_atomic = 100;
	assert_int_equal(rvt_size_atomic(&rdi), 300);
}

static void rvt_get_pkey__beyond_the_table_is_0(void **state)
{
	(void)state;
	u16 keys[2] = {0xffff, 0x8001};
	struct rvt_ibport port = {.pkey_table = keys};
	struct rvt_ibport *ports[] = {NULL, &port};

	rdi.ports = ports;
	rdi.dparms.npkeys = 2;
	assert_int_equal(rvt_get_pkey(&rdi, 1, 0), 0xffff);
	assert_int_equal(rvt_get_pkey(&rdi, 1, 1), 0x8001);
	assert_int_equal(rvt_get_pkey(&rdi, 1, 2), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ibpd_to_rvtpd__is_the_structure_around_it, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ibah_to_rvtah__is_the_structure_around_it, setup,
						NULL),
		cmocka_unit_test_setup_teardown(ib_to_rvt__is_the_structure_around_it, setup, NULL),
		cmocka_unit_test_setup_teardown(ibcq_to_rvtcq__is_the_structure_around_it, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_set_ibdev_name__formats_name_and_unit, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rvt_get_ibdev_name__is_the_devices, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_get_npkeys__is_the_drivers, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_max_atomic__has_one_more_than_can_be_used,
						setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_size_atomic__is_the_last_index, setup, NULL),
		cmocka_unit_test_setup_teardown(rvt_get_pkey__beyond_the_table_is_0, setup, NULL),
	};

	return verbena_test_main(tests);
}
