/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/trace.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/pcap_read.h"

#define ETHERNET_BYTES 14u
#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_IPV6 0x86ddu

static void ipv4_gid(uint8_t *gid, uint32_t address)
{
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	pkt_put_be32(gid + 12, address);
}

/* Whether the frame is IP; then @p is filled in. */
static bool take_frame(const struct pcap_frame *frame, struct trace_packet *p)
{
	uint16_t ethertype;

	if (frame->bytes < ETHERNET_BYTES)
		return false;
	ethertype = pkt_get_be16(frame->wire + 12);
	if (ethertype != ETHERTYPE_IPV4 && ethertype != ETHERTYPE_IPV6)
		return false;
	p->time_ns = frame->time_ns;
	p->wire = frame->wire + ETHERNET_BYTES;
	p->bytes = frame->bytes - ETHERNET_BYTES;
	if (pkt_decode(PKT_FRAMING_ROCE_V2, p->wire, p->bytes, &p->view, &p->refusal))
		return true;
	p->bytes = p->view.bytes;
	if (ethertype == ETHERTYPE_IPV4) {
		ipv4_gid(p->src, p->view.ipv4.src);
		ipv4_gid(p->dst, p->view.ipv4.dst);
	} else {
		memcpy(p->src, p->view.grh.sgid, 16);
		memcpy(p->dst, p->view.grh.dgid, 16);
	}
	return true;
}

/* The dialogue of a packet, a new one if need be; NULL without memory. */
static struct trace_dialogue *find_dialogue(struct trace *trace, const struct trace_packet *p)
{
	const bool request = p->view.op->side == PKT_REQUEST;
	const uint8_t *requester = request ? p->src : p->dst;
	const uint8_t *responder = request ? p->dst : p->src;
	struct trace_dialogue *d;

	for (size_t i = 0; i < trace->dialogue_count; i++) {
		d = &trace->dialogues[i];
		if (d->service == p->view.op->service && d->src_port == p->view.udp.src_port &&
		    memcmp(d->requester, requester, 16) == 0 &&
		    memcmp(d->responder, responder, 16) == 0)
			return d;
	}
	d = reallocarray(trace->dialogues, trace->dialogue_count + 1, sizeof(*d));
	if (!d)
		return NULL;
	trace->dialogues = d;
	d += trace->dialogue_count++;
	*d = (struct trace_dialogue){
		.service = p->view.op->service,
		.responder_qpn = TRACE_QPN_UNKNOWN,
		.requester_qpn = TRACE_QPN_UNKNOWN,
		.src_port = p->view.udp.src_port,
	};
	memcpy(d->requester, requester, 16);
	memcpy(d->responder, responder, 16);
	return d;
}

static int learn_qpn(uint32_t *known, const struct trace_packet *p)
{
	if (*known == TRACE_QPN_UNKNOWN)
		*known = p->view.bth.dest_qpn;
	if (*known == p->view.bth.dest_qpn)
		return 0;
	fprintf(stderr, "packet %u: to QP 0x%x, others of its flow to 0x%x\n", p->number,
		p->view.bth.dest_qpn, *known);
	return -1;
}

static int join_dialogue(struct trace *trace, struct trace_packet *p)
{
	struct trace_dialogue *d = find_dialogue(trace, p);

	if (!d)
		return -1;
	if (d->last)
		d->last->next = p;
	else
		d->first = p;
	d->last = p;
	if (p->view.op->side == PKT_REQUEST) {
		d->requests++;
		return learn_qpn(&d->responder_qpn, p);
	}
	d->responses++;
	return learn_qpn(&d->requester_qpn, p);
}

/* The other dialogue of the same two QPs knows the numbers that this one has not seen. */
static void learn_from_reverse(struct trace *trace, struct trace_dialogue *d)
{
	for (size_t i = 0; i < trace->dialogue_count; i++) {
		const struct trace_dialogue *r = &trace->dialogues[i];

		if (r->service != d->service || r->src_port != d->src_port ||
		    memcmp(r->requester, d->responder, 16) != 0 ||
		    memcmp(r->responder, d->requester, 16) != 0)
			continue;
		if (d->requester_qpn == TRACE_QPN_UNKNOWN)
			d->requester_qpn = r->responder_qpn;
		if (d->responder_qpn == TRACE_QPN_UNKNOWN)
			d->responder_qpn = r->requester_qpn;
	}
}

static bool connected(const struct trace_packet *p)
{
	return p->refusal == PKT_ACCEPTED &&
	       (p->view.op->service == PKT_SERVICE_RC || p->view.op->service == PKT_SERVICE_UC);
}

static int sort_out(struct trace *trace)
{
	trace->packets = calloc(trace->frame_count + 1, sizeof(*trace->packets));
	if (!trace->packets)
		return -1;
	for (size_t i = 0; i < trace->frame_count; i++) {
		struct trace_packet *p = &trace->packets[trace->packet_count];

		p->number = (unsigned int)i + 1;
		if (!take_frame(&trace->frames[i], p))
			continue;
		trace->packet_count++;
		if (connected(p) && join_dialogue(trace, p))
			return -1;
	}
	for (size_t i = 0; i < trace->dialogue_count; i++)
		learn_from_reverse(trace, &trace->dialogues[i]);
	return 0;
}

struct trace *trace_load(const char *path)
{
	struct trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return NULL;
	if (pcap_read(path, &trace->frames, &trace->frame_count) == 0 && sort_out(trace) == 0)
		return trace;
	fprintf(stderr, "%s: not a trace\n", path);
	trace_free(trace);
	return NULL;
}

void trace_free(struct trace *trace)
{
	if (!trace)
		return;
	pcap_free(trace->frames, trace->frame_count);
	free(trace->packets);
	free(trace->dialogues);
	free(trace);
}
