/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The only door to registered memory. The program may unmap it at any time, so a copy that faults
 * stops and says so instead of killing the process.
 */
#ifndef BASE_UMEM_H
#define BASE_UMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/**
 * base_umem_copy() - Copy bytes, either side of which may be unmapped memory.
 * @to: Destination.
 * @from: Source. May overlap as in memmove() only when @to == @from.
 * @bytes: How many.
 *
 * Context: Any; takes no lock and allocates nothing. All bytes but the last 8 are stored before
 * the last 8 (a peer may spin on the end of a message).
 * Return: 0; -EFAULT if a fault stopped it (some bytes may have been copied).
 */
int base_umem_copy(void *to, const void *from, size_t bytes);

/**
 * base_umem_copy_iov() - Gather from one list into another.
 * @to: Destination segments.
 * @to_count: How many.
 * @to_offset: Bytes of @to to skip.
 * @from: Source segments.
 * @from_count: How many.
 * @from_offset: Bytes of @from to skip.
 * @bytes: How many to copy; both lists hold at least that many after their offsets.
 *
 * Return: 0 or -EFAULT.
 */
int base_umem_copy_iov(const struct iovec *to, unsigned int to_count, size_t to_offset,
		       const struct iovec *from, unsigned int from_count, size_t from_offset,
		       size_t bytes);

/**
 * base_umem_cmp_swap() - Atomically: if the word equals @compare, store @swap.
 * @word: 8-byte aligned.
 * @compare: Expected value.
 * @swap: New value.
 * @original: Out, on success: what was there.
 *
 * Return: 0; -EFAULT if the word is not mapped (or not writable).
 */
int base_umem_cmp_swap(uint64_t *word, uint64_t compare, uint64_t swap, uint64_t *original);

/**
 * base_umem_fetch_add() - Atomically add to the word.
 * @word: 8-byte aligned.
 * @add: What to add.
 * @original: Out, on success: what was there.
 *
 * Return: 0; -EFAULT if the word is not mapped (or not writable).
 */
int base_umem_fetch_add(uint64_t *word, uint64_t add, uint64_t *original);

/**
 * base_umem_store() - Store the word as one.
 * @word: 8-byte aligned.
 * @value: What to store.
 *
 * Return: 0; -EFAULT if the word is not mapped (or not writable).
 */
int base_umem_store(uint64_t *word, uint64_t value);

/**
 * base_umem_is_there() - Whether memory of the process is behind a range of addresses.
 * @at: First byte.
 * @bytes: How many, at least 1; the range does not go round.
 *
 * All of it is mapped, and what the process may read at both ends. That takes a time for each mapping, not for
 * each page.
 */
bool base_umem_is_there(const void *at, size_t bytes);

/**
 * base_umem_is_writable() - Whether the process may write at both ends of a range, which is there.
 * @at: First byte.
 * @bytes: How many, at least 1.
 *
 * They stay as they are; their pages come into being.
 */
bool base_umem_is_writable(void *at, size_t bytes);

/**
 * base_umem_sync() - Bytes of a shared mapping of a file reach the file's storage.
 * @at: First byte.
 * @bytes: How many.
 *
 * Memory of another kind stays as it is: nothing of it outlives the process, or the host.
 *
 * Context: May wait for storage.
 * Return: 0; -EFAULT if some of it is not mapped; -EIO and others of msync().
 */
int base_umem_sync(void *at, size_t bytes);

/**
 * base_umem_init() - Install the fault handlers, once for the process.
 *
 * They act on faults inside the copy routines of this file only and pass on all others to the
 * handlers that the program installs, now or later. With VERBENA_UMEM=vm in the environment, or on
 * a thread that blocks SIGSEGV or SIGBUS, copies go through process_vm_readv().
 *
 * Return: 0; a negative errno of sigaction().
 */
int base_umem_init(void);

#endif
