// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Links that lose packets, and links that are slow: for MADs on their way, and for data. */
#include "unit/fabric/subnet_fixture.h"

#include <errno.h>

#include "base/cause.h"

#define MS 1000000u

static void set_faults(struct net *net, struct subnet_at at, uint32_t loss_ppm, uint64_t delay_ns)
{
	const struct subnet_link_faults faults = {loss_ppm, delay_ns};

	assert_int_equal(subnet_set_link_faults(net->subnet, at, &faults), 0);
}

static struct subnet_mad to_b(struct net *net)
{
	struct subnet_mad mad = net_smp(net, GET, IB_SMP_ATTR_NODE_INFO, 0);

	mad.slid = 1;
	mad.dlid = 2;
	return mad;
}

static uint16_t rcv_errors(struct net *net, struct subnet_at at, uint8_t port)
{
	struct subnet_mad in = {.data = {1, 4, 1, 1}}, out;

	in.data[17] = 0x12;
	in.data[65] = port;
	assert_int_equal(subnet_process_mad(net->subnet, at, 0, &in, &out), 3);
	return get_unaligned_be16(out.data + 64 + 8);
}

static void subnet_set_link_faults__refuses(void **state)
{
	struct net *net = *state;
	const struct subnet_link_faults much = {1000001, 0}, none = {0, 0};

	assert_int_equal(subnet_set_link_faults(net->subnet, AT(net->a, 1), &much), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_FABRIC_FAULT_RATE);
	assert_int_equal(subnet_set_link_faults(net->subnet, AT(net->sw, 3), &none), -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_SUBNET_NO_PORT);
	assert_int_equal(subnet_set_link_faults(net->subnet, AT(net->a, 2), &none), -EINVAL);
}

/* Each way over each lossy link is a loss of its own, and it is counted where it happens. */
static uint32_t answers_of(struct net *net, uint64_t seed, uint32_t count)
{
	uint32_t answers = 0;

	subnet_seed(net->subnet, seed);
	for (uint32_t i = 0; i < count; i++) {
		const struct subnet_mad mad = to_b(net);

		answers += net_ask(net, AT(net->a, 1), &mad) != NULL;
	}
	return answers;
}

static void subnet_set_link_faults__mads_are_lost(void **state)
{
	struct net *net = *state;
	const uint8_t path[] = {1, 2};
	uint8_t data[64] = {0};
	uint32_t answers;

	net_configure(net);
	set_faults(net, AT(net->sw, 2), 100000, 0);
	answers = answers_of(net, 1, 10000);
	assert_in_range(answers, 7900, 8300); /* 0.9 x 0.9 */
	assert_int_equal(rcv_errors(net, AT(net->b, 1), 1) + rcv_errors(net, AT(net->sw, 0), 2),
			 10000 - answers);
	assert_in_range(rcv_errors(net, AT(net->b, 1), 1), 900, 1100);
	assert_int_equal(rcv_errors(net, AT(net->sw, 0), 1), 0);
	assert_int_equal(answers_of(net, 1, 10000), answers);
	assert_int_not_equal(answers_of(net, 2, 10000), answers);
	set_faults(net, AT(net->b, 1), 1000000, 0);
	assert_int_equal(answers_of(net, 1, 100), 0);
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), path, 2, GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), path, 1, GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	set_faults(net, AT(net->b, 1), 0, 0);
	assert_int_equal(answers_of(net, 1, 100), 100);
}

static void subnet_set_link_faults__mads_are_late(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad;

	net_configure(net);
	net->takes = true;
	set_faults(net, AT(net->a, 1), 0, 2 * MS);
	set_faults(net, AT(net->b, 1), 0, 3 * MS);
	for (uint32_t directed = 0; directed < 2; directed++) {
		const uint8_t path[] = {1, 2};

		mad = to_b(net);
		if (directed)
			net_direct(&mad, path, 2);
		net->delivered = 0;
		subnet_send_mad(net->subnet, AT(net->a, 1), &mad);
		net_turn(net, 0);
		for (uint32_t ms = 0; ms < 9; ms++)
			net_turn(net, MS);
		assert_int_equal(net->delivered, 0);
		for (uint32_t ms = 0; ms < 3; ms++)
			net_turn(net, MS);
		assert_int_equal(net->delivered, 1);
		assert_int_equal(smp_of(&net->inbox[0])->method, IB_MGMT_METHOD_GET_RESP);
	}
	/* In the order in which they were sent, as long as they are equally late. */
	net->delivered = 0;
	for (uint32_t i = 0; i < 40; i++) {
		mad = to_b(net);
		subnet_send_mad(net->subnet, AT(net->a, 1), &mad);
	}
	for (uint32_t ms = 0; ms < 15; ms++)
		net_turn(net, MS);
	assert_int_equal(net->delivered, 40);
	for (uint32_t i = 1; i < 40; i++)
		assert_true(be64_to_cpu(smp_of(&net->inbox[i])->tid) ==
			    be64_to_cpu(smp_of(&net->inbox[i - 1])->tid) + 1);
	assert_true(base_host_idle());
	/* Whoever is gone when they arrive does not get them; those on their way are given back. */
	mad = to_b(net);
	subnet_send_mad(net->subnet, AT(net->a, 1), &mad);
	subnet_remove_node(net->subnet, net->b);
	net_turn(net, 10 * MS);
	net_turn(net, 10 * MS);
	assert_int_equal(net->delivered, 41);
	assert_int_equal(smp_of(&net->inbox[40])->method, IB_MGMT_METHOD_TRAP);
	mad.dlid = 3;
	subnet_send_mad(net->subnet, AT(net->a, 1), &mad);
}

static void subnet_set_link_faults__go_with_the_cable(void **state)
{
	struct net *net = *state;

	set_faults(net, AT(net->a, 1), 1000000, MS);
	subnet_remove_node(net->subnet, net->a);
	net->a = net_add(net, (struct subnet_node_config){.type = SUBNET_CA, .ports = 1});
	assert_int_equal(subnet_connect(net->subnet, AT(net->a, 1), AT(net->sw, 1)), 0);
	net_configure(net);
	assert_int_equal(answers_of(net, 1, 100), 100);
}

static void subnet_path_lose__data(void **state)
{
	struct net *net = *state;
	struct subnet_path path, lost;
	uint32_t losses = 0;

	net_configure(net);
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 0, 0xffff, &path);
	assert_false(path.lossy);
	assert_int_equal(path.delay_ns, 0);
	assert_false(subnet_path_lose(net->subnet, &path));
	set_faults(net, AT(net->a, 1), 0, 2 * MS);
	set_faults(net, AT(net->b, 1), 500000, 3 * MS);
	assert_true(path.epoch != subnet_epoch(net->subnet));
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 0, 0xffff, &path);
	assert_true(path.lossy);
	assert_int_equal(path.delay_ns, 5 * MS);
	for (uint32_t i = 0; i < 1000; i++) {
		lost = path;
		if (!subnet_path_lose(net->subnet, &lost))
			continue;
		losses++;
		assert_int_equal(lost.verdict, SUBNET_LOST);
		assert_int_equal(lost.hops, 2);
		assert_int_equal(lost.to.node, net->b);
		subnet_count(net->subnet, &lost, 1, 9, false);
	}
	assert_in_range(losses, 400, 600);
	assert_int_equal(rcv_errors(net, AT(net->b, 1), 1), losses);
}

struct seen {
	uint32_t count;
	bool lossy[4];
	uint64_t delay_ns[4];
};

static void see(void *ctx, const struct subnet_path *path)
{
	struct seen *seen = ctx;

	assert_true(seen->count < 4);
	seen->lossy[seen->count] = path->lossy;
	seen->delay_ns[seen->count++] = path->delay_ns;
}

/* Each way of a group has its own links. */
static void subnet_set_link_faults__groups(void **state)
{
	struct net *net = *state;
	struct seen seen = {0};
	uint8_t data[64] = {0, 0x06};

	net_configure(net);
	assert_int_equal(
		net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0, data), 0);
	set_faults(net, AT(net->a, 1), 1, 2 * MS);
	set_faults(net, AT(net->b, 1), 0, 3 * MS);
	subnet_resolve_group(net->subnet, AT(net->sw, 0), 0xc000, 0, 0xffff, see, &seen);
	assert_int_equal(seen.count, 2);
	assert_true(seen.lossy[0]);
	assert_int_equal(seen.delay_ns[0], 2 * MS);
	assert_false(seen.lossy[1]);
	assert_int_equal(seen.delay_ns[1], 3 * MS);
	subnet_resolve_group(net->subnet, AT(net->a, 1), 0xc000, 0, 0xffff, see, &seen);
	assert_int_equal(seen.count, 3);
	assert_true(seen.lossy[2]);
	assert_int_equal(seen.delay_ns[2], 5 * MS);
}

static void subnet_path_loss__of_each_link_and_of_all(void **state)
{
	struct net *net = *state;
	uint32_t loss_ppm[SUBNET_MAX_HOPS];
	struct subnet_path path;

	net_configure(net);
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 0, 0xffff, &path);
	assert_int_equal(subnet_path_loss(net->subnet, &path, loss_ppm), 0);
	set_faults(net, AT(net->a, 1), 500000, 0);
	set_faults(net, AT(net->b, 1), 200000, 0);
	assert_int_equal(subnet_path_loss(net->subnet, &path, loss_ppm), 600000);
	assert_int_equal(loss_ppm[0], 500000);
	assert_int_equal(loss_ppm[1], 200000);
	set_faults(net, AT(net->a, 1), 1000000, 0);
	assert_int_equal(subnet_path_loss(net->subnet, &path, loss_ppm), 1000000);
	set_faults(net, AT(net->a, 1), 0, 0);
	set_faults(net, AT(net->b, 1), 1, 0);
	assert_int_equal(subnet_path_loss(net->subnet, &path, loss_ppm), 1);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(subnet_set_link_faults__refuses),
	NET_TEST(subnet_set_link_faults__mads_are_lost),
	NET_TEST(subnet_set_link_faults__mads_are_late),
	NET_TEST(subnet_set_link_faults__go_with_the_cable),
	NET_TEST(subnet_path_lose__data),
	NET_TEST(subnet_set_link_faults__groups),
	NET_TEST(subnet_path_loss__of_each_link_and_of_all),
};

int main(void)
{
	return verbena_test_main(tests);
}
