// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Clients: who is told of which device, in which order, and what they keep there. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "base/cause.h"
#include "base/host.h"
#include "common/fake_provider.h"
#include "common/test.h"

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

static char calls[256];
static void *removed_data;
static int add_result;

static void note(const char *what, const char *who, const struct ib_device *device)
{
	const size_t length = strlen(calls);

	snprintf(calls + length, sizeof(calls) - length, "%s%s %s", who, what, device->name);
	strncat(calls, ";", sizeof(calls) - strlen(calls) - 1);
}

static struct ib_client client_a, client_b;

static int add_a(struct ib_device *device)
{
	note("+", "a", device);
	if (!add_result)
		ib_set_client_data(device, &client_a, calls);
	return add_result;
}

static void remove_a(struct ib_device *device, void *data)
{
	removed_data = data;
	note("-", "a", device);
}

static int add_b(struct ib_device *device)
{
	note("+", "b", device);
	return 0;
}

static void remove_b(struct ib_device *device, void *data)
{
	removed_data = data;
	note("-", "b", device);
}

static struct ib_client client_a = {.name = "a", .add = add_a, .remove = remove_a};
static struct ib_client client_b = {.name = "b", .add = add_b, .remove = remove_b};
static struct ib_client client_bare = {.name = "bare", .no_kverbs_req = 1};

static int setup(void **state)
{
	calls[0] = '\0';
	removed_data = NULL;
	add_result = 0;
	*state = fake_provider_new(NULL);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	ib_unregister_client(&client_bare);
	ib_unregister_client(&client_b);
	ib_unregister_client(&client_a);
	fake_provider_free(*state);
	return base_host_idle() ? 0 : -1;
}

static void ib_register_client__is_shown_each_device(void **state)
{
	struct fake_provider *other = fake_provider_new(NULL);
	int ret;

	(void)state;
	assert_non_null(other);
	ret = ib_register_client(&client_a);
	if (ret) {
		ib_unregister_device(&other->ib);
		ib_dealloc_device(&other->ib);
	}
	assert_int_equal(ret, 0);
	assert_string_equal(calls, "a+ fake0;a+ fake1;");
	fake_provider_free(other);
	assert_string_equal(calls, "a+ fake0;a+ fake1;a- fake1;");
}

static void ib_register_client__later_devices_in_order_of_registration(void **state)
{
	struct fake_provider *other;

	(void)state;
	assert_int_equal(ib_register_client(&client_b), 0);
	assert_int_equal(ib_register_client(&client_a), 0);
	other = fake_provider_new(NULL);
	assert_non_null(other);
	fake_provider_free(other);
	assert_string_equal(calls, "b+ fake0;a+ fake0;b+ fake1;a+ fake1;a- fake1;b- fake1;");
}

static void ib_register_client__a_failed_add_is_not_removed(void **state)
{
	struct fake_provider *fake = *state;

	add_result = -EIO;
	assert_int_equal(ib_register_client(&client_a), 0);
	assert_null(ib_get_client_data(&fake->ib, &client_a));
	assert_int_equal(refcount_read(&fake->ib.refcount), 1);
	ib_unregister_client(&client_a);
	assert_string_equal(calls, "a+ fake0;");
}

static void ib_register_client__twice_is_refused(void **state)
{
	(void)state;
	assert_int_equal(ib_register_client(&client_a), 0);
	assert_int_equal(ib_register_client(&client_a), -EBUSY);
	assert_cause(CLIENT_REGISTERED);
	assert_string_equal(calls, "a+ fake0;");
}

static void ib_register_client__only_devices_with_kernel_verbs(void **state)
{
	struct fake_provider *fake = *state;

	fake->ib.kverbs_provider = 0;
	assert_int_equal(ib_register_client(&client_a), 0);
	assert_string_equal(calls, "");
	client_b.no_kverbs_req = 1;
	assert_int_equal(ib_register_client(&client_b), 0);
	client_b.no_kverbs_req = 0;
	assert_string_equal(calls, "b+ fake0;");
}

static void ib_register_client__without_callbacks(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_client(&client_bare), 0);
	ib_set_client_data(&fake->ib, &client_bare, &calls);
	assert_ptr_equal(ib_get_client_data(&fake->ib, &client_bare), &calls);
}

static void ib_unregister_client__is_removed_from_each_device(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_client(&client_a), 0);
	ib_unregister_client(&client_a);
	assert_string_equal(calls, "a+ fake0;a- fake0;");
	assert_ptr_equal(removed_data, calls);
	assert_null(ib_get_client_data(&fake->ib, &client_a));
	assert_int_equal(refcount_read(&fake->ib.refcount), 1);
	ib_unregister_client(&client_a);
	assert_string_equal(calls, "a+ fake0;a- fake0;");
}

static void ib_set_client_data__error_pointers_become_null(void **state)
{
	struct fake_provider *fake = *state;

	assert_int_equal(ib_register_client(&client_a), 0);
	assert_ptr_equal(ib_get_client_data(&fake->ib, &client_a), calls);
	ib_set_client_data(&fake->ib, &client_a, ERR_PTR(-EIO));
	assert_null(ib_get_client_data(&fake->ib, &client_a));
}

static void ib_get_client_data__is_per_client_and_device(void **state)
{
	struct fake_provider *fake = *state;
	int b_data;

	assert_null(ib_get_client_data(&fake->ib, &client_a));
	assert_int_equal(ib_register_client(&client_a), 0);
	assert_int_equal(ib_register_client(&client_b), 0);
	ib_set_client_data(&fake->ib, &client_b, &b_data);
	assert_ptr_equal(ib_get_client_data(&fake->ib, &client_a), calls);
	assert_ptr_equal(ib_get_client_data(&fake->ib, &client_b), &b_data);
	ib_unregister_client(&client_b);
	assert_ptr_equal(removed_data, &b_data);
}

/* A remove() that runs in one thread while another unregisters the client. */
static int slow_step;

static void slow_remove(struct ib_device *device, void *data)
{
	(void)device;
	(void)data;
	__atomic_store_n(&slow_step, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < 1000; i++)
		sched_yield();
	__atomic_store_n(&slow_step, 2, __ATOMIC_SEQ_CST);
}

static void *unregister_device(void *device)
{
	ib_unregister_device(device);
	return NULL;
}

static void ib_unregister_client__waits_for_a_remove_elsewhere(void **state)
{
	struct ib_client slow = {.name = "slow", .remove = slow_remove};
	struct fake_provider *fake = *state;
	pthread_t thread;

	slow_step = 0;
	assert_int_equal(ib_register_client(&slow), 0);
	assert_int_equal(pthread_create(&thread, NULL, unregister_device, &fake->ib), 0);
	while (!__atomic_load_n(&slow_step, __ATOMIC_SEQ_CST))
		sched_yield();
	ib_unregister_client(&slow);
	assert_int_equal(__atomic_load_n(&slow_step, __ATOMIC_SEQ_CST), 2);
	pthread_join(thread, NULL);
}

/* In the simulated world a callback that waits runs others on the same thread. */
static bool nested_ok;

static void look_around(struct work_struct *work)
{
	struct ib_device *found = ib_device_get_by_name("fake0", RDMA_DRIVER_UNKNOWN);

	(void)work;
	if (found)
		ib_device_put(found);
	nested_ok = !ib_register_client(&client_b);
}

static bool is_nested_ok(void *arg)
{
	(void)arg;
	return nested_ok;
}

static void waiting_remove(struct ib_device *device, void *data)
{
	struct work_struct work;

	(void)device;
	(void)data;
	INIT_WORK(&work, look_around);
	schedule_work(&work);
	base_wait_until(is_nested_ok, NULL, 1000);
}

static void ib_unregister_device__remove_may_wait_while_others_register(void **state)
{
	struct ib_client waiting = {.name = "waiting", .remove = waiting_remove};
	struct fake_provider *fake = *state;
	int ret;

	nested_ok = false;
	ret = ib_register_client(&waiting);
	assert_int_equal(ret, 0);
	ib_unregister_device(&fake->ib);
	ib_unregister_client(&waiting);
	assert_true(nested_ok);
	assert_string_equal(calls, "");
}

static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	T(ib_register_client__is_shown_each_device),
	T(ib_register_client__later_devices_in_order_of_registration),
	T(ib_register_client__a_failed_add_is_not_removed),
	T(ib_register_client__twice_is_refused),
	T(ib_register_client__only_devices_with_kernel_verbs),
	T(ib_register_client__without_callbacks),
	T(ib_unregister_client__is_removed_from_each_device),
	T(ib_set_client_data__error_pointers_become_null),
	T(ib_get_client_data__is_per_client_and_device),
	T(ib_unregister_client__waits_for_a_remove_elsewhere),
	T(ib_unregister_device__remove_may_wait_while_others_register),
};

int main(void)
{
	return verbena_test_main(tests);
}
