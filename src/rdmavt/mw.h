/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory windows: a part of a region with rights and a key of its own. */
#ifndef RDMAVT_MW_H
#define RDMAVT_MW_H

#include <rdma/rdma_vt.h>

#include "base/cause.h"

/**
 * rvt_alloc_mw() - Make a window, which is not bound yet.
 * @ibmw: Zeroed but for device, pd and type. Gets its rkey, whose low byte is the consumer's.
 * @udata: Of the caller, or NULL.
 *
 * Return: 0; -EINVAL for another type than 1 and 2; -ENOMEM, also when max_mw windows exist.
 */
int rvt_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata);

/** rvt_dealloc_mw() - Unbind a window and free it. Always 0. */
int rvt_dealloc_mw(struct ib_mw *ibmw);

/** rvt_mw_of_key() - The window whose slot a key names, whether the key is right or not; or NULL. */
struct rvt_mw *rvt_mw_of_key(struct rvt_lkey_table *rkt, u32 key) REQUIRES(rkt->lock);

/**
 * rvt_mw_invalidate() - Execute an invalidation, local or of a peer.
 * @mw: rvt_mw_of_key(@key).
 * @qp: On which it was posted or received.
 * @key: As it was named.
 * @remote: It is a peer's: only through the QP that the window is bound through.
 * @why: On refusal: id and values.
 *
 * Return: 0; -EINVAL.
 */
int rvt_mw_invalidate(struct rvt_mw *mw, const struct rvt_qp *qp, u32 key, bool remote,
		      struct base_cause *why);

/** rvt_mw_qp_gone() - A QP is being destroyed: windows that are bound through it are not any more. */
void rvt_mw_qp_gone(struct rvt_dev_info *rdi, u32 qpn);

#endif
