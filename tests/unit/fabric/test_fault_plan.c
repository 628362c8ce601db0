// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The grammar of faults: what is understood, and where what is not goes wrong. */
#include "fabric/fault_plan.h"

#include <errno.h>
#include <string.h>

#include "common/test.h"

static struct fault_plan plan;
static struct fault_error error;

static const struct fault_rule *parse(const char *spec)
{
	if (fault_plan_parse(spec, &plan, &error))
		fail_msg("%s: column %u: %s", spec, error.column, error.text);
	return plan.rule;
}

static void fault_plan_parse__nothing(void **state)
{
	(void)state;
	parse("");
	assert_int_equal(plan.count, 0);
	parse(" ; ;;\n");
	assert_int_equal(plan.count, 0);
}

static void fault_plan_parse__several(void **state)
{
	const struct fault_rule *r =
		parse("seed=0x10; drop=2%, tx ;dup=0.5% ; delay=1.5us..2ms,rx;");

	(void)state;
	assert_int_equal(plan.seed, 16);
	assert_int_equal(plan.count, 3);
	assert_int_equal(r[0].action, FAULT_DROP);
	assert_int_equal(r[0].ppm, 20000);
	assert_int_equal(r[0].directions, FAULT_TX);
	assert_int_equal(r[0].column, 12);
	assert_int_equal(r[1].ppm, 5000);
	assert_int_equal(r[2].least_ns, 1500);
	assert_int_equal(r[2].most_ns, 2000000);
	assert_int_equal(r[2].ppm, FAULT_PPM);
}

static void fault_plan_parse__selectors(void **state)
{
	const struct fault_rule *r = parse(
		"rnr, p=10%, qp=3, qpn=0x101, op=send+write, service=rc+uc, dlid=5, try=1..4, "
		"skip=7, count=2, every=9, msg, after=1s, for=20ms");

	(void)state;
	assert_int_equal(r->directions, FAULT_RX);
	assert_int_equal(r->ppm, 100000);
	assert_int_equal(r->qp, 3);
	assert_int_equal(r->qpn, 0x101);
	assert_int_equal(r->kinds, FAULT_SEND | FAULT_WRITE);
	assert_int_equal(r->services, FAULT_RC | FAULT_UC);
	assert_int_equal(r->dlid, 5);
	assert_int_equal(r->try_first, 1);
	assert_int_equal(r->try_last, 4);
	assert_int_equal(r->skip, 7);
	assert_int_equal(r->count, 2);
	assert_int_equal(r->every, 9);
	assert_true(r->messages);
	assert_int_equal(r->after_ns, 1000000000);
	assert_int_equal(r->for_ns, 20000000);
	r = parse("drop, nth=5, try=2");
	assert_int_equal(r->skip, 4);
	assert_int_equal(r->count, 1);
	assert_int_equal(r->try_first, 2);
	assert_int_equal(r->try_last, 2);
}

static void fault_plan_parse__acts(void **state)
{
	const struct fault_rule *r =
		parse("down, after=1s; down, nth=9; event=device_fatal; fail=EINVAL, verb=reg_mr");

	(void)state;
	assert_false(r[0].on_packet);
	assert_false(fault_rule_is_of_packets(&r[0]));
	assert_true(fault_rule_is_of_packets(&r[1]));
	assert_int_equal(r[2].event, FAULT_EVENT_DEVICE_FATAL);
	assert_false(fault_rule_is_of_packets(&r[2]));
	assert_int_equal(r[3].error, -EINVAL);
	assert_int_equal(r[3].verb, FAULT_VERB_REG_MR);
	assert_false(fault_rule_is_of_packets(&r[3]));
}

/* Every wrong text, the column, and a word of the sentence. */
static void fault_plan_parse__says_where_and_why(void **state)
{
	static const struct {
		const char *spec;
		uint32_t column;
		const char *why;
	} wrong[] = {
		{"dropp=2%", 1, "'dropp' is not a fault"},
		{"drop=2%; =3", 10, "here should be a fault"},
		{"drop=2", 7, "here should be '%'"},
		{"drop=101%", 6, "at most 100"},
		{"drop=100.1%", 6, "more than 100%"},
		{"drop=x", 6, "here should be a number"},
		{"drop 2%", 6, "here should be ','"},
		{"drop,", 6, "here should be a selector"},
		{"drop, foo", 7, "'foo' is not a selector"},
		{"drop, tx, tx", 11, "said twice"},
		{"drop, qp", 9, "'qp' needs a value"},
		{"drop, qp=0", 10, "from 1 to"},
		{"drop, nth=99999999999999999999999", 11, "from 1 to"},
		{"drop, op=foo", 10, "'foo' is not a kind"},
		{"drop, op=send+", 15, "here should be a kind"},
		{"drop, service=xx", 15, "'xx' is not a service"},
		{"drop, try=3..1", 11, "ends before it begins"},
		{"drop, by=1us", 7, "'by' cannot be said of 'drop'"},
		{"drop, after=1h", 14, "'h' is not a unit"},
		{"drop, after=1", 14, "here should be a unit"},
		{"drop, after=3601s", 13, "more than an hour"},
		{"delay", 6, "'delay' needs a value"},
		{"delay=2us..1us", 7, "ends before it begins"},
		{"down=1", 5, "takes no value"},
		{"rnr, tx", 1, "the receiver's"},
		{"event=foo", 7, "'foo' is not an event"},
		{"event=cq_err", 1, "needs a packet"},
		{"fail=EFOO, verb=open", 6, "'EFOO' is not an errno"},
		{"fail=EIO", 1, "needs a verb"},
		{"fail=EIO, verb=fly", 16, "'fly' is not a verb"},
		{"fail=EIO, verb=open, tx", 22, "cannot be said of 'fail'"},
		{"seed", 5, "'seed' needs a value"},
	};

	(void)state;
	memset(&plan, 0x55, sizeof(plan));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct fault_plan before = plan;

		assert_int_equal(fault_plan_parse(wrong[i].spec, &plan, &error), -EINVAL);
		if (error.column != wrong[i].column || !strstr(error.text, wrong[i].why))
			fail_msg("%s: column %u: %s", wrong[i].spec, error.column, error.text);
		assert_memory_equal(&plan, &before, sizeof(plan));
	}
}

static void fault_plan_parse__limits(void **state)
{
	char spec[FAULT_SPEC_BYTES + 1];

	(void)state;
	memset(spec, ' ', sizeof(spec));
	spec[FAULT_SPEC_BYTES] = '\0';
	assert_int_equal(fault_plan_parse(spec, &plan, &error), -EINVAL);
	spec[FAULT_SPEC_BYTES - 1] = '\0';
	assert_int_equal(fault_plan_parse(spec, &plan, &error), 0);
	for (size_t i = 0; i < FAULT_RULES; i++)
		memcpy(spec + 5 * i, "drop;", 6);
	assert_int_equal(fault_plan_parse(spec, &plan, &error), 0);
	assert_int_equal(plan.count, FAULT_RULES);
	memcpy(spec + 5 * (size_t)FAULT_RULES, "drop", 5);
	assert_int_equal(fault_plan_parse(spec, &plan, &error), -EINVAL);
	assert_int_equal(error.column, 5 * FAULT_RULES + 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(fault_plan_parse__nothing),
	cmocka_unit_test(fault_plan_parse__several),
	cmocka_unit_test(fault_plan_parse__selectors),
	cmocka_unit_test(fault_plan_parse__acts),
	cmocka_unit_test(fault_plan_parse__says_where_and_why),
	cmocka_unit_test(fault_plan_parse__limits),
};

int main(void)
{
	return verbena_test_main(tests);
}
