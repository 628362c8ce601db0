/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What verbena bench measures. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <stdbool.h>

struct stock;

/**
 * struct bench - One figure.
 * @name: For the command line.
 * @unit: Of the value.
 * @target: What the value shall reach.
 * @at_most: It shall not exceed @target, instead.
 * @measure: One round. Returns 0 and the value, or -1.
 * @stock: Instead of @measure: stock programs, and what they are compared with.
 */
struct bench {
	const char *name;
	const char *unit;
	double target;
	bool at_most;
	int (*measure)(double *value);
	const struct stock *stock;
};

/* Inside this process. */
extern const struct bench bench_table[];
extern const unsigned int bench_count;

/* Of management: verbena bench --mad. */
extern const struct bench bench_mad_table[];
extern const unsigned int bench_mad_count;

/* Of stock programs: verbena bench --stock. */
extern const struct bench bench_stock_table[];
extern const unsigned int bench_stock_count;

/* Of subnets: seconds of a processor until 931 nodes are up, and 9,472; MiB of the latter; KiB a port; seconds to load. */
int bench_subnet_small(double *value);
int bench_subnet_large(double *value);
int bench_subnet_memory(double *value);
int bench_subnet_port(double *value);
int bench_subnet_load(double *value);

/** bench_sort() - Least first. @value: So many as @count says. */
void bench_sort(double *value, unsigned int count);

#endif
