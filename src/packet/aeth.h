/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the 8 bits of an AETH syndrome say, and the codes that credits and times travel in. Codes
 * become counts and nanoseconds here, where they enter [rcp 5, 6, 7].
 */
#ifndef PACKET_AETH_H
#define PACKET_AETH_H

#include <stdint.h>

/* The syndromes of NAKs. */
enum pkt_nak {
	PKT_NAK_PSN_SEQUENCE = 0x60,
	PKT_NAK_INVALID_REQUEST = 0x61,
	PKT_NAK_REMOTE_ACCESS = 0x62,
	PKT_NAK_REMOTE_OPERATIONAL = 0x63,
	PKT_NAK_INVALID_RD_REQUEST = 0x64,
};

enum pkt_aeth_kind {
	PKT_AETH_ACK,
	PKT_AETH_RNR_NAK,
	PKT_AETH_NAK,
	PKT_AETH_RESERVED, /* to be ignored */
};

/* Where the syndrome stands in an AETH that is one number, as rdmavt's functions take it. */
#define PKT_AETH_SYNDROME_SHIFT 24

/* Bits 4-0 of an ACK or RNR NAK: credit or timer code. */
#define PKT_AETH_CODE_MASK 0x1fu
#define PKT_AETH_RNR_NAK_BASE 0x20u

/* "The responder gives no credits": no limit. */
#define PKT_CREDIT_CODE_UNLIMITED 0x1fu
#define PKT_CREDITS_UNLIMITED UINT32_MAX

/** pkt_aeth_kind() - What a syndrome is; with PKT_AETH_NAK it is an enum pkt_nak as it stands. */
enum pkt_aeth_kind pkt_aeth_kind(uint8_t syndrome);

/** pkt_aeth_ack() - The syndrome of an ACK that carries a credit code. */
static inline uint8_t pkt_aeth_ack(uint8_t credit_code)
{
	return credit_code & PKT_AETH_CODE_MASK;
}

/** pkt_aeth_rnr_nak() - The syndrome of an RNR NAK that carries a timer code. */
static inline uint8_t pkt_aeth_rnr_nak(uint8_t timer_code)
{
	return (uint8_t)(PKT_AETH_RNR_NAK_BASE | (timer_code & PKT_AETH_CODE_MASK));
}

/** pkt_credits() - Receive WQEs that a credit code (its low 5 bits) stands for. */
uint32_t pkt_credits(uint8_t credit_code);

/** pkt_credit_code() - The largest code that promises not more than @credits receive WQEs. */
uint8_t pkt_credit_code(uint32_t credits);

/** pkt_rnr_wait_ns() - How long an RNR timer code (its low 5 bits) asks to wait. */
uint64_t pkt_rnr_wait_ns(uint8_t timer_code);

/**
 * pkt_ack_wait_ns() - The local ACK timeout.
 * @timeout_code: QP attribute timeout, 0 to 31 (its low 5 bits).
 *
 * Return: 4096 ns * 2^code; 0 for code 0: no timer runs.
 */
uint64_t pkt_ack_wait_ns(uint8_t timeout_code);

#endif
