/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The system's error numbers; the C library's <errno.h> passes through here, too. */
#ifndef VERBENA_LINUX_ERRNO_H
#define VERBENA_LINUX_ERRNO_H

#include_next <linux/errno.h>

/* Kernel-internal numbers that callers of the verbs API may test for. */
#ifndef ENOTSUPP
#define ENOTSUPP 524
#endif

#endif /* VERBENA_LINUX_ERRNO_H */
