/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Read-side sections around structures that are changed by copying. */
#ifndef VERBENA_LINUX_RCUPDATE_H
#define VERBENA_LINUX_RCUPDATE_H

#include <linux/verbena_base.h>

static inline void rcu_read_lock(void)
{
	base_rcu_read_lock();
}

static inline void rcu_read_unlock(void)
{
	base_rcu_read_unlock();
}

static inline void synchronize_rcu(void)
{
	base_rcu_wait();
}

#define rcu_dereference(p) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define rcu_dereference_protected(p, c) ((void)(c), (p))
#define rcu_access_pointer(p) __atomic_load_n(&(p), __ATOMIC_RELAXED)
#define rcu_assign_pointer(p, v) __atomic_store_n(&(p), (v), __ATOMIC_RELEASE)
#define RCU_INIT_POINTER(p, v) ((p) = (v))

#endif /* VERBENA_LINUX_RCUPDATE_H */
