// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Commands about protection domains, and what lies in one without queues: MRs, windows, AHs. */
#include <errno.h>
#include <linux/err.h>
#include <string.h>

#include "base/cause.h"
#include "base/umem.h"
#include "uabi/uverbs_address.h"
#include "uabi/uverbs_cmd.h"

struct ib_pd *uverbs_pd_get(struct uverbs_attr_bundle *attrs, u32 handle,
			    struct uverbs_object **object)
{
	*object = uverbs_object_get(uverbs_file_of(attrs), UVERBS_TYPE_PD, handle);
	return IS_ERR(*object) ? ERR_CAST(*object) : (*object)->uobject.object;
}

/* Answer, and let the handle be seen; what cannot be told is undone. */
static int finish(struct uverbs_attr_bundle *attrs, struct uverbs_object *object,
		  const void *response, size_t bytes)
{
	int ret = uverbs_response(attrs, response, bytes);

	if (ret)
		uverbs_object_undo(attrs, object);
	else
		uverbs_object_live(object);
	return ret;
}

int uverbs_cmd_alloc_pd(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_alloc_pd_resp response = {.pd_handle = 0};
	struct uverbs_object *object =
		uverbs_object_new(uverbs_file_of(attrs), UVERBS_TYPE_PD, sizeof(*object));
	struct ib_pd *pd;

	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	pd = ib_alloc_pd_user(uverbs_device_of(attrs), &object->uobject, &attrs->driver_udata);
	if (IS_ERR(pd)) {
		uverbs_object_drop(object);
		return (int)PTR_ERR(pd);
	}
	object->uobject.object = pd;
	response.pd_handle = (u32)object->uobject.id;
	return finish(attrs, object, &response, sizeof(response));
}

int uverbs_destroy_pd(struct uverbs_object *object, struct ib_udata *udata, void *response)
{
	const struct ib_pd *pd = object->uobject.object;
	const u32 users = (u32)atomic_read(&pd->usecnt);

	(void)response;
	if (users)
		return base_refuse(-EBUSY, UVERBS_PD_IN_USE, (u32)object->uobject.id, users);
	return ib_dealloc_pd_user(object->uobject.object, udata);
}

int uverbs_cmd_dealloc_pd(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_dealloc_pd request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	return ret ? ret : uverbs_object_destroy(attrs, UVERBS_TYPE_PD, request.pd_handle, NULL);
}

/*
 * What the kernel finds by pinning pages. We do not hold them: what the program unmaps later is found by who
 * uses it.
 */
static int check_memory(u64 start, u64 length, u32 access)
{
	const u32 writes = IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
			   IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_MW_BIND;
	char *at = (char *)(uintptr_t)start;

	if (access & IB_ACCESS_ON_DEMAND) /* may come later; all addresses are such a region, too */
		return 0;
	if (length > UINT64_MAX - start || start + length > (UINT64_MAX & PAGE_MASK))
		return base_refuse(-EINVAL, MR_WRAP, start, length);
	if (!length) /* core refuses it */
		return 0;
	if (!base_umem_is_there(at, length))
		return base_refuse(-EFAULT, MR_NO_MEMORY, start, length);
	if ((access & writes) && !base_umem_is_writable(at, length))
		return base_refuse(-EFAULT, MR_READ_ONLY, start, length);
	return 0;
}

static struct ib_mr *reg_mr(struct uverbs_attr_bundle *attrs,
			    const struct ib_uverbs_reg_mr *request, struct uverbs_object *object)
{
	struct uverbs_object *pd_object;
	struct ib_pd *pd = uverbs_pd_get(attrs, request->pd_handle, &pd_object);
	struct ib_mr *mr;

	if (IS_ERR(pd))
		return ERR_CAST(pd);
	mr = ib_reg_mr_user(pd, request->start, request->length, request->hca_va,
			    (int)request->access_flags, &object->uobject, &attrs->driver_udata);
	uverbs_object_put(pd_object);
	return mr;
}

int uverbs_cmd_reg_mr(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_reg_mr_resp response;
	struct ib_uverbs_reg_mr request;
	struct uverbs_object *object;
	struct ib_mr *mr;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	if ((request.start ^ request.hca_va) & (PAGE_SIZE - 1))
		return base_refuse(-EINVAL, UVERBS_MR_OFFSET, request.start, request.hca_va);
	ret = check_memory(request.start, request.length, request.access_flags);
	if (ret)
		return ret;
	object = uverbs_object_new(uverbs_file_of(attrs), UVERBS_TYPE_MR, sizeof(*object));
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	mr = reg_mr(attrs, &request, object);
	if (IS_ERR(mr)) {
		uverbs_object_drop(object);
		return (int)PTR_ERR(mr);
	}
	object->uobject.object = mr;
	response = (struct ib_uverbs_reg_mr_resp){
		.mr_handle = (u32)object->uobject.id,
		.lkey = mr->lkey,
		.rkey = mr->rkey,
	};
	return finish(attrs, object, &response, sizeof(response));
}

int uverbs_destroy_mr(struct uverbs_object *object, struct ib_udata *udata, void *response)
{
	(void)response;
	return ib_dereg_mr_user(object->uobject.object, udata);
}

int uverbs_cmd_dereg_mr(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_dereg_mr request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	return ret ? ret : uverbs_object_destroy(attrs, UVERBS_TYPE_MR, request.mr_handle, NULL);
}

int uverbs_cmd_alloc_mw(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_alloc_mw_resp response = {.mw_handle = 0};
	struct uverbs_object *object, *pd_object;
	struct ib_uverbs_alloc_mw request;
	struct ib_pd *pd;
	struct ib_mw *mw;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	pd = uverbs_pd_get(attrs, request.pd_handle, &pd_object);
	if (IS_ERR(pd))
		return (int)PTR_ERR(pd);
	object = uverbs_object_new(uverbs_file_of(attrs), UVERBS_TYPE_MW, sizeof(*object));
	mw = IS_ERR(object) ? ERR_CAST(object)
			    : ib_alloc_mw_user(pd, (enum ib_mw_type)request.mw_type,
					       &object->uobject, &attrs->driver_udata);
	uverbs_object_put(pd_object);
	if (IS_ERR(mw)) {
		if (!IS_ERR(object))
			uverbs_object_drop(object);
		return (int)PTR_ERR(mw);
	}
	object->uobject.object = mw;
	response.mw_handle = (u32)object->uobject.id;
	response.rkey = mw->rkey;
	return finish(attrs, object, &response, sizeof(response));
}

int uverbs_destroy_mw(struct uverbs_object *object, struct ib_udata *udata, void *response)
{
	(void)udata;
	(void)response;
	return ib_dealloc_mw_user(object->uobject.object);
}

int uverbs_cmd_dealloc_mw(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_dealloc_mw request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	return ret ? ret : uverbs_object_destroy(attrs, UVERBS_TYPE_MW, request.mw_handle, NULL);
}

static struct ib_ah *create_ah(struct uverbs_attr_bundle *attrs,
			       const struct ib_uverbs_create_ah *request)
{
	struct ib_device *device = uverbs_device_of(attrs);
	struct uverbs_object *pd_object;
	struct rdma_ah_attr ah_attr;
	struct ib_ah *ah;
	struct ib_pd *pd;

	if (!rdma_is_port_valid(device, request->attr.port_num))
		return ERR_PTR(base_refuse(-EINVAL, AH_PORT, request->attr.port_num,
					   rdma_start_port(device), rdma_end_port(device)));
	pd = uverbs_pd_get(attrs, request->pd_handle, &pd_object);
	if (IS_ERR(pd))
		return ERR_CAST(pd);
	uverbs_address_of_ah(device, &request->attr, &ah_attr);
	ah = rdma_create_user_ah(pd, &ah_attr, &attrs->driver_udata);
	uverbs_object_put(pd_object);
	return ah;
}

int uverbs_cmd_create_ah(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_ah_resp response = {.ah_handle = 0};
	struct ib_uverbs_create_ah request;
	struct uverbs_object *object;
	struct ib_ah *ah;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	object = uverbs_object_new(uverbs_file_of(attrs), UVERBS_TYPE_AH, sizeof(*object));
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	ah = create_ah(attrs, &request);
	if (IS_ERR(ah)) {
		uverbs_object_drop(object);
		return (int)PTR_ERR(ah);
	}
	ah->uobject = &object->uobject;
	object->uobject.object = ah;
	object->uobject.user_handle = request.user_handle;
	response.ah_handle = (u32)object->uobject.id;
	return finish(attrs, object, &response, sizeof(response));
}

int uverbs_destroy_ah(struct uverbs_object *object, struct ib_udata *udata, void *response)
{
	(void)response;
	return rdma_destroy_ah_user(object->uobject.object, RDMA_DESTROY_AH_SLEEPABLE, udata);
}

int uverbs_cmd_destroy_ah(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_ah request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	return ret ? ret : uverbs_object_destroy(attrs, UVERBS_TYPE_AH, request.ah_handle, NULL);
}
