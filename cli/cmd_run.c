// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* verbena run: a stock program, with our devices. Sets the environment and becomes the program. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/needed.h"
#include "profile/profile.h"
#include "verbena/faults.h"

#define LIBRARY "libverbena-preload.so"

static const struct argp_option option_table[] = {
	{"host", 'H', "NAME", 0, "The host that the program is on (default: this machine's name)",
	 0},
	{"fabric", 'f', "NAME", 0, "The fabric; a daemon for each (default: default)", 0},
	{"device", 'd', "KIND", 0, "Link layer of the device: ib (default)", 0},
	{"name", 'n', "NAME", 0, "Name of the (first) device (default: rxe0, hfi1_0)", 0},
	{"profile", 'P', "FILE", 0,
	 "What the devices look like: a YAML file, or the name of one that comes with Verbena", 0},
	{"personality", 'p', "WHICH", 0, "Whose user ABI the device speaks: rxe (default), hfi1",
	 0},
	{"faults", 'F', "SPEC", 0,
	 "Inject faults: 'drop=2%; rnr, try=1..3; down, after=1s, for=500ms' "
	 "(see below)",
	 0},
	{0},
};

/* What an option sets; the library reads it (device/process.c). */
static const struct {
	int key;
	const char *variable;
} variables[] = {
	{'H', "VERBENA_HOST"},	      {'f', "VERBENA_FABRIC"},	{'n', "VERBENA_DEVICE_NAME"},
	{'p', "VERBENA_PERSONALITY"}, {'P', "VERBENA_PROFILE"}, {'F', "VERBENA_FAULTS"},
};

static bool is_personality(const char *word)
{
	return !strcmp(word, "rxe") || !strcmp(word, "hfi1") || !strcmp(word, "hfi1-v1");
}

static void check_faults(struct argp_state *state, const char *spec)
{
	struct verbena_fault_error error;

	if (verbena_faults_check(spec, &error))
		argp_error(state, "--faults, column %u: %s\n  %s\n  %*s^", error.column, error.text,
			   spec, (int)error.column - 1, "");
}

static void check_argument(struct argp_state *state, int key, const char *arg)
{
	if (key == 'F')
		check_faults(state, arg);
	if (key == 'p' && !is_personality(arg))
		argp_error(state, "there is no personality '%s': rxe, hfi1 or hfi1-v1", arg);
	if (key == 'd' && strcmp(arg, "ib") != 0)
		argp_error(state, "there is no kind of device '%s': ib", arg);
	if (!*arg)
		argp_error(state, "the argument of an option is empty");
}

static void set_variable(int key, const char *value)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (variables[i].key == key)
			setenv(variables[i].variable, value, 1);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	char ***command = state->input;

	switch (key) {
	case 'H':
	case 'f':
	case 'd':
	case 'n':
	case 'p':
	case 'P':
	case 'F':
		check_argument(state, key, arg);
		set_variable(key, arg);
		return 0;
	case ARGP_KEY_ARGS:
		*command = state->argv + state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which program?");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse_option,
	.children = cli_help,
	.args_doc = "-- PROGRAM [ARGUMENT...]",
	.doc = "Run an unmodified RDMA program on Verbena's devices."
	       "\vThe exit status is the program's; 127 if there is no such program, 126 if it cannot "
	       "be run.\n\n"
	       "SPEC is a list of faults with ';' between them, each with ', SELECTOR' as needed:\n"
	       "  drop, dup, reorder, corrupt, rnr, kill    [=PERCENT] of the packets\n"
	       "  delay=TIME or TIME..TIME    down    event=NAME    fail=ERRNO, verb=NAME    seed=N\n"
	       "  selectors: tx rx msg qp=N qpn=N op=KIND+KIND service=rc|uc|ud dlid=N try=N..N p=PERCENT "
	       "nth=N skip=N count=N every=N by=TIME..TIME after=TIME for=TIME\n"
	       "docs/faults.md explains them. VERBENA_FAULTS_TRACE=FILE lists what was hit; the same seed "
	       "and program give the same list.\n\n"
	       "The same without this command: LD_PRELOAD=.../" LIBRARY
	       " PROGRAM, with VERBENA_HOST, "
	       "VERBENA_FABRIC, VERBENA_DEVICE_NAME, VERBENA_PERSONALITY, VERBENA_PROFILE and VERBENA_FAULTS.\n\n"
	       "A profile says which devices the host has, with names, numbers, ports and limits; "
	       "--name and --personality override it. Those that come with Verbena: mlx5, two-port, "
	       "tiny, no-srq, port-down. docs/profiles.md lists the keys.",
};

/* A file in one of two places seen from the program: as it is built; and as it is installed. */
static bool find_file(const char *const places[2], const char *name, const char *suffix, char *path,
		      size_t bytes)
{
	char program[PATH_MAX];
	const ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	if (n <= 0)
		return false;
	program[n] = 0;
	slash = strrchr(program, '/');
	slash[1] = 0;
	for (size_t i = 0; i < 2; i++) {
		const int length =
			snprintf(path, bytes, "%s%s%s%s", program, places[i], name, suffix);

		if (length > 0 && (size_t)length < bytes && !access(path, R_OK))
			return true;
	}
	return false;
}

bool cli_find_library(char *path, size_t bytes)
{
	static const char *const places[] = {"", VERBENA_LIB_FROM_BIN};

	return find_file(places, LIBRARY, "", path, bytes);
}

/* A file, or a name: the program may change its directory before it looks. */
static bool find_profile(const char *wanted, char *path)
{
	static const char *const places[] = {"../../profiles/",
					     VERBENA_DATA_FROM_BIN "verbena/profiles/"};

	if (realpath(wanted, path))
		return true;
	return !strchr(wanted, '/') && find_file(places, wanted, ".yaml", path, PATH_MAX);
}

/* Whether there is none, or a good one. */
static bool check_profile(void)
{
	const char *wanted = getenv("VERBENA_PROFILE"), *personality;
	static struct device_host_profile profile;
	char path[PATH_MAX], error[PROFILE_ERROR_BYTES];

	if (!wanted || !*wanted)
		return true;
	if (!find_profile(wanted, path)) {
		fprintf(stderr, "verbena run: there is no profile %s\n", wanted);
		return false;
	}
	personality = getenv("VERBENA_PERSONALITY");
	if (profile_load(path, personality && *personality ? personality : NULL, &profile, error,
			 sizeof(error))) {
		fprintf(stderr, "verbena run: %s\n", error);
		return false;
	}
	return !setenv("VERBENA_PROFILE", path, 1);
}

static bool set_preload(const char *first, const char *second)
{
	char *value;
	bool done;

	if (!second || !*second)
		return !setenv("LD_PRELOAD", first, 1);
	if (asprintf(&value, "%s:%s", first, second) < 0)
		return false;
	done = !setenv("LD_PRELOAD", value, 1);
	free(value);
	return done;
}

/*
 * In front of what is there already, but behind a sanitizer's runtime, which must be first: the program's,
 * or our library's if it was built with one.
 */
static bool preload(const char *library, const char *program)
{
	static const char *const runtimes[] = {"libasan.so", "libtsan.so", "libhwasan.so"};
	const char *before = getenv("LD_PRELOAD");
	char runtime[NAME_MAX];

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (before && strstr(before, runtimes[i]))
			return set_preload(before, library);
		if (cli_find_needed(program, runtimes[i], runtime, sizeof(runtime)) ||
		    cli_find_needed(library, runtimes[i], runtime, sizeof(runtime)))
			return set_preload(library, before) &&
			       set_preload(runtime, getenv("LD_PRELOAD"));
	}
	return set_preload(library, before);
}

/* The program may have something else to do. */
static void warn_if_out_of_reach(const char *command)
{
	const char *why = cli_why_out_of_reach(command);

	if (why)
		fprintf(stderr,
			"verbena run: %s %s, so the loader preloads nothing into it, and it has no "
			"devices: run a copy without that, see verbena-run(1)\n",
			command, why);
}

int cli_run(int argc, char **argv)
{
	char library[PATH_MAX];
	char **command = NULL;

	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &command);
	if (!cli_find_library(library, sizeof(library))) {
		fprintf(stderr, "verbena run: there is no " LIBRARY " beside this program\n");
		return 126;
	}
	if (!check_profile())
		return 126;
	if (!preload(library, command[0])) {
		perror("verbena run");
		return 126;
	}
	warn_if_out_of_reach(command[0]);
	execvp(command[0], command);
	fprintf(stderr, "verbena run: %s: %s\n", command[0], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
