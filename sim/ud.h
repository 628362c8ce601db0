/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Datagrams of the simulated world: a UD QP on each host that sends to the others and to a
 * multicast group. Any may be lost; what arrives is whole, from whom it says, and ours.
 */
#ifndef SIM_UD_H
#define SIM_UD_H

#include <linux/verbena_base.h>
#include <rdma/ib_verbs.h>
#include <stdint.h>

#include "sim/world.h"

#define UD_DEPTH 8u
#define UD_RECVS 32u
#define UD_BYTES 1024u
#define UD_QKEY 0x1234567u
#define UD_MLID 0xc001u

struct sim_run;

struct ud_member {
	struct sim_run *run;
	unsigned int host;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_ah *ah[SIM_MAX_HOSTS];
	struct ib_ah *mcast_ah;
	bool attached;
	struct ib_mr *mr;
	uint8_t *mem; /* UD_DEPTH to send, then UD_RECVS with room for the GRH */
	struct base_timer tick;
	uint64_t head, tail, recv_head, recv_tail;
	uint64_t received;
	uint64_t last_from[SIM_MAX_HOSTS]; /* number of the latest datagram of each host */
};

struct ud_group {
	unsigned int members;
	struct ud_member member[SIM_MAX_HOSTS];
	bool quiet;
	uint64_t sent;
};

/** ud_open() - Create the QPs, attach them to the group, start. Returns 0 or a refusal. */
int ud_open(struct sim_run *run);

/** ud_close() - Detach and destroy. */
void ud_close(struct sim_run *run);

/** ud_is_idle() - Whether all sends have completed. */
bool ud_is_idle(const struct ud_group *group);

#endif
