/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's per-CPU reference count; one counter does here. */
#ifndef VERBENA_LINUX_PERCPU_REFCOUNT_H
#define VERBENA_LINUX_PERCPU_REFCOUNT_H

#include <linux/atomic.h>
#include <linux/gfp.h>

struct percpu_ref;

typedef void (*percpu_ref_func_t)(struct percpu_ref *ref);

struct percpu_ref {
	atomic64_t count;
	percpu_ref_func_t release;
	u32 dead;
};

enum {
	PERCPU_REF_INIT_ATOMIC = 1 << 0,
	PERCPU_REF_INIT_DEAD = 1 << 1,
	PERCPU_REF_ALLOW_REINIT = 1 << 2,
};

/* One reference to begin with, which percpu_ref_kill() drops; @release runs at zero. */
static inline int percpu_ref_init(struct percpu_ref *ref, percpu_ref_func_t release,
				  unsigned int flags, gfp_t gfp)
{
	(void)gfp;
	ref->dead = (flags & PERCPU_REF_INIT_DEAD) != 0;
	atomic64_set(&ref->count, ref->dead ? 0 : 1);
	ref->release = release;
	return 0;
}

static inline void percpu_ref_exit(struct percpu_ref *ref)
{
	ref->release = NULL;
}

static inline void percpu_ref_get(struct percpu_ref *ref)
{
	atomic64_inc(&ref->count);
}

static inline bool percpu_ref_tryget(struct percpu_ref *ref)
{
	s64 now = atomic64_read(&ref->count);

	while (now > 0) {
		if (__atomic_compare_exchange_n(&ref->count.counter, &now, now + 1, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static inline void percpu_ref_put(struct percpu_ref *ref)
{
	if (atomic64_dec_and_test(&ref->count))
		ref->release(ref);
}

static inline bool percpu_ref_is_dying(struct percpu_ref *ref)
{
	return __atomic_load_n(&ref->dead, __ATOMIC_ACQUIRE) != 0;
}

static inline bool percpu_ref_tryget_live(struct percpu_ref *ref)
{
	return !percpu_ref_is_dying(ref) && percpu_ref_tryget(ref);
}

static inline void percpu_ref_kill(struct percpu_ref *ref)
{
	if (!__atomic_exchange_n(&ref->dead, 1, __ATOMIC_ACQ_REL))
		percpu_ref_put(ref);
}

static inline bool percpu_ref_is_zero(struct percpu_ref *ref)
{
	return atomic64_read(&ref->count) == 0;
}

/* Back to life after it had reached zero. */
static inline void percpu_ref_reinit(struct percpu_ref *ref)
{
	atomic64_set(&ref->count, 1);
	__atomic_store_n(&ref->dead, 0, __ATOMIC_RELEASE);
}

/* Takes back a percpu_ref_kill() before the end. */
static inline void percpu_ref_resurrect(struct percpu_ref *ref)
{
	percpu_ref_get(ref);
	__atomic_store_n(&ref->dead, 0, __ATOMIC_RELEASE);
}

#endif /* VERBENA_LINUX_PERCPU_REFCOUNT_H */
