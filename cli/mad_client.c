// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Questions by MADs, and their answers. */
#include "cli/mad_client.h"

#include <errno.h>
#include <linux/byteorder.h>
#include <linux/err.h>
#include <linux/verbena_base.h>
#include <string.h>

#define TIMEOUT_MS 20
#define RETRIES 100
#define PMA_DATA (64 - IB_MGMT_MAD_HDR) /* where its attributes begin in &ib_mad.data */

static void on_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct mad_client *c = agent->context;

	c->status = wc->status;
	rdma_destroy_ah(wc->send_buf->ah, 0);
	ib_free_send_mad(wc->send_buf);
	__atomic_store_n(&c->done, true, __ATOMIC_RELEASE);
	base_wake();
}

static void on_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *question,
			struct ib_mad_recv_wc *wc)
{
	struct mad_client *c = agent->context;

	if (question)
		memcpy(&c->answer, wc->recv_buf.mad, sizeof(c->answer));
	ib_free_recv_mad(wc);
}

int mad_client_open(struct mad_client *c, struct ib_device *device)
{
	static const enum ib_qp_type types[] = {IB_QPT_SMI, IB_QPT_GSI};

	*c = (struct mad_client){.retries = RETRIES};
	for (int i = 0; i < 2; i++) {
		c->agent[i] = ib_register_mad_agent(device, 1, types[i], NULL, 0, on_sent,
						    on_received, c, 0);
		if (IS_ERR(c->agent[i]))
			return (int)PTR_ERR(c->agent[i]);
	}
	return 0;
}

void mad_client_close(struct mad_client *c)
{
	for (int i = 0; i < 2; i++)
		if (!IS_ERR_OR_NULL(c->agent[i]))
			ib_unregister_mad_agent(c->agent[i]);
}

static bool is_done(void *arg)
{
	return __atomic_load_n(&((struct mad_client *)arg)->done, __ATOMIC_ACQUIRE);
}

static bool is_smp(const struct ib_mad *mad)
{
	return mad->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE ||
	       mad->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED;
}

static int post(const struct mad_client *c, const struct ib_mad *question, uint16_t dlid)
{
	struct ib_mad_agent *agent = c->agent[is_smp(question) ? 0 : 1];
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_mad_send_buf *buf;
	struct ib_mad *mad;
	int ret;

	buf = ib_create_send_mad(agent, is_smp(question) ? 0 : 1, 0, 0, IB_MGMT_MAD_HDR,
				 IB_MGMT_MAD_DATA, GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return (int)PTR_ERR(buf);
	rdma_ah_set_dlid(&attr, dlid);
	buf->ah = rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(buf->ah)) {
		ret = (int)PTR_ERR(buf->ah);
		ib_free_send_mad(buf);
		return ret;
	}
	mad = buf->mad;
	*mad = *question;
	mad->mad_hdr.tid = cpu_to_be64((u64)agent->hi_tid << 32 | 1);
	buf->timeout_ms = TIMEOUT_MS;
	buf->retries = c->retries;
	ret = ib_post_send_mad(buf, NULL);
	if (ret) {
		rdma_destroy_ah(buf->ah, 0);
		ib_free_send_mad(buf);
	}
	return ret;
}

int mad_client_ask(struct mad_client *c, const struct ib_mad *question, uint16_t dlid)
{
	int ret;

	__atomic_store_n(&c->done, false, __ATOMIC_RELAXED);
	ret = post(c, question, dlid);
	if (ret)
		return ret;
	(void)base_wait_until(is_done, c, BASE_FOREVER_NS);
	if (c->status)
		return -ETIMEDOUT;
	return c->answer.mad_hdr.status & ~IB_SMP_DIRECTION ? -EPROTO : 0;
}

static struct ib_mad get(u8 class, __be16 attribute, uint32_t modifier)
{
	return (struct ib_mad){.mad_hdr = {.base_version = IB_MGMT_BASE_VERSION,
					   .mgmt_class = class,
					   .class_version = 1,
					   .method = IB_MGMT_METHOD_GET,
					   .attr_id = attribute,
					   .attr_mod = cpu_to_be32(modifier)}};
}

int mad_client_get(struct mad_client *c, const struct mad_route *route, __be16 attribute,
		   uint32_t modifier, void *data)
{
	struct ib_mad question = get(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, attribute, modifier);
	struct ib_smp smp;
	int ret;

	memcpy(&smp, &question, sizeof(smp));
	smp.hop_cnt = route->hops;
	smp.dr_slid = smp.dr_dlid = cpu_to_be16(MAD_CLIENT_PERMISSIVE);
	memcpy(smp.initial_path + 1, route->port, route->hops);
	memcpy(&question, &smp, sizeof(question));
	ret = mad_client_ask(c, &question, MAD_CLIENT_PERMISSIVE);
	memcpy(&smp, &c->answer, sizeof(smp));
	memcpy(data, smp.data, sizeof(smp.data));
	return ret;
}

int mad_client_counters(struct mad_client *c, uint16_t lid, uint8_t port,
			struct ib_pma_portcounters_ext *counters)
{
	struct ib_mad question = get(IB_MGMT_CLASS_PERF_MGMT, IB_PMA_PORT_COUNTERS_EXT, 0);
	int ret;

	memset(counters, 0, sizeof(*counters));
	counters->port_select = port;
	memcpy(question.data + PMA_DATA, counters, sizeof(*counters));
	ret = mad_client_ask(c, &question, lid);
	memcpy(counters, c->answer.data + PMA_DATA, sizeof(*counters));
	return ret;
}
