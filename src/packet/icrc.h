/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The two CRCs of a packet [rcp 15]. The ICRC covers, end to end, all that no switch or router may
 * change; the VCRC covers all bytes on one native link. Both are numbers here; on the wire the least
 * significant byte comes first: pkt_put_le32(), pkt_put_le16().
 *
 * Whole packet: pkt_icrc(). Headers here and payload elsewhere: pkt_icrc_begin() with the link
 * headers and the BTH, then pkt_icrc_add() or pkt_icrc_add_iov() with what follows, in order.
 */
#ifndef PACKET_ICRC_H
#define PACKET_ICRC_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "packet/headers.h"

/**
 * pkt_icrc_begin() - ICRC so far of the headers that have changing fields.
 * @link: How the packet travels.
 * @headers: pkt_link_bytes(@link) + PKT_BTH_BYTES bytes: link headers and BTH, as sent. Length
 *	fields must be the final ones. Not changed.
 *
 * Return: For pkt_icrc_add(), or the ICRC itself if nothing follows.
 */
uint32_t pkt_icrc_begin(enum pkt_link link, const uint8_t *headers);

/** pkt_icrc_add() - ICRC so far, @bytes later. */
uint32_t pkt_icrc_add(uint32_t icrc, const void *more, size_t bytes);

/** pkt_icrc_add_iov() - ICRC so far, @count segments later. */
uint32_t pkt_icrc_add_iov(uint32_t icrc, const struct iovec *iov, size_t count);

/**
 * pkt_icrc() - The ICRC of a packet.
 * @link: How it travels.
 * @packet: From the first link header on.
 * @bytes: To the end of the pad; at least the link headers and a BTH.
 */
uint32_t pkt_icrc(enum pkt_link link, const uint8_t *packet, size_t bytes);

/** pkt_vcrc() - The VCRC of a native packet, @bytes from LRH to ICRC. */
uint16_t pkt_vcrc(const uint8_t *packet, size_t bytes);

/** pkt_put_le32() - Store an ICRC. */
static inline void pkt_put_le32(uint8_t *wire, uint32_t v)
{
	v = htole32(v);
	memcpy(wire, &v, sizeof(v));
}

/** pkt_put_le16() - Store a VCRC. */
static inline void pkt_put_le16(uint8_t *wire, uint16_t v)
{
	v = htole16(v);
	memcpy(wire, &v, sizeof(v));
}

/** pkt_get_le32() - Load an ICRC. */
static inline uint32_t pkt_get_le32(const uint8_t *wire)
{
	uint32_t v;

	memcpy(&v, wire, sizeof(v));
	return le32toh(v);
}

/** pkt_get_le16() - Load a VCRC. */
static inline uint16_t pkt_get_le16(const uint8_t *wire)
{
	uint16_t v;

	memcpy(&v, wire, sizeof(v));
	return le16toh(v);
}

#endif
