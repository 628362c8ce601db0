// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What is lost in silence: of UC and UD the sender's request ends well whatever becomes of it, and of RC
 * the sender knows no more than that nobody has answered. So it is counted by reason here, and told once:
 * by whom it was dropped, or by whom it was sent if nobody could take it.
 */
#include "packet/opcode.h"
#include "transport/tp_qp.h"

#define QPN_GROUP 0xffffffu
#define PKT_OPCODE_KIND_MASK 0x1fu

uint64_t tp_port_drops(const struct tp_port *port, enum tp_drop_reason why)
{
	const struct tp_port_state *ps = container_of(port, struct tp_port_state, port);

	return __atomic_load_n(&ps->drops[why], __ATOMIC_RELAXED);
}

static bool is_service(const struct tp_run *run, enum pkt_service service)
{
	return pkt_op(run->first_opcode)->service == service;
}

/* What most sentences begin with. Connected packets do not say which queue pair has sent them. */
static void name_sender(const struct tp_qp *tq, const struct tp_run *run, struct base_cause *cause)
{
	const bool datagram = is_service(run, PKT_SERVICE_UD);

	cause->arg[0] = datagram || !tq ? run->deth.src_qpn : tq->qp->remote_qpn;
	cause->arg[1] = run->path.slid;
}

static enum ib_qp_type type_of(const struct tp_run *run)
{
	if (is_service(run, PKT_SERVICE_UD))
		return IB_QPT_UD;
	return is_service(run, PKT_SERVICE_UC) ? IB_QPT_UC : IB_QPT_RC;
}

/* UC's packets have the names of RC's. */
static uint8_t name_of(const struct tp_run *run)
{
	return run->first_opcode & PKT_OPCODE_KIND_MASK;
}

static bool explain_length(const struct tp_qp *tq, const struct tp_run *run,
			   struct base_cause *cause)
{
	if (is_service(run, PKT_SERVICE_UD)) {
		cause->id = BASE_CAUSE_DROP_DATAGRAM_LENGTH;
		cause->arg[2] = run->payload.bytes;
		cause->arg[3] = tq->qp->r_len;
	} else if (!tp_run_length_is_right(run, tq->qp->pmtu)) {
		cause->id = BASE_CAUSE_RESP_PAYLOAD_LENGTH;
		cause->arg[0] = name_of(run);
		cause->arg[1] = run->payload.bytes;
		cause->arg[2] = tq->qp->pmtu;
	} else if (pkt_op(run->first_opcode)->kind == PKT_KIND_SEND) {
		cause->id = BASE_CAUSE_DROP_MESSAGE_LENGTH;
		cause->arg[2] = tq->resp.done_bytes + run->payload.bytes;
		cause->arg[3] = tq->resp.limit_bytes;
	} else {
		cause->id = BASE_CAUSE_RESP_WRITE_LENGTH;
		cause->arg[0] = tq->resp.done_bytes + run->payload.bytes;
		cause->arg[1] = tq->resp.limit_bytes;
	}
	return true;
}

/* A WRITE of UC. The region is asked once more, for the reason. */
static bool explain_access(struct tp_qp *tq, const struct tp_run *run, struct base_cause *cause)
{
	const struct pkt_reth *reth = &run->reth;
	struct rvt_sge sge;

	if (!(tq->resp.access & RC_RESP_WRITE)) {
		cause->id = BASE_CAUSE_DROP_ACCESS;
		return true;
	}
	if (reth->dma_bytes > RC_MAX_MESSAGE_BYTES) {
		cause->id = BASE_CAUSE_RESP_MESSAGE_LENGTH;
		cause->arg[0] = reth->dma_bytes;
		cause->arg[1] = RC_MAX_MESSAGE_BYTES;
		return true;
	}
	if (!(pkt_op(run->first_opcode)->headers &
	      PKT_RETH)) { /* it was good when the message began */
		if (!rvt_rkey_enter(tq->qp, tq->write_rkey, cause))
			return true;
		rvt_rkey_leave(tq->qp, tq->write_rkey);
		return false;
	}
	if (!rvt_rkey_check(tq->qp, &sge, reth->dma_bytes, reth->va, reth->rkey,
			    IB_ACCESS_REMOTE_WRITE, cause))
		return true;
	rvt_put_mr(sge.mr); /* it is registered by now */
	return false;
}

/* One of two migrates first, and what is under way between them then comes by the other path. */
static bool may_migrate(const struct rvt_qp *qp)
{
	return qp->alt_port_num != 0;
}

/*
 * The cause of a drop, if it is one to be told: not where the queue pair dies of it or a peer of RC hears of
 * it, nor where it is nobody's mistake: a peer of RC that is a little early, a queue pair on its way out.
 */
static bool explain(const struct tp_port *port, struct tp_qp *tq, const struct tp_run *run,
		    enum tp_drop_reason why, struct base_cause *cause)
{
	const struct rvt_qp *qp = tq->qp;

	name_sender(tq, run, cause);
	switch (why) {
	case TP_DROP_STATE:
		cause->id = BASE_CAUSE_DROP_STATE;
		cause->arg[2] = qp->state;
		return qp->state == IB_QPS_INIT && !is_service(run, PKT_SERVICE_RC);
	case TP_DROP_SERVICE:
		cause->id = BASE_CAUSE_DROP_SERVICE;
		cause->arg[2] = type_of(run);
		cause->arg[3] = port->num;
		cause->arg[4] = qp->ibqp.qp_type;
		cause->arg[5] = qp->port_num;
		return qp->state != IB_QPS_RESET && !may_migrate(qp);
	case TP_DROP_PKEY:
		cause->id = BASE_CAUSE_DROP_PKEY;
		cause->arg[2] = run->pkey;
		cause->arg[3] = rvt_get_pkey(tq->engine->rdi, qp->port_num - 1, qp->s_pkey_index);
		return true;
	case TP_DROP_QKEY:
		cause->id = BASE_CAUSE_DROP_QKEY;
		cause->arg[2] = run->deth.qkey;
		cause->arg[3] = qp->qkey;
		return true;
	case TP_DROP_PATH:
		cause->id = BASE_CAUSE_DROP_PATH;
		cause->arg[2] = tq->path.dlid;
		return !may_migrate(qp);
	case TP_DROP_LENGTH:
		return explain_length(tq, run, cause);
	case TP_DROP_NO_RECEIVE:
		cause->id = BASE_CAUSE_DROP_NO_RECEIVE;
		return !tq->starved && tp_qp_may(qp, RVT_PROCESS_RECV_OK);
	case TP_DROP_ORDER:
		cause->id = BASE_CAUSE_DROP_ORDER;
		return !tq->told; /* else it is what became of the rest of such a message */
	case TP_DROP_ACCESS:
		return explain_access(tq, run, cause);
	case TP_DROP_MEMORY:
		cause->id = BASE_CAUSE_RESP_MEMORY_UNMAPPED;
		cause->arg[0] = name_of(run);
		return tp_qp_may(qp, RVT_PROCESS_RECV_OK);
	case TP_DROP_MALFORMED:
	case TP_DROP_NO_QP:
	case TP_DROP_GROUP:
	case TP_DROP_REPLAY:
	case TP_DROP_RESPONSE:
	case TP_DROP_WINDOW:
	case TP_DROP_REASONS:
		return false;
	}
	return false;
}

static void tell(struct tp_qp *tq, enum base_side side, struct base_cause *cause)
{
	cause->side = (uint8_t)side;
	cause->qpn = tq ? tq->qp->ibqp.qp_num : 0;
	base_cause_tell(cause);
}

/* Of RC the sender says what it was about. Where a queue pair has been, packets for it may still come. */
static void tell_unknown(struct tp_port_state *ps, const struct tp_run *run)
{
	struct base_cause cause = {.id = BASE_CAUSE_DROP_NO_QP, .arg = {run->dest_qpn}};

	if (is_service(run, PKT_SERVICE_RC) || READ_ONCE(ps->port.engine->had_qps) ||
	    __atomic_exchange_n(&ps->told, true, __ATOMIC_RELAXED))
		return;
	cause.arg[1] = run->path.slid;
	tell(NULL, BASE_SIDE_RESPONDER, &cause);
}

void tp_drop(struct tp_port *port, struct tp_qp *tq, const struct tp_run *run,
	     enum tp_drop_reason why)
{
	struct rvt_ibport *ibp = port->engine->rdi->ports[port->num - 1];
	struct tp_port_state *ps = container_of(port, struct tp_port_state, port);
	struct base_cause cause = {.id = 0};

	rvt_count(&ibp->n_pkt_drops, 1);
	(void)__atomic_add_fetch(&ps->drops[why], 1, __ATOMIC_RELAXED);
	trace(run_dropped, run->dest_qpn, run->psn.v, run->first_opcode, why);
	if (why == TP_DROP_NO_QP)
		tell_unknown(ps, run);
	else if (tq && !(tq->told & BIT(why)) && explain(port, tq, run, why, &cause)) {
		tq->told |= (uint32_t)BIT(why);
		tell(tq, BASE_SIDE_RESPONDER, &cause);
	}
}

/* Where a process has ended, those who still send to it need not be told. */
void tp_lost(struct tp_qp *tq, const struct tp_run *run)
{
	const struct tp_port *port = &tp_port_of(tq)->port;
	struct base_cause cause = {.id = 0};

	if ((tq->told & BIT(TP_DROP_NO_QP)) || run->dest_qpn == QPN_GROUP || !port->ops->why_lost ||
	    !port->ops->why_lost(port, &run->path, run->dest_qpn, &cause))
		return;
	if (cause.id == BASE_CAUSE_LOST_PEER_DIED)
		return;
	tq->told |= (uint32_t)BIT(TP_DROP_NO_QP);
	tell(tq, BASE_SIDE_REQUESTER, &cause);
}
