// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Requests that make no packet: fast registration and local invalidation [rcp 8.1, 4]. */
#include "transport/tp_qp.h"

bool tp_wqe_is_local(const struct tp_qp *tq, const struct rvt_swqe *wqe)
{
	return rvt_swqe_is_local(tq->engine->rdi->post_parms, wqe);
}

/* A failed one ends the queue pair, as it does on hardware: ERR of RC, SQE of UC. */
void tp_local_op(struct tp_qp *tq, struct rvt_swqe *wqe)
{
	static const struct base_cause blamed_already = {0};
	struct rvt_qp *qp = tq->qp;
	const enum ib_wc_status status = rvt_qp_do_local(qp, wqe);

	rvt_send_complete(qp, wqe, status);
	if (unlikely(status != IB_WC_SUCCESS && qp->ibqp.qp_type == IB_QPT_RC))
		tp_die(tq, &blamed_already, IB_WC_WR_FLUSH_ERR);
}
