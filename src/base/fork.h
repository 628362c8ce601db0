/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The child of a fork() has copies of everything and none of the threads: locks may be held by
 * nobody, and what is queued is somebody else's. It starts anew, and leaves the copies lie.
 */
#ifndef BASE_FORK_H
#define BASE_FORK_H

/**
 * base_forked() - Forget work, timers, pollers, readers and the driver, in the child of a fork.
 *
 * Context: The child's only thread, before it does anything else.
 */
void base_forked(void);

/** base_host_forked() - The driver's part of it (host.c). */
void base_host_forked(void);

/** base_work_forked() - What was queued (work.c). */
void base_work_forked(void);

/** base_timers_forked() - What was armed (timer.c). */
void base_timers_forked(void);

/** base_pollers_forked() - What was looked at (poller.c). */
void base_pollers_forked(void);

/** base_rcu_forked() - Other threads' reading (rcu.c). */
void base_rcu_forked(void);

#endif
