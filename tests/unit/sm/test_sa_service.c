// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* ServiceRecord: offered, found, withdrawn, forgotten. */
#include "unit/sm/sa_fixture.h"

#define SERVICE IB_SA_ATTR_SERVICE_REC
#define ALL ((1ull << 37) - 1)
#define NAMED (C(0) | C(1) | C(2))
#define SECOND 1000000000ull

static uint8_t record[176];

static void describe(uint64_t id, uint32_t host, uint32_t lease)
{
	for (uint32_t i = 0; i < sizeof(record); i++)
		record[i] = (uint8_t)(i + 1);
	sa_put64(record, id);
	world_gid(host, record + 8);
	sa_put16(record + 24, 0xffff);
	sa_put16(record + 26, 0);
	sa_put32(record + 28, lease);
	memset(record + 48, 0, 64);
	memcpy(record + 48, "a service", sizeof("a service"));
}

static uint16_t set(uint64_t mask)
{
	return world_ask(1, SET, SERVICE, mask, record, sizeof(record));
}

static uint16_t withdraw(uint64_t mask)
{
	return world_ask(1, DELETE, SERVICE, mask, record, sizeof(record));
}

static void service__offered_and_found(void **state)
{
	uint8_t found[176];

	(void)state;
	world_make(topology_pair());
	describe(5, 1, 0xffffffff);
	assert_int_equal(set(ALL), 0);
	assert_int_equal(world_record_bytes(), 176);
	assert_memory_equal(world_record(0), record, 176);
	describe(6, 0, 100);
	record[48] = 'b';
	assert_int_equal(set(ALL), 0);
	world.key = SM_DEFAULT_KEY;
	assert_int_equal(world_table(SERVICE, 0, record, 176), 2);
	memcpy(found, world_record(0), 176);
	world_check_components(&sa_service_record, found, ALL & ~C(3));
}

static void service__key_is_not_told(void **state)
{
	static const uint8_t zero[16];

	(void)state;
	world_make(topology_pair());
	describe(5, 1, 0xffffffff);
	assert_int_equal(set(ALL), 0);
	assert_int_equal(world_table(SERVICE, C(0), record, 176), 1);
	assert_memory_equal(world_record(0) + 32, zero, 16);
	assert_int_equal(world_table(SERVICE, C(5), record, 176), 0);
	world.key = SM_DEFAULT_KEY;
	assert_int_equal(world_table(SERVICE, C(5), record, 176), 1);
}

static void service__key_is_needed(void **state)
{
	(void)state;
	world_make(topology_pair());
	describe(5, 1, 0xffffffff);
	assert_int_equal(set(ALL), 0);
	record[32]++;
	assert_int_equal(set(ALL), SA_INVALID);
	assert_int_equal(withdraw(ALL), SA_INVALID);
	record[32]--;
	record[112] = 0xee;
	assert_int_equal(set(ALL), 0);
	assert_int_equal(world_table(SERVICE, 0, record, 176), 1);
	assert_int_equal(world_record(0)[112], 0xee);
	assert_int_equal(withdraw(ALL), 0);
	assert_int_equal(world.reply.mad[3], IB_SA_METHOD_DELETE_RESP);
	assert_int_equal(world_record(0)[112], 0xee);
	assert_int_equal(world_table(SERVICE, 0, record, 176), 0);
	assert_int_equal(withdraw(ALL), SA_NO_RECORDS);
}

/* ID, GID and P_Key are its name: each makes another one. */
static void service__names(void **state)
{
	(void)state;
	world_make(topology_pair());
	describe(5, 1, 0xffffffff);
	assert_int_equal(set(ALL & ~C(0)), SA_INSUFFICIENT);
	assert_int_equal(set(ALL & ~C(1)), SA_INSUFFICIENT);
	assert_int_equal(withdraw(C(0)), SA_INSUFFICIENT);
	assert_int_equal(set(ALL), 0);
	describe(6, 1, 0xffffffff);
	assert_int_equal(set(ALL), 0);
	describe(5, 0, 0xffffffff);
	assert_int_equal(set(ALL), 0);
	sa_put16(record + 24, 0x7fff);
	assert_int_equal(set(ALL), 0);
	assert_int_equal(world_table(SERVICE, 0, record, 176), 4);
	sa_put16(record + 24, 0x8001);
	assert_int_equal(set(ALL), SA_INVALID);
	sa_put16(record + 24, 0);
	memset(record + 32, 0, 16);
	assert_int_equal(set(ALL & ~C(2)), SA_INVALID); /* 0xffff, with another key */
}

/* What the mask leaves out is nothing, but for the lease. */
static void service__mask(void **state)
{
	static const uint8_t zero[176];

	(void)state;
	world_make(topology_pair());
	describe(5, 1, 7);
	assert_int_equal(set(C(0) | C(1)), 0);
	assert_int_equal(sa_get32(world_record(0) + 28), 0xffffffff);
	assert_int_equal(sa_get16(world_record(0) + 24), 0xffff);
	assert_memory_equal(world_record(0) + 32, zero, 144);
}

static void service__lease(void **state)
{
	(void)state;
	world_make(topology_pair());
	world.now_ns = 77 * SECOND + 5;
	describe(5, 1, 10);
	assert_int_equal(set(ALL), 0);
	assert_int_equal(sa_get32(world_record(0) + 28), 10);
	world.now_ns += 3 * SECOND + SECOND / 2;
	assert_int_equal(world_table(SERVICE, 0, record, 176), 1);
	assert_int_equal(sa_get32(world_record(0) + 28), 7);
	world.now_ns += 6 * SECOND + SECOND / 2 - 1;
	assert_int_equal(world_table(SERVICE, 0, record, 176), 1);
	assert_int_equal(sa_get32(world_record(0) + 28), 1);
	world.now_ns++;
	assert_int_equal(world_table(SERVICE, 0, record, 176), 0);
	/* renewed in time it stays */
	assert_int_equal(set(ALL), 0);
	world.now_ns += 9 * SECOND;
	assert_int_equal(set(ALL), 0);
	world.now_ns += 9 * SECOND;
	assert_int_equal(world_table(SERVICE, 0, record, 176), 1);
	/* and for no time it is not there at all */
	sa_put32(record + 28, 0);
	assert_int_equal(set(ALL), 0);
	assert_int_equal(world_table(SERVICE, 0, record, 176), 0);
}

static void service__many(void **state)
{
	(void)state;
	world_make(topology_pair());
	for (uint64_t id = 0; id < 200; id++) {
		describe(id, 1, id % 2 ? 10 : 20);
		assert_int_equal(set(ALL), 0);
	}
	assert_int_equal(world_table(SERVICE, 0, record, 176), 200);
	world.now_ns += 15 * SECOND;
	assert_int_equal(world_table(SERVICE, 0, record, 176), 100);
	for (uint64_t id = 0; id < 200; id += 4) {
		describe(id, 1, 20);
		assert_int_equal(withdraw(NAMED | C(5)), 0);
	}
	assert_int_equal(world_table(SERVICE, 0, record, 176), 50);
	for (size_t i = 0; i < 50; i++)
		assert_int_equal(sa_get64(world_record(i)) % 4, 2);
}

static const struct CMUnitTest tests[] = {
	WORLD_TEST(service__offered_and_found),
	WORLD_TEST(service__key_is_not_told),
	WORLD_TEST(service__key_is_needed),
	WORLD_TEST(service__names),
	WORLD_TEST(service__mask),
	WORLD_TEST(service__lease),
	WORLD_TEST(service__many),
};

int main(void)
{
	return verbena_test_main(tests);
}
