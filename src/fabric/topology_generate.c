// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Plans made of numbers: pair, fat tree, leaves and spines, dragonfly, torus, ring. Hosts come first, so that
 * their numbers are those of the hosts, and switches follow in the order in which they are added.
 */
#include <stdarg.h>
#include <stdbool.h>

#include "base/check.h"
#include "fabric/topology.h"

#define PAIR_PORTS 8u
#define FAT_TREE_MOST 56u /* more switch ports, and there are no LIDs for all nodes */
#define SPEED_EXT_ALL 7u  /* FDR, EDR, HDR */

/* What goes wrong first has all that follows do nothing. */
struct plan {
	struct topology *t;
	bool failed;
};

static struct plan begin(void)
{
	struct topology *t = topology_new();

	return (struct plan){.t = t, .failed = !t};
}

static struct topology *end(struct plan *p)
{
	if (!p->failed)
		return p->t;
	topology_free(p->t);
	return NULL;
}

/* Returns its number. */
__attribute__((format(printf, 4, 5))) static uint32_t add(struct plan *p,
							  enum subnet_node_type type,
							  uint32_t ports, const char *format, ...)
{
	struct subnet_node_config config = {
		.type = type, .ports = (uint8_t)ports, .speed_ext = SPEED_EXT_ALL};
	uint32_t node = 0;
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vsnprintf(config.description, sizeof(config.description), format, args);
	va_end(args);
	INVARIANT(bytes > 0 && (size_t)bytes < sizeof(config.description));
	if (!p->failed && topology_add(p->t, config.description, (size_t)bytes, &config, &node))
		p->failed = true;
	return node;
}

static void join(struct plan *p, uint32_t a, uint32_t a_port, uint32_t b, uint32_t b_port)
{
	if (!p->failed && topology_connect(p->t, (struct subnet_at){a, (uint8_t)a_port},
					   (struct subnet_at){b, (uint8_t)b_port}))
		p->failed = true;
}

static bool is_too_large(uint64_t hosts, uint64_t switches, uint64_t ports)
{
	return hosts > TOPOLOGY_MAX_NODES || switches > TOPOLOGY_MAX_NODES ||
	       hosts + switches > TOPOLOGY_MAX_NODES || !ports || ports > SUBNET_MAX_PORTS;
}

struct topology *topology_pair(void)
{
	struct plan p = begin();
	uint32_t hub;

	for (uint32_t i = 0; i < 2; i++)
		add(&p, SUBNET_CA, 1, "host-%u", i);
	hub = add(&p, SUBNET_SWITCH, PAIR_PORTS, "sw-0");
	for (uint32_t i = 0; i < 2; i++)
		join(&p, i, 1, hub, i + 1);
	return end(&p);
}

/* Edge and aggregation switches of a pod: those below lead to hosts by their lower ports. */
static void join_pod(struct plan *p, uint32_t k, uint32_t pod, uint32_t edges, uint32_t aggrs,
		     uint32_t cores)
{
	const uint32_t half = k / 2;

	for (uint32_t i = 0; i < half; i++) {
		const uint32_t edge = edges + pod * half + i, aggr = aggrs + pod * half + i;

		for (uint32_t j = 0; j < half; j++) {
			join(p, (pod * half + i) * half + j, 1, edge, j + 1);
			join(p, edge, half + j + 1, aggrs + pod * half + j, i + 1);
			join(p, aggr, half + j + 1, cores + i * half + j, pod + 1);
		}
	}
}

struct topology *topology_fat_tree(uint32_t k)
{
	const uint32_t half = k / 2, pods = k;
	uint32_t edges, aggrs, cores;
	struct plan p;

	if (k < 2 || k % 2 || k > FAT_TREE_MOST)
		return NULL;
	p = begin();
	for (uint32_t i = 0; i < pods * half * half; i++)
		add(&p, SUBNET_CA, 1, "h-%u-%u-%u", i / (half * half), i / half % half, i % half);
	edges = pods * half * half;
	for (uint32_t i = 0; i < pods * half; i++)
		add(&p, SUBNET_SWITCH, k, "edge-%u-%u", i / half, i % half);
	aggrs = edges + pods * half;
	for (uint32_t i = 0; i < pods * half; i++)
		add(&p, SUBNET_SWITCH, k, "aggr-%u-%u", i / half, i % half);
	cores = aggrs + pods * half;
	for (uint32_t i = 0; i < half * half; i++)
		add(&p, SUBNET_SWITCH, k, "core-%u", i);
	for (uint32_t pod = 0; pod < pods; pod++)
		join_pod(&p, k, pod, edges, aggrs, cores);
	return end(&p);
}

struct topology *topology_leaf_spine(uint32_t leaves, uint32_t hosts, uint32_t spines)
{
	struct plan p;
	uint32_t first;

	if (is_too_large((uint64_t)leaves * hosts, (uint64_t)leaves + spines,
			 (uint64_t)hosts + spines) ||
	    is_too_large(0, 0, leaves))
		return NULL;
	p = begin();
	for (uint32_t i = 0; i < leaves * hosts; i++)
		add(&p, SUBNET_CA, 1, "h-%u-%u", i / hosts, i % hosts);
	first = leaves * hosts;
	for (uint32_t i = 0; i < leaves; i++)
		add(&p, SUBNET_SWITCH, hosts + spines, "leaf-%u", i);
	for (uint32_t i = 0; i < spines; i++)
		add(&p, SUBNET_SWITCH, leaves, "spine-%u", i);
	for (uint32_t leaf = 0; leaf < leaves; leaf++) {
		for (uint32_t i = 0; i < hosts; i++)
			join(&p, leaf * hosts + i, 1, first + leaf, i + 1);
		for (uint32_t spine = 0; spine < spines; spine++)
			join(&p, first + leaf, hosts + spine + 1, first + leaves + spine, leaf + 1);
	}
	return end(&p);
}

/*
 * Ports of a switch: hosts, then the others of its group, then its cables to other groups. Of the cables of a
 * group the i-th leads to the i-th of the other groups.
 */
struct dragonfly {
	uint32_t hosts, switches, globals;
	uint32_t groups;
	uint32_t first; /* switch */
};

static void join_within(struct plan *p, const struct dragonfly *d, uint32_t group)
{
	for (uint32_t a = 0; a < d->switches; a++)
		for (uint32_t b = a + 1; b < d->switches; b++)
			join(p, d->first + group * d->switches + a, d->hosts + b,
			     d->first + group * d->switches + b, d->hosts + a + 1);
}

static void global_end(const struct dragonfly *d, uint32_t group, uint32_t other, uint32_t *node,
		       uint32_t *port)
{
	const uint32_t cable = other < group ? other : other - 1;

	*node = d->first + group * d->switches + cable / d->globals;
	*port = d->hosts + d->switches + cable % d->globals;
}

static void join_between(struct plan *p, const struct dragonfly *d, uint32_t group)
{
	for (uint32_t other = group + 1; other < d->groups; other++) {
		uint32_t a, a_port, b, b_port;

		global_end(d, group, other, &a, &a_port);
		global_end(d, other, group, &b, &b_port);
		join(p, a, a_port, b, b_port);
	}
}

struct topology *topology_dragonfly(uint32_t hosts, uint32_t switches, uint32_t globals)
{
	const uint64_t groups = (uint64_t)switches * globals + 1;
	struct dragonfly d = {hosts, switches, globals, (uint32_t)groups, 0};
	struct plan p;

	if (!switches || !globals || groups > TOPOLOGY_MAX_NODES ||
	    is_too_large(groups * switches * hosts, groups * switches,
			 (uint64_t)hosts + switches - 1 + globals))
		return NULL;
	p = begin();
	d.first = d.groups * switches * hosts;
	for (uint32_t i = 0; i < d.first; i++)
		add(&p, SUBNET_CA, 1, "h-%u-%u-%u", i / hosts / switches, i / hosts % switches,
		    i % hosts);
	for (uint32_t i = 0; i < d.groups * switches; i++)
		add(&p, SUBNET_SWITCH, hosts + switches - 1 + globals, "s-%u-%u", i / switches,
		    i % switches);
	for (uint32_t i = 0; i < d.first; i++)
		join(&p, i, 1, d.first + i / hosts, i % hosts + 1);
	for (uint32_t group = 0; group < d.groups; group++) {
		join_within(&p, &d, group);
		join_between(&p, &d, group);
	}
	return end(&p);
}

/* By port 2d + 1 of dimension d to the next, whose port 2d + 2 leads back; a circle of two has one cable. */
static void join_next(struct plan *p, uint32_t first, const uint32_t size[3], const uint32_t at[3],
		      unsigned int dimension)
{
	uint32_t next[3] = {at[0], at[1], at[2]};

	next[dimension] = (at[dimension] + 1) % size[dimension];
	if (size[dimension] < 2 || (size[dimension] == 2 && at[dimension] == 1))
		return;
	join(p, first + (at[0] * size[1] + at[1]) * size[2] + at[2], 2 * dimension + 1,
	     first + (next[0] * size[1] + next[1]) * size[2] + next[2], 2 * dimension + 2);
}

struct topology *topology_torus(uint32_t x, uint32_t y, uint32_t z)
{
	const uint32_t size[3] = {x, y, z};
	const uint32_t ports = 7; /* six neighbours, and the host */
	struct plan p;
	uint32_t n;

	if (!x || !y || !z || x > TOPOLOGY_MAX_NODES || y > TOPOLOGY_MAX_NODES ||
	    z > TOPOLOGY_MAX_NODES || (uint64_t)x * y > TOPOLOGY_MAX_NODES ||
	    is_too_large((uint64_t)x * y * z, (uint64_t)x * y * z, ports))
		return NULL;
	p = begin();
	n = x * y * z;
	for (uint32_t i = 0; i < n; i++)
		add(&p, SUBNET_CA, 1, "h-%u-%u-%u", i / z / y, i / z % y, i % z);
	for (uint32_t i = 0; i < n; i++)
		add(&p, SUBNET_SWITCH, ports, "s-%u-%u-%u", i / z / y, i / z % y, i % z);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at[3] = {i / z / y, i / z % y, i % z};

		join(&p, i, 1, n + i, ports);
		for (unsigned int dimension = 0; dimension < 3; dimension++)
			join_next(&p, n, size, at, dimension);
	}
	return end(&p);
}

struct topology *topology_ring(uint32_t n)
{
	return topology_torus(n, 1, 1);
}
