// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Waiting and working without a driver. */
#include "base/host.h"

#include <linux/workqueue.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "common/test.h"

static char log_text[64];

static void log_char(char c)
{
	const size_t n = strlen(log_text);

	log_text[n] = c;
	log_text[n + 1] = '\0';
}

static void work_a(struct work_struct *work)
{
	(void)work;
	log_char('a');
}

static void work_b(struct work_struct *work)
{
	(void)work;
	log_char('b');
}

static int setup(void **state)
{
	(void)state;
	log_text[0] = '\0';
	return 0;
}

static bool is_set(void *arg)
{
	return __atomic_load_n((int *)arg, __ATOMIC_SEQ_CST) != 0;
}

static void progress_within(struct work_struct *work)
{
	(void)work;
	log_char(base_progress() ? 'y' : 'n');
}

static void base_progress__runs_what_is_queued_but_not_from_within(void **state)
{
	struct work_struct a, b;

	(void)state;
	assert_false(base_progress());
	INIT_WORK(&a, progress_within);
	INIT_WORK(&b, work_b);
	assert_true(base_run_later(&a));
	assert_true(base_run_later(&b));
	assert_true(base_progress());
	assert_string_equal(log_text, "nb");
	assert_false(base_progress());
}

static bool progress_of_driver(void *ctx)
{
	*(int *)ctx += 1;
	return true;
}

static void base_progress__is_the_drivers_where_it_has_one(void **state)
{
	const struct base_host_ops ops = {.progress = progress_of_driver};
	int calls = 0;

	(void)state;
	base_host_install(&ops, &calls);
	assert_true(base_progress());
	base_host_install(NULL, NULL);
	assert_int_equal(calls, 1);
}

static void base_run_later__runs_once_in_order(void **state)
{
	struct work_struct a, b;

	(void)state;
	INIT_WORK(&a, work_a);
	INIT_WORK(&b, work_b);
	assert_true(base_run_later(&b));
	assert_true(base_run_later(&a));
	assert_false(base_run_later(&b));
	assert_false(base_host_idle());
	assert_int_equal(base_host_deadline_ns(), 0);
	assert_int_equal(base_host_turn(base_now_ns(), 100), 2);
	assert_string_equal(log_text, "ba");
	assert_true(base_host_idle());
}

static void base_host_turn__keeps_to_its_budget(void **state)
{
	struct work_struct a, b;

	(void)state;
	INIT_WORK(&a, work_a);
	INIT_WORK(&b, work_b);
	base_run_later(&a);
	base_run_later(&b);
	assert_int_equal(base_host_turn(base_now_ns(), 1), 1);
	assert_string_equal(log_text, "a");
	assert_true(base_cancel_work(&b, true));
	assert_false(base_cancel_work(&b, true));
	assert_true(base_host_idle());
}

static void base_flush_work__waits_for_it(void **state)
{
	struct work_struct a;

	(void)state;
	INIT_WORK(&a, work_a);
	base_run_later(&a);
	assert_true(base_flush_work(&a));
	assert_string_equal(log_text, "a");
	assert_false(base_flush_work(&a));
}

static struct workqueue_struct *ordered;
static int released;

static void work_that_waits(struct work_struct *work)
{
	(void)work;
	log_char('(');
	base_wait_until(is_set, &released, BASE_FOREVER_NS);
	log_char(')');
}

static void work_that_releases(struct work_struct *work)
{
	(void)work;
	log_char('r');
	released = 1;
}

/* A waiting work lets others run, but not those of its own ordered queue. */
static void base_workqueue_new__one_at_a_time(void **state)
{
	struct work_struct waits, next, other;

	(void)state;
	released = 0;
	ordered = base_workqueue_new("test", 1);
	assert_non_null(ordered);
	INIT_WORK(&waits, work_that_waits);
	INIT_WORK(&next, work_a);
	INIT_WORK(&other, work_that_releases);
	queue_work(ordered, &waits);
	queue_work(ordered, &next);
	schedule_work(&other);
	base_workqueue_flush(ordered);
	assert_string_equal(log_text, "(r)a");
	base_workqueue_free(ordered);
}

static void queue_work__what_is_pending_stays_where_it_is(void **state)
{
	struct workqueue_struct *other;
	struct work_struct work;

	(void)state;
	ordered = base_workqueue_new("test", 1);
	other = base_workqueue_new("other", 1);
	assert_non_null(ordered);
	assert_non_null(other);
	INIT_WORK(&work, work_a);
	assert_true(queue_work(ordered, &work));
	assert_false(queue_work(other, &work));
	base_workqueue_flush(ordered);
	assert_string_equal(log_text, "a");
	base_workqueue_flush(other);
	base_workqueue_free(other);
	base_workqueue_free(ordered);
}

static void base_wait_until__jumps_to_the_deadline(void **state)
{
	const uint64_t start_ns = base_now_ns();
	int never = 0;

	(void)state;
	assert_false(base_wait_until(is_set, &never, 3600000000000u));
	assert_true(base_now_ns() >= start_ns + 3600000000000u);
}

struct setter {
	struct base_timer timer;
	int done;
};

static void set_done(struct base_timer *timer)
{
	container_of(timer, struct setter, timer)->done = 1;
}

static void base_wait_until__turns_the_crank(void **state)
{
	struct setter s = {.done = 0};
	const uint64_t start_ns = base_now_ns();

	(void)state;
	base_timer_init(&s.timer, set_done);
	base_timer_arm(&s.timer, 5000);
	assert_true(base_wait_until(is_set, &s.done, BASE_FOREVER_NS));
	assert_int_equal(base_now_ns(), start_ns + 5000);
}

static void *set_from_thread(void *arg)
{
	__atomic_store_n((int *)arg, 1, __ATOMIC_SEQ_CST);
	base_wake();
	return NULL;
}

static void base_wait_until__another_thread(void **state)
{
	pthread_t thread;
	int done = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, set_from_thread, &done), 0);
	assert_true(base_wait_until(is_set, &done, BASE_FOREVER_NS));
	pthread_join(thread, NULL);
}

/* A work that, while somebody cancels it, queues itself once more. */
static int again_step;

static void queue_itself(struct work_struct *work)
{
	__atomic_store_n(&again_step, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&again_step, __ATOMIC_SEQ_CST) != 2)
		sched_yield();
	for (int i = 0; i < 1000; i++) /* the other thread is on its way into base_cancel_work() */
		sched_yield();
	base_run_later(work);
}

static void *turn_once(void *arg)
{
	(void)arg;
	base_host_turn(base_now_ns(), 1);
	return NULL;
}

static void base_cancel_work__takes_back_what_a_run_queues(void **state)
{
	struct work_struct again;
	pthread_t thread;

	(void)state;
	again_step = 0;
	INIT_WORK(&again, queue_itself);
	assert_true(base_run_later(&again));
	assert_int_equal(pthread_create(&thread, NULL, turn_once, NULL), 0);
	while (!__atomic_load_n(&again_step, __ATOMIC_SEQ_CST))
		sched_yield();
	__atomic_store_n(&again_step, 2, __ATOMIC_SEQ_CST);
	base_cancel_work(&again, true);
	pthread_join(thread, NULL);
	assert_true(base_host_idle());
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(base_progress__runs_what_is_queued_but_not_from_within, setup),
	cmocka_unit_test_setup(base_progress__is_the_drivers_where_it_has_one, setup),
	cmocka_unit_test_setup(base_run_later__runs_once_in_order, setup),
	cmocka_unit_test_setup(base_cancel_work__takes_back_what_a_run_queues, setup),
	cmocka_unit_test_setup(base_host_turn__keeps_to_its_budget, setup),
	cmocka_unit_test_setup(base_flush_work__waits_for_it, setup),
	cmocka_unit_test_setup(base_workqueue_new__one_at_a_time, setup),
	cmocka_unit_test_setup(queue_work__what_is_pending_stays_where_it_is, setup),
	cmocka_unit_test_setup(base_wait_until__jumps_to_the_deadline, setup),
	cmocka_unit_test_setup(base_wait_until__turns_the_crank, setup),
	cmocka_unit_test_setup(base_wait_until__another_thread, setup),
};

int main(void)
{
	return verbena_test_main(tests);
}
