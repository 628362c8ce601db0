// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The link state machine, at both ends of a cable. */
#include "unit/fabric/subnet_fixture.h"

static bool state_changed(struct net *net)
{
	uint8_t data[64] = {0};

	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	return data[11] & 4;
}

static void clear_state_change(struct net *net)
{
	uint8_t data[64] = {0};

	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	data[11] |= 4;
	assert_int_equal(net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	assert_false(state_changed(net));
}

static void check(struct net *net, struct subnet_at at, uint8_t state, uint8_t phys)
{
	const struct subnet_port_view view = net_port(net, at);

	assert_int_equal(view.state, state);
	assert_int_equal(view.phys_state, phys);
}

static int set_phys(struct net *net, struct subnet_at at, uint32_t port, uint8_t phys)
{
	const uint8_t bytes[][2] = {{33, (uint8_t)(phys << 4)}};

	return net_set_port_info(net, at, port, bytes, 1);
}

static void subnet_link__bounces_at_both_ends(void **state)
{
	struct net *net = *state;

	net_configure(net);
	clear_state_change(net);
	assert_int_equal(net_set_state(net, AT(net->sw, 0), 1, 1), 0);
	check(net, AT(net->a, 1), 2, 5);
	check(net, AT(net->sw, 1), 2, 5);
	check(net, AT(net->b, 1), 4, 5);
	assert_int_equal(net_port(net, AT(net->a, 1)).lid, 1);
	assert_true(state_changed(net));
	assert_int_equal(net->events, 1);
	assert_int_equal(net->event_at[0].node, net->a);
	assert_int_equal(net->event[0], SUBNET_CHANGED_STATE);
}

/* What the manager has set itself is nothing to tell it. */
static void subnet_link__arming_and_activating_is_no_state_change(void **state)
{
	struct net *net = *state;

	clear_state_change(net);
	assert_int_equal(net_set_state(net, AT(net->sw, 0), 1, 3), 0);
	assert_int_equal(net_set_state(net, AT(net->sw, 0), 1, 4), 0);
	check(net, AT(net->sw, 1), 4, 5);
	check(net, AT(net->a, 1), 2, 5);
	assert_false(state_changed(net));
	assert_true(subnet_set_link(net->subnet, AT(net->a, 1), false));
	assert_true(state_changed(net));
	clear_state_change(net);
	assert_true(subnet_set_link(net->subnet, AT(net->a, 1), true));
	assert_true(state_changed(net));
}

static void subnet_link__disabled_until_polling(void **state)
{
	struct net *net = *state;

	net_configure(net);
	assert_int_equal(set_phys(net, AT(net->sw, 0), 1, 3), 0);
	check(net, AT(net->sw, 1), 1, 3);
	check(net, AT(net->a, 1), 1, 2);
	assert_int_equal(set_phys(net, AT(net->a, 1), 0, 2), 0);
	check(net, AT(net->a, 1), 1, 2);
	assert_true(subnet_set_link(net->subnet, AT(net->a, 1), false));
	assert_true(subnet_set_link(net->subnet, AT(net->a, 1), true));
	check(net, AT(net->sw, 1), 1, 3);
	assert_int_equal(set_phys(net, AT(net->sw, 0), 1, 2), 0);
	check(net, AT(net->sw, 1), 2, 5);
	check(net, AT(net->a, 1), 2, 5);
}

static void subnet_link__sleeps_if_that_is_the_default(void **state)
{
	struct net *net = *state;
	const uint8_t sleep[][2] = {{33, 0x01}};

	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 1, sleep, 1), 0);
	assert_int_equal(net_set_state(net, AT(net->sw, 0), 1, 1), 0);
	check(net, AT(net->sw, 1), 1, 1);
	check(net, AT(net->a, 1), 1, 2);
	assert_int_equal(set_phys(net, AT(net->sw, 0), 1, 2), 0);
	check(net, AT(net->a, 1), 2, 5);
}

static void subnet_link__width_speed_mtu_and_vls_come_with_training(void **state)
{
	struct net *net = *state;
	const uint8_t bytes[][2] = {{29, 1}, {35, 2}, {36, 0x10}, {43, 0x10}};
	uint8_t data[64] = {0};

	assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, bytes, 4), 0);
	assert_int_equal(net_port(net, AT(net->a, 1)).width_active, 2);
	assert_int_equal(net_port(net, AT(net->a, 1)).mtu_active, 1);
	assert_int_equal(net_set_state(net, AT(net->a, 1), 0, 1), 0);
	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_PORT_INFO, 1, data), 0);
	assert_int_equal(data[31], 1);
	assert_int_equal(data[35], 0x27);
	assert_int_equal(data[36], 0x50);
	assert_int_equal(data[43], 0x40);
	assert_int_equal(net_port(net, AT(net->a, 1)).speed_active, 2);
	assert_int_equal(net_port(net, AT(net->a, 1)).mtu_active, 5);
	subnet_set_link(net->subnet, AT(net->a, 1), false);
	assert_int_equal(net_port(net, AT(net->a, 1)).width_active, 0);
	assert_int_equal(net_port(net, AT(net->a, 1)).speed_active, 0);
}

static void subnet_link__nothing_in_common_any_more(void **state)
{
	struct net *net = *state;
	const uint8_t one[][2] = {{29, 1}}, four[][2] = {{29, 2}};

	assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, one, 1), 0);
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 1, four, 1), 0);
	assert_int_equal(net_set_state(net, AT(net->sw, 0), 1, 1), 0);
	check(net, AT(net->a, 1), 1, 2);
	check(net, AT(net->sw, 1), 1, 2);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(subnet_link__bounces_at_both_ends),
	NET_TEST(subnet_link__arming_and_activating_is_no_state_change),
	NET_TEST(subnet_link__disabled_until_polling),
	NET_TEST(subnet_link__sleeps_if_that_is_the_default),
	NET_TEST(subnet_link__width_speed_mtu_and_vls_come_with_training),
	NET_TEST(subnet_link__nothing_in_common_any_more),
};

int main(void)
{
	return verbena_test_main(tests);
}
