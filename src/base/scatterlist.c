// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Scatter lists. As in the kernel sg_next() is no inline function: who walks by count need not
 * look at the end mark, and an analyser that saw the NULL would ask for it.
 */
#include <linux/scatterlist.h>

struct scatterlist *sg_next(struct scatterlist *sg)
{
	if (sg_is_last(sg))
		return NULL;
	sg++;
	return sg_is_chain(sg) ? sg_chain_ptr(sg) : sg;
}
