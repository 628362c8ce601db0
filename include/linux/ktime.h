/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Nanoseconds in a signed 64-bit number. */
#ifndef VERBENA_LINUX_KTIME_H
#define VERBENA_LINUX_KTIME_H

#include <linux/verbena_base.h>

typedef s64 ktime_t;

#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define USEC_PER_MSEC 1000L
#define USEC_PER_SEC 1000000L
#define MSEC_PER_SEC 1000L

static inline ktime_t ktime_get(void)
{
	return (ktime_t)base_now_ns();
}

static inline u64 ktime_get_ns(void)
{
	return base_now_ns();
}

static inline ktime_t ktime_set(s64 secs, unsigned long nsecs)
{
	return secs * NSEC_PER_SEC + (s64)nsecs;
}

static inline ktime_t ns_to_ktime(u64 ns)
{
	return (ktime_t)ns;
}

static inline s64 ktime_to_ns(ktime_t kt)
{
	return kt;
}

static inline s64 ktime_to_us(ktime_t kt)
{
	return kt / NSEC_PER_USEC;
}

static inline s64 ktime_to_ms(ktime_t kt)
{
	return kt / NSEC_PER_MSEC;
}

#define ktime_add(a, b) ((a) + (b))
#define ktime_sub(a, b) ((a) - (b))
#define ktime_add_ns(kt, ns) ((kt) + (s64)(ns))
#define ktime_before(a, b) ((a) < (b))
#define ktime_after(a, b) ((a) > (b))

static inline s64 ktime_us_delta(ktime_t later, ktime_t earlier)
{
	return ktime_to_us(later - earlier);
}

#endif /* VERBENA_LINUX_KTIME_H */
