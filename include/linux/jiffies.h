/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Time in jiffies: one is a microsecond. */
#ifndef VERBENA_LINUX_JIFFIES_H
#define VERBENA_LINUX_JIFFIES_H

#include <limits.h>
#include <linux/verbena_base.h>

#undef HZ
#define HZ 1000000

#define BASE_NS_PER_JIFFY 1000u
#define MAX_JIFFY_OFFSET ((unsigned long)(LONG_MAX >> 1) - 1)
#define MAX_SCHEDULE_TIMEOUT LONG_MAX

#define jiffies base_jiffies()

#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)
#define time_is_before_jiffies(a) time_after(jiffies, a)
#define time_is_after_jiffies(a) time_before(jiffies, a)

static inline unsigned long msecs_to_jiffies(unsigned int ms)
{
	return (unsigned long)ms * (HZ / 1000);
}

static inline unsigned long usecs_to_jiffies(unsigned int us)
{
	return us;
}

static inline unsigned long nsecs_to_jiffies(u64 ns)
{
	return (unsigned long)(ns / BASE_NS_PER_JIFFY);
}

static inline unsigned int jiffies_to_msecs(unsigned long j)
{
	return (unsigned int)(j / (HZ / 1000));
}

static inline unsigned int jiffies_to_usecs(unsigned long j)
{
	return (unsigned int)j;
}

static inline u64 jiffies_to_nsecs(unsigned long j)
{
	return (u64)j * BASE_NS_PER_JIFFY;
}

/* What base_wait_until() and base_timer_arm() take for a wait of @j jiffies. */
static inline u64 base_jiffies_to_wait_ns(unsigned long j)
{
	return j >= MAX_JIFFY_OFFSET ? BASE_FOREVER_NS : (u64)j * BASE_NS_PER_JIFFY;
}

#endif /* VERBENA_LINUX_JIFFIES_H */
