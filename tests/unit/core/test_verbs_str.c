/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <string.h>

#include "common/core_fixture.h"

static void ib_wc_status_msg__has_a_text_of_its_own_for_each_status(void **state)
{
	(void)state;
	for (unsigned int a = IB_WC_SUCCESS; a <= IB_WC_GENERAL_ERR; a++) {
		assert_non_null(ib_wc_status_msg((enum ib_wc_status)a));
		assert_string_not_equal(ib_wc_status_msg((enum ib_wc_status)a),
					"unrecognized status");
		for (unsigned int b = 0; b < a; b++)
			assert_string_not_equal(ib_wc_status_msg((enum ib_wc_status)a),
						ib_wc_status_msg((enum ib_wc_status)b));
	}
	assert_non_null(strstr(ib_wc_status_msg(IB_WC_WR_FLUSH_ERR), "flush"));
}

static void ib_wc_status_msg__knows_no_others(void **state)
{
	(void)state;
	assert_string_equal(ib_wc_status_msg((enum ib_wc_status)22), "unrecognized status");
	assert_string_equal(ib_wc_status_msg((enum ib_wc_status) - 1), "unrecognized status");
}

static void ib_event_msg__has_a_text_of_its_own_for_each_event(void **state)
{
	(void)state;
	for (unsigned int a = IB_EVENT_CQ_ERR; a <= IB_EVENT_GID_CHANGE; a++) {
		assert_string_not_equal(ib_event_msg((enum ib_event_type)a), "unrecognized event");
		for (unsigned int b = 0; b < a; b++)
			assert_string_not_equal(ib_event_msg((enum ib_event_type)a),
						ib_event_msg((enum ib_event_type)b));
	}
	assert_non_null(strstr(ib_event_msg(IB_EVENT_SQ_DRAINED), "drained"));
}

static void ib_event_msg__knows_no_others(void **state)
{
	(void)state;
	assert_string_equal(ib_event_msg(IB_EVENT_WQ_FATAL), "unrecognized event");
	assert_string_equal(ib_event_msg((enum ib_event_type)99), "unrecognized event");
	assert_string_equal(ib_event_msg((enum ib_event_type) - 1), "unrecognized event");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ib_wc_status_msg__has_a_text_of_its_own_for_each_status),
	cmocka_unit_test(ib_wc_status_msg__knows_no_others),
	cmocka_unit_test(ib_event_msg__has_a_text_of_its_own_for_each_event),
	cmocka_unit_test(ib_event_msg__knows_no_others),
};

int main(void)
{
	return verbena_test_main(tests);
}
