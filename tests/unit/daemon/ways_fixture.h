/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Ways through the small fabric: ports A and B of it have slots of a directory. */
#ifndef TESTS_DAEMON_WAYS_FIXTURE_H
#define TESTS_DAEMON_WAYS_FIXTURE_H

#include "daemon/ways.h"
#include "fabric/subnet_priv.h"
#include "unit/fabric/subnet_fixture.h"

#define MLID 0xc005
#define ENDS 3u

struct ends {
	struct net *net;
	struct subnet_at at[ENDS];
	uint32_t slot[ENDS];
	uint32_t count;
};

static struct ends ends;
static struct ways *ways;

static bool end_at(void *ctx, uint32_t slot, struct subnet_at *at)
{
	const struct ends *e = ctx;

	for (uint32_t i = 0; i < e->count; i++)
		if (e->slot[i] == slot) {
			*at = e->at[i];
			return true;
		}
	return false;
}

static int end_slot(void *ctx, struct subnet_at at)
{
	const struct ends *e = ctx;

	for (uint32_t i = 0; i < e->count; i++)
		if (e->at[i].node == at.node && e->at[i].port == at.port)
			return (int)e->slot[i];
	return -ENOENT;
}

static const struct ways_ops ends_ops = {.at = end_at, .slot = end_slot};

static inline void open_ways(struct net *net, struct directory *to, uint32_t slot_a,
			     uint32_t slot_b)
{
	ends = (struct ends){.net = net,
			     .at = {AT(net->a, 1), AT(net->b, 1)},
			     .slot = {slot_a, slot_b},
			     .count = 2};
	ways = ways_new(to, net->subnet, &ends_ops, &ends);
}

static inline void close_ways(void)
{
	if (ways)
		ways_close(ways);
	ways_free(ways);
	ways = NULL;
}

static inline uint64_t counter(struct subnet_at at, enum subnet_counter which)
{
	return subnet_port_of(subnet_node_of(ends.net->subnet, at.node), at.port)->count[which];
}

/* All counters of all ports that there are, to be compared. */
struct counters {
	uint64_t of[4][5][SUBNET_COUNTERS];
};

static inline struct counters all_counters(void)
{
	struct counters all = {.of = {{{0}}}};

	for (uint32_t node = 0; node < 4; node++) {
		const struct subnet_node *n = subnet_find_node(ends.net->subnet, node);

		for (uint32_t port = 0; n && port <= n->config.ports && port < 5; port++)
			if (subnet_has_port(n, port))
				memcpy(all.of[node][port], subnet_port_of(n, port)->count,
				       sizeof(all.of[node][port]));
	}
	return all;
}

/* What has been counted since. */
static inline struct counters counted_since(const struct counters *before)
{
	struct counters now = all_counters();
	uint64_t *to = &now.of[0][0][0];
	const uint64_t *from = &before->of[0][0][0];

	for (size_t i = 0; i < sizeof(now) / sizeof(uint64_t); i++)
		to[i] -= from[i];
	return now;
}

static inline void set_multicast(struct net *net, uint16_t ports)
{
	uint8_t bytes[64] = {0};

	put_unaligned_be16(ports, bytes + 2 * (size_t)(MLID - 0xc000));
	assert_int_equal(
		net_local(net, AT(net->sw, 0), SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0, bytes), 0);
}

#endif
