// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* See verbs_end.h. */
#include "common/verbs_end.h"

#include <errno.h>
#include <linux/err.h>
#include <string.h>

#include "base/alloc.h"

static int make_queues(struct verbs_end *end, struct ib_device *device,
		       const struct verbs_end_options *o)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 2 * o->depth};
	struct ib_qp_init_attr attr = {.qp_type = o->type,
				       .sq_sig_type = IB_SIGNAL_ALL_WR,
				       .cap = {.max_send_wr = o->depth,
					       .max_recv_wr = o->depth,
					       .max_send_sge = o->sges,
					       .max_recv_sge = o->sges,
					       .max_inline_data = o->inline_bytes}};

	end->pd = ib_alloc_pd(device, 0);
	if (IS_ERR(end->pd))
		return (int)PTR_ERR(end->pd);
	end->cq = ib_create_cq(device, NULL, NULL, NULL, &cq_attr);
	if (IS_ERR(end->cq))
		return (int)PTR_ERR(end->cq);
	attr.send_cq = attr.recv_cq = end->cq;
	end->qp = ib_create_qp(end->pd, &attr);
	return PTR_ERR_OR_ZERO(end->qp);
}

static int make_memory(struct verbs_end *end, const struct verbs_end_options *o)
{
	if (!o->bytes)
		return 0;
	end->mem = base_zalloc(o->bytes);
	if (!end->mem)
		return -ENOMEM;
	end->mr = ib_reg_user_mr(end->pd, (uintptr_t)end->mem, o->bytes, (uintptr_t)end->mem,
				 o->access);
	return PTR_ERR_OR_ZERO(end->mr);
}

int verbs_end_open(struct verbs_end *end, struct ib_device *device,
		   const struct verbs_end_options *options)
{
	int ret = PTR_ERR_OR_ZERO(device);

	memset(end, 0, sizeof(*end));
	if (!ret)
		ret = make_queues(end, device, options);
	if (!ret)
		ret = make_memory(end, options);
	if (ret)
		verbs_end_close(end);
	return ret;
}

void verbs_end_close(struct verbs_end *end)
{
	if (!IS_ERR_OR_NULL(end->qp))
		ib_destroy_qp(end->qp);
	if (!IS_ERR_OR_NULL(end->cq))
		ib_destroy_cq(end->cq);
	if (!IS_ERR_OR_NULL(end->mr))
		ib_dereg_mr(end->mr);
	base_free(end->mem);
	if (!IS_ERR_OR_NULL(end->pd))
		ib_dealloc_pd(end->pd);
	memset(end, 0, sizeof(*end));
}
