// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Packets that meet faults, whatever the wire. */
#include "wire/impair.h"

#include <errno.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/check.h"
#include "base/host.h"
#include "base/umem.h"
#include "packet/opcode.h"
#include "transport/tp_engine.h"

#define ASK_AGAIN_NS 5000u

struct late_packet {
	struct base_timer timer;
	struct impair *impair;
	struct late_packet *next_free;
	uint32_t from, to;
	bool under_way;
	bool starved;
	struct tp_run run;
	struct iovec iov;
	uint8_t payload[TP_MAX_MTU_BYTES];
};

struct impair {
	struct impair_ops ops;
	void *ctx;
	spinlock_t lock;
	struct late_packet *free; /* &impair.lock */
	uint32_t count;
	struct late_packet packets[];
};

static void count(uint64_t *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static struct late_packet *take(const struct impair_link *link)
{
	struct impair *impair = link->impair;
	struct late_packet *packet;

	spin_lock(&impair->lock);
	packet = impair->free;
	if (packet) {
		impair->free = packet->next_free;
		packet->from = link->from;
		packet->to = link->to;
		packet->under_way = true;
	}
	spin_unlock(&impair->lock);
	return packet;
}

static void give(struct late_packet *packet)
{
	struct impair *impair = packet->impair;

	spin_lock(&impair->lock);
	packet->under_way = false;
	packet->next_free = impair->free;
	impair->free = packet;
	spin_unlock(&impair->lock);
}

static void late_arrives(struct base_timer *timer)
{
	struct late_packet *late = container_of(timer, struct late_packet, timer);
	const struct impair *impair = late->impair;

	if (impair->ops.arrive_late(impair->ctx, late->from, late->to, &late->run, late->starved))
		give(late);
	else
		base_timer_arm(&late->timer, ASK_AGAIN_NS);
}

/* The payload here, in memory that stays. False if it is too long for a packet, or not mapped. */
static bool copy_payload(const struct tp_payload *from, uint8_t *bytes, struct iovec *iov,
			 struct tp_payload *to)
{
	*iov = (struct iovec){.iov_base = bytes, .iov_len = from->bytes};
	*to = (struct tp_payload){.iov = iov, .count = 1, .bytes = from->bytes};
	if (from->bytes > TP_MAX_MTU_BYTES)
		return false;
	if (from->source)
		return !from->source->copy(from->source, iov, 1, from->iov, from->count,
					   from->offset, from->bytes);
	return !base_umem_copy_iov(iov, 1, 0, from->iov, from->count, from->offset, from->bytes);
}

static void send_later(const struct impair_link *link, const struct tp_run *packet,
		       uint64_t delay_ns, bool starved)
{
	struct late_packet *late = take(link);

	if (!late) {
		count(&link->stats->dropped);
		return;
	}
	late->run = *packet;
	late->starved = starved;
	if (copy_payload(&packet->payload, late->payload, &late->iov, &late->run.payload)) {
		base_timer_arm(&late->timer, delay_ns);
		return;
	}
	count(&link->stats->dropped);
	give(late);
}

/* Jitter alone overtakes nobody: what is not to be reordered arrives after all that was sent before. */
static uint64_t in_order(const struct impair_link *link, uint64_t delay_ns)
{
	const uint64_t now_ns = base_now_ns();
	const uint64_t due_ns = now_ns + delay_ns;

	if (due_ns > *link->last_arrival_ns)
		*link->last_arrival_ns = due_ns;
	return *link->last_arrival_ns - now_ns;
}

static void pass_on(const struct impair_link *link, const struct tp_run *packet, uint64_t delay_ns,
		    bool starved)
{
	const struct impair *impair = link->impair;

	if (delay_ns)
		send_later(link, packet, delay_ns, starved);
	else
		impair->ops.arrive(impair->ctx, link->from, link->to, packet, starved);
}

static void meet_delays(const struct impair_link *link, const struct tp_run *packet,
			const struct fabric_fate *fate)
{
	if (fate->duplicate)
		pass_on(link, packet, fate->duplicate_delay_ns, fate->starve);
	if (!fate->corrupt)
		pass_on(link, packet,
			fate->reordered ? fate->delay_ns : in_order(link, fate->delay_ns),
			fate->starve);
}

static void flip(uint8_t *bytes, uint32_t bit)
{
	bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
}

/* A double was made before the damage. What is damaged has no CRC that fits: it ends here. */
static void meet_damage(const struct impair_link *link, const struct tp_run *packet,
			const struct fabric_fate *fate)
{
	uint8_t payload[TP_MAX_MTU_BYTES], wire[TP_MAX_PACKET_BYTES];
	struct tp_run here = *packet, decoded;
	struct iovec iov, here_iov;
	int bytes = -EFAULT;

	if (copy_payload(&packet->payload, payload, &here_iov, &here.payload))
		bytes = tp_run_encode(&here, wire, sizeof(wire));
	if (bytes < 0 || tp_run_decode(wire, (size_t)bytes, &decoded, &iov)) {
		count(&link->stats->dropped);
		return;
	}
	decoded.why = packet->why;
	meet_delays(link, &decoded, fate);
	if (!fate->corrupt)
		return;
	flip(wire, fate->corrupt_bit % ((uint32_t)bytes * 8));
	count(&link->stats->corrupted);
	if (tp_run_decode(wire, (size_t)bytes, &decoded, &iov))
		count(&link->stats->rejected);
	else
		pass_on(link, &decoded, fate->delay_ns, fate->starve);
}

void impair_packet(const struct impair_link *link, const struct tp_run *packet,
		   const struct fabric_fate *fate)
{
	if (fate->drop) {
		count(&link->stats->dropped);
		return;
	}
	if (fate->duplicate)
		count(&link->stats->duplicated);
	if (fate->reordered)
		count(&link->stats->reordered);
	if (fate->may_corrupt)
		meet_damage(link, packet, fate);
	else
		meet_delays(link, packet, fate);
}

/* clang-format off */
static uint16_t kind_of(const struct pkt_opcode *op)
{
	switch (op->kind) {
	case PKT_KIND_SEND:         return FAULT_SEND;
	case PKT_KIND_WRITE:
	case PKT_KIND_ATOMIC_WRITE: return FAULT_WRITE;
	case PKT_KIND_READ_REQ:     return FAULT_READ;
	case PKT_KIND_COMPARE_SWAP:
	case PKT_KIND_FETCH_ADD:    return FAULT_ATOMIC;
	case PKT_KIND_READ_RESP:
	case PKT_KIND_ATOMIC_ACK:   return FAULT_RESPONSE;
	case PKT_KIND_ACK:          return FAULT_ACK;
	case PKT_KIND_RESERVED:
	case PKT_KIND_FLUSH:
	case PKT_KIND_RESYNC:
	case PKT_KIND_CNP:          return FAULT_OTHER;
	}
	return FAULT_OTHER;
}

static uint8_t service_of(const struct pkt_opcode *op)
{
	switch (op->service) {
	case PKT_SERVICE_UC:        return FAULT_UC;
	case PKT_SERVICE_UD:        return FAULT_UD;
	case PKT_SERVICE_RC:
	case PKT_SERVICE_RD:
	case PKT_SERVICE_CNP:
	case PKT_SERVICE_XRC:       return FAULT_RC;
	}
	return FAULT_RC;
}
/* clang-format on */

void impair_describe(const struct tp_run *packet, uint8_t direction, uint32_t slot, uint32_t qpn,
		     struct fault_packet *described)
{
	const struct pkt_opcode *op = pkt_op(packet->first_opcode);

	*described = (struct fault_packet){
		.slot = slot,
		.qpn = qpn,
		.psn = packet->psn.v,
		.dlid = packet->path.dlid,
		.direction = direction,
		.service = service_of(op),
		.kind = kind_of(op),
		.response = op->side == PKT_RESPONSE,
		.begins = op->pos == PKT_FIRST || op->pos == PKT_ONLY,
	};
}

struct impair *impair_new(const struct impair_ops *ops, void *ctx, uint32_t packets)
{
	const size_t bytes = sizeof(struct impair) + packets * sizeof(struct late_packet);
	struct impair *impair = base_zalloc(bytes);

	if (!impair) {
		(void)base_refuse(-ENOMEM, NO_MEMORY, bytes);
		return NULL;
	}
	impair->ops = *ops;
	impair->ctx = ctx;
	spin_lock_init(&impair->lock);
	impair->count = packets;
	for (uint32_t i = packets; i-- > 0;) {
		struct late_packet *packet = &impair->packets[i];

		packet->impair = impair;
		base_timer_init(&packet->timer, late_arrives);
		packet->next_free = impair->free;
		impair->free = packet;
	}
	return impair;
}

static bool concerns(struct late_packet *packet, uint32_t slot)
{
	bool concerns;

	spin_lock(&packet->impair->lock);
	concerns = packet->under_way && (packet->to == slot || packet->from == slot);
	spin_unlock(&packet->impair->lock);
	return concerns;
}

/* A timer that is disarmed by us does not give its packet back, so we do. */
void impair_forget(struct impair *impair, uint32_t slot)
{
	if (!impair)
		return;
	for (uint32_t i = 0; i < impair->count; i++)
		if (concerns(&impair->packets[i], slot) &&
		    base_timer_disarm_sync(&impair->packets[i].timer))
			give(&impair->packets[i]);
}

void impair_free(struct impair *impair)
{
	if (!impair)
		return;
	for (uint32_t i = 0; i < impair->count; i++)
		base_timer_disarm_sync(&impair->packets[i].timer);
	base_free(impair);
}
