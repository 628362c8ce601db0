// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Variables that have one of a few values, and a word to whoever has misspelt one. */
#include "base/environment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"

#define VARIABLES 8u

static const char *told[VARIABLES]; /* atomic */

/* Whether it is the first time for this name. */
static bool first_time(const char *name)
{
	for (unsigned int i = 0; i < VARIABLES; i++) {
		const char *before = NULL;

		if (__atomic_compare_exchange_n(&told[i], &before, name, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return true;
		if (strcmp(before, name) == 0)
			return false;
	}
	return false;
}

/* Not by the log: what it says depends on a variable, too. */
static void tell(const char *name, const char *value, const char *const *choices)
{
	char list[128] = "";
	size_t used = 0;
	BASE_UNCANCELLED;

	for (unsigned int i = 0; choices[i] && used < sizeof(list); i++) {
		const char *before = !i ? "" : choices[i + 1] ? ", " : " or ";

		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", before,
					 choices[i]);
	}
	fprintf(stderr, "verbena: %s is %s, and may be %s. It is ignored: see verbena(7).\n", name,
		value, list);
}

int base_environment_choice(const char *name, const char *const *choices)
{
	const char *value = getenv(name);

	if (!value || !*value)
		return -1;
	for (int i = 0; choices[i]; i++)
		if (strcmp(value, choices[i]) == 0)
			return i;
	if (first_time(name))
		tell(name, value, choices);
	return -1;
}
