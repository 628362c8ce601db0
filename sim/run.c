// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * A simulation from its seed: build, trouble, heal, everything completes, nothing is left over.
 */
#include "sim/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/host.h"
#include "sim/scenario.h"

#define TROUBLE_NS (4 * SIM_MS)
#define TROUBLE_PACKETS 60000u /* or until so many were sent, whichever is first */
#define ACT_EVERY_NS (300 * SIM_US)
#define SETTLE_NS (10 * SIM_SECOND)
#define MOST_PACKETS 1000000u	 /* what goes well needs a tenth at most */
#define REORDER_NS (50 * SIM_US) /* a packet is late by so much at most */

void sim_fail(struct sim_result *result, uint64_t now_ns, const char *format, ...)
{
	va_list args;
	int n;

	if (result->failed)
		return;
	result->failed = true;
	n = snprintf(result->failure, SIM_FAILURE_BYTES, "at %.3f us: ", (double)now_ns / 1000.0);
	va_start(args, format);
	vsnprintf(result->failure + n, SIM_FAILURE_BYTES - (size_t)n, format, args);
	va_end(args);
}

/*
 * No way back from here: the world may be in the middle of a run of millions of packets. What is known
 * is in the result, and the job dies.
 */
static void run_away(void *arg)
{
	struct sim_run *run = arg;

	run_fail(run, "the world runs away: %llu packets, %u were enough",
		 (unsigned long long)sim_packets(run->w), MOST_PACKETS);
	run->result->packets = sim_packets(run->w);
	run->result->virtual_ns = sim_now_ns(run->w);
	run->result->digest = sim_digest(run->w);
	fflush(NULL); /* the trace */
	_Exit(EXIT_FAILURE);
}

static void choose_weather(struct sim_run *run, const struct sim_scenario *scenario)
{
	struct fabric_fault_rates r = scenario->rates;

	r.drop_ppm = (uint32_t)sim_random_below(run->w, r.drop_ppm + 1ull);
	r.duplicate_ppm = (uint32_t)sim_random_below(run->w, r.duplicate_ppm + 1ull);
	r.reorder_ppm = (uint32_t)sim_random_below(run->w, r.reorder_ppm + 1ull);
	r.corrupt_ppm = (uint32_t)sim_random_below(run->w, r.corrupt_ppm + 1ull);
	r.reorder_ns = 1 + sim_random_below(run->w, REORDER_NS);
	sim_faults(run->w, &r);
}

static bool open_all(struct sim_run *run, const struct sim_scenario *scenario)
{
	const unsigned int conns = 1 + (unsigned int)sim_random_below(run->w, RUN_CONNS);
	int ret = ud_open(run);

	for (; !ret && run->conns < conns; run->conns++) {
		const unsigned int a = (unsigned int)sim_random_below(run->w, run->hosts);
		unsigned int b = (unsigned int)sim_random_below(run->w, run->hosts);
		const struct conn_options options = scenario_options(run, scenario);

		/* One in eight stays on its host: rdmavt's loopback engine. */
		if (a == b && sim_random_below(run->w, 8))
			b = (a + 1) % run->hosts;
		ret = conn_open(run, &run->conn[run->conns], run->conns, &options, a, b);
		if (ret)
			break;
	}
	if (ret)
		run_fail(run, "setting up says %d", ret);
	return !ret;
}

/* What is broken is polled to its end, then set up anew. */
static void reopen_failed(struct sim_run *run)
{
	for (unsigned int i = 0; i < run->conns; i++) {
		struct conn *conn = &run->conn[i];
		int ret;

		if (!conn->failed || !conn->ends[0].qp)
			continue;
		end_poll(&conn->ends[0]);
		end_poll(&conn->ends[1]);
		ret = conn_reopen(conn);
		if (ret)
			run_fail(run, "setting up connection %u anew says %d", i, ret);
	}
}

static void trouble(struct sim_run *run, const struct sim_scenario *scenario)
{
	const uint64_t end_ns = sim_now_ns(run->w) + TROUBLE_NS;

	while (sim_now_ns(run->w) < end_ns && sim_packets(run->w) < TROUBLE_PACKETS &&
	       !run->result->failed) {
		sim_run(run->w, 1 + sim_random_below(run->w, ACT_EVERY_NS));
		if (scenario->act && !run->result->failed)
			scenario->act(run);
		if (sim_random_below(run->w, 4) == 0)
			reopen_failed(run);
	}
}

static bool all_is_done(void *arg)
{
	const struct sim_run *run = arg;

	if (run->result->failed)
		return true;
	for (unsigned int i = 0; i < run->conns; i++)
		if (!run->conn[i].failed && !conn_is_idle(&run->conn[i]))
			return false;
	return ud_is_idle(&run->ud);
}

static void say_what_is_stuck(struct sim_run *run)
{
	for (unsigned int i = 0; i < run->conns; i++)
		for (int e = 0; e < 2; e++) {
			const struct end *end = &run->conn[i].ends[e];

			if (run->conn[i].failed || conn_is_idle(&run->conn[i]))
				continue;
			run_fail(
				run,
				"%u s after the faults ended connection %u (%s), host %u: WRs %llu to "
				"%llu are outstanding, %llu messages on their way, %llu receives "
				"posted at the peer",
				(unsigned int)(SETTLE_NS / SIM_SECOND), i,
				run->conn[i].options.type == IB_QPT_RC ? "RC" : "UC", end->host,
				(unsigned long long)end->tail, (unsigned long long)end->head,
				(unsigned long long)(end->message_head - end->message_tail),
				(unsigned long long)(end->peer->recv_head - end->peer->recv_tail));
		}
	run_fail(run, "%u s after the faults ended UD sends are outstanding",
		 (unsigned int)(SETTLE_NS / SIM_SECOND));
}

/* Liveness: once everything is whole, all that was posted completes. */
static void settle(struct sim_run *run)
{
	sim_heal(run->w);
	for (unsigned int i = 0; i < run->conns; i++)
		run->conn[i].quiet = true;
	run->ud.quiet = true;
	if (!sim_run_until(run->w, all_is_done, run, SETTLE_NS))
		say_what_is_stuck(run);
	for (unsigned int i = 0; i < run->conns; i++)
		conn_check_guards(&run->conn[i]);
}

static void simulate(struct sim_run *run, const struct sim_scenario *scenario)
{
	run->doubles = scenario->rates.duplicate_ppm || scenario->rates.reorder_ppm;
	if (open_all(run, scenario)) {
		choose_weather(run, scenario);
		trouble(run, scenario);
		if (!run->result->failed)
			settle(run);
	}
	for (unsigned int i = 0; i < run->conns; i++)
		conn_close(&run->conn[i]);
	ud_close(run);
}

static void finish(struct sim_run *run, size_t blocks_before)
{
	struct sim_result *result = run->result;

	/* Packets to QPs that are gone may still be under way. */
	sim_run(run->w, 2 * REORDER_NS);
	result->packets = sim_packets(run->w);
	result->virtual_ns = sim_now_ns(run->w);
	result->digest = sim_digest(run->w);
	if (!result->failed && !base_host_idle())
		run_fail(run, "timers or work are left over");
	sim_world_free(run->w);
	base_free(run);
	if (!result->failed && base_alloc_live() != blocks_before) {
		result->failed = true;
		snprintf(result->failure, SIM_FAILURE_BYTES, "%zd blocks of memory are left over",
			 (ssize_t)(base_alloc_live() - blocks_before));
	}
}

static struct sim_run *begin(uint64_t seed, struct sim_result *result)
{
	struct sim_run *run = base_zalloc(sizeof(*run));

	*result = (struct sim_result){.seed = seed, .failed = true};
	snprintf(result->failure, SIM_FAILURE_BYTES, "no memory for a world");
	if (!run)
		return NULL;
	run->result = result;
	run->hosts = 2 + (unsigned int)(seed % 3);
	run->w = sim_world_new(seed, run->hosts);
	if (!run->w) {
		base_free(run);
		return NULL;
	}
	result->failed = false;
	result->failure[0] = '\0';
	return run;
}

void sim_run_seed(uint64_t seed, const char *trace_path, struct sim_result *result)
{
	const struct sim_scenario *scenario = &sim_scenarios[seed % sim_scenario_count];
	const size_t blocks_before = base_alloc_live();
	struct sim_run *run = begin(seed, result);

	result->scenario = scenario->name;
	if (!run)
		return;
	if (trace_path && sim_set_trace(run->w, trace_path))
		run_fail(run, "cannot write the trace to %s", trace_path);
	sim_set_bound(run->w, MOST_PACKETS, run_away, run);
	simulate(run, scenario);
	finish(run, blocks_before);
}

void sim_bench(uint64_t packets, struct sim_result *result)
{
	const struct sim_scenario *scenario = &sim_bench_scenario;
	const size_t blocks_before = base_alloc_live();
	struct sim_run *run = begin(1, result);

	result->scenario = scenario->name;
	if (!run)
		return;
	if (open_all(run, scenario)) {
		while (sim_packets(run->w) < packets && !result->failed)
			sim_run(run->w, SIM_MS);
		settle(run);
	}
	for (unsigned int i = 0; i < run->conns; i++)
		conn_close(&run->conn[i]);
	ud_close(run);
	finish(run, blocks_before);
}
