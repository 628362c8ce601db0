// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The way of a unicast packet, hop by hop by the tables of the switches. */
#include <string.h>

#include "fabric/subnet_priv.h"
#include "fabric/trap.h"

static const uint8_t vl_counts[] = {1, 1, 2, 4, 8, 15}; /* by VLCap */

bool subnet_pkey_matches(const struct subnet_node *node, uint32_t port, uint16_t pkey)
{
	const uint16_t *pkeys = subnet_pkeys_of(node, port);

	if (!(pkey & 0x7fff))
		return false;
	for (uint32_t i = 0; i < node->config.pkeys; i++)
		if (((pkeys[i] ^ pkey) & 0x7fff) == 0 && ((pkeys[i] | pkey) & 0x8000))
			return true;
	return false;
}

static uint8_t vls_of(const struct subnet_node *node, uint32_t port)
{
	return vl_counts[subnet_port_of(node, port)->op_vls % sizeof(vl_counts)];
}

/* At first SLs are dealt out to the VLs that there are. */
uint8_t subnet_vl_written(const struct subnet_node *node, uint32_t in, uint32_t out, uint8_t sl)
{
	return (uint8_t)(node->sl2vl ? subnet_sl2vl_of(node, in, out)[sl] : sl % vls_of(node, out));
}

uint8_t subnet_vl_of(const struct subnet_node *node, uint32_t in, uint32_t out, uint8_t sl)
{
	const uint8_t vl = subnet_vl_written(node, in, out, sl);

	return vl < vls_of(node, out) ? vl : SUBNET_DROP_VL;
}

static bool ends(struct subnet_path *path, enum subnet_verdict verdict, struct subnet_at to)
{
	path->verdict = verdict;
	path->to = to;
	return false;
}

/* A switch that enforces partitions at one of its ports. */
static bool is_enforced(struct subnet *subnet, struct subnet_at at, uint8_t direction,
			const struct subnet_route *route, const struct subnet_path *path)
{
	const struct subnet_node *node = subnet_node_of(subnet, at.node);
	const struct subnet_at from = path->hops ? path->hop[0] : path->to;

	if (route->vl15 || !subnet_is_switch(node) ||
	    !(subnet_port_of(node, at.port)->enforce & direction) ||
	    subnet_pkey_matches(node, at.port, route->pkey))
		return false;
	subnet_trap_enforced(subnet, at,
			     subnet_end_of(subnet_node_of(subnet, from.node), from.port)->lid,
			     route);
	return true;
}

/* Whether the other end takes it: an Armed one becomes Active when data comes. */
static bool is_open(struct subnet *subnet, struct subnet_at at, const struct subnet_route *route)
{
	const struct subnet_port *port = subnet_port_of(subnet_node_of(subnet, at.node), at.port);

	if (route->vl15 || port->state == SUBNET_ACTIVE)
		return port->state >= SUBNET_INIT;
	if (port->state != SUBNET_ARMED)
		return false;
	subnet_link_activate(subnet, at);
	subnet_pump_later(subnet);
	return true;
}

bool subnet_cross(struct subnet *subnet, struct subnet_at *out, const struct subnet_route *route,
		  struct subnet_path *path)
{
	struct subnet_node *node;
	struct subnet_port *port;

	if (!out->port || !subnet_find(subnet, *out, &node, &port))
		return ends(path, SUBNET_NO_ROUTE, path->to);
	if (is_enforced(subnet, *out, SUBNET_ENFORCE_OUT, route, path))
		return ends(path, SUBNET_BAD_PKEY, *out);
	if (port->state < (route->vl15 ? SUBNET_INIT : SUBNET_ACTIVE) ||
	    !is_open(subnet, port->peer, route))
		return ends(path, SUBNET_NOT_ACTIVE, *out);
	if (path->hops == SUBNET_MAX_HOPS)
		return ends(path, SUBNET_LOOPS, *out);
	if (port->mtu < path->mtu)
		path->mtu = port->mtu;
	path->lossy |= port->loss_ppm > 0;
	path->delay_ns += port->delay_ns;
	path->hop[2 * path->hops] = *out;
	path->hop[2 * path->hops + 1] = port->peer;
	path->hops++;
	*out = path->to = port->peer;
	if (is_enforced(subnet, *out, SUBNET_ENFORCE_IN, route, path))
		return ends(path, SUBNET_BAD_PKEY, *out);
	return true;
}

static uint8_t look_up(const struct subnet_node *node, uint16_t lid)
{
	if (lid > node->tables.linear_top || lid >= node->tables.lft_lids)
		return SUBNET_UNREACHABLE;
	return node->tables.lft[lid];
}

/*
 * At a switch: the port to go out by, in @at. False if it ends here, well or not.
 */
static bool relay(struct subnet *subnet, struct subnet_at *at, const struct subnet_route *route,
		  struct subnet_path *path)
{
	const struct subnet_node *node = subnet_node_of(subnet, at->node);
	const uint8_t out = look_up(node, route->dlid);

	if (!out || (!at->port && subnet_end_has_lid(node->end, route->dlid))) {
		path->to.port = 0;
		return ends(path,
			    subnet_end_has_lid(node->end, route->dlid) ? SUBNET_ARRIVES
								       : SUBNET_NOT_OURS,
			    path->to);
	}
	if (!subnet_has_port(node, out))
		return ends(path, SUBNET_NO_ROUTE, *at);
	if (out == at->port)
		return ends(path, SUBNET_TURNS_BACK, *at);
	if (!route->vl15 && subnet_vl_of(node, at->port, out, route->sl) == SUBNET_DROP_VL)
		return ends(path, SUBNET_NOT_ALLOWED, *at);
	at->port = out;
	return true;
}

/* At a port of a CA, which is where it ends. */
static bool arrive(struct subnet *subnet, struct subnet_at at, const struct subnet_route *route,
		   struct subnet_path *path)
{
	const struct subnet_end *end = subnet_end_of(subnet_node_of(subnet, at.node), at.port);

	return ends(path, subnet_end_has_lid(end, route->dlid) ? SUBNET_ARRIVES : SUBNET_NOT_OURS,
		    at);
}

/* A CA sends: round, if it is for itself; else by its only way. */
static bool set_out(struct subnet *subnet, struct subnet_at from, const struct subnet_route *route,
		    struct subnet_path *path)
{
	const struct subnet_node *node = subnet_node_of(subnet, from.node);

	if (subnet_end_has_lid(subnet_end_of(node, from.port), route->dlid)) {
		if (!route->vl15 && subnet_port_of(node, from.port)->state != SUBNET_ACTIVE)
			return ends(path, SUBNET_NOT_ACTIVE, from);
		return ends(path, SUBNET_ARRIVES, from);
	}
	if (!route->vl15 && subnet_vl_of(node, 0, from.port, route->sl) == SUBNET_DROP_VL)
		return ends(path, SUBNET_NOT_ALLOWED, from);
	return true;
}

static void begin(struct subnet_path *path, struct subnet_at from)
{
	path->mtu = path->hops = path->shared = 0;
	path->lossy = false;
	path->delay_ns = 0;
	path->to = from;
}

void subnet_route(struct subnet *subnet, struct subnet_at from, const struct subnet_route *route,
		  struct subnet_path *path)
{
	const struct subnet_node *node = subnet_node_of(subnet, from.node);
	struct subnet_at at = from;
	bool goes_on;

	begin(path, from);
	path->mtu = node->config.mtu_cap;
	goes_on = subnet_is_switch(node) ? relay(subnet, &at, route, path)
					 : set_out(subnet, at, route, path);
	while (goes_on && subnet_cross(subnet, &at, route, path))
		goes_on = subnet_is_switch(subnet_node_of(subnet, at.node))
				  ? relay(subnet, &at, route, path)
				  : arrive(subnet, at, route, path);
	path->epoch = subnet_epoch(subnet);
}

uint32_t subnet_epoch(const struct subnet *subnet)
{
	return __atomic_load_n(&subnet->epoch, __ATOMIC_ACQUIRE);
}

void subnet_resolve(struct subnet *subnet, struct subnet_at from, uint16_t dlid, uint8_t sl,
		    uint16_t pkey, struct subnet_path *path)
{
	const struct subnet_route route = {.dlid = dlid, .sl = sl % SUBNET_SLS, .pkey = pkey};

	spin_lock(&subnet->lock);
	if (subnet_find_end(subnet, from)) {
		subnet_route(subnet, from, &route, path);
	} else {
		begin(path, from);
		path->epoch = subnet_epoch(subnet);
		ends(path, SUBNET_NOT_ACTIVE, from);
	}
	spin_unlock(&subnet->lock);
}
