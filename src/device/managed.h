/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A fabric that is a subnet of switches and channel adapters, brought up by the built-in manager. Programs get
 * the channel adapters that the topology has.
 */
#ifndef DEVICE_MANAGED_H
#define DEVICE_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

struct device_faults;
struct device_hca;
struct device_managed;
struct device_profile;
struct fabric;
struct subnet;
struct subnet_link_faults;
struct wire_loop;

/**
 * device_managed_new() - Build the subnet of a fabric, and bring it up.
 * @fabric: Outlives it; without ports.
 * @wire: The fabric's; likewise.
 * @faults: What goes wrong there.
 * @topology: As ibnetdiscover prints it.
 *
 * Context: May sleep.
 * Return: It or ERR_PTR, with a cause: -EINVAL: the text is wrong, or without a switch; -EEXIST: a GUID is
 *	there twice; -ETIMEDOUT: it does not come up; -ENOMEM.
 */
struct device_managed *device_managed_new(struct fabric *fabric, struct wire_loop *wire,
					  struct device_faults *faults, const char *topology);

/** device_managed_free() - All hosts are removed, but for the wire's end of the subnet. @m: May be NULL. */
void device_managed_free(struct device_managed *m);

/**
 * device_managed_host() - A device on a channel adapter of the topology.
 * @m: Where.
 * @faults: What goes wrong there.
 * @hostname: The adapter's description, or its first word.
 * @profile: What it shall look like; its ports become those of the adapter.
 * @set_link: As &device_place.set_link; device_managed_set_link() does it.
 * @owner: As for device_hca_set_owner().
 *
 * Return: The HCA, until device_managed_remove(); or ERR_PTR: -ENOENT: no such adapter is free; -EINVAL: it
 *	has more ports than a device may have; or as device_hca_new_at().
 */
struct device_hca *device_managed_host(struct device_managed *m, struct device_faults *faults,
				       const char *hostname, const struct device_profile *profile,
				       int (*set_link)(void *owner, uint32_t slot, bool up,
						       bool wait),
				       void *owner);

/** device_managed_remove() - Free such an HCA; another device may have the adapter. Context: May sleep. */
void device_managed_remove(struct device_managed *m, struct device_hca *hca);

/** device_managed_set_link() - Break or mend the cable of a slot's port. */
void device_managed_set_link(struct device_managed *m, uint32_t slot, bool up);

/** device_managed_impair_cable() - As verbena_fabric_impair_cable(). */
int device_managed_impair_cable(struct device_managed *m, const char *node, uint32_t port_num,
				const struct subnet_link_faults *faults);

/** device_managed_set_cable() - As verbena_fabric_set_cable(). */
int device_managed_set_cable(struct device_managed *m, const char *node, uint32_t port_num,
			     bool whole);

/** device_managed_subnet() - Its hardware. */
struct subnet *device_managed_subnet(struct device_managed *m);

#endif
