// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Connecting two queue pairs of one process: the calls that a connection manager would make. */
#include <errno.h>

#include "base/cause.h"
#include "device/hca.h"
#include "verbena/verbena.h"

#define MAX_TIMEOUT 31
#define MAX_RETRIES_PLUS_ONE 8
#define ALL_ACCESS (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

static const struct verbena_connect_options defaults = {.timeout = 14,
							.retry_cnt = 8,
							.rnr_retry = 8,
							.min_rnr_timer = 1,
							.rd_atomic = 16,
							.access = ALL_ACCESS};

static struct verbena_connect_options with_defaults(const struct verbena_connect_options *options)
{
	struct verbena_connect_options o = options ? *options : defaults;

#define DEFAULT(field)                            \
	do {                                      \
		if (!o.field)                     \
			o.field = defaults.field; \
	} while (0)
	DEFAULT(timeout);
	DEFAULT(retry_cnt);
	DEFAULT(rnr_retry);
	DEFAULT(min_rnr_timer);
	DEFAULT(rd_atomic);
	DEFAULT(access);
#undef DEFAULT
	return o;
}

static int to_init(struct ib_qp *qp, const struct verbena_connect_options *o)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT,
				  .port_num = 1,
				  .pkey_index = o->pkey_index,
				  .qp_access_flags = o->access};

	return ib_modify_qp(qp, &attr,
			    IB_QP_STATE | IB_QP_PORT | IB_QP_PKEY_INDEX | IB_QP_ACCESS_FLAGS);
}

static int to_rtr(struct ib_qp *qp, const struct ib_qp *peer,
		  const struct verbena_connect_options *o, uint16_t peer_lid, uint32_t rq_psn)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTR,
				  .path_mtu = o->mtu,
				  .dest_qp_num = peer->qp_num,
				  .rq_psn = rq_psn,
				  .max_dest_rd_atomic = o->rd_atomic,
				  .min_rnr_timer = o->min_rnr_timer};
	int mask = IB_QP_STATE | IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN;

	attr.ah_attr.type = RDMA_AH_ATTR_TYPE_IB;
	rdma_ah_set_dlid(&attr.ah_attr, peer_lid);
	rdma_ah_set_port_num(&attr.ah_attr, 1);
	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER;
	return ib_modify_qp(qp, &attr, mask);
}

static int to_rts(struct ib_qp *qp, const struct verbena_connect_options *o, uint32_t sq_psn)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_RTS,
				  .sq_psn = sq_psn,
				  .timeout = o->timeout,
				  .retry_cnt = (u8)(o->retry_cnt - 1),
				  .rnr_retry = (u8)(o->rnr_retry - 1),
				  .max_rd_atomic = o->rd_atomic};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY | IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(qp, &attr, mask);
}

static int check(const struct ib_qp *a, const struct ib_qp *b,
		 const struct verbena_connect_options *o)
{
	if (a->qp_type != b->qp_type || (a->qp_type != IB_QPT_RC && a->qp_type != IB_QPT_UC))
		return base_refuse(-EINVAL, CONNECT_TYPES, (uint64_t)a->qp_type,
				   (uint64_t)b->qp_type);
	if (o->timeout > MAX_TIMEOUT)
		return base_refuse(-EINVAL, CONNECT_TIMEOUT, o->timeout, MAX_TIMEOUT);
	if (o->retry_cnt > MAX_RETRIES_PLUS_ONE || o->rnr_retry > MAX_RETRIES_PLUS_ONE)
		return base_refuse(-EINVAL, CONNECT_RETRIES, o->retry_cnt, o->rnr_retry,
				   MAX_RETRIES_PLUS_ONE);
	return 0;
}

static int check_fabrics(struct ib_qp *a, struct ib_qp *b)
{
	if (device_hca_fabric(device_hca_of(a->device)) !=
	    device_hca_fabric(device_hca_of(b->device)))
		return base_refuse(-EINVAL, CONNECT_FABRICS, a->qp_num, b->qp_num);
	return 0;
}

int verbena_qp_connect(struct ib_qp *a, struct ib_qp *b,
		       const struct verbena_connect_options *options)
{
	struct verbena_connect_options o = with_defaults(options);
	struct ib_port_attr port_a, port_b;
	int ret;

	if (!device_is_object(a) || !device_is_object(b))
		return -EINVAL;
	ret = check(a, b, &o);
	if (!ret)
		ret = ib_query_port(a->device, 1, &port_a);
	if (!ret)
		ret = ib_query_port(b->device, 1, &port_b);
	if (!ret)
		ret = check_fabrics(a, b);
	if (ret)
		return ret;
	if (!o.mtu)
		o.mtu = port_a.active_mtu < port_b.active_mtu ? port_a.active_mtu
							      : port_b.active_mtu;
	ret = to_init(a, &o);
	if (!ret)
		ret = to_init(b, &o);
	if (!ret)
		ret = to_rtr(a, b, &o, (uint16_t)port_b.lid, o.sq_psn_b);
	if (!ret)
		ret = to_rtr(b, a, &o, (uint16_t)port_a.lid, o.sq_psn_a);
	if (!ret)
		ret = to_rts(a, &o, o.sq_psn_a);
	if (!ret)
		ret = to_rts(b, &o, o.sq_psn_b);
	return ret;
}

int verbena_ud_ready(struct ib_qp *qp, uint32_t qkey)
{
	struct ib_qp_attr attr = {.qp_state = IB_QPS_INIT, .port_num = 1, .qkey = qkey};
	int ret;

	if (!device_is_object(qp))
		return -EINVAL;
	ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_PORT | IB_QP_PKEY_INDEX | IB_QP_QKEY);
	attr.qp_state = IB_QPS_RTR;
	if (!ret)
		ret = ib_modify_qp(qp, &attr, IB_QP_STATE);
	attr.qp_state = IB_QPS_RTS;
	if (!ret)
		ret = ib_modify_qp(qp, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
	return ret;
}
