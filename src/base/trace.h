/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The events that are worth a line. One list feeds the log, the counters and the tests: each event
 * of trace_events.h has a counter, and a sink (if one is set) gets its name and values.
 */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/trace_events.h"

enum base_trace_id {
#define X(name, format, ...) BASE_TRACE_##name,
	TRACE_EVENTS(X)
#undef X
		BASE_TRACE_COUNT
};

#define BASE_TRACE_ARGS 4

/**
 * base_trace_set_sink() - Who gets each event (the log, a test, the simulator's digest).
 * @fn: Called on the thread of the event, locks may be held; must not call back. NULL: nobody.
 * @ctx: Handed to @fn.
 */
void base_trace_set_sink(void (*fn)(void *ctx, enum base_trace_id id,
				    const uint64_t arg[BASE_TRACE_ARGS]),
			 void *ctx);

/** base_trace_format() - The line of an event: "name: values". Returns its length. */
size_t base_trace_format(enum base_trace_id id, const uint64_t arg[BASE_TRACE_ARGS], char *text,
			 size_t bytes);

/** base_trace_name() - Name of an event. */
const char *base_trace_name(enum base_trace_id id);

/** base_trace_count() - How often the event has happened in this process. */
uint64_t base_trace_count(enum base_trace_id id);

void base_trace_hit(enum base_trace_id id, const uint64_t arg[BASE_TRACE_ARGS]);

/** trace() - An event has happened: trace(rc_nak_sent, qpn, psn, syndrome). At most 4 integers. */
#define trace(name, ...) \
	base_trace_hit(BASE_TRACE_##name, (const uint64_t[BASE_TRACE_ARGS]){__VA_ARGS__})

#endif
