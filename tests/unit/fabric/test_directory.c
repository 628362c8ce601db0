// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who is attached where: numbers, blocks, groups, and what a reader makes of them. */
#include "fabric/directory.h"

#include <errno.h>
#include <rdma/ib_verbs.h>
#include <string.h>

#include "common/test.h"

static struct directory dir;
static uint32_t slots[2];
static uint16_t lids[2];

static int start(void **state)
{
	(void)state;
	memset(&dir, 0, sizeof(dir));
	directory_init(&dir, 0, 1);
	for (int i = 0; i < 2; i++) {
		const struct directory_hca one = {.ports = 1};

		assert_int_equal(directory_add_host(&dir, i ? "b" : "a"), i);
		assert_int_equal(directory_add_hca(&dir, (uint32_t)i, 0, &one), 0);
		slots[i] = (uint32_t)directory_slot(&dir, (uint32_t)i, 0, 0);
		lids[i] = dir.fabric.ports[slots[i]].config.lid;
	}
	return 0;
}

static void directory_find__by_lid_and_number(void **state)
{
	const int a = directory_add_process(&dir, 0, 10, 0);
	const int b = directory_add_process(&dir, 1, 11, 0);
	uint32_t qa, qb;

	(void)state;
	assert_int_equal(directory_take_block(&dir, (uint32_t)a, &qa), 0);
	assert_int_equal(directory_take_block(&dir, (uint32_t)b, &qb), 0);
	assert_int_not_equal(qa, qb);
	assert_int_equal(directory_find(&dir, slots[0], lids[1], qb), b);
	assert_int_equal(directory_find(&dir, slots[0], lids[1], qb + 255), b);
	assert_int_equal(directory_find(&dir, slots[0], lids[0], qa), a);
	/* The number is another host's. */
	assert_int_equal(directory_find(&dir, slots[0], lids[1], qa), -ENOENT);
	assert_int_equal(directory_find(&dir, slots[0], lids[1], 0xffffff), -ENOENT);
	assert_int_equal(directory_find(&dir, slots[0], 0x4000, qb), -EHOSTUNREACH);
	fabric_port_set_link(&dir.fabric, slots[1], false);
	assert_int_equal(directory_find(&dir, slots[0], lids[1], qb), -EHOSTUNREACH);
}

static void directory_find__any_port_of_the_host(void **state)
{
	const struct directory_hca two = {.ports = 2, .port = {{.lid = 40}, {.lid = 44, .lmc = 1}}};
	const int b = directory_add_process(&dir, 1, 11, 0);
	uint32_t qpn;

	(void)state;
	assert_int_equal(directory_add_hca(&dir, 1, 3, &two), 0);
	assert_int_equal(directory_take_block(&dir, (uint32_t)b, &qpn), 0);
	assert_int_equal(directory_find(&dir, slots[0], lids[1], qpn), b);
	assert_int_equal(directory_find(&dir, slots[0], 40, qpn), b);
	assert_int_equal(directory_find(&dir, slots[0], 45, qpn), b);
	assert_int_equal(directory_find(&dir, slots[0], lids[0], qpn), -ENOENT);
	fabric_port_set_link(&dir.fabric, (uint32_t)directory_slot(&dir, 1, 3, 0), false);
	assert_int_equal(directory_find(&dir, slots[0], 40, qpn), -EHOSTUNREACH);
	assert_int_equal(directory_find(&dir, slots[0], 44, qpn), b);
}

static void directory_add_hca__all_ports_or_none(void **state)
{
	const struct directory_hca first = {.ports = 1, .port = {{.guid = 7, .lid = 40}}};
	const struct directory_hca again = {.ports = 2, .port = {{.guid = 8}, {.lid = 41}}};
	const struct directory_hca taken = {.ports = 2, .port = {{.lid = 50}, {.lid = 40}}};
	const struct directory_hca many = {.ports = DIRECTORY_PORTS + 1};
	int slot;

	(void)state;
	assert_int_equal(directory_add_hca(&dir, 0, 1, &first), 0);
	slot = directory_slot(&dir, 0, 1, 0);
	/* What is there stays, what is not is added. */
	assert_int_equal(directory_add_hca(&dir, 0, 1, &again), 0);
	assert_int_equal(directory_slot(&dir, 0, 1, 0), slot);
	assert_int_equal(dir.fabric.ports[slot].config.guid, 7);
	assert_int_equal(fabric_owner(&dir.fabric, 41), directory_slot(&dir, 0, 1, 1));
	assert_int_equal(directory_add_hca(&dir, 1, 2, &taken), -EEXIST);
	assert_int_equal(directory_slot(&dir, 1, 2, 0), -ENOENT);
	assert_int_equal(fabric_owner(&dir.fabric, 50), -EHOSTUNREACH);
	assert_int_equal(directory_add_hca(&dir, 1, 2, &many), -EINVAL);
	assert_int_equal(directory_add_hca(&dir, 1, DIRECTORY_HCAS, &first), -EINVAL);
	assert_int_equal(directory_slot(&dir, DIRECTORY_HOSTS, 0, 0), -ENOENT);
}

static void directory_remove_process__forgets_numbers_and_groups(void **state)
{
	const uint8_t gid[16] = {0xff, 0x12, 1};
	const int a = directory_add_process(&dir, 0, 10, 0);
	const uint32_t generation = dir.process[a].generation;
	const uint64_t epoch = dir.epoch;
	uint32_t qpn, again;

	(void)state;
	assert_int_equal(directory_take_block(&dir, (uint32_t)a, &qpn), 0);
	assert_int_equal(directory_join(&dir, (uint32_t)a, gid), 0);
	assert_true(directory_is_alive(&dir, (uint32_t)a, generation));
	directory_remove_process(&dir, (uint32_t)a);
	assert_false(directory_is_alive(&dir, (uint32_t)a, generation));
	assert_int_equal(directory_find(&dir, slots[0], lids[0], qpn), -ENOENT);
	assert_int_equal(directory_next_member(&dir, slots[0], gid, 0), -ENOENT);
	assert_true(dir.epoch > epoch);
	/* Both come last again. */
	assert_int_not_equal(directory_add_process(&dir, 0, 12, 0), a);
	assert_int_equal(directory_take_block(&dir, 1, &again), 0);
	assert_int_not_equal(again, qpn);
}

static bool is_up(void)
{
	return dir.fabric.ports[slots[0]].up;
}

static void directory_set_link__up_again_when_nobody_keeps_it_down(void **state)
{
	const uint32_t a = (uint32_t)directory_add_process(&dir, 0, 10, 0);
	const uint32_t b = (uint32_t)directory_add_process(&dir, 0, 11, 0);
	const uint32_t elsewhere = (uint32_t)directory_add_process(&dir, 1, 12, 0);
	const uint64_t epoch = dir.epoch;

	(void)state;
	assert_int_equal(directory_set_link(&dir, a, 0, 1, false), -ENOENT);
	assert_int_equal(directory_set_link(&dir, a, UINT32_MAX, 0, false), -ENOENT);
	assert_int_equal(directory_set_link(&dir, a, 0, 0, false), 1);
	assert_true(dir.epoch > epoch);
	assert_false(is_up());
	assert_int_equal(directory_set_link(&dir, b, 0, 0, false), 0);
	assert_int_equal(directory_release_links(&dir, elsewhere), 0);
	assert_int_equal(directory_release_links(&dir, a), 0);
	assert_false(is_up());
	assert_int_equal(directory_release_links(&dir, b), directory_port_bit(0, 0));
	assert_true(is_up());
	/* Who plugs it in does so whoever has unplugged it. */
	assert_int_equal(directory_set_link(&dir, a, 0, 0, false), 1);
	assert_int_equal(directory_set_link(&dir, b, 0, 0, true), 1);
	assert_int_equal(directory_set_link(&dir, b, 0, 0, false), 1);
	assert_int_equal(directory_release_links(&dir, a), 0);
	assert_false(is_up());
	directory_remove_process(&dir, b);
	assert_true(is_up());
}

/* Its daemon died before it could plug in what a process that died before had unplugged. */
static void directory_repair__links_of_the_dead_are_up(void **state)
{
	const uint32_t a = (uint32_t)directory_add_process(&dir, 0, 10, 0);

	(void)state;
	assert_int_equal(directory_set_link(&dir, a, 0, 0, false), 1);
	assert_true(directory_repair(&dir, sizeof(dir)));
	assert_false(is_up());
	dir.process[a].state = DIRECTORY_DEAD;
	assert_true(directory_repair(&dir, sizeof(dir)));
	assert_true(is_up());
}

/* The ports of a subnet: what they have is said of them later. */
static void join(uint32_t host, uint32_t count)
{
	static const uint64_t guid[DIRECTORY_PORTS] = {0x10, 0x11, 0x12, 0x13};

	dir.managed = 1;
	assert_int_equal(directory_join_hca(&dir, host, 1, count, guid), 0);
}

static void directory_join_hca__all_ports_or_none(void **state)
{
	static const uint64_t guid[2] = {0x20, 0x10};

	(void)state;
	join(0, 2);
	assert_int_equal(directory_join_hca(&dir, 1, 1, 2, guid), -EEXIST);
	assert_int_equal(directory_slot(&dir, 1, 1, 0), -ENOENT);
	assert_int_equal(directory_join_hca(&dir, 1, 1, DIRECTORY_PORTS + 1, guid), -EINVAL);
	assert_int_equal(directory_join_hca(&dir, 0, 1, 2, guid), 0); /* they are there already */
	assert_int_equal(dir.fabric.ports[directory_slot(&dir, 0, 1, 1)].config.guid, 0x11);
}

static void directory_write_view__decides_about_lids_and_links(void **state)
{
	struct directory_view view = {.port = {.state = IB_PORT_ACTIVE, .lid = 70, .lmc = 1},
				      .node_guid = 9,
				      .pkey = {0xffff, 0x8001},
				      .guid = {0x10, 0x77}};
	struct directory_view read;
	uint32_t slot;

	(void)state;
	join(0, 1);
	slot = (uint32_t)directory_slot(&dir, 0, 1, 0);
	assert_false(dir.fabric.ports[slot].up);
	directory_write_view(&dir, slot, &view);
	assert_int_equal(fabric_route(&dir.fabric, slots[1], 71), slot);
	directory_read_view(&dir, slot, &read);
	assert_int_equal(read.port.lid, 70);
	assert_int_equal(read.node_guid, 9);
	assert_int_equal(read.pkey[1], 0x8001);
	assert_int_equal(read.guid[1], 0x77);
	view.port.state = IB_PORT_INIT;
	directory_write_view(&dir, slot, &view);
	assert_int_equal(fabric_route(&dir.fabric, slots[1], 71), -EHOSTUNREACH);
	assert_int_equal(fabric_owner(&dir.fabric, 71), slot);
}

/* The daemon died while it wrote: readers do not wait for ever, and the next one mends it. */
static void directory_write_view__after_one_that_was_cut_short(void **state)
{
	struct directory_view view = {.port = {.lid = 70}}, read;
	uint32_t slot;

	(void)state;
	join(0, 1);
	slot = (uint32_t)directory_slot(&dir, 0, 1, 0);
	dir.view[slot].sequence = 7;
	directory_read_view(&dir, slot, &read);
	directory_write_view(&dir, slot, &view);
	assert_int_equal(dir.view[slot].sequence, 8);
	directory_read_view(&dir, slot, &read);
	assert_int_equal(read.port.lid, 70);
}

/* Who keeps a port down is written down; whose the link is decides. */
static void directory_set_link__is_the_subnets(void **state)
{
	const int a = directory_add_process(&dir, 0, 10, 0);
	uint32_t slot;

	(void)state;
	join(0, 1);
	slot = (uint32_t)directory_slot(&dir, 0, 1, 0);
	fabric_port_set_link(&dir.fabric, slot, true);
	assert_int_equal(directory_set_link(&dir, (uint32_t)a, 1, 0, false), 0);
	assert_true(dir.fabric.ports[slot].up);
	assert_int_equal(directory_kept_down(&dir, 0), directory_port_bit(1, 0));
	assert_int_equal(directory_release_links(&dir, (uint32_t)a), 0);
	assert_int_equal(directory_kept_down(&dir, 0), 0);
}

static void directory_repair__ports_of_a_subnet(void **state)
{
	struct directory_view view = {.port = {.lid = 1}};
	uint32_t slot[2], manager;

	(void)state;
	(void)directory_add_process(&dir, 0, 10, 0);
	join(0, 2);
	for (uint32_t i = 0; i < 2; i++)
		slot[i] = (uint32_t)directory_slot(&dir, 0, 1, i);
	assert_int_equal(fabric_port_join(&dir.fabric, 0x99, &manager), 0);
	dir.slot_host[manager] = DIRECTORY_NO_HOST;
	directory_write_view(&dir, slot[0], &view); /* as another one's, for a moment */
	assert_true(directory_repair(&dir, sizeof(dir)));
	assert_true(dir.fabric.ports[slot[0]].used && dir.fabric.ports[slot[1]].used);
	assert_false(dir.fabric.ports[manager].used);
	dir.managed = 0;
	assert_false(directory_repair(&dir, sizeof(dir)));
}

static void directory_add_process__until_full(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < DIRECTORY_PROCESSES; i++)
		assert_true(directory_add_process(&dir, 0, 1, 0) >= 0);
	assert_int_equal(directory_add_process(&dir, 0, 1, 0), -ENOSPC);
	directory_remove_process(&dir, 5);
	assert_int_equal(directory_add_process(&dir, 0, 1, 0), 5);
	assert_int_equal(dir.process[5].generation, 2);
}

static void directory_join__counts(void **state)
{
	const uint8_t gid[16] = {0xff, 0x12, 1}, other[16] = {0xff, 0x12, 2};
	const int a = directory_add_process(&dir, 0, 10, 0);
	const int b = directory_add_process(&dir, 1, 11, 0);

	(void)state;
	assert_int_equal(directory_join(&dir, (uint32_t)a, gid), 0);
	assert_int_equal(directory_join(&dir, (uint32_t)a, gid), 0);
	assert_int_equal(directory_join(&dir, (uint32_t)b, gid), 0);
	assert_int_equal(directory_next_member(&dir, slots[0], gid, 0), a);
	assert_int_equal(directory_next_member(&dir, slots[0], gid, (uint32_t)a + 1), b);
	assert_int_equal(directory_next_member(&dir, slots[0], gid, (uint32_t)b + 1), -ENOENT);
	assert_int_equal(directory_next_member(&dir, slots[0], other, 0), -ENOENT);
	assert_int_equal(directory_leave(&dir, (uint32_t)a, gid), 0);
	assert_int_equal(directory_next_member(&dir, slots[0], gid, 0), a);
	assert_int_equal(directory_leave(&dir, (uint32_t)a, gid), 0);
	assert_int_equal(directory_leave(&dir, (uint32_t)a, gid), -ENOENT);
	assert_int_equal(directory_next_member(&dir, slots[0], gid, 0), b);
	fabric_port_set_link(&dir.fabric, slots[1], false);
	assert_int_equal(directory_next_member(&dir, slots[0], gid, 0), -ENOENT);
}

static void directory_join__no_more_groups(void **state)
{
	const int a = directory_add_process(&dir, 0, 10, 0);
	uint8_t gid[16] = {0xff};

	(void)state;
	for (uint32_t i = 0; i <= DIRECTORY_GROUPS; i++) {
		gid[14] = (uint8_t)(i >> 8);
		gid[15] = (uint8_t)i;
		assert_int_equal(directory_join(&dir, (uint32_t)a, gid),
				 i < DIRECTORY_GROUPS ? 0 : -ENOSPC);
	}
	gid[14] = gid[15] = 0;
	assert_int_equal(directory_leave(&dir, (uint32_t)a, gid), 0);
	gid[13] = 1;
	assert_int_equal(directory_join(&dir, (uint32_t)a, gid), 0);
}

static void directory_is_valid__only_ours(void **state)
{
	(void)state;
	assert_true(directory_is_valid(&dir, sizeof(dir)));
	assert_false(directory_is_valid(&dir, sizeof(dir) - 1));
	dir.version++;
	assert_false(directory_is_valid(&dir, sizeof(dir)));
}

#define TEST(name) cmocka_unit_test_setup(name, start)

static const struct CMUnitTest tests[] = {
	TEST(directory_find__by_lid_and_number),
	TEST(directory_find__any_port_of_the_host),
	TEST(directory_add_hca__all_ports_or_none),
	TEST(directory_remove_process__forgets_numbers_and_groups),
	TEST(directory_set_link__up_again_when_nobody_keeps_it_down),
	TEST(directory_repair__links_of_the_dead_are_up),
	TEST(directory_join_hca__all_ports_or_none),
	TEST(directory_write_view__decides_about_lids_and_links),
	TEST(directory_write_view__after_one_that_was_cut_short),
	TEST(directory_set_link__is_the_subnets),
	TEST(directory_repair__ports_of_a_subnet),
	TEST(directory_add_process__until_full),
	TEST(directory_join__counts),
	TEST(directory_join__no_more_groups),
	TEST(directory_is_valid__only_ours),
};

int main(void)
{
	return verbena_test_main(tests);
}
