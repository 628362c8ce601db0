// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Profiles: what they say, and what is said of bad ones. */
#include "profile/profile.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/test.h"

static char path[] = "/tmp/verbena-profile-XXXXXX";
static struct device_host_profile host;
static char error[PROFILE_ERROR_BYTES];

static int start(void **state)
{
	int fd;

	(void)state;
	memcpy(path + sizeof(path) - 7, "XXXXXX", 7);
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	close(fd);
	error[0] = '\0';
	return 0;
}

static int stop(void **state)
{
	(void)state;
	return unlink(path);
}

static int load(const char *text, const char *personality)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	memset(&host, 0, sizeof(host));
	return profile_load(path, personality, &host, error, sizeof(error));
}

static void profile_load__all_keys(void **state)
{
	static const char text[] =
		"devices:\n"
		"  - name: mlx5_0\n"
		"    personality: hfi1\n"
		"    link_layer: ib\n"
		"    firmware: 16.35.2000\n"
		"    board_id: MT_1\n"
		"    node_description: a node\n"
		"    node_guid: 0x0002c90300000010\n"
		"    system_image_guid: 0x0002c9030000001f\n"
		"    vendor_id: 0x2c9\n"
		"    vendor_part_id: 4123\n"
		"    hardware_version: 7\n"
		"    gid_table: 3\n"
		"    pkeys: [0xffff, 0x8001]\n"
		"    pkey_table: 5\n"
		"    limits: {max_qp: 9, max_sge: 3, max_rd_atomic: 2,\n"
		"             max_inline: 77, max_mr_size: 0x200000000}\n"
		"    ports:\n"
		"      - {guid: 5, lid: 8, lmc: 2, mtu: 1024, width: 1X, speed: SDR}\n"
		"      - {up: false}\n"
		"  - {}\n";
	const struct device_profile *p = &host.hca[0];

	(void)state;
	assert_int_equal(load(text, NULL), 0);
	assert_int_equal(host.count, 2);
	assert_string_equal(p->name, "mlx5_0");
	assert_int_equal(p->personality, VERBENA_PERSONALITY_HFI1);
	assert_int_equal(p->props.fw_ver, 16ull << 32 | 35u << 16 | 2000u);
	assert_string_equal(p->board_id, "MT_1");
	assert_string_equal(p->node_desc, "a node");
	assert_int_equal(p->node_guid, 0x0002c90300000010u);
	assert_int_equal(be64_to_cpu(p->props.sys_image_guid), 0x0002c9030000001fu);
	assert_int_equal(p->props.vendor_id, 0x2c9);
	assert_int_equal(p->props.vendor_part_id, 4123);
	assert_int_equal(p->props.hw_ver, 7);
	assert_int_equal(p->gid_count, 3);
	assert_int_equal(p->pkey_count, 5);
	assert_int_equal(p->pkeys[1], 0x8001);
	assert_int_equal(p->pkeys[2], 0);
	assert_int_equal(p->props.max_qp, 9);
	assert_int_equal(p->props.max_recv_sge, 3);
	assert_int_equal(p->props.max_qp_init_rd_atom, 2);
	assert_int_equal(p->max_inline, 77);
	assert_int_equal(p->props.max_mr_size, 0x200000000u);
	assert_int_equal(p->hca.ports, 2);
	assert_int_equal(p->hca.port[0].guid, 5);
	assert_int_equal(p->hca.port[0].lid, 8);
	assert_int_equal(p->hca.port[0].lmc, 2);
	assert_false(p->hca.port[0].down);
	assert_int_equal(p->port[0].mtu, IB_MTU_1024);
	assert_int_equal(p->port[0].width, IB_WIDTH_1X);
	assert_int_equal(p->port[0].speed, IB_SPEED_SDR);
	assert_int_equal(p->hca.port[1].guid, 0x0002c90300000011u);
	assert_true(p->hca.port[1].down);
	assert_string_equal(host.hca[1].name, "rxe%d");
	assert_int_equal(host.hca[1].hca.ports, 1);
	assert_int_equal(host.hca[1].port[0].mtu, IB_MTU_4096);
}

static void profile_load__personality_of_the_caller(void **state)
{
	(void)state;
	assert_int_equal(load("devices: [{personality: hfi1}]\n", "rxe"), 0);
	assert_int_equal(host.hca[0].personality, VERBENA_PERSONALITY_RXE);
	assert_string_equal(host.hca[0].name, "rxe%d");
}

static void profile_load__without_srq(void **state)
{
	(void)state;
	assert_int_equal(load("devices: [{srq: false}]\n", NULL), 0);
	assert_true(device_profile_without_srq(&host.hca[0]));
	assert_int_equal(load("devices: [{srq: true}]\n", NULL), 0);
	assert_false(device_profile_without_srq(&host.hca[0]));
}

#define DEVICE(content) "devices:\n  - " content "\n"

static void profile_load__bad_ones(void **state)
{
	static const struct {
		const char *text;
		const char *complaint;
	} bad[] = {
		{"", "there is nothing in it"},
		{"devices: [\n", "libyaml"},
		{"\t\n", "libyaml"},
		{"devices:\n", "devices"},
		{"devices: []\n", "Insufficient entries"},
		{"devices: 3\n", "line: 1"},
		{"hosts: []\n", "Unexpected key: hosts"},
		{"devices: [{}, {}, {}, {}, {}, {}, {}, {}, {}]\n", "Excessive entries"},
		{"devices: [{name: a}, {name: b}, {name: a}]\n",
		 "devices[2].name: devices[0] is called a already"},
		{DEVICE("{naem: x}"), "Unexpected key: naem, in mapping (line: 2"},
		{DEVICE("{name: a/b}"), "devices[0].name: 'a/b' cannot be"},
		{DEVICE("{name: a%s}"), "cannot be the name"},
		{DEVICE("{name: ''}"), "'name' (line: 2"},
		{DEVICE("{personality: mlx5}"), "'mlx5' is none of rxe, hfi1, hfi1-v1"},
		{DEVICE("{link_layer: roce}"), "there is no 'roce' yet"},
		{DEVICE("{firmware: new}"), "firmware: 'new' is not of the form"},
		{DEVICE("{firmware: 1.2.70000}"), "each at most 65535"},
		{DEVICE("{firmware: 1.2.3b}"), "not of the form"},
		{DEVICE("{vendor_id: 0x1000000}"), "vendor_id: 16777216 is not between"},
		{DEVICE("{gid_table: 0}"), "gid_table: 0 is not between 1 and 256"},
		{DEVICE("{pkeys: [1, 2], pkey_table: 1}"), "pkey_table: 1 is not between 2 and 16"},
		{DEVICE("{pkeys: [0x10000]}"), "pkeys"},
		{DEVICE("{srq: maybe}"), "'srq' (line: 2"},
		{DEVICE("{srq: false, limits: {max_srq: 3}}"), "limits for what is not there"},
		{DEVICE("{limits: {max_qp: 0}}"), "limits.max_qp: 0 is not between 1 and 262144"},
		{DEVICE("{limits: {max_qp: -1}}"), "'max_qp' (line: 2"},
		{DEVICE("{limits: {max_sge: 33}}"), "limits.max_sge: 33 is not between 1 and 32"},
		{DEVICE("{limits: {max_cqe: 40000}}"), "max_cqe: 40000"},
		{DEVICE("{limits: {max_inline: 513}}"), "max_inline: 513"},
		{DEVICE("{limits: {max_mr_size: 0}}"), "no region"},
		{DEVICE("{limits: {max_qps: 1}}"), "Unexpected key: max_qps"},
		{DEVICE("{ports: []}"), "Insufficient entries"},
		{DEVICE("{ports: [{}, {}, {}, {}, {}]}"), "Excessive entries"},
		{DEVICE("{ports: [{}, {lid: 0}]}"), "ports[1].lid: 0 is not between"},
		{DEVICE("{ports: [{lid: 0xc000}]}"), "ports[0].lid: 49152"},
		{DEVICE("{ports: [{lmc: 8}]}"), "ports[0].lmc: 8"},
		{DEVICE("{ports: [{mtu: 1500}]}"), "ports[0].mtu: 1500 is none of"},
		{DEVICE("{ports: [{width: 3X}]}"), "'width' (line: 2"},
		{DEVICE("{ports: [{speed: fast}]}"), "'speed' (line: 2"},
		{DEVICE("{ports: [{guid: 0x1ffffffffffffffff}]}"), "'guid' (line: 2"},
		{DEVICE("&a [*a]"), ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		print_message("%s", bad[i].text);
		assert_int_equal(load(bad[i].text, NULL), -EINVAL);
		assert_int_equal(strncmp(error, path, strlen(path)), 0);
		if (!strstr(error, bad[i].complaint))
			fail_msg("'%s' does not say '%s'", error, bad[i].complaint);
	}
	assert_int_equal(profile_load("/none/such", NULL, &host, error, sizeof(error)), -ENOENT);
	assert_string_equal(error, "/none/such: No such file or directory");
}

/* Whatever is cut off, left out or changed: an answer comes, and nothing is left over. */
static void profile_load__damaged_files(void **state)
{
	static const char good[] = "devices:\n  - name: a\n    pkeys: [1, 2]\n"
				   "    limits: {max_qp: 3}\n    ports: [{lid: 1}, {up: no}]\n";
	char text[sizeof(good)];

	(void)state;
	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		snprintf(text, sizeof(text), "%.*s", (int)i, good);
		(void)load(text, NULL);
		for (const char *with = "\n:{[-*&!'\"\x01\xff"; *with; with++) {
			memcpy(text, good, sizeof(good));
			text[i] = *with;
			(void)load(text, NULL);
		}
	}
}

static void profile_load__those_that_come_with_it(void **state)
{
	DIR *dir = opendir(PROFILE_DIR);
	const struct dirent *entry;
	unsigned int count = 0;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir)) != NULL) {
		char name[512];

		if (!strstr(entry->d_name, ".yaml"))
			continue;
		snprintf(name, sizeof(name), PROFILE_DIR "/%s", entry->d_name);
		if (profile_load(name, NULL, &host, error, sizeof(error)))
			fail_msg("%s", error);
		count++;
	}
	closedir(dir);
	assert_true(count >= 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

static const struct CMUnitTest tests[] = {
	TEST(profile_load__all_keys),	   TEST(profile_load__personality_of_the_caller),
	TEST(profile_load__without_srq),   TEST(profile_load__bad_ones),
	TEST(profile_load__damaged_files), TEST(profile_load__those_that_come_with_it),
};

int main(void)
{
	return verbena_test_main(tests);
}
