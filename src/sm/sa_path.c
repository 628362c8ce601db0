// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* PathRecord: the ways that the tables lead, with the smallest MTU and rate on them. */
#include <rdma/ib_verbs.h>
#include <string.h>

#include "sm/sa_priv.h"

#define MOST_HOPS 64u
#define MOST_PAIRS (SA_MOST_REPLY / 64)
#define EXT_SPEED 62u /* of PortInfo */
#define WIDTHS 5u

/* Mask bits. */
enum {
	DGID = 2,
	SGID = 3,
	DLID = 4,
	SLID = 5,
	REVERSIBLE = 11,
	NUMB_PATH = 12,
	PKEY = 13,
	MTU = 16,
	RATE = 18,
	LIFE = 20,
};

/* Bytes of the record. */
enum {
	AT_DGID = 8,
	AT_SGID = 24,
	AT_DLID = 40,
	AT_SLID = 42,
	AT_HOP = 44,
	AT_TCLASS = 48,
	AT_NUMB = 49,
	AT_PKEY = 50,
	AT_SL = 52,
	AT_MTU = 54,
	AT_RATE = 55,
	AT_LIFE = 56,
	BYTES = 64,
};

/* What a path has, and so can be compared; what can be chosen is chosen, and ends are looked up. */
static const struct sa_field fields[] = {
	[6] = SA_BITS(AT_HOP, 0, 1), /* RawTraffic */
	[22] = SA_BYTES(57, 1),	     /* Preference */
};

/* What is up to who asks: all ways can have it. */
static const struct sa_field granted[] = {
	[0] = SA_BYTES(0, 8),		 /* ServiceID: its upper bits */
	[1] = SA_BYTES(0, 8),		 /* and lower */
	[8] = SA_BITS(AT_HOP, 4, 20),	 /* FlowLabel */
	[9] = SA_BYTES(47, 1),		 /* HopLimit */
	[10] = SA_BYTES(AT_TCLASS, 1),	 /* TClass */
	[14] = SA_BITS(AT_SL, 0, 12),	 /* QoSClass */
	[15] = SA_BITS(AT_SL + 1, 4, 4), /* SL */
};

/* By LinkSpeedActive, then those of LinkSpeedExtActive; 1x, 2x, 4x, 8x, 12x. 1200 Gb/s have no code. */
static const u8 rates[][WIDTHS] = {
	{IB_RATE_2_5_GBPS, IB_RATE_5_GBPS, IB_RATE_10_GBPS, IB_RATE_20_GBPS, IB_RATE_30_GBPS},
	{IB_RATE_5_GBPS, IB_RATE_10_GBPS, IB_RATE_20_GBPS, IB_RATE_40_GBPS, IB_RATE_60_GBPS},
	{IB_RATE_10_GBPS, IB_RATE_20_GBPS, IB_RATE_40_GBPS, IB_RATE_80_GBPS, IB_RATE_120_GBPS},
	{IB_RATE_14_GBPS, IB_RATE_28_GBPS, IB_RATE_56_GBPS, IB_RATE_112_GBPS, IB_RATE_168_GBPS},
	{IB_RATE_25_GBPS, IB_RATE_50_GBPS, IB_RATE_100_GBPS, IB_RATE_200_GBPS, IB_RATE_300_GBPS},
	{IB_RATE_50_GBPS, IB_RATE_100_GBPS, IB_RATE_200_GBPS, IB_RATE_400_GBPS, IB_RATE_600_GBPS},
	{IB_RATE_100_GBPS, IB_RATE_200_GBPS, IB_RATE_400_GBPS, IB_RATE_800_GBPS, IB_RATE_800_GBPS},
};

static int column(u8 width)
{
	static const u8 widths[WIDTHS] = {1, 16, 2, 4, 8};

	for (int i = 0; i < (int)WIDTHS; i++)
		if (widths[i] == width)
			return i;
	return -1;
}

/* Both are masks of which one bit is set. */
static int row(u8 speed, u8 ext)
{
	if (ext)
		return 3 + __builtin_ctz(ext);
	return speed ? __builtin_ctz(speed) : -1;
}

_Static_assert(sizeof(struct ib_port_info) == IB_SMP_DATA_SIZE, "newer fields are at its end");

u8 sa_port_rate(const struct sm_port *port)
{
	const u8 *bytes = (const u8 *)&port->info;
	const int r = row(port->info.linkspeedactive_enabled >> 4, bytes[EXT_SPEED] >> 4);
	const int c = column(port->info.link_width_active);

	if (r < 0 || c < 0 || r >= (int)(sizeof(rates) / sizeof(rates[0])))
		return 0;
	return rates[r][c];
}

u8 sa_port_mtu(const struct sm_port *port)
{
	return port->num ? port->info.neighbormtu_mastersmsl >> 4
			 : port->info.inittypereply_mtucap & 0xf;
}

/**
 * struct way - From one port to another.
 * @from: Index.
 * @to: Index.
 * @mtu: Smallest so far; 0: none yet.
 * @rate: Likewise.
 */
struct way {
	u32 from;
	u32 to;
	u8 mtu;
	u8 rate;
};

static void pass(const struct sm_net *net, u32 index, struct way *w)
{
	const struct sm_port *port = &net->port[index];

	w->mtu = w->mtu ? sa_lower(SA_MTU, w->mtu, sa_port_mtu(port)) : sa_port_mtu(port);
	if (port->num) /* port 0 has no link */
		w->rate = w->rate ? sa_lower(SA_RATE, w->rate, sa_port_rate(port))
				  : sa_port_rate(port);
}

/* Out by a port and in at its other end: that, or SM_NONE. */
static u32 cross(const struct sm_net *net, u32 port, struct way *w)
{
	const u32 peer = net->port[port].peer;

	if (peer == SM_NONE || !net->port[port].known || !net->port[peer].known)
		return SM_NONE;
	pass(net, port, w);
	pass(net, peer, w);
	return peer;
}

/* The port that a switch sends a LID's packets out by: its own port 0 for itself; SM_NONE: nowhere. */
static u32 exit_of(const struct sm_net *net, u32 at, u16 lid)
{
	const struct sm_node *node = sm_node_of(net, at);
	const u8 *lft = sm_is_switch(node) ? net->sw[node->sw].lft : NULL;

	if (!lft || lft[lid] > node->ports)
		return SM_NONE;
	return node->first_port + lft[lid];
}

/* A packet's way. A host that is passed, a table that leads nowhere, and a loop end it. */
static bool walk(const struct sm_net *net, struct way *w)
{
	const u16 lid = net->port[w->to].lid;
	u32 at = w->from;

	w->mtu = w->rate = 0;
	if (w->from == w->to) {
		pass(net, at, w);
		return true;
	}
	if (net->port[at].num)
		at = cross(net, at, w);
	for (u32 hops = 0; at != SM_NONE && hops < MOST_HOPS; hops++) {
		if (at == w->to)
			return true;
		at = exit_of(net, at, lid);
		if (at == SM_NONE)
			return false;
		if (net->port[at].num)
			at = cross(net, at, w);
		else if (at != w->to)
			return false;
		else
			pass(net, at, w);
	}
	return false;
}

/* Port 0 to itself or its like has no link whose rate could limit it. */
static u8 rate_of(const struct way *w)
{
	return w->rate ? w->rate : (u8)IB_RATE_10_GBPS;
}

/* MTU, rate and life time as wished. Returns false if the way cannot have them. */
static bool choose(const struct sa_query *q, u8 mtu, u8 rate, u8 *record)
{
	const struct sa_wish wishes[] = {
		sa_wish(q, SA_MTU, MTU, AT_MTU),
		sa_wish(q, SA_RATE, RATE, AT_RATE),
		sa_wish(q, SA_LIFE, LIFE, AT_LIFE),
	};
	const u8 limit[] = {mtu, rate, SA_LIFE_TIME};

	for (u32 i = 0; i < 3; i++) {
		const int value = sa_choose(&wishes[i], limit[i]);

		if (value < 0)
			return false;
		record[AT_MTU + i] = SA_EXACTLY(value);
	}
	return true;
}

/* 0: any; there is no partition 0, so who asks for that gets none. */
static u16 pkey_of(const struct sa_query *q)
{
	return sa_has(q, PKEY) ? sa_get16(q->asked + AT_PKEY) : 0;
}

/* As it was asked for: a port may have several. */
static void put_gid(const struct sa_query *q, u32 bit, u32 at, u32 port, u8 *record)
{
	if (sa_has(q, bit))
		memcpy(record + at, q->asked + at, SA_GID);
	else
		sa_put_gid(q->sa, record + at, q->net->port[port].guid);
}

static bool offer_way(struct sa_query *q, u32 from, u32 to)
{
	const struct sm_net *net = q->net;
	struct way there = {.from = from, .to = to}, back = {.from = to, .to = from};
	const u16 pkey = sa_shared_pkey(&net->port[from], &net->port[to], pkey_of(q));
	u8 record[SA_MOST_RECORD] = {0};

	if (!pkey || !walk(net, &there) || !choose(q, there.mtu, rate_of(&there), record))
		return true;
	record[AT_NUMB] = walk(net, &back) ? 0x80 : 0;
	if (sa_has(q, REVERSIBLE) && (q->asked[AT_NUMB] & ~record[AT_NUMB] & 0x80))
		return true;
	put_gid(q, DGID, AT_DGID, to, record);
	put_gid(q, SGID, AT_SGID, from, record);
	sa_put16(record + AT_DLID, net->port[to].lid);
	sa_put16(record + AT_SLID, net->port[from].lid);
	sa_put16(record + AT_PKEY, pkey);
	record[AT_NUMB] |= 1;
	sa_copy(granted, sizeof(granted) / sizeof(granted[0]), q->mask, record, q->asked);
	return sa_offer(q, record);
}

/* LIDs from @first to before @end. */
struct ends {
	u32 first;
	u32 end;
};

/* Returns false with a status if the GID is none, or it and the LID are not of one port. */
static bool find_ends(struct sa_query *q, u32 gid, u32 gid_at, u32 lid, u32 lid_at, struct ends *e)
{
	const struct sm_net *net = q->net;
	u32 port = SM_NONE;

	*e = (struct ends){1, net->lids};
	if (sa_has(q, gid)) {
		port = sa_port_of_gid(q->sa, q->asked + gid_at);
		if (port == SM_NONE) {
			q->status = SA_INVALID_GID;
			return false;
		}
		*e = (struct ends){net->port[port].lid, net->port[port].lid + 1u};
	}
	if (sa_has(q, lid)) {
		const u32 asked = sa_get16(q->asked + lid_at);

		if (asked < e->first || asked >= e->end)
			return false;
		*e = (struct ends){asked, asked + 1};
	}
	return true;
}

static bool offer_from(struct sa_query *q, u32 from, const struct ends *to)
{
	for (u32 lid = to->first; lid < to->end; lid++)
		if (q->net->by_lid[lid] != SM_NONE && !offer_way(q, from, q->net->by_lid[lid]))
			return false;
	return true;
}

static void offer_ways(struct sa_query *q)
{
	struct ends from, to;

	if (!find_ends(q, SGID, AT_SGID, SLID, AT_SLID, &from) ||
	    !find_ends(q, DGID, AT_DGID, DLID, AT_DLID, &to))
		return;
	if ((u64)(from.end - from.first) * (to.end - to.first) > MOST_PAIRS) {
		q->status = SA_NO_RESOURCES;
		return;
	}
	for (u32 lid = from.first; lid < from.end; lid++)
		if (q->net->by_lid[lid] != SM_NONE && !offer_from(q, q->net->by_lid[lid], &to))
			return;
}

/* A group's values are as they are. */
static bool is_as_asked(const struct sa_query *q, const u8 *record)
{
	const u64 mask = q->mask &
			 ~(1ull << 0 | 1ull << 1 | 1ull << 14); /* not services, nor QoS */
	const struct sa_wish wishes[] = {
		sa_wish(q, SA_MTU, MTU, AT_MTU),
		sa_wish(q, SA_RATE, RATE, AT_RATE),
		sa_wish(q, SA_LIFE, LIFE, AT_LIFE),
	};

	for (u32 i = 0; i < 3; i++)
		if (!sa_suits(&wishes[i], SA_VALUE(record[AT_MTU + i])))
			return false;
	if (sa_has(q, PKEY) && (pkey_of(q) ^ sa_get16(record + AT_PKEY)) & 0x7fff)
		return false;
	if (sa_has(q, DLID) && memcmp(record + AT_DLID, q->asked + AT_DLID, 2) != 0)
		return false;
	return sa_matches(granted, sizeof(granted) / sizeof(granted[0]), mask, q->asked, record);
}

static void offer_group(struct sa_query *q)
{
	const struct sm_group *group = sm_group_find(q->sa->sm, q->asked + AT_DGID);
	u8 record[SA_MOST_RECORD] = {0};
	struct ends from;

	if (!group || !find_ends(q, SGID, AT_SGID, SLID, AT_SLID, &from) ||
	    from.end != from.first + 1 || q->net->by_lid[from.first] == SM_NONE ||
	    !sa_has_pkey(&q->net->port[q->net->by_lid[from.first]], sa_get16(group->record + 40)))
		return;
	memcpy(record + AT_DGID, group->record, SA_GID);
	put_gid(q, SGID, AT_SGID, q->net->by_lid[from.first], record);
	sa_put16(record + AT_DLID, group->mlid);
	sa_put16(record + AT_SLID, (u16)from.first);
	sa_put32(record + AT_HOP, sa_get32(group->record + 44) & 0x0fffffff);
	record[AT_TCLASS] = group->record[39];
	record[AT_NUMB] = 1;
	memcpy(record + AT_PKEY, group->record + 40, 2);
	record[AT_SL + 1] = group->record[44] >> 4;
	record[AT_MTU] = group->record[38];
	record[AT_RATE] = group->record[42];
	record[AT_LIFE] = group->record[43];
	if (is_as_asked(q, record))
		(void)sa_offer(q, record);
}

/* Whether there can be a way; if not it may be a mistake. */
static bool can_be(struct sa_query *q)
{
	if (sa_has(q, NUMB_PATH) && !(q->asked[AT_NUMB] & 0x7f)) {
		q->status = SA_INVALID;
		return false;
	}
	return !sa_has(q, PKEY) || (pkey_of(q) & 0x7fff);
}

void sa_offer_way(struct sa_query *q, u32 from, u32 to)
{
	if (can_be(q))
		(void)offer_way(q, from, to);
}

static void get_paths(struct sa_query *q)
{
	if (!can_be(q))
		return;
	if (sa_has(q, DGID) && q->asked[AT_DGID] == 0xff)
		offer_group(q);
	else
		offer_ways(q);
}

const struct sa_attribute sa_path_record = {
	.id = IB_SA_ATTR_PATH_REC,
	.bytes = BYTES,
	.field = fields,
	.fields = sizeof(fields) / sizeof(fields[0]),
	.get = get_paths,
};
