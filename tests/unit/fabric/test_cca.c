// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Congestion control: what is written comes back. Host A asks by LID. */
#include "unit/fabric/subnet_fixture.h"

#define CC 0x21
#define NOT_HERE 0x000c
#define BAD_VALUE 0x001c
#define B_LID 2
#define SW_LID 3

static int get(struct net *net, uint16_t lid, uint16_t attribute, uint32_t modifier,
	       uint8_t data[192])
{
	memset(data, 0, 192);
	return net_gmp(net, lid, CC, 2, GET, attribute, modifier, data);
}

static void cca_answer__what_is_where(void **state)
{
	static const struct {
		uint16_t attribute;
		bool ca, sw;
	} rows[] = {
		{0x01, true, true},   {0x11, true, true},   {0x12, true, true},
		{0x13, true, true},   {0x14, false, true},  {0x15, false, true},
		{0x16, true, false},  {0x17, true, false},  {0x18, true, true},
		{0x10, false, false}, {0x19, false, false}, {0xff, false, false},
	};
	struct net *net = *state;
	uint8_t data[192];

	net_configure(net);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(get(net, B_LID, rows[i].attribute, 0, data),
				 rows[i].ca ? 0 : NOT_HERE);
		assert_int_equal(get(net, SW_LID, rows[i].attribute, 0, data),
				 rows[i].sw ? 0 : NOT_HERE);
	}
	assert_int_equal(net_gmp(net, B_LID, CC, 1, GET, 1, 0, data), 4);
	assert_int_equal(get(net, B_LID, 0x01, 0, data), 0);
	assert_int_equal(data[1], 2);
	assert_int_equal(get_unaligned_be32(data + 4), 18);
	assert_int_equal(get(net, B_LID, 0x11, 0, data), 0);
	assert_int_equal(data[2], 2);
	net_turn(net, 1024000);
	assert_int_equal(get(net, B_LID, 0x18, 0, data), 0);
	assert_int_equal(get_unaligned_be32(data), (uint32_t)(base_now_ns() / 1024));
}

static void cca_answer__settings_are_kept(void **state)
{
	static const struct {
		uint16_t lid, attribute, bytes;
		uint32_t blocks;
	} rows[] = {
		{SW_LID, 0x14, 76, 0},
		{SW_LID, 0x15, 128, 1},
		{B_LID, 0x16, 132, 0},
		{B_LID, 0x17, 132, 2},
	};
	struct net *net = *state;
	uint8_t data[192], expected[192];

	net_configure(net);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (uint32_t block = 0; block == 0 || block < rows[i].blocks; block++) {
			assert_int_equal(get(net, rows[i].lid, rows[i].attribute, block, data), 0);
			assert_int_equal(data[5], 0);
			memset(data, (int)(i * 16 + block + 1), sizeof(data));
			assert_int_equal(net_gmp(net, rows[i].lid, CC, 2, SET, rows[i].attribute,
						 block, data),
					 0);
		}
		for (uint32_t block = 0; block == 0 || block < rows[i].blocks; block++) {
			memset(expected, 0, sizeof(expected));
			memset(expected, (int)(i * 16 + block + 1), rows[i].bytes);
			assert_int_equal(get(net, rows[i].lid, rows[i].attribute, block, data), 0);
			assert_memory_equal(data, expected, 192);
		}
		if (rows[i].blocks)
			assert_int_equal(get(net, rows[i].lid, rows[i].attribute, rows[i].blocks,
					     data),
					 BAD_VALUE);
	}
}

static void cca_answer__log_is_empty(void **state)
{
	struct net *net = *state;
	uint8_t data[192];

	net_configure(net);
	assert_int_equal(get(net, B_LID, 0x13, 0, data), 0);
	assert_int_equal(net->inbox[0].data[32], 2);
	assert_int_equal(get(net, SW_LID, 0x13, 0, data), 0);
	assert_int_equal(net->inbox[0].data[32], 1);
	for (uint32_t i = 33; i < 256; i++)
		assert_int_equal(net->inbox[0].data[i], 0);
}

static void cca_answer__key_protects(void **state)
{
	struct net *net = *state;
	uint8_t data[192] = {0};

	net_configure(net);
	put_unaligned_be64(5, data);
	put_unaligned_be16(10, data + 10);
	assert_int_equal(net_gmp(net, B_LID, CC, 2, SET, 0x12, 0, data), 0);
	assert_int_equal(get(net, B_LID, 0x12, 0, data), 0);
	assert_true(get_unaligned_be64(data) == 5);
	assert_int_equal(net_gmp(net, B_LID, CC, 2, SET, 0x16, 0, data), -1);
	net->mkey = 5;
	assert_int_equal(get(net, B_LID, 0x12, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data + 12), 1);
	data[8] = 0x80;
	put_unaligned_be16(0, data + 12);
	assert_int_equal(net_gmp(net, B_LID, CC, 2, SET, 0x12, 0, data), 0);
	assert_int_equal(get_unaligned_be16(data + 12), 0);
	net->mkey = 0;
	assert_int_equal(get(net, B_LID, 0x12, 0, data), -1);
	net_turn(net, 9000000000u);
	assert_int_equal(get(net, B_LID, 0x12, 0, data), -1);
	net_turn(net, 1000000000u);
	assert_int_equal(get(net, B_LID, 0x12, 0, data), 0);
	assert_int_equal(data[8], 0);
	assert_int_equal(get_unaligned_be16(data + 12), 2);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(cca_answer__what_is_where),
	NET_TEST(cca_answer__settings_are_kept),
	NET_TEST(cca_answer__log_is_empty),
	NET_TEST(cca_answer__key_protects),
};

int main(void)
{
	return verbena_test_main(tests);
}
