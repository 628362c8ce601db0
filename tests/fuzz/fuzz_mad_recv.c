// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Any MADs at live agents. The input is a list: two bytes that say what is done, then the first bytes of a MAD,
 * whose rest is zero. Among what can be done: requests of ours are outstanding, the MAD names one of them, time
 * passes. After each input all that is left runs out, and a transfer must still get through.
 */
#include <linux/err.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "device/faults.h"
#include "device/hca.h"
#include "fabric/fabric.h"
#include "mad/mad_priv.h"
#include "wire/loop.h"

#define MS 1000000ull
#define CLASS 0x32
#define METHOD 0x10
#define CHECK_BYTES 3000
#define RECORD_HEAD 3u

enum {
	DO_SMI = 1 << 0,       /* by QP 0 */
	DO_REVERSE = 1 << 1,   /* from host 0 to host 1; else to where the requests come from */
	DO_NAME = 1 << 2,      /* its TID is that of a request of ours */
	DO_REQUEST = 1 << 3,   /* first a request of one MAD is posted */
	DO_TRANSFER = 1 << 4,  /* or one of several segments */
	DO_WAIT = 1 << 5,      /* then a millisecond passes */
	DO_WAIT_LONG = 1 << 6, /* or three seconds */
	DO_CUT = 1 << 7,       /* it is as long as the input says, and no MAD */
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static struct fabric fabric;
static struct device_faults faults;
static struct ib_device *device[2];
static struct ib_mad_agent *client, *server, *raw[2][2]; /* by host and QP */
static struct ib_ah *to_other[2], *raw_to_other[2][2];
static unsigned int outstanding, answers, whole;

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	if (agent == client)
		outstanding--;
	ib_free_send_mad(wc->send_buf);
}

static void fill(struct ib_mad_send_buf *buf, u8 method, __be64 tid)
{
	struct ib_vendor_mad *mad = buf->mad;

	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = CLASS;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = method;
	mad->mad_hdr.tid = tid;
	mad->oui[2] = 1;
}

static struct ib_mad_send_buf *make(struct ib_mad_agent *agent, struct ib_ah *ah, int bytes)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, 1, 0, bytes > IB_MGMT_VENDOR_DATA,
							 IB_MGMT_VENDOR_HDR, bytes, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);

	require(!IS_ERR(buf));
	memset((u8 *)buf->mad + buf->hdr_len, 0x11, (size_t)bytes);
	buf->ah = ah;
	return buf;
}

/* Answers to some; reads all that it is given, for a sanitizer to look at. */
static void received(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
		     struct ib_mad_recv_wc *wc)
{
	const struct ib_mad_recv_buf *buf;
	struct ib_mad_hdr hdr = wc->recv_buf.mad->mad_hdr;
	unsigned int sum = 0;
	int bytes = 0;

	(void)request;
	list_for_each_entry(buf, &wc->rmpp_list, list) {
		for (size_t i = 0; i < wc->mad_seg_size; i++)
			sum += ((const u8 *)buf->mad)[i];
		bytes += (int)wc->mad_seg_size;
	}
	require(wc->mad_len <= bytes && wc->mad_len >= IB_MGMT_MAD_HDR);
	whole += wc->mad_len == IB_MGMT_VENDOR_HDR + CHECK_BYTES;
	ib_free_recv_mad(wc);
	if (agent == server && !ib_response_mad(&hdr) && answers) {
		struct ib_mad_send_buf *answer =
			make(server, to_other[1], sum % 2 ? IB_MGMT_VENDOR_DATA : 1000);

		answers--;
		fill(answer, hdr.method | IB_MGMT_METHOD_RESP, hdr.tid);
		require(!ib_post_send_mad(answer, NULL));
	}
}

static u16 lid_of(int host)
{
	struct ib_port_attr attr;

	require(!ib_query_port(device[host], 1, &attr));
	return (u16)attr.lid;
}

static struct ib_ah *address(struct ib_mad_agent *agent, int to_host)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_ah *ah;

	rdma_ah_set_dlid(&attr, lid_of(to_host));
	ah = rdma_create_ah(agent->qp->pd, &attr, 0);
	require(!IS_ERR(ah));
	return ah;
}

static struct ib_mad_agent *open_agent(int host, enum ib_qp_type type, struct ib_mad_reg_req *req,
				       u8 rmpp_version)
{
	struct ib_mad_agent *agent = ib_register_mad_agent(device[host], 1, type, req, rmpp_version,
							   sent, received, NULL, 0);

	require(!IS_ERR(agent));
	return agent;
}

static void open_agents(void)
{
	struct ib_mad_reg_req vendor = {
		.mgmt_class = CLASS, .mgmt_class_version = 1, .oui = {0, 0, 1}};
	struct ib_mad_reg_req sa = {.mgmt_class = IB_MGMT_CLASS_SUBN_ADM, .mgmt_class_version = 2};
	struct ib_mad_reg_req smp = {.mgmt_class = 0x81, .mgmt_class_version = 1};

	memset(vendor.method_mask, 0xff, sizeof(vendor.method_mask));
	memset(sa.method_mask, 0xff, sizeof(sa.method_mask));
	memset(smp.method_mask, 0xff, sizeof(smp.method_mask));
	client = open_agent(0, IB_QPT_GSI, NULL, IB_MGMT_RMPP_VERSION);
	server = open_agent(1, IB_QPT_GSI, &vendor, IB_MGMT_RMPP_VERSION);
	(void)open_agent(1, IB_QPT_GSI, &sa, IB_MGMT_RMPP_VERSION);
	(void)open_agent(0, IB_QPT_SMI, &smp, 0);
	to_other[0] = address(client, 1);
	to_other[1] = address(server, 0);
	for (int host = 0; host < 2; host++)
		for (int qp = 0; qp < 2; qp++) {
			raw[host][qp] = open_agent(host, qp ? IB_QPT_GSI : IB_QPT_SMI, NULL, 0);
			raw_to_other[host][qp] = address(raw[host][qp], !host);
		}
}

static void start(void)
{
	struct device_profile profile;
	struct wire_loop *wire;

	if (device[0])
		return;
	setenv("VERBENA_LOG", "0", 1);
	fabric_init(&fabric, 0);
	device_faults_init(&faults, NULL, NULL);
	wire = wire_loop_new(&fabric, &faults.faults);
	require(wire);
	device_profile_init(&profile, VERBENA_PERSONALITY_NONE);
	for (int i = 0; i < 2; i++) {
		struct device_hca *hca =
			device_hca_new(&fabric, wire, &faults, i ? "b" : "a", &profile);

		require(!IS_ERR(hca));
		device[i] = device_hca_device(hca);
	}
	open_agents();
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static void pass(u64 ns)
{
	(void)base_wait_until(never, NULL, ns);
}

static void request(u32 low_tid, int bytes, int timeout_ms, int retries)
{
	struct ib_mad_send_buf *buf = make(client, to_other[0], bytes);

	fill(buf, METHOD, cpu_to_be64((u64)client->hi_tid << 32 | low_tid));
	buf->timeout_ms = timeout_ms;
	buf->retries = retries;
	outstanding++;
	require(!ib_post_send_mad(buf, NULL));
}

/* Of a directed route it may be refused: then it does not go out. */
static void send_raw(u8 what, u8 low_tid, const uint8_t *bytes, size_t count)
{
	const int host = !(what & DO_REVERSE), qp = !(what & DO_SMI);
	struct ib_mad_send_buf *buf = ib_create_send_mad(raw[host][qp], (u32)qp, 0, 0,
							 IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA,
							 GFP_KERNEL, IB_MGMT_BASE_VERSION);
	struct ib_mad_hdr *hdr;

	require(!IS_ERR(buf));
	hdr = buf->mad;
	memcpy(buf->mad, bytes, count);
	if (what & DO_NAME)
		hdr->tid = cpu_to_be64((u64)client->hi_tid << 32 | (low_tid & 7));
	if ((what & DO_CUT) && qp)
		mad_send_of(buf)->sg_list[0].length = (u32)count;
	buf->ah = raw_to_other[host][qp];
	if (ib_post_send_mad(buf, NULL))
		ib_free_send_mad(buf);
}

static size_t take_record(const uint8_t *bytes, size_t count)
{
	const u8 what = bytes[0], low_tid = bytes[1];
	size_t length = bytes[2] ? bytes[2] : IB_MGMT_MAD_SIZE;

	if (length > count - RECORD_HEAD)
		length = count - RECORD_HEAD;
	if (what & DO_REQUEST)
		request(low_tid & 7, 10, 2, 1);
	else if (what & DO_TRANSFER)
		request(low_tid & 7, 2000, low_tid & 8 ? 3 : 0, 1);
	send_raw(what, low_tid, bytes + RECORD_HEAD, length);
	if (what & DO_WAIT)
		pass(MS);
	else if (what & DO_WAIT_LONG)
		pass(3000 * MS);
	return RECORD_HEAD + length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	size_t at = 0;

	start();
	answers = 20;
	while (at + RECORD_HEAD <= count)
		at += take_record(bytes + at, count - at);
	pass(120000 * MS);
	require(!outstanding);
	require(!mad_agent_of(server)->transfer_count && !mad_agent_of(client)->transfer_count);
	answers = whole = 0;
	request(100, CHECK_BYTES, 0, 0);
	pass(20000 * MS);
	require(whole == 1 && !outstanding);
	return 0;
}
