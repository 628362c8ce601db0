/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One end of a conversation, by the public API: the objects of a queue pair, and memory. */
#ifndef TESTS_COMMON_VERBS_END_H
#define TESTS_COMMON_VERBS_END_H

#include <rdma/ib_verbs.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct verbs_end_options - What the end is like.
 * @type: Of the queue pair.
 * @depth: Requests of each queue.
 * @sges: SGEs of a request.
 * @inline_bytes: max_inline_data.
 * @bytes: Of memory; 0 for no MR.
 * @access: Of the MR.
 */
struct verbs_end_options {
	enum ib_qp_type type;
	uint32_t depth;
	uint32_t sges;
	uint32_t inline_bytes;
	size_t bytes;
	int access;
};

struct verbs_end {
	struct ib_pd *pd;
	struct ib_cq *cq; /* of both queues, with room for both */
	struct ib_qp *qp; /* in RESET; all requests are signalled */
	struct ib_mr *mr; /* of @mem, whose addresses are its iova */
	uint8_t *mem;
};

/**
 * verbs_end_open() - Make the objects.
 * @end: Out; zero after a failure.
 * @device: May be an error pointer, which fails.
 * @options: What they are like.
 *
 * Return: 0, or the negative errno of the call that failed.
 */
int verbs_end_open(struct verbs_end *end, struct ib_device *device,
		   const struct verbs_end_options *options);

/** verbs_end_close() - Destroy what there is of it; nothing, if it is zero. */
void verbs_end_close(struct verbs_end *end);

#endif
