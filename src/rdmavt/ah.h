/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Address handles. */
#ifndef RDMAVT_AH_H
#define RDMAVT_AH_H

#include <rdma/rdma_vt.h>

/**
 * rvt_create_ah() - Make an address handle.
 * @ibah: Zeroed but for what the core filled in.
 * @init_attr: ah_attr is copied, with a reference on its source GID.
 * @udata: Of the caller, or NULL. A process whose rings name handles by number gets one.
 *
 * Context: Any; never sleeps.
 * Return: 0; what rvt_check_ah() returns; -ENOMEM when max_ah handles exist, or there is no number;
 *	-EINVAL if @udata has no room for it; -EFAULT if it cannot be written.
 */
int rvt_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init_attr, struct ib_udata *udata);

/** rvt_destroy_ah() - Free an address handle; of a process's one, may sleep. Always 0. */
int rvt_destroy_ah(struct ib_ah *ibah, u32 destroy_flags);

/**
 * rvt_modify_ah() - Replace the address.
 * @ibah: The handle. Requests that are posted already keep the old one.
 * @ah_attr: Copied.
 *
 * Return: 0; what rvt_check_ah() returns, and nothing has changed.
 */
int rvt_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *ah_attr);

/** rvt_query_ah() - Copy the address out; the source GID stays the handle's. Always 0. */
int rvt_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *ah_attr);

#endif
