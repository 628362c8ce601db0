/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The loopback engine's two halves: turns (qp_loopback.c) and one request (loop_execute.c). */
#ifndef RDMAVT_LOOPBACK_H
#define RDMAVT_LOOPBACK_H

#include "rdmavt/qp_priv.h"

/* What became of a request. */
enum rvt_loop_outcome {
	RVT_LOOP_DONE,	     /* success, as far as the requester knows */
	RVT_LOOP_LOCAL,	     /* a local operation: nothing for the responder to do */
	RVT_LOOP_NO_RECEIVE, /* RNR NAK */
	RVT_LOOP_FAILED,     /* the requester completes with an error */
};

/**
 * struct rvt_loop - One run of the engine.
 * @rdi: Device.
 * @sqp: Requester.
 * @port: Its port.
 * @qp: Responder; only while it is being looked at.
 * @remote_qpn: Its number.
 * @first: Ring index of the batch's first request.
 * @count: Requests in the batch.
 * @done: How many of them have succeeded.
 * @outcome: Of the one after these, or RVT_LOOP_DONE.
 * @status: RVT_LOOP_FAILED: what the requester completes with.
 * @why: RVT_LOOP_FAILED: why.
 * @rnr_timer: RVT_LOOP_NO_RECEIVE: how long to wait, the responder's code.
 * @limit_reached: The responder's SRQ has fallen below its limit.
 * @send_cq_full: The requester's CQ did not take a completion.
 * @wc: The next completion of the responder, filled in but for what differs between messages.
 */
struct rvt_loop {
	struct rvt_dev_info *rdi;
	struct rvt_qp *sqp;
	struct rvt_ibport *port;
	struct rvt_qp *qp;
	u32 remote_qpn;
	u32 first;
	u32 count;
	u32 done;
	enum rvt_loop_outcome outcome;
	enum ib_wc_status status;
	u8 rnr_timer;
	bool limit_reached;
	bool send_cq_full;
	struct base_cause why;
	struct ib_wc wc;
};

/**
 * rvt_loop_execute() - Execute one request at the responder.
 * @l: The run; l->qp->r_lock is held.
 * @wqe: The request.
 *
 * Return: What became of it, with the fields of @l that go with that.
 */
enum rvt_loop_outcome rvt_loop_execute(struct rvt_loop *l, struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock);

/** rvt_loop_lost() - Messages are lost, for @l->why. UC's requester does not notice: it is told once. */
void rvt_loop_lost(struct rvt_loop *l, u32 messages);

/**
 * rvt_loop_complete() - rvt_qp_complete_swqe() with success, without the responder's lock.
 * @l: The run; l->sqp->s_lock is held.
 * @wqe: The oldest request.
 * @opcode: For the completion.
 *
 * Return: false if the send CQ did not take the completion.
 */
bool rvt_loop_complete(struct rvt_loop *l, struct rvt_swqe *wqe, enum ib_wc_opcode opcode)
	REQUIRES(l->sqp->s_lock);

#endif
