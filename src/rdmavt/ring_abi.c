// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The ring format that rdmavt's user-space drivers map. Both indices lie in shared memory: ours is
 * kept apart and only published there, the other side's is believed as far as it is in range.
 */
#include "rdmavt/ring_abi.h"

#include <linux/err.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "rdmavt/mmap.h"

static u32 cq_bytes(u32 capacity)
{
	return (u32)(sizeof(struct rvt_cq_wc) +
		     ((size_t)capacity + 1) * sizeof(struct ib_uverbs_wc));
}

static int cq_init(struct rvt_ring *ring, struct ib_udata *udata)
{
	ring->ip = rvt_create_mmap_info(ring->rdi, cq_bytes(ring->capacity), udata, NULL);
	if (IS_ERR(ring->ip))
		return (int)PTR_ERR(ring->ip);
	ring->mem = ring->ip->obj;
	return 0;
}

/* A mapping that rvt_mmap() gave out keeps the memory. */
static void cq_free(struct rvt_ring *ring)
{
	kref_put(&ring->ip->ref, rvt_release_mmap_info);
	ring->ip = NULL;
	ring->mem = NULL;
}

static u32 next_slot(const struct rvt_ring *ring, u32 slot)
{
	return slot >= ring->capacity ? 0 : slot + 1;
}

/* The consumer's index; with garbage in it the ring counts as full. */
static u32 cq_tail(const struct rvt_ring *ring)
{
	const struct rvt_cq_wc *queue = ring->mem;
	const u32 tail = RDMA_READ_UAPI_ATOMIC(queue->tail);

	return tail <= ring->capacity ? tail : next_slot(ring, ring->head);
}

static u32 cq_count(const struct rvt_ring *ring)
{
	const u32 tail = cq_tail(ring);

	return ring->head >= tail ? ring->head - tail : ring->head + ring->capacity + 1 - tail;
}

static struct ib_uverbs_wc to_uverbs(const struct ib_wc *wc)
{
	struct ib_uverbs_wc entry = {
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.qp_num = wc->qp ? wc->qp->qp_num : 0,
		.src_qp = wc->src_qp,
		.wc_flags = (u32)wc->wc_flags,
		.pkey_index = wc->pkey_index,
		.slid = (u16)wc->slid,
		.sl = wc->sl,
		.dlid_path_bits = wc->dlid_path_bits,
		.port_num = (u8)wc->port_num,
	};

	if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
		entry.ex.invalidate_rkey = wc->ex.invalidate_rkey;
	else
		entry.ex.imm_data = wc->ex.imm_data;
	return entry;
}

static bool cq_produce(struct rvt_ring *ring, const void *entry)
{
	struct rvt_cq_wc *queue = ring->mem;
	const u32 next = next_slot(ring, ring->head);

	if (next == cq_tail(ring))
		return false;
	queue->uqueue[ring->head] = to_uverbs(entry);
	ring->head = next;
	RDMA_WRITE_UAPI_ATOMIC(queue->head, next);
	return true;
}

static int cq_resize(struct rvt_ring *ring, struct rvt_ring *fresh)
{
	const struct rvt_cq_wc *from = ring->mem;
	struct rvt_cq_wc *to = fresh->mem;
	const u32 count = cq_count(ring);
	u32 tail = cq_tail(ring);

	if (count > fresh->capacity)
		return base_refuse(-EINVAL, CQ_RESIZE, fresh->capacity, count);
	for (u32 n = 0; n < count; n++, tail = next_slot(ring, tail))
		to->uqueue[n] = from->uqueue[tail];
	fresh->head = count;
	RDMA_WRITE_UAPI_ATOMIC(to->head, count);
	return 0;
}

const struct rvt_ring_ops rvt_ring_abi_cq_ops = {
	.name = "rvt-abi",
	.init = cq_init,
	.free = cq_free,
	.count = cq_count,
	.produce = cq_produce,
	.resize = cq_resize,
};

int rvt_ring_abi_create_cq(struct rvt_cq *cq, u32 cqe, struct ib_udata *udata)
{
	struct rvt_ring *ring = base_zalloc(sizeof(*ring));
	int ret;

	if (!ring)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*ring));
	ring->ops = &rvt_ring_abi_cq_ops;
	ring->rdi = ib_to_rvt(cq->ibcq.device);
	ring->kind = RVT_RING_CQ;
	ring->capacity = cqe;
	ret = ring->ops->init(ring, udata);
	if (ret)
		goto free_ring;
	ret = ib_copy_to_udata(udata, &ring->ip->offset, sizeof(ring->ip->offset));
	if (ret)
		goto free_mem;
	cq->ring = ring;
	cq->queue = ring->mem;
	cq->ip = ring->ip;
	return 0;

free_mem:
	ring->ops->free(ring);
free_ring:
	base_free(ring);
	return ret;
}

void rvt_ring_abi_destroy_cq(struct rvt_cq *cq)
{
	cq->ring->ops->free(cq->ring);
	base_free(cq->ring);
	cq->ring = NULL;
	cq->queue = NULL;
	cq->ip = NULL;
}

int rvt_ring_abi_resize_cq(struct rvt_cq *cq, u32 cqe, struct ib_udata *udata)
{
	struct rvt_ring fresh = *cq->ring, old;
	int ret;

	if (!rvt_ring_abi_wanted(udata))
		return base_refuse(-EINVAL, CQ_RESIZE_UDATA);
	fresh.capacity = cqe;
	ret = fresh.ops->init(&fresh, udata);
	if (ret)
		return ret;
	/* The answer first: nothing may fail once the entries have moved. */
	ret = ib_copy_to_udata(udata, &fresh.ip->offset, sizeof(fresh.ip->offset));
	if (ret)
		goto free_fresh;
	spin_lock(&cq->lock);
	ret = fresh.ops->resize(cq->ring, &fresh);
	if (!ret) {
		old = *cq->ring;
		*cq->ring = fresh;
		cq->queue = fresh.mem;
		cq->ip = fresh.ip;
		cq->ibcq.cqe = (int)cqe;
	}
	spin_unlock(&cq->lock);
	if (ret)
		goto free_fresh;
	old.ops->free(&old);
	rvt_mmap_offer(fresh.rdi, fresh.ip);
	return 0;

free_fresh:
	fresh.ops->free(&fresh);
	return ret;
}
