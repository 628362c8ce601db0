// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What the firmware answers: each attribute byte for byte, what may be written, who may. */
#include "unit/fabric/subnet_fixture.h"

#define BAD_VERSION 0x0004
#define BAD_METHOD 0x0008
#define NOT_HERE 0x000c
#define BAD_VALUE 0x001c

static void sma_answer__unknown_attributes(void **state)
{
	static const uint16_t unknown[] = {0x0000, 0x0002, 0x0013, 0x001a, 0x001c, 0x0020,
					   0x0030, 0x0031, 0x0033, 0xff90, 0xffff};
	struct net *net = *state;
	uint8_t data[64] = {0};

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		assert_int_equal(net_local(net, AT(net->a, 1), GET, cpu_to_be16(unknown[i]), 0,
					   data),
				 NOT_HERE);
		assert_int_equal(net_local(net, AT(net->sw, 0), SET, cpu_to_be16(unknown[i]), 0,
					   data),
				 NOT_HERE);
	}
	/* Of switches alone. */
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_SWITCH_INFO, 0, data),
			 NOT_HERE);
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0,
				   data),
			 NOT_HERE);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0,
				   data),
			 NOT_HERE);
	/* Not to be written. */
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_NODE_INFO, 0, data),
			 NOT_HERE);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_NODE_DESC, 0, data),
			 NOT_HERE);
}

static void sma_answer__methods_and_versions(void **state)
{
	static const struct {
		uint8_t base, version, method;
		int result; /* of enum ib_mad_result */
		uint16_t status;
	} rows[] = {
		{1, 1, 0x01, 3, 0},	      {1, 2, 0x01, 3, BAD_VERSION},
		{1, 0, 0x02, 3, BAD_VERSION}, {1, 1, 0x00, 3, BAD_METHOD},
		{1, 1, 0x03, 3, BAD_METHOD},  {1, 1, 0x06, 3, BAD_METHOD},
		{1, 1, 0x7f, 3, BAD_METHOD},  {1, 1, 0x05, 1, 0}, /* Trap: for a manager */
		{1, 1, 0x07, 1, 0}, /* TrapRepress of what is not ours */
		{1, 1, 0x81, 1, 0},	      {1, 1, 0xff, 1, 0},
		{2, 1, 0x01, 0, 0},	      {0x80, 1, 0x01, 0, 0},
	};
	struct net *net = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct subnet_mad in = net_smp(net, rows[i].method, IB_SMP_ATTR_NODE_DESC, 0), out;

		smp_of(&in)->base_version = rows[i].base;
		smp_of(&in)->class_version = rows[i].version;
		assert_int_equal(subnet_process_mad(net->subnet, AT(net->a, 1), 0, &in, &out),
				 rows[i].result);
		if (rows[i].result != 3)
			continue;
		assert_int_equal(smp_of(&out)->method, 0x81);
		assert_int_equal(be16_to_cpu(smp_of(&out)->status), rows[i].status);
	}
}

static void sma_answer__nobody_is_where_there_is_no_port(void **state)
{
	struct net *net = *state;
	struct subnet_mad in = net_smp(net, GET, IB_SMP_ATTR_NODE_INFO, 0), out;

	assert_int_equal(subnet_process_mad(net->subnet, AT(net->sw, 1), 0, &in, &out), 0);
	assert_int_equal(subnet_process_mad(net->subnet, AT(net->a, 2), 0, &in, &out), 0);
	assert_int_equal(subnet_process_mad(net->subnet, AT(77, 1), 0, &in, &out), 0);
}

static void sma_get_node_info__each_byte(void **state)
{
	struct net *net = *state;
	const uint8_t path[] = {1};
	const uint32_t ca =
		net_add(net, (struct subnet_node_config){.type = SUBNET_CA,
							 .ports = 3,
							 .guid = 0x1122334455667700,
							 .system_guid = 0xa1a2a3a4a5a6a7a8,
							 .device_id = 0xbeef,
							 .vendor_id = 0x123456,
							 .pkeys = 64});
	static const uint8_t expected[40] = {1,	   1,	 1,    3,    0xa1, 0xa2, 0xa3, 0xa4,
					     0xa5, 0xa6, 0xa7, 0xa8, 0x11, 0x22, 0x33, 0x44,
					     0x55, 0x66, 0x77, 0x00, 0x11, 0x22, 0x33, 0x44,
					     0x55, 0x66, 0x77, 0x02, 0,	   64,	 0xbe, 0xef,
					     0,	   0,	 0,    1,    2,	   0x12, 0x34, 0x56};
	uint8_t data[64] = {0};

	assert_int_equal(net_local(net, AT(ca, 2), GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	assert_memory_equal(data, expected, 40);
	assert_int_equal(net_local(net, AT(ca, 2), GET, IB_SMP_ATTR_NODE_INFO, 1, data), BAD_VALUE);
	assert_memory_equal(data, expected, 40);
	/* A switch: one GUID, and the port that it came in by. */
	assert_int_equal(
		net_smp_at(net, AT(net->b, 1), path, 1, GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
	assert_int_equal(data[2], 2);
	assert_int_equal(data[3], 4);
	assert_true(get_unaligned_be64(data + 12) == 0x300);
	assert_true(get_unaligned_be64(data + 20) == 0x300);
	assert_int_equal(data[36], 2);
}

static void sma_get_node_description__all_64_bytes(void **state)
{
	struct net *net = *state;
	char text[66];
	uint8_t data[64] = {0};

	memset(text, 'x', 65);
	text[65] = '\0';
	subnet_set_description(net->subnet, net->a, text);
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_NODE_DESC, 0, data), 0);
	assert_memory_equal(data, text, 64);
	subnet_set_description(net->subnet, net->a, "short");
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_NODE_DESC, 0, data), 0);
	assert_string_equal((char *)data, "short");
	assert_int_equal(data[63], 0);
}

static void sma_switch_info__each_field(void **state)
{
	struct net *net = *state;
	const struct subnet_at sw = AT(net->sw, 0);
	static const uint8_t expected[20] = {0xc0, 0,	 0, 0, 4, 0,  0,    0, 0xff, 0xff,
					     0xff, 0x94, 0, 1, 0, 32, 0xc8, 0, 0xbf, 0xff};
	uint8_t data[64] = {0};

	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	assert_memory_equal(data, expected, 20);
	put_unaligned_be16(0x1234, data + 6);
	data[8] = 1;
	data[9] = 2;
	data[10] = 3;
	data[11] = 7 << 3; /* 0 in PortStateChange leaves it */
	put_unaligned_be16(0xc00f, data + 18);
	data[0] = 1; /* what cannot be written is ignored */
	data[13] = 9;
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data), 0xc000);
	assert_int_equal(get_unaligned_be16(data + 6), 0x1234);
	assert_int_equal(data[8], 1);
	assert_int_equal(data[9], 2);
	assert_int_equal(data[10], 3);
	assert_int_equal(data[11], 7 << 3 | 4);
	assert_int_equal(data[13], 1);
	assert_int_equal(get_unaligned_be16(data + 18), 0xc00f);
	data[11] |= 4;
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), 0);
	assert_int_equal(data[11], 7 << 3);
	put_unaligned_be16(0xc000, data + 6); /* beyond LinearFDBCap */
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), BAD_VALUE);
	assert_int_equal(get_unaligned_be16(data + 6), 0x1234);
	put_unaligned_be16(0xc400, data + 18); /* beyond MulticastFDBCap */
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SWITCH_INFO, 0, data), BAD_VALUE);
	assert_int_equal(get_unaligned_be16(data + 18), 0xc00f);
	put_unaligned_be16(5, data + 6);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SWITCH_INFO, 1, data), BAD_VALUE);
	assert_int_equal(get_unaligned_be16(data + 6), 0x1234);
}

static void sma_guid_info__aliases(void **state)
{
	struct net *net = *state;
	uint8_t data[64] = {0};
	uint64_t guid;

	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_GUID_INFO, 0, data), 0);
	assert_true(get_unaligned_be64(data) == 0x101);
	assert_true(get_unaligned_be64(data + 56) == 0);
	put_unaligned_be64(0x999, data); /* entry 0 is not to be written */
	put_unaligned_be64(0x777, data + 56);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_GUID_INFO, 0, data), 0);
	assert_true(get_unaligned_be64(data) == 0x101);
	assert_true(get_unaligned_be64(data + 56) == 0x777);
	assert_int_equal(subnet_query_guid(net->subnet, AT(net->a, 1), 7, &guid), 0);
	assert_true(guid == 0x777);
	assert_int_equal(net->events, 1);
	assert_int_equal(net->event[0], SUBNET_CHANGED_GID);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_GUID_INFO, 0, data), 0);
	assert_int_equal(net->events, 1);
	put_unaligned_be64(0x888, data + 56);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_GUID_INFO, 1, data),
			 BAD_VALUE);
	assert_int_equal(subnet_query_guid(net->subnet, AT(net->a, 1), 7, &guid), 0);
	assert_true(guid == 0x777);
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_GUID_INFO, 1, data),
			 BAD_VALUE);
}

static void sma_pkeys__blocks_and_ports(void **state)
{
	struct net *net = *state;
	const struct subnet_at sw = AT(net->sw, 0);
	uint8_t data[64] = {0};
	uint16_t pkey;

	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_PKEY_TABLE, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data), 0xffff);
	put_unaligned_be16(0x8001, data + 62);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_PKEY_TABLE, 0, data), 0);
	assert_int_equal(subnet_query_pkey(net->subnet, AT(net->a, 1), 31, &pkey), 0);
	assert_int_equal(pkey, 0x8001);
	assert_int_equal(net->events, 1);
	assert_int_equal(net->event[0], SUBNET_CHANGED_PKEY);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_PKEY_TABLE, 3 << 16, data), 0);
	assert_int_equal(subnet_query_pkey(net->subnet, AT(net->sw, 3), 31, &pkey), 0);
	assert_int_equal(pkey, 0x8001);
	assert_int_equal(subnet_query_pkey(net->subnet, AT(net->sw, 2), 31, &pkey), 0);
	assert_int_equal(pkey, 0);
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_PKEY_TABLE, 1, data),
			 BAD_VALUE);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_PKEY_TABLE, 5 << 16, data), BAD_VALUE);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_PKEY_TABLE, 0x103u << 16, data),
			 BAD_VALUE);
}

static void sma_sl2vl__ports_and_all_at_once(void **state)
{
	struct net *net = *state;
	const struct subnet_at sw = AT(net->sw, 0);
	static const uint8_t first[8] = {0x01, 0x23, 0x45, 0x67, 0x01, 0x23, 0x45, 0x67};
	uint8_t data[64] = {0}, other[64] = {0};

	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0, data),
			 0);
	assert_memory_equal(data, first, 8);
	memset(data, 0x3f, 8);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0, data),
			 0);
	assert_int_equal(data[7], 0x3f);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0102, data), 0);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0102, other), 0);
	assert_memory_equal(data, other, 64);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0201, other), 0);
	assert_memory_equal(other, first, 8);
	memset(data, 0x21, 8);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x10300, data), 0);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0304, other), 0);
	assert_int_equal(other[0], 0x21);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0204, other), 0);
	assert_int_equal(other[0], 0x01);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x30000, data), 0);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0204, other), 0);
	assert_int_equal(other[0], 0x21);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0105, other),
			 BAD_VALUE);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x0501, other),
			 BAD_VALUE);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_SL_TO_VL_TABLE, 0x40101, other),
			 BAD_VALUE);
}

static void sma_vl_arb__four_parts(void **state)
{
	struct net *net = *state;
	const uint32_t one = net_add(
		net, (struct subnet_node_config){.type = SUBNET_CA, .ports = 1, .vl_cap = 1});
	const struct subnet_at sw = AT(net->sw, 0);
	uint8_t data[64] = {0}, other[64] = {0};

	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_VL_ARB_TABLE, 0x10002, data), 0);
	assert_int_equal(data[14], 7);
	assert_int_equal(data[15], 64);
	assert_int_equal(data[17], 0);
	for (uint32_t part = 1; part <= 4; part++) {
		memset(data, (int)part, sizeof(data));
		assert_int_equal(
			net_local(net, sw, SET, IB_SMP_ATTR_VL_ARB_TABLE, part << 16 | 2, data), 0);
	}
	for (uint32_t part = 1; part <= 4; part++) {
		memset(data, (int)part, sizeof(data));
		assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_VL_ARB_TABLE, part << 16 | 2,
					   other),
				 0);
		assert_memory_equal(data, other, 64);
	}
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_VL_ARB_TABLE, 0x20003, other), 0);
	assert_int_equal(other[1], 0);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_VL_ARB_TABLE, 0x00002, other),
			 BAD_VALUE);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_VL_ARB_TABLE, 0x50002, other),
			 BAD_VALUE);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_VL_ARB_TABLE, 0x10005, other),
			 BAD_VALUE);
	assert_int_equal(net_local(net, AT(one, 1), GET, IB_SMP_ATTR_VL_ARB_TABLE, 0x10000, other),
			 NOT_HERE);
}

static void sma_lft__blocks(void **state)
{
	struct net *net = *state;
	const struct subnet_at sw = AT(net->sw, 0);
	uint8_t data[64] = {0}, other[64] = {0};

	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 767, data), 0);
	assert_int_equal(data[0], 0xff);
	assert_int_equal(data[63], 0xff);
	memset(data, 2, sizeof(data));
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 5, data), 0);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 5, other), 0);
	assert_memory_equal(data, other, 64);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 4, other), 0);
	assert_int_equal(other[63], 0xff);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 6, other), 0);
	assert_int_equal(other[0], 0xff);
	memset(data, 3, sizeof(data));
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 767, data), 0);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 5, other), 0);
	assert_int_equal(other[0], 2);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 768, data),
			 BAD_VALUE);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_LINEAR_FORWARD_TABLE, 0x04000000,
				   data),
			 BAD_VALUE);
}

static void sma_mft__blocks_and_positions(void **state)
{
	struct net *net = *state;
	const uint32_t node =
		net_add(net, (struct subnet_node_config){.type = SUBNET_SWITCH, .ports = 36});
	const struct subnet_at sw = AT(node, 0);
	const uint32_t at = 2u << 28 | 31;
	uint8_t data[64] = {0}, other[64] = {0};

	memset(data, 0x5a, sizeof(data));
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, at, data), 0);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, at, other), 0);
	assert_memory_equal(data, other, 64);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 31, other), 0);
	assert_int_equal(other[0], 0);
	assert_int_equal(net_local(net, sw, GET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0, other), 0);
	assert_int_equal(other[0], 0);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 32, data),
			 BAD_VALUE);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 3u << 28, data),
			 BAD_VALUE);
	assert_int_equal(net_local(net, sw, SET, IB_SMP_ATTR_MCAST_FORWARD_TABLE, 0x200, data),
			 BAD_VALUE);
}

/* SMInfo is the manager's, if there is one. */
static void sma_answer__sm_info(void **state)
{
	struct net *net = *state;
	struct subnet_mad in = net_smp(net, GET, IB_SMP_ATTR_SM_INFO, 0), out;
	const uint8_t path[] = {1, 2};

	assert_int_equal(subnet_process_mad(net->subnet, AT(net->b, 1), 0, &in, &out), 3);
	assert_int_equal(be16_to_cpu(smp_of(&out)->status), NOT_HERE);
	subnet_set_cap_mask(net->subnet, AT(net->b, 1), IB_PORT_SM, 0);
	assert_int_equal(subnet_process_mad(net->subnet, AT(net->b, 1), 0, &in, &out), 1);
	net_direct(&in, path, 2);
	net_ask(net, AT(net->a, 1), &in);
	assert_int_equal(net->inbox_at[0].node, net->b);
	assert_int_equal(smp_of(&net->inbox[0])->method, GET);
	subnet_set_cap_mask(net->subnet, AT(net->b, 1), IB_PORT_SM_DISABLED, 0);
	assert_int_equal(subnet_process_mad(net->subnet, AT(net->b, 1), 0, &in, &out), 5);
}

static int set_key(struct net *net, uint8_t mkey, uint8_t protect, uint8_t lease)
{
	const uint8_t bytes[][2] = {{7, mkey}, {34, (uint8_t)(protect << 6)}, {27, lease}};

	return net_set_port_info(net, AT(net->a, 1), 0, bytes, 3);
}

/* What becomes of a Get and a Set of one who has or does not have the key. */
static void sma_answer__mkey_protects(void **state)
{
	static const struct {
		uint8_t protect;
		bool has_key;
		int get, set; /* -1: no answer */
		uint8_t key_seen;
	} rows[] = {
		{0, true, 0, 0, 5},   {0, false, 0, -1, 5},  {1, true, 0, 0, 5},
		{1, false, 0, -1, 0}, {2, true, 0, 0, 5},    {2, false, -1, -1, 0},
		{3, true, 0, 0, 5},   {3, false, -1, -1, 0},
	};
	struct net *net = *state;
	uint8_t data[64] = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		net->mkey = 5;
		assert_int_equal(set_key(net, 5, rows[i].protect, 0), 0);
		net->mkey = rows[i].has_key ? 5 : 6;
		memset(data, 0, sizeof(data));
		assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_PORT_INFO, 0, data),
				 rows[i].get);
		assert_int_equal(data[7], rows[i].key_seen);
		assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_NODE_INFO, 0, data),
				 rows[i].get);
		memset(data, 0, sizeof(data));
		assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_PKEY_TABLE, 0,
					   data),
				 rows[i].set);
	}
}

static void sma_answer__violations_are_counted_and_lease_ends(void **state)
{
	struct net *net = *state;
	struct subnet_mad in = net_smp(net, SET, IB_SMP_ATTR_PKEY_TABLE, 0), out;
	uint8_t data[64] = {0};

	net->mkey = 5;
	assert_int_equal(set_key(net, 5, 2, 10), 0);
	net_turn(net, 60000000000u); /* nobody tries: no lease runs */
	net->mkey = 6;
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
	net_turn(net, 9000000000u);
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
	net->mkey = 5; /* who has the key stops it */
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_PORT_INFO, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data + 44), 3);
	net->mkey = 6;
	net_turn(net, 2000000000u);
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
	net_turn(net, 10000000000u);
	assert_int_equal(net_local(net, AT(net->a, 1), GET, IB_SMP_ATTR_PORT_INFO, 0, data), 0);
	assert_int_equal(data[7], 5);
	assert_int_equal(data[34] >> 6, 0);
	assert_int_equal(get_unaligned_be16(data + 44), 4);
	net->mkey = 5;
	put_unaligned_be16(0, data + 44); /* 0 clears */
	data[32] &= 0xf0;
	data[33] = 0;
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_PORT_INFO, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data + 44), 0);
	/* The host itself is believed. */
	smp_of(&in)->mkey = 0;
	assert_int_equal(subnet_process_mad(net->subnet, AT(net->a, 1), 0, &in, &out), 5);
	assert_int_equal(subnet_process_mad(net->subnet, AT(net->a, 1), 1, &in, &out), 3);
}

/* By the wire there is no answer, either, and nobody else is asked. */
static void sma_answer__a_wrong_mkey_is_answered_by_silence(void **state)
{
	struct net *net = *state;
	const uint8_t path[] = {1, 1};
	uint8_t data[64] = {0};

	assert_int_equal(set_key(net, 5, 3, 0), 0);
	assert_int_equal(
		net_smp_at(net, AT(net->b, 1), path, 2, GET, IB_SMP_ATTR_NODE_INFO, 0, data), -1);
	assert_int_equal(net->delivered, 0);
	net->mkey = 5;
	assert_int_equal(
		net_smp_at(net, AT(net->b, 1), path, 2, GET, IB_SMP_ATTR_NODE_INFO, 0, data), 0);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(sma_answer__unknown_attributes),
	NET_TEST(sma_answer__methods_and_versions),
	NET_TEST(sma_answer__nobody_is_where_there_is_no_port),
	NET_TEST(sma_get_node_info__each_byte),
	NET_TEST(sma_get_node_description__all_64_bytes),
	NET_TEST(sma_switch_info__each_field),
	NET_TEST(sma_guid_info__aliases),
	NET_TEST(sma_pkeys__blocks_and_ports),
	NET_TEST(sma_sl2vl__ports_and_all_at_once),
	NET_TEST(sma_vl_arb__four_parts),
	NET_TEST(sma_lft__blocks),
	NET_TEST(sma_mft__blocks_and_positions),
	NET_TEST(sma_answer__sm_info),
	NET_TEST(sma_answer__mkey_protects),
	NET_TEST(sma_answer__violations_are_counted_and_lease_ends),
	NET_TEST(sma_answer__a_wrong_mkey_is_answered_by_silence),
};

int main(void)
{
	return verbena_test_main(tests);
}
