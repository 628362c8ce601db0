// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Completion queues. */
#include <pthread.h>

#include "base/umem.h"
#include "common/librxe.h"
#include "common/process.h"
#include "common/rvt_bare.h"
#include "rdmavt/cq.c"

struct fixture {
	struct bare *b;
	struct rvt_cq cq; /* of 4 entries */
	unsigned int completions, errors;
	struct ib_event last;
	bool rearm;
};

static void on_completion(struct ib_cq *cq, void *context)
{
	struct fixture *f = context;

	f->completions++;
	if (f->rearm) {
		f->rearm = false;
		rvt_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	}
}

static void on_error(struct ib_event *event, void *context)
{
	struct fixture *f = context;

	f->errors++;
	f->last = *event;
}

static int create(struct fixture *f, struct rvt_cq *cq, unsigned int cqe, u32 flags)
{
	struct ib_cq_init_attr attr = {.cqe = cqe, .comp_vector = 5, .flags = flags};

	memset(cq, 0, sizeof(*cq));
	cq->ibcq.device = &f->b->rdi.ibdev;
	cq->ibcq.comp_handler = on_completion;
	cq->ibcq.event_handler = on_error;
	cq->ibcq.cq_context = f;
	return rvt_create_cq(&cq->ibcq, &attr, NULL);
}

static int setup(void **state)
{
	struct fixture *f = base_zalloc(sizeof(*f));

	if (!f)
		return -1;
	f->b = bare_new();
	if (!f->b || create(f, &f->cq, 4, 0)) {
		base_free(f->b);
		base_free(f);
		return -1;
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rvt_destroy_cq(&f->cq.ibcq, NULL);
	base_free(f->b);
	base_free(f);
	return 0;
}

static bool enter(struct fixture *f, u64 wr_id)
{
	struct ib_wc wc = {.wr_id = wr_id};

	return rvt_cq_enter(&f->cq, &wc, false);
}

static bool enter_wc(struct fixture *f, bool solicited, enum ib_wc_status status)
{
	struct ib_wc wc = {.status = status};

	return rvt_cq_enter(&f->cq, &wc, solicited);
}

/* Polls all, which must be wr_id @first and following. */
static void assert_polls(struct fixture *f, u64 first, int count)
{
	struct ib_wc wc[16];

	assert_int_equal(rvt_poll_cq(&f->cq.ibcq, 16, wc), count);
	for (int i = 0; i < count; i++)
		assert_int_equal(wc[i].wr_id, first + (u64)i);
}

static void rvt_create_cq__has_what_was_asked_for(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->cq.ibcq.cqe, 4);
	assert_int_equal(f->cq.notify, RVT_CQ_NONE);
	assert_int_equal(f->cq.comp_vector_cpu, 1); /* vector 5 of 2 */
	assert_ptr_equal(f->cq.rdi, &f->b->rdi);
	assert_int_equal(f->b->rdi.n_cqs_allocated, 1);
	assert_int_equal(rvt_poll_cq(&f->cq.ibcq, 1, &(struct ib_wc){.wr_id = 0}), 0);
}

static void rvt_create_cq__refuses(void **state)
{
	struct fixture *f = *state;
	struct rvt_cq more[3];

	assert_int_equal(create(f, &more[0], 4, 1), -EOPNOTSUPP);
	assert_cause(CQ_FLAGS);
	assert_int_equal(create(f, &more[0], 0, 0), -EINVAL);
	assert_cause(CQ_SIZE);
	assert_int_equal(create(f, &more[0], 65, 0), -EINVAL);
	assert_cause(CQ_SIZE);
	assert_int_equal(create(f, &more[0], 64, 0), 0);
	assert_int_equal(create(f, &more[1], 1, 0), 0);
	assert_int_equal(create(f, &more[2], 1, 0), -ENOMEM);
	assert_cause(CQ_COUNT);
	assert_int_equal(rvt_destroy_cq(&more[0].ibcq, NULL), 0);
	assert_int_equal(rvt_destroy_cq(&more[1].ibcq, NULL), 0);
}

static int lookup_cpu(struct rvt_dev_info *rdi, int vector)
{
	(void)rdi;
	return 40 + vector;
}

static void rvt_create_cq__asks_the_driver_for_the_cpu(void **state)
{
	struct fixture *f = *state;
	struct rvt_cq cq;

	f->b->rdi.driver_f.comp_vect_cpu_lookup = lookup_cpu;
	assert_int_equal(create(f, &cq, 1, 0), 0);
	assert_int_equal(cq.comp_vector_cpu, 41);
	assert_int_equal(rvt_destroy_cq(&cq.ibcq, NULL), 0);
}

static void rvt_cq_enter__keeps_the_order_over_the_wrap(void **state)
{
	struct fixture *f = *state;
	u64 next_in = 100, next_out = 100;

	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 3; i++)
			assert_true(enter(f, next_in++));
		assert_polls(f, next_out, 3);
		next_out += 3;
	}
}

static void rvt_cq_enter__exact_capacity_then_an_event(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 4; i++)
		assert_true(enter(f, i));
	assert_int_equal(f->errors, 0);
	assert_false(enter(f, 4));
	assert_int_equal(f->errors, 0); /* not in the caller, who may hold locks */
	bare_run_workers();
	assert_int_equal(f->errors, 1);
	assert_int_equal(f->last.event, IB_EVENT_CQ_ERR);
	assert_ptr_equal(f->last.element.cq, &f->cq.ibcq);
	assert_ptr_equal(f->last.device, &f->b->rdi.ibdev);
	assert_polls(f, 0, 4);
}

static void rvt_cq_enter__full_once_is_full_for_ever(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 4; i++)
		enter(f, i);
	assert_false(enter(f, 4));
	assert_polls(f, 0, 4);
	assert_false(enter(f, 5));
	assert_int_equal(rvt_resize_cq(&f->cq.ibcq, 8, NULL), 0);
	assert_false(enter(f, 6));
	bare_run_workers();
	assert_int_equal(f->errors, 3); /* one for each that was lost */
	assert_polls(f, 0, 0);
}

static unsigned int tellings;

static void count_told(const struct base_cause *cause)
{
	assert_int_equal(cause->id, BASE_CAUSE_CQ_OVERFLOW);
	assert_int_equal(cause->arg[0], 4);
	tellings++;
}

/* A queue pair whose completion is lost may never have another: nobody else would say why. */
static void rvt_cq_enter__says_once_that_it_is_full(void **state)
{
	struct fixture *f = *state;

	base_cause_listen(count_told);
	for (u64 i = 0; i < 4; i++)
		enter(f, i);
	assert_int_equal(tellings, 0);
	enter(f, 4);
	enter(f, 5);
	base_cause_listen(NULL);
	assert_int_equal(tellings, 1);
	bare_run_workers();
}

static void rvt_cq_enter__allocates_nothing(void **state)
{
	struct fixture *f = *state;

	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	base_alloc_forbid(true);
	for (u64 i = 0; i < 5; i++)
		enter(f, i);
	assert_polls(f, 0, 4);
	base_alloc_forbid(false);
}

static void rvt_req_notify_cq__one_call_each(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP), 0);
	enter(f, 0);
	assert_int_equal(f->completions, 0); /* not in the caller */
	enter(f, 1);
	bare_run_workers();
	assert_int_equal(f->completions, 1);
	assert_int_equal(f->cq.triggered, 1);
	enter(f, 2);
	bare_run_workers();
	assert_int_equal(f->completions, 1); /* not armed */
}

static void rvt_req_notify_cq__solicited(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_SOLICITED), 0);
	enter_wc(f, false, IB_WC_SUCCESS);
	bare_run_workers();
	assert_int_equal(f->completions, 0);
	enter_wc(f, true, IB_WC_SUCCESS);
	bare_run_workers();
	assert_int_equal(f->completions, 1);
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_SOLICITED);
	enter_wc(f, false, IB_WC_WR_FLUSH_ERR);
	bare_run_workers();
	assert_int_equal(f->completions, 2); /* errors count as solicited */
}

static void rvt_req_notify_cq__next_is_not_weakened(void **state)
{
	struct fixture *f = *state;

	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_SOLICITED);
	enter_wc(f, false, IB_WC_SUCCESS);
	bare_run_workers();
	assert_int_equal(f->completions, 1);
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_SOLICITED);
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	enter_wc(f, false, IB_WC_SUCCESS);
	bare_run_workers();
	assert_int_equal(f->completions, 2);
}

static void rvt_req_notify_cq__reports_missed_events(void **state)
{
	struct fixture *f = *state;
	const enum ib_cq_notify_flags both = IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS;

	assert_int_equal(rvt_req_notify_cq(&f->cq.ibcq, both), 0);
	enter(f, 0);
	bare_run_workers();
	assert_int_equal(rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP), 0);
	assert_int_equal(rvt_req_notify_cq(&f->cq.ibcq, both), 1);
	enter(f, 1); /* armed all the same */
	bare_run_workers();
	assert_int_equal(f->completions, 2);
}

static void send_complete__again_for_what_came_meanwhile(void **state)
{
	struct fixture *f = *state;

	f->rearm = true;
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	enter(f, 0);
	bare_run_workers(); /* the handler arms the CQ again */
	assert_int_equal(f->completions, 1);
	enter(f, 1);
	bare_run_workers();
	assert_int_equal(f->completions, 2);
	send_complete(&f->cq.comptask); /* nothing is due */
	assert_int_equal(f->completions, 2);
}

static void rvt_destroy_cq__waits_for_the_handler(void **state)
{
	struct fixture *f = *state;
	struct rvt_cq cq;
	struct ib_wc wc = {.wr_id = 1};

	assert_int_equal(create(f, &cq, 1, 0), 0);
	rvt_req_notify_cq(&cq.ibcq, IB_CQ_NEXT_COMP);
	rvt_cq_enter(&cq, &wc, false);
	rvt_cq_enter(&cq, &wc, false);
	assert_int_equal(rvt_destroy_cq(&cq.ibcq, NULL), 0);
	assert_int_equal(f->completions, 1);
	assert_int_equal(f->errors, 1);
	assert_int_equal(f->b->rdi.n_cqs_allocated, 1);
	bare_run_workers();
	assert_int_equal(f->completions, 1);
}

static void rvt_resize_cq__keeps_the_entries(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 3; i++)
		enter(f, i);
	assert_polls(f, 0, 3);
	for (u64 i = 3; i < 7; i++)
		enter(f, i); /* over the wrap */
	assert_int_equal(rvt_resize_cq(&f->cq.ibcq, 6, NULL), 0);
	assert_int_equal(f->cq.ibcq.cqe, 6);
	assert_true(enter(f, 7));
	assert_true(enter(f, 8));
	assert_int_equal(f->cq.cq_full, 0);
	assert_polls(f, 3, 6);
	assert_int_equal(rvt_resize_cq(&f->cq.ibcq, 2, NULL), 0);
	assert_true(enter(f, 9));
	assert_true(enter(f, 10));
	assert_false(enter(f, 11));
	assert_polls(f, 9, 2);
}

static void rvt_resize_cq__to_what_is_there(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 3; i++)
		enter(f, i);
	assert_int_equal(rvt_resize_cq(&f->cq.ibcq, 3, NULL), 0);
	assert_polls(f, 0, 3);
	for (u64 i = 0; i < 3; i++)
		assert_true(enter(f, i));
	assert_polls(f, 0, 3);
}

static void rvt_resize_cq__refuses(void **state)
{
	struct fixture *f = *state;

	for (u64 i = 0; i < 3; i++)
		enter(f, i);
	assert_int_equal(rvt_resize_cq(&f->cq.ibcq, 2, NULL), -EINVAL);
	assert_cause(CQ_RESIZE);
	assert_int_equal(rvt_resize_cq(&f->cq.ibcq, 0, NULL), -EINVAL);
	assert_cause(CQ_SIZE);
	assert_int_equal(rvt_resize_cq(&f->cq.ibcq, 65, NULL), -EINVAL);
	assert_cause(CQ_SIZE);
	assert_int_equal(rvt_resize_cq(&f->cq.ibcq, -1, NULL), -EINVAL);
	assert_int_equal(f->cq.ibcq.cqe, 4);
	assert_polls(f, 0, 3);
}

static void rvt_poll_cq__takes_no_more_than_asked_for(void **state)
{
	struct fixture *f = *state;
	struct ib_wc wc[4];

	for (u64 i = 0; i < 4; i++)
		enter(f, i);
	assert_int_equal(rvt_poll_cq(&f->cq.ibcq, 0, wc), 0);
	assert_int_equal(rvt_poll_cq(&f->cq.ibcq, -1, wc), 0);
	assert_int_equal(rvt_poll_cq(&f->cq.ibcq, 3, wc), 3);
	assert_int_equal(wc[2].wr_id, 2);
	assert_int_equal(ib_cq_tail(&f->cq.ibcq), 3);
	assert_int_equal(ib_cq_head(&f->cq.ibcq), 4);
	assert_polls(f, 3, 1);
}

static void rvt_modify_cq__waits_for_the_count(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rvt_modify_cq(&f->cq.ibcq, 3, 50), 0);
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	enter(f, 0);
	enter(f, 1);
	base_host_turn(base_now_ns(), 100);
	assert_int_equal(f->completions, 0);
	enter(f, 2);
	base_host_turn(base_now_ns(), 100);
	assert_int_equal(f->completions, 1);
	assert_true(base_host_idle());
}

static void rvt_modify_cq__waits_no_longer_than_the_period(void **state)
{
	struct fixture *f = *state;
	u64 start;

	assert_int_equal(rvt_modify_cq(&f->cq.ibcq, 3, 50), 0);
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	enter(f, 0);
	base_host_turn(base_now_ns(), 100);
	start = base_now_ns();
	base_host_turn(start + 49999, 100);
	assert_int_equal(f->completions, 0);
	base_host_turn(start + 50000, 100);
	bare_run_workers();
	assert_int_equal(f->completions, 1);
	enter(f, 1); /* not armed any more */
	bare_run_workers();
	assert_true(base_host_idle());
	assert_int_equal(f->completions, 1);
}

static void rvt_modify_cq__off_again(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rvt_modify_cq(&f->cq.ibcq, 3, 50), 0);
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	enter(f, 0);
	assert_int_equal(rvt_modify_cq(&f->cq.ibcq, 0, 0), 0);
	bare_run_workers();
	assert_int_equal(f->completions, 1); /* what waited, waits no longer */
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	enter(f, 1);
	bare_run_workers();
	assert_int_equal(f->completions, 2);
	assert_int_equal(rvt_modify_cq(&f->cq.ibcq, 5, 0), 0); /* no period: no waiting */
	rvt_req_notify_cq(&f->cq.ibcq, IB_CQ_NEXT_COMP);
	enter(f, 2);
	bare_run_workers();
	assert_int_equal(f->completions, 3);
}

static void rvt_modify_cq__refuses_more_than_the_device_can(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(rvt_modify_cq(&f->cq.ibcq, 101, 50), -EINVAL);
	assert_cause(CQ_MODERATION);
	assert_int_equal(rvt_modify_cq(&f->cq.ibcq, 3, 1001), -EINVAL);
	assert_cause(CQ_MODERATION);
}

static void rvt_driver_cq_init__and_rvt_cq_exit__share_the_workers(void **state)
{
	struct fixture *f = *state;
	struct rvt_cq cq;
	struct ib_wc wc = {.wr_id = 1};

	assert_null(workers.wq);
	assert_int_equal(rvt_driver_cq_init(), 0);
	if (rvt_driver_cq_init()) {
		rvt_cq_exit();
		fail();
	}
	assert_non_null(workers.wq);
	rvt_cq_exit();
	assert_non_null(workers.wq);
	if (create(f, &cq, 2, 0)) {
		rvt_cq_exit();
		fail();
	}
	rvt_cq_exit(); /* a CQ outlives the last device */
	assert_non_null(workers.wq);
	rvt_req_notify_cq(&cq.ibcq, IB_CQ_NEXT_COMP);
	rvt_cq_enter(&cq, &wc, false);
	bare_run_workers();
	assert_int_equal(f->completions, 1);
	assert_int_equal(rvt_destroy_cq(&cq.ibcq, NULL), 0);
}

/* Rings that a process maps. */

struct mapped {
	struct fixture *f;
	struct rvt_cq cq;
	struct process p;
};

/* Where the process was told that its ring is. */
static u64 offset_of(const struct mapped *m)
{
	u64 offset;

	memcpy(&offset, m->p.answer, sizeof(offset));
	return offset;
}

static int resize(struct mapped *m, int cqe)
{
	return rvt_resize_cq(&m->cq.ibcq, cqe, process_call(&m->p, 0, sizeof(u64)));
}

static int map_setup(struct mapped *m, struct fixture *f)
{
	struct ib_cq_init_attr attr = {.cqe = 4};

	memset(m, 0, sizeof(*m));
	m->f = f;
	rvt_mmap_init(&f->b->rdi);
	process_init(&m->p, &f->b->rdi.ibdev);
	m->cq.ibcq.device = &f->b->rdi.ibdev;
	m->cq.rdi = &f->b->rdi;
	m->cq.ibcq.event_handler = on_error;
	m->cq.ibcq.cq_context = f;
	return rvt_create_cq(&m->cq.ibcq, &attr, process_call(&m->p, 0, sizeof(u64)));
}

static void rvt_create_cq__for_a_process_that_maps_it(void **state)
{
	struct mapped m;
	struct ib_wc wc = {.wr_id = 7, .status = IB_WC_REM_ACCESS_ERR, .byte_len = 9};

	assert_int_equal(map_setup(&m, *state), 0);
	assert_ptr_equal(process_map(&m.p, offset_of(&m), PAGE_SIZE), m.cq.queue);
	assert_int_equal(m.p.live, 1);
	assert_true(rvt_cq_enter(&m.cq, &wc, false));
	assert_int_equal(m.cq.queue->uqueue[0].wr_id, 7);
	assert_int_equal(m.cq.queue->uqueue[0].status, IB_WC_REM_ACCESS_ERR);
	assert_int_equal(m.cq.queue->uqueue[0].byte_len, 9);
	assert_int_equal(ib_cq_head(&m.cq.ibcq), 1);
	assert_int_equal(ib_cq_tail(&m.cq.ibcq), 0);
	assert_int_equal(rvt_poll_cq(&m.cq.ibcq, 1, &wc), -EINVAL);
	assert_cause(CQ_MAPPED);
	assert_int_equal(
		rvt_req_notify_cq(&m.cq.ibcq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS), 1);
	assert_int_equal(rvt_destroy_cq(&m.cq.ibcq, NULL), 0);
	assert_int_equal(m.p.live, 0);
}

static void rvt_cq_enter__mapped_and_full(void **state)
{
	struct fixture *f = *state;
	struct mapped m;
	struct ib_wc wc = {.wr_id = 7};

	assert_int_equal(map_setup(&m, f), 0);
	for (int i = 0; i < 4; i++)
		assert_true(rvt_cq_enter(&m.cq, &wc, false));
	RDMA_WRITE_UAPI_ATOMIC(m.cq.queue->tail, 1); /* the process has polled one */
	assert_true(rvt_cq_enter(&m.cq, &wc, false));
	RDMA_WRITE_UAPI_ATOMIC(m.cq.queue->head, 3); /* our index is not its business */
	assert_false(rvt_cq_enter(&m.cq, &wc, false));
	bare_run_workers();
	assert_int_equal(f->errors, 1);
	assert_int_equal(rvt_destroy_cq(&m.cq.ibcq, NULL), 0);
}

static void rvt_cq_enter__mapped_with_garbage_in_the_index(void **state)
{
	struct mapped m;
	struct ib_wc wc = {.wr_id = 7};

	assert_int_equal(map_setup(&m, *state), 0);
	RDMA_WRITE_UAPI_ATOMIC(m.cq.queue->tail, 0xfffffff0);
	assert_false(rvt_cq_enter(&m.cq, &wc, false));
	assert_int_equal(resize(&m, 8), 0);
	assert_int_equal(rvt_destroy_cq(&m.cq.ibcq, NULL), 0);
}

static void rvt_resize_cq__mapped(void **state)
{
	struct mapped m;
	struct ib_wc wc = {.wr_id = 1};
	const struct rvt_cq_wc *queue;
	struct ib_udata *udata;
	u64 before;

	assert_int_equal(map_setup(&m, *state), 0);
	before = offset_of(&m);
	for (; wc.wr_id < 4; wc.wr_id++)
		assert_true(rvt_cq_enter(&m.cq, &wc, false));
	RDMA_WRITE_UAPI_ATOMIC(m.cq.queue->tail, 1);
	assert_int_equal(resize(&m, 1), -EINVAL);
	assert_cause(CQ_RESIZE);
	assert_int_equal(resize(&m, 40), 0);
	assert_true(offset_of(&m) > before);
	assert_ptr_equal(process_map(&m.p, offset_of(&m), PAGE_SIZE), m.cq.queue);
	assert_int_equal(m.p.live, 1);
	assert_int_equal(m.cq.ibcq.cqe, 40);
	assert_int_equal(ib_cq_tail(&m.cq.ibcq), 0);
	assert_int_equal(ib_cq_head(&m.cq.ibcq), 2);
	queue = m.cq.queue;
	assert_int_equal(queue ? queue->uqueue[0].wr_id : 0, 2);
	assert_int_equal(queue ? queue->uqueue[1].wr_id : 0, 3);
	assert_int_equal(base_umem_init(), 0);
	udata = process_call(&m.p, 0, sizeof(u64));
	udata->outbuf = (void *)8;
	assert_int_equal(rvt_resize_cq(&m.cq.ibcq, 41, udata), -EFAULT);
	assert_int_equal(rvt_resize_cq(&m.cq.ibcq, 41, process_call(&m.p, 0, 4)), -EINVAL);
	assert_cause(CQ_RESIZE_UDATA);
	m.p.no_memory = true;
	assert_int_equal(resize(&m, 41), -ENOMEM);
	assert_int_equal(m.cq.ibcq.cqe, 40);
	assert_int_equal(m.p.live, 1);
	assert_int_equal(rvt_destroy_cq(&m.cq.ibcq, NULL), 0);
}

static struct rxe_queue_buf *map_rxe(const struct mapped *m)
{
	struct rxe_create_cq_resp answer;

	memcpy(&answer, m->p.answer, sizeof(answer));
	return process_map(&m->p, answer.mi.offset, answer.mi.size);
}

static void rvt_create_cq__in_rxe_s_format(void **state)
{
	struct fixture *f = *state;
	struct ib_cq_init_attr attr = {.cqe = 4};
	struct ib_wc wc = {.wr_id = 1};
	struct ib_uverbs_wc seen;
	struct rxe_queue_buf *q;
	struct mapped m;

	memset(&m, 0, sizeof(m));
	f->b->rdi.ibdev.ops.driver_id = RDMA_DRIVER_RXE;
	rvt_mmap_init(&f->b->rdi);
	process_init(&m.p, &f->b->rdi.ibdev);
	m.cq.ibcq.device = &f->b->rdi.ibdev;
	m.cq.rdi = &f->b->rdi;
	m.cq.ibcq.event_handler = on_error;
	m.cq.ibcq.cq_context = f;
	assert_int_equal(rvt_create_cq(&m.cq.ibcq, &attr, process_call(&m.p, 0, 8)), -EINVAL);
	assert_cause(RING_UDATA);
	assert_int_equal(m.p.live, 0);
	assert_int_equal(rvt_create_cq(&m.cq.ibcq, &attr, process_call(&m.p, 0, 16)), 0);
	assert_int_equal(m.cq.ibcq.cqe, 7);
	q = map_rxe(&m);
	for (; wc.wr_id < 8; wc.wr_id++)
		assert_true(rvt_cq_enter(&m.cq, &wc, false));
	assert_true(librxe_poll(q, &seen));
	assert_int_equal(rvt_resize_cq(&m.cq.ibcq, 3, process_call(&m.p, 0, 16)), -EINVAL);
	assert_cause(CQ_RESIZE);
	assert_int_equal(rvt_resize_cq(&m.cq.ibcq, 40, process_call(&m.p, 0, 16)), 0);
	assert_int_equal(m.cq.ibcq.cqe, 63);
	assert_int_equal(m.p.live, 1);
	q = map_rxe(&m);
	assert_true(rvt_cq_enter(&m.cq, &wc, false));
	for (u64 i = 2; i < 9; i++) {
		assert_true(librxe_poll(q, &seen));
		assert_int_equal(seen.wr_id, i);
	}
	assert_int_equal(
		rvt_req_notify_cq(&m.cq.ibcq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS), 0);
	for (int i = 0; i < 63; i++)
		assert_true(rvt_cq_enter(&m.cq, &wc, false));
	assert_false(rvt_cq_enter(&m.cq, &wc, false));
	bare_run_workers();
	assert_int_equal(f->errors, 1);
	assert_int_equal(rvt_destroy_cq(&m.cq.ibcq, NULL), 0);
	assert_int_equal(m.p.live, 0);
}

/* Several threads enter, one polls, one resizes: nothing lost, nothing twice, each one's in order. */

#define PRODUCERS 2
#define EACH 2000

struct crowd {
	struct fixture *f;
	struct rvt_cq cq;
	unsigned int room; /* entries that may be entered now */
	bool stop;
};

struct producer {
	struct crowd *c;
	u64 id;
};

static void *produce(void *arg)
{
	struct producer *p = arg;

	for (u64 i = 0; i < EACH; i++) {
		struct ib_wc wc = {.wr_id = p->id << 32 | i};
		unsigned int room = __atomic_load_n(&p->c->room, __ATOMIC_ACQUIRE);

		while (!room || !__atomic_compare_exchange_n(&p->c->room, &room, room - 1, false,
							     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			sched_yield();
			room = __atomic_load_n(&p->c->room, __ATOMIC_ACQUIRE);
		}
		if (!rvt_cq_enter(&p->c->cq, &wc, false))
			return arg;
	}
	return NULL;
}

static void *keep_resizing(void *arg)
{
	struct crowd *c = arg;

	for (int i = 0; i < 100 && !__atomic_load_n(&c->stop, __ATOMIC_ACQUIRE); i++) {
		rvt_resize_cq(&c->cq.ibcq, i & 1 ? 16 : 32, NULL);
		sched_yield();
	}
	return NULL;
}

static void rvt_cq__many_threads(void **state)
{
	struct crowd *c = base_zalloc(sizeof(*c));
	struct producer producers[PRODUCERS];
	pthread_t threads[PRODUCERS], resizer;
	u64 next[PRODUCERS] = {0};
	unsigned int wrong = 0, got = 0;
	void *failed;

	assert_non_null(c);
	c->f = *state;
	c->room = 16;
	if (create(c->f, &c->cq, 16, 0)) {
		base_free(c);
		fail();
	}
	for (u64 i = 0; i < PRODUCERS; i++) {
		producers[i] = (struct producer){c, i};
		pthread_create(&threads[i], NULL, produce, &producers[i]);
	}
	pthread_create(&resizer, NULL, keep_resizing, c);
	while (got < PRODUCERS * EACH) {
		struct ib_wc wc[4];
		const int n = rvt_poll_cq(&c->cq.ibcq, 4, wc);

		for (int i = 0; i < n; i++)
			wrong += (u32)wc[i].wr_id != next[wc[i].wr_id >> 32]++;
		got += (unsigned int)n;
		__atomic_fetch_add(&c->room, (unsigned int)n, __ATOMIC_ACQ_REL);
	}
	__atomic_store_n(&c->stop, true, __ATOMIC_RELEASE);
	for (int i = 0; i < PRODUCERS; i++) {
		pthread_join(threads[i], &failed);
		wrong += failed != NULL;
	}
	pthread_join(resizer, NULL);
	rvt_destroy_cq(&c->cq.ibcq, NULL);
	base_free(c);
	assert_int_equal(wrong, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_create_cq__has_what_was_asked_for),
	TEST(rvt_create_cq__refuses),
	TEST(rvt_create_cq__asks_the_driver_for_the_cpu),
	TEST(rvt_cq_enter__keeps_the_order_over_the_wrap),
	TEST(rvt_cq_enter__exact_capacity_then_an_event),
	TEST(rvt_cq_enter__full_once_is_full_for_ever),
	TEST(rvt_cq_enter__says_once_that_it_is_full),
	TEST(rvt_cq_enter__allocates_nothing),
	TEST(rvt_req_notify_cq__one_call_each),
	TEST(rvt_req_notify_cq__solicited),
	TEST(rvt_req_notify_cq__next_is_not_weakened),
	TEST(rvt_req_notify_cq__reports_missed_events),
	TEST(send_complete__again_for_what_came_meanwhile),
	TEST(rvt_destroy_cq__waits_for_the_handler),
	TEST(rvt_resize_cq__keeps_the_entries),
	TEST(rvt_resize_cq__to_what_is_there),
	TEST(rvt_resize_cq__refuses),
	TEST(rvt_poll_cq__takes_no_more_than_asked_for),
	TEST(rvt_modify_cq__waits_for_the_count),
	TEST(rvt_modify_cq__waits_no_longer_than_the_period),
	TEST(rvt_modify_cq__off_again),
	TEST(rvt_modify_cq__refuses_more_than_the_device_can),
	TEST(rvt_driver_cq_init__and_rvt_cq_exit__share_the_workers),
	TEST(rvt_create_cq__for_a_process_that_maps_it),
	TEST(rvt_create_cq__in_rxe_s_format),
	TEST(rvt_cq_enter__mapped_and_full),
	TEST(rvt_cq_enter__mapped_with_garbage_in_the_index),
	TEST(rvt_resize_cq__mapped),
	TEST(rvt_cq__many_threads),
};

int main(void)
{
	return verbena_test_main(tests);
}
