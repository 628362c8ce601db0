// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* verbenad: the daemon of one user's fabric. Programs start it when they need it. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/start.h"
#include "base/cause.h"
#include "daemon/server.h"

#define DEFAULT_FABRIC "default"
#define DEFAULT_IDLE "10"
#define FIRST_MS 5000

struct arguments {
	struct server_config config;
	int ready_fd;
};

static struct server *server; /* for the signal handler */

static const struct argp_option options[] = {
	{"fabric", 'f', "NAME", 0, "Which fabric (default: " DEFAULT_FABRIC ")", 0},
	{"idle", 'i', "SECONDS", 0,
	 "End when nobody has been attached so long; -1: never (default: $VERBENA_IDLE, or 10)", 0},
	{"topology", 't', "FILE", 0,
	 "The fabric is the subnet that FILE describes, as ibnetdiscover prints it; end on SIGTERM only",
	 0},
	{"ready-fd", 'r', "N", 0,
	 "Write an int to this descriptor when processes may attach: 0, or a negative errno; behind it, "
	 "why",
	 0},
	{0},
};

static int take_number(struct argp_state *state, const char *text)
{
	char *end;
	const long n = strtol(text, &end, 10);

	if (*end || end == text || n < -1 || n > ATTACH_MAX_IDLE_S)
		argp_error(state, "%s is no number that makes sense here", text);
	return (int)n;
}

static void take_idle(struct argp_state *state, const char *text)
{
	struct arguments *a = state->input;
	const int seconds = take_number(state, text);

	a->config.idle_ms = seconds < 0 ? -1 : seconds * 1000;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;
	const char *idle;

	switch (key) {
	case 'f':
		a->config.fabric = text;
		return 0;
	case 'i':
		take_idle(state, text);
		return 0;
	case 't':
		a->config.topology = text;
		return 0;
	case 'r':
		a->ready_fd = take_number(state, text);
		return 0;
	case ARGP_KEY_INIT:
		idle = getenv("VERBENA_IDLE");
		take_idle(state, idle && *idle ? idle : DEFAULT_IDLE);
		return 0;
	case ARGP_KEY_ARG:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void stop(int signal)
{
	(void)signal;
	server_stop(server);
}

static void handle_signals(void)
{
	const struct sigaction end = {.sa_handler = stop}, ignore = {.sa_handler = SIG_IGN};
	sigset_t none;

	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGHUP, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL); /* then it is EFBIG */
	/* Whoever started us may have blocked them, and that is inherited. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Another one was quicker: whoever started us finds that one. */
static void say_ready(int fd, int status)
{
	struct attach_ready said = {.status = status};

	if (fd < 0)
		return;
	if (status)
		said.cause = *base_cause_last();
	if (write(fd, &said, sizeof(said)) < 0)
		fprintf(stderr, "verbenad: descriptor %d: %s\n", fd, strerror(errno));
	close(fd);
}

/* Each process costs six descriptors: its connection, what its hello brought, and one that tells its death. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static void say_why(const char *fabric, int err)
{
	char text[BASE_CAUSE_TEXT_BYTES];

	if (base_cause_last()->id)
		base_cause_format(base_cause_last(), text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s", strerror(-err));
	fprintf(stderr, "verbenad: fabric %s: %s\n", fabric, text);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse,
		NULL,	 "Keep the fabric that programs under `verbena run' are attached to.",
		NULL,	 NULL,
		NULL};
	struct arguments a = {.config = {.fabric = DEFAULT_FABRIC, .first_ms = FIRST_MS},
			      .ready_fd = -1};
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &a);
	raise_limit();
	server = server_new(&a.config, &err);
	if (!server && (err != -EADDRINUSE || a.config.topology)) {
		say_ready(a.ready_fd, err);
		say_why(a.config.fabric, err);
		return 1;
	}
	if (server)
		handle_signals();
	if (server && chdir("/")) /* where we were started may go, or be unmounted */
		fprintf(stderr, "verbenad: /: %s\n", strerror(errno));
	say_ready(a.ready_fd, 0);
	if (!server)
		return 0;
	server_run(server);
	server_free(server);
	return 0;
}
