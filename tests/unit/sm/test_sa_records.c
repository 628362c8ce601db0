// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Records of what the manager has found: their layout, and every component. */
#include "unit/sm/sa_fixture.h"

static const uint8_t nothing[SA_MOST_RECORD];

static uint16_t switch_lid(uint32_t node)
{
	struct subnet_port_view view;

	assert_int_equal(subnet_query_port(world.subnet, world_at(node, 0), &view), 0);
	return view.lid;
}

static void node__layout(void **state)
{
	uint8_t asked[112] = {0};
	const uint8_t *r;

	(void)state;
	world_make(topology_pair());
	sa_put16(asked, world_lid(1));
	assert_int_equal(world_table(IB_SA_ATTR_NODE_REC, C(0), asked, 112), 1);
	assert_int_equal(world_record_bytes(), 112);
	r = world_record(0);
	assert_int_equal(sa_get16(r), world_lid(1));
	assert_int_equal(r[4], 1);
	assert_int_equal(r[6], 1);
	assert_int_equal(r[7], 1);
	assert_int_equal(sa_get64(r + 24), world_guid(1));
	assert_int_equal(r[40], 1);
	assert_string_equal((const char *)r + 44, "host-1");
	assert_int_equal(world_table(IB_SA_ATTR_NODE_REC, 0, nothing, 0), 3);
}

static void node__every_component(void **state)
{
	uint8_t record[112] = {0};

	(void)state;
	world_make(topology_leaf_spine(2, 2, 2));
	sa_put16(record, world_lid(1));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_NODE_REC, C(0), record, 112), 0);
	memcpy(record, world_record(0), 112);
	world_check_components(&sa_node_record, record, 0x7ffd);
	sa_put16(record, switch_lid(4));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_NODE_REC, C(0), record, 112), 0);
	memcpy(record, world_record(0), 112);
	assert_int_equal(record[6], 2);
	world_check_components(&sa_node_record, record, 0x7ffd);
}

/* Both ports of an adapter have a record, each with its own GUID and number. */
static void node__ports_of_an_adapter(void **state)
{
	static const char text[] =
		"Switch 4 \"s\"\n[1] \"a\"[1]\n[2] \"a\"[2]\n[3] \"b\"[1]\n"
		"Hca 1 \"b\"\n[1] \"s\"[3]\nHca 2 \"a\"\n[1] \"s\"[1]\n[2] \"s\"[2]\n";
	struct topology_error error;
	struct topology *plan;
	uint8_t asked[112] = {0};
	struct subnet_port_view view;

	(void)state;
	assert_int_equal(topology_parse(text, sizeof(text) - 1, &plan, &error), 0);
	/* the manager's host is to be the first node */
	world_make_unswept(plan);
	{
		const uint32_t first = world.node[0];

		world.node[0] = world.node[1];
		world.node[1] = first;
	}
	world_sweep();
	assert_true(sm_is_up(world.sm));
	for (uint8_t port = 1; port <= 2; port++) {
		assert_int_equal(subnet_query_port(world.subnet, world_at(2, port), &view), 0);
		sa_put64(asked + 24, view.guid);
		assert_int_equal(world_table(IB_SA_ATTR_NODE_REC, C(8), asked, 112), 1);
		assert_int_equal(sa_get16(world_record(0)), view.lid);
		assert_int_equal(world_record(0)[40], port);
		assert_int_equal(world_record(0)[7], 2);
	}
}

static void port_info__layout(void **state)
{
	uint8_t asked[72] = {0};
	const uint8_t *r;

	(void)state;
	world_make(topology_pair());
	sa_put16(asked, world_lid(1));
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, C(0), asked, 72), 1);
	assert_int_equal(world_record_bytes(), 72);
	r = world_record(0);
	assert_int_equal(sa_get16(r), world_lid(1));
	assert_int_equal(r[2], 1);
	assert_int_equal(sa_get64(r + 12), 0xfe80000000000000ull);
	assert_int_equal(sa_get16(r + 20), world_lid(1));
	assert_int_equal(sa_get16(r + 22), sm_lid(world.sm));
	assert_int_equal(r[36] & 0xf, IB_PORT_ACTIVE);
	sa_put16(asked, switch_lid(2));
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, C(0), asked, 72), 9);
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, 0, nothing, 0), 11);
}

static void port_info__every_component(void **state)
{
	static const uint64_t components = ((1ull << 57) - 1) &
					   ~(C(2) | C(19) | C(43) | C(45) | C(50) | C(55));
	uint8_t record[72] = {0};

	(void)state;
	world_make(topology_leaf_spine(2, 2, 2));
	world.key = SM_DEFAULT_KEY;
	sa_put16(record, world_lid(1));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PORT_INFO_REC, C(0), record, 72), 0);
	memcpy(record, world_record(0), 72);
	world_check_components(&sa_port_info_record, record, components);
}

/* CapabilityMask2 and extended speeds lie behind what struct ib_port_info has. */
static void port_info__all_of_it(void **state)
{
	struct topology *plan = topology_pair();
	uint8_t asked[72] = {0};

	(void)state;
	assert_non_null(plan);
	for (uint32_t i = 0; i < plan->count; i++)
		plan->node[i].config.speed_ext = 3;
	world_make(plan);
	sa_put16(asked, world_lid(1));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PORT_INFO_REC, C(0), asked, 72), 0);
	assert_int_equal(world_record(0)[66], 0x23); /* EDR, of FDR and EDR */
	asked[66] = 0x20;
	assert_int_not_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, C(53), asked, 72), 0);
	asked[66] = 0x10;
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, C(53), asked, 72), 0);
}

/* Bit 31 of the modifier: those that have at least these capabilities. */
static void port_info__capabilities(void **state)
{
	uint8_t asked[72] = {0};

	(void)state;
	world_make(topology_pair());
	subnet_set_cap_mask(world.subnet, world_at(1, 1), IB_PORT_DEVICE_MGMT_SUP, 0);
	world_sweep();
	sa_put32(asked + 24, IB_PORT_DEVICE_MGMT_SUP);
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, C(7), asked, 72), 0);
	world.modifier = 1u << 31;
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, C(7), asked, 72), 1);
	assert_int_equal(sa_get16(world_record(0)), world_lid(1));
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, 0, asked, 72), 11);
}

static void port_info__m_key_is_for_who_has_the_key(void **state)
{
	uint8_t asked[72] = {0};
	uint32_t port;

	(void)state;
	world_make(topology_pair());
	port = sm_port_of_guid(world.sm, world.sm->net, world_guid(1));
	world.sm->net->port[port].info.mkey = cpu_to_be64(0x4711);
	sa_put16(asked, world_lid(1));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PORT_INFO_REC, C(0), asked, 72), 0);
	assert_int_equal(sa_get64(world_record(0) + 4), 0);
	sa_put64(asked + 4, 0x4711);
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, C(3), asked, 72), 0);
	world.key = SM_DEFAULT_KEY;
	assert_int_equal(world_table(IB_SA_ATTR_PORT_INFO_REC, C(3), asked, 72), 1);
}

static void link__layout_and_components(void **state)
{
	uint8_t record[8] = {0};

	(void)state;
	world_make(topology_leaf_spine(2, 2, 2));
	assert_int_equal(world_table(IB_SA_ATTR_LINK_REC, 0, nothing, 0), 2 * (4 + 4));
	assert_int_equal(world_record_bytes(), 8);
	sa_put16(record, world_lid(3));
	assert_int_equal(world_table(IB_SA_ATTR_LINK_REC, C(0), record, 8), 1);
	memcpy(record, world_record(0), 8);
	assert_int_equal(record[2], 1);
	assert_int_equal(sa_get16(record + 4), switch_lid(5));
	world_check_components(&sa_link_record, record, 0xf);
	assert_int_equal(world_table(IB_SA_ATTR_LINK_REC, C(0) | C(3), record, 8), 1);
	sa_put16(record + 4, switch_lid(4));
	assert_int_equal(world_table(IB_SA_ATTR_LINK_REC, C(0) | C(3), record, 8), 0);
}

static void switch__layout_and_components(void **state)
{
	struct topology *plan = topology_pair();
	uint8_t record[24] = {0};

	(void)state;
	assert_non_null(plan);
	plan->node[2].config.linear_cap = 0x123;
	plan->node[2].config.multicast_cap = 0x45;
	world_make(plan);
	assert_int_equal(world_table(IB_SA_ATTR_SWITCH_REC, 0, nothing, 0), 1);
	assert_int_equal(world_record_bytes(), 24);
	memcpy(record, world_record(0), 24);
	assert_int_equal(sa_get16(record), switch_lid(2));
	assert_int_equal(sa_get16(record + 4), 0x123);
	assert_int_equal(sa_get16(record + 8), 0x45);
	assert_int_equal(sa_get16(record + 10), 3); /* as it was set */
	assert_int_equal(record[15], 0x12 << 3);
	world_check_components(&sa_switch_record, record, 0x3fffd);
}

static void lft__is_what_the_hardware_has(void **state)
{
	uint8_t record[72] = {0};

	(void)state;
	world_make(topology_leaf_spine(2, 30, 2));
	assert_int_equal(world_table(IB_SA_ATTR_LINEAR_FDB_REC, 0, nothing, 0), 4 * 2);
	assert_int_equal(world_record_bytes(), 72);
	sa_put16(record, switch_lid(60));
	sa_put16(record + 2, 1);
	assert_int_equal(world_table(IB_SA_ATTR_LINEAR_FDB_REC, C(0), record, 72), 2);
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_LINEAR_FDB_REC, C(0) | C(1), record, 72), 0);
	memcpy(record, world_record(0), 72);
	world_check_components(&sa_lft_record, record, 0x3);
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_LINEAR_FDB_REC, C(0) | C(1),
				   (sa_put16(record + 2, 0), record), 72),
			 0);
	for (uint32_t i = 0; i < 30; i++)
		if (world_lid(i) < 64)
			assert_int_equal(world_record(0)[8 + world_lid(i)],
					 world.plan->node[i].peer[1].port);
}

static void mft__layout_and_components(void **state)
{
	uint8_t record[72] = {0};
	struct sm_group *group;

	(void)state;
	world_make(topology_leaf_spine(2, 20, 1));
	group = sm_group_add(world.sm, 0xc000 + 33);
	assert_non_null(group);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(sm_group_set_member(world.sm, group,
						     &(struct sm_member){world_guid(i), 1, false}),
				 0);
	sm_regroup(world.sm);
	world_run();
	sa_put16(record, switch_lid(40));
	sa_put16(record + 2, 1 << 12 | 1); /* ports 16 to 31, groups 32 to 63 */
	assert_int_equal(
		world_ask(0, GET, IB_SA_ATTR_MCAST_FDB_REC, C(0) | C(1) | C(3), record, 72), 0);
	assert_int_equal(world_record_bytes(), 72);
	memcpy(record, world_record(0), 72);
	assert_int_equal(sa_get16(record + 8 + 2), 0x003f); /* hosts at 16 to 20, a spine at 21 */
	assert_int_equal(sa_get16(record + 8), 0);
	world_check_components(&sa_mft_record, record, 0xb);
}

static void sm_info__says_who_is_master(void **state)
{
	uint8_t record[32];

	(void)state;
	world_make(topology_pair());
	assert_int_equal(world_table(IB_SA_ATTR_SM_INFO_REC, 0, nothing, 0), 1);
	assert_int_equal(world_record_bytes(), 32);
	assert_int_equal(sa_get64(world_record(0) + 12), 0);
	world.key = SM_DEFAULT_KEY;
	assert_int_equal(world_table(IB_SA_ATTR_SM_INFO_REC, 0, nothing, 0), 1);
	memcpy(record, world_record(0), 32);
	assert_int_equal(sa_get16(record), world_lid(0));
	assert_int_equal(sa_get64(record + 4), world_guid(0));
	assert_int_equal(sa_get64(record + 12), SM_DEFAULT_KEY);
	assert_int_not_equal(sa_get32(record + 20), 0);
	assert_int_equal(record[24], SM_MASTER);
	world_check_components(&sa_sm_info_record, record, 0x7d);
}

/* A further GUID of a host, as if another tool had set it. */
static void set_guid(uint32_t host, uint32_t entry, uint64_t guid)
{
	struct subnet_mad in = {.pkey = 0xffff}, out;
	struct ib_smp *smp = (struct ib_smp *)(void *)in.data;

	ib_init_query_mad(smp);
	smp->attr_id = IB_SMP_ATTR_GUID_INFO;
	smp->tid = cpu_to_be64(1);
	assert_int_equal(subnet_process_mad(world.subnet, world_at(host, 1), 0, &in, &out) & 2, 2);
	memcpy(smp->data, ((struct ib_smp *)(void *)out.data)->data, sizeof(smp->data));
	smp->method = SET;
	sa_put64(smp->data + (size_t)8 * entry, guid);
	assert_int_equal(subnet_process_mad(world.subnet, world_at(host, 1), 0, &in, &out) & 2, 2);
	assert_int_equal(((struct ib_smp *)(void *)out.data)->status, 0);
}

static void guid_info__layout_and_components(void **state)
{
	uint8_t record[72] = {0}, path[64] = {0};

	(void)state;
	world_make(topology_pair());
	set_guid(1, 3, 0x1234567890abcdefull);
	world_sweep();
	sa_put16(record, world_lid(1));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_GUID_INFO_REC, C(0), record, 72), 0);
	assert_int_equal(world_record_bytes(), 72);
	memcpy(record, world_record(0), 72);
	assert_int_equal(record[2], 0);
	assert_int_equal(sa_get64(record + 8), world_guid(1));
	assert_int_equal(sa_get64(record + 8 + 24), 0x1234567890abcdefull);
	assert_int_equal(sa_get64(record + 8 + 32), 0);
	world_check_components(&sa_guid_info_record, record, 0xff3);
	/* and a path leads there */
	sa_put64(path + 8, 0xfe80000000000000ull);
	sa_put64(path + 16, 0x1234567890abcdefull);
	world_gid(0, path + 24);
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PATH_REC, C(2) | C(3), path, 64), 0);
	assert_memory_equal(world_record(0) + 8, path + 8, 16);
	assert_int_equal(sa_get16(world_record(0) + 40), world_lid(1));
	sa_put64(path + 16, 0x1234567890abcdeeull);
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PATH_REC, C(2) | C(3), path, 64),
			 SA_INVALID_GID);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(node__layout),
	WORLD_TEST(node__every_component),
	WORLD_TEST(node__ports_of_an_adapter),
	WORLD_TEST(port_info__layout),
	WORLD_TEST(port_info__every_component),
	WORLD_TEST(port_info__all_of_it),
	WORLD_TEST(port_info__capabilities),
	WORLD_TEST(port_info__m_key_is_for_who_has_the_key),
	WORLD_TEST(link__layout_and_components),
	WORLD_TEST(switch__layout_and_components),
	WORLD_TEST(lft__is_what_the_hardware_has),
	WORLD_TEST(mft__layout_and_components),
	WORLD_TEST(sm_info__says_who_is_master),
	WORLD_TEST(guid_info__layout_and_components),
};

int main(void)
{
	return verbena_test_main(tests);
}
