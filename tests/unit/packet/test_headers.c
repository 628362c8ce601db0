/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Each header: its fields against bytes written by hand, and every single bit there and back. */
#include "common/test.h"

#include <string.h>

#include "common/hex.h"
#include "packet/headers.h"

/*
 * Walk one bit through a header's bytes: if two bits met in one field position, or one were lost,
 * the bytes would not come back [rcp 1].
 */
#define ASSERT_EVERY_BIT_RETURNS(type, size, first_byte)              \
	do {                                                          \
		for (unsigned int bit = 0; bit < (size)*8u; bit++) {  \
			uint8_t bytes[size] = {0}, again[(size) + 1]; \
			struct pkt_##type header;                     \
                                                                      \
			bytes[bit / 8] = (uint8_t)(0x80u >> bit % 8); \
			if (first_byte)                               \
				bytes[0] = (first_byte);              \
			memset(&header, 0xee, sizeof(header));        \
			memset(again, 0xdd, sizeof(again));           \
			pkt_##type##_decode(bytes, &header);          \
			pkt_##type##_encode(again, &header);          \
			assert_memory_equal(again, bytes, size);      \
			assert_int_equal(again[size], 0xdd);          \
		}                                                     \
	} while (0)

static void pkt_link_bytes__of_each_link(void **state)
{
	(void)state;
	assert_int_equal(pkt_link_bytes(PKT_LINK_IB), 8);
	assert_int_equal(pkt_link_bytes(PKT_LINK_IB_GRH), 48);
	assert_int_equal(pkt_link_bytes(PKT_LINK_ROCE_V1), 40);
	assert_int_equal(pkt_link_bytes(PKT_LINK_ROCE_V2_IPV4), 28);
	assert_int_equal(pkt_link_bytes(PKT_LINK_ROCE_V2_IPV6), 48);
}

static void pkt_put_be__any_alignment(void **state)
{
	uint8_t wire[16] = {0};

	(void)state;
	pkt_put_be16(wire + 1, 0x0102);
	pkt_put_be32(wire + 3, 0x03040506);
	pkt_put_be64(wire + 7, UINT64_C(0x0708090a0b0c0d0e));
	for (uint8_t i = 0; i < 15; i++)
		assert_int_equal(wire[i], i);
	assert_int_equal(pkt_get_be16(wire + 1), 0x0102);
	assert_int_equal(pkt_get_be32(wire + 3), 0x03040506);
	assert_int_equal(pkt_get_be64(wire + 7), UINT64_C(0x0708090a0b0c0d0e));
}

static void pkt_bth__fields(void **state)
{
	uint8_t wire[12];
	struct pkt_bth bth;

	(void)state;
	hex_decode("0a f5 8001 d5 123456 fa abcdef", wire, sizeof(wire));
	pkt_bth_decode(wire, &bth);
	assert_int_equal(bth.opcode, 0x0a);
	assert_true(bth.solicited);
	assert_true(bth.migrated);
	assert_int_equal(bth.pad_bytes, 3);
	assert_int_equal(bth.tver, 5);
	assert_int_equal(bth.pkey, 0x8001);
	assert_true(bth.fecn);
	assert_true(bth.becn);
	assert_int_equal(bth.resv6, 0x15);
	assert_int_equal(bth.dest_qpn, 0x123456);
	assert_true(bth.ack_req);
	assert_int_equal(bth.resv7, 0x7a);
	assert_int_equal(bth.psn.v, 0xabcdef);
	ASSERT_EVERY_BIT_RETURNS(bth, 12, 0);
}

static void pkt_bth_encode__cuts_fields_to_size(void **state)
{
	const struct pkt_bth bth = {
		.pad_bytes = 0xfc,
		.tver = 0xf0,
		.resv6 = 0xc0,
		.resv7 = 0x80,
		.dest_qpn = 0xff000000,
		.psn = {0xff000000},
	};
	const uint8_t zeros[12] = {0};
	uint8_t wire[12];

	(void)state;
	pkt_bth_encode(wire, &bth);
	assert_memory_equal(wire, zeros, sizeof(wire));
}

static void pkt_reth__fields(void **state)
{
	uint8_t wire[16];
	struct pkt_reth reth;

	(void)state;
	hex_decode("0102030405060708 090a0b0c 80000000", wire, sizeof(wire));
	pkt_reth_decode(wire, &reth);
	assert_int_equal(reth.va, UINT64_C(0x0102030405060708));
	assert_int_equal(reth.rkey, 0x090a0b0c);
	assert_int_equal(reth.dma_bytes, 0x80000000u);
	ASSERT_EVERY_BIT_RETURNS(reth, 16, 0);
}

static void pkt_aeth__fields(void **state)
{
	uint8_t wire[4];
	struct pkt_aeth aeth;

	(void)state;
	hex_decode("62 fedcba", wire, sizeof(wire));
	pkt_aeth_decode(wire, &aeth);
	assert_int_equal(aeth.syndrome, 0x62);
	assert_int_equal(aeth.msn.v, 0xfedcba);
	ASSERT_EVERY_BIT_RETURNS(aeth, 4, 0);
}

static void pkt_deth__fields(void **state)
{
	uint8_t wire[8];
	struct pkt_deth deth;

	(void)state;
	hex_decode("80010000 5a 000001", wire, sizeof(wire));
	pkt_deth_decode(wire, &deth);
	assert_int_equal(deth.qkey, 0x80010000u);
	assert_int_equal(deth.resv8, 0x5a);
	assert_int_equal(deth.src_qpn, 1);
	ASSERT_EVERY_BIT_RETURNS(deth, 8, 0);
}

static void pkt_atomiceth__fields(void **state)
{
	uint8_t wire[28];
	struct pkt_atomiceth atomiceth;

	(void)state;
	hex_decode("0102030405060708 090a0b0c 1112131415161718 2122232425262728", wire,
		   sizeof(wire));
	pkt_atomiceth_decode(wire, &atomiceth);
	assert_int_equal(atomiceth.va, UINT64_C(0x0102030405060708));
	assert_int_equal(atomiceth.rkey, 0x090a0b0c);
	assert_int_equal(atomiceth.swap_add, UINT64_C(0x1112131415161718));
	assert_int_equal(atomiceth.compare, UINT64_C(0x2122232425262728));
	ASSERT_EVERY_BIT_RETURNS(atomiceth, 28, 0);
}

static void pkt_atomicacketh__fields(void **state)
{
	uint8_t wire[8];
	struct pkt_atomicacketh atomicacketh;

	(void)state;
	hex_decode("0102030405060708", wire, sizeof(wire));
	pkt_atomicacketh_decode(wire, &atomicacketh);
	assert_int_equal(atomicacketh.original, UINT64_C(0x0102030405060708));
	ASSERT_EVERY_BIT_RETURNS(atomicacketh, 8, 0);
}

static void pkt_xrceth__fields(void **state)
{
	uint8_t wire[4];
	struct pkt_xrceth xrceth;

	(void)state;
	hex_decode("a5 123456", wire, sizeof(wire));
	pkt_xrceth_decode(wire, &xrceth);
	assert_int_equal(xrceth.resv8, 0xa5);
	assert_int_equal(xrceth.srqn, 0x123456);
	ASSERT_EVERY_BIT_RETURNS(xrceth, 4, 0);
}

static void pkt_rdeth__fields(void **state)
{
	uint8_t wire[4];
	struct pkt_rdeth rdeth;

	(void)state;
	hex_decode("a5 123456", wire, sizeof(wire));
	pkt_rdeth_decode(wire, &rdeth);
	assert_int_equal(rdeth.resv8, 0xa5);
	assert_int_equal(rdeth.eecn, 0x123456);
	ASSERT_EVERY_BIT_RETURNS(rdeth, 4, 0);
}

static void pkt_feth__fields(void **state)
{
	uint8_t wire[4];
	struct pkt_feth feth;

	(void)state;
	hex_decode("00000063", wire, sizeof(wire));
	pkt_feth_decode(wire, &feth);
	assert_int_equal(feth.placement, 3);
	assert_int_equal(feth.selectivity, 2);
	assert_int_equal(feth.resv26, 1);
	ASSERT_EVERY_BIT_RETURNS(feth, 4, 0);
}

static void pkt_lrh__fields(void **state)
{
	uint8_t wire[8];
	struct pkt_lrh lrh;

	(void)state;
	hex_decode("f0 7b c001 fc12 0003", wire, sizeof(wire));
	pkt_lrh_decode(wire, &lrh);
	assert_int_equal(lrh.vl, 15);
	assert_int_equal(lrh.lver, 0);
	assert_int_equal(lrh.sl, 7);
	assert_int_equal(lrh.resv2, 2);
	assert_int_equal(lrh.lnh, PKT_LNH_GRH);
	assert_int_equal(lrh.dlid, 0xc001);
	assert_int_equal(lrh.resv5, 31);
	assert_int_equal(lrh.packet_words, 0x412);
	assert_int_equal(lrh.slid, 3);
	ASSERT_EVERY_BIT_RETURNS(lrh, 8, 0);
}

static void pkt_grh__fields(void **state)
{
	uint8_t wire[40], sgid[16], dgid[16];
	struct pkt_grh grh;

	(void)state;
	hex_decode("6ab12345 1008 1b 40", wire, 8);
	for (uint8_t i = 0; i < 16; i++) {
		wire[8 + i] = sgid[i] = (uint8_t)(0x10 + i);
		wire[24 + i] = dgid[i] = (uint8_t)(0x20 + i);
	}
	pkt_grh_decode(wire, &grh);
	assert_int_equal(grh.tclass, 0xab);
	assert_int_equal(grh.flow_label, 0x12345);
	assert_int_equal(grh.payload_bytes, 0x1008);
	assert_int_equal(grh.next_header, PKT_NEXT_HEADER_BTH);
	assert_int_equal(grh.hop_limit, 64);
	assert_memory_equal(grh.sgid, sgid, 16);
	assert_memory_equal(grh.dgid, dgid, 16);
}

static void pkt_grh__every_bit_but_the_version(void **state)
{
	(void)state;
	ASSERT_EVERY_BIT_RETURNS(grh, 40, 0x60);
	ASSERT_EVERY_BIT_RETURNS(grh, 40, 0x6f);
}

static void pkt_ipv4__fields(void **state)
{
	uint8_t wire[20];
	struct pkt_ipv4 ip;

	(void)state;
	hex_decode("45 c2 003c 718c 4000 40 11 9161 0a001101 0a001201", wire, sizeof(wire));
	pkt_ipv4_decode(wire, &ip);
	assert_int_equal(ip.tos, 0xc2);
	assert_int_equal(ip.total_bytes, 60);
	assert_int_equal(ip.id, 0x718c);
	assert_int_equal(ip.fragment, 0x4000);
	assert_int_equal(ip.ttl, 64);
	assert_int_equal(ip.protocol, PKT_NEXT_HEADER_UDP);
	assert_int_equal(ip.checksum, 0x9161);
	assert_int_equal(ip.src, 0x0a001101);
	assert_int_equal(ip.dst, 0x0a001201);
	ASSERT_EVERY_BIT_RETURNS(ipv4, 20, 0x45);
}

static void pkt_ipv4_checksum__of_real_headers(void **state)
{
	static const char *const real[] = {
		"45c2003c718c40004011 9161 0a0011010a001201",
		"45010040047840004011 b4d5 c0a80007c0a80007",
		"45000030000140004011 b6b8 c0000201c0000202",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
		uint8_t wire[20];
		struct pkt_ipv4 ip;

		hex_decode(real[i], wire, sizeof(wire));
		pkt_ipv4_decode(wire, &ip);
		assert_int_equal(pkt_ipv4_checksum(&ip), ip.checksum);
		ip.checksum = 0x5555; /* is not summed itself */
		assert_int_equal(pkt_ipv4_checksum(&ip), pkt_get_be16(wire + 10));
	}
}

static void pkt_ipv4_checksum__carries_twice(void **state)
{
	const struct pkt_ipv4 ip = {
		.tos = 0xff,
		.total_bytes = 0xffff,
		.id = 0xffff,
		.fragment = 0xffff,
		.ttl = 0xff,
		.protocol = 0xff,
		.src = 0xffffffff,
		.dst = 0xffffba03,
	};
	unsigned long sum = 0x45ff + 6 * 0xffffUL + 0xffff + 0xba03;

	(void)state;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	assert_int_equal(pkt_ipv4_checksum(&ip), ~sum & 0xffff);
}

static void pkt_udp__fields(void **state)
{
	uint8_t wire[8];
	struct pkt_udp udp;

	(void)state;
	hex_decode("c000 12b7 0028 1234", wire, sizeof(wire));
	pkt_udp_decode(wire, &udp);
	assert_int_equal(udp.src_port, 0xc000);
	assert_int_equal(udp.dst_port, PKT_ROCE_V2_PORT);
	assert_int_equal(udp.bytes, 40);
	assert_int_equal(udp.checksum, 0x1234);
	ASSERT_EVERY_BIT_RETURNS(udp, 8, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pkt_link_bytes__of_each_link),
	cmocka_unit_test(pkt_put_be__any_alignment),
	cmocka_unit_test(pkt_bth__fields),
	cmocka_unit_test(pkt_bth_encode__cuts_fields_to_size),
	cmocka_unit_test(pkt_reth__fields),
	cmocka_unit_test(pkt_aeth__fields),
	cmocka_unit_test(pkt_deth__fields),
	cmocka_unit_test(pkt_atomiceth__fields),
	cmocka_unit_test(pkt_atomicacketh__fields),
	cmocka_unit_test(pkt_xrceth__fields),
	cmocka_unit_test(pkt_rdeth__fields),
	cmocka_unit_test(pkt_feth__fields),
	cmocka_unit_test(pkt_lrh__fields),
	cmocka_unit_test(pkt_grh__fields),
	cmocka_unit_test(pkt_grh__every_bit_but_the_version),
	cmocka_unit_test(pkt_ipv4__fields),
	cmocka_unit_test(pkt_ipv4_checksum__of_real_headers),
	cmocka_unit_test(pkt_ipv4_checksum__carries_twice),
	cmocka_unit_test(pkt_udp__fields),
};

int main(void)
{
	return verbena_test_main(tests);
}
