// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Framing of the write ABI: what does not fit its header is refused, and nothing is written. */
#include <sys/mman.h>

#include "uabi_fixture.h"

static void uverbs_command__knows_what_there_is(void **state)
{
	(void)state;
	assert_non_null(uverbs_command(IB_USER_VERBS_CMD_GET_CONTEXT));
	assert_non_null(uverbs_command(IB_USER_VERBS_EX_CMD_QUERY_DEVICE |
				       IB_USER_VERBS_CMD_FLAG_EXTENDED));
	assert_null(uverbs_command(IB_USER_VERBS_CMD_BIND_MW));
	assert_cause(UVERBS_COMMAND);
	assert_null(uverbs_command(0xff));
	assert_null(
		uverbs_command(IB_USER_VERBS_EX_CMD_CREATE_FLOW | IB_USER_VERBS_CMD_FLAG_EXTENDED));
	assert_null(uverbs_command(0x100));
	assert_null(uverbs_command(0x40000000));
}

static void uverbs_write__wants_a_header(void **state)
{
	const struct uabi_fixture *f = *state;
	const struct ib_uverbs_cmd_hdr hdr = {.command = 0};

	assert_int_equal(uabi_send(f, &hdr, 0), -EINVAL);
	assert_int_equal(uabi_send(f, &hdr, sizeof(hdr) - 1), -EINVAL);
	assert_cause(UVERBS_SHORT);
	assert_int_equal(uabi_send(f, &hdr, SIZE_MAX), -EINVAL);
}

static void uverbs_write__wants_a_context_first(void **state)
{
	const struct uabi_fixture *f = *state;
	struct ib_uverbs_alloc_pd request = {.response = 0};
	struct ib_uverbs_alloc_pd_resp response;

	assert_int_equal(COMMAND(f, ALLOC_PD, &request, &response), -EINVAL);
	assert_cause(UVERBS_NO_CONTEXT);
}

static void uverbs_write__makes_one_context(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_get_context request = {.response = 0};
	struct ib_uverbs_get_context_resp response;

	uabi_get_context(f);
	assert_int_equal(COMMAND(f, GET_CONTEXT, &request, &response), -EINVAL);
	assert_cause(UVERBS_HAVE_CONTEXT);
}

static void uverbs_write__compares_the_words_with_the_message(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_query_port_resp response;
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_query_port body;
	} m = {.body = {.response = (uintptr_t)&response, .port_num = 1}};

	uabi_get_context(f);
	m.hdr = (struct ib_uverbs_cmd_hdr){IB_USER_VERBS_CMD_QUERY_PORT, sizeof(m) / 4,
					   sizeof(response) / 4};
	assert_int_equal(uabi_send(f, &m, sizeof(m)), sizeof(m));
	assert_int_equal(response.lid, 1);
	m.hdr.in_words++;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_LENGTH);
	m.hdr.in_words = (sizeof(m) - 8) / 4;
	assert_int_equal(uabi_send(f, &m, sizeof(m) - 8), -ENOSPC);
	assert_cause(UVERBS_SHORT);
	m.hdr.in_words = sizeof(m) / 4;
	m.hdr.out_words--;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -ENOSPC);
	assert_cause(UVERBS_RESPONSE_ROOM);
}

static void uverbs_write__survives_bad_addresses(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_query_port request = {.port_num = 1};
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(hole != MAP_FAILED);
	uabi_get_context(f);
	assert_int_equal(uabi_command(f, IB_USER_VERBS_CMD_QUERY_PORT, &request, sizeof(request),
				      hole, sizeof(struct ib_uverbs_query_port_resp)),
			 -EFAULT);
	assert_cause(UVERBS_FAULT);
	assert_int_equal(uabi_send(f, hole, 32), -EFAULT);
	munmap(hole, 4096);
}

/* Whoever is not told of an object must not be left with it. */
static void uverbs_write__undoes_what_it_cannot_tell(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_alloc_pd request = {.response = 0};
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct ib_uverbs_file *file = container_of(f->file, struct ib_uverbs_file, file);

	uabi_get_context(f);
	assert_int_equal(uabi_command(f, IB_USER_VERBS_CMD_ALLOC_PD, &request, sizeof(request),
				      hole, sizeof(struct ib_uverbs_alloc_pd_resp)),
			 -EFAULT);
	assert_int_equal(file->objects.count, 0);
	munmap(hole, 4096);
}

/* It has a way of its own, which must find what the way of all commands finds. */
static void doorbell__is_checked_as_any_command(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_post_send_resp response = {.bad_wr = 99};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_send body;
	} m = {.hdr = {IB_USER_VERBS_CMD_POST_SEND, sizeof(m) / 4, sizeof(response) / 4},
	       .body = {.response = (uintptr_t)&response}};

	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_NO_CONTEXT);
	uabi_get_context(f);
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_HANDLE);
	m.body.qp_handle = uabi_alloc_pd(f);
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_HANDLE);
	m.body.qp_handle = uabi_create_qp(f, m.body.qp_handle, uabi_create_cq(f, 0, -1)).qp_handle;
	m.hdr.in_words--;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_LENGTH);
	m.hdr.in_words++;
	m.hdr.out_words--;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -ENOSPC);
	assert_cause(UVERBS_RESPONSE_ROOM);
	m.hdr.out_words++;
	m.body.sge_count = 1;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_WRS);
	assert_int_equal(response.bad_wr, 99);
}

/* The QP is in RESET. */
static void doorbell__refused_by_the_qp_is_told(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_post_send_resp response = {.bad_wr = 99};
	struct ib_uverbs_post_send request = {.wr_count = 0};
	u32 pd;

	uabi_get_context(f);
	pd = uabi_alloc_pd(f);
	request.qp_handle = uabi_create_qp(f, pd, uabi_create_cq(f, 0, -1)).qp_handle;
	assert_int_equal(COMMAND(f, POST_SEND, &request, &response), -EINVAL);
	assert_cause(POST_SEND_STATE);
	assert_int_equal(response.bad_wr, 1);
	/* What is wrong is still told where nothing can be. */
	assert_int_equal(uabi_command(f, IB_USER_VERBS_CMD_POST_SEND, &request, sizeof(request),
				      (void *)1, sizeof(response)),
			 -EINVAL);
}

static void uverbs_response__fills_all_room(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_query_port request = {.port_num = 1};
	struct {
		struct ib_uverbs_query_port_resp known;
		u8 beyond[100];
	} response;

	memset(&response, 0xa5, sizeof(response));
	uabi_get_context(f);
	assert_int_equal(COMMAND(f, QUERY_PORT, &request, &response), 0);
	assert_int_equal(response.known.lid, 1);
	for (size_t i = 0; i < sizeof(response.beyond); i++)
		assert_int_equal(response.beyond[i], 0);
}

static void uverbs_request__takes_no_unknown_wish(void **state)
{
	struct uabi_fixture *f = *state;
	struct {
		struct ib_uverbs_query_port known;
		u64 beyond;
	} request = {.known = {.port_num = 1}};
	struct ib_uverbs_query_port_resp response;

	uabi_get_context(f);
	assert_int_equal(COMMAND(f, QUERY_PORT, &request, &response), 0);
	request.beyond = 1;
	assert_int_equal(COMMAND(f, QUERY_PORT, &request, &response), -EOPNOTSUPP);
	assert_cause(UVERBS_NOT_CLEAR);
}

struct extended {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_ex_cmd_hdr ex;
	struct ib_uverbs_ex_query_device body;
};

static struct extended ex_query_device(struct ib_uverbs_ex_query_device_resp *response)
{
	return (struct extended){
		.hdr = {IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED, 1,
			sizeof(*response) / 8},
		.ex = {.response = (uintptr_t)response},
	};
}

static void uverbs_write__takes_extended_commands(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_ex_query_device_resp response = {.response_length = 0};
	struct extended m = ex_query_device(&response);

	uabi_get_context(f);
	assert_int_equal(uabi_send(f, &m, sizeof(m)), sizeof(m));
	assert_int_equal(response.response_length, sizeof(response));
	assert_int_equal(response.base.phys_port_cnt, 1);
	/* An older library has less room, and is told how much it got. */
	response.max_dm_size = ~0ull;
	m.hdr.out_words = offsetof(struct ib_uverbs_ex_query_device_resp, timestamp_mask) / 8;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), sizeof(m));
	assert_int_equal(response.response_length,
			 offsetof(struct ib_uverbs_ex_query_device_resp, timestamp_mask));
	assert_true(response.max_dm_size == ~0ull);
}

static void uverbs_write__checks_the_extended_header(void **state)
{
	struct uabi_fixture *f = *state;
	struct ib_uverbs_ex_query_device_resp response;
	struct extended m = ex_query_device(&response);

	uabi_get_context(f);
	assert_int_equal(uabi_send(f, &m, sizeof(m.hdr)), -EINVAL);
	assert_cause(UVERBS_SHORT);
	m.ex.provider_in_words = 1;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_LENGTH);
	m = ex_query_device(&response);
	m.ex.cmd_hdr_reserved = 1;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_RESERVED);
	m = ex_query_device(NULL);
	m.hdr.out_words = sizeof(response) / 8;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_FAULT);
	m = ex_query_device(&response);
	m.hdr.in_words = 0;
	assert_int_equal(uabi_send(f, &m, sizeof(m) - sizeof(m.body)), -ENOSPC);
	assert_cause(UVERBS_SHORT);
	m = ex_query_device(&response);
	m.hdr.out_words = 1;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -ENOSPC);
	assert_cause(UVERBS_RESPONSE_ROOM);
	m = ex_query_device(&response);
	m.body.comp_mask = 1;
	assert_int_equal(uabi_send(f, &m, sizeof(m)), -EINVAL);
	assert_cause(UVERBS_RESERVED);
}

#define WITH_FILE(name) cmocka_unit_test_setup_teardown(name, uabi_setup, uabi_teardown)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(uverbs_command__knows_what_there_is),
	WITH_FILE(uverbs_write__wants_a_header),
	WITH_FILE(uverbs_write__wants_a_context_first),
	WITH_FILE(uverbs_write__makes_one_context),
	WITH_FILE(uverbs_write__compares_the_words_with_the_message),
	WITH_FILE(uverbs_write__survives_bad_addresses),
	WITH_FILE(uverbs_write__undoes_what_it_cannot_tell),
	WITH_FILE(doorbell__is_checked_as_any_command),
	WITH_FILE(doorbell__refused_by_the_qp_is_told),
	WITH_FILE(uverbs_response__fills_all_room),
	WITH_FILE(uverbs_request__takes_no_unknown_wish),
	WITH_FILE(uverbs_write__takes_extended_commands),
	WITH_FILE(uverbs_write__checks_the_extended_header),
};

int main(void)
{
	return verbena_test_main(tests);
}
