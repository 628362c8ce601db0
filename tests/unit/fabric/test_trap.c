// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Traps: what is in them, when they come again, and when no more. Host A is the manager. */
#include "unit/fabric/subnet_fixture.h"

#define MS 1000000u
#define PERIOD_NS (4096ull << 18)

static struct ib_smp *trap(struct net *net, uint32_t i)
{
	struct ib_smp *smp = smp_of(&net->inbox[i]);

	assert_true(i < net->delivered);
	assert_int_equal(net->inbox_at[i].node, net->a);
	assert_int_equal(smp->base_version, 1);
	assert_int_equal(smp->mgmt_class, 1);
	assert_int_equal(smp->class_version, 1);
	assert_int_equal(smp->method, IB_MGMT_METHOD_TRAP);
	assert_int_equal(smp->attr_id, IB_SMP_ATTR_NOTICE);
	assert_int_equal(smp->mkey, 0);
	assert_true(smp->tid != 0);
	return smp;
}

static uint16_t number(const struct ib_smp *smp)
{
	return get_unaligned_be16(smp->data + 4);
}

static void repress(struct net *net, const struct ib_smp *smp, uint16_t lid)
{
	struct subnet_mad mad = net_smp(net, IB_MGMT_METHOD_TRAP_REPRESS, IB_SMP_ATTR_NOTICE, 0);
	const uint32_t before = net->delivered;

	smp_of(&mad)->tid = smp->tid;
	memcpy(smp_of(&mad)->data, smp->data, 64);
	mad.slid = 1;
	mad.dlid = lid;
	subnet_send_mad(net->subnet, AT(net->a, 1), &mad);
	assert_int_equal(net->delivered, before); /* no answer, and nobody else's */
}

static void cut(struct net *net)
{
	assert_true(subnet_set_link(net->subnet, AT(net->b, 1), false));
}

static void subnet_trap_link__until_it_is_repressed(void **state)
{
	struct net *net = *state;
	static const uint8_t expected[12] = {0x81, 0, 0, 2, 0, 128, 0, 3, 0, 0, 0, 3};
	struct ib_smp *smp;

	net_configure(net);
	net->takes = true;
	cut(net);
	net_turn(net, 0);
	assert_int_equal(net->delivered, 1);
	smp = trap(net, 0);
	assert_memory_equal(smp->data, expected, 12);
	assert_int_equal(net->inbox[0].slid, 3);
	assert_int_equal(net->inbox[0].dlid, 1);
	net_turn(net, PERIOD_NS - MS);
	assert_int_equal(net->delivered, 1);
	for (uint32_t i = 2; i < 6; i++) {
		net_turn(net, PERIOD_NS);
		assert_int_equal(net->delivered, i);
		assert_memory_equal(trap(net, i - 1), smp, 256);
	}
	repress(net, smp, 3);
	net_turn(net, 100 * PERIOD_NS);
	assert_int_equal(net->delivered, 5);
	assert_true(base_host_idle());
}

static void subnet_trap__not_more_than_one_in_its_time(void **state)
{
	struct net *net = *state;

	net_configure(net);
	net->takes = true;
	cut(net);
	net_turn(net, 0);
	repress(net, trap(net, 0), 3);
	subnet_set_link(net->subnet, AT(net->b, 1), true);
	net_turn(net, PERIOD_NS / 2);
	assert_int_equal(net->delivered, 1);
	net_turn(net, PERIOD_NS);
	assert_int_equal(net->delivered, 2);
	assert_int_equal(number(trap(net, 1)), 128);
	assert_true(trap(net, 1)->tid != trap(net, 0)->tid);
}

static void subnet_trap__as_often_as_subnet_timeout_says(void **state)
{
	struct net *net = *state;
	const uint8_t timeout[][2] = {{51, 10}};

	net_configure(net);
	net->takes = true;
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 0, timeout, 1), 0);
	cut(net);
	net_turn(net, 0);
	for (uint32_t i = 0; i < 5; i++)
		net_turn(net, 4096u << 10);
	assert_int_equal(net->delivered, 6);
}

static void subnet_trap__the_most_urgent_first(void **state)
{
	struct net *net = *state;

	net_configure(net);
	net->takes = true;
	cut(net);
	net_turn(net, 0); /* 128 is out */
	repress(net, trap(net, 0), 3);
	subnet_set_description(net->subnet, net->sw, "new");
	subnet_set_system_guid(net->subnet, net->sw, 0x1234);
	subnet_set_link(net->subnet, AT(net->b, 1), true);
	net_turn(net, PERIOD_NS);
	assert_int_equal(number(trap(net, 1)), 128);
	repress(net, trap(net, 1), 3);
	net_turn(net, PERIOD_NS);
	net_turn(net, PERIOD_NS);
	assert_int_equal(net->delivered, 4);
	/* Two that are alike take turns. */
	assert_int_equal(number(trap(net, 2)), 144);
	assert_int_equal(number(trap(net, 3)), 145);
	assert_int_equal(get_unaligned_be16(trap(net, 3)->data + 12), 3);
	assert_true(get_unaligned_be64(trap(net, 3)->data + 16) == 0x1234);
	repress(net, trap(net, 2), 3);
	repress(net, trap(net, 3), 3);
	net_turn(net, 10 * PERIOD_NS);
	assert_int_equal(net->delivered, 4);
}

static void subnet_trap__only_from_an_active_port_that_knows_its_manager(void **state)
{
	struct net *net = *state;

	net->takes = true;
	cut(net); /* nobody has a LID yet */
	net_turn(net, PERIOD_NS);
	assert_int_equal(net->delivered, 0);
	subnet_set_link(net->subnet, AT(net->b, 1), true);
	net_configure(net);
	assert_int_equal(net_set_state(net, AT(net->b, 1), 0, 1), 0);
	net_turn(net, 0);
	assert_int_equal(net->delivered, 1); /* the switch */
	repress(net, trap(net, 0), 3);
	subnet_set_cap_mask(net->subnet, AT(net->b, 1), IB_PORT_SM, 0); /* it is Init */
	net_turn(net, 10 * PERIOD_NS);
	assert_int_equal(net->delivered, 1);
}

/* A port that goes down forgets what it wanted to say. */
static void subnet_trap__nothing_is_kept_while_down(void **state)
{
	struct net *net = *state;

	net_configure(net);
	net->takes = true;
	subnet_set_cap_mask(net->subnet, AT(net->b, 1), IB_PORT_SM, 0);
	net_turn(net, 0);
	assert_int_equal(number(trap(net, 0)), 144);
	cut(net);
	net_turn(net, 0);
	repress(net, trap(net, 1), 3);
	net_turn(net, 10 * PERIOD_NS);
	assert_int_equal(net->delivered, 2);
	assert_true(base_host_idle());
}

static void subnet_trap_change__what_has_changed(void **state)
{
	struct net *net = *state;
	const uint32_t mask = net_port(net, AT(net->b, 1)).cap_mask;
	const uint8_t *d;

	net_configure(net);
	net->takes = true;
	subnet_set_cap_mask(net->subnet, AT(net->b, 1), IB_PORT_SM, 0);
	subnet_set_cap_mask(net->subnet, AT(net->b, 1), IB_PORT_SM, 0); /* no change */
	net_turn(net, 0);
	d = trap(net, 0)->data;
	assert_int_equal(d[0], 0x84);
	assert_int_equal(d[3], 1);
	assert_int_equal(get_unaligned_be16(d + 6), 2);
	assert_int_equal(get_unaligned_be16(d + 12), 2);
	assert_int_equal(d[15], 0);
	assert_int_equal(get_unaligned_be32(d + 16), mask | IB_PORT_SM);
	assert_int_equal(get_unaligned_be16(d + 20), 0);
	/* A second change while the first is not repressed: one trap tells of both. */
	subnet_set_description(net->subnet, net->b, "new");
	subnet_set_cap_mask(net->subnet, AT(net->b, 1), 0, IB_PORT_SM);
	net_turn(net, PERIOD_NS);
	d = trap(net, 1)->data;
	assert_int_equal(d[15], 1);
	assert_int_equal(get_unaligned_be32(d + 16), mask);
	assert_int_equal(get_unaligned_be16(d + 20), 1);
	assert_true(trap(net, 0)->tid == trap(net, 1)->tid);
}

static void subnet_trap_threshold__each_port(void **state)
{
	struct net *net = *state;
	static const uint16_t numbers[] = {129, 130, 131};
	static const enum subnet_error errors[] = {SUBNET_ERROR_INTEGRITY, SUBNET_ERROR_OVERRUN,
						   SUBNET_ERROR_WATCHDOG};

	net_configure(net);
	net->takes = true;
	for (uint32_t i = 0; i < 3; i++) {
		if (i < 2) {
			subnet_error(net->subnet, AT(net->sw, 2), errors[i], 7);
			net_turn(net, PERIOD_NS);
			assert_int_equal(net->delivered, i);
		}
		subnet_error(net->subnet, AT(net->sw, 2), errors[i], 1);
		net_turn(net, PERIOD_NS);
		assert_int_equal(number(trap(net, i)), numbers[i]);
		assert_int_equal(trap(net, i)->data[0], 0x81);
		assert_int_equal(get_unaligned_be16(trap(net, i)->data + 12), 3);
		assert_int_equal(trap(net, i)->data[14], 2);
		repress(net, trap(net, i), 3);
	}
}

static void subnet_trap_mkey__who_has_tried(void **state)
{
	struct net *net = *state;
	const uint8_t key[][2] = {{7, 5}, {34, 0xc0}}, path[] = {1, 2};
	uint8_t data[64] = {0};
	const uint8_t *d;

	net_configure(net);
	net->takes = true;
	assert_int_equal(net_set_port_info(net, AT(net->b, 1), 0, key, 2), 0);
	net->mkey = 0x99;
	assert_int_equal(
		net_smp_at(net, AT(net->a, 1), path, 2, GET, IB_SMP_ATTR_NODE_INFO, 7, data), -1);
	net_turn(net, 0);
	d = trap(net, 0)->data;
	assert_int_equal(number(trap(net, 0)), 256);
	assert_int_equal(d[0], 0x82);
	assert_int_equal(get_unaligned_be16(d + 12), 0xffff);
	assert_int_equal(get_unaligned_be16(d + 14), 0xffff);
	assert_int_equal(d[16], 1);
	assert_int_equal(get_unaligned_be16(d + 18), 0x11);
	assert_int_equal(get_unaligned_be32(d + 20), 7);
	assert_true(get_unaligned_be64(d + 24) == 0x99);
	assert_int_equal(d[33], 0x80 | 2);
	assert_int_equal(d[34], 1);
	assert_int_equal(d[35], 1);
	/* Of a long route only the beginning. */
	{
		struct subnet_mad mad = net_smp(net, GET, IB_SMP_ATTR_NODE_INFO, 0), out;

		smp_of(&mad)->mgmt_class = 0x81;
		smp_of(&mad)->hop_cnt = 31;
		memset(smp_of(&mad)->return_path, 9, 64);
		assert_int_equal(subnet_process_mad(net->subnet, AT(net->b, 1), 0, &mad, &out), 5);
		net_turn(net, PERIOD_NS); /* the other one's turn */
		net_turn(net, PERIOD_NS);
		d = trap(net, 2)->data;
		assert_int_equal(d[33], 0xc0 | 30);
		assert_int_equal(d[34], 9);
		assert_int_equal(d[63], 9);
		net->mkey = 5;
		repress(net, trap(net, 2), 2);
		net->delivered = 1;
	}
	/* It is protected itself: the manager must know the key. */
	net->mkey = 0;
	repress(net, trap(net, 0), 2);
	net_turn(net, PERIOD_NS);
	assert_true(net->delivered > 1);
	net->mkey = 5;
	repress(net, trap(net, 0), 2);
}

static void subnet_trap_key__pkey_and_qkey(void **state)
{
	struct net *net = *state;
	struct subnet_mad header = {.slid = 9,
				    .dlid = 2,
				    .sl = 3,
				    .pkey = 0x8123,
				    .qkey = 0x11111111,
				    .src_qpn = 0x45,
				    .dest_qpn = 0x67};
	const uint8_t *d;

	net_configure(net);
	net->takes = true;
	subnet_bad_key(net->subnet, AT(net->b, 1), false, &header);
	subnet_bad_key(net->subnet, AT(net->b, 1), false, &header);
	assert_int_equal(net_port(net, AT(net->b, 1)).pkey_violations, 2);
	net_turn(net, 0);
	d = trap(net, 0)->data;
	assert_int_equal(number(trap(net, 0)), 257);
	assert_int_equal(get_unaligned_be16(d + 12), 9);
	assert_int_equal(get_unaligned_be16(d + 14), 2);
	assert_int_equal(get_unaligned_be32(d + 16), 0x8123);
	assert_int_equal(get_unaligned_be32(d + 20), 0x30000045);
	assert_int_equal(get_unaligned_be32(d + 24), 0x67);
	repress(net, trap(net, 0), 2);
	net_turn(net, PERIOD_NS);
	assert_int_equal(net->delivered, 1); /* the same twice is one */
	header.has_grh = true;
	memset(header.sgid, 7, 16);
	memset(header.dgid, 8, 16);
	subnet_bad_key(net->subnet, AT(net->b, 1), true, &header);
	net_turn(net, PERIOD_NS);
	d = trap(net, 1)->data;
	assert_int_equal(number(trap(net, 1)), 258);
	assert_int_equal(get_unaligned_be32(d + 16), 0x11111111);
	assert_memory_equal(d + 28, header.sgid, 16);
	assert_memory_equal(d + 44, header.dgid, 16);
	assert_int_equal(net_port(net, AT(net->b, 1)).qkey_violations, 1);
}

static void subnet_trap_enforced__which_switch_and_port(void **state)
{
	struct net *net = *state;
	const uint8_t in[][2] = {{43, 0x48}};
	struct subnet_path path;
	const uint8_t *d;

	net_configure(net);
	net->takes = true;
	assert_int_equal(net_set_port_info(net, AT(net->sw, 0), 1, in, 1), 0);
	subnet_resolve(net->subnet, AT(net->a, 1), 2, 5, 0x8123, &path);
	assert_int_equal(path.verdict, SUBNET_BAD_PKEY);
	net_turn(net, 0);
	d = trap(net, 0)->data;
	assert_int_equal(number(trap(net, 0)), 259);
	assert_int_equal(get_unaligned_be16(d + 12), 1);
	assert_int_equal(get_unaligned_be16(d + 14), 2);
	assert_int_equal(get_unaligned_be16(d + 16), 0x8123);
	assert_int_equal(d[18], 0x50);
	assert_int_equal(get_unaligned_be16(d + 58), 3);
	assert_int_equal(d[60], 1);
}

/* A manager that represses nothing does not make it keep ever more. */
static void subnet_trap__has_a_limit(void **state)
{
	struct net *net = *state;
	struct subnet_mad header = {.slid = 9, .dlid = 2};
	const size_t before = base_alloc_live();

	net_configure(net);
	net->takes = true;
	for (uint32_t i = 0; i < 1000; i++) {
		header.pkey = (uint16_t)i;
		subnet_bad_key(net->subnet, AT(net->b, 1), false, &header);
	}
	assert_true(base_alloc_live() < before + 32);
	for (uint32_t i = 0; i < 40; i++)
		net_turn(net, PERIOD_NS);
	/* Each gets its turn. */
	assert_true(trap(net, 0)->tid == trap(net, 16)->tid);
	for (uint32_t i = 1; i < 16; i++)
		assert_true(trap(net, i)->tid != trap(net, 0)->tid);
}

static const struct CMUnitTest tests[] = {
	NET_TEST(subnet_trap_link__until_it_is_repressed),
	NET_TEST(subnet_trap__not_more_than_one_in_its_time),
	NET_TEST(subnet_trap__as_often_as_subnet_timeout_says),
	NET_TEST(subnet_trap__the_most_urgent_first),
	NET_TEST(subnet_trap__only_from_an_active_port_that_knows_its_manager),
	NET_TEST(subnet_trap__nothing_is_kept_while_down),
	NET_TEST(subnet_trap_change__what_has_changed),
	NET_TEST(subnet_trap_threshold__each_port),
	NET_TEST(subnet_trap_mkey__who_has_tried),
	NET_TEST(subnet_trap_key__pkey_and_qkey),
	NET_TEST(subnet_trap_enforced__which_switch_and_port),
	NET_TEST(subnet_trap__has_a_limit),
};

int main(void)
{
	return verbena_test_main(tests);
}
