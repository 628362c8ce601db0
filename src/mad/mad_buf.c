// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Buffers of MADs. Of a send that takes several segments the headers are there once, and the data lies behind
 * them, filled up to whole segments: so segment n is found by counting.
 */
#include <linux/err.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "mad/mad_priv.h"

#define MOST_DATA (64 << 20) /* more than 40 s would be enough for */

int ib_is_mad_class_rmpp(u8 mgmt_class)
{
	switch (mgmt_class) {
	case IB_MGMT_CLASS_SUBN_ADM:
	case IB_MGMT_CLASS_DEVICE_MGMT:
	case IB_MGMT_CLASS_DEVICE_ADM:
	case IB_MGMT_CLASS_BIS:
		return 1;
	default:
		return mad_is_vendor_class(mgmt_class);
	}
}

int ib_get_mad_data_offset(u8 mgmt_class)
{
	if (mgmt_class == IB_MGMT_CLASS_SUBN_ADM)
		return IB_MGMT_SA_HDR;
	if (mad_is_vendor_class(mgmt_class))
		return IB_MGMT_VENDOR_HDR;
	return ib_is_mad_class_rmpp(mgmt_class) ? IB_MGMT_DEVICE_HDR : IB_MGMT_MAD_HDR;
}

int ib_mad_kernel_rmpp_agent(const struct ib_mad_agent *agent)
{
	return agent->rmpp_version && !(agent->flags & IB_MAD_USER_RMPP);
}

static int mad_size_of(const struct ib_mad_agent *agent, u8 base_version)
{
	const bool opa = base_version == OPA_MGMT_BASE_VERSION &&
			 rdma_cap_opa_mad(agent->device, agent->port_num);

	return opa ? OPA_MGMT_MAD_SIZE : IB_MGMT_MAD_SIZE;
}

static int check_lengths(const struct ib_mad_agent *agent, bool rmpp, int hdr_len, int data_len,
			 int mad_size)
{
	const int least = rmpp ? IB_MGMT_RMPP_HDR : IB_MGMT_MAD_HDR;

	if (hdr_len < least || hdr_len > mad_size - rmpp || data_len < 0 || data_len > MOST_DATA)
		return base_refuse(-EINVAL, MAD_LENGTHS, (u32)hdr_len, (u32)data_len, (u32)least,
				   (u32)mad_size, MOST_DATA);
	if (rmpp && !ib_mad_kernel_rmpp_agent(agent))
		return base_refuse(-EINVAL, MAD_NO_RMPP);
	if (!rmpp && hdr_len + data_len > mad_size)
		return base_refuse(-EINVAL, MAD_TOO_LONG, (u32)(hdr_len + data_len), (u32)mad_size);
	return 0;
}

/* Bytes of the last segment that are none of the client's. Nothing is one segment, too. */
static int padding(int data_len, int seg_size)
{
	const int rest = data_len % seg_size;

	return data_len && !rest ? 0 : seg_size - rest;
}

static void init_rmpp(struct ib_mad_send_wr_private *wr)
{
	struct ib_mad_send_buf *buf = &wr->send_buf;
	struct ib_rmpp_mad *mad = buf->mad;

	mad->rmpp_hdr.rmpp_version = IB_MGMT_RMPP_VERSION;
	mad->rmpp_hdr.rmpp_type = IB_MGMT_RMPP_TYPE_DATA;
	ib_set_rmpp_flags(&mad->rmpp_hdr, IB_MGMT_RMPP_FLAG_ACTIVE);
	mad->rmpp_hdr.paylen_newwin =
		cpu_to_be32((u32)(buf->hdr_len - IB_MGMT_RMPP_HDR + buf->data_len));
	memset((u8 *)ib_get_rmpp_segment(buf, buf->seg_count) + buf->seg_size - wr->pad, 0,
	       (size_t)wr->pad);
}

static void init_send_wr(struct ib_mad_send_wr_private *wr, u32 remote_qpn, u16 pkey_index,
			 int mad_size)
{
	const struct ib_mad_send_buf *buf = &wr->send_buf;
	const u32 lkey = wr->mad_agent_priv->agent.qp->pd->local_dma_lkey;
	const u64 at = (u64)(uintptr_t)buf->mad;

	wr->sg_list[0] = (struct ib_sge){at, (u32)buf->hdr_len, lkey};
	wr->sg_list[1] =
		(struct ib_sge){at + (u32)buf->hdr_len, (u32)(mad_size - buf->hdr_len), lkey};
	wr->send_wr.wr.wr_cqe = &wr->mad_list.cqe;
	wr->send_wr.wr.sg_list = wr->sg_list;
	wr->send_wr.wr.num_sge = IB_MAD_SEND_REQ_MAX_SG;
	wr->send_wr.wr.opcode = IB_WR_SEND;
	wr->send_wr.wr.send_flags = IB_SEND_SIGNALED;
	wr->send_wr.remote_qpn = remote_qpn;
	wr->send_wr.remote_qkey = IB_QP_SET_QKEY;
	wr->send_wr.pkey_index = pkey_index;
	if (buf->seg_count)
		return;
	/* One piece: headers and data are neighbours. */
	wr->sg_list[0].length = (u32)mad_size;
	wr->send_wr.wr.num_sge = 1;
}

/* Room in the agent's index for one more. Without memory it stays as it is, and gets slower. */
static void count_buffer(struct ib_mad_agent_private *agent)
{
	u32 buckets;

	refcount_inc(&agent->refcount);
	spin_lock(&agent->lock);
	buckets = mad_index_wanted(&agent->sends, ++agent->buffers);
	spin_unlock(&agent->lock);
	mad_index_widen(&agent->sends, &agent->lock, buckets);
}

struct ib_mad_send_buf *ib_create_send_mad(struct ib_mad_agent *mad_agent, u32 remote_qpn,
					   u16 pkey_index, int rmpp_active, int hdr_len,
					   int data_len, gfp_t gfp_mask, u8 base_version)
{
	const int mad_size = mad_size_of(mad_agent, base_version), seg_size = mad_size - hdr_len;
	const int ret = check_lengths(mad_agent, rmpp_active, hdr_len, data_len, mad_size);
	struct ib_mad_send_wr_private *wr;
	struct ib_mad_send_buf *buf;
	size_t bytes, zeroes;
	int pad = 0;

	(void)gfp_mask;
	if (ret)
		return ERR_PTR(ret);
	if (rmpp_active)
		pad = padding(data_len, seg_size);
	bytes = rmpp_active ? (size_t)(hdr_len + data_len + pad) : (size_t)mad_size;
	zeroes = rmpp_active ? (size_t)hdr_len : bytes;
	wr = base_alloc(sizeof(*wr) + bytes);
	if (!wr)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*wr) + bytes));
	memset(wr, 0, sizeof(*wr) + zeroes);
	wr->mad_agent_priv = mad_agent_of(mad_agent);
	wr->pad = pad;
	buf = &wr->send_buf;
	buf->mad = wr + 1;
	buf->mad_agent = mad_agent;
	buf->hdr_len = hdr_len;
	buf->data_len = data_len;
	buf->seg_size = seg_size;
	if (rmpp_active) {
		buf->seg_rmpp_size = mad_size - IB_MGMT_RMPP_HDR;
		buf->seg_count = (data_len + pad) / seg_size;
		init_rmpp(wr);
	}
	init_send_wr(wr, remote_qpn, pkey_index, mad_size);
	count_buffer(wr->mad_agent_priv);
	return buf;
}

void ib_free_send_mad(struct ib_mad_send_buf *send_buf)
{
	struct ib_mad_send_wr_private *wr = mad_send_of(send_buf);
	struct ib_mad_agent_private *agent = wr->mad_agent_priv;

	spin_lock(&agent->lock);
	agent->buffers--;
	spin_unlock(&agent->lock);
	base_free(wr);
	mad_agent_put(agent);
}

void *ib_get_rmpp_segment(struct ib_mad_send_buf *send_buf, int seg_num)
{
	return (u8 *)send_buf->mad + send_buf->hdr_len +
	       (ptrdiff_t)(seg_num - 1) * send_buf->seg_size;
}

void ib_free_recv_mad(struct ib_mad_recv_wc *mad_recv_wc)
{
	struct ib_mad_recv_buf *buf, *next;
	LIST_HEAD(bufs);

	/* @mad_recv_wc is part of the first. */
	list_splice_init(&mad_recv_wc->rmpp_list, &bufs);
	list_for_each_entry_safe(buf, next, &bufs, list)
		base_free(container_of(buf, struct ib_mad_private, header.recv_wc.recv_buf));
}
