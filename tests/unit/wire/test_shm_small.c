// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Small packets between processes, and ACKs that go back in their records. */
#include "base/random.h"
#include "packet/view.h"
#include "shm_fixture.h"

static const uint64_t word = 0x0807060504030201;

static struct tp_small make_small(const struct station *from, const struct station *to,
				  uint32_t psn)
{
	return (struct tp_small){
		.dest_qpn = to->qpn,
		.psn = {psn},
		.pkey = 0xffff,
		.pmtu_bytes = 1024,
		.slid = dir->fabric.ports[from->slot].config.lid,
		.dlid = dir->fabric.ports[to->slot].config.lid,
		.opcode = PKT_RC_SEND_ONLY,
		.ack_req = true,
		.ack_here = true,
		.bytes = &word,
		.count = sizeof(word),
	};
}

static bool send_small(uint32_t psn, void *sender)
{
	struct station *s = &stations[0];
	const struct tp_small small = make_small(s, &stations[1], psn);

	return s->port.ops->send_small(&s->port, &small, sender);
}

static void meet_and_take(void)
{
	meet();
	stations[1].takes_small = true;
}

/* Nobody is asked, nothing is queued: the general way does that. */
static void send_small__only_where_all_is_plain(void **state)
{
	struct tp_run large = make_run(&stations[1], 1, 1000);

	(void)state;
	assert_false(send_small(1, &sender_a));
	assert_int_equal(stations[0].asked, 0);
	meet();
	while (send_run(&large, &sender_a) == 1)
		;
	assert_false(send_small(2, &sender_a)); /* after who waits for room */
}

static void send_small__not_where_packets_meet_faults(void **state)
{
	(void)state;
	meet_and_take();
	assert_int_equal(wire_shm_prepare_faults(stations[0].wire, 4), 0);
	fabric_faults_set(&plan, &(struct fabric_fault_rates){.drop_ppm = 1});
	assert_false(send_small(1, &sender_a));
	fabric_faults_set(&plan, NULL);
	assert_true(send_small(1, &sender_a));
}

static void send_small__not_to_ourselves(void **state)
{
	struct station *s = &stations[0];
	const struct tp_small small = make_small(s, s, 1);

	(void)state;
	assert_false(s->port.ops->send_small(&s->port, &small, &sender_a));
}

/* The receiver may see it as any other run. */
static void send_small__is_a_run_for_who_does_not_take_it(void **state)
{
	(void)state;
	meet();
	assert_true(send_small(7, &sender_a));
	assert_int_equal(wire_shm_progress(stations[1].wire, 64), 1);
	assert_int_equal(stations[1].heard, 1);
	assert_int_equal(stations[1].small, 0);
	assert_int_equal(stations[1].last_psn, 7);
	assert_int_equal(stations[1].last_byte, 8);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].sent, 1);
	assert_int_equal(stations[0].acks, 0);
}

static void send_small__wakes_who_sleeps(void **state)
{
	uint64_t woken;

	(void)state;
	meet_and_take();
	shown[1]->sleeping = SHM_SLEEPS;
	assert_true(send_small(1, &sender_a));
	assert_int_equal(read(wake_fds[1], &woken, sizeof(woken)), sizeof(woken));
	shown[0]->sleeping = SHM_SLEEPS;
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(read(wake_fds[0], &woken, sizeof(woken)), sizeof(woken)); /* the ACK */
}

static void take_small__is_acknowledged_in_its_record(void **state)
{
	(void)state;
	meet_and_take();
	assert_true(send_small(7, &sender_a));
	assert_false(wire_shm_poll(stations[0].wire, 64));
	assert_int_equal(wire_shm_progress(stations[1].wire, 64), 1);
	assert_int_equal(stations[1].small, 1);
	assert_int_equal(stations[1].last_byte, 8);
	assert_false(stations[1].more);
	assert_true(wire_shm_poll(stations[0].wire, 64));
	assert_int_equal(stations[0].acks, 1);
	assert_int_equal(stations[0].acked, 7);
	assert_int_equal(stations[0].sent, 1);
	assert_false(wire_shm_poll(stations[0].wire, 64));
}

/* What came in one go. */
static void take_small__one_ack_for_several_of_a_queue_pair(void **state)
{
	(void)state;
	meet_and_take();
	for (uint32_t psn = 1; psn <= 5; psn++)
		assert_true(send_small(psn, &sender_a));
	wire_shm_progress(stations[1].wire, 3);
	assert_true(stations[1].small == 3);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].acks, 1);
	assert_int_equal(stations[0].acked, 3);
	assert_int_equal(stations[0].sent, 3);
	wire_shm_progress(stations[1].wire, 64);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].acks, 2);
	assert_int_equal(stations[0].acked, 5);
	assert_int_equal(stations[0].sent, 5);
}

static void take_small__another_queue_pair_has_its_own_ack(void **state)
{
	struct station *s = &stations[0];
	struct tp_small small = make_small(s, &stations[1], 1);

	(void)state;
	meet_and_take();
	assert_true(s->port.ops->send_small(&s->port, &small, &sender_a));
	small.dest_qpn++;
	small.psn.v = 9;
	assert_true(s->port.ops->send_small(&s->port, &small, &sender_b));
	wire_shm_progress(stations[1].wire, 64);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].acks, 2);
	assert_int_equal(stations[0].acked, 9);
}

/* A run of the general way comes after the ACK for what was before it. */
static void take_small__ack_goes_before_other_records(void **state)
{
	struct tp_run run = make_run(&stations[1], 8, 1000);

	(void)state;
	meet_and_take();
	assert_true(send_small(7, &sender_a));
	assert_int_equal(send_run(&run, &sender_a), 1);
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(stations[1].heard, 2);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].acks, 1);
	assert_int_equal(stations[0].acked, 7);
	assert_int_equal(stations[0].sent, 2);
}

/* Responses of the receiver may be on their way still: then the transport may want those first. */
static void acked__is_told_again_in_order(void **state)
{
	struct station *back = &stations[1];
	const struct tp_small small = make_small(back, &stations[0], 100);

	(void)state;
	meet_and_take();
	stations[0].takes_small = true;
	stations[0].waits = true;
	assert_true(send_small(7, &sender_a));
	for (int i = 0; i < 2; i++)
		assert_true(back->port.ops->send_small(&back->port, &small, &sender_b));
	wire_shm_progress(stations[1].wire, 64);
	wire_shm_progress(stations[0].wire, 1); /* there is more */
	assert_int_equal(stations[0].acks, 0);
	assert_int_equal(stations[0].sent, 0);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].acks, 1);
	assert_true(stations[0].in_order);
	assert_int_equal(stations[0].sent, 1);
}

/* The ring comes round; a record whose answer was not read yet stays as it is. */
static void send_small__keeps_answers_that_are_not_read(void **state)
{
	struct tp_run large = make_run(&stations[1], 8, 8000);
	uint32_t n = 0;

	(void)state;
	meet_and_take();
	assert_true(send_small(7, &sender_a));
	wire_shm_progress(stations[1].wire, 64);
	while (send_run(&large, &sender_a) > 0 && ++n < 1000)
		wire_shm_progress(stations[1].wire, 64);
	assert_in_range(n, 50, SHM_RING_BYTES / 8000);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].acks, 1);
	assert_int_equal(stations[0].acked, 7);
	assert_true(send_run(&large, &sender_a) > 0);
}

/* Who sent it is gone when the ACK comes. */
static void quiesce__forgets_who_waits_for_an_ack(void **state)
{
	(void)state;
	meet_and_take();
	assert_true(send_small(7, &sender_a));
	stations[0].port.ops->quiesce(&stations[0].port, &sender_a);
	wire_shm_progress(stations[1].wire, 64);
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].acks, 0);
	assert_int_equal(stations[0].sent, 0);
}

/* What a process had acknowledged before it died counts. */
static void drop_peer__its_acks_are_read_first(void **state)
{
	(void)state;
	meet_and_take();
	assert_true(send_small(7, &sender_a));
	assert_true(send_small(8, &sender_a));
	wire_shm_progress(stations[1].wire, 1);
	wire_shm_drop_peer(stations[0].wire, stations[1].id);
	assert_int_equal(stations[0].acks, 1);
	assert_int_equal(stations[0].acked, 7);
	assert_int_equal(stations[0].sent, 2);
}

static void sleep__not_with_an_ack_to_be_read(void **state)
{
	(void)state;
	meet_and_take();
	assert_true(send_small(7, &sender_a));
	wire_shm_progress(stations[1].wire, 64);
	assert_int_equal(wire_shm_sleep(stations[0].wire), 0);
	wire_shm_progress(stations[0].wire, 64);
	assert_true(wire_shm_sleep(stations[0].wire) > 0);
	wire_shm_awake(stations[0].wire);
}

#define WITH_STATIONS(test) cmocka_unit_test_setup_teardown(test, start, stop)

static const struct CMUnitTest tests[] = {
	WITH_STATIONS(send_small__only_where_all_is_plain),
	WITH_STATIONS(send_small__not_where_packets_meet_faults),
	WITH_STATIONS(send_small__not_to_ourselves),
	WITH_STATIONS(send_small__is_a_run_for_who_does_not_take_it),
	WITH_STATIONS(send_small__wakes_who_sleeps),
	WITH_STATIONS(send_small__keeps_answers_that_are_not_read),
	WITH_STATIONS(take_small__is_acknowledged_in_its_record),
	WITH_STATIONS(take_small__one_ack_for_several_of_a_queue_pair),
	WITH_STATIONS(take_small__another_queue_pair_has_its_own_ack),
	WITH_STATIONS(take_small__ack_goes_before_other_records),
	WITH_STATIONS(acked__is_told_again_in_order),
	WITH_STATIONS(quiesce__forgets_who_waits_for_an_ack),
	WITH_STATIONS(drop_peer__its_acks_are_read_first),
	WITH_STATIONS(sleep__not_with_an_ack_to_be_read),
};

int main(void)
{
	return verbena_test_main(tests);
}
