// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table of ways in the directory. A sequence word for each of them: whoever reads sees all of one, or none. */
#include "fabric/way.h"

#include <errno.h>
#include <linux/compiler.h>
#include <string.h>

/* A writer is done by then, unless it is stopped, or dead: then there is no way. */
#define TRIES 64u

#define IS_WORDS (sizeof(struct directory_way_is) / sizeof(uint64_t))
#define NAME_WORDS (SUBNET_DESCRIPTION_BYTES / sizeof(uint64_t))

_Static_assert(sizeof(struct directory_way_is) % sizeof(uint64_t) == 0, "it is read by words");
_Static_assert(sizeof(struct directory_way) == 192, "three lines");

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/* Words of a way, all of one writing, whose key is @packed. */
static bool read_words(const struct directory_way *way, uint64_t packed, const uint64_t *from,
		       uint64_t *to, size_t words)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		const uint32_t before = __atomic_load_n(&way->sequence, __ATOMIC_ACQUIRE);
		bool same;

		for (size_t n = 0; n < words; n++)
			to[n] = load(&from[n]);
		same = load(&way->key) == packed;
		smp_rmb();
		if (likely(!(before & 1) &&
			   __atomic_load_n(&way->sequence, __ATOMIC_RELAXED) == before))
			return same;
	}
	return false;
}

static bool read_is(const struct directory_ways *ways, uint32_t place, uint64_t packed,
		    struct directory_way_is *is)
{
	const struct directory_way *way = &ways->way[place];
	uint64_t words[IS_WORDS];

	if (!read_words(way, packed, way->is, words, IS_WORDS))
		return false;
	memcpy(is, words, sizeof(*is));
	return (int32_t)(is->epoch - __atomic_load_n(&ways->epoch, __ATOMIC_RELAXED)) >= 0;
}

int directory_find_way(const struct directory_ways *ways, uint64_t packed,
		       struct directory_way_is *is)
{
	uint32_t place = directory_way_home(packed);

	for (uint32_t i = 0; i < DIRECTORY_WAY_PROBES; i++) {
		if (likely(load(&ways->way[place].key) == packed))
			return likely(read_is(ways, place, packed, is)) ? (int)place : -ENOENT;
		place = (place + 1) % DIRECTORY_WAYS;
	}
	return -ENOENT;
}

int directory_next_way(const struct directory_ways *ways, const struct directory_way_key *key,
		       uint32_t from, struct directory_way_is *is)
{
	for (uint32_t place = from; place < DIRECTORY_WAYS; place++) {
		const uint64_t packed = load(&ways->way[place].key);
		const struct directory_way_key there = directory_way_unpack(packed);

		if (packed && there.slot == key->slot && there.dlid == key->dlid &&
		    there.sl == key->sl && read_is(ways, place, packed, is))
			return (int)place;
	}
	return -ENOENT;
}

bool directory_read_spread(const struct directory_ways *ways, uint32_t place, uint64_t packed,
			   uint64_t spread[DIRECTORY_WAY_SPREAD])
{
	const struct directory_way *way = &ways->way[place];

	return read_words(way, packed, way->spread, spread, DIRECTORY_WAY_SPREAD);
}

void directory_read_name(const struct directory_ways *ways, uint32_t place,
			 char text[SUBNET_DESCRIPTION_BYTES + 1])
{
	const struct directory_way *way = &ways->way[place];
	uint64_t words[NAME_WORDS];

	memset(text, 0, SUBNET_DESCRIPTION_BYTES + 1);
	if (!read_words(way, load(&way->key), way->name, words, NAME_WORDS))
		return;
	memcpy(text, words, sizeof(words));
	for (char *at = text; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

int directory_way_place(const struct directory_ways *ways, uint64_t packed)
{
	int room = -ENOSPC;

	for (uint32_t i = 0; i < DIRECTORY_WAY_PROBES; i++) {
		const uint32_t place = (directory_way_home(packed) + i) % DIRECTORY_WAYS;

		if (ways->way[place].key == packed)
			return (int)place;
		if (!ways->way[place].key && room < 0)
			room = (int)place;
	}
	return room;
}

uint64_t directory_way_at(const struct directory_ways *ways, uint32_t place)
{
	return ways->way[place].key;
}

/* One that is odd already was left by a writer that has died. */
void directory_write_way(struct directory_ways *ways, uint32_t place, uint64_t packed,
			 const struct directory_way_is *is, const struct directory_way *more)
{
	struct directory_way *way = &ways->way[place];
	const uint32_t sequence = way->sequence | 1;
	uint64_t words[IS_WORDS];

	memcpy(words, is, sizeof(words));
	__atomic_store_n(&way->sequence, sequence, __ATOMIC_RELAXED);
	smp_mb();
	store(&way->key, packed);
	for (size_t i = 0; i < IS_WORDS; i++)
		store(&way->is[i], words[i]);
	for (size_t i = 0; i < DIRECTORY_WAY_SPREAD; i++)
		store(&way->spread[i], more ? more->spread[i] : 0);
	__atomic_store_n(&way->sequence, sequence + 1, __ATOMIC_RELEASE);
}

void directory_set_way_epoch(struct directory_ways *ways, uint32_t epoch)
{
	__atomic_store_n(&ways->epoch, epoch, __ATOMIC_RELEASE);
}

/* Whether it is where it is looked for, and whole, and there once. */
static bool is_right(const struct directory_ways *ways, uint32_t place)
{
	const struct directory_way *way = &ways->way[place];
	const uint64_t packed = way->key;
	const struct directory_way_key key = directory_way_unpack(packed);

	return !(way->sequence & 1) && directory_way_pack(&key) == packed &&
	       directory_way_place(ways, packed) == (int)place;
}

void directory_repair_ways(struct directory_ways *ways)
{
	const struct directory_way_is none = {.slot = DIRECTORY_NO_SLOT};

	for (uint32_t place = 0; place < DIRECTORY_WAYS; place++)
		if ((ways->way[place].key || ways->way[place].sequence & 1) &&
		    !is_right(ways, place))
			directory_write_way(ways, place, 0, &none, NULL);
}
