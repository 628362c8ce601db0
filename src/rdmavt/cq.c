// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Completion queues.
 *
 * The lock is a leaf: whoever enters a completion may hold a QP's locks. So handlers run in
 * a worker, never in the caller. `pending` mirrors the number of entries, so that a poll of
 * an empty CQ reads one word and no ring that a resize may be freeing.
 */
#include "rdmavt/cq.h"

#include <linux/mutex.h>
#include <rdma/rdmavt_qp.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/host.h"
#include "base/trace.h"
#include "rdmavt/mmap.h"
#include "rdmavt/qp_priv.h"
#include "rdmavt/ring.h"

/* The workers of all CQs of all devices. */
static struct {
	struct mutex lock;
	unsigned int users; /* devices and CQs */
	struct workqueue_struct *wq;
} workers;

static void workers_put(void)
{
	mutex_lock(&workers.lock);
	if (--workers.users == 0 && workers.wq) {
		destroy_workqueue(workers.wq);
		workers.wq = NULL;
	}
	mutex_unlock(&workers.lock);
}

/* The queue for a new CQ's handlers; NULL, the common one, where no device is registered. */
static struct workqueue_struct *workers_get(void)
{
	struct workqueue_struct *wq;

	mutex_lock(&workers.lock);
	workers.users++;
	wq = workers.wq;
	mutex_unlock(&workers.lock);
	return wq;
}

int rvt_driver_cq_init(void)
{
	int ret = 0;

	mutex_lock(&workers.lock);
	if (!workers.wq) {
		workers.wq = alloc_workqueue("rdmavt_cq", WQ_HIGHPRI | WQ_CPU_INTENSIVE, 0);
		if (!workers.wq)
			ret = base_refuse(-ENOMEM, NO_MEMORY, sizeof(void *));
	}
	if (!ret)
		workers.users++;
	mutex_unlock(&workers.lock);
	return ret;
}

void rvt_cq_exit(void)
{
	workers_put();
}

/* One call of the handler for each time the CQ fired; several that nobody waited for are one. */
static void send_complete(struct work_struct *work)
{
	struct rvt_cq *cq = container_of(work, struct rvt_cq, comptask);

	for (;;) {
		const u32 fired = __atomic_load_n(&cq->fired, __ATOMIC_ACQUIRE);

		if (fired == cq->handled)
			return;
		cq->handled = fired;
		if (cq->ibcq.comp_handler)
			cq->ibcq.comp_handler(&cq->ibcq, cq->ibcq.cq_context);
	}
}

/* The error handler, once for each completion that was lost. */
static void report_overflows(struct work_struct *work)
{
	struct rvt_cq *cq = container_of(work, struct rvt_cq, errtask);
	struct ib_event event = {
		.device = cq->ibcq.device, .element.cq = &cq->ibcq, .event = IB_EVENT_CQ_ERR};

	for (u32 n = __atomic_exchange_n(&cq->overflows, 0, __ATOMIC_ACQ_REL); n; n--)
		if (cq->ibcq.event_handler)
			cq->ibcq.event_handler(&event, cq->ibcq.cq_context);
}

/* The armed CQ has what it waited for. The caller then calls base_run_later(). */
static void fire_locked(struct rvt_cq *cq) REQUIRES(cq->lock)
{
	cq->notify = RVT_CQ_NONE;
	cq->triggered++;
	cq->mod_seen = 0;
	__atomic_store_n(&cq->fired, cq->fired + 1, __ATOMIC_RELEASE);
}

static void period_over(struct base_timer *timer)
{
	struct rvt_cq *cq = container_of(timer, struct rvt_cq, mod_timer);
	bool fire;

	spin_lock(&cq->lock);
	fire = cq->mod_seen != 0;
	if (fire)
		fire_locked(cq);
	spin_unlock(&cq->lock);
	if (fire)
		base_run_later(&cq->comptask);
}

/* A completion that the CQ is armed for has come. Returns whether to run the handler. */
static bool notify_locked(struct rvt_cq *cq) REQUIRES(cq->lock)
{
	if (cq->mod_count > 1 && cq->mod_period_us) {
		if (++cq->mod_seen < cq->mod_count) {
			if (cq->mod_seen == 1)
				base_timer_arm(&cq->mod_timer, (u64)cq->mod_period_us * 1000);
			return false;
		}
		base_timer_disarm(&cq->mod_timer);
	}
	fire_locked(cq);
	return true;
}

static bool store_locked(struct rvt_cq *cq, const struct ib_wc *entry) REQUIRES(cq->lock)
{
	struct rvt_k_cq_wc *ring = cq->kqueue;
	u32 head;

	if (unlikely(cq->ring))
		return cq->ring->ops->produce(cq->ring, entry);
	if (unlikely(cq->pending == (u32)cq->ibcq.cqe))
		return false;
	head = ring->head;
	ring->kqueue[head] = *entry;
	smp_store_release(&ring->head, head == (u32)cq->ibcq.cqe ? 0 : head + 1);
	__atomic_store_n(&cq->pending, cq->pending + 1, __ATOMIC_RELEASE);
	return true;
}

/* Each counter is of one of the QP's CQs, and so of one lock. */
static void count_for_qp(const struct ib_wc *entry)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(entry->qp);

	const bool failed = unlikely(entry->status != IB_WC_SUCCESS);

	if (entry->opcode & IB_WC_RECV) {
		qp->n_received++;
		if (failed)
			qp->n_recv_errors++;
	} else {
		qp->n_completed++;
		if (failed)
			qp->n_send_errors++;
	}
}

/* @first: none was lost before. The program's events carry no reason, so it is said here, once. */
static void lose(struct rvt_cq *cq, const struct ib_wc *entry, bool first)
{
	const struct base_cause why = {.id = BASE_CAUSE_CQ_OVERFLOW,
				       .qpn = entry->qp ? entry->qp->qp_num : 0,
				       .arg = {(u32)READ_ONCE(cq->ibcq.cqe),
					       !!(entry->opcode & IB_WC_RECV)}};

	trace(cq_overflow, (u32)why.arg[0], why.qpn);
	if (first)
		base_cause_warn(&why);
	__atomic_fetch_add(&cq->overflows, 1, __ATOMIC_ACQ_REL);
	base_run_later(&cq->errtask);
}

bool rvt_cq_enter(struct rvt_cq *cq, struct ib_wc *entry, bool solicited)
{
	bool fire = false;

	spin_lock(&cq->lock);
	if (unlikely(cq->cq_full || !store_locked(cq, entry))) {
		const bool first = !cq->cq_full;

		cq->cq_full = 1;
		spin_unlock(&cq->lock);
		lose(cq, entry, first);
		return false;
	}
	if (likely(entry->qp))
		count_for_qp(entry);
	if (unlikely(cq->notify != RVT_CQ_NONE) &&
	    (cq->notify == IB_CQ_NEXT_COMP || solicited || entry->status != IB_WC_SUCCESS))
		fire = notify_locked(cq);
	spin_unlock(&cq->lock);
	if (unlikely(fire))
		base_run_later(&cq->comptask);
	return true;
}

static struct rvt_k_cq_wc *alloc_kernel_ring(u32 cqe)
{
	const size_t bytes = sizeof(struct rvt_k_cq_wc) + ((size_t)cqe + 1) * sizeof(struct ib_wc);
	struct rvt_k_cq_wc *ring = base_zalloc(bytes);

	if (!ring)
		base_refuse(-ENOMEM, NO_MEMORY, bytes);
	return ring;
}

static int check_cqe(const struct rvt_dev_info *rdi, u32 cqe)
{
	const u32 most = (u32)rdi->dparms.props.max_cqe;

	return cqe < 1 || cqe > most ? base_refuse(-EINVAL, CQ_SIZE, cqe, most) : 0;
}

static int count_cq(struct rvt_dev_info *rdi)
{
	const u32 most = (u32)rdi->dparms.props.max_cq;
	bool full;

	spin_lock(&rdi->n_cqs_lock);
	full = rdi->n_cqs_allocated >= most;
	if (!full)
		rdi->n_cqs_allocated++;
	spin_unlock(&rdi->n_cqs_lock);
	return full ? base_refuse(-ENOMEM, CQ_COUNT, most) : 0;
}

static void uncount_cq(struct rvt_dev_info *rdi)
{
	spin_lock(&rdi->n_cqs_lock);
	rdi->n_cqs_allocated--;
	spin_unlock(&rdi->n_cqs_lock);
}

/* The ring that this caller can use: mapped by a process, or the kernel's. */
static int create_ring(struct rvt_cq *cq, u32 cqe, struct ib_udata *udata)
{
	const struct rvt_ring_ops *format = rvt_ring_cq_format(ib_to_rvt(cq->ibcq.device), udata);

	if (format)
		return rvt_ring_create_cq(cq, format, cqe, udata);
	cq->ibcq.cqe = (int)cqe;
	cq->kqueue = alloc_kernel_ring(cqe);
	return cq->kqueue ? 0 : -ENOMEM;
}

static void free_ring(struct rvt_cq *cq)
{
	if (cq->ring)
		rvt_ring_destroy_cq(cq);
	base_free(cq->kqueue);
	cq->kqueue = NULL;
}

static void init_tasks(struct rvt_cq *cq)
{
	INIT_WORK(&cq->comptask, send_complete);
	INIT_WORK(&cq->errtask, report_overflows);
	base_timer_init(&cq->mod_timer, period_over);
	cq->comptask.wq = workers_get();
	cq->errtask.wq = cq->comptask.wq;
}

int rvt_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibcq->device);
	struct rvt_cq *cq = ibcq_to_rvtcq(ibcq);
	const int vectors = rdi->ibdev.num_comp_vectors;
	const int vector = vectors > 0 ? (int)(attr->comp_vector % (u32)vectors) : 0;
	int ret;

	if (attr->flags)
		return base_refuse(-EOPNOTSUPP, CQ_FLAGS, attr->flags);
	ret = check_cqe(rdi, attr->cqe);
	if (ret)
		return ret;
	ret = create_ring(cq, attr->cqe, udata);
	if (ret)
		return ret;
	ret = count_cq(rdi);
	if (ret)
		goto ring;
	cq->rdi = rdi;
	cq->comp_vector_cpu = rdi->driver_f.comp_vect_cpu_lookup
				      ? rdi->driver_f.comp_vect_cpu_lookup(rdi, vector)
				      : vector;
	cq->notify = RVT_CQ_NONE;
	spin_lock_init(&cq->lock);
	init_tasks(cq);
	rvt_mmap_offer(rdi, cq->ip);
	return 0;

ring:
	free_ring(cq);
	return ret;
}

int rvt_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct rvt_cq *cq = ibcq_to_rvtcq(ibcq);

	(void)udata;
	base_timer_disarm_sync(&cq->mod_timer);
	flush_work(&cq->comptask);
	flush_work(&cq->errtask);
	uncount_cq(cq->rdi);
	workers_put();
	free_ring(cq);
	return 0;
}

static u32 count_locked(const struct rvt_cq *cq) REQUIRES(cq->lock)
{
	return cq->ring ? cq->ring->ops->count(cq->ring) : cq->pending;
}

int rvt_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags notify_flags)
{
	struct rvt_cq *cq = ibcq_to_rvtcq(ibcq);
	int ret = 0;

	spin_lock(&cq->lock);
	if (cq->notify == RVT_CQ_NONE)
		cq->mod_seen = 0;
	if (cq->notify != IB_CQ_NEXT_COMP)
		cq->notify = notify_flags & IB_CQ_SOLICITED_MASK;
	if ((notify_flags & IB_CQ_REPORT_MISSED_EVENTS) && count_locked(cq))
		ret = 1;
	spin_unlock(&cq->lock);
	base_expect();
	/* A process that now goes to sleep has posted before, maybe to a QP in ERR. */
	if (cq->ring)
		rvt_late_flush(cq->rdi);
	return ret;
}

/* Oldest first, from the start of the new ring. */
static u32 move_entries_locked(struct rvt_cq *cq, struct rvt_k_cq_wc *to) REQUIRES(cq->lock)
{
	struct rvt_k_cq_wc *from = cq->kqueue;
	u32 tail = from->tail;

	for (u32 n = 0; n < cq->pending; n++) {
		to->kqueue[n] = from->kqueue[tail];
		tail = tail == (u32)cq->ibcq.cqe ? 0 : tail + 1;
	}
	return cq->pending;
}

static int resize_kernel_ring(struct rvt_cq *cq, u32 cqe)
{
	struct rvt_k_cq_wc *fresh = alloc_kernel_ring(cqe);
	struct rvt_k_cq_wc *old = fresh;
	u32 there;

	if (!fresh)
		return -ENOMEM;
	spin_lock(&cq->lock);
	there = cq->pending;
	if (there <= cqe) {
		fresh->head = move_entries_locked(cq, fresh);
		old = cq->kqueue;
		cq->kqueue = fresh;
		WRITE_ONCE(cq->ibcq.cqe, (int)cqe);
	}
	spin_unlock(&cq->lock);
	base_free(old);
	return there <= cqe ? 0 : base_refuse(-EINVAL, CQ_RESIZE, cqe, there);
}

int rvt_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct rvt_cq *cq = ibcq_to_rvtcq(ibcq);
	int ret = check_cqe(cq->rdi, (u32)cqe);

	if (ret)
		return ret;
	return cq->ring ? rvt_ring_resize_cq(cq, (u32)cqe, udata)
			: resize_kernel_ring(cq, (u32)cqe);
}

int rvt_poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *entry)
{
	struct rvt_cq *cq = ibcq_to_rvtcq(ibcq);
	struct rvt_k_cq_wc *ring;
	u32 tail, n = 0;

	if (unlikely(cq->ring))
		return base_refuse(-EINVAL, CQ_MAPPED);
	if (!__atomic_load_n(&cq->pending, __ATOMIC_ACQUIRE))
		return 0;
	spin_lock(&cq->lock);
	ring = cq->kqueue;
	tail = ring->tail;
	while ((int)n < num_entries && n < cq->pending) {
		entry[n++] = ring->kqueue[tail];
		tail = tail == (u32)cq->ibcq.cqe ? 0 : tail + 1;
	}
	smp_store_release(&ring->tail, tail);
	__atomic_store_n(&cq->pending, cq->pending - n, __ATOMIC_RELEASE);
	spin_unlock(&cq->lock);
	return (int)n;
}

int rvt_modify_cq(struct ib_cq *ibcq, u16 cq_count, u16 cq_period)
{
	struct rvt_cq *cq = ibcq_to_rvtcq(ibcq);
	const struct ib_cq_caps *caps = &cq->rdi->dparms.props.cq_caps;
	bool fire;

	if (cq_count > caps->max_cq_moderation_count || cq_period > caps->max_cq_moderation_period)
		return base_refuse(-EINVAL, CQ_MODERATION, cq_count, cq_period,
				   caps->max_cq_moderation_count, caps->max_cq_moderation_period);
	base_timer_disarm(&cq->mod_timer);
	spin_lock(&cq->lock);
	cq->mod_count = cq_count;
	cq->mod_period_us = cq_period;
	/* What has waited so far waits no longer. */
	fire = cq->mod_seen != 0;
	if (fire)
		fire_locked(cq);
	spin_unlock(&cq->lock);
	if (fire)
		base_run_later(&cq->comptask);
	return 0;
}

void rvt_cq_forked(void)
{
	mutex_init(&workers.lock);
	workers.users = 0;
	workers.wq = NULL;
}
