// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Payload from a key. */
#include "sim/payload.h"

#include <string.h>

#include "base/random.h"

void sim_payload_fill(uint8_t *bytes, size_t count, uint64_t key)
{
	uint64_t state = key, word;

	for (; count >= sizeof(word); bytes += sizeof(word), count -= sizeof(word)) {
		word = base_random(&state);
		memcpy(bytes, &word, sizeof(word));
	}
	word = base_random(&state);
	memcpy(bytes, &word, count);
}

/* Where two words differ first; @count if in none of the first @count bytes. */
static size_t first_difference(const uint8_t *bytes, uint64_t word, size_t count)
{
	const uint8_t *w = (const uint8_t *)&word;
	size_t at = 0;

	while (at < count && bytes[at] == w[at])
		at++;
	return at;
}

size_t sim_payload_check(const uint8_t *bytes, size_t count, uint64_t key)
{
	uint64_t state = key, word, seen;
	size_t at = 0;

	for (; count - at >= sizeof(word); at += sizeof(word)) {
		word = base_random(&state);
		memcpy(&seen, bytes + at, sizeof(seen));
		if (seen != word)
			return at + first_difference(bytes + at, word, sizeof(word));
	}
	return at + first_difference(bytes + at, base_random(&state), count - at);
}
