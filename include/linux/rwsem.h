/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's sleeping readers-writer lock. */
#ifndef VERBENA_LINUX_RWSEM_H
#define VERBENA_LINUX_RWSEM_H

#include <linux/spinlock.h>

struct CAPABILITY("mutex") rw_semaphore {
	struct base_rwlock base;
};

#define DECLARE_RWSEM(name) struct rw_semaphore name = {{0, 0}}

static inline void init_rwsem(struct rw_semaphore *sem)
{
	rwlock_init(&sem->base);
}

static inline void down_read(struct rw_semaphore *sem) ACQUIRE_SHARED(sem);
static inline int down_read_trylock(struct rw_semaphore *sem) TRY_ACQUIRE_SHARED(1, sem);
static inline void up_read(struct rw_semaphore *sem) RELEASE_SHARED(sem);
static inline void down_write(struct rw_semaphore *sem) ACQUIRE(sem);
static inline int down_write_trylock(struct rw_semaphore *sem) TRY_ACQUIRE(1, sem);
static inline void up_write(struct rw_semaphore *sem) RELEASE(sem);

NO_THREAD_SAFETY_ANALYSIS static inline void down_read(struct rw_semaphore *sem)
{
	base_rwlock_read(&sem->base);
}

NO_THREAD_SAFETY_ANALYSIS static inline int down_read_trylock(struct rw_semaphore *sem)
{
	return base_rwlock_try_read(&sem->base);
}

NO_THREAD_SAFETY_ANALYSIS static inline void up_read(struct rw_semaphore *sem)
{
	base_rwlock_read_done(&sem->base);
}

NO_THREAD_SAFETY_ANALYSIS static inline void down_write(struct rw_semaphore *sem)
{
	base_rwlock_write(&sem->base);
}

NO_THREAD_SAFETY_ANALYSIS static inline int down_write_trylock(struct rw_semaphore *sem)
{
	return base_rwlock_try_write(&sem->base);
}

NO_THREAD_SAFETY_ANALYSIS static inline void up_write(struct rw_semaphore *sem)
{
	base_rwlock_write_done(&sem->base);
}

#endif /* VERBENA_LINUX_RWSEM_H */
