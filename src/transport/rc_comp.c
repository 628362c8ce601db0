// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The RC completer: what responses do to the requests that are outstanding [rcp 8.3-8.10].
 *
 * Distances are counted from s_last_psn, the last PSN acknowledged: what is outstanding lies at 1 up
 * to the distance of sent_psn (exclusive), whatever the circle does.
 */
#include "base/check.h"
#include "packet/aeth.h"
#include "transport/tp_qp.h"

#define RNR_RETRY_FOREVER 7

static struct rvt_swqe *oldest(struct rvt_qp *qp)
{
	return qp->s_acked == qp->s_tail ? NULL : rvt_get_swqe_ptr(qp, qp->s_acked);
}

static bool holds(const struct rvt_swqe *wqe, psn_t psn)
{
	return ((psn.v - wqe->psn) & PKT_PSN_MASK) <= ((wqe->lpsn - wqe->psn) & PKT_PSN_MASK);
}

/* Distance of the first PSN of a request that is not acknowledged; 1 if it is so in part. */
static uint32_t first_missing(const struct rvt_qp *qp, const struct rvt_swqe *wqe)
{
	const uint32_t last = tp_ahead(qp, psn(wqe->lpsn));
	const uint32_t more = (wqe->lpsn - wqe->psn) & PKT_PSN_MASK;

	return more < last ? last - more : 1;
}

/* The oldest request is done. Its slot may be posted anew from here on. */
static void complete_oldest(struct tp_qp *tq, struct rvt_swqe *wqe)
{
	struct rvt_qp *qp = tq->qp;

	if (rc_req_is_read_or_atomic(wqe)) {
		/* Not counted while it waits to be sent again. */
		if (qp->s_acked != qp->s_cur && qp->s_num_rd_atomic)
			qp->s_num_rd_atomic--;
		qp->s_flags &= ~(u32)RVT_S_WAIT_RDMAR;
		if (!qp->s_num_rd_atomic)
			qp->s_flags &= ~(u32)RVT_S_WAIT_FENCE;
	}
	rvt_send_complete(qp, wqe, IB_WC_SUCCESS);
}

/* s_last_psn moves, and with it what would have been sent again. */
static void acknowledge(struct tp_qp *tq, psn_t to)
{
	struct rvt_qp *qp = tq->qp;
	const bool resend = tp_ahead(qp, psn(qp->s_psn)) <= tp_ahead(qp, to);
	u32 n;

	qp->s_last_psn = to.v;
	qp->s_flags &= ~(u32)RVT_S_WAIT_PSN;
	if (likely(!resend))
		return;
	qp->s_psn = psn_add(to, 1).v;
	qp->s_num_rd_atomic = 0;
	for (n = qp->s_acked; n != qp->s_tail; n = rvt_qp_swqe_incr(qp, n))
		if (holds(rvt_get_swqe_ptr(qp, n), psn(qp->s_psn)))
			break;
	qp->s_cur = n;
}

/* [rcp 8.5]: progress: the counters and the timer begin anew. */
static void progress(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	qp->s_retry = qp->s_retry_cnt;
	qp->s_rnr_retry = qp->s_rnr_retry_cnt;
	if (qp->s_acked == qp->s_tail)
		rvt_stop_rc_timers(qp);
	else if (!(qp->s_flags & RVT_S_WAIT_RNR))
		rvt_mod_retry_timer(qp);
	qp->s_flags &= ~(u32)RVT_S_WAIT_ACK;
	if (qp->s_cur != smp_load_acquire(&qp->s_head))
		tp_schedule(tq);
}

/*
 * [rcp 8.4]: complete, in order, all that ends at or before @to and has no response of its own.
 * Returns whether a READ or an atomic was in the way: then its response is lost. Everything before
 * it counts as acknowledged.
 */
static bool complete_up_to(struct tp_qp *tq, psn_t to)
{
	struct rvt_qp *qp = tq->qp;
	const u32 before = qp->s_last_psn;
	uint32_t ahead = tp_ahead(qp, to);
	struct rvt_swqe *wqe;
	bool lost = false;

	while ((wqe = oldest(qp)) && first_missing(qp, wqe) <= ahead) {
		if (unlikely(rc_req_is_read_or_atomic(wqe))) {
			ahead = first_missing(qp, wqe) - 1;
			lost = true;
			break;
		}
		if (tp_ahead(qp, psn(wqe->lpsn)) > ahead)
			break;
		complete_oldest(tq, wqe);
	}
	acknowledge(tq, psn(before + ahead));
	if (qp->s_last_psn != before)
		progress(tq);
	return lost;
}

/* [sm 7.3]: the request with its own status first, then all others as flushed. */
void rc_comp_fail(struct tp_qp *tq, enum ib_wc_status status, const struct base_cause *cause)
{
	struct base_cause why = *cause;
	struct rvt_qp *qp = tq->qp;
	struct rvt_swqe *wqe = oldest(qp);

	why.status = (uint8_t)status;
	if (wqe) {
		why.has_wr = true;
		why.wr_id = wqe->wr.wr_id;
		why.wr_opcode = (uint8_t)wqe->wr.opcode;
		rvt_qp_blame(qp, &why);
		rvt_send_complete(qp, wqe, status);
	}
	tp_die(tq, &why, IB_WC_WR_FLUSH_ERR);
}

static void retries_are_used_up(struct tp_qp *tq, psn_t from, bool timeout)
{
	struct rvt_qp *qp = tq->qp;
	const struct tp_port *port = &tp_port_of(tq)->port;
	struct base_cause cause = {
		.id = timeout ? BASE_CAUSE_REQ_RETRY_TIMEOUT : BASE_CAUSE_REQ_RETRY_SEQUENCE,
		.side = BASE_SIDE_REQUESTER,
		.arg = {from.v, qp->s_retry_cnt, qp->timeout, pkt_ack_wait_ns(qp->timeout) / 1000},
	};

	if (port->ops->why_lost)
		(void)port->ops->why_lost(port, &tq->path, qp->remote_qpn, &cause);
	trace(rc_retry_exhausted, qp->ibqp.qp_num, from.v, qp->s_retry_cnt);
	rc_comp_fail(tq, IB_WC_RETRY_EXC_ERR, &cause);
}

/* [rcp 8.8, 8.9] */
void rc_comp_retry(struct tp_qp *tq, psn_t from, bool timeout)
{
	struct rvt_qp *qp = tq->qp;

	if (qp->s_retry == 0) {
		if (qp->s_mig_state != IB_MIG_ARMED) {
			retries_are_used_up(tq, from, timeout);
			return;
		}
		tp_migrate(tq);
	} else {
		qp->s_retry--;
	}
	rc_req_restart(tq, from);
	if (timeout) {
		qp->s_flags |= RVT_S_SEND_ONE;
		qp->r_flags &= (u8)~RVT_R_RDMAR_SEQ; /* a loss from here on is a new one */
	}
	tp_schedule(tq);
}

/* [rcp 8.4, 8.6]: a response is missing. All that comes behind it is ignored until it is here. */
static void response_is_lost(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	if (qp->r_flags & RVT_R_RDMAR_SEQ)
		return;
	qp->r_flags |= RVT_R_RDMAR_SEQ;
	rvt_count(&rvt_to_iport(qp)->n_rdma_seq, 1);
	rc_comp_retry(tq, psn(qp->s_last_psn + 1), false);
}

static u32 aeth_word(const struct pkt_aeth *aeth)
{
	return (u32)aeth->syndrome << PKT_AETH_SYNDROME_SHIFT | aeth->msn.v;
}

static u32 aeth_of(const struct tp_run *run)
{
	return aeth_word(&run->aeth);
}

static void take_ack(struct tp_qp *tq, psn_t psn, const struct pkt_aeth *aeth)
{
	const bool lost = complete_up_to(tq, psn);

	rvt_get_credit(tq->qp, aeth_word(aeth));
	if (unlikely(lost))
		response_is_lost(tq);
}

bool rc_comp_small(struct tp_qp *tq, psn_t psn, const struct pkt_aeth *aeth)
{
	struct rvt_qp *qp = tq->qp;
	const uint32_t ahead = tp_ahead(qp, psn);

	if (unlikely(!ahead || ahead >= tp_ahead(qp, tq->sent_psn) ||
		     pkt_aeth_kind(aeth->syndrome) != PKT_AETH_ACK ||
		     (qp->r_flags & RVT_R_RDMAR_SEQ)))
		return false;
	take_ack(tq, psn, aeth);
	return true;
}

/* [rcp 8.10] */
static void take_rnr_nak(struct tp_qp *tq, const struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;
	const struct base_cause cause = {
		.id = BASE_CAUSE_REQ_RNR_RETRY,
		.side = BASE_SIDE_REQUESTER,
		.arg = {run->psn.v, qp->s_rnr_retry_cnt, run->aeth.syndrome & PKT_AETH_CODE_MASK},
	};

	if (qp->s_flags & RVT_S_WAIT_RNR)
		return;
	rvt_count(&rvt_to_iport(qp)->n_rnr_naks, 1);
	if (complete_up_to(tq, psn_sub(run->psn, 1))) {
		response_is_lost(tq);
		return;
	}
	if (!oldest(qp))
		return;
	if (qp->s_rnr_retry == 0) {
		rc_comp_fail(tq, IB_WC_RNR_RETRY_EXC_ERR, &cause);
		return;
	}
	if (qp->s_rnr_retry_cnt != RNR_RETRY_FOREVER)
		qp->s_rnr_retry--;
	rvt_stop_rc_timers(qp);
	rc_req_restart(tq, run->psn);
	rvt_add_rnr_timer(qp, aeth_of(run));
}

static enum ib_wc_status status_of(const struct tp_run *run)
{
	if (run->why.id == BASE_CAUSE_REQ_MEMORY_UNMAPPED)
		return IB_WC_LOC_PROT_ERR;
	if (run->aeth.syndrome == PKT_NAK_INVALID_REQUEST)
		return IB_WC_REM_INV_REQ_ERR;
	return run->aeth.syndrome == PKT_NAK_REMOTE_ACCESS ? IB_WC_REM_ACCESS_ERR
							   : IB_WC_REM_OP_ERR;
}

/* The peer's reason if it came along; who found it stays as it is. */
static struct base_cause cause_of(const struct tp_run *run)
{
	struct base_cause cause = run->why;

	if (!cause.id)
		cause = (struct base_cause){.id = BASE_CAUSE_REQ_NAK,
					    .side = BASE_SIDE_REQUESTER,
					    .arg = {run->psn.v, run->aeth.syndrome}};
	return cause;
}

/* [rcp 8.7, 5] */
static void take_nak(struct tp_qp *tq, const struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;
	const uint8_t syndrome = run->aeth.syndrome;
	struct base_cause cause;

	if (syndrome < PKT_NAK_PSN_SEQUENCE || syndrome > PKT_NAK_REMOTE_OPERATIONAL)
		return;
	if (complete_up_to(tq, psn_sub(run->psn, 1))) {
		response_is_lost(tq);
		return;
	}
	if (syndrome == PKT_NAK_PSN_SEQUENCE) {
		rvt_count(&rvt_to_iport(qp)->n_seq_naks, 1);
		rc_comp_retry(tq, run->psn, false);
		return;
	}
	rvt_count(&rvt_to_iport(qp)->n_other_naks, 1);
	if (!oldest(qp))
		return;
	cause = cause_of(run);
	cause.qpn = qp->ibqp.qp_num; /* whoever found it: it is our request */
	cause.peer_qpn = qp->remote_qpn;
	rc_comp_fail(tq, status_of(run), &cause);
}

static void take_acknowledge(struct tp_qp *tq, const struct tp_run *run)
{
	switch (pkt_aeth_kind(run->aeth.syndrome)) {
	case PKT_AETH_ACK:
		take_ack(tq, run->psn, &run->aeth);
		break;
	case PKT_AETH_RNR_NAK:
		take_rnr_nak(tq, run);
		break;
	case PKT_AETH_NAK:
		take_nak(tq, run);
		break;
	case PKT_AETH_RESERVED:
		break;
	}
}

static void fail_response(struct tp_qp *tq, const struct tp_run *run, enum ib_wc_status status,
			  enum base_cause_id id, uint64_t value)
{
	const struct base_cause cause = {.id = (uint16_t)id,
					 .side = BASE_SIDE_REQUESTER,
					 .arg = {run->first_opcode, run->psn.v, value}};

	rc_comp_fail(tq, status, &cause);
}

/* The answer to an atomic write or a flush is that of a READ of no bytes. */
static bool is_answered_as_read(const struct rvt_swqe *wqe)
{
	return wqe->wr.opcode == IB_WR_RDMA_READ || wqe->wr.opcode == IB_WR_ATOMIC_WRITE ||
	       wqe->wr.opcode == IB_WR_FLUSH;
}

/*
 * The READ or atomic that a response belongs to, with all before it completed [rcp 8.6]; NULL if it
 * is not the turn of any.
 */
static struct rvt_swqe *response_wqe(struct tp_qp *tq, const struct tp_run *run, psn_t from)
{
	struct rvt_qp *qp = tq->qp;
	struct rvt_swqe *wqe;

	if (complete_up_to(tq, psn_sub(from, 1))) {
		response_is_lost(tq);
		return NULL;
	}
	wqe = oldest(qp);
	if (wqe && holds(wqe, from) && rc_req_is_read_or_atomic(wqe) &&
	    is_answered_as_read(wqe) == (pkt_op(run->first_opcode)->kind == PKT_KIND_READ_RESP))
		return wqe;
	fail_response(tq, run, IB_WC_BAD_RESP_ERR, BASE_CAUSE_REQ_BAD_RESPONSE, 0);
	return NULL;
}

static void response_is_in(struct tp_qp *tq, struct rvt_swqe *wqe, psn_t last,
			   const struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;

	qp->r_flags &= (u8)~RVT_R_RDMAR_SEQ;
	if (last.v == psn(wqe->lpsn).v)
		complete_oldest(tq, wqe);
	acknowledge(tq, last);
	progress(tq);
	if (pkt_op(run->last_opcode)->headers & PKT_AETH)
		rvt_get_credit(qp, aeth_of(run));
}

/*
 * Bytes for the consumer. The wire's run may refer to memory of the peer that is gone; if the peer is, the
 * response is as good as lost, and the retries tell. r_lock keeps
 * the request where it is; s_lock is let go meanwhile, so that who posts need not wait for the copy.
 */
static bool store(struct tp_qp *tq, const struct tp_run *run, const struct rvt_swqe *wqe,
		  const struct tp_payload *payload, uint32_t payload_skip, uint32_t at,
		  uint32_t bytes) NO_THREAD_SAFETY_ANALYSIS
{
	const struct tp_sges sges = tp_sges_of_wqe(wqe);
	enum rc_resp_result result = RC_OK;

	spin_unlock(&tq->qp->s_lock);
	if (bytes)
		result = tp_place(&sges, at, payload, payload_skip, bytes);
	spin_lock(&tq->qp->s_lock);
	if (likely(result == RC_OK))
		return true;
	if (result == RC_BAD)
		fail_response(tq, run, IB_WC_LOC_PROT_ERR, BASE_CAUSE_REQ_MEMORY_UNMAPPED, 0);
	else if (result == RC_SOURCE)
		fail_response(tq, run, IB_WC_REM_ACCESS_ERR, BASE_CAUSE_REQ_SOURCE_UNMAPPED, 0);
	return false;
}

/* [rcp 8.6]: each packet has the length that its place says. */
static bool read_length_is_right(const struct rvt_qp *qp, const struct rvt_swqe *wqe,
				 const struct tp_run *run)
{
	const uint32_t index = (run->psn.v - wqe->psn) & PKT_PSN_MASK;
	const uint32_t length = wqe->wr.opcode == IB_WR_RDMA_READ ? wqe->length : 0;
	const uint32_t left = length - (index << qp->log_pmtu);
	const bool ends = tp_run_ends_message(run);

	if (run->packets > 1 && run->pmtu_bytes != qp->pmtu)
		return false;
	if (ends)
		return run->payload.bytes == left;
	return run->payload.bytes == run->packets << qp->log_pmtu && run->payload.bytes < left;
}

static void take_read_response(struct tp_qp *tq, const struct tp_run *run, uint32_t skip)
{
	struct rvt_qp *qp = tq->qp;
	const psn_t from = psn_add(run->psn, skip), last = psn_add(run->psn, run->packets - 1);
	struct rvt_swqe *wqe = response_wqe(tq, run, from);
	uint32_t bytes;

	if (!wqe)
		return;
	if (!holds(wqe, last) || !holds(wqe, run->psn)) {
		fail_response(tq, run, IB_WC_BAD_RESP_ERR, BASE_CAUSE_REQ_BAD_RESPONSE, 0);
		return;
	}
	if (!read_length_is_right(qp, wqe, run)) {
		fail_response(tq, run, IB_WC_LOC_LEN_ERR, BASE_CAUSE_REQ_READ_LENGTH,
			      run->payload.bytes);
		return;
	}
	bytes = run->payload.bytes - skip * run->pmtu_bytes;
	if (store(tq, run, wqe, &run->payload, skip * run->pmtu_bytes,
		  ((from.v - wqe->psn) & PKT_PSN_MASK) << qp->log_pmtu, bytes))
		response_is_in(tq, wqe, last, run);
}

/* [rcp 8.4]: the original value, in the order of our bytes, wherever the SGEs are. */
static void take_atomic_response(struct tp_qp *tq, const struct tp_run *run)
{
	uint64_t original = run->atomicacketh.original;
	struct iovec iov = {.iov_base = &original, .iov_len = sizeof(original)};
	const struct tp_payload payload = {.iov = &iov, .count = 1, .bytes = sizeof(original)};
	struct rvt_swqe *wqe = response_wqe(tq, run, run->psn);

	if (wqe && store(tq, run, wqe, &payload, 0, 0, sizeof(original)))
		response_is_in(tq, wqe, run->psn, run);
}

/* Packets of the run that are old [rcp 8.3]: all but those that are outstanding, at its end. */
static uint32_t duplicates(struct tp_qp *tq, const struct tp_run *run)
{
	const uint32_t ahead = tp_ahead(tq->qp, psn_add(run->psn, run->packets - 1));

	if (ahead >= tp_ahead(tq->qp, tq->sent_psn))
		return run->packets;
	return ahead < run->packets ? run->packets - ahead : 0;
}

/* Whether the run lies in what is outstanding, or behind it. */
static bool was_asked_for(struct tp_qp *tq, const struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;
	const psn_t last = psn_add(run->psn, run->packets - 1);

	return tp_ahead(qp, last) < tp_ahead(qp, tq->sent_psn) ||
	       psn_diff(last, psn(qp->s_last_psn)) <= 0;
}

static void take_old(struct tp_qp *tq, const struct tp_run *run)
{
	if (run->first_opcode == PKT_RC_ACKNOWLEDGE && run->psn.v == tq->qp->s_last_psn &&
	    pkt_aeth_kind(run->aeth.syndrome) == PKT_AETH_ACK)
		rvt_get_credit(tq->qp, aeth_of(run));
}

static void take_response(struct tp_qp *tq, const struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;
	const uint32_t old = duplicates(tq, run);

	if (old >= run->packets) {
		take_old(tq, run);
		return;
	}
	/* [rcp 8.3]: after a lost response nothing else helps. */
	if ((qp->r_flags & RVT_R_RDMAR_SEQ) &&
	    psn_add(run->psn, old).v != psn(qp->s_last_psn + 1).v)
		return;
	if (run->first_opcode == PKT_RC_ACKNOWLEDGE) {
		/* An ACK is not the response that is missing; many of them cost one retry. */
		if ((qp->r_flags & RVT_R_RDMAR_SEQ) &&
		    pkt_aeth_kind(run->aeth.syndrome) == PKT_AETH_ACK)
			return;
		qp->r_flags &= (u8)~RVT_R_RDMAR_SEQ;
		take_acknowledge(tq, run);
	} else if (run->first_opcode == PKT_RC_ATOMIC_ACKNOWLEDGE) {
		take_atomic_response(tq, run);
	} else {
		take_read_response(tq, run, old);
	}
}

void rc_comp_receive(struct tp_qp *tq, const struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;

	spin_lock(&qp->s_lock);
	if (unlikely(!tp_qp_may(qp, RVT_PROCESS_SEND_OK) || !was_asked_for(tq, run)))
		tp_drop(&tp_port_of(tq)->port, tq, run, TP_DROP_RESPONSE);
	else
		take_response(tq, run);
	spin_unlock(&qp->s_lock);
}
