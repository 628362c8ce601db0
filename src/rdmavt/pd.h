/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Protection domains. */
#ifndef RDMAVT_PD_H
#define RDMAVT_PD_H

#include <rdma/rdma_vt.h>

/**
 * rvt_alloc_pd() - Make a protection domain.
 * @ibpd: Zeroed but for what the core filled in.
 * @udata: Of a process, whose PD may not use key 0; NULL for the kernel API.
 *
 * Return: 0; -ENOMEM when max_pd domains exist.
 */
int rvt_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

/** rvt_dealloc_pd() - Free a protection domain that nothing uses. Always 0. */
int rvt_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

#endif
