/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The program `verbena`: its commands, and what they share. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct cli_command - One word after `verbena`.
 * @name: The word.
 * @summary: A line for --help.
 * @run: Its main(); argv[0] is "verbena NAME". Returns the exit status: 0 well, 1 it failed,
 *	2 the words were wrong.
 */
struct cli_command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int cli_demo(int argc, char **argv);
int cli_sim(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_status(int argc, char **argv);
int cli_topo(int argc, char **argv);
int cli_fabric(int argc, char **argv);

/** cli_progress() - Show how far a long job is, on a terminal only. @done, @all: Of @what. */
void cli_progress(const char *what, uint64_t done, uint64_t all);

/** cli_progress_end() - Wipe that line. */
void cli_progress_end(void);

/** cli_colour() - Start (an SGR number) or end (0) a colour, where @out is a terminal. */
void cli_colour(FILE *out, int sgr);

/** cli_help - Child of every command's argp: -h is --help, too. */
extern const struct argp_child cli_help[];

/**
 * cli_print_json() - Print a document and a newline, and give it back.
 * @document: The only reference is taken over.
 */
void cli_print_json(json_t *document);

/** cli_read_json() - What a daemon has sent. @fd: A file; it is closed. Return: The caller's; NULL: it makes no sense. */
json_t *cli_read_json(int fd);

/** cli_number() - Read @text, decimal digits only, from @least to @most. False if it is none. */
bool cli_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/** cli_seconds() - The monotonic clock. */
double cli_seconds(void);

/** cli_find_library() - Where our library for stock programs is. False if it is not here. */
bool cli_find_library(char *path, size_t bytes);

#endif
