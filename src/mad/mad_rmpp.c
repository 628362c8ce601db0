// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The sender's side of RMPP [rcp 17], and what arrives for it. One segment is on its way at a time: the next goes
 * out when it has been sent, up to the end of the window; then an ACK is waited for.
 */
#include "mad/mad_rmpp.h"

#include "base/cause.h"
#include "mad/mad_priv.h"

#define ACK_WAIT_NS (2000 * MAD_NS_PER_MS)

bool mad_rmpp_applies(const struct ib_mad_send_wr_private *wr)
{
	const struct ib_rmpp_mad *mad = wr->send_buf.mad;

	return wr->send_buf.seg_count && !wr->internal &&
	       mad->rmpp_hdr.rmpp_type == IB_MGMT_RMPP_TYPE_DATA &&
	       (mad->rmpp_hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_ACTIVE);
}

/* It waits for the last ACK even if it does not wait for a response. */
void mad_rmpp_begin(struct ib_mad_send_wr_private *wr)
{
	const u32 repwin = mad_rmpp_repwin(wr);

	wr->last_ack = 0;
	wr->seg_num = 0;
	wr->newwin = repwin > (u32)wr->send_buf.seg_count ? wr->send_buf.seg_count : (int)repwin;
	wr->refcount += !wr->timeout_ns;
}

/* The one after the segment that was sent last; all have the same headers. */
static void prepare_next(struct ib_mad_send_wr_private *wr)
{
	struct ib_mad_send_buf *buf = &wr->send_buf;
	struct ib_rmpp_hdr *rmpp = &((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr;
	u8 flags = IB_MGMT_RMPP_FLAG_ACTIVE;
	int payload = 0;

	wr->seg_num++;
	if (wr->seg_num == 1) {
		flags |= IB_MGMT_RMPP_FLAG_FIRST;
		payload = buf->seg_count * buf->seg_rmpp_size - wr->pad;
	}
	if (wr->seg_num == buf->seg_count) {
		flags |= IB_MGMT_RMPP_FLAG_LAST;
		payload = buf->seg_rmpp_size - wr->pad;
	}
	ib_set_rmpp_flags(rmpp, flags);
	rmpp->seg_num = cpu_to_be32((u32)wr->seg_num);
	rmpp->paylen_newwin = cpu_to_be32((u32)payload);
	wr->sg_list[1].addr = (u64)(uintptr_t)ib_get_rmpp_segment(buf, wr->seg_num);
	wr->timeout_ns = buf->timeout_ms > 0 ? (u64)buf->timeout_ms * MAD_NS_PER_MS : ACK_WAIT_NS;
	if (wr->timeout_ns > ACK_WAIT_NS)
		wr->timeout_ns = ACK_WAIT_NS;
}

int ib_send_rmpp_mad(struct ib_mad_send_wr_private *mad_send_wr)
{
	int ret;

	if (!mad_send_wr->rmpp)
		return mad_send_wr->internal ? IB_RMPP_RESULT_INTERNAL : IB_RMPP_RESULT_UNHANDLED;
	prepare_next(mad_send_wr);
	ret = ib_send_mad(mad_send_wr);
	return ret ? ret : IB_RMPP_RESULT_CONSUMED;
}

int ib_process_rmpp_send_wc(struct ib_mad_send_wr_private *mad_send_wr,
			    struct ib_mad_send_wc *mad_send_wc)
{
	struct ib_mad_send_wr_private *wr = mad_send_wr;

	if (!wr->rmpp)
		return wr->internal ? IB_RMPP_RESULT_INTERNAL : IB_RMPP_RESULT_UNHANDLED;
	/* Without a time to wait it is over: there was a response, or the last ACK. */
	if (mad_send_wc->status != IB_WC_SUCCESS || wr->status != IB_WC_SUCCESS || !wr->timeout_ns)
		return IB_RMPP_RESULT_PROCESSED;
	if (wr->last_ack == wr->send_buf.seg_count) {
		wr->timeout_ns = (u64)wr->send_buf.timeout_ms * MAD_NS_PER_MS;
		return IB_RMPP_RESULT_PROCESSED;
	}
	if (wr->seg_num >= wr->newwin || wr->seg_num == wr->send_buf.seg_count)
		return IB_RMPP_RESULT_PROCESSED;
	prepare_next(wr);
	return IB_RMPP_RESULT_CONSUMED;
}

int ib_retry_rmpp(struct ib_mad_send_wr_private *mad_send_wr)
{
	if (!mad_send_wr->rmpp)
		return mad_send_wr->internal ? IB_RMPP_RESULT_INTERNAL : IB_RMPP_RESULT_UNHANDLED;
	if (mad_send_wr->last_ack == mad_send_wr->send_buf.seg_count)
		return IB_RMPP_RESULT_PROCESSED;
	mad_send_wr->seg_num = mad_send_wr->last_ack;
	prepare_next(mad_send_wr);
	return IB_RMPP_RESULT_CONSUMED;
}

/* Whether all of it has arrived already, and only a response is missing. */
static bool is_acked(const struct ib_mad_send_wr_private *wr)
{
	return wr->last_ack == wr->send_buf.seg_count || !wr->timeout_ns;
}

/* Of what we send, that is: it ends. */
static void abort_send(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
		       u8 status)
{
	struct ib_mad_send_wr_private *wr;

	spin_lock(&agent->lock);
	wr = ib_find_send_mad(agent, recv_wc);
	if (wr && (!wr->rmpp || is_acked(wr)))
		wr = NULL;
	if (wr)
		ib_mark_mad_done(wr);
	spin_unlock(&agent->lock);
	if (wr)
		mad_send_ended(wr, IB_WC_REM_ABORT_ERR, status);
}

static void give_up(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
		    u8 status)
{
	abort_send(agent, recv_wc, status);
	mad_rmpp_refuse(agent, recv_wc, status);
}

/* What an ACK leads to. */
enum ack_step {
	ACK_IGNORED,
	ACK_WRONG,	/* of a segment that may not have been sent */
	ACK_TURNS,	/* we are ready for the response */
	ACK_ENDS,	/* nothing is waited for any more */
	ACK_GOES_ON,	/* the next segment is ready */
	ACK_OF_REQUEST, /* it is for what we have received: our turn */
};

static enum ack_step end_locked(struct ib_mad_send_wr_private *wr)
{
	if (!wr->send_buf.timeout_ms) {
		ib_mark_mad_done(wr);
		return ACK_ENDS;
	}
	if (wr->refcount == 1)
		ib_reset_mad_timeout(wr, (unsigned long)wr->send_buf.timeout_ms);
	return ACK_TURNS;
}

static enum ack_step take_ack_locked(struct ib_mad_send_wr_private *wr, u32 seg_num, u32 newwin)
{
	const u32 seg_count = (u32)wr->send_buf.seg_count;

	if (is_acked(wr))
		return ACK_TURNS;
	if (seg_num > seg_count || seg_num > (u32)wr->newwin)
		return ACK_WRONG;
	if (newwin > seg_count)
		newwin = seg_count;
	if (newwin < (u32)wr->newwin || seg_num < (u32)wr->last_ack)
		return ACK_IGNORED; /* it was overtaken by a later one */
	if (seg_num > (u32)wr->last_ack)
		wr->retries_left = wr->max_retries;
	wr->last_ack = (int)seg_num;
	wr->newwin = (int)newwin;
	/* After a resend the ACK of what had been sent before may come. */
	if (wr->seg_num < wr->last_ack)
		wr->seg_num = wr->last_ack;
	if (seg_num == seg_count)
		return end_locked(wr);
	if (wr->refcount != 1 || wr->seg_num >= wr->newwin)
		return ACK_IGNORED;
	prepare_next(wr);
	wr->refcount++;
	mad_move(wr, MAD_SENDING);
	return ACK_GOES_ON;
}

static void process_ack(struct ib_mad_agent_private *agent, struct ib_mad_recv_wc *recv_wc)
{
	const struct ib_rmpp_hdr *rmpp = &mad_rmpp_of(recv_wc)->rmpp_hdr;
	const u32 seg_num = be32_to_cpu(rmpp->seg_num), newwin = be32_to_cpu(rmpp->paylen_newwin);
	struct ib_mad_send_wr_private *wr;
	enum ack_step step = ACK_IGNORED;

	if (rmpp->rmpp_status) {
		give_up(agent, recv_wc, IB_MGMT_RMPP_STATUS_BAD_STATUS);
		return;
	}
	if (newwin < seg_num) {
		give_up(agent, recv_wc, IB_MGMT_RMPP_STATUS_W2S);
		return;
	}
	spin_lock(&agent->lock);
	wr = ib_find_send_mad(agent, recv_wc);
	if (wr && wr->rmpp)
		step = take_ack_locked(wr, seg_num, newwin);
	else if (!wr && !seg_num)
		step = ACK_OF_REQUEST;
	spin_unlock(&agent->lock);

	switch (step) {
	case ACK_IGNORED:
		break;
	case ACK_WRONG:
		give_up(agent, recv_wc, IB_MGMT_RMPP_STATUS_S2B);
		break;
	case ACK_TURNS:
		mad_rmpp_ack(agent, recv_wc, 0, 1);
		break;
	case ACK_ENDS:
		mad_send_ended(wr, IB_WC_SUCCESS, 0);
		break;
	case ACK_GOES_ON:
		if (ib_send_mad(wr))
			mad_send_ended(wr, IB_WC_GENERAL_ERR, base_cause_last()->id);
		break;
	case ACK_OF_REQUEST:
		mad_rmpp_set_repwin(agent, recv_wc, newwin);
		break;
	}
}

static void process_abort(struct ib_mad_agent_private *agent, struct ib_mad_recv_wc *recv_wc)
{
	const struct ib_rmpp_hdr *rmpp = &mad_rmpp_of(recv_wc)->rmpp_hdr;
	const bool stop = rmpp->rmpp_type == IB_MGMT_RMPP_TYPE_STOP;
	const bool known = stop ? rmpp->rmpp_status == IB_MGMT_RMPP_STATUS_RESX
				: rmpp->rmpp_status >= IB_MGMT_RMPP_STATUS_ABORT_MIN &&
					   rmpp->rmpp_status <= IB_MGMT_RMPP_STATUS_ABORT_MAX;

	mad_rmpp_abort_recv(agent, recv_wc);
	if (known)
		abort_send(agent, recv_wc, rmpp->rmpp_status);
	else
		give_up(agent, recv_wc, IB_MGMT_RMPP_STATUS_BAD_STATUS);
}

struct ib_mad_recv_wc *ib_process_rmpp_recv_wc(struct ib_mad_agent_private *agent,
					       struct ib_mad_recv_wc *mad_recv_wc)
{
	const struct ib_rmpp_mad *mad = mad_rmpp_of(mad_recv_wc);

	if (!ib_is_mad_class_rmpp(mad->mad_hdr.mgmt_class) ||
	    mad_recv_wc->mad_len < IB_MGMT_RMPP_HDR ||
	    !(mad->rmpp_hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_ACTIVE))
		return mad_recv_wc;
	if (mad->rmpp_hdr.rmpp_version != IB_MGMT_RMPP_VERSION) {
		give_up(agent, mad_recv_wc, IB_MGMT_RMPP_STATUS_UNV);
		goto consumed;
	}
	switch (mad->rmpp_hdr.rmpp_type) {
	case IB_MGMT_RMPP_TYPE_DATA:
		return mad_rmpp_data(agent, mad_recv_wc);
	case IB_MGMT_RMPP_TYPE_ACK:
		process_ack(agent, mad_recv_wc);
		break;
	case IB_MGMT_RMPP_TYPE_STOP:
	case IB_MGMT_RMPP_TYPE_ABORT:
		process_abort(agent, mad_recv_wc);
		break;
	default:
		give_up(agent, mad_recv_wc, IB_MGMT_RMPP_STATUS_BADT);
		break;
	}
consumed:
	ib_free_recv_mad(mad_recv_wc);
	return NULL;
}
