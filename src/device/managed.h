/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A fabric that is a subnet of switches and channel adapters, brought up by the built-in manager. Programs get
 * the channel adapters that the topology has.
 */
#ifndef DEVICE_MANAGED_H
#define DEVICE_MANAGED_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/subnet.h"

struct device_faults;
struct device_hca;
struct device_managed;
struct device_profile;
struct fabric;
struct topology;
struct wire_loop;

/**
 * struct device_guests - Whoever has guests: ports of the subnet with a slot of the fabric, and without a device.
 * @built: The subnet is there, and nobody has looked at it yet: its guests may be placed, cables be cut, LIDs be
 *	given that the manager is to keep. Return: 0, or a negative errno, with a cause.
 * @deliver: As &subnet_ops.deliver, to the guest of a slot.
 * @changed: As &subnet_ops.changed.
 * @rerouted: As &subnet_ops.rerouted.
 * @collect: As &subnet_ops.collect.
 * @ctx: Handed to them.
 */
struct device_guests {
	int (*built)(void *ctx, struct device_managed *m);
	bool (*deliver)(void *ctx, uint32_t slot, const struct subnet_mad *mad);
	void (*changed)(void *ctx, uint32_t slot, uint32_t what);
	void (*rerouted)(void *ctx);
	void (*collect)(void *ctx);
	void *ctx;
};

/**
 * device_managed_new() - Build the subnet of a fabric, and bring it up.
 * @fabric: Outlives it; without ports.
 * @wire: The fabric's; likewise.
 * @faults: What goes wrong there.
 * @topology: As ibnetdiscover prints it.
 * @guests: Outlives it; NULL: there will be none.
 *
 * Context: May sleep.
 * Return: It or ERR_PTR, with a cause: -EINVAL: the text is wrong, or without a switch; -EEXIST: a GUID is
 *	there twice; -ETIMEDOUT: it does not come up; -ENOMEM.
 */
struct device_managed *device_managed_new(struct fabric *fabric, struct wire_loop *wire,
					  struct device_faults *faults, const char *topology,
					  const struct device_guests *guests);

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

/** device_managed_plan() - What it was built by. */
const struct topology *device_managed_plan(const struct device_managed *m);

/** device_managed_node() - The number in the subnet of a node of the plan. */
uint32_t device_managed_node(const struct device_managed *m, uint32_t index);

/**
 * device_managed_adapter() - A channel adapter of a host.
 * @m: Where.
 * @hostname: Its description, or its first word.
 * @nth: Which of the host's, from 0, in the order of the plan.
 *
 * Return: Number in the plan; -ENOENT, without a cause.
 */
int device_managed_adapter(const struct device_managed *m, const char *hostname, uint32_t nth);

/**
 * device_managed_find_node() - A node by its description, by its name in the topology, or by that of its host.
 * @m: Where.
 * @text: One of these; the last if the host has no other adapter.
 *
 * Return: Number in the plan; -ENOENT, with a cause.
 */
int device_managed_find_node(const struct device_managed *m, const char *text);

/**
 * device_managed_find_cable() - A port with a cable.
 * @m: Where.
 * @node: As above.
 * @port_num: Its port.
 * @at: Out.
 *
 * Return: 0; -ENOENT, with a cause.
 */
int device_managed_find_cable(const struct device_managed *m, const char *node, uint32_t port_num,
			      struct subnet_at *at);

/** device_managed_place_guest() - A slot is a port of the subnet that has no device here. */
void device_managed_place_guest(struct device_managed *m, uint32_t slot, struct subnet_at at);

/** device_managed_displace_guest() - It is not any more. */
void device_managed_displace_guest(struct device_managed *m, uint32_t slot);

/** device_managed_at() - Which port of the subnet a slot is. @slot: A guest's or a device's. */
struct subnet_at device_managed_at(const struct device_managed *m, uint32_t slot);

/** device_managed_slot() - Which slot a port of the subnet is; -ENOENT: none. Context: Any. */
int device_managed_slot(const struct device_managed *m, struct subnet_at at);

#endif
