// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* UC: in order or not at all; and how UC and UD requests complete. */
#include "common/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "common/test_host.h"
#include "transport/rc_resp.h"

#define FIRST_PSN 0xfffffeu
#define PMTU 1024u

static char payload[8192];
static struct iovec payload_iov = {payload, sizeof(payload)};

static struct test_pair *connect_pair(void **state, const struct test_qp_options *b)
{
	struct test_pair *p = *state;
	struct test_qp_options options = *b;

	options.type = IB_QPT_UC;
	p->wire->hold = true;
	assert_int_equal(
		test_pair_connect(p, &(struct test_qp_options){.type = IB_QPT_UC, .psn = FIRST_PSN},
				  &options),
		0);
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (char)(i * 7 + i / 256);
	return p;
}

static struct test_pair *begin(void **state)
{
	return connect_pair(state, &(struct test_qp_options){0});
}

static const char *sent(struct test_pair *p)
{
	while (test_wire_drop(p->wire))
		;
	return test_wire_log(p->wire);
}

static void fill(struct test_pair *p, uint8_t opcode, uint32_t at, uint32_t bytes,
		 struct tp_run *run)
{
	test_pair_packet(&p->b, &p->a, opcode, at & 0xffffff, run);
	run->payload = (struct tp_payload){.iov = &payload_iov, .count = 1, .bytes = bytes};
	if (pkt_op(opcode)->headers & PKT_RETH)
		run->reth = (struct pkt_reth){.va = (uintptr_t)p->host[1]->buffer + 4096,
					      .rkey = p->host[1]->mr->rkey,
					      .dma_bytes = bytes};
}

static void packet(struct test_pair *p, uint8_t opcode, uint32_t at, uint32_t bytes)
{
	struct tp_run run;

	fill(p, opcode, at, bytes, &run);
	tp_receive(p->host[1]->port, &run);
}

/* What was received: "1:100" is receive 1 with 100 bytes, "2!4" receive 2 with status 4. */
static const char *received(struct test_pair *p)
{
	static char text[256];
	size_t used = 0;
	struct ib_wc wc;

	text[0] = 0;
	while (test_poll(p->b.recv_cq, &wc))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u%c%u",
					 used ? " " : "", (unsigned int)wc.wr_id,
					 wc.status ? '!' : ':',
					 wc.status ? (unsigned int)wc.status : wc.byte_len);
	return text;
}

static u64 drops(struct test_pair *p)
{
	return p->host[1]->ibp.n_pkt_drops;
}

/* [rcp 11]: no A, no ACK; complete when the wire has let go. */
static void uc_send__completes_when_the_wire_lets_go(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_wc wc;

	p->wire->most_packets = 2;
	assert_int_equal(
		test_post_send(&p->a,
			       &(struct test_wr){.opcode = IB_WR_SEND, .wr_id = 1, .bytes = 3000}),
		0);
	assert_int_equal(test_post_send(&p->a,
					&(struct test_wr){.opcode = IB_WR_RDMA_WRITE_WITH_IMM,
							  .wr_id = 2,
							  .flags = IB_SEND_SOLICITED,
							  .remote = p->host[1]}),
			 0);
	test_wire_drop(p->wire);
	assert_false(test_poll(p->a.send_cq, &wc));
	test_wire_drop(p->wire);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_string_equal(sent(p), "SEND_FIRST..MIDDLE fffffe+2 2048, SEND_LAST 000000 952, "
				     "WRITE_ONLY_IMM 000001 0S");
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 2);
}

/* A wire that copies lets go at once. */
static void uc_send__wire_that_copies(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_wc wc;

	test_wire_set_copies(p->wire, true);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND, .bytes = 9}),
			 0);
	assert_true(test_poll(p->a.send_cq, &wc));
}

static void uc_send__wire_is_full(void **state)
{
	struct test_pair *p = begin(state);

	p->wire->room = 0;
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND}), 0);
	p->wire->room = 1;
	tp_port_ready(p->host[0]->port);
	assert_string_equal(sent(p), "SEND_ONLY fffffe 0");
}

/* Lost on its way into the wire: as if lost later. */
static void uc_send__wire_cannot_send(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_wc wc;

	p->wire->error = -EMSGSIZE;
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND}), 0);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
}

/* Lost packets do not stand for those of an earlier request that the wire still reads from. */
static void uc_send__wire_cannot_send_any_more(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_wc wc;

	for (u64 i = 1; i <= 2; i++) {
		assert_int_equal(
			test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND, .wr_id = i}),
			0);
		p->wire->error = -EMSGSIZE;
	}
	assert_false(test_poll(p->a.send_cq, &wc));
	test_wire_drop(p->wire);
	for (u64 i = 1; i <= 2; i++) {
		assert_true(test_poll(p->a.send_cq, &wc));
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.status, IB_WC_SUCCESS);
	}
}

/* The beginning of a message has left before the rest turns out not to be mapped. */
static void uc_send__memory_is_not_mapped_in_part(void **state)
{
	struct test_pair *p = begin(state);
	char *page;
	struct ib_mr *mr = test_unmapped_mr(p->host[0], 0, &page);
	struct ib_sge sge[2] = {{(uintptr_t)p->host[0]->buffer, PMTU, p->host[0]->mr->lkey},
				{(uintptr_t)page, PMTU, mr->lkey}};
	const struct ib_send_wr wr = {
		.wr_id = 5, .opcode = IB_WR_SEND, .sg_list = sge, .num_sge = 2};
	struct ib_wc wc;

	test_wire_set_copies(p->wire, true);
	p->wire->most_packets = 1;
	assert_int_equal(ib_post_send(p->a.ib, &wr, NULL), 0);
	assert_string_equal(sent(p), "SEND_FIRST fffffe 1024");
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_LOC_PROT_ERR);
	test_wire_set_copies(p->wire, false);
	assert_int_equal(test_qp_to(&p->a, IB_QPS_RTS), 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND}), 0);
	assert_false(test_poll(p->a.send_cq, &wc));
	test_wire_drop(p->wire);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	ib_dereg_mr(mr);
	munmap(page, 4096);
}

/* [sm 6]: a send error stops the sends, not the receives. */
static void send_unmapped(void **state, bool copies)
{
	struct test_pair *p = begin(state);
	char *page;
	struct ib_mr *mr = test_unmapped_mr(p->host[0], 0, &page);
	struct ib_sge sge = {(uintptr_t)page, 64, mr->lkey};
	const struct ib_send_wr wr = {
		.wr_id = 5, .opcode = IB_WR_SEND, .sg_list = &sge, .num_sge = 1};
	struct ib_wc wc;

	test_wire_set_copies(p->wire, copies);
	assert_int_equal(ib_post_send(p->a.ib, &wr, NULL), 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND, .wr_id = 6}),
			 0);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 5);
	assert_int_equal(wc.status, IB_WC_LOC_PROT_ERR);
	assert_int_equal(wc.vendor_err, BASE_CAUSE_REQ_MEMORY_UNMAPPED);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 6);
	assert_int_equal(wc.status, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_SQE);
	assert_int_equal(test_qp_to(&p->a, IB_QPS_RTS), 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND}), 0);
	assert_string_equal(sent(p), "SEND_ONLY 000000 0");
	ib_dereg_mr(mr);
}

static void uc_send__memory_is_not_mapped(void **state)
{
	send_unmapped(state, true);
}

/* Nobody would tell: the receiver drops what it cannot read. */
static void uc_send__memory_is_not_mapped_and_not_copied(void **state)
{
	send_unmapped(state, false);
}

/* [sm 7.2]: what is on the wire leaves it before the rest is flushed. */
static void flush__waits_for_the_wire(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_wc wc;

	p->wire->room = 1;
	for (u64 i = 1; i <= 2; i++)
		assert_int_equal(
			test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND, .wr_id = i}),
			0);
	assert_int_equal(test_qp_to(&p->a, IB_QPS_ERR), 0);
	test_turn(0);
	assert_false(test_poll(p->a.send_cq, &wc));
	test_wire_drop(p->wire);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_SUCCESS);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.status, IB_WC_WR_FLUSH_ERR);
	assert_int_equal(wc.wr_id, 2);
}

/* The rest of a message is not sent any more, so nothing is waited for but what the wire has. */
static void flush__of_a_request_that_the_wire_has_in_part(void **state)
{
	for (int copies = 0; copies < 2; copies++) {
		struct test_pair *p = begin(state);
		struct ib_wc wc, none = {0};

		test_wire_set_copies(p->wire, copies);
		p->wire->most_packets = 2;
		p->wire->room = 1;
		assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND,
									 .wr_id = 1,
									 .bytes = 5000}),
				 0);
		assert_int_equal(test_qp_to(&p->a, IB_QPS_ERR), 0);
		test_turn(0);
		assert_int_equal(test_poll(p->a.send_cq, &wc), copies);
		test_wire_drop(p->wire);
		assert_int_equal(test_poll(p->a.send_cq, copies ? &none : &wc), !copies);
		assert_int_equal(wc.wr_id, 1);
		assert_int_equal(wc.status, IB_WC_WR_FLUSH_ERR);
		test_qp_destroy(&p->a);
		test_qp_destroy(&p->b);
	}
}

/* [sm 6] */
static void sqd__begins_nothing(void **state)
{
	struct test_pair *p = begin(state);

	assert_int_equal(test_qp_to(&p->a, IB_QPS_SQD), 0);
	assert_int_equal(test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND}), 0);
	assert_string_equal(sent(p), "");
	assert_int_equal(test_qp_to(&p->a, IB_QPS_RTS), 0);
	test_turn(0);
	assert_string_equal(sent(p), "SEND_ONLY fffffe 0");
}

static void uc_receive__send_in_runs(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	assert_int_equal(test_post_recv(&p->b, 1, 0, 8192), 0);
	fill(p, PKT_UC_SEND_FIRST, FIRST_PSN, 2048, &run);
	run.packets = 2;
	run.pmtu_bytes = PMTU;
	run.last_opcode = PKT_UC_SEND_MIDDLE;
	tp_receive(p->host[1]->port, &run);
	fill(p, PKT_UC_SEND_MIDDLE, FIRST_PSN + 2, 1524, &run);
	run.packets = 2;
	run.pmtu_bytes = PMTU;
	run.last_opcode = PKT_UC_SEND_LAST_IMM;
	run.payload.offset = 2048;
	tp_receive(p->host[1]->port, &run);
	assert_string_equal(received(p), "1:3572");
	assert_memory_equal(p->host[1]->buffer, payload, 3572);
	assert_string_equal(sent(p), "");
	assert_int_equal(ibqp_to_rvtqp(p->b.ib)->r_psn, 2);
}

static void uc_receive__write(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	packet(p, PKT_UC_WRITE_ONLY, FIRST_PSN, 100);
	assert_memory_equal(p->host[1]->buffer + 4096, payload, 100);
	fill(p, PKT_UC_WRITE_FIRST, FIRST_PSN + 1, PMTU, &run);
	run.reth.dma_bytes = PMTU + 100;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(test_post_recv(&p->b, 1, 0, 0), 0);
	packet(p, PKT_UC_WRITE_LAST_IMM, FIRST_PSN + 2, 100);
	assert_string_equal(received(p), "1:1124");
	packet(p, PKT_UC_WRITE_ONLY, FIRST_PSN + 3, 0);
	assert_int_equal(drops(p), 0);
}

/* [rcp 11]: a gap drops the message in progress, and what cannot begin one. */
static void uc_receive__gap(void **state)
{
	struct test_pair *p = begin(state);

	assert_int_equal(test_post_recv(&p->b, 1, 0, 8192), 0);
	packet(p, PKT_UC_SEND_FIRST, FIRST_PSN, PMTU);
	packet(p, PKT_UC_SEND_LAST, FIRST_PSN + 2, 8); /* its MIDDLE is missing */
	packet(p, PKT_UC_SEND_LAST, FIRST_PSN + 3, 8);
	assert_string_equal(received(p), "");
	assert_int_equal(drops(p), 2);
	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN + 9, 50); /* the receive that was begun is kept */
	assert_string_equal(received(p), "1:50");
	assert_memory_equal(p->host[1]->buffer, payload, 50);
	packet(p, PKT_UC_WRITE_FIRST, FIRST_PSN + 10, PMTU);
	packet(p, PKT_UC_WRITE_LAST, FIRST_PSN + 12, 8);
	assert_int_equal(drops(p), 3);
}

/* So does a key that is taken away in the middle. */
static void uc_receive__invalidated(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	fill(p, PKT_UC_WRITE_FIRST, FIRST_PSN, PMTU, &run);
	run.reth.dma_bytes = PMTU + 8;
	tp_receive(p->host[1]->port, &run);
	assert_memory_equal(p->host[1]->buffer + 4096, payload, PMTU);
	assert_int_equal(rvt_invalidate_rkey(ibqp_to_rvtqp(p->b.ib), p->host[1]->mr->rkey), 0);
	packet(p, PKT_UC_WRITE_LAST, FIRST_PSN + 1, 8);
	assert_int_equal(drops(p), 1);
	assert_int_equal(p->host[1]->buffer[4096 + PMTU], 0);
}

/* [rcp 11]: so does a wrong order of opcodes. */
static void uc_receive__order(void **state)
{
	struct test_pair *p = begin(state);

	assert_int_equal(test_post_recv(&p->b, 1, 0, 8192), 0);
	assert_int_equal(test_post_recv(&p->b, 2, 0, 8192), 0);
	packet(p, PKT_UC_SEND_MIDDLE, FIRST_PSN, PMTU);
	packet(p, PKT_UC_SEND_FIRST, FIRST_PSN + 1, PMTU);
	packet(p, PKT_UC_WRITE_LAST, FIRST_PSN + 2, 8);
	packet(p, PKT_UC_SEND_LAST, FIRST_PSN + 3, 8);
	assert_int_equal(drops(p), 3);
	packet(p, PKT_UC_SEND_FIRST, FIRST_PSN + 4, PMTU);
	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN + 5, 8);
	assert_string_equal(received(p), "1:8");
	assert_int_equal(drops(p), 3);
}

/* [rcp 11, 4]: lengths. */
static void uc_receive__lengths(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	assert_int_equal(test_post_recv(&p->b, 1, 0, 100), 0);
	packet(p, PKT_UC_SEND_FIRST, FIRST_PSN, PMTU - 1);
	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN + 1, PMTU + 1);
	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN + 2, 101); /* longer than the receive */
	fill(p, PKT_UC_SEND_FIRST, FIRST_PSN + 3, 1024, &run);
	run.packets = 2;
	run.pmtu_bytes = 512;
	run.last_opcode = PKT_UC_SEND_LAST;
	tp_receive(p->host[1]->port, &run);
	fill(p, PKT_UC_WRITE_ONLY, FIRST_PSN + 5, 10, &run);
	run.reth.dma_bytes = 11;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(drops(p), 5);
	packet(p, PKT_UC_WRITE_FIRST, FIRST_PSN + 6, PMTU);
	packet(p, PKT_UC_WRITE_LAST, FIRST_PSN + 7, 0);
	assert_int_equal(drops(p), 6);
	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN + 8, 100);
	assert_string_equal(received(p), "1:100");
}

/* [rcp 11]: no receive, no right, wrong key: in silence. */
static void uc_receive__refusals(void **state)
{
	struct test_pair *p =
		connect_pair(state, &(struct test_qp_options){.access = IB_ACCESS_LOCAL_WRITE});
	struct tp_run run;

	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN, 8);
	packet(p, PKT_UC_WRITE_ONLY, FIRST_PSN + 1, 8);
	assert_int_equal(drops(p), 2);
	test_qp_destroy(&p->a);
	test_qp_destroy(&p->b);
	p = begin(state);
	packet(p, PKT_UC_WRITE_ONLY_IMM, FIRST_PSN, 8);
	fill(p, PKT_UC_WRITE_ONLY, FIRST_PSN + 1, 8, &run);
	run.reth.rkey = 0xbad00;
	tp_receive(p->host[1]->port, &run);
	run.reth = (struct pkt_reth){.dma_bytes = 0x80000001u};
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(drops(p), 5);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_RTS);
}

/* A WRITE with immediate takes the receive that a broken SEND has left, for it is the oldest. */
static void uc_receive__immediate_takes_the_kept_receive(void **state)
{
	struct test_pair *p = begin(state);

	assert_int_equal(test_post_recv(&p->b, 1, 0, 8192), 0);
	assert_int_equal(test_post_recv(&p->b, 2, 0, 8192), 0);
	packet(p, PKT_UC_SEND_FIRST, FIRST_PSN, PMTU);
	packet(p, PKT_UC_WRITE_ONLY_IMM, FIRST_PSN + 2, 8);
	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN + 3, 8);
	assert_string_equal(received(p), "1:8 2:8");
}

/* [rcp 11] */
static void uc_receive__receive_with_a_bad_sge(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_sge sge = {(uintptr_t)p->host[1]->buffer, 64, 0x12300};
	const struct ib_recv_wr wr = {.wr_id = 6, .sg_list = &sge, .num_sge = 1};

	assert_int_equal(ib_post_recv(p->b.ib, &wr, NULL), 0);
	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN, 8);
	assert_string_equal(received(p), "6!4");
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
}

static void uc_receive__memory_is_not_mapped(void **state)
{
	struct test_pair *p = begin(state);
	char *page;
	struct ib_mr *mr =
		test_unmapped_mr(p->host[1], IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE, &page);
	struct ib_sge sge = {(uintptr_t)page, 64, mr->lkey};
	const struct ib_recv_wr wr = {.wr_id = 6, .sg_list = &sge, .num_sge = 1};
	struct iovec gone = {page, 8};
	struct tp_run run;

	fill(p, PKT_UC_WRITE_ONLY, FIRST_PSN, 8, &run);
	run.reth = (struct pkt_reth){(uintptr_t)page, mr->rkey, 8};
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(drops(p), 1);
	assert_int_equal(ib_post_recv(p->b.ib, &wr, NULL), 0);
	fill(p, PKT_UC_SEND_ONLY, FIRST_PSN + 1, 8, &run);
	run.payload.iov = &gone;
	tp_receive(p->host[1]->port, &run); /* the sender's */
	assert_int_equal(drops(p), 2);
	assert_int_equal(test_qp_state(&p->b), IB_QPS_RTS);
	packet(p, PKT_UC_SEND_ONLY, FIRST_PSN + 2, 8);
	assert_string_equal(received(p), "6!4");
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
	ib_dereg_mr(mr);
}

/* A dead queue pair lets go of the region that a WRITE in progress holds. */
static void uc_receive__dies_in_the_middle_of_a_write(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	fill(p, PKT_UC_WRITE_FIRST, FIRST_PSN, PMTU, &run);
	run.reth.dma_bytes = 5000;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(test_qp_to(&p->b, IB_QPS_ERR), 0);
	assert_int_equal(ib_dereg_mr(p->host[1]->mr), 0);
	p->host[1]->mr = NULL;
}

/* [sm 7.7]: the region goes, and who was writing into it dies of that. */
static void uc_receive__region_goes_in_the_middle_of_a_write(void **state)
{
	struct test_pair *p = begin(state);
	struct tp_run run;

	fill(p, PKT_UC_WRITE_FIRST, FIRST_PSN, PMTU, &run);
	run.reth.dma_bytes = 5000;
	tp_receive(p->host[1]->port, &run);
	assert_int_equal(ib_dereg_mr(p->host[1]->mr), 0);
	p->host[1]->mr = NULL;
	assert_int_equal(test_qp_state(&p->b), IB_QPS_ERR);
}

/* Both ends. */
static void uc__from_post_to_both_completions(void **state)
{
	struct test_pair *p = begin(state);
	struct ib_wc wc;

	p->wire->hold = false;
	assert_int_equal(test_post_recv(&p->b, 1, 4096, 65536), 0);
	memcpy(p->host[0]->buffer, payload, sizeof(payload));
	assert_int_equal(
		test_post_send(&p->a, &(struct test_wr){.opcode = IB_WR_SEND, .bytes = 8000}), 0);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_string_equal(received(p), "1:8000");
	assert_memory_equal(p->host[1]->buffer + 4096, payload, 8000);
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(uc_send__completes_when_the_wire_lets_go),
		T(uc_send__wire_that_copies),
		T(uc_send__wire_is_full),
		T(uc_send__wire_cannot_send),
		T(uc_send__wire_cannot_send_any_more),
		T(uc_send__memory_is_not_mapped),
		T(uc_send__memory_is_not_mapped_and_not_copied),
		T(uc_send__memory_is_not_mapped_in_part),
		T(flush__waits_for_the_wire),
		T(flush__of_a_request_that_the_wire_has_in_part),
		T(sqd__begins_nothing),
		T(uc_receive__send_in_runs),
		T(uc_receive__write),
		T(uc_receive__gap),
		T(uc_receive__order),
		T(uc_receive__invalidated),
		T(uc_receive__lengths),
		T(uc_receive__refusals),
		T(uc_receive__immediate_takes_the_kept_receive),
		T(uc_receive__receive_with_a_bad_sge),
		T(uc_receive__memory_is_not_mapped),
		T(uc_receive__dies_in_the_middle_of_a_write),
		T(uc_receive__region_goes_in_the_middle_of_a_write),
		T(uc__from_post_to_both_completions),
	};

	return verbena_test_main(tests);
}
