// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The checkers of a connection: each completion is one that was due, in order, with the right
 * bytes; each error is one that a fault explains.
 */
#include <string.h>

#include "base/cause.h"
#include "sim/end.h"
#include "sim/payload.h"
#include "sim/run.h"

#define POLL_AT_ONCE 8

static void objection(struct end *end, const char *what, const struct ib_wc *wc)
{
	run_fail(end->conn->run,
		 "connection %u.%u, host %u, %s WR %llu: %s (status %d %s, %u bytes, cause %s)",
		 end->conn->number, end->conn->incarnation, end->host,
		 wc->qp == end->qp && (wc->opcode & IB_WC_RECV) ? "receive" : "send",
		 (unsigned long long)wc->wr_id, what, (int)wc->status, ib_wc_status_msg(wc->status),
		 wc->byte_len, base_cause_name(wc->vendor_err));
}

static void note(struct end *end, const struct ib_wc *wc)
{
	const uint64_t seen[] = {
		sim_now_ns(end->conn->run->w), end->conn->number, end->host,	 wc->wr_id,
		(uint64_t)wc->status,	       wc->byte_len,	  wc->vendor_err};

	sim_note(end->conn->run->w, seen, sizeof(seen));
	end->conn->run->result->completions++;
}

/*
 * From the first error on both ends are dying: they post nothing more. Sends that were complete before
 * have their completions behind errors of receives, for the two CQs have no order among them.
 */
static void dies(struct end *end)
{
	end->dead = true;
	end->conn->failed = true;
}

static void release_target(struct end *end, const struct posted *p, bool done)
{
	struct end *peer = end->peer;
	const bool write = p->opcode == IB_WR_RDMA_WRITE || p->opcode == IB_WR_RDMA_WRITE_WITH_IMM;

	if (!write && p->opcode != IB_WR_RDMA_READ)
		return;
	peer->target_users[p->target]--;
	if (!write)
		return;
	peer->target_written[p->target] = false;
	/* Over UC it may still be under way, or lost; nobody reads there. */
	peer->target_known[p->target] = done && end->conn->options.type == IB_QPT_RC;
	if (!peer->target_known[p->target])
		return;
	/* The slot gets fresh bytes: if a packet of this request comes late and writes, READs see it. */
	peer->target_key[p->target] = sim_random(end->conn->run->w);
	sim_payload_fill(area_slot(&peer->targets, p->target), peer->targets.slot_bytes,
			 peer->target_key[p->target]);
}

static const char *judge_result(struct end *end, const struct posted *p)
{
	const uint8_t *bytes;
	uint64_t original;

	switch ((int)p->opcode) {
	case IB_WR_RDMA_READ:
		bytes = area_slot(&end->reads, p->slot);
		break;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		if (end->conn->options.type != IB_QPT_RC)
			return NULL;
		bytes = area_slot(&end->peer->targets, p->target);
		break;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
	case IB_WR_ATOMIC_CMP_AND_SWP:
		memcpy(&original, area_slot(&end->reads, p->slot), sizeof(original));
		return original == p->original ? NULL : "atomic found another value";
	default:
		return NULL;
	}
	return sim_payload_check(bytes, p->bytes, p->key) == p->bytes ? NULL : "wrong bytes";
}

/*
 * WRs before the one that completes: unsignalled ones that went well are told of by it. After the
 * first error there are none, for whatever is flushed has a completion [sm 7.2].
 */
static struct posted *take_up_to(struct end *end, const struct ib_wc *wc)
{
	while (end->tail < end->head && end->tail < wc->wr_id) {
		struct posted *p = &end->posted[end->tail % END_DEPTH];
		const char *wrong = NULL;

		if (p->signalled || end->sends_fail)
			wrong = "a completion before it is missing";
		else if (p->bad_key)
			wrong = "a request with a wrong key went well";
		else
			wrong = judge_result(end, p);
		if (wrong)
			objection(end, wrong, wc);
		release_target(end, p, true);
		end->tail++;
	}
	if (end->tail == end->head || end->tail != wc->wr_id)
		return NULL;
	return &end->posted[end->tail++ % END_DEPTH];
}

/* A request with a wrong key that is not complete: it may have killed the responder by now. */
static bool asks_for_trouble(const struct end *end)
{
	for (uint64_t i = end->tail; i < end->head; i++)
		if (end->posted[i % END_DEPTH].bad_key)
			return true;
	return false;
}

/*
 * The peer's own requests may have used up their RNR retries, and killed it. Over rdmavt's loopback
 * engine that is noticed before the peer has polled the completion that tells of it.
 */
static bool may_be_dead(const struct end *end)
{
	return end->dead || (end->conn->options.rnr_retry < 7 && end->tail != end->head);
}

/*
 * If the NAK that refuses a wrong key is lost, the dead responder does not repeat it: the retries of
 * the oldest request run out [rcp 9.1, 9.15].
 */
static bool is_explained(const struct end *end, const struct posted *p, enum ib_wc_status status)
{
	const struct conn *conn = end->conn;

	switch ((int)status) {
	case IB_WC_RETRY_EXC_ERR:
		return conn->may_fail || may_be_dead(end->peer) || p->bad_key ||
		       asks_for_trouble(end);
	case IB_WC_RNR_RETRY_EXC_ERR:
		return conn->options.rnr_retry < 7;
	case IB_WC_REM_ACCESS_ERR:
		return p->bad_key;
	case IB_WC_WR_FLUSH_ERR:
		return end->dead || conn->failed || asks_for_trouble(end->peer);
	default:
		return false;
	}
}

static void judge_send(struct end *end, const struct ib_wc *wc)
{
	struct posted *p = take_up_to(end, wc);
	const char *wrong = NULL;

	if (!p) {
		objection(end, "not outstanding, or not in order", wc);
		return;
	}
	if (wc->status == IB_WC_SUCCESS) {
		if (end->sends_fail)
			wrong = "went well after an error";
		else if (!p->signalled)
			wrong = "was not signalled";
		else if (p->bad_key)
			wrong = "went well with a wrong key";
		else
			wrong = judge_result(end, p);
	} else if (!is_explained(end, p, wc->status)) {
		wrong = "no fault explains this error";
	} else {
		end->conn->run->result->errors++;
		if (!wc->vendor_err && wc->status != IB_WC_WR_FLUSH_ERR)
			wrong = "an error without a cause";
		end->sends_fail = true;
		dies(end);
	}
	release_target(end, p, wc->status == IB_WC_SUCCESS);
	if (wrong)
		objection(end, wrong, wc);
}

/* UC loses messages: look for the one that this is, and take those before it for lost. */
static const struct message *find_message(struct end *end, const struct ib_wc *wc)
{
	struct end *peer = end->peer;
	const uint64_t slot = wc->wr_id % END_RECVS;

	while (peer->message_tail < peer->message_head) {
		const struct message *m = &peer->messages[peer->message_tail++ % END_MESSAGES];

		if (end->conn->options.type == IB_QPT_RC)
			return m;
		if (m->bytes == wc->byte_len && m->is_write == (wc->opcode != IB_WC_RECV) &&
		    m->with_imm == !!(wc->wc_flags & IB_WC_WITH_IMM) &&
		    (!m->with_imm || wc->ex.imm_data == cpu_to_be32((u32)m->key)) &&
		    (m->is_write || sim_payload_check(area_slot(&end->recvs, (uint32_t)slot),
						      m->bytes, m->key) == m->bytes))
			return m;
	}
	return NULL;
}

static const char *judge_message(struct end *end, const struct ib_wc *wc, const struct message *m)
{
	const uint8_t *bytes = m->is_write
				       ? area_slot(&end->targets, m->target)
				       : area_slot(&end->recvs, (uint32_t)(wc->wr_id % END_RECVS));

	if (wc->byte_len != m->bytes)
		return "wrong length";
	if (m->is_write != (wc->opcode == IB_WC_RECV_RDMA_WITH_IMM))
		return "wrong opcode";
	if (m->with_imm != !!(wc->wc_flags & IB_WC_WITH_IMM))
		return "immediate data missing, or there without reason";
	if (m->with_imm && wc->ex.imm_data != cpu_to_be32((u32)m->key))
		return "wrong immediate data";
	/* A WRITE over UC may be followed by another one before we look. */
	if (m->is_write && end->conn->options.type != IB_QPT_RC)
		return NULL;
	/* Once its requester knows, the target has other bytes; the WRITE was judged then. */
	if (m->is_write &&
	    !(end->target_written[m->target] && end->target_write[m->target] == m->key))
		return NULL;
	return sim_payload_check(bytes, m->bytes, m->key) == m->bytes ? NULL : "wrong bytes";
}

static void judge_receive(struct end *end, const struct ib_wc *wc)
{
	const struct message *m;
	const char *wrong = NULL;

	if (wc->wr_id != end->recv_tail) {
		objection(end, "receive not in order", wc);
		return;
	}
	end->recv_tail++;
	if (wc->status == IB_WC_SUCCESS) {
		m = find_message(end, wc);
		if (m)
			wrong = judge_message(end, wc, m);
		else if (!(end->conn->options.type == IB_QPT_UC && end->conn->run->doubles))
			wrong = "nobody sent this";
	} else if (wc->status == IB_WC_WR_FLUSH_ERR ||
		   (end->conn->options.bad_key_percent && wc->status != IB_WC_SUCCESS)) {
		end->conn->run->result->errors++;
		dies(end);
	} else {
		wrong = "no fault explains this error";
	}
	if (wrong)
		objection(end, wrong, wc);
}

static unsigned int poll_queue(struct end *end, struct ib_cq *cq,
			       void (*judge)(struct end *end, const struct ib_wc *wc))
{
	struct ib_wc wc[POLL_AT_ONCE];
	unsigned int taken = 0;
	int n;

	while ((n = ib_poll_cq(cq, POLL_AT_ONCE, wc)) > 0) {
		for (int i = 0; i < n; i++) {
			note(end, &wc[i]);
			judge(end, &wc[i]);
		}
		taken += (unsigned int)n;
	}
	if (n < 0)
		run_fail(end->conn->run, "ib_poll_cq() says %d", n);
	return taken;
}

unsigned int end_poll(struct end *end)
{
	if (!end->qp)
		return 0;
	return poll_queue(end, end->recv_cq, judge_receive) +
	       poll_queue(end, end->send_cq, judge_send);
}
