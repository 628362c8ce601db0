/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The crank's side of queued work; who queues it sees <linux/workqueue.h>. */
#ifndef BASE_WORK_H
#define BASE_WORK_H

#include <stdbool.h>

/**
 * base_work_run_one() - Run the first work whose queue lets it run.
 *
 * Context: No lock held.
 * Return: false if there is none.
 */
bool base_work_run_one(void);

/** base_work_queued() - Whether some work could run now. */
bool base_work_queued(void);

/** base_work_busy() - Whether work is queued or running. */
bool base_work_busy(void);

#endif
