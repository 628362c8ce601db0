/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rdmavt's queue pairs: what drivers and the transport do with them. */
#ifndef VERBENA_RDMA_RDMAVT_QP_H
#define VERBENA_RDMA_RDMAVT_QP_H

#include <linux/hash.h>
#include <linux/slab.h>
#include <rdma/rdmavt_qp_types.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const int ib_rvt_state_ops[IB_QPS_ERR + 1];

int rvt_error_qp(struct rvt_qp *qp, enum ib_wc_status err);

void rvt_rc_error(struct rvt_qp *qp, enum ib_wc_status err);

int rvt_get_rwqe(struct rvt_qp *qp, bool wr_id_only);

void rvt_comm_est(struct rvt_qp *qp);

unsigned long rvt_rnr_tbl_to_usec(u32 index);

enum hrtimer_restart rvt_rc_rnr_retry(struct hrtimer *t);

void rvt_add_rnr_timer(struct rvt_qp *qp, u32 aeth);

void rvt_stop_rc_timers(struct rvt_qp *qp);

void rvt_del_timers_sync(struct rvt_qp *qp);

void rvt_add_retry_timer_ext(struct rvt_qp *qp, u8 shift);

void rvt_send_complete(struct rvt_qp *qp, struct rvt_swqe *wqe, enum ib_wc_status status);

void rvt_copy_sge(struct rvt_qp *qp, struct rvt_sge_state *ss, void *data, u32 length, bool release,
		  bool copy_last);

void rvt_ruc_loopback(struct rvt_qp *sqp);

struct rvt_qp_iter *rvt_qp_iter_init(struct rvt_dev_info *rdi, u64 v,
				     void (*cb)(struct rvt_qp *qp, u64 v));

int rvt_qp_iter_next(struct rvt_qp_iter *iter);

void rvt_qp_iter(struct rvt_dev_info *rdi, u64 v, void (*cb)(struct rvt_qp *qp, u64 v));

__be32 rvt_compute_aeth(struct rvt_qp *qp);

void rvt_get_credit(struct rvt_qp *qp, u32 aeth);

u32 rvt_restart_sge(struct rvt_sge_state *ss, struct rvt_swqe *wqe, u32 len);

static inline struct rvt_ah *rvt_get_swqe_ah(struct rvt_swqe *swqe)
{
	return ibah_to_rvtah(swqe->ud_wr.wr.ah);
}

static inline struct rdma_ah_attr *rvt_get_swqe_ah_attr(struct rvt_swqe *swqe)
{
	return swqe->ud_wr.attr;
}

static inline u32 rvt_get_swqe_remote_qpn(struct rvt_swqe *swqe)
{
	return swqe->ud_wr.wr.remote_qpn;
}

static inline u32 rvt_get_swqe_remote_qkey(struct rvt_swqe *swqe)
{
	return swqe->ud_wr.wr.remote_qkey;
}

static inline u16 rvt_get_swqe_pkey_index(struct rvt_swqe *swqe)
{
	return swqe->ud_wr.wr.pkey_index;
}

static inline u32 rvt_get_rq_count(struct rvt_rq *rq, u32 head, u32 tail)
{
	return head >= tail ? head - tail : head - tail + rq->size;
}

static inline struct rvt_srq *ibsrq_to_rvtsrq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct rvt_srq, ibsrq);
}

static inline struct rvt_qp *ibqp_to_rvtqp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct rvt_qp, ibqp);
}

static inline struct rvt_swqe *rvt_get_swqe_ptr(struct rvt_qp *qp, unsigned n)
{
	const size_t slot_bytes = sizeof(struct rvt_swqe) + qp->s_max_sge * sizeof(struct rvt_sge);

	return (struct rvt_swqe *)(void *)((char *)qp->s_wq + n * slot_bytes);
}

static inline struct rvt_rwqe *rvt_get_rwqe_ptr(struct rvt_rq *rq, unsigned n)
{
	const size_t slot_bytes =
		sizeof(struct rvt_rwqe) + rq->max_sge * sizeof(struct rvt_wqe_sge);

	return (struct rvt_rwqe *)(void *)((char *)rq->kwq->curr_wq + n * slot_bytes);
}

static inline bool rvt_is_user_qp(struct rvt_qp *qp)
{
	return qp->pid != 0;
}

static inline void rvt_get_qp(struct rvt_qp *qp)
{
	atomic_inc(&qp->refcount);
}

static inline void rvt_put_qp(struct rvt_qp *qp)
{
	/* After the last reference the QP may be gone; wake_up() does not look into it. */
	if (qp && atomic_dec_and_test(&qp->refcount))
		wake_up(&qp->wait);
}

static inline void rvt_put_swqe(struct rvt_swqe *wqe)
{
	for (int i = 0; i < wqe->wr.num_sge; i++)
		rvt_put_mr(wqe->sg_list[i].mr);
}

static inline void rvt_put_qp_swqe(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	rvt_put_swqe(wqe);
	if (qp->allowed_ops == IB_OPCODE_UD)
		rdma_destroy_ah_attr(wqe->ud_wr.attr);
}

static inline void rvt_qp_wqe_reserve(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	(void)wqe;
	atomic_inc(&qp->s_reserved_used);
}

static inline void rvt_qp_wqe_unreserve(struct rvt_qp *qp, int flags)
{
	if (flags & RVT_SEND_RESERVE_USED)
		atomic_dec(&qp->s_reserved_used);
}

static inline int rvt_cmp_msn(u32 a, u32 b)
{
	return (int)((a - b) << 8);
}

static inline u32 rvt_div_round_up_mtu(struct rvt_qp *qp, u32 len)
{
	return (u32)(((u64)len + qp->pmtu - 1) >> qp->log_pmtu);
}

static inline u32 rvt_div_mtu(struct rvt_qp *qp, u32 len)
{
	return len >> qp->log_pmtu;
}

static inline unsigned long rvt_timeout_to_jiffies(u8 timeout)
{
	const u64 ns = (u64)4096 << (timeout > 31 ? 31 : timeout);

	return nsecs_to_jiffies(ns + BASE_NS_PER_JIFFY - 1);
}

static inline struct rvt_qp *rvt_lookup_qpn(struct rvt_dev_info *rdi, struct rvt_ibport *rvp,
					    u32 qpn)
{
	struct rvt_qp *qp;

	if (qpn <= 1)
		return rcu_dereference(rvp->qp[qpn]);
	qp = rcu_dereference(rdi->qp_dev->qp_table[hash_32(qpn, rdi->qp_dev->qp_table_bits)]);
	while (qp && qp->ibqp.qp_num != qpn)
		qp = rcu_dereference(qp->next);
	return qp;
}

static inline void rvt_mod_retry_timer_ext(struct rvt_qp *qp, u8 shift)
{
	const struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);
	const u64 wait_jiffies = rdi->busy_jiffies + ((u64)qp->timeout_jiffies << shift);

	qp->s_flags |= RVT_S_TIMER;
	(void)base_timer_arm(&qp->s_timer.base, wait_jiffies * BASE_NS_PER_JIFFY);
}

static inline void rvt_mod_retry_timer(struct rvt_qp *qp)
{
	rvt_mod_retry_timer_ext(qp, 0);
}

static inline void rvt_add_retry_timer(struct rvt_qp *qp)
{
	rvt_add_retry_timer_ext(qp, 0);
}

static inline u32 rvt_qp_swqe_incr(struct rvt_qp *qp, u32 val)
{
	return val + 1 >= qp->s_size ? 0 : val + 1;
}

static inline void rvt_recv_cq(struct rvt_qp *qp, struct ib_wc *wc, bool solicited)
{
	if (!rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.recv_cq), wc, solicited))
		(void)rvt_error_qp(qp, IB_WC_LOC_QP_OP_ERR);
}

static inline void rvt_send_cq(struct rvt_qp *qp, struct ib_wc *wc, bool solicited)
{
	if (!rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.send_cq), wc, solicited))
		(void)rvt_error_qp(qp, IB_WC_LOC_QP_OP_ERR);
}

static inline u32 ib_cq_tail(struct ib_cq *send_cq)
{
	const struct rvt_cq *cq = ibcq_to_rvtcq(send_cq);

	return cq->queue ? RDMA_READ_UAPI_ATOMIC(cq->queue->tail)
			 : smp_load_acquire(&cq->kqueue->tail);
}

static inline u32 ib_cq_head(struct ib_cq *send_cq)
{
	const struct rvt_cq *cq = ibcq_to_rvtcq(send_cq);

	return cq->queue ? RDMA_READ_UAPI_ATOMIC(cq->queue->head)
			 : smp_load_acquire(&cq->kqueue->head);
}

static inline void rvt_free_rq(struct rvt_rq *rq)
{
	kvfree(rq->kwq);
	rq->kwq = NULL;
	vfree(rq->wq);
	rq->wq = NULL;
}

static inline struct rvt_ibport *rvt_to_iport(struct rvt_qp *qp)
{
	return ib_to_rvt(qp->ibqp.device)->ports[qp->port_num - 1];
}

static inline bool rvt_rc_credit_avail(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	if ((qp->s_flags & RVT_S_UNLIMITED_CREDIT) || rvt_cmp_msn(wqe->ssn, qp->s_lsn + 1) <= 0)
		return true;
	qp->s_flags |= RVT_S_WAIT_SSN_CREDIT;
	rvt_to_iport(qp)->n_rc_crwaits++;
	return false;
}

static inline u32 rvt_qp_complete_swqe(struct rvt_qp *qp, struct rvt_swqe *wqe,
				       enum ib_wc_opcode opcode, enum ib_wc_status status)
{
	const int flags = wqe->wr.send_flags;
	const bool wanted = !(qp->s_flags & RVT_S_SIGNAL_REQ_WR) || (flags & IB_SEND_SIGNALED) ||
			    status != IB_WC_SUCCESS;
	const u32 last = rvt_qp_swqe_incr(qp, qp->s_last);
	struct ib_wc wc;

	memset(&wc, 0, sizeof(wc));
	wc.wr_id = wqe->wr.wr_id;
	wc.status = status;
	wc.opcode = opcode;
	wc.byte_len = wqe->length;
	wc.qp = &qp->ibqp;
	rvt_qp_wqe_unreserve(qp, flags);
	rvt_put_qp_swqe(qp, wqe);
	/* From here on a poster may fill the slot anew. */
	smp_store_release(&qp->s_last, last);
	if (wanted && !(flags & RVT_SEND_RESERVE_USED))
		rvt_send_cq(qp, &wc, status != IB_WC_SUCCESS);
	return last;
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_RDMAVT_QP_H */
