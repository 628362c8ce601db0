// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * GUIDInfoRecord, when it is set or deleted: a port asks for further GUIDs, of its choice or ours. For other ports only who
 * has the SM_Key may ask. The answer says what the port is to have, which it is told then.
 */
#include <string.h>

#include "sm/sa_priv.h"

#define OURS 0x0200560300000000ull /* locally administered; nodes without one have 0x02005602... */
#define LID 0
#define BLOCK 1
#define FIRST_GUID 4
#define AT_BLOCK 2u
#define AT_GUIDS 8u

static u16 find_port(const struct sa_query *q, u32 *port)
{
	const u16 lid = sa_get16(q->asked);

	if (!sa_has(q, LID) || !sa_has(q, BLOCK))
		return SA_INSUFFICIENT;
	*port = sm_port_of_lid(q->net, lid);
	if (*port == SM_NONE || q->asked[AT_BLOCK] >= q->net->port[*port].guid_blocks)
		return SA_INVALID;
	return q->trusted || q->from->lid == lid ? 0 : SA_DENIED;
}

static u64 make_guid(struct sa *sa)
{
	u64 guid;

	do
		guid = OURS + ++sa->guids;
	while (!sm_guid_is_free(sa->sm, guid));
	return guid;
}

/* As it is to be; one that somebody else has cannot be had. */
static u64 choose(struct sa *sa, const struct sm_port *port, u32 entry, u64 asked)
{
	if (!asked)
		return make_guid(sa);
	if (asked == sm_alias_of(sa->sm, port, entry) || sm_guid_is_free(sa->sm, asked))
		return asked;
	return 0;
}

/* Those that are asked for become what @sets says, or none; all of the block are put to the answer. */
static u16 change(struct sa_query *q, bool sets)
{
	struct sm *sm = q->sa->sm;
	const u32 first = q->asked[AT_BLOCK] * SM_GUID_BLOCK;
	const struct sm_port *port;
	u32 index;
	const u16 status = find_port(q, &index);

	if (status)
		return status;
	port = &q->net->port[index];
	for (u32 i = 0; i < SM_GUID_BLOCK; i++) {
		u8 *at = q->asked + AT_GUIDS + 8 * (size_t)i;
		u64 guid = sm_alias_of(sm, port, first + i);
		const bool is_asked = sa_has(q, FIRST_GUID + i) && first + i > 0 &&
				      first + i < port->info.guid_cap;

		if (is_asked) {
			const u64 wish = sets ? choose(q->sa, port, first + i, sa_get64(at)) : 0;

			if ((wish || !sets) && sm_alias_set(sm, port->guid, first + i, wish))
				return SA_NO_RESOURCES;
			guid = wish;
		}
		sa_put64(at, guid);
	}
	sm_realias(sm);
	return 0;
}

u16 sa_set_guids(struct sa_query *q)
{
	return change(q, true);
}

u16 sa_remove_guids(struct sa_query *q)
{
	return change(q, false);
}
