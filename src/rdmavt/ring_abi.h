/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Rings in the format of <rdma/rvt-abi.h>, which a process maps. */
#ifndef RDMAVT_RING_ABI_H
#define RDMAVT_RING_ABI_H

#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_cq.h>

#include "rdmavt/ring.h"

/** rvt_ring_abi_cq_ops - struct rvt_cq_wc: we produce, the process consumes. */
extern const struct rvt_ring_ops rvt_ring_abi_cq_ops;

/** rvt_ring_abi_wanted() - Whether the caller is a process that takes an offset to map. */
static inline bool rvt_ring_abi_wanted(const struct ib_udata *udata)
{
	return udata && udata->outlen >= sizeof(__u64);
}

/**
 * rvt_ring_abi_create_cq() - Give a CQ a mapped ring.
 * @cq: Gets ring, queue and ip.
 * @cqe: Entries.
 * @udata: Gets the offset to map.
 *
 * Return: 0; -ENOMEM; -EFAULT if @udata cannot be written.
 */
int rvt_ring_abi_create_cq(struct rvt_cq *cq, u32 cqe, struct ib_udata *udata);

/** rvt_ring_abi_destroy_cq() - Undo rvt_ring_abi_create_cq(); a mapping keeps its memory. */
void rvt_ring_abi_destroy_cq(struct rvt_cq *cq);

/**
 * rvt_ring_abi_resize_cq() - Replace a CQ's ring; the entries that are there move, in order.
 * @cq: The CQ.
 * @cqe: Entries.
 * @udata: Gets the new offset to map.
 *
 * Return: 0; -EINVAL if the entries do not fit; -ENOMEM; -EFAULT if @udata cannot be written.
 */
int rvt_ring_abi_resize_cq(struct rvt_cq *cq, u32 cqe, struct ib_udata *udata);

#endif
