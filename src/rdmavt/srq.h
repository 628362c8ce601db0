/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Shared receive queues. */
#ifndef RDMAVT_SRQ_H
#define RDMAVT_SRQ_H

#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

/** rvt_driver_srq_init() - No SRQ yet. */
void rvt_driver_srq_init(struct rvt_dev_info *rdi);

/**
 * rvt_create_srq() - Make an SRQ.
 * @ibsrq: Zeroed but for what the core filled in.
 * @srq_init_attr: attr.max_wr requests of attr.max_sge SGEs; attr.srq_limit arms the limit event.
 *	Out: attr.max_wr that there are.
 * @udata: Of a process that maps the ring, or NULL.
 *
 * Return: 0; -EOPNOTSUPP for another type than IB_SRQT_BASIC; -EINVAL for sizes of 0 or beyond
 *	max_srq_sge and max_srq_wr; -ENOMEM, also when max_srq SRQs exist.
 */
int rvt_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *srq_init_attr,
		   struct ib_udata *udata);

/**
 * rvt_modify_srq() - Resize an SRQ, arm its limit event, or both.
 * @ibsrq: The SRQ.
 * @attr: max_wr with IB_SRQ_MAX_WR: requests that are posted stay, in order. srq_limit with
 *	IB_SRQ_LIMIT: fewer requests than that raise IB_EVENT_SRQ_LIMIT_REACHED once; 0 disarms.
 * @attr_mask: enum ib_srq_attr_mask.
 * @udata: Of the caller, or NULL. A process that maps its ring in rxe's format is told where the new
 *	one is.
 *
 * Context: May sleep. Others may post and consume meanwhile.
 * Return: 0; -EINVAL for 0 or more than max_srq_wr requests, a limit above the size, a size that does
 *	not hold what is posted, or without the @udata of the process that maps the ring; -EOPNOTSUPP
 *	to resize a ring of rvt-abi's format; -ENOMEM; -EFAULT if @udata cannot be read or answered.
 */
int rvt_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask attr_mask,
		   struct ib_udata *udata);

/**
 * rvt_query_srq() - Read an SRQ's sizes.
 * @ibsrq: The SRQ.
 * @attr: Out: max_wr, max_sge, and srq_limit, which is 0 once the event has been raised.
 *
 * Return: 0.
 */
int rvt_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);

/**
 * rvt_destroy_srq() - Free an SRQ that no QP uses; what is posted is lost.
 * @ibsrq: The SRQ.
 * @udata: Of the caller, or NULL.
 *
 * Return: 0.
 */
int rvt_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

#endif
