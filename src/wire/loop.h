/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The wire between the hosts of one process: runs are handed over by reference, in the context of
 * whoever sent them. Where the fabric has faults, runs become packets, and each meets its fate.
 */
#ifndef WIRE_LOOP_H
#define WIRE_LOOP_H

#include <stdint.h>

#include "fabric/fabric.h"
#include "fabric/faults.h"
#include "transport/tp.h"

struct wire_capture;
struct wire_loop;

/**
 * struct wire_stats - What happened on the wire.
 * @packets: Packets that were sent.
 * @bytes: From LRH to VCRC.
 * @dropped: By a fault, a link, a partition, or because nobody has the LID.
 * @duplicated: By a fault.
 * @reordered: By a fault.
 * @corrupted: By a fault.
 * @rejected: Arrived, but the bytes were no valid packet (this is what becomes of the corrupted).
 */
struct wire_stats {
	uint64_t packets;
	uint64_t bytes;
	uint64_t dropped;
	uint64_t duplicated;
	uint64_t reordered;
	uint64_t corrupted;
	uint64_t rejected;
};

/**
 * struct wire_tap - Who watches the packets (the simulator's digest).
 * @packet: A packet that meets faults has been sent; @fate is decided. A run of one packet,
 *	valid during the call. Called without locks.
 * @ctx: Handed to @packet.
 */
struct wire_tap {
	void (*packet)(void *ctx, uint32_t from_slot, uint32_t to_slot, const struct tp_run *packet,
		       const struct fabric_fate *fate);
	void *ctx;
};

/**
 * wire_loop_new() - Make the wire of a fabric.
 * @fabric: Outlives the wire.
 * @faults: What goes wrong; likewise.
 *
 * Return: The wire; NULL if there is no memory.
 */
struct wire_loop *wire_loop_new(struct fabric *fabric, struct fabric_faults *faults);

/** wire_loop_free() - Give it back. No port is attached any more. */
void wire_loop_free(struct wire_loop *loop);

/**
 * wire_loop_attach() - Connect a port.
 * @loop: Wire.
 * @slot: The port's slot in the fabric.
 * @port: Gets @ops and @wire.
 *
 * Return: 0; -ENOMEM.
 */
int wire_loop_attach(struct wire_loop *loop, uint32_t slot, struct tp_port *port);

/**
 * wire_loop_detach() - Disconnect it: what is queued or under way from or to it is lost.
 * @loop: Wire.
 * @slot: The port's slot.
 *
 * What is sent by the port from now on is refused with -ENETDOWN, until &tp_port_ops.release.
 *
 * Context: May sleep.
 */
void wire_loop_detach(struct wire_loop *loop, uint32_t slot);

/**
 * wire_loop_prepare_faults() - Have memory for packets that are under way, so that faults can be set.
 * @loop: Wire.
 * @packets: At least so many at a time; what exceeds that is dropped.
 *
 * Return: 0; -ENOMEM.
 */
int wire_loop_prepare_faults(struct wire_loop *loop, uint32_t packets);

/** wire_loop_set_tap() - @tap is copied; NULL for none. Nothing is being sent. */
void wire_loop_set_tap(struct wire_loop *loop, const struct wire_tap *tap);

/**
 * wire_loop_set_capture() - Write all packets that are sent from now on to a file.
 * @loop: Wire.
 * @capture: The wire's from now on; NULL: none.
 *
 * Context: May sleep.
 * Return: The one before, the caller's, or NULL.
 */
struct wire_capture *wire_loop_set_capture(struct wire_loop *loop, struct wire_capture *capture);

/** wire_loop_stats() - Read the counters; those of ports that are gone are counted, too. */
void wire_loop_stats(struct wire_loop *loop, struct wire_stats *stats);

#endif
