/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

static void on_completion(struct ib_cq *cq, void *context)
{
	(void)cq;
	++*(unsigned int *)context;
}

static void on_cq_event(struct ib_event *event, void *context)
{
	(void)event;
	(void)context;
}

static void ib_create_cq__fills_the_cq_in(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_cq_init_attr attr = {.cqe = 33};
	unsigned int completions = 0;
	struct ib_cq *cq = ib_create_cq(f->device, on_completion, on_cq_event, &completions, &attr);

	assert_ok_ptr(cq);
	assert_ptr_equal(cq->device, f->device);
	assert_true(cq->comp_handler == on_completion);
	assert_true(cq->event_handler == on_cq_event);
	assert_ptr_equal(cq->cq_context, &completions);
	assert_int_equal(cq->cqe, 33);
	assert_int_equal(atomic_read(&cq->usecnt), 0);
	assert_int_equal(f->fake->arg[FAKE_CREATE_CQ][1], (uintptr_t)&attr);
	assert_int_equal(f->fake->arg[FAKE_CREATE_CQ][2], 0);
	ib_destroy_cq(cq);
}

static void ib_create_cq__calls_the_handler_once_for_each_arming(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_cq_init_attr attr = {.cqe = 4};
	const struct ib_wc done = {.wr_id = 9};
	unsigned int completions = 0;
	struct ib_cq *cq = ib_create_cq(f->device, on_completion, NULL, &completions, &attr);

	assert_ok_ptr(cq);
	assert_int_equal(ib_req_notify_cq(cq, IB_CQ_NEXT_COMP), 0);
	assert_true(fake_cq_push(cq, &done, false));
	assert_true(fake_cq_push(cq, &done, false));
	assert_int_equal(completions, 1);
	assert_int_equal(ib_req_notify_cq(cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS), 1);
	ib_destroy_cq(cq);
}

static void ib_create_cq__hands_errors_through_and_leaves_nothing(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_cq_init_attr attr = {.cqe = 4};

	f->fake->fail[FAKE_CREATE_CQ] = -EINVAL;
	assert_ptr_err(ib_create_cq(f->device, NULL, NULL, NULL, &attr), -EINVAL);
	f->device->ops.create_cq = NULL;
	assert_ptr_err(ib_create_cq(f->device, NULL, NULL, NULL, &attr), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void rdma_set_cq_moderation__asks_the_provider(void **state)
{
	struct core_fixture *f = *state;

	assert_int_equal(rdma_set_cq_moderation(f->cq, 16, 100), 0);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_CQ][0], (uintptr_t)f->cq);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_CQ][1], 16);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_CQ][2], 100);
	f->fake->fail[FAKE_MODIFY_CQ] = -EIO;
	assert_int_equal(rdma_set_cq_moderation(f->cq, 16, 100), -EIO);
	f->cq->shared = 1;
	assert_int_equal(rdma_set_cq_moderation(f->cq, 16, 100), -EOPNOTSUPP);
	assert_cause(CQ_SHARED);
	f->cq->shared = 0;
	f->device->ops.modify_cq = NULL;
	assert_int_equal(rdma_set_cq_moderation(f->cq, 16, 100), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_resize_cq__asks_the_provider(void **state)
{
	struct core_fixture *f = *state;

	assert_int_equal(ib_resize_cq(f->cq, 40), 0);
	assert_int_equal(f->cq->cqe, 40);
	f->fake->fail[FAKE_RESIZE_CQ] = -EINVAL;
	assert_int_equal(ib_resize_cq(f->cq, 4), -EINVAL);
	f->cq->shared = 1;
	assert_int_equal(ib_resize_cq(f->cq, 40), -EOPNOTSUPP);
	assert_cause(CQ_SHARED);
	f->cq->shared = 0;
	f->device->ops.resize_cq = NULL;
	assert_int_equal(ib_resize_cq(f->cq, 40), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_destroy_cq_user__refuses_what_others_use(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_cq_init_attr attr = {.cqe = 4};
	struct ib_cq *cq = ib_create_cq(f->device, NULL, NULL, NULL, &attr);

	assert_ok_ptr(cq);
	atomic_inc(&cq->usecnt);
	assert_int_equal(ib_destroy_cq_user(cq, NULL), -EBUSY);
	assert_cause_text(
		"the CQ still has users: 1. Destroy the QPs, SRQs and WQs that complete to it "
		"first.");
	atomic_dec(&cq->usecnt);
	cq->shared = 1;
	assert_int_equal(ib_destroy_cq_user(cq, NULL), -EOPNOTSUPP);
	assert_cause(CQ_SHARED);
	cq->shared = 0;
	f->fake->fail[FAKE_DESTROY_CQ] = -EIO;
	assert_int_equal(ib_destroy_cq_user(cq, NULL), -EIO);
	f->fake->fail[FAKE_DESTROY_CQ] = 0;
	assert_int_equal(ib_destroy_cq_user(cq, NULL), 0);
	assert_int_equal(f->fake->called[FAKE_DESTROY_CQ], 2);
}

static void ib_destroy_cq__destroys(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_cq_init_attr attr = {.cqe = 4};
	struct ib_cq *cq = ib_create_cq(f->device, NULL, NULL, NULL, &attr);

	assert_ok_ptr(cq);
	ib_destroy_cq(cq);
	assert_int_equal(f->fake->called[FAKE_DESTROY_CQ], 1);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_create_cq__fills_the_cq_in),
	WITH_DEVICE(ib_create_cq__calls_the_handler_once_for_each_arming),
	WITH_DEVICE(ib_create_cq__hands_errors_through_and_leaves_nothing),
	WITH_DEVICE(rdma_set_cq_moderation__asks_the_provider),
	WITH_DEVICE(ib_resize_cq__asks_the_provider),
	WITH_DEVICE(ib_destroy_cq_user__refuses_what_others_use),
	WITH_DEVICE(ib_destroy_cq__destroys),
};

int main(void)
{
	return verbena_test_main(tests);
}
