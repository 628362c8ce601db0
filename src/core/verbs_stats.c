/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory of a provider's counter set. */
#include <rdma/ib_verbs.h>

#include "base/alloc.h"
#include "base/cause.h"

struct rdma_hw_stats *rdma_alloc_hw_stats_struct(const struct rdma_stat_desc *descs,
						 int num_counters, unsigned long lifespan)
{
	const size_t count = num_counters > 0 ? (size_t)num_counters : 0;
	struct rdma_hw_stats *stats;

	stats = base_zalloc(sizeof(*stats) + count * sizeof(stats->value[0]));
	if (!stats)
		return NULL;
	stats->is_disabled = base_zalloc_array(BITS_TO_LONGS(count), sizeof(unsigned long));
	if (!stats->is_disabled) {
		base_free(stats);
		return NULL;
	}
	mutex_init(&stats->lock);
	stats->descs = descs;
	stats->num_counters = (int)count;
	if (!lifespan)
		lifespan = RDMA_HW_STATS_DEFAULT_LIFESPAN;
	stats->lifespan = msecs_to_jiffies((unsigned int)lifespan);
	return stats;
}

void rdma_free_hw_stats_struct(struct rdma_hw_stats *stats)
{
	if (!stats)
		return;
	base_free(stats->is_disabled);
	base_free(stats);
}
