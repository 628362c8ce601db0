// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Files of sysfs that are open: live when they are read again, and never somebody else's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "uabi/file.h"
#include "uabi/sysfs.h"
#include "uabi_fixture.h"

#define PORT "/sys/class/infiniband/dut0/ports/1/"

static struct base_traffic now;

static bool traffic(const char *name, unsigned int port_num, struct base_traffic *t)
{
	assert_string_equal(name, "dut0");
	assert_int_equal(port_num, 1);
	*t = now;
	return true;
}

static int setup(void **state)
{
	now = (struct base_traffic){.sent_packets = 1};
	uabi_sysfs_set_traffic(traffic);
	return uabi_setup(state);
}

static int teardown(void **state)
{
	uabi_sysfs_set_traffic(NULL);
	return uabi_teardown(state);
}

static const char *text_of(int fd)
{
	static char text[UABI_SYSFS_BYTES];
	const ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static void uabi_sysfs_read__one_file_by_its_name(void **state)
{
	char text[UABI_SYSFS_BYTES];

	(void)state;
	assert_int_equal(uabi_sysfs_read(PORT "state", text), 10);
	assert_string_equal(text, "4: ACTIVE\n");
	assert_int_equal(uabi_sysfs_read("/sys/class/infiniband//./dut0/node_type", text), 6);
	assert_string_equal(text, "1: CA\n");
	assert_int_equal(uabi_sysfs_read("/sys/class/infiniband_verbs/uverbs0/dev", text), 8);
	assert_string_equal(text, "231:192\n");
}

static void uabi_sysfs_read__tells_directories_from_nothing(void **state)
{
	char text[UABI_SYSFS_BYTES], longest[2 * PATH_MAX];

	(void)state;
	assert_int_equal(uabi_sysfs_read("/sys/class/infiniband", text), -EISDIR);
	assert_int_equal(uabi_sysfs_read(PORT "gids", text), -EISDIR);
	assert_int_equal(uabi_sysfs_read(PORT "gids/", text), -EISDIR);
	assert_int_equal(uabi_sysfs_read(PORT "gid", text), -ENOENT);
	assert_int_equal(uabi_sysfs_read(PORT "state/more", text), -ENOENT);
	assert_int_equal(uabi_sysfs_read("/sys/class/infiniband/dut00/node_type", text), -ENOENT);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(uabi_sysfs_read(longest, text), -ENOENT);
}

static void uabi_sysfs_open__is_live_when_it_is_rewound(void **state)
{
	struct uabi_file *file;
	int fd;

	(void)state;
	assert_int_equal(uabi_sysfs_open(PORT "counters/port_xmit_packets", &file, &fd), 0);
	assert_string_equal(text_of(fd), "1\n");
	now.sent_packets = 123456;
	assert_string_equal(text_of(fd), "1\n");
	file->ops->rewind(file, fd);
	assert_string_equal(text_of(fd), "123456\n");
	now.sent_packets = 7; /* and shorter again */
	file->ops->rewind(file, fd);
	assert_string_equal(text_of(fd), "7\n");
	close(fd);
	uabi_file_put(file);
}

static void uabi_sysfs_open__looks_like_a_file_that_cannot_be_written(void **state)
{
	struct uabi_file *file;
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(uabi_sysfs_open(PORT "state", &file, &fd), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(file->ops->fstat(file, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0444);
	close(fd);
	uabi_file_put(file);
}

/* The descriptor has been closed without our hearing of it, and the number is another file's. */
static void uabi_sysfs_open__writes_nothing_into_another_file(void **state)
{
	struct uabi_file *file;
	struct stat st;
	int fd, other;

	(void)state;
	assert_int_equal(uabi_sysfs_open(PORT "counters/port_xmit_packets", &file, &fd), 0);
	other = memfd_create("other", MFD_CLOEXEC);
	assert_int_equal(write(other, "mine", 4), 4);
	assert_int_equal(fstat(other, &st), 0);
	assert_int_equal(dup2(other, fd), fd);
	file->ops->rewind(file, fd);
	assert_string_equal(text_of(fd), "mine");
	assert_int_equal(file->ops->fstat(file, &st), 0);
	assert_int_not_equal(st.st_mode, S_IFREG | 0444);
	close(other);
	close(fd);
	uabi_file_put(file);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(uabi_sysfs_read__one_file_by_its_name, setup, teardown),
	cmocka_unit_test_setup_teardown(uabi_sysfs_read__tells_directories_from_nothing, setup,
					teardown),
	cmocka_unit_test_setup_teardown(uabi_sysfs_open__is_live_when_it_is_rewound, setup,
					teardown),
	cmocka_unit_test_setup_teardown(uabi_sysfs_open__looks_like_a_file_that_cannot_be_written,
					setup, teardown),
	cmocka_unit_test_setup_teardown(uabi_sysfs_open__writes_nothing_into_another_file, setup,
					teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
