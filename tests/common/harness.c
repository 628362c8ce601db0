/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runs a group of cmocka tests one by one, and after each of them checks that the number of live
 * blocks of base/alloc.h is what it was before its setup. The last line tells the totals, for
 * whoever adds them up (scripts/test-totals).
 *
 * cmocka takes SIGSEGV and its like for itself, again for each test. They are given back at once,
 * to whoever had them at the end of the test before: base_umem keeps its handlers, a sanitizer
 * prints its report, and a crash is a crash.
 */
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/harness.h"

static const int crash_signals[] = {SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS};

#define CRASH_SIGNALS (sizeof(crash_signals) / sizeof(crash_signals[0]))

static struct sigaction crash_actions[CRASH_SIGNALS];
static struct test_run *current;

static void keep_signals(void)
{
	for (size_t i = 0; i < CRASH_SIGNALS; i++)
		sigaction(crash_signals[i], NULL, &crash_actions[i]);
}

static void take_signals_back(void)
{
	for (size_t i = 0; i < CRASH_SIGNALS; i++)
		sigaction(crash_signals[i], &crash_actions[i], NULL);
}

void test_tick(void)
{
	if (current && current->stage <= TEST_IN_BODY)
		current->ticks++;
}

void test_note_skip(void)
{
	if (current)
		current->skipped = true;
}

static void stop_failing(struct test_run *run)
{
	run->struck |= base_alloc_failed();
	base_alloc_fail_nth(0);
}

static int wrapped_setup(void **state)
{
	struct test_run *run = current;
	int ret = 0;

	take_signals_back();
	*state = run->test->initial_state;
	run->stage = TEST_IN_SETUP;
	if (run->test->setup_func) {
		base_alloc_fail_nth(run->fail_setup);
		ret = run->test->setup_func(state);
		stop_failing(run);
	}
	if (!ret)
		run->stage = TEST_SET_UP;
	keep_signals();
	return ret;
}

static void wrapped_test(void **state)
{
	struct test_run *run = current;

	take_signals_back();
	run->stage = TEST_IN_BODY;
	base_alloc_fail_nth(run->fail_body);
	run->test->test_func(state);
	run->body_done = true;
	keep_signals();
}

static int wrapped_teardown(void **state)
{
	struct test_run *run = current;
	int ret = 0;

	take_signals_back();
	stop_failing(run);
	run->stage = TEST_IN_TEARDOWN;
	if (run->test->teardown_func)
		ret = run->test->teardown_func(state);
	if (!ret)
		run->stage = TEST_TORN_DOWN;
	keep_signals();
	return ret;
}

int test_run_once(const char *group, struct test_run *run)
{
	const struct CMUnitTest one[] = {
		{run->test->name, wrapped_test, wrapped_setup, wrapped_teardown, NULL},
	};
	const size_t before = base_alloc_live();
	int failed;

	current = run;
	failed = _cmocka_run_group_tests(group, one, 1, NULL, NULL);
	current = NULL;
	stop_failing(run);
	run->left = (long)base_alloc_live() - (long)before;
	return failed != 0;
}

/* Exit status of one test in a normal run: 0 passed, 1 failed. */
static int run_normally(const char *group, const struct CMUnitTest *test, bool *skipped)
{
	struct test_run run = {.test = test};

	if (test_run_once(group, &run))
		return 1;
	*skipped = run.skipped;
	if (run.left != 0) {
		fprintf(stderr, "%s: %s: %ld blocks more after teardown than before setup\n", group,
			test->name, run.left);
		return 1;
	}
	return 0;
}

static bool first_with_this_setup(const struct CMUnitTest *tests, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (tests[i].setup_func == tests[index].setup_func)
			return false;
	}
	return true;
}

/* VERBENA_TESTS: globs of test names, separated by blanks; all tests if it is not set. */
static bool is_wanted(const char *name)
{
	const char *globs = getenv("VERBENA_TESTS");
	char *copy, *rest, *glob;
	bool wanted = false;

	if (!globs || !*globs)
		return true;
	copy = strdup(globs);
	if (!copy)
		abort();
	for (glob = strtok_r(copy, " ", &rest); glob; glob = strtok_r(NULL, " ", &rest))
		wanted |= fnmatch(glob, name, 0) == 0;
	free(copy);
	return wanted;
}

int test_group_run(const char *file, const struct CMUnitTest *tests, size_t count)
{
	const char *torture = getenv("VERBENA_ALLOC_TORTURE");
	const char *slash = strrchr(file, '/');
	const char *group = slash ? slash + 1 : file;
	size_t passed = 0, failed = 0, skips = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	keep_signals();
	for (size_t i = 0; i < count; i++) {
		bool skipped = false, ok;

		if (!is_wanted(tests[i].name))
			continue;
		if (torture && *torture && strcmp(torture, "0") != 0)
			ok = test_torture(group, &tests[i], first_with_this_setup(tests, i),
					  &skipped);
		else
			ok = run_normally(group, &tests[i], &skipped) == 0;
		if (!ok)
			failed++;
		else if (skipped)
			skips++;
		else
			passed++;
		if (!ok)
			fprintf(stderr, "FAILED: %s: %s\n", group, tests[i].name);
	}
	fflush(stderr);
	printf("TESTS: %zu passed, %zu failed, %zu skipped\n", passed, failed, skips);
	return failed != 0;
}

bool test_dies(void (*fn)(void *arg), void *arg)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		take_signals_back();
		signal(SIGABRT, SIG_DFL);
		fn(arg);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}
