/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A thing to wait for that happens once, or a counted number of times. */
#ifndef VERBENA_LINUX_COMPLETION_H
#define VERBENA_LINUX_COMPLETION_H

#include <linux/jiffies.h>

struct completion {
	u32 done;
};

#define BASE_COMPLETED_FOR_ALL (UINT32_MAX / 2)
#define COMPLETION_INITIALIZER(name) \
	{                            \
		0                    \
	}
#define DECLARE_COMPLETION(name) struct completion name = {0}
#define DECLARE_COMPLETION_ONSTACK(name) DECLARE_COMPLETION(name)

static inline void init_completion(struct completion *x)
{
	x->done = 0;
}

static inline void reinit_completion(struct completion *x)
{
	__atomic_store_n(&x->done, 0, __ATOMIC_SEQ_CST);
}

/* @x may be gone as soon as its waiter sees @done, so nothing of it is touched after that. */
static inline void complete(struct completion *x)
{
	u32 now = __atomic_load_n(&x->done, __ATOMIC_RELAXED);

	do {
		if (now >= BASE_COMPLETED_FOR_ALL)
			return;
	} while (!__atomic_compare_exchange_n(&x->done, &now, now + 1, false, __ATOMIC_SEQ_CST,
					      __ATOMIC_RELAXED));
	base_wake();
}

static inline void complete_all(struct completion *x)
{
	__atomic_store_n(&x->done, BASE_COMPLETED_FOR_ALL, __ATOMIC_SEQ_CST);
	base_wake();
}

static inline bool completion_done(const struct completion *x)
{
	return __atomic_load_n(&x->done, __ATOMIC_SEQ_CST) != 0;
}

/* Takes one of the completions, if there is one. */
static inline bool try_wait_for_completion(struct completion *x)
{
	u32 now = __atomic_load_n(&x->done, __ATOMIC_SEQ_CST);

	while (now) {
		const u32 next = now >= BASE_COMPLETED_FOR_ALL ? now : now - 1;

		if (__atomic_compare_exchange_n(&x->done, &now, next, false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST))
			return true;
	}
	return false;
}

static inline bool base_completion_taken(void *arg)
{
	return try_wait_for_completion((struct completion *)arg);
}

static inline void wait_for_completion(struct completion *x)
{
	if (!try_wait_for_completion(x))
		(void)base_wait_until(base_completion_taken, x, BASE_FOREVER_NS);
}

/* Jiffies left, at least 1; 0 if the time ran out. */
static inline unsigned long wait_for_completion_timeout(struct completion *x, unsigned long timeout)
{
	const unsigned long end = jiffies + timeout;
	long left;

	if (!try_wait_for_completion(x) &&
	    !base_wait_until(base_completion_taken, x, base_jiffies_to_wait_ns(timeout)))
		return 0;
	left = (long)(end - jiffies);
	return left > 0 ? (unsigned long)left : 1;
}

static inline int wait_for_completion_interruptible(struct completion *x)
{
	wait_for_completion(x);
	return 0;
}

#endif /* VERBENA_LINUX_COMPLETION_H */
