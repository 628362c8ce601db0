// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The allocator: libc's, with the counters and switches that tests need. */
#include "base/alloc.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static unsigned long fail_countdown; /* 0: off */
static bool fail_struck;
static size_t live_blocks;
static size_t live_bytes;
static _Thread_local unsigned int forbidden;

/* One decrement per allocation, so that exactly one of several threads is hit. */
static bool strike(void)
{
	unsigned long left = __atomic_load_n(&fail_countdown, __ATOMIC_RELAXED);

	while (left) {
		if (!__atomic_compare_exchange_n(&fail_countdown, &left, left - 1, false,
						 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			continue;
		if (left > 1)
			return false;
		__atomic_store_n(&fail_struck, true, __ATOMIC_RELAXED);
		return true;
	}
	return false;
}

void *base_zalloc(size_t bytes)
{
	void *block;

	INVARIANT(!forbidden);
	if (strike())
		return NULL;
	block = calloc(1, bytes ? bytes : 1);
	if (!block)
		return NULL;
	__atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&live_bytes, malloc_usable_size(block), __ATOMIC_RELAXED);
	return block;
}

void *base_realloc(void *block, size_t bytes)
{
	const size_t before = block ? malloc_usable_size(block) : 0;
	void *moved;

	INVARIANT(!forbidden);
	if (strike())
		return NULL;
	moved = realloc(block, bytes ? bytes : 1);
	if (!moved)
		return NULL;
	if (!block)
		__atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&live_bytes, malloc_usable_size(moved) - before, __ATOMIC_RELAXED);
	return moved;
}

void *base_alloc(size_t bytes)
{
	return base_realloc(NULL, bytes);
}

void *base_zalloc_array(size_t n, size_t bytes)
{
	size_t total;

	if (__builtin_mul_overflow(n, bytes, &total))
		return NULL;
	return base_zalloc(total);
}

char *base_strdup(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *copy = base_zalloc(bytes);

	if (copy)
		memcpy(copy, text, bytes);
	return copy;
}

void base_free(void *block)
{
	if (!block)
		return;
	INVARIANT(!forbidden);
	__atomic_fetch_sub(&live_blocks, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&live_bytes, malloc_usable_size(block), __ATOMIC_RELAXED);
	free(block);
}

void base_alloc_fail_nth(unsigned long n)
{
	__atomic_store_n(&fail_struck, false, __ATOMIC_RELAXED);
	__atomic_store_n(&fail_countdown, n, __ATOMIC_RELAXED);
}

bool base_alloc_failed(void)
{
	return __atomic_load_n(&fail_struck, __ATOMIC_RELAXED);
}

size_t base_alloc_live(void)
{
	return __atomic_load_n(&live_blocks, __ATOMIC_RELAXED);
}

size_t base_alloc_live_bytes(void)
{
	return __atomic_load_n(&live_bytes, __ATOMIC_RELAXED);
}

void base_alloc_forbid(bool forbid)
{
	if (forbid) {
		forbidden++;
		return;
	}
	INVARIANT(forbidden > 0);
	forbidden--;
}

bool base_alloc_forbidden(void)
{
	return forbidden > 0;
}
