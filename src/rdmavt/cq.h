/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completion queues. */
#ifndef RDMAVT_CQ_H
#define RDMAVT_CQ_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_cq.h>

/**
 * rvt_create_cq() - Make a CQ.
 * @ibcq: Zeroed but for what the core filled in.
 * @attr: cqe entries, exactly unless the ring that the process maps has its own sizes (ibcq->cqe
 *	then says how many); comp_vector is taken modulo the device's vectors.
 * @udata: Of a process that maps the ring, or NULL.
 *
 * Return: 0; -EOPNOTSUPP for flags; -EINVAL for fewer than 1 or more than max_cqe entries; -ENOMEM,
 *	also when max_cq CQs exist.
 */
int rvt_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, struct ib_udata *udata);

/**
 * rvt_destroy_cq() - Free a CQ that no QP uses; what is in it is lost.
 * @ibcq: The CQ.
 * @udata: Of the caller, or NULL.
 *
 * Context: May sleep, not in the CQ's own handlers: waits until these have returned.
 * Return: 0.
 */
int rvt_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);

/**
 * rvt_req_notify_cq() - Arm a CQ for one call of its completion handler.
 * @ibcq: The CQ.
 * @notify_flags: IB_CQ_SOLICITED or IB_CQ_NEXT_COMP, perhaps with IB_CQ_REPORT_MISSED_EVENTS.
 *
 * A CQ that is armed for the next completion is not weakened to solicited ones.
 *
 * Context: Any; never sleeps.
 * Return: 0; 1 if entries are there already and the caller asked for that. It is armed all the same.
 */
int rvt_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags notify_flags);

/**
 * rvt_resize_cq() - Change the capacity; entries stay, in order.
 * @ibcq: The CQ.
 * @cqe: New capacity, exactly.
 * @udata: Of a process that maps the ring, or NULL.
 *
 * Return: 0; -EINVAL for a capacity out of range or below what is there now; -ENOMEM. The CQ is then
 *	as before. An overflow is not forgotten.
 */
int rvt_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);

/**
 * rvt_poll_cq() - Take completions, oldest first.
 * @ibcq: The CQ.
 * @num_entries: At most so many.
 * @entry: Room for them.
 *
 * Context: Any. Takes no lock while the CQ is empty.
 * Return: How many; -EINVAL for a CQ that a process polls in its own memory.
 */
int rvt_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *entry);

/**
 * rvt_modify_cq() - Moderate the completion handler.
 * @cq: The CQ.
 * @cq_count: An armed CQ waits for so many completions that it is armed for; 0 and 1: for one.
 * @cq_period: But no longer than so many microseconds after the first; 0: not at all.
 *
 * Return: 0; -EINVAL beyond the device's cq_caps.
 */
int rvt_modify_cq(struct ib_cq *cq, u16 cq_count, u16 cq_period);

/**
 * rvt_driver_cq_init() - One more device wants completion handlers run.
 *
 * Return: 0 or -ENOMEM.
 */
int rvt_driver_cq_init(void);

/** rvt_cq_forked() - Forget the workers, in the child of a fork. */
void rvt_cq_forked(void);

/** rvt_cq_exit() - One of them is gone. The workers stay until the last CQ is gone, too. */
void rvt_cq_exit(void);

#endif
