// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Real time. The engine thread turns the crank when something is due and sleeps otherwise; a
 * thread that waits turns it, too, and a thread that polls an empty CQ does now and then.
 */
#include "device/threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "base/futex.h"
#include "base/host.h"

#define TURN_BUDGET 64u
#define POLLS_BETWEEN_TURNS 16u
#define POLLS_BEFORE_YIELD 1000u
#define NS_PER_SECOND 1000000000u

static struct {
	pthread_mutex_t lock; /* users, thread */
	unsigned int users;
	pthread_t thread;
	bool stop;    /* atomic */
	u32 wakes;    /* atomic: the word that everybody sleeps on */
	u32 sleepers; /* atomic */
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SECOND + (uint64_t)ts.tv_nsec;
}

static void wake(void *ctx)
{
	(void)ctx;
	__atomic_fetch_add(&driver.wakes, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&driver.sleepers, __ATOMIC_SEQ_CST))
		base_futex_wake(&driver.wakes, INT32_MAX);
}

/* Announce, look once more, sleep: whoever wakes us after the look changes the word. */
static void sleep_until(uint64_t deadline_ns, u32 wakes_seen)
{
	const uint64_t now_ns = clock_now_ns();

	if (deadline_ns <= now_ns)
		return;
	__atomic_fetch_add(&driver.sleepers, 1, __ATOMIC_SEQ_CST);
	base_futex_wait(&driver.wakes, wakes_seen,
			deadline_ns == UINT64_MAX ? BASE_FOREVER_NS : deadline_ns - now_ns);
	__atomic_fetch_sub(&driver.sleepers, 1, __ATOMIC_SEQ_CST);
}

static bool wait_until(void *ctx, bool (*cond)(void *arg), void *arg, uint64_t timeout_ns)
{
	const uint64_t start_ns = clock_now_ns();
	const uint64_t end_ns = timeout_ns > UINT64_MAX - start_ns ? UINT64_MAX
								   : start_ns + timeout_ns;

	(void)ctx;
	for (;;) {
		const u32 wakes = __atomic_load_n(&driver.wakes, __ATOMIC_SEQ_CST);
		const uint64_t now_ns = clock_now_ns();
		uint64_t next_ns;

		if (cond(arg))
			return true;
		if (base_host_turn(now_ns, 1))
			continue;
		if (now_ns >= end_ns)
			return cond(arg);
		next_ns = base_host_deadline_ns();
		if (!next_ns) /* another thread is turning; it wakes us when it is done */
			next_ns = UINT64_MAX;
		sleep_until(next_ns < end_ns ? next_ns : end_ns, wakes);
	}
}

/* Whoever sends delivers, so an empty poll seldom has anything to do: look now and then. */
static bool progress(void *ctx)
{
	static _Thread_local unsigned int polls;

	(void)ctx;
	polls++;
	if (polls % POLLS_BEFORE_YIELD == 0)
		sched_yield();
	return polls % POLLS_BETWEEN_TURNS == 0 && base_host_turn(clock_now_ns(), TURN_BUDGET);
}

static const struct base_host_ops ops = {
	.run_later = wake,
	.wait_until = wait_until,
	.wake = wake,
	.progress = progress,
};

static void *run_engine(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&driver.stop, __ATOMIC_ACQUIRE)) {
		const u32 wakes = __atomic_load_n(&driver.wakes, __ATOMIC_SEQ_CST);
		uint64_t next_ns;

		if (base_host_turn(clock_now_ns(), TURN_BUDGET))
			continue;
		next_ns = base_host_deadline_ns();
		if (next_ns)
			sleep_until(next_ns, wakes);
		else
			sched_yield(); /* somebody else turns */
	}
	return NULL;
}

static int start(void)
{
	int ret;

	driver.stop = false;
	base_host_install(&ops, NULL);
	ret = pthread_create(&driver.thread, NULL, run_engine, NULL);
	if (ret)
		base_host_install(NULL, NULL);
	return -ret;
}

int device_threads_get(void)
{
	int ret = 0;

	pthread_mutex_lock(&driver.lock);
	if (!driver.users)
		ret = start();
	if (!ret)
		driver.users++;
	pthread_mutex_unlock(&driver.lock);
	return ret;
}

void device_threads_put(void)
{
	pthread_mutex_lock(&driver.lock);
	if (!--driver.users) {
		__atomic_store_n(&driver.stop, true, __ATOMIC_RELEASE);
		wake(NULL);
		pthread_join(driver.thread, NULL);
		base_host_install(NULL, NULL);
	}
	pthread_mutex_unlock(&driver.lock);
}
