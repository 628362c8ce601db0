/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A run directory of a test's own, so that its daemons are nobody else's. */
#ifndef TESTS_COMMON_RUN_DIR_H
#define TESTS_COMMON_RUN_DIR_H

/**
 * run_dir_make() - Make one, and have this process and its children use it.
 *
 * Daemons that are started in it are those of this build, and end with their last process.
 *
 * Return: 0; -1 if it cannot be made.
 */
int run_dir_make(void);

/** run_dir_path() - Where it is. */
const char *run_dir_path(void);

/**
 * run_dir_remove() - Wait until the daemons in it have ended, and remove it.
 * @fabric: Whose daemon there may be; likewise
 * @another: unless it is NULL.
 *
 * Return: 0; -1 if anything is left that no daemon leaves.
 */
int run_dir_remove(const char *fabric, const char *another);

#endif
