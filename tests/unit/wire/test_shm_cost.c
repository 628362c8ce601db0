// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* From where on payload is pulled. */
#include "common/test.h"
#include "wire/shm_priv.h"

static void shm_pull_from__where_the_call_is_paid_for(void **state)
{
	const struct {
		struct shm_cost cost;
		uint32_t bytes;
	} cases[] = {
		{{.bytes = 65536, .copy = 0, .call = 0, .first = 0}, SHM_PULL_MOST}, /* no clock */
		{{.bytes = 65536, .copy = 700, .call = 6400, .first = 1000}, SHM_PULL_MOST},
		{{.bytes = 65536, .copy = 2100, .call = 6400, .first = 1000}, 21845},
		{{.bytes = 65536, .copy = 20000, .call = 21000, .first = 500}, SHM_PULL_LEAST},
		{{.bytes = 65536, .copy = 1351, .call = 6400, .first = 1000}, SHM_PULL_MOST},
		{{.bytes = 65536, .copy = 1000, .call = 900, .first = 1000}, 16384}, /* disturbed */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(shm_pull_from(&cases[i].cost), cases[i].bytes);
}

/* A clock by which a copy takes 2.1 us, and a call 6.4, and 1 for a word: three rounds of each. */
static uint64_t slow_clock(void *ctx)
{
	static const uint64_t took[] = {2100, 6400, 1000};
	unsigned int *reads = ctx;
	const unsigned int n = (*reads)++;

	return n % 2 ? took[n / 6 % 3] + n / 2 % 3 * 100 : 0;
}

static void shm_measure__takes_the_quickest_of_each(void **state)
{
	struct shm_ring *ring = base_zalloc(sizeof(*ring));
	unsigned int reads = 0;
	const struct wire_shm_config config = {.now_ns = slow_clock, .ctx = &reads};

	(void)state;
	if (!ring)
		return;
	assert_int_equal(shm_measure(&config, ring), 21845);
	assert_int_equal(reads, 18);
	base_free(ring);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shm_pull_from__where_the_call_is_paid_for),
		cmocka_unit_test(shm_measure__takes_the_quickest_of_each),
	};

	return verbena_test_main(tests);
}
