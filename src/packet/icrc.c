/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* ICRC, by ISA-L. */
#include "packet/icrc.h"

#include <isa-l/crc.h>

/* ICRC after the eight bytes of ones that stand for an LRH [rcp 15]. */
#define ICRC_OF_ONES (~0xdebb20e3u)

/* The fields of a GRH or IPv6 header that change on the way: traffic class, flow label, hops. */
static void mask_grh(uint8_t *grh)
{
	grh[0] |= 0x0f;
	memset(grh + 1, 0xff, 3);
	grh[7] = 0xff;
}

/* TOS, TTL, checksum; and UDP's. The identification counts. */
static void mask_ipv4(uint8_t *ip)
{
	ip[1] = 0xff;
	ip[8] = 0xff;
	memset(ip + 10, 0xff, 2);
}

static void mask_udp(uint8_t *udp)
{
	memset(udp + 6, 0xff, 2);
}

uint32_t pkt_icrc_begin(enum pkt_link link, const uint8_t *headers)
{
	uint8_t masked[PKT_MAX_LINK_BYTES + PKT_BTH_BYTES];
	const size_t link_bytes = pkt_link_bytes(link), bytes = link_bytes + PKT_BTH_BYTES;
	const uint8_t *covered = masked; /* the first byte that ICRC_OF_ONES does not stand for */
	uint32_t icrc = ICRC_OF_ONES;

	memcpy(masked, headers, bytes);
	masked[link_bytes + 4] = 0xff; /* FECN, BECN and the six bits beside them */
	switch (link) {
	case PKT_LINK_IB:
		masked[0] |= 0xf0; /* VL */
		icrc = 0;
		break;
	case PKT_LINK_IB_GRH:
		covered += PKT_LRH_BYTES;
		mask_grh(masked + PKT_LRH_BYTES);
		break;
	case PKT_LINK_ROCE_V1:
		mask_grh(masked);
		break;
	case PKT_LINK_ROCE_V2_IPV4:
		mask_ipv4(masked);
		mask_udp(masked + PKT_IPV4_BYTES);
		break;
	case PKT_LINK_ROCE_V2_IPV6:
		mask_grh(masked);
		mask_udp(masked + PKT_GRH_BYTES);
		break;
	}
	return pkt_icrc_add(icrc, covered, bytes - (size_t)(covered - masked));
}

uint32_t pkt_icrc_add(uint32_t icrc, const void *more, size_t bytes)
{
	return crc32_gzip_refl(icrc, more, bytes);
}

uint32_t pkt_icrc_add_iov(uint32_t icrc, const struct iovec *iov, size_t count)
{
	for (size_t i = 0; i < count; i++)
		icrc = pkt_icrc_add(icrc, iov[i].iov_base, iov[i].iov_len);
	return icrc;
}

uint32_t pkt_icrc(enum pkt_link link, const uint8_t *packet, size_t bytes)
{
	const size_t begun = pkt_link_bytes(link) + PKT_BTH_BYTES;

	return pkt_icrc_add(pkt_icrc_begin(link, packet), packet + begun, bytes - begun);
}
