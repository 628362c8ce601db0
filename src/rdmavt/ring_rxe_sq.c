// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * librxe's send ring: from its entries to work requests of the kernel API.
 *
 * What an entry says is checked where every posted request is (qp_post.c); here it must only not
 * mean anything that a process cannot ask for: no pointers, no flags of our own, no more SGEs and
 * bytes than the entry has room for.
 */
#include <linux/bitops.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "rdmavt/ring_rxe.h"

/* Operations that only the kernel API has begin here. */
#define FIRST_KERNEL_OPCODE 0x20u

#define FLAGS \
	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | IB_SEND_INLINE | IB_SEND_IP_CSUM)

/* Of an entry's request: what follows is a path that the kernel's driver needs. */
#define TAKEN_BYTES offsetof(struct rxe_send_wr, wr.ud.av)

/* What peek() returns: a request of any kind, and its SGEs. */
struct rxe_request {
	union {
		struct ib_send_wr wr;
		struct ib_rdma_wr rdma;
		struct ib_atomic_wr atomic;
		struct ib_ud_wr ud;
		struct rvt_bind_wr bind;
		struct rvt_flush_wr flush;
	};
	struct ib_sge sge[];
};

/* The request's own part of a flush, which Linux 6.1's header lacks. */
struct rxe_flush {
	__aligned_u64 remote_addr;
	__u32 length;
	__u32 rkey;
	__u8 type;
	__u8 level;
};

#define TAKES(type)                                                                    \
	_Static_assert(offsetof(struct rxe_send_wr, wr) + sizeof(type) <= TAKEN_BYTES, \
		       "it is taken")
#define PART(member) (((struct rxe_send_wr *)0)->wr.member)

TAKES(PART(rdma));
TAKES(PART(atomic));
TAKES(PART(mw));
TAKES(struct rxe_flush);
_Static_assert(sizeof(struct rxe_send_wqe) == 208, "head of a send request");
_Static_assert(sizeof(struct ib_sge) == sizeof(struct rxe_sge) &&
		       offsetof(struct ib_sge, lkey) == offsetof(struct rxe_sge, lkey),
	       "an SGE is copied as it is");

static int sq_init(struct rvt_ring *ring, struct ib_udata *udata)
{
	/* Inline data is one SGE. */
	const size_t sges = ring->max_sge ? ring->max_sge : 1;
	const size_t scratch_bytes = sizeof(struct rxe_request) + sges * sizeof(struct ib_sge);
	int ret;

	ring->scratch = base_zalloc(scratch_bytes);
	if (!ring->scratch)
		return base_refuse(-ENOMEM, NO_MEMORY, scratch_bytes);
	ret = rvt_ring_rxe_init(ring, sizeof(struct rxe_send_wqe) + ring->inline_bytes, udata);
	if (ret) {
		base_free(ring->scratch);
		ring->scratch = NULL;
	}
	return ret;
}

/* Never so many that they and those which are not completed were more than the ring holds. */
static u32 sq_count(const struct rvt_ring *ring)
{
	const u32 tail = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
	/* Acquire: whoever sees that a request is done sees its slot of the queue free, too. */
	const u32 done = __atomic_load_n(&ring->done, __ATOMIC_ACQUIRE);
	const u32 there = rxe_distance(ring, tail, rxe_producer(ring));
	const u32 room = ring->capacity - rxe_distance(ring, done, tail);

	return there < room ? there : room;
}

static void convert_wr(const struct rvt_ring *ring, const struct rxe_send_wr *in,
		       struct rxe_request *out)
{
	switch (in->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
	case IB_WR_ATOMIC_WRITE:
		out->rdma.remote_addr = in->wr.rdma.remote_addr;
		out->rdma.rkey = in->wr.rdma.rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		out->atomic.remote_addr = in->wr.atomic.remote_addr;
		out->atomic.compare_add = in->wr.atomic.compare_add;
		out->atomic.swap = in->wr.atomic.swap;
		out->atomic.rkey = in->wr.atomic.rkey;
		break;
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		if (!ring->datagrams)
			break;
		out->ud.ah = xa_load(&ring->rdi->ah_nums, in->wr.ud.ah_num);
		out->ud.remote_qpn = in->wr.ud.remote_qpn;
		out->ud.remote_qkey = in->wr.ud.remote_qkey;
		out->ud.pkey_index = in->wr.ud.pkey_index;
		break;
	case IB_WR_BIND_MW:
		out->bind.addr = in->wr.mw.addr;
		out->bind.length = in->wr.mw.length;
		out->bind.mr_lkey = in->wr.mw.mr_lkey;
		out->bind.mw_rkey = in->wr.mw.mw_rkey;
		out->bind.rkey = in->wr.mw.rkey;
		out->bind.access = in->wr.mw.access;
		break;
	default:
		break;
	}
}

/*
 * librxe's setters leave the flag out, and the number of SGEs with it. An 8-byte atomic write has
 * its bytes in the entry, too.
 */
static bool is_inline(const struct rxe_send_wqe *in)
{
	return (in->wr.send_flags & IB_SEND_INLINE) || (!in->dma.num_sge && in->dma.length);
}

/* The bytes stay where they are: who posts the request copies them, once. */
static void convert_inline(const struct rxe_send_wqe *in, struct rxe_send_wqe *slot,
			   struct rxe_request *out)
{
	out->wr.send_flags |= IB_SEND_INLINE;
	out->wr.num_sge = in->dma.length ? 1 : 0;
	out->sge[0] =
		(struct ib_sge){.addr = (uintptr_t)slot->dma.inline_data, .length = in->dma.length};
}

/* The length is the sum of the SGEs': librxe's own is wrong where a list of SGEs was set. */
static void convert_sges(const struct rvt_ring *ring, const struct rxe_send_wqe *in,
			 const struct rxe_send_wqe *slot, struct rxe_request *out)
{
	const u32 count = in->dma.num_sge;

	/* More than there are is refused when the request is posted. */
	out->wr.num_sge = (int)(count < INT_MAX ? count : INT_MAX);
	if (likely(count <= ring->max_sge))
		rxe_take_sges(out->sge, slot->dma.sge, count);
}

/*
 * librxe has the length where that of data is, as the kernel's driver reads it, and leaves the
 * member of that name empty. Some programs set an SGE, for librxe lets them; a flush has no data.
 */
static void convert_flush(const struct rxe_send_wqe *in, struct rvt_flush_wr *out)
{
	struct rxe_flush flush;

	memcpy(&flush, &in->wr.wr, sizeof(flush));
	out->remote_addr = flush.remote_addr;
	out->length = in->dma.length;
	out->rkey = flush.rkey;
	out->type = flush.type;
	out->level = flush.level;
}

static const void *sq_peek(struct rvt_ring *ring)
{
	struct rxe_send_wqe *slot = rxe_slot(ring, ring->tail);
	struct rxe_request *out = ring->scratch;
	struct rxe_send_wqe in;
	u32 opcode;

	if (!sq_count(ring))
		return NULL;
	rxe_take(&in.wr, &slot->wr, TAKEN_BYTES);
	rxe_take(&in.dma, &slot->dma, sizeof(in.dma));
	opcode = in.wr.opcode;
	if (unlikely(opcode >= FIRST_KERNEL_OPCODE && opcode < RVT_OPERATION_MAX))
		opcode = RVT_OPERATION_MAX; /* none */
	memset(out, 0, sizeof(*out));
	out->wr.wr_id = in.wr.wr_id;
	out->wr.opcode = (enum ib_wr_opcode)opcode;
	out->wr.send_flags = (int)(in.wr.send_flags & FLAGS);
	out->wr.ex.invalidate_rkey = in.wr.ex.invalidate_rkey;
	out->wr.sg_list = out->sge;
	convert_wr(ring, &in.wr, out);
	if (unlikely(opcode == IB_WR_FLUSH))
		convert_flush(&in, &out->flush);
	else if (is_inline(&in))
		convert_inline(&in, slot, out);
	else
		convert_sges(ring, &in, slot, out);
	return &out->wr;
}

/* Each word is read once; whatever else the entry says does not matter to a SEND. */
static bool sq_peek_simple(struct rvt_ring *ring, struct rvt_simple_send *send)
{
	struct rxe_send_wqe *slot = rxe_slot(ring, ring->tail);
	const u32 opcode = READ_ONCE(slot->wr.opcode), flags = READ_ONCE(slot->wr.send_flags);
	const u32 sges = READ_ONCE(slot->dma.num_sge);

	if ((opcode != IB_WR_SEND && opcode != IB_WR_SEND_WITH_IMM) || !sq_count(ring))
		return false;
	send->wr_id = READ_ONCE(slot->wr.wr_id);
	send->opcode = (enum ib_wr_opcode)opcode;
	send->send_flags = (int)(flags & FLAGS & ~(u32)IB_SEND_INLINE);
	send->imm_data = READ_ONCE(slot->wr.ex.imm_data);
	send->sge.length = READ_ONCE(slot->dma.length);
	if ((flags & IB_SEND_INLINE) || !sges) {
		send->inlined = slot->dma.inline_data;
		return send->sge.length <= ring->inline_bytes;
	}
	if (sges != 1)
		return false;
	send->inlined = NULL;
	rxe_take_sges(&send->sge, slot->dma.sge, 1);
	return true;
}

static void sq_consume(struct rvt_ring *ring)
{
	__atomic_store_n(&ring->tail, rxe_next(ring, ring->tail), __ATOMIC_RELAXED);
}

static void sq_set_done(struct rvt_ring *ring, u32 done)
{
	__atomic_store_n(&ring->done, done, __ATOMIC_RELEASE);
	smp_store_release(&rxe_buf(ring)->consumer_index, done);
}

static void sq_completed(struct rvt_ring *ring, u32 count)
{
	sq_set_done(ring, (ring->done + count) & ring->capacity);
}

static void sq_drop(struct rvt_ring *ring)
{
	__atomic_store_n(&ring->tail, rxe_producer(ring), __ATOMIC_RELAXED);
	sq_set_done(ring, ring->tail);
}

const struct rvt_ring_ops rvt_ring_rxe_sq_ops = {
	.name = "rxe",
	.init = sq_init,
	.free = rvt_ring_rxe_free,
	.count = sq_count,
	.peek = sq_peek,
	.peek_simple = sq_peek_simple,
	.consume = sq_consume,
	.completed = sq_completed,
	.drop = sq_drop,
};
