/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's string functions are the C library's. */
#ifndef VERBENA_LINUX_STRING_H
#define VERBENA_LINUX_STRING_H

#include_next <linux/string.h>
#include <string.h>

#endif /* VERBENA_LINUX_STRING_H */
