// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * verbena bench: the figures of docs/performance.md, each a median over rounds of one run. Ratios are
 * taken inside of a round, for machines are noisy. What is measured inside this process is pinned to
 * one processor; stock programs are two processes, each on one of its own.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/stock.h"

#define MAX_ROUNDS 99
#define ROUNDS 5
#define STOCK_ROUNDS 3

struct options {
	unsigned int rounds;
	bool json, list, mad, stock, first_post;
	char **names;
};

/* The rounds of one figure, each list sorted. */
struct result {
	double value[MAX_ROUNDS], ours[MAX_ROUNDS], anchor[MAX_ROUNDS];
	unsigned int rounds;
};

static const struct argp_option option_table[] = {
	{"mad", 'm', NULL, 0, "Management: datagrams there and back, and a long transfer by RMPP",
	 0},
	{"stock", 's', NULL, 0,
	 "Stock programs as two processes, beside what the machine does by other means", 0},
	{"rounds", 'r', "N", 0, "Rounds, of which the median counts (default: 5; --stock: 3)", 0},
	{"list", 'l', NULL, 0, "Only say what would be measured", 0},
	{"json", 'J', NULL, 0, "One JSON array, an object for each", 0},
	{"first-post", 'f', NULL, OPTION_HIDDEN, NULL, 0}, /* for stock_start() */
	{0},
};

static const struct bench *table(const struct options *o, unsigned int *count)
{
	if (o->mad) {
		*count = bench_mad_count;
		return bench_mad_table;
	}
	*count = o->stock ? bench_stock_count : bench_count;
	return o->stock ? bench_stock_table : bench_table;
}

static bool begins_with(const struct bench *bench, const char *name)
{
	return !strncmp(bench->name, name, strlen(name));
}

static bool is_wanted(const struct options *o, const struct bench *bench)
{
	for (char **name = o->names; name && *name; name++)
		if (begins_with(bench, *name))
			return true;
	return !o->names;
}

static void check_names(struct argp_state *state, const struct options *o)
{
	unsigned int count;
	const struct bench *all = table(o, &count);

	for (char **name = o->names; name && *name; name++) {
		bool found = false;

		for (unsigned int i = 0; !found && i < count; i++)
			found = begins_with(&all[i], *name);
		if (!found)
			argp_error(state, "nothing of bench %s--list begins with '%s'",
				   o->mad     ? "--mad "
				   : o->stock ? "--stock "
					      : "",
				   *name);
	}
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
	case 's':
		o->stock = true;
		return 0;
	case 'm':
		o->mad = true;
		return 0;
	case 'f':
		o->first_post = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->names = state->argv + state->next;
		return 0;
	case ARGP_KEY_END:
		check_names(state, o);
		if (!o->rounds)
			o->rounds = o->stock ? STOCK_ROUNDS : ROUNDS;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.children = cli_help,
	.args_doc = "[NAME...]",
	.doc = "Measure all that bench --list names, or those whose names begin with one of NAME."
	       "\vThe targets are for an idle machine; a busy one misses some. Exit status: 0 if every "
	       "target is met, 1 if not.",
};

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void bench_sort(double *value, unsigned int count)
{
	qsort(value, count, sizeof(*value), by_value);
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

/* "1.310 us (UCX's tag_lat: 0.330 us)", for those that have both. */
static void print_stock(const struct bench *bench, const struct result *r)
{
	const struct stock *stock = bench->stock;

	if (stock->anchor)
		printf("%26s %s: %.3f %s; %s: %.3f %s\n", "", stock->ours->name,
		       r->ours[r->rounds / 2], stock->ours->unit, stock->anchor->name,
		       r->anchor[r->rounds / 2], stock->anchor->unit);
}

static void print_row(const struct bench *bench, const struct result *r)
{
	const double median = r->value[r->rounds / 2];
	const bool met = is_met(bench, median);

	printf("%-26s %10.3f %10.3f %10.3f  %-22s ", bench->name, median, r->value[0],
	       r->value[r->rounds - 1], bench->unit);
	cli_colour(stdout, met ? 32 : 31);
	printf("%s %g: %s\n", bench->at_most ? "<=" : ">=", bench->target, met ? "met" : "MISSED");
	cli_colour(stdout, 0);
	if (bench->stock)
		print_stock(bench, r);
	fflush(stdout);
}

static json_t *row_json(const struct bench *bench, const struct result *r)
{
	const double median = r->value[r->rounds / 2];
	json_t *row = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:b}", "name", bench->name, "unit",
				bench->unit, "median", median, "least", r->value[0], "most",
				r->value[r->rounds - 1], "target", bench->target, "met",
				is_met(bench, median));

	if (bench->stock && bench->stock->anchor) {
		json_object_set_new(row, "ours", json_real(r->ours[r->rounds / 2]));
		json_object_set_new(row, "anchor", json_real(r->anchor[r->rounds / 2]));
	}
	return row;
}

static int measure_round(const struct bench *bench, struct result *r, unsigned int round)
{
	int ret;

	if (!bench->stock)
		return bench->measure(&r->value[round]);
	ret = stock_measure(bench->stock, &r->ours[round], &r->anchor[round]);
	if (!ret)
		r->value[round] = r->ours[round] / r->anchor[round];
	return ret;
}

/* Returns 0 met, 1 missed, 2 it could not be measured. */
static int measure(const struct bench *bench, const struct options *o, json_t *rows)
{
	struct result r = {.rounds = o->rounds};

	for (unsigned int round = 0; round < o->rounds; round++) {
		cli_progress(bench->name, round, o->rounds);
		if (measure_round(bench, &r, round)) {
			fprintf(stderr, "verbena bench: %s cannot be measured\n", bench->name);
			return 2;
		}
	}
	cli_progress_end();
	bench_sort(r.value, r.rounds);
	bench_sort(r.ours, r.rounds);
	bench_sort(r.anchor, r.rounds);
	if (rows)
		json_array_append_new(rows, row_json(bench, &r));
	else
		print_row(bench, &r);
	return is_met(bench, r.value[r.rounds / 2]) ? 0 : 1;
}

int cli_bench(int argc, char **argv)
{
	struct options o = {.rounds = 0};
	const struct bench *all;
	json_t *rows = NULL;
	unsigned int count;
	int worst = 0;

	argp_parse(&argp, argc, argv, 0, NULL, &o);
	if (o.first_post)
		return stock_first_post();
	if (!o.stock)
		pin();
	all = table(&o, &count);
	if (o.json)
		rows = json_array();
	else if (!o.list)
		print_head();
	for (unsigned int i = 0; i < count; i++) {
		const struct bench *bench = &all[i];
		int ret;

		if (!is_wanted(&o, bench))
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
