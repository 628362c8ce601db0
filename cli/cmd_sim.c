// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * verbena sim: many seeds, on all processors, each job a process, so that a seed that crashes is a
 * seed that fails.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sim/sim.h"

#define SEED_CPU_S 60
#define MAX_JOBS 1024u
#define MAX_SEEDS 10000000u

/* What can be simulated; the first goes without saying. */
struct kind {
	const char *name;
	void (*run)(uint64_t seed, const char *trace_path, struct sim_result *result);
};

static const struct kind kinds[] = {
	{"verbs", sim_run_seed},
	{"rmpp", sim_rmpp_seed},
	{"flaps", sim_flaps_seed},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct options {
	const struct kind *kind;
	uint64_t *seeds, count; /* room for MAX_SEEDS */
	unsigned int jobs;
	bool json, twice, verbose;
	const char *trace;
};

static const struct argp_option option_table[] = {
	{"seeds", 's', "A..B", 0, "Simulate the seeds A to B, or one seed A (default: 1..200)", 0},
	{"file", 'f', "FILE", 0, "Simulate the seeds of FILE: A or A..B a line, # for comments", 0},
	{"world", 'w', "NAME", 0,
	 "verbs: messages of queue pairs (default); rmpp: messages of agents, by RMPP; "
	 "flaps: cables that break, and the subnet manager",
	 0},
	{"jobs", 'j', "N", 0, "Processes at a time (default: processors)", 0},
	{"trace", 't', "FILE", 0, "Write a line for each packet and event of the one seed", 0},
	{"twice", '2', NULL, 0, "Run each seed twice and compare the digests of the traces", 0},
	{"verbose", 'v', NULL, 0, "A line for each seed, not for failures only", 0},
	{"json", 'J', NULL, 0, "One JSON object for all", 0},
	{0},
};

/* A or A..B, behind the seeds that are there already. */
static int add_range(struct options *o, char *text)
{
	char *dots = strstr(text, "..");
	uint64_t first, last;

	if (dots)
		*dots = '\0';
	if (!cli_number(text, 0, UINT64_MAX, &first) ||
	    !cli_number(dots ? dots + 2 : text, first, UINT64_MAX, &last)) {
		if (dots)
			*dots = '.';
		return -EINVAL;
	}
	if (last - first >= MAX_SEEDS - o->count)
		return -E2BIG;
	for (uint64_t seed = first; seed - first <= last - first; seed++)
		o->seeds[o->count++] = seed;
	return 0;
}

static void add_seeds(struct options *o, char *text, struct argp_state *state)
{
	const int ret = add_range(o, text);

	if (ret == -EINVAL)
		argp_error(state, "'%s' is no range of seeds such as 1..200", text);
	else if (ret)
		argp_error(state, "too many seeds: %u at a time", MAX_SEEDS);
}

static void add_file(struct options *o, const char *path, struct argp_state *state)
{
	FILE *file = fopen(path, "re");
	char line[128], *word, *rest;

	if (!file)
		argp_failure(state, 2, errno, "'%s'", path);
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "#")] = '\0';
		word = strtok_r(line, " \t\r\n", &rest);
		if (word && strtok_r(NULL, " \t\r\n", &rest))
			argp_error(state, "'%s': one range of seeds a line", path);
		if (word)
			add_seeds(o, word, state);
	}
	if (file && ferror(file))
		argp_failure(state, 2, errno, "'%s'", path);
	if (file)
		fclose(file);
	if (!o->count)
		argp_error(state, "'%s' has no seeds", path);
}

/* All options are known: what do they mean together? */
static void finish_options(struct options *o, struct argp_state *state)
{
	char all[] = "1..200";
	FILE *file;

	if (!o->count)
		add_seeds(o, all, state);
	if (!o->trace)
		return;
	if (o->count != 1)
		argp_error(state, "--trace is for one seed, and these are %llu",
			   (unsigned long long)o->count);
	file = fopen(o->trace, "we");
	if (!file)
		argp_failure(state, 2, errno, "'%s'", o->trace);
	else
		fclose(file);
}

static void set_kind(struct options *o, const char *name, struct argp_state *state)
{
	for (size_t i = 0; i < KINDS; i++)
		if (!strcmp(name, kinds[i].name)) {
			o->kind = &kinds[i];
			return;
		}
	argp_error(state, "there is no world '%s'", name);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	uint64_t jobs = 0;

	switch (key) {
	case 'w':
		set_kind(o, arg, state);
		return 0;
	case 's':
		add_seeds(o, arg, state);
		return 0;
	case 'f':
		add_file(o, arg, state);
		return 0;
	case 'j':
		if (!cli_number(arg, 1, MAX_JOBS, &jobs))
			argp_error(state, "'%s' is no number of jobs from 1 to %u", arg, MAX_JOBS);
		o->jobs = (unsigned int)jobs;
		return 0;
	case 't':
		o->trace = arg;
		return 0;
	case '2':
		o->twice = true;
		return 0;
	case 'v':
		o->verbose = true;
		return 0;
	case 'J':
		o->json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is no option; seeds are given as --seeds A..B", arg);
		return 0;
	case ARGP_KEY_END:
		finish_options(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.children = cli_help,
	.doc = "Simulate: hosts on a switch in virtual time, random traffic, faults, and checkers "
	       "that miss nothing. A seed decides all of it."
	       "\vExit status: 0 if no checker objected, 1 if one did.",
};

/* What the jobs share: who takes the next seed, and what came of each. */
struct board {
	uint64_t next;
	uint64_t count;
	uint64_t done;
	struct entry {
		struct sim_result result;
		bool started, finished, differs;
	} entry[];
};

static void simulate(struct entry *entry, uint64_t seed, const struct options *o)
{
	/* A seed that never ends is one that crashes: the job dies after so much processor time. */
	const struct itimerval limit = {.it_value = {.tv_sec = SEED_CPU_S}};
	struct sim_result again;

	setitimer(ITIMER_PROF, &limit, NULL);
	__atomic_store_n(&entry->started, true, __ATOMIC_RELEASE);
	o->kind->run(seed, o->trace, &entry->result);
	if (o->twice) {
		o->kind->run(seed, NULL, &again);
		entry->differs = again.digest != entry->result.digest;
	}
	__atomic_store_n(&entry->finished, true, __ATOMIC_RELEASE);
}

static void work(struct board *board, const struct options *o)
{
	uint64_t i;

	while ((i = __atomic_fetch_add(&board->next, 1, __ATOMIC_RELAXED)) < board->count) {
		board->entry[i].result.seed = o->seeds[i];
		simulate(&board->entry[i], o->seeds[i], o);
		cli_progress("seeds", __atomic_add_fetch(&board->done, 1, __ATOMIC_RELAXED),
			     board->count);
	}
	_exit(0);
}

static bool start_job(struct board *board, const struct options *o)
{
	const pid_t pid = fork();

	if (!pid)
		work(board, o);
	return pid > 0;
}

/* A job that dies has lost its seed only: another one takes its place. */
static void run_jobs(struct board *board, const struct options *o)
{
	unsigned int running = 0;
	int status;

	fflush(NULL);
	while (running < o->jobs && running < board->count && start_job(board, o))
		running++;
	while (running && waitpid(-1, &status, 0) > 0) {
		running--;
		if ((!WIFEXITED(status) || WEXITSTATUS(status)) && start_job(board, o))
			running++;
	}
	cli_progress_end();
}

static bool failed(const struct entry *entry)
{
	return !entry->finished || entry->result.failed || entry->differs;
}

static const char *reason(const struct entry *entry)
{
	if (!entry->started)
		return "was not run: the job that should have died";
	if (entry->result.failed)
		return entry->result.failure;
	if (!entry->finished)
		return "crashed, or took more than a minute";
	return entry->differs ? "two runs have different digests" : "";
}

static void print_entry(const struct entry *entry, const struct options *o)
{
	const struct sim_result *r = &entry->result;

	if (failed(entry)) {
		cli_colour(stdout, 31);
		printf("seed %llu (%s): %s\n", (unsigned long long)r->seed,
		       r->scenario ? r->scenario : "?", reason(entry));
		cli_colour(stdout, 0);
		printf("    again: ./verbena sim%s%s --seeds %llu --trace /tmp/seed-%llu.txt\n",
		       o->kind == kinds ? "" : " --world ", o->kind == kinds ? "" : o->kind->name,
		       (unsigned long long)r->seed, (unsigned long long)r->seed);
		return;
	}
	printf("seed %llu (%s): %llu packets, %llu completions, %llu explained errors, %.1f ms, "
	       "digest %016llx\n",
	       (unsigned long long)r->seed, r->scenario, (unsigned long long)r->packets,
	       (unsigned long long)r->completions, (unsigned long long)r->errors,
	       (double)r->virtual_ns / 1e6, (unsigned long long)r->digest);
}

static json_t *entry_json(const struct entry *entry)
{
	const struct sim_result *r = &entry->result;
	char digest[17];

	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)r->digest);
	return json_pack("{s:I, s:s, s:b, s:s, s:s, s:I, s:I, s:I, s:I}", "seed",
			 (json_int_t)r->seed, "scenario", r->scenario ? r->scenario : "", "failed",
			 failed(entry), "failure", reason(entry), "digest", digest, "packets",
			 (json_int_t)r->packets, "completions", (json_int_t)r->completions,
			 "errors", (json_int_t)r->errors, "virtual_ns", (json_int_t)r->virtual_ns);
}

static void print_json(const struct board *board, uint64_t failures, double seconds)
{
	json_t *list = json_array();

	for (uint64_t i = 0; i < board->count; i++)
		json_array_append_new(list, entry_json(&board->entry[i]));
	cli_print_json(json_pack("{s:I, s:I, s:f, s:o}", "seeds", (json_int_t)board->count,
				 "failures", (json_int_t)failures, "seconds", seconds, "results",
				 list));
}

static int report(const struct board *board, const struct options *o, double seconds)
{
	uint64_t failures = 0, packets = 0, completions = 0, errors = 0;

	for (uint64_t i = 0; i < board->count; i++) {
		const struct entry *entry = &board->entry[i];

		failures += failed(entry);
		packets += entry->result.packets;
		completions += entry->result.completions;
		errors += entry->result.errors;
		if (!o->json && (o->verbose || failed(entry)))
			print_entry(entry, o);
	}
	if (o->json)
		print_json(board, failures, seconds);
	else
		printf("%llu seed%s, %llu failed: %llu packets, %llu completions, %llu explained "
		       "errors in %.1f s\n",
		       (unsigned long long)board->count, board->count == 1 ? "" : "s",
		       (unsigned long long)failures, (unsigned long long)packets,
		       (unsigned long long)completions, (unsigned long long)errors, seconds);
	return failures ? 1 : 0;
}

int cli_sim(int argc, char **argv)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct options o = {.kind = kinds,
			    .jobs = processors > 0 ? (unsigned int)processors : 1,
			    .seeds = calloc(MAX_SEEDS, sizeof(*o.seeds))};
	const double start = cli_seconds();
	struct board *board;
	size_t bytes;
	int ret;

	if (!o.seeds) {
		fprintf(stderr, "verbena sim: no memory for the numbers of seeds\n");
		return 2;
	}
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	bytes = sizeof(*board) + o.count * sizeof(board->entry[0]);
	board = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (board == MAP_FAILED) {
		fprintf(stderr, "verbena sim: no memory for %llu seeds\n",
			(unsigned long long)o.count);
		free(o.seeds);
		return 2;
	}
	board->count = o.count;
	run_jobs(board, &o);
	ret = report(board, &o, cli_seconds() - start);
	munmap(board, bytes);
	free(o.seeds);
	return ret;
}
