// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The receive side of the queues: rvt_post_recv() and rvt_post_srq_recv() fill a ring, arriving
 * messages take from it.
 *
 * One thread at a time fills (p_lock) and one takes: under c_lock where QPs share the ring, under
 * the QP's r_lock where they do not. A ring that a process has mapped holds whatever that process
 * likes: indices and counts are put into bounds, and an entry is read once.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <rdma/uverbs_ioctl.h>

#include "base/alloc.h"
#include "rdmavt/mmap.h"
#include "rdmavt/mr.h"
#include "rdmavt/qp_priv.h"
#include "rdmavt/ring.h"
#include "rdmavt/ring_rxe.h"

_Static_assert(sizeof(struct ib_sge) == sizeof(struct rvt_wqe_sge) &&
		       offsetof(struct ib_sge, lkey) == offsetof(struct rvt_wqe_sge, lkey),
	       "an SGE is copied as it is");

/* The producer's index of a ring whose entries @ip describes, or the kernel's own. */
static inline u32 get_rvt_head(struct rvt_rq *rq, void *ip)
{
	return ip ? RDMA_READ_UAPI_ATOMIC(rq->wq->head) : smp_load_acquire(&rq->kwq->head);
}

static u32 get_rvt_tail(const struct rvt_rq *rq, const void *ip)
{
	const u32 tail = ip ? RDMA_READ_UAPI_ATOMIC(rq->wq->tail) : rq->kwq->tail;

	return tail < rq->size ? tail : 0;
}

static void set_rvt_tail(struct rvt_rq *rq, const void *ip, u32 tail)
{
	if (ip)
		RDMA_WRITE_UAPI_ATOMIC(rq->wq->tail, tail);
	else
		smp_store_release(&rq->kwq->tail, tail);
}

static u32 count_entries(struct rvt_rq *rq, void *ip, u32 tail)
{
	const u32 head = get_rvt_head(rq, ip);

	return head < rq->size ? rvt_get_rq_count(rq, head, tail) : 0;
}

u32 rvt_rq_available(const struct rvt_rq *rq)
{
	const struct rvt_krwq *kwq = rq->kwq;
	const u32 count = __atomic_load_n(&kwq->count, __ATOMIC_RELAXED);
	u32 head, tail;

	if (rq->ring)
		return rq->ring->ops->count(rq->ring);
	if (count)
		return count;
	head = smp_load_acquire(rq->wq ? &rq->wq->head.val : &kwq->head);
	tail = smp_load_acquire(rq->wq ? &rq->wq->tail.val : &kwq->tail);
	if (head >= rq->size || tail >= rq->size)
		return 0;
	return head >= tail ? head - tail : head - tail + rq->size;
}

/* Posting */

static void fill_entry(struct rvt_rwqe *wqe, const struct ib_recv_wr *wr)
{
	wqe->wr_id = wr->wr_id;
	wqe->num_sge = (u8)wr->num_sge;
	for (int i = 0; i < wr->num_sge; i++) {
		wqe->sg_list[i].addr = wr->sg_list[i].addr;
		wqe->sg_list[i].length = wr->sg_list[i].length;
		wqe->sg_list[i].lkey = wr->sg_list[i].lkey;
	}
}

static int check_sges(const struct ib_recv_wr *wr, u32 most, u32 qpn)
{
	if (unlikely((u32)wr->num_sge > most))
		return base_refuse_wr(-EINVAL, qpn, wr->wr_id, BASE_CAUSE_RECEIVE, POST_SGE_COUNT,
				      (u32)wr->num_sge, most);
	if (unlikely(wr->num_sge && !wr->sg_list))
		return base_refuse_wr(-EINVAL, qpn, wr->wr_id, BASE_CAUSE_RECEIVE, POST_NO_SGES,
				      (u32)wr->num_sge);
	return 0;
}

/* Append one request to the ring. */
static int produce_locked(struct rvt_rq *rq, const struct ib_recv_wr *wr, u32 qpn)
	REQUIRES(rq->kwq->p_lock)
{
	struct rvt_krwq *kwq = rq->kwq;
	const u32 head = kwq->head;
	const u32 next = head + 1 < rq->size ? head + 1 : 0;
	const int ret = check_sges(wr, rq->max_sge, qpn);

	if (unlikely(rq->ring || rq->wq))
		return base_refuse_wr(-EINVAL, qpn, wr->wr_id, BASE_CAUSE_RECEIVE, POST_RING);
	if (unlikely(ret))
		return ret;
	if (unlikely(next == smp_load_acquire(&kwq->tail)))
		return base_refuse_wr(-ENOMEM, qpn, wr->wr_id, BASE_CAUSE_RECEIVE,
				      POST_RECEIVE_FULL, rq->size - 1);
	fill_entry(rvt_get_rwqe_ptr(rq, head), wr);
	smp_store_release(&kwq->head, next);
	return 0;
}

/* A request that comes when the others have been flushed: it is, too, after them [sm 7]. */
static int complete_flushed_locked(struct rvt_qp *qp, const struct ib_recv_wr *wr)
{
	struct ib_wc wc = {.wr_id = wr->wr_id,
			   .status = IB_WC_WR_FLUSH_ERR,
			   .opcode = IB_WC_RECV,
			   .vendor_err = rvt_qp_cause_id(qp),
			   .qp = &qp->ibqp};
	const int ret = check_sges(wr, qp->r_rq.max_sge, qp->ibqp.qp_num);

	if (ret)
		return ret;
	/* If the CQ is full it says so itself; a QP in ERR cannot fall lower. */
	(void)rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.recv_cq), &wc, true);
	return 0;
}

int rvt_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad_wr)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);
	struct rvt_rq *rq = &qp->r_rq;
	int ret = 0;

	if (unlikely(!rq->kwq)) {
		if (bad_wr)
			*bad_wr = wr;
		return base_refuse_qp(-EINVAL, ibqp->qp_num, POST_RECEIVE_SRQ);
	}
	/* With p_lock held the state cannot become ERR without the flush seeing what is here. */
	spin_lock(&rq->kwq->p_lock);
	if (unlikely(!rvt_qp_allows(qp, RVT_POST_RECV_OK)))
		ret = base_refuse_qp(-EINVAL, ibqp->qp_num, POST_RECEIVE_STATE, rvt_qp_state(qp));
	for (; wr && likely(!ret); wr = wr->next) {
		if (unlikely(rvt_qp_allows(qp, RVT_FLUSH_RECV)))
			ret = complete_flushed_locked(qp, wr);
		else
			ret = produce_locked(rq, wr, ibqp->qp_num);
		if (ret)
			break;
	}
	spin_unlock(&rq->kwq->p_lock);
	if (unlikely(ret) && bad_wr)
		*bad_wr = wr;
	return ret;
}

int rvt_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr)
{
	struct rvt_rq *rq = &ibsrq_to_rvtsrq(ibsrq)->rq;
	int ret = 0;

	spin_lock(&rq->kwq->p_lock);
	for (; wr; wr = wr->next) {
		ret = produce_locked(rq, wr, 0);
		if (unlikely(ret))
			break;
	}
	spin_unlock(&rq->kwq->p_lock);
	if (unlikely(ret) && bad_wr)
		*bad_wr = wr;
	return ret;
}

/* Taking */

/* Translate a request's SGEs into qp->r_sge and qp->r_len. */
static bool translate(struct rvt_qp *qp, const struct rvt_rwqe *wqe, const struct rvt_rq *rq,
		      struct base_cause *why)
{
	struct rvt_lkey_table *rkt = &ib_to_rvt(qp->ibqp.device)->lkey_table;
	struct rvt_pd *pd = ibpd_to_rvtpd(qp->ibqp.srq ? qp->ibqp.srq->pd : qp->ibqp.pd);
	/* Once: a process can write to its entry at any time. */
	const u32 count = __atomic_load_n(&wqe->num_sge, __ATOMIC_RELAXED);
	struct rvt_sge_state *ss = &qp->r_sge;
	struct rvt_sge *last = NULL, *next;
	u64 bytes = 0;

	ss->sg_list = qp->r_sg_list;
	ss->num_sge = 0;
	if (unlikely(count > rq->max_sge)) {
		*why = (struct base_cause){.id = BASE_CAUSE_POST_SGE_COUNT,
					   .arg = {count, rq->max_sge}};
		return false;
	}
	for (u32 i = 0; i < count; i++) {
		const struct ib_sge sge = {.addr = wqe->sg_list[i].addr,
					   .length = wqe->sg_list[i].length,
					   .lkey = wqe->sg_list[i].lkey};
		int ret;

		if (!sge.length)
			continue;
		next = last ? &ss->sg_list[ss->num_sge - 1] : &ss->sge;
		ret = rvt_lkey_check(rkt, pd, next, last, &sge, IB_ACCESS_LOCAL_WRITE, why);
		if (unlikely(ret < 0)) {
			rvt_put_ss(ss);
			return false;
		}
		if (likely(ret)) {
			last = next;
			ss->num_sge++;
		}
		bytes += sge.length;
	}
	qp->r_len = bytes < U32_MAX ? (u32)bytes : U32_MAX;
	ss->total_len = qp->r_len;
	return true;
}

/* A request with a bad SGE completes at once, in error, for qp->r_cause. */
static void complete_bad(struct rvt_qp *qp, const struct rvt_rwqe *wqe)
{
	struct base_cause *why = &qp->r_cause;
	struct ib_wc wc = {.wr_id = wqe->wr_id,
			   .status = IB_WC_LOC_PROT_ERR,
			   .opcode = IB_WC_RECV,
			   .qp = &qp->ibqp};

	why->qpn = qp->ibqp.qp_num;
	why->side = BASE_SIDE_RESPONDER;
	why->has_wr = true;
	why->wr_id = wqe->wr_id;
	why->wr_opcode = BASE_CAUSE_RECEIVE;
	why->status = IB_WC_LOC_PROT_ERR;
	wc.vendor_err = why->id;
	/* The caller brings the QP to ERR; a full CQ has told so itself. */
	(void)rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.recv_cq), &wc, true);
}

/* The request goes into qp->r_sge. */
static inline int init_sge(struct rvt_qp *qp, struct rvt_rwqe *wqe)
{
	const struct rvt_rq *rq = qp->ibqp.srq ? &ibsrq_to_rvtsrq(qp->ibqp.srq)->rq : &qp->r_rq;

	if (likely(translate(qp, wqe, rq, &qp->r_cause)))
		return 1;
	complete_bad(qp, wqe);
	return 0;
}

/* The oldest request of a ring in the kernel's or the rvt ABI's format; NULL if there is none. */
static struct rvt_rwqe *consume(struct rvt_rq *rq, void *ip, u32 *tail_after)
{
	struct rvt_krwq *kwq = rq->kwq;
	u32 tail = get_rvt_tail(rq, ip), count = kwq->count;
	struct rvt_rwqe *wqe;

	if (count < RVT_RWQ_COUNT_THRESHOLD)
		count = count_entries(rq, ip, tail);
	if (!count) {
		__atomic_store_n(&kwq->count, 0, __ATOMIC_RELAXED);
		return NULL;
	}
	wqe = rvt_get_rwqe_ptr(rq, tail);
	*tail_after = tail + 1 < rq->size ? tail + 1 : 0;
	__atomic_store_n(&kwq->count, count - 1, __ATOMIC_RELAXED);
	return wqe;
}

/* The one-shot limit of an SRQ, after a request was taken. */
static bool limit_hit(struct rvt_srq *srq, u32 tail)
{
	struct rvt_krwq *kwq = srq->rq.kwq;

	if (likely(!srq->limit || !srq->ibsrq.event_handler))
		return false;
	if (srq->rq.ring)
		kwq->count = srq->rq.ring->ops->count(srq->rq.ring);
	else if (kwq->count < srq->limit)
		__atomic_store_n(&kwq->count, count_entries(&srq->rq, srq->ip, tail),
				 __ATOMIC_RELAXED);
	if (kwq->count >= srq->limit)
		return false;
	srq->limit = 0;
	return true;
}

/* Take the oldest request: 1, 0 or -1 as rvt_get_rwqe(). The ring's consumer side is ours. */
static int take(struct rvt_qp *qp, struct rvt_rq *rq, void *ip, bool wr_id_only, u32 *tail)
{
	struct rvt_rwqe *wqe;
	int ret = 1;

	if (unlikely(rq->ring)) {
		wqe = (struct rvt_rwqe *)rq->ring->ops->peek(rq->ring);
		if (!wqe)
			return 0;
		if (!wr_id_only && unlikely(!init_sge(qp, wqe)))
			ret = -1;
		qp->r_wr_id = wqe->wr_id;
		rq->ring->ops->consume(rq->ring);
		return ret;
	}
	wqe = consume(rq, ip, tail);
	if (!wqe)
		return 0;
	qp->r_wr_id = wqe->wr_id;
	if (!wr_id_only && unlikely(!init_sge(qp, wqe)))
		ret = -1;
	/* From here on the slot may be filled anew. */
	set_rvt_tail(rq, ip, *tail);
	return ret;
}

int rvt_qp_take_receive(struct rvt_qp *qp, bool wr_id_only, bool *limit_reached,
			struct base_cause *why)
{
	struct rvt_srq *srq = qp->ibqp.srq ? ibsrq_to_rvtsrq(qp->ibqp.srq) : NULL;
	u32 tail = 0;
	int ret;

	if (!(ib_rvt_state_ops[qp->state] & RVT_PROCESS_RECV_OK))
		return 0;
	if (srq) {
		spin_lock(&srq->rq.kwq->c_lock);
		ret = take(qp, &srq->rq, srq->ip, wr_id_only, &tail);
		if (ret && limit_hit(srq, tail))
			*limit_reached = true;
		spin_unlock(&srq->rq.kwq->c_lock);
	} else {
		ret = take(qp, &qp->r_rq, qp->ip, wr_id_only, &tail);
	}
	if (likely(ret == 1)) {
		/* r_lock keeps all bits of this word but for none: no atomic is needed. */
		qp->r_aflags |= BIT(RVT_R_WRID_VALID);
	} else if (ret < 0) {
		*why = qp->r_cause;
		spin_lock(&qp->s_lock);
		rvt_qp_blame(qp, why);
		spin_unlock(&qp->s_lock);
	}
	return ret;
}

void rvt_srq_raise_limit(struct rvt_srq *srq)
{
	struct ib_event ev = {.device = srq->ibsrq.device,
			      .element.srq = &srq->ibsrq,
			      .event = IB_EVENT_SRQ_LIMIT_REACHED};

	srq->ibsrq.event_handler(&ev, srq->ibsrq.srq_context);
}

int rvt_get_rwqe(struct rvt_qp *qp, bool wr_id_only)
{
	struct base_cause why;
	bool limit_reached = false;
	const int ret = rvt_qp_take_receive(qp, wr_id_only, &limit_reached, &why);

	if (limit_reached)
		rvt_srq_raise_limit(ibsrq_to_rvtsrq(qp->ibqp.srq));
	return ret;
}

bool rvt_has_receive(const struct rvt_qp *qp)
{
	const struct ib_srq *srq = qp->ibqp.srq;

	return rvt_rq_available(srq ? &container_of(srq, struct rvt_srq, ibsrq)->rq : &qp->r_rq) >
	       0;
}

/* Empty a QP's own ring; @wc, where it is not NULL, is completed for each request. */
static void empty_ring(struct rvt_qp *qp, struct ib_wc *wc)
{
	struct rvt_rq *rq = &qp->r_rq;
	struct rvt_rwqe *wqe;
	u32 tail = 0, left;

	if (!rq->kwq)
		return;
	/* Posters that saw the old state are done; those that come now see the new one. */
	spin_lock(&rq->kwq->p_lock);
	/* A process may go on filling its ring: as many as there are room for, no more. */
	for (left = rq->size; left; left--) {
		if (rq->ring) {
			wqe = (struct rvt_rwqe *)rq->ring->ops->peek(rq->ring);
			if (wqe)
				rq->ring->ops->consume(rq->ring);
		} else {
			wqe = consume(rq, qp->ip, &tail);
		}
		if (!wqe)
			break;
		if (wc) {
			wc->wr_id = wqe->wr_id;
			(void)rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.recv_cq), wc, true);
		}
		if (!rq->ring)
			set_rvt_tail(rq, qp->ip, tail);
	}
	spin_unlock(&rq->kwq->p_lock);
}

void rvt_qp_flush_receives(struct rvt_qp *qp)
{
	struct ib_wc wc = {.status = IB_WC_WR_FLUSH_ERR,
			   .opcode = IB_WC_RECV,
			   .vendor_err = rvt_qp_cause_id(qp),
			   .qp = &qp->ibqp};

	empty_ring(qp, &wc);
}

void rvt_qp_drop_receives(struct rvt_qp *qp)
{
	empty_ring(qp, NULL);
}

/* The part of a ring that a process maps. */
static int share_entries(struct rvt_rq *rq, u32 size, struct ib_udata *udata)
{
	const struct ib_ucontext *context = rdma_udata_to_uverbs_attr_bundle(udata)->context;
	struct rvt_mmap_info *ip = rvt_create_mmap_info(
		ib_to_rvt(context->device), (u32)sizeof(struct rvt_rwq) + size, udata, NULL);

	if (IS_ERR(ip))
		return (int)PTR_ERR(ip);
	rq->ip = ip;
	rq->wq = ip->obj;
	rq->kwq->curr_wq = rq->wq->wq;
	return 0;
}

int rvt_alloc_rq(struct rvt_rq *rq, u32 size, int node, struct ib_udata *udata)
{
	const size_t own_bytes = sizeof(struct rvt_krwq) + (udata ? 0 : size);
	int ret;

	(void)node;
	rq->wq = NULL;
	rq->kwq = base_zalloc(own_bytes);
	if (!rq->kwq)
		return base_refuse(-ENOMEM, NO_MEMORY, own_bytes);
	rq->kwq->curr_wq = rq->kwq->wq;
	spin_lock_init(&rq->kwq->p_lock);
	spin_lock_init(&rq->kwq->c_lock);
	ret = udata ? share_entries(rq, size, udata) : 0;
	if (ret)
		rvt_free_rq(rq);
	return ret;
}

int rvt_rq_make_ring(struct rvt_dev_info *rdi, struct rvt_rq *rq, u32 max_wr, u32 max_sge,
		     struct ib_udata *udata)
{
	const struct rvt_ring like = {.ops = &rvt_ring_rxe_rq_ops,
				      .rdi = rdi,
				      .kind = RVT_RING_RQ,
				      .capacity = max_wr,
				      .max_sge = max_sge};
	struct rvt_ring *ring = rvt_ring_new(&like, udata);
	int ret;

	if (IS_ERR(ring))
		return (int)PTR_ERR(ring);
	/* Locks only: the entries are the ring's. */
	ret = rvt_alloc_rq(rq, 0, rdi->dparms.node, NULL);
	if (ret) {
		rvt_ring_delete(ring);
		return ret;
	}
	rq->ring = ring;
	rq->size = ring->capacity + 1;
	rq->max_sge = (u8)max_sge;
	spin_lock_init(&rq->lock);
	return 0;
}

void rvt_rq_free(struct rvt_rq *rq)
{
	rvt_ring_delete(rq->ring);
	rq->ring = NULL;
	if (rq->ip) {
		kref_put(&rq->ip->ref, rvt_release_mmap_info);
		rq->ip = NULL;
		rq->wq = NULL;
	}
	rvt_free_rq(rq);
}
