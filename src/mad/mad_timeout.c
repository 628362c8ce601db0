// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Waiting for responses: a list of each agent, the earliest deadline first, and one timer for its head. What
 * has run out is sent again, or ends. Whoever changes a time from outside of the port's queue leaves it to that
 * queue, which knows what time it is.
 */
#include "base/cause.h"
#include "mad/mad_priv.h"
#include "mad/mad_rmpp.h"

/* The timer fires when the head is due, or earlier, and then is armed anew. */
static void arm_locked(struct ib_mad_agent_private *agent)
{
	const struct ib_mad_send_wr_private *first = list_first_entry_or_null(
		&agent->wait_list, struct ib_mad_send_wr_private, agent_list);
	const u64 now_ns = base_now_ns();

	if (!first || first->deadline_ns >= agent->armed_ns)
		return;
	agent->armed_ns = first->deadline_ns;
	(void)base_timer_arm(&agent->timer,
			     first->deadline_ns > now_ns ? first->deadline_ns - now_ns : 0);
}

/* From now on. */
void mad_wait(struct ib_mad_send_wr_private *wr)
{
	struct ib_mad_agent_private *agent = wr->mad_agent_priv;
	struct ib_mad_send_wr_private *before;
	struct list_head *behind = &agent->wait_list;

	mad_move(wr, MAD_NOWHERE);
	wr->restarted = false;
	wr->deadline_ns = base_now_ns() + wr->timeout_ns;
	list_for_each_entry_reverse(before, &agent->wait_list, agent_list)
		if (before->deadline_ns <= wr->deadline_ns) {
			behind = &before->agent_list;
			break;
		}
	list_add(&wr->agent_list, behind);
	wr->where = MAD_WAITING;
	arm_locked(agent);
}

/* The port's queue looks at it as soon as it can. */
static void restart(struct ib_mad_send_wr_private *wr)
{
	struct ib_mad_agent_private *agent = wr->mad_agent_priv;

	mad_move(wr, MAD_WAITING);
	wr->restarted = true;
	wr->deadline_ns = 0;
	list_move(&wr->agent_list, &agent->wait_list);
	(void)queue_work(mad_port_of(agent)->wq, &agent->timed_work);
}

void ib_reset_mad_timeout(struct ib_mad_send_wr_private *mad_send_wr, unsigned long timeout_ms)
{
	mad_send_wr->timeout_ns = timeout_ms * MAD_NS_PER_MS;
	restart(mad_send_wr);
}

/* Whether it goes out once more; then it is in the send list. */
static bool retry_locked(struct ib_mad_send_wr_private *wr)
{
	if (wr->status != IB_WC_SUCCESS || wr->retries_left <= 0)
		return false;
	wr->retries_left--;
	wr->send_buf.retries++;
	wr->timeout_ns = (u64)wr->send_buf.timeout_ms * MAD_NS_PER_MS;
	if (wr->rmpp && ib_retry_rmpp(wr) != IB_RMPP_RESULT_CONSUMED)
		return false;
	wr->refcount++;
	mad_move(wr, MAD_SENDING);
	return true;
}

/* The head, if it is due; then it is in no list. */
static struct ib_mad_send_wr_private *take_due_locked(struct ib_mad_agent_private *agent)
{
	struct ib_mad_send_wr_private *wr;

	for (;;) {
		wr = list_first_entry_or_null(&agent->wait_list, struct ib_mad_send_wr_private,
					      agent_list);
		if (!wr)
			return NULL;
		if (!wr->restarted || wr->status != IB_WC_SUCCESS)
			break;
		mad_wait(wr);
	}
	if (wr->deadline_ns > base_now_ns()) {
		arm_locked(agent);
		return NULL;
	}
	mad_move(wr, MAD_NOWHERE);
	return wr;
}

static void end_waiting(struct ib_mad_send_wr_private *wr, bool again)
{
	if (again) {
		if (ib_send_mad(wr))
			mad_send_ended(wr, IB_WC_RESP_TIMEOUT_ERR, BASE_CAUSE_MAD_TIMEOUT);
		return;
	}
	if (wr->status == IB_WC_SUCCESS)
		mad_report(wr, IB_WC_RESP_TIMEOUT_ERR, BASE_CAUSE_MAD_TIMEOUT);
	else
		mad_report(wr, wr->status, wr->cause);
}

void mad_timed_work(struct work_struct *work)
{
	struct ib_mad_agent_private *agent =
		container_of(work, struct ib_mad_agent_private, timed_work);

	for (;;) {
		struct ib_mad_send_wr_private *wr;
		bool again = false;

		spin_lock(&agent->lock);
		wr = take_due_locked(agent);
		if (wr)
			again = retry_locked(wr);
		if (wr && !again)
			mad_index_remove(&agent->sends, &wr->node);
		spin_unlock(&agent->lock);
		if (!wr)
			return;
		end_waiting(wr, again);
	}
}

void mad_timer_fired(struct base_timer *timer)
{
	struct ib_mad_agent_private *agent =
		container_of(timer, struct ib_mad_agent_private, timer);

	spin_lock(&agent->lock);
	agent->armed_ns = MAD_NEVER_NS;
	spin_unlock(&agent->lock);
	(void)queue_work(mad_port_of(agent)->wq, &agent->timed_work);
}

static void cancel_locked(struct ib_mad_send_wr_private *wr)
{
	wr->status = IB_WC_WR_FLUSH_ERR;
	wr->cause = BASE_CAUSE_MAD_CANCELLED;
	wr->refcount -= wr->timeout_ns > 0;
	mad_index_remove(&wr->mad_agent_priv->sends, &wr->node);
}

int ib_modify_mad(struct ib_mad_send_buf *send_buf, u32 timeout_ms)
{
	struct ib_mad_send_wr_private *wr;
	struct ib_mad_agent_private *agent;
	bool known;

	if (!send_buf)
		return base_refuse(-EINVAL, MAD_NOT_OUTSTANDING);
	wr = mad_send_of(send_buf);
	agent = wr->mad_agent_priv;
	spin_lock(&agent->lock);
	known = (wr->where == MAD_SENDING || wr->where == MAD_WAITING) &&
		wr->status == IB_WC_SUCCESS;
	if (known) {
		const bool sending = !wr->timeout_ns || wr->refcount > 1;

		if (!timeout_ms)
			cancel_locked(wr);
		send_buf->timeout_ms = (int)timeout_ms;
		if (!sending)
			ib_reset_mad_timeout(wr, timeout_ms);
		else if (wr->timeout_ns)
			wr->timeout_ns = timeout_ms * MAD_NS_PER_MS;
	}
	spin_unlock(&agent->lock);
	return known ? 0 : base_refuse(-EINVAL, MAD_NOT_OUTSTANDING);
}
