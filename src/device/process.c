// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a stock program's process is on: a host of a daemon's fabric, or of a fabric of its own. */
#include "device/process.h"

#include <linux/err.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "device/attached.h"
#include "device/hca.h"
#include "device/threads.h"
#include "verbena/verbena.h"

#define OWN_FABRIC "-"

static struct {
	pthread_mutex_t lock;
	bool started;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What is set to nothing counts as not set. */
static const char *environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

static int read_environment(struct device_host_profile *profile)
{
	const char *name = environment("VERBENA_PERSONALITY", "rxe");
	enum verbena_personality personality;

	if (!device_profile_personality(name, &personality))
		return base_refuse(-EINVAL, HOST_ENVIRONMENT);
	device_profile_init(&profile->hca[0], personality);
	profile->count = 1;
	name = environment("VERBENA_DEVICE_NAME", profile->hca[0].name);
	if (strlen(name) >= sizeof(profile->hca[0].name))
		return base_refuse(-EINVAL, DEVICE_NAME_BAD, strlen(name));
	memmove(profile->hca[0].name, name, strlen(name) + 1);
	return 0;
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

static int start_own(const char *host, const struct device_host_profile *profile)
{
	struct verbena_fabric *fabric = verbena_fabric_new(NULL);

	if (IS_ERR(fabric))
		return (int)PTR_ERR(fabric);
	for (u32 i = 0; i < profile->count; i++) {
		struct ib_device *device = device_host_add(fabric, host, &profile->hca[i]);

		if (!IS_ERR(device))
			continue;
		verbena_fabric_free(fabric);
		return (int)PTR_ERR(device);
	}
	return 0;
}

static int start_on(const struct device_host_profile *profile)
{
	const char *fabric = device_process_fabric(), *host;
	char machine[DEVICE_MAX_HOST_NAME + 1];

	host = device_process_host(machine);
	return strcmp(fabric, OWN_FABRIC) == 0
		       ? start_own(host, profile)
		       : PTR_ERR_OR_ZERO(device_attach(fabric, host, profile));
}

static int start(void)
{
	struct device_host_profile *profile = base_zalloc(sizeof(*profile));
	int ret;

	if (!profile)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*profile));
	ret = read_environment(profile);
	if (!ret)
		ret = start_on(profile);
	base_free(profile);
	return ret;
}

int device_process_start(void)
{
	int ret;

	pthread_mutex_lock(&process.lock);
	ret = process.started ? 0 : start();
	process.started = !ret;
	pthread_mutex_unlock(&process.lock);
	return ret;
}

/* Its threads are not here, and its locks may be held by them: all of it is left as it was. */
void device_process_forked(void)
{
	device_threads_forked();
	device_hcas_forked();
	process.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	process.started = false;
	(void)device_attach_forked();
}
