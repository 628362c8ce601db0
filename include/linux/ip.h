/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The IPv4 header is the C library's, so that programs may include both. */
#ifndef VERBENA_LINUX_IP_H
#define VERBENA_LINUX_IP_H

#include <netinet/ip.h>

#endif /* VERBENA_LINUX_IP_H */
