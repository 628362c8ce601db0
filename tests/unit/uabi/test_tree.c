// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The private tree, and the files of sysfs in it. */
#include "uabi/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "uabi_fixture.h"

static char runtime_dir[] = "/tmp/verbena-test-XXXXXX";

static int setup(void **state)
{
	snprintf(runtime_dir, sizeof(runtime_dir), "/tmp/verbena-test-XXXXXX");
	if (!mkdtemp(runtime_dir) || setenv("XDG_RUNTIME_DIR", runtime_dir, 1))
		return -1;
	if (!uabi_setup(state))
		return 0;
	(void)rmdir(runtime_dir);
	return -1;
}

static int teardown(void **state)
{
	char path[PATH_MAX];

	uabi_tree_remove();
	snprintf(path, sizeof(path), "%s/verbena/lock", runtime_dir);
	(void)unlink(path);
	snprintf(path, sizeof(path), "%s/verbena", runtime_dir);
	(void)rmdir(path);
	if (rmdir(runtime_dir))
		return -1;
	return uabi_teardown(state);
}

/* A file of the tree, without its newline. */
static const char *content(const char *name)
{
	static char text[256];
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", uabi_tree_root(), name);
	file = fopen(path, "r");
	assert_non_null(file);
	text[0] = '\0';
	(void)!fgets(text, sizeof(text), file);
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void uabi_tree_make__writes_what_the_libraries_read(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(uabi_tree_make(), 0);
	assert_int_equal(strncmp(uabi_tree_root(), runtime_dir, strlen(runtime_dir)), 0);
	assert_int_equal(stat(uabi_tree_root(), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_string_equal(content("/sys/class/infiniband_verbs/abi_version"), "6");
	assert_string_equal(content("/sys/class/infiniband_verbs/uverbs0/ibdev"), "dut0");
	assert_string_equal(content("/sys/class/infiniband_verbs/uverbs0/dev"), "231:192");
	assert_string_equal(content("/sys/class/infiniband_verbs/uverbs0/abi_version"), "1");
	assert_string_equal(content("/sys/class/infiniband/dut0/node_type"), "1: CA");
	assert_string_equal(content("/sys/class/infiniband/dut0/node_guid"), "0200:5600:0000:0001");
	assert_string_equal(content("/sys/class/infiniband/dut0/ports/1/gids/0"),
			    "fe80:0000:0000:0000:0200:5600:0000:0001");
	assert_string_equal(content("/sys/class/infiniband/dut0/ports/1/gid_attrs/types/0"),
			    "IB/RoCE v1");
	assert_string_equal(content("/sys/class/infiniband/dut0/ports/1/pkeys/0"), "0xffff");
	assert_string_equal(content("/sys/class/infiniband/dut0/ports/1/state"), "4: ACTIVE");
	assert_string_equal(content("/sys/class/infiniband/dut0/ports/1/phys_state"), "5: LinkUp");
	assert_string_equal(content("/sys/class/infiniband/dut0/ports/1/rate"),
			    "100 Gb/sec (4X EDR)");
	assert_string_equal(content("/sys/class/infiniband/dut0/ports/1/lid"), "0x1");
	assert_string_equal(content("/sys/class/infiniband/dut0/ports/1/link_layer"), "InfiniBand");
	assert_string_equal(content("/dev/infiniband/uverbs0"), "");
}

static void uabi_tree_remove__leaves_nothing(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(uabi_tree_make(), 0);
	uabi_tree_remove();
	assert_int_equal(stat(uabi_tree_root(), &st), -1);
	uabi_tree_remove();
}

static void uabi_tree_make__removes_what_the_dead_have_left(void **state)
{
	char dir[PATH_MAX], dead[PATH_MAX], file[PATH_MAX + 8];
	struct stat st;

	(void)state;
	snprintf(dir, sizeof(dir), "%s/verbena", runtime_dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(dead, sizeof(dead), "%s/verbena/tree-1-abcdef", runtime_dir);
	assert_int_equal(mkdir(dead, 0700), 0);
	snprintf(file, sizeof(file), "%s/alive", dead);
	fclose(fopen(file, "w")); /* nobody holds its lock */
	assert_int_equal(uabi_tree_make(), 0);
	assert_int_equal(stat(dead, &st), -1);
	assert_int_equal(stat(uabi_tree_root(), &st), 0);
}

/* Then the other place is used, which this test must not leave traces in. */
static void uabi_tree_make__trusts_no_directory_that_others_may_enter(void **state)
{
	char dir[PATH_MAX];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/verbena", runtime_dir);
	assert_int_equal(mkdir(dir, 0755), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(uabi_tree_make(), 0);
	assert_int_not_equal(strncmp(uabi_tree_root(), runtime_dir, strlen(runtime_dir)), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(uabi_tree_make__writes_what_the_libraries_read, setup,
					teardown),
	cmocka_unit_test_setup_teardown(uabi_tree_remove__leaves_nothing, setup, teardown),
	cmocka_unit_test_setup_teardown(uabi_tree_make__removes_what_the_dead_have_left, setup,
					teardown),
	cmocka_unit_test_setup_teardown(uabi_tree_make__trusts_no_directory_that_others_may_enter,
					setup, teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
