// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Hooks on sockets: NETLINK_RDMA only. */
#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/preload.h"
#include "uabi/file.h"
#include "uabi/netlink.h"

static int opened(int fd)
{
	struct uabi_file *file;
	int ret;

	if (fd < 0)
		return fd;
	ret = uabi_netlink_open(fd, &file);
	if (!ret) {
		ret = uabi_fd_install(fd, file);
		if (ret)
			uabi_file_put(file);
	}
	if (ret) {
		close(fd);
		return (int)preload_fail(ret);
	}
	return fd;
}

HOOK int socket(int domain, int type, int protocol)
{
	if (domain != AF_NETLINK || protocol != NETLINK_RDMA || !preload_start())
		return REAL(socket)(domain, type, protocol);
	return opened(REAL(socket)(AF_NETLINK, type, NETLINK_USERSOCK));
}

static bool is_programs(int fd)
{
	return uabi_fd_known(fd) && !uabi_fd_is_hidden(fd);
}

HOOK ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (!is_programs(fd))
		return REAL(sendmsg)(fd, message, flags);
	return writev(fd, message->msg_iov, (int)message->msg_iovlen);
}

HOOK ssize_t sendto(int fd, const void *buf, size_t bytes, int flags, const struct sockaddr *to,
		    socklen_t to_bytes)
{
	if (!is_programs(fd))
		return REAL(sendto)(fd, buf, bytes, flags, to, to_bytes);
	return write(fd, buf, bytes);
}

HOOK ssize_t send(int fd, const void *buf, size_t bytes, int flags)
{
	if (!is_programs(fd))
		return REAL(send)(fd, buf, bytes, flags);
	return write(fd, buf, bytes);
}
