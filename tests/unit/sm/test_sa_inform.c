// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* InformInfo: subscriptions, and who is told what. */
#include "unit/sm/sa_fixture.h"

static uint8_t info[40];

/* All traps of all. */
static void anything(void)
{
	memset(info, 0, sizeof(info));
	sa_put16(info + 16, 0xffff);
	info[22] = 1;
	info[23] = 1;
	sa_put16(info + 24, 0xffff);
	sa_put16(info + 26, 0xffff);
	info[31] = 19;
	memset(info + 33, 0xff, 3);
}

static uint16_t set(uint32_t host)
{
	return world_ask(host, SET, IB_SA_ATTR_INFORM_INFO, 0, info, sizeof(info));
}

static uint16_t trap_of(uint32_t i)
{
	assert_true(i < world.reports);
	return sa_get16(world.report[i].data + 4);
}

/* A trap 128 of the switch of a pair. */
static void trap(uint16_t number, uint16_t lid, uint8_t type, uint8_t producer)
{
	uint8_t notice[64] = {type, 0, 0, producer};

	sa_put16(notice + 4, number);
	sa_put16(notice + 6, lid);
	sa_put16(notice + 10, lid);
	notice[63] = 0x5a;
	world.reports = 0;
	sa_trap(world.sa, notice);
}

static void subscribe__answer(void **state)
{
	(void)state;
	world_make(topology_pair());
	anything();
	assert_int_equal(set(1), 0);
	assert_int_equal(world_record_bytes(), 40);
	assert_int_equal(sa_get16(world_record(0) + 16), 0xffff);
	assert_int_equal(sa_get32(world_record(0) + 28), 2 << 8 | 19); /* its QP */
}

static void report__layout(void **state)
{
	uint8_t gid[16];
	const struct ib_sa_mad *mad;

	(void)state;
	world_make(topology_pair());
	anything();
	assert_int_equal(set(1), 0);
	trap(128, 3, 0x81, 2);
	assert_int_equal(world.reports, 1);
	assert_int_equal(world.report_to[0].lid, world_lid(1));
	assert_int_equal(world.report_to[0].qpn, 2);
	mad = &world.report[0];
	assert_int_equal(mad->mad_hdr.base_version, 1);
	assert_int_equal(mad->mad_hdr.mgmt_class, 3);
	assert_int_equal(mad->mad_hdr.class_version, 2);
	assert_int_equal(mad->mad_hdr.method, IB_MGMT_METHOD_REPORT);
	assert_int_equal(be16_to_cpu(mad->mad_hdr.attr_id), IB_SA_ATTR_NOTICE);
	assert_int_not_equal(mad->mad_hdr.tid, 0);
	assert_int_equal(mad->data[0], 0x81);
	assert_int_equal(trap_of(0), 128);
	assert_int_equal(mad->data[63], 0x5a);
	sa_put_gid(world.sa, gid, world.sm->net->port[world.sm->net->by_lid[3]].guid);
	assert_memory_equal(mad->data + 64, gid, 16);
}

static void report__each_has_a_tid(void **state)
{
	(void)state;
	world_make(topology_pair());
	anything();
	assert_int_equal(set(0), 0);
	assert_int_equal(set(1), 0);
	trap(128, 3, 0x81, 2);
	assert_int_equal(world.reports, 2);
	assert_int_not_equal(world.report[0].mad_hdr.tid, world.report[1].mad_hdr.tid);
}

/* Each component of the subscription counts. */
static void report__who_wants_it(void **state)
{
	static const struct {
		uint32_t at;
		uint16_t right, wrong;
	} parts[] = {{24, 1, 2}, {26, 128, 129}, {34, 2, 1}};

	(void)state;
	world_make(topology_pair());
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (uint32_t wrong = 0; wrong < 2; wrong++) {
			anything();
			if (parts[i].at == 34)
				info[33] = 0;
			sa_put16(info + parts[i].at, wrong ? parts[i].wrong : parts[i].right);
			assert_int_equal(set(1), 0);
			trap(128, 3, 0x81, 2);
			assert_int_equal(world.reports, !wrong);
			info[23] = 0;
			assert_int_equal(set(1), 0);
		}
	anything();
	info[22] = 0; /* vendors' traps only */
	assert_int_equal(set(1), 0);
	trap(128, 3, 0x81, 2);
	assert_int_equal(world.reports, 0);
	trap(128, 3, 0x01, 2);
	assert_int_equal(world.reports, 1);
}

static void report__of_whom(void **state)
{
	(void)state;
	world_make(topology_pair());
	anything();
	sa_put16(info + 16, 2);
	sa_put16(info + 18, 3);
	assert_int_equal(set(1), 0);
	for (uint16_t lid = 1; lid < 6; lid++) {
		trap(128, lid, 0x81, 2);
		assert_int_equal(world.reports, lid == 2 || lid == 3);
	}
	info[23] = 0;
	assert_int_equal(set(1), 0);
	anything();
	world_gid(0, info); /* the LIDs do not matter then */
	sa_put16(info + 16, 2);
	sa_put16(info + 18, 3);
	assert_int_equal(set(1), 0);
	for (uint16_t lid = 1; lid < 6; lid++) {
		trap(128, lid, 0x81, 2);
		assert_int_equal(world.reports, lid == world_lid(0));
	}
}

static void subscribe__twice_is_once(void **state)
{
	(void)state;
	world_make(topology_pair());
	anything();
	assert_int_equal(set(1), 0);
	assert_int_equal(set(1), 0);
	trap(128, 3, 0x81, 2);
	assert_int_equal(world.reports, 1);
	sa_put16(info + 26, 128);
	assert_int_equal(set(1), 0);
	trap(128, 3, 0x81, 2);
	assert_int_equal(world.reports, 2);
}

static void unsubscribe__one_of_several(void **state)
{
	(void)state;
	world_make(topology_pair());
	anything();
	assert_int_equal(set(0), 0);
	assert_int_equal(set(1), 0);
	info[23] = 0;
	assert_int_equal(set(0), 0);
	assert_int_equal(set(0), SA_INVALID);
	trap(128, 3, 0x81, 2);
	assert_int_equal(world.reports, 1);
	assert_int_equal(world.report_to[0].lid, world_lid(1));
	sa_put16(info + 26, 64);
	assert_int_equal(set(1), SA_INVALID); /* not that one */
}

static void subscribe__refused(void **state)
{
	struct sa_peer from = {.lid = 0x77, .qpn = 1};
	struct ib_sa_mad mad;

	(void)state;
	world_make(topology_pair());
	anything();
	info[23] = 2;
	assert_int_equal(set(1), SA_INVALID);
	anything();
	info[22] = 2;
	assert_int_equal(set(1), SA_INVALID);
	anything();
	info[0] = 0xfe;
	assert_int_equal(set(1), SA_INVALID_GID);
	anything();
	world_head(&mad, SET, IB_SA_ATTR_INFORM_INFO, 0);
	memcpy(mad.data, info, sizeof(info));
	base_free(world.reply.mad);
	sa_request(world.sa, &from, 0, &mad, sizeof(mad), &world.reply);
	assert_non_null(world.reply.mad);
	assert_int_equal(sa_get16(world.reply.mad + 4), SA_INVALID);
}

static void record__layout_and_components(void **state)
{
	uint8_t record[64] = {0};

	(void)state;
	world_make(topology_pair());
	anything();
	assert_int_equal(set(0), 0);
	assert_int_equal(set(1), 0);
	world_gid(1, record);
	assert_int_equal(world_table(IB_SA_ATTR_INFORM_INFO_REC, C(0), record, 64), 1);
	assert_int_equal(world_record_bytes(), 64);
	memcpy(record, world_record(0), 64);
	assert_int_equal(sa_get16(record + 16), 2);
	assert_int_equal(record[24 + 22], 1);
	world_check_components(&sa_inform_info_record, record, 0xafbb);
}

/* Traps of our own. */
static void traps__of_groups(void **state)
{
	uint8_t record[56] = {0xff, 0x12, 0xa0, [15] = 9, [40] = 0xff, 0xff, [48] = 1};

	(void)state;
	world_make(topology_pair());
	anything();
	assert_int_equal(set(1), 0);
	world_gid(0, record + 16);
	assert_int_equal(world_ask(0, SET, IB_SA_ATTR_MC_MEMBER_REC,
				   C(0) | C(1) | C(2) | C(6) | C(7) | C(12) | C(13) | C(16), record,
				   56),
			 0);
	assert_int_equal(world.reports, 1);
	assert_int_equal(trap_of(0), 66);
	assert_int_equal(world.report[0].data[0], 0x83);
	assert_int_equal(world.report[0].data[3], 4);
	assert_int_equal(sa_get16(world.report[0].data + 6), sm_lid(world.sm));
	assert_memory_equal(world.report[0].data + 16, record, 16);
	assert_int_equal(sa_get64(world.report[0].data + 72), world_guid(0));
	assert_int_equal(
		world_ask(0, DELETE, IB_SA_ATTR_MC_MEMBER_REC, C(0) | C(1) | C(16), record, 56), 0);
	assert_int_equal(world.reports, 2);
	assert_int_equal(trap_of(1), 67);
	assert_memory_equal(world.report[1].data + 16, record, 16);
}

static void traps__of_ports(void **state)
{
	uint8_t gid[16];

	(void)state;
	world_make(topology_leaf_spine(1, 3, 1));
	anything();
	assert_int_equal(set(1), 0);
	world_sweep();
	assert_int_equal(world.reports, 0);
	world_gid(2, gid);
	assert_true(subnet_set_link(world.subnet, world_at(2, 1), false));
	world_sweep();
	assert_int_equal(world.reports, 1);
	assert_int_equal(trap_of(0), 65);
	assert_memory_equal(world.report[0].data + 16, gid, 16);
	assert_true(subnet_set_link(world.subnet, world_at(2, 1), true));
	world_sweep();
	assert_int_equal(world.reports, 2);
	assert_int_equal(trap_of(1), 64);
	assert_memory_equal(world.report[1].data + 16, gid, 16);
}

static void port__that_goes_is_told_nothing(void **state)
{
	(void)state;
	world_make(topology_leaf_spine(1, 3, 1));
	anything();
	assert_int_equal(set(1), 0);
	assert_true(subnet_set_link(world.subnet, world_at(1, 1), false));
	world_sweep();
	assert_int_equal(world.reports, 0);
	trap(128, 3, 0x81, 2);
	assert_int_equal(world.reports, 0);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(subscribe__answer),
	WORLD_TEST(report__layout),
	WORLD_TEST(report__each_has_a_tid),
	WORLD_TEST(report__who_wants_it),
	WORLD_TEST(report__of_whom),
	WORLD_TEST(subscribe__twice_is_once),
	WORLD_TEST(unsubscribe__one_of_several),
	WORLD_TEST(subscribe__refused),
	WORLD_TEST(record__layout_and_components),
	WORLD_TEST(traps__of_groups),
	WORLD_TEST(traps__of_ports),
	WORLD_TEST(port__that_goes_is_told_nothing),
};

int main(void)
{
	return verbena_test_main(tests);
}
