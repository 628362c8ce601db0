/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "common/fake_provider.h"

/* Counts a call and notes its arguments; what the call is to return. */
static int note(struct ib_device *device, enum fake_op op, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4)
{
	struct fake_provider *fake = to_fake(device);

	fake->called[op]++;
	fake->arg[op][0] = a0;
	fake->arg[op][1] = a1;
	fake->arg[op][2] = a2;
	fake->arg[op][3] = a3;
	fake->arg[op][4] = a4;
	return fake->fail[op];
}

#define NUM(value) ((u64)(uintptr_t)(value))
#define NOTE5(device, op, a, b, c, d, e) \
	note((device), FAKE_##op, NUM(a), NUM(b), NUM(c), NUM(d), NUM(e))
#define NOTE4(device, op, a, b, c, d) NOTE5(device, op, a, b, c, d, 0)
#define NOTE3(device, op, a, b, c) NOTE5(device, op, a, b, c, 0, 0)
#define NOTE2(device, op, a, b) NOTE5(device, op, a, b, 0, 0, 0)
#define NOTE1(device, op, a) NOTE5(device, op, a, 0, 0, 0, 0)

/* Completion queues */

static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	int ret = NOTE3(cq->device, CREATE_CQ, cq, attr, udata);

	if (!ret)
		cq->cqe = (int)attr->cqe;
	return ret;
}

static int destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	return NOTE2(cq->device, DESTROY_CQ, cq, udata);
}

static int modify_cq(struct ib_cq *cq, u16 cq_count, u16 cq_period)
{
	return NOTE3(cq->device, MODIFY_CQ, cq, cq_count, cq_period);
}

static int resize_cq(struct ib_cq *cq, int cqe, struct ib_udata *udata)
{
	int ret = NOTE3(cq->device, RESIZE_CQ, cq, cqe, udata);

	if (!ret)
		cq->cqe = cqe;
	return ret;
}

static int poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct fake_cq *cq = to_fake_cq(ibcq);
	int ret = NOTE3(ibcq->device, POLL_CQ, ibcq, num_entries, wc);
	int n = 0;

	if (ret)
		return ret;
	for (; n < num_entries && cq->count; n++) {
		wc[n] = cq->wc[cq->first];
		cq->first = (cq->first + 1) % FAKE_CQ_ROOM;
		cq->count--;
	}
	return n;
}

static int req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct fake_cq *cq = to_fake_cq(ibcq);
	int ret = NOTE2(ibcq->device, REQ_NOTIFY_CQ, ibcq, flags);

	if (ret)
		return ret;
	cq->armed = true;
	cq->armed_for = flags & IB_CQ_SOLICITED_MASK;
	return (flags & IB_CQ_REPORT_MISSED_EVENTS) && cq->count;
}

bool fake_cq_push(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited)
{
	struct fake_cq *cq = to_fake_cq(ibcq);

	if (cq->count == FAKE_CQ_ROOM)
		return false;
	cq->wc[(cq->first + cq->count) % FAKE_CQ_ROOM] = *wc;
	cq->count++;
	if (cq->armed && (cq->armed_for == IB_CQ_NEXT_COMP || solicited || wc->status)) {
		cq->armed = false;
		if (ibcq->comp_handler)
			ibcq->comp_handler(ibcq, ibcq->cq_context);
	}
	return true;
}

/* Posting */

static void flush(struct ib_qp *qp, struct ib_cq *cq, u64 wr_id)
{
	const struct ib_wc wc = {.wr_id = wr_id, .status = IB_WC_WR_FLUSH_ERR, .qp = qp};

	if (cq && to_fake_qp(qp)->state == IB_QPS_ERR)
		fake_cq_push(cq, &wc, true);
}

static void note_ah(struct fake_provider *fake, struct ib_ah *ah)
{
	fake->last_ah = ah;
	if (ah)
		fake->last_address = to_fake_ah(ah)->attr;
}

static int post_send(struct ib_qp *qp, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct fake_provider *fake = to_fake(qp->device);
	int ret = NOTE3(qp->device, POST_SEND, qp, wr, bad);

	fake->last_bad_wr = bad;
	for (; wr && !ret; wr = wr->next) {
		if (!fake->post_room) {
			ret = -ENOMEM;
			break;
		}
		fake->post_room--;
		fake->send_wrs++;
		fake->last_send = *wr;
		if (qp->qp_type == IB_QPT_UD || qp->qp_type == IB_QPT_GSI ||
		    qp->qp_type == IB_QPT_SMI)
			note_ah(fake, ud_wr(wr)->ah);
		flush(qp, qp->send_cq, wr->wr_id);
	}
	if (ret)
		*bad = wr;
	return ret;
}

static int take_receives(struct fake_provider *fake, struct ib_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad, int ret)
{
	fake->last_bad_wr = bad;
	for (; wr && !ret; wr = wr->next) {
		if (!fake->post_room) {
			ret = -ENOMEM;
			break;
		}
		fake->post_room--;
		fake->recv_wrs++;
		if (qp)
			flush(qp, qp->recv_cq, wr->wr_id);
	}
	if (ret)
		*bad = wr;
	return ret;
}

static int post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	int ret = NOTE3(qp->device, POST_RECV, qp, wr, bad);

	return take_receives(to_fake(qp->device), qp, wr, bad, ret);
}

static int post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad)
{
	int ret = NOTE3(srq->device, POST_SRQ_RECV, srq, wr, bad);

	return take_receives(to_fake(srq->device), NULL, wr, bad, ret);
}

/* The device and its ports */

static int query_device(struct ib_device *device, struct ib_device_attr *attr,
			struct ib_udata *udata)
{
	int ret = NOTE3(device, QUERY_DEVICE, device, attr, udata);

	if (ret)
		return ret;
	attr->kernel_cap_flags = to_fake(device)->options.kernel_cap_flags;
	attr->max_qp = 1000;
	attr->max_qp_wr = 1024;
	attr->max_send_sge = 8;
	attr->max_recv_sge = 8;
	attr->max_sge_rd = 4;
	attr->max_cq = 1000;
	attr->max_cqe = 65536;
	attr->max_pkeys = FAKE_PKEYS;
	attr->max_fast_reg_page_list_len = FAKE_MR_PAGES;
	return 0;
}

static int modify_device(struct ib_device *device, int mask, struct ib_device_modify *modify)
{
	return NOTE3(device, MODIFY_DEVICE, device, mask, modify);
}

static int query_port(struct ib_device *device, u32 port_num, struct ib_port_attr *attr)
{
	struct fake_provider *fake = to_fake(device);
	int ret = NOTE3(device, QUERY_PORT, device, port_num, attr);

	if (ret)
		return ret;
	attr->state = fake->port_state;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_2048;
	attr->gid_tbl_len = FAKE_GIDS;
	attr->pkey_tbl_len = FAKE_PKEYS;
	attr->lid = fake->options.roce ? 0 : 0x10 * port_num;
	attr->lmc = fake->lmc;
	attr->sm_lid = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	return 0;
}

static int modify_port(struct ib_device *device, u32 port_num, int mask,
		       struct ib_port_modify *modify)
{
	return NOTE4(device, MODIFY_PORT, device, port_num, mask, modify);
}

static int get_port_immutable(struct ib_device *device, u32 port_num,
			      struct ib_port_immutable *immutable)
{
	const struct fake_options *options = &to_fake(device)->options;
	int ret = NOTE3(device, GET_PORT_IMMUTABLE, device, port_num, immutable);

	if (ret)
		return ret;
	immutable->pkey_tbl_len = FAKE_PKEYS;
	immutable->gid_tbl_len = FAKE_GIDS;
	immutable->max_mad_size = 256;
	immutable->core_cap_flags = options->roce ? RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP
						  : RDMA_CORE_PORT_IBA_IB;
	if (options->roce_v1)
		immutable->core_cap_flags |= RDMA_CORE_PORT_IBA_ROCE;
	if (options->grh_required)
		immutable->core_cap_flags |= RDMA_CORE_CAP_IB_GRH_REQUIRED;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *device, u32 port_num)
{
	(void)port_num;
	return to_fake(device)->options.roce ? IB_LINK_LAYER_ETHERNET : IB_LINK_LAYER_INFINIBAND;
}

static int query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid)
{
	int ret = NOTE4(device, QUERY_GID, device, port_num, index, gid);

	if (ret)
		return ret;
	if (index < 0 || index >= FAKE_GIDS)
		return -EINVAL;
	*gid = to_fake(device)->gids[port_num - 1][index];
	return 0;
}

static int add_gid(const struct ib_gid_attr *attr, void **context)
{
	return NOTE2(attr->device, ADD_GID, attr, context);
}

static int del_gid(const struct ib_gid_attr *attr, void **context)
{
	return NOTE2(attr->device, DEL_GID, attr, context);
}

static int query_pkey(struct ib_device *device, u32 port_num, u16 index, u16 *pkey)
{
	int ret = NOTE4(device, QUERY_PKEY, device, port_num, index, pkey);

	if (ret)
		return ret;
	if (index >= FAKE_PKEYS)
		return -EINVAL;
	*pkey = to_fake(device)->pkeys[port_num - 1][index];
	return 0;
}

static int enable_driver(struct ib_device *device)
{
	return NOTE1(device, ENABLE_DRIVER, device);
}

/* Protection domains, address handles, shared receive queues */

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return NOTE2(pd->device, ALLOC_PD, pd, udata);
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return NOTE2(pd->device, DEALLOC_PD, pd, udata);
}

static int create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	int ret = NOTE4(ah->device, CREATE_AH, ah, attr, udata, attr->flags);

	to_fake_ah(ah)->attr = *attr->ah_attr;
	return ret;
}

static int create_user_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	int ret = NOTE4(ah->device, CREATE_USER_AH, ah, attr, udata, attr->flags);

	to_fake_ah(ah)->attr = *attr->ah_attr;
	return ret;
}

static int modify_ah(struct ib_ah *ah, struct rdma_ah_attr *attr)
{
	int ret = NOTE2(ah->device, MODIFY_AH, ah, attr);

	if (!ret)
		to_fake_ah(ah)->attr = *attr;
	return ret;
}

static int query_ah(struct ib_ah *ah, struct rdma_ah_attr *attr)
{
	int ret = NOTE3(ah->device, QUERY_AH, ah, attr, attr->grh.sgid_attr);

	if (!ret)
		*attr = to_fake_ah(ah)->attr;
	return ret;
}

static int destroy_ah(struct ib_ah *ah, u32 flags)
{
	return NOTE2(ah->device, DESTROY_AH, ah, flags);
}

static int create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr, struct ib_udata *udata)
{
	int ret = NOTE3(srq->device, CREATE_SRQ, srq, attr, udata);

	if (!ret)
		to_fake_srq(srq)->attr = attr->attr;
	return ret;
}

static int modify_srq(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct ib_udata *udata)
{
	int ret = NOTE4(srq->device, MODIFY_SRQ, srq, attr, mask, udata);

	if (!ret && (mask & IB_SRQ_LIMIT))
		to_fake_srq(srq)->attr.srq_limit = attr->srq_limit;
	return ret;
}

static int query_srq(struct ib_srq *srq, struct ib_srq_attr *attr)
{
	int ret = NOTE2(srq->device, QUERY_SRQ, srq, attr);

	if (!ret)
		*attr = to_fake_srq(srq)->attr;
	return ret;
}

static int destroy_srq(struct ib_srq *srq, struct ib_udata *udata)
{
	return NOTE2(srq->device, DESTROY_SRQ, srq, udata);
}

/* Queue pairs */

static int create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct fake_qp *fake_qp = to_fake_qp(qp);
	int ret = NOTE3(qp->device, CREATE_QP, qp, attr, udata);

	if (ret)
		return ret;
	qp->qp_num = to_fake(qp->device)->next_number++;
	fake_qp->cap = attr->cap;
	fake_qp->attr.port_num = attr->port_num;
	return 0;
}

static int modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct fake_qp *fake_qp = to_fake_qp(qp);
	const enum ib_qp_state cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : fake_qp->state;
	const enum ib_qp_state next = mask & IB_QP_STATE ? attr->qp_state : cur;
	int ret = NOTE4(qp->device, MODIFY_QP, qp, attr, mask, udata);

	if (ret)
		return ret;
	if (to_fake(qp->device)->options.check_modify &&
	    !ib_modify_qp_is_ok(cur, next, qp->qp_type, (enum ib_qp_attr_mask)mask))
		return -EINVAL;
	fake_qp->state = next;
	fake_qp->attr = *attr;
	fake_qp->attr.qp_state = next;
	fake_qp->attr.port_num = mask & IB_QP_PORT ? attr->port_num : qp->port;
	return 0;
}

static int query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init_attr)
{
	struct fake_qp *fake_qp = to_fake_qp(qp);
	int ret = NOTE4(qp->device, QUERY_QP, qp, attr, mask, init_attr);

	if (ret)
		return ret;
	attr->qp_state = fake_qp->state;
	attr->cur_qp_state = fake_qp->state;
	attr->port_num = fake_qp->attr.port_num;
	attr->rq_psn = fake_qp->attr.rq_psn;
	attr->sq_psn = fake_qp->attr.sq_psn;
	attr->dest_qp_num = fake_qp->attr.dest_qp_num;
	attr->cap = fake_qp->cap;
	memset(init_attr, 0, sizeof(*init_attr));
	init_attr->cap = fake_qp->cap;
	init_attr->qp_type = qp->qp_type;
	return 0;
}

static int destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	return NOTE2(qp->device, DESTROY_QP, qp, udata);
}

static int attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret = NOTE3(qp->device, ATTACH_MCAST, qp, gid, lid);

	to_fake(qp->device)->mcast += !ret;
	return ret;
}

static int detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret = NOTE3(qp->device, DETACH_MCAST, qp, gid, lid);

	to_fake(qp->device)->mcast -= !ret;
	return ret;
}

/* Memory regions */

static struct ib_mr *make_mr(struct ib_device *device, u32 max_pages, int access, int ret)
{
	struct fake_provider *fake = to_fake(device);
	struct fake_mr *mr;

	if (ret)
		return ERR_PTR(ret);
	mr = base_zalloc(sizeof(*mr));
	if (!mr)
		return ERR_PTR(-ENOMEM);
	fake->next_number++;
	mr->ib.lkey = fake->next_number << 8;
	mr->ib.rkey = mr->ib.lkey | 0x80000000u;
	mr->max_pages = max_pages < FAKE_MR_PAGES ? max_pages : FAKE_MR_PAGES;
	mr->access = access;
	/* Rubbish in what is the core's to set. */
	mr->ib.dm = (void *)1;
	mr->ib.uobject = (void *)1;
	mr->ib.sig_attrs = (void *)1;
	mr->ib.need_inval = true;
	return &mr->ib;
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	int ret = NOTE2(pd->device, GET_DMA_MR, pd, access);

	return make_mr(pd->device, 0, access, ret);
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
				 struct ib_udata *udata)
{
	int ret = NOTE5(pd->device, REG_USER_MR, pd, start, length, virt_addr, access);

	(void)udata;
	return make_mr(pd->device, 0, access, ret);
}

static struct ib_mr *alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	int ret = NOTE3(pd->device, ALLOC_MR, pd, type, max_num_sg);

	return make_mr(pd->device, max_num_sg, 0, ret);
}

static struct ib_mr *alloc_mr_integrity(struct ib_pd *pd, u32 max_data_sg, u32 max_meta_sg)
{
	int ret = NOTE3(pd->device, ALLOC_MR_INTEGRITY, pd, max_data_sg, max_meta_sg);

	return make_mr(pd->device, max_data_sg, 0, ret);
}

static int advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		     struct ib_sge *sg_list, u32 num_sge, struct uverbs_attr_bundle *attrs)
{
	(void)attrs;
	return NOTE5(pd->device, ADVISE_MR, pd, advice, flags, sg_list, num_sge);
}

static int set_page(struct ib_mr *ibmr, u64 page)
{
	struct fake_mr *mr = to_fake_mr(ibmr);

	if (mr->page_count == mr->max_pages)
		return -ENOMEM;
	mr->page[mr->page_count++] = page;
	return 0;
}

static int map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
		     unsigned int *sg_offset)
{
	int ret = NOTE4(mr->device, MAP_MR_SG, mr, sg, sg_nents, sg_offset);

	if (ret)
		return ret;
	to_fake_mr(mr)->page_count = 0;
	return ib_sg_to_pages(mr, sg, sg_nents, sg_offset, set_page);
}

static int map_mr_sg_pi(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
			unsigned int *data_sg_offset, struct scatterlist *meta_sg,
			int meta_sg_nents, unsigned int *meta_sg_offset)
{
	(void)data_sg_offset;
	(void)meta_sg_offset;
	return NOTE5(mr->device, MAP_MR_SG_PI, mr, data_sg, data_sg_nents, meta_sg, meta_sg_nents);
}

static int check_mr_status(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *status)
{
	int ret = NOTE3(mr->device, CHECK_MR_STATUS, mr, check_mask, status);

	if (!ret)
		status->fail_status = check_mask;
	return ret;
}

static int dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	int ret = NOTE2(mr->device, DEREG_MR, mr, udata);

	if (!ret)
		base_free(to_fake_mr(mr));
	return ret;
}

/* XRC domains, receive work queues */

static int alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return NOTE2(xrcd->device, ALLOC_XRCD, xrcd, udata);
}

static int dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return NOTE2(xrcd->device, DEALLOC_XRCD, xrcd, udata);
}

static struct ib_wq *create_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr,
			       struct ib_udata *udata)
{
	int ret = NOTE3(pd->device, CREATE_WQ, pd, attr, udata);
	struct ib_wq *wq;

	if (ret)
		return ERR_PTR(ret);
	wq = base_zalloc(sizeof(*wq));
	return wq ? wq : ERR_PTR(-ENOMEM);
}

static int destroy_wq(struct ib_wq *wq, struct ib_udata *udata)
{
	int ret = NOTE2(wq->device, DESTROY_WQ, wq, udata);

	if (!ret)
		base_free(wq);
	return ret;
}

static const struct ib_device_ops fake_ops = {
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.post_send = post_send,
	.post_recv = post_recv,
	.post_srq_recv = post_srq_recv,
	.poll_cq = poll_cq,
	.req_notify_cq = req_notify_cq,
	.query_device = query_device,
	.modify_device = modify_device,
	.query_port = query_port,
	.modify_port = modify_port,
	.get_port_immutable = get_port_immutable,
	.get_link_layer = get_link_layer,
	.query_gid = query_gid,
	.query_pkey = query_pkey,
	.enable_driver = enable_driver,
	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	.create_ah = create_ah,
	.create_user_ah = create_user_ah,
	.modify_ah = modify_ah,
	.query_ah = query_ah,
	.destroy_ah = destroy_ah,
	.create_srq = create_srq,
	.modify_srq = modify_srq,
	.query_srq = query_srq,
	.destroy_srq = destroy_srq,
	.create_qp = create_qp,
	.modify_qp = modify_qp,
	.query_qp = query_qp,
	.destroy_qp = destroy_qp,
	.create_cq = create_cq,
	.modify_cq = modify_cq,
	.resize_cq = resize_cq,
	.destroy_cq = destroy_cq,
	.get_dma_mr = get_dma_mr,
	.reg_user_mr = reg_user_mr,
	.alloc_mr = alloc_mr,
	.alloc_mr_integrity = alloc_mr_integrity,
	.advise_mr = advise_mr,
	.map_mr_sg = map_mr_sg,
	.map_mr_sg_pi = map_mr_sg_pi,
	.check_mr_status = check_mr_status,
	.dereg_mr = dereg_mr,
	.attach_mcast = attach_mcast,
	.detach_mcast = detach_mcast,
	.alloc_xrcd = alloc_xrcd,
	.dealloc_xrcd = dealloc_xrcd,
	.create_wq = create_wq,
	.destroy_wq = destroy_wq,
	.size_ib_pd = sizeof(struct fake_pd),
	.size_ib_ah = sizeof(struct fake_ah),
	.size_ib_cq = sizeof(struct fake_cq),
	.size_ib_qp = sizeof(struct fake_qp),
	.size_ib_srq = sizeof(struct fake_srq),
	.size_ib_xrcd = sizeof(struct ib_xrcd),
};

/* Only RoCE devices have these: they are told of GIDs instead of being asked. */
static const struct ib_device_ops fake_roce_ops = {
	.add_gid = add_gid,
	.del_gid = del_gid,
};

union ib_gid fake_gid(u32 port, unsigned int index)
{
	union ib_gid gid;

	memset(&gid, 0, sizeof(gid));
	gid.global.subnet_prefix = cpu_to_be64(0xfe80000000000000ull);
	gid.global.interface_id = cpu_to_be64(0x0002c90000000000ull | (u64)port << 8 | index);
	return gid;
}

struct fake_provider *fake_provider_alloc(const struct fake_options *options)
{
	struct fake_provider *fake = ib_alloc_device(fake_provider, ib);

	if (!fake)
		return NULL;
	if (options)
		fake->options = *options;
	if (!fake->options.ports)
		fake->options.ports = 1;
	fake->post_room = UINT_MAX;
	fake->port_state = IB_PORT_ACTIVE;
	fake->next_number = 0x100;
	for (u32 port = 1; port <= FAKE_PORTS; port++) {
		for (unsigned int i = 0; i < FAKE_GIDS - 1; i++)
			fake->gids[port - 1][i] = fake_gid(port, i);
		fake->pkeys[port - 1][0] = 0xffff;
		fake->pkeys[port - 1][1] = 0x1234;
	}
	fake->ib.phys_port_cnt = fake->options.ports;
	fake->ib.node_type = RDMA_NODE_IB_CA;
	fake->ib.num_comp_vectors = 1;
	fake->ib.local_dma_lkey = FAKE_LOCAL_DMA_LKEY;
	ib_set_device_ops(&fake->ib, &fake_ops);
	if (fake->options.roce)
		ib_set_device_ops(&fake->ib, &fake_roce_ops);
	return fake;
}

struct fake_provider *fake_provider_new(const struct fake_options *options)
{
	struct fake_provider *fake = fake_provider_alloc(options);

	if (!fake || !ib_register_device(&fake->ib, "fake%d", NULL))
		return fake;
	ib_dealloc_device(&fake->ib);
	return NULL;
}

void fake_provider_free(struct fake_provider *fake)
{
	if (!fake)
		return;
	ib_unregister_device(&fake->ib);
	ib_dealloc_device(&fake->ib);
}
