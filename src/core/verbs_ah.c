/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Addresses and address handles: checks, references to source GIDs, create, change, destroy. */
#include <rdma/ib_verbs.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "core/verbs_priv.h"

static int (*find_neighbour)(const struct ib_gid_attr *sgid_attr, const union ib_gid *dgid,
			     u8 *dmac, u8 *hop_limit);

void core_neighbour_install(int (*find)(const struct ib_gid_attr *sgid_attr,
					const union ib_gid *dgid, u8 *dmac, u8 *hop_limit))
{
	find_neighbour = find;
}

void rdma_copy_ah_attr(struct rdma_ah_attr *dest, const struct rdma_ah_attr *src)
{
	*dest = *src;
	if (dest->grh.sgid_attr)
		rdma_hold_gid_attr(dest->grh.sgid_attr);
}

void rdma_replace_ah_attr(struct rdma_ah_attr *old, const struct rdma_ah_attr *replacement)
{
	rdma_destroy_ah_attr(old);
	rdma_copy_ah_attr(old, replacement);
}

void rdma_move_ah_attr(struct rdma_ah_attr *dest, struct rdma_ah_attr *src)
{
	rdma_destroy_ah_attr(dest);
	*dest = *src;
	src->grh.sgid_attr = NULL;
}

void rdma_destroy_ah_attr(struct rdma_ah_attr *ah_attr)
{
	if (ah_attr->grh.sgid_attr)
		rdma_put_gid_attr(ah_attr->grh.sgid_attr);
	ah_attr->grh.sgid_attr = NULL;
}

void rdma_move_grh_sgid_attr(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 flow_label,
			     u8 hop_limit, u8 traffic_class, const struct ib_gid_attr *sgid_attr)
{
	rdma_ah_set_grh(attr, dgid, flow_label, (u8)sgid_attr->index, hop_limit, traffic_class);
	attr->grh.sgid_attr = sgid_attr;
}

static int check_ah_attr(struct ib_device *device, const struct rdma_ah_attr *ah_attr)
{
	const struct ib_gid_attr *sgid_attr = ah_attr->grh.sgid_attr;
	const u32 port = ah_attr->port_num;

	if (!rdma_is_port_valid(device, port))
		return base_refuse(-EINVAL, AH_PORT, port, rdma_start_port(device),
				   rdma_end_port(device));
	if (!(ah_attr->ah_flags & IB_AH_GRH) &&
	    (rdma_is_grh_required(device, port) || ah_attr->type == RDMA_AH_ATTR_TYPE_ROCE))
		return base_refuse(-EINVAL, AH_NO_GRH, port);
	if (sgid_attr &&
	    (sgid_attr->index != ah_attr->grh.sgid_index || sgid_attr->port_num != port))
		return base_refuse(-EINVAL, AH_SGID_ATTR, sgid_attr->index, sgid_attr->port_num,
				   ah_attr->grh.sgid_index, port);
	return 0;
}

int core_ah_attr_fill(struct ib_device *device, struct rdma_ah_attr *ah_attr,
		      const struct ib_gid_attr **old)
{
	const struct ib_gid_attr *sgid_attr;
	int ret = check_ah_attr(device, ah_attr);

	if (ret)
		return ret;
	*old = ah_attr->grh.sgid_attr;
	if (!(ah_attr->ah_flags & IB_AH_GRH) || *old)
		return 0;
	sgid_attr = rdma_get_gid_attr(device, ah_attr->port_num, ah_attr->grh.sgid_index);
	if (IS_ERR(sgid_attr))
		return (int)PTR_ERR(sgid_attr);
	ah_attr->grh.sgid_attr = sgid_attr;
	return 0;
}

void core_ah_attr_unfill(struct rdma_ah_attr *ah_attr, const struct ib_gid_attr *old)
{
	if (ah_attr->grh.sgid_attr == old)
		return;
	rdma_destroy_ah_attr(ah_attr);
	ah_attr->grh.sgid_attr = old;
}

const struct ib_gid_attr *core_ah_attr_exchange(const struct rdma_ah_attr *ah_attr,
						const struct ib_gid_attr *held)
{
	const struct ib_gid_attr *fresh = NULL;

	if (ah_attr->ah_flags & IB_AH_GRH)
		fresh = ah_attr->grh.sgid_attr;
	if (fresh)
		rdma_hold_gid_attr(fresh);
	if (held)
		rdma_put_gid_attr(held);
	return fresh;
}

/* The MAC of one host: made from a link-local address where that is the rule, else looked up. */
static int resolve_unicast(struct rdma_ah_attr *ah_attr)
{
	struct ib_global_route *grh = rdma_ah_retrieve_grh(ah_attr);
	u8 hop_limit = grh->hop_limit;
	struct in6_addr ip;
	int ret = -EHOSTUNREACH;

	memcpy(&ip, grh->dgid.raw, sizeof(ip));
	if (grh->sgid_attr->gid_type == IB_GID_TYPE_ROCE && rdma_link_local_addr(&ip)) {
		rdma_get_ll_mac(&ip, ah_attr->roce.dmac);
		return 0;
	}
	if (find_neighbour)
		ret = find_neighbour(grh->sgid_attr, &grh->dgid, ah_attr->roce.dmac, &hop_limit);
	if (ret)
		return base_refuse(ret, AH_NO_NEIGHBOUR,
				   be64_to_cpu(grh->dgid.global.subnet_prefix),
				   be64_to_cpu(grh->dgid.global.interface_id));
	grh->hop_limit = hop_limit;
	return 0;
}

/* RFC 1112 6.4: the lower 23 bits of the group follow 01-00-5e. */
static void map_ipv4_group(const struct in6_addr *ip, u8 *dmac)
{
	dmac[0] = 0x01;
	dmac[1] = 0x00;
	dmac[2] = 0x5e;
	dmac[3] = ip->s6_addr[13] & 0x7f;
	dmac[4] = ip->s6_addr[14];
	dmac[5] = ip->s6_addr[15];
}

int core_ah_attr_resolve_dmac(struct ib_device *device, struct rdma_ah_attr *ah_attr)
{
	const union ib_gid *dgid = &ah_attr->grh.dgid;
	struct in6_addr ip;

	if (!rdma_is_port_valid(device, ah_attr->port_num))
		return base_refuse(-EINVAL, AH_PORT, ah_attr->port_num, rdma_start_port(device),
				   rdma_end_port(device));
	memcpy(&ip, dgid->raw, sizeof(ip));
	if (!rdma_is_multicast_addr(&ip))
		return resolve_unicast(ah_attr);
	if (ipv6_addr_v4mapped(&ip))
		map_ipv4_group(&ip, ah_attr->roce.dmac);
	else
		rdma_get_mcast_mac(&ip, ah_attr->roce.dmac);
	return 0;
}

static int call_create(struct ib_ah *ah, struct rdma_ah_init_attr *init_attr,
		       struct ib_udata *udata)
{
	const struct ib_device_ops *ops = &ah->device->ops;

	if (udata && ops->create_user_ah)
		return ops->create_user_ah(ah, init_attr, udata);
	if (!ops->create_ah)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return ops->create_ah(ah, init_attr, NULL);
}

/* @ah_attr is complete: its source GID, if it has a GRH, is referenced. */
static struct ib_ah *create_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr, u32 flags,
			       struct ib_udata *udata)
{
	struct rdma_ah_init_attr init_attr = {.ah_attr = ah_attr, .flags = flags};
	struct ib_device *device = pd->device;
	struct ib_ah *ah = core_object_new(device, ib_ah);
	int ret;

	if (IS_ERR(ah))
		return ah;
	ah->device = device;
	ah->pd = pd;
	ah->type = ah_attr->type;
	ah->sgid_attr = core_ah_attr_exchange(ah_attr, NULL);
	ret = call_create(ah, &init_attr, udata);
	if (ret) {
		if (ah->sgid_attr)
			rdma_put_gid_attr(ah->sgid_attr);
		core_object_free(device, ah);
		return ERR_PTR(ret);
	}
	atomic_inc(&pd->usecnt);
	return ah;
}

struct ib_ah *rdma_create_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr, u32 flags)
{
	const struct ib_gid_attr *old;
	struct ib_ah *ah;
	int ret = core_ah_attr_fill(pd->device, ah_attr, &old);

	if (ret)
		return ERR_PTR(ret);
	ah = create_ah(pd, ah_attr, flags, NULL);
	core_ah_attr_unfill(ah_attr, old);
	return ah;
}

struct ib_ah *rdma_create_user_ah(struct ib_pd *pd, struct rdma_ah_attr *ah_attr,
				  struct ib_udata *udata)
{
	const struct ib_gid_attr *old;
	struct ib_ah *ah;
	int ret = core_ah_attr_fill(pd->device, ah_attr, &old);

	if (ret)
		return ERR_PTR(ret);
	if (ah_attr->type == RDMA_AH_ATTR_TYPE_ROCE)
		ret = core_ah_attr_resolve_dmac(pd->device, ah_attr);
	ah = ret ? ERR_PTR(ret) : create_ah(pd, ah_attr, RDMA_CREATE_AH_SLEEPABLE, udata);
	core_ah_attr_unfill(ah_attr, old);
	return ah;
}

int rdma_modify_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr)
{
	const struct ib_gid_attr *old;
	int ret;

	if (ah->type != ah_attr->type)
		return base_refuse(-EINVAL, AH_TYPE, ah_attr->type, ah->type);
	if (!ah->device->ops.modify_ah)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	ret = core_ah_attr_fill(ah->device, ah_attr, &old);
	if (ret)
		return ret;
	ret = ah->device->ops.modify_ah(ah, ah_attr);
	if (!ret) /* the kernel takes the new GID even if the provider refused: not here */
		ah->sgid_attr = core_ah_attr_exchange(ah_attr, ah->sgid_attr);
	core_ah_attr_unfill(ah_attr, old);
	return ret;
}

int rdma_query_ah(struct ib_ah *ah, struct rdma_ah_attr *ah_attr)
{
	ah_attr->grh.sgid_attr = NULL;
	if (!ah->device->ops.query_ah)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return ah->device->ops.query_ah(ah, ah_attr);
}

int rdma_destroy_ah_user(struct ib_ah *ah, u32 flags, struct ib_udata *udata)
{
	const struct ib_gid_attr *sgid_attr = ah->sgid_attr;
	struct ib_device *device = ah->device;
	struct ib_pd *pd = ah->pd;
	int ret = 0;

	(void)udata;
	if (device->ops.destroy_ah)
		ret = device->ops.destroy_ah(ah, flags);
	if (ret)
		return ret;
	atomic_dec(&pd->usecnt);
	if (sgid_attr)
		rdma_put_gid_attr(sgid_attr);
	core_object_free(device, ah);
	return 0;
}
