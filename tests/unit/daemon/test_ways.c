// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Ways are resolved when asked for, anew when the subnet changes; and counted on every hop. */
#include "ways_fixture.h"

#define SLOT_A 3u
#define SLOT_B 9u
#define HOST_A 0u
#define HOST_B 1u

static struct directory *dir;
static struct base_report *report;

static int stop(void **state)
{
	close_ways();
	base_free(report);
	base_free(dir);
	return net_teardown(state);
}

/* Processes 0 and 1 are on the hosts of A and B. */
static int start(void **state)
{
	if (net_setup(state))
		return -1;
	dir = base_zalloc(sizeof(*dir));
	report = base_zalloc(sizeof(*report));
	if (dir && report) {
		directory_init(dir, 0, 5);
		dir->managed = 1;
		dir->slot_host[SLOT_A] = HOST_A;
		dir->slot_host[SLOT_B] = HOST_B;
		dir->process[1].host = HOST_B;
		open_ways(*state, dir, SLOT_A, SLOT_B);
	}
	if (dir && report && ways)
		return 0;
	stop(state);
	return -1;
}

static struct directory_way_key to(uint16_t dlid)
{
	return (struct directory_way_key){.slot = SLOT_A, .dlid = dlid, .pkey = 0xffff};
}

static int find_key(const struct directory_way_key *key, struct directory_way_is *is)
{
	return directory_find_way(&dir->ways, directory_way_pack(key), is);
}

static int find(uint16_t dlid, struct directory_way_is *is)
{
	const struct directory_way_key key = to(dlid);

	return find_key(&key, is);
}

static uint32_t resolve(uint16_t dlid, struct directory_way_is *is)
{
	const struct directory_way_key key = to(dlid);
	int place;

	ways_resolve(ways, &key);
	place = find(dlid, is);
	assert_true(place >= 0);
	return (uint32_t)place;
}

static void ways_resolve__what_the_subnet_says(void **state)
{
	struct net *net = *state;
	struct directory_way_is is;
	char name[SUBNET_DESCRIPTION_BYTES + 1];
	uint32_t place;

	net_configure(net);
	subnet_set_description(net->subnet, net->sw, "a switch");
	assert_int_equal(find(2, &is), -ENOENT);
	place = resolve(2, &is);
	assert_int_equal(is.verdict, SUBNET_ARRIVES);
	assert_int_equal(is.mtu, 5);
	assert_int_equal(is.hops, 2);
	assert_int_equal(is.slot, SLOT_B);
	directory_read_name(&dir->ways, place, name);
	assert_string_equal(name, "");
	place = resolve(7, &is);
	assert_int_equal(is.verdict, SUBNET_NO_ROUTE);
	assert_int_equal(is.port, 1);
	assert_int_equal(is.slot, DIRECTORY_NO_SLOT);
	directory_read_name(&dir->ways, place, name);
	assert_string_equal(name, "a switch");
	resolve(3, &is); /* the switch itself */
	assert_int_equal(is.verdict, SUBNET_ARRIVES);
	assert_int_equal(is.slot, DIRECTORY_NO_SLOT);
}

static void ways_resolve__of_any_key(void **state)
{
	const struct directory_way_key keys[] = {
		{.slot = UINT32_MAX, .dlid = 2, .pkey = 0xffff},
		{.slot = SLOT_A, .dlid = 0xffff, .sl = 255},
		{.slot = SLOT_A, .dlid = 0},
		{.slot = 5, .dlid = 0xc000},
	};
	struct directory_way_is is;

	net_configure(*state);
	for (unsigned int i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		ways_resolve(ways, &keys[i]);
		assert_true(find_key(&keys[i], &is) >= 0);
		assert_int_not_equal(is.verdict, SUBNET_ARRIVES);
	}
}

static void ways_resolve__lossy_and_slow(void **state)
{
	struct net *net = *state;
	const struct subnet_link_faults one = {100000, 2000}, two = {500000, 3000};
	struct directory_way_is is;

	net_configure(net);
	assert_int_equal(subnet_set_link_faults(net->subnet, AT(net->a, 1), &one), 0);
	assert_int_equal(subnet_set_link_faults(net->subnet, AT(net->b, 1), &two), 0);
	resolve(2, &is);
	assert_int_equal(is.loss_ppm, 550000);
	assert_int_equal(is.delay_ns, 5000);
}

static void ways_resolve__a_group_has_several_ends(void **state)
{
	struct net *net = *state;
	uint64_t spread[DIRECTORY_WAY_SPREAD];
	struct directory_way_is is;
	struct directory_way_key key = to(MLID);

	net_configure(net);
	set_multicast(net, 1 << 1 | 1 << 2);
	resolve(MLID, &is);
	assert_int_equal(is.verdict, SUBNET_ARRIVES);
	assert_true(directory_read_spread(&dir->ways, (uint32_t)find(MLID, &is),
					  directory_way_pack(&key), spread));
	assert_true(directory_in_spread(spread, SLOT_B));
	assert_false(directory_in_spread(spread, SLOT_A)); /* not back */
	set_multicast(net, 1 << 1);
	ways_refresh(ways);
	assert_true(find(MLID, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_NO_ROUTE);
}

static void ways_refresh__when_the_subnet_has_changed(void **state)
{
	struct net *net = *state;
	struct directory_way_is is;
	uint32_t epoch;

	net_configure(net);
	ways_refresh(ways);
	resolve(2, &is);
	epoch = dir->ways.epoch;
	ways_refresh(ways);
	assert_int_equal(dir->ways.epoch, epoch);
	subnet_set_link(net->subnet, AT(net->b, 1), false);
	assert_true(find(2, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_ARRIVES); /* nobody has looked yet */
	ways_refresh(ways);
	assert_int_equal(dir->ways.epoch, epoch + 1);
	assert_true(find(2, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_NOT_ACTIVE);
	assert_int_equal(is.epoch, epoch + 1);
	assert_int_equal(is.port, 2);
}

static void enforce(struct net *net, uint8_t direction)
{
	const uint8_t bytes[][2] = {{43, (uint8_t)(0x40 | direction)}};

	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, bytes, 1), 0);
}

/* To look at it again is to raise a trap: whoever sends shall ask. */
static void ways_refresh__lets_go_of_what_is_forbidden(void **state)
{
	struct net *net = *state;
	struct directory_way_key key = {.slot = SLOT_A, .dlid = 2, .pkey = 0x8001};
	struct directory_way_is is;

	net_configure(net);
	enforce(net, 4); /* outbound */
	ways_refresh(ways);
	ways_resolve(ways, &key);
	assert_true(find_key(&key, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_BAD_PKEY);
	enforce(net, 0);
	ways_refresh(ways);
	assert_int_equal(find_key(&key, &is), -ENOENT);
	ways_resolve(ways, &key);
	assert_true(find_key(&key, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_ARRIVES);
}

/* What the daemon before has left is good until then. */
static void ways_new__goes_on_with_what_there_is(void **state)
{
	struct net *net = *state;
	struct directory_way_is is;
	struct counters before;
	uint32_t place;

	net_configure(net);
	place = resolve(2, &is);
	assert_int_equal(ways_attach(ways, 0, report), 0);
	base_way_count(report, place, 2, 50);
	close_ways();
	subnet_set_link(net->subnet, AT(net->b, 1), false);
	open_ways(net, dir, SLOT_A, SLOT_B);
	assert_non_null(ways);
	assert_int_equal(ways_attach(ways, 0, report), 0);
	before = all_counters();
	ways_collect(ways); /* nobody knows which hops that is */
	assert_int_equal(counted_since(&before).of[net->a][1][SUBNET_XMIT_DATA], 0);
	assert_true(find(2, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_ARRIVES);
	ways_refresh(ways);
	assert_true(find(2, &is) >= 0);
	assert_int_equal(is.verdict, SUBNET_NOT_ACTIVE);
	ways_collect(ways);
	assert_int_equal(counted_since(&before).of[net->sw][2][SUBNET_XMIT_DISCARDS], 2);
}

/* As in one process: see loop_subnet.c. */
static void ways_collect__as_if_it_had_gone_there(void **state)
{
	struct net *net = *state;
	struct directory_way_is is;
	struct counters before, by_ways, by_hand;
	struct subnet_path path;
	const uint16_t dlids[] = {2, 3, 7, 1};

	net_configure(net);
	assert_int_equal(ways_attach(ways, 0, report), 0);
	for (unsigned int i = 0; i < 4; i++) {
		base_way_count(report, resolve(dlids[i], &is), 5 + i, 700 + i);
		before = all_counters();
		ways_collect(ways);
		ways_collect(ways); /* once */
		by_ways = counted_since(&before);
		before = all_counters();
		subnet_resolve(net->subnet, AT(net->a, 1), dlids[i], 0, 0xffff, &path);
		subnet_count(net->subnet, &path, 5 + i, 700 + i, false);
		by_hand = counted_since(&before);
		assert_memory_equal(&by_ways, &by_hand, sizeof(by_ways));
	}
}

static void ways_collect__too_long_and_lost(void **state)
{
	struct net *net = *state;
	const struct subnet_link_faults one = {1000, 0}, two = {3000, 0};
	const uint8_t small[][2] = {{36, 0x20}};
	struct directory_way_is is;
	struct counters since, before;
	uint64_t first, second;
	uint32_t place;

	net_configure(net);
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, small, 1), 0);
	assert_int_equal(subnet_set_link_faults(net->subnet, AT(net->a, 1), &one), 0);
	assert_int_equal(subnet_set_link_faults(net->subnet, AT(net->b, 1), &two), 0);
	assert_int_equal(ways_attach(ways, 0, report), 0);
	place = resolve(2, &is);
	before = all_counters();
	base_way_too_long(report, place, 4, 2, 1100);
	ways_collect(ways);
	since = counted_since(&before);
	assert_int_equal(since.of[net->sw][2][SUBNET_XMIT_DISCARDS], 2);
	assert_int_equal(since.of[net->sw][1][SUBNET_RCV_DATA], 1100);
	assert_int_equal(since.of[net->sw][2][SUBNET_XMIT_DATA], 0);
	before = all_counters();
	for (uint32_t i = 0; i < 100; i++) {
		base_way_lost(report, place, 1 + 9 * i, (1 + 9 * i) * 10);
		ways_collect(ways);
	}
	since = counted_since(&before);
	first = since.of[net->sw][1][SUBNET_RCV_ERRORS];
	second = since.of[net->b][1][SUBNET_RCV_ERRORS];
	assert_int_equal(first + second, 44650);
	assert_true(first > 10000 && first < 12500); /* a quarter */
	assert_int_equal(since.of[net->a][1][SUBNET_XMIT_DATA], 446500);
	assert_int_equal(since.of[net->sw][2][SUBNET_XMIT_DATA], 10 * second);
}

static void ways_collect__a_group(void **state)
{
	struct net *net = *state;
	struct directory_way_is is;
	struct counters since, before;

	net_configure(net);
	set_multicast(net, 1 << 1 | 1 << 2 | 1 << 0);
	assert_int_equal(ways_attach(ways, 0, report), 0);
	base_way_count(report, resolve(MLID, &is), 4, 80);
	before = all_counters();
	ways_collect(ways);
	since = counted_since(&before);
	assert_int_equal(since.of[net->a][1][SUBNET_MULTICAST_XMIT], 4); /* once for all copies */
	assert_int_equal(since.of[net->sw][0][SUBNET_MULTICAST_RCV], 4);
	assert_int_equal(since.of[net->b][1][SUBNET_MULTICAST_RCV], 4);
	assert_int_equal(since.of[net->b][1][SUBNET_RCV_DATA], 80);
}

/* What was counted before belongs to the way as it was then. */
static void ways_collect__before_a_way_changes(void **state)
{
	struct net *net = *state;
	struct directory_way_is is;
	struct counters since, before;
	uint32_t place;

	net_configure(net);
	assert_int_equal(ways_attach(ways, 0, report), 0);
	place = resolve(2, &is);
	before = all_counters();
	base_way_count(report, place, 4, 80);
	subnet_set_link(net->subnet, AT(net->b, 1), false);
	ways_refresh(ways);
	base_way_count(report, place, 1, 20);
	ways_detach(ways, 0); /* it has died */
	since = counted_since(&before);
	assert_int_equal(since.of[net->b][1][SUBNET_RCV_DATA], 80);
	assert_int_equal(since.of[net->sw][2][SUBNET_XMIT_DISCARDS], 1);
	assert_int_equal(since.of[net->a][1][SUBNET_XMIT_DATA], 100);
	ways_detach(ways, 0);
	base_way_count(report, place, 1, 20);
	ways_collect(ways);
	assert_int_equal(counted_since(&before).of[net->a][1][SUBNET_XMIT_DATA], 100);
}

static void ways_collect__of_what_a_process_may_tell(void **state)
{
	struct net *net = *state;
	struct directory_way_is is;
	struct counters before;
	uint32_t place;

	net_configure(net);
	assert_int_equal(ways_attach(ways, 1, report), 0); /* on the host of B */
	place = resolve(7, &is);			   /* from A to nowhere */
	before = all_counters();
	base_way_count(report, place, 4, 80);
	ways_collect(ways);
	assert_int_equal(counted_since(&before).of[net->a][1][SUBNET_XMIT_DATA], 0);
	base_way_count(report, resolve(2, &is), 4, 80); /* from A to itself */
	ways_collect(ways);
	assert_int_equal(counted_since(&before).of[net->a][1][SUBNET_XMIT_DATA], 80);
	report->ways.gone[0][find(2, &is)].packets = 1; /* fewer than before */
	ways_collect(ways);
	memset(report, 0xff, sizeof(*report));
	ways_collect(ways);
}

/* The least used one goes, and its counts are kept. */
static void ways_resolve__where_there_is_no_room(void **state)
{
	struct net *net = *state;
	struct directory_way_key key = to(2);
	const uint32_t home = directory_way_home(directory_way_pack(&key));
	struct directory_way_is is;
	struct counters before;
	uint32_t place, others = 0;
	uint16_t first = 0;

	net_configure(net);
	assert_int_equal(ways_attach(ways, 0, report), 0);
	place = resolve(2, &is);
	before = all_counters();
	for (uint16_t dlid = 4; others < DIRECTORY_WAY_PROBES; dlid++) {
		key = to(dlid);
		if (directory_way_home(directory_way_pack(&key)) != home)
			continue;
		first = first ? first : dlid;
		if (++others == DIRECTORY_WAY_PROBES)
			base_way_count(report, place, 3, 30); /* so 2 was used last */
		resolve(dlid, &is);
	}
	assert_int_equal(counted_since(&before).of[net->b][1][SUBNET_RCV_DATA], 30);
	assert_int_equal(find(2, &is), (int)place);
	assert_int_equal(find(first, &is), -ENOENT);
}

/* Whoever reads counters has them as they are. */
static uint32_t collected;

static void collect(void *ctx)
{
	(void)ctx;
	collected++;
}

static void subnet_ops__collect_before_counters_are_read(void **state)
{
	struct net *net = *state;
	const struct subnet_ops ops = {
		.deliver = net_deliver, .changed = net_changed, .collect = collect};
	uint8_t data[192] = {0, 1};

	net_configure(net);
	net->subnet->ops = &ops;
	collected = 0;
	assert_int_equal(net_gmp(net, 3, IB_MGMT_CLASS_PERF_MGMT, 1, GET, 0x12, 0, data), 0);
	assert_int_equal(collected, 1);
	assert_int_equal(net_gmp(net, 3, IB_MGMT_CLASS_PERF_MGMT, 1, SET, 0x12, 0, data), 0);
	assert_int_equal(collected, 2);
	(void)net_port(net, AT(net->a, 1));
	assert_int_equal(net_set_state(net, AT(net->a, 1), 0, 4), 0);
	assert_int_equal(collected, 2);
	net->subnet->ops = &net_ops;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(ways_resolve__what_the_subnet_says),
		TEST(ways_resolve__of_any_key),
		TEST(ways_resolve__lossy_and_slow),
		TEST(ways_resolve__a_group_has_several_ends),
		TEST(ways_refresh__when_the_subnet_has_changed),
		TEST(ways_refresh__lets_go_of_what_is_forbidden),
		TEST(ways_new__goes_on_with_what_there_is),
		TEST(ways_collect__as_if_it_had_gone_there),
		TEST(ways_collect__too_long_and_lost),
		TEST(ways_collect__a_group),
		TEST(ways_collect__before_a_way_changes),
		TEST(ways_collect__of_what_a_process_may_tell),
		TEST(ways_resolve__where_there_is_no_room),
		TEST(subnet_ops__collect_before_counters_are_read),
	};

	return verbena_test_main(tests);
}
