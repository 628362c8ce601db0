/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* MRs that a QP keeps ready, so that nothing is allocated when a transfer needs one. */
#include <rdma/mr_pool.h>

#include <linux/bug.h>

int ib_mr_pool_init(struct ib_qp *qp, struct list_head *list, int nr, enum ib_mr_type type,
		    u32 max_num_sg, u32 max_num_meta_sg)
{
	struct ib_mr *mr;

	for (int i = 0; i < nr; i++) {
		if (type == IB_MR_TYPE_INTEGRITY)
			mr = ib_alloc_mr_integrity(qp->pd, max_num_sg, max_num_meta_sg);
		else
			mr = ib_alloc_mr(qp->pd, type, max_num_sg);
		if (IS_ERR(mr)) {
			ib_mr_pool_destroy(qp, list);
			return (int)PTR_ERR(mr);
		}
		spin_lock(&qp->mr_lock);
		list_add_tail(&mr->qp_entry, list);
		spin_unlock(&qp->mr_lock);
	}
	return 0;
}

static struct ib_mr *take_first(struct ib_qp *qp, struct list_head *list, int in_use)
{
	struct ib_mr *mr;

	spin_lock(&qp->mr_lock);
	mr = list_first_entry_or_null(list, struct ib_mr, qp_entry);
	if (mr) {
		list_del(&mr->qp_entry);
		qp->mrs_used += in_use;
	}
	spin_unlock(&qp->mr_lock);
	return mr;
}

void ib_mr_pool_destroy(struct ib_qp *qp, struct list_head *list)
{
	struct ib_mr *mr;

	while ((mr = take_first(qp, list, 0)))
		WARN_ON(ib_dereg_mr(mr));
}

struct ib_mr *ib_mr_pool_get(struct ib_qp *qp, struct list_head *list)
{
	return take_first(qp, list, 1);
}

void ib_mr_pool_put(struct ib_qp *qp, struct list_head *list, struct ib_mr *mr)
{
	spin_lock(&qp->mr_lock);
	list_add(&mr->qp_entry, list);
	qp->mrs_used--;
	spin_unlock(&qp->mr_lock);
}
