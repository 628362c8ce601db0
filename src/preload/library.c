// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * What we change in the library's objects, all of it in public structures that programs call
 * through: a poll that finds nothing makes progress, and what librxe 44 gets wrong is replaced.
 *
 * The addresses come as user handles of commands. A program may send commands of its own, with
 * anything in them: an object is believed to be the library's only if its functions are.
 */
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <link.h>
#include <linux/types.h>
#include <string.h>

#include "base/host.h"
#include "base/umem.h"
#include "preload/library.h"
#include "preload/preload.h"
#include "uabi/uverbs.h"

#define MAX_INLINE_BYTES 4096u

static struct {
	int (*poll_cq)(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);
	void (*set_inline_data)(struct ibv_qp_ex *qp, void *addr, size_t bytes);
	const void *base; /* where the provider is loaded */
	bool is_rxe;
} provider;

static bool is_provider(const char *path)
{
	static const char *const names[] = {"librxe-rdmav", "libhfi1verbs-rdmav",
					    "libipathverbs-rdmav"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(path, names[i]))
			return true;
	return false;
}

struct loaded {
	bool libibverbs;
	bool provider;
};

static int look_at(struct dl_phdr_info *info, size_t bytes, void *ctx)
{
	struct loaded *loaded = ctx;

	(void)bytes;
	loaded->libibverbs |= strstr(info->dlpi_name, "/libibverbs.so") != NULL;
	loaded->provider |= is_provider(info->dlpi_name);
	return 0;
}

bool preload_lacks_provider(void)
{
	struct loaded loaded = {.provider = false};

	dl_iterate_phdr(look_at, &loaded);
	return loaded.libibverbs && !loaded.provider;
}

/* Whether @function is the provider's that we know, or that of one that we shall know. */
static bool is_providers(const void *function)
{
	Dl_info info;

	if (!function || !dladdr(function, &info) || !info.dli_fname)
		return false;
	if (provider.base)
		return info.dli_fbase == provider.base;
	provider.is_rxe = strstr(info.dli_fname, "librxe-rdmav") != NULL;
	if (!is_provider(info.dli_fname))
		return false;
	provider.base = info.dli_fbase;
	return true;
}

int preload_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc)
{
	const int got = provider.poll_cq(cq, num_entries, wc);

	if (got) {
		base_polled();
		return got;
	}
	return base_progress() ? provider.poll_cq(cq, num_entries, wc) : 0;
}

static void cq_created(u64 user_handle)
{
	struct ibv_context context;
	struct ibv_cq cq;

	if (base_umem_copy(&cq, (const void *)(uintptr_t)user_handle, sizeof(cq)) ||
	    base_umem_copy(&context, cq.context, sizeof(context)) ||
	    context.ops.poll_cq == preload_poll_cq ||
	    !is_providers((const void *)(uintptr_t)context.ops.poll_cq))
		return;
	if (!provider.poll_cq)
		provider.poll_cq = context.ops.poll_cq;
	if (provider.poll_cq == context.ops.poll_cq)
		cq.context->ops.poll_cq = preload_poll_cq;
}

static void cq_used(u64 user_handle)
{
	struct ibv_cq_ex *cq = (void *)(uintptr_t)user_handle;
	struct ibv_cq_ex copy;

	if (!provider.is_rxe || base_umem_copy(&copy, cq, sizeof(copy)) ||
	    !is_providers((const void *)(uintptr_t)copy.start_poll))
		return;
	preload_cq_ex_replace(cq);
}

static void cq_destroyed(u64 user_handle)
{
	preload_cq_ex_forget((const void *)(uintptr_t)user_handle);
}

/* librxe 44 copies the data, and leaves the length 0. Its setter of one buffer does it right. */
static void set_inline_data_list(struct ibv_qp_ex *qp, size_t count,
				 const struct ibv_data_buf *list)
{
	char whole[MAX_INLINE_BYTES];
	size_t bytes = 0;

	for (size_t i = 0; i < count; i++) {
		if (list[i].length > sizeof(whole) - bytes) {
			bytes = SIZE_MAX; /* more than any QP takes: refused below */
			break;
		}
		memcpy(whole + bytes, list[i].addr, list[i].length);
		bytes += list[i].length;
	}
	provider.set_inline_data(qp, whole, bytes == SIZE_MAX ? UINT32_MAX : bytes);
}

static void qp_created(u64 user_handle)
{
	struct ibv_qp_ex *qp = (void *)(uintptr_t)user_handle;
	struct ibv_qp_ex copy;

	if (!provider.is_rxe || base_umem_copy(&copy, qp, sizeof(copy)) ||
	    !is_providers((const void *)(uintptr_t)copy.wr_set_inline_data_list) ||
	    !is_providers((const void *)(uintptr_t)copy.wr_set_inline_data))
		return;
	provider.set_inline_data = copy.wr_set_inline_data;
	qp->wr_set_inline_data_list = set_inline_data_list;
}

static const struct uverbs_library_ops ops = {
	.cq_created = cq_created,
	.cq_used = cq_used,
	.cq_destroyed = cq_destroyed,
	.qp_created = qp_created,
};

void preload_library_init(void)
{
	uverbs_library_install(&ops);
}
