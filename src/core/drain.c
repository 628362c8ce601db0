/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Draining: in ERR all work completes in error and in order, so a marker that is posted last
 * completes last [sm 7.8].
 */
#include <rdma/ib_verbs.h>
#include <rdma/ib_cache.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

#define POLL_AGAIN_NS 100000000ull

struct marker {
	struct ib_cqe cqe;
	struct ib_cq *cq;
	bool done;
};

static void marker_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct marker *m = container_of(wc->wr_cqe, struct marker, cqe);

	(void)cq;
	__atomic_store_n(&m->done, true, __ATOMIC_RELEASE);
	base_wake(); /* @m may be gone by now */
}

static bool is_done(void *arg)
{
	struct marker *m = arg;

	return __atomic_load_n(&m->done, __ATOMIC_ACQUIRE);
}

/* Nobody else polls a CQ of IB_POLL_DIRECT while its user waits here. */
static bool is_done_after_poll(void *arg)
{
	struct marker *m = arg;

	if (!is_done(m))
		ib_process_cq_direct(m->cq, -1);
	return is_done(m);
}

static void wait_for(struct marker *m)
{
	if (m->cq->poll_ctx != IB_POLL_DIRECT) {
		base_wait_until(is_done, m, BASE_FOREVER_NS);
		return;
	}
	while (!base_wait_until(is_done_after_poll, m, POLL_AGAIN_NS))
		;
}

/* @cq: Where the marker will complete. Only CQs that core polls know what to do with it. */
static int enter_err(struct ib_qp *qp, const struct ib_cq *cq)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_ERR};

	if (!cq || !cq->wc)
		return base_refuse_qp(-EINVAL, qp->qp_num, DRAIN_CQ);
	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

static bool is_datagram(const struct ib_qp *qp)
{
	return qp->qp_type == IB_QPT_UD || qp->qp_type == IB_QPT_GSI || qp->qp_type == IB_QPT_SMI;
}

/* Any address that the port takes: nothing is sent to it. Itself is one. */
static struct ib_ah *marker_ah(struct ib_qp *qp)
{
	struct rdma_ah_attr attr = {.port_num = qp->port};
	struct ib_port_attr port_attr;
	union ib_gid gid;
	int ret;

	ret = ib_query_port(qp->device, qp->port, &port_attr);
	if (ret)
		return ERR_PTR(ret);
	attr.type = rdma_ah_find_type(qp->device, qp->port);
	rdma_ah_set_dlid(&attr, port_attr.lid);
	if (rdma_is_grh_required(qp->device, qp->port)) {
		ret = rdma_query_gid(qp->device, qp->port, 0, &gid);
		if (ret)
			return ERR_PTR(ret);
		rdma_ah_set_grh(&attr, &gid, 0, 0, 1, 0);
	}
	return rdma_create_ah(qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

/* A zero-length RDMA WRITE; UD QPs, which have no such thing, get a SEND [sm 7.8]. */
static int drain_sends(struct ib_qp *qp)
{
	struct marker m = {.cqe.done = marker_done, .cq = qp->send_cq};
	struct ib_rdma_wr write = {.wr = {.wr_cqe = &m.cqe, .opcode = IB_WR_RDMA_WRITE}};
	struct ib_ud_wr send = {.wr = {.wr_cqe = &m.cqe, .opcode = IB_WR_SEND}};
	int ret = enter_err(qp, m.cq);

	if (ret)
		return ret;
	if (is_datagram(qp)) {
		send.ah = marker_ah(qp);
		if (IS_ERR(send.ah))
			return (int)PTR_ERR(send.ah);
	}
	ret = ib_post_send(qp, is_datagram(qp) ? &send.wr : &write.wr, NULL);
	if (!ret)
		wait_for(&m);
	if (send.ah)
		rdma_destroy_ah(send.ah, RDMA_DESTROY_AH_SLEEPABLE);
	return ret;
}

static int drain_receives(struct ib_qp *qp)
{
	struct marker m = {.cqe.done = marker_done, .cq = qp->recv_cq};
	struct ib_recv_wr receive = {.wr_cqe = &m.cqe};
	int ret = enter_err(qp, m.cq);

	if (ret)
		return ret;
	ret = ib_post_recv(qp, &receive, NULL);
	if (!ret)
		wait_for(&m);
	return ret;
}

static void complain(const struct ib_qp *qp, const char *queue, int ret)
{
	if (ret)
		pr_warn("QP %06x: %s queue not drained: error %d\n", qp->qp_num, queue, ret);
}

void ib_drain_sq(struct ib_qp *qp)
{
	if (qp->device->ops.drain_sq)
		qp->device->ops.drain_sq(qp);
	else
		complain(qp, "send", drain_sends(qp));
}

void ib_drain_rq(struct ib_qp *qp)
{
	if (qp->device->ops.drain_rq)
		qp->device->ops.drain_rq(qp);
	else
		complain(qp, "receive", drain_receives(qp));
}

void ib_drain_qp(struct ib_qp *qp)
{
	ib_drain_sq(qp);
	if (!qp->srq)
		ib_drain_rq(qp);
}
