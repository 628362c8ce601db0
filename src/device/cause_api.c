// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Causes for programs: the calls of <verbena/verbena.h> that say why. */
#include "base/cause.h"
#include "device/hca.h"
#include "verbena/verbena.h"

const char *verbena_last_cause(void)
{
	static _Thread_local char text[BASE_CAUSE_TEXT_BYTES];

	base_cause_format(base_cause_last(), text, sizeof(text));
	return text;
}

uint32_t verbena_last_cause_id(void)
{
	return base_cause_last()->id;
}

const char *verbena_qp_cause(struct ib_qp *qp)
{
	static _Thread_local char text[BASE_CAUSE_TEXT_BYTES];
	struct base_cause cause;

	device_qp_cause(qp, &cause);
	if (!cause.id)
		return NULL;
	base_cause_format(&cause, text, sizeof(text));
	return text;
}

const char *verbena_cause_name(uint32_t id)
{
	return base_cause_name(id);
}
