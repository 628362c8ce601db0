// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* PortInfo byte for byte, its Sets, and the link states that they lead to. */
#include "unit/fabric/subnet_fixture.h"

#define BAD_VALUE 0x001c
#define EXT 0x80000000u

static void get(struct net *net, struct subnet_at at, uint32_t modifier, uint8_t data[64])
{
	memset(data, 0, 64);
	assert_int_equal(net_local(net, at, GET, IB_SMP_ATTR_PORT_INFO, modifier, data), 0);
}

static void sma_get_port_info__each_byte_of_a_ca(void **state)
{
	struct net *net = *state;
	static const uint8_t expected[64] = {
		0,    0,    0,	  0,	0,  0,	  0, 0, /* M_Key */
		0xfe, 0x80, 0,	  0,	0,  0,	  0, 0, /* prefix */
		0,    0,    0,	  0,			/* LID, SM LID */
		0x06, 0x51, 0x88, 0x68,			/* CapabilityMask */
		0,    0,    0,	  0,			/* DiagCode, lease */
		1,    3,    3,	  2,			/* port, widths: 1x and 4x, 4x active */
		0x72, 0x52, 0,	  0x47,		  /* speeds, Init; LinkUp, Polling; ...; QDR */
		0x50, 0x40, 0,	  64,	64, 0x05, /* MTU 4096, VL0-7, arbitration, MTUCap */
		0,    0x40,			  /* OperationalVLs */
		0,    0,    0,	  0,	0,  0,	  /* violations */
		8,    18,   16,	  0x88,		  /* GUIDs, timeouts, thresholds */
	};
	uint8_t data[64];

	get(net, AT(net->a, 1), 0, data);
	assert_memory_equal(data, expected, 64);
	get(net, AT(net->a, 1), 1, data);
	assert_memory_equal(data, expected, 64);
}

/* Of a switch's external port: no LID, no keys, no capabilities. */
static void sma_get_port_info__external_and_port_0(void **state)
{
	struct net *net = *state;
	uint8_t data[64];

	net_configure(net);
	get(net, AT(net->sw, 0), 1, data);
	for (uint32_t i = 0; i < 28; i++)
		assert_int_equal(data[i], 0);
	assert_int_equal(data[32], 0x74);
	assert_int_equal(data[33], 0x52);
	assert_int_equal(data[36], 0x50);
	get(net, AT(net->sw, 0), 0, data);
	assert_int_equal(data[17], 3);
	assert_int_equal(data[19], 1);
	assert_int_equal(get_unaligned_be32(data + 20), 0x46508848u);
	assert_int_equal(data[32] & 0xf, 4);
	assert_int_equal(data[33] >> 4, 5);
}

static void sma_get_port_info__which_port(void **state)
{
	struct net *net = *state;
	const uint32_t ca = net_add(net, (struct subnet_node_config){.type = 1, .ports = 2});
	uint8_t data[64] = {0};

	assert_int_equal(subnet_connect(net->subnet, AT(ca, 2), AT(net->sw, 3)), 0);
	get(net, AT(ca, 1), 2, data);
	assert_int_equal(data[28], 1); /* that it came in by */
	assert_int_equal(data[32] & 0xf, 2);
	get(net, AT(ca, 1), 0, data);
	assert_int_equal(data[32] & 0xf, 1);
	assert_int_equal(net_local(net, AT(ca, 1), GET, IB_SMP_ATTR_PORT_INFO, 3, data), BAD_VALUE);
	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_PORT_INFO, 5, data),
			 BAD_VALUE);
	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_PORT_INFO, 0x101, data),
			 BAD_VALUE);
	assert_int_equal(net_local(net, AT(net->sw, 0), GET, IB_SMP_ATTR_PORT_INFO, EXT | 4, data),
			 0);
	/* A CA's other port is not to be written. */
	data[32] &= 0xf0;
	data[33] = 0;
	assert_int_equal(net_local(net, AT(ca, 1), SET, IB_SMP_ATTR_PORT_INFO, 2, data), BAD_VALUE);
}

/* A byte written, what the answer says, and what is there then. */
struct row {
	uint8_t byte, value;
	int status;
	uint8_t after;
};

static void write_each(struct net *net, struct subnet_at at, uint32_t port, const struct row *rows,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint8_t bytes[][2] = {{rows[i].byte, rows[i].value}};
		uint8_t data[64];
		const int status = net_set_port_info(net, at, port, bytes, 1);

		get(net, at, port & ~EXT, data);
		if (status != rows[i].status || data[rows[i].byte] != rows[i].after)
			print_message("row %zu: byte %u, 0x%x\n", i, rows[i].byte, rows[i].value);
		assert_int_equal(status, rows[i].status);
		assert_int_equal(data[rows[i].byte], rows[i].after);
	}
}

#define WRITE_EACH(net, at, port, rows) \
	write_each(net, at, port, rows, sizeof(rows) / sizeof((rows)[0]))

static void sma_set_port_info__fields_of_a_ca(void **state)
{
	static const struct row rows[] = {
		{9, 0x81, 0, 0x81},	  /* prefix */
		{17, 4, 0, 4},		  /* LID */
		{17, 0, BAD_VALUE, 4},	  /* 0 is nobody's */
		{16, 0xc0, BAD_VALUE, 0}, /* nor is a multicast one */
		{34, 2, 0, 2},		  /* LMC */
		{17, 6, BAD_VALUE, 4},	  /* no multiple of 2^LMC */
		{34, 0, 0, 0},
		{19, 1, 0, 1}, /* SM LID */
		{18, 0xff, BAD_VALUE, 0},
		{19, 0, BAD_VALUE, 1},
		{20, 0, 0, 0x06}, /* capabilities are the port's own */
		{27, 9, 0, 9},	  /* lease */
		{28, 7, 0, 1},	  /* LocalPortNum is not to be written */
		{29, 1, 0, 1},	  /* width */
		{29, 0, 0, 1},
		{29, 0xff, 0, 3},
		{29, 4, BAD_VALUE, 3},
		{30, 0xff, 0, 3},
		{33, 0x01, 0, 0x51}, /* LinkDownDefaultState */
		{33, 0x00, 0, 0x51},
		{33, 0x02, 0, 0x52},
		{33, 0x03, BAD_VALUE, 0x52},
		{35, 0x01, 0, 0x41}, /* speed */
		{35, 0x00, 0, 0x41},
		{35, 0x0f, 0, 0x47},
		{35, 0x08, BAD_VALUE, 0x47},
		{36, 0x43, 0, 0x43}, /* MTU, SM's SL */
		{36, 0x63, BAD_VALUE, 0x43},
		{36, 0x05, 0, 0x45},
		{37, 0xff, 0, 0x40},
		{38, 9, 0, 9},	     /* VLHighLimit */
		{41, 0x50, 0, 0x55}, /* InitTypeReply */
		{42, 0xff, 0, 0},    /* HOQLife: switches */
		{43, 0x20, 0, 0x20}, /* OperationalVLs */
		{43, 0x50, BAD_VALUE, 0x20},
		{43, 0x0c, 0, 0x20}, /* enforcement: switches */
		{51, 0x1f, 0, 0x1f}, /* SubnetTimeOut */
		{53, 0x12, 0, 0x12}, /* thresholds */
		{63, 1, 0, 0},	     /* no extended speeds */
	};
	struct net *net = *state;

	WRITE_EACH(net, AT(net->a, 1), 0, rows);
}

static void sma_set_port_info__fields_of_a_switch(void **state)
{
	static const struct row rows[] = {
		{42, 0x72, 0, 0x72}, /* VLStallCount, HOQLife */
		{43, 0x4c, 0, 0x4c}, /* enforcement */
		{36, 0x40, 0, 0x40}, /* MTU */
		{17, 9, 0, 0},	     /* of port 0 alone */
		{7, 9, 0, 0},	     {34, 0xc7, 0, 0}, {53, 0x45, 0, 0x45},
	};
	static const struct row port_0[] = {
		{17, 9, 0, 9},
		{34, 1, BAD_VALUE, 0}, /* 9 is odd */
		{17, 10, 0, 10},
		{34, 1, 0, 1},
		{32, 0x71, BAD_VALUE, 0x74}, /* its state is not to be changed */
		{32, 0x73, 0, 0x74},
		{33, 0x32, BAD_VALUE, 0x52},
	};
	struct net *net = *state;

	WRITE_EACH(net, AT(net->sw, 0), 1, rows);
	WRITE_EACH(net, AT(net->sw, 0), 0, port_0);
}

static void sma_set_port_info__extended_speeds(void **state)
{
	static const struct row rows[] = {
		{63, 1, 0, 1}, {63, 0, 0, 1}, {63, 31, 0, 7}, {63, 8, BAD_VALUE, 7}, {63, 30, 0, 0},
	};
	struct net *net = *state;
	const uint32_t ca =
		net_add(net, (struct subnet_node_config){.type = 1, .ports = 1, .speed_ext = 7});
	const uint8_t two[][2] = {{63, 2}}, eight[][2] = {{63, 8}};
	uint8_t data[64];

	get(net, AT(ca, 1), 0, data);
	assert_int_equal(get_unaligned_be32(data + 20) & 1 << 14, 1 << 14);
	assert_int_equal(get_unaligned_be16(data + 60), 1 << 5);
	assert_int_equal(data[62], 7);
	assert_int_equal(data[63], 7);
	WRITE_EACH(net, AT(ca, 1), EXT, rows);
	/* Who does not say that he knows them does not change them, whatever is there. */
	assert_int_equal(net_set_port_info(net, AT(ca, 1), 0, two, 1), 0);
	assert_int_equal(net_set_port_info(net, AT(ca, 1), 0, eight, 1), 0);
	get(net, AT(ca, 1), 0, data);
	assert_int_equal(data[63], 0);
}

/* The first LID that is none of a port. */
static void sma_set_port_info__lids_end_below_multicast(void **state)
{
	struct net *net = *state;
	const uint8_t last[][2] = {{16, 0xbf}, {17, 0xff}, {18, 0xbf}, {19, 0xff}};
	const uint8_t lid[][2] = {{16, 0xc0}, {17, 0}}, sm[][2] = {{18, 0xc0}, {19, 0}};
	const uint8_t lmc[][2] = {{16, 0xbf}, {17, 0xfe}, {34, 1}};

	assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, last, 4), 0);
	assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, lid, 2), BAD_VALUE);
	assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, sm, 2), BAD_VALUE);
	assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, lmc, 3), 0);
	assert_int_equal(net_port(net, AT(net->a, 1)).lid, 0xbffe);
}

/* All or nothing. */
static void sma_set_port_info__a_wrong_value_changes_nothing(void **state)
{
	struct net *net = *state;
	const uint8_t bytes[][2] = {{17, 5}, {38, 9}, {32, 3}, {36, 0x60}};
	uint8_t before[64], after[64];

	get(net, AT(net->a, 1), 0, before);
	assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, bytes, 4), BAD_VALUE);
	get(net, AT(net->a, 1), 0, after);
	assert_memory_equal(before, after, 64);
	assert_int_equal(net->events, 0);
}

static void sma_set_port_info__events_of_a_ca(void **state)
{
	struct net *net = *state;
	const uint8_t all[][2] = {{17, 5}, {19, 6}, {51, 0x80 | 18}, {15, 1}};
	uint8_t data[64] = {0};

	assert_int_equal(net_set_port_info(net, AT(net->a, 1), 0, all, 4), 0);
	assert_int_equal(net->events, 1);
	assert_int_equal(net->event[0], SUBNET_CHANGED_LID | SUBNET_CHANGED_SM |
						SUBNET_CHANGED_REREGISTER | SUBNET_CHANGED_GID);
	get(net, AT(net->a, 1), 0, data);
	assert_int_equal(data[51], 18);
	data[51] |= 0x80;
	data[32] &= 0xf0;
	data[33] = 0;
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_PORT_INFO, 0, data), 0);
	assert_int_equal(data[51], 0x80 | 18); /* in the answer to who has written it */
	data[51] = 18;
	data[32] &= 0xf0;
	data[33] = 0;
	assert_int_equal(net_local(net, AT(net->a, 1), SET, IB_SMP_ATTR_PORT_INFO, 0, data), 0);
	assert_int_equal(data[51], 18);
	assert_int_equal(net->event[1], SUBNET_CHANGED_REREGISTER);
	assert_int_equal(net->events, 2);
	/* A switch has no driver. */
	assert_int_equal(net_set_lid(net, AT(net->sw, 0), 9, 1), 0);
	assert_int_equal(net->events, 2);
}

/* States that a port may be set to from where it is: 0 no change. */
static void sma_set_port_info__transitions(void **state)
{
	static const struct {
		uint8_t from, state, phys;
		int status;
		uint8_t to;
	} rows[] = {
		{2, 0, 0, 0, 2},	  {2, 1, 0, 0, 2},	   {2, 2, 0, BAD_VALUE, 2},
		{2, 3, 0, 0, 3},	  {2, 4, 0, BAD_VALUE, 2}, {2, 5, 0, BAD_VALUE, 2},
		{2, 15, 0, BAD_VALUE, 2}, {3, 2, 0, BAD_VALUE, 3}, {3, 3, 0, 0, 3},
		{3, 4, 0, 0, 4},	  {3, 1, 0, 0, 2},	   {4, 3, 0, BAD_VALUE, 4},
		{4, 2, 0, BAD_VALUE, 4},  {4, 4, 0, 0, 4},	   {4, 1, 0, 0, 2},
		{4, 0, 3, 0, 1},	  {1, 3, 0, BAD_VALUE, 1}, {1, 4, 0, BAD_VALUE, 1},
		{1, 1, 0, 0, 1}, /* disabled stays so */
		{1, 0, 2, 0, 2},	  {2, 3, 2, BAD_VALUE, 2}, {2, 4, 3, BAD_VALUE, 2},
		{2, 0, 4, BAD_VALUE, 2},  {2, 0, 5, BAD_VALUE, 2}, {2, 1, 3, 0, 1},
		{1, 1, 2, 0, 2},	  {2, 0, 1, 0, 1}, /* sleeps */
		{1, 0, 2, 0, 2},
	};
	struct net *net = *state;
	const struct subnet_at a = AT(net->a, 1);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint8_t bytes[][2] = {{32, rows[i].state},
					    {33, (uint8_t)(rows[i].phys << 4)}};

		if (net_port(net, a).state > rows[i].from)
			assert_int_equal(net_set_state(net, a, 0, 1), 0);
		for (uint8_t to = 3; net_port(net, a).state < rows[i].from; to++)
			assert_int_equal(net_set_state(net, a, 0, to), 0);
		assert_int_equal(net_port(net, a).state, rows[i].from);
		if (net_set_port_info(net, a, 0, bytes, 2) != rows[i].status)
			print_message("row %zu\n", i);
		assert_int_equal(net_port(net, a).state, rows[i].to);
	}
}

static const struct CMUnitTest tests[] = {
	NET_TEST(sma_get_port_info__each_byte_of_a_ca),
	NET_TEST(sma_get_port_info__external_and_port_0),
	NET_TEST(sma_get_port_info__which_port),
	NET_TEST(sma_set_port_info__fields_of_a_ca),
	NET_TEST(sma_set_port_info__fields_of_a_switch),
	NET_TEST(sma_set_port_info__extended_speeds),
	NET_TEST(sma_set_port_info__lids_end_below_multicast),
	NET_TEST(sma_set_port_info__a_wrong_value_changes_nothing),
	NET_TEST(sma_set_port_info__events_of_a_ca),
	NET_TEST(sma_set_port_info__transitions),
};

int main(void)
{
	return verbena_test_main(tests);
}
