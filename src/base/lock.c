// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The contended halves of the locks: look a while, then sleep on the word. */
#include <linux/futex.h>
#include <linux/verbena_base.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/futex.h"

#define LOOKS_BEFORE_SLEEP 100
#define LOOK_AGAIN_NS 1000000u

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

void base_futex_wait(u32 *word, u32 seen, uint64_t timeout_ns)
{
	struct timespec ts = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen,
		timeout_ns == BASE_FOREVER_NS ? NULL : &ts, NULL, 0);
}

void base_futex_wake(u32 *word, int how_many)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, how_many, NULL, NULL, 0);
}

void base_lock_slow(struct base_lock *lock)
{
	for (int look = 0; look < LOOKS_BEFORE_SLEEP; look++) {
		u32 free_word = 0;

		if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&lock->word, &free_word, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return;
		relax();
	}
	/* Not for ever: spin_unlock() may miss a waiter that comes at the wrong moment. */
	while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0)
		base_futex_wait(&lock->word, 2, LOOK_AGAIN_NS);
}

void base_unlock_slow(struct base_lock *lock)
{
	if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2)
		base_futex_wake(&lock->word, 1);
}

/* state: the number of readers, or this for one writer. */
#define WRITING UINT32_MAX

bool base_rwlock_try_read(struct base_rwlock *lock)
{
	u32 now = __atomic_load_n(&lock->state, __ATOMIC_RELAXED);

	while (now != WRITING)
		if (__atomic_compare_exchange_n(&lock->state, &now, now + 1, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

bool base_rwlock_try_write(struct base_rwlock *lock)
{
	u32 nobody = 0;

	return __atomic_compare_exchange_n(&lock->state, &nobody, WRITING, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* Readers and writers sleep on the same word: whoever frees the lock wakes them all. */
static void sleep_on(struct base_rwlock *lock, bool (*free_for)(u32 state))
{
	u32 now;

	__atomic_fetch_add(&lock->sleepers, 1, __ATOMIC_SEQ_CST);
	now = __atomic_load_n(&lock->state, __ATOMIC_SEQ_CST);
	if (!free_for(now))
		base_futex_wait(&lock->state, now, BASE_FOREVER_NS);
	__atomic_fetch_sub(&lock->sleepers, 1, __ATOMIC_SEQ_CST);
}

static void wake_sleepers(struct base_rwlock *lock)
{
	if (__atomic_load_n(&lock->sleepers, __ATOMIC_SEQ_CST))
		base_futex_wake(&lock->state, INT32_MAX);
}

static bool free_for_reader(u32 state)
{
	return state != WRITING;
}

static bool free_for_writer(u32 state)
{
	return state == 0;
}

void base_rwlock_read(struct base_rwlock *lock)
{
	while (!base_rwlock_try_read(lock))
		sleep_on(lock, free_for_reader);
}

void base_rwlock_write(struct base_rwlock *lock)
{
	while (!base_rwlock_try_write(lock))
		sleep_on(lock, free_for_writer);
}

NO_THREAD_SAFETY_ANALYSIS void base_rwlock_read_done(struct base_rwlock *lock)
{
	const u32 was = __atomic_fetch_sub(&lock->state, 1, __ATOMIC_SEQ_CST);

	INVARIANT(was != 0 && was != WRITING);
	if (was == 1)
		wake_sleepers(lock);
}

NO_THREAD_SAFETY_ANALYSIS void base_rwlock_write_done(struct base_rwlock *lock)
{
	INVARIANT(__atomic_exchange_n(&lock->state, 0, __ATOMIC_SEQ_CST) == WRITING);
	wake_sleepers(lock);
}
