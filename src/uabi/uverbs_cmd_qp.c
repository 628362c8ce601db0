// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Commands that make, change and destroy queue pairs. Work requests: uverbs_cmd_post.c. */
#include <errno.h>
#include <linux/err.h>
#include <string.h>

#include "base/cause.h"
#include "uabi/uverbs_cmd.h"

static struct ib_uqp_object *qp_object(struct uverbs_object *object)
{
	return container_of(object, struct ib_uqp_object, object);
}

static void qp_event(struct ib_event *event, void *context)
{
	struct ib_uqp_object *object = context;

	uverbs_raise_async(object->async, object->object.uobject.user_handle, event->event,
			   &object->async_raised);
}

static bool is_qp_event(const void *record)
{
	const u32 type = ((const struct ib_uverbs_async_event_desc *)record)->event_type;

	return (type >= IB_EVENT_QP_FATAL && type <= IB_EVENT_PATH_MIG_ERR) ||
	       type == IB_EVENT_QP_LAST_WQE_REACHED;
}

/* What a new QP is made of, in use until it is made. */
struct parts {
	struct uverbs_object *pd, *send_cq, *recv_cq, *srq;
};

static void put_parts(const struct parts *parts)
{
	uverbs_object_put(parts->pd);
	uverbs_object_put(parts->send_cq);
	uverbs_object_put(parts->recv_cq);
	uverbs_object_put(parts->srq);
}

static int get_part(struct ib_uverbs_file *file, enum uverbs_type type, u32 handle,
		    struct uverbs_object **part)
{
	struct uverbs_object *object = uverbs_object_get(file, type, handle);

	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	*part = object;
	return 0;
}

static int get_parts(struct ib_uverbs_file *file, const struct uverbs_qp_args *args,
		     struct parts *parts)
{
	int ret = get_part(file, UVERBS_TYPE_PD, args->pd_handle, &parts->pd);

	if (!ret)
		ret = get_part(file, UVERBS_TYPE_CQ, args->send_cq_handle, &parts->send_cq);
	if (!ret)
		ret = get_part(file, UVERBS_TYPE_CQ, args->recv_cq_handle, &parts->recv_cq);
	if (!ret && args->is_srq)
		ret = get_part(file, UVERBS_TYPE_SRQ, args->srq_handle, &parts->srq);
	return ret;
}

static void *object_of(const struct uverbs_object *part)
{
	return part ? part->uobject.object : NULL;
}

static u64 user_handle_of(const struct uverbs_object *part)
{
	return part ? part->uobject.user_handle : 0;
}

/* The library's CQs are complete by now, unlike in their own create commands. */
static void tell_library(const struct parts *parts, const struct uverbs_qp_args *args)
{
	const struct uverbs_library_ops *library = uverbs_library();

	if (!library)
		return;
	library->cq_used(user_handle_of(parts->send_cq));
	library->cq_used(user_handle_of(parts->recv_cq));
	library->qp_created(args->user_handle);
}

static struct ib_qp *create(struct uverbs_attr_bundle *attrs, struct uverbs_qp_args *args,
			    struct ib_uqp_object *object)
{
	struct parts parts = {.pd = NULL};
	struct ib_qp *qp = ERR_PTR(get_parts(uverbs_file_of(attrs), args, &parts));
	struct ib_qp_init_attr init = {
		.event_handler = qp_event,
		.qp_context = object,
		.send_cq = object_of(parts.send_cq),
		.recv_cq = object_of(parts.recv_cq),
		.srq = object_of(parts.srq),
		.cap = args->cap,
		.sq_sig_type = args->sq_sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = (enum ib_qp_type)args->type,
		.create_flags = args->create_flags,
	};

	if (!qp) {
		qp = ib_create_qp_user(uverbs_device_of(attrs), object_of(parts.pd), &init,
				       &attrs->driver_udata, object, "uverbs");
		args->cap = init.cap;
	}
	if (!IS_ERR(qp))
		tell_library(&parts, args);
	put_parts(&parts);
	return qp;
}

int uverbs_check_qp_type(u32 type)
{
	switch (type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		return 0;
	default: /* a number of the program's */
		return base_refuse(-EOPNOTSUPP, UVERBS_QP_TYPE, type);
	}
}

static int check_args(const struct uverbs_qp_args *args)
{
	const int ret = uverbs_check_qp_type(args->type);

	if (!ret && args->create_flags)
		return base_refuse(-EINVAL, UVERBS_RESERVED, args->create_flags);
	return ret;
}

struct ib_uqp_object *uverbs_create_qp(struct uverbs_attr_bundle *attrs,
				       struct uverbs_qp_args *args)
{
	struct ib_uverbs_file *file = uverbs_file_of(attrs);
	struct uverbs_events *async;
	struct uverbs_object *handle;
	struct ib_uqp_object *object;
	struct ib_qp *qp;
	int ret = check_args(args);

	if (ret)
		return ERR_PTR(ret);
	handle = uverbs_object_new(file, UVERBS_TYPE_QP, sizeof(*object));
	if (IS_ERR(handle))
		return ERR_CAST(handle);
	object = qp_object(handle);
	mutex_init(&object->mcast_lock);
	INIT_LIST_HEAD(&object->mcast);
	handle->uobject.user_handle = args->user_handle;
	attrs->uobject = &handle->uobject;
	async = uverbs_async_of(file, args->event_fd);
	if (IS_ERR(async)) {
		uverbs_object_drop(handle);
		return ERR_CAST(async);
	}
	object->async = async;
	qp = create(attrs, args, object);
	if (IS_ERR(qp)) {
		uverbs_events_put(async);
		uverbs_object_drop(handle);
		return ERR_CAST(qp);
	}
	handle->uobject.object = qp;
	return object;
}

int uverbs_destroy_qp(struct uverbs_object *handle, struct ib_udata *udata, void *response)
{
	struct ib_uqp_object *object = qp_object(handle);
	u32 reported;
	int ret;

	if (!list_empty(&object->mcast) && response)
		return base_refuse(-EBUSY, UVERBS_IN_GROUP);
	uverbs_doorbells_end();
	uverbs_mcast_leave_all(object);
	ret = ib_destroy_qp_user(handle->uobject.object, udata);
	if (ret)
		return ret;
	reported = uverbs_events_withdraw(object->async, handle->uobject.user_handle, is_qp_event,
					  object->async_raised);
	uverbs_events_put(object->async);
	if (response)
		((struct ib_uverbs_destroy_qp_resp *)response)->events_reported = reported;
	return 0;
}

static int finish(struct uverbs_attr_bundle *attrs, struct ib_uqp_object *object,
		  const void *response, size_t bytes)
{
	int ret = uverbs_response(attrs, response, bytes);

	if (ret)
		uverbs_object_undo(attrs, &object->object);
	else
		uverbs_object_live(&object->object);
	return ret;
}

static struct ib_uverbs_create_qp_resp describe(const struct ib_uqp_object *object,
						const struct uverbs_qp_args *args)
{
	const struct ib_qp *qp = object->object.uobject.object;

	return (struct ib_uverbs_create_qp_resp){
		.qp_handle = (u32)object->object.uobject.id,
		.qpn = qp->qp_num,
		.max_send_wr = args->cap.max_send_wr,
		.max_recv_wr = args->cap.max_recv_wr,
		.max_send_sge = args->cap.max_send_sge,
		.max_recv_sge = args->cap.max_recv_sge,
		.max_inline_data = args->cap.max_inline_data,
	};
}

/* What both requests have, by the same names. */
#define ARGS_OF(request)                                                                        \
	.user_handle = (request).user_handle, .pd_handle = (request).pd_handle,                 \
	.send_cq_handle = (request).send_cq_handle, .recv_cq_handle = (request).recv_cq_handle, \
	.srq_handle = (request).srq_handle, .is_srq = (request).is_srq,                         \
	.sq_sig_all = (request).sq_sig_all, .type = (request).qp_type, .event_fd = -1,          \
	.cap = {.max_send_wr = (request).max_send_wr,                                           \
		.max_recv_wr = (request).max_recv_wr,                                           \
		.max_send_sge = (request).max_send_sge,                                         \
		.max_recv_sge = (request).max_recv_sge,                                         \
		.max_inline_data = (request).max_inline_data}

int uverbs_cmd_create_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_qp_resp response;
	struct ib_uverbs_create_qp request;
	struct ib_uqp_object *object;
	struct uverbs_qp_args args;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	args = (struct uverbs_qp_args){ARGS_OF(request)};
	object = uverbs_create_qp(attrs, &args);
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	response = describe(object, &args);
	return finish(attrs, object, &response, sizeof(response));
}

int uverbs_cmd_ex_create_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_qp_resp response = {.comp_mask = 0};
	struct ib_uverbs_ex_create_qp request;
	struct ib_uqp_object *object;
	struct uverbs_qp_args args;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	if (request.comp_mask || request.reserved)
		return base_refuse(-EINVAL, UVERBS_RESERVED, request.comp_mask | request.reserved);
	args = (struct uverbs_qp_args){ARGS_OF(request), .create_flags = request.create_flags};
	object = uverbs_create_qp(attrs, &args);
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	response.base = describe(object, &args);
	response.response_length = (u32)sizeof(response);
	return finish(attrs, object, &response, sizeof(response));
}

int uverbs_cmd_destroy_qp(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_qp_resp response;
	struct ib_uverbs_destroy_qp request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (!ret)
		ret = uverbs_object_destroy(attrs, UVERBS_TYPE_QP, request.qp_handle, &response);
	return ret ? ret : uverbs_response(attrs, &response, sizeof(response));
}
