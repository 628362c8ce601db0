// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What arrives [rcp 16]: is it a MAD, is it for this node, what does the driver say to it, whose is it?
 * A buffer that nobody takes is posted again; if somebody does, there must be another one.
 */
#include <linux/err.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "mad/agent.h"
#include "mad/mad_priv.h"
#include "mad/mad_rmpp.h"
#include "mad/smi.h"

static struct ib_mad_hdr *hdr_of(struct ib_mad_private *priv)
{
	return (struct ib_mad_hdr *)priv->mad;
}

static bool is_subnet_class(u8 mgmt_class)
{
	return mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED || mad_is_directed(mgmt_class);
}

/* All MADs of InfiniBand are of one length. */
static bool has_length(const struct ib_mad_private *priv, const struct ib_mad_hdr *hdr, u32 bytes)
{
	if (bytes < IB_MGMT_MAD_HDR)
		return false;
	return hdr->base_version == OPA_MGMT_BASE_VERSION ? bytes <= priv->mad_size
							  : bytes == IB_MGMT_MAD_SIZE;
}

static bool has_class(const struct ib_mad_hdr *hdr, u32 qpn)
{
	/* Of connection management all but ClassPortInfo are sent and not answered. */
	if (hdr->mgmt_class == IB_MGMT_CLASS_CM && hdr->attr_id != IB_MGMT_CLASSPORTINFO_ATTR_ID &&
	    hdr->method != IB_MGMT_METHOD_SEND)
		return false;
	return is_subnet_class(hdr->mgmt_class) == !qpn;
}

/* MAD_DROPS: nothing is wrong with it. */
static enum mad_drop check(struct ib_mad_port_private *port, struct ib_mad_private *priv, u32 qpn,
			   u32 bytes)
{
	const struct ib_mad_hdr *hdr = hdr_of(priv);
	const bool opa = hdr->base_version == OPA_MGMT_BASE_VERSION &&
			 rdma_cap_opa_mad(port->device, port->port_num);

	if (bytes >= IB_MGMT_MAD_HDR && hdr->base_version != IB_MGMT_BASE_VERSION && !opa)
		return MAD_DROP_VERSION;
	if (!has_length(priv, hdr, bytes))
		return MAD_DROP_LENGTH;
	return has_class(hdr, qpn) ? MAD_DROPS : MAD_DROP_CLASS;
}

static u32 in_port(const struct ib_mad_port_private *port, const struct ib_wc *wc)
{
	return rdma_cap_ib_switch(port->device) ? wc->port_num : port->port_num;
}

/* A switch sends it on; then nobody here is to see it. */
static void forward(struct ib_mad_port_private *port, struct ib_mad_private *priv)
{
	struct ib_wc wc = priv->header.wc;

	wc.port_num = (u8)smi_get_fwd_port((struct ib_smp *)priv->mad);
	mad_reply(port, 0, hdr_of(priv), &priv->grh, &wc, IB_MGMT_MAD_SIZE);
}

/* Whether an SMP of a directed route ends here [rcp 18]. */
static bool ends_here(struct ib_mad_port_private *port, struct ib_mad_private *priv)
{
	const bool is_switch = rdma_cap_ib_switch(port->device);
	struct ib_smp *smp = (struct ib_smp *)priv->mad;
	const u32 port_num = in_port(port, &priv->header.wc);
	bool here = false;

	if (smi_handle_dr_smp_recv(smp, is_switch, port_num, (int)port->device->phys_port_cnt) ==
	    IB_SMI_DISCARD)
		goto discard;
	switch (smi_check_forward_dr_smp(smp)) {
	case IB_SMI_LOCAL:
		return true;
	case IB_SMI_SEND:
		/* A driver without process_mad leaves it to agents. */
		here = smi_handle_dr_smp_send(smp, is_switch, port_num) == IB_SMI_HANDLE &&
		       !ib_get_smp_direction(smp) && smp->hop_ptr == smp->hop_cnt + 1;
		break;
	case IB_SMI_FORWARD:
		if (!is_switch)
			return true;
		forward(port, priv);
		return false;
	}
	if (here)
		return true;
discard:
	mad_drop(port, 0, hdr_of(priv), IB_MGMT_MAD_SIZE, MAD_DROP_ROUTE);
	return false;
}

static int process(struct ib_mad_port_private *port, struct ib_mad_private *priv, size_t *bytes)
{
	struct ib_wc *wc = &priv->header.wc;
	struct ib_mad_private *answer = port->answer;
	u16 pkey_index = 0;
	int result;

	if (!port->device->ops.process_mad)
		return IB_MAD_RESULT_SUCCESS;
	*bytes = answer->mad_size;
	memset(answer->mad, 0, answer->mad_size);
	result = port->device->ops.process_mad(port->device, 0, in_port(port, wc), wc, &priv->grh,
					       (const struct ib_mad *)priv->mad,
					       (struct ib_mad *)answer->mad, bytes, &pkey_index);
	if (hdr_of(priv)->base_version == OPA_MGMT_BASE_VERSION)
		wc->pkey_index = pkey_index;
	return result;
}

bool mad_make_unsupported(const struct ib_mad_hdr *request, struct ib_mad_private *answer,
			  size_t *bytes)
{
	struct ib_mad_hdr *hdr = hdr_of(answer);

	if (request->method != IB_MGMT_METHOD_GET && request->method != IB_MGMT_METHOD_SET)
		return false;
	memcpy(answer->mad, request, *bytes);
	hdr->method = IB_MGMT_METHOD_GET_RESP;
	hdr->status = cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	if (mad_is_directed(request->mgmt_class))
		hdr->status |= IB_SMP_DIRECTION;
	return true;
}

static void reply(struct ib_mad_port_private *port, u32 qpn, const struct ib_mad_private *priv,
		  size_t bytes)
{
	mad_reply(port, (int)qpn, hdr_of(port->answer), &priv->grh, &priv->header.wc, bytes);
}

/* Returns whether the buffer is somebody's now. */
static bool dispatch(struct ib_mad_qp_info *qp_info, struct ib_mad_private *priv, u32 bytes,
		     bool answerable)
{
	struct ib_mad_port_private *port = qp_info->port_priv;
	const u32 qpn = qp_info->qp->qp_num;
	const struct ib_mad_hdr *hdr = hdr_of(priv);
	struct ib_mad_agent_private *agent = mad_agent_find(port, hdr);
	struct ib_mad_private *spare;
	size_t size = bytes;

	if (!agent) {
		if (answerable && mad_make_unsupported(hdr, port->answer, &size))
			reply(port, qpn, priv, size);
		else
			mad_drop(port, qpn, hdr, bytes,
				 ib_response_mad(hdr) ? MAD_DROP_NO_REQUEST : MAD_DROP_NO_AGENT);
		return false;
	}
	spare = mad_private_new(port->mad_size);
	if (!spare) {
		mad_drop(port, qpn, hdr, bytes, MAD_DROP_MEMORY);
		mad_agent_put(agent);
		return false;
	}
	(void)mad_post_receives(qp_info, spare);
	mad_complete_recv(agent, &priv->header.recv_wc);
	return true;
}

/* Returns whether the buffer is somebody's now. */
static bool receive(struct ib_mad_qp_info *qp_info, struct ib_mad_private *priv, u32 bytes)
{
	struct ib_mad_port_private *port = qp_info->port_priv;
	const u32 qpn = qp_info->qp->qp_num;
	const enum mad_drop why = check(port, priv, qpn, bytes);
	size_t answer_bytes = 0;
	int result;

	if (why != MAD_DROPS) {
		mad_drop(port, qpn, hdr_of(priv), bytes, why);
		return false;
	}
	if (mad_is_directed(hdr_of(priv)->mgmt_class) && !ends_here(port, priv))
		return false;
	result = process(port, priv, &answer_bytes);
	if ((result & IB_MAD_RESULT_SUCCESS) && (result & IB_MAD_RESULT_CONSUMED))
		return false;
	if ((result & IB_MAD_RESULT_SUCCESS) && (result & IB_MAD_RESULT_REPLY)) {
		reply(port, qpn, priv, answer_bytes);
		return false;
	}
	return dispatch(qp_info, priv, bytes, result & IB_MAD_RESULT_SUCCESS);
}

static void fill_recv_wc(struct ib_mad_port_private *port, struct ib_mad_private *priv,
			 const struct ib_wc *wc, u32 bytes)
{
	struct ib_mad_recv_wc *recv_wc = &priv->header.recv_wc;

	priv->header.wc = *wc;
	recv_wc->wc = &priv->header.wc;
	recv_wc->recv_buf.mad = (struct ib_mad *)priv->mad;
	recv_wc->recv_buf.grh = &priv->grh;
	recv_wc->mad_len = (int)bytes;
	recv_wc->mad_seg_size = hdr_of(priv)->base_version == OPA_MGMT_BASE_VERSION
					? port->mad_size
					: IB_MGMT_MAD_SIZE;
	INIT_LIST_HEAD(&recv_wc->rmpp_list);
	list_add(&recv_wc->recv_buf.list, &recv_wc->rmpp_list);
}

void mad_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct ib_mad_private *priv =
		container_of(wc->wr_cqe, struct ib_mad_private, header.mad_list.cqe);
	struct ib_mad_queue *queue = priv->header.mad_list.mad_queue;
	struct ib_mad_qp_info *qp_info = queue->qp_info;
	u32 bytes;

	(void)cq;
	spin_lock(&queue->lock);
	queue->count--;
	spin_unlock(&queue->lock);
	/* Only the end of the QP makes errors of receives. */
	if (wc->status != IB_WC_SUCCESS) {
		base_free(priv);
		return;
	}
	bytes = wc->byte_len > sizeof(priv->grh) ? wc->byte_len - (u32)sizeof(priv->grh) : 0;
	fill_recv_wc(qp_info->port_priv, priv, wc, bytes);
	if (!receive(qp_info, priv, bytes))
		(void)mad_post_receives(qp_info, priv);
}

static bool is_rmpp_segment(const struct ib_mad_recv_wc *recv_wc)
{
	const struct ib_rmpp_mad *mad = (const struct ib_rmpp_mad *)recv_wc->recv_buf.mad;

	return ib_is_mad_class_rmpp(mad->mad_hdr.mgmt_class) &&
	       (mad->rmpp_hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_ACTIVE);
}

static void complete_response(struct ib_mad_agent_private *agent, struct ib_mad_recv_wc *recv_wc)
{
	struct ib_mad_send_wc send_wc = {.status = IB_WC_SUCCESS};
	struct ib_mad_send_wr_private *wr;

	spin_lock(&agent->lock);
	wr = ib_find_send_mad(agent, recv_wc);
	if (wr)
		ib_mark_mad_done(wr);
	spin_unlock(&agent->lock);
	if (wr) {
		agent->agent.recv_handler(&agent->agent, &wr->send_buf, recv_wc);
		send_wc.send_buf = &wr->send_buf;
		ib_mad_complete_send_wr(wr, &send_wc);
	} else if (!ib_mad_kernel_rmpp_agent(&agent->agent) && is_rmpp_segment(recv_wc)) {
		/* The client puts them together, and the first has ended the request. */
		agent->agent.recv_handler(&agent->agent, NULL, recv_wc);
	} else {
		mad_drop(mad_port_of(agent), agent->agent.qp->qp_num,
			 &recv_wc->recv_buf.mad->mad_hdr, (u32)recv_wc->mad_len,
			 MAD_DROP_NO_REQUEST);
		ib_free_recv_mad(recv_wc);
	}
}

/* Takes over the caller's reference of the agent. */
void mad_complete_recv(struct ib_mad_agent_private *agent, struct ib_mad_recv_wc *recv_wc)
{
	if (ib_mad_enforce_security(agent, recv_wc->wc->pkey_index)) {
		ib_free_recv_mad(recv_wc);
		goto put;
	}
	if (ib_mad_kernel_rmpp_agent(&agent->agent)) {
		recv_wc = ib_process_rmpp_recv_wc(agent, recv_wc);
		if (!recv_wc)
			goto put;
	}
	if (ib_response_mad(&recv_wc->recv_buf.mad->mad_hdr))
		complete_response(agent, recv_wc);
	else
		agent->agent.recv_handler(&agent->agent, NULL, recv_wc);
put:
	mad_agent_put(agent);
}
