// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Partitions: who can send to whom, who may join, and the tables as records. */
#include "unit/sm/sa_fixture.h"

#define SERVICE (C(0) | C(1) | C(2))

/* The first entries of a host's P_Key table, as if another tool had set them. */
static void set_pkeys(uint32_t host, uint16_t first, uint16_t second)
{
	struct subnet_mad in = {.pkey = 0xffff}, out;
	struct ib_smp *smp = (struct ib_smp *)(void *)in.data;

	ib_init_query_mad(smp);
	smp->method = SET;
	smp->attr_id = IB_SMP_ATTR_PKEY_TABLE;
	smp->tid = cpu_to_be64(1);
	sa_put16(smp->data, first);
	sa_put16(smp->data + 2, second);
	assert_int_equal(subnet_process_mad(world.subnet, world_at(host, 1), 0, &in, &out) & 2, 2);
	assert_int_equal(((struct ib_smp *)(void *)out.data)->status, 0);
}

static uint16_t path(uint32_t from, uint32_t to, uint16_t asked)
{
	uint8_t record[64] = {0};

	sa_put16(record + 40, world_lid(to));
	sa_put16(record + 42, world_lid(from));
	sa_put16(record + 50, asked);
	return world_ask(0, GET, IB_SA_ATTR_PATH_REC, C(4) | C(5) | (asked ? C(13) : 0), record,
			 sizeof(record));
}

static uint16_t path_pkey(uint32_t from, uint32_t to, uint16_t asked)
{
	assert_int_equal(path(from, to, asked), 0);
	return sa_get16(world_record(0) + 50);
}

/* Host 1 is in 5 and 7, 2 in 5 as a limited member, 3 in 5 likewise, 4 in none of them. */
static void make(void)
{
	world_make(topology_leaf_spine(1, 5, 1));
	set_pkeys(1, 0x8007, 0x8005);
	set_pkeys(2, 0x0005, 0);
	set_pkeys(3, 0, 0x0005);
	set_pkeys(4, 0xffff, 0x8009);
	world_sweep();
	assert_true(sm_is_up(world.sm));
}

static void path__wants_a_partition(void **state)
{
	(void)state;
	make();
	assert_int_equal(path_pkey(1, 2, 0), 0x8005);
	assert_int_equal(path_pkey(2, 1, 0), 0x0005);
	assert_int_equal(path_pkey(2, 1, 0x8005), 0x8005);
	assert_int_equal(path_pkey(0, 4, 0), 0xffff);
	assert_int_equal(path_pkey(1, 1, 0), 0x8007);
	assert_int_equal(path_pkey(2, 2, 0x0005), 0x0005);
	assert_int_equal(path(2, 3, 0), SA_NO_RECORDS); /* both are limited */
	assert_int_equal(path(1, 4, 0), SA_NO_RECORDS);
	assert_int_equal(path(1, 2, 0x8007), SA_NO_RECORDS);
	assert_int_equal(path(0, 4, 0x8009), SA_NO_RECORDS);
	assert_int_equal(path(0, 4, 0x8000), SA_NO_RECORDS);
}

static uint16_t join(uint32_t host, uint64_t mask, uint8_t group, uint16_t pkey)
{
	uint8_t record[56] = {0xff, 0x12, [15] = group, [48] = 1};

	world_gid(host, record + 16);
	sa_put16(record + 40, pkey);
	return world_ask(host, SET, IB_SA_ATTR_MC_MEMBER_REC, mask, record, sizeof(record));
}

static void group__is_for_its_partition(void **state)
{
	const uint64_t joins = C(0) | C(1) | C(16);
	const uint64_t creates = joins | C(2) | C(6) | C(7) | C(12) | C(13);
	uint8_t record[64] = {0};

	(void)state;
	make();
	assert_int_equal(join(4, creates, 1, 0x8005), SA_INVALID);
	assert_int_equal(join(4, creates, 1, 0x8000), SA_INVALID);
	assert_int_equal(join(1, creates, 1, 0x8005), 0);
	assert_int_equal(join(2, joins, 1, 0), 0);
	assert_int_equal(join(4, joins, 1, 0), SA_INVALID);
	/* nor has it a path there */
	record[8] = 0xff;
	record[9] = 0x12;
	record[8 + 15] = 1;
	sa_put16(record + 42, world_lid(2));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PATH_REC, C(2) | C(5), record, 64), 0);
	sa_put16(record + 50, 0x8007);
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PATH_REC, C(2) | C(5) | C(13), record, 64),
			 SA_NO_RECORDS);
	sa_put16(record + 42, world_lid(4));
	assert_int_equal(world_ask(0, GET, IB_SA_ATTR_PATH_REC, C(2) | C(5), record, 64),
			 SA_NO_RECORDS);
}

static void service__is_of_a_partition(void **state)
{
	uint8_t record[176] = {0};

	(void)state;
	make();
	world_gid(4, record + 8);
	sa_put16(record + 24, 0x8005);
	assert_int_equal(world_ask(4, SET, IB_SA_ATTR_SERVICE_REC, SERVICE, record, 176),
			 SA_INVALID);
	assert_int_equal(world_ask(2, SET, IB_SA_ATTR_SERVICE_REC, SERVICE, record, 176), 0);
}

static void record__layout_and_components(void **state)
{
	struct topology *plan = topology_pair();
	uint8_t record[72] = {0};

	(void)state;
	assert_non_null(plan);
	plan->node[1].config.pkeys = 64;
	world_make(plan);
	set_pkeys(1, 0x8007, 0x0005);
	world_sweep();
	sa_put16(record, world_lid(1));
	assert_int_equal(world_table(IB_SA_ATTR_PARTITION_REC, C(0), record, 72), 2);
	assert_int_equal(world_record_bytes(), 72);
	assert_int_equal(sa_get16(world_record(1) + 2), 1);
	memcpy(record, world_record(0), 72);
	assert_int_equal(sa_get16(record + 2), 0);
	assert_int_equal(record[4], 1);
	assert_int_equal(sa_get16(record + 8), 0x8007);
	assert_int_equal(sa_get16(record + 10), 0x0005);
	world_check_components(&sa_pkey_record, record, 7);
	assert_int_equal(world_table(IB_SA_ATTR_PARTITION_REC, 0, record, 72), 1 + 2 + 1);
	/* One that got no LID, for there was none left, is nobody's destination. */
	world.sm->net->port[sm_port_of_lid(world.sm->net, world_lid(1))].lid = 0;
	assert_int_equal(world_table(IB_SA_ATTR_PARTITION_REC, 0, record, 72), 1 + 1);
}

/* Not known is as good as the default partition. */
static void table__not_known(void **state)
{
	struct sm_port none = {.pkeys = NULL};
	u16 keys[SM_PKEY_BLOCK] = {0x7fff};
	struct sm_port limited = {.pkeys = keys, .pkey_count = SM_PKEY_BLOCK};

	(void)state;
	assert_true(sa_has_pkey(&none, 0x7fff));
	assert_true(sa_has_pkey(&none, 0xffff));
	assert_false(sa_has_pkey(&none, 0x8001));
	assert_false(sa_has_pkey(&limited, 0x8000)); /* entries that are 0 */
	assert_int_equal(sa_shared_pkey(&none, &limited, 0), 0xffff);
	assert_int_equal(sa_shared_pkey(&limited, &none, 0), 0x7fff);
	assert_int_equal(sa_shared_pkey(&limited, &limited, 0), 0x7fff);
	assert_int_equal(sa_shared_pkey(&none, &none, 0x7fff), 0x7fff);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(path__wants_a_partition),	WORLD_TEST(group__is_for_its_partition),
	WORLD_TEST(service__is_of_a_partition), WORLD_TEST(record__layout_and_components),
	cmocka_unit_test(table__not_known),
};

int main(void)
{
	return verbena_test_main(tests);
}
