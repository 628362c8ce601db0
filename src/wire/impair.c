// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Packets that meet faults: each packet of a run meets its fate. Late ones wait, with a copy of their
 * payload, in a pool that was made when faults were set, so that nothing is allocated here; a full
 * pool drops, as a full switch does. Where bits may flip packets are bytes, with their CRCs, and what
 * is damaged is what cannot be decoded again.
 */
#include <errno.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/check.h"
#include "base/host.h"
#include "base/umem.h"
#include "wire/loop_priv.h"

struct late_packet {
	struct base_timer timer;
	struct wire_loop *loop;
	struct late_packet *next_free;
	uint32_t from_slot, to_slot;
	bool under_way;
	struct tp_run run;
	struct iovec iov;
	uint8_t payload[TP_MAX_MTU_BYTES];
};

struct impair_pool {
	struct late_packet *free; /* &wire_loop.lock */
	uint32_t count;
	struct late_packet packets[];
};

static struct late_packet *take(struct wire_loop *loop, uint32_t from_slot, uint32_t to_slot)
{
	struct late_packet *packet = NULL;

	spin_lock(&loop->lock);
	if (loop->pool && loop->pool->free) {
		packet = loop->pool->free;
		loop->pool->free = packet->next_free;
		packet->from_slot = from_slot;
		packet->to_slot = to_slot;
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

static void arrive(struct wire_loop *loop, uint32_t to_slot, const struct tp_run *packet)
{
	struct loop_port *to = __atomic_load_n(&loop->ports[to_slot], __ATOMIC_ACQUIRE);

	if (to)
		tp_receive(to->tp, packet);
}

static void late_arrives(struct base_timer *timer)
{
	struct late_packet *late = container_of(timer, struct late_packet, timer);
	struct wire_loop *loop = late->loop;

	/* A link that went down, or a partition, meanwhile takes what is under way with it. */
	if (fabric_can_reach(loop->fabric, late->from_slot, late->to_slot)) {
		tp_batch_begin();
		arrive(loop, late->to_slot, &late->run);
		tp_batch_end();
	}
	give(late);
	loop_kick(loop);
}

/* Returns false if the packet is larger than any MTU, or its payload is not mapped. */
static bool copy(struct late_packet *late, const struct tp_run *packet)
{
	const struct tp_payload *from = &packet->payload;

	late->run = *packet;
	late->iov = (struct iovec){.iov_base = late->payload, .iov_len = from->bytes};
	late->run.payload =
		(struct tp_payload){.iov = &late->iov, .count = 1, .bytes = from->bytes};
	return from->bytes <= sizeof(late->payload) &&
	       !base_umem_copy_iov(&late->iov, 1, 0, from->iov, from->count, from->offset,
				   from->bytes);
}

static void send_later(struct loop_port *from, uint32_t to_slot, const struct tp_run *packet,
		       uint64_t delay_ns)
{
	struct late_packet *late = take(from->loop, from->slot, to_slot);

	if (!late) {
		wire_count(&from->stats.dropped, 1);
		return;
	}
	if (!copy(late, packet)) {
		wire_count(&from->stats.dropped, 1);
		give(late);
		return;
	}
	base_timer_arm(&late->timer, delay_ns);
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

static void pass_on(struct loop_port *from, uint32_t to_slot, const struct tp_run *packet,
		    uint64_t delay_ns)
{
	if (delay_ns)
		send_later(from, to_slot, packet, delay_ns);
	else
		arrive(from->loop, to_slot, packet);
}

static void meet_delays(struct loop_port *from, uint32_t to_slot, const struct tp_run *packet,
			const struct fabric_fate *fate)
{
	if (fate->duplicate)
		pass_on(from, to_slot, packet, fate->duplicate_delay_ns);
	if (!fate->corrupt)
		pass_on(from, to_slot, packet,
			fate->reordered ? fate->delay_ns : in_order(from, fate->delay_ns));
}

static void flip(uint8_t *bytes, uint32_t bit)
{
	bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
}

/* A double was made before the damage. What is damaged has no CRC that fits: it ends here. */
static void meet_damage(struct loop_port *from, uint32_t to_slot, const struct tp_run *packet,
			const struct fabric_fate *fate)
{
	uint8_t wire[TP_MAX_PACKET_BYTES];
	const int bytes = tp_run_encode(packet, wire, sizeof(wire));
	struct tp_run decoded;
	struct iovec iov;

	if (bytes < 0 || tp_run_decode(wire, (size_t)bytes, &decoded, &iov)) {
		wire_count(&from->stats.dropped, 1);
		return;
	}
	decoded.why = packet->why;
	meet_delays(from, to_slot, &decoded, fate);
	if (!fate->corrupt)
		return;
	flip(wire, fate->corrupt_bit % ((uint32_t)bytes * 8));
	wire_count(&from->stats.corrupted, 1);
	if (tp_run_decode(wire, (size_t)bytes, &decoded, &iov))
		wire_count(&from->stats.rejected, 1);
	else
		pass_on(from, to_slot, &decoded, fate->delay_ns);
}

static void meet_fate(struct loop_port *from, uint32_t to_slot, const struct tp_run *packet)
{
	const struct fabric_fate fate = fabric_faults_decide(&from->loop->fabric->faults);
	struct wire_stats *stats = &from->stats;
	const struct wire_tap *tap = &from->loop->tap;

	if (tap->packet)
		tap->packet(tap->ctx, from->slot, to_slot, packet, &fate);
	if (fate.drop) {
		wire_count(&stats->dropped, 1);
		return;
	}
	wire_count(&stats->duplicated, fate.duplicate);
	wire_count(&stats->reordered, fate.reordered);
	if (fate.may_corrupt)
		meet_damage(from, to_slot, packet, &fate);
	else
		meet_delays(from, to_slot, packet, &fate);
}

void impair_run(struct loop_port *from, uint32_t to_slot, const struct tp_run *run)
{
	struct tp_run packet;

	if (run->packets == 1)
		meet_fate(from, to_slot, run);
	else
		for (uint32_t i = 0; i < run->packets; i++) {
			tp_run_packet(run, i, &packet);
			meet_fate(from, to_slot, &packet);
		}
}

int wire_loop_prepare_faults(struct wire_loop *loop, uint32_t packets)
{
	struct impair_pool *pool;
	size_t bytes;

	if (__atomic_load_n(&loop->pool, __ATOMIC_ACQUIRE))
		return 0;
	bytes = sizeof(*pool) + packets * sizeof(pool->packets[0]);
	pool = base_zalloc(bytes);
	if (!pool)
		return base_refuse(-ENOMEM, NO_MEMORY, bytes);
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
		__atomic_store_n(&loop->pool, pool, __ATOMIC_RELEASE);
		pool = NULL;
	}
	spin_unlock(&loop->lock);
	base_free(pool);
	return 0;
}

static bool concerns(struct late_packet *packet, uint32_t slot)
{
	bool concerns;

	spin_lock(&packet->loop->lock);
	concerns = packet->under_way && (packet->to_slot == slot || packet->from_slot == slot);
	spin_unlock(&packet->loop->lock);
	return concerns;
}

/* A timer that is disarmed by us does not give its packet back, so we do. */
void impair_pool_forget(struct impair_pool *pool, uint32_t slot)
{
	if (!pool)
		return;
	for (uint32_t i = 0; i < pool->count; i++)
		if (concerns(&pool->packets[i], slot) &&
		    base_timer_disarm_sync(&pool->packets[i].timer))
			give(&pool->packets[i]);
}

void impair_pool_free(struct impair_pool *pool)
{
	if (!pool)
		return;
	for (uint32_t i = 0; i < pool->count; i++)
		base_timer_disarm_sync(&pool->packets[i].timer);
	base_free(pool);
}
