/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Shared receive queues. */
#include <rdma/ib_verbs.h>
#include <rdma/ib_verbs_user.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

/* Who an SRQ keeps from being destroyed. */
static void count_users(const struct ib_srq *srq, void (*count)(atomic_t *))
{
	count(&srq->pd->usecnt);
	if (ib_srq_has_cq(srq->srq_type))
		count(&srq->ext.cq->usecnt);
	if (srq->srq_type == IB_SRQT_XRC && srq->ext.xrc.xrcd)
		count(&srq->ext.xrc.xrcd->usecnt);
}

static void add_user(atomic_t *usecnt)
{
	atomic_inc(usecnt);
}

static void drop_user(atomic_t *usecnt)
{
	atomic_dec(usecnt);
}

struct ib_srq *ib_create_srq_user(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr,
				  struct ib_usrq_object *uobject, struct ib_udata *udata)
{
	struct ib_device *device = pd->device;
	struct ib_srq *srq;
	int ret;

	if (!device->ops.create_srq)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	if (ib_srq_has_cq(srq_init_attr->srq_type) && !srq_init_attr->ext.cq)
		return ERR_PTR(base_refuse(-EINVAL, SRQ_NO_CQ, srq_init_attr->srq_type));
	srq = core_object_new(device, ib_srq);
	if (IS_ERR(srq))
		return srq;
	srq->device = device;
	srq->pd = pd;
	srq->event_handler = srq_init_attr->event_handler;
	srq->srq_context = srq_init_attr->srq_context;
	srq->srq_type = srq_init_attr->srq_type;
	srq->uobject = uobject;
	if (ib_srq_has_cq(srq->srq_type))
		srq->ext.cq = srq_init_attr->ext.cq;
	if (srq->srq_type == IB_SRQT_XRC)
		srq->ext.xrc.xrcd = srq_init_attr->ext.xrc.xrcd;
	count_users(srq, add_user);
	ret = device->ops.create_srq(srq, srq_init_attr, udata);
	if (!ret)
		return srq;
	count_users(srq, drop_user);
	core_object_free(device, srq);
	return ERR_PTR(ret);
}

int ib_modify_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr,
		  enum ib_srq_attr_mask srq_attr_mask)
{
	return ib_modify_srq_user(srq, srq_attr, srq_attr_mask, NULL);
}

int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr)
{
	if (!srq->device->ops.query_srq)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return srq->device->ops.query_srq(srq, srq_attr);
}

int ib_destroy_srq_user(struct ib_srq *srq, struct ib_udata *udata)
{
	struct ib_device *device = srq->device;
	const int users = atomic_read(&srq->usecnt);
	int ret;

	if (users)
		return base_refuse(-EBUSY, SRQ_IN_USE, (u32)users);
	ret = device->ops.destroy_srq(srq, udata);
	if (ret)
		return ret;
	count_users(srq, drop_user);
	core_object_free(device, srq);
	return 0;
}
