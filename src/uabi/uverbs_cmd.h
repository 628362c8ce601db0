/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What commands do, apart from how they come: each object is made by one function, which both the
 * write ABI and the ioctl methods call.
 */
#ifndef UABI_UVERBS_CMD_H
#define UABI_UVERBS_CMD_H

#include <linux/types.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "uabi/uverbs.h"
#include "uabi/uverbs_events.h"
#include "uabi/uverbs_file.h"
#include "uabi/uverbs_object.h"

/**
 * struct ib_ucq_object - Handle of a CQ.
 * @object: First.
 * @channel: Where it fires to, or NULL.
 * @async: Where its errors go, or NULL.
 * @comp_raised: Completion events so far.
 * @async_raised: Errors so far.
 */
struct ib_ucq_object {
	struct uverbs_object object;
	struct uverbs_events *channel;
	struct uverbs_events *async;
	u32 comp_raised;
	u32 async_raised;
};

/**
 * struct ib_usrq_object - Handle of an SRQ.
 * @object: First.
 * @async: Where its events go, or NULL.
 * @async_raised: Events so far.
 */
struct ib_usrq_object {
	struct uverbs_object object;
	struct uverbs_events *async;
	u32 async_raised;
};

/**
 * struct ib_uqp_object - Handle of a QP.
 * @object: First.
 * @async: Where its events go, or NULL.
 * @async_raised: Events so far.
 * @mcast_lock: Guards the groups.
 * @mcast: Its multicast groups.
 */
struct ib_uqp_object {
	struct uverbs_object object;
	struct uverbs_events *async;
	u32 async_raised;
	struct mutex mcast_lock;
	struct list_head mcast;
};

/**
 * struct uverbs_cq_args - What a CQ is made of.
 * @user_handle: The program's name for it.
 * @cqe: Entries at least.
 * @comp_vector: Completion vector.
 * @flags: enum ib_uverbs_ex_create_cq_flags.
 * @channel_fd: Completion channel, or negative.
 * @event_fd: File for its errors, or negative for the context's.
 */
struct uverbs_cq_args {
	u64 user_handle;
	u32 cqe;
	u32 comp_vector;
	u32 flags;
	int channel_fd;
	int event_fd;
};

/** uverbs_create_cq() - Make a CQ. Return: its handle, not yet visible, or ERR_PTR. */
struct ib_ucq_object *uverbs_create_cq(struct uverbs_attr_bundle *attrs,
				       const struct uverbs_cq_args *args);

/**
 * struct uverbs_srq_args - What an SRQ is made of.
 * @user_handle: The program's name for it.
 * @pd_handle: Its PD.
 * @type: enum ib_srq_type.
 * @attr: Sizes.
 * @event_fd: File for its events, or negative for the context's.
 */
struct uverbs_srq_args {
	u64 user_handle;
	u32 pd_handle;
	u32 type;
	struct ib_srq_attr attr;
	int event_fd;
};

/**
 * uverbs_create_srq() - Make an SRQ.
 * @attrs: The call.
 * @args: attr: in and out.
 *
 * Return: Its handle, not yet visible, or ERR_PTR.
 */
struct ib_usrq_object *uverbs_create_srq(struct uverbs_attr_bundle *attrs,
					 struct uverbs_srq_args *args);

/**
 * struct uverbs_qp_args - What a QP is made of.
 * @user_handle: The program's name for it.
 * @pd_handle: Its PD.
 * @send_cq_handle: CQ for sends.
 * @recv_cq_handle: CQ for receives.
 * @srq_handle: Its SRQ.
 * @is_srq: It has one.
 * @sq_sig_all: Every send completes.
 * @type: enum ib_qp_type.
 * @create_flags: enum ib_qp_create_flags.
 * @cap: Sizes.
 * @event_fd: File for its events, or negative for the context's.
 */
struct uverbs_qp_args {
	u64 user_handle;
	u32 pd_handle;
	u32 send_cq_handle;
	u32 recv_cq_handle;
	u32 srq_handle;
	bool is_srq;
	bool sq_sig_all;
	u32 type;
	u32 create_flags;
	struct ib_qp_cap cap;
	int event_fd;
};

/** uverbs_check_qp_type() - Whether programs can have such QPs: 0, or -EOPNOTSUPP. @type: Any number. */
int uverbs_check_qp_type(u32 type);

/**
 * uverbs_create_qp() - Make a QP.
 * @attrs: The call.
 * @args: cap: in and out.
 *
 * Return: Its handle, not yet visible, or ERR_PTR.
 */
struct ib_uqp_object *uverbs_create_qp(struct uverbs_attr_bundle *attrs,
				       struct uverbs_qp_args *args);

/** uverbs_query_port() - Fill in what the program is told of a port. Returns 0 or -errno. */
int uverbs_query_port(struct ib_device *device, u32 port_num,
		      struct ib_uverbs_query_port_resp_ex *response);

/**
 * uverbs_get_context() - Make the file's context.
 * @attrs: The call.
 * @async_fd: Out: a file for events, where not NULL.
 *
 * Return: 0; -EINVAL if there is one.
 */
int uverbs_get_context(struct uverbs_attr_bundle *attrs, int *async_fd);

/** uverbs_alloc_async() - A file for events; the first becomes the context's. Returns 0 or -errno. */
int uverbs_alloc_async(struct ib_uverbs_file *file, int *fd);

/**
 * uverbs_async_of() - The file for an object's events.
 * @file: Whose.
 * @fd: One of the program's descriptors, or negative for the context's.
 *
 * Return: With a reference, or NULL if there is none; ERR_PTR(-EINVAL).
 */
struct uverbs_events *uverbs_async_of(struct ib_uverbs_file *file, int fd);

/** uverbs_raise_async() - Let the program read an event. @events: NULL: nobody does. */
void uverbs_raise_async(struct uverbs_events *events, u64 element, u32 type, u32 *raised);

/** uverbs_pd_get() - Use a PD. Returns it, for uverbs_object_put(*object); or ERR_PTR. */
struct ib_pd *uverbs_pd_get(struct uverbs_attr_bundle *attrs, u32 handle,
			    struct uverbs_object **object);

/** uverbs_mcast_leave_all() - Take a QP out of its multicast groups. */
void uverbs_mcast_leave_all(struct ib_uqp_object *object);

/** uverbs_library() - Who is told of libraries' objects; NULL: nobody. */
const struct uverbs_library_ops *uverbs_library(void);

/**
 * uverbs_doorbell() - Run a POST_SEND without requests: the QP's ring has some.
 * @file: Whose call it is; it has a context.
 * @request: The command.
 * @out_bytes: Room for the response, which is written only if the QP refuses.
 * @qp: Out, on success: which QP it is. Not kept.
 *
 * Context: Any, does not sleep.
 * Return: 0; -EINVAL without such a QP, or if its state forbids it; -EBUSY if it is being destroyed;
 *	-EFAULT if the response cannot be written. With a cause.
 */
int uverbs_doorbell(struct ib_uverbs_file *file, const struct ib_uverbs_post_send *request,
		    size_t out_bytes, struct ib_qp **qp);

/** uverbs_doorbells_end() - Wait for doorbells of a QP that is about to be destroyed. May sleep. */
void uverbs_doorbells_end(void);

/* The handlers of the table in uverbs_write.c; each is named after its command. */
int uverbs_cmd_get_context(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_query_device(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_ex_query_device(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_query_port(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_alloc_pd(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_dealloc_pd(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_create_ah(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_destroy_ah(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_reg_mr(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_dereg_mr(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_alloc_mw(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_dealloc_mw(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_create_comp_channel(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_create_cq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_ex_create_cq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_resize_cq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_destroy_cq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_poll_cq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_req_notify_cq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_create_qp(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_ex_create_qp(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_query_qp(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_modify_qp(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_ex_modify_qp(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_destroy_qp(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_post_send(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_post_recv(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_post_srq_recv(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_attach_mcast(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_detach_mcast(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_create_srq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_create_xsrq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_modify_srq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_query_srq(struct uverbs_attr_bundle *attrs);
int uverbs_cmd_destroy_srq(struct uverbs_attr_bundle *attrs);

#endif
