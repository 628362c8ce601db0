// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* LIDs: what a port had it keeps, from another manager, too, and while it is away. */
#include <errno.h>
#include <linux/byteorder.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/sm_priv.h"

#define FIRST_SLOTS 256u /* a power of two */

static struct sm_lid *slot_of(struct sm_lid *table, u32 slots, u64 guid)
{
	u32 i = (u32)((guid * 0x9e3779b97f4a7c15ull) >> 32) & (slots - 1);

	while (table[i].guid && table[i].guid != guid)
		i = (i + 1) & (slots - 1);
	return &table[i];
}

static bool widen(struct sm *sm)
{
	const u32 slots = sm->lid_slots ? 2 * sm->lid_slots : FIRST_SLOTS;
	struct sm_lid *table;

	if (2 * (sm->lids_known + 1) <= sm->lid_slots)
		return true;
	table = base_zalloc_array(slots, sizeof(*table));
	if (!table)
		return false;
	for (u32 i = 0; i < sm->lid_slots; i++)
		if (sm->lid_of[i].guid)
			*slot_of(table, slots, sm->lid_of[i].guid) = sm->lid_of[i];
	base_free(sm->lid_of);
	sm->lid_of = table;
	sm->lid_slots = slots;
	return true;
}

static bool is_taken(const struct sm *sm, u16 lid)
{
	return sm->lid_taken[lid / 64] >> lid % 64 & 1;
}

static void take(struct sm *sm, u16 lid)
{
	sm->lid_taken[lid / 64] |= 1ull << lid % 64;
}

/* LID 0 is nobody's. */
static u16 first_free(const struct sm *sm)
{
	for (u32 i = 0; i < SM_UNICAST_LIDS / 64; i++) {
		const u64 room = ~sm->lid_taken[i] & (i ? ~0ull : ~1ull);

		if (room)
			return (u16)(64 * i + (u32)__builtin_ctzll(room));
	}
	return 0;
}

/* What the port says that it has, if that can be. */
static u16 wish_of(const struct sm *sm, const struct sm_port *port)
{
	const u16 lid = be16_to_cpu(port->info.lid);

	return lid && lid < SM_UNICAST_LIDS && !is_taken(sm, lid) ? lid : 0;
}

static int give(struct sm *sm, struct sm_port *port, bool by_wish)
{
	struct sm_lid *kept;

	if (!widen(sm))
		return -ENOMEM;
	kept = slot_of(sm->lid_of, sm->lid_slots, port->guid);
	if (!kept->guid) {
		const u16 lid = by_wish ? wish_of(sm, port) : first_free(sm);

		if (!lid)
			return by_wish ? 0 : -ENOSPC;
		*kept = (struct sm_lid){port->guid, lid};
		take(sm, lid);
		sm->lids_known++;
	}
	port->lid = kept->lid;
	return 0;
}

void sm_forget_lids(struct sm *sm)
{
	base_free(sm->lid_of);
	sm->lid_of = NULL;
	sm->lid_slots = 0;
	sm->lids_known = 0;
	memset(sm->lid_taken, 0, sizeof(sm->lid_taken));
}

/* Has a LID: port 0 of a switch, and what of a CA was reached. */
static bool is_end(const struct sm_net *net, u32 index)
{
	const struct sm_port *port = &net->port[index];

	return port->known && port->guid && sm_is_switch(sm_node_of(net, index)) == !port->num;
}

static int index_lids(struct sm_net *net)
{
	net->by_lid = base_alloc(net->lids * sizeof(*net->by_lid));
	if (!net->by_lid)
		return -ENOMEM;
	for (u32 i = 0; i < net->lids; i++)
		net->by_lid[i] = SM_NONE;
	for (u32 i = 0; i < net->ports; i++)
		if (net->port[i].lid)
			net->by_lid[net->port[i].lid] = i;
	return 0;
}

u32 sm_port_of_lid(const struct sm_net *net, u16 lid)
{
	return lid < net->lids && net->by_lid ? net->by_lid[lid] : SM_NONE;
}

/* By a further GUID; those of ports without a LID do not count. */
static u32 port_of_further_guid(const struct sm_net *net, u64 guid)
{
	for (u32 i = 0; net->has_guids && i < net->ports; i++)
		for (u32 k = 1; net->port[i].guids && k < net->port[i].guid_blocks * SM_GUID_BLOCK;
		     k++)
			if (net->port[i].guids[k] == guid && net->port[i].lid)
				return i;
	return SM_NONE;
}

u32 sm_port_of_guid(const struct sm *sm, const struct sm_net *net, u64 guid)
{
	const struct sm_lid *kept;
	u32 port;

	if (!guid || !sm->lid_slots)
		return SM_NONE;
	kept = slot_of(sm->lid_of, sm->lid_slots, guid);
	port = kept->guid ? sm_port_of_lid(net, kept->lid) : SM_NONE;
	if (port != SM_NONE && net->port[port].guid == guid)
		return port;
	return port_of_further_guid(net, guid);
}

int sm_give_lids(struct sm *sm, struct sm_net *net)
{
	int ret = 0;

	/* First those that have one already, so that nobody's is given away. */
	for (int pass = 0; pass < 2; pass++)
		for (u32 i = 0; !ret && i < net->ports; i++)
			if (is_end(net, i) && !net->port[i].lid)
				ret = give(sm, &net->port[i], pass == 0);
	for (u32 i = 0; i < net->ports; i++)
		if (net->port[i].lid >= net->lids)
			net->lids = net->port[i].lid + 1u;
	return ret ? ret : index_lids(net);
}
