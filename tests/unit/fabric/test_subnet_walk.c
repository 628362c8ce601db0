// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A subnet manager of a page: from one host, by MADs alone, it finds a fat tree, gives LIDs, writes tables
 * and makes ports Active. Then what has LIDs is reached by them.
 */
#include "unit/fabric/subnet_fixture.h"

#define SPINES 4u
#define LEAVES 8u
#define HOSTS 32u
#define NODES (SPINES + LEAVES + HOSTS)
#define MOST_HOPS 8

struct found {
	uint64_t guid;
	uint8_t type, ports, in_port;
	uint8_t path[MOST_HOPS], hops;
	struct {
		int node; /* -1: nothing there */
		uint8_t port;
	} far[16];
};

struct manager {
	struct net *net;
	struct subnet_at at;
	struct found found[NODES + 1];
	uint32_t count;
};

static int ask(struct manager *m, const struct found *f, uint8_t method, __be16 attribute,
	       uint32_t modifier, uint8_t data[64])
{
	if (!f->hops)
		return net_local(m->net, m->at, method, attribute, modifier, data);
	return net_smp_at(m->net, m->at, f->path, f->hops, method, attribute, modifier, data);
}

/* Who is at the end of a path; somebody known is found again. */
static int meet(struct manager *m, const struct found *path, uint8_t *in_port)
{
	struct found *f = &m->found[m->count];
	uint8_t data[64] = {0};
	uint64_t guid;

	assert_int_equal(ask(m, path, GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	guid = get_unaligned_be64(data + 12);
	*in_port = data[36];
	for (uint32_t i = 0; i < m->count; i++)
		if (m->found[i].guid == guid)
			return (int)i;
	assert_true(m->count < NODES);
	*f = *path;
	f->guid = guid;
	f->type = data[2];
	f->ports = data[3];
	f->in_port = data[36];
	for (uint32_t i = 0; i < 16; i++)
		f->far[i].node = -1;
	return (int)m->count++;
}

static void look_behind(struct manager *m, uint32_t at, uint8_t port)
{
	struct found path = m->found[at];
	uint8_t data[64] = {0}, far_port;
	int far;

	assert_int_equal(ask(m, &m->found[at], GET, IB_SMP_ATTR_PORT_INFO, port, data), 0);
	assert_int_equal(data[28], m->found[at].in_port);
	if ((data[32] & 0xf) < 2)
		return;
	path.path[path.hops++] = port;
	far = meet(m, &path, &far_port);
	m->found[at].far[port].node = far;
	m->found[at].far[port].port = far_port;
	m->found[far].far[far_port].node = (int)at;
	m->found[far].far[far_port].port = port;
}

static void discover(struct manager *m)
{
	const struct found self = {.hops = 0};
	uint8_t port;

	assert_int_equal(meet(m, &self, &port), 0);
	assert_int_equal(port, m->at.port);
	look_behind(m, 0, port);
	for (uint32_t i = 1; i < m->count; i++)
		for (uint8_t p = 1; m->found[i].type == SUBNET_SWITCH && p <= m->found[i].ports;
		     p++)
			if (m->found[i].far[p].node < 0)
				look_behind(m, i, p);
}

static uint16_t lid_of(uint32_t i)
{
	return (uint16_t)(i + 1);
}

static void set_port(struct manager *m, const struct found *f, uint32_t port, uint8_t offset,
		     uint16_t value, bool wide)
{
	uint8_t data[64] = {0};

	assert_int_equal(ask(m, f, GET, IB_SMP_ATTR_PORT_INFO, port, data), 0);
	data[32] &= 0xf0;
	data[33] = 0;
	if (wide)
		put_unaligned_be16(value, data + offset);
	else
		data[offset] = (uint8_t)value;
	assert_int_equal(ask(m, f, SET, IB_SMP_ATTR_PORT_INFO, port, data), 0);
}

static void give_lids(struct manager *m)
{
	for (uint32_t i = 0; i < m->count; i++) {
		set_port(m, &m->found[i], 0, 16, lid_of(i), true);
		set_port(m, &m->found[i], 0, 18, 1, true);
	}
}

/* Ports towards one node, from the node outwards. */
static void find_ways(const struct manager *m, uint32_t to, uint8_t out[NODES])
{
	uint32_t queue[NODES], first = 0, last = 0;

	memset(out, 0xff, NODES);
	queue[last++] = to;
	out[to] = 0;
	while (first < last) {
		const uint32_t at = queue[first++];

		for (uint8_t p = 1; p < 16; p++) {
			const int far = m->found[at].far[p].node;

			if (far < 0 || out[far] != 0xff)
				continue;
			out[far] = m->found[at].far[p].port;
			if (m->found[far].type == SUBNET_SWITCH)
				queue[last++] = (uint32_t)far;
		}
	}
}

static void write_tables(struct manager *m)
{
	static uint8_t lft[NODES][64];
	uint8_t data[64] = {0};

	memset(lft, 0xff, sizeof(lft));
	for (uint32_t to = 0; to < m->count; to++) {
		uint8_t out[NODES];

		find_ways(m, to, out);
		for (uint32_t i = 0; i < m->count; i++)
			lft[i][lid_of(to)] = out[i];
	}
	for (uint32_t i = 0; i < m->count; i++) {
		if (m->found[i].type != SUBNET_SWITCH)
			continue;
		assert_int_equal(ask(m, &m->found[i], GET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
		put_unaligned_be16(lid_of(NODES - 1), data + 6);
		data[11] |= 4;
		assert_int_equal(ask(m, &m->found[i], SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
		assert_int_equal(data[11] & 4, 0);
		assert_int_equal(
			ask(m, &m->found[i], SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, lft[i]), 0);
	}
}

static void set_states(struct manager *m, uint8_t state)
{
	for (uint32_t i = 0; i < m->count; i++)
		for (uint8_t p = 1; p < 16; p++)
			if (m->found[i].far[p].node >= 0)
				set_port(m, &m->found[i], p, 32, state, false);
}

static void build(struct net *net, uint32_t *hosts)
{
	uint32_t spine[SPINES], leaf[LEAVES];
	const struct subnet_node_config sw = {.type = SUBNET_SWITCH, .ports = 8};
	const struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 1};

	for (uint32_t i = 0; i < SPINES; i++)
		spine[i] = net_add(net, sw);
	for (uint32_t i = 0; i < LEAVES; i++)
		leaf[i] = net_add(net, sw);
	for (uint8_t l = 0; l < LEAVES; l++)
		for (uint8_t s = 0; s < SPINES; s++)
			assert_int_equal(subnet_connect(net->subnet, AT(leaf[l], s + 1),
							AT(spine[s], l + 1)),
					 0);
	for (uint8_t h = 0; h < HOSTS; h++) {
		hosts[h] = net_add(net, ca);
		assert_int_equal(subnet_connect(net->subnet, AT(hosts[h], 1),
						AT(leaf[h / 4], h % 4 + 5)),
				 0);
	}
}

static void subnet__is_brought_up_from_one_host(void **state)
{
	struct net *net = *state;
	struct manager *m = calloc(1, sizeof(*m));
	struct subnet_path path;
	uint32_t hosts[HOSTS];

	assert_non_null(m);
	build(net, hosts);
	m->net = net;
	m->at = AT(hosts[0], 1);
	discover(m);
	assert_int_equal(m->count, NODES);
	give_lids(m);
	subnet_resolve(net->subnet, m->at, net_port(net, AT(hosts[31], 1)).lid, 0, 0xffff, &path);
	assert_int_equal(path.verdict, SUBNET_NOT_ACTIVE);
	write_tables(m);
	set_states(m, 3);
	set_states(m, 4);

	for (uint32_t i = 0; i < m->count; i++) {
		struct subnet_mad mad = net_smp(net, GET, IB_SMP_ATTR_NODE_INFO, 0), *answer;

		mad.slid = 1;
		mad.dlid = lid_of(i);
		answer = net_ask(net, m->at, &mad);
		assert_non_null(answer);
		assert_int_equal(answer->slid, lid_of(i));
		assert_int_equal(answer->dlid, 1);
		assert_true(get_unaligned_be64(smp_of(answer)->data + 12) == m->found[i].guid);
	}
	for (uint32_t a = 0; a < HOSTS; a++)
		for (uint32_t b = 0; b < HOSTS; b++) {
			subnet_resolve(net->subnet, AT(hosts[a], 1),
				       net_port(net, AT(hosts[b], 1)).lid, 0, 0xffff, &path);
			assert_int_equal(path.verdict, SUBNET_ARRIVES);
			assert_int_equal(path.to.node, hosts[b]);
			assert_int_equal(path.hops, a == b ? 0 : a / 4 == b / 4 ? 2 : 4);
		}
	free(m);
}

static const struct CMUnitTest tests[] = {
	NET_TEST_EMPTY(subnet__is_brought_up_from_one_host),
};

int main(void)
{
	return verbena_test_main(tests);
}
