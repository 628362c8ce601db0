// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The world of transfers: an agent on each host that sends messages to the others, of one MAD or of many
 * segments, answers to them, cancels, and comes and goes; and what must hold of it. Each exchange has a number,
 * which is the low half of its TID and the key of its bytes.
 */
#include <linux/err.h>
#include <rdma/ib_mad.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/host.h"
#include "sim/payload.h"
#include "sim/sim.h"
#include "sim/world.h"

#define MAX_HOSTS 4u
#define MAX_EXCHANGES 3000u
#define OUTSTANDING 12u /* of an agent */
#define CLASS 0x32
#define SEGMENT (IB_MGMT_MAD_SIZE - IB_MGMT_VENDOR_HDR)
#define TROUBLE_NS (12 * SIM_SECOND)
#define TROUBLE_PACKETS 25000u
#define ACT_EVERY_NS (20 * SIM_MS)
#define SETTLE_NS (200 * SIM_SECOND) /* retries, then the time limit of what is half received */
#define MOST_PACKETS 2000000u

enum kind {
	ONE_WAY,       /* many segments, nothing is answered */
	ASK_AND_TABLE, /* one MAD, and many segments back */
	BOTH_WAYS,     /* many segments there and back */
	ASK_AND_TELL,  /* one MAD each */
	KINDS,
};

#define METHOD_OF(kind) (0x10u + (unsigned int)(kind))

struct exchange {
	enum kind kind;
	unsigned int from, to;
	int bytes[2]; /* there, back */
	struct ib_mad_send_buf *buf;
	unsigned int asked;    /* how often the other side has received it */
	unsigned int answered; /* how often the response was handed up */
	bool posted, done, cancelled, answering;
};

struct side {
	struct rmpp_run *run;
	struct ib_mad_agent *agent;
	struct ib_ah *ah[MAX_HOSTS];
	unsigned int outstanding;
	bool going; /* it is being unregistered */
};

struct rmpp_run {
	struct sim_world *w;
	struct sim_result *result;
	const struct trouble *trouble;
	unsigned int hosts;
	struct side side[MAX_HOSTS];
	struct exchange exchange[MAX_EXCHANGES];
	unsigned int count;
};

/* A kind of trouble. */
struct trouble {
	const char *name;
	struct fabric_fault_rates rates;
	uint8_t cancel_percent; /* of the acts */
	uint8_t leave_percent;
};

static const struct trouble troubles[] = {
	{"clean", {.drop_ppm = 0}, 0, 0},
	{"loss", {.drop_ppm = 50000}, 0, 0},
	{"duplicates", {.duplicate_ppm = 300000}, 0, 0},
	{"reordering", {.reorder_ppm = 200000}, 0, 0},
	{"bad weather",
	 {.drop_ppm = 20000, .duplicate_ppm = 50000, .reorder_ppm = 50000, .corrupt_ppm = 10000},
	 0,
	 0},
	{"cancelled", {.drop_ppm = 10000}, 40, 0},
	{"coming and going", {.drop_ppm = 10000, .reorder_ppm = 50000}, 10, 15},
};

#define TROUBLES (sizeof(troubles) / sizeof(troubles[0]))

#define objection(run, ...) sim_fail((run)->result, sim_now_ns((run)->w), __VA_ARGS__)

static uint64_t below(struct rmpp_run *run, uint64_t bound)
{
	return sim_random_below(run->w, bound);
}

static unsigned int number_of(const struct rmpp_run *run, const struct exchange *e)
{
	return (unsigned int)(e - run->exchange);
}

static bool is_segmented(const struct exchange *e, bool back)
{
	return back ? e->kind == ASK_AND_TABLE || e->kind == BOTH_WAYS
		    : e->kind == ONE_WAY || e->kind == BOTH_WAYS;
}

static uint64_t key_of(unsigned int number, bool back)
{
	return number * 2ull + back;
}

/* What was received has the bytes that were sent, and as many. */
static void check_bytes(struct rmpp_run *run, const struct exchange *e, bool back,
			const struct ib_mad_recv_wc *wc)
{
	const int bytes = e->bytes[back], whole = is_segmented(e, back) ? bytes : (int)SEGMENT;
	const unsigned int number = number_of(run, e);
	const struct ib_mad_recv_buf *buf;
	uint8_t *all;
	int at = 0;

	if (wc->mad_len != IB_MGMT_VENDOR_HDR + whole) {
		objection(run, "exchange %u: %d bytes became %d", number, whole,
			  wc->mad_len - IB_MGMT_VENDOR_HDR);
		return;
	}
	all = base_zalloc((size_t)whole + SEGMENT);
	if (!all) {
		objection(run, "no memory");
		return;
	}
	list_for_each_entry(buf, &wc->rmpp_list, list) {
		if (at < whole || !whole)
			memcpy(all + at, ((const struct ib_vendor_mad *)buf->mad)->data, SEGMENT);
		at += (int)SEGMENT;
	}
	if (at < whole || at - whole > (int)SEGMENT)
		objection(run, "exchange %u: %d bytes in %d of segments", number, whole, at);
	else if (sim_payload_check(all, (size_t)bytes, key_of(number, back)) != (size_t)bytes)
		objection(run, "exchange %u: wrong bytes", number);
	base_free(all);
}

static struct ib_mad_send_buf *make(struct side *side, struct exchange *e, bool back)
{
	struct rmpp_run *run = side->run;
	const int bytes = e->bytes[back];
	struct ib_mad_send_buf *buf = ib_create_send_mad(side->agent, 1, 0, is_segmented(e, back),
							 IB_MGMT_VENDOR_HDR, bytes, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);
	struct ib_vendor_mad *mad;

	if (IS_ERR(buf)) {
		objection(run, "making a MAD says %ld", PTR_ERR(buf));
		return NULL;
	}
	mad = buf->mad;
	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = CLASS;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = (u8)(METHOD_OF(e->kind) | (back ? IB_MGMT_METHOD_RESP : 0));
	mad->oui[2] = 1;
	sim_payload_fill((uint8_t *)buf->mad + buf->hdr_len, (size_t)bytes,
			 key_of(number_of(run, e), back));
	buf->ah = side->ah[back ? e->from : e->to];
	buf->context[0] = e;
	buf->context[1] = back ? side : NULL;
	return buf;
}

static void post(struct side *side, struct ib_mad_send_buf *buf)
{
	const int ret = ib_post_send_mad(buf, NULL);

	if (ret) {
		objection(side->run, "posting says %d", ret);
		ib_free_send_mad(buf);
	}
}

static int some_bytes(struct rmpp_run *run, bool segmented)
{
	if (!segmented)
		return (int)below(run, SEGMENT + 1);
	switch (below(run, 8)) {
	case 0:
		return (int)(below(run, 4) * SEGMENT);
	case 1:
		return (int)((64 + below(run, 3)) * SEGMENT - below(run, 2));
	case 2:
		return (int)below(run, 100000);
	case 3:
	case 4:
		return (int)below(run, 20000);
	default:
		return (int)below(run, 5 * SEGMENT);
	}
}

static void begin(struct rmpp_run *run, struct side *side)
{
	struct exchange *e = &run->exchange[run->count];
	const unsigned int from = (unsigned int)(side - run->side);
	struct ib_mad_send_buf *buf;

	if (run->count == MAX_EXCHANGES || side->outstanding == OUTSTANDING || side->going)
		return;
	*e = (struct exchange){.kind = (enum kind)below(run, KINDS), .from = from};
	e->to = (from + 1 + (unsigned int)below(run, run->hosts - 1)) % run->hosts;
	e->bytes[0] = some_bytes(run, is_segmented(e, false));
	e->bytes[1] = some_bytes(run, is_segmented(e, true));
	buf = make(side, e, false);
	if (!buf)
		return;
	((struct ib_mad_hdr *)buf->mad)->tid =
		cpu_to_be64((u64)side->agent->hi_tid << 32 | run->count);
	buf->retries = (int)below(run, 5);
	if (e->kind != ONE_WAY)
		buf->timeout_ms = (int)(below(run, 2) ? 5 + below(run, 200) : 3000);
	e->buf = buf;
	e->posted = true;
	run->count++;
	side->outstanding++;
	post(side, buf);
}

/* Whether a fault, or somebody, is to blame. */
static bool may_end_so(const struct rmpp_run *run, const struct exchange *e,
		       const struct ib_mad_send_wc *wc)
{
	const bool lossy = run->trouble->rates.drop_ppm || run->trouble->rates.corrupt_ppm;

	switch ((int)wc->status) {
	case IB_WC_SUCCESS:
		return true;
	case IB_WC_WR_FLUSH_ERR:
		return e->cancelled || run->side[e->from].going || run->side[e->to].going;
	case IB_WC_RESP_TIMEOUT_ERR:
		return lossy;
	case IB_WC_REM_ABORT_ERR: /* it took too long */
		return lossy && wc->vendor_err == IB_MGMT_RMPP_STATUS_T2L;
	default:
		return false;
	}
}

static void check_end(struct rmpp_run *run, struct exchange *e, const struct ib_mad_send_wc *wc)
{
	const unsigned int number = number_of(run, e);

	if (e->done)
		objection(run, "exchange %u ends twice", number);
	if (!may_end_so(run, e, wc))
		objection(run, "exchange %u ends with %s (%u)", number,
			  ib_wc_status_msg(wc->status), wc->vendor_err);
	if (e->kind == ONE_WAY && wc->status == IB_WC_SUCCESS && e->asked != 1)
		objection(run, "exchange %u: sent, and received %u times", number, e->asked);
	if (e->kind != ONE_WAY && (wc->status == IB_WC_SUCCESS) != (e->answered == 1))
		objection(run, "exchange %u ends with %s, and has %u responses", number,
			  ib_wc_status_msg(wc->status), e->answered);
	e->done = true;
	run->result->completions++;
	run->result->errors += wc->status != IB_WC_SUCCESS;
}

static void sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct side *side = agent->context;
	struct rmpp_run *run = side->run;
	struct exchange *e = wc->send_buf->context[0];
	const uint64_t what[] = {number_of(run, e), wc->status, (uint64_t)wc->send_buf->retries};

	sim_note(run->w, what, sizeof(what));
	if (wc->send_buf->context[1]) {
		e->answering = false;
		/* A second one is acknowledged as the first was: as a whole, before it was sent. */
		if (!may_end_so(run, e, wc) &&
		    (e->asked < 2 || wc->vendor_err != IB_MGMT_RMPP_STATUS_S2B))
			objection(run, "the response of exchange %u ends with %s (%u)",
				  number_of(run, e), ib_wc_status_msg(wc->status), wc->vendor_err);
	} else {
		side->outstanding--;
		check_end(run, e, wc);
	}
	ib_free_send_mad(wc->send_buf);
}

/* A request of one MAD may come as often as it was sent; what was put together comes once. */
static void requested(struct side *side, struct exchange *e, const struct ib_mad_recv_wc *wc)
{
	struct rmpp_run *run = side->run;
	struct ib_mad_send_buf *buf;

	check_bytes(run, e, false, wc);
	if (e->asked++ && is_segmented(e, false))
		objection(run, "exchange %u is received twice", number_of(run, e));
	if (e->kind == ONE_WAY || e->answering || side->going)
		return;
	buf = make(side, e, true);
	if (!buf)
		return;
	((struct ib_mad_hdr *)buf->mad)->tid = wc->recv_buf.mad->mad_hdr.tid;
	buf->retries = 3;
	e->answering = true;
	post(side, buf);
}

static void responded(struct rmpp_run *run, struct exchange *e, struct ib_mad_send_buf *request,
		      const struct ib_mad_recv_wc *wc)
{
	check_bytes(run, e, true, wc);
	if (e->done || e->answered++)
		objection(run, "exchange %u: a response too many", number_of(run, e));
	if (request != e->buf)
		objection(run, "exchange %u: a response to something else", number_of(run, e));
}

static void received(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
		     struct ib_mad_recv_wc *wc)
{
	struct side *side = agent->context;
	struct rmpp_run *run = side->run;
	const struct ib_mad_hdr *hdr = &wc->recv_buf.mad->mad_hdr;
	const u32 number = (u32)be64_to_cpu(hdr->tid);
	struct exchange *e = &run->exchange[number % MAX_EXCHANGES];
	const bool back = ib_response_mad(hdr);
	const unsigned int me = (unsigned int)(side - run->side);

	if (number >= run->count || me != (back ? e->from : e->to) ||
	    (hdr->method & 0x7f) != METHOD_OF(e->kind))
		objection(run, "host %u receives what nobody has sent to it", me);
	else if (back)
		responded(run, e, request, wc);
	else
		requested(side, e, wc);
	ib_free_recv_mad(wc);
}

static bool side_open(struct rmpp_run *run, unsigned int host)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = CLASS, .mgmt_class_version = 1, .oui = {0, 0, 1}};
	struct ib_device *device = sim_device(run->w, host);
	struct side *side = &run->side[host];
	struct ib_port_attr port;

	for (unsigned int kind = 0; kind < KINDS; kind++)
		req.method_mask[0] |= 1ul << METHOD_OF(kind);
	side->run = run;
	side->going = false;
	side->agent = ib_register_mad_agent(device, 1, IB_QPT_GSI, &req, IB_MGMT_RMPP_VERSION, sent,
					    received, side, 0);
	if (IS_ERR(side->agent)) {
		objection(run, "registering says %ld", PTR_ERR(side->agent));
		side->agent = NULL;
		return false;
	}
	for (unsigned int i = 0; i < run->hosts; i++) {
		struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};

		if (ib_query_port(sim_device(run->w, i), 1, &port))
			return false;
		rdma_ah_set_dlid(&attr, port.lid);
		side->ah[i] = rdma_create_ah(side->agent->qp->pd, &attr, 0);
		if (IS_ERR(side->ah[i])) {
			objection(run, "an address says %ld", PTR_ERR(side->ah[i]));
			side->ah[i] = NULL;
			return false;
		}
	}
	return true;
}

static void side_close(struct side *side)
{
	if (!side->agent)
		return;
	side->going = true;
	ib_unregister_mad_agent(side->agent);
	side->agent = NULL;
	for (unsigned int i = 0; i < MAX_HOSTS; i++)
		if (side->ah[i])
			rdma_destroy_ah(side->ah[i], RDMA_DESTROY_AH_SLEEPABLE);
	memset(side->ah, 0, sizeof(side->ah));
	if (side->outstanding)
		objection(side->run, "%u sends have outlived their agent", side->outstanding);
}

/* Some exchange that is outstanding, if the first that chance picks is. */
static void cancel_one(struct rmpp_run *run)
{
	struct exchange *e;

	if (!run->count)
		return;
	e = &run->exchange[run->count - 1 - below(run, run->count < 20 ? run->count : 20)];
	if (e->done)
		return;
	e->cancelled = true;
	ib_cancel_mad(e->buf);
}

/*
 * The agent of a host goes, and another one comes. What the others have for it may time out; what they get from
 * it may not come any more.
 */
static void come_and_go(struct rmpp_run *run)
{
	const unsigned int host = (unsigned int)below(run, run->hosts);

	side_close(&run->side[host]);
	(void)side_open(run, host);
}

static void act(struct rmpp_run *run)
{
	for (unsigned int host = 0; host < run->hosts; host++)
		for (uint64_t n = below(run, 4); n > 0; n--)
			begin(run, &run->side[host]);
	if (below(run, 100) < run->trouble->cancel_percent)
		cancel_one(run);
	if (below(run, 100) < run->trouble->leave_percent)
		come_and_go(run);
}

static void make_trouble(struct rmpp_run *run)
{
	struct fabric_fault_rates r = run->trouble->rates;
	uint64_t end_ns;

	r.drop_ppm = (uint32_t)below(run, r.drop_ppm + 1ull);
	r.duplicate_ppm = (uint32_t)below(run, r.duplicate_ppm + 1ull);
	r.reorder_ppm = (uint32_t)below(run, r.reorder_ppm + 1ull);
	r.corrupt_ppm = (uint32_t)below(run, r.corrupt_ppm + 1ull);
	r.reorder_ns = 1 + below(run, 200 * SIM_US);
	sim_faults(run->w, &r);
	end_ns = sim_now_ns(run->w) + TROUBLE_NS;
	while (sim_now_ns(run->w) < end_ns && sim_packets(run->w) < TROUBLE_PACKETS &&
	       !run->result->failed) {
		act(run);
		sim_run(run->w, 1 + below(run, ACT_EVERY_NS));
	}
}

static bool all_is_done(void *arg)
{
	const struct rmpp_run *run = arg;

	if (run->result->failed)
		return true;
	for (unsigned int i = 0; i < run->count; i++)
		if (!run->exchange[i].done || run->exchange[i].answering)
			return false;
	return true;
}

static void simulate(struct rmpp_run *run)
{
	bool open = true;

	for (unsigned int host = 0; open && host < run->hosts; host++)
		open = side_open(run, host);
	if (open)
		make_trouble(run);
	sim_heal(run->w);
	if (open && !sim_run_until(run->w, all_is_done, run, SETTLE_NS))
		objection(run, "%u s after the faults ended sends are outstanding",
			  (unsigned int)(SETTLE_NS / SIM_SECOND));
	for (unsigned int host = 0; host < run->hosts; host++)
		side_close(&run->side[host]);
}

static void run_away(void *arg)
{
	struct rmpp_run *run = arg;

	objection(run, "the world runs away: more than %u packets", MOST_PACKETS);
	run->result->digest = sim_digest(run->w);
	fflush(NULL); /* the trace */
	_Exit(EXIT_FAILURE);
}

static void finish(struct rmpp_run *run, size_t blocks_before)
{
	struct sim_result *result = run->result;

	sim_run(run->w, SIM_MS); /* packets for agents that are gone */
	result->packets = sim_packets(run->w);
	result->virtual_ns = sim_now_ns(run->w);
	result->digest = sim_digest(run->w);
	sim_world_free(run->w);
	if (!result->failed && !base_host_idle())
		objection(run, "timers or work are left over");
	base_free(run);
	if (!result->failed && base_alloc_live() != blocks_before) {
		result->failed = true;
		snprintf(result->failure, SIM_FAILURE_BYTES, "%zd blocks of memory are left over",
			 (ssize_t)(base_alloc_live() - blocks_before));
	}
}

void sim_rmpp_seed(uint64_t seed, const char *trace_path, struct sim_result *result)
{
	const size_t blocks_before = base_alloc_live();
	struct rmpp_run *run = base_zalloc(sizeof(*run));

	*result = (struct sim_result){.seed = seed, .failed = true};
	snprintf(result->failure, SIM_FAILURE_BYTES, "no memory for a world");
	if (!run)
		return;
	run->result = result;
	run->trouble = &troubles[seed % TROUBLES];
	run->hosts = 2 + (unsigned int)(seed / TROUBLES % (MAX_HOSTS - 1));
	result->scenario = run->trouble->name;
	run->w = sim_world_new(seed, run->hosts);
	if (!run->w) {
		base_free(run);
		return;
	}
	result->failed = false;
	result->failure[0] = '\0';
	if (trace_path && sim_set_trace(run->w, trace_path))
		objection(run, "cannot write the trace to %s", trace_path);
	sim_set_bound(run->w, MOST_PACKETS, run_away, run);
	simulate(run);
	finish(run, blocks_before);
}
