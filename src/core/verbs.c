/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The verbs that start it all: ib_post_send() and its like hand a chain to the provider, with
 * nothing in between. Then protection domains, and what kind of port a port is.
 */
#include <rdma/ib_verbs.h>
#include <rdma/ib_verbs_user.h>

#include "base/cause.h"
#include "core/verbs_priv.h"

int ib_post_send(struct ib_qp *qp, const struct ib_send_wr *send_wr,
		 const struct ib_send_wr **bad_send_wr)
{
	const struct ib_send_wr *unused;

	return READ_ONCE(qp->device->ops.post_send)(qp, send_wr, bad_send_wr ?: &unused);
}

int ib_post_recv(struct ib_qp *qp, const struct ib_recv_wr *recv_wr,
		 const struct ib_recv_wr **bad_recv_wr)
{
	const struct ib_recv_wr *unused;

	return READ_ONCE(qp->device->ops.post_recv)(qp, recv_wr, bad_recv_wr ?: &unused);
}

static bool has_device_lkey(const struct ib_device *device)
{
	return device->attrs.kernel_cap_flags & IBK_LOCAL_DMA_LKEY;
}

/* The MR over all memory, where the device has no key for that, or a remote one is asked for. */
static int make_internal_mr(struct ib_pd *pd, unsigned int flags)
{
	struct ib_device *device = pd->device;
	int access = IB_ACCESS_LOCAL_WRITE;
	struct ib_mr *mr;

	if (flags & IB_PD_UNSAFE_GLOBAL_RKEY)
		access |= IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE;
	else if (has_device_lkey(device))
		return 0;
	if (!device->ops.get_dma_mr)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	mr = device->ops.get_dma_mr(pd, access);
	if (IS_ERR(mr))
		return (int)PTR_ERR(mr);
	mr->device = device;
	mr->pd = pd;
	mr->type = IB_MR_TYPE_DMA;
	mr->uobject = NULL;
	mr->need_inval = false;
	pd->__internal_mr = mr;
	return 0;
}

struct ib_pd *__ib_alloc_pd(struct ib_device *device, unsigned int flags, const char *caller)
{
	struct ib_pd *pd;
	int ret;

	pd = ib_alloc_pd_user(device, NULL, NULL);
	if (IS_ERR(pd))
		return pd;
	pd->flags = flags;
	ret = make_internal_mr(pd, flags);
	if (ret) {
		ib_dealloc_pd(pd);
		return ERR_PTR(ret);
	}
	pd->local_dma_lkey = has_device_lkey(device) ? device->local_dma_lkey
						     : pd->__internal_mr->lkey;
	if (flags & IB_PD_UNSAFE_GLOBAL_RKEY) {
		pr_warn("%s: all memory is open to remote access by a PD of %s\n", device->name,
			caller);
		pd->unsafe_global_rkey = pd->__internal_mr->rkey;
	}
	return pd;
}

int ib_dealloc_pd_user(struct ib_pd *pd, struct ib_udata *udata)
{
	struct ib_device *device = pd->device;
	const int users = atomic_read(&pd->usecnt);
	int ret;

	if (users)
		return base_refuse(-EBUSY, PD_IN_USE, (u32)users);
	if (pd->__internal_mr) {
		ret = device->ops.dereg_mr(pd->__internal_mr, NULL);
		WARN_ON(ret);
		pd->__internal_mr = NULL;
	}
	ret = device->ops.dealloc_pd ? device->ops.dealloc_pd(pd, udata) : 0;
	if (ret)
		return ret;
	core_object_free(device, pd);
	return 0;
}

enum rdma_transport_type rdma_node_get_transport(unsigned int node_type)
{
	switch (node_type) {
	case RDMA_NODE_RNIC:
		return RDMA_TRANSPORT_IWARP;
	case RDMA_NODE_USNIC:
		return RDMA_TRANSPORT_USNIC;
	case RDMA_NODE_USNIC_UDP:
		return RDMA_TRANSPORT_USNIC_UDP;
	case RDMA_NODE_UNSPECIFIED:
		return RDMA_TRANSPORT_UNSPECIFIED;
	default: /* a number, not an enum: all others are InfiniBand's */
		return RDMA_TRANSPORT_IB;
	}
}

enum rdma_link_layer rdma_port_get_link_layer(struct ib_device *device, u32 port_num)
{
	if (device->ops.get_link_layer)
		return device->ops.get_link_layer(device, port_num);
	if (rdma_node_get_transport(device->node_type) == RDMA_TRANSPORT_IB)
		return IB_LINK_LAYER_INFINIBAND;
	return IB_LINK_LAYER_ETHERNET;
}
