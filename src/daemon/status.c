// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* What the daemon knows, and what processes show, for people and their scripts. */
#include <errno.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cause.h"
#include "daemon/server_priv.h"
#include "fabric/fault_plan.h"
#include "wire/shm.h"

/* Requests that a process has executed by itself: its control page has them, which is mapped for this alone. */
static uint64_t placed_by(const struct client *c)
{
	struct shm_control *control = attach_map(c->control_fd, sizeof(*control), false);
	uint64_t placed;

	if (!control)
		return 0;
	placed = __atomic_load_n(&control->placed, __ATOMIC_RELAXED);
	munmap(control, sizeof(*control));
	return placed;
}

static const char *const types[] = {"SMI", "GSI", "RC", "UC", "UD"};
static const char *const states[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};

static const char *word(const char *const *words, size_t count, unsigned int which)
{
	return which < count ? words[which] : "?";
}

#define WORD(words, which) word(words, sizeof(words) / sizeof((words)[0]), which)

/* What others have written: printable, and ended. */
static json_t *text_of(const char *text, size_t bytes)
{
	char clean[256];
	size_t n = 0;

	for (; n < bytes && n < sizeof(clean) - 1; n++) {
		char c = __atomic_load_n(&text[n], __ATOMIC_RELAXED);

		if (!c)
			break;
		if (c < ' ' || c > '~')
			c = '?';
		clean[n] = c;
	}
	clean[n] = '\0';
	return json_string(clean);
}

/* JSON's integers have a sign. */
static json_t *count_of(uint64_t count)
{
	return json_integer((json_int_t)(count & INT64_MAX));
}

/* Any byte may be where a truth value should be. */
static json_t *cause_of(const struct base_cause *shown)
{
	const uint8_t has_wr = *((const uint8_t *)shown + offsetof(struct base_cause, has_wr));
	char text[BASE_CAUSE_TEXT_BYTES];
	struct base_cause cause;

	memcpy(&cause, shown, sizeof(cause));
	cause.has_wr = has_wr != 0;
	if (!cause.id)
		return json_null();
	base_cause_format(&cause, text, sizeof(text));
	return text_of(text, sizeof(text));
}

static json_t *qp_of(const struct base_report_qp *shown)
{
	const struct base_report_qp qp = *shown; /* once: it may change meanwhile */

	return json_pack("{s:i, s:i, s:i, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "number",
			 (int)(qp.number & 0xffffff), "device", (int)qp.hca, "port", (int)qp.port,
			 "type", WORD(types, qp.type), "state", WORD(states, qp.state), "dest_qpn",
			 (int)(qp.dest_qpn & 0xffffff), "dest_lid", (int)(qp.dest_lid & 0xffff),
			 "posted", count_of(qp.posted), "completed", count_of(qp.completed),
			 "received", count_of(qp.received), "errors", count_of(qp.errors), "cause",
			 cause_of(&qp.cause));
}

static json_t *qps_of(const struct client *c)
{
	json_t *all = json_array();
	uint32_t count = c->report ? __atomic_load_n(&c->report->qp_count, __ATOMIC_RELAXED) : 0;

	if (count > BASE_REPORT_QPS)
		count = BASE_REPORT_QPS;
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(all, qp_of(&c->report->qp[i]));
	return all;
}

/* Of those kinds that there were. */
static json_t *faults_of(const struct client *c)
{
	json_t *all = json_object();

	for (unsigned int i = 0; c->report && i < FAULT_ACTIONS; i++) {
		const uint64_t count = __atomic_load_n(&c->report->faults[i], __ATOMIC_RELAXED);

		if (count)
			json_object_set_new(all, fault_action_name((enum fault_action)i),
					    count_of(count));
	}
	return all;
}

static json_t *process_of(const struct client *c)
{
	const uint32_t count = c->report ? __atomic_load_n(&c->report->qp_count, __ATOMIC_RELAXED)
					 : 0;
	const bool fresh = !c->report ||
			   __atomic_load_n(&c->report->published, __ATOMIC_RELAXED) ==
				   __atomic_load_n(&c->report->wanted, __ATOMIC_RELAXED);

	return json_pack("{s:i, s:i, s:o, s:I, s:o, s:b, s:o, s:o, s:o}", "id", (int)c->id, "pid",
			 (int)c->pid, "command", text_of(c->command, sizeof(c->command)),
			 "attached", (json_int_t)c->since, "direct", count_of(placed_by(c)),
			 "answers", (int)fresh, "faults", faults_of(c), "qp_count", count_of(count),
			 "qps", qps_of(c));
}

static json_t *processes_of(const struct server *s, uint32_t host)
{
	json_t *all = json_array();

	for (unsigned int i = 0; i < s->count; i++) {
		const struct client *c = s->clients[i];

		if (c->attached && s->directory->process[c->id].host == host)
			json_array_append_new(all, process_of(c));
	}
	return all;
}

static json_t *port_of(const struct server *s, uint32_t host, uint32_t hca, uint32_t number)
{
	const int slot = directory_slot(s->directory, host, hca, number);
	const struct fabric_port *port = &s->directory->fabric.ports[slot];
	struct base_traffic traffic;
	char guid[24];

	(void)report_traffic(s, host, hca, number, &traffic);
	snprintf(guid, sizeof(guid), "0x%016llx", (unsigned long long)port->config.guid);
	return json_pack("{s:i, s:s, s:i, s:s, s:b, s:o, s:o, s:o, s:o}", "number", (int)number + 1,
			 "guid", guid, "lid", (int)port->config.lid, "state",
			 port->up ? "ACTIVE" : "DOWN", "up", (int)port->up, "sent_packets",
			 count_of(traffic.sent_packets), "sent_bytes", count_of(traffic.sent_bytes),
			 "received_packets", count_of(traffic.received_packets), "received_bytes",
			 count_of(traffic.received_bytes));
}

/* A process that has the device knows its name, or had it last. */
static json_t *name_of(const struct server *s, uint32_t host, uint32_t hca)
{
	const int slot = directory_slot(s->directory, host, hca, 0);

	for (unsigned int i = 0; i < s->count; i++) {
		const struct client *c = s->clients[i];

		if (c->attached && c->report && s->directory->process[c->id].host == host &&
		    c->report->device[hca][0])
			return text_of(c->report->device[hca], BASE_REPORT_NAME);
	}
	return slot >= 0 ? text_of(s->device[slot], BASE_REPORT_NAME) : json_null();
}

static json_t *devices_of(const struct server *s, uint32_t host)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < DIRECTORY_HCAS; i++) {
		json_t *ports = json_array();

		for (uint32_t port = 0; port < DIRECTORY_PORTS; port++)
			if (directory_slot(s->directory, host, i, port) >= 0)
				json_array_append_new(ports, port_of(s, host, i, port));
		if (json_array_size(ports))
			json_array_append_new(all, json_pack("{s:o, s:O}", "name",
							     name_of(s, host, i), "ports", ports));
		json_decref(ports);
	}
	return all;
}

static json_t *host_of(const struct server *s, uint32_t host)
{
	return json_pack("{s:o, s:o, s:o}", "name",
			 text_of(s->directory->host[host].name, DIRECTORY_NAME), "devices",
			 devices_of(s, host), "processes", processes_of(s, host));
}

/* In one piece: json_dumpfd() makes a system call for each word. */
static int write_text(int fd, const json_t *all)
{
	char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
	const size_t bytes = text ? strlen(text) : 0;
	const ssize_t n = text ? write(fd, text, bytes) : -1;

	free(text);
	return n >= 0 && (size_t)n == bytes ? 0 : -EIO;
}

int status_file(const char *name, const json_t *document)
{
	const int fd = memfd_create(name, MFD_CLOEXEC);
	const int ret = fd < 0 ? -errno : write_text(fd, document);

	if (fd >= 0 && ret)
		close(fd);
	return ret ? ret : fd;
}

int server_status(struct server *s)
{
	json_t *hosts = json_array(), *all;
	int fd;

	report_refresh(s);
	for (uint32_t i = 0; i < s->directory->host_count; i++)
		json_array_append_new(hosts, host_of(s, i));
	all = json_pack("{s:s, s:i, s:o, s:b}", "fabric", s->config.fabric, "pid", (int)getpid(),
			"hosts", hosts, "topology", s->subnet != NULL);
	fd = status_file("verbena-status", all);
	json_decref(all);
	return fd;
}
