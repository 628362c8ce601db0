// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What rdmavt asks of its driver (struct rvt_driver_provided), as far as it is the transport's. */
#include <linux/err.h>
#include <linux/log2.h>

#include "base/alloc.h"
#include "transport/tp_qp.h"

/* How often stop_send_queue() looks whether the engine is out of a queue pair. */
#define LOOK_AGAIN_NS 1000000u

#define CONNECTED (BIT(IB_QPT_RC) | BIT(IB_QPT_UC))
#define ALL (CONNECTED | BIT(IB_QPT_UD) | BIT(IB_QPT_SMI) | BIT(IB_QPT_GSI))
#define ATOMIC (RVT_OPERATION_ATOMIC | RVT_OPERATION_ATOMIC_SGE)

/* clang-format off */
static const struct rvt_operation_params post_parms[RVT_OPERATION_MAX] = {
	[IB_WR_RDMA_WRITE] = { sizeof(struct ib_rdma_wr), CONNECTED, 0 },
	[IB_WR_RDMA_WRITE_WITH_IMM] = { sizeof(struct ib_rdma_wr), CONNECTED, 0 },
	[IB_WR_SEND] = { sizeof(struct ib_send_wr), ALL, 0 },
	[IB_WR_SEND_WITH_IMM] = { sizeof(struct ib_send_wr), ALL, 0 },
	[IB_WR_SEND_WITH_INV] = { sizeof(struct ib_send_wr), BIT(IB_QPT_RC), 0 },
	[IB_WR_RDMA_READ] = { sizeof(struct ib_rdma_wr), BIT(IB_QPT_RC), RVT_OPERATION_ATOMIC },
	[IB_WR_ATOMIC_CMP_AND_SWP] = { sizeof(struct ib_atomic_wr), BIT(IB_QPT_RC), ATOMIC },
	[IB_WR_ATOMIC_FETCH_AND_ADD] = { sizeof(struct ib_atomic_wr), BIT(IB_QPT_RC), ATOMIC },
	[IB_WR_ATOMIC_WRITE] = { sizeof(struct ib_rdma_wr), BIT(IB_QPT_RC), RVT_OPERATION_ATOMIC },
	[IB_WR_FLUSH] = { sizeof(struct rvt_flush_wr), BIT(IB_QPT_RC), RVT_OPERATION_ATOMIC },
	[IB_WR_REG_MR] = { sizeof(struct ib_reg_wr), CONNECTED, RVT_OPERATION_LOCAL },
	[IB_WR_LOCAL_INV] = { sizeof(struct ib_send_wr), CONNECTED, RVT_OPERATION_LOCAL },
	[IB_WR_BIND_MW] = { sizeof(struct rvt_bind_wr), CONNECTED, RVT_OPERATION_LOCAL },
};

static const enum ib_wc_opcode wc_opcode[RVT_OPERATION_MAX] = {
	[IB_WR_RDMA_WRITE] = IB_WC_RDMA_WRITE,
	[IB_WR_RDMA_WRITE_WITH_IMM] = IB_WC_RDMA_WRITE,
	[IB_WR_SEND] = IB_WC_SEND,
	[IB_WR_SEND_WITH_IMM] = IB_WC_SEND,
	[IB_WR_SEND_WITH_INV] = IB_WC_SEND,
	[IB_WR_RDMA_READ] = IB_WC_RDMA_READ,
	[IB_WR_ATOMIC_CMP_AND_SWP] = IB_WC_COMP_SWAP,
	[IB_WR_ATOMIC_FETCH_AND_ADD] = IB_WC_FETCH_ADD,
	[IB_WR_ATOMIC_WRITE] = IB_WC_ATOMIC_WRITE,
	[IB_WR_FLUSH] = IB_WC_FLUSH,
	[IB_WR_REG_MR] = IB_WC_REG_MR,
	[IB_WR_LOCAL_INV] = IB_WC_LOCAL_INV,
	[IB_WR_BIND_MW] = IB_WC_BIND_MW,
};
/* clang-format on */

static struct tp_port_state *port_state(struct rvt_dev_info *rdi, u32 port_num)
{
	return rdi->ports[port_num - 1]->priv;
}

static bool schedule_send(struct rvt_qp *qp)
{
	tp_schedule(tp_qp(qp));
	return true;
}

static bool schedule_send_no_lock(struct rvt_qp *qp)
{
	tp_do_send(qp);
	return true;
}

/* [rcp 12]: a datagram is one packet. (Connected queue pairs: rdmavt has the limit [rcp 4].) */
static int check_length(const struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	const u32 limit = qp->ibqp.qp_type == IB_QPT_SMI ? IB_MGMT_MAD_SIZE
							 : 1u << rvt_get_swqe_ah(wqe)->log_pmtu;

	if (likely(wqe->length <= limit))
		return 0;
	return base_refuse_wr(-EINVAL, qp->ibqp.qp_num, wqe->wr.wr_id, (u8)wqe->wr.opcode,
			      REQ_LENGTH, wqe->length, limit);
}

/* An atomic is of 8 bytes. What is longer would end well, and the rest would be as it was. */
static bool is_atomic(const struct rvt_swqe *wqe)
{
	return wqe->wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->wr.opcode == IB_WR_ATOMIC_FETCH_AND_ADD || wqe->wr.opcode == IB_WR_ATOMIC_WRITE;
}

/* s_hlock is held. */
static int setup_wqe(struct rvt_qp *qp, struct rvt_swqe *wqe, bool *call_send)
{
	(void)call_send;
	if (tp_is_datagram(qp)) {
		const int ret = check_length(qp, wqe);

		if (unlikely(ret))
			return ret;
	}
	if (unlikely(is_atomic(wqe) && wqe->length != sizeof(uint64_t)))
		return base_refuse_wr(-EINVAL, qp->ibqp.qp_num, wqe->wr.wr_id, (u8)wqe->wr.opcode,
				      REQ_ATOMIC_LENGTH, wqe->length);
	if (likely(!tp_swqe_prepare(tp_qp(qp), wqe)))
		return 0;
	return base_refuse_wr(-EINVAL, qp->ibqp.qp_num, wqe->wr.wr_id, (u8)wqe->wr.opcode,
			      REQ_SEGMENTS, (u32)wqe->wr.num_sge, tp_qp(qp)->iov_per_wqe);
}

static void reset(struct tp_qp *tq)
{
	memset(&tq->resp, 0, sizeof(tq->resp));
	tq->answer = TP_ANSWER_NONE;
	tq->owes = false;
	tq->reach = TP_REACH_UNKNOWN;
	tq->source_gone = false;
	tq->group_done = false;
	tq->sent_psn = psn(0);
	tq->released_packets = 0;
	tq->wire_taken = tq->wire_released = tq->wire_requests = 0;
	tq->window_refused = tq->turned_away = false;
	tq->missed = tq->patience = 0;
}

static void *qp_priv_alloc(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	struct tp_qp *tq = base_zalloc(sizeof(*tq));

	if (!tq)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*tq)));
	tq->qp = qp;
	tq->engine = port_state(rdi, 1)->port.engine;
	INIT_WORK(&tq->work, tp_qp_work);
	INIT_LIST_HEAD(&tq->port_link);
	return tq;
}

static int qp_priv_init(struct rvt_dev_info *rdi, struct rvt_qp *qp,
			struct ib_qp_init_attr *init_attr)
{
	struct tp_qp *tq = tp_qp(qp);
	size_t bytes;

	(void)init_attr;
	tq->iov_per_wqe = qp->s_max_sge > TP_MIN_SEGMENTS ? qp->s_max_sge : TP_MIN_SEGMENTS;
	bytes = sizeof(struct tp_swqe) + tq->iov_per_wqe * sizeof(struct iovec);
	tq->swqes = base_zalloc_array(qp->s_size, bytes);
	if (!tq->swqes)
		return base_refuse(-ENOMEM, NO_MEMORY, qp->s_size * bytes);
	for (u32 i = 0; i < qp->s_size; i++)
		rvt_get_swqe_ptr(qp, i)->priv = tq->swqes + i * bytes;
	if (qp->ibqp.qp_type != IB_QPT_RC)
		return 0;
	tq->slots = base_zalloc_array(rvt_max_atomic(rdi), sizeof(*tq->slots));
	if (!tq->slots) /* rvt_create_qp() calls qp_priv_free() */
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*tq->slots));
	return 0;
}

static void qp_priv_free(struct rvt_dev_info *rdi, struct rvt_qp *qp)
{
	struct tp_qp *tq = tp_qp(qp);

	(void)rdi;
	base_free(tq->slots);
	base_free(tq->swqes);
	base_free(tq);
}

static void notify_qp_reset(struct rvt_qp *qp)
{
	reset(tp_qp(qp));
}

static void flush_qp_waiters(struct rvt_qp *qp)
{
	tp_stop_waiting(tp_qp(qp));
}

static bool engine_is_out(void *arg)
{
	struct rvt_qp *qp = arg;
	bool out;

	spin_lock(&qp->s_lock);
	out = !(qp->s_flags & RVT_S_BUSY);
	spin_unlock(&qp->s_lock);
	return out;
}

/* The loopback engine says nothing when it is done, so look now and then. */
static void stop_send_queue(struct rvt_qp *qp)
{
	WRITE_ONCE(tp_qp(qp)->engine->had_qps, true);
	while (!base_wait_until(engine_is_out, qp, LOOK_AGAIN_NS))
		;
}

/* At all ports: who has migrated may have left runs at the one before. */
static void quiesce_qp(struct rvt_qp *qp)
{
	struct tp_engine *tp = tp_qp(qp)->engine;

	if (!qp->port_num)
		return;
	for (uint32_t num = 1; num <= tp->nports; num++) {
		struct tp_port *port = tp_engine_port(tp, num);

		if (port->ops)
			port->ops->quiesce(port, qp);
	}
	tp_window_close(tp_qp(qp));
}

/*
 * The flush is the engine's, and rvt_error_qp() schedules it. On a waiting list the queue pair stays:
 * there may be a NAK to be sent.
 */
static void notify_error_qp(struct rvt_qp *qp)
{
	tp_window_shut(tp_qp(qp));
}

static int get_pmtu_from_attr(struct rvt_dev_info *rdi, struct rvt_qp *qp, struct ib_qp_attr *attr)
{
	(void)rdi;
	(void)qp;
	if (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096)
		return -EINVAL;
	return (int)attr->path_mtu;
}

static u32 mtu_from_qp(struct rvt_dev_info *rdi, struct rvt_qp *qp, u32 pmtu)
{
	(void)rdi;
	(void)qp;
	return (u32)ib_mtu_enum_to_int((enum ib_mtu)pmtu);
}

static int mtu_to_path_mtu(u32 mtu)
{
	return (int)ib_mtu_int_to_enum((int)mtu);
}

/* rdmavt frees them itself. */
static unsigned free_all_qps(struct rvt_dev_info *rdi)
{
	(void)rdi;
	return 0;
}

static void notify_new_ah(struct ib_device *ibdev, struct rdma_ah_attr *attr, struct rvt_ah *ah)
{
	struct tp_port_addr addr;

	tp_port_get_addr(port_state(ib_to_rvt(ibdev), rdma_ah_get_port_num(attr)), &addr);
	ah->vl = 0;
	ah->log_pmtu = (u8)ilog2(addr.mtu_bytes);
}

static uint8_t rights_of(int access)
{
	return (uint8_t)((access & IB_ACCESS_REMOTE_WRITE ? RC_RESP_WRITE : 0) |
			 (access & IB_ACCESS_REMOTE_READ ? RC_RESP_READ : 0) |
			 (access & IB_ACCESS_REMOTE_ATOMIC ? RC_RESP_ATOMIC : 0) |
			 (access & IB_ACCESS_FLUSH_GLOBAL ? RC_RESP_FLUSH_GLOBAL : 0) |
			 (access & IB_ACCESS_FLUSH_PERSISTENT ? RC_RESP_FLUSH_PERSISTENT : 0));
}

/* A new connection remembers nothing of one before. */
static void expect(struct tp_qp *tq)
{
	struct rvt_qp *qp = tq->qp;

	rc_resp_init(&tq->resp, psn(qp->r_psn));
	if (qp->s_ack_queue)
		for (unsigned int i = 0; i < rvt_max_atomic(tq->engine->rdi); i++)
			qp->s_ack_queue[i].opcode = 0;
}

/* After rdmavt has stored the attributes. All three locks are held. */
static void modify_qp(struct rvt_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	const enum ib_qp_state now = (mask & IB_QP_STATE) ? attr->qp_state : IB_QPS_RESET;
	struct tp_qp *tq = tp_qp(qp);

	(void)udata;
	if (!qp->port_num)
		return;
	if (now == IB_QPS_RTR && !tp_is_datagram(qp))
		expect(tq);
	if (now == IB_QPS_RTS && (mask & IB_QP_SQ_PSN))
		tq->sent_psn = psn(qp->s_psn);
	tq->resp.pmtu_bytes = qp->pmtu;
	tq->resp.access = rights_of(rvt_qp_access(qp));
	tq->resp.rnr_timer = qp->r_min_rnr_timer;
	tp_window_update(tq);
	if (mask & (IB_QP_AV | IB_QP_PATH_MIG_STATE)) {
		tp_path_from_ah(tp_port_of(tq), &qp->remote_ah_attr, &tq->path);
		tp_ask_again(tq);
	}
	if (mask & IB_QP_ALT_PATH)
		tp_path_from_ah(port_state(tq->engine->rdi, rdma_ah_get_port_num(&qp->alt_ah_attr)),
				&qp->alt_ah_attr, &tq->alt_path);
	if (now == IB_QPS_RTS && qp->s_cur != qp->s_head)
		tp_schedule(tq); /* what SQD or SQE has held back */
}

/*
 * From rdmavt's ACK timer. r_lock and s_lock are held. What the wire has not sent yet cannot be
 * acknowledged: the wait for an ACK begins when it has [rcp 7].
 */
static void notify_restart_rc(struct rvt_qp *qp, u32 from_psn, int wait)
{
	struct tp_qp *tq = tp_qp(qp);
	const uint32_t released = __atomic_load_n(&tq->wire_released, __ATOMIC_RELAXED);

	if (wait && (int32_t)(tq->wire_requests - released) > 0)
		rvt_add_retry_timer(qp);
	else
		rc_comp_retry(tq, psn(from_psn), wait != 0);
}

void tp_driver_fill(struct rvt_dev_info *rdi)
{
	struct rvt_driver_provided *f = &rdi->driver_f;

	rdi->post_parms = post_parms;
	rdi->wc_opcode = wc_opcode;
	rdi->dparms.psn_mask = PKT_PSN_MASK;
	rdi->dparms.psn_modify_mask = PKT_PSN_MASK;
	rdi->dparms.psn_shift = 8;
	f->schedule_send = schedule_send;
	f->schedule_send_no_lock = schedule_send_no_lock;
	f->setup_wqe = setup_wqe;
	f->do_send = tp_do_send;
	f->do_express = tp_do_express;
	f->qp_priv_alloc = qp_priv_alloc;
	f->qp_priv_init = qp_priv_init;
	f->qp_priv_free = qp_priv_free;
	f->notify_qp_reset = notify_qp_reset;
	f->flush_qp_waiters = flush_qp_waiters;
	f->stop_send_queue = stop_send_queue;
	f->quiesce_qp = quiesce_qp;
	f->notify_error_qp = notify_error_qp;
	f->get_pmtu_from_attr = get_pmtu_from_attr;
	f->mtu_from_qp = mtu_from_qp;
	f->mtu_to_path_mtu = mtu_to_path_mtu;
	f->free_all_qps = free_all_qps;
	f->notify_new_ah = notify_new_ah;
	f->modify_qp = modify_qp;
	f->notify_restart_rc = notify_restart_rc;
	f->refresh_qp = tp_window_refresh;
	f->peers_left = tp_peers_left;
}
