/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a seed chooses: hosts, connections, and what goes wrong when. */
#ifndef SIM_SCENARIO_H
#define SIM_SCENARIO_H

#include "sim/run.h"

/**
 * struct sim_scenario - A kind of trouble.
 * @name: For reports.
 * @rates: Upper limits of the fault rates; each seed takes a random share.
 * @prepare: Change the options of a connection, or NULL.
 * @act: Called now and then while faults last, or NULL.
 */
struct sim_scenario {
	const char *name;
	struct fabric_fault_rates rates;
	void (*prepare)(struct sim_run *run, struct conn_options *options);
	void (*act)(struct sim_run *run);
};

extern const struct sim_scenario sim_scenarios[];
extern const unsigned int sim_scenario_count;

/* For sim_bench(): short messages and no faults, so that packets count and not bytes. */
extern const struct sim_scenario sim_bench_scenario;

/** scenario_options() - What a connection of this seed is like. */
struct conn_options scenario_options(struct sim_run *run, const struct sim_scenario *scenario);

#endif
