/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Queue pairs: what the device's op table and the other objects of this layer call. */
#ifndef RDMAVT_QP_H
#define RDMAVT_QP_H

#include <rdma/rdma_vt.h>
#include <rdma/rdmavt_qp.h>

/* Most inline data a QP can ask for. */
#define RVT_MAX_INLINE_BYTES 512u

/* Longest message. */
#define RVT_MAX_MESSAGE_BYTES 0x80000000u

/**
 * rvt_driver_qp_init() - Make a device's QP table and number allocator.
 * @rdi: The device; dparms and driver_f are filled in. For a lookup in constant time
 *	dparms.qp_table_size is at least the number of QPs that are expected.
 *
 * Context: May sleep.
 * Return: 0; -EINVAL if dparms.qp_table_size is 0 or the driver lacks free_all_qps, qp_priv_alloc,
 *	qp_priv_free, notify_qp_reset or notify_restart_rc; -ENOMEM, also where the number allocator
 *	finds dparms wrong.
 */
int rvt_driver_qp_init(struct rvt_dev_info *rdi);

/**
 * rvt_qp_exit() - Undo rvt_driver_qp_init().
 * @rdi: The device. A QP that is still there is reset and counted as leaked.
 *
 * Context: May sleep. Nobody else uses the device's QPs.
 */
void rvt_qp_exit(struct rvt_dev_info *rdi);

/**
 * rvt_create_qp() - Make a QP, in RESET.
 * @ibqp: Zeroed but for what the core filled in.
 * @init_attr: Type, CQs, capacities. Out: cap.max_inline_data that there is now, and all of cap if the
 *	rings that a process maps have sizes of their own.
 * @udata: Of a process that maps its rings, or NULL.
 *
 * Room for cap.max_inline_data bytes (rounded up, at most RVT_MAX_INLINE_BYTES) is kept with each
 * send request; the kernel's rdmavt has none.
 *
 * Context: May sleep.
 * Return: 0; -EOPNOTSUPP for a type other than SMI, GSI, RC, UC and UD, or create_flags other than
 *	IB_QP_CREATE_NETDEV_USE; -EINVAL for capacities beyond the device's, or none at all, for too
 *	much inline data, and for an SMI or GSI QP without a port or whose port has one; -ENOMEM, also
 *	when max_qp QPs exist or no number is free; what the driver's qp_priv_alloc and qp_priv_init
 *	return.
 */
int rvt_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init_attr, struct ib_udata *udata);

/**
 * rvt_modify_qp() - Change a QP's state and attributes, all of them or none.
 * @ibqp: The QP.
 * @attr: New values.
 * @attr_mask: Which of them count.
 * @udata: Of the caller, or NULL.
 *
 * attr->cur_qp_state must be the QP's state (the kernel's rdmavt trusts it). RESET discards what
 * is posted, without completions. SQD lets what was started finish, and then raises
 * IB_EVENT_SQ_DRAINED if attr->en_sqd_async_notify asked for it.
 *
 * Context: RESET may sleep; then not from a handler of the QP.
 * Return: 0; -EOPNOTSUPP for bits outside IB_QP_ATTR_STANDARD_BITS; -EINVAL for everything else.
 */
int rvt_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int attr_mask,
		  struct ib_udata *udata);

/**
 * rvt_query_qp() - Read all attributes of a QP.
 * @ibqp: The QP.
 * @attr: Out, all of it.
 * @attr_mask: Not looked at.
 * @init_attr: Out, all of it.
 *
 * Return: 0.
 */
int rvt_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int attr_mask,
		 struct ib_qp_init_attr *init_attr);

/**
 * rvt_destroy_qp() - Free a QP; what is posted is lost.
 * @ibqp: The QP, detached from all multicast groups.
 * @udata: Of the caller, or NULL.
 *
 * Context: May sleep; traffic may be running. Not from a handler of the QP.
 * Return: 0.
 */
int rvt_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/**
 * rvt_post_send() - Queue a chain of send requests, and start the engine.
 * @ibqp: In RTS; in SQD requests wait, in SQE and ERR they are flushed.
 * @wr: The chain. Ours during the call; memory named by its SGEs until completion, but that of
 *	inline data, which is copied.
 * @bad_wr: Out, on failure: the request that was refused. May be NULL.
 *
 * Requests ahead of the refused one stay queued.
 *
 * Context: Any thread, handlers included. Takes s_hlock; neither sleeps nor allocates.
 * Return: 0; -EINVAL for the QP's state, an opcode, number or length of SGEs, keys, an AH of another
 *	PD; -ENOMEM if the queue is full; -EACCES to register an MR of another PD; -EFAULT if inline
 *	data is not mapped; what the driver's setup_wqe returns.
 */
int rvt_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr);

/**
 * rvt_post_recv() - Queue a chain of receive requests.
 * @ibqp: Not in RESET; in ERR requests complete at once as flushed.
 * @wr: The chain. Keys are checked when a message arrives.
 * @bad_wr: Out, on failure: the request that was refused. May be NULL.
 *
 * Context: Any thread, handlers included. Neither sleeps nor allocates.
 * Return: 0; -EINVAL in RESET, for a QP with an SRQ, and for too many SGEs; -ENOMEM if the queue is
 *	full.
 */
int rvt_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr);

/**
 * rvt_post_srq_recv() - Queue a chain of receive requests for all QPs of an SRQ.
 * @ibsrq: The SRQ.
 * @wr: The chain.
 * @bad_wr: Out, on failure: the request that was refused. May be NULL.
 *
 * Context: Any thread, handlers included. Neither sleeps nor allocates.
 * Return: 0; -EINVAL for too many SGEs; -ENOMEM if the queue is full.
 */
int rvt_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr);

/**
 * rvt_alloc_rq() - Make a receive ring.
 * @rq: Gets it; rq->size and rq->max_sge are set.
 * @size: Bytes of all entries.
 * @node: Not looked at.
 * @udata: Of a process that maps the entries, or NULL. With it rq->ip says where they are.
 *
 * Return: 0; -ENOMEM with nothing kept. rvt_rq_free() undoes it.
 */
int rvt_alloc_rq(struct rvt_rq *rq, u32 size, int node, struct ib_udata *udata);

/**
 * rvt_rq_make_ring() - Make a receive ring in rxe's format.
 * @rdi: Device.
 * @rq: Gets it, size and max_sge.
 * @max_wr: Requests at least.
 * @max_sge: SGEs per request.
 * @udata: Of the process that maps it.
 *
 * Return: 0; -ENOMEM with nothing kept. rvt_rq_free() undoes it.
 */
int rvt_rq_make_ring(struct rvt_dev_info *rdi, struct rvt_rq *rq, u32 max_wr, u32 max_sge,
		     struct ib_udata *udata);

/** rvt_rq_free() - Free a receive ring: rvt_free_rq() for one that a process may have mapped. */
void rvt_rq_free(struct rvt_rq *rq);

/**
 * rvt_qp_mr_clean() - A region goes: a QP whose requests use it goes to ERR.
 * @qp: The QP; SMI and GSI QPs are left alone.
 * @lkey: The region's lkey.
 *
 * Context: Where event handlers may run; no locks.
 */
void rvt_qp_mr_clean(struct rvt_qp *qp, u32 lkey);

/**
 * rvt_wss_init() - Make what adaptive copying keeps count in.
 * @rdi: The device; nothing happens unless dparms.sge_copy_mode is RVT_SGE_COPY_ADAPTIVE.
 *	dparms.wss_threshold (percent, 80 if out of range) and dparms.wss_clean_period (256 if 0).
 *
 * Return: 0 or -ENOMEM.
 */
int rvt_wss_init(struct rvt_dev_info *rdi);

/** rvt_wss_exit() - Undo rvt_wss_init(). May be called again. */
void rvt_wss_exit(struct rvt_dev_info *rdi);

#endif
