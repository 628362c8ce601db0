// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* verbena status: what a fabric's daemon knows. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/socket.h"
#include "attach/start.h"
#include "base/fd.h"
#include "cli/cli.h"

#define ANSWER_MS 5000

struct options {
	const char *fabric;
	bool json;
};

static const struct argp_option option_table[] = {
	{"fabric", 'f', "NAME", 0, "Which fabric (default: default)", 0},
	{"json", 'J', NULL, 0, "One JSON object", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'f':
		o->fabric = arg;
		return 0;
	case 'J':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option; a fabric is given as --fabric NAME", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.children = cli_help,
	.doc = "Show a fabric: its hosts with their devices and ports, the processes on them, and these "
	       "processes' queue pairs: what they are, whom they are connected to, what they have done, "
	       "and what killed them."
	       "\vQueue pairs are as they are at this moment; of a process that is stopped, as they "
	       "were when somebody asked last. Traffic between queue pairs of one port of one process "
	       "is not on the fabric, and is not counted.\n\n"
	       "Keys of --json: fabric, pid (the daemon's), topology (whether it has one: see "
	       "verbena fabric), hosts: name, devices: name, ports: number, "
	       "guid, lid, state, up, sent_packets, sent_bytes, received_packets, received_bytes; "
	       "processes: id, pid, command, attached (seconds since 1970), answers, faults (how many "
	       "of each kind were injected), qp_count, qps: number, "
	       "device (index), port, type, state, dest_qpn, dest_lid, posted, completed, received, "
	       "errors, cause (null while it lives).\n\n"
	       "Exit status: 0; 1 if there is no such fabric, or its daemon does not answer.",
};

/* The daemon's file, or a negative errno. */
static int ask(const char *fabric)
{
	struct attach_message m = {.type = ATTACH_STATUS};
	struct pollfd polled = {.fd = attach_connect(fabric), .events = POLLIN};
	int fds[ATTACH_FDS], ret = polled.fd;

	if (ret < 0)
		return ret;
	ret = attach_send(polled.fd, &m, NULL, 0);
	if (!ret && poll(&polled, 1, ANSWER_MS) != 1)
		ret = -ETIMEDOUT;
	if (!ret)
		ret = attach_receive(polled.fd, &m, fds);
	base_fd_close(polled.fd);
	if (ret)
		return ret;
	return m.status ? m.status : fds[0];
}

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "-";
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void print_port(const json_t *device, const json_t *port)
{
	printf("  port %-12s %lld  %-6s lid %-5lld guid %s  sent %lld packets, received %lld\n",
	       text(device, "name"), number(port, "number"), text(port, "state"),
	       number(port, "lid"), text(port, "guid"), number(port, "sent_packets"),
	       number(port, "received_packets"));
}

static void print_qp(const json_t *qp)
{
	printf("    QP 0x%06llx %-3s %-5s port %lld/%lld", number(qp, "number"), text(qp, "type"),
	       text(qp, "state"), number(qp, "device"), number(qp, "port"));
	if (number(qp, "dest_qpn"))
		printf(" to 0x%06llx lid %lld", number(qp, "dest_qpn"), number(qp, "dest_lid"));
	printf("  posted %lld, completed %lld, received %lld, errors %lld\n", number(qp, "posted"),
	       number(qp, "completed"), number(qp, "received"), number(qp, "errors"));
	if (json_is_string(json_object_get(qp, "cause")))
		printf("      %s\n", text(qp, "cause"));
}

static void print_faults(json_t *faults)
{
	const char *kind, *before = "    faults: ";
	json_t *count;

	json_object_foreach(faults, kind, count)
	{
		printf("%s%s %lld", before, kind, json_integer_value(count));
		before = ", ";
	}
	if (json_object_size(faults))
		printf("\n");
}

static void print_process(const json_t *process)
{
	const time_t since = (time_t)number(process, "attached");
	const json_t *qp;
	struct tm tm;
	char when[32];
	size_t i;

	strftime(when, sizeof(when), "%F %T", localtime_r(&since, &tm));
	printf("  process %-8lld %-16s since %s%s\n", number(process, "pid"),
	       text(process, "command"), when,
	       json_is_true(json_object_get(process, "answers")) ? "" : ", does not answer");
	print_faults(json_object_get(process, "faults"));
	json_array_foreach(json_object_get(process, "qps"), i, qp)
		print_qp(qp);
	if ((long long)i < number(process, "qp_count"))
		printf("    and %lld more QPs\n", number(process, "qp_count") - (long long)i);
}

static void print_host(const json_t *host)
{
	const json_t *process, *device, *port;
	size_t i, n;

	printf("host %s\n", text(host, "name"));
	json_array_foreach(json_object_get(host, "devices"), i, device) {
		json_array_foreach(json_object_get(device, "ports"), n, port)
			print_port(device, port);
	}
	json_array_foreach(json_object_get(host, "processes"), i, process)
		print_process(process);
}

static void print_fabric(const json_t *status)
{
	const json_t *host;
	size_t i;

	printf("fabric %s, daemon %d%s\n", json_string_value(json_object_get(status, "fabric")),
	       (int)json_integer_value(json_object_get(status, "pid")),
	       json_is_true(json_object_get(status, "topology")) ? ", with a topology" : "");
	json_array_foreach(json_object_get(status, "hosts"), i, host)
		print_host(host);
}

int cli_status(int argc, char **argv)
{
	struct options o = {.fabric = "default"};
	json_t *status;
	int fd;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	fd = ask(o.fabric);
	if (fd == -ENOENT || fd == -ECONNREFUSED) {
		fprintf(stderr, "verbena status: no daemon runs for fabric %s\n", o.fabric);
		return 1;
	}
	status = cli_read_json(fd);
	if (fd == -EPROTONOSUPPORT) {
		fprintf(stderr, "verbena status: the daemon of fabric %s is of another version\n",
			o.fabric);
		return 1;
	}
	if (!status) {
		fprintf(stderr, "verbena status: %s\n", strerror(fd < 0 ? -fd : EPROTO));
		return 1;
	}
	if (o.json) {
		cli_print_json(status);
		return 0;
	}
	print_fabric(status);
	json_decref(status);
	return 0;
}
