// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* From a work request to an entry of the send queue, and every way of being refused. */
#include <linux/scatterlist.h>

#include "qp_fixture.h"
#include "rdmavt/qp.h"

/* What a test needs to see the entries: the engine does not run by itself. */
static struct rvt_swqe *entry(const struct fixture *f, u32 n)
{
	return rvt_get_swqe_ptr(qp_a(f), n);
}

static int fixture_manual(void **state)
{
	struct fixture *f;

	if (fixture_rc(state))
		return -1;
	f = *state;
	f->fake->manual = true;
	return 0;
}

static int fixture_with(void **state, const struct fake_rvt_options *options,
			const struct ib_qp_init_attr *attr)
{
	struct fixture *f;

	if (fixture_device(state, options))
		return -1;
	f = *state;
	f->fake->manual = true;
	if (!fake_rvt_end_init(&f->a, f->pd, attr) && !fake_rvt_end_init(&f->b, f->pd, attr) &&
	    !fake_rvt_connect(&f->a, &f->b))
		return 0;
	(void)fixture_down(state);
	return -1;
}

static int fixture_inline(void **state)
{
	return fixture_with(state, NULL,
			    &(struct ib_qp_init_attr){.qp_type = IB_QPT_RC,
						      .cap = {4, 4, 3, 1, 100, 0}});
}

static int fixture_inline_without_sges(void **state)
{
	return fixture_with(state, NULL,
			    &(struct ib_qp_init_attr){.qp_type = IB_QPT_RC,
						      .cap = {4, 4, 0, 1, 1, 0}});
}

static int fixture_reserved(void **state)
{
	return fixture_with(state, &(struct fake_rvt_options){.reserved_operations = 2},
			    &(struct ib_qp_init_attr){.qp_type = IB_QPT_RC,
						      .cap = {2, 2, 1, 1, 0, 0}});
}

static int fixture_signal_req(void **state)
{
	return fixture_with(state, NULL,
			    &(struct ib_qp_init_attr){.qp_type = IB_QPT_RC,
						      .sq_sig_type = IB_SIGNAL_REQ_WR});
}

static int fixture_ud(void **state)
{
	return fixture_with(state, NULL, &(struct ib_qp_init_attr){.qp_type = IB_QPT_UD});
}

/* Post @wr, which must be refused with @err and this cause; nothing may have changed. */
static void refused(struct fixture *f, const struct ib_send_wr *wr, int err, const char *cause)
{
	const struct ib_send_wr *bad = NULL;
	const struct rvt_qp *qp = qp_a(f);
	const struct rvt_qp before = *qp;

	assert_int_equal(ib_post_send(f->a.qp, wr, &bad), err);
	assert_ptr_equal(bad, wr);
	assert_contains(last_cause(), cause);
	assert_int_equal(qp->s_head, before.s_head);
	assert_int_equal(qp->s_ssn, before.s_ssn);
	assert_int_equal(qp->s_next_psn, before.s_next_psn);
	assert_int_equal(qp->state, before.state);
	assert_int_equal(atomic_read(&qp->local_ops_pending), 0);
}

static struct ib_send_wr send_of(enum ib_wr_opcode opcode, struct ib_sge *sge, int count)
{
	return (struct ib_send_wr){.wr_id = 5, .opcode = opcode, .sg_list = sge, .num_sge = count};
}

/* States and chains */

static void rvt_post_send__is_refused_before_rts(void **state)
{
	struct fixture *f = *state;
	const struct ib_send_wr wr = send_of(IB_WR_SEND, NULL, 0);

	refused(f, &wr, -EINVAL, "the QP is in RESET");
	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_INIT, 0), 0);
	refused(f, &wr, -EINVAL, "the QP is in INIT");
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), -EINVAL);
	fake_rvt_end_exit(&f->a);
	assert_int_equal(fake_rvt_end_init(&f->a, f->pd,
					   &(struct ib_qp_init_attr){.qp_type = IB_QPT_RC}),
			 0);
	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTR, 1), 0);
	refused(f, &wr, -EINVAL, "the QP is in RTR");
}

static void rvt_post_send__chain_up_to_the_bad_one_is_queued(void **state)
{
	struct fixture *f = *state;
	struct ib_send_wr wr[4];
	const struct ib_send_wr *bad;

	for (int i = 0; i < 4; i++) {
		wr[i] = send_of(i == 2 ? IB_WR_LSO : IB_WR_SEND, NULL, 0);
		wr[i].wr_id = (u64)i;
		wr[i].next = i < 3 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(ib_post_send(f->a.qp, wr, &bad), -EINVAL);
	assert_ptr_equal(bad, &wr[2]);
	assert_int_equal(qp_a(f)->s_head, 2);
	assert_int_equal(entry(f, 1)->wr.wr_id, 1);
	assert_int_equal(state_of(&f->a), IB_QPS_RTS);
	assert_int_equal(f->fake->schedules, 1);
	assert_int_equal(ib_post_send(f->a.qp, wr, NULL), -EINVAL);
	assert_int_equal(qp_a(f)->s_head, 4);
}

static void rvt_post_send__empty_chain_is_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rvt_post_send(f->a.qp, NULL, NULL), 0);
	assert_int_equal(f->fake->sends + f->fake->schedules, 0);
}

/* Who runs the engine */

static void rvt_post_send__one_on_an_idle_queue_is_sent_by_the_caller(void **state)
{
	struct fixture *f = *state;
	struct ib_send_wr wr[2] = {send_of(IB_WR_SEND, NULL, 0), send_of(IB_WR_SEND, NULL, 0)};

	assert_int_equal(ib_post_send(f->a.qp, wr, NULL), 0);
	assert_int_equal(f->fake->sends, 1);
	/* do_send of the manual engine schedules */
	assert_int_equal(f->fake->schedules, 1);
	assert_int_equal(ib_post_send(f->a.qp, wr, NULL), 0);
	assert_int_equal(f->fake->sends, 1);
	assert_int_equal(f->fake->schedules, 2);
	wr[0].next = &wr[1];
	assert_int_equal(ib_post_send(f->b.qp, wr, NULL), 0);
	assert_int_equal(f->fake->sends, 1);
	assert_int_equal(f->fake->schedules, 3);
}

static void rvt_post_send__driver_may_not_want_to_be_called(void **state)
{
	struct fixture *f = *state;
	const struct ib_send_wr wr = send_of(IB_WR_SEND, NULL, 0);

	f->fake->setup_no_call = true;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_int_equal(f->fake->sends, 0);
	assert_int_equal(f->fake->schedules, 1);
}

/* The kernel's rdmavt leaves s_ssn advanced. */
static void rvt_post_send__driver_may_refuse(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = sge_of(f, f->tx, 10);
	const struct ib_send_wr wr = send_of(IB_WR_SEND, &sge, 1);

	f->fake->setup_error = -EBUSY;
	refused(f, &wr, -EBUSY, "the driver refuses SEND of 10 bytes");
	f->fake->setup_error = 0;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
}

/* Operations */

static void rvt_qp_valid_operation__must_exist(void **state)
{
	struct fixture *f = *state;
	struct ib_send_wr wr = send_of(IB_WR_LSO, NULL, 0);

	refused(f, &wr, -EINVAL, "the device has no send opcode");
	wr.opcode = (enum ib_wr_opcode)RVT_OPERATION_MAX;
	refused(f, &wr, -EINVAL, "the device has no send opcode 250");
	wr.opcode = (enum ib_wr_opcode)0x7fffffff;
	refused(f, &wr, -EINVAL, "the device has no send opcode");
}

static void rvt_qp_valid_operation__must_fit_the_type(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_READ, 1);

	refused(f, &wr.wr, -EINVAL, "a UC QP cannot do RDMA_READ");
	wr.wr.opcode = IB_WR_SEND_WITH_INV;
	refused(f, &wr.wr, -EINVAL, "a UC QP cannot do SEND_WITH_INV");
}

static void rvt_qp_valid_operation__privileged_is_not_for_processes(void **state)
{
	struct fixture *f = *state;
	const struct ib_send_wr wr = send_of(IB_WR_RESERVED2, NULL, 0);

	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	ibpd_to_rvtpd(f->pd)->user = true;
	refused(f, &wr, -EINVAL, "not for the PD of a process");
	ibpd_to_rvtpd(f->pd)->user = false;
}

static void rvt_qp_valid_operation__atomic_needs_an_aligned_word(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = sge_of(f, f->tx, 7);
	struct ib_atomic_wr wr = {.wr = send_of(IB_WR_ATOMIC_FETCH_AND_ADD, &sge, 1)};

	refused(f, &wr.wr, -EINVAL, "1 SGEs, the first at");
	sge.length = 8;
	sge.addr += 4;
	refused(f, &wr.wr, -EINVAL, "of 8 bytes");
	wr.wr.num_sge = 0;
	refused(f, &wr.wr, -EINVAL, "0 SGEs");
}

static void rvt_qp_valid_operation__reads_need_max_rd_atomic(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_READ, 1);

	qp_a(f)->s_max_rd_atomic = 0;
	refused(f, &wr.wr, -EINVAL, "max_rd_atomic is 0: RDMA_READ");
}

/* SGEs and keys */

static void rvt_post_one_wr__at_most_as_many_sges_as_the_queue_takes(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge[5] = {{0}};
	struct ib_send_wr wr = send_of(IB_WR_SEND, sge, 5);

	refused(f, &wr, -EINVAL, "5 SGEs; the queue takes 4");
	wr.num_sge = -1;
	refused(f, &wr, -EINVAL, "SGEs; the queue takes 4");
}

static void sges__list_that_is_missing_is_refused(void **state)
{
	struct fixture *f = *state;
	struct ib_send_wr wr = send_of(IB_WR_SEND, NULL, 1);
	struct ib_atomic_wr atomic = {.wr = send_of(IB_WR_ATOMIC_FETCH_AND_ADD, NULL, 1)};

	refused(f, &wr, -EINVAL, "num_sge is 1, and sg_list is NULL");
	wr.send_flags = IB_SEND_INLINE;
	refused(f, &wr, -EINVAL, "num_sge is 1, and sg_list is NULL");
	refused(f, &atomic.wr, -EINVAL, "num_sge is 1, and sg_list is NULL");
}

static void sges__bad_key_gives_back_the_others(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge[3] = {sge_of(f, f->tx, 10), sge_of(f, f->tx + 100, 10),
				sge_of(f, f->tx + 200, 10)};
	const struct ib_send_wr wr = send_of(IB_WR_SEND, sge, 3);
	const struct rvt_mregion *mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;
	const s64 references = atomic64_read(&mr->refcount.count);

	sge[2].lkey = f->mr->rkey;
	refused(f, &wr, -EINVAL, "WR 5 SEND: lkey");
	assert_contains(last_cause(), "is the region's rkey");
	assert_int_equal(atomic64_read(&mr->refcount.count), references);
	sge[2].lkey = f->mr->lkey;
	sge[2].addr += 2 * BUFFER_BYTES;
	refused(f, &wr, -EINVAL, "are not all inside");
	assert_int_equal(atomic64_read(&mr->refcount.count), references);
}

static void sges__neighbours_are_merged_and_empty_ones_left_out(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge[4] = {sge_of(f, f->tx, 10),
				sge_of(f, f->tx + 10, 5),
				{.addr = 1, .length = 0, .lkey = 0xbad},
				sge_of(f, f->tx + 90, 3)};
	const struct ib_send_wr wr = send_of(IB_WR_SEND, sge, 4);
	const struct rvt_swqe *wqe = entry(f, 0);

	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_int_equal(wqe->wr.num_sge, 2);
	assert_int_equal(wqe->sg_list[0].sge_length, 15);
	assert_int_equal(wqe->sg_list[1].sge_length, 3);
	assert_int_equal(wqe->length, 18);
}

/* The kernel's rdmavt asks it of SEND_WITH_INV, too, because its number is higher. */
static void sges__only_what_writes_them_needs_local_write(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr =
		ib_reg_user_mr(f->pd, (u64)(uintptr_t)f->tx, 100, (u64)(uintptr_t)f->tx, 0);
	struct ib_sge sge;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_SEND_WITH_INV, 1);

	assert_false(IS_ERR(mr));
	sge = (struct ib_sge){.addr = (u64)(uintptr_t)f->tx, .length = 8, .lkey = mr->lkey};
	wr.wr.sg_list = &sge;
	wr.wr.num_sge = 1;
	assert_int_equal(ib_post_send(f->a.qp, &wr.wr, NULL), 0);
	wr.wr.opcode = IB_WR_RDMA_WRITE;
	assert_int_equal(ib_post_send(f->a.qp, &wr.wr, NULL), 0);
	wr.wr.opcode = IB_WR_RDMA_READ;
	refused(f, &wr.wr, -EINVAL, "8 bytes are to be stored");
	assert_int_equal(ib_modify_qp(f->a.qp, &(struct ib_qp_attr){.qp_state = IB_QPS_RESET},
				      IB_QP_STATE),
			 0);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void sges__message_of_more_than_2_gib_is_refused(void **state)
{
	struct fixture *f = *state;
	const u64 base = 0x10000000000;
	struct ib_mr *mr = ib_reg_user_mr(f->pd, base, 1ull << 33, base, IB_ACCESS_LOCAL_WRITE);
	struct ib_sge sge[2];
	const struct ib_send_wr wr = send_of(IB_WR_SEND, sge, 2);

	assert_false(IS_ERR(mr));
	sge[0] = (struct ib_sge){.addr = base, .length = 0x80000000u, .lkey = mr->lkey};
	sge[1] = (struct ib_sge){
		.addr = base + 0x100000000, .length = 0x80000000u, .lkey = mr->lkey};
	refused(f, &wr, -EINVAL, "a message of 4294967296 bytes; at most 2147483648");
	sge[1].length = 1;
	refused(f, &wr, -EINVAL, "a message of 2147483649 bytes");
	sge[1].length = 0;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_int_equal(entry(f, 0)->length, 0x80000000u);
	assert_int_equal(entry(f, 0)->lpsn - entry(f, 0)->psn, (0x80000000u >> 10) - 1);
	assert_int_equal(ib_modify_qp(f->a.qp, &(struct ib_qp_attr){.qp_state = IB_QPS_RESET},
				      IB_QP_STATE),
			 0);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* Numbers */

static void rvt_post_one_wr__psns_and_ssns_follow_each_other(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	qp->s_next_psn = 0xfffffe;
	assert_int_equal(post_send(f, f->a.qp, 1, 0), 0);
	assert_int_equal(post_send(f, f->a.qp, 2, 1024), 0);
	assert_int_equal(post_send(f, f->a.qp, 3, 1025), 0);
	assert_int_equal(entry(f, 0)->psn, 0xfffffe);
	assert_int_equal(entry(f, 0)->lpsn, 0xfffffe);
	assert_int_equal(entry(f, 0)->ssn, 1);
	assert_int_equal(entry(f, 1)->psn, 0xffffff);
	assert_int_equal(entry(f, 1)->lpsn, 0xffffff);
	assert_int_equal(entry(f, 2)->psn, 0);
	assert_int_equal(entry(f, 2)->lpsn, 1);
	assert_int_equal(entry(f, 2)->ssn, 3);
	assert_int_equal(qp->s_next_psn, 2);
	assert_int_equal(qp->s_ssn, 4);
}

/* Room */

static void rvt_qp_is_avail__full_queue_refuses_until_something_completes(void **state)
{
	struct fixture *f = *state;
	const struct ib_send_wr wr = send_of(IB_WR_RDMA_WRITE, NULL, 0);
	struct ib_rdma_wr write = {.wr = wr};

	for (int i = 0; i < 8; i++)
		assert_int_equal(ib_post_send(f->a.qp, &write.wr, NULL), 0);
	refused(f, &write.wr, -ENOMEM, "all 8 send requests are outstanding");
	fake_rvt_turn(0);
	for (int i = 0; i < 8; i++)
		assert_int_equal(ib_post_send(f->a.qp, &write.wr, NULL), 0);
	refused(f, &write.wr, -ENOMEM, "all 8 send requests are outstanding");
}

static void rvt_qp_is_avail__reserved_operations_have_their_own(void **state)
{
	struct fixture *f = *state;
	const struct ib_send_wr reserved = send_of(IB_WR_RESERVED1, NULL, 0);
	const struct ib_send_wr wr = send_of(IB_WR_SEND, NULL, 0);

	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_int_equal(ib_post_send(f->a.qp, &reserved, NULL), 0);
	assert_int_equal(ib_post_send(f->a.qp, &reserved, NULL), 0);
	refused(f, &reserved, -ENOMEM, "all 2 reserved send requests are outstanding");
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	refused(f, &wr, -ENOMEM, "all 2 send requests are outstanding");
	assert_int_equal(atomic_read(&qp_a(f)->s_reserved_used), 2);
	assert_true(entry(f, 1)->wr.send_flags & RVT_SEND_RESERVE_USED);
	/* Flushed, they complete silently [sm 7.2], and are free again. */
	assert_int_equal(ib_modify_qp(f->a.qp, &(struct ib_qp_attr){.qp_state = IB_QPS_ERR},
				      IB_QP_STATE),
			 0);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 5, IB_WC_WR_FLUSH_ERR);
	expect(f->a.send_cq, 5, IB_WC_WR_FLUSH_ERR);
	expect_none(f->a.send_cq);
	assert_int_equal(atomic_read(&qp_a(f)->s_reserved_used), 0);
}

/* Inline data */

static void inline__bytes_are_copied_when_posted(void **state)
{
	struct fixture *f = *state;
	u8 own[100];
	struct ib_sge sge[3] = {{.addr = (u64)(uintptr_t)own, .length = 40, .lkey = 0xbad},
				{.addr = (u64)(uintptr_t)(own + 40), .length = 0},
				{.addr = (u64)(uintptr_t)(own + 40), .length = 60}};
	struct ib_send_wr wr = send_of(IB_WR_SEND, sge, 3);

	memcpy(own, f->tx, sizeof(own));
	wr.send_flags = IB_SEND_INLINE;
	assert_int_equal(post_recv(f, f->b.qp, 1, 100), 0);
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	memset(own, 0, sizeof(own));
	fake_rvt_turn(0);
	assert_int_equal(expect(f->b.recv_cq, 1, IB_WC_SUCCESS).byte_len, 100);
	expect(f->a.send_cq, 5, IB_WC_SUCCESS);
	assert_memory_equal(f->rx, f->tx, 100);
}

/* Each slot has its own room. */
static void inline__requests_do_not_share_room(void **state)
{
	struct fixture *f = *state;
	u8 own[100];
	struct ib_sge sge = {.addr = (u64)(uintptr_t)own, .length = 100};
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 1);

	wr.wr.sg_list = &sge;
	wr.wr.num_sge = 1;
	wr.wr.send_flags = IB_SEND_INLINE;
	for (u8 round = 0; round < 3; round++) {
		for (u8 i = 0; i < 4; i++) {
			memset(own, 16 * round + i + 1, sizeof(own));
			wr.remote_addr = (u64)(uintptr_t)(f->rx + 100 * i);
			assert_int_equal(ib_post_send(f->a.qp, &wr.wr, NULL), 0);
		}
		fake_rvt_turn(0);
		for (u8 i = 0; i < 4; i++) {
			expect(f->a.send_cq, 1, IB_WC_SUCCESS);
			assert_int_equal(f->rx[100 * i], 16 * round + i + 1);
			assert_int_equal(f->rx[100 * i + 99], 16 * round + i + 1);
		}
	}
}

static void inline__length_is_limited(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge[4] = {sge_of(f, f->tx, 100), sge_of(f, f->tx, 13), {0}, {0}};
	struct ib_send_wr wr = send_of(IB_WR_SEND, sge, 2);

	/* 100 bytes were asked for, 112 granted. */
	assert_int_equal(qp_a(f)->s_inline_bytes, 112);
	wr.send_flags = IB_SEND_INLINE;
	refused(f, &wr, -EINVAL, "113 bytes of inline data; the QP takes 112");
	wr.num_sge = 4;
	refused(f, &wr, -EINVAL, "4 SGEs; the queue takes 3");
	sge[0].length = 0;
	wr.num_sge = 1;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_int_equal(entry(f, 0)->wr.num_sge, 0);
}

static void inline__sizes_that_wrap_are_refused(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge[2] = {sge_of(f, f->tx, UINT32_MAX), sge_of(f, f->tx, 10)};
	struct ib_send_wr wr = send_of(IB_WR_SEND, sge, 2);

	wr.send_flags = IB_SEND_INLINE;
	refused(f, &wr, -EINVAL, "4294967305 bytes of inline data");
}

static void inline__is_not_for_operations_that_send_nothing(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = sge_of(f, f->tx, 8);
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_READ, 1);

	wr.wr.sg_list = &sge;
	wr.wr.num_sge = 1;
	wr.wr.send_flags = IB_SEND_INLINE;
	refused(f, &wr.wr, -EINVAL, "RDMA_READ has no data to send inline");
}

static void inline__unmapped_data_is_a_fault(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = {.addr = 16, .length = 8};
	struct ib_send_wr wr = send_of(IB_WR_SEND, &sge, 1);

	wr.send_flags = IB_SEND_INLINE;
	refused(f, &wr, -EFAULT, "inline data at 0x10 (8 bytes) is not mapped");
}

static void inline__not_asked_for_is_refused(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = sge_of(f, f->tx, 1);
	struct ib_send_wr wr = send_of(IB_WR_SEND, &sge, 1);

	wr.send_flags = IB_SEND_INLINE;
	refused(f, &wr, -EINVAL, "1 bytes of inline data; the QP takes 0");
	wr.num_sge = 0;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
}

static void inline__works_where_no_sge_was_asked_for(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = sge_of(f, f->tx, 5);
	struct ib_send_wr wr = send_of(IB_WR_SEND, &sge, 1);

	wr.send_flags = IB_SEND_INLINE;
	assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	assert_int_equal(entry(f, 0)->length, 5);
}

/* Local operations */

static struct ib_mr *mapped_fast_mr(struct fixture *f, struct ib_pd *pd)
{
	struct ib_mr *mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, 4);
	struct scatterlist sg;

	assert_false(IS_ERR(mr));
	sg_init_one(&sg, f->rx, 100);
	sg_dma_address(&sg) = (u64)(uintptr_t)f->rx;
	sg_dma_len(&sg) = 100;
	assert_int_equal(ib_map_mr_sg(mr, &sg, 1, NULL, 4096), 1);
	return mr;
}

static struct ib_reg_wr reg_of(struct ib_mr *mr)
{
	return (struct ib_reg_wr){.wr = send_of(IB_WR_REG_MR, NULL, 0),
				  .mr = mr,
				  .key = mr->rkey,
				  .access = IB_ACCESS_LOCAL_WRITE};
}

static void local__unsignalled_takes_no_slot(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = mapped_fast_mr(f, f->pd);
	struct ib_reg_wr reg = reg_of(mr);
	struct ib_send_wr inv = send_of(IB_WR_LOCAL_INV, NULL, 0);
	const struct rvt_mregion *region = &container_of(mr, struct rvt_mr, ibmr)->mr;

	for (int i = 0; i < 20; i++) {
		assert_int_equal(ib_post_send(f->a.qp, &reg.wr, NULL), 0);
		assert_int_equal(atomic_read(&region->lkey_invalid), 0);
		inv.ex.invalidate_rkey = mr->rkey;
		assert_int_equal(ib_post_send(f->a.qp, &inv, NULL), 0);
		assert_int_equal(atomic_read(&region->lkey_invalid), 1);
	}
	assert_int_equal(qp_a(f)->s_head, 0);
	/* Signalled it takes one, is done all the same, and uses up no number. */
	reg.wr.send_flags = IB_SEND_SIGNALED;
	assert_int_equal(ib_post_send(f->a.qp, &reg.wr, NULL), 0);
	assert_int_equal(atomic_read(&region->lkey_invalid), 0);
	assert_int_equal(qp_a(f)->s_head, 1);
	assert_true(entry(f, 0)->wr.send_flags & RVT_SEND_COMPLETION_ONLY);
	assert_int_equal(entry(f, 0)->ssn, 0);
	assert_int_equal(qp_a(f)->s_ssn, 1);
	fake_rvt_turn(0);
	assert_int_equal(expect(f->a.send_cq, 5, IB_WC_SUCCESS).opcode, IB_WC_REG_MR);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void local__with_signal_all_every_one_completes(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = mapped_fast_mr(f, f->pd);
	struct ib_reg_wr reg = reg_of(mr);

	assert_int_equal(ib_post_send(f->a.qp, &reg.wr, NULL), 0);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 5, IB_WC_SUCCESS);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void local__refusals(void **state)
{
	struct fixture *f = *state;
	struct ib_pd *pd = ib_alloc_pd(&f->fake->rdi.ibdev, 0);
	struct ib_mr *mr;
	struct ib_reg_wr reg;
	struct ib_send_wr inv = send_of(IB_WR_LOCAL_INV, NULL, 0);

	assert_false(IS_ERR(pd));
	mr = ib_alloc_mr(pd, IB_MR_TYPE_MEM_REG, 4);
	if (IS_ERR(mr)) {
		ib_dealloc_pd(pd);
		fail();
	}
	reg = reg_of(mr);
	refused(f, &reg.wr, -EACCES, "is of another PD than the QP");
	inv.ex.invalidate_rkey = 0xdead00;
	refused(f, &inv, -EINVAL, "0xdead00");
	assert_int_equal(ib_dereg_mr(mr), 0);
	ib_dealloc_pd(pd);
}

/* The slot is looked for before the operation is done. */
static void local__full_queue_executes_nothing(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr = mapped_fast_mr(f, f->pd);
	struct ib_reg_wr reg = reg_of(mr);
	const struct rvt_mregion *region = &container_of(mr, struct rvt_mr, ibmr)->mr;
	const struct ib_send_wr wr = send_of(IB_WR_SEND, NULL, 0);
	const int invalid = atomic_read(&region->lkey_invalid);

	for (int i = 0; i < 8; i++)
		assert_int_equal(ib_post_send(f->a.qp, &wr, NULL), 0);
	reg.key = mr->rkey ^ 1;
	refused(f, &reg.wr, -ENOMEM, "all 8 send requests");
	assert_int_equal(atomic_read(&region->lkey_invalid), invalid);
	assert_int_not_equal(mr->rkey, reg.key);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

/* Datagrams */

static struct ib_ah *make_ah(struct ib_pd *pd, u16 lid)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};

	rdma_ah_set_dlid(&attr, lid);
	rdma_ah_set_port_num(&attr, 1);
	return rdma_create_ah(pd, &attr, 0);
}

static void ud__address_is_copied(void **state)
{
	struct fixture *f = *state;
	struct ib_ah *ah = make_ah(f->pd, 9);
	struct ib_ud_wr wr = {.wr = send_of(IB_WR_SEND, NULL, 0),
			      .ah = ah,
			      .remote_qpn = 0x55,
			      .remote_qkey = 0x66};
	struct rvt_swqe *wqe = entry(f, 0);

	assert_false(IS_ERR(ah));
	assert_int_equal(ib_post_send(f->a.qp, &wr.wr, NULL), 0);
	rdma_destroy_ah(ah, 0);
	assert_int_equal(rdma_ah_get_dlid(rvt_get_swqe_ah_attr(wqe)), 9);
	assert_int_equal(rvt_get_swqe_remote_qpn(wqe), 0x55);
	assert_int_equal(rvt_get_swqe_remote_qkey(wqe), 0x66);
	fake_rvt_turn(0);
	expect(f->a.send_cq, 5, IB_WC_SUCCESS);
}

static void ud__handle_must_be_of_the_pd(void **state)
{
	struct fixture *f = *state;
	struct ib_pd *pd = ib_alloc_pd(&f->fake->rdi.ibdev, 0);
	struct ib_ud_wr wr = {.wr = send_of(IB_WR_SEND, NULL, 0)};

	assert_false(IS_ERR(pd));
	refused(f, &wr.wr, -EINVAL, "the address handle is missing");
	wr.ah = make_ah(pd, 9);
	if (!IS_ERR(wr.ah)) {
		refused(f, &wr.wr, -EINVAL, "or of another PD than the QP");
		rdma_destroy_ah(wr.ah, 0);
	}
	ib_dealloc_pd(pd);
}

/* The driver refuses after the address was copied: its reference goes back (setup_wqe). */
static void ud__refused_by_the_driver(void **state)
{
	struct fixture *f = *state;
	struct ib_ah *ah = make_ah(f->pd, 9);
	struct ib_ud_wr wr = {.wr = send_of(IB_WR_SEND, NULL, 0), .ah = ah};

	assert_false(IS_ERR(ah));
	f->fake->setup_error = -EINVAL;
	refused(f, &wr.wr, -EINVAL, "the driver refuses");
	rdma_destroy_ah(ah, 0);
}

#define RESET(test) cmocka_unit_test_setup_teardown(test, fixture_rc_reset, fixture_down)
#define MANUAL(test) cmocka_unit_test_setup_teardown(test, fixture_manual, fixture_down)
#define UC(test) cmocka_unit_test_setup_teardown(test, fixture_uc, fixture_down)
#define INLINE(test) cmocka_unit_test_setup_teardown(test, fixture_inline, fixture_down)
#define UD(test) cmocka_unit_test_setup_teardown(test, fixture_ud, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESET(rvt_post_send__is_refused_before_rts),
		MANUAL(rvt_post_send__chain_up_to_the_bad_one_is_queued),
		MANUAL(rvt_post_send__empty_chain_is_nothing),
		MANUAL(rvt_post_send__one_on_an_idle_queue_is_sent_by_the_caller),
		MANUAL(rvt_post_send__driver_may_not_want_to_be_called),
		MANUAL(rvt_post_send__driver_may_refuse),
		MANUAL(rvt_qp_valid_operation__must_exist),
		UC(rvt_qp_valid_operation__must_fit_the_type),
		MANUAL(rvt_qp_valid_operation__privileged_is_not_for_processes),
		MANUAL(rvt_qp_valid_operation__atomic_needs_an_aligned_word),
		MANUAL(rvt_qp_valid_operation__reads_need_max_rd_atomic),
		MANUAL(rvt_post_one_wr__at_most_as_many_sges_as_the_queue_takes),
		MANUAL(sges__list_that_is_missing_is_refused),
		MANUAL(sges__bad_key_gives_back_the_others),
		MANUAL(sges__neighbours_are_merged_and_empty_ones_left_out),
		MANUAL(sges__only_what_writes_them_needs_local_write),
		MANUAL(sges__message_of_more_than_2_gib_is_refused),
		MANUAL(rvt_post_one_wr__psns_and_ssns_follow_each_other),
		MANUAL(rvt_qp_is_avail__full_queue_refuses_until_something_completes),
		cmocka_unit_test_setup_teardown(rvt_qp_is_avail__reserved_operations_have_their_own,
						fixture_reserved, fixture_down),
		INLINE(inline__bytes_are_copied_when_posted),
		INLINE(inline__requests_do_not_share_room),
		INLINE(inline__length_is_limited),
		INLINE(inline__sizes_that_wrap_are_refused),
		INLINE(inline__is_not_for_operations_that_send_nothing),
		INLINE(inline__unmapped_data_is_a_fault),
		MANUAL(inline__not_asked_for_is_refused),
		cmocka_unit_test_setup_teardown(inline__works_where_no_sge_was_asked_for,
						fixture_inline_without_sges, fixture_down),
		cmocka_unit_test_setup_teardown(local__unsignalled_takes_no_slot,
						fixture_signal_req, fixture_down),
		MANUAL(local__with_signal_all_every_one_completes),
		MANUAL(local__refusals),
		MANUAL(local__full_queue_executes_nothing),
		UD(ud__address_is_copied),
		UD(ud__handle_must_be_of_the_pd),
		UD(ud__refused_by_the_driver),
	};

	return verbena_test_main(tests);
}
