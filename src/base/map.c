// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* One address after the other, in a part of the address space that neither loader nor allocators use. */
#include "base/map.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/sanitizer.h"

#define FAR_BEGIN 0x500000000000u
#define FAR_BYTES 0x040000000000u
#define STEP ((uintptr_t)2 << 20) /* so that nobody's neighbours are ours */

#ifdef BASE_WITH_SANITIZER
static void *next_place(size_t bytes)
{
	(void)bytes;
	return NULL; /* they divide the address space themselves */
}
#else
/* A wish: where it is taken or out of reach, the kernel chooses. */
static void *next_place(size_t bytes)
{
	static uintptr_t used; /* atomic */
	const uintptr_t room = (bytes + 2 * STEP - 1) / STEP * STEP;

	return (void *)(FAR_BEGIN + __atomic_fetch_add(&used, room, __ATOMIC_RELAXED) % FAR_BYTES);
}
#endif

void *base_map(size_t bytes, int prot, int flags, int fd)
{
	void *mem = mmap(next_place(bytes), bytes, prot, flags, fd, 0);

	return mem == MAP_FAILED ? NULL : mem;
}
