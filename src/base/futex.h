/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sleeping on a word of this process. */
#ifndef BASE_FUTEX_H
#define BASE_FUTEX_H

#include <linux/types.h>
#include <stdint.h>

/**
 * base_futex_wait() - Sleep while the word is unchanged.
 * @word: Where.
 * @seen: Its value as the caller knows it; returns at once if it differs.
 * @timeout_ns: At most so long; BASE_FOREVER_NS for ever. May return early.
 */
void base_futex_wait(u32 *word, u32 seen, uint64_t timeout_ns);

/**
 * base_futex_wake() - Wake who sleeps on the word.
 * @word: Where.
 * @how_many: At most.
 */
void base_futex_wake(u32 *word, int how_many);

#endif
