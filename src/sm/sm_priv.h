/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the parts of the manager share. */
#ifndef SM_SM_PRIV_H
#define SM_SM_PRIV_H

#include "sm/sm.h"

#define SM_NONE UINT32_MAX
#define SM_UNICAST_LIDS 0xc000u
#define SM_BLOCK 64u /* LIDs of a block of a linear forwarding table */
#define SM_NO_PORT 0xffu
#define SM_PKEY_BLOCK 32u
#define SM_GUID_BLOCK 8u
#define SM_MOST_PKEYS 1024u /* that are looked at */
#define SM_FIRST_MLID 0xc000u
#define SM_MOST_GROUPS 0x3fffu /* 0xffff is the permissive LID */
#define SM_MFT_ROWS 32u	       /* groups, and */
#define SM_MFT_PORTS 16u       /* ports of a block of a multicast forwarding table */

enum sm_node_type {
	SM_NODE_CA = 1,
	SM_NODE_SWITCH = 2,
};

/**
 * struct sm_port - A port of a node.
 * @guid: PortGUID; of a switch's port 0 alone.
 * @peer: Index of the port at the other end; SM_NONE: none, or not found.
 * @node: Index.
 * @lid: What it is to have; of external ports of a switch 0.
 * @num: Its number there.
 * @known: @info is here.
 * @pkeys: P_Key table of a port with a LID; NULL: not known.
 * @pkey_count: Of it; a multiple of SM_PKEY_BLOCK.
 * @guids: GUIDInfo, without the first entry; NULL: there is but @guid.
 * @guid_blocks: Blocks of it, when it was asked for; of another port 0.
 * @info: As it was read, or answered when it was set; newer fields are in what fills it up.
 */
struct sm_port {
	u64 guid;
	u32 peer;
	u32 node;
	u16 lid;
	u8 num;
	bool known;
	u16 pkey_count;
	u8 guid_blocks;
	u16 *pkeys;
	u64 *guids;
	struct ib_port_info info;
};

/**
 * struct sm_node - A node.
 * @guid: NodeGUID.
 * @first_port: Index of its port 0; the others follow.
 * @via: Index of the port whose far end it was found at first; SM_NONE: it is our own.
 * @sw: Index among switches; of others SM_NONE.
 * @type: enum sm_node_type, or a router.
 * @ports: Without port 0.
 * @info: NodeInfo.
 * @description: NodeDescription.
 */
struct sm_node {
	u64 guid;
	u32 first_port;
	u32 via;
	u32 sw;
	u8 type;
	u8 ports;
	struct ib_node_info info;
	u8 description[IB_SMP_DATA_SIZE];
};

/**
 * struct sm_mft - What a switch's multicast forwarding table says of some groups and some ports.
 * @want: By group: a bit for each port, as it is to be.
 * @set: The same, as the switch was told.
 * @known: It was.
 */
struct sm_mft {
	__be16 want[SM_MFT_ROWS];
	__be16 set[SM_MFT_ROWS];
	bool known;
};

/**
 * struct sm_switch - What only a switch has.
 * @node: Index.
 * @info: SwitchInfo as read.
 * @known: It is here.
 * @lft: Port by LID, all blocks up to the highest LID; NULL before routes are made.
 * @set: What the switch has been told, in blocks of @set_lids; NULL: nothing.
 * @set_lids: A multiple of SM_BLOCK.
 * @mft: Multicast forwarding table: for each block of groups all positions of ports.
 * @mft_blocks: How many blocks of groups.
 */
struct sm_switch {
	u32 node;
	u8 info[IB_SMP_DATA_SIZE];
	bool known;
	u8 *lft;
	u8 *set;
	u32 set_lids;
	struct sm_mft *mft;
	u32 mft_blocks;
};

/**
 * struct sm_other - Another manager.
 * @guid: As it says, like the rest.
 * @port: Index.
 * @activity: ActCount.
 * @priority: Its.
 * @state: enum sm_state.
 * @known: It has answered when it was asked last.
 * @absent: It has answered that there is none.
 * @declined: It would not be handed the subnet, when it was offered it in this sweep or poll.
 */
struct sm_other {
	u64 guid;
	u32 port;
	u32 activity;
	u8 priority;
	u8 state;
	bool known;
	bool absent;
	bool declined;
};

/**
 * struct sm_net - The subnet as one sweep has found it.
 * @node: All nodes.
 * @port: All ports.
 * @sw: All switches.
 * @nodes: How many.
 * @node_room: Of @node.
 * @ports: How many.
 * @port_room: Of @port.
 * @switches: How many.
 * @switch_room: Of @sw.
 * @other: Other managers.
 * @others: How many.
 * @other_room: Of @other.
 * @own: Index of our own port.
 * @links: Between ports that are known.
 * @has_guids: A port has further GUIDs.
 * @lids: One more than the highest LID.
 * @by_lid: Index of the port that has it, or SM_NONE; NULL before LIDs are given.
 * @by_guid: Nodes by GUID: indices + 1, an open table.
 * @slots: Of it; a power of two.
 */
struct sm_net {
	struct sm_node *node;
	struct sm_port *port;
	struct sm_switch *sw;
	u32 nodes, node_room;
	u32 ports, port_room;
	u32 switches, switch_room;
	struct sm_other *other;
	u32 others, other_room;
	u32 own;
	u32 links;
	bool has_guids;
	u32 lids;
	u32 *by_lid;
	u32 *by_guid;
	u32 slots;
};

/** enum sm_what - What a request asks or sets; @index of struct sm_request is of a port, if nothing is said. */
enum sm_what {
	SM_ASK_NODE, /* what is at the port's other end; SM_NONE: who we are */
	SM_ASK_DESCRIPTION,
	SM_ASK_SWITCH,
	SM_ASK_PORT,
	SM_ASK_PKEYS, /* @block of them */
	SM_ASK_GUIDS, /* @block of them */
	SM_ASK_OWN_PORT,
	SM_ASK_SM, /* @block: index in &sm_net.other */
	SM_SET_SWITCH,
	SM_SET_LFT, /* @block of it */
	SM_SET_MFT, /* @block: index in &sm_switch.mft */
	SM_SET_PORT,
	SM_SET_ACTIVE,
	SM_SET_GUIDS, /* @block of them */
	SM_TELL_SM,   /* @block: index in &sm_net.other, and enum sm_control << SM_CONTROL_SHIFT */
};

/* AttributeModifier of SMInfo, when it is set. */
enum sm_control {
	SM_HANDOVER = 1,
	SM_ACKNOWLEDGE,
	SM_DISABLE,
	SM_STAND_BY,
	SM_REDISCOVER,
};

#define SM_CONTROLS 6u
#define SM_CONTROL_SHIFT 24

struct sm_request {
	enum sm_what what;
	u32 index;
	u32 block;
};

enum sm_phase {
	SM_IDLE,
	SM_DISCOVER,
	SM_SWITCHES,
	SM_TABLES,
	SM_GROUPS,
	SM_PORTS,
	SM_ACTIVATE,
	SM_GUIDS, /* not of a sweep */
	SM_POLL,  /* nor this one */
};

/**
 * struct sm_slot - A request under way.
 * @tid: Its TID; 0: free.
 * @request: What it was.
 */
struct sm_slot {
	u64 tid;
	struct sm_request request;
};

/**
 * struct sm_lid - A port's LID, kept from sweep to sweep, even while the port is gone.
 * @guid: PortGUID; 0: free.
 * @lid: LID.
 */
struct sm_lid {
	u64 guid;
	u16 lid;
};

/* &sm_member.state, as in MCMemberRecord. */
#define SM_FULL_MEMBER 0x1u
#define SM_NON_MEMBER 0x2u
#define SM_SENDS_ONLY 0x4u
#define SM_FULL_SENDS_ONLY 0x8u
#define SM_RECEIVES (SM_FULL_MEMBER | SM_NON_MEMBER)
#define SM_KEEPS_GROUP (SM_FULL_MEMBER | SM_FULL_SENDS_ONLY)
#define SM_GROUP_RECORD_BYTES 56u

/**
 * struct sm_member - A port in a group.
 * @guid: PortGUID.
 * @state: Bits SM_FULL_MEMBER ....
 * @proxy: Somebody else has brought it in.
 */
struct sm_member {
	u64 guid;
	u8 state;
	bool proxy;
};

/**
 * struct sm_group - A multicast group.
 * @mlid: Its LID.
 * @stays: Even without members.
 * @record: MCMemberRecord without a member.
 * @member: Members.
 * @members: How many.
 * @room: Of @member.
 */
struct sm_group {
	u16 mlid;
	bool stays;
	u8 record[SM_GROUP_RECORD_BYTES];
	struct sm_member *member;
	u32 members;
	u32 room;
};

/**
 * struct sm_alias - A further GUID of a port.
 * @port: PortGUID.
 * @guid: What it is to have; 0: none, until it has none.
 * @entry: Of its GUIDInfo.
 */
struct sm_alias {
	u64 port;
	u64 guid;
	u16 entry;
};

/**
 * struct sm - The manager.
 * @ops: Its surroundings.
 * @ctx: Handed to @ops.
 * @options: As given, with defaults.
 * @net: As the last complete sweep left it; NULL: none has been.
 * @next: As the one that is on finds it.
 * @phase: Where that is.
 * @cursor: Of the phase: the next port or switch to look at.
 * @block: Of the switch at @cursor.
 * @work: Requests of SM_DISCOVER, a ring.
 * @work_head: Where the next one goes.
 * @work_tail: The oldest.
 * @work_room: Of @work.
 * @slot: What is under way.
 * @window: How many of these.
 * @outstanding: How many are not free.
 * @generation: Of TIDs.
 * @pumping: Somebody is sending already.
 * @again: Sweep again at the end.
 * @regroup: Groups in @changed are to be routed anew.
 * @ended: A sweep has, and nobody was told yet.
 * @trouble: Something of this sweep was lost or refused.
 * @up: See sm_is_up().
 * @state: See sm_state().
 * @guid: PortGUID of our own port; 0 before it is known.
 * @activity: ActCount of SMInfo.
 * @polled: GUID of who is, or shall be the master while we stand by.
 * @misses: How often it was not.
 * @poll: It is to be asked again.
 * @handed_to: GUID of who is told to be the master; 0: nobody.
 * @acknowledged: It has said that it is.
 * @taken_from: GUID of who has told us to be the master, and is to be told that we are; 0: nobody.
 * @meddled: Somebody else may have set switches and ports since the last sweep.
 * @told: A bit for each LID whose port knows that we are the master, and what it has asked for is to be asked anew.
 * @lid_of: LIDs by GUID, an open table.
 * @lid_slots: Of it; a power of two.
 * @lids_known: How many are in it.
 * @lid_taken: A bit for each LID that is somebody's.
 * @group: Groups by MLID, from SM_FIRST_MLID on; NULL: free.
 * @groups: Of it.
 * @changed: A bit for each MLID.
 * @alias: Further GUIDs of ports.
 * @aliases: How many.
 * @alias_room: Of @alias.
 * @realias: They are to be set where they are not.
 * @guids_port: Of SM_GUIDS: index of the port that was told last, of which block @block.
 * @stats: Counters.
 */
struct sm {
	const struct sm_ops *ops;
	void *ctx;
	struct sm_options options;
	struct sm_net *net;
	struct sm_net *next;
	enum sm_phase phase;
	u32 cursor;
	u32 block;
	struct sm_request *work;
	u32 work_head, work_tail, work_room;
	struct sm_slot *slot;
	u32 window;
	u32 outstanding;
	u64 generation;
	bool pumping;
	bool again;
	bool regroup;
	bool ended;
	bool trouble;
	bool up;
	enum sm_state state;
	u64 guid;
	u32 activity;
	u64 polled;
	u32 misses;
	bool poll;
	u64 handed_to;
	bool acknowledged;
	u64 taken_from;
	bool meddled;
	u64 told[SM_UNICAST_LIDS / 64];
	struct sm_lid *lid_of;
	u32 lid_slots;
	u32 lids_known;
	u64 lid_taken[SM_UNICAST_LIDS / 64];
	struct sm_group **group;
	u32 groups;
	u64 changed[SM_MOST_GROUPS / 64 + 1];
	struct sm_alias *alias;
	u32 aliases, alias_room;
	bool realias;
	u32 guids_port;
	struct sm_stats stats;
};

/* sm_net.c */

/** sm_net_new() - An empty subnet. Return: NULL without memory. */
struct sm_net *sm_net_new(void);

/** sm_net_free() - @net: May be NULL. */
void sm_net_free(struct sm_net *net);

/** sm_net_find() - Index of the node with a GUID, or SM_NONE. */
u32 sm_net_find(const struct sm_net *net, u64 guid);

/** sm_net_add() - A new node with its ports. @info: As answered. Return: its index; SM_NONE without memory. */
u32 sm_net_add(struct sm_net *net, const struct ib_node_info *info, u32 via);

/** sm_net_add_other() - A manager at a port, which has not answered yet. Return: its index; SM_NONE without memory. */
u32 sm_net_add_other(struct sm_net *net, u32 port);

/**
 * sm_net_path() - The directed route to a port's node, by that port if it is a CA's.
 * @net: Subnet.
 * @port: Index.
 * @smp: Gets hop count and initial path.
 *
 * Return: false if it is further than 63 hops.
 */
bool sm_net_path(const struct sm_net *net, u32 port, struct ib_smp *smp);

static inline struct sm_node *sm_node_of(const struct sm_net *net, u32 port)
{
	return &net->node[net->port[port].node];
}

static inline bool sm_is_switch(const struct sm_node *node)
{
	return node->type == SM_NODE_SWITCH;
}

/** sm_mft_rows() - How many groups the table of a switch holds: MulticastFDBCap. */
static inline u32 sm_mft_rows(const struct sm_switch *sw)
{
	return sw->known ? (u32)sw->info[4] << 8 | sw->info[5] : 0;
}

/** sm_port_state() - enum ib_port_state of a port that is known, else 0. */
static inline u8 sm_port_state(const struct sm_port *port)
{
	return port->known ? port->info.linkspeed_portstate & 0xf : 0;
}

/* sm.c */

/** sm_add_work() - Something to ask in SM_DISCOVER. Without memory the sweep fails. */
void sm_add_work(struct sm *sm, enum sm_what what, u32 index, u32 block);

/* sm_state.c */

/** sm_ask_other() - There may be a manager at a port: ask. */
void sm_ask_other(struct sm *sm, u32 port);

/** sm_other_answered() - An answer of SM_ASK_SM or SM_TELL_SM. @request: What it answers. */
void sm_other_answered(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp);

/** sm_other_failed() - No answer, or (@refused) no good one. */
void sm_other_failed(struct sm *sm, const struct sm_request *request, bool refused);

/** sm_fill_info() - What SM_ASK_SM or SM_TELL_SM says. */
void sm_fill_info(struct sm *sm, const struct sm_request *request, struct ib_smp *smp);

/** sm_own_port() - An answer of SM_ASK_OWN_PORT: a cable that has been cut, or has come, calls for a sweep. */
void sm_own_port(struct sm *sm, const struct ib_smp *smp);

/** sm_begin_poll() - Ask those that matter. Return: false if there is nobody to be asked. */
bool sm_begin_poll(struct sm *sm);

/** enum sm_verdict - Whose the subnet is. */
enum sm_verdict {
	SM_OURS,
	SM_THEIRS,
	SM_WAITS, /* another one is to hand it over, or is to be looked at again */
	SM_ASKS,  /* there is more to ask before that is clear */
};

/** sm_elect() - All that was asked in SM_DISCOVER or SM_POLL is answered. Changes the state. */
enum sm_verdict sm_elect(struct sm *sm);

/* sm_discover.c */

/** sm_found() - An answer of SM_DISCOVER. @request: What it answers. */
void sm_found(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp);

/** sm_net_at_hand() - What is being set: the subnet of the sweep that is on, else the one that is. */
static inline struct sm_net *sm_net_at_hand(const struct sm *sm)
{
	return sm->next ? sm->next : sm->net;
}

/* sm_lids.c */

/** sm_port_of_lid() - Index of the port that has a LID, or SM_NONE. @lid: Any. */
u32 sm_port_of_lid(const struct sm_net *net, u16 lid);

/** sm_port_of_guid() - Index of the port with a LID that has a GUID, be it a further one, or SM_NONE. */
u32 sm_port_of_guid(const struct sm *sm, const struct sm_net *net, u64 guid);

/** sm_forget_lids() - Somebody else may give others. */
void sm_forget_lids(struct sm *sm);

/** sm_knows_us() - Whether a port with a LID was told that we are the master. */
static inline bool sm_knows_us(const struct sm *sm, u16 lid)
{
	return sm->told[lid / 64] >> lid % 64 & 1;
}

/** sm_give_lids() - Every end point gets a LID: the one that it had, if it can. Return: 0; -ENOSPC, -ENOMEM. */
int sm_give_lids(struct sm *sm, struct sm_net *net);

/* sm_route.c */

/** sm_make_routes() - Fill all linear forwarding tables with shortest ways, evenly. Return: 0; -ENOMEM. */
int sm_make_routes(struct sm_net *net);

/** sm_home_of() - Index of the switch that a port with a LID hangs on, or is; or SM_NONE. */
u32 sm_home_of(const struct sm_net *net, u32 port);

/* sm_group.c */

/** sm_group_room() - How many groups the tables of all switches can hold. */
u32 sm_group_room(const struct sm *sm);

/** sm_group_find() - By MGID. Return: NULL if there is none. */
struct sm_group *sm_group_find(const struct sm *sm, const u8 *mgid);

/**
 * sm_group_add() - A group without members, whose @record is for the caller to fill.
 * @sm: Manager.
 * @wish: MLID that it would like, or 0.
 *
 * Return: NULL if no MLID is free, or without memory.
 */
struct sm_group *sm_group_add(struct sm *sm, u16 wish);

/** sm_group_remove() - Without it members hear nothing any more, after sm_regroup(). */
void sm_group_remove(struct sm *sm, struct sm_group *group);

/** sm_group_member() - Return: NULL if the port is no member. */
struct sm_member *sm_group_member(const struct sm_group *group, u64 guid);

/**
 * sm_group_set_member() - A port joins, leaves, or becomes something else; in effect after sm_regroup().
 * @sm: Manager.
 * @group: Group.
 * @member: As it is to be; state 0: no member.
 *
 * Return: 0; -ENOMEM.
 */
int sm_group_set_member(struct sm *sm, struct sm_group *group, const struct sm_member *member);

/** sm_groups_free() - All of them. */
void sm_groups_free(struct sm *sm);

/* sm_guids.c */

/**
 * sm_alias_set() - A port is to have a further GUID; in effect after sm_realias().
 * @sm: Manager.
 * @port: PortGUID.
 * @entry: Of its GUIDInfo; not 0.
 * @guid: GUID; 0: none.
 *
 * Return: 0; -ENOMEM.
 */
int sm_alias_set(struct sm *sm, u64 port, u32 entry, u64 guid);

/** sm_aliases_forget() - A port is gone. @port: PortGUID. */
void sm_aliases_forget(struct sm *sm, u64 port);

/** sm_alias_of() - What a port has, or is to have, in an entry of its GUIDInfo; 0: nothing. */
u64 sm_alias_of(const struct sm *sm, const struct sm_port *port, u32 entry);

/** sm_guid_is_free() - Whether no node, port or alias has a GUID. */
bool sm_guid_is_free(const struct sm *sm, u64 guid);

/** sm_next_guids() - As sm_next_setting(), of SM_GUIDS. */
bool sm_next_guids(struct sm *sm, struct sm_request *request);

/** sm_fill_guids() - What SM_SET_GUIDS says. */
void sm_fill_guids(const struct sm *sm, const struct sm_request *request, struct ib_smp *smp);

/** sm_keep_guids() - A block of GUIDInfo is as an answer says. Return: false without memory. */
bool sm_keep_guids(struct sm_net *net, const struct sm_request *request, const struct ib_smp *smp);

/** sm_guids_were_set() - SM_SET_GUIDS was answered. */
void sm_guids_were_set(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp);

/** sm_guids_were_refused() - Or refused. */
void sm_guids_were_refused(struct sm *sm, const struct sm_request *request);

/* sm_tree.c */

/** sm_mft_positions() - How many blocks of ports a switch has. */
u32 sm_mft_positions(const struct sm_net *net, const struct sm_switch *sw);

/** sm_make_trees() - Route all groups in a subnet that is new. Return: 0; -ENOMEM. */
int sm_make_trees(struct sm *sm, struct sm_net *net);

/** sm_make_changed_trees() - Route what has changed, in the subnet that is. Return: 0; -ENOMEM. */
int sm_make_changed_trees(struct sm *sm);

/* sm_apply.c */

/**
 * sm_next_setting() - What is to be set next in this phase.
 * @sm: Manager; its cursor moves.
 * @request: Out.
 *
 * Return: false if there is nothing more.
 */
bool sm_next_setting(struct sm *sm, struct sm_request *request);

/** sm_fill_setting() - What a request to set says. */
void sm_fill_setting(struct sm *sm, const struct sm_request *request, struct ib_smp *smp);

/** sm_was_set() - It was answered. */
void sm_was_set(struct sm *sm, const struct sm_request *request, const struct ib_smp *smp);

/** sm_inherit() - What switches were told in the last sweep, where they still have it. */
void sm_inherit(struct sm_net *net, struct sm_net *before);

#endif
