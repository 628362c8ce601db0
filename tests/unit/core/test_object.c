/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"
#include "core/verbs_priv.h"

static void core_object_alloc__counts_and_clears(void **state)
{
	struct core_fixture *f = *state;
	const unsigned int before = core_object_count(f->device);
	u8 *object = core_object_alloc(f->device, 100, 10);

	assert_ok_ptr(object);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(object[i], 0);
	assert_int_equal(core_object_count(f->device), before + 1);
	core_object_free(f->device, object);
	assert_int_equal(core_object_count(f->device), before);
}

static void core_object_alloc__holds_at_least_the_cores_part(void **state)
{
	struct core_fixture *f = *state;
	const size_t before = base_alloc_live_bytes();
	void *object = core_object_alloc(f->device, 8, 4096);

	assert_ok_ptr(object);
	assert_true(base_alloc_live_bytes() >= before + 4096);
	core_object_free(f->device, object);
}

static void core_object_alloc__tells_when_memory_is_out(void **state)
{
	struct core_fixture *f = *state;
	const unsigned int before = core_object_count(f->device);

	base_alloc_fail_nth(1);
	assert_ptr_err(core_object_alloc(f->device, 100, 10), -ENOMEM);
	base_alloc_fail_nth(0);
	assert_cause_text("no memory for 100 bytes. Free some, or raise the limit of the process.");
	assert_int_equal(core_object_count(f->device), before);
}

static int teardown_removed(void **state)
{
	struct core_fixture *f = *state;

	if (f->pd)
		ib_dealloc_pd_user(f->pd, NULL);
	if (f->cq)
		ib_destroy_cq_user(f->cq, NULL);
	ib_dealloc_device(f->device);
	base_free(f);
	return 0;
}

static void core_object_alloc__refuses_when_the_device_is_gone(void **state)
{
	struct core_fixture *f = *state;
	const struct ib_cq_init_attr cq_attr = {.cqe = 1};
	struct ib_qp_init_attr qp_attr = {.send_cq = f->cq, .recv_cq = f->cq};
	struct ib_srq_init_attr srq_attr = {.attr.max_wr = 1};
	struct ib_wq_init_attr wq_attr = {.cq = f->cq};
	struct rdma_ah_attr ah_attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};

	ib_unregister_device(f->device);
	assert_ptr_err(core_object_alloc(f->device, 100, 10), -ENODEV);
	assert_ptr_err(ib_alloc_pd(f->device, 0), -ENODEV);
	assert_ptr_err(ib_reg_user_mr(f->pd, 0, 1, 0, 0), -ENODEV);
	assert_cause(DEVICE_REMOVED);
	assert_ptr_err(ib_alloc_mr(f->pd, IB_MR_TYPE_MEM_REG, 1), -ENODEV);
	assert_ptr_err(ib_alloc_mr_integrity(f->pd, 1, 1), -ENODEV);
	assert_ptr_err(ib_create_qp(f->pd, &qp_attr), -ENODEV);
	assert_ptr_err(ib_create_srq(f->pd, &srq_attr), -ENODEV);
	assert_ptr_err(ib_create_cq(f->device, NULL, NULL, NULL, &cq_attr), -ENODEV);
	assert_ptr_err(ib_create_wq(f->pd, &wq_attr), -ENODEV);
	assert_ptr_err(ib_alloc_xrcd_user(f->device, NULL, NULL), -ENODEV);
	assert_ptr_err(rdma_create_ah(f->pd, &ah_attr, 0), -ENODEV);
}

#define WITH_DEVICE(test) cmocka_unit_test_setup_teardown(test, core_setup_ib, core_teardown)

static const struct CMUnitTest tests[] = {
	WITH_DEVICE(core_object_alloc__counts_and_clears),
	WITH_DEVICE(core_object_alloc__holds_at_least_the_cores_part),
	WITH_DEVICE(core_object_alloc__tells_when_memory_is_out),
	cmocka_unit_test_setup_teardown(core_object_alloc__refuses_when_the_device_is_gone,
					core_setup_ib, teardown_removed),
};

int main(void)
{
	return verbena_test_main(tests);
}
