/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Socket addresses are the C library's. */
#ifndef VERBENA_LINUX_SOCKET_H
#define VERBENA_LINUX_SOCKET_H

#include_next <linux/socket.h>
#include <sys/socket.h>

#endif /* VERBENA_LINUX_SOCKET_H */
