/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the files of queue pairs (qp*.c, rc.c) share with each other and with nobody else. */
#ifndef RDMAVT_QP_PRIV_H
#define RDMAVT_QP_PRIV_H

#include "base/cause.h"
#include "base/check.h"
#include "rdmavt/qp.h"

/* How long a QP on its way to ERR waits for a process that places bytes through it. */
#define RVT_PEER_WAIT_NS 1000000000ull

static inline bool rvt_qp_allows(const struct rvt_qp *qp, int what)
{
	return ib_rvt_state_ops[rvt_qp_state(qp)] & what;
}

/* All three locks of a QP, in their order. */
static inline void rvt_qp_lock(struct rvt_qp *qp) ACQUIRE(qp->r_lock, qp->s_hlock, qp->s_lock)
{
	spin_lock(&qp->r_lock);
	spin_lock(&qp->s_hlock);
	spin_lock(&qp->s_lock);
}

static inline void rvt_qp_unlock(struct rvt_qp *qp) RELEASE(qp->r_lock, qp->s_hlock, qp->s_lock)
{
	spin_unlock(&qp->s_lock);
	spin_unlock(&qp->s_hlock);
	spin_unlock(&qp->r_lock);
}

/* qpn.c */
int rvt_qpn_table_init(struct rvt_dev_info *rdi);
void rvt_qpn_table_free(struct rvt_dev_info *rdi);
int rvt_qpn_take(struct rvt_dev_info *rdi, const struct ib_qp_init_attr *attr);
void rvt_qpn_give(struct rvt_dev_info *rdi, const struct ib_qp *ibqp, u32 port_num);

/* qp_table.c */
void rvt_qp_publish(struct rvt_dev_info *rdi, struct rvt_qp *qp);
void rvt_qp_withdraw(struct rvt_dev_info *rdi, struct rvt_qp *qp);

static inline bool rvt_qp_is_published(const struct rvt_qp *qp)
{
	return __atomic_load_n(&qp->published, __ATOMIC_ACQUIRE);
}

/* qp_state.c: rvt_init_qp(), rvt_reset_qp() and _rvt_reset_qp() for the other files. */
void rvt_qp_start_over(struct rvt_dev_info *rdi, struct rvt_qp *qp);
void rvt_qp_reset(struct rvt_dev_info *rdi, struct rvt_qp *qp);
void rvt_qp_reset_locked(struct rvt_dev_info *rdi, struct rvt_qp *qp)
	REQUIRES(qp->r_lock, qp->s_hlock, qp->s_lock);

/* The state as the next reader without locks sees it. Caller holds r_lock and s_lock. */
static inline void rvt_qp_set_state(struct rvt_qp *qp, enum ib_qp_state state)
{
	__atomic_store_n(&qp->state, (u8)state, __ATOMIC_RELAXED);
}

/* The end of a send engine's turn: s_lock held. Somebody may wait for it in RESET. */
static inline void rvt_qp_engine_leaves(struct rvt_qp *qp)
{
	qp->s_flags &= ~(u32)RVT_S_BUSY;
	if (qp->resetting)
		base_wake();
}

/* qp_event.c */
void rvt_qp_events_init(struct rvt_qp *qp);
void rvt_qp_raise(struct rvt_qp *qp, enum ib_event_type event);

/* Blame with a row of causes.h and its values; s_lock held. */
#define rvt_qp_blame_row(qp, name, ...)                                            \
	rvt_qp_blame((qp), &(const struct base_cause){.id = BASE_CAUSE_##name,     \
						      .side = BASE_SIDE_REQUESTER, \
						      .arg = {__VA_ARGS__}})

/* qp_timer.c */
void rvt_qp_timers_init(struct rvt_qp *qp);

/* qp_recv.c */

/**
 * rvt_qp_take_receive() - rvt_get_rwqe() that leaves the SRQ's limit event to the caller.
 * @qp: The responder's QP; r_lock held.
 * @wr_id_only: The request's SGEs are not needed.
 * @limit_reached: Set if IB_EVENT_SRQ_LIMIT_REACHED is to be raised; otherwise untouched.
 * @why: Out, with -1.
 *
 * Return: As rvt_get_rwqe().
 */
int rvt_qp_take_receive(struct rvt_qp *qp, bool wr_id_only, bool *limit_reached,
			struct base_cause *why);

/* Raise IB_EVENT_SRQ_LIMIT_REACHED. */
void rvt_srq_raise_limit(struct rvt_srq *srq);

/* Complete all receive requests of a QP's own ring in order; r_lock held. */
void rvt_qp_flush_receives(struct rvt_qp *qp);

/* Forget them. r_lock held. */
void rvt_qp_drop_receives(struct rvt_qp *qp);

/* Receive requests that are posted and not taken: what credits are made of. */
u32 rvt_rq_available(const struct rvt_rq *rq);

/* qp_post.c: rvt_doorbell() of a QP that has a ring, and of no other. */
int rvt_qp_take_ring(struct rvt_qp *qp);

/* qp_ring.c */

/* A request of the ring that a post would refuse, at s_head; s_hlock held. */
void rvt_qp_keep_refusal(struct rvt_qp *qp, const struct ib_send_wr *wr, struct rvt_swqe *wqe);

/* Its turn has come: what to complete it with. s_lock held. */
enum ib_wc_status rvt_qp_fail_refused(struct rvt_qp *qp, struct rvt_swqe *wqe);

/* The request at s_last is about to complete in error. s_lock held. */
void rvt_qp_forget_refusal(struct rvt_qp *qp);

/* A process's send ring is empty. All three locks held. */
void rvt_qp_ring_reset(struct rvt_qp *qp);

/* A QP has gone to ERR: what its process puts into its rings from now on is flushed. */
void rvt_qp_expect_late(struct rvt_qp *qp);

/* The device's list of such QPs. */
void rvt_late_init(struct rvt_dev_info *rdi);
void rvt_late_exit(struct rvt_dev_info *rdi);

/* Flush what has come late; whether there was anything. */
bool rvt_late_look(struct rvt_dev_info *rdi);

static inline bool rvt_late_flush(struct rvt_dev_info *rdi)
{
	return unlikely(__atomic_load_n(&rdi->late_count, __ATOMIC_RELAXED)) && rvt_late_look(rdi);
}

/* qp_copy.c */

/* Copy between two cursors, which move and keep their references. 0 or -EFAULT. */
int rvt_copy_between(struct rvt_sge_state *to, struct rvt_sge_state *from, u32 length);

/* Whether all bytes of a cursor can be read. The cursor moves. */
bool rvt_can_read(struct rvt_sge_state *from, u32 length);

/* qp_complete.c: after a completion of the send queue, whatever it was. s_lock and r_lock held. */
void rvt_qp_after_completion(struct rvt_qp *qp, u32 old_last, u32 new_last);

#endif
