/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Queue pairs: create, query, destroy. ib_modify_qp() is in verbs_modify.c. */
#include <linux/minmax.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs_user.h>
#include <rdma/rw.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

static void count(atomic_t *usecnt, int by)
{
	if (usecnt)
		atomic_add(by, usecnt);
}

/* Who a QP keeps from being destroyed: +1 from its creation on, -1 after its end. */
static void count_users(const struct ib_qp *qp, int by)
{
	count(qp->pd ? &qp->pd->usecnt : NULL, by);
	count(qp->send_cq ? &qp->send_cq->usecnt : NULL, by);
	count(qp->recv_cq ? &qp->recv_cq->usecnt : NULL, by);
	count(qp->srq ? &qp->srq->usecnt : NULL, by);
	count(qp->rwq_ind_tbl ? &qp->rwq_ind_tbl->usecnt : NULL, by);
}

/* An XRC initiator receives nothing; the target has the SRQ. */
static void drop_receive_side(struct ib_qp_init_attr *attr)
{
	attr->recv_cq = NULL;
	attr->srq = NULL;
	attr->cap.max_recv_wr = 0;
	attr->cap.max_recv_sge = 0;
}

static int check_init_attr(const struct ib_device *device, const struct ib_qp_init_attr *attr)
{
	if (!device->ops.create_qp)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	if (attr->rwq_ind_tbl &&
	    (attr->recv_cq || attr->srq || attr->cap.max_recv_wr || attr->cap.max_recv_sge))
		return base_refuse(-EINVAL, QP_RWQ_TABLE, attr->recv_cq != NULL, attr->srq != NULL,
				   attr->cap.max_recv_wr, attr->cap.max_recv_sge);
	if ((attr->create_flags & IB_QP_CREATE_INTEGRITY_EN) &&
	    !(device->attrs.kernel_cap_flags & IBK_INTEGRITY_HANDOVER))
		return base_refuse(-EINVAL, QP_INTEGRITY);
	return 0;
}

static void set_fields(struct ib_qp *qp, const struct ib_qp_init_attr *attr)
{
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->srq = attr->srq;
	qp->rwq_ind_tbl = attr->rwq_ind_tbl;
	qp->event_handler = attr->event_handler;
	qp->qp_context = attr->qp_context;
	qp->qp_type = attr->qp_type;
	qp->port = attr->port_num;
}

static struct ib_qp *create_qp(struct ib_device *device, struct ib_pd *pd,
			       struct ib_qp_init_attr *attr, struct ib_udata *udata,
			       struct ib_uqp_object *uobj)
{
	int ret = check_init_attr(device, attr);
	struct ib_qp *qp;

	if (ret)
		return ERR_PTR(ret);
	qp = core_object_new(device, ib_qp);
	if (IS_ERR(qp))
		return qp;
	if (attr->qp_type == IB_QPT_XRC_INI)
		drop_receive_side(attr);
	qp->device = device;
	qp->pd = pd;
	qp->uobject = uobj;
	qp->real_qp = qp;
	INIT_LIST_HEAD(&qp->open_list);
	INIT_LIST_HEAD(&qp->xrcd_list);
	INIT_LIST_HEAD(&qp->rdma_mrs);
	INIT_LIST_HEAD(&qp->sig_mrs);
	spin_lock_init(&qp->mr_lock);
	set_fields(qp, attr);
	ret = device->ops.create_qp(qp, attr, udata);
	if (ret) {
		core_object_free(device, qp);
		return ERR_PTR(ret);
	}
	return qp;
}

struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr, struct ib_udata *udata,
				struct ib_uqp_object *uobj, const char *caller)
{
	struct ib_qp *qp = create_qp(dev, pd, attr, udata, uobj);
	struct ib_qp *handle;

	(void)caller;
	if (IS_ERR(qp))
		return qp;
	if (attr->qp_type != IB_QPT_XRC_TGT) {
		count_users(qp, 1);
		return qp;
	}
	handle = core_share_qp(qp, attr);
	if (IS_ERR(handle))
		ib_destroy_qp_user(qp, udata);
	return handle;
}

struct ib_qp *ib_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr,
				  const char *caller)
{
	struct ib_device *device = pd->device;
	const u32 rdma_ctxs = qp_init_attr->cap.max_rdma_ctxs;
	struct ib_qp *qp;
	int ret;

	(void)caller;
	if (rdma_ctxs)
		rdma_rw_init_qp(device, qp_init_attr);
	qp = create_qp(device, pd, qp_init_attr, NULL, NULL);
	if (IS_ERR(qp))
		return qp;
	count_users(qp, 1);
	if (rdma_ctxs) {
		ret = rdma_rw_init_mrs(qp, qp_init_attr);
		if (ret) {
			ib_destroy_qp(qp);
			return ERR_PTR(ret);
		}
	}
	qp->max_write_sge = qp_init_attr->cap.max_send_sge;
	qp->max_read_sge =
		min_t(u32, qp_init_attr->cap.max_send_sge, (u32)device->attrs.max_sge_rd);
	qp->integrity_en = qp_init_attr->create_flags & IB_QP_CREATE_INTEGRITY_EN;
	return qp;
}

int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
		struct ib_qp_init_attr *qp_init_attr)
{
	qp_attr->ah_attr.grh.sgid_attr = NULL;
	qp_attr->alt_ah_attr.grh.sgid_attr = NULL;
	if (!qp->device->ops.query_qp)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return qp->device->ops.query_qp(qp->real_qp, qp_attr, qp_attr_mask, qp_init_attr);
}

static int destroy_real_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	const struct ib_gid_attr *alt_sgid_attr = qp->alt_path_sgid_attr;
	const struct ib_gid_attr *av_sgid_attr = qp->av_sgid_attr;
	struct ib_device *device = qp->device;
	int ret;

	WARN_ON_ONCE(qp->mrs_used > 0);
	if (!qp->uobject)
		rdma_rw_cleanup_mrs(qp);
	ret = device->ops.destroy_qp(qp, udata);
	if (ret)
		return ret;
	if (alt_sgid_attr)
		rdma_put_gid_attr(alt_sgid_attr);
	if (av_sgid_attr)
		rdma_put_gid_attr(av_sgid_attr);
	count_users(qp, -1);
	core_object_free(device, qp);
	return 0;
}

int ib_destroy_qp_user(struct ib_qp *qp, struct ib_udata *udata)
{
	const int users = atomic_read(&qp->usecnt);
	struct ib_xrcd *xrcd = qp->real_qp->xrcd;
	struct ib_qp *last;

	if (users)
		return base_refuse_qp(-EBUSY, qp->qp_num, QP_IN_USE, (u32)users);
	if (qp->real_qp == qp)
		return destroy_real_qp(qp, udata);
	last = core_unshare_qp(qp);
	if (last && !destroy_real_qp(last, udata))
		atomic_dec(&xrcd->usecnt);
	return 0;
}
