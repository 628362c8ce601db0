/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Locks: one compare-and-exchange to take, one store to release, a futex when contended.
 * There are no interrupts here, so the _irq and _bh forms are the plain ones.
 */
#ifndef VERBENA_LINUX_SPINLOCK_H
#define VERBENA_LINUX_SPINLOCK_H

#include <linux/verbena_base.h>

typedef struct base_lock spinlock_t;
typedef struct base_lock raw_spinlock_t;
typedef struct base_rwlock rwlock_t;

#define BASE_LOCK_INIT \
	{              \
		0      \
	}
#define __SPIN_LOCK_UNLOCKED(name) BASE_LOCK_INIT
#define DEFINE_SPINLOCK(name) spinlock_t name = BASE_LOCK_INIT

static inline void spin_lock_init(spinlock_t *lock)
{
	__atomic_store_n(&lock->word, 0, __ATOMIC_RELAXED);
}

static inline void spin_lock(spinlock_t *lock) ACQUIRE(lock);
static inline void spin_unlock(spinlock_t *lock) RELEASE(lock);
static inline int spin_trylock(spinlock_t *lock) TRY_ACQUIRE(1, lock);

NO_THREAD_SAFETY_ANALYSIS static inline void spin_lock(spinlock_t *lock)
{
	u32 free_word = 0;

	if (!__atomic_compare_exchange_n(&lock->word, &free_word, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		base_lock_slow(lock);
}

NO_THREAD_SAFETY_ANALYSIS static inline int spin_trylock(spinlock_t *lock)
{
	u32 free_word = 0;

	return __atomic_compare_exchange_n(&lock->word, &free_word, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/*
 * A plain store where nobody seems to wait; an exchange would cost as much as taking the lock did.
 * Who begins to wait between the look and the store is not woken, and looks again by itself after a
 * millisecond (base_lock_slow()).
 */
NO_THREAD_SAFETY_ANALYSIS static inline void spin_unlock(spinlock_t *lock)
{
	if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == 1)
		__atomic_store_n(&lock->word, 0, __ATOMIC_RELEASE);
	else
		base_unlock_slow(lock);
}

static inline int spin_is_locked(spinlock_t *lock)
{
	return __atomic_load_n(&lock->word, __ATOMIC_RELAXED) != 0;
}

#define assert_spin_locked(lock) ((void)(lock))
#define lockdep_assert_held(lock) ((void)(lock))

#define spin_lock_irq(lock) spin_lock(lock)
#define spin_unlock_irq(lock) spin_unlock(lock)
#define spin_lock_bh(lock) spin_lock(lock)
#define spin_unlock_bh(lock) spin_unlock(lock)
#define spin_lock_nested(lock, subclass) spin_lock(lock)
#define spin_lock_irqsave(lock, flags) \
	do {                           \
		(flags) = 0;           \
		spin_lock(lock);       \
	} while (0)
#define spin_unlock_irqrestore(lock, flags) \
	do {                                \
		(void)(flags);              \
		spin_unlock(lock);          \
	} while (0)

#define DEFINE_RWLOCK(name) rwlock_t name = {0, 0}

static inline void rwlock_init(rwlock_t *lock)
{
	lock->state = 0;
	lock->sleepers = 0;
}

#define read_lock(lock) base_rwlock_read(lock)
#define read_unlock(lock) base_rwlock_read_done(lock)
#define write_lock(lock) base_rwlock_write(lock)
#define write_unlock(lock) base_rwlock_write_done(lock)
#define read_lock_irq(lock) base_rwlock_read(lock)
#define read_unlock_irq(lock) base_rwlock_read_done(lock)
#define write_lock_irq(lock) base_rwlock_write(lock)
#define write_unlock_irq(lock) base_rwlock_write_done(lock)
#define read_lock_irqsave(lock, flags)  \
	do {                            \
		(flags) = 0;            \
		base_rwlock_read(lock); \
	} while (0)
#define read_unlock_irqrestore(lock, flags)  \
	do {                                 \
		(void)(flags);               \
		base_rwlock_read_done(lock); \
	} while (0)
#define write_lock_irqsave(lock, flags)  \
	do {                             \
		(flags) = 0;             \
		base_rwlock_write(lock); \
	} while (0)
#define write_unlock_irqrestore(lock, flags)  \
	do {                                  \
		(void)(flags);                \
		base_rwlock_write_done(lock); \
	} while (0)

#endif /* VERBENA_LINUX_SPINLOCK_H */
