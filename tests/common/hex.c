/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/hex.h"

#include <stdlib.h>

static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	abort();
}

size_t hex_decode(const char *hex, uint8_t *bytes, size_t room)
{
	size_t n = 0;

	while (*hex) {
		if (*hex == ' ') {
			hex++;
			continue;
		}
		if (n == room)
			abort();
		bytes[n++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
		hex += 2;
	}
	return n;
}
