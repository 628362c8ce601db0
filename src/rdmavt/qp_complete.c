// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The end of send requests: completion in order, flushing, SQE, and a drained send queue. */
#include "rdmavt/qp_priv.h"

/* The kernel's rdmavt only clears s_draining; IB_EVENT_SQ_DRAINED is raised here [sm 6]. */
static void drained(struct rvt_qp *qp)
{
	qp->s_draining = 0;
	if (qp->sqd_notify)
		rvt_qp_event_later(qp, IB_EVENT_SQ_DRAINED);
}

/* What follows @old_last in the ring is now the oldest request. */
void rvt_qp_after_completion(struct rvt_qp *qp, u32 old_last, u32 new_last)
{
	if (qp->s_acked == old_last)
		qp->s_acked = new_last;
	if (qp->s_cur == old_last)
		qp->s_cur = new_last;
	if (qp->s_tail == old_last)
		qp->s_tail = new_last;
	if (unlikely(qp->s_draining) && qp->state == IB_QPS_SQD && new_last == qp->s_cur &&
	    new_last == qp->s_tail)
		drained(qp);
}

/* A send error of any type but RC stops the send queue alone [sm 6]. */
static void enter_sqe(struct rvt_qp *qp)
{
	qp->s_draining = 0;
	rvt_qp_set_state(qp, IB_QPS_SQE);
	if (smp_load_acquire(&qp->s_head) != qp->s_last)
		(void)ib_to_rvt(qp->ibqp.device)->driver_f.schedule_send(qp);
}

static void blame_request(struct rvt_qp *qp, const struct rvt_swqe *wqe, enum ib_wc_status status)
{
	const struct base_cause why = {.id = BASE_CAUSE_QP_ERR_STATUS,
				       .side = BASE_SIDE_REQUESTER,
				       .arg = {status},
				       .has_wr = true,
				       .wr_id = wqe->wr.wr_id,
				       .wr_opcode = (u8)wqe->wr.opcode,
				       .status = (u8)status};

	rvt_qp_blame(qp, &why);
}

/* Whether the request is a local operation that the send engine was to execute. */
static bool is_delayed_local(const struct rvt_dev_info *rdi, const struct rvt_swqe *wqe)
{
	return rvt_swqe_is_local(rdi->post_parms, wqe) &&
	       !(wqe->wr.send_flags & RVT_SEND_COMPLETION_ONLY);
}

enum ib_wc_status rvt_qp_do_local(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	const struct base_cause of_caller = *base_cause_last();
	const bool bind = wqe->wr.opcode == IB_WR_BIND_MW;
	struct base_cause why;
	int ret;

	if (wqe->wr.send_flags & RVT_SEND_COMPLETION_ONLY)
		return IB_WC_SUCCESS;
	if (wqe->wr.opcode == RVT_WR_REFUSED)
		return rvt_qp_fail_refused(qp, wqe);
	if (bind)
		ret = rvt_bind_mw(qp, &wqe->bind_wr);
	else if (wqe->wr.opcode == IB_WR_REG_MR)
		ret = rvt_fast_reg_mr(qp, wqe->reg_wr.mr, wqe->reg_wr.key, wqe->reg_wr.access);
	else
		ret = rvt_invalidate_rkey(qp, wqe->wr.ex.invalidate_rkey);
	atomic_dec(&qp->local_ops_pending);
	if (!ret)
		return IB_WC_SUCCESS;
	why = *base_cause_last();
	base_cause_set_last(&of_caller); /* no call of this thread was refused */
	why.side = BASE_SIDE_REQUESTER;
	why.has_wr = true;
	why.wr_id = wqe->wr.wr_id;
	why.wr_opcode = (u8)wqe->wr.opcode;
	why.status = bind ? IB_WC_MW_BIND_ERR : IB_WC_LOC_PROT_ERR;
	rvt_qp_blame(qp, &why);
	return (enum ib_wc_status)why.status;
}

/*
 * On an error the caller has called rvt_qp_blame(), or the status is the cause. An error other than
 * IB_WC_WR_FLUSH_ERR brings a UC, UD, SMI or GSI QP to SQE; the kernel's rdmavt leaves them as they
 * are. To bring an RC QP to ERR is up to the caller. A delayed local operation that is flushed is
 * taken off local_ops_pending here; in the kernel's loopback engine it stays there.
 */
void rvt_send_complete(struct rvt_qp *qp, struct rvt_swqe *wqe, enum ib_wc_status status)
{
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);
	const u32 old_last = qp->s_last;
	u32 last;

	if (!(ib_rvt_state_ops[qp->state] & RVT_PROCESS_OR_FLUSH_SEND))
		return;
	if (unlikely(status != IB_WC_SUCCESS)) {
		blame_request(qp, wqe, status);
		if (unlikely(wqe->wr.opcode == RVT_WR_REFUSED))
			rvt_qp_forget_refusal(qp);
		if (status == IB_WC_WR_FLUSH_ERR && is_delayed_local(rdi, wqe))
			atomic_dec(&qp->local_ops_pending);
	}
	last = rvt_qp_complete_swqe(qp, wqe, rdi->wc_opcode[wqe->wr.opcode], status);
	rvt_qp_after_completion(qp, old_last, last);
	if (unlikely(status != IB_WC_SUCCESS && status != IB_WC_WR_FLUSH_ERR) &&
	    qp->ibqp.qp_type != IB_QPT_RC && (ib_rvt_state_ops[qp->state] & RVT_PROCESS_SEND_OK))
		enter_sqe(qp);
}

void rvt_qp_flush_sends(struct rvt_qp *qp)
{
	while (qp->s_last != smp_load_acquire(&qp->s_head))
		rvt_send_complete(qp, rvt_get_swqe_ptr(qp, qp->s_last), IB_WC_WR_FLUSH_ERR);
}
