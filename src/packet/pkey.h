/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* P_Keys: 15 bits of partition number, bit 15 tells full from limited membership [rcp 1]. */
#ifndef PACKET_PKEY_H
#define PACKET_PKEY_H

#include <stdbool.h>
#include <stdint.h>

#define PKT_PKEY_FULL 0x8000u
#define PKT_PKEY_DEFAULT 0xffffu

/** pkt_pkey_valid() - Whether a P_Key names a partition at all (0x0000 and 0x8000 do not). */
static inline bool pkt_pkey_valid(uint16_t pkey)
{
	return (pkey & 0x7fffu) != 0;
}

/**
 * pkt_pkey_match() - Whether the owners of two P_Keys may talk.
 * @a: One.
 * @b: The other.
 *
 * Return: true if both name the same partition and at least one is a full member.
 */
static inline bool pkt_pkey_match(uint16_t a, uint16_t b)
{
	return pkt_pkey_valid(a) && ((a ^ b) & 0x7fffu) == 0 && ((a | b) & PKT_PKEY_FULL) != 0;
}

#endif
