// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Addresses from what the SA has told. */
#include <linux/err.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_sa.h>

#include "base/cause.h"

/* The bits of a LID that are the port's to choose. */
static u8 path_bits(struct ib_device *device, u32 port_num, const struct sa_path_rec *rec)
{
	u8 lmc;

	if (ib_get_cached_lmc(device, port_num, &lmc))
		return 0;
	return (u8)(be32_to_cpu(sa_path_get_slid(rec)) & ((1u << lmc) - 1));
}

static enum ib_gid_type gid_type_of(const struct sa_path_rec *rec)
{
	switch (rec->rec_type) {
	case SA_PATH_REC_TYPE_IB:
	case SA_PATH_REC_TYPE_OPA:
		return IB_GID_TYPE_IB;
	case SA_PATH_REC_TYPE_ROCE_V1:
		return IB_GID_TYPE_ROCE;
	case SA_PATH_REC_TYPE_ROCE_V2:
		return IB_GID_TYPE_ROCE_UDP_ENCAP;
	}
	return IB_GID_TYPE_IB;
}

static int set_grh(struct ib_device *device, u32 port_num, struct sa_path_rec *rec,
		   struct rdma_ah_attr *ah_attr, const struct ib_gid_attr *gid_attr)
{
	if (gid_attr)
		rdma_hold_gid_attr(gid_attr);
	else
		gid_attr =
			rdma_find_gid_by_port(device, &rec->sgid, gid_type_of(rec), port_num, NULL);
	if (IS_ERR(gid_attr))
		return (int)PTR_ERR(gid_attr);
	rdma_move_grh_sgid_attr(ah_attr, &rec->dgid, be32_to_cpu(rec->flow_label), rec->hop_limit,
				rec->traffic_class, gid_attr);
	return 0;
}

int ib_init_ah_attr_from_path(struct ib_device *device, u32 port_num, struct sa_path_rec *rec,
			      struct rdma_ah_attr *ah_attr, const struct ib_gid_attr *sgid_attr)
{
	memset(ah_attr, 0, sizeof(*ah_attr));
	ah_attr->type = rdma_ah_find_type(device, port_num);
	rdma_ah_set_sl(ah_attr, rec->sl);
	rdma_ah_set_port_num(ah_attr, port_num);
	rdma_ah_set_static_rate(ah_attr, rec->rate);
	if (sa_path_is_roce(rec)) {
		if (!rec->roce.route_resolved)
			return base_refuse(-EINVAL, SA_NO_DMAC);
		memcpy(ah_attr->roce.dmac, rec->roce.dmac, sizeof(ah_attr->roce.dmac));
	} else {
		rdma_ah_set_dlid(ah_attr, be32_to_cpu(sa_path_get_dlid(rec)));
		rdma_ah_set_path_bits(ah_attr, path_bits(device, port_num, rec));
	}
	if (!rec->hop_limit && !sa_path_is_roce(rec))
		return 0;
	return set_grh(device, port_num, rec, ah_attr, sgid_attr);
}

int ib_init_ah_from_mcmember(struct ib_device *device, u32 port_num, struct ib_sa_mcmember_rec *rec,
			     struct net_device *ndev, enum ib_gid_type gid_type,
			     struct rdma_ah_attr *ah_attr)
{
	const struct ib_gid_attr *gid_attr =
		rdma_find_gid_by_port(device, &rec->port_gid, gid_type, port_num, ndev);

	if (IS_ERR(gid_attr))
		return (int)PTR_ERR(gid_attr);
	memset(ah_attr, 0, sizeof(*ah_attr));
	ah_attr->type = rdma_ah_find_type(device, port_num);
	rdma_ah_set_dlid(ah_attr, be16_to_cpu(rec->mlid));
	rdma_ah_set_sl(ah_attr, rec->sl);
	rdma_ah_set_port_num(ah_attr, port_num);
	rdma_ah_set_static_rate(ah_attr, rec->rate);
	rdma_move_grh_sgid_attr(ah_attr, &rec->mgid, be32_to_cpu(rec->flow_label), rec->hop_limit,
				rec->traffic_class, gid_attr);
	return 0;
}
