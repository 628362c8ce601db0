// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* Framing of the ioctl, its attributes, and the methods that have no command. */
#include "uabi/uverbs_ioctl.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#include "uabi_fixture.h"

struct call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attr[40];
};

static struct call method(u16 object_id, u16 method_id)
{
	return (struct call){.hdr = {.length = sizeof(struct ib_uverbs_ioctl_hdr),
				     .object_id = object_id,
				     .method_id = method_id}};
}

static void add(struct call *call, u16 id, u16 len, u64 data)
{
	call->attr[call->hdr.num_attrs++] = (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data};
	call->hdr.length = (u16)(call->hdr.length + sizeof(struct ib_uverbs_attr));
}

static void add_out(struct call *call, u16 id, void *to, u16 len)
{
	add(call, id, len, (uintptr_t)to);
}

static int send_call(const struct uabi_fixture *f, struct call *call)
{
	return f->file->ops->ioctl(f->file, RDMA_VERBS_IOCTL, call);
}

static struct call get_context(u32 *vectors, u64 *support)
{
	struct call call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);

	add_out(&call, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, vectors, sizeof(*vectors));
	add_out(&call, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, support, sizeof(*support));
	return call;
}

static void open_context(const struct uabi_fixture *f)
{
	u32 vectors;
	u64 support;
	struct call call = get_context(&vectors, &support);

	assert_int_equal(send_call(f, &call), 0);
}

static void uverbs_ioctl__takes_only_its_request(void **state)
{
	const struct uabi_fixture *f = *state;
	struct call call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);

	assert_int_equal(f->file->ops->ioctl(f->file, FIONREAD, &call), -ENOTTY);
	assert_cause(UVERBS_IOCTL);
	assert_int_equal(f->file->ops->ioctl(f->file, RDMA_VERBS_IOCTL, NULL), -EFAULT);
	assert_cause(UVERBS_FAULT);
}

static void uverbs_ioctl__checks_the_header(void **state)
{
	const struct uabi_fixture *f = *state;
	struct call call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);

	call.hdr.length--;
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_LENGTH);
	call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	call.hdr.reserved1 = 1;
	assert_int_equal(send_call(f, &call), -EPROTONOSUPPORT);
	call = method(UVERBS_OBJECT_FLOW, 0);
	assert_int_equal(send_call(f, &call), -EPROTONOSUPPORT);
	assert_cause(UVERBS_METHOD);
	call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_NO_CONTEXT);
	for (u16 i = 0; i < UVERBS_MAX_ATTRS + 1; i++)
		add(&call, i, 0, 0);
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_TOO_MANY);
}

/* Nothing says that a program's header is aligned. */
static void uverbs_ioctl__takes_a_header_anywhere(void **state)
{
	const struct uabi_fixture *f = *state;
	u32 vectors = 0;
	u64 support = 0;
	struct call call = get_context(&vectors, &support);
	char bytes[sizeof(call) + 1];

	memcpy(bytes + 1, &call, sizeof(call));
	assert_int_equal(f->file->ops->ioctl(f->file, RDMA_VERBS_IOCTL, bytes + 1), 0);
	assert_int_equal(vectors, 1);
}

static void uverbs_ioctl__makes_a_context(void **state)
{
	const struct uabi_fixture *f = *state;
	u32 vectors = 0;
	u64 support = 0;
	struct call call = get_context(&vectors, &support);

	assert_int_equal(send_call(f, &call), 0);
	assert_int_equal(vectors, 1);
	assert_int_equal(support, IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS);
	assert_true(call.attr[0].flags & UVERBS_ATTR_F_VALID_OUTPUT);
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_HAVE_CONTEXT);
}

static void uverbs_ioctl__minds_mandatory_attributes_only(void **state)
{
	const struct uabi_fixture *f = *state;
	u32 vectors;
	u64 support;
	struct call call = get_context(&vectors, &support);

	add(&call, 77, 4, 0);
	assert_int_equal(send_call(f, &call), -EPROTONOSUPPORT);
	assert_cause(UVERBS_ATTRIBUTE);
	call.attr[2].flags = 0;
	assert_int_equal(send_call(f, &call), 0);
}

static void uverbs_ioctl__takes_each_attribute_once(void **state)
{
	const struct uabi_fixture *f = *state;
	u32 vectors;
	u64 support;
	struct call call = get_context(&vectors, &support);

	add_out(&call, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, &support, sizeof(support));
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_ATTRIBUTE);
}

static void uverbs_ioctl__never_writes_more_than_there_is_room(void **state)
{
	const struct uabi_fixture *f = *state;
	u32 vectors = 4711;
	u64 support = 4711;
	struct call call = get_context(&vectors, &support);

	call.attr[1].len = 7;
	assert_int_equal(send_call(f, &call), -ENOSPC);
	assert_cause(UVERBS_RESPONSE_ROOM);
	assert_int_equal(support, 4711);
}

static void device_query_port__answers_as_far_as_there_is_room(void **state)
{
	const struct uabi_fixture *f = *state;
	struct ib_uverbs_query_port_resp_ex response = {.port_cap_flags2 = 4711};
	struct call call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT);

	open_context(f);
	add_out(&call, UVERBS_ATTR_QUERY_PORT_RESP, &response, sizeof(response.legacy_resp));
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_ATTRIBUTE_MISSING);
	add(&call, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 0, 1);
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_ATTRIBUTE_LENGTH);
	call.attr[1].len = 1;
	assert_int_equal(send_call(f, &call), 0);
	assert_int_equal(response.legacy_resp.lid, 1);
	assert_int_equal(response.port_cap_flags2, 4711);
	call.attr[1].data = 2;
	assert_int_equal(send_call(f, &call), -EINVAL);
}

static struct call query_gid_table(void *entries, u16 room, u64 *count, u64 entry_bytes)
{
	struct call call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE);

	add(&call, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, sizeof(u64), entry_bytes);
	add_out(&call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, entries, room);
	add_out(&call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, count, sizeof(*count));
	return call;
}

static void device_query_gid_table__fits_or_fails(void **state)
{
	const struct uabi_fixture *f = *state;
	struct ib_uverbs_gid_entry entries[2] = {{.port_num = 0}};
	u64 count = 0;
	struct call call = query_gid_table(entries, sizeof(entries), &count, sizeof(entries[0]));

	open_context(f);
	assert_int_equal(send_call(f, &call), 0);
	assert_int_equal(count, 1);
	assert_int_equal(entries[0].port_num, 1);
	call = query_gid_table(entries, sizeof(entries[0]) - 1, &count, sizeof(entries[0]));
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_RESPONSE_ROOM);
	call = query_gid_table(entries, sizeof(entries), &count, 0);
	assert_int_equal(send_call(f, &call), -EINVAL);
}

static void device_query_gid_entry__names_the_gid(void **state)
{
	const struct uabi_fixture *f = *state;
	struct ib_uverbs_gid_entry entry = {.gid_index = 7};
	struct call call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);

	open_context(f);
	add(&call, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 4, 1);
	add(&call, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, 4, 0);
	add_out(&call, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry, sizeof(entry));
	assert_int_equal(send_call(f, &call), 0);
	assert_int_equal(entry.gid_index, 0);
	call.attr[1].data = 1;
	assert_int_not_equal(send_call(f, &call), 0);
	call.attr[0].data = 0;
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_PORT);
}

/* This is how libraries ask whether commands may travel so. */
static void invoke_write__refuses_the_probe_as_the_kernel_does(void **state)
{
	const struct uabi_fixture *f = *state;
	struct call call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);

	add(&call, UVERBS_ATTR_WRITE_CMD, sizeof(u64), IB_USER_VERBS_CMD_QUERY_DEVICE);
	assert_int_equal(send_call(f, &call), -ENOSPC);
	call.attr[0].data = IB_USER_VERBS_CMD_BIND_MW;
	assert_int_equal(send_call(f, &call), -EOPNOTSUPP);
	call.attr[0].data = 1ull << 32;
	assert_int_equal(send_call(f, &call), -EOPNOTSUPP);
}

static void invoke_write__carries_a_command(void **state)
{
	const struct uabi_fixture *f = *state;
	struct ib_uverbs_query_port request = {.port_num = 1};
	struct ib_uverbs_query_port_resp response = {.lid = 0};
	struct call call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);

	open_context(f);
	add(&call, UVERBS_ATTR_WRITE_CMD, sizeof(u64), IB_USER_VERBS_CMD_QUERY_PORT);
	add_out(&call, UVERBS_ATTR_CORE_IN, &request, sizeof(request));
	add_out(&call, UVERBS_ATTR_CORE_OUT, &response, sizeof(response));
	assert_int_equal(send_call(f, &call), 0);
	assert_int_equal(response.lid, 1);
	call.attr[2].len--;
	assert_int_equal(send_call(f, &call), -ENOSPC);
	assert_cause(UVERBS_RESPONSE_ROOM);
}

static void async_alloc__gives_a_descriptor(void **state)
{
	struct uabi_fixture *f = *state;
	struct call call = method(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC);

	open_context(f);
	assert_int_equal(send_call(f, &call), -EINVAL);
	assert_cause(UVERBS_ATTRIBUTE_MISSING);
	add(&call, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	assert_int_equal(send_call(f, &call), 0);
	f->async_fd = (int)call.attr[0].data;
	assert_true(uabi_fd_known(f->async_fd));
}

static int setup_invoke(void **state)
{
	int ret;

	setenv("VERBENA_UABI_MODE", "invoke", 1);
	ret = uabi_setup(state);
	unsetenv("VERBENA_UABI_MODE");
	return ret;
}

static int setup_write(void **state)
{
	int ret;

	setenv("VERBENA_UABI_MODE", "write", 1);
	ret = uabi_setup(state);
	unsetenv("VERBENA_UABI_MODE");
	return ret;
}

static void mode_invoke__offers_nothing_else(void **state)
{
	const struct uabi_fixture *f = *state;
	u32 vectors;
	u64 support;
	struct call call = get_context(&vectors, &support);

	assert_int_equal(send_call(f, &call), -EPROTONOSUPPORT);
	call = method(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	add(&call, UVERBS_ATTR_WRITE_CMD, sizeof(u64), IB_USER_VERBS_CMD_QUERY_DEVICE);
	assert_int_equal(send_call(f, &call), -ENOSPC);
}

static void mode_write__has_no_ioctl(void **state)
{
	const struct uabi_fixture *f = *state;
	u32 vectors;
	u64 support;
	struct call call = get_context(&vectors, &support);

	assert_int_equal(send_call(f, &call), -ENOTTY);
}

#define WITH_FILE(name) cmocka_unit_test_setup_teardown(name, uabi_setup, uabi_teardown)

static const struct CMUnitTest tests[] = {
	WITH_FILE(uverbs_ioctl__takes_only_its_request),
	WITH_FILE(uverbs_ioctl__checks_the_header),
	WITH_FILE(uverbs_ioctl__takes_a_header_anywhere),
	WITH_FILE(uverbs_ioctl__makes_a_context),
	WITH_FILE(uverbs_ioctl__minds_mandatory_attributes_only),
	WITH_FILE(uverbs_ioctl__takes_each_attribute_once),
	WITH_FILE(uverbs_ioctl__never_writes_more_than_there_is_room),
	WITH_FILE(device_query_port__answers_as_far_as_there_is_room),
	WITH_FILE(device_query_gid_table__fits_or_fails),
	WITH_FILE(device_query_gid_entry__names_the_gid),
	WITH_FILE(invoke_write__refuses_the_probe_as_the_kernel_does),
	WITH_FILE(invoke_write__carries_a_command),
	WITH_FILE(async_alloc__gives_a_descriptor),
	cmocka_unit_test_setup_teardown(mode_invoke__offers_nothing_else, setup_invoke,
					uabi_teardown),
	cmocka_unit_test_setup_teardown(mode_write__has_no_ioctl, setup_write, uabi_teardown),
};

int main(void)
{
	return verbena_test_main(tests);
}
