/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory, devices, complaints, modules, locks, RCU. */
#include <linux/bug.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <stdio.h>
#include <string.h>

#include "common/test.h"

static int warnings, module_exits;

static int setup(void **state)
{
	(void)state;
	warnings = 0;
	return 0;
}

void base_warn(const char *file, int line, const char *condition)
{
	assert_non_null(file);
	assert_true(line > 0);
	assert_non_null(condition);
	warnings++;
}

static int __init start(void)
{
	return 7;
}

static void __exit stop(void)
{
	module_exits++;
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("Dual BSD/GPL");
MODULE_AUTHOR("nobody");
MODULE_DESCRIPTION("names that a kernel module has");

static void kzalloc__and_kin_are_zeroed(void **state)
{
	(void)state;
	char *p = kzalloc(10, GFP_KERNEL), *q = kmalloc(10, GFP_ATOMIC);
	u32 *r = kcalloc(3, sizeof(*r), GFP_KERNEL), *s = kmalloc_array(3, sizeof(*s), GFP_KERNEL);

	assert_non_null(p);
	assert_non_null(q);
	assert_non_null(r);
	assert_non_null(s);
	assert_int_equal(p[9], 0);
	assert_int_equal(q[9], 0);
	assert_int_equal(r[2], 0);
	kfree(p);
	kfree(q);
	kfree(r);
	kvfree(s);
	kfree(NULL);
}

static void kcalloc__overflow_is_null(void **state)
{
	(void)state;
	assert_null(kcalloc(SIZE_MAX / 2, 3, GFP_KERNEL));
	assert_null(kmalloc_array(SIZE_MAX / 2, 3, GFP_KERNEL));
}

static void kmemdup__copies(void **state)
{
	(void)state;
	char *p = kmemdup("abc", 2, GFP_KERNEL), *q = kstrdup("text", GFP_KERNEL);

	assert_non_null(p);
	assert_non_null(q);
	assert_memory_equal(p, "ab", 2);
	assert_string_equal(q, "text");
	assert_null(kstrdup(NULL, GFP_KERNEL));
	kfree(p);
	kfree(q);
}

static void alloc_pages__are_pages_of_zeroes(void **state)
{
	struct page *page = alloc_pages(GFP_KERNEL, 2);
	const unsigned long one = __get_free_page(GFP_KERNEL);
	char *bytes;

	(void)state;
	assert_non_null(page);
	assert_true(one != 0);
	bytes = page_address(page);
	assert_int_equal((uintptr_t)bytes % PAGE_SIZE, 0);
	assert_int_equal(one % PAGE_SIZE, 0);
	for (size_t i = 0; i < 4 * PAGE_SIZE; i++)
		assert_true(!bytes[i]);
	memset(bytes, 1, 4 * PAGE_SIZE);
	memset((void *)one, 1, PAGE_SIZE);
	__free_pages(page, 2);
	free_page(one);
	free_page(0);
	__free_page(NULL);
	assert_null(alloc_pages(GFP_KERNEL, 51));
	assert_null(alloc_pages(GFP_KERNEL, 64));
}

static void dev_name__prefers_the_name(void **state)
{
	(void)state;
	struct device dev = {.init_name = "first", .numa_node = 2};
	int thing;

	assert_string_equal(dev_name(&dev), "first");
	snprintf(dev.name, sizeof(dev.name), "second");
	assert_string_equal(dev_name(&dev), "second");
	assert_int_equal(dev_to_node(&dev), 2);
	dev_set_drvdata(&dev, &thing);
	assert_ptr_equal(dev_get_drvdata(&dev), &thing);
}

static void WARN_ON__has_the_conditions_value(void **state)
{
	(void)state;
	assert_false(WARN_ON(0));
	assert_true(WARN_ON(5));
	assert_true(WARN_ON(5));
	assert_int_equal(warnings, 2);
}

static void WARN_ON_ONCE__says_it_once(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(WARN_ON_ONCE(i >= 0));
	assert_int_equal(warnings, 1);
	assert_false(WARN_ON_ONCE(false));
	assert_int_equal(BUILD_BUG_ON_ZERO(0), 0);
}

static void module_init__lets_a_program_call_it(void **state)
{
	(void)state;
	assert_int_equal(base_module_init(), 7);
	base_module_exit();
	assert_int_equal(module_exits, 1);
	assert_true(try_module_get(THIS_MODULE));
	module_put(THIS_MODULE);
}

static void spin_trylock__tells_if_it_is_held(void **state)
{
	(void)state;
	DEFINE_SPINLOCK(lock);
	unsigned long flags;
	int taken;

	spin_lock_irqsave(&lock, flags);
	assert_true(spin_is_locked(&lock));
	spin_unlock_irqrestore(&lock, flags);
	assert_false(spin_is_locked(&lock));
	taken = spin_trylock(&lock);
	if (taken)
		spin_unlock(&lock);
	assert_true(taken);
	spin_lock_init(&lock);
	assert_false(spin_is_locked(&lock));
}

static void mutex_trylock__tells_if_it_is_held(void **state)
{
	(void)state;
	DEFINE_MUTEX(lock);
	int taken;

	mutex_lock(&lock);
	assert_true(mutex_is_locked(&lock));
	mutex_unlock(&lock);
	taken = mutex_trylock(&lock);
	if (taken)
		mutex_unlock(&lock);
	assert_true(taken);
	mutex_init(&lock);
	assert_false(mutex_is_locked(&lock));
}

static void down_read_trylock__shares_with_readers_only(void **state)
{
	(void)state;
	struct rw_semaphore sem;
	int second = 0, writer = 1;

	init_rwsem(&sem);
	down_read(&sem);
	second = base_rwlock_try_read(&sem.base);
	writer = base_rwlock_try_write(&sem.base);
	if (second)
		base_rwlock_read_done(&sem.base);
	up_read(&sem);
	assert_true(second);
	assert_false(writer);
	down_write(&sem);
	second = base_rwlock_try_read(&sem.base);
	up_write(&sem);
	assert_false(second);
}

static void rcu_dereference__sees_what_was_assigned(void **state)
{
	(void)state;
	int one = 1;
	int *shared = NULL;

	rcu_assign_pointer(shared, &one);
	rcu_read_lock();
	assert_ptr_equal(rcu_dereference(shared), &one);
	rcu_read_unlock();
	synchronize_rcu();
	assert_ptr_equal(rcu_access_pointer(shared), &one);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kzalloc__and_kin_are_zeroed, setup, NULL),
		cmocka_unit_test_setup_teardown(kcalloc__overflow_is_null, setup, NULL),
		cmocka_unit_test_setup_teardown(kmemdup__copies, setup, NULL),
		cmocka_unit_test_setup_teardown(alloc_pages__are_pages_of_zeroes, setup, NULL),
		cmocka_unit_test_setup_teardown(dev_name__prefers_the_name, setup, NULL),
		cmocka_unit_test_setup_teardown(WARN_ON__has_the_conditions_value, setup, NULL),
		cmocka_unit_test_setup_teardown(WARN_ON_ONCE__says_it_once, setup, NULL),
		cmocka_unit_test_setup_teardown(module_init__lets_a_program_call_it, setup, NULL),
		cmocka_unit_test_setup_teardown(spin_trylock__tells_if_it_is_held, setup, NULL),
		cmocka_unit_test_setup_teardown(mutex_trylock__tells_if_it_is_held, setup, NULL),
		cmocka_unit_test_setup_teardown(down_read_trylock__shares_with_readers_only, setup,
						NULL),
		cmocka_unit_test_setup_teardown(rcu_dereference__sees_what_was_assigned, setup,
						NULL),
	};

	return verbena_test_main(tests);
}
