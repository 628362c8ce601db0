// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The two timers of an RC requester: waiting for an acknowledgement [rcp 7], waiting out an RNR NAK. */
#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

#include "packet/aeth.h"
#include "rdmavt/qp_priv.h"

unsigned long rvt_rnr_tbl_to_usec(u32 index)
{
	return (unsigned long)(pkt_rnr_wait_ns((u8)index) / NSEC_PER_USEC);
}

/*
 * The delay goes to the timer as it is: no clock is read here. A timeout of 0 means that no
 * acknowledgement is missed, ever [rcp 7]; the kernel's rdmavt waits a few ticks instead.
 */
void rvt_add_retry_timer_ext(struct rvt_qp *qp, u8 shift)
{
	const struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);
	const u64 delay = READ_ONCE(rdi->busy_jiffies) + ((u64)qp->timeout_jiffies << shift);

	qp->s_flags |= RVT_S_TIMER;
	if (qp->timeout_jiffies)
		(void)base_timer_arm(&qp->s_timer.base, delay * BASE_NS_PER_JIFFY);
}

void rvt_add_rnr_timer(struct rvt_qp *qp, u32 aeth)
{
	const u64 wait_ns = pkt_rnr_wait_ns((u8)(aeth >> PKT_AETH_SYNDROME_SHIFT));

	qp->s_flags |= RVT_S_WAIT_RNR;
	hrtimer_start(&qp->s_rnr_timer, ns_to_ktime(wait_ns), HRTIMER_MODE_REL_PINNED);
}

void rvt_stop_rc_timers(struct rvt_qp *qp)
{
	if (!(qp->s_flags & (RVT_S_TIMER | RVT_S_WAIT_RNR)))
		return;
	qp->s_flags &= ~(u32)(RVT_S_TIMER | RVT_S_WAIT_RNR);
	/* Left where they are: the next request arms them again. rvt_del_timers_sync() ends them. */
	(void)base_timer_disarm(&qp->s_timer.base);
	(void)base_timer_disarm(&qp->s_rnr_timer.base);
}

static void rvt_stop_rnr_timer(struct rvt_qp *qp)
{
	qp->s_flags &= ~(u32)RVT_S_WAIT_RNR;
}

void rvt_del_timers_sync(struct rvt_qp *qp)
{
	(void)del_timer_sync(&qp->s_timer);
	(void)hrtimer_cancel(&qp->s_rnr_timer);
}

static void rvt_rc_timeout(struct timer_list *t)
{
	struct rvt_qp *qp = from_timer(qp, t, s_timer);
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);

	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_lock);
	if (qp->s_flags & RVT_S_TIMER) {
		qp->s_flags &= ~(u32)RVT_S_TIMER;
		rvt_count(&rvt_to_iport(qp)->n_rc_timeouts, 1);
		(void)del_timer(t);
		rdi->driver_f.notify_restart_rc(qp, qp->s_last_psn + 1, 1);
		(void)rdi->driver_f.schedule_send(qp);
	}
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->r_lock);
}

enum hrtimer_restart rvt_rc_rnr_retry(struct hrtimer *t)
{
	struct rvt_qp *qp = container_of(t, struct rvt_qp, s_rnr_timer);
	struct rvt_dev_info *rdi = ib_to_rvt(qp->ibqp.device);

	spin_lock(&qp->s_lock);
	rvt_stop_rnr_timer(qp);
	(void)rdi->driver_f.schedule_send(qp);
	spin_unlock(&qp->s_lock);
	return HRTIMER_NORESTART;
}

/*
 * A handler that lost a race (the timer was stopped and armed again while it was about to run)
 * must not end the new wait: then the timer is armed, which it is not when it fires.
 */
static void ack_timer_fired(struct timer_list *t)
{
	if (!timer_pending(t))
		rvt_rc_timeout(t);
}

static enum hrtimer_restart rnr_timer_fired(struct hrtimer *t)
{
	return hrtimer_active(t) ? HRTIMER_NORESTART : rvt_rc_rnr_retry(t);
}

void rvt_qp_timers_init(struct rvt_qp *qp)
{
	timer_setup(&qp->s_timer, ack_timer_fired, 0);
	hrtimer_init(&qp->s_rnr_timer, 0, HRTIMER_MODE_REL); /* there is one clock */
	qp->s_rnr_timer.function = rnr_timer_fired;
}
