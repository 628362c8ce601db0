/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What harness.c and torture.c share. */
#ifndef TESTS_COMMON_HARNESS_H
#define TESTS_COMMON_HARNESS_H

#include "common/test.h"

/* Where the run of one test is or ended. */
enum test_stage {
	TEST_NOT_RUN,
	TEST_IN_SETUP,
	TEST_SET_UP,
	TEST_IN_BODY,
	TEST_BODY_DONE,
	TEST_IN_TEARDOWN,
	TEST_TORN_DOWN,
};

/**
 * struct test_run - One run of one test.
 * @test: What the group says.
 * @fail_setup: Setup's allocation that is to fail; 0 for none.
 * @fail_body: The same of the body.
 * @struck: Out: that allocation was reached.
 * @skipped: Out: the body called skip().
 * @body_done: Out: the body returned; otherwise an assertion or skip() left it.
 * @stage: Out: how far it came.
 * @ticks: Out: assertions evaluated until setup or body ended.
 * @left: Out: blocks more than before setup, after teardown. Can be negative.
 */
struct test_run {
	const struct CMUnitTest *test;
	unsigned long fail_setup;
	unsigned long fail_body;
	bool struck;
	bool skipped;
	bool body_done;
	enum test_stage stage;
	unsigned long ticks;
	long left;
};

/* Run one test under cmocka. Returns what cmocka does: 0, or 1 if it failed. */
int test_run_once(const char *group, struct test_run *run);

/* Fail each allocation of one test in turn. Returns whether it withstood; sets @skipped. */
bool test_torture(const char *group, const struct CMUnitTest *test, bool setup_too, bool *skipped);

#endif
