// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Counters of a provider: one set for the device, one for each port. */
#include "core/hw_stats.h"

#include <linux/jiffies.h>
#include <string.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/fake_provider.h"
#include "common/test.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

static const struct rdma_stat_desc descs[] = {
	{.name = "good"},
	{.name = "bad"},
	{.name = "rare", .flags = IB_STAT_FLAG_OPTIONAL},
};

#define COUNTERS 3

static unsigned int reads, modifies;
static int read_result, modify_result;
static u64 truth[COUNTERS];

static struct rdma_hw_stats *alloc_device_stats(struct ib_device *device)
{
	(void)device;
	return rdma_alloc_hw_stats_struct(descs, COUNTERS, 0);
}

static struct rdma_hw_stats *alloc_port_stats(struct ib_device *device, u32 port_num)
{
	(void)device;
	(void)port_num;
	return rdma_alloc_hw_stats_struct(descs, COUNTERS, 100);
}

static int get_stats(struct ib_device *device, struct rdma_hw_stats *stats, u32 port, int index)
{
	(void)device;
	(void)index;
	reads++;
	if (read_result)
		return read_result;
	for (int i = 0; i < COUNTERS; i++)
		stats->value[i] = truth[i] + 100 * port;
	return COUNTERS;
}

static int modify_stat(struct ib_device *device, u32 port, unsigned int index, bool enable)
{
	(void)device;
	(void)port;
	(void)index;
	(void)enable;
	modifies++;
	return modify_result;
}

static int setup(void **state)
{
	const struct fake_options options = {.ports = 2};
	struct fake_provider *fake = fake_provider_alloc(&options);

	if (!fake)
		return -1;
	reads = 0;
	modifies = 0;
	read_result = 0;
	modify_result = 0;
	truth[0] = 7;
	fake->ib.ops.alloc_hw_device_stats = alloc_device_stats;
	fake->ib.ops.alloc_hw_port_stats = alloc_port_stats;
	fake->ib.ops.get_hw_stats = get_stats;
	fake->ib.ops.modify_hw_stat = modify_stat;
	base_host_turn(base_now_ns() + 1000000000ull, 0);
	*state = fake;
	if (!ib_register_device(&fake->ib, "fake%d", NULL))
		return 0;
	ib_dealloc_device(&fake->ib);
	return -1;
}

static int teardown(void **state)
{
	fake_provider_free(*state);
	return 0;
}

static void ib_get_hw_stats_port__of_the_device_and_each_port(void **state)
{
	struct fake_provider *fake = *state;
	struct rdma_hw_stats *of_device = ib_get_hw_stats_port(&fake->ib, 0);

	assert_non_null(of_device);
	assert_int_equal(of_device->num_counters, COUNTERS);
	assert_int_equal(of_device->lifespan, msecs_to_jiffies(RDMA_HW_STATS_DEFAULT_LIFESPAN));
	assert_non_null(ib_get_hw_stats_port(&fake->ib, 2));
	assert_int_equal(ib_get_hw_stats_port(&fake->ib, 2)->lifespan, msecs_to_jiffies(100));
	assert_null(ib_get_hw_stats_port(&fake->ib, 3));
}

static void core_hw_stats_read__asks_again_when_too_old(void **state)
{
	struct fake_provider *fake = *state;
	u64 value = 0;

	assert_int_equal(core_hw_stats_read(&fake->ib, 1, 0, &value), 0);
	assert_int_equal(value, 107);
	truth[0] = 8;
	assert_int_equal(core_hw_stats_read(&fake->ib, 1, 0, &value), 0);
	assert_int_equal(value, 107);
	assert_int_equal(reads, 1);
	assert_int_equal(core_hw_stats_read(&fake->ib, 2, 0, &value), 0);
	assert_int_equal(value, 208);
	base_host_turn(base_now_ns() + 100000000ull, 0);
	assert_int_equal(core_hw_stats_read(&fake->ib, 1, 0, &value), 0);
	assert_int_equal(value, 108);
	assert_int_equal(reads, 3);
}

static void core_hw_stats_read__refused(void **state)
{
	struct fake_provider *fake = *state;
	u64 value = 5;

	assert_int_equal(core_hw_stats_read(&fake->ib, 1, COUNTERS, &value), -EINVAL);
	assert_cause(STAT_INDEX);
	assert_int_equal(core_hw_stats_read(&fake->ib, 1, -1, &value), -EINVAL);
	assert_int_equal(core_hw_stats_read(&fake->ib, 3, 0, &value), -EOPNOTSUPP);
	read_result = -EIO;
	assert_int_equal(core_hw_stats_read(&fake->ib, 1, 0, &value), -EIO);
	assert_int_equal(value, 5);
}

static void rdma_counter_modify__optional_ones_only(void **state)
{
	struct fake_provider *fake = *state;
	u64 value = 0;

	assert_int_equal(rdma_counter_modify(&fake->ib, 1, 0, false), -EINVAL);
	assert_cause(STAT_FIXED);
	assert_int_equal(rdma_counter_modify(&fake->ib, 1, COUNTERS, false), -EINVAL);
	assert_int_equal(rdma_counter_modify(&fake->ib, 1, 2, true), 0);
	assert_int_equal(modifies, 0); /* it is on already */
	assert_int_equal(rdma_counter_modify(&fake->ib, 1, 2, false), 0);
	assert_int_equal(modifies, 1);
	assert_int_equal(core_hw_stats_read(&fake->ib, 1, 2, &value), -ENODATA);
	assert_cause(STAT_DISABLED);
	modify_result = -EIO;
	assert_int_equal(rdma_counter_modify(&fake->ib, 1, 2, true), -EIO);
	assert_int_equal(core_hw_stats_read(&fake->ib, 1, 2, &value), -ENODATA);
	modify_result = 0;
	assert_int_equal(rdma_counter_modify(&fake->ib, 1, 2, true), 0);
	assert_int_equal(core_hw_stats_read(&fake->ib, 1, 2, &value), 0);
	fake->ib.ops.modify_hw_stat = NULL;
	assert_int_equal(rdma_counter_modify(&fake->ib, 1, 2, true), -EOPNOTSUPP);
}

static void core_hw_stats_setup__a_provider_without_counters(void **state)
{
	struct fake_provider *fake = fake_provider_new(NULL);
	u64 value;
	int ret;

	(void)state;
	assert_non_null(fake);
	ret = core_hw_stats_read(&fake->ib, 0, 0, &value);
	assert_null(ib_get_hw_stats_port(&fake->ib, 0));
	fake_provider_free(fake);
	assert_int_equal(ret, -EOPNOTSUPP);
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(ib_get_hw_stats_port__of_the_device_and_each_port),
	T(core_hw_stats_read__asks_again_when_too_old),
	T(core_hw_stats_read__refused),
	T(rdma_counter_modify__optional_ones_only),
	cmocka_unit_test(core_hw_stats_setup__a_provider_without_counters),
};

int main(void)
{
	return verbena_test_main(tests);
}
