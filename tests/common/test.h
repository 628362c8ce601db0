/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every unit test includes this instead of cmocka.h and ends in
 *
 *	int main(void)
 *	{
 *		return verbena_test_main(tests);
 *	}
 *
 * where `tests` is an array of struct CMUnitTest. See harness.c for what is checked around each
 * test, and for what VERBENA_ALLOC_TORTURE=1 does and proves.
 */
#ifndef TESTS_COMMON_TEST_H
#define TESTS_COMMON_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"

/**
 * verbena_test_main() - Run a group of tests, or torture each of them.
 * @group: Array of struct CMUnitTest.
 *
 * Return: The exit status for main(): 0 if no test failed.
 */
#define verbena_test_main(group) test_group_run(__FILE__, group, sizeof(group) / sizeof((group)[0]))

int test_group_run(const char *file, const struct CMUnitTest *tests, size_t count);

/**
 * test_dies() - Whether a function ends the process by abort(), as a broken INVARIANT() does.
 * @fn: Runs in a child process.
 * @arg: Its argument.
 */
bool test_dies(void (*fn)(void *arg), void *arg);

/*
 * The torture tells the places in a test's body apart by the number of assertions that were
 * evaluated before: each of them ticks.
 */
void test_tick(void);
void test_note_skip(void);

/* Tells compilers and analyzers what cmocka does not: that it does not return if @holds is 0. */
static inline void test_assert_true(LargestIntegralType holds, const char *expression,
				    const char *file, int line)
{
	test_tick();
	_assert_true(holds, expression, file, line);
	if (!holds)
		__builtin_unreachable();
}

#define _assert_true test_assert_true
#define _assert_return_code(...) (test_tick(), (_assert_return_code)(__VA_ARGS__))
#define _assert_float_equal(...) (test_tick(), (_assert_float_equal)(__VA_ARGS__))
#define _assert_float_not_equal(...) (test_tick(), (_assert_float_not_equal)(__VA_ARGS__))
#define _assert_int_equal(...) (test_tick(), (_assert_int_equal)(__VA_ARGS__))
#define _assert_int_not_equal(...) (test_tick(), (_assert_int_not_equal)(__VA_ARGS__))
#define _assert_string_equal(...) (test_tick(), (_assert_string_equal)(__VA_ARGS__))
#define _assert_string_not_equal(...) (test_tick(), (_assert_string_not_equal)(__VA_ARGS__))
#define _assert_memory_equal(...) (test_tick(), (_assert_memory_equal)(__VA_ARGS__))
#define _assert_memory_not_equal(...) (test_tick(), (_assert_memory_not_equal)(__VA_ARGS__))
#define _assert_in_range(...) (test_tick(), (_assert_in_range)(__VA_ARGS__))
#define _assert_not_in_range(...) (test_tick(), (_assert_not_in_range)(__VA_ARGS__))
#define _assert_in_set(...) (test_tick(), (_assert_in_set)(__VA_ARGS__))
#define _assert_not_in_set(...) (test_tick(), (_assert_not_in_set)(__VA_ARGS__))
#define _fail(...) (test_tick(), (_fail)(__VA_ARGS__))
#define _skip(...) (test_note_skip(), (_skip)(__VA_ARGS__))

/* For tests that need other processes, whose allocations fail as well: to assert that is too much. */
#define test_skip_in_torture()                       \
	do {                                         \
		if (getenv("VERBENA_ALLOC_TORTURE")) \
			skip();                      \
	} while (0)

#endif
