/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The subnet manager: finds what there is, gives LIDs, sets tables, brings ports up. It knows of the subnet
 * what SMPs tell, and has no other way to it; who carries them is up to the caller. It has no thread, no lock and no
 * clock: one call at a time. Where there are several one of them is the master, and the others stand by [IBA 14.4].
 */
#ifndef SM_SM_H
#define SM_SM_H

#include <linux/types.h>
#include <rdma/ib_smi.h>

struct sm;

/** enum sm_state - SMState of SMInfo. */
enum sm_state {
	SM_NOT_ACTIVE,
	SM_DISCOVERING,
	SM_STANDBY,
	SM_MASTER,
};

#define SM_STATES 4u
#define SM_DEFAULT_KEY 1u

/**
 * struct sm_ops - What the manager needs.
 * @send: Send an SMP, which is copied. Its answer goes to sm_answer(), with the TID that it was sent with; if
 *	none comes, however often it was sent again, the TID goes to sm_lost(). Either may come before @send
 *	returns. Return: 0; a negative errno is as good as lost.
 * @swept: A sweep has ended: sm_is_up() tells how. May call sm_sweep(). May be NULL.
 * @changed: sm_state() has changed. May call nothing that sends. May be NULL.
 */
struct sm_ops {
	int (*send)(void *ctx, const struct ib_smp *smp);
	void (*swept)(void *ctx);
	void (*changed)(void *ctx);
};

/**
 * struct sm_options - How it shall manage. All zero is fine.
 * @subnet_prefix: Host order; 0 for the default, 0xfe80000000000000.
 * @key: SM_Key; 0 for SM_DEFAULT_KEY. Who has another one is no manager of ours.
 * @window: SMPs under way at a time; 0 for 64.
 * @polls: How often the master may fail to answer until it is taken for gone; 0 for 4.
 * @priority: 0 to 15: the highest is master, of equal ones that with the lowest GUID.
 */
struct sm_options {
	u64 subnet_prefix;
	u64 key;
	u32 window;
	u32 polls;
	u8 priority;
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

/**
 * sm_sweep() - Look at everything and set what is not as it should be; once more, if it is at it.
 * @sm: Manager.
 *
 * One that stands by, or is not active, leaves that to the master.
 */
void sm_sweep(struct sm *sm);

/** sm_regroup() - Members have come or gone: set the tables of their groups, and nothing else. */
void sm_regroup(struct sm *sm);

/** sm_realias() - Ports are to have further GUIDs, or not to have them any more: tell them. */
void sm_realias(struct sm *sm);

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

/** sm_state() - Whether it is the master, or what else. The first sweep decides. */
enum sm_state sm_state(const struct sm *sm);

/** sm_polls() - Whether sm_poll() is to be called in a while: there is something of which nobody would tell us. */
bool sm_polls(const struct sm *sm);

/**
 * sm_poll() - Look at what nobody tells: whether the master is still there; as the master, whether somebody is to be
 * it instead, and our own cable.
 * @sm: Manager.
 */
void sm_poll(struct sm *sm);

/**
 * sm_info() - SMInfo is asked for, or set, which is how managers tell each other what to do.
 * @sm: Manager. What it is told it does when sm_proceed() is called.
 * @smp: The request; out: its answer.
 *
 * Return: false if there is none, for it does not know yet who it is.
 */
bool sm_info(struct sm *sm, struct ib_smp *smp);

/** sm_proceed() - The answer of sm_info() has been sent. */
void sm_proceed(struct sm *sm);

/** sm_is_up() - Whether the last sweep has ended with all ports that can be Active being so. */
bool sm_is_up(const struct sm *sm);

/** sm_lid() - Its own LID; 0 before the first sweep. */
u16 sm_lid(const struct sm *sm);

/** sm_get_stats() - Read the counters. */
void sm_get_stats(const struct sm *sm, struct sm_stats *stats);

#endif
