/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Objects of a program: as their kernel-API twins, but the provider sees request and response. */
#include <rdma/ib_verbs.h>
#include <rdma/ib_verbs_user.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

struct ib_ucontext *ib_alloc_ucontext(struct ib_device *device,
				      const struct ib_ucontext_mem_ops *mem)
{
	struct ib_ucontext *context;

	if (!device->ops.alloc_ucontext)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	context = core_object_new(device, ib_ucontext);
	if (IS_ERR(context))
		return context;
	context->device = device;
	context->mem = mem;
	xa_init_flags(&context->mmap_xa, XA_FLAGS_ALLOC);
	return context;
}

static void free_ucontext(struct ib_ucontext *context)
{
	xa_destroy(&context->mmap_xa);
	core_object_free(context->device, context);
}

int ib_start_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	int ret = context->device->ops.alloc_ucontext(context, udata);

	if (ret)
		free_ucontext(context);
	return ret;
}

void ib_dealloc_ucontext(struct ib_ucontext *context)
{
	if (context->device->ops.dealloc_ucontext)
		context->device->ops.dealloc_ucontext(context);
	free_ucontext(context);
}

struct ib_pd *ib_alloc_pd_user(struct ib_device *device, struct ib_uobject *uobject,
			       struct ib_udata *udata)
{
	struct ib_pd *pd;
	int ret;

	if (!device->ops.alloc_pd)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	pd = core_object_new(device, ib_pd);
	if (IS_ERR(pd))
		return pd;
	pd->device = device;
	pd->uobject = uobject;
	ret = device->ops.alloc_pd(pd, udata);
	if (!ret)
		return pd;
	core_object_free(device, pd);
	return ERR_PTR(ret);
}

struct ib_cq *ib_create_cq_user(struct ib_device *device, const struct ib_cq_init_attr *attr,
				ib_comp_handler comp_handler,
				void (*event_handler)(struct ib_event *, void *),
				struct ib_ucq_object *uobject, struct ib_udata *udata)
{
	const struct core_cq_user user = {.uobject = uobject,
					  .comp_handler = comp_handler,
					  .event_handler = event_handler,
					  .context = uobject};

	return core_cq_create(device, attr, &user, udata);
}

int ib_resize_cq_user(struct ib_cq *cq, int cqe, struct ib_udata *udata)
{
	if (!cq->device->ops.resize_cq)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return cq->device->ops.resize_cq(cq, cqe, udata);
}

int ib_modify_srq_user(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		       struct ib_udata *udata)
{
	if (!srq->device->ops.modify_srq)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return srq->device->ops.modify_srq(srq, attr, mask, udata);
}

struct ib_mw *ib_alloc_mw_user(struct ib_pd *pd, enum ib_mw_type type, struct ib_uobject *uobject,
			       struct ib_udata *udata)
{
	struct ib_device *device = pd->device;
	struct ib_mw *mw;
	int ret;

	if (!device->ops.alloc_mw)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	if (type != IB_MW_TYPE_1 && type != IB_MW_TYPE_2)
		return ERR_PTR(base_refuse(-EINVAL, MW_TYPE, (u32)type));
	mw = core_object_new(device, ib_mw);
	if (IS_ERR(mw))
		return mw;
	mw->device = device;
	mw->pd = pd;
	mw->uobject = uobject;
	mw->type = type;
	ret = device->ops.alloc_mw(mw, udata);
	if (ret) {
		core_object_free(device, mw);
		return ERR_PTR(ret);
	}
	atomic_inc(&pd->usecnt);
	return mw;
}

int ib_dealloc_mw_user(struct ib_mw *mw)
{
	struct ib_device *device = mw->device;
	struct ib_pd *pd = mw->pd;
	int ret = device->ops.dealloc_mw(mw);

	if (ret)
		return ret;
	atomic_dec(&pd->usecnt);
	core_object_free(device, mw);
	return 0;
}
