// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Hooks that open: all names under which the C library does so. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/preload.h"
#include "uabi/file.h"
#include "uabi/path.h"

/* What a program compiled with _FORTIFY_SOURCE calls. */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

static mode_t mode_of(int flags, va_list args)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
}

static int install(int fd, struct uabi_file *file, int flags)
{
	const int ret = uabi_fd_install(fd, file);

	if (ret) {
		uabi_file_put(file);
		close(fd);
		return (int)preload_fail(ret);
	}
	if (!(flags & O_CLOEXEC))
		(void)fcntl(fd, F_SETFD, 0);
	return fd;
}

/* Whether the path is a device or a file of ours; @fd: what opening it has given. */
static bool opens_ours(int dir, const char *path, int flags, int *fd)
{
	struct uabi_file *file;
	int ret = preload_open(dir, path, flags, &file);

	if (ret == -EISDIR)
		return false;
	*fd = ret < 0 ? (int)preload_fail(ret) : install(ret, file, flags);
	return true;
}

/* For every open: a descriptor that the kernel gives out anew cannot be one of ours any more. */
static int opened(int fd)
{
	if (fd >= 0 && uabi_fd_known(fd) && preload_is_owner())
		uabi_fd_forget(fd);
	return fd;
}

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	struct preload_path room;
	int fd;

	if (opens_ours(dir, path, flags, &fd))
		return fd;
	return opened(REAL(openat)(dir, preload_path(path, &room), flags, mode));
}

HOOK int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_at(AT_FDCWD, path, flags, mode);
}

HOOK int openat(int dir, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = mode_of(flags, args);
	va_end(args);
	return open_at(dir, path, flags, mode);
}

/* The C library ends a program that wants a file made, and says not how. */
HOOK int __openat_2(int dir, const char *path, int flags)
{
	struct preload_path room;
	int fd;

	if (opens_ours(dir, path, flags, &fd))
		return fd;
	return opened(REAL(__openat_2)(dir, preload_path(path, &room), flags));
}

HOOK int __open_2(const char *path, int flags)
{
	return __openat_2(AT_FDCWD, path, flags);
}

HOOK int open64(const char *path, int flags, ...) SAME_AS(open);
HOOK int openat64(int dir, const char *path, int flags, ...) SAME_AS(openat);
HOOK int __open64_2(const char *path, int flags) SAME_AS(__open_2);
HOOK int __openat64_2(int dir, const char *path, int flags) SAME_AS(__openat_2);

/*
 * A stream on what preload_open() gives, if @mode is to read. Its descriptor stands in no table, for
 * fclose() would not take it out.
 */
static bool opens_stream(const char *path, const char *mode, FILE **stream)
{
	struct uabi_file *file;
	int fd, err;

	if (!uabi_path_is_ours(path) || *mode != 'r' || strchr(mode, '+') ||
	    uabi_path_minor(path) >= 0)
		return false;
	fd = preload_open(AT_FDCWD, path, O_RDONLY, &file);
	if (fd == -EISDIR)
		return false;
	*stream = NULL;
	if (fd < 0) {
		preload_fail(fd);
		return true;
	}
	uabi_file_put(file);
	if (!strchr(mode, 'e'))
		(void)fcntl(fd, F_SETFD, 0);
	*stream = fdopen(opened(fd), mode);
	err = errno;
	if (!*stream)
		close(fd);
	errno = err;
	return true;
}

HOOK FILE *fopen(const char *path, const char *mode)
{
	struct preload_path room;
	FILE *stream;

	if (opens_stream(path, mode, &stream))
		return stream;
	return REAL(fopen)(preload_path(path, &room), mode);
}

HOOK FILE *fopen64(const char *path, const char *mode) SAME_AS(fopen);

HOOK DIR *opendir(const char *path)
{
	struct preload_path room;

	return REAL(opendir)(preload_path(path, &room));
}

HOOK int scandir(const char *path, struct dirent ***names, int (*filter)(const struct dirent *),
		 int (*compare)(const struct dirent **, const struct dirent **))
{
	struct preload_path room;

	return REAL(scandir)(preload_path(path, &room), names, filter, compare);
}

HOOK int scandir64(const char *path, struct dirent64 ***names,
		   int (*filter)(const struct dirent64 *),
		   int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	struct preload_path room;

	return REAL(scandir64)(preload_path(path, &room), names, filter, compare);
}
