// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/test.h"

struct seen {
	sigset_t mask;
	size_t stack_bytes;
};

static void *look(void *arg)
{
	struct seen *seen = arg;
	pthread_attr_t attr;

	pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstacksize(&attr, &seen->stack_bytes);
	pthread_attr_destroy(&attr);
	return NULL;
}

static void see(struct seen *seen)
{
	pthread_t thread;

	assert_int_equal(base_thread_start(&thread, look, seen), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void base_thread_start__blocks_all_signals_but_the_faults(void **state)
{
	struct seen seen;
	sigset_t faults, mine;

	(void)state;
	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	sigaddset(&faults, SIGBUS);
	pthread_sigmask(SIG_BLOCK, &faults, NULL);
	see(&seen);
	pthread_sigmask(SIG_UNBLOCK, &faults, &mine);
	assert_int_equal(sigismember(&mine, SIGSEGV), 1);
	assert_int_equal(sigismember(&mine, SIGUSR1), 0);
	assert_int_equal(sigismember(&seen.mask, SIGUSR1), 1);
	assert_int_equal(sigismember(&seen.mask, SIGALRM), 1);
	assert_int_equal(sigismember(&seen.mask, SIGSEGV), 0);
	assert_int_equal(sigismember(&seen.mask, SIGBUS), 0);
}

static void base_thread_start__stack_is_no_smaller_than_it_must_be(void **state)
{
	pthread_attr_t attr;
	struct seen seen;
	size_t before;

	(void)state;
	pthread_getattr_default_np(&attr);
	pthread_attr_getstacksize(&attr, &before);
	assert_int_equal(pthread_attr_setstacksize(&attr, 64 << 10), 0);
	assert_int_equal(pthread_setattr_default_np(&attr), 0);
	see(&seen);
	assert_true(seen.stack_bytes >= 256u << 10);
	/* Too little for the threads of the other tests if a sanitizer's share goes off it. */
	assert_int_equal(pthread_attr_setstacksize(&attr, before), 0);
	assert_int_equal(pthread_setattr_default_np(&attr), 0);
	pthread_attr_destroy(&attr);
}

static void *wait_uncancelled(void *arg)
{
	const int *fds = arg;
	char c;

	{
		BASE_UNCANCELLED;

		(void)!write(fds[1], "x", 1);
		(void)!read(fds[2], &c, 1);
		(void)!write(fds[1], "x", 1);
	}
	for (;;)
		pause();
	return NULL;
}

static void base_uncancelled__thread_is_cancelled_after_the_block(void **state)
{
	int there[2], back[2];
	pthread_t thread;
	void *ret;
	char c;

	(void)state;
	assert_int_equal(pipe(there), 0);
	assert_int_equal(pipe(back), 0);
	{
		int fds[] = {-1, back[1], there[0]};

		assert_int_equal(pthread_create(&thread, NULL, wait_uncancelled, fds), 0);
		assert_int_equal(read(back[0], &c, 1), 1);
		assert_int_equal(pthread_cancel(thread), 0);
		assert_int_equal(write(there[1], "x", 1), 1);
		assert_int_equal(read(back[0], &c, 1), 1); /* it was not cancelled in read() */
		assert_int_equal(pthread_join(thread, &ret), 0);
	}
	assert_ptr_equal(ret, PTHREAD_CANCELED);
	for (int i = 0; i < 2; i++) {
		close(there[i]);
		close(back[i]);
	}
}

static int make_large_file(void)
{
	const int fd = memfd_create("test", MFD_CLOEXEC);
	int ret;
	BASE_NO_SIGXFSZ;

	ret = ftruncate(fd, 1 << 20) ? errno : 0;
	close(fd);
	return ret;
}

/* The limit is this process's from here on, so a child has it. */
static void no_sigxfsz__is_an_error_and_no_signal(void **state)
{
	const pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		const struct rlimit small = {4096, 4096};
		sigset_t waiting, mask;

		signal(SIGXFSZ, SIG_DFL);
		if (make_large_file() || setrlimit(RLIMIT_FSIZE, &small) ||
		    make_large_file() != EFBIG)
			_exit(1);
		sigpending(&waiting);
		pthread_sigmask(SIG_SETMASK, NULL, &mask);
		if (sigismember(&waiting, SIGXFSZ) || sigismember(&mask, SIGXFSZ))
			_exit(2);
		/* Who has it blocked keeps what waits for it. */
		sigaddset(&mask, SIGXFSZ);
		pthread_sigmask(SIG_SETMASK, &mask, NULL);
		if (make_large_file() != EFBIG)
			_exit(3);
		pthread_sigmask(SIG_SETMASK, NULL, &mask);
		_exit(sigismember(&mask, SIGXFSZ) ? 0 : 4);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base_thread_start__blocks_all_signals_but_the_faults),
		cmocka_unit_test(base_thread_start__stack_is_no_smaller_than_it_must_be),
		cmocka_unit_test(base_uncancelled__thread_is_cancelled_after_the_block),
		cmocka_unit_test(no_sigxfsz__is_an_error_and_no_signal),
	};

	return verbena_test_main(tests);
}
