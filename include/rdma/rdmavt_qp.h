/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rdmavt's queue pairs: what drivers and the transport do with them. */
#ifndef VERBENA_RDMA_RDMAVT_QP_H
#define VERBENA_RDMA_RDMAVT_QP_H

#include <linux/hash.h>
#include <linux/slab.h>
#include <rdma/rdmavt_qp_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a QP may do in each state, indexed by enum ib_qp_state: RVT_*_OK, RVT_FLUSH_*. */
extern const int ib_rvt_state_ops[IB_QPS_ERR + 1];

/**
 * rvt_error_qp() - Move a QP to ERR.
 * @qp: Which QP; nothing happens in ERR and RESET.
 * @err: Status for the receive that is under way, if one is.
 *
 * Receives are completed as flushed here, sends by the send engine, which is scheduled. An SRQ's
 * requests stay where they are.
 *
 * Context: r_lock and s_lock held. Does not sleep.
 * Return: 1 if the caller has to raise IB_EVENT_QP_LAST_WQE_REACHED once it has dropped its locks;
 *	else 0.
 */
int rvt_error_qp(struct rvt_qp *qp, enum ib_wc_status err);

/**
 * rvt_rc_error() - rvt_error_qp() for a responder: takes s_lock, and raises the event if there is
 *	one.
 * @qp: Which QP.
 * @err: As there.
 *
 * Context: r_lock held, s_lock not.
 */
void rvt_rc_error(struct rvt_qp *qp, enum ib_wc_status err);

/**
 * rvt_get_rwqe() - Take the next receive request of a QP or its SRQ.
 * @qp: Which QP.
 * @wr_id_only: The message has no data to scatter (WRITE with immediate): take the request, do not
 *	translate its SGEs.
 *
 * May raise IB_EVENT_SRQ_LIMIT_REACHED.
 *
 * Context: r_lock held. Does not sleep.
 * Return: 1 with r_wr_id, and r_sge and r_len unless @wr_id_only, set; 0 if there is none, or the
 *	state does not receive; -1 if an SGE is not valid: the request has been completed in error.
 */
int rvt_get_rwqe(struct rvt_qp *qp, bool wr_id_only);

/**
 * rvt_has_receive() - Whether rvt_get_rwqe() would find one now (Verbena).
 * @qp: Which QP; r_lock is held.
 */
bool rvt_has_receive(const struct rvt_qp *qp);

/**
 * rvt_comm_est() - Raise IB_EVENT_COMM_EST for the first packet in RTR.
 * @qp: Which QP. Later calls are the caller's to avoid: RVT_R_COMM_EST is set.
 *
 * Context: r_lock held. The event handler is called.
 */
void rvt_comm_est(struct rvt_qp *qp);

/**
 * rvt_rnr_tbl_to_usec() - How long an RNR timer code says to wait.
 * @index: Code; the low 5 bits count.
 *
 * Return: Microseconds, 10 to 655,360.
 */
unsigned long rvt_rnr_tbl_to_usec(u32 index);

/**
 * rvt_rc_rnr_retry() - The RNR timer has expired: let the send engine go on.
 * @t: The s_rnr_timer of a QP.
 *
 * Context: From the timer, without locks; takes s_lock.
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart rvt_rc_rnr_retry(struct hrtimer *t);

/**
 * rvt_add_rnr_timer() - Wait as an RNR NAK says before sending again.
 * @qp: Which QP: RVT_S_WAIT_RNR is set.
 * @aeth: AETH of the NAK, host order.
 *
 * Context: s_lock held.
 */
void rvt_add_rnr_timer(struct rvt_qp *qp, u32 aeth);

/**
 * rvt_stop_rc_timers() - Stop the ACK timer and the RNR timer without waiting.
 * @qp: Which QP. A handler that runs already finds its flag gone and does nothing.
 *
 * Context: s_lock held.
 */
void rvt_stop_rc_timers(struct rvt_qp *qp);

/**
 * rvt_del_timers_sync() - Stop the ACK timer and the RNR timer, and outlast their handlers.
 * @qp: Which QP.
 *
 * Context: None of the QP's locks held; may sleep.
 */
void rvt_del_timers_sync(struct rvt_qp *qp);

/**
 * rvt_add_retry_timer_ext() - Start the ACK timer.
 * @qp: Which QP: RVT_S_TIMER is set.
 * @shift: The timeout counts 2^shift times.
 *
 * Context: s_lock held; the timer does not run.
 */
void rvt_add_retry_timer_ext(struct rvt_qp *qp, u8 shift);

/**
 * rvt_send_complete() - Complete the oldest send request.
 * @qp: Which QP; nothing happens unless its state sends or flushes.
 * @wqe: The request at s_last.
 * @status: Result.
 *
 * Context: r_lock and s_lock held.
 */
void rvt_send_complete(struct rvt_qp *qp, struct rvt_swqe *wqe, enum ib_wc_status status);

/**
 * rvt_copy_sge() - Copy a packet's payload to where a cursor points.
 * @qp: Whose message it is.
 * @ss: Cursor; moves on. At least @length bytes are left.
 * @data: Payload.
 * @length: Bytes.
 * @release: Give back the references of SGEs at their ends.
 * @copy_last: Write the last 8 bytes last and in order: somebody may be polling on them.
 *
 * Context: Any, does not sleep.
 */
void rvt_copy_sge(struct rvt_qp *qp, struct rvt_sge_state *ss, void *data, u32 length, bool release,
		  bool copy_last);

/**
 * rvt_ruc_loopback() - Send engine of an RC or UC QP whose peer is on the same port.
 * @sqp: The sender. Data goes from SGE list to SGE list; there are no packets and no PSNs.
 *
 * Returns when the send queue is empty or the QP must wait, and at once if another engine has the
 * QP.
 *
 * Context: None of the QP's locks held. Does not sleep. Completion handlers are not called in it.
 */
void rvt_ruc_loopback(struct rvt_qp *sqp);

/**
 * rvt_qp_iter_init() - Begin a walk over all QPs of a device.
 * @rdi: Which device.
 * @v: For the caller, and for @cb.
 * @cb: For rvt_qp_iter(); rvt_qp_iter_next() does not call it.
 *
 * Context: May sleep.
 * Return: The iterator, for kfree(); NULL without memory.
 */
struct rvt_qp_iter *rvt_qp_iter_init(struct rvt_dev_info *rdi, u64 v,
				     void (*cb)(struct rvt_qp *qp, u64 v));

/**
 * rvt_qp_iter_next() - Step to the next QP.
 * @iter: From rvt_qp_iter_init(): iter->qp is the QP. Those in RESET are not found.
 *
 * Context: Between rcu_read_lock() and rcu_read_unlock(), as long as the QP is used.
 * Return: 0; 1 if there are no more.
 */
int rvt_qp_iter_next(struct rvt_qp_iter *iter);

/**
 * rvt_qp_iter() - Call a function for every QP of a device.
 * @rdi: Which device.
 * @v: Handed to @cb.
 * @cb: Called with a reference to the QP, without locks: may sleep, may reset the QP.
 *
 * Context: May sleep.
 */
void rvt_qp_iter(struct rvt_dev_info *rdi, u64 v, void (*cb)(struct rvt_qp *qp, u64 v));

/**
 * rvt_compute_aeth() - AETH of an ACK: MSN and credits.
 * @qp: The responder; one with an SRQ gives no credits.
 *
 * Context: r_lock held.
 * Return: Wire order.
 */
__be32 rvt_compute_aeth(struct rvt_qp *qp);

/**
 * rvt_get_credit() - Take the credits of an ACK.
 * @qp: The requester. If it waited for credits, its send engine is scheduled.
 * @aeth: Host order.
 *
 * Context: s_lock held.
 */
void rvt_get_credit(struct rvt_qp *qp, u32 aeth);

/**
 * rvt_restart_sge() - Set a cursor into the middle of a send request, to send from there again.
 * @ss: Out: cursor; has no references of its own.
 * @wqe: The request.
 * @len: Bytes to skip.
 *
 * Return: Bytes that are left.
 */
u32 rvt_restart_sge(struct rvt_sge_state *ss, struct rvt_swqe *wqe, u32 len);

/* What follows up to rvt_qp_cause_id() is Verbena's. */

/**
 * rvt_qp_blame() - Remember what goes wrong with a QP, if it is the first thing that does.
 * @qp: The QP.
 * @why: Copied; @qp and the work request are filled in where it leaves them out.
 *
 * To be called ahead of the rvt_send_complete() or rvt_error_qp() that follows from it: error
 * completions carry the id of the QP's first cause (docs/design/data-path.md).
 *
 * Context: s_lock held.
 */
void rvt_qp_blame(struct rvt_qp *qp, const struct base_cause *why);

/**
 * rvt_qp_event_later() - Raise an asynchronous event of a QP from a context without locks.
 * @qp: The QP, which stays until the handler has run.
 * @event: Raised once even if it is asked for again before that.
 *
 * Context: Any, QP locks held or not.
 */
void rvt_qp_event_later(struct rvt_qp *qp, enum ib_event_type event);

/**
 * rvt_qp_cq_full() - A completion of a QP was lost: the QP goes to ERR.
 * @qp: The QP.
 * @ibcq: The CQ that did not take it.
 *
 * Context: r_lock and s_lock held.
 */
void rvt_qp_cq_full(struct rvt_qp *qp, struct ib_cq *ibcq);

/**
 * rvt_qp_flush_sends() - Complete every pending send request with IB_WC_WR_FLUSH_ERR, in order.
 * @qp: A QP in a state that flushes sends; no engine is at work on it, or the caller is it.
 *
 * Context: r_lock and s_lock held.
 */
void rvt_qp_flush_sends(struct rvt_qp *qp);

/**
 * rvt_qp_do_local() - Execute a local operation whose turn in the send queue has come.
 * @qp: The QP.
 * @wqe: IB_WR_LOCAL_INV, IB_WR_REG_MR, IB_WR_BIND_MW or RVT_WR_REFUSED. Nothing is left to do if it was executed when it was
 *	posted (RVT_SEND_COMPLETION_ONLY); else it is taken off local_ops_pending.
 *
 * Context: s_lock held.
 * Return: What to complete it with; a failure has been blamed on the QP.
 */
enum ib_wc_status rvt_qp_do_local(struct rvt_qp *qp, struct rvt_swqe *wqe);

/**
 * rvt_qp_ring_completed() - The oldest request of a process's send ring is done: its slot is free.
 * @qp: A QP that has such a ring.
 *
 * Context: s_lock held.
 */
void rvt_qp_ring_completed(struct rvt_qp *qp);

/**
 * rvt_doorbell() - Take what a process has put into a QP's send ring, and start the engine.
 * @ibqp: The QP; nothing happens if no process has such a ring.
 *
 * A request that rvt_post_send() would refuse is taken, too: it completes in error when its turn
 * comes, and brings the QP to SQE or ERR. Local operations are executed in their turn.
 *
 * Context: Any thread, handlers included. Takes s_hlock; neither sleeps nor allocates.
 * Return: 0; -EINVAL if the QP's state forbids to post: the requests stay in the ring.
 */
int rvt_doorbell(struct ib_qp *ibqp);

/**
 * rvt_qp_migrate() - Make the alternate path of a QP its path.
 * @qp: A QP whose migration state is ARMED; it becomes MIGRATED, with IB_EVENT_PATH_MIG.
 *
 * Context: s_lock held.
 */
void rvt_qp_migrate(struct rvt_qp *qp);

/**
 * rvt_qp_state() - State of a QP, from a context that holds none of its locks, or s_hlock alone.
 * @qp: The QP.
 */
static inline enum ib_qp_state rvt_qp_state(const struct rvt_qp *qp)
{
	return (enum ib_qp_state)__atomic_load_n(&qp->state, __ATOMIC_RELAXED);
}

/**
 * rvt_qp_cause_id() - For ib_wc.vendor_err of an error completion.
 * @qp: The QP.
 */
static inline u32 rvt_qp_cause_id(const struct rvt_qp *qp)
{
	return __atomic_load_n(&qp->first_cause.id, __ATOMIC_RELAXED);
}

/**
 * rvt_get_swqe_ah() - Address handle of a UD send request.
 * @swqe: The request.
 *
 * Return: The handle, which may have been destroyed since: see rvt_get_swqe_ah_attr().
 */
static inline struct rvt_ah *rvt_get_swqe_ah(struct rvt_swqe *swqe)
{
	return ibah_to_rvtah(swqe->ud_wr.wr.ah);
}

/**
 * rvt_get_swqe_ah_attr() - Address of a UD send request, as it was when it was posted.
 * @swqe: The request.
 *
 * Return: The address, owned by the request's slot.
 */
static inline struct rdma_ah_attr *rvt_get_swqe_ah_attr(struct rvt_swqe *swqe)
{
	return swqe->ud_wr.attr;
}

/**
 * rvt_get_swqe_remote_qpn() - Destination QP of a UD send request.
 * @swqe: The request.
 *
 * Return: QP number.
 */
static inline u32 rvt_get_swqe_remote_qpn(struct rvt_swqe *swqe)
{
	return swqe->ud_wr.wr.remote_qpn;
}

/**
 * rvt_get_swqe_remote_qkey() - Q_Key of a UD send request.
 * @swqe: The request.
 *
 * Return: Q_Key; with bit 31 set the QP's own is meant.
 */
static inline u32 rvt_get_swqe_remote_qkey(struct rvt_swqe *swqe)
{
	return swqe->ud_wr.wr.remote_qkey;
}

/**
 * rvt_get_swqe_pkey_index() - P_Key index of a GSI send request.
 * @swqe: The request.
 *
 * Return: Index in the port's table.
 */
static inline u16 rvt_get_swqe_pkey_index(struct rvt_swqe *swqe)
{
	return swqe->ud_wr.wr.pkey_index;
}

/**
 * rvt_get_rq_count() - Requests in a receive ring.
 * @rq: The ring, for its size.
 * @head: Producer index.
 * @tail: Consumer index.
 *
 * Return: How many lie between the two.
 */
static inline u32 rvt_get_rq_count(struct rvt_rq *rq, u32 head, u32 tail)
{
	return head >= tail ? head - tail : head - tail + rq->size;
}

/**
 * ibsrq_to_rvtsrq() - rdmavt's SRQ around the core's.
 * @ibsrq: Of a device of rdmavt's.
 *
 * Return: The structure.
 */
static inline struct rvt_srq *ibsrq_to_rvtsrq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct rvt_srq, ibsrq);
}

/**
 * ibqp_to_rvtqp() - rdmavt's QP around the core's.
 * @ibqp: Of a device of rdmavt's.
 *
 * Return: The structure.
 */
static inline struct rvt_qp *ibqp_to_rvtqp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct rvt_qp, ibqp);
}

/**
 * rvt_get_swqe_ptr() - A slot of the send ring.
 * @qp: Whose.
 * @n: Index, below s_size.
 *
 * Return: The slot.
 */
static inline struct rvt_swqe *rvt_get_swqe_ptr(struct rvt_qp *qp, unsigned n)
{
	const size_t slot_bytes = sizeof(struct rvt_swqe) + qp->s_max_sge * sizeof(struct rvt_sge);

	return (struct rvt_swqe *)(void *)((char *)qp->s_wq + n * slot_bytes);
}

/**
 * rvt_swqe_is_local() - Whether a send request makes no packet (Verbena).
 * @post_parms: The device's table.
 * @wqe: The request.
 */
static inline bool rvt_swqe_is_local(const struct rvt_operation_params *post_parms,
				     const struct rvt_swqe *wqe)
{
	return (post_parms[wqe->wr.opcode].flags & RVT_OPERATION_LOCAL) != 0 ||
	       wqe->wr.opcode == RVT_WR_REFUSED;
}

/**
 * rvt_get_rwqe_ptr() - A slot of a receive ring.
 * @rq: Which ring.
 * @n: Index, below size.
 *
 * Return: The slot.
 */
static inline struct rvt_rwqe *rvt_get_rwqe_ptr(struct rvt_rq *rq, unsigned n)
{
	const size_t slot_bytes =
		sizeof(struct rvt_rwqe) + rq->max_sge * sizeof(struct rvt_wqe_sge);

	return (struct rvt_rwqe *)(void *)((char *)rq->kwq->curr_wq + n * slot_bytes);
}

/**
 * rvt_is_user_qp() - Whether a QP was made by a process, through the user ABI.
 * @qp: Which QP.
 *
 * Return: true if it was.
 */
static inline bool rvt_is_user_qp(struct rvt_qp *qp)
{
	return qp->pid != 0;
}

/**
 * rvt_get_qp() - Take one more reference to a QP.
 * @qp: To which there is one already, or between rcu_read_lock() and rcu_read_unlock().
 *
 * Context: Any, does not sleep.
 */
static inline void rvt_get_qp(struct rvt_qp *qp)
{
	atomic_inc(&qp->refcount);
}

/**
 * rvt_put_qp() - Give back a reference to a QP.
 * @qp: QP, or NULL. The last one wakes who destroys it.
 *
 * Context: Any, does not sleep.
 */
static inline void rvt_put_qp(struct rvt_qp *qp)
{
	/* After the last reference the QP may be gone, and qp->wait with it. */
	if (qp && atomic_dec_and_test(&qp->refcount))
		base_wake();
}

/**
 * rvt_put_swqe() - Give back the references to MRs of a send request.
 * @wqe: The request.
 */
static inline void rvt_put_swqe(struct rvt_swqe *wqe)
{
	for (int i = 0; i < wqe->wr.num_sge; i++)
		rvt_put_mr(wqe->sg_list[i].mr);
}

/**
 * rvt_put_qp_swqe() - Give back all references of a send request.
 * @qp: Whose it is.
 * @wqe: The request; of a UD request the address is released, too.
 */
static inline void rvt_put_qp_swqe(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	rvt_put_swqe(wqe);
	if (qp->allowed_ops == IB_OPCODE_UD)
		rdma_destroy_ah_attr(wqe->ud_wr.attr);
}

/**
 * rvt_qp_wqe_reserve() - Count a slot that is reserved for internal operations as used.
 * @qp: Whose.
 * @wqe: In that slot.
 *
 * Context: s_hlock held.
 */
static inline void rvt_qp_wqe_reserve(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	(void)wqe;
	atomic_inc(&qp->s_reserved_used);
}

/**
 * rvt_qp_wqe_unreserve() - Count it as free again.
 * @qp: Whose.
 * @flags: send_flags of the request: nothing happens without RVT_SEND_RESERVE_USED.
 *
 * Context: s_lock held, before s_last moves on.
 */
static inline void rvt_qp_wqe_unreserve(struct rvt_qp *qp, int flags)
{
	if (flags & RVT_SEND_RESERVE_USED)
		atomic_dec(&qp->s_reserved_used);
}

/**
 * rvt_cmp_msn() - Compare two 24-bit sequence numbers on their circle.
 * @a: One.
 * @b: The other.
 *
 * Return: Less than 0, 0 or more than 0 if @a is before, at or after @b.
 */
static inline int rvt_cmp_msn(u32 a, u32 b)
{
	return (int)((a - b) << 8);
}

/**
 * rvt_div_round_up_mtu() - Packets that so many bytes take.
 * @qp: Whose path MTU counts.
 * @len: Bytes.
 *
 * Return: Packets; 0 for no bytes.
 */
static inline u32 rvt_div_round_up_mtu(struct rvt_qp *qp, u32 len)
{
	return (u32)(((u64)len + qp->pmtu - 1) >> qp->log_pmtu);
}

/**
 * rvt_div_mtu() - Whole packets in so many bytes.
 * @qp: Whose path MTU counts.
 * @len: Bytes.
 *
 * Return: Packets.
 */
static inline u32 rvt_div_mtu(struct rvt_qp *qp, u32 len)
{
	return len >> qp->log_pmtu;
}

/**
 * rvt_timeout_to_jiffies() - An ACK timeout in jiffies.
 * @timeout: Exponent: 4.096 us * 2^timeout; more than 31 counts as 31. That 0 switches the timer
 *	off is the caller's business.
 *
 * Return: Jiffies, rounded up.
 */
static inline unsigned long rvt_timeout_to_jiffies(u8 timeout)
{
	const u64 ns = (u64)4096 << (timeout > 31 ? 31 : timeout);

	return nsecs_to_jiffies(ns + BASE_NS_PER_JIFFY - 1);
}

/**
 * rvt_claim_qpn() - Take a QP number out of the table, for a driver with an alloc_qpn() of its own.
 * @qpt: As handed to &rvt_driver_provided.alloc_qpn.
 * @qpn: Below RVT_QPN_MAX. It is given back when the QP is destroyed.
 * Context: Any thread; allocates.
 * Return: 0; -EBUSY if it is taken; -ENOMEM.
 */
int rvt_claim_qpn(struct rvt_qpn_table *qpt, u32 qpn);

/**
 * rvt_claim_special_qpn() - Likewise QP 0 or QP 1 of a port.
 * @qpt: Likewise.
 * @type: IB_QPT_SMI or IB_QPT_GSI.
 * @port_num: 1 ...
 * Return: 0 or 1; -EINVAL if it is taken.
 */
int rvt_claim_special_qpn(struct rvt_qpn_table *qpt, enum ib_qp_type type, u32 port_num);

/**
 * rvt_lookup_qpn() - Find a QP by its number.
 * @rdi: Which device.
 * @rvp: Port, for QP 0 and QP 1.
 * @qpn: Number.
 *
 * Context: Between rcu_read_lock() and rcu_read_unlock(), as long as the QP is used without a
 *	reference.
 * Return: The QP; NULL if there is none, or it is in RESET.
 */
static inline struct rvt_qp *rvt_lookup_qpn(struct rvt_dev_info *rdi, struct rvt_ibport *rvp,
					    u32 qpn)
{
	struct rvt_qp *qp;

	if (qpn <= 1)
		return rcu_dereference(rvp->qp[qpn]);
	qp = rcu_dereference(rdi->qp_dev->qp_table[hash_32(qpn, rdi->qp_dev->qp_table_bits)]);
	while (qp && qp->ibqp.qp_num != qpn)
		qp = rcu_dereference(qp->next);
	return qp;
}

/**
 * rvt_mod_retry_timer_ext() - Start the ACK timer, or start it anew.
 * @qp: Which QP: RVT_S_TIMER is set.
 * @shift: The timeout counts 2^shift times.
 *
 * Context: s_lock held.
 */
static inline void rvt_mod_retry_timer_ext(struct rvt_qp *qp, u8 shift)
{
	/* To arm a timer that is armed is to arm it anew. */
	rvt_add_retry_timer_ext(qp, shift);
}

/**
 * rvt_mod_retry_timer() - Start the ACK timer, or start it anew.
 * @qp: Which QP: RVT_S_TIMER is set.
 *
 * Context: s_lock held.
 */
static inline void rvt_mod_retry_timer(struct rvt_qp *qp)
{
	rvt_mod_retry_timer_ext(qp, 0);
}

/**
 * rvt_add_retry_timer() - Start the ACK timer.
 * @qp: Which QP: RVT_S_TIMER is set.
 *
 * Context: s_lock held; the timer does not run.
 */
static inline void rvt_add_retry_timer(struct rvt_qp *qp)
{
	rvt_add_retry_timer_ext(qp, 0);
}

/**
 * rvt_qp_swqe_incr() - The next index of the send ring.
 * @qp: Whose.
 * @val: Index.
 *
 * Return: The one after it, 0 after the last.
 */
static inline u32 rvt_qp_swqe_incr(struct rvt_qp *qp, u32 val)
{
	return val + 1 >= qp->s_size ? 0 : val + 1;
}

/**
 * rvt_recv_cq() - Put a completion into a QP's receive CQ.
 * @qp: Which QP; goes to ERR if the CQ is full.
 * @wc: Copied.
 * @solicited: The peer asked for an event.
 *
 * Context: r_lock and s_lock held.
 */
static inline void rvt_recv_cq(struct rvt_qp *qp, struct ib_wc *wc, bool solicited)
{
	if (!rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.recv_cq), wc, solicited))
		rvt_qp_cq_full(qp, qp->ibqp.recv_cq);
}

/**
 * rvt_send_cq() - Put a completion into a QP's send CQ.
 * @qp: Which QP; goes to ERR if the CQ is full.
 * @wc: Copied.
 * @solicited: It shall raise a solicited event.
 *
 * Context: r_lock and s_lock held.
 */
static inline void rvt_send_cq(struct rvt_qp *qp, struct ib_wc *wc, bool solicited)
{
	if (!rvt_cq_enter(ibcq_to_rvtcq(qp->ibqp.send_cq), wc, solicited))
		rvt_qp_cq_full(qp, qp->ibqp.send_cq);
}

/**
 * ib_cq_tail() - Consumer index of a CQ.
 * @send_cq: Of a device of rdmavt's, whose ring is the kernel's or rvt-abi's.
 *
 * Return: Index. One that a process can write is not to be trusted.
 */
static inline u32 ib_cq_tail(struct ib_cq *send_cq)
{
	const struct rvt_cq *cq = ibcq_to_rvtcq(send_cq);

	return cq->queue ? RDMA_READ_UAPI_ATOMIC(cq->queue->tail)
			 : smp_load_acquire(&cq->kqueue->tail);
}

/**
 * ib_cq_head() - Producer index of a CQ.
 * @send_cq: Of a device of rdmavt's, whose ring is the kernel's or rvt-abi's.
 *
 * Return: Index. One that a process can write is not to be trusted.
 */
static inline u32 ib_cq_head(struct ib_cq *send_cq)
{
	const struct rvt_cq *cq = ibcq_to_rvtcq(send_cq);

	return cq->queue ? RDMA_READ_UAPI_ATOMIC(cq->queue->head)
			 : smp_load_acquire(&cq->kqueue->head);
}

/**
 * rvt_free_rq() - Free a receive ring.
 * @rq: Which ring; may be freed again.
 */
static inline void rvt_free_rq(struct rvt_rq *rq)
{
	kvfree(rq->kwq);
	rq->kwq = NULL;
	vfree(rq->wq);
	rq->wq = NULL;
}

/**
 * rvt_to_iport() - The port of a QP.
 * @qp: Which QP; has a port.
 *
 * Return: The driver's port.
 */
static inline struct rvt_ibport *rvt_to_iport(struct rvt_qp *qp)
{
	return ib_to_rvt(qp->ibqp.device)->ports[qp->port_num - 1];
}

/**
 * rvt_rc_credit_avail() - Whether a request that takes a receive may be sent now.
 * @qp: The requester; if not, RVT_S_WAIT_SSN_CREDIT is set.
 * @wqe: The request.
 *
 * Context: s_lock held.
 * Return: true if the peer gives no credits, or has given one for it.
 */
static inline bool rvt_rc_credit_avail(struct rvt_qp *qp, struct rvt_swqe *wqe)
{
	if ((qp->s_flags & RVT_S_UNLIMITED_CREDIT) || rvt_cmp_msn(wqe->ssn, qp->s_lsn + 1) <= 0)
		return true;
	qp->s_flags |= RVT_S_WAIT_SSN_CREDIT;
	rvt_count(&rvt_to_iport(qp)->n_rc_crwaits, 1);
	return false;
}

/**
 * rvt_qp_complete_swqe() - Complete the oldest send request and free its slot.
 * @qp: Whose.
 * @wqe: The request at s_last.
 * @opcode: For the completion.
 * @status: For the completion. An error is entered even for requests that are not signalled.
 *
 * Context: r_lock and s_lock held.
 * Return: New s_last.
 */
static inline u32 rvt_qp_complete_swqe(struct rvt_qp *qp, struct rvt_swqe *wqe,
				       enum ib_wc_opcode opcode, enum ib_wc_status status)
{
	const int flags = wqe->wr.send_flags;
	const bool wanted = !(qp->s_flags & RVT_S_SIGNAL_REQ_WR) || (flags & IB_SEND_SIGNALED) ||
			    status != IB_WC_SUCCESS;
	const u32 last = rvt_qp_swqe_incr(qp, qp->s_last);
	struct ib_wc wc;

	if (wanted) {
		memset(&wc, 0, sizeof(wc));
		wc.wr_id = wqe->wr.wr_id;
		wc.status = status;
		wc.opcode = opcode;
		wc.vendor_err = status == IB_WC_SUCCESS ? 0 : rvt_qp_cause_id(qp);
		wc.byte_len = wqe->length;
		wc.qp = &qp->ibqp;
	}
	rvt_qp_wqe_unreserve(qp, flags);
	rvt_put_qp_swqe(qp, wqe);
	/* From here on a poster may fill the slot anew. */
	smp_store_release(&qp->s_last, last);
	if (qp->s_ring)
		rvt_qp_ring_completed(qp);
	if (wanted && !(flags & RVT_SEND_RESERVE_USED))
		rvt_send_cq(qp, &wc, status != IB_WC_SUCCESS);
	return last;
}

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_RDMAVT_QP_H */
