/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Packets to views and back: known packets, each reason to refuse one, any content without a read
 * out of bounds, and what pkt_complete() and pkt_seal() make of a view [rcp 1, 2, 15].
 */
#include "common/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hex.h"
#include "packet/icrc.h"
#include "packet/view.h"
#include "vectors.h"

#define ROOM 5000

/* The vector with its CRCs. Returns the bytes. */
static size_t vector_bytes(const struct vector *v, uint8_t *wire, size_t room)
{
	size_t bytes = hex_decode(v->packet, wire, room);

	bytes += hex_decode(v->icrc, wire + bytes, room - bytes);
	if (v->vcrc)
		bytes += hex_decode(v->vcrc, wire + bytes, room - bytes);
	return bytes;
}

static void assert_refused(enum pkt_framing framing, const uint8_t *wire, size_t bytes,
			   enum pkt_refusal expected)
{
	struct pkt_view view;
	enum pkt_refusal why;

	assert_int_equal(pkt_decode(framing, wire, bytes, &view, &why), -EBADMSG);
	assert_int_equal(why, expected);
}

/* As assert_refused(), of a packet in digits; the four bytes of an ICRC are appended. */
static void assert_hex_refused(enum pkt_framing framing, const char *hex, enum pkt_refusal expected)
{
	uint8_t wire[ROOM];
	const size_t bytes = hex_decode(hex, wire, sizeof(wire) - 4);

	memset(wire + bytes, 0, 4);
	assert_refused(framing, wire, bytes + 4, expected);
}

/* A native packet without GRH, around these bytes from BTH to pad. */
static size_t native_packet(uint8_t *wire, const uint8_t *transport, size_t bytes)
{
	const struct pkt_lrh lrh = {
		.lnh = PKT_LNH_BTH,
		.packet_words = (uint16_t)((PKT_LRH_BYTES + bytes + PKT_ICRC_BYTES) / 4),
	};

	pkt_lrh_encode(wire, &lrh);
	memcpy(wire + PKT_LRH_BYTES, transport, bytes);
	return pkt_seal(PKT_LINK_IB, wire, PKT_LRH_BYTES + bytes, false);
}

static void pkt_decode__known_packets(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t wire[128], again[128];
		const size_t bytes = vector_bytes(&vectors[i], wire, sizeof(wire));
		struct pkt_view view;
		enum pkt_refusal why = PKT_REFUSED_ICRC;

		assert_int_equal(pkt_decode(vectors[i].framing, wire, bytes, &view, &why), 0);
		assert_int_equal(why, PKT_ACCEPTED);
		assert_int_equal(view.link, vectors[i].link);
		assert_ptr_equal(view.op, pkt_op(view.bth.opcode));
		assert_int_equal(view.bytes, bytes - (vectors[i].vcrc ? 2 : 0));
		assert_int_equal(view.has_vcrc, vectors[i].vcrc != NULL);
		assert_true(pkt_icrc_ok(&view));
		assert_true(pkt_vcrc_ok(&view));
		assert_int_equal(pkt_encode(&view, again, sizeof(again)), bytes);
		assert_memory_equal(again, wire, bytes);
	}
}

static void pkt_decode__fields_of_a_native_packet(void **state)
{
	uint8_t wire[128];
	const size_t bytes = vector_bytes(&vectors[4], wire, sizeof(wire));
	struct pkt_view view;
	enum pkt_refusal why;

	(void)state;
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, bytes, &view, &why), 0);
	assert_int_equal(view.lrh.vl, 1);
	assert_int_equal(view.lrh.sl, 2);
	assert_int_equal(view.lrh.dlid, 3);
	assert_int_equal(view.lrh.slid, 4);
	assert_int_equal(view.grh.flow_label, 0x12345);
	assert_int_equal(view.grh.hop_limit, 64);
	assert_int_equal(view.bth.opcode, PKT_RC_SEND_ONLY);
	assert_int_equal(view.bth.pkey, 0xffff);
	assert_int_equal(view.bth.dest_qpn, 0x12);
	assert_int_equal(view.bth.psn.v, 1);
	assert_true(view.bth.ack_req);
	assert_int_equal(view.payload_bytes, 4);
	assert_memory_equal(view.payload, "abcd", 4);
	assert_ptr_equal(view.payload, wire + 60);
}

static void pkt_decode__fields_of_a_datagram_over_ipv6(void **state)
{
	uint8_t wire[128];
	const size_t bytes = vector_bytes(&vectors[1], wire, sizeof(wire));
	struct pkt_view view;
	enum pkt_refusal why;

	(void)state;
	assert_int_equal(pkt_decode(PKT_FRAMING_ROCE_V2, wire, bytes, &view, &why), 0);
	assert_int_equal(view.grh.sgid[15], 1);
	assert_int_equal(view.grh.dgid[15], 2);
	assert_int_equal(view.udp.src_port, 0xc000);
	assert_int_equal(view.udp.checksum, 0); /* over IPv6, too */
	assert_int_equal(view.deth.qkey, 0x11111111);
	assert_int_equal(view.deth.src_qpn, 0x34);
}

static void pkt_decode__padding_of_ethernet_is_not_the_packets(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t wire[160];
		const size_t bytes = vector_bytes(&vectors[i], wire, sizeof(wire));
		struct pkt_view view;
		enum pkt_refusal why;

		if (vectors[i].framing == PKT_FRAMING_IB)
			continue;
		memset(wire + bytes, 0x55, 18);
		assert_int_equal(pkt_decode(vectors[i].framing, wire, bytes + 18, &view, &why), 0);
		assert_int_equal(view.bytes, bytes);
		assert_true(pkt_icrc_ok(&view));
	}
}

static void pkt_decode__every_prefix_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t wire[128];
		const size_t bytes = vector_bytes(&vectors[i], wire, sizeof(wire));

		for (size_t n = 0; n < bytes; n++) {
			/* from its end on no byte more: a sanitizer looks on */
			uint8_t *block = malloc(n + 1), *prefix = block + 1;
			struct pkt_view view;
			enum pkt_refusal why;

			if (vectors[i].vcrc && n == bytes - PKT_VCRC_BYTES) {
				free(block);
				continue; /* whole, without VCRC */
			}
			memcpy(prefix, wire, n);
			assert_int_equal(pkt_decode(vectors[i].framing, prefix, n, &view, &why),
					 -EBADMSG);
			assert_true(why == PKT_REFUSED_SHORT || why == PKT_REFUSED_LENGTH);
			free(block);
		}
	}
}

/* Every opcode with every length near its headers: decided by the table alone [rcp 2]. */
static void pkt_decode__every_opcode_and_length(void **state)
{
	(void)state;
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		const struct pkt_opcode *op = pkt_op((uint8_t)opcode);

		for (size_t bytes = PKT_BTH_BYTES; bytes <= 60; bytes += 4) {
			uint8_t transport[64] = {(uint8_t)opcode}, wire[128], again[128];
			struct pkt_view view;
			enum pkt_refusal why, expected = PKT_ACCEPTED;
			const size_t n = native_packet(wire, transport, bytes);

			if (op->kind == PKT_KIND_RESERVED)
				expected = PKT_REFUSED_OPCODE;
			else if (bytes < op->header_bytes)
				expected = PKT_REFUSED_SHORT;
			else if (bytes > op->header_bytes && !(op->headers & PKT_DATA))
				expected = PKT_REFUSED_PAYLOAD;
			pkt_decode(PKT_FRAMING_IB, wire, n, &view, &why);
			assert_int_equal(why, expected);
			if (why != PKT_ACCEPTED)
				continue;
			assert_int_equal(view.payload_bytes, bytes - op->header_bytes);
			assert_true(pkt_icrc_ok(&view));
			assert_int_equal(pkt_encode(&view, again, sizeof(again)), n);
			assert_memory_equal(again, wire, n);
		}
	}
}

/* The order of the extension headers: each opcode's longest packet, filled with a counter. */
static void pkt_decode__headers_in_the_order_of_the_wire(void **state)
{
	uint8_t transport[PKT_MAX_HEADER_BYTES], wire[128];
	struct pkt_view view;
	enum pkt_refusal why;

	(void)state;
	for (size_t i = 0; i < sizeof(transport); i++)
		transport[i] = i < PKT_BTH_BYTES ? 0 : (uint8_t)i;

	transport[0] = PKT_RC_WRITE_ONLY_IMM;
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, native_packet(wire, transport, 32), &view,
				    &why),
			 0);
	assert_int_equal(view.reth.va, UINT64_C(0x0c0d0e0f10111213));
	assert_memory_equal(&view.immdt, "\x1c\x1d\x1e\x1f", 4);

	transport[0] = PKT_XRC_SEND_ONLY_INV;
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, native_packet(wire, transport, 20), &view,
				    &why),
			 0);
	assert_int_equal(view.xrceth.srqn, 0x0d0e0f);
	assert_int_equal(view.ieth, 0x10111213);

	transport[0] = PKT_RD_FLUSH;
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, native_packet(wire, transport, 44), &view,
				    &why),
			 0);
	assert_int_equal(view.rdeth.eecn, 0x0d0e0f);
	assert_int_equal(view.deth.qkey, 0x10111213);
	assert_int_equal(view.feth.placement, 0x1b & 15);
	assert_int_equal(view.reth.va, UINT64_C(0x1c1d1e1f20212223));

	transport[0] = PKT_RC_ATOMIC_ACKNOWLEDGE;
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, native_packet(wire, transport, 24), &view,
				    &why),
			 0);
	assert_int_equal(view.aeth.msn.v, 0x0d0e0f);
	assert_int_equal(view.atomicacketh.original, UINT64_C(0x1011121314151617));

	transport[0] = PKT_RD_COMPARE_SWAP;
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, native_packet(wire, transport, 52), &view,
				    &why),
			 0);
	assert_int_equal(view.atomiceth.va, UINT64_C(0x18191a1b1c1d1e1f));
	assert_int_equal(view.atomiceth.compare, UINT64_C(0x2c2d2e2f30313233));
}

static void pkt_decode__refuses_link_headers(void **state)
{
	(void)state;
#define BTH_AND_DATA "0400ffff0000001280000001 61626364"
#define GIDS "20010db8000000000000000000000001 20010db8000000000000000000000002"
	/* link version, next header, lengths of native packets */
	assert_hex_refused(PKT_FRAMING_IB, "1122000300070004" BTH_AND_DATA,
			   PKT_REFUSED_LINK_VERSION);
	assert_hex_refused(PKT_FRAMING_IB, "1020000300070004" BTH_AND_DATA,
			   PKT_REFUSED_NEXT_HEADER);
	assert_hex_refused(PKT_FRAMING_IB, "1021000300070004" BTH_AND_DATA,
			   PKT_REFUSED_NEXT_HEADER);
	assert_hex_refused(PKT_FRAMING_IB, "1022000300060004" BTH_AND_DATA, PKT_REFUSED_LENGTH);
	assert_hex_refused(PKT_FRAMING_IB, "1022000300080004" BTH_AND_DATA, PKT_REFUSED_LENGTH);
	assert_hex_refused(PKT_FRAMING_IB, "1022000300010004" BTH_AND_DATA, PKT_REFUSED_LENGTH);
	/* GRH: cut short, version, next header, length other than the LRH's */
	assert_hex_refused(PKT_FRAMING_IB, "1023000300070004" BTH_AND_DATA, PKT_REFUSED_SHORT);
	assert_hex_refused(PKT_FRAMING_IB, "1023000300110004 4001234500141b40" GIDS BTH_AND_DATA,
			   PKT_REFUSED_IP_VERSION);
	assert_hex_refused(PKT_FRAMING_IB, "1023000300110004 6001234500141140" GIDS BTH_AND_DATA,
			   PKT_REFUSED_NEXT_HEADER);
	assert_hex_refused(PKT_FRAMING_IB, "1023000300110004 6001234500101b40" GIDS BTH_AND_DATA,
			   PKT_REFUSED_LENGTH);
	assert_hex_refused(PKT_FRAMING_IB, "1023000300110004 6001234500181b40" GIDS BTH_AND_DATA,
			   PKT_REFUSED_LENGTH);
	assert_hex_refused(PKT_FRAMING_ROCE_V1, "6001234500181b40" GIDS BTH_AND_DATA,
			   PKT_REFUSED_LENGTH);
}

static void pkt_decode__refuses_ip_and_udp_headers(void **state)
{
	(void)state;
#define ADDRESSES "c0000201c0000202"
#define UDP "c00012b7001c0000"
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4600003000014000 4011b6b8" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_IP_VERSION);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "0500003000014000 4011b6b8" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_IP_VERSION);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500003100014000 4011b6b7" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_LENGTH);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500001300014000 4011b6d5" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_LENGTH);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500003000012000 4011d6b8" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_IP_FRAGMENT);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500003000010001 4011f6b7" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_IP_FRAGMENT);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500003000014000 4006b6c3" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_NEXT_HEADER);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500003000014000 4011b6b9" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_IP_CHECKSUM);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500003000014000 4011b6b8" ADDRESSES "c00012b8001c0000" BTH_AND_DATA,
			   PKT_REFUSED_UDP_PORT);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500003000014000 4011b6b8" ADDRESSES "c00012b7001b0000" BTH_AND_DATA,
			   PKT_REFUSED_LENGTH);
	assert_hex_refused(PKT_FRAMING_ROCE_V2,
			   "4500001400014000 4011b6d4" ADDRESSES UDP BTH_AND_DATA,
			   PKT_REFUSED_SHORT);
	assert_hex_refused(PKT_FRAMING_ROCE_V2, "60012345001c0640" GIDS UDP BTH_AND_DATA,
			   PKT_REFUSED_NEXT_HEADER);
}

/* Nothing behind the header that claims to be shorter than itself may be touched. */
static void pkt_decode__refuses_an_ip_packet_shorter_than_its_header(void **state)
{
	uint8_t *wire = malloc(PKT_IPV4_BYTES);

	(void)state;
	hex_decode("4500001300014000 4011b6d5" ADDRESSES, wire, PKT_IPV4_BYTES);
	assert_refused(PKT_FRAMING_ROCE_V2, wire, PKT_IPV4_BYTES, PKT_REFUSED_LENGTH);
	free(wire);
}

static void pkt_decode__refuses_transport_headers(void **state)
{
	(void)state;
	/* transport version [rcp 9.1]; reserved opcode before it */
	assert_hex_refused(PKT_FRAMING_IB, "1022000300070004 0401ffff0000001280000001 61626364",
			   PKT_REFUSED_TVER);
	assert_hex_refused(PKT_FRAMING_IB, "1022000300070004 1501ffff0000001280000001 61626364",
			   PKT_REFUSED_OPCODE);
	/* no room for a BTH; for the RETH that the opcode asks for */
	assert_hex_refused(PKT_FRAMING_IB, "1022000300050004 0400ffff 00000012", PKT_REFUSED_SHORT);
	assert_hex_refused(PKT_FRAMING_IB, "1022000300070004 0c00ffff0000001280000001 61626364",
			   PKT_REFUSED_SHORT);
	/* pad without payload */
	assert_hex_refused(PKT_FRAMING_IB, "1022000300060004 0410ffff0000001280000001",
			   PKT_REFUSED_PAD);
	/* an acknowledge with payload */
	assert_hex_refused(PKT_FRAMING_IB,
			   "1022000300080004 1100ffff0000001280000001 1f000001 61626364",
			   PKT_REFUSED_PAYLOAD);
	/* not a multiple of four: RoCE's lengths are in bytes */
	assert_hex_refused(PKT_FRAMING_ROCE_V1, "6001234500151b40" GIDS BTH_AND_DATA "65",
			   PKT_REFUSED_LENGTH);
}

/* A path MTU has at most 4096 bytes [rcp 4]. */
static void pkt_decode__payload_up_to_the_largest_mtu(void **state)
{
	uint8_t transport[ROOM] = {PKT_RC_SEND_ONLY}, wire[ROOM];
	struct pkt_view view;
	enum pkt_refusal why;
	size_t n;

	(void)state;
	n = native_packet(wire, transport, PKT_BTH_BYTES + 4096);
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, n, &view, &why), 0);
	assert_int_equal(view.payload_bytes, 4096);
	n = native_packet(wire, transport, PKT_BTH_BYTES + 4100);
	assert_refused(PKT_FRAMING_IB, wire, n, PKT_REFUSED_PAYLOAD);
	transport[1] = 0x30; /* three of them are pad: 4097 */
	n = native_packet(wire, transport, PKT_BTH_BYTES + 4100);
	assert_refused(PKT_FRAMING_IB, wire, n, PKT_REFUSED_PAYLOAD);
}

static void pkt_decode__keeps_pad_and_reserved_bits(void **state)
{
	uint8_t wire[64], again[64];
	struct pkt_view view;
	enum pkt_refusal why;
	size_t n;

	(void)state;
	n = hex_decode("102e 0003 f807 0004 0420ffffff000012ff000001 61626364 12345678", wire,
		       sizeof(wire));
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, n, &view, &why), 0);
	assert_int_equal(view.payload_bytes, 2);
	assert_memory_equal(view.pad, "cd", 2);
	assert_int_equal(view.bth.resv6, 63);
	assert_int_equal(view.icrc, 0x78563412);
	assert_int_equal(pkt_encode(&view, again, sizeof(again)), n);
	assert_memory_equal(again, wire, n);
}

/* Bytes of any content: never a read out of bounds, and what is taken comes back the same. */
static void pkt_decode__mutated_packets_come_back_the_same(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (unsigned int round = 0; round < 40000; round++) {
		const struct vector *v = &vectors[round % VECTORS];
		uint8_t wire[128], again[128];
		size_t bytes = vector_bytes(v, wire, sizeof(wire));
		struct pkt_view view;
		enum pkt_refusal why;
		uint8_t *exact;

		for (unsigned int flips = 1 + round % 3; flips; flips--) {
			random = random * 1664525 + 1013904223;
			wire[(random >> 16) % bytes] ^= (uint8_t)(1u << (random >> 8) % 8);
		}
		bytes -= round % 7 == 0 ? round % bytes : 0;
		exact = malloc(bytes);
		memcpy(exact, wire, bytes);
		if (pkt_decode(v->framing, exact, bytes, &view, &why) == 0) {
			assert_int_equal(why, PKT_ACCEPTED);
			assert_in_range(pkt_encode(&view, again, sizeof(again)), view.bytes,
					view.bytes + 2);
			assert_memory_equal(again, exact, view.bytes);
		} else {
			assert_in_range(why, PKT_ACCEPTED + 1, PKT_REFUSAL_COUNT - 1);
		}
		free(exact);
	}
}

static void pkt_icrc_ok__notices_a_flipped_bit(void **state)
{
	uint8_t wire[128];
	const size_t bytes = vector_bytes(&vectors[3], wire, sizeof(wire));
	struct pkt_view view;
	enum pkt_refusal why;

	(void)state;
	wire[20] ^= 1; /* payload */
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, bytes, &view, &why), 0);
	assert_false(pkt_icrc_ok(&view));
	assert_false(pkt_vcrc_ok(&view));
	/* without a VCRC there is nothing to be wrong */
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, bytes - 2, &view, &why), 0);
	assert_true(pkt_vcrc_ok(&view));
	/* the virtual lane is the link's */
	wire[20] ^= 1;
	wire[0] ^= 0x10;
	assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, bytes, &view, &why), 0);
	assert_true(pkt_icrc_ok(&view));
	assert_false(pkt_vcrc_ok(&view));
}

/* Strip what pkt_complete() and pkt_seal() know, and see whether they bring it back. */
static void pkt_complete__rebuilds_known_packets(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t wire[128], again[128];
		const size_t bytes = vector_bytes(&vectors[i], wire, sizeof(wire));
		struct pkt_view view;
		enum pkt_refusal why;
		int n;

		assert_int_equal(pkt_decode(vectors[i].framing, wire, bytes, &view, &why), 0);
		view.op = NULL;
		view.bytes = 0;
		view.lrh.lnh = view.lrh.lver = 3;
		view.lrh.packet_words = view.grh.payload_bytes = view.ipv4.total_bytes = 0x555;
		view.grh.next_header = view.ipv4.protocol = 3;
		view.ipv4.checksum = view.udp.bytes = view.udp.dst_port = 0x555;
		view.bth.pad_bytes = view.bth.tver = 3;
		memset(view.pad, 0x55, sizeof(view.pad));
		view.icrc = 0;
		pkt_complete(&view);
		assert_ptr_equal(view.op, pkt_op(view.bth.opcode));
		n = pkt_encode(&view, again, sizeof(again));
		assert_int_equal(n, bytes);
		assert_int_equal(view.bytes, bytes - (view.has_vcrc ? 2 : 0));
		assert_int_equal(pkt_seal(view.link, again, view.bytes - 4, view.has_vcrc), bytes);
		assert_memory_equal(again, wire, bytes);
	}
}

static void pkt_complete__pads_every_length(void **state)
{
	static const uint8_t payload[PKT_MAX_PAYLOAD_BYTES] = "payload";

	(void)state;
	for (size_t n = 0; n <= PKT_MAX_PAYLOAD_BYTES; n += n < 9 ? 1 : 511) {
		struct pkt_view view = {
			.link = PKT_LINK_IB_GRH,
			.bth.opcode = PKT_UD_SEND_ONLY_IMM,
			.payload = n ? payload : NULL,
			.payload_bytes = n,
		};
		struct pkt_view back;
		enum pkt_refusal why;
		uint8_t wire[ROOM];

		pkt_complete(&view);
		assert_int_equal(pkt_encode(&view, wire, sizeof(wire)), view.bytes);
		pkt_seal(view.link, wire, view.bytes - 4, false);
		assert_int_equal(pkt_decode(PKT_FRAMING_IB, wire, view.bytes, &back, &why), 0);
		assert_int_equal(back.payload_bytes, n);
		assert_memory_equal(back.payload, payload, n);
		assert_memory_equal(back.pad, "\0\0\0", back.bth.pad_bytes);
		assert_true(pkt_icrc_ok(&back));
	}
}

static void pkt_encode__needs_room_for_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < VECTORS; i++) {
		uint8_t wire[128];
		const size_t bytes = vector_bytes(&vectors[i], wire, sizeof(wire));
		struct pkt_view view;
		enum pkt_refusal why;

		assert_int_equal(pkt_decode(vectors[i].framing, wire, bytes, &view, &why), 0);
		for (size_t room = 0; room < bytes; room++) {
			uint8_t *block = malloc(room + 1);

			assert_int_equal(pkt_encode(&view, block + 1, room), -EMSGSIZE);
			free(block);
		}
	}
}

static void pkt_encode_headers__all_before_the_payload(void **state)
{
	uint8_t wire[128], again[128];
	const size_t bytes = vector_bytes(&vectors[0], wire, sizeof(wire));
	struct pkt_view view;
	enum pkt_refusal why;

	(void)state;
	assert_int_equal(pkt_decode(PKT_FRAMING_ROCE_V2, wire, bytes, &view, &why), 0);
	assert_int_equal(pkt_encode_headers(&view, again, 40), 40);
	assert_memory_equal(again, wire, 40);
	assert_int_equal(pkt_encode_headers(&view, again, 39), -EMSGSIZE);
	assert_int_equal(pkt_encode_transport(&view, again), 12);
	assert_memory_equal(again, wire + 28, 12);
}

static void pkt_encode__refuses_a_reserved_opcode(void **state)
{
	const struct pkt_view view = {.link = PKT_LINK_IB, .bth.opcode = 0x15};
	uint8_t wire[64];

	(void)state;
	assert_int_equal(pkt_encode(&view, wire, sizeof(wire)), -EINVAL);
	assert_int_equal(pkt_encode_headers(&view, wire, sizeof(wire)), -EINVAL);
}

static void pkt_refusal_text__names_each(void **state)
{
	(void)state;
	for (int why = 0; why < PKT_REFUSAL_COUNT; why++)
		assert_true(strlen(pkt_refusal_text((enum pkt_refusal)why)) > 5);
	assert_string_equal(pkt_refusal_text(PKT_REFUSED_ICRC), "ICRC wrong");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pkt_decode__known_packets),
	cmocka_unit_test(pkt_decode__fields_of_a_native_packet),
	cmocka_unit_test(pkt_decode__fields_of_a_datagram_over_ipv6),
	cmocka_unit_test(pkt_decode__padding_of_ethernet_is_not_the_packets),
	cmocka_unit_test(pkt_decode__every_prefix_is_refused),
	cmocka_unit_test(pkt_decode__every_opcode_and_length),
	cmocka_unit_test(pkt_decode__headers_in_the_order_of_the_wire),
	cmocka_unit_test(pkt_decode__refuses_link_headers),
	cmocka_unit_test(pkt_decode__refuses_ip_and_udp_headers),
	cmocka_unit_test(pkt_decode__refuses_an_ip_packet_shorter_than_its_header),
	cmocka_unit_test(pkt_decode__refuses_transport_headers),
	cmocka_unit_test(pkt_decode__payload_up_to_the_largest_mtu),
	cmocka_unit_test(pkt_decode__keeps_pad_and_reserved_bits),
	cmocka_unit_test(pkt_decode__mutated_packets_come_back_the_same),
	cmocka_unit_test(pkt_icrc_ok__notices_a_flipped_bit),
	cmocka_unit_test(pkt_complete__rebuilds_known_packets),
	cmocka_unit_test(pkt_complete__pads_every_length),
	cmocka_unit_test(pkt_encode__needs_room_for_all),
	cmocka_unit_test(pkt_encode_headers__all_before_the_payload),
	cmocka_unit_test(pkt_encode__refuses_a_reserved_opcode),
	cmocka_unit_test(pkt_refusal_text__names_each),
};

int main(void)
{
	return verbena_test_main(tests);
}
