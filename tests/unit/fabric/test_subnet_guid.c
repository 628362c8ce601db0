// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The set of GUIDs, against a list that is searched from end to end. */
#include "fabric/subnet_guid.h"

#include "common/test.h"

#define MOST 300u

static void subnet_guids__as_a_list(void **state)
{
	struct subnet_guids guids = {0};
	uint64_t list[MOST] = {0}, random = 1;
	uint32_t count = 0;

	(void)state;
	assert_false(subnet_guids_has(&guids, 5));
	for (uint32_t i = 0; i < 20000; i++) {
		uint64_t guid;
		uint32_t at = 0;

		/* Few that are near one another, so that many meet. */
		random = random * 6364136223846793005u + 1442695040888963407u;
		guid = 0x0200560000010000u + (random >> 40) % 512;
		while (at < count && list[at] != guid)
			at++;
		assert_int_equal(subnet_guids_has(&guids, guid), at < count);
		if (at < count) {
			subnet_guids_remove(&guids, guid);
			list[at] = list[--count];
		} else if (count < MOST) {
			assert_int_equal(subnet_guids_reserve(&guids, 1), 0);
			subnet_guids_add(&guids, guid);
			list[count++] = guid;
		}
	}
	for (uint32_t i = 0; i < count; i++)
		assert_true(subnet_guids_has(&guids, list[i]));
	assert_int_equal(guids.count, count);
	subnet_guids_free(&guids);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(subnet_guids__as_a_list),
};

int main(void)
{
	return verbena_test_main(tests);
}
