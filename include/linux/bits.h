/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Single bits and runs of bits. */
#ifndef VERBENA_LINUX_BITS_H
#define VERBENA_LINUX_BITS_H

#include <linux/types.h>

#ifndef BIT
#define BIT(nr) (1UL << (nr))
#endif
#ifndef BIT_ULL
#define BIT_ULL(nr) (1ULL << (nr))
#endif
#ifndef GENMASK
#define GENMASK(h, l) ((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#endif
#ifndef GENMASK_ULL
#define GENMASK_ULL(h, l) ((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#endif

#endif /* VERBENA_LINUX_BITS_H */
