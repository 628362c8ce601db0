/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An open verbs device, and the one form that every command takes, whatever way it came: a struct
 * uverbs_attr_bundle whose ucore and driver_udata have requests in our memory and responses in the
 * program's.
 */
#ifndef UABI_UVERBS_FILE_H
#define UABI_UVERBS_FILE_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs_user.h>
#include <rdma/uverbs_ioctl.h>
#include <sys/types.h>

#include "uabi/file.h"

struct uverbs_events;
struct uverbs_object;

/* What of the kernel's three ways a file offers: VERBENA_UABI_MODE=write, invoke, ioctl. */
enum uverbs_mode {
	UVERBS_MODE_IOCTL,
	UVERBS_MODE_INVOKE,
	UVERBS_MODE_WRITE,
};

/**
 * struct ib_uverbs_file - An open verbs device.
 * @file: What its descriptors mean.
 * @device: Referenced.
 * @minor: Its minor number.
 * @mode: Fixed when it was opened.
 * @context_lock: Held while the context is made.
 * @context: NULL before GET_CONTEXT; atomic.
 * @async: Where events of objects without a file of their own go, or NULL; atomic.
 * @objects: See uverbs_object.c.
 * @objects.lock: Guards the rest, and looking up.
 * @objects.slots: By handle.
 * @objects.room: Slots that there are.
 * @objects.next: Where the search for a free one starts.
 * @objects.count: Slots in use.
 * @memory: See uverbs_memory.c.
 * @memory.lock: Guards the rest.
 * @memory.fd: Our own descriptor of the memory file.
 * @memory.end: First offset that was not given out yet.
 * @events: Device and port events.
 */
struct ib_uverbs_file {
	struct uabi_file file;
	struct ib_device *device;
	unsigned int minor;
	enum uverbs_mode mode;
	struct mutex context_lock;
	struct ib_ucontext *context;
	struct uverbs_events *async;
	struct {
		spinlock_t lock;
		struct uverbs_object **slots;
		u32 room;
		u32 next;
		u32 count;
	} objects;
	struct {
		struct mutex lock;
		int fd;
		u64 end;
	} memory;
	struct ib_event_handler events;
};

/** uverbs_memory_init() - Make the memory file. @fd: Out: the program's descriptor. */
int uverbs_memory_init(struct ib_uverbs_file *file, int *fd);

/** uverbs_memory_free() - Nothing of it is in use by us any more. */
void uverbs_memory_free(struct ib_uverbs_file *file);

extern const struct ib_ucontext_mem_ops uverbs_memory_ops;

/**
 * struct uverbs_command - A row of the table of commands.
 * @handler: NULL: there is no such command. Returns 0 or -errno.
 * @in_bytes: The core's request has at least that many.
 * @out_bytes: The core's response has at least that many; 0: there is none.
 * @has_udata: The provider may have a part.
 * @before_context: May come before GET_CONTEXT.
 * @is_quick: Of the data path: it neither waits nor opens anything, and nanoseconds count.
 */
struct uverbs_command {
	int (*handler)(struct uverbs_attr_bundle *attrs);
	u16 in_bytes;
	u16 out_bytes;
	bool has_udata;
	bool before_context;
	bool is_quick;
};

/**
 * uverbs_command() - Find a command.
 * @number: As in struct ib_uverbs_cmd_hdr, with IB_USER_VERBS_CMD_FLAG_EXTENDED.
 *
 * Return: Its row; NULL with a cause if there is none.
 */
const struct uverbs_command *uverbs_command(u32 number);

/** uverbs_call() - Run a command whose requests and responses are set. Returns 0 or -errno. */
int uverbs_call(struct ib_uverbs_file *file, const struct uverbs_command *command,
		struct uverbs_attr_bundle *attrs);

/** uverbs_write() - A message of the write ABI. Returns @bytes or -errno. */
ssize_t uverbs_write(struct ib_uverbs_file *file, const void *buf, size_t bytes);

/**
 * uverbs_write_again() - &uabi_file_ops.write_again: a doorbell for the queue pair of this thread's last one.
 * @file: Not held; any.
 * @buf: Message, in the program's memory.
 * @bytes: Its length.
 *
 * Context: RCU.
 * Return: Whether it was that, and went well. If not, nothing has happened.
 */
bool uverbs_write_again(struct ib_uverbs_file *file, const void *buf, size_t bytes);

/** uverbs_ioctl() - An RDMA_VERBS_IOCTL. Returns 0 or -errno. */
int uverbs_ioctl(struct ib_uverbs_file *file, void *arg);

/**
 * uverbs_request() - Take the core's request.
 * @attrs: The call.
 * @request: Out: @bytes; what the program has not sent is zero.
 * @bytes: What we know of it.
 *
 * Return: 0; -EOPNOTSUPP if there is more, and it is not zero.
 */
int uverbs_request(struct uverbs_attr_bundle *attrs, void *request, size_t bytes);

/**
 * uverbs_response() - Give the core's response.
 * @attrs: The call.
 * @response: What to give.
 * @bytes: Its size; a program that has less room gets the beginning, one with more gets zeroes.
 *
 * Return: 0; -EFAULT.
 */
int uverbs_response(struct uverbs_attr_bundle *attrs, const void *response, size_t bytes);

/** uverbs_file_of() - Whose call it is. */
static inline struct ib_uverbs_file *uverbs_file_of(const struct uverbs_attr_bundle *attrs)
{
	return attrs->ufile;
}

/** uverbs_device_of() - The device that a call is about. */
static inline struct ib_device *uverbs_device_of(const struct uverbs_attr_bundle *attrs)
{
	return attrs->ufile->device;
}

#endif
