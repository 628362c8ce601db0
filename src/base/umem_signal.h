/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Faults on their way to us first and to the program second. Between umem.c and umem_signal.c. */
#ifndef BASE_UMEM_SIGNAL_H
#define BASE_UMEM_SIGNAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * base_umem_signal_init() - Put our SIGSEGV and SIGBUS handlers in front of the program's.
 *
 * Return: 0 (also when done before); a negative errno of sigaction().
 */
int base_umem_signal_init(void);

/** base_umem_signals_blocked() - Whether a fault of this thread would kill the process. */
bool base_umem_signals_blocked(void);

/**
 * base_umem_signals_open() - Let the two signals through on this thread, whatever it blocks.
 * @mask: Out: for base_umem_signals_restore().
 */
void base_umem_signals_open(sigset_t *mask);

/**
 * base_umem_signals_restore() - Block again what was blocked before base_umem_signals_open().
 * @mask: From there.
 */
void base_umem_signals_restore(const sigset_t *mask);

/**
 * base_umem_faulted() - Whether a copy of this thread touched @address; umem.c implements it.
 * @address: Of the fault.
 *
 * Context: Signal handler.
 */
bool base_umem_faulted(uintptr_t address);

/**
 * base_umem_faulted_somewhere() - Whether a fault without an address is one of a copy's.
 *
 * An x86 tells no address where there cannot be a page (a non-canonical address): the copy was in
 * progress, and one of its sides reaches there. umem.c implements it.
 *
 * Context: Signal handler.
 */
bool base_umem_faulted_somewhere(void);

/** base_umem_leave() - Leave that copy, which returns -EFAULT. Context: Signal handler. */
_Noreturn void base_umem_leave(void);

#endif
