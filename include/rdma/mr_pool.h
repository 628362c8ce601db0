/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory regions kept ready with a QP. */
#ifndef VERBENA_RDMA_MR_POOL_H
#define VERBENA_RDMA_MR_POOL_H

#include <rdma/ib_verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

int ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr, enum ib_mr_type type,
		    u32 max_num_sg, u32 max_num_meta_sg);

void ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list);

struct ib_mr *ib_mr_pool_get(struct ib_qp *qp, struct list_head *list);

void ib_mr_pool_put(struct ib_qp *qp, struct list_head *list, struct ib_mr *mr);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_MR_POOL_H */
