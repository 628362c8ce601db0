/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bits, bytes, numbers and error pointers. */
#include <errno.h>
#include <linux/byteorder.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/log2.h>

#include "common/test.h"

static const u8 bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void set_bit__and_kin(void **state)
{
	(void)state;
	unsigned long map[3] = {0};

	set_bit(0, map);
	set_bit(127, map);
	__set_bit(64, map);
	assert_true(test_bit(0, map) && test_bit(127, map) && test_bit(64, map));
	assert_false(test_bit(1, map));
	assert_true(map[1] == (1ul | 1ul << 63));
	assert_true(test_and_set_bit(0, map));
	assert_false(test_and_set_bit(1, map));
	assert_true(test_and_clear_bit(1, map));
	assert_false(test_and_clear_bit(1, map));
	clear_bit(0, map);
	__clear_bit(64, map);
	assert_int_equal(map[0], 0);
	assert_true(map[1] == 1ul << 63);
}

static void __ffs__and_fls(void **state)
{
	(void)state;
	assert_int_equal(__ffs(0x50), 4);
	assert_int_equal(__fls(0x50), 6);
	assert_int_equal(__fls(~0ul), BITS_PER_LONG - 1);
}

static void hweight32__counts(void **state)
{
	(void)state;
	assert_int_equal(hweight32(0xf0f00001), 9);
	assert_int_equal(hweight64(0xf0f0000100000001), 10);
}

static void GENMASK__is_inclusive(void **state)
{
	(void)state;
	assert_true(GENMASK(7, 4) == 0xf0);
	assert_true(GENMASK(63, 0) == ~0ul);
	assert_true(GENMASK_ULL(33, 32) == 0x300000000ull);
	assert_true(BIT(31) == 0x80000000ul);
	assert_true(BIT_ULL(40) == 1ull << 40);
}

static void BITS_TO_LONGS__rounds_up(void **state)
{
	(void)state;
	DECLARE_BITMAP(map, 65);

	assert_int_equal(BITS_TO_LONGS(64), 1);
	assert_int_equal(sizeof(map), 16);
}

static void ilog2__rounds_down(void **state)
{
	(void)state;
	assert_int_equal(ilog2(1), 0);
	assert_int_equal(ilog2(1023), 9);
	assert_int_equal(ilog2(1024), 10);
	assert_int_equal(ilog2(~0ull), 63);
}

static void is_power_of_2__not_0(void **state)
{
	(void)state;
	assert_false(is_power_of_2(0));
	assert_true(is_power_of_2(1));
	assert_true(is_power_of_2(4096));
	assert_false(is_power_of_2(4097));
}

static void roundup_pow_of_two__keeps_powers(void **state)
{
	(void)state;
	assert_int_equal(roundup_pow_of_two(1), 1);
	assert_int_equal(roundup_pow_of_two(3), 4);
	assert_int_equal(roundup_pow_of_two(4), 4);
	assert_int_equal(roundup_pow_of_two(1025), 2048);
}

static void hash_32__spreads_neighbours(void **state)
{
	(void)state;
	u32 seen = 0;

	for (u32 i = 0; i < 16; i++)
		seen |= 1u << hash_32(i, 4);
	assert_true(hweight32(seen) >= 12);
	for (u32 i = 0; i < 1000; i++)
		assert_true(hash_32(i * 7919, 5) < 32);
	assert_int_equal(hash_32(12345, 0), 0);
}

static void cpu_to_be32__and_kin(void **state)
{
	(void)state;
	const __be16 b16 = cpu_to_be16(0x0102);
	const __be32 b32 = cpu_to_be32(0x01020304);
	const __be64 b64 = cpu_to_be64(0x0102030405060708);
	const __le32 l32 = cpu_to_le32(0x04030201);

	assert_memory_equal(&b16, bytes, 2);
	assert_memory_equal(&b32, bytes, 4);
	assert_memory_equal(&b64, bytes, 8);
	assert_memory_equal(&l32, bytes, 4);
	assert_int_equal(be16_to_cpu(b16), 0x0102);
	assert_int_equal(be32_to_cpu(b32), 0x01020304);
	assert_true(be64_to_cpu(b64) == 0x0102030405060708);
	assert_int_equal(le32_to_cpu(l32), 0x04030201);
	assert_int_equal(le16_to_cpu(cpu_to_le16(0x1234)), 0x1234);
	assert_true(le64_to_cpu(cpu_to_le64(5)) == 5);
}

static void get_unaligned_be32__and_kin(void **state)
{
	(void)state;
	u8 at[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, to[9] = {0};

	assert_int_equal(get_unaligned_be16(at + 1), 0x0102);
	assert_int_equal(get_unaligned_be32(at + 1), 0x01020304);
	assert_true(get_unaligned_be64(at + 1) == 0x0102030405060708);
	put_unaligned_be64(0x0102030405060708, to + 1);
	assert_memory_equal(to, at, 9);
	put_unaligned_be32(0x05060708, to + 1);
	assert_memory_equal(to + 1, bytes + 4, 4);
	put_unaligned_be16(0x0708, to + 1);
	assert_memory_equal(to + 1, bytes + 6, 2);
}

static void ERR_PTR__carries_an_errno(void **state)
{
	(void)state;
	int thing;

	assert_true(IS_ERR(ERR_PTR(-ENOMEM)));
	assert_int_equal(PTR_ERR(ERR_PTR(-ENOMEM)), -ENOMEM);
	assert_true(IS_ERR(ERR_PTR(-MAX_ERRNO)));
	assert_false(IS_ERR(ERR_PTR(-MAX_ERRNO - 1)));
	assert_false(IS_ERR(NULL));
	assert_false(IS_ERR(&thing));
	assert_true(IS_ERR_OR_NULL(NULL));
	assert_true(IS_ERR_OR_NULL(ERR_PTR(-EINVAL)));
	assert_false(IS_ERR_OR_NULL(&thing));
	assert_ptr_equal(ERR_CAST(ERR_PTR(-EINVAL)), ERR_PTR(-EINVAL));
	assert_int_equal(PTR_ERR_OR_ZERO(&thing), 0);
	assert_int_equal(PTR_ERR_OR_ZERO(ERR_PTR(-EINVAL)), -EINVAL);
}

static void min__evaluates_once(void **state)
{
	(void)state;
	int n = 1;

	assert_int_equal(min(n++, 5), 1);
	assert_int_equal(n, 2);
	assert_int_equal(max(n++, 1), 2);
	assert_int_equal(n, 3);
	assert_int_equal(min_t(u8, 7, 5), 5);
	assert_int_equal(max_t(int, -1, 5), 5);
}

static void ALIGN__and_kin(void **state)
{
	(void)state;
	static const int four[4];

	assert_int_equal(ALIGN(13u, 8), 16);
	assert_int_equal(ALIGN(16u, 8), 16);
	assert_int_equal(DIV_ROUND_UP(13, 4), 4);
	assert_int_equal(roundup(13, 5), 15);
	assert_int_equal(ARRAY_SIZE(four), 4);
	assert_int_equal(upper_32_bits(0x1234567890ull), 0x12);
	assert_int_equal(lower_32_bits(0x1234567890ull), 0x34567890);
}

static void container_of__goes_back(void **state)
{
	(void)state;
	struct {
		int a, b;
	} s;

	assert_ptr_equal(container_of(&s.b, __typeof__(s), b), &s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_bit__and_kin),
		cmocka_unit_test(__ffs__and_fls),
		cmocka_unit_test(hweight32__counts),
		cmocka_unit_test(GENMASK__is_inclusive),
		cmocka_unit_test(BITS_TO_LONGS__rounds_up),
		cmocka_unit_test(ilog2__rounds_down),
		cmocka_unit_test(is_power_of_2__not_0),
		cmocka_unit_test(roundup_pow_of_two__keeps_powers),
		cmocka_unit_test(hash_32__spreads_neighbours),
		cmocka_unit_test(cpu_to_be32__and_kin),
		cmocka_unit_test(get_unaligned_be32__and_kin),
		cmocka_unit_test(ERR_PTR__carries_an_errno),
		cmocka_unit_test(min__evaluates_once),
		cmocka_unit_test(ALIGN__and_kin),
		cmocka_unit_test(container_of__goes_back),
	};

	return verbena_test_main(tests);
}
