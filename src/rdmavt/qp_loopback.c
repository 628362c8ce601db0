// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * rvt_ruc_loopback(): the send engine of an RC or UC QP whose peer is on the same port. No packets,
 * no PSNs: each request is executed at the responder as one step (docs/design/loopback.md).
 *
 * A turn takes a batch of requests: it notes them under the requester's s_lock, drops that,
 * executes them under the responder's r_lock, and completes them under s_lock again. Two QPs'
 * locks are never held together; RVT_S_BUSY keeps the requests in place meanwhile. Events are
 * raised when no lock is held.
 */
#include <linux/rcupdate.h>

#include "packet/aeth.h"
#include "packet/pkey.h"
#include "rdmavt/loopback.h"
#include "rdmavt/qp_priv.h"

/* Requests a turn: what a responder's r_lock is held for at most. */
#define BATCH 32u

static bool is_rc(const struct rvt_loop *l)
{
	return l->sqp->ibqp.qp_type == IB_QPT_RC;
}

static void blame_peer(struct rvt_loop *l, enum base_cause_id id, u64 arg0, u64 arg1)
{
	l->why = (struct base_cause){
		.id = (u16)id, .side = BASE_SIDE_REQUESTER, .arg = {arg0, arg1}};
}

/* Whether the peer takes requests; if not, why. Its r_lock is held. */
static bool peer_receives(struct rvt_loop *l)
{
	const struct rvt_qp *sqp = l->sqp, *qp = l->qp;
	const int port_index = sqp->port_num - 1;
	u16 mine, its;

	if (unlikely(!(ib_rvt_state_ops[qp->state] & RVT_PROCESS_RECV_OK))) {
		blame_peer(l, BASE_CAUSE_LOOP_PEER_STATE, qp->state, 0);
		return false;
	}
	if (unlikely(qp->ibqp.qp_type != sqp->ibqp.qp_type)) {
		blame_peer(l, BASE_CAUSE_LOOP_PEER_TYPE, qp->ibqp.qp_type, sqp->ibqp.qp_type);
		return false;
	}
	mine = rvt_get_pkey(l->rdi, port_index, sqp->s_pkey_index);
	its = rvt_get_pkey(l->rdi, port_index, qp->s_pkey_index);
	if (unlikely(!pkt_pkey_match(mine, its))) {
		blame_peer(l, BASE_CAUSE_LOOP_PKEY, mine, its);
		(void)__atomic_add_fetch(&l->port->pkey_violations, 1, __ATOMIC_RELAXED);
		return false;
	}
	return true;
}

void rvt_loop_lost(struct rvt_loop *l, u32 messages)
{
	const u32 bit = 1u << (l->why.id % 32u);
	struct base_cause why = l->why;

	rvt_count(&l->port->n_pkt_drops, messages);
	if (is_rc(l) || (l->sqp->s_losses_told & bit))
		return;
	l->sqp->s_losses_told |= bit;
	why.qpn = l->sqp->ibqp.qp_num;
	why.peer_qpn = l->remote_qpn;
	base_cause_tell(&why);
}

/* Nobody answers: RC gives up, UC does not notice. */
static void lose_batch(struct rvt_loop *l)
{
	const u32 lost = is_rc(l) ? 1 : l->count;

	rvt_loop_lost(l, lost);
	if (is_rc(l)) {
		l->outcome = RVT_LOOP_FAILED;
		l->status = IB_WC_RETRY_EXC_ERR;
	} else {
		l->done = l->count;
	}
}

/* The responder's side of a batch. */
static void serve_batch(struct rvt_loop *l) REQUIRES(l->qp->r_lock)
{
	struct rvt_qp *sqp = l->sqp;
	u32 n = l->first;

	l->wc.qp = &l->qp->ibqp;
	l->wc.src_qp = l->qp->remote_qpn;
	l->wc.slid = rdma_ah_get_dlid(&l->qp->remote_ah_attr);
	l->wc.sl = rdma_ah_get_sl(&l->qp->remote_ah_attr);
	l->wc.port_num = l->qp->port_num;
	if (unlikely(l->qp->state == IB_QPS_RTR && !(l->qp->r_flags & RVT_R_COMM_EST))) {
		l->qp->r_flags |= RVT_R_COMM_EST;
		rvt_qp_event_later(l->qp, IB_EVENT_COMM_EST);
	}
	while (l->done < l->count) {
		l->outcome = rvt_loop_execute(l, rvt_get_swqe_ptr(sqp, n));
		if (unlikely(l->outcome != RVT_LOOP_DONE))
			return;
		l->done++;
		n = rvt_qp_swqe_incr(sqp, n);
	}
}

static void run_batch(struct rvt_loop *l)
{
	rcu_read_lock();
	l->qp = rvt_lookup_qpn(l->rdi, l->port, l->remote_qpn);
	if (unlikely(!l->qp)) {
		blame_peer(l, BASE_CAUSE_LOOP_NO_PEER, l->remote_qpn, 0);
		lose_batch(l);
	} else {
		spin_lock(&l->qp->r_lock);
		if (likely(peer_receives(l)))
			serve_batch(l);
		else
			lose_batch(l);
		spin_unlock(&l->qp->r_lock);
		/* The SRQ stays as long as the QP. */
		if (unlikely(l->limit_reached))
			rvt_get_qp(l->qp);
	}
	rcu_read_unlock();
	if (unlikely(l->limit_reached)) {
		l->limit_reached = false;
		rvt_srq_raise_limit(ibsrq_to_rvtsrq(l->qp->ibqp.srq));
		rvt_put_qp(l->qp);
	}
}

/*
 * The next requests to execute, if there are any and the QP may send. In SQD only what was started
 * (it waited for the RNR timer) goes on [sm 6].
 */
static bool take_batch(struct rvt_loop *l) REQUIRES(l->sqp->s_lock)
{
	struct rvt_qp *sqp = l->sqp;
	const int ops = ib_rvt_state_ops[sqp->state];
	u32 end;

	if (unlikely(!(ops & RVT_PROCESS_SEND_OK) || (sqp->s_flags & RVT_S_ANY_WAIT)))
		return false;
	end = likely(ops & RVT_PROCESS_NEXT_SEND_OK) ? smp_load_acquire(&sqp->s_head) : sqp->s_tail;
	l->first = sqp->s_last;
	l->count = end >= l->first ? end - l->first : end + sqp->s_size - l->first;
	if (!l->count)
		return false;
	if (l->count > BATCH) {
		l->count = BATCH;
		end = l->first + BATCH < sqp->s_size ? l->first + BATCH
						     : l->first + BATCH - sqp->s_size;
	}
	/* Started: SQD must wait for them. */
	sqp->s_cur = end;
	sqp->s_tail = end;
	l->done = 0;
	l->outcome = RVT_LOOP_DONE;
	l->remote_qpn = sqp->remote_qpn;
	return true;
}

/* Complete what succeeded. What was noted but not executed counts as not started again. */
static void complete_done(struct rvt_loop *l, u32 started) REQUIRES(l->sqp->s_lock)
{
	struct rvt_qp *sqp = l->sqp;
	const enum ib_wc_opcode *wc_opcode = l->rdi->wc_opcode;
	u32 end = l->first + l->done + started;

	if (end >= sqp->s_size)
		end -= sqp->s_size;
	sqp->s_cur = end;
	sqp->s_tail = end;
	if (unlikely(!rvt_qp_allows(sqp, RVT_PROCESS_OR_FLUSH_SEND)))
		return;
	for (u32 i = 0; i < l->done; i++) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(sqp, sqp->s_last);
		const u32 last = sqp->s_last;

		if (unlikely(!rvt_loop_complete(l, wqe, wc_opcode[wqe->wr.opcode])))
			l->send_cq_full = true;
		rvt_qp_after_completion(sqp, last, sqp->s_last);
	}
	if (l->done)
		sqp->s_rnr_retry = sqp->s_rnr_retry_cnt;
}

/* The peer had no receive: wait, and try again [rcp 8.10]. False if it was once too often. */
static bool wait_for_receive(struct rvt_loop *l) REQUIRES(l->sqp->s_lock)
{
	struct rvt_qp *sqp = l->sqp;
	const struct rvt_swqe *wqe = rvt_get_swqe_ptr(sqp, sqp->s_last);
	const bool uncounted = l->rdi->post_parms[wqe->wr.opcode].flags & RVT_OPERATION_IGN_RNR_CNT;

	rvt_count(&l->port->n_rnr_naks, 1);
	if (!uncounted && sqp->s_rnr_retry_cnt < 7) {
		if (!sqp->s_rnr_retry) {
			blame_peer(l, BASE_CAUSE_LOOP_RNR, sqp->s_rnr_retry_cnt + 1u,
				   rvt_rnr_tbl_to_usec(l->rnr_timer));
			return false;
		}
		sqp->s_rnr_retry--;
	}
	rvt_add_rnr_timer(sqp, (u32)l->rnr_timer << PKT_AETH_SYNDROME_SHIFT);
	return true;
}

/* The oldest request has failed. Drops s_lock and takes it again. */
static void fail(struct rvt_loop *l) REQUIRES(l->sqp->s_lock)
{
	struct rvt_qp *sqp = l->sqp;
	struct rvt_swqe *wqe;

	spin_unlock(&l->sqp->s_lock);
	spin_lock(&l->sqp->r_lock);
	spin_lock(&l->sqp->s_lock);
	wqe = rvt_get_swqe_ptr(sqp, sqp->s_last);
	if (rvt_qp_allows(sqp, RVT_PROCESS_SEND_OK)) {
		l->why.has_wr = true;
		l->why.wr_id = wqe->wr.wr_id;
		l->why.wr_opcode = (u8)wqe->wr.opcode;
		l->why.status = (u8)l->status;
		l->why.qpn = sqp->ibqp.qp_num;
		l->why.peer_qpn = l->remote_qpn;
		rvt_qp_blame(sqp, &l->why);
		rvt_send_complete(sqp, wqe, l->status);
		if (is_rc(l) && rvt_error_qp(sqp, IB_WC_WR_FLUSH_ERR))
			rvt_qp_event_later(sqp, IB_EVENT_QP_LAST_WQE_REACHED);
	}
	spin_unlock(&l->sqp->r_lock);
}

/* The send CQ did not take a completion. Drops s_lock and takes it again. */
static void overflow(struct rvt_loop *l) REQUIRES(l->sqp->s_lock)
{
	spin_unlock(&l->sqp->s_lock);
	spin_lock(&l->sqp->r_lock);
	spin_lock(&l->sqp->s_lock);
	l->send_cq_full = false;
	rvt_qp_cq_full(l->sqp, l->sqp->ibqp.send_cq);
	spin_unlock(&l->sqp->r_lock);
}

/* Drops s_lock and takes it again. */
static void flush(struct rvt_loop *l) REQUIRES(l->sqp->s_lock)
{
	spin_unlock(&l->sqp->s_lock);
	spin_lock(&l->sqp->r_lock);
	spin_lock(&l->sqp->s_lock);
	if (rvt_qp_allows(l->sqp, RVT_FLUSH_SEND))
		rvt_qp_flush_sends(l->sqp);
	spin_unlock(&l->sqp->r_lock);
}

/* A local operation that waited for its turn is executed here, at the requester. */
static void run_local(struct rvt_loop *l) REQUIRES(l->sqp->s_lock)
{
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(l->sqp, l->first);

	l->status = rvt_qp_do_local(l->sqp, wqe);
	if (l->status == IB_WC_SUCCESS) {
		l->done = 1;
		complete_done(l, 0);
	} else {
		complete_done(l, 1);
		l->outcome = RVT_LOOP_FAILED;
		l->why = l->sqp->first_cause;
	}
}

static void finish_batch(struct rvt_loop *l) REQUIRES(l->sqp->s_lock)
{
	switch (l->outcome) {
	case RVT_LOOP_DONE:
		complete_done(l, 0);
		break;
	case RVT_LOOP_LOCAL:
		complete_done(l, 0);
		if (!l->done && rvt_qp_allows(l->sqp, RVT_PROCESS_SEND_OK))
			run_local(l);
		break;
	case RVT_LOOP_NO_RECEIVE:
		complete_done(l, 1);
		if (rvt_qp_allows(l->sqp, RVT_PROCESS_SEND_OK) && !wait_for_receive(l)) {
			l->status = IB_WC_RNR_RETRY_EXC_ERR;
			l->outcome = RVT_LOOP_FAILED;
		}
		break;
	case RVT_LOOP_FAILED:
		complete_done(l, 1);
		break;
	}
	if (unlikely(l->outcome == RVT_LOOP_FAILED))
		fail(l);
	if (unlikely(l->send_cq_full))
		overflow(l);
}

void rvt_ruc_loopback(struct rvt_qp *sqp)
{
	struct rvt_dev_info *rdi = ib_to_rvt(sqp->ibqp.device);
	struct rvt_loop l = {.rdi = rdi, .sqp = sqp};

	spin_lock(&l.sqp->s_lock);
	if (sqp->s_flags & RVT_S_BUSY) {
		spin_unlock(&l.sqp->s_lock);
		return;
	}
	sqp->s_flags |= RVT_S_BUSY;
	for (;;) {
		if (unlikely(rvt_qp_allows(sqp, RVT_FLUSH_SEND)) &&
		    sqp->s_last != smp_load_acquire(&sqp->s_head)) {
			flush(&l);
			continue;
		}
		if (!take_batch(&l))
			break;
		l.port = rvt_to_iport(sqp);
		/* Two QPs at once may lose a count, as in the kernel: an atomic add is not worth it. */
		__atomic_store_n(&l.port->n_loop_pkts,
				 __atomic_load_n(&l.port->n_loop_pkts, __ATOMIC_RELAXED) + l.count,
				 __ATOMIC_RELAXED);
		spin_unlock(&l.sqp->s_lock);
		run_batch(&l);
		spin_lock(&l.sqp->s_lock);
		finish_batch(&l);
	}
	rvt_qp_engine_leaves(sqp);
	spin_unlock(&l.sqp->s_lock);
}
