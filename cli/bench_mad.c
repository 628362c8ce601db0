// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The benchmarks of management: MADs there and back, and a long transfer. */
#include <linux/err.h>
#include <rdma/ib_mad.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <verbena/verbena.h>

#include "cli/bench.h"
#include "cli/cli.h"

#define BENCH_CLASS 0x32
#define BENCH_METHOD 0x10
#define OUTSTANDING 64u
#define ROUND_TRIPS 200000u
#define TRANSFER_BYTES (16 << 20)
#define TRANSFER_TIMEOUT_MS 10000

/* Two hosts with an agent each. Handlers run in the engine thread, one at a time. */
struct stage {
	struct verbena_fabric *fabric;
	struct ib_device *device[2];
	struct ib_mad_agent *agent[2];
	struct ib_ah *ah[2]; /* of the other */
	sem_t over;
	unsigned int to_send, outstanding;
	bool failed;
};

static void fill_header(struct ib_mad_send_buf *buf, u8 method, __be64 tid)
{
	struct ib_vendor_mad *mad = buf->mad;

	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = BENCH_CLASS;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = method;
	mad->mad_hdr.tid = tid;
	mad->oui[2] = 1;
}

static struct ib_mad_send_buf *make(struct stage *s, int side, bool rmpp, int bytes)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(s->agent[side], 1, 0, rmpp,
							 IB_MGMT_VENDOR_HDR, bytes, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);

	if (!IS_ERR(buf))
		buf->ah = s->ah[side];
	return buf;
}

static void post(struct stage *s, struct ib_mad_send_buf *buf)
{
	if (IS_ERR(buf)) {
		s->failed = true;
	} else if (ib_post_send_mad(buf, NULL)) {
		s->failed = true;
		ib_free_send_mad(buf);
	}
}

static u32 next_tid;

static void request(struct stage *s, struct ib_mad_send_buf *buf)
{
	if (!IS_ERR(buf)) {
		fill_header(buf, BENCH_METHOD,
			    cpu_to_be64((u64)s->agent[0]->hi_tid << 32 | ++next_tid));
		buf->timeout_ms = TRANSFER_TIMEOUT_MS;
	}
	post(s, buf);
}

static void client_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct stage *s = agent->context;

	s->failed |= wc->status != IB_WC_SUCCESS;
	if (!s->failed && s->to_send) {
		s->to_send--;
		request(s, wc->send_buf);
		return;
	}
	ib_free_send_mad(wc->send_buf);
	if (!--s->outstanding)
		sem_post(&s->over);
}

static void client_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *buf,
			    struct ib_mad_recv_wc *wc)
{
	(void)agent;
	(void)buf;
	ib_free_recv_mad(wc);
}

static void server_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	(void)agent;
	ib_free_send_mad(wc->send_buf);
}

static void server_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *unused,
			    struct ib_mad_recv_wc *wc)
{
	struct stage *s = agent->context;
	const bool whole = wc->mad_len == IB_MGMT_VENDOR_HDR + TRANSFER_BYTES;
	struct ib_mad_send_buf *buf = make(s, 1, false, IB_MGMT_VENDOR_DATA);

	(void)unused;
	s->failed |= !whole && wc->mad_len != IB_MGMT_MAD_SIZE;
	if (!IS_ERR(buf))
		fill_header(buf, BENCH_METHOD | IB_MGMT_METHOD_RESP, wc->recv_buf.mad->mad_hdr.tid);
	post(s, buf);
	ib_free_recv_mad(wc);
}

static struct ib_ah *address(struct stage *s, int side)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_port_attr port;

	if (ib_query_port(s->device[!side], 1, &port))
		return NULL;
	rdma_ah_set_dlid(&attr, port.lid);
	return rdma_create_ah(s->agent[side]->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
}

static void stage_close(struct stage *s)
{
	for (int i = 0; i < 2; i++) {
		if (!IS_ERR_OR_NULL(s->ah[i]))
			rdma_destroy_ah(s->ah[i], RDMA_DESTROY_AH_SLEEPABLE);
		if (!IS_ERR_OR_NULL(s->agent[i]))
			ib_unregister_mad_agent(s->agent[i]);
	}
	verbena_fabric_free(s->fabric);
	sem_destroy(&s->over);
}

static int stage_open(struct stage *s)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = BENCH_CLASS, .mgmt_class_version = 1, .oui = {0, 0, 1}};

	memset(s, 0, sizeof(*s));
	sem_init(&s->over, 0, 0);
	req.method_mask[0] = 1ul << BENCH_METHOD;
	s->fabric = verbena_fabric_new(NULL);
	for (int i = 0; i < 2; i++) {
		s->device[i] = verbena_host_add(s->fabric, i ? "beta" : "alpha", NULL);
		if (IS_ERR(s->device[i]))
			goto fail;
		s->agent[i] = ib_register_mad_agent(s->device[i], 1, IB_QPT_GSI, i ? &req : NULL,
						    IB_MGMT_RMPP_VERSION,
						    i ? server_sent : client_sent,
						    i ? server_received : client_received, s, 0);
		if (IS_ERR(s->agent[i]))
			goto fail;
	}
	for (int i = 0; i < 2; i++) {
		s->ah[i] = address(s, i);
		if (IS_ERR_OR_NULL(s->ah[i]))
			goto fail;
	}
	return 0;
fail:
	stage_close(s);
	return -1;
}

/* Requests until @count have been answered, @outstanding at a time. Returns the seconds, or -1. */
static double run(struct stage *s, unsigned int count, unsigned int outstanding, int bytes)
{
	struct ib_mad_send_buf *bufs[OUTSTANDING];
	double start;

	s->to_send = count - outstanding;
	s->outstanding = outstanding;
	for (unsigned int i = 0; i < outstanding; i++) {
		bufs[i] = make(s, 0, bytes > IB_MGMT_VENDOR_DATA, bytes);
		if (IS_ERR(bufs[i])) {
			while (i)
				ib_free_send_mad(bufs[--i]);
			return -1;
		}
		memset((u8 *)bufs[i]->mad + bufs[i]->hdr_len, 1, (size_t)bytes);
	}
	start = cli_seconds();
	for (unsigned int i = 0; i < outstanding; i++)
		request(s, bufs[i]);
	if (!s->failed)
		sem_wait(&s->over);
	return s->failed ? -1 : cli_seconds() - start;
}

static int round_trips(double *value)
{
	struct stage s;
	double seconds;

	if (stage_open(&s))
		return -1;
	seconds = run(&s, ROUND_TRIPS, OUTSTANDING, IB_MGMT_VENDOR_DATA);
	stage_close(&s);
	*value = ROUND_TRIPS / seconds / 1e6;
	return seconds > 0 ? 0 : -1;
}

static int transfer(double *value)
{
	struct stage s;
	double seconds;

	if (stage_open(&s))
		return -1;
	seconds = run(&s, 1, 1, TRANSFER_BYTES);
	stage_close(&s);
	*value = TRANSFER_BYTES / seconds / 1e6;
	return seconds > 0 ? 0 : -1;
}

const struct bench bench_mad_table[] = {
	{"mad-round-trips", "million/s", 0.5, false, round_trips, NULL},
	{"rmpp-16m", "MB/s", 150, false, transfer, NULL},
	{"subnet-931-up", "s", 1, true, bench_subnet_small, NULL},
	{"subnet-9472-up", "s", 12, true, bench_subnet_large, NULL},
	{"subnet-9472-memory", "MiB", 95, true, bench_subnet_memory, NULL},
	{"subnet-port", "KiB a port", 2, true, bench_subnet_port, NULL},
	{"subnet-load-13284", "s", 2, true, bench_subnet_load, NULL},
};

const unsigned int bench_mad_count = sizeof(bench_mad_table) / sizeof(bench_mad_table[0]);
