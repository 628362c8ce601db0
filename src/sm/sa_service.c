// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* ServiceRecord: who offers what, for as long as its lease. ServiceID, GID and P_Key are its name. */
#include <string.h>

#include "sm/sa_priv.h"

#define MOST_SERVICES 65536u
#define SECOND_NS 1000000000ull
#define FOR_EVER 0xffffffffu
#define KEY_BYTES 16u

/* Mask bits. */
enum {
	SERVICE_ID = 0,
	GID = 1,
	PKEY = 2,
	LEASE = 4,
	KEY = 5,
	NAME = 6,
	DATA8 = 7,
	DATA16 = 23,
	DATA32 = 31,
	DATA64 = 35,
	ALL = 37,
};

/* Bytes of the record. */
enum {
	AT_GID = 8,
	AT_PKEY = 24,
	AT_LEASE = 28,
	AT_KEY = 32,
	AT_NAME = 48,
	AT_DATA8 = 112,
	AT_DATA16 = 128,
	AT_DATA32 = 144,
	AT_DATA64 = 160,
	BYTES = 176,
};

#define D8(n) [DATA8 + (n)] = SA_BYTES(AT_DATA8 + (n), 1)
#define D16(n) [DATA16 + (n)] = SA_BYTES(AT_DATA16 + 2 * (n), 2)
#define D32(n) [DATA32 + (n)] = SA_BYTES(AT_DATA32 + 4 * (n), 4)
#define D64(n) [DATA64 + (n)] = SA_BYTES(AT_DATA64 + 8 * (n), 8)

/* clang-format off */
static const struct sa_field fields[ALL] = {
	[SERVICE_ID] = SA_BYTES(0, 8),
	[GID] = SA_BYTES(AT_GID, 16),
	[PKEY] = SA_BYTES(AT_PKEY, 2),
	[LEASE] = SA_BYTES(AT_LEASE, 4),
	[KEY] = SA_BYTES(AT_KEY, 16),
	[NAME] = SA_TEXT(AT_NAME, 64),
	D8(0), D8(1), D8(2), D8(3), D8(4), D8(5), D8(6), D8(7),
	D8(8), D8(9), D8(10), D8(11), D8(12), D8(13), D8(14), D8(15),
	D16(0), D16(1), D16(2), D16(3), D16(4), D16(5), D16(6), D16(7),
	D32(0), D32(1), D32(2), D32(3),
	D64(0), D64(1),
};
/* clang-format on */

#define NAMED (1ull << SERVICE_ID | 1ull << GID | 1ull << PKEY)

void sa_expire(struct sa *sa, u64 now_ns)
{
	u32 i = 0;

	if (now_ns < sa->service_ends_ns)
		return;
	sa->service_ends_ns = UINT64_MAX;
	while (i < sa->services) {
		const u64 until_ns = sa->service[i].until_ns;

		if (until_ns <= now_ns) {
			sa->service[i] = sa->service[--sa->services];
			continue;
		}
		if (until_ns < sa->service_ends_ns)
			sa->service_ends_ns = until_ns;
		i++;
	}
}

/* Seconds begun count. */
static u32 lease_left(const struct sa_service *service, u64 now_ns)
{
	if (service->until_ns == UINT64_MAX)
		return FOR_EVER;
	return (u32)((service->until_ns - now_ns + SECOND_NS - 1) / SECOND_NS);
}

static u64 end_of_lease(const struct sa_query *q)
{
	const u32 lease = sa_has(q, LEASE) ? sa_get32(q->asked + AT_LEASE) : FOR_EVER;

	return lease == FOR_EVER ? UINT64_MAX : q->now_ns + lease * SECOND_NS;
}

static void get_services(struct sa_query *q)
{
	for (u32 i = 0; i < q->sa->services; i++) {
		const struct sa_service *service = &q->sa->service[i];
		u8 record[SA_MOST_RECORD] = {0};

		memcpy(record, service->record, BYTES);
		sa_put32(record + AT_LEASE, lease_left(service, q->now_ns));
		if (!q->trusted)
			memset(record + AT_KEY, 0, KEY_BYTES);
		if (!sa_offer(q, record))
			return;
	}
}

static struct sa_service *find(const struct sa_query *q)
{
	for (u32 i = 0; i < q->sa->services; i++)
		if (sa_matches(fields, ALL, NAMED, q->asked, q->sa->service[i].record))
			return &q->sa->service[i];
	return NULL;
}

static struct sa_service *add(struct sa *sa)
{
	void *service = sa->service;
	const bool ok = sa_room(&service, sa->services, &sa->service_room, sizeof(*sa->service),
				MOST_SERVICES);

	sa->service = service;
	return ok ? &sa->service[sa->services++] : NULL;
}

/* Who does not know its key leaves it alone. */
static bool has_key(const struct sa_query *q, const struct sa_service *service)
{
	return !memcmp(service->record + AT_KEY, q->asked + AT_KEY, KEY_BYTES);
}

/* What the mask leaves out is zero, but for the lease, which is then for ever. */
static u16 normalize(struct sa_query *q)
{
	const u32 port = sm_port_of_lid(q->net, q->from->lid);
	u8 record[SA_MOST_RECORD] = {0};

	if ((q->mask & (1ull << SERVICE_ID | 1ull << GID)) != (1ull << SERVICE_ID | 1ull << GID))
		return SA_INSUFFICIENT;
	sa_copy(fields, ALL, q->mask, record, q->asked);
	if (!sa_has(q, PKEY))
		sa_put16(record + AT_PKEY, SA_PKEY);
	memcpy(q->asked, record, sizeof(record));
	if (port == SM_NONE || !sa_has_pkey(&q->net->port[port], sa_get16(record + AT_PKEY)))
		return SA_INVALID;
	return 0;
}

static u16 offer_service(struct sa_query *q)
{
	const u16 status = normalize(q);
	struct sa_service *service;

	if (status)
		return status;
	service = find(q);
	if (service && !has_key(q, service))
		return SA_INVALID;
	if (!service)
		service = add(q->sa);
	if (!service)
		return SA_NO_RESOURCES;
	memcpy(service->record, q->asked, BYTES);
	service->until_ns = end_of_lease(q);
	if (service->until_ns < q->sa->service_ends_ns)
		q->sa->service_ends_ns = service->until_ns;
	sa_put32(q->asked + AT_LEASE, sa_has(q, LEASE) ? sa_get32(q->asked + AT_LEASE) : FOR_EVER);
	return 0;
}

static u16 withdraw_service(struct sa_query *q)
{
	const u16 status = normalize(q);
	struct sa_service *service;

	if (status)
		return status;
	service = find(q);
	if (!service)
		return SA_NO_RECORDS;
	if (!has_key(q, service))
		return SA_INVALID;
	memcpy(q->asked, service->record, BYTES);
	sa_put32(q->asked + AT_LEASE, lease_left(service, q->now_ns));
	*service = q->sa->service[--q->sa->services];
	return 0;
}

const struct sa_attribute sa_service_record = {
	.id = IB_SA_ATTR_SERVICE_REC,
	.bytes = BYTES,
	.field = fields,
	.fields = ALL,
	.get = get_services,
	.set = offer_service,
	.remove = withdraw_service,
};
