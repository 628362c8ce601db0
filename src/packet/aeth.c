/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Syndromes, credit codes and timer codes [rcp 5, 6, 7]. */
#include "packet/aeth.h"

/* Bits 6-5 choose the row [rcp 5]. */
static const enum pkt_aeth_kind aeth_kinds[4] = {
	PKT_AETH_ACK,
	PKT_AETH_RNR_NAK,
	PKT_AETH_RESERVED,
	PKT_AETH_NAK,
};

/* clang-format off */
/* [rcp 6] */
static const uint32_t credits_of_code[32] = {
	0, 1, 2, 3, 4, 6, 8, 12,
	16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072,
	4096, 6144, 8192, 12288, 16384, 24576, 32768, PKT_CREDITS_UNLIMITED,
};

/* In units of 10 us [rcp 7]. */
static const uint32_t rnr_wait_10us[32] = {
	65536, 1, 2, 3, 4, 6, 8, 12,
	16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072,
	4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};
/* clang-format on */

enum pkt_aeth_kind pkt_aeth_kind(uint8_t syndrome)
{
	/* Unknown NAK codes, and all that has bit 7 set. */
	if (syndrome > PKT_NAK_INVALID_RD_REQUEST)
		return PKT_AETH_RESERVED;
	return aeth_kinds[syndrome >> 5];
}

uint32_t pkt_credits(uint8_t credit_code)
{
	return credits_of_code[credit_code & PKT_AETH_CODE_MASK];
}

uint8_t pkt_credit_code(uint32_t credits)
{
	unsigned int log2;

	if (credits < 2)
		return (uint8_t)credits;
	/* Two codes for each power of two, the other at half way to the next. */
	log2 = 31u - (unsigned int)__builtin_clz(credits);
	if (log2 < 15)
		return (uint8_t)(2 * log2 + (credits >> (log2 - 1) & 1));
	return credits == PKT_CREDITS_UNLIMITED ? PKT_CREDIT_CODE_UNLIMITED
						: PKT_CREDIT_CODE_UNLIMITED - 1;
}

uint64_t pkt_rnr_wait_ns(uint8_t timer_code)
{
	return rnr_wait_10us[timer_code & PKT_AETH_CODE_MASK] * UINT64_C(10000);
}

uint64_t pkt_ack_wait_ns(uint8_t timeout_code)
{
	const unsigned int code = timeout_code & PKT_AETH_CODE_MASK;

	return code ? UINT64_C(4096) << code : 0;
}
