// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What each turn of the crank looks at. */
#include "base/poller.h"

#include <linux/workqueue.h>
#include <pthread.h>
#include <sched.h>

#include "base/host.h"
#include "common/test.h"

struct box {
	struct base_poller poller;
	unsigned int polls;
	unsigned int things;
	bool hold; /* poll() does not return */
	bool inside;
};

static bool look(struct base_poller *poller)
{
	struct box *box = container_of(poller, struct box, poller);
	const bool found = box->things > 0;

	box->polls++;
	if (found)
		box->things--;
	__atomic_store_n(&box->inside, true, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&box->hold, __ATOMIC_SEQ_CST))
		sched_yield();
	return found;
}

static void base_pollers_run__each_once(void **state)
{
	struct box a = {.poller.poll = look, .things = 1}, b = {.poller.poll = look};

	(void)state;
	assert_false(base_pollers_exist());
	assert_false(base_pollers_run());
	base_poller_add(&a.poller);
	base_poller_add(&b.poller);
	base_poller_add(&a.poller);
	assert_true(base_pollers_exist());
	assert_true(base_pollers_run());
	assert_false(base_pollers_run());
	assert_int_equal(a.polls, 2);
	assert_int_equal(b.polls, 2);
	base_poller_remove(&a.poller);
	assert_false(base_pollers_run());
	base_poller_remove(&b.poller);
	base_poller_remove(&b.poller);
	assert_int_equal(a.polls, 2);
	assert_int_equal(b.polls, 3);
	assert_false(base_pollers_exist());
}

static void base_host_turn__polls(void **state)
{
	struct box a = {.poller.poll = look, .things = 1};

	(void)state;
	assert_false(base_progress());
	base_poller_add(&a.poller);
	assert_true(base_progress());
	assert_false(base_progress());
	a.things = 1;
	assert_int_equal(base_host_turn(base_now_ns(), 10), 1);
	base_poller_remove(&a.poller);
}

static void *turn(void *arg)
{
	(void)arg;
	base_host_turn(base_now_ns(), 1);
	return NULL;
}

static void *let_go(void *arg)
{
	struct box *box = arg;

	for (int i = 0; i < 100; i++)
		sched_yield();
	box->polls = 77;
	__atomic_store_n(&box->hold, false, __ATOMIC_SEQ_CST);
	return NULL;
}

static void base_poller_remove__outlasts_a_running_poll(void **state)
{
	struct box a = {.poller.poll = look, .hold = true};
	pthread_t turner, other;

	(void)state;
	base_poller_add(&a.poller);
	assert_int_equal(pthread_create(&turner, NULL, turn, NULL), 0);
	while (!__atomic_load_n(&a.inside, __ATOMIC_SEQ_CST))
		sched_yield();
	assert_int_equal(pthread_create(&other, NULL, let_go, &a), 0);
	base_poller_remove(&a.poller);
	assert_int_equal(a.polls, 77);
	pthread_join(turner, NULL);
	pthread_join(other, NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(base_pollers_run__each_once),
	cmocka_unit_test(base_host_turn__polls),
	cmocka_unit_test(base_poller_remove__outlasts_a_running_poll),
};

int main(void)
{
	return verbena_test_main(tests);
}
