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

int rdma_rw_ctx_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
		     struct scatterlist *sg, u32 sg_cnt, u32 sg_offset, u64 remote_addr, u32 rkey,
		     enum dma_data_direction dir);

void rdma_rw_ctx_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
			 struct scatterlist *sg, u32 sg_cnt, enum dma_data_direction dir);

struct ib_send_wr *rdma_rw_ctx_wrs(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num,
				   struct ib_cqe *cqe, struct ib_send_wr *chain_wr);

int rdma_rw_ctx_post(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port_num, struct ib_cqe *cqe,
		     struct ib_send_wr *chain_wr);

void rdma_rw_init_qp(struct ib_device *dev, struct ib_qp_init_attr *attr);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_RW_H */
