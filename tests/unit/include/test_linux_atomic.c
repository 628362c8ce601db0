/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* <linux/atomic.h>, refcount.h, kref.h, percpu-refcount.h */
#include <linux/kref.h>
#include <linux/percpu-refcount.h>

#include "common/test.h"

static int released;

static int setup(void **state)
{
	(void)state;
	released = 0;
	return 0;
}

static void on_kref(struct kref *kref)
{
	(void)kref;
	released++;
}

static void on_ref(struct percpu_ref *ref)
{
	(void)ref;
	released++;
}

static void atomic_add_return__and_kin(void **state)
{
	(void)state;
	atomic_t v = ATOMIC_INIT(5);

	assert_int_equal(atomic_add_return(3, &v), 8);
	assert_int_equal(atomic_sub_return(2, &v), 6);
	assert_int_equal(atomic_inc_return(&v), 7);
	assert_int_equal(atomic_dec_return(&v), 6);
	assert_int_equal(atomic_fetch_add(4, &v), 6);
	assert_int_equal(atomic_read_acquire(&v), 10);
	atomic_add(2, &v);
	atomic_sub(5, &v);
	atomic_inc(&v);
	atomic_dec(&v);
	assert_int_equal(atomic_read(&v), 7);
	atomic_set_release(&v, 1);
	assert_true(atomic_dec_and_test(&v));
	assert_false(atomic_dec_and_test(&v));
	assert_true(atomic_inc_and_test(&v));
	atomic_set(&v, 4);
	assert_true(atomic_sub_and_test(4, &v));
}

static void atomic_xchg__returns_the_old(void **state)
{
	(void)state;
	atomic_t v = ATOMIC_INIT(5);

	assert_int_equal(atomic_xchg(&v, 9), 5);
	assert_int_equal(atomic_read(&v), 9);
}

static void atomic_cmpxchg__stores_only_over_the_expected(void **state)
{
	(void)state;
	atomic_t v = ATOMIC_INIT(5);

	assert_int_equal(atomic_cmpxchg(&v, 4, 9), 5);
	assert_int_equal(atomic_read(&v), 5);
	assert_int_equal(atomic_cmpxchg(&v, 5, 9), 5);
	assert_int_equal(atomic_read(&v), 9);
}

static void atomic_add_unless__leaves_the_forbidden(void **state)
{
	(void)state;
	atomic_t v = ATOMIC_INIT(5);

	assert_false(atomic_add_unless(&v, 1, 5));
	assert_true(atomic_add_unless(&v, 2, 6));
	assert_int_equal(atomic_read(&v), 7);
	atomic_set(&v, 0);
	assert_false(atomic_inc_not_zero(&v));
	assert_int_equal(atomic_read(&v), 0);
}

static void atomic64_add_return__and_kin(void **state)
{
	(void)state;
	const s64 big = (s64)1 << 40;
	atomic64_t v = ATOMIC64_INIT(0);

	atomic64_set(&v, big);
	assert_true(atomic64_add_return(3, &v) == big + 3);
	assert_true(atomic64_sub_return(1, &v) == big + 2);
	assert_true(atomic64_inc_return(&v) == big + 3);
	atomic64_add(5, &v);
	atomic64_sub(7, &v);
	atomic64_inc(&v);
	atomic64_dec(&v);
	assert_true(atomic64_read(&v) == big + 1);
	assert_true(atomic64_xchg(&v, 1) == big + 1);
	assert_true(atomic64_dec_and_test(&v));
}

static void refcount_inc_not_zero__no_way_back(void **state)
{
	(void)state;
	refcount_t r = REFCOUNT_INIT(1);

	assert_true(refcount_inc_not_zero(&r));
	refcount_inc(&r);
	refcount_dec(&r);
	assert_int_equal(refcount_read(&r), 2);
	assert_false(refcount_dec_and_test(&r));
	assert_true(refcount_dec_and_test(&r));
	assert_false(refcount_inc_not_zero(&r));
	refcount_set(&r, 3);
	assert_int_equal(refcount_read(&r), 3);
}

static void kref_put__releases_at_the_end(void **state)
{
	(void)state;
	struct kref kref;

	kref_init(&kref);
	kref_get(&kref);
	assert_int_equal(kref_read(&kref), 2);
	assert_int_equal(kref_put(&kref, on_kref), 0);
	assert_true(kref_get_unless_zero(&kref));
	assert_int_equal(kref_put(&kref, on_kref), 0);
	assert_int_equal(released, 0);
	assert_int_equal(kref_put(&kref, on_kref), 1);
	assert_int_equal(released, 1);
	assert_false(kref_get_unless_zero(&kref));
}

static void percpu_ref_kill__waits_for_the_last_put(void **state)
{
	(void)state;
	struct percpu_ref ref;

	assert_int_equal(percpu_ref_init(&ref, on_ref, 0, GFP_KERNEL), 0);
	percpu_ref_get(&ref);
	assert_true(percpu_ref_tryget(&ref));
	assert_true(percpu_ref_tryget_live(&ref));
	percpu_ref_kill(&ref);
	percpu_ref_kill(&ref);
	assert_true(percpu_ref_is_dying(&ref));
	assert_false(percpu_ref_tryget_live(&ref));
	percpu_ref_put(&ref);
	percpu_ref_put(&ref);
	assert_int_equal(released, 0);
	percpu_ref_put(&ref);
	assert_int_equal(released, 1);
	assert_true(percpu_ref_is_zero(&ref));
	assert_false(percpu_ref_tryget(&ref));
	percpu_ref_exit(&ref);
}

static void percpu_ref_reinit__lives_again(void **state)
{
	(void)state;
	struct percpu_ref ref;

	assert_int_equal(percpu_ref_init(&ref, on_ref, PERCPU_REF_INIT_DEAD, GFP_KERNEL), 0);
	assert_true(percpu_ref_is_dying(&ref));
	assert_true(percpu_ref_is_zero(&ref));
	percpu_ref_reinit(&ref);
	assert_true(percpu_ref_tryget_live(&ref));
}

static void percpu_ref_resurrect__takes_a_kill_back(void **state)
{
	(void)state;
	struct percpu_ref ref;

	assert_int_equal(percpu_ref_init(&ref, on_ref, 0, GFP_KERNEL), 0);
	percpu_ref_get(&ref);
	percpu_ref_kill(&ref);
	percpu_ref_resurrect(&ref);
	percpu_ref_put(&ref);
	assert_int_equal(released, 0);
	assert_false(percpu_ref_is_dying(&ref));
	percpu_ref_kill(&ref);
	assert_int_equal(released, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(atomic_add_return__and_kin, setup, NULL),
		cmocka_unit_test_setup_teardown(atomic_xchg__returns_the_old, setup, NULL),
		cmocka_unit_test_setup_teardown(atomic_cmpxchg__stores_only_over_the_expected,
						setup, NULL),
		cmocka_unit_test_setup_teardown(atomic_add_unless__leaves_the_forbidden, setup,
						NULL),
		cmocka_unit_test_setup_teardown(atomic64_add_return__and_kin, setup, NULL),
		cmocka_unit_test_setup_teardown(refcount_inc_not_zero__no_way_back, setup, NULL),
		cmocka_unit_test_setup_teardown(kref_put__releases_at_the_end, setup, NULL),
		cmocka_unit_test_setup_teardown(percpu_ref_kill__waits_for_the_last_put, setup,
						NULL),
		cmocka_unit_test_setup_teardown(percpu_ref_reinit__lives_again, setup, NULL),
		cmocka_unit_test_setup_teardown(percpu_ref_resurrect__takes_a_kill_back, setup,
						NULL),
	};

	return verbena_test_main(tests);
}
