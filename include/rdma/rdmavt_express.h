/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rdmavt, for drivers: the simplest messages, past what the general code is for (Verbena, docs/design/express.md). */
#ifndef VERBENA_RDMA_RDMAVT_EXPRESS_H
#define VERBENA_RDMA_RDMAVT_EXPRESS_H

#include <rdma/rdmavt_qp.h>

/**
 * rvt_express_receive() - A whole message into the oldest receive request, if both are of the simplest kind.
 * @qp: The responder, of which no message is in progress; r_lock held.
 * @bytes: The message, in any memory.
 * @count: Its length, not 0.
 *
 * That is a request with one SGE, which has room, of a region that is one range of addresses, in a ring of
 * librxe's format; and of an SRQ, that no limit is set.
 *
 * Context: Between rcu_read_lock() and rcu_read_unlock().
 * Return: true: the bytes are in place, the request is taken, and qp->r_wr_id is its own. false: nothing has
 *	happened, whatever the reason: rvt_get_rwqe() finds it.
 */
bool rvt_express_receive(struct rvt_qp *qp, const void *bytes, u32 count);

#endif /* VERBENA_RDMA_RDMAVT_EXPRESS_H */
