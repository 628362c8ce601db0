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
	assert_int_equal(shm_ring_consumed(&p), p.head);
}

static void shm_ring_reserve__full(void **state)
{
	unsigned int n = 0;

	(void)state;
	while (put(1000, 7))
		n++;
	assert_int_equal(n, SHM_RING_BYTES / 1024);
	expect(1000, 7);
	assert_true(put(1000, 8));
	assert_false(put(1000, 9));
}

static void shm_ring_peek__what_is_reserved_only_is_not_there(void **state)
{
	(void)state;
	assert_non_null(shm_ring_reserve(&p, 100));
	expect_nothing();
	shm_ring_publish(&p, 3);
	expect(0, 2);
}

static void shm_ring_peek__a_head_beyond_the_ring(void **state)
{
	(void)state;
	ring->head = SHM_RING_BYTES + 64;
	expect_nothing();
	assert_true(c.broken);
	ring->head = 64;
	expect_nothing();
}

static void shm_ring_peek__a_length_beyond_what_there_is(void **state)
{
	static const uint32_t lengths[] = {0, 1, 63, 128, SHM_RING_BYTES, UINT32_MAX - 63};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct shm_record *record = (struct shm_record *)(void *)ring->data;

		c = (struct shm_consumer){.ring = ring};
		*record = (struct shm_record){lengths[i], 1};
		ring->head = 64;
		expect_nothing();
		assert_true(c.broken);
	}
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
	TEST(shm_ring_peek__what_is_reserved_only_is_not_there),
	TEST(shm_ring_peek__a_head_beyond_the_ring),
	TEST(shm_ring_peek__a_length_beyond_what_there_is),
	TEST(shm_ring_consumed__a_tail_that_lies),
};

int main(void)
{
	return verbena_test_main(tests);
}
