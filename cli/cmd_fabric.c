// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* verbena fabric: a subnet that processes share. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/socket.h"
#include "attach/start.h"
#include "base/cause.h"
#include "base/fd.h"
#include "cli/cli.h"
#include "cli/show_fabric.h"
#include "cli/topology_file.h"

#define ANSWER_MS 30000
#define MOST_WORDS 5u
#define NS_PER_US 1000u
#define NS_PER_MS 1000000u
#define NS_PER_S 1000000000u

struct options {
	const char *fabric;
	const char *topology;
	bool json;
	bool force;
	const char *word[MOST_WORDS];
	unsigned int words;
};

static const struct argp_option option_table[] = {
	{"fabric", 'f', "NAME", 0, "Which fabric (default: default)", 0},
	{"topology", 't', "FILE", 0, "up: the subnet, as ibnetdiscover prints it", 0},
	{"force", 'F', NULL, 0, "down: even if processes are attached", 0},
	{"json", 'J', NULL, 0, "show: one JSON object", 0},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'f':
		o->fabric = arg;
		return 0;
	case 't':
		o->topology = arg;
		return 0;
	case 'F':
		o->force = true;
		return 0;
	case 'J':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->words == MOST_WORDS)
			argp_error(state, "'%s' is one word too many", arg);
		else
			o->word[o->words++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.children = cli_help,
	.args_doc = "up --topology FILE\ndown\nshow [NODE]\nlink NODE PORT cut|mend\n"
		    "link NODE PORT loss PPM\nlink NODE PORT delay TIME\nhost NAME kill|start",
	.doc = "Bring up a subnet of hosts and switches that programs under `verbena run' share, look at it, "
	       "and break it."
	       "\vup: begin it, with the built-in subnet manager; it stays until down, and a daemon that is "
	       "killed leaves it to the next one. Hosts are those of the topology: verbena run --host NAME, "
	       "where NAME is the description of a channel adapter, or its first word.\n\n"
	       "down: end it; refused while processes are attached, unless with --force.\n\n"
	       "show: nodes, ports, LIDs, states; of one node each port with what it has counted.\n\n"
	       "link: what befalls the cable at a port. cut: both ends go Down, and the manager looks for "
	       "other ways. loss: of a million packets PPM are lost. delay: each is late by TIME, a number "
	       "with ns, us, ms or s. mend: nothing is wrong with it any more.\n\n"
	       "host: kill: all its ports go down at once, as if it had lost its power, and what its "
	       "processes send is lost. start: they come up again.\n\n"
	       "NODE is a description, the name in quotes in the topology, or a host's name. Keys of "
	       "--json: fabric, pid (the daemon's), cables, lost_mads (that nobody read, or had no room), "
	       "nodes: name, id, type, guid, port_count, cabled, active, killed, ports: number, guid, lid, sm_lid, "
	       "state, physical, width, speed, counters; with a cable also peer (name, id, port), cut, loss_ppm, "
	       "delay_ns.\n\n"
	       "Exit status: 0; 1 if it cannot be done; 2 if the words are wrong.",
};

static int say_cause(const struct options *o, const struct base_cause *cause, int err)
{
	char text[BASE_CAUSE_TEXT_BYTES];

	if (cause->id)
		base_cause_format(cause, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "%s", strerror(-err));
	fprintf(stderr, "verbena fabric: %s: %s\n", o->fabric, text);
	return 1;
}

static int say_unreachable(const struct options *o, int err)
{
	if (err == -ENOENT || err == -ECONNREFUSED)
		fprintf(stderr, "verbena fabric: %s is not up: no daemon runs for it\n", o->fabric);
	else if (err == -EPROTONOSUPPORT)
		fprintf(stderr, "verbena fabric: the daemon of %s is of another version\n",
			o->fabric);
	else
		fprintf(stderr, "verbena fabric: %s: %s\n", o->fabric, strerror(-err));
	return 1;
}

/* Returns 0 with the answer in @m, and what came with it. */
static int ask_over(int fd, struct attach_message *m, int fds[ATTACH_FDS])
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	int ret = attach_send(fd, m, NULL, 0);

	if (!ret && poll(&polled, 1, ANSWER_MS) != 1)
		ret = -ETIMEDOUT;
	return ret ? ret : attach_receive(fd, m, fds);
}

/* Its file, if it has one, is *@file. */
static int ask(const struct options *o, struct attach_message *m, int *file)
{
	const int fd = attach_connect(o->fabric);
	int fds[ATTACH_FDS], ret = fd < 0 ? fd : ask_over(fd, m, fds);

	if (fd >= 0)
		base_fd_close(fd);
	if (ret)
		return say_unreachable(o, ret);
	if (m->status) {
		attach_close_all(fds);
		return say_cause(o, &m->cause, m->status);
	}
	if (file) {
		*file = fds[0];
		fds[0] = -1;
	}
	attach_close_all(fds);
	return 0;
}

static struct attach_message message(enum attach_fabric what, const char *node)
{
	struct attach_message m = {.type = ATTACH_FABRIC};

	m.fabric.what = what;
	snprintf(m.fabric.node, sizeof(m.fabric.node), "%s", node);
	return m;
}

static int up(const struct options *o)
{
	int ret;

	if (o->words != 1 || !o->topology)
		return -1;
	ret = attach_up(o->fabric, o->topology);
	if (ret && base_cause_last()->id == BASE_CAUSE_TOPOLOGY)
		return topology_file_check("verbena fabric", o->topology, NULL)
			       ? 1
			       : say_cause(o, base_cause_last(), ret);
	return ret ? say_cause(o, base_cause_last(), ret) : 0;
}

/* The daemon at the other end, so that we can wait for its end. */
static int open_daemon(int fd)
{
	struct ucred cred;
	socklen_t bytes = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &bytes))
		return -1;
	return (int)syscall(SYS_pidfd_open, cred.pid, 0);
}

static int down(const struct options *o)
{
	struct attach_message m = message(ATTACH_FABRIC_DOWN, "");
	struct pollfd ended = {.events = POLLIN};
	int fds[ATTACH_FDS], ret;
	const int fd = o->words == 1 ? attach_connect(o->fabric) : -1;

	if (o->words != 1)
		return -1;
	if (fd < 0)
		return say_unreachable(o, fd);
	m.fabric.value = o->force;
	ended.fd = open_daemon(fd);
	ret = ask_over(fd, &m, fds);
	base_fd_close(fd);
	if (!ret)
		attach_close_all(fds);
	if (!ret && !m.status && ended.fd >= 0)
		(void)poll(&ended, 1, ANSWER_MS);
	if (ended.fd >= 0)
		close(ended.fd);
	if (ret)
		return say_unreachable(o, ret);
	return m.status ? say_cause(o, &m.cause, m.status) : 0;
}

static int show(const struct options *o)
{
	struct attach_message m = message(ATTACH_FABRIC_SHOW, o->words == 2 ? o->word[1] : "");
	json_t *all;
	int fd;

	m.fabric.value = o->json;
	if (o->words > 2)
		return -1;
	if (ask(o, &m, &fd))
		return 1;
	all = cli_read_json(fd);
	if (!all)
		return say_unreachable(o, -EPROTO);
	if (o->json) {
		cli_print_json(all);
		return 0;
	}
	show_fabric(all, o->words == 2);
	json_decref(all);
	return 0;
}

static bool take_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", NS_PER_US}, {"ms", NS_PER_MS}, {"s", NS_PER_S}};
	const size_t digits = strspn(text, "0123456789");
	char number[24];

	if (!digits || digits >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)digits, text);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text + digits, units[i].unit)) {
			if (!cli_number(number, 0, UINT64_MAX / units[i].ns, ns))
				return false;
			*ns *= units[i].ns;
			return true;
		}
	return false;
}

static bool take_change(const struct options *o, struct attach_message *m)
{
	const char *verb = o->words > 3 ? o->word[3] : "";
	uint64_t port;

	if (o->words < 4 || !cli_number(o->word[2], 0, UINT32_MAX, &port))
		return false;
	*m = message(ATTACH_FABRIC_CUT, o->word[1]);
	m->fabric.port = (uint32_t)port;
	if (o->words == 4 && !strcmp(verb, "cut"))
		return true;
	if (o->words == 4 && !strcmp(verb, "mend")) {
		m->fabric.what = ATTACH_FABRIC_MEND;
		return true;
	}
	if (o->words == 5 && !strcmp(verb, "loss")) {
		m->fabric.what = ATTACH_FABRIC_LOSS;
		return cli_number(o->word[4], 0, UINT64_MAX, &m->fabric.value);
	}
	m->fabric.what = ATTACH_FABRIC_DELAY;
	return o->words == 5 && !strcmp(verb, "delay") && take_time(o->word[4], &m->fabric.value);
}

static int link_command(const struct options *o)
{
	struct attach_message m;

	return take_change(o, &m) ? ask(o, &m, NULL) : -1;
}

static int host_command(const struct options *o)
{
	const bool kill = o->words == 3 && !strcmp(o->word[2], "kill");
	struct attach_message m;

	if (o->words != 3 || (!kill && strcmp(o->word[2], "start") != 0))
		return -1;
	m = message(kill ? ATTACH_FABRIC_KILL : ATTACH_FABRIC_START, o->word[1]);
	return ask(o, &m, NULL);
}

static const struct {
	const char *name;
	int (*run)(const struct options *o);
} commands[] = {
	{"up", up}, {"down", down}, {"show", show}, {"link", link_command}, {"host", host_command},
};

int cli_fabric(int argc, char **argv)
{
	struct options o = {.fabric = "default"};
	int ret = -1;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (o.words && !strcmp(o.word[0], commands[i].name))
			ret = commands[i].run(&o);
	if (ret >= 0)
		return ret;
	fprintf(stderr, "verbena fabric: %s%s\n",
		o.words ? "these words make no sense: " : "what shall be done?",
		o.words ? o.word[0] : "");
	argp_help(&argp, stderr, ARGP_HELP_USAGE | ARGP_HELP_SEE, argv[0]);
	return 2;
}
