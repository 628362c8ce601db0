// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Visiting every QP of a device: those in the ports' special slots, then the hash chains. */
#include <linux/rcupdate.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "base/alloc.h"
#include "rdmavt/qp_priv.h"

struct rvt_qp_iter *rvt_qp_iter_init(struct rvt_dev_info *rdi, u64 v,
				     void (*cb)(struct rvt_qp *qp, u64 v))
{
	struct rvt_qp_iter *iter = base_zalloc(sizeof(*iter));

	if (!iter)
		return NULL;
	iter->rdi = rdi;
	iter->specials = (int)rdi->ibdev.phys_port_cnt * 2;
	iter->v = v;
	iter->cb = cb;
	return iter;
}

/*
 * Position n: below `specials` slot n & 1 of port n / 2 (the kernel's n % ports visits some slots
 * twice and others never when the number of ports is even), above it the chains.
 */
static struct rvt_qp *head_at(const struct rvt_dev_info *rdi, int specials, int n)
{
	if (n < specials) {
		struct rvt_ibport *port = rdi->ports[n / 2];

		return port ? rcu_dereference(port->qp[n & 1]) : NULL;
	}
	return rcu_dereference(rdi->qp_dev->qp_table[n - specials]);
}

int rvt_qp_iter_next(struct rvt_qp_iter *iter)
{
	const int positions = iter->specials + (int)iter->rdi->qp_dev->qp_table_size;
	struct rvt_qp *qp = iter->qp;
	int n = iter->n;

	/* Below `specials` there are no chains: qp->next leads nowhere. */
	qp = qp && n > iter->specials ? rcu_dereference(qp->next) : NULL;
	while (!qp && n < positions)
		qp = head_at(iter->rdi, iter->specials, n++);
	iter->n = n;
	if (!qp)
		return 1;
	iter->qp = qp;
	return 0;
}

/* The QP after @qp, or the first one, at a position; with a reference. */
static struct rvt_qp *next_at(const struct rvt_dev_info *rdi, int specials, int n,
			      const struct rvt_qp *qp)
{
	struct rvt_qp *next;

	rcu_read_lock();
	if (qp && rvt_qp_is_published(qp))
		next = n < specials ? NULL : rcu_dereference(qp->next);
	else
		next = head_at(rdi, specials, n);
	if (next)
		rvt_get_qp(next);
	rcu_read_unlock();
	return next;
}

/*
 * A QP that left its chain while its callback ran leads to a successor that may be gone, too: then
 * the chain is walked from its head again. So a QP that comes before one that left is visited
 * twice, none is left out.
 */
void rvt_qp_iter(struct rvt_dev_info *rdi, u64 v, void (*cb)(struct rvt_qp *qp, u64 v))
{
	const int specials = (int)rdi->ibdev.phys_port_cnt * 2;
	const int positions = specials + (int)rdi->qp_dev->qp_table_size;

	for (int n = 0; n < positions; n++) {
		struct rvt_qp *qp = next_at(rdi, specials, n, NULL);

		while (qp) {
			struct rvt_qp *next;

			cb(qp, v);
			next = next_at(rdi, specials, n, qp);
			rvt_put_qp(qp);
			qp = next;
		}
	}
}
