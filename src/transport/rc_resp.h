/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The responder of one RC queue pair, as a state machine that does nothing itself [rcp 9].
 *
 * struct rc_resp is flat, relocatable and small: integers only, so that it can lie in memory that
 * two processes share. The machine looks at it and at the headers of a run, and says what is to be
 * done next: take a receive WQE, check a key, place bytes, answer. The caller does it (for
 * ourselves in rc_resp_exec.c) and tells how it went. State changes only after the bytes are in
 * place, so a caller may work on a copy and store it back in one go.
 */
#ifndef TRANSPORT_RC_RESP_H
#define TRANSPORT_RC_RESP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cause.h"
#include "packet/opcode.h"
#include "packet/psn.h"
#include "transport/tp.h"

/* Remote rights of the queue pair: rc_resp.access, and what rc_resp_work.need asks for. */
#define RC_RESP_WRITE 0x1u
#define RC_RESP_READ 0x2u
#define RC_RESP_ATOMIC 0x4u
#define RC_RESP_FLUSH_GLOBAL 0x8u
#define RC_RESP_FLUSH_PERSISTENT 0x10u

/* The longest message [rcp 4]. */
#define RC_MAX_MESSAGE_BYTES 0x80000000u

/* What a request is. */
enum rc_message {
	RC_MESSAGE_NONE,
	RC_MESSAGE_SEND,
	RC_MESSAGE_WRITE,
	RC_MESSAGE_READ,
	RC_MESSAGE_ATOMIC,
	RC_MESSAGE_FLUSH,
};

/**
 * struct rc_resp - What the responder must remember from packet to packet.
 * @epsn: The PSN that is expected.
 * @msn: Messages completed.
 * @limit_bytes: Room of the receive WQE in use (SEND), or the DMALen of the RETH (WRITE).
 * @done_bytes: What has arrived of the message in progress.
 * @pmtu_bytes: Path MTU.
 * @message: enum rc_message of the message that has begun and not ended: SEND, WRITE or none.
 * @last_opcode: Of the last packet executed.
 * @access: RC_RESP_*: what the queue pair allows.
 * @nak: Syndrome of the NAK that the requester has not reacted to yet; 0 if there is none.
 * @rnr_timer: Code that RNR NAKs carry.
 * @holds_rwqe: enum rc_message for which a receive WQE was taken, but whose bytes could not be
 *	placed; the next attempt uses it.
 */
struct rc_resp {
	psn_t epsn;
	msn_t msn;
	uint32_t limit_bytes;
	uint32_t done_bytes;
	uint16_t pmtu_bytes;
	uint8_t message;
	uint8_t last_opcode;
	uint8_t access;
	uint8_t nak;
	uint8_t rnr_timer;
	uint8_t holds_rwqe;
};

_Static_assert(sizeof(struct rc_resp) <= 32, "half a cache line");

/* What the caller shall do next; the members of struct rc_resp_work that it needs. */
enum rc_resp_do {
	RC_DO_NOTHING,	  /* the run is dealt with */
	RC_DO_TAKE_RWQE,  /* with its buffers: set rwqe_bytes. OK, NONE or BAD */
	RC_DO_TAKE_WR_ID, /* the same without buffers (WRITE with immediate). OK or NONE */
	RC_DO_TAKE_SLOT,  /* room to remember a READ, an atomic or a flush. OK or NONE */
	RC_DO_CHECK_KEY,  /* run->reth (and ->feth) or run->atomiceth for `need`. OK or BAD */
	RC_DO_PLACE,	  /* bytes, from payload_offset, to message_offset. OK, BAD or SOURCE */
	RC_DO_READ,	  /* remember it and respond; it owns `packets` PSNs from psn */
	RC_DO_ATOMIC,	  /* or flush: execute, remember and respond. OK or BAD */
	RC_DO_INVALIDATE, /* run->ieth. OK or BAD */
	RC_DO_COMPLETE,	  /* the receive: message_bytes. OK; BAD if the queue pair died of it */
	RC_DO_ACK,	  /* everything up to psn, unless a response says so */
	RC_DO_REPLAY,	  /* a READ, an atomic or a flush again, if it is remembered */
	RC_DO_NAK,	  /* syndrome and psn; with `fatal` the queue pair dies of `status` */
};

/* How it went. */
enum rc_resp_result {
	RC_OK,
	RC_NONE,   /* there is none */
	RC_BAD,	   /* refused, or our memory is not there */
	RC_SOURCE, /* the requester's memory is not there */
	RC_DEAD,   /* nor is the requester */
};

/* The steps, in the order of the checks. */
enum rc_resp_step {
	RC_CHECK_PSN,
	RC_CHECK_OPCODE,
	RC_CHECK_ACCESS,
	RC_CHECK_LENGTH,
	RC_CHECK_RESOURCES,
	RC_CHECK_FIT,
	RC_CHECK_IMMEDIATE,
	RC_EXECUTE,
	RC_COMMIT,
	RC_INVALIDATE,
	RC_COMPLETE,
	RC_ACKNOWLEDGE,
	RC_DUPLICATE,
	RC_DONE,
};

/**
 * struct rc_resp_work - One run on its way through the machine.
 * @run: The run.
 * @op: Row of the packet @index.
 * @step: Where the machine will go on.
 * @doing: What the caller was asked for.
 * @index: Packets of @run that are dealt with.
 * @packets: How many from there are dealt with together; those that a READ owns.
 * @opcode: Of the packet @index.
 * @message: enum rc_message: what the packet @index belongs to.
 * @ends: The last packet of its message is among @packets.
 * @need: RC_RESP_*: what the key must allow.
 * @fatal: The NAK ends the connection.
 * @syndrome: Of the NAK.
 * @status: enum ib_wc_status of the receive in use when the queue pair dies.
 * @psn: Of the answer.
 * @payload_offset: Where in the payload of @run the bytes begin.
 * @message_offset: Where in the message they go.
 * @bytes: How many.
 * @message_bytes: Length of the message that is completed.
 * @rwqe_bytes: In, after RC_DO_TAKE_RWQE: room of its buffers.
 * @why: With a NAK: what is wrong. @why.id is 0 otherwise.
 */
struct rc_resp_work {
	const struct tp_run *run;
	const struct pkt_opcode *op;
	enum rc_resp_step step;
	enum rc_resp_do doing;
	uint32_t index;
	uint32_t packets;
	uint8_t opcode;
	uint8_t message;
	bool ends;
	uint8_t need;
	bool fatal;
	uint8_t syndrome;
	uint8_t status;
	psn_t psn;
	uint32_t payload_offset;
	uint32_t message_offset;
	uint32_t bytes;
	uint32_t message_bytes;
	uint32_t rwqe_bytes;
	struct base_cause why;
};

/**
 * rc_resp_init() - A responder that has received nothing.
 * @r: Out. Rights, path MTU and RNR timer are the caller's to set.
 * @epsn: First PSN that is expected.
 */
void rc_resp_init(struct rc_resp *r, psn_t epsn);

/**
 * rc_resp_receive() - Begin with a run of requests.
 * @r: The state.
 * @w: Out: what is going on.
 * @run: Valid as tp_run_is_sane() says, of the service RC, for the responder. Stays until the
 *	machine says RC_DO_NOTHING.
 *
 * Return: What to do first.
 */
enum rc_resp_do rc_resp_receive(struct rc_resp *r, struct rc_resp_work *w,
				const struct tp_run *run);

/**
 * rc_resp_answer() - Tell how it went, and go on.
 * @r: The state.
 * @w: What is going on.
 * @result: The outcome; RC_OK where there is no other.
 *
 * Return: What to do next.
 */
enum rc_resp_do rc_resp_answer(struct rc_resp *r, struct rc_resp_work *w,
			       enum rc_resp_result result);

/** rc_read_packets() - PSNs that a READ of so many bytes owns [rcp 4]. */
uint32_t rc_read_packets(uint32_t bytes, uint32_t pmtu_bytes);

#endif
