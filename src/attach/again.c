// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The daemon has died. A thread that lives no longer than that starts or finds its successor, and
 * claims there what this process was; meanwhile the engine goes on moving data.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/client_priv.h"
#include "attach/start.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/host.h"
#include "base/random.h"
#include "base/thread.h"

#define FIRST_WAIT_MS 4u
#define LONGEST_WAIT_MS 2000u

static void init_locks(struct attach *a)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&a->link_lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&a->changed, &attr);
	pthread_condattr_destroy(&attr);
}

void attach_again_init(struct attach *a)
{
	init_locks(a);
	a->trying = -1;
	a->link = a->told = ATTACH_UP;
}

void attach_again_forked(struct attach *a)
{
	init_locks(a);
	a->looking = false;
	base_fd_close(a->trying);
	a->trying = -1;
}

/* Returns whether to go on: false once attach_close() waits for us. */
static bool pause_for(struct attach *a, unsigned int ms)
{
	const struct timespec until = base_clock_timespec(base_clock_ns() + ms * BASE_NS_PER_MS);
	bool closing;

	pthread_mutex_lock(&a->link_lock);
	while (!a->closing && !pthread_cond_timedwait(&a->changed, &a->link_lock, &until))
		;
	closing = a->closing;
	pthread_mutex_unlock(&a->link_lock);
	return !closing;
}

/* What attach_again_stop() may shut down under us. */
static bool set_trying(struct attach *a, int fd)
{
	bool closing;

	pthread_mutex_lock(&a->link_lock);
	a->trying = fd;
	closing = a->closing;
	pthread_mutex_unlock(&a->link_lock);
	return !closing;
}

/* Whoever uses the number of the old socket uses the new one from here on. */
static int exchange(struct attach *a, int fd)
{
	int ret;

	pthread_mutex_lock(&a->lock);
	ret = syscall(SYS_dup3, fd, a->socket, O_CLOEXEC) < 0 ? -errno : 0;
	pthread_mutex_unlock(&a->lock);
	return ret;
}

static void set_link(struct attach *a, enum attach_link link)
{
	pthread_mutex_lock(&a->link_lock);
	if (link == ATTACH_ALONE)
		a->cause = *base_cause_last();
	__atomic_store_n(&a->link, link, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->link_lock);
	base_wake();
}

/* Agents are known there before anybody is asked for more of them. */
static int change_over(struct attach *a, int fd)
{
	const int ret = attach_agents_declare(a, fd);

	return ret ? ret : exchange(a, fd);
}

/* From ATTACH_UP on this thread may be waited for under &attach.link_lock. */
static int try_once(struct attach *a)
{
	const int fd = attach_start(a->fabric);
	int ret;

	if (fd < 0)
		return -EAGAIN;
	ret = set_trying(a, fd) ? attach_hello(a, fd) : -ECANCELED;
	pthread_mutex_lock(&a->agents_lock);
	if (!ret)
		ret = change_over(a, fd);
	(void)set_trying(a, -1);
	base_fd_close(fd);
	if (!ret)
		set_link(a, ATTACH_UP);
	pthread_mutex_unlock(&a->agents_lock);
	return ret;
}

static bool is_refusal(int err)
{
	return err == -ECONNREFUSED || err == -EPROTONOSUPPORT;
}

/* Many processes have lost the same daemon at once: not all try at the same moment. */
static void *look(void *arg)
{
	struct attach *a = arg;
	uint64_t random = (uint64_t)getpid();
	unsigned int wait_ms = FIRST_WAIT_MS;

	while (pause_for(a, (unsigned int)base_random_below(&random, wait_ms))) {
		const int ret = try_once(a);

		if (is_refusal(ret))
			set_link(a, ATTACH_ALONE);
		if (!ret || is_refusal(ret))
			break;
		if (wait_ms < LONGEST_WAIT_MS)
			wait_ms *= 2;
	}
	return NULL;
}

static void look_for_another(struct attach *a)
{
	if (a->looking) /* it has found one, which is gone again */
		pthread_join(a->thread, NULL);
	a->looking = !base_thread_start(&a->thread, look, a);
	if (!a->looking)
		__atomic_store_n(&a->link, ATTACH_ALONE, __ATOMIC_RELEASE);
}

int attach_hang_up(struct attach *a, int err)
{
	pthread_mutex_lock(&a->link_lock);
	if (a->link == ATTACH_UP && !a->closing) {
		(void)base_refuse(err, ATTACH_GONE, (uint64_t)-err);
		a->cause = *base_cause_last();
		shutdown(a->socket, SHUT_RDWR);
		__atomic_store_n(&a->link, ATTACH_LOST, __ATOMIC_RELEASE);
		look_for_another(a);
	}
	pthread_mutex_unlock(&a->link_lock);
	base_wake();
	return err;
}

int attach_give_up(struct attach *a, const struct base_cause *cause)
{
	pthread_mutex_lock(&a->link_lock);
	if (a->link == ATTACH_UP) {
		a->cause = *cause;
		shutdown(a->socket, SHUT_RDWR);
		__atomic_store_n(&a->link, ATTACH_ALONE, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&a->link_lock);
	base_wake();
	return -ECONNREFUSED;
}

void attach_again_stop(struct attach *a)
{
	bool looking;

	pthread_mutex_lock(&a->link_lock);
	a->closing = true;
	if (a->trying >= 0)
		shutdown(a->trying, SHUT_RDWR);
	looking = a->looking;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->link_lock);
	if (looking)
		pthread_join(a->thread, NULL);
}

int attach_wait_link(struct attach *a, uint64_t deadline_ns)
{
	const struct timespec until = base_clock_timespec(deadline_ns);
	int ret = 0;

	pthread_mutex_lock(&a->link_lock);
	while (a->link == ATTACH_LOST && !ret)
		ret = pthread_cond_timedwait(&a->changed, &a->link_lock, &until);
	if (a->link == ATTACH_UP) {
		ret = 0;
	} else {
		base_cause_set_last(&a->cause);
		ret = -ENOTCONN;
	}
	pthread_mutex_unlock(&a->link_lock);
	return ret;
}
