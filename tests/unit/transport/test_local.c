// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Requests that make no packet, and their place in the order of all. */
#include "common/test.h"

#include <linux/scatterlist.h>
#include <string.h>

#include "common/test_host.h"

static struct test_pair *begin(void **state, enum ib_qp_type type)
{
	struct test_pair *p = *state;
	const struct test_qp_options options = {.type = type};

	p->wire->hold = true;
	assert_int_equal(test_pair_connect(p, &options, &options), 0);
	return p;
}

static void answer(struct test_pair *p, uint32_t at)
{
	struct tp_run run;

	test_pair_packet(&p->a, &p->b, PKT_RC_ACKNOWLEDGE, at, &run);
	run.aeth.syndrome = 0x1f;
	tp_receive(p->host[0]->port, &run);
}

static struct ib_mr *region(struct test_pair *p)
{
	struct ib_mr *mr = ib_alloc_mr(p->host[0]->pd, IB_MR_TYPE_MEM_REG, 1);
	struct scatterlist sg;

	assert_false(IS_ERR(mr));
	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = ((uintptr_t)p->host[0]->buffer + 4095) & ~(uint64_t)4095;
	sg_dma_len(&sg) = 4096;
	assert_int_equal(ib_map_mr_sg(mr, &sg, 1, NULL, 4096), 1);
	return mr;
}

static int post_reg(struct test_pair *p, struct ib_mr *mr, u64 wr_id, int flags)
{
	const struct ib_reg_wr wr = {
		.wr = {.opcode = IB_WR_REG_MR, .wr_id = wr_id, .send_flags = flags},
		.mr = mr,
		.key = mr->rkey,
		.access = IB_ACCESS_LOCAL_WRITE};

	return ib_post_send(p->a.ib, &wr.wr, NULL);
}

static int post(struct test_pair *p, enum ib_wr_opcode opcode, u64 wr_id, int flags, u32 key)
{
	return test_post_send(&p->a, &(struct test_wr){.opcode = opcode,
						       .wr_id = wr_id,
						       .flags = flags,
						       .imm = key,
						       .remote = p->host[1]});
}

static u64 next_completed(struct test_pair *p)
{
	struct ib_wc wc;

	if (!test_poll(p->a.send_cq, &wc))
		return 0;
	return wc.wr_id + 1000 * (u64)wc.status;
}

/* [rcp 8.1]: completes in its turn, though it was executed at once. */
static void reg_mr__completes_in_order(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_RC);
	struct ib_mr *mr = region(p);

	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 1, 0, 0), 0);
	assert_int_equal(post_reg(p, mr, 2, IB_SEND_SIGNALED), 0);
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 3, 0, 0), 0);
	assert_int_equal(next_completed(p), 0);
	assert_string_equal(test_wire_log(p->wire), "WRITE_ONLY 000000 0A");
	answer(p, 0);
	assert_int_equal(next_completed(p), 1);
	assert_int_equal(next_completed(p), 2);
	assert_string_equal(test_wire_log(p->wire), "WRITE_ONLY 000001 0A"); /* it has no PSN */
	answer(p, 1);
	assert_int_equal(next_completed(p), 3);
	ib_dereg_mr(mr);
}

/* [rcp 8.1]: behind a fence it is executed in its turn, too. */
static void local_inv__waits_for_its_fence(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_RC);
	struct ib_mr *mr = region(p);
	const u32 lkey = mr->lkey;
	struct ib_sge sge = {mr->iova, 8, lkey};
	const struct ib_rdma_wr wr = {.wr = {.opcode = IB_WR_RDMA_WRITE,
					     .wr_id = 5,
					     .sg_list = &sge,
					     .num_sge = 1,
					     .send_flags = IB_SEND_SIGNALED}};

	assert_int_equal(post_reg(p, mr, 1, 0), 0);
	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0);
	assert_int_equal(post(p, IB_WR_LOCAL_INV, 6, IB_SEND_FENCE, mr->rkey), 0);
	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), 0); /* still valid */
	answer(p, 0);
	assert_int_equal(next_completed(p), 5);
	assert_int_equal(next_completed(p), 6);
	assert_int_equal(ib_post_send(p->a.ib, &wr.wr, NULL), -EINVAL);
	answer(p, 1);
	assert_int_equal(next_completed(p), 5);
	ib_dereg_mr(mr);
}

/* What cannot be invalidated ends the queue pair. */
static void local_inv__fails_in_its_turn(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_RC);
	struct ib_mr *mr = region(p);
	const u32 rkey = mr->rkey;
	struct ib_wc wc;

	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 1, 0, 0), 0);
	assert_int_equal(post(p, IB_WR_LOCAL_INV, 2, IB_SEND_FENCE, rkey), 0);
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 3, 0, 0), 0);
	ib_dereg_mr(mr);
	answer(p, 0);
	assert_int_equal(next_completed(p), 1);
	assert_true(test_poll(p->a.send_cq, &wc));
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.status, IB_WC_LOC_PROT_ERR);
	assert_int_not_equal(wc.vendor_err, 0);
	assert_int_equal(next_completed(p), 3 + 1000 * IB_WC_WR_FLUSH_ERR);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_ERR);
}

/* UC the same, but that it may go on (SQE). */
static void local_inv__on_uc(void **state)
{
	struct test_pair *p = begin(state, IB_QPT_UC);
	struct ib_mr *mr = region(p), *gone = region(p);
	const u32 rkey = gone->rkey;

	assert_int_equal(post_reg(p, mr, 1, 0), 0);
	assert_int_equal(post(p, IB_WR_RDMA_WRITE, 2, 0, 0), 0);
	assert_int_equal(post(p, IB_WR_LOCAL_INV, 3, IB_SEND_FENCE, mr->rkey), 0);
	assert_int_equal(post(p, IB_WR_LOCAL_INV, 4, IB_SEND_FENCE, rkey), 0);
	ib_dereg_mr(gone);
	assert_int_equal(next_completed(p), 0);
	test_wire_drop(p->wire);
	assert_int_equal(next_completed(p), 2);
	assert_int_equal(next_completed(p), 3);
	assert_int_equal(next_completed(p), 4 + 1000 * IB_WC_LOC_PROT_ERR);
	assert_int_equal(test_qp_state(&p->a), IB_QPS_SQE);
	ib_dereg_mr(mr);
}

#define T(name) cmocka_unit_test_setup_teardown(name, test_pair_setup, test_pair_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(reg_mr__completes_in_order),
		T(local_inv__waits_for_its_fence),
		T(local_inv__fails_in_its_turn),
		T(local_inv__on_uc),
	};

	return verbena_test_main(tests);
}
