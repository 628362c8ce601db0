/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The way of the simplest SENDs from a process's ring into the send queue (docs/design/express.md). */
#ifndef RDMAVT_EXPRESS_H
#define RDMAVT_EXPRESS_H

#include <rdma/rdmavt_qp.h>

/**
 * rvt_express_fill() - The next entry of a process's send ring into the slot at s_head, if it is a SEND of a
 *	few bytes.
 * @qp: RC, with a ring; s_hlock held, and RCU.
 * @wqe: The slot. Filled in but for what the driver adds; its bytes are in the slot's own room.
 *
 * Return: Whether it is. If not, only @wqe has changed, and the entry is for rvt_post_one_wr(), which also
 *	says what is wrong with it.
 */
bool rvt_express_fill(struct rvt_qp *qp, struct rvt_swqe *wqe);

#endif
