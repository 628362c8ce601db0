/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers on a circle of 2^24: PSNs count packets; MSNs, SSNs and LSNs count messages. Two types,
 * so that they cannot be mixed; v is always below 2^24, so == of two v is equality [rcp 3].
 */
#ifndef PACKET_PSN_H
#define PACKET_PSN_H

#include <stdint.h>

#define PKT_PSN_MASK 0xffffffu

typedef struct {
	uint32_t v; /* 24 bits, on a circle */
} psn_t;

typedef struct {
	uint32_t v; /* 24 bits, on a circle: an MSN, SSN or LSN */
} msn_t;

/** psn() - A PSN from a plain number; what is above 24 bits is cut off. */
static inline psn_t psn(uint32_t v)
{
	return (psn_t){v & PKT_PSN_MASK};
}

/** psn_add() - The PSN @n packets after @a. */
static inline psn_t psn_add(psn_t a, uint32_t n)
{
	return psn(a.v + n);
}

/** psn_sub() - The PSN @n packets before @a. */
static inline psn_t psn_sub(psn_t a, uint32_t n)
{
	return psn(a.v - n);
}

/** psn_diff() - Packets from @b forward to @a, in [-2^23, 2^23). */
static inline int32_t psn_diff(psn_t a, psn_t b)
{
	return (int32_t)((a.v - b.v) << 8) >> 8;
}

/** msn() - An MSN, SSN or LSN from a plain number; what is above 24 bits is cut off. */
static inline msn_t msn(uint32_t v)
{
	return (msn_t){v & PKT_PSN_MASK};
}

/** msn_add() - The message number @n messages after @a. */
static inline msn_t msn_add(msn_t a, uint32_t n)
{
	return msn(a.v + n);
}

/** msn_diff() - Messages from @b forward to @a, in [-2^23, 2^23). */
static inline int32_t msn_diff(msn_t a, msn_t b)
{
	return (int32_t)((a.v - b.v) << 8) >> 8;
}

#endif
