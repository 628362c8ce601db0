/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Multicast groups of UD QPs. */
#include <rdma/ib_verbs.h>
#include <rdma/ib_addr.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

#define MCAST_LID_FIRST 0xc000
#define MCAST_LID_LAST 0xfffe

/* Ethernet has no LIDs. A QP whose port is not known yet may come to be on any port. */
static bool may_be_ethernet(struct ib_qp *qp)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	u32 port;

	if (!ib_query_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT, &init_attr) &&
	    attr.qp_state >= IB_QPS_INIT && rdma_is_port_valid(qp->device, attr.port_num))
		return rdma_port_get_link_layer(qp->device, attr.port_num) !=
		       IB_LINK_LAYER_INFINIBAND;
	rdma_for_each_port(qp->device, port) {
		if (rdma_port_get_link_layer(qp->device, port) != IB_LINK_LAYER_INFINIBAND)
			return true;
	}
	return false;
}

static int check_group(struct ib_qp *qp, const union ib_gid *gid, u16 lid)
{
	struct in6_addr ip;

	memcpy(&ip, gid->raw, sizeof(ip));
	if (!rdma_is_multicast_addr(&ip))
		return base_refuse_qp(-EINVAL, qp->qp_num, MCAST_GID,
				      be64_to_cpu(gid->global.subnet_prefix),
				      be64_to_cpu(gid->global.interface_id));
	if (qp->qp_type != IB_QPT_UD)
		return base_refuse_qp(-EINVAL, qp->qp_num, MCAST_QP_TYPE, qp->qp_type);
	if ((lid < MCAST_LID_FIRST || lid > MCAST_LID_LAST) && !may_be_ethernet(qp))
		return base_refuse_qp(-EINVAL, qp->qp_num, MCAST_LID, lid);
	return 0;
}

int ib_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret;

	if (!qp->device->ops.attach_mcast)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	ret = check_group(qp, gid, lid);
	if (ret)
		return ret;
	ret = qp->device->ops.attach_mcast(qp, gid, lid);
	if (!ret)
		atomic_inc(&qp->usecnt);
	return ret;
}

int ib_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret;

	if (!qp->device->ops.detach_mcast)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	ret = check_group(qp, gid, lid);
	if (ret)
		return ret;
	ret = qp->device->ops.detach_mcast(qp, gid, lid);
	if (!ret)
		atomic_dec(&qp->usecnt);
	return ret;
}
