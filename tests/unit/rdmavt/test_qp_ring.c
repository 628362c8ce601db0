// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* QPs whose rings a process fills: doorbell, completion, refused requests, what comes late. */
#include "rdmavt/qp_ring.c"

#include "ring_fixture.h"

static int setup_reset(void **state)
{
	return fixture_rings(state, IB_QPT_RC);
}

static int setup_rc(void **state)
{
	return fixture_rings(state, IB_QPT_RC) ? -1 : connect_ends(state);
}

static int setup_uc(void **state)
{
	return fixture_rings(state, IB_QPT_UC) ? -1 : connect_ends(state);
}

static int setup_ud(void **state)
{
	return fixture_rings(state, IB_QPT_UD) ? -1 : connect_ends(state);
}

/* With a key that no region has. */
static bool put_bad_key(struct fixture *f, u64 wr_id)
{
	const struct rxe_send_wr wr = {.wr_id = wr_id, .opcode = IB_WR_SEND};
	struct rxe_sge sge = rxe_sge_of(f, f->tx, 8);

	sge.lkey ^= 0xff00;
	return librxe_post_send(sq, &wr, &sge, 1);
}

/* Creating */

static void create_qp__capacities_of_the_rings(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr;
	struct ib_qp_init_attr init;

	assert_non_null(rq);
	assert_non_null(sq);
	assert_int_equal(rq->index_mask, 7);
	assert_int_equal(sq->index_mask, 7);
	assert_int_equal(f->a.cap.max_send_wr, 7);
	assert_int_equal(f->a.cap.max_recv_wr, 7);
	assert_int_equal(f->a.cap.max_send_sge, 2);
	assert_int_equal(f->a.cap.max_inline_data, 32);
	assert_int_equal(ib_query_qp(f->a.qp, &attr, 0, &init), 0);
	assert_memory_equal(&attr.cap, &f->a.cap, sizeof(attr.cap));
	assert_true(rvt_is_user_qp(qp_a(f)));
}

static void create_qp__refuses_the_wrong_driver_data(void **state)
{
	struct fixture *f = *state;
	const struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC, .cap = {7, 7, 2, 2, 0, 0}};
	struct fake_rvt_end end = {.udata = process_call(&process, 0, 31)};
	const unsigned int live = process.live;

	assert_int_equal(fake_rvt_end_init(&end, f->pd, &attr), -EINVAL);
	assert_contains(last_cause(), "room for 31; the answer takes 32");
	end.udata = process_call(&process, 1, 32);
	assert_int_equal(fake_rvt_end_init(&end, f->pd, &attr), -EINVAL);
	end.udata = process_call(&process, 0, 32);
	process.no_memory = true;
	assert_int_equal(fake_rvt_end_init(&end, f->pd, &attr), -ENOMEM);
	assert_int_equal(process.live, live);
}

/* Posting */

static void doorbell__sends_what_is_in_the_ring(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 1; i <= 20; i += 2) {
		assert_int_equal(post_recv(f, f->b.qp, 100 + i, 64), 0);
		assert_int_equal(post_recv(f, f->b.qp, 101 + i, 64), 0);
		assert_true(put(f, i, IB_WR_SEND, 10));
		assert_true(put(f, i + 1, IB_WR_SEND, 11));
		assert_int_equal(doorbell(f), 0);
		expect(f->b.recv_cq, 100 + i, IB_WC_SUCCESS);
		assert_int_equal(expect(f->b.recv_cq, 101 + i, IB_WC_SUCCESS).byte_len, 11);
		assert_memory_equal(f->rx, f->tx, 11);
		expect(f->a.send_cq, i, IB_WC_SUCCESS);
		expect(f->a.send_cq, i + 1, IB_WC_SUCCESS);
		assert_true(sq_is_free());
	}
}

static void doorbell__slot_is_free_at_completion_and_not_before(void **state)
{
	struct fixture *f = *state;

	f->fake->manual = true;
	for (u64 i = 0; i < 7; i++)
		assert_true(put(f, i, IB_WR_RDMA_WRITE, 8));
	assert_int_equal(doorbell(f), 0);
	assert_int_equal(doorbell(f), 0);
	assert_false(put(f, 7, IB_WR_RDMA_WRITE, 8));
	fake_rvt_turn(1);
	assert_true(sq_is_free());
	for (u64 i = 0; i < 7; i++)
		expect(f->a.send_cq, i, IB_WC_SUCCESS);
}

/* Without a completion a slot becomes free, too. */
static void doorbell__unsignalled_requests_free_their_slots(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr wr = {.opcode = IB_WR_RDMA_WRITE};
	const struct rxe_sge sge = rxe_sge_of(f, f->tx, 8);

	qp_a(f)->signal_all = false;
	qp_a(f)->s_flags |= RVT_S_SIGNAL_REQ_WR;
	wr.wr.rdma.remote_addr = (u64)(uintptr_t)f->rx;
	wr.wr.rdma.rkey = f->mr->rkey;
	for (unsigned int i = 0; i < 20; i++) {
		assert_true(librxe_post_send(sq, &wr, &sge, 1));
		assert_int_equal(doorbell(f), 0);
		assert_true(sq_is_free());
	}
	expect_none(f->a.send_cq);
}

static void doorbell__inline_data_is_copied(void **state)
{
	struct fixture *f = *state;
	const struct rxe_send_wr wr = {.wr_id = 1, .opcode = IB_WR_SEND};

	f->fake->manual = true;
	assert_int_equal(post_recv(f, f->b.qp, 2, 64), 0);
	assert_true(librxe_post_inline(sq, &wr, "inline", 6, 0));
	assert_int_equal(doorbell(f), 0);
	memset(librxe_slot(sq, 0), 0xff, 256);
	fake_rvt_turn(1);
	expect(f->b.recv_cq, 2, IB_WC_SUCCESS);
	assert_memory_equal(f->rx, "inline", 6);
}

static void doorbell__state_below_rts_leaves_the_requests_where_they_are(void **state)
{
	struct fixture *f = *state;

	assert_true(put(f, 1, IB_WR_RDMA_WRITE, 8));
	assert_int_equal(doorbell(f), -EINVAL);
	assert_contains(last_cause(), "the QP is in RESET");
	assert_int_equal(fake_rvt_connect(&f->a, &f->b), 0);
	assert_true(put(f, 2, IB_WR_RDMA_WRITE, 8));
	assert_int_equal(doorbell(f), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect(f->a.send_cq, 2, IB_WC_SUCCESS);
}

static void doorbell__waits_in_sqd(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_SQD};

	assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
	assert_true(put(f, 1, IB_WR_RDMA_WRITE, 8));
	assert_int_equal(doorbell(f), 0);
	fake_rvt_turn(1);
	expect_none(f->a.send_cq);
	assert_false(sq_is_free());
	attr.qp_state = IB_QPS_RTS;
	assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
	f->fake->rdi.driver_f.do_send(qp_a(f));
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
}

static void post_send__the_ring_is_the_process_s(void **state)
{
	struct fixture *f = *state;
	const struct ib_send_wr wr = {.opcode = IB_WR_SEND}, *bad = NULL;
	const struct ib_recv_wr recv = {.wr_id = 1}, *bad_recv = NULL;

	assert_int_equal(ib_post_send(f->a.qp, &wr, &bad), -EINVAL);
	assert_contains(last_cause(), "a process fills the QP's ring");
	assert_ptr_equal(bad, &wr);
	assert_int_equal(ib_post_recv(f->a.qp, &recv, &bad_recv), -EINVAL);
	assert_contains(last_cause(), "a process fills the QP's ring");
	assert_ptr_equal(bad_recv, &recv);
	assert_int_equal(rvt_doorbell(f->b.qp), 0); /* has no ring */
}

/* Receives */

static void receive__comes_from_the_ring(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge sge = rxe_sge_of(f, f->rx, 64);

	for (u64 i = 0; i < 20; i++) {
		assert_true(librxe_post_recv(rq, i, &sge, 1));
		assert_int_equal(rvt_rq_available(&qp_a(f)->r_rq), 1);
		assert_int_equal(post_send(f, f->b.qp, 100 + i, 12), 0);
		assert_int_equal(expect(f->a.recv_cq, i, IB_WC_SUCCESS).byte_len, 12);
		expect(f->b.send_cq, 100 + i, IB_WC_SUCCESS);
		assert_int_equal(rq->consumer_index, rq->producer_index);
	}
}

static void receive__posted_after_the_sender_was_told_to_wait(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge sge = rxe_sge_of(f, f->rx, 64);

	assert_int_equal(post_send(f, f->b.qp, 1, 12), 0);
	expect_none(f->b.send_cq);
	assert_true(librxe_post_recv(rq, 2, &sge, 1));
	fake_rvt_turn(1000000);
	expect(f->a.recv_cq, 2, IB_WC_SUCCESS);
	expect(f->b.send_cq, 1, IB_WC_SUCCESS);
}

static void receive__more_sges_than_the_queue_takes(void **state)
{
	struct fixture *f = *state;
	struct rxe_recv_wqe *slot = librxe_free_slot(rq);

	assert_true(librxe_post_recv(rq, 3, NULL, 0));
	slot->dma.num_sge = 0x10002;
	assert_int_equal(post_send(f, f->b.qp, 1, 12), 0);
	expect(f->a.recv_cq, 3, IB_WC_LOC_PROT_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	expect(f->b.send_cq, 1, IB_WC_REM_OP_ERR);
}

/* Requests that a post would refuse */

static void refused__completes_in_its_turn(void **state)
{
	struct fixture *f = *state;

	base_cause_set_last(&(struct base_cause){.id = BASE_CAUSE_CQ_MAPPED});
	assert_true(put(f, 1, IB_WR_RDMA_WRITE, 8));
	assert_true(put_bad_key(f, 2));
	assert_true(put(f, 3, IB_WR_RDMA_WRITE, 8));
	assert_true(put_bad_key(f, 4));
	assert_int_equal(doorbell(f), 0);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_CQ_MAPPED); /* nothing was refused */
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect(f->a.send_cq, 2, IB_WC_LOC_PROT_ERR);
	fake_rvt_turn(1);
	expect(f->a.send_cq, 3, IB_WC_WR_FLUSH_ERR);
	expect(f->a.send_cq, 4, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(state_of(&f->a), IB_QPS_ERR);
	assert_contains(cause_of(&f->a), "WR 2 SEND -> LOC_PROT_ERR: lkey");
	assert_true(sq_is_free());
	assert_int_equal(atomic_read(&qp_a(f)->local_ops_pending), 0);
	assert_int_equal(qp_a(f)->s_refused.id, 0);
}

static void refused__unreliable_queues_stop_and_can_go_on(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS};
	/* A datagram lacks an address, too. */
	const enum ib_wc_status status = f->a.qp->qp_type == IB_QPT_UD ? IB_WC_LOC_QP_OP_ERR
								       : IB_WC_LOC_PROT_ERR;

	for (u64 i = 0; i < 3; i++) {
		assert_true(put_bad_key(f, 1));
		assert_true(put_bad_key(f, 2));
		assert_int_equal(doorbell(f), 0);
		fake_rvt_turn(1);
		expect(f->a.send_cq, 1, status);
		expect(f->a.send_cq, 2, IB_WC_WR_FLUSH_ERR);
		assert_int_equal(state_of(&f->a), IB_QPS_SQE);
		assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
		assert_int_equal(qp_a(f)->s_refused.id, 0);
	}
}

static enum ib_wc_status status_of_request(struct fixture *f, const struct rxe_send_wr *wr,
					   u32 num_sge, u32 length)
{
	struct rxe_send_wqe *slot = librxe_free_slot(sq);
	const struct rxe_sge sge = rxe_sge_of(f, f->tx, 8);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS};
	struct ib_wc wc = {0};

	assert_true(librxe_post_send(sq, wr, &sge, 1));
	slot->dma.num_sge = num_sge;
	slot->dma.length = length;
	assert_int_equal(doorbell(f), 0);
	fake_rvt_turn(1);
	assert_int_equal(fake_rvt_poll(f->a.send_cq, &wc), 1);
	assert_int_equal(wc.wr_id, wr->wr_id);
	if (wc.status != IB_WC_SUCCESS) /* UC: SQE */
		assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
	assert_true(sq_is_free());
	return wc.status;
}

static void refused__status_tells_what_is_wrong(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr wr = {.wr_id = 5, .opcode = IB_WR_SEND};

	assert_int_equal(status_of_request(f, &wr, 3, 8), IB_WC_LOC_QP_OP_ERR); /* SGEs */
	assert_int_equal(status_of_request(f, &wr, 0xffffffff, 8), IB_WC_LOC_QP_OP_ERR);
	assert_int_equal(status_of_request(f, &wr, 0, 33), IB_WC_LOC_LEN_ERR); /* inline */
	assert_int_equal(status_of_request(f, &wr, 0, 0xffffffff), IB_WC_LOC_LEN_ERR);
	wr.opcode = IB_WR_RDMA_READ; /* not of UC */
	assert_int_equal(status_of_request(f, &wr, 1, 8), IB_WC_LOC_QP_OP_ERR);
	wr.opcode = IB_WR_REG_MR; /* its pointer would be the process's */
	assert_int_equal(status_of_request(f, &wr, 1, 8), IB_WC_LOC_QP_OP_ERR);
	wr.opcode = 0xffffffff;
	assert_int_equal(status_of_request(f, &wr, 1, 8), IB_WC_LOC_QP_OP_ERR);
}

static void refused__what_the_driver_refuses(void **state)
{
	struct fixture *f = *state;

	f->fake->setup_error = -EINVAL;
	base_cause_set_last(&(struct base_cause){.id = 0});
	assert_true(put(f, 1, IB_WR_RDMA_WRITE, 8));
	assert_int_equal(doorbell(f), 0);
	assert_int_equal(base_cause_last()->id, 0);
	expect(f->a.send_cq, 1, IB_WC_LOC_QP_OP_ERR);
	assert_contains(cause_of(&f->a), "the driver refuses");
}

static void refused__is_flushed_behind_another_error(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_ERR};

	f->fake->manual = true;
	assert_true(put(f, 1, IB_WR_RDMA_WRITE, 8));
	assert_true(put_bad_key(f, 2));
	assert_int_equal(doorbell(f), 0);
	assert_int_not_equal(qp_a(f)->s_refused.id, 0);
	assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
	fake_rvt_turn(1);
	expect(f->a.send_cq, 1, IB_WC_WR_FLUSH_ERR);
	expect(f->a.send_cq, 2, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(qp_a(f)->s_refused.id, 0);
	assert_int_equal(atomic_read(&qp_a(f)->local_ops_pending), 0);
}

/* Local operations have their turn as all others. */
static void local__failure_comes_in_order(void **state)
{
	struct fixture *f = *state;
	const struct rxe_send_wr inv = {
		.wr_id = 2, .opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = 0x77777777};

	f->fake->manual = true;
	assert_true(put(f, 1, IB_WR_RDMA_WRITE, 8));
	assert_true(librxe_post_send(sq, &inv, NULL, 0));
	assert_int_equal(doorbell(f), 0);
	expect_none(f->a.send_cq);
	fake_rvt_turn(1);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	expect(f->a.send_cq, 2, IB_WC_LOC_PROT_ERR);
	assert_true(sq_is_free());
}

/* Datagrams */

static struct ib_ah *make_ah(struct fixture *f, u32 *num)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct rxe_create_ah_resp answer;
	struct ib_ah *ah;

	rdma_ah_set_dlid(&attr, 1);
	ah = rdma_create_user_ah(f->pd, &attr, process_call(&process, 0, sizeof(answer)));
	assert_false(IS_ERR(ah));
	memcpy(&answer, process.answer, sizeof(answer));
	assert_int_equal(answer.reserved, 0);
	*num = answer.ah_num;
	return ah;
}

static void datagram__address_by_number(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr wr = {.wr_id = 1, .opcode = IB_WR_SEND};
	const struct rxe_sge sge = rxe_sge_of(f, f->tx, 8);
	struct ib_ah *ah, *other;
	u32 num;

	other = make_ah(f, &num);
	ah = make_ah(f, &wr.wr.ud.ah_num);
	assert_in_range(num, 1, 32767);
	assert_int_not_equal(num, wr.wr.ud.ah_num);
	wr.wr.ud.remote_qpn = 7;
	assert_true(librxe_post_send(sq, &wr, &sge, 1));
	assert_int_equal(doorbell(f), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	rdma_destroy_ah(ah, 0);
	wr.wr_id = 2;
	assert_true(librxe_post_send(sq, &wr, &sge, 1));
	assert_int_equal(doorbell(f), 0);
	expect(f->a.send_cq, 2, IB_WC_LOC_QP_OP_ERR);
	assert_contains(cause_of(&f->a), "the address handle is missing");
	rdma_destroy_ah(other, 0);
}

static void create_ah__no_room_for_the_number(void **state)
{
	struct fixture *f = *state;
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	const int before = f->fake->rdi.n_ahs_allocated;

	assert_int_equal(PTR_ERR(rdma_create_user_ah(f->pd, &attr, process_call(&process, 0, 4))),
			 -EINVAL);
	assert_contains(last_cause(), "the answer takes 8");
	assert_int_equal(f->fake->rdi.n_ahs_allocated, before);
	assert_true(xa_empty(&f->fake->rdi.ah_nums));
}

/* RESET and ERR */

static void reset__empties_the_rings(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge sge = rxe_sge_of(f, f->rx, 64);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RESET};

	f->fake->manual = true;
	assert_true(librxe_post_recv(rq, 1, &sge, 1));
	assert_true(put(f, 2, IB_WR_RDMA_WRITE, 8));
	assert_true(put_bad_key(f, 3));
	assert_int_equal(doorbell(f), 0);
	assert_true(put(f, 4, IB_WR_RDMA_WRITE, 8)); /* no doorbell */
	assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
	assert_true(sq_is_free());
	assert_int_equal(rq->consumer_index, rq->producer_index);
	expect_none(f->a.send_cq);
	expect_none(f->a.recv_cq);
	f->fake->manual = false;
	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTS, f->b.qp->qp_num), 0);
	assert_true(put(f, 5, IB_WR_RDMA_WRITE, 8));
	assert_int_equal(doorbell(f), 0);
	expect(f->a.send_cq, 5, IB_WC_SUCCESS);
}

static void to_err(struct fixture *f)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_ERR};

	assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
}

static void err__flushes_what_is_there(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge sge = rxe_sge_of(f, f->rx, 64);

	assert_true(librxe_post_recv(rq, 1, &sge, 1));
	assert_true(librxe_post_recv(rq, 2, &sge, 1));
	to_err(f);
	expect(f->a.recv_cq, 1, IB_WC_WR_FLUSH_ERR);
	expect(f->a.recv_cq, 2, IB_WC_WR_FLUSH_ERR);
}

/* Nobody tells us of a receive; a doorbell, a poll or a turn of the crank finds it. */
static void err__flushes_what_comes_late(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge sge = rxe_sge_of(f, f->rx, 64);

	to_err(f);
	assert_true(librxe_post_recv(rq, 1, &sge, 1));
	expect_none(f->a.recv_cq);
	assert_true(base_progress());
	expect(f->a.recv_cq, 1, IB_WC_WR_FLUSH_ERR);
	assert_false(base_progress());
	assert_true(librxe_post_recv(rq, 2, &sge, 1));
	assert_int_equal(doorbell(f), 0);
	expect(f->a.recv_cq, 2, IB_WC_WR_FLUSH_ERR);
	assert_true(librxe_post_recv(rq, 3, &sge, 1));
	assert_true(put(f, 4, IB_WR_RDMA_WRITE, 8));
	fake_rvt_turn(1);
	expect(f->a.recv_cq, 3, IB_WC_WR_FLUSH_ERR);
	expect(f->a.send_cq, 4, IB_WC_WR_FLUSH_ERR);
	assert_true(sq_is_free());
	assert_int_equal(rq->consumer_index, rq->producer_index);
}

static void err__takes_what_no_doorbell_could(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_INIT, 0), 0);
	assert_true(put(f, 1, IB_WR_RDMA_WRITE, 8));
	assert_int_equal(doorbell(f), -EINVAL);
	to_err(f);
	fake_rvt_turn(1);
	expect(f->a.send_cq, 1, IB_WC_WR_FLUSH_ERR);
	assert_true(sq_is_free());
}

static void err__nothing_is_expected_after_reset(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RESET};
	const struct rxe_sge sge = rxe_sge_of(f, f->rx, 64);

	to_err(f);
	assert_int_equal(f->fake->rdi.late_count, 1);
	assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
	assert_int_equal(f->fake->rdi.late_count, 0);
	assert_true(librxe_post_recv(rq, 1, &sge, 1));
	fake_rvt_turn(1);
	expect_none(f->a.recv_cq);
}

/* Garbage: all of it at once, and whatever happens, nothing but this QP suffers. */
static void garbage__in_both_rings(void **state)
{
	struct fixture *f = *state;
	const size_t bytes[2] = {qp_a(f)->s_ring->ip->size, qp_a(f)->r_rq.ring->ip->size};
	u32 random = 1;

	for (unsigned int round = 0; round < 300; round++) {
		struct rxe_queue_buf *ring = round & 1 ? rq : sq;
		u32 *words = (u32 *)(void *)ring;
		struct ib_wc wc;

		for (unsigned int i = 0; i < 64; i++) {
			random = random * 1664525u + 1013904223u;
			words[random % (bytes[round & 1] / sizeof(u32))] = random ^ (random >> 16);
		}
		random = random * 1664525u + 1013904223u;
		ring->producer_index = random >> 8;
		(void)doorbell(f);
		(void)post_send(f, f->b.qp, round, 12);
		fake_rvt_turn(1000);
		assert_true(qp_a(f)->s_ring->tail <= 7 && qp_a(f)->s_ring->done <= 7);
		assert_true(qp_a(f)->r_rq.ring->tail <= 7);
		while (fake_rvt_poll(f->a.send_cq, &wc) || fake_rvt_poll(f->a.recv_cq, &wc) ||
		       fake_rvt_poll(f->b.send_cq, &wc))
			assert_in_range(wc.status, IB_WC_SUCCESS, IB_WC_GENERAL_ERR);
		if (state_of(&f->a) == IB_QPS_ERR || state_of(&f->b) == IB_QPS_ERR) {
			struct ib_qp_attr attr = {.qp_state = IB_QPS_RESET};

			assert_int_equal(ib_modify_qp(f->a.qp, &attr, IB_QP_STATE), 0);
			assert_int_equal(ib_modify_qp(f->b.qp, &attr, IB_QP_STATE), 0);
			assert_int_equal(fake_rvt_connect(&f->a, &f->b), 0);
		}
	}
}

#define RESET(test) cmocka_unit_test_setup_teardown(test, setup_reset, teardown)
#define RC(test) cmocka_unit_test_setup_teardown(test, setup_rc, teardown)
#define UC(test) cmocka_unit_test_setup_teardown(test, setup_uc, teardown)
#define UD(test) cmocka_unit_test_setup_teardown(test, setup_ud, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESET(create_qp__capacities_of_the_rings),
		RESET(create_qp__refuses_the_wrong_driver_data),
		RC(doorbell__sends_what_is_in_the_ring),
		RC(doorbell__slot_is_free_at_completion_and_not_before),
		RC(doorbell__unsignalled_requests_free_their_slots),
		RC(doorbell__inline_data_is_copied),
		RESET(doorbell__state_below_rts_leaves_the_requests_where_they_are),
		RC(doorbell__waits_in_sqd),
		RC(post_send__the_ring_is_the_process_s),
		RC(receive__comes_from_the_ring),
		RC(receive__posted_after_the_sender_was_told_to_wait),
		RC(receive__more_sges_than_the_queue_takes),
		RC(refused__completes_in_its_turn),
		UC(refused__unreliable_queues_stop_and_can_go_on),
		UD(refused__unreliable_queues_stop_and_can_go_on),
		UC(refused__status_tells_what_is_wrong),
		RC(refused__what_the_driver_refuses),
		RC(refused__is_flushed_behind_another_error),
		RC(local__failure_comes_in_order),
		UD(datagram__address_by_number),
		UD(create_ah__no_room_for_the_number),
		RC(reset__empties_the_rings),
		RC(err__flushes_what_is_there),
		RC(err__flushes_what_comes_late),
		RESET(err__takes_what_no_doorbell_could),
		RC(err__nothing_is_expected_after_reset),
		RC(garbage__in_both_rings),
	};

	return verbena_test_main(tests);
}
