// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Faults on the wire inside a process. A packet meets them once where it is sent, and at its
 * destination those that are the receiver's alone.
 */
#include <errno.h>

#include "wire/loop_priv.h"

static void arrive(void *ctx, uint32_t from_slot, uint32_t to_slot, const struct tp_run *packet,
		   bool starved)
{
	struct wire_loop *loop = ctx;
	struct loop_port *to = __atomic_load_n(&loop->ports[to_slot], __ATOMIC_ACQUIRE);

	(void)from_slot;
	if (!to)
		return;
	if (starved)
		tp_receive_starved(to->tp, packet);
	else
		tp_receive(to->tp, packet);
}

static bool arrive_late(void *ctx, uint32_t from_slot, uint32_t to_slot,
			const struct tp_run *packet, bool starved)
{
	struct wire_loop *loop = ctx;

	/* A link that went down, or a partition, meanwhile takes what is under way with it. */
	if (fabric_can_reach(loop->fabric, from_slot, to_slot)) {
		tp_batch_begin();
		arrive(loop, from_slot, to_slot, packet, starved);
		tp_batch_end();
	}
	loop_kick(loop);
	return true;
}

static void meet(struct loop_port *from, uint32_t to_slot, const struct tp_run *packet,
		 const void *sender, uint64_t late_ns)
{
	struct wire_loop *loop = from->loop;
	const struct impair_link link = {.impair = __atomic_load_n(&loop->impair, __ATOMIC_ACQUIRE),
					 .from = from->slot,
					 .to = to_slot,
					 .last_arrival_ns = &from->last_arrival_ns,
					 .stats = &from->faults};
	struct fabric_fate fate = {.delay_ns = late_ns};
	struct fault_packet described;

	impair_describe(packet, FAULT_TX, from->slot, tp_sender_qpn(sender), &described);
	fabric_faults_decide(loop->faults, &described, &fate);
	if (!fate.drop) {
		impair_describe(packet, FAULT_RX, to_slot, packet->dest_qpn, &described);
		described.met = true;
		fabric_faults_decide(loop->faults, &described, &fate);
	}
	if (loop->tap.packet)
		loop->tap.packet(loop->tap.ctx, from->slot, to_slot, packet, &fate);
	impair_packet(&link, packet, &fate);
}

void loop_meet_faults(struct loop_port *from, uint32_t to_slot, const struct tp_run *run,
		      const void *sender, uint64_t late_ns)
{
	struct tp_run packet;

	if (run->packets == 1)
		meet(from, to_slot, run, sender, late_ns);
	else
		for (uint32_t i = 0; i < run->packets; i++) {
			tp_run_packet(run, i, &packet);
			meet(from, to_slot, &packet, sender, late_ns);
		}
}

int wire_loop_prepare_faults(struct wire_loop *loop, uint32_t packets)
{
	const struct impair_ops ops = {.arrive = arrive, .arrive_late = arrive_late};
	struct impair *impair;

	if (__atomic_load_n(&loop->impair, __ATOMIC_ACQUIRE))
		return 0;
	impair = impair_new(&ops, loop, packets);
	if (!impair)
		return -ENOMEM;
	spin_lock(&loop->lock);
	if (!loop->impair) {
		__atomic_store_n(&loop->impair, impair, __ATOMIC_RELEASE);
		impair = NULL;
	}
	spin_unlock(&loop->lock);
	impair_free(impair);
	return 0;
}
