// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Open addressing, at most half full; who is removed is replaced by one from behind, so that no gap is left. */
#include "fabric/subnet_guid.h"

#include <errno.h>
#include <stddef.h>

#include "base/alloc.h"
#include "base/check.h"

#define FIRST_ROOM 16u

/* GUIDs of a fabric differ in few bits, so all of them must matter. */
static uint32_t home_of(const struct subnet_guids *guids, uint64_t guid)
{
	guid ^= guid >> 32;
	guid *= 0x9e3779b97f4a7c15u;
	return (uint32_t)(guid >> 32) & (guids->room - 1);
}

/* Where it is, or the free slot where it would be. */
static uint32_t slot_of(const struct subnet_guids *guids, uint64_t guid)
{
	uint32_t at = home_of(guids, guid);

	while (guids->slot[at] && guids->slot[at] != guid)
		at = (at + 1) & (guids->room - 1);
	return at;
}

void subnet_guids_free(struct subnet_guids *guids)
{
	base_free(guids->slot);
	*guids = (struct subnet_guids){0};
}

bool subnet_guids_has(const struct subnet_guids *guids, uint64_t guid)
{
	return guids->room && guids->slot[slot_of(guids, guid)] == guid;
}

int subnet_guids_reserve(struct subnet_guids *guids, uint32_t count)
{
	struct subnet_guids wider = {.room = guids->room ? guids->room : FIRST_ROOM};

	while (wider.room / 2 < guids->count + count)
		wider.room *= 2;
	if (wider.room == guids->room)
		return 0;
	wider.slot = base_zalloc_array(wider.room, sizeof(*wider.slot));
	if (!wider.slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < guids->room; i++)
		if (guids->slot[i])
			subnet_guids_add(&wider, guids->slot[i]);
	subnet_guids_free(guids);
	*guids = wider;
	return 0;
}

void subnet_guids_add(struct subnet_guids *guids, uint64_t guid)
{
	const uint32_t at = slot_of(guids, guid);

	INVARIANT(guid && !guids->slot[at] && guids->count < guids->room / 2);
	guids->slot[at] = guid;
	guids->count++;
}

void subnet_guids_remove(struct subnet_guids *guids, uint64_t guid)
{
	uint32_t gap = slot_of(guids, guid), mask = guids->room - 1;

	INVARIANT(guids->slot[gap] == guid);
	for (uint32_t at = (gap + 1) & mask; guids->slot[at]; at = (at + 1) & mask) {
		const uint32_t home = home_of(guids, guids->slot[at]);

		if (((at - home) & mask) < ((at - gap) & mask))
			continue;
		guids->slot[gap] = guids->slot[at];
		gap = at;
	}
	guids->slot[gap] = 0;
	guids->count--;
}
