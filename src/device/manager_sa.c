// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* MADs of the SA's class, from and to QP 1. */
#include "device/manager_sa.h"

#include <linux/err.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_sa.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"

#define CLASS_VERSION 2
#define REPORT_MS 200
#define REPORTS 5
#define RESENDS 5

struct device_sa {
	struct ib_mad_agent *agent;
	void (*arrived)(void *ctx, struct ib_mad_recv_wc *request);
	void *ctx;
	u32 tid;
};

static void release(struct ib_mad_send_buf *buf)
{
	rdma_destroy_ah(buf->ah, 0);
	ib_free_send_mad(buf);
}

static void on_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	(void)agent;
	release(wc->send_buf);
}

/* Answers to reports say no more than that they have arrived. */
static void on_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *report,
			struct ib_mad_recv_wc *wc)
{
	struct device_sa *s = agent->context;

	if (report)
		ib_free_recv_mad(wc);
	else
		s->arrived(s->ctx, wc);
}

struct device_sa *device_sa_new(struct ib_device *device,
				void (*arrived)(void *ctx, struct ib_mad_recv_wc *request),
				void *ctx)
{
	static const u8 methods[] = {IB_MGMT_METHOD_GET, IB_MGMT_METHOD_SET, IB_SA_METHOD_GET_TABLE,
				     IB_SA_METHOD_DELETE, IB_SA_METHOD_GET_MULTI};
	struct ib_mad_reg_req req = {.mgmt_class = IB_MGMT_CLASS_SUBN_ADM,
				     .mgmt_class_version = CLASS_VERSION};
	struct device_sa *s = base_zalloc(sizeof(*s));
	struct ib_mad_agent *agent;

	if (!s)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*s)));
	s->arrived = arrived;
	s->ctx = ctx;
	for (size_t i = 0; i < sizeof(methods); i++)
		set_bit(methods[i], req.method_mask);
	agent = ib_register_mad_agent(device, 1, IB_QPT_GSI, &req, IB_MGMT_RMPP_VERSION, on_sent,
				      on_received, s, 0);
	if (IS_ERR(agent)) {
		base_free(s);
		return ERR_CAST(agent);
	}
	s->agent = agent;
	return s;
}

void device_sa_free(struct device_sa *s)
{
	if (!s)
		return;
	ib_unregister_mad_agent(s->agent);
	base_free(s);
}

void device_sa_drop(struct ib_mad_recv_wc *request)
{
	ib_free_recv_mad(request);
}

static void post(struct ib_mad_send_buf *buf)
{
	if (ib_post_send_mad(buf, NULL))
		release(buf);
}

/* The layer's own RMPP header stays, where it cuts the table into segments. */
static void fill(struct ib_mad_send_buf *buf, const struct sa_reply *reply)
{
	const size_t rmpp = sizeof(struct ib_mad_hdr), rest = IB_MGMT_RMPP_HDR;
	const u8 *data = reply->mad + IB_MGMT_SA_HDR;
	size_t left = reply->bytes - IB_MGMT_SA_HDR;
	u8 *mad = buf->mad;

	memcpy(mad, reply->mad, rmpp);
	memcpy(mad + rest, reply->mad + rest, IB_MGMT_SA_HDR - rest);
	if (!reply->is_table) {
		memcpy(mad + IB_MGMT_SA_HDR, data, left < IB_MGMT_SA_DATA ? left : IB_MGMT_SA_DATA);
		return;
	}
	for (int i = 1; i <= buf->seg_count && left; i++) {
		const size_t room = (size_t)buf->seg_size, n = left < room ? left : room;

		memcpy(ib_get_rmpp_segment(buf, i), data, n);
		data += n;
		left -= n;
	}
}

static void send_reply(struct device_sa *s, const struct ib_mad_recv_wc *request,
		       const struct sa_reply *reply)
{
	const size_t data = reply->is_table ? reply->bytes - IB_MGMT_SA_HDR : IB_MGMT_SA_DATA;
	struct ib_mad_send_buf *buf = ib_create_send_mad(s->agent, request->wc->src_qp,
							 request->wc->pkey_index, reply->is_table,
							 IB_MGMT_SA_HDR, (int)data, GFP_KERNEL,
							 IB_MGMT_BASE_VERSION);

	if (IS_ERR(buf))
		return; /* who asks asks again */
	buf->ah = ib_create_ah_from_wc(s->agent->qp->pd, request->wc, request->recv_buf.grh,
				       s->agent->port_num);
	if (IS_ERR(buf->ah)) {
		ib_free_send_mad(buf);
		return;
	}
	fill(buf, reply);
	buf->retries = RESENDS;
	post(buf);
}

static struct sa_peer peer_of(const struct ib_mad_recv_wc *request)
{
	const struct ib_wc *wc = request->wc;
	struct sa_peer peer = {.lid = (u16)wc->slid,
			       .qpn = wc->src_qp,
			       .sl = wc->sl,
			       .has_grh = (wc->wc_flags & IB_WC_GRH) != 0};

	if (peer.has_grh)
		memcpy(peer.gid, request->recv_buf.grh->sgid.raw, sizeof(peer.gid));
	return peer;
}

/* One that came in segments, each of which has the headers. NULL without memory. */
static u8 *assemble(const struct ib_mad_recv_wc *request)
{
	u8 *all = base_alloc((size_t)request->mad_len);
	const struct ib_mad_recv_buf *segment;
	size_t done = 0;

	if (!all)
		return NULL;
	list_for_each_entry(segment, &request->rmpp_list, list) {
		const size_t skip = done ? IB_MGMT_SA_HDR : 0;
		const size_t room = IB_MGMT_MAD_SIZE - skip;
		const size_t left = (size_t)request->mad_len - done;
		const size_t n = left < room ? left : room;

		memcpy(all + done, (const u8 *)segment->mad + skip, n);
		done += n;
	}
	return all;
}

void device_sa_answer(struct device_sa *s, struct sa *sa, struct ib_mad_recv_wc *request)
{
	const struct sa_peer from = peer_of(request);
	const bool is_long = request->mad_len > IB_MGMT_MAD_SIZE;
	u8 *all = is_long ? assemble(request) : (u8 *)request->recv_buf.mad;
	struct sa_reply reply = {.mad = NULL};

	if (all)
		sa_request(sa, &from, base_now_ns(), all, (size_t)request->mad_len, &reply);
	if (reply.mad)
		send_reply(s, request, &reply);
	base_free(reply.mad);
	if (is_long)
		base_free(all);
	ib_free_recv_mad(request);
}

static struct ib_ah *address_of(const struct device_sa *s, const struct sa_peer *to)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB};
	union ib_gid gid;

	rdma_ah_set_port_num(&attr, s->agent->port_num);
	rdma_ah_set_dlid(&attr, to->lid);
	rdma_ah_set_sl(&attr, to->sl);
	if (to->has_grh) {
		memcpy(gid.raw, to->gid, sizeof(gid.raw));
		rdma_ah_set_grh(&attr, &gid, 0, 0, 1, 0);
	}
	return rdma_create_ah(s->agent->qp->pd, &attr, 0);
}

void device_sa_report(struct device_sa *s, const struct sa_peer *to, const struct ib_sa_mad *report)
{
	struct ib_mad_send_buf *buf;
	struct ib_mad_hdr *hdr;

	buf = ib_create_send_mad(s->agent, to->qpn, 0, 0, IB_MGMT_SA_HDR, IB_MGMT_SA_DATA,
				 GFP_ATOMIC, IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return;
	buf->ah = address_of(s, to);
	if (IS_ERR(buf->ah)) {
		ib_free_send_mad(buf);
		return;
	}
	memcpy(buf->mad, report, sizeof(*report));
	hdr = buf->mad;
	hdr->tid = cpu_to_be64((u64)s->agent->hi_tid << 32 | ++s->tid);
	buf->timeout_ms = REPORT_MS;
	buf->retries = REPORTS;
	post(buf);
}
