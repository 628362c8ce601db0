// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Locks and read sections under contention. */
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <pthread.h>

#include "common/test.h"

enum { THREADS = 4, ROUNDS = 20000 };

static spinlock_t lock;
static rwlock_t rwlock;
static int plain;
static int *published;

static void in_threads(void *(*fn)(void *arg))
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, fn, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static void *count_under_lock(void *arg)
{
	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		spin_lock(&lock);
		plain++;
		spin_unlock(&lock);
	}
	return NULL;
}

static void spin_lock__excludes(void **state)
{
	(void)state;
	spin_lock_init(&lock);
	plain = 0;
	in_threads(count_under_lock);
	assert_int_equal(plain, THREADS * ROUNDS);
	assert_false(spin_is_locked(&lock));
}

static void *read_and_write(void *arg)
{
	for (int i = 0; i < ROUNDS / 10; i++) {
		write_lock(&rwlock);
		plain++;
		write_unlock(&rwlock);
		read_lock(&rwlock);
		if (plain < 1)
			arg = &plain;
		read_unlock(&rwlock);
	}
	return arg;
}

static void base_rwlock_write__excludes_all(void **state)
{
	(void)state;
	rwlock_init(&rwlock);
	plain = 0;
	in_threads(read_and_write);
	assert_int_equal(plain, THREADS * (ROUNDS / 10));
}

/* Holds it twice, which is more than the analysis can follow. */
NO_THREAD_SAFETY_ANALYSIS
static void base_rwlock_try_read__with_writer_fails(void **state)
{
	(void)state;
	rwlock_init(&rwlock);
	assert_true(base_rwlock_try_read(&rwlock));
	assert_true(base_rwlock_try_read(&rwlock));
	assert_false(base_rwlock_try_write(&rwlock));
	read_unlock(&rwlock);
	read_unlock(&rwlock);
	assert_true(base_rwlock_try_write(&rwlock));
	assert_false(base_rwlock_try_read(&rwlock));
	write_unlock(&rwlock);
}

static void *read_published(void *arg)
{
	int stop = 0;

	(void)arg;
	while (!stop) {
		base_rcu_read_lock();
		base_rcu_read_lock(); /* sections nest */
		stop = __atomic_load_n(__atomic_load_n(&published, __ATOMIC_ACQUIRE),
				       __ATOMIC_RELAXED) < 0;
		base_rcu_read_unlock();
		base_rcu_read_unlock();
	}
	return NULL;
}

/* Under ASan or TSan a reader of freed memory is seen. */
static void base_rcu_wait__outlasts_readers(void **state)
{
	pthread_t thread[THREADS];
	int *fresh = base_zalloc(sizeof(*fresh));

	(void)state;
	assert_non_null(fresh);
	__atomic_store_n(&published, fresh, __ATOMIC_RELEASE);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, read_published, NULL), 0);
	for (int i = 0; i < 200; i++) {
		int *old = published;

		fresh = base_zalloc(sizeof(*fresh));
		if (!fresh)
			continue; /* torture */
		__atomic_store_n(&published, fresh, __ATOMIC_RELEASE);
		base_rcu_wait();
		__atomic_store_n(old, 1, __ATOMIC_RELAXED);
		base_free(old);
	}
	__atomic_store_n(published, -1, __ATOMIC_RELEASE);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	base_free(published);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(spin_lock__excludes),
	cmocka_unit_test(base_rwlock_write__excludes_all),
	cmocka_unit_test(base_rwlock_try_read__with_writer_fails),
	cmocka_unit_test(base_rcu_wait__outlasts_readers),
};

int main(void)
{
	return verbena_test_main(tests);
}
