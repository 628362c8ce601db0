// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Runs as records. */
#include "wire/shm_run.h"

#include <errno.h>
#include <string.h>

#include "base/umem.h"

#define FLAG_SOLICITED 1u
#define FLAG_MIGRATED 2u
#define FLAG_ACK_REQ 4u
#define FLAG_BECN 8u
#define FLAG_GRH 16u
#define FLAG_WHY 32u
#define SYNDROME_SHIFT 24

struct segment {
	uint64_t address;
	uint64_t bytes;
};

/* As struct base_cause, in types of which every value is one. */
struct why {
	uint64_t wr_id;
	uint64_t arg[BASE_CAUSE_ARGS];
	uint32_t qpn;
	uint32_t peer_qpn;
	uint16_t id;
	uint8_t side;
	uint8_t has_wr;
	uint8_t wr_opcode;
	uint8_t status;
};

size_t shm_run_bytes(const struct tp_run *run, bool pull)
{
	return sizeof(struct shm_run) + (run->why.id ? sizeof(struct why) : 0) +
	       (pull ? run->payload.count * sizeof(struct segment) : run->payload.bytes);
}

static uint32_t flags_of(const struct tp_run *run)
{
	return (run->solicited ? FLAG_SOLICITED : 0) | (run->migrated ? FLAG_MIGRATED : 0) |
	       (run->ack_req ? FLAG_ACK_REQ : 0) | (run->becn ? FLAG_BECN : 0) |
	       (run->path.has_grh ? FLAG_GRH : 0) | (run->why.id ? FLAG_WHY : 0);
}

static void write_extension(const struct tp_run *run, uint64_t ext[4])
{
	const uint16_t headers = pkt_op(run->first_opcode)->headers;

	if (headers & PKT_RETH) {
		ext[0] = run->reth.va;
		ext[1] = run->reth.rkey;
		ext[2] = run->reth.dma_bytes;
		if (headers & PKT_FETH)
			ext[3] = run->feth.placement | (uint64_t)run->feth.selectivity << 8;
	} else if (headers & PKT_ATOMICETH) {
		ext[0] = run->atomiceth.va;
		ext[1] = run->atomiceth.rkey;
		ext[2] = run->atomiceth.swap_add;
		ext[3] = run->atomiceth.compare;
	} else if (headers & PKT_ATOMICACKETH) {
		ext[0] = run->atomicacketh.original;
	} else if (headers & PKT_DETH) {
		ext[0] = run->deth.qkey;
		ext[1] = run->deth.src_qpn;
	}
}

static void read_extension(const struct shm_run *r, struct tp_run *run)
{
	const uint16_t headers = pkt_op(run->first_opcode)->headers;
	const uint64_t *ext = r->ext;

	if (headers & PKT_RETH)
		run->reth = (struct pkt_reth){ext[0], (uint32_t)ext[1], (uint32_t)ext[2]};
	if (headers & PKT_FETH)
		run->feth = (struct pkt_feth){.placement = (uint8_t)ext[3],
					      .selectivity = (uint8_t)(ext[3] >> 8)};
	if (headers & PKT_ATOMICETH)
		run->atomiceth = (struct pkt_atomiceth){ext[0], (uint32_t)ext[1], ext[2], ext[3]};
	else if (headers & PKT_ATOMICACKETH)
		run->atomicacketh.original = ext[0];
	else if (headers & PKT_DETH)
		run->deth = (struct pkt_deth){.qkey = (uint32_t)ext[0],
					      .src_qpn = ext[1] & PKT_PSN_MASK};
}

static void write_path(const struct tp_path *path, struct shm_run *r)
{
	r->sl = path->sl;
	r->slid = path->slid;
	r->dlid = path->dlid;
	if (!path->has_grh)
		return;
	r->traffic_class = path->traffic_class;
	r->hop_limit = path->hop_limit;
	r->flow_label = path->flow_label;
	memcpy(r->sgid, path->sgid, sizeof(r->sgid));
	memcpy(r->dgid, path->dgid, sizeof(r->dgid));
}

static void read_path(const struct shm_run *r, struct tp_path *path)
{
	path->sl = r->sl;
	path->slid = r->slid;
	path->dlid = r->dlid;
	path->has_grh = (r->flags & FLAG_GRH) != 0;
	if (!path->has_grh)
		return;
	path->traffic_class = r->traffic_class;
	path->hop_limit = r->hop_limit;
	path->flow_label = r->flow_label;
	memcpy(path->sgid, r->sgid, sizeof(path->sgid));
	memcpy(path->dgid, r->dgid, sizeof(path->dgid));
}

static char *write_why(const struct base_cause *cause, char *at)
{
	struct why why = {.wr_id = cause->wr_id,
			  .qpn = cause->qpn,
			  .peer_qpn = cause->peer_qpn,
			  .id = cause->id,
			  .side = cause->side,
			  .has_wr = cause->has_wr,
			  .wr_opcode = cause->wr_opcode,
			  .status = cause->status};

	memcpy(why.arg, cause->arg, sizeof(why.arg));
	memcpy(at, &why, sizeof(why));
	return at + sizeof(why);
}

static const char *read_why(const char *at, struct base_cause *cause)
{
	struct why why;

	memcpy(&why, at, sizeof(why));
	*cause = (struct base_cause){.wr_id = why.wr_id,
				     .qpn = why.qpn,
				     .peer_qpn = why.peer_qpn,
				     .id = why.id,
				     .side = why.side,
				     .has_wr = why.has_wr != 0,
				     .wr_opcode = why.wr_opcode,
				     .status = why.status};
	memcpy(cause->arg, why.arg, sizeof(cause->arg));
	return at + sizeof(why);
}

static void write_segments(const struct tp_payload *payload, char *at)
{
	for (uint32_t i = 0; i < payload->count; i++) {
		const struct segment segment = {(uintptr_t)payload->iov[i].iov_base,
						payload->iov[i].iov_len};

		memcpy(at + i * sizeof(segment), &segment, sizeof(segment));
	}
}

uint64_t shm_run_wire_bytes(const struct tp_run *run, uint32_t packets)
{
	const bool whole = packets == run->packets;
	const uint64_t each = PKT_LRH_BYTES + PKT_BTH_BYTES + PKT_ICRC_BYTES +
			      (run->path.has_grh ? PKT_GRH_BYTES : 0);
	const uint64_t payload = whole ? run->payload.bytes : (uint64_t)packets * run->pmtu_bytes;
	uint64_t bytes = packets * each + (payload + 3) / 4 * 4;

	bytes += pkt_header_bytes(run->first_opcode) - PKT_BTH_BYTES;
	if (whole && packets > 1)
		bytes += pkt_header_bytes(run->last_opcode) - PKT_BTH_BYTES;
	return bytes;
}

int shm_run_write(const struct tp_run *run, bool pull, void *record)
{
	const struct tp_payload *payload = &run->payload;
	struct shm_run *r = record;
	char *behind = (char *)(r + 1);
	struct iovec to;

	*r = (struct shm_run){
		.state = SHM_RUN_READY,
		.flags = flags_of(run),
		.segments = pull ? payload->count : 0,
		.payload_bytes = payload->bytes,
		.payload_offset = pull ? payload->offset : 0,
		.dest_qpn = run->dest_qpn,
		.psn = run->psn.v,
		.packets = run->packets,
		.immdt = run->immdt,
		.ieth = run->ieth,
		.aeth = (uint32_t)run->aeth.syndrome << SYNDROME_SHIFT | run->aeth.msn.v,
		.pkey = run->pkey,
		.pmtu_bytes = run->pmtu_bytes,
		.first_opcode = run->first_opcode,
		.last_opcode = run->last_opcode,
	};
	write_path(&run->path, r);
	write_extension(run, r->ext);
	if (run->why.id)
		behind = write_why(&run->why, behind);
	if (pull) {
		write_segments(payload, behind);
		return 0;
	}
	to = (struct iovec){.iov_base = behind, .iov_len = payload->bytes};
	return payload->bytes ? base_umem_copy_iov(&to, 1, 0, payload->iov, payload->count,
						   payload->offset, payload->bytes)
			      : 0;
}

static void read_head(const struct shm_run *r, struct tp_run *run)
{
	read_path(r, &run->path);
	run->dest_qpn = r->dest_qpn;
	run->pkey = r->pkey;
	run->psn.v = r->psn;
	run->packets = r->packets;
	run->pmtu_bytes = r->pmtu_bytes;
	run->first_opcode = r->first_opcode;
	run->last_opcode = r->last_opcode;
	run->solicited = (r->flags & FLAG_SOLICITED) != 0;
	run->migrated = (r->flags & FLAG_MIGRATED) != 0;
	run->ack_req = (r->flags & FLAG_ACK_REQ) != 0;
	run->becn = (r->flags & FLAG_BECN) != 0;
	run->immdt = r->immdt;
	run->ieth = r->ieth;
	run->aeth = (struct pkt_aeth){(uint8_t)(r->aeth >> SYNDROME_SHIFT), msn(r->aeth)};
	run->payload.iov = NULL;
	run->payload.source = NULL;
	run->payload.count = 1;
	run->payload.bytes = r->payload_bytes;
	run->payload.offset = 0;
	run->why.id = 0;
	read_extension(r, run);
}

/* The segments must hold what the run says, or a copy would run off their end. */
static int read_segments(const struct shm_run *r, const char *at, struct shm_run_view *view)
{
	uint64_t room = 0;

	for (uint32_t i = 0; i < r->segments; i++) {
		struct segment segment;

		memcpy(&segment, at + i * sizeof(segment), sizeof(segment));
		if (segment.bytes > SIZE_MAX / 2 - room)
			return -EBADMSG;
		room += segment.bytes;
		view->iov[i] = (struct iovec){.iov_base = (void *)(uintptr_t)segment.address,
					      .iov_len = segment.bytes};
	}
	if (r->payload_offset > room || room - r->payload_offset < r->payload_bytes)
		return -EBADMSG;
	view->pull = true;
	view->run.payload.count = r->segments;
	view->run.payload.offset = r->payload_offset;
	return 0;
}

int shm_run_read(const void *record, size_t bytes, struct shm_run_view *view)
{
	const char *behind = (const char *)record + sizeof(struct shm_run);
	size_t left = bytes - sizeof(struct shm_run);
	struct shm_run r;

	if (bytes < sizeof(r))
		return -EBADMSG;
	memcpy(&r, record, sizeof(r));
	read_head(&r, &view->run);
	view->run.payload.iov = view->iov;
	view->pull = false;
	if (r.flags & FLAG_WHY) {
		if (left < sizeof(struct why))
			return -EBADMSG;
		behind = read_why(behind, &view->run.why);
		left -= sizeof(struct why);
	}
	if (r.segments > SHM_RUN_SEGMENTS ||
	    left < (r.segments ? r.segments * sizeof(struct segment) : r.payload_bytes))
		return -EBADMSG;
	if (r.segments)
		return read_segments(&r, behind, view);
	view->iov[0] =
		(struct iovec){.iov_base = (void *)(uintptr_t)behind, .iov_len = r.payload_bytes};
	return 0;
}
