/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Wait queues. A waiter notes how often the process has been woken, tests its condition, and
 * sleeps until that number has moved; so no wake-up between test and sleep is lost. A wake-up
 * does not touch the queue: whoever waits may free it as soon as the condition holds.
 */
#ifndef VERBENA_LINUX_WAIT_H
#define VERBENA_LINUX_WAIT_H

#include <linux/jiffies.h>

typedef struct wait_queue_head {
	u32 unused;
} wait_queue_head_t;

#define __WAIT_QUEUE_HEAD_INITIALIZER(name) \
	{                                   \
		0                           \
	}
#define DECLARE_WAIT_QUEUE_HEAD(name) wait_queue_head_t name = {0}

static inline void init_waitqueue_head(wait_queue_head_t *wq)
{
	wq->unused = 0;
}

static inline void wake_up(wait_queue_head_t *wq)
{
	(void)wq;
	base_wake();
}

#define wake_up_all(wq) wake_up(wq)
#define wake_up_interruptible(wq) wake_up(wq)
#define wake_up_interruptible_all(wq) wake_up(wq)

static inline bool base_was_woken(void *seen)
{
	return base_wake_count() != *(const uint64_t *)seen;
}

#define wait_event(wq_head, condition)                                                       \
	do {                                                                                 \
		uint64_t base_seen_;                                                         \
		(void)(wq_head);                                                             \
		while (base_seen_ = base_wake_count(), !(condition))                         \
			(void)base_wait_until(base_was_woken, &base_seen_, BASE_FOREVER_NS); \
	} while (0)

/* 0 if the condition was false to the end, else the jiffies that were left, at least 1. */
#define wait_event_timeout(wq_head, condition, timeout)                             \
	__extension__({                                                             \
		const unsigned long base_end_ = jiffies + (unsigned long)(timeout); \
		long base_left_ = (long)(timeout);                                  \
		uint64_t base_seen_;                                                \
		bool base_met_;                                                     \
		(void)(wq_head);                                                    \
		while (base_seen_ = base_wake_count(),                              \
		       !(base_met_ = !!(condition)) && base_left_ > 0) {            \
			(void)base_wait_until(base_was_woken, &base_seen_,          \
					      (u64)base_left_ *BASE_NS_PER_JIFFY);  \
			base_left_ = (long)(base_end_ - jiffies);                   \
		}                                                                   \
		base_met_ ? (base_left_ > 0 ? base_left_ : 1L) : 0L;                \
	})

/* Nothing interrupts a wait here. */
#define wait_event_interruptible(wq_head, condition) \
	__extension__({                              \
		wait_event(wq_head, condition);      \
		0;                                   \
	})
#define wait_event_interruptible_timeout(wq_head, condition, timeout) \
	wait_event_timeout(wq_head, condition, timeout)

#endif /* VERBENA_LINUX_WAIT_H */
