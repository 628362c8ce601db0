// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Events: counted always, told to a sink where one is set. */
#include "base/trace.h"

#include <stdio.h>

typedef void (*sink_fn)(void *ctx, enum base_trace_id id, const uint64_t arg[BASE_TRACE_ARGS]);

static const char *const names[] = {
#define X(label, text, ...) #label,
	TRACE_EVENTS(X)
#undef X
};

static uint64_t counts[BASE_TRACE_COUNT];
static sink_fn sink;
static void *sink_ctx;

void base_trace_set_sink(sink_fn fn, void *ctx)
{
	sink_ctx = ctx;
	__atomic_store_n(&sink, fn, __ATOMIC_RELEASE);
}

/* The list gives the types, so that each format meets the values it was written for. */
size_t base_trace_format(enum base_trace_id id, const uint64_t arg[BASE_TRACE_ARGS], char *text,
			 size_t bytes)
{
	const uint64_t *a = arg;
	int n = 0;

#define ARGS1(t1) (t1) a[0]
#define ARGS2(t1, t2) (t1) a[0], (t2)a[1]
#define ARGS3(t1, t2, t3) (t1) a[0], (t2)a[1], (t3)a[2]
#define ARGS4(t1, t2, t3, t4) (t1) a[0], (t2)a[1], (t3)a[2], (t4)a[3]
#define PICK(_1, _2, _3, _4, name, ...) name
#define ARGS(...) PICK(__VA_ARGS__, ARGS4, ARGS3, ARGS2, ARGS1)(__VA_ARGS__)
#define X(label, format, ...)                                                     \
	case BASE_TRACE_##label:                                                  \
		n = snprintf(text, bytes, #label ": " format, ARGS(__VA_ARGS__)); \
		break;
	switch (id) {
		TRACE_EVENTS(X)
	case BASE_TRACE_COUNT:
		break;
	}
#undef X
	return n > 0 ? (size_t)n : 0;
}

const char *base_trace_name(enum base_trace_id id)
{
	return names[id];
}

uint64_t base_trace_count(enum base_trace_id id)
{
	return __atomic_load_n(&counts[id], __ATOMIC_RELAXED);
}

void base_trace_hit(enum base_trace_id id, const uint64_t arg[BASE_TRACE_ARGS])
{
	sink_fn fn = __atomic_load_n(&sink, __ATOMIC_ACQUIRE);

	__atomic_fetch_add(&counts[id], 1, __ATOMIC_RELAXED);
	if (fn)
		fn(sink_ctx, id, arg);
}
