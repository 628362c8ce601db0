/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Variables of the environment that have one of a few values. */
#ifndef BASE_ENVIRONMENT_H
#define BASE_ENVIRONMENT_H

/**
 * base_environment_choice() - What a variable chooses.
 * @name: Of the variable; a constant.
 * @choices: The values that it may have, up to a NULL.
 *
 * A value that is none of them is said on stderr, once for each variable, and otherwise ignored.
 *
 * Context: Any thread.
 * Return: Index of the value in @choices; -1 if it is none of them, empty or not set.
 */
int base_environment_choice(const char *name, const char *const *choices);

#endif
