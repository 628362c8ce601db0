// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The manager on hardware: subnets come up, heal, and keep their LIDs. */
#include <linux/verbena_base.h>
#include <rdma/ib_verbs.h>
#include <stdlib.h>

#include "common/test.h"
#include "device/manager.h"
#include "fabric/subnet.h"
#include "fabric/topology.h"

#define LONG_NS 100000000000u

/* A subnet with a manager at port 0 of its first switch. */
static struct {
	struct topology *plan;
	struct subnet *subnet;
	uint32_t *node;
	struct device_manager *manager;
	struct subnet_at place;
} world;

static bool deliver(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	(void)ctx;
	return world.manager && at.node == world.place.node && at.port == world.place.port &&
	       device_manager_deliver(world.manager, mad);
}

static void changed(void *ctx, struct subnet_at at, uint32_t what)
{
	(void)ctx;
	(void)at;
	(void)what;
}

static const struct subnet_ops ops = {.deliver = deliver, .changed = changed};

static void make(struct topology *plan)
{
	const struct sm_options options = {.subnet_prefix = 0};
	struct topology_error error;

	world.plan = plan;
	assert_non_null(plan);
	world.subnet = subnet_new(&ops, NULL);
	assert_non_null(world.subnet);
	world.node = calloc(plan->count, sizeof(*world.node));
	assert_int_equal(topology_build(plan, world.subnet, world.node, &error), 0);
	for (uint32_t i = plan->count; i-- > 0;)
		if (plan->node[i].config.type == SUBNET_SWITCH)
			world.place = (struct subnet_at){world.node[i], 0};
	world.manager = device_manager_new(world.subnet, world.place, &options);
	assert_non_null(world.manager);
}

static int teardown(void **state)
{
	(void)state;
	device_manager_free(world.manager);
	world.manager = NULL;
	subnet_free(world.subnet);
	world.subnet = NULL;
	topology_free(world.plan);
	world.plan = NULL;
	free(world.node);
	world.node = NULL;
	return 0;
}

static void come_up(void)
{
	struct sm_stats stats;

	if (device_manager_wait(world.manager, LONG_NS))
		return;
	device_manager_stats(world.manager, &stats);
	fail_msg(
		"not up: %llu sweeps, %llu failed, %llu sent, %llu lost, %llu refused; %u switches, %u adapters",
		stats.sweeps, stats.failed, stats.sent, stats.lost, stats.refused, stats.switches,
		stats.adapters);
}

static struct subnet_at host(uint32_t i)
{
	return (struct subnet_at){world.node[i], 1};
}

static uint32_t hosts(void)
{
	uint32_t count = 0;

	while (count < world.plan->count && world.plan->node[count].config.type == SUBNET_CA)
		count++;
	return count;
}

static uint16_t lid_of(struct subnet_at at)
{
	struct subnet_port_view view;

	assert_int_equal(subnet_query_port(world.subnet, at, &view), 0);
	return view.lid;
}

static enum subnet_verdict way(uint32_t from, uint32_t to, struct subnet_path *path)
{
	subnet_resolve(world.subnet, host(from), lid_of(host(to)), 0, 0xffff, path);
	return path->verdict;
}

static void assert_all_active(void)
{
	for (uint32_t i = 0; i < world.plan->count; i++)
		for (unsigned int port = 1; port <= world.plan->node[i].config.ports; port++) {
			const struct subnet_at at = {world.node[i], (uint8_t)port};
			struct subnet_port_view view;
			struct subnet_at peer;

			assert_int_equal(subnet_query_port(world.subnet, at, &view), 0);
			assert_int_equal(view.state, subnet_peer(world.subnet, at, &peer)
							     ? IB_PORT_ACTIVE
							     : IB_PORT_DOWN);
		}
}

/* Every host reaches every other one, within so many links; and each has a LID of its own. */
static void assert_all_reach(unsigned int most_hops)
{
	const uint32_t n = hosts();

	for (uint32_t from = 0; from < n; from++) {
		assert_in_range(lid_of(host(from)), 1, 0xbfff);
		for (uint32_t to = 0; to < n; to++) {
			struct subnet_path path;

			if (from == to)
				continue;
			assert_int_not_equal(lid_of(host(from)), lid_of(host(to)));
			assert_int_equal(way(from, to, &path), SUBNET_ARRIVES);
			assert_int_equal(path.to.node, world.node[to]);
			assert_in_range(path.hops, 2, most_hops);
		}
	}
}

static void sweep__brings_all_up(void **state)
{
	(void)state;
	make(topology_pair());
	come_up();
	assert_all_active();
	assert_all_reach(2);
}

static void sweep__fat_tree(void **state)
{
	struct sm_stats stats;

	(void)state;
	make(topology_fat_tree(6));
	come_up();
	assert_all_active();
	assert_all_reach(6);
	device_manager_stats(world.manager, &stats);
	assert_int_equal(stats.switches, 45);
	assert_int_equal(stats.adapters, 54);
	assert_int_equal(stats.links, 162);
	assert_int_equal(stats.lost, 0);
	assert_int_equal(stats.refused, 0);
}

static void sweep__torus_and_dragonfly(void **state)
{
	(void)state;
	make(topology_torus(3, 3, 2));
	come_up();
	assert_all_reach(2 + 3);
	teardown(NULL);
	make(topology_dragonfly(2, 3, 1));
	come_up();
	assert_all_reach(2 + 3);
}

/* Of hosts behind different edges the ways use all of the switches above. */
static void sweep__ways_are_spread(void **state)
{
	uint32_t used[16] = {0};
	const uint32_t k = 4, first_core = k * k * k / 4 + k * k;

	(void)state;
	make(topology_fat_tree(k));
	come_up();
	for (uint32_t from = 0; from < hosts(); from++)
		for (uint32_t to = 0; to < hosts(); to++) {
			struct subnet_path path;

			if (from == to || way(from, to, &path) != SUBNET_ARRIVES || path.hops < 6)
				continue;
			for (uint32_t core = 0; core < 4; core++)
				used[core] += path.hop[5].node == world.node[first_core + core];
		}
	for (uint32_t core = 0; core < 4; core++)
		assert_in_range(used[core], 24, 72);
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

/* Traps, and the sweep that they call for. */
static void settle(void)
{
	(void)base_wait_until(never, NULL, 3000000000u);
	come_up();
}

static void sweep__heals(void **state)
{
	const uint16_t lid = (make(topology_fat_tree(4)), come_up(), lid_of(host(0)));
	struct subnet_path path;
	struct subnet_at cut;

	(void)state;
	assert_int_equal(way(0, 15, &path), SUBNET_ARRIVES);
	cut = path.hop[2]; /* from the edge upwards */
	assert_true(subnet_set_link(world.subnet, cut, false));
	settle();
	assert_int_equal(way(0, 15, &path), SUBNET_ARRIVES);
	assert_true(path.hop[2].node != cut.node || path.hop[2].port != cut.port);
	assert_all_reach(6);
	assert_int_equal(lid_of(host(0)), lid);
	assert_true(subnet_set_link(world.subnet, cut, true));
	settle();
	assert_all_active();
}

static void sweep__a_host_comes_back(void **state)
{
	struct subnet_path path;
	uint16_t lid;

	(void)state;
	make(topology_fat_tree(4));
	come_up();
	lid = lid_of(host(3));
	assert_true(subnet_set_link(world.subnet, host(3), false));
	settle();
	subnet_resolve(world.subnet, host(0), lid, 0, 0xffff, &path);
	assert_int_not_equal(path.verdict, SUBNET_ARRIVES);
	assert_true(subnet_set_link(world.subnet, host(3), true));
	settle();
	assert_int_equal(lid_of(host(3)), lid);
	assert_all_reach(6);
}

/* The second time nothing is to be set: only what asks is sent. */
static void sweep__sets_only_what_differs(void **state)
{
	struct sm_stats first, second;
	uint32_t epoch;

	(void)state;
	make(topology_fat_tree(4));
	come_up();
	device_manager_stats(world.manager, &first);
	epoch = subnet_epoch(world.subnet);
	device_manager_sweep(world.manager);
	device_manager_stats(world.manager, &second);
	assert_int_equal(second.sweeps, first.sweeps + 1);
	assert_int_equal(subnet_epoch(world.subnet), epoch);
	assert_in_range(second.sent - first.sent, 100, first.sent - 100);
}

#define INBOX 256u
#define TRAPS (INBOX + 44u)

/* While the manager sends. */
static void crowd_in(void *ctx, const struct subnet_mad *sent)
{
	struct subnet_mad trap = {.slid = 1};
	struct ib_smp *smp = (struct ib_smp *)(void *)trap.data;
	bool *done = ctx;

	(void)sent;
	if (*done)
		return;
	*done = true;
	ib_init_query_mad(smp);
	smp->method = IB_MGMT_METHOD_TRAP;
	for (uint32_t i = 0; i < TRAPS; i++)
		assert_true(device_manager_deliver(world.manager, &trap));
}

/* PortCounters of the manager's port. */
static uint32_t vl15_dropped(void)
{
	struct subnet_mad in = {.data = {1, 4, 1, 1}}, out;

	in.data[17] = 0x12;
	assert_int_equal(subnet_process_mad(world.subnet, world.place, 0, &in, &out), 3);
	return (uint32_t)out.data[64 + 22] << 8 | out.data[64 + 23];
}

/* What the inbox has no room for is counted; answers among it are asked for again. */
static void sweep__a_full_inbox_is_counted(void **state)
{
	bool done = false;

	(void)state;
	make(topology_fat_tree(4));
	device_manager_watch(world.manager, crowd_in, &done);
	come_up();
	assert_true(done);
	assert_in_range(vl15_dropped(), TRAPS - INBOX, TRAPS - INBOX + 64);
	assert_all_active();
}

#define LEASE_S 2u
#define FOREIGN_MKEY 0x4711u
#define S_NS 1000000000u

/* PortInfo of a port with a LID, as its own firmware sees it. */
static void port_info(struct subnet_at at, u8 method, struct ib_port_info *info)
{
	struct subnet_mad in = {.pkey = 0xffff}, out;
	struct ib_smp *smp = (struct ib_smp *)(void *)in.data;

	ib_init_query_mad(smp);
	smp->method = method;
	smp->attr_id = IB_SMP_ATTR_PORT_INFO;
	smp->mkey = cpu_to_be64(FOREIGN_MKEY);
	memcpy(smp->data, info, sizeof(*info));
	assert_int_equal(subnet_process_mad(world.subnet, at, IB_MAD_IGNORE_MKEY, &in, &out), 3);
	memcpy(info, ((struct ib_smp *)(void *)out.data)->data, sizeof(*info));
}

/* Another manager has been here. */
static void lock_with_key(struct subnet_at at, u8 protect, u16 lease_s)
{
	struct ib_port_info info = {.mkey = 0};

	port_info(at, IB_MGMT_METHOD_GET, &info);
	info.mkey = cpu_to_be64(FOREIGN_MKEY);
	info.mkeyprot_resv_lmc = (u8)(protect << 6);
	info.mkey_lease_period = cpu_to_be16(lease_s);
	info.linkspeed_portstate &= 0xf0;
	info.portphysstate_linkdown = 0;
	port_info(at, IB_MGMT_METHOD_SET, &info);
}

static u64 key_of(struct subnet_at at)
{
	struct ib_port_info info = {.mkey = 0};

	port_info(at, IB_MGMT_METHOD_GET, &info);
	return be64_to_cpu(info.mkey);
}

/*
 * A key that can be read is used. One that cannot be is waited for: however often the manager asks meanwhile, the
 * lease runs out, and then it can.
 */
static void sweep__a_foreign_mkey_is_taken_off(void **state)
{
	struct subnet_at place[2];

	(void)state;
	make(topology_fat_tree(4));
	come_up();
	place[0] = host(5);
	place[1] = (struct subnet_at){world.node[hosts() + 3], 0};
	assert_int_equal(world.plan->node[hosts() + 3].config.type, SUBNET_SWITCH);
	for (u8 protect = 0; protect < 4; protect++)
		for (size_t i = 0; i < 2; i++) {
			lock_with_key(place[i], protect, protect ? LEASE_S : 0);
			device_manager_sweep(world.manager);
			(void)base_wait_until(never, NULL, S_NS);
			assert_int_equal(key_of(place[i]), protect ? FOREIGN_MKEY : 0);
			(void)base_wait_until(never, NULL, (LEASE_S + 3ull) * S_NS);
			assert_int_equal(key_of(place[i]), 0);
			come_up();
			assert_all_active();
		}
	assert_all_reach(6);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(sweep__brings_all_up, teardown),
	cmocka_unit_test_teardown(sweep__fat_tree, teardown),
	cmocka_unit_test_teardown(sweep__torus_and_dragonfly, teardown),
	cmocka_unit_test_teardown(sweep__ways_are_spread, teardown),
	cmocka_unit_test_teardown(sweep__heals, teardown),
	cmocka_unit_test_teardown(sweep__a_host_comes_back, teardown),
	cmocka_unit_test_teardown(sweep__sets_only_what_differs, teardown),
	cmocka_unit_test_teardown(sweep__a_full_inbox_is_counted, teardown),
	cmocka_unit_test_teardown(sweep__a_foreign_mkey_is_taken_off, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
