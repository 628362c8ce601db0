// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Shared receive queues. */
#include <pthread.h>
#include <sched.h>

#include "base/umem.h"
#include "common/librxe.h"
#include "common/process.h"
#include "common/rvt_bare.h"
#include "rdmavt/qp.h"
#include "rdmavt/srq.c"

struct fixture {
	struct bare *b;
	struct rvt_pd pd;
	struct rvt_srq srq; /* 4 requests of 2 SGEs */
	struct rvt_qp qp;   /* takes from it */
	struct rvt_sge sges[2];
	unsigned int events;
	struct ib_event last;
};

static void on_event(struct ib_event *event, void *context)
{
	struct fixture *f = context;

	f->events++;
	f->last = *event;
}

static int create(struct fixture *f, struct rvt_srq *srq, u32 max_wr, u32 max_sge,
		  struct ib_udata *udata)
{
	struct ib_srq_init_attr attr = {.attr = {.max_wr = max_wr, .max_sge = max_sge}};

	memset(srq, 0, sizeof(*srq));
	srq->ibsrq.device = &f->b->rdi.ibdev;
	srq->ibsrq.pd = &f->pd.ibpd;
	srq->ibsrq.event_handler = on_event;
	srq->ibsrq.srq_context = f;
	return rvt_create_srq(&srq->ibsrq, &attr, udata);
}

static int setup(void **state)
{
	struct fixture *f = base_zalloc(sizeof(*f));

	if (!f)
		return -1;
	f->b = bare_new();
	if (f->b) {
		f->pd.ibpd.device = &f->b->rdi.ibdev;
		rvt_driver_srq_init(&f->b->rdi);
		rvt_mmap_init(&f->b->rdi);
	}
	if (base_umem_init() || !f->b || create(f, &f->srq, 4, 2, NULL)) {
		base_free(f->b);
		base_free(f);
		return -1;
	}
	bare_qp_init(&f->qp, f->b, &f->pd.ibpd, 0x12, IB_QPS_RTS);
	f->qp.ibqp.srq = &f->srq.ibsrq;
	f->qp.r_sg_list = f->sges;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rvt_destroy_srq(&f->srq.ibsrq, NULL);
	base_free(f->b);
	base_free(f);
	return 0;
}

static int post(struct rvt_srq *srq, u64 wr_id)
{
	struct ib_recv_wr wr = {.wr_id = wr_id};

	return rvt_post_srq_recv(&srq->ibsrq, &wr, NULL);
}

/* Takes the oldest request, which must be @wr_id. */
static void assert_takes(struct fixture *f, u64 wr_id)
{
	assert_int_equal(rvt_get_rwqe(&f->qp, true), 1);
	assert_int_equal(f->qp.r_wr_id, wr_id);
}

static void assert_empty(struct fixture *f)
{
	assert_int_equal(rvt_get_rwqe(&f->qp, true), 0);
}

static int modify(struct fixture *f, u32 max_wr, u32 limit, int mask)
{
	struct ib_srq_attr attr = {.max_wr = max_wr, .srq_limit = limit};

	return rvt_modify_srq(&f->srq.ibsrq, &attr, (enum ib_srq_attr_mask)mask, NULL);
}

static void rvt_driver_srq_init__starts_from_none(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->b->rdi.n_srqs_allocated, 1);
	f->b->rdi.n_srqs_allocated = 77;
	rvt_driver_srq_init(&f->b->rdi);
	assert_int_equal(f->b->rdi.n_srqs_allocated, 0);
	f->b->rdi.n_srqs_allocated = 1;
}

static void rvt_create_srq__holds_exactly_what_was_asked_for(void **state)
{
	struct fixture *f = *state;
	struct ib_srq_attr attr;

	assert_int_equal(rvt_query_srq(&f->srq.ibsrq, &attr), 0);
	assert_int_equal(attr.max_wr, 4);
	assert_int_equal(attr.max_sge, 2);
	assert_int_equal(attr.srq_limit, 0);
	for (u64 i = 0; i < 4; i++)
		assert_int_equal(post(&f->srq, i), 0);
	assert_int_equal(post(&f->srq, 4), -ENOMEM);
	for (u64 i = 0; i < 4; i++)
		assert_takes(f, i);
	assert_empty(f);
}

static void rvt_create_srq__refuses(void **state)
{
	struct fixture *f = *state;
	struct ib_srq_init_attr attr = {.srq_type = IB_SRQT_XRC};
	struct rvt_srq more, last;

	assert_int_equal(rvt_create_srq(&f->srq.ibsrq, &attr, NULL), -EOPNOTSUPP);
	assert_cause(SRQ_TYPE);
	assert_int_equal(create(f, &more, 4, 0, NULL), -EINVAL);
	assert_cause(SRQ_SGE);
	assert_int_equal(create(f, &more, 4, 5, NULL), -EINVAL);
	assert_cause(SRQ_SGE);
	assert_int_equal(create(f, &more, 0, 1, NULL), -EINVAL);
	assert_cause(SRQ_WR);
	assert_int_equal(create(f, &more, 33, 1, NULL), -EINVAL);
	assert_cause(SRQ_WR);
	assert_int_equal(create(f, &more, 32, 4, NULL), 0);
	assert_int_equal(create(f, &last, 1, 1, NULL), -ENOMEM);
	assert_cause(SRQ_COUNT);
	assert_int_equal(rvt_destroy_srq(&more.ibsrq, NULL), 0);
	assert_int_equal(f->b->rdi.n_srqs_allocated, 1);
}

static void rvt_modify_srq__limit_event_once(void **state)
{
	struct fixture *f = *state;
	struct ib_srq_attr attr;

	for (u64 i = 0; i < 4; i++)
		assert_int_equal(post(&f->srq, i), 0);
	assert_int_equal(modify(f, 0, 3, IB_SRQ_LIMIT), 0);
	rvt_query_srq(&f->srq.ibsrq, &attr);
	assert_int_equal(attr.srq_limit, 3);
	assert_takes(f, 0);
	bare_run_workers();
	assert_int_equal(f->events, 0); /* 3 are left, which is not below 3 */
	assert_takes(f, 1);
	bare_run_workers();
	assert_int_equal(f->events, 1);
	assert_int_equal(f->last.event, IB_EVENT_SRQ_LIMIT_REACHED);
	assert_ptr_equal(f->last.element.srq, &f->srq.ibsrq);
	rvt_query_srq(&f->srq.ibsrq, &attr);
	assert_int_equal(attr.srq_limit, 0);
	assert_takes(f, 2);
	bare_run_workers();
	assert_int_equal(f->events, 1);
}

static void rvt_modify_srq__resizes_with_requests_in_it(void **state)
{
	struct fixture *f = *state;
	struct ib_sge sge = {0x1000, 8, 5};
	struct ib_recv_wr wr = {.wr_id = 9, .sg_list = &sge, .num_sge = 1};
	struct rvt_rwqe *entry;

	for (u64 i = 0; i < 3; i++)
		post(&f->srq, i);
	for (u64 i = 0; i < 3; i++)
		assert_takes(f, i);
	for (u64 i = 3; i < 6; i++)
		assert_int_equal(post(&f->srq, i), 0);
	assert_int_equal(rvt_post_srq_recv(&f->srq.ibsrq, &wr, NULL), 0); /* over the wrap */
	assert_int_equal(modify(f, 6, 0, IB_SRQ_MAX_WR), 0);
	assert_int_equal(f->srq.rq.size, 7);
	entry = rvt_get_rwqe_ptr(&f->srq.rq, 3);
	assert_int_equal(entry->sg_list[0].addr, 0x1000);
	assert_int_equal(entry->sg_list[0].length, 8);
	assert_int_equal(entry->sg_list[0].lkey, 5);
	assert_int_equal(post(&f->srq, 10), 0);
	assert_int_equal(post(&f->srq, 11), 0);
	assert_int_equal(post(&f->srq, 12), -ENOMEM);
	for (u64 i = 3; i < 6; i++)
		assert_takes(f, i);
	assert_takes(f, 9);
	assert_takes(f, 10);
	assert_takes(f, 11);
	assert_empty(f);
	assert_int_equal(modify(f, 1, 0, IB_SRQ_MAX_WR), 0);
	assert_int_equal(post(&f->srq, 13), 0);
	assert_int_equal(post(&f->srq, 14), -ENOMEM);
	assert_takes(f, 13);
}

static void rvt_modify_srq__refuses(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 3; i++)
		post(&f->srq, i);
	assert_int_equal(modify(f, 2, 0, IB_SRQ_MAX_WR), -EINVAL);
	assert_cause(SRQ_RESIZE);
	assert_int_equal(modify(f, 0, 0, IB_SRQ_MAX_WR), -EINVAL);
	assert_cause(SRQ_WR);
	assert_int_equal(modify(f, 33, 0, IB_SRQ_MAX_WR), -EINVAL);
	assert_cause(SRQ_WR);
	assert_int_equal(modify(f, 0, 5, IB_SRQ_LIMIT), -EINVAL);
	assert_cause(SRQ_LIMIT);
	assert_int_equal(modify(f, 8, 9, IB_SRQ_MAX_WR | IB_SRQ_LIMIT), -EINVAL);
	assert_cause(SRQ_LIMIT);
	assert_int_equal(modify(f, 8, 8, IB_SRQ_MAX_WR | IB_SRQ_LIMIT), 0);
	assert_int_equal(f->srq.limit, 8);
	assert_int_equal(modify(f, 4, 0, IB_SRQ_MAX_WR), -EINVAL); /* the limit stays above */
	assert_cause(SRQ_LIMIT);
	for (u64 i = 0; i < 3; i++)
		assert_takes(f, i);
}

static void rvt_create_srq__for_a_process_that_maps_it(void **state)
{
	struct fixture *f = *state;
	struct ib_srq_attr attr = {.max_wr = 8};
	struct process p;
	u64 offset = 0;
	struct rvt_srq srq;

	process_init(&p, &f->b->rdi.ibdev);
	assert_int_equal(create(f, &srq, 4, 1, process_call(&p, 0, sizeof(offset))), 0);
	memcpy(&offset, p.answer, sizeof(offset));
	assert_non_null(srq.rq.wq);
	assert_ptr_equal(process_map(&p, offset, PAGE_SIZE), srq.rq.wq);
	assert_int_equal(rvt_modify_srq(&srq.ibsrq, &attr, IB_SRQ_MAX_WR, NULL), -EINVAL);
	assert_cause(SRQ_MAPPED);
	assert_int_equal(rvt_destroy_srq(&srq.ibsrq, NULL), 0);
	assert_int_equal(p.live, 0);
	p.no_memory = true;
	assert_int_equal(create(f, &srq, 4, 1, process_call(&p, 0, sizeof(offset))), -ENOMEM);
}

/* As libhfi1verbs does: the answer goes where the request says. */
static int resize_abi(struct process *p, struct rvt_srq *srq, u32 max_wr, u64 *offset)
{
	struct ib_srq_attr attr = {.max_wr = max_wr};
	const u64 where = (uintptr_t)offset;
	struct ib_udata *udata = process_call(p, sizeof(where), 0);

	memcpy(p->request, &where, sizeof(where));
	return rvt_modify_srq(&srq->ibsrq, &attr, IB_SRQ_MAX_WR, udata);
}

static void post_mapped(struct rvt_rwq *wq, u32 size, u64 wr_id)
{
	const size_t bytes = sizeof(struct rvt_rwqe) + sizeof(struct rvt_wqe_sge);
	const u32 head = RDMA_READ_UAPI_ATOMIC(wq->head);
	const struct rvt_rwqe wqe = {.wr_id = wr_id};

	memcpy((char *)wq->wq + head * bytes, &wqe, sizeof(wqe));
	RDMA_WRITE_UAPI_ATOMIC(wq->head, (head + 1) % size);
}

static void rvt_modify_srq__moves_what_a_process_maps(void **state)
{
	struct fixture *f = *state;
	struct rvt_srq srq;
	struct process p;
	u64 offset = 0;

	process_init(&p, &f->b->rdi.ibdev);
	assert_int_equal(create(f, &srq, 4, 1, process_call(&p, 0, sizeof(offset))), 0);
	f->qp.ibqp.srq = &srq.ibsrq;
	assert_non_null(srq.rq.wq);
	for (u64 i = 0; i < 4; i++)
		post_mapped(srq.rq.wq, 5, i);
	assert_takes(f, 0);
	post_mapped(srq.rq.wq, 5, 4); /* around the end */
	assert_int_equal(resize_abi(&p, &srq, 3, &offset), -EINVAL);
	assert_cause(SRQ_RESIZE);
	assert_int_equal(resize_abi(&p, &srq, 9, NULL), -EFAULT);
	p.no_memory = true;
	assert_int_equal(resize_abi(&p, &srq, 9, &offset), -ENOMEM);
	p.no_memory = false;
	assert_int_equal(p.live, 1);
	assert_int_equal(resize_abi(&p, &srq, 9, &offset), 0);
	assert_int_equal(p.live, 1);
	assert_ptr_equal(process_map(&p, offset, PAGE_SIZE), srq.rq.wq);
	assert_int_equal(srq.rq.size, 10);
	post_mapped(srq.rq.wq, 10, 5);
	for (u64 i = 1; i < 6; i++)
		assert_takes(f, i);
	assert_empty(f);
	RDMA_WRITE_UAPI_ATOMIC(srq.rq.wq->head, 10);
	assert_int_equal(resize_abi(&p, &srq, 20, &offset), -EINVAL);
	assert_cause(SRQ_GARBAGE);
	f->qp.ibqp.srq = &f->srq.ibsrq;
	assert_int_equal(rvt_destroy_srq(&srq.ibsrq, NULL), 0);
	assert_int_equal(p.live, 0);
}

/* librxe's SRQ: the process posts into its ring without telling anybody. */

struct shared {
	struct process p;
	struct rvt_srq srq;
	struct rxe_queue_buf *q;
};

static void share(struct fixture *f, struct shared *s, u32 max_wr)
{
	struct rxe_create_srq_resp answer;

	f->b->rdi.ibdev.ops.driver_id = RDMA_DRIVER_RXE;
	process_init(&s->p, &f->b->rdi.ibdev);
	assert_int_equal(create(f, &s->srq, max_wr, 2, process_call(&s->p, 0, sizeof(answer))), 0);
	memcpy(&answer, s->p.answer, sizeof(answer));
	assert_int_equal(answer.srq_num, s->srq.number);
	assert_int_equal(answer.reserved, 0);
	s->q = process_map(&s->p, answer.mi.offset, answer.mi.size);
	assert_non_null(s->q);
	f->qp.ibqp.srq = &s->srq.ibsrq;
}

static void rvt_create_srq__in_rxe_s_format(void **state)
{
	struct fixture *f = *state;
	struct ib_srq_attr attr;
	struct shared s;

	share(f, &s, 4);
	assert_int_equal(rvt_query_srq(&s.srq.ibsrq, &attr), 0);
	assert_int_equal(attr.max_wr, 7);
	assert_int_equal(attr.max_sge, 2);
	for (u64 i = 0; i < 20; i++) {
		assert_true(librxe_post_recv(s.q, i, NULL, 0));
		assert_true(librxe_post_recv(s.q, 100 + i, NULL, 0));
		assert_takes(f, i);
		assert_takes(f, 100 + i);
		assert_empty(f);
	}
	assert_int_equal(post(&s.srq, 1), -EINVAL);
	assert_cause(POST_RING);
	assert_int_equal(rvt_destroy_srq(&s.srq.ibsrq, NULL), 0);
	assert_int_equal(s.p.live, 0);
	assert_int_equal(create(f, &s.srq, 4, 2, process_call(&s.p, 0, 16)), -EINVAL);
	assert_cause(RING_UDATA);
	assert_int_equal(s.p.live, 0);
}

static void rvt_modify_srq__limit_counts_what_is_in_the_ring(void **state)
{
	struct fixture *f = *state;
	struct ib_srq_attr attr = {.srq_limit = 8};
	struct shared s;

	share(f, &s, 7);
	assert_int_equal(rvt_modify_srq(&s.srq.ibsrq, &attr, IB_SRQ_LIMIT, NULL), -EINVAL);
	assert_cause(SRQ_LIMIT);
	attr.srq_limit = 2;
	assert_int_equal(rvt_modify_srq(&s.srq.ibsrq, &attr, IB_SRQ_LIMIT, NULL), 0);
	for (u64 i = 0; i < 4; i++)
		assert_true(librxe_post_recv(s.q, i, NULL, 0));
	assert_takes(f, 0);
	assert_takes(f, 1);
	assert_int_equal(f->events, 0);
	assert_takes(f, 2);
	assert_int_equal(f->events, 1);
	assert_int_equal(f->last.event, IB_EVENT_SRQ_LIMIT_REACHED);
	assert_takes(f, 3);
	assert_int_equal(f->events, 1); /* once */
	assert_int_equal(rvt_destroy_srq(&s.srq.ibsrq, NULL), 0);
}

static int resize_shared(struct shared *s, u32 max_wr, struct mminfo *answer)
{
	struct rxe_modify_srq_cmd request = {.mmap_info_addr = (u64)(uintptr_t)answer};
	struct ib_srq_attr attr = {.max_wr = max_wr};

	memcpy(s->p.request, &request, sizeof(request));
	return rvt_modify_srq(&s->srq.ibsrq, &attr, IB_SRQ_MAX_WR,
			      process_call(&s->p, sizeof(request), 0));
}

static void rvt_modify_srq__requests_move_to_the_new_ring(void **state)
{
	struct fixture *f = *state;
	struct mminfo answer = {0};
	struct shared s;

	share(f, &s, 7);
	for (u64 i = 0; i < 6; i++)
		assert_true(librxe_post_recv(s.q, i, NULL, 0));
	assert_takes(f, 0);
	assert_int_equal(resize_shared(&s, 3, &answer), -EINVAL);
	assert_cause(SRQ_RESIZE);
	assert_int_equal(s.p.live, 1);
	s.p.no_memory = true;
	assert_int_equal(resize_shared(&s, 20, &answer), -ENOMEM);
	s.p.no_memory = false;
	assert_int_equal(modify(f, 20, 0, IB_SRQ_MAX_WR), 0); /* another one */
	assert_int_equal(rvt_modify_srq(&s.srq.ibsrq, &(struct ib_srq_attr){.max_wr = 20},
					IB_SRQ_MAX_WR, NULL),
			 -EINVAL);
	assert_cause(SRQ_MAPPED);
	assert_takes(f, 1);
	assert_int_equal(resize_shared(&s, 20, &answer), 0);
	assert_int_equal(s.p.live, 1);
	s.q = process_map(&s.p, answer.offset, answer.size);
	assert_non_null(s.q);
	assert_int_equal(s.q->index_mask, 31);
	assert_int_equal(s.srq.rq.size, 32);
	assert_true(librxe_post_recv(s.q, 6, NULL, 0));
	for (u64 i = 2; i < 7; i++)
		assert_takes(f, i);
	assert_empty(f);
	assert_int_equal(rvt_destroy_srq(&s.srq.ibsrq, NULL), 0);
	assert_int_equal(s.p.live, 0);
}

static void rvt_destroy_srq__uncounts(void **state)
{
	struct fixture *f = *state;
	struct rvt_srq srq;

	assert_int_equal(create(f, &srq, 4, 1, NULL), 0);
	assert_int_equal(f->b->rdi.n_srqs_allocated, 2);
	assert_int_equal(post(&srq, 1), 0);
	assert_int_equal(rvt_destroy_srq(&srq.ibsrq, NULL), 0);
	assert_int_equal(f->b->rdi.n_srqs_allocated, 1);
	assert_null(srq.rq.kwq);
}

/* Two threads post, one resizes and sets limits, one takes: nothing lost, nothing twice, each one's in order. */

#define POSTERS 2
#define EACH 2000

struct poster {
	struct fixture *f;
	u64 id;
};

static void *keep_posting(void *arg)
{
	struct poster *p = arg;

	for (u64 i = 0; i < EACH; i++)
		while (post(&p->f->srq, p->id << 32 | i))
			sched_yield();
	return NULL;
}

static void *keep_resizing(void *arg)
{
	struct fixture *f = arg;

	for (u32 i = 0; i < 100; i++) {
		modify(f, i & 1 ? 16 : 32, 3, IB_SRQ_MAX_WR);
		modify(f, 0, i % 8, IB_SRQ_LIMIT);
		sched_yield();
	}
	return NULL;
}

static void rvt_srq__many_threads(void **state)
{
	struct fixture *f = *state;
	struct poster posters[POSTERS];
	pthread_t threads[POSTERS], resizer;
	u64 next[POSTERS] = {0};
	unsigned int wrong = 0;

	for (u64 i = 0; i < POSTERS; i++) {
		posters[i] = (struct poster){f, i};
		pthread_create(&threads[i], NULL, keep_posting, &posters[i]);
	}
	pthread_create(&resizer, NULL, keep_resizing, f);
	for (int got = 0; got < POSTERS * EACH;) {
		if (rvt_get_rwqe(&f->qp, true) != 1) {
			sched_yield();
			continue;
		}
		wrong += (u32)f->qp.r_wr_id != next[f->qp.r_wr_id >> 32]++;
		got++;
	}
	for (int i = 0; i < POSTERS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(resizer, NULL);
	assert_int_equal(wrong, 0);
	assert_empty(f);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_driver_srq_init__starts_from_none),
	TEST(rvt_create_srq__holds_exactly_what_was_asked_for),
	TEST(rvt_create_srq__refuses),
	TEST(rvt_modify_srq__limit_event_once),
	TEST(rvt_modify_srq__resizes_with_requests_in_it),
	TEST(rvt_modify_srq__refuses),
	TEST(rvt_create_srq__for_a_process_that_maps_it),
	TEST(rvt_modify_srq__moves_what_a_process_maps),
	TEST(rvt_create_srq__in_rxe_s_format),
	TEST(rvt_modify_srq__limit_counts_what_is_in_the_ring),
	TEST(rvt_modify_srq__requests_move_to_the_new_ring),
	TEST(rvt_destroy_srq__uncounts),
	TEST(rvt_srq__many_threads),
};

int main(void)
{
	return verbena_test_main(tests);
}
