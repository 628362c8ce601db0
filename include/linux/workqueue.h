/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Work that runs later in another context. One work never runs twice at the same time. */
#ifndef VERBENA_LINUX_WORKQUEUE_H
#define VERBENA_LINUX_WORKQUEUE_H

#include <linux/list.h>
#include <linux/timer.h>

struct work_struct;
struct workqueue_struct;

typedef void (*work_func_t)(struct work_struct *work);

/* @wq NULL is the common queue; @state and @entry belong to the base layer. */
struct work_struct {
	struct list_head entry;
	work_func_t func;
	struct workqueue_struct *wq;
	u32 state;
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
	struct workqueue_struct *wq;
};

enum {
	WQ_UNBOUND = 1 << 1,
	WQ_FREEZABLE = 1 << 2,
	WQ_MEM_RECLAIM = 1 << 3,
	WQ_HIGHPRI = 1 << 4,
	WQ_CPU_INTENSIVE = 1 << 5,
	WQ_SYSFS = 1 << 6,
};

static inline void base_work_init(struct work_struct *work, work_func_t func)
{
	INIT_LIST_HEAD(&work->entry);
	work->func = func;
	work->wq = NULL;
	work->state = 0;
}

static inline void base_delayed_work_due(struct timer_list *timer)
{
	struct delayed_work *dwork = container_of(timer, struct delayed_work, timer);

	(void)base_run_on(dwork->wq, &dwork->work);
}

static inline void base_delayed_work_init(struct delayed_work *dwork, work_func_t func)
{
	base_work_init(&dwork->work, func);
	base_timer_list_init(&dwork->timer, base_delayed_work_due, 0);
	dwork->wq = NULL;
}

#define INIT_WORK(work, func) base_work_init((work), (func))
#define INIT_DELAYED_WORK(dwork, func) base_delayed_work_init((dwork), (func))
#define to_delayed_work(ptr) container_of(ptr, struct delayed_work, work)

/* The kernel's common queues are one here. */
#define system_wq ((struct workqueue_struct *)NULL)
#define system_unbound_wq ((struct workqueue_struct *)NULL)
#define system_long_wq ((struct workqueue_struct *)NULL)

#define alloc_workqueue(name, flags, max_active, ...) base_workqueue_new((name), (max_active))
#define alloc_ordered_workqueue(name, flags, ...) base_workqueue_new((name), 1)
#define create_singlethread_workqueue(name) base_workqueue_new((name), 1)
#define flush_workqueue(wq) base_workqueue_flush(wq)
#define drain_workqueue(wq) base_workqueue_flush(wq)
#define destroy_workqueue(wq) base_workqueue_free(wq)

/* False if the work was pending already; it then stays where it is. */
static inline bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	return base_run_on(wq, work);
}

static inline bool schedule_work(struct work_struct *work)
{
	return queue_work(system_wq, work);
}

static inline bool queue_work_on(int cpu, struct workqueue_struct *wq, struct work_struct *work)
{
	(void)cpu;
	return queue_work(wq, work);
}

static inline bool flush_work(struct work_struct *work)
{
	return base_flush_work(work);
}

static inline bool cancel_work_sync(struct work_struct *work)
{
	return base_cancel_work(work, true);
}

static inline bool cancel_work(struct work_struct *work)
{
	return base_cancel_work(work, false);
}

static inline bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *dwork,
				      unsigned long delay)
{
	if (timer_pending(&dwork->timer))
		return false;
	dwork->wq = wq;
	if (!delay)
		return base_run_on(wq, &dwork->work);
	(void)mod_timer(&dwork->timer, jiffies + delay);
	return true;
}

static inline bool schedule_delayed_work(struct delayed_work *dwork, unsigned long delay)
{
	return queue_delayed_work(system_wq, dwork, delay);
}

/* True if it was pending; the new delay counts from now. */
static inline bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *dwork,
				    unsigned long delay)
{
	bool pending = del_timer(&dwork->timer) != 0;

	pending |= base_cancel_work(&dwork->work, false);
	(void)queue_delayed_work(wq, dwork, delay);
	return pending;
}

static inline bool cancel_delayed_work(struct delayed_work *dwork)
{
	bool pending = del_timer(&dwork->timer) != 0;

	return base_cancel_work(&dwork->work, false) || pending;
}

static inline bool cancel_delayed_work_sync(struct delayed_work *dwork)
{
	bool pending = del_timer_sync(&dwork->timer) != 0;

	return base_cancel_work(&dwork->work, true) || pending;
}

static inline bool flush_delayed_work(struct delayed_work *dwork)
{
	if (del_timer_sync(&dwork->timer))
		(void)base_run_on(dwork->wq, &dwork->work);
	return base_flush_work(&dwork->work);
}

#endif /* VERBENA_LINUX_WORKQUEUE_H */
