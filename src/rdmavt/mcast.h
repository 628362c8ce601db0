/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Multicast groups of a port, and the QPs attached to them. */
#ifndef RDMAVT_MCAST_H
#define RDMAVT_MCAST_H

#include <linux/rcupdate.h>
#include <linux/wait.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

/** rvt_driver_mcast_init() - No group yet. */
void rvt_driver_mcast_init(struct rvt_dev_info *rdi);

/**
 * rvt_attach_mcast() - Let a QP take part in a group of its port.
 * @ibqp: Not 0 or 1, and not in RESET. A second time changes nothing.
 * @gid: The group.
 * @lid: Its MLID.
 *
 * The QP is referenced: it must be detached before it is destroyed.
 *
 * Return: 0; -EINVAL for such a QP, or when the group is known with another MLID; -ENOMEM, also at
 *	max_mcast_grp groups or max_mcast_qp_attach QPs in this one.
 */
int rvt_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/**
 * rvt_detach_mcast() - Undo rvt_attach_mcast().
 * @ibqp: The QP.
 * @gid: The group.
 * @lid: Its MLID.
 *
 * Context: May sleep: waits for deliveries that are under way.
 * Return: 0; -EINVAL for QP 0 or 1, a group that is not known or has another MLID, or a QP that is
 *	not attached.
 */
int rvt_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid);

/**
 * rvt_mcast_for_each() - Walk the QPs of a group that rvt_mcast_find() has returned.
 * @mqp: Loop variable, struct rvt_mcast_qp *.
 * @mcast: The group.
 *
 * Takes no lock. QPs that come or go meanwhile may be seen or not; one that is seen stays referenced
 * until rvt_mcast_put().
 */
#define rvt_mcast_for_each(mqp, mcast)                                       \
	for (struct list_head *at_ = rcu_dereference((mcast)->qp_list.next); \
	     at_ != &(mcast)->qp_list &&                                     \
	     ((mqp) = container_of(at_, struct rvt_mcast_qp, list), true);   \
	     at_ = rcu_dereference(at_->next))

/**
 * rvt_mcast_put() - The walk is over.
 * @mcast: From rvt_mcast_find(); not to be touched any more.
 */
static inline void rvt_mcast_put(struct rvt_mcast *mcast)
{
	if (atomic_dec_return(&mcast->refcount) <= 1)
		wake_up(&mcast->wait);
}

/** rvt_mcast_tree_empty() - Ports that still have groups: 0 when nothing has leaked. */
int rvt_mcast_tree_empty(struct rvt_dev_info *rdi);

#endif
