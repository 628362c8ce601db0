/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Fields of packet headers. */
#include <string.h>
#include <rdma/ib_hdrs.h>

#include "common/test.h"

static const u8 bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};

/*
 * Puts each single bit into a header word: the accessor shows those of @mask << @shift, at the
 * right place, and no others.
 */
#define ASSERT_READS(fn, arg, word, bits, mask, shift)                    \
	do {                                                              \
		struct ib_header hdr;                                     \
		struct ib_other_headers oth;                              \
		struct ib_other_headers *const ohdr = &oth;               \
		for (u32 bit_ = 0; bit_ < (bits); bit_++) {               \
			memset(&hdr, 0, sizeof(hdr));                     \
			memset(&oth, 0, sizeof(oth));                     \
			(word) = cpu_to_be##bits(1u << bit_);             \
			assert_int_equal((u32)fn(READS_FROM_##arg),       \
					 1u << bit_ >> (shift) & (mask)); \
		}                                                         \
		(void)ohdr;                                               \
	} while (0)
#define READS_FROM_ohdr ohdr
#define READS_FROM_hdr &hdr

static void ib_bth_get_opcode__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_opcode, ohdr, oth.bth[0], 32, 0xff, 24);
}

static void ib_bth_get_se__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_se, ohdr, oth.bth[0], 32, 0x1, 23);
}

static void ib_bth_get_migreq__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_migreq, ohdr, oth.bth[0], 32, 0x1, 22);
}

static void ib_bth_get_pad__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_pad, ohdr, oth.bth[0], 32, 0x3, 20);
}

static void ib_bth_get_tver__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_tver, ohdr, oth.bth[0], 32, 0xf, 16);
}

static void ib_bth_get_pkey__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_pkey, ohdr, oth.bth[0], 32, 0xffff, 0);
}

static void ib_bth_get_fecn__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_fecn, ohdr, oth.bth[1], 32, 0x1, 31);
}

static void ib_bth_get_becn__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_becn, ohdr, oth.bth[1], 32, 0x1, 30);
}

static void ib_bth_get_qpn__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_qpn, ohdr, oth.bth[1], 32, 0xffffff, 0);
}

static void ib_bth_get_ackreq__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_ackreq, ohdr, oth.bth[2], 32, 0x1, 31);
}

static void ib_bth_get_psn__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_get_psn, ohdr, oth.bth[2], 32, 0xffffff, 0);
}

static void ib_bth_is_solicited__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_is_solicited, ohdr, oth.bth[0], 32, 0x1, 23);
}

static void ib_bth_is_migration__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_bth_is_migration, ohdr, oth.bth[0], 32, 0x1, 22);
}

static void ib_get_lnh__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_get_lnh, hdr, hdr.lrh[0], 16, 0x3, 0);
}

static void ib_get_sl__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_get_sl, hdr, hdr.lrh[0], 16, 0xf, 4);
}

static void ib_get_lver__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_get_lver, hdr, hdr.lrh[0], 16, 0xf, 8);
}

static void ib_get_sc__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_get_sc, hdr, hdr.lrh[0], 16, 0xf, 12);
}

static void ib_get_dlid__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_get_dlid, hdr, hdr.lrh[1], 16, 0xffff, 0);
}

static void ib_get_slid__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_get_slid, hdr, hdr.lrh[3], 16, 0xffff, 0);
}

static void ib_get_qkey__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_get_qkey, ohdr, oth.u.ud.deth[0], 32, 0xffffffff, 0);
}

static void ib_get_sqpn__reads_its_bits_only(void **state)
{
	(void)state;
	ASSERT_READS(ib_get_sqpn, ohdr, oth.u.ud.deth[1], 32, 0xffffff, 0);
}

static void get_ib_reth_vaddr__is_big_endian_at_0(void **state)
{
	(void)state;
	struct ib_reth eth = {0};

	memcpy((u8 *)&eth + 0, bytes, 8);
	assert_int_equal(get_ib_reth_vaddr(&eth), 0x0102030405060708);
}

static void put_ib_reth_vaddr__is_big_endian_at_0(void **state)
{
	(void)state;
	struct ib_reth eth = {0};
	u8 expected[sizeof(eth)] = {0};

	memcpy(expected + 0, bytes, 8);
	put_ib_reth_vaddr(0x0102030405060708, &eth);
	assert_memory_equal(&eth, expected, sizeof(eth));
}

static void get_ib_ateth_vaddr__is_big_endian_at_0(void **state)
{
	(void)state;
	struct ib_atomic_eth eth = {0};

	memcpy((u8 *)&eth + 0, bytes, 8);
	assert_int_equal(get_ib_ateth_vaddr(&eth), 0x0102030405060708);
}

static void put_ib_ateth_vaddr__is_big_endian_at_0(void **state)
{
	(void)state;
	struct ib_atomic_eth eth = {0};
	u8 expected[sizeof(eth)] = {0};

	memcpy(expected + 0, bytes, 8);
	put_ib_ateth_vaddr(0x0102030405060708, &eth);
	assert_memory_equal(&eth, expected, sizeof(eth));
}

static void get_ib_ateth_swap__is_big_endian_at_12(void **state)
{
	(void)state;
	struct ib_atomic_eth eth = {0};

	memcpy((u8 *)&eth + 12, bytes, 8);
	assert_int_equal(get_ib_ateth_swap(&eth), 0x0102030405060708);
}

static void put_ib_ateth_swap__is_big_endian_at_12(void **state)
{
	(void)state;
	struct ib_atomic_eth eth = {0};
	u8 expected[sizeof(eth)] = {0};

	memcpy(expected + 12, bytes, 8);
	put_ib_ateth_swap(0x0102030405060708, &eth);
	assert_memory_equal(&eth, expected, sizeof(eth));
}

static void get_ib_ateth_compare__is_big_endian_at_20(void **state)
{
	(void)state;
	struct ib_atomic_eth eth = {0};

	memcpy((u8 *)&eth + 20, bytes, 8);
	assert_int_equal(get_ib_ateth_compare(&eth), 0x0102030405060708);
}

static void put_ib_ateth_compare__is_big_endian_at_20(void **state)
{
	(void)state;
	struct ib_atomic_eth eth = {0};
	u8 expected[sizeof(eth)] = {0};

	memcpy(expected + 20, bytes, 8);
	put_ib_ateth_compare(0x0102030405060708, &eth);
	assert_memory_equal(&eth, expected, sizeof(eth));
}

static void ib_header__has_the_sizes_of_the_wire(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct ib_reth), 16);
	assert_int_equal(sizeof(struct ib_atomic_eth), 28);
	assert_int_equal(offsetof(union ib_ehdrs, at.atomic_ack_eth), 4);
	assert_int_equal(offsetof(struct ib_other_headers, u), 12);
	assert_int_equal(offsetof(struct ib_header, u.oth), 8);
	assert_int_equal(offsetof(struct ib_header, u.l.oth), 48);
}

static void IB_OPCODE__adds_service_and_operation(void **state)
{
	(void)state;
	assert_int_equal(IB_OPCODE(RC, SEND_ONLY), IB_OPCODE_RC_SEND_ONLY);
	assert_int_equal(IB_OPCODE(UC, RDMA_WRITE_FIRST), IB_OPCODE_UC_RDMA_WRITE_FIRST);
	assert_int_equal(IB_OPCODE(UD, SEND_ONLY_WITH_IMMEDIATE),
			 IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ib_bth_get_opcode__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_se__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_migreq__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_pad__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_tver__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_pkey__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_fecn__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_becn__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_qpn__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_ackreq__reads_its_bits_only),
		cmocka_unit_test(ib_bth_get_psn__reads_its_bits_only),
		cmocka_unit_test(ib_bth_is_solicited__reads_its_bits_only),
		cmocka_unit_test(ib_bth_is_migration__reads_its_bits_only),
		cmocka_unit_test(ib_get_lnh__reads_its_bits_only),
		cmocka_unit_test(ib_get_sl__reads_its_bits_only),
		cmocka_unit_test(ib_get_lver__reads_its_bits_only),
		cmocka_unit_test(ib_get_sc__reads_its_bits_only),
		cmocka_unit_test(ib_get_dlid__reads_its_bits_only),
		cmocka_unit_test(ib_get_slid__reads_its_bits_only),
		cmocka_unit_test(ib_get_qkey__reads_its_bits_only),
		cmocka_unit_test(ib_get_sqpn__reads_its_bits_only),
		cmocka_unit_test(get_ib_reth_vaddr__is_big_endian_at_0),
		cmocka_unit_test(put_ib_reth_vaddr__is_big_endian_at_0),
		cmocka_unit_test(get_ib_ateth_vaddr__is_big_endian_at_0),
		cmocka_unit_test(put_ib_ateth_vaddr__is_big_endian_at_0),
		cmocka_unit_test(get_ib_ateth_swap__is_big_endian_at_12),
		cmocka_unit_test(put_ib_ateth_swap__is_big_endian_at_12),
		cmocka_unit_test(get_ib_ateth_compare__is_big_endian_at_20),
		cmocka_unit_test(put_ib_ateth_compare__is_big_endian_at_20),
		cmocka_unit_test(ib_header__has_the_sizes_of_the_wire),
		cmocka_unit_test(IB_OPCODE__adds_service_and_operation),
	};

	return verbena_test_main(tests);
}
