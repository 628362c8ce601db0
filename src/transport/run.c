// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Runs: what they are made of, packet by packet, and as bytes. */
#include "transport/run.h"

#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/umem.h"
#include "packet/icrc.h"
#include "packet/view.h"

/* Half the circle: more would be ambiguous. The longest message at the least MTU is just that. */
#define RUN_MAX_PACKETS (1u << 23)

/* QP 0 speaks on a virtual lane of its own [rcp 12]. */
#define VL_SMP 15u

static bool is_path_mtu(uint32_t bytes)
{
	return bytes >= 256 && bytes <= PKT_MAX_PAYLOAD_BYTES && (bytes & (bytes - 1)) == 0;
}

static bool packet_is_sane(const struct tp_run *run, const struct pkt_opcode *op)
{
	return run->first_opcode == run->last_opcode &&
	       run->payload.bytes <= ((op->headers & PKT_DATA) ? PKT_MAX_PAYLOAD_BYTES : 0);
}

static bool several_are_sane(const struct tp_run *run, const struct pkt_opcode *first,
			     const struct pkt_opcode *last)
{
	const uint64_t most = (uint64_t)run->packets * run->pmtu_bytes;

	if ((first->pos != PKT_FIRST && first->pos != PKT_MIDDLE) ||
	    (last->pos != PKT_MIDDLE && last->pos != PKT_LAST) || first->kind != last->kind ||
	    first->service != last->service)
		return false;
	if (run->packets > RUN_MAX_PACKETS || !is_path_mtu(run->pmtu_bytes) ||
	    run->payload.bytes > most)
		return false;
	return last->pos == PKT_LAST ? run->payload.bytes > most - run->pmtu_bytes
				     : run->payload.bytes == most;
}

bool tp_run_is_sane(const struct tp_run *run)
{
	const struct pkt_opcode *first = pkt_op(run->first_opcode),
				*last = pkt_op(run->last_opcode);

	if (first->kind == PKT_KIND_RESERVED || run->psn.v > PKT_PSN_MASK)
		return false;
	return run->packets == 1 ? packet_is_sane(run, first) : several_are_sane(run, first, last);
}

bool tp_run_length_is_right(const struct tp_run *run, uint32_t pmtu_bytes)
{
	const struct pkt_opcode *op = pkt_op(run->first_opcode);
	const uint32_t bytes = run->payload.bytes;

	if (run->packets > 1)
		return run->pmtu_bytes == pmtu_bytes;
	switch (op->pos) {
	case PKT_FIRST:
	case PKT_MIDDLE:
		return bytes == pmtu_bytes;
	case PKT_LAST:
		return bytes > 0 && bytes <= pmtu_bytes;
	case PKT_ONLY:
		return bytes <= ((op->headers & PKT_DATA) ? pmtu_bytes : 0);
	}
	UNREACHABLE("opcode row without a position");
}

static uint8_t middle_of(const struct pkt_opcode *op)
{
	const uint8_t service = (uint8_t)(op->service << 5);

	if (op->kind == PKT_KIND_SEND)
		return service | PKT_RC_SEND_MIDDLE;
	if (op->kind == PKT_KIND_WRITE)
		return service | PKT_RC_WRITE_MIDDLE;
	INVARIANT(op->kind == PKT_KIND_READ_RESP);
	return service | PKT_RC_READ_RESPONSE_MIDDLE;
}

uint8_t tp_run_opcode(const struct tp_run *run, uint32_t index)
{
	if (index == 0)
		return run->first_opcode;
	if (index == run->packets - 1)
		return run->last_opcode;
	return middle_of(pkt_op(run->first_opcode));
}

void tp_run_packet(const struct tp_run *run, uint32_t index, struct tp_run *packet)
{
	const bool last = index == run->packets - 1;
	const uint32_t skip = index * run->pmtu_bytes;

	INVARIANT(index < run->packets);
	*packet = *run;
	packet->psn = psn_add(run->psn, index);
	packet->packets = 1;
	packet->first_opcode = packet->last_opcode = tp_run_opcode(run, index);
	packet->solicited = last && run->solicited;
	packet->ack_req = last && run->ack_req;
	packet->payload.offset += skip;
	packet->payload.bytes = last ? run->payload.bytes - skip : run->pmtu_bytes;
}

void tp_run_prefix(const struct tp_run *run, uint32_t packets, struct tp_run *prefix)
{
	INVARIANT(packets && packets < run->packets);
	*prefix = *run;
	prefix->packets = packets;
	prefix->last_opcode = tp_run_opcode(run, packets - 1);
	prefix->solicited = false;
	prefix->ack_req = false;
	prefix->payload.bytes = packets * run->pmtu_bytes;
}

static void fill_link(const struct tp_run *run, struct pkt_view *view)
{
	const struct tp_path *path = &run->path;

	view->link = path->has_grh ? PKT_LINK_IB_GRH : PKT_LINK_IB;
	view->lrh.vl = run->dest_qpn == 0 ? VL_SMP : 0;
	view->lrh.sl = path->sl & 15;
	view->lrh.dlid = path->dlid;
	view->lrh.slid = path->slid;
	if (!path->has_grh)
		return;
	view->grh.tclass = path->traffic_class;
	view->grh.flow_label = path->flow_label & 0xfffffu;
	view->grh.hop_limit = path->hop_limit;
	memcpy(view->grh.sgid, path->sgid, sizeof(view->grh.sgid));
	memcpy(view->grh.dgid, path->dgid, sizeof(view->grh.dgid));
}

void tp_run_to_view(const struct tp_run *run, struct pkt_view *view)
{
	const uint16_t headers = pkt_op(run->first_opcode)->headers;

	memset(view, 0, sizeof(*view));
	fill_link(run, view);
	view->bth = (struct pkt_bth){.opcode = run->first_opcode,
				     .solicited = run->solicited,
				     .migrated = run->migrated,
				     .pkey = run->pkey,
				     .becn = run->becn,
				     .ack_req = run->ack_req,
				     .dest_qpn = run->dest_qpn & PKT_PSN_MASK,
				     .psn = run->psn};
	if (headers & PKT_FETH)
		view->feth = run->feth;
	if (headers & PKT_RETH)
		view->reth = run->reth;
	if (headers & PKT_ATOMICETH)
		view->atomiceth = run->atomiceth;
	if (headers & PKT_ATOMICACKETH)
		view->atomicacketh = run->atomicacketh;
	if (headers & PKT_DETH)
		view->deth = run->deth;
	view->aeth = run->aeth;
	view->immdt = run->immdt;
	view->ieth = run->ieth;
	view->payload_bytes = run->payload.bytes;
	pkt_complete(view);
}

int tp_run_encode(const struct tp_run *run, uint8_t *wire, size_t bytes)
{
	struct pkt_view view;
	struct iovec to;
	int header_bytes;
	size_t length;

	if (!tp_run_is_sane(run) || run->packets != 1)
		return -EINVAL;
	tp_run_to_view(run, &view);
	if (bytes < view.bytes + PKT_VCRC_BYTES)
		return -EMSGSIZE;
	header_bytes = pkt_encode_headers(&view, wire, bytes);
	INVARIANT(header_bytes > 0);
	length = (size_t)header_bytes;
	to = (struct iovec){.iov_base = wire + length, .iov_len = run->payload.bytes};
	if (run->payload.bytes &&
	    base_umem_copy_iov(&to, 1, 0, run->payload.iov, run->payload.count, run->payload.offset,
			       run->payload.bytes))
		return -EFAULT;
	length += run->payload.bytes;
	memset(wire + length, 0, view.bth.pad_bytes);
	length += view.bth.pad_bytes;
	return (int)pkt_seal(view.link, wire, length, true);
}

static void path_from_view(const struct pkt_view *view, struct tp_path *path)
{
	path->slid = view->lrh.slid;
	path->dlid = view->lrh.dlid;
	path->sl = view->lrh.sl;
	path->has_grh = view->link == PKT_LINK_IB_GRH;
	if (!path->has_grh)
		return;
	path->traffic_class = view->grh.tclass;
	path->flow_label = view->grh.flow_label;
	path->hop_limit = view->grh.hop_limit;
	memcpy(path->sgid, view->grh.sgid, sizeof(path->sgid));
	memcpy(path->dgid, view->grh.dgid, sizeof(path->dgid));
}

void tp_run_from_view(const struct pkt_view *view, struct tp_run *run, struct iovec *iov)
{
	memset(run, 0, sizeof(*run));
	path_from_view(view, &run->path);
	run->dest_qpn = view->bth.dest_qpn;
	run->pkey = view->bth.pkey;
	run->psn = view->bth.psn;
	run->packets = 1;
	run->first_opcode = run->last_opcode = view->bth.opcode;
	run->solicited = view->bth.solicited;
	run->migrated = view->bth.migrated;
	run->ack_req = view->bth.ack_req;
	run->becn = view->bth.becn;
	run->immdt = view->immdt;
	run->ieth = view->ieth;
	run->aeth = view->aeth;
	if (view->op->headers & PKT_FETH)
		run->feth = view->feth;
	if (view->op->headers & PKT_RETH)
		run->reth = view->reth;
	if (view->op->headers & PKT_ATOMICETH)
		run->atomiceth = view->atomiceth;
	if (view->op->headers & PKT_ATOMICACKETH)
		run->atomicacketh = view->atomicacketh;
	if (view->op->headers & PKT_DETH)
		run->deth = view->deth;
	*iov = (struct iovec){.iov_base = (void *)(uintptr_t)view->payload,
			      .iov_len = view->payload_bytes};
	run->payload.iov = iov;
	run->payload.count = 1;
	run->payload.bytes = (uint32_t)view->payload_bytes;
}

int tp_run_decode(const uint8_t *wire, size_t bytes, struct tp_run *run, struct iovec *iov)
{
	struct pkt_view view;
	enum pkt_refusal why;

	if (pkt_decode(PKT_FRAMING_IB, wire, bytes, &view, &why))
		return -EBADMSG;
	if (!pkt_icrc_ok(&view) || !pkt_vcrc_ok(&view))
		return -EBADMSG;
	tp_run_from_view(&view, run, iov);
	return 0;
}
