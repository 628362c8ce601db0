/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/core_fixture.h"

/* Code, multiple of 2.5 Gb/s, Mb/s: the project's table of facts. */
static const int facts[][3] = {
	{2, 1, 2500},	   {3, 4, 10000},     {4, 12, 30000},	{5, 2, 5000},	  {6, 8, 20000},
	{7, 16, 40000},	   {8, 24, 60000},    {9, 32, 80000},	{10, 48, 120000}, {11, 6, 14062},
	{12, 22, 56250},   {13, 45, 112500},  {14, 67, 168750}, {15, 10, 25781},  {16, 40, 103125},
	{17, 80, 206250},  {18, 120, 309375}, {19, 11, 28125},	{20, 20, 53125},  {21, 160, 425000},
	{22, 240, 637500}, {23, 320, 850000},
};

#define FACTS (sizeof(facts) / sizeof(facts[0]))

static void ib_rate_to_mult__knows_each_rate(void **state)
{
	(void)state;
	for (size_t i = 0; i < FACTS; i++)
		assert_int_equal(ib_rate_to_mult((enum ib_rate)facts[i][0]), facts[i][1]);
	assert_int_equal(ib_rate_to_mult(IB_RATE_PORT_CURRENT), -1);
	assert_int_equal(ib_rate_to_mult((enum ib_rate)1), -1);
	assert_int_equal(ib_rate_to_mult((enum ib_rate)24), -1);
	assert_int_equal(ib_rate_to_mult((enum ib_rate) - 1), -1);
}

static void ib_rate_to_mbps__knows_each_rate(void **state)
{
	(void)state;
	for (size_t i = 0; i < FACTS; i++)
		assert_int_equal(ib_rate_to_mbps((enum ib_rate)facts[i][0]), facts[i][2]);
	assert_int_equal(ib_rate_to_mbps(IB_RATE_PORT_CURRENT), -1);
	assert_int_equal(ib_rate_to_mbps((enum ib_rate)1), -1);
	assert_int_equal(ib_rate_to_mbps((enum ib_rate)255), -1);
}

static void mult_to_ib_rate__is_the_inverse(void **state)
{
	(void)state;
	for (size_t i = 0; i < FACTS; i++)
		assert_int_equal(mult_to_ib_rate(facts[i][1]), facts[i][0]);
	assert_int_equal(mult_to_ib_rate(3), IB_RATE_PORT_CURRENT);
	assert_int_equal(mult_to_ib_rate(0), IB_RATE_PORT_CURRENT);
	assert_int_equal(mult_to_ib_rate(-1), IB_RATE_PORT_CURRENT);
}

static void ib_port_attr_to_speed_info__multiplies_lanes(void **state)
{
	static const struct {
		u16 speed;
		u8 width;
		int rate;
		const char *str;
	} cases[] = {
		{IB_SPEED_SDR, IB_WIDTH_1X, 25, " SDR"},
		{IB_SPEED_DDR, IB_WIDTH_4X, 200, " DDR"},
		{IB_SPEED_QDR, IB_WIDTH_4X, 400, " QDR"},
		{IB_SPEED_FDR10, IB_WIDTH_4X, 400, " FDR10"},
		{IB_SPEED_FDR, IB_WIDTH_4X, 560, " FDR"},
		{IB_SPEED_EDR, IB_WIDTH_2X, 500, " EDR"},
		{IB_SPEED_HDR, IB_WIDTH_8X, 4000, " HDR"},
		{IB_SPEED_NDR, IB_WIDTH_12X, 12000, " NDR"},
		{IB_SPEED_XDR, IB_WIDTH_4X, 8000, " XDR"},
		{3, IB_WIDTH_4X, 100, " SDR"},
		{0, IB_WIDTH_1X, 25, " SDR"},
	};
	struct ib_port_speed_info info;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ib_port_attr attr = {.active_speed = cases[i].speed,
					    .active_width = cases[i].width};

		assert_int_equal(ib_port_attr_to_speed_info(&attr, &info), 0);
		assert_int_equal(info.rate, cases[i].rate);
		assert_string_equal(info.str, cases[i].str);
	}
}

static void ib_port_attr_to_speed_info__refuses_an_unknown_width(void **state)
{
	struct ib_port_attr attr = {.active_speed = IB_SPEED_EDR, .active_width = 3};
	struct ib_port_speed_info info = {0};

	(void)state;
	assert_int_equal(ib_port_attr_to_speed_info(&attr, &info), -EINVAL);
	assert_cause(PORT_WIDTH);
	assert_string_equal(info.str, " EDR");
	assert_true(info.rate < 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_rate_to_mult__knows_each_rate),
	cmocka_unit_test(ib_rate_to_mbps__knows_each_rate),
	cmocka_unit_test(mult_to_ib_rate__is_the_inverse),
	cmocka_unit_test(ib_port_attr_to_speed_info__multiplies_lanes),
	cmocka_unit_test(ib_port_attr_to_speed_info__refuses_an_unknown_width),
};

int main(void)
{
	return verbena_test_main(tests);
}
