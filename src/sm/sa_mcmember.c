// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* MCMemberRecord: groups are made by the first full member, and end with the last. */
#include <rdma/ib_verbs.h>
#include <string.h>

#include "sm/sa_priv.h"

/* Mask bits. */
enum {
	MGID = 0,
	PORT_GID = 1,
	QKEY = 2,
	MLID = 3,
	MTU = 4,
	TCLASS = 6,
	PKEY = 7,
	RATE = 8,
	LIFE = 10,
	SL = 12,
	FLOW = 13,
	HOP = 14,
	SCOPE = 15,
	JOIN_STATE = 16,
	PROXY = 17,
};

/* Bytes of the record. */
enum {
	AT_PORT_GID = 16,
	AT_QKEY = 32,
	AT_MLID = 36,
	AT_MTU = 38,
	AT_TCLASS = 39,
	AT_PKEY = 40,
	AT_RATE = 42,
	AT_LIFE = 43,
	AT_FLOW = 44,
	AT_STATE = 48,
	AT_PROXY = 49,
};

_Static_assert(SM_GROUP_RECORD_BYTES == 56, "MCMemberRecord");

#define BIT_OF(n) (1ull << (n))
#define TO_JOIN (BIT_OF(MGID) | BIT_OF(PORT_GID) | BIT_OF(JOIN_STATE))
#define TO_CREATE \
	(TO_JOIN | BIT_OF(QKEY) | BIT_OF(TCLASS) | BIT_OF(PKEY) | BIT_OF(FLOW) | BIT_OF(SL))
/* Of a group, not of a member. */
#define OF_GROUP (~(TO_JOIN | BIT_OF(PROXY)) | BIT_OF(MGID))

static const struct sa_field fields[] = {
	[MGID] = SA_BYTES(0, 16),
	[PORT_GID] = SA_BYTES(AT_PORT_GID, 16),
	[QKEY] = SA_BYTES(AT_QKEY, 4),
	[MLID] = SA_BYTES(AT_MLID, 2),
	[TCLASS] = SA_BYTES(AT_TCLASS, 1),
	[PKEY] = SA_BITS(AT_PKEY, 1, 15),
	[SL] = SA_BITS(AT_FLOW, 0, 4),
	[FLOW] = SA_BITS(AT_FLOW, 4, 20),
	[HOP] = SA_BYTES(AT_FLOW + 3, 1),
	[SCOPE] = SA_BITS(AT_STATE, 0, 4),
	[JOIN_STATE] = SA_BITS(AT_STATE, 4, 4),
	[PROXY] = SA_BITS(AT_PROXY, 0, 1),
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static const u8 broadcast[SM_GROUP_RECORD_BYTES] = {
	0xff,
	0x12,
	0x40,
	0x1b,
	0xff,
	0xff,
	[12] = 0xff,
	0xff,
	0xff,
	0xff,
	[AT_QKEY + 2] = 0x0b,
	0x1b,
	[AT_MLID] = 0xc0,
	[AT_MTU] = SA_EXACTLY(IB_MTU_2048),
	[AT_PKEY] = 0xff,
	0xff,
	[AT_RATE] = SA_EXACTLY(IB_RATE_10_GBPS),
	[AT_LIFE] = SA_EXACTLY(SA_LIFE_TIME),
	[AT_STATE] = 0x20,
};

int sa_add_broadcast(struct sa *sa)
{
	struct sm_group *group = sm_group_find(sa->sm, broadcast);

	if (!group)
		group = sm_group_add(sa->sm, SM_FIRST_MLID);
	if (!group)
		return -1;
	group->stays = true;
	memcpy(group->record, broadcast, sizeof(broadcast));
	return 0;
}

static struct sa_wish wish(const struct sa_query *q, u32 i)
{
	static const u8 bit[] = {MTU, RATE, LIFE}, at[] = {AT_MTU, AT_RATE, AT_LIFE};

	return sa_wish(q, (enum sa_scale)i, bit[i], at[i]);
}

/* MTU, rate and life time of a record are as wished. */
static bool suits(const struct sa_query *q, const u8 *record)
{
	static const u8 at[] = {AT_MTU, AT_RATE, AT_LIFE};

	for (u32 i = 0; i < 3; i++) {
		const struct sa_wish w = wish(q, i);

		if (!sa_suits(&w, SA_VALUE(record[at[i]])))
			return false;
	}
	return true;
}

static bool offer_member(struct sa_query *q, const struct sm_group *group,
			 const struct sm_member *member)
{
	u8 record[SA_MOST_RECORD] = {0};

	memcpy(record, group->record, sizeof(group->record));
	sa_put_gid(q->sa, record + AT_PORT_GID, member->guid);
	record[AT_STATE] |= member->state;
	record[AT_PROXY] = member->proxy ? 0x80 : 0;
	return sa_offer(q, record);
}

/* Who is in it only those may know that have the key, or ask for one port. */
static bool offer_group(struct sa_query *q, const struct sm_group *group)
{
	u8 record[SA_MOST_RECORD] = {0};

	memcpy(record, group->record, sizeof(group->record));
	for (u32 i = 0; i < group->members; i++)
		record[AT_STATE] |= group->member[i].state;
	return sa_offer(q, record);
}

static bool offer(struct sa_query *q, const struct sm_group *group)
{
	if (!suits(q, group->record))
		return true;
	if (!q->trusted && !sa_has(q, PORT_GID))
		return offer_group(q, group);
	for (u32 i = 0; i < group->members; i++)
		if (!offer_member(q, group, &group->member[i]))
			return false;
	return true;
}

static void get_members(struct sa_query *q)
{
	const struct sm *sm = q->sa->sm;
	const struct sm_group *only = sa_has(q, MGID) ? sm_group_find(sm, q->asked) : NULL;

	if (only)
		(void)offer(q, only);
	for (u32 i = 0; !sa_has(q, MGID) && i < sm->groups; i++)
		if (sm->group[i] && !offer(q, sm->group[i]))
			return;
}

/* Not one that the SA alone makes, and of a scope that exists. */
static bool is_good_mgid(const struct sa_query *q, const u8 *mgid)
{
	const u32 flags = mgid[1] >> 4, scope = mgid[1] & 0xf;

	if (mgid[0] != 0xff || flags > 1 || !scope || scope == 0xf)
		return false;
	return !sa_has(q, SCOPE) || scope == q->asked[AT_STATE] >> 4;
}

/* In a range of its own: ff1S:a01b, the subnet prefix, a number. */
static void make_mgid(struct sa_query *q, u8 *mgid)
{
	const u8 scope = sa_has(q, SCOPE) ? q->asked[AT_STATE] >> 4 : 2;

	memset(mgid, 0, SA_GID);
	mgid[0] = 0xff;
	mgid[1] = (u8)(0x10 | scope);
	sa_put16(mgid + 2, 0xa01b);
	sa_put64(mgid + 4, q->sa->sm->options.subnet_prefix);
	do
		sa_put32(mgid + 12, ++q->sa->mgids);
	while (sm_group_find(q->sa->sm, mgid));
}

/* The port can do it: what the group has, or is to have. */
static bool can_have(const struct sm_net *net, u32 port, const u8 *record)
{
	const struct sm_port *p = &net->port[port];
	const u8 mtu = SA_VALUE(record[AT_MTU]), rate = SA_VALUE(record[AT_RATE]);

	return sa_lower(SA_MTU, mtu, sa_port_mtu(p)) == mtu &&
	       (!p->num || sa_lower(SA_RATE, rate, sa_port_rate(p)) == rate);
}

/* What the group is to be: as asked, and the best of what the port can do. */
static u16 describe(struct sa_query *q, u32 port, u8 *record)
{
	const struct sm_port *p = &q->net->port[port];
	const u8 limit[] = {sa_port_mtu(p), p->num ? sa_port_rate(p) : (u8)IB_RATE_10_GBPS,
			    SA_LIFE_TIME};
	static const u8 at[] = {AT_MTU, AT_RATE, AT_LIFE};
	static const u8 zero[SA_GID];

	memset(record, 0, SM_GROUP_RECORD_BYTES);
	sa_copy(fields, FIELDS, q->mask & OF_GROUP & ~BIT_OF(MLID), record, q->asked);
	record[AT_PKEY] |= 0x80;
	if (!memcmp(q->asked, zero, SA_GID))
		make_mgid(q, record);
	if (!is_good_mgid(q, record))
		return SA_INVALID;
	record[AT_STATE] = (u8)(record[1] << 4);
	for (u32 i = 0; i < 3; i++) {
		const struct sa_wish w = wish(q, i);
		const int value = sa_choose(&w, limit[i]);

		if (value < 0)
			return SA_INVALID;
		record[at[i]] = SA_EXACTLY(value);
	}
	return 0;
}

static u16 create(struct sa_query *q, u32 port, struct sm_group **group)
{
	const u16 mlid = sa_has(q, MLID) ? sa_get16(q->asked + AT_MLID) : 0;
	u8 record[SM_GROUP_RECORD_BYTES];
	u16 status;

	if ((q->mask & TO_CREATE) != TO_CREATE)
		return SA_INSUFFICIENT;
	if (!(q->asked[AT_STATE] & SM_KEEPS_GROUP) ||
	    !sa_has_pkey(&q->net->port[port], sa_get16(q->asked + AT_PKEY)))
		return SA_INVALID;
	status = describe(q, port, record);
	if (status)
		return status;
	*group = sm_group_add(q->sa->sm, mlid);
	if (!*group)
		return SA_NO_RESOURCES;
	memcpy((*group)->record, record, sizeof(record));
	sa_put16((*group)->record + AT_MLID, (*group)->mlid);
	return 0;
}

/* The group is there already: does it suit who wants to join? */
static u16 check(const struct sa_query *q, u32 port, const struct sm_group *group)
{
	if (!sa_matches(fields, FIELDS, q->mask & OF_GROUP, q->asked, group->record) ||
	    !suits(q, group->record) || !can_have(q->net, port, group->record) ||
	    !sa_has_pkey(&q->net->port[port], sa_get16(group->record + AT_PKEY)))
		return SA_INVALID;
	return 0;
}

/* The port that the record names, which is the requester's unless it may speak for another. */
static u16 find_port(const struct sa_query *q, u32 *port, bool *proxy)
{
	*port = sa_port_of_gid(q->sa, q->asked + AT_PORT_GID);
	if (*port == SM_NONE)
		return SA_INVALID_GID;
	*proxy = q->net->port[*port].lid != q->from->lid;
	return 0;
}

/* What a port has joined itself nobody else changes. */
static bool may_change(const struct sm_member *was, bool proxy)
{
	return !was || was->proxy || !proxy;
}

static void answer_with(struct sa_query *q, const struct sm_group *group,
			const struct sm_member *member)
{
	memset(q->asked, 0, sizeof(q->asked));
	memcpy(q->asked, group->record, sizeof(group->record));
	sa_put_gid(q->sa, q->asked + AT_PORT_GID, member->guid);
	q->asked[AT_STATE] |= member->state;
	q->asked[AT_PROXY] = member->proxy ? 0x80 : 0;
}

/* After all that is to be read of the request has been. */
static u16 enter(struct sa_query *q, struct sm_group *group, u32 port, bool proxy)
{
	struct sm_member member = {
		.guid = q->net->port[port].guid, .state = q->asked[AT_STATE] & 0xf, .proxy = proxy};
	const struct sm_member *was = sm_group_member(group, member.guid);
	const u8 before = was ? was->state : 0;

	if (!may_change(was, proxy))
		return SA_INVALID;
	member.state |= before;
	if (sm_group_set_member(q->sa->sm, group, &member))
		return SA_NO_RESOURCES;
	answer_with(q, group, &member);
	if (member.state != before)
		sm_regroup(q->sa->sm);
	return 0;
}

static u16 join(struct sa_query *q)
{
	struct sm_group *group;
	bool proxy, is_new;
	u16 status;
	u32 port;

	if ((q->mask & TO_JOIN) != TO_JOIN)
		return SA_INSUFFICIENT;
	if (!(q->asked[AT_STATE] & 0xf))
		return SA_INVALID;
	status = find_port(q, &port, &proxy);
	if (status)
		return status;
	group = sm_group_find(q->sa->sm, q->asked);
	is_new = !group;
	status = group ? check(q, port, group) : create(q, port, &group);
	if (status)
		return status;
	status = enter(q, group, port, proxy);
	if (status && is_new)
		sm_group_remove(q->sa->sm, group);
	else if (is_new)
		sa_report(q->sa, 66, group->record);
	return status;
}

static bool is_kept(const struct sm_group *group)
{
	for (u32 i = 0; i < group->members; i++)
		if (group->member[i].state & SM_KEEPS_GROUP)
			return true;
	return group->stays;
}

static void end_if_empty(struct sa *sa, struct sm_group *group)
{
	u8 mgid[SA_GID];

	if (is_kept(group))
		return;
	memcpy(mgid, group->record, SA_GID);
	sm_group_remove(sa->sm, group);
	sa_report(sa, 67, mgid);
}

/* One of the states after the other can be left. */
static u16 leave(struct sa_query *q)
{
	struct sm_group *group = sm_group_find(q->sa->sm, q->asked);
	const u8 state = q->asked[AT_STATE] & 0xf;
	struct sm_member member, *was;
	bool proxy;
	u16 status;
	u32 port;

	if ((q->mask & TO_JOIN) != TO_JOIN)
		return SA_INSUFFICIENT;
	status = find_port(q, &port, &proxy);
	if (status)
		return status;
	was = group ? sm_group_member(group, q->net->port[port].guid) : NULL;
	if (!was || !state || (state & ~was->state) || !may_change(was, proxy))
		return SA_INVALID;
	member = *was;
	member.state &= (u8)~state;
	answer_with(q, group, &member);
	(void)sm_group_set_member(q->sa->sm, group, &member); /* it is there */
	end_if_empty(q->sa, group);
	sm_regroup(q->sa->sm);
	return 0;
}

/* Those that do not stay are gone; nobody is told. */
void sa_empty_groups(struct sa *sa)
{
	for (u32 i = 0; i < sa->sm->groups; i++) {
		struct sm_group *group = sa->sm->group[i];

		if (group && group->stays)
			group->members = 0;
		else if (group)
			sm_group_remove(sa->sm, group);
	}
}

bool sa_leave_all(struct sa *sa, u64 guid)
{
	const struct sm_member gone = {.guid = guid};
	bool was = false;

	for (u32 i = 0; i < sa->sm->groups; i++) {
		struct sm_group *group = sa->sm->group[i];

		if (!group || !sm_group_member(group, guid))
			continue;
		(void)sm_group_set_member(sa->sm, group, &gone); /* it is there */
		end_if_empty(sa, group);
		was = true;
	}
	return was;
}

const struct sa_attribute sa_mcmember_record = {
	.id = IB_SA_ATTR_MC_MEMBER_REC,
	.bytes = SM_GROUP_RECORD_BYTES,
	.field = fields,
	.fields = FIELDS,
	.get = get_members,
	.set = join,
	.remove = leave,
};
