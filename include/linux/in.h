/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The system's header, which agrees with libc's only after it. */
#ifndef VERBENA_LINUX_IN_H
#define VERBENA_LINUX_IN_H

#include <netinet/in.h>
#include_next <linux/in.h>

#endif /* VERBENA_LINUX_IN_H */
