/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What verbena bench --stock runs: stock programs on our devices, and what they are compared with. */
#ifndef CLI_STOCK_H
#define CLI_STOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define STOCK_WORDS 16u

/**
 * struct stock_source - Where a figure comes from.
 * @name: What it is.
 * @measure: Once. Returns 0 and the value, or -1 after a complaint.
 * @words: Program and arguments, ended by NULL; for programs with two ends.
 * @column: Of the report, from 0.
 * @scale: What that is multiplied by.
 * @unit: Then.
 * @bytes: Of a copy.
 * @is_less_better: Of several ways.
 */
struct stock_source {
	const char *name;
	int (*measure)(const struct stock_source *source, double *value);
	const char *words[STOCK_WORDS];
	unsigned int column;
	double scale;
	const char *unit;
	size_t bytes;
	bool is_less_better;
};

/**
 * struct stock - A comparison, taken within one round.
 * @ours: What is measured.
 * @anchor: What it is a ratio to; NULL if @ours is the value itself.
 */
struct stock {
	const struct stock_source *ours;
	const struct stock_source *anchor;
};

/**
 * stock_measure() - One round: the anchor, then ours.
 * @stock: What.
 * @ours: Out.
 * @anchor: Out; 1 where there is none.
 *
 * Return: 0 or -1, after a complaint.
 */
int stock_measure(const struct stock *stock, double *ours, double *anchor);

/** stock_pin() - Keep this process on the first (0) or second (1) processor that it may use. */
void stock_pin(unsigned int which);

/** stock_program() - The path of this program. */
const char *stock_program(void);

/* Measure functions. Two processes, each on a processor of its own, where there are two ends. */
int stock_perftest(const struct stock_source *source, double *value);
int stock_ucx(const struct stock_source *source, double *value);
int stock_cma_call(const struct stock_source *source, double *value);
int stock_cma_read(const struct stock_source *source, double *value);
int stock_cma_write(const struct stock_source *source, double *value);
int stock_eventfd_wake(const struct stock_source *source, double *value);
int stock_start(const struct stock_source *source, double *value);
int stock_untouched(const struct stock_source *source, double *value);

/**
 * stock_first_post() - Be a program that opens a device, connects a QP to itself and posts a SEND.
 *
 * Prints when that was, or when it turned out that there is no device: ns of the monotonic clock.
 *
 * Return: Exit status.
 */
int stock_first_post(void);

#endif
