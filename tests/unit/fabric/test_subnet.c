// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Nodes and cables. */
#include "unit/fabric/subnet_fixture.h"

#include <errno.h>

#include "base/cause.h"

static int add(struct net *net, struct subnet_node_config config)
{
	uint32_t node;

	return subnet_add_node(net->subnet, &config, &node);
}

static void subnet_add_node__chooses_what_nobody_says(void **state)
{
	struct net *net = *state;
	const uint32_t a = net_add(net, (struct subnet_node_config){.type = SUBNET_CA, .ports = 2});
	const uint32_t b =
		net_add(net, (struct subnet_node_config){.type = SUBNET_SWITCH, .ports = 3});
	const struct subnet_port_view p1 = net_port(net, AT(a, 1)), p2 = net_port(net, AT(a, 2));
	const struct subnet_port_view p0 = net_port(net, AT(b, 0));

	assert_true(p1.guid && p2.guid == p1.guid + 1);
	assert_true(p0.guid > p2.guid);
	assert_int_equal(p1.state, 1);
	assert_int_equal(p1.phys_state, 2);
	assert_int_equal(p1.lid, 0);
	assert_int_equal(p1.mtu_cap, 5);
	assert_int_equal(p1.vl_cap, 4);
	assert_int_equal(p1.pkeys, 32);
	assert_true(p1.subnet_prefix == 0xfe80000000000000u);
	assert_int_equal(p0.state, 4);
	assert_int_equal(net_port(net, AT(b, 3)).state, 1);
}

static void subnet_add_node__guids_that_are_given(void **state)
{
	struct net *net = *state;
	const uint32_t ca = net_add(net, (struct subnet_node_config){.type = SUBNET_CA,
								     .ports = 2,
								     .port_guid = 0x500});
	const uint32_t other = net_add(net, (struct subnet_node_config){.type = SUBNET_CA,
									.ports = 2,
									.guid = 0x600,
									.system_guid = 0x500,
									.port_guid = 0x700});
	const uint32_t sw = net_add(
		net, (struct subnet_node_config){
			     .type = SUBNET_SWITCH, .ports = 2, .guid = 0x800, .port_guid = 0x900});
	uint8_t data[64] = {0};

	assert_true(net_port(net, AT(ca, 1)).guid == 0x500);
	assert_true(net_port(net, AT(ca, 2)).guid == 0x501);
	assert_int_equal(net_local(net, AT(ca, 1), GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	assert_true(get_unaligned_be64(data + 4) == 0x500);
	assert_true(get_unaligned_be64(data + 12) == 0x500);
	assert_int_equal(net_local(net, AT(other, 2), GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	assert_true(get_unaligned_be64(data + 4) == 0x500);
	assert_true(get_unaligned_be64(data + 12) == 0x600);
	assert_true(get_unaligned_be64(data + 20) == 0x701);
	assert_true(net_port(net, AT(sw, 0)).guid == 0x800); /* it has one for all */
}

static void subnet_add_node__refuses(void **state)
{
	struct net *net = *state;

	assert_int_equal(add(net, (struct subnet_node_config){.type = 4, .ports = 1}), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_SUBNET_NODE);
	assert_int_equal(
		add(net, (struct subnet_node_config){.type = 2, .ports = 1, .linear_cap = 0xc001}),
		-EINVAL);
	assert_int_equal(
		add(net,
		    (struct subnet_node_config){.type = 2, .ports = 1, .multicast_cap = 0x4000}),
		-EINVAL);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 2,
							      .ports = 1,
							      .linear_cap = 0xc000,
							      .multicast_cap = 0x3fff}),
			 0);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 1}), -EINVAL);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 2, .ports = 255}), -EINVAL);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 1, .ports = 1, .pkeys = 31}),
			 -EINVAL);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 1, .ports = 1, .mtu_cap = 6}),
			 -EINVAL);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 1, .ports = 2, .guid = 8}),
			 0);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 1, .ports = 2, .guid = 8}),
			 -EEXIST);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_FABRIC_GUID_TAKEN);
	/* Its ports have 9 and 10. */
	assert_int_equal(add(net, (struct subnet_node_config){.type = 2, .ports = 2, .guid = 10}),
			 -EEXIST);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 1, .ports = 1, .guid = 9}),
			 -EEXIST);
	assert_int_equal(add(net, (struct subnet_node_config){.type = 2, .ports = 2, .guid = 11}),
			 0);
}

static void subnet_remove_node__number_and_guids_are_free_again(void **state)
{
	struct net *net = *state;
	const struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 1, .guid = 7};
	uint32_t node[200];

	for (uint32_t i = 0; i < 200; i++)
		node[i] = net_add(net, (struct subnet_node_config){.type = SUBNET_CA, .ports = 1});
	for (uint32_t i = 1; i < 200; i++)
		assert_true(node[i] != node[i - 1]);
	subnet_remove_node(net->subnet, node[50]);
	assert_int_equal(net_add(net, ca), node[50]);
	assert_int_equal(add(net, ca), -EEXIST);
	subnet_remove_node(net->subnet, node[50]);
	assert_int_equal(net_add(net, ca), node[50]);
	subnet_remove_node(net->subnet, 12345);
}

static void subnet_connect__both_train(void **state)
{
	struct net *net = *state;
	struct subnet_at peer;

	assert_int_equal(net_port(net, AT(net->a, 1)).state, 2);
	assert_int_equal(net_port(net, AT(net->a, 1)).phys_state, 5);
	assert_int_equal(net_port(net, AT(net->sw, 1)).state, 2);
	assert_int_equal(net_port(net, AT(net->sw, 3)).state, 1);
	assert_true(subnet_peer(net->subnet, AT(net->sw, 2), &peer));
	assert_int_equal(peer.node, net->b);
	assert_int_equal(peer.port, 1);
	assert_false(subnet_peer(net->subnet, AT(net->sw, 3), &peer));
	assert_false(subnet_peer(net->subnet, AT(99, 3), &peer));
}

static void subnet_connect__refuses(void **state)
{
	struct net *net = *state;
	struct subnet *s = net->subnet;

	assert_int_equal(subnet_connect(s, AT(net->sw, 0), AT(net->sw, 3)), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_SUBNET_CABLE);
	assert_int_equal(subnet_connect(s, AT(net->sw, 3), AT(net->sw, 5)), -EINVAL);
	assert_int_equal(subnet_connect(s, AT(net->sw, 3), AT(net->sw, 3)), -EINVAL);
	assert_int_equal(subnet_connect(s, AT(77, 1), AT(net->sw, 3)), -EINVAL);
	assert_int_equal(subnet_connect(s, AT(net->a, 1), AT(net->sw, 3)), -EBUSY);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_SUBNET_CABLE_TAKEN);
	assert_int_equal(subnet_connect(s, AT(net->sw, 4), AT(net->sw, 3)), 0);
}

static void subnet_connect__smallest_of_both(void **state)
{
	struct net *net = *state;
	const uint32_t a = net_add(net, (struct subnet_node_config){.type = SUBNET_CA,
								    .ports = 1,
								    .mtu_cap = 4,
								    .vl_cap = 2,
								    .width = 0x1b,
								    .speed_ext = 7});
	const uint32_t b = net_add(
		net, (struct subnet_node_config){.type = SUBNET_CA, .ports = 1, .speed_ext = 3});
	const uint32_t c = net_add(net, (struct subnet_node_config){.type = SUBNET_CA, .ports = 1});
	uint8_t info[64] = {0};

	assert_int_equal(subnet_connect(net->subnet, AT(a, 1), AT(b, 1)), 0);
	assert_int_equal(net_port(net, AT(b, 1)).mtu_active, 4);
	assert_int_equal(net_port(net, AT(b, 1)).width_active, 2);
	assert_int_equal(net_port(net, AT(b, 1)).speed_active, 32); /* EDR */
	assert_int_equal(net_local(net, AT(b, 1), GET, IB_SMP_ATTR_PORT_INFO, 0, info), 0);
	assert_int_equal(info[43] >> 4, 2);
	assert_int_equal(info[62], 0x23);
	subnet_remove_node(net->subnet, b);
	assert_int_equal(subnet_connect(net->subnet, AT(a, 1), AT(c, 1)), 0);
	assert_int_equal(net_port(net, AT(c, 1)).speed_active, 4); /* QDR */
}

static void subnet_connect__nothing_in_common(void **state)
{
	struct net *net = *state;
	const uint32_t a =
		net_add(net, (struct subnet_node_config){.type = 1, .ports = 1, .width = 1});
	const uint32_t b =
		net_add(net, (struct subnet_node_config){.type = 1, .ports = 1, .width = 2});

	assert_int_equal(subnet_connect(net->subnet, AT(a, 1), AT(b, 1)), 0);
	assert_int_equal(net_port(net, AT(a, 1)).state, 1);
	assert_int_equal(net_port(net, AT(a, 1)).phys_state, 2);
}

static void subnet_set_link__breaks_and_mends(void **state)
{
	struct net *net = *state;
	struct subnet_at peer;

	assert_true(subnet_set_link(net->subnet, AT(net->a, 1), false));
	assert_false(subnet_set_link(net->subnet, AT(net->sw, 1), false));
	assert_int_equal(net_port(net, AT(net->sw, 1)).state, 1);
	assert_int_equal(net_port(net, AT(net->a, 1)).state, 1);
	assert_true(subnet_peer(net->subnet, AT(net->a, 1), &peer));
	assert_true(subnet_set_link(net->subnet, AT(net->sw, 1), true));
	assert_int_equal(net_port(net, AT(net->a, 1)).state, 2);
	assert_false(subnet_set_link(net->subnet, AT(net->sw, 3), false));
	assert_int_equal(net->events, 2);
	assert_int_equal(net->event_at[0].node, net->a);
	assert_int_equal(net->event[0], SUBNET_CHANGED_STATE);
}

static void subnet_remove_node__pulls_its_cables(void **state)
{
	struct net *net = *state;
	struct subnet_at peer;

	subnet_remove_node(net->subnet, net->sw);
	assert_false(subnet_peer(net->subnet, AT(net->a, 1), &peer));
	assert_int_equal(net_port(net, AT(net->a, 1)).state, 1);
	assert_int_equal(net_port(net, AT(net->b, 1)).state, 1);
	assert_int_equal(net->events, 2);
	assert_int_equal(subnet_connect(net->subnet, AT(net->a, 1), AT(net->b, 1)), 0);
	assert_int_equal(net_port(net, AT(net->a, 1)).state, 2);
}

static void subnet_query__no_such_port(void **state)
{
	struct net *net = *state;
	struct subnet_port_view view;
	uint64_t guid;
	uint16_t pkey;

	assert_int_equal(subnet_query_port(net->subnet, AT(net->a, 0), &view), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_SUBNET_NO_PORT);
	assert_int_equal(subnet_query_port(net->subnet, AT(net->a, 2), &view), -EINVAL);
	assert_int_equal(subnet_query_pkey(net->subnet, AT(net->a, 1), 32, &pkey), -EINVAL);
	assert_int_equal(subnet_query_pkey(net->subnet, AT(net->a, 1), 0, &pkey), 0);
	assert_int_equal(pkey, 0xffff);
	assert_int_equal(subnet_query_pkey(net->subnet, AT(net->a, 1), 31, &pkey), 0);
	assert_int_equal(pkey, 0);
	assert_int_equal(subnet_query_guid(net->subnet, AT(net->a, 1), 8, &guid), -EINVAL);
	assert_int_equal(subnet_query_guid(net->subnet, AT(net->a, 1), 0, &guid), 0);
	assert_true(guid == 0x101);
	assert_int_equal(subnet_query_guid(net->subnet, AT(net->a, 1), 7, &guid), 0);
	assert_true(guid == 0);
}

/* With the tables that a fabric of 9,472 nodes and a few groups needs, as its manager writes them. */
static void subnet__memory_of_a_port(void **state)
{
	struct net *net = *state;
	const size_t before = base_alloc_live_bytes();
	const uint32_t sw = net_add(net, (struct subnet_node_config){.type = 2, .ports = 36});
	uint8_t data[64] = {0};
	size_t switch_bytes;
	uint32_t host;

	assert_int_equal(net_local(net, AT(sw, 0), GET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	put_unaligned_be16(9472, data + 6);
	assert_int_equal(net_local(net, AT(sw, 0), SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	for (uint32_t block = 0; block <= 9472 / 64; block++)
		assert_int_equal(net_local(net, AT(sw, 0), SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE,
					   block, data),
				 0);
	for (uint32_t position = 0; position < 3; position++)
		assert_int_equal(net_local(net, AT(sw, 0), SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE,
					   position << 28, data),
				 0);
	switch_bytes = base_alloc_live_bytes() - before;
	host = net_add(net, (struct subnet_node_config){.type = 1, .ports = 1});
	assert_int_equal(subnet_connect(net->subnet, AT(host, 1), AT(sw, 1)), 0);
	assert_true(base_alloc_live_bytes() - before - switch_bytes < 2048);
	/* 1,280 switches, their ports among them, and 8,192 hosts. */
	assert_true(1280 * switch_bytes + 8192 * 2048 < 100000000);
	assert_true(switch_bytes / 37 < 2048);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(subnet__memory_of_a_port),
	NET_TEST_EMPTY(subnet_add_node__chooses_what_nobody_says),
	NET_TEST_EMPTY(subnet_add_node__guids_that_are_given),
	NET_TEST_EMPTY(subnet_add_node__refuses),
	NET_TEST_EMPTY(subnet_remove_node__number_and_guids_are_free_again),
	NET_TEST(subnet_connect__both_train),
	NET_TEST(subnet_connect__refuses),
	NET_TEST_EMPTY(subnet_connect__smallest_of_both),
	NET_TEST_EMPTY(subnet_connect__nothing_in_common),
	NET_TEST(subnet_set_link__breaks_and_mends),
	NET_TEST(subnet_remove_node__pulls_its_cables),
	NET_TEST(subnet_query__no_such_port),
};

int main(void)
{
	return verbena_test_main(tests);
}
