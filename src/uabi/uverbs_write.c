// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The write ABI: one message is one command. Its header counts the words of request and response;
 * what follows the core's part of either is the provider's.
 */
#include <errno.h>
#include <linux/rcupdate.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cause.h"
#include "base/thread.h"
#include "base/umem.h"
#include "uabi/uverbs_cmd.h"

#define WORD_BYTES 4u
#define EX_WORD_BYTES 8u
#define STACK_BYTES 2048u
#define MAX_BYTES (UINT16_MAX * (WORD_BYTES + 2 * EX_WORD_BYTES))
#define CLEAR_CHUNK 64u

/* clang-format off */
#define ROW(number, name, request, response, udata) \
	[IB_USER_VERBS_CMD_##number] = {uverbs_cmd_##name, sizeof(request), response, udata, false, false}
#define QUICK_ROW(number, name, request, response) \
	[IB_USER_VERBS_CMD_##number] = {uverbs_cmd_##name, sizeof(request), response, false, false, true}
#define EX_ROW(number, name, request_end, response_end) \
	[IB_USER_VERBS_EX_CMD_##number] = {uverbs_cmd_ex_##name, request_end, response_end, true, false, false}
#define END(type, member) (offsetof(struct type, member) + sizeof(((struct type *)0)->member))

/* The core's parts, without headers. 0: no response. */
static const struct uverbs_command plain[] = {
	[IB_USER_VERBS_CMD_GET_CONTEXT] = {uverbs_cmd_get_context, sizeof(struct ib_uverbs_get_context),
		sizeof(struct ib_uverbs_get_context_resp), true, true, false},
	ROW(QUERY_DEVICE, query_device, struct ib_uverbs_query_device, sizeof(struct ib_uverbs_query_device_resp), false),
	ROW(QUERY_PORT, query_port, struct ib_uverbs_query_port, sizeof(struct ib_uverbs_query_port_resp), false),
	ROW(ALLOC_PD, alloc_pd, struct ib_uverbs_alloc_pd, sizeof(struct ib_uverbs_alloc_pd_resp), true),
	ROW(DEALLOC_PD, dealloc_pd, struct ib_uverbs_dealloc_pd, 0, false),
	ROW(CREATE_AH, create_ah, struct ib_uverbs_create_ah, sizeof(struct ib_uverbs_create_ah_resp), true),
	ROW(DESTROY_AH, destroy_ah, struct ib_uverbs_destroy_ah, 0, false),
	ROW(REG_MR, reg_mr, struct ib_uverbs_reg_mr, sizeof(struct ib_uverbs_reg_mr_resp), true),
	ROW(DEREG_MR, dereg_mr, struct ib_uverbs_dereg_mr, 0, false),
	ROW(ALLOC_MW, alloc_mw, struct ib_uverbs_alloc_mw, sizeof(struct ib_uverbs_alloc_mw_resp), true),
	ROW(DEALLOC_MW, dealloc_mw, struct ib_uverbs_dealloc_mw, 0, false),
	ROW(CREATE_COMP_CHANNEL, create_comp_channel, struct ib_uverbs_create_comp_channel,
	    sizeof(struct ib_uverbs_create_comp_channel_resp), false),
	ROW(CREATE_CQ, create_cq, struct ib_uverbs_create_cq, sizeof(struct ib_uverbs_create_cq_resp), true),
	ROW(RESIZE_CQ, resize_cq, struct ib_uverbs_resize_cq, sizeof(struct ib_uverbs_resize_cq_resp), true),
	ROW(DESTROY_CQ, destroy_cq, struct ib_uverbs_destroy_cq, sizeof(struct ib_uverbs_destroy_cq_resp), false),
	QUICK_ROW(POLL_CQ, poll_cq, struct ib_uverbs_poll_cq, sizeof(struct ib_uverbs_poll_cq_resp)),
	QUICK_ROW(REQ_NOTIFY_CQ, req_notify_cq, struct ib_uverbs_req_notify_cq, 0),
	ROW(CREATE_QP, create_qp, struct ib_uverbs_create_qp, sizeof(struct ib_uverbs_create_qp_resp), true),
	ROW(QUERY_QP, query_qp, struct ib_uverbs_query_qp, sizeof(struct ib_uverbs_query_qp_resp), false),
	ROW(MODIFY_QP, modify_qp, struct ib_uverbs_modify_qp, 0, true),
	ROW(DESTROY_QP, destroy_qp, struct ib_uverbs_destroy_qp, sizeof(struct ib_uverbs_destroy_qp_resp), false),
	QUICK_ROW(POST_SEND, post_send, struct ib_uverbs_post_send, sizeof(struct ib_uverbs_post_send_resp)),
	QUICK_ROW(POST_RECV, post_recv, struct ib_uverbs_post_recv, sizeof(struct ib_uverbs_post_recv_resp)),
	ROW(ATTACH_MCAST, attach_mcast, struct ib_uverbs_attach_mcast, 0, false),
	ROW(DETACH_MCAST, detach_mcast, struct ib_uverbs_detach_mcast, 0, false),
	ROW(CREATE_SRQ, create_srq, struct ib_uverbs_create_srq, sizeof(struct ib_uverbs_create_srq_resp), true),
	ROW(CREATE_XSRQ, create_xsrq, struct ib_uverbs_create_xsrq, sizeof(struct ib_uverbs_create_srq_resp), true),
	ROW(MODIFY_SRQ, modify_srq, struct ib_uverbs_modify_srq, 0, true),
	ROW(QUERY_SRQ, query_srq, struct ib_uverbs_query_srq, sizeof(struct ib_uverbs_query_srq_resp), false),
	ROW(DESTROY_SRQ, destroy_srq, struct ib_uverbs_destroy_srq, sizeof(struct ib_uverbs_destroy_srq_resp), false),
	QUICK_ROW(POST_SRQ_RECV, post_srq_recv, struct ib_uverbs_post_srq_recv, sizeof(struct ib_uverbs_post_srq_recv_resp)),
};

static const struct uverbs_command extended[] = {
	EX_ROW(QUERY_DEVICE, query_device, END(ib_uverbs_ex_query_device, reserved), END(ib_uverbs_ex_query_device_resp, response_length)),
	EX_ROW(CREATE_CQ, create_cq, END(ib_uverbs_ex_create_cq, reserved), END(ib_uverbs_ex_create_cq_resp, response_length)),
	EX_ROW(CREATE_QP, create_qp, END(ib_uverbs_ex_create_qp, comp_mask), END(ib_uverbs_ex_create_qp_resp, response_length)),
	EX_ROW(MODIFY_QP, modify_qp, END(ib_uverbs_ex_modify_qp, base), END(ib_uverbs_ex_modify_qp_resp, response_length)),
};
/* clang-format on */

const struct uverbs_command *uverbs_command(u32 number)
{
	const u32 index = number & IB_USER_VERBS_CMD_COMMAND_MASK;
	const bool ex = number & IB_USER_VERBS_CMD_FLAG_EXTENDED;
	const struct uverbs_command *row = NULL;

	if (!(number & ~(IB_USER_VERBS_CMD_COMMAND_MASK | IB_USER_VERBS_CMD_FLAG_EXTENDED)) &&
	    index < (ex ? ARRAY_SIZE(extended) : ARRAY_SIZE(plain)))
		row = ex ? &extended[index] : &plain[index];
	if (row && row->handler)
		return row;
	base_refuse(-EOPNOTSUPP, UVERBS_COMMAND, number);
	return NULL;
}

static int call_uncancelled(const struct uverbs_command *command, struct uverbs_attr_bundle *attrs)
{
	BASE_UNCANCELLED;

	return command->handler(attrs);
}

int uverbs_call(struct ib_uverbs_file *file, const struct uverbs_command *command,
		struct uverbs_attr_bundle *attrs)
{
	attrs->ufile = file;
	attrs->context = __atomic_load_n(&file->context, __ATOMIC_ACQUIRE);
	if (!attrs->context && !command->before_context)
		return base_refuse(-EINVAL, UVERBS_NO_CONTEXT);
	return command->is_quick ? command->handler(attrs) : call_uncancelled(command, attrs);
}

static bool is_clear(const u8 *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bytes[i])
			return false;
	return true;
}

int uverbs_request(struct uverbs_attr_bundle *attrs, void *request, size_t bytes)
{
	const size_t given = attrs->ucore.inlen, taken = given < bytes ? given : bytes;

	memset(request, 0, bytes);
	if (taken)
		memcpy(request, attrs->ucore.inbuf, taken);
	if (given > taken && !is_clear((const u8 *)attrs->ucore.inbuf + taken, given - taken))
		return base_refuse(-EOPNOTSUPP, UVERBS_NOT_CLEAR);
	return 0;
}

int uverbs_response(struct uverbs_attr_bundle *attrs, const void *response, size_t bytes)
{
	static const u8 zero[CLEAR_CHUNK];
	const size_t room = attrs->ucore.outlen;
	size_t done = room < bytes ? room : bytes;
	u8 *to = attrs->ucore.outbuf;

	if (base_umem_copy(to, response, done))
		return base_refuse(-EFAULT, UVERBS_FAULT, (uintptr_t)to, room);
	while (done < room) {
		const size_t n = room - done < sizeof(zero) ? room - done : sizeof(zero);

		if (base_umem_copy(to + done, zero, n))
			return base_refuse(-EFAULT, UVERBS_FAULT, (uintptr_t)to, room);
		done += n;
	}
	return 0;
}

static void set_udata(struct ib_udata *udata, const u8 *in, size_t in_bytes, u64 out,
		      size_t out_bytes)
{
	*udata = (struct ib_udata){
		.inbuf = in_bytes ? in : NULL,
		.inlen = in_bytes,
		.outbuf = out_bytes ? (void *)(uintptr_t)out : NULL,
		.outlen = out_bytes,
	};
}

/* A plain command: the response's address is the first word of the core's request. */
static int frame_plain(struct uverbs_attr_bundle *attrs, const struct uverbs_command *command,
		       const struct ib_uverbs_cmd_hdr *hdr, const u8 *body, size_t bytes)
{
	const size_t out_bytes = hdr->out_words * WORD_BYTES;
	size_t in_core = bytes, out_core = command->out_bytes ? out_bytes : 0;
	u64 response = 0;

	if (hdr->in_words * WORD_BYTES != bytes + sizeof(*hdr))
		return base_refuse(-EINVAL, UVERBS_LENGTH, hdr->in_words * WORD_BYTES,
				   bytes + sizeof(*hdr));
	if (bytes < command->in_bytes)
		return base_refuse(-ENOSPC, UVERBS_SHORT, bytes, command->in_bytes);
	if (out_bytes < command->out_bytes)
		return base_refuse(-ENOSPC, UVERBS_RESPONSE_ROOM, out_bytes, command->out_bytes);
	if (command->out_bytes)
		memcpy(&response, body, sizeof(response));
	if (command->has_udata) {
		in_core = command->in_bytes;
		if (command->out_bytes)
			out_core = command->out_bytes;
		set_udata(&attrs->driver_udata, body + in_core, bytes - in_core,
			  response + out_core, command->out_bytes ? out_bytes - out_core : 0);
	}
	set_udata(&attrs->ucore, body, in_core, response, out_core);
	return 0;
}

static int frame_extended(struct uverbs_attr_bundle *attrs, const struct uverbs_command *command,
			  const struct ib_uverbs_cmd_hdr *hdr, const u8 *body, size_t bytes)
{
	const size_t in_core = hdr->in_words * EX_WORD_BYTES;
	const size_t out_core = hdr->out_words * EX_WORD_BYTES;
	struct ib_uverbs_ex_cmd_hdr ex;
	size_t in_driver, out_driver;

	if (bytes < sizeof(ex))
		return base_refuse(-EINVAL, UVERBS_SHORT, bytes, sizeof(ex));
	memcpy(&ex, body, sizeof(ex));
	body += sizeof(ex);
	in_driver = ex.provider_in_words * EX_WORD_BYTES;
	out_driver = ex.provider_out_words * EX_WORD_BYTES;
	if (in_core + in_driver != bytes - sizeof(ex))
		return base_refuse(-EINVAL, UVERBS_LENGTH, in_core + in_driver, bytes - sizeof(ex));
	if (ex.cmd_hdr_reserved)
		return base_refuse(-EINVAL, UVERBS_RESERVED, ex.cmd_hdr_reserved);
	if (!ex.response && (out_core || out_driver))
		return base_refuse(-EINVAL, UVERBS_FAULT, 0, out_core + out_driver);
	if (in_core < command->in_bytes)
		return base_refuse(-ENOSPC, UVERBS_SHORT, in_core, command->in_bytes);
	if (out_core < command->out_bytes)
		return base_refuse(-ENOSPC, UVERBS_RESPONSE_ROOM, out_core, command->out_bytes);
	set_udata(&attrs->ucore, body, in_core, ex.response, out_core);
	set_udata(&attrs->driver_udata, body + in_core, in_driver, ex.response + out_core,
		  out_driver);
	return 0;
}

/* @message is ours. */
static int run(struct ib_uverbs_file *file, const u8 *message, size_t bytes)
{
	struct uverbs_attr_bundle attrs = {.ufile = file};
	const struct uverbs_command *command;
	struct ib_uverbs_cmd_hdr hdr;
	const u8 *body = message + sizeof(hdr);
	int ret;

	memcpy(&hdr, message, sizeof(hdr));
	command = uverbs_command(hdr.command);
	if (!command)
		return -EOPNOTSUPP;
	ret = hdr.command & IB_USER_VERBS_CMD_FLAG_EXTENDED
		      ? frame_extended(&attrs, command, &hdr, body, bytes - sizeof(hdr))
		      : frame_plain(&attrs, command, &hdr, body, bytes - sizeof(hdr));
	return ret ? ret : uverbs_call(file, command, &attrs);
}

static ssize_t write_message(struct ib_uverbs_file *file, const void *buf, size_t bytes)
{
	_Alignas(u64) u8 stack[STACK_BYTES];
	u8 *message = stack;
	int ret;

	if (bytes < sizeof(struct ib_uverbs_cmd_hdr) || bytes > MAX_BYTES)
		return base_refuse(-EINVAL, UVERBS_SHORT, bytes, sizeof(struct ib_uverbs_cmd_hdr));
	if (bytes > sizeof(stack)) {
		message = base_zalloc(bytes);
		if (!message)
			return base_refuse(-ENOMEM, NO_MEMORY, bytes);
	}
	ret = base_umem_copy(message, buf, bytes)
		      ? base_refuse(-EFAULT, UVERBS_FAULT, (uintptr_t)buf, bytes)
		      : run(file, message, bytes);
	if (message != stack)
		base_free(message);
	return ret ? ret : (ssize_t)bytes;
}

/* A doorbell of librxe, which comes for every list of requests. */
struct doorbell {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_post_send request;
};

/* One that run() would find nothing wrong with. */
static bool is_doorbell(const struct ib_uverbs_file *file, const struct doorbell *message)
{
	const struct ib_uverbs_cmd_hdr *hdr = &message->hdr;

	return hdr->command == IB_USER_VERBS_CMD_POST_SEND &&
	       hdr->in_words == sizeof(*message) / WORD_BYTES &&
	       hdr->out_words >= sizeof(struct ib_uverbs_post_send_resp) / WORD_BYTES &&
	       !message->request.wr_count && !message->request.sge_count &&
	       __atomic_load_n(&file->context, __ATOMIC_ACQUIRE);
}

/*
 * Which queue pair this thread's last doorbell was for. That is good as long as no queue pair has gone since:
 * who destroys one counts, and waits for those who have seen the count before.
 */
static _Thread_local struct {
	const struct ib_uverbs_file *file;
	struct ib_qp *qp;
	u32 handle;
	u32 gone;
} last;

static u32 qps_gone = 1; /* atomic */

void uverbs_doorbells_end(void)
{
	__atomic_fetch_add(&qps_gone, 1, __ATOMIC_SEQ_CST);
	synchronize_rcu();
}

/* A message of a doorbell's size. */
static ssize_t write_doorbell(struct ib_uverbs_file *file, const void *buf)
{
	const u32 gone = __atomic_load_n(&qps_gone, __ATOMIC_SEQ_CST);
	struct doorbell message;
	struct ib_qp *qp;
	int ret;

	if (unlikely(base_umem_copy(&message, buf, sizeof(message))))
		return base_refuse(-EFAULT, UVERBS_FAULT, (uintptr_t)buf, sizeof(message));
	if (unlikely(!is_doorbell(file, &message))) {
		ret = run(file, (const u8 *)&message, sizeof(message));
		return ret ? ret : (ssize_t)sizeof(message);
	}
	ret = uverbs_doorbell(file, &message.request, message.hdr.out_words * WORD_BYTES, &qp);
	if (unlikely(ret))
		return ret;
	last.file = file;
	last.qp = qp;
	last.handle = message.request.qp_handle;
	last.gone = gone;
	return sizeof(message);
}

bool uverbs_write_again(struct ib_uverbs_file *file, const void *buf, size_t bytes)
{
	struct doorbell message;

	return bytes == sizeof(message) && last.file == file &&
	       last.gone == __atomic_load_n(&qps_gone, __ATOMIC_SEQ_CST) &&
	       !base_umem_copy(&message, buf, sizeof(message)) && is_doorbell(file, &message) &&
	       message.request.qp_handle == last.handle && !ib_post_send(last.qp, NULL, NULL);
}

ssize_t uverbs_write(struct ib_uverbs_file *file, const void *buf, size_t bytes)
{
	return likely(bytes == sizeof(struct doorbell)) ? write_doorbell(file, buf)
							: write_message(file, buf, bytes);
}
