// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * ACK, STOP and ABORT: they go back to where something came from, with its headers, and its method turned
 * round. What cannot be sent for want of memory is as good as lost on the way.
 */
#include <linux/err.h>

#include "base/cause.h"
#include "mad/mad_priv.h"
#include "mad/mad_rmpp.h"

static struct ib_mad_send_buf *make(struct ib_mad_agent_private *agent,
				    const struct ib_mad_recv_wc *recv_wc, struct ib_ah *ah)
{
	const struct ib_rmpp_mad *in = mad_rmpp_of(recv_wc);
	const int hdr_len = ib_get_mad_data_offset(in->mad_hdr.mgmt_class);
	struct ib_mad_send_buf *buf = ib_create_send_mad(&agent->agent, recv_wc->wc->src_qp,
							 recv_wc->wc->pkey_index, 1, hdr_len, 0,
							 GFP_KERNEL, in->mad_hdr.base_version);

	if (IS_ERR(buf))
		return NULL;
	memcpy(buf->mad, in, (size_t)hdr_len);
	buf->ah = ah;
	mad_send_of(buf)->internal = true;
	return buf;
}

static void answer(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
		   const struct ib_rmpp_hdr *how)
{
	const struct base_cause of_caller = *base_cause_last();
	struct ib_mad_send_buf *buf = NULL;
	struct ib_rmpp_mad *mad;
	struct ib_ah *ah;

	ah = ib_create_ah_from_wc(agent->agent.qp->pd, recv_wc->wc, recv_wc->recv_buf.grh,
				  agent->agent.port_num);
	if (!IS_ERR(ah))
		buf = make(agent, recv_wc, ah);
	if (buf) {
		mad = buf->mad;
		mad->mad_hdr.method ^= IB_MGMT_METHOD_RESP;
		mad->rmpp_hdr = *how;
		if (!ib_post_send_mad(buf, NULL))
			return;
		ib_free_send_mad(buf);
	}
	if (!IS_ERR(ah))
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
	base_cause_set_last(&of_caller);
}

void mad_rmpp_ack(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
		  u32 seg_num, u32 newwin)
{
	const struct ib_rmpp_hdr how = {.rmpp_version = IB_MGMT_RMPP_VERSION,
					.rmpp_type = IB_MGMT_RMPP_TYPE_ACK,
					.rmpp_rtime_flags = IB_MGMT_RMPP_FLAG_ACTIVE,
					.seg_num = cpu_to_be32(seg_num),
					.paylen_newwin = cpu_to_be32(newwin)};

	answer(agent, recv_wc, &how);
}

void mad_rmpp_refuse(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
		     u8 status)
{
	const bool stop = status == IB_MGMT_RMPP_STATUS_RESX;
	const struct ib_rmpp_hdr how = {.rmpp_version = IB_MGMT_RMPP_VERSION,
					.rmpp_type = stop ? IB_MGMT_RMPP_TYPE_STOP
							  : IB_MGMT_RMPP_TYPE_ABORT,
					.rmpp_rtime_flags = IB_MGMT_RMPP_FLAG_ACTIVE,
					.rmpp_status = status};

	answer(agent, recv_wc, &how);
}

void ib_rmpp_send_handler(struct ib_mad_send_wc *mad_send_wc)
{
	rdma_destroy_ah(mad_send_wc->send_buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_free_send_mad(mad_send_wc->send_buf);
}
