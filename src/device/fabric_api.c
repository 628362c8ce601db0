// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The fabric inside a process: the calls of <verbena/verbena.h> that make, break and count. */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "device/attached.h"
#include "device/faults.h"
#include "device/hca.h"
#include "device/managed.h"
#include "device/threads.h"
#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "verbena/faults.h"
#include "verbena/verbena.h"
#include "wire/capture.h"
#include "wire/loop.h"

#define LATE_PACKETS 2048u

struct host {
	struct list_head link;
	struct device_hca *hca;
	struct verbena_fabric *fabric;
};

struct verbena_fabric {
	struct mutex lock; /* hosts */
	struct list_head hosts;
	struct wire_loop *wire;
	struct device_managed *managed; /* NULL: one switch, without a manager */
	struct verbena_stats gone;	/* of hosts that were removed */
	struct device_faults faults;
	struct fabric fabric;
};

static int prepare(void *ctx)
{
	const struct verbena_fabric *fabric = ctx;

	return wire_loop_prepare_faults(fabric->wire, LATE_PACKETS);
}

static int set_faults(struct verbena_fabric *fabric, const struct verbena_faults *faults)
{
	const struct fabric_fault_rates rates = {
		.seed = faults->seed,
		.drop_ppm = faults->drop_ppm,
		.duplicate_ppm = faults->duplicate_ppm,
		.reorder_ppm = faults->reorder_ppm,
		.corrupt_ppm = faults->corrupt_ppm,
		.delay_ns = faults->delay_ns,
	};
	const bool any = faults->drop_ppm || faults->duplicate_ppm || faults->reorder_ppm ||
			 faults->corrupt_ppm || faults->delay_ns;
	int ret = any ? wire_loop_prepare_faults(fabric->wire, LATE_PACKETS) : 0;

	if (!ret)
		ret = fabric_faults_set(&fabric->faults.faults, &rates);
	if (!ret && fabric->managed)
		subnet_seed(device_managed_subnet(fabric->managed), faults->seed);
	return ret;
}

static int manage(struct verbena_fabric *fabric, const char *topology, uint64_t seed)
{
	struct device_managed *managed =
		device_managed_new(&fabric->fabric, fabric->wire, &fabric->faults, topology, NULL);

	if (IS_ERR(managed))
		return (int)PTR_ERR(managed);
	subnet_seed(device_managed_subnet(managed), seed);
	fabric->managed = managed;
	return 0;
}

/* And begin another one, or none. */
static int end_capture(struct verbena_fabric *fabric, struct wire_capture *next)
{
	const int ret = wire_capture_close(wire_loop_set_capture(fabric->wire, next));

	return ret ? base_refuse(ret, CAPTURE_INCOMPLETE) : 0;
}

int verbena_fabric_capture(struct verbena_fabric *fabric, const char *path)
{
	struct wire_capture *next = NULL;
	int error;

	if (!device_is_object(fabric))
		return -EINVAL;
	if (path) {
		next = wire_capture_open(path, &error);
		if (!next)
			return base_refuse(-error, CAPTURE_FILE, (uint64_t)error);
	}
	return end_capture(fabric, next);
}

struct verbena_fabric *verbena_fabric_new(const struct verbena_fabric_options *options)
{
	const struct verbena_fabric_options none = {.name = NULL};
	const struct verbena_fabric_options *o = options ? options : &none;
	struct verbena_fabric *fabric = base_zalloc(sizeof(*fabric));
	int ret = -ENOMEM;

	if (!fabric)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*fabric)));
	mutex_init(&fabric->lock);
	INIT_LIST_HEAD(&fabric->hosts);
	fabric_init(&fabric->fabric, o->subnet_prefix);
	device_faults_init(&fabric->faults, prepare, fabric);
	fabric->wire = wire_loop_new(&fabric->fabric, &fabric->faults.faults);
	if (!fabric->wire)
		goto free_fabric;
	ret = set_faults(fabric, &o->faults);
	if (ret)
		goto free_wire;
	ret = device_threads_get();
	if (ret) {
		ret = base_refuse(-EAGAIN, HOST_THREAD, (uint64_t)-ret);
		goto free_wire;
	}
	ret = o->capture ? verbena_fabric_capture(fabric, o->capture) : 0;
	if (!ret && o->topology)
		ret = manage(fabric, o->topology, o->faults.seed);
	if (!ret)
		return fabric;
	(void)end_capture(fabric, NULL);
	device_threads_put();
free_wire:
	wire_loop_free(fabric->wire);
free_fabric:
	device_faults_free(&fabric->faults);
	base_free(fabric);
	return ERR_PTR(ret);
}

static struct host *first_host(struct verbena_fabric *fabric)
{
	struct host *host;

	mutex_lock(&fabric->lock);
	host = list_first_entry_or_null(&fabric->hosts, struct host, link);
	mutex_unlock(&fabric->lock);
	return host;
}

void verbena_fabric_free(struct verbena_fabric *fabric)
{
	struct host *host;

	if (IS_ERR_OR_NULL(fabric)) /* without a cause: that of the failure before is wanted */
		return;
	while ((host = first_host(fabric)) != NULL)
		verbena_host_remove(device_hca_device(host->hca));
	device_faults_free(&fabric->faults);
	device_managed_free(fabric->managed);
	(void)end_capture(fabric, NULL);
	wire_loop_free(fabric->wire);
	device_threads_put();
	base_free(fabric);
}

struct ib_device *verbena_host_add(struct verbena_fabric *fabric, const char *hostname,
				   const struct verbena_host_options *options)
{
	const struct verbena_host_options none = {.device_name = NULL};
	struct device_profile profile;
	int ret;

	if (!device_is_object(fabric))
		return ERR_PTR(-EINVAL);
	ret = device_profile_of(&profile, options ? options : &none);
	return ret ? ERR_PTR(ret) : device_host_add(fabric, hostname, &profile);
}

static int set_link(void *owner, uint32_t slot, bool up, bool wait)
{
	struct host *host = owner;

	(void)wait;
	device_managed_set_link(host->fabric->managed, slot, up);
	return 0;
}

static struct device_hca *make_hca(struct host *host, const char *hostname,
				   const struct device_profile *profile)
{
	struct verbena_fabric *fabric = host->fabric;

	if (fabric->managed)
		return device_managed_host(fabric->managed, &fabric->faults, hostname, profile,
					   set_link, host);
	return device_hca_new(&fabric->fabric, fabric->wire, &fabric->faults, hostname, profile);
}

struct ib_device *device_host_add(struct verbena_fabric *fabric, const char *hostname,
				  const struct device_profile *profile)
{
	struct device_hca *hca;
	struct host *host;

	host = base_zalloc(sizeof(*host));
	if (!host)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*host)));
	host->fabric = fabric;
	hca = make_hca(host, hostname, profile);
	if (IS_ERR(hca)) {
		base_free(host);
		return ERR_CAST(hca);
	}
	host->hca = hca;
	mutex_lock(&fabric->lock);
	list_add_tail(&host->link, &fabric->hosts);
	mutex_unlock(&fabric->lock);
	device_hca_set_owner(hca, host);
	return device_hca_device(hca);
}

void verbena_host_remove(struct ib_device *device)
{
	struct verbena_fabric *fabric;
	struct device_hca *hca;
	struct host *host;

	if (IS_ERR_OR_NULL(device))
		return;
	hca = device_hca_of(device);
	if (!device_hca_fabric(hca)) {
		device_detach(device_hca_owner(hca));
		return;
	}
	host = device_hca_owner(hca);
	fabric = host->fabric;
	mutex_lock(&fabric->lock);
	list_del(&host->link);
	device_hca_add_stats(hca, &fabric->gone);
	mutex_unlock(&fabric->lock);
	if (fabric->managed)
		device_managed_remove(fabric->managed, hca);
	else
		device_hca_free(hca);
	base_free(host);
}

int verbena_fabric_faults(struct verbena_fabric *fabric, const struct verbena_faults *faults)
{
	const struct verbena_faults none = {.seed = 0};

	if (!device_is_object(fabric))
		return -EINVAL;
	return set_faults(fabric, faults ? faults : &none);
}

int verbena_fabric_inject(struct verbena_fabric *fabric, const char *spec)
{
	if (!device_is_object(fabric))
		return -EINVAL;
	return device_faults_inject(&fabric->faults, spec);
}

void verbena_fabric_stats(struct verbena_fabric *fabric, struct verbena_stats *stats)
{
	struct wire_stats wire;
	struct host *host;

	if (!device_is_object(stats))
		return;
	if (!device_is_object(fabric)) {
		*stats = (struct verbena_stats){.packets = 0};
		return;
	}
	wire_loop_stats(fabric->wire, &wire);
	mutex_lock(&fabric->lock);
	*stats = fabric->gone;
	list_for_each_entry(host, &fabric->hosts, link)
		device_hca_add_stats(host->hca, stats);
	mutex_unlock(&fabric->lock);
	stats->packets = wire.packets;
	stats->bytes = wire.bytes;
	stats->dropped = wire.dropped;
	stats->duplicated = wire.duplicated;
	stats->reordered = wire.reordered;
	stats->corrupted = wire.corrupted;
}

int verbena_port_set_link(struct ib_device *device, uint32_t port_num, bool up)
{
	if (!device_is_object(device))
		return -EINVAL;
	if (!port_num || port_num > device->phys_port_cnt)
		return base_refuse(-EINVAL, HOST_PORT, port_num, device->phys_port_cnt);
	return device_hca_ask_link(device_hca_of(device), port_num, up);
}

int verbena_fabric_impair_cable(struct verbena_fabric *fabric, const char *node, uint32_t port_num,
				uint32_t loss_ppm, uint64_t delay_ns)
{
	const struct subnet_link_faults faults = {.loss_ppm = loss_ppm, .delay_ns = delay_ns};
	int ret;

	if (!device_is_object(fabric) || !device_is_object(node))
		return -EINVAL;
	if (!fabric->managed)
		return base_refuse(-EINVAL, TOPOLOGY_NONE);
	ret = delay_ns ? wire_loop_prepare_faults(fabric->wire, LATE_PACKETS) : 0;
	return ret ? ret : device_managed_impair_cable(fabric->managed, node, port_num, &faults);
}

int verbena_fabric_set_cable(struct verbena_fabric *fabric, const char *node, uint32_t port_num,
			     bool whole)
{
	if (!device_is_object(fabric) || !device_is_object(node))
		return -EINVAL;
	if (!fabric->managed)
		return base_refuse(-EINVAL, TOPOLOGY_NONE);
	return device_managed_set_cable(fabric->managed, node, port_num, whole);
}
