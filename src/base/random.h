/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Numbers from a seed: the only randomness here. The generator is splitmix64. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

/** base_random() - The next number. @state: The seed at first; changed. */
static inline uint64_t base_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/** base_random_below() - A number from 0 to @bound - 1; 0 if @bound is 0. */
static inline uint64_t base_random_below(uint64_t *state, uint64_t bound)
{
	const uint64_t n = base_random(state);

	return bound ? n % bound : 0;
}

#endif
