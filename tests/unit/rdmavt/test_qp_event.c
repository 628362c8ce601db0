// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Events that are raised where no lock is held. */
#include "qp_fixture.h"
#include "rdmavt/qp_priv.h"

static void event_later__once_and_without_locks(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	const int references = atomic_read(&qp->refcount);

	rvt_qp_lock(qp);
	rvt_qp_event_later(qp, IB_EVENT_SQ_DRAINED);
	rvt_qp_event_later(qp, IB_EVENT_SQ_DRAINED);
	rvt_qp_event_later(qp, IB_EVENT_PATH_MIG);
	assert_int_equal(atomic_read(&qp->refcount), references + 1);
	rvt_qp_unlock(qp);
	assert_int_equal(f->a.events, 0);
	fake_rvt_turn(0);
	assert_int_equal(f->a.event_count, 2);
	assert_true(raised(&f->a, IB_EVENT_SQ_DRAINED));
	assert_true(raised(&f->a, IB_EVENT_PATH_MIG));
	assert_int_equal(atomic_read(&qp->refcount), references);
	rvt_qp_event_later(qp, IB_EVENT_SQ_DRAINED);
	fake_rvt_turn(0);
	assert_int_equal(f->a.event_count, 3);
}

static void event_later__nobody_listens(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	const int references = atomic_read(&qp->refcount);

	f->a.qp->event_handler = NULL;
	rvt_qp_event_later(qp, IB_EVENT_SQ_DRAINED);
	rvt_qp_raise(qp, IB_EVENT_SQ_DRAINED);
	assert_int_equal(atomic_read(&qp->refcount), references);
}

/* Destroying the QP waits for the event that is due. */
static void event_later__comes_before_the_end(void **state)
{
	struct fixture *f = *state;
	struct fake_rvt_end *end = &f->a;
	struct ib_qp *qp = end->qp;
	struct ib_cq *send_cq = end->send_cq, *recv_cq = end->recv_cq;

	rvt_qp_event_later(qp_a(f), IB_EVENT_SQ_DRAINED);
	end->qp = NULL;
	assert_int_equal(ib_destroy_qp(qp), 0);
	assert_true(raised(end, IB_EVENT_SQ_DRAINED));
	ib_destroy_cq(send_cq);
	ib_destroy_cq(recv_cq);
	*end = (struct fake_rvt_end){0};
}

static void raise__tells_the_cause(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	spin_lock(&qp->s_lock);
	rvt_qp_blame_row(qp, QP_MR_GONE, 0x77);
	spin_unlock(&qp->s_lock);
	rvt_qp_raise(qp, IB_EVENT_QP_FATAL);
	assert_true(raised(&f->a, IB_EVENT_QP_FATAL));
	assert_int_equal(f->a.event_cause, BASE_CAUSE_QP_MR_GONE);
}

static void comm_est__is_raised_and_remembered(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	rvt_comm_est(qp);
	assert_true(raised(&f->a, IB_EVENT_COMM_EST));
	assert_true(qp->r_flags & RVT_R_COMM_EST);
	f->a.qp->event_handler = NULL;
	qp->r_flags = 0;
	rvt_comm_est(qp);
	assert_true(qp->r_flags & RVT_R_COMM_EST);
	assert_int_equal(f->a.event_count, 1);
}

#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(event_later__once_and_without_locks), RC(event_later__nobody_listens),
		RC(event_later__comes_before_the_end),	 RC(raise__tells_the_cause),
		RC(comm_est__is_raised_and_remembered),
	};

	return verbena_test_main(tests);
}
