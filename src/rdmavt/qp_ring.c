// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * QPs whose rings a process fills: requests that no post would take, slots that become free, and
 * what is put into the rings of a QP in ERR, of which nobody tells us. Taking requests is qp_post.c's.
 */
#include <linux/list.h>

#include "rdmavt/qp_priv.h"
#include "rdmavt/ring.h"

/* What hardware says about such a request. */
static enum ib_wc_status status_of(const struct base_cause *why)
{
	switch (why->id) {
	case BASE_CAUSE_POST_LENGTH:
	case BASE_CAUSE_POST_UD_LENGTH:
	case BASE_CAUSE_POST_INLINE_LENGTH:
	case BASE_CAUSE_REQ_LENGTH:
		return IB_WC_LOC_LEN_ERR;
	default:
		/* The rows about keys are neighbours. */
		return why->id >= BASE_CAUSE_LKEY_NONE && why->id <= BASE_CAUSE_RKEY_ZERO
			       ? IB_WC_LOC_PROT_ERR
			       : IB_WC_LOC_QP_OP_ERR;
	}
}

/*
 * One refusal is remembered, the oldest: what is behind it will be flushed. The id says whether there
 * is one; it is set under s_hlock and cleared under s_lock.
 */
void rvt_qp_keep_refusal(struct rvt_qp *qp, const struct ib_send_wr *wr, struct rvt_swqe *wqe)
{
	struct base_cause why = *base_cause_last();
	const u16 id = why.id;

	if (!__atomic_load_n(&qp->s_refused.id, __ATOMIC_ACQUIRE)) {
		why.id = 0;
		why.side = BASE_SIDE_REQUESTER;
		why.qpn = qp->ibqp.qp_num;
		why.has_wr = true;
		why.wr_id = wr->wr_id;
		why.wr_opcode = (u8)wr->opcode;
		qp->s_refused = why;
		qp->s_refused.status = (u8)status_of(base_cause_last());
		qp->s_refused_slot = qp->s_head;
		__atomic_store_n(&qp->s_refused.id, id, __ATOMIC_RELEASE);
	}
	wqe->wr = (struct ib_send_wr){.wr_id = wr->wr_id, .opcode = RVT_WR_REFUSED};
	wqe->ssn = 0;
	wqe->psn = 0;
	wqe->lpsn = 0;
	wqe->length = 0;
	atomic_inc(&qp->local_ops_pending);
}

/* The request at s_last is about to complete; it may be the one whose refusal is remembered. */
void rvt_qp_forget_refusal(struct rvt_qp *qp)
{
	if (__atomic_load_n(&qp->s_refused.id, __ATOMIC_ACQUIRE) &&
	    qp->s_refused_slot == qp->s_last)
		__atomic_store_n(&qp->s_refused.id, 0, __ATOMIC_RELEASE);
}

enum ib_wc_status rvt_qp_fail_refused(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	(void)wqe;
	atomic_dec(&qp->local_ops_pending);
	if (!__atomic_load_n(&qp->s_refused.id, __ATOMIC_ACQUIRE) ||
	    qp->s_refused_slot != qp->s_last)
		return IB_WC_LOC_QP_OP_ERR;
	rvt_qp_blame(qp, &qp->s_refused);
	return (enum ib_wc_status)qp->s_refused.status;
}

/* s_last has moved on already. */
void rvt_qp_ring_completed(struct rvt_qp *qp)
{
	qp->s_ring->ops->completed(qp->s_ring, 1);
}

/* Late requests */

static bool has_late(struct rvt_qp *qp)
{
	if (qp->s_ring && qp->s_ring->ops->count(qp->s_ring))
		return true;
	return qp->r_rq.kwq && rvt_rq_available(&qp->r_rq);
}

static void flush_late(struct rvt_qp *qp)
{
	spin_lock(&qp->r_lock);
	if (qp->state == IB_QPS_ERR && qp->r_rq.kwq)
		rvt_qp_flush_receives(qp);
	spin_unlock(&qp->r_lock);
	if (qp->s_ring && rvt_qp_state(qp) == IB_QPS_ERR)
		(void)rvt_qp_take_ring(qp);
}

/* Each QP once; those that have something are held while no lock is. */
bool rvt_late_look(struct rvt_dev_info *rdi)
{
	bool any = false;
	struct rvt_qp *qp;

	spin_lock(&rdi->late_lock);
	for (u32 left = rdi->late_count; left && !list_empty(&rdi->late_qps); left--) {
		qp = list_first_entry(&rdi->late_qps, struct rvt_qp, late_link);
		list_move_tail(&qp->late_link, &rdi->late_qps);
		if (!has_late(qp))
			continue;
		any = true;
		rvt_get_qp(qp);
		spin_unlock(&rdi->late_lock);
		flush_late(qp);
		rvt_put_qp(qp);
		spin_lock(&rdi->late_lock);
	}
	spin_unlock(&rdi->late_lock);
	return any;
}

static bool poll(struct base_poller *poller)
{
	return rvt_late_flush(container_of(poller, struct rvt_dev_info, late));
}

void rvt_late_init(struct rvt_dev_info *rdi)
{
	spin_lock_init(&rdi->late_lock);
	INIT_LIST_HEAD(&rdi->late_qps);
	rdi->late_count = 0;
	rdi->late.poll = poll;
}

void rvt_late_exit(struct rvt_dev_info *rdi)
{
	base_poller_remove(&rdi->late);
}

void rvt_qp_expect_late(struct rvt_qp *qp)
{
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);

	if (!qp->s_ring && !qp->r_rq.ring && !qp->ip)
		return;
	spin_lock(&rdi->late_lock);
	if (list_empty(&qp->late_link)) {
		list_add_tail(&qp->late_link, &rdi->late_qps);
		__atomic_store_n(&rdi->late_count, rdi->late_count + 1, __ATOMIC_RELAXED);
	}
	spin_unlock(&rdi->late_lock);
	base_poller_add(&rdi->late);
}

static void expect_no_more(struct rvt_qp *qp)
{
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);

	spin_lock(&rdi->late_lock);
	if (!list_empty(&qp->late_link)) {
		list_del_init(&qp->late_link);
		__atomic_store_n(&rdi->late_count, rdi->late_count - 1, __ATOMIC_RELAXED);
	}
	spin_unlock(&rdi->late_lock);
}

void rvt_qp_ring_reset(struct rvt_qp *qp)
{
	expect_no_more(qp);
	__atomic_store_n(&qp->s_refused.id, 0, __ATOMIC_RELAXED);
	if (qp->s_ring)
		qp->s_ring->ops->drop(qp->s_ring);
}
