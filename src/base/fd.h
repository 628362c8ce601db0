/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors of our own in a program that does not know of them: it may close all that it finds, or
 * put others in their place. Whoever stands between the program and the C library keeps them safe.
 */
#ifndef BASE_FD_H
#define BASE_FD_H

/**
 * struct base_fd_ops - Who keeps them.
 * @hide: Returns the number to use from now on, or a negative errno, and @fd is as it was.
 * @close: Close what @hide has returned.
 */
struct base_fd_ops {
	int (*hide)(int fd);
	void (*close)(int fd);
};

/** base_fd_wake() - Wake who sleeps on an eventfd. @fd: If it is full, that is being done already. */
void base_fd_wake(int fd);

/** base_fd_install() - Let descriptors be kept by @ops, from now on; NULL: they lie open. */
void base_fd_install(const struct base_fd_ops *ops);

/**
 * base_fd_hide() - Move a descriptor of ours out of the program's way.
 * @fd: Descriptor, ours; or a negative number, which is handed through.
 *
 * Return: The descriptor to use from now on, for base_fd_close(); if it cannot be hidden, @fd.
 */
int base_fd_hide(int fd);

/** base_fd_close() - Close it. @fd: From base_fd_hide(), or negative. */
void base_fd_close(int fd);

#endif
