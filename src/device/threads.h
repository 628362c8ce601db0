/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The driver of a real process: an engine thread, real time, waits on a futex. */
#ifndef DEVICE_THREADS_H
#define DEVICE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * device_threads_get() - Start the engine thread, or use the one that runs.
 *
 * Return: 0; the negative errno of pthread_create().
 */
int device_threads_get(void);

/** device_threads_put() - The last one stops it. Context: No work queued, no timer armed. */
void device_threads_put(void);

/**
 * struct device_outside - Others who give this process work: a wire between processes.
 * @progress: Do some of it, without sleeping; true if there was any.
 * @poll: As @progress, of a thread that polls and has found nothing; and as @polled: *@wake says so.
 * @polled: A thread is polling; true: the engine is to be woken.
 * @is_polled: Some thread is, again and again: the engine need not do its work.
 * @expect: A thread is about to sleep until something comes.
 * @sleep: The engine is about to sleep: how long at most, 0 for not at all. What wakes it is a
 *	readable descriptor.
 * @awake: It does not sleep any more; @readable says whether one of @fds is, but for the first.
 * @fds: Descriptors to be watched, at most DEVICE_OUTSIDE_FDS, the first of them @wake_fd; returns how many.
 * @wake_fd: An eventfd that we may write to.
 * @ctx: Handed to the functions.
 */
struct device_outside {
	bool (*progress)(void *ctx);
	bool (*poll)(void *ctx, bool *wake);
	bool (*polled)(void *ctx);
	bool (*is_polled)(void *ctx);
	void (*expect)(void *ctx);
	uint64_t (*sleep)(void *ctx);
	void (*awake)(void *ctx, bool readable);
	unsigned int (*fds)(void *ctx, int *fds);
	int wake_fd;
	void *ctx;
};

#define DEVICE_OUTSIDE_FDS 2u

/**
 * device_threads_set_outside() - Have the engine work for others, too; NULL: no more.
 * @outside: Outlives its use: with NULL, this waits until the engine has let go.
 */
void device_threads_set_outside(const struct device_outside *outside);

/** device_threads_forked() - Forget the engine thread, in the child of a fork: it is not there. */
void device_threads_forked(void);

/** device_now_ns() - CLOCK_MONOTONIC. */
uint64_t device_now_ns(void);

#endif
