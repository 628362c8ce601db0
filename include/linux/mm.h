/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Pages: a struct page pointer is the address of the page's first byte. */
#ifndef VERBENA_LINUX_MM_H
#define VERBENA_LINUX_MM_H

#include <linux/types.h>

struct page;
struct vm_area_struct;

#ifndef PAGE_SHIFT
#define PAGE_SHIFT 12
#endif
#ifndef PAGE_SIZE
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#endif
#ifndef PAGE_MASK
#define PAGE_MASK (~(PAGE_SIZE - 1))
#endif
#ifndef PAGE_ALIGN
#define PAGE_ALIGN(addr) (((addr) + PAGE_SIZE - 1) & PAGE_MASK)
#endif
#ifndef offset_in_page
#define offset_in_page(p) ((unsigned long)(p) & ~PAGE_MASK)
#endif

static inline void *page_address(const struct page *page)
{
	return (void *)(uintptr_t)page;
}

static inline struct page *virt_to_page(const void *addr)
{
	return (struct page *)((uintptr_t)addr & PAGE_MASK);
}

#endif /* VERBENA_LINUX_MM_H */
