/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Arithmetic on the circle of 24 bits [rcp 3]. */
#include "common/test.h"

#include "packet/psn.h"

static void psn__keeps_24_bits(void **state)
{
	(void)state;
	assert_int_equal(psn(0x12345678).v, 0x345678);
	assert_int_equal(msn(0xff000001).v, 0x000001);
}

static void psn_add__wraps(void **state)
{
	(void)state;
	assert_int_equal(psn_add(psn(0xffffff), 1).v, 0);
	assert_int_equal(psn_add(psn(0xfffffe), 0x1000005).v, 3);
	assert_int_equal(msn_add(msn(0xffffff), 2).v, 1);
}

static void psn_sub__wraps(void **state)
{
	(void)state;
	assert_int_equal(psn_sub(psn(0), 1).v, 0xffffff);
	assert_int_equal(psn_sub(psn(5), 3).v, 2);
}

static void psn_diff__is_the_shorter_way(void **state)
{
	(void)state;
	assert_int_equal(psn_diff(psn(5), psn(5)), 0);
	assert_int_equal(psn_diff(psn(6), psn(5)), 1);
	assert_int_equal(psn_diff(psn(5), psn(6)), -1);
	assert_int_equal(psn_diff(psn(1), psn(0xfffffe)), 3);
	assert_int_equal(psn_diff(psn(0xfffffe), psn(1)), -3);
	assert_int_equal(msn_diff(msn(1), msn(0xfffffe)), 3);
	assert_int_equal(msn_diff(msn(0xfffffe), msn(1)), -3);
}

static void psn_diff__half_way_round_is_behind(void **state)
{
	(void)state;
	assert_int_equal(psn_diff(psn(0x7fffff), psn(0)), 0x7fffff);
	assert_int_equal(psn_diff(psn(0x800000), psn(0)), -0x800000);
	assert_int_equal(psn_diff(psn(0), psn(0x800000)), -0x800000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(psn__keeps_24_bits),
	cmocka_unit_test(psn_add__wraps),
	cmocka_unit_test(psn_sub__wraps),
	cmocka_unit_test(psn_diff__is_the_shorter_way),
	cmocka_unit_test(psn_diff__half_way_round_is_behind),
};

int main(void)
{
	return verbena_test_main(tests);
}
