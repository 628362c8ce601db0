// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* End-to-end credits [rcp 6] and the start of a retransmission: what RC needs beyond the queues. */
#include <linux/byteorder.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "packet/aeth.h"
#include "packet/psn.h"
#include "rdmavt/qp_priv.h"

__be32 rvt_compute_aeth(struct rvt_qp *qp)
{
	const u8 code = qp->ibqp.srq ? PKT_CREDIT_CODE_UNLIMITED
				     : pkt_credit_code(rvt_rq_available(&qp->r_rq));

	return cpu_to_be32((u32)pkt_aeth_ack(code) << PKT_AETH_SYNDROME_SHIFT | msn(qp->r_msn).v);
}

static void release_credit_wait(struct rvt_qp *qp)
{
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);

	if (!(qp->s_flags & RVT_S_WAIT_SSN_CREDIT))
		return;
	qp->s_flags &= ~(u32)RVT_S_WAIT_SSN_CREDIT;
	(void)rdi->driver_f.schedule_send(qp);
}

void rvt_get_credit(struct rvt_qp *qp, u32 aeth)
{
	u32 credits, lsn;

	if (qp->s_flags & RVT_S_UNLIMITED_CREDIT)
		return;
	credits = pkt_credits((u8)(aeth >> PKT_AETH_SYNDROME_SHIFT));
	if (credits == PKT_CREDITS_UNLIMITED) {
		qp->s_flags |= RVT_S_UNLIMITED_CREDIT;
		release_credit_wait(qp);
		return;
	}
	lsn = msn(aeth + credits).v;
	if (rvt_cmp_msn(lsn, qp->s_lsn) > 0) {
		qp->s_lsn = lsn;
		release_credit_wait(qp);
	}
}

u32 rvt_restart_sge(struct rvt_sge_state *ss, struct rvt_swqe *wqe, u32 len)
{
	ss->sge = wqe->sg_list[0];
	ss->sg_list = wqe->sg_list + 1;
	ss->num_sge = (u8)wqe->wr.num_sge;
	ss->total_len = wqe->length;
	rvt_skip_sge(ss, len, false);
	return wqe->length - len;
}
