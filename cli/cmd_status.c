// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* verbena status: what a fabric's daemon knows. */
#include <errno.h>
#include <poll.h>
#include <string.h>
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
	.doc = "Show a fabric: its hosts, and the processes on them."
	       "\vExit status: 0; 1 if there is no such fabric, or its daemon does not answer.",
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

static void print_port(const json_t *port, size_t device, size_t number)
{
	printf("  port %zu/%zu  lid %-5d guid %s  %s\n", device, number,
	       (int)json_integer_value(json_object_get(port, "lid")),
	       json_string_value(json_object_get(port, "guid")),
	       json_is_true(json_object_get(port, "up")) ? "up" : "DOWN");
}

static void print_host(const json_t *host)
{
	const json_t *process, *device, *port;
	size_t i, n;

	printf("host %s\n", json_string_value(json_object_get(host, "name")));
	json_array_foreach(json_object_get(host, "devices"), i, device) {
		json_array_foreach(json_object_get(device, "ports"), n, port)
			print_port(port, i, n + 1);
	}
	json_array_foreach(json_object_get(host, "processes"), i, process) {
		printf("  process %-8d %s\n",
		       (int)json_integer_value(json_object_get(process, "pid")),
		       json_string_value(json_object_get(process, "command")));
	}
}

static void print_fabric(const json_t *status)
{
	const json_t *host;
	size_t i;

	printf("fabric %s, daemon %d\n", json_string_value(json_object_get(status, "fabric")),
	       (int)json_integer_value(json_object_get(status, "pid")));
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
	status = fd < 0 || lseek(fd, 0, SEEK_SET) ? NULL : json_loadfd(fd, 0, NULL);
	if (fd >= 0)
		close(fd);
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
