// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Files of sysfs that a program has open: memory files, written anew when they are read again. */
#include <errno.h>
#include <fcntl.h>
#include <linux/kernel.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/thread.h"
#include "uabi/file.h"
#include "uabi/sysfs.h"

#define FILE_MODE (S_IFREG | 0444)

/**
 * struct sysfs_file - What such a descriptor means.
 * @file: Its place in the table of descriptors.
 * @dev: Of the memory file, by which it is known: stdio closes descriptors without our hearing of it, and
 *	the number may be another file's by now.
 * @ino: Likewise.
 * @path: What was opened.
 */
struct sysfs_file {
	struct uabi_file file;
	dev_t dev;
	ino_t ino;
	char path[];
};

static bool is_it(const struct sysfs_file *f, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_dev == f->dev && st.st_ino == f->ino;
}

static bool write_content(int fd, const char *text, size_t bytes)
{
	BASE_NO_SIGXFSZ;

	return pwrite(fd, text, bytes, 0) == (ssize_t)bytes && !ftruncate(fd, (off_t)bytes);
}

/* A device that is gone leaves what was read last. */
static void file_rewind(struct uabi_file *file, int fd)
{
	const struct sysfs_file *f = container_of(file, struct sysfs_file, file);
	char text[UABI_SYSFS_BYTES];
	int bytes;

	if (!is_it(f, fd))
		return;
	bytes = uabi_sysfs_read(f->path, text);
	if (bytes >= 0)
		(void)write_content(fd, text, (size_t)bytes);
}

static int file_fstat(struct uabi_file *file, struct stat *st)
{
	const struct sysfs_file *f = container_of(file, struct sysfs_file, file);

	if (st->st_dev == f->dev && st->st_ino == f->ino)
		st->st_mode = FILE_MODE;
	return 0;
}

static void file_release(struct uabi_file *file)
{
	base_free(container_of(file, struct sysfs_file, file));
}

static const struct uabi_file_ops file_ops = {
	.rewind = file_rewind,
	.fstat = file_fstat,
	.release = file_release,
};

static int open_memory(const char *text, size_t bytes, struct stat *st)
{
	const int fd = memfd_create("verbena-sysfs", MFD_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	if (write_content(fd, text, bytes) && !fstat(fd, st))
		return fd;
	err = errno;
	close(fd);
	return -err;
}

int uabi_sysfs_open(const char *path, struct uabi_file **file, int *fd)
{
	char text[UABI_SYSFS_BYTES];
	const int bytes = uabi_sysfs_read(path, text);
	const size_t path_bytes = strlen(path) + 1;
	struct stat st = {0};
	struct sysfs_file *f;

	if (bytes < 0)
		return bytes;
	f = base_alloc(sizeof(*f) + path_bytes);
	if (!f)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*f));
	*fd = open_memory(text, (size_t)bytes, &st);
	if (*fd < 0) {
		base_free(f);
		return base_refuse(*fd, UABI_TREE, (u32) - *fd, 0);
	}
	uabi_file_init(&f->file, &file_ops);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	memcpy(f->path, path, path_bytes);
	*file = &f->file;
	return 0;
}
