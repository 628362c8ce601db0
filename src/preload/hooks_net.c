// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Hooks on sockets: NETLINK_RDMA, and descriptors of ours that are passed on. */
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/thread.h"
#include "preload/preload.h"
#include "uabi/explain.h"
#include "uabi/file.h"
#include "uabi/netlink.h"

static int opened(int fd)
{
	struct uabi_file *file;
	int ret;
	BASE_UNCANCELLED;

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

/* Whether a descriptor takes messages that are for us. */
static bool takes_messages(int fd)
{
	struct uabi_file *file = uabi_fd_known(fd) ? uabi_fd_get(fd) : NULL;
	const bool takes = file && file->ops->write;

	if (file)
		uabi_file_put(file);
	return takes;
}

/* Whether a descriptor means nothing elsewhere: a device, or one of our own. */
static bool must_stay(int fd)
{
	struct uabi_file *file;
	bool stays;

	if (!uabi_fd_known(fd))
		return false;
	file = uabi_fd_get(fd);
	stays = !file || !file->ops->rewind;
	if (file)
		uabi_file_put(file);
	return stays;
}

/* @end: Of all control messages; this one may say that it is longer. */
static bool has_device(const struct cmsghdr *c, const unsigned char *end)
{
	const size_t most = (size_t)(end - CMSG_DATA(c));
	size_t bytes = c->cmsg_len > CMSG_LEN(0) ? c->cmsg_len - CMSG_LEN(0) : 0;
	int fd;

	if (bytes > most)
		bytes = most;
	if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return false;
	for (size_t i = 0; i + sizeof(fd) <= bytes; i += sizeof(fd)) {
		memcpy(&fd, CMSG_DATA(c) + i, sizeof(fd));
		if (must_stay(fd)) {
			(void)base_refuse(-EPERM, UABI_FD_PASSED, (u32)fd);
			return true;
		}
	}
	return false;
}

/* Another process would get a file that means nothing there. */
static bool passes_device(const struct msghdr *message)
{
	const unsigned char *end;

	if (!message->msg_control || message->msg_controllen < sizeof(struct cmsghdr))
		return false;
	end = (const unsigned char *)message->msg_control + message->msg_controllen;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c;
	     c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)message, c))
		if (has_device(c, end))
			return true;
	return false;
}

static int refuse_passing(void)
{
	explain_refusal(-EPERM);
	return (int)preload_fail(-EPERM);
}

HOOK int sendmmsg(int fd, struct mmsghdr *messages, unsigned int count, int flags)
{
	for (unsigned int i = 0; messages && i < count; i++)
		if (passes_device(&messages[i].msg_hdr))
			return refuse_passing();
	return REAL(sendmmsg)(fd, messages, count, flags);
}

HOOK ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	if (message && passes_device(message))
		return refuse_passing();
	if (!message || !takes_messages(fd))
		return REAL(sendmsg)(fd, message, flags);
	return writev(fd, message->msg_iov, (int)message->msg_iovlen);
}

HOOK ssize_t sendto(int fd, const void *buf, size_t bytes, int flags, const struct sockaddr *to,
		    socklen_t to_bytes)
{
	if (!takes_messages(fd))
		return REAL(sendto)(fd, buf, bytes, flags, to, to_bytes);
	return write(fd, buf, bytes);
}

HOOK ssize_t send(int fd, const void *buf, size_t bytes, int flags)
{
	if (!takes_messages(fd))
		return REAL(send)(fd, buf, bytes, flags);
	return write(fd, buf, bytes);
}
