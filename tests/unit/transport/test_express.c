// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The express way: what goes by it, and that everything else is left as it was. */
#include <linux/types.h>
#include <stdbool.h>
#include <string.h>

struct rvt_qp;

/* The receive queue: what it gives, and what it was asked for. */
static struct {
	bool gives;
	unsigned int asked;
	char bytes[256];
	u32 count;
} queue;

static bool take_from_queue(struct rvt_qp *qp, const void *bytes, u32 count);

#define rvt_express_receive take_from_queue
#include "transport/express.c"

#include "common/test.h"
#include "common/test_host.h"

#define FIRST_PSN 0xfffffeu

static bool take_from_queue(struct rvt_qp *qp, const void *bytes, u32 count)
{
	queue.asked++;
	if (!queue.gives)
		return false;
	memcpy(queue.bytes, bytes, count);
	queue.count = count;
	qp->r_wr_id = 77;
	return true;
}

/* A wire that takes small packets. */
static struct tp_port_ops ops[2];
static struct {
	bool full;
	unsigned int taken;
	struct tp_small last;
	char bytes[TP_SMALL_BYTES];
	void *sender;
} wire;

static bool take_small(struct tp_port *port, const struct tp_small *small, void *sender)
{
	(void)port;
	if (wire.full)
		return false;
	wire.taken++;
	wire.last = *small;
	if (small->count)
		memcpy(wire.bytes, small->bytes, small->count);
	wire.sender = sender;
	return true;
}

static struct test_pair *begin(void **state, struct test_qp_options options)
{
	struct test_pair *p = *state;

	options.psn = FIRST_PSN;
	p->wire->hold = true;
	memset(&queue, 0, sizeof(queue));
	memset(&wire, 0, sizeof(wire));
	for (int i = 0; i < 2; i++) {
		ops[i] = *p->host[i]->port->ops;
		ops[i].send_small = take_small;
		p->host[i]->port->ops = &ops[i];
	}
	assert_int_equal(test_pair_connect(p, &options, &(struct test_qp_options){.psn = 5}), 0);
	tp_qp(ibqp_to_rvtqp(p->a.ib))->reach = TP_REACH_WIRE;
	tp_qp(ibqp_to_rvtqp(p->b.ib))->reach = TP_REACH_WIRE;
	ibqp_to_rvtqp(p->a.ib)->s_flags |= RVT_S_UNLIMITED_CREDIT;
	return p;
}

/* A request as rvt_express_fill() leaves it; the caller has it sent. */
static struct rvt_swqe *post(struct test_pair *p, enum ib_wr_opcode opcode, u32 bytes)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(p->a.ib);
	const u32 at = qp->s_head;

	spin_lock(&qp->s_lock); /* the engine of the post finds nothing to do */
	qp->s_flags |= RVT_S_WAIT_ACK;
	spin_unlock(&qp->s_lock);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.wr_id = at,
								 .opcode = opcode,
								 .bytes = bytes,
								 .remote = p->host[1]}),
			 0);
	qp->s_flags &= ~(u32)RVT_S_WAIT_ACK;
	rvt_get_swqe_ptr(qp, at)->wr.send_flags |= IB_SEND_INLINE;
	return rvt_get_swqe_ptr(qp, at);
}

static struct rvt_qp *qp_a(struct test_pair *p)
{
	return ibqp_to_rvtqp(p->a.ib);
}

static bool send_now(struct test_pair *p)
{
	return tp_express_send(tp_qp(qp_a(p)));
}

static void send__a_small_one_goes_at_once(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct rvt_qp *qp = qp_a(p);

	memcpy(p->host[0]->buffer, "12345678", 8);
	post(p, IB_WR_SEND, 8);
	assert_true(send_now(p));
	assert_int_equal(wire.taken, 1);
	assert_int_equal(wire.last.opcode, PKT_RC_SEND_ONLY);
	assert_int_equal(wire.last.psn.v, FIRST_PSN);
	assert_int_equal(wire.last.dest_qpn, p->b.ib->qp_num);
	assert_true(wire.last.ack_req && wire.last.ack_here && !wire.last.solicited);
	assert_memory_equal(wire.bytes, "12345678", 8);
	assert_ptr_equal(wire.sender, qp);
	assert_int_equal(qp->s_cur, qp->s_head);
	assert_int_equal(qp->s_tail, qp->s_head);
	assert_int_equal(qp->s_psn, FIRST_PSN + 1);
	assert_true(qp->s_flags & RVT_S_TIMER);
	assert_string_equal(test_wire_log(p->wire), "");
}

static void send__all_that_are_due(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});

	for (int i = 0; i < 3; i++)
		post(p, IB_WR_SEND, 8);
	assert_true(send_now(p));
	assert_int_equal(wire.taken, 3);
	assert_int_equal(wire.last.psn.v, (FIRST_PSN + 2) & 0xffffff);
	assert_true(send_now(p));
	assert_int_equal(wire.taken, 3);
}

static void send__immediate_data_and_solicited(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct rvt_swqe *wqe = post(p, IB_WR_SEND_WITH_IMM, 8);

	wqe->wr.send_flags |= IB_SEND_SOLICITED;
	wqe->wr.ex.imm_data = 0x1234;
	assert_true(send_now(p));
	assert_int_equal(wire.last.opcode, PKT_RC_SEND_ONLY_IMM);
	assert_int_equal(wire.last.immdt, 0x1234);
	assert_true(wire.last.solicited);
}

/* Each thing that stands in the way, alone; without it the request goes. */
static void send__is_left_to_the_engine(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct rvt_qp *qp = qp_a(p);
	struct tp_qp *tq = tp_qp(qp);
	struct rvt_swqe *wqe = post(p, IB_WR_SEND, 8);

#define STANDS_IN_THE_WAY(set, reset)                   \
	do {                                            \
		set;                                    \
		assert_false(send_now(p));              \
		reset;                                  \
		assert_int_equal(wire.taken, 0);        \
		assert_int_equal(qp->s_cur, 0);         \
		assert_false(qp->s_flags &RVT_S_TIMER); \
	} while (0)
	STANDS_IN_THE_WAY(qp->s_flags |= RVT_S_WAIT_RNR, qp->s_flags &= ~(u32)RVT_S_WAIT_RNR);
	STANDS_IN_THE_WAY(qp->s_flags |= RVT_S_WAIT_TX, qp->s_flags &= ~(u32)RVT_S_WAIT_TX);
	STANDS_IN_THE_WAY(qp->s_flags |= RVT_S_BUSY, qp->s_flags &= ~(u32)RVT_S_BUSY);
	STANDS_IN_THE_WAY(qp->s_flags |= RVT_S_SEND_ONE, qp->s_flags &= ~(u32)RVT_S_SEND_ONE);
	STANDS_IN_THE_WAY(qp->state = IB_QPS_SQD, qp->state = IB_QPS_RTS);
	STANDS_IN_THE_WAY(qp->state = IB_QPS_ERR, qp->state = IB_QPS_RTS);
	STANDS_IN_THE_WAY(qp->s_mig_state = IB_MIG_ARMED, qp->s_mig_state = IB_MIG_MIGRATED);
	STANDS_IN_THE_WAY(tq->path.has_grh = true, tq->path.has_grh = false);
	STANDS_IN_THE_WAY(tq->reach = TP_REACH_UNKNOWN, tq->reach = TP_REACH_WIRE);
	STANDS_IN_THE_WAY(tq->answer = TP_ANSWER_ACK, tq->answer = TP_ANSWER_NONE);
	STANDS_IN_THE_WAY(tq->source_gone = true, tq->source_gone = false);
	STANDS_IN_THE_WAY(qp->r_head_ack_queue = 1, qp->r_head_ack_queue = 0);
	STANDS_IN_THE_WAY(qp->s_tail = 1, qp->s_tail = 0); /* it is sent again */
	STANDS_IN_THE_WAY(wqe->wr.send_flags = IB_SEND_SIGNALED,
			  wqe->wr.send_flags |= IB_SEND_INLINE);
	STANDS_IN_THE_WAY(wqe->wr.opcode = IB_WR_RDMA_WRITE, wqe->wr.opcode = IB_WR_SEND);
	STANDS_IN_THE_WAY(wqe->length = TP_SMALL_BYTES + 1, wqe->length = 8);
	STANDS_IN_THE_WAY(wqe->length = 0, wqe->length = 8);
	STANDS_IN_THE_WAY(wqe->lpsn++, wqe->lpsn--);
	STANDS_IN_THE_WAY((wqe->wr.send_flags |= IB_SEND_FENCE, qp->s_num_rd_atomic = 1),
			  (wqe->wr.send_flags &= ~IB_SEND_FENCE, qp->s_num_rd_atomic = 0));
	STANDS_IN_THE_WAY((qp->s_flags &= ~(u32)RVT_S_UNLIMITED_CREDIT, qp->s_lsn = 0xfffff0),
			  qp->s_flags |= RVT_S_UNLIMITED_CREDIT);
	STANDS_IN_THE_WAY(wire.full = true, wire.full = false);
	assert_true(send_now(p));
	assert_int_equal(wire.taken, 1);
}

/* Responder */

static struct tp_small arriving(struct test_pair *p, u32 psn)
{
	return (struct tp_small){.dest_qpn = p->b.ib->qp_num,
				 .psn = {psn & 0xffffff},
				 .pkey = 0xffff,
				 .slid = p->host[0]->options.lid,
				 .dlid = p->host[1]->options.lid,
				 .opcode = PKT_RC_SEND_ONLY,
				 .ack_req = true,
				 .ack_here = true,
				 .bytes = "abcdefgh",
				 .count = 8};
}

static bool receive(struct test_pair *p, struct tp_small *small)
{
	bool taken;

	tp_batch_begin();
	taken = tp_receive_small(p->host[1]->port, small);
	tp_batch_end();
	return taken;
}

static void receive__bytes_completion_and_ack(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct rvt_qp *qp = ibqp_to_rvtqp(p->b.ib);
	struct tp_small small = arriving(p, FIRST_PSN);
	struct ib_wc wc;

	queue.gives = true;
	assert_true(receive(p, &small));
	assert_memory_equal(queue.bytes, "abcdefgh", 8);
	assert_int_equal(test_poll(p->b.recv_cq, &wc), 1);
	assert_int_equal(wc.wr_id, 77);
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_RECV);
	assert_int_equal(wc.byte_len, 8);
	assert_int_equal(wc.src_qp, p->a.ib->qp_num);
	assert_int_equal(wc.wc_flags, 0);
	assert_true(small.acked);
	assert_int_equal(small.aeth.msn.v, 1);
	assert_int_equal(wire.taken, 0); /* no packet */
	assert_int_equal(qp->r_psn, FIRST_PSN + 1);
	assert_int_equal(qp->r_msn, 1);
}

static void receive__an_ack_of_its_own(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct tp_small small = arriving(p, FIRST_PSN);

	queue.gives = true;
	small.ack_here = false;
	assert_true(receive(p, &small));
	assert_false(small.acked);
	assert_int_equal(wire.taken, 1);
	assert_int_equal(wire.last.opcode, PKT_RC_ACKNOWLEDGE);
	assert_int_equal(wire.last.psn.v, FIRST_PSN);
	assert_null(wire.sender);
	/* Where more follows, one for all: when the batch ends. */
	tp_batch_begin();
	for (u32 i = 1; i <= 3; i++) {
		small = arriving(p, FIRST_PSN + i);
		small.ack_here = false;
		small.more = true;
		assert_true(tp_receive_small(p->host[1]->port, &small));
	}
	assert_int_equal(wire.taken, 1);
	tp_batch_end();
	assert_int_equal(wire.taken, 2);
	assert_int_equal(wire.last.psn.v, (FIRST_PSN + 3) & 0xffffff);
}

static void receive__without_ack_or_with_immediate_data(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct tp_small small = arriving(p, FIRST_PSN);
	struct ib_wc wc;

	queue.gives = true;
	small.ack_req = false;
	small.opcode = PKT_RC_SEND_ONLY_IMM;
	small.immdt = 0x55;
	assert_true(receive(p, &small));
	assert_false(small.acked);
	assert_int_equal(wire.taken, 0);
	assert_int_equal(test_poll(p->b.recv_cq, &wc), 1);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_IMM);
	assert_int_equal(wc.ex.imm_data, 0x55);
}

/* Each thing that stands in the way, alone: nothing has changed, and nobody was asked for a receive. */
static void receive__is_left_to_the_responder(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct rvt_qp *qp = ibqp_to_rvtqp(p->b.ib);
	struct tp_qp *tq = tp_qp(qp);
	const struct tp_small good = arriving(p, FIRST_PSN);
	struct tp_small small = good;
	struct ib_wc wc;

	queue.gives = true;
#define IS_LEFT(set, reset)                                   \
	do {                                                  \
		small = good;                                 \
		set;                                          \
		assert_false(receive(p, &small));             \
		reset;                                        \
		assert_false(small.acked);                    \
		assert_int_equal(tq->resp.epsn.v, FIRST_PSN); \
		assert_int_equal(queue.asked, 0);             \
	} while (0)
	IS_LEFT(small.psn.v++, (void)0);
	IS_LEFT(small.psn.v--, (void)0);
	IS_LEFT(small.slid++, (void)0);
	IS_LEFT(small.pkey = 0x7001, (void)0);
	IS_LEFT(small.dest_qpn = 0x1000001, (void)0);
	IS_LEFT(small.dest_qpn = 0x777, (void)0);
	IS_LEFT(small.dest_qpn = 1, (void)0);
	IS_LEFT(small.count = 0, (void)0);
	IS_LEFT(tq->resp.pmtu_bytes = 4, tq->resp.pmtu_bytes = 1024);
	IS_LEFT(tq->resp.message = RC_MESSAGE_SEND, tq->resp.message = RC_MESSAGE_NONE);
	IS_LEFT(tq->resp.holds_rwqe = RC_MESSAGE_SEND, tq->resp.holds_rwqe = RC_MESSAGE_NONE);
	IS_LEFT(tq->resp.nak = 0x60, tq->resp.nak = 0);
	IS_LEFT(tq->starved = true, tq->starved = false);
	IS_LEFT(tq->path.has_grh = true, tq->path.has_grh = false);
	IS_LEFT(qp->s_mig_state = IB_MIG_REARM, qp->s_mig_state = IB_MIG_MIGRATED);
	IS_LEFT(qp->state = IB_QPS_RTR, qp->state = IB_QPS_RTS);
	IS_LEFT(qp->state = IB_QPS_ERR, qp->state = IB_QPS_RTS);
	small = good;
	queue.gives = false; /* no receive, or one that is not simple */
	assert_false(receive(p, &small));
	assert_int_equal(queue.asked, 1);
	assert_int_equal(tq->resp.epsn.v, FIRST_PSN);
	assert_int_equal(test_poll(p->b.recv_cq, &wc), 0);
	queue.gives = true;
	assert_true(receive(p, &small));
}

/* The first packet in RTR is an event, which is the general way's. */
static void receive__in_rtr(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct rvt_qp *qp = ibqp_to_rvtqp(p->b.ib);
	struct tp_small small = arriving(p, FIRST_PSN);

	queue.gives = true;
	qp->state = IB_QPS_RTR;
	qp->r_flags &= (u8)~RVT_R_COMM_EST;
	assert_false(receive(p, &small));
	qp->r_flags |= RVT_R_COMM_EST;
	assert_true(receive(p, &small));
	assert_true(small.acked);
	qp->state = IB_QPS_RTS;
}

/* A response that is due goes first; then the ACK is a packet, behind it. */
static void receive__a_response_is_due(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){0});
	struct rvt_qp *qp = ibqp_to_rvtqp(p->b.ib);
	struct tp_small small = arriving(p, FIRST_PSN);

	queue.gives = true;
	qp->s_flags |= RVT_S_WAIT_TX; /* why it is */
	qp->r_head_ack_queue = 1;
	assert_true(receive(p, &small));
	assert_false(small.acked);
	assert_int_equal(wire.taken, 0);
	assert_int_equal(tp_qp(qp)->answer, TP_ANSWER_ACK);
	qp->r_head_ack_queue = 0;
	qp->s_flags &= ~(u32)RVT_S_WAIT_TX;
}

/* Completer */

static void ack__completes(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){.signal_all = true});
	struct tp_small ack = {.dest_qpn = p->a.ib->qp_num,
			       .psn = {FIRST_PSN},
			       .pkey = 0xffff,
			       .slid = p->host[1]->options.lid,
			       .dlid = p->host[0]->options.lid,
			       .opcode = PKT_RC_ACKNOWLEDGE,
			       .aeth = {0x1f, {1}}};
	struct ib_wc wc;

	post(p, IB_WR_SEND, 8);
	post(p, IB_WR_SEND, 8);
	assert_true(send_now(p));
	tp_batch_begin();
	assert_true(tp_receive_small(p->host[0]->port, &ack));
	assert_false(tp_receive_small(p->host[0]->port, &ack)); /* again: for the completer */
	ack.psn.v = (FIRST_PSN + 5) & 0xffffff;
	assert_false(tp_receive_small(p->host[0]->port, &ack)); /* of what was not sent */
	ack.psn.v = FIRST_PSN + 1;
	ack.aeth.syndrome = 0x60;
	assert_false(tp_receive_small(p->host[0]->port, &ack)); /* a NAK */
	assert_int_equal(test_poll(p->a.send_cq, &wc), 1);
	assert_int_equal(test_poll(p->a.send_cq, &wc), 0);
	assert_true(
		tp_acked(p->host[0]->port, qp_a(p), ack.psn, &(struct pkt_aeth){0x1f, {2}}, false));
	tp_batch_end();
	assert_int_equal(test_poll(p->a.send_cq, &wc), 1);
	assert_int_equal(qp_a(p)->s_last, qp_a(p)->s_head);
	assert_false(qp_a(p)->s_flags & RVT_S_TIMER);
}

/* A READ's response may be on its way: an ACK of what is behind it must not overtake it. */
static void acked__not_before_a_response(void **state)
{
	struct test_pair *p = begin(state, (struct test_qp_options){.signal_all = true});
	const struct pkt_aeth aeth = {0x1f, {1}};
	struct rvt_qp *qp = qp_a(p);
	struct ib_wc wc;

	post(p, IB_WR_SEND, 8);
	assert_true(send_now(p));
	tp_batch_begin();
	qp->s_num_rd_atomic = 1;
	assert_false(tp_acked(p->host[0]->port, qp, psn(FIRST_PSN), &aeth, false));
	qp->s_num_rd_atomic = 0;
	qp->s_cur = 0; /* it is sent again */
	assert_false(tp_acked(p->host[0]->port, qp, psn(FIRST_PSN), &aeth, false));
	qp->s_cur = qp->s_tail;
	assert_int_equal(test_poll(p->a.send_cq, &wc), 0);
	assert_true(tp_acked(p->host[0]->port, qp, psn(FIRST_PSN), &aeth, true));
	tp_batch_end();
	assert_int_equal(test_poll(p->a.send_cq, &wc), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

static const struct CMUnitTest tests[] = {
	TEST(send__a_small_one_goes_at_once),
	TEST(send__all_that_are_due),
	TEST(send__immediate_data_and_solicited),
	TEST(send__is_left_to_the_engine),
	TEST(receive__bytes_completion_and_ack),
	TEST(receive__an_ack_of_its_own),
	TEST(receive__without_ack_or_with_immediate_data),
	TEST(receive__is_left_to_the_responder),
	TEST(receive__in_rtr),
	TEST(receive__a_response_is_due),
	TEST(ack__completes),
	TEST(acked__not_before_a_response),
};

int main(void)
{
	return verbena_test_main(tests);
}
