/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <linux/bitops.h>
#include <linux/jiffies.h>

#include "common/core_fixture.h"

static const struct rdma_stat_desc descs[] = {
	{.name = "packets"},
	{.name = "drops", .flags = IB_STAT_FLAG_OPTIONAL},
	{.name = "naks"},
};

static void rdma_alloc_hw_stats_struct__makes_an_empty_set(void **state)
{
	struct rdma_hw_stats *stats = rdma_alloc_hw_stats_struct(descs, 3, 25);

	(void)state;
	assert_non_null(stats);
	assert_ptr_equal(stats->descs, descs);
	assert_int_equal(stats->num_counters, 3);
	assert_int_equal(stats->lifespan, msecs_to_jiffies(25));
	for (long i = 0; i < 3; i++) {
		assert_int_equal(stats->value[i], 0);
		assert_false(test_bit(i, stats->is_disabled));
		stats->value[i] = 7;
		set_bit(i, stats->is_disabled);
	}
	mutex_lock(&stats->lock);
	mutex_unlock(&stats->lock);
	rdma_free_hw_stats_struct(stats);
}

static void rdma_alloc_hw_stats_struct__has_a_default_lifespan(void **state)
{
	struct rdma_hw_stats *stats = rdma_alloc_hw_stats_struct(descs, 3, 0);

	(void)state;
	assert_non_null(stats);
	assert_int_equal(stats->lifespan, msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN));
	rdma_free_hw_stats_struct(stats);
}

static void rdma_alloc_hw_stats_struct__allows_no_counters(void **state)
{
	struct rdma_hw_stats *stats = rdma_alloc_hw_stats_struct(NULL, 0, 1);

	(void)state;
	assert_non_null(stats);
	assert_int_equal(stats->num_counters, 0);
	rdma_free_hw_stats_struct(stats);
	stats = rdma_alloc_hw_stats_struct(NULL, -5, 1);
	assert_non_null(stats);
	assert_int_equal(stats->num_counters, 0);
	rdma_free_hw_stats_struct(stats);
}

static void rdma_free_hw_stats_struct__frees_all_of_it(void **state)
{
	const size_t before = base_alloc_live();
	struct rdma_hw_stats *stats = rdma_alloc_hw_stats_struct(descs, 3, 25);

	(void)state;
	assert_non_null(stats);
	assert_true(base_alloc_live() > before);
	rdma_free_hw_stats_struct(stats);
	assert_int_equal(base_alloc_live(), before);
	rdma_free_hw_stats_struct(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(rdma_alloc_hw_stats_struct__makes_an_empty_set),
	cmocka_unit_test(rdma_alloc_hw_stats_struct__has_a_default_lifespan),
	cmocka_unit_test(rdma_alloc_hw_stats_struct__allows_no_counters),
	cmocka_unit_test(rdma_free_hw_stats_struct__frees_all_of_it),
};

int main(void)
{
	return verbena_test_main(tests);
}
