/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Two QPs of one port, connected or not, and buffers for them. */
#ifndef TESTS_RDMAVT_QP_FIXTURE_H
#define TESTS_RDMAVT_QP_FIXTURE_H

#include <rdma/ib_verbs.h>
#include <sys/mman.h>

#include "base/host.h"
#include "common/fake_rvt_driver.h"
#include "common/test.h"

#define BUFFER_BYTES 4096

struct fixture {
	struct fake_rvt *fake;
	struct ib_pd *pd;
	struct fake_rvt_end a;
	struct fake_rvt_end b;
	struct ib_mr *mr; /* of @memory, all rights */
	u8 *memory;	  /* @tx, then @rx */
	u8 *tx;
	u8 *rx;
};

static inline struct rvt_qp *qp_a(const struct fixture *f)
{
	return ibqp_to_rvtqp(f->a.qp);
}

static inline struct rvt_qp *qp_b(const struct fixture *f)
{
	return ibqp_to_rvtqp(f->b.qp);
}

static inline const char *last_cause(void)
{
	static char text[BASE_CAUSE_TEXT_BYTES];

	(void)base_cause_format(base_cause_last(), text, sizeof(text));
	return text;
}

static inline int fixture_down(void **state)
{
	struct fixture *f = *state;

	if (!f)
		return 0;
	fake_rvt_end_exit(&f->a);
	fake_rvt_end_exit(&f->b);
	if (!IS_ERR_OR_NULL(f->mr))
		(void)ib_dereg_mr(f->mr);
	if (!IS_ERR_OR_NULL(f->pd))
		ib_dealloc_pd(f->pd);
	if (f->fake)
		fake_rvt_free(f->fake);
	base_free(f->memory);
	base_free(f);
	*state = NULL;
	return 0;
}

/* A device, a PD, registered buffers with a pattern in tx. */
static inline int fixture_device(void **state, const struct fake_rvt_options *options)
{
	struct fixture *f = base_zalloc(sizeof(*f));

	*state = f;
	if (!f)
		return -1;
	f->memory = base_zalloc(2 * BUFFER_BYTES);
	f->fake = f->memory ? fake_rvt_new(options) : NULL;
	if (!f->fake)
		goto failed;
	f->tx = f->memory;
	f->rx = f->memory + BUFFER_BYTES;
	for (int i = 0; i < BUFFER_BYTES; i++)
		f->tx[i] = (u8)(i * 7 + 1);
	f->pd = ib_alloc_pd(&f->fake->rdi.ibdev, 0);
	if (IS_ERR(f->pd))
		goto failed;
	f->mr = ib_reg_user_mr(
		f->pd, (u64)(uintptr_t)f->memory, 2 * BUFFER_BYTES, (u64)(uintptr_t)f->memory,
		IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
			IB_ACCESS_REMOTE_ATOMIC | IB_ACCESS_FLUSH_GLOBAL);
	if (IS_ERR(f->mr))
		goto failed;
	return 0;
failed:
	print_message("set-up: %s\n", last_cause());
	(void)fixture_down(state);
	return -1;
}

static inline int fixture_bare(void **state)
{
	return fixture_device(state, NULL);
}

/* Two QPs of a type in RESET. */
static inline int fixture_qps(void **state, const struct ib_qp_init_attr *attr)
{
	struct fixture *f;

	if (fixture_device(state, NULL))
		return -1;
	f = *state;
	if (!fake_rvt_end_init(&f->a, f->pd, attr) && !fake_rvt_end_init(&f->b, f->pd, attr))
		return 0;
	print_message("set-up: %s\n", last_cause());
	(void)fixture_down(state);
	return -1;
}

static inline int fixture_connected(void **state, const struct ib_qp_init_attr *attr)
{
	struct fixture *f;

	if (fixture_qps(state, attr))
		return -1;
	f = *state;
	if (!fake_rvt_connect(&f->a, &f->b))
		return 0;
	print_message("set-up: %s\n", last_cause());
	(void)fixture_down(state);
	return -1;
}

static inline int fixture_rc_reset(void **state)
{
	return fixture_qps(state, &(struct ib_qp_init_attr){.qp_type = IB_QPT_RC});
}

static inline int fixture_rc(void **state)
{
	return fixture_connected(state, &(struct ib_qp_init_attr){.qp_type = IB_QPT_RC});
}

static inline int fixture_uc(void **state)
{
	return fixture_connected(state, &(struct ib_qp_init_attr){.qp_type = IB_QPT_UC});
}

static inline struct ib_sge sge_of(const struct fixture *f, const void *address, u32 length)
{
	return (struct ib_sge){
		.addr = (u64)(uintptr_t)address, .length = length, .lkey = f->mr->lkey};
}

/* Post one request of @length bytes from tx. */
static inline int post(struct fixture *f, struct ib_qp *qp, struct ib_rdma_wr wr, u32 length)
{
	struct ib_sge sge = sge_of(f, f->tx, length);

	wr.wr.sg_list = &sge;
	wr.wr.num_sge = 1;
	return ib_post_send(qp, &wr.wr, NULL);
}

static inline int post_send(struct fixture *f, struct ib_qp *qp, u64 wr_id, u32 length)
{
	return post(f, qp, (struct ib_rdma_wr){.wr = {.wr_id = wr_id, .opcode = IB_WR_SEND}},
		    length);
}

/* Post a receive of @length bytes into rx. */
static inline int post_recv(struct fixture *f, struct ib_qp *qp, u64 wr_id, u32 length)
{
	struct ib_sge sge = sge_of(f, f->rx, length);
	const struct ib_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1};

	return ib_post_recv(qp, &wr, NULL);
}

/* A request of @length bytes between tx and the peer's rx. */
static inline struct ib_rdma_wr rdma_of(const struct fixture *f, enum ib_wr_opcode opcode,
					u64 wr_id)
{
	return (struct ib_rdma_wr){.wr = {.wr_id = wr_id, .opcode = opcode},
				   .remote_addr = (u64)(uintptr_t)f->rx,
				   .rkey = f->mr->rkey};
}

static inline int post_atomic(struct fixture *f, struct ib_qp *qp, struct ib_atomic_wr wr)
{
	struct ib_sge sge = sge_of(f, f->tx, 8);

	if (!wr.rkey)
		wr.rkey = f->mr->rkey;
	wr.wr.sg_list = &sge;
	wr.wr.num_sge = 1;
	return ib_post_send(qp, &wr.wr, NULL);
}

/*
 * A region of one page that nobody may touch: NULL without memory. The page stays taken, or
 * something else could be mapped there.
 */
static inline struct ib_mr *unmapped_mr(struct fixture *f)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_mr *mr;

	assert_ptr_not_equal(page, MAP_FAILED);
	mr = ib_reg_user_mr(f->pd, (u64)(uintptr_t)page, 4096, (u64)(uintptr_t)page,
			    IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
				    IB_ACCESS_REMOTE_ATOMIC);
	assert_int_equal(mprotect(page, 4096, PROT_NONE), 0);
	if (IS_ERR(mr))
		return NULL;
	mr->iova = (u64)(uintptr_t)page;
	return mr;
}

/* The next completion must be of this request and status; returns it. */
static inline struct ib_wc expect(struct ib_cq *cq, u64 wr_id, enum ib_wc_status status)
{
	struct ib_wc wc = {0};

	assert_int_equal(fake_rvt_poll(cq, &wc), 1);
	assert_int_equal(wc.wr_id, wr_id);
	assert_int_equal(wc.status, status);
	if (status == IB_WC_SUCCESS)
		assert_int_equal(wc.vendor_err, 0);
	else
		assert_int_not_equal(wc.vendor_err, 0);
	return wc;
}

static inline void expect_none(struct ib_cq *cq)
{
	struct ib_wc wc;

	assert_int_equal(fake_rvt_poll(cq, &wc), 0);
}

static inline bool raised(const struct fake_rvt_end *end, enum ib_event_type event)
{
	return end->events & 1ull << event;
}

static inline enum ib_qp_state state_of(const struct fake_rvt_end *end)
{
	return rvt_qp_state(ibqp_to_rvtqp(end->qp));
}

/* The sentence of a QP's first cause. */
static inline const char *cause_of(const struct fake_rvt_end *end)
{
	static char text[BASE_CAUSE_TEXT_BYTES];

	(void)base_cause_format(&ibqp_to_rvtqp(end->qp)->first_cause, text, sizeof(text));
	return text;
}

#define assert_contains(text, part) assert_non_null(strstr((text), (part)))

#endif
