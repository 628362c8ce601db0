// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * Any bytes as commands to a verbs device. The input is a list: a byte for the kind, a byte for the
 * length in words, then as many words. Each is sent as a message of write() or as an ioctl.
 *
 * Addresses are the one thing that may not be anything: where a response goes, and what memory is
 * registered, would be this program's own. They are bent into an arena.
 */
#include <errno.h>
#include <linux/err.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verbena/verbena.h>

#include "uabi/uverbs_cmd.h"

#define WORD_BYTES 8u
#define ARENA_BYTES (1u << 20) /* more than any response has */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static u8 arena[ARENA_BYTES];
static u8 memory[4096];

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void make_device(void)
{
	const struct verbena_host_options options = {.device_name = "hfi1_0",
						     .personality = VERBENA_PERSONALITY_HFI1_V1};
	static struct verbena_fabric *fabric;

	if (fabric)
		return;
	setenv("VERBENA_LOG", "0", 1);
	require(!uverbs_init("host"));
	fabric = verbena_fabric_new(NULL);
	require(!IS_ERR(fabric));
	require(!IS_ERR(verbena_host_add(fabric, "fuzz", &options)));
}

/* What is registered is ours to be written; the address by which it is named may be any. */
static void bend_reg_mr(u8 *body, size_t bytes)
{
	struct ib_uverbs_reg_mr request;

	if (bytes < sizeof(request))
		return;
	memcpy(&request, body, sizeof(request));
	request.start = (uintptr_t)memory + request.start % sizeof(memory);
	request.length %= sizeof(memory) - (request.start - (uintptr_t)memory) + 1;
	request.hca_va = request.start;
	memcpy(body, &request, sizeof(request));
}

static void bend(u32 command, u8 *body, size_t bytes)
{
	const u64 response = (uintptr_t)arena;

	if (bytes >= sizeof(response) && !(body[0] & 1)) /* else wherever: it is not mapped */
		memcpy(body, &response, sizeof(response));
	else if (bytes >= sizeof(response))
		memset(body, 0, sizeof(response));
	if ((command & IB_USER_VERBS_CMD_COMMAND_MASK) == IB_USER_VERBS_CMD_REG_MR)
		bend_reg_mr(body, bytes);
}

/* An address in MODIFY_SRQ's part for the provider is written to. */
static bool is_left_out(u32 command)
{
	return (command & IB_USER_VERBS_CMD_COMMAND_MASK) == IB_USER_VERBS_CMD_MODIFY_SRQ;
}

/* The words of the core's request in a message of that size. */
static u16 words_of(u32 command, const u8 *message, size_t bytes)
{
	const size_t headers =
		sizeof(struct ib_uverbs_cmd_hdr) + sizeof(struct ib_uverbs_ex_cmd_hdr);
	struct ib_uverbs_ex_cmd_hdr ex;

	if (!(command & IB_USER_VERBS_CMD_FLAG_EXTENDED))
		return (u16)(bytes / 4);
	if (bytes < headers)
		return 0;
	memcpy(&ex, message + sizeof(struct ib_uverbs_cmd_hdr), sizeof(ex));
	return (u16)((bytes - headers) / WORD_BYTES - ex.provider_in_words);
}

static void send_write(struct uabi_file *file, u8 *message, size_t bytes)
{
	struct ib_uverbs_cmd_hdr hdr;

	if (bytes < sizeof(hdr)) {
		require(file->ops->write(file, message, bytes) < 0);
		return;
	}
	memcpy(&hdr, message, sizeof(hdr));
	hdr.command &= 0x8000003fu;   /* most of the others do not exist */
	if (!(hdr.in_words & 0x8000)) /* as it should be */
		hdr.in_words = words_of(hdr.command, message, bytes);
	hdr.out_words &= 0x3ff;
	if (is_left_out(hdr.command))
		return;
	memcpy(message, &hdr, sizeof(hdr));
	bend(hdr.command, message + sizeof(hdr), bytes - sizeof(hdr));
	(void)file->ops->write(file, message, bytes);
}

/* Data that is longer than a word is by address. */
static void bend_attr(struct ib_uverbs_attr *attr)
{
	if (attr->attr_id == UVERBS_ATTR_UHW_OUT || attr->len > sizeof(u64) || attr->data > 0xffff)
		attr->data = (uintptr_t)arena;
	attr->len %= 512;
}

static void send_ioctl(struct uabi_file *file, u8 *message, size_t bytes)
{
	struct ib_uverbs_ioctl_hdr *hdr = (void *)message;

	if (bytes < sizeof(*hdr))
		return;
	hdr->object_id %= UVERBS_OBJECT_ASYNC_EVENT + 2;
	hdr->method_id %= 8;
	hdr->reserved1 = 0;
	hdr->reserved2 = 0;
	hdr->num_attrs = (u16)((bytes - sizeof(*hdr)) / sizeof(hdr->attrs[0]));
	hdr->length = (u16)(sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]));
	if (hdr->object_id == UVERBS_OBJECT_DEVICE && !hdr->method_id)
		return; /* INVOKE_WRITE has the addresses inside of what it carries */
	for (u16 i = 0; i < hdr->num_attrs; i++)
		bend_attr(&hdr->attrs[i]);
	(void)file->ops->ioctl(file, RDMA_VERBS_IOCTL, message);
}

/* Descriptors that were handed out: the program never closes them, so we do. */
static void close_descriptors(int device_fd)
{
	for (int fd = uabi_fd_next(0); fd >= 0; fd = uabi_fd_next(fd + 1))
		if (fd != device_fd && !uabi_fd_is_hidden(fd))
			uabi_fd_close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	_Alignas(WORD_BYTES) u8 message[255 * WORD_BYTES];
	struct uabi_file *file;
	int fd;

	make_device();
	require(!uverbs_open(0, &file, &fd));
	while (count >= 2) {
		const u8 kind = bytes[0];
		size_t length = bytes[1] * WORD_BYTES;

		bytes += 2;
		count -= 2;
		length = length < count ? length : count;
		memcpy(message, bytes, length);
		bytes += length;
		count -= length;
		if (kind & 1)
			send_ioctl(file, message, length);
		else
			send_write(file, message, length);
	}
	close_descriptors(fd);
	uabi_file_put(file);
	close(fd);
	return 0;
}
