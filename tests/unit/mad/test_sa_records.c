// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Paths on the wire: where each member is, and that it comes back. */
#include <rdma/ib_sa.h>
#include <string.h>

#include "common/test.h"

/* A path of which all members differ, on the wire. */
static const u8 wire[64] = {
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, /* service */
	0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xdb,
	0xdc, 0xdd, 0xde, 0xdf, 0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7,
	0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed, 0xee, 0xef, 0x12, 0x34, 0x56, 0x78, /* LIDs */
	0x8a, 0xbc, 0xde, 0x40, /* raw, flow label, hop limit */
	0x9a, 0x83,		/* traffic class; reversible, 3 paths */
	0xab, 0xcd,		/* P_Key */
	0x12, 0x35,		/* QoS class, SL */
	0x84, 0x47, 0xd2, 0x0f, /* MTU, rate, life time, preference */
};

static struct sa_path_rec path(void)
{
	struct sa_path_rec rec;

	memset(&rec, 0, sizeof(rec));
	rec.service_id = cpu_to_be64(0x0102030405060708ull);
	memcpy(rec.dgid.raw, wire + 8, 16);
	memcpy(rec.sgid.raw, wire + 24, 16);
	sa_path_set_dlid(&rec, 0x1234);
	sa_path_set_slid(&rec, 0x5678);
	rec.ib.raw_traffic = 1;
	rec.flow_label = cpu_to_be32(0xabcde);
	rec.hop_limit = 0x40;
	rec.traffic_class = 0x9a;
	rec.reversible = 1;
	rec.numb_path = 3;
	rec.pkey = cpu_to_be16(0xabcd);
	rec.qos_class = cpu_to_be16(0x123);
	rec.sl = 5;
	rec.mtu_selector = IB_SA_EQ;
	rec.mtu = 4;
	rec.rate_selector = IB_SA_LT;
	rec.rate = 7;
	rec.packet_life_time_selector = IB_SA_BEST;
	rec.packet_life_time = 18;
	rec.preference = 15;
	return rec;
}

static void path__on_the_wire(void **state)
{
	struct sa_path_rec rec = path();
	u8 packed[64];

	(void)state;
	memset(packed, 0xff, sizeof(packed));
	ib_sa_pack_path(&rec, packed);
	assert_memory_equal(packed, wire, sizeof(wire));
}

static void path__from_the_wire(void **state)
{
	const struct sa_path_rec expected = path();
	struct sa_path_rec rec;
	u8 copy[64];

	(void)state;
	memset(&rec, 0, sizeof(rec));
	memcpy(copy, wire, 64);
	ib_sa_unpack_path(copy, &rec);
	assert_memory_equal(&rec, &expected, sizeof(rec));
}

static void path__lids_by_kind(void **state)
{
	struct sa_path_rec rec = {.rec_type = SA_PATH_REC_TYPE_OPA};
	const u8 mac[6] = {1, 2, 3, 4, 5, 6};

	(void)state;
	sa_path_set_dlid(&rec, 0x12345678);
	sa_path_set_slid(&rec, 0x9abcdef0);
	assert_int_equal(be32_to_cpu(sa_path_get_dlid(&rec)), 0x12345678);
	assert_int_equal(be32_to_cpu(sa_path_get_slid(&rec)), 0x9abcdef0);
	assert_null(sa_path_get_dmac(&rec));
	memset(&rec, 0, sizeof(rec));
	sa_path_set_dlid(&rec, 0xbeef);
	sa_path_set_dmac(&rec, mac);
	assert_int_equal(be32_to_cpu(sa_path_get_dlid(&rec)), 0xbeef);
	memset(&rec, 0, sizeof(rec));
	rec.rec_type = SA_PATH_REC_TYPE_ROCE_V2;
	sa_path_set_dlid(&rec, 5);
	assert_int_equal(sa_path_get_dlid(&rec), 0);
	sa_path_set_dmac(&rec, mac);
	assert_memory_equal(sa_path_get_dmac(&rec), mac, 6);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(path__on_the_wire),
	cmocka_unit_test(path__from_the_wire),
	cmocka_unit_test(path__lids_by_kind),
};

int main(void)
{
	return verbena_test_main(tests);
}
