/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Both CRCs against known packets, and which bits they cover [rcp 15]. */
#include "common/test.h"

#include <string.h>

#include "common/hex.h"
#include "packet/icrc.h"
#include "vectors.h"

static uint32_t icrc_of(const char *hex)
{
	uint8_t wire[4];

	hex_decode(hex, wire, sizeof(wire));
	return pkt_get_le32(wire);
}

static void pkt_icrc__of_known_packets(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t packet[128];
		const size_t bytes = hex_decode(vectors[i].packet, packet, sizeof(packet));

		assert_int_equal(pkt_icrc(vectors[i].link, packet, bytes),
				 icrc_of(vectors[i].icrc));
	}
}

/* A bit of the link headers or the BTH that the ICRC must not see: 1 in this mask. */
static void masked_bits(enum pkt_link link, uint8_t *mask)
{
	switch (link) {
	case PKT_LINK_IB:
		hex_decode("f0 00 0000 0000 0000", mask, 8);
		break;
	case PKT_LINK_IB_GRH:
		hex_decode("ffffffffffffffff 0fffffff 0000 00 ff", mask, 16);
		break;
	case PKT_LINK_ROCE_V1:
		hex_decode("0fffffff 0000 00 ff", mask, 8);
		break;
	case PKT_LINK_ROCE_V2_IPV4:
		hex_decode("00 ff 0000 0000 0000 ff 00 ffff 00000000 00000000 0000 0000 0000 ffff",
			   mask, 28);
		break;
	case PKT_LINK_ROCE_V2_IPV6:
		hex_decode("0fffffff 0000 00 ff", mask, 8);
		hex_decode("0000 0000 0000 ffff", mask + 40, 8);
		break;
	}
	mask[pkt_link_bytes(link) + 4] = 0xff;
}

static void pkt_icrc__sees_every_bit_but_the_changing_fields(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t packet[128], mask[128] = {0};
		const size_t bytes = hex_decode(vectors[i].packet, packet, sizeof(packet));
		const uint32_t icrc = pkt_icrc(vectors[i].link, packet, bytes);

		masked_bits(vectors[i].link, mask);
		for (size_t bit = 0; bit < bytes * 8; bit++) {
			const uint8_t flip = (uint8_t)(0x80u >> bit % 8);

			packet[bit / 8] ^= flip;
			assert_int_equal(pkt_icrc(vectors[i].link, packet, bytes) == icrc,
					 (mask[bit / 8] & flip) != 0);
			packet[bit / 8] ^= flip;
		}
	}
}

static void pkt_icrc_begin__leaves_the_headers_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t packet[128], before[128];
		const size_t bytes = hex_decode(vectors[i].packet, packet, sizeof(packet));

		memcpy(before, packet, bytes);
		pkt_icrc_begin(vectors[i].link, packet);
		assert_memory_equal(packet, before, bytes);
	}
}

static void pkt_icrc_add__is_the_zlib_crc(void **state)
{
	(void)state;
	assert_int_equal(pkt_icrc_add(0, "123456789", 9), 0xcbf43926u);
	assert_int_equal(pkt_icrc_add(pkt_icrc_add(0, "1234", 4), "56789", 5), 0xcbf43926u);
	assert_int_equal(pkt_icrc_add(7, "", 0), 7);
	/* the register after the stand-in for the LRH, before the final complement */
	assert_int_equal(~pkt_icrc_add(0, "\xff\xff\xff\xff\xff\xff\xff\xff", 8), 0xdebb20e3u);
}

static void pkt_icrc_add_iov__payload_in_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t packet[128];
		const size_t bytes = hex_decode(vectors[i].packet, packet, sizeof(packet));
		const size_t begun = pkt_link_bytes(vectors[i].link) + PKT_BTH_BYTES;
		const struct iovec iov[] = {
			{packet + begun, 1},
			{NULL, 0},
			{packet + begun + 1, bytes - begun - 1},
		};
		const uint32_t icrc = pkt_icrc_begin(vectors[i].link, packet);

		assert_int_equal(pkt_icrc_add_iov(icrc, iov, 3), icrc_of(vectors[i].icrc));
	}
}

static void pkt_vcrc__of_known_packets(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t packet[128], vcrc[2];
		size_t bytes;

		if (!vectors[i].vcrc)
			continue;
		bytes = hex_decode(vectors[i].packet, packet, sizeof(packet));
		bytes += hex_decode(vectors[i].icrc, packet + bytes, sizeof(packet) - bytes);
		hex_decode(vectors[i].vcrc, vcrc, sizeof(vcrc));
		assert_int_equal(pkt_vcrc(packet, bytes), pkt_get_le16(vcrc));
	}
}

static void pkt_vcrc__of_the_nine_digits(void **state)
{
	uint8_t wire[2], expected[2];

	(void)state;
	hex_decode("3d0a", expected, sizeof(expected));
	pkt_put_le16(wire, pkt_vcrc((const uint8_t *)"123456789", 9));
	assert_memory_equal(wire, expected, 2);
}

/* Bit by bit, as the specification's shift register. */
static uint16_t vcrc_by_bits(const uint8_t *packet, size_t bytes)
{
	unsigned int crc = 0xffff;

	for (size_t i = 0; i < bytes; i++)
		for (int bit = 0; bit < 8; bit++) {
			const unsigned int in = packet[i] >> bit & 1;

			crc = (crc & 1) != in ? crc >> 1 ^ 0xd008 : crc >> 1;
		}
	return (uint16_t)~crc;
}

static void pkt_vcrc__of_any_length_and_alignment(void **state)
{
	uint8_t packet[600];

	(void)state;
	for (size_t i = 0; i < sizeof(packet); i++)
		packet[i] = (uint8_t)(i * i >> 3 ^ i * 37);
	for (size_t bytes = 0; bytes < 580; bytes++)
		assert_int_equal(pkt_vcrc(packet + bytes % 19, bytes),
				 vcrc_by_bits(packet + bytes % 19, bytes));
}

static void pkt_put_le__least_significant_byte_first(void **state)
{
	uint8_t wire[4];

	(void)state;
	pkt_put_le32(wire, 0x04030201);
	assert_memory_equal(wire, "\1\2\3\4", 4);
	assert_int_equal(pkt_get_le32(wire), 0x04030201);
	assert_int_equal(pkt_get_le16(wire), 0x0201);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pkt_icrc__of_known_packets),
	cmocka_unit_test(pkt_icrc__sees_every_bit_but_the_changing_fields),
	cmocka_unit_test(pkt_icrc_begin__leaves_the_headers_alone),
	cmocka_unit_test(pkt_icrc_add__is_the_zlib_crc),
	cmocka_unit_test(pkt_icrc_add_iov__payload_in_pieces),
	cmocka_unit_test(pkt_vcrc__of_known_packets),
	cmocka_unit_test(pkt_vcrc__of_the_nine_digits),
	cmocka_unit_test(pkt_vcrc__of_any_length_and_alignment),
	cmocka_unit_test(pkt_put_le__least_significant_byte_first),
};

int main(void)
{
	return verbena_test_main(tests);
}
