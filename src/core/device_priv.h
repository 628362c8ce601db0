/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What core keeps with a device and nobody else sees. The files device*.c and cache*.c share it.
 *
 * No lock is held while a callback of a client, a handler or a provider runs: each may sleep, and
 * in the simulated world whoever sleeps runs others on the same thread.
 */
#ifndef CORE_DEVICE_PRIV_H
#define CORE_DEVICE_PRIV_H

#include <rdma/ib_verbs.h>

/* In the order in which a device goes through them; only ENABLING and later may be found. */
enum core_device_state {
	CORE_DEVICE_NEW,
	CORE_DEVICE_NAMED,    /* being registered, the name is taken */
	CORE_DEVICE_ENABLING, /* published, clients do not see it yet */
	CORE_DEVICE_REGISTERED,
	CORE_DEVICE_UNREGISTERING,
	CORE_DEVICE_REMOVED,
};

/* Who may wait for the last object: the driver, the library it stands on, and one more. */
#define CORE_WHEN_IDLE_MAX 3

typedef void (*core_idle_fn)(struct ib_device *device);

/**
 * struct rdma_restrack_root - Core's part of a device (ib_device.res).
 * @device: Back pointer.
 * @link: In the list of named devices, in the order of naming; registry lock.
 * @number: Of this naming, from 1 on, never used again; registry lock.
 * @state: Registry lock.
 * @clients: struct core_client_use, in the order of the clients' registration; registry lock.
 * @lock: For the members below.
 * @objects: Objects that are alive.
 * @dealloc_wanted: ib_dealloc_device() was called.
 * @when_idle: To be called, in this order, once no object is left.
 * @events: struct queued_event that no handler has seen yet.
 * @event_work: Takes one event after the other.
 * @event_busy: @event_work is queued or runs.
 * @events_closed: No event is taken any more.
 * @next_handler: Where the running dispatch goes on in event_handler_list; event_handler_rwsem.
 * @running: The handler that runs now; event_handler_rwsem.
 * @running_on: The thread that runs it (core_this_thread()).
 * @vector_turn: Whose turn it is of the completion vectors.
 * @cache_ready: The GID and P_Key caches are set up.
 */
struct rdma_restrack_root {
	struct ib_device *device;
	struct list_head link;
	uint64_t number;
	enum core_device_state state;
	struct list_head clients;

	spinlock_t lock;
	unsigned int objects;
	bool dealloc_wanted;
	core_idle_fn when_idle[CORE_WHEN_IDLE_MAX];

	struct list_head events;
	struct work_struct event_work;
	bool event_busy;
	bool events_closed;
	struct list_head *next_handler;
	struct ib_event_handler *running;
	const void *running_on;

	u32 vector_turn;
	bool cache_ready;
};

/* A client that has been shown to a device. */
enum core_client_state { CORE_CLIENT_ADDING, CORE_CLIENT_PRESENT, CORE_CLIENT_REMOVING };

/**
 * struct core_client_use - One client on one device, from before add() until after remove().
 * @link: In rdma_restrack_root.clients.
 * @device: The device.
 * @client: The client.
 * @data: What ib_set_client_data() stored.
 * @state: What is going on; registry lock.
 */
struct core_client_use {
	struct list_head link;
	struct ib_device *device;
	struct ib_client *client;
	void *data;
	enum core_client_state state;
};

/* The lock of the registry: names, states, clients. Held for a few instructions only. */
extern struct mutex core_registry;

static inline void core_registry_lock(void) ACQUIRE(core_registry)
{
	mutex_lock(&core_registry);
}

static inline void core_registry_unlock(void) RELEASE(core_registry)
{
	mutex_unlock(&core_registry);
}

/** core_device_next() - The first named device with a number above @number, held; or NULL. */
struct ib_device *core_device_next(uint64_t number);

/** core_clients_forked() - Forget all clients, in the child of a fork (device_client.c). */
void core_clients_forked(void);

/** core_device_state() - The state, under the registry lock. */
enum core_device_state core_device_state(const struct ib_device *device);

/* Keep the memory of a device (dev.kref); the last drop frees it. Its owner has one hold. */
void core_device_hold(struct ib_device *device);
void core_device_drop(struct ib_device *device);

/** core_this_thread() - A value that differs between the threads that run now. */
const void *core_this_thread(void);

/**
 * core_clients_add() - Show a device to all clients, in the order of their registration.
 * @device: In state REGISTERED.
 *
 * Return: 0 or -ENOMEM; what a client's add() returns does not matter.
 */
int core_clients_add(struct ib_device *device);

/** core_clients_remove() - Take a device from all its clients, in reverse order. */
void core_clients_remove(struct ib_device *device);

/** core_events_init() - Set up the event part of a new device. */
void core_events_init(struct ib_device *device);

/** core_events_close() - Hand out what is queued, take no more. No handler runs afterwards. */
void core_events_close(struct ib_device *device);

/** core_events_forget() - The device goes: handlers that were never taken back are let go. */
void core_events_forget(struct ib_device *device);

/** core_event_queue() - ib_dispatch_event() without a look at the cache first. */
void core_event_queue(const struct ib_event *event);

/** core_event_run_handlers() - Hand out one event, from the dispatching work only. */
void core_event_run_handlers(struct ib_event *event);

/**
 * core_cache_update() - Bring the P_Key table, the GIDs of an IB port, LMC, state and subnet prefix
 * of the cache up to date with the provider.
 * @device: The device.
 * @port: A valid port.
 * @changed: Called for each GID entry that has changed; or NULL.
 *
 * Return: 0 or the provider's errno, and -ENOMEM; the cache is then as it was, GIDs perhaps not.
 */
int core_cache_update(struct ib_device *device, u32 port, void (*changed)(struct ib_event *event));

/* Fill, empty and free the caches of all ports. */
int ib_cache_setup_one(struct ib_device *device);
void ib_cache_cleanup_one(struct ib_device *device);
void ib_cache_release_one(struct ib_device *device);

/** core_post_refuse() - Replace the posting ops of a removed device by ones that refuse. */
void core_post_refuse(struct ib_device *device);

/** core_netdevs_release() - Let go of the interfaces of ib_device_set_netdev(). */
void core_netdevs_release(struct ib_device *device);

/** core_hw_stats_setup() - Ask the provider for its counter sets. 0 or -ENOMEM. */
int core_hw_stats_setup(struct ib_device *device);

/** core_hw_stats_release() - Free them. */
void core_hw_stats_release(struct ib_device *device);

#endif
