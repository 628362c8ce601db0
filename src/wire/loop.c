// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Runs between ports of one process.
 *
 * send() puts a run in the ring of its port; kick() hands over what is in the rings, by
 * tp_receive() of the destinations, whose answers land in other rings and are handed over by the
 * same outermost kick(). So no lock is held and nothing recurses, however long the conversation.
 */
#include "wire/loop.h"

#include <errno.h>
#include <linux/rcupdate.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/check.h"
#include "packet/opcode.h"
#include "wire/capture.h"
#include "wire/loop_priv.h"

/* One thread empties rings at one depth only. */
static _Thread_local bool kicking;

static struct loop_port *port_of(const struct tp_port *port)
{
	return port->wire;
}

/* The port in a slot, as who attached it has published it; NULL if there is none. */
static struct loop_port *port_at(struct wire_loop *loop, uint32_t slot)
{
	return __atomic_load_n(&loop->ports[slot], __ATOMIC_ACQUIRE);
}

static size_t max_bytes(const struct tp_port *port)
{
	(void)port;
	return TP_MAX_PACKET_BYTES;
}

static void make_pending(struct loop_port *p)
{
	struct wire_loop *loop = p->loop;

	spin_lock(&loop->lock);
	list_add_tail(&p->link, &loop->pending);
	__atomic_store_n(&loop->pending_ports, loop->pending_ports + 1, __ATOMIC_RELAXED);
	spin_unlock(&loop->lock);
}

static int loop_send(struct tp_port *port, const struct tp_run *run, void *sender)
{
	struct loop_port *p = port_of(port);
	struct loop_entry *entry;
	bool was_busy;

	spin_lock(&p->lock);
	if (unlikely(p->detached)) {
		spin_unlock(&p->lock);
		return -ENETDOWN;
	}
	if (unlikely(p->head - __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE) == LOOP_RING)) {
		p->refused = true;
		spin_unlock(&p->lock);
		return -EAGAIN;
	}
	entry = &p->ring[p->head % LOOP_RING];
	entry->run = *run;
	entry->sender = sender;
	__atomic_store_n(&p->head, p->head + 1, __ATOMIC_RELEASE);
	was_busy = p->busy;
	p->busy = true;
	spin_unlock(&p->lock);
	if (!was_busy)
		make_pending(p);
	return (int)run->packets;
}

uint64_t loop_run_bytes(const struct tp_run *run)
{
	const uint32_t link = LOOP_LINK_BYTES + (run->path.has_grh ? PKT_GRH_BYTES : 0);
	uint64_t bytes = (uint64_t)run->packets * link + ((run->payload.bytes + 3ull) & ~3ull);

	bytes += pkt_header_bytes(run->first_opcode);
	if (run->packets > 1)
		bytes += pkt_header_bytes(run->last_opcode);
	if (run->packets > 2)
		bytes += (uint64_t)(run->packets - 2) * PKT_BTH_BYTES;
	return bytes;
}

static void count(struct wire_stats *stats, const struct tp_run *run)
{
	wire_count(&stats->packets, run->packets);
	wire_count(&stats->bytes, loop_run_bytes(run));
}

void loop_hand_over(struct loop_port *from, uint32_t to_slot, const struct loop_entry *entry)
{
	struct wire_loop *loop = from->loop;
	struct loop_port *to = port_at(loop, to_slot);

	if (fabric_faults_active(loop->faults))
		loop_meet_faults(from, to_slot, &entry->run, entry->sender, 0);
	else if (to)
		tp_receive(to->tp, &entry->run);
}

/* A switch sends a multicast packet to every port but the one it came by [rcp 12]. */
static void hand_to_all(struct loop_port *from, const struct loop_entry *entry)
{
	struct wire_loop *loop = from->loop;

	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		if (slot != from->slot && port_at(loop, slot) &&
		    fabric_can_reach(loop->fabric, from->slot, slot))
			loop_hand_over(from, slot, entry);
}

void loop_capture(struct wire_loop *loop, const struct tp_run *run)
{
	struct wire_capture *capture;

	if (likely(!__atomic_load_n(&loop->capture, __ATOMIC_RELAXED)))
		return;
	rcu_read_lock();
	capture = rcu_dereference(loop->capture);
	if (capture)
		wire_capture_run(capture, run);
	rcu_read_unlock();
}

static void hand_to_one(struct loop_port *from, const struct loop_entry *entry)
{
	const struct tp_run *run = &entry->run;
	const int to_slot = fabric_route(from->loop->fabric, from->slot, run->path.dlid);

	if (likely(to_slot >= 0))
		loop_hand_over(from, (uint32_t)to_slot, entry);
	else
		wire_count(&from->stats.dropped, run->packets);
}

static void deliver(struct loop_port *from, struct loop_entry *entry)
{
	const struct tp_run *run = &entry->run;

	count(&from->stats, run);
	loop_capture(from->loop, run);
	if (unlikely(from->loop->subnet))
		loop_subnet_deliver(from, entry);
	else if (run->path.dlid >= FABRIC_UNICAST_LIDS)
		hand_to_all(from, entry);
	else
		hand_to_one(from, entry);
	tp_sent(from->tp, entry->sender, run->packets);
}

/* Returns whether the port is idle now: whoever sends next makes it pending again, or frees it. */
static bool give_back(struct loop_port *p)
{
	bool empty, refused;

	spin_lock(&p->lock);
	empty = p->head == p->tail;
	refused = p->refused;
	p->refused = false;
	if (likely(empty && !refused)) {
		/* The same few entries over and over stay in the cache. */
		__atomic_store_n(&p->head, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&p->tail, 0, __ATOMIC_RELAXED);
		p->busy = false;
	}
	spin_unlock(&p->lock);
	if (unlikely(refused))
		tp_port_ready(p->tp);
	return empty && !refused;
}

/* Everything in the ring now, and what is added meanwhile. */
static void empty_ring(struct loop_port *p)
{
	do {
		while (p->tail != __atomic_load_n(&p->head, __ATOMIC_ACQUIRE)) {
			deliver(p, &p->ring[p->tail % LOOP_RING]);
			__atomic_store_n(&p->tail, p->tail + 1, __ATOMIC_RELEASE);
		}
	} while (!give_back(p));
}

/* A port that somebody else is just adding is that thread's to take. */
static struct loop_port *take_pending(struct wire_loop *loop)
{
	struct loop_port *p;

	if (!__atomic_load_n(&loop->pending_ports, __ATOMIC_RELAXED))
		return NULL;
	spin_lock(&loop->lock);
	p = list_first_entry_or_null(&loop->pending, struct loop_port, link);
	if (likely(p)) {
		list_del_init(&p->link);
		__atomic_store_n(&loop->pending_ports, loop->pending_ports - 1, __ATOMIC_RELAXED);
	}
	spin_unlock(&loop->lock);
	return p;
}

void loop_kick(struct wire_loop *loop)
{
	struct loop_port *p;

	if (kicking)
		return;
	kicking = true;
	do {
		while ((p = take_pending(loop)) != NULL) {
			tp_batch_begin();
			empty_ring(p);
			if (unlikely(__atomic_load_n(&loop->quiescers, __ATOMIC_SEQ_CST)))
				base_wake();
			tp_batch_end();
		}
	} while (unlikely(loop->subnet) && loop_subnet_take_mads(loop));
	kicking = false;
}

static void kick(struct tp_port *port)
{
	loop_kick(port_of(port)->loop);
}

struct quiesce {
	struct loop_port *port;
	const void *sender;
};

static bool holds_no_run(void *arg)
{
	const struct quiesce *q = arg;
	struct loop_port *p = q->port;
	bool none = true;

	spin_lock(&p->lock);
	/* Acquire: who delivers takes no lock, and is done with the sender before it moves on. */
	for (uint32_t i = __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE); none && i != p->head; i++)
		none = p->ring[i % LOOP_RING].sender != q->sender;
	spin_unlock(&p->lock);
	return none;
}

static void quiesce(struct tp_port *port, void *sender)
{
	struct quiesce q = {port_of(port), sender};

	if (holds_no_run(&q))
		return;
	loop_kick(q.port->loop);
	__atomic_fetch_add(&q.port->loop->quiescers, 1, __ATOMIC_SEQ_CST);
	base_wait_until(holds_no_run, &q, BASE_FOREVER_NS);
	__atomic_fetch_sub(&q.port->loop->quiescers, 1, __ATOMIC_SEQ_CST);
}

static void put(struct wire_loop *loop)
{
	if (atomic_dec_and_test(&loop->users))
		base_free(loop);
}

/* Nobody sends by the port any more. Until now somebody could, who had begun before it was detached. */
static void release(struct tp_port *port)
{
	struct loop_port *p = port_of(port);

	INVARIANT(p->detached);
	put(p->loop);
	base_free(p->ways);
	base_free(p);
	port->wire = NULL;
}

static void bad_key(struct tp_port *port, const struct tp_run *run, bool qkey)
{
	if (port_of(port)->loop->subnet)
		loop_subnet_bad_key(port_of(port), run, qkey);
}

static const struct tp_port_ops loop_ops = {
	.max_bytes = max_bytes,
	.send = loop_send,
	.kick = kick,
	.quiesce = quiesce,
	.release = release,
	.bad_key = bad_key,
	.copies = false,
};

struct wire_loop *wire_loop_new(struct fabric *fabric, struct fabric_faults *faults)
{
	struct wire_loop *loop = base_zalloc(sizeof(*loop));

	if (!loop) {
		(void)base_refuse(-ENOMEM, NO_MEMORY, sizeof(*loop));
		return NULL;
	}
	loop->fabric = fabric;
	loop->faults = faults;
	atomic_set(&loop->users, 1);
	spin_lock_init(&loop->lock);
	mutex_init(&loop->detach_lock);
	INIT_LIST_HEAD(&loop->pending);
	return loop;
}

void wire_loop_free(struct wire_loop *loop)
{
	if (!loop)
		return;
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++)
		INVARIANT(!loop->ports[slot]);
	impair_free(loop->impair);
	INVARIANT(!loop->capture);
	loop_subnet_free(loop->subnet);
	loop->subnet = NULL;
	put(loop);
}

int wire_loop_attach(struct wire_loop *loop, uint32_t slot, struct tp_port *port)
{
	struct loop_port *p = base_zalloc(sizeof(*p));

	if (p && loop->subnet)
		p->ways = loop_ways_new();
	if (!p || (loop->subnet && !p->ways)) {
		base_free(p);
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*p));
	}
	INVARIANT(slot < FABRIC_PORTS && !loop->ports[slot]);
	p->loop = loop;
	p->tp = port;
	p->slot = slot;
	spin_lock_init(&p->lock);
	INIT_LIST_HEAD(&p->link);
	port->ops = &loop_ops;
	port->wire = p;
	atomic_inc(&loop->users);
	__atomic_store_n(&loop->ports[slot], p, __ATOMIC_RELEASE);
	return 0;
}

static void add_stats(struct wire_stats *sum, const struct loop_port *p)
{
	sum->packets += READ_ONCE(p->stats.packets);
	sum->bytes += READ_ONCE(p->stats.bytes);
	sum->dropped += READ_ONCE(p->stats.dropped) + READ_ONCE(p->faults.dropped);
	sum->duplicated += READ_ONCE(p->faults.duplicated);
	sum->reordered += READ_ONCE(p->faults.reordered);
	sum->corrupted += READ_ONCE(p->faults.corrupted);
	sum->rejected += READ_ONCE(p->faults.rejected);
}

static bool is_idle(void *arg)
{
	struct loop_port *p = arg;
	bool idle;

	loop_kick(p->loop);
	spin_lock(&p->lock);
	idle = !p->busy;
	spin_unlock(&p->lock);
	return idle;
}

struct until_taken {
	struct wire_loop *loop;
	uint32_t arrived;
};

static bool has_taken(void *arg)
{
	const struct until_taken *until = arg;

	loop_kick(until->loop);
	return loop_subnet_has_taken(until->loop->subnet, until->arrived);
}

/* Those that have arrived until now: there may be others at any moment. */
static void wait_until_mads_are_taken(struct wire_loop *loop)
{
	struct until_taken until = {loop, loop_subnet_arrived(loop->subnet)};

	base_wait_until(has_taken, &until, BASE_FOREVER_NS);
}

/* Each port once, for others may never all be idle at the same moment. */
static void wait_until_all_were_idle(struct wire_loop *loop)
{
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++) {
		struct loop_port *p = port_at(loop, slot);

		if (p)
			base_wait_until(is_idle, p, BASE_FOREVER_NS);
	}
	if (loop->subnet)
		wait_until_mads_are_taken(loop);
}

/*
 * What looks up a port does so while it empties the ring of another: when all have been idle, nobody
 * has one in hand that has left the table. Of a subnet MADs come in any thread, which then looks it up
 * under RCU.
 */
void wire_loop_detach(struct wire_loop *loop, uint32_t slot)
{
	struct loop_port *p = port_at(loop, slot);

	INVARIANT(p);
	mutex_lock(&loop->detach_lock);
	__atomic_fetch_add(&loop->quiescers, 1, __ATOMIC_SEQ_CST);
	spin_lock(&p->lock);
	p->detached = true;
	spin_unlock(&p->lock);
	base_wait_until(is_idle, p, BASE_FOREVER_NS);
	__atomic_store_n(&loop->ports[slot], NULL, __ATOMIC_RELEASE);
	if (loop->subnet)
		synchronize_rcu();
	wait_until_all_were_idle(loop);
	__atomic_fetch_sub(&loop->quiescers, 1, __ATOMIC_SEQ_CST);
	mutex_unlock(&loop->detach_lock);
	impair_forget(__atomic_load_n(&loop->impair, __ATOMIC_ACQUIRE), slot);
	spin_lock(&loop->lock);
	add_stats(&loop->gone, p);
	spin_unlock(&loop->lock);
}

struct wire_capture *wire_loop_set_capture(struct wire_loop *loop, struct wire_capture *capture)
{
	struct wire_capture *before =
		__atomic_exchange_n(&loop->capture, capture, __ATOMIC_ACQ_REL);

	if (before)
		synchronize_rcu();
	return before;
}

void wire_loop_set_tap(struct wire_loop *loop, const struct wire_tap *tap)
{
	loop->tap = tap ? *tap : (struct wire_tap){.packet = NULL};
}

void wire_loop_stats(struct wire_loop *loop, struct wire_stats *stats)
{
	spin_lock(&loop->lock);
	*stats = loop->gone;
	for (uint32_t slot = 0; slot < FABRIC_PORTS; slot++) {
		const struct loop_port *p = port_at(loop, slot);

		if (p)
			add_stats(stats, p);
	}
	spin_unlock(&loop->lock);
}
