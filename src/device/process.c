// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a stock program's process is on: a host of a daemon's fabric, or of a fabric of its own. */
#include "device/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/err.h>
#include <linux/printk.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/log.h"
#include "device/attached.h"
#include "device/fault_log.h"
#include "device/faults.h"
#include "device/hca.h"
#include "device/threads.h"
#include "profile/profile.h"
#include "verbena/faults.h"
#include "verbena/verbena.h"

#define OWN_FABRIC "-"
#define PROFILE_LIBRARY "libverbena-profile.so"

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

/* It is where the library is that we are in: see cmake/Layers.cmake. */
static profile_load_fn find_loader(void)
{
	char path[PATH_MAX];
	void *library;
	Dl_info info;
	char *slash;

	if (!dladdr((void *)(uintptr_t)&device_process_start, &info) || !info.dli_fname ||
	    !realpath(info.dli_fname, path))
		return NULL;
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + sizeof(PROFILE_LIBRARY) > sizeof(path))
		return NULL;
	memcpy(slash + 1, PROFILE_LIBRARY, sizeof(PROFILE_LIBRARY));
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return library ? (profile_load_fn)dlsym(library, "profile_load") : NULL;
}

static int load_profile(const char *path, struct device_host_profile *profile)
{
	const profile_load_fn load = find_loader();
	const char *personality = environment("VERBENA_PERSONALITY", NULL);
	char error[PROFILE_ERROR_BYTES];
	int ret;

	if (!load)
		return base_refuse(-ENOENT, HOST_PROFILE_LIBRARY);
	ret = load(path, personality, profile, error, sizeof(error));
	if (!ret)
		return 0;
	pr_err("profile %s\n", error);
	return base_refuse(ret, HOST_PROFILE, (uint64_t)-ret);
}

static int default_profile(struct device_host_profile *profile)
{
	struct base_cause why = {.id = BASE_CAUSE_HOST_ENVIRONMENT, .side = BASE_SIDE_CALL};
	const char *name = environment("VERBENA_PERSONALITY", "rxe");
	enum verbena_personality personality;

	if (!device_profile_personality(name, &personality)) {
		base_cause_put_text(&why, 0, name);
		base_cause_set_last(&why);
		return -EINVAL;
	}
	device_profile_init(&profile->hca[0], personality);
	profile->count = 1;
	return 0;
}

static int read_environment(struct device_host_profile *profile)
{
	const char *path = environment("VERBENA_PROFILE", NULL);
	const char *name = environment("VERBENA_DEVICE_NAME", NULL);
	const int ret = path ? load_profile(path, profile) : default_profile(profile);

	if (ret || !name)
		return ret;
	if (strlen(name) >= sizeof(profile->hca[0].name))
		return base_refuse(-EINVAL, DEVICE_NAME_BAD, strlen(name));
	snprintf(profile->hca[0].name, sizeof(profile->hca[0].name), "%s", name);
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

static struct ib_device *start_own(const char *host, const struct device_host_profile *profile)
{
	struct verbena_fabric *fabric = verbena_fabric_new(NULL);
	struct ib_device *device = ERR_CAST(fabric);

	for (u32 i = 0; i < profile->count && !IS_ERR(fabric); i++) {
		device = device_host_add(fabric, host, &profile->hca[i]);
		if (!IS_ERR(device))
			continue;
		verbena_fabric_free(fabric);
		break;
	}
	return device;
}

/* One of the devices; all have the same faults. */
static struct ib_device *start_on(const struct device_host_profile *profile)
{
	const char *fabric = device_process_fabric(), *host;
	char machine[DEVICE_MAX_HOST_NAME + 1];
	struct device_attached *attached;

	host = device_process_host(machine);
	if (strcmp(fabric, OWN_FABRIC) == 0)
		return start_own(host, profile);
	attached = device_attach(fabric, host, profile);
	return IS_ERR(attached) ? ERR_CAST(attached) : device_attached_device(attached, 0);
}

/* Whoever waits for a device has none yet, so nothing has been missed. */
static int set_faults(struct ib_device *device, const char *spec)
{
	struct device_faults *f = device_hca_fault_hooks(device_hca_of(device))->faults;

	if (!spec)
		return 0;
	f->awaits_open = true;
	fault_log_start(&f->faults, environment("VERBENA_FAULTS_TRACE", NULL));
	return verbena_device_inject(device, spec);
}

static int start(void)
{
	struct device_host_profile *profile = base_zalloc(sizeof(*profile));
	const char *faults = environment("VERBENA_FAULTS", NULL);
	struct ib_device *device;
	int ret;

	base_log_init();
	if (!profile)
		return base_refuse(-ENOMEM, NO_MEMORY, sizeof(*profile));
	ret = read_environment(profile);
	if (!ret)
		ret = verbena_faults_check(faults, NULL);
	if (!ret) {
		device = start_on(profile);
		ret = IS_ERR(device) ? (int)PTR_ERR(device) : set_faults(device, faults);
	}
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

void device_process_close_windows(void)
{
	device_attach_close_windows();
}

/* Its threads are not here, and its locks may be held by them: all of it is left as it was. */
void device_process_forked(void)
{
	device_threads_forked();
	device_hcas_forked();
	process.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	process.started = false;
	fault_log_forked();
	(void)device_attach_forked();
}

bool device_process_traffic(const char *name, unsigned int port_num, struct base_traffic *traffic)
{
	struct device_attached *attached = device_attach_current();

	return attached && !device_attached_traffic(attached, name, port_num, traffic);
}
