// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The RC responder's decisions, state by state. */
#include "common/test.h"

#include <rdma/ib_verbs.h>
#include <stdio.h>
#include <string.h>

#include "transport/rc_resp.h"
#include "transport/run.h"

#define PMTU 1024u
#define ALL_RIGHTS (RC_RESP_WRITE | RC_RESP_READ | RC_RESP_ATOMIC)

/* What the machine is told, and what it asked for, as a line of text. */
struct fixture {
	struct rc_resp r;
	struct rc_resp_work w;
	enum rc_resp_result rwqe, wr_id, slot, key, place, atomic, invalidated, completed;
	uint32_t rwqe_bytes;
	char log[2048];
	size_t used;
	uint64_t placed_bytes;
};

__attribute__((format(printf, 2, 3))) static void say(struct fixture *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (f->used && f->used + 1 < sizeof(f->log))
		f->log[f->used++] = ' ';
	f->used += (size_t)vsnprintf(f->log + f->used, sizeof(f->log) - f->used, format, args);
	va_end(args);
	assert_true(f->used < sizeof(f->log));
}

/* What was asked since the last call. */
static const char *asked(struct fixture *f)
{
	f->used = 0;
	return f->log;
}

static void say_nak(struct fixture *f)
{
	if (f->w.syndrome == 0x60)
		say(f, "NAK psn-error, expects %06x", f->w.psn.v);
	else if (f->w.syndrome < 0x40)
		say(f, "RNR %u at %06x", f->w.syndrome & 0x1fu, f->w.psn.v);
	else
		say(f, "NAK %02x at %06x%s", f->w.syndrome, f->w.psn.v, f->w.fatal ? " dead" : "");
}

static enum rc_resp_result do_it(struct fixture *f, enum rc_resp_do what)
{
	struct rc_resp_work *w = &f->w;

	switch (what) {
	case RC_DO_TAKE_RWQE:
		say(f, "rwqe");
		w->rwqe_bytes = f->rwqe_bytes;
		return f->rwqe;
	case RC_DO_TAKE_WR_ID:
		say(f, "wr_id");
		return f->wr_id;
	case RC_DO_TAKE_SLOT:
		say(f, "slot");
		return f->slot;
	case RC_DO_CHECK_KEY:
		say(f, "key %x", w->need);
		return f->key;
	case RC_DO_PLACE:
		say(f, "place %u:%u->%u", w->payload_offset, w->bytes, w->message_offset);
		f->placed_bytes += w->bytes;
		return f->place;
	case RC_DO_READ:
		say(f, "read %06x+%u", w->psn.v, w->packets);
		return RC_OK;
	case RC_DO_ATOMIC:
		say(f, "atomic %06x", w->psn.v);
		return f->atomic;
	case RC_DO_INVALIDATE:
		say(f, "invalidate %x", w->run->ieth);
		return f->invalidated;
	case RC_DO_COMPLETE:
		say(f, w->status ? "complete %u status %u" : "complete %u", w->message_bytes,
		    w->status);
		return f->completed;
	case RC_DO_ACK:
		say(f, "ACK %06x", w->psn.v);
		return RC_OK;
	case RC_DO_REPLAY:
		say(f, "replay %06x", w->psn.v);
		return RC_OK;
	case RC_DO_NAK:
		say_nak(f);
		return RC_OK;
	case RC_DO_NOTHING:
		break;
	}
	fail_msg("asked to do nothing");
	return RC_BAD;
}

static void receive_run(struct fixture *f, const struct tp_run *run)
{
	enum rc_resp_do what;

	assert_true(tp_run_is_sane(run));
	f->log[f->used] = 0;
	for (what = rc_resp_receive(&f->r, &f->w, run); what != RC_DO_NOTHING;)
		what = rc_resp_answer(&f->r, &f->w, do_it(f, what));
}

/* A packet that asks for an ACK. A RETH announces just its bytes. */
static struct tp_run packet(uint8_t opcode, uint32_t at, uint32_t bytes)
{
	struct tp_run run = {.psn = psn(at),
			     .packets = 1,
			     .first_opcode = opcode,
			     .last_opcode = opcode,
			     .ack_req = true,
			     .payload = {.bytes = bytes}};

	if (pkt_op(opcode)->headers & PKT_RETH)
		run.reth = (struct pkt_reth){.va = 0x1000, .rkey = 0x11, .dma_bytes = bytes};
	return run;
}

static void receive(struct fixture *f, uint8_t opcode, uint32_t at, uint32_t bytes)
{
	const struct tp_run run = packet(opcode, at, bytes);

	receive_run(f, &run);
}

/* A whole message as one run. */
static struct tp_run message(uint8_t first, uint8_t last, uint32_t at, uint32_t bytes)
{
	struct tp_run run = packet(first, at, bytes);

	run.packets = rc_read_packets(bytes, PMTU);
	run.pmtu_bytes = PMTU;
	run.last_opcode = last;
	return run;
}

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof(f));
	rc_resp_init(&f.r, psn(0xfffffe));
	f.r.pmtu_bytes = PMTU;
	f.r.access = ALL_RIGHTS;
	f.r.rnr_timer = 12;
	f.rwqe_bytes = 1u << 20;
	*state = &f;
	return 0;
}

/* Begin a message of each kind, so that it is in progress. */
static void begin(struct fixture *f, enum rc_message what)
{
	struct tp_run run;

	if (what == RC_MESSAGE_NONE)
		return;
	run = packet(what == RC_MESSAGE_SEND ? PKT_RC_SEND_FIRST : PKT_RC_WRITE_FIRST, f->r.epsn.v,
		     PMTU);
	run.ack_req = false;
	if (what == RC_MESSAGE_WRITE)
		run.reth.dma_bytes = 1u << 20;
	receive_run(f, &run);
	assert_int_equal(f->r.message, what);
	asked(f);
}

static void rc_resp_init__expects_the_first_psn(void **state)
{
	struct rc_resp r;

	(void)state;
	memset(&r, 0xff, sizeof(r));
	rc_resp_init(&r, psn(0x123));
	assert_int_equal(r.epsn.v, 0x123);
	assert_int_equal(r.msn.v, 0);
	assert_int_equal(r.message, RC_MESSAGE_NONE);
	assert_int_equal(r.nak, 0);
}

/* [rcp 4] */
static void rc_read_packets__empty_read_has_one(void **state)
{
	(void)state;
	assert_int_equal(rc_read_packets(0, 256), 1);
	assert_int_equal(rc_read_packets(1, 256), 1);
	assert_int_equal(rc_read_packets(256, 256), 1);
	assert_int_equal(rc_read_packets(257, 256), 2);
	assert_int_equal(rc_read_packets(0x80000000u, 256), 1u << 23);
}

/* [rcp 9.3, 3] */
static void check_psn__gap_is_nakked_once(void **state)
{
	struct fixture *f = *state;

	receive(f, PKT_RC_SEND_ONLY, 0x000001, 8); /* expected: 0xfffffe, so past the wrap */
	assert_string_equal(asked(f), "NAK psn-error, expects fffffe");
	receive(f, PKT_RC_SEND_ONLY, 0x000002, 8);
	assert_string_equal(asked(f), ""); /* the gap is reported already */
	assert_int_equal(f->r.epsn.v, 0xfffffe);
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "rwqe place 0:8->0 complete 8 ACK fffffe");
	receive(f, PKT_RC_SEND_ONLY, 0x000001, 8);
	assert_string_equal(asked(f), "NAK psn-error, expects ffffff");
}

/* [rcp 9.3]: behind an RNR NAK, too, all is dropped in silence. */
static void check_psn__gap_after_rnr_nak_is_silent(void **state)
{
	struct fixture *f = *state;

	f->rwqe = RC_NONE;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "rwqe RNR 12 at fffffe");
	receive(f, PKT_RC_SEND_ONLY, 0xffffff, 8);
	assert_string_equal(asked(f), "");
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "rwqe RNR 12 at fffffe");
}

/* [rcp 9.4] */
static void check_psn__half_the_circle_is_behind(void **state)
{
	struct fixture *f = *state;

	receive(f, PKT_RC_SEND_ONLY, 0xfffffe - (1u << 23), 8);
	assert_string_equal(asked(f), "ACK fffffd");
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe - (1u << 23) - 1, 8);
	assert_string_equal(asked(f), "NAK psn-error, expects fffffe");
}

/* [rcp 9.1] */
static void duplicate__send_and_write_are_acknowledged_not_executed(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = message(PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST, 0xfffff0, 3 * PMTU);

	receive(f, PKT_RC_SEND_ONLY, 0xfffffd, 8);
	assert_string_equal(asked(f), "ACK fffffd");
	receive_run(f, &run);
	assert_string_equal(asked(f), "ACK fffffd");
	run.ack_req = false;
	receive_run(f, &run);
	assert_string_equal(asked(f), "");
	assert_int_equal(f->r.msn.v, 0);
}

/* [rcp 9.1] */
static void duplicate__read_and_atomic_are_replayed(void **state)
{
	struct fixture *f = *state;

	f->r.access = 0; /* does not matter for what was executed already */
	receive(f, PKT_RC_READ_REQUEST, 0xfffff0, 0);
	assert_string_equal(asked(f), "replay fffff0");
	receive(f, PKT_RC_COMPARE_SWAP, 0xfffff1, 0);
	assert_string_equal(asked(f), "replay fffff1");
	receive(f, PKT_RC_FETCH_ADD, 0xfffff2, 0);
	assert_string_equal(asked(f), "replay fffff2");
}

static void duplicate__front_part_of_a_run_is_skipped(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = message(PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 0xfffffe, 5000);
	struct tp_run first_two = run;

	first_two.packets = 2;
	first_two.last_opcode = PKT_RC_SEND_MIDDLE;
	first_two.payload.bytes = 2 * PMTU;
	first_two.ack_req = false;
	receive_run(f, &first_two);
	assert_string_equal(asked(f), "rwqe place 0:2048->0");
	receive_run(f, &run);
	assert_string_equal(asked(f), "place 2048:2952->2048 complete 5000 ACK 000002");
	assert_int_equal(f->r.msn.v, 1);
}

/* A run that begins in a message that was executed and is itself in a gap is not possible: its end
 * is behind, or the rest of it is what is expected.
 */
static void duplicate__ends_just_before_the_expected_packet(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = message(PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 0xfffffb, 3 * PMTU);

	receive_run(f, &run);
	assert_string_equal(asked(f), "ACK fffffd");
}

/* [rcp 9.5]: each opcode in each state. */
static void check_opcode__table(void **state)
{
	static const enum rc_message states[] = {RC_MESSAGE_NONE, RC_MESSAGE_SEND,
						 RC_MESSAGE_WRITE};
	struct fixture *f = *state;

	for (unsigned int opcode = 0; opcode < 0x20; opcode++) {
		const struct pkt_opcode *op = pkt_op((uint8_t)opcode);

		if (!op->supported || op->side != PKT_REQUEST)
			continue;
		for (unsigned int s = 0; s < 3; s++) {
			const bool begins = op->pos == PKT_FIRST || op->pos == PKT_ONLY;
			const bool goes_on = !begins && (states[s] == RC_MESSAGE_SEND
								 ? op->kind == PKT_KIND_SEND
								 : op->kind == PKT_KIND_WRITE);
			const bool legal = states[s] == RC_MESSAGE_NONE ? begins : goes_on;

			setup(state);
			begin(f, states[s]);
			f->w.why.id = 0;
			receive(f, (uint8_t)opcode, f->r.epsn.v, op->headers & PKT_DATA ? PMTU : 0);
			assert_int_equal(f->w.why.id == BASE_CAUSE_RESP_OPCODE_ORDER, !legal);
			if (!legal) {
				assert_true(f->w.fatal);
				assert_int_equal(f->w.syndrome, 0x61);
				assert_int_equal(f->w.status, IB_WC_REM_INV_REQ_ERR);
			}
		}
	}
}

/* [rcp 9.9, 9.10, 9.11] */
static void check_access__table(void **state)
{
	static const struct {
		uint8_t opcode, needs;
	} rows[] = {
		{PKT_RC_SEND_ONLY, 0},
		{PKT_RC_SEND_ONLY_INV, 0},
		{PKT_RC_WRITE_ONLY, RC_RESP_WRITE},
		{PKT_RC_WRITE_ONLY_IMM, RC_RESP_WRITE},
		{PKT_RC_READ_REQUEST, RC_RESP_READ},
		{PKT_RC_COMPARE_SWAP, RC_RESP_ATOMIC},
		{PKT_RC_FETCH_ADD, RC_RESP_ATOMIC},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (unsigned int rights = 0; rights <= ALL_RIGHTS; rights++) {
			const bool legal = (rows[i].needs & rights) == rows[i].needs;

			setup(state);
			f->r.access = (uint8_t)rights;
			receive(f, rows[i].opcode, 0xfffffe, 0);
			assert_int_equal(f->w.why.id, legal ? 0 : BASE_CAUSE_RESP_QP_ACCESS);
			if (!legal)
				assert_string_equal(asked(f), "NAK 61 at fffffe dead");
		}
}

/* [rcp 9.9]: rights are looked at when a message begins. */
static void check_access__of_a_message_in_progress_is_kept(void **state)
{
	struct fixture *f = *state;

	begin(f, RC_MESSAGE_WRITE);
	f->r.access = 0;
	receive(f, PKT_RC_WRITE_MIDDLE, 0xffffff, PMTU);
	assert_string_equal(asked(f), "place 0:1024->1024 ACK ffffff");
}

/* [rcp 4] */
static void check_length__table(void **state)
{
	static const struct {
		uint8_t opcode;
		uint32_t least, most;
	} rows[] = {
		{PKT_RC_SEND_FIRST, PMTU, PMTU},  {PKT_RC_SEND_MIDDLE, PMTU, PMTU},
		{PKT_RC_SEND_LAST, 1, PMTU},	  {PKT_RC_SEND_LAST_IMM, 1, PMTU},
		{PKT_RC_SEND_LAST_INV, 1, PMTU},  {PKT_RC_SEND_ONLY, 0, PMTU},
		{PKT_RC_SEND_ONLY_IMM, 0, PMTU},  {PKT_RC_SEND_ONLY_INV, 0, PMTU},
		{PKT_RC_WRITE_FIRST, PMTU, PMTU}, {PKT_RC_WRITE_MIDDLE, PMTU, PMTU},
		{PKT_RC_WRITE_ONLY, 0, PMTU},	  {PKT_RC_WRITE_ONLY_IMM, 0, PMTU},
	};
	static const uint32_t sizes[] = {0, 1, PMTU - 1, PMTU, PMTU + 1, 4096};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			const struct pkt_opcode *op = pkt_op(rows[i].opcode);
			const bool legal = sizes[s] >= rows[i].least && sizes[s] <= rows[i].most;

			setup(state);
			if (op->pos == PKT_MIDDLE || op->pos == PKT_LAST)
				begin(f, op->kind == PKT_KIND_SEND ? RC_MESSAGE_SEND
								   : RC_MESSAGE_WRITE);
			f->w.why.id = 0;
			receive(f, rows[i].opcode, f->r.epsn.v, sizes[s]);
			assert_int_equal(f->w.why.id, legal ? 0 : BASE_CAUSE_RESP_PAYLOAD_LENGTH);
		}
}

static void check_length__run_with_another_mtu(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = message(PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 0xfffffe, 4 * PMTU);

	run.packets = 2;
	run.pmtu_bytes = 2 * PMTU;
	receive_run(f, &run);
	assert_string_equal(asked(f), "NAK 61 at fffffe dead");
	assert_int_equal(f->w.why.id, BASE_CAUSE_RESP_PAYLOAD_LENGTH);
	assert_int_equal(f->w.why.arg[1], 2 * PMTU);
}

/* [rcp 9.7, 9.9, 9.10, 9.11, 9.15]: each thing that is not there, and what is said then. */
static void check_resources__refusals(void **state)
{
	struct fixture *f = *state;

	f->rwqe = RC_BAD;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "rwqe NAK 63 at fffffe dead");
	assert_int_equal(f->w.why.id, BASE_CAUSE_RESP_RECEIVE_BAD);
	assert_int_equal(f->w.status, IB_WC_LOC_QP_OP_ERR);

	f->slot = RC_NONE;
	receive(f, PKT_RC_READ_REQUEST, 0xfffffe, 0);
	assert_string_equal(asked(f), "slot NAK 61 at fffffe dead");
	assert_int_equal(f->w.why.id, BASE_CAUSE_RESP_NO_SLOT);
	receive(f, PKT_RC_FETCH_ADD, 0xfffffe, 0);
	assert_string_equal(asked(f), "slot NAK 61 at fffffe dead");

	f->slot = RC_OK;
	f->key = RC_BAD;
	receive(f, PKT_RC_FETCH_ADD, 0xfffffe, 0);
	assert_string_equal(asked(f), "slot key 4 NAK 62 at fffffe dead");
	receive(f, PKT_RC_WRITE_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "key 1 NAK 62 at fffffe dead");
	assert_int_equal(f->w.why.id, BASE_CAUSE_RESP_RKEY);
	assert_int_equal(f->w.why.arg[0], 0x11);
	assert_int_equal(f->w.why.arg[1], 8);
	assert_int_equal(f->w.why.arg[2], 0x1000);
	assert_int_equal(f->r.epsn.v, 0xfffffe);
}

/* [rcp 9.9]: C9-88. */
static void check_resources__nothing_needs_no_key(void **state)
{
	struct fixture *f = *state;
	struct tp_run read = packet(PKT_RC_READ_REQUEST, 0xfffffe, 0);

	f->key = RC_BAD;
	receive_run(f, &read);
	assert_string_equal(asked(f), "slot read fffffe+1");
	receive(f, PKT_RC_WRITE_ONLY, 0xffffff, 0);
	assert_string_equal(asked(f), "ACK ffffff");
	assert_int_equal(f->r.msn.v, 2);
}

/* [rcp 4] */
static void check_resources__longest_message(void **state)
{
	struct fixture *f = *state;
	struct tp_run read = packet(PKT_RC_READ_REQUEST, 0xfffffe, 0);
	struct tp_run write = packet(PKT_RC_WRITE_FIRST, 0xfffffe, PMTU);

	read.reth.dma_bytes = write.reth.dma_bytes = 0x80000001u;
	receive_run(f, &read);
	assert_string_equal(asked(f), "NAK 61 at fffffe dead");
	receive_run(f, &write);
	assert_string_equal(asked(f), "NAK 61 at fffffe dead");
	assert_int_equal(f->w.why.id, BASE_CAUSE_RESP_MESSAGE_LENGTH);
	read.reth.dma_bytes = 0x80000000u;
	receive_run(f, &read);
	assert_string_equal(asked(f), "slot key 2 read fffffe+2097152");
	assert_int_equal(f->r.epsn.v, 0x1ffffe);
}

/* [rcp 9.11] */
static void check_resources__atomic_must_be_aligned(void **state)
{
	struct fixture *f = *state;

	for (unsigned int off = 0; off < 9; off++) {
		struct tp_run run = packet(PKT_RC_COMPARE_SWAP, f->r.epsn.v, 0);

		run.atomiceth.va = 0x1000 + off;
		f->w.why.id = 0;
		receive_run(f, &run);
		assert_int_equal(f->w.why.id, off % 8 ? BASE_CAUSE_RESP_ATOMIC_ALIGNMENT : 0);
		asked(f);
	}
	assert_int_equal(f->r.msn.v, 2);
}

/* [rcp 9.7, 10]: what fits is executed, the packet that does not is refused. */
static void check_fit__send_longer_than_the_receive(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = message(PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST, 0xfffffe, 5000);

	f->rwqe_bytes = 3000;
	receive_run(f, &run);
	assert_string_equal(asked(f), "rwqe place 0:2048->0 NAK 61 at 000000 dead");
	assert_int_equal(f->w.status, IB_WC_LOC_LEN_ERR);
	assert_int_equal(f->w.why.id, BASE_CAUSE_RESP_SEND_TOO_LONG);
	assert_int_equal(f->w.why.arg[1], 3000);
}

static void check_fit__send_only_longer_than_the_receive(void **state)
{
	struct fixture *f = *state;

	f->rwqe_bytes = 99;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 100);
	assert_string_equal(asked(f), "rwqe NAK 61 at fffffe dead");
	assert_int_equal(f->w.status, IB_WC_LOC_LEN_ERR);
	assert_int_equal(f->w.why.arg[0], 100);
	setup(state);
	f->rwqe_bytes = 100;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 100);
	assert_string_equal(asked(f), "rwqe place 0:100->0 complete 100 ACK fffffe");
}

/* [rcp 9.9]: payload and DMALen must agree. */
static void check_fit__write_of_another_length_than_announced(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = message(PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST, 0xfffffe, 3000);

	run.reth.dma_bytes = 3001;
	receive_run(f, &run);
	assert_string_equal(asked(f), "key 1 place 0:2048->0 NAK 61 at 000000 dead");
	assert_int_equal(f->w.why.id, BASE_CAUSE_RESP_WRITE_LENGTH);
	setup(state);
	run.reth.dma_bytes = 2999;
	receive_run(f, &run);
	assert_string_equal(asked(f), "key 1 place 0:2048->0 NAK 61 at 000000 dead");
	setup(state);
	run = packet(PKT_RC_WRITE_ONLY, 0xfffffe, 10);
	run.reth.dma_bytes = 11;
	receive_run(f, &run);
	assert_string_equal(asked(f), "key 1 NAK 61 at fffffe dead");
	setup(state);
	run.reth.dma_bytes = 0;
	receive_run(f, &run);
	assert_string_equal(asked(f), "NAK 61 at fffffe dead");
}

/* [rcp 9.9]: only the last packet needs the receive, and only that is asked for again. */
static void check_immediate__no_receive_at_the_last_packet(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = message(PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST_IMM, 0xfffffe, 3000);

	f->wr_id = RC_NONE;
	receive_run(f, &run);
	assert_string_equal(asked(f), "key 1 wr_id place 0:2048->0 wr_id RNR 12 at 000000");
	f->wr_id = RC_OK;
	receive(f, PKT_RC_WRITE_LAST_IMM, 0x000000, 3000 - 2048);
	assert_string_equal(asked(f), "wr_id place 0:952->2048 complete 3000 ACK 000000");
	f->wr_id = RC_NONE;
	receive(f, PKT_RC_WRITE_ONLY_IMM, 0x000001, 0);
	assert_string_equal(asked(f), "wr_id RNR 12 at 000001");
	assert_int_equal(f->r.msn.v, 1);
}

/* Memory of ours that is gone: the posted receive's, or what the peer named. */
static void execute__our_memory_is_not_mapped(void **state)
{
	struct fixture *f = *state;

	f->place = f->atomic = RC_BAD;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "rwqe place 0:8->0 NAK 63 at fffffe dead");
	assert_int_equal(f->w.status, IB_WC_LOC_PROT_ERR);
	setup(state);
	f->place = f->atomic = RC_BAD;
	receive(f, PKT_RC_WRITE_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "key 1 place 0:8->0 NAK 62 at fffffe dead");
	receive(f, PKT_RC_FETCH_ADD, 0xfffffe, 0);
	assert_string_equal(asked(f), "slot key 4 atomic fffffe NAK 62 at fffffe dead");
	assert_int_equal(f->w.why.id, BASE_CAUSE_RESP_MEMORY_UNMAPPED);
}

/* Memory of the requester that is gone: it is told, and we go on as if it had sent nothing. */
static void execute__requesters_memory_is_not_mapped(void **state)
{
	struct fixture *f = *state;

	f->place = RC_SOURCE;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "rwqe place 0:8->0 NAK 63 at fffffe");
	assert_int_equal(f->w.why.id, BASE_CAUSE_REQ_MEMORY_UNMAPPED);
	assert_int_equal(f->w.why.side, BASE_SIDE_REQUESTER);
	assert_int_equal(f->r.holds_rwqe, RC_MESSAGE_SEND);
	f->place = RC_OK;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8); /* the same receive */
	assert_string_equal(asked(f), "place 0:8->0 complete 8 ACK fffffe");
	f->place = RC_SOURCE;
	receive(f, PKT_RC_WRITE_ONLY_IMM, 0xffffff, 8);
	assert_string_equal(asked(f), "key 1 wr_id place 0:8->0 NAK 63 at ffffff");
	f->place = RC_OK;
	receive(f, PKT_RC_WRITE_ONLY_IMM, 0xffffff, 8);
	assert_string_equal(asked(f), "key 1 place 0:8->0 complete 8 ACK ffffff");
	f->place = RC_DEAD; /* there is nobody to be told */
	receive(f, PKT_RC_SEND_ONLY, 0x000000, 8);
	assert_string_equal(asked(f), "rwqe place 0:8->0");
}

/* A receive that waits for its second attempt cannot serve a message of another kind. */
static void check_opcode__other_message_while_a_receive_is_held(void **state)
{
	struct fixture *f = *state;

	f->place = RC_SOURCE;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8);
	asked(f);
	receive(f, PKT_RC_READ_REQUEST, 0xfffffe, 0);
	assert_string_equal(asked(f), "slot read fffffe+1");
	receive(f, PKT_RC_WRITE_ONLY, 0xffffff, 8);
	assert_string_equal(asked(f), "NAK 61 at ffffff dead");
}

/* [rcp 9.10, 5]: a READ owns a PSN for each response, and counts when accepted. */
static void commit__read_owns_its_responses(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = packet(PKT_RC_READ_REQUEST, 0xfffffe, 0);

	run.reth.dma_bytes = 5000;
	receive_run(f, &run);
	assert_string_equal(asked(f), "slot key 2 read fffffe+5");
	assert_int_equal(f->r.epsn.v, 3);
	assert_int_equal(f->r.msn.v, 1);
	assert_int_equal(f->r.last_opcode, PKT_RC_READ_REQUEST);
}

/* [rcp 9.13]: and [rcp 5]: MSN counts the last packet of a message. */
static void commit__msn_counts_messages(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = packet(PKT_RC_SEND_FIRST, 0xfffffe, PMTU);

	run.ack_req = false;
	receive_run(f, &run);
	assert_int_equal(f->r.msn.v, 0);
	receive(f, PKT_RC_SEND_MIDDLE, 0xffffff, PMTU);
	assert_int_equal(f->r.msn.v, 0);
	receive(f, PKT_RC_SEND_LAST_IMM, 0x000000, 1);
	assert_string_equal(asked(f), "rwqe place 0:1024->0 place 0:1024->1024 ACK ffffff "
				      "place 0:1->2048 complete 2049 ACK 000000");
	assert_int_equal(f->r.msn.v, 1);
	assert_int_equal(f->r.last_opcode, PKT_RC_SEND_LAST_IMM);
	receive(f, PKT_RC_FETCH_ADD, 0x000001, 0);
	assert_string_equal(asked(f), "slot key 4 atomic 000001");
	assert_int_equal(f->r.msn.v, 2);
}

/* [rcp 9.8] */
static void invalidate__before_the_completion(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = packet(PKT_RC_SEND_ONLY_INV, 0xfffffe, 8);

	run.ieth = 0x77;
	receive_run(f, &run);
	assert_string_equal(asked(f), "rwqe place 0:8->0 invalidate 77 complete 8 ACK fffffe");
	run.psn = psn(0xffffff);
	f->invalidated = RC_BAD;
	receive_run(f, &run);
	assert_string_equal(asked(f), "rwqe place 0:8->0 invalidate 77 complete 8 status 9 "
				      "ACK ffffff");
}

/* [rcp 10]: no room for the completion: the queue pair is dead, and says nothing. */
static void complete__receive_queue_is_full(void **state)
{
	struct fixture *f = *state;

	f->completed = RC_BAD;
	receive(f, PKT_RC_SEND_ONLY, 0xfffffe, 8);
	assert_string_equal(asked(f), "rwqe place 0:8->0 complete 8");
}

static void complete__plain_write_has_none(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = message(PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST, 0xfffffe, 1u << 20);

	receive_run(f, &run);
	assert_string_equal(asked(f), "key 1 place 0:1048576->0 ACK 0003fd");
	assert_int_equal(f->r.msn.v, 1);
}

static void acknowledge__only_if_asked(void **state)
{
	struct fixture *f = *state;
	struct tp_run run = packet(PKT_RC_SEND_ONLY, 0xfffffe, 0);

	run.ack_req = false;
	receive_run(f, &run);
	assert_string_equal(asked(f), "rwqe complete 0");
}

/* Whatever a run meets, its packets one by one meet the same. */
static void as_packets(struct fixture *f, const struct tp_run *run)
{
	for (uint32_t i = 0; i < run->packets; i++) {
		struct tp_run one;

		tp_run_packet(run, i, &one);
		receive_run(f, &one);
		if (f->w.fatal)
			return;
		asked(f);
	}
}

static void receive_run__like_its_packets_one_by_one(void **state)
{
	static const uint8_t ends[][2] = {
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST},
		{PKT_RC_SEND_FIRST, PKT_RC_SEND_LAST_IMM},
		{PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST},
		{PKT_RC_WRITE_FIRST, PKT_RC_WRITE_LAST_IMM},
	};
	struct fixture *f = *state, one_by_one;

	for (unsigned int i = 0; i < 4 * 5 * 8 * 3 * 4; i++) {
		const uint32_t packets = 2 + i / 4 % 5, skew = i / 20 % 8;
		const uint32_t bytes = packets * PMTU - skew * 100;
		struct tp_run run = message(ends[i % 4][0], ends[i % 4][1], 0xfffffe, bytes);

		setup(state);
		f->rwqe_bytes = 1500 + i / 160 % 3 * 1500;
		f->wr_id = i / 480 % 2 ? RC_NONE : RC_OK;
		if (run.reth.dma_bytes)
			run.reth.dma_bytes += i / 960 % 2;
		one_by_one = *f;
		receive_run(f, &run);
		as_packets(&one_by_one, &run);
		assert_memory_equal(&f->r, &one_by_one.r, sizeof(f->r));
		assert_int_equal(f->placed_bytes, one_by_one.placed_bytes);
		assert_int_equal(f->w.fatal, one_by_one.w.fatal);
		assert_int_equal(f->w.why.id, one_by_one.w.why.id);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rc_resp_init__expects_the_first_psn, setup),
		cmocka_unit_test_setup(rc_read_packets__empty_read_has_one, setup),
		cmocka_unit_test_setup(check_psn__gap_is_nakked_once, setup),
		cmocka_unit_test_setup(check_psn__gap_after_rnr_nak_is_silent, setup),
		cmocka_unit_test_setup(check_psn__half_the_circle_is_behind, setup),
		cmocka_unit_test_setup(duplicate__send_and_write_are_acknowledged_not_executed,
				       setup),
		cmocka_unit_test_setup(duplicate__read_and_atomic_are_replayed, setup),
		cmocka_unit_test_setup(duplicate__front_part_of_a_run_is_skipped, setup),
		cmocka_unit_test_setup(duplicate__ends_just_before_the_expected_packet, setup),
		cmocka_unit_test_setup(check_opcode__table, setup),
		cmocka_unit_test_setup(check_opcode__other_message_while_a_receive_is_held, setup),
		cmocka_unit_test_setup(check_access__table, setup),
		cmocka_unit_test_setup(check_access__of_a_message_in_progress_is_kept, setup),
		cmocka_unit_test_setup(check_length__table, setup),
		cmocka_unit_test_setup(check_length__run_with_another_mtu, setup),
		cmocka_unit_test_setup(check_resources__refusals, setup),
		cmocka_unit_test_setup(check_resources__nothing_needs_no_key, setup),
		cmocka_unit_test_setup(check_resources__longest_message, setup),
		cmocka_unit_test_setup(check_resources__atomic_must_be_aligned, setup),
		cmocka_unit_test_setup(check_fit__send_longer_than_the_receive, setup),
		cmocka_unit_test_setup(check_fit__send_only_longer_than_the_receive, setup),
		cmocka_unit_test_setup(check_fit__write_of_another_length_than_announced, setup),
		cmocka_unit_test_setup(check_immediate__no_receive_at_the_last_packet, setup),
		cmocka_unit_test_setup(execute__our_memory_is_not_mapped, setup),
		cmocka_unit_test_setup(execute__requesters_memory_is_not_mapped, setup),
		cmocka_unit_test_setup(commit__read_owns_its_responses, setup),
		cmocka_unit_test_setup(commit__msn_counts_messages, setup),
		cmocka_unit_test_setup(invalidate__before_the_completion, setup),
		cmocka_unit_test_setup(complete__receive_queue_is_full, setup),
		cmocka_unit_test_setup(complete__plain_write_has_none, setup),
		cmocka_unit_test_setup(acknowledge__only_if_asked, setup),
		cmocka_unit_test_setup(receive_run__like_its_packets_one_by_one, setup),
	};

	return verbena_test_main(tests);
}
