// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Datagrams of QP 0 and QP 1 go by the daemon, and nothing else does. */
#include "wire/shm_mad.c"

#include "shm_fixture.h"

#define AGAIN_TURNS 4u

static struct {
	int result;
	uint32_t count;
	uint32_t slot;
	struct subnet_mad mad;
	bool qkey;
} daemon_end;

static int take(void *ctx, uint32_t slot, const struct subnet_mad *mad)
{
	(void)ctx;
	if (daemon_end.result)
		return daemon_end.result;
	daemon_end.count++;
	daemon_end.slot = slot;
	daemon_end.mad = *mad;
	return 0;
}

static void take_bad_key(void *ctx, uint32_t slot, bool qkey, const struct subnet_mad *header)
{
	(void)take(ctx, slot, header);
	daemon_end.qkey = qkey;
}

static int start_managed(void **state)
{
	const int ret = start(state);

	memset(&daemon_end, 0, sizeof(daemon_end));
	stations[0].wire->config.send_mad = take;
	stations[0].wire->config.bad_key = take_bad_key;
	return ret;
}

static struct tp_run make_mad(uint32_t qpn, uint16_t dlid)
{
	struct tp_run run = make_run(&stations[1], 1, SUBNET_MAD_BYTES);

	run.dest_qpn = qpn;
	run.first_opcode = run.last_opcode = PKT_UD_SEND_ONLY;
	run.deth = (struct pkt_deth){.qkey = 0x80010000, .src_qpn = qpn};
	run.path.dlid = dlid;
	return run;
}

static void shm_send_mad__goes_to_the_daemon(void **state)
{
	struct tp_run run = make_mad(1, 77);

	(void)state;
	assert_int_equal(send_run(&run, &sender_a), 1);
	assert_int_equal(stations[0].sent, 0); /* not while locks may be held */
	kick();
	assert_int_equal(stations[0].sent, 1);
	assert_int_equal(daemon_end.count, 1);
	assert_int_equal(daemon_end.slot, stations[0].slot);
	assert_int_equal(daemon_end.mad.dlid, 77);
	assert_int_equal(daemon_end.mad.slid, run.path.slid);
	assert_int_equal(daemon_end.mad.dest_qpn, 1);
	assert_int_equal(daemon_end.mad.qkey, 0x80010000);
	assert_memory_equal(daemon_end.mad.data, data, SUBNET_MAD_BYTES);
}

static void shm_send_mad__neighbour_hears_no_lid(void **state)
{
	struct tp_run run = make_mad(0, SUBNET_PERMISSIVE_LID);

	(void)state;
	assert_int_equal(send_run(&run, &sender_a), 1);
	assert_int_equal(daemon_end.mad.slid, SUBNET_PERMISSIVE_LID);
	assert_int_equal(daemon_end.mad.dest_qpn, 0);
	kick();
}

static void shm_send_mad__data_goes_its_way(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 16);

	(void)state;
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN); /* not introduced yet */
	assert_int_equal(stations[0].asked, 1);
	assert_int_equal(daemon_end.count, 0);
}

static void shm_send_mad__of_another_length_is_lost(void **state)
{
	struct tp_run run = make_mad(1, 77);
	struct wire_shm_stats stats;

	(void)state;
	run.payload.bytes = SUBNET_MAD_BYTES - 4;
	assert_true(send_run(&run, &sender_a) < 0);
	wire_shm_stats(stations[0].wire, &stats);
	assert_int_equal(stats.dropped, 1);
	assert_int_equal(daemon_end.count, 0);
}

/* A daemon that has no room for it is offered it again after a while. */
static void shm_send_mad__waits_for_the_daemon(void **state)
{
	struct tp_run run = make_mad(1, 77);

	(void)state;
	daemon_end.result = -EAGAIN;
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	for (unsigned int i = 1; i <= AGAIN_TURNS; i++)
		base_host_turn(base_now_ns() + i * AGAIN_NS, 100);
	assert_int_equal(stations[0].ready, 1);
	daemon_end.result = 0;
	assert_int_equal(send_run(&run, &sender_a), 1);
	kick();
	assert_int_equal(stations[0].sent, 1);
}

static void shm_send_mad__is_lost_if_the_daemon_is_stopped(void **state)
{
	struct tp_run run = make_mad(1, 77);

	(void)state;
	daemon_end.result = -EAGAIN;
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN);
	stations[0].now_ns += SHM_PATIENCE_NS;
	assert_int_equal(send_run(&run, &sender_a), -ENETDOWN);
	daemon_end.result = 0;
	assert_int_equal(send_run(&run, &sender_a), 1);
	daemon_end.result = -EAGAIN;
	assert_int_equal(send_run(&run, &sender_a), -EAGAIN); /* patient again */
	kick();
}

static void shm_send_mad__is_lost_without_a_daemon(void **state)
{
	struct tp_run run = make_mad(1, 77);

	(void)state;
	daemon_end.result = -ENOTCONN;
	assert_int_equal(send_run(&run, &sender_a), -ENOTCONN);
	kick();
	assert_int_equal(stations[0].sent, 0);
}

static void shm_bad_key__is_said(void **state)
{
	struct tp_run run = make_run(&stations[1], 1, 16);

	(void)state;
	run.first_opcode = run.last_opcode = PKT_UD_SEND_ONLY;
	run.deth = (struct pkt_deth){.qkey = 5, .src_qpn = 9};
	stations[0].port.ops->bad_key(&stations[0].port, &run, true);
	assert_true(daemon_end.qkey);
	assert_int_equal(daemon_end.mad.qkey, 5);
	assert_int_equal(daemon_end.mad.src_qpn, 9);
	stations[1].port.ops->bad_key(&stations[1].port, &run, true);
	assert_int_equal(daemon_end.count, 1);
}

static void wire_shm_receive_mad__is_for_its_port(void **state)
{
	struct subnet_mad mad = {.dest_qpn = 1, .dlid = 3};
	struct wire_shm_stats stats;

	(void)state;
	mad.data[SUBNET_MAD_BYTES - 1] = 42;
	wire_shm_receive_mad(stations[0].wire, stations[0].slot, &mad);
	assert_int_equal(stations[0].heard, 1);
	assert_int_equal(stations[0].last_byte, 42);
	wire_shm_receive_mad(stations[0].wire, stations[1].slot, &mad);
	assert_int_equal(stations[0].heard, 1);
	wire_shm_stats(stations[0].wire, &stats);
	assert_int_equal(stats.dropped, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_managed, stop)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(shm_send_mad__goes_to_the_daemon),
		TEST(shm_send_mad__neighbour_hears_no_lid),
		TEST(shm_send_mad__data_goes_its_way),
		TEST(shm_send_mad__of_another_length_is_lost),
		TEST(shm_send_mad__waits_for_the_daemon),
		TEST(shm_send_mad__is_lost_if_the_daemon_is_stopped),
		TEST(shm_send_mad__is_lost_without_a_daemon),
		TEST(shm_bad_key__is_said),
		TEST(wire_shm_receive_mad__is_for_its_port),
	};

	return verbena_test_main(tests);
}
