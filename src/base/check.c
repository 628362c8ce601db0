// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The end of a process that broke a promise of its own. */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void base_panic(const char *file, int line, const char *what)
{
	fprintf(stderr, "verbena: broken invariant at %s:%d: %s\n", file, line, what);
	abort();
}
