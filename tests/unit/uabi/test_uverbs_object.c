// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Handles: lookups, use, destruction, and what a closed file leaves. */
#include <linux/list.h>

#include "uabi_fixture.h"

static struct ib_uverbs_file *file_of(const struct uabi_fixture *f)
{
	return container_of(f->file, struct ib_uverbs_file, file);
}

static int dealloc_pd(const struct uabi_fixture *f, u32 handle)
{
	struct ib_uverbs_dealloc_pd request = {handle};

	return ORDER(f, DEALLOC_PD, &request);
}

static void uverbs_object_get__finds_by_handle_and_type(void **state)
{
	struct uabi_fixture *f = *state;
	struct uverbs_object *object;
	u32 pd;

	uabi_get_context(f);
	pd = uabi_alloc_pd(f);
	object = uverbs_object_get(file_of(f), UVERBS_TYPE_PD, pd);
	assert_false(IS_ERR(object));
	uverbs_object_put(object);
	assert_int_equal(PTR_ERR(uverbs_object_get(file_of(f), UVERBS_TYPE_CQ, pd)), -EINVAL);
	assert_cause(UVERBS_HANDLE);
	assert_int_equal(PTR_ERR(uverbs_object_get(file_of(f), UVERBS_TYPE_PD, ~0u)), -EINVAL);
	uverbs_object_put(NULL);
}

static void uverbs_object_destroy__waits_for_nobody(void **state)
{
	struct uabi_fixture *f = *state;
	struct uverbs_object *object;
	u32 pd;

	uabi_get_context(f);
	pd = uabi_alloc_pd(f);
	object = uverbs_object_get(file_of(f), UVERBS_TYPE_PD, pd);
	assert_int_equal(dealloc_pd(f, pd), -EBUSY);
	assert_cause(UVERBS_BUSY);
	uverbs_object_put(object);
	assert_int_equal(dealloc_pd(f, pd), 0);
	assert_int_equal(dealloc_pd(f, pd), -EINVAL);
	assert_cause(UVERBS_HANDLE);
}

static void uverbs_object_destroy__leaves_what_is_in_use(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_destroy_cq request = {.response = 0};
	struct ib_uverbs_destroy_cq_resp response;
	u32 pd, cq;

	uabi_get_context(f);
	pd = uabi_alloc_pd(f);
	cq = uabi_create_cq(f, 1, -1);
	(void)uabi_create_qp(f, pd, cq);
	assert_int_equal(dealloc_pd(f, pd), -EBUSY);
	assert_cause(UVERBS_PD_IN_USE);
	assert_int_equal(base_cause_last()->arg[0], pd);
	assert_int_equal(base_cause_last()->arg[1], 1);
	request.cq_handle = cq;
	assert_int_equal(COMMAND(f, DESTROY_CQ, &request, &response), -EBUSY);
	assert_cause(CQ_IN_USE);
	assert_int_equal(dealloc_pd(f, pd), -EBUSY); /* and it is still there */
}

static void uverbs_object_new__makes_many(void **state)
{
	struct uabi_fixture *f = *state;
	u32 pds[100];

	uabi_get_context(f);
	for (size_t i = 0; i < ARRAY_SIZE(pds); i++) {
		pds[i] = uabi_alloc_pd(f);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(pds[i], pds[j]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pds); i += 2)
		assert_int_equal(dealloc_pd(f, pds[i]), 0);
	assert_int_equal(file_of(f)->objects.count, ARRAY_SIZE(pds) / 2);
	for (size_t i = 1; i < ARRAY_SIZE(pds); i += 2)
		assert_int_equal(dealloc_pd(f, pds[i]), 0);
}

/* A handle that was just destroyed names nothing for a while, so that its late use is noticed. */
static void uverbs_object_new__does_not_soon_use_a_handle_again(void **state)
{
	struct uabi_fixture *f = *state;
	u32 pd;

	uabi_get_context(f);
	pd = uabi_alloc_pd(f);
	assert_int_equal(dealloc_pd(f, pd), 0);
	assert_int_not_equal(uabi_alloc_pd(f), pd);
	assert_int_equal(dealloc_pd(f, pd), -EINVAL);
}

/* Teardown closes the file with all of it alive, and the fixture looks for what is left. */
static void uverbs_objects_free__destroys_users_first(void **state)
{
	struct uabi_fixture *f = *state;
	static char memory[4096];
	struct ib_uverbs_reg_mr request = {
		.start = (uintptr_t)memory, .hca_va = (uintptr_t)memory, .length = sizeof(memory)};
	struct ib_uverbs_reg_mr_resp response;
	u32 cq;

	uabi_get_context(f);
	request.pd_handle = uabi_alloc_pd(f);
	cq = uabi_create_cq(f, 1, -1);
	assert_int_equal(COMMAND(f, REG_MR, &request, &response), 0);
	(void)uabi_create_qp(f, request.pd_handle, cq);
	assert_int_equal(file_of(f)->objects.count, 4);
}

#define WITH_FILE(name) cmocka_unit_test_setup_teardown(name, uabi_setup, uabi_teardown)

static const struct CMUnitTest tests[] = {
	WITH_FILE(uverbs_object_get__finds_by_handle_and_type),
	WITH_FILE(uverbs_object_destroy__waits_for_nobody),
	WITH_FILE(uverbs_object_destroy__leaves_what_is_in_use),
	WITH_FILE(uverbs_object_new__makes_many),
	WITH_FILE(uverbs_object_new__does_not_soon_use_a_handle_again),
	WITH_FILE(uverbs_objects_free__destroys_users_first),
};

int main(void)
{
	return verbena_test_main(tests);
}
