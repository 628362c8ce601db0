// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Commands about shared receive queues. */
#include <errno.h>
#include <linux/err.h>

#include "base/cause.h"
#include "uabi/uverbs_cmd.h"

static struct ib_usrq_object *srq_object(struct uverbs_object *object)
{
	return container_of(object, struct ib_usrq_object, object);
}

static void srq_event(struct ib_event *event, void *context)
{
	struct ib_usrq_object *object = context;

	uverbs_raise_async(object->async, object->object.uobject.user_handle, event->event,
			   &object->async_raised);
}

static bool is_srq_event(const void *record)
{
	const u32 type = ((const struct ib_uverbs_async_event_desc *)record)->event_type;

	return type == IB_EVENT_SRQ_ERR || type == IB_EVENT_SRQ_LIMIT_REACHED;
}

static void free_object(struct ib_usrq_object *object)
{
	uverbs_events_put(object->async);
	uverbs_object_drop(&object->object);
}

static struct ib_srq *create(struct uverbs_attr_bundle *attrs, struct uverbs_srq_args *args,
			     struct ib_usrq_object *object)
{
	struct ib_srq_init_attr init = {
		.event_handler = srq_event,
		.srq_context = object,
		.attr = args->attr,
		.srq_type = (enum ib_srq_type)args->type,
	};
	struct uverbs_object *pd_object;
	struct ib_srq *srq;
	struct ib_pd *pd;

	if (args->type != IB_SRQT_BASIC) /* the others belong to XRC domains and tag matching */
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	pd = uverbs_pd_get(attrs, args->pd_handle, &pd_object);
	if (IS_ERR(pd))
		return ERR_CAST(pd);
	srq = ib_create_srq_user(pd, &init, object, &attrs->driver_udata);
	uverbs_object_put(pd_object);
	args->attr = init.attr;
	return srq;
}

struct ib_usrq_object *uverbs_create_srq(struct uverbs_attr_bundle *attrs,
					 struct uverbs_srq_args *args)
{
	struct ib_uverbs_file *file = uverbs_file_of(attrs);
	struct uverbs_object *handle =
		uverbs_object_new(file, UVERBS_TYPE_SRQ, sizeof(struct ib_usrq_object));
	struct uverbs_events *async;
	struct ib_usrq_object *object;
	struct ib_srq *srq;

	if (IS_ERR(handle))
		return ERR_CAST(handle);
	object = srq_object(handle);
	handle->uobject.user_handle = args->user_handle;
	attrs->uobject = &handle->uobject;
	async = uverbs_async_of(file, args->event_fd);
	if (IS_ERR(async)) {
		uverbs_object_drop(handle);
		return ERR_CAST(async);
	}
	object->async = async;
	srq = create(attrs, args, object);
	if (IS_ERR(srq)) {
		free_object(object);
		return ERR_CAST(srq);
	}
	handle->uobject.object = srq;
	return object;
}

int uverbs_destroy_srq(struct uverbs_object *handle, struct ib_udata *udata, void *response)
{
	struct ib_usrq_object *object = srq_object(handle);
	int ret = ib_destroy_srq_user(handle->uobject.object, udata);
	u32 reported;

	if (ret)
		return ret;
	reported = uverbs_events_withdraw(object->async, handle->uobject.user_handle, is_srq_event,
					  object->async_raised);
	uverbs_events_put(object->async);
	if (response)
		((struct ib_uverbs_destroy_srq_resp *)response)->events_reported = reported;
	return 0;
}

/* A basic SRQ has no number of its own, which the response leaves out, then. */
static int create_srq(struct uverbs_attr_bundle *attrs, struct uverbs_srq_args *args)
{
	struct ib_usrq_object *object = uverbs_create_srq(attrs, args);
	struct ib_uverbs_create_srq_resp response;
	int ret;

	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	response = (struct ib_uverbs_create_srq_resp){
		.srq_handle = (u32)object->object.uobject.id,
		.max_wr = args->attr.max_wr,
		.max_sge = args->attr.max_sge,
	};
	ret = uverbs_response(attrs, &response, sizeof(response));
	if (ret)
		uverbs_object_undo(attrs, &object->object);
	else
		uverbs_object_live(&object->object);
	return ret;
}

int uverbs_cmd_create_srq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_srq request;
	int ret = uverbs_request(attrs, &request, sizeof(request));
	struct uverbs_srq_args args;

	if (ret)
		return ret;
	args = (struct uverbs_srq_args){
		.user_handle = request.user_handle,
		.pd_handle = request.pd_handle,
		.type = IB_SRQT_BASIC,
		.attr = {request.max_wr, request.max_sge, request.srq_limit},
		.event_fd = -1,
	};
	return create_srq(attrs, &args);
}

int uverbs_cmd_create_xsrq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_xsrq request;
	int ret = uverbs_request(attrs, &request, sizeof(request));
	struct uverbs_srq_args args;

	if (ret)
		return ret;
	args = (struct uverbs_srq_args){
		.user_handle = request.user_handle,
		.pd_handle = request.pd_handle,
		.type = request.srq_type,
		.attr = {request.max_wr, request.max_sge, request.srq_limit},
		.event_fd = -1,
	};
	return create_srq(attrs, &args);
}

static struct ib_srq *get_srq(struct uverbs_attr_bundle *attrs, u32 handle,
			      struct uverbs_object **object)
{
	*object = uverbs_object_get(uverbs_file_of(attrs), UVERBS_TYPE_SRQ, handle);
	return IS_ERR(*object) ? ERR_CAST(*object) : (*object)->uobject.object;
}

int uverbs_cmd_modify_srq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_modify_srq request;
	struct uverbs_object *object;
	struct ib_srq_attr attr = {.max_sge = 0};
	struct ib_srq *srq;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	srq = get_srq(attrs, request.srq_handle, &object);
	if (IS_ERR(srq))
		return (int)PTR_ERR(srq);
	attr.max_wr = request.max_wr;
	attr.srq_limit = request.srq_limit;
	ret = ib_modify_srq_user(srq, &attr, (enum ib_srq_attr_mask)request.attr_mask,
				 &attrs->driver_udata);
	uverbs_object_put(object);
	return ret;
}

int uverbs_cmd_query_srq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_query_srq_resp response = {.reserved = 0};
	struct ib_uverbs_query_srq request;
	struct uverbs_object *object;
	struct ib_srq_attr attr;
	struct ib_srq *srq;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	srq = get_srq(attrs, request.srq_handle, &object);
	if (IS_ERR(srq))
		return (int)PTR_ERR(srq);
	ret = ib_query_srq(srq, &attr);
	uverbs_object_put(object);
	if (ret)
		return ret;
	response.max_wr = attr.max_wr;
	response.max_sge = attr.max_sge;
	response.srq_limit = attr.srq_limit;
	return uverbs_response(attrs, &response, sizeof(response));
}

int uverbs_cmd_destroy_srq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_srq_resp response;
	struct ib_uverbs_destroy_srq request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (!ret)
		ret = uverbs_object_destroy(attrs, UVERBS_TYPE_SRQ, request.srq_handle, &response);
	return ret ? ret : uverbs_response(attrs, &response, sizeof(response));
}
