// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Two processes' wires, both in this one; the transport above them is this file. */
#include "wire/shm.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/host.h"
#include "base/umem.h"
#include "common/test.h"
#include "packet/opcode.h"
#include "transport/tp_engine.h"
#include "wire/shm_priv.h"

#define BIG (512u << 10)

struct station {
	struct tp_port port;
	struct wire_shm *wire;
	struct shm_control *control;
	uint32_t id;
	uint32_t slot;
	uint32_t qpn;
	uint32_t asked; /* introductions, and for whom the last one */
	uint32_t asked_for;
	unsigned int heard;
	uint32_t last_psn;
	uint32_t packets;
	uint8_t last_byte;
	int copy_result;
	uint32_t sent;
	unsigned int ready;
	uint32_t lacks_receive; /* a queue pair */
	uint64_t now_ns;
};

static struct directory *dir;
static struct fabric_faults plan;
static struct station stations[2];
static struct shm_control controls[2];
static int wake_fds[2];
static uint8_t data[BIG];
static uint8_t got[BIG];
static char sender_a, sender_b;

static struct station *station_of(struct tp_port *port)
{
	return container_of(port, struct station, port);
}

void tp_receive(struct tp_port *port, const struct tp_run *run)
{
	struct station *s = station_of(port);
	const struct iovec to = {got, sizeof(got)};
	const struct tp_payload *from = &run->payload;

	s->heard++;
	s->packets += run->packets;
	s->last_psn = run->psn.v;
	if (from->source)
		s->copy_result = from->source->copy(from->source, &to, 1, from->iov, from->count,
						    from->offset, from->bytes);
	else
		s->copy_result = base_umem_copy_iov(&to, 1, 0, from->iov, from->count, from->offset,
						    from->bytes);
	s->last_byte = from->bytes ? got[from->bytes - 1] : 0;
}

void tp_receive_starved(struct tp_port *port, const struct tp_run *run)
{
	tp_receive(port, run);
}

bool tp_lacks_receive(struct tp_port *port, const struct tp_run *run)
{
	return station_of(port)->lacks_receive == run->dest_qpn;
}

uint32_t tp_sender_qpn(const void *sender)
{
	(void)sender;
	return 1;
}

void tp_sent(struct tp_port *port, void *sender, uint32_t packets)
{
	assert_true(sender == &sender_a || sender == &sender_b);
	station_of(port)->sent += packets;
}

void tp_port_ready(struct tp_port *port)
{
	station_of(port)->ready++;
}

void tp_batch_begin(void)
{
}

void tp_batch_end(void)
{
}

static void introduce(void *ctx, uint32_t peer)
{
	struct station *s = ctx;

	s->asked++;
	s->asked_for = peer;
}

static uint64_t now_ns(void *ctx)
{
	return ((struct station *)ctx)->now_ns;
}

static void open_station(struct station *s)
{
	const struct directory_hca one = {.ports = 1};
	const int host = directory_add_host(dir, "host");
	struct wire_shm_config config = {.directory = dir,
					 .introduce = introduce,
					 .now_ns = now_ns,
					 .faults = &plan,
					 .ctx = s};
	int id;

	memset(s, 0, sizeof(*s));
	s->now_ns = 1000000;
	assert_int_equal(directory_add_hca(dir, (uint32_t)host, 0, &one), 0);
	s->slot = (uint32_t)directory_slot(dir, (uint32_t)host, 0, 0);
	id = directory_add_process(dir, (uint32_t)host, getpid(), 0);
	assert_true(id >= 0);
	s->id = config.self = (uint32_t)id;
	assert_int_equal(directory_take_block(dir, s->id, &s->qpn), 0);
	s->control = &controls[s - stations];
	memset(s->control, 0, sizeof(*s->control));
	s->control->nonce = 0x1000 + s->slot;
	config.control = s->control;
	s->wire = wire_shm_new(&config);
	assert_non_null(s->wire);
	assert_int_equal(wire_shm_attach(s->wire, s->slot, &s->port), 0);
}

static void *map_shared(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(mem, MAP_FAILED);
	return mem;
}

/* A second mapping, as it would be in the other process. */
static void *map_again(void *mem, size_t bytes)
{
	void *again = mremap(mem, 0, bytes, MREMAP_MAYMOVE);

	assert_ptr_not_equal(again, MAP_FAILED);
	return again;
}

static struct shm_pair *pair;
static struct shm_control *shown[2];
static uint64_t lies; /* what is at its place in the process of that pid is something else */

static void meet(void)
{
	pair = map_shared(sizeof(*pair));
	for (int i = 0; i < 2; i++) {
		const struct station *other = &stations[1 - i];
		struct wire_shm_peer peer = {.id = other->id,
					     .generation = dir->process[other->id].generation,
					     .pair = i ? map_again(pair, sizeof(*pair)) : pair,
					     .control_address = (uintptr_t)other->control,
					     .pid = getpid(),
					     .mem_fd = -1};

		shown[1 - i] = map_shared(sizeof(struct shm_control));
		shown[1 - i]->nonce = other->control->nonce + lies;
		peer.control = shown[1 - i];
		wake_fds[1 - i] = eventfd(0, EFD_NONBLOCK);
		peer.wake_fd = wake_fds[1 - i];
		assert_int_equal(wire_shm_add_peer(stations[i].wire, &peer), 0);
	}
}

static int start(void **state)
{
	(void)state;
	dir = base_zalloc(sizeof(*dir));
	if (!dir || base_umem_init())
		return -1;
	directory_init(dir, 0, 1);
	fabric_faults_init(&plan);
	for (int i = 0; i < 2; i++)
		open_station(&stations[i]);
	for (uint32_t i = 0; i < BIG; i++)
		data[i] = (uint8_t)(i * 13 + 1);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		wire_shm_detach(stations[i].wire, stations[i].slot);
		wire_shm_free(stations[i].wire);
		stations[i].port.ops->release(&stations[i].port);
	}
	fabric_faults_free(&plan);
	base_free(dir);
	return 0;
}

static struct iovec whole = {data, sizeof(data)};

static struct tp_run make_run(const struct station *to, uint32_t psn, uint32_t bytes)
{
	const uint32_t packets = bytes > 1024 ? (bytes + 1023) / 1024 : 1;
	struct tp_run run = {
		.dest_qpn = to->qpn,
		.pkey = 0xffff,
		.psn = {psn},
		.packets = packets,
		.pmtu_bytes = 1024,
		.first_opcode = packets > 1 ? PKT_RC_SEND_FIRST : PKT_RC_SEND_ONLY,
		.last_opcode = packets > 1 ? PKT_RC_SEND_LAST : PKT_RC_SEND_ONLY,
		.payload = {.iov = &whole, .count = 1, .bytes = bytes},
	};

	run.path.slid = dir->fabric.ports[stations[0].slot].config.lid;
	run.path.dlid = dir->fabric.ports[to->slot].config.lid;
	return run;
}

static int send_run(const struct tp_run *run, void *sender)
{
	struct station *s = &stations[0];

	return s->port.ops->send(&s->port, run, sender);
}

static void kick(void)
{
	stations[0].port.ops->kick(&stations[0].port);
}

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
	struct tp_run run = make_run(&stations[1], 7, 50000);
	struct wire_shm_stats stats;

	(void)state;
	meet();
	assert_int_equal(send_run(&run, &sender_a), 49);
	assert_int_equal(wire_shm_progress(stations[1].wire, 64), 1);
	assert_int_equal(stations[1].copy_result, 0);
	assert_memory_equal(got, data, 50000);
	wire_shm_stats(stations[1].wire, &stats);
	assert_int_equal(stats.pulled, 1);
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
static void meet__memory_of_another_process_is_not_read(void **state)
{
	const struct shm_ring *ring;

	for (lies = 0; lies < 2; lies++) {
		meet();
		ring = &pair->ring[stations[0].id < stations[1].id ? 1 : 0];
		assert_int_equal(ring->can_pull, !lies);
		stop(state);
		start(state);
	}
	lies = 0;
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
	while (wire_shm_progress(stations[1].wire, 64))
		;
	assert_int_equal(stations[1].heard, n);
	/* The consumer has seen that we wait. */
	assert_int_equal(read(wake_fds[0], &woken, sizeof(woken)), sizeof(woken));
	wire_shm_progress(stations[0].wire, 64);
	assert_int_equal(stations[0].ready, ready + 1);
	assert_int_equal(stations[0].sent, n);
	assert_int_equal(send_run(&run, &sender_a), 1);
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
	struct tp_run big = make_run(&stations[1], 7, 50000), small = make_run(&stations[1], 8, 10);

	(void)state;
	meet();
	assert_int_equal(send_run(&big, &sender_a), 49);
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
	struct tp_run big = make_run(&stations[1], 7, 50000);
	struct shm_run *record;
	pthread_t reader;

	(void)state;
	meet();
	assert_int_equal(send_run(&big, &sender_a), 49);
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
	struct tp_run big = make_run(&stations[1], 7, 50000);
	pthread_t daemon;

	(void)state;
	meet();
	assert_int_equal(send_run(&big, &sender_a), 49);
	stations[0].wire->peers[stations[1].id]->held.entry[0].record->state = SHM_RUN_TAKEN;
	assert_int_equal(pthread_create(&daemon, NULL, drop_the_reader, NULL), 0);
	stations[0].port.ops->quiesce(&stations[0].port, &sender_a);
	assert_int_equal(stations[0].sent, 49); /* told before, for the sender may go now */
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
	assert_int_equal(wire_shm_sleep(wire), UINT64_MAX);
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
	pair->ring[out].head = UINT64_MAX; /* and now it is broken for good */
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
		base_host_turn(base_host_now_ns(), 100);
		base_host_turn(base_host_now_ns() + 100000, 100);
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
	TEST(meet__memory_of_another_process_is_not_read),
	TEST(send__full_then_ready),
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
