/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Odds and ends of the kernel's <linux/kernel.h>, on top of the system's. */
#ifndef VERBENA_LINUX_KERNEL_H
#define VERBENA_LINUX_KERNEL_H

#include_next <linux/kernel.h>
#include <linux/types.h>
#include <linux/minmax.h>
#include <limits.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#endif
#ifndef DIV_ROUND_UP
#define DIV_ROUND_UP(n, d) (((n) + (d)-1) / (d))
#endif
#ifndef ALIGN
#define ALIGN(x, a) (((x) + (__typeof__(x))(a)-1) & ~((__typeof__(x))(a)-1))
#endif
#ifndef roundup
#define roundup(x, y) ((((x) + (y)-1) / (y)) * (y))
#endif
#ifndef upper_32_bits
#define upper_32_bits(n) ((u32)(((u64)(n)) >> 32))
#endif
#ifndef lower_32_bits
#define lower_32_bits(n) ((u32)((n)&0xffffffffu))
#endif

#endif /* VERBENA_LINUX_KERNEL_H */
