/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* RMPP: messages of several segments [rcp 17]. */
#ifndef MAD_MAD_RMPP_H
#define MAD_MAD_RMPP_H

#include <linux/workqueue.h>
#include <rdma/ib_mad.h>

#include "mad/mad_index.h"

struct ib_mad_agent_private;
struct ib_mad_send_wr_private;

/**
 * enum ib_rmpp_result - What RMPP makes of something.
 * @IB_RMPP_RESULT_PROCESSED: It has looked at it; go on as without it.
 * @IB_RMPP_RESULT_CONSUMED: A segment is to be sent.
 * @IB_RMPP_RESULT_INTERNAL: It is an answer of its own.
 * @IB_RMPP_RESULT_UNHANDLED: It has nothing to do with it.
 */
enum ib_rmpp_result {
	IB_RMPP_RESULT_PROCESSED,
	IB_RMPP_RESULT_CONSUMED,
	IB_RMPP_RESULT_INTERNAL,
	IB_RMPP_RESULT_UNHANDLED,
};

/** mad_rmpp_applies() - Whether a send that is about to be posted goes by RMPP. */
bool mad_rmpp_applies(const struct ib_mad_send_wr_private *wr);

/** mad_rmpp_begin() - Nothing of it has been sent. */
void mad_rmpp_begin(struct ib_mad_send_wr_private *wr);

/**
 * ib_send_rmpp_mad() - Send the first segment.
 * @mad_send_wr: In the send list; mad_rmpp_begin() has been called.
 *
 * Return: IB_RMPP_RESULT_CONSUMED, or what ib_post_send() says.
 */
int ib_send_rmpp_mad(struct ib_mad_send_wr_private *mad_send_wr);

/**
 * ib_process_rmpp_send_wc() - A segment has been sent: what comes next?
 * @mad_send_wr: Its send. The agent's lock is held.
 * @mad_send_wc: How it ended.
 *
 * Return: IB_RMPP_RESULT_CONSUMED: the next segment is ready: send it without the lock.
 *	IB_RMPP_RESULT_PROCESSED: it waits for an ACK, or it is over.
 */
int ib_process_rmpp_send_wc(struct ib_mad_send_wr_private *mad_send_wr,
			    struct ib_mad_send_wc *mad_send_wc);

/**
 * ib_retry_rmpp() - No ACK has come.
 * @mad_send_wr: Its send. The agent's lock is held.
 *
 * Return: IB_RMPP_RESULT_CONSUMED: the first segment that has not been acknowledged is ready.
 *	IB_RMPP_RESULT_PROCESSED: all of them have; it is the response that is missing.
 */
int ib_retry_rmpp(struct ib_mad_send_wr_private *mad_send_wr);

/**
 * ib_process_rmpp_recv_wc() - Something has arrived.
 * @agent: For whom.
 * @mad_recv_wc: It.
 *
 * Return: A message that is complete; @mad_recv_wc if it is no RMPP; or NULL: it was taken.
 */
struct ib_mad_recv_wc *ib_process_rmpp_recv_wc(struct ib_mad_agent_private *agent,
					       struct ib_mad_recv_wc *mad_recv_wc);

/** ib_cancel_rmpp_recvs() - Forget what is being received. Context: May sleep; not in the port's queue. */
void ib_cancel_rmpp_recvs(struct ib_mad_agent_private *agent);

/** mad_rmpp_cancel_work() - What ib_cancel_rmpp_recvs() has the port's queue do. */
void mad_rmpp_cancel_work(struct work_struct *work);

/** ib_rmpp_send_handler() - An answer of RMPP's own has been sent. */
void ib_rmpp_send_handler(struct ib_mad_send_wc *mad_send_wc);

/* Within RMPP: mad_rmpp_answer.c, mad_rmpp_recv.c */

/**
 * struct mad_rmpp_recv - A message that is being received, or has been a while ago.
 * @node: In the agent's index; its TID.
 * @agent: Whose.
 * @remembered: In the agent's list, once it is complete.
 * @timer: The time limit of the whole, then how long it is remembered.
 * @work: What is done when that is over, in the port's queue.
 * @wc: What has arrived so far; NULL once it has been handed over.
 * @last: Of that, the last segment before the first gap.
 * @seg_num: Its number.
 * @segments: How many are kept, without the first.
 * @newwin: The last segment that the other side may send.
 * @repwin: How much of a response the other side is ready to take at first.
 * @src_qp: Who sends it; with the TID and what follows its name.
 * @slid: See above.
 * @mgmt_class: See above.
 * @class_version: See above.
 * @method: See above.
 */
struct mad_rmpp_recv {
	struct mad_index_node node;
	struct ib_mad_agent_private *agent;
	struct list_head remembered;
	struct base_timer timer;
	struct work_struct work;
	struct ib_mad_recv_wc *wc;
	struct ib_mad_recv_buf *last;
	u32 segments;
	u32 seg_num;
	u32 newwin;
	u32 repwin;
	u32 src_qp;
	u32 slid;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
};

static inline struct ib_rmpp_mad *mad_rmpp_of(const struct ib_mad_recv_wc *wc)
{
	return (struct ib_rmpp_mad *)wc->recv_buf.mad;
}

/** mad_rmpp_ack() - Say what has arrived, and what may be sent. */
void mad_rmpp_ack(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
		  u32 seg_num, u32 newwin);

/** mad_rmpp_refuse() - Send ABORT, or STOP if @status is IB_MGMT_RMPP_STATUS_RESX. */
void mad_rmpp_refuse(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
		     u8 status);

/** mad_rmpp_data() - A segment has arrived. Returns the message that it completes, or NULL. */
struct ib_mad_recv_wc *mad_rmpp_data(struct ib_mad_agent_private *agent,
				     struct ib_mad_recv_wc *recv_wc);

/** mad_rmpp_abort_recv() - The other side has given up. */
void mad_rmpp_abort_recv(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc);

/** mad_rmpp_set_repwin() - It is our turn: so much of the response is wanted at first. */
void mad_rmpp_set_repwin(struct ib_mad_agent_private *agent, const struct ib_mad_recv_wc *recv_wc,
			 u32 repwin);

/** mad_rmpp_repwin() - What was said so of the request that @wr responds to; 1 if nothing was. */
u32 mad_rmpp_repwin(const struct ib_mad_send_wr_private *wr);

#endif
