/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What stock user space reads of our devices below /sys/class and /dev/infiniband. */
#ifndef UABI_SYSFS_H
#define UABI_SYSFS_H

#include <stdbool.h>

#include "base/report.h"

/**
 * uabi_sysfs_write() - Write the files of all devices.
 * @root: Below this directory, which exists.
 *
 * Context: May sleep.
 * Return: 0; -errno with a cause.
 */
int uabi_sysfs_write(const char *root);

/**
 * uabi_sysfs_refresh() - Write a file of a port anew, if it is one, as things are now.
 * @root: As for uabi_sysfs_write().
 * @path: As the program gives it, below /sys/class/infiniband. Anything.
 *
 * Whoever has the old one open keeps it.
 *
 * Context: May sleep.
 */
void uabi_sysfs_refresh(const char *root, const char *path);

/**
 * uabi_sysfs_set_traffic() - Who knows what ports have carried.
 * @read: Of a device by name, and a port; returns whether it is known.
 */
void uabi_sysfs_set_traffic(bool (*read)(const char *name, unsigned int port_num,
					 struct base_traffic *traffic));

#endif
