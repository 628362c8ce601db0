// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Readers that never wait, and the wait that outlasts them.
 *
 * Each thread has a counter that is odd while it reads. base_rcu_wait() notes the odd ones and waits
 * until each has moved. A reader pays two plain stores: the barrier that must lie between its store
 * and what it reads is made by the waiter, for all threads, with membarrier(); where the kernel has
 * none, the reader makes it.
 */
#include <linux/membarrier.h>
#include <linux/spinlock.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"
#include "base/fork.h"

struct reader {
	u64 turns; /* written by its thread only */
	u32 depth;
	bool listed;
	struct reader *next;
	struct reader **link; /* what points at this one */
};

static struct base_lock list_lock; /* also: one waiter at a time */
static struct reader *readers;	   /* list_lock */
static pthread_key_t exit_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool readers_fence; /* no membarrier() */
static _Thread_local struct reader self;

static void unlist(void *arg)
{
	struct reader *r = arg;

	spin_lock(&list_lock);
	*r->link = r->next;
	if (r->next)
		r->next->link = r->link;
	r->listed = false;
	spin_unlock(&list_lock);
}

static void prepare(void)
{
	INVARIANT(!pthread_key_create(&exit_key, unlist));
	readers_fence = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) !=
			0;
}

/* A thread's first reading: from now on waiters look at it, until it ends. */
static void enlist(struct reader *r)
{
	(void)pthread_once(&once, prepare);
	spin_lock(&list_lock);
	r->next = readers;
	r->link = &readers;
	if (readers)
		readers->link = &r->next;
	readers = r;
	r->listed = true;
	spin_unlock(&list_lock);
	(void)pthread_setspecific(exit_key, r);
}

void base_rcu_read_lock(void)
{
	struct reader *r = &self;

	if (r->depth++)
		return;
	if (__builtin_expect(!r->listed, 0))
		enlist(r);
	if (__builtin_expect(readers_fence, 0))
		(void)__atomic_exchange_n(&r->turns, r->turns + 1, __ATOMIC_SEQ_CST);
	else
		__atomic_store_n(&r->turns, r->turns + 1, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void base_rcu_read_unlock(void)
{
	struct reader *r = &self;

	INVARIANT(r->depth > 0);
	if (--r->depth)
		return;
	__atomic_store_n(&r->turns, r->turns + 1, __ATOMIC_RELEASE);
}

/* After this every reader has seen what was stored before, or is seen to be reading. */
static void barrier_for_all(void)
{
	static u32 fence; /* sanitizers know no fence but this kind */

	(void)__atomic_fetch_add(&fence, 1, __ATOMIC_SEQ_CST);
	if (!readers_fence)
		INVARIANT(!syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
}

/*
 * The list stands still meanwhile: a thread that begins to read for the first time, or ends, waits.
 * None of them can be in a section, and a section waits for nobody.
 */
void base_rcu_wait(void)
{
	INVARIANT(!self.depth);
	(void)pthread_once(&once, prepare);
	spin_lock(&list_lock);
	barrier_for_all();
	for (const struct reader *r = readers; r; r = r->next) {
		const u64 turns = __atomic_load_n(&r->turns, __ATOMIC_ACQUIRE);

		while ((turns & 1) && __atomic_load_n(&r->turns, __ATOMIC_ACQUIRE) == turns)
			sched_yield();
	}
	spin_unlock(&list_lock);
}

void base_rcu_forked(void)
{
	spin_lock_init(&list_lock);
	readers = NULL; /* a thread of this process enlists again */
	self = (struct reader){.turns = 0};
	(void)pthread_setspecific(exit_key, NULL);
	(void)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}
