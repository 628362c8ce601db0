/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A simulation while it runs. */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "sim/end.h"
#include "sim/ud.h"

#define RUN_CONNS 8u

struct sim_run {
	struct sim_world *w;
	struct sim_result *result;
	unsigned int hosts;
	unsigned int conns;
	struct conn conn[RUN_CONNS];
	struct ud_group ud;
	bool doubles; /* packets may arrive twice or out of order: UC and UD repeat messages then */
};

/* run_fail(run, format, ...): a checker objects. */
#define run_fail(run, ...) sim_fail((run)->result, sim_now_ns((run)->w), __VA_ARGS__)

#endif
