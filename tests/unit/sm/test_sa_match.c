// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Fields of records, and which values fit a wish. */
#include <rdma/ib_verbs.h>

#include "unit/sm/sa_fixture.h"

static const struct sa_field table[] = {
	SA_BITS(0, 1, 15), SA_BYTES(2, 2), {0}, SA_BITS(4, 4, 20), SA_TEXT(8, 8),
};

static bool matches(uint64_t mask, const uint8_t *a, const uint8_t *b)
{
	return sa_matches(table, 5, mask, a, b);
}

static void matches__every_bit_of_a_field(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t bit = 0; bit < 64; bit++) {
			uint8_t a[16] = {0}, b[16] = {0};
			const bool within = table[i].bits && bit >= table[i].at &&
					    bit < table[i].at + (uint32_t)table[i].bits;

			world_flip(b, bit);
			assert_int_equal(matches(C(i), a, b), !within);
			assert_true(matches(C(i), b, b));
		}
}

static void matches__masks(void **state)
{
	const uint8_t a[16] = {0}, b[16] = {0xff, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff};

	(void)state;
	assert_true(matches(0, a, b));
	assert_true(matches(C(1) | C(2), a, b));
	assert_false(matches(C(1) | C(3), a, b));
	assert_true(matches(C(63) | C(5), a, b)); /* bits that no field has */
}

static void matches__text_ends_at_its_end(void **state)
{
	uint8_t a[16] = {[8] = 'h', 'i', 0, 'x'}, b[16] = {[8] = 'h', 'i', 0, 'y'};

	(void)state;
	assert_true(matches(C(4), a, b));
	b[10] = 'p';
	assert_false(matches(C(4), a, b));
	memset(a + 8, 'a', 8);
	memset(b + 8, 'a', 8);
	assert_true(matches(C(4), a, b));
}

static void copy__its_bits_alone(void **state)
{
	uint8_t to[16] = {0}, from[16];

	(void)state;
	memset(from, 0xff, sizeof(from));
	sa_copy(table, 5, C(0) | C(3), to, from);
	assert_int_equal(sa_get64(to), 0x7fff00000fffff00ull);
	memset(to, 0xff, sizeof(to));
	memset(from, 0, sizeof(from));
	sa_copy(table, 5, C(0) | C(3), to, from);
	assert_int_equal(sa_get64(to), ~0x7fff00000fffff00ull);
}

struct choice {
	enum sa_scale scale;
	uint8_t selector, value, limit;
	int chosen;
};

/* clang-format off */
static const struct choice choices[] = {
	{SA_MTU, IB_SA_GT, 3, 4, 4},	{SA_MTU, IB_SA_GT, 4, 4, -1},	{SA_MTU, IB_SA_GT, 5, 4, -1},
	{SA_MTU, IB_SA_LT, 5, 4, 4},	{SA_MTU, IB_SA_LT, 4, 4, 3},	{SA_MTU, IB_SA_LT, 2, 4, 1},
	{SA_MTU, IB_SA_LT, 1, 4, -1},	{SA_MTU, IB_SA_EQ, 2, 4, 2},	{SA_MTU, IB_SA_EQ, 4, 4, 4},
	{SA_MTU, IB_SA_EQ, 5, 4, -1},	{SA_MTU, IB_SA_BEST, 0, 4, 4},	{SA_MTU, IB_SA_EQ, 0, 4, -1},
	{SA_MTU, IB_SA_LT, 6, 4, -1},	{SA_MTU, IB_SA_GT, 63, 4, -1},	{SA_MTU, IB_SA_GT, 0, 4, -1},
	/* rates are not in the order of their codes */
	{SA_RATE, IB_SA_GT, IB_RATE_40_GBPS, IB_RATE_56_GBPS, IB_RATE_56_GBPS},
	{SA_RATE, IB_SA_GT, IB_RATE_80_GBPS, IB_RATE_56_GBPS, -1},
	{SA_RATE, IB_SA_LT, IB_RATE_56_GBPS, IB_RATE_120_GBPS, IB_RATE_50_GBPS},
	{SA_RATE, IB_SA_LT, IB_RATE_2_5_GBPS, IB_RATE_120_GBPS, -1},
	{SA_RATE, IB_SA_EQ, IB_RATE_14_GBPS, IB_RATE_40_GBPS, IB_RATE_14_GBPS},
	{SA_RATE, IB_SA_EQ, IB_RATE_100_GBPS, IB_RATE_40_GBPS, -1},
	{SA_RATE, IB_SA_BEST, 0, IB_RATE_25_GBPS, IB_RATE_25_GBPS},
	{SA_RATE, IB_SA_EQ, 0, IB_RATE_40_GBPS, -1},
	{SA_RATE, IB_SA_EQ, 63, IB_RATE_40_GBPS, -1},
	/* and a packet may live longer than it takes */
	{SA_LIFE, IB_SA_GT, 17, 18, 18},  {SA_LIFE, IB_SA_GT, 18, 18, 19},
	{SA_LIFE, IB_SA_GT, 63, 18, -1},  {SA_LIFE, IB_SA_LT, 18, 18, -1},
	{SA_LIFE, IB_SA_LT, 19, 18, 18},  {SA_LIFE, IB_SA_EQ, 18, 18, 18},
	{SA_LIFE, IB_SA_EQ, 20, 18, 20},  {SA_LIFE, IB_SA_EQ, 17, 18, -1},
	{SA_LIFE, IB_SA_BEST, 0, 18, 18},
};
/* clang-format on */

static void choose__all_kinds(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		const struct choice *c = &choices[i];
		const struct sa_wish wish = {c->scale, c->selector, c->value};

		if (sa_choose(&wish, c->limit) != c->chosen)
			fail_msg("choice %zu is %d", i, sa_choose(&wish, c->limit));
	}
}

static void suits__what_is_fixed(void **state)
{
	const struct sa_wish more = {SA_RATE, IB_SA_GT, IB_RATE_80_GBPS};
	const struct sa_wish less = {SA_RATE, IB_SA_LT, IB_RATE_80_GBPS};
	const struct sa_wish same = {SA_RATE, IB_SA_EQ, IB_RATE_80_GBPS};

	(void)state;
	assert_true(sa_suits(&more, IB_RATE_100_GBPS));
	assert_false(sa_suits(&more, IB_RATE_56_GBPS));
	assert_true(sa_suits(&less, IB_RATE_56_GBPS));
	assert_false(sa_suits(&less, IB_RATE_80_GBPS));
	assert_true(sa_suits(&same, IB_RATE_80_GBPS));
	assert_false(sa_suits(&same, IB_RATE_56_GBPS));
}

static void wish__what_the_mask_says(void **state)
{
	struct sa_query q = {.asked = {IB_SA_LT << 6 | 5}};
	struct sa_wish wish;

	(void)state;
	q.mask = C(1) | C(2);
	wish = sa_wish(&q, SA_MTU, 1, 0);
	assert_int_equal(wish.selector, IB_SA_LT);
	assert_int_equal(wish.value, 5);
	q.mask = C(2);
	assert_int_equal(sa_wish(&q, SA_MTU, 1, 0).selector, IB_SA_EQ);
	q.mask = C(1);
	assert_int_equal(sa_wish(&q, SA_MTU, 1, 0).selector, IB_SA_BEST);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(matches__every_bit_of_a_field),
	cmocka_unit_test(matches__masks),
	cmocka_unit_test(matches__text_ends_at_its_end),
	cmocka_unit_test(copy__its_bits_alone),
	cmocka_unit_test(choose__all_kinds),
	cmocka_unit_test(suits__what_is_fixed),
	cmocka_unit_test(wish__what_the_mask_says),
};

int main(void)
{
	return verbena_test_main(tests);
}
