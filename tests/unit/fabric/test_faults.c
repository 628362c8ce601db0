// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Fates: as often as asked for, and the same from the same seed. */
#include "fabric/faults.h"

#include <errno.h>
#include <string.h>

#include "base/cause.h"
#include "common/test.h"

#define MANY 100000

static void fabric_faults_set__refuses_more_than_a_million(void **state)
{
	struct fabric_faults f;

	(void)state;
	fabric_faults_init(&f);
	assert_int_equal(fabric_faults_set(&f, &(struct fabric_fault_rates){.drop_ppm = 5}), 0);
	assert_int_equal(fabric_faults_set(&f,
					   &(struct fabric_fault_rates){.corrupt_ppm = 1000001}),
			 -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_FABRIC_FAULT_RATE);
	assert_int_equal(f.rates.drop_ppm, 5);
	assert_true(fabric_faults_active(&f));
	assert_int_equal(fabric_faults_set(&f, NULL), 0);
	assert_false(fabric_faults_active(&f));
}

static void fabric_faults_decide__rates_are_kept(void **state)
{
	unsigned int drops = 0, doubles = 0, late = 0, bad = 0;
	struct fabric_faults f;

	(void)state;
	fabric_faults_init(&f);
	fabric_faults_set(&f, &(struct fabric_fault_rates){.seed = 3,
							   .drop_ppm = 10000,
							   .duplicate_ppm = 50000,
							   .reorder_ppm = 200000,
							   .corrupt_ppm = 1000000,
							   .delay_ns = 700});
	for (int i = 0; i < MANY; i++) {
		const struct fabric_fate fate = fabric_faults_decide(&f);

		drops += fate.drop;
		doubles += fate.duplicate;
		late += fate.reordered;
		bad += fate.corrupt;
		assert_true(fate.reordered ? fate.delay_ns > 700 : fate.delay_ns == 700);
		assert_true(fate.delay_ns <= 20700);
	}
	assert_in_range(drops, MANY / 100 * 8 / 10, MANY / 100 * 12 / 10);
	assert_in_range(doubles, MANY / 20 * 9 / 10, MANY / 20 * 11 / 10);
	assert_in_range(late, MANY / 5 * 9 / 10, MANY / 5 * 11 / 10);
	assert_int_equal(bad, MANY);
}

static void fabric_faults_decide__same_seed_same_fates(void **state)
{
	const struct fabric_fault_rates rates = {.seed = 9, .drop_ppm = 300000, .jitter_ns = 50};
	struct fabric_faults a, b;
	bool differs = false;

	(void)state;
	fabric_faults_init(&a);
	fabric_faults_init(&b);
	fabric_faults_set(&a, &rates);
	fabric_faults_set(&b, &rates);
	for (int i = 0; i < 1000; i++) {
		const struct fabric_fate x = fabric_faults_decide(&a), y = fabric_faults_decide(&b);

		assert_true(x.drop == y.drop && x.delay_ns == y.delay_ns);
		assert_true(x.delay_ns <= 50);
		differs |= x.delay_ns != 0;
	}
	assert_true(differs);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(fabric_faults_set__refuses_more_than_a_million),
	cmocka_unit_test(fabric_faults_decide__rates_are_kept),
	cmocka_unit_test(fabric_faults_decide__same_seed_same_fates),
};

int main(void)
{
	return verbena_test_main(tests);
}
