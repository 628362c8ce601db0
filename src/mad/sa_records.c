// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Records of the SA as programs have them and as they are on the wire (IBA 15.2.5), and the queries for each kind. */
#include <linux/err.h>
#include <rdma/ib_pack.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "mad/sa_query.h"

#define SERVICE_BYTES 176

#define FIELD(type, member, word, bit, bits)                                                  \
	{                                                                                     \
		offsetof(struct type, member), sizeof(((struct type *)0)->member), word, bit, \
			bits, NULL                                                            \
	}
#define RESERVED(word, bit, bits)           \
	{                                   \
		0, 0, word, bit, bits, NULL \
	}

static const struct ib_field path_fields[] = {
	FIELD(sa_path_rec, service_id, 0, 0, 64),
	FIELD(sa_path_rec, dgid, 2, 0, 128),
	FIELD(sa_path_rec, sgid, 6, 0, 128),
	FIELD(sa_path_rec, ib.dlid, 10, 0, 16),
	FIELD(sa_path_rec, ib.slid, 10, 16, 16),
	FIELD(sa_path_rec, ib.raw_traffic, 11, 0, 1),
	RESERVED(11, 1, 3),
	FIELD(sa_path_rec, flow_label, 11, 4, 20),
	FIELD(sa_path_rec, hop_limit, 11, 24, 8),
	FIELD(sa_path_rec, traffic_class, 12, 0, 8),
	FIELD(sa_path_rec, reversible, 12, 8, 1),
	FIELD(sa_path_rec, numb_path, 12, 9, 7),
	FIELD(sa_path_rec, pkey, 12, 16, 16),
	FIELD(sa_path_rec, qos_class, 13, 0, 12),
	FIELD(sa_path_rec, sl, 13, 12, 4),
	FIELD(sa_path_rec, mtu_selector, 13, 16, 2),
	FIELD(sa_path_rec, mtu, 13, 18, 6),
	FIELD(sa_path_rec, rate_selector, 13, 24, 2),
	FIELD(sa_path_rec, rate, 13, 26, 6),
	FIELD(sa_path_rec, packet_life_time_selector, 14, 0, 2),
	FIELD(sa_path_rec, packet_life_time, 14, 2, 6),
	FIELD(sa_path_rec, preference, 14, 8, 8),
	RESERVED(14, 16, 48),
};

/* The MTU is an enum there. */
struct mcmember {
	struct ib_sa_mcmember_rec rec;
	u8 mtu;
};

#define MEMBER(member, word, bit, bits) FIELD(mcmember, rec.member, word, bit, bits)

static const struct ib_field mcmember_fields[] = {
	MEMBER(mgid, 0, 0, 128),
	MEMBER(port_gid, 4, 0, 128),
	MEMBER(qkey, 8, 0, 32),
	MEMBER(mlid, 9, 0, 16),
	MEMBER(mtu_selector, 9, 16, 2),
	FIELD(mcmember, mtu, 9, 18, 6),
	MEMBER(traffic_class, 9, 24, 8),
	MEMBER(pkey, 10, 0, 16),
	MEMBER(rate_selector, 10, 16, 2),
	MEMBER(rate, 10, 18, 6),
	MEMBER(packet_life_time_selector, 10, 24, 2),
	MEMBER(packet_life_time, 10, 26, 6),
	MEMBER(sl, 11, 0, 4),
	MEMBER(flow_label, 11, 4, 20),
	MEMBER(hop_limit, 11, 24, 8),
	MEMBER(scope, 12, 0, 4),
	MEMBER(join_state, 12, 4, 4),
	MEMBER(proxy_join, 12, 8, 1),
	RESERVED(12, 9, 23),
};

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

void ib_sa_pack_path(struct sa_path_rec *rec, void *attribute)
{
	ib_pack(path_fields, COUNT(path_fields), rec, attribute);
}

void ib_sa_unpack_path(void *attribute, struct sa_path_rec *rec)
{
	ib_unpack(path_fields, COUNT(path_fields), attribute, rec);
}

static void pack_mcmember(const struct ib_sa_mcmember_rec *rec, void *attribute)
{
	struct mcmember m = {.rec = *rec, .mtu = (u8)rec->mtu};

	ib_pack(mcmember_fields, COUNT(mcmember_fields), &m, attribute);
}

static void unpack_mcmember(void *attribute, struct ib_sa_mcmember_rec *rec)
{
	struct mcmember m;

	memset(&m, 0, sizeof(m));
	ib_unpack(mcmember_fields, COUNT(mcmember_fields), attribute, &m);
	*rec = m.rec;
	rec->mtu = (enum ib_mtu)m.mtu;
}

/* All but a few members are bytes already. */
struct service {
	__be64 id;
	union ib_gid gid;
	__be16 pkey;
	__be16 reserved;
	__be32 lease;
	u8 key[16];
	u8 name[64];
	u8 data8[16];
	__be16 data16[8];
	__be32 data32[4];
	__be64 data64[2];
};

_Static_assert(sizeof(struct service) == SERVICE_BYTES, "ServiceRecord");

static void pack_service(const struct ib_sa_service_rec *rec, void *attribute)
{
	struct service s = {.id = cpu_to_be64(rec->id),
			    .gid = rec->gid,
			    .pkey = rec->pkey,
			    .lease = cpu_to_be32(rec->lease)};

	memcpy(s.key, rec->key, sizeof(s.key));
	memcpy(s.name, rec->name, sizeof(s.name));
	memcpy(s.data8, rec->data8, sizeof(s.data8));
	for (int i = 0; i < 8; i++)
		s.data16[i] = cpu_to_be16(rec->data16[i]);
	for (int i = 0; i < 4; i++)
		s.data32[i] = cpu_to_be32(rec->data32[i]);
	for (int i = 0; i < 2; i++)
		s.data64[i] = cpu_to_be64(rec->data64[i]);
	memcpy(attribute, &s, sizeof(s));
}

static void unpack_service(const void *attribute, struct ib_sa_service_rec *rec)
{
	struct service s;

	memset(rec, 0, sizeof(*rec));
	memcpy(&s, attribute, sizeof(s));
	rec->id = be64_to_cpu(s.id);
	rec->gid = s.gid;
	rec->pkey = s.pkey;
	rec->lease = be32_to_cpu(s.lease);
	memcpy(rec->key, s.key, sizeof(s.key));
	memcpy(rec->name, s.name, sizeof(s.name));
	memcpy(rec->data8, s.data8, sizeof(s.data8));
	for (int i = 0; i < 8; i++)
		rec->data16[i] = be16_to_cpu(s.data16[i]);
	for (int i = 0; i < 4; i++)
		rec->data32[i] = be32_to_cpu(s.data32[i]);
	for (int i = 0; i < 2; i++)
		rec->data64[i] = be64_to_cpu(s.data64[i]);
}

static int check_method(const struct sa_question *question)
{
	if (question->method == IB_MGMT_METHOD_GET || question->method == IB_MGMT_METHOD_SET ||
	    question->method == IB_SA_METHOD_DELETE)
		return 0;
	return base_refuse(-EINVAL, SA_METHOD, question->method, question->attribute);
}

/* Finishes @like, which is copied, and sends it. */
static int ask_from(const struct ib_sa_query *like, struct sa_port *port,
		    const struct sa_question *question, unsigned long timeout_ms, gfp_t gfp_mask,
		    struct ib_sa_query **out)
{
	struct ib_sa_query *query = base_zalloc(sizeof(*query));

	if (!query)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*query));
	*query = *like;
	return sa_query_send(query, port, question, timeout_ms, gfp_mask, out);
}

static int ask(const struct ib_sa_query *like, struct ib_device *device, u32 port_num,
	       const struct sa_question *question, unsigned long timeout_ms, gfp_t gfp_mask,
	       struct ib_sa_query **out)
{
	struct sa_port *port = sa_port_of(device, port_num);

	if (!port)
		return base_refuse(-ENODEV, SA_NO_PORT, port_num);
	return ask_from(like, port, question, timeout_ms, gfp_mask, out);
}

static void tell_path(struct ib_sa_query *query, int status, void *record)
{
	struct sa_path_rec rec;

	if (!record) {
		query->callback.path(status, NULL, 0, query->context);
		return;
	}
	memset(&rec, 0, sizeof(rec));
	rec.rec_type = SA_PATH_REC_TYPE_IB;
	ib_sa_unpack_path(record, &rec);
	query->callback.path(status, &rec, 1, query->context);
}

int ib_sa_path_rec_get(struct ib_sa_client *client, struct ib_device *device, u32 port_num,
		       struct sa_path_rec *rec, ib_sa_comp_mask comp_mask, unsigned long timeout_ms,
		       gfp_t gfp_mask,
		       void (*callback)(int status, struct sa_path_rec *resp, unsigned int num_prs,
					void *context),
		       void *context, struct ib_sa_query **query)
{
	const struct ib_sa_query like = {
		.client = client, .tell = tell_path, .callback.path = callback, .context = context};
	struct sa_question question = {.method = IB_MGMT_METHOD_GET,
				       .attribute = IB_SA_ATTR_PATH_REC,
				       .comp_mask = comp_mask};

	ib_sa_pack_path(rec, question.record);
	return ask(&like, device, port_num, &question, timeout_ms, gfp_mask, query);
}

static void tell_mcmember(struct ib_sa_query *query, int status, void *record)
{
	struct ib_sa_mcmember_rec rec;

	if (record)
		unpack_mcmember(record, &rec);
	query->callback.mcmember(status, record ? &rec : NULL, query->context);
}

int ib_sa_mcmember_rec_query(struct ib_sa_client *client, struct ib_device *device, u32 port_num,
			     u8 method, struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask comp_mask,
			     unsigned long timeout_ms, gfp_t gfp_mask,
			     void (*callback)(int status, struct ib_sa_mcmember_rec *resp,
					      void *context),
			     void *context, struct ib_sa_query **query)
{
	const struct ib_sa_query like = {.client = client,
					 .tell = tell_mcmember,
					 .callback.mcmember = callback,
					 .context = context};
	struct sa_question question = {
		.method = method, .attribute = IB_SA_ATTR_MC_MEMBER_REC, .comp_mask = comp_mask};
	const int ret = check_method(&question);

	if (ret)
		return ret;
	pack_mcmember(rec, question.record);
	return ask(&like, device, port_num, &question, timeout_ms, gfp_mask, query);
}

int sa_mcmember_send(struct ib_sa_client *client, struct sa_port *port, u8 method,
		     const struct ib_sa_mcmember_rec *rec, ib_sa_comp_mask comp_mask,
		     unsigned long timeout_ms,
		     void (*callback)(int status, struct ib_sa_mcmember_rec *resp, void *context),
		     void *context)
{
	const struct ib_sa_query like = {.client = client,
					 .tell = tell_mcmember,
					 .callback.mcmember = callback,
					 .context = context};
	struct sa_question question = {
		.method = method, .attribute = IB_SA_ATTR_MC_MEMBER_REC, .comp_mask = comp_mask};

	pack_mcmember(rec, question.record);
	return ask_from(&like, port, &question, timeout_ms, GFP_KERNEL, NULL);
}

static void tell_service(struct ib_sa_query *query, int status, void *record)
{
	struct ib_sa_service_rec rec;

	if (record)
		unpack_service(record, &rec);
	query->callback.service(status, record ? &rec : NULL, query->context);
}

int ib_sa_service_rec_query(struct ib_sa_client *client, struct ib_device *device, u32 port_num,
			    u8 method, struct ib_sa_service_rec *rec, ib_sa_comp_mask comp_mask,
			    unsigned long timeout_ms, gfp_t gfp_mask,
			    void (*callback)(int status, struct ib_sa_service_rec *resp,
					     void *context),
			    void *context, struct ib_sa_query **query)
{
	const struct ib_sa_query like = {.client = client,
					 .tell = tell_service,
					 .callback.service = callback,
					 .context = context};
	struct sa_question question = {
		.method = method, .attribute = IB_SA_ATTR_SERVICE_REC, .comp_mask = comp_mask};
	const int ret = check_method(&question);

	if (ret)
		return ret;
	pack_service(rec, question.record);
	return ask(&like, device, port_num, &question, timeout_ms, gfp_mask, query);
}
