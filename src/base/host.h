/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the stack asks of whoever runs it: work for later, waiting, waking, timers.
 *
 * Nothing above reads a clock or starts a thread. A driver (threads in device/, virtual time in
 * sim/) installs one table for the process and turns the crank: base_host_turn() with the time.
 */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include <linux/verbena_base.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct base_host_ops - How the driver of this process waits and is woken.
 * @run_later: There is work in the queue of base_host_turn(): see that it is called soon, from a
 *	context that holds no lock. Called with locks held; must not call back.
 * @wait_until: Return true once cond(arg) holds, false after @timeout_ns (UINT64_MAX: never).
 *	Progress is made meanwhile: threads sleep until base_wake(), the simulator turns the crank.
 *	Called without locks, from a context that may sleep.
 * @wake: Something that a waiter or a sleeping driver may wait for has changed (a condition, an
 *	earlier deadline, a packet). Called with locks held; must not call back.
 * @progress: A poller found nothing: do what is due, without sleeping; true if there was
 *	something. NULL: base_host_turn() with the time as it is. Never called from within a turn.
 * @polled: A poller found something, and will be back. May be NULL.
 * @expect: A thread of the program is about to sleep until a completion comes. May be NULL.
 */
struct base_host_ops {
	void (*run_later)(void *ctx);
	bool (*wait_until)(void *ctx, bool (*cond)(void *arg), void *arg, uint64_t timeout_ns);
	void (*wake)(void *ctx);
	bool (*progress)(void *ctx);
	void (*polled)(void *ctx);
	void (*expect)(void *ctx);
};

/**
 * base_host_install() - Make @ops the driver of this process.
 * @ops: The table, or NULL for the built-in one: work and timers run inside base_wait_until() and
 *	base_host_turn() only, which is what unit tests want.
 * @ctx: Handed to each function of @ops.
 *
 * Context: No work queued, no timer armed, nobody waits.
 */
void base_host_install(const struct base_host_ops *ops, void *ctx);

/**
 * base_host_turn() - Run what is due: queued work first, then timers, in the order of their time.
 * @now_ns: The time; never less than in an earlier call.
 * @budget: At most so many functions are run.
 *
 * Context: No lock held. One thread at a time; others return 0 at once.
 * Return: Functions run.
 */
unsigned int base_host_turn(uint64_t now_ns, unsigned int budget);

/**
 * base_host_deadline_ns() - When base_host_turn() must be called next.
 *
 * Return: The time of the earliest timer; 0 if work is queued or a timer was armed since the last
 *	turn; UINT64_MAX if nothing is pending.
 */
uint64_t base_host_deadline_ns(void);

/**
 * base_progress() - Turn the crank from a thread that polls and has found nothing.
 *
 * Context: No lock held. From within a turn it does nothing: whoever is up the stack goes on.
 * Return: Whether anything was done, so that polling once more may find something.
 */
bool base_progress(void);

/** base_polled() - Instead of base_progress() where a poll did find something. */
void base_polled(void);

/** base_expect() - The program has asked for an event, and may sleep until it comes. */
void base_expect(void);

/** base_host_idle() - Whether no work is queued or running and no timer is armed (tests). */
bool base_host_idle(void);

#endif
