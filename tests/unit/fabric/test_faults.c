// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Fates: as often as asked for, the same from the same seed, and each by its packet's own place. */
#include "fabric/faults.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cause.h"
#include "common/test.h"

#define MANY 100000

static struct fabric_faults f;
static unsigned int hits;
static char last_hit[80];

static void hear(void *ctx, const struct fault_hit *hit)
{
	(void)ctx;
	hits++;
	snprintf(last_hit, sizeof(last_hit), "%s qp %u packet %llu try %u",
		 fault_action_name((enum fault_action)hit->rule->action), hit->qp,
		 (unsigned long long)hit->place, hit->attempt);
}

static int setup(void **state)
{
	(void)state;
	fabric_faults_init(&f);
	f.listener.hit = hear;
	hits = 0;
	last_hit[0] = '\0';
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fabric_faults_free(&f);
	return 0;
}

static void set(const char *spec)
{
	struct fault_error error;
	struct fault_plan plan;

	if (fault_plan_parse(spec, &plan, &error))
		fail_msg("%s: column %u: %s", spec, error.column, error.text);
	fabric_faults_set_plan(&f, &plan);
}

static struct fault_packet send_packet(uint32_t qpn, uint32_t psn)
{
	return (struct fault_packet){.qpn = qpn,
				     .psn = psn & 0xffffff,
				     .dlid = 7,
				     .direction = FAULT_TX,
				     .service = FAULT_RC,
				     .kind = FAULT_SEND,
				     .begins = true};
}

static struct fabric_fate decide(const struct fault_packet *packet)
{
	struct fabric_fate fate = {.drop = false};

	fabric_faults_decide(&f, packet, &fate);
	return fate;
}

static bool is_lost(uint32_t qpn, uint32_t psn)
{
	const struct fault_packet packet = send_packet(qpn, psn);

	return decide(&packet).drop;
}

static void fabric_faults_set__refuses_more_than_a_million(void **state)
{
	(void)state;
	assert_int_equal(fabric_faults_set(&f, &(struct fabric_fault_rates){.drop_ppm = 5}), 0);
	assert_int_equal(fabric_faults_set(&f,
					   &(struct fabric_fault_rates){.corrupt_ppm = 1000001}),
			 -EINVAL);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_FABRIC_FAULT_RATE);
	assert_int_equal(f.plan.rule[0].ppm, 5);
	assert_true(fabric_faults_active(&f));
	assert_int_equal(fabric_faults_set(&f, NULL), 0);
	assert_false(fabric_faults_active(&f));
}

static void fabric_faults_decide__rates_are_kept(void **state)
{
	unsigned int drops = 0, doubles = 0, late = 0, bad = 0;

	(void)state;
	fabric_faults_set(&f, &(struct fabric_fault_rates){.seed = 3,
							   .drop_ppm = 10000,
							   .duplicate_ppm = 50000,
							   .reorder_ppm = 200000,
							   .corrupt_ppm = 1000000,
							   .delay_ns = 700});
	for (uint32_t i = 0; i < MANY; i++) {
		const struct fault_packet packet = send_packet(1, i);
		const struct fabric_fate fate = decide(&packet);

		drops += fate.drop;
		doubles += fate.duplicate;
		late += fate.reordered;
		bad += fate.corrupt;
		if (fate.drop)
			continue;
		assert_true(fate.reordered ? fate.delay_ns > 700 : fate.delay_ns == 700);
		assert_true(fate.delay_ns <= 20701);
	}
	assert_in_range(drops, MANY / 100 * 8 / 10, MANY / 100 * 12 / 10);
	assert_in_range(doubles, MANY / 20 * 9 / 10, MANY / 20 * 11 / 10);
	assert_in_range(late, MANY / 5 * 9 / 10, MANY / 5 * 11 / 10);
	assert_int_equal(bad, MANY - drops);
}

/* Whatever the number of the queue pair, its first PSN, and what others do in between. */
static void fabric_faults_decide__same_seed_same_fates(void **state)
{
	bool lost[500], again, differs = false;
	unsigned int count = 0;

	(void)state;
	set("seed=9; drop=30%");
	fabric_faults_qp_is_made(&f, 0, 0x11);
	fabric_faults_qp_connects(&f, 0, 0x11, FAULT_TX, 100);
	for (uint32_t i = 0; i < 500; i++)
		count += lost[i] = is_lost(0x11, 100 + i);
	assert_in_range(count, 100, 200);
	teardown(NULL);
	setup(NULL);
	set("seed=9; drop=30%");
	fabric_faults_qp_is_made(&f, 3, 0x4242);
	fabric_faults_qp_connects(&f, 3, 0x4242, FAULT_TX, 0xffffff);
	for (uint32_t i = 0; i < 500; i++) {
		struct fault_packet packet = send_packet(0x4242, 0xffffff + i);

		packet.slot = 3;
		again = decide(&packet).drop;
		assert_int_equal(again, lost[i]);
		differs |= is_lost(0x99, i) != lost[i];
	}
	assert_true(differs);
	set("seed=10; drop=30%");
	differs = false;
	for (uint32_t i = 0; i < 500; i++) {
		struct fault_packet packet = send_packet(0x4242, 0xffffff + 500 + i);

		packet.slot = 3;
		differs |= decide(&packet).drop != lost[i];
	}
	assert_true(differs);
}

/* A packet that is lost and sent again has a new fate, and is not counted as a new one. */
static void fabric_faults_decide__attempts(void **state)
{
	(void)state;
	set("drop, try=1..2");
	assert_true(is_lost(1, 50));
	assert_true(is_lost(1, 51));
	assert_true(is_lost(1, 50));
	assert_string_equal(last_hit, "drop qp 1 packet 0 try 2");
	assert_false(is_lost(1, 50));
	assert_true(is_lost(1, 51));
	assert_false(is_lost(1, 51));
	assert_true(is_lost(1, 52));
	assert_string_equal(last_hit, "drop qp 1 packet 2 try 1");
}

/* Too old to be counted, it is still not taken for a new one, and not lost for ever. */
static void fabric_faults_decide__old_packets_get_through(void **state)
{
	unsigned int tries = 0;

	(void)state;
	set("seed=1; drop=50%");
	for (uint32_t i = 0; i < 10000; i++)
		(void)is_lost(1, i);
	while (is_lost(1, 5))
		assert_true(++tries < 100);
	set("drop, try=1");
	assert_false(is_lost(1, 6));
}

static void fabric_faults_decide__counts_are_of_a_stream(void **state)
{
	(void)state;
	set("drop, skip=2, every=3, count=2");
	for (uint32_t i = 0; i < 12; i++) {
		assert_int_equal(is_lost(1, i), i == 2 || i == 5);
		assert_int_equal(is_lost(2, i), i == 2 || i == 5);
	}
	set("drop, nth=3");
	for (uint32_t i = 0; i < 12; i++)
		assert_int_equal(is_lost(3, i), i == 2);
	assert_int_equal(f.hits[FAULT_DROP], 5);
	assert_int_equal(f.met, 36);
}

static void fabric_faults_decide__selectors(void **state)
{
	struct fault_packet ack = send_packet(5, 1);

	(void)state;
	ack.kind = FAULT_ACK;
	ack.response = true;
	set("drop, op=ack+response");
	assert_true(decide(&ack).drop);
	assert_false(is_lost(5, 1));
	set("drop, msg");
	assert_false(decide(&ack).drop);
	assert_false(is_lost(5, 1)); /* not a new one */
	assert_true(is_lost(5, 2));
	set("drop, rx");
	assert_false(is_lost(5, 3));
	ack.direction = FAULT_RX;
	assert_true(decide(&ack).drop);
	set("drop");
	ack.met = true;
	assert_false(decide(&ack).drop);
	set("drop, qp=2");
	assert_false(is_lost(5, 4));
	assert_true(is_lost(6, 4));
	set("drop, qpn=0x5");
	assert_true(is_lost(5, 5));
	assert_false(is_lost(6, 5));
	set("drop, dlid=8");
	assert_false(is_lost(5, 6));
	set("drop, service=uc+ud");
	assert_false(is_lost(5, 7));
}

/* Datagrams are all new ones: they are counted, whatever their PSN. */
static void fabric_faults_decide__datagrams(void **state)
{
	struct fault_packet packet = send_packet(9, 1);

	(void)state;
	packet.service = FAULT_UD;
	set("drop, nth=4");
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(decide(&packet).drop, i == 3);
	assert_string_equal(last_hit, "drop qp 1 packet 3 try 1");
}

static uint32_t acted_on;

static void act(void *ctx, const struct fault_rule *rule, uint32_t slot, uint32_t qpn)
{
	(void)ctx;
	(void)rule;
	(void)slot;
	acted_on = qpn;
}

/* A port is one for all queue pairs: packets of all are counted together. */
static void fabric_faults_decide__acts(void **state)
{
	(void)state;
	f.listener.act = act;
	set("down, nth=3; kill, nth=4");
	assert_false(is_lost(1, 1) || is_lost(2, 1));
	assert_int_equal(acted_on, 0);
	assert_false(is_lost(1, 2));
	assert_int_equal(acted_on, 1);
	for (uint32_t i = 2; i < 5; i++)
		assert_false(is_lost(2, i));
	assert_int_equal(acted_on, 2);
	assert_true(fabric_faults_set_cut(&f, 0, true));
	assert_false(fabric_faults_set_cut(&f, 0, true));
	assert_true(is_lost(2, 6));
	assert_true(fabric_faults_set_cut(&f, 0, false));
	assert_false(is_lost(2, 7));
}

static void fabric_faults_refuse__the_nth(void **state)
{
	(void)state;
	set("fail=ENOMEM, verb=create_qp, nth=3; fail=EIO, verb=open, p=0%");
	for (int i = 0; i < 5; i++)
		assert_int_equal(fabric_faults_refuse(&f, FAULT_VERB_CREATE_QP),
				 i == 2 ? -ENOMEM : 0);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_FAULT_VERB);
	assert_int_equal(fabric_faults_refuse(&f, FAULT_VERB_OPEN), 0);
	assert_int_equal(fabric_faults_refuse(&f, FAULT_VERB_CREATE_CQ), 0);
	assert_false(fabric_faults_active(&f));
	set("");
	assert_int_equal(fabric_faults_refuse(&f, FAULT_VERB_CREATE_QP), 0);
}

static void fabric_faults_qp_is_gone__its_number_begins_anew(void **state)
{
	(void)state;
	set("drop, nth=1");
	assert_true(is_lost(1, 10));
	assert_false(is_lost(1, 11));
	fabric_faults_qp_is_gone(&f, 0, 1);
	assert_true(is_lost(1, 3));
	assert_string_equal(last_hit, "drop qp 2 packet 0 try 1");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(fabric_faults_set__refuses_more_than_a_million),
	TEST(fabric_faults_decide__rates_are_kept),
	TEST(fabric_faults_decide__same_seed_same_fates),
	TEST(fabric_faults_decide__attempts),
	TEST(fabric_faults_decide__old_packets_get_through),
	TEST(fabric_faults_decide__counts_are_of_a_stream),
	TEST(fabric_faults_decide__selectors),
	TEST(fabric_faults_decide__datagrams),
	TEST(fabric_faults_decide__acts),
	TEST(fabric_faults_refuse__the_nth),
	TEST(fabric_faults_qp_is_gone__its_number_begins_anew),
};

int main(void)
{
	return verbena_test_main(tests);
}
