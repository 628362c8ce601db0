// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What the RC responder's decisions (rc_resp.c) come to: receive WQEs, keys, bytes, completions,
 * and what it remembers of READs and atomics [rcp 9.7-9.12].
 */
#include "base/check.h"
#include "base/umem.h"
#include "packet/aeth.h"
#include "transport/tp_qp.h"

/**
 * struct exec - A run that is being executed.
 * @tq: Queue pair.
 * @w: What the machine says.
 * @sge: Where the key of a READ or an atomic leads; @sge.mr is NULL if nowhere. A WRITE's is r_sge.
 * @key_cause: Why a key was refused.
 */
struct exec {
	struct tp_qp *tq;
	struct rc_resp_work w;
	struct rvt_sge sge;
	struct base_cause key_cause;
};

static enum rc_resp_result take_rwqe(struct exec *x, bool wr_id_only)
{
	struct rvt_qp *qp = x->tq->qp;
	const int ret = tp_get_rwqe(x->tq, wr_id_only);

	if (unlikely(ret == 0))
		return RC_NONE;
	if (unlikely(ret < 0))
		return RC_BAD;
	x->w.rwqe_bytes = qp->r_len;
	return RC_OK;
}

static uint32_t slots_before_head(const struct tp_qp *tq, uint8_t index)
{
	const uint32_t slots = rvt_max_atomic(tq->engine->rdi);

	return (tq->qp->r_head_ack_queue + slots - index) % slots;
}

/* Requests that have never been answered. Replays do not count: their requester has been served. */
static uint32_t unanswered(const struct tp_qp *tq)
{
	const struct rvt_qp *qp = tq->qp;
	uint32_t count = 0;

	for (uint8_t i = qp->s_tail_ack_queue; i != qp->r_head_ack_queue; i = tp_next_slot(tq, i))
		count += !qp->s_ack_queue[i].sent && !tq->slots[i].replay;
	return count;
}

/*
 * [rcp 9.12]: answered requests stay until their slot is needed. What the peer has in flight beyond
 * those is not to be seen from here, so the limit is on what is not answered yet.
 */
static enum rc_resp_result take_slot(struct exec *x)
{
	struct tp_qp *tq = x->tq;
	struct rvt_qp *qp = tq->qp;
	uint32_t waiting;

	spin_lock(&qp->s_lock);
	waiting = unanswered(tq);
	/* Only a replay can be in the way then; its requester will ask once more. */
	if (unlikely(tp_next_slot(tq, qp->r_head_ack_queue) == qp->s_tail_ack_queue) &&
	    waiting < qp->r_max_rd_atomic) {
		qp->s_ack_queue[qp->s_tail_ack_queue].sent = 1;
		qp->s_tail_ack_queue = tp_next_slot(tq, qp->s_tail_ack_queue);
	}
	spin_unlock(&qp->s_lock);
	if (likely(waiting < qp->r_max_rd_atomic))
		return RC_OK;
	return RC_NONE;
}

static int access_for(uint8_t need)
{
	switch (need) {
	case RC_RESP_WRITE:
		return IB_ACCESS_REMOTE_WRITE;
	case RC_RESP_READ:
		return IB_ACCESS_REMOTE_READ;
	default:
		return IB_ACCESS_REMOTE_ATOMIC;
	}
}

static struct rvt_flush flush_of(const struct tp_run *run)
{
	return (struct rvt_flush){.addr = run->reth.va,
				  .bytes = run->reth.dma_bytes,
				  .rkey = run->reth.rkey,
				  .type = run->feth.placement,
				  .level = run->feth.selectivity};
}

static bool check_flush(struct exec *x)
{
	const struct rvt_flush flush = flush_of(x->w.run);

	return rvt_flush_check(x->tq->qp, &flush, &x->key_cause);
}

static void release_sges(struct rvt_qp *qp)
{
	if (qp->r_sge.num_sge)
		rvt_put_ss(&qp->r_sge);
}

/* A WRITE's bytes stay in r_sge until its message ends. */
static bool find_bytes(struct exec *x)
{
	const struct tp_run *run = x->w.run;
	const bool atomic = x->w.need == RC_RESP_ATOMIC, write = x->w.message == RC_MESSAGE_WRITE;
	const uint64_t va = atomic ? run->atomiceth.va : run->reth.va;
	const uint32_t bytes = atomic ? 8 : run->reth.dma_bytes;
	const uint32_t rkey = atomic ? run->atomiceth.rkey : run->reth.rkey;
	struct rvt_qp *qp = x->tq->qp;

	if (write)
		release_sges(qp);
	if (unlikely(!rvt_rkey_check(qp, write ? &qp->r_sge.sge : &x->sge, bytes, va, rkey,
				     access_for(x->w.need), &x->key_cause)))
		return false;
	if (write) {
		x->tq->write_rkey = rkey;
		qp->r_sge.num_sge = 1;
		qp->r_sge.sg_list = NULL;
		qp->r_sge.total_len = bytes;
	}
	return true;
}

static enum rc_resp_result check_key(struct exec *x)
{
	if (likely(x->w.message != RC_MESSAGE_FLUSH ? find_bytes(x) : check_flush(x)))
		return RC_OK;
	x->key_cause.qpn = x->tq->qp->ibqp.qp_num;
	return RC_BAD;
}

static enum rc_resp_result place(struct exec *x)
{
	const struct tp_sges sges = tp_sges_of_state(&x->tq->qp->r_sge);
	const struct rc_resp_work *w = &x->w;
	const uint32_t rkey = w->message == RC_MESSAGE_WRITE ? x->tq->write_rkey : 0;
	enum rc_resp_result result;

	if (unlikely(!rvt_rkey_enter(x->tq->qp, rkey, &x->key_cause)))
		return RC_BAD;
	result = tp_place(&sges, w->message_offset, &w->run->payload, w->payload_offset, w->bytes);
	rvt_rkey_leave(x->tq->qp, rkey);
	return result;
}

/* For those who look at rdmavt's members: rvt_query_qp(), rvt_compute_aeth(). s_lock held. */
static void publish(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	qp->r_psn = tq->resp.epsn.v;
	qp->r_msn = tq->resp.msn.v;
	qp->r_state = tq->resp.last_opcode;
}

/* The slot at the head is filled in; the request that it held before is forgotten. s_lock held. */
static struct rvt_ack_entry *fill_slot(struct exec *x, psn_t last, struct tp_slot **slot)
{
	struct tp_qp *tq = x->tq;
	struct rvt_qp *qp = tq->qp;
	struct rvt_ack_entry *e = &qp->s_ack_queue[qp->r_head_ack_queue];

	*slot = &tq->slots[qp->r_head_ack_queue];
	if (e->rdma_sge.mr)
		rvt_put_mr(e->rdma_sge.mr);
	e->rdma_sge.mr = NULL;
	e->opcode = x->w.opcode;
	e->psn = x->w.psn.v;
	e->lpsn = last.v;
	e->sent = 0;
	(*slot)->first = (*slot)->next = x->w.psn;
	(*slot)->msn = msn_add(tq->resp.msn, 1);
	(*slot)->replay = false;
	return e;
}

static void publish_slot(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	qp->r_head_ack_queue = tp_next_slot(tq, qp->r_head_ack_queue);
	tp_schedule(tq);
}

/* The reference that check_key() took goes to the slot, until the response is sent. */
static enum rc_resp_result read_request(struct exec *x)
{
	struct tp_qp *tq = x->tq;
	struct rvt_ack_entry *e;
	struct tp_slot *slot;

	spin_lock(&tq->qp->s_lock);
	e = fill_slot(x, psn_add(x->w.psn, x->w.packets - 1), &slot);
	slot->reth = x->w.run->reth;
	slot->count = 0;
	slot->offset = 0;
	e->rdma_sge = x->sge;
	x->sge.mr = NULL;
	if (likely(e->rdma_sge.mr))
		tp_slot_source(slot, &e->rdma_sge);
	publish_slot(tq);
	spin_unlock(&tq->qp->s_lock);
	return RC_OK;
}

static int execute_atomic(const struct rc_resp_work *w, void *at, uint64_t *original)
{
	const struct pkt_atomiceth *eth = &w->run->atomiceth;

	if ((uintptr_t)at % sizeof(uint64_t)) /* the region begins at an odd address */
		return -EINVAL;
	if (w->opcode == PKT_RC_COMPARE_SWAP)
		return base_umem_cmp_swap(at, eth->compare, eth->swap_add, original);
	return base_umem_fetch_add(at, eth->swap_add, original);
}

/* The payload's 8 bytes, as one. */
static enum rc_resp_result write_word(const struct rc_resp_work *w, void *at)
{
	uint64_t value;
	struct rvt_mregion no_region = {.all_memory = true};
	const struct rvt_sge sge = {.mr = &no_region,
				    .vaddr = &value,
				    .sge_length = sizeof(value),
				    .length = sizeof(value)};
	const struct tp_sges sges = {.first = &sge, .count = 1};
	const enum rc_resp_result result =
		tp_place(&sges, 0, &w->run->payload, w->payload_offset, sizeof(value));

	if (result != RC_OK)
		return result;
	if ((uintptr_t)at % sizeof(value)) /* the region begins at an odd address */
		return RC_BAD;
	return base_umem_store(at, value) ? RC_BAD : RC_OK;
}

static enum rc_resp_result flush(struct exec *x)
{
	const struct rvt_flush flush = flush_of(x->w.run);

	return rvt_flush(x->tq->qp, &flush) ? RC_BAD : RC_OK;
}

static enum rc_resp_result change_word(struct exec *x, uint64_t *original)
{
	const bool writes = x->w.opcode == PKT_RC_ATOMIC_WRITE;
	const uint32_t rkey = writes ? x->w.run->reth.rkey : x->w.run->atomiceth.rkey;
	enum rc_resp_result result;

	if (unlikely(!rvt_rkey_enter(x->tq->qp, rkey, &x->key_cause)))
		return RC_BAD;
	if (writes)
		result = write_word(&x->w, x->sge.vaddr);
	else
		result = execute_atomic(&x->w, x->sge.vaddr, original) ? RC_BAD : RC_OK;
	rvt_rkey_leave(x->tq->qp, rkey);
	return result;
}

/* [rcp 9.11]: at once; the result is remembered. */
static enum rc_resp_result atomic_request(struct exec *x)
{
	struct tp_qp *tq = x->tq;
	struct rvt_ack_entry *e;
	struct tp_slot *slot;
	enum rc_resp_result result;
	uint64_t original = 0;

	result = x->w.message == RC_MESSAGE_FLUSH ? flush(x) : change_word(x, &original);
	if (unlikely(result != RC_OK))
		return result;
	spin_lock(&tq->qp->s_lock);
	e = fill_slot(x, x->w.psn, &slot);
	e->atomic_data = original;
	publish_slot(tq);
	spin_unlock(&tq->qp->s_lock);
	return RC_OK;
}

/*
 * The remembered request that a duplicate repeats, or NULL: the latest that has its PSN, for the circle
 * may have come round since an earlier one. The slot at the head is up for reuse.
 */
static struct rvt_ack_entry *find_slot(const struct tp_qp *tq, const struct rc_resp_work *w,
				       uint8_t *index)
{
	const uint32_t slots = rvt_max_atomic(tq->engine->rdi);
	struct rvt_qp *qp = tq->qp;

	for (uint32_t ago = 1; ago < slots; ago++) {
		const uint32_t i = (qp->r_head_ack_queue + slots - ago) % slots;
		struct rvt_ack_entry *e = &qp->s_ack_queue[i];

		if (e->opcode == w->opcode &&
		    ((w->psn.v - e->psn) & PKT_PSN_MASK) <= ((e->lpsn - e->psn) & PKT_PSN_MASK)) {
			*index = (uint8_t)i;
			return e;
		}
	}
	return NULL;
}

/* [rcp 9.1]: the same READ, or what is left of it; and the key must still be good. */
static bool replay_read(struct tp_qp *tq, const struct rc_resp_work *w, struct rvt_ack_entry *e,
			struct tp_slot *slot)
{
	const struct pkt_reth *reth = &w->run->reth;
	const uint32_t skip = ((w->psn.v - e->psn) & PKT_PSN_MASK) << tq->qp->log_pmtu;
	struct base_cause why;
	struct rvt_sge sge;

	if (skip > slot->reth.dma_bytes || reth->dma_bytes != slot->reth.dma_bytes - skip ||
	    reth->va != slot->reth.va + skip)
		return false;
	if (slot->reth.dma_bytes) {
		if (!rvt_rkey_check(tq->qp, &sge, slot->reth.dma_bytes, slot->reth.va, reth->rkey,
				    IB_ACCESS_REMOTE_READ, &why))
			return false;
		if (e->rdma_sge.mr)
			rvt_put_mr(e->rdma_sge.mr);
		e->rdma_sge = sge;
		tp_slot_source(slot, &sge);
	}
	slot->first = slot->next = w->psn;
	return true;
}

/* Replays go in the order of the requests, like everything else. s_lock held. */
static bool replay_slot(struct tp_qp *tq, const struct rc_resp_work *w)
{
	struct rvt_qp *qp = tq->qp;
	struct rvt_ack_entry *e;
	uint8_t index;

	e = find_slot(tq, w, &index);
	if (!e)
		return false;
	if (w->opcode == PKT_RC_READ_REQUEST ? !replay_read(tq, w, e, &tq->slots[index])
					     : w->psn.v != e->psn)
		return false;
	tq->slots[index].replay = e->sent || tq->slots[index].replay;
	e->sent = 0;
	if (slots_before_head(tq, index) > slots_before_head(tq, qp->s_tail_ack_queue))
		qp->s_tail_ack_queue = index;
	tp_schedule(tq);
	return true;
}

static void replay(struct exec *x)
{
	struct rvt_qp *qp = x->tq->qp;
	bool found;

	rvt_count(&rvt_to_iport(qp)->n_rc_dupreq, 1);
	spin_lock(&qp->s_lock);
	found = replay_slot(x->tq, &x->w);
	spin_unlock(&qp->s_lock);
	if (!found)
		tp_drop(&tp_port_of(x->tq)->port, x->tq, x->w.run, TP_DROP_REPLAY);
}

void tp_fill_receive(struct tp_qp *tq, const struct tp_run *run, uint32_t bytes,
		     enum ib_wc_status status, struct ib_wc *wc)
{
	const uint16_t headers = pkt_op(run->last_opcode)->headers;
	struct rvt_qp *qp = tq->qp;

	memset(wc, 0, sizeof(*wc));
	wc->wr_id = qp->r_wr_id;
	wc->status = status;
	wc->opcode = pkt_op(run->last_opcode)->kind == PKT_KIND_WRITE ? IB_WC_RECV_RDMA_WITH_IMM
								      : IB_WC_RECV;
	wc->byte_len = bytes;
	wc->qp = &qp->ibqp;
	if (headers & PKT_IMMDT) {
		wc->ex.imm_data = run->immdt;
		wc->wc_flags |= IB_WC_WITH_IMM;
	}
	if ((headers & PKT_IETH) && status == IB_WC_SUCCESS) {
		wc->ex.invalidate_rkey = run->ieth;
		wc->wc_flags |= IB_WC_WITH_INVALIDATE;
	}
	wc->slid = run->path.slid;
	wc->sl = run->path.sl;
	wc->port_num = qp->port_num;
}

bool tp_enter_receive(struct tp_qp *tq, struct ib_wc *wc, bool solicited)
{
	struct rvt_qp *qp = tq->qp;

	qp->r_aflags &= ~BIT(RVT_R_WRID_VALID);
	if (likely(rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.recv_cq), wc, solicited)))
		return true;
	spin_lock(&qp->s_lock);
	tq->owes = true;
	rvt_qp_cq_full(qp, qp->ibqp.recv_cq);
	spin_unlock(&qp->s_lock);
	return false;
}

/* [rcp 9.7, 9.8] */
static enum rc_resp_result complete_receive(struct exec *x)
{
	const struct rc_resp_work *w = &x->w;
	struct rvt_qp *qp = x->tq->qp;
	struct ib_wc wc;

	release_sges(qp);
	tp_fill_receive(x->tq, w->run, w->message_bytes, w->status, &wc);
	wc.src_qp = qp->remote_qpn;
	if (unlikely(w->status))
		wc.vendor_err = BASE_CAUSE_RESP_INVALIDATE;
	return tp_enter_receive(x->tq, &wc, w->run->solicited) ? RC_OK : RC_BAD;
}

static void acknowledge(struct exec *x)
{
	struct tp_qp *tq = x->tq;

	spin_lock(&tq->qp->s_lock);
	publish(tq);
	tp_answer_ack(tq, x->w.psn);
	spin_unlock(&tq->qp->s_lock);
}

/* Why a key was refused is known best to whom refused it. */
static void complete_cause(struct exec *x)
{
	struct rc_resp_work *w = &x->w;

	if ((w->why.id == BASE_CAUSE_RESP_RKEY || w->why.id == BASE_CAUSE_RESP_MEMORY_UNMAPPED) &&
	    x->key_cause.id)
		w->why = x->key_cause;
	else if (w->why.id == BASE_CAUSE_RESP_QP_ACCESS)
		w->why.arg[1] = (uint32_t)rvt_qp_access(x->tq->qp);
	else if (w->why.id == BASE_CAUSE_RESP_NO_SLOT)
		w->why.arg[0] = x->tq->qp->r_max_rd_atomic;
}

/* [rcp 9.15]: what was answered before goes first, now or, if the wire has no room, later. */
static void refuse(struct exec *x)
{
	struct rc_resp_work *w = &x->w;
	struct tp_qp *tq = x->tq;
	struct rvt_qp *qp = tq->qp;

	complete_cause(x);
	spin_lock(&qp->s_lock);
	publish(tq);
	if (w->syndrome == PKT_NAK_PSN_SEQUENCE)
		rvt_count(&rvt_to_iport(qp)->n_rc_seqnak, 1);
	if (w->fatal)
		(void)tp_send_answers(tq);
	tp_answer_nak(tq, w->psn, w->syndrome, &w->why);
	if (w->fatal) {
		w->why.status = w->status;
		tq->owes = true;
		tp_die(tq, &w->why, w->status);
	}
	spin_unlock(&qp->s_lock);
}

static enum rc_resp_result carry_out(struct exec *x, enum rc_resp_do what)
{
	switch (what) {
	case RC_DO_TAKE_RWQE:
		return take_rwqe(x, false);
	case RC_DO_TAKE_WR_ID:
		return take_rwqe(x, true);
	case RC_DO_TAKE_SLOT:
		return take_slot(x);
	case RC_DO_CHECK_KEY:
		return check_key(x);
	case RC_DO_PLACE:
		return place(x);
	case RC_DO_READ:
		return read_request(x);
	case RC_DO_ATOMIC:
		return atomic_request(x);
	case RC_DO_INVALIDATE:
		return rvt_remote_invalidate(x->tq->qp, x->w.run->ieth, &x->key_cause) ? RC_BAD
										       : RC_OK;
	case RC_DO_COMPLETE:
		return complete_receive(x);
	case RC_DO_ACK:
		acknowledge(x);
		return RC_OK;
	case RC_DO_REPLAY:
		replay(x);
		return RC_OK;
	case RC_DO_NAK:
		refuse(x);
		return RC_OK;
	case RC_DO_NOTHING:
		break;
	}
	UNREACHABLE("nothing to do");
}

/* [rcp 9.8]: the peer is told that its message has arrived, and then the queue pair dies. */
static void invalidate_failed(struct exec *x)
{
	struct tp_qp *tq = x->tq;
	const struct base_cause cause = {.id = BASE_CAUSE_RESP_INVALIDATE,
					 .side = BASE_SIDE_RESPONDER,
					 .arg = {x->w.run->ieth}};

	spin_lock(&tq->qp->s_lock);
	(void)tp_send_answers(tq);
	tq->owes = true;
	tp_die(tq, &cause, IB_WC_WR_FLUSH_ERR);
	spin_unlock(&tq->qp->s_lock);
}

void rc_resp_exec(struct tp_qp *tq, const struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;
	enum rc_resp_do what;
	struct exec x;

	x.tq = tq;
	x.sge.mr = NULL;
	x.key_cause.id = 0;
	for (what = rc_resp_receive(&tq->resp, &x.w, run); what != RC_DO_NOTHING;)
		what = rc_resp_answer(&tq->resp, &x.w, carry_out(&x, what));
	if (x.sge.mr)
		rvt_put_mr(x.sge.mr);
	if (tq->resp.message == RC_MESSAGE_NONE && tq->resp.holds_rwqe == RC_MESSAGE_NONE)
		release_sges(qp);
	if (qp->r_psn != tq->resp.epsn.v) {
		spin_lock(&qp->s_lock);
		publish(tq);
		spin_unlock(&qp->s_lock);
	}
	if (unlikely(x.w.status && !x.w.fatal))
		invalidate_failed(&x);
}
