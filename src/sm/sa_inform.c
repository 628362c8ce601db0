// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* InformInfo: who wants to hear of which traps, and the reports that tell. */
#include <linux/byteorder.h>
#include <string.h>

#include "sm/sa_priv.h"

#define MOST_SUBSCRIPTIONS 65536u
#define NOTICE_BYTES 64u
#define INFO_BYTES 36u
#define ANY 0xffffu
#define ANY_PRODUCER 0xffffffu
#define CLASS_MANAGER 4u

/* Bytes of InformInfo. */
enum {
	AT_FIRST_LID = 16,
	AT_LAST_LID = 18,
	AT_GENERIC = 22,
	AT_SUBSCRIBE = 23,
	AT_TYPE = 24,
	AT_NUMBER = 26,
	AT_QPN = 28,
	AT_PRODUCER = 33,
};

/* Bytes of InformInfoRecord. */
enum {
	AT_ENUM = 16,
	AT_INFO = 24,
};

static const struct sa_field info_fields[] = {
	SA_BYTES(0, 16),	   /* GID */
	SA_BYTES(AT_FIRST_LID, 2), /* LIDRangeBegin */
	SA_BYTES(AT_LAST_LID, 2),  /* LIDRangeEnd */
	SA_BYTES(AT_GENERIC, 1),   /* IsGeneric */
	SA_BYTES(AT_TYPE, 2),	   /* Type */
	SA_BYTES(AT_NUMBER, 2),	   /* TrapNumber, or DeviceID */
	SA_BYTES(AT_PRODUCER, 3),  /* ProducerType, or VendorID */
};

#define INFO_FIELDS (sizeof(info_fields) / sizeof(info_fields[0]))

/* clang-format off */
static const struct sa_field record_fields[] = {
	SA_BYTES(0, 16),		    /* SubscriberGID */
	SA_BYTES(AT_ENUM, 2),		    /* SubscriberEnum */
	{0},
	SA_BYTES(AT_INFO, 16),		    /* GID */
	SA_BYTES(AT_INFO + AT_FIRST_LID, 2),/* LIDRangeBegin */
	SA_BYTES(AT_INFO + AT_LAST_LID, 2), /* LIDRangeEnd */
	{0},
	SA_BYTES(AT_INFO + AT_GENERIC, 1),  /* IsGeneric */
	SA_BYTES(AT_INFO + AT_SUBSCRIBE, 1),/* Subscribe */
	SA_BYTES(AT_INFO + AT_TYPE, 2),	    /* Type */
	SA_BYTES(AT_INFO + AT_NUMBER, 2),   /* TrapNumber, or DeviceID */
	SA_BYTES(AT_INFO + AT_QPN, 3),	    /* QPN */
	{0},
	SA_BITS(AT_INFO + AT_QPN + 3, 3, 5),/* RespTimeValue */
	{0},
	SA_BYTES(AT_INFO + AT_PRODUCER, 3), /* ProducerType, or VendorID */
};
/* clang-format on */

static u32 producer(const u8 *at)
{
	return (u32)at[0] << 16 | sa_get16(at + 1);
}

static bool is_zero_gid(const u8 *gid)
{
	static const u8 zero[SA_GID];

	return !memcmp(gid, zero, SA_GID);
}

static struct sa_subscription *find(const struct sa_query *q)
{
	for (u32 i = 0; i < q->sa->subscriptions; i++) {
		struct sa_subscription *s = &q->sa->subscription[i];

		if (s->who.lid == q->from->lid && s->who.qpn == q->from->qpn &&
		    sa_matches(info_fields, INFO_FIELDS, ~0ull, s->info, q->asked))
			return s;
	}
	return NULL;
}

static struct sa_subscription *add(struct sa *sa)
{
	void *array = sa->subscription;
	const bool ok = sa_room(&array, sa->subscriptions, &sa->subscription_room,
				sizeof(*sa->subscription), MOST_SUBSCRIPTIONS);

	sa->subscription = array;
	return ok ? &sa->subscription[sa->subscriptions++] : NULL;
}

static u16 subscribe(struct sa_query *q, u64 guid)
{
	struct sa_subscription *s = find(q);

	if (!s) {
		s = add(q->sa);
		if (!s)
			return SA_NO_RESOURCES;
		s->number = ++q->sa->numbers;
	}
	s->who = *q->from;
	s->guid = guid;
	q->asked[AT_QPN] = (u8)(q->from->qpn >> 16);
	sa_put16(q->asked + AT_QPN + 1, (u16)q->from->qpn);
	memcpy(s->info, q->asked, INFO_BYTES);
	return 0;
}

static u16 unsubscribe(struct sa_query *q)
{
	struct sa_subscription *s = find(q);

	if (!s)
		return SA_INVALID;
	*s = q->sa->subscription[--q->sa->subscriptions];
	return 0;
}

/* A mask is not used: all of it counts. */
static u16 set_inform_info(struct sa_query *q)
{
	const u32 port = sm_port_of_lid(q->net, q->from->lid);
	const u8 subscribes = q->asked[AT_SUBSCRIBE], generic = q->asked[AT_GENERIC];

	if (port == SM_NONE || subscribes > 1 || generic > 1)
		return SA_INVALID;
	if (!subscribes)
		return unsubscribe(q);
	if (!is_zero_gid(q->asked) && sa_port_of_gid(q->sa, q->asked) == SM_NONE)
		return SA_INVALID_GID;
	return subscribe(q, q->net->port[port].guid);
}

const struct sa_attribute sa_inform_info = {
	.id = IB_SA_ATTR_INFORM_INFO,
	.bytes = 40,
	.set = set_inform_info,
};

static void get_inform_info_records(struct sa_query *q)
{
	for (u32 i = 0; i < q->sa->subscriptions; i++) {
		const struct sa_subscription *s = &q->sa->subscription[i];
		u8 record[SA_MOST_RECORD] = {0};

		sa_put_gid(q->sa, record, s->guid);
		sa_put16(record + AT_ENUM, s->number);
		memcpy(record + AT_INFO, s->info, INFO_BYTES);
		if (!sa_offer(q, record))
			return;
	}
}

const struct sa_attribute sa_inform_info_record = {
	.id = IB_SA_ATTR_INFORM_INFO_REC,
	.bytes = 64,
	.field = record_fields,
	.fields = sizeof(record_fields) / sizeof(record_fields[0]),
	.get = get_inform_info_records,
};

void sa_unsubscribe_all(struct sa *sa, u64 guid)
{
	u32 kept = 0;

	for (u32 i = 0; i < sa->subscriptions; i++)
		if (sa->subscription[i].guid != guid)
			sa->subscription[kept++] = sa->subscription[i];
	sa->subscriptions = kept;
}

static bool is_from(const u8 *info, const u8 *notice)
{
	const u16 first = sa_get16(info + AT_FIRST_LID), last = sa_get16(info + AT_LAST_LID);
	const u16 issuer = sa_get16(notice + 6);

	if (!is_zero_gid(info))
		return !memcmp(info, notice + NOTICE_BYTES, SA_GID);
	return first == ANY || (issuer >= first && issuer <= last);
}

static bool wants(const u8 *info, const u8 *notice)
{
	const u16 type = sa_get16(info + AT_TYPE), number = sa_get16(info + AT_NUMBER);
	const u32 by = producer(info + AT_PRODUCER);

	return info[AT_GENERIC] == notice[0] >> 7 && (type == ANY || type == (notice[0] & 0x7f)) &&
	       (number == ANY || number == sa_get16(notice + 4)) &&
	       (by == ANY_PRODUCER || by == producer(notice + 1)) && is_from(info, notice);
}

static void send_report(struct sa *sa, const struct sa_subscription *s, const u8 *notice)
{
	struct ib_sa_mad mad;

	memset(&mad, 0, sizeof(mad));
	mad.mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad.mad_hdr.mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
	mad.mad_hdr.class_version = IB_SA_CLASS_VERSION;
	mad.mad_hdr.method = IB_MGMT_METHOD_REPORT;
	mad.mad_hdr.tid = cpu_to_be64(++sa->tid);
	mad.mad_hdr.attr_id = cpu_to_be16(IB_SA_ATTR_NOTICE);
	memcpy(mad.data, notice, NOTICE_BYTES + SA_GID);
	sa->stats.reports++;
	sa->ops->report(sa->ctx, &s->who, &mad);
}

/* Whoever is told may unsubscribe meanwhile: then one may be told twice or not at all. */
static void tell(struct sa *sa, const u8 *notice)
{
	for (u32 i = 0; i < sa->subscriptions; i++)
		if (wants(sa->subscription[i].info, notice))
			send_report(sa, &sa->subscription[i], notice);
}

void sa_report(struct sa *sa, u16 trap, const u8 *gid)
{
	const struct sm_net *net = sa->sm->net;
	u8 notice[NOTICE_BYTES + SA_GID] = {IB_NOTICE_TYPE_SM, 0, 0, CLASS_MANAGER};

	if (!net || net->own == SM_NONE)
		return;
	sa_put16(notice + 4, trap);
	sa_put16(notice + 6, sm_lid(sa->sm));
	memcpy(notice + 16, gid, SA_GID);
	sa_put_gid(sa, notice + NOTICE_BYTES, net->port[net->own].guid);
	tell(sa, notice);
}

/* As it came, with the GID of who sent it. */
void sa_trap(struct sa *sa, const u8 *notice)
{
	const struct sm_net *net = sa->sm->net;
	const u32 port = net ? sm_port_of_lid(net, sa_get16(notice + 6)) : SM_NONE;
	u8 gmp[NOTICE_BYTES + SA_GID] = {0};

	memcpy(gmp, notice, NOTICE_BYTES);
	if (port != SM_NONE)
		sa_put_gid(sa, gmp + NOTICE_BYTES, net->port[port].guid);
	tell(sa, gmp);
}
