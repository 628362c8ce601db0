/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's sleeping lock; here it is the same lock as spinlock_t, in its own type. */
#ifndef VERBENA_LINUX_MUTEX_H
#define VERBENA_LINUX_MUTEX_H

#include <linux/spinlock.h>

struct CAPABILITY("mutex") mutex {
	struct base_lock base;
};

#define DEFINE_MUTEX(name) struct mutex name = {BASE_LOCK_INIT}

static inline void mutex_init(struct mutex *lock)
{
	spin_lock_init(&lock->base);
}

#define mutex_destroy(lock) ((void)(lock))

static inline void mutex_lock(struct mutex *lock) ACQUIRE(lock);
static inline void mutex_unlock(struct mutex *lock) RELEASE(lock);
static inline int mutex_trylock(struct mutex *lock) TRY_ACQUIRE(1, lock);

NO_THREAD_SAFETY_ANALYSIS static inline void mutex_lock(struct mutex *lock)
{
	spin_lock(&lock->base);
}

NO_THREAD_SAFETY_ANALYSIS static inline void mutex_unlock(struct mutex *lock)
{
	spin_unlock(&lock->base);
}

NO_THREAD_SAFETY_ANALYSIS static inline int mutex_trylock(struct mutex *lock)
{
	return spin_trylock(&lock->base);
}

static inline bool mutex_is_locked(struct mutex *lock)
{
	return spin_is_locked(&lock->base) != 0;
}

#endif /* VERBENA_LINUX_MUTEX_H */
