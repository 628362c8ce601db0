// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A pair of queue pairs. */
#include "cli/pair.h"

#include <linux/err.h>
#include <string.h>
#include <verbena/verbena.h>

static int open_side(struct pair_side *side, struct ib_device *device, const struct pair_options *o)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 2 * o->depth};
	struct ib_qp_init_attr attr = {.cap = {.max_send_wr = o->depth,
					       .max_recv_wr = o->depth,
					       .max_send_sge = 1,
					       .max_recv_sge = 1,
					       .max_inline_data = o->inline_bytes},
				       .qp_type = o->type};

	side->device = device;
	side->pd = ib_alloc_pd(device, 0);
	if (IS_ERR(side->pd))
		return (int)PTR_ERR(side->pd);
	side->cq = ib_create_cq(device, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(side->cq))
		return (int)PTR_ERR(side->cq);
	attr.send_cq = attr.recv_cq = side->cq;
	side->qp = ib_create_qp(side->pd, &attr);
	return IS_ERR(side->qp) ? (int)PTR_ERR(side->qp) : 0;
}

static void close_side(struct pair_side *side)
{
	if (!IS_ERR_OR_NULL(side->qp))
		ib_destroy_qp(side->qp);
	if (!IS_ERR_OR_NULL(side->cq))
		ib_destroy_cq(side->cq);
	if (!IS_ERR_OR_NULL(side->pd))
		ib_dealloc_pd(side->pd);
}

int pair_open(struct pair *pair, struct ib_device *a, struct ib_device *b,
	      const struct pair_options *options)
{
	const struct verbena_connect_options connect = {.mtu = options->mtu,
							.timeout = options->timeout};
	int ret;

	memset(pair, 0, sizeof(*pair));
	ret = open_side(&pair->side[0], a, options);
	if (!ret)
		ret = open_side(&pair->side[1], b, options);
	if (!ret)
		ret = verbena_qp_connect(pair->side[0].qp, pair->side[1].qp, &connect);
	if (ret)
		pair_close(pair);
	return ret;
}

void pair_close(struct pair *pair)
{
	close_side(&pair->side[0]);
	close_side(&pair->side[1]);
}
