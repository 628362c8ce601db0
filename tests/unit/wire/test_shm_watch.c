// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Who waits for a process that takes nothing is told so, once, and once more when it goes on. */
#include "wire/shm_watch.c"

#include <stdio.h>

#include "shm_fixture.h"

#define MS 1000000u

static struct base_cause told;
static unsigned int times;

static void listen(const struct base_cause *cause)
{
	told = *cause;
	times++;
}

static int start_listening(void **state)
{
	times = 0;
	base_cause_listen(listen);
	return start(state);
}

static int stop_listening(void **state)
{
	base_cause_listen(NULL);
	return stop(state);
}

/* The sender's engine goes to sleep, wakes up after @ms, and looks again. */
static uint64_t sleep_for(unsigned int ms)
{
	uint64_t most_ns;

	stations[0].now_ns += (uint64_t)ms * MS;
	most_ns = wire_shm_sleep(stations[0].wire);
	wire_shm_awake(stations[0].wire);
	return most_ns;
}

static uint64_t sleep_long(unsigned int seconds)
{
	uint64_t most_ns = 0;

	for (unsigned int i = 0; i < seconds; i++)
		most_ns = sleep_for(1000);
	return most_ns;
}

static void is_told(enum base_cause_id id, uint32_t ms)
{
	char text[BASE_CAUSE_TEXT_BYTES], expected[BASE_CAUSE_TEXT_BYTES];

	assert_int_equal(told.id, id);
	snprintf(expected, sizeof(expected),
		 id == BASE_CAUSE_PEER_STALLED
			 ? "QP 0x1: pid %d on host host has taken nothing for %u ms, "
			 : "QP 0x1: pid %d on host host goes on, after %u ms.",
		 getpid(), ms);
	base_cause_format(&told, text, sizeof(text));
	if (strncmp(text, expected, strlen(expected)) != 0)
		fail_msg("'%s' instead of '%s'", text, expected);
}

static void answer(void)
{
	while (wire_shm_progress(stations[1].wire, 64))
		;
	wire_shm_progress(stations[0].wire, 64);
}

static void shm_watch__a_run_that_is_not_taken(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	meet();
	assert_int_equal(sleep_long(10), SHM_WATCH_NS); /* nobody waits */
	assert_int_equal(send_run(&run, &sender_a), 1);
	(void)sleep_for(0);
	(void)sleep_for(1000);
	(void)sleep_for(1000);
	(void)sleep_for(999);
	assert_int_equal(times, 0);
	(void)sleep_for(1);
	assert_int_equal(times, 1);
	is_told(BASE_CAUSE_PEER_STALLED, 3000);
	assert_int_equal(send_run(&run, &sender_a), 1);
	(void)sleep_long(10);
	assert_int_equal(times, 1); /* once */
	answer();
	(void)sleep_for(5);
	assert_int_equal(times, 2);
	is_told(BASE_CAUSE_PEER_GOES_ON, 13005);
	(void)sleep_long(10);
	assert_int_equal(times, 2);
	assert_int_equal(send_run(&run, &sender_a), 1);
	(void)sleep_long(4);
	assert_int_equal(times, 3); /* the next time is another one */
	is_told(BASE_CAUSE_PEER_STALLED, 3000);
}

/* It looks when it is time, not a second later. */
static void shm_watch__looks_again_in_time(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	meet();
	assert_int_equal(send_run(&run, &sender_a), 1);
	(void)sleep_long(3);
	assert_int_equal(sleep_for(400), 600u * MS);
	assert_int_equal(times, 0);
	(void)sleep_for(600);
	assert_int_equal(times, 1);
}

/* Slow is not stopped: it takes one now and then. */
static void shm_watch__who_moves_is_not_stopped(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	meet();
	for (int i = 0; i < 10; i++)
		assert_int_equal(send_run(&run, &sender_a), 1);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(wire_shm_progress(stations[1].wire, 1), 1);
		(void)sleep_long(2);
	}
	assert_int_equal(times, 0);
	(void)sleep_long(2);
	assert_int_equal(times, 1);
}

/* All was taken, and it was stopped before it had answered. */
static void shm_watch__taken_but_not_answered(void **state)
{
	const struct shm_record *record;
	struct tp_run run = make_run(&stations[1], 7, 10);
	struct shm_ring *ring;

	(void)state;
	meet();
	ring = &pair->ring[stations[0].id < stations[1].id ? 0 : 1];
	record = (const struct shm_record *)(void *)ring->data;
	assert_int_equal(send_run(&run, &sender_a), 1);
	ring->tail = record->bytes;
	(void)sleep_long(4);
	assert_int_equal(times, 1);
	is_told(BASE_CAUSE_PEER_STALLED, 3000);
	ring->answered = record->bytes;
	(void)sleep_for(0);
	is_told(BASE_CAUSE_PEER_GOES_ON, 3000);
}

/* Datagrams wait for no answer, but for room they do. */
static void shm_watch__a_full_ring(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 1000);

	(void)state;
	meet();
	run.first_opcode = run.last_opcode = PKT_UD_SEND_ONLY;
	while (send_run(&run, NULL) == 1)
		kick();
	(void)sleep_long(4);
	assert_int_equal(times, 1);
	assert_int_equal(told.id, BASE_CAUSE_PEER_STALLED);
	assert_int_equal(told.qpn, 0); /* of nobody in particular */
	answer();
	(void)sleep_for(0);
	assert_int_equal(times, 2);
	assert_int_equal(told.id, BASE_CAUSE_PEER_GOES_ON);
}

/* We were stopped, too: how long the other one has been cannot be known. */
static void shm_watch__who_was_stopped_itself_accuses_nobody(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	meet();
	assert_int_equal(send_run(&run, &sender_a), 1);
	(void)sleep_for(0);
	(void)sleep_for(60000);
	assert_int_equal(times, 0);
	(void)sleep_long(2);
	assert_int_equal(times, 0);
	(void)sleep_long(1);
	assert_int_equal(times, 1);
	is_told(BASE_CAUSE_PEER_STALLED, 3000);
}

/* What it says of itself is its own affair. */
static void shm_watch__nonsense_in_the_ring(void **state)
{
	const uint32_t out = stations[0].id < stations[1].id ? 0 : 1;

	(void)state;
	meet();
	pair->ring[out].tail = UINT64_MAX;
	pair->ring[out].answered = 12345;
	(void)sleep_long(4);
	assert_int_equal(times, 1);
	assert_int_equal(told.id, BASE_CAUSE_PEER_STALLED);
	assert_int_equal(told.qpn, 0);
}

static void shm_watch__nobody_else(void **state)
{
	struct tp_run run = make_run(&stations[0], 7, 10);

	(void)state;
	assert_int_equal(send_run(&run, &sender_a), 1);
	assert_int_equal(shm_watch(stations[0].wire), UINT64_MAX);
	(void)sleep_long(10);
	assert_int_equal(times, 0);
	answer();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_listening, stop_listening)

static const struct CMUnitTest tests[] = {
	TEST(shm_watch__a_run_that_is_not_taken),
	TEST(shm_watch__looks_again_in_time),
	TEST(shm_watch__who_moves_is_not_stopped),
	TEST(shm_watch__taken_but_not_answered),
	TEST(shm_watch__a_full_ring),
	TEST(shm_watch__who_was_stopped_itself_accuses_nobody),
	TEST(shm_watch__nonsense_in_the_ring),
	TEST(shm_watch__nobody_else),
};

int main(void)
{
	return verbena_test_main(tests);
}
