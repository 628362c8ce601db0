// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Readers that never wait, and the wait that outlasts them.
 *
 * Two counters a slot, one for each phase. A reader counts itself in the current phase of its
 * slot; base_rcu_wait() turns the phase twice and each time waits until the old one is empty.
 * Threads spread over the slots, so that readers do not share a cache line.
 */
#include <linux/verbena_base.h>
#include <sched.h>

#include "base/check.h"

#define SLOTS 64

struct slot {
	u32 readers[2];
} __attribute__((aligned(64)));

struct reader {
	struct slot *slot;
	u32 phase;
	u32 depth;
};

static struct slot slots[SLOTS];
static u32 next_slot;
static u32 phase;
static struct base_lock wait_lock;
static _Thread_local __attribute__((tls_model("initial-exec"))) struct reader self;

void base_rcu_read_lock(void)
{
	struct reader *r = &self;

	if (r->depth++)
		return;
	if (!r->slot)
		r->slot = &slots[__atomic_fetch_add(&next_slot, 1, __ATOMIC_RELAXED) % SLOTS];
	r->phase = __atomic_load_n(&phase, __ATOMIC_RELAXED) & 1;
	__atomic_fetch_add(&r->slot->readers[r->phase], 1, __ATOMIC_SEQ_CST);
}

void base_rcu_read_unlock(void)
{
	struct reader *r = &self;

	INVARIANT(r->depth > 0);
	if (--r->depth)
		return;
	__atomic_fetch_sub(&r->slot->readers[r->phase], 1, __ATOMIC_RELEASE);
}

static bool empty(u32 which)
{
	for (int i = 0; i < SLOTS; i++)
		if (__atomic_load_n(&slots[i].readers[which], __ATOMIC_SEQ_CST))
			return false;
	return true;
}

void base_rcu_wait(void)
{
	u32 free_word = 0;

	INVARIANT(!self.depth);
	if (!__atomic_compare_exchange_n(&wait_lock.word, &free_word, 1, false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		base_lock_slow(&wait_lock);
	for (int turn = 0; turn < 2; turn++) {
		const u32 old = __atomic_fetch_add(&phase, 1, __ATOMIC_SEQ_CST) & 1;

		while (!empty(old))
			sched_yield();
	}
	if (__atomic_exchange_n(&wait_lock.word, 0, __ATOMIC_RELEASE) == 2)
		base_unlock_slow(&wait_lock);
}
