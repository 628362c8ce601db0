/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion queues that the core polls for their owner: every work request names a struct ib_cqe,
 * whose done() runs for its completion. Where it runs is the poll context: in the caller of
 * ib_process_cq_direct(), or in a work that the CQ's event starts. Such a work takes a limited
 * number of completions, so that one busy CQ leaves room to others.
 */
#include <rdma/ib_verbs.h>

#include <linux/slab.h>

#include "base/cause.h"
#include "base/host.h"
#include "core/device_priv.h"
#include "core/verbs_priv.h"

#define BATCH 16
#define BATCH_DIRECT 8
#define BUDGET_SOFTIRQ 256
#define BUDGET_WORKQUEUE 65536
#define NO_BUDGET (-1)

/* Entries of each CQ of a pool, if its users ask for fewer and the device has as many. */
#define POOL_CQ_ENTRIES 4096u

#define REARM (IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS)

/* Polling */

int ib_poll_cq(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	const int got = cq->device->ops.poll_cq(cq, num_entries, wc);

	if (got) {
		base_polled();
		return got;
	}
	return base_progress() ? cq->device->ops.poll_cq(cq, num_entries, wc) : 0;
}

static void complete_one(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->wr_cqe)
		wc->wr_cqe->done(cq, wc);
	else
		WARN_ON_ONCE(wc->status == IB_WC_SUCCESS);
}

/* Stops where a poll gave less than it was asked for: the CQ looked empty. */
static int process_cq(struct ib_cq *cq, int budget, struct ib_wc *wcs, int batch)
{
	int completed = 0, wanted, got;

	do {
		wanted = batch;
		if (budget != NO_BUDGET && budget - completed < batch)
			wanted = budget - completed;
		got = wanted > 0 ? ib_poll_cq(cq, wanted, wcs) : 0;
		for (int i = 0; i < got; i++)
			complete_one(cq, &wcs[i]);
		if (got > 0)
			completed += got;
	} while (got == batch);
	return completed;
}

int ib_process_cq_direct(struct ib_cq *cq, int budget)
{
	struct ib_wc wcs[BATCH_DIRECT];

	return process_cq(cq, budget, wcs, BATCH_DIRECT);
}

static void direct_event(struct ib_cq *cq, void *cq_context)
{
	(void)cq;
	(void)cq_context;
	WARN_ONCE(1, "event of a CQ that is polled directly");
}

static void closed_event(struct ib_cq *cq, void *cq_context)
{
	(void)cq;
	(void)cq_context;
}

static bool is_closed(const struct ib_cq *cq)
{
	return __atomic_load_n(&cq->comp_handler, __ATOMIC_ACQUIRE) == closed_event;
}

static int budget_of(const struct ib_cq *cq)
{
	return cq->poll_ctx == IB_POLL_SOFTIRQ ? BUDGET_SOFTIRQ : BUDGET_WORKQUEUE;
}

/* Empty, as it seems: arm, and look again if something came in before the arming. */
static void poll_work(struct work_struct *work)
{
	struct ib_cq *cq = container_of(work, struct ib_cq, work);
	const int budget = budget_of(cq);

	if (is_closed(cq))
		return;
	if (process_cq(cq, budget, cq->wc, BATCH) >= budget ||
	    ib_req_notify_cq(cq, (enum ib_cq_notify_flags)REARM) > 0)
		(void)queue_work(cq->comp_wq, &cq->work);
}

static void polled_event(struct ib_cq *cq, void *cq_context)
{
	(void)cq_context;
	(void)queue_work(cq->comp_wq, &cq->work);
}

/* Allocation */

static int init_cq(struct ib_cq *cq, void *private_data, int comp_vector,
		   enum ib_poll_context poll_ctx)
{
	cq->cq_context = private_data;
	cq->poll_ctx = poll_ctx;
	cq->comp_vector = (unsigned int)comp_vector;
	atomic_set(&cq->usecnt, 0);
	INIT_LIST_HEAD(&cq->pool_entry);
	switch (poll_ctx) {
	case IB_POLL_DIRECT:
		cq->comp_handler = direct_event;
		return 0;
	case IB_POLL_SOFTIRQ:
	case IB_POLL_WORKQUEUE:
	case IB_POLL_UNBOUND_WORKQUEUE:
		cq->comp_handler = polled_event;
		INIT_WORK(&cq->work, poll_work);
		return 0;
	}
	return base_refuse(-EINVAL, CQ_POLL_CONTEXT, (uint64_t)poll_ctx);
}

struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *priv, int nr_cqe, int comp_vector,
			    enum ib_poll_context poll_ctx, const char *caller)
{
	const struct ib_cq_init_attr attr = {
		.cqe = (unsigned int)nr_cqe,
		.comp_vector = (u32)comp_vector,
	};
	struct ib_cq *cq;
	int ret;

	(void)caller;
	if (!dev->ops.create_cq)
		return ERR_PTR(base_refuse(-EOPNOTSUPP, NOT_SUPPORTED));
	cq = core_object_new(dev, ib_cq);
	if (IS_ERR(cq))
		return cq;
	cq->device = dev;
	ret = init_cq(cq, priv, comp_vector, poll_ctx);
	if (ret)
		goto free_cq;
	ret = -ENOMEM;
	cq->wc = kcalloc(BATCH, sizeof(*cq->wc), GFP_KERNEL);
	if (!cq->wc) {
		(void)base_refuse(ret, NO_MEMORY, BATCH * sizeof(*cq->wc));
		goto free_cq;
	}
	ret = dev->ops.create_cq(cq, &attr, NULL);
	if (ret)
		goto free_wc;
	if (poll_ctx != IB_POLL_DIRECT)
		(void)ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	return cq;

free_wc:
	kfree(cq->wc);
free_cq:
	core_object_free(dev, cq);
	return ERR_PTR(ret);
}

/*
 * The kernel has one counter for all devices and no more vectors than CPUs. Neither may decide
 * anything here: the same calls on a device shall give the same CQs on every machine.
 */
static int next_vector(struct ib_device *dev)
{
	u32 turn;

	if (dev->num_comp_vectors <= 1)
		return 0;
	turn = __atomic_add_fetch(&dev->res->vector_turn, 1, __ATOMIC_RELAXED);
	return (int)(turn % (u32)dev->num_comp_vectors);
}

struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *priv, int nr_cqe,
				enum ib_poll_context poll_ctx, const char *caller)
{
	return __ib_alloc_cq(dev, priv, nr_cqe, next_vector(dev), poll_ctx, caller);
}

/*
 * An event that is under way may still queue a poll until the provider has destroyed its part;
 * what runs after that finds the CQ closed.
 */
static void stop_polling(struct ib_cq *cq)
{
	if (cq->poll_ctx != IB_POLL_DIRECT)
		(void)cancel_work_sync(&cq->work);
}

void ib_free_cq(struct ib_cq *cq)
{
	struct ib_device *device = cq->device;
	const struct ib_device_ops *ops = &device->ops;
	const bool in_two_steps = ops->pre_destroy_cq && ops->post_destroy_cq;

	if (WARN_ON_ONCE(atomic_read(&cq->usecnt)) || WARN_ON_ONCE(cq->cqe_used))
		return;
	if (in_two_steps && WARN_ON(ops->pre_destroy_cq(cq)))
		return;
	__atomic_store_n(&cq->comp_handler, closed_event, __ATOMIC_RELEASE);
	stop_polling(cq);
	if (in_two_steps)
		ops->post_destroy_cq(cq);
	else
		WARN_ON_ONCE(ops->destroy_cq(cq, NULL));
	stop_polling(cq);
	kfree(cq->wc);
	core_object_free(device, cq);
}

/* Pools: CQs that several users share, one per vector and round of growth. */

static struct list_head *pool_of(struct ib_device *dev, enum ib_poll_context poll_ctx)
{
	return &dev->cq_pools[poll_ctx];
}

/* The least used CQ of this vector with enough free entries. */
static struct ib_cq *take_from_pool(struct ib_device *dev, unsigned int nr_cqe, int vector,
				    enum ib_poll_context poll_ctx)
{
	struct ib_cq *cq, *found = NULL;

	spin_lock_irq(&dev->cq_pools_lock);
	list_for_each_entry(cq, pool_of(dev, poll_ctx), pool_entry) {
		if (cq->comp_vector != (unsigned int)vector ||
		    cq->cqe_used + nr_cqe > (unsigned int)cq->cqe)
			continue;
		if (!found || cq->cqe_used < found->cqe_used)
			found = cq;
	}
	if (found)
		found->cqe_used += nr_cqe;
	spin_unlock_irq(&dev->cq_pools_lock);
	return found;
}

static void free_pool(struct list_head *pool)
{
	struct ib_cq *cq, *next;

	list_for_each_entry_safe(cq, next, pool, pool_entry) {
		WARN_ON(cq->cqe_used);
		cq->cqe_used = 0;
		cq->shared = 0;
		list_del(&cq->pool_entry);
		ib_free_cq(cq);
	}
}

static int grow_pool(struct ib_device *dev, unsigned int nr_cqe, enum ib_poll_context poll_ctx)
{
	const unsigned int most = (unsigned int)dev->attrs.max_cqe;
	unsigned int entries = nr_cqe > POOL_CQ_ENTRIES ? nr_cqe : POOL_CQ_ENTRIES;
	const int vectors = dev->num_comp_vectors > 1 ? dev->num_comp_vectors : 1;
	LIST_HEAD(grown);
	struct ib_cq *cq;

	if (most && entries > most)
		entries = most;
	for (int i = 0; i < vectors; i++) {
		cq = ib_alloc_cq(dev, NULL, (int)entries, i, poll_ctx);
		if (IS_ERR(cq)) {
			free_pool(&grown);
			return (int)PTR_ERR(cq);
		}
		cq->shared = 1;
		list_add_tail(&cq->pool_entry, &grown);
	}
	spin_lock_irq(&dev->cq_pools_lock);
	list_splice_tail(&grown, pool_of(dev, poll_ctx));
	spin_unlock_irq(&dev->cq_pools_lock);
	return 0;
}

struct ib_cq *ib_cq_pool_get(struct ib_device *dev, unsigned int nr_cqe, int comp_vector_hint,
			     enum ib_poll_context poll_ctx)
{
	const unsigned int most = (unsigned int)dev->attrs.max_cqe;
	struct ib_cq *cq;
	int vector, ret;

	if ((unsigned int)poll_ctx > IB_POLL_LAST_POOL_TYPE)
		return ERR_PTR(base_refuse(-EINVAL, CQ_POLL_CONTEXT, (uint64_t)poll_ctx));
	if (!nr_cqe || nr_cqe > (most ? most : INT32_MAX))
		return ERR_PTR(base_refuse(-EINVAL, CQ_POOL_ENTRIES, nr_cqe, most));
	if (comp_vector_hint < 0)
		vector = next_vector(dev);
	else
		vector = dev->num_comp_vectors > 1 ? comp_vector_hint % dev->num_comp_vectors : 0;
	for (;;) {
		cq = take_from_pool(dev, nr_cqe, vector, poll_ctx);
		if (cq)
			return cq;
		ret = grow_pool(dev, nr_cqe, poll_ctx);
		if (ret)
			return ERR_PTR(ret);
	}
}

void ib_cq_pool_put(struct ib_cq *cq, unsigned int nr_cqe)
{
	if (WARN_ON_ONCE(nr_cqe > cq->cqe_used))
		return;
	spin_lock_irq(&cq->device->cq_pools_lock);
	cq->cqe_used -= nr_cqe;
	spin_unlock_irq(&cq->device->cq_pools_lock);
}

void ib_cq_pool_cleanup(struct ib_device *device)
{
	LIST_HEAD(pool);

	for (int i = 0; i <= IB_POLL_LAST_POOL_TYPE; i++) {
		spin_lock_irq(&device->cq_pools_lock);
		list_splice_init(&device->cq_pools[i], &pool);
		spin_unlock_irq(&device->cq_pools_lock);
		free_pool(&pool);
	}
}
