// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What a managed fabric needs besides, where no program has devices on it: a wire for the manager's own port. */
#include "device/hosted.h"

#include <errno.h>
#include <linux/err.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/umem.h"
#include "device/faults.h"
#include "device/threads.h"
#include "wire/loop.h"

struct device_hosted {
	struct device_managed *managed;
	struct wire_loop *wire;
	struct device_faults faults;
};

static int no_faults(void *ctx)
{
	(void)ctx;
	return 0;
}

static int start(struct device_hosted *h, struct fabric *fabric, const char *topology,
		 const struct device_guests *guests)
{
	int ret = base_umem_init();

	if (!ret)
		ret = device_threads_get();
	if (ret)
		return base_refuse(-EAGAIN, HOST_THREAD, (uint64_t)-ret);
	h->managed = device_managed_new(fabric, h->wire, &h->faults, topology, guests);
	if (!IS_ERR(h->managed))
		return 0;
	ret = (int)PTR_ERR(h->managed);
	device_threads_put();
	return ret;
}

struct device_hosted *device_hosted_new(struct fabric *fabric, const char *topology,
					const struct device_guests *guests)
{
	struct device_hosted *h = base_zalloc(sizeof(*h));
	int ret;

	if (!h)
		return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, sizeof(*h)));
	device_faults_init(&h->faults, no_faults, h);
	h->wire = wire_loop_new(fabric, &h->faults.faults);
	ret = h->wire ? start(h, fabric, topology, guests)
		      : base_refuse(-ENOMEM, NO_MEMORY, sizeof(*h));
	if (!ret)
		return h;
	if (h->wire)
		wire_loop_free(h->wire);
	device_faults_free(&h->faults);
	base_free(h);
	return ERR_PTR(ret);
}

void device_hosted_free(struct device_hosted *h)
{
	if (!h)
		return;
	device_faults_free(&h->faults);
	device_managed_free(h->managed);
	wire_loop_free(h->wire);
	device_threads_put();
	base_free(h);
}
