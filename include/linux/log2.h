/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Powers of two. */
#ifndef VERBENA_LINUX_LOG2_H
#define VERBENA_LINUX_LOG2_H

#include <linux/bitops.h>

/* Rounded down; @n is not 0. */
static inline int ilog2(u64 n)
{
	return 63 - __builtin_clzll(n);
}

static inline bool is_power_of_2(unsigned long n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

/* @n is not 0 and at most 2^63. */
static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n == 1 ? 1 : 1UL << (ilog2(n - 1) + 1);
}

#endif /* VERBENA_LINUX_LOG2_H */
