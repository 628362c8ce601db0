/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

static void on_event(struct ib_event *event, void *context)
{
	(void)event;
	(void)context;
}

static struct ib_srq *make_srq(struct core_fixture *f)
{
	struct ib_srq_init_attr attr = {.attr = {.max_wr = 4, .max_sge = 2}};
	struct ib_srq *srq = ib_create_srq(f->pd, &attr);

	assert_ok_ptr(srq);
	return srq;
}

static void ib_create_srq__fills_the_srq_in(void **state)
{
	struct core_fixture *f = *state;
	struct ib_srq_init_attr attr = {
		.event_handler = on_event,
		.srq_context = f,
		.attr = {.max_wr = 4, .max_sge = 2},
	};
	struct ib_srq *srq = ib_create_srq(f->pd, &attr);

	assert_ok_ptr(srq);
	assert_ptr_equal(srq->device, f->device);
	assert_ptr_equal(srq->pd, f->pd);
	assert_ptr_equal(srq->srq_context, f);
	assert_true(srq->event_handler == on_event);
	assert_int_equal(srq->srq_type, IB_SRQT_BASIC);
	assert_null(srq->uobject);
	assert_int_equal(atomic_read(&f->pd->usecnt), 1);
	ib_destroy_srq(srq);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
}

static void ib_create_srq_user__keeps_what_an_xrc_srq_needs(void **state)
{
	struct core_fixture *f = *state;
	struct ib_xrcd *xrcd = ib_alloc_xrcd_user(f->device, NULL, NULL);
	struct ib_srq_init_attr attr = {.srq_type = IB_SRQT_XRC};
	struct ib_usrq_object *object = (void *)&attr;
	struct ib_udata udata = {.inlen = 0};
	struct ib_srq *srq;

	assert_ok_ptr(xrcd);
	assert_ptr_err(ib_create_srq_user(f->pd, &attr, object, &udata), -EINVAL);
	assert_cause(SRQ_NO_CQ);
	attr.ext.cq = f->cq;
	attr.ext.xrc.xrcd = xrcd;
	srq = ib_create_srq_user(f->pd, &attr, object, &udata);
	assert_ok_ptr(srq);
	assert_ptr_equal(srq->uobject, object);
	assert_ptr_equal(srq->ext.cq, f->cq);
	assert_ptr_equal(srq->ext.xrc.xrcd, xrcd);
	assert_int_equal(f->fake->arg[FAKE_CREATE_SRQ][2], (uintptr_t)&udata);
	assert_int_equal(atomic_read(&f->cq->usecnt), 1);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), -EBUSY);
	assert_int_equal(ib_destroy_srq_user(srq, &udata), 0);
	assert_int_equal(f->fake->arg[FAKE_DESTROY_SRQ][1], (uintptr_t)&udata);
	assert_int_equal(atomic_read(&f->cq->usecnt), 0);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), 0);
}

static void ib_create_srq__hands_errors_through_and_leaves_nothing(void **state)
{
	struct core_fixture *f = *state;
	struct ib_srq_init_attr attr = {.srq_type = IB_SRQT_TM, .ext.cq = f->cq};

	f->fake->fail[FAKE_CREATE_SRQ] = -EOPNOTSUPP;
	assert_ptr_err(ib_create_srq(f->pd, &attr), -EOPNOTSUPP);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	assert_int_equal(atomic_read(&f->cq->usecnt), 0);
	f->device->ops.create_srq = NULL;
	assert_ptr_err(ib_create_srq(f->pd, &attr), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_modify_srq__asks_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_srq *srq = make_srq(f);
	struct ib_srq_attr attr = {.srq_limit = 3};

	assert_int_equal(ib_modify_srq(srq, &attr, IB_SRQ_LIMIT), 0);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_SRQ][2], IB_SRQ_LIMIT);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_SRQ][3], 0);
	assert_int_equal(to_fake_srq(srq)->attr.srq_limit, 3);
	f->fake->fail[FAKE_MODIFY_SRQ] = -EINVAL;
	assert_int_equal(ib_modify_srq(srq, &attr, IB_SRQ_MAX_WR), -EINVAL);
	f->device->ops.modify_srq = NULL;
	assert_int_equal(ib_modify_srq(srq, &attr, IB_SRQ_LIMIT), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	ib_destroy_srq(srq);
}

static void ib_query_srq__asks_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_srq *srq = make_srq(f);
	struct ib_srq_attr attr = {0};

	assert_int_equal(ib_query_srq(srq, &attr), 0);
	assert_int_equal(attr.max_wr, 4);
	assert_int_equal(attr.max_sge, 2);
	f->fake->fail[FAKE_QUERY_SRQ] = -EIO;
	assert_int_equal(ib_query_srq(srq, &attr), -EIO);
	f->device->ops.query_srq = NULL;
	assert_int_equal(ib_query_srq(srq, &attr), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	ib_destroy_srq(srq);
}

static void ib_destroy_srq_user__refuses_while_qps_use_it(void **state)
{
	struct core_fixture *f = *state;
	struct ib_srq *srq = make_srq(f);

	atomic_inc(&srq->usecnt);
	assert_int_equal(ib_destroy_srq_user(srq, NULL), -EBUSY);
	assert_cause_text("the SRQ still has QPs: 1. Destroy them first.");
	assert_int_equal(f->fake->called[FAKE_DESTROY_SRQ], 0);
	atomic_dec(&srq->usecnt);
	f->fake->fail[FAKE_DESTROY_SRQ] = -EIO;
	assert_int_equal(ib_destroy_srq_user(srq, NULL), -EIO);
	assert_int_equal(atomic_read(&f->pd->usecnt), 1);
	f->fake->fail[FAKE_DESTROY_SRQ] = 0;
	assert_int_equal(ib_destroy_srq_user(srq, NULL), 0);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
}

static void ib_destroy_srq__destroys(void **state)
{
	struct core_fixture *f = *state;

	ib_destroy_srq(make_srq(f));
	assert_int_equal(f->fake->called[FAKE_DESTROY_SRQ], 1);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_create_srq__fills_the_srq_in),
	WITH_DEVICE(ib_create_srq_user__keeps_what_an_xrc_srq_needs),
	WITH_DEVICE(ib_create_srq__hands_errors_through_and_leaves_nothing),
	WITH_DEVICE(ib_modify_srq__asks_the_provider),
	WITH_DEVICE(ib_query_srq__asks_the_provider),
	WITH_DEVICE(ib_destroy_srq_user__refuses_while_qps_use_it),
	WITH_DEVICE(ib_destroy_srq__destroys),
};

int main(void)
{
	return verbena_test_main(tests);
}
