/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What befalls a packet: decided by a seed, so that the same seed and packets give the same fates. */
#ifndef FABRIC_FAULTS_H
#define FABRIC_FAULTS_H

#include <linux/spinlock.h>
#include <stdbool.h>
#include <stdint.h>

#define FABRIC_PPM 1000000u

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
 * struct fabric_faults - The rates, and where the sequence of decisions is.
 * @lock: Held while deciding.
 * @active: Some rate or delay is not zero. Atomic: wires look without the lock.
 * @rates: As set.
 * @random: State of the generator.
 */
struct fabric_faults {
	spinlock_t lock;
	bool active;
	struct fabric_fault_rates rates;
	uint64_t random;
};

/**
 * struct fabric_fate - What befalls one packet.
 * @drop: It is lost; nothing else counts then.
 * @duplicate: It arrives once more, after @duplicate_delay_ns.
 * @reordered: @delay_ns is longer than others'.
 * @may_corrupt: Bits flip on this fabric.
 * @corrupt: The bit @corrupt_bit, counted modulo the packet's bits, is flipped.
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
	uint64_t delay_ns;
	uint64_t duplicate_delay_ns;
	uint32_t corrupt_bit;
};

/** fabric_faults_init() - No faults. */
void fabric_faults_init(struct fabric_faults *faults);

/**
 * fabric_faults_set() - New rates; decisions start anew from the seed.
 * @faults: To be changed.
 * @rates: Copied. NULL: none.
 *
 * Return: 0; -EINVAL if a rate exceeds a million, with nothing changed.
 */
int fabric_faults_set(struct fabric_faults *faults, const struct fabric_fault_rates *rates);

/** fabric_faults_active() - Whether packets must be looked at one by one. */
static inline bool fabric_faults_active(const struct fabric_faults *faults)
{
	return __atomic_load_n(&faults->active, __ATOMIC_ACQUIRE);
}

/** fabric_faults_decide() - The fate of the next packet. */
struct fabric_fate fabric_faults_decide(struct fabric_faults *faults);

#endif
