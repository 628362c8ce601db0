// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Sentences for people who run stock programs. A queue pair dies with locks held, so its cause is put
 * aside and written by the engine's thread.
 */
#include "uabi/explain.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/thread.h"
#include "uabi/file.h"

#define WAITING 16u
#define MOST_LINES 50u
#define MOST_OF_A_KIND 3u
#define KINDS 2048u  /* ids of causes, and more */
#define FIRST_FD 500 /* out of the way of programs that count descriptors */
#define HOST_BYTES 64u

static struct {
	int fd; /* -1: silence */
	char host[HOST_BYTES];
	unsigned int lines;
	spinlock_t lock;
	struct base_cause waiting[WAITING];
	unsigned int count;
	struct work_struct work;
} explainer = {.fd = -1};

/* Lines of many processes meet in one file, or behind mpirun: each says whose it is. */
static void write_line(const char *text)
{
	char line[BASE_CAUSE_TEXT_BYTES + HOST_BYTES + 32];
	const int bytes = snprintf(line, sizeof(line), "verbena[%d %s]: %s\n", (int)getpid(),
				   explainer.host, text);
	BASE_UNCANCELLED;
	BASE_NO_SIGXFSZ;

	if (write(explainer.fd, line, (size_t)bytes) < 0)
		return; /* nobody listens */
}

static void explain(const struct base_cause *cause)
{
	const unsigned int line = __atomic_fetch_add(&explainer.lines, 1, __ATOMIC_RELAXED);
	char text[BASE_CAUSE_TEXT_BYTES];

	if (line > MOST_LINES)
		return;
	if (line == MOST_LINES) {
		write_line("more errors follow, which are not explained");
		return;
	}
	base_cause_format(cause, text, sizeof(text));
	write_line(text);
}

static bool take(struct base_cause *cause)
{
	bool any;

	spin_lock(&explainer.lock);
	any = explainer.count > 0;
	if (any) {
		*cause = explainer.waiting[0];
		explainer.count--;
		memmove(explainer.waiting, explainer.waiting + 1, explainer.count * sizeof(*cause));
	}
	spin_unlock(&explainer.lock);
	return any;
}

static void explain_waiting(struct work_struct *work)
{
	struct base_cause cause;

	(void)work;
	while (take(&cause))
		explain(&cause);
}

/* Many programs end at the first error, before the engine comes round. After those who still tell something. */
__attribute__((destructor(200))) static void explain_the_last(void)
{
	if (explainer.fd >= 0)
		explain_waiting(NULL);
}

static void put_aside(const struct base_cause *cause)
{
	bool queued;

	spin_lock(&explainer.lock);
	queued = explainer.count < WAITING;
	if (queued)
		explainer.waiting[explainer.count++] = *cause;
	spin_unlock(&explainer.lock);
	if (queued)
		(void)base_run_later(&explainer.work);
}

static int open_output(void)
{
	const char *where = getenv("VERBENA_EXPLAIN");
	int fd;

	if (!where || !*where)
		return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, FIRST_FD);
	if (!strcmp(where, "0"))
		return -1;
	fd = open(where, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	fprintf(stderr,
		"verbena: VERBENA_EXPLAIN=%s cannot be opened (%s): errors are explained here\n",
		where, strerror(errno));
	return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, FIRST_FD);
}

void explain_init(const char *host)
{
	if (explainer.fd >= 0)
		return;
	snprintf(explainer.host, sizeof(explainer.host), "%s", host);
	explainer.fd = open_output();
	if (explainer.fd < 0)
		return;
	explainer.fd = uabi_fd_hide(explainer.fd);
	spin_lock_init(&explainer.lock);
	INIT_WORK(&explainer.work, explain_waiting);
	base_cause_listen(put_aside);
}

void explain_begin(void)
{
	static const struct base_cause none = {.id = 0};

	if (explainer.fd >= 0 && base_cause_last()->id)
		base_cause_set_last(&none);
}

/* Libraries find out a limit by asking for less and less. */
static void explain_kind(const struct base_cause *cause)
{
	static unsigned int told[KINDS]; /* atomic */
	const unsigned int before =
		__atomic_fetch_add(&told[cause->id % KINDS], 1, __ATOMIC_RELAXED);

	if (before < MOST_OF_A_KIND)
		explain(cause);
	else if (before == MOST_OF_A_KIND)
		write_line("more calls are refused for that reason, which is not told any more");
}

void explain_refusal(int err)
{
	const unsigned int id = base_cause_last()->id;

	if (id == BASE_CAUSE_GID_EMPTY) /* who lists the table asks for each */
		return;
	/* Libraries try out what they may do without, but not a type of queue pair. */
	switch (id == BASE_CAUSE_UVERBS_QP_TYPE ? 0 : err) {
	case -EOPNOTSUPP:
	case -EPROTONOSUPPORT:
	case -ENOSYS:
	case -ENOTTY:
	case -ENOSPC: /* libibverbs probes with a buffer that is too short */
		return;
	default:
		if (explainer.fd >= 0 && id)
			explain_kind(base_cause_last());
	}
}
