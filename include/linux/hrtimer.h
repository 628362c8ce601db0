/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Timers in nanoseconds over the base layer's. */
#ifndef VERBENA_LINUX_HRTIMER_H
#define VERBENA_LINUX_HRTIMER_H

#include <linux/ktime.h>

enum hrtimer_restart {
	HRTIMER_NORESTART,
	HRTIMER_RESTART,
};

enum hrtimer_mode {
	HRTIMER_MODE_ABS = 0,
	HRTIMER_MODE_REL = 1,
	HRTIMER_MODE_PINNED = 2,
	HRTIMER_MODE_ABS_PINNED = 2,
	HRTIMER_MODE_REL_PINNED = 3,
};

struct hrtimer {
	struct base_timer base;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
};

static inline void base_hrtimer_fire(struct base_timer *timer)
{
	struct hrtimer *t = container_of(timer, struct hrtimer, base);

	if (t->function(t) == HRTIMER_RESTART)
		(void)base_timer_arm(timer, timer->delay_ns);
}

static inline void hrtimer_init(struct hrtimer *timer, int clock_id, enum hrtimer_mode mode)
{
	(void)clock_id;
	(void)mode;
	base_timer_init(&timer->base, base_hrtimer_fire);
	timer->function = NULL;
}

static inline void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode)
{
	s64 delay = time;

	if (!((int)mode & HRTIMER_MODE_REL))
		delay -= ktime_get();
	(void)base_timer_arm(&timer->base, delay > 0 ? (u64)delay : 0);
}

/* 1 if it was armed, 0 if not; neither waits for a running handler. */
static inline int hrtimer_try_to_cancel(struct hrtimer *timer)
{
	return base_timer_remove(&timer->base);
}

static inline int hrtimer_cancel(struct hrtimer *timer)
{
	return base_timer_disarm_sync(&timer->base);
}

static inline bool hrtimer_active(const struct hrtimer *timer)
{
	return base_timer_is_armed(&timer->base);
}

#endif /* VERBENA_LINUX_HRTIMER_H */
