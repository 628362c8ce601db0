/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The crank's side of the timers; who arms them sees <linux/verbena_base.h>. */
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

#include <linux/verbena_base.h>

/**
 * base_timers_stamp() - Give the timers that were armed since the last call their deadlines.
 * @now_ns: The time.
 */
void base_timers_stamp(uint64_t now_ns);

/**
 * base_timers_fire_one() - Run the earliest timer that is due.
 * @now_ns: The time.
 *
 * Context: No lock held.
 * Return: false if none is due.
 */
bool base_timers_fire_one(uint64_t now_ns);

/** base_timers_deadline_ns() - The earliest deadline; 0 if some wait for a stamp; else UINT64_MAX. */
uint64_t base_timers_deadline_ns(void);

/** base_timers_armed() - Whether any timer is armed. */
bool base_timers_armed(void);

#endif
