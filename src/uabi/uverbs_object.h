/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Handles: what the objects of a program are called on the other side. */
#ifndef UABI_UVERBS_OBJECT_H
#define UABI_UVERBS_OBJECT_H

#include "uabi/uverbs_file.h"

/* In the order in which they are destroyed when the file is closed: users before what they use. */
enum uverbs_type {
	UVERBS_TYPE_AH,
	UVERBS_TYPE_MW,
	UVERBS_TYPE_QP,
	UVERBS_TYPE_SRQ,
	UVERBS_TYPE_CQ,
	UVERBS_TYPE_MR,
	UVERBS_TYPE_PD,
	UVERBS_TYPES,
};

/**
 * struct uverbs_object - A handle.
 * @uobject: The kernel's part; usecnt is the number of calls that use it, -1 while it is destroyed.
 * @type: What uobject.object is.
 * @live: Visible for other calls.
 */
struct uverbs_object {
	struct ib_uobject uobject;
	enum uverbs_type type;
	bool live;
};

/**
 * uverbs_object_new() - A handle for an object that is about to be made.
 * @file: Whose.
 * @type: What it will be.
 * @bytes: Of the structure that begins with a struct uverbs_object.
 *
 * Return: The handle, not yet visible, for uverbs_object_live() or uverbs_object_drop();
 *	ERR_PTR(-ENOMEM).
 */
struct uverbs_object *uverbs_object_new(struct ib_uverbs_file *file, enum uverbs_type type,
					size_t bytes);

/** uverbs_object_live() - The object is made: let others find it. */
void uverbs_object_live(struct uverbs_object *object);

/** uverbs_object_drop() - There is no object behind the handle, or no more: free it. */
void uverbs_object_drop(struct uverbs_object *object);

/**
 * uverbs_object_get() - Use an object.
 * @file: Whose.
 * @type: What it must be.
 * @handle: Its handle.
 *
 * Return: The handle, for uverbs_object_put(); ERR_PTR(-EINVAL) if there is none;
 *	ERR_PTR(-EBUSY) if it is being destroyed.
 */
struct uverbs_object *uverbs_object_get(struct ib_uverbs_file *file, enum uverbs_type type,
					u32 handle);

/** uverbs_object_put() - Use it no more. NULL is allowed. */
void uverbs_object_put(struct uverbs_object *object);

/**
 * uverbs_object_destroy() - Destroy an object.
 * @attrs: The call.
 * @type: What it must be.
 * @handle: Its handle.
 * @response: Out, may be NULL: for types with events, what was reported of them (see each type's).
 *
 * Return: 0; -EINVAL if there is none; -EBUSY if another call or object uses it.
 */
int uverbs_object_destroy(struct uverbs_attr_bundle *attrs, enum uverbs_type type, u32 handle,
			  void *response);

/** uverbs_object_undo() - Destroy an object whose handle is not visible yet, and drop that. */
void uverbs_object_undo(struct uverbs_attr_bundle *attrs, struct uverbs_object *object);

/** uverbs_objects_free() - Destroy all objects of a file that is being closed. */
void uverbs_objects_free(struct ib_uverbs_file *file);

/**
 * uverbs_destroy_ah() - Destroy what a handle stands for; one function for each type.
 * @object: Nobody uses it.
 * @udata: The provider's part of the call.
 * @response: Out, may be NULL.
 *
 * Return: 0 or -errno, and then the object is as it was.
 */
int uverbs_destroy_ah(struct uverbs_object *object, struct ib_udata *udata, void *response);
/** uverbs_destroy_mw() - See uverbs_destroy_ah(). */
int uverbs_destroy_mw(struct uverbs_object *object, struct ib_udata *udata, void *response);
/** uverbs_destroy_qp() - See uverbs_destroy_ah(); response is a struct ib_uverbs_destroy_qp_resp. */
int uverbs_destroy_qp(struct uverbs_object *handle, struct ib_udata *udata, void *response);
/** uverbs_destroy_srq() - See uverbs_destroy_ah(); struct ib_uverbs_destroy_srq_resp. */
int uverbs_destroy_srq(struct uverbs_object *handle, struct ib_udata *udata, void *response);
/** uverbs_destroy_cq() - See uverbs_destroy_ah(); struct ib_uverbs_destroy_cq_resp. */
int uverbs_destroy_cq(struct uverbs_object *handle, struct ib_udata *udata, void *response);
/** uverbs_destroy_mr() - See uverbs_destroy_ah(). */
int uverbs_destroy_mr(struct uverbs_object *object, struct ib_udata *udata, void *response);
/** uverbs_destroy_pd() - See uverbs_destroy_ah(). */
int uverbs_destroy_pd(struct uverbs_object *object, struct ib_udata *udata, void *response);

#endif
