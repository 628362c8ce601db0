// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Where packets of groups get to, on hardware: to all that receive, once, and to nobody else. */
#include "unit/sm/sa_fixture.h"

#define MOST_HOSTS 64

static uint32_t seen[MOST_HOSTS], elsewhere, nowhere;

static void visit(void *ctx, const struct subnet_path *path)
{
	uint32_t i = 0;

	(void)ctx;
	while (i < MOST_HOSTS && i < world.plan->count && world.node[i] != path->to.node)
		i++;
	if (path->verdict == SUBNET_ARRIVES && i < MOST_HOSTS && i < world.plan->count &&
	    world.plan->node[i].config.type == SUBNET_CA)
		seen[i]++;
	else if (path->verdict == SUBNET_NO_ROUTE && path->hops == 1)
		nowhere++; /* nobody else is there: it ends at the first switch */
	else
		elsewhere++;
}

static void send_to_group(uint32_t host, uint16_t mlid)
{
	memset(seen, 0, sizeof(seen));
	elsewhere = nowhere = 0;
	subnet_resolve_group(world.subnet, world_at(host, 1), mlid, 0, 0xffff, visit, NULL);
}

static uint32_t hosts(void)
{
	uint32_t count = 0;

	while (count < world.plan->count && world.plan->node[count].config.type == SUBNET_CA)
		count++;
	return count;
}

static struct sm_group *add_group(uint8_t last, uint16_t wish)
{
	struct sm_group *group = sm_group_add(world.sm, wish);

	assert_non_null(group);
	group->record[0] = 0xff;
	group->record[15] = last;
	return group;
}

static void put(struct sm_group *group, uint32_t host, uint8_t state)
{
	const struct sm_member member = {.guid = world_guid(host), .state = state};

	assert_int_equal(sm_group_set_member(world.sm, group, &member), 0);
}

static uint8_t state_of(const struct sm_group *group, uint32_t host)
{
	const struct sm_member *member = sm_group_member(group, world_guid(host));

	return member ? member->state : 0;
}

/* From each member to each that receives, but for itself. */
static void assert_reaches(const struct sm_group *group)
{
	for (uint32_t from = 0; from < hosts(); from++) {
		uint32_t others = 0;

		if (!state_of(group, from))
			continue;
		send_to_group(from, group->mlid);
		assert_int_equal(elsewhere, 0);
		for (uint32_t to = 0; to < hosts(); to++) {
			const bool receives = to != from && (state_of(group, to) & SM_RECEIVES);

			assert_int_equal(seen[to], receives);
			others += receives;
		}
		assert_int_equal(nowhere, !others);
	}
}

static void regroup(void)
{
	sm_regroup(world.sm);
	world_run();
	assert_true(sm_is_up(world.sm));
}

static void trees__two_on_one_switch(void **state)
{
	struct sm_group *group;

	(void)state;
	world_make(topology_pair());
	group = add_group(1, 0);
	put(group, 0, SM_FULL_MEMBER);
	put(group, 1, SM_FULL_MEMBER);
	regroup();
	assert_reaches(group);
	assert_int_equal(world.set_mft, 1);
	assert_int_equal(world.set_other, 0);
}

static uint32_t random_number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}

/* Members of all kinds come and go in several groups at once. */
static void churn(struct topology *plan, uint64_t seed)
{
	static const uint8_t kinds[] = {0,
					SM_FULL_MEMBER,
					SM_NON_MEMBER,
					SM_SENDS_ONLY,
					SM_FULL_SENDS_ONLY,
					SM_FULL_MEMBER | SM_SENDS_ONLY};
	struct sm_group *group[3];

	world_make(plan);
	for (uint8_t i = 0; i < 3; i++)
		group[i] = add_group(i, 0);
	for (uint32_t round = 0; round < 30; round++) {
		const uint32_t changes = 1 + random_number(&seed) % 8;

		for (uint32_t i = 0; i < changes; i++)
			put(group[random_number(&seed) % 3], random_number(&seed) % hosts(),
			    kinds[random_number(&seed) % 6]);
		regroup();
		for (uint32_t i = 0; i < 3; i++)
			assert_reaches(group[i]);
	}
	assert_int_equal(world.set_other, 0);
	world_teardown(NULL);
}

static void trees__fat_tree(void **state)
{
	(void)state;
	churn(topology_fat_tree(4), 1);
}

static void trees__rings_have_no_loops(void **state)
{
	(void)state;
	churn(topology_ring(7), 2);
	churn(topology_torus(3, 3, 3), 3);
	churn(topology_dragonfly(2, 3, 1), 4);
}

/* More ports and more groups than one block has. */
static void trees__several_blocks(void **state)
{
	struct sm_group *low, *high;

	(void)state;
	world_make(topology_leaf_spine(2, 20, 3));
	low = add_group(1, 0);
	high = add_group(2, 0xc000 + 40);
	assert_int_equal(high->mlid, 0xc000 + 40);
	for (uint32_t i = 0; i < 40; i += 3) {
		put(low, i, SM_FULL_MEMBER);
		put(high, i + 1 < 40 ? i + 1 : 0, SM_FULL_MEMBER);
	}
	regroup();
	assert_reaches(low);
	assert_reaches(high);
}

static void regroup__sets_only_what_differs(void **state)
{
	struct sm_group *group;

	(void)state;
	world_make(topology_fat_tree(4));
	group = add_group(1, 0);
	for (uint32_t i = 0; i < 16; i++)
		put(group, i, SM_FULL_MEMBER);
	regroup();
	assert_int_not_equal(world.set_mft, 0);
	world.set_mft = 0;
	regroup();
	assert_int_equal(world.set_mft, 0);
	put(group, 5, 0);
	regroup();
	assert_int_equal(world.set_mft, 1); /* the switch that it hangs on */
	world.set_mft = 0;
	world_sweep();
	assert_int_equal(world.set_mft, 0);
	assert_int_equal(world.set_other, 0);
	assert_reaches(group);
}

/* Links break under it. */
static void sweep__routes_groups_anew(void **state)
{
	struct subnet_path path;
	struct sm_group *group;

	(void)state;
	world_make(topology_fat_tree(4));
	group = add_group(1, 0);
	for (uint32_t i = 0; i < 16; i++)
		put(group, i, i % 5 ? SM_FULL_MEMBER : SM_SENDS_ONLY);
	regroup();
	for (uint32_t i = 1; i < 16; i++) {
		subnet_resolve(world.subnet, world_at(0, 1), world_lid(i), 0, 0xffff, &path);
		assert_int_equal(path.verdict, SUBNET_ARRIVES);
		if (path.hops < 4)
			continue;
		assert_true(subnet_set_link(world.subnet, path.hop[2], false));
		world_sweep();
		assert_reaches(group);
		assert_true(subnet_set_link(world.subnet, path.hop[2], true));
		world_sweep();
		assert_reaches(group);
	}
}

static void sweep__a_member_that_is_away(void **state)
{
	struct sm_group *group;

	(void)state;
	world_make(topology_ring(4));
	group = add_group(1, 0);
	put(group, 2, SM_FULL_MEMBER);
	put(group, 3, SM_FULL_MEMBER);
	regroup();
	assert_true(subnet_set_link(world.subnet, world_at(2, 1), false));
	base_free(world.reply.mad);
	world.reply.mad = NULL;
	sa_free(world.sa); /* which would have it leave */
	world.sa = NULL;
	world_sweep();
	assert_true(subnet_set_link(world.subnet, world_at(2, 1), true));
	world_sweep();
	assert_reaches(group);
}

static void regroup__what_is_lost_a_sweep_repairs(void **state)
{
	struct sm_group *group;
	uint32_t sweeps;

	(void)state;
	world_make(topology_ring(4));
	sweeps = world.sweeps;
	group = add_group(1, 0);
	for (uint32_t i = 0; i < 4; i++)
		put(group, i, SM_FULL_MEMBER);
	world.losing = 1;
	sm_regroup(world.sm);
	world_run();
	assert_false(sm_is_up(world.sm));
	assert_int_equal(world.sweeps, sweeps + 1); /* somebody is told that it is needed */
	world.set_mft = 0;
	world_sweep();
	assert_true(sm_is_up(world.sm));
	assert_int_equal(world.set_mft, 1);
	assert_reaches(group);
}

/* While a sweep is on, and while another one of its kind is. */
static void regroup__at_any_time(void **state)
{
	(void)state;
	for (uint32_t after = 0; after < 60; after++) {
		struct sm_group *group;

		world_make(topology_ring(4));
		group = add_group(1, 0);
		put(group, 0, SM_FULL_MEMBER);
		put(group, 1, SM_FULL_MEMBER);
		if (after % 2)
			sm_regroup(world.sm);
		else
			sm_sweep(world.sm);
		for (uint32_t i = 0; i < after && world.out_tail != world.out_head; i++) {
			const struct ib_smp smp = world.out[world.out_tail++ % WORLD_QUEUE];

			world_carry(&smp);
			assert_true(world.answered);
			sm_answer(world.sm, &world.answer);
		}
		put(group, 3, SM_FULL_MEMBER);
		put(group, 0, SM_SENDS_ONLY);
		regroup();
		assert_reaches(group);
		world_teardown(NULL);
	}
}

/* The way round avoids a switch whose table is too small. */
static void trees__small_tables(void **state)
{
	struct topology *plan = topology_ring(6);
	struct sm_group *low, *high;

	(void)state;
	assert_non_null(plan);
	plan->node[6 + 1].config.multicast_cap = 32;
	world_make_unswept(plan);
	low = add_group(1, 0xc001);
	high = add_group(2, 0xc020);
	world_sweep();
	assert_true(sm_is_up(world.sm));
	for (uint32_t i = 0; i < 6; i++) {
		put(low, i, SM_FULL_MEMBER);
		if (i != 1)
			put(high, i, SM_FULL_MEMBER);
	}
	regroup();
	assert_reaches(low);
	assert_reaches(high);
	assert_int_equal(sm_group_room(world.sm), 32);
	put(high, 1, SM_FULL_MEMBER); /* in vain, but nobody else's loss */
	regroup();
	put(high, 1, 0);
	assert_reaches(high);
}

/* A group that has ended leaves nothing behind. */
static void groups__removed(void **state)
{
	struct sm_group *group;
	struct sm_group gone;

	(void)state;
	world_make(topology_ring(4));
	group = add_group(1, 0);
	put(group, 0, SM_FULL_MEMBER);
	put(group, 2, SM_FULL_MEMBER);
	regroup();
	gone = *group;
	sm_group_remove(world.sm, group);
	regroup();
	send_to_group(0, gone.mlid);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(seen[i], 0);
	assert_null(sm_group_find(world.sm, gone.record));
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(trees__two_on_one_switch),
	WORLD_TEST(trees__fat_tree),
	WORLD_TEST(trees__rings_have_no_loops),
	WORLD_TEST(trees__several_blocks),
	WORLD_TEST(regroup__sets_only_what_differs),
	WORLD_TEST(sweep__routes_groups_anew),
	WORLD_TEST(sweep__a_member_that_is_away),
	WORLD_TEST(regroup__what_is_lost_a_sweep_repairs),
	WORLD_TEST(regroup__at_any_time),
	WORLD_TEST(trees__small_tables),
	WORLD_TEST(groups__removed),
};

int main(void)
{
	return verbena_test_main(tests);
}
