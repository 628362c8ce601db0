/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The P_Key rule [rcp 1]. */
#include "common/test.h"

#include "packet/pkey.h"

static void pkt_pkey_valid__zero_is_no_partition(void **state)
{
	(void)state;
	assert_false(pkt_pkey_valid(0x0000));
	assert_false(pkt_pkey_valid(0x8000));
	assert_true(pkt_pkey_valid(0x0001));
	assert_true(pkt_pkey_valid(PKT_PKEY_DEFAULT));
}

static void pkt_pkey_match__needs_one_full_member(void **state)
{
	(void)state;
	assert_true(pkt_pkey_match(0xffff, 0xffff));
	assert_true(pkt_pkey_match(0xffff, 0x7fff));
	assert_true(pkt_pkey_match(0x7fff, 0xffff));
	assert_false(pkt_pkey_match(0x7fff, 0x7fff));
}

static void pkt_pkey_match__needs_the_same_partition(void **state)
{
	(void)state;
	assert_true(pkt_pkey_match(0x8001, 0x8001));
	assert_false(pkt_pkey_match(0x8001, 0x8002));
	assert_false(pkt_pkey_match(0xffff, 0xbfff));
}

static void pkt_pkey_match__invalid_keys_match_nothing(void **state)
{
	(void)state;
	assert_false(pkt_pkey_match(0x8000, 0x8000));
	assert_false(pkt_pkey_match(0x8000, 0x0000));
	assert_false(pkt_pkey_match(0x0000, 0xffff));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pkt_pkey_valid__zero_is_no_partition),
	cmocka_unit_test(pkt_pkey_match__needs_one_full_member),
	cmocka_unit_test(pkt_pkey_match__needs_the_same_partition),
	cmocka_unit_test(pkt_pkey_match__invalid_keys_match_nothing),
};

int main(void)
{
	return verbena_test_main(tests);
}
