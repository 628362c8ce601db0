/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Protection domains, queue pairs, shared receive queues and completion queues. */
#ifndef VERBENA_RDMA_IB_VERBS_QUEUES_H
#define VERBENA_RDMA_IB_VERBS_QUEUES_H

#include <rdma/ib_verbs_ah.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ib_pd *__ib_alloc_pd(struct ib_device *device, unsigned int flags, const char *caller);

#define ib_alloc_pd(device, flags) __ib_alloc_pd((device), (flags), KBUILD_MODNAME)

int ib_dealloc_pd_user(struct ib_pd *pd, struct ib_udata *udata);

static inline void ib_dealloc_pd(struct ib_pd *pd)
{
	const int ret = ib_dealloc_pd_user(pd, NULL);

	(void)WARN_ONCE(ret, "a kernel user's protection domain was not freed");
}

struct ib_qp *ib_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr,
				  const char *caller);

static inline struct ib_qp *ib_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *init_attr)
{
	return ib_create_qp_kernel(pd, init_attr, KBUILD_MODNAME);
}

bool ib_modify_qp_is_ok(enum ib_qp_state cur_state, enum ib_qp_state next_state,
			enum ib_qp_type type, enum ib_qp_attr_mask mask);

int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask);

int ib_modify_qp_with_udata(struct ib_qp *qp, struct ib_qp_attr *attr, int attr_mask,
			    struct ib_udata *udata);

int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
		struct ib_qp_init_attr *qp_init_attr);

int ib_destroy_qp_user(struct ib_qp *qp, struct ib_udata *udata);

static inline int ib_destroy_qp(struct ib_qp *qp)
{
	return ib_destroy_qp_user(qp, NULL);
}

struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd, struct ib_qp_open_attr *qp_open_attr);

int ib_close_qp(struct ib_qp *qp);

int ib_post_send(struct ib_qp *qp, const struct ib_send_wr *send_wr,
		 const struct ib_send_wr **bad_send_wr);

int ib_post_recv(struct ib_qp *qp, const struct ib_recv_wr *recv_wr,
		 const struct ib_recv_wr **bad_recv_wr);

void ib_drain_sq(struct ib_qp *qp);

void ib_drain_rq(struct ib_qp *qp);

void ib_drain_qp(struct ib_qp *qp);

int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);

int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);

static inline const struct ib_rdma_wr *rdma_wr(const struct ib_send_wr *wr)
{
	return (const struct ib_rdma_wr *)(const void *)wr;
}

static inline const struct ib_atomic_wr *atomic_wr(const struct ib_send_wr *wr)
{
	return (const struct ib_atomic_wr *)(const void *)wr;
}

static inline const struct ib_ud_wr *ud_wr(const struct ib_send_wr *wr)
{
	return (const struct ib_ud_wr *)(const void *)wr;
}

static inline const struct ib_reg_wr *reg_wr(const struct ib_send_wr *wr)
{
	return (const struct ib_reg_wr *)(const void *)wr;
}

static inline bool ib_srq_has_cq(enum ib_srq_type srq_type)
{
	return srq_type == IB_SRQT_XRC || srq_type == IB_SRQT_TM;
}

struct ib_srq *ib_create_srq_user(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr,
				  struct ib_usrq_object *uobject, struct ib_udata *udata);

static inline struct ib_srq *ib_create_srq(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr)
{
	return ib_create_srq_user(pd, srq_init_attr, NULL, NULL);
}

int ib_modify_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr,
		  enum ib_srq_attr_mask srq_attr_mask);

int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr);

int ib_destroy_srq_user(struct ib_srq *srq, struct ib_udata *udata);

static inline void ib_destroy_srq(struct ib_srq *srq)
{
	const int ret = ib_destroy_srq_user(srq, NULL);

	(void)WARN_ONCE(ret, "a kernel user's shared receive queue was not destroyed");
}

static inline int ib_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *recv_wr,
				   const struct ib_recv_wr **bad_recv_wr)
{
	const struct ib_recv_wr *unwanted;

	return srq->device->ops.post_srq_recv(srq, recv_wr, bad_recv_wr ? bad_recv_wr : &unwanted);
}

struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *priv, int nr_cqe, int comp_vector,
			    enum ib_poll_context poll_ctx, const char *caller);

static inline struct ib_cq *ib_alloc_cq(struct ib_device *dev, void *priv, int nr_cqe,
					int comp_vector, enum ib_poll_context poll_ctx)
{
	return __ib_alloc_cq(dev, priv, nr_cqe, comp_vector, poll_ctx, KBUILD_MODNAME);
}

struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *priv, int nr_cqe,
				enum ib_poll_context poll_ctx, const char *caller);

static inline struct ib_cq *ib_alloc_cq_any(struct ib_device *dev, void *priv, int nr_cqe,
					    enum ib_poll_context poll_ctx)
{
	return __ib_alloc_cq_any(dev, priv, nr_cqe, poll_ctx, KBUILD_MODNAME);
}

void ib_free_cq(struct ib_cq *cq);

int ib_process_cq_direct(struct ib_cq *cq, int budget);

struct ib_cq *__ib_create_cq(struct ib_device *device, ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *, void *), void *cq_context,
			     const struct ib_cq_init_attr *cq_attr, const char *caller);

#define ib_create_cq(device, cmp_hndlr, evt_hndlr, cq_ctxt, cq_attr) \
	__ib_create_cq((device), (cmp_hndlr), (evt_hndlr), (cq_ctxt), (cq_attr), KBUILD_MODNAME)

int ib_resize_cq(struct ib_cq *cq, int cqe);

int rdma_set_cq_moderation(struct ib_cq *cq, u16 cq_count, u16 cq_period);

int ib_destroy_cq_user(struct ib_cq *cq, struct ib_udata *udata);

static inline void ib_destroy_cq(struct ib_cq *cq)
{
	const int ret = ib_destroy_cq_user(cq, NULL);

	(void)WARN_ONCE(ret, "a kernel user's completion queue was not destroyed");
}

int ib_poll_cq(struct ib_cq *cq, int num_entries, struct ib_wc *wc);

static inline int ib_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return cq->device->ops.req_notify_cq(cq, flags);
}

struct ib_cq *ib_cq_pool_get(struct ib_device *dev, unsigned int nr_cqe, int comp_vector_hint,
			     enum ib_poll_context poll_ctx);

void ib_cq_pool_put(struct ib_cq *cq, unsigned int nr_cqe);

const char *ib_wc_status_msg(enum ib_wc_status status);

struct ib_xrcd *ib_alloc_xrcd_user(struct ib_device *device, struct inode *inode,
				   struct ib_udata *udata);

int ib_dealloc_xrcd_user(struct ib_xrcd *xrcd, struct ib_udata *udata);

struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init_attr);

int ib_destroy_wq_user(struct ib_wq *wq, struct ib_udata *udata);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_QUEUES_H */
