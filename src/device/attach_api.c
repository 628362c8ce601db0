// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* verbena_host_attach(): this process's one place on a daemon's fabric. */
#include <linux/err.h>
#include <pthread.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "device/attached.h"
#include "device/hca.h"
#include "device/process.h"
#include "device/threads.h"
#include "verbena/verbena.h"

static struct {
	bool taken;			  /* atomic: attached, or about to be */
	struct device_attached *attached; /* atomic */
} place;

bool device_attach_forked(void)
{
	struct device_attached *attached = place.attached;

	__atomic_store_n(&place.taken, false, __ATOMIC_RELAXED);
	place.attached = NULL;
	if (attached)
		device_attached_forked(attached);
	return attached != NULL;
}

void device_attach_close_windows(void)
{
	const struct device_attached *attached = __atomic_load_n(&place.attached, __ATOMIC_ACQUIRE);

	if (attached)
		device_attached_close_windows(attached);
}

/* The daemon must not take a child that lives on for its dead parent. */
static void forked(void)
{
	if (!device_attach_forked())
		return;
	device_threads_forked();
	device_hcas_forked();
}

static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, forked);
}

struct device_attached *device_attach(const char *fabric, const char *hostname,
				      const struct device_host_profile *profile)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct device_attached *attached;

	if (__atomic_exchange_n(&place.taken, true, __ATOMIC_ACQUIRE))
		return ERR_PTR(base_refuse(-EBUSY, ATTACH_TWICE));
	pthread_once(&once, watch_forks);
	attached = device_attached_new(fabric, hostname, profile);
	if (IS_ERR(attached))
		__atomic_store_n(&place.taken, false, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&place.attached, attached, __ATOMIC_RELEASE);
	return attached;
}

struct ib_device *verbena_host_attach(const char *fabric, const char *hostname,
				      const struct verbena_host_options *options)
{
	const struct verbena_host_options none = {.device_name = NULL};
	struct device_host_profile *profile = base_zalloc(sizeof(*profile));
	struct device_attached *attached;
	char machine[DEVICE_MAX_HOST_NAME + 1];
	int ret;

	if (!profile)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*profile)));
	if (!fabric)
		fabric = device_process_fabric();
	if (!hostname)
		hostname = device_process_host(machine);
	profile->count = 1;
	ret = device_profile_of(&profile->hca[0], options ? options : &none);
	attached = ret ? ERR_PTR(ret) : device_attach(fabric, hostname, profile);
	base_free(profile);
	return IS_ERR(attached) ? ERR_CAST(attached) : device_attached_device(attached, 0);
}

struct device_attached *device_attach_current(void)
{
	return __atomic_load_n(&place.attached, __ATOMIC_ACQUIRE);
}

void device_detach(struct device_attached *attached)
{
	__atomic_store_n(&place.attached, NULL, __ATOMIC_RELEASE);
	device_attached_free(attached);
	__atomic_store_n(&place.taken, false, __ATOMIC_RELEASE);
}
