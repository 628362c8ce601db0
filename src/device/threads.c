// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Real time. The engine thread turns the crank when something is due and sleeps otherwise; a
 * thread that waits turns it, too, and a thread that polls an empty CQ does now and then.
 */
#include "device/threads.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/futex.h"
#include "base/host.h"
#include "base/thread.h"

#define TURN_BUDGET 64u
#define ROUNDS_BETWEEN_LOOKS 64u /* at the descriptors of others, by an engine that is never idle */
#define POLLS_BETWEEN_TURNS 16u
#define POLLS_BEFORE_YIELD 1000u
#define NS_PER_SECOND 1000000000u
#define FOREVER_NS (1000000ull * NS_PER_SECOND)

static struct {
	pthread_mutex_t lock; /* users, thread */
	unsigned int users;
	pthread_t thread;
	bool stop;			      /* atomic */
	u32 wakes;			      /* atomic: the word that everybody sleeps on */
	u32 sleepers;			      /* atomic */
	const struct device_outside *outside; /* atomic */
	bool engine_polls; /* atomic: it sleeps on descriptors, not on the word */
	bool woken;	   /* the engine's: there is something to be read from its eventfd */
	u32 busy_rounds;   /* the engine's */
	const struct device_outside *used; /* atomic: by the engine, now */
} driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t device_now_ns(void)
{
	return base_clock_ns();
}

static const struct device_outside *outside(void)
{
	return __atomic_load_n(&driver.outside, __ATOMIC_ACQUIRE);
}

static void wake_engine(void)
{
	const struct device_outside *out = outside();

	if (out)
		base_fd_wake(out->wake_fd);
}

static void wake(void *ctx)
{
	(void)ctx;
	__atomic_fetch_add(&driver.wakes, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&driver.sleepers, __ATOMIC_SEQ_CST))
		base_futex_wake(&driver.wakes, INT32_MAX);
	if (__atomic_load_n(&driver.engine_polls, __ATOMIC_SEQ_CST))
		wake_engine();
}

/* Announce, look once more, sleep: whoever wakes us after the look changes the word. */
static void sleep_until(uint64_t deadline_ns, u32 wakes_seen)
{
	const uint64_t now_ns = device_now_ns();

	if (deadline_ns <= now_ns)
		return;
	__atomic_fetch_add(&driver.sleepers, 1, __ATOMIC_SEQ_CST);
	base_futex_wait(&driver.wakes, wakes_seen,
			deadline_ns == UINT64_MAX ? BASE_FOREVER_NS : deadline_ns - now_ns);
	__atomic_fetch_sub(&driver.sleepers, 1, __ATOMIC_SEQ_CST);
}

static bool wait_until(void *ctx, bool (*cond)(void *arg), void *arg, uint64_t timeout_ns)
{
	const uint64_t start_ns = device_now_ns();
	const uint64_t end_ns = timeout_ns > UINT64_MAX - start_ns ? UINT64_MAX
								   : start_ns + timeout_ns;

	(void)ctx;
	for (;;) {
		const u32 wakes = __atomic_load_n(&driver.wakes, __ATOMIC_SEQ_CST);
		const uint64_t now_ns = device_now_ns();
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

static void polled(void *ctx)
{
	const struct device_outside *out = outside();

	(void)ctx;
	if (out && out->polled(out->ctx))
		wake_engine();
}

/* Others may have sent: who polls takes it. */
static bool progress_outside(void)
{
	const struct device_outside *out = outside();

	polled(NULL);
	return out && out->progress(out->ctx);
}

/* Whoever sends delivers, so an empty poll seldom has anything to do: look now and then. */
static bool progress(void *ctx)
{
	static _Thread_local unsigned int polls;

	(void)ctx;
	polls++;
	if (polls % POLLS_BEFORE_YIELD == 0)
		sched_yield();
	if (progress_outside())
		return true;
	return polls % POLLS_BETWEEN_TURNS == 0 && base_host_turn(device_now_ns(), TURN_BUDGET);
}

static void expect(void *ctx)
{
	const struct device_outside *out = outside();

	(void)ctx;
	if (out)
		out->expect(out->ctx);
}

static const struct base_host_ops ops = {
	.run_later = wake,
	.wait_until = wait_until,
	.wake = wake,
	.progress = progress,
	.polled = polled,
	.expect = expect,
};

/* Which of them are readable, a bit each. */
static unsigned int poll_for(struct pollfd *polled, unsigned int count, uint64_t ns)
{
	const struct timespec ts = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
				    .tv_nsec = (long)(ns % NS_PER_SECOND)};
	unsigned int readable = 0;

	if (ppoll(polled, count, ns > FOREVER_NS ? NULL : &ts, NULL) <= 0)
		return 0;
	for (unsigned int i = 0; i < count; i++)
		readable |= (polled[i].revents ? 1u : 0u) << i;
	return readable;
}

static void drain(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) < 0)
		return; /* it was not us who was woken */
}

/*
 * As sleep_until(), on descriptors. What has woken us is read when we sleep again, not before the work that
 * we were woken for: a look follows it there, too.
 */
static void sleep_outside(const struct device_outside *out, uint64_t deadline_ns, u32 wakes_seen)
{
	const uint64_t now_ns = device_now_ns();
	struct pollfd polled[DEVICE_OUTSIDE_FDS];
	int fds[DEVICE_OUTSIDE_FDS];
	const unsigned int count = out->fds(out->ctx, fds);
	const uint64_t until_ns = deadline_ns - now_ns;
	unsigned int readable;
	uint64_t most_ns = 0;

	if (deadline_ns <= now_ns)
		return;
	for (unsigned int i = 0; i < count; i++)
		polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	__atomic_store_n(&driver.engine_polls, true, __ATOMIC_SEQ_CST);
	if (driver.woken)
		drain(out->wake_fd);
	driver.woken = false;
	if (__atomic_load_n(&driver.wakes, __ATOMIC_SEQ_CST) == wakes_seen)
		most_ns = out->sleep(out->ctx);
	if (most_ns) {
		readable = poll_for(polled, count, most_ns < until_ns ? most_ns : until_ns);
		driver.woken = readable & 1;
		out->awake(out->ctx, readable >> 1);
	}
	__atomic_store_n(&driver.engine_polls, false, __ATOMIC_SEQ_CST);
}

/* One round of the engine. @wakes: The word as it was before anything was looked at. */
static void run_once(const struct device_outside *out, u32 wakes)
{
	const bool worked = out && !out->is_polled(out->ctx) && out->progress(out->ctx);
	uint64_t next_ns;

	if (base_host_turn(device_now_ns(), TURN_BUDGET) || worked) {
		if (out && ++driver.busy_rounds % ROUNDS_BETWEEN_LOOKS == 0)
			out->awake(out->ctx, true);
		return;
	}
	next_ns = base_host_deadline_ns();
	if (!next_ns)
		sched_yield(); /* somebody else turns */
	else if (out)
		sleep_outside(out, next_ns, wakes);
	else
		sleep_until(next_ns, wakes);
}

/* Announce, and look once more, for whoever takes it away looks at what we announced. */
static const struct device_outside *take_outside(void)
{
	const struct device_outside *out;

	do {
		out = outside();
		__atomic_store_n(&driver.used, out, __ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&driver.outside, __ATOMIC_SEQ_CST) != out);
	return out;
}

static void *run_engine(void *arg)
{
	(void)arg;
	for (;;) {
		/* First the word, then the looks: who changes what we look at changes the word after it. */
		const u32 wakes = __atomic_load_n(&driver.wakes, __ATOMIC_SEQ_CST);

		if (__atomic_load_n(&driver.stop, __ATOMIC_ACQUIRE))
			return NULL;
		run_once(take_outside(), wakes);
		__atomic_store_n(&driver.used, NULL, __ATOMIC_SEQ_CST);
	}
}

void device_threads_set_outside(const struct device_outside *out)
{
	const struct device_outside *old = outside();

	__atomic_store_n(&driver.outside, out, __ATOMIC_SEQ_CST);
	if (!old) {
		wake(NULL);
		return;
	}
	while (__atomic_load_n(&driver.used, __ATOMIC_SEQ_CST) == old) {
		base_fd_wake(old->wake_fd);
		sched_yield();
	}
}

static int start(void)
{
	int ret;

	driver.stop = false;
	base_host_install(&ops, NULL);
	ret = base_thread_start(&driver.thread, run_engine, NULL);
	if (ret)
		base_host_install(NULL, NULL);
	return ret;
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
	BASE_UNCANCELLED;

	pthread_mutex_lock(&driver.lock);
	if (!--driver.users) {
		__atomic_store_n(&driver.stop, true, __ATOMIC_RELEASE);
		wake(NULL);
		pthread_join(driver.thread, NULL);
		base_host_install(NULL, NULL);
	}
	pthread_mutex_unlock(&driver.lock);
}

void device_threads_forked(void)
{
	driver.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	driver.users = 0;
	driver.sleepers = 0;
	driver.outside = NULL;
}
