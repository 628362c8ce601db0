// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What the responder says: responses to READs and atomics in the order of the requests, behind them
 * the ACK or NAK [rcp 9.13, 9.14].
 */
#include <endian.h>
#include <errno.h>

#include "packet/aeth.h"
#include "transport/tp_qp.h"

void tp_run_begin(struct tp_qp *tq, struct tp_run *run)
{
	const struct rvt_qp *qp = tq->qp;

	run->path = tq->path;
	run->dest_qpn = qp->remote_qpn;
	run->pkey = rvt_get_pkey(tq->engine->rdi, qp->port_num - 1, qp->s_pkey_index);
	run->packets = 1;
	run->pmtu_bytes = qp->pmtu;
	run->solicited = false;
	run->migrated = qp->s_mig_state == IB_MIG_MIGRATED;
	run->ack_req = false;
	run->becn = false;
	run->immdt = 0;
	run->ieth = 0;
	run->aeth = (struct pkt_aeth){0};
	run->payload = (struct tp_payload){0};
	run->why.id = 0;
}

void tp_small_begin(struct tp_qp *tq, uint8_t opcode, psn_t psn, struct tp_small *small)
{
	const struct rvt_qp *qp = tq->qp;

	*small = (struct tp_small){
		.dest_qpn = qp->remote_qpn,
		.psn = psn,
		.pkey = rvt_get_pkey(tq->engine->rdi, qp->port_num - 1, qp->s_pkey_index),
		.pmtu_bytes = qp->pmtu,
		.slid = tq->path.slid,
		.dlid = tq->path.dlid,
		.sl = tq->path.sl,
		.opcode = opcode,
	};
}

int tp_hand_over(struct tp_qp *tq, const struct tp_run *run)
{
	struct tp_port_state *ps = tp_port_of(tq);
	const uint32_t readied = __atomic_load_n(&ps->readied, __ATOMIC_ACQUIRE);
	struct tp_port *port = &ps->port;
	const int taken = port->ops->send(port, run, tq->qp);

	if (unlikely(taken == -EAGAIN))
		tp_wait_for_port(tq, readied);
	else if (taken > 0 && !port->ops->copies)
		tq->wire_taken += (uint32_t)taken;
	return taken;
}

void tp_answer_nak(struct tp_qp *tq, psn_t psn, uint8_t syndrome, const struct base_cause *why)
{
	tq->answer = TP_ANSWER_NAK;
	tq->answer_psn = psn;
	tq->answer_syndrome = syndrome;
	tq->answer_why = *why;
	tq->answer_why.peer_qpn = tq->qp->ibqp.qp_num;
	trace(rc_nak_sent, tq->qp->ibqp.qp_num, psn.v, syndrome);
	tp_schedule(tq);
}

/* [rcp 6]: credits of the own receive queue. The MSN is the responder's now. */
struct pkt_aeth tp_aeth_of(struct tp_qp *tq)
{
	const u32 aeth = be32toh(rvt_compute_aeth(tq->qp));

	return (struct pkt_aeth){(uint8_t)(aeth >> PKT_AETH_SYNDROME_SHIFT), msn(aeth)};
}

/* The ACK that waits, the express way if the wire has one. */
static bool send_small_ack(struct tp_qp *tq)
{
	struct tp_port *port = &tp_port_of(tq)->port;
	struct tp_small small;

	if (!port->ops->send_small || !tp_path_is_plain(tq))
		return false;
	tp_small_begin(tq, PKT_RC_ACKNOWLEDGE, tq->answer_psn, &small);
	small.aeth = tp_aeth_of(tq);
	if (!port->ops->send_small(port, &small, NULL))
		return false;
	tq->answer = TP_ANSWER_NONE;
	return true;
}

/* An ACK gives way to a NAK, unless what was refused has been executed since. */
static void note_ack(struct tp_qp *tq, psn_t psn)
{
	if (tq->answer != TP_ANSWER_NAK || psn_diff(psn, tq->answer_psn) >= 0) {
		tq->answer = TP_ANSWER_ACK;
		tq->answer_psn = psn;
	}
}

/*
 * Whoever has it on a list takes it off, and then s_lock, which is ours: so who sees it there need not
 * put it there.
 */
static void schedule_answer(struct tp_qp *tq)
{
	if (!__atomic_load_n(&tq->queued, __ATOMIC_RELAXED))
		tp_schedule(tq);
}

void tp_answer_ack(struct tp_qp *tq, psn_t psn)
{
	note_ack(tq, psn);
	schedule_answer(tq);
}

/* Responses, and a NAK, go before it. */
void tp_answer_ack_now(struct tp_qp *tq, psn_t psn)
{
	struct rvt_qp *qp = tq->qp;

	note_ack(tq, psn);
	if (unlikely(tq->answer != TP_ANSWER_ACK || qp->s_tail_ack_queue != qp->r_head_ack_queue ||
		     (qp->s_flags & RVT_S_WAIT_TX) || !send_small_ack(tq)))
		schedule_answer(tq);
}

static bool send_answer(struct tp_qp *tq)
{
	struct tp_run run;

	if (likely(tq->answer == TP_ANSWER_ACK) && send_small_ack(tq))
		return true;
	tp_run_begin(tq, &run);
	run.first_opcode = run.last_opcode = PKT_RC_ACKNOWLEDGE;
	run.psn = tq->answer_psn;
	run.aeth = tp_aeth_of(tq);
	if (unlikely(tq->answer == TP_ANSWER_NAK)) {
		run.aeth.syndrome = tq->answer_syndrome;
		run.why = tq->answer_why;
	}
	if (unlikely(tp_hand_over(tq, &run) == -EAGAIN))
		return false;
	tq->answer = TP_ANSWER_NONE;
	return true;
}

/* A response acknowledges all before it: an ACK of that would come too late [rcp 9.14]. */
static void response_acknowledges(struct tp_qp *tq, psn_t psn)
{
	if (tq->answer == TP_ANSWER_ACK && psn_diff(tq->answer_psn, psn) < 0)
		tq->answer = TP_ANSWER_NONE;
}

static uint32_t response_opcodes(const struct tp_slot *slot, const struct rvt_ack_entry *e,
				 struct tp_run *run)
{
	const uint32_t packets = (uint32_t)psn_diff(psn(e->lpsn), slot->next) + 1;
	const bool first = slot->next.v == slot->first.v;

	run->first_opcode = first ? PKT_RC_READ_RESPONSE_FIRST : PKT_RC_READ_RESPONSE_MIDDLE;
	run->last_opcode = PKT_RC_READ_RESPONSE_LAST;
	if (packets == 1) {
		if (first)
			run->last_opcode = PKT_RC_READ_RESPONSE_ONLY;
		run->first_opcode = run->last_opcode;
	}
	return packets;
}

static void let_go_of_source(struct rvt_ack_entry *e)
{
	if (e->rdma_sge.mr)
		rvt_put_mr(e->rdma_sge.mr);
	e->rdma_sge.mr = NULL;
}

/* The source may be needed again, but not this hold on it [rcp 9.1: the key is checked again]. */
static void response_is_sent(struct rvt_ack_entry *e)
{
	e->sent = 1;
	let_go_of_source(e);
}

/* The death of a queue pair lets go of all regions: what it still owes may be gone since. */
static bool hold_source(struct tp_qp *tq, struct tp_slot *slot, struct rvt_ack_entry *e)
{
	const struct pkt_reth *reth = &slot->reth;
	struct base_cause why;

	if (likely(e->rdma_sge.mr || !reth->dma_bytes))
		return true;
	if (!rvt_rkey_check(tq->qp, &e->rdma_sge, reth->dma_bytes, reth->va, reth->rkey,
			    IB_ACCESS_REMOTE_READ, &why)) {
		e->rdma_sge.mr = NULL;
		return false;
	}
	tp_slot_source(slot, &e->rdma_sge);
	return true;
}

static void fill_read_response(struct tp_qp *tq, const struct tp_slot *slot,
			       const struct rvt_ack_entry *e, struct tp_run *run)
{
	const uint32_t skip = (uint32_t)psn_diff(slot->next, psn(e->psn)) * tq->qp->pmtu;

	tp_run_begin(tq, run);
	run->aeth = tp_aeth_of(tq);
	run->aeth.msn = slot->msn;
	run->psn = slot->next;
	run->packets = response_opcodes(slot, e, run);
	run->payload.iov = slot->iov;
	run->payload.count = slot->count;
	run->payload.offset = slot->offset + skip;
	run->payload.bytes = slot->reth.dma_bytes - skip;
}

/* [rcp 9.10]: all that is left of a READ's responses, as one run. */
static bool send_read_response(struct tp_qp *tq, struct tp_slot *slot, struct rvt_ack_entry *e)
{
	struct tp_run run;
	int taken;

	if (unlikely(!hold_source(tq, slot, e))) { /* the requester will ask in vain */
		response_is_sent(e);
		return true;
	}
	fill_read_response(tq, slot, e, &run);
	taken = tp_hand_over(tq, &run);
	if (unlikely(taken == -EAGAIN)) {
		if (unlikely(tq->owes))
			let_go_of_source(e);
		return false;
	}
	if (likely(taken > 0))
		response_acknowledges(tq, run.psn);
	else /* its memory is gone: the requester will ask again */
		taken = (int)run.packets;
	slot->next = psn_add(slot->next, (uint32_t)taken);
	if (likely((uint32_t)taken == run.packets))
		response_is_sent(e);
	return true;
}

static bool send_atomic_response(struct tp_qp *tq, const struct tp_slot *slot,
				 struct rvt_ack_entry *e)
{
	struct tp_run run;
	int taken;

	tp_run_begin(tq, &run);
	run.aeth = tp_aeth_of(tq);
	/* Atomic write and flush have no result: they are answered as a READ of no bytes. */
	run.first_opcode = run.last_opcode = e->opcode == PKT_RC_ATOMIC_WRITE ||
							     e->opcode == PKT_RC_FLUSH
						     ? PKT_RC_READ_RESPONSE_ONLY
						     : PKT_RC_ATOMIC_ACKNOWLEDGE;
	run.aeth.msn = slot->msn;
	run.psn = psn(e->psn);
	run.atomicacketh.original = e->atomic_data;
	taken = tp_hand_over(tq, &run);
	if (unlikely(taken == -EAGAIN))
		return false;
	if (likely(taken > 0))
		response_acknowledges(tq, run.psn);
	e->sent = 1;
	return true;
}

uint8_t tp_next_slot(const struct tp_qp *tq, uint8_t slot)
{
	return slot >= rvt_size_atomic(tq->engine->rdi) ? 0 : (uint8_t)(slot + 1);
}

/* Returns false if the wire is full. */
static bool send_responses(struct tp_qp *tq, bool *any)
{
	struct rvt_qp *qp = tq->qp;

	while (unlikely(qp->s_tail_ack_queue != qp->r_head_ack_queue)) {
		struct rvt_ack_entry *e = &qp->s_ack_queue[qp->s_tail_ack_queue];
		struct tp_slot *slot = &tq->slots[qp->s_tail_ack_queue];

		if (e->sent) {
			qp->s_tail_ack_queue = tp_next_slot(tq, qp->s_tail_ack_queue);
			continue;
		}
		if (e->opcode == PKT_RC_READ_REQUEST ? !send_read_response(tq, slot, e)
						     : !send_atomic_response(tq, slot, e))
			return false;
		*any = true;
	}
	return true;
}

/*
 * [rcp 9.14, 9.15]: a queue pair that died of a request answers those before it, as it would have done
 * if the wire had had room. One that died of something else may have an ACK or NAK to send, but no
 * responses: the consumer may have other plans with their memory. In RESET nothing is said, for the
 * wire has been emptied of what this queue pair had there.
 */
bool tp_send_answers(struct tp_qp *tq)
{
	bool any = false;

	if (unlikely((tq->qp->s_flags & RVT_S_WAIT_TX) || tq->qp->state == IB_QPS_RESET))
		return false;
	if ((likely(tp_qp_may(tq->qp, RVT_PROCESS_RECV_OK)) || tq->owes) &&
	    !send_responses(tq, &any))
		return any;
	if (tq->answer == TP_ANSWER_NONE)
		return any;
	return send_answer(tq) || any;
}
