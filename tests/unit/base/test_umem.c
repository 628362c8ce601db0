// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Copies that meet unmapped memory, and programs that have fault handlers of their own. */
#include "base/umem.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "common/test.h"

/*
 * One page, and one behind it that nobody may touch. It is not given back: what a thread or a
 * sanitizer maps on its own could come to lie there.
 */
struct edge {
	char *page;
	size_t bytes;
};

static int setup(void **state)
{
	static struct edge edge;

	edge.bytes = (size_t)sysconf(_SC_PAGESIZE);
	edge.page = mmap(NULL, 2 * edge.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	assert_ptr_not_equal(edge.page, MAP_FAILED);
	assert_int_equal(mprotect(edge.page + edge.bytes, edge.bytes, PROT_NONE), 0);
	assert_int_equal(base_umem_init(), 0);
	*state = &edge;
	return 0;
}

static int teardown(void **state)
{
	struct edge *edge = *state;

	return munmap(edge->page, 2 * edge->bytes);
}

static void base_umem_copy__copies_every_length(void **state)
{
	char from[600], to[600];

	(void)state;
	for (size_t n = 0; n < 590; n++) {
		for (size_t i = 0; i < sizeof(from); i++)
			from[i] = (char)(i * 7 + n);
		memset(to, 0x55, sizeof(to));
		assert_int_equal(base_umem_copy(to + 3, from + 1, n), 0);
		assert_memory_equal(to + 3, from + 1, n);
		assert_int_equal(to[2], 0x55);
		assert_int_equal(to[3 + n], 0x55);
	}
}

/* Short ones and long ones are copied in different ways: each up to the very edge, and one byte beyond. */
static void base_umem_copy__every_length_at_the_edge(void **state)
{
	const struct edge *edge = *state;
	char *const end = edge->page + edge->bytes;
	char room[600];

	memset(room, 1, sizeof(room));
	for (size_t n = 1; n < sizeof(room); n++) {
		assert_int_equal(base_umem_copy(room, end - n, n), 0);
		assert_int_equal(base_umem_copy(end - n, room, n), 0);
		assert_int_equal(base_umem_copy(room, end - n + 1, n), -EFAULT);
		assert_int_equal(base_umem_copy(end - n + 1, room, n), -EFAULT);
		assert_int_equal(base_umem_copy(room, end, n), -EFAULT);
		assert_int_equal(base_umem_copy(end, room, n), -EFAULT);
	}
}

static void base_umem_copy__unmapped_source_is_efault(void **state)
{
	struct edge *edge = *state;
	char to[64];

	assert_int_equal(base_umem_copy(to, edge->page + edge->bytes - 32, 64), -EFAULT);
	assert_int_equal(base_umem_copy(to, NULL, 1), -EFAULT);
	assert_int_equal(base_umem_copy(to, edge->page + edge->bytes - 32, 32), 0);
}

static void base_umem_copy__unmapped_target_is_efault(void **state)
{
	struct edge *edge = *state;
	char from[64] = "x";

	assert_int_equal(base_umem_copy(edge->page + edge->bytes - 8, from, 64), -EFAULT);
}

static void base_umem_copy__read_only_target_is_efault(void **state)
{
	struct edge *edge = *state;

	assert_int_equal(mprotect(edge->page, edge->bytes, PROT_READ), 0);
	assert_int_equal(base_umem_copy(edge->page, "abc", 3), -EFAULT);
	assert_int_equal(mprotect(edge->page, edge->bytes, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(base_umem_copy(edge->page, "abc", 3), 0);
}

static void base_umem_copy_iov__gathers_and_scatters(void **state)
{
	char a[] = "0123", b[] = "456789", to1[3], to2[7] = "";
	const struct iovec from[] = {{a, 4}, {NULL, 0}, {b, 6}};
	const struct iovec to[] = {{to1, 3}, {to2, 7}};

	(void)state;
	assert_int_equal(base_umem_copy_iov(to, 2, 1, from, 3, 2, 8), 0);
	assert_memory_equal(to1 + 1, "23", 2);
	assert_memory_equal(to2, "456789", 6);
	assert_int_equal(base_umem_copy_iov(to, 2, 0, from, 3, 1, 10), -EFAULT);
}

static void base_umem_cmp_swap__swaps_when_equal(void **state)
{
	uint64_t word = 5, was = 0;

	(void)state;
	assert_int_equal(base_umem_cmp_swap(&word, 5, 9, &was), 0);
	assert_int_equal(was, 5);
	assert_int_equal(word, 9);
	assert_int_equal(base_umem_cmp_swap(&word, 5, 1, &was), 0);
	assert_int_equal(was, 9);
	assert_int_equal(word, 9);
}

static void base_umem_fetch_add__adds_and_faults(void **state)
{
	struct edge *edge = *state;
	uint64_t word = UINT64_MAX, was = 0;

	assert_int_equal(base_umem_fetch_add(&word, 2, &was), 0);
	assert_true(was == UINT64_MAX && word == 1);
	assert_int_equal(base_umem_fetch_add((uint64_t *)(void *)(edge->page + edge->bytes), 1,
					     &was),
			 -EFAULT);
	assert_int_equal(base_umem_cmp_swap(NULL, 1, 1, &was), -EFAULT);
}

static void base_umem_store__stores_and_faults(void **state)
{
	struct edge *edge = *state;
	uint64_t word = 1;

	assert_int_equal(base_umem_store(&word, UINT64_MAX - 1), 0);
	assert_true(word == UINT64_MAX - 1);
	assert_int_equal(base_umem_store((uint64_t *)(void *)(edge->page + edge->bytes), 1),
			 -EFAULT);
	assert_int_equal(base_umem_store(NULL, 1), -EFAULT);
}

static void base_umem_sync__what_is_mapped(void **state)
{
	struct edge *edge = *state;

	assert_int_equal(base_umem_sync(edge->page + 5, 7), 0);
	assert_int_equal(base_umem_sync(edge->page + 5, 0), 0);
	assert_int_equal(base_umem_sync((void *)0x7000000000000005, 7), -EFAULT);
}

static void *copy_with_signals_blocked(void *arg)
{
	struct edge *edge = arg;
	sigset_t set;
	char to[64];
	intptr_t ret;

	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	sigaddset(&set, SIGBUS);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	ret = base_umem_copy(to, edge->page + edge->bytes - 32, 64);
	if (ret != -EFAULT)
		return (void *)(intptr_t)1;
	memcpy(edge->page, "still works", 12);
	if (base_umem_copy(to, edge->page, 12) || strcmp(to, "still works") != 0)
		return (void *)(intptr_t)2;
	return NULL;
}

static void base_umem_copy__thread_that_blocks_the_signals(void **state)
{
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, copy_with_signals_blocked, *state), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
}

static void *atomics_with_signals_blocked(void *arg)
{
	struct edge *edge = arg;
	uint64_t *word = (uint64_t *)(void *)edge->page, was;
	sigset_t set, now;

	sigfillset(&set);
	pthread_sigmask(SIG_SETMASK, &set, NULL);
	*word = 5;
	if (base_umem_fetch_add(word, 2, &was) || was != 5 || *word != 7)
		return (void *)(intptr_t)1;
	if (base_umem_cmp_swap(word, 7, 9, &was) || was != 7 || *word != 9)
		return (void *)(intptr_t)2;
	if (mprotect(edge->page, edge->bytes, PROT_READ) ||
	    base_umem_fetch_add(word, 2, &was) != -EFAULT ||
	    base_umem_cmp_swap(word, 9, 1, &was) != -EFAULT || *word != 9)
		return (void *)(intptr_t)3;
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	if (!sigismember(&now, SIGSEGV) || !sigismember(&now, SIGBUS))
		return (void *)(intptr_t)4;
	return NULL;
}

static void base_umem_fetch_add__thread_that_blocks_the_signals(void **state)
{
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, atomics_with_signals_blocked, *state), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
}

/* Where no page can be, an x86 does not even tell the address that was touched. */
static void base_umem_copy__addresses_that_no_page_can_have(void **state)
{
	static const uintptr_t nowhere[] = {0x8000000000000000u, 0x0000800000000000u,
					    0x00007ffffffffffcu, 0xffff800000000000u,
					    0xffffffff81000000u, UINTPTR_MAX - 7};
	struct edge *edge = *state;
	uint64_t was;

	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		void *there = (void *)nowhere[i];

		assert_int_equal(base_umem_copy(there, edge->page, 8), -EFAULT);
		assert_int_equal(base_umem_copy(edge->page, there, 8), -EFAULT);
		assert_int_equal(base_umem_copy(edge->page, there, 1024), -EFAULT);
		there = (void *)(nowhere[i] & ~(uintptr_t)7);
		assert_int_equal(base_umem_fetch_add(there, 1, &was), -EFAULT);
		assert_int_equal(base_umem_cmp_swap(there, 1, 1, &was), -EFAULT);
	}
}

static sigjmp_buf out;
static volatile sig_atomic_t seen;

static void programs_handler(int signum)
{
	seen = signum;
	siglongjmp(out, 1);
}

static void sigaction__programs_handler_gets_its_own_faults(void **state)
{
	struct sigaction act = {.sa_handler = programs_handler}, old, shown;
	struct edge *edge = *state;
	char to[8];

	assert_int_equal(sigaction(SIGSEGV, &act, &old), 0);
	assert_int_equal(sigaction(SIGSEGV, NULL, &shown), 0);
	assert_ptr_equal(shown.sa_handler, programs_handler);
	seen = 0;
	if (!sigsetjmp(out, 1))
		*(volatile char *)(edge->page + edge->bytes) = 1;
	assert_int_equal(seen, SIGSEGV);
	/* And ours is still in front. */
	seen = 0;
	assert_int_equal(base_umem_copy(to, edge->page + edge->bytes, 8), -EFAULT);
	assert_int_equal(seen, 0);
	assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
}

static void signal__default_fault_still_kills(void **state)
{
	struct edge *edge = *state;
	pid_t pid = fork();
	int status;

	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		*(volatile char *)(edge->page + edge->bytes) = 1;
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

static void kill_self(int signum)
{
	kill(getpid(), signum);
}

static void signal__ignored_one_that_is_sent_is_ignored(void **state)
{
	const sighandler_t before = signal(SIGSEGV, SIG_IGN);

	(void)state;
	kill_self(SIGSEGV);
	assert_ptr_equal(signal(SIGSEGV, before), SIG_IGN);
}

static volatile sig_atomic_t blocked;

static void note_mask(int signum)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	blocked = sigismember(&now, signum) * 2 + sigismember(&now, SIGALRM);
}

/* While the program's handler runs, what it asked for is blocked; afterwards nothing is. */
static void sigaction__mask_holds_while_the_handler_runs(void **state)
{
	struct sigaction act = {.sa_handler = note_mask}, old;

	(void)state;
	sigaddset(&act.sa_mask, SIGALRM);
	assert_int_equal(sigaction(SIGSEGV, &act, &old), 0);
	kill_self(SIGSEGV);
	assert_int_equal(blocked, 3);
	act.sa_flags = SA_NODEFER;
	assert_int_equal(sigaction(SIGSEGV, &act, NULL), 0);
	kill_self(SIGSEGV);
#ifndef __SANITIZE_THREAD__ /* libtsan blocks all signals while a handler runs */
	assert_int_equal(blocked, 1);
#endif
	assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
	note_mask(SIGSEGV);
	assert_int_equal(blocked, 0);
}

static void take_one(int signum)
{
	seen = signum;
}

/* The signal() of a strict C source: ours stays in front, and the program's is for one signal. */
static void sysv_signal__program_has_one_signal(void **state)
{
	struct edge *edge = *state;
	struct sigaction before, shown;
	char to[8];

	assert_int_equal(sigaction(SIGSEGV, NULL, &before), 0);
	assert_ptr_equal(__sysv_signal(SIGSEGV, take_one), before.sa_handler);
	seen = 0;
	assert_int_equal(base_umem_copy(to, edge->page + edge->bytes, 8), -EFAULT);
	assert_int_equal(seen, 0);
	kill_self(SIGSEGV);
	assert_int_equal(seen, SIGSEGV);
	assert_int_equal(sigaction(SIGSEGV, &before, &shown), 0);
	assert_ptr_equal(shown.sa_handler, SIG_DFL);
}

static void signal__returns_the_handler_before(void **state)
{
	(void)state;
	signal(SIGBUS, programs_handler);
	assert_ptr_equal(signal(SIGBUS, SIG_DFL), programs_handler);
#ifdef __SANITIZE_THREAD__
	skip(); /* libtsan keeps a lock of its own when a handler has left by siglongjmp() */
#endif
	assert_ptr_equal(signal(SIGUSR1, programs_handler), SIG_DFL);
	assert_ptr_equal(signal(SIGUSR1, SIG_DFL), programs_handler);
}

static void base_umem_is_there__gaps_and_rights(void **state)
{
	const struct edge *edge = *state;

	*edge->page = 7;
	assert_true(base_umem_is_there(edge->page, edge->bytes));
	assert_true(base_umem_is_there(edge->page + edge->bytes - 1, 1));
	assert_false(base_umem_is_there(edge->page, edge->bytes + 1)); /* mapped, but for nobody */
	assert_false(base_umem_is_there(NULL, 1));
	assert_true(base_umem_is_writable(edge->page + 1, edge->bytes - 1));
	assert_false(base_umem_is_writable(edge->page, edge->bytes + 1));
	assert_int_equal(*edge->page, 7);
	assert_int_equal(mprotect(edge->page, edge->bytes, PROT_READ), 0);
	assert_true(base_umem_is_there(edge->page, edge->bytes));
	assert_false(base_umem_is_writable(edge->page, edge->bytes));
}

static void set_mask(int how)
{
	sigset_t faults;

	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	assert_int_equal(pthread_sigmask(how, &faults, NULL), 0);
}

/* With the signals open, and known to be so. */
static void open_signals(const struct edge *edge)
{
	char c;

	set_mask(SIG_UNBLOCK);
	assert_int_equal(base_umem_copy(&c, edge->page, 1), 0);
}

/* It kills, if the copy trusts in the signal. */
static void copy_fails_with_signals_blocked(const struct edge *edge)
{
	sigset_t now;
	char c;

	/* By the kernel: pthread_sigmask() is interposed. */
	sigemptyset(&now);
	assert_int_equal(syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &now, sizeof(uint64_t)), 0);
	assert_int_equal(sigismember(&now, SIGSEGV), 1);
	assert_int_equal(base_umem_copy(&c, edge->page + edge->bytes, 1), -EFAULT);
}

static void siglongjmp__brings_a_mask(void **state)
{
	const struct edge *edge = *state;
	volatile int jumps = 0;
	sigjmp_buf env;

	set_mask(SIG_BLOCK);
	(void)sigsetjmp(env, 1);
	if (jumps)
		copy_fails_with_signals_blocked(edge);
	if (jumps == 3) {
		set_mask(SIG_UNBLOCK);
		return;
	}
	open_signals(edge);
	switch (jumps++) {
	case 0:
		siglongjmp(env, 1);
	case 1:
		longjmp(env, 1);
	default:
		_longjmp(env, 1);
	}
}

static ucontext_t test_context, coroutine;
static char coroutine_stack[256 << 10];
static const struct edge *coroutine_edge;

static void run_coroutine(void)
{
	set_mask(SIG_BLOCK);
	swapcontext(&coroutine, &test_context);
	copy_fails_with_signals_blocked(coroutine_edge);
	setcontext(&test_context);
}

static void swapcontext__brings_a_mask(void **state)
{
	const struct edge *edge = *state;

	coroutine_edge = edge;
	assert_int_equal(getcontext(&coroutine), 0);
	coroutine.uc_stack.ss_sp = coroutine_stack;
	coroutine.uc_stack.ss_size = sizeof(coroutine_stack);
	makecontext(&coroutine, run_coroutine, 0);
	open_signals(edge);
	assert_int_equal(swapcontext(&test_context, &coroutine), 0); /* until it has blocked them */
	open_signals(edge);
	assert_int_equal(swapcontext(&test_context, &coroutine), 0);
	open_signals(edge);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(siglongjmp__brings_a_mask, setup, teardown),
	cmocka_unit_test_setup_teardown(swapcontext__brings_a_mask, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_is_there__gaps_and_rights, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_copy__copies_every_length, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_copy__every_length_at_the_edge, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_copy__unmapped_source_is_efault, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_copy__unmapped_target_is_efault, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_copy__read_only_target_is_efault, setup,
					teardown),
	cmocka_unit_test_setup_teardown(base_umem_copy_iov__gathers_and_scatters, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_cmp_swap__swaps_when_equal, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_fetch_add__adds_and_faults, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_store__stores_and_faults, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_sync__what_is_mapped, setup, teardown),
	cmocka_unit_test_setup_teardown(base_umem_copy__thread_that_blocks_the_signals, setup,
					teardown),
	cmocka_unit_test_setup_teardown(base_umem_fetch_add__thread_that_blocks_the_signals, setup,
					teardown),
	cmocka_unit_test_setup_teardown(base_umem_copy__addresses_that_no_page_can_have, setup,
					teardown),
	cmocka_unit_test_setup_teardown(sigaction__programs_handler_gets_its_own_faults, setup,
					teardown),
	cmocka_unit_test_setup_teardown(sigaction__mask_holds_while_the_handler_runs, setup,
					teardown),
	cmocka_unit_test_setup_teardown(sysv_signal__program_has_one_signal, setup, teardown),
	cmocka_unit_test_setup_teardown(signal__ignored_one_that_is_sent_is_ignored, setup,
					teardown),
	cmocka_unit_test_setup_teardown(signal__default_fault_still_kills, setup, teardown),
	cmocka_unit_test_setup_teardown(signal__returns_the_handler_before, setup, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
