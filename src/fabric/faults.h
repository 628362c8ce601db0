/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What befalls packets, queue pairs and verbs: a plan (fault_plan.h) as it is carried out.
 *
 * What happens to a packet depends on the seed and on the packet's place: which queue pair of this
 * process, whether it sends or receives, requests or responses, the how-many-eth PSN since the
 * connection began, and how often that PSN was seen. It does not depend on time, on numbers that
 * differ from run to run, or on what other queue pairs do. So the same program meets the same faults.
 */
#ifndef FABRIC_FAULTS_H
#define FABRIC_FAULTS_H

#include <linux/spinlock.h>
#include <linux/xarray.h>
#include <stdbool.h>
#include <stdint.h>

#include "fabric/fault_plan.h"

#define FABRIC_PPM FAULT_PPM
#define FAULT_PORTS 1024u

/**
 * struct fabric_fault_rates - How often, of a million packets, and how long.
 * @seed: Of all decisions.
 * @drop_ppm: Lost.
 * @duplicate_ppm: Delivered twice.
 * @reorder_ppm: Held back by up to @reorder_ns, so that later ones overtake.
 * @corrupt_ppm: A bit flipped.
 * @delay_ns: Every packet is late by this.
 * @jitter_ns: And by up to this more; that alone changes no order.
 * @reorder_ns: See @reorder_ppm; 0 means 20 us.
 */
struct fabric_fault_rates {
	uint64_t seed;
	uint32_t drop_ppm;
	uint32_t duplicate_ppm;
	uint32_t reorder_ppm;
	uint32_t corrupt_ppm;
	uint64_t delay_ns;
	uint64_t jitter_ns;
	uint64_t reorder_ns;
};

/**
 * struct fault_packet - What is to be known of a packet.
 * @slot: Port of ours that sends or receives it.
 * @qpn: Queue pair of ours.
 * @psn: 24 bits.
 * @dlid: Destination.
 * @direction: FAULT_TX or FAULT_RX.
 * @service: FAULT_RC and so on.
 * @kind: enum fault_kind.
 * @response: It answers a request.
 * @begins: It begins a message.
 * @met: It has met faults in this process before: what says no direction does not hit it again.
 */
struct fault_packet {
	uint32_t slot;
	uint32_t qpn;
	uint32_t psn;
	uint16_t dlid;
	uint8_t direction;
	uint8_t service;
	uint16_t kind;
	bool response;
	bool begins;
	bool met;
};

/**
 * struct fault_hit - A fault that has been injected.
 * @rule: Which.
 * @packet: On what; NULL for FAULT_FAIL and what time alone brings about.
 * @qp: The how-many-eth queue pair.
 * @place: PSNs since the connection began; of datagrams, how many came before.
 * @attempt: How often it was seen with this one.
 */
struct fault_hit {
	const struct fault_rule *rule;
	const struct fault_packet *packet;
	uint32_t qp;
	uint32_t attempt;
	uint64_t place;
};

/**
 * struct fault_listener - Who hears of faults.
 * @hit: Every one, in order. Locks are held: must not call back.
 * @act: FAULT_KILL, FAULT_DOWN, FAULT_EVENT: to be done by whoever owns the devices. Locks of queue
 *	pairs may be held.
 * @ctx: Handed to @hit.
 * @act_ctx: Handed to @act.
 */
struct fault_listener {
	void (*hit)(void *ctx, const struct fault_hit *hit);
	void (*act)(void *ctx, const struct fault_rule *rule, uint32_t slot, uint32_t qpn);
	void *ctx;
	void *act_ctx;
};

/**
 * struct fabric_faults - A plan, and how far it is.
 * @lock: Of all that is not atomic.
 * @active: Packets are to be looked at one by one. Atomic: wires look without the lock.
 * @refuses: Some verb is to fail. Atomic.
 * @cut: Ports, a bit each, that are down by a fault where no fabric of ours could say so. Atomic.
 * @plan: As set.
 * @start_ns: When.
 * @matched: Of rules that do not count by queue pair: how many they have selected.
 * @hits: By action. Atomic.
 * @met: Packets that were looked at. Atomic.
 * @qps: By port and number: struct fault_qp.
 * @qp_count: Made so far.
 * @listener: Who hears.
 */
struct fabric_faults {
	spinlock_t lock;
	bool active;
	bool refuses;
	struct fault_plan plan;
	uint64_t cut[FAULT_PORTS / 64];
	uint64_t start_ns;
	uint64_t matched[FAULT_RULES];
	uint64_t hits[FAULT_ACTIONS];
	uint64_t met;
	struct xarray qps;
	uint32_t qp_count;
	struct fault_listener listener;
};

/**
 * struct fabric_fate - What befalls one packet.
 * @drop: It is lost; nothing else counts then.
 * @duplicate: It arrives once more, after @duplicate_delay_ns.
 * @reordered: @delay_ns is longer than others'.
 * @may_corrupt: Bits flip on this fabric.
 * @corrupt: The bit @corrupt_bit, counted modulo the packet's bits, is flipped.
 * @starve: Its receiver shall find no receive.
 * @delay_ns: How late it arrives.
 * @duplicate_delay_ns: How late its double arrives.
 * @corrupt_bit: See @corrupt.
 */
struct fabric_fate {
	bool drop;
	bool duplicate;
	bool reordered;
	bool may_corrupt;
	bool corrupt;
	bool starve;
	uint64_t delay_ns;
	uint64_t duplicate_delay_ns;
	uint32_t corrupt_bit;
};

/** fabric_faults_init() - No faults. @faults: Any content. */
void fabric_faults_init(struct fabric_faults *faults);

/** fabric_faults_free() - Give back what it has remembered of queue pairs. */
void fabric_faults_free(struct fabric_faults *faults);

/** fabric_faults_set_plan() - A new plan; its counts and its time start anew. @plan: NULL: none. */
void fabric_faults_set_plan(struct fabric_faults *faults, const struct fault_plan *plan);

/** fabric_faults_begin() - Their time begins now, not when they were set. */
void fabric_faults_begin(struct fabric_faults *faults);

/**
 * fabric_faults_set() - The same, of rates.
 * @faults: To be changed.
 * @rates: NULL: none.
 *
 * Return: 0; -EINVAL if a rate exceeds a million, with nothing changed.
 */
int fabric_faults_set(struct fabric_faults *faults, const struct fabric_fault_rates *rates);

/** fabric_faults_active() - Whether packets must be looked at one by one. */
static inline bool fabric_faults_active(const struct fabric_faults *faults)
{
	return __atomic_load_n(&faults->active, __ATOMIC_ACQUIRE);
}

/** fabric_faults_cut() - Whether a port is down by a fault. */
static inline bool fabric_faults_cut(const struct fabric_faults *faults, uint32_t slot)
{
	return __atomic_load_n(&faults->cut[slot / 64], __ATOMIC_ACQUIRE) >> slot % 64 & 1;
}

/** fabric_faults_set_cut() - All packets of a port are lost from now on, or no more. Returns whether it is new. */
bool fabric_faults_set_cut(struct fabric_faults *faults, uint32_t slot, bool cut);

/** fabric_faults_refuse() - Whether a verb is to fail now: 0 or a negative errno, with a cause. */
int fabric_faults_refuse(struct fabric_faults *faults, enum fault_verb verb);

/** fabric_faults_qp_is_made() - A queue pair of ours; from here on it has its place among them. */
void fabric_faults_qp_is_made(struct fabric_faults *faults, uint32_t slot, uint32_t qpn);

/** fabric_faults_qp_is_gone() - It has been destroyed. */
void fabric_faults_qp_is_gone(struct fabric_faults *faults, uint32_t slot, uint32_t qpn);

/**
 * fabric_faults_qp_connects() - Where its PSNs begin.
 * @faults: Faults.
 * @slot: Its port.
 * @qpn: Its number.
 * @direction: FAULT_TX: @psn is the first one that it sends; FAULT_RX: the first one it expects.
 * @psn: 24 bits.
 */
void fabric_faults_qp_connects(struct fabric_faults *faults, uint32_t slot, uint32_t qpn,
			       uint8_t direction, uint32_t psn);

/**
 * fabric_faults_decide() - What befalls a packet.
 * @faults: Faults.
 * @packet: Packet.
 * @fate: To be added to; all zero at first.
 */
void fabric_faults_decide(struct fabric_faults *faults, const struct fault_packet *packet,
			  struct fabric_fate *fate);

/** fabric_faults_happened() - A rule was carried out that no packet and no verb has brought about. */
void fabric_faults_happened(struct fabric_faults *faults, const struct fault_rule *rule);

#endif
