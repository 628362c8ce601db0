// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The owner's side of windows: opening one when the peer has asked for something that it could have
 * done by itself, requests that come through the wire all the same, and taking it back.
 *
 * Of what is in a window the owner believes the position only, and only where it has left it ready: no
 * receive WQE, no region and no message in progress depends on what a peer can write.
 */
#include "base/check.h"
#include "transport/tp_qp.h"
#include "transport/window.h"

/* A peer is in a window only when it has nothing under way: what comes all the same is a duplicate. */
#define TRIES 1000u

static const struct tp_window_ops *ops_of(const struct tp_qp *tq)
{
	return tp_port_of(tq)->port.ops->windows;
}

/* RCU. NULL: there is none, or its peer is gone. */
static struct tp_window *window_of(struct tp_qp *tq)
{
	if (likely(!tq->window))
		return NULL;
	return ops_of(tq)->get(&tp_port_of(tq)->port, tq->window);
}

uint64_t tp_window_position(const struct rc_resp *r)
{
	const bool ready = r->message == RC_MESSAGE_NONE && r->holds_rwqe == RC_MESSAGE_NONE &&
			   !r->nak;

	return r->epsn.v | (uint64_t)r->msn.v << TP_WINDOW_MSN_SHIFT |
	       (uint64_t)r->last_opcode << TP_WINDOW_OPCODE_SHIFT | (ready ? TP_WINDOW_READY : 0);
}

bool tp_window_load(const struct tp_window *w, struct rc_resp *r)
{
	const uint64_t position = __atomic_load_n(&w->position, __ATOMIC_ACQUIRE);

	if (!(position & TP_WINDOW_READY))
		return false;
	r->epsn = psn((uint32_t)position & PKT_PSN_MASK);
	r->msn = msn((uint32_t)(position >> TP_WINDOW_MSN_SHIFT) & PKT_PSN_MASK);
	r->last_opcode = (uint8_t)(position >> TP_WINDOW_OPCODE_SHIFT);
	return true;
}

/* Where we have left something in the middle, the peer has nothing to say, whatever stands there. */
static bool take_position(const struct tp_window *w, struct rc_resp *own)
{
	return (tp_window_position(own) & TP_WINDOW_READY) && tp_window_load(w, own);
}

static void store_position(struct tp_window *w, const struct rc_resp *r)
{
	__atomic_store_n(&w->position, tp_window_position(r), __ATOMIC_RELEASE);
}

/* Without responder resources a READ is for the responder to refuse. */
static uint8_t rights_of(const struct tp_qp *tq)
{
	const uint8_t rights = tq->resp.access;

	return tq->qp->r_max_rd_atomic ? rights : rights & (uint8_t)~RC_RESP_READ;
}

static struct tp_window terms_of(struct tp_qp *tq)
{
	const struct rvt_qp *qp = tq->qp;
	const struct rvt_lkey_table *rkt = &tq->engine->rdi->lkey_table;

	return (struct tp_window){
		.qpn = qp->ibqp.qp_num,
		.peer_qpn = qp->remote_qpn,
		.position = tp_window_position(&tq->resp),
		.pd = ibpd_to_rvtpd(qp->ibqp.pd)->number,
		.first_key = tq->engine->rdi->dparms.mr_first,
		.pmtu_bytes = qp->pmtu,
		.slid = tq->path.dlid,
		.dlid = tq->path.slid,
		.pkey = rvt_get_pkey(tq->engine->rdi, qp->port_num - 1, qp->s_pkey_index),
		.access = rights_of(tq),
		.key_shift = (uint8_t)rkt->shift,
	};
}

/* A request that the peer can execute by itself next time. */
static bool is_direct(const struct tp_run *run)
{
	const struct pkt_opcode *op = pkt_op(run->last_opcode);

	return op->kind == PKT_KIND_READ_REQ ||
	       (op->kind == PKT_KIND_WRITE && !(op->headers & PKT_IMMDT));
}

static bool may_have_window(const struct tp_qp *tq)
{
	const struct rvt_qp *qp = tq->qp;

	return ops_of(tq) && tq->engine->rdi->dparms.mr_entries && !tq->window_refused &&
	       qp->s_mig_state == IB_MIG_MIGRATED && tp_qp_may(qp, RVT_PROCESS_RECV_OK) &&
	       (tp_window_position(&tq->resp) & TP_WINDOW_READY);
}

static void open_window(struct tp_qp *tq)
{
	const struct tp_window terms = terms_of(tq);

	tq->window = ops_of(tq)->open(&tp_port_of(tq)->port, &terms);
	tq->window_refused = !tq->window;
}

static bool take(struct tp_window *w, uint16_t self)
{
	for (uint32_t i = 0; i < TRIES; i++)
		if (likely(tp_window_try(w, self)))
			return true;
	return false;
}

bool tp_window_exec(struct tp_qp *tq, const struct tp_run *run)
{
	struct tp_window *w = window_of(tq);

	if (likely(!w)) {
		rc_resp_exec(tq, run);
		if (unlikely(is_direct(run) && may_have_window(tq)))
			open_window(tq);
		return true;
	}
	if (unlikely(!take(w, ops_of(tq)->self(&tp_port_of(tq)->port))))
		return false;
	(void)take_position(w, &tq->resp);
	rc_resp_exec(tq, run);
	store_position(w, &tq->resp);
	tp_window_drop(w);
	return true;
}

void tp_window_shut(struct tp_qp *tq)
{
	struct tp_window *w;

	rcu_read_lock();
	w = window_of(tq);
	if (w)
		__atomic_store_n(&w->qpn, 0, __ATOMIC_SEQ_CST);
	rcu_read_unlock();
}

/* Paths and path MTU stay those of the connection: who changes them goes through the wire from then on. */
void tp_window_update(struct tp_qp *tq)
{
	struct tp_window *w;

	if (likely(!tq->window))
		return;
	rcu_read_lock();
	w = window_of(tq);
	if (w)
		__atomic_store_n(&w->access, rights_of(tq), __ATOMIC_SEQ_CST);
	rcu_read_unlock();
}

void tp_window_refresh(struct rvt_qp *qp)
{
	struct tp_qp *tq = tp_qp(qp);
	const struct tp_window *w;

	rcu_read_lock();
	w = window_of(tq);
	if (w && take_position(w, &tq->resp)) {
		qp->r_psn = tq->resp.epsn.v;
		qp->r_msn = tq->resp.msn.v;
	}
	rcu_read_unlock();
}

void tp_window_close(struct tp_qp *tq)
{
	struct tp_port *port;

	if (!tq->window)
		return;
	port = &tp_port_of(tq)->port;
	port->ops->windows->close(port, tq->window);
	tq->window = 0;
}

bool tp_peers_left(struct rvt_dev_info *rdi, u32 pd, u32 qpn, u64 timeout_ns,
		   struct base_cause *holder)
{
	struct tp_port_state *ps = rdi->ports[0]->priv;
	struct tp_engine *tp = ps->port.engine;

	for (uint32_t num = 1; num <= tp->nports; num++) {
		struct tp_port *port = tp_engine_port(tp, num);

		if (port->ops && port->ops->windows &&
		    !port->ops->windows->left(port, pd, qpn, timeout_ns, holder))
			return false;
	}
	return true;
}
