/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

static void ib_alloc_xrcd_user__makes_an_empty_domain(void **state)
{
	struct core_fixture *f = *state;
	struct inode *inode = (void *)f;
	struct ib_udata udata = {.inlen = 0};
	struct ib_xrcd *xrcd = ib_alloc_xrcd_user(f->device, inode, &udata);

	assert_ok_ptr(xrcd);
	assert_ptr_equal(xrcd->device, f->device);
	assert_ptr_equal(xrcd->inode, inode);
	assert_int_equal(atomic_read(&xrcd->usecnt), 0);
	assert_true(xa_empty(&xrcd->tgt_qps));
	assert_int_equal(f->fake->arg[FAKE_ALLOC_XRCD][1], (uintptr_t)&udata);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, &udata), 0);
}

static void ib_alloc_xrcd_user__hands_errors_through_and_leaves_nothing(void **state)
{
	struct core_fixture *f = *state;

	f->fake->fail[FAKE_ALLOC_XRCD] = -ENOSPC;
	assert_ptr_err(ib_alloc_xrcd_user(f->device, NULL, NULL), -ENOSPC);
	f->device->ops.alloc_xrcd = NULL;
	assert_ptr_err(ib_alloc_xrcd_user(f->device, NULL, NULL), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_dealloc_xrcd_user__refuses_while_it_is_used(void **state)
{
	struct core_fixture *f = *state;
	struct ib_xrcd *xrcd = ib_alloc_xrcd_user(f->device, NULL, NULL);

	assert_ok_ptr(xrcd);
	atomic_inc(&xrcd->usecnt);
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), -EBUSY);
	assert_cause_text("the XRC domain still has SRQs and target QPs: 1. Destroy them first.");
	assert_int_equal(f->fake->called[FAKE_DEALLOC_XRCD], 0);
	atomic_dec(&xrcd->usecnt);
	f->fake->fail[FAKE_DEALLOC_XRCD] = -EIO;
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), -EIO);
	f->fake->fail[FAKE_DEALLOC_XRCD] = 0;
	assert_int_equal(ib_dealloc_xrcd_user(xrcd, NULL), 0);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_alloc_xrcd_user__makes_an_empty_domain),
	WITH_DEVICE(ib_alloc_xrcd_user__hands_errors_through_and_leaves_nothing),
	WITH_DEVICE(ib_dealloc_xrcd_user__refuses_while_it_is_used),
};

int main(void)
{
	return verbena_test_main(tests);
}
