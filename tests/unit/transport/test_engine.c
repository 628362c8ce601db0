// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Two devices on one wire: messages from a post to both completions, in one thread and in several. */
#include "common/test.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/host.h"
#include "common/test_host.h"

#define FIRST_PSN 0xfffff0u

static struct test_pair *begin(void **state, const struct test_qp_options *options)
{
	struct test_pair *p = *state;
	struct test_qp_options o = *options;

	o.psn = FIRST_PSN;
	assert_int_equal(test_pair_connect(p, &o, &o), 0);
	for (uint32_t i = 0; i < TEST_HOST_BUFFER_BYTES; i++)
		p->host[0]->buffer[i] = (char)(i * 11 + i / 509);
	return p;
}

static void expect(struct ib_cq *cq, u64 wr_id, enum ib_wc_opcode opcode, u32 bytes)
{
	struct ib_wc wc;

	assert_true(test_poll(cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.opcode, opcode);
	assert_int_equal(wc.byte_len, bytes);
}

static int post(struct test_pair *p, enum ib_wr_opcode opcode, u32 bytes)
{
	return test_post_send(&p->a, &(struct test_wr){.opcode = opcode,
						       .wr_id = 1,
						       .bytes = bytes,
						       .remote = p->host[1],
						       .compare_add = 1});
}

static void rc_send__from_post_to_both_completions(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct ib_wc wc;

	assert_int_equal(test_post_recv(&p->b, 7, 4096, 64), 0);
	assert_int_equal(post(p, IB_WR_SEND, 8), 0);
	assert_string_equal(test_wire_log(p->wire), "SEND_ONLY fffff0 8A, ACK fffff0");
	expect(p->a.send_cq, 1, IB_WC_SEND, 8);
	expect(p->b.recv_cq, 7, IB_WC_RECV, 8);
	assert_memory_equal(p->host[1]->buffer + 4096, p->host[0]->buffer, 8);
	assert_false(test_poll(p->a.send_cq, &wc));
	assert_false(test_poll(p->b.recv_cq, &wc));
}

/* Every request, through every form that a wire may give to runs, with every path MTU. */
static void all_requests(struct test_pair *p, u32 bytes)
{
	char *remote = p->host[1]->buffer;
	uint64_t *word = (uint64_t *)(void *)remote;

	assert_int_equal(test_post_recv(&p->b, 7, 0, bytes), 0);
	assert_int_equal(post(p, IB_WR_SEND_WITH_IMM, bytes), 0);
	expect(p->a.send_cq, 1, IB_WC_SEND, bytes);
	expect(p->b.recv_cq, 7, IB_WC_RECV, bytes);
	assert_memory_equal(remote, p->host[0]->buffer, bytes);
	memset(remote, 0, bytes);
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, bytes), 0);
	expect(p->a.send_cq, 1, IB_WC_RDMA_WRITE, bytes);
	assert_memory_equal(remote, p->host[0]->buffer, bytes);
	assert_int_equal(test_post_recv(&p->b, 8, 0, 0), 0);
	assert_int_equal(post(p, IB_WR_RDMA_WRITE_WITH_IMM, bytes), 0);
	expect(p->a.send_cq, 1, IB_WC_RDMA_WRITE, bytes);
	expect(p->b.recv_cq, 8, IB_WC_RECV_RDMA_WITH_IMM, bytes);
	for (u32 i = 0; i < bytes; i++)
		remote[i] = (char)(i * 5);
	assert_int_equal(post(p, IB_WR_RDMA_READ, bytes), 0);
	expect(p->a.send_cq, 1, IB_WC_RDMA_READ, bytes);
	assert_memory_equal(remote, p->host[0]->buffer, bytes);
	*word = 41;
	assert_int_equal(post(p, IB_WR_ATOMIC_FETCH_AND_ADD, 8), 0);
	expect(p->a.send_cq, 1, IB_WC_FETCH_ADD, 8);
	assert_int_equal(*word, 42);
	assert_int_equal(post(p, IB_WR_ATOMIC_CMP_AND_SWP, 8), 0);
	expect(p->a.send_cq, 1, IB_WC_COMP_SWAP, 8);
}

static void rc__all_requests_in_all_forms(void **state)
{
	static const enum ib_mtu mtus[] = {IB_MTU_256, IB_MTU_512, IB_MTU_1024, IB_MTU_2048,
					   IB_MTU_4096};

	for (unsigned int i = 0; i < 5; i++)
		for (unsigned int mode = 0; mode < 3; mode++) {
			struct test_pair *p =
				begin(state, &(struct test_qp_options){.mtu = mtus[i]});

			p->wire->quiet = true;
			p->wire->mode = (enum test_wire_mode)mode;
			for (u32 bytes = 0; bytes < 20000; bytes = bytes * 3 + 1)
				all_requests(p, bytes);
			test_qp_destroy(&p->a);
			test_qp_destroy(&p->b);
		}
}

/* Nothing allocates between a post and its completion (architecture: locks). */
static void rc__no_allocation_on_the_data_path(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	p->wire->quiet = true;
	base_alloc_forbid(true);
	all_requests(p, 3000);
	base_alloc_forbid(false);
}

/* A message of any size is one step of the responder, one copy, and one ACK. */
static void rc__cost_is_per_run(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.mtu = IB_MTU_4096});

	assert_int_equal(post(p, IB_WR_RDMA_WRITE, TEST_HOST_BUFFER_BYTES), 0);
	assert_string_equal(test_wire_log(p->wire),
			    "WRITE_FIRST..LAST fffff0+256 1048576A, ACK 0000ef");
	assert_int_equal(p->wire->sent_runs, 2);
}

struct handler {
	struct test_pair *pair;
	unsigned int left;
};

/* A completion handler that posts. */
static void post_again(struct ib_cq *cq, void *context)
{
	struct handler *h = context;
	struct ib_wc wc;

	while (ib_poll_cq(cq, 1, &wc) == 1)
		if (h->left) {
			h->left--;
			assert_int_equal(post(h->pair, IB_WR_RDMA_WRITE, 64), 0);
		}
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
}

static void handler__may_post(void **state)
{
	struct test_pair *p = *state;
	struct handler h = {.pair = p, .left = 100};
	const struct ib_cq_init_attr attr = {.cqe = 64};
	struct ib_qp_init_attr init;
	struct ib_qp_attr qp_attr;
	struct ib_cq *cq;
	struct ib_qp *qp;

	cq = ib_create_cq(&p->host[0]->rdi->ibdev, post_again, NULL, &h, &attr);
	assert_false(IS_ERR(cq));
	assert_int_equal(
		test_pair_create(p, &(struct test_qp_options){0}, &(struct test_qp_options){0}), 0);
	assert_int_equal(ib_query_qp(p->a.ib, &qp_attr, 0, &init), 0);
	ib_destroy_qp(p->a.ib);
	p->a.ib = NULL;
	init.send_cq = cq;
	init.port_num = 1;
	qp = ib_create_qp(p->host[0]->pd, &init);
	assert_false(IS_ERR(qp));
	p->a.ib = qp;
	assert_int_equal(test_qp_connect(&p->a, &p->b), 0);
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 64), 0);
	test_turn(1000000000);
	assert_int_equal(h.left, 0);
	ib_destroy_qp(p->a.ib);
	p->a.ib = NULL;
	ib_destroy_cq(cq);
}

/* Posts inside a batch wait for its end. */
static void batch__holds_back(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	tp_batch_begin();
	tp_batch_begin();
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 8), 0);
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 8), 0);
	tp_batch_end();
	assert_string_equal(test_wire_log(p->wire), "");
	tp_batch_end();
	assert_string_equal(test_wire_log(p->wire),
			    "WRITE_ONLY fffff0 8A, WRITE_ONLY fffff1 8A, ACK fffff1");
}

static void end_too_often(void *arg)
{
	(void)arg;
	tp_batch_end();
}

static void batch__ends_as_often_as_it_begins(void **state)
{
	(void)state;
	assert_true(test_dies(end_too_often, NULL));
}

static void port__out_of_range(void *arg)
{
	const struct test_host *host = arg;

	(void)tp_engine_port(host->tp, 2);
}

static void tp_engine_free__of_nothing(void **state)
{
	(void)state;
	tp_engine_free(NULL);
}

static void tp_engine_port__must_exist(void **state)
{
	struct test_pair *p = *state;

	assert_int_equal(p->host[0]->port->num, 1);
	assert_ptr_equal(p->host[0]->port->engine, p->host[0]->tp);
	assert_true(test_dies(port__out_of_range, p->host[0]));
}

/* Two queue pairs of one port need no packets; if they shall, they can have them. */
static void loopback__of_one_port(void **state)
{
	struct test_pair *p = *state;
	struct test_qp c, d;

	for (int on = 0; on < 2; on++) {
		tp_engine_set_loopback(p->host[0]->tp, on);
		assert_int_equal(test_qp_create(&c, p->host[0], &(struct test_qp_options){0}), 0);
		assert_int_equal(test_qp_create(&d, p->host[0], &(struct test_qp_options){0}), 0);
		assert_int_equal(test_qp_connect(&c, &d), 0);
		assert_int_equal(test_post_recv(&d, 7, 4096, 64), 0);
		assert_int_equal(test_post_send(&c, &(struct test_wr){.opcode = IB_WR_SEND,
								      .wr_id = 1,
								      .bytes = 8}),
				 0);
		expect(c.send_cq, 1, IB_WC_SEND, 8);
		expect(d.recv_cq, 7, IB_WC_RECV, 8);
		assert_string_equal(test_wire_log(p->wire),
				    on ? "" : "SEND_ONLY 000000 8A, ACK 000000");
		test_qp_destroy(&c);
		test_qp_destroy(&d);
	}
}

/* [sm 5]: a QP of another process on this port is reached by the wire. */
static void loopback__peer_is_not_ours(void **state)
{
	struct test_pair *p = *state;
	struct test_qp c;

	tp_engine_set_loopback(p->host[0]->tp, true);
	assert_int_equal(test_qp_create(&c, p->host[0], &(struct test_qp_options){0}), 0);
	assert_int_equal(test_qp_init(&c), 0);
	{
		struct ib_qp other = {.qp_num = 0x777};
		const struct test_qp peer = {.host = p->host[0], .ib = &other};

		assert_int_equal(test_qp_rtr(&c, &peer), 0);
	}
	assert_int_equal(test_qp_rts(&c), 0);
	p->wire->hold = true;
	assert_int_equal(test_post_send(&c, &(struct test_wr){.opcode = IB_WR_RDMA_WRITE}), 0);
	assert_string_equal(test_wire_log(p->wire), "WRITE_ONLY 000000 0A");
	test_qp_destroy(&c);
}

/* What a queue pair has on the wire when it is reset or destroyed never arrives. */
static void reset__takes_back_what_is_under_way(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct ib_wc wc;

	p->wire->hold = true;
	p->wire->room = 1;
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 8), 0);
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 8), 0); /* waits for the port */
	assert_int_equal(test_qp_to(&p->a, IB_QPS_RESET), 0);
	assert_int_equal(p->wire->count, 0);
	tp_port_ready(p->host[0]->port);
	assert_false(test_poll(p->a.send_cq, &wc));
	p->wire->hold = false;
	assert_int_equal(test_qp_to(&p->b, IB_QPS_RESET), 0);
	assert_int_equal(test_qp_connect(&p->a, &p->b), 0);
	all_requests(p, 100);
}

static void error__wakes_srq_users(void **state)
{
	struct test_pair *p = *state;
	struct ib_srq_init_attr attr = {.attr = {.max_wr = 4, .max_sge = 1}};
	struct ib_srq *srq = ib_create_srq(p->host[1]->pd, &attr);
	struct tp_run run;

	assert_false(IS_ERR(srq));
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){0},
					   &(struct test_qp_options){.srq = srq}),
			 0);
	test_pair_packet(&p->b, &p->a, PKT_RC_SEND_LAST, 0, &run);
	tp_receive(p->host[1]->port, &run);
	test_turn(0);
	assert_int_equal(p->b.events, 1u << IB_EVENT_QP_LAST_WQE_REACHED);
	test_qp_destroy(&p->b);
	ib_destroy_srq(srq);
}

/* tp_sent() of RC means nothing: its runs are valid as long as the queue pair is. */
static void tp_sent__of_rc_is_ignored(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct ib_wc wc;

	p->wire->hold = true;
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 8), 0);
	tp_sent(p->host[0]->port, ibqp_to_rvtqp(p->a.ib), 5);
	assert_false(test_poll(p->a.send_cq, &wc));
}

/*
 * A port that is full for one run, and that another thread finds ready before the sender is on the
 * port's list.
 */
struct turnstile {
	int (*send)(struct tp_port *port, const struct tp_run *run, void *sender);
	unsigned int refuse;
};

static struct turnstile turnstile;

static void *say_ready(void *port)
{
	tp_port_ready(port);
	return NULL;
}

static int refuse_then_say_ready(struct tp_port *port, const struct tp_run *run, void *sender)
{
	pthread_t thread;

	if (!turnstile.refuse)
		return turnstile.send(port, run, sender);
	turnstile.refuse--;
	assert_int_equal(pthread_create(&thread, NULL, say_ready, port), 0);
	pthread_join(thread, NULL);
	return -EAGAIN;
}

static void refuse_next(struct test_pair *p, unsigned int runs)
{
	if (p->wire->ops.send != refuse_then_say_ready)
		turnstile.send = p->wire->ops.send;
	turnstile.refuse = runs;
	p->wire->ops.send = refuse_then_say_ready;
}

static void port__ready_before_the_request_waits(void **state)
{
	static const enum ib_qp_type types[] = {IB_QPT_RC, IB_QPT_UC};

	for (unsigned int i = 0; i < 2; i++) {
		struct test_pair *p = begin(state, &(struct test_qp_options){.type = types[i]});

		refuse_next(p, 3);
		assert_int_equal(post(p, IB_WR_RDMA_WRITE, 8), 0);
		assert_int_equal(turnstile.refuse, 0);
		expect(p->a.send_cq, 1, IB_WC_RDMA_WRITE, 8);
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

static void port__ready_before_the_answer_waits(void **state)
{
	static const enum ib_wr_opcode opcodes[] = {IB_WR_RDMA_WRITE, IB_WR_RDMA_READ,
						    IB_WR_ATOMIC_FETCH_AND_ADD};
	static const enum ib_wc_opcode done[] = {IB_WC_RDMA_WRITE, IB_WC_RDMA_READ,
						 IB_WC_FETCH_ADD};
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	for (unsigned int i = 0; i < 3; i++) {
		p->wire->hold = true;
		assert_int_equal(post(p, opcodes[i], 8), 0);
		refuse_next(p, 1);
		assert_int_equal(test_wire_deliver(p->wire, 1), 1);
		assert_int_equal(turnstile.refuse, 0);
		assert_int_equal(test_wire_deliver(p->wire, 1), 1);
		expect(p->a.send_cq, 1, done[i], 8);
	}
}

#define MESSAGES 3000

struct side {
	struct test_qp *self;
	unsigned int sent;
	unsigned int received;
	unsigned int errors;
};

/* One thread of each direction: post, poll, post again. */
static void *both_ways(void *arg)
{
	struct side *s = arg;
	struct ib_wc wc;

	while (s->sent < MESSAGES || s->received < MESSAGES) {
		if (s->sent < MESSAGES &&
		    !test_post_send(s->self, &(struct test_wr){.opcode = IB_WR_SEND, .bytes = 100}))
			s->sent++;
		while (test_poll(s->self->send_cq, &wc))
			s->errors += wc.status != IB_WC_SUCCESS;
		while (test_poll(s->self->recv_cq, &wc)) {
			s->errors += wc.status != IB_WC_SUCCESS;
			s->errors += test_post_recv(s->self, 0, 8192, 128) != 0;
			s->received++;
		}
		if (s->sent == MESSAGES)
			sched_yield();
		/* credits may come with an ACK that waits for the other thread, or with a timer */
		base_host_turn(base_now_ns() + 100, 8);
	}
	return NULL;
}

static void threads__both_ways(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.send_wr = 16});
	struct side a = {.self = &p->a}, b = {.self = &p->b};
	pthread_t thread;

	p->wire->quiet = true;
	for (int i = 0; i < 32; i++) {
		assert_int_equal(test_post_recv(&p->a, 0, 8192, 128), 0);
		assert_int_equal(test_post_recv(&p->b, 0, 8192, 128), 0);
	}
	assert_int_equal(pthread_create(&thread, NULL, both_ways, &b), 0);
	both_ways(&a);
	pthread_join(thread, NULL);
	assert_int_equal(a.errors + b.errors, 0);
	assert_int_equal(a.received + b.received, 2 * MESSAGES);
	assert_int_equal(p->host[0]->ibp.n_seq_naks + p->host[1]->ibp.n_seq_naks, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(rc_send__from_post_to_both_completions),
		T(rc__all_requests_in_all_forms),
		T(rc__no_allocation_on_the_data_path),
		T(rc__cost_is_per_run),
		T(handler__may_post),
		T(batch__holds_back),
		T(batch__ends_as_often_as_it_begins),
		T(tp_engine_free__of_nothing),
		T(tp_engine_port__must_exist),
		T(loopback__of_one_port),
		T(loopback__peer_is_not_ours),
		T(reset__takes_back_what_is_under_way),
		T(error__wakes_srq_users),
		T(tp_sent__of_rc_is_ignored),
		T(port__ready_before_the_request_waits),
		T(port__ready_before_the_answer_waits),
		T(threads__both_ways),
	};

	return verbena_test_main(tests);
}
