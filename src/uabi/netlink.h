/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * NETLINK_RDMA for this process. The program's descriptor is a real netlink socket, of protocol
 * NETLINK_USERSOCK, so that bind, poll and recvmsg need no help; what it sends comes to us, and the
 * answer goes to its port id from a socket of our own.
 */
#ifndef UABI_NETLINK_H
#define UABI_NETLINK_H

#include <stdbool.h>

struct uabi_file;

/**
 * uabi_netlink_open() - Make the meaning of a socket that the program takes for NETLINK_RDMA.
 * @fd: The real socket, of NETLINK_USERSOCK. Stays the program's.
 * @file: Out: what it means, one reference.
 *
 * Return: 0; -errno with a cause.
 */
int uabi_netlink_open(int fd, struct uabi_file **file);

/** uabi_netlink_showed() - Whether this process was told of a device of libibverbs'. */
bool uabi_netlink_showed(void);

/** uabi_netlink_forked() - Forget our own socket, in the child of a fork. */
void uabi_netlink_forked(void);

#endif
