// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The owner's side of windows: when it opens and closes one, and that it believes nothing that stands
 * there but the position, and that only where it would have left it to the peer.
 */
#include <linux/kernel.h>
#include <pthread.h>

#include "window_fixture.h"

static uint64_t position(uint32_t epsn, uint32_t msn, uint8_t opcode)
{
	return epsn | (uint64_t)msn << TP_WINDOW_MSN_SHIFT |
	       (uint64_t)opcode << TP_WINDOW_OPCODE_SHIFT | TP_WINDOW_READY;
}

static struct tp_qp *owner(void)
{
	return tp_qp(ibqp_to_rvtqp(fixture.pair.b.ib));
}

static uint64_t drops(void)
{
	return fixture.pair.host[1]->ibp.n_pkt_drops;
}

/* Opening */

static void exec__opens_for_what_could_have_been_direct(void **state)
{
	struct windows *w = *state;
	struct test_wr wr = write_wr(64, 8);
	struct ib_wc wc;

	assert_int_equal(test_pair_connect(&w->pair, &(struct test_qp_options){0},
					   &(struct test_qp_options){0}),
			 0);
	assert_int_equal(test_post_recv(&w->pair.b, 1, 4096, 8), 0);
	wr.opcode = IB_WR_SEND;
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	wr.opcode = IB_WR_RDMA_WRITE_WITH_IMM;
	assert_int_equal(test_post_recv(&w->pair.b, 1, 4096, 8), 0);
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	assert_int_equal(w->opened, 0);
	wr.opcode = IB_WR_RDMA_READ;
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	assert_int_equal(w->opened, 1);
	assert_int_equal(window()->qpn, w->pair.b.ib->qp_num);
	assert_int_equal(window()->peer_qpn, w->pair.a.ib->qp_num);
	assert_int_equal(window()->first_key, FIRST_KEY);
	while (test_poll(w->pair.b.recv_cq, &wc))
		assert_int_equal(wc.status, IB_WC_SUCCESS);
}

static void exec__asks_for_a_window_once(void **state)
{
	struct windows *w = *state;
	const struct test_wr wr = write_wr(64, 8);

	w->refuse = true;
	assert_int_equal(test_pair_connect(&w->pair, &(struct test_qp_options){0},
					   &(struct test_qp_options){0}),
			 0);
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	w->refuse = false;
	assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
	assert_int_equal(w->opened, 0);
}

static void window__goes_with_the_connection(void **state)
{
	struct windows *w = begin(state, NULL);

	assert_int_equal(test_qp_to(&w->pair.b, IB_QPS_RESET), 0);
	assert_int_equal(w->closed, 1);
	assert_int_equal(window()->qpn, 0);
}

static void query__is_up_to_date(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct test_wr wr = write_wr(64, 3000);
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	assert_true(goes_direct(&wr));
	assert_int_equal(ib_query_qp(w->pair.b.ib, &attr, IB_QP_RQ_PSN, &init), 0);
	assert_int_equal(attr.rq_psn, (0xfffffe + 1 + 3) & 0xffffff);
}

/* What the owner believes */

/* In the middle of a message nothing is the peer's, whatever it says. */
static void position__of_a_message_in_progress(void **state)
{
	struct windows *w = begin(state, NULL);
	const struct rc_resp before = owner()->resp;
	struct tp_run run;
	struct iovec iov = {BUFFER(w, 0), 1024};

	test_pair_packet(&w->pair.b, &w->pair.a, PKT_RC_WRITE_FIRST, 0xffffff, &run);
	run.reth = (struct pkt_reth){.va = (uintptr_t)BUFFER(w, 1),
				     .rkey = w->pair.host[1]->mr->rkey,
				     .dma_bytes = 2048};
	run.payload = (struct tp_payload){.iov = &iov, .count = 1, .bytes = 1024};
	run.pmtu_bytes = 1024;
	tp_receive(w->pair.host[1]->port, &run);
	assert_int_equal(owner()->resp.message, RC_MESSAGE_WRITE);
	assert_int_equal(window()->position & TP_WINDOW_READY, 0);
	window()->position = position(0x123456, 77, PKT_RC_SEND_ONLY);
	test_pair_packet(&w->pair.b, &w->pair.a, PKT_RC_WRITE_LAST, 0x123456, &run);
	run.payload = (struct tp_payload){.iov = &iov, .count = 1, .bytes = 1024};
	tp_receive(w->pair.host[1]->port, &run);
	assert_int_equal(owner()->resp.message, RC_MESSAGE_WRITE);
	assert_int_equal(owner()->resp.epsn.v, 0);
	assert_int_equal(owner()->resp.msn.v, before.msn.v);
	window()->position = position(0x123456, 77, PKT_RC_SEND_ONLY);
	tp_window_refresh(ibqp_to_rvtqp(w->pair.b.ib));
	assert_int_equal(owner()->resp.epsn.v, 0);
	test_pair_packet(&w->pair.b, &w->pair.a, PKT_RC_WRITE_LAST, 0, &run);
	run.payload = (struct tp_payload){.iov = &iov, .count = 1, .bytes = 1024};
	tp_receive(w->pair.host[1]->port, &run);
	assert_int_equal(owner()->resp.message, RC_MESSAGE_NONE);
}

/* Any position that says it is ready, and then any request: nothing but what its key grants changes. */
static void position__of_any_content_and_each_request(void **state)
{
	static const uint8_t opcodes[] = {
		PKT_RC_SEND_FIRST,     PKT_RC_SEND_MIDDLE,   PKT_RC_SEND_LAST,
		PKT_RC_SEND_LAST_IMM,  PKT_RC_SEND_ONLY,     PKT_RC_SEND_ONLY_IMM,
		PKT_RC_WRITE_FIRST,    PKT_RC_WRITE_MIDDLE,  PKT_RC_WRITE_LAST,
		PKT_RC_WRITE_LAST_IMM, PKT_RC_WRITE_ONLY,    PKT_RC_WRITE_ONLY_IMM,
		PKT_RC_READ_REQUEST,   PKT_RC_COMPARE_SWAP,  PKT_RC_FETCH_ADD,
		PKT_RC_SEND_LAST_INV,  PKT_RC_SEND_ONLY_INV, PKT_RC_FLUSH,
		PKT_RC_ATOMIC_WRITE,
	};
	struct windows *w = *state;

	for (unsigned int last = 0; last < 256; last++) {
		const uint8_t opcode = opcodes[last % ARRAY_SIZE(opcodes)];
		const struct pkt_opcode *op = pkt_op(opcode);
		const uint32_t bytes = op->headers & PKT_DATA ? 1024 : 0;
		struct iovec iov = {BUFFER(w, 0), 1024};
		struct tp_run run;

		begin(state, NULL);
		assert_int_equal(test_post_recv(&w->pair.b, 1, 4096, 8), 0);
		memset(BUFFER(w, 0), 0x11, 1024);
		memset(BUFFER(w, 1), 0x22, 4096);
		window()->position = position(last * 65537, last * 999, (uint8_t)last);
		test_pair_packet(&w->pair.b, &w->pair.a, opcode, last * 65537 & 0xffffff, &run);
		run.payload = (struct tp_payload){.iov = &iov, .count = 1, .bytes = bytes};
		if (op->headers & PKT_RETH)
			run.reth = (struct pkt_reth){.va = (uintptr_t)BUFFER(w, 1),
						     .rkey = 0x1234500 + last,
						     .dma_bytes = 8};
		tp_receive(w->pair.host[1]->port, &run);
		for (uint32_t i = 0; i < 4096; i++)
			assert_int_equal(BUFFER(w, 1)[i], 0x22);
		test_qp_destroy(&w->pair.a);
		test_qp_destroy(&w->pair.b);
		memset(w->window, 0, sizeof(w->window));
		w->opened = w->placed = 0;
	}
}

/* Whoever holds the lock, or says so: what comes is dropped, and counted. */
static void lock__that_is_never_let_go(void **state)
{
	static const uint32_t holders[] = {1, 2, 3, 0xffff, 0x8000, 0xffffffff};
	struct windows *w = begin(state, &(struct test_qp_options){.timeout = 8});
	const struct test_wr wr = write_wr(64, 8);

	for (size_t i = 0; i < ARRAY_SIZE(holders); i++) {
		const uint64_t before = drops();

		window()->lock = holders[i];
		assert_int_equal(test_post_send(&w->pair.a, &wr), 0);
		test_turn(1);
		assert_int_equal(drops(), before + 1);
		window()->lock = 0;
		assert_int_equal(do_wr(&wr), IB_WC_SUCCESS);
		while (test_poll(w->pair.a.send_cq, &(struct ib_wc){0}))
			;
	}
}

/* A peer that writes nonsense all the time, as fast as it can */

struct scribbler {
	pthread_t thread;
	bool stop;
	uint64_t seed;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	uint64_t x = s->seed;

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		uint32_t *words = (uint32_t *)window();

		x = x * 6364136223846793005u + 1442695040888963407u;
		__atomic_store_n(&words[x >> 33 & 15], x >> 62 ? (uint32_t)(x >> 7) : 0,
				 __ATOMIC_RELAXED);
	}
	return NULL;
}

static void peer__that_scribbles_all_the_time(void **state)
{
	struct windows *w = *state;

	test_skip_in_torture();
	for (uint64_t seed = 1; seed <= 20; seed++) {
		const struct test_wr wr = write_wr(8192, 2000), rd = read_wr(8192, 2000);
		struct scribbler s = {.seed = seed};

		begin(state, &(struct test_qp_options){.timeout = 8});
		memset(BUFFER(w, 1), 0x22, 8192);
		memset(BUFFER(w, 1) + 10192, 0x22, 8192);
		assert_int_equal(pthread_create(&s.thread, NULL, scribble, &s), 0);
		for (unsigned int n = 0; n < 200; n++)
			if (do_wr(n % 2 ? &wr : &rd) != IB_WC_SUCCESS)
				break;
		(void)ib_query_qp(w->pair.b.ib, &(struct ib_qp_attr){0}, IB_QP_RQ_PSN,
				  &(struct ib_qp_init_attr){0});
		assert_int_equal(test_qp_to(&w->pair.b, IB_QPS_ERR), 0);
		__atomic_store_n(&s.stop, true, __ATOMIC_RELAXED);
		assert_int_equal(pthread_join(s.thread, NULL), 0);
		for (uint32_t i = 0; i < 8192; i++)
			assert_true(BUFFER(w, 1)[i] == 0x22 && BUFFER(w, 1)[10192 + i] == 0x22);
		test_qp_destroy(&w->pair.a);
		test_qp_destroy(&w->pair.b);
		memset(w->window, 0, sizeof(w->window));
		w->opened = w->placed = w->wild = 0;
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, windows_setup, windows_teardown)

static const struct CMUnitTest tests[] = {
	TEST(exec__opens_for_what_could_have_been_direct),
	TEST(exec__asks_for_a_window_once),
	TEST(window__goes_with_the_connection),
	TEST(query__is_up_to_date),
	TEST(position__of_a_message_in_progress),
	TEST(position__of_any_content_and_each_request),
	TEST(lock__that_is_never_let_go),
	TEST(peer__that_scribbles_all_the_time),
};

int main(void)
{
	return verbena_test_main(tests);
}
