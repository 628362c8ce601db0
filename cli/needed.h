/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which libraries a program is linked with, and whether another can be preloaded. */
#ifndef CLI_NEEDED_H
#define CLI_NEEDED_H

#include <stdbool.h>
#include <stddef.h>

/**
 * cli_find_needed() - Look for a library that a program needs.
 * @command: As for execvp(3).
 * @prefix: What the library's name begins with.
 * @name: Out: its name, as the program has it.
 * @bytes: Room there.
 *
 * Return: true if there is one; false also if the program cannot be read or is not for this machine.
 */
bool cli_find_needed(const char *command, const char *prefix, char *name, size_t bytes);

/**
 * cli_why_out_of_reach() - Why the loader will not preload a library into a program.
 * @command: As for execvp(3).
 *
 * Return: What the program is or has ("is set-user-ID"), or NULL if nothing is in the way.
 */
const char *cli_why_out_of_reach(const char *command);

#endif
