/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Pages, and allocation contexts, none of which means anything here: memory is zero-filled. */
#ifndef VERBENA_LINUX_GFP_H
#define VERBENA_LINUX_GFP_H

#include <linux/mm.h>
#include <linux/verbena_base.h>

#define GFP_KERNEL ((gfp_t)0x1)
#define GFP_ATOMIC ((gfp_t)0x2)
#define GFP_NOWAIT ((gfp_t)0x4)
#define GFP_NOIO ((gfp_t)0x8)
#define GFP_NOFS ((gfp_t)0x10)
#define GFP_USER ((gfp_t)0x20)
#define __GFP_ZERO ((gfp_t)0x40)
#define __GFP_NOWARN ((gfp_t)0x80)

/* The block begins somewhere in front of the first page; its address is kept there. */
static inline unsigned long __get_free_pages(gfp_t flags, unsigned int order)
{
	const unsigned long room = PAGE_SIZE + sizeof(void *);
	unsigned long page;
	void *block;

	(void)flags;
	if (order >= BITS_PER_LONG - PAGE_SHIFT - 1)
		return 0;
	block = base_zalloc((PAGE_SIZE << order) + room);
	if (!block)
		return 0;
	page = PAGE_ALIGN((unsigned long)block + sizeof(void *));
	((void **)page)[-1] = block;
	return page;
}

static inline void free_pages(unsigned long addr, unsigned int order)
{
	(void)order;
	if (addr)
		base_free(((void **)addr)[-1]);
}

static inline struct page *alloc_pages(gfp_t flags, unsigned int order)
{
	return (struct page *)__get_free_pages(flags, order);
}

static inline void __free_pages(struct page *page, unsigned int order)
{
	free_pages((unsigned long)page, order);
}

#define alloc_page(flags) alloc_pages((flags), 0)
#define __free_page(page) __free_pages((page), 0)
#define __get_free_page(flags) __get_free_pages((flags), 0)
#define get_zeroed_page(flags) __get_free_pages((flags), 0)
#define free_page(addr) free_pages((addr), 0)

#endif /* VERBENA_LINUX_GFP_H */
