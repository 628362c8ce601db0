// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* From an entry of librxe's send ring to a work request; and garbage in its place. */
#include "common/librxe.h"
#include "common/process.h"
#include "common/rvt_bare.h"
#include "rdmavt/mmap.h"
#include "rdmavt/ring_rxe_sq.c"

#define CAPACITY 3u
#define MAX_SGE 2u
#define ROOM_BYTES 32u

struct fixture {
	struct bare *b;
	struct process p;
	struct rvt_ring *ring;
	struct rxe_queue_buf *q;
};

static int setup_kind(void **state, bool datagrams)
{
	struct fixture *f = base_zalloc(sizeof(*f));
	struct rvt_ring like = {.ops = &rvt_ring_rxe_sq_ops,
				.kind = RVT_RING_SQ,
				.capacity = CAPACITY,
				.max_sge = MAX_SGE,
				.inline_bytes = ROOM_BYTES,
				.datagrams = datagrams};

	if (!f)
		return -1;
	f->b = bare_new();
	if (!f->b)
		goto free_fixture;
	rvt_mmap_init(&f->b->rdi);
	xa_init_flags(&f->b->rdi.ah_nums, XA_FLAGS_ALLOC);
	process_init(&f->p, &f->b->rdi.ibdev);
	like.rdi = &f->b->rdi;
	f->ring = rvt_ring_new(&like, process_call(&f->p, 0, 0));
	if (IS_ERR(f->ring))
		goto free_bare;
	f->q = process_map(&f->p, f->ring->ip->offset, f->ring->ip->size);
	*state = f;
	return 0;

free_bare:
	base_free(f->b);
free_fixture:
	base_free(f);
	return -1;
}

static int setup(void **state)
{
	return setup_kind(state, false);
}

static int setup_ud(void **state)
{
	return setup_kind(state, true);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	unsigned int live;

	rvt_ring_delete(f->ring);
	live = f->p.live;
	xa_destroy(&f->b->rdi.ah_nums);
	base_free(f->b);
	base_free(f);
	return live ? -1 : 0;
}

static const struct ib_send_wr *peek(struct fixture *f)
{
	return f->ring->ops->peek(f->ring);
}

static void next(struct fixture *f)
{
	f->ring->ops->consume(f->ring);
	f->ring->ops->completed(f->ring, 1);
}

static void sq__slot_is_the_process_s_again_at_completion(void **state)
{
	struct fixture *f = *state;
	const struct rxe_send_wr wr = {.opcode = IB_WR_SEND};

	assert_int_equal(f->q->index_mask, CAPACITY);
	assert_int_equal(f->q->log2_elem_size, 8); /* 208 + 32 */
	for (unsigned int round = 0; round < 5; round++) {
		for (unsigned int i = 0; i < CAPACITY; i++)
			assert_true(librxe_post_send(f->q, &wr, NULL, 0));
		assert_false(librxe_post_send(f->q, &wr, NULL, 0));
		assert_int_equal(f->ring->ops->count(f->ring), CAPACITY);
		for (unsigned int i = 0; i < CAPACITY; i++) {
			assert_non_null(peek(f));
			f->ring->ops->consume(f->ring);
		}
		assert_null(peek(f));
		assert_true(librxe_full(f->q));
		f->ring->ops->completed(f->ring, 1);
		assert_false(librxe_full(f->q));
		f->ring->ops->completed(f->ring, 2);
		assert_int_equal(f->q->consumer_index, f->q->producer_index);
	}
}

static void sq__plain_and_rdma(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr in = {.wr_id = 7, .opcode = IB_WR_RDMA_WRITE_WITH_IMM};
	const struct rxe_sge sges[2] = {{0x1000, 5, 7}, {0x2000, 6, 8}};
	const struct ib_send_wr *wr;

	in.send_flags = IB_SEND_SIGNALED | IB_SEND_FENCE | IB_SEND_SOLICITED;
	in.ex.imm_data = htonl(0x12345678);
	in.wr.rdma.remote_addr = 0x123456789abc;
	in.wr.rdma.rkey = 0x55;
	assert_true(librxe_post_send(f->q, &in, sges, 2));
	wr = peek(f);
	assert_int_equal(wr->wr_id, 7);
	assert_int_equal(wr->opcode, IB_WR_RDMA_WRITE_WITH_IMM);
	assert_int_equal(wr->send_flags, IB_SEND_SIGNALED | IB_SEND_FENCE | IB_SEND_SOLICITED);
	assert_int_equal(wr->ex.imm_data, htonl(0x12345678));
	assert_int_equal(rdma_wr(wr)->remote_addr, 0x123456789abc);
	assert_int_equal(rdma_wr(wr)->rkey, 0x55);
	assert_int_equal(wr->num_sge, 2);
	assert_memory_equal(wr->sg_list, sges, sizeof(sges));
	assert_null(wr->next);
}

static void sq__atomics(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr in = {.opcode = IB_WR_ATOMIC_CMP_AND_SWP};
	const struct rxe_sge sge = {0x1000, 8, 7};
	const struct ib_atomic_wr *wr;

	in.wr.atomic.remote_addr = 0x1000;
	in.wr.atomic.compare_add = 1;
	in.wr.atomic.swap = 2;
	in.wr.atomic.rkey = 3;
	assert_true(librxe_post_send(f->q, &in, &sge, 1));
	wr = atomic_wr(peek(f));
	assert_int_equal(wr->remote_addr, 0x1000);
	assert_int_equal(wr->compare_add, 1);
	assert_int_equal(wr->swap, 2);
	assert_int_equal(wr->rkey, 3);
}

/* The length is where that of data is; an SGE does not make data. */
static void sq__flush(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr wr = {.opcode = IB_WR_FLUSH};
	const struct rxe_flush part = {.remote_addr = 0x1000, .rkey = 7, .type = 2, .level = 1};
	const struct rxe_sge sge = {0x2000, 60, 3};
	const struct rvt_flush_wr *flush;

	memcpy(&wr.wr, &part, sizeof(part));
	assert_true(librxe_post_send(f->q, &wr, &sge, 1));
	flush = container_of(peek(f), struct rvt_flush_wr, wr);
	assert_int_equal(flush->wr.opcode, IB_WR_FLUSH);
	assert_int_equal(flush->wr.num_sge, 0);
	assert_int_equal(flush->remote_addr, 0x1000);
	assert_int_equal(flush->length, 60);
	assert_int_equal(flush->rkey, 7);
	assert_int_equal(flush->type, 2);
	assert_int_equal(flush->level, 1);
	next(f);
}

static void sq__invalidations(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr in = {.opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = 0x99};

	assert_true(librxe_post_send(f->q, &in, NULL, 0));
	assert_int_equal(peek(f)->opcode, IB_WR_LOCAL_INV);
	assert_int_equal(peek(f)->ex.invalidate_rkey, 0x99);
}

static void sq__datagram_names_its_address_by_number(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr in = {.opcode = IB_WR_SEND_WITH_IMM};
	struct rvt_ah ah = {.num = 0};

	assert_int_equal(xa_alloc(&f->b->rdi.ah_nums, &ah.num, &ah, XA_LIMIT(1, 9), GFP_KERNEL), 0);
	in.wr.ud.ah_num = ah.num;
	in.wr.ud.remote_qpn = 0x11;
	in.wr.ud.remote_qkey = 0x22;
	in.wr.ud.pkey_index = 1;
	assert_true(librxe_post_send(f->q, &in, NULL, 0));
	assert_ptr_equal(ud_wr(peek(f))->ah, &ah.ibah);
	assert_int_equal(ud_wr(peek(f))->remote_qpn, 0x11);
	assert_int_equal(ud_wr(peek(f))->remote_qkey, 0x22);
	assert_int_equal(ud_wr(peek(f))->pkey_index, 1);
	assert_null(ud_wr(peek(f))->header);
	next(f);
	in.wr.ud.ah_num = 0; /* what a library with an old kernel says */
	assert_true(librxe_post_send(f->q, &in, NULL, 0));
	assert_null(ud_wr(peek(f))->ah);
	next(f);
	in.wr.ud.ah_num = 0xffffffff;
	assert_true(librxe_post_send(f->q, &in, NULL, 0));
	assert_null(ud_wr(peek(f))->ah);
}

/* A connected QP's SEND has no address, whatever lies there. */
static void sq__send_has_no_address(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr in = {.opcode = IB_WR_SEND};

	memset(&in.wr, 0xff, sizeof(in.wr));
	assert_true(librxe_post_send(f->q, &in, NULL, 0));
	assert_null(ud_wr(peek(f))->ah);
	assert_int_equal(rdma_wr(peek(f))->remote_addr, 0);
}

static void sq__inline_data_with_and_without_flag(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr in = {.opcode = IB_WR_SEND, .send_flags = IB_SEND_INLINE};
	const struct ib_send_wr *wr;

	assert_true(librxe_post_inline(f->q, &in, "abcdef", 6, 2));
	wr = peek(f);
	assert_true(wr->send_flags & IB_SEND_INLINE);
	assert_int_equal(wr->num_sge, 1);
	assert_int_equal(wr->sg_list[0].length, 6);
	assert_memory_equal((void *)(uintptr_t)wr->sg_list[0].addr, "abcdef", 6);
	next(f);
	in.send_flags = 0; /* ibv_wr_set_inline_data() */
	assert_true(librxe_post_inline(f->q, &in, "ghi", 3, 0));
	wr = peek(f);
	assert_true(wr->send_flags & IB_SEND_INLINE);
	assert_int_equal(wr->sg_list[0].length, 3);
	assert_memory_equal((void *)(uintptr_t)wr->sg_list[0].addr, "ghi", 3);
	next(f);
	in.send_flags = IB_SEND_INLINE;
	assert_true(librxe_post_inline(f->q, &in, "", 0, 1));
	assert_int_equal(peek(f)->num_sge, 0);
}

/* ibv_wr_set_sge_list() of librxe 44 counts the first length for each. */
static void sq__length_is_that_of_the_sges(void **state)
{
	struct fixture *f = *state;
	const struct rxe_send_wr in = {.opcode = IB_WR_SEND};
	const struct rxe_sge sges[2] = {{0x1000, 100, 7}, {0x2000, 1, 7}};
	struct rxe_send_wqe *slot = librxe_free_slot(f->q);
	const struct ib_send_wr *wr;

	assert_true(librxe_post_send(f->q, &in, sges, 2));
	slot->dma.length = slot->dma.resid = 200;
	wr = peek(f);
	assert_int_equal(wr->sg_list[0].length + wr->sg_list[1].length, 101);
	assert_false(wr->send_flags & IB_SEND_INLINE);
}

/* Garbage */

static void sq__more_sges_than_fit_are_not_read(void **state)
{
	struct fixture *f = *state;
	const struct rxe_send_wr in = {.opcode = IB_WR_SEND};
	const u32 counts[] = {MAX_SGE + 1, 0x7fffffff, 0x80000000, 0xffffffff};

	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		struct rxe_send_wqe *slot = librxe_free_slot(f->q);

		assert_true(librxe_post_send(f->q, &in, NULL, 0));
		slot->dma.num_sge = counts[i];
		assert_true(peek(f)->num_sge > (int)MAX_SGE);
		next(f);
	}
}

static void sq__flags_of_ours_are_left_out(void **state)
{
	struct fixture *f = *state;
	const struct rxe_send_wr in = {.opcode = IB_WR_SEND, .send_flags = 0xffffffff};

	assert_true(librxe_post_send(f->q, &in, NULL, 0));
	assert_int_equal(peek(f)->send_flags, FLAGS);
}

static void sq__operations_of_the_kernel_api_are_none(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr in = {.opcode = 0};
	u32 opcode;

	for (in.opcode = 0; in.opcode < 0x200; in.opcode++) {
		assert_true(librxe_post_send(f->q, &in, NULL, 0));
		opcode = (u32)peek(f)->opcode;
		assert_true(opcode == in.opcode || opcode == RVT_OPERATION_MAX);
		assert_true(opcode < 0x20 || opcode >= RVT_OPERATION_MAX);
		next(f);
	}
}

static void sq__garbage_in_the_indices(void **state)
{
	struct fixture *f = *state;
	unsigned int taken = 0;

	f->q->index_mask = 0xffffffff;
	f->q->log2_elem_size = 31;
	f->q->consumer_index = 0xdeadbeef;
	f->q->producer_index = 0xffffffff; /* 3 */
	while (peek(f) && taken < 100) {
		f->ring->ops->consume(f->ring);
		taken++;
	}
	assert_int_equal(taken, CAPACITY);
	/* None is completed: more than the ring holds cannot be outstanding. */
	for (u32 i = 0; i < 8; i++) {
		f->q->producer_index = i;
		assert_int_equal(f->ring->ops->count(f->ring), 0);
	}
	f->ring->ops->completed(f->ring, CAPACITY);
	assert_int_equal(f->q->consumer_index, CAPACITY);
	f->q->producer_index = 2;
	f->ring->ops->drop(f->ring);
	assert_int_equal(f->q->consumer_index, 2);
	assert_null(peek(f));
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_UD(name) cmocka_unit_test_setup_teardown(name, setup_ud, teardown)
	TEST(sq__slot_is_the_process_s_again_at_completion),
	TEST(sq__plain_and_rdma),
	TEST(sq__atomics),
	TEST(sq__flush),
	TEST(sq__invalidations),
	TEST_UD(sq__datagram_names_its_address_by_number),
	TEST(sq__send_has_no_address),
	TEST(sq__inline_data_with_and_without_flag),
	TEST(sq__length_is_that_of_the_sges),
	TEST(sq__more_sges_than_fit_are_not_read),
	TEST(sq__flags_of_ours_are_left_out),
	TEST(sq__operations_of_the_kernel_api_are_none),
	TEST(sq__garbage_in_the_indices),
};

int main(void)
{
	return verbena_test_main(tests);
}
