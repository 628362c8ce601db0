// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What processes have sent, on every hop. Of what they show nothing is believed but numbers, and those only of ways
 * that are theirs.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/random.h"
#include "daemon/ways_priv.h"

#define SEEN_BYTES (DIRECTORY_WAYS * sizeof(struct base_way_sum))
#define LEAST_LARGER_MTU 2u /* enum ib_mtu: 512 bytes */

/* So many lost packets are drawn for one by one; of more, most are dealt out. */
#define DRAWN 256u

static size_t path_bytes(const struct subnet_path *path)
{
	return offsetof(struct subnet_path, hop) + 2u * path->hops * sizeof(path->hop[0]);
}

struct kept_path *ways_keep(const struct subnet_path *path)
{
	const size_t bytes = (path_bytes(path) + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
	struct kept_path *kept = base_zalloc(sizeof(*kept) + bytes);

	if (kept)
		memcpy(kept->path, path, path_bytes(path));
	return kept;
}

void ways_drop(struct kept_path *kept)
{
	while (kept) {
		struct kept_path *next = kept->next;

		base_free(kept);
		kept = next;
	}
}

static void unfold(const struct kept_path *kept, struct subnet_path *path)
{
	memcpy(path, kept->path, offsetof(struct subnet_path, hop));
	memcpy(path->hop, (const char *)kept->path + offsetof(struct subnet_path, hop),
	       2u * path->hops * sizeof(path->hop[0]));
}

/* What has grown since we last looked; who counts backwards has counted nothing. */
static struct base_way_count grown(const struct base_way_count *now, struct base_way_count *seen)
{
	struct base_way_count more = {0, 0};

	if (now->packets > seen->packets)
		more.packets = now->packets - seen->packets;
	if (now->words > seen->words)
		more.words = now->words - seen->words;
	*seen = *now;
	return more;
}

static void lose_at(const struct ways *w, const struct subnet_path *path, uint8_t link,
		    uint64_t packets, uint64_t words)
{
	struct subnet_path shorter = *path;

	shorter.hops = (uint8_t)(link + 1);
	shorter.to = path->hop[2 * link + 1];
	shorter.verdict = SUBNET_LOST;
	subnet_count(w->subnet, &shorter, packets, words, false);
}

static void lose_at_all(const struct ways *w, const struct subnet_path *path,
			const uint64_t at[SUBNET_MAX_HOPS], const struct base_way_count *lost)
{
	struct base_way_count left = *lost;

	for (uint8_t i = 0; i < path->hops; i++) {
		const uint64_t words = at[i] == left.packets ? left.words
							     : lost->words / lost->packets * at[i];

		if (at[i])
			lose_at(w, path, i, at[i], words);
		left.packets -= at[i];
		left.words -= at[i] ? words : 0;
	}
}

/* How often, of a million million, a packet is lost on each link: it has to come there first. */
static uint64_t odds(const struct ways *w, const struct subnet_path *path,
		     uint64_t of[SUBNET_MAX_HOPS])
{
	uint32_t loss_ppm[SUBNET_MAX_HOPS];
	uint64_t there = 1000000, all = 0;

	(void)subnet_path_loss(w->subnet, path, loss_ppm);
	for (uint8_t i = 0; i < path->hops; i++) {
		of[i] = there * loss_ppm[i];
		there = there * (1000000 - loss_ppm[i]) / 1000000;
		all += of[i];
	}
	return all;
}

/*
 * Which cables have lost packets nobody has written down: as they would have. If none of them loses
 * any more it was the first.
 */
static void count_lost(struct ways *w, const struct subnet_path *path,
		       const struct base_way_count *lost)
{
	uint64_t of[SUBNET_MAX_HOPS] = {0}, at[SUBNET_MAX_HOPS] = {0}, left = lost->packets;
	const uint64_t all = odds(w, path, of);

	if (!path->hops)
		return;
	for (uint8_t i = 0; left > DRAWN && all && i < path->hops; i++) {
		const uint64_t share =
			(uint64_t)((double)(lost->packets - DRAWN) * ((double)of[i] / (double)all));

		at[i] = share < left ? share : left;
		left -= at[i];
	}
	for (uint64_t n = 0; all && n < DRAWN && left; n++, left--) {
		uint64_t draw = base_random_below(&w->random, all);
		uint8_t i = 0;

		for (; draw >= of[i]; i++)
			draw -= of[i];
		at[i]++;
	}
	at[0] += left;
	lose_at_all(w, path, at, lost);
}

static void count_too_long(const struct ways *w, const struct subnet_path *path, uint8_t mtu,
			   const struct base_way_count *count)
{
	struct subnet_path shorter = *path;

	(void)subnet_path_limit(w->subnet, &shorter, mtu);
	subnet_count(w->subnet, &shorter, count->packets, count->words, false);
}

static void count_gone(const struct ways *w, const struct kept_path *kept, bool group,
		       const struct base_way_count *count)
{
	struct subnet_path path;

	for (; kept; kept = kept->next) {
		unfold(kept, &path);
		subnet_count(w->subnet, &path, count->packets, count->words, group);
	}
}

static bool is_group(uint64_t packed)
{
	return directory_way_unpack(packed).dlid >= FABRIC_UNICAST_LIDS;
}

static void count_place_locked(struct ways *w, struct teller *t, uint32_t place, uint64_t packed)
	REQUIRES(w->lock)
{
	const struct kept_path *kept = w->kept[place];
	struct base_way_sum *seen = &t->seen[place];
	struct base_way_count more;
	struct base_way_sum now;
	struct subnet_path path;

	base_way_read(t->report, place, &now);
	if (!memcmp(&now, seen, sizeof(now)))
		return;
	w->used[place] = ++w->clock;
	unfold(kept, &path);
	more = grown(&now.gone, &seen->gone);
	if (more.packets)
		count_gone(w, kept, is_group(packed), &more);
	more = grown(&now.lost, &seen->lost);
	if (more.packets)
		count_lost(w, &path, &more);
	for (uint8_t i = 0; i < BASE_WAY_MTUS; i++) {
		more = grown(&now.too_long[i], &seen->too_long[i]);
		if (more.packets)
			count_too_long(w, &path, (uint8_t)(i + LEAST_LARGER_MTU), &more);
	}
}

static bool is_of(const struct ways *w, const struct teller *t, uint32_t slot)
{
	return slot < FABRIC_PORTS &&
	       __atomic_load_n(&w->dir->slot_host[slot], __ATOMIC_ACQUIRE) == t->host;
}

/* Who places in another's memory tells of the answers, too, which go by the other's way. */
static bool may_tell(const struct ways *w, const struct teller *t, uint32_t place, uint64_t packed)
{
	struct directory_way_is is;

	memcpy(&is, w->dir->ways.way[place].is, sizeof(is));
	return is_of(w, t, directory_way_unpack(packed).slot) || is_of(w, t, is.slot);
}

static void collect_at_locked(struct ways *w, struct teller *t, uint32_t place) REQUIRES(w->lock)
{
	const uint64_t packed = directory_way_at(&w->dir->ways, place);

	if (packed && w->kept[place] && may_tell(w, t, place, packed))
		count_place_locked(w, t, place, packed);
}

void ways_collect_place_locked(struct ways *w, uint32_t place)
{
	for (uint32_t i = 0; w->kept[place] && i < w->tellers; i++)
		collect_at_locked(w, &w->teller[w->told[i]], place);
}

static void collect_from_locked(struct ways *w, struct teller *t) REQUIRES(w->lock)
{
	for (uint32_t place = base_way_next(t->report, 0); place < DIRECTORY_WAYS;
	     place = base_way_next(t->report, place + 1))
		collect_at_locked(w, t, place);
}

void ways_collect_locked(struct ways *w)
{
	for (uint32_t i = 0; i < w->tellers; i++)
		collect_from_locked(w, &w->teller[w->told[i]]);
}

void ways_collect(struct ways *w)
{
	mutex_lock(&w->lock);
	ways_collect_locked(w);
	mutex_unlock(&w->lock);
}

int ways_attach(struct ways *w, uint32_t id, const struct base_report *report)
{
	struct base_way_sum *seen =
		base_map(SEEN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	if (!seen)
		return -ENOMEM;
	mutex_lock(&w->lock);
	w->teller[id] =
		(struct teller){.report = report, .host = w->dir->process[id].host, .seen = seen};
	w->told[w->tellers++] = id;
	mutex_unlock(&w->lock);
	return 0;
}

void ways_detach(struct ways *w, uint32_t id)
{
	struct teller *t = &w->teller[id];

	mutex_lock(&w->lock);
	if (t->report) {
		collect_from_locked(w, t);
		munmap(t->seen, SEEN_BYTES);
		t->report = NULL;
		for (uint32_t i = 0; i < w->tellers; i++)
			if (w->told[i] == id)
				w->told[i--] = w->told[--w->tellers];
	}
	mutex_unlock(&w->lock);
}
