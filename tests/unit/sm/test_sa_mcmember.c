// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* MCMemberRecord: create, join, leave; what is refused, and what is told to whom. */
#include <rdma/ib_verbs.h>

#include "unit/sm/sa_fixture.h"

#define MC IB_SA_ATTR_MC_MEMBER_REC
#define JOIN (C(0) | C(1) | C(16))
#define CREATE (JOIN | C(2) | C(6) | C(7) | C(12) | C(13))
#define FULL 1
#define NON 2
#define SENDS 4
#define FULL_SENDS 8

static uint8_t record[56];

static const uint8_t broadcast[16] = {0xff, 0x12,	 0x40, 0x1b, 0xff,
				      0xff, [12] = 0xff, 0xff, 0xff, 0xff};

/* What a host asks for: group @n, or the broadcast group. */
static void describe(uint32_t n, uint32_t host, uint8_t state)
{
	memset(record, 0, sizeof(record));
	memcpy(record, broadcast, 16);
	if (n)
		sa_put32(record + 12, n);
	world_gid(host, record + 16);
	sa_put32(record + 32, n ? n : 0x0b1b);
	sa_put16(record + 40, 0xffff);
	record[48] = state;
}

static uint16_t set(uint32_t host, uint64_t mask)
{
	return world_ask(host, SET, MC, mask, record, sizeof(record));
}

static uint16_t create(uint32_t n, uint32_t host, uint8_t state)
{
	describe(n, host, state);
	return set(host, CREATE);
}

static uint16_t join(uint32_t n, uint32_t host, uint8_t state)
{
	describe(n, host, state);
	return set(host, JOIN);
}

static uint16_t leave(uint32_t n, uint32_t host, uint8_t state)
{
	describe(n, host, state);
	return world_ask(host, DELETE, MC, JOIN, record, sizeof(record));
}

static struct sm_group *group_of(uint32_t n)
{
	uint8_t mgid[16];

	memcpy(mgid, broadcast, 16);
	if (n)
		sa_put32(mgid + 12, n);
	return sm_group_find(world.sm, mgid);
}

static void broadcast__is_there(void **state)
{
	const uint8_t *r;

	(void)state;
	world_make(topology_pair());
	assert_int_equal(join(0, 1, FULL), 0);
	assert_int_equal(world_record_bytes(), 56);
	r = world_record(0);
	assert_memory_equal(r, broadcast, 16);
	assert_int_equal(sa_get64(r + 24), world_guid(1));
	assert_int_equal(sa_get32(r + 32), 0x0b1b);
	assert_int_equal(sa_get16(r + 36), 0xc000);
	assert_int_equal(r[38], 0x80 | IB_MTU_2048);
	assert_int_equal(r[39], 0);
	assert_int_equal(sa_get16(r + 40), 0xffff);
	assert_int_equal(r[42], 0x80 | IB_RATE_10_GBPS);
	assert_int_equal(r[43], 0x80 | 0x12);
	assert_int_equal(sa_get32(r + 44), 0);
	assert_int_equal(r[48], 0x20 | FULL);
	assert_int_equal(r[49], 0);
	assert_int_equal(leave(0, 1, FULL), 0);
	assert_non_null(group_of(0));
}

static void create__makes_what_is_asked_for(void **state)
{
	const uint8_t *r;

	(void)state;
	world_make(topology_pair());
	describe(7, 1, FULL);
	record[39] = 0x5a;		   /* traffic class */
	sa_put32(record + 44, 0x3123450f); /* SL 3, flow label, hop limit */
	record[38] = IB_SA_LT << 6 | IB_MTU_4096;
	record[42] = IB_SA_EQ << 6 | IB_RATE_20_GBPS;
	record[43] = IB_SA_GT << 6 | 20;
	assert_int_equal(set(1, CREATE | C(4) | C(5) | C(8) | C(9) | C(10) | C(11) | C(14)), 0);
	r = world_record(0);
	assert_int_equal(sa_get16(r + 36), 0xc001);
	assert_int_equal(sa_get32(r + 32), 7);
	assert_int_equal(r[38], 0x80 | IB_MTU_2048);
	assert_int_equal(r[39], 0x5a);
	assert_int_equal(r[42], 0x80 | IB_RATE_20_GBPS);
	assert_int_equal(r[43], 0x80 | 21);
	assert_int_equal(sa_get32(r + 44), 0x3123450f);
	assert_int_equal(r[48], 0x20 | FULL);
	/* without wishes it is the best that the port can have */
	assert_int_equal(create(8, 1, FULL), 0);
	assert_int_equal(world_record(0)[38], 0x80 | IB_MTU_4096);
	assert_int_equal(world_record(0)[42], 0x80 | IB_RATE_200_GBPS);
	assert_int_equal(world_record(0)[43], 0x80 | 18);
}

static void create__needs_all_components(void **state)
{
	static const uint32_t needed[] = {2, 6, 7, 12, 13};

	(void)state;
	world_make(topology_pair());
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		describe(7, 1, FULL);
		assert_int_equal(set(1, CREATE & ~C(needed[i])), SA_INSUFFICIENT);
	}
	for (uint32_t bit = 0; bit <= 16; bit++)
		if (JOIN & C(bit)) {
			describe(0, 1, FULL);
			assert_int_equal(set(1, JOIN & ~C(bit)), SA_INSUFFICIENT);
			assert_int_equal(world_ask(1, DELETE, MC, JOIN & ~C(bit), record, 56),
					 SA_INSUFFICIENT);
		}
	assert_null(group_of(7));
}

static void create__only_by_full_members(void **state)
{
	(void)state;
	world_make(topology_pair());
	assert_int_equal(create(7, 1, NON), SA_INVALID);
	assert_int_equal(create(7, 1, SENDS), SA_INVALID);
	assert_int_equal(create(7, 1, 0), SA_INVALID);
	assert_int_equal(create(7, 1, FULL_SENDS), 0);
	assert_int_equal(world_record(0)[48] & 0xf, FULL_SENDS);
	assert_int_equal(create(8, 1, FULL | SENDS), 0);
}

static void create__refused(void **state)
{
	(void)state;
	world_make(topology_pair());
	describe(7, 1, FULL);
	record[0] = 0xfe; /* no group */
	assert_int_equal(set(1, CREATE), SA_INVALID);
	describe(7, 1, FULL);
	record[1] = 0x22; /* a flag that is reserved */
	assert_int_equal(set(1, CREATE), SA_INVALID);
	record[1] = 0x10; /* scopes that are reserved */
	assert_int_equal(set(1, CREATE), SA_INVALID);
	record[1] = 0x1f;
	assert_int_equal(set(1, CREATE), SA_INVALID);
	describe(7, 1, FULL);
	record[48] |= 0x50; /* another scope than that of the MGID */
	assert_int_equal(set(1, CREATE | C(15)), SA_INVALID);
	describe(7, 1, FULL);
	sa_put16(record + 40, 0x8001); /* a partition that nobody is in */
	assert_int_equal(set(1, CREATE), SA_INVALID);
	describe(7, 1, FULL);
	record[38] = IB_SA_GT << 6 | IB_MTU_4096; /* more than there is */
	assert_int_equal(set(1, CREATE | C(4) | C(5)), SA_INVALID);
	describe(7, 1, FULL);
	record[42] = IB_SA_EQ << 6 | 1; /* no rate */
	assert_int_equal(set(1, CREATE | C(8) | C(9)), SA_INVALID);
	describe(7, 1, FULL);
	sa_put64(record + 24, 0x1234);
	assert_int_equal(set(1, CREATE), SA_INVALID_GID);
	assert_null(group_of(7));
}

static void create__mgid_of_the_sa(void **state)
{
	uint8_t first[16];

	(void)state;
	world_make(topology_pair());
	describe(7, 1, FULL);
	memset(record, 0, 16);
	record[48] |= 0x50;
	assert_int_equal(set(1, CREATE | C(15)), 0);
	memcpy(first, world_record(0), 16);
	assert_int_equal(sa_get32(first), 0xff15a01b);
	assert_int_equal(world_record(0)[48] >> 4, 5);
	assert_int_equal(set(1, CREATE | C(15)), 0);
	assert_memory_not_equal(first, world_record(0), 16);
	assert_int_equal(sa_get16(world_record(0) + 36), 0xc002);
}

static void create__no_more_mlids(void **state)
{
	struct topology *plan = topology_pair();

	(void)state;
	assert_non_null(plan);
	plan->node[2].config.multicast_cap = 3;
	world_make(plan);
	assert_int_equal(create(1, 1, FULL), 0);
	assert_int_equal(create(2, 1, FULL), 0);
	assert_int_equal(create(3, 1, FULL), SA_NO_RESOURCES);
	assert_int_equal(leave(1, 1, FULL), 0);
	describe(3, 1, FULL);
	sa_put16(record + 36, 0xc001);
	assert_int_equal(set(1, CREATE | C(3)), 0);
	assert_int_equal(sa_get16(world_record(0) + 36), 0xc001);
}

/* Of a group that exists all that is asked for is to be so. */
static void join__what_differs_is_refused(void **state)
{
	static const struct {
		uint32_t bit, at;
		uint8_t other;
	} fields[] = {
		{2, 35, 0x99},	{3, 37, 0x99},	{6, 39, 0x99},	{7, 41, 0x99},
		{12, 44, 0x90}, {13, 46, 0x99}, {14, 47, 0x99}, {15, 48, 0x91},
	};

	(void)state;
	world_make(topology_pair());
	assert_int_equal(create(7, 0, FULL), 0);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		memcpy(record, world_record(0), sizeof(record));
		world_gid(1, record + 16);
		assert_int_equal(set(1, JOIN | C(fields[i].bit)), 0);
		record[fields[i].at] = fields[i].other;
		assert_int_equal(set(1, JOIN | C(fields[i].bit)), SA_INVALID);
		assert_int_equal(create(7, 0, FULL), 0);
	}
}

static void join__selectors(void **state)
{
	(void)state;
	world_make(topology_pair());
	describe(0, 1, FULL);
	record[38] = IB_SA_GT << 6 | IB_MTU_1024;
	record[42] = IB_SA_LT << 6 | IB_RATE_20_GBPS;
	record[43] = IB_SA_EQ << 6 | 18;
	assert_int_equal(set(1, JOIN | C(4) | C(5) | C(8) | C(9) | C(10) | C(11)), 0);
	record[38] = IB_SA_GT << 6 | IB_MTU_2048;
	assert_int_equal(set(1, JOIN | C(4) | C(5)), SA_INVALID);
	record[42] = IB_SA_LT << 6 | IB_RATE_10_GBPS;
	assert_int_equal(set(1, JOIN | C(8) | C(9)), SA_INVALID);
	record[43] = IB_SA_LT << 6 | 18;
	assert_int_equal(set(1, JOIN | C(10) | C(11)), SA_INVALID);
}

static void join__ports_that_cannot(void **state)
{
	struct topology *plan = topology_pair();

	(void)state;
	assert_non_null(plan);
	plan->node[1].config.mtu_cap = IB_MTU_1024;
	world_make(plan);
	assert_int_equal(join(0, 1, FULL), SA_INVALID);
	assert_int_equal(join(0, 0, FULL), 0);
}

static void join__no_such_group(void **state)
{
	(void)state;
	world_make(topology_pair());
	assert_int_equal(join(7, 1, FULL), SA_INSUFFICIENT);
	assert_int_equal(join(0, 1, 0), SA_INVALID);
}

static void states__add_up(void **state)
{
	(void)state;
	world_make(topology_pair());
	assert_int_equal(create(7, 1, FULL), 0);
	assert_int_equal(join(7, 1, SENDS), 0);
	assert_int_equal(world_record(0)[48] & 0xf, FULL | SENDS);
	assert_int_equal(leave(7, 1, NON), SA_INVALID);
	assert_int_equal(leave(7, 1, FULL | NON), SA_INVALID);
	assert_int_equal(leave(7, 1, 0), SA_INVALID);
	assert_int_equal(leave(7, 0, FULL), SA_INVALID);
	assert_int_equal(join(7, 0, FULL), 0);
	assert_int_equal(leave(7, 1, FULL), 0);
	assert_int_equal(world.reply.mad[3], IB_SA_METHOD_DELETE_RESP);
	assert_int_equal(world_record(0)[48] & 0xf, SENDS);
	assert_int_equal(leave(7, 1, SENDS), 0);
	assert_int_equal(world_record(0)[48] & 0xf, 0);
	assert_null(sm_group_member(group_of(7), world_guid(1)));
}

/* A group lasts as long as its full members. */
static void group__ends_with_its_last(void **state)
{
	(void)state;
	world_make(topology_leaf_spine(1, 4, 1));
	assert_int_equal(create(7, 1, FULL), 0);
	assert_int_equal(join(7, 2, NON), 0);
	assert_int_equal(join(7, 3, FULL_SENDS), 0);
	assert_int_equal(leave(7, 1, FULL), 0);
	assert_non_null(group_of(7));
	assert_int_equal(leave(7, 3, FULL_SENDS), 0);
	assert_null(group_of(7));
	assert_int_equal(leave(7, 2, NON), SA_INVALID);
}

static void join__for_another_port(void **state)
{
	(void)state;
	world_make(topology_leaf_spine(1, 4, 1));
	describe(0, 2, FULL);
	assert_int_equal(set(1, JOIN), 0); /* host 1 for host 2 */
	assert_int_equal(world_record(0)[49], 0x80);
	assert_int_equal(world_ask(3, DELETE, MC, JOIN, record, 56), 0);
	assert_int_equal(join(0, 2, FULL), 0); /* itself */
	assert_int_equal(world_record(0)[49], 0);
	describe(0, 2, FULL);
	assert_int_equal(world_ask(3, DELETE, MC, JOIN, record, 56), SA_INVALID);
	assert_int_equal(set(3, JOIN), SA_INVALID);
	assert_int_equal(leave(0, 2, FULL), 0);
}

/* By the tables of the hardware, at once. */
static void join__has_the_group_routed(void **state)
{
	const struct sm_net *net;

	(void)state;
	world_make(topology_pair());
	net = world.sm->net;
	assert_int_equal(join(0, 0, FULL), 0);
	assert_int_equal(world.set_mft, 1);
	assert_int_equal(join(0, 1, SENDS), 0);
	assert_int_equal(world.set_mft, 1); /* nothing leads there */
	assert_int_equal(join(0, 1, FULL), 0);
	assert_int_equal(world.set_mft, 2);
	assert_int_equal(be16_to_cpu(net->sw[0].mft[0].set[0]), 0x6);
	assert_int_equal(join(0, 1, FULL), 0);
	assert_int_equal(world.set_mft, 2);
	assert_int_equal(leave(0, 1, FULL), 0);
	assert_int_equal(be16_to_cpu(net->sw[0].mft[0].set[0]), 0x2);
	assert_int_equal(world.set_other, 0);
}

static void get__members_are_for_who_has_the_key(void **state)
{
	(void)state;
	world_make(topology_leaf_spine(1, 4, 1));
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(join(0, i, FULL), 0);
	assert_int_equal(create(7, 1, FULL), 0);
	memset(record, 0, sizeof(record));
	assert_int_equal(world_table(MC, 0, record, 56), 2);
	assert_int_equal(sa_get64(world_record(0) + 24), 0);
	assert_int_equal(world_record(0)[48], 0x21);
	world_gid(2, record + 16);
	assert_int_equal(world_table(MC, C(1), record, 56), 1);
	assert_int_equal(sa_get64(world_record(0) + 24), world_guid(2));
	world_gid(1, record + 16);
	assert_int_equal(world_table(MC, C(1), record, 56), 2);
	world.key = SM_DEFAULT_KEY;
	assert_int_equal(world_table(MC, 0, record, 56), 5);
	memcpy(record, broadcast, 16);
	assert_int_equal(world_table(MC, C(0), record, 56), 4);
	record[15] = 0x11;
	assert_int_equal(world_table(MC, C(0), record, 56), 0);
}

static void get__every_component(void **state)
{
	uint8_t found[56];

	(void)state;
	world_make(topology_leaf_spine(1, 4, 1));
	describe(7, 1, FULL);
	record[39] = 0x5a;
	sa_put32(record + 44, 0x3123450f);
	assert_int_equal(set(1, CREATE | C(14)), 0);
	memcpy(found, world_record(0), 56);
	assert_int_equal(join(0, 2, FULL), 0);
	world.key = SM_DEFAULT_KEY;
	world_check_components(&sa_mcmember_record, found, 0x3f0cf);
	/* and those with selectors */
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t at = i == 0 ? 38 : 41 + i, bit = i == 0 ? 4 : 6 + 2 * i;

		memcpy(record, found, 56);
		assert_int_not_equal(world_table(MC, C(0) | C(bit) | C(bit + 1), record, 56), 0);
		record[at] = (uint8_t)(found[at] & 0x3f); /* greater than it is */
		assert_int_equal(world_table(MC, C(0) | C(bit) | C(bit + 1), record, 56), 0);
		record[at] |= IB_SA_LT << 6;
		assert_int_equal(world_table(MC, C(0) | C(bit) | C(bit + 1), record, 56), 0);
	}
}

static void port__that_goes_leaves(void **state)
{
	(void)state;
	world_make(topology_leaf_spine(1, 4, 1));
	assert_int_equal(create(7, 1, FULL), 0);
	assert_int_equal(join(0, 1, FULL), 0);
	assert_int_equal(join(0, 2, FULL), 0);
	assert_true(subnet_set_link(world.subnet, world_at(1, 1), false));
	world_sweep();
	assert_null(group_of(7));
	assert_int_equal(group_of(0)->members, 1);
	assert_int_equal(join(0, 3, FULL), 0);
}

static void retire__nobody_is_in_a_group(void **state)
{
	(void)state;
	world_make(topology_leaf_spine(1, 4, 1));
	assert_int_equal(create(7, 1, FULL), 0);
	assert_int_equal(join(0, 2, FULL), 0);
	sa_retire(world.sa);
	assert_null(group_of(7));
	assert_int_equal(group_of(0)->members, 0);
	assert_int_equal(leave(0, 2, FULL), SA_INVALID);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(broadcast__is_there),
	WORLD_TEST(create__makes_what_is_asked_for),
	WORLD_TEST(create__needs_all_components),
	WORLD_TEST(create__only_by_full_members),
	WORLD_TEST(create__refused),
	WORLD_TEST(create__mgid_of_the_sa),
	WORLD_TEST(create__no_more_mlids),
	WORLD_TEST(join__what_differs_is_refused),
	WORLD_TEST(join__selectors),
	WORLD_TEST(join__ports_that_cannot),
	WORLD_TEST(join__no_such_group),
	WORLD_TEST(states__add_up),
	WORLD_TEST(group__ends_with_its_last),
	WORLD_TEST(join__for_another_port),
	WORLD_TEST(join__has_the_group_routed),
	WORLD_TEST(get__members_are_for_who_has_the_key),
	WORLD_TEST(get__every_component),
	WORLD_TEST(port__that_goes_leaves),
	WORLD_TEST(retire__nobody_is_in_a_group),
};

int main(void)
{
	return verbena_test_main(tests);
}
