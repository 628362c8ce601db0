/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What librxe does with the rings that a process has mapped. */
#ifndef TESTS_COMMON_LIBRXE_H
#define TESTS_COMMON_LIBRXE_H

#include <linux/types.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <stdbool.h>
#include <string.h>

static inline u32 librxe_mask(const struct rxe_queue_buf *q)
{
	return q->index_mask;
}

static inline void *librxe_slot(struct rxe_queue_buf *q, u32 index)
{
	return q->data + ((size_t)index << q->log2_elem_size);
}

static inline u32 librxe_load(const u32 *index)
{
	return __atomic_load_n(index, __ATOMIC_ACQUIRE);
}

static inline bool librxe_full(const struct rxe_queue_buf *q)
{
	return ((q->producer_index + 1) & q->index_mask) == librxe_load(&q->consumer_index);
}

/* The slot that the next request goes into, with leftovers of the slot's last use. */
static inline void *librxe_free_slot(struct rxe_queue_buf *q)
{
	return librxe_slot(q, q->producer_index);
}

static inline void librxe_publish(struct rxe_queue_buf *q)
{
	__atomic_store_n(&q->producer_index, (q->producer_index + 1) & q->index_mask,
			 __ATOMIC_RELEASE);
}

/* ibv_post_send() up to the doorbell. False: the ring is full. */
static inline bool librxe_post_send(struct rxe_queue_buf *q, const struct rxe_send_wr *wr,
				    const struct rxe_sge *sge, u32 num_sge)
{
	struct rxe_send_wqe *wqe = librxe_free_slot(q);
	u32 length = 0;

	if (librxe_full(q))
		return false;
	wqe->wr = *wr;
	for (u32 i = 0; i < num_sge; i++) {
		wqe->dma.sge[i] = sge[i];
		length += sge[i].length;
	}
	wqe->dma.length = wqe->dma.resid = length;
	wqe->dma.num_sge = num_sge;
	wqe->dma.cur_sge = wqe->dma.sge_offset = 0;
	wqe->state = 0;
	librxe_publish(q);
	return true;
}

/* The same for inline data; @num_sge is what the request says and means nothing. */
static inline bool librxe_post_inline(struct rxe_queue_buf *q, const struct rxe_send_wr *wr,
				      const void *bytes, u32 length, u32 num_sge)
{
	struct rxe_send_wqe *wqe = librxe_free_slot(q);

	if (librxe_full(q))
		return false;
	wqe->wr = *wr;
	memcpy(wqe->dma.inline_data, bytes, length);
	wqe->dma.length = wqe->dma.resid = length;
	wqe->dma.num_sge = num_sge;
	librxe_publish(q);
	return true;
}

/* ibv_post_recv(). */
static inline bool librxe_post_recv(struct rxe_queue_buf *q, u64 wr_id, const struct rxe_sge *sge,
				    u32 num_sge)
{
	struct rxe_recv_wqe *wqe = librxe_free_slot(q);
	u32 length = 0;

	if (librxe_full(q))
		return false;
	wqe->wr_id = wr_id;
	for (u32 i = 0; i < num_sge; i++) {
		wqe->dma.sge[i] = sge[i];
		length += sge[i].length;
	}
	wqe->dma.length = wqe->dma.resid = length;
	wqe->dma.num_sge = num_sge;
	librxe_publish(q);
	return true;
}

/* ibv_poll_cq() of one entry. */
static inline bool librxe_poll(struct rxe_queue_buf *q, struct ib_uverbs_wc *wc)
{
	if (q->consumer_index == librxe_load(&q->producer_index))
		return false;
	memcpy(wc, librxe_slot(q, q->consumer_index), sizeof(*wc));
	__atomic_store_n(&q->consumer_index, (q->consumer_index + 1) & q->index_mask,
			 __ATOMIC_RELEASE);
	return true;
}

#endif
