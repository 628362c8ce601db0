// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* UC: messages in order, or not at all [rcp 11]. Also what UC and UD have in common as senders. */
#include <errno.h>

#include "transport/tp_qp.h"

static uint32_t packets_of(const struct rvt_swqe *wqe)
{
	return ((wqe->lpsn - wqe->psn) & PKT_PSN_MASK) + 1;
}

bool tp_is_on_wire(const struct tp_qp *tq)
{
	return tq->wire_taken != __atomic_load_n(&tq->wire_released, __ATOMIC_RELAXED);
}

/*
 * Requests are complete when the wire has let go of all their packets. From s_last to s_cur are those
 * that it has taken in full; of the one at s_cur it may have the beginning.
 */
void tp_released(struct tp_qp *tq, uint32_t packets)
{
	struct rvt_qp *qp = tq->qp;

	tq->released_packets += packets;
	while (qp->s_last != qp->s_cur) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_last);
		const uint32_t whole = packets_of(wqe);

		if (tq->released_packets < whole)
			break;
		tq->released_packets -= whole;
		rvt_send_complete(qp, wqe, IB_WC_SUCCESS);
	}
	if (tp_is_on_wire(tq))
		return;
	if ((qp->s_flags & RVT_S_WAIT_DMA) || qp->s_cur != smp_load_acquire(&qp->s_head)) {
		qp->s_flags &= ~(u32)RVT_S_WAIT_DMA;
		tp_schedule(tq);
	}
}

/* [sm 6, 7.3]: RC goes to ERR; UC and UD stop sending (SQE), and go on receiving. */
void tp_send_failed(struct tp_qp *tq, const struct base_cause *cause)
{
	struct rvt_qp *qp = tq->qp;
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_last);
	struct base_cause why = *cause;

	why.has_wr = true;
	why.wr_id = wqe->wr.wr_id;
	why.wr_opcode = (uint8_t)wqe->wr.opcode;
	why.status = IB_WC_LOC_PROT_ERR;
	rvt_qp_blame(qp, &why);
	tq->released_packets = 0; /* those of its beginning */
	rvt_send_complete(qp, wqe, IB_WC_LOC_PROT_ERR);
	if (qp->ibqp.qp_type == IB_QPT_RC)
		tp_die(tq, &why, IB_WC_WR_FLUSH_ERR);
}

/*
 * A wire that takes payload by reference finds out too late that it is not there: nobody answers, and
 * the request would end well. So look before.
 */
static bool has_source(struct tp_qp *tq, const struct tp_run *run)
{
	return tp_port_of(tq)->port.ops->copies || !run->payload.bytes ||
	       tp_payload_is_readable(&run->payload, 0, run->payload.bytes);
}

int tp_hand_over_unreliable(struct tp_qp *tq, const struct tp_run *run)
{
	const int taken = likely(has_source(tq, run)) ? tp_hand_over(tq, run) : -EFAULT;

	if (unlikely(taken == -EFAULT)) {
		tp_source_is_gone(tq);
	} else if (unlikely(taken < 0 && taken != -EAGAIN && tp_is_on_wire(tq))) {
		/* Lost packets count as let go of: what was taken before them is let go of first. */
		tq->qp->s_flags |= RVT_S_WAIT_DMA;
		return -EAGAIN;
	} else if (unlikely(taken < 0 && taken != -EAGAIN)) {
		tp_lost(tq, run);
	}
	return taken;
}

/* Packets of the request at s_cur have left, or what is left of it is lost. */
void tp_unreliable_advance(struct tp_qp *tq, const struct rvt_swqe *wqe, const struct tp_run *run,
			   int taken)
{
	const bool copies = taken < 0 || tp_port_of(tq)->port.ops->copies;
	const uint32_t packets = taken < 0 ? run->packets : (uint32_t)taken;
	struct rvt_qp *qp = tq->qp;

	if (qp->s_psn == wqe->psn)
		qp->s_tail = rvt_qp_swqe_incr(qp, qp->s_cur);
	qp->s_psn = (qp->s_psn + packets) & PKT_PSN_MASK;
	if (qp->s_psn == ((wqe->lpsn + 1) & PKT_PSN_MASK))
		qp->s_cur = qp->s_tail;
	if (copies)
		tp_released(tq, packets);
}

static bool send_run(struct tp_qp *tq, const struct rvt_swqe *wqe)
{
	struct rvt_qp *qp = tq->qp;
	struct tp_run run;
	int taken;

	tp_run_begin(tq, &run);
	run.psn = psn(qp->s_psn);
	tp_fill_data(tq, wqe, (qp->s_psn - wqe->psn) & PKT_PSN_MASK, UINT32_MAX, &run);
	run.ack_req = false;
	taken = tp_hand_over_unreliable(tq, &run);
	if (unlikely(taken == -EAGAIN || taken == -EFAULT))
		return false;
	tp_unreliable_advance(tq, wqe, &run, taken);
	return true;
}

bool uc_send(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;
	bool any = false;

	while (!(qp->s_flags & RVT_S_ANY_WAIT) && qp->s_cur != smp_load_acquire(&qp->s_head)) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_cur);

		if (unlikely(tp_wqe_is_local(tq, wqe)))
			break;
		if (qp->s_cur == qp->s_tail) {
			if (!tp_qp_may(qp, RVT_PROCESS_NEXT_SEND_OK))
				break;
			qp->s_psn = wqe->psn;
		}
		if (!send_run(tq, wqe))
			break;
		any = true;
	}
	return any;
}

/*
 * A WRITE's bytes go by a cursor of their own, because r_sge may have a receive that is kept. rdmavt
 * drops it with the queue pair as long as RVT_R_REWIND_SGE is set.
 */
static void release_write(struct rvt_qp *qp)
{
	if (!(qp->r_aflags & BIT(RVT_R_REWIND_SGE)))
		return;
	qp->r_aflags &= ~BIT(RVT_R_REWIND_SGE);
	rvt_put_ss(&qp->s_rdma_read_sge);
}

/* The message in progress is given up. A receive that it has is kept for the next one. */
static void abandon(struct tp_qp *tq)
{
	struct rc_resp *r = &tq->resp;

	if (r->message == RC_MESSAGE_SEND)
		r->holds_rwqe = RC_MESSAGE_SEND;
	release_write(tq->qp);
	r->message = RC_MESSAGE_NONE;
}

/* Returns whether a SEND may begin: with a receive kept from before, or a new one. */
static bool begin_send(struct tp_qp *tq, enum tp_drop_reason *why)
{
	struct rc_resp *r = &tq->resp;
	struct rvt_qp *qp = tq->qp;
	int ret = 1;

	if (!r->holds_rwqe) {
		ret = tp_get_rwqe(tq, false);
		r->limit_bytes = qp->r_len;
	}
	if (ret > 0) {
		r->message = RC_MESSAGE_SEND;
		r->holds_rwqe = RC_MESSAGE_NONE;
		return true;
	}
	if (ret < 0)
		tp_responder_dies(tq, IB_WC_LOC_QP_OP_ERR, BASE_CAUSE_RESP_RECEIVE_BAD);
	*why = TP_DROP_NO_RECEIVE;
	return false;
}

static bool begin_write(struct tp_qp *tq, const struct tp_run *run, enum tp_drop_reason *why)
{
	struct rvt_sge_state *to = &tq->qp->s_rdma_read_sge;
	struct rc_resp *r = &tq->resp;
	struct base_cause cause;

	*why = TP_DROP_ACCESS;
	if (!(r->access & RC_RESP_WRITE) || run->reth.dma_bytes > RC_MAX_MESSAGE_BYTES)
		return false;
	if (run->reth.dma_bytes) {
		if (!rvt_rkey_check(tq->qp, &to->sge, run->reth.dma_bytes, run->reth.va,
				    run->reth.rkey, IB_ACCESS_REMOTE_WRITE, &cause))
			return false;
		to->num_sge = 1;
		tq->write_rkey = run->reth.rkey;
		tq->qp->r_aflags |= BIT(RVT_R_REWIND_SGE);
	}
	r->limit_bytes = run->reth.dma_bytes;
	r->message = RC_MESSAGE_WRITE;
	return true;
}

static bool begin(struct tp_qp *tq, const struct tp_run *run, enum tp_drop_reason *why)
{
	tq->resp.done_bytes = 0;
	return pkt_op(run->first_opcode)->kind == PKT_KIND_SEND ? begin_send(tq, why)
								: begin_write(tq, run, why);
}

/* Not more than there is room for, and a WRITE not less than it announced. */
static bool fits(const struct rc_resp *r, const struct tp_run *run, bool ends)
{
	const uint32_t room = r->limit_bytes - r->done_bytes;

	if (ends && r->message == RC_MESSAGE_WRITE)
		return run->payload.bytes == room;
	return run->payload.bytes <= room;
}

static bool place(struct tp_qp *tq, const struct tp_run *run, enum tp_drop_reason *why)
{
	struct rc_resp *r = &tq->resp;
	const bool send = r->message == RC_MESSAGE_SEND;
	const struct tp_sges sges =
		tp_sges_of_state(send ? &tq->qp->r_sge : &tq->qp->s_rdma_read_sge);
	const uint32_t rkey = send ? 0 : tq->write_rkey;
	enum rc_resp_result result = RC_OK;
	struct base_cause cause;

	if (run->payload.bytes) {
		*why = TP_DROP_ACCESS;
		if (unlikely(!rvt_rkey_enter(tq->qp, rkey, &cause)))
			return false;
		result = tp_place(&sges, r->done_bytes, &run->payload, 0, run->payload.bytes);
		rvt_rkey_leave(tq->qp, rkey);
	}
	r->done_bytes += run->payload.bytes;
	if (likely(result == RC_OK))
		return true;
	*why = TP_DROP_MEMORY;
	if (send && result == RC_BAD)
		tp_responder_dies(tq, IB_WC_LOC_PROT_ERR, BASE_CAUSE_RESP_RECEIVE_UNMAPPED);
	return false;
}

/* A WRITE with immediate takes a receive for its completion alone: the kept one, if there is any. */
static bool has_receive(struct tp_qp *tq, const struct tp_run *run, enum tp_drop_reason *why)
{
	*why = TP_DROP_NO_RECEIVE;
	if (tq->resp.message == RC_MESSAGE_SEND || tq->resp.holds_rwqe ||
	    !(pkt_op(run->last_opcode)->headers & PKT_IMMDT))
		return true;
	return tp_get_rwqe(tq, true) > 0;
}

static void finish(struct tp_qp *tq, const struct tp_run *run)
{
	struct rc_resp *r = &tq->resp;
	struct rvt_qp *qp = tq->qp;
	const bool send = r->message == RC_MESSAGE_SEND;
	struct ib_wc wc;

	r->message = RC_MESSAGE_NONE;
	r->msn = msn_add(r->msn, 1);
	release_write(qp);
	if (!send && !(pkt_op(run->last_opcode)->headers & PKT_IMMDT))
		return;
	r->holds_rwqe = RC_MESSAGE_NONE;
	if (qp->r_sge.num_sge)
		rvt_put_ss(&qp->r_sge);
	tp_fill_receive(tq, run, r->done_bytes, IB_WC_SUCCESS, &wc);
	wc.src_qp = qp->remote_qpn;
	(void)tp_enter_receive(tq, &wc, run->solicited);
}

/* Whether the run goes on with the message in progress, or begins one. Else it waits for a begin. */
static bool is_in_order(struct tp_qp *tq, const struct tp_run *run)
{
	const struct pkt_opcode *op = pkt_op(run->first_opcode);
	const bool starts = op->pos == PKT_FIRST || op->pos == PKT_ONLY;
	struct rc_resp *r = &tq->resp;
	const uint8_t message = op->kind == PKT_KIND_SEND ? RC_MESSAGE_SEND : RC_MESSAGE_WRITE;

	if (run->psn.v != r->epsn.v || r->message != (starts ? RC_MESSAGE_NONE : message))
		abandon(tq);
	r->epsn = psn_add(run->psn, run->packets);
	r->last_opcode = run->last_opcode;
	return starts || r->message == message;
}

void uc_receive(struct tp_qp *tq, const struct tp_run *run)
{
	const enum pkt_pos pos = pkt_op(run->first_opcode)->pos;
	const bool ends = tp_run_ends_message(run);
	enum tp_drop_reason why = TP_DROP_ORDER;

	if (unlikely(!is_in_order(tq, run)))
		goto drop;
	why = TP_DROP_LENGTH;
	if (unlikely(!tp_run_length_is_right(run, tq->qp->pmtu)))
		goto drop;
	if ((pos == PKT_FIRST || pos == PKT_ONLY) && unlikely(!begin(tq, run, &why)))
		goto drop;
	if (unlikely(!fits(&tq->resp, run, ends))) {
		why = TP_DROP_LENGTH;
		goto drop;
	}
	if (ends && unlikely(!has_receive(tq, run, &why)))
		goto drop;
	if (unlikely(!place(tq, run, &why)))
		goto drop;
	if (ends)
		finish(tq, run);
	tq->qp->r_psn = tq->resp.epsn.v;
	return;
drop:
	abandon(tq);
	tq->qp->r_psn = tq->resp.epsn.v;
	tp_drop(&tp_port_of(tq)->port, tq, run, why);
}
