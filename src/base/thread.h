/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Threads: those of our own, which a program must not notice, and the program's while they are in our
 * code.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/**
 * base_thread_start() - Start a thread of our own.
 * @thread: Out: for pthread_join().
 * @run: What it does.
 * @arg: For @run.
 *
 * The program's signals are for the program's threads: this one blocks all of them. The two by which a
 * copy of user memory fails (base/umem.h) are open, whatever the caller blocks. Its stack does not
 * become small because the program's is (ulimit -s).
 *
 * Return: 0; the negative errno of pthread_create().
 */
int base_thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

/** base_cancel_off() - Begin what pthread_cancel() must not end. Return: for base_cancel_restore(). */
int base_cancel_off(void);

/** base_cancel_restore() - End it. @state: Where base_cancel_off()'s result is. */
void base_cancel_restore(const int *state);

/**
 * BASE_UNCANCELLED - From here to the end of the block the thread cannot be cancelled.
 *
 * write(), open(), poll() and many others are cancellation points. A thread that ended there would
 * take our locks along. Where each nanosecond counts, syscall(2) does instead, which is none.
 */
#define BASE_UNCANCELLED                                      \
	__attribute__((cleanup(base_cancel_restore), unused)) \
	const int cancel_state_ = base_cancel_off()

/** struct base_size_guard - What BASE_NO_SIGXFSZ has to undo. @before: Signal mask. @blocked: By us. */
struct base_size_guard {
	sigset_t before;
	bool blocked;
};

/** base_size_guard_begin() - Begin what must not raise SIGXFSZ. Return: For base_size_guard_end(). */
struct base_size_guard base_size_guard_begin(void);

/** base_size_guard_end() - End it; errno stays. @guard: Where base_size_guard_begin()'s result is. */
void base_size_guard_end(const struct base_size_guard *guard);

/**
 * BASE_NO_SIGXFSZ - From here to the end of the block a file that would exceed the limit of the size of files
 *	(ulimit -f) is an error, EFBIG, and not the signal that ends the program. Files of ours are none of its.
 */
#define BASE_NO_SIGXFSZ                                       \
	__attribute__((cleanup(base_size_guard_end), unused)) \
	const struct base_size_guard size_guard_ = base_size_guard_begin()

#endif
