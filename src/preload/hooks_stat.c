// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Hooks that look at files: the stat family with its old entry points, access, links. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "preload/preload.h"
#include "uabi/file.h"
#include "uabi/path.h"
#include "uabi/tree.h"
#include "uabi/uverbs.h"

#define DEVICE_MODE (S_IFCHR | 0666)

/* What programs that were linked against a C library before 2.33 call. */
int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags);
/* And what they call with _FORTIFY_SOURCE. */
char *__realpath_chk(const char *path, char *resolved, size_t bytes);
ssize_t __readlink_chk(const char *path, char *buf, size_t bytes, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *buf, size_t bytes, size_t room);

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one layout serves both");

/* What stands for a device node is another file: it shall look like that device. */
static int seen_path(const char *path, int ret, struct stat *st)
{
	const int minor = !ret && uabi_path_is_ours(path) ? uabi_path_minor(path) : -1;

	if (minor >= 0) {
		st->st_mode = DEVICE_MODE;
		st->st_rdev = uverbs_devt((unsigned int)minor);
	}
	return ret;
}

static int seen_fd(int fd, int ret, struct stat *st)
{
	struct uabi_file *file;

	if (ret || !uabi_fd_known(fd))
		return ret;
	file = uabi_fd_get(fd);
	if (!file)
		return ret;
	if (file->ops->fstat)
		ret = file->ops->fstat(file, st);
	uabi_file_put(file);
	return ret < 0 ? (int)preload_fail(ret) : ret;
}

/* fstatat() of a descriptor itself, or of a path. */
static int seen_at(int dir, const char *path, int flags, int ret, struct stat *st)
{
	if (flags & AT_EMPTY_PATH && path && !*path)
		return seen_fd(dir, ret, st);
	return seen_path(path, ret, st);
}

HOOK int stat(const char *path, struct stat *st)
{
	struct preload_path room;

	return seen_path(path, REAL(stat)(preload_look(path, &room), st), st);
}

HOOK int lstat(const char *path, struct stat *st)
{
	struct preload_path room;

	return seen_path(path, REAL(lstat)(preload_look(path, &room), st), st);
}

HOOK int fstat(int fd, struct stat *st)
{
	return seen_fd(fd, REAL(fstat)(fd, st), st);
}

HOOK int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	struct preload_path room;

	return seen_at(dir, path, flags, REAL(fstatat)(dir, preload_look(path, &room), st, flags),
		       st);
}

HOOK int __xstat(int version, const char *path, struct stat *st)
{
	struct preload_path room;

	return seen_path(path, REAL(__xstat)(version, preload_look(path, &room), st), st);
}

HOOK int __lxstat(int version, const char *path, struct stat *st)
{
	struct preload_path room;

	return seen_path(path, REAL(__lxstat)(version, preload_look(path, &room), st), st);
}

HOOK int __fxstat(int version, int fd, struct stat *st)
{
	return seen_fd(fd, REAL(__fxstat)(version, fd, st), st);
}

HOOK int __fxstatat(int version, int dir, const char *path, struct stat *st, int flags)
{
	struct preload_path room;

	return seen_at(dir, path, flags,
		       REAL(__fxstatat)(version, dir, preload_look(path, &room), st, flags), st);
}

/* One layout has two names, which to the compiler are two. */
#ifndef __clang__ /* which does not mind */
#pragma GCC diagnostic ignored "-Wattribute-alias"
#endif
HOOK int stat64(const char *path, struct stat64 *st) SAME_AS(stat);
HOOK int lstat64(const char *path, struct stat64 *st) SAME_AS(lstat);
HOOK int fstat64(int fd, struct stat64 *st) SAME_AS(fstat);
HOOK int fstatat64(int dir, const char *path, struct stat64 *st, int flags) SAME_AS(fstatat);
HOOK int __xstat64(int version, const char *path, struct stat64 *st) SAME_AS(__xstat);
HOOK int __lxstat64(int version, const char *path, struct stat64 *st) SAME_AS(__lxstat);
HOOK int __fxstat64(int version, int fd, struct stat64 *st) SAME_AS(__fxstat);
HOOK int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags)
	SAME_AS(__fxstatat);

HOOK int statx(int dir, const char *restrict path, int flags, unsigned int mask,
	       struct statx *restrict stx)
{
	struct preload_path room;
	struct stat st = {.st_mode = 0};
	int ret = REAL(statx)(dir, preload_look(path, &room), flags, mask, stx);

	if (ret)
		return ret;
	st.st_mode = stx->stx_mode;
	ret = seen_at(dir, path, flags, 0, &st);
	if (!ret && st.st_rdev) {
		stx->stx_mode = (__u16)st.st_mode;
		stx->stx_rdev_major = major(st.st_rdev);
		stx->stx_rdev_minor = minor(st.st_rdev);
	}
	return ret;
}

HOOK int access(const char *path, int mode)
{
	struct preload_path room;

	return REAL(access)(preload_look(path, &room), mode);
}

HOOK int faccessat(int dir, const char *path, int mode, int flags)
{
	struct preload_path room;

	return REAL(faccessat)(dir, preload_look(path, &room), mode, flags);
}

HOOK int euidaccess(const char *path, int mode)
{
	struct preload_path room;

	return REAL(euidaccess)(preload_look(path, &room), mode);
}

HOOK int eaccess(const char *path, int mode)
{
	struct preload_path room;

	return REAL(eaccess)(preload_look(path, &room), mode);
}

HOOK ssize_t readlink(const char *restrict path, char *restrict buf, size_t bytes)
{
	struct preload_path room;

	return REAL(readlink)(preload_path(path, &room), buf, bytes);
}

HOOK ssize_t readlinkat(int dir, const char *restrict path, char *restrict buf, size_t bytes)
{
	struct preload_path room;

	return REAL(readlinkat)(dir, preload_path(path, &room), buf, bytes);
}

HOOK ssize_t __readlink_chk(const char *path, char *buf, size_t bytes, size_t size)
{
	struct preload_path room;

	return REAL(__readlink_chk)(preload_path(path, &room), buf, bytes, size);
}

HOOK ssize_t __readlinkat_chk(int dir, const char *path, char *buf, size_t bytes, size_t size)
{
	struct preload_path room;

	return REAL(__readlinkat_chk)(dir, preload_path(path, &room), buf, bytes, size);
}

/* The program must not learn where the tree is: what it gets it may open from another process. */
static char *resolved_outside(const char *path, const char *given, char *resolved)
{
	if (resolved && given != path)
		uabi_path_outside(uabi_tree_root(), resolved);
	return resolved;
}

HOOK char *realpath(const char *restrict path, char *restrict resolved)
{
	struct preload_path room;
	const char *given = preload_path(path, &room);

	return resolved_outside(path, given, REAL(realpath)(given, resolved));
}

HOOK char *__realpath_chk(const char *path, char *resolved, size_t bytes)
{
	struct preload_path room;
	const char *given = preload_path(path, &room);

	return resolved_outside(path, given, REAL(__realpath_chk)(given, resolved, bytes));
}
