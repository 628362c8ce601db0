// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What the responder says, and in which order: responses, ACKs, NAKs, and a wire that is full. */
#include "common/test.h"

#include <errno.h>
#include <stdio.h>

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

/* The youngest run on the wire. */
static struct tp_run last_sent(struct test_pair *p)
{
	assert_true(p->wire->count > 0);
	return p->wire->queue[(p->wire->head + p->wire->count - 1) % TEST_WIRE_ROOM].run;
}

static void post_receives(struct test_pair *p, int count)
{
	for (int i = 0; i < count; i++)
		assert_int_equal(test_post_recv(&p->b, 0, 65536, 64), 0);
}

static void tp_run_begin__headers_of_the_connection(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	run = last_sent(p);
	assert_int_equal(run.path.slid, 2);
	assert_int_equal(run.path.dlid, 1);
	assert_false(run.path.has_grh);
	assert_int_equal(run.dest_qpn, p->a.ib->qp_num);
	assert_int_equal(run.pkey, 0xffff);
	assert_int_equal(run.pmtu_bytes, PMTU);
	assert_true(run.migrated);
	assert_false(run.solicited || run.ack_req || run.becn || run.why.id);
}

/* [rcp 9.13] */
static void tp_answer_ack__one_for_many(void **state)
{
	struct test_pair *p = begin(state);

	post_receives(p, 3);
	tp_batch_begin();
	for (uint32_t i = 0; i < 3; i++)
		good(p, PKT_RC_SEND_ONLY, FIRST_PSN + i, 8);
	tp_batch_end();
	assert_string_equal(said(p), "ACK 000102");
}

/* [rcp 9.3]: the NAK of what is missing acknowledges what was there. */
static void tp_answer_ack__gives_way_to_a_nak(void **state)
{
	struct test_pair *p = begin(state);

	post_receives(p, 2);
	tp_batch_begin();
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 2, 8);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8); /* a duplicate is acknowledged, but later */
	tp_batch_end();
	assert_string_equal(said(p), "NAK60 000101");
}

/* What was missing has come before the NAK was said. */
static void tp_answer_ack__of_what_was_refused(void **state)
{
	struct test_pair *p = begin(state);

	post_receives(p, 2);
	tp_batch_begin();
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 1, 8);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 1, 8);
	tp_batch_end();
	assert_string_equal(said(p), "ACK 000101");
}

/* The reason goes along, and names the queue pair that has it. */
static void tp_answer_nak__says_why(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	request(p, PKT_RC_WRITE_ONLY, FIRST_PSN, 8, 0xbad00);
	run = last_sent(p);
	assert_int_equal(run.aeth.syndrome, 0x62);
	assert_int_equal(run.why.side, BASE_SIDE_RESPONDER);
	assert_int_equal(run.why.peer_qpn, p->b.ib->qp_num);
	assert_true(run.why.id);
}

/* [rcp 6]: the receives that are left, and none where the queue is shared. */
static void aeth__credits(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_srq_init_attr attr = {.attr = {.max_wr = 4, .max_sge = 1}};
	struct ib_srq *srq = ib_create_srq(p->host[1]->pd, &attr);

	assert_false(IS_ERR(srq));
	post_receives(p, 3);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	assert_int_equal(last_sent(p).aeth.syndrome, 2);
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 1, 8);
	assert_int_equal(last_sent(p).aeth.syndrome, 2);
	good(p, PKT_RC_FETCH_ADD, FIRST_PSN + 2, 0);
	assert_int_equal(last_sent(p).aeth.syndrome, 2);
	test_qp_destroy(&p->a);
	test_qp_destroy(&p->b);
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){.psn = FIRST_PSN},
					   &(struct test_qp_options){.psn = FIRST_PSN, .srq = srq}),
			 0);
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	assert_int_equal(last_sent(p).aeth.syndrome, 0x1f);
	test_qp_destroy(&p->b);
	ib_destroy_srq(srq);
}

/* [rcp 5]: of a response its own message number, of an ACK that of the last message executed. */
static void aeth__message_numbers(void **state)
{
	struct test_pair *p = begin(state);

	post_receives(p, 1);
	tp_batch_begin();
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	good(p, PKT_RC_FETCH_ADD, FIRST_PSN + 1, 0);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 2, 8);
	tp_batch_end();
	assert_int_equal(p->wire->count, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(p->wire->queue[p->wire->head + i].run.aeth.msn.v, i + 1);
}

/* [rcp 9.14]: a response acknowledges all before it; what comes behind has an ACK of its own. */
static void response__acknowledges_what_was_before(void **state)
{
	struct test_pair *p = begin(state);

	post_receives(p, 3);
	tp_batch_begin();
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 1, 8);
	tp_batch_end();
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000101 8");
	tp_batch_begin();
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 2, 8);
	good(p, PKT_RC_FETCH_ADD, FIRST_PSN + 3, 0);
	tp_batch_end();
	assert_string_equal(said(p), "ATOMIC_ACKNOWLEDGE 000103");
	tp_batch_begin();
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 4, 2 * PMTU);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 6, 8);
	tp_batch_end();
	assert_string_equal(said(p), "READ_RESPONSE_FIRST..LAST 000104+2 2048, ACK 000106");
}

/* [rcp 4] */
static void response__opcodes(void **state)
{
	struct test_pair *p = begin(state);

	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 0);
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 1, PMTU);
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 2, PMTU + 1);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 0, READ_RESPONSE_ONLY 000101 1024, "
				     "READ_RESPONSE_FIRST..LAST 000102+2 1025");
	p->wire->most_packets = 1;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 4, 3 * PMTU);
	assert_string_equal(said(p), "READ_RESPONSE_FIRST 000104 1024, "
				     "READ_RESPONSE_MIDDLE 000105 1024, "
				     "READ_RESPONSE_LAST 000106 1024");
}

/* [rcp 9.1]: the rest of a READ, asked for again, is a response of its own. */
static void response__of_a_rest(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 4 * PMTU);
	said(p);
	for (uint32_t from = 2; from < 4; from++) {
		test_pair_packet(&p->b, &p->a, PKT_RC_READ_REQUEST, FIRST_PSN + from, &run);
		run.reth = (struct pkt_reth){.va = (uintptr_t)p->host[1]->buffer + from * PMTU,
					     .rkey = p->host[1]->mr->rkey,
					     .dma_bytes = (4 - from) * PMTU};
		tp_receive(p->host[1]->port, &run);
		run = last_sent(p);
		assert_int_equal(run.payload.offset, from * PMTU);
		assert_ptr_equal(run.payload.iov->iov_base, p->host[1]->buffer);
	}
	assert_string_equal(said(p), "READ_RESPONSE_FIRST..LAST 000102+2 2048, "
				     "READ_RESPONSE_ONLY 000103 1024");
}

/* One after the other, as the wire has room. */
static void response__wire_is_full(void **state)
{
	struct test_pair *p = begin(state);

	post_receives(p, 1);
	p->wire->room = 0;
	good(p, PKT_RC_FETCH_ADD, FIRST_PSN, 0);
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN + 1, 8);
	good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 2, 8);
	make_room(p, 1);
	assert_string_equal(said(p), "ATOMIC_ACKNOWLEDGE 000100");
	make_room(p, 1);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000101 8");
	make_room(p, 1);
	assert_string_equal(said(p), "ACK 000102");
	make_room(p, 1);
	assert_string_equal(said(p), "");
}

/* A response that the wire loses at once was said, too; the requester asks again. */
static void response__wire_cannot_send(void **state)
{
	struct test_pair *p = begin(state);
	uint64_t *word = (uint64_t *)(void *)p->host[1]->buffer;

	p->wire->error = -EMSGSIZE;
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	good(p, PKT_RC_FETCH_ADD, FIRST_PSN + 1, 0);
	p->wire->error = 0;
	tp_port_ready(p->host[1]->port);
	assert_string_equal(said(p), "");
	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	good(p, PKT_RC_FETCH_ADD, FIRST_PSN + 1, 0);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 8, ATOMIC_ACKNOWLEDGE 000101");
	assert_int_equal(*word, 1);
}

static int (*wire_send)(struct tp_port *port, const struct tp_run *run, void *sender);

static int lose_responses(struct tp_port *port, const struct tp_run *run, void *sender)
{
	if (pkt_op(run->first_opcode)->kind != PKT_KIND_ACK)
		return -EMSGSIZE;
	return wire_send(port, run, sender);
}

/* And it has acknowledged nothing. */
static void response__lost_at_once_acknowledges_nothing(void **state)
{
	static const uint8_t opcodes[] = {PKT_RC_READ_REQUEST, PKT_RC_FETCH_ADD};
	struct test_pair *p = begin(state);

	post_receives(p, 2);
	wire_send = p->wire->ops.send;
	p->wire->ops.send = lose_responses;
	for (uint32_t i = 0; i < 2; i++) {
		tp_batch_begin();
		good(p, PKT_RC_SEND_ONLY, FIRST_PSN + 2 * i, 8);
		good(p, opcodes[i], FIRST_PSN + 2 * i + 1, 8);
		tp_batch_end();
		assert_string_equal(said(p), i ? "ACK 000102" : "ACK 000100");
	}
}

/* When a response is on the wire, its region may go, and nobody dies of that. */
static void response__lets_go_of_its_region(void **state)
{
	struct test_pair *p = begin(state);

	good(p, PKT_RC_READ_REQUEST, FIRST_PSN, 8);
	said(p);
	assert_int_equal(ib_dereg_mr(p->host[1]->mr), 0);
	p->host[1]->mr = NULL;
	assert_int_equal(test_qp_state(&p->b), IB_QPS_RTS);
}

/* Slots go round. */
static void tp_next_slot__goes_round(void **state)
{
	struct test_pair *p = begin(state);
	char expected[64];

	for (uint32_t i = 0; i < 100; i++) {
		good(p, i % 3 ? PKT_RC_READ_REQUEST : PKT_RC_FETCH_ADD, FIRST_PSN + i, 8);
		snprintf(expected, sizeof(expected), "%s %06x%s",
			 i % 3 ? "READ_RESPONSE_ONLY" : "ATOMIC_ACKNOWLEDGE", FIRST_PSN + i,
			 i % 3 ? " 8" : "");
		assert_string_equal(said(p), expected);
	}
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
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000101 8");
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
		T(tp_run_begin__headers_of_the_connection),
		T(tp_answer_ack__one_for_many),
		T(tp_answer_ack__gives_way_to_a_nak),
		T(tp_answer_ack__of_what_was_refused),
		T(tp_answer_nak__says_why),
		T(aeth__credits),
		T(aeth__message_numbers),
		T(response__acknowledges_what_was_before),
		T(response__opcodes),
		T(response__of_a_rest),
		T(response__wire_is_full),
		T(response__wire_cannot_send),
		T(response__lost_at_once_acknowledges_nothing),
		T(response__lets_go_of_its_region),
		T(tp_next_slot__goes_round),
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
