/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Events of a device and its ports. They wait in one queue per device and are handed out one after
 * the other by a work, so handlers may sleep and see them in the order of ib_dispatch_event().
 * (Events of a QP, CQ or SRQ go from the provider straight to the object's handler.)
 */
#include "core/device_priv.h"

#include <linux/bug.h>
#include <linux/slab.h>

#include "base/cause.h"
#include "base/trace.h"

struct queued_event {
	struct list_head link;
	struct ib_event event;
	bool look_first; /* at the provider's tables, for the cache */
};

/* Handlers */

void ib_register_event_handler(struct ib_event_handler *event_handler)
{
	struct ib_device *device = event_handler->device;

	down_write(&device->event_handler_rwsem);
	list_add_tail(&event_handler->list, &device->event_handler_list);
	up_write(&device->event_handler_rwsem);
}

static bool runs_elsewhere(void *arg)
{
	const struct ib_event_handler *handler = arg;
	struct ib_device *device = handler->device;
	bool runs;

	down_read(&device->event_handler_rwsem);
	runs = device->res->running == handler && device->res->running_on != core_this_thread();
	up_read(&device->event_handler_rwsem);
	return runs;
}

static bool is_over(void *arg)
{
	return !runs_elsewhere(arg);
}

void ib_unregister_event_handler(struct ib_event_handler *event_handler)
{
	struct ib_device *device = event_handler->device;

	if (!device) /* went, see core_events_forget() */
		return;
	down_write(&device->event_handler_rwsem);
	if (device->res->next_handler == &event_handler->list)
		device->res->next_handler = event_handler->list.next;
	list_del_init(&event_handler->list);
	up_write(&device->event_handler_rwsem);
	if (runs_elsewhere(event_handler))
		(void)base_wait_until(is_over, event_handler, BASE_FOREVER_NS);
}

void core_events_forget(struct ib_device *device)
{
	struct ib_event_handler *handler, *next;

	down_write(&device->event_handler_rwsem);
	WARN_ON(!list_empty(&device->event_handler_list));
	list_for_each_entry_safe(handler, next, &device->event_handler_list, list) {
		list_del_init(&handler->list);
		handler->device = NULL;
	}
	up_write(&device->event_handler_rwsem);
}

/* The list may change while a handler runs: unregistering moves next_handler on. */
void core_event_run_handlers(struct ib_event *event)
{
	struct ib_device *device = event->device;
	struct rdma_restrack_root *root = device->res;
	struct ib_event_handler *handler;

	down_write(&device->event_handler_rwsem);
	root->next_handler = device->event_handler_list.next;
	while (root->next_handler != &device->event_handler_list) {
		handler = list_entry(root->next_handler, struct ib_event_handler, list);
		root->next_handler = root->next_handler->next;
		root->running = handler;
		root->running_on = core_this_thread();
		up_write(&device->event_handler_rwsem);
		handler->handler(handler, event);
		down_write(&device->event_handler_rwsem);
		root->running = NULL;
		base_wake();
	}
	root->next_handler = NULL;
	up_write(&device->event_handler_rwsem);
}

/* The queue */

static bool concerns_cache(enum ib_event_type type)
{
	return type == IB_EVENT_PORT_ERR || type == IB_EVENT_PORT_ACTIVE ||
	       type == IB_EVENT_LID_CHANGE || type == IB_EVENT_PKEY_CHANGE ||
	       type == IB_EVENT_CLIENT_REREGISTER || type == IB_EVENT_GID_CHANGE;
}

/*
 * The cache first, so that a handler which asks it sees the new tables. A change of GIDs is
 * reported entry by entry where the cache finds one, so the event as such ends here. Nobody hears
 * of a change that could not be read.
 */
static void hand_out(struct queued_event *queued)
{
	struct ib_event *event = &queued->event;

	if (queued->look_first && concerns_cache(event->event) &&
	    core_cache_update(event->device, event->element.port_num, core_event_run_handlers))
		return;
	if (queued->look_first && event->event == IB_EVENT_GID_CHANGE)
		return;
	core_event_run_handlers(event);
}

static struct queued_event *take_first(struct rdma_restrack_root *root)
{
	struct queued_event *queued = NULL;

	spin_lock(&root->lock);
	if (list_empty(&root->events)) {
		root->event_busy = false;
	} else {
		queued = list_first_entry(&root->events, struct queued_event, link);
		list_del(&queued->link);
	}
	spin_unlock(&root->lock);
	return queued;
}

static void event_work(struct work_struct *work)
{
	struct rdma_restrack_root *root = container_of(work, struct rdma_restrack_root, event_work);
	struct ib_device *device = root->device;
	struct queued_event *queued = take_first(root);

	if (queued) {
		hand_out(queued);
		kfree(queued);
		(void)schedule_work(&root->event_work);
		return;
	}
	base_wake();
	core_device_drop(device);
}

static void queue_event(const struct ib_event *event, bool look_first)
{
	struct rdma_restrack_root *root = event->device->res;
	struct queued_event *queued = kzalloc(sizeof(*queued), GFP_ATOMIC);
	bool closed, start;

	if (!queued) {
		trace(core_event_lost, event->event);
		return;
	}
	queued->event = *event;
	queued->look_first = look_first;
	spin_lock(&root->lock);
	closed = root->events_closed;
	start = !closed && !root->event_busy;
	if (!closed)
		list_add_tail(&queued->link, &root->events);
	if (start) {
		root->event_busy = true;
		core_device_hold(event->device);
	}
	spin_unlock(&root->lock);
	if (closed) {
		kfree(queued);
		trace(core_event_lost, event->event);
	}
	if (start)
		(void)schedule_work(&root->event_work);
}

void ib_dispatch_event(const struct ib_event *event)
{
	queue_event(event, true);
}

void core_event_queue(const struct ib_event *event)
{
	queue_event(event, false);
}

void core_events_init(struct ib_device *device)
{
	struct rdma_restrack_root *root = device->res;

	INIT_LIST_HEAD(&root->events);
	INIT_WORK(&root->event_work, event_work);
	root->events_closed = false;
}

static bool is_quiet(void *arg)
{
	struct rdma_restrack_root *root = arg;
	bool quiet;

	spin_lock(&root->lock);
	quiet = !root->event_busy;
	spin_unlock(&root->lock);
	return quiet;
}

/* A handler that removes its own device is not waited for: it would wait for itself. */
void core_events_close(struct ib_device *device)
{
	struct rdma_restrack_root *root = device->res;
	bool own;

	spin_lock(&root->lock);
	root->events_closed = true;
	spin_unlock(&root->lock);
	down_write(&device->event_handler_rwsem);
	own = root->running && root->running_on == core_this_thread();
	if (own)
		root->next_handler = &device->event_handler_list;
	up_write(&device->event_handler_rwsem);
	if (!own) {
		(void)base_wait_until(is_quiet, root, BASE_FOREVER_NS);
		return;
	}
	for (struct queued_event *queued; (queued = take_first(root)); kfree(queued))
		trace(core_event_lost, queued->event.event);
}
