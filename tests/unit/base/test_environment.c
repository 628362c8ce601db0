// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Variables that have one of a few values. */
#include "base/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/test.h"

static const char *const choices[] = {"write", "invoke", "ioctl", NULL};

/* What base_environment_choice() answers, and what it says on stderr. */
static int choose(const char *name, const char *value, char *said, size_t bytes)
{
	FILE *file = tmpfile();
	const int before = dup(STDERR_FILENO);
	int choice;
	size_t n;

	assert_non_null(file);
	assert_int_equal(setenv(name, value, 1), 0);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	choice = base_environment_choice(name, choices);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	close(before);
	rewind(file);
	n = fread(said, 1, bytes - 1, file);
	said[n] = '\0';
	assert_int_equal(fclose(file), 0);
	return choice;
}

static void base_environment_choice__of_what_is_known(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(base_environment_choice("VERBENA_TEST_UNSET", choices), -1);
	assert_int_equal(choose("VERBENA_TEST_A", "", said, sizeof(said)), -1);
	assert_string_equal(said, "");
	assert_int_equal(choose("VERBENA_TEST_A", "write", said, sizeof(said)), 0);
	assert_int_equal(choose("VERBENA_TEST_A", "ioctl", said, sizeof(said)), 2);
	assert_string_equal(said, "");
}

static void base_environment_choice__says_once_what_may_be(void **state)
{
	char said[256];

	(void)state;
	assert_int_equal(choose("VERBENA_TEST_B", "x", said, sizeof(said)), -1);
	assert_string_equal(said,
			    "verbena: VERBENA_TEST_B is x, and may be write, invoke or ioctl. "
			    "It is ignored: see verbena(7).\n");
	assert_int_equal(choose("VERBENA_TEST_B", "y", said, sizeof(said)), -1);
	assert_string_equal(said, "");
	assert_int_equal(choose("VERBENA_TEST_C", "writ", said, sizeof(said)), -1);
	assert_non_null(strstr(said, "VERBENA_TEST_C is writ, "));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(base_environment_choice__of_what_is_known),
	cmocka_unit_test(base_environment_choice__says_once_what_may_be),
};

int main(void)
{
	return verbena_test_main(tests);
}
