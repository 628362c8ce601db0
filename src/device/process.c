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
	struct device_attached *attached;
	struct verbena_fabric *fabric;
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

static int start_own(const char *host, const struct verbena_host_options *options)
{
	struct verbena_fabric *fabric = verbena_fabric_new(NULL);
	struct ib_device *device;

	if (IS_ERR(fabric))
		return (int)PTR_ERR(fabric);
	device = verbena_host_add(fabric, host, options);
	if (IS_ERR(device)) {
		verbena_fabric_free(fabric);
		return (int)PTR_ERR(device);
	}
	process.fabric = fabric;
	return 0;
}

static int start_attached(const char *fabric, const char *host,
			  const struct verbena_host_options *options)
{
	struct device_attached *attached = device_attached_new(fabric, host, options);

	if (IS_ERR(attached))
		return (int)PTR_ERR(attached);
	process.attached = attached;
	return 0;
}

static int start(void)
{
	struct verbena_host_options options = {.device_name = NULL};
	char hostname[DEVICE_MAX_HOST_NAME + 1] = "";
	const char *fabric = environment("VERBENA_FABRIC", "default"), *host;
	int ret = read_environment(&options);

	if (ret)
		return ret;
	(void)gethostname(hostname, sizeof(hostname) - 1);
	host = environment("VERBENA_HOST", hostname[0] ? hostname : "host");
	return strcmp(fabric, OWN_FABRIC) == 0 ? start_own(host, &options)
					       : start_attached(fabric, host, &options);
}

int device_process_start(void)
{
	int ret;

	pthread_mutex_lock(&process.lock);
	ret = process.fabric || process.attached ? 0 : start();
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
	if (process.attached)
		device_attached_forked(process.attached);
	process.attached = NULL;
}
