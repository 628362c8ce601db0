/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Protection domains, queue pairs, shared receive queues and completion queues. */
#ifndef VERBENA_RDMA_IB_VERBS_QUEUES_H
#define VERBENA_RDMA_IB_VERBS_QUEUES_H

#include <rdma/ib_verbs_ah.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * __ib_alloc_pd() - What ib_alloc_pd() calls.
 * @device: As there.
 * @flags: As there.
 * @caller: Who owns the PD, for listings. Must be a constant.
 *
 * Return: As ib_alloc_pd().
 */
struct ib_pd *__ib_alloc_pd(struct ib_device *device, unsigned int flags, const char *caller);

/**
 * ib_alloc_pd() - Make a protection domain.
 * @device: Where.
 * @flags: 0; or IB_PD_UNSAFE_GLOBAL_RKEY for a key, pd->unsafe_global_rkey, with which peers may
 *	read and write all memory of the program.
 *
 * pd->local_dma_lkey is good for any local memory of the program.
 *
 * Context: May sleep.
 * Return: The PD, the caller's until ib_dealloc_pd(); or ERR_PTR: -ENOMEM, also beyond max_pd;
 *	-ENODEV if the device has been removed; another errno of the provider's.
 */
#define ib_alloc_pd(device, flags) __ib_alloc_pd((device), (flags), KBUILD_MODNAME)

/**
 * ib_dealloc_pd_user() - Free a protection domain on behalf of a process.
 * @pd: Which PD. Its QPs, SRQs, MRs, MWs and AHs must be gone.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: 0; -EBUSY while it has any of them; an errno of the provider's. On failure the PD is
 *	still there.
 */
int ib_dealloc_pd_user(struct ib_pd *pd, struct ib_udata *udata);

/**
 * ib_dealloc_pd() - Free a protection domain.
 * @pd: Which PD. Its QPs, SRQs, MRs, MWs and AHs must be gone, else it is complained about and
 *	nothing happens.
 *
 * Context: May sleep.
 */
static inline void ib_dealloc_pd(struct ib_pd *pd)
{
	const int ret = ib_dealloc_pd_user(pd, NULL);

	(void)WARN_ONCE(ret, "a kernel user's protection domain was not freed");
}

/**
 * ib_create_qp_kernel() - What ib_create_qp() calls.
 * @pd: As there.
 * @qp_init_attr: As there.
 * @caller: Who owns the QP, for listings. Must be a constant.
 *
 * Return: As ib_create_qp().
 */
struct ib_qp *ib_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr,
				  const char *caller);

/**
 * ib_create_qp() - Make a queue pair.
 * @pd: The QP belongs to it.
 * @init_attr: Type, queues, capacities, handler. On success cap says what was granted. With
 *	cap.max_rdma_ctxs the send queue is enlarged, and MRs are kept, for rdma_rw_ctx_init().
 *
 * The QP is in RESET. PD, CQs and SRQ cannot be destroyed before it.
 *
 * Context: May sleep.
 * Return: The QP, the caller's until ib_destroy_qp(); or ERR_PTR: -EINVAL if a capacity exceeds
 *	what the device has, all capacities are 0, or an SMI or GSI QP names no valid port or one
 *	that has such a QP already; -EOPNOTSUPP if the type or a create flag is not known to the
 *	provider; -ENOMEM, also beyond max_qp; -ENODEV if the device has been removed.
 */
static inline struct ib_qp *ib_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *init_attr)
{
	return ib_create_qp_kernel(pd, init_attr, KBUILD_MODNAME);
}

/**
 * ib_modify_qp_is_ok() - Whether a transition may be made with a set of attributes (providers).
 * @cur_state: From.
 * @next_state: To; the same if IB_QP_STATE is not in @mask.
 * @type: Below IB_QPT_MAX.
 * @mask: enum ib_qp_attr_mask: must have all attributes that the transition needs, none that it
 *	does not take, and IB_QP_CUR_STATE only from RTR, RTS, SQD and SQE.
 *
 * Return: true if the transition exists for the type and @mask fits it.
 */
bool ib_modify_qp_is_ok(enum ib_qp_state cur_state, enum ib_qp_state next_state,
			enum ib_qp_type type, enum ib_qp_attr_mask mask);

/**
 * ib_modify_qp() - Change a QP's state, attributes or both.
 * @qp: Which QP. An opened handle stands for the QP behind it.
 * @qp_attr: New values. On RoCE the destination MAC of an address must be filled in.
 * @qp_attr_mask: enum ib_qp_attr_mask: which members are meant. PSNs are cut to 24 bits.
 *
 * On failure nothing has changed. What each state does to queued requests: RESET forgets them
 * without completions; SQD lets those that have begun finish and then, if en_sqd_async_notify was
 * set, raises IB_EVENT_SQ_DRAINED; ERR completes all of them with IB_WC_WR_FLUSH_ERR.
 *
 * Context: May sleep. Not from the QP's own event handler.
 * Return: 0; -EINVAL if the transition does not exist from the present state, needs an attribute
 *	that is missing or forbids one that is there, an attribute is out of range, or an address is
 *	not valid; -EOPNOTSUPP if the provider does not know a bit of the mask; -ENOENT or -ENODATA
 *	if there is no such source GID. verbena_last_cause() says which.
 */
int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask);

/**
 * ib_modify_qp_with_udata() - ib_modify_qp() on behalf of a process.
 * @qp: Which QP.
 * @attr: New values. On RoCE the destination MAC of a connected QP's address is found here.
 * @attr_mask: enum ib_qp_attr_mask.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: As ib_modify_qp(), or an errno of the search for the MAC.
 */
int ib_modify_qp_with_udata(struct ib_qp *qp, struct ib_qp_attr *attr, int attr_mask,
			    struct ib_udata *udata);

/**
 * ib_query_qp() - Read a QP.
 * @qp: Which QP. An opened handle stands for the QP behind it.
 * @qp_attr: Out: state and attributes. sgid_attr in its addresses is borrowed.
 * @qp_attr_mask: What the caller wants to know; the provider may fill in more.
 * @qp_init_attr: Out: what it was created with.
 *
 * Context: Any that may sleep. While traffic flows the values are of slightly different moments.
 * Return: 0; -EOPNOTSUPP if the provider cannot; another errno of the provider's.
 */
int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
		struct ib_qp_init_attr *qp_init_attr);

/**
 * ib_destroy_qp_user() - Destroy a QP on behalf of a process.
 * @qp: Which QP.
 * @udata: The process's request, or NULL.
 *
 * Context: As ib_destroy_qp().
 * Return: As ib_destroy_qp().
 */
int ib_destroy_qp_user(struct ib_qp *qp, struct ib_udata *udata);

/**
 * ib_destroy_qp() - Destroy a queue pair.
 * @qp: Which QP; traffic may still flow. An opened handle is closed, and takes the QP behind it
 *	along if it is the last.
 *
 * Requests that are queued get no completions; completions that are in a CQ stay there. Use
 * ib_drain_qp() first to see all of them.
 *
 * Context: May sleep. Not from the QP's own handlers.
 * Return: 0; -EBUSY if handles are open or the QP is in a multicast group; another errno of the
 *	provider's, the QP is then still there.
 */
static inline int ib_destroy_qp(struct ib_qp *qp)
{
	return ib_destroy_qp_user(qp, NULL);
}

/**
 * ib_open_qp() - Get a handle to an XRC target QP that somebody else has made.
 * @xrcd: Domain of the QP.
 * @qp_open_attr: Its number, its type, and a handler that gets its events, too.
 *
 * Context: May sleep.
 * Return: The handle, for ib_close_qp(); ERR_PTR(-EINVAL) if the type is not IB_QPT_XRC_TGT or the
 *	domain has no such QP; ERR_PTR(-ENOMEM).
 */
struct ib_qp *ib_open_qp(struct ib_xrcd *xrcd, struct ib_qp_open_attr *qp_open_attr);

/**
 * ib_close_qp() - Give back a handle to an XRC target QP.
 * @qp: From ib_open_qp(). The QP behind it stays.
 *
 * Context: May sleep. Not from the handle's event handler.
 * Return: 0; -EINVAL if @qp is no such handle.
 */
int ib_close_qp(struct ib_qp *qp);

/**
 * ib_post_send() - Hand a chain of work requests to a QP's send queue.
 * @qp: A QP in RTS. In SQD requests wait; in SQE and ERR they complete as flushed.
 * @send_wr: First of the chain. Ours until return; memory named by its SGEs until completion, that
 *	of requests with IB_SEND_INLINE until return.
 * @bad_send_wr: Out, on failure only: the request that was refused. May be NULL.
 *
 * Requests ahead of the refused one stay queued and will complete; it and those behind it are not
 * queued. A refusal never changes the QP's state (IBA v1 11.4.1.1).
 *
 * Context: Any thread, completion handlers included, several at once. Does not sleep, does not
 *	allocate.
 * Return: 0; -EINVAL if the QP's state, the opcode, the number of SGEs, their keys, ranges or sum,
 *	or the address handle forbids the request; -ENOMEM if max_send_wr requests are outstanding;
 *	-EACCES if IB_WR_REG_MR names an MR of another PD. verbena_last_cause() says which.
 */
int ib_post_send(struct ib_qp *qp, const struct ib_send_wr *send_wr,
		 const struct ib_send_wr **bad_send_wr);

/**
 * ib_post_recv() - Hand a chain of buffers to a QP's receive queue.
 * @qp: A QP without an SRQ, in any state but RESET. In ERR they complete as flushed at once.
 * @recv_wr: First of the chain. Ours until return; memory named by its SGEs until completion.
 * @bad_recv_wr: Out, on failure only: the request that was refused. May be NULL.
 *
 * Incoming SENDs, and RDMA WRITEs with immediate data, take them in the order of posting. Requests
 * ahead of a refused one stay queued.
 *
 * Context: Any thread, completion handlers included, several at once. Does not sleep, does not
 *	allocate.
 * Return: 0; -EINVAL if the state is RESET, the QP has an SRQ, or there are more SGEs than
 *	max_recv_sge; -ENOMEM if max_recv_wr requests are outstanding.
 */
int ib_post_recv(struct ib_qp *qp, const struct ib_recv_wr *recv_wr,
		 const struct ib_recv_wr **bad_recv_wr);

/**
 * ib_drain_sq() - Move a QP to ERR and wait until its last send has completed.
 * @qp: Its send CQ is from ib_alloc_cq(); nobody posts sends meanwhile, and there is room for one
 *	more.
 *
 * Context: Sleeps. A CQ with IB_POLL_DIRECT is polled here.
 */
void ib_drain_sq(struct ib_qp *qp);

/**
 * ib_drain_rq() - Move a QP to ERR and wait until its last receive has completed.
 * @qp: Has no SRQ; its receive CQ is from ib_alloc_cq(); nobody posts receives meanwhile, and there
 *	is room for one more.
 *
 * Context: Sleeps. A CQ with IB_POLL_DIRECT is polled here.
 */
void ib_drain_rq(struct ib_qp *qp);

/**
 * ib_drain_qp() - Move a QP to ERR and wait until all its requests have completed.
 * @qp: As for ib_drain_sq() and ib_drain_rq(); the receives of an SRQ are left alone.
 *
 * What cannot be drained (a QP in RESET, a CQ of ib_create_cq(), a full queue) is complained about
 * and left; verbena_last_cause() says why. The same holds for the other two.
 *
 * Context: Sleeps.
 */
void ib_drain_qp(struct ib_qp *qp);

/**
 * ib_attach_mcast() - Have a QP receive what is sent to a multicast group.
 * @qp: A UD QP, not in RESET. Cannot be destroyed before it is detached.
 * @gid: MGID of the group.
 * @lid: MLID of the group, host order; ignored on Ethernet.
 *
 * Attaching twice changes nothing and needs one detach. The fabric's routing is the subnet
 * administrator's business: see rdma_cap_ib_mcast().
 *
 * Context: May sleep.
 * Return: 0; -EINVAL if @gid is no multicast address, @lid is none of 0xc000 to 0xfffe, the QP is
 *	of another type or in RESET, or the group has another MLID; -ENOMEM, also beyond the limits
 *	of groups and of QPs in one; -EOPNOTSUPP if the provider has no multicast.
 */
int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);

/**
 * ib_detach_mcast() - Have a QP leave a multicast group.
 * @qp: Which QP.
 * @gid: MGID of the group.
 * @lid: MLID of the group.
 *
 * Context: May sleep: outlasts deliveries that are under way.
 * Return: 0; -EINVAL as for ib_attach_mcast(), or if the QP is not in the group; -EOPNOTSUPP if the
 *	provider has no multicast.
 */
int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);

/**
 * rdma_wr() - The RDMA request around a send request.
 * @wr: The wr member of a struct ib_rdma_wr: opcodes of RDMA WRITE and READ.
 *
 * Return: The structure.
 */
static inline const struct ib_rdma_wr *rdma_wr(const struct ib_send_wr *wr)
{
	return (const struct ib_rdma_wr *)(const void *)wr;
}

/**
 * atomic_wr() - The atomic request around a send request.
 * @wr: The wr member of a struct ib_atomic_wr: atomic opcodes.
 *
 * Return: The structure.
 */
static inline const struct ib_atomic_wr *atomic_wr(const struct ib_send_wr *wr)
{
	return (const struct ib_atomic_wr *)(const void *)wr;
}

/**
 * ud_wr() - The datagram request around a send request.
 * @wr: The wr member of a struct ib_ud_wr: sends on UD, SMI and GSI QPs.
 *
 * Return: The structure.
 */
static inline const struct ib_ud_wr *ud_wr(const struct ib_send_wr *wr)
{
	return (const struct ib_ud_wr *)(const void *)wr;
}

/**
 * reg_wr() - The registration request around a send request.
 * @wr: The wr member of a struct ib_reg_wr: IB_WR_REG_MR.
 *
 * Return: The structure.
 */
static inline const struct ib_reg_wr *reg_wr(const struct ib_send_wr *wr)
{
	return (const struct ib_reg_wr *)(const void *)wr;
}

/**
 * ib_srq_has_cq() - Whether a type of SRQ has a CQ of its own.
 * @srq_type: Type.
 *
 * Return: true for XRC and tag matching.
 */
static inline bool ib_srq_has_cq(enum ib_srq_type srq_type)
{
	return srq_type == IB_SRQT_XRC || srq_type == IB_SRQT_TM;
}

/**
 * ib_create_srq_user() - Make a shared receive queue on behalf of a process.
 * @pd: As for ib_create_srq().
 * @srq_init_attr: As for ib_create_srq().
 * @uobject: The process's handle, or NULL.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: As ib_create_srq().
 */
struct ib_srq *ib_create_srq_user(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr,
				  struct ib_usrq_object *uobject, struct ib_udata *udata);

/**
 * ib_create_srq() - Make a shared receive queue.
 * @pd: The SRQ belongs to it.
 * @srq_init_attr: Type, sizes, handler, and the limit below which it is called. On success attr
 *	says what was granted.
 *
 * Context: May sleep.
 * Return: The SRQ, the caller's until ib_destroy_srq(); or ERR_PTR: -EINVAL if a size is 0 or
 *	exceeds what the device has; -EOPNOTSUPP if the provider has no SRQs, or not of this type;
 *	-ENOMEM, also beyond max_srq; -ENODEV if the device has been removed.
 */
static inline struct ib_srq *ib_create_srq(struct ib_pd *pd, struct ib_srq_init_attr *srq_init_attr)
{
	return ib_create_srq_user(pd, srq_init_attr, NULL, NULL);
}

/**
 * ib_modify_srq() - Resize an SRQ, arm its limit event, or both.
 * @srq: Which SRQ.
 * @srq_attr: New max_wr and srq_limit.
 * @srq_attr_mask: IB_SRQ_MAX_WR, IB_SRQ_LIMIT.
 *
 * Resizing keeps what is posted, in order. IB_EVENT_SRQ_LIMIT_REACHED comes once, as soon as fewer
 * than srq_limit requests are posted; the limit is 0 from then on.
 *
 * Context: May sleep.
 * Return: 0; -EINVAL if the size exceeds what the device has or is too small for what is posted, or
 *	the limit exceeds the size; -ENOMEM, nothing has changed; -EOPNOTSUPP if the provider
 *	cannot.
 */
int ib_modify_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr,
		  enum ib_srq_attr_mask srq_attr_mask);

/**
 * ib_query_srq() - Read an SRQ.
 * @srq: Which SRQ.
 * @srq_attr: Out: sizes; srq_limit is 0 if the event is not armed.
 *
 * Return: 0; -EOPNOTSUPP if the provider cannot; another errno of the provider's.
 */
int ib_query_srq(struct ib_srq *srq, struct ib_srq_attr *srq_attr);

/**
 * ib_destroy_srq_user() - Destroy an SRQ on behalf of a process.
 * @srq: Which SRQ.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: 0; -EBUSY if QPs use it; another errno of the provider's.
 */
int ib_destroy_srq_user(struct ib_srq *srq, struct ib_udata *udata);

/**
 * ib_destroy_srq() - Destroy a shared receive queue.
 * @srq: Which SRQ; its QPs must be gone. Requests that are posted get no completions.
 *
 * Context: May sleep.
 */
static inline void ib_destroy_srq(struct ib_srq *srq)
{
	const int ret = ib_destroy_srq_user(srq, NULL);

	(void)WARN_ONCE(ret, "a kernel user's shared receive queue was not destroyed");
}

/**
 * ib_post_srq_recv() - Hand a chain of buffers to a shared receive queue.
 * @srq: Which SRQ.
 * @recv_wr: First of the chain. Ours until return; memory named by its SGEs until completion.
 * @bad_recv_wr: Out, on failure only: the request that was refused. May be NULL.
 *
 * Whichever QP needs a buffer next takes the first. Requests ahead of a refused one stay queued.
 *
 * Context: Any thread, completion handlers included, several at once. Does not sleep, does not
 *	allocate.
 * Return: 0; -EINVAL if there are more SGEs than max_sge; -ENOMEM if max_wr requests are
 *	outstanding.
 */
static inline int ib_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *recv_wr,
				   const struct ib_recv_wr **bad_recv_wr)
{
	const struct ib_recv_wr *unwanted;

	return READ_ONCE(srq->device->ops.post_srq_recv)(srq, recv_wr,
							 bad_recv_wr ? bad_recv_wr : &unwanted);
}

/**
 * __ib_alloc_cq() - What ib_alloc_cq() calls.
 * @dev: As there.
 * @priv: As there.
 * @nr_cqe: As there.
 * @comp_vector: As there.
 * @poll_ctx: As there.
 * @caller: Who owns the CQ, for listings. Must be a constant.
 *
 * Return: As ib_alloc_cq().
 */
struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *priv, int nr_cqe, int comp_vector,
			    enum ib_poll_context poll_ctx, const char *caller);

/**
 * ib_alloc_cq() - Make a completion queue that the core polls.
 * @dev: Where.
 * @priv: The caller's; found in cq->cq_context.
 * @nr_cqe: Entries; exactly so many completions fit.
 * @comp_vector: Below num_comp_vectors.
 * @poll_ctx: IB_POLL_DIRECT: the caller polls with ib_process_cq_direct(). Else workers do, as soon
 *	as there is something.
 *
 * Every request on it must have wr_cqe instead of wr_id; wr_cqe->done is called for its completion.
 * The done functions of a CQ run one at a time.
 *
 * Context: May sleep.
 * Return: The CQ, the caller's until ib_free_cq(); or ERR_PTR: -EINVAL if @poll_ctx is unknown, or
 *	@nr_cqe is 0 or exceeds max_cqe; -ENOMEM, also beyond max_cq; -ENODEV if the device has been
 *	removed.
 */
static inline struct ib_cq *ib_alloc_cq(struct ib_device *dev, void *priv, int nr_cqe,
					int comp_vector, enum ib_poll_context poll_ctx)
{
	return __ib_alloc_cq(dev, priv, nr_cqe, comp_vector, poll_ctx, KBUILD_MODNAME);
}

/**
 * __ib_alloc_cq_any() - What ib_alloc_cq_any() calls.
 * @dev: As there.
 * @priv: As there.
 * @nr_cqe: As there.
 * @poll_ctx: As there.
 * @caller: Who owns the CQ, for listings. Must be a constant.
 *
 * Return: As ib_alloc_cq().
 */
struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *priv, int nr_cqe,
				enum ib_poll_context poll_ctx, const char *caller);

/**
 * ib_alloc_cq_any() - ib_alloc_cq() on the completion vector whose turn it is.
 * @dev: As there.
 * @priv: As there.
 * @nr_cqe: As there.
 * @poll_ctx: As there.
 *
 * Context: May sleep.
 * Return: As ib_alloc_cq().
 */
static inline struct ib_cq *ib_alloc_cq_any(struct ib_device *dev, void *priv, int nr_cqe,
					    enum ib_poll_context poll_ctx)
{
	return __ib_alloc_cq_any(dev, priv, nr_cqe, poll_ctx, KBUILD_MODNAME);
}

/**
 * ib_free_cq() - Destroy a CQ of ib_alloc_cq().
 * @cq: Which CQ; its QPs must be gone, else it is complained about and nothing happens.
 *
 * Context: Sleeps until no done function runs any more; not from one.
 */
void ib_free_cq(struct ib_cq *cq);

/**
 * ib_process_cq_direct() - Poll a CQ and run the done functions of what is there.
 * @cq: From ib_alloc_cq() with IB_POLL_DIRECT.
 * @budget: At most so many; -1 for as many as there are.
 *
 * Context: One thread at a time per CQ. The done functions run in it, without locks.
 * Return: Completions that were processed.
 */
int ib_process_cq_direct(struct ib_cq *cq, int budget);

/**
 * __ib_create_cq() - What ib_create_cq() calls.
 * @device: As there.
 * @comp_handler: As @cmp_hndlr there.
 * @event_handler: As @evt_hndlr there.
 * @cq_context: As @cq_ctxt there.
 * @cq_attr: As there.
 * @caller: Who owns the CQ, for listings. Must be a constant.
 *
 * Return: As ib_create_cq().
 */
struct ib_cq *__ib_create_cq(struct ib_device *device, ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *, void *), void *cq_context,
			     const struct ib_cq_init_attr *cq_attr, const char *caller);

/**
 * ib_create_cq() - Make a completion queue that its owner polls.
 * @device: Where.
 * @cmp_hndlr: Called once after each ib_req_notify_cq(), from a worker, without locks: may post and
 *	poll. NULL if nothing is ever armed.
 * @evt_hndlr: Called for IB_EVENT_CQ_ERR: the CQ has overflowed. May be NULL.
 * @cq_ctxt: Handed to both.
 * @cq_attr: Entries and completion vector; flags is 0.
 *
 * cq->cqe says how many completions fit, at least as many as were asked for. One too many is an
 * error that kills the QPs it belongs to; nothing is lost silently.
 *
 * Context: May sleep.
 * Return: The CQ, the caller's until ib_destroy_cq(); or ERR_PTR: -EINVAL if the number of entries
 *	is 0 or exceeds max_cqe; -EOPNOTSUPP if a flag is unknown; -ENOMEM, also beyond max_cq;
 *	-ENODEV if the device has been removed.
 */
#define ib_create_cq(device, cmp_hndlr, evt_hndlr, cq_ctxt, cq_attr) \
	__ib_create_cq((device), (cmp_hndlr), (evt_hndlr), (cq_ctxt), (cq_attr), KBUILD_MODNAME)

/**
 * ib_resize_cq() - Change how many completions a CQ holds.
 * @cq: Which CQ.
 * @cqe: New number of entries; those not polled yet stay, in order.
 *
 * Context: May sleep.
 * Return: 0; -EINVAL if the number is 0, exceeds max_cqe or is too small for what is there;
 *	-ENOMEM; -EOPNOTSUPP if the CQ is shared or the provider cannot.
 */
int ib_resize_cq(struct ib_cq *cq, int cqe);

/**
 * rdma_set_cq_moderation() - Have a CQ notify less often.
 * @cq: Which CQ.
 * @cq_count: After so many completions,
 * @cq_period: or after so many microseconds.
 *
 * Context: May sleep.
 * Return: 0; -EOPNOTSUPP if the CQ is shared or the provider cannot; another errno of the
 *	provider's.
 */
int rdma_set_cq_moderation(struct ib_cq *cq, u16 cq_count, u16 cq_period);

/**
 * ib_destroy_cq_user() - Destroy a CQ on behalf of a process.
 * @cq: Which CQ.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep; not from its own handlers.
 * Return: 0; -EBUSY if QPs use it; -EOPNOTSUPP if it is shared; another errno of the provider's.
 */
int ib_destroy_cq_user(struct ib_cq *cq, struct ib_udata *udata);

/**
 * ib_destroy_cq() - Destroy a completion queue.
 * @cq: Which CQ; its QPs must be gone. What was not polled is lost.
 *
 * Context: May sleep; not from its own handlers, neither of which runs any more on return.
 */
static inline void ib_destroy_cq(struct ib_cq *cq)
{
	const int ret = ib_destroy_cq_user(cq, NULL);

	(void)WARN_ONCE(ret, "a kernel user's completion queue was not destroyed");
}

/**
 * ib_poll_cq() - Take completions.
 * @cq: Which CQ.
 * @num_entries: At most so many.
 * @wc: Out: in the order in which they came. Of an error only wr_id, status, qp and vendor_err are
 *	valid; vendor_err is the cause, see verbena_cause_name().
 *
 * Polling an empty CQ makes progress on the device's packets, timers and events.
 *
 * Context: Any thread, completion handlers included. Does not sleep.
 * Return: How many; less than @num_entries means that there are no more now. -EINVAL if the CQ is
 *	mapped into a process.
 */
int ib_poll_cq(struct ib_cq *cq, int num_entries, struct ib_wc *wc);

/**
 * ib_req_notify_cq() - Have the completion handler called once.
 * @cq: From ib_create_cq() with a handler.
 * @flags: IB_CQ_NEXT_COMP for any completion from now on, or IB_CQ_SOLICITED for one that is
 *	solicited or an error; and IB_CQ_REPORT_MISSED_EVENTS to hear of those that are there
 *	already.
 *
 * A CQ that is armed for any completion stays so. Poll until the CQ is empty, arm it, and poll
 * again if this returns more than 0: then nothing is missed.
 *
 * Context: Any thread, completion handlers included. Does not sleep.
 * Return: 0; 1 if IB_CQ_REPORT_MISSED_EVENTS is set and the CQ is not empty, it is armed all the
 *	same; an errno of the provider's.
 */
static inline int ib_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	return cq->device->ops.req_notify_cq(cq, flags);
}

/**
 * ib_cq_pool_get() - Room on a CQ that several users share.
 * @dev: Which device.
 * @nr_cqe: Entries that are needed.
 * @comp_vector_hint: Vector, or -1 for any.
 * @poll_ctx: Not IB_POLL_DIRECT.
 *
 * Context: May sleep.
 * Return: The CQ, for ib_cq_pool_put(); ERR_PTR(-EINVAL) for IB_POLL_DIRECT or more entries than
 *	max_cqe; another ERR_PTR of ib_alloc_cq().
 */
struct ib_cq *ib_cq_pool_get(struct ib_device *dev, unsigned int nr_cqe, int comp_vector_hint,
			     enum ib_poll_context poll_ctx);

/**
 * ib_cq_pool_put() - Give back room on a shared CQ.
 * @cq: From ib_cq_pool_get().
 * @nr_cqe: As many as were asked for.
 */
void ib_cq_pool_put(struct ib_cq *cq, unsigned int nr_cqe);

/**
 * ib_wc_status_msg() - Name of a completion status, for people.
 * @status: Any value.
 *
 * Return: A constant; "unrecognized status" where there is no text.
 */
const char *ib_wc_status_msg(enum ib_wc_status status);

/**
 * ib_alloc_xrcd_user() - Make an XRC domain.
 * @device: Where.
 * @inode: File by which processes find the domain, or NULL.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: The domain, for ib_dealloc_xrcd_user(); ERR_PTR(-EOPNOTSUPP) if the provider has no XRC;
 *	ERR_PTR(-ENOMEM); another errno of the provider's.
 */
struct ib_xrcd *ib_alloc_xrcd_user(struct ib_device *device, struct inode *inode,
				   struct ib_udata *udata);

/**
 * ib_dealloc_xrcd_user() - Free an XRC domain.
 * @xrcd: Which domain.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: 0; -EBUSY if SRQs or target QPs use it; another errno of the provider's.
 */
int ib_dealloc_xrcd_user(struct ib_xrcd *xrcd, struct ib_udata *udata);

/**
 * ib_create_wq() - Make a receive work queue for a table of queues.
 * @pd: It belongs to it.
 * @init_attr: Type, CQ and sizes.
 *
 * Context: May sleep.
 * Return: The queue, for ib_destroy_wq_user(); ERR_PTR(-EOPNOTSUPP) if the provider has none;
 *	another errno of the provider's.
 */
struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init_attr);

/**
 * ib_destroy_wq_user() - Destroy a receive work queue.
 * @wq: Which queue.
 * @udata: The process's request, or NULL.
 *
 * Context: May sleep.
 * Return: 0; -EBUSY if a table uses it; another errno of the provider's.
 */
int ib_destroy_wq_user(struct ib_wq *wq, struct ib_udata *udata);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_IB_VERBS_QUEUES_H */
