/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The driver of a real process: an engine thread, real time, waits on a futex. */
#ifndef DEVICE_THREADS_H
#define DEVICE_THREADS_H

/**
 * device_threads_get() - Start the engine thread, or use the one that runs.
 *
 * Return: 0; the negative errno of pthread_create().
 */
int device_threads_get(void);

/** device_threads_put() - The last one stops it. Context: No work queued, no timer armed. */
void device_threads_put(void);

#endif
