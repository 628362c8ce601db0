// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* LIDs, links and partitions. */
#include "fabric/fabric.h"

#include <errno.h>

#include "base/cause.h"
#include "common/test.h"

static int setup(void **state)
{
	struct fabric *fabric = base_zalloc(sizeof(*fabric));

	if (!fabric)
		return -1;
	fabric_init(fabric, 0);
	*state = fabric;
	return 0;
}

static int teardown(void **state)
{
	base_free(*state);
	return 0;
}

static uint32_t add(struct fabric *fabric, struct fabric_port_config config)
{
	uint32_t slot;

	assert_int_equal(fabric_port_add(fabric, &config, &slot), 0);
	return slot;
}

static int add_fails(struct fabric *fabric, struct fabric_port_config config)
{
	uint32_t slot;

	return fabric_port_add(fabric, &config, &slot);
}

static void fabric_port_add__chooses_lids_and_guids(void **state)
{
	struct fabric *f = *state;
	const uint32_t a = add(f, (struct fabric_port_config){0});
	const uint32_t b = add(f, (struct fabric_port_config){.lmc = 2});
	const uint32_t c = add(f, (struct fabric_port_config){0});

	assert_int_equal(f->ports[a].config.lid, 1);
	assert_int_equal(f->ports[b].config.lid, 4);
	assert_int_equal(f->ports[c].config.lid, 2);
	assert_true(f->ports[a].config.guid && f->ports[a].config.guid != f->ports[c].config.guid);
	for (uint16_t lid = 4; lid < 8; lid++)
		assert_int_equal(fabric_route(f, a, lid), b);
	assert_int_equal(fabric_route(f, a, 8), -EHOSTUNREACH);
	assert_int_equal(f->subnet_prefix, 0xfe80000000000000);
}

static void fabric_port_add__refuses_what_is_taken_or_out_of_range(void **state)
{
	struct fabric *f = *state;

	add(f, (struct fabric_port_config){.guid = 7, .lid = 8, .lmc = 1});
	assert_int_equal(add_fails(f, (struct fabric_port_config){.guid = 7}), -EEXIST);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_FABRIC_GUID_TAKEN);
	assert_int_equal(add_fails(f, (struct fabric_port_config){.lid = 9}), -EEXIST);
	assert_int_equal(base_cause_last()->id, BASE_CAUSE_FABRIC_LID_TAKEN);
	assert_int_equal(add_fails(f, (struct fabric_port_config){.lid = 3, .lmc = 1}), -EINVAL);
	assert_int_equal(add_fails(f, (struct fabric_port_config){.lid = 0xc000}), -EINVAL);
	assert_int_equal(add_fails(f, (struct fabric_port_config){.lmc = 8}), -EINVAL);
	add(f, (struct fabric_port_config){.lid = 0xbfff});
}

static void fabric_port_add__full(void **state)
{
	struct fabric *f = *state;

	for (uint32_t i = 0; i < FABRIC_PORTS; i++)
		add(f, (struct fabric_port_config){0});
	assert_int_equal(add_fails(f, (struct fabric_port_config){0}), -ENOSPC);
	fabric_port_remove(f, 5);
	assert_int_equal(add(f, (struct fabric_port_config){0}), 5);
}

static void fabric_port_remove__frees_its_lids(void **state)
{
	struct fabric *f = *state;
	const uint32_t a = add(f, (struct fabric_port_config){.lid = 1});
	const uint32_t b = add(f, (struct fabric_port_config){.lid = 2});

	fabric_port_remove(f, b);
	assert_int_equal(fabric_route(f, a, 2), -EHOSTUNREACH);
	assert_int_equal(add(f, (struct fabric_port_config){.lid = 2}), b);
}

static void fabric_can_reach__links_and_partitions(void **state)
{
	struct fabric *f = *state;
	const uint32_t a = add(f, (struct fabric_port_config){.lid = 1});
	const uint32_t b = add(f, (struct fabric_port_config){.lid = 2});

	assert_int_equal(fabric_route(f, a, 2), b);
	assert_true(fabric_port_set_link(f, b, false));
	assert_false(fabric_port_set_link(f, b, false));
	assert_int_equal(fabric_route(f, a, 2), -EHOSTUNREACH);
	assert_int_equal(fabric_route(f, b, 1), -EHOSTUNREACH);
	fabric_port_set_link(f, b, true);
	fabric_port_set_group(f, b, 1);
	assert_false(fabric_can_reach(f, a, b));
	fabric_port_set_group(f, a, 1);
	assert_true(fabric_can_reach(f, a, b));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	TEST(fabric_port_add__chooses_lids_and_guids),
	TEST(fabric_port_add__refuses_what_is_taken_or_out_of_range),
	TEST(fabric_port_add__full),
	TEST(fabric_port_remove__frees_its_lids),
	TEST(fabric_can_reach__links_and_partitions),
};

int main(void)
{
	return verbena_test_main(tests);
}
