// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * VCRC: no library has a CRC with this polynomial. By tables, eight bytes at a time; on x86 long
 * packets are first folded, 16 bytes at a time, into 16 bytes of the same remainder.
 *
 * The CRC is a reflected one: the lowest bit of the first byte is the highest coefficient.
 */
#include <string.h>

#include "packet/icrc.h"

#define POLYNOMIAL 0xd008u /* 0x100b, reflected */

/* Of [k][b]: what byte b leaves behind when k more bytes follow. */
static uint16_t table[8][256];

static void make_tables(void)
{
	for (unsigned int b = 0; b < 256; b++) {
		unsigned int crc = b;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[0][b] = (uint16_t)crc;
	}
	for (unsigned int k = 1; k < 8; k++)
		for (unsigned int b = 0; b < 256; b++) {
			const unsigned int before = table[k - 1][b];

			table[k][b] = (uint16_t)(before >> 8 ^ table[0][before & 0xff]);
		}
}

static uint16_t by_tables(uint16_t crc, const uint8_t *at, size_t bytes)
{
	for (; bytes >= 8; at += 8, bytes -= 8)
		crc = table[7][(at[0] ^ crc) & 0xff] ^ table[6][at[1] ^ crc >> 8] ^
		      table[5][at[2]] ^ table[4][at[3]] ^ table[3][at[4]] ^ table[2][at[5]] ^
		      table[1][at[6]] ^ table[0][at[7]];
	for (; bytes; at++, bytes--)
		crc = (uint16_t)(crc >> 8 ^ table[0][(at[0] ^ crc) & 0xff]);
	return crc;
}

#ifdef __x86_64__
#include <immintrin.h>

static bool can_fold;
static uint64_t fold_by[2]; /* for the first and the last 8 of 16 bytes */

/* x^power modulo the polynomial, as 8 reflected bytes. */
static uint64_t power_of_x(unsigned int power)
{
	unsigned int crc = 0x8000; /* 1 */

	while (power--)
		crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
	return (uint64_t)crc << 48;
}

/*
 * 8 bytes A that are followed by n more bits stand for A * x^n. A carry-less product of two
 * reflected numbers is one bit short of 128, that is, times x; so the powers are one less.
 */
static void prepare_folding(void)
{
	fold_by[0] = power_of_x(191);
	fold_by[1] = power_of_x(127);
	can_fold = __builtin_cpu_supports("pclmul");
}

/* At least 16 bytes. Returns the CRC of all the whole 16s. */
__attribute__((target("pclmul"))) static uint16_t by_folding(uint16_t crc, const uint8_t *at,
							     size_t bytes)
{
	const __m128i by = _mm_loadu_si128((const __m128i *)(const void *)fold_by);
	__m128i sum = _mm_xor_si128(_mm_loadu_si128((const __m128i *)(const void *)at),
				    _mm_cvtsi32_si128(crc));
	uint8_t left[16];

	while ((bytes -= 16) >= 16) {
		at += 16;
		sum = _mm_xor_si128(_mm_clmulepi64_si128(sum, by, 0x00),
				    _mm_clmulepi64_si128(sum, by, 0x11));
		sum = _mm_xor_si128(sum, _mm_loadu_si128((const __m128i *)(const void *)at));
	}
	_mm_storeu_si128((__m128i *)(void *)left, sum);
	return by_tables(0, left, sizeof(left));
}
#else
static const bool can_fold;

static void prepare_folding(void)
{
}

static uint16_t by_folding(uint16_t crc, const uint8_t *at, size_t bytes)
{
	return by_tables(crc, at, bytes & ~(size_t)15);
}
#endif

__attribute__((constructor)) static void prepare(void)
{
	make_tables();
	prepare_folding();
}

uint16_t pkt_vcrc(const uint8_t *packet, size_t bytes)
{
	const size_t folded = can_fold ? bytes & ~(size_t)15 : 0;
	uint16_t crc = 0xffff;

	if (folded)
		crc = by_folding(crc, packet, folded);
	return (uint16_t)~by_tables(crc, packet + folded, bytes - folded);
}
