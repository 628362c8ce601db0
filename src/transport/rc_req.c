// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The RC requester: from WQEs to runs [rcp 8]. All under s_lock.
 *
 * The position is (s_cur, s_psn): the WQE and the PSN that go next. Everything else about a packet
 * follows from its PSN, so a restart is nothing but another position.
 */
#include <errno.h>

#include "base/check.h"
#include "transport/tp_qp.h"

/* PSNs that may be under way: half the circle, so that no comparison is ambiguous [rcp 3]. */
#define WINDOW_PACKETS (1u << 23)

/**
 * struct request - What goes on the wire for a send opcode.
 * @first: Opcode of the first of several packets.
 * @middle: Of those between.
 * @last: Of the last one.
 * @only: Of a message of one packet.
 * @needs_credit: It consumes a receive WQE.
 * @is_read_or_atomic: It is answered by a response of its own, and counts against max_rd_atomic.
 * @solicits: The receiver may be asked to raise an event.
 */
struct request {
	uint8_t first;
	uint8_t middle;
	uint8_t last;
	uint8_t only;
	bool needs_credit;
	bool is_read_or_atomic;
	bool solicits;
};

#define SEND_BEGIN PKT_RC_SEND_FIRST, PKT_RC_SEND_MIDDLE
#define WRITE_BEGIN PKT_RC_WRITE_FIRST, PKT_RC_WRITE_MIDDLE

/* clang-format off */
static const struct request requests[] = {
	/*                            first..middle last                    only                   credit response solicits */
	[IB_WR_SEND] =              { SEND_BEGIN,  PKT_RC_SEND_LAST,      PKT_RC_SEND_ONLY,      true,  false, true },
	[IB_WR_SEND_WITH_IMM] =     { SEND_BEGIN,  PKT_RC_SEND_LAST_IMM,  PKT_RC_SEND_ONLY_IMM,  true,  false, true },
	[IB_WR_SEND_WITH_INV] =     { SEND_BEGIN,  PKT_RC_SEND_LAST_INV,  PKT_RC_SEND_ONLY_INV,  true,  false, true },
	[IB_WR_RDMA_WRITE] =        { WRITE_BEGIN, PKT_RC_WRITE_LAST,     PKT_RC_WRITE_ONLY,     false, false, false },
	[IB_WR_RDMA_WRITE_WITH_IMM]={ WRITE_BEGIN, PKT_RC_WRITE_LAST_IMM, PKT_RC_WRITE_ONLY_IMM, true,  false, true },
	[IB_WR_RDMA_READ] =         { 0, 0, 0, PKT_RC_READ_REQUEST, false, true, false },
	[IB_WR_ATOMIC_CMP_AND_SWP] ={ 0, 0, 0, PKT_RC_COMPARE_SWAP, false, true, false },
	[IB_WR_ATOMIC_FETCH_AND_ADD]={0, 0, 0, PKT_RC_FETCH_ADD,    false, true, false },
	[IB_WR_ATOMIC_WRITE] =      { 0, 0, 0, PKT_RC_ATOMIC_WRITE, false, true, false },
	[IB_WR_FLUSH] =             { 0, 0, 0, PKT_RC_FLUSH,        false, true, false },
};
/* clang-format on */

static const struct request *request_of(const struct rvt_swqe *wqe)
{
	return &requests[wqe->wr.opcode];
}

bool rc_req_is_read_or_atomic(const struct rvt_swqe *wqe)
{
	return request_of(wqe)->is_read_or_atomic;
}

void tp_fill_data(struct tp_qp *tq, const struct rvt_swqe *wqe, uint32_t index, uint32_t most,
		  struct tp_run *run)
{
	const struct request *req = request_of(wqe);
	const uint8_t service = tq->qp->allowed_ops;
	const struct tp_swqe *ts = tp_swqe(wqe);
	const uint32_t left = ((wqe->lpsn - wqe->psn) & PKT_PSN_MASK) + 1 - index;
	const uint32_t skip = index << tq->qp->log_pmtu;
	const bool whole = left <= most;

	run->packets = whole ? left : most;
	run->first_opcode = service | (index ? req->middle : req->first);
	if (run->packets > 1)
		run->last_opcode = service | (whole ? req->last : req->middle);
	else if (whole)
		run->first_opcode = run->last_opcode = service | (index ? req->last : req->only);
	else
		run->last_opcode = run->first_opcode;
	run->payload.iov = ts->iov;
	run->payload.count = ts->count;
	run->payload.offset = ts->offset + skip;
	run->payload.bytes = whole ? wqe->length - skip : run->packets << tq->qp->log_pmtu;
	run->payload.ours = (wqe->wr.send_flags & IB_SEND_INLINE) != 0;
	run->solicited = whole && req->solicits && (wqe->wr.send_flags & IB_SEND_SOLICITED);
	run->immdt = wqe->wr.ex.imm_data;
	run->ieth = wqe->wr.ex.invalidate_rkey;
	if (pkt_op(run->first_opcode)->headers & PKT_RETH)
		run->reth = (struct pkt_reth){.va = wqe->rdma_wr.remote_addr,
					      .rkey = wqe->rdma_wr.rkey,
					      .dma_bytes = wqe->length};
	run->ack_req = whole;
}

/* [rcp 4]: a READ is asked for again from its first missing packet on. */
static void fill_read(struct tp_qp *tq, const struct rvt_swqe *wqe, uint32_t index,
		      struct tp_run *run)
{
	const uint32_t skip = index << tq->qp->log_pmtu;

	run->first_opcode = run->last_opcode = PKT_RC_READ_REQUEST;
	run->reth = (struct pkt_reth){.va = wqe->rdma_wr.remote_addr + skip,
				      .rkey = wqe->rdma_wr.rkey,
				      .dma_bytes = wqe->length - skip};
	run->ack_req = true;
}

static void fill_atomic(const struct rvt_swqe *wqe, struct tp_run *run)
{
	const struct ib_atomic_wr *wr = &wqe->atomic_wr;
	const bool swap = wr->wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP;

	run->first_opcode = run->last_opcode = request_of(wqe)->only;
	run->atomiceth = (struct pkt_atomiceth){.va = wr->remote_addr,
						.rkey = wr->rkey,
						.swap_add = swap ? wr->swap : wr->compare_add,
						.compare = swap ? wr->compare_add : 0};
	run->ack_req = true;
}

/* Bytes as those of a WRITE, which go with a RETH; answered as an atomic. */
static void fill_atomic_write(const struct rvt_swqe *wqe, struct tp_run *run)
{
	const struct tp_swqe *ts = tp_swqe(wqe);

	run->first_opcode = run->last_opcode = PKT_RC_ATOMIC_WRITE;
	run->reth = (struct pkt_reth){.va = wqe->rdma_wr.remote_addr,
				      .rkey = wqe->rdma_wr.rkey,
				      .dma_bytes = wqe->length};
	run->payload.iov = ts->iov;
	run->payload.count = ts->count;
	run->payload.offset = ts->offset;
	run->payload.bytes = wqe->length;
	run->ack_req = true;
}

/* No bytes, neither of the request nor of its answer. */
static void fill_flush(const struct rvt_swqe *wqe, struct tp_run *run)
{
	const struct rvt_flush_wr *wr = &wqe->flush_wr;

	run->first_opcode = run->last_opcode = PKT_RC_FLUSH;
	run->feth = (struct pkt_feth){.placement = wr->type, .selectivity = wr->level};
	run->reth =
		(struct pkt_reth){.va = wr->remote_addr, .rkey = wr->rkey, .dma_bytes = wr->length};
	run->ack_req = true;
}

/* [rcp 8.1]: what a request waits for before it begins, once more when it begins again. */
static bool may_begin(struct rvt_qp *qp, const struct rvt_swqe *wqe)
{
	if (unlikely((wqe->wr.send_flags & IB_SEND_FENCE) && qp->s_num_rd_atomic)) {
		qp->s_flags |= RVT_S_WAIT_FENCE;
		return false;
	}
	if (request_of(wqe)->is_read_or_atomic && qp->s_num_rd_atomic >= qp->s_max_rd_atomic) {
		qp->s_flags |= RVT_S_WAIT_RDMAR;
		return false;
	}
	return true;
}

bool rc_req_fits_circle(const struct rvt_qp *qp, const struct rvt_swqe *wqe)
{
	return tp_ahead(qp, psn(wqe->psn)) + ((wqe->lpsn - wqe->psn) & PKT_PSN_MASK) <=
	       WINDOW_PACKETS;
}

/* And before it begins for the first time: state, room on the circle, credit [rcp 6]. */
static bool may_begin_anew(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	if (!tp_qp_may(qp, RVT_PROCESS_NEXT_SEND_OK))
		return false;
	if (unlikely(!rc_req_fits_circle(qp, wqe))) {
		qp->s_flags |= RVT_S_WAIT_PSN;
		return false;
	}
	if (!may_begin(qp, wqe))
		return false;
	if (request_of(wqe)->needs_credit)
		return rvt_rc_credit_avail(qp, wqe);
	if (!(qp->s_flags & RVT_S_UNLIMITED_CREDIT))
		qp->s_lsn = (qp->s_lsn + 1) & PKT_PSN_MASK; /* the peer's MSN moves, too */
	return true;
}

/* Book what the wire has taken: position, retransmission mark, timer [rcp 7]. */
static void advance(struct tp_qp *tq, const struct rvt_swqe *wqe, const struct tp_run *run,
		    uint32_t taken)
{
	struct rvt_qp *qp = tq->qp;
	const bool response = request_of(wqe)->is_read_or_atomic;

	if (qp->s_tail == qp->s_cur) {
		qp->s_tail = rvt_qp_swqe_incr(qp, qp->s_cur);
		tp_direct_missed(tq, wqe);
	}
	if (response) {
		qp->s_num_rd_atomic++;
		qp->s_psn = (wqe->lpsn + 1) & PKT_PSN_MASK;
	} else {
		qp->s_psn = (qp->s_psn + taken) & PKT_PSN_MASK;
	}
	if (tp_ahead(qp, psn(qp->s_psn)) > tp_ahead(qp, tq->sent_psn))
		tq->sent_psn = psn(qp->s_psn);
	if (qp->s_psn == ((wqe->lpsn + 1) & PKT_PSN_MASK))
		qp->s_cur = rvt_qp_swqe_incr(qp, qp->s_cur);
	if (qp->s_flags & RVT_S_SEND_ONE) {
		qp->s_flags &= ~(u32)RVT_S_SEND_ONE;
		qp->s_flags |= RVT_S_WAIT_ACK;
	}
	if (run->ack_req && taken == run->packets && !(qp->s_flags & RVT_S_TIMER))
		rvt_add_retry_timer(qp);
}

void rc_req_fill(struct tp_qp *tq, const struct rvt_swqe *wqe, struct tp_run *run)
{
	struct rvt_qp *qp = tq->qp;
	const uint32_t index = (qp->s_psn - wqe->psn) & PKT_PSN_MASK;
	const bool one = (qp->s_flags & RVT_S_SEND_ONE) != 0;

	tp_run_begin(tq, run);
	run->psn = psn(qp->s_psn);
	if (wqe->wr.opcode == IB_WR_RDMA_READ)
		fill_read(tq, wqe, index, run);
	else if (wqe->wr.opcode == IB_WR_ATOMIC_WRITE)
		fill_atomic_write(wqe, run);
	else if (wqe->wr.opcode == IB_WR_FLUSH)
		fill_flush(wqe, run);
	else if (request_of(wqe)->is_read_or_atomic)
		fill_atomic(wqe, run);
	else
		tp_fill_data(tq, wqe, index, one ? 1 : UINT32_MAX, run);
	run->ack_req |= one; /* [rcp 8.8] */
}

static bool send_one_run(struct tp_qp *tq, const struct rvt_swqe *wqe)
{
	struct tp_run run;
	int taken;

	rc_req_fill(tq, wqe, &run);
	taken = tp_hand_over(tq, &run);
	if (unlikely(taken == -EAGAIN))
		return false;
	if (unlikely(taken == -EFAULT)) {
		tp_source_is_gone(tq);
		return false;
	}
	tq->wire_requests = tq->wire_taken;
	/* What the wire cannot send is as good as lost: the timer brings it back. */
	advance(tq, wqe, &run, taken < 0 ? run.packets : (uint32_t)taken);
	return true;
}

bool rc_req_send(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;
	bool any = false;

	while (!(qp->s_flags & RVT_S_ANY_WAIT) && qp->s_cur != smp_load_acquire(&qp->s_head)) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_cur);

		if (unlikely(tp_wqe_is_local(tq, wqe)))
			break;
		if (qp->s_cur == qp->s_tail) {
			if (tp_direct_is_due(tq, wqe) || tp_direct_waits(tq, wqe) ||
			    !may_begin_anew(qp, wqe))
				break;
			qp->s_psn = wqe->psn;
		} else if (unlikely(qp->s_psn == wqe->psn) && !may_begin(qp, wqe)) {
			break;
		}
		if (!send_one_run(tq, wqe))
			break;
		any = true;
	}
	return any;
}

/* [rcp 8.11] */
void rc_req_restart(struct tp_qp *tq, psn_t from)
{
	struct rvt_qp *qp = tq->qp;
	const uint32_t at = tp_ahead(qp, from);
	uint8_t outstanding = 0;
	u32 n;

	for (n = qp->s_acked; n != qp->s_tail; n = rvt_qp_swqe_incr(qp, n)) {
		const struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, n);

		if (at <= tp_ahead(qp, psn(wqe->lpsn)))
			break;
		outstanding += request_of(wqe)->is_read_or_atomic;
	}
	if (tp_ahead(qp, psn(qp->s_psn)) > at)
		rvt_count(&rvt_to_iport(qp)->n_rc_resends, tp_ahead(qp, psn(qp->s_psn)) - at);
	if (tq->source_gone) {
		tq->source_gone = false;
		qp->s_flags &= ~(u32)RVT_S_WAIT_KMEM;
	}
	qp->s_cur = n;
	qp->s_psn = from.v;
	qp->s_num_rd_atomic = outstanding;
	/* What a later request waited for must not hold up this one: it is asked for anew. */
	qp->s_flags &= ~(u32)(RVT_S_WAIT_FENCE | RVT_S_WAIT_RDMAR | RVT_S_WAIT_SSN_CREDIT |
			      RVT_S_WAIT_PSN | RVT_S_WAIT_ACK);
}
