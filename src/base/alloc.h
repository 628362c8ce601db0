/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* All memory of the stack comes from here, so that tests can fail it, forbid it and count it. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/**
 * base_zalloc() - Zero-filled memory, aligned for any type.
 * @bytes: Size; 0 gives a block that can be freed but not used.
 *
 * Context: Any thread; aborts between base_alloc_forbid(true) and base_alloc_forbid(false).
 * Return: The block, the caller's until base_free(); NULL when there is no memory.
 */
void *base_zalloc(size_t bytes);

/** base_alloc() - base_zalloc() without the zeroes. */
void *base_alloc(size_t bytes);

/**
 * base_realloc() - Make a block larger or smaller; it may move.
 * @block: From here, or NULL for a new one. Still the caller's if this fails.
 * @bytes: New size; what is added is not zeroed.
 */
void *base_realloc(void *block, size_t bytes);

/**
 * base_zalloc_array() - base_zalloc() of @n elements of @bytes, NULL too when the product overflows.
 * @n: Elements.
 * @bytes: Size of one.
 */
void *base_zalloc_array(size_t n, size_t bytes);

/**
 * base_strdup() - A copy of a string in memory from base_zalloc().
 * @text: To be copied.
 */
char *base_strdup(const char *text);

/**
 * base_free() - Give a block back.
 * @block: From base_zalloc(), or NULL.
 */
void base_free(void *block);

/**
 * base_alloc_fail_nth() - Make one later allocation of this process fail (tests).
 * @n: Which: 1 is the next one; 0 switches it off.
 */
void base_alloc_fail_nth(unsigned long n);

/** base_alloc_failed() - Whether base_alloc_fail_nth() has struck since it was last set. */
bool base_alloc_failed(void);

/** base_alloc_live() - Blocks that are allocated now. */
size_t base_alloc_live(void);

/** base_alloc_live_bytes() - Bytes that the blocks allocated now can hold. */
size_t base_alloc_live_bytes(void);

/**
 * base_alloc_forbid() - Abort on any allocation of this thread from here on (tests: the data path).
 * @forbid: true starts it, false ends it. Calls nest.
 */
void base_alloc_forbid(bool forbid);

/** base_alloc_forbidden() - Whether this thread is in such a stretch (a test's own malloc() asks). */
bool base_alloc_forbidden(void);

#endif
