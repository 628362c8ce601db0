// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The RC requester: which runs a post makes, and what it waits for. The peer is the test. */
#include "common/test.h"

#include <string.h>
#include <sys/mman.h>

#include "base/host.h"
#include "common/test_host.h"
#include "packet/aeth.h"

#define FIRST_PSN 0xfffffeu

/* a's requester is what is tested; b never hears of it. */
static struct test_pair *begin(void **state, const struct test_qp_options *a)
{
	struct test_pair *p = *state;
	struct test_qp_options options = *a;

	if (!options.psn)
		options.psn = FIRST_PSN;
	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &options, &(struct test_qp_options){0}), 0);
	return p;
}

static const char *sent(struct test_pair *p)
{
	while (test_wire_drop(p->wire))
		;
	return test_wire_log(p->wire);
}

static void post(struct test_pair *p, enum ib_wr_opcode opcode, uint32_t bytes, int flags)
{
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = opcode,
								 .bytes = bytes,
								 .flags = flags,
								 .remote = p->host[1]}),
			 0);
}

static void answer(struct test_pair *p, uint32_t at, uint8_t syndrome, uint32_t msn_value)
{
	struct tp_run run;

	test_pair_packet(&p->a, &p->b, PKT_RC_ACKNOWLEDGE, at, &run);
	run.aeth = (struct pkt_aeth){.syndrome = syndrome, .msn = msn(msn_value)};
	tp_receive(p->host[0]->port, &run);
}

/* "No limit", so that credits do not matter. */
static void unlimited(struct test_pair *p)
{
	post(p, IB_WR_SEND, 0, 0);
	answer(p, FIRST_PSN, 0x1f, 1);
	assert_string_equal(sent(p), "SEND_ONLY fffffe 0A");
}

static struct tp_run last_run(struct test_pair *p)
{
	assert_true(p->wire->count > 0);
	return p->wire->queue[(p->wire->head + p->wire->count - 1) % TEST_WIRE_ROOM].run;
}

/* [rcp 4, 3]: each length around the path MTU, and across the end of the circle. */
static void segmentation__table(void **state)
{
	static const struct {
		uint32_t bytes;
		const char *log;
	} rows[] = {
		{0, "SEND_ONLY fffffe 0A"},
		{1, "SEND_ONLY fffffe 1A"},
		{1023, "SEND_ONLY fffffe 1023A"},
		{1024, "SEND_ONLY fffffe 1024A"},
		{1025, "SEND_FIRST..LAST fffffe+2 1025A"},
		{2048, "SEND_FIRST..LAST fffffe+2 2048A"},
		{5000, "SEND_FIRST..LAST fffffe+5 5000A"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct test_pair *p = begin(state, &(struct test_qp_options){0});

		post(p, IB_WR_SEND, rows[i].bytes, 0);
		assert_string_equal(sent(p), rows[i].log);
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

/* [rcp 2, 4]: the opcodes of each request, its headers, and SE and A at the end. */
static void opcodes__of_each_request(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rd_atomic = 16});
	struct tp_run run;

	unlimited(p);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND_WITH_IMM,
								 .bytes = 2000,
								 .imm = 0x11223344,
								 .flags = IB_SEND_SOLICITED}),
			 0);
	run = last_run(p);
	assert_int_equal(run.immdt, cpu_to_be32(0x11223344));
	assert_int_equal(run.dest_qpn, p->b.ib->qp_num);
	assert_int_equal(run.pkey, 0xffff);
	assert_int_equal(run.path.slid, 1);
	assert_int_equal(run.path.dlid, 2);
	assert_true(run.migrated);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND_WITH_INV,
								 .imm = 0x77}),
			 0);
	assert_int_equal(last_run(p).ieth, 0x77);
	post(p, IB_WR_RDMA_WRITE, 3000, IB_SEND_SOLICITED);
	run = last_run(p);
	assert_int_equal(run.reth.va, (uintptr_t)p->host[1]->buffer);
	assert_int_equal(run.reth.rkey, p->host[1]->mr->rkey);
	assert_int_equal(run.reth.dma_bytes, 3000);
	post(p, IB_WR_RDMA_WRITE_WITH_IMM, 0, IB_SEND_SOLICITED);
	post(p, IB_WR_RDMA_READ, 3000, 0);
	run = last_run(p);
	assert_int_equal(run.reth.dma_bytes, 3000);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_ATOMIC_CMP_AND_SWP,
								 .bytes = 8,
								 .compare_add = 5,
								 .swap = 6,
								 .remote = p->host[1]}),
			 0);
	assert_int_equal(last_run(p).atomiceth.compare, 5);
	assert_int_equal(last_run(p).atomiceth.swap_add, 6);
	assert_int_equal(test_post_send(&p->a,
					&(struct test_wr){.opcode = IB_WR_ATOMIC_FETCH_AND_ADD,
							  .bytes = 8,
							  .compare_add = 9,
							  .remote = p->host[1]}),
			 0);
	assert_int_equal(last_run(p).atomiceth.swap_add, 9);
	assert_int_equal(last_run(p).atomiceth.compare, 0);
	assert_string_equal(sent(p),
			    "SEND_FIRST..IMM ffffff+2 2000AS, SEND_ONLY_INV 000001 0A, "
			    "WRITE_FIRST..LAST 000002+3 3000A, WRITE_ONLY_IMM 000005 0AS, "
			    "READ_REQUEST 000006 3000A, COMPARE_SWAP 000009A, FETCH_ADD 00000aA");
}

/* [rcp 6]: one message ahead of the credits; WRITE and READ need none and bring one. */
static void credits__limit_what_takes_a_receive(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	for (int i = 0; i < 4; i++)
		post(p, IB_WR_SEND, 8, 0);
	assert_string_equal(sent(p), "SEND_ONLY fffffe 8A");
	assert_int_equal(p->host[0]->ibp.n_rc_crwaits > 0, true);
	answer(p, 0xfffffe, 1, 1); /* MSN 1 and one credit: up to message 3 */
	assert_string_equal(sent(p), "SEND_ONLY ffffff 8A, SEND_ONLY 000000 8A");
	answer(p, 0xffffff, 0, 2); /* nothing new */
	assert_string_equal(sent(p), "");
	answer(p, 0x000000, 0, 3);
	assert_string_equal(sent(p), "SEND_ONLY 000001 8A");
	post(p, IB_WR_RDMA_WRITE, 8, 0);
	post(p, IB_WR_RDMA_WRITE_WITH_IMM, 8, 0);
	assert_string_equal(sent(p), "WRITE_ONLY 000002 8A");
	answer(p, 0x000002, 0x1f, 5);
	assert_string_equal(sent(p), "WRITE_ONLY_IMM 000003 8A");
}

/* A duplicate of the last ACK may bring credits. */
static void credits__come_with_a_repeated_ack(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	for (int i = 0; i < 3; i++)
		post(p, IB_WR_SEND, 8, 0);
	answer(p, 0xfffffe, 0, 1);
	assert_string_equal(sent(p), "SEND_ONLY fffffe 8A, SEND_ONLY ffffff 8A");
	answer(p, 0xfffffe, 1, 1);
	assert_string_equal(sent(p), "SEND_ONLY 000000 8A");
	answer(p, 0xfffffd, 0x1f, 0); /* older still: not looked at */
	post(p, IB_WR_SEND, 8, 0);
	assert_string_equal(sent(p), "");
}

/* [rcp 8.1] */
static void fence__waits_for_reads_and_atomics(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct tp_run run;

	unlimited(p);
	post(p, IB_WR_RDMA_READ, 8, 0);
	post(p, IB_WR_SEND, 8, 0);
	post(p, IB_WR_SEND, 9, IB_SEND_FENCE);
	assert_string_equal(sent(p), "READ_REQUEST ffffff 8A, SEND_ONLY 000000 8A");
	test_pair_packet(&p->a, &p->b, PKT_RC_READ_RESPONSE_ONLY, 0xffffff, &run);
	run.payload = (struct tp_payload){
		.iov = &(struct iovec){p->host[1]->buffer, 8}, .count = 1, .bytes = 8};
	run.aeth.syndrome = 0x1f;
	tp_receive(p->host[0]->port, &run);
	assert_string_equal(sent(p), "SEND_ONLY 000001 9A");
}

/* [rcp 8.1]: max_rd_atomic. Later requests wait behind. */
static void rd_atomic__limit(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rd_atomic = 2});
	struct tp_run run;

	unlimited(p);
	for (int i = 0; i < 3; i++)
		post(p, IB_WR_ATOMIC_FETCH_AND_ADD, 8, 0);
	post(p, IB_WR_SEND, 8, 0);
	assert_string_equal(sent(p), "FETCH_ADD ffffffA, FETCH_ADD 000000A");
	test_pair_packet(&p->a, &p->b, PKT_RC_ATOMIC_ACKNOWLEDGE, 0xffffff, &run);
	run.aeth.syndrome = 0x1f;
	run.atomicacketh.original = 0x1122334455667788;
	tp_receive(p->host[0]->port, &run);
	assert_string_equal(sent(p), "FETCH_ADD 000001A, SEND_ONLY 000002 8A");
	assert_int_equal(*(uint64_t *)(void *)p->host[0]->buffer, 0x1122334455667788);
}

/* A chain is sent by one call of the engine. */
static void chain__is_sent_at_once(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct ib_send_wr wr[3] = {{.opcode = IB_WR_SEND, .next = &wr[1]},
				   {.opcode = IB_WR_SEND, .next = &wr[2]},
				   {.opcode = IB_WR_SEND}};

	unlimited(p);
	assert_int_equal(ib_post_send(p->a.ib, wr, NULL), 0);
	assert_string_equal(sent(p),
			    "SEND_ONLY ffffff 0A, SEND_ONLY 000000 0A, SEND_ONLY 000001 0A");
}

/* A full wire, and one that takes less than it is offered. */
static void wire__takes_less(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	p->wire->most_packets = 2;
	p->wire->room = 1;
	post(p, IB_WR_SEND, 5000, 0);
	assert_string_equal(sent(p), "SEND_FIRST..MIDDLE fffffe+2 2048");
	assert_int_equal(p->host[0]->ibp.n_dmawait, 1);
	p->wire->room = 5;
	tp_port_ready(p->host[0]->port);
	assert_string_equal(sent(p), "SEND_MIDDLE..MIDDLE 000000+2 2048, SEND_LAST 000002 904A");
}

/* A wire that copies cannot read the payload. */
static void wire__cannot_read_the_payload(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	char *page;
	struct ib_mr *mr = test_unmapped_mr(p->host[0], IB_ACCESS_LOCAL_WRITE, &page);
	struct ib_sge sge = {(uintptr_t)page, 64, mr->lkey};
	const struct ib_send_wr wr = {
		.wr_id = 5, .opcode = IB_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1};
	const struct ib_rdma_wr rdma = {.wr = wr,
					.remote_addr = (uintptr_t)p->host[1]->buffer,
					.rkey = p->host[1]->mr->rkey};
	struct ib_wc wc;

	test_wire_set_copies(p->wire, true);
	post(p, IB_WR_RDMA_WRITE, 8, 0);
	assert_int_equal(ib_post_send(p->a.ib, &rdma.wr, NULL), 0);
	post(p, IB_WR_RDMA_WRITE, 16, 0);
	assert_string_equal(sent(p), "WRITE_ONLY fffffe 8A");
	assert_false(test_poll(p->a.send_cq, &wc));
	answer(p, 0xfffffe, 0x1f, 1); /* what was before it completes as it should */
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 5);
	assert_int_equal(wc.status, IB_WC_LOC_PROT_ERR);
	assert_int_equal(wc.vendor_err, BASE_CAUSE_REQ_MEMORY_UNMAPPED);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(wc.vendor_err, BASE_CAUSE_REQ_MEMORY_UNMAPPED);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_ERR);
	test_qp_destroy(&p->a);
	ib_dereg_mr(mr);
}

/* What a wire cannot send for other reasons is lost, and comes again. */
static void wire__loses_what_it_cannot_send(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	p->wire->error = -EMSGSIZE;
	post(p, IB_WR_RDMA_WRITE, 3000, 0);
	assert_string_equal(sent(p), "");
	p->wire->error = 0;
	test_turn(100000000);
	assert_string_equal(sent(p), "WRITE_FIRST fffffe 1024A");
}

/* [rcp 8.11]: in the middle of a message, from any packet on. */
static void restart__in_the_middle(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});

	post(p, IB_WR_SEND, 5000, 0);
	sent(p);
	answer(p, 0x000000, 0x60, 0);
	assert_string_equal(sent(p), "SEND_MIDDLE..LAST 000000+3 2952A");
	answer(p, 0x000002, 0x60, 0);
	assert_string_equal(sent(p), "SEND_LAST 000002 904A");
	assert_int_equal(p->host[0]->ibp.n_rc_resends, 3 + 1);
	assert_int_equal(p->host[0]->ibp.n_seq_naks, 2);
}

/* [rcp 8.11, 4]: a READ is asked for from its first missing packet on, and what follows again. */
static void restart__in_a_read(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.rd_atomic = 1});
	struct iovec iov = {p->host[1]->buffer, 2048};
	struct tp_run run;

	unlimited(p);
	post(p, IB_WR_RDMA_READ, 5000, 0);
	post(p, IB_WR_SEND, 8, 0);
	post(p, IB_WR_SEND, 9, IB_SEND_FENCE);
	assert_string_equal(sent(p), "READ_REQUEST ffffff 5000A, SEND_ONLY 000004 8A");
	test_pair_packet(&p->a, &p->b, PKT_RC_READ_RESPONSE_FIRST, 0xffffff, &run);
	run.last_opcode = PKT_RC_READ_RESPONSE_MIDDLE;
	run.packets = 2;
	run.pmtu_bytes = 1024;
	run.payload = (struct tp_payload){.iov = &iov, .count = 1, .bytes = 2048};
	tp_receive(p->host[0]->port, &run);
	answer(p, 0x000004, 0x1f, 3); /* its READ is not complete */
	run = last_run(p);
	assert_int_equal(run.first_opcode, PKT_RC_SEND_ONLY);
	assert_string_equal(sent(p), "READ_REQUEST 000001 2952A, SEND_ONLY 000004 8A");
	assert_int_equal(p->host[0]->ibp.n_rdma_seq, 1);
}

/* [rcp 8.8, 7]: one packet, with A, and the rest after its ACK. */
static void timeout__sends_one_packet(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.timeout = 14});

	post(p, IB_WR_RDMA_WRITE, 5000, 0);
	post(p, IB_WR_RDMA_WRITE, 8, 0);
	assert_string_equal(sent(p), "WRITE_FIRST..LAST fffffe+5 5000A, WRITE_ONLY 000003 8A");
	test_turn(67000000);
	assert_string_equal(sent(p), ""); /* 67.1 ms is the least */
	test_turn(1000000);
	assert_string_equal(sent(p), "WRITE_FIRST fffffe 1024A");
	assert_int_equal(p->host[0]->ibp.n_rc_timeouts, 1);
	answer(p, 0xfffffe, 0x1f, 0);
	assert_string_equal(sent(p), "WRITE_MIDDLE..LAST ffffff+4 3976A, WRITE_ONLY 000003 8A");
	answer(p, 0x000003, 0x1f, 2);
	test_turn(1000000000);
	assert_string_equal(sent(p), "");
}

/* [rcp 7]: 0 means never. */
static void timeout__none(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.timeout = 32});

	post(p, IB_WR_RDMA_WRITE, 8, 0);
	test_turn(100000000000);
	assert_string_equal(sent(p), "WRITE_ONLY fffffe 8A");
}

/* [sm 6]: SQD finishes what has begun and begins nothing; RTS goes on. */
static void sqd__begins_nothing(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){0});
	struct ib_qp_attr attr = {.qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1};

	post(p, IB_WR_RDMA_WRITE, 8, 0);
	assert_int_equal(ib_modify_qp(p->a.ib, &attr, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY), 0);
	post(p, IB_WR_RDMA_WRITE, 9, 0);
	assert_string_equal(sent(p), "WRITE_ONLY fffffe 8A");
	assert_int_equal(p->a.events, 0);
	answer(p, 0xfffffe, 0x1f, 1);
	test_turn(0);
	assert_int_equal(p->a.events, 1u << IB_EVENT_SQ_DRAINED);
	assert_string_equal(sent(p), "");
	assert_int_equal(test_qp_to(&p->a, IB_QPS_RTS), 0);
	test_turn(0);
	assert_string_equal(sent(p), "WRITE_ONLY ffffff 9A");
}

/* [rcp 3]: never more PSNs under way than can be told apart. */
static void window__is_half_the_circle(void **state)
{
	struct test_pair *p = begin(state, &(struct test_qp_options){.mtu = IB_MTU_256});
	struct ib_sge sge = {.addr = (uintptr_t)p->host[0]->buffer,
			     .length = 0x80000000u,
			     .lkey = p->host[0]->pd->local_dma_lkey};
	const struct ib_rdma_wr wr = {
		.wr = {.opcode = IB_WR_RDMA_WRITE, .sg_list = &sge, .num_sge = 1}, .rkey = 1};

	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0);
	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0);
	assert_string_equal(sent(p), "WRITE_FIRST..LAST fffffe+8388608 2147483648A");
	answer(p, 0xfffffe + 100, 0x1f, 0); /* part of it */
	assert_string_equal(sent(p), "");
	answer(p, 0x7ffffd, 0x1f, 1);
	assert_string_equal(sent(p), "WRITE_FIRST..LAST 7ffffe+8388608 2147483648A");
	answer(p, 0x7fffff, 0x60, 1);
	assert_string_equal(sent(p), "WRITE_MIDDLE..LAST 7fffff+8388607 2147483392A");
	answer(p, 0xfffffd, 0x1f, 2);
	assert_string_equal(sent(p), "");
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(segmentation__table),
		T(opcodes__of_each_request),
		T(credits__limit_what_takes_a_receive),
		T(credits__come_with_a_repeated_ack),
		T(fence__waits_for_reads_and_atomics),
		T(rd_atomic__limit),
		T(chain__is_sent_at_once),
		T(wire__takes_less),
		T(wire__cannot_read_the_payload),
		T(wire__loses_what_it_cannot_send),
		T(restart__in_the_middle),
		T(restart__in_a_read),
		T(timeout__sends_one_packet),
		T(timeout__none),
		T(sqd__begins_nothing),
		T(window__is_half_the_circle),
	};

	return verbena_test_main(tests);
}
