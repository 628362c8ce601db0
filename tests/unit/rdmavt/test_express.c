// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* SENDs of the simplest kind, from the process's ring and into it: what is, what is not. */
#include "rdmavt/express.c"

#include "ring_fixture.h"

static int setup(void **state)
{
	return fixture_rings(state, IB_QPT_RC) ? -1 : connect_ends(state);
}

/* What is at the head of the ring, into the queue's slot; the rest of a doorbell is not done. */
static bool fill(struct fixture *f)
{
	bool filled;

	rcu_read_lock();
	filled = rvt_express_fill(qp_a(f), rvt_get_swqe_ptr(qp_a(f), qp_a(f)->s_head));
	rcu_read_unlock();
	return filled;
}

static void fill__bytes_are_copied(void **state)
{
	struct fixture *f = *state;
	struct rxe_send_wr wr = {.wr_id = 9,
				 .opcode = IB_WR_SEND_WITH_IMM,
				 .send_flags = IB_SEND_SIGNALED | IB_SEND_SOLICITED | 0x40000000u,
				 .ex.imm_data = 0x77};
	const struct rxe_sge sge = rxe_sge_of(f, f->tx + 3, 12);
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp_a(f), 0);

	assert_true(librxe_post_send(sq, &wr, &sge, 1));
	assert_true(fill(f));
	assert_int_equal(wqe->wr.wr_id, 9);
	assert_int_equal(wqe->wr.opcode, IB_WR_SEND_WITH_IMM);
	assert_int_equal(wqe->wr.send_flags, IB_SEND_SIGNALED | IB_SEND_SOLICITED | IB_SEND_INLINE);
	assert_int_equal(wqe->wr.ex.imm_data, 0x77);
	assert_int_equal(wqe->wr.num_sge, 1);
	assert_int_equal(wqe->length, 12);
	assert_int_equal(wqe->psn, wqe->lpsn);
	assert_true(wqe->sg_list[0].mr->all_memory);
	assert_memory_equal(wqe->sg_list[0].vaddr, f->tx + 3, 12);
	assert_true(wqe->sg_list[0].vaddr != f->tx + 3);
}

/* All the way: the request completes, and its region can go at once. */
static void fill__no_reference_is_held(void **state)
{
	struct fixture *f = *state;

	f->fake->manual = true;
	assert_true(put(f, 1, IB_WR_SEND, 8));
	assert_int_equal(doorbell(f), 0);
	assert_int_equal(ib_dereg_mr(f->mr), 0);
	f->mr = NULL;
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
}

static void fill__inline_data(void **state)
{
	struct fixture *f = *state;
	const struct rxe_send_wr wr = {.opcode = IB_WR_SEND, .send_flags = IB_SEND_INLINE};
	struct rvt_swqe *wqe = rvt_get_swqe_ptr(qp_a(f), 0);

	assert_true(librxe_post_inline(sq, &wr, "inline", 6, 0));
	assert_true(fill(f));
	assert_int_equal(wqe->length, 6);
	memset(librxe_slot(sq, 0), 0xff, 256);
	assert_memory_equal(wqe->sg_list[0].vaddr, "inline", 6);
}

/* Each leaves the entry where it is; one is taken then by who posts it the general way. */
static void fill__not(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge good = rxe_sge_of(f, f->tx, 8);
	const struct rxe_send_wr send = {.opcode = IB_WR_SEND};
	struct rxe_send_wqe *slot = librxe_slot(sq, 0);

	assert_false(fill(f)); /* nothing there */
	assert_true(librxe_post_send(sq, &send, &good, 1));
#define NOT(set, reset)                \
	do {                           \
		set;                   \
		assert_false(fill(f)); \
		reset;                 \
	} while (0)
	NOT(slot->wr.opcode = IB_WR_RDMA_WRITE, slot->wr.opcode = IB_WR_SEND);
	NOT(slot->wr.opcode = 0x12345678, slot->wr.opcode = IB_WR_SEND);
	NOT(slot->dma.num_sge = 2, slot->dma.num_sge = 1);
	NOT(slot->dma.num_sge = 0x80000001u, slot->dma.num_sge = 1);
	NOT(slot->dma.sge[0].length = 0, slot->dma.sge[0] = good);
	NOT(slot->dma.sge[0].length = 33, slot->dma.sge[0] = good); /* more than the slot's room */
	NOT(slot->dma.sge[0].lkey = 0, slot->dma.sge[0] = good);
	NOT(slot->dma.sge[0].lkey ^= 0xff00, slot->dma.sge[0] = good);
	NOT(slot->dma.sge[0].lkey = f->mr->rkey, slot->dma.sge[0] = good);
	NOT(slot->dma.sge[0].addr = (u64)(uintptr_t)f->memory - 1, slot->dma.sge[0] = good);
	NOT(slot->dma.sge[0].addr = (u64)(uintptr_t)f->memory + 2 * BUFFER_BYTES - 7,
	    slot->dma.sge[0] = good);
	NOT((slot->wr.send_flags = IB_SEND_INLINE, slot->dma.length = 33),
	    (slot->wr.send_flags = 0, slot->dma.length = 8));
	NOT((slot->dma.num_sge = 0, slot->dma.length = 0xffffffffu),
	    (slot->dma.num_sge = 1, slot->dma.length = 8));
	NOT(qp_a(f)->pmtu = 4, qp_a(f)->pmtu = 1024);
	assert_true(fill(f));
}

/* The way that tells why. */
static void fill__memory_that_is_gone(void **state)
{
	struct fixture *f = *state;
	u8 *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_mr *mr = ib_reg_user_mr(f->pd, (u64)(uintptr_t)page, 4096, (u64)(uintptr_t)page,
					  IB_ACCESS_LOCAL_WRITE);
	const struct rxe_send_wr send = {.opcode = IB_WR_SEND};
	const struct rxe_sge sge = {.addr = (u64)(uintptr_t)page, .length = 8, .lkey = mr->lkey};

	assert_int_equal(munmap(page, 4096), 0);
	assert_true(librxe_post_send(sq, &send, &sge, 1));
	assert_false(fill(f));
	assert_int_equal(ib_dereg_mr(mr), 0);
	assert_false(fill(f));
}

/* Receives */

static bool receive(struct fixture *f, const void *bytes, u32 count)
{
	bool taken;

	rcu_read_lock();
	taken = rvt_express_receive(qp_a(f), bytes, count);
	rcu_read_unlock();
	return taken;
}

static void receive__into_the_oldest(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge sge = rxe_sge_of(f, f->rx, 64);

	assert_false(receive(f, "12345678", 8));
	for (u64 i = 0; i < 20; i++) {
		assert_true(librxe_post_recv(rq, 100 + i, &sge, 1));
		memset(f->rx, 0, 64);
		assert_true(receive(f, "12345678", 8));
		assert_memory_equal(f->rx, "12345678\0", 9);
		assert_int_equal(qp_a(f)->r_wr_id, 100 + i);
		assert_int_equal(rq->consumer_index, rq->producer_index);
	}
	assert_int_equal(qp_a(f)->r_sge.num_sge, 0);
}

/* Each leaves the receive where it is. */
static void receive__not(void **state)
{
	struct fixture *f = *state;
	const struct rxe_sge good = rxe_sge_of(f, f->rx, 64);
	struct rxe_recv_wqe *slot = librxe_slot(rq, 0);
	struct ib_mr *readonly = ib_reg_user_mr(f->pd, (u64)(uintptr_t)f->memory, BUFFER_BYTES,
						(u64)(uintptr_t)f->memory, 0);

	assert_true(librxe_post_recv(rq, 1, &good, 1));
#define NO_RECEIVE(set)                                  \
	do {                                             \
		set;                                     \
		assert_false(receive(f, "12345678", 8)); \
		slot->dma.num_sge = 1;                   \
		slot->dma.sge[0] = good;                 \
		assert_int_equal(rq->consumer_index, 0); \
	} while (0)
	NO_RECEIVE(slot->dma.num_sge = 0);
	NO_RECEIVE(slot->dma.num_sge = 2);
	NO_RECEIVE(slot->dma.num_sge = 0x10001);
	NO_RECEIVE(slot->dma.sge[0].length = 7);
	NO_RECEIVE(slot->dma.sge[0].lkey = 0);
	NO_RECEIVE(slot->dma.sge[0].lkey = f->mr->rkey);
	NO_RECEIVE(slot->dma.sge[0].lkey = readonly->lkey);
	NO_RECEIVE(slot->dma.sge[0].length = 2 * BUFFER_BYTES);
	assert_true(receive(f, "12345678", 8));
	assert_int_equal(ib_dereg_mr(readonly), 0);
}

static void receive__memory_that_is_gone(void **state)
{
	struct fixture *f = *state;
	u8 *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ib_mr *mr = ib_reg_user_mr(f->pd, (u64)(uintptr_t)page, 4096, (u64)(uintptr_t)page,
					  IB_ACCESS_LOCAL_WRITE);
	const struct rxe_sge sge = {.addr = (u64)(uintptr_t)page, .length = 8, .lkey = mr->lkey};

	assert_int_equal(munmap(page, 4096), 0);
	assert_true(librxe_post_recv(rq, 1, &sge, 1));
	assert_false(receive(f, "12345678", 8));
	assert_int_equal(rq->consumer_index, 0);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* The kernel API's queues are not for this. */
static void receive__not_without_a_ring(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(post_recv(f, f->b.qp, 1, 64), 0);
	rcu_read_lock();
	assert_false(rvt_express_receive(qp_b(f), "12345678", 8));
	rcu_read_unlock();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(fill__bytes_are_copied),
	TEST(fill__no_reference_is_held),
	TEST(fill__inline_data),
	TEST(fill__not),
	TEST(fill__memory_that_is_gone),
	TEST(receive__into_the_oldest),
	TEST(receive__not),
	TEST(receive__memory_that_is_gone),
	TEST(receive__not_without_a_ring),
};

int main(void)
{
	return verbena_test_main(tests);
}
