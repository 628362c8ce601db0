/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two hosts of a fabric in virtual time, agents on them that write down what they are told, and a wire that loses
 * what it is told to.
 */
#ifndef TESTS_UNIT_MAD_FIXTURE_H
#define TESTS_UNIT_MAD_FIXTURE_H

#include <linux/err.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/host.h"
#include "base/umem.h"
#include "common/test.h"
#include "device/faults.h"
#include "device/hca.h"
#include "fabric/fabric.h"
#include "mad/mad_priv.h"
#include "wire/loop.h"

#define MS 1000000ull
#define NOTES 8192u
#define LATE_PACKETS 4096u
#define TEST_CLASS 0x32
#define TEST_METHOD 0x10

struct fixture;

/* What an agent was told. */
struct note {
	bool sent; /* or received */
	struct ib_mad_send_buf *buf;
	enum ib_wc_status status;
	u32 vendor_err;
	int retries;
	u64 at_ns;
	struct ib_mad_recv_wc *wc; /* until it is freed */
	int mad_len;
	struct ib_mad_hdr hdr;
	struct ib_wc cqe;
};

/* An agent, and what it does by itself. */
struct end {
	struct fixture *f;
	unsigned int host;
	struct ib_mad_agent *agent;
	struct ib_ah *ah; /* of the other host */
	bool keep;	  /* received MADs; else they are freed in the handler */
	bool keep_sent;	  /* buffers; else they are freed in the handler */
	void (*on_recv)(struct end *end, struct ib_mad_send_buf *request,
			struct ib_mad_recv_wc *wc);
	void (*on_sent)(struct end *end, struct ib_mad_send_wc *wc);
	unsigned int count, sends, recvs;
	struct note note[NOTES];
};

struct fixture {
	struct fabric fabric;
	struct device_faults faults;
	struct wire_loop *wire;
	struct device_hca *hca[2];
	struct ib_device *device[2];
	bool (*lose)(struct fixture *f, unsigned int from, const struct ib_rmpp_mad *mad);
	u64 packets, lost;
	u64 lose_number;
	struct end end[4];
	struct ib_mad_send_buf *loose[512]; /* buffers that nobody has posted */
	unsigned int loose_count;
};

/* An assertion may leave the test: its buffers are freed then, for an agent outlasts them. */
static inline struct ib_mad_send_buf *hold(struct ib_mad_send_buf *buf)
{
	struct end *end = IS_ERR(buf) ? NULL : buf->mad_agent->context;

	if (end && end->f && end->f->loose_count < 512)
		end->f->loose[end->f->loose_count++] = buf;
	return buf;
}

static inline void let_go(struct ib_mad_send_buf *buf)
{
	struct end *end = buf->mad_agent->context;
	struct fixture *f = end ? end->f : NULL;

	for (unsigned int i = 0; f && i < f->loose_count; i++)
		if (f->loose[i] == buf) {
			f->loose[i] = f->loose[--f->loose_count];
			return;
		}
}

static inline void end_free(struct ib_mad_send_buf *buf)
{
	let_go(buf);
	ib_free_send_mad(buf);
}

static inline void fixture_tap(void *ctx, uint32_t from_slot, uint32_t to_slot,
			       const struct tp_run *packet, const struct fabric_fate *fate)
{
	struct fixture *f = ctx;
	struct ib_rmpp_mad mad = {.mad_hdr = {.base_version = 0}};
	const struct iovec to = {.iov_base = &mad, .iov_len = sizeof(mad)};
	const u32 bytes = packet->payload.bytes < sizeof(mad) ? packet->payload.bytes
							      : (u32)sizeof(mad);

	(void)to_slot;
	(void)base_umem_copy_iov(&to, 1, 0, packet->payload.iov, packet->payload.count,
				 packet->payload.offset, bytes);
	if (f->lose && f->lose(f, from_slot, &mad)) {
		((struct fabric_fate *)(uintptr_t)fate)->drop = true;
		f->lost++;
	}
	f->packets++;
}

/* From now on each packet takes @delay_ns, and @lose says which do not arrive. */
static inline void fixture_lose(struct fixture *f, u64 delay_ns,
				bool (*lose)(struct fixture *f, unsigned int from,
					     const struct ib_rmpp_mad *mad))
{
	const struct fabric_fault_rates rates = {.delay_ns = delay_ns};

	f->lose = lose;
	f->packets = f->lost = 0;
	assert_int_equal(wire_loop_prepare_faults(f->wire, LATE_PACKETS), 0);
	assert_int_equal(fabric_faults_set(&f->faults.faults, &rates), 0);
}

static inline int fixture_start(struct fixture *f)
{
	struct device_profile profile;

	fabric_init(&f->fabric, 0);
	device_faults_init(&f->faults, NULL, NULL);
	f->wire = wire_loop_new(&f->fabric, &f->faults.faults);
	if (!f->wire)
		return -1;
	wire_loop_set_tap(f->wire, &(struct wire_tap){fixture_tap, f});
	device_profile_init(&profile, VERBENA_PERSONALITY_NONE);
	snprintf(profile.name, sizeof(profile.name), "mad%%d");
	for (unsigned int i = 0; i < 2; i++) {
		f->hca[i] = device_hca_new(&f->fabric, f->wire, &f->faults, i ? "beta" : "alpha",
					   &profile);
		if (IS_ERR(f->hca[i])) {
			f->hca[i] = NULL;
			return -1;
		}
		f->device[i] = device_hca_device(f->hca[i]);
	}
	return 0;
}

static inline void fixture_remove(struct fixture *f, unsigned int host)
{
	if (f->hca[host])
		device_hca_free(f->hca[host]);
	f->hca[host] = NULL;
}

static inline void end_close(struct end *end)
{
	if (end->ah)
		rdma_destroy_ah(end->ah, RDMA_DESTROY_AH_SLEEPABLE);
	end->ah = NULL;
	for (unsigned int i = 0; i < end->count; i++)
		if (end->note[i].wc)
			ib_free_recv_mad(end->note[i].wc);
	for (unsigned int i = 0; end->agent && i < end->f->loose_count;)
		if (end->f->loose[i]->mad_agent == end->agent)
			end_free(end->f->loose[i]);
		else
			i++;
	if (end->agent)
		ib_unregister_mad_agent(end->agent);
	end->agent = NULL;
	end->count = 0;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	for (unsigned int i = 0; i < 4; i++)
		end_close(&f->end[i]);
	fixture_remove(f, 1);
	fixture_remove(f, 0);
	if (f->wire)
		wire_loop_free(f->wire);
	device_faults_free(&f->faults);
	base_free(f);
	return 0;
}

static inline int fixture_setup(void **state)
{
	struct fixture *f = base_zalloc(sizeof(*f));

	if (!f)
		return -1;
	*state = f;
	if (!fixture_start(f))
		return 0;
	fixture_teardown(state);
	return -1;
}

static inline u16 fixture_lid(const struct fixture *f, unsigned int host)
{
	return f->fabric.ports[device_hca_slot(f->hca[host], 1)].config.lid;
}

static inline struct note *end_note(struct end *end)
{
	struct note *note;

	assert_true(end->count < NOTES);
	note = &end->note[end->count++];
	memset(note, 0, sizeof(*note));
	note->at_ns = base_now_ns();
	return note;
}

static inline void end_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct end *end = agent->context;
	struct note *note = end_note(end);

	note->sent = true;
	note->buf = wc->send_buf;
	note->status = wc->status;
	note->vendor_err = wc->vendor_err;
	note->retries = wc->send_buf->retries;
	note->hdr = *(struct ib_mad_hdr *)wc->send_buf->mad;
	end->sends++;
	if (end->on_sent)
		end->on_sent(end, wc);
	if (!end->keep_sent)
		ib_free_send_mad(wc->send_buf);
	else if (!end->on_sent)
		(void)hold(wc->send_buf);
}

static inline void end_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
				struct ib_mad_recv_wc *wc)
{
	struct end *end = agent->context;
	struct note *note = end_note(end);

	note->buf = request;
	note->mad_len = wc->mad_len;
	note->hdr = wc->recv_buf.mad->mad_hdr;
	note->cqe = *wc->wc;
	note->wc = end->keep ? wc : NULL;
	end->recvs++;
	if (end->on_recv)
		end->on_recv(end, request, wc);
	if (!end->keep)
		ib_free_recv_mad(wc);
}

static inline struct ib_mad_reg_req test_request(u8 mgmt_class, u8 version)
{
	struct ib_mad_reg_req req = {.mgmt_class = mgmt_class, .mgmt_class_version = version};

	if (mad_is_vendor_class(mgmt_class))
		memcpy(req.oui, "\x00\x14\x05", 3);
	return req;
}

static inline struct ib_ah *test_ah(struct fixture *f, struct ib_mad_agent *agent, u16 lid)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};

	(void)f;
	rdma_ah_set_dlid(&attr, lid);
	return rdma_create_ah(agent->qp->pd, &attr, 0);
}

/* @methods: A bit for each of the first 64; 0 registers for no requests. */
static inline struct end *end_open(struct fixture *f, unsigned int which, unsigned int host,
				   u8 mgmt_class, u64 methods, u8 rmpp_version)
{
	struct ib_mad_reg_req req = test_request(mgmt_class, 1);
	struct end *end = &f->end[which];
	const bool smi = mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED || mad_is_directed(mgmt_class);
	struct ib_mad_agent *agent;
	struct ib_ah *ah;

	req.method_mask[0] = methods;
	end->f = f;
	end->host = host;
	agent = ib_register_mad_agent(f->device[host], 1, smi ? IB_QPT_SMI : IB_QPT_GSI,
				      methods ? &req : NULL, rmpp_version, end_sent, end_received,
				      end, 0);
	assert_false(IS_ERR(agent));
	end->agent = agent;
	ah = test_ah(f, agent, fixture_lid(f, !host));
	assert_false(IS_ERR(ah));
	end->ah = ah;
	return end;
}

/* A request of the test's class, or a response to one. */
static inline struct ib_mad_send_buf *end_make(struct end *end, u8 method, u32 tid, bool rmpp,
					       int data_len)
{
	struct ib_mad_send_buf *buf =
		hold(ib_create_send_mad(end->agent, 1, 0, rmpp, IB_MGMT_VENDOR_HDR, data_len,
					GFP_KERNEL, IB_MGMT_BASE_VERSION));
	struct ib_vendor_mad *mad;

	assert_false(IS_ERR(buf));
	mad = buf->mad;
	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = TEST_CLASS;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = method;
	mad->mad_hdr.tid = cpu_to_be64((u64)end->agent->hi_tid << 32 | tid);
	memcpy(mad->oui, "\x00\x14\x05", 3);
	buf->ah = end->ah;
	return buf;
}

/* Posts it; if it is refused it is freed, for the torture's sake. */
static inline void end_post(struct ib_mad_send_buf *buf)
{
	int ret;

	let_go(buf);
	ret = ib_post_send_mad(buf, NULL);
	if (ret)
		ib_free_send_mad(buf);
	assert_int_equal(ret, 0);
}

struct wanted {
	const unsigned int *counter;
	unsigned int least;
};

static inline bool wanted_reached(void *arg)
{
	const struct wanted *wanted = arg;

	return *wanted->counter >= wanted->least;
}

/* Whether @counter gets to @least within virtual time. */
static inline bool wait_count(const unsigned int *counter, unsigned int least, u64 within_ns)
{
	struct wanted wanted = {counter, least};

	return base_wait_until(wanted_reached, &wanted, within_ns);
}

static inline bool never(void *arg)
{
	(void)arg;
	return false;
}

/* Time passes, and all that is due happens. */
static inline void pass(u64 ns)
{
	(void)base_wait_until(never, NULL, ns);
}

/* Answers to requests, with the same TID; the other side's method with the response bit. */
static inline struct ib_mad_send_buf *end_respond(struct end *end, const struct ib_mad_recv_wc *wc,
						  bool rmpp, int data_len)
{
	struct ib_mad_send_buf *buf = end_make(
		end, wc->recv_buf.mad->mad_hdr.method | IB_MGMT_METHOD_RESP, 0, rmpp, data_len);

	((struct ib_mad_hdr *)buf->mad)->tid = wc->recv_buf.mad->mad_hdr.tid;
	return buf;
}

static inline void respond_at_once(struct end *end, struct ib_mad_send_buf *request,
				   struct ib_mad_recv_wc *wc)
{
	(void)request;
	if (!ib_response_mad(&wc->recv_buf.mad->mad_hdr))
		end_post(end_respond(end, wc, false, IB_MGMT_VENDOR_DATA));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

#endif
