// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Congestion control: settings are kept, and given back; nothing is ever congested. */
#include <string.h>

#include "base/alloc.h"
#include "fabric/sma.h"

#define CC_CLASS_VERSION 2
#define RESPONSE_TIME 18u
#define SECOND_NS 1000000000u
#define TIME_STAMP_NS 1024u

/* In a MAD: the key, a log, other attributes. */
#define KEY_OFFSET 24u
#define LOG_OFFSET 32u
#define DATA_OFFSET 64u
#define DATA_BYTES (SUBNET_MAD_BYTES - DATA_OFFSET)

#define CC_CLASS_PORT_INFO cpu_to_be16(0x0001)
#define CC_CONGESTION_INFO cpu_to_be16(0x0011)
#define CC_KEY_INFO cpu_to_be16(0x0012)
#define CC_LOG cpu_to_be16(0x0013)
#define CC_SWITCH_SETTING cpu_to_be16(0x0014)
#define CC_SWITCH_PORT_SETTING cpu_to_be16(0x0015)
#define CC_CA_SETTING cpu_to_be16(0x0016)
#define CC_TABLE cpu_to_be16(0x0017)
#define CC_TIME_STAMP cpu_to_be16(0x0018)

#define SWITCH_SETTING_BYTES 76u /* masks of 256 ports each, and what goes with them */
#define CA_SETTING_BYTES 132u	 /* port control, control map, 16 entries */
#define SWITCH_BLOCK_BYTES 128u	 /* 32 ports */
#define PORTS_OF_BLOCK 32u
#define CA_BLOCK_BYTES 132u /* limit, 64 entries */
#define CA_BLOCKS 2u
#define LOG_OF_SWITCH 1u
#define LOG_OF_CA 2u

/**
 * struct subnet_congestion - Of an end.
 * @key: CC_Key.
 * @lease_ends_ns: When protection ends; 0: nobody has tried a wrong key.
 * @protects: Whether the key is wanted for a Get, too.
 * @lease_period: Seconds.
 * @violations: Counter.
 * @setting: SwitchCongestionSetting or CACongestionSetting.
 * @block: Blocks of SwitchPortCongestionSetting or CongestionControlTable.
 */
struct subnet_congestion {
	uint64_t key;
	uint64_t lease_ends_ns;
	bool protects;
	uint16_t lease_period;
	uint16_t violations;
	uint8_t setting[CA_SETTING_BYTES];
	uint8_t block[];
};

static uint32_t blocks_of(const struct subnet_node *node)
{
	return subnet_is_switch(node) ? node->config.ports / PORTS_OF_BLOCK + 1u : CA_BLOCKS;
}

static uint32_t block_bytes(const struct subnet_node *node)
{
	return subnet_is_switch(node) ? SWITCH_BLOCK_BYTES : CA_BLOCK_BYTES;
}

static struct subnet_end *end_of(const struct firmware_query *query)
{
	return subnet_end_of(query->node, query->in_port);
}

/* Made when first written. */
static struct subnet_congestion *make(const struct firmware_query *query)
{
	const struct subnet_node *node = query->node;
	struct subnet_end *end = end_of(query);

	if (!end->congestion)
		end->congestion = base_zalloc(sizeof(*end->congestion) +
					      (size_t)blocks_of(node) * block_bytes(node));
	return end->congestion;
}

static __be16 get_class_port_info(struct firmware_query *query)
{
	struct ib_class_port_info *info = (struct ib_class_port_info *)(void *)query->data;

	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = CC_CLASS_VERSION;
	info->cap_mask2_resp_time = cpu_to_be32(RESPONSE_TIME);
	return FIRMWARE_OK;
}

static __be16 get_info(struct firmware_query *query)
{
	query->data[2] = subnet_is_switch(query->node) ? 0 : CA_BLOCKS;
	return FIRMWARE_OK;
}

static __be16 get_key(struct firmware_query *query)
{
	const struct subnet_congestion *c = end_of(query)->congestion;

	if (!c)
		return FIRMWARE_OK;
	put_unaligned_be64(c->key, query->data);
	query->data[8] = c->protects ? 0x80 : 0;
	put_unaligned_be16(c->lease_period, query->data + 10);
	put_unaligned_be16(c->violations, query->data + 12);
	return FIRMWARE_OK;
}

static __be16 set_key(struct firmware_query *query)
{
	struct subnet_congestion *c = make(query);

	if (!c)
		return FIRMWARE_BUSY;
	c->key = get_unaligned_be64(query->data);
	c->protects = query->data[8] & 0x80;
	c->lease_period = get_unaligned_be16(query->data + 10);
	if (!get_unaligned_be16(query->data + 12))
		c->violations = 0;
	return FIRMWARE_OK;
}

/* An empty one. */
static __be16 get_log(struct firmware_query *query)
{
	uint8_t *log = query->mad->data + LOG_OFFSET;

	memset(log, 0, SUBNET_MAD_BYTES - LOG_OFFSET);
	log[0] = subnet_is_switch(query->node) ? LOG_OF_SWITCH : LOG_OF_CA;
	return FIRMWARE_OK;
}

static uint32_t setting_bytes(const struct firmware_query *query)
{
	return subnet_is_switch(query->node) ? SWITCH_SETTING_BYTES : CA_SETTING_BYTES;
}

static __be16 get_setting(struct firmware_query *query)
{
	const struct subnet_congestion *c = end_of(query)->congestion;

	if (c)
		memcpy(query->data, c->setting, setting_bytes(query));
	return FIRMWARE_OK;
}

static __be16 set_setting(struct firmware_query *query)
{
	struct subnet_congestion *c = make(query);

	if (!c)
		return FIRMWARE_BUSY;
	memcpy(c->setting, query->data, setting_bytes(query));
	return FIRMWARE_OK;
}

static __be16 get_block(struct firmware_query *query)
{
	const struct subnet_congestion *c = end_of(query)->congestion;
	const uint32_t bytes = block_bytes(query->node);

	if (query->modifier >= blocks_of(query->node))
		return FIRMWARE_BAD_VALUE;
	if (c)
		memcpy(query->data, c->block + (size_t)query->modifier * bytes, bytes);
	return FIRMWARE_OK;
}

static __be16 set_block(struct firmware_query *query)
{
	const uint32_t bytes = block_bytes(query->node);
	struct subnet_congestion *c;

	if (query->modifier >= blocks_of(query->node))
		return FIRMWARE_BAD_VALUE;
	c = make(query);
	if (!c)
		return FIRMWARE_BUSY;
	memcpy(c->block + (size_t)query->modifier * bytes, query->data, bytes);
	return FIRMWARE_OK;
}

static __be16 get_time_stamp(struct firmware_query *query)
{
	put_unaligned_be32((uint32_t)(base_now_ns() / TIME_STAMP_NS), query->data);
	return FIRMWARE_OK;
}

#define EVERYWHERE                                                                      \
	{CC_CLASS_PORT_INFO, false, get_class_port_info, NULL},                         \
		{CC_CONGESTION_INFO, false, get_info, NULL},                            \
		{CC_KEY_INFO, false, get_key, set_key}, {CC_LOG, false, get_log, NULL}, \
	{                                                                               \
		CC_TIME_STAMP, false, get_time_stamp, NULL                              \
	}

static const struct firmware_attribute of_switch[] = {
	EVERYWHERE,
	{CC_SWITCH_SETTING, true, get_setting, set_setting},
	{CC_SWITCH_PORT_SETTING, true, get_block, set_block},
};

static const struct firmware_attribute of_ca[] = {
	EVERYWHERE,
	{CC_CA_SETTING, false, get_setting, set_setting},
	{CC_TABLE, false, get_block, set_block},
};

/* As M_Keys, but that nobody is told. */
static bool key_fits(struct subnet_congestion *c, const struct subnet_mad *mad)
{
	const uint64_t now_ns = base_now_ns();

	if (!c || !c->key)
		return true;
	if (c->lease_ends_ns && now_ns >= c->lease_ends_ns) {
		c->protects = false;
		c->lease_ends_ns = 0;
	}
	if (get_unaligned_be64(mad->data + KEY_OFFSET) == c->key) {
		c->lease_ends_ns = 0;
		return true;
	}
	if (mad->data[3] == IB_MGMT_METHOD_GET && !c->protects)
		return true;
	if (c->violations < UINT16_MAX)
		c->violations++;
	if (!c->lease_ends_ns && c->lease_period)
		c->lease_ends_ns = now_ns + (uint64_t)c->lease_period * SECOND_NS;
	return false;
}

int cca_answer(struct subnet *subnet, struct subnet_node *node, uint8_t in_port,
	       struct subnet_mad *mad)
{
	const bool is_switch = subnet_is_switch(node);
	struct firmware_query query = {.subnet = subnet,
				       .node = node,
				       .in_port = in_port,
				       .mad = mad,
				       .data = mad->data + DATA_OFFSET};

	if (!(mad->data[3] & IB_MGMT_METHOD_RESP) &&
	    !key_fits(subnet_end_of(node, in_port)->congestion, mad))
		return FIRMWARE_SUCCESS | FIRMWARE_CONSUMED;
	return firmware_gmp(&query, CC_CLASS_VERSION, is_switch ? of_switch : of_ca,
			    is_switch ? ARRAY_SIZE(of_switch) : ARRAY_SIZE(of_ca), DATA_BYTES);
}
