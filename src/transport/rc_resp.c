// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The RC responder's decisions [rcp 9]: one function per check, in the order of the checks.
 *
 * A step returns the next step. A step that needs something done says so in w->doing and returns
 * the step that looks at the outcome; rc_resp_answer() goes on from there.
 */
#include "transport/rc_resp.h"

#include <rdma/ib_verbs.h>

#include "base/check.h"
#include "packet/aeth.h"
#include "transport/run.h"

void rc_resp_init(struct rc_resp *r, psn_t epsn)
{
	*r = (struct rc_resp){.epsn = epsn, .last_opcode = PKT_RC_SEND_LAST};
}

uint32_t rc_read_packets(uint32_t bytes, uint32_t pmtu_bytes)
{
	return bytes ? (bytes - 1) / pmtu_bytes + 1 : 1;
}

static uint32_t packets_left(const struct rc_resp_work *w)
{
	return w->run->packets - w->index;
}

/* Have something done, and go on with @then unless the outcome leads elsewhere. */
static enum rc_resp_step ask(struct rc_resp_work *w, enum rc_resp_do doing, enum rc_resp_step then)
{
	w->doing = doing;
	return then;
}

/* Have something done whose outcome alone tells how to go on. */
static enum rc_resp_step ask_outcome(struct rc_resp_work *w, enum rc_resp_do doing)
{
	return ask(w, doing, RC_DONE);
}

/* Fatal: NAK, and the queue pair dies [rcp 9.15]. The reason's values are the caller's to add. */
static __attribute__((cold, noinline)) enum rc_resp_step refuse(struct rc_resp *r,
								struct rc_resp_work *w,
								uint8_t syndrome, uint8_t status,
								enum base_cause_id id)
{
	w->syndrome = syndrome;
	w->status = status;
	w->fatal = true;
	w->psn = r->epsn;
	w->why = (struct base_cause){.id = (uint16_t)id, .side = BASE_SIDE_RESPONDER};
	r->nak = syndrome;
	return ask(w, RC_DO_NAK, RC_DONE);
}

#define REFUSE(r, w, syndrome, status, name) \
	refuse((r), (w), PKT_NAK_##syndrome, IB_WC_##status, BASE_CAUSE_##name)

/* Not fatal, and no reason: it is in the syndrome. */
static enum rc_resp_step nak(struct rc_resp *r, struct rc_resp_work *w, uint8_t syndrome)
{
	w->syndrome = syndrome;
	w->fatal = false;
	w->psn = r->epsn;
	w->why.id = 0;
	r->nak = syndrome;
	return ask(w, RC_DO_NAK, RC_DONE);
}

static const uint8_t message_of_kind[] = {
	[PKT_KIND_SEND] = RC_MESSAGE_SEND,	  [PKT_KIND_WRITE] = RC_MESSAGE_WRITE,
	[PKT_KIND_READ_REQ] = RC_MESSAGE_READ,	  [PKT_KIND_COMPARE_SWAP] = RC_MESSAGE_ATOMIC,
	[PKT_KIND_FETCH_ADD] = RC_MESSAGE_ATOMIC, [PKT_KIND_ATOMIC_WRITE] = RC_MESSAGE_ATOMIC,
	[PKT_KIND_FLUSH] = RC_MESSAGE_FLUSH,
};

static const uint8_t right_for_message[] = {
	[RC_MESSAGE_WRITE] = RC_RESP_WRITE,
	[RC_MESSAGE_READ] = RC_RESP_READ,
	[RC_MESSAGE_ATOMIC] = RC_RESP_ATOMIC,
	[RC_MESSAGE_FLUSH] = 0, /* its type tells */
};

static uint8_t rights_for_flush(const struct pkt_feth *feth)
{
	return (uint8_t)((feth->placement & IB_FLUSH_GLOBAL ? RC_RESP_FLUSH_GLOBAL : 0) |
			 (feth->placement & IB_FLUSH_PERSISTENT ? RC_RESP_FLUSH_PERSISTENT : 0));
}

static bool is_data(const struct rc_resp_work *w)
{
	return w->message == RC_MESSAGE_SEND || w->message == RC_MESSAGE_WRITE;
}

/*
 * [rcp 9.3]: a gap is reported once, until the expected PSN has come. [rcp 9.4]: what is behind is
 * a duplicate; a run may be one in its front part only.
 */
static enum rc_resp_step check_psn(struct rc_resp *r, struct rc_resp_work *w)
{
	const int32_t ahead = psn_diff(psn_add(w->run->psn, w->index), r->epsn);
	uint32_t behind;

	if (ahead > 0)
		return r->nak ? RC_DONE : nak(r, w, PKT_NAK_PSN_SEQUENCE);
	w->opcode = tp_run_opcode(w->run, w->index);
	w->op = pkt_op(w->opcode);
	w->message = message_of_kind[w->op->kind];
	if (ahead < 0) {
		behind = (uint32_t)-ahead;
		w->packets = behind < packets_left(w) ? behind : packets_left(w);
		return RC_DUPLICATE;
	}
	r->nak = 0;
	return RC_CHECK_OPCODE;
}

/* [rcp 9.1]: nothing is executed again, and errors of duplicates are not told. */
static enum rc_resp_step duplicate(struct rc_resp *r, struct rc_resp_work *w)
{
	if (!is_data(w)) {
		w->psn = w->run->psn;
		return ask(w, RC_DO_REPLAY, RC_DONE);
	}
	if (w->packets < packets_left(w)) {
		w->index += w->packets;
		return RC_CHECK_PSN;
	}
	/* One answer for all of them: the packet that asks for it. */
	if (!w->run->ack_req)
		return RC_DONE;
	w->psn = psn_sub(r->epsn, 1);
	return ask(w, RC_DO_ACK, RC_DONE);
}

static bool starts(const struct pkt_opcode *op)
{
	return op->pos == PKT_FIRST || op->pos == PKT_ONLY;
}

/*
 * Whether a message may begin: none is in progress, and no receive WQE waits for the second attempt
 * of a message of the other kind.
 */
static bool may_start(const struct rc_resp *r, const struct rc_resp_work *w)
{
	return r->message == RC_MESSAGE_NONE &&
	       (r->holds_rwqe == RC_MESSAGE_NONE || r->holds_rwqe == w->message || !is_data(w));
}

/* [rcp 9.5] */
static enum rc_resp_step check_opcode(struct rc_resp *r, struct rc_resp_work *w)
{
	enum rc_resp_step step;

	if (starts(w->op) ? may_start(r, w) : r->message == w->message)
		return RC_CHECK_ACCESS;
	step = REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_OPCODE_ORDER);
	w->why.arg[0] = w->opcode;
	w->why.arg[1] = r->last_opcode;
	w->why.arg[2] = r->epsn.v;
	return step;
}

/* [rcp 9.9, 9.10, 9.11]: what the queue pair allows. Once per message. */
static enum rc_resp_step check_access(struct rc_resp *r, struct rc_resp_work *w)
{
	enum rc_resp_step step;

	w->need = right_for_message[w->message];
	if (unlikely(w->op->kind == PKT_KIND_ATOMIC_WRITE))
		w->need = RC_RESP_WRITE;
	else if (unlikely(w->message == RC_MESSAGE_FLUSH))
		w->need = rights_for_flush(&w->run->feth);
	if (!starts(w->op) || (r->access & w->need) == w->need)
		return RC_CHECK_LENGTH;
	step = REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_QP_ACCESS);
	w->why.arg[0] = w->opcode;
	return step;
}

/* [rcp 4] */
static enum rc_resp_step check_length(struct rc_resp *r, struct rc_resp_work *w)
{
	const struct tp_run *run = w->run;
	const uint32_t first_bytes = run->packets > 1 ? run->pmtu_bytes : run->payload.bytes;
	enum rc_resp_step step;

	w->packets = packets_left(w);
	w->payload_offset = w->index * run->pmtu_bytes;
	w->bytes = run->payload.bytes - w->payload_offset;
	w->message_offset = starts(w->op) ? 0 : r->done_bytes;
	w->ends = tp_run_ends_message(run);
	if (tp_run_length_is_right(run, r->pmtu_bytes))
		return RC_CHECK_RESOURCES;
	step = REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_PAYLOAD_LENGTH);
	w->why.arg[0] = w->opcode;
	w->why.arg[1] = first_bytes;
	w->why.arg[2] = r->pmtu_bytes;
	return step;
}

static enum rc_resp_step refuse_long_message(struct rc_resp *r, struct rc_resp_work *w)
{
	enum rc_resp_step step;

	step = REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_MESSAGE_LENGTH);
	w->why.arg[0] = w->run->reth.dma_bytes;
	w->why.arg[1] = RC_MAX_MESSAGE_BYTES;
	return step;
}

static enum rc_resp_step begin_write(struct rc_resp *r, struct rc_resp_work *w)
{
	if (w->run->reth.dma_bytes > RC_MAX_MESSAGE_BYTES)
		return refuse_long_message(r, w);
	r->limit_bytes = w->run->reth.dma_bytes;
	if (r->limit_bytes == 0) /* C9-88: then the key does not matter */
		return RC_CHECK_FIT;
	return ask_outcome(w, RC_DO_CHECK_KEY);
}

static enum rc_resp_step begin_atomic(struct rc_resp *r, struct rc_resp_work *w)
{
	const struct tp_run *run = w->run;
	const bool writes = w->op->kind == PKT_KIND_ATOMIC_WRITE;
	const uint64_t va = writes ? run->reth.va : run->atomiceth.va;
	enum rc_resp_step step;

	if (writes && (run->payload.bytes != 8 || run->reth.dma_bytes != 8)) {
		step = REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_PAYLOAD_LENGTH);
		w->why.arg[0] = w->opcode;
		w->why.arg[1] = run->payload.bytes;
		w->why.arg[2] = 8;
		return step;
	}
	if (va % 8 == 0)
		return ask_outcome(w, RC_DO_TAKE_SLOT);
	step = REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_ATOMIC_ALIGNMENT);
	w->why.arg[0] = va;
	return step;
}

/* IBA A19: what is reserved in the FETH is nothing that can be done. */
static enum rc_resp_step begin_flush(struct rc_resp *r, struct rc_resp_work *w)
{
	const struct pkt_feth *feth = &w->run->feth;
	enum rc_resp_step step;

	if (feth->placement && feth->placement <= (IB_FLUSH_GLOBAL | IB_FLUSH_PERSISTENT) &&
	    feth->selectivity <= IB_FLUSH_MR)
		return ask_outcome(w, RC_DO_TAKE_SLOT);
	step = REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_FLUSH);
	w->why.arg[0] = feth->placement;
	w->why.arg[1] = feth->selectivity;
	return step;
}

/* What the message needs before a byte of it may be stored [rcp 9.7, 9.9-9.11]. */
static enum rc_resp_step check_resources(struct rc_resp *r, struct rc_resp_work *w)
{
	if (!starts(w->op))
		return RC_CHECK_FIT;
	switch ((enum rc_message)w->message) {
	case RC_MESSAGE_SEND:
		return r->holds_rwqe ? RC_CHECK_FIT : ask_outcome(w, RC_DO_TAKE_RWQE);
	case RC_MESSAGE_WRITE:
		return begin_write(r, w);
	case RC_MESSAGE_READ:
		if (w->run->reth.dma_bytes > RC_MAX_MESSAGE_BYTES)
			return refuse_long_message(r, w);
		return ask_outcome(w, RC_DO_TAKE_SLOT);
	case RC_MESSAGE_ATOMIC:
		return begin_atomic(r, w);
	case RC_MESSAGE_FLUSH:
		return begin_flush(r, w);
	case RC_MESSAGE_NONE:
		break;
	}
	UNREACHABLE("a request of no kind");
}

static enum rc_resp_step rnr(struct rc_resp *r, struct rc_resp_work *w)
{
	return nak(r, w, pkt_aeth_rnr_nak(r->rnr_timer));
}

static enum rc_resp_step rwqe_answered(struct rc_resp *r, struct rc_resp_work *w,
				       enum rc_resp_result result)
{
	if (result == RC_NONE)
		return rnr(r, w);
	if (result != RC_OK) /* the receive itself has been completed already */
		return REFUSE(r, w, REMOTE_OPERATIONAL, LOC_QP_OP_ERR, RESP_RECEIVE_BAD);
	r->limit_bytes = w->rwqe_bytes;
	r->holds_rwqe = RC_MESSAGE_SEND;
	return RC_CHECK_FIT;
}

static enum rc_resp_step slot_answered(struct rc_resp *r, struct rc_resp_work *w,
				       enum rc_resp_result result)
{
	if (result != RC_OK)
		return REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_NO_SLOT);
	if (w->message == RC_MESSAGE_READ && w->run->reth.dma_bytes == 0)
		return RC_EXECUTE;
	return ask_outcome(w, RC_DO_CHECK_KEY);
}

/* After RC_DO_CHECK_KEY. The caller knows better why, and may have filled in w->why. */
static enum rc_resp_step key_answered(struct rc_resp *r, struct rc_resp_work *w,
				      enum rc_resp_result result)
{
	const struct tp_run *run = w->run;
	const bool atomic = w->need == RC_RESP_ATOMIC;
	enum rc_resp_step step;

	if (result == RC_OK)
		return w->message == RC_MESSAGE_WRITE ? RC_CHECK_FIT : RC_EXECUTE;
	step = REFUSE(r, w, REMOTE_ACCESS, REM_ACCESS_ERR, RESP_RKEY);
	w->why.arg[0] = atomic ? run->atomiceth.rkey : run->reth.rkey;
	w->why.arg[1] = atomic ? 8 : run->reth.dma_bytes;
	w->why.arg[2] = atomic ? run->atomiceth.va : run->reth.va;
	w->why.arg[3] = w->opcode;
	return step;
}

/* Leave all but the first @packets to a second round. They are full ones. */
static void take_prefix(const struct rc_resp *r, struct rc_resp_work *w, uint32_t packets)
{
	w->packets = packets;
	w->bytes = packets * r->pmtu_bytes;
	w->ends = false;
}

static enum rc_resp_step refuse_fit(struct rc_resp *r, struct rc_resp_work *w)
{
	enum rc_resp_step step;

	if (w->message == RC_MESSAGE_SEND)
		step = REFUSE(r, w, INVALID_REQUEST, LOC_LEN_ERR, RESP_SEND_TOO_LONG);
	else
		step = REFUSE(r, w, INVALID_REQUEST, REM_INV_REQ_ERR, RESP_WRITE_LENGTH);
	w->why.arg[0] = (uint64_t)w->message_offset + w->bytes;
	w->why.arg[1] = r->limit_bytes;
	return step;
}

/*
 * [rcp 9.7, 9.9]: not more than the receive WQE or the RETH says, and a WRITE not less. The packets
 * ahead of the offending one are executed, and it is refused in the next round.
 */
static enum rc_resp_step check_fit(struct rc_resp *r, struct rc_resp_work *w)
{
	const uint32_t room = r->limit_bytes - w->message_offset;

	if (w->bytes > room) {
		if (room < r->pmtu_bytes)
			return refuse_fit(r, w);
		take_prefix(r, w, room / r->pmtu_bytes);
	} else if (w->ends && w->message == RC_MESSAGE_WRITE && w->bytes < room) {
		if (w->packets == 1)
			return refuse_fit(r, w);
		take_prefix(r, w, w->packets - 1);
	}
	return RC_CHECK_IMMEDIATE;
}

/* [rcp 9.9]: the last packet of a WRITE with immediate needs a receive WQE. */
static enum rc_resp_step check_immediate(struct rc_resp *r, struct rc_resp_work *w)
{
	if (!w->ends || w->message != RC_MESSAGE_WRITE || r->holds_rwqe ||
	    !(pkt_op(w->run->last_opcode)->headers & PKT_IMMDT))
		return RC_EXECUTE;
	return ask_outcome(w, RC_DO_TAKE_WR_ID);
}

static enum rc_resp_step immediate_answered(struct rc_resp *r, struct rc_resp_work *w,
					    enum rc_resp_result result)
{
	if (result == RC_OK) {
		r->holds_rwqe = RC_MESSAGE_WRITE;
		return RC_EXECUTE;
	}
	if (w->packets == 1)
		return rnr(r, w);
	take_prefix(r, w, w->packets - 1);
	return RC_EXECUTE;
}

static enum rc_resp_step execute(struct rc_resp *r, struct rc_resp_work *w)
{
	w->psn = r->epsn;
	switch ((enum rc_message)w->message) {
	case RC_MESSAGE_SEND:
	case RC_MESSAGE_WRITE:
		return w->bytes ? ask_outcome(w, RC_DO_PLACE) : RC_COMMIT;
	case RC_MESSAGE_READ:
		w->packets = rc_read_packets(w->run->reth.dma_bytes, r->pmtu_bytes);
		return ask(w, RC_DO_READ, RC_COMMIT);
	case RC_MESSAGE_ATOMIC:
	case RC_MESSAGE_FLUSH:
		return ask_outcome(w, RC_DO_ATOMIC);
	case RC_MESSAGE_NONE:
		break;
	}
	UNREACHABLE("a request of no kind");
}

/*
 * After RC_DO_PLACE or RC_DO_ATOMIC. Memory of ours that is not mapped: an operational error where
 * we posted it, an access error where the peer named it. Memory of the requester that is not
 * mapped: as if it had sent nothing, but it is told, for it alone can fail its request.
 */
static enum rc_resp_step execute_answered(struct rc_resp *r, struct rc_resp_work *w,
					  enum rc_resp_result result)
{
	enum rc_resp_step step;

	if (result == RC_OK)
		return RC_COMMIT;
	if (result == RC_DEAD)
		return RC_DONE;
	if (result == RC_SOURCE) {
		step = nak(r, w, PKT_NAK_REMOTE_OPERATIONAL);
		w->why = (struct base_cause){.id = BASE_CAUSE_REQ_MEMORY_UNMAPPED,
					     .side = BASE_SIDE_REQUESTER};
		return step;
	}
	if (w->message == RC_MESSAGE_SEND)
		return REFUSE(r, w, REMOTE_OPERATIONAL, LOC_PROT_ERR, RESP_RECEIVE_UNMAPPED);
	step = REFUSE(r, w, REMOTE_ACCESS, REM_ACCESS_ERR, RESP_MEMORY_UNMAPPED);
	w->why.arg[0] = w->opcode;
	return step;
}

/* [rcp 9.13, 5]: what was done counts from here on. */
static enum rc_resp_step commit(struct rc_resp *r, struct rc_resp_work *w)
{
	r->epsn = psn_add(r->epsn, w->packets);
	if (!is_data(w)) { /* the response acknowledges */
		r->last_opcode = w->opcode;
		r->msn = msn_add(r->msn, 1);
		return RC_DONE;
	}
	w->index += w->packets;
	r->last_opcode = tp_run_opcode(w->run, w->index - 1);
	r->done_bytes = w->message_offset + w->bytes;
	r->message = w->ends ? RC_MESSAGE_NONE : w->message;
	r->holds_rwqe = RC_MESSAGE_NONE;
	if (!w->ends)
		return w->index < w->run->packets ? RC_CHECK_PSN : RC_ACKNOWLEDGE;
	r->msn = msn_add(r->msn, 1);
	w->message_bytes = r->done_bytes;
	return RC_INVALIDATE;
}

/* [rcp 9.8]: before the completion is to be seen. */
static enum rc_resp_step invalidate(struct rc_resp_work *w)
{
	if (pkt_op(w->run->last_opcode)->headers & PKT_IETH)
		return ask(w, RC_DO_INVALIDATE, RC_COMPLETE);
	return RC_COMPLETE;
}

static enum rc_resp_step complete_receive(struct rc_resp_work *w)
{
	const struct pkt_opcode *last = pkt_op(w->run->last_opcode);

	if (last->kind == PKT_KIND_SEND || (last->headers & PKT_IMMDT))
		return ask(w, RC_DO_COMPLETE, RC_ACKNOWLEDGE);
	return RC_ACKNOWLEDGE;
}

/* [rcp 9.13] */
static enum rc_resp_step acknowledge(struct rc_resp *r, struct rc_resp_work *w)
{
	if (!w->run->ack_req)
		return RC_DONE;
	w->psn = psn_sub(r->epsn, 1);
	return ask(w, RC_DO_ACK, RC_DONE);
}

static inline __attribute__((always_inline)) enum rc_resp_step take_step(struct rc_resp *r,
									 struct rc_resp_work *w)
{
	switch (w->step) {
	case RC_CHECK_PSN:
		return check_psn(r, w);
	case RC_CHECK_OPCODE:
		return check_opcode(r, w);
	case RC_CHECK_ACCESS:
		return check_access(r, w);
	case RC_CHECK_LENGTH:
		return check_length(r, w);
	case RC_CHECK_RESOURCES:
		return check_resources(r, w);
	case RC_CHECK_FIT:
		return check_fit(r, w);
	case RC_CHECK_IMMEDIATE:
		return check_immediate(r, w);
	case RC_EXECUTE:
		return execute(r, w);
	case RC_COMMIT:
		return commit(r, w);
	case RC_INVALIDATE:
		return invalidate(w);
	case RC_COMPLETE:
		return complete_receive(w);
	case RC_ACKNOWLEDGE:
		return acknowledge(r, w);
	case RC_DUPLICATE:
		return duplicate(r, w);
	case RC_DONE:
		break;
	}
	UNREACHABLE("a step after the last one");
}

/* What the outcome leads to. */
static enum rc_resp_step take_answer(struct rc_resp *r, struct rc_resp_work *w,
				     enum rc_resp_do done, enum rc_resp_result result)
{
	switch (done) {
	case RC_DO_TAKE_RWQE:
		return rwqe_answered(r, w, result);
	case RC_DO_TAKE_WR_ID:
		return immediate_answered(r, w, result);
	case RC_DO_TAKE_SLOT:
		return slot_answered(r, w, result);
	case RC_DO_CHECK_KEY:
		return key_answered(r, w, result);
	case RC_DO_PLACE:
	case RC_DO_ATOMIC:
		return execute_answered(r, w, result);
	case RC_DO_INVALIDATE:
		if (result != RC_OK)
			w->status = IB_WC_REM_INV_REQ_ERR;
		return w->step;
	case RC_DO_COMPLETE:
		return result == RC_OK ? w->step : RC_DONE;
	case RC_DO_READ:
	case RC_DO_ACK:
	case RC_DO_REPLAY:
	case RC_DO_NAK:
		return w->step;
	case RC_DO_NOTHING:
		break;
	}
	UNREACHABLE("an answer that nobody asked for");
}

static enum rc_resp_do go_on(struct rc_resp *r, struct rc_resp_work *w)
{
	while (w->doing == RC_DO_NOTHING && w->step != RC_DONE)
		w->step = take_step(r, w);
	INVARIANT(r->epsn.v <= PKT_PSN_MASK);
	return w->doing;
}

enum rc_resp_do rc_resp_receive(struct rc_resp *r, struct rc_resp_work *w, const struct tp_run *run)
{
	w->run = run;
	w->index = 0;
	w->status = IB_WC_SUCCESS;
	w->fatal = false;
	w->why.id = 0;
	w->doing = RC_DO_NOTHING;
	w->step = RC_CHECK_PSN;
	return go_on(r, w);
}

enum rc_resp_do rc_resp_answer(struct rc_resp *r, struct rc_resp_work *w,
			       enum rc_resp_result result)
{
	const enum rc_resp_do done = w->doing;

	w->doing = RC_DO_NOTHING;
	w->step = take_answer(r, w, done, result);
	return go_on(r, w);
}
