// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Bit fields between a structure and the wire. */
#include <rdma/ib_pack.h>
#include <stddef.h>
#include <string.h>

#include "common/test.h"

struct thing {
	u8 small;
	__be16 word;
	__be32 mid;
	__be64 wide;
	u8 bytes[16];
};

#define FIELD(member, words, bits, size)                                                      \
	{                                                                                     \
		offsetof(struct thing, member), sizeof(((struct thing *)0)->member), (words), \
			(bits), (size), #member                                               \
	}

/* Not on byte borders, one across bytes; wide from the second word on; bytes at the end. */
static const struct ib_field table[] = {
	FIELD(small, 0, 0, 3), FIELD(word, 0, 3, 11),	     FIELD(mid, 0, 14, 18),
	FIELD(wide, 1, 0, 64), {0, 0, 3, 0, 16, "reserved"}, FIELD(bytes, 3, 16, 128),
};

#define FIELDS ((int)(sizeof(table) / sizeof(table[0])))
#define WIRE_BYTES 30

static const u8 wire[WIRE_BYTES] = {
	0xa9, 0x5d, 0x55, 0x55,		       /* 101 01001010111 010101010101010101 */
	1,    2,    3,	  4,	5,  6,	7,  8, /* wide */
	0,    0,			       /* reserved */
	10,   11,   12,	  13,	14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
};

static void fill(struct thing *thing)
{
	memset(thing, 0, sizeof(*thing));
	thing->small = 5;
	thing->word = cpu_to_be16(0x257);
	thing->mid = cpu_to_be32(0x15555);
	thing->wide = cpu_to_be64(0x0102030405060708ull);
	for (u8 i = 0; i < 16; i++)
		thing->bytes[i] = (u8)(10 + i);
}

static void ib_pack__puts_each_field_at_its_bits(void **state)
{
	struct thing thing;
	u8 buf[WIRE_BYTES + 2];

	(void)state;
	fill(&thing);
	memset(buf, 0xee, sizeof(buf));
	ib_pack(table, FIELDS, &thing, buf);
	assert_memory_equal(buf, wire, WIRE_BYTES);
	assert_int_equal(buf[WIRE_BYTES], 0xee);
}

static void ib_pack__leaves_other_bits_alone(void **state)
{
	struct thing thing = {.small = 0xff};
	u8 buf[4] = {0x1f, 0xff, 0x00, 0x55};

	(void)state;
	ib_pack(table, 1, &thing, buf);
	assert_int_equal(buf[0], 0xff);
	thing.small = 0;
	ib_pack(table, 1, &thing, buf);
	assert_int_equal(buf[0], 0x1f);
	assert_int_equal(buf[1], 0xff);
	assert_int_equal(buf[3], 0x55);
}

static void ib_unpack__is_the_inverse(void **state)
{
	struct thing expected, thing;
	u8 buf[WIRE_BYTES];

	(void)state;
	fill(&expected);
	memset(&thing, 0xff, sizeof(thing));
	memcpy(buf, wire, sizeof(buf));
	ib_unpack(table, FIELDS, buf, &thing);
	assert_int_equal(thing.small, expected.small);
	assert_int_equal(thing.word, expected.word);
	assert_int_equal(thing.mid, expected.mid);
	assert_true(thing.wide == expected.wide);
	assert_memory_equal(thing.bytes, expected.bytes, 16);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_pack__puts_each_field_at_its_bits),
	cmocka_unit_test(ib_pack__leaves_other_bits_alone),
	cmocka_unit_test(ib_unpack__is_the_inverse),
};

int main(void)
{
	return verbena_test_main(tests);
}
