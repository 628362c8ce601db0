// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Requests of subnet administration: what they are, and the frame of the answer. */
#include "sm/sa.h"

#include <linux/byteorder.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/sa_priv.h"

#define FIRST_ROOM 512u
#define FIRST_ELEMENTS 16u
#define LINK_LOCAL 0xfe80000000000000ull

static const struct sa_attribute *const attributes[] = {
	&sa_class_port_info,  &sa_inform_info,	 &sa_inform_info_record, &sa_node_record,
	&sa_port_info_record, &sa_switch_record, &sa_lft_record,	 &sa_mft_record,
	&sa_sm_info_record,   &sa_link_record,	 &sa_service_record,	 &sa_pkey_record,
	&sa_guid_info_record, &sa_path_record,	 &sa_mcmember_record,	 &sa_multipath_record,
};

struct sa *sa_new(struct sm *sm, const struct sa_ops *ops, void *ctx)
{
	struct sa *sa = base_zalloc(sizeof(*sa));

	if (!sa)
		return NULL;
	sa->sm = sm;
	sa->ops = ops;
	sa->ctx = ctx;
	if (!sa_add_broadcast(sa))
		return sa;
	base_free(sa);
	return NULL;
}

void sa_free(struct sa *sa)
{
	if (!sa)
		return;
	base_free(sa->service);
	base_free(sa->subscription);
	base_free(sa->present);
	base_free(sa);
}

void sa_get_stats(const struct sa *sa, struct sa_stats *stats)
{
	*stats = sa->stats;
}

bool sa_room(void **array, u32 count, u32 *room, size_t bytes, u32 most)
{
	const u32 wanted = *room ? 2 * *room : FIRST_ELEMENTS;
	void *larger;

	if (count < *room)
		return true;
	if (count >= most)
		return false;
	larger = base_realloc(*array, wanted * bytes);
	if (!larger)
		return false;
	*array = larger;
	*room = wanted;
	return true;
}

void sa_put_gid(const struct sa *sa, u8 *gid, u64 guid)
{
	sa_put64(gid, sa->sm->options.subnet_prefix);
	sa_put64(gid + 8, guid);
}

/* The default prefix is good in any subnet. */
u32 sa_port_of_gid(const struct sa *sa, const u8 *gid)
{
	const u64 prefix = sa_get64(gid);

	if (prefix != sa->sm->options.subnet_prefix && prefix != LINK_LOCAL)
		return SM_NONE;
	return sm_port_of_guid(sa->sm, sa->sm->net, sa_get64(gid + 8));
}

static bool widen(struct sa_query *q, size_t more)
{
	u8 *out;
	size_t room = q->room;

	while (room < q->bytes + more)
		room *= 2;
	if (room == q->room)
		return true;
	out = base_realloc(q->out, room);
	if (!out)
		return false;
	q->out = out;
	q->room = room;
	return true;
}

static bool append(struct sa_query *q, const u8 *record)
{
	const size_t bytes = q->attribute->bytes;

	if (q->bytes + bytes > SA_MOST_REPLY || !widen(q, bytes)) {
		q->status = SA_NO_RESOURCES;
		return false;
	}
	memcpy(q->out + q->bytes, record, bytes);
	q->bytes += bytes;
	q->count++;
	return true;
}

bool sa_offer(struct sa_query *q, const u8 *record)
{
	const struct sa_attribute *a = q->attribute;

	if (!sa_matches(a->field, a->fields, q->mask, q->asked, record))
		return true;
	if (q->method == IB_MGMT_METHOD_GET && q->count) {
		q->status = SA_TOO_MANY;
		return false;
	}
	return append(q, record);
}

static const struct sa_attribute *find_attribute(u16 id)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (attributes[i]->id == id)
			return attributes[i];
	return NULL;
}

void sa_each_port(struct sa_query *q, bool (*offer)(struct sa_query *q, u32 port))
{
	const struct sm_net *net = q->net;
	u32 first = 0, end = net->ports;

	if (sa_has(q, 0)) {
		const u32 port = sm_port_of_lid(net, sa_get16(q->asked));

		if (port == SM_NONE)
			return;
		first = sm_node_of(net, port)->first_port;
		end = first + sm_node_of(net, port)->ports + 1;
	}
	for (u32 port = first; port < end; port++)
		if (!offer(q, port))
			return;
}

static u16 get(struct sa_query *q)
{
	const struct sa_attribute *a = q->attribute;

	if ((!a->get && !a->offer) || (q->method == IB_SA_METHOD_GET_TABLE && a->no_table))
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	if (a->offer)
		sa_each_port(q, a->offer);
	else
		a->get(q);
	if (!q->status && !q->count && q->method == IB_MGMT_METHOD_GET)
		return SA_NO_RECORDS;
	return q->status;
}

/* The answer to a change has one record: what is there now, or was. */
static u16 change(struct sa_query *q, u16 (*how)(struct sa_query *q))
{
	u16 status;

	if (!how)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	status = how(q);
	if (!status)
		(void)append(q, q->asked);
	return status ? status : q->status;
}

static u16 dispatch(struct sa_query *q)
{
	switch (q->method) {
	case IB_MGMT_METHOD_GET:
	case IB_SA_METHOD_GET_TABLE:
		return get(q);
	case IB_MGMT_METHOD_SET:
		return change(q, q->attribute->set);
	case IB_SA_METHOD_DELETE:
		return change(q, q->attribute->remove);
	case IB_SA_METHOD_GET_MULTI:
		return q->attribute->multi ? q->attribute->multi(q)
					   : IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	default:
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD;
	}
}

/* Whose answer is a table. */
static bool is_for_many(u8 method)
{
	return method == IB_SA_METHOD_GET_TABLE || method == IB_SA_METHOD_GET_MULTI;
}

static bool is_known_method(u8 method)
{
	return method == IB_MGMT_METHOD_GET || method == IB_MGMT_METHOD_SET ||
	       method == IB_SA_METHOD_DELETE || is_for_many(method);
}

static u16 handle(struct sa_query *q, const struct ib_sa_mad *head, const u8 *record, size_t bytes)
{
	const u64 key = be64_to_cpu(head->sa_hdr.sm_key);

	if (head->mad_hdr.base_version != IB_MGMT_BASE_VERSION ||
	    head->mad_hdr.class_version != IB_SA_CLASS_VERSION)
		return IB_MGMT_MAD_STATUS_BAD_VERSION;
	if (!is_known_method(q->method))
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD;
	q->attribute = find_attribute(be16_to_cpu(head->mad_hdr.attr_id));
	if (!q->attribute)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	if (key && key != q->sa->sm->options.key)
		return SA_DENIED;
	if (!q->net || !q->net->by_lid)
		return IB_MGMT_MAD_STATUS_BUSY;
	if (bytes + 7 < q->attribute->bytes)
		return SA_INVALID;
	q->trusted = key != 0;
	q->mask = be64_to_cpu(head->sa_hdr.comp_mask);
	q->modifier = be32_to_cpu(head->mad_hdr.attr_mod);
	q->asked_bytes = bytes < SA_MOST_RECORD ? bytes : SA_MOST_RECORD;
	memcpy(q->asked, record, q->asked_bytes);
	return dispatch(q);
}

/* A response is not to be answered, nor is what expects none. */
static bool is_request(const struct ib_sa_mad *head)
{
	const u8 method = head->mad_hdr.method;

	return head->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_ADM &&
	       !(method & IB_MGMT_METHOD_RESP) && method != IB_MGMT_METHOD_TRAP &&
	       method != IB_MGMT_METHOD_TRAP_REPRESS;
}

static void write_head(const struct sa_query *q, const struct ib_sa_mad *asked, u16 status)
{
	struct ib_sa_mad head;

	memset(&head, 0, sizeof(head));
	head.mad_hdr = asked->mad_hdr;
	head.mad_hdr.method = q->method == IB_MGMT_METHOD_SET
				      ? IB_MGMT_METHOD_GET_RESP
				      : (u8)(q->method | IB_MGMT_METHOD_RESP);
	head.mad_hdr.status = cpu_to_be16(status);
	head.mad_hdr.class_specific = 0;
	head.sa_hdr.comp_mask = asked->sa_hdr.comp_mask;
	if (!status) {
		head.mad_hdr.attr_id = cpu_to_be16(q->attribute->id);
		head.sa_hdr.attr_offset = cpu_to_be16((u16)(q->attribute->bytes / 8));
	}
	memcpy(q->out, &head, IB_MGMT_SA_HDR);
}

static void answer(struct sa_query *q, const struct ib_sa_mad *head, const u8 *record, size_t bytes,
		   struct sa_reply *reply)
{
	const u16 status = handle(q, head, record, bytes);

	write_head(q, head, status);
	reply->mad = q->out;
	reply->bytes = status ? IB_MGMT_SA_HDR : q->bytes;
	reply->is_table = is_for_many(q->method) && !status;
	q->sa->stats.answered++;
	q->sa->stats.refused += status != 0;
}

void sa_request(struct sa *sa, const struct sa_peer *from, u64 now_ns, const void *mad,
		size_t bytes, struct sa_reply *reply)
{
	struct sa_query q = {.sa = sa,
			     .net = sa->sm->net,
			     .from = from,
			     .now_ns = now_ns,
			     .bytes = IB_MGMT_SA_HDR,
			     .room = FIRST_ROOM};
	struct ib_sa_mad head;

	*reply = (struct sa_reply){0};
	memset(&head, 0, sizeof(head));
	memcpy(&head, mad, bytes < IB_MGMT_SA_HDR ? bytes : IB_MGMT_SA_HDR);
	q.method = head.mad_hdr.method;
	if (bytes >= IB_MGMT_SA_HDR && is_request(&head))
		q.out = base_zalloc(q.room);
	if (!q.out) {
		sa->stats.dropped++;
		return;
	}
	sa_expire(sa, now_ns);
	answer(&q, &head, (const u8 *)mad + IB_MGMT_SA_HDR, bytes - IB_MGMT_SA_HDR, reply);
}

void sa_retire(struct sa *sa)
{
	sa->services = 0;
	sa->subscriptions = 0;
	sa->presents = 0;
	sa->sm->aliases = 0;
	sa_empty_groups(sa);
}

/* Sorted, for LIDs are given by GUID in no order. */
static int compare_guids(const void *a, const void *b)
{
	const u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 *list_ports(const struct sm_net *net, u32 *count)
{
	u64 *guid = base_zalloc_array(net->lids ? net->lids : 1, sizeof(*guid));

	*count = 0;
	for (u32 lid = 1; guid && lid < net->lids; lid++)
		if (net->by_lid[lid] != SM_NONE)
			guid[(*count)++] = net->port[net->by_lid[lid]].guid;
	if (guid)
		qsort(guid, *count, sizeof(*guid), compare_guids);
	return guid;
}

static void port_came(struct sa *sa, u64 guid)
{
	u8 gid[SA_GID];

	sa_put_gid(sa, gid, guid);
	sa_report(sa, 64, gid);
}

/* Returns whether it was in a group. */
static bool port_went(struct sa *sa, u64 guid)
{
	bool was;
	u8 gid[SA_GID];

	sa_unsubscribe_all(sa, guid);
	sm_aliases_forget(sa->sm, guid);
	was = sa_leave_all(sa, guid);
	sa_put_gid(sa, gid, guid);
	sa_report(sa, 65, gid);
	return was;
}

/* Both lists are sorted: what is in one alone has come, or gone. */
void sa_swept(struct sa *sa)
{
	u32 i = 0, k = 0, count;
	const struct sm_net *net = sa->sm->net;
	u64 *guid = net && net->by_lid ? list_ports(net, &count) : NULL;
	bool left = false;

	if (!guid)
		return; /* the next sweep tells */
	while (i < sa->presents || k < count) {
		const u64 was = i < sa->presents ? sa->present[i] : UINT64_MAX;
		const u64 is = k < count ? guid[k] : UINT64_MAX;

		if (was < is)
			left |= port_went(sa, was);
		else if (is < was)
			port_came(sa, is);
		i += was <= is;
		k += is <= was;
	}
	base_free(sa->present);
	sa->present = guid;
	sa->presents = count;
	if (left)
		sm_regroup(sa->sm);
}
