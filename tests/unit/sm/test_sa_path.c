// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* PathRecord: ends by GIDs and LIDs, values by selectors, ways as the tables have them. */
#include <rdma/ib_verbs.h>

#include "unit/sm/sa_fixture.h"

enum {
	DGID = 2,
	SGID = 3,
	DLID = 4,
	SLID = 5,
};

static uint8_t asked[64];

static void ends_by_gid(uint32_t from, uint32_t to)
{
	memset(asked, 0, sizeof(asked));
	world_gid(to, asked + 8);
	world_gid(from, asked + 24);
}

static void ends_by_lid(uint32_t from, uint32_t to)
{
	memset(asked, 0, sizeof(asked));
	sa_put16(asked + 40, world_lid(to));
	sa_put16(asked + 42, world_lid(from));
}

static uint16_t get(uint64_t mask)
{
	return world_ask(0, GET, IB_SA_ATTR_PATH_REC, mask, asked, sizeof(asked));
}

static size_t table(uint64_t mask)
{
	return world_table(IB_SA_ATTR_PATH_REC, mask, asked, sizeof(asked));
}

static void path__layout(void **state)
{
	uint8_t sgid[16], dgid[16];
	const uint8_t *r;

	(void)state;
	world_make(topology_pair());
	ends_by_gid(1, 0);
	assert_int_equal(get(C(DGID) | C(SGID)), 0);
	assert_int_equal(world_record_bytes(), 64);
	r = world_record(0);
	world_gid(1, sgid);
	world_gid(0, dgid);
	assert_int_equal(sa_get64(r), 0);
	assert_memory_equal(r + 8, dgid, 16);
	assert_memory_equal(r + 24, sgid, 16);
	assert_int_equal(sa_get16(r + 40), world_lid(0));
	assert_int_equal(sa_get16(r + 42), world_lid(1));
	assert_int_equal(sa_get32(r + 44), 0);
	assert_int_equal(r[48], 0);
	assert_int_equal(r[49], 0x81);
	assert_int_equal(sa_get16(r + 50), 0xffff);
	assert_int_equal(sa_get16(r + 52), 0);
	assert_int_equal(r[54], 0x80 | IB_MTU_4096);
	assert_int_equal(r[55], 0x80 | IB_RATE_200_GBPS);
	assert_int_equal(r[56], 0x80 | 0x12);
	assert_int_equal(r[57], 0);
}

static void path__ends(void **state)
{
	(void)state;
	world_make(topology_leaf_spine(2, 3, 2));
	ends_by_lid(1, 4);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(sa_get64(world_record(0) + 16), world_guid(4));
	assert_int_equal(sa_get64(world_record(0) + 32), world_guid(1));
	assert_int_equal(table(C(SLID)), 6 + 4); /* to hosts and switches, itself included */
	assert_int_equal(table(C(DLID)), 6 + 4);
	assert_int_equal(table(0), 100);
	assert_int_equal(get(C(SLID)), SA_TOO_MANY);
	/* a GID and the LID of another port */
	ends_by_gid(1, 4);
	sa_put16(asked + 40, world_lid(3));
	sa_put16(asked + 42, world_lid(1));
	assert_int_equal(table(C(DGID) | C(SGID) | C(SLID)), 1);
	assert_int_equal(table(C(DGID) | C(SGID) | C(SLID) | C(DLID)), 0);
}

static void path__ends_that_are_none(void **state)
{
	(void)state;
	world_make(topology_pair());
	ends_by_gid(0, 1);
	asked[8 + 8] ^= 0x55;
	assert_int_equal(get(C(DGID) | C(SGID)), SA_INVALID_GID);
	ends_by_gid(0, 1);
	asked[8 + 7] = 1; /* another subnet */
	assert_int_equal(get(C(DGID) | C(SGID)), SA_INVALID_GID);
	ends_by_gid(0, 1);
	memset(asked + 24, 0, 16);
	assert_int_equal(get(C(DGID) | C(SGID)), SA_INVALID_GID);
	ends_by_lid(0, 1);
	for (uint32_t lid = 0; lid <= 0xffff; lid += lid < 8 ? 1 : 0x1111) {
		sa_put16(asked + 40, (uint16_t)lid);
		assert_int_equal(get(C(DLID) | C(SLID)), lid && lid <= 3 ? 0 : SA_NO_RECORDS);
	}
}

/* The narrowest link on the way counts, wherever it is. */
static void path__mtu_and_rate_of_the_way(void **state)
{
	struct topology *plan = topology_ring(4);

	(void)state;
	assert_non_null(plan);
	for (uint32_t i = 0; i < 8; i++)
		plan->node[i].config.speed_ext = 3;
	plan->node[4 + 1].config.mtu_cap = IB_MTU_1024; /* switch 1 */
	plan->node[4 + 1].config.speed_ext = 0;
	plan->node[3].config.speed = 1; /* host 3 */
	plan->node[3].config.speed_ext = 0;
	world_make(plan);
	ends_by_lid(0, 3);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(world_record(0)[54], 0x80 | IB_MTU_4096);
	assert_int_equal(world_record(0)[55], 0x80 | IB_RATE_10_GBPS);
	ends_by_lid(1, 0);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(world_record(0)[54], 0x80 | IB_MTU_1024);
	assert_int_equal(world_record(0)[55], 0x80 | IB_RATE_40_GBPS);
	ends_by_lid(3, 2);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(world_record(0)[54], 0x80 | IB_MTU_4096);
	ends_by_lid(0, 0);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(world_record(0)[55], 0x80 | IB_RATE_100_GBPS);
}

/* What lies between counts as well, though neither end has it. */
static void path__limits_in_between(void **state)
{
	struct topology *plan = topology_leaf_spine(2, 2, 1);

	(void)state;
	assert_non_null(plan);
	plan->node[6].config.mtu_cap = IB_MTU_512; /* the spine */
	plan->node[6].config.speed = 1;
	plan->node[6].config.speed_ext = 0;
	world_make(plan);
	ends_by_lid(0, 1);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(world_record(0)[54], 0x80 | IB_MTU_4096);
	ends_by_lid(0, 2);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(world_record(0)[54], 0x80 | IB_MTU_512);
	assert_int_equal(world_record(0)[55], 0x80 | IB_RATE_10_GBPS);
}

static void path__agrees_with_the_hardware(void **state)
{
	(void)state;
	world_make(topology_dragonfly(2, 3, 1));
	for (uint32_t from = 0; from < 24; from++)
		for (uint32_t to = 0; to < 24; to++) {
			struct subnet_path path;

			if (from == to)
				continue;
			subnet_resolve(world.subnet, world_at(from, 1), world_lid(to), 0, 0xffff,
				       &path);
			ends_by_lid(from, to);
			assert_int_equal(get(C(DLID) | C(SLID)),
					 path.verdict == SUBNET_ARRIVES ? 0 : SA_NO_RECORDS);
		}
}

/* Where no table leads there is no path, nor where they go round. */
static void path__unroutable(void **state)
{
	struct sm_net *net;

	(void)state;
	world_make(topology_ring(4));
	net = world.sm->net;
	ends_by_lid(0, 2);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	for (uint32_t i = 0; i < net->switches; i++)
		net->sw[i].lft[world_lid(2)] = SM_NO_PORT;
	assert_int_equal(get(C(DLID) | C(SLID)), SA_NO_RECORDS);
	for (uint32_t i = 0; i < net->switches; i++)
		net->sw[i].lft[world_lid(2)] = 200; /* no such port */
	assert_int_equal(get(C(DLID) | C(SLID)), SA_NO_RECORDS);
	for (uint32_t i = 0; i < net->switches; i++)
		net->sw[i].lft[world_lid(2)] = 0; /* to the switch */
	assert_int_equal(get(C(DLID) | C(SLID)), SA_NO_RECORDS);
	for (uint32_t i = 0; i < net->switches; i++)
		net->sw[i].lft[world_lid(2)] = 2; /* round and round */
	assert_int_equal(get(C(DLID) | C(SLID)), SA_NO_RECORDS);
	ends_by_lid(2, 0);
	asked[49] = 0x80;
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(world_record(0)[49], 1); /* there is no way back */
	assert_int_equal(get(C(DLID) | C(SLID) | C(11)), SA_NO_RECORDS);
	asked[49] = 0;
	assert_int_equal(get(C(DLID) | C(SLID) | C(11)), 0);
}

static void path__two_hosts_on_a_cable(void **state)
{
	static const char text[] = "Hca 1 \"a\"\n[1] \"b\"[1]\nHca 1 \"b\"\n[1] \"a\"[1]\n";
	struct topology_error error;
	struct topology *plan;

	(void)state;
	assert_int_equal(topology_parse(text, sizeof(text) - 1, &plan, &error), 0);
	world_make(plan);
	ends_by_gid(0, 1);
	assert_int_equal(get(C(DGID) | C(SGID)), 0);
	assert_int_equal(world_record(0)[55], 0x80 | IB_RATE_40_GBPS);
	assert_int_equal(world_record(0)[49], 0x81);
}

struct value {
	uint32_t at, bit;
	uint8_t asked;
	int got;
};

/* The way has MTU 4096, 40 Gb/s, life time 18. */
/* clang-format off */
static const struct value values[] = {
	{54, 16, IB_SA_GT << 6 | IB_MTU_2048, IB_MTU_4096},
	{54, 16, IB_SA_GT << 6 | IB_MTU_4096, -1},
	{54, 16, IB_SA_LT << 6 | IB_MTU_4096, IB_MTU_2048},
	{54, 16, IB_SA_EQ << 6 | IB_MTU_256, IB_MTU_256},
	{54, 16, IB_SA_EQ << 6 | 6, -1},
	{54, 16, IB_SA_BEST << 6 | 1, IB_MTU_4096},
	{55, 18, IB_SA_GT << 6 | IB_RATE_30_GBPS, IB_RATE_40_GBPS},
	{55, 18, IB_SA_GT << 6 | IB_RATE_40_GBPS, -1},
	{55, 18, IB_SA_LT << 6 | IB_RATE_40_GBPS, IB_RATE_30_GBPS},
	{55, 18, IB_SA_EQ << 6 | IB_RATE_5_GBPS, IB_RATE_5_GBPS},
	{55, 18, IB_SA_EQ << 6 | IB_RATE_100_GBPS, -1},
	{55, 18, IB_SA_BEST << 6, IB_RATE_40_GBPS},
	{56, 20, IB_SA_GT << 6 | 18, 19},
	{56, 20, IB_SA_LT << 6 | 18, -1},
	{56, 20, IB_SA_EQ << 6 | 18, 18},
	{56, 20, IB_SA_BEST << 6 | 1, 18},
};
/* clang-format on */

static void path__selectors(void **state)
{
	struct topology *plan = topology_pair();

	(void)state;
	assert_non_null(plan);
	plan->node[1].config.speed_ext = 0;
	world_make(plan);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		const struct value *v = &values[i];
		uint16_t status;

		ends_by_lid(0, 1);
		asked[v->at] = v->asked;
		status = get(C(DLID) | C(SLID) | C(v->bit) | C(v->bit + 1));
		if (status != (v->got < 0 ? SA_NO_RECORDS : 0))
			fail_msg("value %zu: status %x", i, status);
		if (v->got >= 0)
			assert_int_equal(world_record(0)[v->at], IB_SA_EQ << 6 | v->got);
		/* without a mask bit it does not matter */
		assert_int_equal(get(C(DLID) | C(SLID)), 0);
	}
}

/* What all ways can have is given as asked. */
static void path__granted(void **state)
{
	const uint8_t *r;

	(void)state;
	world_make(topology_pair());
	ends_by_lid(0, 1);
	sa_put64(asked, 0x1020304050607080ull);
	sa_put32(asked + 44, 0xf4567840);
	asked[48] = 0x9a;
	sa_put16(asked + 50, 0x7fff);
	sa_put16(asked + 52, 0xabc5);
	assert_int_equal(get(C(DLID) | C(SLID) | C(0) | C(1) | C(8) | C(9) | C(10) | C(13) | C(14) |
			     C(15)),
			 0);
	r = world_record(0);
	assert_int_equal(sa_get64(r), 0x1020304050607080ull);
	assert_int_equal(sa_get32(r + 44), 0x04567840);
	assert_int_equal(r[48], 0x9a);
	assert_int_equal(sa_get16(r + 50), 0x7fff);
	assert_int_equal(sa_get16(r + 52), 0xabc5);
	assert_int_equal(get(C(DLID) | C(SLID)), 0);
	assert_int_equal(sa_get32(world_record(0) + 44), 0);
	assert_int_equal(sa_get16(world_record(0) + 50), 0xffff);
}

static void path__not_granted(void **state)
{
	(void)state;
	world_make(topology_pair());
	ends_by_lid(0, 1);
	asked[44] = 0x80; /* raw traffic */
	assert_int_equal(get(C(DLID) | C(SLID) | C(6)), SA_NO_RECORDS);
	asked[44] = 0;
	assert_int_equal(get(C(DLID) | C(SLID) | C(6)), 0);
	asked[57] = 1; /* preference */
	assert_int_equal(get(C(DLID) | C(SLID) | C(22)), SA_NO_RECORDS);
	sa_put16(asked + 50, 0x8001); /* another partition */
	assert_int_equal(get(C(DLID) | C(SLID) | C(13)), SA_NO_RECORDS);
	assert_int_equal(get(C(DLID) | C(SLID) | C(12)), SA_INVALID); /* no path at all */
	asked[49] = 1;
	assert_int_equal(get(C(DLID) | C(SLID) | C(12)), 0);
	asked[49] = 127;
	assert_int_equal(table(C(DLID) | C(SLID) | C(12)), 1);
}

static void path__to_a_group(void **state)
{
	static const uint8_t mgid[16] = {0xff, 0x12,	    0x40, 0x1b, 0xff,
					 0xff, [12] = 0xff, 0xff, 0xff, 0xff};
	const uint8_t *r;

	(void)state;
	world_make(topology_pair());
	ends_by_gid(1, 0);
	memcpy(asked + 8, mgid, 16);
	assert_int_equal(get(C(DGID) | C(SGID)), 0);
	r = world_record(0);
	assert_memory_equal(r + 8, mgid, 16);
	assert_int_equal(sa_get16(r + 40), 0xc000);
	assert_int_equal(sa_get16(r + 42), world_lid(1));
	assert_int_equal(sa_get16(r + 50), 0xffff);
	assert_int_equal(r[54], 0x80 | IB_MTU_2048);
	assert_int_equal(r[55], 0x80 | IB_RATE_10_GBPS);
	asked[54] = IB_SA_EQ << 6 | IB_MTU_1024; /* a group has what it has */
	assert_int_equal(get(C(DGID) | C(SGID) | C(16) | C(17)), SA_NO_RECORDS);
	asked[53] = 3;
	assert_int_equal(get(C(DGID) | C(SGID) | C(15)), SA_NO_RECORDS);
	sa_put16(asked + 40, 0xc001);
	assert_int_equal(get(C(DGID) | C(SGID) | C(DLID)), SA_NO_RECORDS);
	asked[8 + 15] = 0;
	assert_int_equal(get(C(DGID) | C(SGID)), SA_NO_RECORDS);
}

/* So many that no reply holds them: refused before anything is looked for. */
static void path__too_much(void **state)
{
	struct sm_net *net;
	uint32_t lids;

	(void)state;
	world_make(topology_pair());
	net = world.sm->net;
	lids = net->lids;
	net->lids = 0xc000;
	memset(asked, 0, sizeof(asked));
	assert_int_equal(world_ask(0, GET_TABLE, IB_SA_ATTR_PATH_REC, 0, asked, 64),
			 SA_NO_RESOURCES);
	net->lids = lids;
	assert_int_equal(table(0), 9);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(path__layout),
	WORLD_TEST(path__ends),
	WORLD_TEST(path__ends_that_are_none),
	WORLD_TEST(path__mtu_and_rate_of_the_way),
	WORLD_TEST(path__limits_in_between),
	WORLD_TEST(path__agrees_with_the_hardware),
	WORLD_TEST(path__unroutable),
	WORLD_TEST(path__two_hosts_on_a_cable),
	WORLD_TEST(path__selectors),
	WORLD_TEST(path__granted),
	WORLD_TEST(path__not_granted),
	WORLD_TEST(path__to_a_group),
	WORLD_TEST(path__too_much),
};

int main(void)
{
	return verbena_test_main(tests);
}
