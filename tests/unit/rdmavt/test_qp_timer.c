// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The two timers of an RC requester [rcp 7]. */
#include "rdmavt/qp_timer.c"

#include "qp_fixture.h"

static void rnr_tbl__as_the_specification_has_it(void **state)
{
	(void)state;
	assert_int_equal(rvt_rnr_tbl_to_usec(0), 655360);
	assert_int_equal(rvt_rnr_tbl_to_usec(1), 10);
	assert_int_equal(rvt_rnr_tbl_to_usec(2), 20);
	assert_int_equal(rvt_rnr_tbl_to_usec(7), 120);
	assert_int_equal(rvt_rnr_tbl_to_usec(12), 640);
	assert_int_equal(rvt_rnr_tbl_to_usec(16), 2560);
	assert_int_equal(rvt_rnr_tbl_to_usec(25), 61440);
	assert_int_equal(rvt_rnr_tbl_to_usec(31), 491520);
	assert_int_equal(rvt_rnr_tbl_to_usec(32 + 31), 491520);
	/* Each code is longer than the one before, but for the first. */
	for (u32 code = 2; code < 32; code++)
		assert_true(rvt_rnr_tbl_to_usec(code) > rvt_rnr_tbl_to_usec(code - 1));
}

static void rnr_timer__expires_after_the_time_in_the_aeth(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->s_lock);
	rvt_add_rnr_timer(qp, 0x2c123456); /* RNR NAK, code 12 */
	spin_unlock(&qp->s_lock);
	assert_true(qp->s_flags & RVT_S_WAIT_RNR);
	fake_rvt_turn(639999);
	assert_true(qp->s_flags & RVT_S_WAIT_RNR);
	assert_int_equal(f->fake->schedules, 0);
	fake_rvt_turn(2);
	assert_false(qp->s_flags & RVT_S_WAIT_RNR);
	assert_int_equal(f->fake->schedules, 1);
}

static void retry_timer__restarts_from_the_oldest_unacknowledged(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	const u64 timeout_ns = qp->timeout_jiffies * 1000;

	qp->s_last_psn = 0x41;
	spin_lock(&qp->s_lock);
	rvt_add_retry_timer(qp);
	spin_unlock(&qp->s_lock);
	assert_true(qp->s_flags & RVT_S_TIMER);
	fake_rvt_turn(timeout_ns - 1);
	assert_int_equal(f->fake->restarts, 0);
	fake_rvt_turn(2);
	assert_int_equal(f->fake->restarts, 1);
	assert_int_equal(f->fake->restart_psn, 0x42);
	assert_false(qp->s_flags & RVT_S_TIMER);
	assert_int_equal(f->fake->port[0].n_rc_timeouts, 1);
	assert_int_equal(f->fake->schedules, 1);
}

static void retry_timer__grows_with_shift_and_rc_qps(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	f->fake->rdi.busy_jiffies = 100;
	spin_lock(&qp->s_lock);
	rvt_add_retry_timer_ext(qp, 2);
	spin_unlock(&qp->s_lock);
	fake_rvt_turn((qp->timeout_jiffies * 4 + 100) * 1000 - 1);
	assert_int_equal(f->fake->restarts, 0);
	fake_rvt_turn(2);
	assert_int_equal(f->fake->restarts, 1);
}

static void retry_timer__timeout_of_zero_never_expires(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	qp->timeout_jiffies = 0;
	spin_lock(&qp->s_lock);
	rvt_mod_retry_timer(qp);
	spin_unlock(&qp->s_lock);
	assert_true(qp->s_flags & RVT_S_TIMER);
	fake_rvt_turn(1000000000ull * 3600);
	assert_int_equal(f->fake->restarts, 0);
}

static void stop_rc_timers__both(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->s_lock);
	rvt_add_retry_timer(qp);
	rvt_add_rnr_timer(qp, 0x01000000);
	rvt_stop_rc_timers(qp);
	spin_unlock(&qp->s_lock);
	assert_false(qp->s_flags & (RVT_S_TIMER | RVT_S_WAIT_RNR));
	fake_rvt_turn(1000000000);
	assert_int_equal(f->fake->restarts + f->fake->schedules, 0);
}

/* A handler that comes too late finds its flag gone. */
static void handlers__do_nothing_after_a_stop(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	rvt_rc_timeout(&qp->s_timer);
	assert_int_equal(f->fake->restarts, 0);
	/* And one that comes when the timer runs again leaves that alone. */
	spin_lock(&qp->s_lock);
	rvt_add_retry_timer(qp);
	rvt_add_rnr_timer(qp, 0x0c000000);
	spin_unlock(&qp->s_lock);
	ack_timer_fired(&qp->s_timer);
	assert_int_equal(rnr_timer_fired(&qp->s_rnr_timer), HRTIMER_NORESTART);
	assert_int_equal(f->fake->restarts + f->fake->schedules, 0);
	assert_true(qp->s_flags & RVT_S_TIMER);
	assert_true(qp->s_flags & RVT_S_WAIT_RNR);
}

/* The flag alone: its caller is the timer, or arms it again. */
static void rvt_stop_rnr_timer__leaves_the_other_waits(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->s_lock);
	qp->s_flags |= RVT_S_WAIT_RNR | RVT_S_TIMER | RVT_S_WAIT_FENCE;
	rvt_stop_rnr_timer(qp);
	assert_int_equal(qp->s_flags & (RVT_S_WAIT_RNR | RVT_S_TIMER | RVT_S_WAIT_FENCE),
			 RVT_S_TIMER | RVT_S_WAIT_FENCE);
	qp->s_flags &= ~(u32)(RVT_S_TIMER | RVT_S_WAIT_FENCE);
	spin_unlock(&qp->s_lock);
}

static void rnr_retry__handler_releases_the_queue(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	qp->s_flags |= RVT_S_WAIT_RNR;
	assert_int_equal(rvt_rc_rnr_retry(&qp->s_rnr_timer), HRTIMER_NORESTART);
	assert_false(qp->s_flags & RVT_S_WAIT_RNR);
	assert_int_equal(f->fake->schedules, 1);
}

static void del_timers_sync__ends_both(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->s_lock);
	rvt_add_retry_timer(qp);
	rvt_add_rnr_timer(qp, 0x01000000);
	spin_unlock(&qp->s_lock);
	rvt_del_timers_sync(qp);
	assert_false(timer_pending(&qp->s_timer));
	assert_false(hrtimer_active(&qp->s_rnr_timer));
}

#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rnr_tbl__as_the_specification_has_it),
		RC(rnr_timer__expires_after_the_time_in_the_aeth),
		RC(retry_timer__restarts_from_the_oldest_unacknowledged),
		RC(retry_timer__grows_with_shift_and_rc_qps),
		RC(retry_timer__timeout_of_zero_never_expires),
		RC(stop_rc_timers__both),
		RC(handlers__do_nothing_after_a_stop),
		RC(rvt_stop_rnr_timer__leaves_the_other_waits),
		RC(rnr_retry__handler_releases_the_queue),
		RC(del_timers_sync__ends_both),
	};

	return verbena_test_main(tests);
}
