// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* One host asks, by a vendor's class on QP 1, and another one answers with a table of many segments (RMPP). */
#include <linux/err.h>
#include <rdma/ib_mad.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <verbena/verbena.h>

#define CLASS 0x32
#define TABLE_BYTES 10000

static sem_t over;

static struct ib_mad_send_buf *make(struct ib_mad_agent *agent, u8 method, u64 tid, int bytes)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, 1, 0, bytes > IB_MGMT_VENDOR_DATA,
							 IB_MGMT_VENDOR_HDR, bytes, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);
	struct ib_vendor_mad *mad;

	if (IS_ERR(buf))
		return buf;
	mad = (struct ib_vendor_mad *)buf->mad;
	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = CLASS;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = method;
	mad->mad_hdr.tid = cpu_to_be64(tid);
	memcpy(mad->oui, "\x00\x14\x05", 3);
	return buf;
}

static void post(struct ib_mad_send_buf *buf)
{
	if (IS_ERR(buf) || ib_post_send_mad(buf, NULL)) {
		printf("%s\n", verbena_last_cause());
		if (!IS_ERR(buf))
			ib_free_send_mad(buf);
	}
}

/* Where to: the port that has this LID. The agent's context keeps it. */
static struct ib_ah *address(struct ib_mad_agent *agent, struct ib_device *to)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_port_attr port;

	ib_query_port(to, 1, &port);
	rdma_ah_set_dlid(&attr, port.lid);
	return rdma_create_ah(agent->qp->pd, &attr, 0);
}

static void answer(struct ib_mad_agent *agent, struct ib_mad_send_buf *unused,
		   struct ib_mad_recv_wc *wc)
{
	struct ib_mad_send_buf *buf = make(agent, IB_MGMT_METHOD_GET_RESP,
					   be64_to_cpu(wc->recv_buf.mad->mad_hdr.tid), TABLE_BYTES);

	(void)unused;
	if (!IS_ERR(buf)) { /* all of the data lies behind the headers, however many segments it takes */
		memset((char *)buf->mad + buf->hdr_len, 'x', TABLE_BYTES);
		buf->ah = (struct ib_ah *)agent->context;
	}
	post(buf);
	ib_free_recv_mad(wc);
}

static void received(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
		     struct ib_mad_recv_wc *wc)
{
	(void)agent;
	(void)request;
	printf("alpha got: a table of %d bytes\n", wc->mad_len - IB_MGMT_VENDOR_HDR);
	ib_free_recv_mad(wc);
}

static void answered(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	(void)agent;
	ib_free_send_mad(wc->send_buf);
}

/* A request completes when its response has been handed up, or none will come. */
static void asked(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	(void)agent;
	if (wc->status != IB_WC_SUCCESS)
		printf("%s: %s\n", ib_wc_status_msg(wc->status),
		       verbena_cause_name(wc->vendor_err));
	ib_free_send_mad(wc->send_buf);
	sem_post(&over);
}

int main(void)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = CLASS, .mgmt_class_version = 1, .oui = {0x00, 0x14, 0x05}};
	struct verbena_fabric *fabric = verbena_fabric_new(NULL);
	struct ib_device *alpha = verbena_host_add(fabric, "alpha", NULL);
	struct ib_device *beta = verbena_host_add(fabric, "beta", NULL);
	struct ib_mad_agent *client, *server;
	struct ib_mad_send_buf *buf;
	struct ib_ah *ah;

	sem_init(&over, 0, 0);
	req.method_mask[0] = 1ul << IB_MGMT_METHOD_GET;
	client = ib_register_mad_agent(alpha, 1, IB_QPT_GSI, NULL, IB_MGMT_RMPP_VERSION, asked,
				       received, NULL, 0);
	server = ib_register_mad_agent(beta, 1, IB_QPT_GSI, &req, IB_MGMT_RMPP_VERSION, answered,
				       answer, NULL, 0);
	if (IS_ERR(client) || IS_ERR(server)) {
		printf("%s\n", verbena_last_cause());
		return 1;
	}
	server->context = address(server, alpha);
	ah = address(client, beta);

	buf = make(client, IB_MGMT_METHOD_GET, (u64)client->hi_tid << 32 | 1, 1);
	buf->ah = ah;
	buf->timeout_ms = 1000;
	buf->retries = 3;
	post(buf);
	sem_wait(&over);

	rdma_destroy_ah(ah, 0);
	ib_unregister_mad_agent(client);
	rdma_destroy_ah((struct ib_ah *)server->context, 0);
	ib_unregister_mad_agent(server);
	verbena_fabric_free(fabric);
	return 0;
}
