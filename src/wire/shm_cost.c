// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Whether payload is copied through the ring or pulled: what is cheaper on this machine. */
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "wire/shm_priv.h"

#define SAMPLE_BYTES (64u << 10)
#define ROUNDS 3u

/* Two copies, and each line goes from one processor's cache into another's, as it does in no trial of ours. */
#define COPIES 4u

_Static_assert(2 * SAMPLE_BYTES <= SHM_RING_BYTES, "a trial's source and destination");

uint32_t shm_pull_from(const struct shm_cost *cost)
{
	const uint64_t copies = COPIES * cost->copy;
	const uint64_t pull = cost->call > cost->first ? cost->call - cost->first : 0;
	uint64_t bytes;

	if (!cost->call || copies <= pull)
		return SHM_PULL_MOST;
	bytes = cost->first * cost->bytes / (copies - pull);
	if (bytes < SHM_PULL_LEAST)
		return SHM_PULL_LEAST;
	return bytes < SHM_PULL_MOST ? (uint32_t)bytes : SHM_PULL_MOST;
}

static void by_copy(void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* the copy is not left out */
}

/* Where it is not permitted nobody will pull, so it does not matter what it takes. */
static void by_call(void *to, const void *from, size_t bytes)
{
	const struct iovec local = {to, bytes};
	const struct iovec remote = {(void *)(uintptr_t)from, bytes};

	(void)!process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

/* The quickest of a few, for whoever is interrupted takes longer. */
static uint64_t time_of(const struct wire_shm_config *config,
			void (*move)(void *to, const void *from, size_t bytes), uint8_t *memory,
			size_t bytes)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		const uint64_t start = config->now_ns(config->ctx);
		uint64_t took;

		move(memory, memory + SAMPLE_BYTES, bytes);
		took = config->now_ns(config->ctx) - start;
		if (took < least)
			least = took;
	}
	return least;
}

uint32_t shm_measure(const struct wire_shm_config *config, struct shm_ring *scratch)
{
	struct shm_cost cost = {.bytes = SAMPLE_BYTES};

	memset(scratch->data, 1, 2 * SAMPLE_BYTES); /* there, and in the caches */
	cost.copy = time_of(config, by_copy, scratch->data, SAMPLE_BYTES);
	cost.call = time_of(config, by_call, scratch->data, SAMPLE_BYTES);
	cost.first = time_of(config, by_call, scratch->data, sizeof(uint64_t));
	return shm_pull_from(&cost);
}
