// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * rvt_post_send(): from a work request to an entry of the send queue.
 *
 * s_hlock makes posters take turns. An entry is filled in place and becomes visible to the engine
 * by the store of s_head. Keys are checked here, and the entry holds a reference on each region
 * until it completes. Inline data is copied into the slot's own room.
 */
#include <linux/rcupdate.h>

#include "base/umem.h"
#include "packet/psn.h"
#include "rdmavt/express.h"
#include "rdmavt/mr.h"
#include "rdmavt/qp_priv.h"
#include "rdmavt/ring.h"

static inline bool is_connected(const struct rvt_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_RC || qp->ibqp.qp_type == IB_QPT_UC;
}

#define refuse(err, qp, wr, name, ...) \
	base_refuse_wr((err), (qp)->ibqp.qp_num, (wr)->wr_id, (u32)(wr)->opcode, name, __VA_ARGS__)

/* What a responder would not understand, and data, which a flush has none of. */
static int check_flush(const struct rvt_qp *qp, const struct rvt_flush_wr *flush)
{
	const u8 known = IB_FLUSH_GLOBAL | IB_FLUSH_PERSISTENT;

	if (likely(flush->type && !(flush->type & ~known) && flush->level <= IB_FLUSH_MR &&
		   !flush->wr.num_sge))
		return 0;
	return refuse(-EINVAL, qp, &flush->wr, POST_FLUSH, flush->type, flush->level,
		      (u32)flush->wr.num_sge);
}

/* The rules that an operation's row of the post table sets. */
static int check_operation(const struct rvt_qp *qp, const struct rvt_operation_params *op,
			   const struct ib_send_wr *wr)
{
	const struct ib_sge *sge = wr->sg_list;

	if ((op->flags & RVT_OPERATION_PRIV) && ibpd_to_rvtpd(qp->ibqp.pd)->user)
		return refuse(-EINVAL, qp, wr, POST_PRIVILEGED, wr->opcode);
	if ((op->flags & RVT_OPERATION_ATOMIC_SGE) &&
	    (wr->num_sge < 1 || sge->length < sizeof(u64) ||
	     (sge->addr % sizeof(u64) && !qp->s_ring))) /* librxe's programs need not align it */
		return refuse(-EINVAL, qp, wr, POST_ATOMIC_SGE, (u32)wr->num_sge,
			      wr->num_sge > 0 ? sge->addr : 0, wr->num_sge > 0 ? sge->length : 0);
	if ((op->flags & RVT_OPERATION_ATOMIC) && !qp->s_max_rd_atomic)
		return refuse(-EINVAL, qp, wr, POST_NO_READS, wr->opcode);
	if (wr->opcode == IB_WR_FLUSH)
		return check_flush(qp, container_of(wr, struct rvt_flush_wr, wr));
	return 0;
}

/* Bytes of the request to copy into the entry. */
static inline int rvt_qp_valid_operation(struct rvt_qp *qp,
					 const struct rvt_operation_params *post_parms,
					 const struct ib_send_wr *wr)
{
	const struct rvt_operation_params *op = &post_parms[wr->opcode];
	int ret;

	if (unlikely((u32)wr->opcode >= RVT_OPERATION_MAX || !op->length))
		return refuse(-EINVAL, qp, wr, POST_OPCODE, wr->opcode);
	if (unlikely(!(op->qpt_support & BIT(qp->ibqp.qp_type))))
		return refuse(-EINVAL, qp, wr, POST_OPCODE_TYPE, wr->opcode, qp->ibqp.qp_type);
	if (unlikely(op->flags &
		     (RVT_OPERATION_PRIV | RVT_OPERATION_ATOMIC_SGE | RVT_OPERATION_ATOMIC))) {
		ret = check_operation(qp, op, wr);
		if (ret)
			return ret;
	}
	if (unlikely(!is_connected(qp))) {
		const struct ib_ah *ah = ud_wr(wr)->ah;

		if (!ah || ah->pd != qp->ibqp.pd)
			return refuse(-EINVAL, qp, wr, POST_AH);
		return sizeof(struct ib_ud_wr);
	}
	return (int)op->length;
}

static inline int rvt_qp_is_avail(struct rvt_qp *qp, struct rvt_dev_info *rdi, bool reserved_op)
{
	u32 last, used, reserved;

	if (unlikely(reserved_op)) {
		/* Those who reserve count themselves in s_reserved_used, under s_hlock. */
		used = (u32)atomic_read(&qp->s_reserved_used);
		return used < rdi->dparms.reserved_operations
			       ? 0
			       : base_refuse_qp(-ENOMEM, qp->ibqp.qp_num, POST_RESERVED_FULL, used);
	}
	if (likely(qp->s_avail))
		return 0;
	/* Acquire: the engine is done with the slots before s_last. */
	last = smp_load_acquire(&qp->s_last);
	reserved = rdi->dparms.reserved_operations - (u32)atomic_read(&qp->s_reserved_used);
	used = qp->s_head >= last ? qp->s_head - last : qp->s_head + qp->s_size - last;
	if (unlikely(used + 1 + reserved >= qp->s_size))
		return base_refuse_qp(-ENOMEM, qp->ibqp.qp_num, POST_SEND_FULL,
				      qp->s_size - 1 - rdi->dparms.reserved_operations);
	qp->s_avail = qp->s_size - 1 - reserved - used;
	return 0;
}

/*
 * Local operations are executed when they are posted, unless an earlier one waits in the queue,
 * IB_SEND_FENCE says so, or they come from a process's ring, where each must have its turn: then
 * the send engine does it. (The kernel's rdmavt lets IB_WR_REG_MR
 * overtake an invalidation that waits.)
 */
static bool must_wait(const struct rvt_qp *qp, const struct ib_send_wr *wr)
{
	return atomic_read(&qp->local_ops_pending) || qp->s_ring ||
	       (wr->opcode == IB_WR_LOCAL_INV && (wr->send_flags & IB_SEND_FENCE));
}

static int execute_local(struct rvt_qp *qp, const struct ib_send_wr *wr)
{
	const struct ib_reg_wr *reg = reg_wr(wr);

	if (wr->opcode == IB_WR_REG_MR)
		return rvt_fast_reg_mr(qp, reg->mr, reg->key, reg->access);
	if (wr->opcode == IB_WR_LOCAL_INV)
		return rvt_invalidate_rkey(qp, wr->ex.invalidate_rkey);
	if (wr->opcode == IB_WR_BIND_MW)
		return rvt_bind_mw(qp, rvt_bind_wr_of(wr));
	return refuse(-EINVAL, qp, wr, POST_OPCODE, wr->opcode);
}

static inline bool is_signalled(const struct rvt_qp *qp, const struct ib_send_wr *wr)
{
	return qp->signal_all || (wr->send_flags & IB_SEND_SIGNALED);
}

/* What a process has put into its ring is in memory of ours, which is there. */
static inline int fetch_inline(const struct rvt_qp *qp, void *to, const struct ib_sge *from)
{
	const void *bytes = (const void *)(uintptr_t)from->addr;

	if (!qp->s_ring)
		return base_umem_copy(to, bytes, from->length);
	memcpy(to, bytes, from->length);
	return 0;
}

/* Copy the bytes now: the program may do what it likes with them when the call has returned. */
static int take_inline(struct rvt_qp *qp, struct rvt_swqe *wqe, const struct ib_send_wr *wr)
{
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);
	u64 bytes;
	u8 *room;

	if (wr->opcode == IB_WR_RDMA_READ || wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	    wr->opcode == IB_WR_ATOMIC_FETCH_AND_ADD)
		return refuse(-EINVAL, qp, wr, POST_INLINE_OPCODE, wr->opcode);
	bytes = wr->num_sge ? wr->sg_list[0].length : 0;
	for (int i = 1; i < wr->num_sge; i++)
		bytes += wr->sg_list[i].length;
	if (unlikely(bytes > qp->s_inline_bytes))
		return refuse(-EINVAL, qp, wr, POST_INLINE_LENGTH, bytes, qp->s_inline_bytes);
	wqe->length = (u32)bytes;
	wqe->wr.num_sge = bytes ? 1 : 0;
	if (!bytes)
		return 0;
	room = qp->s_inline + (size_t)qp->s_head * qp->s_inline_bytes;
	wqe->sg_list[0] = (struct rvt_sge){.mr = rdi->lkey_table.all_memory,
					   .vaddr = room,
					   .sge_length = (u32)bytes,
					   .length = (u32)bytes};
	for (int i = 0; i < wr->num_sge; i++) {
		const struct ib_sge *sge = &wr->sg_list[i];

		if (unlikely(fetch_inline(qp, room, sge)))
			return refuse(-EFAULT, qp, wr, POST_INLINE_FAULT, sge->addr, sge->length);
		room += sge->length;
	}
	return 0;
}

/* rvt_lkey_check() does not know the request: complete the cause. */
static int refuse_key(const struct rvt_qp *qp, const struct ib_send_wr *wr, struct base_cause *why)
{
	why->side = BASE_SIDE_CALL;
	why->qpn = qp->ibqp.qp_num;
	why->has_wr = true;
	why->wr_id = wr->wr_id;
	why->wr_opcode = (u8)wr->opcode;
	base_cause_set_last(why);
	return -EINVAL;
}

/* What a request needs of the regions it names. Neither the flags nor SEND_WITH_INV write. */
static inline int access_needed(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_RDMA_READ || opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
			       opcode == IB_WR_ATOMIC_FETCH_AND_ADD
		       ? IB_ACCESS_LOCAL_WRITE
		       : 0;
}

/* Translate the SGEs, leaving out empty ones, into references on regions. */
static int take_sges(struct rvt_qp *qp, struct rvt_swqe *wqe, const struct ib_send_wr *wr)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(qp->ibqp.device)->lkey_table;
	struct rvt_pd *pd = ibpd_to_rvtpd(qp->ibqp.pd);
	const int access = access_needed(wr->opcode);
	struct rvt_sge *last = NULL, *next = wqe->sg_list;
	struct base_cause why;
	u64 bytes = 0;

	for (int i = 0; i < wr->num_sge; i++) {
		const u32 length = wr->sg_list[i].length;
		int ret;

		if (!length)
			continue;
		ret = rvt_lkey_check(rkt, pd, next, last, &wr->sg_list[i], access, &why);
		if (unlikely(ret < 0)) {
			wqe->wr.num_sge = (int)(next - wqe->sg_list);
			rvt_put_swqe(wqe);
			return refuse_key(qp, wr, &why);
		}
		if (ret)
			last = next++;
		bytes += length;
	}
	wqe->wr.num_sge = (int)(next - wqe->sg_list);
	wqe->length = (u32)bytes;
	if (unlikely(bytes > RVT_MAX_MESSAGE_BYTES)) {
		rvt_put_swqe(wqe);
		return refuse(-EINVAL, qp, wr, POST_LENGTH, bytes, RVT_MAX_MESSAGE_BYTES);
	}
	return 0;
}

/* log2 of the MTU of a request's packets. A datagram's address is copied into the entry. */
static u8 log_pmtu_of(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	struct rvt_ah *ah;

	if (likely(is_connected(qp)))
		return qp->log_pmtu;
	ah = ibah_to_rvtah(wqe->ud_wr.wr.ah);
	rdma_copy_ah_attr(wqe->ud_wr.attr, &ah->attr);
	return ah->log_pmtu;
}

/* The request as it was posted, without the flags that are our own. */
static inline void copy_request(struct rvt_swqe *wqe, const struct ib_send_wr *wr, size_t bytes)
{
	wqe->wr = *wr;
	if (bytes > sizeof(*wr))
		memcpy((char *)wqe + sizeof(*wr), (const char *)wr + sizeof(*wr),
		       bytes - sizeof(*wr));
	wqe->wr.next = NULL;
	wqe->wr.send_flags &= ~(RVT_SEND_COMPLETION_ONLY | RVT_SEND_RESERVE_USED);
	wqe->length = 0;
}

/* Fill the entry at s_head. On failure no reference is kept and no number is used up. */
static inline int fill_entry(struct rvt_qp *qp, struct rvt_swqe *wqe, const struct ib_send_wr *wr,
			     size_t bytes)
{
	u8 log_pmtu;
	int ret;

	copy_request(wqe, wr, bytes);
	if (wr->send_flags & IB_SEND_INLINE)
		ret = take_inline(qp, wqe, wr);
	else
		ret = take_sges(qp, wqe, wr);
	if (unlikely(ret))
		return ret;
	log_pmtu = log_pmtu_of(qp, wqe);
	wqe->ssn = qp->s_ssn;
	wqe->psn = qp->s_next_psn;
	wqe->lpsn = wqe->psn + (wqe->length ? (wqe->length - 1) >> log_pmtu : 0);
	return 0;
}

/* The entry is complete: it counts, and the engine sees it. */
static inline void publish_entry(struct rvt_qp *qp, struct rvt_swqe *wqe, bool local, bool reserved)
{
	const u32 next = qp->s_head + 1;

	qp->n_posted++;
	if (likely(!local)) {
		qp->s_ssn++;
		qp->s_next_psn = (wqe->lpsn + 1) & PKT_PSN_MASK;
	}
	if (unlikely(reserved)) {
		wqe->wr.send_flags |= RVT_SEND_RESERVE_USED;
		rvt_qp_wqe_reserve(qp, wqe);
	} else {
		qp->s_avail--;
	}
	smp_store_release(&qp->s_head, next < qp->s_size ? next : 0);
}

/* The driver's say. */
static inline int set_up(struct rvt_qp *qp, struct rvt_swqe *wqe, bool *call_send)
{
	const struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);
	int ret = 0;

	if (rdi->driver_f.setup_wqe)
		ret = rdi->driver_f.setup_wqe(qp, wqe, call_send);
	if (likely(ret >= 0))
		return 0;
	rvt_put_qp_swqe(qp, wqe);
	return ret; /* the driver has told why */
}

/* Execute a local operation or append it. */
static int post_local(struct rvt_qp *qp, const struct ib_send_wr *wr, size_t bytes, bool reserved)
	REQUIRES(qp->s_hlock)
{
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_head);
	const bool delayed = must_wait(qp, wr);
	int ret;

	if (!delayed && !is_signalled(qp, wr))
		return execute_local(qp, wr);
	/* The slot first: what has been executed must not be refused for want of one. */
	ret = rvt_qp_is_avail(qp, ib_to_rvt(qp->ibqp.device), reserved);
	if (!ret && !delayed)
		ret = execute_local(qp, wr);
	if (ret)
		return ret;
	copy_request(wqe, wr, bytes);
	wqe->wr.num_sge = 0;
	wqe->ssn = 0;
	wqe->psn = 0;
	wqe->lpsn = 0;
	if (delayed)
		atomic_inc(&qp->local_ops_pending);
	else
		wqe->wr.send_flags |= RVT_SEND_COMPLETION_ONLY;
	publish_entry(qp, wqe, true, reserved);
	return 0;
}

/* Append one request. *@call_send as setup_wqe leaves it. */
static int rvt_post_one_wr(struct rvt_qp *qp, const struct ib_send_wr *wr, bool *call_send)
	REQUIRES(qp->s_hlock)
{
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_head);
	bool reserved;
	int bytes, ret;
	u32 flags;

	if (unlikely((u32)wr->num_sge > qp->s_max_sge))
		return refuse(-EINVAL, qp, wr, POST_SGE_COUNT, (u32)wr->num_sge, qp->s_max_sge);
	if (unlikely(wr->num_sge && !wr->sg_list))
		return refuse(-EINVAL, qp, wr, POST_NO_SGES, (u32)wr->num_sge);
	bytes = rvt_qp_valid_operation(qp, rdi->post_parms, wr);
	if (unlikely(bytes < 0))
		return bytes;
	flags = rdi->post_parms[wr->opcode].flags;
	reserved = flags & RVT_OPERATION_USE_RESERVE;
	if (unlikely(flags & RVT_OPERATION_LOCAL))
		return post_local(qp, wr, (size_t)bytes, reserved);
	ret = rvt_qp_is_avail(qp, rdi, reserved);
	if (likely(!ret))
		ret = fill_entry(qp, wqe, wr, (size_t)bytes);
	if (likely(!ret))
		ret = set_up(qp, wqe, call_send);
	if (unlikely(ret))
		return ret;
	publish_entry(qp, wqe, false, reserved);
	return 0;
}

/*
 * Append a request of a process's ring: as it is, or as one that fails when its turn comes. No call
 * of this thread was refused then, so its last cause stays.
 */
static void post_from_ring(struct rvt_qp *qp, const struct ib_send_wr *wr, bool *call_send,
			   const struct base_cause *last_cause) REQUIRES(qp->s_hlock)
{
	static const struct base_cause none = {.id = 0};
	struct rvt_swqe *wqe;

	if (likely(!rvt_post_one_wr(qp, wr, call_send)))
		return;
	INVARIANT(!rvt_qp_is_avail(qp, ib_to_rvt(qp->ibqp.device), false));
	wqe = rvt_get_swqe_ptr(qp, qp->s_head);
	rvt_qp_keep_refusal(qp, wr, wqe);
	base_cause_set_last(last_cause->id ? last_cause : &none);
	publish_entry(qp, wqe, true, false);
}

/* What is simple enough goes straight into the slot; the driver has its say all the same. */
static bool post_express(struct rvt_qp *qp, bool *call_send) REQUIRES(qp->s_hlock)
{
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, qp->s_head);
	bool filled;

	/* Never for want of a slot: the ring counts what is not completed as taken. */
	if (unlikely(qp->ibqp.qp_type != IB_QPT_RC ||
		     rvt_qp_is_avail(qp, ib_to_rvt(qp->ibqp.device), false)))
		return false;
	rcu_read_lock();
	filled = rvt_express_fill(qp, wqe);
	rcu_read_unlock();
	if (!filled)
		return false;
	if (unlikely(set_up(qp, wqe, call_send)))
		return false;
	publish_entry(qp, wqe, false, false);
	return true;
}

/*
 * Take all that is there now, and no more than the queue holds: a process may go on adding. *@express: all of
 * them were simple.
 */
static u32 empty_send_ring(struct rvt_qp *qp, bool *call_send, bool *express) REQUIRES(qp->s_hlock)
{
	struct rvt_ring *ring = qp->s_ring;
	const u32 count = ring->ops->count(ring);
	struct base_cause last_cause;
	u32 posted = 0;

	if (!count)
		return 0;
	last_cause.id = base_cause_last()->id;
	if (unlikely(last_cause.id))
		last_cause = *base_cause_last();
	*call_send = qp->s_head == __atomic_load_n(&qp->s_last, __ATOMIC_RELAXED) && count == 1;
	if (ring->datagrams)
		rcu_read_lock(); /* the address handles stay */
	for (; posted < count; posted++) {
		if (!post_express(qp, call_send)) {
			const struct ib_send_wr *wr = ring->ops->peek(ring);

			if (unlikely(!wr)) /* the process has taken it back */
				break;
			post_from_ring(qp, wr, call_send, &last_cause);
			*express = false;
		}
		ring->ops->consume(ring);
	}
	if (ring->datagrams)
		rcu_read_unlock();
	return posted;
}

/* The engine: at once for one request on an idle queue. */
static void start_engine(struct rvt_qp *qp, u32 posted, bool call_send)
{
	const struct rvt_driver_provided *driver = &ib_to_rvt(qp->ibqp.device)->driver_f;

	if (posted == 1 && call_send)
		driver->do_send(qp);
	else if (posted)
		(void)driver->schedule_send_no_lock(qp);
}

int rvt_qp_take_ring(struct rvt_qp *qp)
{
	const struct rvt_driver_provided *driver = &ib_to_rvt(qp->ibqp.device)->driver_f;
	bool call_send = false, express = driver->do_express;
	u32 posted = 0;
	int ret = 0;

	spin_lock(&qp->s_hlock);
	if (likely(rvt_qp_allows(qp, RVT_POST_SEND_OK)))
		posted = empty_send_ring(qp, &call_send, &express);
	else
		ret = base_refuse_qp(-EINVAL, qp->ibqp.qp_num, POST_SEND_STATE, rvt_qp_state(qp));
	spin_unlock(&qp->s_hlock);
	if (posted && express)
		driver->do_express(qp);
	else
		start_engine(qp, posted, call_send);
	return ret;
}

int rvt_doorbell(struct ib_qp *ibqp)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);
	const int ret = qp->s_ring ? rvt_qp_take_ring(qp) : 0;

	rvt_late_flush(ib_to_rvt(ibqp->device));
	return ret;
}

int rvt_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr, const struct ib_send_wr **bad_wr)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);
	bool call_send;
	u32 posted = 0;
	int ret = 0;

	if (unlikely(qp->s_ring)) {
		if (!wr)
			return rvt_doorbell(ibqp);
		if (bad_wr)
			*bad_wr = wr;
		return base_refuse_qp(-EINVAL, ibqp->qp_num, POST_RING);
	}
	spin_lock(&qp->s_hlock);
	if (unlikely(!rvt_qp_allows(qp, RVT_POST_SEND_OK)))
		ret = base_refuse_qp(-EINVAL, ibqp->qp_num, POST_SEND_STATE, rvt_qp_state(qp));
	/* One request on an idle queue is sent by who posts it, a chain by the engine. */
	call_send = qp->s_head == __atomic_load_n(&qp->s_last, __ATOMIC_RELAXED) && wr && !wr->next;
	for (; wr && likely(!ret); wr = wr->next) {
		ret = rvt_post_one_wr(qp, wr, &call_send);
		if (unlikely(ret))
			break;
		posted++;
	}
	spin_unlock(&qp->s_hlock);
	if (unlikely(ret) && bad_wr)
		*bad_wr = wr;
	start_engine(qp, posted, call_send);
	return ret;
}
