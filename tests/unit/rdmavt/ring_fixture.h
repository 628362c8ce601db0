/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Two QPs of which the first one's rings are filled by a process, as librxe does. */
#ifndef TESTS_RDMAVT_RING_FIXTURE_H
#define TESTS_RDMAVT_RING_FIXTURE_H

#include "common/librxe.h"
#include "common/process.h"
#include "qp_fixture.h"
#include "rdmavt/mmap.h"
#include "rdmavt/ring_rxe.h"

/* What the fixture does not have: the process of QP a, and its rings. */
static struct process process;
static struct rxe_queue_buf *rq, *sq;

/* QP a is a process's, QP b the kernel API's. */
static inline int fixture_rings(void **state, enum ib_qp_type type)
{
	const struct ib_qp_init_attr attr = {.qp_type = type, .cap = {7, 7, 2, 2, 0, 0}};
	struct rxe_create_qp_resp answer;
	struct fixture *f;

	if (fixture_device(state, NULL))
		return -1;
	f = *state;
	f->fake->rdi.ibdev.ops.driver_id = RDMA_DRIVER_RXE;
	process_init(&process, &f->fake->rdi.ibdev);
	f->a.udata = process_call(&process, 0, sizeof(answer));
	if (fake_rvt_end_init(&f->a, f->pd, &attr) || fake_rvt_end_init(&f->b, f->pd, &attr)) {
		(void)fixture_down(state);
		return -1;
	}
	memcpy(&answer, process.answer, sizeof(answer));
	rq = process_map(&process, answer.rq_mi.offset, answer.rq_mi.size);
	sq = process_map(&process, answer.sq_mi.offset, answer.sq_mi.size);
	return 0;
}

static inline int connect_ends(void **state)
{
	struct fixture *f = *state;

	if (!fake_rvt_connect(&f->a, &f->b))
		return 0;
	(void)fixture_down(state);
	return -1;
}

static inline int teardown(void **state)
{
	(void)fixture_down(state);
	return process.live ? -1 : 0;
}

static inline struct rxe_sge rxe_sge_of(const struct fixture *f, const void *address, u32 length)
{
	return (struct rxe_sge){
		.addr = (u64)(uintptr_t)address, .length = length, .lkey = f->mr->lkey};
}

/* Into the ring only. */
static inline bool put(struct fixture *f, u64 wr_id, enum ib_wr_opcode opcode, u32 length)
{
	struct rxe_send_wr wr = {.wr_id = wr_id, .opcode = opcode, .send_flags = IB_SEND_SIGNALED};
	const struct rxe_sge sge = rxe_sge_of(f, f->tx, length);

	wr.wr.rdma.remote_addr = (u64)(uintptr_t)f->rx;
	wr.wr.rdma.rkey = f->mr->rkey;
	return librxe_post_send(sq, &wr, &sge, 1);
}

static inline int doorbell(struct fixture *f)
{
	return f->a.qp->device->ops.post_send(f->a.qp, NULL, NULL);
}

static inline bool sq_is_free(void)
{
	return sq->consumer_index == sq->producer_index;
}

#endif
