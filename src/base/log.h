/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The log: what pr_err() and its kin say. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

/**
 * base_log_set_level() - What is worth printing.
 * @level: Lines of this level and below, by the kernel's numbers (3 errors, 4 warnings, 7 debug).
 *	Without a call: VERBENA_LOG of the environment, else 4.
 */
void base_log_set_level(int level);

/** base_log_init() - Read VERBENA_LOG now, and say so if it makes no sense, before there is a line. */
void base_log_init(void);

/**
 * base_log_set_sink() - Where lines go instead of stderr.
 * @fn: Gets each line, without its newline; NULL for stderr.
 * @ctx: Handed to @fn.
 */
void base_log_set_sink(void (*fn)(void *ctx, int level, const char *line), void *ctx);

#endif
