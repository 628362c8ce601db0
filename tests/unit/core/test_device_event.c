// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Events of devices and ports: handlers, their order, the cache first, and the end. */
#include <rdma/ib_cache.h>
#include <string.h>

#include "base/host.h"
#include "base/trace.h"
#include "common/fake_provider.h"
#include "common/test.h"

/* What handlers saw: one letter per call, the handler's own or its event's. */
static char seen[64];

struct handler {
	struct ib_event_handler ib;
	char letter;
	struct handler *to_remove;
	struct ib_device *to_unregister;
	int lmc_seen;
};

static void turn(void)
{
	while (base_host_turn(base_now_ns(), 10))
		;
}

static void on_event(struct ib_event_handler *ib, struct ib_event *event)
{
	struct handler *handler = container_of(ib, struct handler, ib);
	const size_t length = strlen(seen);
	u8 lmc = 0;

	seen[length] = handler->letter;
	if (!handler->letter)
		seen[length] = (char)('A' + (int)event->event);
	seen[length + 1] = '\0';
	if (!ib_get_cached_lmc(event->device, 1, &lmc))
		handler->lmc_seen = lmc;
	if (handler->to_remove)
		ib_unregister_event_handler(&handler->to_remove->ib);
	handler->to_remove = NULL;
	if (handler->to_unregister)
		ib_unregister_device(handler->to_unregister);
	handler->to_unregister = NULL;
}

static void add(struct handler *handler, struct fake_provider *fake, char letter)
{
	memset(handler, 0, sizeof(*handler));
	handler->letter = letter;
	INIT_IB_EVENT_HANDLER(&handler->ib, &fake->ib, on_event);
	ib_register_event_handler(&handler->ib);
}

static void dispatch(struct fake_provider *fake, enum ib_event_type type, u32 port)
{
	const struct ib_event event = {
		.device = &fake->ib,
		.element.port_num = port,
		.event = type,
	};

	ib_dispatch_event(&event);
}

static struct handler a, b;

static int setup(void **state)
{
	struct fake_provider *fake = fake_provider_new(NULL);

	if (!fake)
		return -1;
	seen[0] = '\0';
	add(&a, fake, 0);
	*state = fake;
	return 0;
}

static int teardown(void **state)
{
	ib_unregister_event_handler(&a.ib);
	fake_provider_free(*state);
	return base_host_idle() ? 0 : -1;
}

static void INIT_IB_EVENT_HANDLER__fills_in_device_and_function(void **state)
{
	struct ib_event_handler handler;

	INIT_IB_EVENT_HANDLER(&handler, *state, on_event);
	assert_ptr_equal(handler.device, *state);
	assert_ptr_equal(handler.handler, on_event);
	assert_true(list_empty(&handler.list));
}

static void ib_dispatch_event__runs_handlers_later_in_order(void **state)
{
	dispatch(*state, IB_EVENT_SM_CHANGE, 1);
	dispatch(*state, IB_EVENT_DEVICE_FATAL, 1);
	dispatch(*state, IB_EVENT_LID_CHANGE, 1);
	assert_string_equal(seen, "");
	turn();
	assert_int_equal(strlen(seen), 3);
	assert_int_equal(seen[0], 'A' + IB_EVENT_SM_CHANGE);
	assert_int_equal(seen[1], 'A' + IB_EVENT_DEVICE_FATAL);
	assert_int_equal(seen[2], 'A' + IB_EVENT_LID_CHANGE);
}

static void ib_dispatch_event__refreshes_the_cache_first(void **state)
{
	static const enum ib_event_type types[] = {
		IB_EVENT_PORT_ERR,    IB_EVENT_PORT_ACTIVE,	  IB_EVENT_LID_CHANGE,
		IB_EVENT_PKEY_CHANGE, IB_EVENT_CLIENT_REREGISTER,
	};
	struct fake_provider *fake = *state;

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		seen[0] = '\0';
		fake->lmc = (u8)(i + 1);
		dispatch(fake, types[i], 1);
		turn();
		assert_int_equal(strlen(seen), 1);
		assert_int_equal(seen[0], 'A' + types[i]);
		assert_int_equal(a.lmc_seen, i + 1);
	}
}

static void ib_dispatch_event__others_leave_the_cache_alone(void **state)
{
	struct fake_provider *fake = *state;
	const unsigned int asked = fake->called[FAKE_QUERY_PORT];

	fake->lmc = 3;
	dispatch(fake, IB_EVENT_SM_CHANGE, 1);
	turn();
	assert_int_equal(fake->called[FAKE_QUERY_PORT], asked);
	assert_int_equal(a.lmc_seen, 0);
}

static void ib_dispatch_event__gid_change_once_per_changed_entry(void **state)
{
	struct fake_provider *fake = *state;
	union ib_gid gid;

	dispatch(fake, IB_EVENT_GID_CHANGE, 1);
	turn();
	assert_string_equal(seen, "");

	fake->gids[0][1].raw[15] ^= 0xff;
	fake->gids[0][2].raw[15] ^= 0xff;
	dispatch(fake, IB_EVENT_GID_CHANGE, 1);
	turn();
	assert_int_equal(strlen(seen), 2);
	assert_int_equal(seen[0], 'A' + IB_EVENT_GID_CHANGE);
	assert_int_equal(seen[1], 'A' + IB_EVENT_GID_CHANGE);
	assert_int_equal(rdma_query_gid(&fake->ib, 1, 2, &gid), 0);
	assert_memory_equal(&gid, &fake->gids[0][2], sizeof(gid));
}

static void ib_dispatch_event__nobody_hears_of_what_could_not_be_read(void **state)
{
	struct fake_provider *fake = *state;

	fake->fail[FAKE_QUERY_PORT] = -EIO;
	dispatch(fake, IB_EVENT_LID_CHANGE, 1);
	dispatch(fake, IB_EVENT_LID_CHANGE, 99);
	turn();
	assert_string_equal(seen, "");
}

static void ib_dispatch_event__after_removal_is_dropped(void **state)
{
	struct fake_provider *fake = *state;
	const uint64_t lost = base_trace_count(BASE_TRACE_core_event_lost);

	ib_unregister_device(&fake->ib);
	dispatch(fake, IB_EVENT_SM_CHANGE, 1);
	turn();
	assert_string_equal(seen, "");
	assert_int_equal(base_trace_count(BASE_TRACE_core_event_lost), lost + 1);
}

static void ib_register_event_handler__in_order_of_registration(void **state)
{
	a.letter = 'a';
	add(&b, *state, 'b');
	dispatch(*state, IB_EVENT_SM_CHANGE, 1);
	turn();
	ib_unregister_event_handler(&b.ib);
	assert_string_equal(seen, "ab");
}

static void ib_unregister_event_handler__is_not_called_any_more(void **state)
{
	a.letter = 'a';
	add(&b, *state, 'b');
	dispatch(*state, IB_EVENT_SM_CHANGE, 1);
	ib_unregister_event_handler(&a.ib);
	turn();
	ib_unregister_event_handler(&b.ib);
	assert_string_equal(seen, "b");
	dispatch(*state, IB_EVENT_SM_CHANGE, 1);
	turn();
	assert_string_equal(seen, "b");
}

static void ib_unregister_event_handler__the_next_one_from_a_handler(void **state)
{
	struct handler c;

	a.letter = 'a';
	add(&b, *state, 'b');
	add(&c, *state, 'c');
	a.to_remove = &b;
	dispatch(*state, IB_EVENT_SM_CHANGE, 1);
	turn();
	ib_unregister_event_handler(&c.ib);
	assert_string_equal(seen, "ac");
}

static void ib_unregister_event_handler__itself_from_a_handler(void **state)
{
	a.letter = 'a';
	a.to_remove = &a;
	add(&b, *state, 'b');
	dispatch(*state, IB_EVENT_SM_CHANGE, 1);
	dispatch(*state, IB_EVENT_SM_CHANGE, 1);
	turn();
	ib_unregister_event_handler(&b.ib);
	assert_string_equal(seen, "abb");
}

static void ib_unregister_event_handler__after_the_device_is_gone(void **state)
{
	fake_provider_free(*state);
	*state = NULL;
	ib_unregister_event_handler(&a.ib);
	assert_null(a.ib.device);
}

static void ib_unregister_device__hands_out_what_is_queued(void **state)
{
	struct fake_provider *fake = *state;

	dispatch(fake, IB_EVENT_SM_CHANGE, 1);
	ib_unregister_device(&fake->ib);
	assert_int_equal(strlen(seen), 1);
	turn();
	assert_int_equal(strlen(seen), 1);
}

static void ib_unregister_device__from_a_handler(void **state)
{
	struct fake_provider *fake = *state;

	a.letter = 'a';
	a.to_unregister = &fake->ib;
	add(&b, fake, 'b');
	dispatch(fake, IB_EVENT_SM_CHANGE, 1);
	dispatch(fake, IB_EVENT_SM_CHANGE, 1);
	turn();
	ib_unregister_event_handler(&b.ib);
	assert_string_equal(seen, "a");
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(INIT_IB_EVENT_HANDLER__fills_in_device_and_function),
	T(ib_dispatch_event__runs_handlers_later_in_order),
	T(ib_dispatch_event__refreshes_the_cache_first),
	T(ib_dispatch_event__others_leave_the_cache_alone),
	T(ib_dispatch_event__gid_change_once_per_changed_entry),
	T(ib_dispatch_event__nobody_hears_of_what_could_not_be_read),
	T(ib_dispatch_event__after_removal_is_dropped),
	T(ib_register_event_handler__in_order_of_registration),
	T(ib_unregister_event_handler__is_not_called_any_more),
	T(ib_unregister_event_handler__the_next_one_from_a_handler),
	T(ib_unregister_event_handler__itself_from_a_handler),
	T(ib_unregister_event_handler__after_the_device_is_gone),
	T(ib_unregister_device__hands_out_what_is_queued),
	T(ib_unregister_device__from_a_handler),
};

int main(void)
{
	return verbena_test_main(tests);
}
