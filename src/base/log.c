// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The log: one line a call, to stderr or to a sink. */
#include "base/log.h"

#include <linux/verbena_base.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/thread.h"

#define LEVEL_UNSET (-1)
#define LEVEL_WARNING 4
#define LEVEL_DEFAULT LEVEL_WARNING

static int threshold = LEVEL_UNSET;
static void (*sink)(void *ctx, int level, const char *line);
static void *sink_ctx;

void base_log_set_level(int level)
{
	__atomic_store_n(&threshold, level, __ATOMIC_RELAXED);
}

void base_log_set_sink(void (*fn)(void *ctx, int level, const char *line), void *ctx)
{
	sink_ctx = ctx;
	__atomic_store_n(&sink, fn, __ATOMIC_RELEASE);
}

static int level_wanted(void)
{
	static const char *const levels[] = {"0", "1", "2", "3", "4", "5", "6", "7", NULL};
	int level = __atomic_load_n(&threshold, __ATOMIC_RELAXED);

	if (level != LEVEL_UNSET)
		return level;
	level = base_environment_choice("VERBENA_LOG", levels);
	if (level < 0)
		level = LEVEL_DEFAULT;
	base_log_set_level(level);
	return level;
}

void base_log_init(void)
{
	(void)level_wanted();
}

/* Whoever has something to say may hold locks. */
static void print(const char *line)
{
	BASE_UNCANCELLED;

	fprintf(stderr, "verbena: %s\n", line);
}

void base_log(int level, const char *format, ...)
{
	void (*fn)(void *ctx, int level, const char *line);
	char line[512];
	va_list args;
	size_t n;

	if (level > level_wanted())
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	n = strlen(line);
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	fn = __atomic_load_n(&sink, __ATOMIC_ACQUIRE);
	if (fn)
		fn(sink_ctx, level, line);
	else
		print(line);
}

void base_warn(const char *file, int line, const char *condition)
{
	base_log(LEVEL_WARNING, "unexpected at %s:%d: %s", file, line, condition);
}
