// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/umem_signal.c"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/umem.h"
#include "common/test.h"

#define HANGS_S 20

static bool stop;	  /* atomic */
static unsigned int held; /* atomic: how often it was */

/* Somebody is in the table nearly always. */
static void *hold(void *arg)
{
	sigset_t mask;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
		lock_table(&mask);
		__atomic_fetch_add(&held, 1, __ATOMIC_SEQ_CST);
		for (int i = 0; i < 20; i++)
			sched_yield();
		unlock_table(&mask);
	}
	return NULL;
}

static void use_table_and_end(void)
{
	struct sigaction before;

	alarm(HANGS_S);
	_exit(sigaction(SIGSEGV, NULL, &before) ? 1 : 0);
}

static void sigaction__child_does_not_wait_for_a_thread_of_the_parent(void **state)
{
	pthread_t thread;
	int status = -1;

	(void)state;
	assert_int_equal(base_umem_init(), 0);
	assert_int_equal(pthread_create(&thread, NULL, hold, NULL), 0);
	while (!__atomic_load_n(&held, __ATOMIC_SEQ_CST))
		sched_yield();
	for (int i = 0; i < 10; i++) {
		const pid_t child = fork();

		if (!child)
			use_table_and_end();
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	__atomic_store_n(&stop, true, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
}

static void look_into_table(int signum)
{
	struct sigaction before;

	sigaction(SIGSEGV, NULL, &before);
	(void)signum;
}

static void sigaction__handler_may_call_it_whatever_was_interrupted(void **state)
{
	const struct sigaction look = {.sa_handler = look_into_table};
	sigset_t mask, now;

	(void)state;
	assert_int_equal(base_umem_init(), 0);
	assert_int_equal(sigaction(SIGUSR1, &look, NULL), 0);
	lock_table(&mask);
	raise(SIGUSR1); /* it has to wait */
	unlock_table(&mask);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
	assert_int_equal(sigismember(&now, SIGUSR1), sigismember(&mask, SIGUSR1));
	assert_int_equal(signal(SIGUSR1, SIG_DFL) == look_into_table, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sigaction__child_does_not_wait_for_a_thread_of_the_parent),
		cmocka_unit_test(sigaction__handler_may_call_it_whatever_was_interrupted),
	};

	return verbena_test_main(tests);
}
