// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Records through shared memory, honest and not. */
#include "wire/shm_ring.h"

#include <string.h>

#include "base/random.h"
#include "common/test.h"

static struct shm_ring *ring;
static struct shm_producer p;
static struct shm_consumer c;

static int start(void **state)
{
	(void)state;
	ring = base_zalloc(sizeof(*ring));
	p = (struct shm_producer){.ring = ring};
	c = (struct shm_consumer){.ring = ring};
	return ring ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	base_free(ring);
	return 0;
}

static bool put(uint32_t bytes, uint8_t value)
{
	uint8_t *to = shm_ring_reserve(&p, bytes);

	if (!to)
		return false;
	memset(to, value, bytes);
	shm_ring_publish(&p, 1u + value);
	return true;
}

static void expect(uint32_t bytes, uint8_t value)
{
	uint32_t kind;
	size_t room;
	const uint8_t *at = shm_ring_peek(&c, &kind, &room);

	assert_non_null(at);
	assert_true(room >= bytes);
	assert_int_equal(kind, 1u + value);
	for (uint32_t i = 0; i < bytes; i++)
		assert_int_equal(at[i], value);
	shm_ring_consume(&c);
}

static void expect_nothing(void)
{
	uint32_t kind;
	size_t room;

	assert_null(shm_ring_peek(&c, &kind, &room));
}

static void shm_ring__any_lengths_in_order(void **state)
{
	uint64_t random = 1, sent = 0, taken = 0;
	static uint32_t bytes[64];

	(void)state;
	assert_true(shm_ring_is_empty(&c));
	while (taken < 3000) {
		const uint32_t n = (uint32_t)base_random_below(&random, 60000);

		if (sent - taken < 64 && base_random_below(&random, 2) && put(n, (uint8_t)sent)) {
			bytes[sent++ % 64] = n;
			assert_false(shm_ring_is_empty(&c));
		} else if (sent != taken) {
			expect(bytes[taken % 64], (uint8_t)taken);
			taken++;
		}
	}
	while (taken != sent) {
		expect(bytes[taken % 64], (uint8_t)taken);
		taken++;
	}
	expect_nothing();
	shm_ring_free(&c);
	assert_int_equal(shm_ring_consumed(&p), p.head);
}

static void shm_ring_reserve__full(void **state)
{
	unsigned int n = 0;

	(void)state;
	while (put(1000, 7))
		n++;
	assert_int_equal(n, SHM_RING_BYTES / 1024 - 1); /* the end needs a place, too */
	expect(1000, 7);
	assert_false(put(1000, 8)); /* not free yet */
	shm_ring_free(&c);
	assert_true(put(1000, 8));
	assert_false(put(1000, 9));
}

static void shm_ring_reserve__uses_little_memory_while_the_consumer_keeps_up(void **state)
{
	uint64_t most = 0;

	(void)state;
	for (unsigned int i = 0; i < 3 * SHM_RING_BYTES / 1024; i++) {
		assert_true(put(1000, 7));
		if (p.head % SHM_RING_BYTES > most)
			most = p.head % SHM_RING_BYTES;
		assert_int_equal(shm_ring_in_flight(&p), 1024);
		expect(1000, 7);
		shm_ring_free(&c);
		assert_int_equal(shm_ring_in_flight(&p), 0);
	}
	assert_int_equal(most, SHM_RING_WARM);
	assert_true(p.head > 3 * SHM_RING_BYTES); /* with what was skipped */
}

/* What was reserved and not published has skipped nothing. */
static void shm_ring_reserve__given_up_behind_a_skip(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < SHM_RING_WARM / 1024; i++) {
		assert_true(put(1000, 7));
		expect(1000, 7);
		shm_ring_free(&c);
	}
	assert_non_null(shm_ring_reserve(&p, 1000));
	assert_int_equal(shm_ring_in_flight(&p), 0);
	assert_true(put(2000, 8));
	assert_int_equal(shm_ring_in_flight(&p), 2048);
	assert_int_equal(p.head, SHM_RING_BYTES + 2048);
	expect(2000, 8);
	shm_ring_free(&c);
	assert_int_equal(shm_ring_in_flight(&p), 0);
}

/* Or it would lead round the ring for ever. */
static void shm_ring_peek__a_skip_of_all_there_is(void **state)
{
	(void)state;
	*(struct shm_record *)(void *)ring->data = (struct shm_record){SHM_RING_BYTES, 0};
	expect_nothing();
	assert_true(c.broken);
}

static void shm_ring_peek__what_is_reserved_only_is_not_there(void **state)
{
	(void)state;
	assert_non_null(shm_ring_reserve(&p, 100));
	expect_nothing();
	shm_ring_publish(&p, 3);
	expect(0, 2);
}

static struct shm_record *record_at(uint64_t position)
{
	return (struct shm_record *)(void *)&ring->data[position % SHM_RING_BYTES];
}

/* What was in the ring a round ago is not taken for a record. */
static void shm_ring_peek__old_content_behind_the_newest(void **state)
{
	(void)state;
	memset(ring->data, 0x40, sizeof(ring->data)); /* a length that is one */
	record_at(0)->bytes = 0;
	for (int i = 0; i < 3000; i++) {
		assert_true(put(900, 0x40));
		expect(900, 0x40);
		expect_nothing();
		assert_false(c.broken);
		shm_ring_free(&c);
	}
}

static void shm_ring_consume__frees_room_before_long(void **state)
{
	(void)state;
	for (int i = 0; i < 3000; i++) {
		assert_true(put(SHM_RECORD_MAX / 2, 1));
		expect(SHM_RECORD_MAX / 2, 1);
	}
}

static void shm_ring_peek__lengths_that_lie(void **state)
{
	static const uint32_t lengths[] = {
		1, 63, 65, SHM_RECORD_MAX + 64, SHM_RING_BYTES, UINT32_MAX - 63};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		c = (struct shm_consumer){.ring = ring};
		*record_at(0) = (struct shm_record){lengths[i], 1};
		expect_nothing();
		assert_true(c.broken);
		*record_at(0) = (struct shm_record){64, 1};
		expect_nothing(); /* once a liar */
		assert_true(shm_ring_is_empty(&c));
	}
}

static void shm_ring_peek__a_record_across_the_end(void **state)
{
	(void)state;
	c.tail = c.freed = SHM_RING_BYTES - 64;
	*record_at(c.tail) = (struct shm_record){128, 1};
	expect_nothing();
	assert_true(c.broken);
}

/* Nobody has us go round: it is skipped to the end, and there is no skipping from its beginning. */
static void shm_ring_peek__skipping_that_lies(void **state)
{
	(void)state;
	*record_at(0) = (struct shm_record){64, 0};
	expect_nothing();
	assert_true(c.broken);
	c = (struct shm_consumer){.ring = ring, .tail = SHM_RING_BYTES - 64};
	*record_at(c.tail) = (struct shm_record){64, 0};
	*record_at(0) = (struct shm_record){SHM_RING_BYTES, 0};
	expect_nothing();
	assert_true(c.broken);
}

static void shm_ring_consumed__a_tail_that_lies(void **state)
{
	(void)state;
	assert_true(put(10, 1));
	ring->tail = UINT64_MAX; /* backward */
	assert_int_equal(shm_ring_consumed(&p), 0);
	ring->tail = p.head + 64; /* beyond */
	assert_int_equal(shm_ring_consumed(&p), 0);
	ring->tail = p.head;
	assert_int_equal(shm_ring_consumed(&p), p.head);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static const struct CMUnitTest tests[] = {
	TEST(shm_ring__any_lengths_in_order),
	TEST(shm_ring_reserve__full),
	TEST(shm_ring_reserve__uses_little_memory_while_the_consumer_keeps_up),
	TEST(shm_ring_reserve__given_up_behind_a_skip),
	TEST(shm_ring_peek__a_skip_of_all_there_is),
	TEST(shm_ring_peek__what_is_reserved_only_is_not_there),
	TEST(shm_ring_peek__old_content_behind_the_newest),
	TEST(shm_ring_consume__frees_room_before_long),
	TEST(shm_ring_peek__lengths_that_lie),
	TEST(shm_ring_peek__a_record_across_the_end),
	TEST(shm_ring_peek__skipping_that_lies),
	TEST(shm_ring_consumed__a_tail_that_lies),
};

int main(void)
{
	return verbena_test_main(tests);
}
