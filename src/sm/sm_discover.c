// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What answers tell of the subnet, and what is to be asked then. */
#include <linux/byteorder.h>
#include <rdma/ib_verbs.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "sm/sm_priv.h"

#define PHYS_LINK_UP 5u
#define MOST_PORTS 254u

/* Which of a node's ports a NodeInfo came by; SM_NONE if that cannot be. */
static u32 port_it_came_by(const struct sm_net *net, const struct sm_node *node,
			   const struct ib_node_info *info)
{
	const u32 num = info->local_port_num;

	if (num > node->ports || (!num && !sm_is_switch(node)))
		return SM_NONE;
	INVARIANT(node->first_port + num < net->ports);
	return node->first_port + num;
}

/* Two nodes of one GUID, or one that changes its mind, would be taken for the first. */
static bool is_the_same(const struct sm_node *node, const struct ib_node_info *info)
{
	return node->type == info->node_type && node->ports == info->num_ports;
}

static bool is_sane(const struct ib_node_info *info)
{
	return info->node_guid && info->num_ports && info->num_ports <= MOST_PORTS &&
	       info->node_type >= SM_NODE_CA && info->node_type <= SM_NODE_SWITCH + 1;
}

static void join(struct sm_net *net, u32 a, u32 b)
{
	if (net->port[a].peer == b && net->port[b].peer == a)
		return;
	net->port[a].peer = b;
	net->port[b].peer = a;
	net->links++;
}

static void ask_about_node(struct sm *sm, const struct sm_node *node, u32 port)
{
	sm_add_work(sm, SM_ASK_DESCRIPTION, port, 0);
	if (!sm_is_switch(node))
		return;
	sm_add_work(sm, SM_ASK_SWITCH, port, 0);
	for (u32 i = 0; i <= node->ports; i++)
		sm_add_work(sm, SM_ASK_PORT, node->first_port + i, 0);
}

/* The node that a NodeInfo is of; SM_NONE if it cannot be. */
static u32 meet(struct sm *sm, const struct ib_node_info *info, u32 via, bool *is_new)
{
	struct sm_net *net = sm->next;
	u32 index = sm_net_find(net, be64_to_cpu(info->node_guid));

	*is_new = index == SM_NONE;
	if (!is_sane(info))
		return SM_NONE;
	if (*is_new)
		return sm_net_add(net, info, via);
	return is_the_same(&net->node[index], info) ? index : SM_NONE;
}

static void found_node(struct sm *sm, u32 via, const struct ib_smp *smp)
{
	struct sm_net *net = sm->next;
	struct ib_node_info info;
	u32 index, port;
	bool is_new;

	memcpy(&info, smp->data, sizeof(info));
	index = meet(sm, &info, via, &is_new);
	port = index == SM_NONE ? SM_NONE : port_it_came_by(net, &net->node[index], &info);
	if (port == SM_NONE || port == via) {
		sm->trouble = true;
		return;
	}
	if (via == SM_NONE) {
		net->own = port;
		sm->guid = be64_to_cpu(info.port_guid);
	} else if (net->port[port].num) {
		join(net, via, port);
	}
	if (is_new)
		ask_about_node(sm, &net->node[index], port);
	net->port[sm_is_switch(&net->node[index]) ? net->node[index].first_port : port].guid =
		be64_to_cpu(info.port_guid);
	if (!sm_is_switch(&net->node[index]) && !net->port[port].known)
		sm_add_work(sm, SM_ASK_PORT, port, 0);
}

static u32 pkeys_of(const struct sm_node *node)
{
	const u32 cap = be16_to_cpu(node->info.partition_cap);
	const u32 count = (cap + SM_PKEY_BLOCK - 1) / SM_PKEY_BLOCK * SM_PKEY_BLOCK;

	return count < SM_MOST_PKEYS ? count : SM_MOST_PKEYS;
}

/* Of ports to which traffic goes, of a switch port 0: tables, and whether there is a manager. */
static void ask_about_end(struct sm *sm, u32 index)
{
	struct sm_port *port = &sm->next->port[index];
	const struct sm_node *node = sm_node_of(sm->next, index);

	if (sm_is_switch(node) != !port->num)
		return;
	if (index != sm->next->own && (port->info.cap_mask & cpu_to_be32(IB_PORT_SM)))
		sm_ask_other(sm, index);
	for (u32 i = 0; i < pkeys_of(node) / SM_PKEY_BLOCK; i++)
		sm_add_work(sm, SM_ASK_PKEYS, index, i);
	port->guid_blocks = (u8)((port->info.guid_cap + SM_GUID_BLOCK - 1) / SM_GUID_BLOCK);
	for (u32 i = 0; port->info.guid_cap > 1 && i < port->guid_blocks; i++)
		sm_add_work(sm, SM_ASK_GUIDS, index, i);
}

static void found_pkeys(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp)
{
	struct sm_port *port = &sm->next->port[request->index];
	const u32 count = pkeys_of(sm_node_of(sm->next, request->index));

	if (!port->pkeys)
		port->pkeys = base_zalloc_array(count, sizeof(*port->pkeys));
	if (!port->pkeys) {
		sm->trouble = true;
		return;
	}
	port->pkey_count = (u16)count;
	for (u32 i = 0; i < SM_PKEY_BLOCK; i++)
		port->pkeys[request->block * SM_PKEY_BLOCK + i] =
			(u16)(smp->data[2 * i] << 8 | smp->data[2 * i + 1]);
}

/* What lies behind a port: a CA passes nothing on, so of CAs only ours has something behind it. */
static void found_port(struct sm *sm, u32 index, const struct ib_smp *smp)
{
	struct sm_net *net = sm->next;
	struct sm_port *port = &net->port[index];

	memcpy(&port->info, smp->data, sizeof(port->info));
	if (!port->known)
		ask_about_end(sm, index);
	port->known = true;
	if (!port->num || port->peer != SM_NONE ||
	    (!sm_is_switch(sm_node_of(net, index)) && index != net->own))
		return;
	if (sm_port_state(port) >= IB_PORT_INIT &&
	    port->info.portphysstate_linkdown >> 4 == PHYS_LINK_UP)
		sm_add_work(sm, SM_ASK_NODE, index, 0);
}

static void found_switch(struct sm *sm, u32 port, const struct ib_smp *smp)
{
	struct sm_net *net = sm->next;
	struct sm_switch *sw = &net->sw[sm_node_of(net, port)->sw];

	memcpy(sw->info, smp->data, sizeof(sw->info));
	sw->known = true;
}

void sm_found(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp)
{
	switch (request->what) {
	case SM_ASK_NODE:
		found_node(sm, request->index, smp);
		return;
	case SM_ASK_DESCRIPTION:
		memcpy(sm_node_of(sm->next, request->index)->description, smp->data,
		       sizeof(smp->data));
		return;
	case SM_ASK_SWITCH:
		found_switch(sm, request->index, smp);
		return;
	case SM_ASK_PKEYS:
		found_pkeys(sm, request, smp);
		return;
	case SM_ASK_GUIDS:
		if (!sm_keep_guids(sm->next, request, smp))
			sm->trouble = true;
		return;
	case SM_ASK_PORT:
		found_port(sm, request->index, smp);
		return;
	case SM_ASK_OWN_PORT:
		sm_own_port(sm, smp);
		return;
	case SM_ASK_SM:
		sm_other_answered(sm, request, smp);
		return;
	case SM_SET_SWITCH:
	case SM_SET_LFT:
	case SM_SET_MFT:
	case SM_SET_PORT:
	case SM_SET_ACTIVE:
	case SM_SET_GUIDS:
	case SM_TELL_SM:
		break;
	}
	UNREACHABLE("an answer to what was not asked");
}
