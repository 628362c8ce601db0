// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Events: counted, formatted, handed to the sink. */
#include "base/trace.h"

#include <string.h>

#include "common/test.h"

static char line[128];

static void take(void *ctx, enum base_trace_id id, const uint64_t arg[BASE_TRACE_ARGS])
{
	assert_ptr_equal(ctx, line);
	base_trace_format(id, arg, line, sizeof(line));
}

static void trace__counts_and_tells(void **state)
{
	const uint64_t before = base_trace_count(BASE_TRACE_rc_nak_sent);

	(void)state;
	base_trace_set_sink(take, line);
	trace(rc_nak_sent, 0x12, 0xfffffe, 0x60);
	base_trace_set_sink(NULL, NULL);
	trace(rc_nak_sent, 1, 2, 3);
	assert_string_equal(line, "rc_nak_sent: qpn 000012 psn fffffe syndrome 60");
	assert_int_equal(base_trace_count(BASE_TRACE_rc_nak_sent), before + 2);
}

static void base_trace_name__every_event(void **state)
{
	const uint64_t arg[BASE_TRACE_ARGS] = {0};

	(void)state;
	for (unsigned int id = 0; id < BASE_TRACE_COUNT; id++) {
		const char *name = base_trace_name((enum base_trace_id)id);

		assert_true(base_trace_format((enum base_trace_id)id, arg, line, sizeof(line)) > 0);
		assert_memory_equal(line, name, strlen(name));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(trace__counts_and_tells),
	cmocka_unit_test(base_trace_name__every_event),
};

int main(void)
{
	return verbena_test_main(tests);
}
