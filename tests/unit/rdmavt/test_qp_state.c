// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The way into RESET and into ERR [sm 5, sm 6, sm 7]. */
#include "rdmavt/qp_state.c"

#include <pthread.h>

#include "qp_fixture.h"

static void state_ops__as_the_table_says(void **state)
{
	(void)state;
	assert_int_equal(ib_rvt_state_ops[IB_QPS_RESET], 0);
	assert_int_equal(ib_rvt_state_ops[IB_QPS_INIT], 0x02);
	assert_int_equal(ib_rvt_state_ops[IB_QPS_RTR], 0x06);
	assert_int_equal(ib_rvt_state_ops[IB_QPS_RTS], 0x1f);
	assert_int_equal(ib_rvt_state_ops[IB_QPS_SQD], 0x0f);
	assert_int_equal(ib_rvt_state_ops[IB_QPS_SQE], 0x27);
	assert_int_equal(ib_rvt_state_ops[IB_QPS_ERR], 0x63);
}

static int error_qp(struct rvt_qp *qp, enum ib_wc_status err)
{
	int ret;

	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	ret = rvt_error_qp(qp, err);
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
	return ret;
}

static void init_qp__is_the_reset_state(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	const u32 avail = qp->s_avail = 3;

	qp->s_flags = RVT_S_SIGNAL_REQ_WR | RVT_S_UNLIMITED_CREDIT | RVT_S_TIMER;
	qp->s_ssn = 77;
	qp->r_msn = 5;
	qp->s_lsn = 9;
	qp->r_aflags = 3;
	qp->s_mig_state = IB_MIG_ARMED;
	qp->s_num_rd_atomic = 2;
	rvt_init_qp(&f->fake->rdi, qp, IB_QPT_RC);
	assert_int_equal(qp->s_flags, RVT_S_SIGNAL_REQ_WR);
	assert_int_equal(qp->s_ssn, 1);
	assert_int_equal(qp->r_msn, 0);
	assert_int_equal(qp->s_lsn, 0);
	assert_int_equal(qp->r_aflags, 0);
	assert_int_equal(qp->remote_qpn, 0);
	assert_int_equal(qp->s_num_rd_atomic, 0);
	assert_int_equal(qp->s_mig_state, IB_MIG_MIGRATED);
	assert_int_equal(qp->s_state, IB_OPCODE_RC_SEND_LAST);
	assert_int_equal(qp->r_state, IB_OPCODE_RC_SEND_LAST);
	assert_int_equal(qp->s_ack_state, IB_OPCODE_RC_ACKNOWLEDGE);
	assert_int_equal(qp->s_avail, avail);
	rvt_init_qp(&f->fake->rdi, qp, IB_QPT_UD);
	assert_int_equal(qp->s_state, IB_OPCODE_UC_SEND_LAST);
	assert_int_equal(qp->r_state, IB_OPCODE_UC_SEND_LAST);
}

/* [sm 7.1]: the one in use with the error, the rest in order as flushed. */
static void error_qp__flushes_receives_in_order(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct ib_wc wc;

	for (u64 i = 1; i <= 4; i++)
		assert_int_equal(post_recv(f, f->a.qp, i, 10), 0);
	spin_lock(&qp->r_lock);
	assert_int_equal(rvt_get_rwqe(qp, false), 1);
	spin_unlock(&qp->r_lock);
	assert_int_equal(ib_req_notify_cq(f->a.recv_cq, IB_CQ_SOLICITED), 0);
	assert_int_equal(error_qp(qp, IB_WC_LOC_QP_OP_ERR), 0);
	assert_int_equal(ibcq_to_rvtcq(f->a.recv_cq)->triggered, 1);
	wc = expect(f->a.recv_cq, 1, IB_WC_LOC_QP_OP_ERR);
	assert_int_equal(wc.opcode, IB_WC_RECV);
	assert_int_equal(wc.vendor_err, BASE_CAUSE_QP_ERR_STATUS);
	for (u64 i = 2; i <= 4; i++) {
		wc = expect(f->a.recv_cq, i, IB_WC_WR_FLUSH_ERR);
		assert_int_equal(wc.byte_len, 0);
		assert_int_equal(wc.vendor_err, BASE_CAUSE_QP_ERR_STATUS);
	}
	expect_none(f->a.recv_cq);
	assert_contains(cause_of(&f->a), "the QP failed with LOC_QP_OP_ERR");
	assert_int_equal(qp->r_sge.num_sge, 0);
	/* Once is enough. */
	assert_int_equal(error_qp(qp, IB_WC_LOC_PROT_ERR), 0);
	expect_none(f->a.recv_cq);
	assert_int_equal(f->fake->errors, 1);
}

static void error_qp__stops_timers_and_waits_and_schedules_the_flush(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	f->fake->manual = true;
	assert_int_equal(post_send(f, f->a.qp, 1, 1), 0);
	spin_lock(&qp->s_lock);
	rvt_add_rnr_timer(qp, 0x01000000);
	rvt_add_retry_timer(qp);
	qp->s_flags |= RVT_S_WAIT_FENCE | RVT_S_WAIT_ACK;
	qp->s_draining = 1;
	spin_unlock(&qp->s_lock);
	assert_int_equal(error_qp(qp, IB_WC_WR_FLUSH_ERR), 0);
	assert_int_equal(qp->s_flags & (RVT_S_TIMER | RVT_S_ANY_WAIT_SEND), 0);
	assert_int_equal(qp->s_draining, 0);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 1, IB_WC_WR_FLUSH_ERR);
	fake_rvt_turn(1000000000);
	assert_int_equal(f->fake->restarts, 0);
}

static void error_qp__idle_qp_schedules_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(error_qp(qp_a(f), IB_WC_WR_FLUSH_ERR), 0);
	assert_int_equal(f->fake->schedules, 0);
}

static void error_qp__nothing_in_reset(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(error_qp(qp_a(f), IB_WC_WR_FLUSH_ERR), 0);
	assert_int_equal(state_of(&f->a), IB_QPS_RESET);
	assert_int_equal(f->fake->errors, 0);
}

/* The first cause stays [architecture 5]. */
static void blame__first_one_is_kept(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->s_lock);
	rvt_qp_blame_row(qp, QP_MR_GONE, 0x77);
	rvt_qp_blame_row(qp, QP_CQ_FULL, 5);
	spin_unlock(&qp->s_lock);
	assert_int_equal(error_qp(qp, IB_WC_WR_FLUSH_ERR), 0);
	assert_contains(cause_of(&f->a), "lkey 0x77");
	assert_int_equal(qp->first_cause.qpn, f->a.qp->qp_num);
	assert_int_equal(qp->first_cause.peer_qpn, f->b.qp->qp_num);
}

/* With an SRQ: [sm 7.4]. */
static void with_srq(struct fixture *f, void (*check)(struct fixture *f))
{
	struct ib_srq_init_attr init = {.attr = {.max_wr = 8, .max_sge = 2},
					.srq_type = IB_SRQT_BASIC};
	struct ib_srq *srq = ib_create_srq(f->pd, &init);
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};
	const struct ib_recv_wr wr = {.wr_id = 1};

	assert_false(IS_ERR(srq));
	attr.srq = srq;
	if (!fake_rvt_end_init(&f->a, f->pd, &attr)) {
		assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTS, 1), 0);
		assert_int_equal(ib_post_srq_recv(srq, &wr, NULL), 0);
		check(f);
		assert_int_equal(ibsrq_to_rvtsrq(srq)->rq.kwq->head, 1);
		expect_none(f->a.recv_cq);
		fake_rvt_end_exit(&f->a);
	}
	ib_destroy_srq(srq);
}

static void wants_event(struct fixture *f)
{
	assert_int_equal(error_qp(qp_a(f), IB_WC_WR_FLUSH_ERR), 1);
	assert_int_equal(f->a.events, 0);
}

static void wants_no_event_without_handler(struct fixture *f)
{
	f->a.qp->event_handler = NULL;
	assert_int_equal(error_qp(qp_a(f), IB_WC_WR_FLUSH_ERR), 0);
}

static void raises_event(struct fixture *f)
{
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->r_lock);
	rvt_rc_error(qp, IB_WC_LOC_QP_OP_ERR);
	spin_unlock(&qp->r_lock);
	fake_rvt_turn(0);
	assert_true(raised(&f->a, IB_EVENT_QP_LAST_WQE_REACHED));
}

/* The kernel's rdmavt drops the event here. */
static void raises_event_on_overflow(struct fixture *f)
{
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	rvt_qp_cq_full(qp, f->a.send_cq);
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
	fake_rvt_turn(0);
	assert_true(raised(&f->a, IB_EVENT_QP_LAST_WQE_REACHED));
	assert_contains(cause_of(&f->a), "a CQ of 64 entries did not take");
}

static void raises_event_by_modify(struct fixture *f)
{
	struct ib_qp_attr err = {.qp_state = IB_QPS_ERR};

	assert_int_equal(ib_modify_qp(f->a.qp, &err, IB_QP_STATE), 0);
	assert_true(raised(&f->a, IB_EVENT_QP_LAST_WQE_REACHED));
}

static void srq__event_is_wanted(void **state)
{
	with_srq(*state, wants_event);
}

static void srq__no_event_without_a_handler(void **state)
{
	with_srq(*state, wants_no_event_without_handler);
}

static void srq__rc_error_raises_it(void **state)
{
	with_srq(*state, raises_event);
}

static void srq__overflow_raises_it(void **state)
{
	with_srq(*state, raises_event_on_overflow);
}

static void srq__modify_raises_it(void **state)
{
	with_srq(*state, raises_event_by_modify);
}

/* References */

static s64 references(const struct fixture *f)
{
	return atomic64_read(&container_of(f->mr, struct rvt_mr, ibmr)->mr.refcount.count);
}

static void clear_mr_refs__gives_all_back(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct rvt_mregion *mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;
	const s64 before = references(f);

	f->fake->manual = true;
	for (u64 i = 0; i < 3; i++)
		assert_int_equal(post_send(f, f->a.qp, i, 10), 0);
	assert_int_equal(post_recv(f, f->a.qp, 1, 10), 0);
	rvt_qp_lock(qp);
	assert_int_equal(rvt_get_rwqe(qp, false), 1);
	qp->s_rdma_read_sge = qp->r_sge;
	rvt_get_mr(mr);
	set_bit(RVT_R_REWIND_SGE, &qp->r_aflags);
	qp->s_rdma_mr = mr;
	rvt_get_mr(mr);
	qp->s_ack_queue[FAKE_RVT_MAX_READS].rdma_sge.mr = mr;
	rvt_get_mr(mr);
	assert_int_equal(references(f), before + 7);
	rvt_clear_mr_refs(qp, 0);
	assert_int_equal(references(f), before + 4);
	rvt_clear_mr_refs(qp, 1);
	assert_int_equal(references(f), before);
	assert_int_equal(qp->s_last, qp->s_head);
	assert_null(qp->s_rdma_mr);
	clear_bit(RVT_R_WRID_VALID, &qp->r_aflags);
	rvt_qp_unlock(qp);
	expect_none(f->a.send_cq);
}

/* The driver hears of it once, with the locks held, and gets the QP as new. */
static void _rvt_reset_qp__tells_the_driver_and_begins_anew(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	const unsigned int resets = f->fake->resets;

	f->fake->manual = true;
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	assert_int_equal(post_recv(f, f->a.qp, 1, 10), 0);
	rvt_qp_lock(qp);
	_rvt_reset_qp(&f->fake->rdi, qp, IB_QPT_RC);
	assert_int_equal(f->fake->resets, resets + 1);
	assert_int_equal(qp->state, IB_QPS_RESET);
	assert_false(qp->resetting);
	assert_int_equal(qp->s_head, 0);
	assert_int_equal(qp->s_last, 0);
	/* In RESET already there is nothing that the driver has to give up. */
	qp->s_ssn = 77;
	_rvt_reset_qp(&f->fake->rdi, qp, IB_QPT_RC);
	assert_int_equal(f->fake->resets, resets + 1);
	assert_int_equal(qp->s_ssn, 1);
	rvt_qp_unlock(qp);
	assert_int_equal(rvt_rq_available(&qp->r_rq), 0);
	expect_none(f->a.send_cq);
	expect_none(f->a.recv_cq);
}

static void rvt_reset_qp__takes_the_locks_itself(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	rvt_reset_qp(&f->fake->rdi, qp, IB_QPT_RC);
	assert_int_equal(qp->state, IB_QPS_RESET);
	/* Nothing is held any more. */
	rvt_qp_lock(qp);
	rvt_qp_unlock(qp);
}

/* RESET waits for an engine that is at work. */
struct engine {
	struct rvt_qp *qp;
	bool begun;
	bool left;
};

static void *engine_at_work(void *arg)
{
	struct engine *e = arg;

	__atomic_store_n(&e->begun, true, __ATOMIC_RELEASE);
	while (rvt_qp_state(e->qp) != IB_QPS_RESET)
		sched_yield();
	for (int i = 0; i < 100; i++)
		sched_yield();
	spin_lock(&e->qp->s_lock);
	e->left = true;
	rvt_qp_engine_leaves(e->qp);
	spin_unlock(&e->qp->s_lock);
	return NULL;
}

static void rvt_reset_qp__waits_for_the_engine(void **state)
{
	struct fixture *f = *state;
	struct engine e = {.qp = qp_a(f)};
	struct ib_qp_attr reset = {.qp_state = IB_QPS_RESET};
	pthread_t thread;

	spin_lock(&e.qp->s_lock);
	e.qp->s_flags |= RVT_S_BUSY;
	spin_unlock(&e.qp->s_lock);
	assert_int_equal(pthread_create(&thread, NULL, engine_at_work, &e), 0);
	while (!__atomic_load_n(&e.begun, __ATOMIC_ACQUIRE))
		sched_yield();
	assert_int_equal(ib_modify_qp(f->a.qp, &reset, IB_QP_STATE), 0);
	spin_lock(&e.qp->s_lock);
	assert_true(e.left);
	spin_unlock(&e.qp->s_lock);
	pthread_join(thread, NULL);
}

static void rvt_reset_qp__second_modify_meanwhile_is_refused(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr reset = {.qp_state = IB_QPS_RESET};

	qp_a(f)->resetting = true;
	assert_int_equal(ib_modify_qp(f->a.qp, &reset, IB_QP_STATE), -EINVAL);
	assert_contains(last_cause(), "another thread is bringing the QP to RESET");
	qp_a(f)->resetting = false;
}

#define RESET(test) cmocka_unit_test_setup_teardown(test, fixture_rc_reset, fixture_down)
#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)
#define BARE(test) cmocka_unit_test_setup_teardown(test, fixture_bare, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(state_ops__as_the_table_says),
		RESET(init_qp__is_the_reset_state),
		RC(error_qp__flushes_receives_in_order),
		RC(error_qp__stops_timers_and_waits_and_schedules_the_flush),
		RC(error_qp__idle_qp_schedules_nothing),
		RESET(error_qp__nothing_in_reset),
		RC(blame__first_one_is_kept),
		BARE(srq__event_is_wanted),
		BARE(srq__no_event_without_a_handler),
		BARE(srq__rc_error_raises_it),
		BARE(srq__overflow_raises_it),
		BARE(srq__modify_raises_it),
		RC(clear_mr_refs__gives_all_back),
		RC(_rvt_reset_qp__tells_the_driver_and_begins_anew),
		RC(rvt_reset_qp__takes_the_locks_itself),
		RC(rvt_reset_qp__waits_for_the_engine),
		RC(rvt_reset_qp__second_modify_meanwhile_is_refused),
	};

	return verbena_test_main(tests);
}
