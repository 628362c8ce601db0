/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A piece of a page. */
#ifndef VERBENA_LINUX_BVEC_H
#define VERBENA_LINUX_BVEC_H

#include <linux/mm.h>

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_len;
	unsigned int bv_offset;
};

static inline void *bvec_virt(const struct bio_vec *bvec)
{
	return (char *)page_address(bvec->bv_page) + bvec->bv_offset;
}

#endif /* VERBENA_LINUX_BVEC_H */
