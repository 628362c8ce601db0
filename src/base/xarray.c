/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* <linux/xarray.h>: entries sorted by index, found by halving, in one block that doubles. */
#include <errno.h>
#include <linux/err.h>
#include <linux/xarray.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_ROOM 4u

void xa_init_flags(struct xarray *xa, gfp_t flags)
{
	memset(xa, 0, sizeof(*xa));
	spin_lock_init(&xa->xa_lock);
	xa->xa_flags = flags;
}

/* Position of the first entry at @index or above; count if there is none. */
static u32 position_locked(const struct xarray *xa, unsigned long index)
{
	u32 low = 0, high = xa->count;

	while (low < high) {
		const u32 middle = low + (high - low) / 2;

		if (xa->entries[middle].index < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at_locked(const struct xarray *xa, u32 pos, unsigned long index)
{
	return pos < xa->count && xa->entries[pos].index == index;
}

static int grow_locked(struct xarray *xa)
{
	const u32 room = xa->room ? xa->room * 2 : FIRST_ROOM;
	struct base_xa_entry *entries;

	if (xa->count < xa->room)
		return 0;
	entries = base_zalloc_array(room, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	if (xa->count)
		memcpy(entries, xa->entries, xa->count * sizeof(*entries));
	base_free(xa->entries);
	xa->entries = entries;
	xa->room = room;
	return 0;
}

static int insert_locked(struct xarray *xa, u32 pos, unsigned long index, void *entry)
{
	const int ret = grow_locked(xa);

	if (ret)
		return ret;
	memmove(&xa->entries[pos + 1], &xa->entries[pos], (xa->count - pos) * sizeof(*xa->entries));
	xa->entries[pos] = (struct base_xa_entry){.index = index, .pointer = entry};
	xa->count++;
	return 0;
}

static void *remove_locked(struct xarray *xa, u32 pos)
{
	void *old = xa->entries[pos].pointer;

	xa->count--;
	memmove(&xa->entries[pos], &xa->entries[pos + 1], (xa->count - pos) * sizeof(*xa->entries));
	return old;
}

void *xa_load(struct xarray *xa, unsigned long index)
{
	void *entry = NULL;
	u32 pos;

	xa_lock(xa);
	pos = position_locked(xa, index);
	if (is_at_locked(xa, pos, index))
		entry = xa->entries[pos].pointer;
	xa_unlock(xa);
	return entry;
}

void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	void *old = NULL;
	u32 pos;

	(void)gfp;
	if (!entry)
		return xa_erase(xa, index);
	xa_lock(xa);
	pos = position_locked(xa, index);
	if (is_at_locked(xa, pos, index)) {
		old = xa->entries[pos].pointer;
		xa->entries[pos].pointer = entry;
	} else if (insert_locked(xa, pos, index, entry)) {
		old = ERR_PTR(-ENOMEM);
	}
	xa_unlock(xa);
	return old;
}

void *xa_erase(struct xarray *xa, unsigned long index)
{
	void *old = NULL;
	u32 pos;

	xa_lock(xa);
	pos = position_locked(xa, index);
	if (is_at_locked(xa, pos, index))
		old = remove_locked(xa, pos);
	xa_unlock(xa);
	return old;
}

int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	u32 pos;
	int ret;

	(void)gfp;
	xa_lock(xa);
	pos = position_locked(xa, index);
	ret = is_at_locked(xa, pos, index) ? -EBUSY : insert_locked(xa, pos, index, entry);
	xa_unlock(xa);
	return ret;
}

int xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit, gfp_t gfp)
{
	u64 free_index = limit.min;
	int ret = -EBUSY;
	u32 pos;

	(void)gfp;
	xa_lock(xa);
	pos = position_locked(xa, limit.min);
	while (is_at_locked(xa, pos, (unsigned long)free_index)) {
		pos++;
		free_index++;
	}
	if (free_index <= limit.max)
		ret = insert_locked(xa, pos, (unsigned long)free_index, entry);
	xa_unlock(xa);
	if (!ret)
		*id = (u32)free_index;
	return ret;
}

static void *find_from(struct xarray *xa, unsigned long first, unsigned long *index,
		       unsigned long max)
{
	void *entry = NULL;
	u32 pos;

	xa_lock(xa);
	pos = position_locked(xa, first);
	if (pos < xa->count && xa->entries[pos].index <= max) {
		*index = xa->entries[pos].index;
		entry = xa->entries[pos].pointer;
	}
	xa_unlock(xa);
	return entry;
}

void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max, u32 filter)
{
	(void)filter;
	return find_from(xa, *index, index, max);
}

void *xa_find_after(struct xarray *xa, unsigned long *index, unsigned long max, u32 filter)
{
	(void)filter;
	return *index == ULONG_MAX ? NULL : find_from(xa, *index + 1, index, max);
}

bool xa_empty(const struct xarray *xa)
{
	return !xa->count;
}

void xa_destroy(struct xarray *xa)
{
	xa_lock(xa);
	base_free(xa->entries);
	xa->entries = NULL;
	xa->count = 0;
	xa->room = 0;
	xa_unlock(xa);
}
