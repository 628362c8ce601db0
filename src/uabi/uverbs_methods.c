// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The methods of the ioctl that are no commands of the write ABI, and INVOKE_WRITE for those that are. */
#include <errno.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <rdma/ib_cache.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/umem.h"
#include "uabi/uverbs_ioctl.h"

#define STACK_BYTES 2048u

static const struct ib_uverbs_attr *attr_of(const struct uverbs_method_call *call, u16 id)
{
	for (u32 i = 0; i < call->count; i++)
		if (call->attr[i].attr_id == id)
			return &call->attr[i];
	return NULL;
}

static int check_core(const struct uverbs_command *command, const struct ib_udata *ucore)
{
	if (ucore->inlen < command->in_bytes)
		return base_refuse(-ENOSPC, UVERBS_SHORT, ucore->inlen, command->in_bytes);
	if (ucore->outlen < command->out_bytes)
		return base_refuse(-ENOSPC, UVERBS_RESPONSE_ROOM, ucore->outlen,
				   command->out_bytes);
	return 0;
}

/* @request is ours, and large enough. */
static int invoke(struct uverbs_method_call *call, const struct uverbs_command *command,
		  const struct ib_uverbs_attr *in, void *request)
{
	struct ib_udata *ucore = &call->attrs.ucore;
	int ret = in ? uverbs_attr_in(call, UVERBS_ATTR_CORE_IN, request, in->len) : 0;

	if (ret)
		return ret;
	ucore->inbuf = request;
	ret = uverbs_call(call->attrs.ufile, command, &call->attrs);
	return ret;
}

static int invoke_write(struct uverbs_method_call *call)
{
	const struct ib_uverbs_attr *in = attr_of(call, UVERBS_ATTR_CORE_IN);
	const struct ib_uverbs_attr *out = attr_of(call, UVERBS_ATTR_CORE_OUT);
	const struct uverbs_command *command;
	_Alignas(u64) u8 stack[STACK_BYTES];
	void *request = stack;
	u64 number;
	int ret = uverbs_attr_in(call, UVERBS_ATTR_WRITE_CMD, &number, sizeof(number));

	if (ret)
		return ret;
	command = number <= UINT32_MAX ? uverbs_command((u32)number) : NULL;
	if (!command)
		return -EOPNOTSUPP;
	call->attrs.ucore = (struct ib_udata){
		.inlen = in ? in->len : 0,
		.outbuf = out ? (void *)(uintptr_t)out->data : NULL,
		.outlen = out ? out->len : 0,
	};
	ret = check_core(command, &call->attrs.ucore);
	if (ret)
		return ret;
	if (call->attrs.ucore.inlen > sizeof(stack)) {
		request = base_zalloc(call->attrs.ucore.inlen);
		if (!request)
			return base_refuse(-ENOMEM, NO_MEMORY, call->attrs.ucore.inlen);
	}
	ret = invoke(call, command, in, request);
	if (request != stack)
		base_free(request);
	return ret;
}

static int device_query_port(struct uverbs_method_call *call)
{
	struct ib_uverbs_query_port_resp_ex response;
	u8 port;
	int ret = uverbs_attr_in(call, UVERBS_ATTR_QUERY_PORT_PORT_NUM, &port, sizeof(port));

	if (!ret)
		ret = uverbs_query_port(uverbs_device_of(&call->attrs), port, &response);
	return ret ? ret
		   : uverbs_attr_out(call, UVERBS_ATTR_QUERY_PORT_RESP, &response, sizeof(response),
				     true);
}

static int device_get_context(struct uverbs_method_call *call)
{
	const u32 vectors = (u32)uverbs_device_of(&call->attrs)->num_comp_vectors;
	const u64 support = IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;
	int ret = uverbs_attr_out(call, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, &vectors,
				  sizeof(vectors), false);

	if (!ret)
		ret = uverbs_attr_out(call, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, &support,
				      sizeof(support), false);
	return ret ? ret : uverbs_get_context(&call->attrs, NULL);
}

static int describe_gid(struct ib_device *device, u32 port, u32 index,
			struct ib_uverbs_gid_entry *entry)
{
	const struct ib_gid_attr *attr = rdma_get_gid_attr(device, port, (int)index);

	if (IS_ERR(attr))
		return (int)PTR_ERR(attr);
	*entry = (struct ib_uverbs_gid_entry){
		.gid_index = index,
		.port_num = port,
		.gid_type = attr->gid_type,
	};
	memcpy(entry->gid, attr->gid.raw, sizeof(entry->gid));
	rdma_put_gid_attr(attr);
	return 0;
}

static int device_query_gid_entry(struct uverbs_method_call *call)
{
	struct ib_device *device = uverbs_device_of(&call->attrs);
	struct ib_uverbs_gid_entry entry;
	u32 port, index, flags;
	int ret = uverbs_attr_u32(call, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0, &flags);

	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, &port, sizeof(port));
	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, &index,
				     sizeof(index));
	if (ret)
		return ret;
	if (flags)
		return base_refuse(-EINVAL, UVERBS_RESERVED, flags);
	if (!rdma_is_port_valid(device, port))
		return base_refuse(-EINVAL, UVERBS_PORT, port);
	ret = describe_gid(device, port, index, &entry);
	return ret ? ret
		   : uverbs_attr_out(call, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
				     sizeof(entry), true);
}

/* Room for entries is given in bytes, their size by the program: it may be another than ours. */
struct gid_table {
	uintptr_t entries;
	u64 entry_bytes;
	u64 room;
	u64 count;
};

static int add_gid(struct gid_table *table, struct ib_device *device, u32 port, u32 index)
{
	struct ib_uverbs_gid_entry entry;
	const u64 bytes = table->entry_bytes < sizeof(entry) ? table->entry_bytes : sizeof(entry);

	if (describe_gid(device, port, index, &entry))
		return 0; /* an empty place */
	if (table->count >= table->room)
		return base_refuse(-EINVAL, UVERBS_RESPONSE_ROOM, table->room * table->entry_bytes,
				   (table->count + 1) * table->entry_bytes);
	if (base_umem_copy((void *)(table->entries + table->count * table->entry_bytes), &entry,
			   bytes))
		return base_refuse(-EFAULT, UVERBS_FAULT, table->entries, bytes);
	table->count++;
	return 0;
}

static int fill_gid_table(struct gid_table *table, struct ib_device *device)
{
	struct ib_port_attr attr;
	u32 port;

	rdma_for_each_port(device, port) {
		int ret = ib_query_port(device, port, &attr);

		for (int i = 0; i < attr.gid_tbl_len && !ret; i++)
			ret = add_gid(table, device, port, (u32)i);
		if (ret)
			return ret;
	}
	return 0;
}

static int device_query_gid_table(struct uverbs_method_call *call)
{
	const struct ib_uverbs_attr *room = attr_of(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES);
	struct gid_table table = {.count = 0};
	u32 flags;
	int ret = uverbs_attr_u32(call, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0, &flags);

	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE,
				     &table.entry_bytes, sizeof(table.entry_bytes));
	if (ret)
		return ret;
	if (flags || !table.entry_bytes || !room)
		return base_refuse(-EINVAL, UVERBS_RESERVED, flags);
	table.entries = (uintptr_t)room->data;
	table.room = room->len / table.entry_bytes;
	ret = fill_gid_table(&table, uverbs_device_of(&call->attrs));
	return ret ? ret
		   : uverbs_attr_out(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
				     &table.count, sizeof(table.count), false);
}

static int async_alloc(struct uverbs_method_call *call)
{
	int fd, ret = uverbs_alloc_async(call->attrs.ufile, &fd);

	if (ret)
		return ret;
	ret = uverbs_attr_set_number(call, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, (u32)fd);
	if (ret)
		uabi_fd_close(fd);
	return ret;
}

/* The answer is given: the handle may be seen; or it is not, and there is nothing. */
static int finish(struct uverbs_method_call *call, struct uverbs_object *object, u16 handle_id,
		  int ret)
{
	if (!ret)
		ret = uverbs_attr_set_number(call, handle_id, (u32)object->uobject.id);
	if (ret)
		uverbs_object_undo(&call->attrs, object);
	else
		uverbs_object_live(object);
	return ret;
}

static int cq_create(struct uverbs_method_call *call)
{
	struct uverbs_cq_args args = {
		.channel_fd = uverbs_attr_fd(call, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL),
		.event_fd = uverbs_attr_fd(call, UVERBS_ATTR_CREATE_CQ_EVENT_FD),
	};
	struct ib_ucq_object *object;
	u32 cqe;
	int ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_CQ_CQE, &args.cqe, sizeof(args.cqe));

	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, &args.user_handle,
				     sizeof(args.user_handle));
	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, &args.comp_vector,
				     sizeof(args.comp_vector));
	if (!ret)
		ret = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_CQ_FLAGS, 0, &args.flags);
	if (ret)
		return ret;
	object = uverbs_create_cq(&call->attrs, &args);
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	cqe = (u32)((struct ib_cq *)object->object.uobject.object)->cqe;
	ret = uverbs_attr_out(call, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cqe, sizeof(cqe), false);
	return finish(call, &object->object, UVERBS_ATTR_CREATE_CQ_HANDLE, ret);
}

static int take_cap(const struct uverbs_method_call *call, struct ib_qp_cap *cap)
{
	struct ib_uverbs_qp_cap from;
	int ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_QP_CAP, &from, sizeof(from));

	if (ret)
		return ret;
	*cap = (struct ib_qp_cap){
		.max_send_wr = from.max_send_wr,
		.max_recv_wr = from.max_recv_wr,
		.max_send_sge = from.max_send_sge,
		.max_recv_sge = from.max_recv_sge,
		.max_inline_data = from.max_inline_data,
	};
	return 0;
}

static int take_qp_parts(const struct uverbs_method_call *call, struct uverbs_qp_args *args)
{
	int ret = uverbs_attr_number(call, UVERBS_ATTR_CREATE_QP_PD_HANDLE, &args->pd_handle);

	if (!ret)
		ret = uverbs_attr_number(call, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
					 &args->send_cq_handle);
	if (!ret)
		ret = uverbs_attr_number(call, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
					 &args->recv_cq_handle);
	args->is_srq = uverbs_attr_has(call, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	if (!ret && args->is_srq)
		ret = uverbs_attr_number(call, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, &args->srq_handle);
	return ret;
}

static int take_qp_args(const struct uverbs_method_call *call, struct uverbs_qp_args *args)
{
	u32 flags;
	int ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_QP_TYPE, &args->type, sizeof(args->type));

	if (!ret) /* first: what others have, or have not, is not looked for */
		ret = uverbs_check_qp_type(args->type);
	if (!ret)
		ret = take_qp_parts(call, args);
	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_QP_USER_HANDLE, &args->user_handle,
				     sizeof(args->user_handle));
	if (!ret)
		ret = take_cap(call, &args->cap);
	if (!ret)
		ret = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_QP_FLAGS, 0, &flags);
	if (ret)
		return ret;
	args->sq_sig_all = flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	args->create_flags = flags & ~(u32)IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	args->event_fd = uverbs_attr_fd(call, UVERBS_ATTR_CREATE_QP_EVENT_FD);
	return 0;
}

static int qp_create(struct uverbs_method_call *call)
{
	struct uverbs_qp_args args = {.event_fd = -1};
	struct ib_uverbs_qp_cap cap;
	struct ib_uqp_object *object;
	u32 qpn;
	int ret = take_qp_args(call, &args);

	if (ret)
		return ret;
	object = uverbs_create_qp(&call->attrs, &args);
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	qpn = ((struct ib_qp *)object->object.uobject.object)->qp_num;
	cap = (struct ib_uverbs_qp_cap){
		.max_send_wr = args.cap.max_send_wr,
		.max_recv_wr = args.cap.max_recv_wr,
		.max_send_sge = args.cap.max_send_sge,
		.max_recv_sge = args.cap.max_recv_sge,
		.max_inline_data = args.cap.max_inline_data,
	};
	ret = uverbs_attr_out(call, UVERBS_ATTR_CREATE_QP_RESP_CAP, &cap, sizeof(cap), false);
	if (!ret)
		ret = uverbs_attr_out(call, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qpn, sizeof(qpn),
				      false);
	return finish(call, &object->object, UVERBS_ATTR_CREATE_QP_HANDLE, ret);
}

static int take_srq_args(const struct uverbs_method_call *call, struct uverbs_srq_args *args)
{
	int ret = uverbs_attr_number(call, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, &args->pd_handle);

	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, &args->user_handle,
				     sizeof(args->user_handle));
	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_SRQ_MAX_WR, &args->attr.max_wr,
				     sizeof(args->attr.max_wr));
	if (!ret)
		ret = uverbs_attr_in(call, UVERBS_ATTR_CREATE_SRQ_MAX_SGE, &args->attr.max_sge,
				     sizeof(args->attr.max_sge));
	if (!ret)
		ret = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_SRQ_LIMIT, 0, &args->attr.srq_limit);
	if (!ret)
		ret = uverbs_attr_u32(call, UVERBS_ATTR_CREATE_SRQ_TYPE, IB_SRQT_BASIC,
				      &args->type);
	args->event_fd = uverbs_attr_fd(call, UVERBS_ATTR_CREATE_SRQ_EVENT_FD);
	return ret;
}

static int srq_create(struct uverbs_method_call *call)
{
	struct uverbs_srq_args args = {.event_fd = -1};
	struct ib_usrq_object *object;
	int ret = take_srq_args(call, &args);

	if (ret)
		return ret;
	object = uverbs_create_srq(&call->attrs, &args);
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	ret = uverbs_attr_out(call, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &args.attr.max_wr,
			      sizeof(args.attr.max_wr), false);
	if (!ret)
		ret = uverbs_attr_out(call, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &args.attr.max_sge,
				      sizeof(args.attr.max_sge), false);
	return finish(call, &object->object, UVERBS_ATTR_CREATE_SRQ_HANDLE, ret);
}

static int destroy(struct uverbs_method_call *call, enum uverbs_type type, u16 handle_id,
		   void *response)
{
	u32 handle;
	int ret = uverbs_attr_number(call, handle_id, &handle);

	return ret ? ret : uverbs_object_destroy(&call->attrs, type, handle, response);
}

static int cq_destroy(struct uverbs_method_call *call)
{
	struct ib_uverbs_destroy_cq_resp response;
	int ret = destroy(call, UVERBS_TYPE_CQ, UVERBS_ATTR_DESTROY_CQ_HANDLE, &response);

	return ret ? ret
		   : uverbs_attr_out(call, UVERBS_ATTR_DESTROY_CQ_RESP, &response, sizeof(response),
				     false);
}

static int qp_destroy(struct uverbs_method_call *call)
{
	struct ib_uverbs_destroy_qp_resp response;
	int ret = destroy(call, UVERBS_TYPE_QP, UVERBS_ATTR_DESTROY_QP_HANDLE, &response);

	return ret ? ret
		   : uverbs_attr_out(call, UVERBS_ATTR_DESTROY_QP_RESP, &response, sizeof(response),
				     false);
}

static int srq_destroy(struct uverbs_method_call *call)
{
	struct ib_uverbs_destroy_srq_resp response;
	int ret = destroy(call, UVERBS_TYPE_SRQ, UVERBS_ATTR_DESTROY_SRQ_HANDLE, &response);

	return ret ? ret
		   : uverbs_attr_out(call, UVERBS_ATTR_DESTROY_SRQ_RESP, &response,
				     sizeof(response), false);
}

static int pd_destroy(struct uverbs_method_call *call)
{
	return destroy(call, UVERBS_TYPE_PD, UVERBS_ATTR_DESTROY_PD_HANDLE, NULL);
}

static int mr_destroy(struct uverbs_method_call *call)
{
	return destroy(call, UVERBS_TYPE_MR, UVERBS_ATTR_DESTROY_MR_HANDLE, NULL);
}

static int mw_destroy(struct uverbs_method_call *call)
{
	return destroy(call, UVERBS_TYPE_MW, UVERBS_ATTR_DESTROY_MW_HANDLE, NULL);
}

static int ah_destroy(struct uverbs_method_call *call)
{
	return destroy(call, UVERBS_TYPE_AH, UVERBS_ATTR_DESTROY_AH_HANDLE, NULL);
}

/* clang-format off */
static const struct uverbs_method methods[] = {
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, UVERBS_ATTR_WRITE_CMD + 1, invoke_write},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, UVERBS_ATTR_QUERY_PORT_RESP + 1, device_query_port},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT + 1, device_get_context},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES + 1, device_query_gid_table},
	{UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY + 1, device_query_gid_entry},
	{UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE + 1, async_alloc},
	{UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, UVERBS_ATTR_CREATE_CQ_EVENT_FD + 1, cq_create},
	{UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, UVERBS_ATTR_DESTROY_CQ_RESP + 1, cq_destroy},
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM + 1, qp_create},
	{UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, UVERBS_ATTR_DESTROY_QP_RESP + 1, qp_destroy},
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM + 1, srq_create},
	{UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, UVERBS_ATTR_DESTROY_SRQ_RESP + 1, srq_destroy},
	{UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, UVERBS_ATTR_DESTROY_PD_HANDLE + 1, pd_destroy},
	{UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, UVERBS_ATTR_DESTROY_MR_HANDLE + 1, mr_destroy},
	{UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, UVERBS_ATTR_DESTROY_MW_HANDLE + 1, mw_destroy},
	{UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, UVERBS_ATTR_DESTROY_AH_HANDLE + 1, ah_destroy},
};
/* clang-format on */

const struct uverbs_method *uverbs_method(u16 object_id, u16 method_id)
{
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (methods[i].object_id == object_id && methods[i].method_id == method_id)
			return &methods[i];
	return NULL;
}
