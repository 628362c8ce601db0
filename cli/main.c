// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Which command? */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define PROGRESS_EVERY_S 0.2

static const struct cli_command commands[] = {
	{"demo", "move a file between two hosts three ways, on a clean and on a lossy fabric",
	 cli_demo},
	{"sim", "simulate seeds: faults, checkers, and the same failing run again", cli_sim},
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

static void usage(FILE *out)
{
	fprintf(out, "Usage: verbena COMMAND [OPTION...]\n\n"
		     "The Linux RDMA stack in user space: no card, no kernel module, no root.\n\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fprintf(out, "  %-8s %s\n\nverbena COMMAND --help says more of each.\n", "test",
		"(./verbena test, in the source tree) build and run all tests");
}

static int unknown(const char *word)
{
	fprintf(stderr, "verbena: there is no command '%s'\n\n", word);
	usage(stderr);
	return 2;
}

int main(int argc, char **argv)
{
	char name[64];

	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "help")) {
		usage(stdout);
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
