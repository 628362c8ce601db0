// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * rvt_modify_qp(). All checks come before all changes, so that a refusal changes nothing; all of
 * it happens under the QP's three locks but for what RESET must wait for.
 */
#include <linux/log2.h>

#include "packet/psn.h"
#include "rdmavt/qp_priv.h"

#define MAX_RNR_TIMER 31
#define MAX_RETRIES 7

/* One call. */
struct change {
	struct rvt_dev_info *rdi;
	struct rvt_qp *qp;
	struct ib_qp_attr *attr;
	int mask;
	enum ib_qp_state from;
	enum ib_qp_state to;
	u32 pmtu;     /* with IB_QP_PATH_MTU: the code the driver made of it */
	bool migrate; /* ARMED to MIGRATED */
	u32 raise;    /* bits of the events to raise once no lock is held */
};

static int check_path(const struct change *c, struct rdma_ah_attr *ah, u16 pkey_index)
{
	const u32 qpn = c->qp->ibqp.qp_num;
	int ret;

	if (ah->type != RDMA_AH_ATTR_TYPE_ROCE &&
	    rdma_ah_get_dlid(ah) >= be16_to_cpu(IB_MULTICAST_LID_BASE))
		return base_refuse_qp(-EINVAL, qpn, MODIFY_MULTICAST_AV, rdma_ah_get_dlid(ah));
	ret = rvt_check_ah(c->qp->ibqp.device, ah);
	if (ret)
		return -EINVAL; /* rvt_check_ah() has told why */
	if (pkey_index >= rvt_get_npkeys(c->rdi))
		return base_refuse_qp(-EINVAL, qpn, MODIFY_PKEY_INDEX, pkey_index,
				      rvt_get_npkeys(c->rdi));
	return 0;
}

static int check_port(const struct change *c, u32 port, bool fixed)
{
	const u32 ports = c->rdi->ibdev.phys_port_cnt;

	if (!port || port > ports || (fixed && port != c->qp->port_num))
		return base_refuse_qp(-EINVAL, c->qp->ibqp.qp_num, MODIFY_PORT_NUM, port, ports);
	return 0;
}

/* The kernel's rdmavt goes by the address alone. */
static u32 alt_port_of(const struct ib_qp_attr *attr)
{
	return attr->alt_port_num ? attr->alt_port_num : rdma_ah_get_port_num(&attr->alt_ah_attr);
}

static int check_paths(const struct change *c)
{
	const enum ib_qp_type type = c->qp->ibqp.qp_type;
	struct ib_qp_attr *attr = c->attr;
	int ret = 0;

	if (c->mask & IB_QP_PORT)
		ret = check_port(c, attr->port_num, type == IB_QPT_SMI || type == IB_QPT_GSI);
	if (!ret && (c->mask & IB_QP_PKEY_INDEX) && attr->pkey_index >= rvt_get_npkeys(c->rdi))
		ret = base_refuse_qp(-EINVAL, c->qp->ibqp.qp_num, MODIFY_PKEY_INDEX,
				     attr->pkey_index, rvt_get_npkeys(c->rdi));
	if (!ret && (c->mask & IB_QP_AV))
		ret = check_path(c, &attr->ah_attr, 0);
	if (!ret && (c->mask & IB_QP_ALT_PATH)) {
		ret = check_path(c, &attr->alt_ah_attr, attr->alt_pkey_index);
		if (!ret)
			ret = check_port(c, alt_port_of(attr), false);
	}
	return ret;
}

static int check_numbers(const struct change *c)
{
	const struct ib_qp_attr *attr = c->attr;
	const u32 qpn = c->qp->ibqp.qp_num;
	const u8 depth = c->rdi->dparms.max_rdma_atomic;
	const u32 most = (u32)c->rdi->dparms.props.max_qp_init_rd_atom;

	if ((c->mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > MAX_RNR_TIMER)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_RNR_TIMER, attr->min_rnr_timer);
	if ((c->mask & IB_QP_DEST_QPN) && attr->dest_qp_num > RVT_QPN_MASK)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_DEST_QPN, attr->dest_qp_num);
	if ((c->mask & IB_QP_RETRY_CNT) && attr->retry_cnt > MAX_RETRIES)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_RETRY_CNT, attr->retry_cnt);
	if ((c->mask & IB_QP_RNR_RETRY) && attr->rnr_retry > MAX_RETRIES)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_RNR_RETRY, attr->rnr_retry);
	if ((c->mask & IB_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > depth)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_RESPONDER_DEPTH,
				      attr->max_dest_rd_atomic, depth);
	if ((c->mask & IB_QP_MAX_QP_RD_ATOMIC) && most && attr->max_rd_atomic > most)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_REQUESTER_DEPTH, attr->max_rd_atomic,
				      most);
	return 0;
}

static int check_mtu(struct change *c)
{
	int pmtu;

	if (!(c->mask & IB_QP_PATH_MTU))
		return 0;
	pmtu = c->rdi->driver_f.get_pmtu_from_attr(c->rdi, c->qp, c->attr);
	if (pmtu < 0)
		return base_refuse_qp(-EINVAL, c->qp->ibqp.qp_num, MODIFY_MTU, c->attr->path_mtu);
	c->pmtu = (u32)pmtu;
	return 0;
}

/* What a program may ask of path migration [sm 8]. */
static int check_migration(struct change *c)
{
	const u8 now = c->qp->s_mig_state;
	bool ok = false;

	if (!(c->mask & IB_QP_PATH_MIG_STATE))
		return 0;
	switch (c->attr->path_mig_state) {
	case IB_MIG_REARM:
		ok = now != IB_MIG_ARMED && c->to == IB_QPS_RTS;
		break;
	case IB_MIG_MIGRATED:
		ok = now != IB_MIG_REARM && (c->to == IB_QPS_RTS || c->to == IB_QPS_SQD);
		c->migrate = now == IB_MIG_ARMED;
		break;
	case IB_MIG_ARMED: /* the protocol leads there, nobody else */
		break;
	}
	if (!ok)
		return base_refuse_qp(-EINVAL, c->qp->ibqp.qp_num, MODIFY_MIGRATION,
				      c->attr->path_mig_state, now, c->to);
	return 0;
}

/* Stricter than the kernel's rdmavt, which believes cur_qp_state. */
static int check_states(struct change *c)
{
	const struct rvt_qp *qp = c->qp;
	const u32 qpn = qp->ibqp.qp_num;

	c->from = (enum ib_qp_state)qp->state;
	c->to = c->mask & IB_QP_STATE ? c->attr->qp_state : c->from;
	if (qp->resetting)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_RESETTING);
	if ((c->mask & IB_QP_CUR_STATE) && c->attr->cur_qp_state != c->from)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_NOT_CURRENT, c->attr->cur_qp_state,
				      c->from);
	if (c->to == IB_QPS_SQE && qp->ibqp.qp_type == IB_QPT_RC)
		return base_refuse_qp(-EINVAL, qpn, MODIFY_SQE);
	if (!ib_modify_qp_is_ok(c->from, c->to, qp->ibqp.qp_type, (enum ib_qp_attr_mask)c->mask))
		return -EINVAL; /* the table has told why */
	return 0;
}

static int check_driver(const struct change *c, struct ib_udata *udata)
{
	const struct rvt_driver_provided *f = &c->rdi->driver_f;

	if (f->check_modify_qp && f->check_modify_qp(c->qp, c->attr, c->mask, udata))
		return base_refuse_qp(-EINVAL, c->qp->ibqp.qp_num, MODIFY_DRIVER,
				      (unsigned int)c->mask, c->from);
	return 0;
}

static int check(struct change *c, struct ib_udata *udata)
{
	int ret = check_states(c);

	if (!ret)
		ret = check_driver(c, udata);
	if (!ret)
		ret = check_paths(c);
	if (!ret)
		ret = check_numbers(c);
	if (!ret)
		ret = check_mtu(c);
	return ret ? ret : check_migration(c);
}

/* Leaving SQE: what was not flushed yet must not be sent. */
static void leave_sqe(struct rvt_qp *qp)
{
	rvt_qp_flush_sends(qp);
	__atomic_store_n(&qp->first_cause.id, 0, __ATOMIC_RELAXED);
}

/* Entering SQD: wait for what was started, or say at once that there is nothing [sm 6]. */
static void enter_sqd(struct change *c)
{
	struct rvt_qp *qp = c->qp;

	if (c->from == IB_QPS_SQD)
		return;
	qp->sqd_notify = (c->mask & IB_QP_EN_SQD_ASYNC_NOTIFY) && c->attr->en_sqd_async_notify;
	qp->s_draining = qp->s_last != qp->s_cur || qp->s_last != qp->s_tail;
	if (qp->sqd_notify && !qp->s_draining)
		c->raise |= 1u << IB_EVENT_SQ_DRAINED;
}

static void enter_rts(struct change *c)
{
	struct rvt_qp *qp = c->qp;

	if (c->from == IB_QPS_SQE)
		leave_sqe(qp);
	qp->s_draining = 0;
	qp->sqd_notify = false;
	rvt_qp_set_state(qp, IB_QPS_RTS);
	/* In SQD requests were queued and held. */
	if (c->from == IB_QPS_SQD && qp->s_head != qp->s_last)
		(void)c->rdi->driver_f.schedule_send(qp);
}

static void enter_err(struct change *c)
{
	rvt_qp_blame(c->qp, &(const struct base_cause){.id = BASE_CAUSE_QP_ERR_ASKED,
						       .side = BASE_SIDE_CALL});
	if (rvt_error_qp(c->qp, IB_WC_WR_FLUSH_ERR))
		c->raise |= 1u << IB_EVENT_QP_LAST_WQE_REACHED;
}

static void change_state(struct change *c) REQUIRES(c->qp->r_lock, c->qp->s_hlock, c->qp->s_lock)
{
	switch (c->to) {
	case IB_QPS_RESET:
		rvt_qp_reset_locked(c->rdi, c->qp);
		break;
	case IB_QPS_INIT:
		break;
	case IB_QPS_RTR:
		c->qp->r_flags &= (u8)~RVT_R_COMM_EST;
		break;
	case IB_QPS_RTS:
		enter_rts(c);
		break;
	case IB_QPS_SQD:
		enter_sqd(c);
		break;
	case IB_QPS_SQE:
		break;
	case IB_QPS_ERR:
		enter_err(c);
		break;
	}
	rvt_qp_set_state(c->qp, c->to);
}

static void store_path(const struct change *c)
{
	struct rvt_qp *qp = c->qp;
	const struct ib_qp_attr *attr = c->attr;

	if (c->mask & IB_QP_PKEY_INDEX)
		qp->s_pkey_index = (u8)attr->pkey_index;
	if (c->mask & IB_QP_PORT)
		qp->port_num = (u8)attr->port_num;
	if (c->mask & IB_QP_DEST_QPN)
		qp->remote_qpn = attr->dest_qp_num;
	if (c->mask & IB_QP_AV) {
		rdma_replace_ah_attr(&qp->remote_ah_attr, &attr->ah_attr);
		qp->s_srate = rdma_ah_get_static_rate(&attr->ah_attr);
		qp->srate_mbps = ib_rate_to_mbps((enum ib_rate)qp->s_srate);
	}
	if (c->mask & IB_QP_ALT_PATH) {
		rdma_replace_ah_attr(&qp->alt_ah_attr, &attr->alt_ah_attr);
		qp->s_alt_pkey_index = (u8)attr->alt_pkey_index;
		qp->alt_port_num = (u8)alt_port_of(attr);
		qp->alt_timeout = attr->alt_timeout;
	}
	if (c->mask & IB_QP_PATH_MTU) {
		qp->pmtu = (u16)c->rdi->driver_f.mtu_from_qp(c->rdi, qp, c->pmtu);
		qp->log_pmtu = (u8)ilog2(qp->pmtu);
	}
	if (c->mask & IB_QP_PATH_MIG_STATE) {
		if (c->migrate)
			rvt_qp_migrate(qp);
		else
			qp->s_mig_state = (u8)attr->path_mig_state;
	}
}

static void store_psns(const struct change *c)
{
	const u32 mask = (u32)c->rdi->dparms.psn_modify_mask;
	struct rvt_qp *qp = c->qp;

	if (c->mask & IB_QP_RQ_PSN)
		qp->r_psn = c->attr->rq_psn & mask;
	if (c->mask & IB_QP_SQ_PSN) {
		qp->s_next_psn = c->attr->sq_psn & mask;
		qp->s_psn = qp->s_next_psn;
		qp->s_sending_psn = qp->s_next_psn;
		qp->s_last_psn = (qp->s_next_psn - 1) & PKT_PSN_MASK;
		qp->s_sending_hpsn = qp->s_last_psn;
	}
}

static void store_numbers(const struct change *c)
{
	struct rvt_qp *qp = c->qp;
	const struct ib_qp_attr *attr = c->attr;

	if (c->mask & IB_QP_ACCESS_FLAGS) {
		qp->qp_access_flags = (u8)attr->qp_access_flags;
		qp->more_access = (u8)(attr->qp_access_flags >> 8);
	}
	if (c->mask & IB_QP_QKEY)
		qp->qkey = attr->qkey;
	if (c->mask & IB_QP_RETRY_CNT) {
		qp->s_retry_cnt = attr->retry_cnt;
		qp->s_retry = attr->retry_cnt;
	}
	if (c->mask & IB_QP_RNR_RETRY) {
		qp->s_rnr_retry_cnt = attr->rnr_retry;
		qp->s_rnr_retry = attr->rnr_retry;
	}
	if (c->mask & IB_QP_MIN_RNR_TIMER)
		qp->r_min_rnr_timer = attr->min_rnr_timer;
	if (c->mask & IB_QP_TIMEOUT) {
		qp->timeout = attr->timeout;
		qp->timeout_jiffies = attr->timeout ? rvt_timeout_to_jiffies(attr->timeout) : 0;
	}
	if (c->mask & IB_QP_MAX_DEST_RD_ATOMIC)
		qp->r_max_rd_atomic = attr->max_dest_rd_atomic;
	if (c->mask & IB_QP_MAX_QP_RD_ATOMIC)
		qp->s_max_rd_atomic = attr->max_rd_atomic;
}

static void apply(struct change *c, struct ib_udata *udata)
	REQUIRES(c->qp->r_lock, c->qp->s_hlock, c->qp->s_lock)
{
	change_state(c);
	store_path(c);
	store_psns(c);
	store_numbers(c);
	if (c->rdi->driver_f.modify_qp)
		c->rdi->driver_f.modify_qp(c->qp, c->attr, c->mask, udata);
	/* Under the locks, so that no RESET can come in between. */
	if (c->from == IB_QPS_RESET && c->to == IB_QPS_INIT)
		rvt_qp_publish(c->rdi, c->qp);
}

void rvt_qp_migrate(struct rvt_qp *qp)
{
	qp->s_mig_state = IB_MIG_MIGRATED;
	qp->s_retry = qp->s_retry_cnt; /* what failed on the path before says nothing of this one */
	rdma_replace_ah_attr(&qp->remote_ah_attr, &qp->alt_ah_attr);
	qp->port_num = qp->alt_port_num;
	qp->s_pkey_index = qp->s_alt_pkey_index;
	if (qp->alt_timeout != qp->timeout) {
		qp->timeout = qp->alt_timeout;
		qp->timeout_jiffies = qp->timeout ? rvt_timeout_to_jiffies(qp->timeout) : 0;
	}
	rvt_qp_event_later(qp, IB_EVENT_PATH_MIG);
}

int rvt_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int attr_mask,
		  struct ib_udata *udata)
{
	struct change c = {.rdi = ib_to_rvt(ibqp->device),
			   .qp = ibqp_to_rvtqp(ibqp),
			   .attr = attr,
			   .mask = attr_mask};
	int ret;

	if (attr_mask & ~IB_QP_ATTR_STANDARD_BITS)
		return base_refuse_qp(-EOPNOTSUPP, ibqp->qp_num, MODIFY_BITS,
				      (unsigned int)attr_mask,
				      (unsigned int)(attr_mask & ~IB_QP_ATTR_STANDARD_BITS));
	rvt_qp_lock(c.qp);
	ret = check(&c, udata);
	if (!ret)
		apply(&c, udata);
	rvt_qp_unlock(c.qp);
	if (!ret && (attr_mask & IB_QP_STATE) && c.to == IB_QPS_ERR && c.rdi->driver_f.peers_left)
		(void)c.rdi->driver_f.peers_left(c.rdi, ibpd_to_rvtpd(ibqp->pd)->number,
						 ibqp->qp_num, RVT_PEER_WAIT_NS, NULL);
	for (unsigned int event = 0; c.raise; event++, c.raise >>= 1)
		if (c.raise & 1)
			rvt_qp_raise(c.qp, (enum ib_event_type)event);
	return ret;
}
