// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Addresses of the uABI. */
#include "uabi/uverbs_address.h"

#include <string.h>

static void set_route(struct rdma_ah_attr *to, const u8 *raw_dgid, u32 flow_label, u8 sgid_index,
		      u8 hop_limit, u8 traffic_class)
{
	union ib_gid dgid;

	memcpy(dgid.raw, raw_dgid, sizeof(dgid.raw));
	rdma_ah_set_grh(to, &dgid, flow_label, sgid_index, hop_limit, traffic_class);
}

void uverbs_address_of_ah(struct ib_device *device, const struct ib_uverbs_ah_attr *from,
			  struct rdma_ah_attr *to)
{
	*to = (struct rdma_ah_attr){.type = rdma_ah_find_type(device, from->port_num)};
	rdma_ah_set_dlid(to, from->dlid);
	rdma_ah_set_path_bits(to, from->src_path_bits);
	rdma_ah_set_sl(to, from->sl);
	rdma_ah_set_static_rate(to, from->static_rate);
	rdma_ah_set_port_num(to, from->port_num);
	if (from->is_global)
		set_route(to, from->grh.dgid, from->grh.flow_label, from->grh.sgid_index,
			  from->grh.hop_limit, from->grh.traffic_class);
}

void uverbs_address_of_qp(struct ib_device *device, const struct ib_uverbs_qp_dest *from,
			  struct rdma_ah_attr *to)
{
	*to = (struct rdma_ah_attr){.type = rdma_ah_find_type(device, from->port_num)};
	rdma_ah_set_dlid(to, from->dlid);
	rdma_ah_set_path_bits(to, from->src_path_bits);
	rdma_ah_set_sl(to, from->sl);
	rdma_ah_set_static_rate(to, from->static_rate);
	rdma_ah_set_port_num(to, from->port_num);
	if (from->is_global)
		set_route(to, from->dgid, from->flow_label, from->sgid_index, from->hop_limit,
			  from->traffic_class);
}

void uverbs_address_to_qp(const struct rdma_ah_attr *from, struct ib_uverbs_qp_dest *to)
{
	*to = (struct ib_uverbs_qp_dest){
		.dlid = (u16)rdma_ah_get_dlid(from),
		.sl = rdma_ah_get_sl(from),
		.src_path_bits = rdma_ah_get_path_bits(from),
		.static_rate = rdma_ah_get_static_rate(from),
		.is_global = (rdma_ah_get_ah_flags(from) & IB_AH_GRH) != 0,
		.port_num = (u8)rdma_ah_get_port_num(from),
	};
	if (!to->is_global)
		return;
	memcpy(to->dgid, from->grh.dgid.raw, sizeof(to->dgid));
	to->flow_label = from->grh.flow_label;
	to->sgid_index = from->grh.sgid_index;
	to->hop_limit = from->grh.hop_limit;
	to->traffic_class = from->grh.traffic_class;
}
