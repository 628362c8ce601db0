/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a process shows of itself to people: what its ports have carried, and what others' have by what it
 * placed there itself; its queue pairs. Flat, in memory that the daemon of its fabric reads, too, and
 * believes nothing of.
 *
 * Traffic is counted as it goes, by plain additions: each thread has a lane of its own. Queue pairs are
 * written when somebody has asked.
 */
#ifndef BASE_REPORT_H
#define BASE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cause.h"

#define BASE_REPORT_HCAS 8u
#define BASE_REPORT_PORTS 4u /* of each */
#define BASE_REPORT_LANES 16u
#define BASE_REPORT_QPS 1024u
#define BASE_REPORT_NAME 64u
#define BASE_REPORT_FAULTS 16u
#define BASE_REPORT_SLOTS 1024u /* ports of a fabric */
#define BASE_REPORT_WAYS 4096u	/* of a fabric that is a subnet */
#define BASE_WAY_MTUS 4u	/* a packet may need, and not get: enum ib_mtu from 512 bytes on */

/**
 * struct base_traffic - What a port has carried. Bytes are those from the LRH to the ICRC.
 * @sent_bytes: Sent.
 * @sent_packets: Sent.
 * @sent_multicast: Of them, to groups.
 * @received_bytes: Received.
 * @received_packets: Received.
 * @received_multicast: Of them, to groups.
 * @discarded: Packets that were to be sent, and have no way to where they were to go.
 * @duplicates: Of RC: requests received once more.
 * @gaps: Requests received whose PSN was not the next.
 * @rnr_naks: RNR NAKs received.
 * @sequence_naks: NAKs for a PSN out of sequence received.
 * @resent: Packets sent once more.
 * @timeouts: ACK timers that expired.
 * @dropped: What was received and then dropped, for any reason.
 * @malformed: Of that: what could not have been sent so.
 * @bad_pkey: Of that: of another partition.
 * @bad_qkey: Of that: datagrams with another Q_Key.
 * @no_receive: Of that: messages of UC and UD that found no receive posted.
 * @bad_length: Of that: messages of UC and UD that did not fit.
 * @reserved: 0.
 */
struct base_traffic {
	uint64_t sent_bytes;
	uint64_t sent_packets;
	uint64_t sent_multicast;
	uint64_t received_bytes;
	uint64_t received_packets;
	uint64_t received_multicast;
	uint64_t discarded;
	uint64_t duplicates;
	uint64_t gaps;
	uint64_t rnr_naks;
	uint64_t sequence_naks;
	uint64_t resent;
	uint64_t timeouts;
	uint64_t dropped;
	uint64_t malformed;
	uint64_t bad_pkey;
	uint64_t bad_qkey;
	uint64_t no_receive;
	uint64_t bad_length;
	uint64_t reserved[5];
};

#define BASE_TRAFFIC_WORDS (sizeof(struct base_traffic) / sizeof(uint64_t))

/**
 * struct base_report_port - A port's traffic: the sum of all of it.
 * @lane: Of threads; the last one is all others'.
 * @errors: What is counted elsewhere, copied now and then.
 */
struct base_report_port {
	struct base_traffic lane[BASE_REPORT_LANES];
	struct base_traffic errors;
};

/**
 * struct base_placed - What a port carries of requests that were executed in its owner's memory.
 * @sent_bytes: Sent: responses.
 * @sent_packets: Sent.
 * @received_bytes: Received: requests.
 * @received_packets: Received.
 * @reserved: 0; so lanes share no line.
 */
struct base_placed {
	uint64_t sent_bytes;
	uint64_t sent_packets;
	uint64_t received_bytes;
	uint64_t received_packets;
	uint64_t reserved[4];
};

/**
 * struct base_report_target - What this process has placed at a port of the fabric.
 * @lane: As &base_report_port.lane.
 */
struct base_report_target {
	struct base_placed lane[BASE_REPORT_LANES];
};

/**
 * struct base_way_count - Packets that went a way.
 * @packets: How many.
 * @words: Of four bytes, from the LRH to the ICRC.
 */
struct base_way_count {
	uint64_t packets;
	uint64_t words;
};

/**
 * struct base_way_sum - All that a process has sent on a way.
 * @gone: To its end.
 * @lost: By a cable.
 * @too_long: For a link, by what it would have taken: enum ib_mtu less 2.
 */
struct base_way_sum {
	struct base_way_count gone;
	struct base_way_count lost;
	struct base_way_count too_long[BASE_WAY_MTUS];
};

/**
 * struct base_report_ways - What this process has sent, by way: its place in the fabric's table of them.
 * @used: Which count anything, a bit each. Atomic.
 * @lanes: Which of @gone count anything, a bit each. Atomic.
 * @gone: By lane as &base_report_port.lane.
 * @others: What is rare: @gone of these is 0. Atomic.
 */
struct base_report_ways {
	uint64_t used[BASE_REPORT_WAYS / 64];
	uint32_t lanes;
	_Alignas(64) struct base_way_count gone[BASE_REPORT_LANES][BASE_REPORT_WAYS];
	struct base_way_sum others[BASE_REPORT_WAYS];
};

/**
 * struct base_report_qp - A queue pair.
 * @number: QP number.
 * @hca: Index of its HCA.
 * @port: 1 ..., 0 if it has none yet.
 * @type: enum ib_qp_type.
 * @state: enum ib_qp_state.
 * @dest_qpn: Whom it is connected to.
 * @dest_lid: Where that is.
 * @posted: Send requests.
 * @completed: Their completions.
 * @received: Completions of receives.
 * @errors: Completions of either kind that are none of success.
 * @cause: The first cause of its death; id 0 if it lives.
 */
struct base_report_qp {
	uint32_t number;
	uint8_t hca;
	uint8_t port;
	uint8_t type;
	uint8_t state;
	uint32_t dest_qpn;
	uint32_t dest_lid;
	uint64_t posted;
	uint64_t completed;
	uint64_t received;
	uint64_t errors;
	struct base_cause cause;
};

/**
 * struct base_report - All of it.
 * @wanted: Counts up: the queue pairs are wanted as they are now. The daemon's. Atomic.
 * @published: The last such wish that was fulfilled. Atomic.
 * @qp_count: Queue pairs that there are; @qp has the first of them.
 * @device: Names of the HCAs.
 * @faults: How many faults were injected, by enum fault_action. Copied now and then.
 * @placed: Which of @target count anything, a bit each, so that nobody has to touch the others, which are
 *	many pages. Atomic.
 * @port: Traffic.
 * @qp: Queue pairs.
 * @target: By slot of the fabric: traffic of ports that need not know of it.
 * @ways: Where the fabric is a subnet.
 */
struct base_report {
	uint32_t wanted;
	uint32_t published;
	uint32_t qp_count;
	char device[BASE_REPORT_HCAS][BASE_REPORT_NAME];
	uint64_t faults[BASE_REPORT_FAULTS];
	uint64_t placed[BASE_REPORT_SLOTS / 64];
	_Alignas(64) struct base_report_port port[BASE_REPORT_HCAS][BASE_REPORT_PORTS];
	struct base_report_qp qp[BASE_REPORT_QPS];
	_Alignas(64) struct base_report_target target[BASE_REPORT_SLOTS];
	struct base_report_ways ways;
};

/** base_traffic_sent() - Count what a port has sent. Context: Any thread; no system call, no lock. */
void base_traffic_sent(struct base_report_port *port, uint64_t packets, uint64_t bytes,
		       bool multicast);

/** base_traffic_received() - The other way. */
void base_traffic_received(struct base_report_port *port, uint64_t packets, uint64_t bytes,
			   bool multicast);

/** base_traffic_discarded() - Count what could not be sent. */
void base_traffic_discarded(struct base_report_port *port, uint64_t packets);

/** base_traffic_add() - Add what a port has carried to @sum. @port: Any content. */
void base_traffic_add(const struct base_report_port *port, struct base_traffic *sum);

/**
 * base_placed_count() - Count for another's port what it has carried of a request that was placed there.
 * @report: Ours.
 * @slot: Of the port, less than BASE_REPORT_SLOTS.
 * @more: What it has received, and sent.
 *
 * Context: Any thread; no system call, no lock.
 */
void base_placed_count(struct base_report *report, uint32_t slot, const struct base_placed *more);

/** base_placed_add() - Add what a process has counted for a port to @sum. @report: Any content. */
void base_placed_add(const struct base_report *report, uint32_t slot, struct base_traffic *sum);

/**
 * base_way_count() - Count packets that went a way to its end.
 * @report: Ours.
 * @way: Its place, less than BASE_REPORT_WAYS.
 * @packets: How many.
 * @words: As &base_way_count.words.
 *
 * Context: Any thread; no system call, no lock.
 */
void base_way_count(struct base_report *report, uint32_t way, uint64_t packets, uint64_t words);

/** base_way_lost() - Likewise, of what a cable has lost. */
void base_way_lost(struct base_report *report, uint32_t way, uint64_t packets, uint64_t words);

/** base_way_too_long() - Likewise, of what needs a larger @mtu, enum ib_mtu, than there is. */
void base_way_too_long(struct base_report *report, uint32_t way, uint8_t mtu, uint64_t packets,
		       uint64_t words);

/** base_way_next() - The next way that counts anything, from @way on; BASE_REPORT_WAYS: none. @report: Any content. */
uint32_t base_way_next(const struct base_report *report, uint32_t way);

/** base_way_read() - What a process has sent on a way. @report: Any content. */
void base_way_read(const struct base_report *report, uint32_t way, struct base_way_sum *sum);

#endif
