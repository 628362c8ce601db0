/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A run as a record of a ring between two processes: flat, and hostile until it has been read.
 *
 * Behind the head come, each only where the run has it: extended headers, GRH, the cause; and then
 * either the payload or where in the sender's memory it lies. With the record's own header the head has
 * 56 bytes, so a small message, or an ACK, is one line of the cache.
 */
#ifndef WIRE_SHM_RUN_H
#define WIRE_SHM_RUN_H

#include "transport/tp.h"

#define SHM_KIND_RUN 1u

/* Segments of payload that a record may name; with more the payload itself goes into the ring. */
#define SHM_RUN_SEGMENTS 16u

enum shm_run_state {
	SHM_RUN_READY,
	SHM_RUN_TAKEN,	   /* the receiver is reading the sender's memory */
	SHM_RUN_CANCELLED, /* the sender's memory is gone */
	SHM_RUN_ACKED,	   /* the receiver has executed it, and says so here: @aeth is the ACK's */
};

/**
 * struct shm_run - Head of the record.
 * @state: enum shm_run_state. Atomic.
 * @flags: What is yes or no, a bit each.
 * @first_opcode: BTH opcode.
 * @last_opcode: BTH opcode.
 * @payload_bytes: &tp_payload.bytes.
 * @dest_qpn: And so on: the members of struct tp_run and its path.
 * @psn: First PSN.
 * @packets: How many.
 * @aeth: Syndrome and MSN, as on the wire.
 * @immdt: Wire order.
 * @ieth: R_Key.
 * @pkey: P_Key.
 * @pmtu_bytes: Of each packet but the last.
 * @slid: Source LID.
 * @dlid: Destination LID.
 * @sl: Service level.
 * @segments: Of the sender's memory; 0 if the payload is in the record.
 */
struct shm_run {
	uint32_t state;
	uint16_t flags;
	uint8_t first_opcode;
	uint8_t last_opcode;
	uint32_t payload_bytes;
	uint32_t dest_qpn;
	uint32_t psn;
	uint32_t packets;
	uint32_t aeth;
	uint32_t immdt;
	uint32_t ieth;
	uint16_t pkey;
	uint16_t pmtu_bytes;
	uint16_t slid;
	uint16_t dlid;
	uint8_t sl;
	uint8_t segments;
};

/**
 * shm_run_bytes() - Size of the record for a run.
 * @run: Run.
 * @pull: Its payload stays where it is.
 */
size_t shm_run_bytes(const struct tp_run *run, bool pull);

/**
 * shm_run_write() - Fill a record.
 * @run: Run.
 * @pull: As for shm_run_bytes().
 * @record: Room of that size.
 *
 * Return: 0; -EFAULT if payload that is to be copied is not mapped.
 */
int shm_run_write(const struct tp_run *run, bool pull, void *record);

/** shm_small_bytes() - Size of the record for a small packet. */
static inline size_t shm_small_bytes(const struct tp_small *small)
{
	return sizeof(struct shm_run) + small->count;
}

/** shm_small_write() - Fill a record of that size, as shm_run_write() would for the same packet. */
void shm_small_write(const struct tp_small *small, void *record);

/**
 * shm_small_read() - Read a record, once, if it is a small packet.
 * @record: Any content.
 * @bytes: Its room.
 * @small: Out: all but @more; its payload is in the record.
 *
 * Return: Whether it is. If not, it is for shm_run_read().
 */
bool shm_small_read(const void *record, size_t bytes, struct tp_small *small);

/** shm_small_ack() - Acknowledge a record that has &tp_small.ack_here, in it. */
void shm_small_ack(void *record, const struct pkt_aeth *aeth);

/** shm_small_is_acked() - Whether the receiver has done that. @aeth: Out, if so; any content. */
bool shm_small_is_acked(const void *record, struct pkt_aeth *aeth);

/** shm_small_wire_bytes() - As shm_run_wire_bytes(). */
uint64_t shm_small_wire_bytes(const struct tp_small *small);

/**
 * shm_run_wire_bytes() - What packets would have on a wire, from the LRH to the ICRC.
 * @run: Run.
 * @packets: How many of them, from the first on.
 */
uint64_t shm_run_wire_bytes(const struct tp_run *run, uint32_t packets);

/**
 * shm_run_response_bytes() - The same of all the responses to a READ.
 * @request: The request.
 * @packets: Out: how many there are.
 */
uint64_t shm_run_response_bytes(const struct tp_run *request, uint32_t *packets);

/**
 * struct shm_run_view - A record that has been read.
 * @run: What it says. Its payload's segments are @iov.
 * @iov: In our memory: the payload in the ring; or, if @pull, addresses in the sender's.
 * @pull: The payload is in the sender's memory.
 */
struct shm_run_view {
	struct tp_run run;
	struct iovec iov[SHM_RUN_SEGMENTS];
	bool pull;
};

/**
 * shm_run_read() - Read a record, once.
 * @record: Any content.
 * @bytes: Its room.
 * @view: Out. Its run is sane as far as memory goes; whether it makes sense tp_receive() finds out.
 *
 * Return: 0; -EBADMSG if it reaches beyond the record.
 */
int shm_run_read(const void *record, size_t bytes, struct shm_run_view *view);

#endif
