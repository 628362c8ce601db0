// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The allocator's counters and switches. */
#include "common/test.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void base_zalloc__is_zero_and_counted(void **state)
{
	const size_t before = base_alloc_live();
	unsigned char *block = base_zalloc(1000);

	(void)state;
	assert_non_null(block);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(block[i], 0);
	assert_int_equal(base_alloc_live(), before + 1);
	assert_true(base_alloc_live_bytes() >= 1000);
	base_free(block);
	assert_int_equal(base_alloc_live(), before);
}

static void base_zalloc_array__refuses_overflow(void **state)
{
	(void)state;
	assert_null(base_zalloc_array(SIZE_MAX / 2, 3));
}

static void base_realloc__keeps_bytes(void **state)
{
	char *text = base_strdup("verbena"), *longer;

	(void)state;
	assert_non_null(text);
	longer = base_realloc(text, 5000);
	if (!longer) {
		base_free(text);
		assert_non_null(longer);
	}
	assert_string_equal(longer, "verbena");
	base_free(longer);
}

static void base_alloc_fail_nth__strikes_once(void **state)
{
	void *first, *second, *third;

	(void)state;
	base_alloc_fail_nth(2);
	first = base_zalloc(1);
	assert_false(base_alloc_failed());
	second = base_zalloc(1);
	assert_true(base_alloc_failed());
	third = base_zalloc(1);
	base_alloc_fail_nth(0);
	assert_non_null(first);
	assert_null(second);
	assert_non_null(third);
	base_free(first);
	base_free(third);
}

static void base_alloc_forbid__aborts(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		signal(SIGABRT, SIG_DFL);
		base_alloc_forbid(true);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		base_free(base_zalloc(1));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void base_alloc_forbid__nests(void **state)
{
	(void)state;
	base_alloc_forbid(true);
	base_alloc_forbid(true);
	base_alloc_forbid(false);
	assert_true(base_alloc_forbidden());
	base_alloc_forbid(false);
	assert_false(base_alloc_forbidden());
	base_free(base_zalloc(1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(base_zalloc__is_zero_and_counted),
	cmocka_unit_test(base_zalloc_array__refuses_overflow),
	cmocka_unit_test(base_realloc__keeps_bytes),
	cmocka_unit_test(base_alloc_fail_nth__strikes_once),
	cmocka_unit_test(base_alloc_forbid__aborts),
	cmocka_unit_test(base_alloc_forbid__nests),
};

int main(void)
{
	return verbena_test_main(tests);
}
