/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The opcode table against the specification's own arrangement: one row per operation, a column per
 * service, and the order of headers in words [rcp 2].
 */
#include "common/test.h"

#include <stdio.h>
#include <string.h>

#include "packet/opcode.h"

#define RC 0x00
#define UC 0x20
#define RD 0x40
#define UD 0x60
#define XRC 0xa0

/* Which services have the operation: bits of opcode >> 5. */
#define IN(service) (1u << ((service) >> 5))
#define RELIABLE (IN(RC) | IN(RD) | IN(XRC))
#define CONNECTED (RELIABLE | IN(UC))
#define ALL (CONNECTED | IN(UD))

struct operation {
	uint8_t op;
	unsigned int services;
	enum pkt_pos pos;
	enum pkt_kind kind;
	enum pkt_side side;
	bool takes_rwqe;
	const char *headers; /* of RC and UC */
};

static const struct operation operations[] = {
	{0x00, CONNECTED, PKT_FIRST, PKT_KIND_SEND, PKT_REQUEST, true, "payload"},
	{0x01, CONNECTED, PKT_MIDDLE, PKT_KIND_SEND, PKT_REQUEST, false, "payload"},
	{0x02, CONNECTED, PKT_LAST, PKT_KIND_SEND, PKT_REQUEST, false, "payload"},
	{0x03, CONNECTED, PKT_LAST, PKT_KIND_SEND, PKT_REQUEST, false, "ImmDt payload"},
	{0x04, ALL, PKT_ONLY, PKT_KIND_SEND, PKT_REQUEST, true, "payload"},
	{0x05, ALL, PKT_ONLY, PKT_KIND_SEND, PKT_REQUEST, true, "ImmDt payload"},
	{0x06, CONNECTED, PKT_FIRST, PKT_KIND_WRITE, PKT_REQUEST, false, "RETH payload"},
	{0x07, CONNECTED, PKT_MIDDLE, PKT_KIND_WRITE, PKT_REQUEST, false, "payload"},
	{0x08, CONNECTED, PKT_LAST, PKT_KIND_WRITE, PKT_REQUEST, false, "payload"},
	{0x09, CONNECTED, PKT_LAST, PKT_KIND_WRITE, PKT_REQUEST, true, "ImmDt payload"},
	{0x0a, CONNECTED, PKT_ONLY, PKT_KIND_WRITE, PKT_REQUEST, false, "RETH payload"},
	{0x0b, CONNECTED, PKT_ONLY, PKT_KIND_WRITE, PKT_REQUEST, true, "RETH ImmDt payload"},
	{0x0c, RELIABLE, PKT_ONLY, PKT_KIND_READ_REQ, PKT_REQUEST, false, "RETH"},
	{0x0d, RELIABLE, PKT_FIRST, PKT_KIND_READ_RESP, PKT_RESPONSE, false, "AETH payload"},
	{0x0e, RELIABLE, PKT_MIDDLE, PKT_KIND_READ_RESP, PKT_RESPONSE, false, "payload"},
	{0x0f, RELIABLE, PKT_LAST, PKT_KIND_READ_RESP, PKT_RESPONSE, false, "AETH payload"},
	{0x10, RELIABLE, PKT_ONLY, PKT_KIND_READ_RESP, PKT_RESPONSE, false, "AETH payload"},
	{0x11, RELIABLE, PKT_ONLY, PKT_KIND_ACK, PKT_RESPONSE, false, "AETH"},
	{0x12, RELIABLE, PKT_ONLY, PKT_KIND_ATOMIC_ACK, PKT_RESPONSE, false, "AETH AtomicAckETH"},
	{0x13, RELIABLE, PKT_ONLY, PKT_KIND_COMPARE_SWAP, PKT_REQUEST, false, "AtomicETH"},
	{0x14, RELIABLE, PKT_ONLY, PKT_KIND_FETCH_ADD, PKT_REQUEST, false, "AtomicETH"},
	{0x15, IN(RD), PKT_ONLY, PKT_KIND_RESYNC, PKT_REQUEST, false, ""},
	{0x16, IN(RC) | IN(XRC), PKT_LAST, PKT_KIND_SEND, PKT_REQUEST, false, "IETH payload"},
	{0x17, IN(RC) | IN(XRC), PKT_ONLY, PKT_KIND_SEND, PKT_REQUEST, true, "IETH payload"},
	{0x1c, IN(RC) | IN(RD), PKT_ONLY, PKT_KIND_FLUSH, PKT_REQUEST, false, "FETH RETH"},
	{0x1d, IN(RC), PKT_ONLY, PKT_KIND_ATOMIC_WRITE, PKT_REQUEST, false, "RETH payload"},
};

static const struct {
	const char *name;
	unsigned int flag;
	size_t bytes;
} headers[] = {
	{"XRCETH ", PKT_XRCETH, 4}, {"RDETH ", PKT_RDETH, 4},
	{"DETH ", PKT_DETH, 8},	    {"FETH ", PKT_FETH, 4},
	{"RETH ", PKT_RETH, 16},    {"AtomicETH ", PKT_ATOMICETH, 28},
	{"AETH ", PKT_AETH, 4},	    {"AtomicAckETH ", PKT_ATOMICACKETH, 8},
	{"ImmDt ", PKT_IMMDT, 4},   {"IETH ", PKT_IETH, 4},
	{"payload ", PKT_DATA, 0},
};

/* Headers that a service puts first. */
static unsigned int service_headers(unsigned int service, enum pkt_side side)
{
	switch (service) {
	case RD:
		return side == PKT_REQUEST ? PKT_RDETH | PKT_DETH : PKT_RDETH;
	case UD:
		return PKT_DETH;
	case XRC:
		return side == PKT_REQUEST ? PKT_XRCETH : 0;
	default:
		return 0;
	}
}

static unsigned int parse_headers(const char *words)
{
	char padded[64];
	unsigned int flags = 0;
	const char *at = padded;

	snprintf(padded, sizeof(padded), "%s%s", words, *words ? " " : "");
	while (*at) {
		const char *end = strchr(at, ' ') + 1;
		const unsigned int before = flags;

		for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
			if (strncmp(at, headers[i].name, (size_t)(end - at)) == 0)
				flags |= headers[i].flag;
		assert_int_not_equal(flags, before);
		at = end;
	}
	return flags;
}

static size_t bytes_of(unsigned int flags)
{
	size_t bytes = 12;

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (flags & headers[i].flag)
			bytes += headers[i].bytes;
	return bytes;
}

static void check_row(const struct operation *o, unsigned int service)
{
	const uint8_t opcode = (uint8_t)(service | o->op);
	const struct pkt_opcode *row = pkt_op(opcode);
	const unsigned int flags = service_headers(service, o->side) | parse_headers(o->headers);

	assert_non_null(row->name);
	assert_int_equal(row->service, service >> 5);
	assert_int_equal(row->pos, o->pos);
	assert_int_equal(row->kind, o->kind);
	assert_int_equal(row->side, o->side);
	assert_int_equal(row->takes_rwqe, o->takes_rwqe);
	assert_int_equal(row->headers, flags);
	assert_int_equal(row->header_bytes, bytes_of(flags));
	assert_int_equal(pkt_header_bytes(opcode), bytes_of(flags));
	assert_in_range(row->header_bytes, PKT_BTH_BYTES, PKT_MAX_HEADER_BYTES);
}

static void pkt_opcodes__every_operation_of_every_service(void **state)
{
	bool seen[256] = {[PKT_CNP] = true};

	(void)state;
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		for (unsigned int service = RC; service <= XRC; service += 0x20)
			if (operations[i].services & IN(service)) {
				check_row(&operations[i], service);
				seen[service | operations[i].op] = true;
			}
	for (unsigned int opcode = 0; opcode < 256; opcode++)
		assert_int_equal(pkt_op((uint8_t)opcode)->kind != PKT_KIND_RESERVED, seen[opcode]);
}

static void pkt_opcodes__congestion_notification(void **state)
{
	const struct pkt_opcode *row = pkt_op(0x81);

	(void)state;
	assert_int_equal(row->service, PKT_SERVICE_CNP);
	assert_int_equal(row->kind, PKT_KIND_CNP);
	assert_int_equal(row->side, PKT_NOTICE);
	assert_int_equal(row->headers, PKT_DATA);
	assert_int_equal(row->header_bytes, 12);
}

static void pkt_opcodes__supported_are_rc_uc_ud_of_linux_6_1_and_one_more(void **state)
{
	(void)state;
	for (unsigned int opcode = 0; opcode < 256; opcode++) {
		const struct pkt_opcode *row = pkt_op((uint8_t)opcode);
		const unsigned int service = opcode & 0xe0, op = opcode & 0x1f;

		assert_int_equal(row->supported,
				 row->kind != PKT_KIND_RESERVED &&
					 (service == RC || service == UC || service == UD) &&
					 (op < 0x1c || opcode == PKT_RC_FLUSH ||
					  opcode == PKT_RC_ATOMIC_WRITE));
	}
}

static void pkt_opcodes__enumerators_are_the_numbers(void **state)
{
	(void)state;
	assert_int_equal(PKT_RC_SEND_FIRST, 0x00);
	assert_int_equal(PKT_RC_ACKNOWLEDGE, 0x11);
	assert_int_equal(PKT_RC_SEND_ONLY_INV, 0x17);
	assert_int_equal(PKT_UC_WRITE_ONLY_IMM, 0x2b);
	assert_int_equal(PKT_RD_RESYNC, 0x55);
	assert_int_equal(PKT_UD_SEND_ONLY_IMM, 0x65);
	assert_int_equal(PKT_CNP, 0x81);
	assert_int_equal(PKT_XRC_FETCH_ADD, 0xb4);
}

static void pkt_opcode_name__of_known_and_reserved(void **state)
{
	(void)state;
	assert_string_equal(pkt_opcode_name(0x00), "RC_SEND_FIRST");
	assert_string_equal(pkt_opcode_name(0x1d), "RC_ATOMIC_WRITE");
	assert_string_equal(pkt_opcode_name(0x65), "UD_SEND_ONLY_IMM");
	assert_string_equal(pkt_opcode_name(0x15), "reserved");
	assert_string_equal(pkt_opcode_name(0xff), "reserved");
	assert_int_equal(pkt_header_bytes(0xff), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pkt_opcodes__every_operation_of_every_service),
	cmocka_unit_test(pkt_opcodes__congestion_notification),
	cmocka_unit_test(pkt_opcodes__supported_are_rc_uc_ud_of_linux_6_1_and_one_more),
	cmocka_unit_test(pkt_opcodes__enumerators_are_the_numbers),
	cmocka_unit_test(pkt_opcode_name__of_known_and_reserved),
};

int main(void)
{
	return verbena_test_main(tests);
}
