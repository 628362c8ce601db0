// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What netlink tells of devices and ports. */
#include "uabi/facts.h"

#include <rdma/ib_verbs.h>
#include <stdio.h>

#include "uabi/uverbs.h"

_Static_assert(UABI_NAME_BYTES >= IB_DEVICE_NAME_MAX, "names fit");
_Static_assert(UABI_NAME_BYTES >= IB_FW_VERSION_NAME_MAX, "firmware versions fit");

bool uabi_device_facts(unsigned int minor, struct uabi_device_facts *facts)
{
	struct ib_device *device = uverbs_device_get(minor);

	if (!device)
		return false;
	*facts = (struct uabi_device_facts){
		.index = device->index,
		.minor = minor,
		.ports = rdma_end_port(device),
		.cap_flags = device->attrs.device_cap_flags,
		.node_guid = be64_to_cpu(device->node_guid),
		.sys_image_guid = be64_to_cpu(device->attrs.sys_image_guid),
		.number = uverbs_devt(minor),
		.abi = device->ops.uverbs_abi_ver,
		.driver_id = device->ops.driver_id,
		.node_type = device->node_type,
		.roce = rdma_protocol_roce(device, rdma_start_port(device)),
	};
	snprintf(facts->name, sizeof(facts->name), "%s", device->name);
	ib_get_device_fw_str(device, facts->fw_ver);
	ib_device_put(device);
	return true;
}

bool uabi_port_facts(unsigned int minor, u32 port, struct uabi_port_facts *facts)
{
	struct ib_device *device = uverbs_device_get(minor);
	struct ib_port_attr attr;
	int ret;

	if (!device)
		return false;
	ret = ib_query_port(device, port, &attr);
	ib_device_put(device);
	if (ret)
		return false;
	*facts = (struct uabi_port_facts){
		.cap_flags = attr.port_cap_flags,
		.subnet_prefix = attr.subnet_prefix,
		.lid = attr.lid,
		.sm_lid = attr.sm_lid,
		.lmc = attr.lmc,
		.state = (u8)attr.state,
		.phys_state = attr.phys_state,
	};
	return true;
}
