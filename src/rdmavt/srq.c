// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Shared receive queues: all but posting and taking (qp_recv.c). */
#include "rdmavt/srq.h"

#include <rdma/uverbs_ioctl.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/check.h"
#include "base/umem.h"
#include "rdmavt/mmap.h"
#include "rdmavt/qp.h"
#include "rdmavt/ring_abi.h"
#include "rdmavt/ring_rxe.h"

void rvt_driver_srq_init(struct rvt_dev_info *rdi)
{
	spin_lock_init(&rdi->n_srqs_lock);
	rdi->n_srqs_allocated = 0;
}

static size_t entry_bytes(const struct rvt_rq *rq)
{
	return sizeof(struct rvt_rwqe) + rq->max_sge * sizeof(struct rvt_wqe_sge);
}

static int check_sizes(const struct rvt_dev_info *rdi, const struct ib_srq_attr *attr)
{
	const u32 most_sge = (u32)rdi->dparms.props.max_srq_sge;
	const u32 most_wr = (u32)rdi->dparms.props.max_srq_wr;

	if (!attr->max_sge || attr->max_sge > most_sge || attr->max_sge > U8_MAX)
		return base_refuse(-EINVAL, SRQ_SGE, attr->max_sge, most_sge);
	if (!attr->max_wr || attr->max_wr > most_wr)
		return base_refuse(-EINVAL, SRQ_WR, attr->max_wr, most_wr);
	return 0;
}

static int count_srq(struct rvt_dev_info *rdi, u32 *number)
{
	const u32 most = (u32)rdi->dparms.props.max_srq;
	bool full;

	spin_lock(&rdi->n_srqs_lock);
	full = rdi->n_srqs_allocated >= most;
	if (!full) {
		rdi->n_srqs_allocated++;
		*number = ++rdi->last_srq_number;
	}
	spin_unlock(&rdi->n_srqs_lock);
	return full ? base_refuse(-ENOMEM, SRQ_COUNT, most) : 0;
}

static void uncount_srq(struct rvt_dev_info *rdi)
{
	spin_lock(&rdi->n_srqs_lock);
	rdi->n_srqs_allocated--;
	spin_unlock(&rdi->n_srqs_lock);
}

static void free_queue(struct rvt_srq *srq)
{
	base_free(srq->resized);
	srq->resized = NULL;
	srq->ip = NULL;
	rvt_rq_free(&srq->rq);
}

/* The ring that this caller can use. */
static int make_queue(struct rvt_dev_info *rdi, struct rvt_srq *srq, const struct ib_srq_attr *attr,
		      struct ib_udata *udata)
{
	struct ib_udata *mapper = rvt_ring_abi_wanted(udata) ? udata : NULL;
	int ret;

	if (rvt_ring_rxe_wanted(rdi, udata)) {
		ret = rvt_ring_rxe_check_udata(udata, sizeof(struct rxe_create_srq_resp));
		return ret ? ret
			   : rvt_rq_make_ring(rdi, &srq->rq, attr->max_wr, attr->max_sge, udata);
	}
	srq->rq.size = attr->max_wr + 1;
	srq->rq.max_sge = (u8)attr->max_sge;
	spin_lock_init(&srq->rq.lock);
	ret = rvt_alloc_rq(&srq->rq, (u32)(srq->rq.size * entry_bytes(&srq->rq)), rdi->dparms.node,
			   mapper);
	srq->ip = srq->rq.ip;
	return ret;
}

int rvt_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *srq_init_attr,
		   struct ib_udata *udata)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibsrq->device);
	struct rvt_srq *srq = ibsrq_to_rvtsrq(ibsrq);
	const struct ib_srq_attr *attr = &srq_init_attr->attr;
	int ret;

	if (srq_init_attr->srq_type != IB_SRQT_BASIC)
		return base_refuse(-EOPNOTSUPP, SRQ_TYPE, srq_init_attr->srq_type);
	ret = check_sizes(rdi, attr);
	if (!ret)
		ret = make_queue(rdi, srq, attr, udata);
	if (ret)
		return ret;
	ret = count_srq(rdi, &srq->number);
	if (ret)
		goto queue;
	if (srq->rq.ring)
		ret = rvt_ring_rxe_tell_srq(srq->rq.ring, srq->number, udata);
	else if (srq->ip)
		ret = ib_copy_to_udata(udata, &srq->ip->offset, sizeof(srq->ip->offset));
	if (ret)
		goto count;
	srq->limit = attr->srq_limit;
	rvt_mmap_offer(rdi, srq->ip);
	srq_init_attr->attr.max_wr = srq->rq.size - 1;
	return 0;

count:
	uncount_srq(rdi);
queue:
	free_queue(srq);
	return ret;
}

static void copy_requests(struct rvt_rq *rq, struct rvt_rq *to, u32 tail, u32 count)
{
	for (u32 n = 0; n < count; n++) {
		memcpy(rvt_get_rwqe_ptr(to, n), rvt_get_rwqe_ptr(rq, tail), entry_bytes(rq));
		tail = tail + 1 == rq->size ? 0 : tail + 1;
	}
}

/* Both ends of the ring stand still meanwhile. Returns how many were there. */
static u32 move_requests(struct rvt_rq *rq, struct rvt_rq *to)
{
	const u32 count = rvt_get_rq_count(rq, rq->kwq->head, rq->kwq->tail);

	if (count < to->size)
		copy_requests(rq, to, rq->kwq->tail, count);
	return count;
}

/*
 * The entries move to @fresh, whose block the SRQ then keeps; the block with the locks stays where
 * it is, because others may wait for them.
 */
static int resize_queue(struct rvt_srq *srq, struct rvt_rq *fresh)
{
	struct rvt_krwq *kwq = srq->rq.kwq;
	struct rvt_krwq *old = fresh->kwq;
	u32 count;

	spin_lock(&kwq->p_lock);
	spin_lock(&kwq->c_lock);
	count = move_requests(&srq->rq, fresh);
	if (count < fresh->size) {
		old = srq->resized;
		srq->resized = fresh->kwq;
		srq->rq.size = fresh->size;
		kwq->curr_wq = fresh->kwq->wq;
		kwq->tail = 0;
		kwq->count = count;
		smp_store_release(&kwq->head, count);
	}
	spin_unlock(&kwq->c_lock);
	spin_unlock(&kwq->p_lock);
	base_free(old);
	return count < fresh->size ? 0 : base_refuse(-EINVAL, SRQ_RESIZE, fresh->size - 1, count);
}

/* The same for a ring that a process maps: it holds its posts back until it has our answer. */
static int resize_ring(struct rvt_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct rvt_rq *rq = &srq->rq;
	struct rvt_ring fresh = *rq->ring, old;
	int ret;

	if (!rvt_ring_rxe_wanted(fresh.rdi, udata))
		return base_refuse(-EINVAL, SRQ_MAPPED);
	fresh.capacity = max_wr;
	fresh.tail = 0;
	ret = fresh.ops->init(&fresh, udata);
	if (ret)
		return ret;
	/* The answer first: nothing may fail once the entries have moved. */
	ret = rvt_ring_rxe_tell_resized_srq(&fresh, udata);
	if (ret)
		goto free_fresh;
	spin_lock(&rq->kwq->p_lock);
	spin_lock(&rq->kwq->c_lock);
	ret = fresh.ops->resize(rq->ring, &fresh);
	if (!ret) {
		old = *rq->ring;
		*rq->ring = fresh;
		rq->size = fresh.capacity + 1;
	}
	spin_unlock(&rq->kwq->c_lock);
	spin_unlock(&rq->kwq->p_lock);
	if (ret)
		goto free_fresh;
	old.ops->free(&old);
	return 0;

free_fresh:
	fresh.ops->free(&fresh);
	return ret;
}

/* Where MODIFY_SRQ's request wants the answer: hfi1's user ABI has it behind the command. */
static int answer_place(struct ib_udata *udata, u64 *where)
{
	if (!udata || udata->inlen < sizeof(*where))
		return base_refuse(-EINVAL, SRQ_MAPPED);
	return ib_copy_from_udata(where, udata, sizeof(*where));
}

static int tell_offset(u64 offset, u64 where)
{
	if (base_umem_copy((void *)(uintptr_t)where, &offset, sizeof(offset)))
		return base_refuse(-EFAULT, UDATA_FAULT, where, sizeof(offset));
	return 0;
}

/* What the process says of its ring's ends may be anything. */
static int move_shared(struct rvt_rq *rq, struct rvt_rq *to)
{
	const u32 head = RDMA_READ_UAPI_ATOMIC(rq->wq->head);
	const u32 tail = RDMA_READ_UAPI_ATOMIC(rq->wq->tail);
	u32 count;

	if (head >= rq->size || tail >= rq->size)
		return base_refuse(-EINVAL, SRQ_GARBAGE, head, tail, rq->size);
	count = rvt_get_rq_count(rq, head, tail);
	if (count >= to->size)
		return base_refuse(-EINVAL, SRQ_RESIZE, to->size - 1, count);
	copy_requests(rq, to, tail, count);
	RDMA_WRITE_UAPI_ATOMIC(to->wq->head, count);
	return 0;
}

/* As resize_queue(), of entries that a process maps: it posts nothing until it has our answer. */
static int resize_mapped(struct rvt_srq *srq, struct rvt_rq *fresh)
{
	struct rvt_rq *rq = &srq->rq;
	struct rvt_mmap_info *old = NULL;
	int ret;

	spin_lock(&rq->kwq->p_lock);
	spin_lock(&rq->kwq->c_lock);
	ret = move_shared(rq, fresh);
	if (!ret) {
		old = rq->ip;
		rq->ip = fresh->ip;
		rq->wq = fresh->wq;
		rq->size = fresh->size;
		rq->kwq->curr_wq = fresh->wq->wq;
		rq->kwq->count = 0;
		srq->ip = rq->ip;
		fresh->ip = NULL;
		fresh->wq = NULL;
	}
	spin_unlock(&rq->kwq->c_lock);
	spin_unlock(&rq->kwq->p_lock);
	if (!ret) {
		kref_put(&old->ref, rvt_release_mmap_info);
		rvt_mmap_offer(ib_to_rvt(srq->ibsrq.device), srq->ip);
	}
	return ret;
}

static int resize(struct rvt_srq *srq, u32 max_wr, struct ib_udata *udata)
{
	struct rvt_dev_info *rdi = ib_to_rvt(srq->ibsrq.device);
	struct rvt_rq fresh = {.size = max_wr + 1, .max_sge = srq->rq.max_sge};
	u64 where = 0;
	int ret = 0;

	if (srq->rq.ring)
		return resize_ring(srq, max_wr, udata);
	if (srq->ip)
		ret = answer_place(udata, &where);
	if (ret)
		return ret;
	ret = rvt_alloc_rq(&fresh, (u32)(fresh.size * entry_bytes(&fresh)), rdi->dparms.node,
			   srq->ip ? udata : NULL);
	if (ret)
		return ret;
	if (!srq->ip)
		return resize_queue(srq, &fresh);
	ret = tell_offset(fresh.ip->offset, where);
	if (!ret)
		ret = resize_mapped(srq, &fresh);
	rvt_rq_free(&fresh);
	return ret;
}

static void set_limit(struct rvt_srq *srq, u32 limit)
{
	spin_lock(&srq->rq.kwq->c_lock);
	srq->limit = limit;
	spin_unlock(&srq->rq.kwq->c_lock);
}

int rvt_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask attr_mask,
		   struct ib_udata *udata)
{
	struct rvt_srq *srq = ibsrq_to_rvtsrq(ibsrq);
	const u32 most = (u32)ib_to_rvt(ibsrq->device)->dparms.props.max_srq_wr;
	const bool limits = attr_mask & IB_SRQ_LIMIT;
	u32 limit, size;
	int ret = 0;

	spin_lock(&srq->rq.kwq->c_lock);
	limit = limits ? attr->srq_limit : srq->limit;
	size = srq->rq.size - 1;
	spin_unlock(&srq->rq.kwq->c_lock);

	if (attr_mask & IB_SRQ_MAX_WR) {
		if (!attr->max_wr || attr->max_wr > most)
			return base_refuse(-EINVAL, SRQ_WR, attr->max_wr, most);
		size = srq->rq.ring ? rvt_ring_rxe_capacity(attr->max_wr) : attr->max_wr;
	}
	if (limit > size)
		return base_refuse(-EINVAL, SRQ_LIMIT, limit, size);
	if (attr_mask & IB_SRQ_MAX_WR)
		ret = resize(srq, size, udata);
	if (!ret && limits)
		set_limit(srq, limit);
	return ret;
}

int rvt_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct rvt_srq *srq = ibsrq_to_rvtsrq(ibsrq);

	spin_lock(&srq->rq.kwq->c_lock);
	attr->max_wr = srq->rq.size - 1;
	attr->max_sge = srq->rq.max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock(&srq->rq.kwq->c_lock);
	return 0;
}

int rvt_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct rvt_srq *srq = ibsrq_to_rvtsrq(ibsrq);
	struct rvt_dev_info *rdi = ib_to_rvt(ibsrq->device);

	(void)udata;
	uncount_srq(rdi);
	free_queue(srq);
	return 0;
}
