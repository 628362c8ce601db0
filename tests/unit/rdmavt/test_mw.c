// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Memory windows: binding, access through them, invalidation, and what they keep from going. */
#include "rdmavt/mw.c"

#include <pthread.h>
#include <sched.h>

#include "qp_fixture.h"
#include "rdmavt/qp_priv.h"

#define WRITE (IB_ACCESS_REMOTE_WRITE)
#define READ (IB_ACCESS_REMOTE_READ)

struct windows {
	struct fixture *f;
	struct ib_mr *mr; /* of rx; grants peers nothing */
	struct rvt_mw one, two;
	struct ib_cq *cq; /* of QP b, which binds */
};

static struct windows w;

static int make(struct rvt_mw *mw, enum ib_mw_type type)
{
	*mw = (struct rvt_mw){.ibmw = {.device = w.f->pd->device, .pd = w.f->pd, .type = type}};
	return rvt_alloc_mw(&mw->ibmw, NULL);
}

static u64 rx_at(u32 offset)
{
	return (u64)(uintptr_t)w.f->rx + offset;
}

static int setup(void **state)
{
	if (fixture_rc(state))
		return -1;
	w = (struct windows){.f = *state};
	w.cq = w.f->b.send_cq;
	w.mr = ib_reg_user_mr(w.f->pd, rx_at(0), BUFFER_BYTES, rx_at(0),
			      IB_ACCESS_LOCAL_WRITE | IB_ACCESS_MW_BIND);
	if (!IS_ERR(w.mr) && !make(&w.one, IB_MW_TYPE_1) && !make(&w.two, IB_MW_TYPE_2))
		return 0;
	if (!IS_ERR(w.mr))
		(void)ib_dereg_mr(w.mr);
	(void)fixture_down(state);
	return -1;
}

static int teardown(void **state)
{
	struct rvt_lkey_table *rkt = &w.f->fake->rdi.lkey_table;
	int ret = rvt_dealloc_mw(&w.one.ibmw) | rvt_dealloc_mw(&w.two.ibmw);

	ret |= (w.mr ? ib_dereg_mr(w.mr) : 0) | (int)rkt->n_mws;
	(void)fixture_down(state);
	return ret;
}

static struct rvt_bind_wr bind_of(const struct rvt_mw *mw, u32 offset, u32 length, u32 access)
{
	return (struct rvt_bind_wr){.wr = {.wr_id = 9, .opcode = IB_WR_BIND_MW},
				    .addr = rx_at(offset),
				    .length = length,
				    .mr_lkey = w.mr->lkey,
				    .mw_rkey = mw->ibmw.rkey,
				    .rkey = mw->ibmw.rkey + 1,
				    .access = access};
}

/* Bind, by a request of QP b. */
static void bind_window(struct rvt_mw *mw, u32 offset, u32 length, u32 access)
{
	const struct rvt_bind_wr wr = bind_of(mw, offset, length, access);
	const u32 before = mw->ibmw.rkey;

	assert_int_equal(ib_post_send(w.f->b.qp, &wr.wr, NULL), 0);
	assert_int_equal(expect(w.cq, 9, IB_WC_SUCCESS).opcode, IB_WC_BIND_MW);
	assert_int_equal(mw->ibmw.rkey & ~0xffu, before & ~0xffu);
	assert_int_equal(mw->ibmw.rkey & 0xff, (before + 1) & 0xff);
}

/* Whether QP b, or QP a, lets its peer do @acc through @rkey. */
static bool allows(struct rvt_qp *qp, u32 rkey, u64 addr, u32 bytes, int acc)
{
	struct base_cause why;
	struct rvt_sge sge;
	const int ret = rvt_rkey_check(qp, &sge, bytes, addr, rkey, acc, &why);

	if (ret) {
		assert_ptr_equal(sge.vaddr,
				 (void *)(uintptr_t)(addr < 65536 ? rx_at(64) + addr : addr));
		rvt_put_mr(sge.mr);
	} else {
		base_cause_set_last(&why);
	}
	return ret;
}

static bool b_allows(u32 rkey, u32 offset, u32 bytes, int acc)
{
	return allows(qp_b(w.f), rkey, rx_at(offset), bytes, acc);
}

static int refused(const struct rvt_bind_wr *wr)
{
	return rvt_bind_mw(qp_b(w.f), wr);
}

#define assert_last(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

/* Life */

static void alloc_mw__limits(void **state)
{
	struct rvt_mw more[3];

	(void)state;
	assert_int_equal(make(&more[0], (enum ib_mw_type)3), -EINVAL);
	assert_last(MW_KIND);
	assert_int_equal(make(&more[0], IB_MW_TYPE_1), 0);
	assert_int_equal(make(&more[1], IB_MW_TYPE_2), 0);
	assert_int_equal(make(&more[2], IB_MW_TYPE_2), -ENOMEM);
	assert_last(MW_COUNT);
	assert_int_not_equal(more[0].ibmw.rkey >> w.f->fake->rdi.lkey_table.shift,
			     more[1].ibmw.rkey >> w.f->fake->rdi.lkey_table.shift);
	assert_int_equal(rvt_dealloc_mw(&more[0].ibmw), 0);
	assert_int_equal(rvt_dealloc_mw(&more[1].ibmw), 0);
}

static void alloc_mw__grants_nothing(void **state)
{
	(void)state;
	assert_false(b_allows(w.one.ibmw.rkey, 0, 1, WRITE));
	assert_last(MW_UNBOUND);
	assert_false(b_allows(w.two.ibmw.rkey, 0, 1, WRITE));
	assert_last(MW_UNBOUND);
}

static void dealloc_mw__takes_the_key_away(void **state)
{
	struct rvt_mw mw;
	u32 rkey;

	(void)state;
	assert_int_equal(make(&mw, IB_MW_TYPE_2), 0);
	bind_window(&mw, 0, 64, WRITE);
	rkey = mw.ibmw.rkey;
	assert_true(b_allows(rkey, 0, 1, WRITE));
	assert_int_equal(rvt_dealloc_mw(&mw.ibmw), 0);
	assert_false(b_allows(rkey, 0, 1, WRITE));
}

static int stored; /* atomic */

/* Returns how much was stored when the window was gone. */
static void *dealloc(void *arg)
{
	struct rvt_mw *mw = arg;

	return rvt_dealloc_mw(&mw->ibmw)
		       ? NULL
		       : (void *)(intptr_t)__atomic_load_n(&stored, __ATOMIC_RELAXED);
}

/* A copy that is under way ends before the window is gone; none begins any more. */
static void dealloc_mw__waits_for_who_stores(void **state)
{
	struct rvt_lkey_table *rkt = &w.f->fake->rdi.lkey_table;
	struct rvt_qp *qp = ibqp_to_rvtqp(w.f->b.qp);
	struct base_cause why;
	struct rvt_mw mw;
	pthread_t thread;
	void *seen;

	(void)state;
	__atomic_store_n(&stored, 0, __ATOMIC_RELAXED);
	assert_int_equal(make(&mw, IB_MW_TYPE_1), 0);
	bind_window(&mw, 0, 64, WRITE);
	assert_true(rvt_rkey_enter(qp, mw.ibmw.rkey, &why));
	assert_int_equal(pthread_create(&thread, NULL, dealloc, &mw), 0);
	while (rvt_mr_entry_has_rkey(&rkt->entries[mw.slot], mw.ibmw.rkey))
		sched_yield();
	for (int i = 0; i < 100; i++) /* so that who does not wait is gone before */
		sched_yield();
	__atomic_store_n(&stored, 7, __ATOMIC_RELAXED);
	rvt_rkey_leave(qp, mw.ibmw.rkey);
	assert_int_equal(pthread_join(thread, &seen), 0);
	assert_int_equal((intptr_t)seen, 7);
	assert_false(rvt_rkey_enter(qp, mw.ibmw.rkey, &why));
	assert_int_equal(why.id, BASE_CAUSE_RKEY_NONE);
}

/* Binding */

static void bind__grants_its_part_and_its_rights(void **state)
{
	(void)state;
	bind_window(&w.one, 64, 128, WRITE);
	assert_true(b_allows(w.one.ibmw.rkey, 64, 128, WRITE));
	assert_true(b_allows(w.one.ibmw.rkey, 191, 1, WRITE));
	assert_false(b_allows(w.one.ibmw.rkey, 63, 1, WRITE));
	assert_last(RKEY_BOUNDS);
	assert_false(b_allows(w.one.ibmw.rkey, 192, 1, WRITE));
	assert_false(b_allows(w.one.ibmw.rkey, 64, 1, READ));
	assert_last(RKEY_NO_READ);
	assert_true(allows(qp_a(w.f), w.one.ibmw.rkey, rx_at(64), 1, WRITE)); /* type 1: any QP */
}

static void bind__to_local_rights_grants_nothing(void **state)
{
	(void)state;
	bind_window(&w.two, 0, 64, IB_ACCESS_LOCAL_WRITE);
	assert_false(b_allows(w.two.ibmw.rkey, 0, 1, WRITE));
	assert_last(RKEY_NO_WRITE);
}

static void bind__type_2_is_for_its_qp_only(void **state)
{
	(void)state;
	bind_window(&w.two, 64, 128, WRITE | READ);
	assert_true(b_allows(w.two.ibmw.rkey, 64, 128, READ));
	assert_false(allows(qp_a(w.f), w.two.ibmw.rkey, rx_at(64), 1, READ));
	assert_last(MW_OTHER_QP);
}

static void bind__zero_based(void **state)
{
	(void)state;
	bind_window(&w.two, 64, 128, WRITE | IB_ZERO_BASED);
	assert_true(allows(qp_b(w.f), w.two.ibmw.rkey, 0, 128, WRITE));
	assert_false(allows(qp_b(w.f), w.two.ibmw.rkey, 1, 128, WRITE));
}

static void bind__type_1_anew_and_not_at_all(void **state)
{
	u32 before;

	(void)state;
	bind_window(&w.one, 0, 64, WRITE);
	before = w.one.ibmw.rkey;
	bind_window(&w.one, 64, 64, WRITE);
	assert_false(b_allows(before, 0, 1, WRITE));
	assert_last(MW_STALE);
	assert_true(b_allows(w.one.ibmw.rkey, 64, 1, WRITE));
	bind_window(&w.one, 0, 0, 0);
	assert_false(b_allows(w.one.ibmw.rkey, 64, 1, WRITE));
	assert_last(MW_UNBOUND);
}

static void bind__refusals(void **state)
{
	struct rvt_bind_wr wr = bind_of(&w.two, 0, 64, WRITE);
	struct ib_mr *poor = ib_reg_user_mr(w.f->pd, rx_at(0), 64, rx_at(0), IB_ACCESS_MW_BIND);
	struct ib_mr *zero =
		ib_reg_user_mr(w.f->pd, rx_at(0), 64, rx_at(0), IB_ACCESS_MW_BIND | IB_ZERO_BASED);

	(void)state;
	assert_false(IS_ERR(poor) || IS_ERR(zero));
	wr.mw_rkey ^= 1;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_STALE);
	wr.mw_rkey = w.mr->rkey;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_NONE);
	wr = bind_of(&w.two, 0, 64, WRITE);
	wr.mr_lkey = w.mr->rkey;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_REGION);
	wr.mr_lkey = 0;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_REGION);
	wr.mr_lkey = w.one.ibmw.rkey;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_REGION);
	wr.mr_lkey = w.f->mr->lkey; /* no IB_ACCESS_MW_BIND */
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_RIGHTS);
	wr.mr_lkey = poor->lkey; /* no IB_ACCESS_LOCAL_WRITE */
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_RIGHTS);
	wr.mr_lkey = zero->lkey;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_ZERO_BASED);
	wr = bind_of(&w.two, BUFFER_BYTES - 63, 64, WRITE);
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_BOUNDS);
	wr = bind_of(&w.two, 0, 64, WRITE);
	wr.length = UINT64_MAX - wr.addr + 2;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_BOUNDS);
	wr = bind_of(&w.two, 0, 0, WRITE);
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_EMPTY);
	wr = bind_of(&w.one, 0, 64, WRITE | IB_ZERO_BASED);
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_ZERO_BASED);
	bind_window(&w.two, 0, 64, WRITE);
	wr = bind_of(&w.two, 0, 64, WRITE);
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_BOUND);
	assert_int_equal(ib_dereg_mr(poor), 0);
	assert_int_equal(ib_dereg_mr(zero), 0);
}

static void bind__another_pd(void **state)
{
	struct ib_pd *pd = ib_alloc_pd(w.f->pd->device, 0);
	struct rvt_bind_wr wr = bind_of(&w.two, 0, 64, WRITE);
	struct ib_mr *mr;

	(void)state;
	assert_false(IS_ERR(pd));
	mr = ib_reg_user_mr(pd, rx_at(0), 64, rx_at(0), IB_ACCESS_MW_BIND | IB_ACCESS_LOCAL_WRITE);
	assert_false(IS_ERR(mr));
	wr.mr_lkey = mr->lkey;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(LKEY_PD);
	w.two.ibmw.pd = pd;
	assert_int_equal(refused(&wr), -EINVAL);
	assert_last(MW_PD);
	w.two.ibmw.pd = w.f->pd;
	assert_int_equal(ib_dereg_mr(mr), 0);
	ib_dealloc_pd(pd);
}

/* A bind that waits for its turn, and then fails. */
static void bind__fails_with_a_status_of_its_own(void **state)
{
	struct rvt_bind_wr wr = bind_of(&w.two, 0, 0, WRITE);

	(void)state;
	w.f->fake->manual = true;
	atomic_inc(&qp_b(w.f)->local_ops_pending); /* as if one waited */
	assert_int_equal(ib_post_send(w.f->b.qp, &wr.wr, NULL), 0);
	atomic_dec(&qp_b(w.f)->local_ops_pending);
	fake_rvt_turn(1);
	expect(w.cq, 9, IB_WC_MW_BIND_ERR);
	assert_int_equal(state_of(&w.f->b), IB_QPS_ERR);
	assert_contains(cause_of(&w.f->b), "MW_BIND_ERR: no bytes for the window");
}

/* Traffic: QP a writes through a window of QP b's process. */
static void access__write_and_read_through_a_window(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = rdma_of(f, IB_WR_RDMA_WRITE, 1);

	bind_window(&w.two, 64, 128, WRITE);
	wr.remote_addr = rx_at(64);
	wr.rkey = w.two.ibmw.rkey;
	assert_int_equal(post(f, f->a.qp, wr, 128), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	assert_memory_equal(f->rx + 64, f->tx, 128);
	wr.remote_addr++;
	assert_int_equal(post(f, f->a.qp, wr, 128), 0);
	expect(f->a.send_cq, 1, IB_WC_REM_ACCESS_ERR);
}

/* Invalidating */

static int invalidate_by(struct ib_qp *qp, u32 rkey)
{
	return rvt_invalidate_rkey(ibqp_to_rvtqp(qp), rkey);
}

static void invalidate__type_2(void **state)
{
	struct fixture *f = *state;
	const u32 unbound = w.two.ibmw.rkey;

	assert_int_equal(invalidate_by(f->b.qp, unbound), -EINVAL);
	assert_last(MW_UNBOUND);
	bind_window(&w.two, 0, 64, WRITE);
	assert_int_equal(invalidate_by(f->b.qp, unbound), -EINVAL);
	assert_last(MW_STALE);
	assert_int_equal(invalidate_by(f->b.qp, w.two.ibmw.rkey), 0);
	assert_false(b_allows(w.two.ibmw.rkey, 0, 1, WRITE));
	bind_window(&w.two, 64, 64, WRITE);
	assert_true(b_allows(w.two.ibmw.rkey, 64, 1, WRITE));
}

static void invalidate__not_type_1(void **state)
{
	struct fixture *f = *state;
	struct base_cause why;

	bind_window(&w.one, 0, 64, WRITE);
	assert_int_equal(invalidate_by(f->b.qp, w.one.ibmw.rkey), -EINVAL);
	assert_last(MW_INVALIDATE_TYPE);
	assert_int_equal(rvt_remote_invalidate(qp_b(f), w.one.ibmw.rkey, &why), -EINVAL);
	assert_int_equal(why.id, BASE_CAUSE_MW_INVALIDATE_TYPE);
	assert_true(b_allows(w.one.ibmw.rkey, 0, 1, WRITE));
}

static void invalidate__by_the_peer(void **state)
{
	struct fixture *f = *state;
	struct ib_rdma_wr wr = {.wr = {.wr_id = 1, .opcode = IB_WR_SEND_WITH_INV}};
	struct base_cause why;
	struct ib_wc wc;

	bind_window(&w.two, 0, 64, WRITE);
	assert_int_equal(rvt_remote_invalidate(qp_a(f), w.two.ibmw.rkey, &why), -EINVAL);
	assert_int_equal(why.id, BASE_CAUSE_MW_OTHER_QP);
	wr.wr.ex.invalidate_rkey = w.two.ibmw.rkey;
	assert_int_equal(post_recv(f, f->b.qp, 2, 64), 0);
	assert_int_equal(post(f, f->a.qp, wr, 8), 0);
	expect(f->a.send_cq, 1, IB_WC_SUCCESS);
	wc = expect(f->b.recv_cq, 2, IB_WC_SUCCESS);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_INVALIDATE);
	assert_int_equal(wc.ex.invalidate_rkey, w.two.ibmw.rkey);
	assert_false(b_allows(w.two.ibmw.rkey, 0, 1, WRITE));
	assert_last(MW_UNBOUND);
}

/* What windows keep from going */

static void dereg_mr__not_while_a_window_is_bound(void **state)
{
	struct fixture *f = *state;

	bind_window(&w.one, 0, 64, WRITE);
	bind_window(&w.two, 0, 64, WRITE);
	assert_int_equal(ib_dereg_mr(w.mr), -EINVAL);
	assert_last(MR_BOUND);
	assert_contains(last_cause(), "2 windows are bound");
	assert_int_equal(invalidate_by(f->b.qp, w.mr->lkey), -EINVAL);
	assert_last(MR_BOUND);
	bind_window(&w.one, 0, 0, 0);
	assert_int_equal(ib_dereg_mr(w.mr), -EINVAL);
	assert_int_equal(invalidate_by(f->b.qp, w.two.ibmw.rkey), 0);
	assert_int_equal(ib_dereg_mr(w.mr), 0);
	w.mr = NULL;
}

static void destroy_qp__unbinds_what_is_bound_through_it(void **state)
{
	struct fixture *f = *state;

	bind_window(&w.one, 0, 64, WRITE);
	bind_window(&w.two, 0, 64, WRITE);
	fake_rvt_end_exit(&f->b);
	assert_ptr_equal(w.two.mr, NULL);
	assert_true(allows(qp_a(f), w.one.ibmw.rkey, rx_at(0), 1, WRITE));
	assert_false(allows(qp_a(f), w.two.ibmw.rkey, rx_at(0), 1, WRITE));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(alloc_mw__limits),
		TEST(alloc_mw__grants_nothing),
		TEST(dealloc_mw__takes_the_key_away),
		TEST(dealloc_mw__waits_for_who_stores),
		TEST(bind__grants_its_part_and_its_rights),
		TEST(bind__to_local_rights_grants_nothing),
		TEST(bind__type_2_is_for_its_qp_only),
		TEST(bind__zero_based),
		TEST(bind__type_1_anew_and_not_at_all),
		TEST(bind__refusals),
		TEST(bind__another_pd),
		TEST(bind__fails_with_a_status_of_its_own),
		TEST(access__write_and_read_through_a_window),
		TEST(invalidate__type_2),
		TEST(invalidate__not_type_1),
		TEST(invalidate__by_the_peer),
		TEST(dereg_mr__not_while_a_window_is_bound),
		TEST(destroy_qp__unbinds_what_is_bound_through_it),
	};

	return verbena_test_main(tests);
}
