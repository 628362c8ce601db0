// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Benchmarks of subnets: how long a fat tree takes to come up, and how much memory it has. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "cli/bench.h"
#include "device/manager.h"
#include "fabric/subnet.h"
#include "fabric/topology.h"

#define SMALL 14u      /* ports of a switch: 931 nodes */
#define LARGE 32u      /* 9,472 nodes */
#define PLAN_HOSTS 36u /* 13,284 nodes, 11,664 of them hosts */
#define PATIENCE_NS 1000000000000u
#define MIB 1048576.0
#define KIB 1024.0

struct stage {
	struct topology *plan;
	struct subnet *subnet;
	struct device_manager *manager;
	struct subnet_at place;
	uint32_t *node;
	uint64_t ports;
};

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static bool deliver(void *ctx, struct subnet_at at, const struct subnet_mad *mad)
{
	struct stage *s = ctx;

	return s->manager && at.node == s->place.node && at.port == s->place.port &&
	       device_manager_deliver(s->manager, mad);
}

static void changed(void *ctx, struct subnet_at at, uint32_t what)
{
	(void)ctx;
	(void)at;
	(void)what;
}

static const struct subnet_ops ops = {.deliver = deliver, .changed = changed};

static void close_stage(struct stage *s)
{
	device_manager_free(s->manager);
	s->manager = NULL;
	subnet_free(s->subnet);
	topology_free(s->plan);
	free(s->node);
}

static int open_stage(struct stage *s, uint32_t switch_ports)
{
	const struct sm_options options = {.subnet_prefix = 0};
	struct topology_error error;

	*s = (struct stage){.plan = topology_fat_tree(switch_ports), .subnet = subnet_new(&ops, s)};
	if (s->plan)
		s->node = calloc(s->plan->count, sizeof(*s->node));
	if (!s->node || !s->subnet || topology_build(s->plan, s->subnet, s->node, &error)) {
		close_stage(s);
		return -1;
	}
	for (uint32_t i = 0; i < s->plan->count; i++) {
		const struct subnet_node_config *config = &s->plan->node[i].config;

		s->ports += config->ports + (config->type == SUBNET_SWITCH ? 1u : 0u);
		if (config->type == SUBNET_SWITCH)
			s->place = (struct subnet_at){s->node[i], 0};
	}
	s->manager = device_manager_new(s->subnet, s->place, &options);
	if (s->manager)
		return 0;
	close_stage(s);
	return -1;
}

static int come_up(uint32_t switch_ports, double *value)
{
	struct stage s;
	double start;
	int ret;

	if (open_stage(&s, switch_ports))
		return -1;
	start = cpu_seconds();
	ret = device_manager_wait(s.manager, PATIENCE_NS) ? 0 : -1;
	*value = cpu_seconds() - start;
	close_stage(&s);
	return ret;
}

int bench_subnet_small(double *value)
{
	return come_up(SMALL, value);
}

int bench_subnet_large(double *value)
{
	return come_up(LARGE, value);
}

/* Hardware and manager, after a sweep. The plan is not needed any more. */
int bench_subnet_memory(double *value)
{
	const size_t before = base_alloc_live_bytes();
	struct stage s;
	int ret;

	if (open_stage(&s, LARGE))
		return -1;
	ret = device_manager_wait(s.manager, PATIENCE_NS) ? 0 : -1;
	topology_free(s.plan);
	s.plan = NULL;
	*value = (double)(base_alloc_live_bytes() - before) / MIB;
	close_stage(&s);
	return ret;
}

/* What hosts and switches need before anybody has set a table. */
int bench_subnet_port(double *value)
{
	size_t before;
	struct stage s = {.plan = topology_fat_tree(LARGE)};

	topology_free(s.plan);
	before = base_alloc_live_bytes();
	if (open_stage(&s, LARGE))
		return -1;
	topology_free(s.plan);
	s.plan = NULL;
	*value = (double)(base_alloc_live_bytes() - before) / (double)s.ports / KIB;
	close_stage(&s);
	return 0;
}

/* The text of more than 10,000 hosts, read and put up. */
int bench_subnet_load(double *value)
{
	struct topology *plan = topology_fat_tree(PLAN_HOSTS), *read = NULL;
	struct topology_error error;
	struct subnet *subnet;
	char *text = NULL;
	size_t bytes;
	FILE *out = plan ? open_memstream(&text, &bytes) : NULL;
	double start;
	int ret = -1;

	if (!out) {
		topology_free(plan);
		return -1;
	}
	topology_write(plan, NULL, NULL, out);
	fclose(out);
	topology_free(plan);
	start = cpu_seconds();
	subnet = subnet_new(&ops, NULL);
	if (subnet && !topology_parse(text, bytes, &read, &error))
		ret = topology_build(read, subnet, NULL, &error);
	*value = cpu_seconds() - start;
	subnet_free(subnet);
	topology_free(read);
	free(text);
	return ret ? -1 : 0;
}
