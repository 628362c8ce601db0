// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The kinds of trouble, one row each. */
#include "sim/scenario.h"

#include "base/check.h"
#include "sim/chaos.h"

static uint64_t below(struct sim_run *run, uint64_t bound)
{
	return sim_random_below(run->w, bound);
}

static void rnr_storm(struct sim_run *run, struct conn_options *o)
{
	o->withhold_percent = (uint8_t)(50 + below(run, 45));
	o->min_rnr_timer = (uint8_t)(1 + below(run, 12));
	if (below(run, 3) == 0)
		o->rnr_retry = (uint8_t)below(run, 7);
}

static void slow_receiver(struct sim_run *run, struct conn_options *o)
{
	o->poll_every_ns = 20 * SIM_US + below(run, 2 * SIM_MS);
}

static void wrong_keys(struct sim_run *run, struct conn_options *o)
{
	o->bad_key_percent = (uint8_t)(1 + below(run, 4));
}

static void short_messages(struct sim_run *run, struct conn_options *o)
{
	o->max_bytes = (uint32_t)(64 + below(run, 192));
	o->withhold_percent = 0;
}

/* Long enough for retries to run out, or not: both ends may say so. */
static void cut_off(struct sim_run *run)
{
	const unsigned int host = (unsigned int)below(run, run->hosts);

	for (unsigned int i = 0; i < run->conns; i++)
		if (run->conn[i].ends[0].host == host || run->conn[i].ends[1].host == host)
			run->conn[i].may_fail = true;
	if (below(run, 2))
		sim_partition(run->w, host, 1);
	else
		sim_set_link(run->w, host, false);
}

static void cut_off_or_back(struct sim_run *run)
{
	if (below(run, 3))
		cut_off(run);
	for (unsigned int host = 0; host < run->hosts; host++)
		if (below(run, 2)) {
			sim_partition(run->w, host, 0);
			sim_set_link(run->w, host, true);
		}
}

/* A host dies: its QPs are gone at once, and nobody is told. */
static void kill_host(struct sim_run *run)
{
	const unsigned int host = (unsigned int)below(run, run->hosts);

	for (unsigned int i = 0; i < run->conns; i++)
		for (int e = 0; e < 2; e++)
			if (run->conn[i].ends[e].host == host && below(run, 3))
				chaos_kill(&run->conn[i].ends[e]);
}

#define RATES(...)          \
	{                   \
		__VA_ARGS__ \
	}

const struct sim_scenario sim_scenarios[] = {
	{"clean", RATES(0), NULL, NULL},
	{"loss", RATES(.drop_ppm = 50000), NULL, NULL},
	{"duplicates", RATES(.duplicate_ppm = 200000), NULL, NULL},
	{"reordering", RATES(.reorder_ppm = 100000), NULL, NULL},
	{"corruption", RATES(.corrupt_ppm = 30000), NULL, NULL},
	{"bad weather",
	 RATES(.drop_ppm = 20000, .duplicate_ppm = 50000, .reorder_ppm = 50000,
	       .corrupt_ppm = 10000),
	 NULL, NULL},
	{"partitions", RATES(0), NULL, cut_off_or_back},
	{"dying hosts", RATES(.drop_ppm = 5000), NULL, kill_host},
	{"rnr storm", RATES(.drop_ppm = 5000), rnr_storm, NULL},
	{"slow receivers", RATES(.reorder_ppm = 10000), slow_receiver, NULL},
	{"wrong keys", RATES(.drop_ppm = 5000), wrong_keys, NULL},
	{"random calls", RATES(.drop_ppm = 5000), NULL, chaos_call},
};

const struct sim_scenario sim_bench_scenario = {"bench", RATES(0), short_messages, NULL};

const unsigned int sim_scenario_count = sizeof(sim_scenarios) / sizeof(sim_scenarios[0]);

struct conn_options scenario_options(struct sim_run *run, const struct sim_scenario *scenario)
{
	struct conn_options o = {
		.type = below(run, 5) ? IB_QPT_RC : IB_QPT_UC,
		.mtu = (enum ib_mtu)(IB_MTU_256 + below(run, 5)),
		.max_bytes = (uint32_t)(1000 + below(run, 20000)),
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = (uint8_t)(1 + below(run, 20)),
		.timeout = (uint8_t)(8 + below(run, 6)),
		.rd_atomic = (uint8_t)(1 + below(run, 8)),
		.srq = below(run, 4) == 0,
		.signal_all = below(run, 4) == 0,
		.by_events = below(run, 3) == 0,
		.poll_every_ns = 500 + below(run, 10 * SIM_US),
		.withhold_percent = (uint8_t)below(run, 20),
		.bursts = below(run, 6) == 0,
	};

	/* Some start right before the PSN wraps. */
	o.first_psn = below(run, 2) ? 0xffffff - (uint32_t)below(run, 40)
				    : (uint32_t)below(run, 1u << 24);
	if (o.type != IB_QPT_RC)
		o.bursts = false;
	else if (o.bursts && o.rd_atomic == 1)
		o.rd_atomic = 2;
	if (scenario->prepare)
		scenario->prepare(run, &o);
	return o;
}
