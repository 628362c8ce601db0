/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* An RDMA_VERBS_IOCTL: an object, a method, and attributes by number. */
#ifndef UABI_UVERBS_IOCTL_H
#define UABI_UVERBS_IOCTL_H

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "uabi/uverbs_cmd.h"

#define UVERBS_MAX_ATTRS 32u

/**
 * struct uverbs_method_call - A call of a method.
 * @attrs: The internal form; first.
 * @object_id: enum uverbs_default_objects.
 * @method_id: Of the object.
 * @count: Attributes.
 * @attr: Our copy of them.
 * @user_attr: Address of the program's, which may be anything.
 */
struct uverbs_method_call {
	struct uverbs_attr_bundle attrs;
	u16 object_id;
	u16 method_id;
	u32 count;
	struct ib_uverbs_attr attr[UVERBS_MAX_ATTRS];
	uintptr_t user_attr;
};

/**
 * struct uverbs_method - A row of the table of methods.
 * @object_id: enum uverbs_default_objects.
 * @method_id: Of the object.
 * @attr_count: Attributes below that number are known, and the provider's.
 * @handler: Returns 0 or -errno.
 */
struct uverbs_method {
	u16 object_id;
	u16 method_id;
	u16 attr_count;
	int (*handler)(struct uverbs_method_call *call);
};

/** uverbs_method() - Find a method; NULL, without a cause, if there is none (uverbs_methods.c). */
const struct uverbs_method *uverbs_method(u16 object_id, u16 method_id);

/** uverbs_attr_has() - Whether the program has passed an attribute. */
bool uverbs_attr_has(const struct uverbs_method_call *call, u16 id);

/**
 * uverbs_attr_in() - Take an attribute that is data.
 * @call: The call.
 * @id: Its number.
 * @to: Out: @bytes.
 * @bytes: As many as are known; more must be zero, fewer are refused.
 *
 * Return: 0; -EINVAL if it is missing or too short; -EOPNOTSUPP; -EFAULT.
 */
int uverbs_attr_in(const struct uverbs_method_call *call, u16 id, void *to, size_t bytes);

/** uverbs_attr_u32() - Take a number that may be absent, and then is @otherwise. 0 or -errno. */
int uverbs_attr_u32(const struct uverbs_method_call *call, u16 id, u32 otherwise, u32 *value);

/**
 * uverbs_attr_out() - Give an attribute that is data.
 * @call: The call.
 * @id: Its number; nothing happens if the program did not pass it.
 * @from: What to give.
 * @bytes: How much; less room is refused unless @cut.
 * @cut: The program may have room for the beginning only.
 *
 * Return: 0; -ENOSPC if there is no room; -EFAULT.
 */
int uverbs_attr_out(struct uverbs_method_call *call, u16 id, const void *from, size_t bytes,
		    bool cut);

/** uverbs_attr_number() - A handle or descriptor that is passed in. Returns 0; -EINVAL. */
int uverbs_attr_number(const struct uverbs_method_call *call, u16 id, u32 *value);

/** uverbs_attr_fd() - A descriptor that may be absent, and then is -1. */
int uverbs_attr_fd(const struct uverbs_method_call *call, u16 id);

/** uverbs_attr_set_number() - Hand out a handle or descriptor. Returns 0; -EINVAL; -EFAULT. */
int uverbs_attr_set_number(struct uverbs_method_call *call, u16 id, u64 value);

#endif
