/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Between a transport and a wire: runs become packets, and each meets its fate. Late ones wait, with
 * a copy of their payload, in a pool, so that nothing is allocated here; a full pool drops, as a full
 * switch does. Where bits may flip packets are bytes, with their CRCs, and what is damaged is what
 * cannot be decoded again.
 */
#ifndef WIRE_IMPAIR_H
#define WIRE_IMPAIR_H

#include "fabric/faults.h"
#include "transport/tp.h"

struct impair;

/**
 * struct impair_stats - What became of packets.
 * @dropped: By a fault.
 * @duplicated: By a fault.
 * @reordered: By a fault.
 * @corrupted: By a fault.
 * @rejected: Arrived, but the bytes were no valid packet (this is what becomes of the corrupted).
 */
struct impair_stats {
	uint64_t dropped;
	uint64_t duplicated;
	uint64_t reordered;
	uint64_t corrupted;
	uint64_t rejected;
};

/**
 * struct impair_link - A way that packets take.
 * @impair: What befalls them.
 * @from: Handed on.
 * @to: Handed on.
 * @last_arrival_ns: When the latest packet that met no reordering arrives.
 * @stats: One thread at a time counts.
 */
struct impair_link {
	struct impair *impair;
	uint32_t from;
	uint32_t to;
	uint64_t *last_arrival_ns;
	struct impair_stats *stats;
};

/**
 * struct impair_ops - Where packets go.
 * @arrive: A packet goes on; ours during the call only. @starved: Its receiver shall find no receive.
 * @arrive_late: Likewise, of one that had to wait; no locks are held. Returns false if it cannot be
 *	now: it is asked again soon.
 */
struct impair_ops {
	void (*arrive)(void *ctx, uint32_t from, uint32_t to, const struct tp_run *packet,
		       bool starved);
	bool (*arrive_late)(void *ctx, uint32_t from, uint32_t to, const struct tp_run *packet,
			    bool starved);
};

/**
 * impair_new() - Have memory for packets that are under way.
 * @ops: Where they go.
 * @ctx: Handed to @ops.
 * @packets: At least so many at a time; what exceeds that is dropped.
 *
 * Return: NULL if there is no memory.
 */
struct impair *impair_new(const struct impair_ops *ops, void *ctx, uint32_t packets);

/** impair_free() - Drop all packets under way. @impair: May be NULL. */
void impair_free(struct impair *impair);

/** impair_forget() - Drop the packets under way from and to a slot. May sleep. @impair: May be NULL. */
void impair_forget(struct impair *impair, uint32_t slot);

/**
 * impair_describe() - What faults want to know of a packet.
 * @packet: A run of one packet.
 * @direction: FAULT_TX or FAULT_RX.
 * @slot: Port of ours.
 * @qpn: Queue pair of ours.
 * @described: Out.
 */
void impair_describe(const struct tp_run *packet, uint8_t direction, uint32_t slot, uint32_t qpn,
		     struct fault_packet *described);

/** impair_packet() - A packet meets its fate. @packet: A run of one packet. */
void impair_packet(const struct impair_link *link, const struct tp_run *packet,
		   const struct fabric_fate *fate);

#endif
