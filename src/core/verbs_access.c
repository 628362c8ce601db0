/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Rights to memory: which go together. */
#include <rdma/ib_verbs.h>

#include "base/cause.h"

/* With those after 6.1. */
#define KNOWN (IB_ACCESS_SUPPORTED | IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT)

int ib_check_mr_access(struct ib_device *ib_dev, unsigned int flags)
{
	const unsigned int unknown = flags & ~(unsigned int)KNOWN;

	if ((flags & (IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_REMOTE_WRITE)) &&
	    !(flags & IB_ACCESS_LOCAL_WRITE))
		return base_refuse(-EINVAL, MR_ACCESS, flags);
	if (unknown)
		return base_refuse(-EINVAL, MR_ACCESS_UNKNOWN, flags, unknown);
	if ((flags & IB_ACCESS_ON_DEMAND) &&
	    !(ib_dev->attrs.kernel_cap_flags & IBK_ON_DEMAND_PAGING))
		return base_refuse(-EINVAL, MR_ON_DEMAND);
	return 0;
}
