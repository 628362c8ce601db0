// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The kernel's ways to say something. */
#include <linux/bug.h>
#include <rdma/ib_verbs.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "common/test.h"

static char said[512];
static int said_level;

static void hear(void *ctx, int level, const char *line)
{
	const size_t bytes = strlen(said);

	(void)ctx;
	said_level = level;
	snprintf(said + bytes, sizeof(said) - bytes, "%s\n", line);
}

static int setup(void **state)
{
	(void)state;
	said[0] = '\0';
	base_log_set_level(7);
	base_log_set_sink(hear, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	base_log_set_sink(NULL, NULL);
	base_log_set_level(4);
	return 0;
}

static void pr_warn_once__is_said_once(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		pr_warn_once("the first of %d\n", 3);
		pr_info_once("and this\n");
	}
	assert_string_equal(said, "the first of 3\nand this\n");
	assert_int_equal(said_level, 6);
}

static void WARN__says_its_words(void **state)
{
	(void)state;
	assert_false(WARN(0, "not this\n"));
	assert_true(WARN(2 > 1, "%d is more\n", 2));
	assert_non_null(strstr(said, "2 > 1"));
	assert_non_null(strstr(said, "2 is more\n"));
	assert_null(strstr(said, "not this"));
}

static void WARN_ONCE__says_them_once(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		assert_true(WARN_ONCE(i >= 0, "round %d\n", i));
	assert_non_null(strstr(said, "round 0\n"));
	assert_null(strstr(said, "round 1"));
}

static void ibdev_err__names_the_device(void **state)
{
	struct ib_device device = {.dev = {.name = "verbena7"}};

	(void)state;
	ibdev_err(&device, "lost %d\n", 5);
	assert_int_equal(said_level, 3);
	ibdev_dbg(&device, "well\n");
	assert_int_equal(said_level, 7);
	ibdev_notice(&device, "so\n");
	assert_string_equal(said, "verbena7: lost 5\nverbena7: well\nverbena7: so\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(pr_warn_once__is_said_once),
	TEST(WARN__says_its_words),
	TEST(WARN_ONCE__says_them_once),
	TEST(ibdev_err__names_the_device),
};

int main(void)
{
	return verbena_test_main(tests);
}
