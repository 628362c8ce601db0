// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The RC responder and duplicates of READs and atomics. Requests come from the test. */
#include "rc_resp_fixture.h"

#include "transport/tp_qp.h"

/* [rcp 9.1] */
static void replay__atomic_is_not_executed_again(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	uint64_t *word = (uint64_t *)(void *)p->host[1]->buffer;

	atomic(p, PKT_RC_FETCH_ADD, FIRST_PSN, 1, 0);
	atomic(p, PKT_RC_FETCH_ADD, FIRST_PSN + 1, 1, 0);
	atomic(p, PKT_RC_FETCH_ADD, FIRST_PSN, 1, 0);
	assert_int_equal(last_sent(p).atomicacketh.original, 0);
	assert_int_equal(*word, 2);
	assert_string_equal(said(p), "ATOMIC_ACKNOWLEDGE 000100, ATOMIC_ACKNOWLEDGE 000101, "
				     "ATOMIC_ACKNOWLEDGE 000100");
	atomic(p, PKT_RC_COMPARE_SWAP, FIRST_PSN, 1, 0); /* not what was remembered */
	atomic(p, PKT_RC_FETCH_ADD, FIRST_PSN - 9, 1, 0);
	assert_string_equal(said(p), "");
	assert_int_equal(p->host[1]->ibp.n_pkt_drops, 2);
	assert_int_equal(p->host[1]->ibp.n_rc_dupreq, 3);
}

/* [rcp 9.1]: whole, or its tail; nothing else. */
static void replay__read(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	read_request(p, FIRST_PSN, 0, 5000);
	said(p);
	read_request(p, FIRST_PSN, 0, 5000);
	assert_string_equal(said(p), "READ_RESPONSE_FIRST..LAST 000100+5 5000");
	read_request(p, FIRST_PSN + 2, 2048, 2952);
	assert_ptr_equal(last_sent(p).payload.iov->iov_base, p->host[1]->buffer);
	assert_int_equal(last_sent(p).payload.offset, 2048);
	assert_string_equal(said(p), "READ_RESPONSE_FIRST..LAST 000102+3 2952");
	read_request(p, FIRST_PSN + 4, 4096, 904);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000104 904");
	read_request(p, FIRST_PSN + 2, 2048, 2951); /* another end */
	read_request(p, FIRST_PSN + 2, 2000, 2952); /* another place */
	read_request(p, FIRST_PSN + 1, 2048, 2952); /* another PSN */
	assert_string_equal(said(p), "");
	assert_int_equal(p->host[1]->ibp.n_pkt_drops, 3);
}

/* [rcp 9.1]: the key is checked again. */
static void replay__read_of_a_region_that_is_gone(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	const u32 rkey = p->host[1]->mr->rkey;
	struct tp_run run;

	read_request(p, FIRST_PSN, 0, 8);
	said(p);
	assert_int_equal(ib_dereg_mr(p->host[1]->mr), 0);
	p->host[1]->mr = NULL;
	assert_int_equal(test_qp_state(&p->b), IB_QPS_RTS); /* an answered READ holds nothing */
	test_pair_packet(&p->b, &p->a, PKT_RC_READ_REQUEST, FIRST_PSN, &run);
	run.reth = (struct pkt_reth){(uintptr_t)p->host[1]->buffer, rkey, 8};
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "");
	assert_int_equal(p->host[1]->ibp.n_pkt_drops, 1);
}

/* When PSNs come round, requests of the circle before may still be remembered: they are not meant. */
static void replay__after_the_circle_has_come_round(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rd_atomic = 8});
	uint64_t *word = (uint64_t *)(void *)p->host[1]->buffer;

	atomic(p, PKT_RC_FETCH_ADD, FIRST_PSN, 1, 0);
	read_request(p, FIRST_PSN + 1, 0, 5000);
	/* 2^24 - 6 packets of WRITEs later */
	tp_qp(ibqp_to_rvtqp(p->b.ib))->resp.epsn = psn(FIRST_PSN);
	atomic(p, PKT_RC_FETCH_ADD, FIRST_PSN, 1, 0);
	read_request(p, FIRST_PSN + 1, 8, 16);
	said(p);
	atomic(p, PKT_RC_FETCH_ADD, FIRST_PSN, 1, 0);
	assert_int_equal(last_sent(p).atomicacketh.original, 1);
	read_request(p, FIRST_PSN + 1, 8, 16);
	assert_string_equal(said(p), "ATOMIC_ACKNOWLEDGE 000100, READ_RESPONSE_ONLY 000101 16");
	assert_int_equal(*word, 2);
}

/* [rcp 9.14]: in the order of the requests, whatever is replayed; a replay takes nobody's place. */
static void replay__among_new_requests(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rd_atomic = 1});

	read_request(p, FIRST_PSN, 0, 8);
	said(p);
	tp_batch_begin();
	read_request(p, FIRST_PSN + 1, 0, 16);
	read_request(p, FIRST_PSN, 0, 8);
	tp_batch_end();
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 8, READ_RESPONSE_ONLY 000101 16");
	tp_batch_begin();
	read_request(p, FIRST_PSN + 1, 0, 16);
	read_request(p, FIRST_PSN + 2, 0, 24);
	tp_batch_end();
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000101 16, READ_RESPONSE_ONLY 000102 24");
}

/* A replay that could not be sent yet gives way when its slot is needed. */
static void replay__gives_its_slot_to_a_new_request(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rd_atomic = 4});
	const uint32_t slots = rvt_max_atomic(p->host[1]->rdi);
	uint32_t i;

	for (i = 0; i < slots; i++)
		read_request(p, FIRST_PSN + i, 0, 8);
	said(p);
	p->wire->room = 0;
	read_request(p, FIRST_PSN + 1, 0, 8); /* the oldest that is remembered */
	read_request(p, FIRST_PSN + 3, 0, 8);
	read_request(p, FIRST_PSN + i, 0, 8);
	p->wire->room = 8;
	tp_port_ready(p->host[1]->port);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000103 8, READ_RESPONSE_ONLY 000111 8");
	assert_int_equal(i, 0x11);
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(replay__atomic_is_not_executed_again),
		T(replay__read),
		T(replay__read_of_a_region_that_is_gone),
		T(replay__after_the_circle_has_come_round),
		T(replay__among_new_requests),
		T(replay__gives_its_slot_to_a_new_request),
	};

	return verbena_test_main(tests);
}
