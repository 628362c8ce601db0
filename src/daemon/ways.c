// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Ways are resolved when somebody asks, and all of them when the subnet has changed. */
#include "daemon/ways.h"

#include <string.h>

#include "base/alloc.h"
#include "daemon/ways_priv.h"

/* Tables that copy in circles make copies without end; so many of them are counted. */
#define MOST_COPIES 4096u

struct ways *ways_new(struct directory *dir, struct subnet *subnet, const struct ways_ops *ops,
		      void *ctx)
{
	struct ways *w = base_zalloc(sizeof(*w));

	if (!w)
		return NULL;
	mutex_init(&w->lock);
	w->dir = dir;
	w->subnet = subnet;
	w->ops = ops;
	w->ctx = ctx;
	w->random = dir->incarnation;
	return w;
}

void ways_close(struct ways *w)
{
	while (w->tellers)
		ways_detach(w, w->told[w->tellers - 1]);
}

void ways_free(struct ways *w)
{
	if (!w)
		return;
	ways_close(w);
	for (uint32_t place = 0; place < DIRECTORY_WAYS; place++)
		ways_drop(w->kept[place]);
	base_free(w);
}

static bool is_group(const struct directory_way_key *key)
{
	return key->dlid >= FABRIC_UNICAST_LIDS;
}

/* What the directory shall say of a way to one port. */
static void describe(const struct ways *w, const struct subnet_path *path,
		     struct directory_way_is *is, struct directory_way *more)
{
	char name[SUBNET_DESCRIPTION_BYTES + 1];
	uint32_t loss_ppm[SUBNET_MAX_HOPS];
	int slot = -1;

	is->verdict = (uint8_t)path->verdict;
	is->mtu = path->mtu;
	is->hops = path->hops;
	is->port = path->to.port;
	is->loss_ppm = path->lossy ? subnet_path_loss(w->subnet, path, loss_ppm) : 0;
	is->delay_ns = path->delay_ns;
	if (path->verdict == SUBNET_ARRIVES) {
		slot = w->ops->slot(w->ctx, path->to);
	} else {
		subnet_describe(w->subnet, path->to.node, name);
		memcpy(more->name, name, sizeof(more->name));
	}
	is->slot = slot < 0 ? DIRECTORY_NO_SLOT : (uint32_t)slot;
}

static struct kept_path *resolve_one(const struct ways *w, struct subnet_at from,
				     const struct directory_way_key *key,
				     struct directory_way_is *is, struct directory_way *more)
{
	struct subnet_path path;

	subnet_resolve(w->subnet, from, key->dlid, key->sl, key->pkey, &path);
	describe(w, &path, is, more);
	return ways_keep(&path);
}

/**
 * struct copies - The ways of a group's packet, while they are found.
 * @first: The first.
 * @last: Where the next is linked.
 * @count: How many.
 */
struct copies {
	struct kept_path *first;
	struct kept_path **last;
	uint32_t count;
};

static void find_copy(void *ctx, const struct subnet_path *path)
{
	struct copies *c = ctx;
	struct kept_path *kept = c->count < MOST_COPIES ? ways_keep(path) : NULL;

	if (!kept)
		return;
	c->count++;
	*c->last = kept;
	c->last = &kept->next;
}

static void spread_to(const struct ways *w, const struct kept_path *kept,
		      struct directory_way_is *is, struct directory_way *more)
{
	struct subnet_path head;
	int slot;

	memcpy(&head, kept->path, offsetof(struct subnet_path, hop));
	if (!is->hops)
		is->verdict = (uint8_t)head.verdict;
	is->hops = head.hops > is->hops ? head.hops : is->hops;
	if (head.verdict != SUBNET_ARRIVES)
		return;
	is->verdict = SUBNET_ARRIVES;
	is->mtu = head.mtu < is->mtu ? head.mtu : is->mtu;
	slot = w->ops->slot(w->ctx, head.to);
	if (slot >= 0)
		more->spread[slot / 64] |= 1ull << (slot % 64);
}

static struct kept_path *resolve_group(const struct ways *w, struct subnet_at from,
				       const struct directory_way_key *key,
				       struct directory_way_is *is, struct directory_way *more)
{
	struct copies copies = {.last = &copies.first};

	is->mtu = UINT8_MAX;
	is->verdict = SUBNET_NOT_ACTIVE;
	subnet_resolve_group(w->subnet, from, key->dlid, key->sl, key->pkey, find_copy, &copies);
	for (const struct kept_path *kept = copies.first; kept; kept = kept->next)
		spread_to(w, kept, is, more);
	return copies.first;
}

static void resolve_locked(struct ways *w, uint32_t place, uint64_t packed, uint32_t epoch)
	REQUIRES(w->lock)
{
	const struct directory_way_key key = directory_way_unpack(packed);
	struct directory_way_is is = {
		.epoch = epoch, .verdict = SUBNET_NOT_ACTIVE, .slot = DIRECTORY_NO_SLOT};
	struct directory_way more = {.sequence = 0};
	struct kept_path *kept = NULL;
	struct subnet_at from;

	if (w->ops->at(w->ctx, key.slot, &from))
		kept = is_group(&key) ? resolve_group(w, from, &key, &is, &more)
				      : resolve_one(w, from, &key, &is, &more);
	ways_drop(w->kept[place]);
	w->kept[place] = kept;
	directory_write_way(&w->dir->ways, place, packed, &is, &more);
}

static void clear_locked(struct ways *w, uint32_t place) REQUIRES(w->lock)
{
	const struct directory_way_is none = {.slot = DIRECTORY_NO_SLOT};

	directory_write_way(&w->dir->ways, place, 0, &none, NULL);
	ways_drop(w->kept[place]);
	w->kept[place] = NULL;
}

/* Of the places where it could be, that of the one that was not used for longest. */
static uint32_t make_room_locked(struct ways *w, uint64_t packed) REQUIRES(w->lock)
{
	uint32_t oldest = directory_way_home(packed);

	for (uint32_t i = 0; i < DIRECTORY_WAY_PROBES; i++) {
		const uint32_t place = (directory_way_home(packed) + i) % DIRECTORY_WAYS;

		ways_collect_place_locked(w, place);
		if (w->used[place] < w->used[oldest])
			oldest = place;
	}
	clear_locked(w, oldest);
	return oldest;
}

/* One that is there already may be of an epoch that somebody has made up. */
void ways_resolve(struct ways *w, const struct directory_way_key *key)
{
	const uint64_t packed = directory_way_pack(key);
	uint32_t place;
	int room;

	mutex_lock(&w->lock);
	room = directory_way_place(&w->dir->ways, packed);
	place = room < 0 ? make_room_locked(w, packed) : (uint32_t)room;
	w->used[place] = ++w->clock;
	ways_collect_place_locked(w, place);
	resolve_locked(w, place, packed, w->dir->ways.epoch);
	mutex_unlock(&w->lock);
}

/* Looking at what a switch does not let pass raises a trap, so that is left for who sends it. */
static bool is_forbidden(const struct kept_path *kept)
{
	struct subnet_path head;

	if (!kept)
		return false;
	memcpy(&head, kept->path, offsetof(struct subnet_path, hop));
	return head.verdict == SUBNET_BAD_PKEY;
}

static void refresh_locked(struct ways *w) REQUIRES(w->lock)
{
	const uint32_t epoch = w->dir->ways.epoch + 1;

	w->resolved = subnet_epoch(w->subnet);
	w->fresh = true;
	ways_collect_locked(w);
	for (uint32_t place = 0; place < DIRECTORY_WAYS; place++) {
		const uint64_t packed = directory_way_at(&w->dir->ways, place);

		if (packed && is_forbidden(w->kept[place]))
			clear_locked(w, place);
		else if (packed)
			resolve_locked(w, place, packed, epoch);
	}
	directory_set_way_epoch(&w->dir->ways, epoch);
}

void ways_refresh(struct ways *w)
{
	mutex_lock(&w->lock);
	if (!w->fresh || w->resolved != subnet_epoch(w->subnet))
		refresh_locked(w);
	mutex_unlock(&w->lock);
}
