/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The ways of data through a subnet: resolved when a process asks, published in the directory, and resolved anew when
 * the subnet has changed. Processes count by way, in their reports; here it is added to the counters of all hops.
 */
#ifndef DAEMON_WAYS_H
#define DAEMON_WAYS_H

#include "base/report.h"
#include "fabric/directory.h"
#include "fabric/subnet.h"

struct ways;

/**
 * struct ways_ops - Which slot is which port of the subnet.
 * @at: Returns false if the slot is none.
 * @slot: Returns -ENOENT if it is nobody's.
 */
struct ways_ops {
	bool (*at)(void *ctx, uint32_t slot, struct subnet_at *at);
	int (*slot)(void *ctx, struct subnet_at at);
};

/**
 * ways_new() - Have ways.
 * @dir: Managed, ours to write, and nobody else writes its ways. What is there already is good until ways_refresh().
 * @subnet: Outlives them.
 * @ops: Likewise.
 * @ctx: Handed to them.
 *
 * Return: NULL without memory.
 */
struct ways *ways_new(struct directory *dir, struct subnet *subnet, const struct ways_ops *ops,
		      void *ctx);

/** ways_close() - All processes are gone: nothing of the subnet is used any more. */
void ways_close(struct ways *w);

/** ways_free() - Give them back. @w: May be NULL. */
void ways_free(struct ways *w);

/**
 * ways_resolve() - A process asks for a way: see that it is in the directory.
 * @w: Ways.
 * @key: Any content.
 *
 * Where there is no room that one goes that nobody has used for longest; who needs it asks for it.
 */
void ways_resolve(struct ways *w, const struct directory_way_key *key);

/** ways_refresh() - Resolve anew what is in the directory, if the subnet has changed, and publish that. */
void ways_refresh(struct ways *w);

/**
 * ways_attach() - Count what a process shows.
 * @w: Ways.
 * @id: Its id in the directory.
 * @report: Any content, until ways_detach(). What it has counted already is counted, too.
 *
 * Return: 0; -ENOMEM.
 */
int ways_attach(struct ways *w, uint32_t id, const struct base_report *report);

/** ways_detach() - It is gone: what it has counted is counted. */
void ways_detach(struct ways *w, uint32_t id);

/** ways_collect() - Bring the subnet's counters up to date: &subnet_ops.collect. Context: Any thread; no lock of the subnet. */
void ways_collect(struct ways *w);

#endif
