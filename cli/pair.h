/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Two RC queue pairs that are connected: what demo and bench stand on. Public API only. */
#ifndef CLI_PAIR_H
#define CLI_PAIR_H

#include <rdma/ib_verbs.h>
#include <stdint.h>

/**
 * struct pair_options - What the queue pairs are like.
 * @depth: WRs of each queue.
 * @type: IB_QPT_RC or IB_QPT_UC.
 * @mtu: Path MTU.
 * @inline_bytes: max_inline_data to ask for.
 * @timeout: ACK timeout code.
 */
struct pair_options {
	uint32_t depth;
	enum ib_qp_type type;
	enum ib_mtu mtu;
	uint32_t inline_bytes;
	uint8_t timeout;
};

/* One side. */
struct pair_side {
	struct ib_device *device;
	struct ib_pd *pd;
	struct ib_cq *cq; /* of both queues */
	struct ib_qp *qp;
};

struct pair {
	struct pair_side side[2];
};

/**
 * pair_open() - Create two queue pairs and connect them.
 * @pair: Out. After a failure nothing is left over.
 * @a: Device of side 0.
 * @b: Device of side 1; may be @a.
 * @options: What they are like.
 *
 * Return: 0, or the negative errno of the call that failed.
 */
int pair_open(struct pair *pair, struct ib_device *a, struct ib_device *b,
	      const struct pair_options *options);

/** pair_close() - Destroy them. No MR of their PDs exists any more. */
void pair_close(struct pair *pair);

#endif
