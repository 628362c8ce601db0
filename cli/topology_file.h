/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A file with a topology, for commands that get one. */
#ifndef CLI_TOPOLOGY_FILE_H
#define CLI_TOPOLOGY_FILE_H

#include "fabric/topology.h"

/**
 * topology_file_check() - Read a file, and say on stderr what is wrong with it, with the line.
 * @command: Who says it.
 * @path: File.
 * @topology: Out: the caller's; NULL: not wanted.
 *
 * Return: 0; a negative errno: it has been said.
 */
int topology_file_check(const char *command, const char *path, struct topology **topology);

#endif
