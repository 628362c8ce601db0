// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* GUIDInfoRecord set and deleted: ports get further GUIDs, and keep them. */
#include <rdma/ib_mad.h>

#include "unit/sm/sa_fixture.h"

#define BLOCK (C(0) | C(1))
#define GUID(n) C(4 + (n))
#define MINE 0x1234567890abcdefull

static uint8_t record[72];

/* GUIDInfo of a host as its hardware has it; @set: written first. */
static uint64_t hardware(uint32_t host, uint32_t entry, const uint64_t *set)
{
	struct subnet_mad in = {.pkey = 0xffff}, out;
	struct ib_smp *smp = (struct ib_smp *)(void *)in.data;
	const uint8_t *now = ((struct ib_smp *)(void *)out.data)->data;

	ib_init_query_mad(smp);
	smp->attr_id = IB_SMP_ATTR_GUID_INFO;
	smp->attr_mod = cpu_to_be32(entry / 8);
	assert_int_equal(subnet_process_mad(world.subnet, world_at(host, 1), 0, &in, &out) & 2, 2);
	if (set) {
		memcpy(smp->data, now, sizeof(smp->data));
		smp->method = SET;
		sa_put64(smp->data + (size_t)8 * (entry % 8), *set);
		assert_int_equal(
			subnet_process_mad(world.subnet, world_at(host, 1), 0, &in, &out) & 2, 2);
	}
	return sa_get64(now + (size_t)8 * (entry % 8));
}

static uint16_t change(uint8_t method, uint32_t host, uint8_t block, uint64_t mask)
{
	sa_put16(record, world_lid(host));
	record[2] = block;
	return world_ask(host, method, IB_SA_ATTR_GUID_INFO_REC, BLOCK | mask, record, 72);
}

/* One GUID, which is answered. */
static uint64_t ask(uint8_t method, uint32_t host, uint32_t n, uint64_t guid)
{
	memset(record, 0, sizeof(record));
	sa_put64(record + 8 + (size_t)8 * n, guid);
	assert_int_equal(change(method, host, 0, GUID(n)), 0);
	assert_int_equal(world_record_bytes(), 72);
	return sa_get64(world_record(0) + 8 + (size_t)8 * n);
}

static void set__a_guid_of_ones_own(void **state)
{
	uint8_t path[64] = {0};

	(void)state;
	world_make(topology_pair());
	assert_int_equal(ask(SET, 1, 3, MINE), MINE);
	assert_int_equal(sa_get64(world_record(0) + 8), world_guid(1));
	assert_int_equal(sa_get64(world_record(0) + 8 + 16), 0);
	assert_int_equal(world.reply.mad[3], IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(hardware(1, 3, NULL), MINE);
	assert_int_equal(hardware(1, 0, NULL), world_guid(1));
	sa_put64(path + 8, 0xfe80000000000000ull);
	sa_put64(path + 16, MINE);
	world_gid(0, path + 24);
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PATH_REC, C(2) | C(3), path, 64), 0);
	assert_int_equal(sa_get16(world_record(0) + 40), world_lid(1));
	assert_int_equal(ask(SET, 1, 3, MINE), MINE); /* once more */
	assert_int_equal(ask(SET, 1, 3, MINE + 1), MINE + 1);
	assert_int_equal(hardware(1, 3, NULL), MINE + 1);
	assert_true(sm_is_up(world.sm));
}

static void set__guids_that_are_made(void **state)
{
	uint64_t guid[8];

	(void)state;
	world_make(topology_pair());
	memset(record, 0, sizeof(record));
	assert_int_equal(change(SET, 1, 0, 0xff0), 0);
	for (uint32_t i = 0; i < 8; i++)
		guid[i] = sa_get64(world_record(0) + 8 + (size_t)8 * i);
	assert_int_equal(guid[0], world_guid(1));
	for (uint32_t i = 1; i < 8; i++) {
		assert_int_not_equal(guid[i], 0);
		assert_int_not_equal(guid[i], guid[i - 1]);
		assert_int_equal(hardware(1, i, NULL), guid[i]);
	}
	assert_int_not_equal(ask(SET, 0, 1, 0), guid[7]);
	assert_int_not_equal(hardware(0, 1, NULL), 0);
}

static void set__what_somebody_has_cannot_be_had(void **state)
{
	(void)state;
	world_make(topology_pair());
	assert_int_equal(ask(SET, 1, 3, MINE), MINE);
	assert_int_equal(ask(SET, 0, 3, MINE), 0);
	assert_int_equal(ask(SET, 0, 3, world_guid(1)), 0);
	assert_int_equal(ask(SET, 1, 4, MINE), 0);
	assert_int_equal(hardware(0, 3, NULL), 0);
	memset(record, 0, sizeof(record));
	sa_put64(record + 8 + 8, MINE + 1);
	sa_put64(record + 8 + 16, MINE + 1);
	assert_int_equal(change(SET, 0, 0, GUID(1) | GUID(2)), 0);
	assert_int_equal(sa_get64(world_record(0) + 8 + 8), MINE + 1);
	assert_int_equal(sa_get64(world_record(0) + 8 + 16), 0);
}

static void set__refused(void **state)
{
	uint8_t blocks;

	(void)state;
	world_make(topology_pair());
	memset(record, 0, sizeof(record));
	blocks = world.sm->net->port[sm_port_of_lid(world.sm->net, world_lid(1))].guid_blocks;
	sa_put16(record, world_lid(1));
	assert_int_equal(world_ask(1, SET, IB_SA_ATTR_GUID_INFO_REC, C(0) | GUID(1), record, 72),
			 SA_INSUFFICIENT);
	assert_int_equal(world_ask(1, SET, IB_SA_ATTR_GUID_INFO_REC, C(1) | GUID(1), record, 72),
			 SA_INSUFFICIENT);
	assert_int_equal(change(SET, 1, blocks, GUID(1)), SA_INVALID);
	assert_int_equal(change(SET, 1, 255, GUID(1)), SA_INVALID);
	sa_put16(record, 0x4711);
	record[2] = 0;
	assert_int_equal(world_ask(1, SET, IB_SA_ATTR_GUID_INFO_REC, BLOCK, record, 72),
			 SA_INVALID);
	sa_put16(record, world_lid(1));
	assert_int_equal(world_ask(0, SET, IB_SA_ATTR_GUID_INFO_REC, BLOCK | GUID(1), record, 72),
			 SA_DENIED);
	assert_int_equal(world_ask(0, DELETE, IB_SA_ATTR_GUID_INFO_REC, BLOCK | GUID(1), record,
				   72),
			 SA_DENIED);
	world.key = SM_DEFAULT_KEY;
	assert_int_equal(world_ask(0, SET, IB_SA_ATTR_GUID_INFO_REC, BLOCK | GUID(1), record, 72),
			 0);
	assert_int_not_equal(hardware(1, 1, NULL), 0);
}

static void delete__those_that_are_asked_for(void **state)
{
	(void)state;
	world_make(topology_pair());
	(void)ask(SET, 1, 3, MINE);
	(void)ask(SET, 1, 4, MINE + 1);
	memset(record, 0, sizeof(record));
	assert_int_equal(change(DELETE, 1, 0, GUID(0) | GUID(3)), 0);
	assert_int_equal(world.reply.mad[3], IB_SA_METHOD_DELETE_RESP);
	assert_int_equal(sa_get64(world_record(0) + 8), world_guid(1));
	assert_int_equal(sa_get64(world_record(0) + 8 + 24), 0);
	assert_int_equal(sa_get64(world_record(0) + 8 + 32), MINE + 1);
	assert_int_equal(hardware(1, 3, NULL), 0);
	assert_int_equal(hardware(1, 4, NULL), MINE + 1);
	assert_int_equal(ask(SET, 0, 1, MINE), MINE); /* is free again */
	assert_int_equal(world.sm->aliases, 2);
}

/* A port that has lost them is told again; one that was away is another one. */
static void set__lasts(void **state)
{
	const uint64_t none = 0;

	(void)state;
	world_make(topology_pair());
	(void)ask(SET, 1, 3, MINE);
	assert_int_equal(hardware(1, 3, &none), 0);
	world_sweep();
	assert_int_equal(hardware(1, 3, NULL), MINE);
	assert_true(subnet_set_link(world.subnet, world_at(1, 1), false));
	world_sweep();
	assert_int_equal(world.sm->aliases, 0);
}

/* What is lost on the way the next sweep tells. */
static void set__is_lost(void **state)
{
	(void)state;
	world_make(topology_pair());
	world.losing = 1;
	assert_int_equal(ask(SET, 1, 3, MINE), MINE);
	assert_int_equal(hardware(1, 3, NULL), 0);
	assert_false(sm_is_up(world.sm));
	world_sweep();
	assert_true(sm_is_up(world.sm));
	assert_int_equal(hardware(1, 3, NULL), MINE);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(set__a_guid_of_ones_own),
	WORLD_TEST(set__guids_that_are_made),
	WORLD_TEST(set__what_somebody_has_cannot_be_had),
	WORLD_TEST(set__refused),
	WORLD_TEST(delete__those_that_are_asked_for),
	WORLD_TEST(set__lasts),
	WORLD_TEST(set__is_lost),
};

int main(void)
{
	return verbena_test_main(tests);
}
