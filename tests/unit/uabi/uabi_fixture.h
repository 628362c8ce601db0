/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* An open verbs device on a host of a fabric, and commands to it. */
#ifndef TESTS_UNIT_UABI_FIXTURE_H
#define TESTS_UNIT_UABI_FIXTURE_H

#include <errno.h>
#include <linux/err.h>
#include <string.h>
#include <unistd.h>
#include <verbena/verbena.h>

#include "base/cause.h"
#include "common/test.h"
#include "uabi/uverbs_cmd.h"

struct uabi_fixture {
	struct verbena_fabric *fabric;
	int fd;			/* of the device */
	int async_fd;		/* of its events, or -1 */
	struct uabi_file *file; /* one reference */
};

/* A message of the write ABI under construction. */
struct message {
	struct ib_uverbs_cmd_hdr hdr;
	_Alignas(8) u8 body[1024];
	size_t bytes;
};

#define assert_cause(name) assert_string_equal(base_cause_name(base_cause_last()->id), #name)

static inline int uabi_setup_as(void **state, enum verbena_personality personality)
{
	static struct uabi_fixture f;
	const struct verbena_host_options options = {.device_name = "dut0",
						     .personality = personality};

	f = (struct uabi_fixture){.fd = -1, .async_fd = -1};
	*state = &f;
	if (uverbs_init("host"))
		return -1;
	f.fabric = verbena_fabric_new(NULL);
	if (IS_ERR(f.fabric))
		goto exit_uverbs;
	if (IS_ERR(verbena_host_add(f.fabric, "alpha", &options)))
		goto free_fabric;
	if (uverbs_open(0, &f.file, &f.fd))
		goto free_fabric;
	return 0;

free_fabric:
	verbena_fabric_free(f.fabric);
exit_uverbs:
	uverbs_exit();
	return -1;
}

/* rdmavt's own ABI, without shared rings: everything is a command. */
static inline int uabi_setup(void **state)
{
	return uabi_setup_as(state, VERBENA_PERSONALITY_HFI1_V1);
}

static inline int uabi_teardown(void **state)
{
	struct uabi_fixture *f = *state;

	if (f->async_fd >= 0)
		uabi_fd_close(f->async_fd);
	uabi_file_put(f->file);
	close(f->fd);
	verbena_fabric_free(f->fabric);
	uverbs_exit();
	return 0;
}

static inline ssize_t uabi_send(const struct uabi_fixture *f, const void *message, size_t bytes)
{
	return f->file->ops->write(f->file, message, bytes);
}

/* A plain command; @response NULL: it has none. 0 or -errno. */
static inline int uabi_command(const struct uabi_fixture *f, u32 number, void *request,
			       size_t request_bytes, void *response, size_t response_bytes)
{
	struct message m = {.hdr = {.command = number}};
	const u64 address = (uintptr_t)response;
	size_t bytes = sizeof(m.hdr) + request_bytes;
	ssize_t ret;

	memcpy(m.body, request, request_bytes);
	if (response)
		memcpy(m.body, &address, sizeof(address));
	m.hdr.in_words = (u16)(bytes / 4);
	m.hdr.out_words = (u16)(response_bytes / 4);
	ret = uabi_send(f, &m, bytes);
	if (ret >= 0)
		assert_int_equal(ret, bytes);
	return ret < 0 ? (int)ret : 0;
}

#define COMMAND(f, number, request, response)                                                    \
	uabi_command((f), IB_USER_VERBS_CMD_##number, (request), sizeof(*(request)), (response), \
		     sizeof(*(response)))

/* One without response. */
#define ORDER(f, number, request) \
	uabi_command((f), IB_USER_VERBS_CMD_##number, (request), sizeof(*(request)), NULL, 0)

/* A context, as ibv_open_device() makes it where there is no ioctl. */
static inline void uabi_get_context(struct uabi_fixture *f)
{
	struct ib_uverbs_get_context request = {.response = 0};
	struct ib_uverbs_get_context_resp response;

	assert_int_equal(COMMAND(f, GET_CONTEXT, &request, &response), 0);
	f->async_fd = (int)response.async_fd;
}

static inline u32 uabi_alloc_pd(const struct uabi_fixture *f)
{
	struct ib_uverbs_alloc_pd request = {.response = 0};
	struct ib_uverbs_alloc_pd_resp response;

	assert_int_equal(COMMAND(f, ALLOC_PD, &request, &response), 0);
	return response.pd_handle;
}

static inline u32 uabi_create_cq(const struct uabi_fixture *f, u64 user_handle, int channel_fd)
{
	struct ib_uverbs_create_cq request = {
		.user_handle = user_handle, .cqe = 16, .comp_channel = channel_fd};
	struct ib_uverbs_create_cq_resp response;

	assert_int_equal(COMMAND(f, CREATE_CQ, &request, &response), 0);
	return response.cq_handle;
}

static inline struct ib_uverbs_create_qp_resp uabi_create_qp(const struct uabi_fixture *f, u32 pd,
							     u32 cq)
{
	struct ib_uverbs_create_qp request = {
		.user_handle = 0x4711,
		.pd_handle = pd,
		.send_cq_handle = cq,
		.recv_cq_handle = cq,
		.max_send_wr = 8,
		.max_recv_wr = 8,
		.max_send_sge = 1,
		.max_recv_sge = 1,
		.qp_type = IB_QPT_RC,
	};
	struct ib_uverbs_create_qp_resp response;

	assert_int_equal(COMMAND(f, CREATE_QP, &request, &response), 0);
	return response;
}

#endif
