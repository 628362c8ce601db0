// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The crank, and the driver that turns it.
 *
 * Without a driver (unit tests) the waiting thread turns it itself: time is virtual and jumps to
 * the next deadline, so that nothing ever sleeps for real unless another thread is at work.
 */
#include "base/host.h"

#include <linux/spinlock.h>
#include <pthread.h>

#include "base/fork.h"
#include "base/futex.h"
#include "base/host_priv.h"
#include "base/poller.h"
#include "base/thread.h"
#include "base/timer.h"
#include "base/work.h"

#define PROGRESS_BUDGET 64u
#define LOOK_AGAIN_NS 1000000u /* another thread may be the one that we wait for */

static struct {
	const struct base_host_ops *ops;
	void *ctx;
	uint64_t now_ns;
	u32 wakes;	/* counts base_wake() for the built-in driver */
	u64 wake_count; /* counts all of them, for <linux/wait.h> */
	u32 sleepers;
	spinlock_t turn_lock; /* taken by the thread that turns, who may nest */
	pthread_t turner;
	unsigned int depth;
} host;

void base_host_install(const struct base_host_ops *ops, void *ctx)
{
	WRITE_ONCE(host.ctx, ctx);
	__atomic_store_n(&host.ops, ops, __ATOMIC_RELEASE);
}

static const struct base_host_ops *driver(void)
{
	return __atomic_load_n(&host.ops, __ATOMIC_ACQUIRE);
}

static void set_now(uint64_t now_ns)
{
	uint64_t seen = __atomic_load_n(&host.now_ns, __ATOMIC_RELAXED);

	while (now_ns > seen)
		if (__atomic_compare_exchange_n(&host.now_ns, &seen, now_ns, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
}

uint64_t base_now_ns(void)
{
	return __atomic_load_n(&host.now_ns, __ATOMIC_RELAXED);
}

unsigned long base_jiffies(void)
{
	return (unsigned long)(base_now_ns() / 1000u);
}

static bool is_turning(void)
{
	return __atomic_load_n(&host.depth, __ATOMIC_ACQUIRE) &&
	       pthread_equal(__atomic_load_n(&host.turner, __ATOMIC_RELAXED), pthread_self());
}

/* The lock outlives the function: end_turn() drops it. */
NO_THREAD_SAFETY_ANALYSIS static bool begin_turn(void)
{
	if (is_turning()) {
		host.depth++;
		return true;
	}
	if (!spin_trylock(&host.turn_lock))
		return false;
	__atomic_store_n(&host.turner, pthread_self(), __ATOMIC_RELAXED);
	__atomic_store_n(&host.depth, 1, __ATOMIC_RELEASE);
	return true;
}

NO_THREAD_SAFETY_ANALYSIS static void end_turn(void)
{
	const unsigned int depth = host.depth - 1;

	__atomic_store_n(&host.depth, depth, __ATOMIC_RELEASE);
	if (!depth)
		spin_unlock(&host.turn_lock);
}

unsigned int base_host_turn(uint64_t now_ns, unsigned int budget)
{
	unsigned int ran = 0;
	BASE_UNCANCELLED;

	set_now(now_ns);
	if (!begin_turn())
		return 0;
	if (base_pollers_run())
		ran++;
	while (ran < budget && (base_work_run_one() || base_timers_fire_one(base_now_ns())))
		ran++;
	base_timers_stamp(base_now_ns());
	end_turn();
	return ran;
}

bool base_progress(void)
{
	const struct base_host_ops *ops = driver();

	if (is_turning())
		return false;
	if (ops && ops->progress)
		return ops->progress(READ_ONCE(host.ctx));
	return (base_work_queued() || base_pollers_exist()) &&
	       base_host_turn(base_now_ns(), PROGRESS_BUDGET) > 0;
}

void base_polled(void)
{
	const struct base_host_ops *ops = driver();

	if (ops && ops->polled)
		ops->polled(READ_ONCE(host.ctx));
}

void base_expect(void)
{
	const struct base_host_ops *ops = driver();

	if (ops && ops->expect)
		ops->expect(READ_ONCE(host.ctx));
}

uint64_t base_host_deadline_ns(void)
{
	return base_work_queued() ? 0 : base_timers_deadline_ns();
}

bool base_host_idle(void)
{
	return !base_work_busy() && !base_timers_armed();
}

void base_host_work_queued(void)
{
	const struct base_host_ops *ops = driver();

	if (ops)
		ops->run_later(READ_ONCE(host.ctx));
	else
		base_wake();
}

void base_wake(void)
{
	const struct base_host_ops *ops = driver();

	__atomic_fetch_add(&host.wake_count, 1, __ATOMIC_SEQ_CST);
	if (ops) {
		ops->wake(READ_ONCE(host.ctx));
		return;
	}
	__atomic_fetch_add(&host.wakes, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&host.sleepers, __ATOMIC_SEQ_CST))
		base_futex_wake(&host.wakes, INT32_MAX);
}

uint64_t base_wake_count(void)
{
	return __atomic_load_n(&host.wake_count, __ATOMIC_SEQ_CST);
}

/* Nothing to do in this thread: another one may be at work. */
static void sleep_a_while(u32 wakes_seen)
{
	__atomic_fetch_add(&host.sleepers, 1, __ATOMIC_SEQ_CST);
	base_futex_wait(&host.wakes, wakes_seen, LOOK_AGAIN_NS);
	__atomic_fetch_sub(&host.sleepers, 1, __ATOMIC_SEQ_CST);
}

static bool wait_in_virtual_time(bool (*cond)(void *arg), void *arg, uint64_t timeout_ns)
{
	const uint64_t start_ns = base_now_ns();
	const uint64_t end_ns = timeout_ns > UINT64_MAX - start_ns ? UINT64_MAX
								   : start_ns + timeout_ns;

	for (;;) {
		const u32 wakes = __atomic_load_n(&host.wakes, __ATOMIC_SEQ_CST);
		uint64_t next_ns;

		if (cond(arg))
			return true;
		if (base_host_turn(base_now_ns(), 1))
			continue;
		next_ns = base_host_deadline_ns();
		if (next_ns > end_ns)
			next_ns = end_ns;
		if (next_ns != UINT64_MAX && next_ns > base_now_ns())
			base_host_turn(next_ns, 1);
		else if (end_ns <= base_now_ns())
			return cond(arg);
		else
			sleep_a_while(wakes);
	}
}

bool base_wait_until(bool (*cond)(void *arg), void *arg, uint64_t timeout_ns)
{
	const struct base_host_ops *ops = driver();

	if (ops)
		return ops->wait_until(READ_ONCE(host.ctx), cond, arg, timeout_ns);
	return wait_in_virtual_time(cond, arg, timeout_ns);
}

void base_host_forked(void)
{
	host.ops = NULL;
	host.ctx = NULL;
	host.sleepers = 0;
	host.depth = 0;
	spin_lock_init(&host.turn_lock);
}
