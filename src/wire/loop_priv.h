/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What loop.c (runs) and loop_faults.c (packets that meet faults) share. */
#ifndef WIRE_LOOP_PRIV_H
#define WIRE_LOOP_PRIV_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "packet/headers.h"
#include "transport/tp_engine.h"
#include "wire/impair.h"
#include "wire/loop.h"

/* LRH, ICRC and VCRC. */
#define LOOP_LINK_BYTES (PKT_LRH_BYTES + PKT_ICRC_BYTES + PKT_VCRC_BYTES)

/* Runs of one port that wait to be handed over; a power of two. */
#define LOOP_RING 256u

struct loop_subnet;
struct loop_way;

struct loop_entry {
	struct tp_run run;
	void *sender;
};

/**
 * struct loop_port - A port of the wire.
 * @loop: Its wire.
 * @tp: The transport's side.
 * @slot: Where it is in the fabric.
 * @lock: Of those who send, and for the moment in which the port turns idle. Leaf.
 * @head: Next entry to fill. Written under @lock; whoever empties the ring reads it without.
 * @tail: Oldest entry; it stays in the ring while it is handed over. Written by whoever empties it.
 * @refused: A sender was turned away; tell it when there is room. @lock.
 * @detached: Takes no more runs. @lock.
 * @busy: The ring is not empty: the port is pending, or somebody empties it. @lock.
 * @ring: Runs that wait.
 * @link: In &wire_loop.pending.
 * @last_arrival_ns: When the latest packet that met no reordering arrives.
 * @ways: On a subnet: ways that are known. Of whoever empties the ring.
 * @stats: Written by whoever empties the ring, with wire_count().
 * @faults: Likewise.
 */
struct loop_port {
	struct wire_loop *loop;
	struct tp_port *tp;
	uint32_t slot;
	spinlock_t lock;
	uint32_t head, tail;
	bool refused;
	bool detached;
	bool busy;
	struct list_head link;
	uint64_t last_arrival_ns;
	struct loop_way *ways;
	struct wire_stats stats;
	struct impair_stats faults;
	struct loop_entry ring[LOOP_RING];
};

/**
 * struct wire_loop - The wire.
 * @fabric: Who is where.
 * @faults: What goes wrong.
 * @tap: Who watches.
 * @impair: What packets meet; NULL until faults are prepared. Atomic.
 * @lock: Leaf: @pending.
 * @pending: Ports whose ring is not empty and that nobody empties, oldest first.
 * @pending_ports: How many. Atomic, for looks without @lock.
 * @users: Who made it, and each port until it is released.
 * @detach_lock: Ports that leave do so one after the other.
 * @ports: By the fabric's slot. Written when nobody sends there.
 * @gone: Counters of ports that are detached.
 * @quiescers: Threads that wait for a ring. Atomic.
 * @subnet: Says the way; NULL: @fabric does.
 * @capture: Where packets are written; NULL: nowhere. RCU.
 */
struct wire_loop {
	struct fabric *fabric;
	struct fabric_faults *faults;
	atomic_t users;
	spinlock_t lock;
	struct mutex detach_lock;
	struct list_head pending;
	uint32_t pending_ports;
	struct loop_port *ports[FABRIC_PORTS];
	struct wire_stats gone;
	struct wire_tap tap;
	uint32_t quiescers;
	struct impair *impair;
	struct loop_subnet *subnet;
	struct wire_capture *capture;
};

/* One thread counts at a time; others may look. */
static inline void wire_count(uint64_t *counter, uint64_t more)
{
	__atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

/**
 * loop_meet_faults() - Hand a run over packet by packet, each with its fate.
 * @from: Where it was sent.
 * @to_slot: Where it goes.
 * @run: Run.
 * @sender: As given to &tp_port_ops.send.
 * @late_ns: How late all of them are; unless 0, faults must have been prepared.
 *
 * Context: As tp_receive().
 */
void loop_meet_faults(struct loop_port *from, uint32_t to_slot, const struct tp_run *run,
		      const void *sender, uint64_t late_ns);

/** loop_hand_over() - A run arrives, or meets faults. @from: Where it was sent. @to_slot: Where it goes. */
void loop_hand_over(struct loop_port *from, uint32_t to_slot, const struct loop_entry *entry);

/** loop_capture() - A run is on the wire: write it, if that is wanted. */
void loop_capture(struct wire_loop *loop, const struct tp_run *run);

/** loop_run_bytes() - Of all packets of a run, from LRH to VCRC. */
uint64_t loop_run_bytes(const struct tp_run *run);

/* loop_subnet.c */

/** loop_subnet_free() - @subnet: May be NULL. */
void loop_subnet_free(struct loop_subnet *subnet);

/** loop_ways_new() - No ways are known. Return: NULL without memory; to be given to base_free(). */
struct loop_way *loop_ways_new(void);

/** loop_subnet_deliver() - Send a run on its way through the subnet. */
void loop_subnet_deliver(struct loop_port *from, const struct loop_entry *entry);

/** loop_subnet_bad_key() - A port has refused a packet for its key. */
void loop_subnet_bad_key(struct loop_port *port, const struct tp_run *run, bool qkey);

/** loop_subnet_take_mads() - Hand over MADs that have arrived. Return: whether there were any. */
bool loop_subnet_take_mads(struct wire_loop *loop);

/** loop_subnet_arrived() - How many MADs have arrived so far; a number of 32 bits that wraps. */
uint32_t loop_subnet_arrived(struct loop_subnet *subnet);

/** loop_subnet_has_taken() - Whether so many, and all before, have been handed over. */
bool loop_subnet_has_taken(struct loop_subnet *subnet, uint32_t arrived);

/** loop_kick() - &tp_port_ops.kick for the whole wire. */
void loop_kick(struct wire_loop *loop);

#endif
