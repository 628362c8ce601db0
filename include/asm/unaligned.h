/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Where the kernel keeps get_unaligned_be32() and its kin. */
#ifndef VERBENA_ASM_UNALIGNED_H
#define VERBENA_ASM_UNALIGNED_H

#include <linux/byteorder.h>

#endif /* VERBENA_ASM_UNALIGNED_H */
