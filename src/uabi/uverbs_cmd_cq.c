// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Commands about completion queues and their channels. */
#include <errno.h>
#include <linux/err.h>

#include "base/cause.h"
#include "base/umem.h"
#include "uabi/uverbs_cmd.h"

#define POLL_BATCH 16

static struct ib_ucq_object *cq_object(struct uverbs_object *object)
{
	return container_of(object, struct ib_ucq_object, object);
}

int uverbs_cmd_create_comp_channel(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_comp_channel_resp response;
	struct uverbs_events *events;
	int fd, ret = uverbs_events_new(sizeof(struct ib_uverbs_comp_event_desc), &events, &fd);

	if (ret)
		return ret;
	uverbs_events_put(events); /* the program's end keeps it */
	response.fd = (u32)fd;
	ret = uverbs_response(attrs, &response, sizeof(response));
	if (ret)
		uabi_fd_close(fd);
	return ret;
}

static void cq_fired(struct ib_cq *cq, void *context)
{
	struct ib_ucq_object *object = context;
	const struct ib_uverbs_comp_event_desc record = {
		.cq_handle = object->object.uobject.user_handle,
	};

	(void)cq;
	if (object->channel)
		uverbs_events_raise(object->channel, &record, &object->comp_raised);
}

static void cq_failed(struct ib_event *event, void *context)
{
	struct ib_ucq_object *object = context;

	uverbs_raise_async(object->async, object->object.uobject.user_handle, event->event,
			   &object->async_raised);
}

/* What of the records with an object's handle is the object's: handles of kinds may coincide. */
static bool is_cq_event(const void *record)
{
	return ((const struct ib_uverbs_async_event_desc *)record)->event_type == IB_EVENT_CQ_ERR;
}

static void free_object(struct ib_ucq_object *object)
{
	uverbs_events_put(object->channel);
	uverbs_events_put(object->async);
	uverbs_object_drop(&object->object);
}

static int take_files(struct ib_ucq_object *object, const struct uverbs_cq_args *args)
{
	struct uverbs_events *events;

	if (args->channel_fd >= 0) {
		events = uverbs_events_get(args->channel_fd,
					   sizeof(struct ib_uverbs_comp_event_desc));
		if (IS_ERR(events))
			return (int)PTR_ERR(events);
		object->channel = events;
	}
	events = uverbs_async_of(object->object.uobject.ufile, args->event_fd);
	if (IS_ERR(events))
		return (int)PTR_ERR(events);
	object->async = events;
	return 0;
}

static int check_cq_args(struct ib_device *device, const struct uverbs_cq_args *args)
{
	if (args->comp_vector >= (u32)device->num_comp_vectors)
		return base_refuse(-EINVAL, UVERBS_COMP_VECTOR, args->comp_vector,
				   (u32)device->num_comp_vectors);
	return 0;
}

struct ib_ucq_object *uverbs_create_cq(struct uverbs_attr_bundle *attrs,
				       const struct uverbs_cq_args *args)
{
	const struct ib_cq_init_attr attr = {args->cqe, args->comp_vector, args->flags};
	struct ib_device *device = uverbs_device_of(attrs);
	struct uverbs_object *handle;
	struct ib_ucq_object *object;
	struct ib_cq *cq;
	int ret = check_cq_args(device, args);

	if (ret)
		return ERR_PTR(ret);
	handle = uverbs_object_new(uverbs_file_of(attrs), UVERBS_TYPE_CQ, sizeof(*object));
	if (IS_ERR(handle))
		return ERR_CAST(handle);
	object = cq_object(handle);
	handle->uobject.user_handle = args->user_handle;
	attrs->uobject = &handle->uobject;
	ret = take_files(object, args);
	cq = ret ? ERR_PTR(ret)
		 : ib_create_cq_user(device, &attr, cq_fired, cq_failed, object,
				     &attrs->driver_udata);
	if (IS_ERR(cq)) {
		free_object(object);
		return ERR_CAST(cq);
	}
	handle->uobject.object = cq;
	if (uverbs_library())
		uverbs_library()->cq_created(args->user_handle);
	return object;
}

int uverbs_destroy_cq(struct uverbs_object *handle, struct ib_udata *udata, void *response)
{
	struct ib_ucq_object *object = cq_object(handle);
	struct ib_uverbs_destroy_cq_resp events;
	const u64 user_handle = handle->uobject.user_handle;
	int ret = ib_destroy_cq_user(handle->uobject.object, udata);

	if (ret)
		return ret;
	events.comp_events_reported =
		uverbs_events_withdraw(object->channel, user_handle, NULL, object->comp_raised);
	events.async_events_reported = uverbs_events_withdraw(object->async, user_handle,
							      is_cq_event, object->async_raised);
	uverbs_events_put(object->channel);
	uverbs_events_put(object->async);
	if (response)
		*(struct ib_uverbs_destroy_cq_resp *)response = events;
	if (uverbs_library())
		uverbs_library()->cq_destroyed(user_handle);
	return 0;
}

static int finish(struct uverbs_attr_bundle *attrs, struct ib_ucq_object *object,
		  const void *response, size_t bytes)
{
	int ret = uverbs_response(attrs, response, bytes);

	if (ret)
		uverbs_object_undo(attrs, &object->object);
	else
		uverbs_object_live(&object->object);
	return ret;
}

static struct ib_uverbs_create_cq_resp describe(const struct ib_ucq_object *object)
{
	const struct ib_cq *cq = object->object.uobject.object;

	return (struct ib_uverbs_create_cq_resp){
		.cq_handle = (u32)object->object.uobject.id,
		.cqe = (u32)cq->cqe,
	};
}

int uverbs_cmd_create_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_create_cq_resp response;
	struct ib_uverbs_create_cq request;
	struct ib_ucq_object *object;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	object = uverbs_create_cq(attrs, &(struct uverbs_cq_args){
						 .user_handle = request.user_handle,
						 .cqe = request.cqe,
						 .comp_vector = request.comp_vector,
						 .channel_fd = request.comp_channel,
						 .event_fd = -1,
					 });
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	response = describe(object);
	return finish(attrs, object, &response, sizeof(response));
}

int uverbs_cmd_ex_create_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_ex_create_cq_resp response = {.comp_mask = 0};
	struct ib_uverbs_ex_create_cq request;
	struct ib_ucq_object *object;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	if (request.comp_mask || request.reserved)
		return base_refuse(-EINVAL, UVERBS_RESERVED, request.comp_mask | request.reserved);
	object = uverbs_create_cq(attrs, &(struct uverbs_cq_args){
						 .user_handle = request.user_handle,
						 .cqe = request.cqe,
						 .comp_vector = request.comp_vector,
						 .flags = request.flags,
						 .channel_fd = request.comp_channel,
						 .event_fd = -1,
					 });
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	response.base = describe(object);
	response.response_length = (u32)sizeof(response);
	return finish(attrs, object, &response, sizeof(response));
}

static struct ib_cq *get_cq(struct uverbs_attr_bundle *attrs, u32 handle,
			    struct uverbs_object **object)
{
	*object = uverbs_object_get(uverbs_file_of(attrs), UVERBS_TYPE_CQ, handle);
	return IS_ERR(*object) ? ERR_CAST(*object) : (*object)->uobject.object;
}

int uverbs_cmd_resize_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_resize_cq_resp response = {.reserved = 0};
	struct ib_uverbs_resize_cq request;
	struct uverbs_object *object;
	struct ib_cq *cq;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	cq = get_cq(attrs, request.cq_handle, &object);
	if (IS_ERR(cq))
		return (int)PTR_ERR(cq);
	ret = ib_resize_cq_user(cq, (int)request.cqe, &attrs->driver_udata);
	response.cqe = (u32)cq->cqe;
	uverbs_object_put(object);
	return ret ? ret : uverbs_response(attrs, &response, sizeof(response));
}

int uverbs_cmd_destroy_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_destroy_cq_resp response;
	struct ib_uverbs_destroy_cq request;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (!ret)
		ret = uverbs_object_destroy(attrs, UVERBS_TYPE_CQ, request.cq_handle, &response);
	return ret ? ret : uverbs_response(attrs, &response, sizeof(response));
}

static void fill_wc(const struct ib_wc *from, struct ib_uverbs_wc *to)
{
	*to = (struct ib_uverbs_wc){
		.wr_id = from->wr_id,
		.status = from->status,
		.opcode = from->opcode,
		.vendor_err = from->vendor_err,
		.byte_len = from->byte_len,
		.qp_num = from->qp ? from->qp->qp_num : 0,
		.src_qp = from->src_qp,
		.wc_flags = (u32)from->wc_flags,
		.pkey_index = from->pkey_index,
		.slid = (u16)from->slid,
		.sl = from->sl,
		.dlid_path_bits = from->dlid_path_bits,
		.port_num = (u8)from->port_num,
	};
	if (from->wc_flags & IB_WC_WITH_INVALIDATE)
		to->ex.invalidate_rkey = from->ex.invalidate_rkey;
	else
		to->ex.imm_data = from->ex.imm_data;
}

static int give(uintptr_t to, const void *from, size_t bytes)
{
	if (base_umem_copy((void *)to, from, bytes))
		return base_refuse(-EFAULT, UVERBS_FAULT, to, bytes);
	return 0;
}

/* Completions are taken in batches: the program may ask for any number. */
static int poll(struct ib_cq *cq, uintptr_t to, u32 wanted, u32 *count)
{
	struct ib_uverbs_wc out[POLL_BATCH];
	struct ib_wc wc[POLL_BATCH];
	int got = 0;

	*count = 0;
	do {
		const u32 n = wanted - *count < POLL_BATCH ? wanted - *count : POLL_BATCH;
		int ret;

		got = n ? ib_poll_cq(cq, (int)n, wc) : 0;
		if (got < 0)
			return got;
		for (int i = 0; i < got; i++)
			fill_wc(&wc[i], &out[i]);
		ret = give(to + *count * sizeof(out[0]), out, (size_t)got * sizeof(out[0]));
		if (ret)
			return ret;
		*count += (u32)got;
	} while (got == POLL_BATCH && *count < wanted);
	return 0;
}

int uverbs_cmd_poll_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_poll_cq_resp response = {.count = 0};
	const uintptr_t to = (uintptr_t)attrs->ucore.outbuf; /* anything: no pointer to add to */
	struct ib_uverbs_poll_cq request;
	struct uverbs_object *object;
	struct ib_cq *cq;
	int ret = uverbs_request(attrs, &request, sizeof(request));
	u32 room;

	if (ret)
		return ret;
	cq = get_cq(attrs, request.cq_handle, &object);
	if (IS_ERR(cq))
		return (int)PTR_ERR(cq);
	room = (u32)((attrs->ucore.outlen - sizeof(response)) / sizeof(struct ib_uverbs_wc));
	ret = poll(cq, to + sizeof(response), request.ne < room ? request.ne : room,
		   &response.count);
	uverbs_object_put(object);
	return ret ? ret : give(to, &response, sizeof(response));
}

int uverbs_cmd_req_notify_cq(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_req_notify_cq request;
	struct uverbs_object *object;
	struct ib_cq *cq;
	int ret = uverbs_request(attrs, &request, sizeof(request));

	if (ret)
		return ret;
	cq = get_cq(attrs, request.cq_handle, &object);
	if (IS_ERR(cq))
		return (int)PTR_ERR(cq);
	ret = ib_req_notify_cq(cq, request.solicited_only ? IB_CQ_SOLICITED : IB_CQ_NEXT_COMP);
	uverbs_object_put(object);
	return ret < 0 ? ret : 0;
}
