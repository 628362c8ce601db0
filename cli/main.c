// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Which command? */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define PROGRESS_EVERY_S 0.2

static const struct cli_command commands[] = {
	{"demo", "move a file between two hosts three ways, on a clean and on a lossy fabric",
	 cli_demo},
	{"sim", "simulate seeds: faults, checkers, and the same failing run again", cli_sim},
	{"run", "run an unmodified RDMA program on Verbena's devices", cli_run},
	{"status", "show a fabric: hosts, and the processes on them", cli_status},
	{"fabric", "bring up a subnet that processes share, look at it, break it", cli_fabric},
	{"topo", "write the plan of a subnet of hosts and switches", cli_topo},
	{"bench", "measure messages a second, bandwidth, memory, simulated packets", cli_bench},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

double cli_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void cli_colour(FILE *out, int sgr)
{
	if (isatty(fileno(out)))
		fprintf(out, "\033[%dm", sgr);
}

void cli_progress(const char *what, uint64_t done, uint64_t all)
{
	static double last;
	const double now = cli_seconds();

	if (!isatty(STDERR_FILENO) || now - last < PROGRESS_EVERY_S)
		return;
	last = now;
	fprintf(stderr, "\r%s: %llu of %llu\033[K", what, (unsigned long long)done,
		(unsigned long long)all);
}

void cli_progress_end(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}

void cli_print_json(json_t *document)
{
	json_dumpf(document, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(document);
}

/* json_loadfd() makes a system call for each byte. */
json_t *cli_read_json(int fd)
{
	json_t *document = NULL;
	struct stat st;
	void *text;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size > 0) {
		text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (text != MAP_FAILED) {
			document = json_loadb(text, (size_t)st.st_size, 0, NULL);
			munmap(text, (size_t)st.st_size);
		}
	}
	close(fd);
	return document;
}

bool cli_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	char *end;

	if (*text < '0' || *text > '9') /* strtoull() takes blanks and a sign */
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !*end && !errno && *number >= least && *number <= most;
}

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != 'h')
		return ARGP_ERR_UNKNOWN;
	argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
	return 0;
}

static const struct argp_option help_table[] = {
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
	{0},
};

static const struct argp help_argp = {.options = help_table, .parser = parse_help};

const struct argp_child cli_help[] = {{&help_argp, 0, NULL, 0}, {0}};

/* What was printed may have been lost, on a full disk say: that is a failure, too. */
static void flush_output(void)
{
	if (!ferror(stdout) && !fflush(stdout))
		return;
	perror("verbena: the output could not be written");
	_exit(2);
}

static void usage(FILE *out)
{
	fprintf(out, "Usage: verbena COMMAND [OPTION...]\n\n"
		     "The Linux RDMA stack in user space: no card, no kernel module, no root.\n\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fprintf(out,
		"  %-8s %s\n\nverbena COMMAND --help says more of each; "
		"verbena --version, which one this is.\n",
		"test", "(./verbena test, in the source tree) build and run all tests");
}

static int unknown(const char *word)
{
	fprintf(stderr, "verbena: there is no command '%s'\n\n", word);
	usage(stderr);
	return 2;
}

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list) != 0)
		list++;
	return *list != NULL;
}

int main(int argc, char **argv)
{
	char name[64];

	argp_err_exit_status = 2;
	atexit(flush_output);
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (is_one_of(argv[1], (const char *const[]){"--help", "-h", "-?", "help", NULL})) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("verbena " VERBENA_VERSION);
		return 0;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(argv[1], commands[i].name)) {
			snprintf(name, sizeof(name), "verbena %s", commands[i].name);
			argv[1] = name;
			return commands[i].run(argc - 1, argv + 1);
		}
	return unknown(argv[1]);
}
