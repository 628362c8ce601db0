/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* An RC responder with a real receive queue, region and CQ; requests come from the test. */
#ifndef TESTS_TRANSPORT_RC_RESP_FIXTURE_H
#define TESTS_TRANSPORT_RC_RESP_FIXTURE_H

#include "common/test.h"
#include "common/test_host.h"

#define FIRST_PSN 0x100u
#define PMTU 1024u

static char payload[1u << 17];
static struct iovec payload_iov = {payload, sizeof(payload)};

/* b's responder is what is tested; what it says goes nowhere. */
static inline struct test_pair *begin(void **state, const struct test_qp_options *b)
{
	struct test_pair *p = *state;

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &(struct test_qp_options){.psn = FIRST_PSN}, b), 0);
	for (size_t i = 0; i < sizeof(payload); i++)
		payload[i] = (char)(i * 7 + i / 256);
	return p;
}

static inline const char *said(struct test_pair *p)
{
	while (test_wire_drop(p->wire))
		;
	return test_wire_log(p->wire);
}

static inline void packet(struct test_pair *p, uint8_t opcode, uint32_t at, uint32_t bytes,
			  struct tp_run *run)
{
	test_pair_packet(&p->b, &p->a, opcode, at, run);
	run->ack_req = true;
	run->payload = (struct tp_payload){.iov = &payload_iov, .count = 1, .bytes = bytes};
	if (pkt_op(opcode)->headers & PKT_RETH)
		run->reth = (struct pkt_reth){.va = (uintptr_t)p->host[1]->buffer,
					      .rkey = p->host[1]->mr->rkey,
					      .dma_bytes = bytes};
	if (pkt_op(opcode)->headers & PKT_ATOMICETH)
		run->atomiceth = (struct pkt_atomiceth){.va = (uintptr_t)p->host[1]->buffer,
							.rkey = p->host[1]->mr->rkey};
}

static inline void read_request(struct test_pair *p, uint32_t at, uint32_t offset, uint32_t bytes)
{
	struct tp_run run;

	packet(p, PKT_RC_READ_REQUEST, at, 0, &run);
	run.reth.va += offset;
	run.reth.dma_bytes = bytes;
	tp_receive(p->host[1]->port, &run);
}

static inline void atomic(struct test_pair *p, uint8_t opcode, uint32_t at, uint64_t swap_add,
			  uint64_t compare)
{
	struct tp_run run;

	packet(p, opcode, at, 0, &run);
	run.atomiceth.swap_add = swap_add;
	run.atomiceth.compare = compare;
	tp_receive(p->host[1]->port, &run);
}

/* What waits on the wire. */
static inline struct tp_run last_sent(struct test_pair *p)
{
	assert_true(p->wire->count > 0);
	return p->wire->queue[(p->wire->head + p->wire->count - 1) % TEST_WIRE_ROOM].run;
}

#endif
