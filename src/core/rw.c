/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * RDMA READ and WRITE between a scatterlist here and a range of addresses there, in as few work
 * requests as the QP allows: one; several of as many SGEs as it takes; or, where registering is
 * better than many SGEs, pairs of a registration and a request.
 */
#include <rdma/rw.h>

#include <linux/bug.h>
#include <linux/slab.h>
#include <string.h>

#include "base/cause.h"
#include "core/core_priv.h"

/* rdma_rw_ctx.type */
enum { SINGLE_WR, WR_CHAIN, REGISTRATIONS };

/* Larger MRs cost memory for their page lists, and little is gained. */
#define MR_PAGES_MAX 256u

static bool can_use_mrs(const struct ib_device *dev, u32 port_num)
{
	return rdma_protocol_iwarp(dev, port_num) || dev->attrs.max_sgl_rd;
}

/* How many SGEs a READ may have before registering is the better way; WRITEs never need it. */
static bool needs_mrs(const struct ib_device *dev, u32 port_num, enum dma_data_direction dir,
		      u32 entries)
{
	if (dir != DMA_FROM_DEVICE)
		return false;
	return rdma_protocol_iwarp(dev, port_num) ||
	       (dev->attrs.max_sgl_rd && entries > dev->attrs.max_sgl_rd);
}

static u32 pages_per_mr(const struct ib_device *dev, bool integrity)
{
	const u32 pages = integrity ? dev->attrs.max_pi_fast_reg_page_list_len
				    : dev->attrs.max_fast_reg_page_list_len;

	return pages < MR_PAGES_MAX ? pages : MR_PAGES_MAX;
}

static enum ib_wr_opcode opcode_of(enum dma_data_direction dir)
{
	return dir == DMA_TO_DEVICE ? IB_WR_RDMA_WRITE : IB_WR_RDMA_READ;
}

/* What is asked for, with the list from where it begins. */
struct transfer {
	struct ib_qp *qp;
	u32 port_num;
	struct scatterlist *sg;
	u32 sg_cnt;
	u32 offset; /* in the first entry */
	u64 remote_addr;
	u32 rkey;
	enum dma_data_direction dir;
};

static void init_wr(struct ib_rdma_wr *wr, const struct transfer *t, struct ib_sge *sges,
		    u32 sge_count)
{
	wr->wr.opcode = opcode_of(t->dir);
	wr->wr.sg_list = sges;
	wr->wr.num_sge = (int)sge_count;
	wr->remote_addr = t->remote_addr;
	wr->rkey = t->rkey;
}

/* The first entry of what is left, as an SGE. */
static void take_entry(struct transfer *t, struct ib_sge *sge)
{
	sge->addr = sg_dma_address(t->sg) + t->offset;
	sge->length = sg_dma_len(t->sg) - t->offset;
	sge->lkey = t->qp->pd->local_dma_lkey;
	t->remote_addr += sge->length;
	t->offset = 0;
	t->sg_cnt--;
	t->sg = sg_next(t->sg);
}

static int init_single(struct rdma_rw_ctx *ctx, struct transfer *t)
{
	memset(&ctx->single, 0, sizeof(ctx->single));
	init_wr(&ctx->single.wr, t, &ctx->single.sge, 1);
	take_entry(t, &ctx->single.sge);
	ctx->nr_ops = 1;
	ctx->type = SINGLE_WR;
	return 1;
}

static int init_chain(struct rdma_rw_ctx *ctx, struct transfer *t)
{
	const u32 limit = t->dir == DMA_TO_DEVICE ? t->qp->max_write_sge : t->qp->max_read_sge;
	const u32 per_wr = limit ? limit : 1;
	struct ib_sge *sge = kcalloc(t->sg_cnt, sizeof(*sge), GFP_KERNEL);
	const u32 ops = (t->sg_cnt + per_wr - 1) / per_wr;
	struct ib_rdma_wr *wrs = kcalloc(ops, sizeof(*wrs), GFP_KERNEL);

	if (!sge || !wrs) {
		kfree(sge);
		kfree(wrs);
		return base_refuse(-ENOMEM, NO_MEMORY, t->sg_cnt * sizeof(*sge));
	}
	ctx->map.sges = sge;
	ctx->map.wrs = wrs;
	ctx->nr_ops = ops;
	ctx->type = WR_CHAIN;
	for (u32 i = 0; i < ops; i++) {
		const u32 count = t->sg_cnt < per_wr ? t->sg_cnt : per_wr;

		init_wr(&wrs[i], t, sge, count);
		for (u32 j = 0; j < count; j++)
			take_entry(t, sge++);
		wrs[i].wr.next = i + 1 < ops ? &wrs[i + 1].wr : NULL;
	}
	return (int)ops;
}

/* Take an MR for the next entries. An MR that was used needs its old key taken back first. */
static int init_mr(struct rdma_rw_reg_ctx *reg, struct transfer *t, u32 entries)
{
	struct ib_qp *qp = t->qp;
	unsigned int offset = t->offset;
	int mapped, wrs = 1;

	reg->mr = ib_mr_pool_get(qp, &qp->rdma_mrs);
	if (!reg->mr)
		return base_refuse_qp(-EAGAIN, qp->qp_num, RW_NO_MR, (uint64_t)qp->mrs_used);
	mapped = ib_map_mr_sg(reg->mr, t->sg, (int)entries, &offset, PAGE_SIZE);
	if (mapped < (int)entries) {
		ib_mr_pool_put(qp, &qp->rdma_mrs, reg->mr);
		return base_refuse_qp(-EINVAL, qp->qp_num, RW_GAPS, (uint64_t)mapped, entries);
	}
	if (reg->mr->need_inval) {
		reg->inv_wr.opcode = IB_WR_LOCAL_INV;
		reg->inv_wr.ex.invalidate_rkey = reg->mr->lkey;
		reg->inv_wr.next = &reg->reg_wr.wr;
		wrs++;
	}
	reg->reg_wr.wr.opcode = IB_WR_REG_MR;
	reg->reg_wr.wr.next = &reg->wr.wr;
	reg->reg_wr.mr = reg->mr;
	reg->reg_wr.access = IB_ACCESS_LOCAL_WRITE;
	if (rdma_protocol_iwarp(qp->device, t->port_num))
		reg->reg_wr.access |= IB_ACCESS_REMOTE_WRITE;
	reg->sge.addr = reg->mr->iova;
	reg->sge.length = (u32)reg->mr->length;
	return wrs;
}

static void init_mr_wr(struct rdma_rw_reg_ctx *reg, struct transfer *t, u32 entries)
{
	init_wr(&reg->wr, t, &reg->sge, 1);
	if (t->dir != DMA_TO_DEVICE && rdma_cap_read_inv(t->qp->device, t->port_num)) {
		reg->wr.wr.opcode = IB_WR_RDMA_READ_WITH_INV;
		reg->wr.wr.ex.invalidate_rkey = reg->mr->lkey;
	}
	t->remote_addr += reg->sge.length;
	t->offset = 0;
	t->sg_cnt -= entries;
	for (u32 i = 0; i < entries; i++)
		t->sg = sg_next(t->sg);
}

static struct ib_send_wr *first_of(struct rdma_rw_reg_ctx *reg)
{
	return reg->inv_wr.next ? &reg->inv_wr : &reg->reg_wr.wr;
}

static void put_mrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 count)
{
	while (count--)
		ib_mr_pool_put(qp, &qp->rdma_mrs, ctx->reg[count].mr);
	kfree(ctx->reg);
}

static int init_registrations(struct rdma_rw_ctx *ctx, struct transfer *t)
{
	const u32 pages = pages_per_mr(t->qp->device, t->qp->integrity_en);
	const u32 per_mr = pages ? pages : 1;
	int wrs = 0;

	ctx->nr_ops = (t->sg_cnt + per_mr - 1) / per_mr;
	ctx->reg = kcalloc(ctx->nr_ops, sizeof(*ctx->reg), GFP_KERNEL);
	if (!ctx->reg)
		return base_refuse(-ENOMEM, NO_MEMORY, ctx->nr_ops * sizeof(*ctx->reg));
	for (u32 i = 0; i < ctx->nr_ops; i++) {
		const u32 entries = t->sg_cnt < per_mr ? t->sg_cnt : per_mr;
		const int ret = init_mr(&ctx->reg[i], t, entries);

		if (ret < 0) {
			put_mrs(ctx, t->qp, i);
			return ret;
		}
		init_mr_wr(&ctx->reg[i], t, entries);
		if (i)
			ctx->reg[i - 1].wr.wr.next = first_of(&ctx->reg[i]);
		wrs += ret + 1;
	}
	ctx->type = REGISTRATIONS;
	return wrs;
}

/* Move on to the entry in which the offset lies. */
static bool skip_offset(struct transfer *t)
{
	while (t->sg_cnt && t->offset >= sg_dma_len(t->sg)) {
		t->offset -= sg_dma_len(t->sg);
		t->sg_cnt--;
		t->sg = sg_next(t->sg);
	}
	return t->sg_cnt > 0;
}

int rdma_rw_ctx_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct scatterlist *sg, u32 sg_cnt, u32 sg_offset, u64 remote_addr, u32 rkey,
		     enum dma_data_direction dir)
{
	struct ib_device *dev = qp->pd->device;
	struct transfer t = {
		.qp = qp,
		.port_num = port_num,
		.sg = sg,
		.offset = sg_offset,
		.remote_addr = remote_addr,
		.rkey = rkey,
		.dir = dir,
	};
	const int mapped = ib_dma_map_sg(dev, sg, (int)sg_cnt, dir);
	int ret;

	if (mapped <= 0)
		return base_refuse_qp(-ENOMEM, qp->qp_num, RW_NOT_MAPPED, sg_cnt);
	t.sg_cnt = (u32)mapped;
	if (!skip_offset(&t))
		ret = base_refuse_qp(-EIO, qp->qp_num, RW_OFFSET, sg_offset);
	else if (needs_mrs(dev, port_num, dir, t.sg_cnt))
		ret = init_registrations(ctx, &t);
	else if (t.sg_cnt > 1)
		ret = init_chain(ctx, &t);
	else
		ret = init_single(ctx, &t);
	if (ret < 0)
		ib_dma_unmap_sg(dev, sg, (int)sg_cnt, dir);
	return ret;
}

/* Each use of an MR has a key of its own, so that a late request for the one before is caught. */
static void renew_key(struct rdma_rw_reg_ctx *reg)
{
	reg->mr->need_inval = reg->wr.wr.opcode != IB_WR_RDMA_READ_WITH_INV;
	ib_update_fast_reg_key(reg->mr, (u8)ib_inc_rkey(reg->mr->lkey));
	reg->reg_wr.key = reg->mr->lkey;
	reg->sge.lkey = reg->mr->lkey;
	if (!reg->mr->need_inval)
		reg->wr.wr.ex.invalidate_rkey = reg->mr->lkey;
}

struct ib_send_wr *rdma_rw_ctx_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct ib_cqe *cqe, struct ib_send_wr *chain_wr)
{
	struct ib_send_wr *first, *last;

	(void)qp;
	(void)port_num;
	switch (ctx->type) {
	case REGISTRATIONS:
		for (u32 i = 0; i < ctx->nr_ops; i++)
			renew_key(&ctx->reg[i]);
		first = first_of(&ctx->reg[0]);
		last = &ctx->reg[ctx->nr_ops - 1].wr.wr;
		break;
	case WR_CHAIN:
		first = &ctx->map.wrs[0].wr;
		last = &ctx->map.wrs[ctx->nr_ops - 1].wr;
		break;
	default:
		first = &ctx->single.wr.wr;
		last = &ctx->single.wr.wr;
		break;
	}
	if (chain_wr) {
		last->next = chain_wr;
	} else {
		last->wr_cqe = cqe;
		last->send_flags |= IB_SEND_SIGNALED;
	}
	return first;
}

int rdma_rw_ctx_post(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num, struct ib_cqe *cqe,
		     struct ib_send_wr *chain_wr)
{
	return ib_post_send(qp, rdma_rw_ctx_wrs(ctx, qp, port_num, cqe, chain_wr), NULL);
}

void rdma_rw_ctx_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			 struct scatterlist *sg, u32 sg_cnt, enum dma_data_direction dir)
{
	(void)port_num;
	if (ctx->type == REGISTRATIONS) {
		put_mrs(ctx, qp, ctx->nr_ops);
	} else if (ctx->type == WR_CHAIN) {
		kfree(ctx->map.wrs);
		kfree(ctx->map.sges);
	}
	ib_dma_unmap_sg(qp->pd->device, sg, (int)sg_cnt, dir);
}

void rdma_rw_init_qp(struct ib_device *dev, struct ib_qp_init_attr *attr)
{
	const bool with_mrs = (attr->create_flags & IB_QP_CREATE_INTEGRITY_EN) ||
			      (attr->port_num && can_use_mrs(dev, attr->port_num));
	/* A context's request, and with an MR its registration and invalidation. */
	const u64 wanted =
		attr->cap.max_send_wr + (u64)(with_mrs ? 3 : 1) * attr->cap.max_rdma_ctxs;
	const u64 most = (u64)dev->attrs.max_qp_wr;

	WARN_ON_ONCE(!attr->port_num);
	attr->cap.max_send_wr = (u32)(wanted < most ? wanted : most);
}

int rdma_rw_init_mrs(struct ib_qp *qp, struct ib_qp_init_attr *attr)
{
	const bool integrity = attr->create_flags & IB_QP_CREATE_INTEGRITY_EN;
	const int count = (int)attr->cap.max_rdma_ctxs;
	const u32 pages = pages_per_mr(qp->device, integrity);
	int ret;

	if (!count || (!integrity && !can_use_mrs(qp->device, attr->port_num)))
		return 0;
	ret = ib_mr_pool_init(qp, &qp->rdma_mrs, count, IB_MR_TYPE_MEM_REG, pages, 0);
	if (ret || !integrity)
		return ret;
	ret = ib_mr_pool_init(qp, &qp->sig_mrs, count, IB_MR_TYPE_INTEGRITY, pages, pages);
	if (ret)
		ib_mr_pool_destroy(qp, &qp->rdma_mrs);
	return ret;
}

void rdma_rw_cleanup_mrs(struct ib_qp *qp)
{
	ib_mr_pool_destroy(qp, &qp->sig_mrs);
	ib_mr_pool_destroy(qp, &qp->rdma_mrs);
}
