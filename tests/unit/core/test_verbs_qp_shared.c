/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <rdma/ib_verbs_user.h>

#include "common/core_fixture.h"

/* What a user of a shared QP has seen. */
struct user {
	struct ib_qp *qp;
	unsigned int events;
	enum ib_event_type last;
	struct ib_qp *last_qp;
};

static void on_event(struct ib_event *event, void *context)
{
	struct user *user = context;

	user->events++;
	user->last = event->event;
	user->last_qp = event->element.qp;
}

static struct ib_xrcd *make_xrcd(struct core_fixture *f)
{
	struct ib_xrcd *xrcd = ib_alloc_xrcd_user(f->device, NULL, NULL);

	assert_ok_ptr(xrcd);
	return xrcd;
}

static void create(struct core_fixture *f, struct ib_xrcd *xrcd, struct user *user)
{
	struct ib_qp_init_attr attr = {
		.qp_type = IB_QPT_XRC_TGT,
		.send_cq = f->cq,
		.recv_cq = f->cq,
		.srq = (void *)f,
		.xrcd = xrcd,
		.event_handler = on_event,
		.qp_context = user,
	};

	user->qp = ib_create_qp_user(f->device, f->pd, &attr, NULL, NULL, "test");
	assert_ok_ptr(user->qp);
}

static void open_it(struct ib_xrcd *xrcd, u32 qp_num, struct user *user)
{
	struct ib_qp_open_attr attr = {
		.event_handler = on_event,
		.qp_context = user,
		.qp_num = qp_num,
		.qp_type = IB_QPT_XRC_TGT,
	};

	user->qp = ib_open_qp(xrcd, &attr);
	assert_ok_ptr(user->qp);
}

static void raise_event(struct ib_qp *qp, enum ib_event_type type)
{
	struct ib_event event = {.device = qp->device, .element.qp = qp, .event = type};

	qp->event_handler(&event, qp->qp_context);
	assert_ptr_equal(event.element.qp, qp);
}

static void ib_create_qp_user__gives_a_handle_to_an_xrc_target(void **state)
{
	struct core_fixture *f = *state;
	struct ib_xrcd *xrcd = make_xrcd(f);
	struct user a = {0};

	create(f, xrcd, &a);
	assert_ptr_not_equal(a.qp->real_qp, a.qp);
	assert_ptr_equal(a.qp->real_qp->xrcd, xrcd);
	assert_null(a.qp->real_qp->pd); /* it belongs to the domain alone */
	assert_null(a.qp->real_qp->send_cq);
	assert_null(a.qp->real_qp->recv_cq);
	assert_null(a.qp->real_qp->srq);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	assert_int_equal(atomic_read(&f->cq->usecnt), 0);
	assert_int_equal(a.qp->qp_num, a.qp->real_qp->qp_num);
	assert_int_equal(a.qp->qp_type, IB_QPT_XRC_TGT);
	assert_int_equal(atomic_read(&xrcd->usecnt), 1);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), -EBUSY);
	assert_int_equal(ib_destroy_qp(a.qp), 0);
	assert_int_equal(f->fake->called[FAKE_DESTROY_QP], 1);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), 0);
}

static void ib_open_qp__finds_the_qp_by_its_number(void **state)
{
	struct core_fixture *f = *state;
	struct ib_xrcd *xrcd = make_xrcd(f);
	struct ib_qp_open_attr attr = {.qp_type = IB_QPT_XRC_TGT};
	struct user a = {0}, b = {0};

	create(f, xrcd, &a);
	open_it(xrcd, a.qp->qp_num, &b);
	assert_ptr_equal(b.qp->real_qp, a.qp->real_qp);
	assert_ptr_equal(b.qp->device, f->device);
	assert_ptr_equal(b.qp->qp_context, &b);
	assert_int_equal(atomic_read(&a.qp->real_qp->usecnt), 2);
	assert_int_equal(ib_destroy_qp(a.qp), 0);
	assert_int_equal(f->fake->called[FAKE_DESTROY_QP], 0);
	attr.qp_num = b.qp->qp_num;
	assert_int_equal(ib_destroy_qp(b.qp), 0);
	assert_int_equal(f->fake->called[FAKE_DESTROY_QP], 1);
	assert_ptr_err(ib_open_qp(xrcd, &attr), -EINVAL); /* gone with its last handle */
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), 0);
}

static void ib_open_qp__refuses_other_types_and_numbers(void **state)
{
	struct core_fixture *f = *state;
	struct ib_xrcd *xrcd = make_xrcd(f);
	struct ib_qp_open_attr attr = {.qp_num = 0x77, .qp_type = IB_QPT_RC};

	assert_ptr_err(ib_open_qp(xrcd, &attr), -EINVAL);
	assert_cause(OPEN_QP_TYPE);
	attr.qp_type = IB_QPT_XRC_TGT;
	assert_ptr_err(ib_open_qp(xrcd, &attr), -EINVAL);
	assert_cause_text("the XRC domain has no target QP 0x77. Look whether it has been "
			  "destroyed, or belongs to another domain.");
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), 0);
}

static void ib_open_qp__lets_each_handle_hear_the_events(void **state)
{
	struct core_fixture *f = *state;
	struct ib_xrcd *xrcd = make_xrcd(f);
	struct user a = {0}, b = {0}, deaf = {0};

	create(f, xrcd, &a);
	open_it(xrcd, a.qp->qp_num, &b);
	open_it(xrcd, a.qp->qp_num, &deaf);
	deaf.qp->event_handler = NULL;
	raise_event(a.qp->real_qp, IB_EVENT_QP_FATAL);
	assert_int_equal(a.events, 1);
	assert_int_equal(b.events, 1);
	assert_int_equal(deaf.events, 0);
	assert_int_equal(b.last, IB_EVENT_QP_FATAL);
	assert_ptr_equal(a.last_qp, a.qp);
	assert_ptr_equal(b.last_qp, b.qp);
	assert_int_equal(ib_close_qp(b.qp), 0);
	raise_event(a.qp->real_qp, IB_EVENT_COMM_EST);
	assert_int_equal(a.events, 2);
	assert_int_equal(b.events, 1);
	assert_int_equal(ib_close_qp(deaf.qp), 0);
	assert_int_equal(ib_destroy_qp(a.qp), 0);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), 0);
}

static void ib_close_qp__never_destroys_the_qp(void **state)
{
	struct core_fixture *f = *state;
	struct ib_xrcd *xrcd = make_xrcd(f);
	struct ib_qp *qp = core_make_qp(f, IB_QPT_RC);
	struct user a = {0}, b = {0};

	assert_int_equal(ib_close_qp(qp), -EINVAL);
	assert_cause(CLOSE_REAL_QP);
	assert_int_equal(ib_destroy_qp(qp), 0);
	create(f, xrcd, &a);
	open_it(xrcd, a.qp->qp_num, &b);
	f->fake->called[FAKE_DESTROY_QP] = 0;
	assert_int_equal(ib_close_qp(b.qp), 0);
	assert_int_equal(f->fake->called[FAKE_DESTROY_QP], 0);
	assert_int_equal(atomic_read(&a.qp->real_qp->usecnt), 1);
	assert_int_equal(ib_destroy_qp(a.qp->real_qp), -EBUSY);
	assert_int_equal(ib_destroy_qp(a.qp), 0);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), 0);
}

/* The provider sees the real QP, whichever handle is used. */
static void ib_modify_qp__goes_to_the_real_qp(void **state)
{
	struct core_fixture *f = *state;
	struct ib_xrcd *xrcd = make_xrcd(f);
	struct ib_qp_attr attr = {.qp_state = IB_QPS_ERR};
	struct ib_qp_init_attr init_attr;
	struct user a = {0};

	create(f, xrcd, &a);
	assert_int_equal(ib_modify_qp(a.qp, &attr, IB_QP_STATE), 0);
	assert_int_equal(f->fake->arg[FAKE_MODIFY_QP][0], (uintptr_t)a.qp->real_qp);
	assert_int_equal(ib_query_qp(a.qp, &attr, IB_QP_STATE, &init_attr), 0);
	assert_int_equal(f->fake->arg[FAKE_QUERY_QP][0], (uintptr_t)a.qp->real_qp);
	assert_int_equal(attr.qp_state, IB_QPS_ERR);
	assert_int_equal(ib_destroy_qp(a.qp), 0);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), 0);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_create_qp_user__gives_a_handle_to_an_xrc_target),
	WITH_DEVICE(ib_open_qp__finds_the_qp_by_its_number),
	WITH_DEVICE(ib_open_qp__refuses_other_types_and_numbers),
	WITH_DEVICE(ib_open_qp__lets_each_handle_hear_the_events),
	WITH_DEVICE(ib_close_qp__never_destroys_the_qp),
	WITH_DEVICE(ib_modify_qp__goes_to_the_real_qp),
};

int main(void)
{
	return verbena_test_main(tests);
}
