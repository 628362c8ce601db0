/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the shims in this folder need from Verbena's base layer: the slow paths of locks,
 * waiting, running later, time and memory. Not for programs; they use the shims.
 */
#ifndef VERBENA_LINUX_VERBENA_BASE_H
#define VERBENA_LINUX_VERBENA_BASE_H

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct work_struct;
struct workqueue_struct;

/* A futex word: 0 free, 1 held, 2 held and somebody may sleep on it. */
struct CAPABILITY("mutex") base_lock {
	u32 word;
};

/* Readers and writers; the words belong to base_rwlock_*(). */
struct CAPABILITY("mutex") base_rwlock {
	u32 state;
	u32 sleepers;
};

/* Take a lock whose word was not 0; release one whose word is 2. */
void base_lock_slow(struct base_lock *lock);
void base_unlock_slow(struct base_lock *lock);

void base_rwlock_read(struct base_rwlock *lock) ACQUIRE_SHARED(lock);
bool base_rwlock_try_read(struct base_rwlock *lock) TRY_ACQUIRE_SHARED(true, lock);
void base_rwlock_read_done(struct base_rwlock *lock) RELEASE_SHARED(lock);
void base_rwlock_write(struct base_rwlock *lock) ACQUIRE(lock);
bool base_rwlock_try_write(struct base_rwlock *lock) TRY_ACQUIRE(true, lock);
void base_rwlock_write_done(struct base_rwlock *lock) RELEASE(lock);

/* Readers of structures that change under them; base_rcu_wait() outlasts those that run now. */
void base_rcu_read_lock(void);
void base_rcu_read_unlock(void);
void base_rcu_wait(void);

#define BASE_FOREVER_NS UINT64_MAX

/*
 * Wait until @cond(@arg) holds, or @timeout_ns have passed; returns what @cond said last.
 * It is asked again after each base_wake(), from any thread. Called without locks.
 */
bool base_wait_until(bool (*cond)(void *arg), void *arg, uint64_t timeout_ns);
void base_wake(void);

/* How often base_wake() was called: a waiter notes it before it tests its condition. */
uint64_t base_wake_count(void);

/* The time when work and timers were last run: nanoseconds of the monotonic clock (virtual in the
 * simulator), and the same in jiffies.
 */
uint64_t base_now_ns(void);
unsigned long base_jiffies(void);

/*
 * Hand @work to a worker, in its turn of the queue @wq, or of none; false if it was pending already, and
 * then it stays where it is. It never runs twice at once.
 * base_cancel_work() takes it back (true if it was pending) and, with @wait, outlasts a
 * running one. base_flush_work() waits until it has run.
 */
bool base_run_on(struct workqueue_struct *wq, struct work_struct *work);
static inline bool base_run_later(struct work_struct *work)
{
	return base_run_on(NULL, work);
}

bool base_cancel_work(struct work_struct *work, bool wait);
bool base_flush_work(struct work_struct *work);

/* A queue of works; @max_active 1 means one after the other in the order given. */
struct workqueue_struct *base_workqueue_new(const char *name, int max_active);
void base_workqueue_flush(struct workqueue_struct *wq);
void base_workqueue_free(struct workqueue_struct *wq);

/*
 * A one-shot timer. @fn runs without locks held, in a worker or in the thread that makes
 * progress, and may arm the timer again.
 */
struct base_timer {
	struct base_timer *child, *next, *prev; /* its place in the heap */
	void (*fn)(struct base_timer *timer);
	u64 delay_ns;
	u64 placed_delay_ns;
	u64 deadline_ns;
	u64 order;
	u32 flags;
};

void base_timer_init(struct base_timer *timer, void (*fn)(struct base_timer *timer));

/*
 * All four: true if the timer was armed. Disarming leaves the timer where it is until it would
 * have fired, so its memory must stay; base_timer_remove() takes it out; _sync also outlasts a
 * running @fn.
 */
bool base_timer_arm(struct base_timer *timer, uint64_t delay_ns);
bool base_timer_disarm(struct base_timer *timer);
bool base_timer_remove(struct base_timer *timer);
bool base_timer_disarm_sync(struct base_timer *timer);
bool base_timer_is_armed(const struct base_timer *timer);

/*
 * What is looked at in each turn of the crank, because nobody announces it: @poll says whether there
 * was something. It must not wait, and is called without locks. Adding twice is adding once; removing
 * outlasts a running @poll, and is not for within it.
 */
struct base_poller {
	bool (*poll)(struct base_poller *poller);
	struct base_poller *next;
	bool listed;
};

void base_poller_add(struct base_poller *poller);
void base_poller_remove(struct base_poller *poller);

/* Zero-filled memory; NULL if there is none. base_free(NULL) is allowed. */
void *base_zalloc(size_t bytes);
void *base_zalloc_array(size_t n, size_t bytes);
void base_free(void *block);

/* A line of the log; @level is the kernel's, 0 (emergency) to 7 (debug). */
void base_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says once that @condition was met at @file:@line. */
void base_warn(const char *file, int line, const char *condition);

#ifdef __cplusplus
}
#endif

#endif /* VERBENA_LINUX_VERBENA_BASE_H */
