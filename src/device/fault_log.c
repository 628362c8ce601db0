// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The list of faults has nothing in it that differs from run to run, no numbers of queue pairs, no
 * PSNs, no time: two lists can be compared.
 */
#include "device/fault_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cause.h"
#include "base/thread.h"
#include "fabric/faults.h"

static struct {
	struct fabric_faults *faults;
	const char *path;
	bool told;	  /* of a packet */
	uint32_t told_of; /* of what has hit the device or a port: a bit each */
	bool to_stderr;	  /* what cannot be listed at @path */
} fault_log;

static int open_list(void)
{
	if (fault_log.to_stderr)
		return fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	return open(fault_log.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

/* Opened for each line: a program may close all descriptors that it has not opened. */
static void append(const char *line, size_t bytes)
{
	const int saved_errno = errno;
	BASE_UNCANCELLED;
	BASE_NO_SIGXFSZ;
	const int fd = open_list();

	if (fd >= 0) {
		if (write(fd, line, bytes) < 0)
			errno = saved_errno; /* nobody can be told */
		close(fd);
	}
	errno = saved_errno;
}

static int print_packet(const struct fault_hit *hit, const char *what, char *line, size_t bytes)
{
	const struct fault_packet *packet = hit->packet;

	return snprintf(line, bytes, "%s %s qp %u packet %llu try %u: %s (column %u)\n",
			packet->direction == FAULT_TX ? "tx" : "rx",
			packet->response ? "response" : "request", hit->qp,
			(unsigned long long)hit->place + 1, hit->attempt, what, hit->rule->column);
}

#define NAME_BYTES 32u

/* As it was written: an event with its name. */
static void name_of(const struct fault_rule *rule, char name[NAME_BYTES])
{
	const bool event = rule->action == FAULT_EVENT;

	snprintf(name, NAME_BYTES, "%s%s%s", fault_action_name((enum fault_action)rule->action),
		 event ? "=" : "", event ? fault_event_name((enum fault_event)rule->event) : "");
}

static void list(const struct fault_hit *hit)
{
	char what[NAME_BYTES], line[160];
	int bytes;

	name_of(hit->rule, what);

	if (hit->packet)
		bytes = print_packet(hit, what, line, sizeof(line));
	else if (hit->rule->action == FAULT_FAIL)
		bytes = snprintf(line, sizeof(line), "%s call %llu: %s (column %u)\n",
				 fault_verb_name((enum fault_verb)hit->rule->verb),
				 (unsigned long long)hit->place, what, hit->rule->column);
	else
		bytes = snprintf(line, sizeof(line), "port: %s (column %u)\n", what,
				 hit->rule->column);
	append(line, (size_t)bytes);
}

/* Each kind once, for a program may end at it. */
static void tell_of_port(const struct fault_rule *rule)
{
	const uint32_t bit =
		1u << (rule->action == FAULT_EVENT ? rule->event : (unsigned int)FAULT_EVENTS);
	struct base_cause cause = {
		.id = BASE_CAUSE_FAULT_PORT, .side = BASE_SIDE_FABRIC, .arg = {rule->column}};
	char name[NAME_BYTES];

	if (fault_log.told_of & bit)
		return;
	fault_log.told_of |= bit;
	name_of(rule, name);
	base_cause_put_text(&cause, 1, name);
	base_cause_tell(&cause);
}

static void heard(void *ctx, const struct fault_hit *hit)
{
	struct base_cause cause = {.id = BASE_CAUSE_FAULT_FIRST,
				   .side = BASE_SIDE_FABRIC,
				   .arg = {hit->rule->column, hit->place + 1, hit->attempt}};

	(void)ctx;
	if (fault_log.path)
		list(hit);
	if (hit->rule->action == FAULT_FAIL) /* who is refused hears it */
		return;
	if (!hit->packet) {
		tell_of_port(hit->rule);
		return;
	}
	if (fault_log.told)
		return;
	fault_log.told = true;
	cause.qpn = hit->packet->qpn;
	base_cause_tell(&cause);
}

__attribute__((destructor)) static void sum_up(void)
{
	const uint64_t *hits = fault_log.faults ? fault_log.faults->hits : NULL;
	struct base_cause cause = {.id = BASE_CAUSE_FAULT_SUM, .side = BASE_SIDE_FABRIC};

	if (!hits || !fault_log.told)
		return;
	cause.arg[0] = hits[FAULT_DROP];
	cause.arg[1] = hits[FAULT_DUPLICATE];
	cause.arg[2] = hits[FAULT_REORDER] + hits[FAULT_DELAY];
	cause.arg[3] = hits[FAULT_CORRUPT];
	cause.arg[4] = hits[FAULT_RNR];
	cause.arg[5] = fault_log.faults->met;
	base_cause_tell(&cause);
}

static void try_list(void)
{
	const int fd = open_list();

	if (fd >= 0) {
		close(fd);
		return;
	}
	fprintf(stderr,
		"verbena: VERBENA_FAULTS_TRACE=%s cannot be opened (%s): faults are listed here\n",
		fault_log.path, strerror(errno));
	fault_log.to_stderr = true;
}

void fault_log_start(struct fabric_faults *faults, const char *path)
{
	fault_log.faults = faults;
	fault_log.path = path;
	fault_log.told = false;
	fault_log.told_of = 0;
	fault_log.to_stderr = false;
	if (path)
		try_list();
	faults->listener.hit = heard;
}

void fault_log_forked(void)
{
	fault_log.faults = NULL;
}
