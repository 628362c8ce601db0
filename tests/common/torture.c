/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * VERBENA_ALLOC_TORTURE=1: each test of a group runs again and again, each time with another of
 * its allocations failing (the 1st, the 2nd, ...), until a run ends that asked for fewer. The
 * same is done to setup, once for each setup function of the group, not for each test. Each run
 * has a process of its own, made from the same untouched parent.
 *
 * What may happen when an allocation fails: the call under test copes; or it returns an error,
 * which the test did not expect, so that an assertion leaves the body and teardown follows.
 * What may not, and fails the test:
 *
 *  - a crash, a broken INVARIANT(), a sanitizer's report, a hang;
 *  - an assertion that fails although no allocation did; a teardown that fails;
 *  - blocks left over after a body that returned: whoever coped has leaked;
 *  - blocks left over because of the failing call. A body that an assertion leaves takes with
 *    it what it would have released further down, which is nobody's fault. So compare: runs that
 *    end at the same assertion (the same number of assertions evaluated before) have the same
 *    calls behind them, and differ in which allocation of the failing call was refused. In the
 *    first of them that call had not allocated anything yet. Those that follow must leave no
 *    more blocks than the first, or the call has kept what it had allocated before it failed.
 *
 * What it does not prove: that the error code is the right one, or that the call can be made
 * again (tests of the call say that); that something which is no block of base/alloc.h is
 * released; anything about threads, whose order of allocations may differ from run to run. A
 * test that makes several calls before it asserts, in a loop, blurs the comparison: assert
 * after each call. From the 256th allocation on, and once a test has taken 5 seconds, only a
 * growing stride of them is tried; the line it prints then says "sampled".
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/harness.h"

#define EACH_UP_TO 256
#define EACH_FOR_SECONDS 5
#define HANG_SECONDS 60
#define ENDINGS 4096

/* Where a run was left by an assertion, and the blocks that the first run left there. */
struct ending {
	unsigned long ticks;
	enum test_stage stage;
	long left;
};

struct torture {
	const char *group;
	const struct CMUnitTest *test;
	bool in_setup;
	unsigned long nth;
	int output_fd;
	size_t ending_count;
	struct ending endings[ENDINGS];
};

/* The child's part: one run, its result into the pipe. */
static _Noreturn void run_child(struct torture *t, int result_fd)
{
	struct test_run run = {
		.test = t->test,
		.fail_setup = t->in_setup ? t->nth : 0,
		.fail_body = t->in_setup ? 0 : t->nth,
	};
	ssize_t written;

	alarm(HANG_SECONDS);
	dup2(t->output_fd, STDOUT_FILENO);
	dup2(t->output_fd, STDERR_FILENO);
	test_run_once(t->group, &run);
	fflush(NULL);
	written = write(result_fd, &run, sizeof(run));
	_exit(written == (ssize_t)sizeof(run) ? 0 : 1);
}

static void print_output(const struct torture *t)
{
	char buf[4096];
	ssize_t got;
	off_t at = 0;

	while ((got = pread(t->output_fd, buf, sizeof(buf), at)) > 0) {
		fwrite(buf, 1, (size_t)got, stderr);
		at += got;
	}
}

static bool complain(const struct torture *t, const char *what)
{
	print_output(t);
	fprintf(stderr, "torture: %s: %s: with allocation %lu of the %s failing: %s\n", t->group,
		t->test->name, t->nth, t->in_setup ? "setup" : "body", what);
	return false;
}

static bool check_status(const struct torture *t, int status)
{
	char text[96];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return complain(t, "it hangs");
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "killed by %s", strsignal(WTERMSIG(status)));
	else
		snprintf(text, sizeof(text), "exit status %d", WEXITSTATUS(status));
	return complain(t, text);
}

static bool check_ending(struct torture *t, const struct test_run *run)
{
	const enum test_stage stage = run->stage == TEST_TORN_DOWN ? TEST_IN_BODY : TEST_IN_SETUP;
	struct ending *e = t->endings;
	char text[128];

	while (e < t->endings + t->ending_count && (e->ticks != run->ticks || e->stage != stage))
		e++;
	if (e == t->endings + ENDINGS)
		return complain(t, "too many different endings");
	if (e == t->endings + t->ending_count) {
		t->ending_count++;
		*e = (struct ending){run->ticks, stage, run->left};
	}
	if (run->left <= e->left)
		return true;
	snprintf(text, sizeof(text), "the failing call leaks %ld blocks", run->left - e->left);
	return complain(t, text);
}

static bool check_run(struct torture *t, const struct test_run *run)
{
	const bool left_by_assertion = !run->body_done && !run->skipped;

	if (run->stage == TEST_IN_TEARDOWN)
		return complain(t, "teardown fails");
	if (left_by_assertion && !run->struck)
		return complain(t, "an assertion fails, and no allocation has failed before");
	if (left_by_assertion)
		return check_ending(t, run);
	if (run->left != 0)
		return complain(t, "blocks are left over after teardown");
	return true;
}

/* Returns whether all was well; @run tells how it went. */
static bool run_nth(struct torture *t, struct test_run *run)
{
	int fds[2], status;
	ssize_t got;
	pid_t child;

	if (pipe(fds) != 0 || ftruncate(t->output_fd, 0) != 0)
		return complain(t, strerror(errno));
	lseek(t->output_fd, 0, SEEK_SET);
	fflush(NULL);
	child = fork();
	if (child < 0)
		return complain(t, strerror(errno));
	if (child == 0)
		run_child(t, fds[1]);
	close(fds[1]);
	got = read(fds[0], run, sizeof(*run));
	close(fds[0]);
	if (waitpid(child, &status, 0) != child)
		return complain(t, strerror(errno));
	if (!check_status(t, status))
		return false;
	if (got != (ssize_t)sizeof(*run))
		return complain(t, "it ended without a result");
	return check_run(t, run);
}

static bool torture_part(struct torture *t, bool *skipped)
{
	const time_t started = time(NULL);
	struct test_run run = {.struck = true};
	unsigned long tried = 0, stride = 1;

	t->ending_count = 0;
	for (t->nth = 1; run.struck; t->nth += stride) {
		memset(&run, 0, sizeof(run));
		if (!run_nth(t, &run))
			return false;
		tried += run.struck;
		if (t->nth >= EACH_UP_TO || time(NULL) - started > EACH_FOR_SECONDS)
			stride = 1 + t->nth / 16;
	}
	*skipped |= run.skipped;
	printf("torture: %s: %s: %lu allocations of the %s failed%s\n", t->group, t->test->name,
	       tried, t->in_setup ? "setup" : "body", stride > 1 ? ", sampled" : "");
	return true;
}

bool test_torture(const char *group, const struct CMUnitTest *test, bool setup_too, bool *skipped)
{
	struct torture *t = calloc(1, sizeof(*t));
	bool ok = true;

	if (!t)
		abort();
	t->group = group;
	t->test = test;
	t->output_fd = memfd_create("output", 0);
	if (t->output_fd < 0)
		abort();
	if (setup_too && test->setup_func) {
		t->in_setup = true;
		ok = torture_part(t, skipped);
		t->in_setup = false;
	}
	if (ok)
		ok = torture_part(t, skipped);
	close(t->output_fd);
	free(t);
	return ok;
}
