/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Receive work queues that stand alone, for receive-side scaling. */
#include <rdma/ib_verbs.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init_attr)
{
	struct ib_device *device = pd->device;
	struct ib_wq *wq;
	int ret;

	if (!device->ops.create_wq)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	ret = core_object_get(device);
	if (ret)
		return ERR_PTR(ret);
	wq = device->ops.create_wq(pd, init_attr, NULL); /* allocates it, too */
	if (IS_ERR(wq)) {
		core_object_put(device);
		return wq;
	}
	wq->device = device;
	wq->pd = pd;
	wq->cq = init_attr->cq;
	wq->uobject = NULL;
	wq->event_handler = init_attr->event_handler;
	wq->wq_context = init_attr->wq_context;
	wq->wq_type = init_attr->wq_type;
	atomic_set(&wq->usecnt, 0);
	atomic_inc(&pd->usecnt);
	atomic_inc(&init_attr->cq->usecnt);
	return wq;
}

int ib_destroy_wq_user(struct ib_wq *wq, struct ib_udata *udata)
{
	struct ib_device *device = wq->device;
	const int users = atomic_read(&wq->usecnt);
	struct ib_pd *pd = wq->pd;
	struct ib_cq *cq = wq->cq;
	int ret;

	if (users)
		return base_refuse(-EBUSY, WQ_IN_USE, (u32)users);
	ret = device->ops.destroy_wq(wq, udata);
	if (ret)
		return ret;
	atomic_dec(&pd->usecnt);
	atomic_dec(&cq->usecnt);
	core_object_put(device);
	return 0;
}
