// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The requester's side of windows: a WRITE or a READ is executed here, by the responder's own
 * decisions (rc_resp.c), on the peer's state and memory.
 *
 * Only what succeeds as a whole ends here. Whatever is in the way, an error included, leaves the
 * request to the wire: then the owner answers, as if nobody had tried.
 */
#include "base/check.h"
#include "transport/tp_qp.h"
#include "transport/window.h"

/*
 * Requests that went through the wire because others were under way: after so many of them all is
 * waited for once, so that the next may go direct. If it may not, the patience doubles.
 */
#define PATIENCE 16u
#define MOST_PATIENCE (1u << 16)

static bool is_direct(const struct rvt_swqe *wqe)
{
	return wqe->wr.opcode == IB_WR_RDMA_WRITE || wqe->wr.opcode == IB_WR_RDMA_READ;
}

static bool is_candidate(const struct tp_qp *tq, const struct rvt_swqe *wqe)
{
	return is_direct(wqe) && !tq->turned_away && tp_port_of(tq)->port.ops->windows;
}

bool tp_direct_is_due(const struct tp_qp *tq, const struct rvt_swqe *wqe)
{
	const struct rvt_qp *qp = tq->qp;

	return is_candidate(tq, wqe) && qp->s_cur == qp->s_tail && qp->s_last == qp->s_cur &&
	       tp_qp_may(qp, RVT_PROCESS_NEXT_SEND_OK) &&
	       !(qp->s_flags & (RVT_S_ANY_WAIT | RVT_S_SEND_ONE)) &&
	       qp->s_mig_state == IB_MIG_MIGRATED &&
	       (wqe->wr.opcode != IB_WR_RDMA_READ || qp->s_max_rd_atomic);
}

bool tp_direct_waits(const struct tp_qp *tq, const struct rvt_swqe *wqe)
{
	return tq->missed >= tq->patience + PATIENCE && is_candidate(tq, wqe) &&
	       tq->qp->s_last != tq->qp->s_cur;
}

void tp_direct_missed(struct tp_qp *tq, const struct rvt_swqe *wqe)
{
	tq->turned_away = false;
	tq->missed = is_direct(wqe) ? tq->missed + 1 : 0;
}

/**
 * struct direct - A request that is being executed.
 * @pw: The peer.
 * @w: What the machine says.
 * @pd: Of it.
 * @keys: Those of its device.
 * @local: Our bytes.
 * @at: Where the key leads.
 */
struct direct {
	const struct tp_peer_window *pw;
	struct rc_resp_work w;
	uint32_t pd;
	struct rvt_peer_keys keys;
	struct tp_payload local;
	u64 at;
};

#define TERM(field) __atomic_load_n(&x->pw->window->field, __ATOMIC_RELAXED)

/* Whether the window is that of our connection, and of nothing that is under way in it. */
static bool is_ours(const struct direct *x, const struct tp_qp *tq, const struct tp_run *run)
{
	return TERM(qpn) == run->dest_qpn && TERM(peer_qpn) == tq->qp->ibqp.qp_num &&
	       TERM(slid) == run->path.slid && TERM(dlid) == run->path.dlid &&
	       TERM(pkey) == run->pkey && TERM(pmtu_bytes) == tq->qp->pmtu && !run->path.has_grh;
}

static bool find_keys(struct direct *x)
{
	const uint32_t first = TERM(first_key), shift = TERM(key_shift);

	if (!shift || shift > 31 || first + (1ull << (32 - shift)) > x->pw->key_count)
		return false;
	x->keys = (struct rvt_peer_keys){.entries = x->pw->keys, .first = first, .shift = shift};
	x->pd = TERM(pd);
	return true;
}

static enum rc_resp_result check_key(struct direct *x)
{
	const struct tp_run *run = x->w.run;
	const struct rvt_peer_access access = {
		.pd = x->pd,
		.qpn = run->dest_qpn,
		.rkey = run->reth.rkey,
		.len = run->reth.dma_bytes,
		.vaddr = run->reth.va,
		.acc = x->w.need == RC_RESP_WRITE ? IB_ACCESS_REMOTE_WRITE : IB_ACCESS_REMOTE_READ,
	};

	return rvt_peer_rkey_ok(&x->keys, &access, &x->at) ? RC_OK : RC_BAD;
}

static enum rc_resp_result place(struct direct *x, bool write, uint32_t skip, uint64_t offset,
				 uint32_t bytes)
{
	return bytes && x->pw->place(x->pw, write, &x->local, skip, x->at + offset, bytes) ? RC_BAD
											   : RC_OK;
}

/* What is not for us ends the attempt. */
static enum rc_resp_result carry_out(struct direct *x, enum rc_resp_do what)
{
	switch (what) {
	case RC_DO_TAKE_SLOT: /* the answer is in place before the next request */
	case RC_DO_ACK:
		return RC_OK;
	case RC_DO_CHECK_KEY:
		return check_key(x);
	case RC_DO_PLACE:
		return place(x, true, x->w.payload_offset, x->w.message_offset, x->w.bytes);
	case RC_DO_READ:
		return place(x, false, 0, 0, x->w.run->reth.dma_bytes);
	case RC_DO_TAKE_RWQE:
	case RC_DO_TAKE_WR_ID:
	case RC_DO_ATOMIC:
	case RC_DO_INVALIDATE:
	case RC_DO_COMPLETE:
	case RC_DO_REPLAY:
	case RC_DO_NAK:
	case RC_DO_NOTHING:
		break;
	}
	return RC_BAD;
}

/* The lock is held. The machine works on a copy; one store makes it the state. */
static bool execute(struct direct *x, const struct tp_qp *tq, const struct tp_run *run)
{
	struct tp_window *window = x->pw->window;
	struct rc_resp resp = {.pmtu_bytes = tq->qp->pmtu, .access = TERM(access)};
	enum rc_resp_do what;

	if (!is_ours(x, tq, run) || !tp_window_load(window, &resp) || resp.epsn.v != run->psn.v ||
	    !find_keys(x))
		return false;
	what = rc_resp_receive(&resp, &x->w, run);
	while (what != RC_DO_NOTHING) {
		if (carry_out(x, what) != RC_OK)
			return false;
		what = rc_resp_answer(&resp, &x->w, RC_OK);
	}
	__atomic_store_n(&window->position, tp_window_position(&resp), __ATOMIC_RELEASE);
	return true;
}

/* No locks; the request stays where it is by RVT_S_BUSY. */
static bool place_request(struct tp_qp *tq, const struct rvt_swqe *wqe, const struct tp_run *run)
{
	struct tp_port *port = &tp_port_of(tq)->port;
	const struct tp_swqe *ts = tp_swqe(wqe);
	struct tp_peer_window pw;
	struct direct x = {
		.pw = &pw,
		.local = {.iov = ts->iov,
			  .count = ts->count,
			  .bytes = wqe->length,
			  .offset = ts->offset},
	};
	bool done = false;

	rcu_read_lock();
	if (port->ops->windows->find(port, run, &pw) && tp_window_try(pw.window, pw.self)) {
		done = execute(&x, tq, run);
		tp_window_drop(pw.window);
	}
	rcu_read_unlock();
	if (done)
		port->ops->windows->placed(port, run);
	return done;
}

/* As if it had been sent, and acknowledged. */
static void complete_request(struct tp_qp *tq, struct rvt_swqe *wqe)
{
	struct rvt_qp *qp = tq->qp;

	qp->s_psn = (wqe->lpsn + 1) & PKT_PSN_MASK;
	qp->s_last_psn = wqe->lpsn;
	qp->s_retry = qp->s_retry_cnt;
	qp->s_rnr_retry = qp->s_rnr_retry_cnt;
	if (!(qp->s_flags & RVT_S_UNLIMITED_CREDIT))
		qp->s_lsn = (qp->s_lsn + 1) & PKT_PSN_MASK;
	tq->sent_psn = psn(qp->s_psn);
	tq->missed = 0;
	tq->patience = 0;
	rvt_send_complete(qp, wqe, IB_WC_SUCCESS);
}

/* It has not begun, and goes through the wire. */
static void turn_away(struct tp_qp *tq, u32 index)
{
	struct rvt_qp *qp = tq->qp;

	qp->s_cur = qp->s_tail = index;
	tq->turned_away = true;
	tq->missed = 0;
	tq->patience = tq->patience < MOST_PATIENCE ? 2 * tq->patience + PATIENCE : tq->patience;
}

/* Started, so that SQD waits for it. */
static bool begin(struct tp_qp *tq, struct tp_run *run, u32 *index)
{
	struct rvt_qp *qp = tq->qp;
	struct rvt_swqe *wqe;
	bool due;

	spin_lock(&qp->s_lock);
	*index = qp->s_cur;
	wqe = rvt_get_swqe_ptr(qp, *index);
	due = tq->reach == TP_REACH_WIRE && !(qp->s_flags & RVT_S_BUSY) &&
	      *index != smp_load_acquire(&qp->s_head) && !tp_wqe_is_local(tq, wqe) &&
	      tp_direct_is_due(tq, wqe);
	if (likely(due)) {
		qp->s_psn = wqe->psn;
		rc_req_fill(tq, wqe, run);
		qp->s_cur = qp->s_tail = rvt_qp_swqe_incr(qp, *index);
		qp->s_flags |= RVT_S_BUSY;
	}
	spin_unlock(&qp->s_lock);
	return due;
}

static bool is_idle(const struct tp_qp *tq)
{
	const struct rvt_qp *qp = tq->qp;

	return qp->s_cur == smp_load_acquire(&qp->s_head) && tq->answer == TP_ANSWER_NONE &&
	       qp->s_tail_ack_queue == qp->r_head_ack_queue;
}

bool tp_direct(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;
	struct rvt_swqe *wqe;
	struct tp_run run;
	bool done, idle;
	u32 index;

	if (!begin(tq, &run, &index))
		return false;
	wqe = rvt_get_swqe_ptr(qp, index);
	done = place_request(tq, wqe, &run);
	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	qp->s_flags &= ~(u32)RVT_S_BUSY;
	if (unlikely(!tp_qp_may(qp, RVT_PROCESS_OR_FLUSH_SEND)))
		base_wake(); /* it is being reset, and that waits for us */
	else if (likely(done))
		complete_request(tq, wqe);
	else
		turn_away(tq, index);
	idle = is_idle(tq);
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
	return idle;
}
