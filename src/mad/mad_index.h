/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What is found by its TID: a hash table that grows when there is memory, and works when there is not. */
#ifndef MAD_MAD_INDEX_H
#define MAD_MAD_INDEX_H

#include <linux/list.h>
#include <linux/spinlock.h>

#define MAD_INDEX_FIRST 16u

struct mad_index {
	struct hlist_head first[MAD_INDEX_FIRST]; /* until more are needed */
	struct hlist_head *bucket;
	u32 mask;
	u32 count;
};

struct mad_index_node {
	struct hlist_node link;
	__be64 tid;
};

/** mad_index_init() - Nothing in it. */
void mad_index_init(struct mad_index *index);

/** mad_index_free() - Give its memory back; it is empty. */
void mad_index_free(struct mad_index *index);

/** mad_index_add() - @node->tid is set. Several may have the same. */
void mad_index_add(struct mad_index *index, struct mad_index_node *node);

/** mad_index_remove() - Nothing happens if it is not in it. */
void mad_index_remove(struct mad_index *index, struct mad_index_node *node);

/** mad_index_wanted() - How many buckets it should have for @count nodes; 0: as it is. */
u32 mad_index_wanted(const struct mad_index *index, u32 count);

/**
 * mad_index_grow() - Have more buckets.
 * @index: Which.
 * @bucket: Zeroed, from base_zalloc(). Ours, unless it is too small by now.
 * @buckets: How many: a power of two.
 *
 * Return: What is to be freed by the caller, when it has dropped its lock.
 */
struct hlist_head *mad_index_grow(struct mad_index *index, struct hlist_head *bucket, u32 buckets);

/** mad_index_widen() - mad_index_grow(), where there is memory for it. @lock: Taken. @buckets: 0: nothing happens. */
void mad_index_widen(struct mad_index *index, spinlock_t *lock, u32 buckets);

/** mad_index_bucket() - Where those with a TID are, among others. */
static inline struct hlist_head *mad_index_bucket(const struct mad_index *index, __be64 tid)
{
	const u64 mixed = (u64)tid * 0x9e3779b97f4a7c15u;

	return &index->bucket[(mixed >> 32) & index->mask];
}

#endif
