/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Timers in jiffies over the base layer's. */
#ifndef VERBENA_LINUX_TIMER_H
#define VERBENA_LINUX_TIMER_H

#include <linux/jiffies.h>

struct timer_list {
	struct base_timer base;
	unsigned long expires;
	void (*function)(struct timer_list *timer);
	u32 flags;
};

static inline void base_timer_list_fire(struct base_timer *timer)
{
	struct timer_list *t = container_of(timer, struct timer_list, base);

	t->function(t);
}

static inline void base_timer_list_init(struct timer_list *timer,
					void (*function)(struct timer_list *timer), u32 flags)
{
	base_timer_init(&timer->base, base_timer_list_fire);
	timer->expires = 0;
	timer->function = function;
	timer->flags = flags;
}

#define timer_setup(timer, callback, flags) base_timer_list_init((timer), (callback), (flags))
#define from_timer(var, callback_timer, timer_fieldname) \
	container_of(callback_timer, __typeof__(*var), timer_fieldname)

/* 1 if the timer was pending. An expiry in the past fires at once. */
static inline int mod_timer(struct timer_list *timer, unsigned long expires)
{
	const long left = (long)(expires - jiffies);

	timer->expires = expires;
	return base_timer_arm(&timer->base, left > 0 ? (u64)left * BASE_NS_PER_JIFFY : 0);
}

static inline void add_timer(struct timer_list *timer)
{
	(void)mod_timer(timer, timer->expires);
}

static inline int timer_pending(const struct timer_list *timer)
{
	return base_timer_is_armed(&timer->base);
}

static inline int del_timer(struct timer_list *timer)
{
	return base_timer_remove(&timer->base);
}

static inline int del_timer_sync(struct timer_list *timer)
{
	return base_timer_disarm_sync(&timer->base);
}

#define timer_shutdown_sync(timer) del_timer_sync(timer)

#endif /* VERBENA_LINUX_TIMER_H */
