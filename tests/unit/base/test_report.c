// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What is counted for ports of others. */
#include "base/report.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/thread.h"
#include "common/test.h"

#define THREADS (2 * BASE_REPORT_LANES) /* so that some share a lane */
#define TIMES 5000u
#define SLOT 70u

static struct base_report *report;
static int report_fd;

static int start(void **state)
{
	(void)state;
	report_fd = memfd_create("report", MFD_CLOEXEC);
	if (report_fd < 0 || ftruncate(report_fd, sizeof(*report)))
		return -1;
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED, report_fd, 0);
	return report == MAP_FAILED ? -1 : 0;
}

static int stop(void **state)
{
	(void)state;
	munmap(report, sizeof(*report));
	return close(report_fd);
}

static struct base_traffic placed_at(uint32_t slot)
{
	struct base_traffic sum = {0};

	base_placed_add(report, slot, &sum);
	return sum;
}

static void base_placed_add__to_what_there_is(void **state)
{
	const struct base_placed more = {
		.received_packets = 1, .received_bytes = 2, .sent_packets = 3, .sent_bytes = 4};
	struct base_traffic sum = {.received_packets = 10,
				   .received_bytes = 20,
				   .sent_packets = 30,
				   .sent_bytes = 40,
				   .sent_multicast = 50,
				   .timeouts = 60};
	const struct base_traffic expected = {.received_packets = 12,
					      .received_bytes = 24,
					      .sent_packets = 36,
					      .sent_bytes = 48,
					      .sent_multicast = 50,
					      .timeouts = 60};

	(void)state;
	base_placed_count(report, SLOT, &more);
	base_placed_count(report, SLOT, &more);
	base_placed_add(report, SLOT, &sum);
	assert_memory_equal(&sum, &expected, sizeof(sum));
}

/* Slots that share a word of bits, and the first and the last. */
static void base_placed_count__each_slot_for_itself(void **state)
{
	static const uint32_t slots[] = {0, SLOT, SLOT + 1, BASE_REPORT_SLOTS - 1};

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		base_placed_count(report, slots[i],
				  &(struct base_placed){.received_bytes = 100 + i});
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(placed_at(slots[i]).received_bytes, 100 + i);
	assert_int_equal(placed_at(1).received_bytes, 0);
	assert_int_equal(placed_at(SLOT - 1).received_bytes, 0);
}

static void *count(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < TIMES; i++)
		base_placed_count(report, SLOT,
				  &(struct base_placed){.received_packets = 1,
							.received_bytes = 1000,
							.sent_packets = 2,
							.sent_bytes = 3000});
	return NULL;
}

static void base_placed_count__by_many_threads(void **state)
{
	const uint64_t times = (uint64_t)THREADS * TIMES;
	pthread_t thread[THREADS];
	struct base_traffic sum;

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(base_thread_start(&thread[i], count, NULL), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	sum = placed_at(SLOT);
	assert_int_equal(sum.received_packets, times);
	assert_int_equal(sum.received_bytes, times * 1000);
	assert_int_equal(sum.sent_packets, times * 2);
	assert_int_equal(sum.sent_bytes, times * 3000);
}

static int64_t blocks(void)
{
	struct stat st;

	assert_int_equal(fstat(report_fd, &st), 0);
	return st.st_blocks;
}

/* Reading a page of shared memory makes it: nobody shall need a megabyte to be told of nothing. */
static void base_placed_add__costs_no_memory(void **state)
{
	int64_t before;

	(void)state;
	base_placed_count(report, SLOT, &(struct base_placed){.received_packets = 1});
	before = blocks();
	for (uint32_t slot = 0; slot < BASE_REPORT_SLOTS; slot++)
		assert_int_equal(placed_at(slot).received_packets, slot == SLOT);
	assert_int_equal(blocks(), before);
}

static void base_way_count__each_way_for_itself(void **state)
{
	struct base_way_sum sum;

	(void)state;
	assert_int_equal(base_way_next(report, 0), BASE_REPORT_WAYS);
	base_way_count(report, 5, 2, 30);
	base_way_count(report, 5, 1, 10);
	base_way_count(report, BASE_REPORT_WAYS - 1, 7, 70);
	base_way_lost(report, 5, 3, 33);
	base_way_too_long(report, 64, 2, 4, 44);
	base_way_too_long(report, 64, 5, 5, 55);
	assert_int_equal(base_way_next(report, 0), 5);
	assert_int_equal(base_way_next(report, 5), 5);
	assert_int_equal(base_way_next(report, 6), 64);
	assert_int_equal(base_way_next(report, 65), BASE_REPORT_WAYS - 1);
	assert_int_equal(base_way_next(report, BASE_REPORT_WAYS), BASE_REPORT_WAYS);
	base_way_read(report, 5, &sum);
	assert_int_equal(sum.gone.packets, 3);
	assert_int_equal(sum.gone.words, 40);
	assert_int_equal(sum.lost.packets, 3);
	assert_int_equal(sum.lost.words, 33);
	base_way_read(report, 64, &sum);
	assert_int_equal(sum.gone.packets, 0);
	assert_int_equal(sum.too_long[0].packets, 4);
	assert_int_equal(sum.too_long[3].words, 55);
	base_way_too_long(report, 64, 255, 1, 1); /* whatever it is, it does no harm */
	base_way_too_long(report, 64, 0, 1, 1);
}

static void *count_way(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < TIMES; i++)
		base_way_count(report, 9, 1, 20);
	return NULL;
}

static void base_way_count__by_many_threads(void **state)
{
	const uint64_t times = (uint64_t)THREADS * TIMES;
	pthread_t thread[THREADS];
	struct base_way_sum sum;

	(void)state;
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(base_thread_start(&thread[i], count_way, NULL), 0);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	base_way_read(report, 9, &sum);
	assert_int_equal(sum.gone.packets, times);
	assert_int_equal(sum.gone.words, times * 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static const struct CMUnitTest tests[] = {
	TEST(base_placed_add__to_what_there_is),   TEST(base_placed_count__each_slot_for_itself),
	TEST(base_placed_count__by_many_threads),  TEST(base_placed_add__costs_no_memory),
	TEST(base_way_count__each_way_for_itself), TEST(base_way_count__by_many_threads),
};

int main(void)
{
	return verbena_test_main(tests);
}
