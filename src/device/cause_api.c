// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Causes for programs: the calls of <verbena/verbena.h> that say why. */
#include <linux/err.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/cause.h"
#include "base/check.h"
#include "device/hca.h"
#include "verbena/verbena.h"

/* Sentences that a thread may hold at the same time: printf() takes several. */
#define TEXTS 8u

/* Of a thread; freed when it ends. Not in thread-local storage, of which a library that is loaded late gets little. */
struct sentences {
	char text[TEXTS][BASE_CAUSE_TEXT_BYTES];
	unsigned int next;
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void)
{
	INVARIANT(!pthread_key_create(&key, free));
}

static struct sentences *ours(void)
{
	struct sentences *s;

	(void)pthread_once(&once, prepare);
	s = pthread_getspecific(key);
	if (s)
		return s;
	s = calloc(1, sizeof(*s)); /* nobody's but the thread's, so not counted */
	if (s)
		(void)pthread_setspecific(key, s);
	return s;
}

static const char *sentence(const struct base_cause *cause)
{
	struct sentences *s = ours();
	char *here;

	if (!s)
		return base_cause_name(cause->id);
	here = s->text[s->next++ % TEXTS];
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
