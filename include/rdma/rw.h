/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* RDMA READ and WRITE of whole scatter lists. */
#ifndef VERBENA_RDMA_RW_H
#define VERBENA_RDMA_RW_H

#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <rdma/ib_verbs.h>
#include <rdma/mr_pool.h>

/**
 * struct rdma_rw_reg_ctx - One registration of a transfer.
 * @sge: The local side.
 * @wr: The READ or WRITE.
 * @reg_wr: The registration ahead of it.
 * @inv_wr: Invalidation of the previous key ahead of that.
 * @mr: From the QP's pool.
 */
struct rdma_rw_reg_ctx {
	struct ib_sge sge;
	struct ib_rdma_wr wr;
	struct ib_reg_wr reg_wr;
	struct ib_send_wr inv_wr;
	struct ib_mr *mr;
};

/**
 * struct rdma_rw_ctx - State of one transfer.
 * @nr_ops: Number of READs or WRITEs it takes.
 * @type: Which of the members below is in use (private to the core).
 * @single: One request with one SGE.
 * @single.sge: Its SGE.
 * @single.wr: The request.
 * @map: Several requests with the SGEs of the scatter list.
 * @map.sges: All SGEs.
 * @map.wrs: The requests.
 * @reg: Registrations.
 */
struct rdma_rw_ctx {
	u32 nr_ops;
	u8 type;
	union {
		struct {
			struct ib_sge sge;
			struct ib_rdma_wr wr;
		} single;
		struct {
			struct ib_sge *sges;
			struct ib_rdma_wr *wrs;
		} map;
		struct rdma_rw_reg_ctx *reg;
	};
};

#ifdef __cplusplus
extern "C" {
#endif

/**
 * rdma_rw_ctx_init() - Prepare to read or write a scatter list remotely.
 * @ctx: Out; the caller's until rdma_rw_ctx_destroy().
 * @qp: Created with cap.max_rdma_ctxs, which bounds the contexts in use at a time.
 * @port_num: Port of @qp.
 * @sg: Local memory; mapped here.
 * @sg_cnt: Entries of it.
 * @sg_offset: Bytes to skip.
 * @remote_addr: Remote memory.
 * @rkey: Its key.
 * @dir: DMA_TO_DEVICE to WRITE, DMA_FROM_DEVICE to READ.
 *
 * Context: May sleep.
 * Return: Entries of the send queue that it takes; or -EIO if mapping failed; -EAGAIN if no MR is
 *	left; -EINVAL if the list ends before @sg_offset; -ENOMEM.
 */
int rdma_rw_ctx_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct scatterlist *sg, u32 sg_cnt, u32 sg_offset, u64 remote_addr, u32 rkey,
		     enum dma_data_direction dir);

/**
 * rdma_rw_ctx_destroy() - Release what rdma_rw_ctx_init() took.
 * @ctx: Its requests have completed, or were never posted.
 * @qp: As then.
 * @port_num: As then.
 * @sg: As then.
 * @sg_cnt: As then.
 * @dir: As then.
 *
 * Context: Any that may free memory.
 */
void rdma_rw_ctx_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			 struct scatterlist *sg, u32 sg_cnt, enum dma_data_direction dir);

/**
 * rdma_rw_ctx_wrs() - The requests of a prepared transfer as a chain.
 * @ctx: From rdma_rw_ctx_init().
 * @qp: As then.
 * @port_num: As then.
 * @cqe: Gets the completion of the last request, which is then signalled. Unused with @chain_wr.
 * @chain_wr: A request of the caller's to append, which has the completion; or NULL.
 *
 * Return: First of the chain, for ib_post_send() once.
 */
struct ib_send_wr *rdma_rw_ctx_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct ib_cqe *cqe, struct ib_send_wr *chain_wr);

/**
 * rdma_rw_ctx_post() - Post a prepared transfer.
 * @ctx: From rdma_rw_ctx_init().
 * @qp: As then.
 * @port_num: As then.
 * @cqe: As in rdma_rw_ctx_wrs().
 * @chain_wr: As in rdma_rw_ctx_wrs().
 *
 * Context: As ib_post_send().
 * Return: As ib_post_send().
 */
int rdma_rw_ctx_post(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num, struct ib_cqe *cqe,
		     struct ib_send_wr *chain_wr);

/**
 * rdma_rw_init_qp() - Enlarge a send queue for transfers (the core, when it creates a QP).
 * @dev: Which device.
 * @attr: cap.max_send_wr grows with cap.max_rdma_ctxs, up to what the device has.
 */
void rdma_rw_init_qp(struct ib_device *dev, struct ib_qp_init_attr *attr);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_RW_H */
