/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the parts of the SA share. */
#ifndef SM_SA_PRIV_H
#define SM_SA_PRIV_H

#include "sm/sa.h"
#include "sm/sm_priv.h"

/* Status of the class, bits 15:8. */
#define SA_NO_RESOURCES 0x0100u
#define SA_INVALID 0x0200u
#define SA_NO_RECORDS 0x0300u
#define SA_TOO_MANY 0x0400u
#define SA_INVALID_GID 0x0500u
#define SA_INSUFFICIENT 0x0600u
#define SA_DENIED 0x0700u

#define SA_GID 16u
#define SA_MOST_RECORD 200u
#define SA_MOST_REPLY (16u << 20)
#define SA_LIFE_TIME 0x12 /* of packets, as SwitchInfo has it */
#define SA_PKEY 0xffffu
#define SA_QKEY 0x80010000u

/* Selector in the upper two bits of MTU, rate and life time. */
#define SA_EXACTLY(value) ((u8)(IB_SA_EQ << 6 | (value)))
#define SA_VALUE(byte) ((u8)((byte)&0x3f))

/**
 * struct sa_field - Where in a record the component of a mask bit is.
 * @at: In bits, the top one of the first byte being 0.
 * @bits: How many; 0: it is not compared.
 * @text: Only up to the first zero byte.
 */
struct sa_field {
	u16 at;
	u16 bits;
	bool text;
};

#define SA_BYTES(byte, count)                         \
	{                                             \
		.at = 8 * (byte), .bits = 8 * (count) \
	}
#define SA_BITS(byte, first, count)                         \
	{                                                   \
		.at = 8 * (byte) + (first), .bits = (count) \
	}
#define SA_TEXT(byte, count)                                        \
	{                                                           \
		.at = 8 * (byte), .bits = 8 * (count), .text = true \
	}

struct sa_query;

/**
 * struct sa_attribute - An attribute that it has.
 * @id: enum of IB_SA_ATTR_*.
 * @bytes: Of a record, with what fills it up to a multiple of 8.
 * @fields: Of @field.
 * @field: By mask bit.
 * @get: Offers all records that could be meant to sa_offer().
 * @offer: Or: offers those of a port; for sa_each_port().
 * @set: Does it, and puts the record of the answer to @asked.
 * @remove: Likewise.
 * @multi: SubnAdmGetMulti. Puts another attribute to @q, whose records it offers.
 * @no_table: There is one at most.
 */
struct sa_attribute {
	u16 id;
	u16 bytes;
	u16 fields;
	const struct sa_field *field;
	void (*get)(struct sa_query *q);
	bool (*offer)(struct sa_query *q, u32 port);
	u16 (*set)(struct sa_query *q);
	u16 (*remove)(struct sa_query *q);
	u16 (*multi)(struct sa_query *q);
	bool no_table;
};

/**
 * struct sa_query - A request.
 * @sa: SA.
 * @net: As the last sweep left it.
 * @from: Who asks.
 * @now_ns: When.
 * @attribute: Which.
 * @asked: Record of the request.
 * @asked_bytes: Of it; the rest is 0.
 * @mask: Which components of it count.
 * @modifier: Attribute modifier.
 * @method: Get or GetTable, ....
 * @trusted: Has the SM_Key, and may see all.
 * @status: 0 so far, or why not.
 * @out: Answer; records begin at IB_MGMT_SA_HDR.
 * @bytes: Of it.
 * @room: Likewise.
 * @count: Records in it.
 */
struct sa_query {
	struct sa *sa;
	const struct sm_net *net;
	const struct sa_peer *from;
	u64 now_ns;
	const struct sa_attribute *attribute;
	u8 asked[SA_MOST_RECORD];
	size_t asked_bytes;
	u64 mask;
	u32 modifier;
	u8 method;
	bool trusted;
	u16 status;
	u8 *out;
	size_t bytes;
	size_t room;
	u32 count;
};

/**
 * struct sa_service - A service that somebody offers.
 * @until_ns: End of its lease; UINT64_MAX: never.
 * @record: ServiceRecord.
 */
struct sa_service {
	u64 until_ns;
	u8 record[176];
};

/**
 * struct sa_subscription - Somebody wants to hear of something.
 * @who: Who.
 * @guid: Its port.
 * @number: SubscriberEnum.
 * @info: InformInfo.
 */
struct sa_subscription {
	struct sa_peer who;
	u64 guid;
	u16 number;
	u8 info[36];
};

/**
 * struct sa - The SA.
 * @sm: Manager.
 * @ops: Surroundings.
 * @ctx: Handed to @ops.
 * @service: Services.
 * @services: How many.
 * @service_room: Of @service.
 * @service_ends_ns: No lease ends before.
 * @subscription: Subscriptions.
 * @subscriptions: How many.
 * @subscription_room: Of @subscription.
 * @numbers: Subscriptions so far, for their numbers.
 * @mgids: MGIDs made so far.
 * @guids: GUIDs made so far.
 * @tid: Of the last report.
 * @present: GUIDs of ports that were there after the last sweep, sorted.
 * @presents: How many.
 * @stats: Counters.
 */
struct sa {
	struct sm *sm;
	const struct sa_ops *ops;
	void *ctx;
	struct sa_service *service;
	u32 services, service_room;
	u64 service_ends_ns;
	struct sa_subscription *subscription;
	u32 subscriptions, subscription_room;
	u16 numbers;
	u32 mgids;
	u32 guids;
	u32 tid;
	u64 *present;
	u32 presents;
	struct sa_stats stats;
};

/* Numbers at any byte of a record. */
static inline u16 sa_get16(const u8 *at)
{
	return (u16)(at[0] << 8 | at[1]);
}

static inline u32 sa_get32(const u8 *at)
{
	return (u32)sa_get16(at) << 16 | sa_get16(at + 2);
}

static inline u64 sa_get64(const u8 *at)
{
	return (u64)sa_get32(at) << 32 | sa_get32(at + 4);
}

static inline void sa_put16(u8 *at, u16 value)
{
	at[0] = (u8)(value >> 8);
	at[1] = (u8)value;
}

static inline void sa_put32(u8 *at, u32 value)
{
	sa_put16(at, (u16)(value >> 16));
	sa_put16(at + 2, (u16)value);
}

static inline void sa_put64(u8 *at, u64 value)
{
	sa_put32(at, (u32)(value >> 32));
	sa_put32(at + 4, (u32)value);
}

/** sa_has() - Whether component @bit counts. */
static inline bool sa_has(const struct sa_query *q, u32 bit)
{
	return q->mask >> bit & 1;
}

/* sa.c */

/**
 * sa_offer() - A record that could be meant.
 * @q: Query.
 * @record: As many bytes as the attribute has.
 *
 * Return: false if no more can be taken.
 */
bool sa_offer(struct sa_query *q, const u8 *record);

/**
 * sa_each_port() - Of all ports, or of those of the node that has the LID in the first component.
 * @q: Query.
 * @offer: Offers their records. Returns false if no more can be taken.
 */
void sa_each_port(struct sa_query *q, bool (*offer)(struct sa_query *q, u32 port));

/** sa_put_gid() - GID of a port. @guid: Its GUID. */
void sa_put_gid(const struct sa *sa, u8 *gid, u64 guid);

/** sa_port_of_gid() - Index of the port with a LID that has a GID, or SM_NONE. */
u32 sa_port_of_gid(const struct sa *sa, const u8 *gid);

/** sa_room() - Room for one more element of an array. Return: false without memory, or beyond @most. */
bool sa_room(void **array, u32 count, u32 *room, size_t bytes, u32 most);

/* sa_match.c */

/** sa_matches() - Whether two records have the same components. @mask: Which. */
bool sa_matches(const struct sa_field *field, u32 fields, u64 mask, const u8 *a, const u8 *b);

/** sa_copy() - Copy components. @mask: Which. */
void sa_copy(const struct sa_field *field, u32 fields, u64 mask, u8 *to, const u8 *from);

/** enum sa_scale - In which order values are. */
enum sa_scale {
	SA_MTU,
	SA_RATE,
	SA_LIFE,
};

/**
 * struct sa_wish - What is asked of MTU, rate or life time.
 * @scale: Which of them.
 * @selector: enum ib_sa_selector; IB_SA_BEST if nothing is asked.
 * @value: As wished.
 */
struct sa_wish {
	enum sa_scale scale;
	u8 selector;
	u8 value;
};

/**
 * sa_wish() - Read one.
 * @q: Query.
 * @scale: Which.
 * @bit: Mask bit of its selector; that of the value follows.
 * @at: Its byte in the record.
 */
struct sa_wish sa_wish(const struct sa_query *q, enum sa_scale scale, u32 bit, u32 at);

/** sa_lower() - The smaller one. */
u8 sa_lower(enum sa_scale scale, u8 a, u8 b);

/** sa_suits() - Whether a value that is fixed is as wished. */
bool sa_suits(const struct sa_wish *wish, u8 is);

/**
 * sa_choose() - A value as wished, of those that are possible.
 * @wish: What is wished.
 * @limit: The largest MTU or rate, the shortest life time that can be.
 *
 * Return: It; -1 if there is none.
 */
int sa_choose(const struct sa_wish *wish, u8 limit);

/* sa_path.c */

/** sa_offer_way() - The path between two ports, as is asked for; or none, maybe with a status. */
void sa_offer_way(struct sa_query *q, u32 from, u32 to);

/** sa_port_rate() - enum ib_rate of a port's link; 0 if there is none. */
u8 sa_port_rate(const struct sm_port *port);

/** sa_port_mtu() - enum ib_mtu of a port. */
u8 sa_port_mtu(const struct sm_port *port);

/* sa_pkey.c */

/** sa_has_pkey() - Whether a port is in a partition, full member or not. */
bool sa_has_pkey(const struct sm_port *port, u16 pkey);

/**
 * sa_shared_pkey() - The P_Key by which a port can send to another one: not both are limited members.
 * @from: Port.
 * @to: Another, or the same.
 * @asked: Which partition; 0: any.
 *
 * Return: as it was asked for, else as @from has it; 0 if there is none.
 */
u16 sa_shared_pkey(const struct sm_port *from, const struct sm_port *to, u16 asked);

/* sa_mcmember.c */

/** sa_add_broadcast() - The group that exists from the start. Return: 0; -ENOMEM. */
int sa_add_broadcast(struct sa *sa);

/** sa_empty_groups() - Nobody is in any group. */
void sa_empty_groups(struct sa *sa);

/** sa_leave_all() - A port is gone. Return: Whether it was in a group. */
bool sa_leave_all(struct sa *sa, u64 guid);

/* sa_guids.c */

/** sa_set_guids() - &sa_attribute.set of GUIDInfoRecord. */
u16 sa_set_guids(struct sa_query *q);

/** sa_remove_guids() - Likewise @remove. */
u16 sa_remove_guids(struct sa_query *q);

/* sa_service.c */

/** sa_expire() - Forget services whose lease is over. */
void sa_expire(struct sa *sa, u64 now_ns);

/* sa_inform.c */

/** sa_report() - Something of ours has happened. @trap: 64 to 67. @gid: To what. */
void sa_report(struct sa *sa, u16 trap, const u8 *gid);

/** sa_unsubscribe_all() - A port is gone. */
void sa_unsubscribe_all(struct sa *sa, u64 guid);

/* The attributes, each where it is answered. */
extern const struct sa_attribute sa_class_port_info;
extern const struct sa_attribute sa_inform_info;
extern const struct sa_attribute sa_inform_info_record;
extern const struct sa_attribute sa_node_record;
extern const struct sa_attribute sa_port_info_record;
extern const struct sa_attribute sa_switch_record;
extern const struct sa_attribute sa_lft_record;
extern const struct sa_attribute sa_mft_record;
extern const struct sa_attribute sa_sm_info_record;
extern const struct sa_attribute sa_link_record;
extern const struct sa_attribute sa_guid_info_record;
extern const struct sa_attribute sa_service_record;
extern const struct sa_attribute sa_pkey_record;
extern const struct sa_attribute sa_path_record;
extern const struct sa_attribute sa_multipath_record;
extern const struct sa_attribute sa_mcmember_record;

#endif
