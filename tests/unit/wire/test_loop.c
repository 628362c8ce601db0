// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The wire alone: the transport above it is this file. */
#include "wire/loop_subnet.h"

#include <errno.h>
#include <string.h>

#include "base/host.h"
#include "common/test.h"
#include "packet/opcode.h"
#include "transport/tp_engine.h"

#define PORTS 3

struct station {
	struct tp_port port;
	uint32_t slot;
	char heard[256]; /* PSNs, one byte each */
	unsigned int count;
	uint32_t sent;
	unsigned int ready;
	bool detached;
};

static struct fabric fabric;
static struct fabric_faults plan;
static struct wire_loop *loop;
static struct station stations[PORTS];
static struct station *answerer; /* sends back what it hears, once */
static char payload[4096];
static struct subnet *subnet;
static struct subnet_at place; /* of station 1 in @subnet */
static uint32_t flood;	       /* MADs that arrive while it is busy with one */

static struct station *station_of(struct tp_port *port)
{
	return container_of(port, struct station, port);
}

static struct tp_run make_run(const struct station *from, uint16_t dlid, uint32_t psn,
			      uint32_t packets)
{
	static struct iovec iov;
	struct tp_run run = {.dest_qpn = 5,
			     .pkey = 0xffff,
			     .psn = {psn},
			     .packets = packets,
			     .pmtu_bytes = 256,
			     .first_opcode = packets > 1 ? PKT_RC_SEND_FIRST : PKT_RC_SEND_ONLY,
			     .last_opcode = packets > 1 ? PKT_RC_SEND_LAST : PKT_RC_SEND_ONLY,
			     .ack_req = true};

	iov = (struct iovec){payload, sizeof(payload)};
	run.path.slid = fabric.ports[from->slot].config.lid;
	run.path.dlid = dlid;
	run.payload =
		(struct tp_payload){.iov = &iov, .count = 1, .bytes = 256 * (packets - 1) + 100};
	return run;
}

static uint16_t lid_of(const struct station *s)
{
	return fabric.ports[s->slot].config.lid;
}

static void send_psn(struct station *from, const struct station *to, uint32_t psn)
{
	const struct tp_run run = make_run(from, lid_of(to), psn, 1);

	assert_int_equal(from->port.ops->send(&from->port, &run, from), 1);
}

static void deliver_mads(uint32_t count, uint32_t qpn)
{
	const struct subnet_mad mad = {.dest_qpn = qpn};

	for (uint32_t i = 0; i < count; i++)
		assert_true(wire_loop_deliver_mad(loop, place, &mad));
}

void tp_receive(struct tp_port *port, const struct tp_run *run)
{
	struct station *s = station_of(port);
	const uint32_t more = flood;

	flood = 0;
	deliver_mads(more, 1);
	deliver_mads(more ? 3 : 0, 0);
	for (uint32_t i = 0; i < run->packets; i++)
		if (s->count < sizeof(s->heard))
			s->heard[s->count++] = (char)(run->psn.v + i);
	if (s != answerer)
		return;
	answerer = NULL;
	send_psn(s, &stations[0], 0x77);
	port->ops->kick(port); /* nested: must leave the work to the outermost one */
	assert_int_equal(stations[0].count, 0);
}

void tp_receive_starved(struct tp_port *port, const struct tp_run *run)
{
	tp_receive(port, run);
}

uint32_t tp_sender_qpn(const void *sender)
{
	(void)sender;
	return 1;
}

void tp_sent(struct tp_port *port, void *sender, uint32_t packets)
{
	assert_ptr_equal(sender, station_of(port));
	station_of(port)->sent += packets;
}

void tp_port_ready(struct tp_port *port)
{
	station_of(port)->ready++;
}

bool tp_port_listens(const struct tp_port *port, uint32_t qpn)
{
	(void)port;
	(void)qpn;
	return true;
}

void tp_batch_begin(void)
{
}

void tp_batch_end(void)
{
}

static void detach(struct station *s)
{
	wire_loop_detach(loop, s->slot);
	s->detached = true;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < PORTS; i++)
		if (stations[i].port.wire && !stations[i].detached)
			detach(&stations[i]);
	wire_loop_free(loop);
	subnet_free(subnet);
	subnet = NULL;
	fabric_faults_free(&plan);
	for (int i = 0; i < PORTS; i++)
		if (stations[i].port.wire)
			stations[i].port.ops->release(&stations[i].port);
	return 0;
}

static int setup(void **state)
{
	memset(&fabric, 0, sizeof(fabric));
	memset(stations, 0, sizeof(stations));
	answerer = NULL;
	fabric_init(&fabric, 0);
	fabric_faults_init(&plan);
	loop = wire_loop_new(&fabric, &plan);
	if (!loop)
		return -1;
	for (int i = 0; i < PORTS; i++) {
		const struct fabric_port_config config = {.lid = 0};

		if (fabric_port_add(&fabric, &config, &stations[i].slot) ||
		    wire_loop_attach(loop, stations[i].slot, &stations[i].port)) {
			(void)teardown(state);
			return -1;
		}
	}
	return 0;
}

static void kick(struct station *s)
{
	s->port.ops->kick(&s->port);
}

static void kick__hands_over_in_order(void **state)
{
	struct station *a = &stations[0], *b = &stations[1];

	(void)state;
	send_psn(a, b, 1);
	send_psn(a, b, 2);
	assert_int_equal(b->count, 0);
	kick(a);
	assert_int_equal(b->count, 2);
	assert_memory_equal(b->heard, "\1\2", 2);
	assert_int_equal(a->sent, 2);
}

static void kick__nested_leaves_the_work_to_the_outermost(void **state)
{
	struct station *a = &stations[0], *b = &stations[1];

	(void)state;
	answerer = b;
	send_psn(a, b, 1);
	kick(a);
	assert_int_equal(a->count, 1);
	assert_int_equal(a->heard[0], 0x77);
}

static void send__full_ring_is_eagain_then_ready(void **state)
{
	struct station *a = &stations[0], *b = &stations[1];
	const struct tp_run run = make_run(a, lid_of(b), 1, 1);
	int taken = 0, ret;

	(void)state;
	while ((ret = a->port.ops->send(&a->port, &run, a)) > 0)
		taken++;
	assert_int_equal(ret, -EAGAIN);
	assert_true(taken >= 16);
	assert_int_equal(a->ready, 0);
	kick(a);
	assert_int_equal(a->ready, 1);
	assert_int_equal(a->sent, taken);
}

static void deliver__unknown_lid_and_broken_links_are_drops(void **state)
{
	struct station *a = &stations[0], *b = &stations[1];
	const struct tp_run nowhere = make_run(a, 0x1234, 1, 1);
	struct wire_stats stats;

	(void)state;
	a->port.ops->send(&a->port, &nowhere, a);
	kick(a);
	fabric_port_set_link(&fabric, b->slot, false);
	send_psn(a, b, 2);
	kick(a);
	wire_loop_stats(loop, &stats);
	assert_int_equal(stats.packets, 2);
	assert_int_equal(stats.dropped, 2);
	assert_int_equal(a->sent, 2); /* the payload is free all the same */
	assert_int_equal(b->count, 0);
}

static void deliver__multicast_goes_to_all_but_the_sender(void **state)
{
	struct station *a = &stations[0];
	const struct tp_run run = make_run(a, 0xc001, 9, 1);

	(void)state;
	a->port.ops->send(&a->port, &run, a);
	kick(a);
	assert_int_equal(a->count, 0);
	assert_int_equal(stations[1].count, 1);
	assert_int_equal(stations[2].count, 1);
}

static void wire_loop_stats__bytes_of_a_run(void **state)
{
	struct station *a = &stations[0];
	const struct tp_run run = make_run(a, lid_of(&stations[1]), 1, 3);
	struct wire_stats stats;

	(void)state;
	assert_int_equal(a->port.ops->send(&a->port, &run, a), 3);
	kick(a);
	wire_loop_stats(loop, &stats);
	assert_int_equal(stats.packets, 3);
	assert_int_equal(stats.bytes, 3 * (8 + 12 + 4 + 2) + 612);
	assert_memory_equal(stations[1].heard, "\1\2\3", 3);
}

static void quiesce__waits_until_nothing_of_the_sender_is_left(void **state)
{
	struct station *a = &stations[0], *b = &stations[1];

	(void)state;
	send_psn(a, b, 1);
	a->port.ops->quiesce(&a->port, b); /* another sender: nothing to wait for */
	assert_int_equal(b->count, 0);
	a->port.ops->quiesce(&a->port, a);
	assert_int_equal(b->count, 1);
}

static void faults(struct fabric_fault_rates rates)
{
	assert_int_equal(wire_loop_prepare_faults(loop, 64), 0);
	assert_int_equal(fabric_faults_set(&plan, &rates), 0);
}

static void turn(uint64_t by_ns)
{
	base_host_turn(base_now_ns(), 100);
	base_host_turn(base_now_ns() + by_ns, 100);
}

static void impair_run__all_lost(void **state)
{
	struct wire_stats stats;

	(void)state;
	faults((struct fabric_fault_rates){.drop_ppm = 1000000});
	send_psn(&stations[0], &stations[1], 1);
	kick(&stations[0]);
	wire_loop_stats(loop, &stats);
	assert_int_equal(stats.dropped, 1);
	assert_int_equal(stations[1].count, 0);
	assert_int_equal(stations[0].sent, 1);
}

static void impair_run__damage_is_rejected(void **state)
{
	struct wire_stats stats;

	(void)state;
	faults((struct fabric_fault_rates){.seed = 4, .corrupt_ppm = 1000000});
	for (uint32_t psn = 0; psn < 20; psn++)
		send_psn(&stations[0], &stations[1], psn);
	kick(&stations[0]);
	wire_loop_stats(loop, &stats);
	assert_int_equal(stats.corrupted, 20);
	assert_int_equal(stats.rejected, 20);
	assert_int_equal(stations[1].count, 0);
}

static void impair_run__a_run_becomes_packets_that_come_late(void **state)
{
	struct station *a = &stations[0], *b = &stations[1];
	const struct tp_run run = make_run(a, lid_of(b), 1, 3);

	(void)state;
	faults((struct fabric_fault_rates){.delay_ns = 1000});
	a->port.ops->send(&a->port, &run, a);
	kick(a);
	assert_int_equal(b->count, 0);
	assert_int_equal(a->sent, 3); /* the bytes were copied */
	turn(999);
	assert_int_equal(b->count, 0);
	turn(1);
	assert_int_equal(b->count, 3);
	assert_memory_equal(b->heard, "\1\2\3", 3);
}

static void impair_run__doubles_come_twice_and_jitter_keeps_order(void **state)
{
	struct station *a = &stations[0], *b = &stations[1];

	(void)state;
	faults((struct fabric_fault_rates){.seed = 2, .delay_ns = 100, .jitter_ns = 5000});
	for (uint32_t psn = 0; psn < 30; psn++)
		send_psn(a, b, psn);
	kick(a);
	turn(100000);
	assert_int_equal(b->count, 30);
	for (int i = 0; i < 30; i++)
		assert_int_equal(b->heard[i], i);
	faults((struct fabric_fault_rates){.duplicate_ppm = 1000000});
	send_psn(a, b, 40);
	kick(a);
	turn(100000);
	assert_int_equal(b->count, 32);
}

static void late_arrives__not_over_a_broken_link(void **state)
{
	struct station *a = &stations[0], *b = &stations[1];

	(void)state;
	faults((struct fabric_fault_rates){.delay_ns = 1000});
	send_psn(a, b, 1);
	kick(a);
	fabric_port_set_link(&fabric, b->slot, false);
	turn(5000);
	assert_int_equal(b->count, 0);
}

static void send_later__full_pool_drops(void **state)
{
	struct wire_stats stats;

	(void)state;
	faults((struct fabric_fault_rates){.delay_ns = 1000});
	for (uint32_t psn = 0; psn < 100; psn++)
		send_psn(&stations[0], &stations[1], psn);
	kick(&stations[0]);
	wire_loop_stats(loop, &stats);
	assert_int_equal(stats.dropped, 100 - 64);
	turn(5000);
	assert_int_equal(stations[1].count, 64);
}

static void wire_loop_detach__takes_what_is_under_way(void **state)
{
	(void)state;
	faults((struct fabric_fault_rates){.delay_ns = 1000});
	send_psn(&stations[0], &stations[1], 1);
	kick(&stations[0]);
	detach(&stations[1]);
	turn(5000);
	assert_int_equal(stations[1].count, 0);
	assert_true(base_host_idle());
}

/* A thread that had begun to send when the port was detached still finds what it needs. */
static void wire_loop_detach__late_sender_is_refused(void **state)
{
	struct station *a = &stations[0];
	const struct tp_run run = make_run(a, lid_of(&stations[1]), 1, 1);

	(void)state;
	for (int i = 0; i < PORTS; i++)
		detach(&stations[i]);
	assert_int_equal(a->port.ops->send(&a->port, &run, a), -ENETDOWN);
	a->port.ops->kick(&a->port);
	a->port.ops->quiesce(&a->port, a);
	wire_loop_free(loop);
	loop = NULL;
	assert_int_equal(a->port.ops->send(&a->port, &run, a), -ENETDOWN);
	a->port.ops->kick(&a->port);
	a->port.ops->quiesce(&a->port, a);
}

#define MADS 1024u /* that may wait */

/* PortCounters of the place. */
static uint16_t counter_at(uint32_t offset)
{
	struct subnet_mad in = {.data = {1, 4, 1, 1}}, out;

	in.data[17] = 0x12;
	in.data[65] = place.port;
	assert_int_equal(subnet_process_mad(subnet, place, 0, &in, &out), 3);
	return (uint16_t)(out.data[64 + offset] << 8 | out.data[64 + offset + 1]);
}

static void wire_loop_deliver_mad__overflow_is_counted(void **state)
{
	const struct subnet_node_config config = {.type = SUBNET_CA, .ports = 1};

	(void)state;
	subnet = subnet_new(NULL, NULL);
	assert_non_null(subnet);
	assert_int_equal(subnet_add_node(subnet, &config, &place.node), 0);
	place.port = 1;
	assert_int_equal(wire_loop_set_subnet(loop, subnet), 0);
	wire_loop_place(loop, stations[1].slot, place);
	flood = MADS + 4;
	deliver_mads(1, 0);
	assert_int_equal(stations[1].count, sizeof(stations[1].heard));
	assert_int_equal(counter_at(20), 4); /* QP1Dropped */
	assert_int_equal(counter_at(22), 3); /* VL15Dropped */
	flood = MADS - 3;
	deliver_mads(1, 0);
	assert_int_equal(counter_at(20), 4);
	assert_int_equal(counter_at(22), 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(kick__hands_over_in_order),
	TEST(kick__nested_leaves_the_work_to_the_outermost),
	TEST(send__full_ring_is_eagain_then_ready),
	TEST(deliver__unknown_lid_and_broken_links_are_drops),
	TEST(deliver__multicast_goes_to_all_but_the_sender),
	TEST(wire_loop_stats__bytes_of_a_run),
	TEST(quiesce__waits_until_nothing_of_the_sender_is_left),
	TEST(impair_run__all_lost),
	TEST(impair_run__damage_is_rejected),
	TEST(impair_run__a_run_becomes_packets_that_come_late),
	TEST(impair_run__doubles_come_twice_and_jitter_keeps_order),
	TEST(late_arrives__not_over_a_broken_link),
	TEST(send_later__full_pool_drops),
	TEST(wire_loop_detach__takes_what_is_under_way),
	TEST(wire_loop_detach__late_sender_is_refused),
	TEST(wire_loop_deliver_mad__overflow_is_counted),
};

int main(void)
{
	return verbena_test_main(tests);
}
