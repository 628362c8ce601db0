// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Objects of a program: the provider sees request and response, and the owner is remembered. */
#include <errno.h>
#include <linux/err.h>
#include <rdma/ib_verbs_user.h>
#include <rdma/uverbs_ioctl.h>

#include "common/core_fixture.h"

static struct uverbs_attr_bundle call;
static int owner; /* stands for a uobject: never looked into */

static int alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	(void)context;
	return udata == &call.driver_udata ? 0 : -EINVAL;
}

static int refuse_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	(void)context;
	(void)udata;
	return -EPERM;
}

static int alloc_mw(struct ib_mw *mw, struct ib_udata *udata)
{
	mw->rkey = 0x4711;
	return udata == &call.driver_udata ? 0 : -EINVAL;
}

static int dealloc_mw(struct ib_mw *mw)
{
	(void)mw;
	return 0;
}

static int refuse_dealloc_mw(struct ib_mw *mw)
{
	(void)mw;
	return -EBUSY;
}

static void ib_alloc_ucontext__wants_a_provider_for_programs(void **state)
{
	struct core_fixture *f = *state;
	struct ib_ucontext *context;

	assert_ptr_err(ib_alloc_ucontext(f->device, NULL), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	f->fake->ib.ops.alloc_ucontext = alloc_ucontext;
	context = ib_alloc_ucontext(f->device, NULL);
	assert_ok_ptr(context);
	assert_ptr_equal(context->device, f->device);
	assert_int_equal(ib_start_ucontext(context, &call.driver_udata), 0);
	ib_dealloc_ucontext(context);
}

static void ib_start_ucontext__leaves_nothing_when_refused(void **state)
{
	struct core_fixture *f = *state;
	struct ib_ucontext *context;

	f->fake->ib.ops.alloc_ucontext = refuse_ucontext;
	context = ib_alloc_ucontext(f->device, NULL);
	assert_ok_ptr(context);
	assert_int_equal(ib_start_ucontext(context, &call.driver_udata), -EPERM);
}

static void ib_alloc_pd_user__has_no_key_for_all_memory(void **state)
{
	struct core_fixture *f = *state;
	struct ib_uobject *uobject = (struct ib_uobject *)(void *)&owner;
	struct ib_pd *pd = ib_alloc_pd_user(f->device, uobject, &call.driver_udata);

	assert_ok_ptr(pd);
	assert_ptr_equal(pd->uobject, uobject);
	assert_int_equal(pd->local_dma_lkey, 0);
	assert_null(pd->__internal_mr);
	assert_int_equal(ib_dealloc_pd_user(pd, &call.driver_udata), 0);
}

static void ib_create_cq_user__hands_its_owner_to_the_handlers(void **state)
{
	struct core_fixture *f = *state;
	struct ib_ucq_object *uobject = (struct ib_ucq_object *)(void *)&owner;
	const struct ib_cq_init_attr attr = {.cqe = 16};
	struct ib_cq *cq =
		ib_create_cq_user(f->device, &attr, NULL, NULL, uobject, &call.driver_udata);

	assert_ok_ptr(cq);
	assert_ptr_equal(cq->uobject, uobject);
	assert_ptr_equal(cq->cq_context, uobject);
	assert_int_equal(ib_resize_cq_user(cq, 32, &call.driver_udata), 0);
	assert_int_equal(ib_destroy_cq_user(cq, &call.driver_udata), 0);
}

static void ib_reg_mr_user__checks_rights_before_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_uobject *uobject = (struct ib_uobject *)(void *)&owner;
	struct ib_mr *mr;

	assert_ptr_err(ib_reg_mr_user(f->pd, 0, 8, 0, IB_ACCESS_REMOTE_WRITE, uobject,
				      &call.driver_udata),
		       -EINVAL);
	assert_cause(MR_ACCESS);
	mr = ib_reg_mr_user(f->pd, 0x1000, 8, 0x2000, IB_ACCESS_LOCAL_WRITE, uobject,
			    &call.driver_udata);
	assert_ok_ptr(mr);
	assert_ptr_equal(mr->uobject, uobject);
	assert_true(mr->iova == 0x2000 && mr->length == 8);
	assert_int_equal(ib_dereg_mr_user(mr, &call.driver_udata), 0);
}

static void ib_alloc_mw_user__counts_for_the_pd(void **state)
{
	struct core_fixture *f = *state;
	const int users = atomic_read(&f->pd->usecnt);
	struct ib_mw *mw;

	f->fake->ib.ops.alloc_mw = NULL;
	assert_ptr_err(ib_alloc_mw_user(f->pd, IB_MW_TYPE_1, NULL, &call.driver_udata),
		       -EOPNOTSUPP);
	f->fake->ib.ops.alloc_mw = alloc_mw;
	f->fake->ib.ops.dealloc_mw = refuse_dealloc_mw;
	assert_ptr_err(ib_alloc_mw_user(f->pd, 3, NULL, &call.driver_udata), -EINVAL);
	assert_cause(MW_TYPE);
	mw = ib_alloc_mw_user(f->pd, IB_MW_TYPE_2, NULL, &call.driver_udata);
	assert_ok_ptr(mw);
	assert_int_equal(mw->rkey, 0x4711);
	assert_int_equal(atomic_read(&f->pd->usecnt), users + 1);
	assert_int_equal(ib_dealloc_mw_user(mw), -EBUSY);
	assert_int_equal(atomic_read(&f->pd->usecnt), users + 1);
	f->fake->ib.ops.dealloc_mw = dealloc_mw;
	assert_int_equal(ib_dealloc_mw_user(mw), 0);
	assert_int_equal(atomic_read(&f->pd->usecnt), users);
}

#define WITH_DEVICE(name) cmocka_unit_test_setup_teardown(name, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_alloc_ucontext__wants_a_provider_for_programs),
	WITH_DEVICE(ib_start_ucontext__leaves_nothing_when_refused),
	WITH_DEVICE(ib_alloc_pd_user__has_no_key_for_all_memory),
	WITH_DEVICE(ib_create_cq_user__hands_its_owner_to_the_handlers),
	WITH_DEVICE(ib_reg_mr_user__checks_rights_before_the_provider),
	WITH_DEVICE(ib_alloc_mw_user__counts_for_the_pd),
};

int main(void)
{
	return verbena_test_main(tests);
}
