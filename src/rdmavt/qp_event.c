// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Asynchronous events of QPs, and the cause that a QP keeps. Handlers may post and may modify the
 * QP, so what happens under locks is raised later, by a worker.
 */
#include "base/trace.h"
#include "rdmavt/qp_priv.h"

void rvt_qp_blame(struct rvt_qp *qp, const struct base_cause *why)
{
	struct base_cause *first = &qp->first_cause;

	if (first->id)
		return;
	first->wr_id = why->wr_id;
	memcpy(first->arg, why->arg, sizeof(first->arg));
	first->side = why->side;
	first->has_wr = why->has_wr;
	first->wr_opcode = why->wr_opcode;
	first->status = why->status;
	first->qpn = why->qpn ? why->qpn : qp->ibqp.qp_num;
	/* What a responder finds about its own QP names no other. */
	first->peer_qpn = why->peer_qpn || why->side == BASE_SIDE_RESPONDER ? why->peer_qpn
									    : qp->remote_qpn;
	__atomic_store_n(&first->id, why->id, __ATOMIC_RELEASE);
	if (why->status && why->status != IB_WC_WR_FLUSH_ERR)
		base_cause_tell(first);
	trace(qp_error, qp->ibqp.qp_num, why->id);
}

void rvt_qp_raise(struct rvt_qp *qp, enum ib_event_type event)
{
	struct ib_event ev = {.device = qp->ibqp.device, .element.qp = &qp->ibqp, .event = event};

	if (!qp->ibqp.event_handler)
		return;
	if (rvt_qp_cause_id(qp))
		base_cause_set_last(&qp->first_cause);
	qp->ibqp.event_handler(&ev, qp->ibqp.qp_context);
}

static void raise_due(struct work_struct *work)
{
	struct rvt_qp *qp = container_of(work, struct rvt_qp, event_work);
	u32 due = __atomic_exchange_n(&qp->events_due, 0, __ATOMIC_ACQ_REL);

	for (unsigned int event = 0; due; event++, due >>= 1)
		if (due & 1)
			rvt_qp_raise(qp, (enum ib_event_type)event);
	rvt_put_qp(qp);
}

void rvt_qp_event_later(struct rvt_qp *qp, enum ib_event_type event)
{
	if (!qp->ibqp.event_handler)
		return;
	/* Whoever makes it non-zero holds the QP for the worker. */
	if (__atomic_fetch_or(&qp->events_due, 1u << event, __ATOMIC_ACQ_REL))
		return;
	rvt_get_qp(qp);
	(void)base_run_later(&qp->event_work);
}

void rvt_qp_events_init(struct rvt_qp *qp)
{
	INIT_WORK(&qp->event_work, raise_due);
}

void rvt_comm_est(struct rvt_qp *qp)
{
	qp->r_flags |= RVT_R_COMM_EST;
	rvt_qp_raise(qp, IB_EVENT_COMM_EST);
}
