/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * XRC target QPs, which several processes share. The real QP belongs to the XRC domain, where it
 * is found by its number; each user has a handle, which gets the QP's events, too.
 */
#include <rdma/ib_verbs.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

/* One event of the real QP, to each handle. The handlers must neither open nor close handles. */
static void fan_out(struct ib_event *event, void *context)
{
	struct ib_qp *real_qp = context, *handle;
	unsigned long flags;

	spin_lock_irqsave(&real_qp->device->qp_open_list_lock, flags);
	list_for_each_entry(handle, &real_qp->open_list, open_list) {
		event->element.qp = handle;
		if (handle->event_handler)
			handle->event_handler(event, handle->qp_context);
	}
	spin_unlock_irqrestore(&real_qp->device->qp_open_list_lock, flags);
	event->element.qp = real_qp;
}

static struct ib_qp *open_handle(struct ib_qp *real_qp,
				 void (*event_handler)(struct ib_event *, void *), void *qp_context)
{
	struct ib_device *device = real_qp->device;
	struct ib_qp *handle = core_object_alloc(device, 0, sizeof(*handle));
	unsigned long flags;

	if (IS_ERR(handle))
		return handle;
	handle->real_qp = real_qp;
	handle->device = device;
	handle->event_handler = event_handler;
	handle->qp_context = qp_context;
	handle->qp_num = real_qp->qp_num;
	handle->qp_type = real_qp->qp_type;
	atomic_inc(&real_qp->usecnt);
	spin_lock_irqsave(&device->qp_open_list_lock, flags);
	list_add(&handle->open_list, &real_qp->open_list);
	spin_unlock_irqrestore(&device->qp_open_list_lock, flags);
	return handle;
}

struct ib_qp *core_share_qp(struct ib_qp *real_qp, const struct ib_qp_init_attr *attr)
{
	struct ib_xrcd *xrcd = attr->xrcd;
	struct ib_qp *handle;
	int ret;

	real_qp->event_handler = fan_out;
	real_qp->qp_context = real_qp;
	real_qp->pd = NULL;
	real_qp->send_cq = NULL;
	real_qp->recv_cq = NULL;
	real_qp->srq = NULL;
	real_qp->rwq_ind_tbl = NULL;
	handle = open_handle(real_qp, attr->event_handler, attr->qp_context);
	if (IS_ERR(handle))
		return handle;
	down_write(&xrcd->tgt_qps_rwsem);
	ret = xa_err(xa_store(&xrcd->tgt_qps, real_qp->qp_num, real_qp, GFP_KERNEL));
	up_write(&xrcd->tgt_qps_rwsem);
	if (ret) {
		ib_close_qp(handle);
		return ERR_PTR(base_refuse(ret, NO_MEMORY, sizeof(void *)));
	}
	real_qp->xrcd = xrcd;
	atomic_inc(&xrcd->usecnt);
	return handle;
}

struct ib_qp *core_unshare_qp(struct ib_qp *handle)
{
	struct ib_qp *real_qp = handle->real_qp;
	struct ib_xrcd *xrcd = real_qp->xrcd;

	down_write(&xrcd->tgt_qps_rwsem);
	ib_close_qp(handle);
	if (atomic_read(&real_qp->usecnt))
		real_qp = NULL;
	else
		xa_erase(&xrcd->tgt_qps, real_qp->qp_num);
	up_write(&xrcd->tgt_qps_rwsem);
	return real_qp;
}

struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd, struct ib_qp_open_attr *qp_open_attr)
{
	struct ib_qp *real_qp, *handle;

	if (qp_open_attr->qp_type != IB_QPT_XRC_TGT)
		return ERR_PTR(base_refuse(-EINVAL, OPEN_QP_TYPE, qp_open_attr->qp_type));
	down_read(&xrcd->tgt_qps_rwsem);
	real_qp = xa_load(&xrcd->tgt_qps, qp_open_attr->qp_num);
	if (real_qp)
		handle =
			open_handle(real_qp, qp_open_attr->event_handler, qp_open_attr->qp_context);
	else
		handle = ERR_PTR(base_refuse(-EINVAL, OPEN_QP_NUMBER, qp_open_attr->qp_num));
	up_read(&xrcd->tgt_qps_rwsem);
	return handle;
}

int ib_close_qp(struct ib_qp *qp)
{
	struct ib_device *device = qp->device;
	struct ib_qp *real_qp = qp->real_qp;
	unsigned long flags;

	if (real_qp == qp)
		return base_refuse_qp(-EINVAL, qp->qp_num, CLOSE_REAL_QP);
	spin_lock_irqsave(&device->qp_open_list_lock, flags);
	list_del(&qp->open_list);
	spin_unlock_irqrestore(&device->qp_open_list_lock, flags);
	atomic_dec(&real_qp->usecnt);
	core_object_free(device, qp);
	return 0;
}
