// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Runs as records. */
#include "wire/shm_run.h"

#include <errno.h>
#include <linux/compiler.h>
#include <stddef.h>
#include <string.h>

#include "base/umem.h"

#define FLAG_SOLICITED 1u
#define FLAG_MIGRATED 2u
#define FLAG_ACK_REQ 4u
#define FLAG_BECN 8u
#define FLAG_GRH 16u
#define FLAG_WHY 32u
#define FLAG_ACK_HERE 64u
#define SYNDROME_SHIFT 24

/* RETH with FETH, AtomicETH, AtomicAckETH or DETH. */
#define EXTENDED (PKT_RETH | PKT_ATOMICETH | PKT_ATOMICACKETH | PKT_DETH)

struct extension {
	uint64_t word[4];
};

struct grh {
	uint32_t flow_label;
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t sgid[16];
	uint8_t dgid[16];
	uint16_t resv;
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

struct segment {
	uint64_t address;
	uint64_t bytes;
};

/* Payload that stays where it is. */
struct where {
	uint64_t offset;
	struct segment segment[SHM_RUN_SEGMENTS];
};

static size_t where_bytes(uint32_t segments)
{
	return offsetof(struct where, segment) + segments * sizeof(struct segment);
}

static bool is_extended(uint8_t opcode)
{
	return (pkt_op(opcode)->headers & EXTENDED) != 0;
}

size_t shm_run_bytes(const struct tp_run *run, bool pull)
{
	return sizeof(struct shm_run) +
	       (is_extended(run->first_opcode) ? sizeof(struct extension) : 0) +
	       (run->path.has_grh ? sizeof(struct grh) : 0) +
	       (run->why.id ? sizeof(struct why) : 0) +
	       (pull ? where_bytes(run->payload.count) : run->payload.bytes);
}

static uint16_t flags_of(const struct tp_run *run)
{
	return (uint16_t)((run->solicited ? FLAG_SOLICITED : 0) |
			  (run->migrated ? FLAG_MIGRATED : 0) | (run->ack_req ? FLAG_ACK_REQ : 0) |
			  (run->becn ? FLAG_BECN : 0) | (run->path.has_grh ? FLAG_GRH : 0) |
			  (run->why.id ? FLAG_WHY : 0));
}

/* Behind what was put. */
static char *put(char *at, const void *part, size_t bytes)
{
	memcpy(at, part, bytes);
	return at + bytes;
}

static char *put_extension(const struct tp_run *run, char *at)
{
	const uint16_t headers = pkt_op(run->first_opcode)->headers;
	struct extension ext = {{0}};

	if (headers & PKT_RETH) {
		ext.word[0] = run->reth.va;
		ext.word[1] = run->reth.rkey;
		ext.word[2] = run->reth.dma_bytes;
		if (headers & PKT_FETH)
			ext.word[3] = run->feth.placement | (uint64_t)run->feth.selectivity << 8;
	} else if (headers & PKT_ATOMICETH) {
		ext.word[0] = run->atomiceth.va;
		ext.word[1] = run->atomiceth.rkey;
		ext.word[2] = run->atomiceth.swap_add;
		ext.word[3] = run->atomiceth.compare;
	} else if (headers & PKT_ATOMICACKETH) {
		ext.word[0] = run->atomicacketh.original;
	} else {
		ext.word[0] = run->deth.qkey;
		ext.word[1] = run->deth.src_qpn;
	}
	return put(at, &ext, sizeof(ext));
}

static void take_extension(const struct extension *ext, struct tp_run *run)
{
	const uint16_t headers = pkt_op(run->first_opcode)->headers;
	const uint64_t *word = ext->word;

	if (headers & PKT_RETH)
		run->reth = (struct pkt_reth){word[0], (uint32_t)word[1], (uint32_t)word[2]};
	if (headers & PKT_FETH)
		run->feth = (struct pkt_feth){.placement = (uint8_t)word[3],
					      .selectivity = (uint8_t)(word[3] >> 8)};
	if (headers & PKT_ATOMICETH)
		run->atomiceth =
			(struct pkt_atomiceth){word[0], (uint32_t)word[1], word[2], word[3]};
	else if (headers & PKT_ATOMICACKETH)
		run->atomicacketh.original = word[0];
	else if (headers & PKT_DETH)
		run->deth = (struct pkt_deth){.qkey = (uint32_t)word[0],
					      .src_qpn = word[1] & PKT_PSN_MASK};
}

static char *put_grh(const struct tp_path *path, char *at)
{
	struct grh grh = {.flow_label = path->flow_label,
			  .traffic_class = path->traffic_class,
			  .hop_limit = path->hop_limit};

	memcpy(grh.sgid, path->sgid, sizeof(grh.sgid));
	memcpy(grh.dgid, path->dgid, sizeof(grh.dgid));
	return put(at, &grh, sizeof(grh));
}

static void take_grh(const struct grh *grh, struct tp_path *path)
{
	path->has_grh = true;
	path->flow_label = grh->flow_label;
	path->traffic_class = grh->traffic_class;
	path->hop_limit = grh->hop_limit;
	memcpy(path->sgid, grh->sgid, sizeof(path->sgid));
	memcpy(path->dgid, grh->dgid, sizeof(path->dgid));
}

static char *put_why(const struct base_cause *cause, char *at)
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
	return put(at, &why, sizeof(why));
}

static void take_why(const struct why *why, struct base_cause *cause)
{
	*cause = (struct base_cause){.wr_id = why->wr_id,
				     .qpn = why->qpn,
				     .peer_qpn = why->peer_qpn,
				     .id = why->id,
				     .side = why->side,
				     .has_wr = why->has_wr != 0,
				     .wr_opcode = why->wr_opcode,
				     .status = why->status};
	memcpy(cause->arg, why->arg, sizeof(cause->arg));
}

static void put_where(const struct tp_payload *payload, char *at)
{
	struct where where = {.offset = payload->offset};

	for (uint32_t i = 0; i < payload->count; i++)
		where.segment[i] = (struct segment){(uintptr_t)payload->iov[i].iov_base,
						    payload->iov[i].iov_len};
	memcpy(at, &where, where_bytes(payload->count));
}

/* Packets without those headers that only some of them have. */
static uint64_t packet_bytes(const struct tp_path *path, uint32_t packets, uint64_t payload)
{
	const uint64_t each = PKT_LRH_BYTES + PKT_BTH_BYTES + PKT_ICRC_BYTES +
			      (path->has_grh ? PKT_GRH_BYTES : 0);

	return packets * each + (payload + 3) / 4 * 4;
}

static uint64_t extended_bytes(uint8_t opcode)
{
	return pkt_header_bytes(opcode) - PKT_BTH_BYTES;
}

uint64_t shm_run_wire_bytes(const struct tp_run *run, uint32_t packets)
{
	const bool whole = packets == run->packets;
	const uint64_t payload = whole ? run->payload.bytes : (uint64_t)packets * run->pmtu_bytes;
	uint64_t bytes = packet_bytes(&run->path, packets, payload);

	bytes += extended_bytes(run->first_opcode);
	if (whole && packets > 1)
		bytes += extended_bytes(run->last_opcode);
	return bytes;
}

uint64_t shm_run_response_bytes(const struct tp_run *request, uint32_t *packets)
{
	const uint32_t bytes = request->reth.dma_bytes, pmtu = request->pmtu_bytes;
	const uint32_t count = bytes > pmtu ? bytes / pmtu + (bytes % pmtu != 0) : 1;

	*packets = count;
	return packet_bytes(&request->path, count, bytes) +
	       (count > 1 ? extended_bytes(PKT_RC_READ_RESPONSE_FIRST) +
				    extended_bytes(PKT_RC_READ_RESPONSE_LAST)
			  : extended_bytes(PKT_RC_READ_RESPONSE_ONLY));
}

static void put_head(const struct tp_run *run, bool pull, struct shm_run *r)
{
	r->state = SHM_RUN_READY;
	r->flags = flags_of(run);
	r->first_opcode = run->first_opcode;
	r->last_opcode = run->last_opcode;
	r->payload_bytes = run->payload.bytes;
	r->dest_qpn = run->dest_qpn;
	r->psn = run->psn.v;
	r->packets = run->packets;
	r->aeth = (uint32_t)run->aeth.syndrome << SYNDROME_SHIFT | run->aeth.msn.v;
	r->immdt = run->immdt;
	r->ieth = run->ieth;
	r->pkey = run->pkey;
	r->pmtu_bytes = run->pmtu_bytes;
	r->slid = run->path.slid;
	r->dlid = run->path.dlid;
	r->sl = run->path.sl;
	r->segments = pull ? (uint8_t)run->payload.count : 0;
}

static int copy_payload(const struct tp_payload *payload, char *at)
{
	const struct iovec to = {.iov_base = at, .iov_len = payload->bytes};

	if (!payload->bytes)
		return 0;
	if (likely(payload->ours)) {
		memcpy(at, (const char *)payload->iov->iov_base + payload->offset, payload->bytes);
		return 0;
	}
	return base_umem_copy_iov(&to, 1, 0, payload->iov, payload->count, payload->offset,
				  payload->bytes);
}

int shm_run_write(const struct tp_run *run, bool pull, void *record)
{
	const struct tp_payload *payload = &run->payload;
	struct shm_run *r = record;
	char *at = (char *)(r + 1);

	put_head(run, pull, r);
	if (is_extended(run->first_opcode))
		at = put_extension(run, at);
	if (unlikely(run->path.has_grh))
		at = put_grh(&run->path, at);
	if (unlikely(run->why.id))
		at = put_why(&run->why, at);
	if (pull) {
		put_where(payload, at);
		return 0;
	}
	return copy_payload(payload, at);
}

static void take_head(const struct shm_run *r, struct tp_run *run)
{
	run->path.sl = r->sl;
	run->path.slid = r->slid;
	run->path.dlid = r->dlid;
	run->path.has_grh = false;
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
	run->payload.source = NULL;
	run->payload.ours = false;
	run->payload.count = 1;
	run->payload.bytes = r->payload_bytes;
	run->payload.offset = 0;
	run->why.id = 0;
}

/* What of a record has not been read yet. */
struct rest {
	const char *at;
	size_t bytes;
};

/* Once, into memory of ours. */
static bool take(struct rest *rest, void *part, size_t bytes)
{
	if (unlikely(rest->bytes < bytes))
		return false;
	memcpy(part, rest->at, bytes);
	rest->at += bytes;
	rest->bytes -= bytes;
	return true;
}

static bool take_options(struct rest *rest, uint32_t flags, struct tp_run *run)
{
	struct extension ext;
	struct grh grh;
	struct why why;

	if (is_extended(run->first_opcode)) {
		if (!take(rest, &ext, sizeof(ext)))
			return false;
		take_extension(&ext, run);
	}
	if (unlikely(flags & FLAG_GRH)) {
		if (!take(rest, &grh, sizeof(grh)))
			return false;
		take_grh(&grh, &run->path);
	}
	if (unlikely(flags & FLAG_WHY)) {
		if (!take(rest, &why, sizeof(why)))
			return false;
		take_why(&why, &run->why);
	}
	return true;
}

/* The segments must hold what the run says, or a copy would run off their end. */
static int take_where(struct rest *rest, uint32_t segments, struct shm_run_view *view)
{
	struct tp_payload *payload = &view->run.payload;
	struct where where;
	uint64_t room = 0;

	if (segments > SHM_RUN_SEGMENTS || !take(rest, &where, where_bytes(segments)))
		return -EBADMSG;
	for (uint32_t i = 0; i < segments; i++) {
		const struct segment *segment = &where.segment[i];

		if (segment->bytes > SIZE_MAX / 2 - room)
			return -EBADMSG;
		room += segment->bytes;
		view->iov[i] = (struct iovec){.iov_base = (void *)(uintptr_t)segment->address,
					      .iov_len = segment->bytes};
	}
	if (where.offset > room || room - where.offset < payload->bytes)
		return -EBADMSG;
	view->pull = true;
	payload->count = segments;
	payload->offset = where.offset;
	return 0;
}

int shm_run_read(const void *record, size_t bytes, struct shm_run_view *view)
{
	struct rest rest = {record, bytes};
	struct shm_run r;

	if (!take(&rest, &r, sizeof(r)))
		return -EBADMSG;
	take_head(&r, &view->run);
	view->run.payload.iov = view->iov;
	view->pull = false;
	if (!take_options(&rest, r.flags, &view->run))
		return -EBADMSG;
	if (r.segments)
		return take_where(&rest, r.segments, view);
	if (rest.bytes < r.payload_bytes)
		return -EBADMSG;
	view->iov[0] =
		(struct iovec){.iov_base = (void *)(uintptr_t)rest.at, .iov_len = r.payload_bytes};
	return 0;
}

uint64_t shm_small_wire_bytes(const struct tp_small *small)
{
	return PKT_LRH_BYTES + pkt_header_bytes(small->opcode) + PKT_ICRC_BYTES +
	       (small->count + 3u) / 4 * 4;
}

void shm_small_write(const struct tp_small *small, void *record)
{
	struct shm_run *r = record;

	r->state = SHM_RUN_READY;
	r->flags = (uint16_t)(FLAG_MIGRATED | (small->solicited ? FLAG_SOLICITED : 0) |
			      (small->ack_req ? FLAG_ACK_REQ : 0) |
			      (small->ack_here ? FLAG_ACK_HERE : 0));
	r->first_opcode = r->last_opcode = small->opcode;
	r->payload_bytes = small->count;
	r->dest_qpn = small->dest_qpn;
	r->psn = small->psn.v;
	r->packets = 1;
	r->aeth = (uint32_t)small->aeth.syndrome << SYNDROME_SHIFT | small->aeth.msn.v;
	r->immdt = small->immdt;
	r->ieth = 0;
	r->pkey = small->pkey;
	r->pmtu_bytes = small->pmtu_bytes;
	r->slid = small->slid;
	r->dlid = small->dlid;
	r->sl = small->sl;
	r->segments = 0;
	if (likely(small->count == sizeof(uint64_t)))
		memcpy(r + 1, small->bytes, sizeof(uint64_t));
	else if (small->count)
		memcpy(r + 1, small->bytes, small->count);
}

static bool has_small_opcode(const struct shm_run *r)
{
	if (r->first_opcode != r->last_opcode)
		return false;
	return r->first_opcode == PKT_RC_SEND_ONLY || r->first_opcode == PKT_RC_SEND_ONLY_IMM ||
	       (r->first_opcode == PKT_RC_ACKNOWLEDGE && !r->payload_bytes);
}

bool shm_small_read(const void *record, size_t bytes, struct tp_small *small)
{
	struct shm_run r;

	if (unlikely(bytes < sizeof(r)))
		return false;
	memcpy(&r, record, sizeof(r));
	if (!has_small_opcode(&r) || r.packets != 1 || r.segments ||
	    r.payload_bytes > TP_SMALL_BYTES || r.payload_bytes > bytes - sizeof(r) ||
	    (r.flags & ~(FLAG_SOLICITED | FLAG_ACK_REQ | FLAG_ACK_HERE)) != FLAG_MIGRATED ||
	    r.psn > PKT_PSN_MASK)
		return false;
	*small = (struct tp_small){
		.dest_qpn = r.dest_qpn,
		.psn = {r.psn},
		.pkey = r.pkey,
		.pmtu_bytes = r.pmtu_bytes,
		.slid = r.slid,
		.dlid = r.dlid,
		.sl = r.sl,
		.opcode = r.first_opcode,
		.solicited = (r.flags & FLAG_SOLICITED) != 0,
		.ack_req = (r.flags & FLAG_ACK_REQ) != 0,
		.ack_here = (r.flags & FLAG_ACK_HERE) != 0,
		.immdt = r.immdt,
		.aeth = {(uint8_t)(r.aeth >> SYNDROME_SHIFT), msn(r.aeth)},
		.bytes = (const char *)record + sizeof(r),
		.count = r.payload_bytes,
	};
	return true;
}

void shm_small_ack(void *record, const struct pkt_aeth *aeth)
{
	struct shm_run *r = record;

	__atomic_store_n(&r->aeth, (uint32_t)aeth->syndrome << SYNDROME_SHIFT | aeth->msn.v,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&r->state, SHM_RUN_ACKED, __ATOMIC_RELEASE);
}

bool shm_small_is_acked(const void *record, struct pkt_aeth *aeth)
{
	const struct shm_run *r = record;
	uint32_t word;

	if (__atomic_load_n(&r->state, __ATOMIC_ACQUIRE) != SHM_RUN_ACKED)
		return false;
	word = __atomic_load_n(&r->aeth, __ATOMIC_RELAXED);
	*aeth = (struct pkt_aeth){(uint8_t)(word >> SYNDROME_SHIFT), msn(word)};
	return true;
}
