// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Programs that are what they should be, and files that are anything. */
#include "cli/needed.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

/* A file with the beginning of this program. */
static int copy_of_self(char *path)
{
	static uint8_t head[HEAD_BYTES];
	const int self = open("/proc/self/exe", O_RDONLY), fd = mkstemp(path);

	assert_true(self >= 0 && fd >= 0);
	assert_int_equal(read(self, head, sizeof(head)), sizeof(head));
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	close(self);
	return fd;
}

static void out_of_reach__programs(void **state)
{
	(void)state;
	assert_null(cli_why_out_of_reach("/proc/self/exe"));
	assert_null(cli_why_out_of_reach("sh"));
	assert_null(cli_why_out_of_reach("no-such-program"));
	assert_null(cli_why_out_of_reach("/dev/null"));
}

/* Without the segment that names the loader. */
static void out_of_reach__static(void **state)
{
	char path[] = "/tmp/verbena-needed-XXXXXX";
	const int fd = copy_of_self(path);
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	(void)state;
	assert_null(cli_why_out_of_reach(path));
	assert_int_equal(pread(fd, &header, sizeof(header), 0), sizeof(header));
	for (int i = 0; i < header.e_phnum; i++) {
		const off_t at = (off_t)(header.e_phoff + (size_t)i * sizeof(segment));

		assert_int_equal(pread(fd, &segment, sizeof(segment), at), sizeof(segment));
		if (segment.p_type != PT_INTERP)
			continue;
		segment.p_type = PT_NULL;
		assert_int_equal(pwrite(fd, &segment, sizeof(segment), at), sizeof(segment));
	}
	assert_string_equal(cli_why_out_of_reach(path), "is linked statically");
	close(fd);
	unlink(path);
}

/* Its owner gains nothing by it, and nobody does where such bits do not count. */
static void out_of_reach__set_ids(void **state)
{
	char path[] = "/tmp/verbena-needed-XXXXXX";
	const int fd = copy_of_self(path);
	struct statvfs fs;

	(void)state;
	assert_int_equal(fchmod(fd, 06755), 0);
	assert_null(cli_why_out_of_reach(path));
	assert_int_equal(fstatvfs(fd, &fs), 0);
	if (!getuid() && !(fs.f_flag & ST_NOSUID)) {
		assert_int_equal(fchown(fd, 65534, getgid()), 0);
		assert_int_equal(fchmod(fd, 04755), 0);
		assert_string_equal(cli_why_out_of_reach(path), "is set-user-ID");
		assert_int_equal(fchown(fd, getuid(), 65534), 0);
		assert_int_equal(fchmod(fd, 02755), 0);
		assert_string_equal(cli_why_out_of_reach(path), "is set-group-ID");
		assert_int_equal(fchmod(fd, 0755), 0);
		assert_null(cli_why_out_of_reach(path));
	}
	close(fd);
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(find_needed__of_a_program), cmocka_unit_test(find_needed__no_program),
	cmocka_unit_test(find_needed__nonsense),     cmocka_unit_test(out_of_reach__programs),
	cmocka_unit_test(out_of_reach__static),	     cmocka_unit_test(out_of_reach__set_ids),
};

int main(void)
{
	return verbena_test_main(tests);
}
