/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The kernel's allocator over the base layer's: always zero-filled; NULL on overflow. */
#ifndef VERBENA_LINUX_SLAB_H
#define VERBENA_LINUX_SLAB_H

#include <string.h>
#include <linux/gfp.h>
#include <linux/verbena_base.h>

static inline void *kzalloc(size_t size, gfp_t flags)
{
	(void)flags;
	return base_zalloc(size);
}

static inline void *kmalloc(size_t size, gfp_t flags)
{
	return kzalloc(size, flags);
}

static inline void *kcalloc(size_t n, size_t size, gfp_t flags)
{
	(void)flags;
	return base_zalloc_array(n, size);
}

static inline void *kmalloc_array(size_t n, size_t size, gfp_t flags)
{
	return kcalloc(n, size, flags);
}

static inline void kfree(const void *memory)
{
	base_free((void *)(uintptr_t)memory);
}

static inline void *kmemdup(const void *source, size_t size, gfp_t flags)
{
	void *copy = kmalloc(size, flags);

	return copy ? memcpy(copy, source, size) : NULL;
}

static inline char *kstrdup(const char *source, gfp_t flags)
{
	return source ? (char *)kmemdup(source, strlen(source) + 1, flags) : NULL;
}

#define kmalloc_node(size, flags, node) kmalloc((size), (flags))
#define kzalloc_node(size, flags, node) kzalloc((size), (flags))
#define kcalloc_node(n, size, flags, node) kcalloc((n), (size), (flags))
#define kmalloc_array_node(n, size, flags, node) kmalloc_array((n), (size), (flags))
#define kvmalloc(size, flags) kmalloc((size), (flags))
#define kvzalloc(size, flags) kzalloc((size), (flags))
#define kvcalloc(n, size, flags) kcalloc((n), (size), (flags))
#define kvfree(memory) kfree(memory)
#define vmalloc(size) base_zalloc(size)
#define vzalloc(size) base_zalloc(size)
#define vfree(memory) kfree(memory)

#endif /* VERBENA_LINUX_SLAB_H */
