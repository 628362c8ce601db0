// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Linear forwarding tables: shortest ways. For each switch the distances of all others from it are found once;
 * then, for each LID that hangs on it, every switch takes that of its ports towards it which leads to the fewest
 * LIDs so far.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/sm_priv.h"

#define FAR UINT16_MAX

/**
 * struct routes - What is needed meanwhile.
 * @net: Subnet.
 * @behind: By port: index of the switch at its other end, or SM_NONE.
 * @load: By port: LIDs that lead out of it.
 * @distance: By switch: hops to the one that is at hand, or FAR.
 * @queue: Switches that are to be looked at.
 * @first: By switch: first LID's port that hangs on it, and
 * @next: by port: the next one; SM_NONE ends.
 */
struct routes {
	struct sm_net *net;
	u32 *behind;
	u32 *load;
	u16 *distance;
	u32 *queue;
	u32 *first;
	u32 *next;
};

static u32 first_port(const struct sm_net *net, u32 sw)
{
	return net->node[net->sw[sw].node].first_port;
}

static u32 port_count(const struct sm_net *net, u32 sw)
{
	return net->node[net->sw[sw].node].ports;
}

u32 sm_home_of(const struct sm_net *net, u32 port)
{
	const struct sm_node *node = sm_node_of(net, port);

	if (sm_is_switch(node))
		return node->sw;
	return net->port[port].peer == SM_NONE ? SM_NONE
					       : sm_node_of(net, net->port[port].peer)->sw;
}

static void free_all(struct routes *r)
{
	base_free(r->behind);
	base_free(r->load);
	base_free(r->distance);
	base_free(r->queue);
	base_free(r->first);
	base_free(r->next);
}

static int prepare(struct routes *r)
{
	const struct sm_net *net = r->net;

	r->behind = base_zalloc_array(net->ports, sizeof(*r->behind));
	r->load = base_zalloc_array(net->ports, sizeof(*r->load));
	r->next = base_zalloc_array(net->ports, sizeof(*r->next));
	r->distance = base_zalloc_array(net->switches, sizeof(*r->distance));
	r->queue = base_zalloc_array(net->switches, sizeof(*r->queue));
	r->first = base_zalloc_array(net->switches, sizeof(*r->first));
	if (!r->behind || !r->load || !r->next || !r->distance || !r->queue || !r->first)
		return -ENOMEM;
	memset(r->first, 0xff, net->switches * sizeof(*r->first));
	for (u32 i = net->ports; i-- > 0;) {
		const u32 peer = net->port[i].peer, home = sm_home_of(net, i);

		r->behind[i] = peer == SM_NONE ? SM_NONE : sm_node_of(net, peer)->sw;
		if (!net->port[i].lid || home == SM_NONE)
			continue;
		r->next[i] = r->first[home];
		r->first[home] = i;
	}
	return 0;
}

static int make_tables(struct sm_net *net)
{
	const size_t bytes = (net->lids + SM_BLOCK - 1) / SM_BLOCK * SM_BLOCK;

	for (u32 i = 0; i < net->switches; i++) {
		net->sw[i].lft = base_alloc(bytes);
		if (!net->sw[i].lft)
			return -ENOMEM;
		memset(net->sw[i].lft, SM_NO_PORT, bytes);
	}
	return 0;
}

static void measure(struct routes *r, u32 to)
{
	const struct sm_net *net = r->net;
	u32 head = 0, tail = 0;

	memset(r->distance, 0xff, net->switches * sizeof(*r->distance));
	r->distance[to] = 0;
	r->queue[head++] = to;
	while (tail < head) {
		const u32 at = r->queue[tail++], first = first_port(net, at);

		for (u32 port = first + 1; port <= first + port_count(net, at); port++) {
			const u32 other = r->behind[port];

			if (other == SM_NONE || r->distance[other] != FAR)
				continue;
			r->distance[other] = (u16)(r->distance[at] + 1);
			r->queue[head++] = other;
		}
	}
}

/* Ports of a switch that lead nearer; how many. */
static u32 find_ports(const struct routes *r, u32 from, u32 *towards)
{
	const u32 first = first_port(r->net, from);
	u32 count = 0;

	for (u32 port = first + 1; port <= first + port_count(r->net, from); port++)
		if (r->behind[port] != SM_NONE &&
		    r->distance[r->behind[port]] + 1u == r->distance[from])
			towards[count++] = port;
	return count;
}

static u32 least_loaded(const struct routes *r, const u32 *ports, u32 count)
{
	u32 best = ports[0];

	for (u32 i = 1; i < count; i++)
		if (r->load[ports[i]] < r->load[best])
			best = ports[i];
	return best;
}

static void route_from(struct routes *r, u32 from, u32 to)
{
	u8 *lft = r->net->sw[from].lft;
	u32 towards[SM_NO_PORT];
	const u32 count = find_ports(r, from, towards);

	for (u32 end = count ? r->first[to] : SM_NONE; end != SM_NONE; end = r->next[end]) {
		const u32 port = least_loaded(r, towards, count);

		r->load[port]++;
		lft[r->net->port[end].lid] = r->net->port[port].num;
	}
}

/* The last switch: to its hosts, and to itself. */
static void route_home(struct routes *r, u32 to)
{
	const struct sm_net *net = r->net;

	for (u32 end = r->first[to]; end != SM_NONE; end = r->next[end]) {
		const struct sm_port *port = &net->port[end];

		net->sw[to].lft[port->lid] =
			sm_is_switch(sm_node_of(net, end)) ? 0 : net->port[port->peer].num;
	}
}

int sm_make_routes(struct sm_net *net)
{
	struct routes r = {.net = net};
	int ret = prepare(&r);

	if (!ret)
		ret = make_tables(net);
	for (u32 to = 0; !ret && to < net->switches; to++) {
		measure(&r, to);
		for (u32 from = 0; from < net->switches; from++)
			if (from != to && r.distance[from] != FAR)
				route_from(&r, from, to);
		route_home(&r, to);
	}
	free_all(&r);
	return ret;
}
