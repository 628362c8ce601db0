// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * verbena bench: the figures of docs/performance.md, each a median over rounds of one run, pinned
 * to one processor. Ratios are taken inside of a round, for machines are noisy.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/cli.h"

#define MAX_ROUNDS 99

struct options {
	unsigned int rounds;
	bool json, list;
	const char *only;
};

static const struct argp_option option_table[] = {
	{"rounds", 'r', "N", 0, "Rounds, of which the median counts (default: 5)", 0},
	{"list", 'l', NULL, 0, "Only say what would be measured", 0},
	{"json", 'J', NULL, 0, "One JSON array, an object for each", 0},
	{0},
};

static bool is_name(const char *start)
{
	for (unsigned int i = 0; i < bench_count; i++)
		if (!strncmp(bench_table[i].name, start, strlen(start)))
			return true;
	return false;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	uint64_t rounds = 0;

	switch (key) {
	case 'r':
		if (!cli_number(arg, 1, MAX_ROUNDS, &rounds))
			argp_error(state, "'%s' is no number of rounds from 1 to %d", arg,
				   MAX_ROUNDS);
		o->rounds = (unsigned int)rounds;
		return 0;
	case 'l':
		o->list = true;
		return 0;
	case 'J':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->only)
			argp_error(state, "one NAME at a time: '%s' is one too many", arg);
		if (!is_name(arg))
			argp_error(state, "nothing of bench --list begins with '%s'", arg);
		o->only = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.children = cli_help,
	.args_doc = "[NAME]",
	.doc = "Measure all that bench --list names, or those whose name begins with NAME."
	       "\vThe targets are for an idle machine; a busy one misses some. Exit status: 0 if every "
	       "target is met, 1 if not.",
};

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool is_met(const struct bench *bench, double value)
{
	return bench->at_most ? value <= bench->target : value >= bench->target;
}

static void pin(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	for (size_t cpu = CPU_SETSIZE; cpu-- > 0;)
		if (CPU_ISSET(cpu, &set)) {
			CPU_ZERO(&set);
			CPU_SET(cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
			return;
		}
}

static void print_head(void)
{
	printf("%-26s %10s %10s %10s  %-22s %s\n", "what", "median", "least", "most", "unit",
	       "target");
}

static void print_row(const struct bench *bench, const double *sorted, unsigned int rounds)
{
	const double median = sorted[rounds / 2];
	const bool met = is_met(bench, median);

	printf("%-26s %10.3f %10.3f %10.3f  %-22s ", bench->name, median, sorted[0],
	       sorted[rounds - 1], bench->unit);
	cli_colour(stdout, met ? 32 : 31);
	printf("%s %g: %s\n", bench->at_most ? "<=" : ">=", bench->target, met ? "met" : "MISSED");
	cli_colour(stdout, 0);
	fflush(stdout);
}

static json_t *row_json(const struct bench *bench, const double *sorted, unsigned int rounds)
{
	return json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:b}", "name", bench->name, "unit",
			 bench->unit, "median", sorted[rounds / 2], "least", sorted[0], "most",
			 sorted[rounds - 1], "target", bench->target, "met",
			 is_met(bench, sorted[rounds / 2]));
}

/* Returns 0 met, 1 missed, 2 it could not be measured. */
static int measure(const struct bench *bench, const struct options *o, json_t *rows)
{
	double value[MAX_ROUNDS] = {0};

	for (unsigned int round = 0; round < o->rounds; round++) {
		cli_progress(bench->name, round, o->rounds);
		if (bench->measure(&value[round])) {
			fprintf(stderr, "verbena bench: %s cannot be measured\n", bench->name);
			return 2;
		}
	}
	cli_progress_end();
	qsort(value, o->rounds, sizeof(value[0]), by_value);
	if (rows)
		json_array_append_new(rows, row_json(bench, value, o->rounds));
	else
		print_row(bench, value, o->rounds);
	return is_met(bench, value[o->rounds / 2]) ? 0 : 1;
}

int cli_bench(int argc, char **argv)
{
	struct options o = {.rounds = 5};
	json_t *rows = NULL;
	int worst = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	pin();
	if (o.json)
		rows = json_array();
	else if (!o.list)
		print_head();
	for (unsigned int i = 0; i < bench_count; i++) {
		const struct bench *bench = &bench_table[i];
		int ret;

		if (o.only && strncmp(bench->name, o.only, strlen(o.only)) != 0)
			continue;
		if (o.list) {
			printf("%-26s %s\n", bench->name, bench->unit);
			continue;
		}
		ret = measure(bench, &o, rows);
		worst = ret > worst ? ret : worst;
	}
	if (rows)
		cli_print_json(rows);
	return worst;
}
