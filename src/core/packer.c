/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tables of struct ib_field say where each member of an unpacked header lies on the wire; these
 * two follow them. Members of more than one byte are big-endian in memory, too, so a member is
 * a number that moves to another bit position; what is wider than 64 bits is bytes.
 */
#include <rdma/ib_pack.h>
#include <string.h>

#include "base/check.h"

static size_t bit_of(const struct ib_field *field)
{
	return (size_t)field->offset_words * 32 + (size_t)field->offset_bits;
}

static uint64_t bytes_to_number(const uint8_t *bytes, size_t count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void number_to_bytes(uint64_t value, uint8_t *bytes, size_t count)
{
	for (size_t i = count; i > 0; i--, value >>= 8)
		bytes[i - 1] = (uint8_t)value;
}

/* Bits are counted from the most significant one of the first byte. */
static void put_bits(uint8_t *buf, size_t bit, size_t bits, uint64_t value)
{
	while (bits) {
		const size_t room = 8 - bit % 8, now = bits < room ? bits : room;
		const size_t shift = room - now;
		const uint8_t mask = (uint8_t)((0xffu >> (8 - now)) << shift);
		const uint8_t part = (uint8_t)(value >> (bits - now) << shift);

		buf[bit / 8] = (uint8_t)((buf[bit / 8] & ~mask) | (part & mask));
		bit += now;
		bits -= now;
	}
}

static uint64_t get_bits(const uint8_t *buf, size_t bit, size_t bits)
{
	uint64_t value = 0;

	while (bits) {
		const size_t room = 8 - bit % 8, now = bits < room ? bits : room;

		value = value << now |
			(((unsigned int)buf[bit / 8] >> (room - now)) & (0xffu >> (8 - now)));
		bit += now;
		bits -= now;
	}
	return value;
}

static bool is_bytes(const struct ib_field *field)
{
	if (field->size_bits <= 64)
		return false;
	INVARIANT(field->offset_bits % 8 == 0 && field->size_bits % 8 == 0);
	return true;
}

void ib_pack(const struct ib_field *desc, int desc_len, void *structure, void *buf)
{
	for (const struct ib_field *field = desc; field < desc + desc_len; field++) {
		const uint8_t *member = (uint8_t *)structure + field->struct_offset_bytes;
		const size_t bytes = (size_t)field->size_bits / 8;

		if (!is_bytes(field))
			put_bits(buf, bit_of(field), (size_t)field->size_bits,
				 bytes_to_number(member, field->struct_size_bytes));
		else if (field->struct_size_bytes)
			memcpy((uint8_t *)buf + bit_of(field) / 8, member, bytes);
		else
			memset((uint8_t *)buf + bit_of(field) / 8, 0, bytes);
	}
}

void ib_unpack(const struct ib_field *desc, int desc_len, void *buf, void *structure)
{
	for (const struct ib_field *field = desc; field < desc + desc_len; field++) {
		uint8_t *member = (uint8_t *)structure + field->struct_offset_bytes;

		if (!field->struct_size_bytes)
			continue;
		if (is_bytes(field))
			memcpy(member, (uint8_t *)buf + bit_of(field) / 8,
			       (size_t)field->size_bits / 8);
		else
			number_to_bytes(get_bits(buf, bit_of(field), (size_t)field->size_bits),
					member, field->struct_size_bytes);
	}
}
