/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Two processes' wires, both in this one; the transport above them is this file. */
#ifndef TESTS_WIRE_SHM_FIXTURE_H
#define TESTS_WIRE_SHM_FIXTURE_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/host.h"
#include "base/umem.h"
#include "common/test.h"
#include "packet/opcode.h"
#include "transport/tp_engine.h"
#include "wire/shm.h"
#include "wire/shm_priv.h"

#define BIG (512u << 10)
#define SHOWN_KEYS 64u

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
	return ((struct station *)ctx)->now_ns + base_now_ns();
}

static bool direct; /* both have windows, show their keys, and count */
static struct base_report reports[2];

static void open_station(struct station *s)
{
	const struct directory_hca one = {.ports = 1};
	const int host = directory_add_host(dir, "host");
	struct wire_shm_config config = {.directory = dir,
					 .introduce = introduce,
					 .now_ns = now_ns,
					 .faults = &plan,
					 .direct = direct,
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
	if (direct) {
		config.report = &reports[s - stations];
		memset(config.report, 0, sizeof(*config.report));
	}
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

__maybe_unused static void meet(void)
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

		if (direct) {
			peer.key_count = SHOWN_KEYS;
			peer.keys = map_shared(SHOWN_KEYS * SHM_KEY_BYTES);
			peer.mem_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
		}
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

__maybe_unused static struct tp_run make_run(const struct station *to, uint32_t psn, uint32_t bytes)
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

__maybe_unused static int send_run(const struct tp_run *run, void *sender)
{
	struct station *s = &stations[0];

	return s->port.ops->send(&s->port, run, sender);
}

__maybe_unused static void kick(void)
{
	stations[0].port.ops->kick(&stations[0].port);
}

#endif
