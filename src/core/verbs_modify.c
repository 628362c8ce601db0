/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * ib_modify_qp(): what is the same for all providers, around the provider's own step. The provider
 * checks the change against verbs_qp_table.c, since only it knows the QP's state.
 */
#include <rdma/ib_verbs.h>
#include <rdma/ib_cache.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

#define PSN_BITS 0xffffffu

static bool is_connected(const struct ib_qp *qp)
{
	return qp->qp_type == IB_QPT_RC || qp->qp_type == IB_QPT_UC ||
	       qp->qp_type == IB_QPT_XRC_INI || qp->qp_type == IB_QPT_XRC_TGT;
}

/* [sm 4]: the source GID of the primary path, and for a process its destination's MAC. */
static int take_av(struct ib_qp *qp, struct ib_qp_attr *attr, struct ib_udata *udata,
		   const struct ib_gid_attr **old)
{
	int ret = core_ah_attr_fill(qp->device, &attr->ah_attr, old);

	if (ret)
		return ret;
	if (!udata || attr->ah_attr.type != RDMA_AH_ATTR_TYPE_ROCE || !is_connected(qp))
		return 0;
	ret = core_ah_attr_resolve_dmac(qp->device, &attr->ah_attr);
	if (ret)
		core_ah_attr_unfill(&attr->ah_attr, *old);
	return ret;
}

static bool is_ib_port(struct ib_device *device, u32 port)
{
	return rdma_is_port_valid(device, port) && rdma_protocol_ib(device, port);
}

/* [sm 4]: the same for the alternate path, which only InfiniBand has. */
static int take_alt_path(struct ib_qp *qp, struct ib_qp_attr *attr, u32 port,
			 const struct ib_gid_attr **old)
{
	int ret = core_ah_attr_fill(qp->device, &attr->alt_ah_attr, old);

	if (ret)
		return ret;
	if (is_ib_port(qp->device, attr->alt_ah_attr.port_num) && is_ib_port(qp->device, port))
		return 0;
	core_ah_attr_unfill(&attr->alt_ah_attr, *old);
	return base_refuse_qp(-EINVAL, qp->qp_num, MODIFY_ALT_PATH, attr->alt_ah_attr.port_num,
			      port);
}

/* [sm 4] */
static void cut_psn(const struct ib_qp *qp, const char *name, u32 *psn)
{
	if (*psn <= PSN_BITS)
		return;
	pr_warn("QP %06x: %s %#x has more than 24 bits; cut\n", qp->qp_num, name, *psn);
	*psn &= PSN_BITS;
}

static int call_provider(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			 struct ib_udata *udata)
{
	int ret;

	if (mask & IB_QP_RQ_PSN)
		cut_psn(qp, "rq_psn", &attr->rq_psn);
	if (mask & IB_QP_SQ_PSN)
		cut_psn(qp, "sq_psn", &attr->sq_psn);
	ret = qp->device->ops.modify_qp(qp, attr, mask, udata);
	if (ret)
		return ret;
	if (mask & IB_QP_PORT)
		qp->port = attr->port_num;
	if (mask & IB_QP_AV)
		qp->av_sgid_attr = core_ah_attr_exchange(&attr->ah_attr, qp->av_sgid_attr);
	if (mask & IB_QP_ALT_PATH)
		qp->alt_path_sgid_attr =
			core_ah_attr_exchange(&attr->alt_ah_attr, qp->alt_path_sgid_attr);
	return 0;
}

static int modify_real_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	const u32 port = mask & IB_QP_PORT ? attr->port_num : qp->port;
	const struct ib_gid_attr *old_av, *old_alt;
	int ret;

	if (!qp->device->ops.modify_qp)
		return base_refuse_qp(-EOPNOTSUPP, qp->qp_num, NOT_SUPPORTED);
	if ((mask & IB_QP_PORT) && !rdma_is_port_valid(qp->device, port))
		return base_refuse_qp(-EINVAL, qp->qp_num, MODIFY_PORT, port,
				      rdma_start_port(qp->device), rdma_end_port(qp->device));
	attr->xmit_slave = NULL;
	if (mask & IB_QP_AV) {
		ret = take_av(qp, attr, udata, &old_av);
		if (ret)
			return ret;
	}
	if (mask & IB_QP_ALT_PATH) {
		ret = take_alt_path(qp, attr, port, &old_alt);
		if (ret)
			goto drop_av;
	}
	ret = call_provider(qp, attr, mask, udata);
	if (mask & IB_QP_ALT_PATH)
		core_ah_attr_unfill(&attr->alt_ah_attr, old_alt);
drop_av:
	if (mask & IB_QP_AV)
		core_ah_attr_unfill(&attr->ah_attr, old_av);
	return ret;
}

int ib_modify_qp_with_udata(struct ib_qp *qp, struct ib_qp_attr *attr, int attr_mask,
			    struct ib_udata *udata)
{
	return modify_real_qp(qp->real_qp, attr, attr_mask, udata);
}

int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask)
{
	return modify_real_qp(qp->real_qp, qp_attr, qp_attr_mask, NULL);
}
