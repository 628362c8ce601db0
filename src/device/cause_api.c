// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Causes for programs: the calls of <verbena/verbena.h> that say why. */
#include <linux/err.h>

#include "base/cause.h"
#include "device/hca.h"
#include "verbena/verbena.h"

/* Sentences that a thread may hold at the same time: printf() takes several. */
#define TEXTS 8u

static const char *sentence(const struct base_cause *cause)
{
	static _Thread_local char text[TEXTS][BASE_CAUSE_TEXT_BYTES];
	static _Thread_local unsigned int next;
	char *here = text[next++ % TEXTS];

	base_cause_format(cause, here, BASE_CAUSE_TEXT_BYTES);
	return here;
}

const char *verbena_last_cause(void)
{
	return sentence(base_cause_last());
}

uint32_t verbena_last_cause_id(void)
{
	return base_cause_last()->id;
}

const char *verbena_qp_cause(struct ib_qp *qp)
{
	struct base_cause cause;

	if (IS_ERR_OR_NULL(qp))
		return NULL;
	device_qp_cause(qp, &cause);
	return cause.id ? sentence(&cause) : NULL;
}

const char *verbena_cause_name(uint32_t id)
{
	return base_cause_name(id);
}
