// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The link state machine, at both ends of a cable.
 *
 * PortStateChange and trap 128 tell of what a link has done by itself: Down to Init, and anything to Down.
 * What a manager has set, Armed and Active, it knows; to be told would make it sweep for ever.
 */
#include "fabric/subnet_priv.h"
#include "fabric/trap.h"

/* Widths and speeds from the best on. */
static const uint8_t widths[] = {8, 4, 2, 16, 1}; /* 12x, 8x, 4x, 2x, 1x */

static uint8_t best_width(uint8_t both)
{
	for (size_t i = 0; i < sizeof(widths); i++)
		if (both & widths[i])
			return widths[i];
	return 0;
}

static uint8_t highest_bit(uint8_t both)
{
	return (uint8_t)(both ? 0x80 >> (__builtin_clz(both) - 24) : 0);
}

static uint8_t min_of(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* One end has a new state; of a CA its driver is told. */
static void set_state(struct subnet *subnet, struct subnet_at at, enum subnet_port_state state)
{
	struct subnet_node *node = subnet_node_of(subnet, at.node);
	struct subnet_port *port = subnet_port_of(node, at.port);

	port->state = (uint8_t)state;
	if (!subnet_is_switch(node))
		subnet_note(subnet, subnet_end_of(node, at.port), SUBNET_CHANGED_STATE);
	subnet_new_epoch(subnet);
}

/* What a switch says when a link has changed of its own accord. */
static void tell_manager(struct subnet *subnet, struct subnet_at at)
{
	struct subnet_node *node = subnet_node_of(subnet, at.node);

	if (!subnet_is_switch(node))
		return;
	node->tables.state_change = true;
	subnet_trap_link(subnet, node);
}

static void come_up(struct subnet *subnet, struct subnet_at at, uint8_t width, uint8_t speed,
		    uint8_t ext)
{
	struct subnet_node *node = subnet_node_of(subnet, at.node);
	struct subnet_port *port = subnet_port_of(node, at.port);
	const struct subnet_node *peer = subnet_node_of(subnet, port->peer.node);

	port->phys_state = SUBNET_LINK_UP;
	port->width_active = width;
	port->speed_active = speed;
	port->ext_active = ext;
	WRITE_ONCE(port->mtu, min_of(node->config.mtu_cap, peer->config.mtu_cap));
	port->op_vls = min_of(node->config.vl_cap, peer->config.vl_cap);
	set_state(subnet, at, SUBNET_INIT);
	tell_manager(subnet, at);
}

/* If both ends want to, and have a width and a speed in common. */
void subnet_link_train(struct subnet *subnet, struct subnet_at at)
{
	struct subnet_port *port = subnet_port_of(subnet_node_of(subnet, at.node), at.port), *other;
	const struct subnet_at far = port->peer;
	uint8_t width, speed, ext;

	if (far.node == SUBNET_NOBODY || port->broken)
		return;
	other = subnet_peer_of(subnet, port);
	width = best_width(port->width_enabled & other->width_enabled);
	speed = highest_bit(port->speed_enabled & other->speed_enabled);
	ext = highest_bit(port->ext_enabled & other->ext_enabled);
	if (port->phys_state != SUBNET_POLLING || other->phys_state != SUBNET_POLLING || !width ||
	    !(speed | ext))
		return;
	come_up(subnet, at, width, speed, ext);
	come_up(subnet, far, width, speed, ext);
}

static void go_down(struct subnet *subnet, struct subnet_at at)
{
	struct subnet_port *port = subnet_port_of(subnet_node_of(subnet, at.node), at.port);

	if (port->state == SUBNET_DOWN)
		return;
	port->phys_state = port->down_default;
	port->width_active = port->speed_active = port->ext_active = 0;
	subnet_add(port, SUBNET_LINK_DOWNED, 1);
	set_state(subnet, at, SUBNET_DOWN);
	tell_manager(subnet, at);
}

void subnet_link_fall(struct subnet *subnet, struct subnet_at at)
{
	struct subnet_port *port = subnet_port_of(subnet_node_of(subnet, at.node), at.port);

	if (port->peer.node == SUBNET_NOBODY)
		return;
	go_down(subnet, at);
	go_down(subnet, port->peer);
}

bool subnet_link_allows(const struct subnet_port *port, uint8_t state, uint8_t phys)
{
	if (phys > SUBNET_DISABLED || (phys && state > SUBNET_DOWN))
		return false;
	switch (state) {
	case 0:
	case SUBNET_DOWN:
		return true;
	case SUBNET_ARMED:
		return port->state == SUBNET_INIT || port->state == SUBNET_ARMED;
	case SUBNET_ACTIVE:
		return port->state == SUBNET_ARMED || port->state == SUBNET_ACTIVE;
	default:
		return false;
	}
}

void subnet_link_set(struct subnet *subnet, struct subnet_at at, uint8_t state, uint8_t phys)
{
	struct subnet_port *port = subnet_port_of(subnet_node_of(subnet, at.node), at.port);

	if (state > SUBNET_DOWN) {
		if (port->state != state)
			set_state(subnet, at, (enum subnet_port_state)state);
		return;
	}
	if (!state && !phys)
		return;
	if (port->state != SUBNET_DOWN)
		subnet_link_fall(subnet, at);
	if (phys)
		port->phys_state = phys;
	subnet_link_train(subnet, at);
}

void subnet_link_activate(struct subnet *subnet, struct subnet_at at)
{
	set_state(subnet, at, SUBNET_ACTIVE);
}
