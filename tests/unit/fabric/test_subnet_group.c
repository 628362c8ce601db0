// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The ways of a multicast packet: by the tables alone, each link once. */
#include "unit/fabric/subnet_fixture.h"

#define MLID 0xc005
#define MOST 64u

struct seen {
	uint32_t count;
	struct subnet_path path[MOST];
};

static void see(void *ctx, const struct subnet_path *path)
{
	struct seen *seen = ctx;

	if (seen->count < MOST)
		seen->path[seen->count] = *path;
	seen->count++;
}

static void send_from(struct net *net, struct subnet_at from, struct seen *seen)
{
	seen->count = 0;
	subnet_resolve_group(net->subnet, from, MLID, 0, 0xffff, see, seen);
}

static void set_ports(struct net *net, uint32_t sw, uint16_t ports)
{
	uint8_t data[64] = {0};

	put_unaligned_be16(ports, data + 2 * (size_t)(MLID - 0xc000));
	assert_int_equal(net_local(net, AT(sw, 0), SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0, data),
			 0);
}

static uint32_t add_host(struct net *net, uint32_t sw, uint8_t port)
{
	const uint32_t host = net_add(net, (struct subnet_node_config){.type = 1, .ports = 1});

	assert_int_equal(subnet_connect(net->subnet, AT(host, 1), AT(sw, port)), 0);
	for (uint8_t s = 3; s <= 4; s++) {
		assert_int_equal(net_set_state(net, AT(host, 1), 0, s), 0);
		assert_int_equal(net_set_state(net, AT(sw, 0), port, s), 0);
	}
	return host;
}

static void check(const struct seen *seen, uint32_t i, enum subnet_verdict verdict, uint8_t hops,
		  uint8_t shared, struct subnet_at to)
{
	assert_true(i < seen->count);
	assert_int_equal(seen->path[i].verdict, verdict);
	assert_int_equal(seen->path[i].hops, hops);
	assert_int_equal(seen->path[i].shared, shared);
	assert_int_equal(seen->path[i].to.node, to.node);
	assert_int_equal(seen->path[i].to.port, to.port);
}

static void subnet_resolve_group__to_all_but_whence_it_came(void **state)
{
	struct net *net = *state;
	struct seen *seen = calloc(1, sizeof(*seen));
	uint32_t c;

	assert_non_null(seen);
	net_configure(net);
	c = add_host(net, net->sw, 3);
	send_from(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 1);
	check(seen, 0, SUBNET_NO_ROUTE, 1, 0, AT(net->sw, 1));
	set_ports(net, net->sw, 0x000f); /* 0, 1, 2, 3 */
	send_from(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 3);
	check(seen, 0, SUBNET_ARRIVES, 1, 0, AT(net->sw, 0));
	check(seen, 1, SUBNET_ARRIVES, 2, 1, AT(net->b, 1));
	check(seen, 2, SUBNET_ARRIVES, 2, 1, AT(c, 1));
	send_from(net, AT(net->sw, 0), seen);
	assert_int_equal(seen->count, 3);
	check(seen, 0, SUBNET_ARRIVES, 1, 0, AT(net->a, 1));
	check(seen, 2, SUBNET_ARRIVES, 1, 0, AT(c, 1));
	assert_int_equal(seen->path[2].epoch, subnet_epoch(net->subnet));
	set_ports(net, net->sw, 0x0010); /* the last one alone */
	send_from(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 1);
	check(seen, 0, SUBNET_NOT_ACTIVE, 1, 0, AT(net->sw, 4));
	set_ports(net, net->sw, 0x000f);
	subnet_set_link(net->subnet, AT(net->b, 1), false);
	send_from(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 3);
	check(seen, 1, SUBNET_NOT_ACTIVE, 1, 1, AT(net->sw, 2));
	check(seen, 2, SUBNET_ARRIVES, 2, 1, AT(c, 1));
	subnet_resolve_group(net->subnet, AT(net->a, 1), 5, 0, 0xffff, see, seen); /* no group */
	subnet_resolve_group(net->subnet, AT(net->a, 1), 0xffff, 0, 0xffff, see, seen);
	subnet_resolve_group(net->subnet, AT(net->sw, 1), MLID, 0, 0xffff, see, seen);
	assert_int_equal(seen->count, 3);
	free(seen);
}

/* Another switch at the first one's port 4, with hosts @c and @d; all are in the group. Its number. */
static uint32_t add_switch(struct net *net, uint32_t *c, uint32_t *d)
{
	const uint32_t other = net_add(net, (struct subnet_node_config){.type = 2, .ports = 4});

	assert_int_equal(subnet_connect(net->subnet, AT(other, 4), AT(net->sw, 4)), 0);
	net_configure(net);
	for (uint8_t s = 3; s <= 4; s++) {
		assert_int_equal(net_set_state(net, AT(other, 0), 4, s), 0);
		assert_int_equal(net_set_state(net, AT(net->sw, 0), 4, s), 0);
	}
	*c = add_host(net, other, 1);
	*d = add_host(net, other, 2);
	set_ports(net, net->sw, 0x0016); /* 1, 2, 4 */
	set_ports(net, other, 0x0016);
	return other;
}

/* Two switches, two hosts each: the link between them is gone over once. */
static void subnet_resolve_group__links_are_counted_once(void **state)
{
	struct net *net = *state;
	struct seen *seen = calloc(1, sizeof(*seen));
	uint8_t data[192] = {0, 4};
	uint32_t c, d;

	assert_non_null(seen);
	(void)add_switch(net, &c, &d);
	send_from(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 3);
	check(seen, 0, SUBNET_ARRIVES, 2, 0, AT(net->b, 1));
	check(seen, 1, SUBNET_ARRIVES, 3, 1, AT(c, 1));
	check(seen, 2, SUBNET_ARRIVES, 3, 2, AT(d, 1));
	for (uint32_t i = 0; i < 3; i++)
		subnet_count(net->subnet, &seen->path[i], 5, 50, true);
	assert_int_equal(net_gmp(net, 3, 4, 1, GET, 0x1d, 0, data), 0);
	assert_int_equal(get_unaligned_be64(data + 56), 5);
	memset(data, 0, sizeof(data));
	data[1] = 1;
	assert_int_equal(net_gmp(net, 3, 4, 1, GET, 0x1d, 0, data), 0);
	assert_int_equal(get_unaligned_be64(data + 64), 5);
	free(seen);
}

/* Tables that copy in circles make many copies, and an end all the same. */
static void subnet_resolve_group__circles_end(void **state)
{
	struct net *net = *state;
	struct seen *seen = calloc(1, sizeof(*seen));
	uint32_t ring[4] = {net->sw};

	assert_non_null(seen);
	for (uint32_t i = 1; i < 4; i++)
		ring[i] = net_add(net, (struct subnet_node_config){.type = 2, .ports = 15});
	net_configure(net);
	for (uint32_t i = 1; i < 4; i++)
		for (uint8_t p = 0; p < 5; p++) {
			const struct subnet_at a = AT(ring[i], p + 1),
					       b = AT(ring[i % 3 + 1], p + 6);

			assert_int_equal(subnet_connect(net->subnet, a, b), 0);
		}
	for (uint32_t i = 1; i < 4; i++) {
		for (uint8_t p = 1; p < 11; p++)
			for (uint8_t s = 3; s <= 4; s++)
				assert_int_equal(net_set_state(net, AT(ring[i], 0), p, s), 0);
		set_ports(net, ring[i], 0x07fe);
	}
	send_from(net, AT(ring[1], 0), seen);
	assert_true(seen->count > 0 && seen->count <= 65536);
	check(seen, 0, SUBNET_LOOPS, SUBNET_MAX_HOPS, 0, seen->path[0].to);
	free(seen);
}

static void subnet_resolve_group__mtu_of_each_way(void **state)
{
	struct net *net = *state;
	struct seen *seen = calloc(1, sizeof(*seen));
	const uint8_t small[][2] = {{36, 0x10}};

	assert_non_null(seen);
	net_configure(net);
	add_host(net, net->sw, 3);
	set_ports(net, net->sw, 0x000e);
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, small, 1), 0);
	send_from(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 2);
	assert_int_equal(seen->path[0].mtu, 1);
	assert_int_equal(seen->path[1].mtu, 5);
	free(seen);
}

/* Groups that the table has no room for: the default ports. */
static void subnet_resolve_group__default_ports(void **state)
{
	struct net *net = *state;
	struct seen *seen = calloc(1, sizeof(*seen));
	uint8_t data[64] = {0};

	assert_non_null(seen);
	net_configure(net);
	subnet_resolve_group(net->subnet, AT(net->a, 1), 0xe000, 0, 0xffff, see, seen);
	assert_int_equal(seen->count, 1);
	check(seen, 0, SUBNET_NO_ROUTE, 1, 0, AT(net->sw, 1));
	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	data[9] = 1;
	data[10] = 2;
	assert_int_equal(net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	seen->count = 0;
	subnet_resolve_group(net->subnet, AT(net->a, 1), 0xe000, 0, 0xffff, see, seen);
	check(seen, 0, SUBNET_ARRIVES, 2, 0, AT(net->b, 1));
	seen->count = 0;
	subnet_resolve_group(net->subnet, AT(net->b, 1), 0xe000, 0, 0xffff, see, seen);
	check(seen, 0, SUBNET_ARRIVES, 2, 0, AT(net->a, 1));
	assert_int_equal(seen->count, 1);
	free(seen);
}

static void send_one(struct net *net, struct subnet_at from, struct seen *seen)
{
	seen->count = 0;
	subnet_send_group(net->subnet, from, MLID, 0, 0xffff, see, seen);
	for (uint32_t i = 0; i < seen->count; i++)
		subnet_count(net->subnet, &seen->path[i], 1, 10, true);
}

static void set_loss(struct net *net, struct subnet_at at, uint32_t ppm)
{
	const struct subnet_link_faults faults = {.loss_ppm = ppm};

	assert_int_equal(subnet_set_link_faults(net->subnet, at, &faults), 0);
}

/* PortRcvErrors of a port, as its own firmware tells. */
static uint16_t rcv_errors(struct net *net, struct subnet_at at, uint8_t port)
{
	struct subnet_mad in = {.data = {1, 4, 1, 1}}, out;

	in.data[17] = 0x12;
	in.data[65] = port;
	assert_int_equal(subnet_process_mad(net->subnet, at, 0, &in, &out), 3);
	return get_unaligned_be16(out.data + 64 + 8);
}

/* What is lost on a link is lost for all behind it, once, and counted at its end. */
static void subnet_send_group__a_shared_link_loses_all_copies(void **state)
{
	struct net *net = *state;
	struct seen *seen = calloc(1, sizeof(*seen));
	uint32_t other, c, d, lost = 0;

	assert_non_null(seen);
	other = add_switch(net, &c, &d);
	set_loss(net, AT(other, 4), 400000);
	for (uint32_t i = 0; i < 1000; i++) {
		send_one(net, AT(net->a, 1), seen);
		check(seen, 0, SUBNET_ARRIVES, 2, 0, AT(net->b, 1));
		if (seen->count == 2) {
			check(seen, 1, SUBNET_LOST, 2, 1, AT(other, 4));
			lost++;
			continue;
		}
		assert_int_equal(seen->count, 3);
		check(seen, 1, SUBNET_ARRIVES, 3, 1, AT(c, 1));
		check(seen, 2, SUBNET_ARRIVES, 3, 2, AT(d, 1));
	}
	assert_in_range(lost, 350, 450);
	assert_int_equal(rcv_errors(net, AT(other, 0), 4), lost);
	assert_int_equal(rcv_errors(net, AT(c, 1), 1), 0);
	assert_int_equal(rcv_errors(net, AT(net->sw, 0), 4), 0);
	set_loss(net, AT(other, 4), 0);
	send_one(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 3);
	free(seen);
}

/* The last link is one receiver's, the first everybody's. */
static void subnet_send_group__first_and_last_links(void **state)
{
	struct net *net = *state;
	struct seen *seen = calloc(1, sizeof(*seen));
	uint32_t other, c, d;

	assert_non_null(seen);
	other = add_switch(net, &c, &d);
	set_loss(net, AT(c, 1), 1000000);
	send_one(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 3);
	check(seen, 0, SUBNET_ARRIVES, 2, 0, AT(net->b, 1));
	check(seen, 1, SUBNET_LOST, 3, 1, AT(c, 1));
	check(seen, 2, SUBNET_ARRIVES, 3, 2, AT(d, 1));
	assert_int_equal(rcv_errors(net, AT(c, 1), 1), 1);
	set_loss(net, AT(net->a, 1), 1000000);
	send_one(net, AT(net->a, 1), seen);
	assert_int_equal(seen->count, 1);
	check(seen, 0, SUBNET_LOST, 1, 0, AT(net->sw, 1));
	assert_int_equal(rcv_errors(net, AT(net->sw, 0), 1), 1);
	send_one(net, AT(net->sw, 0), seen);
	assert_int_equal(seen->count, 4); /* a does not hear it */
	check(seen, 0, SUBNET_LOST, 1, 0, AT(net->a, 1));
	assert_int_equal(rcv_errors(net, AT(other, 0), 4), 0);
	free(seen);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(subnet_resolve_group__to_all_but_whence_it_came),
	NET_TEST(subnet_resolve_group__links_are_counted_once),
	NET_TEST(subnet_resolve_group__circles_end),
	NET_TEST(subnet_resolve_group__mtu_of_each_way),
	NET_TEST(subnet_resolve_group__default_ports),
	NET_TEST(subnet_send_group__a_shared_link_loses_all_copies),
	NET_TEST(subnet_send_group__first_and_last_links),
};

int main(void)
{
	return verbena_test_main(tests);
}
