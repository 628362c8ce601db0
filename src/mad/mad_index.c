// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mad/mad_index.h"

#include "base/alloc.h"

#define NODES_PER_BUCKET 2u
#define MOST_BUCKETS (1u << 20)

void mad_index_init(struct mad_index *index)
{
	*index = (struct mad_index){.bucket = index->first, .mask = MAD_INDEX_FIRST - 1};
}

void mad_index_free(struct mad_index *index)
{
	if (index->bucket != index->first)
		base_free(index->bucket);
	index->bucket = index->first;
	index->mask = MAD_INDEX_FIRST - 1;
}

void mad_index_add(struct mad_index *index, struct mad_index_node *node)
{
	hlist_add_head(&node->link, mad_index_bucket(index, node->tid));
	index->count++;
}

void mad_index_remove(struct mad_index *index, struct mad_index_node *node)
{
	if (hlist_unhashed(&node->link))
		return;
	hlist_del_init(&node->link);
	index->count--;
}

u32 mad_index_wanted(const struct mad_index *index, u32 count)
{
	u32 buckets = index->mask + 1;

	if (count / NODES_PER_BUCKET < buckets || buckets >= MOST_BUCKETS)
		return 0;
	while (count / NODES_PER_BUCKET >= buckets && buckets < MOST_BUCKETS)
		buckets *= 4;
	return buckets;
}

struct hlist_head *mad_index_grow(struct mad_index *index, struct hlist_head *bucket, u32 buckets)
{
	struct hlist_head *old = index->bucket;
	const u32 old_buckets = index->mask + 1;

	if (buckets <= old_buckets)
		return bucket;
	index->bucket = bucket;
	index->mask = buckets - 1;
	for (u32 i = 0; i < old_buckets; i++) {
		struct mad_index_node *node;
		struct hlist_node *next;

		hlist_for_each_entry_safe(node, next, &old[i], link)
		{
			hlist_del_init(&node->link);
			hlist_add_head(&node->link, mad_index_bucket(index, node->tid));
		}
	}
	return old == index->first ? NULL : old;
}

void mad_index_widen(struct mad_index *index, spinlock_t *lock, u32 buckets)
{
	struct hlist_head *bucket = buckets ? base_zalloc_array(buckets, sizeof(*bucket)) : NULL;

	if (!bucket)
		return;
	spin_lock(lock);
	bucket = mad_index_grow(index, bucket, buckets);
	spin_unlock(lock);
	base_free(bucket);
}
