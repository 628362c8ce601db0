/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A subnet under test: what was delivered and what has changed is kept, SMPs are sent by directed routes
 * or LIDs, time is virtual. The small fabric: hosts A and B at ports 1 and 2 of a switch of four ports.
 */
#ifndef TESTS_UNIT_FABRIC_SUBNET_FIXTURE_H
#define TESTS_UNIT_FABRIC_SUBNET_FIXTURE_H

#include <rdma/ib_smi.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "base/timer.h"
#include "common/test.h"
#include "fabric/subnet.h"

#define NET_INBOX 64
#define NET_EVENTS 256

#define AT(n, p) ((struct subnet_at){(n), (p)})
#define GET IB_MGMT_METHOD_GET
#define SET IB_MGMT_METHOD_SET

struct net {
	struct subnet *subnet;
	struct subnet_mad inbox[NET_INBOX]; /* the first ones */
	struct subnet_at inbox_at[NET_INBOX];
	uint32_t delivered;
	bool takes; /* an agent is everywhere */
	struct subnet_at event_at[NET_EVENTS];
	uint32_t event[NET_EVENTS];
	uint32_t events;
	uint64_t now_ns;
	uint64_t tid;
	uint64_t mkey;
	uint32_t a, b, sw;
};

static inline bool net_deliver(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	struct net *net = ctx;

	if (net->delivered < NET_INBOX) {
		net->inbox[net->delivered] = *mad;
		net->inbox_at[net->delivered] = at;
	}
	net->delivered++;
	return net->takes;
}

static inline void net_changed(void *ctx, struct subnet_at at, uint32_t what)
{
	struct net *net = ctx;

	if (net->events < NET_EVENTS) {
		net->event_at[net->events] = at;
		net->event[net->events] = what;
	}
	net->events++;
}

static const struct subnet_ops net_ops = {.deliver = net_deliver, .changed = net_changed};

static inline uint32_t net_add(struct net *net, struct subnet_node_config config)
{
	uint32_t node = 0;

	assert_int_equal(subnet_add_node(net->subnet, &config, &node), 0);
	return node;
}

static inline void net_turn(struct net *net, uint64_t ns)
{
	net->now_ns += ns;
	while (base_host_turn(net->now_ns, 64))
		;
}

static inline int net_teardown(void **state)
{
	struct net *net = *state;

	if (net)
		subnet_free(net->subnet);
	base_free(net);
	*state = NULL;
	return 0;
}

static inline int net_setup_empty(void **state)
{
	struct net *net = base_zalloc(sizeof(*net));

	if (!net)
		return -1;
	net->now_ns = base_now_ns();
	net->subnet = subnet_new(&net_ops, net);
	*state = net;
	if (net->subnet)
		return 0;
	net_teardown(state);
	return -1;
}

static inline int net_setup(void **state)
{
	struct subnet_node_config ca = {.type = SUBNET_CA, .ports = 1, .guid = 0x100};
	const struct subnet_node_config sw = {.type = SUBNET_SWITCH, .ports = 4, .guid = 0x300};
	struct net *net;

	if (net_setup_empty(state))
		return -1;
	net = *state;
	if (subnet_add_node(net->subnet, &ca, &net->a))
		goto tear_down;
	ca.guid = 0x200;
	if (subnet_add_node(net->subnet, &ca, &net->b) ||
	    subnet_add_node(net->subnet, &sw, &net->sw) ||
	    subnet_connect(net->subnet, AT(net->a, 1), AT(net->sw, 1)) ||
	    subnet_connect(net->subnet, AT(net->b, 1), AT(net->sw, 2)))
		goto tear_down;
	net->events = 0;
	return 0;

tear_down:
	net_teardown(state);
	return -1;
}

static inline struct ib_smp *smp_of(struct subnet_mad *mad)
{
	return (struct ib_smp *)(void *)mad->data;
}

/* An SMP with nothing in it. */
static inline struct subnet_mad net_smp(struct net *net, uint8_t method, __be16 attribute,
					uint32_t modifier)
{
	struct subnet_mad mad = {.pkey = 0xffff};
	struct ib_smp *smp = smp_of(&mad);

	ib_init_query_mad(smp);
	smp->method = method;
	smp->attr_id = attribute;
	smp->attr_mod = cpu_to_be32(modifier);
	smp->tid = cpu_to_be64(++net->tid);
	smp->mkey = cpu_to_be64(net->mkey);
	return mad;
}

/* The only MAD that has been delivered since; NULL if there was none. */
static inline struct subnet_mad *net_answer(struct net *net)
{
	assert_true(net->delivered <= 1);
	return net->delivered ? &net->inbox[0] : NULL;
}

/* Send and see what comes back. */
static inline struct subnet_mad *net_ask(struct net *net, struct subnet_at from,
					 const struct subnet_mad *mad)
{
	const bool takes = net->takes;

	net->delivered = 0;
	net->takes = true;
	subnet_send_mad(net->subnet, from, mad);
	net->takes = takes;
	return net_answer(net);
}

/* Make it one that leaves by @path; the first hop was made by who sends it. */
static inline void net_direct(struct subnet_mad *mad, const uint8_t *path, uint8_t hops)
{
	struct ib_smp *smp = smp_of(mad);

	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->hop_cnt = hops;
	smp->hop_ptr = 1;
	smp->dr_slid = smp->dr_dlid = cpu_to_be16(0xffff);
	mad->slid = mad->dlid = SUBNET_PERMISSIVE_LID;
	memcpy(smp->initial_path + 1, path, hops);
}

/* What the node at the end of @path answers; it becomes @smp. Returns the status without direction. */
static inline int net_smp_at(struct net *net, struct subnet_at from, const uint8_t *path,
			     uint8_t hops, uint8_t method, __be16 attribute, uint32_t modifier,
			     uint8_t data[64])
{
	struct subnet_mad mad = net_smp(net, method, attribute, modifier), *answer;
	struct ib_smp *smp;

	if (method == SET)
		memcpy(smp_of(&mad)->data, data, 64);
	net_direct(&mad, path, hops);
	answer = net_ask(net, from, &mad);
	if (!answer)
		return -1;
	smp = smp_of(answer);
	assert_int_equal(smp->method, IB_MGMT_METHOD_GET_RESP);
	assert_int_equal(smp->tid, cpu_to_be64(net->tid));
	assert_int_equal(smp->hop_ptr, 0);
	assert_int_equal(be16_to_cpu(smp->status) & 0x8000, 0x8000);
	memcpy(data, smp->data, 64);
	return be16_to_cpu(smp->status) & 0x7fff;
}

/* At a node itself: what its own firmware says, and what nobody else sees. */
static inline int net_local(struct net *net, struct subnet_at at, uint8_t method, __be16 attribute,
			    uint32_t modifier, uint8_t data[64])
{
	struct subnet_mad in = net_smp(net, method, attribute, modifier), out;

	if (method == SET)
		memcpy(smp_of(&in)->data, data, 64);
	if (!(subnet_process_mad(net->subnet, at, 0, &in, &out) & 2))
		return -1;
	memcpy(data, smp_of(&out)->data, 64);
	return be16_to_cpu(smp_of(&out)->status);
}

/* PortInfo, with one byte changed. */
static inline int net_set_port_info(struct net *net, struct subnet_at at, uint32_t port,
				    const uint8_t bytes[][2], uint32_t count)
{
	uint8_t data[64] = {0};

	assert_int_equal(net_local(net, at, GET, IB_SMP_ATTR_PORT_INFO, port, data), 0);
	data[32] &= 0xf0; /* neither state is changed but by @bytes */
	data[33] = 0;
	for (uint32_t i = 0; i < count; i++)
		data[bytes[i][0]] = bytes[i][1];
	return net_local(net, at, SET, IB_SMP_ATTR_PORT_INFO, port, data);
}

static inline int net_set_state(struct net *net, struct subnet_at at, uint32_t port, uint8_t state)
{
	const uint8_t bytes[][2] = {{32, state}};

	return net_set_port_info(net, at, port, bytes, 1);
}

static inline int net_set_lid(struct net *net, struct subnet_at at, uint16_t lid, uint16_t sm_lid)
{
	const uint8_t bytes[][2] = {{16, (uint8_t)(lid >> 8)},
				    {17, (uint8_t)lid},
				    {18, (uint8_t)(sm_lid >> 8)},
				    {19, (uint8_t)sm_lid}};

	return net_set_port_info(net, at, 0, bytes, 4);
}

/* What the firmware of A's neighbour at @dlid answers to a MAD of QP 1. Returns the status; -1: nothing. */
static inline int net_gmp(struct net *net, uint16_t dlid, uint8_t class, uint8_t version,
			  uint8_t method, uint16_t attribute, uint32_t modifier, uint8_t data[192])
{
	struct subnet_mad mad = {.slid = 1,
				 .dlid = dlid,
				 .pkey = 0xffff,
				 .src_qpn = 1,
				 .dest_qpn = 1,
				 .qkey = IB_QP1_QKEY,
				 .data = {1, class, version, method}};
	struct subnet_mad *answer;

	put_unaligned_be64(++net->tid, mad.data + 8);
	put_unaligned_be16(attribute, mad.data + 16);
	put_unaligned_be32(modifier, mad.data + 20);
	put_unaligned_be64(net->mkey, mad.data + 24);
	memcpy(mad.data + 64, data, 192);
	answer = net_ask(net, AT(net->a, 1), &mad);
	if (!answer)
		return -1;
	assert_int_equal(net->inbox_at[0].node, net->a);
	assert_int_equal(answer->data[1], class);
	assert_int_equal(answer->data[3], IB_MGMT_METHOD_GET_RESP);
	assert_true(get_unaligned_be64(answer->data + 8) == net->tid);
	memcpy(data, answer->data + 64, 192);
	return get_unaligned_be16(answer->data + 4);
}

static inline struct subnet_port_view net_port(struct net *net, struct subnet_at at)
{
	struct subnet_port_view view;

	assert_int_equal(subnet_query_port(net->subnet, at, &view), 0);
	return view;
}

static inline void net_set_lft(struct net *net, uint32_t sw, uint16_t top, const uint8_t lft[64])
{
	uint8_t data[64] = {0};

	assert_int_equal(net_local(net, AT(sw, 0), GET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	put_unaligned_be16(top, data + 6);
	assert_int_equal(net_local(net, AT(sw, 0), SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	memcpy(data, lft, 64);
	assert_int_equal(net_local(net, AT(sw, 0), SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, data),
			 0);
}

/* LIDs 1 (A), 2 (B), 3 (switch), tables, all Active; A is the manager. */
static inline void net_configure(struct net *net)
{
	const uint8_t armed[][2] = {{32, 3}}, active[][2] = {{32, 4}};
	uint8_t data[64] = {0};

	assert_int_equal(net_set_lid(net, AT(net->a, 1), 1, 1), 0);
	assert_int_equal(net_set_lid(net, AT(net->b, 1), 2, 1), 0);
	assert_int_equal(net_set_lid(net, AT(net->sw, 0), 3, 1), 0);
	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	data[7] = 3;
	data[11] |= 4;
	assert_int_equal(net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	memset(data, 0xff, sizeof(data));
	data[1] = 1;
	data[2] = 2;
	data[3] = 0;
	assert_int_equal(
		net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0, data), 0);
	for (uint8_t i = 0; i < 2; i++) {
		const uint8_t(*state)[2] = i ? active : armed;

		assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, state, 1), 0);
		assert_int_equal(net_set_port_info(net, AT(net->b, 1), 0, state, 1), 0);
		assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 1, state, 1), 0);
		assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, state, 1), 0);
	}
	net_turn(net, 10000000000u);
	net->events = 0;
	net->delivered = 0;
}

#define NET_TEST(name) cmocka_unit_test_setup_teardown(name, net_setup, net_teardown)
#define NET_TEST_EMPTY(name) cmocka_unit_test_setup_teardown(name, net_setup_empty, net_teardown)

#endif
