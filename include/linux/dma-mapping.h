/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Names of the DMA API that the verbs use. All memory is reachable at its own address. */
#ifndef VERBENA_LINUX_DMA_MAPPING_H
#define VERBENA_LINUX_DMA_MAPPING_H

#include <linux/types.h>

enum dma_data_direction {
	DMA_BIDIRECTIONAL = 0,
	DMA_TO_DEVICE = 1,
	DMA_FROM_DEVICE = 2,
	DMA_NONE = 3,
};

#define DMA_MAPPING_ERROR (~(dma_addr_t)0)
#define DMA_ATTR_WEAK_ORDERING (1UL << 1)
#define DMA_ATTR_SKIP_CPU_SYNC (1UL << 5)
#define DMA_ATTR_NO_WARN (1UL << 8)
#define DMA_BIT_MASK(n) ((n) == 64 ? ~0ULL : (1ULL << (n)) - 1)

#endif /* VERBENA_LINUX_DMA_MAPPING_H */
