// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What the responder says, and in which order: responses, ACKs, NAKs, and a wire that is full. */
#include "common/test.h"

#include "common/test_host.h"
#include "transport/rc_resp.h"

#define FIRST_PSN 0x100u
#define PMTU 1024u

static char payload[4096];
static struct iovec payload_iov = {payload, sizeof(payload)};

/* b answers; what it says stays on the wire until the test looks. */
static struct test_pair *begin(void **state)
{
	const struct test_qp_options options = {.psn = FIRST_PSN};
	struct test_pair *p = *state;

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &options, &options), 0);
	return p;
}

static const char *said(struct test_pair *p)
{
	while (test_wire_drop(p->wire))
		;
	return test_wire_log(p->wire);
}

static void request(struct test_pair *p, uint8_t opcode, uint32_t at, uint32_t bytes, uint32_t rkey)
{
	struct tp_run run;

	test_pair_packet(&p->b, &p->a, opcode, at, &run);
	run.ack_req = true;
	if (pkt_op(opcode)->headers & PKT_DATA)
		run.payload = (struct tp_payload){.iov = &payload_iov, .count = 1, .bytes = bytes};
	if (pkt_op(opcode)->headers & PKT_RETH)
		run.reth = (struct pkt_reth){
			.va = (uintptr_t)p->host[1]->buffer, .rkey = rkey, .dma_bytes = bytes};
	if (pkt_op(opcode)->headers & PKT_ATOMICETH)
		run.atomiceth = (struct pkt_atomiceth){
			.va = (uintptr_t)p->host[1]->buffer, .rkey = rkey, .swap_add = 1};
	tp_receive(p->host[1]->port, &run);
}

static void good(struct test_pair *p, uint8_t opcode, uint32_t at, uint32_t bytes)
{
	request(p, opcode, at, bytes, p->host[1]->mr->rkey);
}

static void make_room(struct test_pair *p, uint32_t runs)
{
	p->wire->room = runs;
	tp_port_ready(p->host[1]->port);
}

/* [rcp 9.14, 9.15]: what was asked for before the request that kills goes out, and then the NAK. */
static void dead__still_owes_what_was_asked_before(void **state)
{
	struct test_pair *p = begin(state);

	p->wire->room = 0;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 5 * PMTU);
	good(p, PKT_RC_FETCH_ADD, FIRST_PSN + 5, 0);
	request(p, PKT_RC_WRITE_ONLY, FIRST_PSN + 6, 8, 0xbad00);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
	assert_string_equal(said(p), "");
	p->wire->most_packets = 2;
	make_room(p, 1);
	assert_string_equal(said(p), "READ_RESPONSE_FIRST..MIDDLE 000100+2 2048");
	p->wire->most_packets = 0;
	make_room(p, 8);
	assert_string_equal(said(p), "READ_RESPONSE_MIDDLE..LAST 000102+3 3072, "
				     "ATOMIC_ACKNOWLEDGE 000105, NAK62 000106");
	make_room(p, 8);
	assert_string_equal(said(p), "");
}

/* The same, as the requester sees it: each request has its own end. */
static void dead__requester_learns_all(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_wc wc;

	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_RDMA_READ,
								 .wr_id = 1,
								 .bytes = 3000,
								 .remote = p->host[1]}),
			 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_RDMA_WRITE,
								 .wr_id = 2,
								 .bytes = 8,
								 .remote = p->host[1],
								 .rkey = 0xbad00}),
			 0);
	p->wire->room = 0;
	assert_int_equal(test_wire_deliver(p->wire, 2), 2);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
	p->wire->hold = false;
	make_room(p, 8);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.status, IB_WC_REM_ACCESS_ERR);
}

/* [rcp 9.8]: a key that cannot be invalidated kills, but the message has arrived. */
static void dead__of_an_invalidation(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	assert_int_equal(test_post_recv(&p->b, 0, 0, 64), 0);
	p->wire->room = 0;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	test_pair_packet(&p->b, &p->a, PKT_RC_SEND_ONLY_INV, FIRST_PSN + 1, &run);
	run.ack_req = true;
	run.ieth = 0xbad00;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
	make_room(p, 8);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 8, ACK 000101");
}

/* [sm 7.6]: no room in the CQ kills without a NAK; who asked before has its response. */
static void dead__of_a_full_cq(void **state)
{
	const struct test_qp_options options = {.psn = FIRST_PSN, .cqe = 1};
	struct test_pair *p = *state;

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &options, &options), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(test_post_recv(&p->b, 0, 0, 64), 0);
	tp_batch_begin();
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 1, 8);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 2, 8);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
	tp_batch_end();
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000101 8, ACK 000100");
}

/* The dead hold nothing: a region may go, and its bytes are not sent any more. */
static void dead__does_not_keep_regions(void **state)
{
	struct test_pair *p = begin(state);

	p->wire->room = 0;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 1, 0);
	request(p, PKT_RC_WRITE_ONLY, FIRST_PSN + 2, 8, 0xbad00);
	make_room(p, 0); /* has a look at the region, and lets go of it */
	assert_int_equal(ib_dereg_mr(p->host[1]->mr), 0);
	p->host[1]->mr = NULL;
	make_room(p, 8);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000101 0, NAK62 000102");
}

/* Who kills the queue pair itself wants no more of it, and has it say no more than is acknowledged. */
static void dead__of_the_consumer_owes_no_responses(void **state)
{
	struct test_pair *p = begin(state);

	p->wire->room = 0;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	assert_int_equal(test_qp_to(&p->b, IB_QPS_ERR), 0);
	make_room(p, 8);
	assert_string_equal(said(p), "");
}

/* What a dead queue pair owes is forgotten with its connection. */
static void dead__and_born_again_owes_nothing(void **state)
{
	struct test_pair *p = begin(state);

	p->wire->room = 0;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	request(p, PKT_RC_WRITE_ONLY, FIRST_PSN + 1, 8, 0xbad00);
	assert_int_equal(test_qp_to(&p->a, IB_QPS_RESET), 0);
	assert_int_equal(test_qp_to(&p->b, IB_QPS_RESET), 0);
	assert_int_equal(test_qp_connect(&p->a, &p->b), 0);
	make_room(p, 8);
	assert_string_equal(said(p), "");
	p->wire->room = 0;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	assert_int_equal(test_qp_to(&p->b, IB_QPS_ERR), 0);
	make_room(p, 8);
	assert_string_equal(said(p), "");
}

static void (*quiesce)(struct tp_port *port, void *sender);

static void quiesce_then_look_again(struct tp_port *port, void *sender)
{
	struct test_wire *wire = port->wire;

	quiesce(port, sender);
	wire->room = 8;
	ib_to_rvt(((struct rvt_qp *)sender)->ibqp.device)->driver_f.schedule_send_no_lock(sender);
}

/* When the wire has been emptied of a queue pair, it says nothing more: it may be gone soon. */
static void reset__says_nothing(void **state)
{
	struct test_pair *p = begin(state);

	p->wire->room = 0;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	request(p, PKT_RC_WRITE_ONLY, FIRST_PSN + 1, 8, 0xbad00);
	quiesce = p->wire->ops.quiesce;
	p->wire->ops.quiesce = quiesce_then_look_again;
	assert_int_equal(test_qp_to(&p->b, IB_QPS_RESET), 0);
	assert_int_equal(p->wire->room, 8);
	assert_string_equal(said(p), "");
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(dead__still_owes_what_was_asked_before),
		T(dead__requester_learns_all),
		T(dead__of_an_invalidation),
		T(dead__of_a_full_cq),
		T(dead__does_not_keep_regions),
		T(dead__of_the_consumer_owes_no_responses),
		T(dead__and_born_again_owes_nothing),
		T(reset__says_nothing),
	};

	return verbena_test_main(tests);
}
