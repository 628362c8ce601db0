/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* See test_wire.h. */
#include "common/test_wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/umem.h"
#include "packet/aeth.h"
#include "transport/tp_engine.h"

#define BYTES_ROOM 8192u

__attribute__((format(printf, 2, 3))) static void say(struct test_wire *w, const char *format, ...)
{
	const size_t room = sizeof(w->log) - w->logged;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(w->log + w->logged, room, format, args);
	va_end(args);
	if (n > 0)
		w->logged += (size_t)n < room ? (size_t)n : room - 1;
}

/* The opcode's name without the service. */
static const char *short_name(uint8_t opcode)
{
	const char *name = strchr(pkt_opcode_name(opcode), '_');

	return name ? name + 1 : "RESERVED";
}

static void say_answer(struct test_wire *w, const struct tp_run *run)
{
	const uint8_t syndrome = run->aeth.syndrome;

	switch (pkt_aeth_kind(syndrome)) {
	case PKT_AETH_ACK:
		say(w, "ACK %06x", run->psn.v);
		break;
	case PKT_AETH_RNR_NAK:
		say(w, "RNR%02x %06x", syndrome & PKT_AETH_CODE_MASK, run->psn.v);
		break;
	case PKT_AETH_NAK:
	case PKT_AETH_RESERVED:
		say(w, "NAK%02x %06x", syndrome, run->psn.v);
		break;
	}
}

static void say_run(struct test_wire *w, const struct tp_run *run)
{
	if (w->quiet)
		return;
	if (w->logged)
		say(w, ", ");
	if (run->first_opcode == PKT_RC_ACKNOWLEDGE) {
		say_answer(w, run);
		return;
	}
	say(w, "%s", short_name(run->first_opcode));
	if (run->packets > 1)
		say(w, "..%s", strrchr(pkt_opcode_name(run->last_opcode), '_') + 1);
	say(w, " %06x", run->psn.v);
	if (run->packets > 1)
		say(w, "+%u", run->packets);
	if (run->payload.bytes || (pkt_op(run->first_opcode)->headers & PKT_DATA))
		say(w, " %u", run->payload.bytes);
	if (run->first_opcode == PKT_RC_READ_REQUEST)
		say(w, " %u", run->reth.dma_bytes);
	say(w, "%s%s", run->ack_req ? "A" : "", run->solicited ? "S" : "");
}

static bool copy_payload(struct test_wire_run *slot)
{
	struct tp_payload *payload = &slot->run.payload;

	slot->copied = NULL;
	if (!payload->bytes)
		return true;
	slot->copied = base_zalloc(payload->bytes);
	if (!slot->copied)
		return false;
	slot->copied_iov = (struct iovec){slot->copied, payload->bytes};
	if (base_umem_copy_iov(&slot->copied_iov, 1, 0, payload->iov, payload->count,
			       payload->offset, payload->bytes)) {
		base_free(slot->copied);
		return false;
	}
	payload->iov = &slot->copied_iov;
	payload->count = 1;
	payload->offset = 0;
	return true;
}

/* The first packets of a run. */
static void cut(struct tp_run *run, uint32_t packets)
{
	run->last_opcode = packets == 1 ? run->first_opcode : (uint8_t)(run->first_opcode | 1);
	if (pkt_op(run->first_opcode)->pos == PKT_FIRST && packets > 1)
		run->last_opcode = (uint8_t)(run->first_opcode + 1);
	else if (packets > 1)
		run->last_opcode = run->first_opcode;
	run->packets = packets;
	run->payload.bytes = packets * run->pmtu_bytes;
	run->ack_req = run->solicited = false;
}

static uint32_t port_index(const struct test_wire *w, const struct tp_port *port)
{
	for (uint32_t i = 0; i < w->port_count; i++)
		if (w->ports[i].port == port)
			return i;
	base_panic(__FILE__, __LINE__, "a port of another wire");
}

static int take(struct test_wire *w, uint32_t from, const struct tp_run *run, void *sender)
{
	struct test_wire_run *slot = &w->queue[(w->head + w->count) % TEST_WIRE_ROOM];

	if (w->error)
		return w->error;
	if (w->count >= w->room) {
		w->refused = true;
		return -EAGAIN;
	}
	slot->run = *run;
	slot->from = from;
	slot->sender = sender;
	slot->copied = NULL;
	if (w->most_packets && run->packets > w->most_packets)
		cut(&slot->run, w->most_packets);
	if (w->copies && !copy_payload(slot))
		return -EFAULT;
	say_run(w, &slot->run);
	__atomic_store_n(&w->count, w->count + 1, __ATOMIC_SEQ_CST);
	w->sent_runs++;
	w->sent_packets += slot->run.packets;
	return (int)slot->run.packets;
}

static int wire_send(struct tp_port *port, const struct tp_run *run, void *sender)
{
	struct test_wire *w = port->wire;
	int ret;

	spin_lock(&w->lock);
	ret = take(w, port_index(w, port), run, sender);
	spin_unlock(&w->lock);
	return ret;
}

static bool is_for(const struct test_wire_port *p, const struct tp_path *path)
{
	if (path->dlid)
		return path->dlid == p->lid;
	return !memcmp(path->dgid, p->gid, sizeof(p->gid));
}

static void arrive(struct test_wire *w, struct tp_port *port, const struct tp_run *run)
{
	static _Thread_local uint8_t bytes[BYTES_ROOM];
	struct tp_run decoded;
	struct iovec iov;
	int n;

	if (w->mode != TEST_WIRE_BYTES) {
		tp_receive(port, run);
		return;
	}
	n = tp_run_encode(run, bytes, sizeof(bytes));
	if (n == -EFAULT)
		return;
	INVARIANT(n > 0);
	INVARIANT(!tp_run_decode(bytes, (size_t)n, &decoded, &iov));
	tp_receive(port, &decoded);
}

static void hand_out(struct test_wire *w, uint32_t from, const struct tp_run *run)
{
	const bool group = run->path.dlid ? run->path.dlid >= 0xc000 : run->path.dgid[0] == 0xff;

	for (uint32_t i = 0; i < w->port_count; i++)
		if (group ? i != from : is_for(&w->ports[i], &run->path))
			arrive(w, w->ports[i].port, run);
}

static void hand_out_packets(struct test_wire *w, struct test_wire_run *slot)
{
	struct tp_run packet;

	if (w->mode == TEST_WIRE_RUNS || slot->run.packets == 1) {
		if (!w->fault || w->fault(w->fault_ctx, &slot->run))
			hand_out(w, slot->from, &slot->run);
		return;
	}
	for (uint32_t i = 0; i < slot->run.packets; i++) {
		tp_run_packet(&slot->run, i, &packet);
		if (!w->fault || w->fault(w->fault_ctx, &packet))
			hand_out(w, slot->from, &packet);
	}
}

static bool pop(struct test_wire *w, struct test_wire_run *slot)
{
	bool any;

	spin_lock(&w->lock);
	any = w->count;
	if (any) {
		*slot = w->queue[w->head];
		if (slot->copied) {
			slot->copied_iov.iov_base = slot->copied;
			slot->run.payload.iov = &slot->copied_iov;
		}
		w->head = (w->head + 1) % TEST_WIRE_ROOM;
		__atomic_store_n(&w->count, w->count - 1, __ATOMIC_SEQ_CST);
	}
	spin_unlock(&w->lock);
	return any;
}

static void done_with(struct test_wire *w, struct test_wire_run *slot)
{
	if (!w->copies)
		tp_sent(w->ports[slot->from].port, slot->sender, slot->run.packets);
	base_free(slot->copied);
}

static void call_back(struct test_wire *w)
{
	bool refused;

	spin_lock(&w->lock);
	refused = w->refused && w->count < w->room;
	if (refused)
		w->refused = false;
	spin_unlock(&w->lock);
	if (refused)
		for (uint32_t i = 0; i < w->port_count; i++)
			tp_port_ready(w->ports[i].port);
}

uint32_t test_wire_deliver(struct test_wire *w, uint32_t most)
{
	struct test_wire_run slot;
	uint32_t n = 0;

	while (n < most && pop(w, &slot)) {
		hand_out_packets(w, &slot);
		done_with(w, &slot);
		call_back(w);
		n++;
	}
	return n;
}

bool test_wire_drop(struct test_wire *w)
{
	struct test_wire_run slot;

	if (!pop(w, &slot))
		return false;
	done_with(w, &slot);
	return true;
}

void test_wire_inject(struct test_wire *w, struct tp_port *port, const struct tp_run *run)
{
	(void)w;
	tp_receive(port, run);
}

static void wire_kick(struct tp_port *port)
{
	struct test_wire *w = port->wire;

	if (w->hold)
		return;
	do {
		if (__atomic_exchange_n(&w->busy, true, __ATOMIC_ACQ_REL))
			return;
		test_wire_deliver(w, UINT32_MAX);
		__atomic_store_n(&w->busy, false, __ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&w->count, __ATOMIC_SEQ_CST));
}

/* What a queue pair that goes away has sent is lost. */
static void wire_quiesce(struct tp_port *port, void *sender)
{
	struct test_wire *w = port->wire;
	uint32_t left;

	spin_lock(&w->lock);
	left = w->count;
	w->count = 0;
	for (uint32_t i = 0; i < left; i++) {
		struct test_wire_run *slot = &w->queue[(w->head + i) % TEST_WIRE_ROOM];

		if (slot->sender == sender)
			base_free(slot->copied);
		else
			w->queue[(w->head + w->count++) % TEST_WIRE_ROOM] = *slot;
	}
	spin_unlock(&w->lock);
}

static size_t wire_max_bytes(const struct tp_port *port)
{
	(void)port;
	return BYTES_ROOM;
}

void test_wire_set_copies(struct test_wire *w, bool copies)
{
	w->copies = copies;
	w->ops.copies = copies;
}

struct test_wire *test_wire_new(void)
{
	struct test_wire *w = base_zalloc(sizeof(*w));

	if (!w)
		return NULL;
	w->queue = base_zalloc_array(TEST_WIRE_ROOM, sizeof(*w->queue));
	if (!w->queue) {
		base_free(w);
		return NULL;
	}
	w->room = TEST_WIRE_ROOM;
	w->ops = (struct tp_port_ops){.max_bytes = wire_max_bytes,
				      .send = wire_send,
				      .kick = wire_kick,
				      .quiesce = wire_quiesce};
	spin_lock_init(&w->lock);
	return w;
}

void test_wire_free(struct test_wire *w)
{
	struct test_wire_run slot;

	if (!w)
		return;
	while (pop(w, &slot))
		base_free(slot.copied);
	base_free(w->queue);
	base_free(w);
}

void test_wire_attach(struct test_wire *w, struct tp_port *port, uint16_t lid,
		      const uint8_t gid[16])
{
	struct test_wire_port *p = &w->ports[w->port_count++];

	INVARIANT(w->port_count <= TEST_WIRE_PORTS);
	p->port = port;
	p->lid = lid;
	memcpy(p->gid, gid, sizeof(p->gid));
	port->ops = &w->ops;
	port->wire = w;
}

const char *test_wire_log(struct test_wire *w)
{
	w->log[w->logged] = 0;
	w->logged = 0;
	return w->log;
}
