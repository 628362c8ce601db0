// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What an end of a connection asks for: random requests, and receives for its peer's. */
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "sim/end.h"
#include "sim/payload.h"
#include "sim/run.h"
#include "verbena/verbena.h"

#define MAX_SGE 4u
#define PACE_NS SIM_US

static uint64_t below(const struct end *end, uint64_t bound)
{
	return sim_random_below(end->conn->run->w, bound);
}

static bool percent(const struct end *end, unsigned int p)
{
	return p && below(end, 100) < p;
}

/* Short, long, empty, and the lengths around packet borders more often than chance has it. */
static uint32_t choose_bytes(const struct end *end)
{
	const uint32_t max = end->conn->options.max_bytes;
	const uint32_t mtu = 128u << end->conn->options.mtu;
	uint64_t bytes;

	switch (below(end, 6)) {
	case 0:
		bytes = below(end, 9);
		break;
	case 1:
		bytes = mtu * (1 + below(end, 4)) + below(end, 3) - 1;
		break;
	case 2:
		bytes = below(end, max + 1ull);
		break;
	default:
		bytes = below(end, mtu);
		break;
	}
	return bytes > max ? max : (uint32_t)bytes;
}

/* One area's slot in up to four pieces. */
static int cut(const struct end *end, const struct area *area, uint32_t slot, uint32_t bytes,
	       struct ib_sge *sge)
{
	uint64_t addr = (uintptr_t)area_slot(area, slot);
	const uint32_t pieces = 1 + (uint32_t)below(end, MAX_SGE);
	uint32_t left = bytes;

	for (uint32_t i = 0; i < pieces; i++) {
		uint32_t n = i + 1 == pieces ? left : (uint32_t)below(end, left + 1ull);

		sge[i] = (struct ib_sge){.addr = addr, .length = n, .lkey = area->mr->lkey};
		addr += n;
		left -= n;
	}
	return (int)pieces;
}

static enum ib_wr_opcode choose_opcode(const struct end *end)
{
	static const enum ib_wr_opcode rc[] = {
		IB_WR_SEND,
		IB_WR_SEND,
		IB_WR_SEND_WITH_IMM,
		IB_WR_RDMA_WRITE,
		IB_WR_RDMA_WRITE,
		IB_WR_RDMA_WRITE_WITH_IMM,
		IB_WR_RDMA_READ,
		IB_WR_RDMA_READ,
		IB_WR_ATOMIC_FETCH_AND_ADD,
		IB_WR_ATOMIC_CMP_AND_SWP,
	};
	const uint64_t choices = end->conn->options.type == IB_QPT_RC ? 10 : 6;

	return rc[below(end, choices)];
}

/* Of one burst: responses at both ends, and between them what is answered by ACKs only. */
static enum ib_wr_opcode choose_in_burst(const struct end *end, uint64_t left)
{
	static const enum ib_wr_opcode between[] = {IB_WR_SEND, IB_WR_RDMA_WRITE};

	if (left == 1 || left == END_DEPTH)
		return IB_WR_ATOMIC_FETCH_AND_ADD;
	return between[below(end, 2)];
}

static bool is_atomic(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_ATOMIC_FETCH_AND_ADD || opcode == IB_WR_ATOMIC_CMP_AND_SWP;
}

static bool writes_target(enum ib_wr_opcode opcode)
{
	return opcode == IB_WR_RDMA_WRITE || opcode == IB_WR_RDMA_WRITE_WITH_IMM;
}

/* READs may share a slot, a WRITE wants it for itself; so what each must find is known. */
static bool claim_target(struct end *peer, struct posted *p)
{
	const bool writes = writes_target(p->opcode);

	if (peer->target_written[p->target] || (writes && peer->target_users[p->target]))
		return false;
	if (!writes && !peer->target_known[p->target])
		return false;
	peer->target_users[p->target]++;
	peer->target_written[p->target] = writes;
	peer->target_write[p->target] = p->key;
	return true;
}

static void expect_message(struct end *end, const struct posted *p, bool solicited)
{
	const bool with_imm = p->opcode == IB_WR_SEND_WITH_IMM ||
			      p->opcode == IB_WR_RDMA_WRITE_WITH_IMM;

	if (p->opcode == IB_WR_RDMA_WRITE || p->opcode == IB_WR_RDMA_READ || is_atomic(p->opcode))
		return;
	if (end->message_head - end->message_tail == END_MESSAGES) {
		/* UC: nobody receives the lost ones; the oldest was lost long ago. */
		INVARIANT(end->conn->options.type == IB_QPT_UC);
		end->message_tail++;
	}
	end->messages[end->message_head++ % END_MESSAGES] =
		(struct message){.bytes = p->bytes,
				 .key = p->key,
				 .with_imm = with_imm,
				 .is_write = p->opcode == IB_WR_RDMA_WRITE_WITH_IMM,
				 .solicited = solicited,
				 .target = p->target};
}

/* What the word will hold once this request has been executed, after all before it. */
static void foresee_atomic(struct end *end, struct posted *p, struct ib_atomic_wr *wr)
{
	uint64_t *value = &end->peer->word_value[p->target];

	p->original = *value;
	wr->remote_addr = area_remote_addr(&end->peer->words, p->target);
	wr->rkey = end->peer->words.mr->rkey;
	if (p->opcode == IB_WR_ATOMIC_FETCH_AND_ADD) {
		wr->compare_add = below(end, 1000);
		*value += wr->compare_add;
		return;
	}
	wr->compare_add = percent(end, 50) ? *value : *value + 1;
	wr->swap = sim_random(end->conn->run->w);
	if (wr->compare_add == *value)
		*value = wr->swap;
}

static void choose_flags(struct end *end, struct posted *p, struct ib_send_wr *wr)
{
	const bool send = p->opcode == IB_WR_SEND || p->opcode == IB_WR_SEND_WITH_IMM;
	const bool bursts = end->conn->options.bursts;

	p->signalled = end->conn->quiet || bursts || end->since_signal >= END_DEPTH / 2 ||
		       percent(end, 60);
	end->since_signal = p->signalled ? 0 : end->since_signal + 1;
	wr->send_flags = p->signalled ? IB_SEND_SIGNALED : 0;
	p->signalled |= end->conn->options.signal_all;
	if (!bursts && percent(end, 20))
		wr->send_flags |= IB_SEND_FENCE;
	if (percent(end, 20))
		wr->send_flags |= IB_SEND_SOLICITED;
	if ((send || writes_target(p->opcode)) && p->bytes <= 64 && percent(end, 30))
		wr->send_flags |= IB_SEND_INLINE;
}

/* Fill in the WR for @p. Returns false if its target is not free. */
static bool build(struct end *end, struct posted *p, struct ib_rdma_wr *rdma,
		  struct ib_atomic_wr *atomic, struct ib_sge *sge)
{
	struct ib_send_wr *wr = is_atomic(p->opcode) ? &atomic->wr : &rdma->wr;
	struct area *local = p->opcode == IB_WR_RDMA_READ || is_atomic(p->opcode) ? &end->reads
										  : &end->sends;

	wr->wr_id = end->head;
	wr->opcode = p->opcode;
	wr->sg_list = sge;
	wr->ex.imm_data = cpu_to_be32((u32)p->key);
	if (is_atomic(p->opcode)) {
		foresee_atomic(end, p, atomic);
		sge[0] = (struct ib_sge){(uintptr_t)area_slot(local, p->slot), 8, local->mr->lkey};
		wr->num_sge = 1;
		return true;
	}
	if (p->opcode != IB_WR_SEND && p->opcode != IB_WR_SEND_WITH_IMM) {
		if (!claim_target(end->peer, p))
			return false;
		rdma->remote_addr = area_remote_addr(&end->peer->targets, p->target);
		rdma->rkey = end->peer->targets.mr->rkey;
		if (p->bad_key)
			rdma->rkey ^= 0x100;
	}
	if (p->opcode == IB_WR_RDMA_READ)
		p->key = end->peer->target_key[p->target];
	else
		sim_payload_fill(area_slot(local, p->slot), p->bytes, p->key);
	wr->num_sge = cut(end, local, p->slot, p->bytes, sge);
	return true;
}

static void post_one(struct end *end, enum ib_wr_opcode opcode)
{
	struct posted *p = &end->posted[end->head % END_DEPTH];
	struct ib_rdma_wr rdma = {.rkey = 0};
	struct ib_atomic_wr atomic = {.rkey = 0};
	const struct ib_send_wr *wr, *bad = NULL;
	struct ib_sge sge[MAX_SGE];
	bool solicited, inlined;
	int ret;

	*p = (struct posted){.opcode = opcode, .slot = end->head % END_DEPTH};
	p->bytes = is_atomic(p->opcode) ? 8 : choose_bytes(end);
	p->target = (uint32_t)below(end, is_atomic(p->opcode) ? END_WORDS : END_TARGETS);
	p->key = sim_random(end->conn->run->w);
	p->bad_key = (writes_target(p->opcode) || p->opcode == IB_WR_RDMA_READ) && p->bytes &&
		     end->conn->options.type == IB_QPT_RC &&
		     percent(end, end->conn->options.bad_key_percent);
	if (!build(end, p, &rdma, &atomic, sge))
		return;
	wr = is_atomic(p->opcode) ? &atomic.wr : &rdma.wr;
	choose_flags(end, p, is_atomic(p->opcode) ? &atomic.wr : &rdma.wr);
	solicited = wr->send_flags & IB_SEND_SOLICITED;
	inlined = wr->send_flags & IB_SEND_INLINE;
	/* The peer may see it before the call returns. */
	expect_message(end, p, solicited);
	end->head++;
	if (sim_now_ns(end->conn->run->w) - end->pace_ns >= PACE_NS) {
		end->pace_ns = sim_now_ns(end->conn->run->w);
		end->paced = 0;
	}
	end->paced++;
	ret = ib_post_send(end->qp, wr, &bad);
	if (ret && !end->dead)
		run_fail(end->conn->run, "connection %u: ib_post_send() says %d: %s",
			 end->conn->number, ret, verbena_last_cause());
	if (inlined) /* its bytes were copied, so the buffer is free for anything */
		memset(area_slot(&end->sends, p->slot), 0xee, p->bytes);
}

/*
 * RC waits for its messages to be received. UC loses some, so it must not [rcp 11]; but it completes
 * what it posts at the same moment, and would go on for ever without time.
 */
static bool peer_keeps_up(const struct end *end)
{
	if (end->conn->options.type == IB_QPT_RC)
		return end->message_head - end->message_tail < END_MESSAGES_RC;
	return end->paced < END_DEPTH || sim_now_ns(end->conn->run->w) - end->pace_ns >= PACE_NS;
}

/*
 * When all is to become quiet, a signalled request follows the last unsignalled ones, so that they
 * are judged, too.
 */
static bool may_post(const struct end *end)
{
	return !end->dead && (!end->conn->quiet || end->since_signal) &&
	       end->head - end->tail < END_DEPTH && peer_keeps_up(end);
}

static void post_receive(struct end *end)
{
	struct ib_sge sge[MAX_SGE];
	const struct ib_recv_wr *bad;
	struct ib_recv_wr wr = {.wr_id = end->recv_head, .sg_list = sge};
	int ret;

	wr.num_sge = cut(end, &end->recvs, end->recv_head % END_RECVS,
			 (uint32_t)end->recvs.slot_bytes, sge);
	end->recv_head++;
	ret = end->srq ? ib_post_srq_recv(end->srq, &wr, &bad) : ib_post_recv(end->qp, &wr, &bad);
	if (ret)
		run_fail(end->conn->run, "connection %u: posting a receive says %d",
			 end->conn->number, ret);
}

/* What a lost response of the first holds up is all there before the last one is seen. */
static void post_burst(struct end *end)
{
	if (end->head != end->tail)
		return;
	for (uint64_t left = END_DEPTH; left && may_post(end); left--)
		post_one(end, choose_in_burst(end, left));
}

void end_post(struct end *end)
{
	const bool withhold = percent(end, end->conn->options.withhold_percent);

	if (end->dead || !end->qp)
		return;
	while ((!withhold || end->conn->quiet) && end->recv_head - end->recv_tail < END_RECVS)
		post_receive(end);
	if (end->conn->options.bursts) {
		post_burst(end);
		return;
	}
	for (uint64_t n = 1 + below(end, END_DEPTH); n && may_post(end); n--)
		post_one(end, choose_opcode(end));
}
