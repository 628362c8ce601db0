// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Requests of any content to subnet administration, one after the other: a byte that says who asks, one that says
 * how many seconds have passed, and a MAD. Each answer has its frame; groups, services and subscriptions are whole; and
 * the manager comes to rest.
 */
#include "base/check.h"
#include "unit/sm/sa_fixture.h"

#define HOSTS 4u
#define STEP (2 + sizeof(struct ib_sa_mad))

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void check_reply(const struct sa_reply *reply)
{
	const u32 record = reply->mad ? 8u * sa_get16(reply->mad + 44) : 0;

	if (!reply->mad)
		return;
	INVARIANT(reply->bytes >= IB_MGMT_SA_HDR && reply->bytes <= SA_MOST_REPLY);
	INVARIANT(reply->mad[3] & IB_MGMT_METHOD_RESP);
	if (sa_get16(reply->mad + 4))
		INVARIANT(reply->bytes == IB_MGMT_SA_HDR && !record && !reply->is_table);
	else
		INVARIANT(record && (reply->bytes - IB_MGMT_SA_HDR) % record == 0);
	if (!reply->is_table && !sa_get16(reply->mad + 4))
		INVARIANT(reply->bytes == IB_MGMT_SA_HDR + record && reply->bytes <= 256);
}

static void check_groups(const struct sm *sm)
{
	for (u32 i = 0; i < sm->groups; i++) {
		const struct sm_group *group = sm->group[i];
		bool kept = group && group->stays;

		for (u32 k = 0; group && k < group->members; k++) {
			INVARIANT(group->member[k].state && group->member[k].state < 16);
			kept |= group->member[k].state & SM_KEEPS_GROUP;
		}
		INVARIANT(!group || (kept && group->mlid == SM_FIRST_MLID + i &&
				     sm_group_find(sm, group->record) == group));
	}
}

static void request(const uint8_t *bytes, size_t count)
{
	uint8_t *mad = malloc(count ? count : 1); /* of exactly that length */

	INVARIANT(mad);
	memcpy(mad, bytes + 2, count - 2);
	world.now_ns += bytes[1] * 1000000000ull;
	world.reports = 0;
	world_request(bytes[0] % HOSTS, mad, count - 2);
	free(mad);
	check_reply(&world.reply);
	check_groups(world.sm);
	INVARIANT(sm_is_up(world.sm) && world.sm->phase == SM_IDLE);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	world_make(topology_leaf_spine(1, HOSTS, 1));
	for (size_t at = 0; at + 2 <= count && at < 40 * STEP; at += STEP)
		request(bytes + at, count - at < STEP ? count - at : STEP);
	world_teardown(NULL);
	return 0;
}
