// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Further GUIDs of ports, which somebody has asked the administration for. They are kept by PortGUID and entry of the port's
 * GUIDInfo, and set again where a port has lost them.
 */
#include <errno.h>
#include <linux/byteorder.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/sm_priv.h"

#define MOST_ALIASES 16384u
#define FIRST_ROOM 16u

static struct sm_alias *find(const struct sm *sm, u64 port, u32 entry)
{
	for (u32 i = 0; i < sm->aliases; i++)
		if (sm->alias[i].port == port && sm->alias[i].entry == entry)
			return &sm->alias[i];
	return NULL;
}

static struct sm_alias *add(struct sm *sm)
{
	const u32 room = sm->alias_room ? 2 * sm->alias_room : FIRST_ROOM;
	struct sm_alias *alias = sm->alias;

	if (sm->aliases == MOST_ALIASES)
		return NULL;
	if (sm->aliases == sm->alias_room) {
		alias = base_realloc(alias, room * sizeof(*alias));
		if (!alias)
			return NULL;
		sm->alias = alias;
		sm->alias_room = room;
	}
	return &alias[sm->aliases++];
}

int sm_alias_set(struct sm *sm, u64 port, u32 entry, u64 guid)
{
	struct sm_alias *alias = find(sm, port, entry);

	if (!alias)
		alias = add(sm);
	if (!alias)
		return -ENOMEM;
	*alias = (struct sm_alias){.port = port, .guid = guid, .entry = (u16)entry};
	sm->realias = true;
	return 0;
}

/* Those of one block of a port, or (@block SM_NONE) all of it; all, or only those that it is not to have any more. */
static void forget(struct sm *sm, u64 port, u32 block, bool only_gone)
{
	u32 kept = 0;

	for (u32 i = 0; i < sm->aliases; i++) {
		const struct sm_alias *alias = &sm->alias[i];
		const bool is_meant = alias->port == port &&
				      (block == SM_NONE || alias->entry / SM_GUID_BLOCK == block);

		if (!is_meant || (only_gone && alias->guid))
			sm->alias[kept++] = *alias;
	}
	sm->aliases = kept;
}

void sm_aliases_forget(struct sm *sm, u64 port)
{
	forget(sm, port, SM_NONE, false);
}

static u64 guid_of(const struct sm_port *port, u32 entry)
{
	if (!entry)
		return port->guid;
	return port->guids && entry < port->guid_blocks * SM_GUID_BLOCK ? port->guids[entry] : 0;
}

u64 sm_alias_of(const struct sm *sm, const struct sm_port *port, u32 entry)
{
	const struct sm_alias *alias = find(sm, port->guid, entry);

	return alias ? alias->guid : guid_of(port, entry);
}

bool sm_guid_is_free(const struct sm *sm, u64 guid)
{
	if (sm_port_of_guid(sm, sm->net, guid) != SM_NONE || sm_net_find(sm->net, guid) != SM_NONE)
		return false;
	for (u32 i = 0; i < sm->aliases; i++)
		if (sm->alias[i].guid == guid)
			return false;
	return true;
}

/* Whose port is there, and does not have it. */
static bool wants_setting(const struct sm *sm, const struct sm_alias *alias, u32 *port)
{
	*port = sm_port_of_guid(sm, sm->net, alias->port);
	return *port != SM_NONE && alias->entry < sm->net->port[*port].info.guid_cap &&
	       guid_of(&sm->net->port[*port], alias->entry) != alias->guid;
}

/* One for each block: what is asked for at a time is in one, and comes one after the other. */
bool sm_next_guids(struct sm *sm, struct sm_request *request)
{
	while (sm->cursor < sm->aliases) {
		const struct sm_alias *alias = &sm->alias[sm->cursor++];
		const u32 block = alias->entry / SM_GUID_BLOCK;
		u32 port;

		if (!wants_setting(sm, alias, &port) ||
		    (sm->guids_port == port && sm->block == block))
			continue;
		sm->guids_port = port;
		sm->block = block;
		*request = (struct sm_request){.what = SM_SET_GUIDS, .index = port, .block = block};
		return true;
	}
	return false;
}

void sm_fill_guids(const struct sm *sm, const struct sm_request *request, struct ib_smp *smp)
{
	const struct sm_port *port = &sm->net->port[request->index];
	__be64 guid[SM_GUID_BLOCK];

	for (u32 i = 0; i < SM_GUID_BLOCK; i++)
		guid[i] = cpu_to_be64(sm_alias_of(sm, port, request->block * SM_GUID_BLOCK + i));
	memcpy(smp->data, guid, sizeof(guid));
	smp->attr_mod = cpu_to_be32(request->block);
}

bool sm_keep_guids(struct sm_net *net, const struct sm_request *request, const struct ib_smp *smp)
{
	struct sm_port *port = &net->port[request->index];
	const u32 first = request->block * SM_GUID_BLOCK;
	__be64 guid[SM_GUID_BLOCK];

	memcpy(guid, smp->data, sizeof(guid));
	for (u32 i = 0; i < SM_GUID_BLOCK; i++) {
		if (!(first + i))
			continue;
		if (guid[i] && !port->guids)
			port->guids = base_zalloc_array(port->guid_blocks * SM_GUID_BLOCK,
							sizeof(*port->guids));
		if (guid[i] && !port->guids)
			return false;
		if (port->guids)
			port->guids[first + i] = be64_to_cpu(guid[i]);
		net->has_guids |= guid[i] != 0;
	}
	return true;
}

void sm_guids_were_set(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp)
{
	if (!sm_keep_guids(sm->net, request, smp))
		sm->trouble = true;
	forget(sm, sm->net->port[request->index].guid, request->block, true);
}

/* Asked once more it would say the same. */
void sm_guids_were_refused(struct sm *sm, const struct sm_request *request)
{
	forget(sm, sm->net->port[request->index].guid, request->block, false);
}
