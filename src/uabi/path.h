/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Paths of sysfs and /dev that lead into our private tree. */
#ifndef UABI_PATH_H
#define UABI_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* Room for a path of ours. Programs come here on threads with small stacks, so it is not PATH_MAX. */
#define UABI_PATH_BYTES 1024u

/**
 * uabi_path_is_ours() - Whether a path is below one of the places that we stand in for.
 * @path: As a program gives it. Anything, NULL included.
 *
 * These are /sys/class/infiniband*, /sys/class/misc/rdma_cm and /dev/infiniband. A path with ".."
 * is not: it may lead out again.
 *
 * Context: Any; compares a few bytes.
 */
bool uabi_path_is_ours(const char *path);

/**
 * uabi_path_into() - The same place in the private tree.
 * @root: Where the tree is.
 * @path: One that uabi_path_is_ours().
 * @out: Room for the result.
 * @bytes: Size of @out.
 *
 * Return: 0; -ENAMETOOLONG.
 */
int uabi_path_into(const char *root, const char *path, char *out, size_t bytes);

/**
 * uabi_path_outside() - Undo uabi_path_into(), for calls that hand paths out.
 * @root: Where the tree is.
 * @path: In: any path. Out: what the program shall see.
 */
void uabi_path_outside(const char *root, char *path);

/** uabi_path_minor() - N of /dev/infiniband/uverbsN; -1 for any other path. */
int uabi_path_minor(const char *path);

#endif
