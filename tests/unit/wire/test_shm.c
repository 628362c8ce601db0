// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* How two processes' wires meet, carry runs and part: shm_fixture.h has them. */
#include <pthread.h>

#include "shm_fixture.h"

static void send__asks_to_be_introduced_once(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 10);

	(void)state;
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	assert_int_equal(stations[0].asked, 1);
	assert_int_equal(stations[0].asked_for, stations[1].id);
	meet();
	assert_int_equal(stations[0].ready, 1);
	assert_int_equal(send_run(&run, &sender_a), 1);
}

static void send__small_payload_is_copied(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 1000);

	(void)state;
	meet();
	assert_int_equal(send_run(&run, &sender_a), 1);
	data[999]++; /* too late */
	kick();
	assert_int_equal(stations[0].sent, 0); /* of RC: not taken yet */
	assert_int_equal(wire_shm_progress(stations[1].wire, 64), 1);
	assert_int_equal(stations[1].heard, 1);
	assert_int_equal(stations[1].last_psn, 7);
	assert_int_equal(stations[1].last_byte, (uint8_t)(data[999] - 1));
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].sent, 1);
}

static void send__large_payload_is_pulled(void **state)
{
	const uint32_t bytes[] = {50000, SHM_PULL_MOST};
	struct wire_shm_stats stats;

	(void)state;
	meet();
	for (uint32_t i = 0; i < 2; i++) {
		struct tp_run run = make_run(&stations[1], 7, bytes[i]);

		assert_int_equal(send_run(&run, &sender_a), (bytes[i] + 1023) / 1024);
		assert_int_equal(wire_shm_progress(stations[1].wire, 64), 1);
		assert_int_equal(stations[1].copy_result, 0);
		assert_memory_equal(got, data, bytes[i]);
		memset(got, 0, bytes[i]);
		wire_shm_stats(stations[1].wire, &stats);
		assert_int_equal(stats.pulled, i);
	}
}

static void send__a_prefix_where_nothing_can_be_pulled(void **state)
{
	static uint8_t more[400 * 1024];
	struct iovec iov = {more, sizeof(more)};
	struct tp_run run = make_run(&stations[1], 7, 1);
	int taken;

	(void)state;
	meet();
	run.packets = 400;
	run.first_opcode = PKT_RC_WRITE_FIRST;
	run.last_opcode = PKT_RC_WRITE_LAST;
	run.payload = (struct tp_payload){.iov = &iov, .count = 1, .bytes = sizeof(more)};
	pair->ring[stations[0].id < stations[1].id ? 0 : 1].can_pull = 0;
	taken = send_run(&run, &sender_a);
	assert_true(taken > 100 && taken < 400);
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(stations[1].packets, taken);
}

/* In another PID namespace, a pid is somebody else's. */
static bool can_pull(void)
{
	return pair->ring[stations[0].id < stations[1].id ? 1 : 0].can_pull;
}

static void meet__memory_of_the_process_is_read(void **state)
{
	(void)state;
	meet();
	assert_true(can_pull());
}

static void meet__memory_of_another_process_is_not_read(void **state)
{
	(void)state;
	lies = 1;
	meet();
	lies = 0;
	assert_false(can_pull());
}

static void send__full_then_ready(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 1000);
	unsigned int n = 0, ready;
	uint64_t woken;

	(void)state;
	meet();
	while (send_run(&run, &sender_a) == 1)
		n++;
	assert_true(n >= 500);
	ready = stations[0].ready;
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].ready, ready);
	shown[0]->sleeping = SHM_SLEEPS;
	while (wire_shm_progress(stations[1].wire, 64))
		;
	assert_int_equal(stations[1].heard, n);
	/* The consumer has seen that we sleep until there is room. */
	assert_int_equal(read(wake_fds[0], &woken, sizeof(woken)), sizeof(woken));
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].ready, ready + 1);
	assert_int_equal(stations[0].sent, n);
	assert_int_equal(send_run(&run, &sender_a), 1);
}

/* Large payload stays in the caches: little of it is on its way, and its sender need not be woken. */
static void send__large_payload_waits_for_what_is_on_its_way(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 65536);
	unsigned int n = 0, ready;
	uint64_t woken;

	(void)state;
	meet();
	while (send_run(&run, &sender_a) == 64)
		n++;
	assert_true(n >= 2 && n * 65536 <= SHM_RING_WARM);
	ready = stations[0].ready;
	assert_int_equal(wire_shm_progress(stations[1].wire, 1), 1);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].ready, ready);
	assert_int_equal(wire_shm_progress(stations[1].wire, 64), n - 1);
	assert_int_equal(read(wake_fds[0], &woken, sizeof(woken)), -1); /* it is awake */
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].ready, ready + 1);
	assert_int_equal(send_run(&run, &sender_a), 64);
}

/* More than the ring holds is taken before its answers are looked at. */
static void send__held_for_longer_than_the_ring(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 8000);
	const unsigned int count = 2 * SHM_RING_BYTES / 8000;

	(void)state;
	meet();
	for (unsigned int i = 0; i < count; i++) {
		assert_int_equal(send_run(&run, &sender_a), 8);
		assert_int_equal(wire_shm_progress(stations[1].wire, 64), 1);
	}
	assert_int_equal(stations[0].sent, 0);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].sent, 8 * count);
}

static void send__to_ourselves(void **state)
{
	struct tp_run run = make_run(&stations[0], 9, 20000);

	(void)state;
	assert_int_equal(send_run(&run, &sender_a), 20);
	assert_int_equal(stations[0].heard, 0);
	kick();
	assert_int_equal(stations[0].heard, 1);
	assert_memory_equal(got, data, 20000);
}

static void send__nobody_has_the_number(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);
	struct wire_shm_stats stats;

	(void)state;
	run.dest_qpn = 0x700000;
	assert_int_equal(send_run(&run, &sender_a), -ENOENT);
	run = make_run(&stations[1], 7, 10);
	run.path.dlid = 0x99;
	assert_int_equal(send_run(&run, &sender_a), -EHOSTUNREACH);
	wire_shm_stats(stations[0].wire, &stats);
	assert_int_equal(stats.dropped, 2);
}

static void send__datagrams_to_a_group(void **state)
{
	const uint8_t gid[16] = {0xff, 0x12, 0x40, 0x1b};
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	meet();
	run.first_opcode = run.last_opcode = PKT_UD_SEND_ONLY;
	run.path.dlid = 0xc001;
	run.path.has_grh = true;
	memcpy(run.path.dgid, gid, sizeof(gid));
	assert_int_equal(directory_join(dir, stations[0].id, gid), 0);
	assert_int_equal(directory_join(dir, stations[1].id, gid), 0);
	assert_int_equal(send_run(&run, &sender_a), 1);
	kick();
	assert_int_equal(stations[0].sent, 1);	/* its payload has been copied */
	assert_int_equal(stations[0].heard, 0); /* not by the port that sent it */
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(stations[1].heard, 1);
}

static void quiesce__takes_payload_back(void **state)
{
	struct tp_run big = make_run(&stations[1], 7, 200000),
		      small = make_run(&stations[1], 8, 10);

	(void)state;
	meet();
	assert_int_equal(send_run(&big, &sender_a), 196);
	assert_int_equal(send_run(&small, &sender_a), 1);
	assert_int_equal(send_run(&small, &sender_b), 1);
	stations[0].port.ops->quiesce(&stations[0].port, &sender_a);
	wire_shm_progress(stations[1].wire, 64);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[1].heard, 2); /* but not the big one */
	assert_int_equal(stations[0].sent, 1);	/* of sender_b only */
}

static void *take_the_first(void *arg)
{
	(void)arg;
	wire_shm_progress(stations[1].wire, 64);
	return NULL;
}

/* Nobody in this process hears of it. */
static void quiesce__until_the_payload_has_been_read(void **state)
{
	struct tp_run big = make_run(&stations[1], 7, 200000);
	struct shm_run *record;
	pthread_t reader;

	(void)state;
	meet();
	assert_int_equal(send_run(&big, &sender_a), 196);
	record = stations[0].wire->peers[stations[1].id]->held.entry[0].record;
	record->state = SHM_RUN_TAKEN;
	assert_int_equal(pthread_create(&reader, NULL, take_the_first, NULL), 0);
	stations[0].port.ops->quiesce(&stations[0].port, &sender_a);
	assert_int_equal(wire_shm_progress(stations[1].wire, 64), 0); /* it is consumed */
	assert_int_equal(pthread_join(reader, NULL), 0);
}

static void *drop_the_reader(void *arg)
{
	(void)arg;
	directory_remove_process(dir, stations[1].id);
	wire_shm_drop_peer(stations[0].wire, stations[1].id);
	return NULL;
}

static void quiesce__until_who_reads_is_dead(void **state)
{
	struct tp_run big = make_run(&stations[1], 7, 200000);
	pthread_t daemon;

	(void)state;
	meet();
	assert_int_equal(send_run(&big, &sender_a), 196);
	stations[0].wire->peers[stations[1].id]->held.entry[0].record->state = SHM_RUN_TAKEN;
	assert_int_equal(pthread_create(&daemon, NULL, drop_the_reader, NULL), 0);
	stations[0].port.ops->quiesce(&stations[0].port, &sender_a);
	assert_int_equal(stations[0].sent, 196); /* told before, for the sender may go now */
	assert_int_equal(pthread_join(daemon, NULL), 0);
	assert_int_equal(send_run(&big, &sender_a), -ENOENT);
}

static void drop_peer__delivers_what_it_had_sent(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	meet();
	assert_int_equal(send_run(&run, &sender_a), 1);
	directory_remove_process(dir, stations[0].id);
	wire_shm_drop_peer(stations[1].wire, stations[0].id);
	assert_int_equal(stations[1].heard, 1);
	/* Towards the dead everything is lost, and what was held is given back. */
	directory_remove_process(dir, stations[1].id);
	assert_int_equal(send_run(&run, &sender_a), -ENOENT);
	wire_shm_drop_peer(stations[0].wire, stations[1].id);
	assert_int_equal(stations[0].sent, 1);
}

/* It died before we were introduced. */
static void drop_peer__that_was_only_asked_for(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 10);
	unsigned int ready;

	(void)state;
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	ready = stations[0].ready;
	directory_remove_process(dir, stations[1].id);
	wire_shm_drop_peer(stations[0].wire, stations[1].id);
	assert_int_equal(stations[0].ready, ready + 1);
	assert_int_equal(send_run(&run, &sender_a), -ENOENT);
}

static void detach__what_is_sent_is_lost(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 10);

	(void)state;
	meet();
	wire_shm_detach(stations[0].wire, stations[0].slot);
	assert_int_equal(send_run(&run, &sender_a), -ENETDOWN);
}

/* Whether the other one is late is asked now and then. */
static void look_often(void)
{
	for (int i = 0; i < 100; i++)
		wire_shm_progress(stations[0].wire, 64);
}

static void kick__wakes_who_sleeps(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);
	uint64_t woken;

	(void)state;
	meet();
	assert_int_equal(send_run(&run, &sender_a), 1);
	kick();
	assert_int_equal(read(wake_fds[1], &woken, sizeof(woken)), -1); /* awake */
	shown[1]->sleeping = SHM_DOZES;
	shown[1]->polls = 1; /* one of its threads polls */
	assert_int_equal(send_run(&run, &sender_a), 1);
	kick();
	assert_int_equal(read(wake_fds[1], &woken, sizeof(woken)), -1);
	look_often();
	shown[1]->polls = 2;
	stations[0].now_ns += 20000;
	look_often();
	assert_int_equal(read(wake_fds[1], &woken, sizeof(woken)), -1);
	stations[0].now_ns += 60000; /* not any more, so who waits for it wakes it */
	look_often();
	assert_int_equal(read(wake_fds[1], &woken, sizeof(woken)), sizeof(woken));
	look_often();
	assert_int_equal(read(wake_fds[1], &woken, sizeof(woken)), -1); /* but not all the time */
	shown[1]->expects = 1;						/* it has armed a CQ */
	assert_int_equal(send_run(&run, &sender_a), 1);
	kick();
	assert_int_equal(read(wake_fds[1], &woken, sizeof(woken)), sizeof(woken));
	shown[1]->expects = 0;
	shown[1]->sleeping = SHM_SLEEPS;
	assert_int_equal(send_run(&run, &sender_a), 1);
	kick();
	assert_int_equal(read(wake_fds[1], &woken, sizeof(woken)), sizeof(woken));
}

static void sleep__not_while_there_is_something(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);
	struct wire_shm *wire = stations[1].wire;

	(void)state;
	meet();
	assert_int_equal(wire_shm_sleep(wire), 1000000); /* a poll may not be visible yet */
	assert_int_equal(wire_shm_sleep(wire), SHM_WATCH_NS);
	assert_int_equal(stations[1].control->sleeping, SHM_SLEEPS);
	assert_true(wire_shm_polled(wire));  /* wake it */
	assert_false(wire_shm_polled(wire)); /* once */
	assert_true(wire_shm_is_polled(wire));
	assert_int_equal(wire_shm_sleep(wire), 1000000);
	assert_int_equal(stations[1].control->sleeping, SHM_DOZES);
	assert_false(wire_shm_is_polled(wire));
	assert_false(wire_shm_polled(wire));
	assert_int_equal(send_run(&run, &sender_a), 1);
	assert_int_equal(wire_shm_sleep(wire), 1000000); /* it is polled, so that will be taken */
	assert_int_equal(wire_shm_sleep(wire), 0);
	assert_int_equal(stations[1].control->sleeping, SHM_AWAKE);
}

static void expect__is_over_with_the_last_of_some_polls(void **state)
{
	struct wire_shm *wire = stations[1].wire;

	(void)state;
	meet();
	wire_shm_expect(wire);
	assert_false(wire_shm_polled(wire));
	assert_false(wire_shm_is_polled(wire)); /* its thread is about to sleep */
	assert_int_equal(wire_shm_sleep(wire), 1000000);
	assert_int_equal(stations[1].control->sleeping, SHM_SLEEPS);
	for (int i = 0; i < 100; i++)
		wire_shm_polled(wire);
	assert_true(wire_shm_is_polled(wire));
	assert_int_equal(stations[1].control->expects, 0);
}

static void progress__nonsense_is_counted(void **state)
{
	const uint32_t out = stations[0].id < stations[1].id ? 0 : 1;
	struct wire_shm_stats stats;
	struct shm_producer liar;
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	meet();
	liar = (struct shm_producer){.ring = &pair->ring[out]};
	assert_non_null(shm_ring_reserve(&liar, 500));
	shm_ring_publish(&liar, 77);
	memset(shm_ring_reserve(&liar, 500), 0xff, 500);
	shm_ring_publish(&liar, SHM_KIND_RUN);
	assert_int_equal(wire_shm_progress(stations[1].wire, 64), 2);
	wire_shm_stats(stations[1].wire, &stats);
	assert_int_equal(stats.malformed, 2);
	assert_int_equal(stations[1].heard, 0);
	memset(pair->ring[out].data, 0xff, SHM_RING_BYTES); /* and now it is broken for good */
	assert_int_equal(wire_shm_progress(stations[1].wire, 64), 0);
	assert_int_equal(send_run(&run, &sender_a), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static int send_datagram(uint32_t qpn, uint32_t psn)
{
	struct tp_run run = make_run(&stations[1], psn, 100);

	run.dest_qpn = qpn;
	run.first_opcode = run.last_opcode = PKT_UD_SEND_ONLY;
	return send_run(&run, &sender_a);
}

static bool was_woken(unsigned int who)
{
	uint64_t count;

	return read(wake_fds[who], &count, sizeof(count)) == sizeof(count);
}

/* They wait in their order, the sender keeps back others like them, and nobody else is kept. */
static void datagrams__wait_for_a_receive(void **state)
{
	struct station *to = &stations[1];
	struct wire_shm_stats stats;
	unsigned int ready;

	(void)state;
	meet();
	ready = stations[0].ready;
	to->lacks_receive = to->qpn;
	for (uint32_t psn = 1; psn <= 3; psn++)
		assert_int_equal(send_datagram(to->qpn, psn), 1);
	wire_shm_progress(to->wire, 64);
	assert_int_equal(to->heard, 0);
	wire_shm_stats(to->wire, &stats);
	assert_int_equal(stats.waited, 3);
	assert_int_equal(send_datagram(to->qpn, 4), -EAGAIN);
	assert_int_equal(send_datagram(to->qpn + 1, 40), 1);
	wire_shm_progress(to->wire, 64);
	assert_int_equal(to->heard, 1);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].ready, ready); /* there is room, but not for these */
	(void)was_woken(0);
	to->lacks_receive = 0;
	wire_shm_progress(to->wire, 64);
	assert_int_equal(to->heard, 4);
	assert_int_equal(to->last_psn, 3);
	assert_true(was_woken(0));
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].ready, ready + 1);
	assert_int_equal(send_datagram(to->qpn, 4), 1);
	wire_shm_progress(to->wire, 64);
	assert_int_equal(to->last_psn, 4);
}

static void let_pass(uint64_t ns)
{
	for (uint64_t passed = 0; passed <= ns; passed += 100000) {
		base_host_turn(base_now_ns(), 100);
		base_host_turn(base_now_ns() + 100000, 100);
	}
}

/* Nobody polls: a timer looks. After half a second it is lost, and what follows at once. */
static void datagrams__do_not_wait_for_ever(void **state)
{
	struct station *to = &stations[1];

	(void)state;
	meet();
	to->lacks_receive = to->qpn;
	assert_int_equal(send_datagram(to->qpn, 1), 1);
	wire_shm_progress(to->wire, 64);
	let_pass(400000000);
	assert_int_equal(to->heard, 0);
	let_pass(200000000);
	assert_int_equal(to->heard, 1); /* where it finds no receive */
	assert_int_equal(send_datagram(to->qpn, 2), 1);
	wire_shm_progress(to->wire, 64);
	assert_int_equal(to->heard, 2);
	to->lacks_receive = 0;
	assert_int_equal(send_datagram(to->qpn, 3), 1);
	wire_shm_progress(to->wire, 64);
	to->lacks_receive = to->qpn;
	assert_int_equal(send_datagram(to->qpn, 4), 1);
	wire_shm_progress(to->wire, 64);
	assert_int_equal(to->heard, 3); /* it had receives again, so there is hope again */
	to->lacks_receive = 0;
	let_pass(200000);
	assert_int_equal(to->heard, 4);
}

/* Several queue pairs that lack receives fill what is aside: then all datagrams are kept back, none lost. */
static void datagrams__many_of_them(void **state)
{
	struct station *to = &stations[1];
	unsigned int sent = 0;

	(void)state;
	meet();
	to->lacks_receive = to->qpn;
	while (send_datagram(to->qpn, sent) == 1)
		sent++; /* until the ring is full */
	wire_shm_progress(to->wire, UINT32_MAX);
	assert_int_equal(send_datagram(to->qpn, sent), -EAGAIN);
	assert_int_equal(to->heard, 0);
	to->lacks_receive = 0;
	wire_shm_progress(to->wire, 64);
	assert_int_equal(to->heard, sent);
	assert_int_equal(to->last_psn, sent - 1);
}

/* Each packet by itself; who has sent it is told, whatever has become of it. */
static void faults__of_sender_and_receiver(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 3000);

	(void)state;
	meet();
	assert_int_equal(wire_shm_prepare_faults(stations[0].wire, 16), 0);
	fabric_faults_set(&plan, &(struct fabric_fault_rates){.drop_ppm = 1000000});
	assert_int_equal(send_run(&run, &sender_a), 3);
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(stations[1].heard, 0);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].sent, 3);
	fabric_faults_set(&plan, &(struct fabric_fault_rates){.duplicate_ppm = 1000000});
	assert_int_equal(send_run(&run, &sender_a), 3);
	let_pass(200000);
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(stations[1].heard, 6);
	assert_int_equal(stations[1].packets, 6);
	fabric_faults_set(&plan, NULL);
	assert_int_equal(send_run(&run, &sender_a), 3);
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(stations[1].heard, 7);
	assert_int_equal(wire_shm_prepare_faults(stations[1].wire, 16), 0);
	fabric_faults_set(&plan, &(struct fabric_fault_rates){.delay_ns = 1000});
	run.packets = 1;
	run.payload.bytes = 1000;
	run.first_opcode = run.last_opcode = PKT_RC_SEND_ONLY;
	assert_int_equal(send_run(&run, &sender_a), 1);
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(stations[1].heard, 7);
	let_pass(200000);
	wire_shm_progress(stations[1].wire, 64);
	let_pass(200000);
	assert_int_equal(stations[1].heard, 8);
	assert_int_equal(stations[1].last_byte, data[999]);
}

static const struct CMUnitTest tests[] = {
	TEST(datagrams__wait_for_a_receive),
	TEST(datagrams__do_not_wait_for_ever),
	TEST(datagrams__many_of_them),
	TEST(faults__of_sender_and_receiver),
	TEST(send__asks_to_be_introduced_once),
	TEST(send__small_payload_is_copied),
	TEST(send__large_payload_is_pulled),
	TEST(send__a_prefix_where_nothing_can_be_pulled),
	TEST(meet__memory_of_the_process_is_read),
	TEST(meet__memory_of_another_process_is_not_read),
	TEST(send__full_then_ready),
	TEST(send__large_payload_waits_for_what_is_on_its_way),
	TEST(send__held_for_longer_than_the_ring),
	TEST(send__to_ourselves),
	TEST(send__nobody_has_the_number),
	TEST(send__datagrams_to_a_group),
	TEST(quiesce__takes_payload_back),
	TEST(quiesce__until_the_payload_has_been_read),
	TEST(quiesce__until_who_reads_is_dead),
	TEST(drop_peer__delivers_what_it_had_sent),
	TEST(drop_peer__that_was_only_asked_for),
	TEST(detach__what_is_sent_is_lost),
	TEST(kick__wakes_who_sleeps),
	TEST(sleep__not_while_there_is_something),
	TEST(expect__is_over_with_the_last_of_some_polls),
	TEST(progress__nonsense_is_counted),
};

int main(void)
{
	return verbena_test_main(tests);
}
