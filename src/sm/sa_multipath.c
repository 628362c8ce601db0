// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * MultiPathRecord: the ways between each of some ports and each of others, answered with PathRecords. What a way is to be like
 * is asked with the bytes and bits of a PathRecord, elsewhere.
 */
#include <string.h>

#include "sm/sa_priv.h"

#define MOST_GIDS 11u /* that are in one MAD; OpenSM takes no more, either */

/* Bytes of MultiPathRecord. */
enum {
	AT_WISHES = 0, /* as those of PathRecord from AT_PATH_WISHES on */
	AT_SERVICE_HIGH = 13,
	AT_SGIDS = 15,
	AT_DGIDS = 16,
	AT_SERVICE_LOW = 17,
	AT_GIDS = 24,
};

/* And its mask bits: below SERVICE_HIGH as those of PathRecord from PATH_WISHES on. */
enum {
	SERVICE_HIGH = 16,
	SGIDS = 19,
	DGIDS = 20,
	SERVICE_LOW = 21,
};

/* Of PathRecord. */
enum {
	PATH_DGID = 2,
	PATH_SGID = 3,
	PATH_WISHES = 6,
	AT_PATH_DGID = 8,
	AT_PATH_SGID = 24,
	AT_PATH_WISHES = 44,
	WISHES_BYTES = AT_SERVICE_HIGH - AT_WISHES,
};

/* From each end to each other one: GIDs, and the ports that have them. */
struct ends {
	u8 sgids;
	u8 dgids;
	u8 gid[MOST_GIDS][SA_GID];
	u32 port[MOST_GIDS];
};

static u16 find_ends(const struct sa_query *q, struct ends *e)
{
	if (!sa_has(q, SGIDS) || !sa_has(q, DGIDS))
		return SA_INSUFFICIENT;
	e->sgids = q->asked[AT_SGIDS];
	e->dgids = q->asked[AT_DGIDS];
	if (!e->sgids || !e->dgids)
		return SA_INVALID;
	if (e->sgids + e->dgids > (int)MOST_GIDS)
		return SA_NO_RESOURCES;
	if (q->asked_bytes < AT_GIDS + (size_t)(e->sgids + e->dgids) * SA_GID)
		return SA_INVALID;
	for (u32 i = 0; i < (u32)e->sgids + e->dgids; i++) {
		memcpy(e->gid[i], q->asked + AT_GIDS + (size_t)i * SA_GID, SA_GID);
		e->port[i] = sa_port_of_gid(q->sa, e->gid[i]);
		if (e->port[i] == SM_NONE)
			return SA_INVALID_GID;
	}
	return 0;
}

/* What is asked, but for the ends, becomes the question for a path. */
static void translate(struct sa_query *q)
{
	u8 path[SA_MOST_RECORD] = {0};
	u64 mask = (q->mask & ((1ull << SERVICE_HIGH) - 1)) << PATH_WISHES;

	mask |= 1ull << PATH_DGID | 1ull << PATH_SGID;
	mask |= (u64)sa_has(q, SERVICE_HIGH) | (u64)sa_has(q, SERVICE_LOW) << 1;
	memcpy(path + AT_PATH_WISHES, q->asked + AT_WISHES, WISHES_BYTES);
	path[0] = q->asked[AT_SERVICE_HIGH];
	memcpy(path + 1, q->asked + AT_SERVICE_LOW, 7);
	memcpy(q->asked, path, sizeof(path));
	q->mask = mask;
	q->attribute = &sa_path_record;
}

static u16 get_ways(struct sa_query *q)
{
	struct ends e;
	const u16 status = find_ends(q, &e);

	if (status)
		return status;
	translate(q);
	for (u32 from = 0; from < e.sgids; from++)
		for (u32 to = e.sgids; to < (u32)e.sgids + e.dgids && !q->status; to++) {
			memcpy(q->asked + AT_PATH_SGID, e.gid[from], SA_GID);
			memcpy(q->asked + AT_PATH_DGID, e.gid[to], SA_GID);
			sa_offer_way(q, e.port[from], e.port[to]);
		}
	return q->status;
}

const struct sa_attribute sa_multipath_record = {
	.id = IB_SA_ATTR_MULTI_PATH_REC,
	.bytes = AT_GIDS,
	.multi = get_ways,
};
