// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table of methods, and posting to a device that has been removed. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cause.h"
#include "common/fake_provider.h"
#include "common/test.h"

#define FIRST offsetof(struct ib_device_ops, device_group)

static int setup(void **state)
{
	*state = fake_provider_alloc(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	fake_provider_free(*state);
	return 0;
}

static void ib_set_device_ops__the_first_setting_stays(void **state)
{
	struct fake_provider *fake = *state;
	const struct ib_device_ops mine = fake->ib.ops;
	struct ib_device_ops other = {.size_ib_pd = 12345};

	other.post_send = (__typeof__(other.post_send))(void *)abort;
	other.peek_cq = (__typeof__(other.peek_cq))(void *)abort;
	ib_set_device_ops(&fake->ib, &other);
	assert_true(fake->ib.ops.post_send == mine.post_send);
	assert_int_equal(fake->ib.ops.size_ib_pd, mine.size_ib_pd);
	assert_true(fake->ib.ops.peek_cq == other.peek_cq);
}

/* Each word of the table from device_group on is a member; each must arrive, and then stay. */
static void ib_set_device_ops__no_member_is_forgotten(void **state)
{
	struct ib_device *device = _ib_alloc_device(sizeof(struct fake_provider));
	struct ib_device_ops first, second;

	(void)state;
	assert_non_null(device);
	memset(&first, 0, sizeof(first));
	memset(&second, 0, sizeof(second));
	memset((char *)&first + FIRST, 0x11, sizeof(first) - FIRST);
	memset((char *)&second + FIRST, 0x22, sizeof(second) - FIRST);
	ib_set_device_ops(device, &first);
	ib_set_device_ops(device, &second);
	assert_memory_equal((char *)&device->ops + FIRST, (char *)&first + FIRST,
			    sizeof(first) - FIRST);
	memset(&device->ops, 0, sizeof(device->ops));
	ib_dealloc_device(device);
}

static void ib_set_device_ops__ids(void **state)
{
	static struct module *const owner = (struct module *)0x1000;
	const struct ib_device_ops ids = {
		.owner = owner,
		.driver_id = RDMA_DRIVER_HFI1,
		.uverbs_abi_ver = 7,
		.uverbs_no_driver_id_binding = 1,
	};
	const struct ib_device_ops none = {0};
	struct fake_provider *fake = *state;

	ib_set_device_ops(&fake->ib, &ids);
	ib_set_device_ops(&fake->ib, &none);
	assert_ptr_equal(fake->ib.ops.owner, owner);
	assert_int_equal(fake->ib.ops.driver_id, RDMA_DRIVER_HFI1);
	assert_int_equal(fake->ib.ops.uverbs_abi_ver, 7);
	assert_int_equal(fake->ib.ops.uverbs_no_driver_id_binding, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(ib_set_device_ops__the_first_setting_stays, setup,
					teardown),
	cmocka_unit_test(ib_set_device_ops__no_member_is_forgotten),
	cmocka_unit_test_setup_teardown(ib_set_device_ops__ids, setup, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
