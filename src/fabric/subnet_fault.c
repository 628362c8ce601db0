// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Links that lose packets, and links that are slow. */
#include <errno.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/random.h"
#include "fabric/subnet_priv.h"

#define MILLION 1000000u
#define MOST_DELAYED 65536u

/**
 * struct subnet_delayed - A MAD that is late.
 * @list: In &subnet.delayed.
 * @due_ns: When it is there.
 * @flight: It, at the end of what it has gone over.
 */
struct subnet_delayed {
	struct list_head list;
	uint64_t due_ns;
	struct subnet_flight flight;
};

int subnet_set_link_faults(struct subnet *subnet, struct subnet_at at,
			   const struct subnet_link_faults *faults)
{
	struct subnet_node *node;
	struct subnet_port *port, *other = NULL;

	if (faults->loss_ppm > MILLION)
		return base_refuse(-EINVAL, FABRIC_FAULT_RATE, faults->loss_ppm, MILLION);
	spin_lock(&subnet->lock);
	if (subnet_find(subnet, at, &node, &port) && port->peer.node != SUBNET_NOBODY)
		other = subnet_peer_of(subnet, port);
	if (other) {
		port->loss_ppm = other->loss_ppm = faults->loss_ppm;
		port->delay_ns = other->delay_ns = faults->delay_ns;
		subnet_new_epoch(subnet);
	}
	spin_unlock(&subnet->lock);
	return other ? 0 : base_refuse(-EINVAL, SUBNET_NO_PORT, at.node, at.port);
}

void subnet_seed(struct subnet *subnet, uint64_t seed)
{
	spin_lock(&subnet->lock);
	subnet->random = seed;
	spin_unlock(&subnet->lock);
}

bool subnet_link_loses(struct subnet *subnet, struct subnet_at out)
{
	struct subnet_node *node;
	struct subnet_port *port;

	return subnet_find(subnet, out, &node, &port) && port->loss_ppm &&
	       base_random_below(&subnet->random, MILLION) < port->loss_ppm;
}

bool subnet_lose(struct subnet *subnet, struct subnet_path *path)
{
	for (uint8_t i = 0; path->lossy && i < path->hops; i++) {
		if (!subnet_link_loses(subnet, path->hop[2 * i]))
			continue;
		path->hops = (uint8_t)(i + 1);
		path->to = path->hop[2 * i + 1];
		path->verdict = SUBNET_LOST;
		return true;
	}
	return false;
}

bool subnet_path_lose(struct subnet *subnet, struct subnet_path *path)
{
	bool lost;

	spin_lock(&subnet->lock);
	lost = subnet_lose(subnet, path);
	spin_unlock(&subnet->lock);
	return lost;
}

static void count_lost(struct subnet *subnet, struct subnet_at at)
{
	struct subnet_node *node;
	struct subnet_port *port;

	if (subnet_find(subnet, at, &node, &port))
		subnet_add(port, SUBNET_RCV_ERRORS, 1);
}

void subnet_delay(struct subnet *subnet, const struct subnet_flight *flight)
{
	struct subnet_delayed *d = NULL, *before;

	if (subnet->delayed_count < MOST_DELAYED)
		d = base_zalloc(sizeof(*d));
	if (!d) {
		count_lost(subnet, flight->at);
		return;
	}
	d->flight = *flight;
	d->flight.arrived = true;
	d->flight.late_ns = 0;
	d->due_ns = base_now_ns() + flight->late_ns;
	subnet->delayed_count++;
	/* Behind those that are due at the same time. */
	list_for_each_entry_reverse(before, &subnet->delayed, list)
		if (before->due_ns <= d->due_ns)
			break;
	list_add(&d->list, &before->list);
	subnet_pump_later(subnet);
}

static void forget(struct subnet *subnet, struct subnet_delayed *d)
{
	list_del(&d->list);
	base_free(d);
	subnet->delayed_count--;
}

uint64_t subnet_delayed_take(struct subnet *subnet, uint64_t now_ns)
{
	struct subnet_delayed *d, *next;

	list_for_each_entry_safe(d, next, &subnet->delayed, list) {
		if (d->due_ns > now_ns)
			return d->due_ns;
		subnet_queue(subnet, &d->flight);
		forget(subnet, d);
	}
	return UINT64_MAX;
}

void subnet_delayed_drop(struct subnet *subnet)
{
	struct subnet_delayed *d, *next;

	list_for_each_entry_safe(d, next, &subnet->delayed, list)
		forget(subnet, d);
}
