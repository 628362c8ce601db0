// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What arrives: runs with any headers, and packets of captures. See world.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/pcap_read.h"
#include "fuzz/tp_receive/world.h"
#include "packet/view.h"
#include "transport/run.h"
#include "transport/tp_qp.h"

#define PAYLOAD_BYTES (1u << 17)
#define UNMAPPED_BYTES ((size_t)UINT32_MAX + PAYLOAD_BYTES)
#define MAX_FRAMES 512u
#define ETHERNET_BYTES 14u

/* They outlive one input. */
static struct pcap_frame frames[MAX_FRAMES];
static size_t frame_count;
static char *payload;
static char *unmapped;

static void load_frames(const char *name)
{
	struct pcap_frame *loaded;
	char path[512];
	size_t n;

	snprintf(path, sizeof(path), "%s/captures/rxe-%s.pcap", TEST_DATA_DIR, name);
	REQUIRE(!pcap_read(path, &loaded, &n));
	for (size_t i = 0; i < n && frame_count < MAX_FRAMES; i++)
		if (loaded[i].bytes > ETHERNET_BYTES) {
			frames[frame_count] = loaded[i];
			loaded[i].wire = NULL; /* ours now */
			frame_count++;
		}
	pcap_free(loaded, n);
}

void arrive_load(void)
{
	static const char *const captures[] = {"rc-send",   "rc-write",	   "rc-read",
					       "rc-atomic", "rc-nak",	   "rc-rnr-exceeded",
					       "rc-mw",	    "uc-send",	   "uc-write",
					       "ud-send",   "rc-noaccess", "mtu4096-rc-read",
					       "rc-event"};

	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++)
		load_frames(captures[i]);
	REQUIRE(frame_count);
	payload = malloc(PAYLOAD_BYTES);
	REQUIRE(payload);
	for (size_t i = 0; i < PAYLOAD_BYTES; i++)
		payload[i] = (char)(i * 7 + i / 253);
	unmapped = mmap(NULL, UNMAPPED_BYTES, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	REQUIRE(unmapped != MAP_FAILED);
}

/* Mostly where something may happen, sometimes anywhere. */
static psn_t take_psn(struct input *in, const struct test_qp *to)
{
	const struct rvt_qp *qp = rvt(to);
	const uint8_t base = take8(in);
	const int8_t off = (int8_t)take8(in);

	switch (base % 4) {
	case 0:
		return psn_add(tp_qp(qp)->resp.epsn, (uint32_t)off);
	case 1:
		return psn_add(psn(qp->s_last_psn), (uint32_t)off);
	case 2:
		return psn_add(psn(qp->s_psn), (uint32_t)off);
	default:
		return psn(take32(in));
	}
}

static uint8_t take_opcode(struct input *in, const struct test_qp *to)
{
	const uint8_t byte = take8(in);

	if (byte & 0x80) /* any */
		return take8(in);
	if (to->options.type == IB_QPT_RC)
		return byte % (PKT_RC_SEND_ONLY_INV + 1);
	if (to->options.type == IB_QPT_UC)
		return (uint8_t)(PKT_SERVICE_UC << 5 | byte % (PKT_RC_WRITE_ONLY_IMM + 1));
	return byte & 1 ? PKT_UD_SEND_ONLY : PKT_UD_SEND_ONLY_IMM;
}

/* Right lengths come first; any length at all may follow. */
static uint32_t take_length(struct input *in, const struct tp_run *run)
{
	const uint32_t full = run->packets * run->pmtu_bytes;
	const uint8_t how = take8(in);

	if (!(pkt_op(run->first_opcode)->headers & PKT_DATA) && how < 0xf0)
		return 0;
	switch (how % 8) {
	case 0:
	case 1:
		return full;
	case 2:
	case 3:
		return full - take8(in);
	case 4:
	case 5:
		return take8(in);
	case 6:
		return take16(in);
	default:
		return take32(in);
	}
}

/* Payload as a wire would have it: there are always as many bytes as it says, mapped or not. */
static void fill_payload(struct input *in, struct tp_run *run, struct iovec iov[2])
{
	const uint8_t how = take8(in);

	run->payload.bytes = take_length(in, run);
	run->payload.offset = how & 7;
	run->payload.iov = iov;
	run->payload.count = 1;
	iov[0] = (struct iovec){payload, PAYLOAD_BYTES};
	if (how >= 0xe0 || run->payload.bytes + run->payload.offset > PAYLOAD_BYTES) {
		iov[0] = (struct iovec){unmapped, UNMAPPED_BYTES};
	} else if (how & 8) {
		iov[0].iov_len = 300;
		iov[1] = (struct iovec){payload + 1000, PAYLOAD_BYTES};
		run->payload.count = 2;
		if (run->payload.bytes > PAYLOAD_BYTES - 1000)
			run->payload.bytes = PAYLOAD_BYTES - 1000;
	}
}

static void fill_several(struct input *in, struct tp_run *run)
{
	const uint8_t n = take8(in);

	run->pmtu_bytes = n & 0x40 ? take16(in) : run->pmtu_bytes;
	if (n & 0x80) {
		run->packets = take32(in);
		run->last_opcode = take8(in);
		return;
	}
	run->packets = n % 64;
	if (n & 0x20)
		run->last_opcode = take8(in);
	else if (run->packets > 1) /* as MIDDLE follows FIRST, and LAST follows MIDDLE */
		run->last_opcode = (uint8_t)(run->first_opcode + (n & 0x10 ? 1 : 2));
}

static void fill_headers(struct world *w, const struct test_qp *to, struct tp_run *run)
{
	const uint16_t headers = pkt_op(run->first_opcode)->headers;
	struct input *in = &w->in;
	const uint8_t flags = take8(in);

	run->solicited = flags & 1;
	run->ack_req = flags & 2;
	run->becn = flags & 4;
	run->migrated = flags & 8;
	run->immdt = take8(in);
	run->ieth = flags & 16 ? take32(in) : take_rkey(w, to);
	run->aeth.syndrome = take8(in);
	run->aeth.msn = msn(take8(in));
	if (headers & PKT_RETH) {
		run->reth.va = take_va(w, to);
		run->reth.rkey = take_rkey(w, to);
		run->reth.dma_bytes = flags & 32 ? take32(in) : take16(in);
	} else if (headers & PKT_ATOMICETH) {
		run->atomiceth.va = take_va(w, to);
		run->atomiceth.rkey = take_rkey(w, to);
		run->atomiceth.swap_add = take8(in);
		run->atomiceth.compare = take8(in);
	} else if (headers & PKT_DETH) {
		run->deth.qkey = flags & 64 ? take32(in) : to->options.qkey;
		run->deth.src_qpn = take8(in);
	} else {
		run->atomicacketh.original = take8(in);
	}
}

/* Addresses are right but for one in sixteen. */
static void damage_path(struct input *in, struct tp_run *run)
{
	const uint8_t what = take8(in);
	uint8_t at;

	if (what < 0xf0)
		return;
	switch (what & 7) {
	case 0:
		run->path.slid = take16(in);
		break;
	case 1:
		run->path.has_grh = !run->path.has_grh;
		break;
	case 2:
		at = take8(in);
		run->path.sgid[at % 16] = take8(in);
		break;
	case 3:
		run->pkey = take16(in);
		break;
	case 4:
		run->dest_qpn = take32(in);
		break;
	case 5:
		run->path.dlid = take16(in);
		break;
	case 6:
		at = take8(in);
		run->path.dgid[at % 16] = take8(in);
		break;
	default:
		run->psn.v = take32(in); /* 24 bits or not */
		break;
	}
}

static u64 drops_of(const struct test_host *host)
{
	return host->ibp.n_pkt_drops;
}

/* Nothing vanishes: what no queue pair may take is counted. */
static void arrive(struct test_qp *to, const struct tp_run *run)
{
	const enum ib_qp_state state = test_qp_state(to);
	const bool hears = state == IB_QPS_RTR || state == IB_QPS_RTS || state == IB_QPS_SQD ||
			   (state == IB_QPS_SQE && to->options.type != IB_QPT_RC);
	const u64 before = drops_of(to->host);

	tp_receive(to->host->port, run);
	if (!hears || !pkt_op(run->first_opcode)->supported || !tp_run_is_sane(run))
		REQUIRE(drops_of(to->host) > before);
}

static void inject_run(struct world *w, struct test_qp *to)
{
	struct input *in = &w->in;
	const uint8_t opcode = take_opcode(in, to);
	struct iovec iov[2];
	struct tp_run run;

	test_pair_packet(to, peer_of(w, to), opcode, 0, &run);
	run.psn = take_psn(in, to);
	run.pmtu_bytes = rvt(to)->pmtu;
	if (take8(in) & 1)
		fill_several(in, &run);
	fill_payload(in, &run, iov);
	fill_headers(w, to, &run);
	damage_path(in, &run);
	arrive(to, &run);
}

/* A packet that a real one sent, some bytes of it changed, as if its CRC were right. */
static void inject_frame(struct world *w, struct test_qp *to)
{
	struct input *in = &w->in;
	const struct pcap_frame *frame = &frames[take16(in) % frame_count];
	const size_t bytes = frame->bytes - ETHERNET_BYTES;
	const uint8_t how = take8(in);
	struct tp_run run, path;
	enum pkt_refusal why;
	struct pkt_view view;
	struct iovec iov;
	uint8_t *wire = malloc(bytes);

	REQUIRE(wire);
	memcpy(wire, frame->wire + ETHERNET_BYTES, bytes);
	for (int i = how & 3; i > 0; i--) {
		const uint16_t at = take16(in);

		wire[at % bytes] = take8(in);
	}
	if (!pkt_decode(PKT_FRAMING_ROCE_V2, wire, bytes, &view, &why)) {
		tp_run_from_view(&view, &run, &iov);
		test_pair_packet(to, peer_of(w, to), run.first_opcode, 0, &path);
		run.path = path.path;
		run.dest_qpn = path.dest_qpn;
		run.pkey = path.pkey;
		if (how & 4)
			run.psn = take_psn(in, to);
		if ((how & 8) && (view.op->headers & PKT_RETH)) {
			run.reth.va = take_va(w, to);
			run.reth.rkey = take_rkey(w, to);
		}
		if ((how & 8) && (view.op->headers & PKT_DETH))
			run.deth.qkey = to->options.qkey;
		arrive(to, &run);
	}
	free(wire);
}

void inject(struct world *w, struct test_qp *to)
{
	if (take8(&w->in) % 4)
		inject_run(w, to);
	else
		inject_frame(w, to);
}

void inject_batch(struct world *w, struct test_qp *to)
{
	tp_batch_begin();
	for (int n = take8(&w->in) % 4; n >= 0; n--)
		inject(w, to);
	tp_batch_end();
}
