/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A capture of RoCEv2, sorted out for replay: who asked whom what, and what was answered.
 *
 * A *dialogue* is what one QP asked of one other QP as a requester (RC or UC): its requests and, from
 * the other side, the responses, together in the order of the wire. QPs that both send make two
 * dialogues. A responder that is fed the requests of one, in order, should answer its responses.
 *
 *	struct trace *t = trace_load(TEST_DATA_DIR "/captures/rxe-rc-send.pcap");
 *
 *	for (size_t i = 0; i < t->dialogue_count; i++) {
 *		const struct trace_dialogue *d = &t->dialogues[i];
 *
 *		for (const struct trace_packet *p = d->first; p; p = p->next)
 *			if (p->view.op->side == PKT_REQUEST) ... feed it
 *			else ... expect it
 *	}
 *	trace_free(t);
 *
 * RC packets do not name their sender's QP. Soft-RoCE derives the UDP source port from both QPNs and
 * uses the same one in both directions: that, and the two addresses, tell which belong together.
 */
#ifndef TESTS_COMMON_TRACE_H
#define TESTS_COMMON_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "packet/view.h"

#define TRACE_QPN_UNKNOWN UINT32_MAX

/**
 * struct trace_packet - One packet of a capture.
 * @number: In the file, from 1, as other tools count.
 * @time_ns: When it was seen.
 * @wire: Its bytes, IP header first.
 * @bytes: To the ICRC, included.
 * @view: Taken apart; valid as long as the trace.
 * @refusal: PKT_ACCEPTED, or why @view is not valid: such a packet is in no dialogue.
 * @src: Address of the sender as a GID.
 * @dst: Address of the receiver as a GID.
 * @next: Next packet of the same dialogue, or NULL.
 */
struct trace_packet {
	unsigned int number;
	uint64_t time_ns;
	const uint8_t *wire;
	size_t bytes;
	struct pkt_view view;
	enum pkt_refusal refusal;
	uint8_t src[16];
	uint8_t dst[16];
	const struct trace_packet *next;
};

/**
 * struct trace_dialogue - Requests of one QP to another, and the responses.
 * @service: PKT_SERVICE_RC or PKT_SERVICE_UC.
 * @requester: Address of the requester as a GID.
 * @responder: Address of the responder as a GID.
 * @responder_qpn: Whom the requests name.
 * @requester_qpn: Whom the responses name; TRACE_QPN_UNKNOWN if the other side never sent a packet.
 * @src_port: UDP source port.
 * @requests: How many.
 * @responses: How many.
 * @first: The first packet, request or response.
 * @last: The last.
 */
struct trace_dialogue {
	enum pkt_service service;
	uint8_t requester[16];
	uint8_t responder[16];
	uint32_t responder_qpn;
	uint32_t requester_qpn;
	uint16_t src_port;
	size_t requests;
	size_t responses;
	struct trace_packet *first;
	struct trace_packet *last;
};

/**
 * struct trace - A capture.
 * @packets: All, in the order of the file.
 * @packet_count: How many.
 * @dialogues: In the order of their first packets.
 * @dialogue_count: How many.
 */
struct trace {
	struct trace_packet *packets;
	size_t packet_count;
	struct trace_dialogue *dialogues;
	size_t dialogue_count;
	/* private: */
	struct pcap_frame *frames;
	size_t frame_count;
};

/**
 * trace_load() - Load a capture and sort it out.
 * @path: Of a pcap file; frames that are not IP are left out.
 *
 * Return: The trace, for trace_free(); NULL after a line on stderr if the file cannot be read, or
 *	one address, port and direction leads to two QPs.
 */
struct trace *trace_load(const char *path);

/** trace_free() - Give a trace back; NULL is allowed. */
void trace_free(struct trace *trace);

#endif
