// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The end of send requests. */
#include "qp_fixture.h"
#include "rdmavt/qp_priv.h"

/* Complete the oldest request of A as a driver does. */
static void complete_oldest(struct fixture *f, enum ib_wc_status status)
{
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	rvt_send_complete(qp, rvt_get_swqe_ptr(qp, qp->s_last), status);
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
}

/* @count requests that no engine takes. */
static void queue(struct fixture *f, u64 count)
{
	f->fake->manual = true;
	for (u64 i = 1; i <= count; i++)
		assert_int_equal(post_send(f, f->a.qp, i, 10), 0);
}

static void send_complete__moves_the_indices_that_stood_there(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct ib_wc wc;

	queue(f, 3);
	complete_oldest(f, IB_WC_SUCCESS);
	wc = expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_SEND);
	assert_int_equal(wc.byte_len, 10);
	assert_int_equal(qp->s_last, 1);
	assert_int_equal(qp->s_acked, 1);
	assert_int_equal(qp->s_cur, 1);
	assert_int_equal(qp->s_tail, 1);
	qp->s_tail = 3;
	qp->s_cur = 2;
	complete_oldest(f, IB_WC_SUCCESS);
	assert_int_equal(qp->s_last, 2);
	assert_int_equal(qp->s_acked, 2);
	assert_int_equal(qp->s_cur, 2);
	assert_int_equal(qp->s_tail, 3);
}

static void send_complete__nothing_where_nothing_is_sent(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	queue(f, 1);
	rvt_qp_set_state(qp, IB_QPS_RTR);
	complete_oldest(f, IB_WC_SUCCESS);
	expect_none(f->a.send_cq);
	assert_int_equal(qp->s_last, 0);
	rvt_qp_set_state(qp, IB_QPS_RTS);
}

/* [sm 6]. */
static void send_complete__error_leads_uc_to_sqe(void **state)
{
	struct fixture *f = *state;

	queue(f, 3);
	complete_oldest(f, IB_WC_LOC_PROT_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_SQE);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 1, IB_WC_LOC_PROT_ERR);
	expect(f->a.send_cq, 2, IB_WC_WR_FLUSH_ERR);
	expect(f->a.send_cq, 3, IB_WC_WR_FLUSH_ERR);
	/* Receiving goes on, posting is flushed. */
	assert_int_equal(post_send(f, f->a.qp, 4, 10), 0);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 4, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(post_recv(f, f->a.qp, 5, 10), 0);
	f->fake->manual = false;
	assert_int_equal(post_send(f, f->b.qp, 6, 10), 0);
	expect(f->a.recv_cq, 5, IB_WC_SUCCESS);
	assert_contains(cause_of(&f->a), "WR 1 SEND -> LOC_PROT_ERR");
}

static void send_complete__error_in_sqd_leads_uc_to_sqe(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr sqd = {.qp_state = IB_QPS_SQD};

	queue(f, 1);
	qp_a(f)->s_tail = qp_a(f)->s_cur = 1;
	assert_int_equal(ib_modify_qp(f->a.qp, &sqd, IB_QP_STATE), 0);
	complete_oldest(f, IB_WC_LOC_PROT_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_SQE);
	assert_int_equal(qp_a(f)->s_draining, 0);
}

/* The driver brings an RC QP to ERR itself. */
static void send_complete__error_leaves_rc_where_it_is(void **state)
{
	struct fixture *f = *state;

	queue(f, 1);
	complete_oldest(f, IB_WC_RETRY_EXC_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
	assert_contains(cause_of(&f->a), "the QP failed with RETRY_EXC_ERR");
}

static void send_complete__last_started_request_drains(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct ib_qp_attr sqd = {.qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1};

	queue(f, 4);
	qp->s_cur = 2;
	qp->s_tail = 3;
	assert_int_equal(ib_modify_qp(f->a.qp, &sqd, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(qp->s_draining, 1);
		assert_int_equal(qp->events_due, 0);
		complete_oldest(f, IB_WC_SUCCESS);
	}
	assert_int_equal(qp->s_draining, 0);
	fake_rvt_turn(0);
	assert_true(raised(&f->a, IB_EVENT_SQ_DRAINED));
	assert_int_equal(f->a.event_count, 1);
}

static void send_complete__draining_unasked_raises_nothing(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr sqd = {.qp_state = IB_QPS_SQD};

	queue(f, 1);
	qp_a(f)->s_cur = qp_a(f)->s_tail = 1;
	assert_int_equal(ib_modify_qp(f->a.qp, &sqd, IB_QP_STATE), 0);
	complete_oldest(f, IB_WC_SUCCESS);
	assert_int_equal(qp_a(f)->s_draining, 0);
	fake_rvt_turn(0);
	assert_int_equal(f->a.events, 0);
}

static void flush_sends__all_in_order(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	queue(f, 5);
	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	(void)rvt_error_qp(qp, IB_WC_WR_FLUSH_ERR);
	rvt_qp_flush_sends(qp);
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
	for (u64 i = 1; i <= 5; i++)
		expect(f->a.send_cq, i, IB_WC_WR_FLUSH_ERR);
	expect_none(f->a.send_cq);
}

#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)
#define UC(test) cmocka_unit_test_setup_teardown(test, fixture_uc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(send_complete__moves_the_indices_that_stood_there),
		RC(send_complete__nothing_where_nothing_is_sent),
		UC(send_complete__error_leads_uc_to_sqe),
		UC(send_complete__error_in_sqd_leads_uc_to_sqe),
		RC(send_complete__error_leaves_rc_where_it_is),
		RC(send_complete__last_started_request_drains),
		RC(send_complete__draining_unasked_raises_nothing),
		RC(flush_sends__all_in_order),
	};

	return verbena_test_main(tests);
}
