// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Components of records: whether they are what was asked, and which values fit a wish. */
#include <rdma/ib_verbs.h>
#include <string.h>

#include "base/check.h"
#include "sm/sa_priv.h"

#define MOST_MTU IB_MTU_4096
#define MOST_VALUE 0x3fu

static u8 bit_of(const u8 *record, u32 at)
{
	return record[at / 8] >> (7 - at % 8) & 1;
}

static bool same_text(const u8 *a, const u8 *b, u32 count)
{
	return !strncmp((const char *)a, (const char *)b, count);
}

static bool same_bits(const u8 *a, const u8 *b, u32 at, u32 bits)
{
	for (u32 i = at; i < at + bits; i++)
		if (bit_of(a, i) != bit_of(b, i))
			return false;
	return true;
}

static bool same(const struct sa_field *f, const u8 *a, const u8 *b)
{
	if (f->text)
		return same_text(a + f->at / 8, b + f->at / 8, f->bits / 8u);
	if (f->at % 8 == 0 && f->bits % 8 == 0)
		return !memcmp(a + f->at / 8, b + f->at / 8, f->bits / 8u);
	return same_bits(a, b, f->at, f->bits);
}

bool sa_matches(const struct sa_field *field, u32 fields, u64 mask, const u8 *a, const u8 *b)
{
	for (u32 i = 0; i < fields && mask >> i; i++)
		if ((mask >> i & 1) && !same(&field[i], a, b))
			return false;
	return true;
}

void sa_copy(const struct sa_field *field, u32 fields, u64 mask, u8 *to, const u8 *from)
{
	for (u32 i = 0; i < fields && mask >> i; i++) {
		if (!(mask >> i & 1))
			continue;
		for (u32 at = field[i].at; at < field[i].at + (u32)field[i].bits; at++) {
			const u8 bit = (u8)(0x80u >> at % 8);

			to[at / 8] = (u8)((to[at / 8] & ~bit) | (from[at / 8] & bit));
		}
	}
}

/* A value without its selector is meant exactly; a selector without a value says little. */
struct sa_wish sa_wish(const struct sa_query *q, enum sa_scale scale, u32 bit, u32 at)
{
	struct sa_wish wish = {.scale = scale, .selector = IB_SA_BEST};

	if (!sa_has(q, bit + 1))
		return wish;
	wish.selector = sa_has(q, bit) ? q->asked[at] >> 6 : (u8)IB_SA_EQ;
	wish.value = SA_VALUE(q->asked[at]);
	return wish;
}

/* By which values are compared; below 1 there is no such value. */
static int rank(enum sa_scale scale, u8 value)
{
	switch (scale) {
	case SA_MTU:
		return value <= MOST_MTU ? value : 0;
	case SA_RATE:
		return ib_rate_to_mbps((enum ib_rate)value);
	case SA_LIFE:
		return value + 1;
	}
	UNREACHABLE("a scale of nothing");
}

/* Whether there is such a MTU, rate, life time. */
static bool is_value(enum sa_scale scale, u8 value)
{
	return rank(scale, value) > 0;
}

u8 sa_lower(enum sa_scale scale, u8 a, u8 b)
{
	return rank(scale, a) < rank(scale, b) ? a : b;
}

bool sa_suits(const struct sa_wish *wish, u8 is)
{
	const int wished = rank(wish->scale, wish->value), have = rank(wish->scale, is);

	switch ((enum ib_sa_selector)wish->selector) {
	case IB_SA_GT:
		return have > wished;
	case IB_SA_LT:
		return have < wished;
	case IB_SA_EQ:
		return have == wished;
	case IB_SA_BEST:
		return true;
	}
	UNREACHABLE("a selector of more than two bits");
}

static bool is_possible(enum sa_scale scale, u8 value, u8 limit)
{
	const int r = rank(scale, value), most = rank(scale, limit);

	return r > 0 && (scale == SA_LIFE ? r >= most : r <= most);
}

/* The best of all that are possible and suit: there are only 64. */
int sa_choose(const struct sa_wish *wish, u8 limit)
{
	int best = -1;

	if (wish->selector != IB_SA_BEST && !is_value(wish->scale, wish->value))
		return -1;
	for (u8 value = 0; value <= MOST_VALUE; value++) {
		if (!is_possible(wish->scale, value, limit) || !sa_suits(wish, value))
			continue;
		if (best < 0 || is_possible(wish->scale, (u8)best, value))
			best = value;
	}
	return best;
}
