// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a stock program's process is on: a host of a daemon's fabric, or of a fabric of its own. */
#include "device/process.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cause.h"
#include "device/attached.h"
#include "device/hca.h"
#include "device/threads.h"
#include "verbena/verbena.h"

#define OWN_FABRIC "-"

static struct {
	pthread_mutex_t lock;
	struct ib_device *device;
	struct verbena_fabric *fabric; /* if it is our own */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct {
	const char *name;
	const char *device_name;
	enum verbena_personality personality;
} personalities[] = {
	{"rxe", "rxe0", VERBENA_PERSONALITY_RXE},
	{"hfi1", "hfi1_0", VERBENA_PERSONALITY_HFI1},
	{"hfi1-v1", "hfi1_0", VERBENA_PERSONALITY_HFI1_V1},
};

/* What is set to nothing counts as not set. */
static const char *environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

static int read_environment(struct verbena_host_options *options)
{
	const char *name = environment("VERBENA_PERSONALITY", personalities[0].name);

	for (size_t i = 0; i < ARRAY_SIZE(personalities); i++) {
		if (strcmp(name, personalities[i].name) != 0)
			continue;
		options->personality = personalities[i].personality;
		options->device_name =
			environment("VERBENA_DEVICE_NAME", personalities[i].device_name);
		return 0;
	}
	return base_refuse(-EINVAL, HOST_ENVIRONMENT);
}

const char *device_process_fabric(void)
{
	return environment("VERBENA_FABRIC", "default");
}

const char *device_process_host(char *machine)
{
	memset(machine, 0, DEVICE_MAX_HOST_NAME + 1);
	(void)gethostname(machine, DEVICE_MAX_HOST_NAME);
	return environment("VERBENA_HOST", *machine ? machine : "host");
}

static struct ib_device *start_own(const char *host, const struct verbena_host_options *options)
{
	struct verbena_fabric *fabric = verbena_fabric_new(NULL);
	struct ib_device *device;

	if (IS_ERR(fabric))
		return ERR_CAST(fabric);
	device = verbena_host_add(fabric, host, options);
	if (IS_ERR(device))
		verbena_fabric_free(fabric);
	else
		process.fabric = fabric;
	return device;
}

static int start(void)
{
	struct verbena_host_options options = {.device_name = NULL};
	const char *fabric = device_process_fabric(), *host;
	char machine[DEVICE_MAX_HOST_NAME + 1];
	struct ib_device *device;
	int ret = read_environment(&options);

	if (ret)
		return ret;
	host = device_process_host(machine);
	device = strcmp(fabric, OWN_FABRIC) == 0 ? start_own(host, &options)
						 : verbena_host_attach(fabric, host, &options);
	if (IS_ERR(device))
		return (int)PTR_ERR(device);
	process.device = device;
	return 0;
}

int device_process_start(void)
{
	int ret;

	pthread_mutex_lock(&process.lock);
	ret = process.device ? 0 : start();
	pthread_mutex_unlock(&process.lock);
	return ret;
}

/* Its threads are not here, and its locks may be held by them: all of it is left as it was. */
void device_process_forked(void)
{
	device_threads_forked();
	device_hcas_forked();
	process.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	process.fabric = NULL;
	process.device = NULL;
	(void)device_attach_forked();
}
