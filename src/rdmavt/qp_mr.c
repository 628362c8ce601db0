// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Which QPs use a memory region that is being deregistered [sm 7.7]. */
#include "rdmavt/qp_priv.h"

static bool rvt_swqe_has_lkey(struct rvt_swqe *wqe, u32 lkey)
{
	for (int i = 0; i < wqe->wr.num_sge; i++)
		if (rvt_mr_has_lkey(wqe->sg_list[i].mr, lkey))
			return true;
	return false;
}

static bool rvt_qp_sends_has_lkey(struct rvt_qp *qp, u32 lkey)
{
	for (u32 n = qp->s_last; n != qp->s_head; n = rvt_qp_swqe_incr(qp, n))
		if (rvt_swqe_has_lkey(rvt_get_swqe_ptr(qp, n), lkey))
			return true;
	return rvt_mr_has_lkey(qp->s_rdma_mr, lkey);
}

static bool rvt_qp_acks_has_lkey(struct rvt_qp *qp, u32 lkey)
{
	const unsigned int slots = rvt_max_atomic(ib_to_rvt(qp->ibqp.device));

	for (unsigned int n = 0; qp->s_ack_queue && n < slots; n++)
		if (rvt_mr_has_lkey(qp->s_ack_queue[n].rdma_sge.mr, lkey))
			return true;
	return false;
}

/* The receive in use; with RVT_R_REWIND_SGE also one that is kept, or a WRITE in progress (UC). */
static bool rvt_qp_receives_has_lkey(struct rvt_qp *qp, u32 lkey)
{
	return rvt_ss_has_lkey(&qp->r_sge, lkey) || ((qp->r_aflags & BIT(RVT_R_REWIND_SGE)) &&
						     rvt_ss_has_lkey(&qp->s_rdma_read_sge, lkey));
}

void rvt_qp_mr_clean(struct rvt_qp *qp, u32 lkey)
{
	int last_wqe = 0;

	if (qp->ibqp.qp_type == IB_QPT_SMI || qp->ibqp.qp_type == IB_QPT_GSI)
		return;
	rvt_qp_lock(qp);
	if (qp->state != IB_QPS_ERR && qp->state != IB_QPS_RESET &&
	    (rvt_qp_receives_has_lkey(qp, lkey) || rvt_qp_sends_has_lkey(qp, lkey) ||
	     rvt_qp_acks_has_lkey(qp, lkey))) {
		rvt_qp_blame_row(qp, QP_MR_GONE, lkey);
		last_wqe = rvt_error_qp(qp, IB_WC_LOC_PROT_ERR);
	}
	rvt_qp_unlock(qp);
	if (last_wqe)
		rvt_qp_raise(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}
