/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* rdmavt's completion queues. */
#ifndef VERBENA_RDMA_RDMAVT_CQ_H
#define VERBENA_RDMA_RDMAVT_CQ_H

#include <linux/workqueue.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/ib_verbs.h>

/* Indices in rings that are mapped into a process are read and written once, in order. */
#define RDMA_READ_UAPI_ATOMIC(member) smp_load_acquire(&(member).val)
#define RDMA_WRITE_UAPI_ATOMIC(member, x) smp_store_release(&(member).val, (x))

/* struct rvt_cq_wc, rvt_rwq, rvt_rwqe and rvt_wqe_sge: the system's, they are user ABI. */
#include <rdma/rvt-abi.h>

struct rvt_dev_info;
struct rvt_mmap_info;
struct rvt_ring;

/* rvt_cq.notify of a CQ that is not armed: no enum ib_cq_notify_flags. */
#define RVT_CQ_NONE (IB_CQ_NEXT_COMP + 1)

/**
 * struct rvt_k_cq_wc - Kernel CQ ring.
 * @head: Next to fill.
 * @tail: Next to poll.
 * @kqueue: Entries.
 */
struct rvt_k_cq_wc {
	u32 head;
	u32 tail;
	struct ib_wc kqueue[];
};

/**
 * struct rvt_cq - Completion queue.
 * @ibcq: Core part.
 * @comptask: Handler worker.
 * @lock: Lock.
 * @notify: Armed kind, RVT_CQ_NONE (3) = not armed.
 * @triggered: Trigger counter.
 * @cq_full: Overflow latch.
 * @comp_vector_cpu: Worker CPU.
 * @rdi: Device.
 * @queue: User ring.
 * @ip: Mapping info.
 * @kqueue: Kernel ring.
 * @ring: Ring in another format than the kernel's, or NULL (Verbena).
 * @pending: Entries in @kqueue (Verbena).
 * @fired: Times that the handler was due (Verbena).
 * @handled: What @fired was when it was called last (Verbena).
 * @overflows: Completions lost and not reported yet (Verbena).
 * @mod_count: Moderation: completions (Verbena).
 * @mod_period_us: Moderation: time (Verbena).
 * @mod_seen: Completions that wait for the handler (Verbena).
 * @mod_timer: Runs while @mod_seen is not 0 (Verbena).
 * @errtask: Worker of the error handler (Verbena).
 */
struct rvt_cq {
	struct ib_cq ibcq;
	struct work_struct comptask;
	spinlock_t lock;
	u8 notify;
	u8 triggered;
	u8 cq_full;
	int comp_vector_cpu;
	struct rvt_dev_info *rdi;
	struct rvt_cq_wc *queue;
	struct rvt_mmap_info *ip;
	struct rvt_k_cq_wc *kqueue;
	struct rvt_ring *ring;
	u32 pending;
	u32 fired;
	u32 handled;
	u32 overflows;
	u16 mod_count;
	u16 mod_period_us;
	u32 mod_seen;
	struct base_timer mod_timer;
	struct work_struct errtask;
};

#ifdef __cplusplus
extern "C" {
#endif

/**
 * ibcq_to_rvtcq() - rdmavt's CQ around the core's.
 * @ibcq: Of a device of rdmavt's.
 *
 * Return: The structure.
 */
static inline struct rvt_cq *ibcq_to_rvtcq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct rvt_cq, ibcq);
}

/**
 * rvt_cq_enter() - Put a completion into a CQ.
 * @cq: Which CQ.
 * @entry: Copied.
 * @solicited: The peer asked for an event.
 *
 * A CQ that was full once takes nothing any more; each refusal raises IB_EVENT_CQ_ERR. If the CQ is
 * armed for this completion its handler is called later, from a worker.
 *
 * Context: Any, QP locks may be held; takes cq->lock, does not sleep.
 * Return: true if it was stored; false if the CQ is full: the QP that it belongs to must go to ERR.
 */
bool rvt_cq_enter(struct rvt_cq *cq, struct ib_wc *entry, bool solicited);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_RDMA_RDMAVT_CQ_H */
