// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Rings that a process maps, whatever their format: making them, and those of CQs. */
#include "rdmavt/ring.h"

#include <linux/err.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "rdmavt/mmap.h"
#include "rdmavt/ring_abi.h"
#include "rdmavt/ring_rxe.h"

struct rvt_ring *rvt_ring_new(const struct rvt_ring *like, struct ib_udata *udata)
{
	struct rvt_ring *ring = base_zalloc(sizeof(*ring));
	int ret;

	if (!ring)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*ring)));
	*ring = *like;
	ret = ring->ops->init(ring, udata);
	if (!ret)
		return ring;
	base_free(ring);
	return ERR_PTR(ret);
}

void rvt_ring_delete(struct rvt_ring *ring)
{
	if (!ring)
		return;
	ring->ops->free(ring);
	base_free(ring);
}

const struct rvt_ring_ops *rvt_ring_cq_format(const struct rvt_dev_info *rdi,
					      const struct ib_udata *udata)
{
	if (rvt_ring_rxe_wanted(rdi, udata))
		return &rvt_ring_rxe_cq_ops;
	return rvt_ring_abi_wanted(udata) ? &rvt_ring_abi_cq_ops : NULL;
}

/* What hangs on the ring. Of a CQ that others see, its lock is held. */
static void take_ring(struct rvt_cq *cq, const struct rvt_ring *ring)
{
	cq->queue = ring->ops == &rvt_ring_abi_cq_ops ? ring->mem : NULL;
	cq->ip = ring->ip;
	WRITE_ONCE(cq->ibcq.cqe, (int)ring->capacity);
}

int rvt_ring_create_cq(struct rvt_cq *cq, const struct rvt_ring_ops *ops, u32 cqe,
		       struct ib_udata *udata)
{
	const struct rvt_ring like = {.ops = ops,
				      .rdi = ib_to_rvt(cq->ibcq.device),
				      .kind = RVT_RING_CQ,
				      .capacity = cqe};
	struct rvt_ring *ring = rvt_ring_new(&like, udata);
	int ret;

	if (IS_ERR(ring))
		return (int)PTR_ERR(ring);
	ret = ops->tell(ring, udata);
	if (ret) {
		rvt_ring_delete(ring);
		return ret;
	}
	cq->ring = ring;
	take_ring(cq, ring);
	return 0;
}

void rvt_ring_destroy_cq(struct rvt_cq *cq)
{
	rvt_ring_delete(cq->ring);
	cq->ring = NULL;
	cq->queue = NULL;
	cq->ip = NULL;
}

int rvt_ring_resize_cq(struct rvt_cq *cq, u32 cqe, struct ib_udata *udata)
{
	const struct rvt_ring_ops *ops = rvt_ring_cq_format(cq->ring->rdi, udata);
	struct rvt_ring fresh = {
		.ops = ops, .rdi = cq->ring->rdi, .kind = RVT_RING_CQ, .capacity = cqe};
	struct rvt_ring old;
	int ret;

	if (!ops || ops != cq->ring->ops)
		return base_refuse(-EINVAL, CQ_RESIZE_UDATA);
	ret = ops->init(&fresh, udata);
	if (ret)
		return ret;
	/* The answer first: nothing may fail once the entries have moved. */
	ret = ops->tell(&fresh, udata);
	if (ret)
		goto free_fresh;
	spin_lock(&cq->lock);
	ret = ops->resize(cq->ring, &fresh);
	if (!ret) {
		old = *cq->ring;
		*cq->ring = fresh;
		take_ring(cq, &fresh);
	}
	spin_unlock(&cq->lock);
	if (ret)
		goto free_fresh;
	ops->free(&old);
	rvt_mmap_offer(fresh.rdi, fresh.ip);
	return 0;

free_fresh:
	ops->free(&fresh);
	return ret;
}
