/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Errors of a stock program, explained on its stderr: a line for each refused command and for the first
 * error completion of each queue pair. $VERBENA_EXPLAIN: 0 for silence, a path for a file.
 */
#ifndef UABI_EXPLAIN_H
#define UABI_EXPLAIN_H

/**
 * explain_init() - Read the environment, take a descriptor of our own, and listen. Once.
 * @host: The process's; each line begins with its pid and with this.
 */
void explain_init(const char *host);

/** explain_begin() - A command begins: what was refused before is not its doing. */
void explain_begin(void);

/**
 * explain_refusal() - A command was refused; the last cause says why.
 * @err: Its negative errno. What programs try out, expecting to be refused, is not explained.
 *
 * Context: The thread that ran the command; no locks.
 */
void explain_refusal(int err);

#endif
