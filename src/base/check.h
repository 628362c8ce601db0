/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Promises we make ourselves: checked in every build, release included. */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

/**
 * base_panic() - Print where a promise was broken and abort.
 * @file: Source file.
 * @line: Line in it.
 * @what: The promise, as text.
 */
_Noreturn void base_panic(const char *file, int line, const char *what);

#define INVARIANT(cond)                                        \
	do {                                                   \
		if (__builtin_expect(!(cond), 0))              \
			base_panic(__FILE__, __LINE__, #cond); \
	} while (0)

#define UNREACHABLE(why) base_panic(__FILE__, __LINE__, why)

#endif
