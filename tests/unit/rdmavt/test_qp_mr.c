// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A region that is deregistered while a QP uses it [sm 7.7]. */
#include "rdmavt/qp_mr.c"

#include "qp_fixture.h"

static void swqe_has_lkey__any_sge(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge[2] = {sge_of(f, f->tx, 10), sge_of(f, f->tx + 50, 20)};
	struct ib_send_wr wr = {.opcode = IB_WR_SEND, .sg_list = sge, .num_sge = 2};
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp_a(f), 0);

	sge[0].lkey = f->pd->local_dma_lkey;
	f->fake->manual = true;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_true(rvt_swqe_has_lkey(wqe, f->mr->lkey));
	assert_false(rvt_swqe_has_lkey(wqe, f->mr->lkey + 1));
	wqe->wr.num_sge = 1;
	assert_false(rvt_swqe_has_lkey(wqe, f->mr->lkey));
	wqe->wr.num_sge = 2;
}

static void mr_clean__pending_send_fails_the_qp(void **state)
{
	struct fixture *f = *state;

	f->fake->manual = true;
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	assert_int_equal(post_recv(f, f->a.qp, 2, 10), 0);
	assert_int_equal(ib_dereg_mr(f->mr), 0);
	f->mr = NULL;
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	/* A receive holds its key only once it is used. */
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
	expect(f->a.send_cq, 1, IB_WC_WR_FLUSH_ERR);
	expect(f->a.recv_cq, 2, IB_WC_WR_FLUSH_ERR);
	assert_contains(cause_of(&f->a), "was deregistered while requests of the QP used it");
}

static void mr_clean__receive_in_progress_fails_the_qp(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	assert_int_equal(post_recv(f, f->a.qp, 2, 10), 0);
	spin_lock(&qp->r_lock);
	assert_int_equal(rvt_get_rwqe(qp, false), 1);
	spin_unlock(&qp->r_lock);
	rvt_qp_mr_clean(qp, f->mr->lkey + 0x1000);
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
	rvt_qp_mr_clean(qp, f->mr->lkey);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	expect(f->a.recv_cq, 2, IB_WC_LOC_PROT_ERR);
}

static void mr_clean__kept_receive_fails_the_qp(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	assert_int_equal(post_recv(f, f->a.qp, 2, 10), 0);
	spin_lock(&qp->r_lock);
	assert_int_equal(rvt_get_rwqe(qp, false), 1);
	qp->s_rdma_read_sge = qp->r_sge;
	qp->r_sge.num_sge = 0;
	spin_unlock(&qp->r_lock);
	rvt_qp_mr_clean(qp, f->mr->lkey); /* nothing but remains */
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
	qp->r_aflags |= BIT(RVT_R_REWIND_SGE);
	rvt_qp_mr_clean(qp, f->mr->lkey);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	expect(f->a.recv_cq, 2, IB_WC_LOC_PROT_ERR);
}

static void mr_clean__remembered_read_fails_the_qp(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct rvt_mregion *mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;

	rvt_get_mr(mr);
	qp->s_ack_queue[1].rdma_sge.mr = mr;
	assert_true(rvt_qp_acks_has_lkey(qp, f->mr->lkey));
	rvt_qp_mr_clean(qp, f->mr->lkey);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_null(qp->s_ack_queue[1].rdma_sge.mr);
}

static void mr_clean__response_in_progress_is_seen(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	qp->s_rdma_mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;
	assert_true(rvt_qp_sends_has_lkey(qp, f->mr->lkey));
	qp->s_rdma_mr = NULL;
	assert_false(rvt_qp_sends_has_lkey(qp, f->mr->lkey));
}

static void mr_clean__special_qps_are_left_alone(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	f->fake->manual = true;
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	f->a.qp->qp_type = IB_QPT_GSI;
	rvt_qp_mr_clean(qp, f->mr->lkey);
	f->a.qp->qp_type = IB_QPT_RC;
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
}

static void mr_clean__with_an_srq_the_event_is_raised(void **state)
{
	struct fixture *f = *state;
	struct ib_srq_init_attr init = {.attr = {.max_wr = 8, .max_sge = 2},
					.srq_type = IB_SRQT_BASIC};
	struct ib_srq *srq = ib_create_srq(f->pd, &init);
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};

	assert_false(IS_ERR(srq));
	attr.srq = srq;
	if (!fake_rvt_end_init(&f->a, f->pd, &attr)) {
		f->fake->manual = true;
		assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTS, 1), 0);
		assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
		rvt_qp_mr_clean(qp_a(f), f->mr->lkey);
		assert_true(raised(&f->a, IB_EVENT_QP_LAST_WQE_REACHED));
		fake_rvt_end_exit(&f->a);
	}
	ib_destroy_srq(srq);
}

#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(swqe_has_lkey__any_sge),
		RC(mr_clean__pending_send_fails_the_qp),
		RC(mr_clean__receive_in_progress_fails_the_qp),
		RC(mr_clean__kept_receive_fails_the_qp),
		RC(mr_clean__remembered_read_fails_the_qp),
		RC(mr_clean__response_in_progress_is_seen),
		RC(mr_clean__special_qps_are_left_alone),
		cmocka_unit_test_setup_teardown(mr_clean__with_an_srq_the_event_is_raised,
						fixture_bare, fixture_down),
	};

	return verbena_test_main(tests);
}
