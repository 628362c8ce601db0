/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The harness is tested, too: it must refuse what it says it refuses. */
#include <stdlib.h>

#include "common/harness.h"

struct pair {
	void *a;
	void *b;
};

static void pair_free(struct pair *p)
{
	base_free(p->b);
	base_free(p->a);
	base_free(p);
}

/* Releases what it has when it fails; if it @leaks, not all of it. */
static struct pair *pair_new(bool leaks)
{
	struct pair *p = base_zalloc(sizeof(*p));

	if (!p)
		return NULL;
	p->a = base_zalloc(1);
	if (!p->a)
		goto free_p;
	p->b = base_zalloc(1);
	if (p->b)
		return p;
	if (!leaks)
		base_free(p->a);
free_p:
	base_free(p);
	return NULL;
}

static void two_pairs_in_a_loop(bool leaks)
{
	for (int i = 0; i < 3; i++) {
		struct pair *p, *q;

		p = pair_new(leaks);
		assert_non_null(p);
		q = pair_new(leaks);
		assert_non_null(q);
		pair_free(p);
		pair_free(q);
	}
}

static void sound(void **state)
{
	(void)state;
	two_pairs_in_a_loop(false);
}

static void leaky_call(void **state)
{
	(void)state;
	two_pairs_in_a_loop(true);
}

static void leaky_body(void **state)
{
	(void)state;
	base_zalloc(1);
}

static void copes(void **state)
{
	struct pair *p = pair_new(false);

	(void)state;
	if (p)
		pair_free(p);
}

static void copes_and_leaks(void **state)
{
	struct pair *p = pair_new(true);

	(void)state;
	if (p)
		pair_free(p);
}

static void crashes(void **state)
{
	char *block = base_zalloc(1);

	(void)state;
	if (!block)
		abort();
	base_free(block);
}

static void asserts_nonsense(void **state)
{
	(void)state;
	assert_int_equal(1, 2);
}

static void skips(void **state)
{
	(void)state;
	skip();
}

static int leaky_setup(void **state)
{
	*state = pair_new(true);
	return *state ? 0 : -1;
}

static int sound_setup(void **state)
{
	*state = pair_new(false);
	return *state ? 0 : -1;
}

static int sound_teardown(void **state)
{
	pair_free(*state);
	return 0;
}

static int bad_teardown(void **state)
{
	pair_free(*state);
	return -1;
}

static bool withstands(struct CMUnitTest test)
{
	bool skipped = false;

	return test_torture("torture", &test, true, &skipped) && !skipped;
}

static void test_torture__accepts_what_is_sound(void **state)
{
	(void)state;
	assert_true(withstands((struct CMUnitTest)cmocka_unit_test(sound)));
	assert_true(withstands((struct CMUnitTest)cmocka_unit_test(copes)));
	assert_true(withstands((struct CMUnitTest)cmocka_unit_test_setup_teardown(
		sound, sound_setup, sound_teardown)));
}

static void test_torture__refuses_leaks(void **state)
{
	(void)state;
	assert_false(withstands((struct CMUnitTest)cmocka_unit_test(leaky_call)));
	assert_false(withstands((struct CMUnitTest)cmocka_unit_test(leaky_body)));
	assert_false(withstands((struct CMUnitTest)cmocka_unit_test(copes_and_leaks)));
	assert_false(withstands((struct CMUnitTest)cmocka_unit_test_setup_teardown(
		sound, leaky_setup, sound_teardown)));
}

static void test_torture__refuses_crashes_and_failures(void **state)
{
	(void)state;
	assert_false(withstands((struct CMUnitTest)cmocka_unit_test(crashes)));
	assert_false(withstands((struct CMUnitTest)cmocka_unit_test(asserts_nonsense)));
	assert_false(withstands((struct CMUnitTest)cmocka_unit_test_setup_teardown(
		sound, sound_setup, bad_teardown)));
}

static void test_torture__tells_that_a_test_skips(void **state)
{
	const struct CMUnitTest test = cmocka_unit_test(skips);
	bool skipped = false;

	(void)state;
	assert_true(test_torture("torture", &test, true, &skipped));
	assert_true(skipped);
}

static void panic(void *arg)
{
	(void)arg;
	abort();
}

static void quiet(void *arg)
{
	(void)arg;
}

static void test_dies__only_by_abort(void **state)
{
	(void)state;
	assert_true(test_dies(panic, NULL));
	assert_false(test_dies(quiet, NULL));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_torture__accepts_what_is_sound),
		cmocka_unit_test(test_torture__refuses_leaks),
		cmocka_unit_test(test_torture__refuses_crashes_and_failures),
		cmocka_unit_test(test_torture__tells_that_a_test_skips),
		cmocka_unit_test(test_dies__only_by_abort),
	};

	return verbena_test_main(tests);
}
