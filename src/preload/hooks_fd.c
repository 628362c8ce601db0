// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Hooks on descriptors: write, ioctl, and all that closes or copies one. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/umem.h"
#include "preload/preload.h"
#include "uabi/file.h"

#define MAX_GATHERED 4096

int fcntl64(int fd, int command, ...);
/* What a program compiled with _FORTIFY_SOURCE calls. */
ssize_t __pread_chk(int fd, void *buf, size_t bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t bytes, off64_t offset, size_t room);

/* A child of vfork() has our memory but descriptors of its own: it may close them, not the table's. */
static bool known(int fd)
{
	return uabi_fd_known(fd) && preload_is_owner();
}

static ssize_t write_file(struct uabi_file *file, const void *buf, size_t bytes)
{
	const ssize_t ret = file->ops->write(file, buf, bytes);

	uabi_file_put(file);
	return ret < 0 ? preload_fail(ret) : ret;
}

/* The file behind @fd if it takes messages, with a reference. */
static struct uabi_file *writable(int fd)
{
	struct uabi_file *file = uabi_fd_get(fd);

	if (file && unlikely(!file->ops->write)) {
		uabi_file_put(file);
		file = NULL;
	}
	return file;
}

HOOK ssize_t write(int fd, const void *buf, size_t bytes)
{
	struct uabi_file *file;

	if (uabi_fd_write_again(fd, buf, bytes))
		return (ssize_t)bytes;
	file = writable(fd);
	return file ? write_file(file, buf, bytes) : REAL(write)(fd, buf, bytes);
}

static ssize_t write_gathered(struct uabi_file *file, const struct iovec *iov, size_t count)
{
	_Alignas(8) char whole[MAX_GATHERED];
	size_t bytes = 0;

	if (count == 1)
		return write_file(file, iov->iov_base, iov->iov_len);
	for (size_t i = 0; i < count; i++) {
		if (iov[i].iov_len > sizeof(whole) - bytes) {
			uabi_file_put(file);
			return preload_fail(-EINVAL);
		}
		if (base_umem_copy(whole + bytes, iov[i].iov_base, iov[i].iov_len)) {
			uabi_file_put(file);
			return preload_fail(-EFAULT);
		}
		bytes += iov[i].iov_len;
	}
	return write_file(file, whole, bytes);
}

HOOK ssize_t writev(int fd, const struct iovec *iov, int count)
{
	struct uabi_file *file = writable(fd);

	return file ? write_gathered(file, iov, count > 0 ? (size_t)count : 0)
		    : REAL(writev)(fd, iov, count);
}

HOOK int ioctl(int fd, unsigned long request, ...)
{
	struct uabi_file *file = uabi_fd_get(fd);
	va_list args;
	void *arg;
	int ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!file || !file->ops->ioctl) {
		if (file)
			uabi_file_put(file);
		return REAL(ioctl)(fd, request, arg);
	}
	ret = file->ops->ioctl(file, request, arg);
	uabi_file_put(file);
	return ret < 0 ? (int)preload_fail(ret) : ret;
}

/* Ours are not there for the program: not to close, not to replace. */
static bool is_off_limits(int fd)
{
	return known(fd) && uabi_fd_is_hidden(fd);
}

HOOK int close(int fd)
{
	if (known(fd)) {
		if (uabi_fd_is_hidden(fd))
			return (int)preload_fail(-EBADF);
		uabi_fd_forget(fd);
	}
	return REAL(close)(fd);
}

/* A range without our own descriptors; what it has of the program's is forgotten. */
static int close_part(unsigned int first, unsigned int last, int flags)
{
	return first > last ? 0 : REAL(close_range)(first, last, flags);
}

HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
	int ret = 0;

	if (first > last || flags & ~(int)(CLOSE_RANGE_CLOEXEC | CLOSE_RANGE_UNSHARE) ||
	    !preload_is_owner())
		return REAL(close_range)(first, last, flags);
	for (int fd = uabi_fd_next(first > INT_MAX ? INT_MAX : (int)first);
	     fd >= 0 && (unsigned int)fd <= last && !ret; fd = uabi_fd_next(fd + 1)) {
		if (uabi_fd_is_hidden(fd)) {
			if ((unsigned int)fd > first)
				ret = close_part(first, (unsigned int)fd - 1, flags);
			first = (unsigned int)fd + 1;
		} else if (!(flags & (int)CLOSE_RANGE_CLOEXEC)) {
			uabi_fd_forget(fd);
		}
	}
	return ret ? ret : close_part(first, last, flags);
}

HOOK void closefrom(int first)
{
	(void)close_range(first < 0 ? 0 : (unsigned int)first, ~0u, 0);
}

static int copied(int from, int to)
{
	if (to >= 0 && (known(from) || known(to)))
		uabi_fd_copied(from, to);
	return to;
}

HOOK int dup(int fd)
{
	if (is_off_limits(fd))
		return (int)preload_fail(-EBADF);
	return copied(fd, REAL(dup)(fd));
}

HOOK int dup2(int from, int to)
{
	if (is_off_limits(from) || is_off_limits(to))
		return (int)preload_fail(-EBADF);
	return copied(from, REAL(dup2)(from, to));
}

HOOK int dup3(int from, int to, int flags)
{
	if (is_off_limits(from) || is_off_limits(to))
		return (int)preload_fail(-EBADF);
	return copied(from, REAL(dup3)(from, to, flags));
}

static bool duplicates(int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

static int controlled(int fd, int command, int ret)
{
	return duplicates(command) ? copied(fd, ret) : ret;
}

HOOK int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	if (duplicates(command) && is_off_limits(fd))
		return (int)preload_fail(-EBADF);
	return controlled(fd, command, REAL(fcntl)(fd, command, arg));
}

HOOK int fcntl64(int fd, int command, ...)
{
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	if (duplicates(command) && is_off_limits(fd))
		return (int)preload_fail(-EBADF);
	return controlled(fd, command, REAL(fcntl64)(fd, command, arg));
}

/* Who begins anew reads what is so now, as the kernel makes the content of sysfs when it is asked for. */
static void begins(int fd)
{
	struct uabi_file *file = uabi_fd_known(fd) ? uabi_fd_get(fd) : NULL;

	if (!file)
		return;
	BASE_UNCANCELLED;
	if (file->ops->rewind && preload_is_owner())
		file->ops->rewind(file, fd);
	uabi_file_put(file);
}

HOOK off_t lseek(int fd, off_t offset, int whence)
{
	if (!offset && whence == SEEK_SET)
		begins(fd);
	return REAL(lseek)(fd, offset, whence);
}

HOOK off64_t lseek64(int fd, off64_t offset, int whence)
{
	if (!offset && whence == SEEK_SET)
		begins(fd);
	return REAL(lseek64)(fd, offset, whence);
}

HOOK ssize_t pread(int fd, void *buf, size_t bytes, off_t offset)
{
	if (!offset)
		begins(fd);
	return REAL(pread)(fd, buf, bytes, offset);
}

HOOK ssize_t pread64(int fd, void *buf, size_t bytes, off64_t offset)
{
	if (!offset)
		begins(fd);
	return REAL(pread64)(fd, buf, bytes, offset);
}

HOOK ssize_t __pread_chk(int fd, void *buf, size_t bytes, off_t offset, size_t room)
{
	if (!offset)
		begins(fd);
	return REAL(__pread_chk)(fd, buf, bytes, offset, room);
}

HOOK ssize_t __pread64_chk(int fd, void *buf, size_t bytes, off64_t offset, size_t room)
{
	if (!offset)
		begins(fd);
	return REAL(__pread64_chk)(fd, buf, bytes, offset, room);
}

HOOK ssize_t preadv(int fd, const struct iovec *iov, int count, off_t offset)
{
	if (!offset)
		begins(fd);
	return REAL(preadv)(fd, iov, count, offset);
}

HOOK ssize_t preadv64(int fd, const struct iovec *iov, int count, off64_t offset)
{
	if (!offset)
		begins(fd);
	return REAL(preadv64)(fd, iov, count, offset);
}
