// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Minor numbers: uverbs is a client of core and numbers the devices that it is shown. */
#include <linux/err.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include <sys/sysmacros.h>

#include "base/cause.h"
#include "uabi/explain.h"
#include "uabi/uverbs_file.h"
#include "uabi/uverbs.h"

#define IB_UVERBS_MAJOR 231
#define IB_UVERBS_BASE_MINOR 192

static struct {
	spinlock_t lock; /* devices */
	bool registered;
	struct ib_device *devices[UVERBS_MAX_DEVICES];
} minors;

static int add_device(struct ib_device *device)
{
	int ret = base_refuse(-ENOSPC, UVERBS_TOO_MANY, UVERBS_MAX_DEVICES + 1, UVERBS_MAX_DEVICES);

	if (!device->ops.alloc_ucontext)
		return base_refuse(-EOPNOTSUPP, NOT_SUPPORTED);
	spin_lock(&minors.lock);
	for (unsigned int minor = 0; minor < UVERBS_MAX_DEVICES && ret; minor++) {
		if (minors.devices[minor])
			continue;
		minors.devices[minor] = device;
		ret = 0;
	}
	spin_unlock(&minors.lock);
	return ret;
}

static void remove_device(struct ib_device *device, void *client_data)
{
	(void)client_data;
	spin_lock(&minors.lock);
	for (unsigned int minor = 0; minor < UVERBS_MAX_DEVICES; minor++)
		if (minors.devices[minor] == device)
			minors.devices[minor] = NULL;
	spin_unlock(&minors.lock);
}

static struct ib_client client = {
	.name = "uverbs",
	.add = add_device,
	.remove = remove_device,
	.no_kverbs_req = true,
};

int uverbs_init(const char *host)
{
	int ret;

	if (minors.registered)
		return 0;
	explain_init(host);
	ret = ib_register_client(&client);
	minors.registered = !ret;
	return ret;
}

void uverbs_exit(void)
{
	if (minors.registered)
		ib_unregister_client(&client);
	minors.registered = false;
}

void uverbs_forked(void)
{
	minors.lock = (spinlock_t)BASE_LOCK_INIT;
	minors.registered = false;
	for (unsigned int minor = 0; minor < UVERBS_MAX_DEVICES; minor++)
		minors.devices[minor] = NULL;
}

struct ib_device *uverbs_device_get(unsigned int minor)
{
	struct ib_device *device;

	if (minor >= UVERBS_MAX_DEVICES)
		return NULL;
	spin_lock(&minors.lock);
	device = minors.devices[minor];
	if (device && !ib_device_try_get(device))
		device = NULL;
	spin_unlock(&minors.lock);
	return device;
}

bool uverbs_is_device(unsigned int minor)
{
	struct ib_device *device = uverbs_device_get(minor);

	if (device)
		ib_device_put(device);
	return device != NULL;
}

dev_t uverbs_devt(unsigned int minor)
{
	return makedev(IB_UVERBS_MAJOR, IB_UVERBS_BASE_MINOR + minor);
}
