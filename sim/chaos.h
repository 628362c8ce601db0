/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Random calls of the verbs while traffic runs, and sudden deaths. */
#ifndef SIM_CHAOS_H
#define SIM_CHAOS_H

#include "sim/run.h"

/** chaos_kill() - Destroy the QP of one end as a host that dies does. The connection is lost. */
void chaos_kill(struct end *end);

/** chaos_call() - One random call on a random connection. */
void chaos_call(struct sim_run *run);

#endif
