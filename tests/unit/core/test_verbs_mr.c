/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"
#include "core/core_priv.h"

static struct ib_mr *make_mr(struct core_fixture *f)
{
	struct ib_mr *mr = ib_alloc_mr(f->pd, IB_MR_TYPE_MEM_REG, 4);

	assert_ok_ptr(mr);
	return mr;
}

static void ib_reg_user_mr__fills_the_mr_in(void **state)
{
	struct core_fixture *f = *state;
	struct ib_mr *mr = ib_reg_user_mr(f->pd, 0x10000, 0x2000, 0x500000, IB_ACCESS_LOCAL_WRITE);

	assert_ok_ptr(mr);
	assert_int_equal(f->fake->arg[FAKE_REG_USER_MR][1], 0x10000);
	assert_int_equal(f->fake->arg[FAKE_REG_USER_MR][2], 0x2000);
	assert_int_equal(f->fake->arg[FAKE_REG_USER_MR][3], 0x500000);
	assert_int_equal(f->fake->arg[FAKE_REG_USER_MR][4], IB_ACCESS_LOCAL_WRITE);
	assert_ptr_equal(mr->device, f->device);
	assert_ptr_equal(mr->pd, f->pd);
	assert_int_equal(mr->type, IB_MR_TYPE_USER);
	assert_int_equal(mr->iova, 0x500000);
	assert_int_equal(mr->length, 0x2000);
	assert_int_equal(atomic_read(&f->pd->usecnt), 1);
	assert_int_equal(ib_dereg_mr(mr), 0);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
}

static void ib_reg_user_mr__wants_paging_from_a_device_that_has_it(void **state)
{
	struct core_fixture *f = *state;
	struct ib_mr *mr;

	assert_ptr_err(ib_reg_user_mr(f->pd, 0, 1, 0, IB_ACCESS_ON_DEMAND), -EINVAL);
	assert_cause(MR_ON_DEMAND);
	f->device->attrs.kernel_cap_flags = IBK_ON_DEMAND_PAGING;
	mr = ib_reg_user_mr(f->pd, 0, 1, 0, IB_ACCESS_ON_DEMAND);
	assert_ok_ptr(mr);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void ib_reg_user_mr__hands_errors_through_and_leaves_nothing(void **state)
{
	struct core_fixture *f = *state;

	f->fake->fail[FAKE_REG_USER_MR] = -EFAULT;
	assert_ptr_err(ib_reg_user_mr(f->pd, 0, 1, 0, 0), -EFAULT);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	f->device->ops.reg_user_mr = NULL;
	assert_ptr_err(ib_reg_user_mr(f->pd, 0, 1, 0, 0), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_advise_mr__asks_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_sge sge = {.length = 8};
	const enum ib_uverbs_advise_mr_advice advice = IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE;

	assert_int_equal(ib_advise_mr(f->pd, advice, 1, &sge, 0), 0);
	assert_int_equal(f->fake->called[FAKE_ADVISE_MR], 0);
	assert_int_equal(ib_advise_mr(f->pd, advice, 1, &sge, 1), 0);
	assert_int_equal(f->fake->arg[FAKE_ADVISE_MR][1], advice);
	assert_int_equal(f->fake->arg[FAKE_ADVISE_MR][2], 1);
	assert_int_equal(f->fake->arg[FAKE_ADVISE_MR][3], (uintptr_t)&sge);
	f->fake->fail[FAKE_ADVISE_MR] = -EIO;
	assert_int_equal(ib_advise_mr(f->pd, advice, 0, &sge, 1), -EIO);
	f->device->ops.advise_mr = NULL;
	assert_int_equal(ib_advise_mr(f->pd, advice, 0, &sge, 0), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_alloc_mr__fills_the_mr_in(void **state)
{
	struct core_fixture *f = *state;
	struct ib_mr *mr = ib_alloc_mr(f->pd, IB_MR_TYPE_SG_GAPS, 7);

	assert_ok_ptr(mr);
	assert_int_equal(f->fake->arg[FAKE_ALLOC_MR][1], IB_MR_TYPE_SG_GAPS);
	assert_int_equal(f->fake->arg[FAKE_ALLOC_MR][2], 7);
	assert_ptr_equal(mr->pd, f->pd);
	assert_int_equal(mr->type, IB_MR_TYPE_SG_GAPS);
	assert_false(mr->need_inval);
	assert_null(mr->sig_attrs);
	assert_int_equal(atomic_read(&f->pd->usecnt), 1);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void ib_alloc_mr__refuses_integrity(void **state)
{
	struct core_fixture *f = *state;

	assert_ptr_err(ib_alloc_mr(f->pd, IB_MR_TYPE_INTEGRITY, 1), -EINVAL);
	assert_cause(MR_IS_INTEGRITY);
	f->fake->fail[FAKE_ALLOC_MR] = -EINVAL;
	assert_ptr_err(ib_alloc_mr(f->pd, IB_MR_TYPE_MEM_REG, 1), -EINVAL);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	f->device->ops.alloc_mr = NULL;
	assert_ptr_err(ib_alloc_mr(f->pd, IB_MR_TYPE_MEM_REG, 1), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
}

static void ib_alloc_mr_integrity__brings_its_attributes(void **state)
{
	struct core_fixture *f = *state;
	const unsigned int objects = core_object_count(f->device);
	struct ib_mr *mr = ib_alloc_mr_integrity(f->pd, 5, 2);

	assert_ok_ptr(mr);
	assert_int_equal(f->fake->arg[FAKE_ALLOC_MR_INTEGRITY][1], 5);
	assert_int_equal(f->fake->arg[FAKE_ALLOC_MR_INTEGRITY][2], 2);
	assert_int_equal(mr->type, IB_MR_TYPE_INTEGRITY);
	assert_non_null(mr->sig_attrs);
	assert_int_equal(ib_dereg_mr(mr), 0);
	assert_ptr_err(ib_alloc_mr_integrity(f->pd, 5, 0), -EINVAL);
	assert_cause(MR_NO_META);
	base_alloc_fail_nth(1); /* of the attributes: the provider is not even asked */
	assert_ptr_err(ib_alloc_mr_integrity(f->pd, 5, 2), -ENOMEM);
	base_alloc_fail_nth(0);
	assert_int_equal(core_object_count(f->device), objects);
	f->fake->fail[FAKE_ALLOC_MR_INTEGRITY] = -ENOSPC;
	assert_ptr_err(ib_alloc_mr_integrity(f->pd, 5, 2), -ENOSPC);
	f->device->ops.map_mr_sg_pi = NULL;
	assert_ptr_err(ib_alloc_mr_integrity(f->pd, 5, 2), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
}

static void ib_dereg_mr_user__keeps_what_the_provider_keeps(void **state)
{
	struct core_fixture *f = *state;
	struct ib_mr *mr = make_mr(f);
	struct ib_dm dm = {.device = f->device};
	struct ib_udata udata = {.inlen = 0};

	mr->dm = &dm;
	atomic_inc(&dm.usecnt);
	f->fake->fail[FAKE_DEREG_MR] = -EBUSY;
	assert_int_equal(ib_dereg_mr_user(mr, &udata), -EBUSY);
	assert_int_equal(f->fake->arg[FAKE_DEREG_MR][1], (uintptr_t)&udata);
	assert_int_equal(atomic_read(&f->pd->usecnt), 1);
	assert_int_equal(atomic_read(&dm.usecnt), 1);
	f->fake->fail[FAKE_DEREG_MR] = 0;
	assert_int_equal(ib_dereg_mr_user(mr, &udata), 0);
	assert_int_equal(atomic_read(&f->pd->usecnt), 0);
	assert_int_equal(atomic_read(&dm.usecnt), 0);
}

static void ib_check_mr_status__asks_the_provider(void **state)
{
	struct core_fixture *f = *state;
	struct ib_mr *mr = make_mr(f);
	struct ib_mr_status status = {0};

	assert_int_equal(ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status), 0);
	assert_int_equal(status.fail_status, IB_MR_CHECK_SIG_STATUS);
	f->fake->fail[FAKE_CHECK_MR_STATUS] = -EIO;
	assert_int_equal(ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status), -EIO);
	f->device->ops.check_mr_status = NULL;
	assert_int_equal(ib_check_mr_status(mr, IB_MR_CHECK_SIG_STATUS, &status), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void ib_map_mr_sg__sets_the_page_size(void **state)
{
	struct core_fixture *f = *state;
	struct ib_mr *mr = make_mr(f);
	struct scatterlist sg;
	unsigned int offset = 0;

	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = 0x3000;
	sg_dma_len(&sg) = 0x1800;
	assert_int_equal(ib_map_mr_sg(mr, &sg, 1, &offset, 0x1000), 1);
	assert_int_equal(mr->page_size, 0x1000);
	assert_int_equal(f->fake->arg[FAKE_MAP_MR_SG][2], 1);
	assert_int_equal(to_fake_mr(mr)->page_count, 2);
	assert_int_equal(mr->iova, 0x3000);
	assert_int_equal(mr->length, 0x1800);
	assert_int_equal(ib_map_mr_sg_zbva(mr, &sg, 1, NULL, 0x1000), 1);
	assert_int_equal(mr->iova, 0);
	f->device->ops.map_mr_sg = NULL;
	assert_int_equal(ib_map_mr_sg(mr, &sg, 1, NULL, 0x1000), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

static void ib_map_mr_sg_pi__wants_an_integrity_mr(void **state)
{
	struct core_fixture *f = *state;
	struct ib_mr *mr = ib_alloc_mr_integrity(f->pd, 1, 1);
	struct ib_mr *plain = make_mr(f);
	struct scatterlist data, meta;

	assert_ok_ptr(mr);
	sg_init_table(&data, 1);
	sg_init_table(&meta, 1);
	assert_int_equal(ib_map_mr_sg_pi(mr, &data, 1, NULL, &meta, 1, NULL, 0x1000), 0);
	assert_int_equal(mr->page_size, 0x1000);
	assert_int_equal(f->fake->arg[FAKE_MAP_MR_SG_PI][1], (uintptr_t)&data);
	assert_int_equal(f->fake->arg[FAKE_MAP_MR_SG_PI][3], (uintptr_t)&meta);
	assert_int_equal(ib_map_mr_sg_pi(plain, &data, 1, NULL, &meta, 1, NULL, 0x1000),
			 -EOPNOTSUPP);
	assert_cause(MR_PI_TYPE);
	f->device->ops.map_mr_sg_pi = NULL;
	assert_int_equal(ib_map_mr_sg_pi(mr, &data, 1, NULL, &meta, 1, NULL, 0x1000), -EOPNOTSUPP);
	assert_cause(NOT_SUPPORTED);
	assert_int_equal(ib_dereg_mr(plain), 0);
	assert_int_equal(ib_dereg_mr(mr), 0);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(ib_reg_user_mr__fills_the_mr_in),
	WITH_DEVICE(ib_reg_user_mr__wants_paging_from_a_device_that_has_it),
	WITH_DEVICE(ib_reg_user_mr__hands_errors_through_and_leaves_nothing),
	WITH_DEVICE(ib_advise_mr__asks_the_provider),
	WITH_DEVICE(ib_alloc_mr__fills_the_mr_in),
	WITH_DEVICE(ib_alloc_mr__refuses_integrity),
	WITH_DEVICE(ib_alloc_mr_integrity__brings_its_attributes),
	WITH_DEVICE(ib_dereg_mr_user__keeps_what_the_provider_keeps),
	WITH_DEVICE(ib_check_mr_status__asks_the_provider),
	WITH_DEVICE(ib_map_mr_sg__sets_the_page_size),
	WITH_DEVICE(ib_map_mr_sg_pi__wants_an_integrity_mr),
};

int main(void)
{
	return verbena_test_main(tests);
}
