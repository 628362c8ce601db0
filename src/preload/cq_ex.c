// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Extended CQs. Those of librxe 44 consume one entry too many whenever a loop of next_poll() ends
 * because the CQ is empty, and then unlock twice. Here each step takes one completion with the
 * plain poll, which is correct, and keeps it aside for the read functions.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/verbena_base.h>
#include <pthread.h>

#include "preload/library.h"

#define BUCKETS 256u
#define CACHE_LINE_BITS 6

/* What belongs to an extended CQ and has no place in its own structure. */
struct side {
	const struct ibv_cq_ex *cq;
	struct side *next; /* atomic */
	pthread_mutex_t polling;
	struct ibv_wc wc;
};

static struct {
	spinlock_t lock; /* who changes */
	struct side *bucket[BUCKETS];
} sides;

static struct side **bucket_of(const struct ibv_cq_ex *cq)
{
	const uintptr_t address = (uintptr_t)cq >> CACHE_LINE_BITS;

	return &sides.bucket[(address ^ (address >> 8)) % BUCKETS];
}

static struct side *side_of(const struct ibv_cq_ex *cq)
{
	struct side *side;

	rcu_read_lock();
	for (side = rcu_dereference(*bucket_of(cq)); side && side->cq != cq;
	     side = rcu_dereference(side->next))
		;
	rcu_read_unlock();
	return side;
}

static int take_one(struct ibv_cq_ex *cq, struct side *side)
{
	const int got = preload_poll_cq(ibv_cq_ex_to_cq(cq), 1, &side->wc);

	if (got <= 0)
		return got ? -got : ENOENT;
	cq->wr_id = side->wc.wr_id;
	cq->status = side->wc.status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr)
{
	struct side *side = side_of(cq);
	int ret;

	if (attr->comp_mask)
		return EINVAL;
	pthread_mutex_lock(&side->polling);
	ret = take_one(cq, side);
	if (ret)
		pthread_mutex_unlock(&side->polling);
	return ret;
}

static int next_poll(struct ibv_cq_ex *cq)
{
	return take_one(cq, side_of(cq));
}

static void end_poll(struct ibv_cq_ex *cq)
{
	pthread_mutex_unlock(&side_of(cq)->polling);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.vendor_err;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.wc_flags;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.src_qp;
}

static uint32_t read_slid(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.slid;
}

static uint8_t read_sl(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.sl;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *cq)
{
	return side_of(cq)->wc.dlid_path_bits;
}

/* Only what the program has asked for may be there. */
#define REPLACE(cq, name)                  \
	do {                               \
		if ((cq)->name)            \
			(cq)->name = name; \
	} while (0)

static void replace_functions(struct ibv_cq_ex *cq)
{
	cq->start_poll = start_poll;
	cq->next_poll = next_poll;
	cq->end_poll = end_poll;
	REPLACE(cq, read_opcode);
	REPLACE(cq, read_vendor_err);
	REPLACE(cq, read_wc_flags);
	REPLACE(cq, read_byte_len);
	REPLACE(cq, read_imm_data);
	REPLACE(cq, read_qp_num);
	REPLACE(cq, read_src_qp);
	REPLACE(cq, read_slid);
	REPLACE(cq, read_sl);
	REPLACE(cq, read_dlid_path_bits);
}

void preload_cq_ex_replace(struct ibv_cq_ex *cq)
{
	struct side *side = base_zalloc(sizeof(*side));
	struct side **bucket = bucket_of(cq);

	if (!side)
		return; /* it stays as it is */
	side->cq = cq;
	pthread_mutex_init(&side->polling, NULL);
	spin_lock(&sides.lock);
	side->next = *bucket;
	rcu_assign_pointer(*bucket, side);
	spin_unlock(&sides.lock);
	replace_functions(cq);
}

void preload_cq_ex_forget(const struct ibv_cq_ex *cq)
{
	struct side **at = bucket_of(cq), *side;

	spin_lock(&sides.lock);
	while (*at && (*at)->cq != cq)
		at = &(*at)->next;
	side = *at;
	if (side)
		rcu_assign_pointer(*at, side->next);
	spin_unlock(&sides.lock);
	if (!side)
		return;
	synchronize_rcu();
	pthread_mutex_destroy(&side->polling);
	base_free(side);
}
