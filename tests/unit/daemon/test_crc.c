// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The daemon's own sums are those of the rest. */
#include "packet/icrc.h"

#include <isa-l/crc.h>

#include "common/test.h"

uint32_t slow_crc32(uint32_t crc, const unsigned char *at, uint64_t bytes);
uint16_t slow_vcrc(const uint8_t *packet, size_t bytes);

#define crc32_gzip_refl slow_crc32
#define pkt_vcrc slow_vcrc
#include "daemon/crc.c"
#undef crc32_gzip_refl
#undef pkt_vcrc

static void crc__is_the_same(void **state)
{
	uint8_t bytes[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 37 + 11);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		assert_int_equal(slow_crc32(0x1234567, bytes, n),
				 crc32_gzip_refl(0x1234567, bytes, n));
		assert_int_equal(slow_vcrc(bytes, n), pkt_vcrc(bytes, n));
	}
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(crc__is_the_same)};

int main(void)
{
	return verbena_test_main(tests);
}
