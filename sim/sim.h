/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One simulation: a seed, what became of it, and how to see it again. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <stdbool.h>
#include <stdint.h>

#define SIM_FAILURE_BYTES 1024u

/**
 * struct sim_result - What one seed gave.
 * @seed: It.
 * @scenario: Name of the scenario that it chose.
 * @failed: A checker objected.
 * @failure: Its words.
 * @digest: Of the trace.
 * @packets: Packets on the wire.
 * @completions: Completions checked.
 * @errors: Completions in error that a fault explained.
 * @virtual_ns: Length of the simulation.
 */
struct sim_result {
	uint64_t seed;
	const char *scenario;
	bool failed;
	char failure[SIM_FAILURE_BYTES];
	uint64_t digest;
	uint64_t packets;
	uint64_t completions;
	uint64_t errors;
	uint64_t virtual_ns;
};

/** sim_fail() - A checker objects. The first objection counts. @now_ns: Virtual time. */
__attribute__((format(printf, 3, 4))) void sim_fail(struct sim_result *result, uint64_t now_ns,
						    const char *format, ...);

/**
 * sim_run_seed() - Simulate.
 * @seed: Decides everything.
 * @trace_path: File for a line per packet and event, or NULL.
 * @result: Out.
 *
 * Context: No other world or fabric exists in this process. A world that would never end ends the
 * process: what is known is in @result then, which may lie in shared memory.
 */
void sim_run_seed(uint64_t seed, const char *trace_path, struct sim_result *result);

/** sim_rmpp_seed() - The same of a world where agents exchange messages by RMPP. */
void sim_rmpp_seed(uint64_t seed, const char *trace_path, struct sim_result *result);

/** sim_flaps_seed() - The same of a subnet whose cables break. @result: Packets are the manager's, completions checks. */
void sim_flaps_seed(uint64_t seed, const char *trace_path, struct sim_result *result);

/**
 * sim_bench() - Clean traffic for a while, for measuring.
 * @packets: At least so many.
 * @result: Out.
 */
void sim_bench(uint64_t packets, struct sim_result *result);

#endif
