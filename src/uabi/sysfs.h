/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What stock user space reads of our devices below /sys/class and /dev/infiniband. */
#ifndef UABI_SYSFS_H
#define UABI_SYSFS_H

/**
 * uabi_sysfs_write() - Write the files of all devices.
 * @root: Below this directory, which exists.
 *
 * Context: May sleep.
 * Return: 0; -errno with a cause.
 */
int uabi_sysfs_write(const char *root);

#endif
