/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where the kernel keeps cpu_to_be32() and its kin. */
#ifndef VERBENA_ASM_BYTEORDER_H
#define VERBENA_ASM_BYTEORDER_H

#include_next <asm/byteorder.h>
#include <linux/byteorder.h>

#endif /* VERBENA_ASM_BYTEORDER_H */
