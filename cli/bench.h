/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What verbena bench measures. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include <stdbool.h>

/**
 * struct bench - One figure.
 * @name: For the command line.
 * @unit: Of the value.
 * @target: What the value shall reach.
 * @at_most: It shall not exceed @target, instead.
 * @measure: One round. Returns 0 and the value, or -1.
 */
struct bench {
	const char *name;
	const char *unit;
	double target;
	bool at_most;
	int (*measure)(double *value);
};

extern const struct bench bench_table[];
extern const unsigned int bench_count;

#endif
