// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* librxe's rings: sizes, completions, receive requests, answers; and garbage in them. */
#include "rdmavt/ring_rxe.h"

#include "base/umem.h"
#include "common/librxe.h"
#include "common/process.h"
#include "common/rvt_bare.h"
#include "rdmavt/mmap.h"
#include "rdmavt/ring_rxe.c"

struct fixture {
	struct bare *b;
	struct process p;
	struct rvt_ring *ring;
	struct rxe_queue_buf *q;
};

static int setup(void **state)
{
	struct fixture *f = bare_fixture_new(sizeof(*f));

	if (!f)
		return -1;
	f->b->rdi.ibdev.ops.driver_id = RDMA_DRIVER_RXE;
	rvt_mmap_init(&f->b->rdi);
	process_init(&f->p, &f->b->rdi.ibdev);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	unsigned int live;

	rvt_ring_delete(f->ring);
	live = f->p.live;
	bare_fixture_free(f);
	return live ? -1 : 0;
}

static void make(struct fixture *f, const struct rvt_ring_ops *ops, enum rvt_ring_kind kind,
		 u32 capacity, u32 max_sge)
{
	const struct rvt_ring like = {.ops = ops,
				      .rdi = &f->b->rdi,
				      .kind = kind,
				      .capacity = capacity,
				      .max_sge = max_sge};
	struct rvt_ring *ring = rvt_ring_new(&like, process_call(&f->p, 0, 0));

	assert_false(IS_ERR(ring));
	f->ring = ring;
	f->q = process_map(&f->p, ring->ip->offset, ring->ip->size);
	assert_non_null(f->q);
}

static void unmake(struct fixture *f)
{
	rvt_ring_delete(f->ring);
	f->ring = NULL;
}

static bool enter(struct fixture *f, u64 wr_id)
{
	const struct ib_wc wc = {.wr_id = wr_id, .status = IB_WC_REM_ACCESS_ERR, .byte_len = 9};

	return f->ring->ops->produce(f->ring, &wc);
}

static void rvt_ring_rxe_capacity__is_one_less_than_a_power_of_two(void **state)
{
	(void)state;
	assert_int_equal(rvt_ring_rxe_capacity(0), 0);
	assert_int_equal(rvt_ring_rxe_capacity(1), 1);
	assert_int_equal(rvt_ring_rxe_capacity(2), 3);
	assert_int_equal(rvt_ring_rxe_capacity(3), 3);
	assert_int_equal(rvt_ring_rxe_capacity(4), 7);
	assert_int_equal(rvt_ring_rxe_capacity(32767), 32767);
}

static void rvt_ring_rxe_round_caps__sges_and_inline_data_share_room(void **state)
{
	struct ib_qp_cap cap = {.max_send_wr = 10, .max_recv_wr = 5, .max_send_sge = 1};

	(void)state;
	cap.max_recv_sge = 3;
	rvt_ring_rxe_round_caps(&cap, false);
	assert_int_equal(cap.max_send_wr, 15);
	assert_int_equal(cap.max_recv_wr, 7);
	assert_int_equal(cap.max_send_sge, 1);
	assert_int_equal(cap.max_inline_data, 16);
	assert_int_equal(cap.max_recv_sge, 3);
	cap = (struct ib_qp_cap){.max_send_sge = 2, .max_inline_data = 60};
	rvt_ring_rxe_round_caps(&cap, true);
	assert_int_equal(cap.max_send_sge, 4);
	assert_int_equal(cap.max_inline_data, 64);
	assert_int_equal(cap.max_recv_wr, 0);
}

static void rvt_ring_rxe_init__header_and_size(void **state)
{
	struct fixture *f = *state;

	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 4, 0);
	assert_int_equal(f->q->index_mask, 7);
	assert_int_equal(f->q->log2_elem_size, 6);
	assert_int_equal(f->ring->capacity, 7);
	assert_int_equal(f->ring->ip->size, PAGE_SIZE); /* 384 + 8 * 64, up to a page */
	assert_int_equal(f->q->producer_index | f->q->consumer_index, 0);
	unmake(f);
	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 2); /* 40 + 2 * 16 bytes */
	assert_int_equal(f->q->log2_elem_size, 7);
	unmake(f);
	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 1); /* 56 */
	assert_int_equal(f->q->log2_elem_size, 6);
}

static void rvt_ring_rxe_init__more_than_there_can_be(void **state)
{
	struct fixture *f = *state;
	const struct rvt_ring like = {.ops = &rvt_ring_rxe_cq_ops,
				      .rdi = &f->b->rdi,
				      .kind = RVT_RING_CQ,
				      .capacity = UINT32_MAX / 2};

	assert_int_equal(PTR_ERR(rvt_ring_new(&like, process_call(&f->p, 0, 0))), -ENOMEM);
	assert_cause(NO_MEMORY);
	f->p.no_memory = true;
	assert_int_equal(PTR_ERR(rvt_ring_new(&(struct rvt_ring){.ops = &rvt_ring_rxe_rq_ops,
								 .rdi = &f->b->rdi,
								 .capacity = 3},
					      process_call(&f->p, 0, 0))),
			 -ENOMEM);
}

/* Completions */

static void cq__entries_go_around_the_ring(void **state)
{
	struct fixture *f = *state;
	struct ib_uverbs_wc wc;

	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 3, 0);
	for (u64 i = 0; i < 10; i++) {
		assert_true(enter(f, 2 * i));
		assert_true(enter(f, 2 * i + 1));
		assert_int_equal(f->ring->ops->count(f->ring), 2);
		assert_true(librxe_poll(f->q, &wc));
		assert_int_equal(wc.wr_id, 2 * i);
		assert_int_equal(wc.status, IB_WC_REM_ACCESS_ERR);
		assert_int_equal(wc.byte_len, 9);
		assert_true(librxe_poll(f->q, &wc));
		assert_int_equal(wc.wr_id, 2 * i + 1);
		assert_false(librxe_poll(f->q, &wc));
		assert_int_equal(f->ring->ops->count(f->ring), 0);
	}
}

static void cq__one_slot_stays_empty(void **state)
{
	struct fixture *f = *state;

	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 3, 0);
	for (u64 i = 0; i < 3; i++)
		assert_true(enter(f, i));
	assert_false(enter(f, 3));
	assert_int_equal(f->ring->ops->count(f->ring), 3);
}

static void cq__garbage_in_the_header(void **state)
{
	struct fixture *f = *state;

	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 3, 0);
	memset(f->q, 0xff, sizeof(*f->q));
	for (unsigned int i = 0; i < 10; i++) { /* consumer 3 */
		(void)enter(f, i);
		assert_in_range(f->ring->ops->count(f->ring), 0, 3);
	}
	assert_int_equal(f->q->producer_index, 2); /* ours, masked */
}

static void cq__resize_moves_the_entries(void **state)
{
	struct fixture *f = *state;
	struct rvt_ring *old, *fresh;
	struct ib_uverbs_wc wc;

	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 7, 0);
	for (u64 i = 0; i < 7; i++)
		assert_true(enter(f, i));
	for (u64 i = 0; i < 4; i++)
		assert_true(librxe_poll(f->q, &wc));
	assert_true(enter(f, 7)); /* 4 5 6 7, around the end */
	old = f->ring;
	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 3, 0);
	fresh = f->ring;
	assert_int_equal(old->ops->resize(old, fresh), -EINVAL);
	assert_cause(CQ_RESIZE);
	rvt_ring_delete(fresh);
	f->ring = old;
	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 4, 0);
	assert_int_equal(old->ops->resize(old, f->ring), 0);
	rvt_ring_delete(old);
	assert_true(enter(f, 8));
	for (u64 i = 4; i < 9; i++) {
		assert_true(librxe_poll(f->q, &wc));
		assert_int_equal(wc.wr_id, i);
	}
	assert_false(librxe_poll(f->q, &wc));
}

static void cq__tells_where_it_is(void **state)
{
	struct fixture *f = *state;
	struct rxe_create_cq_resp answer;

	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 7, 0);
	assert_int_equal(f->ring->ops->tell(f->ring, process_call(&f->p, 0, sizeof(answer))), 0);
	memcpy(&answer, f->p.answer, sizeof(answer));
	assert_int_equal(answer.mi.offset, f->ring->ip->offset);
	assert_int_equal(answer.mi.size, f->ring->ip->size);
	assert_int_equal(answer.mi.pad, 0);
	assert_int_equal(f->ring->ops->tell(f->ring, process_call(&f->p, 0, 15)), -EINVAL);
	assert_cause(RING_UDATA);
	assert_int_equal(f->ring->ops->tell(f->ring, process_call(&f->p, 1, 16)), -EINVAL);
}

/* Receive requests */

static const struct rvt_rwqe *next_receive(struct fixture *f)
{
	const struct rvt_rwqe *wqe = f->ring->ops->peek(f->ring);

	if (wqe)
		f->ring->ops->consume(f->ring);
	return wqe;
}

static void rq__requests_come_in_order(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge sges[2] = {{0x1000, 5, 7}, {0x2000, 6, 8}};
	const struct rvt_rwqe *wqe;

	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 2);
	assert_null(f->ring->ops->peek(f->ring));
	for (u64 i = 0; i < 10; i++) {
		assert_true(librxe_post_recv(f->q, i, sges, 2));
		assert_true(librxe_post_recv(f->q, 100 + i, NULL, 0));
		assert_int_equal(f->ring->ops->count(f->ring), 2);
		assert_ptr_equal(f->ring->ops->peek(f->ring), f->ring->ops->peek(f->ring));
		wqe = next_receive(f);
		assert_int_equal(wqe->wr_id, i);
		assert_int_equal(wqe->num_sge, 2);
		assert_memory_equal(wqe->sg_list, sges, sizeof(sges));
		wqe = next_receive(f);
		assert_int_equal(wqe->wr_id, 100 + i);
		assert_int_equal(wqe->num_sge, 0);
		assert_int_equal(f->q->consumer_index, f->q->producer_index);
	}
}

/* What was peeked is ours: the process can write to its slot as it likes. */
static void rq__entry_is_a_copy(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge sge = {0x1000, 5, 7};
	const struct rvt_rwqe *wqe;

	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 1);
	assert_true(librxe_post_recv(f->q, 1, &sge, 1));
	wqe = f->ring->ops->peek(f->ring);
	memset(librxe_slot(f->q, 0), 0xff, 64);
	assert_int_equal(wqe->wr_id, 1);
	assert_int_equal(wqe->num_sge, 1);
	assert_int_equal(wqe->sg_list[0].length, 5);
}

static void rq__garbage_in_header_and_entry(void **state)
{
	struct fixture *f = *state;
	const struct rvt_rwqe *wqe;

	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 1);
	memset(f->q, 0xff, f->ring->ip->size); /* producer 3 */
	assert_int_equal(f->ring->ops->count(f->ring), 3);
	for (unsigned int i = 0; i < 3; i++) {
		wqe = next_receive(f);
		assert_non_null(wqe);
		assert_int_equal(wqe->num_sge, U8_MAX); /* too many for any queue */
	}
	assert_null(next_receive(f));
	f->q->producer_index = 0x80000001;
	assert_int_equal(f->ring->ops->count(f->ring), 2);
	f->ring->ops->drop(f->ring);
	assert_int_equal(f->ring->ops->count(f->ring), 0);
	assert_int_equal(f->q->consumer_index, 1);
}

static void rq__resize_moves_the_requests(void **state)
{
	struct fixture *f = *state;
	struct rvt_ring *old;

	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 7, 1);
	for (u64 i = 0; i < 6; i++)
		assert_true(librxe_post_recv(f->q, i, NULL, 0));
	for (u64 i = 0; i < 5; i++)
		assert_int_equal(next_receive(f)->wr_id, i);
	for (u64 i = 6; i < 9; i++)
		assert_true(librxe_post_recv(f->q, i, NULL, 0));
	old = f->ring;
	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 1);
	assert_int_equal(old->ops->resize(old, f->ring), -EINVAL);
	assert_cause(SRQ_RESIZE);
	unmake(f);
	f->ring = old;
	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 15, 1);
	assert_int_equal(old->ops->resize(old, f->ring), 0);
	rvt_ring_delete(old);
	assert_true(librxe_post_recv(f->q, 9, NULL, 0));
	for (u64 i = 5; i < 10; i++)
		assert_int_equal(next_receive(f)->wr_id, i);
	assert_null(next_receive(f));
}

/* Answers */

static void rvt_ring_rxe_tell_qp__both_rings(void **state)
{
	struct fixture *f = *state;
	struct rxe_create_qp_resp answer;
	struct rvt_ring *rq;

	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 1);
	rq = f->ring;
	make(f, &rvt_ring_rxe_cq_ops, RVT_RING_CQ, 3, 1);
	assert_int_equal(rvt_ring_rxe_tell_qp(rq, f->ring, process_call(&f->p, 0, sizeof(answer))),
			 0);
	memcpy(&answer, f->p.answer, sizeof(answer));
	assert_int_equal(answer.rq_mi.offset, rq->ip->offset);
	assert_int_equal(answer.sq_mi.offset, f->ring->ip->offset);
	assert_int_equal(answer.sq_mi.size, f->ring->ip->size);
	assert_int_equal(
		rvt_ring_rxe_tell_qp(NULL, f->ring, process_call(&f->p, 0, sizeof(answer))), 0);
	memcpy(&answer, f->p.answer, sizeof(answer));
	assert_int_equal(answer.rq_mi.offset | answer.rq_mi.size, 0);
	rvt_ring_delete(rq);
}

static void rvt_ring_rxe_tell_srq__with_its_number(void **state)
{
	struct fixture *f = *state;
	struct rxe_create_srq_resp answer;

	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 1);
	assert_int_equal(rvt_ring_rxe_tell_srq(f->ring, 5, process_call(&f->p, 0, sizeof(answer))),
			 0);
	memcpy(&answer, f->p.answer, sizeof(answer));
	assert_int_equal(answer.mi.offset, f->ring->ip->offset);
	assert_int_equal(answer.srq_num, 5);
	assert_int_equal(answer.reserved, 0);
}

static void rvt_ring_rxe_tell_resized_srq__where_the_request_says(void **state)
{
	struct fixture *f = *state;
	struct mminfo answer = {0};
	struct rxe_modify_srq_cmd request = {.mmap_info_addr = (u64)(uintptr_t)&answer};
	struct ib_udata *udata;

	make(f, &rvt_ring_rxe_rq_ops, RVT_RING_RQ, 3, 1);
	udata = process_call(&f->p, sizeof(request), 0);
	memcpy(f->p.request, &request, sizeof(request));
	assert_int_equal(rvt_ring_rxe_tell_resized_srq(f->ring, udata), 0);
	assert_int_equal(answer.offset, f->ring->ip->offset);
	assert_int_equal(answer.size, f->ring->ip->size);
	assert_int_equal(base_umem_init(), 0);
	request.mmap_info_addr = 8;
	memcpy(f->p.request, &request, sizeof(request));
	assert_int_equal(rvt_ring_rxe_tell_resized_srq(f->ring, udata), -EFAULT);
	assert_cause(UDATA_FAULT);
	assert_int_equal(rvt_ring_rxe_tell_resized_srq(f->ring, process_call(&f->p, 4, 0)),
			 -EINVAL);
	assert_cause(RING_UDATA);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	cmocka_unit_test(rvt_ring_rxe_capacity__is_one_less_than_a_power_of_two),
	cmocka_unit_test(rvt_ring_rxe_round_caps__sges_and_inline_data_share_room),
	TEST(rvt_ring_rxe_init__header_and_size),
	TEST(rvt_ring_rxe_init__more_than_there_can_be),
	TEST(cq__entries_go_around_the_ring),
	TEST(cq__one_slot_stays_empty),
	TEST(cq__garbage_in_the_header),
	TEST(cq__resize_moves_the_entries),
	TEST(cq__tells_where_it_is),
	TEST(rq__requests_come_in_order),
	TEST(rq__entry_is_a_copy),
	TEST(rq__garbage_in_header_and_entry),
	TEST(rq__resize_moves_the_requests),
	TEST(rvt_ring_rxe_tell_qp__both_rings),
	TEST(rvt_ring_rxe_tell_srq__with_its_number),
	TEST(rvt_ring_rxe_tell_resized_srq__where_the_request_says),
};

int main(void)
{
	return verbena_test_main(tests);
}
