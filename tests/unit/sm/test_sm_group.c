// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Groups: their LIDs and members. */
#include "unit/sm/sa_fixture.h"

static void add__lowest_that_is_free(void **state)
{
	struct sm_group *a, *b;

	(void)state;
	world_make(topology_pair());
	a = sm_group_add(world.sm, 0);
	b = sm_group_add(world.sm, 0);
	assert_non_null(a);
	assert_non_null(b);
	assert_int_equal(a->mlid, 0xc001); /* 0xc000 is the broadcast group */
	assert_int_equal(b->mlid, 0xc002);
	sm_group_remove(world.sm, a);
	a = sm_group_add(world.sm, 0);
	assert_non_null(a);
	assert_int_equal(a->mlid, 0xc001);
}

static uint16_t mlid_of(uint16_t wish)
{
	const struct sm_group *group = sm_group_add(world.sm, wish);

	assert_non_null(group);
	return group->mlid;
}

static void add__wishes(void **state)
{
	(void)state;
	world_make(topology_pair());
	assert_int_equal(mlid_of(0xc055), 0xc055);
	assert_int_equal(mlid_of(0xc055), 0xc001);
	assert_int_equal(mlid_of(0xbfff), 0xc002);
	assert_int_equal(mlid_of(0xffff), 0xc003);
	assert_int_equal(mlid_of(0xc000 + 1024), 0xc004); /* beyond the switch's table */
	assert_int_equal(mlid_of(0xc000 + 1023), 0xc000 + 1023);
}

static void add__no_more_than_switches_can(void **state)
{
	struct topology *plan = topology_pair();

	(void)state;
	assert_non_null(plan);
	plan->node[2].config.multicast_cap = 48;
	world_make(plan);
	assert_int_equal(sm_group_room(world.sm), 48);
	for (uint32_t i = 1; i < 48; i++)
		assert_int_equal(mlid_of(0), 0xc000 + i);
	assert_null(sm_group_add(world.sm, 0));
	assert_null(sm_group_add(world.sm, 0xc000 + 48));
}

static void members__come_change_and_go(void **state)
{
	struct sm_group *group;

	(void)state;
	world_make(topology_pair());
	group = sm_group_add(world.sm, 0);
	assert_non_null(group);
	for (uint64_t guid = 1; guid <= 100; guid++)
		assert_int_equal(sm_group_set_member(world.sm, group,
						     &(struct sm_member){guid, 1, false}),
				 0);
	assert_int_equal(group->members, 100);
	assert_int_equal(sm_group_set_member(world.sm, group, &(struct sm_member){50, 4, true}), 0);
	assert_int_equal(sm_group_member(group, 50)->state, 4);
	assert_true(sm_group_member(group, 50)->proxy);
	assert_int_equal(sm_group_set_member(world.sm, group, &(struct sm_member){1000, 0, false}),
			 0);
	assert_int_equal(group->members, 100);
	for (uint64_t guid = 1; guid <= 100; guid++) {
		assert_non_null(sm_group_member(group, guid));
		assert_int_equal(sm_group_set_member(world.sm, group,
						     &(struct sm_member){guid, 0, false}),
				 0);
		assert_null(sm_group_member(group, guid));
	}
	assert_int_equal(group->members, 0);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(add__lowest_that_is_free),
	WORLD_TEST(add__wishes),
	WORLD_TEST(add__no_more_than_switches_can),
	WORLD_TEST(members__come_change_and_go),
};

int main(void)
{
	return verbena_test_main(tests);
}
