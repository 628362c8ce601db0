// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Posting receives, and taking them for messages. */
#include "rdmavt/qp_recv.c"

#include <pthread.h>

#include "common/process.h"
#include "qp_fixture.h"
#include "rdmavt/qp.h"

static void refused(struct ib_qp *qp, const struct ib_recv_wr *wr, int err, const char *cause)
{
	const struct ib_recv_wr *bad = NULL;

	assert_int_equal(ib_post_recv(qp, wr, &bad), err);
	assert_ptr_equal(bad, wr);
	assert_contains(last_cause(), cause);
	assert_int_equal(ib_post_recv(qp, wr, NULL), err);
}

/* Posting */

static void rvt_post_recv__is_refused_in_reset_only(void **state)
{
	struct fixture *f = *state;
	const struct ib_recv_wr wr = {.wr_id = 3};

	refused(f->a.qp, &wr, -EINVAL, "the QP is in RESET, where no receive can be posted");
	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_INIT, 0), 0);
	assert_int_equal(ib_post_recv(f->a.qp, &wr, NULL), 0);
}

static void rvt_post_recv__chain_up_to_the_bad_one_is_queued(void **state)
{
	struct fixture *f = *state;
	struct ib_recv_wr wr[3] = {{.wr_id = 0}, {.wr_id = 1, .num_sge = 5}, {.wr_id = 2}};
	const struct ib_recv_wr *bad;

	wr[0].next = &wr[1];
	wr[1].next = &wr[2];
	assert_int_equal(ib_post_recv(f->a.qp, wr, &bad), -EINVAL);
	assert_ptr_equal(bad, &wr[1]);
	assert_contains(last_cause(), "WR 1 RECV: 5 SGEs; the queue takes 4");
	assert_int_equal(rvt_rq_available(&qp_a(f)->r_rq), 1);
	wr[1].num_sge = -1;
	assert_int_equal(ib_post_recv(f->a.qp, &wr[1], NULL), -EINVAL);
	wr[1].num_sge = 1;
	assert_int_equal(ib_post_recv(f->a.qp, &wr[1], NULL), -EINVAL);
	assert_contains(last_cause(), "WR 1 RECV: num_sge is 1, and sg_list is NULL");
}

static void rvt_post_recv__full_queue_refuses(void **state)
{
	struct fixture *f = *state;
	const struct ib_recv_wr wr = {.wr_id = 3};

	for (int i = 0; i < 8; i++)
		assert_int_equal(ib_post_recv(f->a.qp, &wr, NULL), 0);
	refused(f->a.qp, &wr, -ENOMEM, "all 8 receive requests are outstanding");
}

static void rvt_post_recv__qp_with_an_srq_takes_none(void **state)
{
	struct fixture *f = *state;
	const struct ib_recv_wr wr = {.wr_id = 3};
	struct ib_srq_init_attr init = {.attr = {.max_wr = 4, .max_sge = 1},
					.srq_type = IB_SRQT_BASIC};
	struct ib_srq *srq = ib_create_srq(f->pd, &init);
	struct ib_qp_init_attr attr = {.qp_type = IB_QPT_RC};

	assert_false(IS_ERR(srq));
	attr.srq = srq;
	if (!fake_rvt_end_init(&f->b, f->pd, &attr)) {
		refused(f->b.qp, &wr, -EINVAL, "takes its receives from an SRQ");
		fake_rvt_end_exit(&f->b);
	}
	ib_destroy_srq(srq);
}

/* [sm 5]: in ERR a receive completes at once, after those that were there [sm 7.1]. */
static void rvt_post_recv__in_err_completes_as_flushed(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr err = {.qp_state = IB_QPS_ERR};
	const struct ib_recv_wr bad = {.wr_id = 3, .num_sge = 5};
	struct ib_wc wc;

	assert_int_equal(post_recv(f, f->a.qp, 1, 10), 0);
	assert_int_equal(post_recv(f, f->a.qp, 2, 10), 0);
	assert_int_equal(ib_modify_qp(f->a.qp, &err, IB_QP_STATE), 0);
	assert_int_equal(post_recv(f, f->a.qp, 3, 10), 0);
	for (u64 i = 1; i <= 3; i++) {
		wc = expect(f->a.recv_cq, i, IB_WC_WR_FLUSH_ERR);
		assert_int_equal(wc.opcode, IB_WC_RECV);
		assert_int_equal(wc.byte_len, 0);
		assert_ptr_equal(wc.qp, f->a.qp);
		assert_int_equal(wc.vendor_err, BASE_CAUSE_QP_ERR_ASKED);
	}
	expect_none(f->a.recv_cq);
	refused(f->a.qp, &bad, -EINVAL, "5 SGEs; the queue takes 4");
}

struct poster {
	struct ib_qp *qp;
	unsigned int posted;
	bool stop;
};

static void *post_until_told(void *arg)
{
	struct poster *p = arg;
	const struct ib_recv_wr wr = {.wr_id = 1};

	while (!__atomic_load_n(&p->stop, __ATOMIC_RELAXED) && p->posted < 60)
		if (!ib_post_recv(p->qp, &wr, NULL))
			p->posted++;
	return NULL;
}

/* However a post races with ERR, every request that was taken completes. */
static void rvt_post_recv__none_is_forgotten_on_the_way_to_err(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr err = {.qp_state = IB_QPS_ERR}, reset = {.qp_state = IB_QPS_RESET};

	for (int round = 0; round < 50; round++) {
		struct poster p = {.qp = f->a.qp};
		pthread_t thread;
		unsigned int completed = 0;
		struct ib_wc wc;

		assert_int_equal(pthread_create(&thread, NULL, post_until_told, &p), 0);
		assert_int_equal(ib_modify_qp(f->a.qp, &err, IB_QP_STATE), 0);
		__atomic_store_n(&p.stop, true, __ATOMIC_RELAXED);
		pthread_join(thread, NULL);
		while (fake_rvt_poll(f->a.recv_cq, &wc))
			completed++;
		assert_int_equal(completed, p.posted);
		assert_int_equal(ib_modify_qp(f->a.qp, &reset, IB_QP_STATE), 0);
		assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_RTS, 1), 0);
	}
}

/* The kernel's rdmavt leaves receives in the ring of a QP that went to RESET. */
static void rvt_post_recv__reset_forgets_what_was_posted(void **state)
{
	struct fixture *f = *state;
	struct ib_qp_attr reset = {.qp_state = IB_QPS_RESET};

	for (u64 i = 0; i < 5; i++)
		assert_int_equal(post_recv(f, f->a.qp, i, 10), 0);
	assert_int_equal(ib_modify_qp(f->a.qp, &reset, IB_QP_STATE), 0);
	expect_none(f->a.recv_cq);
	assert_int_equal(rvt_rq_available(&qp_a(f)->r_rq), 0);
}

/* SRQs */

static int fixture_srq(void **state)
{
	return fixture_bare(state);
}

static struct ib_srq *make_srq(struct fixture *f, u32 max_wr)
{
	struct ib_srq_init_attr init = {.attr = {.max_wr = max_wr, .max_sge = 2},
					.srq_type = IB_SRQT_BASIC};
	struct ib_srq *srq = ib_create_srq(f->pd, &init);

	assert_false(IS_ERR(srq));
	return srq;
}

static void rvt_post_srq_recv__refusals(void **state)
{
	struct fixture *f = *state;
	struct ib_srq *srq = make_srq(f, 3);
	struct ib_recv_wr wr[4] = {{0}};
	const struct ib_recv_wr *bad;

	wr[0].num_sge = 3;
	assert_int_equal(ib_post_srq_recv(srq, wr, &bad), -EINVAL);
	assert_ptr_equal(bad, wr);
	wr[0].num_sge = 0;
	for (int i = 0; i < 3; i++)
		wr[i].next = &wr[i + 1];
	assert_int_equal(ib_post_srq_recv(srq, wr, &bad), -ENOMEM);
	assert_ptr_equal(bad, &wr[3]);
	assert_contains(last_cause(), "all 3 receive requests");
	assert_int_equal(ib_post_srq_recv(srq, wr, NULL), -ENOMEM);
	assert_int_equal(rvt_rq_available(&ibsrq_to_rvtsrq(srq)->rq), 3);
	ib_destroy_srq(srq);
}

/* Taking */

static int get(struct rvt_qp *qp, bool wr_id_only)
{
	int ret;

	spin_lock(&qp->r_lock);
	ret = rvt_get_rwqe(qp, wr_id_only);
	spin_unlock(&qp->r_lock);
	return ret;
}

static void rvt_get_rwqe__takes_the_oldest_and_translates_it(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct ib_sge sge[4] = {sge_of(f, f->rx, 10), sge_of(f, f->rx, 0),
				sge_of(f, f->rx + 10, 20), sge_of(f, f->rx + 100, 30)};
	const struct ib_recv_wr wr = {.wr_id = 77, .sg_list = sge, .num_sge = 4};

	assert_int_equal(get(qp, false), 0);
	assert_int_equal(ib_post_recv(f->a.qp, &wr, NULL), 0);
	assert_int_equal(post_recv(f, f->a.qp, 78, 5), 0);
	assert_int_equal(get(qp, false), 1);
	assert_int_equal(qp->r_wr_id, 77);
	assert_int_equal(qp->r_len, 60);
	assert_true(qp->r_aflags & 1 << RVT_R_WRID_VALID);
	/* Neighbours are one. */
	assert_int_equal(qp->r_sge.num_sge, 2);
	assert_ptr_equal(qp->r_sge.sge.vaddr, f->rx);
	assert_int_equal(qp->r_sge.sge.sge_length, 30);
	assert_ptr_equal(qp->r_sge.sg_list[0].vaddr, f->rx + 100);
	rvt_put_ss(&qp->r_sge);
	assert_int_equal(get(qp, true), 1);
	assert_int_equal(qp->r_wr_id, 78);
	assert_int_equal(get(qp, false), 0);
}

static void rvt_get_rwqe__nothing_in_a_state_that_receives_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(fake_rvt_to(f->a.qp, IB_QPS_INIT, 0), 0);
	assert_int_equal(post_recv(f, f->a.qp, 1, 5), 0);
	assert_int_equal(get(qp_a(f), false), 0);
}

static void rvt_get_rwqe__bad_sge_completes_the_request(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct ib_sge sge[2] = {sge_of(f, f->rx, 10), {.addr = 1, .length = 1, .lkey = 0xbad00}};
	const struct ib_recv_wr wr = {.wr_id = 77, .sg_list = sge, .num_sge = 2};
	const struct rvt_mregion *mr = &container_of(f->mr, struct rvt_mr, ibmr)->mr;
	const s64 references = atomic64_read(&mr->refcount.count);
	struct ib_wc wc;

	assert_int_equal(ib_post_recv(f->a.qp, &wr, NULL), 0);
	assert_int_equal(get(qp, false), -1);
	wc = expect(f->a.recv_cq, 77, IB_WC_LOC_PROT_ERR);
	assert_int_equal(wc.opcode, IB_WC_RECV);
	assert_int_equal(wc.vendor_err, qp->first_cause.id);
	assert_int_equal(atomic64_read(&mr->refcount.count), references);
	assert_int_equal(qp->r_sge.num_sge, 0);
	assert_int_equal(rvt_rq_available(&qp->r_rq), 0);
	assert_contains(cause_of(&f->a), "WR 77 RECV -> LOC_PROT_ERR: lkey");
}

/* A region that only its owner may read cannot be received into. */
static void rvt_get_rwqe__needs_local_write(void **state)
{
	struct fixture *f = *state;
	struct ib_mr *mr =
		ib_reg_user_mr(f->pd, (u64)(uintptr_t)f->rx, 100, (u64)(uintptr_t)f->rx, 0);
	struct ib_sge sge;
	const struct ib_recv_wr wr = {.wr_id = 77, .sg_list = &sge, .num_sge = 1};

	assert_false(IS_ERR(mr));
	sge = (struct ib_sge){.addr = (u64)(uintptr_t)f->rx, .length = 8, .lkey = mr->lkey};
	assert_int_equal(ib_post_recv(f->a.qp, &wr, NULL), 0);
	assert_int_equal(get(qp_a(f), false), -1);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void rvt_get_rwqe__counts_right_around_the_ring(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);

	for (u64 i = 0; i < 100; i++) {
		assert_int_equal(post_recv(f, f->a.qp, i, 5), 0);
		if (i & 1) {
			assert_int_equal(post_recv(f, f->a.qp, 1000 + i, 5), 0);
			assert_int_equal(rvt_rq_available(&qp->r_rq), 2);
			assert_int_equal(get(qp, true), 1);
			assert_int_equal(qp->r_wr_id, i);
		}
		assert_int_equal(get(qp, true), 1);
		assert_int_equal(get(qp, true), 0);
	}
}

/* The ring of a process: its indices and entries are whatever it likes. */
static void rvt_get_rwqe__mapped_ring_is_not_trusted(void **state)
{
	struct fixture *f = *state;
	struct rvt_qp *qp = qp_a(f);
	struct rvt_rq *rq = &qp->r_rq;
	struct rvt_rq own = *rq;
	struct process p;
	int ret;

	process_init(&p, f->a.qp->device);
	ret = rvt_alloc_rq(rq, 9 * (u32)(sizeof(struct rvt_rwqe) + 4 * sizeof(struct ib_sge)), 0,
			   process_call(&p, 0, 0));
	if (ret) {
		*rq = own;
		fail();
	}
	assert_non_null(rq->wq);
	assert_ptr_equal(rq->kwq->curr_wq, rq->wq->wq);
	qp->ip = rq->ip;
	rq->wq->head.val = 0xffffffff;
	rq->wq->tail.val = 0x12345678;
	assert_int_equal(get(qp, true), 0);
	rq->wq->head.val = 1;
	rq->wq->wq[0].wr_id = 5;
	rq->wq->wq[0].num_sge = 200;
	assert_int_equal(get(qp, false), -1);
	expect(f->a.recv_cq, 5, IB_WC_LOC_PROT_ERR);
	assert_int_equal(rq->wq->tail.val, 1);
	rvt_rq_free(rq);
	assert_null(rq->wq);
	assert_null(rq->kwq);
	assert_int_equal(p.live, 0);
	*rq = own;
	qp->ip = NULL;
}

/* The index that the process writes, or the one it cannot reach. */
static void get_rvt_head__of_the_ring_in_use(void **state)
{
	struct rvt_rwq mapped = {.head.val = 5};
	struct rvt_krwq kernel = {.head = 7};
	struct rvt_rq rq = {.wq = &mapped, .kwq = &kernel, .size = 9};
	struct rvt_mmap_info ip = {0};

	(void)state;
	assert_int_equal(get_rvt_head(&rq, &ip), 5);
	assert_int_equal(get_rvt_head(&rq, NULL), 7);
}

static void rvt_alloc_rq__kernel_ring(void **state)
{
	struct rvt_rq rq = {.size = 4, .max_sge = 1};

	(void)state;
	assert_int_equal(
		rvt_alloc_rq(&rq, 4 * (u32)(sizeof(struct rvt_rwqe) + sizeof(struct rvt_wqe_sge)),
			     0, NULL),
		0);
	assert_null(rq.wq);
	assert_ptr_equal(rq.kwq->curr_wq, rq.kwq->wq);
	assert_int_equal(rvt_rq_available(&rq), 0);
	rvt_rq_free(&rq);
	assert_null(rq.kwq);
}

#define RESET(test) cmocka_unit_test_setup_teardown(test, fixture_rc_reset, fixture_down)
#define RC(test) cmocka_unit_test_setup_teardown(test, fixture_rc, fixture_down)
#define BARE(test) cmocka_unit_test_setup_teardown(test, fixture_srq, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RESET(rvt_post_recv__is_refused_in_reset_only),
		RC(rvt_post_recv__chain_up_to_the_bad_one_is_queued),
		RC(rvt_post_recv__full_queue_refuses),
		BARE(rvt_post_recv__qp_with_an_srq_takes_none),
		RC(rvt_post_recv__in_err_completes_as_flushed),
		RC(rvt_post_recv__none_is_forgotten_on_the_way_to_err),
		RC(rvt_post_recv__reset_forgets_what_was_posted),
		BARE(rvt_post_srq_recv__refusals),
		RC(rvt_get_rwqe__takes_the_oldest_and_translates_it),
		RESET(rvt_get_rwqe__nothing_in_a_state_that_receives_nothing),
		RC(rvt_get_rwqe__bad_sge_completes_the_request),
		RC(rvt_get_rwqe__needs_local_write),
		RC(rvt_get_rwqe__counts_right_around_the_ring),
		RC(rvt_get_rwqe__mapped_ring_is_not_trusted),
		cmocka_unit_test(get_rvt_head__of_the_ring_in_use),
		cmocka_unit_test(rvt_alloc_rq__kernel_ring),
	};

	return verbena_test_main(tests);
}
