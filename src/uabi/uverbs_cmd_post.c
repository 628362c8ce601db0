// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Work requests as commands, and the doorbell of libraries that post by rings: a POST_SEND without
 * requests. A chain is built on the stack and posted piece by piece, so that nothing is allocated.
 */
#include <errno.h>
#include <linux/err.h>
#include <string.h>

#include "base/cause.h"
#include "uabi/uverbs_cmd.h"

#define MAX_SGES 64u

/* Where requests and SGEs are in the command, which has been checked. */
struct chain {
	const u8 *wr;
	const struct ib_uverbs_sge *sge;
	u32 wr_count;
	u32 sge_count;
	u32 wqe_bytes;
};

/* One request with its SGEs, ours. */
struct send {
	union {
		struct ib_send_wr wr;
		struct ib_rdma_wr rdma;
		struct ib_atomic_wr atomic;
		struct ib_ud_wr ud;
	};
	struct ib_sge sges[MAX_SGES];
	struct uverbs_object *ah;
};

static int read_chain(const struct uverbs_attr_bundle *attrs, size_t head_bytes, size_t wr_bytes,
		      struct chain *chain)
{
	const u64 wr_total = (u64)chain->wqe_bytes * chain->wr_count;
	const u64 sge_total = (u64)chain->sge_count * sizeof(struct ib_uverbs_sge);
	const u8 *body = (const u8 *)attrs->ucore.inbuf + head_bytes;

	if (attrs->ucore.inlen < head_bytes ||
	    wr_total + sge_total > attrs->ucore.inlen - head_bytes)
		return base_refuse(-EINVAL, UVERBS_WRS, chain->wr_count, chain->sge_count,
				   chain->wqe_bytes, attrs->ucore.inlen);
	if (chain->wr_count && (chain->wqe_bytes < wr_bytes || chain->wqe_bytes % sizeof(u64)))
		return base_refuse(-EINVAL, UVERBS_WRS, chain->wr_count, chain->sge_count,
				   chain->wqe_bytes, attrs->ucore.inlen);
	chain->wr = body;
	chain->sge = (const void *)(body + wr_total);
	return 0;
}

/* The SGEs of the next request. */
static int take_sges(struct chain *chain, u32 count, struct ib_sge *to)
{
	if (count > chain->sge_count || count > MAX_SGES)
		return base_refuse(-EINVAL, UVERBS_WRS, chain->wr_count, chain->sge_count,
				   chain->wqe_bytes, count);
	for (u32 i = 0; i < count; i++) {
		struct ib_uverbs_sge sge;

		memcpy(&sge, &chain->sge[i], sizeof(sge));
		to[i] = (struct ib_sge){sge.addr, sge.length, sge.lkey};
	}
	chain->sge += count;
	chain->sge_count -= count;
	return 0;
}

static void next_wr(struct chain *chain)
{
	chain->wr += chain->wqe_bytes;
	chain->wr_count--;
}

static int fill_ud(struct ib_uverbs_file *file, const struct ib_qp *qp,
		   const struct ib_uverbs_send_wr *from, struct send *to)
{
	if (from->opcode != IB_WR_SEND && from->opcode != IB_WR_SEND_WITH_IMM)
		return base_refuse_qp(-EINVAL, qp->qp_num, UVERBS_POST_TYPE, from->opcode,
				      qp->qp_type);
	to->ah = uverbs_object_get(file, UVERBS_TYPE_AH, from->wr.ud.ah);
	if (IS_ERR(to->ah)) {
		const int ret = (int)PTR_ERR(to->ah);

		to->ah = NULL;
		return ret;
	}
	to->ud.ah = to->ah->uobject.object;
	to->ud.remote_qpn = from->wr.ud.remote_qpn;
	to->ud.remote_qkey = from->wr.ud.remote_qkey;
	return 0;
}

static int fill_operation(const struct ib_qp *qp, const struct ib_uverbs_send_wr *from,
			  struct send *to)
{
	switch (from->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		to->rdma.remote_addr = from->wr.rdma.remote_addr;
		to->rdma.rkey = from->wr.rdma.rkey;
		return 0;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		to->atomic.remote_addr = from->wr.atomic.remote_addr;
		to->atomic.compare_add = from->wr.atomic.compare_add;
		to->atomic.swap = from->wr.atomic.swap;
		to->atomic.rkey = from->wr.atomic.rkey;
		return 0;
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
	case IB_WR_LOCAL_INV:
		return 0;
	default: /* a number of the program's */
		return base_refuse_qp(-EINVAL, qp->qp_num, UVERBS_POST_TYPE, from->opcode,
				      qp->qp_type);
	}
}

static int fill_send(struct ib_uverbs_file *file, const struct ib_qp *qp, struct chain *chain,
		     struct send *to)
{
	struct ib_uverbs_send_wr from;
	int ret;

	memcpy(&from, chain->wr, sizeof(from));
	memset(&to->atomic, 0, sizeof(to->atomic));
	memset(&to->ud, 0, sizeof(to->ud));
	to->ah = NULL;
	ret = take_sges(chain, from.num_sge, to->sges);
	if (ret)
		return ret;
	to->wr.wr_id = from.wr_id;
	to->wr.sg_list = to->sges;
	to->wr.num_sge = (int)from.num_sge;
	to->wr.opcode = (enum ib_wr_opcode)from.opcode;
	to->wr.send_flags = (int)from.send_flags;
	if (from.opcode == IB_WR_SEND_WITH_INV || from.opcode == IB_WR_LOCAL_INV)
		to->wr.ex.invalidate_rkey = from.ex.invalidate_rkey;
	else
		to->wr.ex.imm_data = from.ex.imm_data;
	next_wr(chain);
	return qp->qp_type == IB_QPT_UD ? fill_ud(file, qp, &from, to)
					: fill_operation(qp, &from, to);
}

/* How many were posted; the one after them was refused if @ret says so. */
static u32 post_sends(struct ib_uverbs_file *file, struct ib_qp *qp, struct chain *chain, int *ret)
{
	const u32 count = chain->wr_count;
	struct send send;

	for (u32 done = 0; done < count; done++) {
		*ret = fill_send(file, qp, chain, &send);
		if (!*ret)
			*ret = ib_post_send(qp, &send.wr, NULL);
		uverbs_object_put(send.ah);
		if (*ret)
			return done;
	}
	return count;
}

static int answer(struct uverbs_attr_bundle *attrs, u32 done, int ret)
{
	const struct ib_uverbs_post_send_resp response = {.bad_wr = ret ? done + 1 : 0};
	const int told = uverbs_response(attrs, &response, sizeof(response));

	return ret ? ret : told;
}

static int doorbell(struct uverbs_attr_bundle *attrs, u32 handle, struct ib_qp **qp)
{
	struct uverbs_object *object =
		uverbs_object_get(uverbs_file_of(attrs), UVERBS_TYPE_QP, handle);
	int ret;

	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	*qp = object->uobject.object;
	ret = ib_post_send(*qp, NULL, NULL);
	uverbs_object_put(object);
	return unlikely(ret) ? answer(attrs, 0, ret) : 0;
}

int uverbs_doorbell(struct ib_uverbs_file *file, const struct ib_uverbs_post_send *request,
		    size_t out_bytes, struct ib_qp **qp)
{
	struct uverbs_attr_bundle attrs;

	/* Nothing else of it is looked at. */
	attrs.ufile = file;
	attrs.ucore.outbuf = (void *)(uintptr_t)request->response;
	attrs.ucore.outlen = out_bytes;
	return doorbell(&attrs, request->qp_handle, qp);
}

int uverbs_cmd_post_send(struct uverbs_attr_bundle *attrs)
{
	struct ib_uverbs_post_send request;
	struct uverbs_object *object;
	struct chain chain;
	struct ib_qp *qp;
	u32 done;
	int ret;

	memcpy(&request, attrs->ucore.inbuf, sizeof(request));
	chain = (struct chain){.wr_count = request.wr_count,
			       .sge_count = request.sge_count,
			       .wqe_bytes = request.wqe_size};
	ret = read_chain(attrs, sizeof(request), sizeof(struct ib_uverbs_send_wr), &chain);
	if (ret)
		return ret;
	if (!chain.wr_count)
		return doorbell(attrs, request.qp_handle, &qp);
	object = uverbs_object_get(uverbs_file_of(attrs), UVERBS_TYPE_QP, request.qp_handle);
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	done = post_sends(uverbs_file_of(attrs), object->uobject.object, &chain, &ret);
	uverbs_object_put(object);
	return answer(attrs, done, ret);
}

/* What post_recv and post_srq_recv are handed one by one. */
typedef int (*post_fn)(void *queue, const struct ib_recv_wr *wr);

static u32 post_recvs(void *queue, post_fn post, struct chain *chain, int *ret)
{
	const u32 count = chain->wr_count;
	struct ib_sge sges[MAX_SGES];

	for (u32 done = 0; done < count; done++) {
		struct ib_uverbs_recv_wr from;

		memcpy(&from, chain->wr, sizeof(from));
		*ret = take_sges(chain, from.num_sge, sges);
		if (!*ret)
			*ret = post(queue, &(struct ib_recv_wr){.wr_id = from.wr_id,
								.sg_list = sges,
								.num_sge = (int)from.num_sge});
		if (*ret)
			return done;
		next_wr(chain);
	}
	return count;
}

static int post_to_qp(void *queue, const struct ib_recv_wr *wr)
{
	return ib_post_recv(queue, wr, NULL);
}

static int post_to_srq(void *queue, const struct ib_recv_wr *wr)
{
	return ib_post_srq_recv(queue, wr, NULL);
}

/* Both commands have the same request. */
static int post_recv(struct uverbs_attr_bundle *attrs, enum uverbs_type type, post_fn post)
{
	struct ib_uverbs_post_recv request;
	struct uverbs_object *object;
	struct chain chain;
	u32 done;
	int ret;

	memcpy(&request, attrs->ucore.inbuf, sizeof(request));
	chain = (struct chain){.wr_count = request.wr_count,
			       .sge_count = request.sge_count,
			       .wqe_bytes = request.wqe_size};
	ret = read_chain(attrs, sizeof(request), sizeof(struct ib_uverbs_recv_wr), &chain);
	if (ret)
		return ret;
	object = uverbs_object_get(uverbs_file_of(attrs), type, request.qp_handle);
	if (IS_ERR(object))
		return (int)PTR_ERR(object);
	done = post_recvs(object->uobject.object, post, &chain, &ret);
	uverbs_object_put(object);
	return answer(attrs, done, ret);
}

int uverbs_cmd_post_recv(struct uverbs_attr_bundle *attrs)
{
	return post_recv(attrs, UVERBS_TYPE_QP, post_to_qp);
}

int uverbs_cmd_post_srq_recv(struct uverbs_attr_bundle *attrs)
{
	return post_recv(attrs, UVERBS_TYPE_SRQ, post_to_srq);
}
