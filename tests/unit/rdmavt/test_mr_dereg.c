// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Deregistering a region that real queue pairs use [sm 7.7]. */
#include "qp_fixture.h"

static int dereg(struct fixture *f)
{
	struct ib_mr *mr = f->mr;
	const int ret = ib_dereg_mr(mr);

	if (!ret)
		f->mr = NULL;
	return ret;
}

/* The peer has posted no receive, so the SEND waits, and holds the region. */
static void rvt_dereg_mr__takes_its_qps_to_error(void **state)
{
	struct fixture *f = *state;
	struct ib_wc wc;

	assert_int_equal(post_send(f, f->a.qp, 7, 64), 0);
	expect_none(f->a.send_cq);
	assert_int_equal(dereg(f), 0);
	assert_int_equal(qp_a(f)->state, IB_QPS_ERR);
	assert_int_equal(qp_b(f)->state, IB_QPS_RTS);
	wc = expect(f->a.send_cq, 7, IB_WC_WR_FLUSH_ERR);
	assert_string_equal(base_cause_name(wc.vendor_err), "QP_MR_GONE");
}

/* A receive is only translated when it is consumed: then it fails, not before. */
static void rvt_dereg_mr__leaves_posted_receives_alone(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(post_recv(f, f->b.qp, 8, 64), 0);
	assert_int_equal(dereg(f), 0);
	assert_int_equal(qp_a(f)->state, IB_QPS_RTS);
	assert_int_equal(qp_b(f)->state, IB_QPS_RTS);
	expect_none(f->b.recv_cq);
}

static void rvt_dereg_mr__after_all_has_completed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(post_recv(f, f->b.qp, 8, 64), 0);
	assert_int_equal(post_send(f, f->a.qp, 7, 64), 0);
	assert_int_equal(dereg(f), 0);
	assert_int_equal(qp_a(f)->state, IB_QPS_RTS);
	assert_int_equal(qp_b(f)->state, IB_QPS_RTS);
	(void)expect(f->b.recv_cq, 8, IB_WC_SUCCESS);
	assert_memory_equal(f->tx, f->rx, 64);
}

/* The keys of a region that is gone work for nobody. */
static void rvt_dereg_mr__keys_are_dead_at_once(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = sge_of(f, f->tx, 8);
	struct ib_send_wr wr = {.wr_id = 7, .opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1};

	assert_int_equal(dereg(f), 0);
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), -EINVAL);
	assert_string_equal(base_cause_name(base_cause_last()->id), "LKEY_NONE");
	assert_int_equal(qp_a(f)->state, IB_QPS_RTS);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_rc, fixture_down)
	TEST(rvt_dereg_mr__takes_its_qps_to_error),
	TEST(rvt_dereg_mr__leaves_posted_receives_alone),
	TEST(rvt_dereg_mr__after_all_has_completed),
	TEST(rvt_dereg_mr__keys_are_dead_at_once),
};

int main(void)
{
	return verbena_test_main(tests);
}
