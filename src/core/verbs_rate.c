/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Link rates, speeds and widths. */
#include <linux/kernel.h>
#include <rdma/ib_verbs.h>

#include "base/cause.h"

struct rate {
	int multiple; /* of 2.5 Gb/s, rounded down */
	int mbps;
};

/* clang-format off */
static const struct rate rates[] = {
	[IB_RATE_2_5_GBPS] = {   1,   2500 },
	[IB_RATE_5_GBPS]   = {   2,   5000 },
	[IB_RATE_10_GBPS]  = {   4,  10000 },
	[IB_RATE_20_GBPS]  = {   8,  20000 },
	[IB_RATE_30_GBPS]  = {  12,  30000 },
	[IB_RATE_40_GBPS]  = {  16,  40000 },
	[IB_RATE_60_GBPS]  = {  24,  60000 },
	[IB_RATE_80_GBPS]  = {  32,  80000 },
	[IB_RATE_120_GBPS] = {  48, 120000 },
	[IB_RATE_14_GBPS]  = {   6,  14062 },
	[IB_RATE_56_GBPS]  = {  22,  56250 },
	[IB_RATE_112_GBPS] = {  45, 112500 },
	[IB_RATE_168_GBPS] = {  67, 168750 },
	[IB_RATE_25_GBPS]  = {  10,  25781 },
	[IB_RATE_100_GBPS] = {  40, 103125 },
	[IB_RATE_200_GBPS] = {  80, 206250 },
	[IB_RATE_300_GBPS] = { 120, 309375 },
	[IB_RATE_28_GBPS]  = {  11,  28125 },
	[IB_RATE_50_GBPS]  = {  20,  53125 },
	[IB_RATE_400_GBPS] = { 160, 425000 },
	[IB_RATE_600_GBPS] = { 240, 637500 },
	[IB_RATE_800_GBPS] = { 320, 850000 },
};
/* clang-format on */

static const struct rate *find_rate(enum ib_rate rate)
{
	return (size_t)rate < ARRAY_SIZE(rates) && rates[rate].mbps ? &rates[rate] : NULL;
}

int ib_rate_to_mult(enum ib_rate rate)
{
	const struct rate *row = find_rate(rate);

	return row ? row->multiple : -1;
}

int ib_rate_to_mbps(enum ib_rate rate)
{
	const struct rate *row = find_rate(rate);

	return row ? row->mbps : -1;
}

enum ib_rate mult_to_ib_rate(int mult)
{
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		if (rates[i].mbps && rates[i].multiple == mult)
			return (enum ib_rate)i;
	}
	return IB_RATE_PORT_CURRENT;
}

/* One lane, in 100 Mb/s. */
static const struct lane_speed {
	enum ib_port_speed speed;
	int rate;
	const char *name;
} lane_speeds[] = {
	{IB_SPEED_SDR, 25, " SDR"},	 {IB_SPEED_DDR, 50, " DDR"},   {IB_SPEED_QDR, 100, " QDR"},
	{IB_SPEED_FDR10, 100, " FDR10"}, {IB_SPEED_FDR, 140, " FDR"},  {IB_SPEED_EDR, 250, " EDR"},
	{IB_SPEED_HDR, 500, " HDR"},	 {IB_SPEED_NDR, 1000, " NDR"}, {IB_SPEED_XDR, 2000, " XDR"},
};

int ib_port_attr_to_speed_info(struct ib_port_attr *attr, struct ib_port_speed_info *speed_info)
{
	const int lanes = ib_width_enum_to_int(attr->active_width);
	const struct lane_speed *speed = &lane_speeds[0];

	for (size_t i = 0; i < ARRAY_SIZE(lane_speeds); i++) {
		if (lane_speeds[i].speed == attr->active_speed)
			speed = &lane_speeds[i];
	}
	speed_info->str = speed->name;
	speed_info->rate = speed->rate * lanes;
	if (lanes < 0)
		return base_refuse(-EINVAL, PORT_WIDTH, attr->active_width);
	return 0;
}
