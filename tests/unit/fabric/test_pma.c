// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Counters: where each is, what clears it, where it sticks; samples. Host A asks by LID. */
#include "unit/fabric/subnet_fixture.h"

#include <rdma/ib_pma.h>

#define PMA 4
#define NOT_HERE 0x000c
#define BAD_VALUE 0x001c
#define A_LID 1
#define B_LID 2
#define SW_LID 3

static int get(struct net *net, uint16_t lid, uint16_t attribute, uint8_t port, uint8_t data[192])
{
	memset(data, 0, 192);
	data[1] = port;
	return net_gmp(net, lid, PMA, 1, GET, attribute, 0, data);
}

static int clear(struct net *net, uint16_t lid, uint16_t attribute, uint8_t port, uint16_t select,
		 uint8_t data[192])
{
	memset(data, 0, 192);
	data[1] = port;
	put_unaligned_be16(select, data + 2);
	return net_gmp(net, lid, PMA, 1, SET, attribute, 0, data);
}

static void pma_answer__class_port_info(void **state)
{
	struct net *net = *state;
	uint8_t data[192];

	net_configure(net);
	assert_int_equal(get(net, B_LID, 1, 0, data), 0);
	assert_int_equal(data[0], 1);
	assert_int_equal(data[1], 1);
	assert_int_equal(get_unaligned_be16(data + 2), 0x9200);
	assert_int_equal(get_unaligned_be32(data + 4), 2 << 5 | 18);
	for (uint32_t i = 8; i < 192; i++)
		assert_int_equal(data[i], 0);
	assert_int_equal(get(net, SW_LID, 1, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data + 2), 0x9300);
}

static void pma_answer__what_is_not_there(void **state)
{
	static const uint16_t unknown[] = {0x00, 0x13, 0x17, 0x1c, 0x1f, 0x30, 0x37, 0xff00};
	struct net *net = *state;
	uint8_t data[192] = {0};

	net_configure(net);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_int_equal(get(net, B_LID, unknown[i], 1, data), NOT_HERE);
	assert_int_equal(net_gmp(net, B_LID, PMA, 2, GET, 1, 0, data), 4);
	assert_int_equal(net_gmp(net, B_LID, PMA, 1, 3, 1, 0, data), 8);
	assert_int_equal(net_gmp(net, B_LID, PMA, 1, SET, 1, 0, data), NOT_HERE);
}

static void pma_answer__bad_ports(void **state)
{
	static const uint16_t attributes[] = {0x10, 0x12, 0x15, 0x16, 0x1d};
	struct net *net = *state;
	uint8_t data[192];

	net_configure(net);
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		assert_int_equal(get(net, B_LID, attributes[i], 0, data), BAD_VALUE);
		assert_int_equal(get(net, B_LID, attributes[i], 2, data), BAD_VALUE);
		assert_int_equal(get(net, B_LID, attributes[i], 0xff, data), BAD_VALUE);
		assert_int_equal(get(net, B_LID, attributes[i], 1, data), 0);
		assert_int_equal(get(net, SW_LID, attributes[i], 5, data), BAD_VALUE);
		assert_int_equal(get(net, SW_LID, attributes[i], 0, data), 0);
		assert_int_equal(get(net, SW_LID, attributes[i], 0xff, data),
				 attributes[i] == 0x10 ? BAD_VALUE : 0);
		assert_int_equal(clear(net, SW_LID, attributes[i], 5, 0xffff, data), BAD_VALUE);
	}
}

/* Each error, its place in both attributes, and the bits that clear it. */
static const struct {
	enum subnet_error error;
	uint8_t offset, bits, shift;
	uint16_t select;
	uint8_t select2, wide;
} errors[] = {
	{SUBNET_ERROR_SYMBOL, 4, 16, 0, 1 << 0, 0, 72},
	{SUBNET_ERROR_LINK_RECOVERY, 6, 8, 0, 1 << 1, 0, 80},
	{SUBNET_ERROR_RCV, 8, 16, 0, 1 << 3, 0, 96},
	{SUBNET_ERROR_RCV_REMOTE, 10, 16, 0, 1 << 4, 0, 104},
	{SUBNET_ERROR_XMIT_DISCARD, 14, 16, 0, 1 << 6, 0, 120},
	{SUBNET_ERROR_INTEGRITY, 19, 4, 4, 1 << 9, 0, 144},
	{SUBNET_ERROR_OVERRUN, 19, 4, 0, 1 << 10, 0, 152},
	{SUBNET_ERROR_VL15_DROPPED, 22, 16, 0, 1 << 11, 0, 160},
	{SUBNET_ERROR_XMIT_WAIT, 40, 32, 0, 0, 1, 168},
	{SUBNET_ERROR_QP1_DROPPED, 20, 16, 0, 0, 2, 176},
};

static uint64_t field(const uint8_t *data, uint8_t offset, uint8_t bits, uint8_t shift)
{
	switch (bits) {
	case 64:
		return get_unaligned_be64(data + offset);
	case 32:
		return get_unaligned_be32(data + offset);
	case 16:
		return get_unaligned_be16(data + offset);
	default:
		return data[offset] >> shift & ((1u << bits) - 1);
	}
}

static void subnet_error__each_in_its_place(void **state)
{
	struct net *net = *state;
	uint8_t data[192];

	net_configure(net);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		const uint64_t most = (1ull << errors[i].bits) - 1;

		subnet_error(net->subnet, AT(net->sw, 4), errors[i].error, 3);
		for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++) {
			assert_int_equal(get(net, SW_LID, 0x12, 4, data), 0);
			assert_int_equal(field(data, errors[k].offset, errors[k].bits,
					       errors[k].shift),
					 k == i ? 3 : 0);
			assert_int_equal(get(net, SW_LID, 0x1d, 4, data), 0);
			assert_int_equal(field(data, errors[k].wide, 64, 0), k <= i ? 3 : 0);
		}
		/* It sticks; and to clear all others does not clear it. */
		subnet_error(net->subnet, AT(net->sw, 4), errors[i].error, most + 10);
		memset(data, 0, sizeof(data));
		data[1] = 4;
		put_unaligned_be16((uint16_t)~errors[i].select, data + 2);
		data[18] = (uint8_t)~errors[i].select2;
		assert_int_equal(net_gmp(net, SW_LID, PMA, 1, SET, 0x12, 0, data), 0);
		assert_true(field(data, errors[i].offset, errors[i].bits, errors[i].shift) == most);
		memset(data, 0, sizeof(data));
		data[1] = 4;
		put_unaligned_be16(errors[i].select, data + 2);
		data[18] = errors[i].select2;
		assert_int_equal(net_gmp(net, SW_LID, PMA, 1, SET, 0x12, 0, data), 0);
		assert_int_equal(field(data, errors[i].offset, errors[i].bits, errors[i].shift), 0);
		assert_int_equal(data[1], 4);
		/* The other attribute keeps its own, until it is cleared by its own. */
		assert_int_equal(get(net, SW_LID, 0x1d, 4, data), 0);
		assert_true(field(data, errors[i].wide, 64, 0) == most + 13);
		memset(data, 0, sizeof(data));
		data[1] = 4;
		put_unaligned_be32(1u << ((errors[i].wide - 72) / 8), data + 4);
		assert_int_equal(net_gmp(net, SW_LID, PMA, 1, SET, 0x1d, 0, data), 0);
		assert_int_equal(field(data, errors[i].wide, 64, 0), 0);
		subnet_error(net->subnet, AT(net->sw, 4), errors[i].error, 3);
		assert_int_equal(clear(net, SW_LID, 0x12, 4, 0xffff, data), 0);
		memset(data, 0, sizeof(data));
		data[1] = 4;
		data[18] = 0xff;
		assert_int_equal(net_gmp(net, SW_LID, PMA, 1, SET, 0x12, 0, data), 0);
	}
	subnet_error(net->subnet, AT(net->sw, 9), SUBNET_ERROR_RCV, 3);
	subnet_error(net->subnet, AT(net->sw, 4), SUBNET_ERROR_RCV, 0);
}

/* Of a path that is made up: nothing else moves on these ports. */
static struct subnet_path one_link(struct net *net)
{
	struct subnet_path path = {.verdict = SUBNET_ARRIVES, .hops = 1, .to = AT(net->b, 1)};

	path.hop[0] = AT(net->sw, 3);
	path.hop[1] = AT(net->sw, 4);
	return path;
}

static void subnet_count__traffic(void **state)
{
	struct net *net = *state;
	struct subnet_path path = one_link(net);
	uint8_t data[192];

	net_configure(net);
	subnet_count(net->subnet, &path, 3, 0x100000010u, false);
	subnet_count(net->subnet, &path, 2, 5, true);
	assert_int_equal(get(net, SW_LID, 0x1d, 3, data), 0);
	assert_true(get_unaligned_be64(data + 8) == 0x100000015u);
	assert_int_equal(get_unaligned_be64(data + 16), 0);
	assert_int_equal(get_unaligned_be64(data + 24), 5);
	assert_int_equal(get_unaligned_be64(data + 32), 0);
	assert_int_equal(get_unaligned_be64(data + 40), 3);
	assert_int_equal(get_unaligned_be64(data + 56), 2);
	assert_int_equal(get(net, SW_LID, 0x1d, 4, data), 0);
	assert_int_equal(get_unaligned_be64(data + 8), 0);
	assert_true(get_unaligned_be64(data + 16) == 0x100000015u);
	assert_int_equal(get_unaligned_be64(data + 32), 5);
	assert_int_equal(get_unaligned_be64(data + 48), 3);
	assert_int_equal(get_unaligned_be64(data + 64), 2);
	assert_int_equal(get(net, SW_LID, 0x12, 3, data), 0);
	assert_int_equal(get_unaligned_be32(data + 24), 0xffffffff); /* sticks */
	assert_int_equal(get_unaligned_be32(data + 32), 5);
	assert_int_equal(clear(net, SW_LID, 0x12, 3, 0x1000, data), 0);
	assert_int_equal(get_unaligned_be32(data + 24), 0);
	assert_int_equal(get_unaligned_be32(data + 32), 5);
	subnet_count(net->subnet, &path, 1, 7, false);
	assert_int_equal(get(net, SW_LID, 0x12, 3, data), 0);
	assert_int_equal(get_unaligned_be32(data + 24), 7);
	assert_int_equal(get(net, SW_LID, 0x1d, 3, data), 0);
	assert_true(get_unaligned_be64(data + 8) == 0x10000001cu);
	assert_int_equal(clear(net, SW_LID, 0x1d, 3, 0x00ff, data), 0);
	for (uint32_t i = 8; i < 72; i++)
		assert_int_equal(data[i], 0);
	assert_int_equal(get(net, SW_LID, 0x12, 3, data), 0);
	assert_int_equal(get_unaligned_be32(data + 24), 7);
}

static void pma_answer__all_ports_are_added_up(void **state)
{
	struct net *net = *state;
	struct subnet_path path = one_link(net);
	uint8_t data[192];

	net_configure(net);
	assert_int_equal(clear(net, SW_LID, 0x12, 0xff, 0xffff, data), 0);
	subnet_error(net->subnet, AT(net->sw, 3), SUBNET_ERROR_SYMBOL, 0xff00);
	subnet_error(net->subnet, AT(net->sw, 4), SUBNET_ERROR_SYMBOL, 0x80);
	assert_int_equal(get(net, SW_LID, 0x12, 0xff, data), 0);
	assert_int_equal(data[1], 0xff);
	assert_int_equal(get_unaligned_be16(data + 4), 0xff80);
	subnet_error(net->subnet, AT(net->sw, 4), SUBNET_ERROR_SYMBOL, 0x80);
	assert_int_equal(get(net, SW_LID, 0x12, 0xff, data), 0);
	assert_int_equal(get_unaligned_be16(data + 4), 0xffff);
	subnet_count(net->subnet, &path, UINT32_MAX, 1, false);
	assert_int_equal(get(net, SW_LID, 0x12, 0xff, data), 0);
	assert_int_equal(get_unaligned_be32(data + 32), 0xffffffff);
	assert_int_equal(clear(net, SW_LID, 0x12, 0xff, 0x0001, data), 0);
	assert_int_equal(get_unaligned_be16(data + 4), 0);
	assert_int_equal(get(net, SW_LID, 0x12, 3, data), 0);
	assert_int_equal(get_unaligned_be16(data + 4), 0);
}

/* What is discarded, in its counter and its detail. */
static void subnet_count__discards(void **state)
{
	static const struct {
		enum subnet_verdict verdict;
		bool input;
		uint8_t offset, bits; /* PortCounters */
		uint16_t attribute;
		uint8_t detail;
	} rows[] = {
		{SUBNET_NOT_ACTIVE, false, 14, 16, 0x16, 4},
		{SUBNET_NO_ROUTE, true, 12, 16, 0x15, 10},
		{SUBNET_TURNS_BACK, true, 12, 16, 0x15, 14},
		{SUBNET_LOOPS, false, 14, 16, 0x16, 8},
		{SUBNET_BAD_PKEY, true, 17, 8, 0, 0},
		{SUBNET_BAD_PKEY, false, 16, 8, 0, 0},
		{SUBNET_TOO_LONG, false, 14, 16, 0x16, 6},
		{SUBNET_NOT_ALLOWED, true, 12, 16, 0x15, 12},
		{SUBNET_NOT_ALLOWED, false, 14, 16, 0, 0},
		{SUBNET_NOT_OURS, true, 8, 16, 0x15, 6},
	};
	struct net *net = *state;
	uint8_t data[192];

	net_configure(net);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct subnet_path path = one_link(net);
		const uint8_t at = rows[i].input ? 4 : 3;

		path.verdict = rows[i].verdict;
		path.to = AT(net->sw, at);
		subnet_count(net->subnet, &path, 5, 100, false);
		assert_int_equal(get(net, SW_LID, 0x12, at, data), 0);
		assert_int_equal(field(data, rows[i].offset, rows[i].bits, 0), 5);
		assert_int_equal(clear(net, SW_LID, 0x12, at, 0xffff, data), 0);
		assert_int_equal(field(data, rows[i].offset, rows[i].bits, 0), 0);
		if (!rows[i].attribute)
			continue;
		assert_int_equal(get(net, SW_LID, rows[i].attribute, at, data), 0);
		assert_int_equal(get_unaligned_be16(data + rows[i].detail), 5);
		assert_int_equal(clear(net, SW_LID, rows[i].attribute, at,
				       (uint16_t) ~(1u << (rows[i].detail - 4) / 2), data),
				 0);
		assert_int_equal(get_unaligned_be16(data + rows[i].detail), 5);
		assert_int_equal(clear(net, SW_LID, rows[i].attribute, at,
				       (uint16_t)(1u << (rows[i].detail - 4) / 2), data),
				 0);
		assert_int_equal(get_unaligned_be16(data + rows[i].detail), 0);
	}
}

static void subnet_error__details(void **state)
{
	struct net *net = *state;
	uint8_t data[192];

	net_configure(net);
	subnet_error(net->subnet, AT(net->b, 1), SUBNET_ERROR_RCV, 0x12345);
	subnet_error(net->subnet, AT(net->b, 1), SUBNET_ERROR_OVERRUN, 2);
	assert_int_equal(get(net, B_LID, 0x15, 1, data), 0);
	assert_int_equal(get_unaligned_be16(data + 4), 0xffff);
	assert_int_equal(get_unaligned_be16(data + 8), 2);
}

static void subnet_link__downs_are_counted(void **state)
{
	struct net *net = *state;
	uint8_t data[192];

	net_configure(net);
	subnet_set_link(net->subnet, AT(net->b, 1), false);
	subnet_set_link(net->subnet, AT(net->b, 1), true);
	assert_int_equal(net_set_state(net, AT(net->b, 1), 0, 1), 0);
	assert_int_equal(get(net, SW_LID, 0x12, 2, data), 0);
	assert_int_equal(data[7], 2);
	assert_int_equal(get(net, SW_LID, 0x12, 1, data), 0);
	assert_int_equal(data[7], 0);
	assert_int_equal(clear(net, SW_LID, 0x12, 2, 0x0004, data), 0);
	assert_int_equal(data[7], 0);
}

/* MADs are packets, too; a switch's own go through its port 0. */
static void subnet_count__mads(void **state)
{
	struct net *net = *state;
	uint8_t before[192], after[192];
	static const struct {
		uint8_t port, packets_out, packets_in;
	} rows[] = {{1, 1, 1}, {0, 1, 1}, {2, 0, 0}};

	net_configure(net);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(get(net, SW_LID, 0x1d, rows[i].port, before), 0);
		assert_int_equal(get(net, SW_LID, 0x1d, rows[i].port, after), 0);
		/* The first answer and the second question. */
		assert_int_equal(get_unaligned_be64(after + 24) - get_unaligned_be64(before + 24),
				 rows[i].packets_out);
		assert_int_equal(get_unaligned_be64(after + 32) - get_unaligned_be64(before + 32),
				 rows[i].packets_in);
		assert_int_equal(get_unaligned_be64(after + 8) - get_unaligned_be64(before + 8),
				 rows[i].packets_out * 72);
	}
}

static void pma_samples__count_a_stretch_of_time(void **state)
{
	struct net *net = *state;
	struct subnet_path path = one_link(net);
	uint8_t data[192];
	struct ib_pma_portsamplescontrol *control = (void *)data;
	struct ib_pma_portsamplesresult *result = (void *)data;
	struct ib_pma_portsamplesresult_ext *ext = (void *)data;

	net_configure(net);
	assert_int_equal(get(net, SW_LID, 0x11, 0, data), 0);
	assert_int_equal(result->sample_status, 0);
	subnet_count(net->subnet, &path, 1000, 1000, false);
	assert_int_equal(get(net, SW_LID, 0x10, 3, data), 0);
	assert_int_equal(control->port_select, 3);
	assert_int_equal(control->tick, 99);
	assert_int_equal(control->counter_width, 4);
	assert_int_equal(be32_to_cpu(control->counter_mask0_9), 0x09249249);
	assert_int_equal(be16_to_cpu(control->counter_mask10_14), 0x1249);
	control->sample_start = cpu_to_be32(10);
	control->sample_interval = cpu_to_be32(100);
	control->tag = cpu_to_be16(0x1234);
	control->counter_select[0] = IB_PMA_PORT_XMIT_DATA;
	control->counter_select[1] = IB_PMA_PORT_XMIT_PKTS;
	control->counter_select[14] = IB_PMA_PORT_XMIT_PKTS;
	control->counter_select[2] = cpu_to_be16(0x7777);
	assert_int_equal(net_gmp(net, SW_LID, PMA, 1, SET, 0x10, 0, data), 0);
	assert_int_equal(control->sample_status, IB_PMA_SAMPLE_STATUS_STARTED);
	assert_int_equal(be32_to_cpu(control->sample_start), 10);
	assert_int_equal(be32_to_cpu(control->sample_interval), 100);
	assert_int_equal(control->counter_select[14], IB_PMA_PORT_XMIT_PKTS);
	subnet_count(net->subnet, &path, 1, 10, false);
	net_turn(net, 0);
	net_turn(net, 11000);
	subnet_count(net->subnet, &path, 2, 0x200000000u, false);
	assert_int_equal(get(net, SW_LID, 0x11, 0, data), 0);
	assert_int_equal(be16_to_cpu(result->sample_status), IB_PMA_SAMPLE_STATUS_RUNNING);
	assert_int_equal(result->counter[1], 0);
	/* Who comes now has to wait. */
	memset(data, 0, sizeof(data));
	control->port_select = 4;
	control->tag = cpu_to_be16(5);
	assert_int_equal(net_gmp(net, SW_LID, PMA, 1, SET, 0x10, 0, data), 0);
	assert_int_equal(be16_to_cpu(control->tag), 0x1234);
	assert_int_equal(control->sample_status, IB_PMA_SAMPLE_STATUS_RUNNING);
	assert_int_equal(control->port_select, 3);
	net_turn(net, 100000);
	subnet_count(net->subnet, &path, 3, 100, false);
	assert_int_equal(get(net, SW_LID, 0x11, 0, data), 0);
	assert_int_equal(be16_to_cpu(result->tag), 0x1234);
	assert_int_equal(result->sample_status, 0);
	assert_int_equal(be32_to_cpu(result->counter[0]), 0xffffffff);
	assert_int_equal(be32_to_cpu(result->counter[1]), 2);
	assert_int_equal(be32_to_cpu(result->counter[2]), 0);
	assert_int_equal(be32_to_cpu(result->counter[14]), 2);
	assert_int_equal(get(net, SW_LID, 0x1e, 0, data), 0);
	assert_int_equal(be16_to_cpu(ext->tag), 0x1234);
	assert_int_equal(be32_to_cpu(ext->extended_width), 0x80000000);
	assert_true(be64_to_cpu(ext->counter[0]) == 0x200000000u);
	assert_true(base_host_idle());
	/* Nodes with samples that run are given back. */
	memset(data, 0, sizeof(data));
	control->port_select = 3;
	control->sample_interval = cpu_to_be32(100);
	assert_int_equal(net_gmp(net, SW_LID, PMA, 1, SET, 0x10, 0, data), 0);
	subnet_remove_node(net->subnet, net->sw);
	net_turn(net, 1000000);
}

/* To ask for a sample does not put off what else the timer has to do. */
static void pma_samples__do_not_delay_traps(void **state)
{
	struct net *net = *state;
	uint8_t data[192] = {0, 3};

	net_configure(net);
	put_unaligned_be32(1000000000, data + 32);
	subnet_set_description(net->subnet, net->b, "new");
	assert_int_equal(net_gmp(net, SW_LID, PMA, 1, SET, 0x10, 0, data), 0);
	net->delivered = 0;
	net->takes = true;
	net_turn(net, 0);
	assert_int_equal(net->delivered, 1);
	assert_int_equal(net->inbox[0].data[3], IB_MGMT_METHOD_TRAP);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(pma_samples__do_not_delay_traps),
	NET_TEST(pma_answer__class_port_info),
	NET_TEST(pma_answer__what_is_not_there),
	NET_TEST(pma_answer__bad_ports),
	NET_TEST(subnet_error__each_in_its_place),
	NET_TEST(subnet_count__traffic),
	NET_TEST(pma_answer__all_ports_are_added_up),
	NET_TEST(subnet_count__discards),
	NET_TEST(subnet_error__details),
	NET_TEST(subnet_link__downs_are_counted),
	NET_TEST(subnet_count__mads),
	NET_TEST(pma_samples__count_a_stretch_of_time),
};

int main(void)
{
	return verbena_test_main(tests);
}
