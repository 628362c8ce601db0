// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* MultiPathRecord: one question for the ways between many ports, answered with paths. */
#include <rdma/ib_verbs.h>

#include "unit/sm/sa_fixture.h"

#define GET_MULTI IB_SA_METHOD_GET_MULTI
#define ENDS (C(19) | C(20))

static uint8_t asked[200];

/* From the first @sgids hosts to the next @dgids. */
static void ends(uint8_t sgids, uint8_t dgids)
{
	memset(asked, 0, sizeof(asked));
	asked[15] = sgids;
	asked[16] = dgids;
	for (uint32_t i = 0; i < (uint32_t)sgids + dgids && i < 11; i++)
		world_gid(i, asked + 24 + (size_t)16 * i);
}

static uint16_t get(uint64_t mask)
{
	return world_ask(0, GET_MULTI, IB_SA_ATTR_MULTI_PATH_REC, mask, asked, sizeof(asked));
}

static void multi__each_to_each(void **state)
{
	(void)state;
	world_make(topology_fat_tree(4));
	ends(2, 3);
	assert_int_equal(get(ENDS), 0);
	assert_true(world.reply.is_table);
	assert_int_equal(world.reply.mad[3], IB_SA_METHOD_GET_MULTI_RESP);
	assert_int_equal(sa_get16(world.reply.mad + 16), IB_SA_ATTR_PATH_REC);
	assert_int_equal(world_record_bytes(), 64);
	assert_int_equal(world_count(), 6);
	for (uint32_t i = 0; i < 6; i++) {
		uint8_t path[64], one[64] = {0};

		memcpy(path, world_record(i), 64);
		world_gid(i / 3, one + 24);
		world_gid(2 + i % 3, one + 8);
		assert_int_equal(
			world_ask(0, GET, IB_SA_ATTR_PATH_REC, C(2) | C(3), one, sizeof(one)), 0);
		assert_memory_equal(path, world_record(0), 64);
		ends(2, 3);
		assert_int_equal(get(ENDS), 0);
	}
}

/* Bits and bytes are elsewhere than in PathRecord, and mean the same. */
static void multi__wishes(void **state)
{
	const uint8_t *r;

	(void)state;
	world_make(topology_pair());
	ends(1, 1);
	asked[0] = 0x00;
	asked[1] = 0x01; /* FlowLabel */
	asked[3] = 7;	 /* HopLimit */
	asked[4] = 9;	 /* TClass */
	asked[5] = 0x81; /* Reversible, 1 path */
	sa_put16(asked + 6, 0xffff);
	asked[9] = 3; /* SL */
	asked[10] = SA_EXACTLY(IB_MTU_1024);
	asked[11] = SA_EXACTLY(IB_RATE_10_GBPS);
	asked[12] = SA_EXACTLY(0x14);
	asked[13] = 0xab; /* ServiceID */
	sa_put32(asked + 20, 0x01020304);
	assert_int_equal(get(ENDS | 0xffff | C(16) | C(21)), 0);
	assert_int_equal(world_count(), 1);
	r = world_record(0);
	assert_int_equal(sa_get64(r), 0xab00000001020304ull);
	assert_int_equal(sa_get32(r + 44), 0x00010007);
	assert_int_equal(r[48], 9);
	assert_int_equal(r[49], 0x81);
	assert_int_equal(sa_get16(r + 50), 0xffff);
	assert_int_equal(r[53], 3);
	assert_int_equal(r[54], SA_EXACTLY(IB_MTU_1024));
	assert_int_equal(r[55], SA_EXACTLY(IB_RATE_10_GBPS));
	assert_int_equal(r[56], SA_EXACTLY(0x14));
	asked[10] = SA_EXACTLY(63); /* there is no such MTU */
	assert_int_equal(get(ENDS | C(10) | C(11)), 0);
	assert_int_equal(world_count(), 0);
	assert_true(world.reply.is_table);
	sa_put16(asked + 6, 0x1234);
	assert_int_equal(get(ENDS | C(7)), 0);
	assert_int_equal(world_count(), 0);
}

static void multi__refused(void **state)
{
	(void)state;
	world_make(topology_fat_tree(4));
	ends(1, 1);
	assert_int_equal(get(C(19)), SA_INSUFFICIENT);
	assert_int_equal(get(C(20)), SA_INSUFFICIENT);
	ends(0, 1);
	assert_int_equal(get(ENDS), SA_INVALID);
	ends(1, 0);
	assert_int_equal(get(ENDS), SA_INVALID);
	ends(6, 6);
	assert_int_equal(get(ENDS), SA_NO_RESOURCES);
	ends(255, 255);
	assert_int_equal(get(ENDS), SA_NO_RESOURCES);
	ends(5, 6);
	assert_int_equal(get(ENDS), 0);
	assert_int_equal(world_count(), 30);
	asked[24 + 16 * 10] ^= 0x10;
	assert_int_equal(get(ENDS), SA_INVALID_GID);
	assert_int_equal(sa_get16(world.reply.mad + 16), IB_SA_ATTR_MULTI_PATH_REC);
	assert_int_equal(world.reply.bytes, 56);
	ends(1, 1);
	assert_int_equal(get(ENDS | C(6)), SA_INVALID); /* no path */
	assert_int_equal(world_ask(0, GET_MULTI, IB_SA_ATTR_PATH_REC, ENDS, asked, sizeof(asked)),
			 0x0c);
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_MULTI_PATH_REC, ENDS, asked, sizeof(asked)),
			 0x0c);
}

/* GIDs that the request says to have are in it. */
static void multi__short_requests(void **state)
{
	struct ib_sa_mad mad;

	(void)state;
	world_make(topology_pair());
	ends(1, 1);
	world_head(&mad, GET_MULTI, IB_SA_ATTR_MULTI_PATH_REC, ENDS);
	memcpy(mad.data, asked, sizeof(mad.data));
	for (size_t bytes = 0; bytes <= 24 + 32; bytes++) {
		world_request(0, &mad, IB_MGMT_SA_HDR + bytes);
		assert_non_null(world.reply.mad);
		assert_int_equal(sa_get16(world.reply.mad + 4), bytes < 56 ? SA_INVALID : 0);
	}
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(multi__each_to_each),
	WORLD_TEST(multi__wishes),
	WORLD_TEST(multi__refused),
	WORLD_TEST(multi__short_requests),
};

int main(void)
{
	return verbena_test_main(tests);
}
