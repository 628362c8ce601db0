// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Timers: armed with a delay, stamped with the time by the crank.
 *
 * A timer that is in the heap already is armed again by two stores: when its old time comes, the
 * crank sees TIMER_REARMED and stamps it anew. So a retransmission timer that each ACK restarts
 * costs no lock, and fires between one and two delays after it was last armed.
 */
#include "base/timer.h"

#include <linux/spinlock.h>

#include "base/check.h"
#include "base/fork.h"
#include "base/timer_heap.h"

enum {
	TIMER_ARMED = 1 << 0,	/* fn is wanted */
	TIMER_REARMED = 1 << 1, /* armed again since it was stamped */
	TIMER_FRESH = 1 << 2,	/* waits for a stamp */
	TIMER_HEAPED = 1 << 3,	/* in the heap */
	TIMER_PLACED = TIMER_FRESH | TIMER_HEAPED,
};

/* All under @lock. The flags are atomic; PLACED bits change under the lock only. */
static struct {
	spinlock_t lock;
	struct base_timer *fresh; /* by @next, newest first */
	struct base_timer *heap;
	struct base_timer *running;
	uint64_t order;
} timers;

static u32 flags_of(const struct base_timer *timer)
{
	return __atomic_load_n(&timer->flags, __ATOMIC_SEQ_CST);
}

void base_timer_init(struct base_timer *timer, void (*fn)(struct base_timer *timer))
{
	*timer = (struct base_timer){.fn = fn};
}

/* base_timers_stamp() looks at it without the lock. */
static void set_fresh_locked(struct base_timer *timer) REQUIRES(timers.lock)
{
	__atomic_store_n(&timers.fresh, timer, __ATOMIC_RELAXED);
}

static void make_fresh_locked(struct base_timer *timer) REQUIRES(timers.lock)
{
	timer->prev = NULL;
	timer->next = timers.fresh;
	if (timers.fresh)
		timers.fresh->prev = timer;
	set_fresh_locked(timer);
}

static void unplace_locked(struct base_timer *timer) REQUIRES(timers.lock)
{
	if (flags_of(timer) & TIMER_HEAPED) {
		timers.heap = base_timer_heap_remove(timers.heap, timer);
	} else {
		if (timer->prev)
			timer->prev->next = timer->next;
		else
			set_fresh_locked(timer->next);
		if (timer->next)
			timer->next->prev = timer->prev;
	}
	__atomic_fetch_and(&timer->flags, ~(u32)TIMER_PLACED, __ATOMIC_SEQ_CST);
}

/* Where the timer is nowhere yet, or in the heap at a time that is too late for the new delay. */
static bool arm_slowly(struct base_timer *timer, uint64_t delay_ns)
{
	u32 was;

	spin_lock(&timers.lock);
	was = flags_of(timer);
	if (was & TIMER_PLACED)
		unplace_locked(timer);
	__atomic_store_n(&timer->delay_ns, delay_ns, __ATOMIC_RELAXED);
	timer->placed_delay_ns = delay_ns;
	make_fresh_locked(timer);
	__atomic_fetch_or(&timer->flags, TIMER_ARMED | TIMER_FRESH, __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&timer->flags, ~(u32)TIMER_REARMED, __ATOMIC_SEQ_CST);
	spin_unlock(&timers.lock);
	base_wake();
	return was & TIMER_ARMED;
}

bool base_timer_arm(struct base_timer *timer, uint64_t delay_ns)
{
	u32 was = flags_of(timer);

	while ((was & TIMER_PLACED) &&
	       delay_ns >= __atomic_load_n(&timer->placed_delay_ns, __ATOMIC_RELAXED)) {
		__atomic_store_n(&timer->delay_ns, delay_ns, __ATOMIC_RELAXED);
		if (__atomic_compare_exchange_n(&timer->flags, &was,
						was | TIMER_ARMED | TIMER_REARMED, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return was & TIMER_ARMED;
	}
	return arm_slowly(timer, delay_ns);
}

bool base_timer_disarm(struct base_timer *timer)
{
	u32 was = flags_of(timer);

	if (!(was & TIMER_ARMED))
		return false;
	was = __atomic_fetch_and(&timer->flags, ~(u32)(TIMER_ARMED | TIMER_REARMED),
				 __ATOMIC_SEQ_CST);
	return was & TIMER_ARMED;
}

static bool is_not_running(void *arg)
{
	bool idle;

	spin_lock(&timers.lock);
	idle = timers.running != arg;
	spin_unlock(&timers.lock);
	return idle;
}

bool base_timer_remove(struct base_timer *timer)
{
	const bool was_armed = base_timer_disarm(timer);

	if (!(flags_of(timer) & TIMER_PLACED))
		return was_armed;
	spin_lock(&timers.lock);
	if (flags_of(timer) & TIMER_PLACED)
		unplace_locked(timer);
	spin_unlock(&timers.lock);
	return was_armed;
}

bool base_timer_disarm_sync(struct base_timer *timer)
{
	bool was_armed = false;

	do {
		was_armed |= base_timer_disarm(timer);
		if (!is_not_running(timer))
			base_wait_until(is_not_running, timer, BASE_FOREVER_NS);
		was_armed |= base_timer_remove(timer);
	} while (flags_of(timer) & TIMER_ARMED);
	return was_armed;
}

bool base_timer_is_armed(const struct base_timer *timer)
{
	return flags_of(timer) & TIMER_ARMED;
}

static void stamp_locked(struct base_timer *timer, uint64_t now_ns) REQUIRES(timers.lock)
{
	const uint64_t delay_ns = __atomic_load_n(&timer->delay_ns, __ATOMIC_RELAXED);

	if (__builtin_add_overflow(now_ns, delay_ns, &timer->deadline_ns))
		timer->deadline_ns = UINT64_MAX - 1;
	__atomic_store_n(&timer->placed_delay_ns, delay_ns, __ATOMIC_RELAXED);
	timer->order = timers.order++;
	timers.heap = base_timer_heap_insert(timers.heap, timer);
	__atomic_fetch_or(&timer->flags, TIMER_HEAPED, __ATOMIC_SEQ_CST);
	__atomic_fetch_and(&timer->flags, ~(u32)(TIMER_FRESH | TIMER_REARMED), __ATOMIC_SEQ_CST);
}

void base_timers_stamp(uint64_t now_ns)
{
	struct base_timer *oldest = NULL;

	if (!__atomic_load_n(&timers.fresh, __ATOMIC_RELAXED))
		return;
	spin_lock(&timers.lock);
	/* Oldest first, so that timers of one time fire in the order armed. */
	while (timers.fresh) {
		struct base_timer *timer = timers.fresh;

		set_fresh_locked(timer->next);
		timer->next = oldest;
		oldest = timer;
	}
	while (oldest) {
		struct base_timer *timer = oldest;

		oldest = timer->next;
		stamp_locked(timer, now_ns);
	}
	spin_unlock(&timers.lock);
}

/* The earliest one, out of the heap; NULL if it was disarmed or is to be stamped anew. */
static struct base_timer *take_locked(uint64_t now_ns) REQUIRES(timers.lock)
{
	struct base_timer *timer = timers.heap;
	u32 was;

	unplace_locked(timer);
	was = flags_of(timer);
	if (!(was & TIMER_ARMED))
		return NULL;
	if (was & TIMER_REARMED) {
		stamp_locked(timer, now_ns);
		return NULL;
	}
	/* Who arms it from here on waits for the lock in arm_slowly(); who disarms it may win. */
	was = __atomic_fetch_and(&timer->flags, ~(u32)TIMER_ARMED, __ATOMIC_SEQ_CST);
	if (!(was & TIMER_ARMED))
		return NULL;
	timers.running = timer;
	return timer;
}

bool base_timers_fire_one(uint64_t now_ns)
{
	struct base_timer *timer = NULL, *outer;

	base_timers_stamp(now_ns);
	spin_lock(&timers.lock);
	outer = timers.running;
	while (!timer && timers.heap && timers.heap->deadline_ns <= now_ns)
		timer = take_locked(now_ns);
	spin_unlock(&timers.lock);
	if (!timer)
		return false;
	timer->fn(timer);
	/* @timer may be freed: by its own fn, but not under another thread's disarm_sync. */
	spin_lock(&timers.lock);
	timers.running = outer;
	spin_unlock(&timers.lock);
	base_wake();
	return true;
}

uint64_t base_timers_deadline_ns(void)
{
	uint64_t deadline_ns;

	spin_lock(&timers.lock);
	if (timers.fresh)
		deadline_ns = 0;
	else
		deadline_ns = timers.heap ? timers.heap->deadline_ns : UINT64_MAX;
	spin_unlock(&timers.lock);
	return deadline_ns;
}

static bool any_armed(const struct base_timer *timer)
{
	for (; timer; timer = timer->next)
		if (base_timer_is_armed(timer))
			return true;
	return false;
}

bool base_timers_armed(void)
{
	bool armed;

	spin_lock(&timers.lock);
	armed = any_armed(timers.fresh) || base_timer_heap_any(timers.heap, base_timer_is_armed);
	spin_unlock(&timers.lock);
	return armed;
}

/* The lock may be held by a thread that is not here. */
NO_THREAD_SAFETY_ANALYSIS void base_timers_forked(void)
{
	spin_lock_init(&timers.lock);
	__atomic_store_n(&timers.fresh, NULL, __ATOMIC_RELAXED);
	timers.heap = NULL;
	timers.running = NULL;
}
