/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* This process on a host of a daemon's fabric. */
#ifndef DEVICE_ATTACHED_H
#define DEVICE_ATTACHED_H

#include "verbena/verbena.h"

struct device_attached;

/**
 * device_attached_new() - Attach to a fabric and make the host's HCA a device of this process.
 * @fabric: Name of the fabric; its daemon is started if there is none.
 * @host: Name of the host; several processes may be on one.
 * @options: As for verbena_host_add(); GUID and LID are wishes.
 *
 * Context: May sleep. One at a time in a process.
 * Return: It, or ERR_PTR as verbena_host_add(), and -errno of attach_open().
 */
struct device_attached *device_attached_new(const char *fabric, const char *host,
					    const struct verbena_host_options *options);

/** device_attached_device() - Its ib_device. */
struct ib_device *device_attached_device(struct device_attached *d);

/** device_attached_free() - Remove the device and leave the fabric. Context: May sleep. */
void device_attached_free(struct device_attached *d);

/** device_attached_forked() - In a child: let go of what is the parent's. */
void device_attached_forked(struct device_attached *d);

/** device_detach() - Undo verbena_host_attach(). @attached: Its owner. Context: May sleep. */
void device_detach(struct device_attached *attached);

/**
 * device_attach_forked() - In a child: forget what verbena_host_attach() made in the parent.
 *
 * Return: Whether there was anything.
 */
bool device_attach_forked(void);

#endif
