// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The way of data: by tables alone, and only if everything on it allows. */
#include "unit/fabric/subnet_fixture.h"

static struct subnet_path resolve(struct net *net, struct subnet_at from, uint16_t dlid,
				  uint16_t pkey)
{
	struct subnet_path path;

	subnet_resolve(net->subnet, from, dlid, 0, pkey, &path);
	assert_int_equal(path.epoch, subnet_epoch(net->subnet));
	assert_int_equal(path.shared, 0);
	return path;
}

static void check(struct net *net, uint16_t dlid, enum subnet_verdict verdict, uint8_t hops,
		  struct subnet_at to)
{
	const struct subnet_path path = resolve(net, AT(net->a, 1), dlid, 0xffff);

	assert_int_equal(path.verdict, verdict);
	assert_int_equal(path.hops, hops);
	assert_int_equal(path.to.node, to.node);
	assert_int_equal(path.to.port, to.port);
}

static void subnet_resolve__an_unrouted_fabric_moves_nothing(void **state)
{
	struct net *net = *state;

	check(net, 2, SUBNET_NOT_ACTIVE, 0, AT(net->a, 1));
	assert_int_equal(net_set_lid(net, AT(net->a, 1), 1, 1), 0);
	assert_int_equal(net_set_lid(net, AT(net->b, 1), 2, 1), 0);
	for (uint8_t s = 3; s <= 4; s++) {
		assert_int_equal(net_set_state(net, AT(net->a, 1), 0, s), 0);
		assert_int_equal(net_set_state(net, AT(net->b, 1), 0, s), 0);
		assert_int_equal(net_set_state(net, AT(net->sw, 0), 1, s), 0);
		assert_int_equal(net_set_state(net, AT(net->sw, 0), 2, s), 0);
	}
	check(net, 2, SUBNET_NO_ROUTE, 1, AT(net->sw, 1));
}

static void subnet_resolve__by_the_tables(void **state)
{
	struct net *net = *state;
	struct subnet_path path;

	net_configure(net);
	path = resolve(net, AT(net->a, 1), 2, 0xffff);
	assert_int_equal(path.verdict, SUBNET_ARRIVES);
	assert_int_equal(path.hops, 2);
	assert_int_equal(path.mtu, 5);
	assert_int_equal(path.to.node, net->b);
	assert_int_equal(path.hop[0].node, net->a);
	assert_int_equal(path.hop[0].port, 1);
	assert_int_equal(path.hop[1].node, net->sw);
	assert_int_equal(path.hop[1].port, 1);
	assert_int_equal(path.hop[2].node, net->sw);
	assert_int_equal(path.hop[2].port, 2);
	assert_int_equal(path.hop[3].node, net->b);
	assert_int_equal(path.hop[3].port, 1);
	check(net, 1, SUBNET_ARRIVES, 0, AT(net->a, 1)); /* to itself */
	check(net, 3, SUBNET_ARRIVES, 1, AT(net->sw, 0));
	check(net, 4, SUBNET_NO_ROUTE, 1, AT(net->sw, 1));	/* beyond LinearFDBTop */
	check(net, 0xc000, SUBNET_NO_ROUTE, 1, AT(net->sw, 1)); /* no unicast */
	path = resolve(net, AT(net->sw, 0), 2, 0xffff);
	assert_int_equal(path.verdict, SUBNET_ARRIVES);
	assert_int_equal(path.hops, 1);
	path = resolve(net, AT(net->sw, 0), 3, 0xffff);
	assert_int_equal(path.verdict, SUBNET_ARRIVES);
	assert_int_equal(path.hops, 0);
	assert_int_equal(resolve(net, AT(net->sw, 1), 2, 0xffff).verdict, SUBNET_NOT_ACTIVE);
	path.mtu = 5;
	subnet_resolve(net->subnet, AT(55, 1), 2, 0, 0xffff, &path);
	assert_int_equal(path.verdict, SUBNET_NOT_ACTIVE);
	assert_int_equal(path.mtu, 0);
}

static void subnet_resolve__tables_that_are_wrong(void **state)
{
	struct net *net = *state;
	uint8_t lft[64];

	net_configure(net);
	memset(lft, 0xff, sizeof(lft));
	lft[2] = 1;  /* back to A */
	lft[4] = 2;  /* to B, who is not 4 */
	lft[5] = 77; /* no such port */
	lft[6] = 0;  /* to the switch, which is not 6 */
	lft[7] = 3;  /* nothing is there */
	net_set_lft(net, net->sw, 60, lft);
	check(net, 2, SUBNET_TURNS_BACK, 1, AT(net->sw, 1));
	check(net, 4, SUBNET_NOT_OURS, 2, AT(net->b, 1));
	check(net, 5, SUBNET_NO_ROUTE, 1, AT(net->sw, 1));
	check(net, 6, SUBNET_NOT_OURS, 1, AT(net->sw, 0));
	check(net, 7, SUBNET_NOT_ACTIVE, 1, AT(net->sw, 3));
}

/* Three switches in a ring, each sends on to the next. */
static void subnet_resolve__a_loop_ends(void **state)
{
	struct net *net = *state;
	uint8_t lft[64], data[192] = {0, 1};
	struct subnet_path path;
	uint32_t ring[3] = {net->sw};

	for (uint32_t i = 1; i < 3; i++)
		ring[i] = net_add(net, (struct subnet_node_config){.type = 2, .ports = 4});
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(
			subnet_connect(net->subnet, AT(ring[i], 3), AT(ring[(i + 1) % 3], 4)), 0);
	net_configure(net);
	memset(lft, 3, sizeof(lft));
	lft[1] = 1;
	lft[2] = 2;
	lft[3] = 0;
	for (uint32_t i = 0; i < 3; i++) {
		net_set_lft(net, ring[i], 60, lft);
		for (uint8_t s = 3; s <= 4; s++) {
			assert_int_equal(net_set_state(net, AT(ring[i], 0), 3, s), 0);
			assert_int_equal(net_set_state(net, AT(ring[i], 0), 4, s), 0);
		}
	}
	path = resolve(net, AT(net->a, 1), 9, 0xffff);
	assert_int_equal(path.verdict, SUBNET_LOOPS);
	assert_int_equal(path.hops, SUBNET_MAX_HOPS);
	/* One link to the ring and 63 of it: discarded where the first switch sends to the second. */
	assert_int_equal(path.to.node, ring[0]);
	assert_int_equal(path.to.port, 3);
	subnet_count(net->subnet, &path, 10, 100, false);
	data[1] = 3;
	assert_int_equal(net_gmp(net, 3, 4, 1, GET, 0x12, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data + 14), 10);	  /* XmitDiscards */
	assert_int_equal(get_unaligned_be32(data + 32), 21 * 10); /* XmitPkts: round and round */
	memset(data, 0, sizeof(data));
	data[1] = 3;
	assert_int_equal(net_gmp(net, 3, 4, 1, GET, 0x16, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data + 8), 10);
}

static void subnet_resolve__ports_that_are_not_active(void **state)
{
	struct net *net = *state;

	net_configure(net);
	subnet_set_link(net->subnet, AT(net->b, 1), false);
	check(net, 2, SUBNET_NOT_ACTIVE, 1, AT(net->sw, 2));
	subnet_set_link(net->subnet, AT(net->b, 1), true);
	check(net, 2, SUBNET_NOT_ACTIVE, 1, AT(net->sw, 2));
	assert_int_equal(net_set_state(net, AT(net->sw, 0), 2, 3), 0);
	assert_int_equal(net_set_state(net, AT(net->sw, 0), 2, 4), 0);
	check(net, 2, SUBNET_NOT_ACTIVE, 1, AT(net->sw, 2)); /* B is Init */
	net_turn(net, 0);
	net->events = 0;
	assert_int_equal(net_set_state(net, AT(net->b, 1), 0, 3), 0);
	check(net, 2, SUBNET_ARRIVES, 2, AT(net->b, 1)); /* and now it is Active */
	assert_int_equal(net_port(net, AT(net->b, 1)).state, 4);
	net_turn(net, 0);
	assert_int_equal(net->events, 2);
	assert_int_equal(net->event[1], SUBNET_CHANGED_STATE);
	subnet_set_link(net->subnet, AT(net->a, 1), false);
	check(net, 2, SUBNET_NOT_ACTIVE, 0, AT(net->a, 1));
	check(net, 1, SUBNET_NOT_ACTIVE, 0, AT(net->a, 1)); /* not even to itself */
}

static void set_pkeys(struct net *net, uint8_t port, uint16_t pkey)
{
	uint8_t data[64] = {0};

	put_unaligned_be16(pkey, data);
	assert_int_equal(net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_PKEY_TABLE,
				   (uint32_t)port << 16, data),
			 0);
}

static void set_enforcement(struct net *net, uint8_t port, uint8_t enforce)
{
	const uint8_t bytes[][2] = {{43, (uint8_t)(0x40 | enforce)}};

	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), port, bytes, 1), 0);
}

static void subnet_resolve__switches_enforce_partitions(void **state)
{
	struct net *net = *state;
	static const struct {
		uint16_t table, pkey;
		bool passes;
	} rows[] = {
		{0x8123, 0x8123, true},	 {0x8123, 0x0123, true},  {0x0123, 0x8123, true},
		{0x0123, 0x0123, false}, {0x8123, 0x8124, false}, {0x8000, 0x8000, false},
	};
	struct subnet_path path;

	net_configure(net);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set_pkeys(net, 1, rows[i].table);
		set_pkeys(net, 2, rows[i].table);
		set_enforcement(net, 1, 0);
		set_enforcement(net, 2, 8); /* nothing comes in there */
		assert_int_equal(resolve(net, AT(net->a, 1), 2, rows[i].pkey).verdict,
				 SUBNET_ARRIVES);
		set_enforcement(net, 2, 4);
		path = resolve(net, AT(net->a, 1), 2, rows[i].pkey);
		assert_int_equal(path.verdict, rows[i].passes ? SUBNET_ARRIVES : SUBNET_BAD_PKEY);
		assert_int_equal(path.hops, rows[i].passes ? 2 : 1);
		assert_int_equal(path.to.port, rows[i].passes ? 1 : 2);
		set_enforcement(net, 2, 0);
		set_enforcement(net, 1, 8);
		path = resolve(net, AT(net->a, 1), 2, rows[i].pkey);
		assert_int_equal(path.verdict, rows[i].passes ? SUBNET_ARRIVES : SUBNET_BAD_PKEY);
		assert_int_equal(path.hops, rows[i].passes ? 2 : 1);
		assert_int_equal(path.to.port, 1);
	}
}

static void subnet_resolve__mappings_may_forbid(void **state)
{
	struct net *net = *state;
	uint8_t map[64] = {0x0f}; /* SL 1 leads to VL 15 */
	const uint8_t one_vl[][2] = {{43, 0x10}};
	struct subnet_path path;

	net_configure(net);
	assert_int_equal(
		net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0102, map), 0);
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 0, 0xffff, &path);
	assert_int_equal(path.verdict, SUBNET_ARRIVES);
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 1, 0xffff, &path);
	assert_int_equal(path.verdict, SUBNET_NOT_ALLOWED);
	assert_int_equal(path.hops, 1);
	subnet_resolve(net->subnet, AT(net->b, 1), 1, 1, 0xffff, &path);
	assert_int_equal(path.verdict, SUBNET_ARRIVES);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0, map), 0);
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 1, 0xffff, &path);
	assert_int_equal(path.verdict, SUBNET_NOT_ALLOWED);
	assert_int_equal(path.hops, 0);
	/* Nor may there be a VL that the link does not have. */
	map[0] = 0x03;
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0, map), 0);
	assert_int_equal(
		net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0102, map), 0);
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 1, 0xffff, &path);
	assert_int_equal(path.verdict, SUBNET_ARRIVES);
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, one_vl, 1), 0);
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 1, 0xffff, &path);
	assert_int_equal(path.verdict, SUBNET_NOT_ALLOWED);
}

static void subnet_path_limit__mtu_of_the_way(void **state)
{
	struct net *net = *state;
	const uint8_t small[][2] = {{36, 0x20}};
	struct subnet_path path;

	net_configure(net);
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, small, 1), 0);
	path = resolve(net, AT(net->a, 1), 2, 0xffff);
	assert_int_equal(path.verdict, SUBNET_ARRIVES);
	assert_int_equal(path.mtu, 2);
	assert_false(subnet_path_limit(net->subnet, &path, 2));
	assert_int_equal(path.verdict, SUBNET_ARRIVES);
	assert_true(subnet_path_limit(net->subnet, &path, 3));
	assert_int_equal(path.verdict, SUBNET_TOO_LONG);
	assert_int_equal(path.hops, 1);
	assert_int_equal(path.to.node, net->sw);
	assert_int_equal(path.to.port, 2);
}

static uint32_t epoch;

static bool changed(struct net *net)
{
	const bool differs = epoch != subnet_epoch(net->subnet);

	epoch = subnet_epoch(net->subnet);
	return differs;
}

/* Set an attribute to what it is, and to something else. */
static void check_epoch(struct net *net, struct subnet_at at, __be16 attribute, uint32_t modifier,
			uint8_t byte, uint8_t value, bool matters)
{
	uint8_t data[64] = {0};

	assert_int_equal(net_local(net, at, GET, attribute, modifier, data), 0);
	if (attribute == IB_SMP_ATTR_PORT_INFO) {
		data[32] &= 0xf0;
		data[33] = 0;
	}
	assert_int_equal(net_local(net, at, SET, attribute, modifier, data), 0);
	(void)changed(net); /* what is made when first written may count */
	if (attribute == IB_SMP_ATTR_PORT_INFO) {
		data[32] &= 0xf0;
		data[33] = 0;
	}
	assert_int_equal(net_local(net, at, SET, attribute, modifier, data), 0);
	assert_false(changed(net));
	if (attribute == IB_SMP_ATTR_PORT_INFO) {
		data[32] &= 0xf0;
		data[33] = 0;
	}
	data[byte] = value;
	assert_int_equal(net_local(net, at, SET, attribute, modifier, data), 0);
	if (changed(net) != matters) {
		print_message("attribute 0x%x, byte %u\n", be16_to_cpu(attribute), byte);
		fail();
	}
}

static void subnet_epoch__changes_with_what_matters(void **state)
{
	struct net *net = *state;
	const struct subnet_at sw = AT(net->sw, 0), a = AT(net->a, 1);

	net_configure(net);
	check_epoch(net, sw, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, 9, 1, true);
	check_epoch(net, sw, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0, 9, 1, true);
	check_epoch(net, sw, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0102, 1, 1, true);
	check_epoch(net, sw, IB_SMP_ATTR_PKEY_TABLE, 1 << 16, 9, 1, true);
	check_epoch(net, sw, IB_SMP_ATTR_VL_ARB_TABLE, 0x10001, 9, 1, false);
	check_epoch(net, sw, IB_SMP_ATTR_SWITCH_INFO, 0, 7, 9, true);
	check_epoch(net, sw, IB_SMP_ATTR_SWITCH_INFO, 0, 11, 9 << 3, false);
	check_epoch(net, sw, IB_SMP_ATTR_PORT_INFO, 1, 36, 0x40, true);
	check_epoch(net, sw, IB_SMP_ATTR_PORT_INFO, 1, 43, 0x4c, true);
	check_epoch(net, sw, IB_SMP_ATTR_PORT_INFO, 1, 43, 0x3c, true);
	check_epoch(net, sw, IB_SMP_ATTR_PORT_INFO, 1, 38, 9, false);
	check_epoch(net, sw, IB_SMP_ATTR_PORT_INFO, 0, 17, 9, true);
	check_epoch(net, a, IB_SMP_ATTR_PORT_INFO, 0, 17, 8, true);
	check_epoch(net, a, IB_SMP_ATTR_PORT_INFO, 0, 34, 1, true);
	check_epoch(net, a, IB_SMP_ATTR_PORT_INFO, 0, 19, 8, false);
	check_epoch(net, a, IB_SMP_ATTR_PORT_INFO, 0, 51, 1, false);
	check_epoch(net, a, IB_SMP_ATTR_PORT_INFO, 0, 7, 1, false);
	net->mkey = 1;
	check_epoch(net, a, IB_SMP_ATTR_PORT_INFO, 0, 32, 1, true);
	check_epoch(net, a, IB_SMP_ATTR_PORT_INFO, 0, 32, 3, true);
	check_epoch(net, a, IB_SMP_ATTR_PKEY_TABLE, 0, 9, 1, false);
	check_epoch(net, a, IB_SMP_ATTR_GUID_INFO, 0, 9, 1, false);
	subnet_set_description(net->subnet, net->a, "new");
	subnet_set_cap_mask(net->subnet, a, IB_PORT_SM, 0);
	subnet_error(net->subnet, a, SUBNET_ERROR_RCV, 1);
	(void)resolve(net, a, 2, 0xffff);
	assert_false(changed(net));
	subnet_set_link(net->subnet, a, false);
	assert_true(changed(net));
	subnet_remove_node(net->subnet, net->b);
	assert_true(changed(net));
}

static void subnet_count__every_port_of_the_way(void **state)
{
	struct net *net = *state;
	struct subnet_path path;
	uint8_t data[192] = {0};
	static const struct {
		uint16_t lid;
		uint8_t port, offset;
	} rows[] = {{2, 1, 28}, {3, 1, 28}, {3, 2, 24}, {1, 1, 24}};

	net_configure(net);
	path = resolve(net, AT(net->a, 1), 2, 0xffff);
	subnet_count(net->subnet, &path, 1000, 1u << 20, false);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(data, 0, sizeof(data));
		data[1] = rows[i].port;
		assert_int_equal(net_gmp(net, rows[i].lid, 4, 1, GET, 0x12, 0, data), 0);
		assert_in_range(get_unaligned_be32(data + rows[i].offset), 1u << 20,
				(1u << 20) + 10000);
		assert_in_range(get_unaligned_be32(data + rows[i].offset + 8), 1000, 1100);
	}
	/* What is not there any more is not counted. */
	subnet_remove_node(net->subnet, net->sw);
	subnet_count(net->subnet, &path, 1000, 1u << 20, false);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(subnet_resolve__an_unrouted_fabric_moves_nothing),
	NET_TEST(subnet_resolve__by_the_tables),
	NET_TEST(subnet_resolve__tables_that_are_wrong),
	NET_TEST(subnet_resolve__a_loop_ends),
	NET_TEST(subnet_resolve__ports_that_are_not_active),
	NET_TEST(subnet_resolve__switches_enforce_partitions),
	NET_TEST(subnet_resolve__mappings_may_forbid),
	NET_TEST(subnet_path_limit__mtu_of_the_way),
	NET_TEST(subnet_epoch__changes_with_what_matters),
	NET_TEST(subnet_count__every_port_of_the_way),
};

int main(void)
{
	return verbena_test_main(tests);
}
