/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The subnet manager: finds what there is, gives LIDs, sets tables, brings ports up. It knows of the subnet
 * what SMPs tell, and has no other way to it; who carries them is up to the caller. It has no thread and no lock:
 * one call at a time.
 */
#ifndef SM_SM_H
#define SM_SM_H

#include <linux/types.h>
#include <rdma/ib_smi.h>

struct sm;

/**
 * struct sm_ops - What the manager needs.
 * @send: Send an SMP, which is copied. Its answer goes to sm_answer(), with the TID that it was sent with; if
 *	none comes, however often it was sent again, the TID goes to sm_lost(). Either may come before @send
 *	returns. Return: 0; a negative errno is as good as lost.
 * @swept: A sweep has ended: sm_is_up() tells how. May call sm_sweep().
 */
struct sm_ops {
	int (*send)(void *ctx, const struct ib_smp *smp);
	void (*swept)(void *ctx);
};

/**
 * struct sm_options - How it shall manage. All zero is fine.
 * @subnet_prefix: Host order; 0 for the default, 0xfe80000000000000.
 * @window: SMPs under way at a time; 0 for 64.
 */
struct sm_options {
	u64 subnet_prefix;
	u32 window;
};

/**
 * struct sm_stats - What it has done.
 * @sweeps: How many have ended well.
 * @failed: And how many not.
 * @sent: SMPs.
 * @lost: Of these, without an answer.
 * @refused: And with a status.
 * @switches: Found in the last sweep.
 * @adapters: Likewise.
 * @links: Likewise.
 */
struct sm_stats {
	u64 sweeps;
	u64 failed;
	u64 sent;
	u64 lost;
	u64 refused;
	u32 switches;
	u32 adapters;
	u32 links;
};

/** sm_new() - A manager that has seen nothing yet. @ctx: Handed to @ops. Return: NULL without memory. */
struct sm *sm_new(const struct sm_ops *ops, void *ctx, const struct sm_options *options);

/** sm_free() - Forget all; answers that are still to come are not for it. @sm: May be NULL. */
void sm_free(struct sm *sm);

/** sm_sweep() - Look at everything and set what is not as it should be; once more, if it is at it. */
void sm_sweep(struct sm *sm);

/** sm_regroup() - Members have come or gone: set the tables of their groups, and nothing else. */
void sm_regroup(struct sm *sm);

/** sm_answer() - An answer has arrived. @smp: Any content. */
void sm_answer(struct sm *sm, const struct ib_smp *smp);

/** sm_lost() - No answer has come. @tid: Of the request. */
void sm_lost(struct sm *sm, __be64 tid);

/**
 * sm_trap() - A trap has arrived.
 * @sm: Manager.
 * @trap: As it came: method Trap.
 * @repress: Out: the TrapRepress to send back to where it came from.
 *
 * Return: Whether it calls for a sweep: the caller may wait a moment, for such traps come in crowds.
 */
bool sm_trap(struct sm *sm, const struct ib_smp *trap, struct ib_smp *repress);

/** sm_is_up() - Whether the last sweep has ended with all ports that can be Active being so. */
bool sm_is_up(const struct sm *sm);

/** sm_lid() - Its own LID; 0 before the first sweep. */
u16 sm_lid(const struct sm *sm);

/** sm_get_stats() - Read the counters. */
void sm_get_stats(const struct sm *sm, struct sm_stats *stats);

#endif
