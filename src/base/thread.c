// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Threads that a program does not notice, and threads that are not cancelled. */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <time.h>

#define LEAST_STACK_BYTES (256u << 10)

static void see_that_stack_is_enough(pthread_attr_t *attr)
{
	size_t bytes;

	if (!pthread_attr_getstacksize(attr, &bytes) && bytes < LEAST_STACK_BYTES)
		(void)pthread_attr_setstacksize(attr, LEAST_STACK_BYTES);
}

int base_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	sigset_t ours, before;
	pthread_attr_t attr;
	int ret = pthread_attr_init(&attr);

	if (ret)
		return -ret;
	see_that_stack_is_enough(&attr);
	sigfillset(&ours);
	sigdelset(&ours, SIGSEGV);
	sigdelset(&ours, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &ours, &before);
	ret = pthread_create(thread, &attr, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return -ret;
}

int base_cancel_off(void)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	return state;
}

void base_cancel_restore(const int *state)
{
	int off;

	pthread_setcancelstate(*state, &off);
}

static sigset_t too_large(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	return set;
}

struct base_size_guard base_size_guard_begin(void)
{
	struct base_size_guard guard = {.blocked = false};
	const sigset_t set = too_large();
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return guard;
	pthread_sigmask(SIG_BLOCK, &set, &guard.before);
	guard.blocked = !sigismember(&guard.before, SIGXFSZ);
	return guard;
}

/* The signal is this thread's own, so it waits here if it was raised. */
void base_size_guard_end(const struct base_size_guard *guard)
{
	const struct timespec now = {0};
	const sigset_t set = too_large();
	const int saved_errno = errno;

	if (!guard->blocked)
		return;
	(void)sigtimedwait(&set, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
	errno = saved_errno;
}
