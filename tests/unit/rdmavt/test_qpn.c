// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The QP number allocator. */
#include "rdmavt/qpn.c"

#include "common/test.h"

struct numbers {
	struct rvt_dev_info rdi;
	struct rvt_qpn_table qpt;
};

static int fixture_up(void **state)
{
	struct numbers *n = base_zalloc(sizeof(*n));

	*state = n;
	if (!n)
		return -1;
	n->rdi.dparms.qpn_start = 1;
	n->rdi.dparms.qpn_inc = 1;
	n->rdi.dparms.qpn_res_start = RVT_KDETH_QP_BASE;
	n->rdi.dparms.qpn_res_end = RVT_AIP_QP_MAX;
	return 0;
}

static int fixture_down(void **state)
{
	struct numbers *n = *state;

	if (n)
		free_qpn_table(&n->qpt);
	base_free(n);
	return 0;
}

static int take(struct numbers *n)
{
	return alloc_qpn(&n->rdi, &n->qpt, IB_QPT_RC, 1, 0);
}

static void init_qpn_table__reserves_a_range(void **state)
{
	struct numbers *n = *state;

	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), 0);
	assert_int_equal(n->qpt.nmaps, (RVT_AIP_QP_MAX + 1) / RVT_BITS_PER_PAGE);
	assert_int_equal(n->qpt.last, 1);
	n->qpt.last = RVT_KDETH_QP_BASE - 2;
	assert_int_equal(take(n), RVT_KDETH_QP_BASE - 1);
	/* Next is above the range, in a page of its own, but pages below are searched first. */
	assert_int_equal(take(n), 2);
}

static void init_qpn_table__refusals(void **state)
{
	struct numbers *n = *state;

	n->rdi.dparms.qpn_res_end = RVT_KDETH_QP_BASE - 1;
	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), -EINVAL);
	n->rdi.dparms.qpn_res_end = RVT_QPN_MAX;
	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), -EINVAL);
}

static void alloc_qpn__numbers_rise_and_a_freed_one_waits_its_turn(void **state)
{
	struct numbers *n = *state;

	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), 0);
	assert_int_equal(take(n), 2);
	assert_int_equal(take(n), 3);
	rvt_free_qpn(&n->qpt, 2);
	assert_int_equal(take(n), 4);
	n->qpt.last = RVT_QPN_MAX - 1;
	assert_int_equal(take(n), 2);
	assert_int_equal(take(n), 5);
}

/* 0 and 1 are never given to an ordinary QP, though the kernel's rdmavt would give 1. */
static void alloc_qpn__never_the_special_numbers(void **state)
{
	struct numbers *n = *state;

	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), 0);
	n->qpt.last = RVT_QPN_MAX - 1;
	assert_int_equal(take(n), 2);
}

static void alloc_qpn__steps_keep_their_parity_until_they_wrap(void **state)
{
	struct numbers *n = *state;

	n->rdi.dparms.qpn_inc = 2;
	n->rdi.dparms.qpn_start = 2;
	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), 0);
	assert_int_equal(take(n), 4);
	assert_int_equal(take(n), 6);
	n->qpt.last = RVT_QPN_MAX - 2;
	assert_int_equal(take(n), 3);
	assert_int_equal(take(n), 5);
}

static void alloc_qpn__qos_bits_widen_the_step(void **state)
{
	struct numbers *n = *state;

	n->rdi.dparms.qos_shift = 3;
	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), 0);
	assert_int_equal(take(n), 9);
	assert_int_equal(take(n), 17);
}

static void alloc_qpn__new_pages_only_when_all_are_full(void **state)
{
	struct numbers *n = *state;

	n->rdi.dparms.qpn_res_start = 0;
	n->rdi.dparms.qpn_res_end = 0;
	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), 0);
	assert_int_equal(n->qpt.nmaps, 0);
	assert_int_equal(take(n), 2);
	assert_int_equal(n->qpt.nmaps, 1);
	memset(n->qpt.map[0].page, 0xff, RVT_BITS_PER_PAGE / 8);
	assert_int_equal(take(n), RVT_BITS_PER_PAGE);
	assert_int_equal(n->qpt.nmaps, 2);
	rvt_free_qpn(&n->qpt, 100);
	memset(n->qpt.map[1].page, 0xff, RVT_BITS_PER_PAGE / 8);
	assert_int_equal(take(n), 100);
	assert_int_equal(n->qpt.nmaps, 2);
}

static void alloc_qpn__aip_numbers_have_16_bits(void **state)
{
	struct numbers *n = *state;

	n->rdi.dparms.qpn_res_start = 0;
	n->rdi.dparms.qpn_res_end = 0;
	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), 0);
	for (int i = 0; i < 2; i++) {
		assert_non_null(bits_of(&n->qpt, (u32)i * RVT_BITS_PER_PAGE));
		memset(n->qpt.map[i].page, 0xff, RVT_BITS_PER_PAGE / 8);
	}
	n->qpt.nmaps = 2;
	assert_int_equal(alloc_qpn(&n->rdi, &n->qpt, IB_QPT_UD, 1, RVT_AIP_QP_PREFIX), -ENOMEM);
	rvt_free_qpn(&n->qpt, RVT_AIP_QP_BASE + 77);
	assert_int_equal(alloc_qpn(&n->rdi, &n->qpt, IB_QPT_UD, 1, RVT_AIP_QP_PREFIX), 77);
}

static void alloc_qpn__one_special_qp_a_port(void **state)
{
	struct numbers *n = *state;

	assert_int_equal(alloc_qpn(&n->rdi, &n->qpt, IB_QPT_SMI, 1, 0), 0);
	assert_int_equal(alloc_qpn(&n->rdi, &n->qpt, IB_QPT_GSI, 1, 0), 1);
	assert_int_equal(alloc_qpn(&n->rdi, &n->qpt, IB_QPT_GSI, 2, 0), 1);
	assert_int_equal(n->qpt.flags, 0xb);
	assert_int_equal(alloc_qpn(&n->rdi, &n->qpt, IB_QPT_GSI, 1, 0), -EINVAL);
}

static int drivers_own(struct rvt_dev_info *rdi, struct rvt_qpn_table *qpt, enum ib_qp_type type,
		       u32 port_num)
{
	(void)rdi;
	(void)qpt;
	return type == IB_QPT_RC && port_num == 1 ? 4711 : -EBUSY;
}

static void alloc_qpn__driver_may_choose(void **state)
{
	struct numbers *n = *state;

	n->rdi.driver_f.alloc_qpn = drivers_own;
	assert_int_equal(take(n), 4711);
	assert_int_equal(alloc_qpn(&n->rdi, &n->qpt, IB_QPT_UC, 1, 0), -EBUSY);
}

/* All 2^24 of them. */
static void alloc_qpn__none_left(void **state)
{
	struct numbers *n = *state;

	n->rdi.dparms.qpn_inc = 64; /* else it takes a while */
	n->rdi.dparms.qpn_res_start = 0;
	n->rdi.dparms.qpn_res_end = 0;
	assert_int_equal(init_qpn_table(&n->rdi, &n->qpt), 0);
	for (size_t i = 0; i < RVT_QPNMAP_ENTRIES; i++) {
		assert_non_null(bits_of(&n->qpt, (u32)(i * RVT_BITS_PER_PAGE)));
		memset(n->qpt.map[i].page, 0xff, RVT_BITS_PER_PAGE / 8);
	}
	assert_int_equal(take(n), -ENOMEM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_up, fixture_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(init_qpn_table__reserves_a_range),
		TEST(init_qpn_table__refusals),
		TEST(alloc_qpn__numbers_rise_and_a_freed_one_waits_its_turn),
		TEST(alloc_qpn__never_the_special_numbers),
		TEST(alloc_qpn__steps_keep_their_parity_until_they_wrap),
		TEST(alloc_qpn__qos_bits_widen_the_step),
		TEST(alloc_qpn__new_pages_only_when_all_are_full),
		TEST(alloc_qpn__aip_numbers_have_16_bits),
		TEST(alloc_qpn__one_special_qp_a_port),
		TEST(alloc_qpn__driver_may_choose),
		TEST(alloc_qpn__none_left),
	};

	return verbena_test_main(tests);
}
