// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What is posted, and how it ends. See world.h. */
#include "fuzz/tp_receive/world.h"

/* UD has none. */
static const struct ib_mr *scattered_or_open(const struct world *w, const struct test_qp *owner)
{
	const struct ib_mr *mr = w->scattered[side_of(w, owner)];

	return mr ? mr : owner->host->mr;
}

u32 take_rkey(struct world *w, const struct test_qp *owner)
{
	switch (take8(&w->in) % 8) {
	case 4:
		return scattered_or_open(w, owner)->rkey;
	case 5:
		return w->read_only[side_of(w, owner)]->rkey;
	case 6:
		return take32(&w->in);
	case 7:
		return owner->host->mr->rkey ^ take8(&w->in);
	default:
		return owner->host->mr->rkey;
	}
}

u64 take_va(struct world *w, const struct test_qp *owner)
{
	const u64 buffer = (uintptr_t)owner->host->buffer;

	switch (take8(&w->in) % 8) {
	case 5:
		return buffer + READ_ONLY_AT + take8(&w->in);
	case 6:
		return take64(&w->in);
	case 7:
		return buffer + OPEN_AT + OPEN_BYTES - take16(&w->in);
	default:
		return buffer + OPEN_AT + take16(&w->in) % 8192u * 8u;
	}
}

static struct wr *next_wr(struct world *w, struct test_qp *qp, bool send)
{
	struct wr *wr = &w->wrs[w->wr_count];

	if (w->wr_count == MAX_WRS)
		return NULL;
	*wr = (struct wr){.qp = qp, .send = send, .signalled = true};
	return wr;
}

/* Up to three SGEs. Returns how many. */
static int take_sges(struct world *w, const struct test_qp *qp, struct ib_sge sge[3])
{
	const int n = take8(&w->in) % 4;

	for (int i = 0; i < n; i++) {
		const u64 addr = take_va(w, qp);
		const u32 most = (u32)(take8(&w->in) % 64 + 1), length = take8(&w->in) * most;
		const uint8_t key = take8(&w->in);
		const struct ib_mr *mr = qp->host->mr;

		if (key >= 0xf0)
			mr = w->read_only[side_of(w, qp)];
		else if (key >= 0xc0)
			mr = scattered_or_open(w, qp);
		sge[i] = (struct ib_sge){.addr = addr, .length = length, .lkey = mr->lkey};
	}
	return n;
}

void post_recv(struct world *w, struct test_qp *qp)
{
	struct wr *wr = next_wr(w, qp, false);
	struct ib_recv_wr recv = {.wr_id = w->wr_count};
	struct ib_sge sge[3];

	if (!wr)
		return;
	recv.sg_list = sge;
	recv.num_sge = take_sges(w, qp, sge);
	if (!ib_post_recv(qp->ib, &recv, NULL))
		w->wr_count++;
	else
		REQUIRE(base_cause_last()->id);
}

static int post_to(struct world *w, struct test_qp *qp, struct ib_send_wr *wr)
{
	const struct test_qp *peer = peer_of(w, qp);
	struct ib_atomic_wr atomic = {.wr = *wr};
	struct ib_rdma_wr rdma = {.wr = *wr};
	struct ib_ud_wr ud = {.wr = *wr};

	if (qp->options.type == IB_QPT_UD) {
		ud.ah = w->ah[side_of(w, qp)];
		ud.remote_qpn = peer->ib->qp_num;
		ud.remote_qkey = peer->options.qkey;
		return ib_post_send(qp->ib, &ud.wr, NULL);
	}
	if (wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP || wr->opcode == IB_WR_ATOMIC_FETCH_AND_ADD) {
		atomic.remote_addr = take_va(w, peer);
		atomic.rkey = take_rkey(w, peer);
		atomic.compare_add = take8(&w->in);
		return ib_post_send(qp->ib, &atomic.wr, NULL);
	}
	if (wr->opcode == IB_WR_RDMA_WRITE || wr->opcode == IB_WR_RDMA_WRITE_WITH_IMM ||
	    wr->opcode == IB_WR_RDMA_READ) {
		rdma.remote_addr = take_va(w, peer);
		rdma.rkey = take_rkey(w, peer);
		return ib_post_send(qp->ib, &rdma.wr, NULL);
	}
	return ib_post_send(qp->ib, wr, NULL);
}

void post_send(struct world *w, struct test_qp *qp)
{
	static const enum ib_wr_opcode opcodes[] = {
		IB_WR_SEND,
		IB_WR_SEND_WITH_IMM,
		IB_WR_RDMA_WRITE,
		IB_WR_RDMA_WRITE_WITH_IMM,
		IB_WR_RDMA_READ,
		IB_WR_ATOMIC_CMP_AND_SWP,
		IB_WR_ATOMIC_FETCH_AND_ADD,
		IB_WR_SEND_WITH_INV,
	};
	struct wr *wr = next_wr(w, qp, true);
	const uint8_t what = take8(&w->in);
	struct ib_send_wr send = {.wr_id = w->wr_count,
				  .opcode = opcodes[what % 8],
				  .send_flags = what & 8 ? 0 : IB_SEND_SIGNALED};
	struct ib_sge sge[3];

	if (!wr)
		return;
	if (what & 16)
		send.send_flags |= IB_SEND_FENCE;
	if (what & 32)
		send.send_flags |= IB_SEND_SOLICITED;
	send.sg_list = sge;
	send.num_sge = take_sges(w, qp, sge);
	if (send.opcode == IB_WR_SEND_WITH_INV)
		send.ex.invalidate_rkey = take8(&w->in);
	wr->signalled = qp->options.signal_all || (send.send_flags & IB_SEND_SIGNALED);
	if (!post_to(w, qp, &send))
		w->wr_count++;
	else
		REQUIRE(base_cause_last()->id);
}

/* Once, in the order posted; the unsignalled before it are done, too. */
static void finish(struct world *w, struct test_qp *qp, bool send, const struct ib_wc *wc)
{
	struct wr *wr = &w->wrs[wc->wr_id];

	REQUIRE(wc->wr_id < w->wr_count && wr->qp == qp && wr->send == send);
	REQUIRE(wr->state == WR_POSTED);
	for (uint32_t i = 0; i < wc->wr_id; i++)
		if (w->wrs[i].qp == qp && w->wrs[i].send == send && w->wrs[i].state == WR_POSTED) {
			REQUIRE(!w->wrs[i].signalled);
			w->wrs[i].state = WR_DONE;
		}
	wr->state = WR_DONE;
	if (wc->status)
		REQUIRE(base_cause_sentence(wc->vendor_err));
	else
		REQUIRE(!wc->vendor_err);
}

static void poll(struct world *w, struct test_qp *qp)
{
	struct ib_wc wc;

	while (test_poll(qp->send_cq, &wc))
		finish(w, qp, true, &wc);
	while (test_poll(qp->recv_cq, &wc))
		finish(w, qp, false, &wc);
}

void poll_both(struct world *w)
{
	poll(w, &w->pair.a);
	poll(w, &w->pair.b);
}

void take_back(struct world *w, const struct test_qp *qp)
{
	for (uint32_t i = 0; i < w->wr_count; i++)
		if (w->wrs[i].qp == qp && w->wrs[i].state == WR_POSTED)
			w->wrs[i].state = WR_TAKEN_BACK;
}
