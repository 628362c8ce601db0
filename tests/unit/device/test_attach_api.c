// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* verbena_host_attach(): one place, given up and had again, refusals, and forks. */
#include <errno.h>
#include <linux/err.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/start.h"
#include "common/run_dir.h"
#include "common/test.h"
#include "verbena/verbena.h"

static int start(void **state)
{
	(void)state;
	unsetenv("VERBENA_FABRIC");
	unsetenv("VERBENA_HOST");
	return run_dir_make();
}

/* Nobody listens any more: the daemon ends when nobody is attached. Within ten seconds. */
static bool is_gone(const char *fabric)
{
	const time_t end = time(NULL) + 10;

	while (time(NULL) < end) {
		const int fd = attach_connect(fabric);

		if (fd < 0)
			return true;
		close(fd);
		sched_yield();
	}
	return false;
}

static int end(void **state)
{
	(void)state;
	return run_dir_remove("default", "one");
}

static void assert_refused(const char *fabric, const char *host, int err, const char *cause)
{
	struct ib_device *device = verbena_host_attach(fabric, host, NULL);

	assert_true(IS_ERR(device));
	if (PTR_ERR(device) == -ENOMEM) /* of the torture */
		return;
	assert_int_equal(PTR_ERR(device), -err);
	assert_string_equal(verbena_cause_name(verbena_last_cause_id()), cause);
}

static struct ib_device *attach(const char *fabric, const char *host)
{
	struct ib_device *device = verbena_host_attach(fabric, host, NULL);

	if (IS_ERR(device))
		fail_msg("%s", verbena_last_cause());
	return device;
}

static void verbena_host_attach__one_place_at_a_time(void **state)
{
	struct ib_device *device = attach("one", "alpha");

	(void)state;
	assert_refused("one", "beta", EBUSY, "ATTACH_TWICE");
	assert_refused(NULL, NULL, EBUSY, "ATTACH_TWICE");
	verbena_host_remove(device);
	device = attach(NULL, NULL);
	assert_string_equal(device->name, "verbena0");
	verbena_host_remove(device);
}

static enum ib_port_state state_of(struct ib_device *device)
{
	struct ib_port_attr port;

	assert_int_equal(ib_query_port(device, 1, &port), 0);
	return port.state;
}

/* A fabric of its own may be there besides, and is another one. */
static void verbena_host_attach__beside_a_fabric_of_its_own(void **state)
{
	struct verbena_fabric *fabric;
	struct ib_device *own, *device;

	(void)state;
	test_skip_in_torture();
	device = attach("one", "alpha");
	fabric = verbena_fabric_new(NULL);
	own = verbena_host_add(fabric, "own", NULL);
	assert_ptr_not_equal(own, device);
	assert_int_equal(verbena_port_set_link(device, 1, false), 0);
	assert_int_equal(state_of(device), IB_PORT_DOWN);
	assert_int_equal(state_of(own), IB_PORT_ACTIVE);
	assert_int_equal(verbena_port_set_link(device, 1, true), 0);
	assert_int_equal(verbena_port_set_link(own, 1, false), 0);
	assert_int_equal(state_of(device), IB_PORT_ACTIVE);
	assert_int_equal(state_of(own), IB_PORT_DOWN);
	verbena_fabric_free(fabric);
	verbena_host_remove(device);
}

static void verbena_host_attach__refuses_with_a_cause(void **state)
{
	const struct verbena_host_options mtu = {.mtu = 77};

	(void)state;
	assert_refused("-", "alpha", EINVAL, "ATTACH_FABRIC_NAME");
	assert_refused("a/b", "alpha", EINVAL, "ATTACH_FABRIC_NAME");
	assert_refused("", "alpha", EINVAL, "ATTACH_FABRIC_NAME");
	assert_refused("one", "", EINVAL, "HOST_NAME");
	assert_ptr_equal(verbena_host_attach("one", "alpha", &mtu), ERR_PTR(-EINVAL));
	setenv("VERBENAD", "/nonexistent/verbenad", 1);
	assert_refused("one", "alpha", ENOENT, "ATTACH_NO_DAEMON");
	setenv("VERBENAD", "/bin/true", 1);
	assert_refused("one", "alpha", ENOEXEC, "ATTACH_START");
	setenv("XDG_RUNTIME_DIR", "/proc", 1);
	assert_refused("one", "alpha", ENOENT, "ATTACH_RUN_DIR");
	setenv("XDG_RUNTIME_DIR", run_dir_path(), 1);
}

/* The parent's device is not the child's; one that the child attaches is. */
static void attach_in_child(void)
{
	struct ib_device *device = verbena_host_attach("one", "beta", NULL);
	struct ib_port_attr port;

	if (IS_ERR(device) || ib_query_port(device, 1, &port))
		_exit(1);
	verbena_host_remove(device);
	_exit(0);
}

static void verbena_host_attach__anew_in_the_child_of_a_fork(void **state)
{
	struct ib_device *device;
	struct ib_port_attr port;
	pid_t child;
	int status;

	(void)state;
	test_skip_in_torture();
	device = attach("one", "alpha");
	child = fork();
	if (!child)
		attach_in_child();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(ib_query_port(device, 1, &port), 0);
	verbena_host_remove(device);
}

/* Attaches, forks a child that lives until @fd breaks, and waits to be killed. */
static void die_before_a_child(int fd)
{
	char byte;

	if (IS_ERR(verbena_host_attach("one", "alpha", NULL)))
		_exit(1);
	if (!fork() && write(fd, "c", 1) < 0)
		_exit(1);
	(void)!read(fd, &byte, 1);
	_exit(0);
}

static void verbena_host_attach__a_child_does_not_keep_its_parents_place(void **state)
{
	int fds[2], status;
	char byte;
	pid_t parent;

	(void)state;
	test_skip_in_torture();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	parent = fork();
	if (!parent) {
		close(fds[0]);
		die_before_a_child(fds[1]);
	}
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1); /* the grandchild is there */
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_true(is_gone("one"));
	close(fds[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

static const struct CMUnitTest tests[] = {
	TEST(verbena_host_attach__one_place_at_a_time),
	TEST(verbena_host_attach__beside_a_fabric_of_its_own),
	TEST(verbena_host_attach__refuses_with_a_cause),
	TEST(verbena_host_attach__anew_in_the_child_of_a_fork),
	TEST(verbena_host_attach__a_child_does_not_keep_its_parents_place),
};

int main(void)
{
	return verbena_test_main(tests);
}
