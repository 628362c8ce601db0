/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Syndromes [rcp 5], credits [rcp 6], timers [rcp 7]. */
#include "common/test.h"

#include "packet/aeth.h"

static enum pkt_aeth_kind kind_by_the_spec(unsigned int syndrome)
{
	if (syndrome <= 0x1f)
		return PKT_AETH_ACK;
	if (syndrome <= 0x3f)
		return PKT_AETH_RNR_NAK;
	if (syndrome >= 0x60 && syndrome <= 0x64)
		return PKT_AETH_NAK;
	return PKT_AETH_RESERVED;
}

static void pkt_aeth_kind__of_every_syndrome(void **state)
{
	(void)state;
	for (unsigned int s = 0; s < 256; s++)
		assert_int_equal(pkt_aeth_kind((uint8_t)s), kind_by_the_spec(s));
}

static void pkt_aeth_ack__and_rnr_nak_carry_codes(void **state)
{
	(void)state;
	assert_int_equal(pkt_aeth_ack(PKT_CREDIT_CODE_UNLIMITED), 0x1f);
	assert_int_equal(pkt_aeth_rnr_nak(12), 0x2c);
	assert_int_equal(pkt_aeth_rnr_nak(0xff), 0x3f);
	for (unsigned int code = 0; code < 32; code++) {
		assert_int_equal(pkt_aeth_kind(pkt_aeth_ack((uint8_t)code)), PKT_AETH_ACK);
		assert_int_equal(pkt_aeth_kind(pkt_aeth_rnr_nak((uint8_t)code)), PKT_AETH_RNR_NAK);
	}
}

static void pkt_credits__table_of_the_spec(void **state)
{
	static const uint32_t credits[31] = {
		0,    1,    2,	  3,	4,    6,     8,	    12,	   16,	  24,	32,
		48,   64,   96,	  128,	192,  256,   384,   512,   768,	  1024, 1536,
		2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
	};

	(void)state;
	for (uint8_t code = 0; code < 31; code++)
		assert_int_equal(pkt_credits(code), credits[code]);
	assert_int_equal(pkt_credits(0x1f), PKT_CREDITS_UNLIMITED);
	assert_int_equal(pkt_credits(0xe5), 6); /* the low five bits only */
}

static void pkt_credit_code__never_promises_too_much(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < 70000; n++) {
		const uint8_t code = pkt_credit_code(n);

		assert_in_range(code, 0, 0x1e);
		assert_true(pkt_credits(code) <= n);
		assert_true(code == 0x1e || pkt_credits((uint8_t)(code + 1)) > n);
	}
}

static void pkt_credit_code__unlimited(void **state)
{
	(void)state;
	assert_int_equal(pkt_credit_code(PKT_CREDITS_UNLIMITED), PKT_CREDIT_CODE_UNLIMITED);
	assert_int_equal(pkt_credit_code(PKT_CREDITS_UNLIMITED - 1), 0x1e);
}

static void pkt_rnr_wait_ns__table_of_the_spec(void **state)
{
	static const double ms[32] = {
		655.36, 0.01,  0.02,  0.03,  0.04,  0.06,   0.08,   0.12,   0.16,   0.24,   0.32,
		0.48,	0.64,  0.96,  1.28,  1.92,  2.56,   3.84,   5.12,   7.68,   10.24,  15.36,
		20.48,	30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52,
	};

	(void)state;
	for (uint8_t code = 0; code < 32; code++)
		assert_int_equal(pkt_rnr_wait_ns(code), (uint64_t)(ms[code] * 100 + 0.5) * 10000);
	assert_int_equal(pkt_rnr_wait_ns(32 + 12), pkt_rnr_wait_ns(12));
}

static void pkt_ack_wait_ns__doubles(void **state)
{
	(void)state;
	assert_int_equal(pkt_ack_wait_ns(1), 8192);
	assert_int_equal(pkt_ack_wait_ns(15), 134217728); /* what rxe-rc-retry-exceeded shows */
	for (uint8_t code = 2; code < 32; code++)
		assert_int_equal(pkt_ack_wait_ns(code), 2 * pkt_ack_wait_ns((uint8_t)(code - 1)));
	assert_int_equal(pkt_ack_wait_ns(31), UINT64_C(8796093022208));
}

static void pkt_ack_wait_ns__0_is_no_timer(void **state)
{
	(void)state;
	assert_int_equal(pkt_ack_wait_ns(0), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pkt_aeth_kind__of_every_syndrome),
	cmocka_unit_test(pkt_aeth_ack__and_rnr_nak_carry_codes),
	cmocka_unit_test(pkt_credits__table_of_the_spec),
	cmocka_unit_test(pkt_credit_code__never_promises_too_much),
	cmocka_unit_test(pkt_credit_code__unlimited),
	cmocka_unit_test(pkt_rnr_wait_ns__table_of_the_spec),
	cmocka_unit_test(pkt_ack_wait_ns__doubles),
	cmocka_unit_test(pkt_ack_wait_ns__0_is_no_timer),
};

int main(void)
{
	return verbena_test_main(tests);
}
