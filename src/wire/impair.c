// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Packets that meet faults: a run becomes bytes, each packet meets its fate, and what arrives is
 * decoded again. Late packets wait in a pool that was made when faults were set, so that nothing is
 * allocated here; a full pool drops, as a full switch does.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/host.h"
#include "packet/headers.h"
#include "transport/tp_engine.h"
#include "wire/loop_priv.h"

#define PACKET_BYTES (TP_MAX_MTU_BYTES + 160u)

struct late_packet {
	struct base_timer timer;
	struct wire_loop *loop;
	struct late_packet *next_free;
	uint32_t from_slot, to_slot;
	uint32_t bytes;
	bool under_way;
	uint8_t data[PACKET_BYTES];
};

struct impair_pool {
	struct late_packet *free; /* &wire_loop.lock */
	uint32_t count;
	struct late_packet packets[];
};

static struct late_packet *take(struct wire_loop *loop)
{
	struct late_packet *packet = NULL;

	spin_lock(&loop->lock);
	if (loop->pool && loop->pool->free) {
		packet = loop->pool->free;
		loop->pool->free = packet->next_free;
		packet->under_way = true;
	}
	spin_unlock(&loop->lock);
	return packet;
}

static void give(struct late_packet *packet)
{
	struct wire_loop *loop = packet->loop;

	spin_lock(&loop->lock);
	packet->under_way = false;
	packet->next_free = loop->pool->free;
	loop->pool->free = packet;
	spin_unlock(&loop->lock);
}

/* The counters of the port that sent it, if it is still there. */
static void reject(struct wire_loop *loop, uint32_t from_slot)
{
	struct loop_port *from = __atomic_load_n(&loop->ports[from_slot], __ATOMIC_ACQUIRE);

	__atomic_fetch_add(from ? &from->stats.rejected : &loop->gone.rejected, 1,
			   __ATOMIC_RELAXED);
}

static void arrive(struct wire_loop *loop, uint32_t from_slot, uint32_t to_slot,
		   const uint8_t *data, uint32_t bytes)
{
	struct loop_port *to = __atomic_load_n(&loop->ports[to_slot], __ATOMIC_ACQUIRE);
	struct tp_run run;
	struct iovec iov;

	if (!to)
		return;
	if (tp_run_decode(data, bytes, &run, &iov))
		reject(loop, from_slot);
	else
		tp_receive(to->tp, &run);
}

static void late_arrives(struct base_timer *timer)
{
	struct late_packet *packet = container_of(timer, struct late_packet, timer);
	struct wire_loop *loop = packet->loop;

	/* A link that went down, or a partition, meanwhile takes what is under way with it. */
	if (fabric_can_reach(loop->fabric, packet->from_slot, packet->to_slot)) {
		tp_batch_begin();
		arrive(loop, packet->from_slot, packet->to_slot, packet->data, packet->bytes);
		tp_batch_end();
	}
	give(packet);
	loop_kick(loop);
}

static void send_later(struct loop_port *from, uint32_t to_slot, const uint8_t *data,
		       uint32_t bytes, uint64_t delay_ns)
{
	struct late_packet *packet = take(from->loop);

	if (!packet) {
		from->stats.dropped++;
		return;
	}
	packet->from_slot = from->slot;
	packet->to_slot = to_slot;
	packet->bytes = bytes;
	memcpy(packet->data, data, bytes);
	base_timer_arm(&packet->timer, delay_ns);
}

/* Jitter alone overtakes nobody: what is not to be reordered arrives after all that was sent before. */
static uint64_t in_order(struct loop_port *from, uint64_t delay_ns)
{
	const uint64_t now_ns = base_host_now_ns();
	const uint64_t due_ns = now_ns + delay_ns;

	if (due_ns > from->last_arrival_ns)
		from->last_arrival_ns = due_ns;
	return from->last_arrival_ns - now_ns;
}

static void pass_on(struct loop_port *from, uint32_t to_slot, const uint8_t *data, uint32_t bytes,
		    uint64_t delay_ns)
{
	if (delay_ns)
		send_later(from, to_slot, data, bytes, delay_ns);
	else
		arrive(from->loop, from->slot, to_slot, data, bytes);
}

static void meet_fate(struct loop_port *from, uint32_t to_slot, uint8_t *data, uint32_t bytes)
{
	const struct fabric_fate fate = fabric_faults_decide(&from->loop->fabric->faults);
	struct wire_stats *stats = &from->stats;
	const struct wire_tap *tap = &from->loop->tap;

	if (tap->packet)
		tap->packet(tap->ctx, from->slot, to_slot, data, bytes, &fate);
	if (fate.drop) {
		stats->dropped++;
		return;
	}
	if (fate.duplicate) {
		stats->duplicated++;
		pass_on(from, to_slot, data, bytes, fate.duplicate_delay_ns);
	}
	if (fate.corrupt) {
		const uint32_t bit = fate.corrupt_bit % (bytes * 8);

		stats->corrupted++;
		data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
	}
	stats->reordered += fate.reordered;
	pass_on(from, to_slot, data, bytes,
		fate.reordered ? fate.delay_ns : in_order(from, fate.delay_ns));
}

void impair_run(struct loop_port *from, uint32_t to_slot, const struct tp_run *run)
{
	uint8_t data[PACKET_BYTES];
	struct tp_run packet;

	for (uint32_t i = 0; i < run->packets; i++) {
		int bytes;

		tp_run_packet(run, i, &packet);
		bytes = tp_run_encode(&packet, data, sizeof(data));
		if (bytes > 0)
			meet_fate(from, to_slot, data, (uint32_t)bytes);
		else
			from->stats.dropped++;
	}
}

int wire_loop_prepare_faults(struct wire_loop *loop, uint32_t packets)
{
	struct impair_pool *pool;

	if (loop->pool)
		return 0;
	pool = base_zalloc(sizeof(*pool) + packets * sizeof(pool->packets[0]));
	if (!pool)
		return -ENOMEM;
	pool->count = packets;
	for (uint32_t i = packets; i-- > 0;) {
		struct late_packet *packet = &pool->packets[i];

		packet->loop = loop;
		base_timer_init(&packet->timer, late_arrives);
		packet->next_free = pool->free;
		pool->free = packet;
	}
	spin_lock(&loop->lock);
	if (!loop->pool) {
		loop->pool = pool;
		pool = NULL;
	}
	spin_unlock(&loop->lock);
	base_free(pool);
	return 0;
}

/* A timer that is disarmed by us does not give its packet back, so we do. */
static void forget(struct late_packet *packet)
{
	if (base_timer_disarm_sync(&packet->timer))
		give(packet);
}

void impair_pool_forget(struct impair_pool *pool, uint32_t slot)
{
	if (!pool)
		return;
	for (uint32_t i = 0; i < pool->count; i++)
		if (__atomic_load_n(&pool->packets[i].under_way, __ATOMIC_RELAXED) &&
		    (pool->packets[i].to_slot == slot || pool->packets[i].from_slot == slot))
			forget(&pool->packets[i]);
}

void impair_pool_free(struct impair_pool *pool)
{
	if (!pool)
		return;
	for (uint32_t i = 0; i < pool->count; i++)
		base_timer_disarm_sync(&pool->packets[i].timer);
	base_free(pool);
}
