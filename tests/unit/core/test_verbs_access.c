/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

static void ib_check_mr_access__says_what_is_wrong(void **state)
{
	struct core_fixture *f = *state;

	assert_int_equal(ib_check_mr_access(f->device, IB_ACCESS_REMOTE_WRITE), -EINVAL);
	assert_cause_text("access rights REMOTE_WRITE: remote writes and atomics need "
			  "IB_ACCESS_LOCAL_WRITE. Add IB_ACCESS_LOCAL_WRITE.");
	assert_int_equal(ib_check_mr_access(f->device,
					    IB_ACCESS_FLUSH_GLOBAL | IB_ACCESS_FLUSH_PERSISTENT),
			 0);
	assert_int_equal(ib_check_mr_access(f->device, 1u << 10), -EINVAL);
	assert_int_equal(ib_check_mr_access(f->device, 1u << 30 | IB_ACCESS_REMOTE_READ), -EINVAL);
	assert_cause(MR_ACCESS_UNKNOWN);
	assert_int_equal(base_cause_last()->arg[1], 1u << 30);
	assert_int_equal(ib_check_mr_access(f->device, IB_ACCESS_ON_DEMAND), -EINVAL);
	assert_cause(MR_ON_DEMAND);
	f->device->attrs.kernel_cap_flags = IBK_ON_DEMAND_PAGING;
	assert_int_equal(ib_check_mr_access(f->device, IB_ACCESS_ON_DEMAND), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(ib_check_mr_access__says_what_is_wrong, core_setup_ib,
					core_teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
