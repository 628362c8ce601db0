/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* From a scatter list to the pages of a fast-registration MR: ib_sg_to_pages(). */
#include <rdma/ib_verbs.h>

#include "base/cause.h"

/*
 * A walk over the list. Bytes before @at are mapped: they lie in pages that set_page() has got.
 * The MR is one range of bytes, so an inner boundary must either not be one (the next entry
 * continues where this one ends) or lie between two pages.
 */
struct sg_walk {
	struct ib_mr *mr;
	int (*set_page)(struct ib_mr *mr, u64 page);
	u64 at;
	u64 page_bytes;
	bool some_mapped;
};

/* Map up to @end. Stops early, with the error, where set_page() takes no more. */
static int map_to(struct sg_walk *w, u64 end)
{
	u64 page = w->at & ~(w->page_bytes - 1);
	int ret;

	/* The page that @at is inside of was handed over with the bytes before it. */
	if (w->some_mapped && page != w->at)
		page += w->page_bytes;
	for (; page < end; page += w->page_bytes) {
		ret = w->set_page(w->mr, page);
		if (ret < 0) {
			w->at = w->some_mapped ? page : w->at;
			return ret;
		}
		w->some_mapped = true;
	}
	w->at = end;
	return 0;
}

/* Whether the next entry may follow: it continues, or both sides are at the edge of a page. */
static bool may_follow(const struct sg_walk *w, u64 start)
{
	return start == w->at || ((start | w->at) & (w->page_bytes - 1)) == 0;
}

int ib_sg_to_pages(struct ib_mr *mr, struct scatterlist *sgl, int sg_nents, unsigned int *sg_offset,
		   int (*set_page)(struct ib_mr *, u64))
{
	const unsigned int skip = sg_offset ? *sg_offset : 0;
	struct sg_walk w = {.mr = mr, .set_page = set_page, .page_bytes = mr->page_size};
	struct scatterlist *sg;
	unsigned int stopped = 0;
	int i, ret;

	if (sg_nents <= 0 || skip > sg_dma_len(&sgl[0]))
		return base_refuse(-EINVAL, MR_SG_RANGE, (u32)sg_nents, skip,
				   sg_nents > 0 ? sg_dma_len(&sgl[0]) : 0);
	if (!w.page_bytes || (w.page_bytes & (w.page_bytes - 1)))
		return base_refuse(-EINVAL, MR_PAGE_SIZE, w.page_bytes);
	mr->iova = sg_dma_address(&sgl[0]) + skip;
	mr->length = 0;
	for_each_sg(sgl, sg, sg_nents, i) {
		const u64 start = sg_dma_address(sg) + (i ? 0 : skip);
		const u64 end = sg_dma_address(sg) + sg_dma_len(sg);

		if (i && !may_follow(&w, start))
			break;
		w.at = start;
		ret = map_to(&w, end);
		mr->length += w.at - start;
		if (ret) {
			if (!w.some_mapped)
				return ret;
			stopped = (unsigned int)(w.at - sg_dma_address(sg));
			break;
		}
	}
	if (sg_offset)
		*sg_offset = stopped;
	return i;
}
