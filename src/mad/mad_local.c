// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * SMPs of directed routes that end where they begin: the driver answers at once, and nothing goes out
 * [rcp 18]. Send and answer complete later, in the port's queue.
 */
#include <linux/err.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "mad/mad_priv.h"
#include "mad/smi.h"

/* One that has been taken: @answer is for @receiver, who may be NULL. */
struct ib_mad_local_private {
	struct list_head completion_list;
	struct ib_mad_send_wr_private *mad_send_wr;
	struct ib_mad_agent_private *recv_mad_agent;
	struct ib_mad_private *mad_priv;
	bool is_answer; /* of @mad_send_wr's request, for whom has sent it */
};

static void fill_wc(const struct ib_mad_send_wr_private *wr, u16 slid, struct ib_wc *wc)
{
	*wc = (struct ib_wc){
		.wr_cqe = wr->send_wr.wr.wr_cqe,
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = (u32)(sizeof(struct ib_grh) + IB_MGMT_MAD_SIZE),
		.qp = wr->mad_agent_priv->agent.qp,
		.src_qp = IB_QP0,
		.slid = slid,
		.pkey_index = wr->send_wr.pkey_index,
		.port_num = (u8)mad_port_of(wr->mad_agent_priv)->port_num,
	};
}

static u32 out_port(const struct ib_mad_agent_private *agent,
		    const struct ib_mad_send_wr_private *wr)
{
	return rdma_cap_ib_switch(agent->agent.device) ? wr->send_wr.port_num
						       : agent->agent.port_num;
}

/* The end at which the route begins here. */
static bool begins_here(struct ib_smp *smp)
{
	const __be16 lid = ib_get_smp_direction(smp) ? smp->dr_dlid : smp->dr_slid;

	return lid == IB_LID_PERMISSIVE;
}

static bool ends_here(struct ib_smp *smp, struct ib_device *device)
{
	return smi_check_local_smp(smp, device) == IB_SMI_HANDLE ||
	       smi_check_local_returning_smp(smp, device) == IB_SMI_HANDLE;
}

static int ask_driver(struct ib_mad_agent_private *agent, struct ib_mad_send_wr_private *wr,
		      struct ib_mad_private *answer)
{
	struct ib_device *device = agent->agent.device;
	struct ib_smp *smp = wr->send_buf.mad;
	size_t bytes = answer->mad_size;
	u16 pkey_index = 0;
	struct ib_wc wc;

	fill_wc(wr, be16_to_cpu(smp->dr_slid), &wc);
	return device->ops.process_mad(device, 0, out_port(agent, wr), &wc, NULL, wr->send_buf.mad,
				       (struct ib_mad *)answer->mad, &bytes, &pkey_index);
}

/* Who gets what: the answer, or the SMP itself where the driver leaves it to agents. */
static int route(struct ib_mad_agent_private *agent, struct ib_mad_local_private *local, int result)
{
	const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)local->mad_priv->mad;

	switch (result) {
	case IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY:
		if (ib_response_mad(hdr) && agent->agent.recv_handler) {
			refcount_inc(&agent->refcount);
			local->recv_mad_agent = agent;
			local->is_answer = true;
		}
		return 0;
	case IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED:
		return 0;
	case IB_MAD_RESULT_SUCCESS:
		memcpy(local->mad_priv->mad, local->mad_send_wr->send_buf.mad, IB_MGMT_MAD_SIZE);
		local->recv_mad_agent = mad_agent_find(mad_port_of(agent), hdr);
		return 0;
	default:
		return base_refuse(-EINVAL, MAD_PROCESS_RESULT, (u32)result);
	}
}

/*
 * What becomes of an SMP of a directed route: 0: it goes out; 1: it has been taken; or it is refused, by the
 * rules of the route or by the driver.
 */
int mad_send_locally(struct ib_mad_agent_private *agent, struct ib_mad_send_wr_private *wr)
{
	const bool is_switch = rdma_cap_ib_switch(agent->agent.device);
	struct ib_mad_local_private *local;
	struct ib_smp *smp = wr->send_buf.mad;
	int ret;

	if (begins_here(smp) &&
	    smi_handle_dr_smp_send(smp, is_switch, out_port(agent, wr)) == IB_SMI_DISCARD)
		return base_refuse(-EINVAL, MAD_ROUTE, smp->hop_ptr, smp->hop_cnt,
				   ib_get_smp_direction(smp));
	if (!ends_here(smp, agent->agent.device))
		return 0;
	local = base_zalloc(sizeof(*local));
	if (local)
		local->mad_priv = mad_private_new(mad_port_of(agent)->mad_size);
	if (!local || !local->mad_priv) {
		base_free(local);
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*local));
	}
	memset(local->mad_priv->mad, 0, local->mad_priv->mad_size);
	local->mad_send_wr = wr;
	ret = route(agent, local, ask_driver(agent, wr, local->mad_priv));
	if (ret) {
		base_free(local->mad_priv);
		base_free(local);
		return ret;
	}
	refcount_inc(&agent->refcount);
	spin_lock(&agent->lock);
	list_add_tail(&local->completion_list, &agent->local_list);
	spin_unlock(&agent->lock);
	(void)queue_work(mad_port_of(agent)->wq, &agent->local_work);
	return 1;
}

/* The buffer is the receiver's. */
static void deliver(struct ib_mad_local_private *local)
{
	struct ib_mad_agent_private *agent = local->recv_mad_agent;
	struct ib_mad_private *priv = local->mad_priv;
	struct ib_mad_recv_wc *recv_wc = &priv->header.recv_wc;

	fill_wc(local->mad_send_wr, be16_to_cpu(IB_LID_PERMISSIVE), &priv->header.wc);
	priv->header.wc.pkey_index = 0;
	recv_wc->wc = &priv->header.wc;
	recv_wc->mad_len = IB_MGMT_MAD_SIZE;
	recv_wc->mad_seg_size = IB_MGMT_MAD_SIZE;
	recv_wc->recv_buf.grh = &priv->grh;
	recv_wc->recv_buf.mad = (struct ib_mad *)priv->mad;
	INIT_LIST_HEAD(&recv_wc->rmpp_list);
	list_add(&recv_wc->recv_buf.list, &recv_wc->rmpp_list);
	agent->agent.recv_handler(&agent->agent,
				  local->is_answer ? &local->mad_send_wr->send_buf : NULL, recv_wc);
	mad_agent_put(agent);
}

static void complete_local(struct ib_mad_local_private *local)
{
	struct ib_mad_send_wr_private *wr = local->mad_send_wr;

	if (local->recv_mad_agent)
		deliver(local);
	else
		base_free(local->mad_priv);
	base_free(local);
	mad_report(wr, IB_WC_SUCCESS, 0);
}

void mad_local_work(struct work_struct *work)
{
	struct ib_mad_agent_private *agent =
		container_of(work, struct ib_mad_agent_private, local_work);
	struct ib_mad_local_private *local;

	do {
		spin_lock(&agent->lock);
		local = list_first_entry_or_null(&agent->local_list, struct ib_mad_local_private,
						 completion_list);
		if (local)
			list_del(&local->completion_list);
		spin_unlock(&agent->lock);
		if (local)
			complete_local(local);
	} while (local);
}
