// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Framing of RDMA_VERBS_IOCTL, and access to attributes. */
#include "uabi/uverbs_ioctl.h"

#include <errno.h>
#include <string.h>

#include "base/cause.h"
#include "base/thread.h"
#include "base/umem.h"

#define CLEAR_CHUNK 64u
#define INLINE_BYTES sizeof(u64)

static int give(uintptr_t to, const void *from, size_t bytes)
{
	if (base_umem_copy((void *)to, from, bytes))
		return base_refuse(-EFAULT, UVERBS_FAULT, to, bytes);
	return 0;
}

static int take(void *to, const void *from, size_t bytes)
{
	if (base_umem_copy(to, from, bytes))
		return base_refuse(-EFAULT, UVERBS_FAULT, (uintptr_t)from, bytes);
	return 0;
}

static const struct ib_uverbs_attr *find(const struct uverbs_method_call *call, u16 id)
{
	for (u32 i = 0; i < call->count; i++)
		if (call->attr[i].attr_id == id)
			return &call->attr[i];
	return NULL;
}

static const struct ib_uverbs_attr *need(const struct uverbs_method_call *call, u16 id)
{
	const struct ib_uverbs_attr *attr = find(call, id);

	if (!attr)
		base_refuse(-EINVAL, UVERBS_ATTRIBUTE_MISSING, call->object_id, call->method_id,
			    id);
	return attr;
}

bool uverbs_attr_has(const struct uverbs_method_call *call, u16 id)
{
	return find(call, id) != NULL;
}

/* Where the bytes of data that is passed in are: in the attribute itself if they fit. */
static const void *input(const struct ib_uverbs_attr *attr)
{
	return attr->len <= INLINE_BYTES ? (const void *)&attr->data
					 : (const void *)(uintptr_t)attr->data;
}

static int check_clear(const u8 *from, size_t bytes)
{
	u8 chunk[CLEAR_CHUNK];

	while (bytes) {
		const size_t n = bytes < sizeof(chunk) ? bytes : sizeof(chunk);
		int ret = take(chunk, from, n);

		if (ret)
			return ret;
		for (size_t i = 0; i < n; i++)
			if (chunk[i])
				return base_refuse(-EOPNOTSUPP, UVERBS_NOT_CLEAR);
		from += n;
		bytes -= n;
	}
	return 0;
}

int uverbs_attr_in(const struct uverbs_method_call *call, u16 id, void *to, size_t bytes)
{
	const struct ib_uverbs_attr *attr = need(call, id);
	int ret;

	if (!attr)
		return -EINVAL;
	if (attr->len < bytes)
		return base_refuse(-EINVAL, UVERBS_ATTRIBUTE_LENGTH, id, attr->len, bytes);
	ret = take(to, input(attr), bytes);
	return ret ? ret : check_clear((const u8 *)input(attr) + bytes, attr->len - bytes);
}

int uverbs_attr_u32(const struct uverbs_method_call *call, u16 id, u32 otherwise, u32 *value)
{
	*value = otherwise;
	return find(call, id) ? uverbs_attr_in(call, id, value, sizeof(*value)) : 0;
}

/* Where the program has the attribute of which @attr is our copy. */
static uintptr_t user_address(const struct uverbs_method_call *call,
			      const struct ib_uverbs_attr *attr)
{
	return call->user_attr + (size_t)(attr - call->attr) * sizeof(*attr);
}

/* The program sees which outputs were written. */
static int set_valid(struct uverbs_method_call *call, const struct ib_uverbs_attr *attr)
{
	const u16 flags = attr->flags | UVERBS_ATTR_F_VALID_OUTPUT;

	return give(user_address(call, attr) + offsetof(struct ib_uverbs_attr, flags), &flags,
		    sizeof(flags));
}

int uverbs_attr_out(struct uverbs_method_call *call, u16 id, const void *from, size_t bytes,
		    bool cut)
{
	const struct ib_uverbs_attr *attr = find(call, id);
	int ret;

	if (!attr)
		return 0;
	if (attr->len < bytes && !cut)
		return base_refuse(-ENOSPC, UVERBS_RESPONSE_ROOM, attr->len, bytes);
	ret = give((uintptr_t)attr->data, from, attr->len < bytes ? attr->len : bytes);
	return ret ? ret : set_valid(call, attr);
}

int uverbs_attr_number(const struct uverbs_method_call *call, u16 id, u32 *value)
{
	const struct ib_uverbs_attr *attr = need(call, id);

	if (!attr)
		return -EINVAL;
	if (attr->len || attr->data > UINT32_MAX)
		return base_refuse(-EINVAL, UVERBS_ATTRIBUTE_LENGTH, id, attr->len, 0);
	*value = (u32)attr->data;
	return 0;
}

int uverbs_attr_fd(const struct uverbs_method_call *call, u16 id)
{
	const struct ib_uverbs_attr *attr = find(call, id);

	return attr && attr->data_s64 >= 0 && attr->data_s64 <= INT32_MAX ? (int)attr->data_s64
									  : -1;
}

int uverbs_attr_set_number(struct uverbs_method_call *call, u16 id, u64 value)
{
	const struct ib_uverbs_attr *attr = need(call, id);
	int ret;

	if (!attr)
		return -EINVAL;
	ret = give(user_address(call, attr) + offsetof(struct ib_uverbs_attr, data), &value,
		   sizeof(value));
	return ret ? ret : set_valid(call, attr);
}

/* Unknown attributes may be left aside, unless the program insists on one. */
static int check_attrs(const struct uverbs_method_call *call, const struct uverbs_method *method)
{
	for (u32 i = 0; i < call->count; i++) {
		const struct ib_uverbs_attr *attr = &call->attr[i];
		const bool known = attr->attr_id < method->attr_count ||
				   attr->attr_id == UVERBS_ATTR_UHW_IN ||
				   attr->attr_id == UVERBS_ATTR_UHW_OUT;

		if (!known && attr->flags & UVERBS_ATTR_F_MANDATORY)
			return base_refuse(-EPROTONOSUPPORT, UVERBS_ATTRIBUTE, call->object_id,
					   call->method_id, attr->attr_id);
		for (u32 j = 0; j < i; j++)
			if (call->attr[j].attr_id == attr->attr_id)
				return base_refuse(-EINVAL, UVERBS_ATTRIBUTE, call->object_id,
						   call->method_id, attr->attr_id);
	}
	return 0;
}

static void set_driver_udata(struct uverbs_method_call *call)
{
	const struct ib_uverbs_attr *in = find(call, UVERBS_ATTR_UHW_IN);
	const struct ib_uverbs_attr *out = find(call, UVERBS_ATTR_UHW_OUT);
	struct ib_udata *udata = &call->attrs.driver_udata;

	if (in && in->len) {
		udata->inbuf = input(in);
		udata->inlen = in->len;
	}
	if (out && out->len) {
		udata->outbuf = (void *)(uintptr_t)out->data;
		udata->outlen = out->len;
	}
}

static int read_call(struct uverbs_method_call *call, void *arg,
		     const struct uverbs_method **method)
{
	struct ib_uverbs_ioctl_hdr hdr;
	int ret = take(&hdr, arg, sizeof(hdr));

	if (ret)
		return ret;
	if (hdr.reserved1 || hdr.reserved2)
		return base_refuse(-EPROTONOSUPPORT, UVERBS_RESERVED,
				   hdr.reserved1 | hdr.reserved2);
	if (hdr.length != sizeof(hdr) + hdr.num_attrs * sizeof(struct ib_uverbs_attr))
		return base_refuse(-EINVAL, UVERBS_LENGTH, hdr.length,
				   sizeof(hdr) + hdr.num_attrs * sizeof(struct ib_uverbs_attr));
	*method = uverbs_method(hdr.object_id, hdr.method_id);
	if (!*method)
		return base_refuse(-EPROTONOSUPPORT, UVERBS_METHOD, hdr.object_id, hdr.method_id);
	if (hdr.num_attrs > UVERBS_MAX_ATTRS)
		return base_refuse(-EINVAL, UVERBS_TOO_MANY, hdr.num_attrs, UVERBS_MAX_ATTRS);
	call->object_id = hdr.object_id;
	call->method_id = hdr.method_id;
	call->count = hdr.num_attrs;
	call->user_attr = (uintptr_t)arg + sizeof(hdr);
	return take(call->attr, (const void *)call->user_attr,
		    hdr.num_attrs * sizeof(call->attr[0]));
}

static bool is_offered(const struct ib_uverbs_file *file, const struct uverbs_method *method)
{
	return file->mode == UVERBS_MODE_IOCTL || (method->object_id == UVERBS_OBJECT_DEVICE &&
						   method->method_id == UVERBS_METHOD_INVOKE_WRITE);
}

/* GET_CONTEXT makes it, and a command that is invoked has a rule of its own. */
static bool needs_context(const struct uverbs_method *method)
{
	return method->object_id != UVERBS_OBJECT_DEVICE ||
	       (method->method_id != UVERBS_METHOD_INVOKE_WRITE &&
		method->method_id != UVERBS_METHOD_GET_CONTEXT);
}

int uverbs_ioctl(struct ib_uverbs_file *file, void *arg)
{
	struct uverbs_method_call call = {.count = 0};
	const struct uverbs_method *method;
	int ret = read_call(&call, arg, &method);
	BASE_UNCANCELLED;

	if (ret)
		return ret;
	if (!is_offered(file, method))
		return base_refuse(-EPROTONOSUPPORT, UVERBS_METHOD, call.object_id, call.method_id);
	ret = check_attrs(&call, method);
	if (ret)
		return ret;
	set_driver_udata(&call);
	call.attrs.ufile = file;
	call.attrs.context = __atomic_load_n(&file->context, __ATOMIC_ACQUIRE);
	if (!call.attrs.context && needs_context(method))
		return base_refuse(-EINVAL, UVERBS_NO_CONTEXT);
	return method->handler(&call);
}
