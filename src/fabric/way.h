/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Ways of data through a subnet that processes share: what is in the directory of them. One daemon writes them, any
 * process reads them, without a lock and without believing anything: a way that is half written, or of an epoch
 * that is over, is as good as none.
 */
#ifndef FABRIC_WAY_H
#define FABRIC_WAY_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/subnet.h"

#define DIRECTORY_WAY_BITS 12u
#define DIRECTORY_WAYS (1u << DIRECTORY_WAY_BITS)
#define DIRECTORY_WAY_PROBES 8u
#define DIRECTORY_WAY_SPREAD (FABRIC_PORTS / 64)
#define DIRECTORY_NO_SLOT UINT32_MAX

/**
 * struct directory_way_key - Whose way it is.
 * @slot: Where it starts.
 * @dlid: Where it leads to; a multicast LID, too.
 * @sl: SL, 4 bits.
 * @pkey: P_Key.
 */
struct directory_way_key {
	uint32_t slot;
	uint16_t dlid;
	uint8_t sl;
	uint16_t pkey;
};

/**
 * struct directory_way_is - What there is to be said of a way.
 * @epoch: &directory_ways.epoch when it was resolved, or a later one.
 * @verdict: enum subnet_verdict; of a group it arrives if it does somewhere.
 * @mtu: enum ib_mtu.
 * @hops: Links.
 * @port: Where it ends if it does not arrive: the number of the port.
 * @loss_ppm: Of a million packets so many are lost.
 * @slot: At its end; DIRECTORY_NO_SLOT: nobody's.
 * @delay_ns: How late a packet is.
 */
struct directory_way_is {
	uint32_t epoch;
	uint8_t verdict;
	uint8_t mtu;
	uint8_t hops;
	uint8_t port;
	uint32_t loss_ppm;
	uint32_t slot;
	uint64_t delay_ns;
};

/**
 * struct directory_way - A way.
 * @sequence: Odd while the rest is written. Atomic.
 * @key: directory_way_pack(); 0: there is none. Atomic, and so is what follows.
 * @is: struct directory_way_is.
 * @spread: Of a group: where copies end, a bit for each slot.
 * @name: Of others, if they do not arrive: the node where they end.
 */
struct directory_way {
	_Alignas(64) uint32_t sequence;
	uint64_t key;
	uint64_t is[sizeof(struct directory_way_is) / sizeof(uint64_t)];
	union {
		uint64_t spread[DIRECTORY_WAY_SPREAD];
		uint64_t name[SUBNET_DESCRIPTION_BYTES / sizeof(uint64_t)];
	};
};

/**
 * struct directory_ways - Those that were asked for.
 * @epoch: What was resolved before this is not valid any more. Atomic.
 * @way: A hash with open addressing: from where it belongs a way is no more than DIRECTORY_WAY_PROBES places off.
 */
struct directory_ways {
	_Alignas(64) uint32_t epoch;
	struct directory_way way[DIRECTORY_WAYS];
};

/** directory_way_pack() - A key in one word, not 0. */
static inline uint64_t directory_way_pack(const struct directory_way_key *key)
{
	return 1ull << 63 | (uint64_t)(key->slot % FABRIC_PORTS) << 36 |
	       (uint64_t)(key->sl & 0xfu) << 32 | (uint64_t)key->dlid << 16 | key->pkey;
}

/** directory_way_unpack() - The other way. */
static inline struct directory_way_key directory_way_unpack(uint64_t packed)
{
	return (struct directory_way_key){.slot = (uint32_t)(packed >> 36) % FABRIC_PORTS,
					  .dlid = (uint16_t)(packed >> 16),
					  .sl = packed >> 32 & 0xfu,
					  .pkey = (uint16_t)packed};
}

/** directory_way_home() - Where a packed key belongs. */
static inline uint32_t directory_way_home(uint64_t packed)
{
	return (uint32_t)(packed * 0x9e3779b97f4a7c15u >> (64 - DIRECTORY_WAY_BITS));
}

/**
 * directory_find_way() - Look a way up.
 * @ways: Any content.
 * @packed: Its key.
 * @is: Out.
 *
 * Context: Any, no lock.
 * Return: Its place in the table; -ENOENT: there is none, or none of the present epoch.
 */
int directory_find_way(const struct directory_ways *ways, uint64_t packed,
		       struct directory_way_is *is);

/**
 * directory_next_way() - Any way from a port to a LID by an SL, whatever the P_Key. Slow.
 * @ways: Any content.
 * @key: Its @pkey does not matter.
 * @from: The first place to look at.
 * @is: Out.
 *
 * Return: Its place; -ENOENT: there are no more.
 */
int directory_next_way(const struct directory_ways *ways, const struct directory_way_key *key,
		       uint32_t from, struct directory_way_is *is);

/**
 * directory_read_spread() - Where the copies of a group's packet end.
 * @ways: Any content.
 * @place: From directory_find_way().
 * @packed: The key that was found there.
 * @spread: Out: a bit for each slot.
 *
 * Return: Whether that way is still there.
 */
bool directory_read_spread(const struct directory_ways *ways, uint32_t place, uint64_t packed,
			   uint64_t spread[DIRECTORY_WAY_SPREAD]);

/** directory_read_name() - What the node is called where a way ends. @text: Out, printable and ended. */
void directory_read_name(const struct directory_ways *ways, uint32_t place,
			 char text[SUBNET_DESCRIPTION_BYTES + 1]);

/** directory_in_spread() - Whether a slot is in it. */
static inline bool directory_in_spread(const uint64_t spread[DIRECTORY_WAY_SPREAD], uint32_t slot)
{
	return slot < FABRIC_PORTS && spread[slot / 64] >> (slot % 64) & 1;
}

/* What follows is for who writes. */

/** directory_way_place() - Where a way is, or may be put. Return: -ENOSPC: in none of the places that it could have. */
int directory_way_place(const struct directory_ways *ways, uint64_t packed);

/** directory_way_at() - The key that is in a place; 0: none. */
uint64_t directory_way_at(const struct directory_ways *ways, uint32_t place);

/**
 * directory_write_way() - Put a way in its place, instead of what is there.
 * @ways: Ours to write.
 * @place: One that directory_way_place() might say.
 * @packed: Its key; 0: take away what is there.
 * @is: What there is to be said of it.
 * @more: &directory_way.spread or .name, all of it; NULL: neither.
 */
void directory_write_way(struct directory_ways *ways, uint32_t place, uint64_t packed,
			 const struct directory_way_is *is, const struct directory_way *more);

/** directory_set_way_epoch() - Ways of earlier epochs are over. */
void directory_set_way_epoch(struct directory_ways *ways, uint32_t epoch);

/** directory_repair_ways() - Take over what another daemon has left: what makes no sense goes. */
void directory_repair_ways(struct directory_ways *ways);

#endif
