/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors of the program that mean something to us.
 *
 * Behind each is a real file (a memory file, a pipe, a socket), so that read, poll, mmap and their
 * like need no help. What the real file cannot do is in struct uabi_file_ops; the hooks of the
 * preload library ask here first, for every descriptor, so a descriptor that is not ours must
 * cost next to nothing.
 */
#ifndef UABI_FILE_H
#define UABI_FILE_H

#include <linux/refcount.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

struct uabi_file;

/**
 * struct uabi_file_ops - What calls on a descriptor do; NULL: what they do on the real file.
 * @write: Take one message, at most all of @bytes; returns how much was taken, or -errno.
 * @write_again: Take a message of a kind that has come before, if it needs no reference on @file and nothing
 *	that sleeps; returns whether it did. Context: RCU.
 * @ioctl: Returns what ioctl() does, or -errno.
 * @fstat: Amend what the real file says; returns 0 or -errno.
 * @rewind: Descriptor @fd will be read from its beginning: write what is to be read. Who has this needs
 *	nothing else of us, and may go to other processes.
 * @release: The last descriptor is closed and no call is under way: free @file. May sleep.
 */
struct uabi_file_ops {
	ssize_t (*write)(struct uabi_file *file, const void *buf, size_t bytes);
	bool (*write_again)(struct uabi_file *file, const void *buf, size_t bytes);
	int (*ioctl)(struct uabi_file *file, unsigned long request, void *arg);
	int (*fstat)(struct uabi_file *file, struct stat *st);
	void (*rewind)(struct uabi_file *file, int fd);
	void (*release)(struct uabi_file *file);
};

/**
 * struct uabi_file - Embedded in what a descriptor means.
 * @ops: What it can do.
 * @refs: One a descriptor, one a call.
 */
struct uabi_file {
	const struct uabi_file_ops *ops;
	refcount_t refs;
};

/** uabi_file_init() - Set up, with one reference, the caller's. */
void uabi_file_init(struct uabi_file *file, const struct uabi_file_ops *ops);

/** uabi_file_put() - Drop a reference; the last one releases. Context: May sleep. */
void uabi_file_put(struct uabi_file *file);

/**
 * uabi_fd_install() - Let a descriptor mean @file.
 * @fd: A real one.
 * @file: Its reference passes to the descriptor, on success only.
 *
 * Return: 0; -EBADF, with a cause, for a number that no descriptor has.
 */
int uabi_fd_install(int fd, struct uabi_file *file);

/**
 * uabi_fd_known() - Whether a descriptor is ours, our own ones included.
 * @fd: Any number.
 */
bool uabi_fd_known(int fd);

/**
 * uabi_fd_get() - What a descriptor means.
 * @fd: Any number.
 *
 * Return: The file with a reference, for uabi_file_put(); NULL if the descriptor is not ours.
 */
struct uabi_file *uabi_fd_get(int fd);

/** uabi_fd_write_again() - &uabi_file_ops.write_again of what a descriptor means; false if it has none. */
bool uabi_fd_write_again(int fd, const void *buf, size_t bytes);

/**
 * uabi_fd_forget() - A descriptor is about to be closed, or to become another.
 * @fd: Any number.
 *
 * Context: May sleep: the last descriptor of a file releases it.
 */
void uabi_fd_forget(int fd);

/** uabi_fd_close() - Close a descriptor that we have given to the program, after all. */
void uabi_fd_close(int fd);

/**
 * uabi_fd_copied() - A descriptor has been duplicated.
 * @from: The old one.
 * @to: The new one, which may have been another of ours.
 */
void uabi_fd_copied(int from, int to);

/**
 * uabi_fd_prepare() - Have the kernel make room for high descriptors, before there is a second thread.
 *
 * Later it would wait for all processors to see the larger table, 10 ms and more.
 */
void uabi_fd_prepare(void);

/**
 * uabi_fd_hide() - Move a descriptor of our own out of the program's way.
 * @fd: Closed on success, if there was another number to have.
 *
 * The program can neither close nor replace what comes back: hooks refuse that.
 *
 * Return: The descriptor to use from now on; -errno, and @fd is as it was.
 */
int uabi_fd_hide(int fd);

/** uabi_fd_is_hidden() - Whether a descriptor is from uabi_fd_hide(). */
bool uabi_fd_is_hidden(int fd);

/** uabi_fd_unhide() - Close what came from uabi_fd_hide(). @fd: It, or a negative number. */
void uabi_fd_unhide(int fd);

/** uabi_fd_next() - The first descriptor from @from on that is ours or hidden; -1 if none is. */
int uabi_fd_next(int from);

/**
 * uabi_fd_forked() - Forget everything, in the child of a fork, and close what was hidden.
 *
 * The program's descriptors stay open, but what they meant is the parent's: write and ioctl fail with
 * -EIO. Those with ops->rewind stay as they were read last.
 */
void uabi_fd_forked(void);

#endif
