// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Sending: from a client's chain to the QP's send queue, and on from each completion. What finds the queue full
 * waits in a list.
 */
#include <linux/err.h>
#include <linux/printk.h>

#include "base/cause.h"
#include "mad/mad_priv.h"
#include "mad/mad_rmpp.h"

static int post(struct ib_mad_send_wr_private *wr)
{
	return ib_post_send(wr->mad_agent_priv->qp_info->qp, &wr->send_wr.wr, NULL);
}

/* @wr leaves the send queue; who waited longest takes its place. NULL: nobody waits. */
static struct ib_mad_send_wr_private *replace(struct ib_mad_queue *queue,
					      struct ib_mad_send_wr_private *wr)
{
	struct ib_mad_list_head *next;

	spin_lock(&queue->lock);
	list_del(&wr->mad_list.list);
	next = list_first_entry_or_null(&queue->overflow, struct ib_mad_list_head, list);
	if (next)
		list_move_tail(&next->list, &queue->list);
	else
		queue->count--;
	spin_unlock(&queue->lock);
	return next ? container_of(next, struct ib_mad_send_wr_private, mad_list) : NULL;
}

static bool is_cancelled(struct ib_mad_send_wr_private *wr)
{
	struct ib_mad_agent_private *agent = wr->mad_agent_priv;
	bool cancelled;

	spin_lock(&agent->lock);
	cancelled = wr->status != IB_WC_SUCCESS;
	spin_unlock(&agent->lock);
	return cancelled;
}

/* Until one of those that waited has been posted. */
static void post_waiting(struct ib_mad_queue *queue, struct ib_mad_send_wr_private *wr)
{
	while (wr) {
		struct ib_mad_send_wr_private *failed = wr;

		if (!is_cancelled(wr) && !post(wr))
			return;
		wr = replace(queue, failed);
		mad_send_ended(failed, IB_WC_GENERAL_ERR, base_cause_last()->id);
	}
}

int ib_send_mad(struct ib_mad_send_wr_private *mad_send_wr)
{
	struct ib_mad_queue *queue = &mad_send_wr->mad_agent_priv->qp_info->send_queue;
	int ret = 0;
	bool room;

	mad_send_wr->mad_list.mad_queue = queue;
	mad_send_wr->mad_list.cqe.done = mad_send_done;
	spin_lock(&queue->lock);
	room = queue->count < queue->max_active;
	queue->count += room;
	list_add_tail(&mad_send_wr->mad_list.list, room ? &queue->list : &queue->overflow);
	spin_unlock(&queue->lock);
	if (room)
		ret = post(mad_send_wr);
	if (ret)
		post_waiting(queue, replace(queue, mad_send_wr));
	return ret;
}

/* In SQE the QP has flushed what came after the send that failed: it is not their fault. */
static void recover(struct ib_mad_queue *queue)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS, .cur_qp_state = IB_QPS_SQE};
	struct ib_mad_list_head *at;

	spin_lock(&queue->lock);
	list_for_each_entry(at, &queue->list, list)
		container_of(at, struct ib_mad_send_wr_private, mad_list)->retry = 1;
	spin_unlock(&queue->lock);
	if (ib_modify_qp(queue->qp_info->qp, &attr, IB_QP_STATE | IB_QP_CUR_STATE))
		pr_err("QP %u: not back in RTS\n", queue->qp_info->qp->qp_num);
}

/* Whether it was posted once more. */
static bool survives(struct ib_mad_send_wr_private *wr, const struct ib_wc *wc)
{
	const bool again = wr->retry;

	if (wc->status != IB_WC_WR_FLUSH_ERR) {
		recover(wr->mad_list.mad_queue);
		return false;
	}
	wr->retry = 0;
	return again && !READ_ONCE(mad_port_of(wr->mad_agent_priv)->gone) && !post(wr);
}

void mad_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ib_mad_send_wr_private *wr =
		container_of(wc->wr_cqe, struct ib_mad_send_wr_private, mad_list.cqe);
	struct ib_mad_send_wc send_wc = {
		.send_buf = &wr->send_buf, .status = wc->status, .vendor_err = wc->vendor_err};
	struct ib_mad_queue *queue = wr->mad_list.mad_queue;
	struct ib_mad_send_wr_private *next;

	(void)cq;
	if (wc->status != IB_WC_SUCCESS && survives(wr, wc))
		return;
	if (wc->status == IB_WC_SUCCESS)
		send_wc.vendor_err = 0;
	next = replace(queue, wr);
	ib_mad_complete_send_wr(wr, &send_wc);
	post_waiting(queue, next);
}

/* What can be wrong with it whatever becomes of it. */
static int check_send(struct ib_mad_agent_private *agent, struct ib_mad_send_wr_private *wr)
{
	const struct ib_mad_send_buf *buf = &wr->send_buf;
	int ret;

	if (READ_ONCE(mad_port_of(agent)->gone))
		return base_refuse(-ENODEV, MAD_NO_PORT, agent->agent.port_num);
	ret = ib_mad_enforce_security(agent, wr->send_wr.pkey_index);
	if (ret)
		return ret;
	if (!agent->agent.send_handler || (buf->timeout_ms && !agent->agent.recv_handler))
		return base_refuse(-EINVAL, MAD_NO_HANDLER);
	if (agent->agent.rmpp_version && !ib_is_mad_class_rmpp(mad_send_hdr(wr)->mgmt_class))
		return base_refuse(-EINVAL, MAD_CLASS_RMPP, mad_send_hdr(wr)->mgmt_class);
	if (!buf->ah && !mad_is_directed(mad_send_hdr(wr)->mgmt_class))
		return base_refuse(-EINVAL, MAD_NO_AH);
	return 0;
}

static void begin(struct ib_mad_agent_private *agent, struct ib_mad_send_wr_private *wr)
{
	struct ib_mad_send_buf *buf = &wr->send_buf;

	wr->node.tid = mad_send_hdr(wr)->tid;
	wr->timeout_ns = buf->timeout_ms > 0 ? (u64)buf->timeout_ms * MAD_NS_PER_MS : 0;
	wr->max_retries = wr->retries_left = buf->retries;
	buf->retries = 0;
	wr->refcount = 1 + (wr->timeout_ns > 0);
	wr->status = IB_WC_SUCCESS;
	wr->cause = 0;
	wr->retry = 0;
	wr->restarted = false;
	wr->rmpp = mad_rmpp_applies(wr);
	if (wr->rmpp)
		mad_rmpp_begin(wr);
	refcount_inc(&agent->refcount);
	spin_lock(&agent->lock);
	mad_move(wr, MAD_SENDING);
	if (wr->timeout_ns || wr->rmpp)
		mad_index_add(&agent->sends, &wr->node);
	spin_unlock(&agent->lock);
}

static void undo(struct ib_mad_agent_private *agent, struct ib_mad_send_wr_private *wr)
{
	spin_lock(&agent->lock);
	mad_move(wr, MAD_NOWHERE);
	mad_index_remove(&agent->sends, &wr->node);
	spin_unlock(&agent->lock);
	wr->send_buf.retries = wr->max_retries;
	mad_agent_put(agent);
}

static int post_one(struct ib_mad_send_buf *buf)
{
	struct ib_mad_agent_private *agent = mad_agent_of(buf->mad_agent);
	struct ib_mad_send_wr_private *wr = mad_send_of(buf);
	int ret = check_send(agent, wr);

	if (ret)
		return ret;
	wr->send_wr.ah = buf->ah;
	if (mad_is_directed(mad_send_hdr(wr)->mgmt_class)) {
		ret = mad_send_locally(agent, wr);
		if (ret)
			return ret < 0 ? ret : 0;
	}
	begin(agent, wr);
	ret = wr->rmpp ? ib_send_rmpp_mad(wr) : ib_send_mad(wr);
	if (ret < 0)
		undo(agent, wr);
	return ret < 0 ? ret : 0;
}

int ib_post_send_mad(struct ib_mad_send_buf *send_buf, struct ib_mad_send_buf **bad_send_buf)
{
	struct ib_mad_send_buf *next;

	for (; send_buf; send_buf = next) {
		int ret;

		next = send_buf->next; /* @send_buf may be gone as soon as it is posted */
		ret = post_one(send_buf);
		if (ret) {
			if (bad_send_buf)
				*bad_send_buf = send_buf;
			return ret;
		}
	}
	return 0;
}
