// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Payload from a key. */
#include "sim/payload.h"

#include <string.h>

#include "base/random.h"

void sim_payload_fill(uint8_t *bytes, size_t count, uint64_t key)
{
	uint64_t state = key;

	while (count) {
		const uint64_t word = base_random(&state);
		const size_t n = count < sizeof(word) ? count : sizeof(word);

		memcpy(bytes, &word, n);
		bytes += n;
		count -= n;
	}
}

size_t sim_payload_check(const uint8_t *bytes, size_t count, uint64_t key)
{
	uint64_t state = key;
	size_t at = 0;

	while (at < count) {
		const uint64_t word = base_random(&state);
		const size_t n = count - at < sizeof(word) ? count - at : sizeof(word);

		if (memcmp(bytes + at, &word, n)) {
			const uint8_t *w = (const uint8_t *)&word;

			while (bytes[at] == *w)
				at++, w++;
			return at;
		}
		at += n;
	}
	return count;
}
