// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* QP 0 and QP 1 of a port: from nothing to RTS, their receives, and their end. */
#include <linux/err.h>
#include <linux/printk.h>
#include <rdma/ib_cache.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "mad/mad_priv.h"

static const enum ib_qp_type qp_types[IB_MAD_QPS_CORE] = {IB_QPT_SMI, IB_QPT_GSI};

struct ib_mad_private *mad_private_new(size_t mad_size)
{
	struct ib_mad_private *buffer = base_alloc(sizeof(*buffer) + mad_size);

	if (!buffer)
		return NULL;
	memset(buffer, 0, sizeof(*buffer));
	buffer->mad_size = mad_size;
	return buffer;
}

static int post_receive(struct ib_mad_qp_info *qp_info, struct ib_mad_private *buffer)
{
	struct ib_sge sge = {.addr = (u64)(uintptr_t)&buffer->grh,
			     .length = (u32)(sizeof(buffer->grh) + buffer->mad_size),
			     .lkey = qp_info->port_priv->pd->local_dma_lkey};
	struct ib_recv_wr wr = {
		.wr_cqe = &buffer->header.mad_list.cqe, .sg_list = &sge, .num_sge = 1};

	buffer->header.mad_list.cqe.done = mad_recv_done;
	buffer->header.mad_list.mad_queue = &qp_info->recv_queue;
	return ib_post_recv(qp_info->qp, &wr, NULL);
}

static bool claim(struct ib_mad_queue *queue)
{
	bool room;

	spin_lock(&queue->lock);
	room = queue->count < queue->max_active;
	queue->count += room;
	spin_unlock(&queue->lock);
	return room;
}

static void give_back(struct ib_mad_queue *queue)
{
	spin_lock(&queue->lock);
	queue->count--;
	spin_unlock(&queue->lock);
}

/* Fills the receive queue, or returns false: what there is no memory for is tried again after the next MAD. */
bool mad_post_receives(struct ib_mad_qp_info *qp_info, struct ib_mad_private *first)
{
	struct ib_mad_queue *queue = &qp_info->recv_queue;
	struct ib_mad_private *buffer = first;
	bool filled = true;

	while (claim(queue)) {
		if (!buffer)
			buffer = mad_private_new(qp_info->port_priv->mad_size);
		if (!buffer || post_receive(qp_info, buffer)) {
			give_back(queue);
			filled = false;
			break;
		}
		buffer = NULL;
	}
	base_free(buffer);
	return filled;
}

static void qp_event(struct ib_event *event, void *context)
{
	const struct ib_mad_qp_info *qp_info = context;

	pr_err("QP %u of port %u of %s: %s\n", qp_info->qp->qp_num, qp_info->port_priv->port_num,
	       qp_info->port_priv->device->name, ib_event_msg(event->event));
}

static void init_queue(struct ib_mad_queue *queue, struct ib_mad_qp_info *qp_info, int max_active)
{
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->list);
	INIT_LIST_HEAD(&queue->overflow);
	queue->max_active = max_active;
	queue->qp_info = qp_info;
}

static int make_ready(struct ib_mad_qp_info *qp_info, bool smi)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT, .qkey = smi ? 0 : IB_QP1_QKEY};
	const struct ib_mad_port_private *port = qp_info->port_priv;
	u16 index;
	int ret;

	if (!ib_find_pkey(port->device, port->port_num, IB_DEFAULT_PKEY_FULL, &index))
		attr.pkey_index = index;
	ret = ib_modify_qp(qp_info->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_QKEY);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTR;
	ret = ib_modify_qp(qp_info->qp, &attr, IB_QP_STATE);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTS;
	attr.sq_psn = IB_MAD_SEND_Q_PSN;
	return ib_modify_qp(qp_info->qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
}

/* Without all of its receives there is no QP: there was no memory. The first MADs may be arriving meanwhile. */
static int fill(struct ib_mad_qp_info *qp_info)
{
	if (mad_post_receives(qp_info, NULL))
		return 0;
	return base_refuse(-ENOMEM, NO_MEMORY, sizeof(struct ib_mad_private));
}

static int open_qp(struct ib_mad_port_private *port, int index, int sends, int receives)
{
	struct ib_mad_qp_info *qp_info = &port->qp_info[index];
	struct ib_qp_init_attr attr = {
		.event_handler = qp_event,
		.qp_context = qp_info,
		.send_cq = port->cq,
		.recv_cq = port->cq,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap = {.max_send_wr = (u32)sends,
			.max_recv_wr = (u32)receives,
			.max_send_sge = IB_MAD_SEND_REQ_MAX_SG,
			.max_recv_sge = IB_MAD_RECV_REQ_MAX_SG},
		.qp_type = qp_types[index],
		.port_num = port->port_num,
	};
	struct ib_qp *qp;
	int ret;

	init_queue(&qp_info->send_queue, qp_info, sends);
	init_queue(&qp_info->recv_queue, qp_info, receives);
	qp = ib_create_qp(port->pd, &attr);
	if (IS_ERR(qp))
		return (int)PTR_ERR(qp);
	qp_info->qp = qp;
	ret = make_ready(qp_info, qp_types[index] == IB_QPT_SMI);
	return ret ? ret : fill(qp_info);
}

/* Devices may be smaller than the kernel's defaults. */
static void choose_sizes(const struct ib_device_attr *attrs, bool smi, int *sends, int *receives)
{
	*sends = IB_MAD_QP_SEND_SIZE;
	*receives = IB_MAD_QP_RECV_SIZE;
	while (*receives > 1 && (*receives > attrs->max_qp_wr ||
				 (*sends + *receives) * (1 + smi) > attrs->max_cqe)) {
		*receives /= 2;
		if (*sends > *receives)
			*sends = *receives;
	}
}

int mad_port_open_qps(struct ib_mad_port_private *port)
{
	const bool smi = rdma_cap_ib_smi(port->device, port->port_num);
	int sends, receives, ret = 0;
	struct ib_cq *cq;
	struct ib_pd *pd;

	for (int i = 0; i < IB_MAD_QPS_CORE; i++)
		port->qp_info[i].port_priv = port;
	choose_sizes(&port->device->attrs, smi, &sends, &receives);
	pd = ib_alloc_pd(port->device, 0);
	if (IS_ERR(pd))
		return (int)PTR_ERR(pd);
	port->pd = pd;
	cq = ib_alloc_cq(port->device, port, (sends + receives) * (1 + smi), 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(cq))
		return (int)PTR_ERR(cq);
	port->cq = cq;
	cq->comp_wq = port->wq;
	for (int i = smi ? 0 : 1; !ret && i < IB_MAD_QPS_CORE; i++)
		ret = open_qp(port, i, sends, receives);
	return ret;
}

static bool is_empty(struct ib_mad_queue *queue)
{
	bool empty;

	spin_lock(&queue->lock);
	empty = !queue->count && list_empty(&queue->overflow);
	spin_unlock(&queue->lock);
	return empty;
}

static bool is_flushed(void *arg)
{
	struct ib_mad_qp_info *qp_info = arg;

	return is_empty(&qp_info->send_queue) && is_empty(&qp_info->recv_queue);
}

/* Everything that is posted completes; nothing is received any more. */
void mad_port_fail_qps(struct ib_mad_port_private *port)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_ERR};

	for (int i = 0; i < IB_MAD_QPS_CORE; i++) {
		struct ib_mad_qp_info *qp_info = &port->qp_info[i];

		if (!qp_info->qp)
			continue;
		spin_lock(&qp_info->recv_queue.lock);
		qp_info->recv_queue.max_active = 0;
		spin_unlock(&qp_info->recv_queue.lock);
		(void)ib_modify_qp(qp_info->qp, &attr, IB_QP_STATE);
		base_wait_until(is_flushed, qp_info, BASE_FOREVER_NS);
	}
}

void mad_port_close_qps(struct ib_mad_port_private *port)
{
	for (int i = 0; i < IB_MAD_QPS_CORE; i++)
		if (port->qp_info[i].qp)
			(void)ib_destroy_qp(port->qp_info[i].qp);
	if (port->cq)
		ib_free_cq(port->cq);
	if (port->pd)
		ib_dealloc_pd(port->pd);
}
