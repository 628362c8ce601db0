// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* A device: what rdmavt does for the driver below it, and how it is put together. */
#include "rdmavt/vt.h"

#include <linux/xarray.h>

#include "base/cause.h"
#include "rdmavt/ah.h"
#include "rdmavt/cq.h"
#include "rdmavt/mad.h"
#include "rdmavt/mcast.h"
#include "rdmavt/mmap.h"
#include "rdmavt/mr.h"
#include "rdmavt/mw.h"
#include "rdmavt/pd.h"
#include "rdmavt/qp.h"
#include "rdmavt/qp_priv.h"
#include "rdmavt/srq.h"

#define UVERBS_ABI_VERSION 2
#define MAX_MSG_BYTES 0x80000000u

struct rvt_dev_info *rvt_alloc_device(size_t size, int nports)
{
	/* The pointers lie behind it: objects that outlive the device look at its ports, too. */
	const size_t pointer = sizeof(struct rvt_ibport *);
	const size_t ports_at = (size + pointer - 1) / pointer * pointer;
	struct ib_device *ibdev;
	struct rvt_dev_info *rdi;

	ibdev = _ib_alloc_device(ports_at + (size_t)nports * pointer);
	if (!ibdev)
		return NULL;
	rdi = ib_to_rvt(ibdev);
	rdi->ports = (struct rvt_ibport **)(void *)((char *)rdi + ports_at);
	return rdi;
}

void rvt_dealloc_device(struct rvt_dev_info *rdi)
{
	ib_dealloc_device(&rdi->ibdev);
}

static int rvt_query_device(struct ib_device *ibdev, struct ib_device_attr *props,
			    struct ib_udata *uhw)
{
	if (uhw && (uhw->inlen || uhw->outlen))
		return base_refuse(-EINVAL, DEVICE_UHW);
	*props = ib_to_rvt(ibdev)->dparms.props;
	return 0;
}

static int rvt_modify_device(struct ib_device *device, int device_modify_mask,
			     struct ib_device_modify *device_modify)
{
	(void)device;
	(void)device_modify_mask;
	(void)device_modify;
	return base_refuse(-EOPNOTSUPP, MODIFY_DEVICE);
}

/* The port, or NULL with a cause. */
static struct rvt_ibport *port_of(struct ib_device *ibdev, u32 port_num)
{
	const struct rvt_dev_info *rdi = ib_to_rvt(ibdev);

	if (port_num >= 1 && port_num <= (u32)rdi->dparms.nports)
		return rdi->ports[port_num - 1];
	base_refuse(-EINVAL, DEVICE_PORT, port_num, (u32)rdi->dparms.nports);
	return NULL;
}

static int rvt_query_port(struct ib_device *ibdev, u32 port_num, struct ib_port_attr *props)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibdev);
	const struct rvt_ibport *rvp = port_of(ibdev, port_num);

	if (!rvp)
		return -EINVAL;
	props->sm_lid = rvp->sm_lid;
	props->sm_sl = rvp->sm_sl;
	props->port_cap_flags = rvp->port_cap_flags;
	props->max_msg_sz = MAX_MSG_BYTES;
	props->pkey_tbl_len = (u16)rvt_get_npkeys(rdi);
	props->bad_pkey_cntr = rvp->pkey_violations;
	props->qkey_viol_cntr = rvp->qkey_violations;
	props->subnet_timeout = rvp->subnet_timeout;
	props->init_type_reply = 0;
	return rdi->driver_f.query_port_state(rdi, port_num, props);
}

static int rvt_modify_port(struct ib_device *ibdev, u32 port_num, int port_modify_mask,
			   struct ib_port_modify *props)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibdev);
	struct rvt_ibport *rvp = port_of(ibdev, port_num);
	const u32 set = props->set_port_cap_mask, clear = props->clr_port_cap_mask;
	int ret = 0;

	if (!rvp)
		return -EINVAL;
	if (port_modify_mask & IB_PORT_OPA_MASK_CHG) {
		rvp->port_cap3_flags = (u16)((rvp->port_cap3_flags | set) & ~clear);
	} else {
		rvp->port_cap_flags |= set;
		rvp->port_cap_flags &= ~clear;
	}
	if (set || clear)
		rdi->driver_f.cap_mask_chg(rdi, port_num);
	if (port_modify_mask & IB_PORT_SHUTDOWN)
		ret = rdi->driver_f.shut_down_port(rdi, port_num);
	if (port_modify_mask & IB_PORT_RESET_QKEY_CNTR)
		rvp->qkey_violations = 0;
	return ret;
}

static int rvt_query_pkey(struct ib_device *ibdev, u32 port_num, u16 index, u16 *pkey)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibdev);

	if (!port_of(ibdev, port_num))
		return -EINVAL;
	if (index >= rvt_get_npkeys(rdi))
		return base_refuse(-EINVAL, PORT_PKEY_INDEX, index, rvt_get_npkeys(rdi));
	*pkey = rvt_get_pkey(rdi, (int)port_num - 1, index);
	return 0;
}

static int rvt_query_gid(struct ib_device *ibdev, u32 port_num, int guid_index, union ib_gid *gid)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibdev);
	struct rvt_ibport *rvp = port_of(ibdev, port_num);

	if (!rvp)
		return -EINVAL;
	gid->global.subnet_prefix = rvp->gid_prefix;
	return rdi->driver_f.get_guid_be(rdi, rvp, guid_index, &gid->global.interface_id);
}

static int rvt_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	(void)uctx;
	(void)udata;
	return 0;
}

static void rvt_dealloc_ucontext(struct ib_ucontext *context)
{
	(void)context;
}

static int rvt_get_port_immutable(struct ib_device *ibdev, u32 port_num,
				  struct ib_port_immutable *immutable)
{
	const struct rvt_dev_info *rdi = ib_to_rvt(ibdev);
	struct ib_port_attr attr;
	int ret;

	immutable->core_cap_flags = rdi->dparms.core_cap_flags;
	ret = ib_query_port(ibdev, port_num, &attr);
	if (ret)
		return ret;
	immutable->pkey_tbl_len = attr.pkey_tbl_len;
	immutable->gid_tbl_len = attr.gid_tbl_len;
	immutable->max_mad_size = rdi->dparms.max_mad_size;
	return 0;
}

static const struct ib_device_ops rvt_dev_ops = {
	.uverbs_abi_ver = UVERBS_ABI_VERSION,

	.alloc_mr = rvt_alloc_mr,
	.alloc_mw = rvt_alloc_mw,
	.alloc_pd = rvt_alloc_pd,
	.alloc_ucontext = rvt_alloc_ucontext,
	.attach_mcast = rvt_attach_mcast,
	.create_ah = rvt_create_ah,
	.create_cq = rvt_create_cq,
	.create_qp = rvt_create_qp,
	.create_srq = rvt_create_srq,
	.create_user_ah = rvt_create_ah,
	.dealloc_mw = rvt_dealloc_mw,
	.dealloc_pd = rvt_dealloc_pd,
	.dealloc_ucontext = rvt_dealloc_ucontext,
	.dereg_mr = rvt_dereg_mr,
	.destroy_ah = rvt_destroy_ah,
	.destroy_cq = rvt_destroy_cq,
	.destroy_qp = rvt_destroy_qp,
	.destroy_srq = rvt_destroy_srq,
	.detach_mcast = rvt_detach_mcast,
	.get_dma_mr = rvt_get_dma_mr,
	.get_port_immutable = rvt_get_port_immutable,
	.map_mr_sg = rvt_map_mr_sg,
	.mmap = rvt_mmap,
	.modify_ah = rvt_modify_ah,
	.modify_cq = rvt_modify_cq,
	.modify_device = rvt_modify_device,
	.modify_port = rvt_modify_port,
	.modify_qp = rvt_modify_qp,
	.modify_srq = rvt_modify_srq,
	.poll_cq = rvt_poll_cq,
	.post_recv = rvt_post_recv,
	.post_send = rvt_post_send,
	.post_srq_recv = rvt_post_srq_recv,
	.query_ah = rvt_query_ah,
	.query_device = rvt_query_device,
	.query_gid = rvt_query_gid,
	.query_pkey = rvt_query_pkey,
	.query_port = rvt_query_port,
	.query_qp = rvt_query_qp,
	.query_srq = rvt_query_srq,
	.reg_user_mr = rvt_reg_user_mr,
	.req_notify_cq = rvt_req_notify_cq,
	.resize_cq = rvt_resize_cq,

	.size_ib_ah = sizeof(struct rvt_ah),
	.size_ib_cq = sizeof(struct rvt_cq),
	.size_ib_mw = sizeof(struct rvt_mw),
	.size_ib_pd = sizeof(struct rvt_pd),
	.size_ib_qp = sizeof(struct rvt_qp),
	.size_ib_srq = sizeof(struct rvt_srq),
	.size_ib_ucontext = sizeof(struct rvt_ucontext),
};

/* The core sees the first member of each. */
_Static_assert(!offsetof(struct rvt_ah, ibah) && !offsetof(struct rvt_cq, ibcq) &&
		       !offsetof(struct rvt_pd, ibpd) && !offsetof(struct rvt_qp, ibqp) &&
		       !offsetof(struct rvt_srq, ibsrq) &&
		       !offsetof(struct rvt_ucontext, ibucontext),
	       "core parts come first");

#define MAX_HELPERS 9

/* What rdmavt's version of a verb calls, for drivers that do not bring their own. */
struct support {
	size_t op;
	size_t helper[MAX_HELPERS]; /* in struct rvt_dev_info; 0 ends */
};

/* clang-format off */
#define OP(name) offsetof(struct ib_device_ops, name)
#define F(name) offsetof(struct rvt_dev_info, driver_f.name)
static const struct support support_of[_VERB_IDX_MAX] = {
	[QUERY_PORT] = { OP(query_port), { F(query_port_state) } },
	[MODIFY_PORT] = { OP(modify_port), { F(cap_mask_chg), F(shut_down_port) } },
	[QUERY_GID] = { OP(query_gid), { F(get_guid_be) } },
	[CREATE_QP] = { OP(create_qp), { F(qp_priv_alloc), F(qp_priv_free), F(notify_qp_reset),
			F(flush_qp_waiters), F(stop_send_queue), F(quiesce_qp) } },
	[MODIFY_QP] = { OP(modify_qp), { F(notify_qp_reset), F(schedule_send), F(get_pmtu_from_attr),
			F(flush_qp_waiters), F(stop_send_queue), F(quiesce_qp), F(notify_error_qp),
			F(mtu_from_qp), F(mtu_to_path_mtu) } },
	[DESTROY_QP] = { OP(destroy_qp), { F(qp_priv_free), F(notify_qp_reset), F(flush_qp_waiters),
			F(stop_send_queue), F(quiesce_qp) } },
	[POST_SEND] = { OP(post_send), { F(schedule_send), F(schedule_send_no_lock), F(do_send),
			offsetof(struct rvt_dev_info, post_parms) } },
};
#undef F
#undef OP
/* clang-format on */

static bool is_set(const void *object, size_t offset)
{
	const void *pointer;

	memcpy(&pointer, (const char *)object + offset, sizeof(pointer));
	return pointer != NULL;
}

/**
 * check_support() - Whether a verb will work on a device that is to be registered.
 * @rdi: As the driver has filled it in.
 * @verb: enum rvt_verb.
 *
 * Return: 0; -EOPNOTSUPP if the driver has no modify_device; -EINVAL if something else that the verb
 *	needs is missing, or there is no such verb.
 */
static int check_support(struct rvt_dev_info *rdi, int verb)
{
	const struct support *needs;

	if (verb < 0 || verb >= _VERB_IDX_MAX)
		return base_refuse(-EINVAL, DRIVER_INCOMPLETE, (unsigned int)verb);
	if (verb == MISC)
		return rdi->ibdev.ops.port_groups && !rdi->driver_f.get_pci_dev
			       ? base_refuse(-EINVAL, DRIVER_INCOMPLETE, MISC)
			       : 0;
	if (verb == MODIFY_DEVICE)
		return rdi->ibdev.ops.modify_device ? 0 : base_refuse(-EOPNOTSUPP, MODIFY_DEVICE);
	needs = &support_of[verb];
	if (is_set(&rdi->ibdev.ops, needs->op))
		return 0;
	for (int i = 0; i < MAX_HELPERS && needs->helper[i]; i++)
		if (!is_set(rdi, needs->helper[i]))
			return base_refuse(-EINVAL, DRIVER_INCOMPLETE, (unsigned int)verb);
	return 0;
}

static void init_counters(struct rvt_dev_info *rdi)
{
	spin_lock_init(&rdi->n_ahs_lock);
	spin_lock_init(&rdi->n_cqs_lock);
	spin_lock_init(&rdi->n_pds_lock);
	rdi->n_ahs_allocated = 0;
	rdi->n_cqs_allocated = 0;
	rdi->n_pds_allocated = 0;
	rvt_driver_srq_init(rdi);
	rvt_driver_mcast_init(rdi);
	rvt_mmap_init(rdi);
	rvt_late_init(rdi);
	xa_init_flags(&rdi->ah_nums, XA_FLAGS_ALLOC);
}

/* What the device can do, where the driver has left it to us. */
static void fill_defaults(struct rvt_dev_info *rdi)
{
	struct ib_cq_caps *caps = &rdi->dparms.props.cq_caps;

	if (!caps->max_cq_moderation_count && !caps->max_cq_moderation_period) {
		caps->max_cq_moderation_count = U16_MAX;
		caps->max_cq_moderation_period = U16_MAX;
	}
	rdi->ibdev.node_type = RDMA_NODE_IB_CA;
	if (!rdi->ibdev.num_comp_vectors)
		rdi->ibdev.num_comp_vectors = 1;
	if (!rdi->ibdev.phys_port_cnt)
		rdi->ibdev.phys_port_cnt = (u32)rdi->dparms.nports;
}

int rvt_register_device(struct rvt_dev_info *rdi)
{
	struct base_cause of_caller;
	int ret;

	if (!rdi)
		return base_refuse(-EINVAL, DRIVER_NONE);
	for (int verb = 0; verb < _VERB_IDX_MAX; verb++) {
		ret = check_support(rdi, verb);
		if (ret)
			return ret;
	}
	ib_set_device_ops(&rdi->ibdev, &rvt_dev_ops);
	init_counters(rdi);
	fill_defaults(rdi);
	if (rvt_driver_qp_init(rdi))
		return -EINVAL;
	ret = rvt_driver_mr_init(rdi);
	if (ret)
		goto qp;
	ret = rvt_wss_init(rdi);
	if (ret)
		goto mr;
	ret = rvt_driver_cq_init();
	if (ret)
		goto wss;
	ret = ib_register_device(&rdi->ibdev, rvt_get_ibdev_name(rdi), NULL);
	if (ret)
		goto cq;
	/* Nobody needs the agents but who sends traps. */
	of_caller = *base_cause_last();
	if (rvt_create_mad_agents(rdi))
		base_cause_set_last(&of_caller);
	return 0;

cq:
	rvt_cq_exit();
wss:
	rvt_wss_exit(rdi);
mr:
	rvt_mr_exit(rdi);
qp:
	rvt_qp_exit(rdi);
	return ret;
}

/* A QP that outlives its device carries out nothing any more: what was queued is flushed. */
static void fail_qp(struct rvt_qp *qp, u64 device_index)
{
	int last_wqe;

	rvt_qp_lock(qp);
	rvt_qp_blame_row(qp, DEVICE_REMOVED, device_index);
	last_wqe = rvt_error_qp(qp, IB_WC_WR_FLUSH_ERR);
	rvt_qp_unlock(qp);
	if (last_wqe)
		rvt_qp_raise(qp, IB_EVENT_QP_LAST_WQE_REACHED);
}

/* No object is left that needs the tables to be destroyed. */
static void free_tables(struct ib_device *ibdev)
{
	struct rvt_dev_info *rdi = ib_to_rvt(ibdev);

	rvt_late_exit(rdi);
	xa_destroy(&rdi->ah_nums);
	rvt_cq_exit();
	rvt_wss_exit(rdi);
	rvt_mr_exit(rdi);
	rvt_qp_exit(rdi);
}

void rvt_unregister_device(struct rvt_dev_info *rdi)
{
	if (!rdi)
		return;
	rvt_free_mad_agents(rdi);
	ib_unregister_device(&rdi->ibdev);
	rvt_qp_iter(rdi, rdi->ibdev.index, fail_qp);
	ib_device_when_idle(&rdi->ibdev, free_tables);
}

int rvt_init_port(struct rvt_dev_info *rdi, struct rvt_ibport *port, int port_index,
		  u16 *pkey_table)
{
	rdi->ports[port_index] = port;
	port->pkey_table = pkey_table;
	return 0;
}
