/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* This process on a host of a daemon's fabric. */
#ifndef DEVICE_ATTACHED_H
#define DEVICE_ATTACHED_H

#include "base/report.h"
#include "device/profile.h"

struct device_attached;

/**
 * device_attached_new() - Attach to a fabric and make the host's HCAs devices of this process.
 * @fabric: Name of the fabric; its daemon is started if there is none.
 * @host: Name of the host; several processes may be on one.
 * @profile: Its HCAs. Ports that the host has already keep their GUIDs, LIDs and links.
 *
 * Context: May sleep. One at a time in a process.
 * Return: It, or ERR_PTR as verbena_host_add(), and -errno of attach_open().
 */
struct device_attached *device_attached_new(const char *fabric, const char *host,
					    const struct device_host_profile *profile);

/** device_attached_device() - The ib_device of an HCA. @index: Of it, from 0. */
struct ib_device *device_attached_device(struct device_attached *d, u32 index);

/** device_attached_traffic() - As attach_traffic(), by name and port number. */
int device_attached_traffic(struct device_attached *d, const char *name, u32 port_num,
			    struct base_traffic *traffic);

/** device_attached_close_windows() - See device_process_close_windows(). */
void device_attached_close_windows(const struct device_attached *d);

/** device_attached_free() - Remove the device and leave the fabric. Context: May sleep. */
void device_attached_free(struct device_attached *d);

/** device_attached_forked() - In a child: let go of what is the parent's. */
void device_attached_forked(struct device_attached *d);

/** device_attach() - As verbena_host_attach(), for any HCAs. Return: The place, or ERR_PTR. */
struct device_attached *device_attach(const char *fabric, const char *hostname,
				      const struct device_host_profile *profile);

/** device_detach() - Undo device_attach(). @attached: Its result. Context: May sleep. */
void device_detach(struct device_attached *attached);

/** device_attach_current() - What device_attach() has made; NULL if there is nothing. */
struct device_attached *device_attach_current(void);

/** device_attach_close_windows() - See device_process_close_windows(). */
void device_attach_close_windows(void);

/**
 * device_attach_forked() - In a child: forget what verbena_host_attach() made in the parent.
 *
 * Return: Whether there was anything.
 */
bool device_attach_forked(void);

#endif
