// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* RDMA READ and WRITE of scatterlists: one WR, a chain, registrations. */
#include <rdma/rw.h>
#include <string.h>

#include "base/cause.h"
#include "common/fake_provider.h"
#include "common/test.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

#define ENTRIES 6
#define REMOTE 0x70000000ull

static char memory[ENTRIES][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

struct transfer {
	struct fake_provider *fake;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct scatterlist sg[ENTRIES];
	struct rdma_rw_ctx ctx;
	struct ib_cqe cqe;
};

static void undo(struct transfer *t)
{
	if (!IS_ERR_OR_NULL(t->qp))
		assert_int_equal(ib_destroy_qp(t->qp), 0);
	if (!IS_ERR_OR_NULL(t->cq))
		ib_destroy_cq(t->cq);
	if (!IS_ERR_OR_NULL(t->pd))
		ib_dealloc_pd(t->pd);
	fake_provider_free(t->fake);
}

/* A QP with 3 SGEs for a WRITE and 2 for a READ. With @max_sgl_rd it has 2 MRs of 2 pages. */
static int make(void **state, u32 max_sgl_rd)
{
	const struct ib_cq_init_attr cq_attr = {.cqe = 16};
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_RC,
		.port_num = 1,
		.cap = {.max_send_wr = 4, .max_send_sge = 3, .max_rdma_ctxs = 2},
	};
	static struct transfer t;

	memset(&t, 0, sizeof(t));
	*state = &t;
	t.fake = fake_provider_new(NULL);
	if (!t.fake)
		return -1;
	t.fake->ib.attrs.max_sgl_rd = max_sgl_rd;
	t.fake->ib.attrs.max_fast_reg_page_list_len = 2;
	t.pd = ib_alloc_pd(&t.fake->ib, 0);
	t.cq = ib_create_cq(&t.fake->ib, NULL, NULL, NULL, &cq_attr);
	attr.send_cq = t.cq;
	attr.recv_cq = t.cq;
	if (!IS_ERR(t.pd) && !IS_ERR(t.cq))
		t.qp = ib_create_qp(t.pd, &attr);
	if (IS_ERR_OR_NULL(t.qp)) {
		undo(&t);
		return -1;
	}
	t.qp->max_write_sge = 3;
	t.qp->max_read_sge = 2;
	sg_init_table(t.sg, ENTRIES);
	for (int i = 0; i < ENTRIES; i++)
		sg_set_buf(&t.sg[i], memory[i], PAGE_SIZE);
	return 0;
}

static int setup(void **state)
{
	return make(state, 0);
}

static int setup_mrs(void **state)
{
	return make(state, 1);
}

static int teardown(void **state)
{
	undo(*state);
	return 0;
}

static int init(struct transfer *t, u32 count, u32 offset, enum dma_data_direction dir)
{
	return rdma_rw_ctx_init(&t->ctx, t->qp, 1, t->sg, count, offset, REMOTE, 0x1234, dir);
}

static void done(struct transfer *t, u32 count, enum dma_data_direction dir)
{
	rdma_rw_ctx_destroy(&t->ctx, t->qp, 1, t->sg, count, dir);
}

static struct ib_send_wr *wrs(struct transfer *t)
{
	return rdma_rw_ctx_wrs(&t->ctx, t->qp, 1, &t->cqe, NULL);
}

static void rdma_rw_ctx_init__one_entry_is_one_wr(void **state)
{
	struct transfer *t = *state;
	const struct ib_send_wr *wr;

	assert_int_equal(init(t, 1, 100, DMA_TO_DEVICE), 1);
	wr = wrs(t);
	assert_int_equal(wr->opcode, IB_WR_RDMA_WRITE);
	assert_null(wr->next);
	assert_int_equal(wr->num_sge, 1);
	assert_ptr_equal(wr->sg_list[0].addr, memory[0] + 100);
	assert_int_equal(wr->sg_list[0].length, PAGE_SIZE - 100);
	assert_int_equal(wr->sg_list[0].lkey, t->pd->local_dma_lkey);
	assert_true(rdma_wr(wr)->remote_addr == REMOTE);
	assert_int_equal(rdma_wr(wr)->rkey, 0x1234);
	done(t, 1, DMA_TO_DEVICE);
}

static void rdma_rw_ctx_init__a_chain_of_writes(void **state)
{
	struct transfer *t = *state;
	const struct ib_send_wr *wr;

	assert_int_equal(init(t, 6, PAGE_SIZE + 10, DMA_TO_DEVICE), 2);
	wr = wrs(t);
	assert_int_equal(wr->num_sge, 3);
	assert_ptr_equal(wr->sg_list[0].addr, memory[1] + 10);
	assert_int_equal(wr->sg_list[0].length, PAGE_SIZE - 10);
	assert_ptr_equal(wr->sg_list[1].addr, memory[2]);
	assert_int_equal(wr->sg_list[1].length, PAGE_SIZE);
	assert_true(rdma_wr(wr)->remote_addr == REMOTE);
	wr = wr->next;
	assert_non_null(wr);
	assert_int_equal(wr->opcode, IB_WR_RDMA_WRITE);
	assert_int_equal(wr->num_sge, 2);
	assert_ptr_equal(wr->sg_list[0].addr, memory[4]);
	assert_true(rdma_wr(wr)->remote_addr == REMOTE + 3 * PAGE_SIZE - 10);
	assert_null(wr->next);
	done(t, 6, DMA_TO_DEVICE);
}

static void rdma_rw_ctx_init__a_chain_of_reads(void **state)
{
	struct transfer *t = *state;
	int count = 0;

	assert_int_equal(init(t, 6, 0, DMA_FROM_DEVICE), 3);
	for (const struct ib_send_wr *wr = wrs(t); wr; wr = wr->next) {
		assert_int_equal(wr->opcode, IB_WR_RDMA_READ);
		assert_int_equal(wr->num_sge, 2);
		count++;
	}
	assert_int_equal(count, 3);
	done(t, 6, DMA_FROM_DEVICE);
}

static void rdma_rw_ctx_init__refused(void **state)
{
	struct transfer *t = *state;

	assert_int_equal(init(t, 2, 2 * PAGE_SIZE, DMA_TO_DEVICE), -EIO);
	assert_cause(RW_OFFSET);
	assert_int_equal(init(t, 0, 0, DMA_TO_DEVICE), -ENOMEM);
	assert_cause(RW_NOT_MAPPED);
}

/* Of each part: LOCAL_INV if the MR was used, REG_MR, READ. */
static void check_part(struct ib_send_wr **wr, bool was_used, u64 remote, u32 pages)
{
	if (was_used) {
		assert_int_equal((*wr)->opcode, IB_WR_LOCAL_INV);
		*wr = (*wr)->next;
	}
	assert_int_equal((*wr)->opcode, IB_WR_REG_MR);
	assert_int_equal(reg_wr(*wr)->access, IB_ACCESS_LOCAL_WRITE);
	assert_int_equal(reg_wr(*wr)->key, reg_wr(*wr)->mr->lkey);
	assert_int_equal(reg_wr(*wr)->mr->length, pages * PAGE_SIZE);
	*wr = (*wr)->next;
	assert_int_equal((*wr)->opcode, IB_WR_RDMA_READ);
	assert_int_equal((*wr)->num_sge, 1);
	assert_int_equal((*wr)->sg_list[0].length, pages * PAGE_SIZE);
	assert_true(rdma_wr(*wr)->remote_addr == remote);
	*wr = (*wr)->next;
}

static void rdma_rw_ctx_init__reads_through_registrations(void **state)
{
	struct transfer *t = *state;
	struct ib_send_wr *wr;
	u32 lkey;

	assert_int_equal(init(t, 4, 0, DMA_FROM_DEVICE), 4);
	assert_int_equal(t->qp->mrs_used, 2);
	wr = wrs(t);
	lkey = t->ctx.reg[0].mr->lkey;
	check_part(&wr, false, REMOTE, 2);
	check_part(&wr, false, REMOTE + 2 * PAGE_SIZE, 2);
	assert_null(wr);
	done(t, 4, DMA_FROM_DEVICE);
	assert_int_equal(t->qp->mrs_used, 0);

	/* The second use takes the old keys back first, and has new ones. */
	assert_int_equal(init(t, 4, 0, DMA_FROM_DEVICE), 6);
	wr = wrs(t);
	check_part(&wr, true, REMOTE, 2);
	check_part(&wr, true, REMOTE + 2 * PAGE_SIZE, 2);
	assert_null(wr);
	assert_int_not_equal(t->ctx.reg[0].mr->lkey, lkey);
	done(t, 4, DMA_FROM_DEVICE);
}

static void rdma_rw_ctx_init__writes_need_no_registration(void **state)
{
	struct transfer *t = *state;

	assert_int_equal(init(t, 4, 0, DMA_TO_DEVICE), 2);
	assert_int_equal(t->qp->mrs_used, 0);
	done(t, 4, DMA_TO_DEVICE);
}

static void rdma_rw_ctx_init__no_mr_left(void **state)
{
	struct transfer *t = *state;

	assert_int_equal(init(t, 6, 0, DMA_FROM_DEVICE), -EAGAIN);
	assert_cause(RW_NO_MR);
	assert_int_equal(t->qp->mrs_used, 0);
}

static void rdma_rw_ctx_init__gaps_do_not_fit_into_an_mr(void **state)
{
	struct transfer *t = *state;

	sg_set_buf(&t->sg[0], memory[0], 100);
	assert_int_equal(init(t, 4, 0, DMA_FROM_DEVICE), -EINVAL);
	assert_cause(RW_GAPS);
	assert_int_equal(t->qp->mrs_used, 0);
}

static void rdma_rw_ctx_wrs__the_last_one_completes(void **state)
{
	struct transfer *t = *state;
	const struct ib_send_wr *wr;

	assert_int_equal(init(t, 6, 0, DMA_TO_DEVICE), 2);
	wr = wrs(t);
	assert_int_equal(wr->send_flags, 0);
	assert_ptr_equal(wr->next->wr_cqe, &t->cqe);
	assert_int_equal(wr->next->send_flags, IB_SEND_SIGNALED);
	done(t, 6, DMA_TO_DEVICE);
}

static void rdma_rw_ctx_wrs__a_chained_one_completes(void **state)
{
	struct transfer *t = *state;
	struct ib_send_wr send = {.opcode = IB_WR_SEND};
	struct ib_send_wr *wr;

	assert_int_equal(init(t, 1, 0, DMA_TO_DEVICE), 1);
	wr = rdma_rw_ctx_wrs(&t->ctx, t->qp, 1, NULL, &send);
	assert_ptr_equal(wr->next, &send);
	assert_int_equal(wr->send_flags, 0);
	done(t, 1, DMA_TO_DEVICE);
}

static void rdma_rw_ctx_post__posts_the_chain(void **state)
{
	struct transfer *t = *state;

	assert_int_equal(init(t, 6, 0, DMA_TO_DEVICE), 2);
	assert_int_equal(rdma_rw_ctx_post(&t->ctx, t->qp, 1, &t->cqe, NULL), 0);
	assert_int_equal(t->fake->send_wrs, 2);
	t->fake->post_room = 1;
	assert_int_equal(rdma_rw_ctx_post(&t->ctx, t->qp, 1, &t->cqe, NULL), -ENOMEM);
	done(t, 6, DMA_TO_DEVICE);
}

static void rdma_rw_ctx_destroy__gives_everything_back(void **state)
{
	struct transfer *t = *state;
	const size_t blocks = base_alloc_live();

	assert_int_equal(init(t, 4, 0, DMA_FROM_DEVICE), 4);
	assert_int_equal(base_alloc_live(), blocks + 1);
	done(t, 4, DMA_FROM_DEVICE);
	assert_int_equal(base_alloc_live(), blocks);
	assert_int_equal(init(t, 6, 0, DMA_TO_DEVICE), 2);
	assert_int_equal(base_alloc_live(), blocks + 2);
	done(t, 6, DMA_TO_DEVICE);
	assert_int_equal(base_alloc_live(), blocks);
}

static void rdma_rw_init_qp__room_for_the_wrs_of_each_context(void **state)
{
	struct ib_qp_init_attr attr = {.port_num = 1};
	struct transfer *t = *state;

	t->fake->ib.attrs.max_qp_wr = 1000;
	attr.cap.max_send_wr = 10;
	attr.cap.max_rdma_ctxs = 20;
	rdma_rw_init_qp(&t->fake->ib, &attr);
	assert_int_equal(attr.cap.max_send_wr, 30);
	t->fake->ib.attrs.max_sgl_rd = 1;
	attr.cap.max_send_wr = 10;
	rdma_rw_init_qp(&t->fake->ib, &attr);
	assert_int_equal(attr.cap.max_send_wr, 70);
	t->fake->ib.attrs.max_qp_wr = 50;
	rdma_rw_init_qp(&t->fake->ib, &attr);
	assert_int_equal(attr.cap.max_send_wr, 50);
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define MRS(name) cmocka_unit_test_setup_teardown(name, setup_mrs, teardown)
	T(rdma_rw_ctx_init__one_entry_is_one_wr),
	T(rdma_rw_ctx_init__a_chain_of_writes),
	T(rdma_rw_ctx_init__a_chain_of_reads),
	T(rdma_rw_ctx_init__refused),
	MRS(rdma_rw_ctx_init__reads_through_registrations),
	MRS(rdma_rw_ctx_init__writes_need_no_registration),
	MRS(rdma_rw_ctx_init__no_mr_left),
	MRS(rdma_rw_ctx_init__gaps_do_not_fit_into_an_mr),
	T(rdma_rw_ctx_wrs__the_last_one_completes),
	T(rdma_rw_ctx_wrs__a_chained_one_completes),
	T(rdma_rw_ctx_post__posts_the_chain),
	MRS(rdma_rw_ctx_destroy__gives_everything_back),
	T(rdma_rw_init_qp__room_for_the_wrs_of_each_context),
};

int main(void)
{
	return verbena_test_main(tests);
}
