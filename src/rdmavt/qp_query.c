// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* rvt_query_qp(): what rvt_modify_qp() and rvt_create_qp() were told, and what has come of it. */
#include "rdmavt/qp_priv.h"

static struct ib_qp_cap caps_of(const struct rvt_dev_info *rdi, const struct rvt_qp *qp)
{
	return (struct ib_qp_cap){
		.max_send_wr = qp->s_size - 1 - rdi->dparms.reserved_operations,
		.max_send_sge = qp->s_max_sge,
		.max_recv_wr = qp->ibqp.srq ? 0 : qp->r_rq.size - 1,
		.max_recv_sge = qp->r_rq.max_sge,
		.max_inline_data = qp->s_inline_bytes,
	};
}

static void fill_attr_locked(const struct rvt_dev_info *rdi, const struct rvt_qp *qp,
			     struct ib_qp_attr *attr)
{
	const u32 psn_mask = (u32)rdi->dparms.psn_mask;

	attr->qp_state = (enum ib_qp_state)qp->state;
	attr->cur_qp_state = attr->qp_state;
	attr->path_mtu = (enum ib_mtu)rdi->driver_f.mtu_to_path_mtu(qp->pmtu);
	attr->path_mig_state = (enum ib_mig_state)qp->s_mig_state;
	attr->qkey = qp->qkey;
	attr->rq_psn = qp->r_psn & psn_mask;
	attr->sq_psn = qp->s_next_psn & psn_mask;
	attr->dest_qp_num = qp->remote_qpn;
	attr->qp_access_flags = rvt_qp_access(qp);
	attr->cap = caps_of(rdi, qp);
	attr->ah_attr = qp->remote_ah_attr;
	attr->alt_ah_attr = qp->alt_ah_attr;
	attr->pkey_index = qp->s_pkey_index;
	attr->alt_pkey_index = qp->s_alt_pkey_index;
	attr->en_sqd_async_notify = qp->sqd_notify;
	attr->sq_draining = qp->s_draining;
	attr->max_rd_atomic = qp->s_max_rd_atomic;
	attr->max_dest_rd_atomic = qp->r_max_rd_atomic;
	attr->min_rnr_timer = qp->r_min_rnr_timer;
	attr->port_num = qp->port_num;
	attr->timeout = qp->timeout;
	attr->retry_cnt = qp->s_retry_cnt;
	attr->rnr_retry = qp->s_rnr_retry_cnt;
	attr->alt_port_num = qp->alt_port_num;
	attr->alt_timeout = qp->alt_timeout;
	attr->rate_limit = 0;
	attr->xmit_slave = NULL;
}

int rvt_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int attr_mask,
		 struct ib_qp_init_attr *init_attr)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibqp->device);
	struct rvt_qp *qp = ibqp_to_rvtqp(ibqp);

	(void)attr_mask;
	/* All at one moment, where the kernel's rdmavt takes no lock and may tear. */
	rvt_qp_lock(qp);
	if (rdi->driver_f.refresh_qp)
		rdi->driver_f.refresh_qp(qp);
	fill_attr_locked(rdi, qp, attr);
	rvt_qp_unlock(qp);
	*init_attr = (struct ib_qp_init_attr){
		.event_handler = ibqp->event_handler,
		.qp_context = ibqp->qp_context,
		.send_cq = ibqp->send_cq,
		.recv_cq = ibqp->recv_cq,
		.srq = ibqp->srq,
		.xrcd = NULL,
		.cap = attr->cap,
		.sq_sig_type = qp->signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = ibqp->qp_type,
		.create_flags = (ibqp->qp_num & ~(u32)RVT_AIP_QP_SUFFIX) == RVT_AIP_QP_BASE
					? IB_QP_CREATE_NETDEV_USE
					: 0,
		.port_num = attr->port_num,
	};
	return 0;
}
