/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a call of a process carries besides its arguments: whose call it is. */
#ifndef VERBENA_RDMA_UVERBS_IOCTL_H
#define VERBENA_RDMA_UVERBS_IOCTL_H

#include <linux/kernel.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/ib_verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct uverbs_attr_bundle - One call of a process.
 * @driver_udata: The provider's part of request and response. Whoever hands a struct ib_udata to
 *	a driver hands it this one: see rdma_udata_to_uverbs_attr_bundle().
 * @ucore: The core's part of request and response.
 * @ufile: Whose file the call came through.
 * @context: The process's context, or NULL while there is none yet (GET_CONTEXT).
 * @uobject: Object that the call is about, or NULL.
 */
struct uverbs_attr_bundle {
	struct ib_udata driver_udata;
	struct ib_udata ucore;
	struct ib_uverbs_file *ufile;
	struct ib_ucontext *context;
	struct ib_uobject *uobject;
};

/**
 * rdma_udata_to_uverbs_attr_bundle() - The call that a driver's request and response belong to.
 * @udata: As the driver got it, not NULL.
 *
 * Return: The call.
 */
static inline struct uverbs_attr_bundle *rdma_udata_to_uverbs_attr_bundle(struct ib_udata *udata)
{
	return container_of(udata, struct uverbs_attr_bundle, driver_udata);
}

/**
 * rdma_udata_to_drv_context() - A driver's context around the core's.
 * @udata: As the driver got it, or NULL.
 * @drv_dev_struct: Type of the driver's context.
 * @member: Its struct ib_ucontext.
 *
 * Return: The driver's context; NULL without @udata.
 */
#define rdma_udata_to_drv_context(udata, drv_dev_struct, member)                                  \
	((udata) ? container_of(rdma_udata_to_uverbs_attr_bundle(udata)->context, drv_dev_struct, \
				member)                                                           \
		 : (drv_dev_struct *)NULL)

/**
 * ib_wc_to_uverbs() - A completion as a process wants to see it (Verbena).
 * @wc: The completion; @wc->wr_id counts.
 * @entry: Out, all of it. Flags have the numbers of libibverbs, where WITH_INV is not what
 *	IB_WC_WITH_INVALIDATE is; the kernel mixes them up.
 */
void ib_wc_to_uverbs(const struct ib_wc *wc, struct ib_uverbs_wc *entry);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_UVERBS_IOCTL_H */
