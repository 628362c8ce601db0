// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A device's operations with faults in front of them: verbs that fail, and what connects a queue pair. */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <rdma/rdmavt_qp.h>

#include "device/faults.h"
#include "device/hca.h"

static struct device_fault_hooks *hooks_of(struct ib_device *device)
{
	return device_hca_fault_hooks(device_hca_of(device));
}

/* RCU. NULL: the device has left its fabric, which may be gone; its objects go when their owners want. */
static struct fabric_faults *faults_of(const struct device_fault_hooks *hooks)
{
	struct device_faults *f = rcu_dereference(hooks->faults);

	return f ? &f->faults : NULL;
}

static int refuse(struct ib_device *device, enum fault_verb verb)
{
	struct fabric_faults *faults;
	int ret = 0;

	rcu_read_lock();
	faults = faults_of(hooks_of(device));
	if (faults)
		ret = fabric_faults_refuse(faults, verb);
	rcu_read_unlock();
	return ret;
}

static int open_context(struct ib_ucontext *context, struct ib_udata *udata)
{
	struct device_fault_hooks *hooks = hooks_of(context->device);
	int ret = refuse(context->device, FAULT_VERB_OPEN);

	if (!ret)
		ret = hooks->below.alloc_ucontext(context, udata);
	if (!ret)
		device_faults_opened(hooks->faults);
	return ret;
}

static int query_port(struct ib_device *device, u32 port_num, struct ib_port_attr *attr)
{
	const int ret = refuse(device, FAULT_VERB_QUERY_PORT);

	return ret ? ret : hooks_of(device)->below.query_port(device, port_num, attr);
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	const int ret = refuse(pd->device, FAULT_VERB_ALLOC_PD);

	return ret ? ret : hooks_of(pd->device)->below.alloc_pd(pd, udata);
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	const int ret = refuse(pd->device, FAULT_VERB_REG_MR);

	return ret ? ERR_PTR(ret) : hooks_of(pd->device)->below.get_dma_mr(pd, access);
}

static struct ib_mr *reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
				 struct ib_udata *udata)
{
	const int ret = refuse(pd->device, FAULT_VERB_REG_MR);

	return ret ? ERR_PTR(ret)
		   : hooks_of(pd->device)
			       ->below.reg_user_mr(pd, start, length, virt_addr, access, udata);
}

static struct ib_mr *alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_sg)
{
	const int ret = refuse(pd->device, FAULT_VERB_REG_MR);

	return ret ? ERR_PTR(ret) : hooks_of(pd->device)->below.alloc_mr(pd, type, max_sg);
}

static int alloc_mw(struct ib_mw *mw, struct ib_udata *udata)
{
	const int ret = refuse(mw->device, FAULT_VERB_ALLOC_MW);

	return ret ? ret : hooks_of(mw->device)->below.alloc_mw(mw, udata);
}

static int create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	const int ret = refuse(cq->device, FAULT_VERB_CREATE_CQ);

	return ret ? ret : hooks_of(cq->device)->below.create_cq(cq, attr, udata);
}

static int resize_cq(struct ib_cq *cq, int cqe, struct ib_udata *udata)
{
	const int ret = refuse(cq->device, FAULT_VERB_RESIZE_CQ);

	return ret ? ret : hooks_of(cq->device)->below.resize_cq(cq, cqe, udata);
}

static int create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr, struct ib_udata *udata)
{
	const int ret = refuse(srq->device, FAULT_VERB_CREATE_SRQ);

	return ret ? ret : hooks_of(srq->device)->below.create_srq(srq, attr, udata);
}

static int modify_srq(struct ib_srq *srq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct ib_udata *udata)
{
	const int ret = refuse(srq->device, FAULT_VERB_MODIFY_SRQ);

	return ret ? ret : hooks_of(srq->device)->below.modify_srq(srq, attr, mask, udata);
}

static int create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	const int ret = refuse(ah->device, FAULT_VERB_CREATE_AH);

	return ret ? ret : hooks_of(ah->device)->below.create_ah(ah, attr, udata);
}

static int create_user_ah(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	const int ret = refuse(ah->device, FAULT_VERB_CREATE_AH);

	return ret ? ret : hooks_of(ah->device)->below.create_user_ah(ah, attr, udata);
}

static int attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	const int ret = refuse(qp->device, FAULT_VERB_ATTACH_MCAST);

	return ret ? ret : hooks_of(qp->device)->below.attach_mcast(qp, gid, lid);
}

static int query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init)
{
	const int ret = refuse(qp->device, FAULT_VERB_QUERY_QP);

	return ret ? ret : hooks_of(qp->device)->below.query_qp(qp, attr, mask, init);
}

static int create_qp(struct ib_qp *qp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	const int ret = refuse(qp->device, FAULT_VERB_CREATE_QP);

	return ret ? ret : hooks_of(qp->device)->below.create_qp(qp, attr, udata);
}

static int destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	struct device_fault_hooks *hooks = hooks_of(qp->device);
	const u32 qpn = qp->qp_num, port_num = ibqp_to_rvtqp(qp)->port_num;
	const int ret = hooks->below.destroy_qp(qp, udata);
	struct fabric_faults *faults;

	if (ret || !port_num)
		return ret;
	rcu_read_lock();
	faults = faults_of(hooks);
	if (faults)
		fabric_faults_qp_is_gone(faults, device_hca_slot(hooks->hca, port_num), qpn);
	rcu_read_unlock();
	return 0;
}

/* RCU. A queue pair has its place among others when it gets a port, and its PSNs when it is connected. */
static void note_changes(struct ib_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	const struct device_fault_hooks *hooks = hooks_of(qp->device);
	const u32 port_num = ibqp_to_rvtqp(qp)->port_num;
	struct fabric_faults *faults = faults_of(hooks);
	uint32_t slot;

	if (!faults || !port_num)
		return;
	slot = device_hca_slot(hooks->hca, port_num);
	if (mask & IB_QP_PORT)
		fabric_faults_qp_is_made(faults, slot, qp->qp_num);
	if (mask & IB_QP_RQ_PSN)
		fabric_faults_qp_connects(faults, slot, qp->qp_num, FAULT_RX, attr->rq_psn);
	if (mask & IB_QP_SQ_PSN)
		fabric_faults_qp_connects(faults, slot, qp->qp_num, FAULT_TX, attr->sq_psn);
}

static int modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	int ret = refuse(qp->device, FAULT_VERB_MODIFY_QP);

	if (!ret)
		ret = hooks_of(qp->device)->below.modify_qp(qp, attr, mask, udata);
	if (ret)
		return ret;
	rcu_read_lock();
	note_changes(qp, attr, mask);
	rcu_read_unlock();
	return 0;
}

/* An operation that the device does not have it does not get from us. */
#define HOOK(name, ours) (ops->name = ops->name ? (ours) : NULL)

void device_faults_hook(struct device_faults *faults, struct device_hca *hca,
			struct device_fault_hooks *hooks)
{
	struct ib_device_ops *ops = &device_hca_device(hca)->ops;

	hooks->faults = faults;
	hooks->hca = hca;
	hooks->below = *ops;
	HOOK(alloc_ucontext, open_context);
	HOOK(query_port, query_port);
	HOOK(alloc_pd, alloc_pd);
	HOOK(get_dma_mr, get_dma_mr);
	HOOK(reg_user_mr, reg_user_mr);
	HOOK(alloc_mr, alloc_mr);
	HOOK(alloc_mw, alloc_mw);
	HOOK(create_cq, create_cq);
	HOOK(resize_cq, resize_cq);
	HOOK(create_srq, create_srq);
	HOOK(modify_srq, modify_srq);
	HOOK(create_qp, create_qp);
	HOOK(modify_qp, modify_qp);
	HOOK(query_qp, query_qp);
	HOOK(destroy_qp, destroy_qp);
	HOOK(create_ah, create_ah);
	HOOK(create_user_ah, create_user_ah);
	HOOK(attach_mcast, attach_mcast);
	mutex_lock(&faults->lock);
	list_add_tail(&hooks->link, &faults->hcas);
	mutex_unlock(&faults->lock);
}

void device_faults_unhook(struct device_fault_hooks *hooks)
{
	if (!hooks->faults)
		return;
	mutex_lock(&hooks->faults->lock);
	list_del(&hooks->link);
	mutex_unlock(&hooks->faults->lock);
	rcu_assign_pointer(hooks->faults, NULL);
	synchronize_rcu();
}
