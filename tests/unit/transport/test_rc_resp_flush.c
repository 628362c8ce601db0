// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The RC responder and FLUSH. Requests come from the test. */
#include "common/test.h"

#include "common/test_host.h"

#define FIRST_PSN 0x100u

/* b's responder is what is tested; what it says goes nowhere. */
static struct test_pair *begin(void **state, int access)
{
	const struct test_qp_options b = {.access = access};
	struct test_pair *p = *state;

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){.psn = FIRST_PSN}, &b), 0);
	return p;
}

static const char *said(struct test_pair *p)
{
	while (test_wire_drop(p->wire))
		;
	return test_wire_log(p->wire);
}

/* What waits on the wire. */
static struct tp_run last_sent(struct test_pair *p)
{
	assert_true(p->wire->count > 0);
	return p->wire->queue[(p->wire->head + p->wire->count - 1) % TEST_WIRE_ROOM].run;
}

static void flush_at(struct test_pair *p, uint32_t at, struct pkt_feth feth, uint32_t bytes)
{
	struct tp_run run;

	test_pair_packet(&p->b, &p->a, PKT_RC_FLUSH, at, &run);
	run.ack_req = true;
	run.payload = (struct tp_payload){.bytes = 0};
	run.feth = feth;
	run.reth = (struct pkt_reth){.va = (uintptr_t)p->host[1]->buffer,
				     .rkey = p->host[1]->mr->rkey,
				     .dma_bytes = bytes};
	tp_receive(p->host[1]->port, &run);
}

/* IBA A19: an answer without bytes; of a region address and length do not matter. */
static void flush__is_answered_as_an_empty_read(void **state)
{
	const struct pkt_feth range = {.placement = IB_FLUSH_GLOBAL};
	const struct pkt_feth region = {.placement = IB_FLUSH_GLOBAL, .selectivity = IB_FLUSH_MR};
	struct test_pair *p = begin(state, 0);

	flush_at(p, FIRST_PSN, range, TEST_HOST_BUFFER_BYTES);
	assert_int_equal(last_sent(p).aeth.msn.v, 1);
	flush_at(p, FIRST_PSN + 1, region, TEST_HOST_BUFFER_BYTES + 1);
	flush_at(p, FIRST_PSN, range, TEST_HOST_BUFFER_BYTES); /* a duplicate */
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 0, READ_RESPONSE_ONLY 000101 0, "
				     "READ_RESPONSE_ONLY 000100 0");
}

static void flush__refusals(void **state)
{
	static const struct {
		struct pkt_feth feth;
		uint32_t bytes;
		int access;
		enum base_cause_id why;
		const char *said;
	} cases[] = {
		{{.placement = 0}, 8, 0, BASE_CAUSE_RESP_FLUSH, "NAK61 000100"},
		{{.placement = 5}, 8, 0, BASE_CAUSE_RESP_FLUSH, "NAK61 000100"},
		{{1, 2, 0}, 8, 0, BASE_CAUSE_RESP_FLUSH, "NAK61 000100"},
		{{1, 0, 0}, TEST_HOST_BUFFER_BYTES + 1, 0, BASE_CAUSE_RKEY_BOUNDS, "NAK62 000100"},
		{{3, 0, 0}, 8, 0, BASE_CAUSE_RKEY_NO_FLUSH, "NAK62 000100"},
		{{2, 1, 0}, 8, 0, BASE_CAUSE_RKEY_NO_FLUSH, "NAK62 000100"},
		{{3, 0, 0}, 8, IB_ACCESS_FLUSH_GLOBAL, BASE_CAUSE_RESP_QP_ACCESS, "NAK61 000100"},
		{{1, 0, 0},
		 8,
		 IB_ACCESS_FLUSH_PERSISTENT,
		 BASE_CAUSE_RESP_QP_ACCESS,
		 "NAK61 000100"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct test_pair *p = begin(state, cases[i].access);

		flush_at(p, FIRST_PSN, cases[i].feth, cases[i].bytes);
		assert_int_equal(last_sent(p).why.id, cases[i].why);
		assert_string_equal(said(p), cases[i].said);
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(flush__is_answered_as_an_empty_read),
		T(flush__refusals),
	};

	return verbena_test_main(tests);
}
