// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * librxe's rings: memory and indices, completions, receive requests. Send requests are in
 * ring_rxe_sq.c.
 *
 * Each side owns one index. We keep ours in struct rvt_ring and only publish it; theirs is masked.
 * What size and stride are is written into the header for the library and never read from there.
 */
#include "rdmavt/ring_rxe.h"

#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <rdma/uverbs_ioctl.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/umem.h"
#include "rdmavt/mmap.h"

#define MIN_ENTRY_BYTES 64u
#define INLINE_STEP_BYTES 16u

/* More is not to be had anyway, and no sum or product of sizes wraps. */
#define MAX_RING_BYTES (1u << 30)

_Static_assert(offsetof(struct rxe_queue_buf, data) == 384, "header of a ring");
_Static_assert(sizeof(struct ib_uverbs_wc) <= MIN_ENTRY_BYTES, "a completion fits in");
_Static_assert(sizeof(struct rxe_sge) == sizeof(struct rvt_wqe_sge) &&
		       offsetof(struct rxe_sge, lkey) == offsetof(struct rvt_wqe_sge, lkey),
	       "an SGE is copied as it is");

u32 rvt_ring_rxe_capacity(u32 wanted)
{
	return (u32)roundup_pow_of_two((u64)wanted + 1) - 1;
}

void rvt_ring_rxe_round_caps(struct ib_qp_cap *cap, bool srq)
{
	const u32 sge_bytes = cap->max_send_sge * (u32)sizeof(struct rxe_sge);
	const u32 room = sge_bytes > cap->max_inline_data ? sge_bytes : cap->max_inline_data;

	cap->max_send_wr = rvt_ring_rxe_capacity(cap->max_send_wr);
	cap->max_inline_data = roundup(room, INLINE_STEP_BYTES);
	cap->max_send_sge = cap->max_inline_data / (u32)sizeof(struct rxe_sge);
	if (!srq)
		cap->max_recv_wr = rvt_ring_rxe_capacity(cap->max_recv_wr);
}

/* Memory for ring->capacity entries, of which each has at least @entry_bytes. */
int rvt_ring_rxe_init(struct rvt_ring *ring, size_t entry_bytes, struct ib_udata *udata)
{
	struct rxe_queue_buf *buf;
	u64 bytes;

	ring->capacity = rvt_ring_rxe_capacity(ring->capacity);
	ring->log2_bytes = (u32)ilog2(
		roundup_pow_of_two(entry_bytes > MIN_ENTRY_BYTES ? entry_bytes : MIN_ENTRY_BYTES));
	bytes = sizeof(*buf) + (((u64)ring->capacity + 1) << ring->log2_bytes);
	if (bytes > MAX_RING_BYTES)
		return base_refuse(-ENOMEM, NO_MEMORY, bytes);
	ring->ip = rvt_create_mmap_info(ring->rdi, (u32)bytes, udata, NULL);
	if (IS_ERR(ring->ip))
		return (int)PTR_ERR(ring->ip);
	ring->mem = ring->ip->obj;
	buf = ring->mem;
	buf->log2_elem_size = ring->log2_bytes;
	buf->index_mask = ring->capacity;
	return 0;
}

void rvt_ring_rxe_free(struct rvt_ring *ring)
{
	kref_put(&ring->ip->ref, rvt_release_mmap_info);
	ring->ip = NULL;
	ring->mem = NULL;
	base_free(ring->scratch);
	ring->scratch = NULL;
}

/* Answers */

static struct mminfo mminfo_of(const struct rvt_ring *ring)
{
	return (struct mminfo){.offset = ring->ip->offset, .size = ring->ip->size};
}

int rvt_ring_rxe_check_udata(const struct ib_udata *udata, size_t answer)
{
	if (!udata->inlen && udata->outlen >= answer)
		return 0;
	return base_refuse(-EINVAL, RING_UDATA, udata->inlen, udata->outlen, answer);
}

static int tell_cq(const struct rvt_ring *ring, struct ib_udata *udata)
{
	struct rxe_create_cq_resp answer = {.mi = mminfo_of(ring)};
	const int ret = rvt_ring_rxe_check_udata(udata, sizeof(answer));

	return ret ? ret : ib_copy_to_udata(udata, &answer, sizeof(answer));
}

int rvt_ring_rxe_tell_qp(const struct rvt_ring *rq, const struct rvt_ring *sq,
			 struct ib_udata *udata)
{
	struct rxe_create_qp_resp answer = {.sq_mi = mminfo_of(sq)};

	if (rq)
		answer.rq_mi = mminfo_of(rq);
	return ib_copy_to_udata(udata, &answer, sizeof(answer));
}

int rvt_ring_rxe_tell_srq(const struct rvt_ring *ring, u32 srq_num, struct ib_udata *udata)
{
	struct rxe_create_srq_resp answer = {.mi = mminfo_of(ring), .srq_num = srq_num};

	return ib_copy_to_udata(udata, &answer, sizeof(answer));
}

int rvt_ring_rxe_tell_resized_srq(const struct rvt_ring *ring, struct ib_udata *udata)
{
	const struct mminfo answer = mminfo_of(ring);
	struct rxe_modify_srq_cmd request;
	int ret;

	if (udata->inlen < sizeof(request))
		return base_refuse(-EINVAL, RING_UDATA, udata->inlen, udata->outlen, 0);
	ret = ib_copy_from_udata(&request, udata, sizeof(request));
	if (ret)
		return ret;
	if (base_umem_copy((void *)(uintptr_t)request.mmap_info_addr, &answer, sizeof(answer)))
		return base_refuse(-EFAULT, UDATA_FAULT, request.mmap_info_addr, sizeof(answer));
	return 0;
}

/* Completions: the producer's side is ours. */

static int cq_init(struct rvt_ring *ring, struct ib_udata *udata)
{
	return rvt_ring_rxe_init(ring, sizeof(struct ib_uverbs_wc), udata);
}

static u32 cq_consumer(const struct rvt_ring *ring)
{
	return smp_load_acquire(&rxe_buf(ring)->consumer_index) & ring->capacity;
}

static u32 cq_count(const struct rvt_ring *ring)
{
	return rxe_distance(ring, cq_consumer(ring), ring->head);
}

static bool cq_produce(struct rvt_ring *ring, const void *entry)
{
	const u32 next = rxe_next(ring, ring->head);

	if (next == cq_consumer(ring))
		return false;
	ib_wc_to_uverbs(entry, rxe_slot(ring, ring->head));
	ring->head = next;
	smp_store_release(&rxe_buf(ring)->producer_index, next);
	return true;
}

static int cq_resize(struct rvt_ring *ring, struct rvt_ring *fresh)
{
	u32 from = cq_consumer(ring);
	const u32 count = rxe_distance(ring, from, ring->head);

	if (count > fresh->capacity)
		return base_refuse(-EINVAL, CQ_RESIZE, fresh->capacity, count);
	for (; fresh->head < count; fresh->head++, from = rxe_next(ring, from))
		memcpy(rxe_slot(fresh, fresh->head), rxe_slot(ring, from),
		       sizeof(struct ib_uverbs_wc));
	smp_store_release(&rxe_buf(fresh)->producer_index, fresh->head);
	return 0;
}

const struct rvt_ring_ops rvt_ring_rxe_cq_ops = {
	.name = "rxe",
	.init = cq_init,
	.free = rvt_ring_rxe_free,
	.tell = tell_cq,
	.count = cq_count,
	.produce = cq_produce,
	.resize = cq_resize,
};

/* Receive requests: the consumer's side is ours. */

static int rq_init(struct rvt_ring *ring, struct ib_udata *udata)
{
	const size_t sge_bytes = ring->max_sge * sizeof(struct rxe_sge);
	int ret;

	ring->scratch = base_zalloc(sizeof(struct rvt_rwqe) + sge_bytes);
	if (!ring->scratch)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(struct rvt_rwqe) + sge_bytes);
	ret = rvt_ring_rxe_init(ring, sizeof(struct rxe_recv_wqe) + sge_bytes, udata);
	if (ret) {
		base_free(ring->scratch);
		ring->scratch = NULL;
	}
	return ret;
}

static u32 rq_count(const struct rvt_ring *ring)
{
	return rxe_distance(ring, __atomic_load_n(&ring->tail, __ATOMIC_RELAXED),
			    rxe_producer(ring));
}

/* The lengths in the entry are sums of those of the SGEs: we make our own. */
static const void *rq_peek(struct rvt_ring *ring)
{
	const struct rxe_recv_wqe *slot = rxe_slot(ring, ring->tail);
	struct rvt_rwqe *out = ring->scratch;
	u32 count;

	if (ring->tail == rxe_producer(ring))
		return NULL;
	rxe_take(&out->wr_id, &slot->wr_id, sizeof(out->wr_id));
	rxe_take(&count, &slot->dma.num_sge, sizeof(count));
	if (likely(count <= ring->max_sge))
		rxe_take_sges(out->sg_list, slot->dma.sge, count);
	else
		count = U8_MAX; /* whoever translates it finds that it is too much */
	out->num_sge = (u8)count;
	return out;
}

static void rq_set_tail(struct rvt_ring *ring, u32 tail)
{
	__atomic_store_n(&ring->tail, tail, __ATOMIC_RELAXED);
	smp_store_release(&rxe_buf(ring)->consumer_index, tail);
}

static void rq_consume(struct rvt_ring *ring)
{
	rq_set_tail(ring, rxe_next(ring, ring->tail));
}

static void rq_drop(struct rvt_ring *ring)
{
	rq_set_tail(ring, rxe_producer(ring));
}

static int rq_resize(struct rvt_ring *ring, struct rvt_ring *fresh)
{
	const size_t bytes = sizeof(struct rxe_recv_wqe) + ring->max_sge * sizeof(struct rxe_sge);
	const u32 count = rq_count(ring);
	u32 from = ring->tail;

	if (count > fresh->capacity)
		return base_refuse(-EINVAL, SRQ_RESIZE, fresh->capacity, count);
	for (u32 to = 0; to < count; to++, from = rxe_next(ring, from))
		memcpy(rxe_slot(fresh, to), rxe_slot(ring, from), bytes);
	smp_store_release(&rxe_buf(fresh)->producer_index, count);
	return 0;
}

const struct rvt_ring_ops rvt_ring_rxe_rq_ops = {
	.name = "rxe",
	.init = rq_init,
	.free = rvt_ring_rxe_free,
	.count = rq_count,
	.peek = rq_peek,
	.consume = rq_consume,
	.drop = rq_drop,
	.resize = rq_resize,
};
