// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Two managers on one subnet: the one at port 0 of a switch, the other at a host. */
#include "device/manager.h"

#include <linux/verbena_base.h>
#include <rdma/ib_verbs.h>
#include <stdlib.h>

#include "common/test.h"
#include "fabric/subnet.h"
#include "fabric/topology.h"

#define MANAGERS 2u
#define S_NS 1000000000ull
#define POLLS_NS (60 * S_NS) /* four polls, each sent four times */

static struct {
	struct topology *plan;
	struct subnet *subnet;
	uint32_t *node;
	struct device_manager *manager[MANAGERS];
	struct subnet_at place[MANAGERS];
	bool hangs[MANAGERS]; /* takes what comes, and does nothing */
} world;

static bool deliver(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	(void)ctx;
	for (unsigned int i = 0; i < MANAGERS; i++)
		if (world.manager[i] && at.node == world.place[i].node &&
		    at.port == world.place[i].port)
			return world.hangs[i] || device_manager_deliver(world.manager[i], mad);
	return false;
}

static void changed(void *ctx, struct subnet_at at, uint32_t what)
{
	(void)ctx;
	(void)at;
	(void)what;
}

static const struct subnet_ops ops = {.deliver = deliver, .changed = changed};

/* Hosts are the first nodes of a plan. */
static uint32_t hosts(void)
{
	uint32_t count = 0;

	while (count < world.plan->count && world.plan->node[count].config.type == SUBNET_CA)
		count++;
	return count;
}

static void make(struct topology *plan)
{
	struct topology_error error;

	memset(&world, 0, sizeof(world));
	world.plan = plan;
	assert_non_null(plan);
	world.subnet = subnet_new(&ops, NULL);
	assert_non_null(world.subnet);
	subnet_seed(world.subnet, 4711);
	world.node = calloc(plan->count, sizeof(*world.node));
	assert_int_equal(topology_build(plan, world.subnet, world.node, &error), 0);
	world.place[0] = (struct subnet_at){world.node[plan->count - 1], 0};
	world.place[1] = (struct subnet_at){world.node[0], 1};
}

static bool try(unsigned int i, uint8_t priority)
{
	const struct sm_options options = {.priority = priority};

	world.manager[i] = device_manager_new(world.subnet, world.place[i], &options);
	assert_non_null(world.manager[i]);
	return device_manager_wait(world.manager[i], 10 * S_NS);
}

static void start(unsigned int i, uint8_t priority)
{
	assert_true(try(i, priority));
}

static void end(unsigned int i)
{
	device_manager_free(world.manager[i]);
	world.manager[i] = NULL;
}

static int teardown(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < MANAGERS; i++)
		end(i);
	subnet_free(world.subnet);
	topology_free(world.plan);
	free(world.node);
	memset(&world, 0, sizeof(world));
	return 0;
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void pass(uint64_t ns)
{
	(void)base_wait_until(never, NULL, ns);
}

static struct subnet_port_view view_of(struct subnet_at at)
{
	struct subnet_port_view view;

	assert_int_equal(subnet_query_port(world.subnet, at, &view), 0);
	return view;
}

/* All ports follow one of them, and reach each other; the other one stands by. */
static void assert_master(unsigned int i)
{
	const uint16_t lid = view_of(world.place[i]).lid;

	assert_int_not_equal(lid, 0);
	assert_int_equal(device_manager_state(world.manager[i]), SM_MASTER);
	if (world.manager[!i] && !world.hangs[!i])
		assert_int_equal(device_manager_state(world.manager[!i]), SM_STANDBY);
	for (uint32_t from = 0; from < hosts(); from++) {
		const struct subnet_at at = {world.node[from], 1};

		assert_int_equal(view_of(at).sm_lid, lid);
		for (uint32_t to = 0; to < hosts(); to++) {
			struct subnet_path path;

			subnet_resolve(world.subnet, at,
				       view_of((struct subnet_at){world.node[to], 1}).lid, 0,
				       0xffff, &path);
			assert_int_equal(path.verdict, SUBNET_ARRIVES);
			assert_int_equal(path.to.node, world.node[to]);
		}
	}
}

static void managers__the_second_stands_by(void **state)
{
	struct sm_stats before, after;

	(void)state;
	make(topology_fat_tree(4));
	start(0, 1);
	start(1, 0);
	assert_master(0);
	pass(POLLS_NS);
	device_manager_stats(world.manager[0], &before);
	pass(POLLS_NS);
	assert_master(0);
	device_manager_stats(world.manager[0], &after);
	assert_int_equal(after.sweeps, before.sweeps); /* nothing happens */
	assert_int_equal(after.failed, before.failed);
}

/* That it is there is told by trap 144. */
static void managers__a_higher_one_is_given_way_to(void **state)
{
	uint16_t lid[16] = {0};

	(void)state;
	make(topology_fat_tree(4));
	start(0, 0);
	for (uint32_t i = 0; i < hosts(); i++)
		lid[i] = view_of((struct subnet_at){world.node[i], 1}).lid;
	start(1, 1);
	pass(S_NS);
	assert_master(1);
	for (uint32_t i = 0; i < hosts(); i++)
		assert_int_equal(view_of((struct subnet_at){world.node[i], 1}).lid, lid[i]);
}

static void managers__of_equal_ones_the_lower_guid(void **state)
{
	(void)state;
	for (unsigned int first = 0; first < MANAGERS; first++) {
		make(topology_pair());
		start(first, 3);
		start(!first, 3);
		pass(S_NS);
		assert_master(view_of(world.place[1]).guid < view_of(world.place[0]).guid);
		teardown(state);
	}
	make(topology_pair());
}

/* Whoever of them dies, without a word. */
static void managers__the_master_dies_and_comes_back(void **state)
{
	(void)state;
	for (unsigned int dies = 0; dies < MANAGERS; dies++) {
		make(topology_fat_tree(4));
		start(dies, 5);
		start(!dies, 2);
		assert_master(dies);
		world.hangs[dies] = true;
		pass(30 * S_NS);
		assert_int_equal(device_manager_state(world.manager[!dies]), SM_STANDBY);
		pass(POLLS_NS);
		assert_master(!dies);
		/* It thinks that it is the master still, and is the higher one. */
		world.hangs[dies] = false;
		pass(POLLS_NS);
		assert_master(dies);
		/* And another one at its place. */
		end(dies);
		pass(POLLS_NS);
		assert_master(!dies);
		start(dies, 5);
		pass(S_NS);
		assert_master(dies);
		end(dies);
		start(dies, 1);
		pass(POLLS_NS);
		teardown(state);
	}
	make(topology_pair());
}

/* It says that it goes: so at the next poll. */
static void managers__the_master_ends(void **state)
{
	(void)state;
	make(topology_fat_tree(4));
	start(0, 5);
	start(1, 2);
	end(0);
	pass(11 * S_NS);
	assert_master(1);
}

static void managers__one_that_stands_by_ends(void **state)
{
	(void)state;
	make(topology_fat_tree(4));
	start(0, 5);
	start(1, 2);
	end(1);
	pass(POLLS_NS);
	assert_master(0);
}

static unsigned int starts;

/* While the one discovers the other begins. */
static void begin_too(void *ctx, const struct subnet_mad *sent)
{
	(void)ctx;
	(void)sent;
	if (starts++ == 20)
		device_manager_sweep(world.manager[1]);
}

static void managers__both_begin_at_once(void **state)
{
	const struct sm_options options[] = {{.priority = 0}, {.priority = 1}};

	(void)state;
	for (unsigned int higher = 0; higher < MANAGERS; higher++) {
		make(topology_fat_tree(4));
		for (unsigned int i = 0; i < MANAGERS; i++) {
			world.manager[i] = device_manager_new(world.subnet, world.place[i],
							      &options[i == higher]);
			assert_non_null(world.manager[i]);
		}
		starts = 0;
		device_manager_watch(world.manager[0], begin_too, NULL);
		device_manager_sweep(world.manager[0]);
		assert_in_range(starts, 21, UINT32_MAX);
		pass(POLLS_NS);
		assert_master(higher);
		teardown(state);
	}
	make(topology_pair());
}

static void set_loss(uint32_t ppm)
{
	const struct subnet_link_faults faults = {.loss_ppm = ppm};

	for (uint32_t i = 0; i < world.plan->count; i++)
		for (unsigned int port = 1; port <= world.plan->node[i].config.ports; port++)
			(void)subnet_set_link_faults(
				world.subnet, (struct subnet_at){world.node[i], (uint8_t)port},
				&faults);
}

/* Anything may be lost, and there may be two masters meanwhile; but not for long. */
static void managers__settle_after_losses(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 12; round++) {
		const unsigned int first = round % 2, higher = round / 2 % 2;

		make(topology_leaf_spine(3, 2, 2));
		subnet_seed(world.subnet, round);
		set_loss(100000 + 30000 * round);
		(void)try(first, first == higher ? 4 : 1);
		(void)try(!first, first == higher ? 1 : 4);
		pass(POLLS_NS);
		set_loss(0);
		pass(2 * POLLS_NS);
		assert_master(higher);
		teardown(state);
	}
	make(topology_pair());
}

/* The two parts of a subnet have a master each; mended there is one. */
static void managers__two_parts_become_one(void **state)
{
	(void)state;
	for (unsigned int higher = 0; higher < MANAGERS; higher++) {
		const struct subnet_at cut = (make(topology_fat_tree(4)), world.place[1]);

		start(higher, 9);
		start(!higher, 1);
		assert_true(subnet_set_link(world.subnet, cut, false));
		pass(POLLS_NS);
		assert_int_equal(device_manager_state(world.manager[0]), SM_MASTER);
		assert_int_equal(device_manager_state(world.manager[1]), SM_MASTER);
		assert_true(subnet_set_link(world.subnet, cut, true));
		pass(POLLS_NS);
		assert_master(higher);
		teardown(state);
	}
	make(topology_pair());
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(managers__the_second_stands_by, teardown),
	cmocka_unit_test_teardown(managers__a_higher_one_is_given_way_to, teardown),
	cmocka_unit_test_teardown(managers__of_equal_ones_the_lower_guid, teardown),
	cmocka_unit_test_teardown(managers__the_master_dies_and_comes_back, teardown),
	cmocka_unit_test_teardown(managers__the_master_ends, teardown),
	cmocka_unit_test_teardown(managers__one_that_stands_by_ends, teardown),
	cmocka_unit_test_teardown(managers__both_begin_at_once, teardown),
	cmocka_unit_test_teardown(managers__settle_after_losses, teardown),
	cmocka_unit_test_teardown(managers__two_parts_become_one, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
