// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What each operation does at the responder, and the statuses of both sides when it cannot. */
#include <linux/scatterlist.h>

#include "qp_fixture.h"

/* SEND */

static void send__bytes_arrive_and_both_sides_complete(void **state)
{
	struct fixture *f = *state;
	struct ib_wc wc;

	assert_int_equal(post_recv(f, f->b.qp, 7, 100), 0);
	assert_int_equal(post_send(f, f->a.qp, 8, 60), 0);
	wc = expect(f->b.recv_cq, 7, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_RECV);
	assert_int_equal(wc.byte_len, 60);
	assert_ptr_equal(wc.qp, f->b.qp);
	assert_int_equal(wc.src_qp, f->a.qp->qp_num);
	assert_int_equal(wc.slid, 1);
	assert_int_equal(wc.port_num, 1);
	assert_int_equal(wc.wc_flags, 0);
	wc = expect(f->a.send_cq, 8, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_SEND);
	assert_int_equal(wc.byte_len, 60);
	assert_ptr_equal(wc.qp, f->a.qp);
	assert_memory_equal(f->rx, f->tx, 60);
	assert_int_equal(f->rx[60], 0);
}

static void send__empty_message_completes(void **state)
{
	struct fixture *f = *state;
	const struct ib_recv_wr recv = {.wr_id = 1};
	const struct ib_send_wr send = {.wr_id = 2, .opcode = IB_WR_SEND};

	assert_int_equal(ib_post_recv(f->b.qp, &recv, NULL), 0);
	assert_int_equal(ib_post_send(f->a.qp, &send, NULL), 0);
	assert_int_equal(expect(f->b.recv_cq, 1, IB_WC_SUCCESS).byte_len, 0);
	expect(f->a.send_cq, 2, IB_WC_SUCCESS);
}

static void send__scatter_and_gather_lists_differ(void **state)
{
	struct fixture *f = *state;
	struct ib_sge from[3] = {sge_of(f, f->tx, 10), sge_of(f, f->tx + 100, 0),
				 sge_of(f, f->tx + 200, 90)};
	struct ib_sge to[3] = {sge_of(f, f->rx, 33), sge_of(f, f->rx + 1000, 33),
			       sge_of(f, f->rx + 2000, 34)};
	const struct ib_recv_wr recv = {.sg_list = to, .num_sge = 3};
	const struct ib_send_wr send = {.opcode = IB_WR_SEND, .sg_list = from, .num_sge = 3};

	assert_int_equal(ib_post_recv(f->b.qp, &recv, NULL), 0);
	assert_int_equal(ib_post_send(f->a.qp, &send, NULL), 0);
	assert_int_equal(expect(f->b.recv_cq, 0, IB_WC_SUCCESS).byte_len, 100);
	assert_memory_equal(f->rx, f->tx, 10);
	assert_memory_equal(f->rx + 10, f->tx + 200, 23);
	assert_memory_equal(f->rx + 1000, f->tx + 223, 33);
	assert_memory_equal(f->rx + 2000, f->tx + 256, 34);
}

static void send__immediate_and_solicited(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_SEND_WITH_IMM, 3);
	struct ib_wc wc;

	wr.wr.ex.imm_data = cpu_to_be32(0x12345678);
	wr.wr.send_flags = IB_SEND_SOLICITED;
	assert_int_equal(ib_req_notify_cq(f->b.recv_cq, IB_CQ_SOLICITED), 0);
	assert_int_equal(post_recv(f, f->b.qp, 1, 10), 0);
	assert_int_equal(post_recv(f, f->b.qp, 2, 10), 0);
	assert_int_equal(post_send(f, f->a.qp, 1, 5), 0);
	assert_int_equal(ibcq_to_rvtcq(f->b.recv_cq)->triggered, 0);
	assert_int_equal(post(f, f->a.qp, wr, 5), 0);
	assert_int_equal(ibcq_to_rvtcq(f->b.recv_cq)->triggered, 1);
	assert_int_equal(expect(f->b.recv_cq, 1, IB_WC_SUCCESS).wc_flags, 0);
	wc = expect(f->b.recv_cq, 2, IB_WC_SUCCESS);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_IMM);
	assert_int_equal(wc.ex.imm_data, cpu_to_be32(0x12345678));
}

/* A region for fast registration of rx, registered through @qp. */
static struct ib_mr *fast_mr(struct fixture *f, struct ib_qp *qp)
{
	struct ib_mr *mr = ib_alloc_mr(f->pd, IB_MR_TYPE_MEM_REG, 4);
	struct scatterlist sg;
	struct ib_reg_wr reg = {.wr = {.opcode = IB_WR_REG_MR},
				.access = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE};

	if (IS_ERR(mr))
		return NULL;
	sg_init_one(&sg, f->rx, 100);
	sg_dma_address(&sg) = (u64)(uintptr_t)f->rx;
	sg_dma_len(&sg) = 100;
	assert_int_equal(ib_map_mr_sg(mr, &sg, 1, NULL, 4096), 1);
	reg.mr = mr;
	reg.key = mr->rkey;
	assert_int_equal(ib_post_send(qp, &reg.wr, NULL), 0);
	expect(qp == f->a.qp ? f->a.send_cq : f->b.send_cq, 0, IB_WC_SUCCESS);
	return mr;
}

static void send__invalidates_a_key_of_the_responder(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = fast_mr(f, f->b.qp);
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_SEND_WITH_INV, 1);
	struct ib_rdma_wr write = rdma_of(f, IB_WR_RDMA_WRITE, 2);
	struct ib_wc wc;

	assert_non_null(mr);
	wr.wr.ex.invalidate_rkey = mr->rkey;
	write.rkey = mr->rkey;
	assert_int_equal(post(f, f->a.qp, write, 10), 0);
	expect(f->a.send_cq, 2, IB_WC_SUCCESS);
	assert_int_equal(post_recv(f, f->b.qp, 5, 10), 0);
	assert_int_equal(post(f, f->a.qp, wr, 10), 0);
	wc = expect(f->b.recv_cq, 5, IB_WC_SUCCESS);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_INVALIDATE);
	assert_int_equal(wc.ex.invalidate_rkey, mr->rkey);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	assert_int_equal(post(f, f->a.qp, write, 10), 0);
	expect(f->a.send_cq, 2, IB_WC_REM_ACCESS_ERR);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* [rcp 9.8]: the responder's error alone. */
static void send__invalidate_of_a_wrong_key_fails_the_responder(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_SEND_WITH_INV, 1);

	wr.wr.ex.invalidate_rkey = 0xdead00;
	assert_int_equal(post_recv(f, f->b.qp, 5, 10), 0);
	assert_int_equal(post(f, f->a.qp, wr, 10), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect(f->b.recv_cq, 5, IB_WC_REM_INV_REQ_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
}

/* [rcp 10], the project's choice for the responder. */
static void send__too_long_fails_both_sides(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(post_recv(f, f->b.qp, 5, 59), 0);
	assert_int_equal(post_recv(f, f->b.qp, 6, 59), 0);
	assert_int_equal(post_send(f, f->a.qp, 1, 60), 0);
	expect(f->a.send_cq, 1, IB_WC_REM_INV_REQ_ERR);
	expect(f->b.recv_cq, 5, IB_WC_LOC_LEN_ERR);
	expect(f->b.recv_cq, 6, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_int_equal(f->rx[0], 0);
	assert_contains(cause_of(&f->a), "WR 1 SEND -> REM_INV_REQ_ERR");
	assert_contains(cause_of(&f->a), "a message of 60 bytes for a receive of 59");
	assert_contains(cause_of(&f->a), "found by the responder, QP 0x3");
	assert_contains(cause_of(&f->b),
			"QP 0x3 -> LOC_LEN_ERR: a message of 60 bytes for a receive of 59");
}

/* [rcp 11]: dropped, and the receive is used for the next message. */
static void uc_send__too_long_is_dropped_and_the_receive_kept(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr imm = rdma_of(f, IB_WR_RDMA_WRITE_WITH_IMM, 4);

	assert_int_equal(post_recv(f, f->b.qp, 5, 59), 0);
	assert_int_equal(post_send(f, f->a.qp, 1, 60), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect_none(f->b.recv_cq);
	assert_int_equal(post_send(f, f->a.qp, 2, 59), 0);
	expect(f->b.recv_cq, 5, IB_WC_SUCCESS);
	assert_memory_equal(f->rx, f->tx, 59);
	/* Also where the next one does not need its buffers. */
	assert_int_equal(post_recv(f, f->b.qp, 6, 1), 0);
	assert_int_equal(post_send(f, f->a.qp, 3, 60), 0);
	assert_int_equal(post(f, f->a.qp, imm, 60), 0);
	assert_int_equal(expect(f->b.recv_cq, 6, IB_WC_SUCCESS).byte_len, 60);
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
}

/* A receive that was kept goes with the QP. */
static void uc_send__kept_receive_is_flushed(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_ERR};

	assert_int_equal(post_recv(f, f->b.qp, 5, 10), 0);
	assert_int_equal(post_send(f, f->a.qp, 1, 60), 0);
	assert_int_equal(ib_modify_qp(f->b.qp, &attr, IB_QP_STATE), 0);
	expect(f->b.recv_cq, 5, IB_WC_WR_FLUSH_ERR);
	expect_none(f->b.recv_cq);
}

static void send__receive_with_a_bad_key_fails_both_sides(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = {.addr = 0x1000, .length = 100, .lkey = 0xbad00};
	const struct ib_recv_wr recv = {.wr_id = 5, .sg_list = &sge, .num_sge = 1};

	assert_int_equal(ib_post_recv(f->b.qp, &recv, NULL), 0);
	assert_int_equal(post_send(f, f->a.qp, 1, 60), 0);
	expect(f->b.recv_cq, 5, IB_WC_LOC_PROT_ERR);
	expect_none(f->b.recv_cq);
	expect(f->a.send_cq, 1, IB_WC_REM_OP_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_contains(cause_of(&f->b), "RECV -> LOC_PROT_ERR: lkey 0xbad00");
	assert_contains(cause_of(&f->a), "an SGE that its keys do not allow");
}

/* [rcp 11]. */
static void uc_send__receive_with_a_bad_key_fails_the_responder(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = {.addr = 0x1000, .length = 100, .lkey = 0xbad00};
	const struct ib_recv_wr recv = {.wr_id = 5, .sg_list = &sge, .num_sge = 1};

	assert_int_equal(ib_post_recv(f->b.qp, &recv, NULL), 0);
	assert_int_equal(post_send(f, f->a.qp, 1, 60), 0);
	expect(f->b.recv_cq, 5, IB_WC_LOC_PROT_ERR);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
}

/* Post a SEND of 60 bytes out of, and a receive into, a region. */
static void send_between(struct fixture *f, struct ib_mr *from, struct ib_mr *to)
{
	struct ib_sge out = {.addr = from->iova, .length = 60, .lkey = from->lkey};
	struct ib_sge in = {.addr = to->iova, .length = 60, .lkey = to->lkey};
	const struct ib_recv_wr recv = {.wr_id = 5, .sg_list = &in, .num_sge = 1};
	const struct ib_send_wr send = {
		.wr_id = 1, .opcode = IB_WR_SEND, .sg_list = &out, .num_sge = 1};

	assert_int_equal(ib_post_recv(f->b.qp, &recv, NULL), 0);
	assert_int_equal(ib_post_send(f->a.qp, &send, NULL), 0);
}

static void send__unmapped_source_fails_the_requester(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = unmapped_mr(f);

	assert_non_null(mr);
	send_between(f, mr, f->mr);
	expect(f->a.send_cq, 1, IB_WC_LOC_PROT_ERR);
	expect_none(f->b.recv_cq);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
	assert_contains(cause_of(&f->a), "memory that an SGE of the request names is not mapped");
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void send__unmapped_receive_fails_both_sides(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = unmapped_mr(f);

	assert_non_null(mr);
	send_between(f, f->mr, mr);
	expect(f->a.send_cq, 1, IB_WC_REM_OP_ERR);
	expect(f->b.recv_cq, 5, IB_WC_LOC_PROT_ERR);
	assert_contains(cause_of(&f->b), "memory of the receive that the peer had posted");
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* UC's requester has an error of its own, which stops its send queue [sm 6]. */
static void uc_send__unmapped_source_leads_to_sqe_and_keeps_the_receive(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = unmapped_mr(f);
	struct ib_qp_attr rts = {.qp_state = IB_QPS_RTS};

	assert_non_null(mr);
	send_between(f, mr, f->mr);
	expect(f->a.send_cq, 1, IB_WC_LOC_PROT_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_SQE);
	assert_int_equal(ib_modify_qp(f->a.qp, &rts, IB_QP_STATE), 0);
	assert_int_equal(post_send(f, f->a.qp, 2, 60), 0);
	expect(f->b.recv_cq, 5, IB_WC_SUCCESS);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* [rcp 10]: the message is there, its completion is not; nobody acknowledges it. */
static void send__full_receive_cq_fails_both_sides(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_SEND, 2);

	for (u64 i = 0; i < 65; i++) {
		struct ib_wc wc;

		assert_int_equal(post_recv(f, f->b.qp, i, 10), 0);
		assert_int_equal(post(f, f->a.qp, wr, 10), 0);
		if (i < 64)
			assert_int_equal(fake_rvt_poll(f->a.send_cq, &wc), 1);
	}
	expect(f->a.send_cq, 2, IB_WC_RETRY_EXC_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_contains(cause_of(&f->a), "receive CQ of 64 entries is full");
	assert_contains(cause_of(&f->b), "a CQ of 64 entries did not take a completion");
}

static void uc_send__full_receive_cq_fails_the_responder(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 65; i++) {
		assert_int_equal(post_recv(f, f->b.qp, i, 10), 0);
		assert_int_equal(post_send(f, f->a.qp, i, 10), 0);
		expect(f->a.send_cq, i, IB_WC_SUCCESS);
	}
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
}

/* RDMA WRITE */

static void write__bytes_arrive_and_nobody_is_told(void **state)
{
	struct fixture *f = *state;
	struct ib_wc wc;

	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_WRITE, 4), 1000), 0);
	wc = expect(f->a.send_cq, 4, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_RDMA_WRITE);
	assert_memory_equal(f->rx, f->tx, 1000);
	expect_none(f->b.recv_cq);
}

/* [rcp 9.9]: an empty WRITE checks no key. */
static void write__empty_with_a_wrong_key_is_accepted(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 4);

	wr.rkey = 0xdead00;
	assert_int_equal(post(f, f->a.qp, wr, 0), 0);
	expect(f->a.send_cq, 4, IB_WC_SUCCESS);
}

static void write__immediate_takes_a_receive(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE_WITH_IMM, 4);
	struct ib_sge bad = {.addr = 0x1000, .length = 1, .lkey = 0xbad00};
	const struct ib_recv_wr recv = {.wr_id = 9, .sg_list = &bad, .num_sge = 1};
	struct ib_wc wc;

	wr.wr.ex.imm_data = cpu_to_be32(77);
	/* Its SGEs are not looked at. */
	assert_int_equal(ib_post_recv(f->b.qp, &recv, NULL), 0);
	assert_int_equal(post(f, f->a.qp, wr, 100), 0);
	wc = expect(f->b.recv_cq, 9, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 100);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_IMM);
	assert_int_equal(wc.ex.imm_data, cpu_to_be32(77));
	assert_memory_equal(f->rx, f->tx, 100);
	expect(f->a.send_cq, 4, IB_WC_SUCCESS);
}

/* The key is looked at before a receive is taken. */
static void write__bad_key_with_immediate_takes_no_receive(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE_WITH_IMM, 4);

	wr.rkey = 0xdead00;
	assert_int_equal(post_recv(f, f->b.qp, 9, 1), 0);
	assert_int_equal(post(f, f->a.qp, wr, 100), 0);
	expect(f->a.send_cq, 4, IB_WC_REM_ACCESS_ERR);
	expect(f->b.recv_cq, 9, IB_WC_WR_FLUSH_ERR);
}

static void set_access(struct ib_qp *qp, int access)
{
	struct ib_qp_attr attr = {.qp_access_flags = access};

	assert_int_equal(ib_modify_qp(qp, &attr, IB_QP_ACCESS_FLAGS), 0);
}

static void write__qp_without_the_right_is_an_invalid_request(void **state)
{
	struct fixture *f = *state;

	set_access(f->b.qp, IB_ACCESS_REMOTE_READ);
	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_WRITE, 4), 0), 0);
	expect(f->a.send_cq, 4, IB_WC_REM_INV_REQ_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_contains(cause_of(&f->a), "RDMA_WRITE, yet the peer allows its peer only");
	assert_contains(cause_of(&f->b), "-> REM_INV_REQ_ERR: RDMA_WRITE, yet");
}

static void write__wrong_key_is_an_access_error(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 4);

	wr.remote_addr += BUFFER_BYTES - 10;
	assert_int_equal(post(f, f->a.qp, wr, 11), 0);
	expect(f->a.send_cq, 4, IB_WC_REM_ACCESS_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_contains(cause_of(&f->a), "WR 4 RDMA_WRITE -> REM_ACCESS_ERR: rkey");
	assert_contains(cause_of(&f->a), "11 bytes at");
	assert_contains(cause_of(&f->b), "-> REM_ACCESS_ERR: rkey"); /* as over a wire */
	assert_contains(cause_of(&f->a), "found by the responder");
}

/* [rcp 11]. */
static void uc_write__errors_are_silent(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 4);
	const u64 drops = f->fake->port[0].n_pkt_drops;

	wr.rkey = 0xdead00;
	assert_int_equal(post(f, f->a.qp, wr, 11), 0);
	expect(f->a.send_cq, 4, IB_WC_SUCCESS);
	set_access(f->b.qp, 0);
	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_WRITE, 5), 11), 0);
	expect(f->a.send_cq, 5, IB_WC_SUCCESS);
	assert_int_equal(f->rx[0], 0);
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
	assert_int_equal(f->fake->port[0].n_pkt_drops, drops + 2);
}

static void write__unmapped_target_is_an_access_error(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 4);
	struct ib_mr *mr = unmapped_mr(f);

	assert_non_null(mr);
	wr.remote_addr = mr->iova;
	wr.rkey = mr->rkey;
	assert_int_equal(post(f, f->a.qp, wr, 11), 0);
	expect(f->a.send_cq, 4, IB_WC_REM_ACCESS_ERR);
	assert_contains(cause_of(&f->a), "stands for is not mapped");
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* RDMA READ */

static void read__bytes_come_back(void **state)
{
	struct fixture *f = *state;
	struct ib_sge to[2] = {sge_of(f, f->rx, 30), sge_of(f, f->rx + 500, 70)};
	struct ib_rdma_wr wr = {
		.wr = {.wr_id = 4, .opcode = IB_WR_RDMA_READ, .sg_list = to, .num_sge = 2},
		.remote_addr = (u64)(uintptr_t)f->tx,
		.rkey = f->mr->rkey};
	struct ib_wc wc;

	assert_int_equal(ib_post_send(f->a.qp, &wr.wr, NULL), 0);
	wc = expect(f->a.send_cq, 4, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_RDMA_READ);
	assert_int_equal(wc.byte_len, 100);
	assert_memory_equal(f->rx, f->tx, 30);
	assert_memory_equal(f->rx + 500, f->tx + 30, 70);
}

static void read__empty_completes(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_READ, 4);

	wr.rkey = 0xdead00;
	assert_int_equal(post(f, f->a.qp, wr, 0), 0);
	expect(f->a.send_cq, 4, IB_WC_SUCCESS);
}

static void read__errors(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_READ, 4);

	wr.rkey = f->mr->lkey;
	assert_int_equal(post(f, f->a.qp, wr, 10), 0);
	expect(f->a.send_cq, 4, IB_WC_REM_ACCESS_ERR);
	assert_contains(cause_of(&f->a), "is the region's lkey");
}

static void read__qp_without_the_right_is_an_invalid_request(void **state)
{
	struct fixture *f = *state;

	set_access(f->b.qp, IB_ACCESS_REMOTE_WRITE);
	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_READ, 4), 10), 0);
	expect(f->a.send_cq, 4, IB_WC_REM_INV_REQ_ERR);
}

/* [rcp 9.12]. */
static void read__responder_without_resources_is_an_invalid_request(void **state)
{
	struct fixture *f = *state;

	qp_b(f)->r_max_rd_atomic = 0;
	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_RDMA_READ, 4), 10), 0);
	expect(f->a.send_cq, 4, IB_WC_REM_INV_REQ_ERR);
	assert_contains(cause_of(&f->a), "max_dest_rd_atomic is 0");
}

static void read__unmapped_source_is_an_access_error(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_READ, 4);
	struct ib_mr *mr = unmapped_mr(f);

	assert_non_null(mr);
	wr.remote_addr = mr->iova;
	wr.rkey = mr->rkey;
	assert_int_equal(post(f, f->a.qp, wr, 11), 0);
	expect(f->a.send_cq, 4, IB_WC_REM_ACCESS_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_ERR);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void read__unmapped_target_fails_the_requester(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = unmapped_mr(f);
	struct ib_sge to;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_READ, 4);

	assert_non_null(mr);
	to = (struct ib_sge){.addr = mr->iova, .length = 10, .lkey = mr->lkey};
	wr.wr.sg_list = &to;
	wr.wr.num_sge = 1;
	assert_int_equal(ib_post_send(f->a.qp, &wr.wr, NULL), 0);
	expect(f->a.send_cq, 4, IB_WC_LOC_PROT_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_int_equal(state_of(&f->b), IB_QPS_RTS);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* Atomics */

static struct ib_atomic_wr atomic_of(const struct fixture *f, enum ib_wr_opcode opcode, u64 a,
				     u64 b)
{
	return (struct ib_atomic_wr){.wr = {.wr_id = 6, .opcode = opcode},
				     .remote_addr = (u64)(uintptr_t)f->rx,
				     .compare_add = a,
				     .swap = b};
}

static void atomic__fetch_and_add(void **state)
{
	struct fixture *f = *state;
	u64 word = 40, seen;
	struct ib_wc wc;

	memcpy(f->rx, &word, 8);
	assert_int_equal(post_atomic(f, f->a.qp, atomic_of(f, IB_WR_ATOMIC_FETCH_AND_ADD, 2, 0)),
			 0);
	wc = expect(f->a.send_cq, 6, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_FETCH_ADD);
	assert_int_equal(wc.byte_len, 8);
	memcpy(&word, f->rx, 8);
	memcpy(&seen, f->tx, 8);
	assert_int_equal(word, 42);
	assert_int_equal(seen, 40);
}

static void atomic__compare_and_swap_hits_and_misses(void **state)
{
	struct fixture *f = *state;
	u64 word = 40, seen;

	memcpy(f->rx, &word, 8);
	assert_int_equal(post_atomic(f, f->a.qp, atomic_of(f, IB_WR_ATOMIC_CMP_AND_SWP, 40, 7)), 0);
	assert_int_equal(expect(f->a.send_cq, 6, IB_WC_SUCCESS).opcode, IB_WC_COMP_SWAP);
	memcpy(&seen, f->tx, 8);
	assert_int_equal(seen, 40);
	assert_int_equal(post_atomic(f, f->a.qp, atomic_of(f, IB_WR_ATOMIC_CMP_AND_SWP, 40, 9)), 0);
	expect(f->a.send_cq, 6, IB_WC_SUCCESS);
	memcpy(&seen, f->tx, 8);
	memcpy(&word, f->rx, 8);
	assert_int_equal(seen, 7);
	assert_int_equal(word, 7);
}

static void atomic__unaligned_is_an_invalid_request(void **state)
{
	struct fixture *f = *state;
	struct ib_atomic_wr wr = atomic_of(f, IB_WR_ATOMIC_FETCH_AND_ADD, 1, 0);

	wr.remote_addr += 4;
	assert_int_equal(post_atomic(f, f->a.qp, wr), 0);
	expect(f->a.send_cq, 6, IB_WC_REM_INV_REQ_ERR);
	assert_contains(cause_of(&f->a), "not a multiple of 8");
}

static void atomic_write__stores_the_word(void **state)
{
	struct fixture *f = *state;
	struct ib_wc wc;

	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_ATOMIC_WRITE, 6), 8), 0);
	wc = expect(f->a.send_cq, 6, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_ATOMIC_WRITE);
	assert_memory_equal(f->rx, f->tx, 8);
	assert_int_equal(f->rx[8], 0);
	qp_b(f)->qp_access_flags = IB_ACCESS_REMOTE_ATOMIC; /* a write it is */
	assert_int_equal(post(f, f->a.qp, rdma_of(f, IB_WR_ATOMIC_WRITE, 7), 8), 0);
	expect(f->a.send_cq, 7, IB_WC_REM_INV_REQ_ERR);
}

static void atomic_write__unaligned_is_an_invalid_request(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_ATOMIC_WRITE, 6);

	wr.remote_addr += 4;
	assert_int_equal(post(f, f->a.qp, wr, 8), 0);
	expect(f->a.send_cq, 6, IB_WC_REM_INV_REQ_ERR);
	assert_contains(cause_of(&f->a), "not a multiple of 8");
}

static void atomic_write__unmapped_memory(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_ATOMIC_WRITE, 6);
	struct ib_mr *mr = unmapped_mr(f);

	assert_non_null(mr);
	wr.remote_addr = mr->iova;
	wr.rkey = mr->rkey;
	assert_int_equal(post(f, f->a.qp, wr, 8), 0);
	expect(f->a.send_cq, 6, IB_WC_REM_ACCESS_ERR);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static int flush(struct fixture *f, u64 wr_id, u8 type, u8 level, u32 bytes)
{
	const struct rvt_flush_wr wr = {.wr = {.wr_id = wr_id, .opcode = IB_WR_FLUSH},
					.remote_addr = (u64)(uintptr_t)f->rx,
					.length = bytes,
					.rkey = f->mr->rkey,
					.type = type,
					.level = level};

	return ib_post_send(f->a.qp, &wr.wr, NULL);
}

static void flush__completes(void **state)
{
	struct fixture *f = *state;
	struct ib_wc wc;

	assert_int_equal(flush(f, 6, IB_FLUSH_GLOBAL, IB_FLUSH_RANGE, BUFFER_BYTES), 0);
	wc = expect(f->a.send_cq, 6, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_FLUSH);
	assert_int_equal(wc.byte_len, 0);
	assert_int_equal(flush(f, 7, IB_FLUSH_GLOBAL, IB_FLUSH_MR, UINT32_MAX), 0);
	expect(f->a.send_cq, 7, IB_WC_SUCCESS);
}

static void flush__out_of_bounds_is_an_access_error(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(flush(f, 6, IB_FLUSH_GLOBAL, IB_FLUSH_RANGE, BUFFER_BYTES + 1), 0);
	expect(f->a.send_cq, 6, IB_WC_REM_ACCESS_ERR);
	assert_contains(cause_of(&f->a), "are not all inside");
}

static void flush__region_without_one_of_the_rights(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(flush(f, 6, IB_FLUSH_GLOBAL | IB_FLUSH_PERSISTENT, IB_FLUSH_RANGE, 8), 0);
	expect(f->a.send_cq, 6, IB_WC_REM_ACCESS_ERR);
	assert_contains(cause_of(&f->a), "8 bytes flushed at");
}

static void flush__qp_without_one_of_the_rights(void **state)
{
	struct fixture *f = *state;

	set_access(f->b.qp, IB_ACCESS_REMOTE_WRITE | IB_ACCESS_FLUSH_GLOBAL);
	assert_int_equal(flush(f, 6, IB_FLUSH_GLOBAL, IB_FLUSH_RANGE, 8), 0);
	expect(f->a.send_cq, 6, IB_WC_SUCCESS);
	assert_int_equal(flush(f, 7, IB_FLUSH_GLOBAL | IB_FLUSH_PERSISTENT, IB_FLUSH_RANGE, 8), 0);
	expect(f->a.send_cq, 7, IB_WC_REM_INV_REQ_ERR);
	assert_contains(cause_of(&f->a), "FLUSH, yet the peer allows its peer only");
}

static void atomic__wrong_key_is_an_access_error(void **state)
{
	struct fixture *f = *state;
	struct ib_atomic_wr wr = atomic_of(f, IB_WR_ATOMIC_FETCH_AND_ADD, 1, 0);

	wr.rkey = 0xdead00;
	assert_int_equal(post_atomic(f, f->a.qp, wr), 0);
	expect(f->a.send_cq, 6, IB_WC_REM_ACCESS_ERR);
}

static void atomic__qp_without_the_right_is_an_invalid_request(void **state)
{
	struct fixture *f = *state;

	set_access(f->b.qp, IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ);
	assert_int_equal(post_atomic(f, f->a.qp, atomic_of(f, IB_WR_ATOMIC_FETCH_AND_ADD, 1, 0)),
			 0);
	expect(f->a.send_cq, 6, IB_WC_REM_INV_REQ_ERR);
}

static void atomic__unmapped_word_is_an_access_error(void **state)
{
	struct fixture *f = *state;
	struct ib_atomic_wr wr = atomic_of(f, IB_WR_ATOMIC_CMP_AND_SWP, 1, 0);
	struct ib_mr *mr = unmapped_mr(f);

	assert_non_null(mr);
	wr.remote_addr = mr->iova;
	wr.rkey = mr->rkey;
	assert_int_equal(post_atomic(f, f->a.qp, wr), 0);
	expect(f->a.send_cq, 6, IB_WC_REM_ACCESS_ERR);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)
#define UC(test) cmocka_unit_test_setup_teardown(test, fixture_uc, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RC(send__bytes_arrive_and_both_sides_complete),
		RC(send__empty_message_completes),
		RC(send__scatter_and_gather_lists_differ),
		RC(send__immediate_and_solicited),
		RC(send__invalidates_a_key_of_the_responder),
		RC(send__invalidate_of_a_wrong_key_fails_the_responder),
		RC(send__too_long_fails_both_sides),
		UC(uc_send__too_long_is_dropped_and_the_receive_kept),
		UC(uc_send__kept_receive_is_flushed),
		RC(send__receive_with_a_bad_key_fails_both_sides),
		UC(uc_send__receive_with_a_bad_key_fails_the_responder),
		RC(send__unmapped_source_fails_the_requester),
		RC(send__unmapped_receive_fails_both_sides),
		UC(uc_send__unmapped_source_leads_to_sqe_and_keeps_the_receive),
		RC(send__full_receive_cq_fails_both_sides),
		UC(uc_send__full_receive_cq_fails_the_responder),
		RC(write__bytes_arrive_and_nobody_is_told),
		UC(write__bytes_arrive_and_nobody_is_told),
		RC(write__empty_with_a_wrong_key_is_accepted),
		RC(write__immediate_takes_a_receive),
		UC(write__immediate_takes_a_receive),
		RC(write__bad_key_with_immediate_takes_no_receive),
		RC(write__qp_without_the_right_is_an_invalid_request),
		RC(write__wrong_key_is_an_access_error),
		UC(uc_write__errors_are_silent),
		RC(write__unmapped_target_is_an_access_error),
		RC(read__bytes_come_back),
		RC(read__empty_completes),
		RC(read__errors),
		RC(read__qp_without_the_right_is_an_invalid_request),
		RC(read__responder_without_resources_is_an_invalid_request),
		RC(read__unmapped_source_is_an_access_error),
		RC(read__unmapped_target_fails_the_requester),
		RC(atomic__fetch_and_add),
		RC(atomic__compare_and_swap_hits_and_misses),
		RC(atomic__unaligned_is_an_invalid_request),
		RC(atomic_write__stores_the_word),
		RC(atomic_write__unaligned_is_an_invalid_request),
		RC(atomic_write__unmapped_memory),
		RC(flush__completes),
		RC(flush__out_of_bounds_is_an_access_error),
		RC(flush__region_without_one_of_the_rights),
		RC(flush__qp_without_one_of_the_rights),
		RC(atomic__wrong_key_is_an_access_error),
		RC(atomic__qp_without_the_right_is_an_invalid_request),
		RC(atomic__unmapped_word_is_an_access_error),
	};

	return verbena_test_main(tests);
}
