// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The sums that the rest of the stack has from ISA-L, and by tables, bit by bit: the daemon sends no packets, and has
 * the wire for its manager's MADs alone. A shared library more, and tables that are made first, would cost each of its
 * starts 150 us.
 */
#include <isa-l/crc.h>

#include "packet/icrc.h"

static uint32_t add(uint32_t crc, uint32_t polynomial, const uint8_t *at, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i++) {
		crc ^= at[i];
		for (unsigned int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
	}
	return crc;
}

uint32_t crc32_gzip_refl(uint32_t init_crc, const unsigned char *buf, uint64_t len)
{
	return ~add(~init_crc, 0xedb88320u, buf, len);
}

uint16_t pkt_vcrc(const uint8_t *packet, size_t bytes)
{
	return (uint16_t)~add(0xffff, 0xd008, packet, bytes);
}
