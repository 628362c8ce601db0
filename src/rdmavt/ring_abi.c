// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The ring format that rdmavt's user-space drivers map. Both indices lie in shared memory: ours is
 * kept apart and only published there, the other side's is believed as far as it is in range.
 */
#include "rdmavt/ring_abi.h"

#include <linux/err.h>
#include <rdma/uverbs_ioctl.h>

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

static bool cq_produce(struct rvt_ring *ring, const void *entry)
{
	struct rvt_cq_wc *queue = ring->mem;
	const u32 next = next_slot(ring, ring->head);

	if (next == cq_tail(ring))
		return false;
	ib_wc_to_uverbs(entry, &queue->uqueue[ring->head]);
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

static int cq_tell(const struct rvt_ring *ring, struct ib_udata *udata)
{
	__u64 offset = ring->ip->offset;

	return ib_copy_to_udata(udata, &offset, sizeof(offset));
}

const struct rvt_ring_ops rvt_ring_abi_cq_ops = {
	.name = "rvt-abi",
	.init = cq_init,
	.free = cq_free,
	.tell = cq_tell,
	.count = cq_count,
	.produce = cq_produce,
	.resize = cq_resize,
};
