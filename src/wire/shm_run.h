/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A run as a record of a ring between two processes: flat, and hostile until it has been read.
 *
 * Behind the head come the cause, if there is one, and then either the payload or the segments of the
 * sender's memory where it lies.
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
};

/**
 * struct shm_run - Head of the record.
 * @state: enum shm_run_state. Atomic.
 * @flags: What is yes or no, a bit each.
 * @segments: How many of them follow; 0 if the payload does.
 * @payload_bytes: &tp_payload.bytes.
 * @payload_offset: Into the segments.
 * @dest_qpn: And so on: the members of struct tp_run and its path.
 * @psn: First PSN.
 * @packets: How many.
 * @immdt: Wire order.
 * @ieth: R_Key.
 * @aeth: Syndrome and MSN, as on the wire.
 * @pkey: P_Key.
 * @pmtu_bytes: Of each packet but the last.
 * @first_opcode: BTH opcode.
 * @last_opcode: BTH opcode.
 * @sl: Service level.
 * @traffic_class: Of the GRH.
 * @hop_limit: Of the GRH.
 * @slid: Source LID.
 * @dlid: Destination LID.
 * @flow_label: Of the GRH.
 * @sgid: Of the GRH.
 * @dgid: Of the GRH.
 * @ext: RETH, AtomicETH, AtomicAckETH or DETH.
 */
struct shm_run {
	uint32_t state;
	uint32_t flags;
	uint32_t segments;
	uint32_t payload_bytes;
	uint64_t payload_offset;
	uint32_t dest_qpn;
	uint32_t psn;
	uint32_t packets;
	uint32_t immdt;
	uint32_t ieth;
	uint32_t aeth;
	uint16_t pkey;
	uint16_t pmtu_bytes;
	uint8_t first_opcode;
	uint8_t last_opcode;
	uint8_t sl;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint16_t slid;
	uint16_t dlid;
	uint32_t flow_label;
	uint8_t sgid[16];
	uint8_t dgid[16];
	uint64_t ext[4];
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

/**
 * shm_run_wire_bytes() - What packets would have on a wire, from the LRH to the ICRC.
 * @run: Run.
 * @packets: How many of them, from the first on.
 */
uint64_t shm_run_wire_bytes(const struct tp_run *run, uint32_t packets);

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
