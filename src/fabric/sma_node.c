// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* NodeInfo, NodeDescription, SwitchInfo, GUIDInfo. */
#include <string.h>

#include "base/alloc.h"
#include "fabric/sma.h"

#define REVISION 1u

__be16 sma_get_node_info(struct firmware_query *query)
{
	const struct subnet_node_config *c = &query->node->config;
	struct ib_node_info *info = (struct ib_node_info *)(void *)query->data;

	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->node_type = (u8)c->type;
	info->num_ports = c->ports;
	info->sys_guid = cpu_to_be64(c->system_guid);
	info->node_guid = cpu_to_be64(c->guid);
	info->port_guid = cpu_to_be64(subnet_end_of(query->node, query->in_port)->guid);
	info->partition_cap = cpu_to_be16(c->pkeys);
	info->device_id = cpu_to_be16(c->device_id);
	info->revision = cpu_to_be32(REVISION);
	info->local_port_num = query->in_port;
	info->vendor_id[0] = (u8)(c->vendor_id >> 16);
	info->vendor_id[1] = (u8)(c->vendor_id >> 8);
	info->vendor_id[2] = (u8)c->vendor_id;
	return query->modifier ? FIRMWARE_BAD_VALUE : FIRMWARE_OK;
}

__be16 sma_get_node_description(struct firmware_query *query)
{
	memcpy(query->data, query->node->config.description, SUBNET_DESCRIPTION_BYTES);
	return query->modifier ? FIRMWARE_BAD_VALUE : FIRMWARE_OK;
}

/* SwitchInfo: where its fields are. */
enum {
	LINEAR_CAP = 0,
	MULTICAST_CAP = 4,
	LINEAR_TOP = 6,
	DEFAULT_PORT = 8,
	DEFAULT_MULTICAST = 9, /* primary, not primary */
	LIFE_TIME = 11,	       /* 7:3, PortStateChange 2 */
	LIDS_PER_PORT = 12,
	ENFORCEMENT_CAP = 14,
	FLAGS = 16,
	MULTICAST_TOP = 18,
};

#define STATE_CHANGE 0x04u
#define INBOUND_ENFORCEMENT 0x80u
#define OUTBOUND_ENFORCEMENT 0x40u
#define ENHANCED_PORT_0 0x08u

__be16 sma_get_switch_info(struct firmware_query *query)
{
	const struct subnet_node_config *c = &query->node->config;
	const struct subnet_tables *t = &query->node->tables;
	uint8_t *d = query->data;

	put_unaligned_be16(c->linear_cap, d + LINEAR_CAP);
	put_unaligned_be16(c->multicast_cap, d + MULTICAST_CAP);
	put_unaligned_be16(t->linear_top, d + LINEAR_TOP);
	d[DEFAULT_PORT] = t->default_port;
	memcpy(d + DEFAULT_MULTICAST, t->default_multicast, sizeof(t->default_multicast));
	d[LIFE_TIME] =
		(uint8_t)((uint32_t)t->life_time << 3 | (t->state_change ? STATE_CHANGE : 0u));
	put_unaligned_be16(1, d + LIDS_PER_PORT);
	put_unaligned_be16(c->pkeys, d + ENFORCEMENT_CAP);
	d[FLAGS] = INBOUND_ENFORCEMENT | OUTBOUND_ENFORCEMENT | ENHANCED_PORT_0;
	put_unaligned_be16(t->multicast_top, d + MULTICAST_TOP);
	return query->modifier ? FIRMWARE_BAD_VALUE : FIRMWARE_OK;
}

/* MulticastFDBTop: one below the first LID says that there are none; who does not know it writes 0. */
static bool is_multicast_top(const struct subnet_node *node, uint16_t top)
{
	return !top || (top >= SUBNET_MULTICAST_LID - 1 &&
			top < SUBNET_MULTICAST_LID + node->config.multicast_cap);
}

__be16 sma_set_switch_info(struct firmware_query *query)
{
	struct subnet_tables *t = &query->node->tables;
	const uint8_t *d = query->data;
	const uint16_t top = get_unaligned_be16(d + LINEAR_TOP);
	const uint16_t multicast_top = get_unaligned_be16(d + MULTICAST_TOP);

	if (query->modifier || top >= query->node->config.linear_cap ||
	    !is_multicast_top(query->node, multicast_top))
		return FIRMWARE_BAD_VALUE;
	if (top != t->linear_top || memcmp(t->default_multicast, d + DEFAULT_MULTICAST, 2) != 0)
		subnet_new_epoch(query->subnet);
	t->linear_top = top;
	t->default_port = d[DEFAULT_PORT];
	memcpy(t->default_multicast, d + DEFAULT_MULTICAST, sizeof(t->default_multicast));
	t->life_time = d[LIFE_TIME] >> 3;
	if (d[LIFE_TIME] & STATE_CHANGE)
		t->state_change = false;
	if (multicast_top)
		t->multicast_top = multicast_top;
	return FIRMWARE_OK;
}

#define GUID_BLOCKS 1u

__be16 sma_get_guid_info(struct firmware_query *query)
{
	const struct subnet_end *end = subnet_end_of(query->node, query->in_port);

	if (query->modifier >= GUID_BLOCKS)
		return FIRMWARE_BAD_VALUE;
	put_unaligned_be64(end->guid, query->data);
	for (uint32_t i = 1; end->guids && i < SUBNET_GUIDS; i++)
		put_unaligned_be64(end->guids[i], query->data + i * sizeof(uint64_t));
	return FIRMWARE_OK;
}

/* Entry 0 is the port's own, whatever is written. */
__be16 sma_set_guid_info(struct firmware_query *query)
{
	struct subnet_end *end = subnet_end_of(query->node, query->in_port);
	bool differs = false;

	if (query->modifier >= GUID_BLOCKS)
		return FIRMWARE_BAD_VALUE;
	if (!end->guids)
		end->guids = base_zalloc_array(SUBNET_GUIDS, sizeof(*end->guids));
	if (!end->guids)
		return FIRMWARE_BUSY;
	for (uint32_t i = 1; i < SUBNET_GUIDS; i++) {
		const uint64_t guid = get_unaligned_be64(query->data + i * sizeof(guid));

		differs |= guid != end->guids[i];
		end->guids[i] = guid;
	}
	if (differs && !subnet_is_switch(query->node))
		subnet_note(query->subnet, end, SUBNET_CHANGED_GID);
	return FIRMWARE_OK;
}
