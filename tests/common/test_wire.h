/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A wire for tests of the transport: a queue between the ports of one process, which the outermost
 * kick() empties, or the test, run by run. It notes what is sent, and loses, splits and turns away
 * what it is told to.
 */
#ifndef TESTS_COMMON_TEST_WIRE_H
#define TESTS_COMMON_TEST_WIRE_H

#include <linux/spinlock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transport/tp.h"

#define TEST_WIRE_PORTS 8u
#define TEST_WIRE_ROOM 1024u
#define TEST_WIRE_LOG_BYTES 16384u

/* What becomes of the runs that are sent. */
enum test_wire_mode {
	TEST_WIRE_RUNS,	   /* as they are */
	TEST_WIRE_PACKETS, /* packet by packet */
	TEST_WIRE_BYTES,   /* packet by packet, through bytes; `why` gets lost */
};

/**
 * struct test_wire_port - One end.
 * @port: Whose.
 * @lid: Gets what is sent to this LID ...
 * @gid: ... or to this GID, where paths have no LIDs.
 */
struct test_wire_port {
	struct tp_port *port;
	uint16_t lid;
	uint8_t gid[16];
};

/**
 * struct test_wire_run - A run under way.
 * @run: It.
 * @from: Index of the sending port.
 * @sender: As given to send().
 * @copied: Payload, if the wire copies it.
 * @copied_iov: Its segment.
 */
struct test_wire_run {
	struct tp_run run;
	uint32_t from;
	void *sender;
	void *copied;
	struct iovec copied_iov;
};

/**
 * struct test_wire - The wire. The test may set @mode to @fault at any time.
 * @mode: See above.
 * @hold: kick() delivers nothing; test_wire_deliver() does.
 * @copies: Payload is copied when it is sent.
 * @room: Runs that it takes before it says -EAGAIN.
 * @most_packets: Packets of a run that it takes at once; 0 means all.
 * @error: If not 0, what send() returns.
 * @fault: Called for each run ahead of delivery; false loses it. May change it. NULL: none.
 * @fault_ctx: Its first argument.
 * @ops: What its ports see.
 * @lock: Of what follows.
 * @ports: They.
 * @port_count: How many.
 * @queue: Ring of runs under way.
 * @head: Next to deliver.
 * @count: How many.
 * @busy: Somebody delivers.
 * @refused: Somebody was turned away.
 * @sent_runs: Runs taken since the beginning.
 * @sent_packets: Their packets.
 * @log: What was sent since test_wire_log() was called last.
 * @logged: Length of @log.
 * @quiet: Do not log.
 */
struct test_wire {
	enum test_wire_mode mode;
	bool hold;
	bool copies;
	uint32_t room;
	uint32_t most_packets;
	int error;
	bool (*fault)(void *ctx, struct tp_run *run);
	void *fault_ctx;
	struct tp_port_ops ops;
	spinlock_t lock;
	struct test_wire_port ports[TEST_WIRE_PORTS];
	uint32_t port_count;
	struct test_wire_run *queue;
	uint32_t head;
	uint32_t count;
	bool busy;
	bool refused;
	uint64_t sent_runs;
	uint64_t sent_packets;
	char log[TEST_WIRE_LOG_BYTES];
	size_t logged;
	bool quiet;
};

/**
 * test_wire_new() - A wire without ports.
 *
 * Return: The wire; NULL if there is no memory.
 */
struct test_wire *test_wire_new(void);

/** test_wire_free() - Give it back, with whatever is under way. */
void test_wire_free(struct test_wire *wire);

/**
 * test_wire_attach() - Connect a port.
 * @wire: Wire.
 * @port: Its ops and wire are set.
 * @lid: Its LID, or 0.
 * @gid: Its GID.
 */
void test_wire_attach(struct test_wire *wire, struct tp_port *port, uint16_t lid,
		      const uint8_t gid[16]);

/**
 * test_wire_set_copies() - Change @copies and the ops that the ports see.
 */
void test_wire_set_copies(struct test_wire *wire, bool copies);

/**
 * test_wire_deliver() - Deliver what is under way, in order, and what is sent meanwhile.
 * @wire: Wire.
 * @most: Runs at most.
 *
 * Return: How many were delivered or lost.
 */
uint32_t test_wire_deliver(struct test_wire *wire, uint32_t most);

/** test_wire_drop() - Lose the oldest run under way. Returns false if there is none. */
bool test_wire_drop(struct test_wire *wire);

/** test_wire_inject() - A run arrives that nobody here has sent. */
void test_wire_inject(struct test_wire *wire, struct tp_port *port, const struct tp_run *run);

/**
 * test_wire_log() - What was sent since the last call, a word or two each.
 *
 * "SEND_FIRST..LAST 000100+5 5000A" is five packets of 5000 bytes from PSN 0x100 on, the last of which
 * asks for an ACK. "ACK 000104", "NAK60 000101", "RNR0c 000100" are answers.
 */
const char *test_wire_log(struct test_wire *wire);

#endif
