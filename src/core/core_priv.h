/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of core share with each other and with nobody else. */
#ifndef CORE_PRIV_H
#define CORE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

struct ib_device;
struct ib_qp;
struct ib_gid_attr;
union ib_gid;

/*
 * Objects and their device (device.c, docs/design/removal.md). Whatever has a pointer to a device
 * and lives until its user destroys it (PD, CQ, QP, SRQ, MR, AH, XRCD, WQ ...) counts as one
 * object, from before the provider's create op until after its destroy op. The count keeps the
 * device's memory and ops, so that a destroy which comes after ib_dealloc_device() is safe.
 */

/**
 * core_object_get() - Count an object that is about to be created.
 * @device: Its device; need not be registered yet.
 *
 * Return: 0; -ENODEV, with a cause, once ib_unregister_device() has finished.
 */
int core_object_get(struct ib_device *device);

/**
 * core_object_put() - An object is gone, or was not created after all.
 * @device: Its device. Not to be touched afterwards: the last object of a device that has been
 *	deallocated takes it along.
 *
 * Context: Where destroying is allowed; may sleep.
 */
void core_object_put(struct ib_device *device);

/** core_object_count() - Objects of @device that are alive. */
unsigned int core_object_count(const struct ib_device *device);

/** core_device_removed() - Whether ib_unregister_device() has finished. */
bool core_device_removed(const struct ib_device *device);

/**
 * core_neighbour_install() - Say how a RoCE peer's MAC address is found (verbs_ah.c).
 * @find: Fills in @dmac, and @hop_limit if the peer is reached through a router. May sleep.
 *	Returns 0 or a negative errno. NULL, as at first: nobody is found.
 */
void core_neighbour_install(int (*find)(const struct ib_gid_attr *sgid_attr,
					const union ib_gid *dgid, uint8_t *dmac,
					uint8_t *hop_limit));

/* MRs of a QP for rdma_rw_ctx_init() (rw.c): ib_create_qp() and ib_destroy_qp() call these. */

/**
 * rdma_rw_init_mrs() - Fill a new QP's pool of MRs if it asked for rdma_rw contexts.
 * @qp: Just created.
 * @attr: What it was created with; cap.max_rdma_ctxs of them.
 *
 * Return: 0 or what ib_alloc_mr() returned, with nothing allocated.
 */
int rdma_rw_init_mrs(struct ib_qp *qp, struct ib_qp_init_attr *attr);

/** rdma_rw_cleanup_mrs() - Undo rdma_rw_init_mrs(). */
void rdma_rw_cleanup_mrs(struct ib_qp *qp);

/** core_forked() - Forget all devices and clients, in the child of a fork (device.c). */
void core_forked(void);

/** ib_cq_pool_cleanup() - Free all shared CQs of a device (cq.c). */
void ib_cq_pool_cleanup(struct ib_device *device);

#endif
