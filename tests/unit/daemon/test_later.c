// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What other threads leave to the main loop. */
#include <unistd.h>

#include "common/test.h"
#include "daemon/server_priv.h"

struct counted {
	struct later later;
	int count;
	bool again;
};

static int order;

static void count(struct server *s, struct later *later)
{
	struct counted *c = (struct counted *)later;

	c->count = ++order;
	if (c->again)
		server_later(s, later);
	c->again = false;
}

static struct server s;

static int start(void **state)
{
	(void)state;
	order = 0;
	return server_later_init(&s);
}

static int stop(void **state)
{
	(void)state;
	return close(s.later_fd);
}

static bool is_readable(void)
{
	struct pollfd polled = {.fd = s.later_fd, .events = POLLIN};

	return poll(&polled, 1, 0) == 1;
}

static void server_run_later__once_each_in_order(void **state)
{
	struct counted a = {.later.run = count}, b = a;

	(void)state;
	assert_false(is_readable());
	server_later(&s, &a.later);
	server_later(&s, &b.later);
	assert_true(is_readable());
	assert_int_equal(a.count, 0);
	server_run_later(&s);
	assert_false(is_readable());
	server_run_later(&s);
	assert_int_equal(a.count, 1);
	assert_int_equal(b.count, 2);
}

/* Clients want something, too. */
static void server_run_later__what_comes_meanwhile_waits(void **state)
{
	struct counted a = {.later.run = count, .again = true};

	(void)state;
	server_later(&s, &a.later);
	server_run_later(&s);
	assert_int_equal(a.count, 1);
	assert_true(is_readable());
	server_run_later(&s);
	assert_int_equal(a.count, 2);
	assert_false(is_readable());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static const struct CMUnitTest tests[] = {
	TEST(server_run_later__once_each_in_order),
	TEST(server_run_later__what_comes_meanwhile_waits),
};

int main(void)
{
	return verbena_test_main(tests);
}
