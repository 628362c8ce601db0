// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A QP's way into RESET and into ERR, and what happens to its work there [sm 6, sm 7]. */
#include <linux/bitops.h>

#include "rdmavt/qp_priv.h"

/* What each state allows [sm 5]. */
const int ib_rvt_state_ops[IB_QPS_ERR + 1] = {
	[IB_QPS_RESET] = 0,
	[IB_QPS_INIT] = RVT_POST_RECV_OK,
	[IB_QPS_RTR] = RVT_POST_RECV_OK | RVT_PROCESS_RECV_OK,
	[IB_QPS_RTS] = RVT_POST_RECV_OK | RVT_PROCESS_RECV_OK | RVT_POST_SEND_OK |
		       RVT_PROCESS_SEND_OK | RVT_PROCESS_NEXT_SEND_OK,
	[IB_QPS_SQD] = RVT_POST_RECV_OK | RVT_PROCESS_RECV_OK | RVT_POST_SEND_OK |
		       RVT_PROCESS_SEND_OK,
	[IB_QPS_SQE] = RVT_POST_RECV_OK | RVT_PROCESS_RECV_OK | RVT_POST_SEND_OK | RVT_FLUSH_SEND,
	[IB_QPS_ERR] = RVT_POST_RECV_OK | RVT_FLUSH_RECV | RVT_POST_SEND_OK | RVT_FLUSH_SEND,
};

static void rvt_clear_mr_refs(struct rvt_qp *qp, int clr_sends)
{
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);

	if (test_and_clear_bit(RVT_R_REWIND_SGE, &qp->r_aflags))
		rvt_put_ss(&qp->s_rdma_read_sge);
	rvt_put_ss(&qp->r_sge);
	if (clr_sends) {
		while (qp->s_last != qp->s_head) {
			rvt_put_qp_swqe(qp, rvt_get_swqe_ptr(qp, qp->s_last));
			smp_store_release(&qp->s_last, rvt_qp_swqe_incr(qp, qp->s_last));
		}
		if (qp->s_rdma_mr)
			rvt_put_mr(qp->s_rdma_mr);
		qp->s_rdma_mr = NULL;
	}
	for (unsigned int n = 0; qp->s_ack_queue && n < rvt_max_atomic(rdi); n++) {
		struct rvt_ack_entry *e = &qp->s_ack_queue[n];

		if (e->rdma_sge.mr)
			rvt_put_mr(e->rdma_sge.mr);
		e->rdma_sge.mr = NULL;
	}
}

static void rvt_init_qp(struct rvt_dev_info *rdi, struct rvt_qp *qp, enum ib_qp_type type)
{
	const u8 last = type == IB_QPT_RC ? IB_OPCODE_RC_SEND_LAST : IB_OPCODE_UC_SEND_LAST;

	(void)rdi;
	qp->remote_qpn = 0;
	qp->qkey = 0;
	qp->qp_access_flags = 0;
	qp->more_access = 0;
	qp->s_flags &= RVT_S_SIGNAL_REQ_WR;
	qp->s_hdrwords = 0;
	qp->s_wqe = NULL;
	qp->s_draining = 0;
	qp->sqd_notify = false;
	qp->s_next_psn = 0;
	qp->s_last_psn = 0;
	qp->s_sending_psn = 0;
	qp->s_sending_hpsn = 0;
	qp->s_psn = 0;
	qp->r_psn = 0;
	qp->r_msn = 0;
	qp->s_state = last;
	qp->r_state = last;
	qp->s_ack_state = IB_OPCODE_RC_ACKNOWLEDGE;
	qp->s_nak_state = 0;
	qp->r_nak_state = 0;
	qp->r_aflags = 0;
	qp->r_flags = 0;
	smp_store_release(&qp->s_head, 0);
	qp->s_tail = 0;
	qp->s_cur = 0;
	qp->s_acked = 0;
	smp_store_release(&qp->s_last, 0);
	qp->s_ssn = 1;
	qp->s_lsn = 0;
	qp->s_mig_state = IB_MIG_MIGRATED;
	qp->alt_port_num = 0;
	qp->r_head_ack_queue = 0;
	qp->s_tail_ack_queue = 0;
	qp->s_acked_ack_queue = 0;
	qp->s_num_rd_atomic = 0;
	qp->r_sge.num_sge = 0;
	atomic_set(&qp->s_reserved_used, 0);
	atomic_set(&qp->local_ops_pending, 0);
	__atomic_store_n(&qp->first_cause.id, 0, __ATOMIC_RELAXED);
}

void rvt_qp_start_over(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	rvt_init_qp(rdi, qp, qp->ibqp.qp_type);
}

static bool engine_is_idle(void *arg)
{
	struct rvt_qp *qp = arg;
	bool idle;

	spin_lock(&qp->s_lock);
	idle = !(qp->s_flags & RVT_S_BUSY);
	spin_unlock(&qp->s_lock);
	return idle;
}

/* What may sleep on the way to RESET; the QP is in RESET already, so nothing new begins. */
static void quiesce(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	rdi->driver_f.stop_send_queue(qp);
	rvt_del_timers_sync(qp);
	rdi->driver_f.quiesce_qp(qp);
	rvt_qp_withdraw(rdi, qp);
	(void)base_wait_until(engine_is_idle, qp, BASE_FOREVER_NS);
}

static void _rvt_reset_qp(struct rvt_dev_info *rdi, struct rvt_qp *qp, enum ib_qp_type type)
	REQUIRES(qp->r_lock, qp->s_hlock, qp->s_lock)
{
	if (qp->state != IB_QPS_RESET) {
		rvt_qp_set_state(qp, IB_QPS_RESET);
		qp->resetting = true;
		rdi->driver_f.flush_qp_waiters(qp);
		rvt_stop_rc_timers(qp);
		qp->s_flags &= ~(u32)(RVT_S_TIMER | RVT_S_ANY_WAIT);
		rvt_qp_unlock(qp);
		quiesce(rdi, qp);
		rvt_qp_lock(qp);
		rvt_clear_mr_refs(qp, 1);
		/* Receives that were posted go, too; the kernel's rdmavt leaves them. */
		rvt_qp_drop_receives(qp);
		rvt_qp_ring_reset(qp);
		rdi->driver_f.notify_qp_reset(qp);
		qp->resetting = false;
	}
	rvt_init_qp(rdi, qp, type);
}

void rvt_qp_reset_locked(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	_rvt_reset_qp(rdi, qp, qp->ibqp.qp_type);
}

static void rvt_reset_qp(struct rvt_dev_info *rdi, struct rvt_qp *qp, enum ib_qp_type type)
{
	rvt_qp_lock(qp);
	_rvt_reset_qp(rdi, qp, type);
	rvt_qp_unlock(qp);
}

void rvt_qp_reset(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	rvt_reset_qp(rdi, qp, qp->ibqp.qp_type);
}

/* The receive that a message was being put into ends with the QP's error, not as flushed. */
static void fail_receive_in_progress(struct rvt_qp *qp, enum ib_wc_status err)
{
	struct ib_wc wc = {.wr_id = qp->r_wr_id,
			   .status = err,
			   .opcode = IB_WC_RECV,
			   .vendor_err = rvt_qp_cause_id(qp),
			   .qp = &qp->ibqp};

	if (test_and_clear_bit(RVT_R_WRID_VALID, &qp->r_aflags))
		(void)rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.recv_cq), &wc, true);
}

/* Without rvt_qp_blame() before it, @err is the cause that the QP keeps. */
int rvt_error_qp(struct rvt_qp *qp, enum ib_wc_status err)
{
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);

	if (qp->state == IB_QPS_ERR || qp->state == IB_QPS_RESET)
		return 0;
	rvt_qp_blame_row(qp, QP_ERR_STATUS, err);
	rvt_qp_set_state(qp, IB_QPS_ERR);
	rvt_stop_rc_timers(qp);
	qp->s_flags &= ~(u32)RVT_S_ANY_WAIT_SEND;
	qp->s_draining = 0;
	rdi->driver_f.notify_error_qp(qp);
	if (smp_load_acquire(&qp->s_head) != qp->s_last)
		(void)rdi->driver_f.schedule_send(qp);
	rvt_clear_mr_refs(qp, 0);
	fail_receive_in_progress(qp, err);
	rvt_qp_expect_late(qp);
	if (qp->r_rq.kwq) {
		rvt_qp_flush_receives(qp);
		return 0;
	}
	return qp->ibqp.event_handler != NULL;
}

/* The event is raised by a worker, because the caller keeps its lock. */
void rvt_rc_error(struct rvt_qp *qp, enum ib_wc_status err)
{
	int last_wqe;

	spin_lock(&qp->s_lock);
	last_wqe = rvt_error_qp(qp, err);
	spin_unlock(&qp->s_lock);
	if (last_wqe)
		rvt_qp_event_later(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

void rvt_qp_cq_full(struct rvt_qp *qp, struct ib_cq *ibcq)
{
	rvt_qp_blame_row(qp, QP_CQ_FULL, (u32)READ_ONCE(ibcq->cqe));
	if (rvt_error_qp(qp, IB_WC_LOC_QP_OP_ERR))
		rvt_qp_event_later(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}
