// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Two processes' wires, and a subnet that says what gets from one to the other. */
#include <pthread.h>

#include "base/random.h"
#include "base/thread.h"
#include "unit/daemon/ways_fixture.h"

#include "shm_fixture.h" /* its names are short: after all others */

static struct net *net;

static int stop_ways(void **state)
{
	(void)state;
	close_ways();
	net_teardown((void **)&net);
	managed = direct = false;
	return stop(NULL);
}

static int start_ways(void **state)
{
	(void)state;
	managed = true;
	if (start(NULL))
		return -1;
	if (!net_setup((void **)&net))
		open_ways(net, dir, stations[0].slot, stations[1].slot);
	if (ways && !ways_attach(ways, stations[0].id, &reports[0]) &&
	    !ways_attach(ways, stations[1].id, &reports[1]))
		return 0;
	stop_ways(NULL);
	return -1;
}

static int start_direct_ways(void **state)
{
	direct = true;
	return start_ways(state);
}

/* The daemon answers whatever was asked. */
static void answer(struct station *s)
{
	ways_resolve(ways, &s->asked_way);
	wire_shm_resolved(s->wire, &s->asked_way);
}

static int send_soon(const struct tp_run *run)
{
	int ret = send_run(run, &sender_a);

	if (ret != -EAGAIN)
		return ret;
	answer(&stations[0]);
	return send_run(run, &sender_a);
}

/* All is well: tables, links, and the two know each other. */
static void set_up(void)
{
	net_configure(net);
	meet();
	ways_refresh(ways);
}

static unsigned int arrived(void)
{
	const unsigned int before = stations[1].heard;

	kick();
	while (wire_shm_progress(stations[1].wire, 64))
		;
	return stations[1].heard - before;
}

static struct counters since;
static struct counters before;

static void begin(void)
{
	ways_collect(ways);
	before = all_counters();
}

static void end(void)
{
	ways_collect(ways);
	since = counted_since(&before);
}

static void send__asks_for_the_way_once(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 10);
	const unsigned int ready = stations[0].ready;

	(void)state;
	set_up();
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	assert_int_equal(stations[0].asked_ways, 1);
	assert_int_equal(stations[0].asked_way.slot, stations[0].slot);
	assert_int_equal(stations[0].asked_way.dlid, 2);
	assert_int_equal(stations[0].asked_way.pkey, 0xffff);
	answer(&stations[0]);
	assert_true(stations[0].ready > ready);
	assert_int_equal(send_run(&run, &sender_a), 1);
	assert_int_equal(arrived(), 1);
	assert_int_equal(stations[0].asked_ways, 1);
}

static void expect_cause(enum base_cause_id id, const char *words)
{
	const struct tp_path path = {.slid = 1, .dlid = 2};
	struct base_cause cause = {.id = 0};
	char text[BASE_CAUSE_TEXT_BYTES];

	assert_true(
		stations[0].port.ops->why_lost(&stations[0].port, &path, stations[1].qpn, &cause));
	assert_int_equal(cause.id, id);
	base_cause_format(&cause, text, sizeof(text));
	assert_non_null(strstr(text, words));
}

static void send__not_for_ever_without_a_daemon(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 10);

	(void)state;
	set_up();
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	base_host_turn(base_now_ns(), 100);
	base_host_turn(base_now_ns() + SHM_PATIENCE_NS, 100);
	assert_int_equal(send_run(&run, &sender_a), -ENETDOWN);
	expect_cause(BASE_CAUSE_WAY_UNKNOWN, "LID 0x2");
	wire_shm_ask_again(stations[0].wire); /* the next one */
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	assert_int_equal(stations[0].asked_ways, 3);
	answer(&stations[0]);
	assert_int_equal(send_run(&run, &sender_a), 1);
}

/* Both ways of a connection, each by itself; on every hop what went there. */
static void send__is_counted_on_every_hop(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 5000);
	const uint64_t words = shm_run_wire_bytes(&run, 5) / 4;
	struct subnet_path path;
	struct counters by_hand;

	(void)state;
	set_up();
	begin();
	assert_int_equal(send_soon(&run), 5);
	end();
	before = all_counters();
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 0, 0xffff, &path);
	subnet_count(net->subnet, &path, 5, words, false);
	by_hand = counted_since(&before);
	assert_memory_equal(&since, &by_hand, sizeof(since));
	assert_int_equal(since.of[net->sw][2][SUBNET_XMIT_DATA], words);
	assert_int_equal(arrived(), 1);
	assert_int_equal(stations[1].packets, 5);
}

static bool changing; /* atomic */

/* What happens elsewhere in the subnet has all ways resolved anew. */
static void *change(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < 300; i++) {
		subnet_set_link(net->subnet, AT(net->sw, 3), i & 1);
		ways_refresh(ways);
	}
	__atomic_store_n(&changing, false, __ATOMIC_RELEASE);
	return NULL;
}

static void send__while_ways_are_resolved_anew(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 100);
	uint32_t sent = 0, come = 0;
	pthread_t thread;
	int ret;

	(void)state;
	test_skip_in_torture(); /* two threads allocate */
	assert_int_equal(subnet_connect(net->subnet, AT(net->sw, 3), AT(net->sw, 4)), 0);
	set_up();
	begin();
	changing = true;
	assert_int_equal(base_thread_start(&thread, change, NULL), 0);
	while (__atomic_load_n(&changing, __ATOMIC_ACQUIRE) || !sent) {
		ret = send_run(&run, &sender_a);
		if (ret == 1)
			sent++;
		else if (ret == -EAGAIN)
			answer(&stations[0]);
		else
			assert_int_equal(ret, 1);
		come += arrived();
		wire_shm_progress(stations[0].wire, 64);
	}
	assert_int_equal(pthread_join(thread, NULL), 0);
	end();
	assert_int_equal(come, sent);
	assert_int_equal(since.of[net->sw][1][SUBNET_UNICAST_RCV], sent);
	assert_int_equal(since.of[net->b][1][SUBNET_UNICAST_RCV], sent);
}

static void loses(const struct tp_run *run, struct subnet_at at, enum subnet_counter which)
{
	begin();
	assert_int_equal(send_soon(run), -EHOSTUNREACH);
	end();
	assert_int_equal(since.of[at.node][at.port][which], run->packets);
	assert_int_equal(arrived(), 0);
}

static void send__by_wrong_tables(void **state)
{
	const struct {
		uint8_t to_b;
		struct {
			uint8_t node, port; /* node 0: A, 1: B, 2: the switch */
		} at;
		enum subnet_counter counter;
	} rows[] = {
		{255, {2, 1}, SUBNET_RCV_RELAY_ERRORS}, /* no route */
		{1, {2, 1}, SUBNET_RCV_RELAY_ERRORS},	/* back */
		{3, {2, 3}, SUBNET_XMIT_DISCARDS},	/* nothing is there */
		{0, {2, 0}, SUBNET_RCV_ERRORS},		/* to the switch, which is not 2 */
	};
	struct tp_run run = make_run(&stations[1], 7, 2000);
	uint8_t lft[64];

	(void)state;
	set_up();
	assert_int_equal(send_soon(&run), 2);
	assert_int_equal(arrived(), 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(lft, 255, sizeof(lft));
		lft[1] = 1;
		lft[2] = rows[i].to_b;
		net_set_lft(net, net->sw, 3, lft);
		ways_refresh(ways);
		loses(&run, AT(rows[i].at.node == 2 ? net->sw : net->a, rows[i].at.port),
		      rows[i].counter);
	}
	lft[2] = 2;
	net_set_lft(net, net->sw, 3, lft);
	ways_refresh(ways);
	assert_int_equal(send_run(&run, &sender_a), 2); /* knows it already */
	assert_int_equal(arrived(), 1);
}

static void send__through_a_port_that_is_down(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	net_configure(net);
	subnet_set_link(net->subnet, AT(net->a, 1), false);
	meet();
	loses(&run, AT(net->a, 1), SUBNET_XMIT_DISCARDS);
}

static void send__with_a_pkey_that_a_switch_forbids(void **state)
{
	const uint8_t enforced[][2] = {{43, 0x44}};
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	set_up();
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, enforced, 1), 0);
	ways_refresh(ways);
	assert_int_equal(send_soon(&run), 1); /* the default one may pass */
	assert_int_equal(arrived(), 1);
	run.pkey = 0x8001;
	loses(&run, AT(net->sw, 2), SUBNET_XMIT_CONSTRAINTS);
}

static void send__longer_than_a_link_takes(void **state)
{
	const uint8_t small[][2] = {{36, 0x20}}; /* 512 */
	struct tp_run run = make_run(&stations[1], 7, 2000);

	(void)state;
	set_up();
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, small, 1), 0);
	ways_refresh(ways);
	begin();
	assert_int_equal(send_soon(&run), -EMSGSIZE);
	end();
	assert_int_equal(since.of[net->sw][2][SUBNET_XMIT_DISCARDS], 2);
	assert_int_equal(since.of[net->sw][1][SUBNET_UNICAST_RCV], 2);
	run = make_run(&stations[1], 7, 512);
	assert_int_equal(send_soon(&run), 1);
	assert_int_equal(arrived(), 1);
	run = make_run(&stations[1], 7, 513);
	assert_int_equal(send_soon(&run), -EMSGSIZE);
}

static void impair(uint32_t loss_ppm, uint64_t delay_ns)
{
	const struct subnet_link_faults faults = {.loss_ppm = loss_ppm, .delay_ns = delay_ns};

	assert_int_equal(subnet_set_link_faults(net->subnet, AT(net->b, 1), &faults), 0);
	ways_refresh(ways);
}

static void send__over_a_cable_that_loses_packets(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 2000);
	uint32_t come = 0;

	(void)state;
	set_up();
	assert_int_equal(send_soon(&run), 2);
	assert_int_equal(arrived(), 1);
	impair(400000, 0);
	begin();
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN); /* there is no memory for that yet */
	answer(&stations[0]);
	for (uint32_t i = 0; i < 500; i++) {
		assert_int_equal(send_run(&run, &sender_a), 2);
		come += arrived(); /* packet by packet now */
		wire_shm_progress(stations[0].wire, 64);
	}
	end();
	assert_true(come > 500 && come < 700);
	assert_int_equal(since.of[net->sw][2][SUBNET_UNICAST_XMIT], 1000);
	assert_int_equal(since.of[net->b][1][SUBNET_RCV_ERRORS], 1000 - come);
	/* What is lost was sent: so its sender is told, in its turn. */
	assert_int_equal(stations[0].sent, 1002);
	impair(0, 0);
	assert_int_equal(send_run(&run, &sender_a), 2);
	assert_int_equal(arrived(), 1);
}

/* Late, and in order; who is not on that cable does not wait. */
static void send__over_a_cable_that_is_slow(void **state)
{
	struct tp_run first = make_run(&stations[1], 7, 10), second = make_run(&stations[1], 8, 10);
	uint64_t now;

	(void)state;
	set_up();
	now = base_now_ns();
	impair(0, 5000000);
	assert_int_equal(send_soon(&first), -EAGAIN);
	answer(&stations[0]);
	assert_int_equal(send_run(&first, &sender_a), 1);
	assert_int_equal(send_run(&second, &sender_a), 1);
	assert_int_equal(arrived(), 0);
	base_host_turn(now, 100);
	base_host_turn(now + 4000000, 100);
	assert_int_equal(arrived(), 0);
	base_host_turn(now + 20000000, 100);
	assert_int_equal(arrived(), 2);
	assert_int_equal(stations[1].last_psn, 8);
}

static void send__nobody_has_that_number(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 10);

	(void)state;
	set_up();
	run.dest_qpn = 0x700000;
	begin();
	assert_int_equal(send_soon(&run), -ENOENT);
	end();
	assert_int_equal(since.of[net->b][1][SUBNET_UNICAST_RCV],
			 1); /* its port does not know that */
	run.path.dlid = 3;   /* the switch's */
	assert_int_equal(send_soon(&run), -EHOSTUNREACH);
}

static struct tp_run make_datagram(const uint8_t gid[16])
{
	struct tp_run run = make_run(&stations[1], 7, 10);

	run.first_opcode = run.last_opcode = PKT_UD_SEND_ONLY;
	run.path.dlid = MLID;
	run.path.has_grh = true;
	memcpy(run.path.dgid, gid, 16);
	assert_int_equal(directory_join(dir, stations[0].id, gid), 0);
	assert_int_equal(directory_join(dir, stations[1].id, gid), 0);
	return run;
}

/* A member gets a copy where the tables make one. */
static void send__to_a_group_by_the_tables(void **state)
{
	const uint8_t gid[16] = {0xff, 0x12, 0x40, 0x1b};
	struct tp_run run = make_datagram(gid);

	(void)state;
	set_up();
	begin();
	assert_int_equal(send_soon(&run), 1);
	end();
	assert_int_equal(arrived(), 0);
	assert_int_equal(since.of[net->sw][1][SUBNET_RCV_RELAY_ERRORS], 1);
	set_multicast(net, 1 << 1 | 1 << 2);
	ways_refresh(ways);
	begin();
	assert_int_equal(send_soon(&run), 1);
	end();
	assert_int_equal(arrived(), 1);
	assert_int_equal(stations[0].heard, 0);
	assert_int_equal(since.of[net->b][1][SUBNET_MULTICAST_RCV], 1);
	assert_int_equal(stations[0].sent, 2);
}

static bool is_direct(uint32_t opcode)
{
	struct tp_run run = make_run(&stations[1], 1, 8);
	struct tp_peer_window pw;

	run.first_opcode = run.last_opcode = (uint8_t)opcode;
	run.reth.dma_bytes = 8;
	return stations[0].port.ops->windows->find(&stations[0].port, &run, &pw);
}

static void open_own_window(void)
{
	const struct tp_window terms = {.qpn = stations[1].qpn,
					.peer_qpn = stations[0].qpn,
					.slid = 1,
					.dlid = 2,
					.pkey = 0xffff};

	assert_true(stations[1].port.ops->windows->open(&stations[1].port, &terms) != 0);
}

/* Both ways have to be known, whole, and quick. */
static void direct__only_where_nothing_can_happen(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 10);

	(void)state;
	set_up();
	open_own_window();
	assert_false(is_direct(PKT_RC_WRITE_ONLY));
	assert_int_equal(send_soon(&run), 1);
	assert_false(is_direct(PKT_RC_WRITE_ONLY)); /* asks for the way of the answer */
	assert_int_equal(stations[0].asked_way.slot, stations[1].slot);
	answer(&stations[0]);
	assert_true(is_direct(PKT_RC_WRITE_ONLY));
	impair(1, 0);
	assert_false(is_direct(PKT_RC_WRITE_ONLY));
	impair(0, 1);
	assert_false(is_direct(PKT_RC_WRITE_ONLY));
	impair(0, 0);
	assert_true(is_direct(PKT_RC_WRITE_ONLY));
	subnet_set_link(net->subnet, AT(net->a, 1), false);
	ways_refresh(ways);
	assert_false(is_direct(PKT_RC_WRITE_ONLY));
}

static void direct__is_counted_there_and_back(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 0);
	uint32_t responses;
	uint64_t words;

	(void)state;
	set_up();
	open_own_window();
	(void)is_direct(PKT_RC_READ_REQUEST);
	answer(&stations[0]);
	stations[0].asked_way = (struct directory_way_key){stations[0].slot, 2, 0, 0xffff};
	answer(&stations[0]);
	(void)is_direct(PKT_RC_READ_REQUEST);
	answer(&stations[0]);
	assert_true(is_direct(PKT_RC_READ_REQUEST));
	run.first_opcode = run.last_opcode = PKT_RC_READ_REQUEST;
	run.reth.dma_bytes = 3000;
	words = shm_run_response_bytes(&run, &responses) / 4;
	begin();
	stations[0].port.ops->windows->placed(&stations[0].port, &run);
	end();
	assert_int_equal(since.of[net->b][1][SUBNET_UNICAST_RCV], 1);
	assert_int_equal(since.of[net->b][1][SUBNET_UNICAST_XMIT], responses);
	assert_int_equal(since.of[net->sw][1][SUBNET_XMIT_DATA], words);
	assert_int_equal(since.of[net->a][1][SUBNET_RCV_DATA], words);
}

/* Nothing that may be in the directory does any harm. */
static void send__by_garbage(void **state)
{
	struct tp_run run = make_run(&stations[1], 7, 2000);
	const uint64_t packed =
		directory_way_pack(&(struct directory_way_key){stations[0].slot, 2, 0, 0xffff});
	uint64_t seed = 1;

	(void)state;
	set_up();
	assert_int_equal(send_soon(&run), 2);
	for (uint32_t i = 0; i < 2000; i++) {
		struct directory_way *way = &dir->ways.way[directory_way_home(packed)];

		for (size_t n = 1; n < sizeof(*way) / sizeof(uint64_t); n++)
			((uint64_t *)way)[n] = base_random(&seed) >> base_random(&seed) % 64;
		way->key = packed;
		way->sequence = i & 8 ? 0 : (uint32_t)base_random(&seed);
		dir->ways.epoch = (uint32_t)base_random(&seed) % 3 - 1;
		if (i & 1)
			((struct directory_way_is *)way->is)->verdict = 0;
		if (i & 2)
			((struct directory_way_is *)way->is)->slot %= 2 * FABRIC_PORTS;
		(void)send_run(&run, &sender_a);
		if (!(i % 100))
			wire_shm_resolved(stations[0].wire, &stations[0].asked_way);
		(void)arrived();
	}
}

static void why_lost__where_it_was_discarded(void **state)
{
	const uint8_t small[][2] = {{36, 0x20}}, large[][2] = {{36, 0x50}};
	struct tp_run run = make_run(&stations[1], 7, 2000);
	uint8_t lft[64];

	(void)state;
	set_up();
	subnet_set_description(net->subnet, net->sw, "leaf 1");
	memset(lft, 255, sizeof(lft));
	net_set_lft(net, net->sw, 3, lft);
	assert_int_equal(send_soon(&run), -EHOSTUNREACH);
	expect_cause(BASE_CAUSE_WAY_NO_ROUTE, "leaf 1 has no route for LID 0x2");
	lft[2] = 2;
	net_set_lft(net, net->sw, 3, lft);
	ways_refresh(ways);
	stations[1].asked_way = (struct directory_way_key){stations[1].slot, 1, 0, 0xffff};
	answer(&stations[1]);
	expect_cause(BASE_CAUSE_WAY_NO_ROUTE, "leaf 1 has no route for LID 0x1"); /* the answers */
	lft[1] = 1;
	net_set_lft(net, net->sw, 3, lft);
	subnet_set_link(net->subnet, AT(net->b, 1), false);
	ways_refresh(ways);
	expect_cause(BASE_CAUSE_WAY_NOT_ACTIVE, "port 2 of leaf 1");
	subnet_set_link(net->subnet, AT(net->b, 1), true);
	for (uint8_t s = 3; s <= 4; s++) {
		assert_int_equal(net_set_state(net, AT(net->b, 1), 0, s), 0);
		assert_int_equal(net_set_state(net, AT(net->sw, 0), 2, s), 0);
	}
	impair(300, 7000);
	expect_cause(BASE_CAUSE_WAY_CABLE, "lose 600 of a million packets, and are 14 us late");
	impair(0, 0);
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, small, 1), 0);
	ways_refresh(ways);
	assert_int_equal(send_soon(&run), -EMSGSIZE);
	expect_cause(BASE_CAUSE_WAY_TOO_LONG, "the 512 bytes");
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 2, large, 1), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_ways, stop_ways)
#define TEST_DIRECT(name) cmocka_unit_test_setup_teardown(name, start_direct_ways, stop_ways)

static const struct CMUnitTest tests[] = {
	TEST(send__asks_for_the_way_once),
	TEST(send__not_for_ever_without_a_daemon),
	TEST(send__is_counted_on_every_hop),
	TEST(send__while_ways_are_resolved_anew),
	TEST(send__by_wrong_tables),
	TEST(send__through_a_port_that_is_down),
	TEST(send__with_a_pkey_that_a_switch_forbids),
	TEST(send__longer_than_a_link_takes),
	TEST(send__over_a_cable_that_loses_packets),
	TEST(send__over_a_cable_that_is_slow),
	TEST(send__nobody_has_that_number),
	TEST(send__to_a_group_by_the_tables),
	TEST_DIRECT(direct__only_where_nothing_can_happen),
	TEST_DIRECT(direct__is_counted_there_and_back),
	TEST(send__by_garbage),
	TEST(why_lost__where_it_was_discarded),
};

int main(void)
{
	return verbena_test_main(tests);
}
