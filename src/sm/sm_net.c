// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a sweep has found: nodes, ports, and how to get to them. */
#include <linux/byteorder.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/sm_priv.h"

#define FIRST_ROOM 64u
#define FIRST_SLOTS 256u /* a power of two */
#define MAX_HOPS (IB_SMP_MAX_PATH_HOPS - 1)

struct sm_net *sm_net_new(void)
{
	struct sm_net *net = base_zalloc(sizeof(*net));

	if (!net)
		return NULL;
	net->own = SM_NONE;
	net->slots = FIRST_SLOTS;
	net->by_guid = base_zalloc_array(net->slots, sizeof(*net->by_guid));
	if (net->by_guid)
		return net;
	base_free(net);
	return NULL;
}

void sm_net_free(struct sm_net *net)
{
	if (!net)
		return;
	for (u32 i = 0; i < net->switches; i++) {
		base_free(net->sw[i].lft);
		base_free(net->sw[i].set);
		base_free(net->sw[i].mft);
	}
	for (u32 i = 0; i < net->ports; i++) {
		base_free(net->port[i].pkeys);
		base_free(net->port[i].guids);
	}
	base_free(net->other);
	base_free(net->node);
	base_free(net->port);
	base_free(net->sw);
	base_free(net->by_lid);
	base_free(net->by_guid);
	base_free(net);
}

/* GUIDs of one maker differ in their low bits. */
static u32 first_slot(const struct sm_net *net, u64 guid)
{
	return (u32)((guid * 0x9e3779b97f4a7c15ull) >> 32) & (net->slots - 1);
}

/* Where a GUID is, or would go. */
static u32 *slot_of(const struct sm_net *net, u64 guid)
{
	u32 i = first_slot(net, guid);

	while (net->by_guid[i] && net->node[net->by_guid[i] - 1].guid != guid)
		i = (i + 1) & (net->slots - 1);
	return &net->by_guid[i];
}

u32 sm_net_find(const struct sm_net *net, u64 guid)
{
	return *slot_of(net, guid) - 1; /* SM_NONE where there is none */
}

static bool widen_table(struct sm_net *net)
{
	u32 *old = net->by_guid;

	if (2 * (net->nodes + 1) <= net->slots)
		return true;
	net->by_guid = base_zalloc_array(2 * net->slots, sizeof(*net->by_guid));
	if (!net->by_guid) {
		net->by_guid = old;
		return false;
	}
	net->slots *= 2;
	for (u32 i = 0; i < net->nodes; i++)
		*slot_of(net, net->node[i].guid) = i + 1;
	base_free(old);
	return true;
}

/* Room for @more elements of @bytes. */
static bool make_room(void **array, u32 count, u32 more, u32 *room, size_t bytes)
{
	u32 wanted = *room ? *room : FIRST_ROOM;
	void *larger;

	while (wanted < count + more)
		wanted *= 2;
	if (wanted == *room)
		return true;
	larger = base_realloc(*array, wanted * bytes);
	if (!larger)
		return false;
	*array = larger;
	*room = wanted;
	return true;
}

static bool room_for_node(struct sm_net *net, u32 ports)
{
	void *node = net->node, *port = net->port, *sw = net->sw;
	bool all;

	all = make_room(&node, net->nodes, 1, &net->node_room, sizeof(*net->node)) &&
	      make_room(&port, net->ports, ports, &net->port_room, sizeof(*net->port)) &&
	      make_room(&sw, net->switches, 1, &net->switch_room, sizeof(*net->sw));
	net->node = node;
	net->port = port;
	net->sw = sw;
	return all && widen_table(net);
}

static void add_ports(struct sm_net *net, u32 node, u32 count)
{
	for (u32 i = 0; i < count; i++)
		net->port[net->ports++] =
			(struct sm_port){.peer = SM_NONE, .node = node, .num = (u8)i};
}

u32 sm_net_add(struct sm_net *net, const struct ib_node_info *info, u32 via)
{
	const u32 ports = info->num_ports + 1u, index = net->nodes;
	struct sm_node *node;

	if (!room_for_node(net, ports))
		return SM_NONE;
	node = &net->node[index];
	*node = (struct sm_node){.guid = be64_to_cpu(info->node_guid),
				 .first_port = net->ports,
				 .via = via,
				 .sw = SM_NONE,
				 .type = info->node_type,
				 .ports = info->num_ports,
				 .info = *info};
	add_ports(net, index, ports);
	if (sm_is_switch(node)) {
		node->sw = net->switches;
		net->sw[net->switches++] = (struct sm_switch){.node = index};
	}
	*slot_of(net, node->guid) = index + 1;
	net->nodes++;
	return index;
}

u32 sm_net_add_other(struct sm_net *net, u32 port)
{
	void *other = net->other;
	const bool has_room =
		make_room(&other, net->others, 1, &net->other_room, sizeof(*net->other));

	net->other = other;
	if (!has_room)
		return SM_NONE;
	net->other[net->others] = (struct sm_other){.port = port};
	return net->others++;
}

/* The port that leads to a port's node: a CA hears of itself by that very port only. */
static u32 via_of(const struct sm_net *net, u32 port)
{
	const struct sm_node *node = sm_node_of(net, port);

	if (port == net->own)
		return SM_NONE;
	return sm_is_switch(node) ? node->via : net->port[port].peer;
}

bool sm_net_path(const struct sm_net *net, u32 port, struct ib_smp *smp)
{
	u8 reverse[MAX_HOPS];
	u32 hops = 0;

	for (u32 via = via_of(net, port); via != SM_NONE; via = via_of(net, via)) {
		if (hops == MAX_HOPS)
			return false;
		reverse[hops++] = net->port[via].num;
	}
	smp->hop_cnt = (u8)hops;
	for (u32 i = 0; i < hops; i++)
		smp->initial_path[i + 1] = reverse[hops - 1 - i];
	return true;
}
