/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the hooks share. A hook is a function of the C library that the program gets from us instead. */
#ifndef PRELOAD_PRELOAD_H
#define PRELOAD_PRELOAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "uabi/path.h"

struct uabi_file;

/* Hooks are the only symbols that leave the library. */
#define HOOK __attribute__((visibility("default")))

/* SAME_AS() - A hook that is another one: where off_t has 64 bits all along, NAME64() is NAME(). */
#define SAME_AS(name) __attribute__((alias(#name)))
_Static_assert(sizeof(off_t) == sizeof(off64_t) && sizeof(ino_t) == sizeof(ino64_t), "as it has");

/**
 * REAL() - The function that a hook stands before.
 * @name: Its name; declared.
 *
 * Looked up when first needed: hooks are called before any constructor of ours runs.
 */
#define REAL(name)                                                \
	__extension__({                                           \
		static void *slot_;                               \
		(__typeof__(&(name)))preload_real(&slot_, #name); \
	})

/** preload_real() - Fill in @slot if that was not done. Ends the program if there is no @name. */
void *preload_real(void **slot, const char *name);

/** preload_fail() - Set errno to -@ret and return -1, as a function of the C library does. */
long preload_fail(long ret);

/**
 * preload_start() - See that device, minor numbers and private tree are there.
 *
 * Context: May sleep. From within itself it says false.
 * Return: Whether they are.
 */
bool preload_start(void);

/** struct preload_path - Room for a path that has been rewritten. */
struct preload_path {
	char buf[UABI_PATH_BYTES];
};

/**
 * preload_path() - Where a path really leads.
 * @path: As the program gives it.
 * @room: Used if it is one of ours.
 *
 * Return: @path, or the rewritten one in @room.
 */
const char *preload_path(const char *path, struct preload_path *room);

/**
 * preload_look() - Where a path leads for a call that looks at the file itself and not behind it.
 * @path: As for preload_path().
 * @room: Likewise.
 *
 * Return: As preload_path(); for a device another one, so that no tree is needed.
 */
const char *preload_look(const char *path, struct preload_path *room);

/**
 * preload_open() - Open a device, or a file of sysfs.
 * @dir: Where a relative @path begins; AT_FDCWD for none.
 * @path: As the program gives it.
 * @flags: Of open().
 * @file: Out: what the descriptor means, with a reference.
 *
 * Return: A descriptor that is close-on-exec; -EISDIR if it is neither, to be opened by way of
 *	preload_path(); another -errno.
 */
int preload_open(int dir, const char *path, int flags, struct uabi_file **file);

/** preload_is_owner() - Whether this process, and not a child that shares its memory, runs. */
bool preload_is_owner(void);

/** preload_lacks_provider() - Whether libibverbs is loaded, and no library of ours for its devices. */
bool preload_lacks_provider(void);

/** preload_library_init() - Have libraries call us on their data path (library.c). */
void preload_library_init(void);

#endif
