// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table of ways: what is found in it, whatever there is. */
#include "fabric/way.h"

#include <errno.h>
#include <string.h>

#include "base/random.h"
#include "common/test.h"

static struct directory_ways ways;

static int start(void **state)
{
	(void)state;
	memset(&ways, 0, sizeof(ways));
	return 0;
}

static uint64_t key_to(uint16_t dlid)
{
	return directory_way_pack(
		&(struct directory_way_key){.slot = 1023, .dlid = dlid, .sl = 15, .pkey = 0xffff});
}

static int put(uint16_t dlid, uint32_t epoch)
{
	const struct directory_way_is is = {.epoch = epoch,
					    .verdict = 3,
					    .mtu = 4,
					    .hops = 5,
					    .port = 6,
					    .slot = 7,
					    .delay_ns = 8};
	const int place = directory_way_place(&ways, key_to(dlid));

	if (place >= 0)
		directory_write_way(&ways, (uint32_t)place, key_to(dlid), &is, NULL);
	return place;
}

/* DLIDs whose ways belong to one place. */
static uint16_t crowd(uint32_t n)
{
	uint16_t dlid = 0;

	do
		while (directory_way_home(key_to(++dlid)) != directory_way_home(key_to(1)))
			;
	while (n--);
	return dlid;
}

static void directory_way_pack__and_back(void **state)
{
	const struct directory_way_key key = directory_way_unpack(key_to(0xbfff));

	(void)state;
	assert_int_equal(key.slot, 1023);
	assert_int_equal(key.dlid, 0xbfff);
	assert_int_equal(key.sl, 15);
	assert_int_equal(key.pkey, 0xffff);
	assert_true(directory_way_pack(&(struct directory_way_key){.slot = 0}) != 0);
}

static void directory_find_way__what_was_written(void **state)
{
	struct directory_way_is is;
	const int place = put(7, 0);

	(void)state;
	assert_true(place >= 0);
	assert_int_equal(directory_find_way(&ways, key_to(8), &is), -ENOENT);
	assert_int_equal(directory_find_way(&ways, key_to(7), &is), place);
	assert_int_equal(is.verdict, 3);
	assert_int_equal(is.mtu, 4);
	assert_int_equal(is.hops, 5);
	assert_int_equal(is.port, 6);
	assert_int_equal(is.slot, 7);
	assert_int_equal(is.delay_ns, 8);
	assert_int_equal(directory_way_at(&ways, (uint32_t)place), key_to(7));
}

static void directory_find_way__not_of_an_epoch_that_is_over(void **state)
{
	struct directory_way_is is;

	(void)state;
	directory_set_way_epoch(&ways, UINT32_MAX);
	assert_true(put(7, UINT32_MAX) >= 0);
	assert_true(put(8, 0) >= 0); /* one later, and not published */
	assert_true(directory_find_way(&ways, key_to(7), &is) >= 0);
	assert_true(directory_find_way(&ways, key_to(8), &is) >= 0);
	directory_set_way_epoch(&ways, 0);
	assert_int_equal(directory_find_way(&ways, key_to(7), &is), -ENOENT);
	assert_true(directory_find_way(&ways, key_to(8), &is) >= 0);
}

static void directory_find_way__not_while_it_is_written(void **state)
{
	struct directory_way_is is;
	const int place = put(7, 0);

	(void)state;
	ways.way[place].sequence |= 1; /* whoever wrote it has died */
	assert_int_equal(directory_find_way(&ways, key_to(7), &is), -ENOENT);
	assert_int_equal(put(7, 0), place);
	assert_int_equal(directory_find_way(&ways, key_to(7), &is), place);
}

static void directory_way_place__until_all_are_taken(void **state)
{
	struct directory_way_is is;

	(void)state;
	for (uint32_t i = 0; i < DIRECTORY_WAY_PROBES; i++)
		assert_true(put(crowd(i), 0) >= 0);
	assert_int_equal(put(crowd(DIRECTORY_WAY_PROBES), 0), -ENOSPC);
	for (uint32_t i = 0; i < DIRECTORY_WAY_PROBES; i++)
		assert_true(directory_find_way(&ways, key_to(crowd(i)), &is) >= 0);
	/* Behind a hole all others are found. */
	is = (struct directory_way_is){.slot = 0};
	directory_write_way(&ways, (uint32_t)directory_way_place(&ways, key_to(crowd(0))), 0, &is,
			    NULL);
	assert_int_equal(directory_find_way(&ways, key_to(crowd(0)), &is), -ENOENT);
	assert_true(directory_find_way(&ways, key_to(crowd(7)), &is) >= 0);
	assert_true(put(crowd(8), 0) >= 0);
}

static void directory_next_way__by_any_pkey(void **state)
{
	struct directory_way_key key = {.slot = 1023, .dlid = 7, .sl = 15};
	struct directory_way_is is;
	const int place = put(7, 0);

	(void)state;
	assert_int_equal(directory_next_way(&ways, &key, 0, &is), place);
	assert_int_equal(directory_next_way(&ways, &key, (uint32_t)place + 1, &is), -ENOENT);
	key.sl = 1;
	assert_int_equal(directory_next_way(&ways, &key, 0, &is), -ENOENT);
}

static void directory_read_name__whatever_it_is(void **state)
{
	struct directory_way more;
	struct directory_way_is is = {.slot = 0};
	char text[SUBNET_DESCRIPTION_BYTES + 1];

	(void)state;
	memset(&more, 'x', sizeof(more));
	((char *)more.name)[1] = '\n';
	directory_write_way(&ways, 5, key_to(7), &is, &more);
	directory_read_name(&ways, 5, text);
	assert_int_equal(strlen(text), SUBNET_DESCRIPTION_BYTES);
	assert_memory_equal(text, "x?xx", 4);
	directory_read_name(&ways, 6, text);
	assert_string_equal(text, "");
	ways.way[5].sequence |= 1;
	directory_read_name(&ways, 5, text);
	assert_string_equal(text, "");
}

static void directory_read_spread__of_the_way_that_was_found(void **state)
{
	uint64_t spread[DIRECTORY_WAY_SPREAD];
	struct directory_way more = {.sequence = 0};
	const struct directory_way_is is = {.slot = 0};

	(void)state;
	more.spread[15] = 1ull << 63;
	directory_write_way(&ways, 5, key_to(0xc000), &is, &more);
	assert_true(directory_read_spread(&ways, 5, key_to(0xc000), spread));
	assert_true(directory_in_spread(spread, 1023));
	assert_false(directory_in_spread(spread, 1022));
	assert_false(directory_in_spread(spread, 1024));
	assert_false(directory_read_spread(&ways, 5, key_to(0xc001), spread));
}

static void scribble(uint64_t seed)
{
	uint64_t *words = (uint64_t *)&ways;

	for (size_t i = 0; i < sizeof(ways) / sizeof(uint64_t); i++)
		words[i] = base_random(&seed);
}

/* What is left makes sense, and what is right stays. */
static void directory_repair_ways__of_any_content(void **state)
{
	struct directory_way_is is;

	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		scribble(seed);
		for (uint32_t dlid = 1; dlid < 50; dlid++)
			(void)directory_find_way(&ways, key_to((uint16_t)dlid), &is);
		directory_repair_ways(&ways);
		for (uint32_t place = 0; place < DIRECTORY_WAYS; place++) {
			const uint64_t key = directory_way_at(&ways, place);

			assert_false(ways.way[place].sequence & 1);
			if (key)
				assert_int_equal(directory_way_place(&ways, key), place);
		}
	}
	memset(&ways, 0, sizeof(ways));
	assert_true(put(7, 0) >= 0);
	directory_repair_ways(&ways);
	assert_true(directory_find_way(&ways, key_to(7), &is) >= 0);
}

#define TEST(name) cmocka_unit_test_setup(name, start)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(directory_way_pack__and_back),
		TEST(directory_find_way__what_was_written),
		TEST(directory_find_way__not_of_an_epoch_that_is_over),
		TEST(directory_find_way__not_while_it_is_written),
		TEST(directory_way_place__until_all_are_taken),
		TEST(directory_next_way__by_any_pkey),
		TEST(directory_read_name__whatever_it_is),
		TEST(directory_read_spread__of_the_way_that_was_found),
		TEST(directory_repair_ways__of_any_content),
	};

	return verbena_test_main(tests);
}
