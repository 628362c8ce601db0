// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Credits [rcp 6] and the start of a retransmission. */
#include "rdmavt/rc.c"

#include "qp_fixture.h"

static u32 aeth_with(struct rvt_qp *qp, u32 receives)
{
	qp->r_rq.kwq->count = receives;
	return be32_to_cpu(rvt_compute_aeth(qp));
}

static void compute_aeth__msn_and_the_largest_code_that_is_true(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	qp->r_msn = 0x7123456;
	assert_int_equal(aeth_with(qp, 0), 0x00123456);
	assert_int_equal(aeth_with(qp, 1), 0x01123456);
	assert_int_equal(aeth_with(qp, 4) >> 24, 4);
	assert_int_equal(aeth_with(qp, 5) >> 24, 4);
	assert_int_equal(aeth_with(qp, 6) >> 24, 5);
	assert_int_equal(aeth_with(qp, 7) >> 24, 5);
	assert_int_equal(aeth_with(qp, 255) >> 24, 0xf);
	assert_int_equal(aeth_with(qp, 256) >> 24, 0x10);
	assert_int_equal(aeth_with(qp, 32767) >> 24, 0x1d);
	assert_int_equal(aeth_with(qp, 32768) >> 24, 0x1e);
	assert_int_equal(aeth_with(qp, 4000000) >> 24, 0x1e);
}

/* The cached count may be 0 while there are receives. */
static void compute_aeth__looks_into_the_ring(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 3; i++)
		assert_int_equal(post_recv(f, f->a.qp, i, 1), 0);
	assert_int_equal(be32_to_cpu(rvt_compute_aeth(qp_a(f))) >> 24, 3);
}

static void compute_aeth__with_an_srq_no_credits(void **state)
{
	struct fixture *f = *state;
	struct rvt_srq srq;

	f->a.qp->srq = &srq.ibsrq;
	qp_a(f)->r_msn = 5;
	assert_int_equal(be32_to_cpu(rvt_compute_aeth(qp_a(f))), 0x1f000005);
	f->a.qp->srq = NULL;
}

static void get_credit(struct rvt_qp *qp, u32 aeth)
{
	spin_lock(&qp->s_lock);
	rvt_get_credit(qp, aeth);
	spin_unlock(&qp->s_lock);
}

static void get_credit__limit_only_rises(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	get_credit(qp, 0x05000010);
	assert_int_equal(qp->s_lsn, 0x16);
	get_credit(qp, 0x0100000f);
	assert_int_equal(qp->s_lsn, 0x16);
	qp->s_lsn = 0xfffffe;
	get_credit(qp, 0x02ffffff);
	assert_int_equal(qp->s_lsn, 1);
}

static void get_credit__releases_who_waits(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	qp->s_flags |= RVT_S_WAIT_SSN_CREDIT;
	get_credit(qp, 0x00000000);
	assert_true(qp->s_flags & RVT_S_WAIT_SSN_CREDIT);
	assert_int_equal(f->fake->schedules, 0);
	get_credit(qp, 0x01000000);
	assert_false(qp->s_flags & RVT_S_WAIT_SSN_CREDIT);
	assert_int_equal(f->fake->schedules, 1);
}

static void get_credit__code_31_means_no_limit_from_now_on(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	qp->s_flags |= RVT_S_WAIT_SSN_CREDIT;
	get_credit(qp, 0x1f000000);
	assert_true(qp->s_flags & RVT_S_UNLIMITED_CREDIT);
	assert_false(qp->s_flags & RVT_S_WAIT_SSN_CREDIT);
	get_credit(qp, 0x05000010);
	assert_int_equal(qp->s_lsn, 0);
}

static void restart_sge__skips_into_the_middle(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge[3] = {sge_of(f, f->tx, 10), sge_of(f, f->tx + 50, 20),
				sge_of(f, f->tx + 100, 30)};
	const struct ib_send_wr wr = {.opcode = IB_WR_SEND, .sg_list = sge, .num_sge = 3};
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp_a(f), 0);
	struct rvt_sge_state ss;

	f->fake->manual = true;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_int_equal(rvt_restart_sge(&ss, wqe, 0), 60);
	assert_ptr_equal(ss.sge.vaddr, f->tx);
	assert_int_equal(ss.num_sge, 3);
	assert_int_equal(rvt_restart_sge(&ss, wqe, 15), 45);
	assert_ptr_equal(ss.sge.vaddr, f->tx + 55);
	assert_int_equal(ss.num_sge, 2);
	assert_int_equal(ss.total_len, 60);
	assert_int_equal(rvt_restart_sge(&ss, wqe, 59), 1);
	assert_ptr_equal(ss.sge.vaddr, f->tx + 129);
}

#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(compute_aeth__msn_and_the_largest_code_that_is_true),
		RC(compute_aeth__looks_into_the_ring),
		RC(compute_aeth__with_an_srq_no_credits),
		RC(get_credit__limit_only_rises),
		RC(get_credit__releases_who_waits),
		RC(get_credit__code_31_means_no_limit_from_now_on),
		RC(restart_sge__skips_into_the_middle),
	};

	return verbena_test_main(tests);
}
