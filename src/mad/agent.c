// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "mad/agent.h"

#include <linux/err.h>

#include "base/cause.h"
#include "mad/mad_priv.h"

static void answered(struct ib_mad_agent *agent, struct ib_mad_send_wc *send_wc)
{
	(void)agent;
	rdma_destroy_ah(send_wc->send_buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(send_wc->send_buf);
}

static int send_to(struct ib_mad_agent *agent, struct ib_ah *ah, const struct ib_wc *wc,
		   const struct ib_mad_hdr *mad_hdr, size_t bytes)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, wc->src_qp, wc->pkey_index, 0,
							 IB_MGMT_MAD_HDR,
							 (int)(bytes - IB_MGMT_MAD_HDR), GFP_KERNEL,
							 mad_hdr->base_version);
	int ret;

	if (IS_ERR(buf))
		return (int)PTR_ERR(buf);
	memcpy(buf->mad, mad_hdr, bytes);
	buf->ah = ah;
	if (rdma_cap_ib_switch(agent->device))
		mad_send_of(buf)->send_wr.port_num = wc->port_num;
	ret = ib_post_send_mad(buf, NULL);
	if (ret)
		ib_free_send_mad(buf);
	return ret;
}

/* Whoever called last is not told of a cause that is ours. */
void mad_reply(struct ib_mad_port_private *port, int qpn, const struct ib_mad_hdr *mad_hdr,
	       const struct ib_grh *grh, const struct ib_wc *wc, size_t bytes)
{
	const struct base_cause of_caller = *base_cause_last();
	struct ib_mad_agent *agent = port->reply_agent[qpn];
	struct ib_ah *ah;

	if (!agent || bytes < IB_MGMT_MAD_HDR)
		return;
	if (mad_hdr->base_version != OPA_MGMT_BASE_VERSION || bytes > port->mad_size)
		bytes = IB_MGMT_MAD_SIZE;
	ah = ib_create_ah_from_wc(port->pd, wc, grh, port->port_num);
	if (IS_ERR(ah) || send_to(agent, ah, wc, mad_hdr, bytes)) {
		if (!IS_ERR(ah))
			rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
		base_cause_set_last(&of_caller);
	}
}

void agent_send_response(const struct ib_mad_hdr *mad_hdr, const struct ib_grh *grh,
			 const struct ib_wc *wc, const struct ib_device *device, int port_num,
			 int qpn, size_t resp_mad_len, bool opa)
{
	const u32 port_0 = rdma_cap_ib_switch(device) ? 0 : (u32)port_num;
	struct ib_mad_port_private *port = mad_port_find((struct ib_device *)device, port_0);

	(void)opa;
	if (!port)
		return;
	if (qpn >= 0 && qpn < IB_MAD_QPS_CORE)
		mad_reply(port, qpn, mad_hdr, grh, wc, resp_mad_len);
	mad_port_put(port);
}

int ib_agent_port_make(struct ib_mad_port_private *port)
{
	const struct ib_mad_agent like = {.send_handler = answered};

	for (int i = 0; i < IB_MAD_QPS_CORE; i++) {
		struct ib_mad_agent *agent;

		if (!port->qp_info[i].qp)
			continue;
		agent = mad_agent_new(port, &port->qp_info[i], NULL, &like);
		if (IS_ERR(agent))
			return (int)PTR_ERR(agent);
		port->reply_agent[i] = agent;
	}
	return 0;
}

void ib_agent_port_free(struct ib_mad_port_private *port)
{
	for (int i = 0; i < IB_MAD_QPS_CORE; i++) {
		if (port->reply_agent[i])
			mad_agent_free(port->reply_agent[i]);
		port->reply_agent[i] = NULL;
	}
}
