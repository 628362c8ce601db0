/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The clock of the machine, for who waits for another process. The engine has no use for it: time is
 * handed to it, and may be virtual (base_now_ns()).
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#define BASE_NS_PER_MS 1000000ull
#define BASE_NS_PER_S 1000000000ull

/** base_clock_ns() - CLOCK_MONOTONIC. */
static inline uint64_t base_clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * BASE_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/** base_clock_timespec() - The same moment as pthread_cond_timedwait() takes it. */
static inline struct timespec base_clock_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / BASE_NS_PER_S),
				 .tv_nsec = (long)(ns % BASE_NS_PER_S)};
}

#endif
