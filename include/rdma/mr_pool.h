/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory regions kept ready with a QP. */
#ifndef VERBENA_RDMA_MR_POOL_H
#define VERBENA_RDMA_MR_POOL_H

#include <rdma/ib_verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ib_mr_pool_init() - Fill a QP's list of MRs.
 * @qp: For whom.
 * @list: qp->rdma_mrs or qp->sig_mrs, initialised.
 * @nr: How many MRs.
 * @type: As for ib_alloc_mr().
 * @max_num_sg: As for ib_alloc_mr().
 * @max_num_meta_sg: With IB_MR_TYPE_INTEGRITY as for ib_alloc_mr_integrity().
 *
 * Context: May sleep.
 * Return: 0; on failure an errno of ib_alloc_mr(), and the list is empty.
 */
int ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr, enum ib_mr_type type,
		    u32 max_num_sg, u32 max_num_meta_sg);

/**
 * ib_mr_pool_destroy() - Deregister all MRs of a QP's list.
 * @qp: Whose.
 * @list: Which list. None of its MRs may be in use.
 *
 * Context: May sleep.
 */
void ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list);

/**
 * ib_mr_pool_get() - Take an MR from a QP's list.
 * @qp: Whose.
 * @list: Which list.
 *
 * Context: Any, does not sleep.
 * Return: The MR, for ib_mr_pool_put(); NULL if the list is empty.
 */
struct ib_mr *ib_mr_pool_get(struct ib_qp *qp, struct list_head *list);

/**
 * ib_mr_pool_put() - Put an MR back into a QP's list.
 * @qp: Whose.
 * @list: Which list.
 * @mr: From ib_mr_pool_get(). It is the next one to be taken.
 *
 * Context: Any, does not sleep.
 */
void ib_mr_pool_put(struct ib_qp *qp, struct list_head *list, struct ib_mr *mr);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_MR_POOL_H */
