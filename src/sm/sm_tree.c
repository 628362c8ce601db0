// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Multicast forwarding tables: for each group a tree of switches from that of a member, without the branches that
 * lead to nobody. A link carries a group's packets only in directions in which there is a receiver; no switch
 * takes part whose table is too small for the group.
 */
#include <errno.h>
#include <linux/byteorder.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/sm_priv.h"

/**
 * struct limb - A switch, as one group sees it.
 * @up: Its port towards the root; SM_NONE: the root, or not reached.
 * @members: At it and beyond it.
 * @receivers: Of these.
 * @reached: It is in the tree.
 */
struct limb {
	u32 up;
	u32 members;
	u32 receivers;
	bool reached;
};

/**
 * struct tree - What is needed meanwhile.
 * @sm: Manager.
 * @net: Subnet.
 * @limb: By switch.
 * @order: Switches as they were reached, the root first.
 * @count: Of these.
 */
struct tree {
	const struct sm *sm;
	struct sm_net *net;
	struct limb *limb;
	u32 *order;
	u32 count;
};

u32 sm_mft_positions(const struct sm_net *net, const struct sm_switch *sw)
{
	return net->node[sw->node].ports / SM_MFT_PORTS + 1;
}

static u32 row_of(u16 mlid)
{
	return mlid - SM_FIRST_MLID;
}

static bool can_carry(const struct sm_switch *sw, u16 mlid)
{
	return row_of(mlid) < sm_mft_rows(sw);
}

static __be16 *word_of(const struct sm_net *net, u32 sw, u16 mlid, u32 position)
{
	const struct sm_switch *s = &net->sw[sw];
	const u32 block = row_of(mlid) / SM_MFT_ROWS;

	return &s->mft[block * sm_mft_positions(net, s) + position].want[row_of(mlid) % SM_MFT_ROWS];
}

static void lead_to(const struct sm_net *net, u32 port, u16 mlid)
{
	const u32 num = net->port[port].num;
	__be16 *word = word_of(net, sm_node_of(net, port)->sw, mlid, num / SM_MFT_PORTS);

	*word |= cpu_to_be16((u16)(1u << num % SM_MFT_PORTS));
}

static void clear(const struct sm_net *net, u16 mlid)
{
	for (u32 i = 0; i < net->switches; i++)
		for (u32 p = 0; p < sm_mft_positions(net, &net->sw[i]); p++)
			*word_of(net, i, mlid, p) = 0;
}

/* Members at their switches. Returns that of the first, for the root, or SM_NONE. */
static u32 place_members(struct tree *t, const struct sm_group *group)
{
	const struct sm_net *net = t->net;
	u32 root = SM_NONE;

	for (u32 i = 0; i < group->members; i++) {
		const u32 port = sm_port_of_guid(t->sm, net, group->member[i].guid);
		const u32 home = port == SM_NONE ? SM_NONE : sm_home_of(net, port);

		if (home == SM_NONE || !can_carry(&net->sw[home], group->mlid))
			continue;
		if (root == SM_NONE)
			root = home;
		t->limb[home].members++;
		if (!(group->member[i].state & SM_RECEIVES))
			continue;
		t->limb[home].receivers++;
		lead_to(net, net->port[port].num ? net->port[port].peer : port, group->mlid);
	}
	return root;
}

static void reach(struct tree *t, u32 sw, u32 up)
{
	t->limb[sw].reached = true;
	t->limb[sw].up = up;
	t->order[t->count++] = sw;
}

/* Where there are several ways, different groups take different ones. */
static void grow(struct tree *t, u32 root, u16 mlid)
{
	const struct sm_net *net = t->net;

	reach(t, root, SM_NONE);
	for (u32 i = 0; i < t->count; i++) {
		const struct sm_node *node = &net->node[net->sw[t->order[i]].node];

		for (u32 n = 0; n < node->ports; n++) {
			const u32 port = node->first_port + 1 + (n + mlid) % node->ports;
			const u32 peer = net->port[port].peer;
			const u32 sw = peer == SM_NONE ? SM_NONE : sm_node_of(net, peer)->sw;

			if (sw != SM_NONE && !t->limb[sw].reached && can_carry(&net->sw[sw], mlid))
				reach(t, sw, peer);
		}
	}
}

/* From the leaves on: what each branch has. A member that was not reached counts nowhere. */
static void prune(struct tree *t, u16 mlid)
{
	const struct sm_net *net = t->net;
	u32 receivers = 0;

	for (u32 i = 0; i < t->count; i++)
		receivers += t->limb[t->order[i]].receivers;
	for (u32 i = t->count; i-- > 1;) {
		const struct limb *limb = &t->limb[t->order[i]];
		const u32 down = net->port[limb->up].peer;
		struct limb *above = &t->limb[sm_node_of(net, down)->sw];

		if (!limb->members)
			continue;
		above->members += limb->members;
		above->receivers += limb->receivers;
		if (limb->receivers)
			lead_to(net, down, mlid);
		if (limb->receivers < receivers)
			lead_to(net, limb->up, mlid);
	}
}

static void make_tree(struct tree *t, u32 row)
{
	const struct sm_group *group = row < t->sm->groups ? t->sm->group[row] : NULL;
	u32 root;

	clear(t->net, (u16)(SM_FIRST_MLID + row));
	if (!group)
		return;
	memset(t->limb, 0, t->net->switches * sizeof(*t->limb));
	t->count = 0;
	root = place_members(t, group);
	if (root == SM_NONE)
		return;
	grow(t, root, group->mlid);
	prune(t, group->mlid);
}

static int begin(struct tree *t, const struct sm *sm, struct sm_net *net)
{
	*t = (struct tree){.sm = sm, .net = net};
	t->limb = base_zalloc_array(net->switches, sizeof(*t->limb));
	t->order = base_zalloc_array(net->switches, sizeof(*t->order));
	return t->limb && t->order ? 0 : -ENOMEM;
}

static void end(struct tree *t)
{
	base_free(t->limb);
	base_free(t->order);
}

/* Room for so many groups in all switches; of what is new nobody knows what is set. */
static int make_room(struct sm_net *net, u32 blocks)
{
	for (u32 i = 0; i < net->switches; i++) {
		struct sm_switch *sw = &net->sw[i];
		const u32 positions = sm_mft_positions(net, sw);
		struct sm_mft *mft;

		if (sw->mft_blocks >= blocks)
			continue;
		mft = base_realloc(sw->mft, (size_t)blocks * positions * sizeof(*mft));
		if (!mft)
			return -ENOMEM;
		memset(mft + sw->mft_blocks * positions, 0,
		       (size_t)(blocks - sw->mft_blocks) * positions * sizeof(*mft));
		sw->mft = mft;
		sw->mft_blocks = blocks;
	}
	return 0;
}

/* Blocks that hold all groups which are there, or were: these are to be emptied. */
static u32 blocks_needed(const struct sm *sm, const struct sm_net *net)
{
	u32 rows = sm->groups, blocks;

	while (rows && !sm->group[rows - 1])
		rows--;
	blocks = (rows + SM_MFT_ROWS - 1) / SM_MFT_ROWS;
	for (u32 i = 0; i < net->switches; i++)
		if (net->sw[i].mft_blocks > blocks)
			blocks = net->sw[i].mft_blocks;
	return blocks;
}

static bool take_change(struct sm *sm, u32 row)
{
	const u64 bit = 1ull << row % 64;
	const bool was = sm->changed[row / 64] & bit;

	sm->changed[row / 64] &= ~bit;
	return was;
}

/* What was not made is to be made still. */
static int make_trees(struct sm *sm, struct sm_net *net, bool all)
{
	const u32 blocks = blocks_needed(sm, net);
	struct tree t;
	int ret = begin(&t, sm, net);

	if (!ret)
		ret = make_room(net, blocks);
	for (u32 row = 0; !ret && row < blocks * SM_MFT_ROWS && row < SM_MOST_GROUPS; row++)
		if (take_change(sm, row) || all)
			make_tree(&t, row);
	if (!ret)
		sm->regroup = false;
	end(&t);
	return ret;
}

int sm_make_trees(struct sm *sm, struct sm_net *net)
{
	return make_trees(sm, net, true);
}

int sm_make_changed_trees(struct sm *sm)
{
	return make_trees(sm, sm->net, false);
}
