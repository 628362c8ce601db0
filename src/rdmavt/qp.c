// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Queue pairs come and go: rvt_create_qp() and rvt_destroy_qp(). */
#include "base/alloc.h"
#include "rdmavt/mmap.h"
#include "rdmavt/mw.h"
#include "rdmavt/qp_priv.h"
#include "rdmavt/ring_abi.h"
#include "rdmavt/ring_rxe.h"

#define INLINE_STEP_BYTES 16u

static u8 get_allowed_ops(enum ib_qp_type type)
{
	if (type == IB_QPT_RC)
		return IB_OPCODE_RC;
	return type == IB_QPT_UC ? IB_OPCODE_UC : IB_OPCODE_UD;
}

static void free_ud_wq_attr(struct rvt_qp *qp)
{
	if (qp->allowed_ops != IB_OPCODE_UD)
		return;
	for (u32 i = 0; i < qp->s_size; i++) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, i);

		base_free(wqe->ud_wr.attr);
		wqe->ud_wr.attr = NULL;
	}
}

static int alloc_ud_wq_attr(struct rvt_qp *qp, int node)
{
	(void)node;
	if (qp->allowed_ops != IB_OPCODE_UD)
		return 0;
	for (u32 i = 0; i < qp->s_size; i++) {
		struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp, i);

		wqe->ud_wr.attr = base_zalloc(sizeof(*wqe->ud_wr.attr));
		if (!wqe->ud_wr.attr) {
			free_ud_wq_attr(qp);
			return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*wqe->ud_wr.attr));
		}
	}
	return 0;
}

static u32 most_inline(const struct rvt_dev_info *rdi)
{
	const u32 most = rdi->dparms.max_inline;

	return most && most < RVT_MAX_INLINE_BYTES ? most : RVT_MAX_INLINE_BYTES;
}

static int check_caps(const struct rvt_dev_info *rdi, const struct ib_qp_init_attr *attr)
{
	const struct ib_device_attr *props = &rdi->dparms.props;
	const struct ib_qp_cap *cap = &attr->cap;
	const u32 most_wr = (u32)props->max_qp_wr;

	if (cap->max_send_sge > (u32)props->max_send_sge || cap->max_send_sge > U8_MAX ||
	    cap->max_send_wr > most_wr)
		return base_refuse(-EINVAL, QP_CREATE_SEND, cap->max_send_wr, cap->max_send_sge,
				   most_wr, (u32)props->max_send_sge);
	if (cap->max_inline_data > most_inline(rdi))
		return base_refuse(-EINVAL, QP_CREATE_INLINE, cap->max_inline_data,
				   most_inline(rdi));
	if (attr->srq)
		return 0;
	if (cap->max_recv_sge > (u32)props->max_recv_sge || cap->max_recv_sge > U8_MAX ||
	    cap->max_recv_wr > most_wr)
		return base_refuse(-EINVAL, QP_CREATE_RECEIVE, cap->max_recv_wr, cap->max_recv_sge,
				   most_wr, (u32)props->max_recv_sge);
	if (!(cap->max_send_sge | cap->max_send_wr | cap->max_recv_sge | cap->max_recv_wr))
		return base_refuse(-EINVAL, QP_CREATE_EMPTY);
	return 0;
}

static int check_partners(const struct rvt_dev_info *rdi, const struct ib_qp_init_attr *attr)
{
	if (!attr->send_cq || !attr->recv_cq)
		return base_refuse(-EINVAL, QP_CREATE_NO_CQ);
	if (attr->send_cq->device != &rdi->ibdev || attr->recv_cq->device != &rdi->ibdev ||
	    (attr->srq && attr->srq->device != &rdi->ibdev))
		return base_refuse(-EINVAL, QP_CREATE_OTHER_DEVICE);
	return 0;
}

static int check_init_attr(const struct rvt_dev_info *rdi, const struct ib_qp_init_attr *attr)
{
	const enum ib_qp_type type = attr->qp_type;
	const bool special = type == IB_QPT_SMI || type == IB_QPT_GSI;
	const u32 unknown = attr->create_flags & ~(u32)IB_QP_CREATE_NETDEV_USE;
	int ret;

	if (unknown)
		return base_refuse(-EOPNOTSUPP, QP_CREATE_FLAGS, attr->create_flags, unknown);
	ret = check_caps(rdi, attr);
	if (ret)
		return ret;
	if (special && (!attr->port_num || attr->port_num > rdi->ibdev.phys_port_cnt))
		return base_refuse(-EINVAL, QP_CREATE_PORT, type, attr->port_num,
				   rdi->ibdev.phys_port_cnt);
	if (!special && type != IB_QPT_RC && type != IB_QPT_UC && type != IB_QPT_UD)
		return base_refuse(-EOPNOTSUPP, QP_CREATE_TYPE, type);
	return check_partners(rdi, attr);
}

static void take_at_most(u32 *value, u32 most)
{
	if (*value > most)
		*value = most;
}

/* The rings of a process may be larger than what it has asked for, but for what nobody is to have. */
static int take_caps(const struct rvt_dev_info *rdi, struct ib_qp_cap *cap, bool srq,
		     const struct ib_udata *udata)
{
	int ret;

	if (!rvt_ring_rxe_wanted(rdi, udata))
		return 0;
	ret = rvt_ring_rxe_check_udata(udata, sizeof(struct rxe_create_qp_resp));
	if (ret)
		return ret;
	rvt_ring_rxe_round_caps(cap, srq);
	take_at_most(&cap->max_send_sge, (u32)rdi->dparms.props.max_send_sge);
	take_at_most(&cap->max_inline_data, most_inline(rdi));
	return 0;
}

static int zalloc_array_of(void **out, size_t n, size_t bytes)
{
	*out = base_zalloc_array(n, bytes);
	return *out ? 0 : base_refuse(-ENOMEM, NO_MEMORY, n * bytes);
}

/* Where a process puts its send requests. */
static int make_send_ring(struct rvt_dev_info *rdi, struct rvt_qp *qp,
			  const struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	const struct rvt_ring like = {.ops = &rvt_ring_rxe_sq_ops,
				      .rdi = rdi,
				      .kind = RVT_RING_SQ,
				      .capacity = attr->cap.max_send_wr,
				      .max_sge = attr->cap.max_send_sge,
				      .inline_bytes = attr->cap.max_inline_data,
				      .datagrams = attr->qp_type == IB_QPT_UD};
	struct rvt_ring *ring = rvt_ring_new(&like, udata);

	if (IS_ERR(ring))
		return (int)PTR_ERR(ring);
	qp->s_ring = ring;
	return 0;
}

/* The send queue, and what the slots refer to. On failure free_queues() undoes it. */
static int alloc_send_queue(struct rvt_dev_info *rdi, struct rvt_qp *qp,
			    const struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	const u32 inline_bytes = (attr->cap.max_inline_data + INLINE_STEP_BYTES - 1) /
				 INLINE_STEP_BYTES * INLINE_STEP_BYTES;
	size_t slot_bytes;
	int ret;

	qp->s_size = attr->cap.max_send_wr + 1 + rdi->dparms.reserved_operations;
	qp->s_max_sge = (u8)attr->cap.max_send_sge;
	/* Inline data is one SGE, which names the slot's own room. */
	if (inline_bytes && !qp->s_max_sge)
		qp->s_max_sge = 1;
	slot_bytes = sizeof(struct rvt_swqe) + qp->s_max_sge * sizeof(struct rvt_sge);
	ret = zalloc_array_of((void **)&qp->s_wq, qp->s_size, slot_bytes);
	if (ret)
		return ret;
	if (rvt_ring_rxe_wanted(rdi, udata)) {
		ret = make_send_ring(rdi, qp, attr, udata);
		if (ret)
			return ret;
	}
	if (inline_bytes) {
		ret = zalloc_array_of((void **)&qp->s_inline, qp->s_size, inline_bytes);
		if (ret)
			return ret;
		qp->s_inline_bytes = inline_bytes;
	}
	return alloc_ud_wq_attr(qp, rdi->dparms.node);
}

/* The receive ring unless there is an SRQ, and what responding needs. free_queues() undoes it. */
static int alloc_receive_queue(struct rvt_dev_info *rdi, struct rvt_qp *qp,
			       const struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	const u32 max_sge = attr->srq ? ibsrq_to_rvtsrq(attr->srq)->rq.max_sge
				      : attr->cap.max_recv_sge;
	u64 ring_bytes;
	int ret;

	if (max_sge > 1) {
		ret = zalloc_array_of((void **)&qp->r_sg_list, max_sge - 1, sizeof(*qp->r_sg_list));
		if (ret)
			return ret;
	}
	if (attr->qp_type == IB_QPT_RC) {
		ret = zalloc_array_of((void **)&qp->s_ack_queue, rvt_max_atomic(rdi),
				      sizeof(*qp->s_ack_queue));
		if (ret)
			return ret;
	}
	if (attr->srq)
		return 0;
	if (rvt_ring_rxe_wanted(rdi, udata))
		return rvt_rq_make_ring(rdi, &qp->r_rq, attr->cap.max_recv_wr,
					attr->cap.max_recv_sge, udata);
	qp->r_rq.size = attr->cap.max_recv_wr + 1;
	qp->r_rq.max_sge = (u8)attr->cap.max_recv_sge;
	spin_lock_init(&qp->r_rq.lock);
	ring_bytes = (u64)qp->r_rq.size *
		     (sizeof(struct rvt_rwqe) + qp->r_rq.max_sge * sizeof(struct rvt_wqe_sge));
	if (ring_bytes > U32_MAX)
		return base_refuse(-ENOMEM, NO_MEMORY, ring_bytes);
	ret = rvt_alloc_rq(&qp->r_rq, (u32)ring_bytes, rdi->dparms.node, udata);
	qp->ip = qp->r_rq.ip;
	return ret;
}

static void free_queues(struct rvt_qp *qp)
{
	qp->ip = NULL;
	rvt_rq_free(&qp->r_rq);
	rvt_ring_delete(qp->s_ring);
	qp->s_ring = NULL;
	base_free(qp->s_ack_queue);
	qp->s_ack_queue = NULL;
	base_free(qp->r_sg_list);
	qp->r_sg_list = NULL;
	if (qp->s_wq)
		free_ud_wq_attr(qp);
	base_free(qp->s_inline);
	qp->s_inline = NULL;
	base_free(qp->s_wq);
	qp->s_wq = NULL;
}

/* Tell the process where its rings can be mapped: 0 where there is none. */
static int tell_rings(const struct rvt_qp *qp, struct ib_udata *udata)
{
	__u64 offset = qp->ip ? qp->ip->offset : 0;

	if (qp->s_ring)
		return rvt_ring_rxe_tell_qp(qp->r_rq.ring, qp->s_ring, udata);
	return ib_copy_to_udata(udata, &offset, sizeof(offset));
}

/* Every RC QP adds to the time that acknowledgements may take. */
static void count_rc_locked(struct rvt_dev_info *rdi, int more) REQUIRES(rdi->n_qps_lock)
{
	rdi->n_rc_qps = (u32)((int)rdi->n_rc_qps + more);
	__atomic_store_n(&rdi->busy_jiffies, rdi->n_rc_qps / RC_QP_SCALING_INTERVAL,
			 __ATOMIC_RELAXED);
}

static int count_qp(struct rvt_dev_info *rdi, enum ib_qp_type type)
{
	const u32 most = (u32)rdi->dparms.props.max_qp;
	bool full;

	spin_lock(&rdi->n_qps_lock);
	full = rdi->n_qps_allocated >= most;
	if (!full) {
		rdi->n_qps_allocated++;
		if (type == IB_QPT_RC)
			count_rc_locked(rdi, 1);
	}
	spin_unlock(&rdi->n_qps_lock);
	return full ? base_refuse(-ENOMEM, QP_COUNT, most) : 0;
}

static void uncount_qp(struct rvt_dev_info *rdi, enum ib_qp_type type)
{
	spin_lock(&rdi->n_qps_lock);
	rdi->n_qps_allocated--;
	if (type == IB_QPT_RC)
		count_rc_locked(rdi, -1);
	spin_unlock(&rdi->n_qps_lock);
}

static void init_fields(struct rvt_qp *qp, const struct ib_qp_init_attr *attr)
{
	qp->allowed_ops = get_allowed_ops(attr->qp_type);
	spin_lock_init(&qp->r_lock);
	spin_lock_init(&qp->s_hlock);
	spin_lock_init(&qp->s_lock);
	atomic_set(&qp->refcount, 0);
	atomic_set(&qp->local_ops_pending, 0);
	init_waitqueue_head(&qp->wait);
	INIT_LIST_HEAD(&qp->rspwait);
	INIT_LIST_HEAD(&qp->late_link);
	rvt_qp_timers_init(qp);
	rvt_qp_events_init(qp);
	rvt_qp_set_state(qp, IB_QPS_RESET);
	qp->s_avail = attr->cap.max_send_wr;
	qp->port_num = (u8)attr->port_num;
	qp->signal_all = attr->sq_sig_type != IB_SIGNAL_REQ_WR;
	if (!qp->signal_all)
		qp->s_flags = RVT_S_SIGNAL_REQ_WR;
}

int rvt_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init_attr, struct ib_udata *udata)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);
	struct ib_udata *mapper = rvt_ring_abi_wanted(udata) ? udata : NULL;
	struct rvt_dev_info *rdi;
	int ret;

	if (!ibqp->device)
		return base_refuse(-EINVAL, QP_NO_DEVICE);
	rdi = ib_to_rvt(ibqp->device);
	ret = check_init_attr(rdi, init_attr);
	if (!ret)
		ret = take_caps(rdi, &init_attr->cap, init_attr->srq, udata);
	if (ret)
		return ret;
	init_fields(qp, init_attr);
	ret = alloc_send_queue(rdi, qp, init_attr, mapper);
	if (!ret)
		ret = alloc_receive_queue(rdi, qp, init_attr, mapper);
	if (ret)
		goto queues;
	qp->priv = rdi->driver_f.qp_priv_alloc(rdi, qp);
	if (IS_ERR(qp->priv)) {
		ret = (int)PTR_ERR(qp->priv);
		goto queues;
	}
	ret = rvt_qpn_take(rdi, init_attr);
	if (ret < 0)
		goto priv;
	ibqp->qp_num = (u32)ret;
	rvt_qp_start_over(rdi, qp);
	ret = rdi->driver_f.qp_priv_init ? rdi->driver_f.qp_priv_init(rdi, qp, init_attr) : 0;
	if (ret)
		goto qpn;
	ret = mapper ? tell_rings(qp, mapper) : 0;
	if (!ret)
		ret = count_qp(rdi, init_attr->qp_type);
	if (ret)
		goto qpn;
	/* Any process but none: which one is nobody's question here. */
	qp->pid = udata ? 1 : 0;
	init_attr->cap.max_inline_data = qp->s_inline_bytes;
	take_at_most(&init_attr->cap.max_inline_data, most_inline(rdi));
	rvt_mmap_offer(rdi, qp->ip);
	return 0;

qpn:
	rvt_qpn_give(rdi, ibqp, init_attr->port_num);
priv:
	rdi->driver_f.qp_priv_free(rdi, qp);
queues:
	free_queues(qp);
	return ret;
}

static bool unreferenced(void *arg)
{
	const struct rvt_qp *qp = arg;

	return atomic_read_acquire(&qp->refcount) == 0;
}

int rvt_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);
	struct rvt_dev_info *rdi = ib_to_rvt(ibqp->device);

	(void)udata;
	rvt_qp_reset(rdi, qp);
	(void)base_wait_until(unreferenced, qp, BASE_FOREVER_NS);
	(void)base_cancel_work(&qp->event_work, true);
	rvt_mw_qp_gone(rdi, ibqp->qp_num);
	rvt_qpn_give(rdi, ibqp, qp->port_num);
	uncount_qp(rdi, ibqp->qp_type);
	rdi->driver_f.qp_priv_free(rdi, qp);
	free_queues(qp);
	rdma_destroy_ah_attr(&qp->remote_ah_attr);
	rdma_destroy_ah_attr(&qp->alt_ah_attr);
	return 0;
}
