/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bits in arrays of longs: the plain names are atomic, those with __ are not. */
#ifndef VERBENA_LINUX_BITOPS_H
#define VERBENA_LINUX_BITOPS_H

#include <linux/bits.h>

#define BIT_MASK(nr) (1UL << ((unsigned long)(nr) % BITS_PER_LONG))
#define BIT_WORD(nr) ((unsigned long)(nr) / BITS_PER_LONG)

static inline void set_bit(long nr, unsigned long *addr)
{
	(void)__atomic_fetch_or(&addr[BIT_WORD(nr)], BIT_MASK(nr), __ATOMIC_SEQ_CST);
}

static inline void clear_bit(long nr, unsigned long *addr)
{
	(void)__atomic_fetch_and(&addr[BIT_WORD(nr)], ~BIT_MASK(nr), __ATOMIC_SEQ_CST);
}

static inline bool test_bit(long nr, const unsigned long *addr)
{
	return (__atomic_load_n(&addr[BIT_WORD(nr)], __ATOMIC_RELAXED) & BIT_MASK(nr)) != 0;
}

static inline bool test_and_set_bit(long nr, unsigned long *addr)
{
	return (__atomic_fetch_or(&addr[BIT_WORD(nr)], BIT_MASK(nr), __ATOMIC_SEQ_CST) &
		BIT_MASK(nr)) != 0;
}

static inline bool test_and_clear_bit(long nr, unsigned long *addr)
{
	return (__atomic_fetch_and(&addr[BIT_WORD(nr)], ~BIT_MASK(nr), __ATOMIC_SEQ_CST) &
		BIT_MASK(nr)) != 0;
}

static inline void __set_bit(long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] |= BIT_MASK(nr);
}

static inline void __clear_bit(long nr, unsigned long *addr)
{
	addr[BIT_WORD(nr)] &= ~BIT_MASK(nr);
}

/* Index of the lowest and highest set bit; @word is not 0. */
static inline unsigned long __ffs(unsigned long word)
{
	return (unsigned long)__builtin_ctzl(word);
}

static inline unsigned long __fls(unsigned long word)
{
	return BITS_PER_LONG - 1 - (unsigned long)__builtin_clzl(word);
}

static inline unsigned int hweight32(u32 word)
{
	return (unsigned int)__builtin_popcount(word);
}

static inline unsigned int hweight64(u64 word)
{
	return (unsigned int)__builtin_popcountll(word);
}

#endif /* VERBENA_LINUX_BITOPS_H */
