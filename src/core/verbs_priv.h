/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of the verbs (verbs*.c, drain.c) share with each other. */
#ifndef CORE_VERBS_PRIV_H
#define CORE_VERBS_PRIV_H

#include <rdma/ib_verbs.h>

#include "core/core_priv.h"

/**
 * core_object_alloc() - A zeroed object of a device, counted as one of its objects.
 * @device: Its device.
 * @bytes: What the provider wants for it; at least @core_bytes are taken.
 * @core_bytes: Size of the core's part, with which it begins.
 *
 * Return: The object; ERR_PTR(-ENODEV) once the device is gone, ERR_PTR(-ENOMEM). Has a cause.
 */
void *core_object_alloc(struct ib_device *device, size_t bytes, size_t core_bytes);

/** core_object_new() - core_object_alloc() by the type's name: ib_pd, ib_qp ... */
#define core_object_new(device, type) \
	((struct type *)core_object_alloc((device), (device)->ops.size_##type, sizeof(struct type)))

/**
 * core_object_free() - Undo core_object_alloc().
 * @device: The object's; may be gone afterwards.
 * @object: From core_object_alloc().
 */
void core_object_free(struct ib_device *device, void *object);

/**
 * struct core_cq_user - Who a CQ is for.
 * @uobject: Who keeps it for a program; NULL for the kernel API.
 * @comp_handler: Called for its completions, or NULL.
 * @event_handler: Called for its events, or NULL.
 * @context: Handed to both.
 */
struct core_cq_user {
	struct ib_ucq_object *uobject;
	ib_comp_handler comp_handler;
	void (*event_handler)(struct ib_event *event, void *context);
	void *context;
};

/**
 * core_cq_create() - ib_create_cq() for any user.
 * @device: Its device.
 * @attr: Size, vector, flags.
 * @user: Copied.
 * @udata: A program's request and response, or NULL.
 *
 * Return: The CQ; ERR_PTR of the provider, and of core_object_alloc().
 */
struct ib_cq *core_cq_create(struct ib_device *device, const struct ib_cq_init_attr *attr,
			     const struct core_cq_user *user, struct ib_udata *udata);

/**
 * core_ah_attr_fill() - Check an address, and reference its source GID if it has a GRH.
 * @device: Whose port it is for.
 * @ah_attr: A grh.sgid_attr that the caller has set stays, and is not referenced again.
 * @old: Out, on success: for core_ah_attr_unfill().
 *
 * Return: 0; -EINVAL for a port, a missing GRH or an sgid_attr that does not fit; what
 *	rdma_get_gid_attr() returns.
 */
int core_ah_attr_fill(struct ib_device *device, struct rdma_ah_attr *ah_attr,
		      const struct ib_gid_attr **old);

/** core_ah_attr_unfill() - Undo core_ah_attr_fill(). */
void core_ah_attr_unfill(struct rdma_ah_attr *ah_attr, const struct ib_gid_attr *old);

/**
 * core_ah_attr_exchange() - Let an object hold the source GID of a new address.
 * @ah_attr: The address, filled.
 * @held: What the object has held so far, or NULL. Its reference is dropped.
 *
 * Return: What it holds now: referenced, or NULL for an address without GRH.
 */
const struct ib_gid_attr *core_ah_attr_exchange(const struct rdma_ah_attr *ah_attr,
						const struct ib_gid_attr *held);

/**
 * core_ah_attr_resolve_dmac() - Fill in a RoCE address's destination MAC from its GID.
 * @device: Whose port it is for.
 * @ah_attr: Filled, of type RoCE, with a GRH. Its hop limit may be changed, too.
 *
 * Return: 0; -EINVAL for a port; -EHOSTUNREACH, or what the neighbour table returns.
 */
int core_ah_attr_resolve_dmac(struct ib_device *device, struct rdma_ah_attr *ah_attr);

/**
 * core_share_qp() - Give a new XRC target QP to its domain.
 * @real_qp: The QP; loses its PD, CQs and SRQ.
 * @attr: What it was created with.
 *
 * Return: The first handle; ERR_PTR(-ENODEV), ERR_PTR(-ENOMEM), and then no handle is left.
 */
struct ib_qp *core_share_qp(struct ib_qp *real_qp, const struct ib_qp_init_attr *attr);

/**
 * core_unshare_qp() - Close a handle.
 * @handle: From core_share_qp() or ib_open_qp().
 *
 * Return: The real QP, taken out of its domain, if that was its last handle; else NULL.
 */
struct ib_qp *core_unshare_qp(struct ib_qp *handle);

#endif
