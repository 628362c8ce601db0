// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * One request of the loopback engine: what a responder does with it [rcp 9, rcp 11], in one step.
 * Statuses of both sides: docs/design/loopback.md.
 */
#include <linux/bitops.h>

#include "base/umem.h"
#include "rdmavt/loopback.h"
#include "rdmavt/mr.h"

static bool is_rc(const struct rvt_loop *l)
{
	return l->qp->ibqp.qp_type == IB_QPT_RC;
}

/* l->why for a row of causes.h, found by the responder. */
#define BLAME(l, name, ...)              \
	((l)->why = (struct base_cause){ \
		 .id = BASE_CAUSE_##name, .side = BASE_SIDE_RESPONDER, .arg = {__VA_ARGS__}})

/* The responder goes to ERR; @err is for the receive that is being filled, if there is one. */
static void fail_responder(struct rvt_loop *l, enum ib_wc_status err) REQUIRES(l->qp->r_lock)
{
	struct rvt_qp *qp = l->qp;
	struct base_cause why = l->why;
	int last_wqe;

	why.qpn = qp->ibqp.qp_num;
	why.status = (u8)err;
	spin_lock(&qp->s_lock);
	rvt_qp_blame(qp, &why);
	last_wqe = rvt_error_qp(qp, err);
	spin_unlock(&qp->s_lock);
	if (last_wqe)
		rvt_qp_event_later(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

/* A fatal NAK of RC: both sides fail [rcp 10]. UC drops the message and nobody hears of it. */
static enum rvt_loop_outcome refuse(struct rvt_loop *l, enum ib_wc_status requester,
				    enum ib_wc_status responder) REQUIRES(l->qp->r_lock)
{
	if (!is_rc(l)) {
		rvt_loop_lost(l, 1);
		return RVT_LOOP_DONE;
	}
	fail_responder(l, responder);
	l->status = requester;
	return RVT_LOOP_FAILED;
}

static enum rvt_loop_outcome fail_requester(struct rvt_loop *l)
{
	l->why =
		(struct base_cause){.id = BASE_CAUSE_LOOP_LOCAL_FAULT, .side = BASE_SIDE_REQUESTER};
	l->status = IB_WC_LOC_PROT_ERR;
	return RVT_LOOP_FAILED;
}

static void source_of(struct rvt_sge_state *ss, const struct rvt_swqe *wqe)
{
	ss->sge = wqe->sg_list[0];
	ss->sg_list = (struct rvt_sge *)(uintptr_t)(wqe->sg_list + 1);
	ss->num_sge = (u8)wqe->wr.num_sge;
	ss->total_len = wqe->length;
}

static inline bool in_one_piece(const struct rvt_sge_state *ss, u32 length)
{
	return ss->sge.length >= length && ss->sge.sge_length >= length;
}

/* Copy the request's bytes to @to, whose references stay. 0 or -EFAULT. */
static inline int copy_out(const struct rvt_sge_state *to, const struct rvt_swqe *wqe)
{
	struct rvt_sge_state from, at;

	if (!wqe->length)
		return 0;
	if (likely(wqe->wr.num_sge == 1 && wqe->sg_list[0].length >= wqe->length &&
		   in_one_piece(to, wqe->length)))
		return base_umem_copy(to->sge.vaddr, wqe->sg_list[0].vaddr, wqe->length);
	source_of(&from, wqe);
	at = *to;
	return rvt_copy_between(&at, &from, wqe->length);
}

/* After copy_out() has failed: whether it was the requester's memory. */
static bool requester_faulted(const struct rvt_swqe *wqe)
{
	struct rvt_sge_state from;

	source_of(&from, wqe);
	return !rvt_can_read(&from, wqe->length);
}

/* Receives */

/*
 * A receive for the message: 1, 0 or -1 as rvt_get_rwqe(). UC takes again what the message before
 * could not use [rcp 11].
 */
static int take_receive(struct rvt_loop *l, bool wr_id_only)
{
	struct rvt_qp *qp = l->qp;

	if (unlikely(qp->r_aflags & BIT(RVT_R_REWIND_SGE))) {
		qp->r_aflags &= ~BIT(RVT_R_REWIND_SGE);
		if (wr_id_only)
			rvt_put_ss(&qp->s_rdma_read_sge);
		else
			qp->r_sge = qp->s_rdma_read_sge;
		return 1;
	}
	return rvt_qp_take_receive(qp, wr_id_only, &l->limit_reached, &l->why);
}

/* Keep the receive that was taken for the next message. */
static void rewind_receive(struct rvt_qp *qp)
{
	qp->s_rdma_read_sge = qp->r_sge;
	qp->r_sge.num_sge = 0;
	qp->r_aflags |= BIT(RVT_R_REWIND_SGE);
}

static enum rvt_loop_outcome no_receive(struct rvt_loop *l)
{
	if (!is_rc(l)) {
		BLAME(l, LOOP_NO_RECEIVE, l->remote_qpn);
		rvt_loop_lost(l, 1);
		return RVT_LOOP_DONE;
	}
	l->rnr_timer = l->qp->r_min_rnr_timer;
	return RVT_LOOP_NO_RECEIVE;
}

/* The receive had a bad SGE and has completed: the QP cannot go on, UC's neither. */
static enum rvt_loop_outcome bad_receive(struct rvt_loop *l) REQUIRES(l->qp->r_lock)
{
	fail_responder(l, IB_WC_LOC_QP_OP_ERR);
	if (!is_rc(l))
		return RVT_LOOP_DONE;
	BLAME(l, LOOP_RECEIVE_BAD);
	l->status = IB_WC_REM_OP_ERR;
	return RVT_LOOP_FAILED;
}

/* The message was delivered but cannot be reported: no acknowledgement leaves [rcp 10]. */
static enum rvt_loop_outcome receive_cq_full(struct rvt_loop *l) REQUIRES(l->qp->r_lock)
{
	struct rvt_qp *qp = l->qp;

	spin_lock(&qp->s_lock);
	rvt_qp_cq_full(qp, qp->ibqp.recv_cq);
	spin_unlock(&qp->s_lock);
	if (!is_rc(l))
		return RVT_LOOP_DONE;
	BLAME(l, LOOP_RECEIVE_CQ_FULL, (u32)READ_ONCE(qp->ibqp.recv_cq->cqe));
	l->status = IB_WC_RETRY_EXC_ERR;
	return RVT_LOOP_FAILED;
}

static inline enum rvt_loop_outcome complete_receive(struct rvt_loop *l, const struct rvt_swqe *wqe,
						     enum ib_wc_opcode opcode)
	REQUIRES(l->qp->r_lock)
{
	struct rvt_qp *qp = l->qp;
	struct ib_wc *wc = &l->wc;

	qp->r_aflags &= ~BIT(RVT_R_WRID_VALID);
	wc->wr_id = qp->r_wr_id;
	wc->opcode = opcode;
	wc->byte_len = wqe->length;
	if (likely(rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.recv_cq), wc,
				wqe->wr.send_flags & IB_SEND_SOLICITED)))
		return RVT_LOOP_DONE;
	return receive_cq_full(l);
}

/* SEND */

static enum rvt_loop_outcome too_long(struct rvt_loop *l, const struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock)
{
	BLAME(l, LOOP_TOO_LONG, wqe->length, l->qp->r_len);
	if (!is_rc(l))
		rewind_receive(l->qp);
	return refuse(l, IB_WC_REM_INV_REQ_ERR, IB_WC_LOC_LEN_ERR);
}

/* The message could not be put into the receive. */
static enum rvt_loop_outcome send_fault(struct rvt_loop *l, const struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock)
{
	if (requester_faulted(wqe)) {
		/* As when a message breaks off: the receive stays with the QP. */
		if (is_rc(l))
			rvt_put_ss(&l->qp->r_sge);
		else
			rewind_receive(l->qp);
		return fail_requester(l);
	}
	BLAME(l, LOOP_RECEIVE_FAULT);
	fail_responder(l, IB_WC_LOC_PROT_ERR);
	if (!is_rc(l))
		return RVT_LOOP_DONE;
	l->status = IB_WC_REM_OP_ERR;
	return RVT_LOOP_FAILED;
}

/* A SEND with invalidate names what it may not: the responder's own error, no NAK [rcp 9.8]. */
static enum rvt_loop_outcome bad_invalidate(struct rvt_loop *l) REQUIRES(l->qp->r_lock)
{
	fail_responder(l, IB_WC_REM_INV_REQ_ERR);
	return RVT_LOOP_DONE;
}

static enum rvt_loop_outcome execute_send(struct rvt_loop *l, struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock)
{
	struct rvt_qp *qp = l->qp;
	const int taken = take_receive(l, false);

	if (unlikely(taken <= 0))
		return taken ? bad_receive(l) : no_receive(l);
	if (unlikely(wqe->length > qp->r_len))
		return too_long(l, wqe);
	if (unlikely(copy_out(&qp->r_sge, wqe)))
		return send_fault(l, wqe);
	rvt_put_ss(&qp->r_sge);
	l->wc.wc_flags = 0;
	if (unlikely(wqe->wr.opcode == IB_WR_SEND_WITH_IMM)) {
		l->wc.wc_flags = IB_WC_WITH_IMM;
		l->wc.ex.imm_data = wqe->wr.ex.imm_data;
	} else if (unlikely(wqe->wr.opcode == IB_WR_SEND_WITH_INV)) {
		if (rvt_remote_invalidate(qp, wqe->wr.ex.invalidate_rkey, &l->why))
			return bad_invalidate(l);
		l->wc.wc_flags = IB_WC_WITH_INVALIDATE;
		l->wc.ex.invalidate_rkey = wqe->wr.ex.invalidate_rkey;
	}
	return complete_receive(l, wqe, IB_WC_RECV);
}

/* RDMA and atomic operations */

/* Whether the responder's QP gives its peer all of these rights; if not, why. */
static bool allowed(struct rvt_loop *l, const struct rvt_swqe *wqe, int right)
{
	if (likely((rvt_qp_access(l->qp) & right) == right))
		return true;
	BLAME(l, LOOP_NO_RIGHT, wqe->wr.opcode, (u32)rvt_qp_access(l->qp));
	return false;
}

/* READs and atomics need a place for their answer, too. */
static bool allowed_with_answer(struct rvt_loop *l, const struct rvt_swqe *wqe, int right)
{
	if (!allowed(l, wqe, right))
		return false;
	if (likely(l->qp->r_max_rd_atomic))
		return true;
	BLAME(l, LOOP_NO_DEPTH, wqe->wr.opcode);
	return false;
}

/* Both sides' causes name what a NAK on a wire would say. */
static enum rvt_loop_outcome invalid_request(struct rvt_loop *l) REQUIRES(l->qp->r_lock)
{
	return refuse(l, IB_WC_REM_INV_REQ_ERR, IB_WC_REM_INV_REQ_ERR);
}

static enum rvt_loop_outcome access_error(struct rvt_loop *l) REQUIRES(l->qp->r_lock)
{
	return refuse(l, IB_WC_REM_ACCESS_ERR, IB_WC_REM_ACCESS_ERR);
}

/*
 * The responder's memory that the request names, to be left when its bytes are moved; empty messages
 * name none.
 */
static inline bool find_remote(struct rvt_loop *l, struct rvt_sge_state *ss, u32 bytes, u64 addr,
			       u32 rkey, int right)
{
	if (!bytes) {
		*ss = (struct rvt_sge_state){.num_sge = 0};
		return true;
	}
	ss->num_sge = 0;
	ss->sg_list = NULL;
	ss->total_len = bytes;
	if (unlikely(!rvt_rkey_check(l->qp, &ss->sge, bytes, addr, rkey, right, &l->why)))
		return false;
	ss->num_sge = 1;
	if (likely(rvt_rkey_enter(l->qp, rkey, &l->why)))
		return true;
	rvt_put_ss(ss);
	return false;
}

static inline void leave_remote(const struct rvt_loop *l, struct rvt_sge_state *ss, u32 rkey)
{
	if (likely(ss->num_sge))
		rvt_rkey_leave(l->qp, rkey);
	rvt_put_ss(ss);
}

static enum rvt_loop_outcome execute_write(struct rvt_loop *l, struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock)
{
	const bool with_imm = wqe->wr.opcode == IB_WR_RDMA_WRITE_WITH_IMM;
	struct rvt_sge_state to;
	int taken, ret;

	if (!allowed(l, wqe, IB_ACCESS_REMOTE_WRITE))
		return invalid_request(l);
	if (!find_remote(l, &to, wqe->length, wqe->rdma_wr.remote_addr, wqe->rdma_wr.rkey,
			 IB_ACCESS_REMOTE_WRITE))
		return access_error(l);
	if (with_imm) {
		taken = take_receive(l, true);
		if (unlikely(taken <= 0)) {
			leave_remote(l, &to, wqe->rdma_wr.rkey);
			return no_receive(l);
		}
	}
	ret = copy_out(&to, wqe);
	leave_remote(l, &to, wqe->rdma_wr.rkey);
	if (unlikely(ret)) {
		if (requester_faulted(wqe))
			return fail_requester(l);
		BLAME(l, LOOP_REMOTE_FAULT, wqe->rdma_wr.rkey);
		return access_error(l);
	}
	if (!with_imm)
		return RVT_LOOP_DONE;
	l->wc.wc_flags = IB_WC_WITH_IMM;
	l->wc.ex.imm_data = wqe->wr.ex.imm_data;
	return complete_receive(l, wqe, IB_WC_RECV_RDMA_WITH_IMM);
}

/* Bytes from the responder into the request's SGEs. 0 or -EFAULT. */
static int copy_in(const struct rvt_swqe *wqe, const struct rvt_sge_state *from, u32 bytes)
{
	struct rvt_sge_state to, at = *from;

	source_of(&to, wqe);
	return rvt_copy_between(&to, &at, bytes);
}

static enum rvt_loop_outcome execute_read(struct rvt_loop *l, struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock)
{
	struct rvt_sge_state from, probe;
	bool its_fault = false;
	int ret;

	if (!allowed_with_answer(l, wqe, IB_ACCESS_REMOTE_READ))
		return invalid_request(l);
	if (!find_remote(l, &from, wqe->length, wqe->rdma_wr.remote_addr, wqe->rdma_wr.rkey,
			 IB_ACCESS_REMOTE_READ))
		return access_error(l);
	ret = copy_in(wqe, &from, wqe->length);
	if (unlikely(ret)) {
		probe = from;
		its_fault = !rvt_can_read(&probe, wqe->length);
	}
	leave_remote(l, &from, wqe->rdma_wr.rkey);
	if (likely(!ret))
		return RVT_LOOP_DONE;
	if (!its_fault)
		return fail_requester(l);
	BLAME(l, LOOP_REMOTE_FAULT, wqe->rdma_wr.rkey);
	return access_error(l);
}

static enum rvt_loop_outcome execute_atomic(struct rvt_loop *l, struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock)
{
	const struct ib_atomic_wr *wr = &wqe->atomic_wr;
	struct rvt_sge_state word, result;
	struct rvt_mregion answer_is_no_region = {.all_memory = true};
	uint64_t original = 0;
	int ret;

	if (!allowed_with_answer(l, wqe, IB_ACCESS_REMOTE_ATOMIC))
		return invalid_request(l);
	if (wr->remote_addr % sizeof(u64)) {
		BLAME(l, LOOP_ATOMIC_ALIGN, wr->remote_addr);
		return invalid_request(l);
	}
	if (!find_remote(l, &word, sizeof(u64), wr->remote_addr, wr->rkey, IB_ACCESS_REMOTE_ATOMIC))
		return access_error(l);
	if (wqe->wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP)
		ret = base_umem_cmp_swap(word.sge.vaddr, wr->compare_add, wr->swap, &original);
	else
		ret = base_umem_fetch_add(word.sge.vaddr, wr->compare_add, &original);
	leave_remote(l, &word, wr->rkey);
	if (unlikely(ret)) {
		BLAME(l, LOOP_REMOTE_FAULT, wr->rkey);
		return access_error(l);
	}
	result = (struct rvt_sge_state){.sge = {.mr = &answer_is_no_region,
						.vaddr = &original,
						.sge_length = sizeof(original),
						.length = sizeof(original)},
					.num_sge = 1};
	return unlikely(copy_in(wqe, &result, sizeof(original))) ? fail_requester(l)
								 : RVT_LOOP_DONE;
}

static enum rvt_loop_outcome execute_atomic_write(struct rvt_loop *l, struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock)
{
	const struct ib_rdma_wr *wr = &wqe->rdma_wr;
	struct rvt_mregion value_is_no_region = {.all_memory = true};
	struct rvt_sge_state word;
	uint64_t value = 0;
	const struct rvt_sge_state to = {.sge = {.mr = &value_is_no_region,
						 .vaddr = &value,
						 .sge_length = sizeof(value),
						 .length = sizeof(value)},
					 .num_sge = 1};
	int ret;

	if (!allowed_with_answer(l, wqe, IB_ACCESS_REMOTE_WRITE))
		return invalid_request(l);
	if (wr->remote_addr % sizeof(u64) || wqe->length != sizeof(u64)) {
		BLAME(l, LOOP_ATOMIC_ALIGN, wr->remote_addr);
		return invalid_request(l);
	}
	if (!find_remote(l, &word, sizeof(u64), wr->remote_addr, wr->rkey, IB_ACCESS_REMOTE_WRITE))
		return access_error(l);
	ret = copy_out(&to, wqe);
	if (likely(!ret) && (uintptr_t)word.sge.vaddr % sizeof(u64) == 0) {
		ret = base_umem_store(word.sge.vaddr, value);
		leave_remote(l, &word, wr->rkey);
		if (likely(!ret))
			return RVT_LOOP_DONE;
	} else {
		leave_remote(l, &word, wr->rkey);
		if (ret)
			return fail_requester(l);
	}
	BLAME(l, LOOP_REMOTE_FAULT, wr->rkey);
	return access_error(l);
}

/* All requests before it have been executed: their bytes are where the flush looks for them. */
static enum rvt_loop_outcome execute_flush(struct rvt_loop *l, const struct rvt_swqe *wqe)
	REQUIRES(l->qp->r_lock)
{
	const struct rvt_flush_wr *wr = &wqe->flush_wr;
	const struct rvt_flush flush = {.addr = wr->remote_addr,
					.bytes = wr->length,
					.rkey = wr->rkey,
					.type = wr->type,
					.level = wr->level};

	if (!allowed_with_answer(l, wqe, rvt_flush_rights(&flush)))
		return invalid_request(l);
	if (!rvt_flush_check(l->qp, &flush, &l->why))
		return access_error(l);
	if (likely(!rvt_flush(l->qp, &flush)))
		return RVT_LOOP_DONE;
	BLAME(l, LOOP_REMOTE_FAULT, wr->rkey);
	return access_error(l);
}

enum rvt_loop_outcome rvt_loop_execute(struct rvt_loop *l, struct rvt_swqe *wqe)
{
	/* Drivers may have operations of their own, so this is a number. */
	switch ((int)wqe->wr.opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		return execute_send(l, wqe);
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return execute_write(l, wqe);
	case IB_WR_RDMA_READ:
		return execute_read(l, wqe);
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return execute_atomic(l, wqe);
	case IB_WR_ATOMIC_WRITE:
		return execute_atomic_write(l, wqe);
	case IB_WR_FLUSH:
		return execute_flush(l, wqe);
	case IB_WR_LOCAL_INV:
	case IB_WR_REG_MR:
	case IB_WR_BIND_MW:
	case RVT_WR_REFUSED:
		return wqe->wr.send_flags & RVT_SEND_COMPLETION_ONLY ? RVT_LOOP_DONE
								     : RVT_LOOP_LOCAL;
	default:
		l->why = (struct base_cause){.id = BASE_CAUSE_POST_OPCODE,
					     .side = BASE_SIDE_REQUESTER,
					     .arg = {wqe->wr.opcode}};
		l->status = IB_WC_LOC_QP_OP_ERR;
		return RVT_LOOP_FAILED;
	}
}

bool rvt_loop_complete(struct rvt_loop *l, struct rvt_swqe *wqe, enum ib_wc_opcode opcode)
{
	struct rvt_qp *sqp = l->sqp;
	const int flags = wqe->wr.send_flags;
	const bool wanted = (sqp->signal_all || (flags & IB_SEND_SIGNALED)) &&
			    !(flags & RVT_SEND_RESERVE_USED);
	struct ib_wc wc;

	if (likely(wanted)) {
		memset(&wc, 0, sizeof(wc));
		wc.wr_id = wqe->wr.wr_id;
		wc.opcode = opcode;
		wc.byte_len = wqe->length;
		wc.qp = &sqp->ibqp;
	}
	rvt_qp_wqe_unreserve(sqp, flags);
	rvt_put_swqe(wqe);
	/* From here on a poster may fill the slot anew. */
	smp_store_release(&sqp->s_last, rvt_qp_swqe_incr(sqp, sqp->s_last));
	if (unlikely(sqp->s_ring))
		rvt_qp_ring_completed(sqp);
	return !wanted || rvt_cq_enter(ibcq_to_rvtcq(sqp->ibqp.send_cq), &wc, false);
}
