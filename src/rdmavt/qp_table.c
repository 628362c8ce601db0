// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The table in which arriving packets find their QP: two slots a port for QP 0 and QP 1, a hash by
 * number for the others. Readers hold the RCU read lock; writers qpt_lock, a leaf.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/rcupdate.h>
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "rdmavt/mcast.h"
#include "rdmavt/qp_priv.h"

static struct rvt_qp **chain_of(const struct rvt_qp_ibdev *table, u32 qpn)
{
	return &table->qp_table[hash_32(qpn, table->qp_table_bits)];
}

static void rvt_insert_qp(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	struct rvt_qp_ibdev *table = rdi->qp_dev;
	const u32 qpn = qp->ibqp.qp_num;

	rvt_get_qp(qp);
	spin_lock(&table->qpt_lock);
	if (qpn <= 1) {
		rcu_assign_pointer(rdi->ports[qp->port_num - 1]->qp[qpn], qp);
	} else {
		struct rvt_qp **chain = chain_of(table, qpn);

		qp->next = *chain;
		rcu_assign_pointer(*chain, qp);
	}
	__atomic_store_n(&qp->published, true, __ATOMIC_RELEASE);
	spin_unlock(&table->qpt_lock);
}

/* Takes the QP out of its slot or chain; false if it was not there. */
static bool unlink_locked(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	const u32 qpn = qp->ibqp.qp_num;
	struct rvt_qp **link;

	if (!qp->published)
		return false;
	__atomic_store_n(&qp->published, false, __ATOMIC_RELEASE);
	if (qpn <= 1) {
		link = &rdi->ports[qp->port_num - 1]->qp[qpn];
	} else {
		for (link = chain_of(rdi->qp_dev, qpn); *link && *link != qp;)
			link = &(*link)->next;
	}
	INVARIANT(*link == qp);
	rcu_assign_pointer(*link, qpn <= 1 ? NULL : qp->next);
	return true;
}

static void rvt_remove_qp(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	bool found;

	spin_lock(&rdi->qp_dev->qpt_lock);
	found = unlink_locked(rdi, qp);
	spin_unlock(&rdi->qp_dev->qpt_lock);
	if (!found)
		return;
	synchronize_rcu();
	rvt_put_qp(qp);
}

void rvt_qp_publish(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	rvt_insert_qp(rdi, qp);
}

void rvt_qp_withdraw(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	rvt_remove_qp(rdi, qp);
}

int rvt_driver_qp_init(struct rvt_dev_info *rdi)
{
	const struct rvt_driver_provided *f = &rdi->driver_f;
	const unsigned int size = rdi->dparms.qp_table_size;
	struct rvt_qp_ibdev *table;
	int ret = -ENOMEM;

	if (!size)
		return base_refuse(-EINVAL, QP_TABLE_SIZE);
	if (!f->free_all_qps || !f->qp_priv_alloc || !f->qp_priv_free || !f->notify_qp_reset ||
	    !f->notify_restart_rc)
		return base_refuse(-EINVAL, QP_CALLBACKS);
	table = base_zalloc(sizeof(*table));
	if (!table)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*table));
	rdi->qp_dev = table;
	table->qp_table_size = size;
	table->qp_table_bits = (u32)ilog2(size);
	table->qp_table = base_zalloc_array(size, sizeof(void *));
	if (!table->qp_table) {
		(void)base_refuse(ret, NO_MEMORY, size * sizeof(void *));
		goto free_table;
	}
	spin_lock_init(&table->qpt_lock);
	spin_lock_init(&rdi->n_qps_lock);
	/* Whatever the number allocator finds wrong is -ENOMEM to the caller, as in the kernel. */
	if (rvt_qpn_table_init(rdi))
		goto free_chains;
	return 0;

free_chains:
	base_free(table->qp_table);
free_table:
	base_free(table);
	rdi->qp_dev = NULL;
	return ret;
}

static void rvt_free_qp_cb(struct rvt_qp *qp, u64 v)
{
	unsigned int *leaked = (unsigned int *)(uintptr_t)v;

	rvt_qp_reset(ib_to_rvt(qp->ibqp.device), qp);
	(*leaked)++;
}

static unsigned rvt_free_all_qps(struct rvt_dev_info *rdi)
{
	unsigned int leaked = 0;
	const int trees = rvt_mcast_tree_empty(rdi);

	rvt_qp_iter(rdi, (u64)(uintptr_t)&leaked, rvt_free_qp_cb);
	return (unsigned int)trees + leaked;
}

void rvt_qp_exit(struct rvt_dev_info *rdi)
{
	unsigned int leaked;

	if (!rdi->qp_dev)
		return;
	leaked = rvt_free_all_qps(rdi);
	if (leaked)
		base_log(3, "rdmavt: %u QPs or multicast trees outlive their device", leaked);
	rvt_qpn_table_free(rdi);
	base_free(rdi->qp_dev->qp_table);
	base_free(rdi->qp_dev);
	rdi->qp_dev = NULL;
}
