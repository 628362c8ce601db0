// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The RC responder against real receive queues, regions and CQs. Requests come from the test. */
#include "rc_resp_fixture.h"

#include <string.h>
#include <sys/mman.h>

#include "rdma/rdmavt_cq.h"
#include "transport/rc_resp.h"

static void request(struct test_pair *p, uint8_t opcode, uint32_t at, uint32_t bytes)
{
	struct tp_run run;

	packet(p, opcode, at, bytes, &run);
	tp_receive(p->host[1]->port, &run);
}

static void message(struct test_pair *p, uint8_t first, uint8_t last, uint32_t at, uint32_t bytes,
		    struct tp_run *run)
{
	packet(p, first, at, bytes, run);
	run->last_opcode = last;
	run->packets = rc_read_packets(bytes, PMTU);
	run->pmtu_bytes = PMTU;
}

static struct ib_wc received(struct test_pair *p)
{
	struct ib_wc wc;

	assert_true(test_poll(p->b.recv_cq, &wc));
	return wc;
}

static void send__of_a_megabyte_is_one_step(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct tp_run run;
	struct ib_wc wc;

	assert_int_equal(test_post_recv(&p->b, 9, 4096, sizeof(payload)), 0);
	message(p, PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST_IMM, FIRST_PSN, sizeof(payload) - 5, &run);
	run.immdt = cpu_to_be32(0xdeadbeef);
	run.solicited = true;
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "ACK 00017f");
	wc = received(p);
	assert_int_equal(wc.wr_id, 9);
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_int_equal(wc.byte_len, sizeof(payload) - 5);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_IMM);
	assert_int_equal(wc.ex.imm_data, cpu_to_be32(0xdeadbeef));
	assert_int_equal(wc.slid, 1);
	assert_memory_equal(p->host[1]->buffer + 4096, payload, sizeof(payload) - 5);
}

/* [rcp 9.7]: scattered over the SGEs of the receive, and from segments of the sender. */
static void send__from_segments_to_sges(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	char *to = p->host[1]->buffer;
	const u32 lkey = p->host[1]->mr->lkey;
	struct ib_sge sge[4] = {{(uintptr_t)to, 100, lkey},
				{(uintptr_t)to + 5000, 3, lkey},
				{(uintptr_t)to + 2000, 0, lkey},
				{(uintptr_t)to + 9000, 4000, lkey}};
	const struct ib_recv_wr wr = {.wr_id = 3, .sg_list = sge, .num_sge = 4};
	struct iovec iov[3] = {{payload, 1}, {payload + 1, 2000}, {payload + 2001, 2000}};
	struct tp_run run;

	assert_int_equal(ib_post_recv(p->b.ib, &wr, NULL), 0);
	message(p, PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, FIRST_PSN, 3000, &run);
	run.payload.iov = iov;
	run.payload.count = 3;
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "ACK 000102");
	assert_int_equal(received(p).byte_len, 3000);
	assert_memory_equal(to, payload, 100);
	assert_memory_equal(to + 5000, payload + 100, 3);
	assert_memory_equal(to + 9000, payload + 103, 2897);
}

/* [rcp 9.3, 6]: credits follow the receive queue, MSN the messages. */
static void ack__carries_credits_and_msn(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	for (int i = 0; i < 7; i++)
		assert_int_equal(test_post_recv(&p->b, 0, 0, 64), 0);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	assert_int_equal(last_sent(p).aeth.syndrome, 5); /* six receives are left */
	assert_int_equal(last_sent(p).aeth.msn.v, 1);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN + 1, 8);
	assert_int_equal(last_sent(p).aeth.syndrome, 4);
	assert_int_equal(last_sent(p).aeth.msn.v, 2);
	assert_int_equal(ibqp_to_rvtqp(p->b.ib)->r_psn, FIRST_PSN + 2);
}

/* [rcp 6]: with an SRQ nobody can promise anything. */
static void ack__of_an_srq_gives_no_credits(void **state)
{
	struct test_pair *p = *state;
	struct ib_srq_init_attr attr = {.attr = {.max_wr = 4, .max_sge = 1}};
	struct ib_srq *srq = ib_create_srq(p->host[1]->pd, &attr);

	assert_false(IS_ERR(srq));
	begin(state, &(struct test_qp_options){.srq = srq});
	assert_int_equal(test_post_recv(&p->b, 5, 0, 64), 0);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	assert_int_equal(last_sent(p).aeth.syndrome, 0x1f);
	assert_int_equal(received(p).wr_id, 5);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN + 1, 8);
	assert_string_equal(said(p), "ACK 000100, RNR0c 000101");
	test_qp_destroy(&p->b);
	ib_destroy_srq(srq);
}

/* [rcp 9.13]: answers to what arrives together are one. */
static void ack__serves_a_batch(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	for (int i = 0; i < 3; i++)
		assert_int_equal(test_post_recv(&p->b, 0, 0, 64), 0);
	tp_batch_begin();
	for (uint32_t i = 0; i < 3; i++)
		request(p, PKT_RC_SEND_ONLY, FIRST_PSN + i, 8);
	assert_string_equal(said(p), "");
	tp_batch_end();
	assert_string_equal(said(p), "ACK 000102");
}

/* [rcp 9.3]: in a batch, what is refused and then comes after all is acknowledged. */
static void nak__is_overtaken_by_what_it_asks_for(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	assert_int_equal(test_post_recv(&p->b, 0, 0, 64), 0);
	tp_batch_begin();
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN + 1, 8);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN - 1, 8); /* its ACK must not hide the NAK */
	tp_batch_end();
	assert_string_equal(said(p), "NAK60 000100");
	tp_batch_begin();
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN + 2, 8);
	tp_batch_end();
	assert_string_equal(said(p), "NAK60 000101");
	assert_int_equal(rvt_to_iport(ibqp_to_rvtqp(p->b.ib))->n_rc_seqnak, 2);
}

static void write__goes_where_the_rkey_says(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct tp_run run;
	struct ib_wc wc;

	message(p, PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST, FIRST_PSN, 100000, &run);
	run.reth.va += 11;
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "ACK 000161");
	assert_memory_equal(p->host[1]->buffer + 11, payload, 100000);
	assert_false(test_poll(p->b.recv_cq, &wc));
}

/* [rcp 9.9] */
static void write__with_immediate_takes_a_receive(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct tp_run run;
	struct ib_wc wc;

	message(p, PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST_IMM, FIRST_PSN, 3000, &run);
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "RNR0c 000102");
	assert_int_equal(test_post_recv(&p->b, 4, 0, 0), 0);
	packet(p, PKT_RC_WRITE_LAST_IMM, FIRST_PSN + 2, 952, &run);
	run.payload.offset = 2048;
	run.immdt = 77;
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "ACK 000102");
	wc = received(p);
	assert_int_equal(wc.opcode, IB_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(wc.byte_len, 3000);
	assert_int_equal(wc.ex.imm_data, 77);
	assert_memory_equal(p->host[1]->buffer, payload, 3000);
}

/* [rcp 9.10] */
static void read__is_answered_by_one_run(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct tp_run run;

	read_request(p, FIRST_PSN, 100, 5000);
	run = last_sent(p);
	assert_int_equal(run.aeth.msn.v, 1);
	assert_ptr_equal(run.payload.iov->iov_base, p->host[1]->buffer + 100);
	assert_string_equal(said(p), "READ_RESPONSE_FIRST..LAST 000100+5 5000");
	read_request(p, FIRST_PSN + 5, 0, 0);
	read_request(p, FIRST_PSN + 6, 0, 1024);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000105 0, READ_RESPONSE_ONLY 000106 1024");
}

/* A wire that takes a part of a run, and one that is full: nothing is lost, order is kept. */
static void read__response_in_pieces(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	assert_int_equal(test_post_recv(&p->b, 0, 0, 64), 0);
	p->wire->most_packets = 2;
	p->wire->room = 2;
	tp_batch_begin();
	read_request(p, FIRST_PSN, 0, 5000);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN + 5, 8);
	tp_batch_end();
	assert_string_equal(said(p), "READ_RESPONSE_FIRST..MIDDLE 000100+2 2048, "
				     "READ_RESPONSE_MIDDLE..MIDDLE 000102+2 2048");
	tp_port_ready(p->host[1]->port);
	assert_string_equal(said(p), "READ_RESPONSE_LAST 000104 904, ACK 000105");
}

/* [rcp 9.12]: unanswered ones count. */
static void read__more_than_the_responder_remembers(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rd_atomic = 2});
	struct tp_run nak;

	p->wire->room = 0;
	read_request(p, FIRST_PSN, 0, 8);
	read_request(p, FIRST_PSN + 1, 0, 8);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_RTS);
	read_request(p, FIRST_PSN + 2, 0, 8);
	p->wire->room = 8;
	tp_port_ready(p->host[1]->port);
	nak = last_sent(p);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 8, READ_RESPONSE_ONLY 000101 8, "
				     "NAK61 000102");
	assert_int_equal(nak.why.id, BASE_CAUSE_RESP_NO_SLOT);
	assert_int_equal(nak.why.arg[0], 2);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
}

/* [rcp 9.11] */
static void atomic__both_kinds(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	uint64_t *word = (uint64_t *)(void *)p->host[1]->buffer;

	*word = 100;
	atomic(p, PKT_RC_FETCH_ADD, FIRST_PSN, 11, 0);
	assert_int_equal(last_sent(p).atomicacketh.original, 100);
	assert_int_equal(last_sent(p).aeth.msn.v, 1);
	assert_int_equal(*word, 111);
	atomic(p, PKT_RC_COMPARE_SWAP, FIRST_PSN + 1, 7, 111);
	assert_int_equal(last_sent(p).atomicacketh.original, 111);
	assert_int_equal(*word, 7);
	atomic(p, PKT_RC_COMPARE_SWAP, FIRST_PSN + 2, 8, 111);
	assert_int_equal(last_sent(p).atomicacketh.original, 7);
	assert_int_equal(*word, 7);
	assert_string_equal(said(p), "ATOMIC_ACKNOWLEDGE 000100, ATOMIC_ACKNOWLEDGE 000101, "
				     "ATOMIC_ACKNOWLEDGE 000102");
}

/* An atomic write: 8 bytes that go with the request, and an answer without any. */
static void atomic_write__stores_the_word(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	uint64_t *word = (uint64_t *)(void *)p->host[1]->buffer;

	request(p, PKT_RC_ATOMIC_WRITE, FIRST_PSN, 8);
	assert_memory_equal(word, payload, 8);
	assert_int_equal(last_sent(p).aeth.msn.v, 1);
	*word = 5;
	request(p, PKT_RC_ATOMIC_WRITE, FIRST_PSN, 8); /* a duplicate is answered, and no more */
	assert_int_equal(*word, 5);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 0, READ_RESPONSE_ONLY 000100 0");
	request(p, PKT_RC_FETCH_ADD, FIRST_PSN, 0); /* not what was remembered */
	assert_string_equal(said(p), "");
}

static void atomic_write__refusals(void **state)
{
	static const struct {
		uint32_t payload_bytes, dma_bytes, offset;
		enum base_cause_id why;
	} cases[] = {
		{4, 8, 0, BASE_CAUSE_RESP_PAYLOAD_LENGTH},
		{8, 16, 0, BASE_CAUSE_RESP_PAYLOAD_LENGTH},
		{0, 0, 0, BASE_CAUSE_RESP_PAYLOAD_LENGTH},
		{8, 8, 4, BASE_CAUSE_RESP_ATOMIC_ALIGNMENT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct test_pair *p = begin(state, &(struct test_qp_options){0});
		struct tp_run run;

		packet(p, PKT_RC_ATOMIC_WRITE, FIRST_PSN, cases[i].payload_bytes, &run);
		run.reth.dma_bytes = cases[i].dma_bytes;
		run.reth.va += cases[i].offset;
		tp_receive(p->host[1]->port, &run);
		assert_int_equal(last_sent(p).why.id, cases[i].why);
		assert_string_equal(said(p), "NAK61 000100");
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

/* [rcp 9.15, 10]: each fatal NAK, the reason with it, and what becomes of the receive in use. */
static void refuse__table(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t bytes, recv_bytes, rkey, offset;
		uint8_t syndrome;
		enum ib_wc_status status; /* of the posted receive */
		uint16_t why;		  /* 0: the region's reason, whatever it is called */
	} rows[] = {
		{PKT_RC_SEND_ONLY, 65, 64, 0, 0, 0x61, IB_WC_LOC_LEN_ERR,
		 BASE_CAUSE_RESP_SEND_TOO_LONG},
		{PKT_RC_SEND_MIDDLE, PMTU, 64, 0, 0, 0x61, IB_WC_WR_FLUSH_ERR,
		 BASE_CAUSE_RESP_OPCODE_ORDER},
		{PKT_RC_WRITE_ONLY, 8, 64, 0xbad00, 0, 0x62, IB_WC_WR_FLUSH_ERR, 0},
		{PKT_RC_WRITE_ONLY, 8, 64, 0, TEST_HOST_BUFFER_BYTES - 7, 0x62, IB_WC_WR_FLUSH_ERR,
		 0},
		{PKT_RC_FETCH_ADD, 0, 64, 0xbad00, 0, 0x62, IB_WC_WR_FLUSH_ERR, 0},
		{PKT_RC_FETCH_ADD, 0, 64, 0, 4, 0x61, IB_WC_WR_FLUSH_ERR,
		 BASE_CAUSE_RESP_ATOMIC_ALIGNMENT},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct test_pair *p = begin(state, &(struct test_qp_options){0});
		struct tp_run run;
		struct ib_wc wc;

		assert_int_equal(test_post_recv(&p->b, 1, 0, rows[i].recv_bytes), 0);
		packet(p, rows[i].opcode, FIRST_PSN, rows[i].bytes, &run);
		if (pkt_op(rows[i].opcode)->headers & PKT_ATOMICETH) {
			run.atomiceth.va += rows[i].offset;
			run.atomiceth.rkey = rows[i].rkey ? rows[i].rkey : run.atomiceth.rkey;
		} else {
			run.reth.va += rows[i].offset;
			run.reth.rkey = rows[i].rkey ? rows[i].rkey : run.reth.rkey;
		}
		tp_receive(p->host[1]->port, &run);
		run = last_sent(p);
		assert_int_equal(run.aeth.syndrome, rows[i].syndrome);
		assert_int_equal(run.psn.v, FIRST_PSN);
		if (rows[i].why)
			assert_int_equal(run.why.id, rows[i].why);
		else
			assert_in_range(run.why.id, 300, 599);
		assert_int_equal(run.why.side, BASE_SIDE_RESPONDER);
		assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
		wc = received(p);
		assert_int_equal(wc.status, rows[i].status);
		assert_int_equal(wc.vendor_err, run.why.id);
		said(p);
		request(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8); /* dead is dead */
		assert_string_equal(said(p), "");
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

/* [rcp 9.9, 9.10, 9.11]: a queue pair without remote rights. */
static void refuse__no_remote_rights(void **state)
{
	static const uint8_t opcodes[] = {PKT_RC_WRITE_ONLY, PKT_RC_READ_REQUEST, PKT_RC_FETCH_ADD,
					  PKT_RC_ATOMIC_WRITE};

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		struct test_pair *p =
			begin(state, &(struct test_qp_options){.access = IB_ACCESS_LOCAL_WRITE});

		request(p, opcodes[i], FIRST_PSN, 0);
		assert_int_equal(last_sent(p).why.id, BASE_CAUSE_RESP_QP_ACCESS);
		assert_int_equal(last_sent(p).why.arg[1], IB_ACCESS_LOCAL_WRITE);
		assert_string_equal(said(p), "NAK61 000100");
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

/* [rcp 10]: class A. */
static void refuse__receive_with_a_bad_sge(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct ib_sge sge = {(uintptr_t)p->host[1]->buffer, 64, 0x12300};
	const struct ib_recv_wr wr = {.wr_id = 6, .sg_list = &sge, .num_sge = 1};

	assert_int_equal(ib_post_recv(p->b.ib, &wr, NULL), 0);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	assert_string_equal(said(p), "NAK63 000100");
	assert_int_equal(received(p).status, IB_WC_LOC_PROT_ERR);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
}

/* What was answered before the refusal is sent before it. */
static void refuse__after_a_read_that_waits(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	tp_batch_begin();
	read_request(p, FIRST_PSN, 0, 8);
	request(p, PKT_RC_SEND_LAST, FIRST_PSN + 1, 8);
	tp_batch_end();
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 8, NAK61 000101");
}

static void *map_page(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Memory that the program has unmapped: an error of the connection, not of the process. */
static void unmapped__receive(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	char *page;
	struct ib_mr *mr = test_unmapped_mr(p->host[1],
					    IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
						    IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC,
					    &page);
	struct ib_sge sge = {(uintptr_t)page, 64, mr->lkey};
	const struct ib_recv_wr wr = {.wr_id = 6, .sg_list = &sge, .num_sge = 1};
	struct ib_wc wc;

	assert_int_equal(ib_post_recv(p->b.ib, &wr, NULL), 0);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	assert_string_equal(said(p), "NAK63 000100");
	wc = received(p);
	assert_int_equal(wc.status, IB_WC_LOC_PROT_ERR);
	assert_int_equal(wc.vendor_err, BASE_CAUSE_RESP_RECEIVE_UNMAPPED);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void unmapped__target_of_write_and_atomic(void **state)
{
	static const uint8_t opcodes[] = {PKT_RC_WRITE_ONLY, PKT_RC_FETCH_ADD, PKT_RC_ATOMIC_WRITE};

	for (size_t i = 0; i < sizeof(opcodes); i++) {
		const bool fetch = opcodes[i] == PKT_RC_FETCH_ADD;
		struct test_pair *p = begin(state, &(struct test_qp_options){0});
		char *page;
		struct ib_mr *mr =
			test_unmapped_mr(p->host[1],
					 IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
						 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC,
					 &page);
		struct tp_run run;

		packet(p, opcodes[i], FIRST_PSN, fetch ? 0 : 8, &run);
		if (fetch)
			run.atomiceth =
				(struct pkt_atomiceth){.va = (uintptr_t)page, .rkey = mr->rkey};
		else
			run.reth = (struct pkt_reth){(uintptr_t)page, mr->rkey, 8};
		tp_receive(p->host[1]->port, &run);
		assert_int_equal(last_sent(p).why.id, BASE_CAUSE_RESP_MEMORY_UNMAPPED);
		assert_string_equal(said(p), "NAK62 000100");
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
		assert_int_equal(ib_dereg_mr(mr), 0);
	}
}

/* The requester's memory: it is told; nothing happens here, and the receive is still good. */
static void unmapped__source(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct iovec iov[2] = {{payload, 100}, {map_page(), 100}};
	struct tp_run run;

	mprotect(iov[1].iov_base, 4096, PROT_NONE);
	assert_int_equal(test_post_recv(&p->b, 1, 0, 512), 0);
	packet(p, PKT_RC_SEND_ONLY, FIRST_PSN, 200, &run);
	run.payload.iov = iov;
	run.payload.count = 2;
	tp_receive(p->host[1]->port, &run);
	run = last_sent(p);
	assert_int_equal(run.why.id, BASE_CAUSE_REQ_MEMORY_UNMAPPED);
	assert_string_equal(said(p), "NAK63 000100");
	assert_int_equal(test_qp_state(&p->b), IB_QPS_RTS);
	read_request(p, FIRST_PSN, 0, 8); /* does not disturb the receive that waits */
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN + 1, 200);
	assert_string_equal(said(p), "READ_RESPONSE_ONLY 000100 8, ACK 000101");
	assert_int_equal(received(p).wr_id, 1);
	assert_memory_equal(p->host[1]->buffer, payload, 200);
}

/* A write that is tried again: the receive that its immediate took is not taken twice. */
static void unmapped__source_of_a_write_with_immediate(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct iovec iov = {map_page(), 100};
	struct tp_run run;
	struct ib_wc wc;

	mprotect(iov.iov_base, 4096, PROT_NONE);
	assert_int_equal(test_post_recv(&p->b, 1, 0, 0), 0);
	assert_int_equal(test_post_recv(&p->b, 2, 0, 0), 0);
	packet(p, PKT_RC_WRITE_ONLY_IMM, FIRST_PSN, 100, &run);
	run.payload.iov = &iov;
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "NAK63 000100");
	request(p, PKT_RC_WRITE_ONLY_IMM, FIRST_PSN, 100);
	assert_string_equal(said(p), "ACK 000100");
	assert_int_equal(received(p).wr_id, 1);
	assert_false(test_poll(p->b.recv_cq, &wc));
}

/* [rcp 9.8] */
static void invalidate__fast_registered_region(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct ib_mr *mr = ib_alloc_mr(p->host[1]->pd, IB_MR_TYPE_MEM_REG, 4);
	struct tp_run run;
	struct ib_wc wc;

	assert_false(IS_ERR(mr));
	assert_int_equal(test_post_recv(&p->b, 1, 0, 64), 0);
	assert_int_equal(test_post_recv(&p->b, 2, 0, 64), 0);
	packet(p, PKT_RC_SEND_ONLY_INV, FIRST_PSN, 8, &run);
	run.ieth = mr->rkey;
	tp_receive(p->host[1]->port, &run);
	wc = received(p);
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_INVALIDATE);
	assert_int_equal(wc.ex.invalidate_rkey, mr->rkey);
	assert_string_equal(said(p), "ACK 000100");
	run.psn = psn(FIRST_PSN + 1);
	run.ieth = 0xbad00;
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "ACK 000101");
	wc = received(p);
	assert_int_equal(wc.status, IB_WC_REM_INV_REQ_ERR);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.vendor_err, BASE_CAUSE_RESP_INVALIDATE);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
	test_qp_destroy(&p->b);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* What is left of a message stays outside, though it began when the key was good. */
static void invalidate__in_the_middle_of_a_write(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct tp_run run;

	packet(p, PKT_RC_WRITE_FIRST, FIRST_PSN, PMTU, &run);
	run.reth.dma_bytes = PMTU + 8;
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(said(p), "ACK 000100");
	assert_memory_equal(p->host[1]->buffer, payload, PMTU);
	assert_int_equal(rvt_invalidate_rkey(ibqp_to_rvtqp(p->b.ib), p->host[1]->mr->rkey), 0);
	request(p, PKT_RC_WRITE_LAST, FIRST_PSN + 1, 8);
	assert_int_equal(last_sent(p).why.id, BASE_CAUSE_RKEY_INVALIDATED);
	assert_string_equal(said(p), "NAK62 000101");
	assert_int_equal(p->host[1]->buffer[PMTU], 0);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
}

/* [rcp 10], [sm 7.6] */
static void complete__no_room_in_the_cq(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.cqe = 1});

	assert_int_equal(test_post_recv(&p->b, 1, 0, 64), 0);
	assert_int_equal(test_post_recv(&p->b, 2, 0, 64), 0);
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN, 8);
	assert_string_equal(said(p), "ACK 000100");
	request(p, PKT_RC_SEND_ONLY, FIRST_PSN + 1, 8);
	assert_string_equal(said(p), "");
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
}

/* [rcp 9.6]: and once only. */
static void comm_est__is_raised_in_rtr(void **state)
{
	struct test_pair *p = *state;

	p->wire->hold = true;
	assert_int_equal(test_pair_create(p, &(struct test_qp_options){.psn = FIRST_PSN},
					  &(struct test_qp_options){0}),
			 0);
	assert_int_equal(test_qp_init(&p->a), 0);
	assert_int_equal(test_qp_init(&p->b), 0);
	assert_int_equal(test_qp_rtr(&p->b, &p->a), 0);
	request(p, PKT_RC_WRITE_ONLY, FIRST_PSN, 8);
	test_turn(0);
	assert_int_equal(p->b.events, 1u << IB_EVENT_COMM_EST);
	p->b.events = 0;
	request(p, PKT_RC_WRITE_ONLY, FIRST_PSN + 1, 8);
	test_turn(0);
	assert_int_equal(p->b.events, 0);
	assert_string_equal(said(p), "ACK 000100, ACK 000101");
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(send__of_a_megabyte_is_one_step),
		T(send__from_segments_to_sges),
		T(ack__carries_credits_and_msn),
		T(ack__of_an_srq_gives_no_credits),
		T(ack__serves_a_batch),
		T(nak__is_overtaken_by_what_it_asks_for),
		T(write__goes_where_the_rkey_says),
		T(write__with_immediate_takes_a_receive),
		T(read__is_answered_by_one_run),
		T(read__response_in_pieces),
		T(read__more_than_the_responder_remembers),
		T(atomic__both_kinds),
		T(atomic_write__stores_the_word),
		T(atomic_write__refusals),
		T(refuse__table),
		T(refuse__no_remote_rights),
		T(refuse__receive_with_a_bad_sge),
		T(refuse__after_a_read_that_waits),
		T(unmapped__receive),
		T(unmapped__target_of_write_and_atomic),
		T(unmapped__source),
		T(unmapped__source_of_a_write_with_immediate),
		T(invalidate__fast_registered_region),
		T(invalidate__in_the_middle_of_a_write),
		T(complete__no_room_in_the_cq),
		T(comm_est__is_raised_in_rtr),
	};

	return verbena_test_main(tests);
}
