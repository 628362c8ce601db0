// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Connections: their objects, their memory, and what their application does when. */
#include "sim/end.h"

#include <errno.h>
#include <linux/err.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "sim/payload.h"
#include "sim/run.h"
#include "verbena/verbena.h"

#define QUIET_TICK_NS (50 * SIM_US)
#define LOCAL IB_ACCESS_LOCAL_WRITE
#define REMOTE (LOCAL | IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

/* An @iova of 0 stands for the address that the memory has. */
static int area_open(struct ib_pd *pd, struct area *area, uint32_t slots, size_t slot_bytes,
		     uint64_t iova, int access)
{
	area->slots = slots;
	area->slot_bytes = (slot_bytes + 7) & ~(size_t)7; /* atomics want it so */
	slot_bytes = area->slot_bytes;
	area->bytes = END_GUARD + slots * (slot_bytes + END_GUARD);
	area->mem = base_zalloc(area->bytes);
	if (!area->mem)
		return -ENOMEM;
	memset(area->mem, END_GUARD_BYTE, area->bytes);
	area->iova = iova ? iova : (uintptr_t)area->mem;
	/* The outer guards are not in the MR, the inner ones are. */
	area->mr = ib_reg_user_mr(pd, (uintptr_t)area->mem + END_GUARD, area->bytes - 2 * END_GUARD,
				  area->iova + END_GUARD, access);
	if (!IS_ERR(area->mr))
		return 0;
	base_free(area->mem);
	area->mem = NULL;
	return (int)PTR_ERR(area->mr);
}

static void area_close(struct area *area)
{
	if (!area->mem)
		return;
	INVARIANT(!ib_dereg_mr(area->mr));
	base_free(area->mem);
	area->mem = NULL;
}

static bool guards_are_whole(const struct area *area)
{
	for (uint32_t i = 0; i <= area->slots; i++) {
		const uint8_t *guard = area->mem + i * (area->slot_bytes + END_GUARD);

		for (size_t b = 0; b < END_GUARD; b++)
			if (guard[b] != END_GUARD_BYTE)
				return false;
	}
	return true;
}

static void check_end_guards(struct end *end)
{
	const struct area *areas[] = {&end->sends, &end->recvs, &end->targets, &end->reads,
				      &end->words};
	static const char *const names[] = {"send", "receive", "target", "read", "atomic"};

	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++)
		if (areas[i]->mem && !guards_are_whole(areas[i]))
			run_fail(end->conn->run,
				 "connection %u, host %u: bytes between the %s slots were written",
				 end->conn->number, end->host, names[i]);
}

void conn_check_guards(struct conn *conn)
{
	check_end_guards(&conn->ends[0]);
	check_end_guards(&conn->ends[1]);
}

static void on_event(struct ib_event *event, void *context)
{
	struct end *end = context;
	const uint32_t seen[] = {end->conn->number, end->host, (uint32_t)event->event};

	sim_note(end->conn->run->w, seen, sizeof(seen));
	if (event->event == IB_EVENT_SQ_DRAINED)
		end->drained_event = true;
	if (event->event == IB_EVENT_CQ_ERR)
		run_fail(end->conn->run, "connection %u: a CQ overflowed", end->conn->number);
}

static void poll_and_post(struct end *end)
{
	end_poll(end);
	if (!end->conn->failed)
		end_post(end);
}

/* The application of this end: looks in on its CQs at its own pace. */
static void on_tick(struct base_timer *timer)
{
	struct end *end = container_of(timer, struct end, tick);
	struct conn *conn = end->conn;
	const uint64_t every = conn->quiet ? QUIET_TICK_NS : conn->options.poll_every_ns;

	poll_and_post(end);
	if (end->qp)
		base_timer_arm(&end->tick, every / 2 + sim_random_below(conn->run->w, every));
}

static void on_completion(struct ib_cq *cq, void *context)
{
	struct end *end = context;

	end->armed = false;
	/* Sends over UC complete at once: posting here would go on for ever at the same moment. */
	if (end->conn->options.type == IB_QPT_UC)
		end_poll(end);
	else
		poll_and_post(end);
	if (!end->conn->failed && !end->armed) {
		end->armed = true;
		/* Entries that came since the poll raise no event: look again [missed events]. */
		if (ib_req_notify_cq(end->send_cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) |
		    ib_req_notify_cq(end->recv_cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS))
			base_timer_arm(&end->tick, SIM_US);
	}
	(void)cq;
}

static int create_cqs(struct end *end)
{
	const struct ib_cq_init_attr attr = {.cqe = END_DEPTH + END_RECVS};

	end->send_cq = ib_create_cq(end->device, on_completion, on_event, end, &attr);
	if (IS_ERR(end->send_cq))
		return (int)PTR_ERR(end->send_cq);
	end->recv_cq = ib_create_cq(end->device, on_completion, on_event, end, &attr);
	return PTR_ERR_OR_ZERO(end->recv_cq);
}

static int create_srq(struct end *end)
{
	struct ib_srq_init_attr attr = {.event_handler = on_event,
					.srq_context = end,
					.attr = {.max_wr = END_RECVS, .max_sge = 4}};

	end->srq = ib_create_srq(end->pd, &attr);
	return PTR_ERR_OR_ZERO(end->srq);
}

static int create_qp(struct end *end)
{
	const struct conn_options *o = &end->conn->options;
	struct ib_qp_init_attr attr = {
		.event_handler = on_event,
		.qp_context = end,
		.send_cq = end->send_cq,
		.recv_cq = end->recv_cq,
		.srq = end->srq,
		.cap = {.max_send_wr = END_DEPTH,
			.max_recv_wr = end->srq ? 0 : END_RECVS,
			.max_send_sge = 4,
			.max_recv_sge = end->srq ? 0 : 4,
			.max_inline_data = 64},
		.sq_sig_type = o->signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = o->type,
	};

	end->qp = ib_create_qp(end->pd, &attr);
	return PTR_ERR_OR_ZERO(end->qp);
}

/* For addresses that go over the wire: those of this process's memory differ from run to run. */
static uint64_t choose_iova(struct end *end)
{
	return (1 + sim_random_below(end->conn->run->w, 1u << 31)) << 32;
}

static int create_areas(struct end *end)
{
	const size_t bytes = end->conn->options.max_bytes;
	int ret = area_open(end->pd, &end->sends, END_DEPTH, bytes, 0, 0);

	if (!ret)
		ret = area_open(end->pd, &end->recvs, END_RECVS, bytes, 0, LOCAL);
	if (!ret)
		ret = area_open(end->pd, &end->targets, END_TARGETS, bytes, choose_iova(end),
				REMOTE);
	if (!ret)
		ret = area_open(end->pd, &end->reads, END_DEPTH, bytes, 0, LOCAL);
	if (!ret)
		ret = area_open(end->pd, &end->words, END_WORDS, sizeof(uint64_t), choose_iova(end),
				REMOTE);
	return ret;
}

/* Pointers may be errors where creation stopped there. */
static bool exists(const void *object)
{
	return !IS_ERR_OR_NULL(object);
}

static void end_close(struct end *end)
{
	base_timer_disarm_sync(&end->tick);
	if (exists(end->qp))
		INVARIANT(!ib_destroy_qp(end->qp));
	if (exists(end->srq))
		ib_destroy_srq(end->srq);
	if (exists(end->recv_cq))
		ib_destroy_cq(end->recv_cq);
	if (exists(end->send_cq))
		ib_destroy_cq(end->send_cq);
	area_close(&end->sends);
	area_close(&end->recvs);
	area_close(&end->targets);
	area_close(&end->reads);
	area_close(&end->words);
	if (exists(end->pd))
		ib_dealloc_pd(end->pd);
	end->qp = NULL;
	end->srq = NULL;
	end->send_cq = end->recv_cq = NULL;
	end->pd = NULL;
}

static void forget_expectations(struct end *end)
{
	end->head = end->tail = 0;
	end->message_head = end->message_tail = 0;
	end->recv_head = end->recv_tail = 0;
	end->since_signal = 0;
	end->dead = end->sends_fail = end->armed = end->drained_event = false;
	for (uint32_t i = 0; i < END_TARGETS; i++) {
		end->target_key[i] = sim_random(end->conn->run->w);
		end->target_known[i] = true;
		end->target_users[i] = 0;
		end->target_written[i] = false;
		sim_payload_fill(area_slot(&end->targets, i), end->targets.slot_bytes,
				 end->target_key[i]);
	}
	for (uint32_t i = 0; i < END_WORDS; i++) {
		end->word_value[i] = sim_random(end->conn->run->w);
		memcpy(area_slot(&end->words, i), &end->word_value[i], sizeof(uint64_t));
	}
}

static int end_open(struct end *end, struct conn *conn, unsigned int host)
{
	int ret;

	end->conn = conn;
	end->host = host;
	end->device = sim_device(conn->run->w, host);
	base_timer_init(&end->tick, on_tick);
	end->pd = ib_alloc_pd(end->device, 0);
	if (IS_ERR(end->pd))
		return (int)PTR_ERR(end->pd);
	ret = create_cqs(end);
	if (!ret && conn->options.srq)
		ret = create_srq(end);
	if (!ret)
		ret = create_qp(end);
	if (!ret)
		ret = create_areas(end);
	if (!ret)
		forget_expectations(end);
	return ret;
}

/* Each direction has PSNs of its own, so that one cannot be taken for the other's. */
static int connect_ends(struct conn *conn)
{
	const struct conn_options *o = &conn->options;
	const struct verbena_connect_options options = {
		.mtu = o->mtu,
		.timeout = o->timeout,
		.retry_cnt = (uint8_t)(o->retry_cnt + 1),
		.rnr_retry = (uint8_t)(o->rnr_retry + 1),
		.min_rnr_timer = o->min_rnr_timer,
		.rd_atomic = o->rd_atomic,
		.sq_psn_a = o->first_psn,
		.sq_psn_b = (o->first_psn + 1) & 0xffffff,
	};

	return verbena_qp_connect(conn->ends[0].qp, conn->ends[1].qp, &options);
}

static void start_application(struct end *end)
{
	if (end->conn->options.by_events) {
		end->armed = true;
		ib_req_notify_cq(end->send_cq, IB_CQ_NEXT_COMP);
		ib_req_notify_cq(end->recv_cq, IB_CQ_NEXT_COMP);
	}
	base_timer_arm(&end->tick, 1 + sim_random_below(end->conn->run->w, 5 * SIM_US));
}

static int open_both(struct conn *conn, unsigned int host_a, unsigned int host_b)
{
	int ret;

	conn->failed = false;
	conn->may_fail = false;
	conn->ends[0].peer = &conn->ends[1];
	conn->ends[1].peer = &conn->ends[0];
	ret = end_open(&conn->ends[0], conn, host_a);
	if (!ret)
		ret = end_open(&conn->ends[1], conn, host_b);
	if (!ret)
		ret = connect_ends(conn);
	if (ret) {
		conn_close(conn);
		return ret;
	}
	start_application(&conn->ends[0]);
	start_application(&conn->ends[1]);
	return 0;
}

int conn_open(struct sim_run *run, struct conn *conn, unsigned int number,
	      const struct conn_options *options, unsigned int host_a, unsigned int host_b)
{
	conn->run = run;
	conn->number = number;
	conn->options = *options;
	return open_both(conn, host_a, host_b);
}

void conn_close(struct conn *conn)
{
	end_close(&conn->ends[0]);
	end_close(&conn->ends[1]);
}

int conn_reopen(struct conn *conn)
{
	conn_check_guards(conn);
	conn_close(conn);
	conn->incarnation++;
	conn->options.first_psn = (uint32_t)sim_random_below(conn->run->w, 1u << 24);
	return open_both(conn, conn->ends[0].host, conn->ends[1].host);
}

bool conn_is_idle(const struct conn *conn)
{
	for (int e = 0; e < 2; e++) {
		const struct end *end = &conn->ends[e];

		if (end->head != end->tail)
			return false;
		if (conn->options.type == IB_QPT_RC && end->message_head != end->message_tail)
			return false;
	}
	return true;
}
