/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Allocation contexts; none of them means anything here. */
#ifndef VERBENA_LINUX_GFP_H
#define VERBENA_LINUX_GFP_H

#include <linux/types.h>

#define GFP_KERNEL ((gfp_t)0x1)
#define GFP_ATOMIC ((gfp_t)0x2)
#define GFP_NOWAIT ((gfp_t)0x4)
#define GFP_NOIO ((gfp_t)0x8)
#define GFP_NOFS ((gfp_t)0x10)
#define GFP_USER ((gfp_t)0x20)
#define __GFP_ZERO ((gfp_t)0x40)
#define __GFP_NOWARN ((gfp_t)0x80)

#endif /* VERBENA_LINUX_GFP_H */
