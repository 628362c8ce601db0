/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completion queues as the provider makes them. Those that core polls are in cq.c. */
#include <rdma/ib_verbs.h>
#include <rdma/ib_verbs_user.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

struct ib_cq *core_cq_create(struct ib_device *device, const struct ib_cq_init_attr *attr,
			     const struct core_cq_user *user, struct ib_udata *udata)
{
	struct ib_cq *cq;
	int ret;

	if (!device->ops.create_cq)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	cq = core_object_new(device, ib_cq);
	if (IS_ERR(cq))
		return cq;
	cq->device = device;
	cq->uobject = user->uobject;
	cq->comp_handler = user->comp_handler;
	cq->event_handler = user->event_handler;
	cq->cq_context = user->context;
	ret = device->ops.create_cq(cq, attr, udata);
	if (!ret)
		return cq;
	core_object_free(device, cq);
	return ERR_PTR(ret);
}

struct ib_cq *__ib_create_cq(struct ib_device *device, ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *, void *), void *cq_context,
			     const struct ib_cq_init_attr *cq_attr, const char *caller)
{
	const struct core_cq_user user = {.comp_handler = comp_handler,
					  .event_handler = event_handler,
					  .context = cq_context};

	(void)caller;
	return core_cq_create(device, cq_attr, &user, NULL);
}

int rdma_set_cq_moderation(struct ib_cq *cq, u16 cq_count, u16 cq_period)
{
	if (cq->shared)
		return base_refuse(-EOPNOTSUPP, CQ_SHARED);
	if (!cq->device->ops.modify_cq)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return cq->device->ops.modify_cq(cq, cq_count, cq_period);
}

int ib_destroy_cq_user(struct ib_cq *cq, struct ib_udata *udata)
{
	struct ib_device *device = cq->device;
	const int users = atomic_read(&cq->usecnt);
	int ret;

	if (WARN_ON_ONCE(cq->shared))
		return base_refuse(-EOPNOTSUPP, CQ_SHARED);
	if (users)
		return base_refuse(-EBUSY, CQ_IN_USE, (u32)users);
	ret = device->ops.destroy_cq(cq, udata);
	if (ret)
		return ret;
	core_object_free(device, cq);
	return 0;
}

int ib_resize_cq(struct ib_cq *cq, int cqe)
{
	if (cq->shared)
		return base_refuse(-EOPNOTSUPP, CQ_SHARED);
	return ib_resize_cq_user(cq, cqe, NULL);
}
