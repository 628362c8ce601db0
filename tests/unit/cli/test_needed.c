// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Programs that are what they should be, and files that are anything. */
#include "cli/needed.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/test.h"

#define HEAD_BYTES 4096

static char name[64];

static void find_needed__of_a_program(void **state)
{
	char short_room[4];

	(void)state;
	assert_true(cli_find_needed("/proc/self/exe", "libc.so", name, sizeof(name)));
	assert_string_equal(name, "libc.so.6");
	assert_false(cli_find_needed("/proc/self/exe", "libc.so", short_room, sizeof(short_room)));
	assert_false(cli_find_needed("/proc/self/exe", "libnothing", name, sizeof(name)));
	assert_true(cli_find_needed("sh", "libc.so", name, sizeof(name))); /* along PATH */
}

static void find_needed__no_program(void **state)
{
	(void)state;
	assert_false(cli_find_needed("/dev/null", "lib", name, sizeof(name)));
	assert_false(cli_find_needed("/", "lib", name, sizeof(name)));
	assert_false(cli_find_needed("/no/such/file", "lib", name, sizeof(name)));
	assert_false(cli_find_needed("no-such-program", "lib", name, sizeof(name)));
	assert_false(cli_find_needed("", "lib", name, sizeof(name)));
}

/* The beginning of this program, cut off anywhere, and with each byte of its headers changed. */
static void find_needed__nonsense(void **state)
{
	char path[] = "/tmp/verbena-needed-XXXXXX";
	static uint8_t head[HEAD_BYTES];
	const int self = open("/proc/self/exe", O_RDONLY), fd = mkstemp(path);

	(void)state;
	assert_true(self >= 0 && fd >= 0);
	assert_int_equal(read(self, head, sizeof(head)), sizeof(head));
	for (size_t bytes = 0; bytes < sizeof(head); bytes += 61) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, head, bytes, 0), (ssize_t)bytes);
		assert_false(cli_find_needed(path, "libc.so", name, sizeof(name)));
	}
	assert_int_equal(pwrite(fd, head, sizeof(head), 0), sizeof(head));
	for (size_t i = 0; i < 1024; i++) {
		const uint8_t changed = (uint8_t)~head[i];

		assert_int_equal(pwrite(fd, &changed, 1, (off_t)i), 1);
		assert_false(cli_find_needed(path, "libc.so", name, sizeof(name)));
		assert_int_equal(pwrite(fd, &head[i], 1, (off_t)i), 1);
	}
	close(self);
	close(fd);
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(find_needed__of_a_program),
	cmocka_unit_test(find_needed__no_program),
	cmocka_unit_test(find_needed__nonsense),
};

int main(void)
{
	return verbena_test_main(tests);
}
