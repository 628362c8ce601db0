/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Timers, work, waiting: over the built-in driver, in virtual time. */
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "common/test.h"

/* Something that can be fired in every way. */
struct box {
	struct timer_list timer;
	struct hrtimer hrtimer;
	struct work_struct work;
	struct delayed_work dwork;
	struct completion done;
	wait_queue_head_t wq;
	int fired;
};

static void on_timer(struct timer_list *timer)
{
	struct box *box = from_timer(box, timer, timer);

	box->fired++;
}

static enum hrtimer_restart on_hrtimer(struct hrtimer *timer)
{
	struct box *box = container_of(timer, struct box, hrtimer);

	return ++box->fired < 3 ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void on_work(struct work_struct *work)
{
	container_of(work, struct box, work)->fired++;
}

static void on_delayed_work(struct work_struct *work)
{
	container_of(to_delayed_work(work), struct box, dwork)->fired++;
}

static void complete_box(struct work_struct *work)
{
	struct box *box = container_of(work, struct box, work);

	box->fired++;
	complete(&box->done);
}

static void wake_box(struct work_struct *work)
{
	struct box *box = container_of(work, struct box, work);

	box->fired++;
	wake_up(&box->wq);
}

static int wanted;

static bool has_fired(void *arg)
{
	return *(const int *)arg >= wanted;
}

/* Whether a counter reaches a value within a second (of virtual time). */
static bool passes(int *counter, int value)
{
	wanted = value;
	return base_wait_until(has_fired, counter, 1000000000);
}

static void jiffies__are_microseconds(void **state)
{
	(void)state;
	const unsigned long start = jiffies;

	assert_int_equal(HZ, 1000000);
	assert_int_equal(msecs_to_jiffies(3), 3000);
	assert_int_equal(usecs_to_jiffies(7), 7);
	assert_int_equal(nsecs_to_jiffies(7999), 7);
	assert_int_equal(jiffies_to_msecs(2500), 2);
	assert_int_equal(jiffies_to_usecs(9), 9);
	assert_int_equal(jiffies_to_nsecs(9), 9000);
	assert_true(time_after(start + 1, start));
	assert_true(time_before(ULONG_MAX, 0ul));
	assert_true(time_after_eq(start, start));
	assert_true(time_before_eq(start, start));
	assert_false(time_is_before_jiffies(start + HZ));
	assert_true(time_is_after_jiffies(start + HZ));
}

static void ktime_get__is_nanoseconds(void **state)
{
	(void)state;
	assert_true(ktime_get() == (ktime_t)base_now_ns());
	assert_true(ktime_get_ns() == base_now_ns());
	assert_int_equal(ktime_set(2, 5), 2000000005);
	assert_int_equal(ktime_to_us(ns_to_ktime(2500)), 2);
	assert_int_equal(ktime_to_ms(2500000), 2);
	assert_int_equal(ktime_to_ns(7), 7);
	assert_int_equal(ktime_us_delta(5000, 1000), 4);
	assert_int_equal(ktime_add_ns(5, 6), 11);
	assert_true(ktime_before(1, 2) && ktime_after(2, 1));
}

static void mod_timer__fires_after_its_delay(void **state)
{
	(void)state;
	struct box box = {0};

	timer_setup(&box.timer, on_timer, 7);
	assert_int_equal(box.timer.flags, 7);
	assert_false(timer_pending(&box.timer));
	assert_int_equal(mod_timer(&box.timer, jiffies + 100), 0);
	assert_int_equal(mod_timer(&box.timer, jiffies + 200), 1);
	assert_true(timer_pending(&box.timer));
	assert_true(passes(&box.fired, 1));
	assert_false(timer_pending(&box.timer));
}

static void add_timer__uses_expires(void **state)
{
	(void)state;
	struct box box = {0};

	timer_setup(&box.timer, on_timer, 0);
	box.timer.expires = jiffies - 5;
	add_timer(&box.timer);
	assert_true(passes(&box.fired, 1));
}

static void del_timer__stops_it(void **state)
{
	(void)state;
	struct box box = {0};

	timer_setup(&box.timer, on_timer, 0);
	mod_timer(&box.timer, jiffies + 100);
	assert_int_equal(del_timer(&box.timer), 1);
	assert_int_equal(del_timer(&box.timer), 0);
	mod_timer(&box.timer, jiffies + 100);
	assert_int_equal(del_timer_sync(&box.timer), 1);
	assert_false(passes(&box.fired, 1));
}

static void hrtimer_start__restarts_if_asked(void **state)
{
	(void)state;
	struct box box = {0};

	hrtimer_init(&box.hrtimer, 1, HRTIMER_MODE_REL);
	box.hrtimer.function = on_hrtimer;
	hrtimer_start(&box.hrtimer, 1000, HRTIMER_MODE_REL);
	assert_true(hrtimer_active(&box.hrtimer));
	assert_true(passes(&box.fired, 3));
	assert_false(hrtimer_active(&box.hrtimer));
}

static void hrtimer_start__absolute_counts_from_now(void **state)
{
	(void)state;
	struct box box = {0};

	hrtimer_init(&box.hrtimer, 1, HRTIMER_MODE_ABS);
	box.hrtimer.function = on_hrtimer;
	hrtimer_start(&box.hrtimer, ktime_get() + 5000, HRTIMER_MODE_ABS);
	assert_int_equal(box.hrtimer.base.delay_ns, 5000);
	assert_int_equal(hrtimer_try_to_cancel(&box.hrtimer), 1);
	hrtimer_start(&box.hrtimer, ktime_get() - 5000, HRTIMER_MODE_ABS);
	assert_int_equal(box.hrtimer.base.delay_ns, 0);
	assert_int_equal(hrtimer_cancel(&box.hrtimer), 1);
	assert_int_equal(hrtimer_cancel(&box.hrtimer), 0);
}

static void schedule_work__runs_once_per_call(void **state)
{
	(void)state;
	struct box box = {0};

	INIT_WORK(&box.work, on_work);
	assert_true(schedule_work(&box.work));
	assert_false(schedule_work(&box.work));
	flush_work(&box.work);
	assert_int_equal(box.fired, 1);
	assert_true(queue_work_on(0, system_unbound_wq, &box.work));
	flush_work(&box.work);
	assert_int_equal(box.fired, 2);
}

static void cancel_work_sync__takes_it_back(void **state)
{
	(void)state;
	struct box box = {0};

	INIT_WORK(&box.work, on_work);
	schedule_work(&box.work);
	assert_true(cancel_work_sync(&box.work));
	assert_false(cancel_work_sync(&box.work));
	schedule_work(&box.work);
	assert_true(cancel_work(&box.work));
	assert_false(passes(&box.fired, 1));
}

static void alloc_workqueue__runs_its_works(void **state)
{
	(void)state;
	struct workqueue_struct *wq = alloc_workqueue("test", WQ_UNBOUND, 0);
	struct workqueue_struct *ordered = alloc_ordered_workqueue("ordered", 0);
	struct box box = {0}, other = {0};

	assert_non_null(wq);
	assert_non_null(ordered);
	INIT_WORK(&box.work, on_work);
	INIT_WORK(&other.work, on_work);
	assert_true(queue_work(wq, &box.work));
	assert_true(queue_work(ordered, &other.work));
	flush_workqueue(wq);
	destroy_workqueue(wq);
	destroy_workqueue(ordered);
	assert_int_equal(box.fired, 1);
	assert_int_equal(other.fired, 1);
}

static void schedule_delayed_work__runs_after_its_delay(void **state)
{
	(void)state;
	struct box box = {0};

	INIT_DELAYED_WORK(&box.dwork, on_delayed_work);
	assert_true(schedule_delayed_work(&box.dwork, 50));
	assert_false(schedule_delayed_work(&box.dwork, 50));
	assert_true(passes(&box.fired, 1));
	assert_true(schedule_delayed_work(&box.dwork, 0));
	assert_true(passes(&box.fired, 2));
}

static void cancel_delayed_work__before_and_after_it_is_due(void **state)
{
	(void)state;
	struct box box = {0};

	INIT_DELAYED_WORK(&box.dwork, on_delayed_work);
	schedule_delayed_work(&box.dwork, 50);
	assert_true(cancel_delayed_work(&box.dwork));
	schedule_delayed_work(&box.dwork, 0);
	assert_true(cancel_delayed_work_sync(&box.dwork));
	assert_false(cancel_delayed_work_sync(&box.dwork));
	assert_false(passes(&box.fired, 1));
}

static void mod_delayed_work__counts_from_now(void **state)
{
	(void)state;
	struct box box = {0};

	INIT_DELAYED_WORK(&box.dwork, on_delayed_work);
	assert_false(mod_delayed_work(system_wq, &box.dwork, 100000));
	assert_true(mod_delayed_work(system_wq, &box.dwork, 0));
	assert_true(passes(&box.fired, 1));
}

static void flush_delayed_work__does_not_wait_for_the_delay(void **state)
{
	(void)state;
	struct box box = {0};
	const u64 start_ns = base_now_ns();

	INIT_DELAYED_WORK(&box.dwork, on_delayed_work);
	schedule_delayed_work(&box.dwork, 3600ul * HZ);
	flush_delayed_work(&box.dwork);
	assert_int_equal(box.fired, 1);
	assert_true(base_now_ns() - start_ns < 1000000000);
}

static void wait_for_completion__takes_one(void **state)
{
	(void)state;
	struct completion done;

	init_completion(&done);
	assert_false(completion_done(&done));
	assert_false(try_wait_for_completion(&done));
	complete(&done);
	complete(&done);
	wait_for_completion(&done);
	assert_true(completion_done(&done));
	assert_int_equal(wait_for_completion_interruptible(&done), 0);
	assert_false(completion_done(&done));
}

static void wait_for_completion__is_woken_by_a_work(void **state)
{
	(void)state;
	struct box box = {0};

	INIT_WORK(&box.work, complete_box);
	init_completion(&box.done);
	schedule_work(&box.work);
	wait_for_completion(&box.done);
	assert_int_equal(box.fired, 1);
}

static void wait_for_completion_timeout__gives_up(void **state)
{
	(void)state;
	struct completion done;

	init_completion(&done);
	assert_int_equal(wait_for_completion_timeout(&done, 100), 0);
	complete(&done);
	assert_true(wait_for_completion_timeout(&done, 100) > 0);
}

static void complete_all__is_for_ever(void **state)
{
	(void)state;
	struct completion done;

	init_completion(&done);
	complete_all(&done);
	complete(&done);
	wait_for_completion(&done);
	wait_for_completion(&done);
	assert_true(completion_done(&done));
	reinit_completion(&done);
	assert_false(completion_done(&done));
}

static void wait_event__is_woken_by_a_work(void **state)
{
	(void)state;
	struct box box = {0};

	init_waitqueue_head(&box.wq);
	INIT_WORK(&box.work, wake_box);
	schedule_work(&box.work);
	wait_event(box.wq, box.fired == 1);
	assert_int_equal(wait_event_interruptible(box.wq, box.fired == 1), 0);
}

static void wait_event_timeout__gives_up(void **state)
{
	(void)state;
	struct box box = {0};

	init_waitqueue_head(&box.wq);
	assert_int_equal(wait_event_timeout(box.wq, box.fired == 1, 100), 0);
	INIT_WORK(&box.work, wake_box);
	schedule_work(&box.work);
	assert_true(wait_event_timeout(box.wq, box.fired == 1, HZ) > 0);
	assert_true(wait_event_interruptible_timeout(box.wq, true, 0) > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(jiffies__are_microseconds),
		cmocka_unit_test(ktime_get__is_nanoseconds),
		cmocka_unit_test(mod_timer__fires_after_its_delay),
		cmocka_unit_test(add_timer__uses_expires),
		cmocka_unit_test(del_timer__stops_it),
		cmocka_unit_test(hrtimer_start__restarts_if_asked),
		cmocka_unit_test(hrtimer_start__absolute_counts_from_now),
		cmocka_unit_test(schedule_work__runs_once_per_call),
		cmocka_unit_test(cancel_work_sync__takes_it_back),
		cmocka_unit_test(alloc_workqueue__runs_its_works),
		cmocka_unit_test(schedule_delayed_work__runs_after_its_delay),
		cmocka_unit_test(cancel_delayed_work__before_and_after_it_is_due),
		cmocka_unit_test(mod_delayed_work__counts_from_now),
		cmocka_unit_test(flush_delayed_work__does_not_wait_for_the_delay),
		cmocka_unit_test(wait_for_completion__takes_one),
		cmocka_unit_test(wait_for_completion__is_woken_by_a_work),
		cmocka_unit_test(wait_for_completion_timeout__gives_up),
		cmocka_unit_test(complete_all__is_for_ever),
		cmocka_unit_test(wait_event__is_woken_by_a_work),
		cmocka_unit_test(wait_event_timeout__gives_up),
	};

	return verbena_test_main(tests);
}
