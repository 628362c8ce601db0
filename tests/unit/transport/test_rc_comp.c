// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The RC completer: what each response does to the requests that are outstanding. */
#include "common/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/host.h"
#include "common/test_host.h"
#include "packet/aeth.h"

#define FIRST_PSN 0xfffffeu
#define MS 1000000ull

static char data[8192];
static struct iovec data_iov = {data, sizeof(data)};

static struct test_pair *begin(void **state, const struct test_qp_options *a)
{
	struct test_pair *p = *state;
	struct test_qp_options options = *a;

	options.psn = FIRST_PSN;
	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &options, &(struct test_qp_options){0}), 0);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 3 + i / 256);
	return p;
}

static const char *sent(struct test_pair *p)
{
	while (test_wire_drop(p->wire))
		;
	return test_wire_log(p->wire);
}

static void post(struct test_pair *p, u64 wr_id, enum ib_wr_opcode opcode, uint32_t bytes)
{
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.wr_id = wr_id,
								 .opcode = opcode,
								 .bytes = bytes,
								 .remote = p->host[1]}),
			 0);
}

static void answer(struct test_pair *p, uint32_t at, uint8_t syndrome)
{
	struct tp_run run;

	test_pair_packet(&p->a, &p->b, PKT_RC_ACKNOWLEDGE, at & 0xffffff, &run);
	run.aeth = (struct pkt_aeth){.syndrome = syndrome};
	tp_receive(p->host[0]->port, &run);
}

/* READ response packets with the bytes of @data that belong there. */
static void respond(struct test_pair *p, uint8_t first, uint8_t last, uint32_t at, uint32_t packets,
		    uint32_t skip, uint32_t bytes)
{
	struct tp_run run;

	test_pair_packet(&p->a, &p->b, first, at & 0xffffff, &run);
	run.last_opcode = last;
	run.packets = packets;
	run.pmtu_bytes = packets > 1 ? 1024 : 0;
	run.aeth.syndrome = 0x1f;
	run.payload =
		(struct tp_payload){.iov = &data_iov, .count = 1, .offset = skip, .bytes = bytes};
	tp_receive(p->host[0]->port, &run);
}

static void respond_atomic(struct test_pair *p, uint32_t at, uint64_t original)
{
	struct tp_run run;

	test_pair_packet(&p->a, &p->b, PKT_RC_ATOMIC_ACKNOWLEDGE, at & 0xffffff, &run);
	run.aeth.syndrome = 0x1f;
	run.atomicacketh.original = original;
	tp_receive(p->host[0]->port, &run);
}

/* What completed: "1 2:12" is request 1 with success, request 2 with status 12. */
static const char *completed(struct test_pair *p)
{
	static char text[256];
	size_t used = 0;
	struct ib_wc wc;

	text[0] = 0;
	while (test_poll(p->a.send_cq, &wc)) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, used ? " %u" : "%u",
					 (unsigned int)wc.wr_id);
		if (wc.status)
			used += (size_t)snprintf(text + used, sizeof(text) - used, ":%u",
						 (unsigned int)wc.status);
	}
	return text;
}

static const struct base_cause *cause(struct test_pair *p)
{
	return &ibqp_to_rvtqp(p->a.ib)->first_cause;
}

/* [rcp 8.4, 5]: an ACK counts for all before it, and in part for the one that it ends in. */
static void ack__completes_in_order(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	for (u64 i = 1; i <= 4; i++)
		post(p, i, IB_WR_RDMA_WRITE, 3000);
	answer(p, FIRST_PSN + 4, 0x1f);
	assert_string_equal(completed(p), "1");
	answer(p, FIRST_PSN + 5, 0x1f);
	assert_string_equal(completed(p), "2");
	answer(p, FIRST_PSN + 5, 0x1f); /* again */
	answer(p, FIRST_PSN + 2, 0x1f); /* old */
	assert_string_equal(completed(p), "");
	answer(p, FIRST_PSN + 11, 0x1f);
	assert_string_equal(completed(p), "3 4");
}

/* [rcp 8.3]: what was not sent cannot be acknowledged. */
static void ack__of_what_was_not_sent_is_dropped(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	answer(p, FIRST_PSN, 0x1f);
	post(p, 1, IB_WR_RDMA_WRITE, 8);
	answer(p, FIRST_PSN + 1, 0x1f);
	answer(p, FIRST_PSN + 0x700000, 0x1f);
	assert_string_equal(completed(p), "");
	assert_int_equal(p->host[0]->ibp.n_pkt_drops, 3);
	answer(p, FIRST_PSN, 0x1f);
	assert_string_equal(completed(p), "1");
}

/* [rcp 8.12] */
static void ack__unsignalled_requests_complete_in_silence(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	const struct ib_rdma_wr wr = {.wr = {.opcode = IB_WR_RDMA_WRITE}};

	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0);
	post(p, 2, IB_WR_RDMA_WRITE, 8);
	answer(p, FIRST_PSN + 1, 0x1f);
	assert_string_equal(completed(p), "2");
}

/* [rcp 8.5]: an ACK for what is being sent again spares the rest of it. */
static void ack__while_sending_again(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_WRITE, 5000);
	post(p, 2, IB_WR_RDMA_WRITE, 8);
	sent(p);
	p->wire->room = 0;
	answer(p, FIRST_PSN, 0x60); /* all again, but the wire is full */
	answer(p, FIRST_PSN + 2, 0x1f);
	p->wire->room = 9;
	tp_port_ready(p->host[0]->port);
	assert_string_equal(sent(p), "WRITE_MIDDLE..LAST 000001+2 1928A, WRITE_ONLY 000003 8A");
	p->wire->room = 0;
	answer(p, FIRST_PSN + 3, 0x60);
	answer(p, FIRST_PSN + 5, 0x1f); /* all of it had arrived */
	p->wire->room = 9;
	tp_port_ready(p->host[0]->port);
	assert_string_equal(sent(p), "");
	assert_string_equal(completed(p), "1 2");
}

/* [rcp 8.6]: in one run, in several, and with a FIRST in the middle. */
static void read__responses_in_runs(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_READ, 5000);
	post(p, 2, IB_WR_RDMA_READ, 5000);
	post(p, 3, IB_WR_RDMA_READ, 0);
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, FIRST_PSN, 5, 0, 5000);
	assert_memory_equal(p->host[0]->buffer, data, 5000);
	assert_string_equal(completed(p), "1");
	memset(p->host[0]->buffer, 0, 5000);
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_FIRST, FIRST_PSN + 5, 1, 0,
		1024);
	respond(p, PKT_RC_READ_RESPONSE_MIDDLE, PKT_RC_READ_RESPONSE_MIDDLE, FIRST_PSN + 6, 2, 1024,
		2048);
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, FIRST_PSN + 8, 2, 3072,
		1928);
	assert_memory_equal(p->host[0]->buffer, data, 5000);
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN + 10, 1, 0, 0);
	assert_string_equal(completed(p), "2 3");
}

/* [rcp 8.3]: packets of a run that are here already are not stored again. */
static void read__front_part_is_old(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_READ, 5000);
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_MIDDLE, FIRST_PSN, 2, 0, 2048);
	p->host[0]->buffer[0] ^= 1;
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, FIRST_PSN, 5, 0, 5000);
	assert_string_equal(completed(p), "1");
	p->host[0]->buffer[0] ^= 1;
	assert_memory_equal(p->host[0]->buffer, data, 5000);
}

/* [rcp 8.6]: a response tells that all before the READ has arrived. */
static void read__response_acknowledges_what_is_before(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_WRITE, 3000);
	post(p, 2, IB_WR_RDMA_READ, 8);
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN + 3, 1, 0, 8);
	assert_string_equal(completed(p), "1 2");
}

/* An atomic write is answered as a READ of no bytes, and by nothing else. */
static void atomic_write__answer(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	char before[8];

	post(p, 1, IB_WR_ATOMIC_WRITE, 8);
	post(p, 2, IB_WR_ATOMIC_WRITE, 8);
	memcpy(before, p->host[0]->buffer, sizeof(before));
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN, 1, 0, 0);
	assert_string_equal(completed(p), "1");
	assert_memory_equal(p->host[0]->buffer, before, sizeof(before));
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN + 1, 1, 0, 8);
	assert_string_equal(completed(p), "2:1");
}

static void atomic_write__answer_of_another_kind(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_ATOMIC_WRITE, 8);
	respond_atomic(p, FIRST_PSN, 7);
	assert_string_equal(completed(p), "1:7");
}

/* Answered as a READ of no bytes, in its turn. */
static void flush__answer(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	const struct test_wr flush = {.opcode = IB_WR_FLUSH,
				      .wr_id = 2,
				      .remote = p->host[1],
				      .bytes = 4096,
				      .type = IB_FLUSH_GLOBAL};

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	assert_int_equal(test_post_send(&p->a, &flush), 0);
	post(p, 3, IB_WR_RDMA_WRITE, 8);
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN + 1, 1, 0, 0);
	assert_string_equal(completed(p), "1 2");
}

static void flush__survives_a_lost_answer(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	const struct test_wr flush = {.opcode = IB_WR_FLUSH,
				      .wr_id = 1,
				      .remote = p->host[1],
				      .bytes = 4096,
				      .type = IB_FLUSH_GLOBAL};
	struct ib_wc wc;

	assert_int_equal(test_post_send(&p->a, &flush), 0);
	assert_int_equal(test_wire_deliver(p->wire, 1), 1);
	sent(p);
	p->wire->hold = false;
	test_turn(200 * MS);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_int_equal(wc.opcode, IB_WC_FLUSH);
}

/* From one host to the other, the answer lost once: stored, and not stored again. */
static void atomic_write__survives_a_lost_answer(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	uint64_t *word = (uint64_t *)(void *)p->host[1]->buffer;

	memcpy(p->host[0]->buffer, "12345678", 8);
	post(p, 1, IB_WR_ATOMIC_WRITE, 8);
	assert_int_equal(test_wire_deliver(p->wire, 1), 1);
	assert_memory_equal(word, "12345678", 8);
	*word = 5;
	sent(p);
	p->wire->hold = false;
	test_turn(200 * MS);
	assert_string_equal(completed(p), "1");
	assert_int_equal(*word, 5);
}

/* [rcp 8.6]: a gap restarts once, and all else is ignored until it is filled. */
static void read__gap(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_READ, 5000);
	post(p, 2, IB_WR_RDMA_WRITE, 8);
	sent(p);
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_FIRST, FIRST_PSN, 1, 0, 1024);
	respond(p, PKT_RC_READ_RESPONSE_MIDDLE, PKT_RC_READ_RESPONSE_MIDDLE, FIRST_PSN + 2, 1, 2048,
		1024);
	assert_string_equal(sent(p), "READ_REQUEST ffffff 3976A, WRITE_ONLY 000003 8A");
	respond(p, PKT_RC_READ_RESPONSE_LAST, PKT_RC_READ_RESPONSE_LAST, FIRST_PSN + 4, 1, 4096,
		904);
	answer(p, FIRST_PSN + 5, 0x1f);
	assert_string_equal(sent(p), "");
	assert_string_equal(completed(p), "");
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, FIRST_PSN + 1, 4, 1024,
		3976);
	assert_string_equal(completed(p), "1");
	answer(p, FIRST_PSN + 5, 0x1f);
	assert_string_equal(completed(p), "2");
	assert_int_equal(p->host[0]->ibp.n_rdma_seq, 1);
}

/* [rcp 8.4]: an ACK beyond a READ or an atomic tells that its response was lost. */
static void read__ack_overtakes_its_response(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	post(p, 2, IB_WR_ATOMIC_FETCH_AND_ADD, 8);
	post(p, 3, IB_WR_RDMA_WRITE, 9);
	sent(p);
	answer(p, FIRST_PSN + 2, 0x1f);
	assert_string_equal(completed(p), "1");
	assert_string_equal(sent(p), "FETCH_ADD ffffffA, WRITE_ONLY 000000 9A");
	answer(p, FIRST_PSN + 2, 0x1f); /* not listened to any more */
	assert_string_equal(sent(p), "");
	respond_atomic(p, FIRST_PSN + 1, 5);
	answer(p, FIRST_PSN + 2, 0x1f);
	assert_string_equal(completed(p), "2 3");
}

/* [rcp 8.6]: each wrong length. */
static void read__wrong_length(void **state)
{
	static const struct {
		uint8_t first, last;
		uint32_t packets, bytes;
	} rows[] = {
		{PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, 1, 1024},
		{PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_FIRST, 1, 1023},
		{PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_MIDDLE, 3, 3072},
		{PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, 3, 2499},
		{PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, 3, 2501},
		{PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, 2, 2000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct test_pair *p = begin(state, &(struct test_qp_options){0});

		post(p, 1, IB_WR_RDMA_READ, 2500);
		respond(p, rows[i].first, rows[i].last, FIRST_PSN, rows[i].packets, 0,
			rows[i].bytes);
		assert_string_equal(completed(p), "1:1"); /* IB_WC_LOC_LEN_ERR */
		assert_int_equal(cause(p)->id, BASE_CAUSE_REQ_READ_LENGTH);
		assert_int_equal(test_qp_state(&p->a), IB_QPS_ERR);
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

static void read__run_with_another_mtu(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.mtu = IB_MTU_512});

	post(p, 1, IB_WR_RDMA_READ, 2000);
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, FIRST_PSN, 2, 0, 2000);
	assert_string_equal(completed(p), "1:1");
}

/* [rcp 8.6]: a response of another kind than the request's. */
static void response__of_the_wrong_kind(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN, 1, 0, 8);
	assert_string_equal(completed(p), "1:7"); /* IB_WC_BAD_RESP_ERR */
	assert_int_equal(cause(p)->id, BASE_CAUSE_REQ_BAD_RESPONSE);
	test_qp_destroy(&p->a);
	test_qp_destroy(&p->b);
	p = begin(state, &(struct test_qp_options){0});
	post(p, 1, IB_WR_RDMA_READ, 8);
	respond_atomic(p, FIRST_PSN, 1);
	assert_string_equal(completed(p), "1:7");
	test_qp_destroy(&p->a);
	test_qp_destroy(&p->b);
	p = begin(state, &(struct test_qp_options){0});
	post(p, 1, IB_WR_ATOMIC_FETCH_AND_ADD, 8);
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN, 1, 0, 8);
	assert_string_equal(completed(p), "1:7");
	test_qp_destroy(&p->a);
	test_qp_destroy(&p->b);
	p = begin(state, &(struct test_qp_options){0});
	post(p, 1, IB_WR_RDMA_READ, 1024);
	post(p, 2, IB_WR_RDMA_READ, 1024);
	respond(p, PKT_RC_READ_RESPONSE_FIRST, PKT_RC_READ_RESPONSE_LAST, FIRST_PSN, 2, 0, 2048);
	assert_string_equal(completed(p), "1:7 2:5"); /* one run for two READs */
}

/* The memory that a READ brings bytes to, or that they come from, is not mapped any more. */
static void read__memory_is_not_mapped(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	char *page;
	struct ib_mr *mr = test_unmapped_mr(p->host[0], IB_ACCESS_LOCAL_WRITE, &page);
	struct ib_sge sge = {(uintptr_t)page, 8, mr->lkey};
	const struct ib_rdma_wr wr = {
		.wr = {.wr_id = 1, .opcode = IB_WR_RDMA_READ, .sg_list = &sge, .num_sge = 1}};
	struct iovec gone = {page, 8};
	struct tp_run run;

	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0);
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN, 1, 0, 8);
	assert_string_equal(completed(p), "1:4"); /* IB_WC_LOC_PROT_ERR */
	assert_int_equal(cause(p)->id, BASE_CAUSE_REQ_MEMORY_UNMAPPED);
	test_qp_destroy(&p->a);
	test_qp_destroy(&p->b);
	ib_dereg_mr(mr);
	p = begin(state, &(struct test_qp_options){0});
	post(p, 1, IB_WR_RDMA_READ, 8);
	test_pair_packet(&p->a, &p->b, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN, &run);
	run.payload = (struct tp_payload){.iov = &gone, .count = 1, .bytes = 8};
	tp_receive(p->host[0]->port, &run);
	assert_string_equal(completed(p), "1:10"); /* IB_WC_REM_ACCESS_ERR */
	assert_int_equal(cause(p)->id, BASE_CAUSE_REQ_SOURCE_UNMAPPED);
}

/* An atomic's result goes over SGEs like all else. */
static void atomic__result_in_two_sges(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	char *to = p->host[0]->buffer;
	struct ib_sge sge[2] = {{(uintptr_t)to, 8, p->host[0]->mr->lkey}};
	const struct ib_atomic_wr wr = {.wr = {.wr_id = 1,
					       .opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
					       .sg_list = sge,
					       .num_sge = 1}};
	const uint64_t value = 0x0102030405060708;

	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0);
	respond_atomic(p, FIRST_PSN, value);
	assert_memory_equal(to, &value, 8);
}

/* From half the circle away nothing is new, whichever side one looks from [rcp 8.3]. */
static void ack__of_half_the_circle_away(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_SEND, 10);
	assert_string_equal(sent(p), "SEND_ONLY fffffe 10A");
	for (uint32_t at = FIRST_PSN + 0x7ffff0; at != FIRST_PSN + 0x800010; at++)
		answer(p, at, 0x1f);
	assert_string_equal(completed(p), "");
	answer(p, FIRST_PSN, 0x1f);
	assert_string_equal(completed(p), "1");
}

/* [rcp 5, 8.7] [sm 7.3]: each fatal NAK, and what is flushed behind it. */
static void nak__fatal_table(void **state)
{
	static const struct {
		uint8_t syndrome;
		enum ib_wc_status status;
	} rows[] = {
		{0x61, IB_WC_REM_INV_REQ_ERR},
		{0x62, IB_WC_REM_ACCESS_ERR},
		{0x63, IB_WC_REM_OP_ERR},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct test_pair *p = begin(state, &(struct test_qp_options){0});
		char expected[32];

		for (u64 n = 1; n <= 3; n++)
			post(p, n, IB_WR_RDMA_WRITE, 3000);
		answer(p, FIRST_PSN + 4, rows[i].syndrome);
		snprintf(expected, sizeof(expected), "1 2:%u 3:5", (unsigned int)rows[i].status);
		assert_string_equal(completed(p), expected);
		assert_int_equal(test_qp_state(&p->a), IB_QPS_ERR);
		assert_int_equal(cause(p)->id, BASE_CAUSE_REQ_NAK);
		assert_int_equal(cause(p)->arg[1], rows[i].syndrome);
		assert_int_equal(cause(p)->wr_id, 2);
		assert_int_equal(cause(p)->status, rows[i].status);
		assert_int_equal(p->host[0]->ibp.n_other_naks, i + 1);
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

/* The peer's reason becomes ours, and stays its finding. */
static void nak__brings_the_peers_reason(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct tp_run run;
	struct ib_wc wc;

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	test_pair_packet(&p->a, &p->b, PKT_RC_ACKNOWLEDGE, FIRST_PSN, &run);
	run.aeth.syndrome = 0x62;
	run.why = (struct base_cause){.id = BASE_CAUSE_RESP_RKEY,
				      .side = BASE_SIDE_RESPONDER,
				      .qpn = 0x777, /* its own */
				      .arg = {1, 2, 3, 4}};
	tp_receive(p->host[0]->port, &run);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_REM_ACCESS_ERR);
	assert_int_equal(wc.vendor_err, BASE_CAUSE_RESP_RKEY);
	assert_int_equal(cause(p)->side, BASE_SIDE_RESPONDER);
	assert_int_equal(cause(p)->arg[3], 4);
	assert_int_equal(cause(p)->qpn, p->a.ib->qp_num);
	assert_int_equal(cause(p)->peer_qpn, p->b.ib->qp_num);
}

/* Our memory, found missing over there: it is we who failed. */
static void nak__for_memory_of_ours(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct tp_run run;

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	test_pair_packet(&p->a, &p->b, PKT_RC_ACKNOWLEDGE, FIRST_PSN, &run);
	run.aeth.syndrome = 0x63;
	run.why = (struct base_cause){.id = BASE_CAUSE_REQ_MEMORY_UNMAPPED};
	tp_receive(p->host[0]->port, &run);
	assert_string_equal(completed(p), "1:4"); /* IB_WC_LOC_PROT_ERR */
}

/* [rcp 5]: reserved syndromes mean nothing. */
static void nak__reserved_syndromes_are_ignored(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	static const uint8_t syndromes[] = {0x40, 0x5f, 0x64, 0x65, 0x7f, 0x80, 0xff};

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	sent(p);
	for (size_t i = 0; i < sizeof(syndromes); i++)
		answer(p, FIRST_PSN, syndromes[i]);
	assert_string_equal(completed(p), "");
	assert_string_equal(sent(p), "");
	assert_int_equal(test_qp_state(&p->a), IB_QPS_RTS);
}

/* [rcp 8.4]: before a READ whose response is missing, nothing can be refused. */
static void nak__behind_a_lost_response(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_READ, 8);
	post(p, 2, IB_WR_RDMA_WRITE, 8);
	sent(p);
	answer(p, FIRST_PSN + 1, 0x62);
	assert_string_equal(completed(p), "");
	assert_string_equal(sent(p), "READ_REQUEST fffffe 8A, WRITE_ONLY ffffff 8A");
	respond(p, PKT_RC_READ_RESPONSE_ONLY, PKT_RC_READ_RESPONSE_ONLY, FIRST_PSN, 1, 0, 8);
	answer(p, FIRST_PSN + 1, 0x20); /* an RNR NAK is a NAK, too */
	answer(p, FIRST_PSN + 1, 0x62);
	assert_string_equal(completed(p), "1 2:10");
}

/* [rcp 8.7, 8.9]: retry_cnt restarts without progress; progress counts anew. */
static void nak__sequence_retries(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.retry_cnt = 2});

	post(p, 1, IB_WR_RDMA_WRITE, 3000);
	for (int i = 0; i < 2; i++)
		answer(p, FIRST_PSN, 0x60);
	answer(p, FIRST_PSN + 1, 0x60); /* the first packet has arrived */
	answer(p, FIRST_PSN + 1, 0x60);
	assert_string_equal(completed(p), "");
	answer(p, FIRST_PSN + 1, 0x60);
	assert_string_equal(completed(p), "1:12"); /* IB_WC_RETRY_EXC_ERR */
	assert_int_equal(cause(p)->id, BASE_CAUSE_REQ_RETRY_SEQUENCE);
	assert_int_equal(cause(p)->arg[1], 2);
}

/* [rcp 8.8, 8.9, 7]: 7 is seven. */
static void timeout__retries_are_used_up(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.timeout = 10});

	test_wire_set_copies(p->wire, true);
	post(p, 1, IB_WR_RDMA_WRITE, 8);
	post(p, 2, IB_WR_SEND, 8);
	test_turn(31 * MS);
	assert_string_equal(completed(p), "");
	test_turn(5 * MS);
	assert_string_equal(completed(p), "1:12 2:5");
	assert_int_equal(cause(p)->id, BASE_CAUSE_REQ_RETRY_TIMEOUT);
	assert_int_equal(cause(p)->arg[0], FIRST_PSN);
	assert_int_equal(cause(p)->arg[1], 7);
	assert_int_equal(cause(p)->arg[2], 10);
	assert_int_equal(cause(p)->arg[3], 4194);
	assert_int_equal(p->host[0]->ibp.n_rc_timeouts, 8);
	assert_string_equal(sent(p), "WRITE_ONLY fffffe 8A, SEND_ONLY ffffff 8A, "
				     "WRITE_ONLY fffffe 8A, WRITE_ONLY fffffe 8A, "
				     "WRITE_ONLY fffffe 8A, WRITE_ONLY fffffe 8A, "
				     "WRITE_ONLY fffffe 8A, WRITE_ONLY fffffe 8A, "
				     "WRITE_ONLY fffffe 8A");
}

static void timeout__without_retries(void **state)
{
	struct test_pair *p =
		begin(state, &(struct test_qp_options){.timeout = 10, .retry_cnt = 8});

	test_wire_set_copies(p->wire, true);
	post(p, 1, IB_WR_RDMA_WRITE, 8);
	test_turn(5 * MS);
	assert_string_equal(completed(p), "1:12");
}

/* [rcp 7]: nobody can acknowledge what a slow wire has not sent yet. */
static void timeout__not_of_what_the_wire_holds(void **state)
{
	struct test_pair *p =
		begin(state, &(struct test_qp_options){.timeout = 10, .retry_cnt = 8});

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	test_turn(50 * MS);
	assert_string_equal(completed(p), "");
	assert_string_equal(sent(p), "WRITE_ONLY fffffe 8A");
	test_turn(10 * MS);
	assert_string_equal(completed(p), "1:12");
}

/* [rcp 8.10]: wait, then from there on; the ACK timer is silent meanwhile. */
static void rnr__waits_and_sends_again(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.timeout = 8});

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	post(p, 2, IB_WR_SEND, 3000);
	sent(p);
	answer(p, FIRST_PSN + 2, 0x20 | 20); /* 10.24 ms */
	assert_string_equal(completed(p), "1");
	answer(p, FIRST_PSN + 2, 0x20 | 1); /* not listened to while waiting */
	test_turn(10 * MS);
	assert_string_equal(sent(p), "");
	test_turn(MS / 2);
	assert_string_equal(sent(p), "SEND_MIDDLE..LAST 000000+2 1976A");
	assert_int_equal(p->host[0]->ibp.n_rnr_naks, 1);
	answer(p, FIRST_PSN + 3, 0x1f);
	assert_string_equal(completed(p), "2");
}

/* Progress while the RNR timer runs does not start the ACK timer. */
static void rnr__ack_while_waiting(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.timeout = 10});

	post(p, 1, IB_WR_RDMA_WRITE, 3000);
	sent(p);
	answer(p, FIRST_PSN, 0x20 | 20);
	answer(p, FIRST_PSN + 1, 0x1f);
	test_turn(10 * MS);
	assert_string_equal(sent(p), "");
	test_turn(MS / 4);
	assert_string_equal(sent(p), "WRITE_LAST 000000 952A");
}

/* [rcp 8.10] */
static void rnr__retries_are_used_up(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rnr_retry = 2});

	post(p, 1, IB_WR_SEND, 8);
	for (int i = 0; i < 2; i++) {
		answer(p, FIRST_PSN, 0x20 | 1);
		test_turn(MS);
	}
	assert_string_equal(sent(p),
			    "SEND_ONLY fffffe 8A, SEND_ONLY fffffe 8A, SEND_ONLY fffffe 8A");
	answer(p, FIRST_PSN, 0x20 | 1);
	assert_string_equal(completed(p), "1:13"); /* IB_WC_RNR_RETRY_EXC_ERR */
	assert_int_equal(cause(p)->id, BASE_CAUSE_REQ_RNR_RETRY);
	assert_int_equal(cause(p)->arg[1], 2);
	assert_int_equal(cause(p)->arg[2], 1);
}

static void rnr__without_retries(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rnr_retry = 8});

	post(p, 1, IB_WR_SEND, 8);
	answer(p, FIRST_PSN, 0x20 | 1);
	assert_string_equal(completed(p), "1:13");
}

/* [rcp 8.10]: 7 is for ever. */
static void rnr__for_ever(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rnr_retry = 7});

	post(p, 1, IB_WR_SEND, 8);
	for (int i = 0; i < 100; i++) {
		answer(p, FIRST_PSN, 0x20 | 1);
		test_turn(MS);
	}
	answer(p, FIRST_PSN, 0x1f);
	assert_string_equal(completed(p), "1");
}

/* [sm 7.2]: requests posted to a dead queue pair flush, and nobody answers for it. */
static void err__flushes_and_ignores_responses(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	assert_int_equal(test_qp_to(&p->a, IB_QPS_ERR), 0);
	test_turn(0);
	assert_string_equal(completed(p), "1:5");
	answer(p, FIRST_PSN, 0x1f);
	post(p, 2, IB_WR_RDMA_WRITE, 8);
	assert_string_equal(completed(p), "2:5");
	assert_int_equal(p->host[0]->ibp.n_pkt_drops, 1);
}

/* [sm 7.6]: a CQ without room ends the queue pair. */
static void complete__no_room_in_the_cq(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.cqe = 1});

	post(p, 1, IB_WR_RDMA_WRITE, 8);
	post(p, 2, IB_WR_RDMA_WRITE, 8);
	answer(p, FIRST_PSN + 1, 0x1f);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_ERR);
	assert_string_equal(completed(p), "1");
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(ack__completes_in_order),
		T(ack__of_what_was_not_sent_is_dropped),
		T(ack__unsignalled_requests_complete_in_silence),
		T(ack__while_sending_again),
		T(read__responses_in_runs),
		T(read__front_part_is_old),
		T(read__response_acknowledges_what_is_before),
		T(atomic_write__answer),
		T(atomic_write__answer_of_another_kind),
		T(flush__answer),
		T(flush__survives_a_lost_answer),
		T(atomic_write__survives_a_lost_answer),
		T(read__gap),
		T(read__ack_overtakes_its_response),
		T(read__wrong_length),
		T(read__run_with_another_mtu),
		T(response__of_the_wrong_kind),
		T(read__memory_is_not_mapped),
		T(atomic__result_in_two_sges),
		T(nak__fatal_table),
		T(nak__brings_the_peers_reason),
		T(nak__for_memory_of_ours),
		T(nak__reserved_syndromes_are_ignored),
		T(ack__of_half_the_circle_away),
		T(nak__behind_a_lost_response),
		T(nak__sequence_retries),
		T(timeout__retries_are_used_up),
		T(timeout__without_retries),
		T(timeout__not_of_what_the_wire_holds),
		T(rnr__waits_and_sends_again),
		T(rnr__ack_while_waiting),
		T(rnr__retries_are_used_up),
		T(rnr__without_retries),
		T(rnr__for_ever),
		T(err__flushes_and_ignores_responses),
		T(complete__no_room_in_the_cq),
	};

	return verbena_test_main(tests);
}
