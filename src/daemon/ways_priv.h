/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What ways.c (resolving, publishing) and ways_count.c (counting on every hop) share. */
#ifndef DAEMON_WAYS_PRIV_H
#define DAEMON_WAYS_PRIV_H

#include <linux/mutex.h>

#include "daemon/ways.h"

/**
 * struct kept_path - A way as it was resolved, no longer than it is.
 * @next: Of a group: another copy, in the order in which they count.
 * @path: struct subnet_path, without the links that there are not.
 */
struct kept_path {
	struct kept_path *next;
	uint64_t path[];
};

/**
 * struct teller - A process that counts.
 * @report: What it shows: any content.
 * @host: Whose ways it may tell about: those that begin or end there.
 * @seen: By place: what it has told us. Memory of its own, for most of it is never touched.
 */
struct teller {
	const struct base_report *report;
	uint32_t host;
	struct base_way_sum *seen;
};

/**
 * struct ways - All of them.
 * @lock: Of all here. Taken before the subnet's.
 * @dir: The directory.
 * @subnet: The subnet.
 * @ops: As given.
 * @ctx: As given.
 * @resolved: &subnet_epoch() of the last time.
 * @fresh: @resolved says something.
 * @random: Which cable has lost a packet.
 * @clock: Counts what follows.
 * @used: By place: when it was last asked for, or counted anything.
 * @kept: By place: its path, or paths; NULL: not resolved by us.
 * @teller: By id.
 * @told: Ids of those that there are.
 * @tellers: How many.
 */
struct ways {
	struct mutex lock;
	struct directory *dir;
	struct subnet *subnet;
	const struct ways_ops *ops;
	void *ctx;
	uint32_t resolved;
	bool fresh;
	uint64_t random;
	uint64_t clock;
	uint64_t used[DIRECTORY_WAYS];
	struct kept_path *kept[DIRECTORY_WAYS];
	struct teller teller[DIRECTORY_PROCESSES];
	uint32_t told[DIRECTORY_PROCESSES];
	uint32_t tellers;
};

/** ways_keep() - A path, for @next. Return: NULL without memory. */
struct kept_path *ways_keep(const struct subnet_path *path);

/** ways_drop() - Forget paths. @kept: May be NULL. */
void ways_drop(struct kept_path *kept);

/** ways_collect_place_locked() - What is counted by one place. */
void ways_collect_place_locked(struct ways *w, uint32_t place) REQUIRES(w->lock);

/** ways_collect_locked() - ways_collect() with the lock held. */
void ways_collect_locked(struct ways *w) REQUIRES(w->lock);

#endif
