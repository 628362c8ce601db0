// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Work for later: one list for all queues, in the order given. A queue with a limit holds its
 * works back while so many of them run (they wait for something, and the crank goes on).
 */
#include "base/work.h"

#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/fork.h"
#include "base/host_priv.h"

/* work_struct.state */
#define WORK_PENDING 1u

struct workqueue_struct {
	const char *name;
	int max_active;
	int active;  /* running now */
	int waiting; /* on the list */
};

static struct {
	spinlock_t lock;
	struct list_head list;
	unsigned int pending, running;
} queue = {.list = LIST_HEAD_INIT(queue.list)};

/* Who asks whether there is any reads it without the lock. */
static void count_pending_locked(int change) REQUIRES(queue.lock)
{
	__atomic_store_n(&queue.pending, queue.pending + (unsigned int)change, __ATOMIC_RELAXED);
}

bool base_run_on(struct workqueue_struct *wq, struct work_struct *work)
{
	bool fresh;

	spin_lock(&queue.lock);
	fresh = !(work->state & WORK_PENDING);
	if (fresh) {
		work->state |= WORK_PENDING;
		work->wq = wq;
		list_add_tail(&work->entry, &queue.list);
		count_pending_locked(1);
		if (wq)
			wq->waiting++;
	}
	spin_unlock(&queue.lock);
	if (fresh)
		base_host_work_queued();
	return fresh;
}

static void unqueue_locked(struct work_struct *work) REQUIRES(queue.lock)
{
	list_del_init(&work->entry);
	work->state &= ~WORK_PENDING;
	count_pending_locked(-1);
	if (work->wq)
		work->wq->waiting--;
}

/* What runs, so that its end can be booked though the work itself may be freed by then. */
struct run {
	struct work_struct *work;
	struct run *next;
};

static struct run *runs; /* queue.lock */

static bool is_running_locked(const struct work_struct *work) REQUIRES(queue.lock)
{
	for (const struct run *run = runs; run; run = run->next)
		if (run->work == work)
			return true;
	return false;
}

static bool may_run_locked(const struct work_struct *work) REQUIRES(queue.lock)
{
	const struct workqueue_struct *wq = work->wq;

	return !is_running_locked(work) &&
	       (!wq || wq->max_active <= 0 || wq->active < wq->max_active);
}

static struct work_struct *first_locked(void) REQUIRES(queue.lock)
{
	struct work_struct *work;

	list_for_each_entry(work, &queue.list, entry)
		if (may_run_locked(work))
			return work;
	return NULL;
}

/* A work that frees itself, or that is queued again, must find no trace of this run in itself. */
static void forget_run_locked(struct run *run) REQUIRES(queue.lock)
{
	struct run **link = &runs;

	while (*link != run)
		link = &(*link)->next;
	*link = run->next;
}

bool base_work_run_one(void)
{
	struct workqueue_struct *wq;
	struct work_struct *work;
	struct run run;

	spin_lock(&queue.lock);
	work = first_locked();
	if (!work) {
		spin_unlock(&queue.lock);
		return false;
	}
	unqueue_locked(work);
	wq = work->wq;
	if (wq)
		wq->active++;
	run = (struct run){work, runs};
	runs = &run;
	queue.running++;
	spin_unlock(&queue.lock);

	work->func(work);

	spin_lock(&queue.lock);
	forget_run_locked(&run);
	queue.running--;
	if (wq)
		wq->active--;
	spin_unlock(&queue.lock);
	base_wake();
	return true;
}

bool base_work_queued(void)
{
	bool some;

	if (!__atomic_load_n(&queue.pending, __ATOMIC_RELAXED))
		return false;
	spin_lock(&queue.lock);
	some = first_locked() != NULL;
	spin_unlock(&queue.lock);
	return some;
}

bool base_work_busy(void)
{
	bool busy;

	spin_lock(&queue.lock);
	busy = queue.pending || queue.running;
	spin_unlock(&queue.lock);
	return busy;
}

static bool has_stopped(void *arg)
{
	bool running;

	spin_lock(&queue.lock);
	running = is_running_locked(arg);
	spin_unlock(&queue.lock);
	return !running;
}

static bool has_run(void *arg)
{
	const struct work_struct *work = arg;
	bool done;

	spin_lock(&queue.lock);
	done = !(work->state & WORK_PENDING) && !is_running_locked(work);
	spin_unlock(&queue.lock);
	return done;
}

static bool take_back(struct work_struct *work)
{
	bool was_pending;

	spin_lock(&queue.lock);
	was_pending = work->state & WORK_PENDING;
	if (was_pending)
		unqueue_locked(work);
	spin_unlock(&queue.lock);
	return was_pending;
}

bool base_cancel_work(struct work_struct *work, bool wait)
{
	bool was_pending = take_back(work);

	if (!wait)
		return was_pending;
	/* A run that is waited for may have queued the work again. */
	do {
		base_wait_until(has_stopped, work, BASE_FOREVER_NS);
	} while (take_back(work));
	return was_pending;
}

bool base_flush_work(struct work_struct *work)
{
	if (has_run(work))
		return false;
	base_wait_until(has_run, work, BASE_FOREVER_NS);
	return true;
}

struct workqueue_struct *base_workqueue_new(const char *name, int max_active)
{
	struct workqueue_struct *wq = base_zalloc(sizeof(*wq));

	if (!wq)
		return NULL;
	wq->name = name;
	wq->max_active = max_active;
	return wq;
}

static bool is_empty(void *arg)
{
	const struct workqueue_struct *wq = arg;
	bool empty;

	spin_lock(&queue.lock);
	empty = !wq->waiting && !wq->active;
	spin_unlock(&queue.lock);
	return empty;
}

void base_workqueue_flush(struct workqueue_struct *wq)
{
	base_wait_until(is_empty, wq, BASE_FOREVER_NS);
}

void base_workqueue_free(struct workqueue_struct *wq)
{
	if (!wq)
		return;
	base_workqueue_flush(wq);
	base_free(wq);
}

void base_work_forked(void)
{
	spin_lock_init(&queue.lock);
	INIT_LIST_HEAD(&queue.list);
	queue.pending = 0;
	queue.running = 0;
	runs = NULL;
}
