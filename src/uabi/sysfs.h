/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What stock user space reads of our devices below /sys/class and /dev/infiniband. */
#ifndef UABI_SYSFS_H
#define UABI_SYSFS_H

#include <stdbool.h>

#include "base/report.h"

struct uabi_file;

/**
 * uabi_sysfs_write() - Write the files of all devices.
 * @root: Below this directory, which exists.
 *
 * Context: May sleep.
 * Return: 0; -errno with a cause.
 */
int uabi_sysfs_write(const char *root);

#define UABI_SYSFS_BYTES 256 /* more than any file has */

/**
 * uabi_sysfs_read() - What a file says now.
 * @path: As the program gives it. Anything.
 * @text: Out, on success.
 *
 * Nothing is written, and no tree is needed.
 *
 * Context: May sleep: for counters the daemon is asked.
 * Return: Bytes in @text; -EISDIR if it is a directory of ours, or may be; -ENOENT if it is nothing of
 *	ours. Neither has a cause.
 */
int uabi_sysfs_read(const char *path, char text[UABI_SYSFS_BYTES]);

/**
 * uabi_sysfs_open() - Open a file for reading.
 * @path: As for uabi_sysfs_read().
 * @file: Out: what the descriptor means, with a reference for uabi_fd_install().
 * @fd: Out: a memory file with the content of now, close-on-exec. Read again from the beginning it is as
 *	live as on a real kernel: ops->rewind() writes it anew.
 *
 * Context: May sleep.
 * Return: 0; what uabi_sysfs_read() returns; -errno with a cause.
 */
int uabi_sysfs_open(const char *path, struct uabi_file **file, int *fd);

/**
 * uabi_sysfs_set_traffic() - Who knows what ports have carried.
 * @read: Of a device by name, and a port; returns whether it is known.
 */
void uabi_sysfs_set_traffic(bool (*read)(const char *name, unsigned int port_num,
					 struct base_traffic *traffic));

#endif
