// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Multicast groups and who is in them, by PortGUID: they outlive sweeps. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "sm/sm_priv.h"

#define FIRST_ROOM 4u

static void mark(struct sm *sm, const struct sm_group *group)
{
	const u32 i = group->mlid - SM_FIRST_MLID;

	sm->changed[i / 64] |= 1ull << i % 64;
}

u32 sm_group_room(const struct sm *sm)
{
	const struct sm_net *net = sm_net_at_hand(sm);
	u32 room = SM_MOST_GROUPS;

	for (u32 i = 0; net && i < net->switches; i++)
		if (net->sw[i].known && sm_mft_rows(&net->sw[i]) < room)
			room = sm_mft_rows(&net->sw[i]);
	return room;
}

struct sm_group *sm_group_find(const struct sm *sm, const u8 *mgid)
{
	for (u32 i = 0; i < sm->groups; i++)
		if (sm->group[i] && !memcmp(sm->group[i]->record, mgid, sizeof(union ib_gid)))
			return sm->group[i];
	return NULL;
}

static bool is_free(const struct sm *sm, u32 i)
{
	return i >= sm->groups || !sm->group[i];
}

/* The one wished for, or the lowest; SM_NONE if all are taken. */
static u32 choose(const struct sm *sm, u16 wish)
{
	const u32 room = sm_group_room(sm);

	if (wish >= SM_FIRST_MLID && wish - SM_FIRST_MLID < room &&
	    is_free(sm, wish - SM_FIRST_MLID))
		return wish - SM_FIRST_MLID;
	for (u32 i = 0; i < room; i++)
		if (is_free(sm, i))
			return i;
	return SM_NONE;
}

static bool widen(struct sm *sm, u32 count)
{
	struct sm_group **group;
	u32 groups = sm->groups ? sm->groups : SM_MFT_ROWS;

	while (groups < count)
		groups *= 2;
	if (groups == sm->groups)
		return true;
	group = base_realloc(sm->group, groups * sizeof(struct sm_group *));
	if (!group)
		return false;
	memset(group + sm->groups, 0, (groups - sm->groups) * sizeof(struct sm_group *));
	sm->group = group;
	sm->groups = groups;
	return true;
}

struct sm_group *sm_group_add(struct sm *sm, u16 wish)
{
	const u32 i = choose(sm, wish);
	struct sm_group *group;

	if (i == SM_NONE || !widen(sm, i + 1))
		return NULL;
	group = base_zalloc(sizeof(*group));
	if (!group)
		return NULL;
	group->mlid = (u16)(SM_FIRST_MLID + i);
	sm->group[i] = group;
	mark(sm, group);
	return group;
}

static void free_group(struct sm_group *group)
{
	base_free(group->member);
	base_free(group);
}

void sm_group_remove(struct sm *sm, struct sm_group *group)
{
	const u32 i = group->mlid - SM_FIRST_MLID;

	INVARIANT(i < sm->groups && sm->group[i] == group);
	mark(sm, group);
	sm->group[i] = NULL;
	free_group(group);
}

struct sm_member *sm_group_member(const struct sm_group *group, u64 guid)
{
	for (u32 i = 0; i < group->members; i++)
		if (group->member[i].guid == guid)
			return &group->member[i];
	return NULL;
}

static struct sm_member *add_member(struct sm_group *group)
{
	const u32 room = group->room ? 2 * group->room : FIRST_ROOM;
	struct sm_member *member = group->member;

	if (group->members == group->room) {
		member = base_realloc(member, room * sizeof(*member));
		if (!member)
			return NULL;
		group->member = member;
		group->room = room;
	}
	return &member[group->members++];
}

int sm_group_set_member(struct sm *sm, struct sm_group *group, const struct sm_member *member)
{
	struct sm_member *was = sm_group_member(group, member->guid);

	if (!was && !member->state)
		return 0;
	if (!was)
		was = add_member(group);
	if (!was)
		return -ENOMEM;
	*was = *member;
	if (!member->state)
		*was = group->member[--group->members];
	mark(sm, group);
	return 0;
}

void sm_groups_free(struct sm *sm)
{
	for (u32 i = 0; i < sm->groups; i++)
		if (sm->group[i])
			free_group(sm->group[i]);
	base_free(sm->group);
	sm->group = NULL;
	sm->groups = 0;
}
