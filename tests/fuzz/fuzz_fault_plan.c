// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Any text as faults: understood, or refused with a column inside it and a sentence. */
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "fabric/fault_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	char spec[FAULT_SPEC_BYTES + 16];
	struct fault_error error;
	struct fault_plan plan;

	if (count >= sizeof(spec))
		return 0;
	memcpy(spec, bytes, count);
	spec[count] = '\0';
	if (fault_plan_parse(spec, &plan, &error)) {
		INVARIANT(error.column >= 1 && error.column <= strlen(spec) + 1 && error.text[0]);
		return 0;
	}
	INVARIANT(plan.count <= FAULT_RULES);
	for (uint32_t i = 0; i < plan.count; i++) {
		const struct fault_rule *rule = &plan.rule[i];

		INVARIANT(rule->action < FAULT_ACTIONS && rule->ppm <= FAULT_PPM && rule->every &&
			  rule->least_ns <= rule->most_ns && rule->try_first <= rule->try_last);
	}
	return 0;
}
