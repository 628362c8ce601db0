// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* MADs on their way: by directed routes, by LID, by both; of QP 0 and of QP 1. */
#include "unit/fabric/subnet_fixture.h"

#include <stdlib.h>

#define NOT_HERE 0x000c

static struct subnet_mad by_lid(struct net *net, uint16_t slid, uint16_t dlid)
{
	struct subnet_mad mad = net_smp(net, GET, IB_SMP_ATTR_NODE_INFO, 0);

	mad.slid = slid;
	mad.dlid = dlid;
	return mad;
}

static struct subnet_mad gmp(uint16_t slid, uint16_t dlid, uint8_t method)
{
	struct subnet_mad mad = {.slid = slid,
				 .dlid = dlid,
				 .pkey = 0xffff,
				 .src_qpn = 1,
				 .dest_qpn = 1,
				 .qkey = IB_QP1_QKEY,
				 .data = {1, 0x03, 2, method}};

	return mad;
}

static uint64_t guid_of(struct subnet_mad *answer)
{
	assert_non_null(answer);
	assert_int_equal(smp_of(answer)->status & ~IB_SMP_DIRECTION, 0);
	return get_unaligned_be64(smp_of(answer)->data + 12);
}

static void subnet_send_mad__by_lid(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad, *answer;

	net_configure(net);
	for (uint16_t lid = 1; lid <= 3; lid++) {
		mad = by_lid(net, 1, lid);
		answer = net_ask(net, AT(net->a, 1), &mad);
		assert_true(guid_of(answer) == lid * 0x100u);
		assert_int_equal(answer->slid, lid);
		assert_int_equal(answer->dlid, 1);
		assert_int_equal(net->inbox_at[0].node, net->a);
		/* The switch tells by which port it came. */
		assert_int_equal(smp_of(answer)->data[36], 1);
		mad = by_lid(net, 3, lid);
		assert_true(guid_of(net_ask(net, AT(net->sw, 0), &mad)) == lid * 0x100u);
		assert_int_equal(net->inbox_at[0].node, net->sw);
		assert_int_equal(net->inbox_at[0].port, 0);
	}
	for (uint16_t lid = 4; lid <= 5; lid++) {
		mad = by_lid(net, 1, lid == 4 ? 4 : 0xc001);
		assert_null(net_ask(net, AT(net->a, 1), &mad));
	}
}

static void subnet_send_mad__needs_tables(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad;

	assert_int_equal(net_set_lid(net, AT(net->a, 1), 1, 1), 0);
	assert_int_equal(net_set_lid(net, AT(net->b, 1), 2, 1), 0);
	mad = by_lid(net, 1, 2);
	assert_null(net_ask(net, AT(net->a, 1), &mad));
	mad = by_lid(net, 1, 1); /* but not for itself */
	assert_true(guid_of(net_ask(net, AT(net->a, 1), &mad)) == 0x100);
}

static void subnet_send_mad__directed(void **state)
{
	struct net *net = *state;
	const uint8_t path[] = {1, 2}, wrong[] = {1, 3}, none[] = {1, 9};
	uint8_t data[64] = {0};
	struct ib_smp *smp;

	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), path, 1, GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	assert_true(get_unaligned_be64(data + 12) == 0x300);
	assert_int_equal(data[36], 1);
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), path, 2, GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	assert_true(get_unaligned_be64(data + 12) == 0x200);
	smp = smp_of(&net->inbox[0]);
	assert_int_equal(net->inbox[0].slid, 0xffff);
	assert_int_equal(net->inbox[0].dlid, 0xffff);
	assert_int_equal(smp->return_path[1], 1);
	assert_int_equal(smp->return_path[2], 1);
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), wrong, 2, GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), none, 2, GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
	/* From a switch itself. */
	assert_int_equal(net_smp_at(net, AT(net->sw, 0), path + 1, 1, GET, IB_SMP_ATTR_NODE_INFO, 0,
				    data),
			 0);
	assert_true(get_unaligned_be64(data + 12) == 0x200);
	subnet_set_link(net->subnet, AT(net->b, 1), false);
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), path, 2, GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
}

/* There and back over one link, as far as a route can go. */
static void subnet_send_mad__longest_route(void **state)
{
	struct net *net = *state;
	const uint32_t other =
		net_add(net, (struct subnet_node_config){.type = 2, .ports = 2, .guid = 0x400});
	uint8_t path[64], data[64] = {0};

	assert_int_equal(subnet_connect(net->subnet, AT(other, 2), AT(net->sw, 4)), 0);
	path[0] = 1;
	for (uint32_t i = 1; i < 64; i++)
		path[i] = i % 2 ? 4 : 2;
	for (uint8_t hops = 2; hops < 64; hops++) {
		assert_int_equal(net_smp_at(net, AT(net->a, 1), path, hops, GET,
					    IB_SMP_ATTR_NODE_INFO, 0, data),
				 0);
		assert_true(get_unaligned_be64(data + 12) == (hops % 2 ? 0x300 : 0x400));
	}
	path[0] = 1;
	{
		struct subnet_mad mad = net_smp(net, GET, IB_SMP_ATTR_NODE_INFO, 0);

		net_direct(&mad, path, 63);
		smp_of(&mad)->hop_cnt = 64;
		assert_null(net_ask(net, AT(net->a, 1), &mad));
	}
}

/* A host of two ports is no switch. */
static void subnet_send_mad__a_ca_forwards_nothing(void **state)
{
	struct net *net = *state;
	const uint32_t two = net_add(net, (struct subnet_node_config){.type = 1, .ports = 2});
	const uint32_t behind = net_add(net, (struct subnet_node_config){.type = 1, .ports = 1});
	const uint8_t path[] = {1, 4, 2};
	uint8_t data[64] = {0};

	assert_int_equal(subnet_connect(net->subnet, AT(two, 1), AT(net->sw, 4)), 0);
	assert_int_equal(subnet_connect(net->subnet, AT(two, 2), AT(behind, 1)), 0);
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), path, 2, GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), path, 3, GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
}

static void subnet_send_mad__permissive_lid_is_the_neighbour(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad = by_lid(net, 0xffff, 0xffff);

	assert_true(guid_of(net_ask(net, AT(net->a, 1), &mad)) == 0x300);
	net_configure(net);
	mad = gmp(0xffff, 0xffff, 1);
	assert_null(net_ask(net, AT(net->a, 1), &mad));
}

/* By LID to the switch, then by a path to B; the answer by the same nodes. */
static void subnet_send_mad__lid_then_path(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad = by_lid(net, 1, 3), *answer;
	struct ib_smp *smp = smp_of(&mad);

	net_configure(net);
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->hop_cnt = 1;
	smp->initial_path[1] = 2;
	smp->dr_slid = cpu_to_be16(1);
	smp->dr_dlid = cpu_to_be16(0xffff);
	answer = net_ask(net, AT(net->a, 1), &mad);
	assert_true(guid_of(answer) == 0x200);
	assert_int_equal(answer->dlid, 1);
	assert_int_equal(answer->slid, 3);
	assert_int_equal(smp_of(answer)->hop_ptr, 0);
	assert_int_equal(net->inbox_at[0].node, net->a);
}

/* By a path to the switch, then by LID to B, or to the switch itself. */
static void subnet_send_mad__path_then_lid(void **state)
{
	struct net *net = *state;
	const uint8_t path[] = {1};

	net_configure(net);
	for (uint16_t lid = 2; lid <= 3; lid++) {
		struct subnet_mad mad = net_smp(net, GET, IB_SMP_ATTR_NODE_INFO, 0), *answer;

		net_direct(&mad, path, 1);
		smp_of(&mad)->dr_dlid = cpu_to_be16(lid);
		answer = net_ask(net, AT(net->a, 1), &mad);
		assert_true(guid_of(answer) == lid * 0x100u);
		assert_int_equal(smp_of(answer)->hop_ptr, 0);
		assert_int_equal(answer->dlid, 0xffff);
	}
}

/* Both: by LID to a far switch, back over a link by a path, and on by LID. */
static void subnet_send_mad__lid_path_lid(void **state)
{
	struct net *net = *state;
	const uint32_t other =
		net_add(net, (struct subnet_node_config){.type = 2, .ports = 2, .guid = 0x400});
	struct subnet_mad mad = by_lid(net, 1, 4), *answer;
	struct ib_smp *smp = smp_of(&mad);
	uint8_t lft[64];

	assert_int_equal(subnet_connect(net->subnet, AT(other, 2), AT(net->sw, 4)), 0);
	net_configure(net);
	assert_int_equal(net_set_lid(net, AT(other, 0), 4, 1), 0);
	memset(lft, 0xff, sizeof(lft));
	lft[1] = 1, lft[2] = 2, lft[3] = 0, lft[4] = 4;
	assert_int_equal(
		net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, lft), 0);
	memset(lft, 2, sizeof(lft));
	lft[4] = 0;
	assert_int_equal(
		net_local(net, AT(other, 0), SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, lft), 0);
	for (uint32_t i = 0; i < 2; i++) {
		uint8_t info[64] = {0};
		const struct subnet_at sw = AT(i ? other : net->sw, 0);

		assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SWITCH_INFO, 0, info), 0);
		info[7] = 4;
		assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SWITCH_INFO, 0, info), 0);
	}
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->hop_cnt = 1;
	smp->initial_path[1] = 2;
	smp->dr_slid = cpu_to_be16(1);
	smp->dr_dlid = cpu_to_be16(2);
	answer = net_ask(net, AT(net->a, 1), &mad);
	assert_true(guid_of(answer) == 0x200);
	assert_int_equal(answer->dlid, 1);
}

/* One that says it has come by a path, but has come by LID: there is no way back by that path. */
static void subnet_send_mad__no_way_back(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad = by_lid(net, 1, 2);
	struct ib_smp *smp = smp_of(&mad);

	net_configure(net);
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->hop_cnt = 1;
	smp->hop_ptr = 2;
	smp->dr_slid = smp->dr_dlid = cpu_to_be16(0xffff);
	assert_null(net_ask(net, AT(net->a, 1), &mad));
	smp->hop_cnt = 0; /* and without one there is */
	smp->hop_ptr = 0;
	assert_true(guid_of(net_ask(net, AT(net->a, 1), &mad)) == 0x200);
	assert_int_equal(smp_of(&net->inbox[0])->hop_ptr, 0);
}

static void subnet_send_mad__gmps_need_active_ports(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad = gmp(1, 2, 0x03), *got;

	net_configure(net);
	got = net_ask(net, AT(net->a, 1), &mad);
	assert_non_null(got);
	assert_int_equal(net->inbox_at[0].node, net->b);
	assert_memory_equal(got->data, mad.data, 256);
	assert_int_equal(net_set_state(net, AT(net->b, 1), 0, 1), 0);
	assert_null(net_ask(net, AT(net->a, 1), &mad));
	mad = by_lid(net, 1, 2); /* SMPs need Init */
	assert_non_null(net_ask(net, AT(net->a, 1), &mad));
	mad = gmp(1, 1, 0x03); /* to itself */
	assert_non_null(net_ask(net, AT(net->a, 1), &mad));
	assert_int_equal(net_set_state(net, AT(net->a, 1), 0, 1), 0);
	assert_null(net_ask(net, AT(net->a, 1), &mad));
}

/* Nobody is there: a Get or Set is answered all the same, others are not. */
static void subnet_send_mad__unsupported_if_nobody_takes_it(void **state)
{
	struct net *net = *state;
	static const uint8_t methods[] = {1, 2, 3, 5, 6, 0x12, 0x81};

	net_configure(net);
	for (size_t i = 0; i < sizeof(methods); i++) {
		const struct subnet_mad mad = gmp(1, 2, methods[i]);

		net->delivered = 0;
		subnet_send_mad(net->subnet, AT(net->a, 1), &mad);
		assert_int_equal(net->inbox_at[0].node, net->b);
		assert_int_equal(net->delivered, methods[i] <= 2 ? 2 : 1);
		if (methods[i] > 2)
			continue;
		assert_int_equal(net->inbox_at[1].node, net->a);
		assert_int_equal(net->inbox[1].data[3], 0x81);
		assert_int_equal(get_unaligned_be16(net->inbox[1].data + 4), NOT_HERE);
		assert_int_equal(net->inbox[1].slid, 2);
		assert_int_equal(net->inbox[1].dlid, 1);
	}
}

static void subnet_send_mad__path_bits(void **state)
{
	struct net *net = *state;
	const uint8_t lmc[][2] = {{17, 4}, {34, 2}};
	struct subnet_mad mad = gmp(1, 7, 0x03), *got;
	uint8_t lft[64], info[64] = {0};

	net_configure(net);
	assert_int_equal(net_set_port_info(net, AT(net->b, 1), 0, lmc, 2), 0);
	memset(lft, 2, sizeof(lft));
	lft[1] = 1;
	assert_int_equal(
		net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, lft), 0);
	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_SWITCH_INFO, 0, info), 0);
	info[7] = 63;
	assert_int_equal(net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_SWITCH_INFO, 0, info), 0);
	got = net_ask(net, AT(net->a, 1), &mad);
	assert_non_null(got);
	assert_int_equal(got->path_bits, 3);
	mad = by_lid(net, 1, 6);
	got = net_ask(net, AT(net->a, 1), &mad);
	assert_non_null(got);
	assert_int_equal(got->slid, 6);
	mad = gmp(1, 8, 0x03); /* not one of its LIDs */
	assert_null(net_ask(net, AT(net->a, 1), &mad));
}

static void subnet_send_mad__wrong_keys_and_queue_pairs(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad = gmp(1, 2, 0x03);

	net_configure(net);
	mad.pkey = 0x8001;
	assert_null(net_ask(net, AT(net->a, 1), &mad));
	assert_int_equal(net_port(net, AT(net->b, 1)).pkey_violations, 1);
	mad.pkey = 0x7fff; /* limited, but B is a full member */
	assert_non_null(net_ask(net, AT(net->a, 1), &mad));
	mad.qkey = 1;
	assert_null(net_ask(net, AT(net->a, 1), &mad));
	assert_int_equal(net_port(net, AT(net->b, 1)).qkey_violations, 1);
	mad.qkey = IB_QP1_QKEY;
	mad.dest_qpn = 0; /* no SMP */
	assert_null(net_ask(net, AT(net->a, 1), &mad));
	mad = by_lid(net, 1, 2);
	mad.dest_qpn = 1; /* no GMP */
	assert_null(net_ask(net, AT(net->a, 1), &mad));
	mad = gmp(1, 2, 0x81);
	mad.dest_qpn = 77; /* what this one has asked for */
	mad.qkey = 0x1234;
	assert_non_null(net_ask(net, AT(net->a, 1), &mad));
	mad = gmp(1, 2, 0x03);
	mad.data[0] = 2;
	assert_null(net_ask(net, AT(net->a, 1), &mad));
}

static void subnet_send_mad__answers_keep_grh(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad = gmp(1, 2, 1);

	net_configure(net);
	mad.has_grh = true;
	memset(mad.sgid, 1, 16);
	memset(mad.dgid, 2, 16);
	subnet_send_mad(net->subnet, AT(net->a, 1), &mad);
	assert_int_equal(net->delivered, 2);
	assert_true(net->inbox[1].has_grh);
	assert_memory_equal(net->inbox[1].sgid, mad.dgid, 16);
	assert_memory_equal(net->inbox[1].dgid, mad.sgid, 16);
}

#define CONVERSATION 10000u

struct talkers {
	struct subnet *subnet;
	uint32_t left;
	unsigned int depth;
};

static bool talk(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	struct talkers *t = ctx;
	struct subnet_mad back = *mad;

	assert_int_equal(t->depth++, 0);
	back.slid = mad->dlid;
	back.dlid = mad->slid;
	if (t->left && --t->left)
		subnet_send_mad(t->subnet, at, &back);
	t->depth--;
	return true;
}

static void hear(void *ctx, struct subnet_at at, uint32_t what)
{
	(void)ctx;
	(void)at;
	(void)what;
}

static void subnet_send_mad__however_long_it_does_not_recurse(void **state)
{
	static const struct subnet_ops ops = {.deliver = talk, .changed = hear};
	struct net *net = *state;
	struct subnet *own = net->subnet;
	struct talkers t = {.left = CONVERSATION};
	struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 1};
	struct subnet_mad mad = gmp(1, 2, 0x03);

	t.subnet = subnet_new(&ops, &t);
	assert_non_null(t.subnet);
	net->subnet = t.subnet;
	net->a = net_add(net, ca);
	net->b = net_add(net, ca);
	assert_int_equal(subnet_connect(t.subnet, AT(net->a, 1), AT(net->b, 1)), 0);
	for (uint8_t i = 0; i < 2; i++) {
		const struct subnet_at at = AT(i ? net->b : net->a, 1);

		assert_int_equal(net_set_lid(net, at, i + 1, 1), 0);
		assert_int_equal(net_set_state(net, at, 0, 3), 0);
		assert_int_equal(net_set_state(net, at, 0, 4), 0);
	}
	subnet_send_mad(t.subnet, AT(net->a, 1), &mad);
	assert_int_equal(t.left, 0);
	subnet_free(t.subnet);
	net->subnet = own;
}

#define CROWD 70000u
#define ROOM 65536u

struct burst {
	struct subnet *subnet;
	uint32_t wanted, delivered;
};

/* On the first one, all others at once. */
static bool burst(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	struct burst *b = ctx;

	(void)at;
	if (!b->delivered++)
		for (uint32_t i = 0; i < b->wanted; i++)
			subnet_send_mad(b->subnet, AT(0, 1), mad);
	return true;
}

static void subnet_send_mad__a_crowd_waits_and_has_a_limit(void **state)
{
	static const struct subnet_ops ops = {.deliver = burst, .changed = hear};
	struct net *net = *state;
	struct subnet *own = net->subnet;
	const struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 1};
	struct subnet_mad mad = by_lid(net, 1, 1);
	uint8_t data[192] = {0};

	smp_of(&mad)->method = IB_MGMT_METHOD_GET_RESP;
	for (uint32_t wanted = 100; wanted <= CROWD; wanted += CROWD - 100) {
		struct burst b = {.wanted = wanted};
		struct subnet_mad in = {.data = {1, 4, 1, 1}}, out;
		uint32_t node;

		b.subnet = net->subnet = subnet_new(&ops, &b);
		assert_non_null(b.subnet);
		assert_int_equal(subnet_add_node(b.subnet, &ca, &node), 0);
		assert_int_equal(node, 0);
		assert_int_equal(net_set_lid(net, AT(0, 1), 1, 1), 0);
		subnet_send_mad(b.subnet, AT(0, 1), &mad);
		assert_int_equal(b.delivered, 1 + (wanted < ROOM ? wanted : ROOM));
		in.data[17] = 0x12;
		in.data[65] = 1;
		assert_int_equal(subnet_process_mad(b.subnet, AT(0, 1), 0, &in, &out), 3);
		memcpy(data, out.data + 64, sizeof(data));
		assert_int_equal(get_unaligned_be16(data + 22), wanted < ROOM ? 0 : wanted - ROOM);
		subnet_free(b.subnet);
	}
	net->subnet = own;
}

/* From where nobody can send. */
static void subnet_send_mad__from_nowhere(void **state)
{
	struct net *net = *state;
	struct subnet_mad mad = by_lid(net, 1, 2);

	assert_null(net_ask(net, AT(net->sw, 1), &mad));
	assert_null(net_ask(net, AT(net->a, 0), &mad));
	assert_null(net_ask(net, AT(net->a, 2), &mad));
	assert_null(net_ask(net, AT(99, 1), &mad));
}

/* Whatever the SMPs say, everything stands afterwards. */
static void subnet_send_mad__random_smps(void **state)
{
	struct net *net = *state;
	uint64_t random = 1;
	struct subnet_mad mad;

	net_configure(net);
	for (uint32_t i = 0; i < 200000; i++) {
		uint8_t *byte = (uint8_t *)&mad;

		mad = net_smp(net, i % 2 ? GET : SET, 0, 0);
		for (uint32_t n = 0; n < 8; n++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			mad.data[(random >> 33) % (n < 4 ? 64 : 256)] = (uint8_t)(random >> 55);
		}
		smp_of(&mad)->attr_id = cpu_to_be16((uint16_t)(0x10 + (random >> 20) % 18));
		byte[(random >> 12) % 28] = (uint8_t)(random >> 40);
		smp_of(&mad)->base_version = 1;
		mad.has_grh = false;
		if (random >> 60 < 8)
			smp_of(&mad)->mgmt_class = 0x81, mad.dlid = 0xffff;
		subnet_send_mad(net->subnet,
				AT(i % 3 == 0	? net->a
				   : i % 3 == 1 ? net->b
						: net->sw,
				   i % 3 != 2),
				&mad);
	}
	for (uint32_t i = 0; i < 3; i++)
		(void)net_port(net, AT(i, i != net->sw));
}

static const struct CMUnitTest tests[] = {
	NET_TEST(subnet_send_mad__by_lid),
	NET_TEST(subnet_send_mad__needs_tables),
	NET_TEST(subnet_send_mad__directed),
	NET_TEST(subnet_send_mad__longest_route),
	NET_TEST(subnet_send_mad__a_ca_forwards_nothing),
	NET_TEST(subnet_send_mad__permissive_lid_is_the_neighbour),
	NET_TEST(subnet_send_mad__lid_then_path),
	NET_TEST(subnet_send_mad__path_then_lid),
	NET_TEST(subnet_send_mad__lid_path_lid),
	NET_TEST(subnet_send_mad__no_way_back),
	NET_TEST(subnet_send_mad__gmps_need_active_ports),
	NET_TEST(subnet_send_mad__unsupported_if_nobody_takes_it),
	NET_TEST(subnet_send_mad__path_bits),
	NET_TEST(subnet_send_mad__wrong_keys_and_queue_pairs),
	NET_TEST(subnet_send_mad__answers_keep_grh),
	NET_TEST(subnet_send_mad__however_long_it_does_not_recurse),
	NET_TEST(subnet_send_mad__a_crowd_waits_and_has_a_limit),
	NET_TEST(subnet_send_mad__from_nowhere),
	NET_TEST(subnet_send_mad__random_smps),
};

int main(void)
{
	return verbena_test_main(tests);
}
