/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies of few bytes that survive unmapped memory at no cost beyond their own, where the processor's
 * instructions are written out here (x86-64); elsewhere there are none.
 *
 * Each instruction that touches the program's memory is entered in a table, with the place where to go on
 * if it faults. The handlers look there (umem_short_fix()).
 */
#ifndef BASE_UMEM_SHORT_H
#define BASE_UMEM_SHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * umem_short_fix() - Have a thread go on behind the instruction that has faulted, if it is one of ours.
 * @context: The ucontext_t of the fault.
 *
 * Context: Signal handler.
 * Return: Whether it is.
 */
bool umem_short_fix(void *context);

#if defined(__x86_64__)

#define UMEM_SHORT_BYTES 256u

/* From label 1 to label 2; both, and where to go on, as distances from the entry. */
#define UMEM_ENTRY(otherwise)                              \
	".pushsection umem_faults, \"a\"\n\t"              \
	".balign 4\n\t"                                    \
	".long 1b - ., 2b - ., %l[" #otherwise "] - .\n\t" \
	".popsection"

#define UMEM_MOVE(name, load, store, clobber)                                        \
	static inline bool name(void *to, const void *from)                          \
	{                                                                            \
		__asm__ goto("1:\n\t" load "\n\t" store "\n2:\n\t" UMEM_ENTRY(fault) \
			     :                                                       \
			     : [to] "r"(to), [from] "r"(from)                        \
			     : clobber, "memory"                                     \
			     : fault);                                               \
		return true;                                                         \
fault:                                                                               \
		return false;                                                        \
	}

UMEM_MOVE(umem_move_1, "movb (%[from]), %%al", "movb %%al, (%[to])", "rax")
UMEM_MOVE(umem_move_2, "movw (%[from]), %%ax", "movw %%ax, (%[to])", "rax")
UMEM_MOVE(umem_move_4, "movl (%[from]), %%eax", "movl %%eax, (%[to])", "rax")
UMEM_MOVE(umem_move_8, "movq (%[from]), %%rax", "movq %%rax, (%[to])", "rax")
UMEM_MOVE(umem_move_16, "movups (%[from]), %%xmm0", "movups %%xmm0, (%[to])", "xmm0")

/* Below 8: the largest power of two at either end; they may overlap. */
static inline bool umem_copy_tiny(char *to, const char *from, size_t bytes)
{
	if (bytes >= 4)
		return umem_move_4(to, from) && umem_move_4(to + bytes - 4, from + bytes - 4);
	if (bytes >= 2)
		return umem_move_2(to, from) && umem_move_2(to + bytes - 2, from + bytes - 2);
	return umem_move_1(to, from);
}

/* All but the last word, at least 8 bytes. */
static inline bool umem_copy_body(char *to, const char *from, size_t bytes)
{
	size_t at = 0;

	for (; at + 16 <= bytes; at += 16)
		if (!umem_move_16(to + at, from + at))
			return false;
	if (at == bytes)
		return true;
	if (bytes >= 16)
		return umem_move_16(to + bytes - 16, from + bytes - 16);
	return umem_move_8(to, from) && umem_move_8(to + bytes - 8, from + bytes - 8);
}

/**
 * umem_copy_short() - base_umem_copy() of few bytes.
 * @to: Destination.
 * @from: Source.
 * @bytes: 1 to UMEM_SHORT_BYTES. The last 8 are stored last.
 *
 * Context: The thread does not block the signals of faults.
 * Return: False after a fault.
 */
static inline bool umem_copy_short(char *to, const char *from, size_t bytes)
{
	if (bytes == 8)
		return umem_move_8(to, from);
	if (bytes < 8)
		return umem_copy_tiny(to, from, bytes);
	if (bytes < 16)
		return umem_move_8(to, from) && umem_move_8(to + bytes - 8, from + bytes - 8);
	return umem_copy_body(to, from, bytes - 8) && umem_move_8(to + bytes - 8, from + bytes - 8);
}

#else

#define UMEM_SHORT_BYTES 0u

static inline bool umem_copy_short(char *to, const char *from, size_t bytes)
{
	(void)to;
	(void)from;
	return !bytes;
}

#endif

#endif
