// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Timers under a crank that the test turns. */
#include "base/timer.h"

#include <stdlib.h>

#include "base/host.h"
#include "common/test.h"

static uint64_t now_ns; /* goes on over the tests: the crank's time never goes back */
static unsigned int fired;
static struct base_timer *order[64];

static void note(struct base_timer *timer)
{
	order[fired++ % 64] = timer;
}

static void turn(uint64_t by_ns)
{
	now_ns += by_ns;
	base_host_turn(now_ns, 1000);
}

static int setup(void **state)
{
	(void)state;
	if (now_ns < base_now_ns())
		now_ns = base_now_ns();
	turn(1);
	fired = 0;
	return 0;
}

static void base_timer_arm__fires_after_its_delay(void **state)
{
	struct base_timer t;

	(void)state;
	base_timer_init(&t, note);
	assert_false(base_timer_arm(&t, 100));
	assert_int_equal(base_host_deadline_ns(), 0);
	turn(0);
	assert_int_equal(base_host_deadline_ns(), now_ns + 100);
	turn(99);
	assert_int_equal(fired, 0);
	assert_true(base_timer_is_armed(&t));
	turn(1);
	assert_int_equal(fired, 1);
	assert_false(base_timer_is_armed(&t));
	turn(1000);
	assert_int_equal(fired, 1);
}

static void base_timer_arm__again_fires_between_one_and_two_delays(void **state)
{
	struct base_timer t;

	(void)state;
	base_timer_init(&t, note);
	base_timer_arm(&t, 100);
	turn(0);
	turn(60);
	assert_true(base_timer_arm(&t, 100));
	turn(99); /* old time, and 99 after it was armed again */
	assert_int_equal(fired, 0);
	turn(100);
	assert_int_equal(fired, 1);
}

static void base_timer_arm__shorter_delay_takes_effect(void **state)
{
	struct base_timer t;

	(void)state;
	base_timer_init(&t, note);
	base_timer_arm(&t, 1000000);
	turn(0);
	base_timer_arm(&t, 10);
	turn(0);
	turn(10);
	assert_int_equal(fired, 1);
}

static void base_timer_disarm__does_not_fire(void **state)
{
	struct base_timer t;

	(void)state;
	base_timer_init(&t, note);
	assert_false(base_timer_disarm(&t));
	base_timer_arm(&t, 10);
	turn(0);
	assert_true(base_timer_disarm(&t));
	assert_true(base_host_idle());
	turn(10);
	assert_int_equal(fired, 0);
	/* And works afterwards. */
	base_timer_arm(&t, 10);
	turn(0);
	turn(10);
	assert_int_equal(fired, 1);
}

static void base_timer_remove__leaves_no_trace(void **state)
{
	struct base_timer *t = base_zalloc(sizeof(*t));

	(void)state;
	assert_non_null(t);
	base_timer_init(t, note);
	assert_false(base_timer_remove(t));
	base_timer_arm(t, 10);
	assert_true(base_timer_remove(t)); /* not stamped yet */
	base_timer_arm(t, 10);
	turn(0);
	assert_true(base_timer_disarm(t));
	assert_false(base_timer_remove(t)); /* disarmed, but still in the heap */
	base_free(t);
	turn(100);
	assert_int_equal(fired, 0);
	assert_int_equal(base_host_deadline_ns(), UINT64_MAX);
}

static void base_timer_disarm_sync__leaves_no_trace(void **state)
{
	struct base_timer *t = base_zalloc(sizeof(*t));

	(void)state;
	assert_non_null(t);
	base_timer_init(t, note);
	base_timer_arm(t, 10);
	turn(0);
	assert_true(base_timer_disarm_sync(t));
	base_free(t);
	turn(100);
	assert_int_equal(fired, 0);
	assert_int_equal(base_host_deadline_ns(), UINT64_MAX);
}

static void base_timers_fire_one__earliest_first_then_as_armed(void **state)
{
	struct base_timer t[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		base_timer_init(&t[i], note);
	base_timer_arm(&t[0], 50);
	base_timer_arm(&t[1], 20);
	base_timer_arm(&t[2], 50);
	base_timer_arm(&t[3], 10);
	turn(0);
	turn(100);
	assert_int_equal(fired, 4);
	assert_ptr_equal(order[0], &t[3]);
	assert_ptr_equal(order[1], &t[1]);
	assert_ptr_equal(order[2], &t[0]);
	assert_ptr_equal(order[3], &t[2]);
}

static void rearm(struct base_timer *timer)
{
	if (++fired < 5)
		base_timer_arm(timer, 10);
}

static void base_timer_arm__from_its_own_function(void **state)
{
	struct base_timer t;

	(void)state;
	base_timer_init(&t, rearm);
	base_timer_arm(&t, 10);
	turn(0);
	for (int i = 0; i < 8; i++)
		turn(10);
	assert_int_equal(fired, 5);
}

/* Against a plain array: thousands of arms, disarms and turns. */
static void base_timers__agree_with_a_model(void **state)
{
	enum { N = 50 };
	static struct base_timer t[N];
	unsigned int seed = 12345;

	(void)state;
	for (int i = 0; i < N; i++)
		base_timer_init(&t[i], note);
	for (int step = 0; step < 5000; step++) {
		struct base_timer *one = &t[(unsigned int)rand_r(&seed) % N];
		uint64_t latest = 0;

		switch (rand_r(&seed) % 4) {
		case 0:
		case 1:
			base_timer_arm(one, (uint64_t)rand_r(&seed) % 1000);
			break;
		case 2:
			base_timer_disarm(one);
			break;
		default:
			fired = 0;
			turn((uint64_t)rand_r(&seed) % 300);
			for (unsigned int i = 0; i < fired && i < 64; i++) {
				assert_true(order[i]->deadline_ns >= latest);
				assert_true(order[i]->deadline_ns <= now_ns);
				latest = order[i]->deadline_ns;
			}
			break;
		}
	}
	for (int i = 0; i < N; i++)
		base_timer_disarm_sync(&t[i]);
	assert_int_equal(base_host_deadline_ns(), UINT64_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(base_timer_arm__fires_after_its_delay, setup),
	cmocka_unit_test_setup(base_timer_arm__again_fires_between_one_and_two_delays, setup),
	cmocka_unit_test_setup(base_timer_arm__shorter_delay_takes_effect, setup),
	cmocka_unit_test_setup(base_timer_disarm__does_not_fire, setup),
	cmocka_unit_test_setup(base_timer_remove__leaves_no_trace, setup),
	cmocka_unit_test_setup(base_timer_disarm_sync__leaves_no_trace, setup),
	cmocka_unit_test_setup(base_timers_fire_one__earliest_first_then_as_armed, setup),
	cmocka_unit_test_setup(base_timer_arm__from_its_own_function, setup),
	cmocka_unit_test_setup(base_timers__agree_with_a_model, setup),
};

int main(void)
{
	return verbena_test_main(tests);
}
