// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* P_Keys, LMC, state and subnet prefix of ports, as the core remembers them. */
#include <rdma/ib_cache.h>
#include <string.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/fake_provider.h"
#include "common/test.h"
#include "core/cache_priv.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

static int setup(void **state)
{
	const struct fake_options options = {.ports = 2};

	*state = fake_provider_new(&options);
	return *state ? 0 : -1;
}

static int setup_unregistered(void **state)
{
	*state = fake_provider_alloc(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	fake_provider_free(*state);
	return base_host_idle() ? 0 : -1;
}

/* The provider has new tables, and says so. */
static void refresh(struct fake_provider *fake)
{
	const struct ib_event event = {
		.device = &fake->ib,
		.element.port_num = 1,
		.event = IB_EVENT_PKEY_CHANGE,
	};

	ib_dispatch_event(&event);
	while (base_host_turn(base_now_ns(), 10))
		;
}

static void ib_get_cached_pkey__by_index(void **state)
{
	struct fake_provider *fake = *state;
	u16 pkey = 0;

	fake->pkeys[0][1] = 0x5555; /* not yet known */
	assert_int_equal(ib_get_cached_pkey(&fake->ib, 1, 1, &pkey), 0);
	assert_int_equal(pkey, 0x1234);
	refresh(fake);
	assert_int_equal(ib_get_cached_pkey(&fake->ib, 1, 1, &pkey), 0);
	assert_int_equal(pkey, 0x5555);
	assert_int_equal(ib_get_cached_pkey(&fake->ib, 2, 1, &pkey), 0);
	assert_int_equal(pkey, 0x1234);
}

static void ib_get_cached_pkey__refused(void **state)
{
	struct fake_provider *fake = *state;
	u16 pkey;

	assert_int_equal(ib_get_cached_pkey(&fake->ib, 1, -1, &pkey), -EINVAL);
	assert_int_equal(ib_get_cached_pkey(&fake->ib, 1, FAKE_PKEYS, &pkey), -EINVAL);
	assert_cause(PKEY_INDEX);
	assert_int_equal(ib_get_cached_pkey(&fake->ib, 3, 0, &pkey), -EINVAL);
	assert_cause(PORT_RANGE);
}

static void ib_get_cached_pkey__before_registration(void **state)
{
	struct fake_provider *fake = *state;
	u16 pkey;

	assert_int_equal(ib_get_cached_pkey(&fake->ib, 1, 0, &pkey), -EINVAL);
}

static void ib_find_cached_pkey__full_member_else_the_last_limited(void **state)
{
	struct fake_provider *fake = *state;
	u16 index = 99;

	fake->pkeys[0][0] = 0x0007;
	fake->pkeys[0][1] = 0x8007;
	refresh(fake);
	assert_int_equal(ib_find_cached_pkey(&fake->ib, 1, 0x0007, &index), 0);
	assert_int_equal(index, 1);
	fake->pkeys[0][1] = 0x0007;
	refresh(fake);
	assert_int_equal(ib_find_cached_pkey(&fake->ib, 1, 0x8007, &index), 0);
	assert_int_equal(index, 1);
	assert_int_equal(ib_find_cached_pkey(&fake->ib, 1, 0x8008, &index), -ENOENT);
	assert_cause(PKEY_NOT_FOUND);
	assert_int_equal(ib_find_cached_pkey(&fake->ib, 9, 0x8007, &index), -EINVAL);
}

static void ib_find_exact_cached_pkey__all_16_bits(void **state)
{
	struct fake_provider *fake = *state;
	u16 index = 99;

	assert_int_equal(ib_find_exact_cached_pkey(&fake->ib, 1, 0x1234, &index), 0);
	assert_int_equal(index, 1);
	assert_int_equal(ib_find_exact_cached_pkey(&fake->ib, 1, 0x9234, &index), -ENOENT);
	assert_int_equal(ib_find_exact_cached_pkey(&fake->ib, 0, 0x1234, &index), -EINVAL);
}

static void ib_get_cached_lmc__of_the_last_refresh(void **state)
{
	struct fake_provider *fake = *state;
	u8 lmc = 99;

	assert_int_equal(ib_get_cached_lmc(&fake->ib, 1, &lmc), 0);
	assert_int_equal(lmc, 0);
	fake->lmc = 3;
	refresh(fake);
	assert_int_equal(ib_get_cached_lmc(&fake->ib, 1, &lmc), 0);
	assert_int_equal(lmc, 3);
	assert_int_equal(ib_get_cached_lmc(&fake->ib, 3, &lmc), -EINVAL);
}

static void ib_get_cached_port_state__of_the_last_refresh(void **state)
{
	struct fake_provider *fake = *state;
	enum ib_port_state port_state = IB_PORT_NOP;

	assert_int_equal(ib_get_cached_port_state(&fake->ib, 1, &port_state), 0);
	assert_int_equal(port_state, IB_PORT_ACTIVE);
	fake->port_state = IB_PORT_DOWN;
	refresh(fake);
	assert_int_equal(ib_get_cached_port_state(&fake->ib, 1, &port_state), 0);
	assert_int_equal(port_state, IB_PORT_DOWN);
	assert_int_equal(ib_get_cached_port_state(&fake->ib, 2, &port_state), 0);
	assert_int_equal(port_state, IB_PORT_ACTIVE);
	assert_int_equal(ib_get_cached_port_state(&fake->ib, 3, &port_state), -EINVAL);
}

static void core_cached_subnet_prefix__is_that_of_the_first_gid(void **state)
{
	struct fake_provider *fake = *state;

	assert_true(core_cached_subnet_prefix(&fake->ib, 1) == 0xfe80000000000000ull);
	fake->gids[0][0].global.subnet_prefix = cpu_to_be64(0xfec0000000000000ull);
	refresh(fake);
	assert_true(core_cached_subnet_prefix(&fake->ib, 1) == 0xfec0000000000000ull);
}

static void core_cache_update__a_failure_keeps_the_old_tables(void **state)
{
	struct fake_provider *fake = *state;
	u16 pkey = 0;

	fake->pkeys[0][1] = 0x5555;
	fake->fail[FAKE_QUERY_GID] = -EIO;
	refresh(fake);
	assert_int_equal(ib_get_cached_pkey(&fake->ib, 1, 1, &pkey), 0);
	assert_int_equal(pkey, 0x1234);
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(ib_get_cached_pkey__by_index),
	T(ib_get_cached_pkey__refused),
	cmocka_unit_test_setup_teardown(ib_get_cached_pkey__before_registration, setup_unregistered,
					teardown),
	T(ib_find_cached_pkey__full_member_else_the_last_limited),
	T(ib_find_exact_cached_pkey__all_16_bits),
	T(ib_get_cached_lmc__of_the_last_refresh),
	T(ib_get_cached_port_state__of_the_last_refresh),
	T(core_cached_subnet_prefix__is_that_of_the_first_gid),
	T(core_cache_update__a_failure_keeps_the_old_tables),
};

int main(void)
{
	return verbena_test_main(tests);
}
