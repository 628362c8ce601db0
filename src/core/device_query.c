/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What a device and its ports say about themselves, and what may be changed about them. */
#include "core/device_priv.h"

#include <linux/bug.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad_consts.h>
#include <string.h>

#include "base/cause.h"
#include "core/cache_priv.h"

#define PKEY_MEMBER 0x8000u
#define PKEY_BITS 0x7fffu

int core_port_check(const struct ib_device *device, u32 port_num)
{
	if (device->port_data && rdma_is_port_valid(device, port_num))
		return 0;
	return base_refuse(-EINVAL, PORT_RANGE, port_num, rdma_start_port(device),
			   rdma_end_port(device));
}

int ib_query_port(struct ib_device *device, u32 port_num, struct ib_port_attr *port_attr)
{
	int ret = core_port_check(device, port_num);

	if (ret)
		return ret;
	memset(port_attr, 0, sizeof(*port_attr));
	if (!device->ops.query_port)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	ret = device->ops.query_port(device, port_num, port_attr);
	if (ret || port_attr->subnet_prefix ||
	    rdma_port_get_link_layer(device, port_num) != IB_LINK_LAYER_INFINIBAND)
		return ret;
	port_attr->subnet_prefix = core_cached_subnet_prefix(device, port_num);
	return 0;
}

int ib_query_pkey(struct ib_device *device, u32 port_num, u16 index, u16 *pkey)
{
	const int ret = core_port_check(device, port_num);

	if (ret)
		return ret;
	if (!device->ops.query_pkey)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return device->ops.query_pkey(device, port_num, index, pkey);
}

static int find_gid_on_port(struct ib_device *device, u32 port, const union ib_gid *gid)
{
	const int count = device->port_data[port].immutable.gid_tbl_len;
	union ib_gid at;

	for (int i = 0; i < count; i++)
		if (!rdma_query_gid(device, port, i, &at) && !memcmp(&at, gid, sizeof(at)))
			return i;
	return -1;
}

int ib_find_gid(struct ib_device *device, union ib_gid *gid, u32 *port_num, u16 *index)
{
	u32 port;

	if (core_port_check(device, rdma_start_port(device)))
		return -ENOENT;
	rdma_for_each_port(device, port) {
		int found = -1;

		if (rdma_protocol_ib(device, port))
			found = find_gid_on_port(device, port, gid);
		if (found < 0)
			continue;
		*port_num = port;
		if (index)
			*index = (u16)found;
		return 0;
	}
	return base_refuse(-ENOENT, GID_NOT_FOUND, be64_to_cpu(gid->global.subnet_prefix),
			   be64_to_cpu(gid->global.interface_id));
}

int ib_find_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	int ret = core_port_check(device, port_num), limited = -1;

	if (ret)
		return ret;
	for (int i = 0; i < device->port_data[port_num].immutable.pkey_tbl_len; i++) {
		u16 at;

		ret = ib_query_pkey(device, port_num, (u16)i, &at);
		if (ret)
			return ret;
		if ((at & PKEY_BITS) != (pkey & PKEY_BITS))
			continue;
		if (at & PKEY_MEMBER) {
			*index = (u16)i;
			return 0;
		}
		if (limited < 0)
			limited = i;
	}
	if (limited < 0)
		return base_refuse(-ENOENT, PKEY_NOT_FOUND, pkey, port_num);
	*index = (u16)limited;
	return 0;
}

int ib_modify_device(struct ib_device *device, int device_modify_mask,
		     struct ib_device_modify *device_modify)
{
	if (!device->ops.modify_device)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	return device->ops.modify_device(device, device_modify_mask, device_modify);
}

/* A RoCE port has no capability mask on a wire, but CM announces itself there. */
static bool concerns_cm_only(const struct ib_port_modify *modify)
{
	const u32 cm = IB_PORT_CM_SUP;

	return !((modify->set_port_cap_mask | modify->clr_port_cap_mask) & ~cm);
}

int ib_modify_port(struct ib_device *device, u32 port_num, int port_modify_mask,
		   struct ib_port_modify *port_modify)
{
	const int ret = core_port_check(device, port_num);

	if (ret)
		return ret;
	if (device->ops.modify_port)
		return device->ops.modify_port(device, port_num, port_modify_mask, port_modify);
	if (rdma_protocol_roce(device, port_num) && !port_modify_mask &&
	    concerns_cm_only(port_modify))
		return 0;
	return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
}

void ib_get_device_fw_str(struct ib_device *device, char *str)
{
	if (device->ops.get_dev_fw_str)
		device->ops.get_dev_fw_str(device, str);
	else
		str[0] = '\0';
}

const struct ib_port_immutable *ib_port_immutable_read(struct ib_device *dev, unsigned int port)
{
	WARN_ON(!rdma_is_port_valid(dev, port));
	return &dev->port_data[port].immutable;
}

int ib_dma_virt_map_sg(struct ib_device *dev, struct scatterlist *sg, int nents)
{
	struct scatterlist *at;
	int i;

	(void)dev;
	for_each_sg(sg, at, nents, i) {
		sg_dma_address(at) = (uintptr_t)sg_virt(at);
		sg_dma_len(at) = at->length;
	}
	return nents;
}
