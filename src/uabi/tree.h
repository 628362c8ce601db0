/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Our part of sysfs and /dev, as real directories and files that any system call can read. */
#ifndef UABI_TREE_H
#define UABI_TREE_H

/**
 * uabi_tree_make() - Make the private tree, with all devices of now.
 *
 * It is $XDG_RUNTIME_DIR/verbena/tree-..., else /tmp/verbena-UID/tree-...: a directory that nobody
 * else may enter, which is checked. What dead processes have left there is removed.
 *
 * Context: May sleep. One thread.
 * Return: 0; -errno with a cause.
 */
int uabi_tree_make(void);

/**
 * uabi_tree_need() - See that there is a tree: it is made for the first who looks at a directory of ours.
 *
 * Context: May sleep.
 * Return: 0; -errno, with a cause the first time.
 */
int uabi_tree_need(void);

/** uabi_tree_root() - Where it is; "" before uabi_tree_make(). */
const char *uabi_tree_root(void);

/** uabi_tree_remove() - Remove it. Nothing happens in a process that has not made it. */
void uabi_tree_remove(void);

/** uabi_tree_forked() - Forget it, in the child of a fork: it is the parent's. */
void uabi_tree_forked(void);

#endif
