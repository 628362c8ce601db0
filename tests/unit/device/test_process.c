// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The device of a stock program's process, from the environment. Each case in a process of its own. */
#include "device/process.h"

#include <errno.h>
#include <rdma/ib_verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/test.h"

/* 0 if the process had a device @name with that driver and version, else the errno. */
static int start_as(const char *personality, const char *name, enum rdma_driver_id driver, u32 abi)
{
	struct ib_device *device;
	int ret;

	setenv("VERBENA_FABRIC", "-", 1);
	if (personality)
		setenv("VERBENA_PERSONALITY", personality, 1);
	ret = device_process_start();
	if (ret)
		return -ret;
	if (device_process_start())
		return ENOTRECOVERABLE;
	device = ib_device_get_by_name(name, driver);
	if (!device)
		return ENODEV;
	ret = device->ops.uverbs_abi_ver == abi ? 0 : EPROTO;
	ib_device_put(device);
	return ret;
}

static int in_child(const char *personality, const char *name, enum rdma_driver_id driver, u32 abi)
{
	pid_t child;
	int status;

	test_skip_in_torture();
	child = fork();
	if (!child)
		_exit(start_as(personality, name, driver, abi));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void device_process_start__makes_what_the_environment_says(void **state)
{
	(void)state;
	assert_int_equal(in_child(NULL, "rxe0", RDMA_DRIVER_RXE, 2), 0);
	assert_int_equal(in_child("", "rxe0", RDMA_DRIVER_RXE, 2), 0);
	assert_int_equal(in_child("rxe", "rxe0", RDMA_DRIVER_RXE, 2), 0);
	assert_int_equal(in_child("hfi1", "hfi1_0", RDMA_DRIVER_HFI1, 2), 0);
	assert_int_equal(in_child("hfi1-v1", "hfi1_0", RDMA_DRIVER_HFI1, 1), 0);
	assert_int_equal(in_child("mlx5", "rxe0", RDMA_DRIVER_RXE, 2), EINVAL);
}

static void device_process_start__takes_any_name(void **state)
{
	(void)state;
	setenv("VERBENA_DEVICE_NAME", "mlx5_0", 1);
	assert_int_equal(in_child("rxe", "mlx5_0", RDMA_DRIVER_RXE, 2), 0);
	unsetenv("VERBENA_DEVICE_NAME");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(device_process_start__makes_what_the_environment_says),
	cmocka_unit_test(device_process_start__takes_any_name),
};

int main(void)
{
	return verbena_test_main(tests);
}
