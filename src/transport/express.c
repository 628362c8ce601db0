// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The express way: SENDs of one packet that nothing stands in the way of, and their ACKs (docs/design/express.md).
 *
 * Each function looks first, changes nothing until all is as it should be, and leaves everything else to the
 * general code: requester, responder and completer know nothing of it, for what it leaves behind is what they
 * would have left.
 */
#include <linux/rcupdate.h>
#include <rdma/rdmavt_express.h>

#include "packet/pkey.h"
#include "transport/tp_qp.h"

/* Requester. All under s_lock. */

/* Nothing waits, nothing is sent again, nothing is owed to the peer. */
static bool may_send(const struct tp_qp *tq)
{
	const struct rvt_qp *qp = tq->qp;

	return qp->state == IB_QPS_RTS && tq->reach == TP_REACH_WIRE && tp_path_is_plain(tq) &&
	       !(qp->s_flags & (RVT_S_ANY_WAIT | RVT_S_BUSY | RVT_S_SEND_ONE)) &&
	       qp->s_cur == qp->s_tail && qp->s_tail_ack_queue == qp->r_head_ack_queue &&
	       tq->answer == TP_ANSWER_NONE && !tq->source_gone;
}

/* A SEND of one packet whose bytes are in the queue's own room, with a credit if one is needed. */
static bool is_simple(const struct rvt_qp *qp, const struct rvt_swqe *wqe)
{
	const int flags = wqe->wr.send_flags;

	return (wqe->wr.opcode == IB_WR_SEND || wqe->wr.opcode == IB_WR_SEND_WITH_IMM) &&
	       (flags & IB_SEND_INLINE) && wqe->length && wqe->length <= TP_SMALL_BYTES &&
	       wqe->psn == wqe->lpsn && !((flags & IB_SEND_FENCE) && qp->s_num_rd_atomic) &&
	       rc_req_fits_circle(qp, wqe) &&
	       ((qp->s_flags & RVT_S_UNLIMITED_CREDIT) ||
		rvt_cmp_msn(wqe->ssn, qp->s_lsn + 1) <= 0);
}

/* As rc_req_send() would, of a request of one packet that is sent for the first time. */
static void book(struct tp_qp *tq, const struct rvt_swqe *wqe)
{
	struct rvt_qp *qp = tq->qp;

	tq->wire_taken++;
	tq->wire_requests = tq->wire_taken;
	tq->turned_away = false;
	tq->missed = 0;
	tq->sent_psn = psn(wqe->psn + 1);
	qp->s_psn = tq->sent_psn.v;
	qp->s_cur = qp->s_tail = rvt_qp_swqe_incr(qp, qp->s_cur);
	if (!(qp->s_flags & RVT_S_TIMER))
		rvt_add_retry_timer(qp);
}

static bool send_one(struct tp_qp *tq, struct rvt_swqe *wqe)
{
	const bool immediate = wqe->wr.opcode == IB_WR_SEND_WITH_IMM;
	struct tp_port *port = &tp_port_of(tq)->port;
	struct tp_small small;

	tp_small_begin(tq, immediate ? PKT_RC_SEND_ONLY_IMM : PKT_RC_SEND_ONLY, psn(wqe->psn),
		       &small);
	small.solicited = (wqe->wr.send_flags & IB_SEND_SOLICITED) != 0;
	small.ack_req = small.ack_here = true;
	small.immdt = wqe->wr.ex.imm_data;
	small.bytes = wqe->sg_list[0].vaddr;
	small.count = wqe->length;
	if (unlikely(!port->ops->send_small(port, &small, tq->qp)))
		return false;
	book(tq, wqe);
	return true;
}

bool tp_express_send(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;
	bool all = false;

	if (unlikely(qp->ibqp.qp_type != IB_QPT_RC || !qp->port_num ||
		     !tp_port_of(tq)->port.ops->send_small))
		return false;
	spin_lock(&qp->s_lock);
	if (likely(may_send(tq)))
		do {
			struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_cur);

			all = qp->s_cur == smp_load_acquire(&qp->s_head);
			if (all || !is_simple(qp, wqe) || !send_one(tq, wqe))
				break;
		} while (true);
	spin_unlock(&qp->s_lock);
	return all;
}

/* Responder. */

/* The place in the order, and room: what rc_resp_receive() would look at. */
static bool is_expected(const struct tp_qp *tq, const struct tp_small *small)
{
	const struct rc_resp *r = &tq->resp;

	return small->psn.v == r->epsn.v && r->message == RC_MESSAGE_NONE &&
	       r->holds_rwqe == RC_MESSAGE_NONE && !r->nak && small->count &&
	       small->count <= r->pmtu_bytes && !tq->window && !tq->starved &&
	       !tq->qp->r_sge.num_sge;
}

/* Responses go before an ACK, a NAK instead of it. */
static void acknowledge(struct tp_qp *tq, struct tp_small *small)
{
	const struct rvt_qp *qp = tq->qp;

	if (likely(small->ack_here && tq->answer == TP_ANSWER_NONE &&
		   qp->s_tail_ack_queue == qp->r_head_ack_queue)) {
		small->aeth = tp_aeth_of(tq);
		small->acked = true;
	} else if (small->more) {
		tp_answer_ack(tq, small->psn);
	} else {
		tp_answer_ack_now(tq, small->psn);
	}
}

static void answer(struct tp_qp *tq, struct tp_small *small)
{
	struct rvt_qp *qp = tq->qp;

	spin_lock(&qp->s_lock);
	qp->r_psn = tq->resp.epsn.v;
	qp->r_msn = tq->resp.msn.v;
	qp->r_state = tq->resp.last_opcode;
	if (likely(small->ack_req))
		acknowledge(tq, small);
	spin_unlock(&qp->s_lock);
}

static bool take_send(struct tp_qp *tq, struct tp_small *small)
{
	struct rvt_qp *qp = tq->qp;
	struct ib_wc wc;

	if (unlikely(!is_expected(tq, small) ||
		     !rvt_express_receive(qp, small->bytes, small->count)))
		return false;
	tq->resp.epsn = psn_add(tq->resp.epsn, 1);
	tq->resp.msn = msn_add(tq->resp.msn, 1);
	tq->resp.last_opcode = small->opcode;
	wc = (struct ib_wc){
		.wr_id = qp->r_wr_id,
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = small->count,
		.qp = &qp->ibqp,
		.src_qp = qp->remote_qpn,
		.slid = small->slid,
		.sl = small->sl,
		.port_num = qp->port_num,
	};
	if (small->opcode == PKT_RC_SEND_ONLY_IMM) {
		wc.ex.imm_data = small->immdt;
		wc.wc_flags = IB_WC_WITH_IMM;
	}
	/* If there is no room the queue pair is dead, and says so itself. */
	if (likely(tp_enter_receive(tq, &wc, small->solicited)))
		answer(tq, small);
	return true;
}

/* Completer. */

static bool take_ack(struct tp_qp *tq, const struct tp_small *small)
{
	bool taken;

	spin_lock(&tq->qp->s_lock);
	taken = tp_qp_may(tq->qp, RVT_PROCESS_SEND_OK) &&
		rc_comp_small(tq, small->psn, &small->aeth);
	spin_unlock(&tq->qp->s_lock);
	return taken;
}

/* A response that is under way comes first: else it would be taken for lost. */
static bool awaits_response(const struct rvt_qp *qp)
{
	return qp->s_num_rd_atomic || qp->s_cur != qp->s_tail;
}

bool tp_acked(struct tp_port *port, void *sender, psn_t psn, const struct pkt_aeth *aeth,
	      bool in_order)
{
	struct rvt_qp *qp = sender;
	bool taken;

	(void)port;
	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	taken = in_order || !awaits_response(qp);
	if (likely(taken && tp_qp_may(qp, RVT_PROCESS_SEND_OK)))
		(void)rc_comp_small(tp_qp(qp), psn, aeth);
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
	return taken;
}

/* In RTR, too, where perftest leaves who only receives; but the first packet there is an event. */
static bool may_receive(const struct rvt_qp *qp)
{
	return qp->state == IB_QPS_RTS ||
	       (qp->state == IB_QPS_RTR && (qp->r_flags & RVT_R_COMM_EST));
}

/* [rcp 9.1]: from whom it should come. */
static bool is_for(const struct tp_qp *tq, const struct tp_port *port, const struct tp_small *small)
{
	const struct rvt_qp *qp = tq->qp;

	return qp->ibqp.qp_type == IB_QPT_RC && may_receive(qp) && qp->port_num == port->num &&
	       tp_path_is_plain(tq) && small->slid == tq->path.dlid &&
	       pkt_pkey_match(small->pkey,
			      rvt_get_pkey(tq->engine->rdi, qp->port_num - 1, qp->s_pkey_index));
}

bool tp_receive_small(struct tp_port *port, struct tp_small *small)
{
	struct rvt_dev_info *rdi = port->engine->rdi;
	bool taken = false;
	struct rvt_qp *qp;

	if (unlikely(small->dest_qpn > RVT_QPN_MASK))
		return false;
	rcu_read_lock();
	qp = rvt_lookup_qpn(rdi, rdi->ports[port->num - 1], small->dest_qpn);
	if (likely(qp)) {
		spin_lock(&qp->r_lock);
		if (likely(is_for(tp_qp(qp), port, small)))
			taken = small->opcode == PKT_RC_ACKNOWLEDGE ? take_ack(tp_qp(qp), small)
								    : take_send(tp_qp(qp), small);
		spin_unlock(&qp->r_lock);
	}
	rcu_read_unlock();
	return taken;
}
