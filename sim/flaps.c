// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A world of cables that break and are mended, and of nodes that are switched off and on, while the built-in manager
 * looks after the subnet. Whenever it has had time, hosts reach each other exactly where cables lead, by the LIDs
 * that they had from the beginning.
 *
 * Half of the seeds have two managers, which end and begin, too. Whenever they have had time each part of the subnet
 * that has one has one master, whom its hosts follow.
 */
#include <linux/verbena_base.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/alloc.h"
#include "base/host.h"
#include "base/random.h"
#include "device/manager.h"
#include "fabric/subnet.h"
#include "fabric/topology.h"
#include "sim/sim.h"

#define MS 1000000ull
#define ACTS 40u
#define SETTLE_NS (4000 * MS) /* traps are repeated, and sweeps that have failed */
#define AGREE_NS (70000 * MS) /* four polls of a master that is gone, and what comes then */
#define PAIRS 300u
#define MANAGERS 2u
#define SUBNET_OFF UINT32_MAX

/**
 * struct flaps - A run.
 * @start_ns: When it began.
 * @random: Its numbers.
 * @plan: What it is built by.
 * @node: Numbers in @subnet; SUBNET_OFF: switched off.
 * @cut: By node and port of the plan: the cable is broken.
 * @lid: Of hosts, by number of the plan. With two managers as they are, else as they were at the beginning.
 * @managers: How many there can be.
 * @manager: NULL: it has ended.
 * @seen: Meanwhile: who is reached.
 * @queue: Meanwhile.
 * @place: Of managers, in the plan: a switch, and a host.
 */
struct flaps {
	uint64_t start_ns;
	uint64_t random;
	struct sim_result *result;
	FILE *trace;
	struct topology *plan;
	struct subnet *subnet;
	unsigned int managers;
	struct device_manager *manager[MANAGERS];
	uint32_t *node;
	bool (*cut)[SUBNET_MAX_PORTS + 1];
	uint16_t *lid;
	uint32_t *seen;
	uint32_t *queue;
	uint32_t place[MANAGERS];
};

static bool deliver(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	struct flaps *f = ctx;

	for (unsigned int i = 0; i < f->managers; i++)
		if (f->manager[i] && at.port == i && at.node == f->node[f->place[i]])
			return device_manager_deliver(f->manager[i], mad);
	return false;
}

static void changed(void *ctx, struct subnet_at at, uint32_t what)
{
	(void)ctx;
	(void)at;
	(void)what;
}

static const struct subnet_ops ops = {.deliver = deliver, .changed = changed};

__attribute__((format(printf, 2, 3))) static void objection(struct flaps *f, const char *format,
							    ...)
{
	va_list args;
	int n;

	if (f->result->failed)
		return;
	f->result->failed = true;
	n = snprintf(f->result->failure, SIM_FAILURE_BYTES,
		     "at %.3f ms: ", (double)(base_now_ns() - f->start_ns) / (double)MS);
	va_start(args, format);
	vsnprintf(f->result->failure + n, SIM_FAILURE_BYTES - (size_t)n, format, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3))) static void note(struct flaps *f, const char *format, ...)
{
	char text[200];
	va_list args;
	int n;

	n = snprintf(text, sizeof(text), "%llu ",
		     (unsigned long long)(base_now_ns() - f->start_ns));
	va_start(args, format);
	n += vsnprintf(text + n, sizeof(text) - (size_t)n, format, args);
	va_end(args);
	f->result->digest = XXH3_64bits_withSeed(text, (size_t)n, f->result->digest);
	if (f->trace)
		fprintf(f->trace, "%s\n", text);
}

static uint64_t below(struct flaps *f, uint64_t bound)
{
	return base_random_below(&f->random, bound);
}

static const struct topology_node *node_of(const struct flaps *f, uint32_t i)
{
	return &f->plan->node[i];
}

static struct topology *some_topology(struct flaps *f)
{
	switch (f->result->seed % 6) {
	case 0:
		f->result->scenario = "fat tree of 36";
		return topology_fat_tree(4);
	case 1:
		f->result->scenario = "torus";
		return topology_torus(3, 3, 1);
	case 2:
		f->result->scenario = "dragonfly";
		return topology_dragonfly(2, 3, 1);
	case 3:
		f->result->scenario = "ring";
		return topology_ring(6);
	case 4:
		f->result->scenario = "leaves and spines";
		return topology_leaf_spine(4, 3, 3);
	default:
		f->result->scenario = "pair";
		return topology_pair();
	}
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void wait_ns(uint64_t ns)
{
	(void)base_wait_until(never, NULL, ns);
}

static bool is_whole(const struct flaps *f, uint32_t node, unsigned int port)
{
	const struct subnet_at peer = node_of(f, node)->peer[port];

	return peer.node != TOPOLOGY_NO_NODE && !f->cut[node][port] &&
	       f->node[node] != SUBNET_OFF && f->node[peer.node] != SUBNET_OFF;
}

/* Nodes that cables lead to from here get @mark. Nothing leads through a host. */
static void mark(struct flaps *f, uint32_t from, uint32_t mark)
{
	uint32_t head = 0, tail = 0;

	f->seen[from] = mark;
	f->queue[head++] = from;
	while (tail < head) {
		const uint32_t at = f->queue[tail++];

		if (at != from && node_of(f, at)->config.type == SUBNET_CA)
			continue;
		for (unsigned int port = 1; port <= node_of(f, at)->config.ports; port++) {
			const uint32_t peer = node_of(f, at)->peer[port].node;

			if (!is_whole(f, at, port) || f->seen[peer] == mark)
				continue;
			f->seen[peer] = mark;
			f->queue[head++] = peer;
		}
	}
}

static uint16_t lid_of(const struct flaps *f, uint32_t host)
{
	struct subnet_port_view view;

	if (f->node[host] == SUBNET_OFF ||
	    subnet_query_port(f->subnet, (struct subnet_at){f->node[host], 1}, &view))
		return 0;
	return view.lid;
}

static void check_pair(struct flaps *f, uint32_t from, uint32_t to)
{
	const bool whole = f->seen[from] && f->seen[from] == f->seen[to];
	struct subnet_path path;
	bool arrives;

	if (from == to || f->node[from] == SUBNET_OFF || (!f->seen[from] && !f->seen[to]))
		return; /* beyond the manager's reach nothing is promised */
	subnet_resolve(f->subnet, (struct subnet_at){f->node[from], 1}, f->lid[to], 0, 0xffff,
		       &path);
	f->result->completions++;
	arrives = path.verdict == SUBNET_ARRIVES;
	if (f->managers > 1) /* in another part somebody else may have that LID */
		arrives = arrives && path.to.node == f->node[to];
	if (arrives != whole || (whole && path.to.node != f->node[to]))
		objection(f, "from %s to %s (LID %u): verdict %d after %u hops, and cables %s",
			  node_of(f, from)->name, node_of(f, to)->name, f->lid[to], path.verdict,
			  path.hops, whole ? "lead there" : "do not lead there");
}

static uint32_t host_count(const struct flaps *f)
{
	uint32_t count = 0;

	while (count < f->plan->count && node_of(f, count)->config.type == SUBNET_CA)
		count++;
	return count;
}

static struct subnet_at at_of(const struct flaps *f, uint32_t node, unsigned int port)
{
	return (struct subnet_at){f->node[node], (uint8_t)port};
}

static void check_lids(struct flaps *f)
{
	for (uint32_t i = 0; i < host_count(f); i++) {
		if (f->managers > 1)
			f->lid[i] = lid_of(f, i);
		else if (f->seen[i] && lid_of(f, i) != f->lid[i])
			objection(f, "%s had LID %u, and has %u", node_of(f, i)->name, f->lid[i],
				  lid_of(f, i));
	}
}

/* That the hosts of its part follow a master. */
static void check_master(struct flaps *f, unsigned int master)
{
	struct subnet_port_view view;
	uint16_t lid;

	if (subnet_query_port(f->subnet, at_of(f, f->place[master], master), &view))
		return;
	lid = view.lid;
	for (uint32_t i = 0; i < host_count(f); i++)
		if (f->seen[i] == f->seen[f->place[master]] &&
		    !subnet_query_port(f->subnet, at_of(f, i, 1), &view) && view.sm_lid != lid)
			objection(f, "%s follows LID %u, and manager %u has %u",
				  node_of(f, i)->name, view.sm_lid, master, lid);
}

/* Parts that have a manager; those that have two have one master. */
static void check_managers(struct flaps *f)
{
	unsigned int masters[MANAGERS + 1] = {0};

	for (unsigned int i = 0; i < f->managers; i++)
		if (f->manager[i] && !f->seen[f->place[i]])
			mark(f, f->place[i], i + 1);
	for (unsigned int i = 0; i < f->managers; i++) {
		if (!f->manager[i] || device_manager_state(f->manager[i]) != SM_MASTER)
			continue;
		masters[f->seen[f->place[i]]]++;
		check_master(f, i);
	}
	for (unsigned int i = 0; i < f->managers; i++)
		if (f->manager[i] && masters[f->seen[f->place[i]]] != 1)
			objection(f, "the part of manager %u has %u masters", i,
				  masters[f->seen[f->place[i]]]);
}

static void check(struct flaps *f)
{
	const uint32_t hosts = host_count(f);

	memset(f->seen, 0, f->plan->count * sizeof(*f->seen));
	check_managers(f);
	check_lids(f);
	for (uint32_t i = 0; i < PAIRS && !f->result->failed; i++)
		check_pair(f, (uint32_t)below(f, hosts), (uint32_t)below(f, hosts));
	note(f, "checked, epoch %u", subnet_epoch(f->subnet));
}

/* A cable of a node that is on, whose other end is on, too; false if it has none there. */
static bool set_cable(struct flaps *f, uint32_t node, unsigned int port, bool whole)
{
	const struct subnet_at peer = node_of(f, node)->peer[port];

	if (peer.node == TOPOLOGY_NO_NODE || f->cut[node][port] != whole)
		return false;
	f->cut[node][port] = f->cut[peer.node][peer.port] = !whole;
	if (f->node[node] != SUBNET_OFF && f->node[peer.node] != SUBNET_OFF)
		(void)subnet_set_link(f->subnet, at_of(f, node, port), whole);
	note(f, "%s of %s port %u", whole ? "mended: cable" : "cut: cable", node_of(f, node)->name,
	     port);
	return true;
}

static void connect_node(struct flaps *f, uint32_t node)
{
	for (unsigned int port = 1; port <= node_of(f, node)->config.ports; port++) {
		const struct subnet_at peer = node_of(f, node)->peer[port];

		if (peer.node == TOPOLOGY_NO_NODE || f->node[peer.node] == SUBNET_OFF)
			continue;
		if (subnet_connect(f->subnet, at_of(f, node, port), at_of(f, peer.node, peer.port)))
			objection(f, "%s cannot be connected", node_of(f, node)->name);
		else if (f->cut[node][port])
			(void)subnet_set_link(f->subnet, at_of(f, node, port), false);
	}
}

/* Off: with all that it knew. Places of managers stay. */
static void switch_node(struct flaps *f, uint32_t node)
{
	struct subnet_node_config config = node_of(f, node)->config;

	for (unsigned int i = 0; i < f->managers; i++)
		if (node == f->place[i])
			return;
	note(f, "%s is switched %s", node_of(f, node)->name,
	     f->node[node] == SUBNET_OFF ? "on" : "off");
	if (f->node[node] != SUBNET_OFF) {
		subnet_remove_node(f->subnet, f->node[node]);
		f->node[node] = SUBNET_OFF;
		return;
	}
	if (subnet_add_node(f->subnet, &config, &f->node[node])) {
		objection(f, "%s cannot be switched on", node_of(f, node)->name);
		f->node[node] = SUBNET_OFF;
		return;
	}
	connect_node(f, node);
}

static void begin_manager(struct flaps *f, unsigned int i)
{
	const struct sm_options options = {.priority = (uint8_t)(f->result->seed >> i & 1)};

	f->manager[i] = device_manager_new(f->subnet, at_of(f, f->place[i], i), &options);
	if (!f->manager[i])
		objection(f, "no memory for a manager");
}

/* Not both at a time. */
static void switch_manager(struct flaps *f, unsigned int i)
{
	struct device_manager *manager = f->manager[i];

	if (f->manager[!i]) {
		note(f, "manager %u %s", i, manager ? "ends" : "begins");
		if (!manager) {
			begin_manager(f, i);
			device_manager_sweep(f->manager[i]);
			return;
		}
		f->manager[i] = NULL;
		device_manager_free(manager);
	}
}

static void act(struct flaps *f)
{
	const uint32_t node = (uint32_t)below(f, f->plan->count);
	const unsigned int port = 1 + (unsigned int)below(f, node_of(f, node)->config.ports);

	if (f->managers > 1 && below(f, 100) < 20)
		switch_manager(f, (unsigned int)below(f, MANAGERS));
	else if (below(f, 100) < 10) { /* so quickly that no sweep misses it */
		switch_node(f, node);
		switch_node(f, node);
	} else if (below(f, 100) < 20) {
		switch_node(f, node);
	} else if (!set_cable(f, node, port, false) && below(f, 2)) {
		(void)set_cable(f, node, port, true);
	}
}

static void mend_all(struct flaps *f)
{
	for (uint32_t i = 0; i < f->plan->count; i++) {
		if (f->node[i] == SUBNET_OFF)
			switch_node(f, i);
		for (unsigned int port = 1; port <= node_of(f, i)->config.ports; port++)
			(void)set_cable(f, i, port, true);
	}
}

static void simulate(struct flaps *f)
{
	const uint64_t settle_ns = f->managers > 1 ? AGREE_NS : SETTLE_NS;

	if (!device_manager_wait(f->manager[0], SETTLE_NS)) {
		objection(f, "the subnet does not come up");
		return;
	}
	if (f->managers > 1) {
		switch_manager(f, 1);
		wait_ns(settle_ns);
	}
	for (uint32_t i = 0; i < host_count(f); i++)
		f->lid[i] = lid_of(f, i);
	check(f);
	for (unsigned int i = 0; i < ACTS && !f->result->failed; i++) {
		act(f);
		if (below(f, 4)) {
			wait_ns(below(f, 20 * MS));
			continue;
		}
		wait_ns(settle_ns);
		check(f);
	}
	mend_all(f);
	wait_ns(settle_ns);
	check(f);
}

/* GUIDs of their own, so that a node that is switched on is the one that was switched off. */
static void name_nodes(struct flaps *f)
{
	for (uint32_t i = 0; i < f->plan->count; i++) {
		f->plan->node[i].config.guid = 0x0200560200000000u + (uint64_t)i * 0x100u;
		if (f->plan->node[i].config.type == SUBNET_SWITCH && !f->place[0])
			f->place[0] = i;
	}
}

static bool build(struct flaps *f)
{
	struct topology_error error;
	uint32_t count;

	f->plan = some_topology(f);
	f->subnet = subnet_new(&ops, f);
	if (!f->plan || !f->subnet)
		return false;
	name_nodes(f);
	count = f->plan->count;
	f->node = base_zalloc_array(count, sizeof(*f->node));
	f->cut = base_zalloc_array(count, sizeof(*f->cut));
	f->lid = base_zalloc_array(count, sizeof(*f->lid));
	f->seen = base_zalloc_array(count, sizeof(*f->seen));
	f->queue = base_zalloc_array(count, sizeof(*f->queue));
	if (!f->node || !f->cut || !f->lid || !f->seen || !f->queue ||
	    topology_build(f->plan, f->subnet, f->node, &error))
		return false;
	f->managers = f->result->seed / 6 % 2 ? MANAGERS : 1;
	begin_manager(f, 0);
	return f->manager[0] != NULL;
}

static void clean_up(struct flaps *f)
{
	for (unsigned int i = 0; i < f->managers; i++) {
		struct sm_stats stats = {.sent = 0};

		if (f->manager[i])
			device_manager_stats(f->manager[i], &stats);
		f->result->packets += stats.sent;
		f->result->errors += stats.lost;
		device_manager_free(f->manager[i]);
		f->manager[i] = NULL;
	}
	subnet_free(f->subnet);
	topology_free(f->plan);
	base_free(f->node);
	base_free(f->cut);
	base_free(f->lid);
	base_free(f->seen);
	base_free(f->queue);
	if (f->trace)
		fclose(f->trace);
}

void sim_flaps_seed(uint64_t seed, const char *trace_path, struct sim_result *result)
{
	const size_t blocks_before = base_alloc_live();
	struct flaps f = {.start_ns = base_now_ns(), .random = seed, .result = result};

	*result = (struct sim_result){.seed = seed};
	if (trace_path) {
		f.trace = fopen(trace_path, "w");
		if (!f.trace)
			objection(&f, "cannot write the trace to %s", trace_path);
	}
	if (build(&f))
		simulate(&f);
	else
		objection(&f, "no memory for a world");
	result->virtual_ns = base_now_ns() - f.start_ns;
	clean_up(&f);
	if (!base_host_idle())
		objection(&f, "timers or work are left over");
	if (base_alloc_live() != blocks_before)
		objection(&f, "%zd blocks of memory are left over",
			  (ssize_t)(base_alloc_live() - blocks_before));
}
