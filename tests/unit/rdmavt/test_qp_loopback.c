// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The loopback engine's turns: order, waiting, states, and who may run it when. */
#include <linux/scatterlist.h>
#include <pthread.h>

#include "qp_fixture.h"

#define RNR_WAIT_NS 10000 /* code 1 */

/* Post a chain of SENDs of 10 bytes with wr_ids from @first. */
static int post_chain(struct fixture *f, struct ib_qp *qp, u64 first, unsigned int count)
{
	struct ib_sge sge = sge_of(f, f->tx, 10);
	struct ib_send_wr wr[64];

	for (unsigned int i = 0; i < count; i++)
		wr[i] = (struct ib_send_wr){.next = i + 1 < count ? &wr[i + 1] : NULL,
					    .wr_id = first + i,
					    .opcode = IB_WR_SEND,
					    .sg_list = &sge,
					    .num_sge = 1};
	return ib_post_send(qp, wr, NULL);
}

static void rvt_ruc_loopback__chain_completes_in_order(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 8; i++)
		assert_int_equal(post_recv(f, f->b.qp, 100 + i, 10), 0);
	assert_int_equal(post_chain(f, f->a.qp, 1, 8), 0);
	for (u64 i = 0; i < 8; i++) {
		expect(f->a.send_cq, 1 + i, IB_WC_SUCCESS);
		expect(f->b.recv_cq, 100 + i, IB_WC_SUCCESS);
	}
	expect_none(f->a.send_cq);
	assert_int_equal(f->fake->port[0].n_loop_pkts, 8);
}

/* More than a turn takes. */
static void rvt_ruc_loopback__more_than_a_batch(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC, .cap = {60, 60, 1, 1, 0, 0}};

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	assert_int_equal(fake_rvt_end_init(&f->b, f->pd, &attr), 0);
	assert_int_equal(fake_rvt_connect(&f->a, &f->b), 0);
	for (u64 round = 0; round < 3; round++) {
		for (u64 i = 0; i < 60; i++)
			assert_int_equal(post_recv(f, f->b.qp, i, 10), 0);
		assert_int_equal(post_chain(f, f->a.qp, 1000, 60), 0);
		for (u64 i = 0; i < 60; i++) {
			expect(f->a.send_cq, 1000 + i, IB_WC_SUCCESS);
			expect(f->b.recv_cq, i, IB_WC_SUCCESS);
		}
	}
}

static void rvt_ruc_loopback__qp_connected_to_itself(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTS, f->a.qp->qp_num), 0);
	assert_int_equal(post_recv(f, f->a.qp, 1, 10), 0);
	assert_int_equal(post_send(f, f->a.qp, 2, 10), 0);
	expect(f->a.recv_cq, 1, IB_WC_SUCCESS);
	expect(f->a.send_cq, 2, IB_WC_SUCCESS);
}

static void rvt_ruc_loopback__unsignalled_requests_are_silent(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 1);
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_REQ_WR};

	assert_int_equal(fake_rvt_end_init(&f->a, f->pd, &attr), 0);
	assert_int_equal(fake_rvt_end_init(&f->b, f->pd, &attr), 0);
	assert_int_equal(fake_rvt_connect(&f->a, &f->b), 0);
	for (int i = 0; i < 20; i++)
		assert_int_equal(post(f, f->a.qp, wr, 10), 0);
	expect_none(f->a.send_cq);
	wr.wr.send_flags = IB_SEND_SIGNALED;
	wr.wr.wr_id = 2;
	assert_int_equal(post(f, f->a.qp, wr, 10), 0);
	expect(f->a.send_cq, 2, IB_WC_SUCCESS);
	/* An error is never silent [sm 7.2]. */
	wr.wr.send_flags = 0;
	wr.rkey = 0xdead00;
	assert_int_equal(post(f, f->a.qp, wr, 10), 0);
	expect(f->a.send_cq, 2, IB_WC_REM_ACCESS_ERR);
}

/* RNR [rcp 8.10] */

static void rnr__waits_and_goes_on(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(post_chain(f, f->a.qp, 1, 3), 0);
	expect_none(f->a.send_cq);
	assert_true(qp_a(f)->s_flags & RVT_S_WAIT_RNR);
	assert_int_equal(qp_a(f)->s_rnr_retry, 1);
	for (u64 i = 0; i < 3; i++)
		assert_int_equal(post_recv(f, f->b.qp, i, 10), 0);
	/* It waits the whole time, though there are receives now. */
	assert_int_equal(post_send(f, f->a.qp, 4, 10), 0);
	fake_rvt_turn(RNR_WAIT_NS - 1);
	expect_none(f->a.send_cq);
	fake_rvt_turn(2);
	for (u64 i = 1; i <= 3; i++)
		expect(f->a.send_cq, i, IB_WC_SUCCESS);
	/* Progress restores the counter; the fourth waits anew. */
	assert_int_equal(qp_a(f)->s_rnr_retry, 1);
	assert_int_equal(post_recv(f, f->b.qp, 3, 10), 0);
	fake_rvt_turn(RNR_WAIT_NS + 1);
	expect(f->a.send_cq, 4, IB_WC_SUCCESS);
	assert_int_equal(qp_a(f)->s_rnr_retry, 2);
	assert_int_equal(f->fake->port[0].n_rnr_naks, 2);
}

static void rnr__counter_runs_out(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(post_chain(f, f->a.qp, 1, 2), 0);
	fake_rvt_turn(RNR_WAIT_NS + 1);
	expect_none(f->a.send_cq);
	fake_rvt_turn(RNR_WAIT_NS + 1);
	expect(f->a.send_cq, 1, IB_WC_RNR_RETRY_EXC_ERR);
	expect(f->a.send_cq, 2, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
	assert_contains(cause_of(&f->a), "RNR_RETRY_EXC_ERR");
	assert_contains(cause_of(&f->a), "no receive posted, 3 times in a row, 10 us apart");
}

static void rnr__seven_means_for_ever(void **state)
{
	struct fixture *f = *state;

	qp_a(f)->s_rnr_retry_cnt = 7;
	qp_a(f)->s_rnr_retry = 7;
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	for (int i = 0; i < 50; i++)
		fake_rvt_turn(RNR_WAIT_NS + 1);
	expect_none(f->a.send_cq);
	assert_int_equal(post_recv(f, f->b.qp, 1, 10), 0);
	fake_rvt_turn(RNR_WAIT_NS + 1);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
}

static void rnr__zero_fails_at_once(void **state)
{
	struct fixture *f = *state;

	qp_a(f)->s_rnr_retry_cnt = 0;
	qp_a(f)->s_rnr_retry = 0;
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	expect(f->a.send_cq, 1, IB_WC_RNR_RETRY_EXC_ERR);
}

static void rnr__write_with_immediate_waits_and_writes_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_WRITE_WITH_IMM, 1), 10), 0);
	assert_int_equal(f->rx[0], 0);
	assert_int_equal(post_recv(f, f->b.qp, 9, 1), 0);
	fake_rvt_turn(RNR_WAIT_NS + 1);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect(f->b.recv_cq, 9, IB_WC_SUCCESS);
	assert_int_equal(f->rx[0], f->tx[0]);
}

static struct base_cause told;
static unsigned int tellings;

static void hear(const struct base_cause *cause)
{
	told = *cause;
	tellings++;
}

/* [rcp 11]: and it is told, once for each cause. */
static void uc__no_receive_drops_the_message(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr reset = {.qp_state = IB_QPS_RESET};
	char text[BASE_CAUSE_TEXT_BYTES];

	tellings = 0;
	base_cause_listen(hear);
	assert_int_equal(post_chain(f, f->a.qp, 1, 2), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect(f->a.send_cq, 2, IB_WC_SUCCESS);
	assert_int_equal(f->fake->port[0].n_pkt_drops, 2);
	assert_int_equal(tellings, 1);
	assert_int_equal(told.qpn, f->a.qp->qp_num);
	base_cause_format(&told, text, sizeof(text));
	assert_contains(text, "had no receive posted (found by the responder, QP 0x");
	assert_int_equal(ib_modify_qp(f->b.qp, &reset, IB_QP_STATE), 0);
	assert_int_equal(post_chain(f, f->a.qp, 3, 2), 0);
	base_cause_listen(NULL);
	assert_int_equal(tellings, 2);
	assert_int_equal(told.id, BASE_CAUSE_LOOP_NO_PEER);
	expect(f->a.send_cq, 3, IB_WC_SUCCESS);
	expect(f->a.send_cq, 4, IB_WC_SUCCESS);
}

/* The peer */

static void peer__missing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTS, 0x777), 0);
	assert_int_equal(post_chain(f, f->a.qp, 1, 2), 0);
	expect(f->a.send_cq, 1, IB_WC_RETRY_EXC_ERR);
	expect(f->a.send_cq, 2, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(f->fake->port[0].n_pkt_drops, 1);
	assert_contains(cause_of(&f->a), "this port has no QP 0x777");
}

static void peer__missing_for_uc(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr reset = {.qp_state = IB_QPS_RESET};

	assert_int_equal(ib_modify_qp(f->b.qp, &reset, IB_QP_STATE), 0);
	assert_int_equal(post_chain(f, f->a.qp, 1, 2), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect(f->a.send_cq, 2, IB_WC_SUCCESS);
	assert_int_equal(f->fake->port[0].n_pkt_drops, 2);
}

static void peer__not_receiving(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTS, f->b.qp->qp_num), 0);
	assert_int_equal(fake_rvt_to(f->b.qp, IB_QPS_INIT, 0), 0);
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	expect(f->a.send_cq, 1, IB_WC_RETRY_EXC_ERR);
	assert_contains(cause_of(&f->a), "the peer is in INIT and takes no requests");
}

static void peer__of_another_type(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_UC};

	fake_rvt_end_exit(&f->b);
	assert_int_equal(fake_rvt_end_init(&f->b, f->pd, &attr), 0);
	assert_int_equal(fake_rvt_connect(&f->a, &f->b), 0);
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	expect(f->a.send_cq, 1, IB_WC_RETRY_EXC_ERR);
	assert_contains(cause_of(&f->a), "the peer is a UC QP, this one RC");
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
}

static void peer__in_another_partition(void **state)
{
	struct fixture *f = *state;

	qp_b(f)->s_pkey_index = 1;
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	expect(f->a.send_cq, 1, IB_WC_RETRY_EXC_ERR);
	assert_int_equal(f->fake->port[0].pkey_violations, 1);
	assert_contains(cause_of(&f->a), "P_Key 0xffff of the QP and 0x8001 of the peer");
}

static void peer__first_message_in_rtr_establishes(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTS, f->b.qp->qp_num), 0);
	assert_int_equal(fake_rvt_to(f->b.qp, IB_QPS_RTR, f->a.qp->qp_num), 0);
	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_WRITE, 1), 10), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	fake_rvt_turn(0);
	assert_true(raised(&f->b, IB_EVENT_COMM_EST));
	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_WRITE, 1), 10), 0);
	fake_rvt_turn(0);
	assert_int_equal(f->b.event_count, 1);
}

/* States of the requester */

static void sqd__holds_new_requests(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr sqd = {.qp_state = IB_QPS_SQD}, rts = {.qp_state = IB_QPS_RTS};

	assert_int_equal(ib_modify_qp(f->a.qp, &sqd, IB_QP_STATE), 0);
	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_WRITE, 1), 10), 0);
	fake_rvt_turn(0);
	expect_none(f->a.send_cq);
	assert_int_equal(ib_modify_qp(f->a.qp, &rts, IB_QP_STATE), 0);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
}

/* What waits for a receive was started, and finishes in SQD [sm 6]. */
static void sqd__finishes_what_was_started(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr sqd = {.qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1};
	struct ib_qp_attr attr;
	struct ib_qp_init_attr init;

	assert_int_equal(post_chain(f, f->a.qp, 1, 2), 0);
	assert_int_equal(ib_modify_qp(f->a.qp, &sqd, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY), 0);
	assert_int_equal(ib_query_qp(f->a.qp, &attr, 0, &init), 0);
	assert_int_equal(attr.sq_draining, 1);
	fake_rvt_turn(0);
	assert_false(raised(&f->a, IB_EVENT_SQ_DRAINED));
	assert_int_equal(post_recv(f, f->b.qp, 7, 10), 0);
	assert_int_equal(post_recv(f, f->b.qp, 8, 10), 0);
	fake_rvt_turn(RNR_WAIT_NS + 1);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect_none(f->a.send_cq);
	assert_true(raised(&f->a, IB_EVENT_SQ_DRAINED));
	assert_int_equal(ib_query_qp(f->a.qp, &attr, 0, &init), 0);
	assert_int_equal(attr.sq_draining, 0);
	assert_int_equal(attr.en_sqd_async_notify, 1);
}

static void err__flushes_what_waits(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr err = {.qp_state = IB_QPS_ERR};

	assert_int_equal(post_chain(f, f->a.qp, 1, 3), 0);
	assert_int_equal(ib_modify_qp(f->a.qp, &err, IB_QP_STATE), 0);
	fake_rvt_turn(0);
	for (u64 i = 1; i <= 3; i++)
		expect(f->a.send_cq, i, IB_WC_WR_FLUSH_ERR);
	/* And what is posted now, at once. */
	assert_int_equal(post_chain(f, f->a.qp, 4, 2), 0);
	expect(f->a.send_cq, 4, IB_WC_WR_FLUSH_ERR);
	expect(f->a.send_cq, 5, IB_WC_WR_FLUSH_ERR);
	fake_rvt_turn(RNR_WAIT_NS * 2);
	expect_none(f->a.send_cq);
}

static void reset__discards_what_waits(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr reset = {.qp_state = IB_QPS_RESET};

	assert_int_equal(post_chain(f, f->a.qp, 1, 3), 0);
	assert_int_equal(ib_modify_qp(f->a.qp, &reset, IB_QP_STATE), 0);
	fake_rvt_turn(RNR_WAIT_NS * 2);
	expect_none(f->a.send_cq);
	assert_int_equal(qp_a(f)->s_last, qp_a(f)->s_head);
}

/* A full send CQ kills the QP [sm 7.6]. */
static void send_cq__overflow_fails_the_requester(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 1);

	for (int i = 0; i < 65; i++)
		assert_int_equal(post(f, f->a.qp, wr, 10), 0);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
	assert_contains(cause_of(&f->a), "a CQ of 64 entries did not take a completion");
}

/* Local operations */

static struct ib_mr *make_fast_mr(struct fixture *f)
{
	struct ib_mr *mr = ib_alloc_mr(f->pd, IB_MR_TYPE_MEM_REG, 4);
	struct scatterlist sg;

	if (IS_ERR(mr))
		return NULL;
	sg_init_one(&sg, f->rx, 100);
	sg_dma_address(&sg) = (u64)(uintptr_t)f->rx;
	sg_dma_len(&sg) = 100;
	assert_int_equal(ib_map_mr_sg(mr, &sg, 1, NULL, 4096), 1);
	return mr;
}

/* A fenced invalidation waits behind a SEND that waits for a receive; what follows it, too. */
static void local__fenced_operations_keep_their_place(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = make_fast_mr(f);
	struct ib_reg_wr reg = {.wr = {.wr_id = 1, .opcode = IB_WR_REG_MR}, .mr = mr};
	struct ib_send_wr inv = {
		.wr_id = 3, .opcode = IB_WR_LOCAL_INV, .send_flags = IB_SEND_FENCE};
	struct ib_rdma_wr write = rdma_of(f, IB_WR_RDMA_WRITE, 5);

	assert_non_null(mr);
	reg.key = mr->rkey;
	reg.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE;
	inv.ex.invalidate_rkey = mr->rkey;
	assert_int_equal(ib_post_send(f->a.qp, &reg.wr, NULL), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	assert_int_equal(post_send(f, f->a.qp, 2, 10), 0);
	assert_int_equal(ib_post_send(f->a.qp, &inv, NULL), 0);
	reg.wr.wr_id = 4;
	assert_int_equal(ib_post_send(f->a.qp, &reg.wr, NULL), 0);
	assert_int_equal(atomic_read(&qp_a(f)->local_ops_pending), 2);
	expect_none(f->a.send_cq);
	assert_int_equal(post_recv(f, f->b.qp, 9, 10), 0);
	fake_rvt_turn(RNR_WAIT_NS + 1);
	expect(f->a.send_cq, 2, IB_WC_SUCCESS);
	assert_int_equal(expect(f->a.send_cq, 3, IB_WC_SUCCESS).opcode, IB_WC_LOCAL_INV);
	assert_int_equal(expect(f->a.send_cq, 4, IB_WC_SUCCESS).opcode, IB_WC_REG_MR);
	assert_int_equal(atomic_read(&qp_a(f)->local_ops_pending), 0);
	/* Registered after it was invalidated: it works. */
	write.rkey = mr->rkey;
	assert_int_equal(post(f, f->b.qp, write, 10), 0);
	expect(f->b.send_cq, 5, IB_WC_SUCCESS);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void local__failing_operation_fails_the_qp(void **state)
{
	struct fixture *f = *state;
	struct ib_send_wr inv = {.wr_id = 3,
				 .opcode = IB_WR_LOCAL_INV,
				 .send_flags = IB_SEND_FENCE,
				 .ex.invalidate_rkey = 0xdead00};

	assert_int_equal(ib_post_send(f->a.qp, &inv, NULL), 0);
	expect(f->a.send_cq, 3, IB_WC_LOC_PROT_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_int_equal(atomic_read(&qp_a(f)->local_ops_pending), 0);
	assert_contains(cause_of(&f->a), "WR 3 LOCAL_INV -> LOC_PROT_ERR");
}

/* The kernel's engine leaves local_ops_pending raised then. */
static void local__flushed_operation_is_not_pending(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr err = {.qp_state = IB_QPS_ERR};
	struct ib_send_wr inv = {
		.wr_id = 3, .opcode = IB_WR_LOCAL_INV, .send_flags = IB_SEND_FENCE};

	assert_int_equal(post_send(f, f->a.qp, 2, 10), 0);
	assert_int_equal(ib_post_send(f->a.qp, &inv, NULL), 0);
	assert_int_equal(ib_modify_qp(f->a.qp, &err, IB_QP_STATE), 0);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 2, IB_WC_WR_FLUSH_ERR);
	expect(f->a.send_cq, 3, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(atomic_read(&qp_a(f)->local_ops_pending), 0);
}

/* SRQ */

static void note_limit(struct ib_event *event, void *context)
{
	unsigned int *count = context;

	assert_int_equal(event->event, IB_EVENT_SRQ_LIMIT_REACHED);
	(*count)++;
}

static void srq__is_taken_from_and_its_limit_raised_once(void **state)
{
	struct fixture *f = *state;
	unsigned int events = 0;
	struct ib_srq_init_attr init = {.event_handler = note_limit,
					.srq_context = &events,
					.attr = {.max_wr = 8, .max_sge = 2, .srq_limit = 2},
					.srq_type = IB_SRQT_BASIC};
	struct ib_srq *srq = ib_create_srq(f->pd, &init);
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};
	struct ib_sge sge = sge_of(f, f->rx, 100);
	struct ib_recv_wr recv = {.wr_id = 40, .sg_list = &sge, .num_sge = 1};

	assert_false(IS_ERR(srq));
	if (fake_rvt_end_init(&f->a, f->pd, &attr)) {
		ib_destroy_srq(srq);
		fail();
	}
	attr.srq = srq;
	if (!fake_rvt_end_init(&f->b, f->pd, &attr)) {
		assert_int_equal(fake_rvt_connect(&f->a, &f->b), 0);
		for (int i = 0; i < 3; i++)
			assert_int_equal(ib_post_srq_recv(srq, &recv, NULL), 0);
		assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
		expect(f->b.recv_cq, 40, IB_WC_SUCCESS);
		assert_int_equal(events, 0);
		assert_int_equal(post_chain(f, f->a.qp, 2, 2), 0);
		assert_int_equal(events, 1);
		expect(f->b.recv_cq, 40, IB_WC_SUCCESS);
		expect(f->b.recv_cq, 40, IB_WC_SUCCESS);
		/* Empty: RNR. */
		assert_int_equal(post_send(f, f->a.qp, 4, 10), 0);
		assert_true(qp_a(f)->s_flags & RVT_S_WAIT_RNR);
		fake_rvt_end_exit(&f->b);
	}
	ib_destroy_srq(srq);
}

/* [sm 7.4] */
static void srq__qp_in_err_raises_last_wqe_reached(void **state)
{
	struct fixture *f = *state;
	struct ib_srq_init_attr init = {.attr = {.max_wr = 8, .max_sge = 2},
					.srq_type = IB_SRQT_BASIC};
	struct ib_srq *srq = ib_create_srq(f->pd, &init);
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 1);

	assert_false(IS_ERR(srq));
	if (fake_rvt_end_init(&f->a, f->pd, &attr)) {
		ib_destroy_srq(srq);
		fail();
	}
	attr.srq = srq;
	wr.rkey = 0xdead00;
	if (!fake_rvt_end_init(&f->b, f->pd, &attr)) {
		assert_int_equal(fake_rvt_connect(&f->a, &f->b), 0);
		assert_int_equal(post(f, f->a.qp, wr, 10), 0);
		assert_int_equal(state_of(&f->b), IB_QPS_ERR);
		fake_rvt_turn(0);
		assert_true(raised(&f->b, IB_EVENT_QP_LAST_WQE_REACHED));
		/* The event tells what came first. */
		assert_int_equal(f->b.event_cause, qp_b(f)->first_cause.id);
		fake_rvt_end_exit(&f->b);
	}
	ib_destroy_srq(srq);
}

/* Contexts */

static void data_path__allocates_nothing(void **state)
{
	struct fixture *f = *state;

	base_alloc_forbid(true);
	for (u64 i = 0; i < 100; i++) {
		struct ib_rdma_wr read = rdma_of(f, IB_WR_RDMA_READ, 3);

		assert_int_equal(post_recv(f, f->b.qp, i, 10), 0);
		assert_int_equal(post_send(f, f->a.qp, i, 10), 0);
		expect(f->b.recv_cq, i, IB_WC_SUCCESS);
		expect(f->a.send_cq, i, IB_WC_SUCCESS);
		assert_int_equal(post(f, f->a.qp, read, 10), 0);
		expect(f->a.send_cq, 3, IB_WC_SUCCESS);
	}
	assert_int_equal(post_send(f, f->a.qp, 1, 10), 0);
	for (int i = 0; i < 3; i++)
		fake_rvt_turn(RNR_WAIT_NS + 1);
	expect(f->a.send_cq, 1, IB_WC_RNR_RETRY_EXC_ERR);
	base_alloc_forbid(false);
}

/* A message goes to and fro, each leg posted by the completion handler of the one before. */
struct rally {
	struct fixture *f;
	unsigned int left;
};

static void return_message(struct ib_cq *cq, void *context)
{
	struct rally *rally = context;
	struct fixture *f = rally->f;
	struct ib_qp *qp = cq == f->a.recv_cq ? f->a.qp : f->b.qp;
	struct ib_wc wc;

	(void)ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	while (fake_rvt_poll(cq, &wc) == 1) {
		assert_int_equal(wc.status, IB_WC_SUCCESS);
		if (!rally->left)
			continue;
		rally->left--;
		assert_int_equal(post_recv(f, qp, 0, 10), 0);
		assert_int_equal(post_send(f, qp, 0, 10), 0);
		(void)fake_rvt_poll(qp == f->a.qp ? f->a.send_cq : f->b.send_cq, &wc);
	}
}

static void handlers__may_post(void **state)
{
	struct fixture *f = *state;
	struct rally rally = {.f = f, .left = 100};
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};
	const struct ib_cq_init_attr cq_attr = {.cqe = 64};
	struct fake_rvt_end *ends[] = {&f->a, &f->b};

	for (int i = 0; i < 2; i++) {
		struct ib_cq *cq =
			ib_create_cq(&f->fake->rdi.ibdev, return_message, NULL, &rally, &cq_attr);

		assert_false(IS_ERR(cq));
		ends[i]->recv_cq = cq;
		if (fake_rvt_end_init(ends[i], f->pd, &attr)) {
			ib_destroy_cq(cq);
			fail();
		}
		(void)ib_req_notify_cq(ends[i]->recv_cq, IB_CQ_NEXT_COMP);
	}
	assert_int_equal(fake_rvt_connect(&f->a, &f->b), 0);
	assert_int_equal(post_recv(f, f->a.qp, 0, 10), 0);
	assert_int_equal(post_recv(f, f->b.qp, 0, 10), 0);
	assert_int_equal(post_send(f, f->a.qp, 0, 10), 0);
	fake_rvt_turn(0);
	assert_int_equal(rally.left, 0);
}

#define THREADS 3
#define POSTS 2000

struct poster {
	struct fixture *f;
	pthread_t thread;
	unsigned int posted;
};

static void *post_many(void *arg)
{
	struct poster *p = arg;
	struct fixture *f = p->f;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 1);

	while (p->posted < POSTS) {
		struct ib_sge sge = sge_of(f, f->tx, 8);
		struct ib_wc wc;

		wr.wr.sg_list = &sge;
		wr.wr.num_sge = 1;
		wr.remote_addr = (u64)(uintptr_t)f->rx;
		if (!ib_post_send(p->posted & 1 ? f->a.qp : f->b.qp, &wr.wr, NULL))
			p->posted++;
		while (fake_rvt_poll(f->a.send_cq, &wc) == 1 ||
		       fake_rvt_poll(f->b.send_cq, &wc) == 1)
			;
	}
	return NULL;
}

static void threads__post_on_the_same_qps(void **state)
{
	struct fixture *f = *state;
	struct poster poster[THREADS] = {0};
	struct ib_wc wc;

	for (int i = 0; i < THREADS; i++) {
		poster[i].f = f;
		assert_int_equal(pthread_create(&poster[i].thread, NULL, post_many, &poster[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(poster[i].thread, NULL);
	fake_rvt_turn(0);
	while (fake_rvt_poll(f->a.send_cq, &wc) || fake_rvt_poll(f->b.send_cq, &wc))
		;
	assert_int_equal(qp_a(f)->s_last, qp_a(f)->s_head);
	assert_int_equal(qp_b(f)->s_last, qp_b(f)->s_head);
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
	assert_memory_equal(f->rx, f->tx, 8);
}

/* The peer comes and goes while somebody sends to it. */
static void *send_until_told(void *arg)
{
	struct poster *p = arg;
	struct fixture *f = p->f;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 1);

	while (!__atomic_load_n(&p->posted, __ATOMIC_RELAXED)) {
		struct ib_sge sge = sge_of(f, f->tx, 8);
		struct ib_wc wc;

		wr.wr.sg_list = &sge;
		wr.wr.num_sge = 1;
		(void)ib_post_send(f->a.qp, &wr.wr, NULL);
		while (fake_rvt_poll(f->a.send_cq, &wc) == 1)
			;
	}
	return NULL;
}

static void threads__peer_is_reset_and_destroyed_meanwhile(void **state)
{
	struct fixture *f = *state;
	struct poster poster = {.f = f};
	struct ib_qp_attr reset = {.qp_state = IB_QPS_RESET}, err = {.qp_state = IB_QPS_ERR};

	assert_int_equal(pthread_create(&poster.thread, NULL, send_until_told, &poster), 0);
	for (int i = 0; i < 20; i++) {
		(void)ib_modify_qp(f->b.qp, i & 1 ? &err : &reset, IB_QP_STATE);
		(void)ib_modify_qp(f->b.qp, &reset, IB_QP_STATE);
		(void)fake_rvt_to(f->b.qp, IB_QPS_RTS, f->a.qp->qp_num);
		/* UC does not mind; its own QP, too, may be taken away while it sends. */
		(void)ib_modify_qp(f->a.qp, &reset, IB_QP_STATE);
		(void)fake_rvt_to(f->a.qp, IB_QPS_RTS, f->b.qp->qp_num);
	}
	fake_rvt_end_exit(&f->b);
	__atomic_store_n(&poster.posted, 1, __ATOMIC_RELAXED);
	pthread_join(poster.thread, NULL);
}

#define RESET(test) cmocka_unit_test_setup_teardown(test, fixture_rc_reset, fixture_down)
#define BARE(test) cmocka_unit_test_setup_teardown(test, fixture_bare, fixture_down)
#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)
#define UC(test) cmocka_unit_test_setup_teardown(test, fixture_uc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(rvt_ruc_loopback__chain_completes_in_order),
		BARE(rvt_ruc_loopback__more_than_a_batch),
		RESET(rvt_ruc_loopback__qp_connected_to_itself),
		BARE(rvt_ruc_loopback__unsignalled_requests_are_silent),
		RC(rnr__waits_and_goes_on),
		RC(rnr__counter_runs_out),
		RC(rnr__seven_means_for_ever),
		RC(rnr__zero_fails_at_once),
		RC(rnr__write_with_immediate_waits_and_writes_nothing),
		UC(uc__no_receive_drops_the_message),
		RESET(peer__missing),
		UC(peer__missing_for_uc),
		RESET(peer__not_receiving),
		RESET(peer__of_another_type),
		RC(peer__in_another_partition),
		RESET(peer__first_message_in_rtr_establishes),
		RC(sqd__holds_new_requests),
		RC(sqd__finishes_what_was_started),
		RC(err__flushes_what_waits),
		RC(reset__discards_what_waits),
		RC(send_cq__overflow_fails_the_requester),
		RC(local__fenced_operations_keep_their_place),
		RC(local__failing_operation_fails_the_qp),
		RC(local__flushed_operation_is_not_pending),
		BARE(srq__is_taken_from_and_its_limit_raised_once),
		BARE(srq__qp_in_err_raises_last_wqe_reached),
		RC(data_path__allocates_nothing),
		BARE(handlers__may_post),
		RC(threads__post_on_the_same_qps),
		UC(threads__peer_is_reset_and_destroyed_meanwhile),
	};

	return verbena_test_main(tests);
}
