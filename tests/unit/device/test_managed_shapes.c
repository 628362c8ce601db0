// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Fabrics of shapes that nobody would build, and hosts in numbers. */
#include <errno.h>
#include <linux/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verbena/verbena.h>

#include "base/cause.h"
#include "common/test.h"
#include "fabric/fabric.h"

static struct verbena_fabric *fabric;

static int teardown(void **state)
{
	(void)state;
	verbena_fabric_free(fabric);
	fabric = NULL;
	return 0;
}

static void make(const char *text)
{
	const struct verbena_fabric_options options = {.topology = text};

	fabric = verbena_fabric_new(&options);
	if (IS_ERR(fabric))
		fail_msg("%s", verbena_last_cause());
}

static struct ib_port_attr port_of(struct ib_device *device, u32 port_num)
{
	struct ib_port_attr attr;

	if (IS_ERR(device))
		fail_msg("%s", verbena_last_cause());
	assert_int_equal(ib_query_port(device, port_num, &attr), 0);
	return attr;
}

static void managed__cables_between_adapters(void **state)
{
	struct ib_device *a, *b;

	(void)state;
	make("Switch 4 \"s\" # \"s\"\n[1] \"a\"[1]\nCa 2 \"a\" # \"a\"\n[1] \"s\"[1]\n[2] \"b\"[1]\n"
	     "Ca 1 \"b\" # \"b\"\n[1] \"a\"[2]\n");
	a = verbena_host_add(fabric, "a", NULL);
	b = verbena_host_add(fabric, "b", NULL);
	assert_int_equal(port_of(a, 1).state, IB_PORT_ACTIVE);
	assert_int_equal(port_of(a, 2).state, IB_PORT_INIT);
	assert_int_equal(port_of(b, 1).state, IB_PORT_INIT);
	assert_int_equal(port_of(b, 1).lid, 0);
}

static void managed__two_components(void **state)
{
	(void)state;
	make("Switch 4 \"s\" # \"s\"\n[1] \"a\"[1]\nCa 1 \"a\" # \"a\"\n[1] \"s\"[1]\n"
	     "Switch 4 \"t\" # \"t\"\n[1] \"b\"[1]\nCa 1 \"b\" # \"b\"\n[1] \"t\"[1]\n");
	assert_int_equal(port_of(verbena_host_add(fabric, "a", NULL), 1).state, IB_PORT_ACTIVE);
	assert_int_equal(port_of(verbena_host_add(fabric, "b", NULL), 1).state, IB_PORT_INIT);
}

static void managed__many_ports(void **state)
{
	struct ib_device *device;

	(void)state;
	make("Switch 8 \"s\" # \"s\"\n[1] \"a\"[1]\n[2] \"a\"[2]\n[3] \"a\"[3]\n[4] \"a\"[4]\n[5] \"b\"[5]\n"
	     "Ca 4 \"a\" # \"a\"\n[1] \"s\"[1]\n[2] \"s\"[2]\n[3] \"s\"[3]\n[4] \"s\"[4]\n"
	     "Ca 5 \"b\" # \"b\"\n[5] \"s\"[5]\n");
	device = verbena_host_add(fabric, "a", NULL);
	for (u32 i = 1; i <= 4; i++)
		assert_int_equal(port_of(device, i).state, IB_PORT_ACTIVE);
	assert_int_equal(PTR_ERR(verbena_host_add(fabric, "b", NULL)), -EINVAL);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "TOPOLOGY_PORTS");
	verbena_host_remove(device);
	device = verbena_host_add(fabric, "a", NULL);
	for (u32 i = 1; i <= 4; i++)
		assert_int_equal(port_of(device, i).state, IB_PORT_ACTIVE);
}

static void managed__a_guid_of_zero(void **state)
{
	(void)state;
	make("switchguid=0x0\nSwitch 4 \"s\" # \"s\"\n[1] \"a\"[1]\ncaguid=0x0\nCa 1 \"a\" # \"a\"\n[1](0) \"s\"[1]\n");
	assert_int_equal(port_of(verbena_host_add(fabric, "a", NULL), 1).state, IB_PORT_ACTIVE);
}

/* A switch with all ports there are, and of each further one of its own, with adapters. */
static char *star(unsigned int switches, unsigned int hosts)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	fprintf(out, "Switch 254 \"s\" # \"s\"\n");
	for (unsigned int i = 1; i <= switches; i++) {
		fprintf(out, "[%u] \"s-%u\"[254]\n", i, i);
	}
	for (unsigned int i = 1; i <= switches; i++) {
		fprintf(out, "Switch 254 \"s-%u\" # \"s-%u\"\n[254] \"s\"[%u]\n", i, i, i);
		for (unsigned int k = 1; k <= hosts; k++)
			fprintf(out, "[%u] \"h-%u-%u\"[1]\n", k, i, k);
	}
	for (unsigned int i = 1; i <= switches; i++)
		for (unsigned int k = 1; k <= hosts; k++)
			fprintf(out, "Ca 1 \"h-%u-%u\" # \"h-%u-%u\"\n[1] \"s-%u\"[%u]\n", i, k, i,
				k, i, k);
	fclose(out);
	return text;
}

static void managed__more_hosts_than_a_process_may_have(void **state)
{
	struct ib_device *device = NULL;
	unsigned int count = 0;
	char *text, name[32];

	(void)state;
	test_skip_in_torture(); /* it would take hours */
	text = star(5, 253);
	make(text);
	free(text);
	for (unsigned int i = 0; count < FABRIC_PORTS; i++) {
		snprintf(name, sizeof(name), "h-%u-%u", 1 + i / 253, 1 + i % 253);
		device = verbena_host_add(fabric, name, NULL);
		if (IS_ERR(device))
			break;
		count++;
		if (count == FABRIC_PORTS - 1)
			assert_int_equal(port_of(device, 1).state, IB_PORT_ACTIVE);
	}
	assert_int_equal(count, FABRIC_PORTS - 1); /* one is the administration's */
	assert_int_equal(PTR_ERR(device), -ENOSPC);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), "FABRIC_FULL");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(managed__cables_between_adapters, teardown),
	cmocka_unit_test_teardown(managed__two_components, teardown),
	cmocka_unit_test_teardown(managed__many_ports, teardown),
	cmocka_unit_test_teardown(managed__a_guid_of_zero, teardown),
	cmocka_unit_test_teardown(managed__more_hosts_than_a_process_may_have, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
