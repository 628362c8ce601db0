// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The table of umem_short.h, as the linker has put it together. */
#include "base/umem_short.h"

#if defined(__x86_64__)

#include <ucontext.h>

/* Distances from the entry's own members. */
struct umem_fault {
	int32_t begin;
	int32_t end;
	int32_t otherwise;
};

extern const struct umem_fault __start_umem_faults[] __attribute__((visibility("hidden")));
extern const struct umem_fault __stop_umem_faults[] __attribute__((visibility("hidden")));

static uintptr_t place(const int32_t *distance)
{
	return (uintptr_t)distance + (uintptr_t)(intptr_t)*distance;
}

bool umem_short_fix(void *context)
{
	greg_t *pc = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	for (const struct umem_fault *f = __start_umem_faults; f != __stop_umem_faults; f++) {
		if ((uintptr_t)*pc < place(&f->begin) || (uintptr_t)*pc >= place(&f->end))
			continue;
		*pc = (greg_t)place(&f->otherwise);
		return true;
	}
	return false;
}

#else

bool umem_short_fix(void *context)
{
	(void)context;
	return false;
}

#endif
