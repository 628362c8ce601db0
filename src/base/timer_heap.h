/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A pairing heap of timers: earliest deadline first, then the order of stamping. No allocation. */
#ifndef BASE_TIMER_HEAP_H
#define BASE_TIMER_HEAP_H

#include <linux/verbena_base.h>

/** base_timer_heap_insert() - Returns the new root. @root: The heap, or NULL. @timer: Not in it. */
struct base_timer *base_timer_heap_insert(struct base_timer *root, struct base_timer *timer);

/** base_timer_heap_remove() - Returns the new root, or NULL. @root: Heap. @timer: Anywhere in it. */
struct base_timer *base_timer_heap_remove(struct base_timer *root, struct base_timer *timer);

/** base_timer_heap_any() - Whether @test holds for a timer of the heap @root (which may be NULL). */
bool base_timer_heap_any(const struct base_timer *root,
			 bool (*test)(const struct base_timer *timer));

#endif
