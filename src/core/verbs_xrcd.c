/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* XRC domains. Their target QPs are in verbs_qp_shared.c. */
#include <rdma/ib_verbs.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

struct ib_xrcd *ib_alloc_xrcd_user(struct ib_device *device, struct inode *inode,
				   struct ib_udata *udata)
{
	struct ib_xrcd *xrcd;
	int ret;

	if (!device->ops.alloc_xrcd)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	xrcd = core_object_new(device, ib_xrcd);
	if (IS_ERR(xrcd))
		return xrcd;
	xrcd->device = device;
	xrcd->inode = inode;
	init_rwsem(&xrcd->tgt_qps_rwsem);
	xa_init(&xrcd->tgt_qps);
	ret = device->ops.alloc_xrcd(xrcd, udata);
	if (!ret)
		return xrcd;
	core_object_free(device, xrcd);
	return ERR_PTR(ret);
}

int ib_dealloc_xrcd_user(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	struct ib_device *device = xrcd->device;
	const int users = atomic_read(&xrcd->usecnt);
	int ret;

	if (users)
		return base_refuse(-EBUSY, XRCD_IN_USE, (u32)users);
	ret = device->ops.dealloc_xrcd(xrcd, udata);
	if (ret)
		return ret;
	xa_destroy(&xrcd->tgt_qps);
	core_object_free(device, xrcd);
	return 0;
}
