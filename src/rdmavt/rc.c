// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* End-to-end credits [rcp 6] and the start of a retransmission: what RC needs beyond the queues. */
#include <linux/byteorder.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "rdmavt/qp_priv.h"

#define CREDIT_SHIFT 24
#define CREDIT_MASK 0x1f
#define CREDIT_NONE_GIVEN 0x1f
#define MSN_MASK 0xffffff

/* Receive requests for each credit code [rcp 6]. */
static const u16 credits_of_code[CREDIT_NONE_GIVEN] = {
	0,    1,    2,	  3,	4,    6,     8,	    12,	   16,	  24,	32,
	48,   64,   96,	  128,	192,  256,   384,   512,   768,	  1024, 1536,
	2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

/* The largest code that promises no more than @credits. */
static u32 code_of_credits(u32 credits)
{
	u32 low = 0, high = CREDIT_NONE_GIVEN - 1;

	while (low < high) {
		const u32 middle = (low + high + 1) / 2;

		if (credits_of_code[middle] <= credits)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

__be32 rvt_compute_aeth(struct rvt_qp *qp)
{
	const u32 msn = qp->r_msn & MSN_MASK;

	if (qp->ibqp.srq)
		return cpu_to_be32((u32)CREDIT_NONE_GIVEN << CREDIT_SHIFT | msn);
	return cpu_to_be32(code_of_credits(rvt_rq_available(&qp->r_rq)) << CREDIT_SHIFT | msn);
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
	const u32 code = aeth >> CREDIT_SHIFT & CREDIT_MASK;
	u32 lsn;

	if (qp->s_flags & RVT_S_UNLIMITED_CREDIT)
		return;
	if (code == CREDIT_NONE_GIVEN) {
		qp->s_flags |= RVT_S_UNLIMITED_CREDIT;
		release_credit_wait(qp);
		return;
	}
	lsn = (aeth + credits_of_code[code]) & MSN_MASK;
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
