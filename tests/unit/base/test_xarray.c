/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* <linux/xarray.h>: order, holes, limits, and what is left after each call. */
#include <errno.h>
#include <linux/err.h>
#include <linux/xarray.h>

#include "common/test.h"

static int setup(void **state)
{
	static struct xarray xa;

	xa_init_flags(&xa, XA_FLAGS_ALLOC);
	*state = &xa;
	return 0;
}

static int teardown(void **state)
{
	xa_destroy(*state);
	return 0;
}

static int things[100];

static void xa_init_flags__is_empty_and_keeps_flags(void **state)
{
	struct xarray *xa = *state;

	assert_true(xa_empty(xa));
	assert_int_equal(xa->xa_flags, XA_FLAGS_ALLOC);
	assert_null(xa_load(xa, 0));
}

static void xa_init__has_no_flags(void **state)
{
	struct xarray xa = {.xa_flags = 7, .count = 3};

	(void)state;
	xa_init(&xa);
	assert_int_equal(xa.xa_flags, 0);
	assert_true(xa_empty(&xa));
}

static void xa_store__keeps_entries_of_any_order(void **state)
{
	struct xarray *xa = *state;

	for (unsigned long i = 0; i < 100; i++) {
		const unsigned long index = i * 37 % 100;

		assert_null(xa_store(xa, index * 1000, &things[index], GFP_KERNEL));
	}
	for (unsigned long i = 0; i < 100; i++) {
		assert_ptr_equal(xa_load(xa, i * 1000), &things[i]);
		assert_null(xa_load(xa, i * 1000 + 1));
	}
}

static void xa_store__returns_what_it_replaces(void **state)
{
	struct xarray *xa = *state;

	assert_null(xa_store(xa, 5, &things[0], GFP_KERNEL));
	assert_ptr_equal(xa_store(xa, 5, &things[1], GFP_KERNEL), &things[0]);
	assert_ptr_equal(xa_load(xa, 5), &things[1]);
}

static void xa_store__null_erases(void **state)
{
	struct xarray *xa = *state;

	assert_null(xa_store(xa, 5, &things[0], GFP_KERNEL));
	assert_ptr_equal(xa_store(xa, 5, NULL, GFP_KERNEL), &things[0]);
	assert_true(xa_empty(xa));
}

static void xa_store__without_memory_is_an_error_pointer(void **state)
{
	struct xarray *xa = *state;
	void *old;

	base_alloc_fail_nth(1);
	old = xa_store(xa, 5, &things[0], GFP_KERNEL);
	base_alloc_fail_nth(0);
	assert_true(xa_is_err(old));
	assert_int_equal(xa_err(old), -ENOMEM);
	assert_true(xa_empty(xa));
}

static void xa_err__of_an_entry_is_0(void **state)
{
	(void)state;
	assert_false(xa_is_err(&things[0]));
	assert_int_equal(xa_err(&things[0]), 0);
	assert_int_equal(xa_err(NULL), 0);
}

static void xa_erase__leaves_the_others(void **state)
{
	struct xarray *xa = *state;

	for (unsigned long i = 0; i < 3; i++)
		assert_null(xa_store(xa, i, &things[i], GFP_KERNEL));
	assert_ptr_equal(xa_erase(xa, 1), &things[1]);
	assert_null(xa_erase(xa, 1));
	assert_ptr_equal(xa_load(xa, 0), &things[0]);
	assert_ptr_equal(xa_load(xa, 2), &things[2]);
}

static void xa_insert__refuses_a_taken_index(void **state)
{
	struct xarray *xa = *state;

	assert_int_equal(xa_insert(xa, 9, &things[0], GFP_KERNEL), 0);
	assert_int_equal(xa_insert(xa, 9, &things[1], GFP_KERNEL), -EBUSY);
	assert_ptr_equal(xa_load(xa, 9), &things[0]);
}

static void xa_alloc__takes_the_first_free_index(void **state)
{
	struct xarray *xa = *state;
	u32 id = 0;

	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(xa_alloc(xa, &id, &things[i], xa_limit_32b, GFP_KERNEL), 0);
		assert_int_equal(id, i);
	}
	assert_ptr_equal(xa_erase(xa, 2), &things[2]);
	assert_int_equal(xa_alloc(xa, &id, &things[9], xa_limit_31b, GFP_KERNEL), 0);
	assert_int_equal(id, 2);
}

static void xa_alloc__full_range_is_ebusy(void **state)
{
	struct xarray *xa = *state;
	u32 id = 77;

	assert_int_equal(xa_alloc(xa, &id, &things[0], XA_LIMIT(3, 3), GFP_KERNEL), 0);
	assert_int_equal(id, 3);
	assert_int_equal(xa_alloc(xa, &id, &things[1], XA_LIMIT(3, 3), GFP_KERNEL), -EBUSY);
	assert_int_equal(id, 3);
}

static void xa_alloc__without_memory_is_enomem(void **state)
{
	struct xarray *xa = *state;
	u32 id = 77;
	int ret;

	base_alloc_fail_nth(1);
	ret = xa_alloc(xa, &id, &things[0], xa_limit_32b, GFP_KERNEL);
	base_alloc_fail_nth(0);
	assert_int_equal(ret, -ENOMEM);
	assert_int_equal(id, 77);
}

static void xa_for_each__goes_in_order_while_entries_vanish(void **state)
{
	struct xarray *xa = *state;
	unsigned long index, expected = 0;
	int *thing;

	for (unsigned long i = 0; i < 10; i++)
		assert_null(xa_store(xa, 90 - i * 10, &things[9 - i], GFP_KERNEL));
	xa_for_each(xa, index, thing) {
		assert_int_equal(index, expected * 10);
		assert_ptr_equal(thing, &things[expected]);
		assert_ptr_equal(xa_erase(xa, index), thing);
		expected++;
	}
	assert_int_equal(expected, 10);
	assert_true(xa_empty(xa));
}

static void xa_find__stops_at_max(void **state)
{
	struct xarray *xa = *state;
	unsigned long index = 3;

	assert_null(xa_store(xa, 5, &things[5], GFP_KERNEL));
	assert_null(xa_find(xa, &index, 4, XA_PRESENT));
	assert_ptr_equal(xa_find(xa, &index, 5, XA_PRESENT), &things[5]);
	assert_int_equal(index, 5);
	assert_null(xa_find_after(xa, &index, ULONG_MAX, XA_PRESENT));
}

static void xa_find_after__ends_at_the_highest_index(void **state)
{
	struct xarray *xa = *state;
	unsigned long index = ULONG_MAX - 1;

	assert_null(xa_store(xa, ULONG_MAX, &things[0], GFP_KERNEL));
	assert_ptr_equal(xa_find_after(xa, &index, ULONG_MAX, XA_PRESENT), &things[0]);
	assert_int_equal(index, ULONG_MAX);
	assert_null(xa_find_after(xa, &index, ULONG_MAX, XA_PRESENT));
}

static void xa_destroy__can_be_filled_again(void **state)
{
	struct xarray *xa = *state;

	assert_null(xa_store(xa, 5, &things[0], GFP_KERNEL));
	xa_destroy(xa);
	assert_true(xa_empty(xa));
	assert_null(xa_store(xa, 6, &things[1], GFP_KERNEL));
	assert_ptr_equal(xa_load(xa, 6), &things[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(xa_init_flags__is_empty_and_keeps_flags),
		TEST(xa_init__has_no_flags),
		TEST(xa_store__keeps_entries_of_any_order),
		TEST(xa_store__returns_what_it_replaces),
		TEST(xa_store__null_erases),
		TEST(xa_store__without_memory_is_an_error_pointer),
		TEST(xa_err__of_an_entry_is_0),
		TEST(xa_erase__leaves_the_others),
		TEST(xa_insert__refuses_a_taken_index),
		TEST(xa_alloc__takes_the_first_free_index),
		TEST(xa_alloc__full_range_is_ebusy),
		TEST(xa_alloc__without_memory_is_enomem),
		TEST(xa_for_each__goes_in_order_while_entries_vanish),
		TEST(xa_find__stops_at_max),
		TEST(xa_find_after__ends_at_the_highest_index),
		TEST(xa_destroy__can_be_filled_again),
	};

	return verbena_test_main(tests);
}
