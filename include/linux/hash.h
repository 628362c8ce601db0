/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Spreading integers over a table of 2^bits slots. */
#ifndef VERBENA_LINUX_HASH_H
#define VERBENA_LINUX_HASH_H

#include <linux/types.h>

/* 2^32 divided by the golden ratio, made odd. */
#define GOLDEN_RATIO_32 0x61C88647u

static inline u32 hash_32(u32 val, unsigned int bits)
{
	const u32 product = val * GOLDEN_RATIO_32;

	return bits ? product >> (32 - bits) : 0;
}

#endif /* VERBENA_LINUX_HASH_H */
