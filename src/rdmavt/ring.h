/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Rings: how completions and requests lie in memory.
 *
 * The kernel's format (struct rvt_k_cq_wc, struct rvt_krwq) is inline code and has no table: a
 * queue whose `ring` is NULL uses it. A format that a process maps (rvt-abi, rxe) fills in a
 * struct rvt_ring_ops; its memory is hostile, so an entry is read from it once, into memory of ours.
 */
#ifndef RDMAVT_RING_H
#define RDMAVT_RING_H

#include <rdma/ib_verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ib_udata;
struct rvt_cq;
struct rvt_dev_info;
struct rvt_mmap_info;
struct rvt_ring;

/* What a ring holds: what produce() takes and peek() returns. */
enum rvt_ring_kind {
	RVT_RING_CQ, /* struct ib_wc, struct ib_wc */
	RVT_RING_RQ, /* struct ib_recv_wr (one), struct rvt_rwqe */
	RVT_RING_SQ, /* struct ib_send_wr (one), struct ib_send_wr (one) */
};

/**
 * struct rvt_simple_send - An entry of a send ring that is a SEND of one piece.
 * @wr_id: As in struct ib_send_wr; so are @opcode, IB_WR_SEND or IB_WR_SEND_WITH_IMM, @send_flags but for
 *	IB_SEND_INLINE, and @imm_data.
 * @opcode: See there.
 * @send_flags: See there.
 * @imm_data: See there.
 * @sge: The piece.
 * @inlined: Where its bytes are in the ring, sge.length of them, which is at most inline_bytes; NULL: @sge says.
 */
struct rvt_simple_send {
	u64 wr_id;
	enum ib_wr_opcode opcode;
	int send_flags;
	__be32 imm_data;
	struct ib_sge sge;
	const void *inlined;
};

/**
 * struct rvt_ring_ops - One format.
 * @name: For causes and traces.
 * @init: Make the ring's memory, ring->ip and ring->mem, for ring->capacity entries of ring->kind
 *	or for more, and then ring->capacity says how many. The process that @udata belongs to can map
 *	it. Returns 0 or a negative errno with nothing kept.
 * @free: Give it back. No one else uses the ring any more.
 * @tell: Write where the ring can be mapped into the response of a call about a CQ. Returns 0 or
 *	-EFAULT.
 * @count: Entries that peek() would return one after the other, never more than the capacity
 *	whatever the indices say.
 * @peek: The oldest entry that was not consumed, in memory of ours that is valid until the next
 *	peek(); NULL if there is none. Inline data of a send request is one SGE, in the ring itself:
 *	mapped, if its length is at most inline_bytes.
 * @peek_simple: As @peek, of an entry of a send ring that is a SEND of one piece; false if it is none. The
 *	entry is read anew by @peek. NULL: none ever is.
 * @consume: What peek() returned is taken; the next one is its successor.
 * @produce: Append one entry. Returns false, and stores nothing, if the ring is full.
 * @completed: The @count oldest consumed entries are done with. Here a format that lets its user
 *	reuse a slot only at completion moves the consumer's index.
 * @drop: All entries that are there, consumed or not, are done with.
 * @resize: Move the entries that are there, in the same order, to @fresh, a ring that @init has made
 *	with another capacity. Returns 0; -EINVAL if they do not fit. Called under both locks.
 *
 * peek and consume are called under the consumer's lock of the queue (s_hlock of a send queue),
 * completed under s_lock, produce under the producer's, resize and drop under both. None sleeps but
 * init and free. What the side of the queue that is not ours does (a process polls its CQ itself)
 * is NULL.
 */
struct rvt_ring_ops {
	const char *name;
	int (*init)(struct rvt_ring *ring, struct ib_udata *udata);
	void (*free)(struct rvt_ring *ring);
	int (*tell)(const struct rvt_ring *ring, struct ib_udata *udata);
	uint32_t (*count)(const struct rvt_ring *ring);
	const void *(*peek)(struct rvt_ring *ring);
	bool (*peek_simple)(struct rvt_ring *ring, struct rvt_simple_send *send);
	void (*consume)(struct rvt_ring *ring);
	bool (*produce)(struct rvt_ring *ring, const void *entry);
	void (*completed)(struct rvt_ring *ring, uint32_t count);
	void (*drop)(struct rvt_ring *ring);
	int (*resize)(struct rvt_ring *ring, struct rvt_ring *fresh);
};

/**
 * struct rvt_ring - A ring in a format other than the kernel's.
 * @ops: The format.
 * @rdi: Device.
 * @ip: Record of @mem.
 * @mem: What the process maps; the format's.
 * @scratch: The entry that peek() returned; the format's.
 * @kind: What it holds.
 * @capacity: Entries at most.
 * @max_sge: SGEs per entry of a work queue.
 * @inline_bytes: Room for data in an entry of a send queue.
 * @datagrams: Requests of a send queue have addresses.
 * @log2_bytes: rxe: log2 of an entry's bytes.
 * @head: Our own index of the producer or @tail of the consumer, whichever side is ours: what is in
 *	@mem may be garbage.
 * @tail: See @head. The next entry to consume.
 * @done: Of a send queue: the oldest entry that is not completed.
 */
struct rvt_ring {
	const struct rvt_ring_ops *ops;
	struct rvt_dev_info *rdi;
	struct rvt_mmap_info *ip;
	void *mem;
	void *scratch;
	enum rvt_ring_kind kind;
	uint32_t capacity;
	uint32_t max_sge;
	uint32_t inline_bytes;
	bool datagrams;
	uint32_t log2_bytes;
	uint32_t head;
	uint32_t tail;
	uint32_t done;
};

/**
 * rvt_ring_new() - Make a ring.
 * @like: @ops, @rdi, @kind, @capacity, and what else the format's init() looks at.
 * @udata: Of the process that maps it.
 *
 * Return: The ring; an error pointer of -ENOMEM or what init() returned.
 */
struct rvt_ring *rvt_ring_new(const struct rvt_ring *like, struct ib_udata *udata);

/** rvt_ring_delete() - Undo rvt_ring_new(). NULL: nothing happens. */
void rvt_ring_delete(struct rvt_ring *ring);

/**
 * rvt_ring_cq_format() - Whether the caller is a process that maps its CQs.
 * @rdi: The device.
 * @udata: Of the caller, or NULL.
 *
 * Return: Their format; NULL for the kernel's.
 */
const struct rvt_ring_ops *rvt_ring_cq_format(const struct rvt_dev_info *rdi,
					      const struct ib_udata *udata);

/**
 * rvt_ring_create_cq() - Give a CQ a ring that its process maps.
 * @cq: Gets ring, queue, ip, and ibcq.cqe.
 * @ops: Format.
 * @cqe: Entries at least.
 * @udata: Gets where to map it.
 *
 * Return: 0; -ENOMEM; -EFAULT if @udata cannot be written.
 */
int rvt_ring_create_cq(struct rvt_cq *cq, const struct rvt_ring_ops *ops, uint32_t cqe,
		       struct ib_udata *udata);

/** rvt_ring_destroy_cq() - Undo rvt_ring_create_cq(). */
void rvt_ring_destroy_cq(struct rvt_cq *cq);

/**
 * rvt_ring_resize_cq() - Replace a CQ's ring; the entries that are there move, in order.
 * @cq: The CQ.
 * @cqe: Entries at least.
 * @udata: Gets where to map the new ring.
 *
 * Return: 0; -EINVAL if the entries do not fit, or @udata has no room; -ENOMEM; -EFAULT if @udata
 *	cannot be written.
 */
int rvt_ring_resize_cq(struct rvt_cq *cq, uint32_t cqe, struct ib_udata *udata);

#endif
