// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Calls that a program may make at any time, whose effect on the traffic is known. */
#include "sim/chaos.h"

#include <linux/err.h>

#include "base/alloc.h"
#include "base/check.h"

void chaos_kill(struct end *end)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RESET};

	if (!end->qp || end->dead)
		return;
	/* RESET throws everything away without a completion, as the death of a host does. */
	INVARIANT(!ib_modify_qp(end->qp, &attr, IB_QP_STATE));
	end->conn->may_fail = true;
	end->conn->failed = true;
	/* What was in the CQs already stays there [sm 6]: it is judged now. Nothing may follow. */
	end_poll(end);
	end->dead = true;
	end->tail = end->head;
	end->recv_tail = end->recv_head;
}

static uint64_t below(struct end *end, uint64_t bound)
{
	return sim_random_below(end->conn->run->w, bound);
}

static void query(struct end *end)
{
	struct ib_qp_init_attr init;
	struct ib_qp_attr attr;

	if (ib_query_qp(end->qp, &attr, IB_QP_STATE, &init))
		run_fail(end->conn->run, "ib_query_qp() refuses");
	else if (!end->dead && !end->conn->failed && attr.qp_state != IB_QPS_RTS &&
		 attr.qp_state != IB_QPS_SQD)
		run_fail(end->conn->run, "connection %u: the QP is in state %d", end->conn->number,
			 (int)attr.qp_state);
}

/* Drain and go on: nothing may get lost on the way. */
static void drain_and_resume(struct end *end)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_SQD, .en_sqd_async_notify = 1};
	int ret;

	if (end->dead || end->conn->failed)
		return;
	ret = ib_modify_qp(end->qp, &attr, IB_QP_STATE | IB_QP_EN_SQD_ASYNC_NOTIFY);
	if (ret) {
		if (!end->conn->failed)
			run_fail(end->conn->run, "RTS to SQD says %d", ret);
		return;
	}
	sim_run(end->conn->run->w, below(end, 50 * SIM_US));
	attr.qp_state = IB_QPS_RTS;
	ret = ib_modify_qp(end->qp, &attr, IB_QP_STATE);
	if (ret && !end->conn->failed && !end->dead)
		run_fail(end->conn->run, "SQD to RTS says %d", ret);
}

static void register_and_forget(struct end *end)
{
	uint8_t *mem = base_zalloc(4096);
	struct ib_mr *mr;

	if (!mem)
		return;
	mr = ib_reg_user_mr(end->pd, (uintptr_t)mem, 4096, (uintptr_t)mem, IB_ACCESS_LOCAL_WRITE);
	if (IS_ERR(mr))
		run_fail(end->conn->run, "ib_reg_user_mr() says %ld", PTR_ERR(mr));
	else
		INVARIANT(!ib_dereg_mr(mr));
	base_free(mem);
}

/* Refused, and without any effect on the WRs that are queued. */
static void post_nonsense(struct end *end)
{
	struct ib_send_wr wr = {.wr_id = UINT64_MAX, .num_sge = 1000, .opcode = IB_WR_SEND};
	const struct ib_send_wr *bad = NULL;
	const int ret = ib_post_send(end->qp, &wr, &bad);

	if (!ret || bad != &wr)
		run_fail(end->conn->run, "a request with 1000 SGEs: %d, bad_wr %s", ret,
			 bad == &wr ? "set" : "not set");
}

static void modify_illegally(struct end *end)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT};

	if (!ib_modify_qp(end->qp, &attr, IB_QP_STATE))
		run_fail(end->conn->run, "RTS to INIT was not refused");
}

static void make_and_destroy_qp(struct end *end)
{
	struct ib_qp_init_attr attr = {
		.send_cq = end->send_cq,
		.recv_cq = end->recv_cq,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
		.qp_type = IB_QPT_RC};
	struct ib_qp *qp = ib_create_qp(end->pd, &attr);

	if (IS_ERR(qp))
		run_fail(end->conn->run, "ib_create_qp() says %ld", PTR_ERR(qp));
	else
		INVARIANT(!ib_destroy_qp(qp));
}

static void resize(struct end *end)
{
	const int ret = ib_resize_cq(end->send_cq, (int)(END_DEPTH + END_RECVS + below(end, 64)));

	if (ret)
		run_fail(end->conn->run, "ib_resize_cq() says %d", ret);
}

void chaos_call(struct sim_run *run)
{
	static void (*const calls[])(struct end * end) = {
		query,	       drain_and_resume, register_and_forget,
		post_nonsense, modify_illegally, make_and_destroy_qp,
		resize,
	};
	struct conn *conn = &run->conn[sim_random_below(run->w, run->conns)];
	struct end *end = &conn->ends[sim_random_below(run->w, 2)];

	if (end->qp)
		calls[sim_random_below(run->w, sizeof(calls) / sizeof(calls[0]))](end);
}
