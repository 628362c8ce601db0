/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A set of GUIDs, hashed: those that are taken. */
#ifndef FABRIC_SUBNET_GUID_H
#define FABRIC_SUBNET_GUID_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct subnet_guids - It; zeroes are an empty one.
 * @slot: GUIDs where their hash has them, or behind; 0: free.
 * @room: Slots, a power of two.
 * @count: GUIDs.
 */
struct subnet_guids {
	uint64_t *slot;
	uint32_t room;
	uint32_t count;
};

/** subnet_guids_free() - Give it back. */
void subnet_guids_free(struct subnet_guids *guids);

/** subnet_guids_has() - Whether one is taken. */
bool subnet_guids_has(const struct subnet_guids *guids, uint64_t guid);

/** subnet_guids_reserve() - Room for so many more. Return: 0; -ENOMEM. */
int subnet_guids_reserve(struct subnet_guids *guids, uint32_t count);

/** subnet_guids_add() - One more, not 0, for which there is room. */
void subnet_guids_add(struct subnet_guids *guids, uint64_t guid);

/** subnet_guids_remove() - One less, which must be there. */
void subnet_guids_remove(struct subnet_guids *guids, uint64_t guid);

#endif
