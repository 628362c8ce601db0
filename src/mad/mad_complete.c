// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What ends a send: it is on its way, and it waits for something; when neither is so any more its agent is
 * told. A response may come before the send has completed.
 */
#include <rdma/ib_cache.h>

#include "base/cause.h"
#include "mad/mad_priv.h"
#include "mad/mad_rmpp.h"

int ib_response_mad(const struct ib_mad_hdr *hdr)
{
	return (hdr->method & IB_MGMT_METHOD_RESP) || hdr->method == IB_MGMT_METHOD_TRAP_REPRESS ||
	       (hdr->mgmt_class == IB_MGMT_CLASS_BM && (hdr->attr_mod & IB_BM_ATTR_MOD_RESP));
}

/* A response to what we have sent: it came to where we had sent from. */
static bool came_to_sender(const struct ib_mad_agent *agent, const struct rdma_ah_attr *attr,
			   const struct ib_mad_recv_wc *recv_wc, bool has_grh)
{
	union ib_gid sgid;
	u8 lmc;

	if (!has_grh) {
		const u32 differs = rdma_ah_get_path_bits(attr) ^ recv_wc->wc->dlid_path_bits;

		return !ib_get_cached_lmc(agent->device, agent->port_num, &lmc) &&
		       !(differs & ((1u << lmc) - 1));
	}
	return !rdma_query_gid(agent->device, agent->port_num, rdma_ah_read_grh(attr)->sgid_index,
			       &sgid) &&
	       !memcmp(sgid.raw, recv_wc->recv_buf.grh->dgid.raw, sizeof(sgid.raw));
}

/* An ACK of a response of ours: it came from where we had sent it. */
static bool came_from_receiver(const struct rdma_ah_attr *attr,
			       const struct ib_mad_recv_wc *recv_wc, bool has_grh)
{
	if (!has_grh)
		return rdma_ah_get_dlid(attr) == recv_wc->wc->slid;
	return !memcmp(rdma_ah_read_grh(attr)->dgid.raw, recv_wc->recv_buf.grh->sgid.raw,
		       sizeof(union ib_gid));
}

static bool has_same_address(const struct ib_mad_agent *agent,
			     const struct ib_mad_send_wr_private *wr,
			     const struct ib_mad_recv_wc *recv_wc)
{
	const bool sent_response = ib_response_mad(mad_send_hdr(wr));
	struct rdma_ah_attr attr;
	bool has_grh;

	if (sent_response == (bool)ib_response_mad(&recv_wc->recv_buf.mad->mad_hdr) ||
	    rdma_query_ah(wr->send_buf.ah, &attr))
		return false;
	has_grh = rdma_ah_get_ah_flags(&attr) & IB_AH_GRH;
	if (has_grh != !!(recv_wc->wc->wc_flags & IB_WC_GRH))
		return false;
	return sent_response ? came_from_receiver(&attr, recv_wc, has_grh)
			     : came_to_sender(agent, &attr, recv_wc, has_grh);
}

/* Of several the one that waits; of these the one that was posted first [rcp 16.6]. */
struct ib_mad_send_wr_private *ib_find_send_mad(const struct ib_mad_agent_private *mad_agent_priv,
						const struct ib_mad_recv_wc *mad_recv_wc)
{
	const struct ib_mad_hdr *hdr = &mad_recv_wc->recv_buf.mad->mad_hdr;
	struct ib_mad_send_wr_private *found = NULL;
	struct mad_index_node *node;

	hlist_for_each_entry(node, mad_index_bucket(&mad_agent_priv->sends, hdr->tid), link)
	{
		struct ib_mad_send_wr_private *wr =
			container_of(node, struct ib_mad_send_wr_private, node);

		if (node->tid != hdr->tid || wr->status != IB_WC_SUCCESS ||
		    mad_send_hdr(wr)->mgmt_class != hdr->mgmt_class ||
		    (found && found->where == MAD_WAITING && wr->where != MAD_WAITING))
			continue;
		/* Those of directed routes may be permissive LIDs. */
		if (mad_is_directed(hdr->mgmt_class) ||
		    has_same_address(&mad_agent_priv->agent, wr, mad_recv_wc))
			found = wr;
	}
	return found;
}

void mad_move(struct ib_mad_send_wr_private *wr, enum mad_where where)
{
	struct ib_mad_agent_private *agent = wr->mad_agent_priv;
	struct list_head *lists[] = {[MAD_SENDING] = &agent->send_list,
				     [MAD_WAITING] = &agent->wait_list,
				     [MAD_DONE] = &agent->done_list};

	if (wr->where != MAD_NOWHERE)
		list_del_init(&wr->agent_list);
	wr->where = where;
	if (where != MAD_NOWHERE)
		list_add_tail(&wr->agent_list, lists[where]);
}

void ib_mark_mad_done(struct ib_mad_send_wr_private *mad_send_wr)
{
	mad_send_wr->timeout_ns = 0;
	mad_index_remove(&mad_send_wr->mad_agent_priv->sends, &mad_send_wr->node);
	mad_move(mad_send_wr, MAD_DONE);
}

/* It is in no list any more. */
void mad_report(struct ib_mad_send_wr_private *wr, enum ib_wc_status status, u32 cause)
{
	struct ib_mad_send_wc send_wc = {
		.send_buf = &wr->send_buf, .status = status, .vendor_err = cause};
	struct ib_mad_agent_private *agent = wr->mad_agent_priv;

	if (wr->internal)
		ib_rmpp_send_handler(&send_wc);
	else
		agent->agent.send_handler(&agent->agent, &send_wc);
	mad_agent_put(agent);
}

static void note_error(struct ib_mad_send_wr_private *wr, const struct ib_mad_send_wc *wc)
{
	if (wc->status == IB_WC_SUCCESS || wr->status != IB_WC_SUCCESS)
		return;
	wr->status = wc->status;
	wr->cause = wc->vendor_err;
	wr->refcount -= wr->timeout_ns > 0; /* nothing is waited for any more */
}

void ib_mad_complete_send_wr(struct ib_mad_send_wr_private *mad_send_wr,
			     struct ib_mad_send_wc *mad_send_wc)
{
	struct ib_mad_agent_private *agent = mad_send_wr->mad_agent_priv;
	struct ib_mad_send_wr_private *wr = mad_send_wr;
	bool ended = false;

	spin_lock(&agent->lock);
	if (wr->rmpp && ib_process_rmpp_send_wc(wr, mad_send_wc) == IB_RMPP_RESULT_CONSUMED) {
		spin_unlock(&agent->lock);
		if (ib_send_mad(wr))
			mad_send_ended(wr, IB_WC_GENERAL_ERR, base_cause_last()->id);
		return;
	}
	note_error(wr, mad_send_wc);
	if (--wr->refcount > 0) {
		if (wr->refcount == 1 && wr->timeout_ns && wr->status == IB_WC_SUCCESS)
			mad_wait(wr);
	} else {
		mad_move(wr, MAD_NOWHERE);
		mad_index_remove(&agent->sends, &wr->node);
		ended = true;
	}
	spin_unlock(&agent->lock);
	if (ended)
		mad_report(wr, wr->status, wr->cause);
}

void mad_send_ended(struct ib_mad_send_wr_private *wr, enum ib_wc_status status, u32 cause)
{
	struct ib_mad_send_wc send_wc = {
		.send_buf = &wr->send_buf, .status = status, .vendor_err = cause};

	ib_mad_complete_send_wr(wr, &send_wc);
}
