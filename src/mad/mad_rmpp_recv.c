// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The receiver's side of RMPP [rcp 17]: segments are kept in order until the last has come and none is missing.
 * Whatever is done to a transfer is done in the port's queue; the agent's lock is for its index.
 */
#include "mad/mad_rmpp.h"

#include "base/alloc.h"
#include "mad/mad_priv.h"

#define WHOLE_NS (40000 * MAD_NS_PER_MS)    /* time limit of a transfer */
#define REMEMBER_NS (10000 * MAD_NS_PER_MS) /* then repeated segments are acknowledged, still */
#define MOST_TRANSFERS 65536u		    /* of an agent */
#define MOST_REMEMBERED 16384u
#define MOST_BYTES (64u << 20)	 /* of a transfer */
#define MOST_SEGMENTS (1u << 20) /* of all transfers of an agent */

/* Of a segment that has been received, in host order. */
static u32 number_of(const struct ib_mad_recv_buf *buf)
{
	return be32_to_cpu(((const struct ib_rmpp_mad *)buf->mad)->rmpp_hdr.seg_num);
}

static u8 flags_of(const struct ib_mad_recv_buf *buf)
{
	return ib_get_rmpp_flags(&((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr);
}

static bool is_of(const struct mad_rmpp_recv *recv, const struct ib_mad_recv_wc *recv_wc, u8 method)
{
	const struct ib_mad_hdr *hdr = &recv_wc->recv_buf.mad->mad_hdr;

	return recv->node.tid == hdr->tid && recv->src_qp == recv_wc->wc->src_qp &&
	       recv->slid == recv_wc->wc->slid && recv->mgmt_class == hdr->mgmt_class &&
	       recv->class_version == hdr->class_version && recv->method == method;
}

static struct mad_rmpp_recv *find_locked(const struct ib_mad_agent_private *agent,
					 const struct ib_mad_recv_wc *recv_wc, u8 method)
{
	const __be64 tid = recv_wc->recv_buf.mad->mad_hdr.tid;
	struct mad_index_node *node;

	hlist_for_each_entry(node, mad_index_bucket(&agent->transfers, tid), link)
	{
		struct mad_rmpp_recv *recv = container_of(node, struct mad_rmpp_recv, node);

		if (is_of(recv, recv_wc, method))
			return recv;
	}
	return NULL;
}

static struct mad_rmpp_recv *find(struct ib_mad_agent_private *agent,
				  const struct ib_mad_recv_wc *recv_wc)
{
	struct mad_rmpp_recv *recv;

	spin_lock(&agent->lock);
	recv = find_locked(agent, recv_wc, recv_wc->recv_buf.mad->mad_hdr.method);
	spin_unlock(&agent->lock);
	return recv;
}

static void forget(struct mad_rmpp_recv *recv)
{
	struct ib_mad_agent_private *agent = recv->agent;

	spin_lock(&agent->lock);
	mad_index_remove(&agent->transfers, &recv->node);
	if (recv->wc) {
		agent->transfer_count--;
	} else {
		list_del(&recv->remembered);
		agent->remembered_count--;
	}
	spin_unlock(&agent->lock);
	(void)base_timer_remove(&recv->timer);
	(void)cancel_work(&recv->work);
	if (recv->wc)
		ib_free_recv_mad(recv->wc);
	agent->segments -= recv->segments;
	base_free(recv);
}

/* The time is over: of the transfer, or of remembering it. */
static void time_work(struct work_struct *work)
{
	struct mad_rmpp_recv *recv = container_of(work, struct mad_rmpp_recv, work);

	if (recv->wc)
		mad_rmpp_refuse(recv->agent, recv->wc, IB_MGMT_RMPP_STATUS_T2L);
	forget(recv);
}

static void time_is_over(struct base_timer *timer)
{
	struct mad_rmpp_recv *recv = container_of(timer, struct mad_rmpp_recv, timer);

	(void)queue_work(mad_port_of(recv->agent)->wq, &recv->work);
}

static u32 window_of(const struct ib_mad_agent_private *agent)
{
	const int eighth = agent->qp_info->recv_queue.max_active / 8;

	return eighth > 1 ? (u32)eighth : 1;
}

/* More buckets, where there is memory for them. */
static void grow_index(struct ib_mad_agent_private *agent)
{
	u32 buckets;

	spin_lock(&agent->lock);
	buckets = mad_index_wanted(&agent->transfers, agent->transfers.count);
	spin_unlock(&agent->lock);
	mad_index_widen(&agent->transfers, &agent->lock, buckets);
}

static void init(struct mad_rmpp_recv *recv, struct ib_mad_agent_private *agent,
		 struct ib_mad_recv_wc *recv_wc)
{
	const struct ib_mad_hdr *hdr = &recv_wc->recv_buf.mad->mad_hdr;

	recv->node.tid = hdr->tid;
	recv->agent = agent;
	base_timer_init(&recv->timer, time_is_over);
	INIT_WORK(&recv->work, time_work);
	recv->wc = recv_wc;
	recv->last = &recv_wc->recv_buf;
	recv->seg_num = 1;
	recv->newwin = 1;
	recv->repwin = 1;
	recv->src_qp = recv_wc->wc->src_qp;
	recv->slid = recv_wc->wc->slid;
	recv->mgmt_class = hdr->mgmt_class;
	recv->class_version = hdr->class_version;
	recv->method = hdr->method;
}

/* Bytes of a segment's data, without the class's header. */
static u32 segment_bytes(const struct ib_mad_recv_wc *recv_wc)
{
	const int hdr = ib_get_mad_data_offset(recv_wc->recv_buf.mad->mad_hdr.mgmt_class);

	return (u32)recv_wc->mad_seg_size - (u32)hdr;
}

/* The headers, once, and what the segments have behind them, but for the padding of the last. */
static int whole_length(const struct mad_rmpp_recv *recv)
{
	const struct ib_rmpp_mad *last = (const struct ib_rmpp_mad *)recv->last->mad;
	const u32 rmpp_data = (u32)recv->wc->mad_seg_size - IB_MGMT_RMPP_HDR;
	const u32 payload = be32_to_cpu(last->rmpp_hdr.paylen_newwin);
	const u32 bytes = segment_bytes(recv->wc);
	u32 pad = payload <= rmpp_data ? rmpp_data - payload : 0;

	if (pad > bytes)
		pad = bytes;
	return (int)(recv->wc->mad_seg_size - bytes + recv->seg_num * bytes - pad);
}

/* What came behind the segment that has said it is the last. */
static void cut_off(struct mad_rmpp_recv *recv)
{
	while (!list_is_last(&recv->last->list, &recv->wc->rmpp_list)) {
		struct ib_mad_recv_buf *buf = list_next_entry(recv->last, list);

		list_del(&buf->list);
		base_free(container_of(buf, struct ib_mad_private, header.recv_wc.recv_buf));
	}
}

/* All is there. The transfer is remembered, for the ACK may be lost. */
static struct ib_mad_recv_wc *finish(struct mad_rmpp_recv *recv)
{
	struct ib_mad_agent_private *agent = recv->agent;
	struct ib_mad_recv_wc *wc = recv->wc;
	struct mad_rmpp_recv *oldest = NULL;

	cut_off(recv);
	wc->mad_len = whole_length(recv);
	mad_rmpp_ack(agent, wc, recv->seg_num, recv->newwin);
	recv->wc = NULL;
	recv->last = NULL;
	agent->segments -= recv->segments;
	recv->segments = 0;
	(void)base_timer_remove(&recv->timer);
	(void)cancel_work(&recv->work);
	(void)base_timer_arm(&recv->timer, REMEMBER_NS);
	spin_lock(&agent->lock);
	agent->transfer_count--;
	list_add_tail(&recv->remembered, &agent->remembered);
	if (++agent->remembered_count > MOST_REMEMBERED)
		oldest = list_first_entry(&agent->remembered, struct mad_rmpp_recv, remembered);
	spin_unlock(&agent->lock);
	if (oldest)
		forget(oldest);
	return wc;
}

static void drop(struct ib_mad_agent_private *agent, struct ib_mad_recv_wc *recv_wc,
		 enum mad_drop why)
{
	mad_drop(mad_port_of(agent), agent->agent.qp->qp_num, &recv_wc->recv_buf.mad->mad_hdr,
		 (u32)recv_wc->mad_len, why);
	ib_free_recv_mad(recv_wc);
}

static struct ib_mad_recv_wc *begin(struct ib_mad_agent_private *agent,
				    struct ib_mad_recv_wc *recv_wc)
{
	struct mad_rmpp_recv *recv;
	bool wanted = true, room;

	spin_lock(&agent->lock);
	if (ib_response_mad(&recv_wc->recv_buf.mad->mad_hdr))
		wanted = ib_find_send_mad(agent, recv_wc);
	room = agent->transfer_count < MOST_TRANSFERS;
	spin_unlock(&agent->lock);
	if (!wanted) {
		drop(agent, recv_wc, MAD_DROP_NO_REQUEST);
		return NULL;
	}
	recv = room ? base_zalloc(sizeof(*recv)) : NULL;
	if (!recv) {
		mad_rmpp_refuse(agent, recv_wc, IB_MGMT_RMPP_STATUS_RESX);
		drop(agent, recv_wc, MAD_DROP_MEMORY);
		return NULL;
	}
	init(recv, agent, recv_wc);
	spin_lock(&agent->lock);
	mad_index_add(&agent->transfers, &recv->node);
	agent->transfer_count++;
	spin_unlock(&agent->lock);
	grow_index(agent);
	if (flags_of(recv->last) & IB_MGMT_RMPP_FLAG_LAST)
		return finish(recv);
	(void)base_timer_arm(&recv->timer, WHOLE_NS);
	recv->newwin += window_of(agent);
	mad_rmpp_ack(agent, recv_wc, recv->seg_num, recv->newwin);
	return NULL;
}

/* Where a segment belongs: behind the one that is returned; NULL: it is there already. */
static struct ib_mad_recv_buf *place_of(const struct mad_rmpp_recv *recv, u32 number)
{
	struct ib_mad_recv_buf *buf;

	list_for_each_entry_reverse(buf, &recv->wc->rmpp_list, list)
		if (number_of(buf) <= number)
			return number_of(buf) == number ? NULL : buf;
	return NULL;
}

/* Up to the first gap. */
static void advance(struct mad_rmpp_recv *recv)
{
	while (!list_is_last(&recv->last->list, &recv->wc->rmpp_list)) {
		struct ib_mad_recv_buf *next = list_next_entry(recv->last, list);

		if (number_of(next) != recv->seg_num + 1 ||
		    (flags_of(recv->last) & IB_MGMT_RMPP_FLAG_LAST))
			return;
		recv->last = next;
		recv->seg_num++;
	}
}

static struct ib_mad_recv_wc *go_on(struct mad_rmpp_recv *recv, struct ib_mad_recv_wc *recv_wc)
{
	struct ib_mad_agent_private *agent = recv->agent;
	const u32 number = number_of(&recv_wc->recv_buf);
	struct ib_mad_recv_buf *before;

	if (number > recv->newwin) {
		drop(agent, recv_wc, MAD_DROP_RMPP);
		return NULL;
	}
	if (number <= recv->seg_num || !recv->wc) {
		mad_rmpp_ack(agent, recv_wc, recv->seg_num, recv->newwin);
		drop(agent, recv_wc, MAD_DROP_RMPP);
		return NULL;
	}
	if ((u64)(number - 1) * segment_bytes(recv_wc) >= MOST_BYTES) {
		mad_rmpp_refuse(agent, recv_wc, IB_MGMT_RMPP_STATUS_RESX);
		drop(agent, recv_wc, MAD_DROP_MEMORY);
		forget(recv);
		return NULL;
	}
	before = place_of(recv, number);
	if (!before || recv_wc->mad_seg_size != recv->wc->mad_seg_size) {
		drop(agent, recv_wc, MAD_DROP_RMPP);
		return NULL;
	}
	if (agent->segments >= MOST_SEGMENTS) {
		drop(agent, recv_wc, MAD_DROP_MEMORY); /* it will come again */
		return NULL;
	}
	list_move(&recv_wc->recv_buf.list, &before->list);
	recv->segments++;
	agent->segments++;
	advance(recv);
	if (flags_of(recv->last) & IB_MGMT_RMPP_FLAG_LAST)
		return finish(recv);
	if (recv->seg_num == recv->newwin) {
		recv->newwin += window_of(agent);
		mad_rmpp_ack(agent, recv_wc, recv->seg_num, recv->newwin);
	}
	return NULL;
}

struct ib_mad_recv_wc *mad_rmpp_data(struct ib_mad_agent_private *agent,
				     struct ib_mad_recv_wc *recv_wc)
{
	const struct ib_rmpp_hdr *rmpp = &mad_rmpp_of(recv_wc)->rmpp_hdr;
	const u32 number = be32_to_cpu(rmpp->seg_num);
	const bool first = flags_of(&recv_wc->recv_buf) & IB_MGMT_RMPP_FLAG_FIRST;
	struct mad_rmpp_recv *recv;
	u8 wrong = 0;

	if (rmpp->rmpp_status)
		wrong = IB_MGMT_RMPP_STATUS_BAD_STATUS;
	else if (!number || (number == 1) != first)
		wrong = IB_MGMT_RMPP_STATUS_BAD_SEG;
	else if ((u32)recv_wc->mad_len < recv_wc->mad_seg_size)
		wrong = IB_MGMT_RMPP_STATUS_BAD_LEN;
	if (wrong) {
		mad_rmpp_refuse(agent, recv_wc, wrong);
		drop(agent, recv_wc, MAD_DROP_RMPP);
		return NULL;
	}
	recv = find(agent, recv_wc);
	if (recv)
		return go_on(recv, recv_wc);
	if (first)
		return begin(agent, recv_wc);
	drop(agent, recv_wc, MAD_DROP_RMPP);
	return NULL;
}

void mad_rmpp_abort_recv(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc)
{
	struct mad_rmpp_recv *recv = find(agent, recv_wc);

	if (recv && recv->wc)
		forget(recv);
}

/* The ACK goes the way that the segments came, and has their method. */
void mad_rmpp_set_repwin(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
			 u32 repwin)
{
	struct mad_rmpp_recv *recv;

	spin_lock(&agent->lock);
	recv = find_locked(agent, recv_wc, recv_wc->recv_buf.mad->mad_hdr.method);
	if (recv && !recv->wc && repwin)
		recv->repwin = repwin;
	spin_unlock(&agent->lock);
}

u32 mad_rmpp_repwin(const struct ib_mad_send_wr_private *wr)
{
	struct ib_mad_agent_private *agent = wr->mad_agent_priv;
	const struct ib_mad_hdr *hdr = mad_send_hdr(wr);
	struct mad_index_node *node;
	struct rdma_ah_attr attr;
	u32 repwin = 1;

	if (!(hdr->method & IB_MGMT_METHOD_RESP) || rdma_query_ah(wr->send_buf.ah, &attr))
		return repwin;
	spin_lock(&agent->lock);
	hlist_for_each_entry(node, mad_index_bucket(&agent->transfers, hdr->tid), link)
	{
		const struct mad_rmpp_recv *recv = container_of(node, struct mad_rmpp_recv, node);

		if (node->tid == hdr->tid && recv->mgmt_class == hdr->mgmt_class &&
		    recv->class_version == hdr->class_version &&
		    !(recv->method & IB_MGMT_METHOD_RESP) && recv->slid == rdma_ah_get_dlid(&attr))
			repwin = recv->repwin;
	}
	spin_unlock(&agent->lock);
	return repwin;
}

void mad_rmpp_cancel_work(struct work_struct *work)
{
	struct ib_mad_agent_private *agent =
		container_of(work, struct ib_mad_agent_private, cancel_work);
	struct mad_index *index = &agent->transfers;

	for (u32 i = 0; i <= index->mask; i++)
		while (!hlist_empty(&index->bucket[i]))
			forget(container_of(hlist_entry(index->bucket[i].first,
							struct mad_index_node, link),
					    struct mad_rmpp_recv, node));
}

void ib_cancel_rmpp_recvs(struct ib_mad_agent_private *agent)
{
	(void)queue_work(mad_port_of(agent)->wq, &agent->cancel_work);
	(void)flush_work(&agent->cancel_work);
}
