// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Messages of the simplest kind, on their way into the send queue and out of the receive queue
 * (docs/design/express.md). Nothing is refused here: whatever is not as it should be is left, untouched, to
 * the general code.
 */
#include "rdmavt/express.h"

#include <rdma/rdmavt_express.h>

#include "base/umem.h"
#include "rdmavt/mr.h"
#include "rdmavt/qp_priv.h"
#include "rdmavt/ring.h"

/* The bytes of a region are copied now, as inline data is: the slot holds no reference. */
static bool take_bytes(struct rvt_qp *qp, const struct rvt_simple_send *send, u8 *room)
{
	const void *from;

	if (send->inlined) {
		memcpy(room, send->inlined, send->sge.length);
		return true;
	}
	from = rvt_lkey_look(&ib_to_rvt(qp->ibqp.device)->lkey_table, ibpd_to_rvtpd(qp->ibqp.pd),
			     &send->sge, 0);
	return from && !base_umem_copy(room, from, send->sge.length);
}

bool rvt_express_fill(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	struct rvt_ring *ring = qp->s_ring;
	struct rvt_simple_send send;
	u32 bytes;
	u8 *room;

	if (!ring->ops->peek_simple || !ring->ops->peek_simple(ring, &send))
		return false;
	bytes = send.sge.length;
	if (!bytes || bytes > qp->s_inline_bytes || bytes > qp->pmtu)
		return false;
	room = qp->s_inline + (size_t)qp->s_head * qp->s_inline_bytes;
	if (unlikely(!take_bytes(qp, &send, room)))
		return false;
	wqe->wr.next = NULL;
	wqe->wr.wr_id = send.wr_id;
	wqe->wr.num_sge = 1;
	wqe->wr.opcode = send.opcode;
	wqe->wr.send_flags = send.send_flags | IB_SEND_INLINE;
	wqe->wr.ex.imm_data = send.imm_data;
	wqe->sg_list[0] = (struct rvt_sge){.mr = ib_to_rvt(qp->ibqp.device)->lkey_table.all_memory,
					   .vaddr = room,
					   .sge_length = bytes,
					   .length = bytes};
	wqe->length = bytes;
	wqe->ssn = qp->s_ssn;
	wqe->psn = wqe->lpsn = qp->s_next_psn;
	return true;
}

/* The ring's consumer side is ours. */
static bool receive_into(struct rvt_qp *qp, const struct rvt_rq *rq, struct ib_pd *pd,
			 const void *bytes, u32 count)
{
	struct rvt_ring *ring = rq->ring;
	const struct rvt_rwqe *wqe;
	struct ib_sge sge;
	void *to;

	if (unlikely(!ring))
		return false;
	wqe = ring->ops->peek(ring);
	if (unlikely(!wqe || wqe->num_sge != 1))
		return false;
	sge = (struct ib_sge){.addr = wqe->sg_list[0].addr,
			      .length = wqe->sg_list[0].length,
			      .lkey = wqe->sg_list[0].lkey};
	if (unlikely(sge.length < count))
		return false;
	to = rvt_lkey_look(&ib_to_rvt(qp->ibqp.device)->lkey_table, ibpd_to_rvtpd(pd), &sge,
			   IB_ACCESS_LOCAL_WRITE);
	if (unlikely(!to || base_umem_copy(to, bytes, count)))
		return false;
	qp->r_wr_id = wqe->wr_id;
	ring->ops->consume(ring);
	return true;
}

bool rvt_express_receive(struct rvt_qp *qp, const void *bytes, u32 count)
{
	struct rvt_srq *srq;
	bool taken;

	if (likely(!qp->ibqp.srq))
		return receive_into(qp, &qp->r_rq, qp->ibqp.pd, bytes, count);
	srq = ibsrq_to_rvtsrq(qp->ibqp.srq);
	spin_lock(&srq->rq.kwq->c_lock);
	taken = !srq->limit && receive_into(qp, &srq->rq, srq->ibsrq.pd, bytes, count);
	spin_unlock(&srq->rq.kwq->c_lock);
	return taken;
}
