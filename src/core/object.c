/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory of the verbs' objects. */
#include <linux/err.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "core/verbs_priv.h"

void *core_object_alloc(struct ib_device *device, size_t bytes, size_t core_bytes)
{
	const size_t size = bytes > core_bytes ? bytes : core_bytes;
	int ret = core_object_get(device);
	void *object;

	if (ret)
		return ERR_PTR(ret);
	object = base_zalloc(size);
	if (object)
		return object;
	core_object_put(device);
	return ERR_PTR(base_refuse(-ENOMEM, NO_MEMORY, size));
}

void core_object_free(struct ib_device *device, void *object)
{
	base_free(object);
	core_object_put(device);
}
