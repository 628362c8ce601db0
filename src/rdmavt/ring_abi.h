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

#endif
