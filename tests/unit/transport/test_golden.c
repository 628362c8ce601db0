// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The requests that a real Soft-RoCE sent, to our responder: it must answer as the real one did
 * (tests/data/captures). What may differ, and why, is in what_differs().
 */
#include "common/test.h"

#include <linux/scatterlist.h>
#include <stdio.h>
#include <string.h>

#include "common/test_host.h"
#include "common/trace.h"
#include "packet/aeth.h"
#include "transport/rc_resp.h"
#include "transport/run.h"

/* The probe's buffer: it sends from the lower half and receives into the upper one. */
#define BUF (1u << 20)
#define HALF (BUF / 2)
#define WRONG_RKEY 0x00badbadu
#define MAX_ANSWERS 4096u
#define MAX_REGIONS 8u

enum how {
	PROBE,	/* the probe's buffer, one region */
	TOOL,	/* unknown memory: a region per rkey that the real one accepted */
	SUBSET, /* as PROBE; answers of the real one were lost, doubled, or out of order */
};

static const struct {
	const char *name;
	enum how how;
	uint32_t mtu;
} captures[] = {
	{"rc-send", PROBE, 1024},	  {"rc-write", PROBE, 1024},
	{"rc-read", PROBE, 1024},	  {"rc-readpipe", PROBE, 1024},
	{"rc-atomic", PROBE, 1024},	  {"rc-psnwrap", PROBE, 1024},
	{"rc-ipv6", PROBE, 1024},	  {"rc-rnr", PROBE, 1024},
	{"rc-rnr-exceeded", PROBE, 1024}, {"rc-retry-exceeded", SUBSET, 1024},
	{"rc-nak", PROBE, 1024},	  {"rc-noaccess", PROBE, 1024},
	{"rc-event", PROBE, 1024},	  {"rc-loss", SUBSET, 1024},
	{"rc-duplicate", SUBSET, 1024},	  {"rc-reorder", SUBSET, 1024},
	{"uc-send", PROBE, 1024},	  {"uc-write", PROBE, 1024},
	{"mtu4096-rc-send", PROBE, 4096}, {"mtu4096-rc-write", PROBE, 4096},
	{"mtu4096-rc-read", PROBE, 4096}, {"mtu4096-uc-send", PROBE, 4096},
	{"rc-pingpong", TOOL, 1024},	  {"uc-pingpong", TOOL, 1024},
	{"srq-pingpong", TOOL, 1024},	  {"ib-send-bw", TOOL, 1024},
	{"ib-write-bw", TOOL, 1024},	  {"ib-read-lat", TOOL, 1024},
	{"ib-atomic-bw", TOOL, 1024},	  {"ib-send-bw-uc", TOOL, 1024},
	{"ib-write-bw-cm", TOOL, 1024},	  {"cm-rping", TOOL, 1024},
	{"cm-rping-ipv6", TOOL, 1024},	  {"cm-ucmatose", TOOL, 1024},
	{"cm-rstream", TOOL, 1024},
};

/* A region of the real responder and ours that stands for it. */
struct region {
	uint32_t rkey;
	uint64_t va;
	uint64_t end;
	struct ib_mr *mr;
	char *memory;
};

/**
 * struct replay - One dialogue on its way.
 * @trace: The capture.
 * @d: The dialogue.
 * @how: How to judge.
 * @wire: Where our answers wait.
 * @host: Our responder's.
 * @qp: It.
 * @regions: Its memory.
 * @region_count: How many.
 * @answers: What it said, packet by packet.
 * @answer_count: How many.
 */
struct replay {
	struct trace *trace;
	const struct trace_dialogue *d;
	enum how how;
	struct test_wire *wire;
	struct test_host *host;
	struct test_qp qp;
	struct region regions[MAX_REGIONS];
	size_t region_count;
	struct tp_run *answers;
	size_t answer_count;
};

static bool is_request(const struct trace_packet *p)
{
	return p->view.op->side == PKT_REQUEST;
}

static bool is_rdma(const struct trace_packet *p)
{
	return is_request(p) && (p->view.op->headers & (PKT_RETH | PKT_ATOMICETH));
}

static uint64_t va_of(const struct trace_packet *p)
{
	return p->view.op->headers & PKT_RETH ? p->view.reth.va : p->view.atomiceth.va;
}

static uint32_t rkey_of(const struct trace_packet *p)
{
	return p->view.op->headers & PKT_RETH ? p->view.reth.rkey : p->view.atomiceth.rkey;
}

static uint32_t bytes_of(const struct trace_packet *p)
{
	return p->view.op->headers & PKT_RETH ? p->view.reth.dma_bytes : 8;
}

/* The probe's first READ begins at its buffer, its first WRITE or atomic in the middle. */
static uint64_t probe_base(const struct trace *trace)
{
	uint64_t base = 0x7f0000000000;

	for (size_t i = trace->packet_count; i-- > 0;) {
		const struct trace_packet *p = &trace->packets[i];

		if (p->refusal == PKT_ACCEPTED && is_rdma(p) &&
		    p->view.op->kind != PKT_KIND_READ_REQ)
			base = (va_of(p) - HALF) & ~(uint64_t)4095;
	}
	for (size_t i = trace->packet_count; i-- > 0;) {
		const struct trace_packet *p = &trace->packets[i];

		if (p->refusal == PKT_ACCEPTED && is_rdma(p) &&
		    p->view.op->kind == PKT_KIND_READ_REQ && va_of(p) % 4096 == 0)
			base = va_of(p);
	}
	return base;
}

static uint32_t probe_rkey(const struct trace *trace)
{
	for (size_t i = 0; i < trace->packet_count; i++) {
		const struct trace_packet *p = &trace->packets[i];

		if (p->refusal == PKT_ACCEPTED && is_rdma(p) && rkey_of(p) != WRONG_RKEY)
			return rkey_of(p);
	}
	return 1;
}

static struct region *find_region(struct replay *r, uint32_t rkey)
{
	for (size_t i = 0; i < r->region_count; i++)
		if (r->regions[i].rkey == rkey)
			return &r->regions[i];
	return NULL;
}

static void cover(struct replay *r, const struct trace_packet *p)
{
	struct region *region = find_region(r, rkey_of(p));

	if (!region) {
		assert_true(r->region_count < MAX_REGIONS);
		region = &r->regions[r->region_count++];
		*region = (struct region){.rkey = rkey_of(p), .va = va_of(p), .end = va_of(p)};
	}
	if (va_of(p) < region->va)
		region->va = va_of(p);
	if (va_of(p) + bytes_of(p) > region->end)
		region->end = va_of(p) + bytes_of(p);
}

static void find_regions(struct replay *r)
{
	if (r->how != TOOL) {
		const uint64_t base = probe_base(r->trace);

		r->regions[0] = (struct region){
			.rkey = probe_rkey(r->trace), .va = base, .end = base + BUF};
		r->region_count = 1;
		return;
	}
	for (const struct trace_packet *p = r->d->first; p; p = p->next)
		if (is_rdma(p))
			cover(r, p);
}

static void make_regions(struct replay *r)
{
	for (size_t i = 0; i < r->region_count; i++) {
		struct region *region = &r->regions[i];
		const uint64_t bytes = region->end - region->va + 8;

		region->va &= ~(uint64_t)7;
		region->memory = base_zalloc(bytes + 8);
		assert_non_null(region->memory);
		for (uint32_t n = 0; r->how != TOOL && n < HALF; n++)
			region->memory[n] = (char)(n + 0x80);
		region->mr =
			ib_reg_user_mr(r->host->pd, (uintptr_t)region->memory,
				       r->how == TOOL ? bytes : BUF, region->va,
				       IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |
					       IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC);
		assert_false(IS_ERR(region->mr));
	}
}

static uint32_t next_psn(const struct replay *r)
{
	const struct trace_packet *p = r->d->first;

	while (!is_request(p))
		p = p->next;
	return p->view.bth.psn.v;
}

static void open_replay(struct replay *r, const char *name, uint32_t mtu)
{
	const bool no_access = !strcmp(name, "rc-noaccess");
	struct test_host_options peer_host = {0}, options = {0};
	struct test_qp_options qp_options = {
		.type = r->d->service == PKT_SERVICE_RC ? IB_QPT_RC : IB_QPT_UC,
		.mtu = mtu == 4096 ? IB_MTU_4096 : IB_MTU_1024,
		.rd_atomic = r->how == TOOL ? 16 : 4,
		.access = no_access ? IB_ACCESS_LOCAL_WRITE : 0,
		.recv_wr = 256,
	};
	struct test_host peer = {.options = peer_host};
	struct ib_qp peer_ib = {
		.qp_num = r->d->requester_qpn == TRACE_QPN_UNKNOWN ? 0x11 : r->d->requester_qpn};
	struct test_qp peer_qp = {.host = &peer, .ib = &peer_ib, .options = {.psn = next_psn(r)}};

	r->wire = test_wire_new();
	assert_non_null(r->wire);
	r->wire->hold = r->wire->quiet = true;
	memcpy(options.gid, r->d->responder, 16);
	memcpy(peer.options.gid, r->d->requester, 16);
	r->host = test_host_new(r->wire, &options);
	assert_non_null(r->host);
	assert_int_equal(test_qp_create(&r->qp, r->host, &qp_options), 0);
	assert_int_equal(test_qp_init(&r->qp), 0);
	assert_int_equal(test_qp_rtr(&r->qp, &peer_qp), 0);
	find_regions(r);
	make_regions(r);
	r->answers = base_zalloc_array(MAX_ANSWERS, sizeof(*r->answers));
	assert_non_null(r->answers);
}

static void close_replay(struct replay *r)
{
	test_qp_destroy(&r->qp);
	for (size_t i = 0; i < r->region_count; i++) {
		ib_dereg_mr(r->regions[i].mr);
		base_free(r->regions[i].memory);
	}
	test_host_free(r->host);
	test_wire_free(r->wire);
	base_free(r->answers);
}

/* Our answers, packet by packet. */
static void collect(struct replay *r)
{
	while (r->wire->count) {
		const struct tp_run *run = &r->wire->queue[r->wire->head].run;

		for (uint32_t i = 0; i < run->packets; i++) {
			assert_true(r->answer_count < MAX_ANSWERS);
			tp_run_packet(run, i, &r->answers[r->answer_count++]);
		}
		test_wire_drop(r->wire);
	}
}

/* Whether the real one had no receive for this request. */
static bool was_not_ready(const struct trace_packet *request)
{
	const struct trace_packet *p = request->next;

	while (p && is_request(p))
		p = p->next;
	return p && pkt_op(p->view.bth.opcode)->kind == PKT_KIND_ACK &&
	       pkt_aeth_kind(p->view.aeth.syndrome) == PKT_AETH_RNR_NAK &&
	       psn_diff(request->view.bth.psn, p->view.bth.psn) >= 0;
}

/* Receives as the scenario had them, posted when they are needed. */
static void give_receive(struct replay *r, const char *name, const struct trace_packet *p)
{
	uint32_t bytes = r->how == TOOL ? 65536 : 8192;

	if (!p->view.op->takes_rwqe || was_not_ready(p))
		return;
	if (!strcmp(name, "rc-nak")) {
		/* case 5: 200 bytes for 100; case 6: 5000 for 3000; all others have 64 for 8 */
		bytes = p->view.payload_bytes == 200 ? 100 : 64;
		if (p->view.op->pos == PKT_FIRST)
			bytes = 3000;
	}
	if (psn_diff(p->view.bth.psn, psn(ibqp_to_rvtqp(r->qp.ib)->r_psn)) == 0 ||
	    r->d->service == PKT_SERVICE_UC)
		assert_int_equal(test_post_recv(&r->qp, p->number, HALF, bytes), 0);
}

static void feed(struct replay *r, const char *name, const struct trace_packet *p)
{
	struct region *region;
	struct tp_run run;
	struct iovec iov;

	give_receive(r, name, p);
	tp_run_from_view(&p->view, &run, &iov);
	run.path.has_grh = true;
	memcpy(run.path.sgid, p->src, 16);
	memcpy(run.path.dgid, p->dst, 16);
	run.dest_qpn = r->qp.ib->qp_num;
	region = is_rdma(p) ? find_region(r, rkey_of(p)) : NULL;
	if (region && (p->view.op->headers & PKT_RETH))
		run.reth.rkey = region->mr->rkey;
	else if (region)
		run.atomiceth.rkey = region->mr->rkey;
	tp_receive(r->host->port, &run);
	collect(r);
}

static bool same_data(const struct tp_run *ours, const struct trace_packet *theirs)
{
	const char *from = ours->payload.bytes ? (const char *)ours->payload.iov->iov_base : "";

	if (ours->payload.bytes != theirs->view.payload_bytes)
		return false;
	return !memcmp(from + ours->payload.offset, theirs->view.payload, ours->payload.bytes);
}

/* Syndromes without credits. */
static uint8_t meaning(uint8_t syndrome)
{
	return pkt_aeth_kind(syndrome) == PKT_AETH_ACK ? 0 : syndrome;
}

/*
 * Where we choose otherwise than Soft-RoCE (docs/design/transport.md): a SEND that does not fit the
 * receive is an invalid request for us, an operational error there.
 */
static bool what_differs(const struct tp_run *ours, const struct trace_packet *theirs)
{
	return ours->aeth.syndrome == 0x61 && theirs->view.aeth.syndrome == 0x63 &&
	       ours->why.id == BASE_CAUSE_RESP_SEND_TOO_LONG;
}

static bool same_answer(const struct replay *r, const struct tp_run *ours,
			const struct trace_packet *theirs)
{
	const struct pkt_view *v = &theirs->view;

	if (ours->first_opcode != v->bth.opcode || ours->psn.v != v->bth.psn.v ||
	    ours->pkey != v->bth.pkey)
		return false;
	if ((v->op->headers & PKT_AETH) &&
	    meaning(ours->aeth.syndrome) != meaning(v->aeth.syndrome) &&
	    !what_differs(ours, theirs))
		return false;
	if ((v->op->headers & PKT_AETH) && r->how != SUBSET && ours->aeth.msn.v != v->aeth.msn.v)
		return false;
	if ((v->op->headers & PKT_ATOMICACKETH) && r->how != TOOL &&
	    ours->atomicacketh.original != v->atomicacketh.original)
		return false;
	return r->how == TOOL ? ours->payload.bytes == v->payload_bytes : same_data(ours, theirs);
}

/*
 * After an RNR NAK Soft-RoCE asks for the same PSN again when the next packet comes; we have said so
 * already [rcp 9.3].
 */
static bool is_repeated_nak(const struct trace_packet *theirs, const struct trace_packet *before)
{
	return before && theirs->view.aeth.syndrome == PKT_NAK_PSN_SEQUENCE &&
	       pkt_aeth_kind(before->view.aeth.syndrome) == PKT_AETH_RNR_NAK &&
	       before->view.bth.psn.v == theirs->view.bth.psn.v;
}

/* Soft-RoCE acknowledges a duplicate that does not ask for it; we wait for the packet that does. */
static bool is_unasked_ack(const struct replay *r, const struct trace_packet *theirs,
			   const struct trace_packet *before)
{
	unsigned int times = 0;

	if (theirs->view.op->kind != PKT_KIND_ACK)
		return false;
	if (before && before->view.op->kind == PKT_KIND_ACK &&
	    before->view.bth.psn.v == theirs->view.bth.psn.v)
		return true;
	for (const struct trace_packet *p = r->d->first; p != theirs; p = p->next)
		if (is_request(p) && p->view.bth.psn.v == theirs->view.bth.psn.v &&
		    !p->view.bth.ack_req)
			times++;
	return times > 1;
}

static void explain(const char *name, const struct replay *r, const struct trace_packet *theirs,
		    size_t at)
{
	print_error("%s packet %u: real %s psn %06x syndrome %02x msn %u, ours ", name,
		    theirs->number, pkt_opcode_name(theirs->view.bth.opcode),
		    theirs->view.bth.psn.v, theirs->view.aeth.syndrome, theirs->view.aeth.msn.v);
	if (at < r->answer_count)
		print_error("%s psn %06x syndrome %02x msn %u\n",
			    pkt_opcode_name(r->answers[at].first_opcode), r->answers[at].psn.v,
			    r->answers[at].aeth.syndrome, r->answers[at].aeth.msn.v);
	else
		print_error("nothing\n");
}

/* Answer by answer. */
static void judge_all(const char *name, struct replay *r)
{
	const struct trace_packet *before = NULL;
	size_t at = 0;

	for (const struct trace_packet *p = r->d->first; p; p = p->next) {
		if (is_request(p))
			continue;
		if (at < r->answer_count && same_answer(r, &r->answers[at], p)) {
			at++;
		} else if (!is_repeated_nak(p, before) && !is_unasked_ack(r, p, before)) {
			explain(name, r, p, at);
			fail();
		}
		before = p;
	}
	assert_int_equal(at, r->answer_count);
}

/* Each answer of the real one is among ours. Where it repeated itself, once is enough. */
static void judge_subset(const char *name, struct replay *r)
{
	for (const struct trace_packet *p = r->d->first; p; p = p->next) {
		bool found = false;

		if (is_request(p))
			continue;
		for (size_t i = 0; i < r->answer_count && !found; i++)
			found = same_answer(r, &r->answers[i], p);
		/* its sequence NAKs and ACKs of duplicates come more often than ours */
		if (!found && p->view.op->kind != PKT_KIND_ACK) {
			explain(name, r, p, r->answer_count);
			fail();
		}
	}
	assert_int_equal(test_qp_state(&r->qp), IB_QPS_RTR);
}

/* "server: counter 12 after 12 atomics": the word that the atomics were about. */
static void check_counter(const char *name, const struct replay *r)
{
	char path[512], line[256];
	unsigned long value;
	uint64_t word;
	FILE *file;

	snprintf(path, sizeof(path), "%s/captures/rxe-%s.txt", TEST_DATA_DIR, name);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		size_t at = HALF + 300000;

		if (sscanf(line, "server: target now %lu", &value) == 1)
			at = HALF;
		else if (sscanf(line, "server: counter %lu after", &value) != 1)
			continue;
		memcpy(&word, r->regions[0].memory + at, sizeof(word));
		assert_int_equal(word, value);
	}
	fclose(file);
}

/* What the probe's client has written: i * 8192 into the upper half, the bytes 0, 1, 2 ... */
static void check_writes(const struct replay *r)
{
	static const uint32_t sizes[] = {0, 1, 7, 1000, 1024, 1025, 5000};
	const char *to = r->regions[0].memory + HALF;

	for (uint32_t i = 0; i < 7; i++)
		for (uint32_t n = 0; n < sizes[i]; n++)
			assert_int_equal((uint8_t)to[i * 8192 + n], n & 0xff);
}

static void replay_dialogue(const char *name, struct trace *trace, size_t n, enum how how,
			    uint32_t mtu)
{
	struct replay r = {.trace = trace, .d = &trace->dialogues[n], .how = how};

	if (r.d->requests == 0)
		return;
	open_replay(&r, name, mtu);
	if (!strcmp(name, "rc-atomic"))
		memcpy(r.regions[0].memory + HALF, &(uint64_t){100}, 8);
	for (const struct trace_packet *p = r.d->first; p; p = p->next)
		if (is_request(p))
			feed(&r, name, p);
	if (how == SUBSET)
		judge_subset(name, &r);
	else
		judge_all(name, &r);
	if (how != TOOL)
		check_counter(name, &r);
	if (strstr(name, "c-write"))
		check_writes(&r);
	close_replay(&r);
}

static void responder__answers_as_soft_roce(void **state)
{
	char path[512];

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		struct trace *trace;

		snprintf(path, sizeof(path), "%s/captures/rxe-%s.pcap", TEST_DATA_DIR,
			 captures[i].name);
		trace = trace_load(path);
		assert_non_null(trace);
		for (size_t n = 0; n < trace->dialogue_count; n++)
			replay_dialogue(captures[i].name, trace, n, captures[i].how,
					captures[i].mtu);
		trace_free(trace);
	}
}

/* [rcp 9.8]: a window of the real one, for which a region for fast registration stands. */
static void responder__memory_window(void **state)
{
	struct trace *trace = trace_load(TEST_DATA_DIR "/captures/rxe-rc-mw.pcap");
	struct replay r = {.trace = trace, .how = PROBE};
	struct scatterlist sg;
	struct ib_reg_wr wr = {.wr = {.opcode = IB_WR_REG_MR},
			       .access = IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ |
					 IB_ACCESS_LOCAL_WRITE};
	struct ib_mr *window, *whole;
	struct ib_wc wc;

	(void)state;
	assert_non_null(trace);
	r.d = &trace->dialogues[0];
	open_replay(&r, "rc-mw", 1024);
	assert_int_equal(test_qp_rts(&r.qp), 0);
	window = ib_alloc_mr(r.host->pd, IB_MR_TYPE_MEM_REG, 1);
	assert_false(IS_ERR(window));
	sg_init_table(&sg, 1);
	sg_dma_address(&sg) = ((uintptr_t)r.host->buffer + 4095) & ~(uint64_t)4095;
	sg_dma_len(&sg) = 4096;
	assert_int_equal(ib_map_mr_sg(window, &sg, 1, NULL, 4096), 1);
	wr.mr = window;
	wr.key = window->rkey;
	window->iova = va_of(r.d->first);
	assert_int_equal(ib_post_send(r.qp.ib, &wr.wr, NULL), 0);
	whole = r.regions[0].mr;
	r.regions[0].mr = window; /* only the window is asked for */
	for (const struct trace_packet *p = r.d->first; p; p = p->next) {
		struct trace_packet copy = *p;

		copy.view.ieth = window->rkey;
		if (is_request(p))
			feed(&r, "rc-mw", &copy);
	}
	r.regions[0].mr = whole;
	judge_all("rc-mw", &r);
	assert_true(test_poll(r.qp.recv_cq, &wc));
	assert_int_equal(wc.byte_len, 10);
	assert_int_equal(wc.wc_flags, IB_WC_WITH_INVALIDATE);
	assert_int_equal(test_qp_state(&r.qp), IB_QPS_ERR);
	test_qp_destroy(&r.qp);
	ib_dereg_mr(window);
	close_replay(&r);
	trace_free(trace);
}

/* The bytes before datagram @n, as the real one printed them. */
static void read_area(unsigned int n, uint8_t area[40])
{
	FILE *file = fopen(TEST_DATA_DIR "/captures/rxe-ud-send.txt", "r");
	char line[256], start[64];

	assert_non_null(file);
	snprintf(start, sizeof(start), "server: the 40 bytes before datagram %u:", n);
	while (fgets(line, sizeof(line), file)) {
		const char *at = line + strlen(start);

		if (strncmp(line, start, strlen(start)) != 0)
			continue;
		for (int i = 0; i < 40; i++) {
			unsigned int byte;

			at += *at == ' ';
			assert_int_equal(sscanf(at, "%2x", &byte), 1);
			area[i] = (uint8_t)byte;
			at += 2;
		}
	}
	fclose(file);
}

/* Identification and checksum of the IP header are the sender's business. */
static void check_area(const char *ours, unsigned int n)
{
	uint8_t area[40] = {0};

	read_area(n, area);
	assert_memory_equal(ours, area, 24);
	assert_memory_equal(ours + 26, area + 26, 4);
	assert_memory_equal(ours + 32, area + 32, 8);
}

/* [rcp 12] */
static void ud__receives_as_soft_roce(void **state)
{
	static const uint32_t byte_len[] = {140, 1040, 40};
	struct trace *trace = trace_load(TEST_DATA_DIR "/captures/rxe-ud-send.pcap");
	struct test_host_options options = {.gid = {[10] = 0xff, 0xff, 10, 77, 0, 3}};
	struct replay r = {.trace = trace, .how = PROBE};
	struct ib_wc wc;

	(void)state;
	assert_non_null(trace);
	r.wire = test_wire_new();
	assert_non_null(r.wire);
	r.host = test_host_new(r.wire, &options);
	assert_non_null(r.host);
	assert_int_equal(
		test_qp_create(&r.qp, r.host, &(struct test_qp_options){.type = IB_QPT_UD}), 0);
	assert_int_equal(test_qp_init(&r.qp), 0);
	assert_int_equal(test_qp_rtr(&r.qp, NULL), 0);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(test_post_recv(&r.qp, i, i * 8192, 8192), 0);
	for (size_t i = 0; i < trace->packet_count; i++) {
		const struct trace_packet *p = &trace->packets[i];
		struct tp_run run;
		struct iovec iov;

		tp_run_from_view(&p->view, &run, &iov);
		run.path.has_grh = true;
		run.path.traffic_class = p->view.ipv4.tos;
		run.path.hop_limit = p->view.ipv4.ttl;
		memcpy(run.path.sgid, p->src, 16);
		memcpy(run.path.dgid, p->dst, 16);
		run.dest_qpn = r.qp.ib->qp_num;
		tp_receive(r.host->port, &run);
	}
	for (unsigned int i = 0; i < 3; i++) {
		assert_true(test_poll(r.qp.recv_cq, &wc));
		assert_int_equal(wc.byte_len, byte_len[i]);
		assert_true(wc.wc_flags & IB_WC_GRH);
		if (i < 2)
			check_area(r.host->buffer + i * 8192, i);
	}
	assert_false(test_poll(r.qp.recv_cq, &wc)); /* one had another Q_Key */
	assert_int_equal(r.host->ibp.qkey_violations, 1);
	test_qp_destroy(&r.qp);
	test_host_free(r.host);
	test_wire_free(r.wire);
	trace_free(trace);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(responder__answers_as_soft_roce),
		cmocka_unit_test(responder__memory_window),
		cmocka_unit_test(ud__receives_as_soft_roce),
	};

	return verbena_test_main(tests);
}
