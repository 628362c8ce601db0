/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Scatter lists. page_link is the address of a page, or with bit 0 set that of the next
 * list, or with bit 1 set the page of the last entry.
 */
#ifndef VERBENA_LINUX_SCATTERLIST_H
#define VERBENA_LINUX_SCATTERLIST_H

#include <string.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/mm.h>

struct scatterlist {
	unsigned long page_link;
	unsigned int offset;
	unsigned int length;
	dma_addr_t dma_address;
	unsigned int dma_length;
};

struct sg_table {
	struct scatterlist *sgl;
	unsigned int nents;
	unsigned int orig_nents;
};

#define SG_CHAIN 0x01UL
#define SG_END 0x02UL
#define SG_PAGE_LINK_MASK (SG_CHAIN | SG_END)

#define sg_dma_address(sg) ((sg)->dma_address)
#define sg_dma_len(sg) ((sg)->dma_length)

static inline bool sg_is_chain(const struct scatterlist *sg)
{
	return (sg->page_link & SG_CHAIN) != 0;
}

static inline bool sg_is_last(const struct scatterlist *sg)
{
	return (sg->page_link & SG_END) != 0;
}

static inline struct scatterlist *sg_chain_ptr(const struct scatterlist *sg)
{
	return (struct scatterlist *)(sg->page_link & ~SG_PAGE_LINK_MASK);
}

static inline void sg_mark_end(struct scatterlist *sg)
{
	sg->page_link = (sg->page_link | SG_END) & ~SG_CHAIN;
}

static inline void sg_unmark_end(struct scatterlist *sg)
{
	sg->page_link &= ~SG_END;
}

static inline void sg_assign_page(struct scatterlist *sg, struct page *page)
{
	sg->page_link = (sg->page_link & SG_END) | (unsigned long)(uintptr_t)page;
}

static inline void sg_set_page(struct scatterlist *sg, struct page *page, unsigned int len,
			       unsigned int offset)
{
	sg_assign_page(sg, page);
	sg->offset = offset;
	sg->length = len;
}

static inline void sg_set_buf(struct scatterlist *sg, const void *buf, unsigned int buflen)
{
	sg_set_page(sg, virt_to_page(buf), buflen, (unsigned int)offset_in_page(buf));
}

static inline struct page *sg_page(const struct scatterlist *sg)
{
	return (struct page *)(sg->page_link & ~SG_PAGE_LINK_MASK);
}

static inline void *sg_virt(const struct scatterlist *sg)
{
	return (char *)page_address(sg_page(sg)) + sg->offset;
}

static inline void sg_init_table(struct scatterlist *sgl, unsigned int nents)
{
	memset(sgl, 0, sizeof(*sgl) * nents);
	sg_mark_end(&sgl[nents - 1]);
}

static inline void sg_init_one(struct scatterlist *sg, const void *buf, unsigned int buflen)
{
	sg_init_table(sg, 1);
	sg_set_buf(sg, buf, buflen);
}

/* Makes the last of @prv's @prv_nents entries a link to @sgl. */
static inline void sg_chain(struct scatterlist *prv, unsigned int prv_nents,
			    struct scatterlist *sgl)
{
	struct scatterlist *link = &prv[prv_nents - 1];

	link->offset = 0;
	link->length = 0;
	link->page_link = ((unsigned long)(uintptr_t)sgl | SG_CHAIN) & ~SG_END;
}

/* The entry behind @sg, through links; NULL behind the last. */
struct scatterlist *sg_next(struct scatterlist *sg);

static inline int sg_nents(struct scatterlist *sg)
{
	int n = 0;

	for (; sg; sg = sg_next(sg))
		n++;
	return n;
}

#define for_each_sg(sglist, sg, nr, i) for (i = 0, sg = (sglist); i < (nr); i++, sg = sg_next(sg))
#define for_each_sgtable_sg(sgt, sg, i) for_each_sg((sgt)->sgl, sg, (sgt)->orig_nents, i)
#define for_each_sgtable_dma_sg(sgt, sg, i) for_each_sg((sgt)->sgl, sg, (sgt)->nents, i)

#endif /* VERBENA_LINUX_SCATTERLIST_H */
