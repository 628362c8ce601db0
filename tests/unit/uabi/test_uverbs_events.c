// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Pipes of events: order, overflow, and what is taken back. */
#include "uabi/uverbs_events.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/err.h>
#include <unistd.h>

#include "base/cause.h"
#include "common/test.h"
#include "uabi/file.h"

#define MANY 10000u /* more than a pipe holds */

struct channel {
	struct uverbs_events *events;
	int fd;
};

static int setup(void **state)
{
	static struct channel c;

	*state = &c;
	return uverbs_events_new(sizeof(u64), &c.events, &c.fd) ? -1 : 0;
}

static int teardown(void **state)
{
	struct channel *c = *state;

	uabi_fd_close(c->fd);
	uverbs_events_put(c->events);
	return 0;
}

static void raise_one(struct channel *c, u64 handle, u32 *raised)
{
	uverbs_events_raise(c->events, &handle, raised);
}

static u64 read_one(const struct channel *c)
{
	u64 handle;

	assert_int_equal(read(c->fd, &handle, sizeof(handle)), sizeof(handle));
	return handle;
}

static void assert_empty(const struct channel *c)
{
	u64 handle;

	assert_int_equal(fcntl(c->fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(read(c->fd, &handle, sizeof(handle)), -1);
	assert_int_equal(errno, EAGAIN);
}

static void uverbs_events_raise__reaches_the_program(void **state)
{
	struct channel *c = *state;
	u32 raised = 0;

	assert_int_equal(fcntl(c->fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(c->fd, F_GETFL) & O_NONBLOCK, 0);
	raise_one(c, 1, &raised);
	raise_one(c, 2, NULL);
	assert_int_equal(raised, 1);
	assert_int_equal(read_one(c), 1);
	assert_int_equal(read_one(c), 2);
	assert_empty(c);
}

static void uverbs_events_raise__keeps_what_the_pipe_cannot_hold(void **state)
{
	struct channel *c = *state;
	u32 raised = 0;

	for (u64 i = 0; i < MANY; i++)
		raise_one(c, i, &raised);
	assert_int_equal(raised, MANY);
	for (u64 i = 0; i < MANY; i++) {
		if (i % 1000 == 999) /* in a process the timer does it; here the next event */
			raise_one(c, MANY + i / 1000, &raised);
		assert_int_equal(read_one(c), i);
	}
}

static void uverbs_events_withdraw__counts_what_was_read(void **state)
{
	struct channel *c = *state;
	u32 one = 0, two = 0;

	raise_one(c, 1, &one);
	raise_one(c, 2, &two);
	raise_one(c, 1, &one);
	raise_one(c, 2, &two);
	assert_int_equal(read_one(c), 1);
	assert_int_equal(uverbs_events_withdraw(c->events, 1, NULL, one), 1);
	assert_int_equal(read_one(c), 2);
	assert_int_equal(read_one(c), 2);
	assert_empty(c);
	assert_int_equal(uverbs_events_withdraw(c->events, 2, NULL, two), 2);
	assert_int_equal(uverbs_events_withdraw(c->events, 3, NULL, 0), 0);
	assert_int_equal(uverbs_events_withdraw(NULL, 3, NULL, 1), 0);
}

static bool is_odd(const void *record)
{
	(void)record;
	return false;
}

static void uverbs_events_withdraw__leaves_what_another_kind_has_raised(void **state)
{
	struct channel *c = *state;
	u32 raised = 0;

	raise_one(c, 1, &raised);
	assert_int_equal(uverbs_events_withdraw(c->events, 1, is_odd, raised), 1);
	assert_int_equal(read_one(c), 1);
}

static void uverbs_events_raise__stops_when_the_program_has_closed(void **state)
{
	struct channel *c = *state;
	u32 raised = 0;

	uabi_fd_forget(c->fd);
	raise_one(c, 1, &raised);
	assert_int_equal(raised, 0);
}

static void uverbs_events_get__finds_it_by_its_descriptor(void **state)
{
	struct channel *c = *state;
	struct uverbs_events *events = uverbs_events_get(c->fd, sizeof(u64));

	assert_ptr_equal(events, c->events);
	uverbs_events_put(events);
	assert_int_equal(PTR_ERR(uverbs_events_get(c->fd, 16)), -EINVAL);
	assert_int_equal(PTR_ERR(uverbs_events_get(0, sizeof(u64))), -EINVAL);
	assert_string_equal(base_cause_name(base_cause_last()->id), "UVERBS_CHANNEL");
	uverbs_events_put(NULL);
}

/* A full pipe has no room for what is put back until a page of it is empty. */
static void uverbs_events_withdraw__keeps_the_order_of_a_full_pipe(void **state)
{
	struct channel *c = *state;
	u32 raised = 0, none = 0;

	for (u64 i = 0; i < MANY; i++)
		raise_one(c, i & 1 ? i : 0, i & 1 ? &none : &raised);
	assert_int_equal(uverbs_events_withdraw(c->events, 0, NULL, raised), 0);
	for (u64 i = 1; i < MANY; i += 2) {
		if (i % 1000 == 999)
			raise_one(c, MANY, &raised);
		assert_int_equal(read_one(c), i);
	}
}

#define WITH_CHANNEL(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
	WITH_CHANNEL(uverbs_events_raise__reaches_the_program),
	WITH_CHANNEL(uverbs_events_raise__keeps_what_the_pipe_cannot_hold),
	WITH_CHANNEL(uverbs_events_withdraw__counts_what_was_read),
	WITH_CHANNEL(uverbs_events_withdraw__leaves_what_another_kind_has_raised),
	WITH_CHANNEL(uverbs_events_withdraw__keeps_the_order_of_a_full_pipe),
	WITH_CHANNEL(uverbs_events_raise__stops_when_the_program_has_closed),
	WITH_CHANNEL(uverbs_events_get__finds_it_by_its_descriptor),
};

int main(void)
{
	return verbena_test_main(tests);
}
