/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What netlink tells of a device, as plain data: <rdma/rdma_netlink.h> and <rdma/ib_verbs.h> both
 * define the kinds of nodes, so no file can include both.
 */
#ifndef UABI_FACTS_H
#define UABI_FACTS_H

#include <linux/types.h>

#define UABI_NAME_BYTES 64

/**
 * struct uabi_device_facts - A device. GUIDs are in host order.
 * @index: Its number in core.
 * @minor: Its minor number.
 * @name: Its name.
 * @fw_ver: Firmware version as text, or "".
 * @ports: How many.
 * @cap_flags: Capabilities.
 * @node_guid: GUID.
 * @sys_image_guid: System image GUID.
 * @number: Of the character device.
 * @abi: Version of the provider's ABI.
 * @driver_id: enum rdma_driver_id.
 * @node_type: Kind of node.
 * @roce: Its ports are Ethernet.
 */
struct uabi_device_facts {
	u32 index;
	unsigned int minor;
	char name[UABI_NAME_BYTES];
	char fw_ver[UABI_NAME_BYTES];
	u32 ports;
	u64 cap_flags;
	u64 node_guid;
	u64 sys_image_guid;
	dev_t number;
	u32 abi;
	u32 driver_id;
	u8 node_type;
	bool roce;
};

/**
 * struct uabi_port_facts - A port.
 * @cap_flags: CapabilityMask.
 * @subnet_prefix: Host order.
 * @lid: LID.
 * @sm_lid: Of the subnet manager.
 * @lmc: LID mask count.
 * @state: enum ib_port_state.
 * @phys_state: enum ib_port_phys_state.
 */
struct uabi_port_facts {
	u32 cap_flags;
	u64 subnet_prefix;
	u32 lid;
	u32 sm_lid;
	u8 lmc;
	u8 state;
	u8 phys_state;
};

/** uabi_device_facts() - Of the device with a minor number. Returns whether there is one. */
bool uabi_device_facts(unsigned int minor, struct uabi_device_facts *facts);

/** uabi_port_facts() - Of one of its ports. Returns whether it could be asked. */
bool uabi_port_facts(unsigned int minor, u32 port, struct uabi_port_facts *facts);

#endif
