// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Protection domains. */
#include "common/process.h"
#include "common/rvt_bare.h"
#include "rdmavt/pd.h"

static int setup(void **state)
{
	*state = bare_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	base_free(*state);
	return 0;
}

static void pd_init(struct rvt_pd *pd, struct bare *b)
{
	memset(pd, 0, sizeof(*pd));
	pd->ibpd.device = &b->rdi.ibdev;
}

static void rvt_alloc_pd__tells_processes_apart(void **state)
{
	struct uverbs_attr_bundle call = {.context = NULL};
	struct rvt_pd kernel, user;

	pd_init(&kernel, *state);
	pd_init(&user, *state);
	assert_int_equal(rvt_alloc_pd(&kernel.ibpd, NULL), 0);
	assert_int_equal(rvt_alloc_pd(&user.ibpd, &call.driver_udata), 0);
	assert_false(kernel.user);
	assert_true(user.user);
	assert_int_not_equal(kernel.number, 0);
	assert_int_not_equal(kernel.number, user.number);
	rvt_dealloc_pd(&kernel.ibpd, NULL);
	rvt_dealloc_pd(&user.ibpd, NULL);
}

static void rvt_alloc_pd__up_to_max_pd(void **state)
{
	struct bare *b = *state;
	struct rvt_pd pd[5];

	for (int i = 0; i < 4; i++) {
		pd_init(&pd[i], b);
		assert_int_equal(rvt_alloc_pd(&pd[i].ibpd, NULL), 0);
	}
	pd_init(&pd[4], b);
	assert_int_equal(rvt_alloc_pd(&pd[4].ibpd, NULL), -ENOMEM);
	assert_cause(PD_COUNT);
	assert_string_equal(bare_cause(),
			    "all 4 PDs of the device exist. Destroy some, or share one.");
	assert_int_equal(rvt_dealloc_pd(&pd[1].ibpd, NULL), 0);
	assert_int_equal(b->rdi.n_pds_allocated, 3);
	assert_int_equal(rvt_alloc_pd(&pd[4].ibpd, NULL), 0);
	assert_int_not_equal(pd[4].number, pd[1].number); /* keys of the old one stay worthless */
}

static void rvt_alloc_pd__never_gives_number_zero(void **state)
{
	struct bare *b = *state;
	struct rvt_pd pd;

	pd_init(&pd, b);
	b->rdi.last_pd_number = UINT32_MAX;
	assert_int_equal(rvt_alloc_pd(&pd.ibpd, NULL), 0);
	assert_int_equal(pd.number, 1);
}

static void rvt_dealloc_pd__uncounts(void **state)
{
	struct bare *b = *state;
	struct rvt_pd pd;

	pd_init(&pd, b);
	assert_int_equal(rvt_alloc_pd(&pd.ibpd, NULL), 0);
	assert_int_equal(b->rdi.n_pds_allocated, 1);
	assert_int_equal(rvt_dealloc_pd(&pd.ibpd, NULL), 0);
	assert_int_equal(b->rdi.n_pds_allocated, 0);
}

static const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	TEST(rvt_alloc_pd__tells_processes_apart),
	TEST(rvt_alloc_pd__up_to_max_pd),
	TEST(rvt_alloc_pd__never_gives_number_zero),
	TEST(rvt_dealloc_pd__uncounts),
};

int main(void)
{
	return verbena_test_main(tests);
}
