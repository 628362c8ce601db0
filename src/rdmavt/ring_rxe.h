/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rings in the format of <rdma/rdma_user_rxe.h>: a header with the two indices, which are always
 * masked, and 2^n entries of which one stays empty.
 */
#ifndef RDMAVT_RING_RXE_H
#define RDMAVT_RING_RXE_H

#include <rdma/rdma_user_rxe.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "rdmavt/ring.h"

/** rvt_ring_rxe_cq_ops - We produce, the process consumes. */
extern const struct rvt_ring_ops rvt_ring_rxe_cq_ops;

/** rvt_ring_rxe_rq_ops - Of QPs and SRQs: the process produces, we consume. */
extern const struct rvt_ring_ops rvt_ring_rxe_rq_ops;

/** rvt_ring_rxe_sq_ops - The process produces; a slot is its own again when its request completes. */
extern const struct rvt_ring_ops rvt_ring_rxe_sq_ops;

/** rvt_ring_rxe_wanted() - Whether the caller is a process of librxe's. */
static inline bool rvt_ring_rxe_wanted(const struct rvt_dev_info *rdi, const struct ib_udata *udata)
{
	return udata && rdi->ibdev.ops.driver_id == RDMA_DRIVER_RXE;
}

/**
 * rvt_ring_rxe_round_caps() - What a QP that was asked for will have.
 * @cap: Requests are rounded up to the rings' capacities; SGEs and inline bytes of a send request
 *	share their room.
 * @srq: The QP has no receive queue of its own.
 */
void rvt_ring_rxe_round_caps(struct ib_qp_cap *cap, bool srq);

/** rvt_ring_rxe_capacity() - Entries of a ring for at least @wanted. */
u32 rvt_ring_rxe_capacity(u32 wanted);

/**
 * rvt_ring_rxe_check_udata() - Whether a creating call has the right size.
 * @udata: Of the call.
 * @answer: Bytes that the response takes.
 *
 * Return: 0; -EINVAL if there is a request, or too little room for the response.
 */
int rvt_ring_rxe_check_udata(const struct ib_udata *udata, size_t answer);

/**
 * rvt_ring_rxe_tell_qp() - Write the response to CREATE_QP.
 * @rq: Receive ring, or NULL.
 * @sq: Send ring.
 * @udata: Of the call.
 *
 * Return: 0 or -EFAULT.
 */
int rvt_ring_rxe_tell_qp(const struct rvt_ring *rq, const struct rvt_ring *sq,
			 struct ib_udata *udata);

/** rvt_ring_rxe_tell_srq() - Write the response to CREATE_SRQ. 0 or -EFAULT. */
int rvt_ring_rxe_tell_srq(const struct rvt_ring *ring, u32 srq_num, struct ib_udata *udata);

/**
 * rvt_ring_rxe_tell_resized_srq() - Write where the new ring is to where MODIFY_SRQ's request says.
 * @ring: The new ring.
 * @udata: Of the call.
 *
 * Return: 0; -EINVAL without request; -EFAULT.
 */
int rvt_ring_rxe_tell_resized_srq(const struct rvt_ring *ring, struct ib_udata *udata);

/* Between ring_rxe.c and ring_rxe_sq.c. */

static inline struct rxe_queue_buf *rxe_buf(const struct rvt_ring *ring)
{
	return ring->mem;
}

static inline void *rxe_slot(const struct rvt_ring *ring, u32 index)
{
	return rxe_buf(ring)->data + ((size_t)index << ring->log2_bytes);
}

/* The capacity is the mask, too. */
static inline u32 rxe_next(const struct rvt_ring *ring, u32 index)
{
	return (index + 1) & ring->capacity;
}

static inline u32 rxe_distance(const struct rvt_ring *ring, u32 from, u32 to)
{
	return (to - from) & ring->capacity;
}

/* The index that the process writes: any number, made one of the ring's. */
static inline u32 rxe_producer(const struct rvt_ring *ring)
{
	return smp_load_acquire(&rxe_buf(ring)->producer_index) & ring->capacity;
}

/* Copy from memory that somebody else may be writing to; nobody reads it again behind our back. */
static inline void rxe_take(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	barrier();
}

/* SGEs look alike everywhere. Most requests have one, which a call of memcpy() would not pay for. */
static inline void rxe_take_sges(void *to, const struct rxe_sge *from, u32 count)
{
	for (u32 i = 0; i < count; i++)
		rxe_take((struct rxe_sge *)to + i, from + i, sizeof(*from));
}

int rvt_ring_rxe_init(struct rvt_ring *ring, size_t entry_bytes, struct ib_udata *udata);
void rvt_ring_rxe_free(struct rvt_ring *ring);

#endif
