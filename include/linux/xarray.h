/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A sparse array of pointers: entries sorted by index. Meant for tens of entries that are
 * looked up now and then, not for the data path.
 */
#ifndef VERBENA_LINUX_XARRAY_H
#define VERBENA_LINUX_XARRAY_H

#include <limits.h>
#include <linux/gfp.h>
#include <linux/spinlock.h>

#ifdef __cplusplus
extern "C" {
#endif

struct base_xa_entry {
	unsigned long index;
	void *pointer;
};

struct xarray {
	struct base_lock xa_lock;
	gfp_t xa_flags;
	u32 count;
	u32 room;
	struct base_xa_entry *entries;
};

struct xa_limit {
	u32 max;
	u32 min;
};

#define XA_FLAGS_ALLOC 1u
#define XA_LIMIT(low, high) ((struct xa_limit){.max = (high), .min = (low)})
#define xa_limit_32b XA_LIMIT(0, UINT_MAX)
#define xa_limit_31b XA_LIMIT(0, INT_MAX)
#define DEFINE_XARRAY_FLAGS(name, flags) struct xarray name = {{0}, (flags), 0, 0, NULL}
#define DEFINE_XARRAY(name) DEFINE_XARRAY_FLAGS(name, 0)
#define DEFINE_XARRAY_ALLOC(name) DEFINE_XARRAY_FLAGS(name, XA_FLAGS_ALLOC)

void xa_init_flags(struct xarray *xa, gfp_t flags);
void *xa_load(struct xarray *xa, unsigned long index);
/* The entry that was there, or NULL; ERR_PTR(-ENOMEM). Storing NULL erases. */
void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
void *xa_erase(struct xarray *xa, unsigned long index);
/* 0; -EBUSY if the index is taken; -ENOMEM. */
int xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
/* Stores at the first free index of @limit: 0; -EBUSY if there is none; -ENOMEM. */
int xa_alloc(struct xarray *xa, u32 *id, void *entry, struct xa_limit limit, gfp_t gfp);
/* The first entry at @index or above, whose index is stored; NULL if there is none. */
void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max, u32 filter);
void *xa_find_after(struct xarray *xa, unsigned long *index, unsigned long max, u32 filter);
bool xa_empty(const struct xarray *xa);
void xa_destroy(struct xarray *xa);

#define XA_PRESENT 8u

static inline void xa_init(struct xarray *xa)
{
	xa_init_flags(xa, 0);
}

static inline bool xa_is_err(const void *entry)
{
	return (unsigned long)entry >= (unsigned long)-4095;
}

static inline int xa_err(const void *entry)
{
	return xa_is_err(entry) ? (int)(long)entry : 0;
}

#define xa_lock(xa) spin_lock(&(xa)->xa_lock)
#define xa_unlock(xa) spin_unlock(&(xa)->xa_lock)

#define xa_for_each_start(xa, index, entry, start)                                   \
	for (index = (start),                                                        \
	    entry = (__typeof__(entry))xa_find((xa), &index, ULONG_MAX, XA_PRESENT); \
	     entry; entry = (__typeof__(entry))xa_find_after((xa), &index, ULONG_MAX, XA_PRESENT))
#define xa_for_each(xa, index, entry) xa_for_each_start(xa, index, entry, 0)

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_LINUX_XARRAY_H */
