/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

static void on_event(struct ib_event *event, void *context)
{
	(void)event;
	(void)context;
}

static struct ib_wq *make_wq(struct core_fixture *f)
{
	struct ib_wq_init_attr attr = {
		.wq_context = f,
		.wq_type = (enum ib_wq_type)7,
		.cq = f->cq,
		.event_handler = on_event,
	};
	struct ib_wq *wq = ib_create_wq(f->pd, &attr);

	assert_ok_ptr(wq);
	return wq;
}

static void ib_create_wq__fills_the_wq_in(void **state)
{
	struct core_fixture *f = *state;
	struct ib_wq *wq = make_wq(f);

	assert_ptr_equal(wq->device, f->device);
	assert_ptr_equal(wq->pd, f->pd);
	assert_ptr_equal(wq->cq, f->cq);
	assert_ptr_equal(wq->wq_context, f);
	assert_true(wq->event_handler == on_event);
	assert_int_equal(wq->wq_type, 7);
	assert_int_equal(atomic_read(&wq->usecnt), 0);
	assert_int_equal(atomic_read(&f->pd->usecnt), 1);
	assert_int_equal(atomic_read(&f->cq->usecnt), 1);
	assert_int_equal(ib_destroy_wq_user(wq, NULL), 0);
}

static void ib_create_wq__hands_errors_through_and_leaves_nothing(void **state)
{
	struct core_fixture *f = *state;
	struct ib_wq_init_attr attr = {.cq = f->cq};

	f->fake->fail[FAKE_CREATE_WQ] = -ENOSPC;
	assert_ptr_err(ib_create_wq(f->pd, &attr), -ENOSPC);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	f->device->ops.create_wq = NULL;
	assert_ptr_err(ib_create_wq(f->pd, &attr), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_destroy_wq_user__refuses_while_tables_use_it(void **state)
{
	struct core_fixture *f = *state;
	struct ib_wq *wq = make_wq(f);
	struct ib_udata udata = {.inlen = 0};

	atomic_inc(&wq->usecnt);
	assert_int_equal(ib_destroy_wq_user(wq, &udata), -EBUSY);
	assert_cause(WQ_IN_USE);
	atomic_dec(&wq->usecnt);
	f->fake->fail[FAKE_DESTROY_WQ] = -EIO;
	assert_int_equal(ib_destroy_wq_user(wq, &udata), -EIO);
	assert_int_equal(f->fake->arg[FAKE_DESTROY_WQ][1], (uintptr_t)&udata);
	assert_int_equal(atomic_read(&f->cq->usecnt), 1);
	f->fake->fail[FAKE_DESTROY_WQ] = 0;
	assert_int_equal(ib_destroy_wq_user(wq, &udata), 0);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	assert_int_equal(atomic_read(&f->cq->usecnt), 0);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_create_wq__fills_the_wq_in),
	WITH_DEVICE(ib_create_wq__hands_errors_through_and_leaves_nothing),
	WITH_DEVICE(ib_destroy_wq_user__refuses_while_tables_use_it),
};

int main(void)
{
	return verbena_test_main(tests);
}
