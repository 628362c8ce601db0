// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Which paths are ours, and where they lead. */
#include "uabi/path.h"

#include <errno.h>
#include <string.h>

#include "base/cause.h"
#include "common/test.h"

static void uabi_path_is_ours__knows_our_places(void **state)
{
	static const char *const ours[] = {
		"/sys/class/infiniband",
		"/sys/class/infiniband/",
		"/sys/class/infiniband/rxe0/ports/1/gids/0",
		"/sys/class/infiniband_verbs/abi_version",
		"/sys/class/infiniband_mad",
		"/sys/class/misc/rdma_cm/abi_version",
		"/dev/infiniband",
		"/dev/infiniband/uverbs0",
		"/dev/infiniband/a..b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		assert_true(uabi_path_is_ours(ours[i]));
}

static void uabi_path_is_ours__leaves_all_others_alone(void **state)
{
	static const char *const others[] = {
		"",
		"/",
		"/sys",
		"/sys/class",
		"/sys/class/infinibandx",
		"/sys/class/net/lo",
		"/sys/class/misc/rdma_cmx",
		"/dev/null",
		"/dev/infinibandx/uverbs0",
		"sys/class/infiniband",
		"/home/sys/class/infiniband",
		"/sys/class/infiniband/../net/lo",
		"/dev/infiniband/..",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(uabi_path_is_ours(others[i]));
	assert_false(uabi_path_is_ours(NULL));
}

static void uabi_path_into__puts_the_root_in_front(void **state)
{
	char out[64];

	(void)state;
	assert_int_equal(uabi_path_into("/tmp/t", "/dev/infiniband/uverbs0", out, sizeof(out)), 0);
	assert_string_equal(out, "/tmp/t/dev/infiniband/uverbs0");
	assert_int_equal(uabi_path_into("/tmp/t", "/dev/infiniband/uverbs0", out, 29),
			 -ENAMETOOLONG);
	assert_string_equal(base_cause_name(base_cause_last()->id), "UABI_PATH_LONG");
	assert_int_equal(uabi_path_into("/tmp/t", "/dev/infiniband/uverbs0", out, 30), 0);
}

static void uabi_path_outside__takes_the_root_away(void **state)
{
	char inside[] = "/tmp/t/sys/class/infiniband/rxe0", other[] = "/tmp/tree/x", all[] = "/x";

	(void)state;
	uabi_path_outside("/tmp/t", inside);
	assert_string_equal(inside, "/sys/class/infiniband/rxe0");
	uabi_path_outside("/tmp/t", other);
	assert_string_equal(other, "/tmp/tree/x");
	uabi_path_outside("", all);
	assert_string_equal(all, "/x");
}

static void uabi_path_minor__reads_the_number(void **state)
{
	(void)state;
	assert_int_equal(uabi_path_minor("/dev/infiniband/uverbs0"), 0);
	assert_int_equal(uabi_path_minor("/dev/infiniband/uverbs31"), 31);
	assert_int_equal(uabi_path_minor("/dev/infiniband/uverbs"), -1);
	assert_int_equal(uabi_path_minor("/dev/infiniband/uverbs1x"), -1);
	assert_int_equal(uabi_path_minor("/dev/infiniband/uverbs-1"), -1);
	assert_int_equal(uabi_path_minor("/dev/infiniband/uverbs99999999999999999999"), -1);
	assert_int_equal(uabi_path_minor("/dev/infiniband/umad0"), -1);
	assert_int_equal(uabi_path_minor(NULL), -1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(uabi_path_is_ours__knows_our_places),
	cmocka_unit_test(uabi_path_is_ours__leaves_all_others_alone),
	cmocka_unit_test(uabi_path_into__puts_the_root_in_front),
	cmocka_unit_test(uabi_path_outside__takes_the_root_away),
	cmocka_unit_test(uabi_path_minor__reads_the_number),
};

int main(void)
{
	return verbena_test_main(tests);
}
