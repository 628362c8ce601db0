// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Sockets, descriptors and memory between processes and their daemon. */
#include "attach/socket.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/map.h"
#include "base/thread.h"

union control {
	char bytes[CMSG_SPACE(sizeof(int) * ATTACH_FDS)];
	struct cmsghdr align;
};

int attach_send(int fd, struct attach_message *m, const int *fds, unsigned int count)
{
	struct iovec iov = {m, sizeof(*m)};
	union control control = {.bytes = {0}};
	struct msghdr header = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	m->magic = ATTACH_MAGIC;
	m->version = ATTACH_VERSION;
	if (count) {
		struct cmsghdr *cmsg = &control.align;

		INVARIANT(count <= ATTACH_FDS);
		header.msg_control = control.bytes;
		header.msg_controllen = CMSG_SPACE(sizeof(int) * count);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(cmsg), fds, sizeof(int) * count);
	}
	/* Not by way of the hook, which lets no descriptor of ours out of the process. */
	do
		n = syscall(SYS_sendmsg, fd, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

static void take_fds(struct msghdr *header, int fds[ATTACH_FDS])
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		    c->cmsg_len - CMSG_LEN(0) <= sizeof(int) * ATTACH_FDS)
			memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
}

/* The version is asked before the size: another version's messages may have another. */
static int check_message(const struct attach_message *m, size_t bytes, int flags)
{
	if (bytes < 2 * sizeof(uint32_t) || m->magic != ATTACH_MAGIC)
		return -EPROTO;
	if (m->version != ATTACH_VERSION)
		return -EPROTONOSUPPORT;
	if (bytes != sizeof(*m) || flags & MSG_TRUNC)
		return -EPROTO;
	return 0;
}

int attach_receive(int fd, struct attach_message *m, int fds[ATTACH_FDS])
{
	struct iovec iov = {m, sizeof(*m)};
	union control control;
	struct msghdr header = {.msg_iov = &iov,
				.msg_iovlen = 1,
				.msg_control = control.bytes,
				.msg_controllen = sizeof(control)};
	ssize_t n;
	int ret;

	for (unsigned int i = 0; i < ATTACH_FDS; i++)
		fds[i] = -1;
	do
		n = recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return n < 0 ? -errno : -ECONNRESET;
	take_fds(&header, fds);
	ret = check_message(m, (size_t)n, header.msg_flags);
	if (ret)
		attach_close_all(fds);
	return ret;
}

void attach_close_all(int fds[ATTACH_FDS])
{
	for (unsigned int i = 0; i < ATTACH_FDS; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static int check_dir(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return st.st_uid == geteuid() && !(st.st_mode & 077) ? 0 : -EPERM;
}

int attach_run_dir(char *path, size_t bytes)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	int n;

	if (runtime && runtime[0] == '/')
		n = snprintf(path, bytes, "%s/verbena", runtime);
	else
		n = snprintf(path, bytes, "/tmp/verbena-%u", (unsigned int)geteuid());
	if (n < 0 || (size_t)n >= bytes)
		return -ENAMETOOLONG;
	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	return check_dir(path);
}

/* "-" means no daemon's fabric at all (device/process.c). */
static bool is_name(const char *name)
{
	if (!*name || *name == '.' || !strcmp(name, "-"))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && !strchr("-_.", *name))
			return false;
	return true;
}

int attach_socket_path(const char *fabric, char *path)
{
	char dir[ATTACH_PATH];
	int ret = attach_run_dir(dir, sizeof(dir)), n;

	if (ret)
		return ret;
	if (!is_name(fabric))
		return -EINVAL;
	n = snprintf(path, ATTACH_PATH, "%s/%s.sock", dir, fabric);
	return n < 0 || (size_t)n >= ATTACH_PATH ? -ENAMETOOLONG : 0;
}

int attach_memory(const char *name, size_t bytes)
{
	const int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;
	BASE_NO_SIGXFSZ;

	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, (off_t)bytes) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

void *attach_map(int fd, size_t bytes, bool writable)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) || st.st_size < 0 ||
	    (size_t)st.st_size < bytes) {
		errno = EPROTO;
		return NULL;
	}
	return base_map(bytes, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd);
}

bool attach_is_eventfd(int fd)
{
	static const char wanted[] = "anon_inode:[eventfd]";
	char path[32], target[sizeof(wanted)];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target));
	return n == (ssize_t)sizeof(wanted) - 1 && !memcmp(target, wanted, sizeof(wanted) - 1) &&
	       !fcntl(fd, F_SETFL, O_NONBLOCK);
}

void *attach_map_file(int fd, size_t bytes)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_size < 0 ||
	    (size_t)st.st_size < bytes) {
		errno = EPROTO;
		return NULL;
	}
	return base_map(bytes, PROT_READ, MAP_SHARED, fd);
}
