// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A vendor's class that has RMPP: one request carries the file. */
#include "cli/rmpp_file.h"

#include <errno.h>
#include <linux/byteorder.h>
#include <linux/err.h>
#include <linux/verbena_base.h>
#include <rdma/ib_mad.h>
#include <stdbool.h>
#include <string.h>

#define CLASS 0x32u
#define TIMEOUT_MS 10 /* for an ACK of segments, and for the answer */
#define RETRIES 100   /* of a segment; each one that arrives begins anew */
#define OUI                      \
	{                        \
		0x56, 0x52, 0x42 \
	}

struct receiver {
	uint8_t *copy;
	size_t bytes;
	size_t received;
	bool done; /* atomic */
};

struct sender {
	enum ib_wc_status status;
	bool answered;
	bool done; /* atomic */
};

static void release(struct ib_mad_send_buf *buf)
{
	rdma_destroy_ah(buf->ah, 0);
	ib_free_send_mad(buf);
}

static void on_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct sender *s = agent->context;

	s->status = wc->status;
	release(wc->send_buf);
	__atomic_store_n(&s->done, true, __ATOMIC_RELEASE);
	base_wake();
}

static void on_answer(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
		      struct ib_mad_recv_wc *wc)
{
	struct sender *s = agent->context;

	s->answered = request != NULL;
	ib_free_recv_mad(wc);
}

static void on_answer_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	(void)agent;
	release(wc->send_buf);
}

/* That all has arrived: the headers, once more. */
static void answer(struct ib_mad_agent *agent, const struct ib_mad_recv_wc *wc)
{
	struct ib_mad_send_buf *buf = ib_create_send_mad(agent, wc->wc->src_qp, wc->wc->pkey_index,
							 0, IB_MGMT_VENDOR_HDR, IB_MGMT_VENDOR_DATA,
							 GFP_KERNEL, IB_MGMT_BASE_VERSION);
	struct ib_vendor_mad *mad;

	if (IS_ERR(buf))
		return;
	buf->ah = ib_create_ah_from_wc(agent->qp->pd, wc->wc, wc->recv_buf.grh, agent->port_num);
	if (IS_ERR(buf->ah)) {
		ib_free_send_mad(buf);
		return;
	}
	mad = buf->mad;
	memcpy(mad, wc->recv_buf.mad, IB_MGMT_VENDOR_HDR);
	memset(&mad->rmpp_hdr, 0, sizeof(mad->rmpp_hdr));
	mad->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	if (ib_post_send_mad(buf, NULL))
		release(buf);
}

/* Each segment has the headers; the data behind them follow on one another. */
static void on_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
			struct ib_mad_recv_wc *wc)
{
	const size_t data = IB_MGMT_MAD_SIZE - IB_MGMT_VENDOR_HDR;
	struct receiver *r = agent->context;
	struct ib_mad_recv_buf *segment;

	(void)request;
	list_for_each_entry(segment, &wc->rmpp_list, list) {
		const size_t left = r->bytes - r->received, n = left < data ? left : data;

		memcpy(r->copy + r->received, (const uint8_t *)segment->mad + IB_MGMT_VENDOR_HDR,
		       n);
		r->received += n;
	}
	if ((size_t)wc->mad_len != r->bytes + IB_MGMT_VENDOR_HDR)
		r->received = 0;
	answer(agent, wc);
	ib_free_recv_mad(wc);
	__atomic_store_n(&r->done, true, __ATOMIC_RELEASE);
	base_wake();
}

static void fill(struct ib_mad_send_buf *buf, const uint8_t *file, size_t bytes)
{
	static const u8 oui[] = OUI;
	struct ib_vendor_mad *mad = buf->mad;
	size_t done = 0;

	mad->mad_hdr = (struct ib_mad_hdr){
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = CLASS,
		.class_version = 1,
		.method = IB_MGMT_METHOD_SET,
		.tid = cpu_to_be64((u64)buf->mad_agent->hi_tid << 32 | 1),
	};
	memcpy(mad->oui, oui, sizeof(oui));
	for (int i = 1; i <= buf->seg_count; i++) {
		const size_t room = (size_t)buf->seg_size, left = bytes - done;
		const size_t n = left < room ? left : room;

		memcpy(ib_get_rmpp_segment(buf, i), file + done, n);
		done += n;
	}
}

static int post(struct ib_mad_agent *agent, uint16_t lid, const void *file, size_t bytes)
{
	struct rdma_ah_attr attr = {.type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1};
	struct ib_mad_send_buf *buf;
	int ret;

	buf = ib_create_send_mad(agent, 1, 0, 1, IB_MGMT_VENDOR_HDR, (int)bytes, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return (int)PTR_ERR(buf);
	fill(buf, file, bytes);
	rdma_ah_set_dlid(&attr, lid);
	buf->ah = rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	ret = IS_ERR(buf->ah) ? (int)PTR_ERR(buf->ah) : 0;
	buf->timeout_ms = TIMEOUT_MS;
	buf->retries = RETRIES;
	if (!ret) {
		ret = ib_post_send_mad(buf, NULL);
		if (ret)
			rdma_destroy_ah(buf->ah, 0);
	}
	if (ret)
		ib_free_send_mad(buf);
	return ret;
}

static bool is_over(void *arg)
{
	struct sender *s = arg;

	return __atomic_load_n(&s->done, __ATOMIC_ACQUIRE);
}

static int transfer(struct ib_mad_agent *agent, struct sender *s, struct receiver *r, uint16_t lid,
		    const void *file)
{
	int ret = post(agent, lid, file, r->bytes);

	if (ret)
		return ret;
	(void)base_wait_until(is_over, s, BASE_FOREVER_NS);
	if (s->status || !s->answered || r->received != r->bytes)
		return -EIO;
	return 0;
}

int rmpp_file_send(struct ib_device *from, struct ib_device *to, uint16_t lid, const void *file,
		   void *copy, size_t bytes)
{
	struct ib_mad_reg_req req = {.mgmt_class = CLASS, .mgmt_class_version = 1, .oui = OUI};
	struct receiver r = {.copy = copy, .bytes = bytes};
	struct sender s = {.done = false};
	struct ib_mad_agent *receiver, *sender;
	int ret;

	set_bit(IB_MGMT_METHOD_SET, req.method_mask);
	receiver = ib_register_mad_agent(to, 1, IB_QPT_GSI, &req, IB_MGMT_RMPP_VERSION,
					 on_answer_sent, on_received, &r, 0);
	if (IS_ERR(receiver))
		return (int)PTR_ERR(receiver);
	sender = ib_register_mad_agent(from, 1, IB_QPT_GSI, NULL, IB_MGMT_RMPP_VERSION, on_sent,
				       on_answer, &s, 0);
	if (IS_ERR(sender)) {
		ret = (int)PTR_ERR(sender);
	} else {
		ret = transfer(sender, &s, &r, lid, file);
		ib_unregister_mad_agent(sender);
	}
	ib_unregister_mad_agent(receiver);
	return ret;
}
