// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table of descriptors. */
#include "uabi/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/test.h"

struct thing {
	struct uabi_file file;
	int released;
};

static void release(struct uabi_file *file)
{
	((struct thing *)(void *)file)->released++;
}

static const struct uabi_file_ops ops = {.release = release};

static int open_null(void)
{
	const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void uabi_fd_install__lets_a_descriptor_mean_something(void **state)
{
	struct thing thing = {.released = 0};
	const int fd = open_null();
	struct uabi_file *file;

	(void)state;
	assert_false(uabi_fd_known(fd));
	assert_null(uabi_fd_get(fd));
	uabi_file_init(&thing.file, &ops);
	assert_int_equal(uabi_fd_install(fd, &thing.file), 0);
	assert_true(uabi_fd_known(fd));
	file = uabi_fd_get(fd);
	assert_ptr_equal(file, &thing.file);
	uabi_fd_forget(fd);
	assert_false(uabi_fd_known(fd));
	assert_int_equal(thing.released, 0); /* the call is still under way */
	uabi_file_put(file);
	assert_int_equal(thing.released, 1);
	close(fd);
}

static void uabi_fd_install__refuses_what_is_no_descriptor(void **state)
{
	struct thing thing = {.released = 0};

	(void)state;
	uabi_file_init(&thing.file, &ops);
	assert_int_equal(uabi_fd_install(-1, &thing.file), -EBADF);
	assert_int_equal(uabi_fd_install(INT_MAX, &thing.file), -EBADF);
	assert_false(uabi_fd_known(-1));
	assert_false(uabi_fd_known(INT_MAX));
	uabi_file_put(&thing.file);
	assert_int_equal(thing.released, 1);
}

static void uabi_fd_copied__shares_until_the_last_is_closed(void **state)
{
	struct thing thing = {.released = 0};
	const int a = open_null(), b = open_null();

	(void)state;
	uabi_file_init(&thing.file, &ops);
	assert_int_equal(uabi_fd_install(a, &thing.file), 0);
	uabi_fd_copied(a, b);
	uabi_fd_copied(a, a); /* dup2() onto itself */
	uabi_fd_close(a);
	assert_int_equal(thing.released, 0);
	assert_true(uabi_fd_known(b));
	uabi_fd_close(b);
	assert_int_equal(thing.released, 1);
}

static void uabi_fd_copied__replaces_what_was_there(void **state)
{
	struct thing one = {.released = 0}, two = {.released = 0};
	const int a = open_null(), b = open_null(), foreign = open_null();

	(void)state;
	uabi_file_init(&one.file, &ops);
	uabi_file_init(&two.file, &ops);
	assert_int_equal(uabi_fd_install(a, &one.file), 0);
	assert_int_equal(uabi_fd_install(b, &two.file), 0);
	uabi_fd_copied(a, b);
	assert_int_equal(two.released, 1);
	uabi_fd_copied(foreign, b);
	assert_false(uabi_fd_known(b));
	assert_int_equal(one.released, 0);
	uabi_fd_close(a);
	assert_int_equal(one.released, 1);
	close(b);
	close(foreign);
}

static void uabi_fd_hide__moves_it_out_of_the_way(void **state)
{
	const int fd = open_null();
	const int hidden = uabi_fd_hide(fd);

	(void)state;
	assert_true(hidden > fd);
	assert_true(uabi_fd_known(hidden));
	assert_true(uabi_fd_is_hidden(hidden));
	assert_null(uabi_fd_get(hidden));
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(fcntl(hidden, F_GETFD), FD_CLOEXEC);
	uabi_fd_forget(hidden); /* not the program's to close */
	assert_true(uabi_fd_is_hidden(hidden));
	uabi_fd_unhide(hidden);
	assert_false(uabi_fd_known(hidden));
	assert_int_equal(fcntl(hidden, F_GETFD), -1);
	uabi_fd_unhide(-1);
}

static void uabi_fd_next__finds_all_in_order(void **state)
{
	struct thing thing = {.released = 0};
	const int fd = open_null(), hidden = uabi_fd_hide(open_null());

	(void)state;
	uabi_file_init(&thing.file, &ops);
	assert_int_equal(uabi_fd_install(fd, &thing.file), 0);
	assert_int_equal(uabi_fd_next(-5), fd);
	assert_int_equal(uabi_fd_next(fd + 1), hidden);
	assert_int_equal(uabi_fd_next(hidden + 1), -1);
	assert_int_equal(uabi_fd_next(INT_MAX), -1);
	uabi_fd_unhide(hidden);
	uabi_fd_close(fd);
}

/* In a child of its own: what is the parent's fails, what was hidden is closed. */
static int in_child(int fd, int hidden)
{
	struct uabi_file *file;
	ssize_t written;
	int ret;

	uabi_fd_forked();
	file = uabi_fd_get(fd);
	if (!file || uabi_fd_known(hidden) || fcntl(hidden, F_GETFD) != -1)
		return 1;
	written = file->ops->write(file, "x", 1);
	ret = file->ops->ioctl(file, 0, NULL);
	uabi_file_put(file);
	return written == -EIO && ret == -EIO ? 0 : 2;
}

static void uabi_fd_forked__leaves_dead_descriptors(void **state)
{
	struct thing thing = {.released = 0};
	const int fd = open_null(), hidden = uabi_fd_hide(open_null());
	int status;
	pid_t child;

	(void)state;
	uabi_file_init(&thing.file, &ops);
	assert_int_equal(uabi_fd_install(fd, &thing.file), 0);
	child = fork();
	if (!child)
		_exit(in_child(fd, hidden));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	uabi_fd_unhide(hidden);
	uabi_fd_close(fd);
	assert_int_equal(thing.released, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(uabi_fd_install__lets_a_descriptor_mean_something),
	cmocka_unit_test(uabi_fd_install__refuses_what_is_no_descriptor),
	cmocka_unit_test(uabi_fd_copied__shares_until_the_last_is_closed),
	cmocka_unit_test(uabi_fd_copied__replaces_what_was_there),
	cmocka_unit_test(uabi_fd_hide__moves_it_out_of_the_way),
	cmocka_unit_test(uabi_fd_next__finds_all_in_order),
	cmocka_unit_test(uabi_fd_forked__leaves_dead_descriptors),
};

int main(void)
{
	return verbena_test_main(tests);
}
