/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Mappings of ours in a program's address space. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>

/**
 * base_map() - mmap(), far away from what the program maps.
 * @bytes: How many.
 * @prot: PROT_READ ....
 * @flags: MAP_SHARED ....
 * @fd: What is mapped, from its beginning; -1 with MAP_ANONYMOUS.
 *
 * The kernel would take the hole that the program has unmapped last. Requests and keys that still name memory
 * there, which shall fail, would reach ours.
 *
 * Return: Where it is, for munmap(); NULL and errno as mmap() leaves it.
 */
void *base_map(size_t bytes, int prot, int flags, int fd);

#endif
